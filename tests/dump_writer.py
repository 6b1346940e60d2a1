"""Writes operator dumps as a device does: protobuf header, raw tensors, every type and layout.

Written from the format description alone and independent of `tui.dump`: numbers, names and formulas are stated again,
so that reading and writing check each other.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

TIME_US = 1718260600000700

NUMPY_CODES = {
    "float32": "<f4",
    "float16": "<f2",
    "int8": "<i1",
    "uint8": "<u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "int64": "<i8",
    "uint32": "<u4",
    "uint64": "<u8",
    "bool": "|b1",
    "float64": "<f8",
    "dual_sub_int8": "<i1",
    "dual_sub_uint8": "<u1",
    "complex64": "<c8",
    "complex128": "<c16",
    "qint8": "<i1",
    "qint16": "<i2",
    "qint32": "<i4",
    "quint8": "<u1",
    "quint16": "<u2",
    "resource": "<i8",
}
DTYPE_NUMBERS = {
    "undefined": 0,
    "float32": 1,
    "float16": 2,
    "int8": 3,
    "uint8": 4,
    "int16": 5,
    "uint16": 6,
    "int32": 7,
    "int64": 8,
    "uint32": 9,
    "uint64": 10,
    "bool": 11,
    "float64": 12,
    "string": 13,
    "dual_sub_int8": 14,
    "dual_sub_uint8": 15,
    "complex64": 16,
    "complex128": 17,
    "qint8": 18,
    "qint16": 19,
    "qint32": 20,
    "quint8": 21,
    "quint16": 22,
    "resource": 23,
    "string_ref": 24,
    "dual": 25,
    "variant": 26,
    "bfloat16": 27,
    "int4": 28,
    "uint1": 29,
    "int2": 30,
    "uint2": 31,
    "complex32": 32,
    "hifloat8": 33,
    "float8_e5m2": 34,
    "float8_e4m3fn": 35,
    "float8_e8m0": 36,
    "float6_e3m2": 37,
    "float6_e2m3": 38,
    "float4_e2m1": 39,
    "float4_e1m2": 40,
}
FORMAT_NUMBERS = {
    "NCHW": 0,
    "NHWC": 1,
    "ND": 2,
    "NC1HWC0": 3,
    "FRACTAL_Z": 4,
    "NC1HWC0_C04": 12,
    "CHWN": 14,
    "HWCN": 16,
    "NDHWC": 27,
    "FRACTAL_NZ": 29,
    "NCDHW": 30,
    "DHWCN": 31,
    "NDC1HWC0": 32,
    "FRACTAL_Z_3D": 33,
}
INTEGER_BITS = {"int4": 4, "uint1": 1, "int2": 2, "uint2": 2}
FLOAT_FIELDS = {
    "float8_e4m3fn": (4, 3, 7),
    "float6_e3m2": (3, 2, 3),
    "float6_e2m3": (2, 3, 1),
    "float4_e2m1": (2, 1, 1),
    "float4_e1m2": (1, 2, 1),
}
"""Exponent bits, mantissa bits, bias."""


@dataclass(frozen=True)
class Part:
    """One tensor of a dump to write."""

    values: NDArray[Any]
    """Logical values."""
    dtype: str
    layout: str = "ND"
    """Layout on the device; the values are brought into it."""
    axes: str = "NCHW"
    """What the logical axes mean, for the layouts that rearrange them."""
    c0: int = 16
    padding: float = 77.0
    """What the padding of the layout is filled with; a device leaves anything there."""
    spare_bytes: int = 0
    """Bytes of alignment after the values, counted in the size field."""
    with_original: bool = True
    extra: dict[str, int] = field(default_factory=dict)
    """Header fields that replace the right ones: `size`, `dtype`, `format`."""


def write_dump(
    path: Path,
    op_name: str,
    inputs: Sequence[Part] = (),
    outputs: Sequence[Part] = (),
    *,
    time_us: int = TIME_US,
    cut_bytes: int = 0,
) -> Path:
    """Writes a dump file; `cut_bytes` leaves out that many bytes at its end."""
    data = dump_bytes(op_name, inputs, outputs, time_us=time_us)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data[: len(data) - cut_bytes])
    return path


def dump_bytes(
    op_name: str, inputs: Sequence[Part] = (), outputs: Sequence[Part] = (), *, time_us: int = TIME_US
) -> bytes:
    """The bytes of a dump file: outputs first in the header, inputs first in the data."""
    data_in, data_out = [encoded(part) for part in inputs], [encoded(part) for part in outputs]
    header = delimited(1, b"2.0") + number(2, time_us)
    for part, data in zip(outputs, data_out):
        header += delimited(3, _described(part, len(data), (1, 2, 3, 6, 7, 9)))
    for part, data in zip(inputs, data_in):
        header += delimited(4, _described(part, len(data), (1, 2, 3, 5, 6, 8)))
    header += delimited(6, op_name.encode())
    return struct.pack("<Q", len(header)) + header + b"".join((*data_in, *data_out))


def _described(part: Part, size: int, numbers: tuple[int, ...]) -> bytes:
    dtype_no, format_no, shape_no, size_no, original_no, address_no = numbers
    stored = arranged(part)
    values = {
        "dtype": DTYPE_NUMBERS[part.dtype],
        "format": FORMAT_NUMBERS[part.layout],
        "size": size,
        **part.extra,
    }
    found = number(dtype_no, values["dtype"]) + number(format_no, values["format"])
    found += shape(shape_no, stored.shape) + number(size_no, values["size"])
    if part.with_original:
        found += shape(original_no, part.values.shape)
    return found + number(address_no, 0x1000)


def encoded(part: Part) -> bytes:
    """The bytes of a tensor in its layout, alignment included."""
    return encode(arranged(part), part.dtype) + b"\xee" * part.spare_bytes


# --- protobuf ---


def varint(value: int) -> bytes:
    """An unsigned number of up to 64 bits."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field_number: int, value: int) -> bytes:
    """A varint field; 0 is left out, as proto3 does."""
    return varint(field_number << 3) + varint(value) if value else b""


def delimited(field_number: int, data: bytes) -> bytes:
    """A field of bytes, text or a message."""
    return varint(field_number << 3 | 2) + varint(len(data)) + data


def shape(field_number: int, sizes: Iterable[int]) -> bytes:
    """A Shape message with packed sizes; left out for a scalar."""
    packed = b"".join(map(varint, sizes))
    return delimited(field_number, delimited(1, packed)) if packed else b""


# --- types ---


def encode(values: NDArray[Any], dtype: str) -> bytes:
    """The bytes of `values` as a device stores them; the values must be exactly representable."""
    flat = np.ascontiguousarray(values).reshape(-1)
    if dtype in NUMPY_CODES:
        return flat.astype(NUMPY_CODES[dtype]).tobytes()
    if dtype == "bfloat16":
        return (flat.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    if dtype == "complex32":
        return flat.astype("<c8").view("<f4").astype("<f2").tobytes()
    if dtype == "uint1":
        return _packed(flat, 1, "big")
    if dtype in INTEGER_BITS:
        return _packed(flat.astype(np.int64) % (1 << INTEGER_BITS[dtype]), INTEGER_BITS[dtype])
    codes = {_key(value): code for code, value in reversed(list(enumerate(all_values(dtype))))}
    distinct, places = np.unique(flat.astype(np.float64), return_inverse=True)
    return _packed(np.array([codes[_key(float(value))] for value in distinct])[places.reshape(-1)], bits_of(dtype))


def _key(value: float) -> str:
    return "nan" if math.isnan(value) else repr(value + 0.0)


def _packed(codes: NDArray[Any], bits: int, order: Literal["big", "little"] = "little") -> bytes:
    """Codes of `bits` bits one after the other, bytes filled from the low end, or from the high one (`big`)."""
    columns = [(codes.astype(np.int64) >> bit) & 1 for bit in range(bits)]
    stream = np.stack(columns, axis=1).astype(np.uint8).reshape(-1)
    return np.packbits(stream, bitorder=order).tobytes()


def bits_of(dtype: str) -> int:
    """Bits of one element of a float of at most 8 bits."""
    return 8 if dtype not in FLOAT_FIELDS else 1 + sum(FLOAT_FIELDS[dtype][:2])


def all_values(dtype: str) -> list[float]:
    """Every value of a float of at most 8 bits, by code."""
    if dtype == "float8_e8m0":
        return [2.0 ** (code - 127) for code in range(255)] + [math.nan]
    if dtype == "hifloat8":
        return [_hifloat8(format(code, "08b")) for code in range(256)]
    if dtype == "float8_e5m2":
        return [_fields(format(code, "08b"), 5, 15, infinite=True) for code in range(256)]
    exponent, mantissa, bias = FLOAT_FIELDS[dtype]
    bits = 1 + exponent + mantissa
    found = [_fields(format(code, f"0{bits}b"), exponent, bias) for code in range(1 << bits)]
    return [math.nan if dtype == "float8_e4m3fn" and code & 127 == 127 else value for code, value in enumerate(found)]


def _fields(text: str, exponent_bits: int, bias: int, infinite: bool = False) -> float:
    sign = -1.0 if text[0] == "1" else 1.0
    exponent, mantissa = int(text[1 : 1 + exponent_bits], 2), text[1 + exponent_bits :]
    fraction = int(mantissa, 2) / 2 ** len(mantissa)
    if infinite and exponent == 2**exponent_bits - 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias)
    return sign * math.ldexp(1 + fraction, exponent - bias)


def _hifloat8(text: str) -> float:
    if text in ("00000000", "10000000"):
        return 0.0 if text[0] == "0" else math.nan
    sign = -1.0 if text[0] == "1" else 1.0
    rest = text[1:]
    if rest == "1101111":
        return sign * math.inf
    if rest.startswith("0000"):
        return sign * math.ldexp(1, int(rest, 2) - 23)
    for dot, width in (("11", 4), ("10", 3), ("01", 2), ("001", 1), ("0001", 0)):
        if rest.startswith(dot):
            exponent, mantissa = rest[len(dot) :][:width], rest[len(dot) + width :]
            value = 1 + math.ldexp(int(mantissa, 2), -len(mantissa))
            if width == 0:
                return sign * value
            return sign * math.ldexp(value, (-1 if exponent[0] == "1" else 1) * int("1" + exponent[1:], 2))
    raise AssertionError(text)


# --- layouts ---


def arranged(part: Part) -> NDArray[Any]:
    """The values in the layout of the part, padding filled."""
    values, layout = part.values, part.layout
    if layout in ("NC1HWC0", "NC1HWC0_C04"):
        return _nc1hwc0(_in_order(values, part.axes, "NCHW"), part)
    if layout == "NDC1HWC0":
        return _ndc1hwc0(_in_order(values, part.axes, "NCDHW"), part)
    if layout == "FRACTAL_Z":
        return _fractal_z(_in_order(values, part.axes, "NCHW"), part)
    if layout == "FRACTAL_Z_3D":
        return _fractal_z_3d(_in_order(values, part.axes, "NCDHW"), part)
    if layout == "FRACTAL_NZ":
        return _fractal_nz(values, part)
    return values


def _in_order(values: NDArray[Any], axes: str, wanted: str) -> NDArray[Any]:
    return values.transpose([axes.index(axis) for axis in wanted])


def _padded(values: NDArray[Any], steps: Sequence[int], filling: float) -> NDArray[Any]:
    widths = [(0, -size % step) for size, step in zip(values.shape, steps)]
    fill = bool(filling) if values.dtype == np.bool_ else filling
    return np.pad(values, widths, constant_values=fill)


def _nc1hwc0(values: NDArray[Any], part: Part) -> NDArray[Any]:
    full = _padded(values, (1, part.c0, 1, 1), part.padding)
    n, c, h, w = full.shape
    return full.reshape(n, c // part.c0, part.c0, h, w).transpose(0, 1, 3, 4, 2)


def _ndc1hwc0(values: NDArray[Any], part: Part) -> NDArray[Any]:
    full = _padded(values, (1, part.c0, 1, 1, 1), part.padding)
    n, c, d, h, w = full.shape
    return full.reshape(n, c // part.c0, part.c0, d, h, w).transpose(0, 3, 1, 4, 5, 2)


def _fractal_z(values: NDArray[Any], part: Part) -> NDArray[Any]:
    full = _padded(values, (16, part.c0, 1, 1), part.padding)
    n, c, h, w = full.shape
    blocks = full.reshape(n // 16, 16, c // part.c0, part.c0, h, w).transpose(2, 4, 5, 0, 1, 3)
    return blocks.reshape(c // part.c0 * h * w, n // 16, 16, part.c0)


def _fractal_z_3d(values: NDArray[Any], part: Part) -> NDArray[Any]:
    full = _padded(values, (16, part.c0, 1, 1, 1), part.padding)
    n, c, d, h, w = full.shape
    blocks = full.reshape(n // 16, 16, c // part.c0, part.c0, d, h, w).transpose(4, 2, 5, 6, 0, 1, 3)
    return blocks.reshape(d * (c // part.c0) * h * w, n // 16, 16, part.c0)


def _fractal_nz(values: NDArray[Any], part: Part) -> NDArray[Any]:
    matrix = values.reshape((1,) * (2 - values.ndim) + values.shape)
    steps = (*(1 for _axis in matrix.shape[:-2]), 16, part.c0)
    full = _padded(matrix, steps, part.padding)
    *batch, m, n = full.shape
    blocks = full.reshape(*batch, m // 16, 16, n // part.c0, part.c0)
    axes = len(batch)
    return blocks.transpose(*range(axes), axes + 2, axes, axes + 1, axes + 3)

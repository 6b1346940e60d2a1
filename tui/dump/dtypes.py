"""The element types of dumps: how they are stored, what they become in memory, and the two numberings of them.

The header of an operator dump numbers types in its own way (formats: dump §2.4, first table); nano files, ATB files and
model json number them as GE does. The two disagree from 2 on, so a number never goes without its table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.dump.small_floats import (
    FLOAT4_E1M2,
    FLOAT4_E2M1,
    FLOAT6_E2M3,
    FLOAT6_E3M2,
    FLOAT8_E4M3FN,
    float8_e5m2,
    float8_e8m0,
    hifloat8,
    table,
)

Decode = Callable[[NDArray[np.uint8], int], NDArray[Any]]


@dataclass(frozen=True)
class StoredType:
    """One element type of a file."""

    name: str
    bits: int
    """Bits per element in the file; 0 for a type that holds no numbers (string, resource handles)."""
    decode: Decode
    """Turns the bytes of n elements, and n, into n values of a native numpy dtype."""

    def stored_bytes(self, elements: int) -> int:
        """Bytes that `elements` take in the file; packed types fill up the last byte."""
        return -(-elements * self.bits // 8)


def plain(dtype: np.dtype[Any], name: str = "") -> StoredType:
    """A type that numpy knows, in the byte order of `dtype`."""
    native = dtype.newbyteorder("=")

    def decode(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
        values: NDArray[Any] = raw.view(dtype)[:count].astype(native, copy=False)
        return values

    return StoredType(name or native.name, dtype.itemsize * 8, decode)


def _bool(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
    values: NDArray[np.bool_] = raw[:count] != 0
    return values


def _bfloat16(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
    return (raw.view("<u2")[:count].astype(np.uint32) << np.uint32(16)).view(np.float32)


def _complex32(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
    return raw.view("<f2")[: 2 * count].astype(np.float32).view(np.complex64)


def _bits_high_first(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
    return np.unpackbits(raw, count=count)


def _codes(raw: NDArray[np.uint8], count: int, bits: int) -> NDArray[np.uint8]:
    """Unsigned codes of `bits` bits from a stream that fills each byte from its low end."""
    stream = np.unpackbits(raw, bitorder="little")[: count * bits].reshape(count, bits)
    return np.packbits(stream, axis=1, bitorder="little").reshape(count)


def _signed(bits: int) -> Decode:
    sign = 1 << (bits - 1)

    def decode(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
        values: NDArray[Any] = ((_codes(raw, count, bits).astype(np.int8) ^ sign) - sign).astype(np.int8, copy=False)
        return values

    return decode


def _looked_up(values: NDArray[np.float32], bits: int) -> Decode:
    def decode(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
        return values[raw[:count] if bits == 8 else _codes(raw, count, bits)]

    return decode


def _unsigned_2(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
    return _codes(raw, count, 2)


def _nothing(raw: NDArray[np.uint8], count: int) -> NDArray[Any]:
    return np.zeros(0, np.float32)


def _numpy(code: str, name: str = "") -> StoredType:
    return plain(np.dtype(code), name)


_ALL = (
    (0, None, _numpy("<i1", "undefined")),
    (1, 0, _numpy("<f4")),
    (2, 1, _numpy("<f2")),
    (3, 2, _numpy("<i1")),
    (4, 4, _numpy("<u1")),
    (5, 6, _numpy("<i2")),
    (6, 7, _numpy("<u2")),
    (7, 3, _numpy("<i4")),
    (8, 9, _numpy("<i8")),
    (9, 8, _numpy("<u4")),
    (10, 10, _numpy("<u8")),
    (11, 12, StoredType("bool", 8, _bool)),
    (12, 11, _numpy("<f8")),
    (13, 13, StoredType("string", 0, _nothing)),
    (14, None, _numpy("<i1", "dual_sub_int8")),
    (15, None, _numpy("<u1", "dual_sub_uint8")),
    (16, 16, _numpy("<c8")),
    (17, 17, _numpy("<c16")),
    (18, None, _numpy("<i1", "qint8")),
    (19, None, _numpy("<i2", "qint16")),
    (20, None, _numpy("<i4", "qint32")),
    (21, None, _numpy("<u1", "quint8")),
    (22, None, _numpy("<u2", "quint16")),
    (23, None, _numpy("<i8", "resource")),
    (24, None, StoredType("string_ref", 0, _nothing)),
    (25, None, StoredType("dual", 0, _nothing)),
    (26, None, StoredType("variant", 0, _nothing)),
    (27, 27, StoredType("bfloat16", 16, _bfloat16)),
    (28, 29, StoredType("int4", 4, _signed(4))),
    (29, 30, StoredType("uint1", 1, _bits_high_first)),
    (30, None, StoredType("int2", 2, _signed(2))),
    (31, None, StoredType("uint2", 2, _unsigned_2)),
    (32, 33, StoredType("complex32", 32, _complex32)),
    (33, None, StoredType("hifloat8", 8, _looked_up(hifloat8(), 8))),
    (34, None, StoredType("float8_e5m2", 8, _looked_up(float8_e5m2(), 8))),
    (35, None, StoredType("float8_e4m3fn", 8, _looked_up(table(FLOAT8_E4M3FN), 8))),
    (36, None, StoredType("float8_e8m0", 8, _looked_up(float8_e8m0(), 8))),
    (37, None, StoredType("float6_e3m2", 6, _looked_up(table(FLOAT6_E3M2), 6))),
    (38, None, StoredType("float6_e2m3", 6, _looked_up(table(FLOAT6_E2M3), 6))),
    (39, None, StoredType("float4_e2m1", 4, _looked_up(table(FLOAT4_E2M1), 4))),
    (40, None, StoredType("float4_e1m2", 4, _looked_up(table(FLOAT4_E1M2), 4))),
)

BY_DUMP_NUMBER: dict[int, StoredType] = {number: stored for number, _ge, stored in _ALL}
"""Types by the number in the header of an operator dump."""

BY_GE_NUMBER: dict[int, StoredType] = {ge: stored for _number, ge, stored in _ALL if ge is not None}
"""Types by GE's number, which nano and ATB files carry."""

BY_NAME: dict[str, StoredType] = {stored.name: stored for _number, _ge, stored in _ALL}

_ALIASES = {
    "float": "float32",
    "fp32": "float32",
    "half": "float16",
    "fp16": "float16",
    "double": "float64",
    "fp64": "float64",
    "bf16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "fp8_e5m2": "float8_e5m2",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e4m3fn": "float8_e4m3fn",
    "hif8": "hifloat8",
}
_PREFIX = re.compile(r"^(?:dt_|acl_|torch\.|numpy\.|np\.)")
_NUMPY_CODE = re.compile(r"[<>=|]?(?:[iu][1248]|f[248]|c8|c16|b1)")


def unknown(number: int) -> StoredType:
    """Stands for a type number that is not in the tables: its size is shown, its values are not."""
    return StoredType(f"type {number}", 0, _nothing)


def named(text: str) -> StoredType | None:
    """The type that a user, a file name or a table calls `text` (`fp16`, `DT_BF16`, `torch.float32`, `<f4`).

    None when it is no known type, or one without numbers.
    """
    word = _PREFIX.sub("", text.strip().lower())
    stored = BY_NAME.get(_ALIASES.get(word, word))
    if stored is not None:
        return stored if stored.bits else None
    return numpy_code(word)


def numpy_code(code: str) -> StoredType | None:
    """The type of a numpy code as `.npy` headers write it (`<f4`, `|b1`, `>i8`); None for objects, texts, records."""
    if not _NUMPY_CODE.fullmatch(code):
        return None
    return BY_NAME["bool"] if code.endswith("b1") else plain(np.dtype(code))

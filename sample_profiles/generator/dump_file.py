"""Operator dumps as a device writes them: length of the header, protobuf header, tensors (inputs, then outputs)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

FLOAT32, FLOAT16 = 1, 2
NCHW, ND, NC1HWC0 = 0, 2, 3
C0 = 16
ADDRESS = 0x1240_8000_0000

OUTPUT_FIELDS = (1, 2, 3, 6, 7, 9)
INPUT_FIELDS = (1, 2, 3, 5, 6, 8)
"""Numbers of data_type, format, shape, size, original_shape, address."""


class Stored(NamedTuple):
    """A tensor as it lies on the device."""

    data: bytes
    dtype: int
    layout: int
    shape: tuple[int, ...]
    logical: tuple[int, ...]


def stored(values: Sequence[float], shape: tuple[int, ...], dtype: int, layout: int) -> Stored:
    """Values in C order, brought into a layout."""
    physical = shape
    if layout == NC1HWC0:
        values, physical = _blocked(values, shape)
    return Stored(
        struct.pack(f"<{len(values)}{'e' if dtype == FLOAT16 else 'f'}", *values), dtype, layout, physical, shape
    )


def _blocked(values: Sequence[float], shape: tuple[int, ...]) -> tuple[list[float], tuple[int, ...]]:
    """NCHW of one image as NC1HWC0; missing channels are zeros."""
    _one, channels, height, width = shape
    blocks, area = -(-channels // C0), height * width
    blocked = [
        values[channel * area + place] if channel < channels else 0.0
        for block in range(blocks)
        for place in range(area)
        for channel in range(block * C0, block * C0 + C0)
    ]
    return blocked, (1, blocks, height, width, C0)


def dump_bytes(op_name: str, time_us: int, inputs: Sequence[Stored], outputs: Sequence[Stored]) -> bytes:
    """A dump file: the header lists outputs first, the data hold inputs first."""
    header = _delimited(1, b"2.0") + _number(2, time_us)
    address = ADDRESS
    for field, tensors, numbers in ((3, outputs, OUTPUT_FIELDS), (4, inputs, INPUT_FIELDS)):
        for tensor in tensors:
            header += _delimited(field, _described(tensor, numbers, address))
            address += -(-len(tensor.data) // 512) * 512
    header += _delimited(6, op_name.encode())
    return struct.pack("<Q", len(header)) + header + b"".join(tensor.data for tensor in (*inputs, *outputs))


def _described(tensor: Stored, numbers: tuple[int, ...], address: int) -> bytes:
    dtype, layout, shape, size, original, place = numbers
    return (
        _number(dtype, tensor.dtype)
        + _number(layout, tensor.layout)
        + _sizes(shape, tensor.shape)
        + _number(size, len(tensor.data))
        + _sizes(original, tensor.logical)
        + _number(place, address)
    )


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(field: int, value: int) -> bytes:
    """Zeros are left out, as proto3 does."""
    return _varint(field << 3) + _varint(value) if value else b""


def _delimited(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _sizes(field: int, sizes: Iterable[int]) -> bytes:
    return _delimited(field, _delimited(1, b"".join(map(_varint, sizes))))

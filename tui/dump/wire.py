"""The protobuf wire format, as far as an operator dump's header needs it: varints, and fields told apart by wire type.

Unknown fields are skipped by whoever reads; nothing here knows a message. What cannot be read raises `WireError`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

Value = Union[int, bytes]
"""A varint, or the bytes of a length-delimited or fixed field."""

MAX_FIELDS = 200_000
"""Fields of one message; the header of a real dump has a few hundred."""

_MAX_VARINT_BYTES = 10
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are no protobuf message."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned number that starts at `at`, and where the next thing starts.

    Raises:
        WireError: it runs past the end, or is longer than 64 bits.
    """
    value = 0
    for index, byte in enumerate(data[at : at + _MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + index + 1
    raise WireError(f"no number at byte {at}")


def fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of each field, in the order of the message.

    Raises:
        WireError: a field runs past the end, has no known wire type, or there are more than `MAX_FIELDS`.
    """
    at = count = 0
    while at < len(data):
        count += 1
        tag, at = varint(data, at)
        if tag >> 3 == 0 or count > MAX_FIELDS:
            raise WireError(f"no field at byte {at}")
        value, at = _value(data, at, tag & 7)
        yield tag >> 3, value


def _value(data: bytes, at: int, wire_type: int) -> tuple[Value, int]:
    if wire_type == _VARINT:
        return varint(data, at)
    if wire_type == _BYTES:
        length, at = varint(data, at)
    elif wire_type in (_FIXED_64, _FIXED_32):
        length = 8 if wire_type == _FIXED_64 else 4
    else:
        raise WireError(f"wire type {wire_type} at byte {at}")
    if length > len(data) - at:
        raise WireError(f"a field of {length} bytes runs past the end at byte {at}")
    return data[at : at + length], at + length


def numbers(values: Iterator[Value]) -> tuple[int, ...]:
    """A repeated number field: packed (proto3) or one field per number, or both."""
    found: list[int] = []
    for value in values:
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            found.append(number)
    return tuple(found)

"""The protobuf wire format: values by hand, and what is no message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dump_writer import delimited, number, varint
from tui.dump import wire


@pytest.mark.parametrize(
    ("data", "value"), [("00", 0), ("7f", 127), ("8001", 128), ("ac02", 300), ("ff" * 9 + "01", 2**64 - 1)]
)
def test_varint_by_hand(data: str, value: int) -> None:
    raw = bytes.fromhex(data)
    assert wire.varint(raw, 0) == (value, len(raw))


@pytest.mark.parametrize("data", ["", "80", "ff" * 10, "ff" * 30])
def test_a_varint_without_end_is_refused(data: str) -> None:
    with pytest.raises(wire.WireError):
        wire.varint(bytes.fromhex(data), 0)


def test_bits_beyond_64_are_dropped() -> None:
    assert wire.varint(bytes.fromhex("ff" * 9 + "7f"), 0) == (2**64 - 1, 10)


@given(st.integers(0, 2**64 - 1))
def test_varint_round_trip(value: int) -> None:
    assert wire.varint(varint(value), 0) == (value, len(varint(value)))


def test_fields_of_every_wire_type() -> None:
    data = number(1, 5) + delimited(2, b"ab") + b"\x19" + b"12345678" + b"\x25" + b"1234"
    assert list(wire.fields(data)) == [(1, 5), (2, b"ab"), (3, b"12345678"), (4, b"1234")]


@pytest.mark.parametrize(
    "data",
    [
        b"\x12\x05ab",  # longer than what is there
        b"\x12" + varint(2**63),  # a huge length
        b"\x0b\x01",  # groups have been out of use since proto2
        b"\x0f",
        b"\x00\x01",  # field number 0
        b"\x19123",
    ],
)
def test_damaged_fields_are_refused(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        list(wire.fields(data))


def test_the_number_of_fields_is_bounded() -> None:
    with pytest.raises(wire.WireError):
        list(wire.fields(b"\x08\x01" * (wire.MAX_FIELDS + 1)))


def test_repeated_numbers_packed_and_not() -> None:
    assert wire.numbers(iter([3, b"\x01\xac\x02", 4])) == (3, 1, 300, 4)


@given(st.binary(max_size=200))
def test_any_bytes_are_fields_or_refused(data: bytes) -> None:
    try:
        found = list(wire.fields(data))
    except wire.WireError:
        return
    assert all(field_number > 0 for field_number, _value in found)

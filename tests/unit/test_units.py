"""Quantities: parsing, exact times, thousands, shares, sizes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.units import (
    Quantity,
    delta_text,
    elapsed_text,
    exact_time_text,
    full_text,
    grouped,
    in_unit,
    number_text,
    parse_quantity,
    plain_number,
    share_text,
    size_text,
    span_text,
    time_text,
    time_unit,
    unit_label,
    without_unit,
)


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("1.5ms", "1.5", "ms"),
        ("200us", "200", "us"),
        ("200µs", "200", "us"),
        ("200 US", "200", "us"),
        ("12 %", "12", "pct"),
        ("4KiB", "4", "kb"),
        ("0.8", "0.8", ""),
        ("3 170.625", "3170.625", ""),
        ("-1e3", "-1000", ""),
        (".5s", "0.5", "s"),
    ],
)
def test_parse(text: str, number: str, unit: str) -> None:
    assert parse_quantity(text) == Quantity(Decimal(number), unit)


@pytest.mark.parametrize("text", ["ms", "1.5parsec", "1..2", "abc", "--1", "1 2x"])
def test_parse_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("1.5ms", "us", "1500"),
        ("200us", "ns", "200000"),
        ("1778463028574314.896us", "ns", "1778463028574314896"),
        ("12 %", "ratio", "0.12"),
        ("12 %", "pct", "12"),
        ("4MiB", "kb", "4096"),
        ("1800MHz", "mhz", "1800"),
        ("2GB/s", "mb_s", "2048"),
        ("7", "us", "7"),
    ],
)
def test_conversion_is_exact(text: str, unit: str, number: str) -> None:
    assert in_unit(parse_quantity(text), unit) == Decimal(number)


@pytest.mark.parametrize(("text", "unit"), [("1ms", "kb"), ("1 %", "us"), ("1KiB", "")])
def test_units_of_different_things(text: str, unit: str) -> None:
    with pytest.raises(ValueError, match="cannot be given"):
        in_unit(parse_quantity(text), unit)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("3170.625", "3 170.625"), ("999", "999"), ("1000", "1 000"), ("1234567.5", "1 234 567.5"), ("-1234", "-1 234")],
)
def test_thousands(text: str, shown: str) -> None:
    assert grouped(text) == shown


def test_numbers_keep_their_decimals_and_show_what_is_missing() -> None:
    assert number_text(3170.625, 3) == "3 170.625"
    assert number_text(0.0, 2) == "0.00"
    assert number_text(float("nan"), 2) == "–"
    assert number_text(float("inf"), 2, "ascii") == "-"
    assert full_text(7119.9688) == "7 119.9688"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3170.625, "3170.625"),
        (4294967295.0, "4294967295"),
        (1e-7, "0.0000001"),
        (1e21, "1000000000000000000000"),
        (-0.5, "-0.5"),
    ],
)
def test_plain_numbers_have_no_exponent(value: float, text: str) -> None:
    assert plain_number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_plain_numbers_read_back(value: float) -> None:
    assert float(plain_number(value)) == value


@pytest.mark.parametrize(
    ("time_ns", "unit", "decimals", "text"),
    [
        (3170625, "us", 3, "3 170.625"),
        (3170625, "ms", 3, "3.171"),
        (1500, "us", 0, "2"),
        (499, "us", 0, "0"),
        (-1500, "us", 1, "-1.5"),
        (-4, "ms", 3, "0.000"),
        (1778463028574314896, "us", 3, "1 778 463 028 574 314.896"),
        (7, "ns", 0, "7"),
    ],
)
def test_times(time_ns: int, unit: str, decimals: int, text: str) -> None:
    assert time_text(time_ns, unit, decimals) == text


@given(st.integers(-(2**62), 2**62))
def test_exact_times_lose_nothing(time_ns: int) -> None:
    assert Decimal(exact_time_text(time_ns, "ms").replace(" ", "")) * 10**6 == time_ns


def test_unit_of_a_column() -> None:
    assert [time_unit(value) for value in (0, 999, 1_000, 9_999_999, 10_000_000)] == ["us", "ns", "us", "us", "ms"]
    assert time_unit(5, "ms") == "ms"
    assert (unit_label("us"), unit_label("us", "ascii"), unit_label("gb_s"), unit_label("pct")) == (
        "µs",
        "us",
        "GB/s",
        "%",
    )


@pytest.mark.parametrize(
    ("span_ns", "text"),
    [
        (118_300_000, "118.3 ms"),
        (62_400_000, "62.40 ms"),
        (721_440, "721 µs"),
        (6_210, "6.21 µs"),
        (12, "12 ns"),
        (12_350_000_000, "12.35 s"),
        (83_000_000_000, "1 m 23 s"),
        (float("nan"), "–"),
    ],
)
def test_times_in_sentences(span_ns: float, text: str) -> None:
    assert span_text(span_ns) == text


def test_shares_sizes_durations() -> None:
    assert share_text(12.44) == "12.4 %"
    assert share_text(float("nan")) == "–"
    assert [size_text(n) for n in (0, 1023, 1024, 1_433_600, 3 << 30)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "1.4 MiB",
        "3.0 GiB",
    ]
    assert [elapsed_text(s) for s in (0.42, 45, 83, 4320)] == ["0.4 s", "45 s", "1 m 23 s", "1 h 12 m"]


@pytest.mark.parametrize(
    ("heading", "name"),
    [("Duration µs", "Duration"), ("Size KB", "Size"), ("Op Name", "Op Name"), ("µs", "µs"), ("% device", "% device")],
)
def test_a_heading_without_its_unit(heading: str, name: str) -> None:
    assert without_unit(heading) == name


@pytest.mark.parametrize(
    ("value", "text", "ascii_text"),
    [(1415.182, "+1 415.182", "+1 415.182"), (-55.36, "−55.360", "-55.360"), (0.0, "0.000", "0.000")],
)
def test_differences_have_a_sign(value: float, text: str, ascii_text: str) -> None:
    assert delta_text(value, 3) == text
    assert delta_text(value, 3, "ascii") == ascii_text

"""The time axis: steps, units, labels, the left edge, in every zoom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.ruler import axis, decimal, shown_ticks, ticks_in
from widgets.viewport import Span

MS = 1_000_000


def labels(start_ns: int, end_ns: int, width: int = 59, origin_ns: int = 0) -> list[tuple[int, str]]:
    return [(tick.column, tick.label) for tick in axis(Span(start_ns, end_ns), origin_ns, width).ticks]


def test_a_whole_trace_as_in_the_picture() -> None:
    assert labels(0, 214_600_000) == [(0, "0 ms"), (14, "50 ms"), (27, "100 ms"), (41, "150 ms"), (55, "200 ms")]


def test_a_part_has_the_time_of_its_left_edge() -> None:
    ruled = axis(Span(96_900_000, 104_600_000), 0, 59)
    assert ruled.edge == "96.9 ms"
    assert [tick.label for tick in ruled.ticks] == ["98 ms", "100 ms", "102 ms", "104 ms"]


def test_times_are_relative_to_the_origin() -> None:
    origin = 1_716_283_812_000_000_000
    assert labels(origin - 100 * MS, origin + 100 * MS, 59, origin) == [
        (0, "−100 ms"), (15, "−50 ms"), (30, "0 ms"), (44, "50 ms"),
    ]  # fmt: skip


def test_far_from_the_origin_ticks_count_from_the_exact_left_edge() -> None:
    ruled = axis(Span(5_123_097_731_000, 5_123_097_731_020), 0, 59)
    assert ruled.relative
    assert ruled.edge == "5123.097731000 s"
    assert [(tick.column, tick.label) for tick in ruled.ticks] == [(15, "+5 ns"), (30, "+10 ns"), (44, "+15 ns")]


@pytest.mark.parametrize(
    ("value", "unit", "places", "text"),
    [(1_234_567, 1_000, 1, "1234.5"), (12_345_678, 1_000, 0, "12 345"), (-1_500, 1_000, 1, "−1.5"), (7, 10**9, 9,
      "0.000000007")],
)  # fmt: skip
def test_decimals_are_exact(value: int, unit: int, places: int, text: str) -> None:
    assert decimal(value, unit, places) == text


@given(st.integers(0, 10**13), st.integers(8, 10**13), st.integers(40, 240))
def test_ticks_are_in_steps_of_1_2_5_in_one_unit(start_ns: int, length_ns: int, width: int) -> None:
    ruled = axis(Span(start_ns, start_ns + length_ns), 0, width)
    assert len(ruled.ticks) >= 2
    assert len({tick.label.rpartition(" ")[2] for tick in ruled.ticks}) == 1
    columns = [tick.column for tick in ruled.ticks]
    assert columns == sorted(columns)
    values = [float(tick.label.rpartition(" ")[0].replace(" ", "")) for tick in ruled.ticks]
    step = values[1] - values[0]
    assert f"{step:.3e}"[:5] in ("1.000", "2.000", "5.000")


@given(st.integers(0, 10**13), st.integers(30, 10**13), st.integers(59, 240))
def test_at_least_three_labels_fit(start_ns: int, length_ns: int, width: int) -> None:
    ticks = shown_ticks(axis(Span(start_ns, start_ns + length_ns), 0, width), width)
    assert sum(1 for tick in ticks if tick.label) >= 3


@given(st.integers(0, 10**13), st.integers(1, 10**13), st.integers(1, 240))
def test_labels_never_overlap(start_ns: int, length_ns: int, width: int) -> None:
    taken = 0
    for tick in shown_ticks(axis(Span(start_ns, start_ns + length_ns), 0, width), width):
        if tick.label or tick.column >= 0:
            assert max(tick.column, 0) >= taken
            taken = tick.column + 1 + len(tick.label)
    assert taken <= width


def test_no_width_has_no_ticks() -> None:
    assert axis(Span(0, 100), 0, 0).ticks == ()
    assert ticks_in(Span(0, 100), 0, 0) == ()

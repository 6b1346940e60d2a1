"""Noise band and verdict: numbers worked out by hand from the definition."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.compare.noise import (
    band_of_sum,
    bands_us,
    change,
    deltas_us,
    group_mads,
    single_change,
    verdict_codes,
)
from tui.model.comparison import VERDICTS


def one(value: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([value], np.float64)


@pytest.mark.parametrize(
    ("totals", "counts", "mads", "band"),
    [
        ((100.0, 200.0), (5, 5), (0.0, 0.0), 2.0),  # 1 % of the larger total
        ((100.0, 200.0), (4, 5), (0.0, 0.0), 6.0),  # four calls on one side: 3 %
        ((100.0, 200.0), (9, 10), (0.25, 0.75), 15.0),  # 2 × 0.75 × 10 calls
        ((0.0, 200.0), (0, 50), (0.0, 0.0), 6.0),  # only one side has it: fewer than five calls
        ((300.0, 200.0), (100, 100), (0.01, 0.0), 3.0),  # 2 × 0.01 × 100 = 2 is below 1 % of 300
    ],
)
def test_band(totals: tuple[float, float], counts: tuple[float, float], mads: tuple[float, float], band: float) -> None:
    sides = [(one(pair[0]), one(pair[1])) for pair in (totals, counts, mads)]
    assert bands_us(*sides)[0] == pytest.approx(band)
    swapped = [(pair[1], pair[0]) for pair in sides]
    assert bands_us(*swapped)[0] == bands_us(*sides)[0]


def test_median_absolute_deviation_by_hand() -> None:
    # 11.22 2.88 1.16 2.82 3.26 1.26: median 2.85; deviations 8.37 0.03 1.69 0.03 0.41 1.59, their median 1.00
    # 12.66 13.18 9.32: median 12.66; deviations 0 0.52 3.34, their median 0.52
    values = np.array([11.22, 2.88, 1.16, 2.82, 3.26, 1.26, 5.0, 12.66, 13.18, 9.32])
    assert group_mads(values, np.array([0, 6, 7, 10])).tolist() == pytest.approx([1.0, 0.0, 0.52])


def test_calls_without_a_time_are_passed_over() -> None:
    values = np.array([np.nan, 1.0, 4.0, np.nan, np.inf, 7.0, np.nan])
    assert group_mads(values, np.array([0, 4, 7])).tolist() == [1.5, 0.0]
    assert group_mads(np.zeros(0), np.array([0])).tolist() == []


times = st.one_of(st.integers(0, 10**9).map(lambda ns: ns / 1000.0), st.floats(0, 1e12))


@settings(max_examples=60)
@given(st.lists(st.lists(times, min_size=1, max_size=6), min_size=1, max_size=8))
def test_any_groups_agree_with_the_plain_way(groups: list[list[float]]) -> None:
    starts = np.concatenate(([0], np.cumsum([len(group) for group in groups])))
    found = group_mads(np.array([value for group in groups for value in group]), starts)
    for group, mad in zip(groups, found.tolist()):
        middle = statistics.median(group)
        largest = max(value for each in groups for value in each)
        expected = statistics.median(abs(value - middle) for value in group)
        assert mad == pytest.approx(expected, rel=1e-9, abs=max(1e-8, largest * 1e-12))


def test_huge_times_lose_decimals_but_not_their_order() -> None:
    values = np.array([1e18, 3e18, 9e18, 0.001, 0.002, 0.004])
    mads = group_mads(values, np.array([0, 3, 6]))
    assert mads[0] == pytest.approx(2e18)


@pytest.mark.parametrize(
    ("counts", "delta", "verdict"),
    [
        ((3, 3), np.nan, "incomparable"),
        ((0, 3), np.nan, "incomparable"),
        ((0, 3), 9.0, "new"),
        ((3, 0), -9.0, "gone"),
        ((3, 2), 0.0, "count_changed"),
        ((3, 3), 2.0, "same"),  # the band itself belongs to noise
        ((3, 3), -2.0, "same"),
        ((3, 3), -2.001, "faster"),
        ((3, 3), 2.001, "slower"),
    ],
)
def test_verdict_is_the_first_that_applies(counts: tuple[int, int], delta: float, verdict: str) -> None:
    codes = verdict_codes((one(counts[0]), one(counts[1])), one(delta), one(2.0))
    assert VERDICTS[int(codes[0])] == verdict


def test_differences_print_as_a_reader_would_subtract() -> None:
    assert deltas_us(one(3170.625), one(1415.182)).tolist() == [-1755.443]
    assert deltas_us(one(0.1), one(0.3)).tolist() == [0.2]


def test_sum_has_the_root_of_the_summed_squares() -> None:
    assert band_of_sum(np.array([3.0, 4.0, np.nan])) == 5.0
    assert band_of_sum(np.zeros(0)) == 0.0


def test_single_times_know_only_the_floor() -> None:
    assert single_change(100.0, 103.0).verdict == "same"  # 3 % of 103 is 3.09
    assert single_change(100.0, 103.1).verdict == "slower"
    assert single_change(100.0, 103.0, 5, 5).verdict == "slower"
    assert single_change(float("nan"), 1.0).verdict == "incomparable"


def test_percent_is_of_the_baseline() -> None:
    assert change(3170.625, 1415.182, 95.0).delta_pct == pytest.approx(-55.3658, abs=1e-4)
    assert np.isnan(change(0.0, 5.0, 0.0).delta_pct)

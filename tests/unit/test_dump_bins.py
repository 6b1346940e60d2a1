"""Round edges of histograms, and how they are written."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.dump.bins import edge_labels, round_edges

FINITE = st.floats(-1e30, 1e30, allow_nan=False, allow_infinity=False, allow_subnormal=False)


@given(FINITE, FINITE, st.integers(1, 40))
def test_edges_rise_cover_the_range_and_are_no_more_than_asked(one: float, other: float, bins: int) -> None:
    least, most = min(one, other), max(one, other)
    edges = round_edges(least, most, bins)
    assert edges[0] <= least
    assert most <= edges[-1]
    assert all(low < high for low, high in zip(edges, edges[1:]))
    assert 1 <= len(edges) - 1 <= bins + 2


@given(FINITE, FINITE, st.integers(1, 40))
def test_every_bin_has_two_labels(one: float, other: float, bins: int) -> None:
    edges = round_edges(min(one, other), max(one, other), bins)
    labels = edge_labels(edges)
    assert len(labels) == len(edges) - 1
    assert all(low and high for low, high in labels)


def test_a_bin_ends_where_float16_does() -> None:
    edges = round_edges(320.0, 109508.0, 14)
    assert edges[:2] == (0.0, 8000.0)
    assert edges[-1] == 112000.0
    [limit] = [edge for edge in edges if 65000 < edge < 66000]
    assert limit > 65504  # so that 65504 itself is in the bin below
    assert math.isclose(limit, 65504)
    assert ("56", "65.5 k") in edge_labels(edges)
    assert ("65.5", "72 k") in edge_labels(edges)


@pytest.mark.parametrize(
    ("least", "most", "bins", "first", "last"),
    [
        (0.0, 1.0, 12, ("0", "0.1"), ("0.9", "1")),
        (-3.2, 4.7, 12, ("−3.2", "−2.4"), ("4", "4.8")),
        (1e-7, 3e-6, 12, ("0", "0.25 e-6"), ("2.75", "3 e-6")),
        (-1e9, 5e8, 12, ("−1", "−0.8 e9"), ("0.4", "0.6 e9")),
        (5.0, 5.0, 10, ("2.5", "3"), ("7", "7.5")),
    ],
)
def test_labels(least: float, most: float, bins: int, first: tuple[str, str], last: tuple[str, str]) -> None:
    labels = edge_labels(round_edges(least, most, bins))
    assert labels[0] == first
    assert labels[-1] == last

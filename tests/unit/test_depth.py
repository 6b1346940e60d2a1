"""Nesting depth, own time and overlap against a plain event by event account."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.model.depth import Nesting, nesting

Spans = list[tuple[int, int]]


def in_order(spans: Spans) -> Spans:
    """(start, end) pairs in the order of a track."""
    return sorted(spans, key=lambda span: (span[0], -(span[1] - span[0])))


def found(spans: Spans) -> Nesting:
    start = np.array([span[0] for span in spans], np.int64)
    return nesting(start, np.array([span[1] for span in spans], np.int64) - start)


def plain_depths(spans: Spans) -> list[int]:
    """Open events with an end not after the start are closed first; the depth counts those that are left."""
    depths: list[int] = []
    open_ends: list[int] = []
    for start, end in spans:
        open_ends = [other for other in open_ends if other > start]
        depths.append(len(open_ends))
        open_ends.append(end)
    return depths


def plain_own_times(spans: Spans) -> list[int]:
    """Every unit of time belongs to the last event that began and has not ended."""
    own = [0] * len(spans)
    for moment in range(max(end for _start, end in spans)):
        running = [i for i, (start, end) in enumerate(spans) if start <= moment < end]
        if running:
            own[running[-1]] += 1
    return own


def plain_overlaps(spans: Spans) -> list[int]:
    return [
        int(any(spans[j][0] <= start < spans[j][1] < end for j in range(i))) for i, (start, end) in enumerate(spans)
    ]


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 12)), min_size=1, max_size=30))
def test_any_events_agree_with_a_plain_account(pairs: list[tuple[int, int]]) -> None:
    spans = in_order([(start, start + length) for start, length in pairs])
    result = found(spans)
    assert result.depth.tolist() == plain_depths(spans)
    assert result.self_ns.tolist() == plain_own_times(spans) if max(end for _s, end in spans) else True
    assert result.overlap.tolist() == plain_overlaps(spans)
    for index, parent in enumerate(result.parent.tolist()):
        open_before = [j for j in range(index) if spans[j][1] > spans[index][0]]
        assert parent == (open_before[-1] if open_before else -1)


def test_nested_calls() -> None:
    result = found([(0, 100), (10, 40), (20, 30), (50, 60), (100, 120)])
    assert result.depth.tolist() == [0, 1, 2, 1, 0]
    assert result.parent.tolist() == [-1, 0, 1, 0, -1]
    assert result.self_ns.tolist() == [60, 20, 10, 10, 20]
    assert result.overlap.tolist() == [0, 0, 0, 0, 0]


def test_marks_at_one_moment_do_not_nest_in_each_other() -> None:
    result = found([(5, 9), (5, 5), (5, 5), (9, 9)])
    assert result.depth.tolist() == [0, 1, 1, 0]
    assert result.self_ns.tolist() == [4, 0, 0, 0]


def test_an_event_that_outlives_its_elder_is_marked() -> None:
    result = found([(0, 10), (5, 20), (12, 30)])
    assert result.depth.tolist() == [0, 1, 1]
    assert result.overlap.tolist() == [0, 1, 1]
    assert result.self_ns.tolist() == [5, 7, 18]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_events(count: int) -> None:
    result = found([(index * 2, index * 2 + 1) for index in range(count)])
    assert result.depth.tolist() == [0] * count
    assert result.parent.tolist() == [-1] * count


def test_deep_nesting_and_long_times_stay_exact() -> None:
    deep = 3000
    spans = [(index, (1 << 61) - index) for index in range(deep)]
    result = found(spans)
    assert result.depth.tolist() == list(range(deep))
    assert result.self_ns[:-1].tolist() == [2] * (deep - 1)
    assert int(result.self_ns[-1]) == (1 << 61) - 2 * (deep - 1)


def test_many_siblings_after_one_that_crosses() -> None:
    siblings = [(index * 10, index * 10 + 10) for index in range(1, 5000)]
    spans = in_order([(0, 50_000), (5, 12), *siblings])
    result = found(spans)
    assert int(result.depth.max()) == 2
    assert int(result.self_ns.sum()) == 50_000
    assert result.overlap.tolist().count(1) == 1

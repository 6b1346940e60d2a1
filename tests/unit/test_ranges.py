"""Figures of a range, and the windows to fit."""

from __future__ import annotations

from tests.timelines import make_timeline
from tui.model.lanes import lane_groups
from tui.model.lod import Rows
from tui.model.ranges import LaneRange, dense_window, lane_range, whole_window
from tui.model.timeline import empty_timeline


def test_a_range_of_nested_events() -> None:
    timeline = make_timeline([("a", "outer", 0, 100), ("a", "inner", 10, 30), ("a", "next", 150, 10)])
    rows = Rows.build(timeline)
    lane = lane_groups(timeline, rows)[0].lanes[0]
    assert lane_range(rows, lane, 20, 155) == LaneRange(events=3, wall_ns=85, sum_ns=105)
    assert lane_range(rows, lane, 110, 140) == LaneRange(0, 0, 0)


def test_a_range_of_events_that_overlap() -> None:
    timeline = make_timeline([("a", "first", 0, 100), ("a", "second", 50, 100)])
    rows = Rows.build(timeline)
    lane = lane_groups(timeline, rows)[0].lanes[0]
    assert lane_range(rows, lane, 40, 120) == LaneRange(events=2, wall_ns=80, sum_ns=130)


def test_the_dense_part_leaves_out_far_outliers_and_counts_them() -> None:
    events = [("a", "x", 1_000_000 + 10 * place, 5) for place in range(2000)]
    timeline = make_timeline([("a", "early", 0, 1), *events])
    window = dense_window(timeline)
    assert (window.start_ns, window.end_ns) == (1_000_000, 1_000_000 + 10 * 1998 + 5 + 1)
    assert window.outside == 2
    assert whole_window(timeline).start_ns == 0


def test_the_edges_of_an_even_timeline_are_not_cut_off() -> None:
    timeline = make_timeline([("a", "x", 10 * place, 5) for place in range(2000)])
    assert dense_window(timeline) == whole_window(timeline)
    assert whole_window(timeline).end_ns == 19_996


def test_nothing_to_fit() -> None:
    assert dense_window(empty_timeline()) == whole_window(empty_timeline())

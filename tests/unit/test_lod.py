"""What the cells of a timeline show, against a plain count; and the flat rows below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timelines import Lane, Slice, event_named, make_timeline
from tui.model.lod import Bins, Rows, namesakes
from tui.model.stacking import MOST_OVERFLOW_ROWS, first_fit
from tui.model.timeline import Timeline, empty_timeline

CANN = Lane("7", "acl", "CANN", device="")

slices = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["x", "y"]),
        st.integers(0, 120),
        st.one_of(st.integers(0, 6), st.integers(0, 60)),
    ),
    max_size=60,
)


def members(rows: Rows, timeline: Timeline, row: int) -> list[tuple[int, int, int]]:
    """(event, start, end) of a row as drawn: cut ends included."""
    starts, ends = rows.span(row)
    return list(zip(rows.events(row).tolist(), starts.tolist(), ends.tolist()))


def cell_by_hand(events: list[tuple[int, int, int]], low: int, high: int) -> tuple[int, ...]:
    """(event, first, last, count, busy) of the cell [low, high) by the definitions."""
    found: list[tuple[int, int, int, int, int]] = []
    for event, start, end in events:
        touches = low <= start < high if start == end else start < high and end > low
        if touches:
            cover = max(0, min(end, high) - max(start, low))
            found.append((cover, end - start, -start, -len(found), event))
    outer = (found[0][4], found[-1][4]) if found else (-1, -1)
    return (max(found)[4] if found else -1), *outer, len(found), sum(item[0] for item in found)


def cell(bins: Bins, row: int, place: int) -> tuple[int, ...]:
    grids = (bins.event, bins.first, bins.last, bins.count, bins.busy_ns)
    return tuple(int(grid[row, place]) for grid in grids)


@settings(max_examples=150)
@given(slices, st.integers(-10, 130), st.integers(1, 200), st.integers(1, 40))
def test_cells_agree_with_a_plain_count(
    events: list[tuple[str, str, int, int]], start: int, length: int, width: int
) -> None:
    timeline = make_timeline(events)
    rows = Rows.build(timeline)
    every = range(len(rows.rows))
    bins = rows.bins(every, start, start + length, width)
    for row in every:
        drawn = members(rows, timeline, row)
        for place in range(width):
            low = start + length * place // width
            high = max(start + length * (place + 1) // width, low + 1)
            assert cell(bins, row, place) == cell_by_hand(drawn, low, high)
            assert bins.busy_ns[row, place] <= bins.width_ns[place] == high - low


@settings(max_examples=40)
@given(st.data(), st.integers(40, 400), st.integers(1, 12))
def test_long_rows_use_whole_blocks_and_still_agree(data: st.DataObject, count: int, width: int) -> None:
    seed = data.draw(st.integers(0, 10_000))
    random = np.random.default_rng(seed)
    durations = random.integers(0, 9, count)
    starts = np.cumsum(durations + random.integers(0, 5, count)) - durations
    timeline = make_timeline([("a", "x", int(s), int(d)) for s, d in zip(starts, durations)])
    rows = Rows.build(timeline)
    low, high = int(starts[0]), int(starts[-1]) + 20
    begin = data.draw(st.integers(low - 5, high))
    end = data.draw(st.integers(begin + width, high + width))
    bins = rows.bins(range(len(rows.rows)), begin, end, width)
    for row in range(len(rows.rows)):
        drawn = members(rows, timeline, row)
        for place in range(width):
            edges = (begin + (end - begin) * place // width, begin + (end - begin) * (place + 1) // width)
            assert cell(bins, row, place) == cell_by_hand(drawn, *edges)


@settings(max_examples=100)
@given(slices)
def test_every_event_lies_on_one_row_and_rows_do_not_overlap(events: list[tuple[str, str, int, int]]) -> None:
    timeline = make_timeline(events)
    rows = Rows.build(timeline)
    assert sorted(rows.event.tolist()) == list(range(len(events)))
    for row, info in enumerate(rows.rows):
        starts, ends = rows.span(row)
        assert (starts[1:] >= ends[:-1]).all()
        assert all(timeline.track_id[event] == info.track for event in rows.events(row).tolist())
        if not info.overflow and not timeline.overlap.any():
            assert all(timeline.depth[event] == info.depth for event in rows.events(row).tolist())


@settings(max_examples=60)
@given(slices, st.integers(0, 100), st.integers(4, 80), st.integers(2, 12))
def test_zooming_in_loses_no_event(
    events: list[tuple[str, str, int, int]], start: int, length: int, width: int
) -> None:
    """What touches the left half of a window is counted in the window, and in the halves of its cells."""
    rows = Rows.build(make_timeline(events))
    every = range(len(rows.rows))
    whole = rows.bins(every, start, start + 2 * length, 2 * width)
    half = rows.bins(every, start, start + length, width)
    halved = rows.bins(every, start, start + length, 2 * width)
    assert ((half.count > 0) == (whole.count[:, :width] > 0)).all()
    if length >= 2 * width and length % (2 * width) == 0:
        pairs = halved.count.reshape(len(rows.rows), width, 2)
        assert ((pairs.sum(axis=2) > 0) == (half.count > 0)).all()
        assert (halved.busy_ns.reshape(pairs.shape).sum(axis=2) == half.busy_ns).all()


def test_a_long_event_is_not_hidden_behind_short_ones() -> None:
    short = [("a", "short", 100 + 2 * place, 1) for place in range(200)]
    timeline = make_timeline([*short, ("a", "long", 500, 90)])
    rows = Rows.build(timeline)
    bins = rows.bins([0], 0, 1000, 1)
    assert timeline.name(int(bins.event[0, 0])) == "long"
    assert bins.count[0, 0] == 201
    assert bins.busy_ns[0, 0] == 290


def test_equal_cover_goes_to_the_longer_event_then_to_the_earlier() -> None:
    timeline = make_timeline([("a", "tail", 0, 15), ("a", "whole", 15, 5), ("a", "next", 20, 5)])
    rows = Rows.build(timeline)
    assert timeline.name(int(rows.bins([0], 10, 20, 1).event[0, 0])) == "tail"
    assert timeline.name(int(rows.bins([0], 15, 25, 1).event[0, 0])) == "whole"


def test_an_event_without_duration_is_seen_but_covers_nothing() -> None:
    timeline = make_timeline([("a", "mark", 50, 0)])
    bins = Rows.build(timeline).bins([0], 0, 100, 10)
    assert bins.event[0].tolist() == [-1] * 5 + [0] + [-1] * 4
    assert bins.count[0].sum() == 1
    assert bins.busy_ns.sum() == 0


def test_a_window_shorter_than_its_cells_repeats_single_ns() -> None:
    timeline = make_timeline([("a", "x", 10, 2)])
    bins = Rows.build(timeline).bins([0], 9, 13, 8)
    assert bins.event[0].tolist() == [-1, -1, 0, 0, 0, 0, -1, -1]
    assert set(bins.width_ns.tolist()) == {1}


def test_times_of_today_and_a_window_of_a_century_stay_exact() -> None:
    now = 1_717_575_960_208_020_758
    timeline = make_timeline([("a", "first", 0, 1), ("a", "x", now, 3), ("a", "y", now + 4, 1)])
    rows = Rows.build(timeline)
    bins = rows.bins([0], now, now + 6, 6)
    assert [timeline.name(event) if event >= 0 else "" for event in bins.event[0].tolist()] == [
        "x", "x", "x", "", "y", "",
    ]  # fmt: skip
    assert rows.bins([0], 0, now + 6, 200).count.sum() == 3


def test_no_events_and_no_rows() -> None:
    rows = Rows.build(empty_timeline())
    assert rows.bins([], 0, 10, 5).event.shape == (0, 5)
    assert rows.rows == ()


def test_overlapping_events_go_to_extra_rows() -> None:
    timeline = make_timeline(
        [
            ("a", "first", 0, 10),
            ("a", "second", 5, 10),
            ("a", "inner", 1, 2),
            ("a", "third", 12, 9),
            ("a", "last", 30, 1),
        ]
    )
    rows = Rows.build(timeline)
    placed = {timeline.name(int(rows.events(row)[0])): info for row, info in enumerate(rows.rows)}
    assert (placed["first"].depth, placed["first"].overflow) == (0, False)
    assert (placed["inner"].depth, placed["inner"].overflow) == (1, False)
    assert placed["second"].overflow
    assert rows.at(0, 12) == event_named(timeline, "third"), "its row is free again, so it is no overflow"
    assert len(rows.rows) == 3


def test_more_overlaps_than_rows_are_cut_but_all_counted() -> None:
    count = MOST_OVERFLOW_ROWS + 10
    timeline = make_timeline([("a", f"n{place}", 10 * place, 1000) for place in range(count)])
    rows = Rows.build(timeline)
    assert len(rows.rows) == MOST_OVERFLOW_ROWS + 2
    bins = rows.bins(range(len(rows.rows)), 0, 5000, 1)
    assert bins.count.sum() == count
    assert (bins.busy_ns <= 5000).all()


def test_levels_of_one_process_are_stacked_each_by_itself() -> None:
    timeline = make_timeline(
        [
            Slice("7", "AscendCL@aclmdlExecute", 0, 100),
            Slice("7", "Model@Execute", 10, 80),
            Slice("7", "Node@launch", 20, 10),
            Slice("7", "Runtime@rtKernelLaunch", 22, 8),
            Slice("7", "Runtime@rtStreamSynchronize", 100, 50),
            Slice("7", "AscendCL@aclrtMemcpy", 160, 10),
            Slice("7", "AscendCL@inner", 162, 3),
            Slice("7", "odd", 170, 3),
        ],
        [CANN],
    )
    rows = Rows.build(timeline)
    names = {
        (info.level, info.depth): [timeline.name(int(event)) for event in rows.events(row)]
        for row, info in enumerate(rows.rows)
    }
    assert names == {
        (1, 0): ["AscendCL@aclmdlExecute", "AscendCL@aclrtMemcpy"],
        (1, 1): ["AscendCL@inner"],
        (2, 0): ["Model@Execute"],
        (3, 0): ["Node@launch"],
        (5, 0): ["Runtime@rtKernelLaunch", "Runtime@rtStreamSynchronize"],
        (6, 0): ["odd"],
    }


def test_a_child_that_ends_one_ns_late_is_still_nested() -> None:
    timeline = make_timeline(
        [Slice("7", "AscendCL@outer", 0, 10), Slice("7", "AscendCL@inner", 5, 6), Slice("7", "AscendCL@next", 11, 3)],
        [CANN],
    )
    assert not any(info.overflow for info in Rows.build(timeline).rows)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), min_size=1, max_size=50))
def test_first_fit_takes_the_lowest_free_row(pairs: list[tuple[int, int]]) -> None:
    pairs = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    starts = np.array([start for start, _length in pairs], np.int64)
    ends = starts + np.array([length for _start, length in pairs], np.int64)
    free: list[int] = []
    wanted = []
    for start, end in zip(starts.tolist(), ends.tolist()):
        row = next((row for row, until in enumerate(free) if until <= start), len(free))
        free[row : row + 1] = [end]
        wanted.append(row)
    assert first_fit(starts, ends, 99).tolist() == wanted


def test_rows_survive_a_store() -> None:
    rows = Rows.build(make_timeline([("a", "x", 0, 10), ("a", "y", 5, 10), ("b", "z", 3, 1)]))
    again = Rows.from_arrays(rows.arrays())
    assert again.rows == rows.rows
    assert (again.bins([0, 1, 2], 0, 20, 7).event == rows.bins([0, 1, 2], 0, 20, 7).event).all()


@pytest.fixture
def stream() -> tuple[Timeline, Rows]:
    timeline = make_timeline(
        [("a", "p", 10, 5), ("a", "q", 20, 0), ("a", "p", 30, 10), ("a", "r", 40, 5), ("a", "p", 60, 1)]
    )
    return timeline, Rows.build(timeline)


def test_the_cursor_walks_along_a_row(stream: tuple[Timeline, Rows]) -> None:
    _timeline, rows = stream
    assert [rows.at(0, time) for time in (9, 10, 14, 15, 20, 30, 39, 40, 61)] == [-1, 0, 0, -1, 1, 2, 2, 3, -1]
    assert [rows.next_event(0, time) for time in (0, 10, 59, 60)] == [0, 1, 4, -1]
    assert [rows.previous_event(0, time) for time in (10, 11, 100)] == [-1, 0, 4]
    row, slot = rows.place_of(2, 0, 30)
    assert (row, rows.neighbour(row, slot, 1), rows.neighbour(row, slot, -9)) == (0, 3, 0)
    with pytest.raises(LookupError):
        rows.place_of(2, 5, 30)


def test_gaps_of_a_window_are_whole(stream: tuple[Timeline, Rows]) -> None:
    _timeline, rows = stream
    gaps = rows.gaps(0, 17, 50)
    assert list(zip(gaps.starts.tolist(), gaps.ends.tolist())) == [(15, 20), (20, 30), (45, 60)]
    assert rows.gaps(0, 100, 200).total_ns == 0
    edges = rows.gaps(0, 0, 12, bounds=(5, 90))
    assert list(zip(edges.starts.tolist(), edges.ends.tolist())) == [(5, 10)]
    edges = rows.gaps(0, 62, 70, bounds=(5, 90))
    assert list(zip(edges.starts.tolist(), edges.ends.tolist())) == [(61, 90)]


def test_busy_time_and_longest_events_of_a_window(stream: tuple[Timeline, Rows]) -> None:
    timeline, rows = stream
    assert rows.busy_ns(0, 12, 35) == 3 + 5
    assert [timeline.name(event) for event in rows.longest_in(0, 0, 100, 3)] == ["p", "p", "r"]
    assert rows.longest_in(0, 0, 100, 3)[0] == 2


def test_namesakes_outside_of_the_window(stream: tuple[Timeline, Rows]) -> None:
    timeline, rows = stream
    same = namesakes(timeline, rows, [0], event_named(timeline, "p"))
    assert same.events.tolist() == [0, 2, 4]
    assert same.outside(16, 35) == (1, 1)
    assert same.outside(14, 61) == (0, 0)
    assert (same.beside(2, 1), same.beside(2, -1), same.beside(4, 1)) == (4, 0, -1)

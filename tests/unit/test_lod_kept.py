"""Rows of some of the events: the same answers as rows made of nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import Slice, make_timeline
from tui.model.intervals import merged
from tui.model.lanes import lane_busy
from tui.model.lod import Rows

SPANS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60), st.booleans()), min_size=1, max_size=60)


@given(SPANS, st.integers(0, 100), st.integers(1, 20))
def test_bins_and_busy_time_are_those_of_the_events_kept(
    spans: list[tuple[int, int, bool]], start: int, width: int
) -> None:
    timeline = make_timeline([Slice("s", f"{n}", begin, length) for n, (begin, length, _keep) in enumerate(spans)])
    keep = {str(n) for n, (_begin, _length, kept) in enumerate(spans) if kept}
    mask = np.array([timeline.name(event) in keep for event in range(len(timeline))], np.bool_)
    rows = Rows.build(timeline).kept(mask)
    events = np.flatnonzero(mask)
    assert sorted(rows.event.tolist()) == events.tolist()
    starts = timeline.start_ns[events]
    ends = starts + timeline.dur_ns[events]
    busy = lane_busy(rows, range(len(rows.rows)))
    assert busy.total_ns == merged(starts, ends).total_ns
    found = rows.bins(range(len(rows.rows)), start, start + 100, width)
    for cell in range(width):
        left, right = start + 100 * cell // width, start + 100 * (cell + 1) // width
        inside = np.clip(ends, left, right) - np.clip(starts, left, right)
        assert int(found.busy_ns[:, cell].sum()) == int(inside.sum())
        touching = events[((starts < right) & (ends > left)) | ((starts == ends) & (starts >= left) & (starts < right))]
        assert int(found.count[:, cell].sum()) == len(touching)


def test_nothing_kept() -> None:
    timeline = make_timeline([Slice("s", "a", 0, 5)])
    rows = Rows.build(timeline).kept(np.zeros(1, np.bool_))
    assert rows.rows == ()
    assert len(rows.event) == 0


def test_a_row_below_one_that_is_gone_becomes_the_first() -> None:
    timeline = make_timeline([Slice("s", "outer", 0, 100), Slice("s", "inner", 10, 20), Slice("s", "last", 40, 50)])
    rows = Rows.build(timeline).kept(np.array([False, True, True]))
    (row,) = rows.rows
    assert (row.depth, row.overflow) == (0, False)
    assert rows.at(0, 15) == 1
    assert rows.at(0, 35) == -1

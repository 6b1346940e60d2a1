"""Places the events of a timeline on flat rows: on one row no two events overlap, so a row can be searched.

A lane is a track, or one level of a track that merges several. Nested events of a lane lie on rows by their depth;
those that overlap a neighbour without nesting lie on extra rows below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tui.model.levels import level_codes

if TYPE_CHECKING:
    from tui.model.timeline import Timeline

MOST_OVERFLOW_ROWS = 32
"""Events beyond this many overlapping at a time share one last row, each cut where the next begins."""
_DEEPEST_ROW = 255
_MOST_NESTED_ROWS = 64
_NESTING_SLACK_NS = 1
"""Rounding to ns lets a child end this much after its parent."""

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """One flat row of a lane."""

    track: int
    """Index of its track in `Timeline.tracks`."""
    level: int
    """Level code (`tui.model.levels`); 0 for a track that is not split."""
    depth: int
    """Place in its lane: 0 is outermost; overflow rows count on from 0 again."""
    overflow: bool
    """True for a row of events that overlap others without nesting."""
    first: int
    """Half-open range of its slots in the row order."""
    last: int


@dataclass(frozen=True)
class Stacking:
    """All events in row order: row after row, each by start."""

    rows: tuple[Row, ...]
    """By track, level, overflow, depth; only rows that hold events."""
    event: NDArray[np.int32]
    """Shape (events,): index of the event in the timeline."""


def stacked(timeline: Timeline) -> Stacking:
    """Assigns each event its row. No event is left out."""
    levels = level_codes(timeline)
    depth = np.minimum(timeline.depth, _DEEPEST_ROW).astype(np.int32)
    over = np.zeros(len(depth), np.bool_)
    for lane in (*_split_lanes(timeline, levels), *_tangled(timeline, levels)):
        depth[lane], over[lane] = _depths(timeline.start_ns[lane], timeline.dur_ns[lane])
    lanes = np.asarray(timeline.track_id, np.int64) * 8 + levels
    depth[over] = 0
    order, bounds = _ordered(lanes, over, depth)
    clashing = _clashes(timeline, order, bounds)
    if len(clashing):
        over[clashing] = True
    for lane in _overflow_lanes(lanes, over):
        starts, ends = timeline.start_ns[lane], timeline.start_ns[lane] + timeline.dur_ns[lane]
        depth[lane] = first_fit(starts, ends, MOST_OVERFLOW_ROWS)
    if over.any():
        order, bounds = _ordered(lanes, over, depth)
    return Stacking(tuple(_row_infos(order, bounds, lanes, over, depth)), order.astype(np.int32))


def first_fit(starts: Times, ends: Times, most: int) -> NDArray[np.int32]:
    """Lowest row that is free, for events sorted by start; nested events get their depth.

    Row `most` takes all that is left when `most` rows are full, overlapping or not.
    """
    rows = np.zeros(len(starts), np.int32)
    left = np.arange(len(starts))
    for row in range(most):
        rows[left] = row
        left = left[~_chain(starts[left], ends[left])]
        if not len(left):
            return rows
    rows[left] = most
    return rows


def _chain(starts: Times, ends: Times) -> NDArray[np.bool_]:
    """Mask of the events that one row takes: the first, then always the next that starts at or after its end.

    Where all earlier events have ended the row is free whatever was taken, so chains start there side by side; each
    is followed by doubling the stride.
    """
    reach = np.maximum.accumulate(ends)
    taken = np.concatenate((np.ones(1, np.bool_), starts[1:] >= reach[:-1], np.ones(1, np.bool_)))
    heads = np.flatnonzero(taken)
    longest = int(np.diff(heads).max()) if len(heads) > 1 else 0
    count = len(starts)
    jump = np.append(np.maximum(np.searchsorted(starts, ends, side="left"), np.arange(1, count + 1)), count)
    for _ in range(max(longest - 1, 0).bit_length()):
        taken[jump[taken]] = True
        jump = jump[jump]
    return taken[:-1]


def _depths(starts: Times, durations: Times) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """(depth, overlaps without nesting) of events by start."""
    ends = starts + durations
    depth = first_fit(starts, ends, _MOST_NESTED_ROWS)
    over = depth >= _MOST_NESTED_ROWS
    above = np.flatnonzero(depth == 0)
    for row in range(1, int(depth.max()) + 1 if len(depth) else 0):
        mine = np.flatnonzero(depth == row)
        parents = above[np.searchsorted(starts[above], starts[mine], side="right") - 1]
        over[mine] |= ends[mine] > ends[parents] + _NESTING_SLACK_NS
        above = mine
    return depth, over


def _split_lanes(timeline: Timeline, levels: NDArray[np.uint8]) -> Iterator[NDArray[np.intp]]:
    """Events of each lane that is one level of a track."""
    for track in timeline.tracks:
        mine = levels[track.first : track.last]
        if len(mine) and mine[0]:
            for level in np.flatnonzero(np.bincount(mine)).tolist():
                yield track.first + np.flatnonzero(mine == level)


def _tangled(timeline: Timeline, levels: NDArray[np.uint8]) -> Iterator[NDArray[np.intp]]:
    """Events of the other tracks that stand below an outermost one together with some that do not nest."""
    for track in timeline.tracks:
        mine = slice(track.first, track.last)
        overlap = np.asarray(timeline.overlap[mine], np.bool_)
        if overlap.any() and not levels[track.first]:
            family = np.cumsum(timeline.depth[mine] == 0)
            tangled = np.zeros(int(family[-1]) + 1, np.bool_)
            tangled[family[overlap]] = True
            yield track.first + np.flatnonzero(tangled[family])


def _overflow_lanes(lanes: Times, over: NDArray[np.bool_]) -> Iterator[NDArray[np.intp]]:
    events = np.flatnonzero(over)
    order = np.argsort(lanes[events], kind="stable")
    ordered = lanes[events[order]]
    yield from (part for part in np.split(events[order], np.flatnonzero(np.diff(ordered)) + 1) if len(part))


def _ordered(
    lanes: Times, over: NDArray[np.bool_], depth: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(events by row, first slot of each row and the end)."""
    deepest = int(depth.max()) + 1 if len(depth) else 1
    keys = (lanes * 2 + over) * deepest + depth
    present = np.zeros(int(keys.max()) + 1 if len(keys) else 1, np.bool_)
    present[keys] = True
    rank = (np.cumsum(present) - 1).astype(np.uint16 if present.sum() <= 0xFFFF else np.int64)
    ranks = rank[keys]
    order = np.argsort(ranks, kind="stable")
    counts = np.bincount(ranks) if len(ranks) else np.zeros(0, np.intp)
    return order, np.concatenate(([0], np.cumsum(counts))).astype(np.intp)


def _clashes(timeline: Timeline, order: NDArray[np.intp], bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    """Events that overlap an earlier one of the row they were put on."""
    starts = timeline.start_ns[order]
    ends = starts + timeline.dur_ns[order]
    if len(order) < 2:
        return np.zeros(0, np.intp)
    hit = starts[1:] < ends[:-1]
    hit[bounds[1:-1] - 1] = False
    rows = np.unique(np.searchsorted(bounds, np.flatnonzero(hit), side="right") - 1)
    found = []
    for first, last in zip(bounds[rows].tolist(), bounds[rows + 1].tolist()):
        reach = np.maximum.accumulate(ends[first:last])
        found.append(order[first + 1 + np.flatnonzero(starts[first + 1 : last] < reach[:-1])])
    return np.concatenate(found) if found else np.zeros(0, np.intp)


def _row_infos(
    order: NDArray[np.intp],
    bounds: NDArray[np.intp],
    lanes: Times,
    over: NDArray[np.bool_],
    depth: NDArray[np.int32],
) -> Iterator[Row]:
    firsts = bounds[:-1]
    heads = order[firsts]
    facts = zip(
        lanes[heads].tolist(), over[heads].tolist(), depth[heads].tolist(), firsts.tolist(), bounds[1:].tolist()
    )
    for lane, overflow, place, first, last in facts:
        yield Row(lane >> 3, lane & 7, place, overflow, first, last)

"""Live figures of a time range, and the windows that `0` fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.model.intervals import clipped, union_ns
from tui.model.lanes import Lane
from tui.model.lod import Rows
from tui.model.timeline import Timeline

DENSE_SHARE = 0.999
"""`0` first fits the shortest window that holds this share of all events …"""
_WORTH_CUTTING = 0.5
"""… if that leaves out more than this part of the whole; nothing is gained by cutting off its edges."""
_SAMPLE = 1_000_000


@dataclass(frozen=True)
class LaneRange:
    """What a lane holds of a range; events that reach beyond count with their part inside."""

    events: int
    wall_ns: int
    """Time that at least one event covers."""
    sum_ns: int


@dataclass(frozen=True)
class Window:
    """A part of the time axis."""

    start_ns: int
    end_ns: int
    """First ns after it."""
    outside: int = 0
    """Events that begin out of it."""


def lane_range(rows: Rows, lane: Lane, start_ns: int, end_ns: int) -> LaneRange:
    """Figures of one lane in [start_ns, end_ns); O(log events) unless the lane has events that do not nest."""
    if not lane.rows:
        return LaneRange(0, 0, 0)
    cells = rows.bins(lane.rows, start_ns, max(end_ns, start_ns + 1), 1)
    events, total = int(cells.count.sum()), int(cells.busy_ns.sum())
    outer = [row for row in lane.rows if rows.rows[row].depth == 0 or rows.rows[row].overflow]
    if len(outer) == 1:
        return LaneRange(events, int(cells.busy_ns[lane.rows.index(outer[0]), 0]), total)
    return LaneRange(events, _covered(rows, outer, start_ns, end_ns), total)


def _covered(rows: Rows, outer: Sequence[int], start_ns: int, end_ns: int) -> int:
    slots = [rows.window(row, start_ns, end_ns) for row in outer]
    starts = np.concatenate([rows.starts[part] for part in slots])
    ends = starts + np.concatenate([rows.durations[part] for part in slots])
    return union_ns(*clipped(starts, ends, start_ns, end_ns))


def whole_window(timeline: Timeline) -> Window:
    """Everything, the last instant included."""
    return Window(timeline.start_ns_min, timeline.end_ns_max + 1)


def begun_within(timeline: Timeline, window: tuple[int, int]) -> int:
    """How many events begin within (start, end)."""
    starts = (timeline.start_ns[track.first : track.last] for track in timeline.tracks)
    return sum(int(np.diff(np.searchsorted(of_track, window))[0]) for of_track in starts)


def dense_window(timeline: Timeline) -> Window:
    """The shortest window that holds 99.9 % of the events; the whole when there are no far outliers."""
    whole = whole_window(timeline)
    starts = np.sort(timeline.start_ns[:: len(timeline) // _SAMPLE + 1])
    wanted = int(np.ceil(len(starts) * DENSE_SHARE))
    if not wanted:
        return whole
    place = int(np.argmin(starts[wanted - 1 :] - starts[: len(starts) - wanted + 1]))
    start, last = int(starts[place]), int(starts[place + wanted - 1])
    inside = (timeline.start_ns >= start) & (timeline.start_ns <= last)
    end = int((timeline.start_ns[inside] + timeline.dur_ns[inside]).max()) + 1
    if end - start > (whole.end_ns - whole.start_ns) * _WORTH_CUTTING:
        return whole
    return Window(start, end, len(timeline) - int(inside.sum()))

"""Sets of time intervals: union, gaps, difference. All arrays int64 ns, intervals half open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]


class Intervals(NamedTuple):
    """Disjoint intervals in ascending order."""

    starts: Times
    ends: Times

    @property
    def total_ns(self) -> int:
        """Length of all of them."""
        return int((self.ends - self.starts).sum())


def merged(starts: Times, ends: Times) -> Intervals:
    """The union of intervals in any order; touching ones become one, empty ones vanish."""
    full = ends > starts
    starts, ends = starts[full], ends[full]
    if not len(starts):
        return Intervals(np.zeros(0, np.int64), np.zeros(0, np.int64))
    if (starts[1:] < starts[:-1]).any():
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], ends[order]
    reach = np.maximum.accumulate(ends)
    fresh = np.flatnonzero(starts[1:] > reach[:-1]) + 1
    return Intervals(starts[np.concatenate(([0], fresh))], reach[np.concatenate((fresh - 1, [len(reach) - 1]))])


def clipped(starts: Times, ends: Times, start_ns: int, end_ns: int) -> tuple[Times, Times]:
    """The parts of intervals inside a window; what lies outside becomes empty."""
    return np.clip(starts, start_ns, end_ns), np.clip(ends, start_ns, end_ns)


def union_ns(starts: Times, ends: Times) -> int:
    """Time covered by at least one interval."""
    return merged(starts, ends).total_ns


def gaps_within(busy: Intervals, start_ns: int, end_ns: int) -> Intervals:
    """What a union leaves free of a window that holds all of it."""
    starts = np.concatenate((np.array([start_ns], np.int64), busy.ends))
    ends = np.concatenate((busy.starts, np.array([end_ns], np.int64)))
    free = ends > starts
    return Intervals(starts[free], ends[free])


def covered_before(busy: Intervals, points: Times) -> Times:
    """For each point, the time of the union that lies before it."""
    if not len(busy.starts):
        return np.zeros(len(points), np.int64)
    sums = np.concatenate(([0], np.cumsum(busy.ends - busy.starts)))
    place = np.searchsorted(busy.starts, points, side="right")
    last = np.maximum(place - 1, 0)
    beyond = np.where(place > 0, np.maximum(busy.ends[last] - points, 0), 0)
    return np.asarray(sums[place] - beyond, np.int64)


def covered_ns(busy: Intervals, starts: Times, ends: Times) -> Times:
    """For each given interval, how much of it the union covers."""
    return covered_before(busy, ends) - covered_before(busy, starts)


def holder_of(busy: Intervals, points: Times) -> NDArray[np.intp]:
    """For each point, the index of the interval that holds it, or −1."""
    place = np.searchsorted(busy.starts, points, side="right") - 1
    if not len(busy.starts):
        return place
    inside = (place >= 0) & (busy.ends[np.maximum(place, 0)] > points)
    return np.where(inside, place, -1)

"""Nesting of the events of one track: depth, enclosing event, time of its own, and overlap that does not nest.

Events come in order of start, longest first, then place in the file. An event is closed when its end is not after the
start of another; the depth of an event is how many before it are still open. Everything is vectorised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

MAX_DEPTH = np.iinfo(np.uint16).max
_EXACT_FLOAT = 1 << 53


@dataclass(frozen=True)
class Nesting:
    """What `nesting` finds; all arrays have shape (events,)."""

    depth: NDArray[np.uint16]
    """0 for an outermost event."""
    parent: Indices
    """The youngest event that is still open at the start; -1 for an outermost event."""
    self_ns: Indices
    """Time in which the event is the youngest open one."""
    overlap: NDArray[np.uint8]
    """1 where an older event ends inside this one."""


def nesting(start_ns: Indices, dur_ns: Indices) -> Nesting:
    """The nesting of one track.

    Args:
        start_ns: Rising; shape (events,).
        dur_ns: Not negative; falling among equal starts.
    """
    end_ns = start_ns + dur_ns
    count = len(start_ns)
    if not count or bool((start_ns[1:] >= end_ns[:-1]).all()):
        return Nesting(np.zeros(count, np.uint16), np.full(count, -1), dur_ns.copy(), np.zeros(count, np.uint8))
    depth = _depth(start_ns, dur_ns, end_ns)
    parent = _parents_by_depth(depth)
    overlap = np.zeros(count, np.uint8)
    tangled = _outlives_parent(start_ns, end_ns, parent)
    self_ns = dur_ns - _sums_by_parent(parent, dur_ns)
    if tangled.any():
        where = _groups_with(tangled, depth == 0)
        found = _tangled(start_ns[where], end_ns[where], depth[where] == 0)
        parent[where] = np.where(found.parent < 0, -1, where[found.parent])
        overlap[where], self_ns[where] = found.overlap, found.self_ns
    return Nesting(depth, parent, self_ns, overlap)


def _depth(start_ns: Indices, dur_ns: Indices, end_ns: Indices) -> NDArray[np.uint16]:
    """How many earlier events are open: all earlier ones, less those that ended."""
    count = len(start_ns)
    ended = np.searchsorted(np.sort(end_ns), start_ns, side="right")
    empty = dur_ns == 0
    if empty.any():
        # An empty event that is not earlier has also ended by then, but was never among the earlier ones.
        before = np.concatenate(([0], np.cumsum(empty)))
        ended -= before[np.searchsorted(start_ns, start_ns, side="right")] - before[:count]
    np.subtract(np.arange(count), ended, out=ended)
    return np.minimum(ended, MAX_DEPTH).astype(np.uint16)


def _outlives_parent(start_ns: Indices, end_ns: Indices, parent: Indices) -> NDArray[np.bool_]:
    """True where the supposed parent ends before the event does."""
    parent_end_ns = end_ns[parent]
    return (parent >= 0) & ((end_ns > parent_end_ns) | (parent_end_ns <= start_ns))


def _sums_by_parent(parent: Indices, dur_ns: Indices) -> Indices:
    """Duration of the children of each event."""
    inner = parent >= 0
    return _sums(parent[inner], dur_ns[inner], len(parent))


def _parents_by_depth(depth: NDArray[np.uint16]) -> Indices:
    """The last earlier event that is one less deep: the enclosing one where everything nests."""
    parent = np.full(len(depth), -1, np.int64)
    order = np.argsort(depth, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(np.bincount(depth))))
    for level in range(1, len(bounds) - 1):
        outer = order[bounds[level - 1] : bounds[level]]
        inner = order[bounds[level] : bounds[level + 1]]
        parent[inner] = outer[np.searchsorted(outer, inner) - 1]
    return parent


def _sums(groups: Indices, values: Indices, count: int) -> Indices:
    """Sum of the values of each group, exact; shape (count,)."""
    if not len(values) or float(values.sum(dtype=np.float64)) < _EXACT_FLOAT:
        return np.bincount(groups, values, count).astype(np.int64)
    sums = np.zeros(count, np.int64)
    np.add.at(sums, groups, values)
    return sums


def _groups_with(marked: NDArray[np.bool_], outermost: NDArray[np.bool_]) -> Indices:
    """All events of the groups (an outermost event and what follows it) that hold a marked one."""
    group = np.cumsum(outermost) - 1
    wanted = np.zeros(int(group[-1]) + 1, np.bool_)
    wanted[group[marked]] = True
    return np.flatnonzero(wanted[group])


def _tangled(start_ns: Indices, end_ns: Indices, outermost: NDArray[np.bool_]) -> Nesting:
    """Parent, own time and overlap of groups in which events do not nest; the depth is left out."""
    parent = _youngest_open(start_ns, end_ns, outermost)
    none = np.empty(0, np.uint16)
    return Nesting(none, parent, _own_time(start_ns, end_ns, parent), _crossing(start_ns, end_ns, parent))


def _youngest_open(start_ns: Indices, end_ns: Indices, outermost: NDArray[np.bool_]) -> Indices:
    """The last earlier event that is open at each start. Everything between it and the event has ended by then, so
    each step can jump over what the event jumped to has found out for itself."""
    parent = np.arange(-1, len(start_ns) - 1, dtype=np.int64)
    parent[outermost] = -1
    active = np.flatnonzero(~outermost)
    active = active[end_ns[parent[active]] <= start_ns[active]]
    while len(active):
        parent[active] = parent[parent[active]]
        reached = parent[active]
        active = active[(reached >= 0) & (end_ns[reached] <= start_ns[active])]
    return parent


def _crossing(start_ns: Indices, end_ns: Indices, parent: Indices) -> NDArray[np.uint8]:
    """1 where an older open event ends inside the event."""
    crossing = np.zeros(len(parent), np.uint8)
    active = np.flatnonzero(parent >= 0)
    elder = parent[active]
    while len(active):
        ends = end_ns[elder]
        crossing[active[(ends > start_ns[active]) & (ends < end_ns[active])]] = 1
        elder = parent[elder]
        active, elder = active[elder >= 0], elder[elder >= 0]
    return crossing


def _own_time(start_ns: Indices, end_ns: Indices, parent: Indices) -> Indices:
    """Each stretch between two bounds belongs to the youngest event that is open in it."""
    bounds = np.unique(np.concatenate((start_ns, end_ns)))
    lengths = np.diff(bounds)
    owner = np.searchsorted(start_ns, bounds[:-1], side="right") - 1
    active = np.flatnonzero(end_ns[owner] <= bounds[:-1])
    while len(active):
        owner[active] = parent[owner[active]]
        reached = owner[active]
        active = active[(reached >= 0) & (end_ns[reached] <= bounds[:-1][active])]
    owned = owner >= 0
    return _sums(owner[owned], lengths[owned], len(start_ns))

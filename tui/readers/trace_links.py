"""What connects events: flow ends with one id, calls and tasks with one connection (formats: msprof 4.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.readers.trace_columns import FLOW_PHASES

Indices = NDArray[np.int64]

_START, _STEP, _FINISH = (1 << FLOW_PHASES.index(phase) for phase in "stf")
_NO_CONNECTION = (-1, 0, (1 << 32) - 1)
_MAX_SPREAD = 8
"""Largest connection id that is counted in a table, per event."""


@dataclass(frozen=True)
class Arrows:
    """Arrows in order of their source; shape (arrows,) each."""

    source: Indices
    target: Indices
    category: NDArray[np.int32]
    by_target: Indices
    pairs: int
    pairs_s_with_t: int
    unbound: int


def arrows(event: Indices, kind: NDArray[np.int32], ts_ns: Indices, id_high: Indices, id_low: Indices) -> Arrows:
    """Pairs flow ends: each `t` and `f` with the last `s` of its category and id before it, else with the first.

    Args:
        event: Event that each end lies on, or -1.
        kind: Category · 4 + place in `FLOW_PHASES`.
    """
    if not len(event):
        none = np.empty(0, np.int64)
        return Arrows(none, none, np.empty(0, np.int32), none, 0, 0, 0)
    order = np.lexsort((kind & 3, ts_ns, kind >> 2, id_high, id_low))
    group, kind = _grouping(kind[order] >> 2, id_high[order], id_low[order]), kind[order]
    begins = np.flatnonzero(np.diff(group, prepend=-1))
    bits = np.bitwise_or.reduceat(1 << (kind & 3), begins)
    is_start = (kind & 3) == FLOW_PHASES.index("s")
    source = _source_of(begins, group, is_start)
    drawn = np.flatnonzero(~is_start & (source >= 0))
    found_source, found_target = event[order[source[drawn]]], event[order[drawn]]
    bound = np.flatnonzero((found_source >= 0) & (found_target >= 0))
    bound = bound[np.lexsort((found_target[bound], found_source[bound]))]
    target = found_target[bound]
    return Arrows(
        found_source[bound], target, kind[drawn[bound]] >> 2, np.argsort(target, kind="stable"),
        pairs=_count_of(bits, _START | _FINISH), pairs_s_with_t=_count_of(bits, _START | _STEP),
        unbound=len(drawn) - len(bound),
    )  # fmt: skip


def _grouping(category: NDArray[np.int32], high: Indices, low: Indices) -> Indices:
    """Number of the group of each end, in order: equal category and id."""
    differs = (low[1:] != low[:-1]) | (high[1:] != high[:-1]) | (category[1:] != category[:-1])
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(differs)))


def _source_of(begins: Indices, group: Indices, is_start: NDArray[np.bool_]) -> Indices:
    """For each end the last start of its group up to it, else the first one of its group; -1 where it has none."""
    places = np.arange(len(group), dtype=np.int64)
    last = np.maximum.accumulate(np.where(is_start, places, -1))
    nowhere = len(group)
    first = np.minimum.reduceat(np.where(is_start, places, nowhere), begins)[group]
    return np.where(last >= begins[group], last, np.where(first < nowhere, first, -1))


def _count_of(bits: NDArray[np.int32], wanted: int) -> int:
    return int(np.count_nonzero((bits & wanted) == wanted))


@dataclass(frozen=True)
class Groups:
    """Events that share a connection."""

    link_id: NDArray[np.int32]
    """Shape (events,); -1 for an event that shares none."""
    events: Indices
    starts: Indices


def groups(connection: Indices, process: NDArray[np.int32]) -> Groups:
    """Groups of at least two events with one connection id in one process.

    Args:
        connection: Id as written; 0, -1 and 2³² - 1 mean none. Shape (events,).
        process: Number of the process that ids are valid in.
    """
    linked = np.flatnonzero(~np.isin(connection, _NO_CONNECTION))
    link_id = np.full(len(connection), -1, np.int32)
    if not len(linked):
        return Groups(link_id, linked, np.zeros(1, np.int64))
    key = _ranks(connection[linked])
    processes = _ranks(process[linked].astype(np.int64))
    if int(processes.max()):
        key = _ranks(key * (int(processes.max()) + 1) + processes)
    counts = np.bincount(key)
    shared = counts >= 2
    rank = np.cumsum(shared) - 1
    kept = shared[key]
    linked, key = linked[kept], rank[key[kept]]
    link_id[linked] = key
    starts = np.concatenate(([0], np.cumsum(counts[shared])))
    return Groups(link_id, linked[np.argsort(key, kind="stable")], starts)


def _ranks(values: Indices) -> Indices:
    """Equal values get one number, in order of the values."""
    low, high = int(values.min()), int(values.max())
    if high - low < _MAX_SPREAD * len(values) + 1024:
        present = np.zeros(high - low + 1, np.bool_)
        present[values - low] = True
        return (np.cumsum(present) - 1)[values - low]
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)

"""Counters as heights of cells: a sample holds until the next one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.model.timeline import Counter

_FLAGGED_UNITS = ("MHz",)
"""A series in these units has a nominal value, its highest; cells below it are worth a look."""
_OFF_NOMINAL = 0.99


class CounterCells(NamedTuple):
    """What the cells of a counter lane show. Arrays of shape (width,)."""

    values: NDArray[np.float64]
    """Largest value in force in the cell; NaN before the first sample."""
    heights: NDArray[np.float64]
    """The same from 0 to 1 of the largest value of the whole series; 0 where there is none."""
    off_nominal: NDArray[np.bool_]
    """Cells in which a frequency fell below its nominal value."""


def counter_cells(counter: Counter, start_ns: int, end_ns: int, width: int) -> CounterCells:
    """The cells of a window [start_ns, end_ns)."""
    if not len(counter.times_ns):
        return CounterCells(np.full(width, np.nan), np.zeros(width), np.zeros(width, np.bool_))
    span = max(end_ns - start_ns, 1)
    edges = np.array([start_ns + span * cell // width for cell in range(width + 1)], np.int64)
    held = np.searchsorted(counter.times_ns, edges[:-1], side="right") - 1
    until = np.searchsorted(counter.times_ns, edges[1:], side="left")
    first = np.maximum(held, 0)
    last = np.maximum(until, first + 1)
    known = (held >= 0) | (until > 0)
    values = np.append(np.asarray(counter.values, np.float64), np.nan)
    bounds = np.stack((first, last), axis=1).ravel()
    highs = np.where(known, np.fmax.reduceat(values, bounds)[::2], np.nan)
    lows = np.where(known, np.fmin.reduceat(values, bounds)[::2], np.nan)
    top = float(np.nanmax(counter.values)) if np.isfinite(counter.values).any() else 0.0
    heights = np.clip(np.nan_to_num(highs / top), 0.0, 1.0) if top > 0 else np.zeros(width)
    flagged = any(unit in counter.series for unit in _FLAGGED_UNITS)
    return CounterCells(highs, heights, flagged & known & (np.nan_to_num(lows) < top * _OFF_NOMINAL))


def value_at(counter: Counter, time_ns: int) -> float:
    """The value in force at a time; NaN before the first sample."""
    place = int(np.searchsorted(counter.times_ns, time_ns, side="right")) - 1
    return float(counter.values[place]) if place >= 0 else float("nan")


def unit_of(series: str) -> str:
    """Unit of a series as written: `Read(MB/s)` → `MB/s`, `MHz` → `MHz`; empty for none."""
    if series.endswith(")") and "(" in series:
        return series[series.rindex("(") + 1 : -1]
    return series if series in ("MHz", "KB", "MB", "GB") else ""

"""Categories of time on both sides: which of them changed.

`computing`, `conversion` and `ai_cpu` are sums of durations and add up to the end-to-end time. `communication` is what
no computing covers, `free` what nothing covers between first start and last end, added up over the devices. `load` and
`execute` are the times of the calls that load and run models. The same definitions hold for both sides, whatever tool
collected them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tui.compare.entries import Entries, tells
from tui.compare.noise import band_of_sum, change, single_change
from tui.compare.rows import Rows
from tui.model.comparison import PARTS, Change, PartChange, PartKey, Side
from tui.model.exact import exact_sum
from tui.model.ops import spans_ns
from tui.model.split import api_ns, device_work
from tui.model.table import Table

NAN = float("nan")
_CALLS: tuple[tuple[PartKey, re.Pattern[str]], ...] = (
    ("load", re.compile(r"aclmdlLoad\w*")),
    ("execute", re.compile(r"aclmdlExecute\w*")),
)
_SUMS: tuple[PartKey, ...] = ("computing", "conversion", "ai_cpu")


def device_us(entries: Entries) -> float:
    """Exact sum of the durations of what is not communication; NaN where no call has a time."""
    totals = entries.totals_us[~entries.is_communication]
    return exact_sum(totals) if np.isfinite(totals).any() else NAN


def end_to_end(entries: tuple[Entries, Entries] | None, rows: Rows | None) -> Change:
    """Time of the operators of both sides; incomparable where a side has none."""
    if entries is None or rows is None:
        return single_change(NAN, NAN)
    counted = _either(rows, [part for part in PARTS if part != "communication"])
    return change(device_us(entries[0]), device_us(entries[1]), band_of_sum(rows.bands_us[counted]))


def wall(a: Table | None, b: Table | None) -> Change | None:
    """First start to last end of the operators of both sides; None where one of them has no start times."""
    a_us, b_us = _window_us(a), _window_us(b)
    return None if np.isnan([a_us, b_us]).any() else single_change(a_us, b_us)


def _window_us(table: Table | None) -> float:
    spans = spans_ns(table) if table is not None else None
    if spans is None or not len(spans[0]):
        return NAN
    return float(int(spans[1].max()) - int(spans[0].min())) / 1000.0


def part_changes(a: Side, b: Side, entries: tuple[Entries, Entries] | None, rows: Rows | None) -> Iterator[PartChange]:
    """The categories that at least one side tells, in the order of `PARTS`."""
    for part, names in _CALLS:
        a_us, b_us = (NAN if side.apis is None else api_ns(side.apis, names) / 1000.0 for side in (a, b))
        yield from _told(part, single_change(a_us, b_us))
    if entries is not None and rows is not None:
        yield from _sums(entries, rows)
    work = [_device_times(side.ops) for side in (a, b)]
    yield from _told("communication", single_change(work[0][0], work[1][0]))
    yield from _told("free", single_change(work[0][1], work[1][1]))


def _told(part: PartKey, change: Change) -> Iterator[PartChange]:
    """A category that is known and not empty on either side."""
    if any(value == value and value != 0 for value in (change.a_us, change.b_us)):
        yield PartChange(part, change)


def _sums(entries: tuple[Entries, Entries], rows: Rows) -> Iterator[PartChange]:
    """Parts of the end-to-end time; where a side does not tell types (task-time l0) all of it is computing."""
    typed = all(tells(side.table, "op_type") for side in entries)
    apart: list[tuple[PartKey, ...]] = [(part,) for part in _SUMS]
    for parts in apart if typed else [_SUMS]:
        a_us, b_us = (exact_sum(side.totals_us[_among(side.part, parts)]) for side in entries)
        yield from _told(parts[0], change(a_us, b_us, band_of_sum(rows.bands_us[_either(rows, parts)])))


def _either(rows: Rows, parts: Sequence[PartKey]) -> NDArray[np.bool_]:
    """Rows of which one side belongs to the categories."""
    return _among(rows.a_parts, parts) | _among(rows.b_parts, parts)


def _among(codes: NDArray[np.int8], parts: Sequence[PartKey]) -> NDArray[np.bool_]:
    return np.array([part in parts for part in PARTS], np.bool_)[codes]


def _device_times(table: Table | None) -> tuple[float, float]:
    """(communication that no computing covers, time that nothing covers) of all devices, µs; NaN without starts."""
    work = device_work(table) if table is not None else {}
    if not work:
        return NAN, NAN
    free = sum(device.window - device.computing - device.communication for device in work.values())
    return sum(device.communication for device in work.values()) / 1000.0, free / 1000.0

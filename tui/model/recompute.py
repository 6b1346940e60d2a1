"""Statistics tables rebuilt from the rows they summarise, where the collection left them out (formats: msprof 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model import ops
from tui.model.columns import as_text
from tui.model.groups import Groups, group_rows
from tui.model.inventory import text_column
from tui.model.table import Column, ColumnInfo, NumberColumn, Table, TextColumn

_US_DECIMALS = 3
_PCT_DECIMALS = 6


class ApiCalls(Protocol):
    """Calls of one host API as a timeline counts them."""

    @property
    def name(self) -> str:
        """Without the level's prefix."""
        ...

    @property
    def level(self) -> str:
        """`acl`, `model`, `node`, `communication`, `runtime`, as the statistics files write it."""
        ...

    @property
    def count(self) -> int:
        """Number of calls."""
        ...

    @property
    def sum_ns(self) -> int:
        """Time of all calls."""
        ...

    @property
    def min_ns(self) -> int:
        """Shortest call."""
        ...

    @property
    def max_ns(self) -> int:
        """Longest call."""
        ...


def op_types_from_ops(table: Table, file_kind: str = "op_summary") -> Table:
    """The table of operator types that `op_statistic` would hold, from the rows of operators.

    Grouped by device, type and core; communication rows are left out; `ratio_pct` is the share of the device's total.

    Args:
        file_kind: Where the rows come from, for the note.
    """
    durations = ops.durations_us(table)
    known = np.zeros(table.row_count, np.bool_) if durations is None else np.isfinite(durations)
    rows = np.flatnonzero(known & ~ops.communication_rows(table))
    keys = [key for key in ("device_id", "op_type", "task_type") if table.get(key) is not None]
    groups = group_rows(table, rows, keys)
    columns = [_renamed(groups.table.get(key)) for key in keys]
    total = _values(groups.table, "total_us")
    figures = [
        NumberColumn(ColumnInfo("count", "", "number", whole=True), _values(groups.table, "count")),
        _figure("total_time_us", "us", total),
        _figure("min_us", "us", _values(groups.table, "min_us")),
        _figure("avg_us", "us", np.round(_values(groups.table, "mean_us"), _US_DECIMALS)),
        _figure("max_us", "us", _values(groups.table, "max_us")),
        _figure("ratio_pct", "pct", _ratios(groups, total)),
    ]
    note = _("recomputed from {kind}").format(kind=file_kind)
    return Table("op-types", (*(column for column in columns if column), *figures), note=note)


def _renamed(column: Column | None) -> Column | None:
    """`task_type` is called `core_type` in the statistics."""
    if isinstance(column, TextColumn) and column.info.key == "task_type":
        return replace(column, info=replace(column.info, key="core_type", heading=""))
    return column


def _ratios(groups: Groups, total: NDArray[np.float64]) -> NDArray[np.float64]:
    column = groups.table.get("device_id")
    device = np.zeros(len(total), np.int64) if column is None else as_text(column).codes
    per_device = np.bincount(device, weights=total) if len(total) else np.zeros(0)
    base = per_device[device] if len(total) else total
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.round(np.where(base > 0, 100.0 * total / base, 0.0), _PCT_DECIMALS).astype(np.float64)


def apis_from_calls(table: Table, file_kind: str = "acl") -> Table:
    """API statistics from a table with one row per call (`api_name`, `level`, `duration_us`)."""
    keys = [key for key in ("level", "api_name") if table.get(key) is not None]
    groups = group_rows(table, np.arange(table.row_count), keys).table
    columns = [column for key in keys if (column := groups.get(key)) is not None]
    figures = [
        _figure("time_us", "us", _values(groups, "total_us")),
        NumberColumn(ColumnInfo("count", "", "number", whole=True), _values(groups, "count")),
        _figure("avg_us", "us", np.round(_values(groups, "mean_us"), _US_DECIMALS)),
        _figure("min_us", "us", _values(groups, "min_us")),
        _figure("max_us", "us", _values(groups, "max_us")),
    ]
    return Table("apis", (*columns, *figures), note=_("recomputed from {kind}").format(kind=file_kind))


def apis_from_timeline(calls: Iterable[ApiCalls], file_kind: str = "msprof") -> Table:
    """API statistics from what timelines counted; several entries of one API (of sliced files) are added up."""
    merged: dict[tuple[str, str], list[ApiCalls]] = {}
    for entry in calls:
        merged.setdefault((entry.level, entry.name), []).append(entry)
    counts = [sum(entry.count for entry in entries) for entries in merged.values()]
    totals = [sum(entry.sum_ns for entry in entries) for entries in merged.values()]
    figures = [
        _figure("time_us", "us", _us(totals)),
        NumberColumn(ColumnInfo("count", "", "number", whole=True), np.array(counts, np.float64)),
        _figure("avg_us", "us", np.round(_us(totals) / np.maximum(1, counts), _US_DECIMALS)),
        _figure("min_us", "us", _us([min(entry.min_ns for entry in entries) for entries in merged.values()])),
        _figure("max_us", "us", _us([max(entry.max_ns for entry in entries) for entries in merged.values()])),
    ]
    levels = text_column("level", [level for level, _name in merged])
    names = text_column("api_name", [name for _level, name in merged])
    return Table("apis", (levels, names, *figures), note=_("recomputed from {kind}").format(kind=file_kind))


def with_shares(table: Table, span_ns: int) -> Table:
    """An API table plus `time_ratio_pct` (share of its level's total) and `span_pct` (share of the profile's span).

    A share that the file already has is kept. `span_ns` 0 leaves `span_pct` missing.
    """
    time = table.number("time_us")
    if time is None:
        return table
    columns: list[Column] = []
    if table.get("time_ratio_pct") is None:
        columns.append(_figure("time_ratio_pct", "pct", _level_shares(table, time)))
    if table.get("span_pct") is None:
        shares = time * (100_000.0 / span_ns) if span_ns > 0 else np.full(len(time), np.nan)
        columns.append(_figure("span_pct", "pct", np.round(shares, _PCT_DECIMALS)))
    return replace(table, columns=(*table.columns, *columns))


def _level_shares(table: Table, time: NDArray[np.float64]) -> NDArray[np.float64]:
    level = table.text("level")
    codes = np.zeros(len(time), np.int64) if level is None else level.codes
    known = np.nan_to_num(time)
    totals = np.bincount(codes, weights=known) if len(time) else np.zeros(0)
    base = totals[codes] if len(time) else time
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.round(np.where(base > 0, 100.0 * time / base, np.nan), _PCT_DECIMALS).astype(np.float64)


def _values(table: Table, key: str) -> NDArray[np.float64]:
    values = table.number(key)
    return np.full(table.row_count, np.nan) if values is None else values


def _us(times_ns: Sequence[float]) -> NDArray[np.float64]:
    return np.array(times_ns, np.float64) / 1000.0


def _figure(key: str, unit: str, values: NDArray[np.float64]) -> NumberColumn:
    return NumberColumn(ColumnInfo(key, "", "number", unit), values)

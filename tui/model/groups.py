"""Grouping: rows with equal values of some columns become one row with count, total, share and spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model import ops
from tui.model.columns import as_text
from tui.model.exact import exact_sums
from tui.model.permutation import stable_order
from tui.model.table import ColumnInfo, NumberColumn, Table, TextColumn, TimeColumn

_MEASURES = ("task_duration_us", "task_time_us", "duration_us", "total_time_us", "time_us", "dur_ns", "length_ns")
"""What is added up, first hit wins; `total_time_us` and `time_us` are totals of several calls already."""

_TOTALS = frozenset(("total_time_us", "time_us"))


@dataclass(frozen=True)
class Groups:
    """Rows of a table by group."""

    table: Table
    """One row per group in order of first appearance: the keys, `count total_us share_pct min_us mean_us max_us cv`."""
    members: NDArray[np.intp]
    """Row indices of the original table, group after group, each in file order."""
    starts: NDArray[np.intp]
    """First member of each group in `members`; one more at the end."""

    def rows_of(self, group: int) -> NDArray[np.intp]:
        """Rows of the original table in one group."""
        return self.members[self.starts[group] : self.starts[group + 1]]


def measure_key(table: Table) -> str:
    """Key of the duration that groups of this table add up, or empty."""
    return next((key for key in _MEASURES if table.number(key) is not None), "")


def group_rows(table: Table, rows: NDArray[np.intp], keys: Sequence[str], only_sums: bool = False) -> Groups:
    """Groups `rows` by the columns of `keys`; keys that the table does not have are passed over.

    `share_pct` of operators is the share of device time of the whole table, communication left out; of anything else
    the share of the rows given.

    Args:
        only_sums: Leaves out extremes, means, spread and shares of single durations.
    """
    columns = [column for key in keys if (column := ops.column_of(table, key)) is not None]
    texts = [as_text(column) for column in columns]
    ids = _group_ids(texts, rows)
    first_place, ids = _by_first_appearance(ids)
    starts = np.concatenate(([0], np.cumsum(np.bincount(ids, minlength=len(first_place)))))
    members = rows[stable_order([ids])]
    heads = rows[first_place]
    key_columns = [_heads_of(column, text, heads) for column, text in zip(columns, texts)]
    figures = _figures(table, members, starts, only_sums)
    return Groups(Table(table.kind, (*key_columns, *figures), note=table.note), members, starts)


def _group_ids(texts: Sequence[TextColumn], rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """One number per row, equal for rows of the same group."""
    ids = np.zeros(len(rows), np.int64)
    for text in texts:
        ids = _compact(ids * max(1, len(text.strings)) + text.codes[rows])
    return ids


def _compact(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same numbering without gaps; for few numbers without sorting."""
    top = int(ids.max()) + 1 if len(ids) else 0
    if top > 4 * len(ids):
        return np.unique(ids, return_inverse=True)[1].reshape(-1)
    used = np.zeros(top, np.int64)
    used[ids] = 1
    return (np.cumsum(used) - 1)[ids]


def _by_first_appearance(ids: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """(place of the first row of each group, ids renumbered so that groups follow their first rows)."""
    first = np.zeros(int(ids.max()) + 1 if len(ids) else 0, np.intp)
    first[ids[::-1]] = np.arange(len(ids))[::-1]  # of several rows the last one written stays: the first of the group
    renumbered = np.empty(len(first), np.int64)
    order = np.argsort(first)
    renumbered[order] = np.arange(len(first))
    return first[order], renumbered[ids] if len(ids) else ids


def _heads_of(
    column: TextColumn | NumberColumn | TimeColumn, text: TextColumn, heads: NDArray[np.intp]
) -> TextColumn | NumberColumn | TimeColumn:
    """A key column cut down to one row per group."""
    if isinstance(column, TextColumn):
        return TextColumn(column.info, text.codes[heads], text.strings)
    if isinstance(column, NumberColumn):
        return NumberColumn(column.info, column.values[heads])
    return TimeColumn(column.info, column.values[heads])


def _figures(table: Table, members: NDArray[np.intp], starts: NDArray[np.intp], only_sums: bool) -> list[NumberColumn]:
    key = measure_key(table)
    if not key:
        return [_count(np.diff(starts).astype(np.float64))]
    if key in _TOTALS:
        return _figures_of_totals(table, key, members, starts)
    values = np.asarray(table.number(key))[members]
    values = values / 1000.0 if key.endswith("_ns") else values
    sums = _Sums.of(values, starts)
    if only_sums:
        return [_count(np.diff(starts).astype(np.float64)), _number("total_us", "us", sums.totals)]
    deviations = np.square(values - np.repeat(sums.means, np.diff(starts)))
    spread = np.sqrt(_reduced(np.add, np.nan_to_num(deviations), starts) / np.maximum(1, sums.numbers))
    with np.errstate(invalid="ignore", divide="ignore"):
        cv = np.where(sums.means > 0, spread / sums.means, np.nan)
    return [
        _count(np.diff(starts).astype(np.float64)),
        _number("total_us", "us", sums.totals),
        _share(table, _shares(table, members, starts, values, sums.totals)),
        _number("min_us", "us", _reduced(np.fmin, values, starts)),
        _number("mean_us", "us", sums.means),
        _number("max_us", "us", _reduced(np.fmax, values, starts)),
        _number("cv", "", cv),
    ]


@dataclass(frozen=True)
class _Sums:
    """Totals and means of the groups; NaN where no member has a number."""

    totals: NDArray[np.float64]
    numbers: NDArray[np.float64]
    """Members with a number."""
    means: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64], starts: NDArray[np.intp]) -> _Sums:
        known = np.isfinite(values)
        numbers = _reduced(np.add, known.astype(np.float64), starts)
        totals = exact_sums(np.where(known, values, 0.0), starts[:-1])
        totals = np.where(numbers > 0, totals, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            return cls(totals, numbers, totals / numbers)


def _shares(
    table: Table,
    members: NDArray[np.intp],
    starts: NDArray[np.intp],
    values: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> NDArray[np.float64]:
    if table.kind != "ops":
        base = float(np.nansum(totals))
        return totals * (100.0 / base) if base else np.full(len(totals), np.nan)
    base = ops.device_time_us(table)
    counted = np.isfinite(values) & ~ops.communication_rows(table)[members]
    device = exact_sums(np.where(counted, values, 0.0), starts[:-1])
    compute_rows = _reduced(np.add, counted.astype(np.float64), starts)
    return np.where((compute_rows > 0) & (base > 0), device * (100.0 / (base or 1.0)), np.nan)


def _figures_of_totals(
    table: Table, key: str, members: NDArray[np.intp], starts: NDArray[np.intp]
) -> list[NumberColumn]:
    """Groups of a table whose rows are totals of several calls: counts and totals add up, the spread is not known."""
    counts = table.number("count")
    calls = np.ones(len(members)) if counts is None else np.nan_to_num(counts[members])
    sums = _Sums.of(np.asarray(table.number(key))[members], starts)
    count = _reduced(np.add, calls, starts)
    nothing = np.full(len(count), np.nan)
    low, high = table.number("min_us"), table.number("max_us")
    base = float(np.nansum(sums.totals))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.totals / count
    return [
        _count(count),
        _number("total_us", "us", sums.totals),
        _number("share_pct", "pct", sums.totals * (100.0 / base) if base else nothing),
        _number("min_us", "us", nothing if low is None else _reduced(np.fmin, low[members], starts)),
        _number("mean_us", "us", means),
        _number("max_us", "us", nothing if high is None else _reduced(np.fmax, high[members], starts)),
        _number("cv", "", nothing),
    ]


def _reduced(function: np.ufunc, values: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    if len(starts) < 2:
        return np.zeros(0)
    if len(starts) == len(values) + 1:  # each group has one member, which is its own sum and extreme
        return np.asarray(values, np.float64)
    return np.asarray(function.reduceat(values, starts[:-1]), np.float64)


def _number(key: str, unit: str, values: NDArray[np.float64]) -> NumberColumn:
    return NumberColumn(ColumnInfo(key, "", "number", unit), values)


def _share(table: Table, values: NDArray[np.float64]) -> NumberColumn:
    heading = _("% of total") if measure_key(table).endswith("_ns") else ""
    return NumberColumn(ColumnInfo("share_pct", heading, "number", "pct"), values)


def _count(values: NDArray[np.float64]) -> NumberColumn:
    return NumberColumn(ColumnInfo("count", "", "number", whole=True), values)

"""The rows of operators as rules ask for them: masks by type, time that rows cover, order of the run, evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tui.findings.rule import MOST_EVIDENCE, InputMissing
from tui.i18n import _
from tui.model import ops
from tui.model.columns import as_text
from tui.model.exact import exact_sum
from tui.model.finding import Evidence
from tui.model.table import MISSING_NS, Table, TextColumn
from tui.model.text import is_missing

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]

_CORE_PREFIXES = ("", "aic_", "aiv_")


@dataclass(frozen=True)
class OpRows:
    """A table of operators."""

    table: Table
    span_us: float
    """No group of rows takes more than this; 0 for no bound."""

    @cached_property
    def durations_us(self) -> Numbers:
        """Duration of each row; 0 where the file has none."""
        durations = ops.durations_us(self.table)
        return np.zeros(self.table.row_count) if durations is None else np.nan_to_num(durations)

    @cached_property
    def computing(self) -> Mask:
        """Rows that are not communication."""
        return ~ops.communication_rows(self.table)

    @property
    def device_us(self) -> float:
        """Sum of the durations of all rows that are not communication."""
        return ops.device_time_us(self.table)

    def share_pct(self, time_us: float) -> float:
        """Share of the device time."""
        return 100.0 * time_us / self.device_us if self.device_us else 0.0

    def sum_us(self, rows: Mask | Rows) -> float:
        """Sum of durations, exact to the last decimal."""
        return exact_sum(self.durations_us[rows])

    def text(self, key: str, what: str, option: str = "") -> TextColumn:
        """A text column.

        Raises:
            InputMissing: there is none, or every cell is missing.
        """
        column = self.table.text(key)
        if column is None or all(is_missing(text) for text in column.strings):
            raise InputMissing(what, option)
        return column

    @cached_property
    def types(self) -> TextColumn:
        """Operator types.

        Raises:
            InputMissing: none were collected.
        """
        return self.text("op_type", _("no operator types (collected at level l0)"), "--task-time=l1")

    @cached_property
    def task_types(self) -> TextColumn:
        """Kind of core of each row.

        Raises:
            InputMissing: none were collected.
        """
        return self.text("task_type", _("no task types (collected at level l0)"), "--task-time=l1")

    @cached_property
    def type_us(self) -> Numbers:
        """Device time of each operator type, by its code."""
        weights = np.where(self.computing, self.durations_us, 0.0)
        return np.asarray(np.bincount(self.types.codes, weights, len(self.types.strings)), np.float64)

    @cached_property
    def type_share_pct(self) -> Numbers:
        """Share of device time of the type of each row."""
        return (self.type_us * (100.0 / self.device_us if self.device_us else 0.0))[self.types.codes]

    def of_class(self, *classes: str) -> Mask:
        """Rows of some task classes (`cube`, `vector`, `mix`, `aicpu`).

        Raises:
            InputMissing: no task types were collected.
        """
        wanted = [ops.class_of(text) in classes for text in self.task_types.strings]
        return _of_codes(self.task_types, wanted)

    def where(self, column: TextColumn, wanted: Callable[[str], object]) -> Mask:
        """Rows whose text satisfies a predicate, asked once per distinct text."""
        return _of_codes(column, [bool(wanted(text)) for text in column.strings])

    def name_matches(self, pattern: re.Pattern[str]) -> Mask:
        """Rows whose operator name holds a pattern."""
        names = self.table.text("op_name")
        if names is None:
            return np.zeros(self.table.row_count, np.bool_)
        return self.where(names, pattern.search)

    def pipe(self, name: str) -> Numbers | None:
        """Ratio of one pipe per row, the larger of both cores on split chips; None when it was not collected."""
        found = [values for pipe, values in ops.pipe_columns(self.table) if pipe == name]
        if not found:
            return None
        best = found[0]
        for values in found[1:]:
            best = np.fmax(best, values)
        return best

    def pipes(self, *names: str) -> dict[str, Numbers]:
        """Ratios of several pipes, NaN for one that is not there.

        Raises:
            InputMissing: none of them was collected.
        """
        found = {name: self.pipe(name) for name in names}
        if not any(values is not None and np.isfinite(values).any() for values in found.values()):
            what = _("no ratios of the pipelines")
            raise InputMissing(what, "--aic-metrics=PipeUtilization")
        nothing = np.full(self.table.row_count, np.nan)
        return {name: nothing if values is None else values for name, values in found.items()}

    def columns_like(self, pattern: re.Pattern[str]) -> list[tuple[str, Numbers]]:
        """(key, values) of number columns whose whole key matches."""
        keys = [key for key in self.table.keys if pattern.fullmatch(key)]
        return [(key, values) for key in keys if (values := self.table.number(key)) is not None]

    @cached_property
    def device_codes(self) -> TextColumn | None:
        """Device of each row; None when the table names none."""
        column = self.table.get("device_id")
        return None if column is None else as_text(column)

    @cached_property
    def _lanes(self) -> NDArray[np.int64]:
        """One number per (device, stream)."""
        lanes = np.zeros(self.table.row_count, np.int64)
        for key in ("device_id", "stream_id"):
            column = self.table.get(key)
            if column is not None:
                text = as_text(column)
                lanes = lanes * max(1, len(text.strings)) + text.codes
        return lanes

    @cached_property
    def in_order(self) -> Rows:
        """Computing rows in the order of the run, stream after stream; of the file where there are no starts."""
        starts = self.table.time("start_ns")
        rows = np.flatnonzero(self.computing)
        if starts is None:
            return rows
        rows = rows[starts[rows] != MISSING_NS]
        return np.asarray(rows[np.lexsort((starts[rows], self._lanes[rows]))], np.intp)

    @cached_property
    def new_lane(self) -> Mask:
        """For each row of `in_order` whether another stream begins with it."""
        lanes = self._lanes[self.in_order]
        return np.concatenate(([True], lanes[1:] != lanes[:-1])) if len(lanes) else np.zeros(0, np.bool_)

    @cached_property
    def place(self) -> Rows:
        """Place of each row in `in_order`; −1 for rows that are not in it."""
        places = np.full(self.table.row_count, -1, np.intp)
        places[self.in_order] = np.arange(len(self.in_order))
        return places

    def wall_us(self, rows: Mask | Rows) -> float:
        """Time that some rows cover: union on each device, the largest of all devices; never above the span.

        Where rows have no start times their sum stands for it.
        """
        wall = self._union_us(rows)
        return min(wall, self.span_us) if self.span_us else wall

    def _union_us(self, rows: Mask | Rows) -> float:
        indices = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        starts = self.table.time("start_ns")
        durations = self.durations_us[indices]
        if starts is None or (starts[indices] == MISSING_NS).any():
            return exact_sum(durations)
        first = starts[indices]
        last = first + _ns(durations)
        if self.device_codes is None:
            return ops.union_ns(first, last) / 1000.0
        codes = self.device_codes.codes[indices]
        walls = [ops.union_ns(first[codes == code], last[codes == code]) for code in np.unique(codes).tolist()]
        return max(walls, default=0) / 1000.0

    def device_windows(self) -> dict[str, tuple[int, int]]:
        """(first start, last end) of each device."""
        starts = self.table.time("start_ns")
        if starts is None:
            return {}
        known = starts != MISSING_NS
        ends = starts + _ns(self.durations_us)
        return {
            name: (int(starts[mine & known].min()), int(ends[mine & known].max()))
            for name, mine in ops.rows_by_device(self.table)
            if (mine & known).any()
        }

    def name(self, row: int) -> str:
        """Name of the operator of a row."""
        names = self.table.text("op_name")
        return names.strings[int(names.codes[row])] if names is not None else f"#{row + 1}"

    def type(self, row: int) -> str:
        """Type of the operator of a row."""
        return self.types.strings[int(self.types.codes[row])]

    def longest(self, rows: Mask | Rows, most: int = MOST_EVIDENCE) -> list[int]:
        """The longest of some rows."""
        indices = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        chosen: list[int] = indices[np.argsort(-self.durations_us[indices], kind="stable")][:most].tolist()
        return chosen

    def evidence(self, row: int, *figures: tuple[str, float | str]) -> Evidence:
        """One row as evidence: its duration, then more figures."""
        return self.run_of((row,), self.name(row), *figures)

    def run_of(self, rows: Sequence[int], text: str, *figures: tuple[str, float | str]) -> Evidence:
        """Some rows as one piece of evidence: the sum of their durations, then more figures."""
        indices = np.array(rows, np.intp)
        all_figures = (("task_duration_us", self.sum_us(indices)), *figures)
        starts = self.table.time("start_ns")
        known = starts is not None and (starts[indices] != MISSING_NS).all()
        start = int(starts[indices].min()) if starts is not None and known else None
        ends = None if starts is None or not known else starts[indices] + _ns(self.durations_us[indices])
        end = None if ends is None else int(ends.max())
        device = "" if self.device_codes is None else self.device_codes.strings[int(self.device_codes.codes[rows[0]])]
        return Evidence(text, all_figures, "ops", tuple(int(row) for row in rows), start, end, device)

    def of_longest(self, rows: Mask | Rows, *columns: tuple[str, Numbers]) -> list[Evidence]:
        """The longest of some rows as evidence.

        Args:
            columns: (key, values of all rows) of further figures.
        """
        return [
            self.evidence(row, *((key, float(values[row])) for key, values in columns)) for row in self.longest(rows)
        ]

    def of_types(self, rows: Mask) -> list[Evidence]:
        """The types of some rows by their time, each with its longest rows."""
        weights = np.bincount(self.types.codes[rows], self.durations_us[rows], len(self.types.strings))
        found = []
        for code in np.argsort(-weights, kind="stable")[:MOST_EVIDENCE].tolist():
            members = rows & (self.types.codes == code)
            if members.any():
                share = ("share_pct", self.share_pct(float(weights[code])))
                count = ("count", float(members.sum()))
                longest = tuple(self.longest(members))
                figures = (("total_us", float(weights[code])), share, count)
                found.append(Evidence(self.types.strings[int(code)], figures, "ops", longest))
        return found


def _ns(times_us: Numbers) -> NDArray[np.int64]:
    return np.rint(times_us * 1000.0).astype(np.int64)


def _of_codes(column: TextColumn, wanted: Sequence[bool]) -> Mask:
    if not len(wanted):
        return np.zeros(len(column.codes), np.bool_)
    return np.array(wanted, np.bool_)[column.codes]

"""What one side of a comparison counts: an entry per operator, type, shape or API, with its calls and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.compare.noise import group_mads
from tui.model import ops
from tui.model.columns import as_text
from tui.model.comparison import PARTS, By, PartKey
from tui.model.groups import Groups, group_rows, measure_key
from tui.model.table import MISSING_NS, ColumnInfo, Table, TextColumn
from tui.model.text import is_missing

_KEYS: dict[By, tuple[str, ...]] = {
    "name": ("op_name",),
    "type": ("op_type",),
    "shape": ("op_type", "input_shapes"),
    "api": ("level", "api_name"),
}
_CONVERSIONS = ("cast", "transdata", "transpose")
_NO_CONVERSIONS = ("broadcast",)
_PART_OF_CLASS: tuple[tuple[str, PartKey], ...] = (("aicpu", "ai_cpu"), ("comm", "communication"))
_NO_TEXT = ColumnInfo("", "", "text")


@dataclass(frozen=True)
class Entries:
    """Entries of one side in the order of their first rows. Arrays have the shape (entries,)."""

    by: By
    groups: Groups
    totals_us: NDArray[np.float64]
    """NaN where no call has a time."""
    counts: NDArray[np.float64]
    mads_us: NDArray[np.float64]
    part: NDArray[np.int8]
    """Index into `PARTS`."""
    order: NDArray[np.intp]
    """Entries by their first start, as far as starts are known."""
    table: Table
    """The table that the groups are of."""

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def is_communication(self) -> NDArray[np.bool_]:
        """Entries that are no device time."""
        return np.asarray(self.part == PARTS.index("communication"), np.bool_)

    def text(self, key: str) -> TextColumn:
        """A text of the first row of each entry; empty where the table does not have it."""
        column = ops.column_of(self.table, key)
        heads = self.groups.members[self.groups.starts[:-1]]
        if column is None:
            return TextColumn(_NO_TEXT, np.zeros(len(heads), np.int32), [""])
        text = as_text(column)
        return TextColumn(text.info, np.asarray(text.codes[heads]), text.strings)


def can_tell(table: Table | None, by: By) -> bool:
    """Whether a table has times, and tells what rows are to stand for."""
    return table is not None and bool(measure_key(table)) and all(tells(table, key) for key in _KEYS[by])


def tells(table: Table, key: str) -> bool:
    """Whether a table has a column, and anything in it; a table without rows tells whatever it has columns for."""
    column = table.get(key)
    if not isinstance(column, TextColumn):
        return column is not None
    return not table.row_count or any(not is_missing(text) for text in column.strings)


def entries_of(table: Table, by: By) -> Entries:
    """The entries of a table that `can_tell` them."""
    groups = group_rows(table, np.arange(table.row_count), _KEYS[by], only_sums=True)
    totals, counts = groups.table.number("total_us"), groups.table.number("count")
    durations = ops.durations_us(table) if table.kind == "ops" else None
    count = groups.table.row_count
    return Entries(
        by,
        groups,
        np.full(count, np.nan) if totals is None else totals,
        np.diff(groups.starts).astype(np.float64) if counts is None else counts,
        np.zeros(count) if durations is None else group_mads(durations[groups.members], groups.starts),
        _parts(table, groups),
        _order(table, groups),
        table,
    )


def _parts(table: Table, groups: Groups) -> NDArray[np.int8]:
    """Category of each entry by the class of its first row's task and by its type."""
    heads = groups.members[groups.starts[:-1]]
    parts = np.full(len(heads), PARTS.index("computing"), np.int8)
    types, classes = table.text("op_type"), ops.task_classes(table)
    if types is not None:
        parts[_where(types, heads, _is_conversion)] = PARTS.index("conversion")
    for name, part in _PART_OF_CLASS:
        if classes is not None:
            parts[classes.codes[heads] == _code(classes, name)] = PARTS.index(part)
    return parts


def _where(column: TextColumn, rows: NDArray[np.intp], test: Callable[[str], bool]) -> NDArray[np.bool_]:
    hits = np.array([test(text) for text in column.strings], np.bool_)
    return hits[column.codes[rows]] if len(hits) else np.zeros(len(rows), np.bool_)


def _code(column: TextColumn, text: str) -> int:
    return list(column.strings).index(text) if text in column.strings else -1


def _is_conversion(op_type: str) -> bool:
    """Types that move data to another layout, type or order of axes."""
    name = op_type.lower()
    return any(part in name for part in _CONVERSIONS) and not any(part in name for part in _NO_CONVERSIONS)


def _order(table: Table, groups: Groups) -> NDArray[np.intp]:
    starts = table.time("start_ns")
    count = groups.table.row_count
    if starts is None or not count or bool((starts == MISSING_NS).any()):
        return np.arange(count)
    first = np.minimum.reduceat(starts[groups.members], groups.starts[:-1])
    return np.argsort(first, kind="stable")

"""Any column as text codes, and cell texts of the file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.model.table import MISSING_NS, Column, NumberColumn, Table, TextColumn
from tui.units import plain_number

NOT_AVAILABLE = "N/A"
"""How a missing number or time is written where a text stands for it."""


def as_text(column: Column) -> TextColumn:
    """The column as text codes; equal numbers share a code, missing ones become `N/A`. Text columns stay."""
    if isinstance(column, TextColumn):
        return column
    missing = np.isnan(column.values) if isinstance(column, NumberColumn) else column.values == MISSING_NS
    distinct, codes = np.unique(np.where(missing, 0, column.values), return_inverse=True)
    texts = [plain_number(value) if isinstance(column, NumberColumn) else str(value) for value in distinct.tolist()]
    with_missing = np.where(missing, len(texts), codes.reshape(-1)).astype(np.int32)
    return TextColumn(column.info, with_missing, [*texts, NOT_AVAILABLE] if missing.any() else texts)


def cell_text(column: Column, row: int) -> str:
    """The cell as the file says it, numbers with every digit; `N/A` for a missing number."""
    if isinstance(column, TextColumn):
        return column.strings[int(column.codes[row])]
    if isinstance(column, NumberColumn):
        value = float(column.values[row])
        return NOT_AVAILABLE if np.isnan(value) else plain_number(value)
    time_ns = int(column.values[row])
    return NOT_AVAILABLE if time_ns == MISSING_NS else str(time_ns)


def head_of(column: Column, rows: int) -> Column:
    """The first rows of a column, not copied."""
    if isinstance(column, TextColumn):
        return replace(column, codes=column.codes[:rows])
    if isinstance(column, NumberColumn):
        return replace(column, values=column.values[:rows])
    return replace(column, values=column.values[:rows])


def taken(table: Table, rows: NDArray[np.intp]) -> Table:
    """A table of the given rows, copied; which file a row came from is no longer known."""
    columns: list[Column] = []
    for column in table.columns:
        if isinstance(column, TextColumn):
            columns.append(replace(column, codes=column.codes[rows]))
        elif isinstance(column, NumberColumn):
            columns.append(replace(column, values=column.values[rows]))
        else:
            columns.append(replace(column, values=column.values[rows]))
    return replace(table, columns=tuple(columns), parts=())


def of_device(table: Table, device: str) -> Table:
    """The rows of one device and of the host; the table itself when it holds no others."""
    column = table.get("device_id")
    if column is None:
        return table
    text = as_text(column)
    wanted = np.array([string in (device, "host") for string in text.strings], np.bool_)
    mine = wanted[text.codes] if len(wanted) else np.ones(table.row_count, np.bool_)
    return table if mine.all() else taken(table, np.flatnonzero(mine))

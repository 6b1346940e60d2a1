"""One table of a profile: named, typed columns over mapped arrays.

A number column is float64 with NaN for a missing cell; a time column is int64 nanoseconds with `MISSING_NS`; a text
column is int32 codes into a table of distinct strings. Nothing here reads files: the store opens tables, readers fill
them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from tui.model.problem import Problem

if TYPE_CHECKING:
    import pandas as pd

ColumnKind = Literal["text", "number", "time"]
Kept = TypeVar("Kept")

MISSING_NS = np.iinfo(np.int64).min
"""Marks a missing cell of a time column."""


@dataclass(frozen=True)
class ColumnInfo:
    """Name, type and unit of one column."""

    key: str
    """Canonical name with its unit last, e.g. `task_duration_us`; unique in a table."""
    heading: str
    """The file's own heading, e.g. `Task Duration(us)`; empty for a column that npuscope derived."""
    kind: ColumnKind
    unit: str = ""
    """`us`, `ns`, `ms`, `pct`, `ratio`, `kb`, `mb`, `mb_s`, `gb_s`, `mhz`, `cycles` … or empty."""
    whole: bool = False
    """A number column whose cells are all whole numbers in the file (ids, counts, cycles)."""


@dataclass(frozen=True)
class NumberColumn:
    """Numbers in the unit that the key names."""

    info: ColumnInfo
    values: NDArray[np.float64]
    """Shape (rows,); NaN where the file has no number. May be a read-only memory map."""


@dataclass(frozen=True)
class TimeColumn:
    """Points in time, absolute as in the file."""

    info: ColumnInfo
    values: NDArray[np.int64]
    """Shape (rows,), ns; `MISSING_NS` where the file has no time. May be a read-only memory map."""


@dataclass(frozen=True)
class TextColumn:
    """Text as codes into a table of distinct strings."""

    info: ColumnInfo
    codes: NDArray[np.int32]
    """Shape (rows,); index into `strings`, never negative. May be a read-only memory map."""
    strings: Sequence[str]
    """Distinct texts in order of first appearance; indexing decodes lazily."""

    def texts(self, rows: NDArray[np.intp] | slice) -> list[str]:
        """The texts of the given rows."""
        codes: list[int] = self.codes[rows].tolist()
        strings = self.strings
        return [strings[code] for code in codes]


Column = Union[NumberColumn, TimeColumn, TextColumn]


@dataclass(frozen=True)
class TablePart:
    """Rows of a table that came from one file."""

    path: str
    first_row: int
    """Index of its first row in the table."""
    rows: int


@dataclass(frozen=True)
class Table:
    """Rows of one kind, as one or several files hold them."""

    kind: str
    """Canonical kind: `ops`, `op-types`, `apis`, `tasks`, `steps`, `communication`, or the kind in the file's name."""
    columns: tuple[Column, ...]
    """In the order of the file; all of equal length."""
    parts: tuple[TablePart, ...] = ()
    problems: tuple[Problem, ...] = ()
    complete: bool = True
    """False while the import goes on, or when it was cancelled."""
    note: str = ""
    """Where the rows come from when not from a file of that kind, e.g. "recomputed from op_summary"."""
    _kept: dict[Hashable, Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    _index: dict[str, Column] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._index.update((column.info.key, column) for column in self.columns)

    @property
    def row_count(self) -> int:
        """Number of rows."""
        if not self.columns:
            return 0
        first = self.columns[0]
        return len(first.codes if isinstance(first, TextColumn) else first.values)

    @property
    def keys(self) -> tuple[str, ...]:
        """Canonical names in order."""
        return tuple(column.info.key for column in self.columns)

    def get(self, key: str) -> Column | None:
        """The column of that canonical name, or None."""
        return self._index.get(key)

    def number(self, key: str) -> NDArray[np.float64] | None:
        """Values of a number column; None when there is none of that name."""
        column = self._index.get(key)
        return column.values if isinstance(column, NumberColumn) else None

    def time(self, key: str) -> NDArray[np.int64] | None:
        """Values of a time column in ns; None when there is none of that name."""
        column = self._index.get(key)
        return column.values if isinstance(column, TimeColumn) else None

    def text(self, key: str) -> TextColumn | None:
        """A text column; None when there is none of that name."""
        column = self._index.get(key)
        return column if isinstance(column, TextColumn) else None

    def once(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What `make` returns, kept as long as the table: for what goes over all rows and is wanted again and again.

        Args:
            key: Tells apart what is kept; begins with the name of the function that keeps it.
        """
        if key not in self._kept:
            self._kept[key] = make()
        kept: Kept = self._kept[key]
        return kept

    def place(self, row: int) -> tuple[str, int]:
        """File of a row and its number in that file, counted from 1 after the heading line."""
        for part in reversed(self.parts):
            if row >= part.first_row:
                return part.path, row - part.first_row + 1
        return "", row + 1

    def frame(self) -> pd.DataFrame:
        """The table as a pandas frame; numbers share memory, text becomes categoricals."""
        import pandas as pd

        data: dict[str, object] = {}
        for column in self.columns:
            if isinstance(column, TextColumn):
                strings = pd.Index(list(column.strings))
                data[column.info.key] = pd.Categorical.from_codes(column.codes, strings)
            else:
                data[column.info.key] = column.values
        return pd.DataFrame(data, copy=False)

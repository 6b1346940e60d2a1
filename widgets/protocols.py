"""The contract between the grid and the application: what a table must offer to be shown.

The grid asks for small blocks of ready texts; it never sees values, units or files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol


@dataclass(frozen=True)
class GridColumn:
    """How one column is laid out. Widths are terminal cells."""

    key: str
    """Stable name; the grid remembers order, width and visibility by it."""
    title: str
    """Heading as shown, unit included, already translated."""
    width: int
    """Wanted width of the cell texts, without the gap of two cells before the next column."""
    align: Literal["left", "right"] = "left"
    cut: Literal["middle", "end", "never"] = "middle"
    """How a text that is too long is shortened; `never` lets the grid drop the column rather than cut it."""
    kind: Literal["text", "number", "bar", "mark"] = "text"
    """`bar` draws `Cell.fraction` in eighths of a cell; `mark` is a one-cell glyph column left of the first text."""
    grow: int = 0
    """Share of the cells that are left over when all columns fit; 0 keeps the width."""
    max_width: int = 0
    """Widest that growing makes it; 0 means no limit."""


class Cell(NamedTuple):
    """One cell of a block."""

    text: str
    role: str = ""
    """A role of `widgets.roles`; empty takes the column's or row's own."""
    fraction: float = -1.0
    """Length of a bar, 0…1 of the column's width; negative for no bar."""
    limit: float = -1.0
    """Place of a limit that the bar may cross, 0…1 of the column's width; negative for none."""
    rest: float = -1.0
    """A second part of the bar, behind the first: 0…1 of the column's width; negative for none."""
    change: tuple[float, float] | None = None
    """A bar around zero in place of a text: its length and the zone of noise, both −1…1 of the column's half width."""


class TableSource(Protocol):
    """Rows for the grid, by index. Implementations are immutable or change only between paints."""

    @property
    def columns(self) -> Sequence[GridColumn]:
        """All columns that the grid may show, in their default order."""
        ...

    @property
    def row_count(self) -> int:
        """Number of rows."""
        ...

    def block(self, first: int, last: int, columns: Sequence[int]) -> Sequence[Sequence[Cell]]:
        """Cells of the rows `first` ≤ row < `last` for the given columns, row by row."""
        ...

    def row_role(self, row: int) -> str:
        """Role of a whole row (`muted` for one that only inherits a fault), or empty."""
        ...

    def summary(self, columns: Sequence[int]) -> Sequence[Cell] | None:
        """Cells of the sum row for the given columns; None for no sum row."""
        ...

    def sort_marks(self) -> dict[str, tuple[int, bool]]:
        """Key of each sorted column → (rank from 1, descending)."""
        ...

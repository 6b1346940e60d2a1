"""Rows of a table as the grid shows them: which columns, how wide, with which role.

A `Plan` is one grid column over one table; it formats only the rows that the grid asks for. The texts are those of
`tui.model.cells`, so a screen and its command never show the same number differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tui.model.cells import CellFormat, cell_format
from tui.model.columns import head_of
from tui.model.ops import column_of
from tui.model.stats import finite_ends
from tui.model.table import MISSING_NS, Column, NumberColumn, Table, TextColumn
from tui.model.view import Shown, View, sort_of
from tui.units import GlyphSet, TimeChoice, missing_text
from widgets.protocols import Cell, GridColumn
from widgets.text import Cut
from widgets.text import cells as cell_width

Rows = NDArray[np.intp]

SAMPLE_ROWS = 500
"""Rows looked at to choose the width of a column of texts."""
PARTIAL_ROWS = 10_000
"""Rows looked at to choose unit, decimals and width of a column while more rows come."""
MAX_TEXT_CELLS = 24


@dataclass(frozen=True)
class Words:
    """What formatting depends on besides the table."""

    glyphs: GlyphSet = "blocks"
    units: TimeChoice = "auto"
    band_mid: str = "▄"
    band_high: str = "█"
    bands: tuple[float, float] = (20.0, 50.0)
    origin_ns: int | None = None
    """What points in time count from."""

    def band(self, share_pct: float) -> str:
        """`low`, `mid` or `high`; a share equal to a limit belongs to the upper band."""
        return "high" if share_pct >= self.bands[1] else "mid" if share_pct >= self.bands[0] else "low"


@dataclass(frozen=True)
class Plan:
    """One column of the grid."""

    grid: GridColumn
    cells: Callable[[Rows], list[Cell]]
    """Cells of the given rows of the table."""
    source: str
    """Key of the table column behind it (a share bar belongs to its duration), for sort, filter and group."""
    total: Cell = field(default=Cell(""))
    """Its cell in the sum row."""

    def with_total(self, text: str, role: str = "") -> Plan:
        """The same column with a text in its sum row."""
        return replace(self, total=Cell(text, role))


@dataclass(frozen=True)
class Width:
    """How much room a column asks for; 0 leaves the choice to its texts."""

    cells: int = 0
    grow: int = 0
    most: int = 0


def column_plan(
    table: Table,
    key: str,
    words: Words,
    *,
    title: str = "",
    role: str = "",
    width: Width = Width(),
    cut: Cut = "middle",
    warn: frozenset[str] = frozenset(),
) -> Plan | None:
    """A column of the file, or one derived from it; None when the table has none of that name.

    Args:
        title: Heading in place of the file's own; the unit is added.
        warn: Texts that are shown in amber.
    """
    column = column_of(table, key)
    if column is None:
        return None
    form, cells_needed = _measured(table, column, words)
    heading = _heading(form, title)
    missing = missing_text(words.glyphs)

    def cells(rows: Rows) -> list[Cell]:
        return [
            Cell(text, "faint" if text == missing else "warn" if text in warn else role) for text in form.texts(rows)
        ]

    if isinstance(column, TextColumn):
        cells_wide = width.cells or min(max(cells_needed, 4), MAX_TEXT_CELLS)
        return Plan(GridColumn(key, heading, cells_wide, "left", cut, "text", width.grow, width.most), cells, key)
    cells_wide = max(cells_needed, cell_width(heading), width.cells)
    return Plan(GridColumn(key, heading, cells_wide, "right", "never", "number"), cells, key)


def _measured(table: Table, column: Column, words: Words) -> tuple[CellFormat, int]:
    """The format of a column and the cells that its texts need; while more rows come, judged by the first ones."""
    basis = column if table.complete else head_of(column, PARTIAL_ROWS)

    def measure() -> tuple[CellFormat, int]:
        form = cell_format(basis, words.units, words.glyphs, words.origin_ns)
        needed = _widest(form) if isinstance(basis, TextColumn) else _widest_number(form)
        return replace(form, column=column), needed

    return table.once(("measured", column.info.key, words.units, words.glyphs, words.origin_ns), measure)


def _heading(form: CellFormat, title: str) -> str:
    if not title:
        return form.title
    label = form.title.rpartition(" ")[2] if form.unit and form.unit != "pct" else ""
    return f"{title} {label}".rstrip()


def _widest(form: CellFormat) -> int:
    return max(map(cell_width, form.texts(slice(0, SAMPLE_ROWS))), default=0)


def _widest_number(form: CellFormat) -> int:
    """Cells of the longest number of the whole column, which is one of its two ends."""
    column = form.column
    if isinstance(column, NumberColumn):
        return max((cell_width(form.number(value)) for value in finite_ends(column.values)), default=1)
    if isinstance(column, TextColumn):
        return 1
    known = np.flatnonzero(column.values != MISSING_NS)
    if not len(known):
        return 1
    values = column.values[known]
    ends = np.array([known[int(values.argmin())], known[int(values.argmax())]])
    return max(map(cell_width, form.texts(ends)))


def bar_plan(key: str, shares_pct: NDArray[np.float64], shown: Rows, source: str, words: Words, width: Width) -> Plan:
    """Bars of the shares, scaled to the largest of the rows shown; their colour is the band."""
    finite = shares_pct[shown]
    finite = finite[np.isfinite(finite)]
    largest = float(finite.max()) if len(finite) else 0.0

    def cells(rows: Rows) -> list[Cell]:
        return [_bar_cell(share, largest, words) for share in shares_pct[rows].tolist()]

    return Plan(GridColumn(key, "", width.cells, "left", "never", "bar", width.grow, width.most), cells, source)


def _bar_cell(share: float, largest: float, words: Words) -> Cell:
    if share != share or largest <= 0:
        return Cell("", "bar", 0.0)
    band = words.band(share)
    return Cell("", "bar" if band == "low" else band, share / largest)


def mark_plan(shares_pct: NDArray[np.float64], source: str, words: Words) -> Plan:
    """The band of each row as a glyph, so that colour is never the only sign; low is blank."""
    glyph = {"low": "", "mid": words.band_mid, "high": words.band_high}

    def cells(rows: Rows) -> list[Cell]:
        bands = [words.band(share) if share == share else "low" for share in shares_pct[rows].tolist()]
        return [Cell(glyph[band], band) for band in bands]

    return Plan(GridColumn("mark", "", 1, "left", "never", "mark"), cells, source)


def other_plans(table: Table, planned: Sequence[Plan | None], words: Words) -> list[Plan]:
    """The columns of the table that are not planned yet, under their own headings, in the order of the file."""
    keys = {plan.grid.key for plan in planned if plan is not None}
    plans = (column_plan(table, key, words, role="muted") for key in table.keys if key not in keys)
    return [plan for plan in plans if plan is not None]


class ShownRows:
    """A view of a table as the grid's source (`widgets.protocols.TableSource`)."""

    def __init__(self, table: Table, shown: Shown, plans: Sequence[Plan], view: View, *, has_sum: bool = False) -> None:
        self.shown = shown
        self.plans = tuple(plans)
        self._columns = tuple(plan.grid for plan in self.plans)
        self._has_sum = has_sum
        ranks = {key: (rank, descending) for rank, (key, descending) in enumerate(sort_of(table, view), 1)}
        self._marks = {
            plan.grid.key: ranks[plan.source]
            for plan in self.plans
            if plan.source in ranks and plan.grid.key == plan.source
        }

    @property
    def columns(self) -> Sequence[GridColumn]:
        """All columns, in their default order."""
        return self._columns

    @property
    def row_count(self) -> int:
        """Rows shown."""
        return len(self.shown.rows)

    def block(self, first: int, last: int, columns: Sequence[int]) -> Sequence[Sequence[Cell]]:
        """Cells of the rows first ≤ row < last."""
        rows = np.asarray(self.shown.rows[first:last])
        by_column = [self.plans[index].cells(rows) for index in columns]
        return list(zip(*by_column)) if by_column else [()] * len(rows)

    def row_role(self, row: int) -> str:
        """No row is set back here."""
        return ""

    def summary(self, columns: Sequence[int]) -> Sequence[Cell] | None:
        """The sum row of groups."""
        return [self.plans[index].total for index in columns] if self._has_sum else None

    def sort_marks(self) -> dict[str, tuple[int, bool]]:
        """Rank and direction of the sorted columns."""
        return self._marks

    def source_of(self, key: str) -> str:
        """Key of the table column behind a grid column."""
        return next((plan.source for plan in self.plans if plan.grid.key == key), "")

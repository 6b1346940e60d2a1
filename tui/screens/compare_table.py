"""The rows of a comparison as the Compare screen shows them: both sides, the difference as number, bar and word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.compare_report import MATCH_NAMES, VERDICT_NAMES
from tui.i18n import N_, _
from tui.model import dump
from tui.model.cells import CellFormat, cell_format
from tui.model.comparison import MATCHES, VERDICTS, By, Verdict
from tui.model.exact import decimals_of
from tui.model.stats import finite_ends
from tui.model.table import NumberColumn, Table
from tui.model.view import Shown
from tui.screens.dump_table import VERDICT_ROLES as DRIFT_ROLES
from tui.screens.dump_table import verdict_text
from tui.screens.rows import Plan, Rows, Width, Words, column_plan, other_plans
from tui.units import TimeChoice, missing_text, time_unit
from widgets.protocols import Cell, GridColumn
from widgets.text import cells as cell_width

WIDE_FROM = 110
"""Width from which the match is shown, and bars are long."""
BAR_CELLS, WIDE_BAR_CELLS = 13, 29
MOST_DECIMALS = 3
SIGNIFICANT = 4
"""Digits of a cell; the details have them all."""
VERDICT_ROLES: dict[Verdict, str] = {
    "faster": "better bold", "slower": "worse bold", "same": "muted", "count_changed": "warn",
    "incomparable": "warn", "new": "worse", "gone": "better",
}  # fmt: skip
DELTA_ROLES: dict[Verdict, str] = {
    "faster": "better", "slower": "worse", "same": "muted", "new": "worse", "gone": "better",
}  # fmt: skip
BY_NAMES: dict[By, str] = {
    "name": N_("by operator"), "type": N_("by type"), "shape": N_("by type and shapes"), "api": N_("by API"),
}  # fmt: skip
NAME_KEYS: dict[By, tuple[str, ...]] = {
    "name": ("op_name",), "type": ("op_type",), "shape": ("op_type", "input_shapes"), "api": ("op_name",),
}  # fmt: skip
FIGURES = ("a_total_us", "b_total_us", "delta_us", "delta_pct", "change_bar")
NAME_TITLES = {"op_name": N_("Op"), "op_type": N_("OP Type"), "input_shapes": N_("Shapes")}


BESIDE = ("claimed_pct", "cosine", "drift")
"""What tunings and dumps say; where the terminal is narrow it takes the room of the bars."""


def default_keys(by: By, width_cells: int, table: Table) -> Sequence[str]:
    """Columns shown until the user chooses others."""
    wide = width_cells >= WIDE_FROM
    beside = tuple(key for key in BESIDE if key in table.keys)
    match = ("match",) if by == "name" and wide and not beside else ()
    most = FIGURES if wide or by != "shape" else FIGURES[:3]
    figures = tuple(key for key in most if wide or not beside or key != "change_bar")
    return (*NAME_KEYS[by], *figures, *beside, *match, "verdict")


def row_plans(table: Table, shown: Shown, words: Words, by: By, width_cells: int) -> list[Plan]:
    """The columns of matched rows, the default ones first."""
    rows = _Cells(table, shown.rows, words)
    bar_cells = WIDE_BAR_CELLS if width_cells >= WIDE_FROM else BAR_CELLS
    planned = [
        *(_name_plan(table, key, by, words) for key in NAME_KEYS[by]),
        rows.side_plan("a_total_us", "A"),
        rows.side_plan("b_total_us", "B"),
        rows.figure_plan("delta_us", "Δ", coloured=True),
        rows.share_plan("delta_pct", _("measured %") if "claimed_pct" in table.keys else "Δ %"),
        rows.share_plan("claimed_pct", _("claimed %")),
        rows.bar_plan(bar_cells),
        rows.cosine_plan(),
        rows.drift_plan(),
        rows.word_plan("match", _("match"), [_(MATCH_NAMES[match]) for match in MATCHES], lambda _word: "muted"),
        rows.verdict_plan(),
        column_plan(table, "op_type", words, title=_("OP Type"), role="muted") if by == "name" else None,
        *(
            column_plan(table, key, rows.words, role="muted")
            for key in ("a_call_us", "b_call_us", "a_count", "b_count")
        ),
    ]
    return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]


def _name_plan(table: Table, key: str, by: By, words: Words) -> Plan | None:
    title = _("API") if by == "api" else _(NAME_TITLES[key])
    return column_plan(table, key, words, title=title, width=Width(18 if key == "op_name" else 12, 2, 40))


def unit_of(table: Table, words: Words) -> TimeChoice:
    """One unit for both sides and their difference."""
    totals = [table.number(key) for key in ("a_total_us", "b_total_us")]
    ends = [abs(end) for values in totals if values is not None for end in finite_ends(values)]
    return time_unit(max(ends, default=0.0) * 1000.0, words.units)  # type: ignore[return-value]


def decimals_for(largest: float, known: int) -> int:
    """Decimals for about four digits of the largest number, one at least where there are any."""
    digits = len(str(int(abs(largest))))
    return min(known, max(SIGNIFICANT - digits, 1))


class _Cells:
    """Makes columns of a comparison."""

    def __init__(self, table: Table, shown: Rows, words: Words) -> None:
        self.table = table
        self.words = replace(words, units=unit_of(table, words))
        verdicts = table.text("verdict")
        codes = np.zeros(table.row_count, np.int32) if verdicts is None else np.asarray(verdicts.codes)
        self._codes = codes
        self._lone = (codes == VERDICTS.index("new")) | (codes == VERDICTS.index("gone"))
        deltas = self._numbers("delta_us")
        self._deltas = deltas
        known = np.abs(deltas[shown])
        known = known[np.isfinite(known)]
        self._largest = float(known.max()) if len(known) else 0.0

    def _numbers(self, key: str) -> NDArray[np.float64]:
        values = self.table.number(key)
        return np.full(self.table.row_count, np.nan) if values is None else values

    def _roles(self, rows: Rows) -> list[str]:
        """Colour of a difference by its verdict; the word stands in the same row."""
        return [DELTA_ROLES.get(VERDICTS[code], "text") for code in self._codes[rows].tolist()]

    def _decimals(self, form: CellFormat) -> int:
        """The same for both sides and their difference: as the largest total needs."""
        totals = [self._numbers(key) for key in ("a_total_us", "b_total_us")]
        largest = max((abs(end) for values in totals for end in finite_ends(values)), default=0.0)
        known = max(decimals_of(values * form.factor) for values in totals)
        return decimals_for(largest * form.factor, min(known, MOST_DECIMALS))

    def side_plan(self, key: str, title: str) -> Plan | None:
        """Totals of one side; a dash where it has no such row."""
        counts = self._numbers("a_count" if key.startswith("a_") else "b_count")
        return self.figure_plan(key, title, counts == 0)

    def figure_plan(
        self, key: str, title: str, missing: NDArray[np.bool_] | None = None, coloured: bool = False
    ) -> Plan | None:
        """Times in the unit of both sides."""
        column = self.table.get(key)
        if not isinstance(column, NumberColumn):
            return None
        form = cell_format(column, self.words.units, self.words.glyphs)
        form = replace(form, decimals=self._decimals(form))
        none = missing_text(self.words.glyphs)

        def cells(rows: Rows) -> list[Cell]:
            texts = form.texts(rows)
            lacking = [False] * len(texts) if missing is None else missing[rows].tolist()
            return [
                Cell(none, "faint") if lacks or text == none else Cell(text, role)
                for text, lacks, role in zip(texts, lacking, self._roles(rows) if coloured else ["text"] * len(texts))
            ]

        label = form.title.rpartition(" ")[2]
        width = max([cell_width(form.number(end)) for end in finite_ends(column.values)] + [5])
        heading = f"{title} {label}"
        return Plan(GridColumn(key, heading, max(width, cell_width(heading)), "right", "never", "number"), cells, key)

    def share_plan(self, key: str, title: str) -> Plan | None:
        """Percent of A, where both sides have the row."""
        column = self.table.get(key)
        if not isinstance(column, NumberColumn):
            return None
        form = replace(cell_format(column, "auto", self.words.glyphs), decimals=1)
        none = missing_text(self.words.glyphs)

        def cells(rows: Rows) -> list[Cell]:
            lone_rows = self._lone[rows] if key == "delta_pct" else np.zeros(len(rows), np.bool_)
            pairs = zip(form.texts(rows), lone_rows.tolist())
            return [
                Cell(none, "faint") if lone or text == none else Cell(text, role if key == "delta_pct" else "muted")
                for (text, lone), role in zip(pairs, self._roles(rows))
            ]

        ends = finite_ends(column.values[~self._lone])
        width = max([cell_width(form.number(end)) for end in ends] + [6, cell_width(title)])
        return Plan(GridColumn(key, title, width, "right", "never", "number"), cells, key)

    def cosine_plan(self) -> Plan | None:
        """Cosine of the output that differs most, of the dumps that are open."""
        values = self.table.number("cosine")
        if values is None:
            return None
        none = missing_text(self.words.glyphs)

        def cells(rows: Rows) -> list[Cell]:
            return [Cell(f"{value:.4f}", "text") if value == value else Cell(none, "faint")
                    for value in values[rows].tolist()]  # fmt: skip

        return Plan(GridColumn("cosine", _("cosine"), 7, "right", "never", "number"), cells, "cosine")

    def drift_plan(self) -> Plan | None:
        """The verdict of the dumps, as a word."""
        names = ["", *map(verdict_text, dump.VERDICTS)]
        roles = ["faint", *(DRIFT_ROLES.get(verdict, "muted") for verdict in dump.VERDICTS)]
        return self.word_plan("drift", _("drift"), names, lambda code: roles[code])

    def bar_plan(self, width_cells: int) -> Plan:
        """Bars around zero, on the zone of noise, scaled to the largest difference shown."""
        largest, bands = self._largest, self._numbers("band_us")

        def cells(rows: Rows) -> list[Cell]:
            pairs = zip(self._deltas[rows].tolist(), bands[rows].tolist())
            return [
                Cell("", "", change=(delta / largest, band / largest)) if largest else Cell("") for delta, band in pairs
            ]

        left, right = _("faster"), _("slower")
        title = left + " " * (width_cells - cell_width(left) - cell_width(right)) + right
        return Plan(GridColumn("change_bar", title, width_cells, "left", "never", "text"), cells, "delta_us")

    def word_plan(self, key: str, title: str, names: list[str], role_of: Callable[[int], str]) -> Plan | None:
        """Codes as words."""
        column = self.table.text(key)
        if column is None:
            return None
        codes = np.asarray(column.codes)
        used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
        width = max([cell_width(names[code]) for code in used.tolist()] + [cell_width(title), 6])

        def cells(rows: Rows) -> list[Cell]:
            return [Cell(names[code], role_of(code)) for code in codes[rows].tolist()]

        return Plan(GridColumn(key, title, width, "left", "end", "text"), cells, key)

    def verdict_plan(self) -> Plan | None:
        """The verdict as a word; its colour says it a second time."""
        names: list[str] = [_(VERDICT_NAMES[verdict]) for verdict in VERDICTS]
        return self.word_plan("verdict", "", names, lambda code: VERDICT_ROLES[VERDICTS[code]])

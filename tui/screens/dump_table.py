"""The rows of a comparison as the Dump screen shows them: what is added to their table, and its columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.dump.headroom import Headroom, headroom
from tui.i18n import _
from tui.model.dump import EXPECTED_CAUSES, DumpComparison, PairRow, Verdict
from tui.model.table import Table
from tui.model.view import Shown, View
from tui.screens.rows import Plan, Rows, ShownRows, Width, Words, column_plan, other_plans
from tui.units import missing_text, number_text
from widgets.protocols import Cell, GridColumn

PAIR_KEYS = ("op_output", "shape", "cosine", "max_abs_error", "headroom_bar", "headroom_b", "verdict")
WIDE_KEYS = (
    "op_output", "dtypes", "shape", "cosine", "max_abs_error", "relative_euclidean_distance", "headroom_bar",
    "headroom_b", "verdict",
)  # fmt: skip
REASON_FROM = 140
"""Width from which the reason is shown in the row."""
WIDE_FROM = 110
"""Width from which types and more metrics are shown."""
FIRST_VIEW = View(exclude=(("part", "input"),))
"""Inputs repeat the outputs that feed them."""
TIGHT_RATIO = 0.8
"""From this use of float16's range on the bar is amber."""
MOST_SHAPE_CELLS = 13
WIDEST_RATIO = 2.0
"""Where bars of head-room end at most."""
VERDICT_ROLES: dict[Verdict, str] = {
    "overflow": "error bold", "bad": "error", "drift": "warn", "tiny": "muted",
    "shape": "warn", "no_pair": "warn", "unreadable": "warn",
}  # fmt: skip


def comparison_of(table: Table) -> DumpComparison:
    """The comparison that a table was made of."""
    return table.once("comparison", lambda: DumpComparison("", "", ()))


def _shape_cells(table: Table) -> int:
    """Cells of the longest shape, within reason."""
    shapes = table.text("shape")
    longest = max(map(len, shapes.strings), default=0) if shapes is not None else 0
    return min(max(longest, 5), MOST_SHAPE_CELLS)


class PairRows(ShownRows):
    """Rows of pairs; those that only inherit a fault are set back."""

    def row_role(self, row: int) -> str:
        """`faint` for a row that failed because its inputs did."""
        if self.shown.groups is not None:
            return ""
        return "faint" if comparison_of(self.shown.table).rows[int(self.shown.rows[row])].inherited else ""


def pair_plans(table: Table, shown: Shown, words: Words, divergence: str, line: str, width_cells: int) -> list[Plan]:
    """The columns of pairs.

    Args:
        divergence: Glyph that marks the first divergence.
        line: Glyph that marks what inherits it.
        width_cells: Of the screen.
    """
    if shown.groups is not None:
        return list(other_plans(shown.table, (), words))
    pairs = _Cells(comparison_of(table), words)
    wide = width_cells >= WIDE_FROM
    planned = [
        pairs.mark_plan(divergence, line),
        column_plan(table, "op_output", words, title=_("Op:output"), width=Width(16, 2, 44)),
        column_plan(table, "dtypes", words, title=_("Type A B"), width=Width(9)),
        column_plan(table, "shape", words, title=_("Shape"), role="muted", width=Width(_shape_cells(table), 1, 24)),
        pairs.plan("cosine", _("Cosine"), 7, lambda row: row.cosine, cosine_text, pairs.cosine_role),
        pairs.plan("max_abs_error", _("Max |Δ|"), 8, _metric("max_abs_error"), words_number, _plain),
        pairs.plan("relative_euclidean_distance", _("rel. L2"), 7, _metric("relative_euclidean_distance"),
                   cosine_text, _muted),
        pairs.bar_plan(shown, _("head-room of fp16") if wide else _("headroom"), 17 if wide else 8),
        pairs.plan("headroom_b", _("use"), 5, _use, use_text, pairs.use_role),
        pairs.verdict_plan(),
        column_plan(table, "reason", words, title=_("Reason"), role="muted", width=Width(20, 3), cut="end"),
    ]  # fmt: skip
    return [pairs.quiet(plan) for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]


Value = Callable[[PairRow], "float | None"]


def _metric(name: str) -> Value:
    return lambda row: None if row.metrics is None else float(getattr(row.metrics, name))


def room_of(row: PairRow) -> Headroom | None:
    """What float16 can hold of the golden side; None where that is no question: not compared, or whole numbers."""
    if row.b is None or row.metrics is None or "float" not in row.b.dtype:
        return None
    return headroom(row.b)


def _use(row: PairRow) -> float | None:
    room = room_of(row)
    return None if room is None or math.isnan(room.ratio) else room.ratio


def _plain(_row: PairRow) -> str:
    return ""


def _muted(_row: PairRow) -> str:
    return "muted"


def cosine_text(value: float) -> str:
    """Four decimals."""
    return f"{value:.4f}" if abs(value) < 1000 else figure(value, 3)


def use_text(value: float) -> str:
    """Two decimals; large ones as powers of ten."""
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0e}"


def words_number(value: float) -> str:
    """Four significant digits, thousands set apart; very large and small ones as powers of ten."""
    return figure(value, 4)


def figure(value: float, digits: int = 6) -> str:
    """A number with so many significant digits; NaN and ±Inf by name, `−` for minus is left to the glyphs."""
    if not math.isfinite(value):
        return f"{value:g}".replace("inf", "Inf").replace("nan", "NaN")
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if not -3 <= magnitude < 9:
        return f"{value:.{max(digits - 3, 1)}e}"
    decimals = max(0, digits - 1 - magnitude)
    return number_text(value, min(decimals, 7))


def range_figure(value: float) -> str:
    """A number of a range: one decimal from 100 on, so that points align; more of them below."""
    if math.isfinite(value) and 100 <= abs(value) < 1e9:
        return number_text(value, 1)
    return figure(value, 4)


def short_figure(value: float) -> str:
    """The same with all digits that say something, and no needless zeros: for sentences."""
    text = figure(value, 8)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


class _Cells:
    """Makes the columns that are more than the table's own texts."""

    def __init__(self, comparison: DumpComparison, words: Words) -> None:
        self.rows = comparison.rows
        self.first = -1 if comparison.first_divergence is None else comparison.first_divergence.row
        self.missing = missing_text(words.glyphs)

    def _quiet(self, row: PairRow, role: str) -> str:
        """No role of its own in a row that is set back as a whole."""
        return "" if row.inherited else role

    def quiet(self, plan: Plan) -> Plan:
        """The same column; rows that are set back as a whole have no muted cells of their own."""

        def cells(rows: Rows) -> list[Cell]:
            return [
                cell._replace(role="") if cell.role == "muted" and self.rows[at].inherited else cell
                for at, cell in zip(rows.tolist(), plan.cells(rows))
            ]

        return replace(plan, cells=cells)

    def plan(
        self, key: str, title: str, width: int, value: Value, text: Callable[[float], str],
        role: Callable[[PairRow], str],
    ) -> Plan:  # fmt: skip
        """A column of numbers."""

        def cell(row: PairRow) -> Cell:
            number = value(row)
            if number is None or (math.isnan(number) and not self._is_nan_of_data(row)):
                return Cell(self.missing, self._quiet(row, "faint"))
            return Cell(text(number), self._quiet(row, role(row)))

        return Plan(GridColumn(key, title, width, "right", "never", "number"), self._each(cell), key)

    @staticmethod
    def _is_nan_of_data(row: PairRow) -> bool:
        return row.counted

    def _each(self, cell: Callable[[PairRow], Cell]) -> Callable[[Rows], list[Cell]]:
        return lambda rows: [cell(self.rows[at]) for at in rows.tolist()]

    @staticmethod
    def cosine_role(row: PairRow) -> str:
        """Loud where the cosine is what is wrong, or where something else is."""
        return {"overflow": "error bold", "bad": "error bold", "drift": "warn"}.get(row.verdict, "")

    @staticmethod
    def use_role(row: PairRow) -> str:
        """The colour of the bar."""
        ratio = _use(row)
        return "" if ratio is None or not ratio > TIGHT_RATIO else "error" if ratio > 1 else "warn"

    def mark_plan(self, divergence: str, line: str) -> Plan:
        """The first divergence, and a line along what inherits it."""

        def cells(rows: Rows) -> list[Cell]:
            return [
                Cell(divergence, "error")
                if at == self.first
                else Cell(line if self.rows[at].inherited else "", "faint")
                for at in rows.tolist()
            ]

        return Plan(GridColumn("mark", "", 1, "left", "never", "mark"), cells, "verdict")

    def bar_plan(self, shown: Shown, title: str, width: int) -> Plan:
        """The use of float16's range, with a line where it ends."""
        scale = min(max(_largest(shown.table, shown.rows), 1.0), WIDEST_RATIO)

        def cell(row: PairRow) -> Cell:
            ratio = _use(row)
            if ratio is None or math.isnan(ratio):
                return Cell("")
            role = "high" if ratio > 1 else "mid" if ratio > TIGHT_RATIO else "bar"
            role = "faint" if row.inherited else role
            return Cell("", role, min(ratio / scale, 1.0), 1.0 / scale if scale > 1 else 0.999)

        return Plan(
            GridColumn("headroom_bar", title, width, "left", "never", "bar", 3, 26), self._each(cell), "headroom_b"
        )

    def verdict_plan(self) -> Plan:
        """The verdict in its colour."""

        def cell(row: PairRow) -> Cell:
            role = "muted" if row.cause in EXPECTED_CAUSES else VERDICT_ROLES.get(row.verdict, "")
            return Cell(verdict_text(row.verdict), self._quiet(row, role))

        return Plan(GridColumn("verdict", _("Verdict"), 8, "left", "end", "text"), self._each(cell), "verdict")


def verdict_text(verdict: Verdict) -> str:
    """The verdict as shown, translated."""
    names: dict[Verdict, str] = {
        "ok": _("ok"), "drift": _("drift"), "bad": _("bad"), "overflow": _("overflow"), "tiny": _("tiny"),
        "shape": _("shape"), "no_pair": _("no pair"), "unreadable": _("unread"),
    }  # fmt: skip
    return names[verdict]


def _largest(table: Table, rows: NDArray[np.intp]) -> float:
    """The largest finite use of float16's range of the rows shown; 0 for none."""
    values = table.number("headroom_b")
    shown = np.zeros(0) if values is None else values[rows]
    finite = shown[np.isfinite(shown)]
    return float(finite.max()) if len(finite) else 0.0


def default_keys(width_cells: int) -> Sequence[str]:
    """Columns shown until the user chooses others."""
    if width_cells >= REASON_FROM:
        return (*WIDE_KEYS, "reason")
    return WIDE_KEYS if width_cells >= WIDE_FROM else PAIR_KEYS

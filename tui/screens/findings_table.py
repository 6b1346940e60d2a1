"""The list of findings and the evidence of one of them, as tables and as columns of their grids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.finding_report import CONFIDENCE_NAMES, SEVERITY_NAMES
from tui.i18n import N_, _
from tui.model.finding import Evidence, Finding, Findings, findings_table
from tui.model.inventory import text_column
from tui.model.table import Column, ColumnInfo, NumberColumn, Table
from tui.model.view import Shown, View, apply_view
from tui.screens.rows import Plan, Rows, ShownRows, Width, Words, bar_plan, column_plan, other_plans
from tui.units import NS_PER_UNIT, missing_text, number_text, time_unit, unit_label
from widgets.protocols import Cell, GridColumn
from widgets.text import cells as cell_width

LIST_KEYS = ("severity", "recoverable_us", "share_pct", "title", "confidence", "rule")
SEVERITY_ROLES: Mapping[str, str] = {
    "error": "error bold", "high": "error bold", "warn": "warn bold", "medium": "warn bold", "low": "info bold",
    "info": "info bold",
}  # fmt: skip
_FIGURES: Mapping[str, str] = {
    "task_duration_us": N_("Duration"), "share_pct": N_("% of device"), "dur_us": N_("Duration"),
    "type_median_us": N_("median of type"), "task_wait_time_us": N_("Wait"),
    "span_pct": N_("% of span"), "time_us": N_("Time"), "time_ms": N_("Time"), "count": N_("Count"),
    "total_us": N_("Total"), "total_time_us": N_("Total"), "gap_us": N_("Gap"), "cause": N_("Cause"),
    "verdict": N_("Verdict"),
}  # fmt: skip
"""Headings of figures (message ids) that are not told by their names."""
_UNITS = ("us", "ms", "ns", "pct", "ratio", "mb_s", "gb_s", "mb", "kb", "bytes", "mhz")


def screen_table(found: Findings, listed: Sequence[Finding]) -> Table:
    """The findings that are shown, one row each: the columns of `findings_table`, and the share of the span."""
    table = findings_table(replace(found, findings=tuple(listed)))
    shares = [np.nan if finding.share_pct is None else finding.share_pct for finding in listed]
    share = NumberColumn(ColumnInfo("share_pct", "", "number", "pct"), np.array(shares, np.float64))
    return replace(table, columns=(*table.columns, share))


def list_plans(table: Table, shown: Shown, words: Words) -> list[Plan]:
    """Severity, recoverable time, its share, what it is, how sure, which rule."""
    if shown.groups is not None:
        return other_plans(shown.table, (), words)
    planned = [
        _word_plan(table, "severity", {str(key): name for key, name in SEVERITY_NAMES.items()}, "", words),
        _bound_plan(table, words),
        column_plan(table, "share_pct", words, title=_("% span")),
        column_plan(table, "title", words, title=_("Finding"), width=Width(24, 3, 200), cut="end"),
        _word_plan(table, "confidence", CONFIDENCE_NAMES, _("Sure?"), words),
        column_plan(table, "rule", words, title=_("Rule"), role="muted", width=Width(4)),
    ]
    return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]


def _word_plan(table: Table, key: str, names: Mapping[str, str], title: str, words: Words) -> Plan | None:
    """A column of keys shown as words."""
    plan = column_plan(table, key, words, role="muted")
    column = table.text(key)
    if plan is None or column is None:
        return None

    def made(rows: Rows) -> list[Cell]:
        return [Cell(_(names.get(text, text)), SEVERITY_ROLES.get(text, "muted")) for text in column.texts(rows)]

    width = max((cell_width(_(name)) for name in names.values()), default=4)
    return Plan(GridColumn(key, title, max(width, cell_width(title)), "left", "never"), made, key)


def _bound_plan(table: Table, words: Words) -> Plan:
    """The recoverable time, an upper bound: in the unit that suits the largest, written out since it is a sentence."""
    values = table.number("recoverable_us")
    assert values is not None
    known = values[np.isfinite(values)] * NS_PER_UNIT["us"]
    unit = time_unit(float(known.max()) if len(known) else 0.0, words.units)
    decimals = _bound_decimals(known / NS_PER_UNIT[unit]) if unit != "ns" else 0
    sign, label = "≤ " if words.glyphs == "blocks" else "<= ", unit_label(unit, words.glyphs)

    def text(time_us: float) -> Cell:
        if not np.isfinite(time_us):
            return Cell(missing_text(words.glyphs), "faint")
        number = number_text(time_us * NS_PER_UNIT["us"] / NS_PER_UNIT[unit], decimals, words.glyphs)
        return Cell(f"{sign}{number} {label}")

    title = _("Recover")
    width = max([cell_width(title) + 2, *(cell_width(text(time_us).text) for time_us in values.tolist())])
    column = GridColumn("recoverable_us", title, width, "right", "never", "number")
    return Plan(column, lambda rows: [text(time_us) for time_us in values[rows].tolist()], "recoverable_us")


def _bound_decimals(values: NDArray[np.float64]) -> int:
    """As many as the smallest needs to be more than nothing, up to three."""
    smallest = float(values[values > 0].min()) if (values > 0).any() else 1.0
    return next((decimals for decimals in (1, 2) if smallest >= 10.0**-decimals), 3)


class FindingRows(ShownRows):
    """Findings, those that the user has hidden set back."""

    def __init__(self, table: Table, shown: Shown, plans: Sequence[Plan], view: View, hidden: frozenset[int]) -> None:
        """
        Args:
            hidden: Rows of the table that are hidden ones.
        """
        super().__init__(table, shown, plans, view)
        self._hidden = hidden if shown.groups is None else frozenset[int]()
        if not view.sort and shown.groups is None:
            self._marks = {"recoverable_us": (1, True)}

    def row_role(self, row: int) -> str:
        """Hidden findings are set back."""
        return "faint" if int(self.shown.rows[row]) in self._hidden else ""


# ── evidence ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def evidence_rows(evidence: Sequence[Evidence], words: Words) -> ShownRows:
    """What a finding rests on: names, figures, and a bar of the figure that decides."""
    table = Table("evidence", (text_column("name", [entry.text for entry in evidence]), *_figures(evidence)))
    shown = apply_view(table, View())
    deciding = evidence[0].figures[0][0] if evidence and evidence[0].figures else ""
    return ShownRows(table, shown, list(_evidence_plans(table, shown, deciding, words)), View())


def _figures(evidence: Sequence[Evidence]) -> Iterator[Column]:
    """A column per figure, in the order of their first appearance."""
    for key in dict.fromkeys(key for entry in evidence for key, _value in entry.figures):
        values = [dict(entry.figures).get(key) for entry in evidence]
        heading = _(_FIGURES[key]) if key in _FIGURES else _spelled(key)
        if any(isinstance(value, str) for value in values):
            yield text_column(key, ["" if value is None else str(value) for value in values], heading)
        else:
            numbers = [np.nan if value is None else float(value) for value in values]
            yield NumberColumn(ColumnInfo(key, heading, "number", _unit(key)), np.array(numbers, np.float64))


def _unit(key: str) -> str:
    return next((unit for unit in _UNITS if key.endswith(f"_{unit}")), "")


def _spelled(key: str) -> str:
    unit = _unit(key)
    return (key[: -len(unit) - 1] if unit else key).replace("_", " ")


def _evidence_plans(table: Table, shown: Shown, deciding: str, words: Words) -> Iterator[Plan]:
    """The name first and growing; the deciding figure is bright, its bar comes last."""
    name = column_plan(table, "name", words, title=_("Name"), width=Width(16, 2, 60))
    if name is not None:
        yield name
    for column in table.columns[1:]:
        key = column.info.key
        is_text = not isinstance(column, NumberColumn)
        role = "" if key == deciding else "muted"
        plan = column_plan(table, key, words, role=role, width=Width(0, int(is_text), 60), cut="end")
        if plan is not None:
            yield plan
    values = table.number(deciding)
    if values is not None and len(values) and np.nanmax(np.where(np.isfinite(values), values, 0.0)) > 0:
        shares = np.where(np.isfinite(values), np.maximum(values, 0.0), np.nan)
        yield bar_plan("bar", shares, shown.rows, deciding, replace(words, bands=(np.inf, np.inf)), Width(8, 3, 60))

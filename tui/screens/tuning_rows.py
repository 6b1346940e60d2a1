"""The operators of a tuning as rows: what is left and what was saved of each, and one of them closely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model.columns import cell_text
from tui.model.table import Table
from tui.model.view import Shown
from tui.screens.event_view import row_title
from tui.screens.facts import Fact, fact, fact_lines
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, Rows, Width, Words, column_plan, other_plans
from tui.units import number_text
from widgets.protocols import Cell, GridColumn

NOTICED_PCT = 1.0
"""A smaller gain is noise."""


def unit_of(table: Table) -> str:
    """`us`, or `ticks` where the report counts in those."""
    return "us" if "before_us" in table.keys else "ticks"


def tuning_keys(table: Table) -> tuple[str, ...]:
    """The columns that come first."""
    unit = unit_of(table)
    return ("op_name", "op_type", f"before_{unit}", f"after_{unit}", f"saved_{unit}", "gain_pct", "saved_bar",
            "share_pct")  # fmt: skip


def tuning_plans(table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
    """Name, type, before, after, saved, gain, the time that is left and that was saved as a bar, share of the model."""
    unit = unit_of(table)
    gains = table.number("gain_pct")
    planned = [
        column_plan(table, "op_name", words, title=_("Op"), width=Width(9, 2, 40)),
        column_plan(table, "op_type", words, title=_("Type"), role="muted", width=Width(8, 1, 20)),
        column_plan(table, f"before_{unit}", words, title=_("Before")),
        column_plan(table, f"after_{unit}", words, title=_("After")),
        _toned(column_plan(table, f"saved_{unit}", words, title=_("Saved")), gains),
        _toned(_percent_plan(table, "gain_pct", _("Gain"), words), gains),
        _split_plan(table, unit, shown),
        _percent_plan(table, "share_pct", _("of model"), words),
    ]
    return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]


def _toned(plan: Plan | None, gains: NDArray[np.float64] | None) -> Plan | None:
    """What is noise stands back; a loss warns."""
    if plan is None or gains is None:
        return plan

    def made(rows: Rows) -> list[Cell]:
        cells = plan.cells(rows)
        return [cell._replace(role=cell.role or _tone(gain)) for cell, gain in zip(cells, gains[rows].tolist())]

    return replace(plan, cells=made)


def _tone(gain_pct: float) -> str:
    if gain_pct >= NOTICED_PCT:
        return "better"
    return "worse" if gain_pct <= -NOTICED_PCT else "muted"


def _percent_plan(table: Table, key: str, title: str, words: Words) -> Plan | None:
    """Percent with two decimals, which tell a small gain from none."""
    values = table.number(key)
    if values is None:
        return None

    def made(rows: Rows) -> list[Cell]:
        texts = [number_text(value, 2, words.glyphs) for value in values[rows].tolist()]
        return [Cell(f"{text} %") if value == value else Cell(text, "faint")
                for text, value in zip(texts, values[rows].tolist())]  # fmt: skip

    return Plan(GridColumn(key, title, 8, "right", "never", "number"), made, key)


def _split_plan(table: Table, unit: str, shown: Shown) -> Plan | None:
    """Bars as long as the time before, split into what is left and what was saved."""
    before, after = table.number(f"before_{unit}"), table.number(f"after_{unit}")
    if before is None or after is None:
        return None
    longest = np.fmax(before, after)[shown.rows]
    scale = float(np.nanmax(longest)) if np.isfinite(longest).any() else 1.0

    def made(rows: Rows) -> list[Cell]:
        return [_split_cell(was, now, scale or 1.0) for was, now in zip(before[rows].tolist(), after[rows].tolist())]

    title = _("left, saved")
    return Plan(GridColumn("saved_bar", title, 11, "left", "never", "bar", 4, 40), made, f"saved_{unit}")


def _split_cell(before: float, after: float, scale: float) -> Cell:
    if before != before or after != after:
        return Cell("")
    role = "worse" if after > before else "left"
    return Cell("", role, after / scale, rest=max(before - after, 0.0) / scale)


def tuning_pane(table: Table, shown: Shown, position: int, room: Room) -> Pane:
    """One operator: the name in full, its times, and what the tool claims of it beside what its times say."""
    row = int(shown.rows[position])
    facts = [*_time_facts(table, row, room), *_claim_facts(table, row)]
    return Pane(row_title(shown.table, row), "", fact_lines(facts, room.width, room.glyphs.ellipsis))


def _time_facts(table: Table, row: int, room: Room) -> list[Fact]:
    unit = unit_of(table)
    word = "µs" if unit == "us" and room.number_glyphs != "ascii" else unit
    facts = []
    for key, title in ((f"before_{unit}", _("before")), (f"after_{unit}", _("after"))):
        facts.append(fact(title, f"{number_text(_value(table, key, row), 3, room.number_glyphs)} {word}"))
    return facts


def _claim_facts(table: Table, row: int) -> list[Fact]:
    """What the tool writes, which is of the time after, and the same from the times."""
    unit = unit_of(table)
    before, after = _value(table, f"before_{unit}", row), _value(table, f"after_{unit}", row)
    note = _("by the tool: saved, of the time after")
    if after and before == before:
        computed = number_text(100.0 * (before - after) / after, 2)
        note = _("{what}; its times say {computed} %").format(what=note, computed=computed)
    facts = [fact(_("claimed"), _text(table, "claimed", row), "better", wide=True, note=note)]
    facts += [fact(_("tuner"), _text(table, "tuner", row)), fact(_("entry"), _text(table, "update", row))]
    return [entry for entry in facts if entry.value[0].text]


def _value(table: Table, key: str, row: int) -> float:
    values = table.number(key)
    return float("nan") if values is None else float(values[row])


def _text(table: Table, key: str, row: int) -> str:
    column = table.get(key)
    return "" if column is None else cell_text(column, row)

"""Screen 3: which operators. Instances, types, types with shapes, and what the file says about each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.messages import TableChanged
from tui.model.columns import cell_text
from tui.model.ops import communication_rows, device_time_us, share_pct
from tui.model.sources import Device
from tui.model.table import MISSING_NS, Table, TextColumn
from tui.model.view import Shown, View
from tui.screens.facts import fact, fact_lines
from tui.screens.op_details import Pane, Room, group_pane, op_pane
from tui.screens.op_plans import (
    BY_TYPE,
    GROUP_FIGURES,
    INSTANCE_KEYS,
    TYPE_KEYS,
    group_keys,
    group_plans,
    instance_plans,
    type_plans,
)
from tui.screens.rows import Plan, Words
from tui.screens.table_screen import TableScreen
from tui.units import number_text, span_text
from widgets.columns import ColumnState

STEP_CELLS = 24
"""Longer values in the breadcrumb are cut in their middle."""


class OpsScreen(TableScreen):
    """op_summary, or kernel_details; op_statistic where the profile has only that."""

    DIGIT = "3"
    NAME = "Ops"
    KIND = "ops"

    def __init__(self) -> None:
        super().__init__()
        self._device_us = 0.0

    def table_changed(self, change: TableChanged) -> None:
        """Rows arrived; types stand in where there are no tasks."""
        if change.kind == "op-types" and change.table is not None and self._change is not None and self._lacks_tasks:
            change = TableChanged(self.KIND, change.table, change.loading)
        super().table_changed(change)

    @property
    def _lacks_tasks(self) -> bool:
        return self._table is None or self._table.kind == "op-types"

    def ready(self) -> None:
        """Takes the tables that are there."""
        super().ready()
        types = self.app.tables.get("op-types")
        if types is not None:
            self.table_changed(types)

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Columns of tasks, of groups, or of op_statistic."""
        if table.kind == "op-types":
            return type_plans(table, shown, words)
        self._device_us = device_time_us(table)
        if shown.groups is None:
            return instance_plans(table, shown, share_pct(table, self._device_us), words, self.size.width)
        return group_plans(table, shown, self._narrowed(), words, self.app.glyphs)

    def _narrowed(self) -> list[str]:
        """Columns that the way down has fixed to one value."""
        return [key for key, _text in self.view.only]

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """What ux asks for; of groups: what tells them apart, and their figures."""
        if shown.groups is not None:
            return (*group_keys(shown.table, self._narrowed()), *GROUP_FIGURES)
        return TYPE_KEYS if shown.table.kind == "op-types" else INSTANCE_KEYS

    def beside(self, shown: Shown | None) -> bool:
        """Details of one task stand at the right; those of a group need the width."""
        return shown is None or (shown.groups is None and shown.table.kind == "ops")

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """One task, one group, or one row of op_statistic."""
        row = int(shown.rows[position])
        if shown.groups is not None:
            title = " ".join(cell_text(column, row) for column in shown.table.columns if isinstance(column, TextColumn))
            return group_pane(table, shown.groups.rows_of(row), title, self._device_us, room)
        if table.kind == "op-types":
            return self._type_pane(table, row, room)
        return op_pane(table, row, self._device(table, row), self._origin(table), room)

    def _type_pane(self, table: Table, row: int, room: Room) -> Pane:
        names = table.text("op_type")
        title = names.texts(slice(row, row + 1))[0] if names is not None else ""
        facts = []
        for name, key in (
            (_("Total"), "total_time_us"),
            (_("Avg"), "avg_us"),
            (_("Max"), "max_us"),
            (_("Min"), "min_us"),
        ):
            values = table.number(key)
            if values is not None:
                facts.append(fact(name, span_text(float(values[row]) * 1000, room.number_glyphs)))
        facts.append(fact(_("tasks"), _("not in this profile: only their sums by type"), "muted", wide=True))
        return Pane(title, "", fact_lines(facts, room.width, room.glyphs.ellipsis))

    def _device(self, table: Table, row: int) -> Device | None:
        session = self.app.session
        column = table.get("device_id")
        return None if session is None else session.device_of(cell_text(column, row) if column is not None else "")

    def _origin(self, table: Table) -> int:
        """What start times count from: the start of the profile, else of the first task."""
        origin = self.words().origin_ns
        starts = table.time("start_ns")
        if origin is not None or starts is None:
            return origin or 0
        return table.once("first_start", lambda: _first_ns(starts))

    def crumbs(self, view: View) -> Sequence[str]:
        """The way down: types, a type, its shapes."""
        steps = [self._step_text(text) for _key, text in view.only]
        names = {
            "input_shapes": _("by shapes"),
            "op_type": _("by type"),
            "op_name": _("by name"),
            "task_type": _("by core"),
        }
        if view.group:
            known = next((name for key, name in names.items() if key in view.group), "")
            return [*steps, known or _("by {column}").format(column=view.group[-1])]
        if self._table is not None and self._table.kind == "op-types":
            return [*steps, _("by type")]
        return steps or [_("all tasks")]

    def _step_text(self, text: str) -> str:
        half = STEP_CELLS // 2 - 1
        return text if len(text) <= STEP_CELLS else f"{text[:half]}{self.app.glyphs.ellipsis}{text[-half:]}"

    def count_text(self, shown: Shown) -> str:
        """All tasks, or all types."""
        n = shown.total_rows
        if shown.table.kind == "op-types" and shown.groups is None:
            return ngettext("{n} type", "{n} types", n).format(n=number_text(n, 0))
        return ngettext("{n} task", "{n} tasks", n).format(n=number_text(n, 0))

    def position_text(self, shown: Shown, position: int) -> str:
        """The duration of the row, of the whole device time."""
        unit = "us" if self.app.glyphs.name == "ascii" else "µs"
        totals = shown.table.number("total_us" if shown.groups is not None else "total_time_us")
        if totals is not None:
            return _("total {ms} ms").format(ms=number_text(float(np.nansum(totals[shown.rows])) / 1000, 2))
        values = shown.table.number("task_duration_us")
        if values is None or position < 0:
            return ""
        row = int(shown.rows[position])
        here = number_text(float(values[row]), 3)
        if values[row] != values[row] or communication_rows(shown.table)[row]:
            return f"{here} {unit}" if values[row] == values[row] else ""
        return _("{here} of {all} {unit}").format(here=here, all=number_text(self._device_us, 0), unit=unit)

    def do_aggregate(self) -> None:
        """Groups by the column under the cursor; types keep the cores apart."""
        table = self._table
        if not self.view.group and self.source_key() == "op_type" and table is not None and table.text("task_type"):
            self.go_to_view(replace(self.view, group=BY_TYPE, sort=()), ColumnState())
        else:
            super().do_aggregate()

    def do_to_timeline(self) -> None:
        """The task under the cursor on the timeline."""
        table, applied, row = self._table, self._applied, self.grid.cursor_row
        names = table.text("op_name") if table is not None else None
        if applied is None or names is None or row < 0 or applied.shown.groups is not None or self._lacks_tasks:
            self.app.tell(_("only a task can be shown on the timeline"))
            return
        at = int(applied.shown.rows[row])
        starts = applied.shown.table.time("start_ns")
        start = "" if starts is None or int(starts[at]) == MISSING_NS else f"@{int(starts[at])}"
        self.app.follow("2", names.strings[int(names.codes[at])] + start)

    def follow(self, target: str) -> None:
        """What a lead of the Overview points at."""
        if target == "types":
            is_types = self._table is not None and self._table.kind == "op-types"
            self.go_to_view(View() if is_types else View(group=BY_TYPE), ColumnState())
        elif target.startswith("type:"):
            self.follow("types")
            self.command_goto(target.partition(":")[2])
        elif target.startswith("row:"):
            self.go_to_table_row(int(target.partition(":")[2]))
        elif target.startswith("longest:"):
            self.go_to_view(View(), ColumnState())
            self.command_goto(target.partition(":")[2])


def _first_ns(starts: NDArray[np.int64]) -> int:
    """The earliest known point in time; 0 where none is known."""
    known = starts[starts != MISSING_NS]
    return int(known.min()) if len(known) else 0

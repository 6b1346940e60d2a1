"""Screen 3: which operators. Instances, types, types with shapes, and what the file says about each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.model.cells import cell_format
from tui.model.columns import cell_text
from tui.model.exact import exact_sum
from tui.model.ops import device_time_us, share_pct
from tui.model.sources import Device
from tui.model.table import MISSING_NS, NumberColumn, Table, TextColumn
from tui.model.view import Shown, View
from tui.screens.op_details import Pane, Room, group_pane, op_pane
from tui.screens.rows import Plan, Width, Words, bar_plan, column_plan, mark_plan, other_plans
from tui.screens.table_screen import TableScreen
from tui.units import number_text
from widgets.bars import sparkline
from widgets.columns import ColumnState
from widgets.protocols import Cell, GridColumn

INSTANCE_KEYS = (
    "op_name",
    "op_type",
    "task_duration_us",
    "share_pct",
    "share_bar",
    "bound",
    "task_wait_time_us",
    "block_num",
    "task_type",
    "input_shapes",
)
BY_TYPE = ("op_type", "task_type")
GROUP_FIGURES = ("count", "total_us", "share_pct", "share_bar", "max_us", "mean_us", "cv", "calls")
SLOW_CORES = frozenset(("AI_CPU", "AICPU", "KERNEL_AICPU"))
"""Task types that are shown in amber: far slower than AI Core."""
SPARK_CELLS = 12
WIDE_FROM = 100
"""Width from which names get more room than the pipes."""


class OpsScreen(TableScreen):
    """op_summary, or kernel_details."""

    DIGIT = "3"
    NAME = "Ops"
    KIND = "ops"

    def __init__(self) -> None:
        super().__init__()
        self._device_us = 0.0
        self._shares = np.zeros(0)

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Columns of instances or of groups."""
        self._device_us = device_time_us(table)
        return self._instance_plans(table, shown, words) if shown.groups is None else self._group_plans(shown, words)

    def _instance_plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        shares = share_pct(table, self._device_us)
        name, kind, bar = (19, 9, 6) if self.size.width < WIDE_FROM else (22, 12, 8)
        planned = [
            mark_plan(shares, "task_duration_us", words),
            column_plan(table, "op_name", words, title="Op Name", width=Width(name, 2, 40)),
            column_plan(table, "op_type", words, title="OP Type", role="muted", width=Width(kind, 1, 20)),
            column_plan(table, "task_duration_us", words, title=_("Duration")),
            column_plan(table, "share_pct", words, title=_("% device")),
            bar_plan("share_bar", shares, shown.rows, "task_duration_us", words, Width(bar, 4, 20)),
            column_plan(table, "bound", words, title=_("bound"), role="muted", width=Width(9), cut="never"),
            column_plan(table, "task_wait_time_us", words, title=_("Wait"), role="muted"),
            column_plan(table, "block_num", words, title=_("Blocks"), role="muted"),
            column_plan(
                table, "task_type", words, title="Task Type", role="muted", width=Width(9, 1, 16), warn=SLOW_CORES
            ),
            column_plan(table, "input_shapes", words, title=_("Input Shapes"), role="muted", width=Width(14, 2, 40)),
        ]
        return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]

    def _group_plans(self, shown: Shown, words: Words) -> Sequence[Plan]:
        groups = shown.table
        shares = groups.number("share_pct")
        assert shares is not None
        keys = [column.info.key for column in groups.columns if isinstance(column, TextColumn)]
        names = [self._key_plan(groups, key, words, first=key == keys[0]) for key in keys]
        planned = [
            mark_plan(shares, "total_us", words),
            *names,
            column_plan(groups, "count", words, title=_("Count")),
            column_plan(groups, "total_us", words, title=_("Total")),
            column_plan(groups, "share_pct", words, title=_("% device")),
            bar_plan("share_bar", shares, shown.rows, "total_us", words, Width(8, 4, 40)),
            column_plan(groups, "max_us", words, title=_("Max")),
            column_plan(groups, "mean_us", words, title=_("Mean"), role="muted"),
            column_plan(groups, "cv", words, title="CV", role="muted"),
            self._calls_plan(shown),
        ]
        found = [plan for plan in (*planned, *other_plans(groups, planned, words)) if plan is not None]
        return self._with_totals(found, shown, keys, words)

    def _key_plan(self, groups: Table, key: str, words: Words, *, first: bool) -> Plan | None:
        """A column that the groups are made by."""
        if key == "task_type":
            return column_plan(
                groups, key, words, title=_("Core"), role="muted", width=Width(7, 0, 16), warn=SLOW_CORES
            )
        title = "OP Type" if key == "op_type" else ""
        return column_plan(
            groups, key, words, title=title, role="" if first else "muted", width=Width(15 if first else 12, 2, 44)
        )

    def _calls_plan(self, shown: Shown) -> Plan:
        """The durations of each group as a small distribution."""
        table = self._table
        groups, look = shown.groups, self._lines.look
        values = table.number("task_duration_us") if table is not None else None

        def cells(rows: NDArray[np.intp]) -> list[Cell]:
            from tui.model.stats import distribution

            if groups is None or values is None:
                return [Cell("")] * len(rows)
            return [
                Cell(sparkline(distribution(values[groups.rows_of(int(row))], SPARK_CELLS), look.glyphs), "bar")
                for row in rows
            ]

        return Plan(GridColumn("calls", _("calls"), SPARK_CELLS, "left", "end", "text"), cells, "cv")

    def _with_totals(self, plans: Sequence[Plan], shown: Shown, keys: Sequence[str], words: Words) -> list[Plan]:
        """The sum row: groups, calls, total, share."""
        counts, rows = shown.table.number("count"), shown.rows
        assert counts is not None
        first = (
            _("sum of {n} types") if keys[:1] == ["op_type"] and set(keys) <= set(BY_TYPE) else _("sum of {n} groups")
        )
        texts = {
            keys[0] if keys else "": first.format(n=number_text(len(rows), 0)),
            "count": number_text(float(counts[rows].sum()), 0),
            "total_us": self._sum_text(shown.table, "total_us", rows, words),
            "share_pct": self._sum_text(shown.table, "share_pct", rows, words),
        }
        return [
            plan.with_total(texts.get(plan.grid.key, ""), "muted" if plan.grid.key in keys else "") for plan in plans
        ]

    def _sum_text(self, groups: Table, key: str, rows: NDArray[np.intp], words: Words) -> str:
        """The sum of a column in its own unit and decimals."""
        column = groups.get(key)
        if not isinstance(column, NumberColumn):
            return ""
        return cell_format(column, words.units, words.glyphs).number(exact_sum(column.values[rows]))

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """Instances: what ux asks for; groups: their keys and figures."""
        if shown.groups is None:
            return INSTANCE_KEYS
        return (*(column.info.key for column in shown.table.columns if isinstance(column, TextColumn)), *GROUP_FIGURES)

    def beside(self, shown: Shown | None) -> bool:
        """Details of one task stand at the right; those of a group need the width."""
        return shown is None or shown.groups is None

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """One task, or one group."""
        row = int(shown.rows[position])
        if shown.groups is None:
            return op_pane(table, row, self._device(table, row), self._origin(table), room)
        title = " ".join(cell_text(column, row) for column in shown.table.columns if isinstance(column, TextColumn))
        return group_pane(table, shown.groups.rows_of(row), title, self._device_us, room)

    def _device(self, table: Table, row: int) -> Device | None:
        session = self.app.session
        column = table.get("device_id")
        return None if session is None else session.device_of(cell_text(column, row) if column is not None else "")

    def _origin(self, table: Table) -> int:
        origin = self.words().origin_ns
        if origin is not None:
            return origin
        starts = table.time("start_ns")
        known = starts[starts != MISSING_NS] if starts is not None else np.zeros(0, np.int64)
        return int(known.min()) if len(known) else 0

    def crumbs(self, view: View) -> Sequence[str]:
        """The way down: types, a type, its shapes."""
        steps = [text if len(text) <= 24 else f"{text[:11]}…{text[-11:]}" for _key, text in view.only]
        names = {
            "input_shapes": _("by shapes"),
            "op_type": _("by type"),
            "op_name": _("by name"),
            "task_type": _("by core"),
        }
        if view.group:
            known = next((name for key, name in names.items() if key in view.group), "")
            return [*steps, known or _("by {column}").format(column=view.group[-1])]
        return steps or [_("all tasks")]

    def count_text(self, shown: Shown) -> str:
        """All tasks."""
        return ngettext("{n} task", "{n} tasks", shown.total_rows).format(n=number_text(shown.total_rows, 0))

    def position_text(self, shown: Shown, position: int) -> str:
        """The duration of the row, of the whole device time."""
        unit = "us" if self.app.glyphs.name == "ascii" else "µs"
        if shown.groups is not None:
            totals = shown.table.number("total_us")
            assert totals is not None
            return _("total {ms} ms").format(ms=number_text(float(np.nansum(totals[shown.rows])) / 1000, 2))
        values = shown.table.number("task_duration_us")
        if values is None or position < 0:
            return ""
        here = number_text(float(values[shown.rows[position]]), 3)
        return _("{here} of {all} {unit}").format(here=here, all=number_text(self._device_us, 0), unit=unit)

    def do_aggregate(self) -> None:
        """Groups by the column under the cursor; types keep the cores apart."""
        if (
            not self.view.group
            and self.source_key() == "op_type"
            and self._table is not None
            and self._table.text("task_type") is not None
        ):
            self.go_to_view(View(self.view.filter, self.view.only, self.view.exclude, BY_TYPE), ColumnState())
        else:
            super().do_aggregate()

    def follow(self, target: str) -> None:
        """What a lead of the Overview points at."""
        if target == "types":
            self.go_to_view(View(group=BY_TYPE), ColumnState())
        elif target.startswith("longest:"):
            self.go_to_view(View(), ColumnState())
            self.command_goto(target.partition(":")[2])

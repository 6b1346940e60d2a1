"""The columns of the Ops screen: of tasks, of groups of tasks, and of op_statistic where a profile has only that."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.model.cells import cell_format
from tui.model.exact import exact_sum
from tui.model.ops import bound_texts, derived_keys
from tui.model.stats import distribution
from tui.model.table import NumberColumn, Table, TextColumn
from tui.model.view import Shown
from tui.screens.rows import Plan, Width, Words, bar_plan, column_plan, mark_plan, other_plans
from tui.units import missing_text, number_text
from widgets.bars import sparkline
from widgets.glyphs import GlyphSet
from widgets.protocols import Cell, GridColumn

INSTANCE_KEYS = (
    "op_name", "op_type", "task_duration_us", "share_pct", "share_bar", "bound",
    "task_wait_time_us", "block_num", "task_type", "input_shapes",
)  # fmt: skip
GROUP_FIGURES = ("count", "total_us", "share_pct", "share_bar", "max_us", "mean_us", "cv", "calls")
TYPE_KEYS = ("op_type", "core_type", "count", "total_time_us", "ratio_pct", "share_bar", "max_us", "avg_us", "min_us")
BY_TYPE = ("op_type", "task_type")
"""Types are grouped with their cores: the same type on AI CPU is another matter."""
SLOW_CORES = frozenset(("AI_CPU", "AICPU", "KERNEL_AICPU"))
"""Task types that are shown in amber: far slower than AI Core."""
SPARK_CELLS = 12
WIDE_FROM = 100
"""Width from which names get more room than the pipes."""

Numbers = NDArray[np.float64]


def instance_plans(table: Table, shown: Shown, shares: Numbers, words: Words, width_cells: int) -> Sequence[Plan]:
    """Tasks: name, type, duration with its share as number and bar, pipes, then the rest of the file."""
    name, kind, bar = (19, 9, 6) if width_cells < WIDE_FROM else (22, 12, 8)
    planned = [
        mark_plan(shares, "task_duration_us", words),
        column_plan(table, "op_name", words, title="Op Name", width=Width(name, 2, 40)),
        column_plan(table, "op_type", words, title="OP Type", role="muted", width=Width(kind, 1, 20)),
        column_plan(table, "task_duration_us", words, title=_("Duration")),
        column_plan(table, "share_pct", words, title=_("% device")),
        bar_plan("share_bar", shares, shown.rows, "task_duration_us", words, Width(bar, 4, 20)),
        _bound_plan(table, words),
        column_plan(table, "task_wait_time_us", words, title=_("Wait"), role="muted"),
        column_plan(table, "block_num", words, title=_("Blocks"), role="muted"),
        column_plan(table, "task_type", words, title="Task Type", role="muted", width=Width(9, 1, 16), warn=SLOW_CORES),
        column_plan(table, "input_shapes", words, title=_("Input Shapes"), role="muted", width=Width(14, 2, 40)),
    ]
    return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]


def _bound_plan(table: Table, words: Words) -> Plan | None:
    """The busiest pipe, found for the rows on the screen only: over all rows it takes longer than sorting them."""
    if "bound" not in derived_keys(table):
        return None
    missing = missing_text(words.glyphs)

    def cells(rows: NDArray[np.intp]) -> list[Cell]:
        return [Cell(text or missing, "muted" if text else "faint") for text in bound_texts(table, rows)]

    return Plan(GridColumn("bound", _("bound"), 9, "left", "never", "text"), cells, "bound")


def group_keys(groups: Table, narrowed: Collection[str] = ()) -> list[str]:
    """Columns that groups are told apart by; those that the way down has fixed to one value are left out."""
    keys = [column.info.key for column in groups.columns if isinstance(column, TextColumn)]
    return [key for key in keys if key not in narrowed] or keys


def group_plans(table: Table, shown: Shown, narrowed: Collection[str], words: Words, look: GlyphSet) -> Sequence[Plan]:
    """Groups of tasks: what they have in common, calls, total with its share, spread.

    Args:
        narrowed: Columns that the way down has fixed to one value.
    """
    groups = shown.table
    shares = groups.number("share_pct")
    if shares is None:
        return []
    keys = group_keys(groups, narrowed)
    planned = [
        mark_plan(shares, "total_us", words),
        *(_key_plan(groups, key, words, first=key == keys[0]) for key in keys),
        column_plan(groups, "count", words, title=_("Count")),
        column_plan(groups, "total_us", words, title=_("Total")),
        column_plan(groups, "share_pct", words, title=_("% device")),
        bar_plan("share_bar", shares, shown.rows, "total_us", words, Width(8, 4, 40)),
        column_plan(groups, "max_us", words, title=_("Max")),
        column_plan(groups, "mean_us", words, title=_("Mean"), role="muted"),
        column_plan(groups, "cv", words, title="CV", role="muted"),
        _calls_plan(table, shown, look),
    ]
    return _with_totals([plan for plan in planned if plan is not None], shown, keys, words)


def type_plans(table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
    """op_statistic as the file has it."""
    ratios = table.number("ratio_pct")
    shares = np.full(table.row_count, np.nan) if ratios is None else ratios
    planned = [
        mark_plan(shares, "total_time_us", words),
        column_plan(table, "op_type", words, title="OP Type", width=Width(18, 2, 44)),
        column_plan(table, "core_type", words, title=_("Core"), role="muted", width=Width(0, 1, 16), warn=SLOW_CORES),
        column_plan(table, "count", words, title=_("Count")),
        column_plan(table, "total_time_us", words, title=_("Total")),
        column_plan(table, "ratio_pct", words, title=_("% of all")),
        bar_plan("share_bar", shares, shown.rows, "total_time_us", words, Width(8, 4, 40)),
        column_plan(table, "max_us", words, title=_("Max")),
        column_plan(table, "avg_us", words, title=_("Avg"), role="muted"),
        column_plan(table, "min_us", words, title=_("Min"), role="muted"),
    ]
    return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]


def _key_plan(groups: Table, key: str, words: Words, *, first: bool) -> Plan | None:
    """A column that the groups are told apart by."""
    if key == "task_type":
        width = Width(0, 1, 16)
        return column_plan(groups, key, words, title=_("Core"), role="muted", width=width, warn=SLOW_CORES)
    wide = Width(22 if key == "input_shapes" else 15 if first else 12, 2, 44)
    title = "OP Type" if key == "op_type" else ""
    return column_plan(groups, key, words, title=title, role="" if first else "muted", width=wide)


def _calls_plan(table: Table, shown: Shown, look: GlyphSet) -> Plan:
    """The durations of each group as a small distribution."""
    groups, values = shown.groups, table.number("task_duration_us")

    def cells(rows: NDArray[np.intp]) -> list[Cell]:
        if groups is None or values is None:
            return [Cell("")] * len(rows)
        spreads = (distribution(values[groups.rows_of(int(row))], SPARK_CELLS) for row in rows)
        return [Cell(sparkline(spread, look), "bar") for spread in spreads]

    return Plan(GridColumn("calls", _("calls"), SPARK_CELLS, "left", "end", "text"), cells, "cv")


def _with_totals(plans: Sequence[Plan], shown: Shown, keys: Sequence[str], words: Words) -> list[Plan]:
    """The sum row: groups, calls, total, share."""
    counts, rows = shown.table.number("count"), shown.rows
    by_type = keys[:1] == ["op_type"] and set(keys) <= set(BY_TYPE)
    types = ngettext("sum of {n} type", "sum of {n} types", len(rows))
    groups = ngettext("sum of {n} group", "sum of {n} groups", len(rows))
    texts = {
        keys[0]: (types if by_type else groups).format(n=number_text(len(rows), 0)),
        "count": number_text(float(counts[rows].sum()), 0) if counts is not None else "",
        "total_us": _sum_text(shown.table, "total_us", rows, words),
        "share_pct": _sum_text(shown.table, "share_pct", rows, words),
    }
    return [plan.with_total(texts.get(plan.grid.key, ""), "muted" if plan.grid.key in keys else "") for plan in plans]


def _sum_text(groups: Table, key: str, rows: NDArray[np.intp], words: Words) -> str:
    """The sum of a column in its own unit and decimals."""
    column = groups.get(key)
    if not isinstance(column, NumberColumn) or not np.isfinite(column.values[rows]).any():
        return ""
    return cell_format(column, words.units, words.glyphs).number(exact_sum(column.values[rows]))

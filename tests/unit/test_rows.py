"""Grid columns over tables: texts, widths, bands, bars, order marks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.tables import number, ops_table, text, time
from tui.model.table import Table
from tui.model.view import View, apply_view
from tui.screens.rows import (
    MAX_TEXT_CELLS,
    Plan,
    ShownRows,
    Width,
    Words,
    bar_plan,
    column_plan,
    mark_plan,
    other_plans,
)

ALL = np.arange(6)
WORDS = Words()


def plan_of(table: Table, key: str, words: Words = WORDS, **how: object) -> Plan:
    plan = column_plan(table, key, words, **how)  # type: ignore[arg-type]
    assert plan is not None
    return plan


def texts(plan: Plan, rows: np.ndarray = ALL) -> list[str]:
    return [cell.text for cell in plan.cells(rows)]


def test_numbers_have_the_decimals_of_their_column_and_the_unit_in_the_heading() -> None:
    plan = plan_of(ops_table(), "task_duration_us", title="Duration")
    assert plan.grid.title == "Duration µs"
    assert texts(plan) == ["3.50", "2.25", "7.00", "0.50", "9.00", "–"]
    assert (plan.grid.align, plan.grid.cut, plan.grid.kind) == ("right", "never", "number")


@pytest.mark.parametrize(("units", "title", "first"), [("ns", "Duration ns", "3 500"), ("ms", "Duration ms", "0.00")])
def test_other_units_change_heading_and_cells(units: str, title: str, first: str) -> None:
    plan = plan_of(ops_table(), "task_duration_us", Words(units=units), title="Duration")  # type: ignore[arg-type]
    assert plan.grid.title == title
    assert texts(plan)[0].startswith(first)


def test_ascii_says_us_and_a_dash() -> None:
    plan = plan_of(ops_table(), "task_duration_us", Words(glyphs="ascii"), title="Duration")
    assert plan.grid.title == "Duration us"
    assert texts(plan)[-1] == "-"


def test_a_missing_column_has_no_plan() -> None:
    assert column_plan(ops_table(), "l2_hit_rate", Words()) is None


def test_missing_cells_are_faint_and_slow_cores_amber() -> None:
    plan = plan_of(ops_table(), "task_type", role="muted", warn=frozenset(["AI_CPU"]))
    roles = [cell.role for cell in plan.cells(ALL)]
    assert roles == ["muted", "muted", "muted", "warn", "muted", "faint"]


def test_a_text_column_is_as_wide_as_its_texts_within_reason() -> None:
    table = Table("ops", (text("short", ["a"] * 3), text("long", ["x" * 300] * 3), text("zh", ["卷积层"] * 3)))
    assert plan_of(table, "short").grid.width == 4
    assert plan_of(table, "long").grid.width == MAX_TEXT_CELLS
    assert plan_of(table, "zh").grid.width == 6
    assert plan_of(table, "long", width=Width(9, 2, 40)).grid.width == 9


def test_a_number_column_has_room_for_both_its_ends() -> None:
    table = Table("ops", (number("n", [-1_234_567.5, 0.25, None, 12.0]),))
    plan = plan_of(table, "n")
    assert plan.grid.width >= max(len(cell) for cell in texts(plan, np.arange(4)))


def test_empty_columns_have_plans() -> None:
    table = Table("ops", (number("n", [None, None]), time("start_ns", [None, None]), text("t", ["", ""])))
    for key in ("n", "start_ns", "t"):
        assert texts(plan_of(table, key), np.arange(2)) == ["–", "–"] or key == "t"


@pytest.mark.parametrize(
    ("share", "band"), [(19.99, "low"), (20.0, "mid"), (49.99, "mid"), (50.0, "high"), (100.0, "high")]
)
def test_a_share_equal_to_a_limit_belongs_to_the_upper_band(share: float, band: str) -> None:
    assert Words().band(share) == band


def test_marks_say_the_band_without_colour() -> None:
    plan = mark_plan(np.array([10.0, 25.0, 75.0, np.nan]), "task_duration_us", Words())
    assert texts(plan, np.arange(4)) == ["", "▄", "█", ""]
    assert plan.grid.kind == "mark"


def test_bars_are_scaled_to_the_largest_of_the_rows_shown() -> None:
    shares = np.array([80.0, 20.0, 10.0, np.nan])
    shown = np.array([1, 2, 3])
    cells = bar_plan("bar", shares, shown, "x", Words(), Width(8)).cells(shown)
    assert [cell.fraction for cell in cells] == [1.0, 0.5, 0.0]
    assert [cell.role for cell in cells] == ["mid", "bar", "bar"]
    assert [cell.text for cell in cells] == ["", "", ""]


def test_bars_of_nothing_are_empty() -> None:
    cells = bar_plan("bar", np.array([0.0, np.nan]), np.arange(2), "x", Words(), Width(8)).cells(np.arange(2))
    assert [cell.fraction for cell in cells] == [0.0, 0.0]


def test_other_columns_follow_under_their_own_headings_in_the_order_of_the_file() -> None:
    table = ops_table()
    planned = [column_plan(table, "op_name", Words()), column_plan(table, "nothing", Words())]
    others = other_plans(table, planned, Words())
    assert [plan.grid.key for plan in others] == [key for key in table.keys if key != "op_name"]
    assert others[2].grid.title == "Task Type"


def source(view: View, has_sum: bool = False) -> ShownRows:
    table = ops_table()
    plans = [plan_of(table, key).with_total(f"sum {key}") for key in ("op_name", "task_duration_us", "op_type")]
    return ShownRows(table, apply_view(table, view), plans, view, has_sum=has_sum)


def test_blocks_hold_the_asked_rows_and_columns_in_the_order_shown() -> None:
    rows = source(View())
    assert rows.row_count == 6
    block = rows.block(0, 2, [1, 0])
    assert [[cell.text for cell in row] for row in block] == [["9.00", "hcom_allReduce_1"], ["7.00", "Conv_10"]]
    assert rows.block(0, 2, []) == [(), ()]
    assert list(rows.block(4, 4, [0])) == []


def test_sort_marks_carry_rank_and_direction() -> None:
    assert source(View()).sort_marks() == {"task_duration_us": (1, True)}
    both = source(View(sort=(("op_type", False), ("task_duration_us", True))))
    assert both.sort_marks() == {"op_type": (1, False), "task_duration_us": (2, True)}


def test_the_sum_row_is_only_there_where_wanted() -> None:
    assert source(View()).summary([0]) is None
    summary = source(View(), has_sum=True).summary([2, 0])
    assert summary is not None
    assert [cell.text for cell in summary] == ["sum op_type", "sum op_name"]


def test_each_grid_column_knows_its_table_column() -> None:
    rows = source(View())
    assert rows.source_of("op_name") == "op_name"
    assert rows.source_of("nothing") == ""

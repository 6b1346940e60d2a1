"""The row of operators that a task on the timeline is."""

from __future__ import annotations

from tests.unit.tables import ops_table, text, time
from tui.model.ops import task_row
from tui.model.table import Table


def test_name_and_start_find_the_row() -> None:
    table = ops_table()
    assert task_row(table, "Mul_1", 5_000) == 1
    assert task_row(table, "Mul_1", 5_001) == 1  # both are rounded to ns
    assert task_row(table, "Mul_1", 5_002) == -1
    assert task_row(table, "Conv_0", 5_000) == -1


def test_equal_names_are_told_apart_by_their_start() -> None:
    table = Table("ops", (text("op_name", ["a", "a", "b"]), time("start_ns", [10, 20, 20])))
    assert [task_row(table, "a", start) for start in (10, 20, 15)] == [0, 1, -1]


def test_tables_without_times_or_names() -> None:
    assert task_row(Table("ops", (text("op_name", ["a"]),)), "a", 1) == -1
    assert task_row(Table("ops", (time("start_ns", [1, None]),)), "a", 1) == -1

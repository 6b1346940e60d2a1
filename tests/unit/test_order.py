"""Sorting: stable, several keys, missing last both ways, natural order of texts, ties by start time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tables import number, ops_table, text, time
from tui.errors import BadExpression
from tui.model.order import natural_key, parse_sort, sorted_rows
from tui.model.table import Table


def order(table: Table, *keys: tuple[str, bool]) -> list[int]:
    found: list[int] = sorted_rows(table, np.arange(table.row_count), keys).tolist()
    return found


def test_numbers_missing_last_both_ways() -> None:
    table = Table("t", (number("a", [2.0, None, 1.0, 3.0]),))
    assert order(table, ("a", False)) == [2, 0, 3, 1]
    assert order(table, ("a", True)) == [3, 0, 2, 1]


def test_texts_in_natural_order_missing_last_both_ways() -> None:
    table = Table("t", (text("a", ["rank10", "N/A", "Rank2", "rank2", "", "卷积"]),))
    assert order(table, ("a", False)) == [2, 3, 0, 5, 1, 4]
    assert order(table, ("a", True)) == [5, 0, 3, 2, 1, 4]


def test_times_missing_last_both_ways() -> None:
    table = Table("t", (time("at_ns", [5, None, -7]),))
    assert order(table, ("at_ns", False)) == [2, 0, 1]
    assert order(table, ("at_ns", True)) == [0, 2, 1]


def test_ties_go_by_start_then_by_place() -> None:
    table = Table("ops", (number("a", [1.0, 1.0, 1.0, 1.0]), time("start_ns", [30, 10, None, 10])))
    assert order(table, ("a", True)) == [1, 3, 0, 2]


def test_three_keys() -> None:
    table = Table("t", (text("a", ["x", "y", "x", "x"]), number("b", [1, 1, 2, 1]), number("c", [1, 2, 3, 4])))
    assert order(table, ("a", False), ("b", True), ("c", True)) == [2, 3, 0, 1]


def test_only_the_given_rows_and_unknown_keys_are_passed_over() -> None:
    table = ops_table()
    assert sorted_rows(table, np.array([3, 0, 2]), (("task_duration_us", True),)).tolist() == [2, 0, 3]
    assert sorted_rows(table, np.array([3, 0, 2]), (("gone", True),)).tolist() == [3, 0, 2]


def test_bound_is_sorted_by_its_ratio() -> None:
    assert order(ops_table(), ("bound", True))[:3] == [0, 1, 2]


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), max_size=30), st.booleans())
def test_same_as_a_plain_stable_sort(cells: list[float | None], descending: bool) -> None:
    table = Table("t", (number("a", cells),))
    present = [row for row, cell in enumerate(cells) if cell is not None]
    present.sort(key=lambda row: -cells[row] if descending else cells[row])  # type: ignore[operator,arg-type,return-value]
    assert order(table, ("a", descending)) == [*present, *(row for row, cell in enumerate(cells) if cell is None)]


@given(st.lists(st.text(max_size=6), min_size=2, max_size=6))
def test_natural_keys_can_always_be_compared(texts: list[str]) -> None:
    assert sorted(texts, key=natural_key) == sorted(sorted(texts), key=natural_key)


@pytest.mark.parametrize(
    ("expression", "keys"),
    [
        ("dur desc", (("task_duration_us", True),)),
        ("-dur, name", (("task_duration_us", True), ("op_name", False))),
        ("Op Name DESC , block asc", (("op_name", True), ("block_num", False))),
        ("", ()),
    ],
)
def test_sort_expressions(expression: str, keys: tuple[tuple[str, bool], ...]) -> None:
    assert parse_sort(ops_table(), expression) == keys


def test_sort_error_says_where() -> None:
    with pytest.raises(BadExpression) as caught:
        parse_sort(ops_table(), "dur desc, nosuch")
    assert caught.value.position == 10

"""What goes over all rows of a table once, and is kept with it."""

from __future__ import annotations

import numpy as np
import pytest

from tui.model.columns import head_of
from tui.model.order import time_order
from tui.model.stats import finite_ends
from tui.model.table import MISSING_NS, Column, ColumnInfo, NumberColumn, Table, TextColumn, TimeColumn


def table_with_starts(*starts_ns: int) -> Table:
    return Table("ops", (TimeColumn(ColumnInfo("start_ns", "Start", "time", "ns"), np.array(starts_ns, np.int64)),))


def test_what_is_kept_is_made_once_per_table_and_key() -> None:
    table, made = table_with_starts(1), []

    def make() -> int:
        made.append(1)
        return len(made)

    assert [table.once("a", make), table.once("a", make), table.once("b", make)] == [1, 1, 2]
    assert table_with_starts(1).once("a", make) == 3


def test_nothing_is_kept_as_well() -> None:
    table, made = table_with_starts(1), []
    assert [table.once("a", lambda: made.append(1)) for _ in range(3)] == [None] * 3
    assert len(made) == 1


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([], ()),
        ([np.nan, np.nan], ()),
        ([np.inf, -np.inf], ()),
        ([2.5], (2.5, 2.5)),
        ([np.nan, 3.0, -1.0, np.nan], (-1.0, 3.0)),
        ([np.inf, 3.0, -1.0, -np.inf, np.nan], (-1.0, 3.0)),
    ],
)
def test_ends_of_the_finite_numbers(values: list[float], ends: tuple[float, ...]) -> None:
    assert finite_ends(np.array(values)) == ends


def test_rows_in_order_of_time_need_no_permutation() -> None:
    assert time_order(table_with_starts(5, 5, 9)) is None
    assert time_order(Table("ops", ())) is None


def test_rows_by_start_and_the_place_of_each() -> None:
    found = time_order(table_with_starts(30, 10, 20, 10))
    assert found is not None
    assert found[0].tolist() == [1, 3, 2, 0]
    assert found[1].tolist() == [3, 0, 2, 1]


@pytest.mark.parametrize(
    "column",
    [
        NumberColumn(ColumnInfo("a", "", "number"), np.array([1.0, 2.0, 3.0])),
        TimeColumn(ColumnInfo("a", "", "time"), np.array([1, MISSING_NS, 3])),
        TextColumn(ColumnInfo("a", "", "text"), np.array([0, 1, 0], np.int32), ["x", "y"]),
    ],
    ids=["number", "time", "text"],
)
def test_head_of_a_column(column: Column) -> None:
    assert Table("ops", (head_of(column, 2),)).row_count == 2
    assert Table("ops", (head_of(column, 9),)).row_count == 3
    assert head_of(column, 2).info == column.info

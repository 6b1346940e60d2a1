"""Grouping: counts, exact totals, shares of device time, spread."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tables import number, ops_table, text
from tui.model.exact import exact_sum, exact_sums
from tui.model.groups import Groups, group_rows
from tui.model.table import Table


def grouped(table: Table, *keys: str) -> Groups:
    return group_rows(table, np.arange(table.row_count), keys)


def figures(groups: Groups, key: str) -> list[float]:
    values = groups.table.number(key)
    assert values is not None
    found: list[float] = values.tolist()
    return found


def test_groups_in_order_of_first_appearance() -> None:
    groups = grouped(ops_table(), "op_type")
    names = groups.table.text("op_type")
    assert names is not None
    assert names.texts(slice(None)) == ["Conv2D", "Mul", "Cast", "hcom_allReduce_", "N/A"]
    assert figures(groups, "count") == [2, 1, 1, 1, 1]
    assert [groups.rows_of(group).tolist() for group in range(5)] == [[0, 2], [1], [3], [4], [5]]


def test_figures_by_hand() -> None:
    """Conv2D: 3.5 and 7 us; device time without the collective is 13.25 us."""
    groups = grouped(ops_table(), "op_type")
    assert figures(groups, "total_us")[0] == 10.5
    assert figures(groups, "share_pct")[0] == pytest.approx(100 * 10.5 / 13.25)
    assert (figures(groups, "min_us")[0], figures(groups, "mean_us")[0], figures(groups, "max_us")[0]) == (
        3.5,
        5.25,
        7.0,
    )
    assert figures(groups, "cv")[0] == pytest.approx(1.75 / 5.25)


def test_communication_has_no_share_and_missing_rows_no_figures() -> None:
    groups = grouped(ops_table(), "op_type")
    assert figures(groups, "total_us")[3] == 9.0
    assert math.isnan(figures(groups, "share_pct")[3])
    assert all(
        math.isnan(figures(groups, key)[4]) for key in ("total_us", "share_pct", "min_us", "mean_us", "max_us", "cv")
    )


def test_shares_stay_of_the_whole_table_when_filtered() -> None:
    groups = group_rows(ops_table(), np.array([0]), ("op_type",))
    assert figures(groups, "share_pct") == [pytest.approx(100 * 3.5 / 13.25)]


def test_two_keys_and_number_keys() -> None:
    groups = grouped(ops_table(), "op_type", "block_num")
    assert figures(groups, "count") == [2, 1, 1, 1, 1]
    assert math.isnan(figures(groups, "block_num")[2])


def test_no_rows() -> None:
    groups = group_rows(ops_table(), np.zeros(0, np.intp), ("op_type",))
    assert groups.table.row_count == 0
    assert groups.table.keys == ("op_type", *"count total_us share_pct min_us mean_us max_us cv".split())


def test_totals_of_calls_add_their_counts() -> None:
    """Rows of a statistics table are several calls each: counts add up, the spread is not known."""
    columns = (
        text("level", ["acl", "acl", "node"]),
        number("time_us", [10.5, 20.25, 1.0], "us"),
        number("count", [2, 3, 7], whole=True),
        number("min_us", [1.0, 0.5, 0.1], "us"),
        number("max_us", [9.0, 12.0, 0.2], "us"),
    )
    groups = grouped(Table("apis", columns), "level")
    assert figures(groups, "count") == [5, 7]
    assert figures(groups, "total_us") == [30.75, 1.0]
    assert figures(groups, "mean_us")[0] == 6.15
    assert (figures(groups, "min_us")[0], figures(groups, "max_us")[0]) == (0.5, 12.0)
    assert math.isnan(figures(groups, "cv")[0])
    assert sum(figures(groups, "share_pct")) == pytest.approx(100)


def test_table_without_durations_is_counted() -> None:
    groups = grouped(Table("fusion_op", (text("model_name", ["a", "b", "a"]),)), "model_name")
    assert groups.table.keys == ("model_name", "count")
    assert figures(groups, "count") == [2, 1]


def test_sums_that_floats_get_wrong() -> None:
    assert exact_sum(np.array([0.1, 0.2])) == 0.3
    assert exact_sum(np.array([7119.9688, 0.0002, 1000.031])) == 8120.0
    assert exact_sum(np.array([0.1] * 10 + [np.nan])) == 1.0


decimal_cells = st.integers(0, 6).flatmap(
    lambda places: st.lists(
        st.integers(0, 10**9).map(lambda units: Decimal(units).scaleb(-places)), min_size=1, max_size=40
    )
)


@given(decimal_cells)
def test_sums_print_as_the_decimal_sum(cells: list[Decimal]) -> None:
    """As long as the sum has at most 15 digits, which every profile's has."""
    values = np.array([float(cell) for cell in cells])
    assert Decimal(repr(exact_sum(values))) == sum(cells)


@given(decimal_cells, st.integers(1, 5))
def test_sums_of_runs(cells: list[Decimal], size: int) -> None:
    values = np.array([float(cell) for cell in cells])
    starts = np.arange(0, len(values), size)
    expected = [sum(cells[first : first + size]) for first in starts.tolist()]
    assert [Decimal(repr(value)) for value in exact_sums(values, starts).tolist()] == expected


def test_numbers_with_endless_decimals_are_added_once_rounded() -> None:
    values = np.array([1 / 3] * 3 + [1e20, -1e20])
    assert exact_sum(values) == math.fsum(values)
    assert exact_sums(values, np.array([0, 3])).tolist() == [math.fsum(values[:3]), 0.0]

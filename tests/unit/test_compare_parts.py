"""End to end, wall and categories: numbers worked out by hand."""

from __future__ import annotations

from math import sqrt

import pytest

from tests.compared import against, named, ops, rows_of
from tests.unit.tables import number, text
from tui.model.comparison import Change, Comparison
from tui.model.table import Table


def change_of(comparison: Comparison, part: str) -> Change:
    (change,) = (entry.change for entry in comparison.parts if entry.part == part)
    return change


def apis(load_us: float, execute_us: float) -> Table:
    return Table("apis", (
        text("level", ["acl", "acl", "runtime"]),
        text("api_name", ["aclmdlLoadFromFileWithMem", "aclmdlExecute", "LaunchKernel"]),
        number("time_us", [load_us, execute_us, 7.0], "us"),
        number("count", [1, 10, 30], whole=True),
    ))  # fmt: skip


def test_end_to_end_is_the_sum_of_what_is_not_communication() -> None:
    a = ops([("Conv_0", "Conv2D", "1", 100.0), ("hcom__1", "hcom_allReduce_", "", 500.0), ("Add_1", "Add", "1", 20.5)])
    b = ops([("Conv_0", "Conv2D", "1", 60.0), ("hcom__1", "hcom_allReduce_", "", 900.0), ("Add_1", "Add", "1", 20.5)])
    total = against(a, b).end_to_end
    assert (total.a_us, total.b_us, total.delta_us, total.verdict) == (120.5, 80.5, -40.0, "faster")
    assert total.band_us == pytest.approx(sqrt((0.03 * 100.0) ** 2 + (0.03 * 20.5) ** 2))
    assert total.delta_pct == pytest.approx(-33.195, abs=1e-3)


def test_wall_is_first_start_to_last_end() -> None:
    rows = [("Conv_0", "Conv2D", "1", 100.0), ("Add_1", "Add", "1", 20.0)]
    comparison = against(ops(rows), ops(rows, starts_us=[0.0, 580.0]))
    assert comparison.end_to_end.verdict == "same"
    wall = comparison.wall
    assert wall is not None
    assert (wall.a_us, wall.b_us, wall.delta_us, wall.band_us, wall.verdict) == (120.0, 600.0, 480.0, 18.0, "slower")
    free = change_of(comparison, "free")
    assert (free.a_us, free.b_us, free.verdict) == (0.0, 480.0, "slower")


def test_no_wall_without_start_times() -> None:
    table = ops([("Conv_0", "Conv2D", "1", 100.0)])
    timeless = Table("ops", tuple(column for column in table.columns if column.info.key != "start_ns"))
    assert against(table, timeless).wall is None
    assert against(table, timeless).end_to_end.verdict == "same"


def test_categories_of_operators_add_up_to_the_end() -> None:
    a = ops([("Conv_0", "Conv2D", "1", 100.0), ("t", "TransData", "1", 30.0), ("z", "NonZero", "1", 8.0),
             ("b", "BroadcastTo", "1", 5.0)])  # fmt: skip
    b = ops([("Conv_0", "Conv2D", "1", 101.0), ("z", "NonZero", "1", 9.0), ("b", "BroadcastTo", "1", 5.0)])
    comparison = against(a, b)
    assert [entry.part for entry in comparison.parts] == ["computing", "conversion", "ai_cpu"]
    computing, conversion, ai_cpu = (entry.change for entry in comparison.parts)
    assert (computing.a_us, computing.b_us, computing.verdict) == (105.0, 106.0, "same")
    assert (conversion.a_us, conversion.b_us, conversion.verdict) == (30.0, 0.0, "faster")
    assert (ai_cpu.a_us, ai_cpu.b_us, ai_cpu.delta_us, ai_cpu.verdict) == (8.0, 9.0, 1.0, "slower")
    assert computing.a_us + conversion.a_us + ai_cpu.a_us == comparison.end_to_end.a_us


def test_communication_counts_only_where_nothing_is_computed() -> None:
    rows = [("Conv_0", "Conv2D", "1", 100.0), ("hcom__1", "hcom_allReduce_", "", 150.0)]
    comparison = against(ops(rows, starts_us=[0.0, 50.0]), ops(rows, starts_us=[0.0, 100.0]))
    communication = change_of(comparison, "communication")
    assert (communication.a_us, communication.b_us) == (100.0, 150.0)  # 50…200 of which 50…100 is covered


def test_without_types_everything_is_computing() -> None:
    typed = ops([("Conv_0", "Conv2D", "1", 100.0), ("t", "TransData", "1", 30.0)])
    untyped = ops([("Conv_0", "N/A", "1", 100.0), ("t", "N/A", "1", 30.0)])
    computing = change_of(against(untyped, typed), "computing")
    assert (computing.a_us, computing.b_us, computing.verdict) == (130.0, 130.0, "same")


def test_load_and_execute_come_from_the_calls() -> None:
    table = ops([("Conv_0", "Conv2D", "1", 100.0)])
    comparison = against(table, table, apis=(apis(62400.0, 118300.0), apis(62600.0, 73530.0)))
    load, execute = change_of(comparison, "load"), change_of(comparison, "execute")
    assert (load.delta_us, load.verdict) == (200.0, "same")  # 3 % of 62600 is 1878
    assert (execute.delta_us, execute.verdict) == (-44770.0, "faster")


def test_rows_by_type_shape_and_api() -> None:
    a = ops([("Conv_0", "Conv2D", "1", 100.0), ("Conv_1", "Conv2D", "2", 50.0), ("Add_2", "Add", "1", 5.0)])
    b = ops([("Conv_0", "Conv2D", '"1"', 100.0), ("Conv_1", "Conv2D", "2", 20.0), ("Mul_2", "Mul", "1", 5.0)])
    calls = (apis(10.0, 20.0), apis(10.0, 40.0))
    by_type = {row["op_type"]: row for row in rows_of(against(a, b, "type"))}
    assert (by_type["Conv2D"]["a_total_us"], by_type["Conv2D"]["b_total_us"]) == (150.0, 120.0)
    assert (by_type["Conv2D"]["match"], by_type["Add"]["verdict"], by_type["Mul"]["verdict"]) == ("type", "gone", "new")
    by_shape = {(row["op_type"], row["input_shapes"]): row["verdict"] for row in rows_of(against(a, b, "shape"))}
    assert by_shape["Conv2D", "1"] == "same"
    assert by_shape["Conv2D", "2"] == "faster"
    by_api = against(a, b, "api", calls)
    row = named(by_api, "aclmdlExecute")
    assert (row["op_type"], row["a_count"], row["delta_us"], row["verdict"]) == ("acl", 10, 20.0, "slower")
    assert by_api.end_to_end == against(a, b).end_to_end


def test_operators_without_a_time_are_no_rows() -> None:
    a = ops([("p", "Add", "8", float("nan")), ("q", "Mul", "8", 5.0)], starts_us=[0.0, 9.0])
    b = ops([("p", "Add", "8", 2.0), ("q", "Mul", "8", 5.0)], starts_us=[0.0, 9.0])
    assert named(against(a, b), "p")["verdict"] == "incomparable"
    itself = against(a, a)
    assert [row["op_name"] for row in rows_of(itself)] == ["q"]
    assert itself.notes == ("1 row has no time on either side",)


def test_no_rows_at_all_are_incomparable() -> None:
    comparison = against(ops([]), ops([("q", "Mul", "8", 5.0)]))
    assert comparison.end_to_end.verdict == "incomparable"
    assert comparison.wall is None
    assert [row["verdict"] for row in rows_of(comparison)] == ["new"]

"""Statistics rebuilt from rows, against numbers computed by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from tests.unit.tables import number, ops_table, text, time
from tui.model.columns import of_device
from tui.model.recompute import apis_from_calls, apis_from_timeline, op_types_from_ops, with_shares
from tui.model.split import Span, span_of_rows, split_of
from tui.model.table import Table


def numbers(table: Table, key: str) -> list[float]:
    values = table.number(key)
    assert values is not None
    found: list[float] = values.tolist()
    return found


def texts(table: Table, key: str) -> list[str]:
    column = table.text(key)
    assert column is not None
    return column.texts(slice(None))


def test_operator_types() -> None:
    """Communication and rows without a duration are left out; ratios are of the device's 13.25 us."""
    table = op_types_from_ops(ops_table())
    assert table.keys == tuple("device_id op_type core_type count total_time_us min_us avg_us max_us ratio_pct".split())
    assert texts(table, "op_type") == ["Conv2D", "Mul", "Cast"]
    assert texts(table, "core_type") == ["AI_CORE", "AI_VECTOR_CORE", "AI_CPU"]
    assert numbers(table, "count") == [2, 1, 1]
    assert numbers(table, "total_time_us") == [10.5, 2.25, 0.5]
    assert numbers(table, "avg_us") == [5.25, 2.25, 0.5]
    assert numbers(table, "ratio_pct") == [pytest.approx(79.245283), pytest.approx(16.981132), pytest.approx(3.773585)]
    assert "op_summary" in table.note


def test_ratios_are_per_device() -> None:
    columns = (
        text("device_id", ["0", "1", "1"]),
        text("op_type", ["a", "a", "b"]),
        text("task_type", ["AI_CORE"] * 3),
        number("task_duration_us", [5.0, 1.0, 3.0], "us"),
    )
    assert numbers(op_types_from_ops(Table("ops", columns)), "ratio_pct") == [100.0, 25.0, 75.0]


def test_apis_from_calls() -> None:
    columns = (
        text("api_name", ["aclmdlExecute", "aclInit", "aclmdlExecute"]),
        text("level", ["ACL_MODEL", "ACL_OTHERS", "ACL_MODEL"]),
        number("duration_us", [3.0, 1.5, 4.0], "us"),
    )
    table = apis_from_calls(Table("apis", columns))
    assert texts(table, "api_name") == ["aclmdlExecute", "aclInit"]
    assert numbers(table, "time_us") == [7.0, 1.5]
    assert numbers(table, "count") == [2, 1]
    assert (numbers(table, "min_us"), numbers(table, "avg_us"), numbers(table, "max_us")) == (
        [3, 1.5],
        [3.5, 1.5],
        [4, 1.5],
    )


@dataclass(frozen=True)
class Calls:
    level: str
    name: str
    count: int
    sum_ns: int
    min_ns: int
    max_ns: int


def test_apis_from_sliced_timelines_are_added_up() -> None:
    calls = [Calls("acl", "aclInit", 1, 2_500, 2_500, 2_500), Calls("acl", "aclInit", 2, 1_001, 1, 1_000)]
    table = apis_from_timeline(calls)
    assert (numbers(table, "time_us"), numbers(table, "count")) == ([3.501], [3])
    assert (numbers(table, "min_us"), numbers(table, "max_us")) == ([0.001], [2.5])


def test_shares_of_level_and_span() -> None:
    columns = (text("level", ["acl", "acl", "node"]), number("time_us", [30.0, 10.0, 5.0], "us"))
    table = with_shares(Table("apis", columns), 100_000)
    assert numbers(table, "time_ratio_pct") == [75.0, 25.0, 100.0]
    assert numbers(table, "span_pct") == [30.0, 10.0, 5.0]
    assert all(math.isnan(share) for share in numbers(with_shares(Table("apis", columns), 0), "span_pct"))


def test_shares_of_the_file_are_kept() -> None:
    columns = (number("time_us", [3.0], "us"), number("time_ratio_pct", [2.3], "pct"))
    assert numbers(with_shares(Table("apis", columns), 1_000), "time_ratio_pct") == [2.3]


def apis_table(**times_us: float) -> Table:
    return Table("apis", (text("api_name", list(times_us)), number("time_us", list(times_us.values()), "us")))


def test_split_adds_up_to_the_span() -> None:
    """Busy 1…4.5 and 5…15 us (the collective from 6, alone from 7.25 to 8), then 20…20.5; span 0…100 us."""
    apis = apis_table(aclInit=5.0, aclrtMalloc=1.0, aclmdlLoadFromFile=40.0, aclmdlExecute=50.0)
    split = split_of(ops_table(), apis, Span(0, 100_000, "msprof"))
    assert split is not None
    parts = {part.key: part.time_ns for part in split.parts}
    assert parts == {
        "load": 40_000,
        "set-up": 6_000,
        "computing": 3_500 + 2_250 + 7_000 + 500,
        "communication": 750,
        "idle": 19_500 - 13_250 - 750,
        "other": 100_000 - 46_000 - 19_500,
    }
    assert sum(part.share_pct for part in split.parts) == pytest.approx(100)
    assert split.verdict == ""


def test_load_that_overlaps_the_device_is_not_told_apart() -> None:
    split = split_of(ops_table(), apis_table(aclmdlLoadFromFile=90.0), Span(0, 100_000, "msprof"))
    assert split is not None
    assert "load" not in {part.key for part in split.parts}
    assert split.note


def test_operators_beyond_the_span_replace_it() -> None:
    split = split_of(ops_table(), None, Span(0, 10, "acl"))
    assert split is not None
    assert split.span == span_of_rows(ops_table(), "op_summary")
    assert sum(part.time_ns for part in split.parts) == split.span.length_ns == 19_500


def test_verdicts() -> None:
    def verdict(durations: list[float]) -> str:
        columns = (time("start_ns", [0, 50_000]), number("task_duration_us", durations, "us"))
        split = split_of(Table("ops", columns), None, Span(0, 200_000, "msprof"))
        assert split is not None
        return split.verdict

    assert verdict([49.0, 10.0]) == "device-bound"
    assert verdict([1.0, 2.0]) == "host-bound"


def test_without_start_times_there_is_no_split() -> None:
    assert split_of(Table("ops", (number("task_duration_us", [1.0], "us"),)), None, Span(0, 1, "")) is None


def test_rows_of_a_device_and_of_the_host() -> None:
    table = Table(
        "apis", (text("device_id", ["0", "1", "host"]), number("time_us", [1.0, 2.0, 3.0]), time("start_ns", [1, 2, 3]))
    )
    limited = of_device(table, "1")
    assert numbers(limited, "time_us") == [2.0, 3.0]
    assert np.array_equal(limited.columns[2].values, [2, 3])  # type: ignore[union-attr]
    assert of_device(ops_table(), "0").row_count == 6

"""Column summaries, operator classes, bounds, busy time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.tables import number, ops_table, text, time
from tui.model import ops
from tui.model.stats import distribution, histogram, percentiles, summarise, variation
from tui.model.table import Table


def test_summary_by_hand() -> None:
    summary = summarise(np.array([4.0, 1.0, np.nan, 2.0, 3.0]))
    assert (summary.count, summary.missing, summary.total, summary.mean) == (4, 1, 10.0, 2.5)
    assert (summary.minimum, summary.p50, summary.maximum) == (1.0, 2.5, 4.0)
    assert summary.p95 == pytest.approx(3.85)


def test_summary_of_nothing() -> None:
    summary = summarise(np.array([np.nan]))
    assert (summary.count, summary.missing) == (0, 1)
    assert math.isnan(summary.total)
    assert all(math.isnan(value) for value in percentiles(np.zeros(0), (50, 95)))


def test_variation() -> None:
    assert variation(np.array([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])) == pytest.approx(0.4)
    assert math.isnan(variation(np.array([0.0, 0.0])))


def test_histogram_counts_everything_once() -> None:
    result = histogram(np.array([0.0, 1.0, 1.0, 10.0, np.nan]), 10)
    assert result.counts.tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]
    assert (result.edges[0], result.edges[-1]) == (0.0, 10.0)
    assert histogram(np.array([5.0, 5.0]), 4).counts.sum() == 2
    assert histogram(np.zeros(0), 4).counts.tolist() == [0, 0, 0, 0]


def test_distribution_is_scaled_to_its_highest_bin() -> None:
    assert distribution(np.array([1.0, 1.0, 4.0]), 2) == [1.0, 0.5]
    assert distribution(np.zeros(0), 2) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("task_type", "expected"),
    [
        ("AI_CORE", "cube"),
        ("KERNEL_AICORE", "cube"),
        ("AI_VECTOR_CORE", "vector"),
        ("MIX_AIV", "mix"),
        ("AI CPU", "aicpu"),
        ("AI_CPU", "aicpu"),
        ("COMMUNICATION", "comm"),
        ("HCCL", "comm"),
        ("SDMA_SQE", "dma"),
        ("MEMCPY_ASYNC", "dma"),
        ("EVENT_WAIT_SQE", "other"),
        ("DSA_SQE", "other"),
        ("N/A", "other"),
    ],
)
def test_task_classes(task_type: str, expected: str) -> None:
    assert ops.class_of(task_type) == expected


def test_bounds() -> None:
    table = ops_table()
    expected = ["mac 0.91", "vec 0.80", "none", "", "", ""]
    assert ops.bound_texts(table) == expected
    assert ops.bound_texts(table, np.array([2, 0])) == ["none", "mac 0.91"]
    column = ops.derived(table, "bound")
    assert column is not None
    assert column.texts(slice(None)) == expected  # type: ignore[union-attr]
    assert ops.pipe_ratios(table, 2) == {"mac": 0.4, "vec": 0.2, "mte2": 0.79}


def test_bounds_of_split_chips_take_the_busier_core() -> None:
    table = Table(
        "ops",
        (number("aic_mte2_ratio", [0.9, 0.0]), number("aiv_mte2_ratio", [0.0, 0.85]), number("aiv_vec_ratio", [0, 0])),
    )
    assert ops.bound_texts(table) == ["mte2 0.90", "mte2 0.85"]


def test_without_pipes_there_is_no_bound() -> None:
    assert ops.bound_texts(Table("ops", (number("task_duration_us", [1.0]),))) == [""]


def test_shares_leave_communication_out() -> None:
    shares = ops.share_pct(ops_table())
    assert shares[2] == pytest.approx(100 * 7 / 13.25)
    assert np.isnan(shares[4])
    assert np.nansum(shares) == pytest.approx(100)


def test_busy_time_counts_overlaps_once() -> None:
    table = Table(
        "ops",
        (
            text("device_id", ["0", "0", "1", "0"]),
            text("task_type", ["AI_CORE", "AI_CORE", "AI_CORE", "COMMUNICATION"]),
            time("start_ns", [1_000, 2_000, 0, 0]),
            number("task_duration_us", [3.0, 0.5, 7.0, 100.0], "us"),
        ),
    )
    assert ops.busy_ns(table) == {"0": 3_000, "1": 7_000}
    assert ops.busy_ns(table, np.ones(4, np.bool_)) == {"0": 100_000, "1": 7_000}


def test_union() -> None:
    starts, ends = np.array([10, 0, 5, 30]), np.array([12, 7, 8, 31])
    assert ops.union_ns(starts, ends) == 8 + 2 + 1
    assert ops.union_ns(np.zeros(0, np.int64), np.zeros(0, np.int64)) == 0

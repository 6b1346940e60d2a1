"""The metrics of a pair: worked cases, blocks, special values, and numpy over whole arrays as the oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.dump_pairs import MemoryTensor
from tests.worked_metrics import CELLS, EXACT, INPUTS, METRICS
from tui.dump.csv_export import METRIC_COLUMNS, metric_texts, overflow_text
from tui.dump.metrics import Buffers, PairSums
from tui.dump.special import Moments, dot, limits_of, to_float
from tui.dump.tensor import BLOCK_ELEMENTS
from tui.model.dump import Metrics

BUFFERS = Buffers()


def summed(a: NDArray[Any], b: NDArray[Any], dtype_a: str = "", dtype_b: str = "") -> PairSums:
    sums = PairSums(dtype_a or str(a.dtype), dtype_b or str(b.dtype), BUFFERS)
    for _done in sums.run(MemoryTensor(a), MemoryTensor(b)):
        pass
    return sums


def metrics(a: NDArray[Any], b: NDArray[Any]) -> Metrics:
    return summed(a, b).metrics(sum(b.shape) == b.ndim)


@pytest.mark.parametrize("case", EXACT)
def test_worked_cases_to_every_digit(case: str) -> None:
    found = metrics(*INPUTS[case])
    for name, expected in zip(METRICS, EXACT[case]):
        value = getattr(found, name)
        shown = math.nan if value is None else value
        assert f"{shown:.10g}" == f"{expected:.10g}" or (math.isnan(shown) and math.isnan(expected)), name


def test_the_worked_cases_are_all_there() -> None:
    assert EXACT.keys() == CELLS.keys() == INPUTS.keys()
    assert len(EXACT) == 27


@pytest.mark.parametrize("case", [case for case in CELLS if case != "bool"])
def test_cells_of_the_comparer_within_one_unit_of_the_last_digit(case: str) -> None:
    *expected, deviation, overflow = CELLS[case]
    sums = summed(*INPUTS[case])
    found = dict(zip(METRIC_COLUMNS, metric_texts(sums.metrics(sum(INPUTS[case][1].shape) == 1))))
    assert found.pop("StandardDeviation") == deviation
    assert overflow_text(sums.a.stats(str(INPUTS[case][0].dtype), (1,), "")) == overflow
    for text, wanted in zip(found.values(), expected):
        if wanted in ("NaN", "nan", "inf", "1.0"):
            assert text == wanted
        else:
            last_digit = 10.0 ** -len(wanted.partition(".")[2])
            assert abs(float(text) - float(wanted)) <= 1.001 * last_digit


def test_a_missing_cosine_is_told_from_one_that_the_data_make_undefined() -> None:
    assert metrics(*INPUTS["zeros_vs_values"]).cosine is None
    assert math.isnan(metrics(*INPUTS["nan_in_mine"]).cosine or 0.0)
    assert metrics(*INPUTS["zeros_vs_zeros"]).cosine == 1.0


def test_the_second_cosine_is_over_positions_that_are_finite_on_both_sides() -> None:
    a = np.array([1, np.nan, 3, 4, 5], np.float32)
    b = np.array([1, 2, np.inf, 4, 6], np.float32)
    expected = (1 + 16 + 30) / math.sqrt(1 + 16 + 25) / math.sqrt(1 + 16 + 36)
    assert metrics(a, b).cosine_finite == pytest.approx(expected, rel=1e-14)
    assert metrics(a[1:3], b[1:3]).cosine_finite is None


def test_a_special_value_in_one_block_leaves_the_finite_cosine_of_the_others() -> None:
    golden = np.random.default_rng(5).standard_normal(3 * BLOCK_ELEMENTS).astype(np.float32)
    mine = golden * 2
    mine[7] = np.nan
    found = metrics(mine, golden)
    assert math.isnan(found.cosine or 0.0)
    assert found.cosine_finite == pytest.approx(1.0, abs=1e-14)


def test_shift_and_scale_leave_no_divergence() -> None:
    values = np.arange(40_000, dtype=np.float32)
    assert metrics(values * 4 + 8, values).kl_divergence == 0.0


def test_identical_tensors_are_exactly_alike() -> None:
    values = np.random.default_rng(1).standard_normal(100_003).astype(np.float32)
    found = metrics(values, values)
    assert (found.cosine, found.max_abs_error, found.kl_divergence, found.rmse) == (1.0, 0.0, 0.0, 0.0)


def whole(x: NDArray[Any], y: NDArray[Any]) -> dict[str, float]:
    """The formulas over whole arrays in float64."""
    x, y = x.astype(np.float64).reshape(-1), y.astype(np.float64).reshape(-1)
    difference = np.abs(x - y)
    judged = np.abs(y) > np.finfo(np.float64).eps
    relative = np.where(judged, np.abs(x / np.where(judged, y, 1.0) - 1.0), 0.0)

    def spread(values: NDArray[Any]) -> NDArray[Any]:
        span = values.max() - values.min()
        scaled = (values - values.min()) / span if span else values
        floored = np.maximum(scaled, np.finfo(np.float32).eps)
        result: NDArray[Any] = floored / floored.sum()
        return result

    return {
        "cosine": float(np.sum(x * y) / np.linalg.norm(x) / np.linalg.norm(y)),
        "max_abs_error": float(difference.max()),
        "accumulated_relative_error": float(relative.sum()),
        "relative_euclidean_distance": float(np.linalg.norm(x - y) / np.linalg.norm(y)),
        "kl_divergence": float(np.sum(spread(x) * np.log(spread(x) / spread(y)))),
        "mean_abs_error": float(difference.mean()),
        "rmse": float(np.sqrt(np.mean(difference**2))),
        "max_relative_error": float(relative.max()),
        "mean_relative_error": float(relative.mean()),
        "mean_a": float(x.mean()),
        "standard_deviation_a": float(x.std()),
        "mean_b": float(y.mean()),
        "standard_deviation_b": float(y.std()),
    }


@pytest.mark.parametrize("count", [2, BLOCK_ELEMENTS, BLOCK_ELEMENTS + 1, 12 * BLOCK_ELEMENTS, 300_007])
def test_blocks_add_up_to_the_whole(count: int) -> None:
    generator = np.random.default_rng(count)
    golden = np.maximum(generator.standard_normal(count), -0.3).astype(np.float32) * 50
    mine = golden.astype(np.float16)
    found = metrics(mine, golden)
    for name, expected in whole(mine, golden).items():
        assert getattr(found, name) == pytest.approx(expected, rel=1e-9, abs=1e-13), name


@given(st.integers(1, 200), st.integers(0, 2**32 - 1), st.sampled_from(["float16", "float32", "float64", "int32"]))
def test_any_ordinary_pair_agrees_with_whole_arrays(count: int, seed: int, dtype: str) -> None:
    generator = np.random.default_rng(seed)
    golden = (generator.standard_normal(count + 1) * 10 ** generator.uniform(-3, 3)).astype(np.float32)
    mine = (golden + generator.standard_normal(count + 1) * 0.01).astype(dtype)
    if not mine.any():
        return
    found = metrics(mine, golden)
    for name, expected in whole(mine, golden).items():
        assert getattr(found, name) == pytest.approx(expected, rel=1e-9, abs=1e-11), name


@pytest.mark.parametrize("count", [5, 30 * BLOCK_ELEMENTS])
def test_progress_rises_to_twice_the_elements(count: int) -> None:
    tensor = MemoryTensor(np.linspace(0, 1, count, dtype=np.float32))
    done = list(PairSums("float32", "float32", BUFFERS).run(tensor, tensor))
    assert done == sorted(done)
    assert done[-1] == 2 * count


def test_small_tensors_are_read_once_and_large_ones_twice() -> None:
    for count, reads in ((12 * BLOCK_ELEMENTS, 1), (12 * BLOCK_ELEMENTS + 1, 2)):
        a = MemoryTensor(np.linspace(0, 1, count, dtype=np.float32))
        for _done in PairSums("float32", "float32", BUFFERS).run(a, MemoryTensor(a.values)):
            pass
        assert a.reads == reads


def test_special_values_are_classed_and_counted() -> None:
    mine = np.array([np.nan, np.inf, -np.inf, 65504, -65504, 6e-8, 0, 1, 70], np.float16)
    golden = np.array([1, 2, 3, 70000, -65504, 1e-9, 0, 1, -np.inf], np.float32)
    sums = summed(mine, golden)
    a, b = sums.a.stats("float16", (9,), ""), sums.b.stats("float32", (9,), "")
    assert (a.nan, a.inf, a.saturated, a.subnormal, a.zeros, a.beyond_fp16) == (1, 2, 2, 1, 1, 2)
    assert (b.nan, b.inf, b.saturated, b.subnormal, b.zeros, b.beyond_fp16) == (0, 1, 0, 0, 1, 2)
    assert (b.below_fp16, b.max_abs, a.max_abs, a.min) == (1, 70000, 65504, -65504)
    assert sums.metrics(False).overflowed == 4  # NaN, both infinities, and the one that was clipped


@pytest.mark.parametrize(("dtype", "largest"), [("float16", 65504.0), ("bfloat16", 3.3895313892515355e38)])
def test_the_plateau_is_that_of_the_type(dtype: str, largest: float) -> None:
    values = np.array([largest, -largest, 1.0], np.float32)
    assert summed(values, values, dtype, "float32").a.saturated == 2
    assert limits_of("int8").largest == math.inf


def test_every_float16_is_widened_exactly() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    for values in (every, finite, finite[:5]):
        with np.errstate(invalid="ignore"):
            expected = values.astype(np.float64)
            found = to_float(values, np.empty(1 << 16))
        assert np.array_equal(found, expected, equal_nan=True)
        assert np.array_equal(np.signbit(found), np.signbit(expected))


def test_a_large_mean_does_not_eat_the_deviation() -> None:
    moments = Moments()
    for start in range(0, 100, 25):
        block = 1e9 + np.arange(start, start + 25, dtype=np.float64)
        moments.add(block, dot(block, block))
    assert moments.std == pytest.approx(math.sqrt((100**2 - 1) / 12), rel=1e-12)


def test_complex_numbers_count_by_their_parts() -> None:
    a, b = np.array([1 + 2j, 3 + 4j], np.complex64), np.array([1 + 2j, 3 + 5j], np.complex64)
    assert summed(a, b).metrics(False).max_abs_error == 1.0
    assert summed(a, np.array([1, 3], np.float32)).metrics(False).max_abs_error == 0.0


def test_an_empty_pair_has_no_error() -> None:
    found = metrics(np.zeros(0, np.float16), np.zeros(0, np.float32))
    assert (found.cosine, found.max_abs_error, found.rmse) == (1.0, 0.0, 0.0)
    assert math.isnan(found.mean_a)


def test_a_side_that_ends_first_is_an_error() -> None:
    for a, b in ((5, 6), (6, 5), (1 << 16, 1 << 17)):
        sums = PairSums("float32", "float32", BUFFERS)
        with pytest.raises(ValueError, match="ends first"):
            list(sums.run(MemoryTensor(np.ones(a, np.float32)), MemoryTensor(np.ones(b, np.float32))))

"""One pair looked at closely: statistics, histogram, worst elements, slices, text."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dump_pairs import MemoryTensor
from tui.dump.closeup import histogram, tensor_slice, tensor_stats, text_lines, worst_elements
from tui.dump.opening import open_dump
from tui.dump.tensor import BLOCK_ELEMENTS, TensorInfo
from tui.model.dump import Histogram
from tui.model.problem import Problem


def test_statistics_are_over_finite_elements() -> None:
    values = np.array([[1, 2, np.nan], [np.inf, -4, 0]], np.float32)
    found = tensor_stats(MemoryTensor(values)).stats
    assert (found.min, found.max, found.mean, found.max_abs) == (-4, 2, -0.25, 4)
    assert found.std == pytest.approx(np.std([1, 2, -4, 0]))
    assert (found.shape, found.count, found.nan, found.inf, found.zeros) == ((2, 3), 6, 1, 1, 1)


def test_statistics_of_nothing_finite_are_missing() -> None:
    found = tensor_stats(MemoryTensor(np.full(3, np.nan, np.float32))).stats
    assert math.isnan(found.min)
    assert math.isnan(found.std)
    assert found.nan == 3


def test_a_tensor_with_a_problem_has_no_numbers() -> None:
    class Damaged(MemoryTensor):
        @property
        def info(self) -> TensorInfo:
            return replace(super().info, problem=Problem("f", "", "truncated", "", ""))

    found = tensor_stats(Damaged(np.zeros(2, np.float32)))
    assert found.problem is not None
    assert math.isnan(found.stats.min)


def test_a_file_that_shrinks_meanwhile_is_a_problem(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(5000, np.float32))
    (tensor,) = open_dump(tmp_path / "x.npy").tensors
    with (tmp_path / "x.npy").open("r+b") as file:
        file.truncate(300)
    assert tensor_stats(tensor).problem is not None


def histogram_of(a: list[float], b: list[float], bins: int) -> Histogram:
    mine, golden = (MemoryTensor(np.array(values, np.float32)) for values in (a, b))
    found = histogram(mine, golden, tensor_stats(mine).stats, tensor_stats(golden).stats, bins)
    assert found is not None
    return found


def test_both_sides_are_counted_over_one_axis() -> None:
    found = histogram_of([0, 1, 2, math.inf], [0, 4, 4, 8], 4)
    assert list(found.edges) == [0, 2, 4, 6, 8]
    assert (found.a, found.b) == ((2, 1, 0, 0), (1, 0, 2, 1))
    assert (found.special_a, found.special_b) == (1, 0)


def test_a_single_value_gets_a_bin_around_it() -> None:
    found = histogram_of([65504.0] * 3, [65504.0], 4)
    assert sum(found.a) == 3
    assert found.edges[0] < 65504 < found.edges[-1]


def test_nothing_finite_has_no_histogram() -> None:
    nan = MemoryTensor(np.full(2, np.nan, np.float32))
    assert histogram(nan, nan, tensor_stats(nan).stats, tensor_stats(nan).stats) is None


def test_the_worst_elements_come_first_with_their_place() -> None:
    golden = np.arange(12, dtype=np.float32).reshape(3, 4)
    mine = golden.copy()
    mine[1, 2], mine[2, 0], mine[0, 1], mine[0, 0] = 9, 8.5, np.nan, np.inf
    found = worst_elements(MemoryTensor(mine), MemoryTensor(golden))
    assert [each.index for each in found] == [(0, 0), (0, 1), (1, 2), (2, 0)]
    assert (found[2].a, found[2].b, found[2].abs_error, found[2].relative_error) == (9, 6, 3, 0.5)
    assert found[0].relative_error == 0.0  # the golden value is 0


def test_values_that_are_not_finite_on_both_sides_are_no_error() -> None:
    both = MemoryTensor(np.array([np.nan, np.inf, -np.inf, 1], np.float32))
    assert worst_elements(both, both) == ()
    other = MemoryTensor(np.array([np.nan, -np.inf, -np.inf, 1], np.float32))
    assert [each.index for each in worst_elements(both, other)] == [(1,)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_the_worst_elements_are_the_largest_errors(seed: int, most: int) -> None:
    generator = np.random.default_rng(seed)
    golden = generator.integers(-9, 9, 300).astype(np.float32)
    mine = golden + generator.integers(-3, 4, 300)
    found = worst_elements(MemoryTensor(mine), MemoryTensor(golden), most)
    expected = sorted((error for error in np.abs(mine - golden).tolist() if error), reverse=True)[:most]
    assert [each.abs_error for each in found] == expected


def test_the_worst_element_of_a_later_block_is_found() -> None:
    golden = np.zeros(3 * BLOCK_ELEMENTS, np.float32)
    mine = golden.copy()
    mine[2 * BLOCK_ELEMENTS + 5] = 1
    assert worst_elements(MemoryTensor(mine), MemoryTensor(golden))[0].index == (2 * BLOCK_ELEMENTS + 5,)


def test_slices_over_any_two_axes() -> None:
    values = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    tensor = MemoryTensor(values)
    assert np.array_equal(tensor_slice(tensor, (2, 3), (1, 2, 0, 0)), values[1, 2])
    assert np.array_equal(tensor_slice(tensor, (3, 0), (0, 1, 2, 0)), values[:, 1, 2, :].T)
    window = tensor_slice(tensor, (1, 3), (1, 0, 3, 0), rows=range(1, 3), columns=range(2, 9))
    assert np.array_equal(window, values[1, 1:3, 3, 2:5])


def test_slices_of_few_axes() -> None:
    assert tensor_slice(MemoryTensor(np.arange(5)), (0, 0), (0,), columns=range(1, 3)).tolist() == [[1, 2]]
    assert tensor_slice(MemoryTensor(np.array(7.5)), (0, 0), ()).tolist() == [[7.5]]
    assert tensor_slice(MemoryTensor(np.zeros((0, 3))), (0, 1), (0, 0)).shape == (0, 3)


def test_a_slice_reaches_into_later_blocks() -> None:
    values = np.arange(200_000, dtype=np.float32).reshape(400, 500)
    found = tensor_slice(MemoryTensor(values), (0, 1), (0, 0), rows=range(390, 395), columns=range(490, 500))
    assert np.array_equal(found, values[390:395, 490:500])


def test_text_reads_back_as_the_same_numbers() -> None:
    values = np.array([0.1, np.nan, -np.inf, 65504], np.float32)
    text = "".join(text_lines(MemoryTensor(values)))
    assert np.array_equal(np.loadtxt(text.splitlines(), np.float32), values, equal_nan=True)
    whole = np.array([2**64 - 1, 3], np.uint64)
    assert "".join(text_lines(MemoryTensor(whole))) == "18446744073709551615\n3\n"
    assert "".join(text_lines(MemoryTensor(np.array([True, False])))) == "1\n0\n"

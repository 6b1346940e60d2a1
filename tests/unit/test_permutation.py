"""Sorting by packed keys gives the same permutation as numpy's stable sorts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tui.model.permutation import LAST, Key, stable_order

ROWS = 5000
"""Enough for the packed way."""


def expected(keys: list[Key]) -> NDArray[np.intp]:
    return np.lexsort(tuple(reversed(keys)))


@given(
    decimals=st.integers(0, 9),
    largest=st.sampled_from([1, 50, 10**6, 10**12]),
    missing=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_decimals(decimals: int, largest: int, missing: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    key = np.round(rng.random(ROWS) * 2 * largest - largest, decimals)
    key[rng.random(ROWS) < missing] = np.nan
    assert stable_order([key]).tolist() == expected([key]).tolist()


@given(span=st.integers(0, 62), missing=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_integers(span: int, missing: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    key = rng.integers(-(2**span), 2**span, size=ROWS)
    key[rng.random(ROWS) < missing] = LAST
    assert stable_order([key]).tolist() == expected([key]).tolist()


@given(seed=st.integers(0, 2**32 - 1))
def test_several_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys: list[Key] = [rng.integers(0, 3, ROWS), np.round(rng.random(ROWS), 1), rng.integers(0, 2**40, ROWS)]
    assert stable_order(keys).tolist() == expected(keys).tolist()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.1 + 0.2, 1e300, -0.0])
def test_numbers_that_are_no_short_decimals(value: float) -> None:
    key = np.round(np.random.default_rng(1).random(ROWS), 2)
    key[[3, 700, 4999]] = value
    assert stable_order([key]).tolist() == expected([key]).tolist()


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_short_tables(rows: int) -> None:
    key = np.array([2.0, 1.0][:rows])
    assert stable_order([key]).tolist() == expected([key]).tolist()


def test_keys_are_not_changed() -> None:
    key = np.arange(ROWS)[::-1].copy()
    key[7] = LAST
    before = key.copy()
    stable_order([key])
    assert (key == before).all()

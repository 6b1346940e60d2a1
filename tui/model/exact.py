"""Sums that keep every decimal of the file.

A column of a CSV has a fixed number of decimals, so its cells are whole multiples of a power of ten. They are added as
integers and divided once: the float that results prints as the exact decimal sum, where adding floats would not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_DECIMALS = 9
_LARGEST_EXACT = 2.0**53
_LARGEST_SUM = 2.0**62
_PROBE_ROWS = 512


@dataclass(frozen=True)
class Scaled:
    """Numbers as integers: `number = units / 10**decimals`."""

    units: NDArray[np.int64]
    decimals: int

    def number(self, units: int) -> float:
        """The float nearest to `units / 10**decimals`."""
        return float(int(units) / 10**self.decimals)


def scaled(values: NDArray[np.float64]) -> Scaled | None:
    """`values` (finite) as integers with the fewest decimals that lose nothing; None when there is no such number.

    None means more than `MAX_DECIMALS` decimals, or numbers too large to hold them.
    """
    probe = values[:: max(1, len(values) // _PROBE_ROWS)]
    first = _fewest_decimals(probe, 0)
    decimals = None if first is None else _fewest_decimals(values, first)
    if decimals is None:
        return None
    return Scaled(np.rint(values * 10.0**decimals).astype(np.int64), decimals)


def decimals_of(values: NDArray[np.float64]) -> int:
    """Decimals that the finite numbers of a column were written with, at most `MAX_DECIMALS`."""
    finite = values[np.isfinite(values)]
    probe = finite[:: max(1, len(finite) // _PROBE_ROWS)]
    found = _fewest_decimals(probe, 0)
    return MAX_DECIMALS if found is None else found


def _fewest_decimals(values: NDArray[np.float64], first: int) -> int | None:
    largest = float(np.abs(values).max()) if len(values) else 0.0
    for decimals in range(first, MAX_DECIMALS + 1):
        factor = 10.0**decimals
        if largest * factor >= _LARGEST_EXACT or largest * factor * len(values) >= _LARGEST_SUM:
            return None
        if np.array_equal(np.rint(values * factor) / factor, values):
            return decimals
    return None


def exact_sum(values: NDArray[np.float64]) -> float:
    """Sum of the finite numbers; prints as the exact decimal sum when the column has a fixed number of decimals.

    Columns without one are added by `math.fsum`, which rounds once.
    """
    finite = values[np.isfinite(values)]
    as_units = scaled(finite)
    if as_units is None:
        return math.fsum(finite.tolist())
    return as_units.number(int(as_units.units.sum()))


def exact_sums(values: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sum of each run of `values` (finite, grouped) that begins at `starts`; as exact as `exact_sum`.

    Args:
        values: Shape (n,), the members of each group side by side.
        starts: Shape (groups,), rising, the first member of each group; no group is empty.
    """
    if not len(starts):
        return np.zeros(0)
    if len(starts) == len(values):
        return np.array(values)
    as_units = scaled(values)
    if as_units is None:
        bounds = [*starts.tolist(), len(values)]
        pieces = values.tolist()
        return np.array([math.fsum(pieces[first:last]) for first, last in zip(bounds, bounds[1:])])
    return np.add.reduceat(as_units.units, starts) / 10.0**as_units.decimals

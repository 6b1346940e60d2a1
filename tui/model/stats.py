"""Figures about one column: sums, percentiles, histograms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.model.exact import exact_sum


@dataclass(frozen=True)
class Summary:
    """What the sum row and the column summary say; NaN where no cell has a number."""

    count: int
    """Cells with a number."""
    missing: int
    total: float
    """Exact to the last decimal of the column."""
    mean: float
    minimum: float
    p50: float
    p95: float
    maximum: float


def finite_ends(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Smallest and largest finite number; empty where there is none."""
    if not len(values):
        return ()
    ends = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if np.isfinite(ends).all():
        return ends
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else ()


def summarise(values: NDArray[np.float64]) -> Summary:
    """Figures over the finite cells of `values`, in their unit."""
    finite = values[np.isfinite(values)]
    missing = len(values) - len(finite)
    if not len(finite):
        nan = float("nan")
        return Summary(0, missing, nan, nan, nan, nan, nan, nan)
    total = exact_sum(finite)
    p50, p95 = percentiles(finite, (50, 95))
    return Summary(len(finite), missing, total, total / len(finite), float(finite.min()), p50, p95, float(finite.max()))


def percentiles(values: NDArray[np.float64], wanted: tuple[float, ...]) -> tuple[float, ...]:
    """Percentiles of finite `values`, between two cells interpolated linearly; NaN when there are none."""
    if not len(values):
        return tuple(float("nan") for _ in wanted)
    return tuple(float(value) for value in np.percentile(values, wanted))


def variation(values: NDArray[np.float64]) -> float:
    """Coefficient of variation: population standard deviation ÷ mean; NaN for no values or a mean of 0."""
    if not len(values):
        return float("nan")
    mean = float(values.mean())
    return float(values.std()) / mean if mean else float("nan")


@dataclass(frozen=True)
class Histogram:
    """Counts in bins of equal width."""

    counts: NDArray[np.int64]
    """Shape (bins,)."""
    edges: NDArray[np.float64]
    """Shape (bins + 1,), in the unit of the values."""


def histogram(values: NDArray[np.float64], bins: int, low: float | None = None) -> Histogram:
    """Histogram of the finite cells from `low` (default: the smallest) to the largest."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return Histogram(np.zeros(bins, np.int64), np.zeros(bins + 1))
    first = float(finite.min()) if low is None else low
    last = max(float(finite.max()), first)
    if last == first:
        last = first + (abs(first) or 1.0)
    counts, edges = np.histogram(finite, bins=bins, range=(first, last))
    return Histogram(counts.astype(np.int64), edges)


def distribution(values: NDArray[np.float64], cells: int) -> list[float]:
    """Heights 0…1 of a small histogram from 0 to the largest value, for a sparkline of `cells` cells."""
    counts = histogram(values, cells, low=0.0).counts
    largest = int(counts.max()) if len(counts) else 0
    return [count / largest if largest else 0.0 for count in counts.tolist()]

"""The verdict on one pair of tensors: the first that applies, and what decided it."""

from __future__ import annotations

import math
from dataclasses import replace

from tui.dump.special import limits_of
from tui.model.dump import Metrics, PairRow, SideStats, Verdict

BAD_COSINE = 0.95
DRIFT_COSINE = 0.99
BAD_RELATIVE_ERROR = 0.05
"""For tensors of one element, whose cosine is always 1."""


def judged(row: PairRow, threshold: float = BAD_COSINE) -> PairRow:
    """The row with its verdict and cause. A row that was not compared keeps its own.

    Args:
        threshold: A cosine below it is `bad`.
    """
    if row.a is None or row.b is None or row.metrics is None:
        return row
    verdict, cause = _verdict(row.a, row.b, row.metrics, threshold)
    limit = {"bad": threshold, "drift": max(DRIFT_COSINE, threshold)}.get(verdict) if cause == "cosine" else None
    return replace(row, verdict=verdict, cause=cause, detail="" if limit is None else f"{limit:g}")


def _verdict(a: SideStats, b: SideStats, metrics: Metrics, threshold: float) -> tuple[Verdict, str]:
    if metrics.overflowed:
        return "overflow", "not_finite" if a.nan or a.inf else "saturated"
    if _is_tiny(a, b):
        return "tiny", "tiny"
    if a.count == b.count == 1:
        return _one_element(metrics, b)
    return verdict_of_cosine(metrics.cosine, threshold)


def verdict_of_cosine(cosine: float | None, threshold: float = BAD_COSINE) -> tuple[Verdict, str]:
    """The verdict that the cosine alone gives, and its cause."""
    if cosine is None or math.isnan(cosine):
        return "bad", "no_cosine"
    if cosine < threshold:
        return "bad", "cosine"
    return ("drift", "cosine") if cosine < max(DRIFT_COSINE, threshold) else ("ok", "")


def _one_element(metrics: Metrics, b: SideStats) -> tuple[Verdict, str]:
    """By the relative error, which the metrics give as 0 where the golden value is 0."""
    error = metrics.max_relative_error
    wrong = metrics.max_abs_error != 0 if b.max_abs == 0 else not error <= BAD_RELATIVE_ERROR
    return ("bad", "one_element") if wrong else ("ok", "one_element")


def _is_tiny(a: SideStats, b: SideStats) -> bool:
    """Whether both sides are below the smallest normal number of the narrower type."""
    narrower = min(limits_of(a.dtype), limits_of(b.dtype), key=lambda limits: limits.bits or 256)
    smallest = narrower.smallest_normal
    finite = not (a.nan or a.inf or b.nan or b.inf)
    return finite and a.max_abs < smallest and b.max_abs < smallest

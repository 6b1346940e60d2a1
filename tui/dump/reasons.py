"""Why a pair of tensors has its verdict, in words."""

from __future__ import annotations

from collections.abc import Callable

from tui.i18n import N_, _
from tui.model.dump import Metrics, PairRow, SideStats

_PLAIN = {
    "only_a": N_("the golden side has no such operator"),
    "only_b": N_("the run under test has no such operator"),
    "only_a_tensor": N_("the golden side has no such tensor"),
    "only_b_tensor": N_("the run under test has no such tensor"),
    "inserted": N_("the compiler inserted this operator"),
    "inner": N_("inside a fused operator: the original model has no such tensor"),
    "quantised": N_("between quantisation and dequantisation values are in another scale"),
    "no_tensors": N_("the file holds no tensor"),
    "tiny": N_("both sides are below the smallest normal number of the narrower type"),
}


def reason_of(row: PairRow) -> str:
    """One line: what decided the verdict of a row; empty for one that is simply right."""
    if row.cause in _PLAIN:
        return _(_PLAIN[row.cause])
    if row.cause == "fused":
        return _("fused into {name}").format(name=row.detail)
    if row.cause == "shape" and row.a is not None and row.b is not None:
        return _("the shapes are {a} and {b}").format(a=shape_text(row.a.shape), b=shape_text(row.b.shape))
    if row.cause == "cosine":
        return _("the cosine is {cosine}, below {limit}").format(cosine=number(row.cosine), limit=row.detail)
    make = _WITH_NUMBERS.get(row.cause)
    if make is None or row.a is None or row.b is None or row.metrics is None:
        return row.detail
    return make(row.a, row.b, row.metrics)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as in CANN's tables: `1x3x8x8`, `scalar` for none."""
    return "x".join(map(str, shape)) or _("scalar")


def number(value: float | None, digits: int = 6) -> str:
    """A number for a sentence, `-` for none."""
    return "-" if value is None else f"{value:.{digits}g}"


def _saturated(a: SideStats, b: SideStats, metrics: Metrics) -> str:
    text = _("{n} of {count} elements ({share} %) are held at 65504 where the golden side goes up to {peak}")
    return text.format(n=metrics.overflowed, count=a.count, share=_share(metrics, a), peak=number(b.max_abs))


def _not_finite(a: SideStats, b: SideStats, metrics: Metrics) -> str:
    text = _("{n} of {count} elements ({share} %) overflow: {nan} NaN, {inf} Inf; the golden side goes up to {peak}")
    return text.format(
        n=metrics.overflowed, count=a.count, share=_share(metrics, a), nan=a.nan, inf=a.inf, peak=number(b.max_abs)
    )


def _share(metrics: Metrics, a: SideStats) -> str:
    return f"{100.0 * metrics.overflowed / max(1, a.count):.3g}"


def _no_cosine(a: SideStats, b: SideStats, metrics: Metrics) -> str:
    if metrics.special_places:
        text = _("{n} elements are NaN or Inf on both sides; over the finite ones the cosine is {cosine}")
        return text.format(n=metrics.special_places, cosine=number(metrics.cosine_finite))
    if b.nan or b.inf:
        text = _("the golden side holds {nan} NaN and {inf} Inf; over the finite elements the cosine is {cosine}")
        return text.format(nan=b.nan, inf=b.inf, cosine=number(metrics.cosine_finite))
    if not a.count:
        return _("the tensors have no elements")
    return _("all zero in the run under test") if metrics.norm_a == 0 else _("all zero on the golden side")


def _one_element(_a: SideStats, _b: SideStats, metrics: Metrics) -> str:
    text = _("one element: relative error {error}, absolute error {difference}")
    return text.format(error=number(metrics.max_relative_error), difference=number(metrics.max_abs_error))


_WITH_NUMBERS: dict[str, Callable[[SideStats, SideStats, Metrics], str]] = {
    "saturated": _saturated,
    "not_finite": _not_finite,
    "no_cosine": _no_cosine,
    "one_element": _one_element,
}

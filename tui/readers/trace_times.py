"""Times of a trace as exact integer ns: decimal texts in us, many at once (formats: msprof 4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_TIME_NS = 1 << 62
_MAX_DIGITS = 19
"""More do not fit; these may wrap round, but then below zero."""
_POINT = ord(".")
_POWERS = 10 ** np.arange(_MAX_DIGITS - 1, -1, -1, dtype=np.int64)
_CERTAIN_NS = float(1 << 50)
"""Above this a double in us says too little about its ns."""
_SLACK = 1e-15
"""Relative error of such a product, generously."""

Times = NDArray[np.int64]


class Inexact(ValueError):
    """The values do not tell their ns with certainty: they have to be read as text."""


def ns_of_us(text: Any) -> int | None:
    """Nanoseconds of a decimal text in us, exact; digits beyond 1 ns are rounded half up. None when it is no time."""
    whole, _point, fraction = str(text).strip().partition(".")
    if len(fraction) <= 3 and whole.isdecimal() and (fraction.isdecimal() or not fraction) and len(whole) < 17:
        time_ns = int(whole + fraction.ljust(3, "0"))
        return time_ns if time_ns < MAX_TIME_NS else None
    try:
        number = Decimal(str(text).strip()) * 1000
    except InvalidOperation:
        return None
    if not number.is_finite() or number.adjusted() > 18:
        return None
    time_ns = int(number.to_integral_value(ROUND_HALF_UP))
    return time_ns if abs(time_ns) < MAX_TIME_NS else None


def starts_ns(texts: Sequence[Any]) -> Times:
    """Times written as decimal texts in us; shape (texts,).

    Raises:
        Inexact: one of them is no text.
        ValueError: one of them is no time.
    """
    if set(map(type, texts)) != {str}:
        raise Inexact
    found = _same_shape_ns(texts)
    return found if found is not None else _one_by_one(texts)


def durations_ns(values: Sequence[Any]) -> Times:
    """Durations in us, numbers or decimal texts; negative ones become 0. Shape (values,).

    Raises:
        Inexact: a number is too near the middle between two ns, or too large, to be sure.
        ValueError: one of them is no duration.
    """
    if not set(map(type, values)) <= {float, int}:
        return np.maximum(_one_by_one(values), 0)
    product = np.array(values, np.float64) * 1000
    whole = np.floor(product + 0.5)
    doubtful = np.abs(product - np.floor(product) - 0.5) <= np.abs(product) * _SLACK
    if doubtful.any() or not bool((np.abs(product) < _CERTAIN_NS).all()):
        raise Inexact
    return np.maximum(whole, 0).astype(np.int64)


def _same_shape_ns(texts: Sequence[str]) -> Times | None:
    """The usual case, by a matrix of digits: all of one length with three decimals; None when they are not."""
    length = len(texts[0])
    if not 5 <= length <= _MAX_DIGITS + 1 or set(map(len, texts)) != {length}:
        return None
    try:
        characters = np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, length)
    except (UnicodeEncodeError, ValueError):
        return None
    digits = np.delete(characters, length - 4, axis=1) - np.uint8(48)
    if (characters[:, length - 4] != _POINT).any() or (digits > 9).any():
        return None
    total: Times = digits.astype(np.int64) @ _POWERS[-digits.shape[1] :]
    return total if bool(((total >= 0) & (total < MAX_TIME_NS)).all()) else None


def _one_by_one(texts: Sequence[Any]) -> Times:
    found = [ns_of_us(text) for text in texts]
    if None in found:
        raise ValueError("no time")
    return np.array(found, np.int64)

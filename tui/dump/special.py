"""Classes of special values of a tensor, its extremes and moments, block by block in float64.

A block is classed by the smallest and the largest absolute value in it; elements are looked at one by one only in
blocks that hold something special.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.dump import FP16_MAX, FP16_MIN, SideStats

Floats = NDArray[np.float64]

_DOT_ELEMENTS = 8192
"""OpenBLAS spreads longer products over threads, which would fight with the other workers."""
_CANCELLATION = 1e-4
"""Below this share of the sum of squares a variance loses digits and is summed again around the mean."""

_HALF_INFINITY = 0x7C00
_HALF_BITS = np.int32(0x0FFFE000 - (1 << 31))
"""Sign, exponent and fraction of a float16 that was sign-extended and moved up by 13 bits."""
_HALF_SCALE = np.float32(2.0**112)
"""Makes up for the different offsets of the exponents, subnormal numbers included."""


@dataclass(frozen=True)
class Limits:
    """What a type can hold."""

    largest: float
    """Largest finite number; infinite for types that are not judged by it."""
    smallest_normal: float
    """0 for types without subnormals."""
    bits: int


_LIMITS = {
    "float16": Limits(FP16_MAX, 2.0**-14, 16),
    "bfloat16": Limits(float.fromhex("0x1.fep127"), 2.0**-126, 16),
    "float32": Limits(float(np.finfo(np.float32).max), 2.0**-126, 32),
    "float64": Limits(float(np.finfo(np.float64).max), 2.0**-1022, 64),
    "complex32": Limits(FP16_MAX, 2.0**-14, 32),
    "complex64": Limits(float(np.finfo(np.float32).max), 2.0**-126, 64),
    "complex128": Limits(float(np.finfo(np.float64).max), 2.0**-1022, 128),
    "float8_e5m2": Limits(57344.0, 2.0**-14, 8),
    "float8_e4m3fn": Limits(448.0, 2.0**-6, 8),
}
_OTHER = Limits(math.inf, 0.0, 0)


def limits_of(dtype: str) -> Limits:
    """Limits of a type by its name; integers have no limit that means overflow and no subnormals."""
    return _LIMITS.get(dtype, _OTHER)


def dot(x: Floats, y: Floats) -> float:
    """Inner product of two flat arrays of equal length, on this thread only."""
    total = float(np.dot(x[:_DOT_ELEMENTS], y[:_DOT_ELEMENTS]))
    for at in range(_DOT_ELEMENTS, len(x), _DOT_ELEMENTS):
        total += float(np.dot(x[at : at + _DOT_ELEMENTS], y[at : at + _DOT_ELEMENTS]))
    return total


def larger(a: float, b: float) -> float:
    """The larger one; NaN when either is."""
    return b if b > a or b != b else a


def to_float(values: NDArray[Any], out: Floats) -> Floats:
    """`values` as float64 in the first places of `out`; the result is a view of it."""
    target = out[: len(values)]
    if values.dtype != np.float16 or not _widen(values, target):
        np.copyto(target, values, casting="unsafe")
    return target


def _widen(values: NDArray[Any], target: Floats) -> bool:
    """Converts finite float16 by moving their bits to those of float32 and scaling; False when there are others.

    Numpy goes through them one by one, which costs eight times as much where zeros and other numbers mix.
    """
    if int(np.bitwise_and(values.view(np.uint16), 0x7FFF).max(initial=0)) >= _HALF_INFINITY:
        return False
    bits = values.view(np.int16).astype(np.int32)
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, _HALF_BITS, out=bits)
    np.multiply(bits.view(np.float32), _HALF_SCALE, out=target)
    return True


def real_parts(values: NDArray[Any]) -> NDArray[Any]:
    """Complex numbers as pairs of real ones; anything else unchanged."""
    return values.view(np.real(values).dtype) if np.iscomplexobj(values) else values


class Moments:
    """Count, mean and sum of squared deviations of the blocks added, merged as Chan, Golub and LeVeque do."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self._deviation = 0.0

    def add(self, x: Floats, squares: float) -> None:
        """Adds a block of finite numbers; `squares` is its inner product with itself."""
        count = len(x)
        mean = float(np.add.reduce(x)) / count
        deviation = squares - count * mean * mean
        if deviation < _CANCELLATION * squares:
            around = x - mean
            deviation = dot(around, around)
        total = self.count + count
        step = mean - self.mean
        self._deviation += deviation + step * step * self.count * count / total
        self.mean += step * count / total
        self.count = total

    @property
    def std(self) -> float:
        """Population standard deviation; NaN without elements."""
        return math.sqrt(max(0.0, self._deviation) / self.count) if self.count else math.nan


class SideSums:
    """Everything that is counted of one side of a pair, or of a tensor alone."""

    def __init__(self, dtype: str) -> None:
        self.limits = limits_of(dtype)
        self._small = max(self.limits.smallest_normal, FP16_MIN)
        self.count = 0
        self.nan = self.inf = self.zeros = self.subnormal = self.saturated = 0
        self.beyond_fp16 = self.below_fp16 = 0
        self.min, self.max, self.max_abs = math.inf, -math.inf, 0.0
        self.moments = Moments()
        self.squares = 0.0
        """Sum of the squares of all elements; NaN or infinite when they are."""
        self.total_special = 0.0
        """Sum of the elements that are not finite."""

    def add(self, x: Floats, absolute: Floats) -> tuple[float, float, float]:
        """Adds a block.

        Args:
            absolute: Receives the absolute values of `x`.

        Returns:
            Smallest and largest absolute value and the sum of the squares; NaN when the block holds one.
        """
        np.abs(x, out=absolute)
        low = float(np.minimum.reduce(absolute))
        least, most = float(np.minimum.reduce(x)), float(np.maximum.reduce(x))
        top = max(-least, most) if most == most else math.nan
        squares = dot(x, x)
        self.count += len(x)
        self.squares += squares
        if top < math.inf:
            self.min, self.max = min(self.min, least), max(self.max, most)
            self._add_finite(x, absolute, low, top, squares)
        else:
            self._add_special(x)
        return low, top, squares

    def _add_finite(self, x: Floats, absolute: Floats, low: float, top: float, squares: float) -> None:
        self.max_abs = max(self.max_abs, top)
        self.moments.add(x, squares)
        if low < self._small:
            self._count_small(absolute)
        if top >= self.limits.largest:
            self.saturated += int(np.count_nonzero(absolute == self.limits.largest))
        if top > FP16_MAX:
            self.beyond_fp16 += int(np.count_nonzero(absolute > FP16_MAX))

    def _count_small(self, absolute: Floats) -> None:
        zeros = int(np.count_nonzero(absolute == 0))
        self.zeros += zeros
        if int(np.count_nonzero(absolute < self._small)) == zeros:
            return
        self.below_fp16 += int(np.count_nonzero(absolute < FP16_MIN)) - zeros
        if self.limits.smallest_normal:
            self.subnormal += int(np.count_nonzero(absolute < self.limits.smallest_normal)) - zeros

    def _add_special(self, x: Floats) -> None:
        finite = np.isfinite(x)
        nan = int(np.count_nonzero(np.isnan(x)))
        inf = int(np.count_nonzero(~finite)) - nan
        self.nan += nan
        self.inf += inf
        self.beyond_fp16 += inf
        self.total_special += float(np.add.reduce(x[~finite])) if nan + inf else 0.0
        rest = x[finite]
        if len(rest):
            absolute = np.abs(rest)
            self.min, self.max = min(self.min, float(rest.min())), max(self.max, float(rest.max()))
            self._add_finite(rest, absolute, float(absolute.min()), float(absolute.max()), dot(rest, rest))

    @property
    def all_finite(self) -> bool:
        """Whether there was neither NaN nor ±Inf."""
        return not self.nan and not self.inf

    @property
    def norm(self) -> float:
        """Euclidean norm of all elements."""
        return math.sqrt(self.squares) if self.squares >= 0 else math.nan

    @property
    def mean(self) -> float:
        """Mean of all elements; NaN or infinite when they make it so."""
        if not self.count:
            return math.nan
        return self.moments.mean if self.all_finite else self.total_special

    @property
    def std(self) -> float:
        """Population standard deviation of all elements; NaN when one is not finite."""
        return self.moments.std if self.all_finite else math.nan

    def stats(self, dtype: str, shape: tuple[int, ...], layout: str) -> SideStats:
        """What was counted, extremes and moments over the finite elements."""
        some = self.moments.count > 0
        return SideStats(
            dtype, shape, layout, self.count,
            self.min if some else math.nan, self.max if some else math.nan,
            self.moments.mean if some else math.nan, self.moments.std, self.max_abs if some else math.nan,
            self.nan, self.inf, self.zeros, self.subnormal, self.saturated, self.beyond_fp16,
            self.below_fp16,
        )  # fmt: skip

"""The ten metrics of CANN's comparer over two tensors, block by block in float64.

Formulas and special cases are those that the comparer's own source has. They run over all elements, whatever these
hold; the second cosine is over the positions that are finite on both sides. The divergence of the two distributions
needs the extremes first, so that the blocks are gone through twice; those of small tensors are kept for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.dump.special import Floats, SideSums, dot, larger, real_parts, to_float
from tui.dump.tensor import BLOCK_ELEMENTS, Tensor
from tui.model.dump import FP16_MAX, Metrics

EPSILON = float(np.finfo(np.float64).eps)
"""Norms, golden values and divergences up to this size count as zero."""
FLOOR = float(np.finfo(np.float32).eps)
"""Smallest probability that enters the divergence."""

_READ_ELEMENTS = 1 << 16
_KEPT_BLOCKS = 12
"""Blocks that are kept between the two passes; more would not fit the cache of a processor."""

Block = NDArray[Any]


class Buffers:
    """Scratch memory for blocks; one per process is enough."""

    def __init__(self) -> None:
        self.kept = [(np.empty(BLOCK_ELEMENTS), np.empty(BLOCK_ELEMENTS)) for _place in range(_KEPT_BLOCKS)]
        self.scratch = tuple(np.empty(BLOCK_ELEMENTS) for _place in range(3))


@dataclass
class _Products:
    """Inner products over some of the positions."""

    ab: float = 0.0
    aa: float = 0.0
    bb: float = 0.0

    def add(self, a: Floats, b: Floats) -> None:
        self.ab += dot(a, b)
        self.aa += dot(a, a)
        self.bb += dot(b, b)


class PairSums:
    """Sums over the blocks of one pair of tensors. `run` goes over them; then the results can be asked for."""

    def __init__(self, dtype_a: str, dtype_b: str, buffers: Buffers | None = None) -> None:
        self.a, self.b = SideSums(dtype_a), SideSums(dtype_b)
        self._buffers = buffers or Buffers()
        self._ab = 0.0
        self._special = _Products()
        """Finite positions of the blocks that hold something that is not finite."""
        self._ab_finite = self._aa_finite = self._bb_finite = 0.0
        """The same of all other blocks."""
        self._differences_squared = self._differences = self._relative = 0.0
        self._max_difference = self._max_relative = 0.0
        self._special_places = self._overflowed = 0
        self._finite = 0
        """Positions that are finite on both sides."""
        self._divergence = math.nan

    def run(self, a: Tensor, b: Tensor) -> Iterator[int]:
        """Goes over both tensors, which have equally many elements; yields the elements done, each counting twice.

        Raises:
            OSError: a file became unreadable or shorter meanwhile.
            ValueError: one side gave fewer elements than the other.
        """
        with np.errstate(all="ignore"):
            yield from self._first_pass(a, b)
            if self.a.all_finite and self.b.all_finite and self.a.count:
                yield from self._second_pass(a, b)

    def _first_pass(self, a: Tensor, b: Tensor) -> Iterator[int]:
        for number, (block_a, block_b) in enumerate(paired_blocks(a, b)):
            kept_a, kept_b = self._buffers.kept[number if number < _KEPT_BLOCKS else 0]
            self._add(to_float(block_a, kept_a), to_float(block_b, kept_b))
            yield self.a.count

    def _add(self, x: Floats, y: Floats) -> None:
        absolute_x, absolute_y, difference = (scratch[: len(x)] for scratch in self._buffers.scratch)
        _low_x, top_x, squares_x = self.a.add(x, absolute_x)
        low_y, top_y, squares_y = self.b.add(y, absolute_y)
        finite = top_x < math.inf and top_y < math.inf
        product = dot(x, y)
        self._ab += product
        if finite:
            self._ab_finite += product
            self._aa_finite += squares_x
            self._bb_finite += squares_y
            self._finite += len(x)
        else:
            both = np.isfinite(x) & np.isfinite(y)
            self._special.add(x[both], y[both])
            self._finite += int(np.count_nonzero(both))
        if not top_x < FP16_MAX:
            self._count_overflow(x, y, absolute_x, absolute_y)
        np.subtract(x, y, out=difference)
        self._differences_squared += dot(difference, difference)
        np.abs(difference, out=difference)
        self._max_difference = larger(self._max_difference, float(np.maximum.reduce(difference)))
        self._differences += float(np.add.reduce(difference))
        self._add_relative(_relative_errors(x, y, difference, absolute_y, low_y) if finite else _any_errors(x, y))

    def _count_overflow(self, x: Floats, y: Floats, absolute_x: Floats, absolute_y: Floats) -> None:
        special_x, finite_y = ~np.isfinite(x), np.isfinite(y)
        clipped = (absolute_x == FP16_MAX) & (absolute_y > FP16_MAX)
        self._overflowed += int(np.count_nonzero((special_x & finite_y) | clipped))
        self._special_places += int(np.count_nonzero(special_x & ~finite_y))

    def _add_relative(self, errors: Floats) -> None:
        self._max_relative = larger(self._max_relative, float(np.maximum.reduce(errors)))
        self._relative += float(np.add.reduce(errors))

    def _second_pass(self, a: Tensor, b: Tensor) -> Iterator[int]:
        """Kullback-Leibler divergence: both sides scaled to 0…1, floored, and divided by their sums."""
        spread_a, spread_b = _Spread(self.a), _Spread(self.b)
        sum_p = sum_q = logs = 0.0
        done = 0
        for x, y in self._again(a, b):
            p, q = (scratch[: len(x)] for scratch in self._buffers.scratch[:2])
            spread_a.scale(x, p)
            spread_b.scale(y, q)
            block_p, block_q = float(np.add.reduce(p)), float(np.add.reduce(q))
            if len(x) == self.a.count:  # the sums are known: divided by at once, one rounding less
                np.divide(p, block_p, out=p)
                np.divide(q, block_q, out=q)
                block_p = block_q = 1.0
            sum_p, sum_q = sum_p + block_p, sum_q + block_q
            np.divide(p, q, out=q)
            np.log(q, out=q)
            logs += dot(p, q)
            done += len(x)
            yield self.a.count + done
        self._divergence = logs / sum_p + math.log(sum_q / sum_p)

    def _again(self, a: Tensor, b: Tensor) -> Iterator[tuple[Floats, Floats]]:
        """The blocks once more: from memory when all were kept."""
        if self.a.count <= _KEPT_BLOCKS * BLOCK_ELEMENTS:
            for number, start in enumerate(range(0, self.a.count, BLOCK_ELEMENTS)):
                left = self.a.count - start
                yield self._buffers.kept[number][0][:left], self._buffers.kept[number][1][:left]
            return
        kept_a, kept_b = self._buffers.kept[0]
        for block_a, block_b in paired_blocks(a, b):
            yield to_float(block_a, kept_a), to_float(block_b, kept_b)

    def metrics(self, one_element_shape: bool) -> Metrics:
        """The metrics of what has been added.

        Args:
            one_element_shape: Whether the dims of the shape are all one, or there are none: the cosine is 1 then.
        """
        count, a, b = max(1, self.a.count), self.a, self.b
        finite = self._special
        aa, bb = self._aa_finite + finite.aa, self._bb_finite + finite.bb
        with np.errstate(all="ignore"):
            return Metrics(
                cosine=1.0 if one_element_shape else self._cosine(self._ab, a.squares, b.squares),
                cosine_finite=self._cosine(self._ab_finite + finite.ab, aa, bb) if self._finite else None,
                max_abs_error=self._max_difference,
                accumulated_relative_error=self._relative,
                relative_euclidean_distance=_relative_distance(self._differences_squared, b.squares),
                kl_divergence=0.0 if abs(self._divergence) < EPSILON else self._divergence,
                mean_a=a.mean,
                standard_deviation_a=a.std,
                mean_b=b.mean,
                standard_deviation_b=b.std,
                mean_abs_error=self._differences / count,
                rmse=math.sqrt(self._differences_squared / count),
                max_relative_error=self._max_relative,
                mean_relative_error=self._relative / count,
                norm_a=a.norm,
                norm_b=b.norm,
                overflowed=self._overflowed,
                special_places=self._special_places,
            )

    def _cosine(self, ab: float, aa: float, bb: float) -> float | None:
        norm_a, norm_b = math.sqrt(aa) if aa >= 0 else math.nan, math.sqrt(bb) if bb >= 0 else math.nan
        if norm_a <= EPSILON and norm_b <= EPSILON:
            return 1.0
        if norm_a == 0 or norm_b == 0:
            return None if aa == aa and bb == bb else math.nan
        if self._differences_squared == 0:
            return 1.0  # equal tensors; rounding would leave the last bit open
        cosine = ab / norm_a / norm_b
        return min(cosine, 1.0) if math.isfinite(cosine) else math.nan


def _relative_distance(differences: float, golden: float) -> float:
    """Euclidean distance by the norm of the golden side; 0 where that is zero."""
    if golden == 0:
        return 0.0 if differences == differences else math.nan
    ratio = differences / golden
    return math.sqrt(ratio) if ratio >= 0 else math.nan


def _relative_errors(x: Floats, y: Floats, difference: Floats, absolute_y: Floats, low_y: float) -> Floats:
    """Relative errors of finite blocks, 0 where the golden value is; overwrites the last two arrays."""
    if low_y <= EPSILON:
        np.putmask(absolute_y, absolute_y <= EPSILON, math.inf)
    return np.divide(difference, absolute_y, out=absolute_y)


def _any_errors(x: Floats, y: Floats) -> Floats:
    """Relative errors of blocks that hold NaN or ±Inf; 0 where the golden value is 0 or NaN."""
    errors = np.zeros(len(x))
    judged = np.abs(y) > EPSILON
    errors[judged] = np.abs(x[judged] / y[judged] - 1.0)
    return errors


class _Spread:
    """How a side is scaled to 0…1; a constant one is evenly spread, whatever its value."""

    def __init__(self, side: SideSums) -> None:
        self._least = side.min
        self._span = side.max - side.min
        self._exact = side.count <= BLOCK_ELEMENTS  # division costs more; rounding shows where there is little to sum

    def scale(self, values: Floats, out: Floats) -> None:
        if not self._span:
            out.fill(1.0)
            return
        np.subtract(values, self._least, out=out)
        if self._exact:
            np.divide(out, self._span, out=out)
        else:
            np.multiply(out, 1.0 / self._span, out=out)
        np.maximum(out, FLOOR, out=out)


def paired_blocks(a: Tensor, b: Tensor) -> Iterator[tuple[Block, Block]]:
    """Pieces of at most `BLOCK_ELEMENTS` of both sides, equally long."""
    blocks_b = b.blocks(_READ_ELEMENTS)
    for block_a in a.blocks(_READ_ELEMENTS):
        block_b = next(blocks_b, None)
        whole_a, whole_b = _alike(block_a, block_b)
        for start in range(0, len(whole_a), BLOCK_ELEMENTS):
            yield whole_a[start : start + BLOCK_ELEMENTS], whole_b[start : start + BLOCK_ELEMENTS]
    if next(blocks_b, None) is not None:
        raise ValueError("side A ends first")


def _alike(block_a: Block, block_b: Block | None) -> tuple[Block, Block]:
    """Both blocks as real numbers: complex ones by their parts, or by the real one where the other side is real."""
    if block_b is None or len(block_a) != len(block_b):
        raise ValueError("one side ends first")
    if np.iscomplexobj(block_a) and np.iscomplexobj(block_b):
        return real_parts(block_a), real_parts(block_b)
    return np.real(block_a), np.real(block_b)

"""A tensor or a pair looked at closely: statistics, histogram, worst elements, slices."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.dump.metrics import paired_blocks
from tui.dump.special import Floats, SideSums, real_parts, to_float
from tui.dump.tensor import BLOCK_ELEMENTS, Tensor
from tui.i18n import _
from tui.model.dump import Histogram, SideStats, TensorStats, WorstElement
from tui.model.problem import Problem

DEFAULT_BINS = 40
WORST = 20
_SLICE_ELEMENTS = 1 << 16


def tensor_stats(tensor: Tensor) -> TensorStats:
    """Statistics of one tensor, read once; with a problem instead when it cannot be read."""
    info = tensor.info
    described = SideStats(info.dtype, info.shape, info.format, info.elements)
    if info.problem is not None:
        return TensorStats(info.tensor, described, info.problem)
    sums = SideSums(info.dtype)
    values, absolute = np.empty(BLOCK_ELEMENTS), np.empty(BLOCK_ELEMENTS)
    try:
        with np.errstate(all="ignore"):
            for block in tensor.blocks():
                flat = real_parts(block)
                for start in range(0, flat.size, BLOCK_ELEMENTS):
                    x = to_float(flat[start : start + BLOCK_ELEMENTS], values)
                    sums.add(x, absolute[: x.size])
    except (OSError, ValueError) as error:
        return TensorStats(info.tensor, described, _unreadable(error))
    return TensorStats(info.tensor, sums.stats(info.dtype, info.shape, info.format))


def _unreadable(error: Exception) -> Problem:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    what = _("cannot be read: {reason}").format(reason=reason)
    return Problem("", "", what, _("there are no numbers of it"), _("was the file changed meanwhile?"), "error")


def histogram(
    a: Tensor,
    b: Tensor,
    stats_a: SideStats,
    stats_b: SideStats,
    bins: int = DEFAULT_BINS,
    edges: Sequence[float] = (),
) -> Histogram | None:
    """Both sides counted over the same bins, which span the finite values of both.

    Args:
        edges: Rising ends of the bins in place of `bins` equal ones; they must cover all finite values.

    Returns:
        None when neither side has a finite value.

    Raises:
        OSError, ValueError: a file became unreadable meanwhile.
    """
    ends = [value for stats in (stats_a, stats_b) for value in (stats.min, stats.max) if math.isfinite(value)]
    if not ends:
        return None
    bounds = np.array(edges) if edges else _edges(min(ends), max(ends), bins)
    counts_a, special_a = _counted(a, bounds)
    counts_b, special_b = _counted(b, bounds)
    return Histogram(tuple(bounds.tolist()), counts_a, counts_b, special_a, special_b)


def _edges(least: float, most: float, bins: int) -> Floats:
    """Bins + 1 rising edges; a single value gets a bin of its own width around it."""
    if least == most:
        half = max(abs(least) * 0.5, 0.5)
        least, most = least - half, most + half
    return np.linspace(least, most, max(1, bins) + 1)


def _counted(tensor: Tensor, edges: Floats) -> tuple[tuple[int, ...], int]:
    """Elements in each bin, and those that are in none."""
    counts = np.zeros(len(edges) - 1, np.int64)
    total = 0
    for block in tensor.blocks():
        values = real_parts(block).astype(np.float64)
        total += values.size
        counts += np.histogram(values[np.isfinite(values)], edges)[0]
    return tuple(counts.tolist()), total - int(counts.sum())


def worst_elements(a: Tensor, b: Tensor, most: int = WORST) -> tuple[WorstElement, ...]:
    """The elements that differ most, by absolute error; NaN and ±Inf on one side only come first.

    Raises:
        OSError, ValueError: a file became unreadable meanwhile, or the sides have different numbers of elements.
    """
    heap: list[tuple[float, int, float, float]] = []
    start = 0
    with np.errstate(all="ignore"):
        for block_a, block_b in paired_blocks(a, b):
            x, y = block_a.astype(np.float64), block_b.astype(np.float64)
            errors = _errors(x, y)
            for place in _largest(errors, most, heap[0][0] if len(heap) == most else -1.0):
                item = (float(errors[place]), -(start + int(place)), float(x[place]), float(y[place]))
                heapq.heappushpop(heap, item) if len(heap) == most else heapq.heappush(heap, item)
            start += x.size
    return tuple(_worst(item, b.info.shape) for item in sorted(heap, reverse=True))


def _errors(x: Floats, y: Floats) -> Floats:
    """Absolute errors; infinite where only one side is a number, 0 where both are NaN or the same infinity."""
    errors = np.abs(x - y)
    undefined = np.isnan(errors)
    errors[undefined] = np.where(np.isfinite(x) == np.isfinite(y), 0.0, math.inf)[undefined]
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    errors[same] = 0.0
    return errors


def _largest(errors: Floats, most: int, above: float) -> NDArray[np.intp]:
    """Places of the `most` largest errors that are above `above` and above 0."""
    places = np.flatnonzero(errors > max(above, 0.0))
    if places.size > most:
        places = places[np.argpartition(-errors[places], most)[:most]]
    return np.sort(places)


def _worst(item: tuple[float, int, float, float], shape: tuple[int, ...]) -> WorstElement:
    error, negative_place, x, y = item
    index = tuple(int(at) for at in np.unravel_index(-negative_place, shape)) if shape else ()
    relative = abs(x / y - 1.0) if y and math.isfinite(y) else 0.0
    return WorstElement(index, x, y, error, relative)


def tensor_slice(
    tensor: Tensor,
    axes: tuple[int, int],
    at: Sequence[int],
    rows: range | None = None,
    columns: range | None = None,
) -> NDArray[Any]:
    """A part of a two-dimensional slice; the tensor is never in memory as a whole.

    Args:
        axes: The axis that becomes the rows and the one that becomes the columns.
        at: Position on every axis; those of the two axes do not matter.
        rows: Which rows, rising by 1; None takes all. What lies beyond the axis is left out.
        columns: The same of the columns.

    Returns:
        Shape (rows, columns). A tensor of one axis is one row, a scalar one cell.

    Raises:
        OSError, ValueError: the file became unreadable meanwhile.
    """
    shape = tensor.info.shape
    if len(shape) < 2:
        shape, axes, at = (1, *(shape or (1,))), (0, 1), (0, 0)
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    first = sum(at[axis] * steps[axis] for axis in range(len(shape)) if axis not in axes)
    down, across = (_within(wanted, shape[axis]) * steps[axis] for wanted, axis in zip((rows, columns), axes))
    places: NDArray[np.int64] = first + down[:, None] + across[None, :]
    return _gathered(tensor, places)


def _within(wanted: range | None, size: int) -> NDArray[np.int64]:
    positions = range(size) if wanted is None else range(max(0, wanted.start), min(size, wanted.stop))
    return np.arange(positions.start, max(positions.start, positions.stop), dtype=np.int64)


def _gathered(tensor: Tensor, places: NDArray[np.int64]) -> NDArray[Any]:
    """The elements at flat places."""
    flat = places.reshape(-1)
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    found: NDArray[Any] = np.zeros(0)
    start = 0
    for block in tensor.blocks(_SLICE_ELEMENTS):
        if not start:
            found = np.zeros(flat.size, block.dtype)
        low, high = np.searchsorted(ordered, (start, start + block.size))
        found[order[low:high]] = block[ordered[low:high] - start]
        start += block.size
        if not flat.size or start > ordered[-1]:
            break
    return found.reshape(places.shape) if found.size == places.size else np.zeros(places.shape, found.dtype)


def text_lines(tensor: Tensor) -> Iterator[str]:
    """The values as text, one per line as `numpy.savetxt` writes them, in logical C order.

    Raises:
        OSError, ValueError: the file became unreadable meanwhile.
    """
    for block in tensor.blocks():
        if block.dtype.kind in "iub":
            yield "".join(f"{int(value)}\n" for value in block.tolist())
        else:
            yield "".join(f"{value:.18e}\n" for value in block.tolist())

"""What the screen of one pair shows, made in a worker process: distribution, worst elements, parts of slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.dump.bins import round_edges
from tui.dump.closeup import histogram, tensor_slice, worst_elements
from tui.dump.opening import open_dump
from tui.dump.tensor import Tensor
from tui.i18n import _
from tui.model.dump import CompareRequest, Histogram, PairRow, WorstElement

BLOCK_ROWS, BLOCK_COLUMNS = 128, 64
"""Part of a slice that is handed out at a time."""


@dataclass(frozen=True)
class CloseUp:
    """One pair looked at closely."""

    histogram: Histogram | None = None
    worst: tuple[WorstElement, ...] = ()
    problem: str = ""
    """Why there is nothing, as a sentence."""


@dataclass(frozen=True)
class SliceBlock:
    """A part of a slice of both sides."""

    axes: tuple[int, int]
    at: tuple[int, ...]
    """Position on every axis; the two of the slice are 0."""
    row: int
    """First row and column of the part."""
    column: int
    a: NDArray[np.float64]
    """Shape (rows, columns)."""
    b: NDArray[np.float64]
    problem: str = ""


def look_closely(row: PairRow, request: CompareRequest, bins: int) -> Iterator[CloseUp]:
    """The distribution of a pair in at most `bins` round bins, and its worst elements."""
    try:
        a, b = opened_pair(row, request)
        yield CloseUp(_distribution(row, a, b, bins), worst_elements(a, b))
    except (OSError, ValueError) as error:
        yield CloseUp(problem=_reason(error))


def _distribution(row: PairRow, a: Tensor, b: Tensor, bins: int) -> Histogram | None:
    if row.a is None or row.b is None:
        return None
    ends = [end for stats in (row.a, row.b) for end in (stats.min, stats.max) if np.isfinite(end)]
    return histogram(a, b, row.a, row.b, edges=round_edges(min(ends), max(ends), bins)) if ends else None


def cut_block(
    row: PairRow, request: CompareRequest, axes: tuple[int, int], at: Sequence[int], corner: tuple[int, int]
) -> Iterator[SliceBlock]:
    """The part of a slice that begins at `corner`.

    Args:
        axes: Axis of the rows and axis of the columns.
        at: Position on every axis.
    """
    first, column = corner
    place = tuple(0 if axis in axes else position for axis, position in enumerate(at))
    try:
        parts = [_part(tensor_slice(tensor, axes, at), first, column) for tensor in opened_pair(row, request)]
        yield SliceBlock(axes, place, first, column, parts[0], parts[1])
    except (OSError, ValueError) as error:
        nothing = np.zeros((0, 0))
        yield SliceBlock(axes, place, first, column, nothing, nothing, _reason(error))


def _part(whole: NDArray[Any], row: int, column: int) -> NDArray[np.float64]:
    part = np.ascontiguousarray(whole[row : row + BLOCK_ROWS, column : column + BLOCK_COLUMNS])
    return np.real(part).astype(np.float64) if part.size else np.zeros((0, 0))


def opened_pair(row: PairRow, request: CompareRequest) -> tuple[Tensor, Tensor]:
    """Both tensors of a row.

    Raises:
        ValueError: a file no longer holds the tensor.
    """
    return opened_side(row, request, "a"), opened_side(row, request, "b")


def opened_side(row: PairRow, request: CompareRequest, side: str) -> Tensor:
    """The tensor of one side of a row.

    Raises:
        ValueError: the file no longer holds it, or its values cannot be read.
    """
    path, name = (row.path_a, row.tensor) if side == "a" else (row.path_b, row.tensor_b or row.tensor)
    file = open_dump(Path(path), dtype=request.dtype or None, shape=request.shape or None)
    named = [tensor for tensor in file.tensors if tensor.info.tensor == name]
    found = next(iter(named or (file.tensors if len(file.tensors) == 1 else ())), None)
    if found is None:
        what = file.problems[0].what if file.problems else _("it holds no {tensor}").format(tensor=name)
        raise ValueError(f"{Path(path).name}: {what}")
    if found.info.problem is not None:
        raise ValueError(found.info.problem.what)
    return found


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)

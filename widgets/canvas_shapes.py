"""From bins of events to coloured cells, for many rows at once: solid bodies, edges in parts of a cell, dense cells.

Positions are counted in parts of a cell (eighths with the block characters). A cell shows at most two colours, its ink
and its fill; for both it is remembered which event they belong to, so that a cursor can recolour them later.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from widgets.canvas_cells import BLANK, CODE, FIRST_FILL, Cells, Chars, Inks, code_points
from widgets.timeglyphs import TimeGlyphs
from widgets.tracks import Bins, BoolArray, IntArray, TrackSource
from widgets.viewport import Span

Ints = NDArray[np.int64]
_T = TypeVar("_T", bound=np.generic)
BARE = CODE["bare"]
_FAR = float(1 << 40)
"""Parts of a cell beyond which positions are all the same: out of view."""
SPARSE = 0.5
"""A cell with two events that cover less of it than this is drawn by height, like a dense one."""


class Shapes(NamedTuple):
    """Cells of several rows; all arrays have the shape (rows, width)."""

    chars: Chars
    inks: Inks
    fills: Inks
    ink_event: IntArray
    """The event whose colour is the ink; -1 for none."""
    fill_event: IntArray
    """The event whose colour is the fill; -1 for none."""
    body: IntArray
    """The event that fills the whole cell alone; -1 for none."""
    busy: NDArray[np.float64]
    """Covered share of a dense cell, whose character is chosen when it is painted; 0 for other cells."""
    empty: BoolArray

    def cells(self, row: int) -> Cells:
        """A copy of one row, to be painted on."""
        return Cells(self.chars[row].copy(), self.inks[row].copy(), self.fills[row].copy())


class _Touched(NamedTuple):
    """Arrays about all cells that any event touches, one item per cell."""

    counts: Ints
    start_of_first: Ints
    end_of_first: Ints
    start_of_last: Ints
    end_of_last: Ints
    fill_of_first: Inks
    fill_of_last: Inks


def shape(bins: Bins, source: TrackSource, span: Span, glyphs: TimeGlyphs) -> Shapes:
    """Cells for the bins of some rows."""
    drawing = _Drawing(bins, source, span, glyphs)
    drawing.draw_single()
    drawing.draw_pairs()
    drawing.draw_dense()
    drawing.draw_seams()
    return drawing.shapes()


class _Drawing:
    def __init__(self, bins: Bins, source: TrackSource, span: Span, glyphs: TimeGlyphs) -> None:
        self.glyphs = glyphs
        self.parts = len(glyphs.parts) - 1
        self.left = code_points(glyphs.parts)
        self.right = code_points(glyphs.right_parts)
        self.size = bins.count.shape
        self.at = np.flatnonzero(bins.count)
        self.first, self.last, self.longest = (
            np.asarray(events).ravel()[self.at].astype(np.int64) for events in (bins.first, bins.last, bins.event)
        )
        self.fill_of_longest = _fills(source, self.longest)
        self.share = np.asarray(bins.busy, dtype=np.float64).ravel()[self.at]
        self.touched = self._touched(bins, source, span)
        cells = len(self.at)
        self.chars = np.full(cells, BLANK, dtype=np.uint32)
        self.inks = np.zeros(cells, dtype=np.uint8)
        self.fills = np.zeros(cells, dtype=np.uint8)
        self.ink_event = np.full(cells, -1, dtype=np.int64)
        self.fill_event = np.full(cells, -1, dtype=np.int64)
        self.body = np.full(cells, -1, dtype=np.int64)
        self.busy = np.zeros(cells)
        self.sparse = np.zeros(cells, dtype=bool)

    def _touched(self, bins: Bins, source: TrackSource, span: Span) -> _Touched:
        parts, width = self.parts, self.size[1]
        times = [*source.spans(self.first), *source.spans(self.last)]
        scale = width * parts / span.length_ns
        columns = self.at % width * parts
        places = (np.clip(np.rint((time - span.start_ns) * scale), -_FAR, _FAR) - columns for time in times)
        first_start, first_end, last_start, last_end = (place.astype(np.int64) for place in places)
        return _Touched(
            np.asarray(bins.count).ravel()[self.at].astype(np.int64),
            first_start,
            first_end,
            last_start,
            last_end,
            _fills(source, self.first),
            _fills(source, self.last),
        )

    def draw_single(self) -> None:
        """Cells that belong to one event: full, one edge, or all of a short event."""
        touched, parts = self.touched, self.parts
        one = touched.counts == 1
        start = np.clip(touched.start_of_first, 0, parts - 1)
        end = np.maximum(np.clip(touched.end_of_first, 0, parts), start + 1)
        full = one & (start == 0) & (end == parts)
        self._fill(np.flatnonzero(full), self.first, touched.fill_of_first)
        self.body[full] = self.first[full]
        inside = one & ~full
        middle = inside & (end - start == 1) & (start >= 2) & (end <= parts - 2) & bool(self.glyphs.sliver)
        leftish = inside & ~middle & (start <= parts - end)
        self._left_part(np.flatnonzero(leftish), end - start)
        rightish = np.flatnonzero(inside & ~middle & ~leftish)
        self._right_part(rightish, end - start, self.first, touched.fill_of_first)
        self._ink(np.flatnonzero(middle), ord(self.glyphs.sliver or " "), self.first, touched.fill_of_first)

    def draw_pairs(self) -> None:
        """Cells with two events: the left one as ink, the right one as fill."""
        touched, parts = self.touched, self.parts
        two = touched.counts == 2
        if parts == 1:
            self._fill(np.flatnonzero(two), self.longest, self.fill_of_longest)
            return
        end, start = np.clip(touched.end_of_first, 0, parts), np.clip(touched.start_of_last, 0, parts)
        apart = two & (start - end >= max(parts // 4, 1))
        only_left = apart & (touched.start_of_first <= 0) & (parts - start <= parts // 4) & (end > 0)
        only_left &= touched.end_of_last >= parts
        only_right = apart & ~only_left & (touched.end_of_last >= parts) & (end <= parts // 4) & (start < parts)
        only_right &= touched.start_of_first <= 0
        self._left_part(np.flatnonzero(only_left), end)
        self._right_part(np.flatnonzero(only_right), parts - start, self.last, touched.fill_of_last)
        self.sparse = two & ~only_left & ~only_right & (self.share < SPARSE)
        border = np.clip((end + start + 1) // 2, 1, parts - 1)
        self._pair(np.flatnonzero(two & ~only_left & ~only_right & ~self.sparse), border)

    def draw_dense(self) -> None:
        """Cells with more events than can be told apart: height by the covered share, colour of the longest."""
        dense = np.flatnonzero((self.touched.counts > 2) | self.sparse)
        self._ink(dense, BLANK, self.longest, self.fill_of_longest)
        self.busy[dense] = np.maximum(self.share[dense], 1e-6)

    def draw_seams(self) -> None:
        """Where an event begins at the edge of a cell and its neighbour has the same colour: a dark line."""
        if not len(self.at):
            return
        body = self.body >= 0
        before = np.flatnonzero(body[1:] & (self.at[1:] == self.at[:-1] + 1) & (self.at[1:] % self.size[1] > 0))
        here = before + 1
        ends_full = (self.fill_event[before] == self.last[before]) & (self.touched.end_of_last[before] >= self.parts)
        seam = here[
            (self.last[before] != self.first[here])
            & (self.fills[before] == self.fills[here])
            & (ends_full | (self.parts == 1))
        ]
        self.chars[seam] = ord(self.glyphs.seams[0])
        self.inks[seam] = BARE

    def shapes(self) -> Shapes:
        """All cells in place."""
        return Shapes(
            self._placed(self.chars, BLANK),
            self._placed(self.inks, 0),
            self._placed(self.fills, 0),
            self._placed(self.ink_event, -1),
            self._placed(self.fill_event, -1),
            self._placed(self.body, -1),
            self._placed(self.busy, 0),
            self._placed(np.zeros(len(self.at), dtype=bool), True),
        )

    def _fill(self, cells: Ints, events: IntArray, fills: Inks) -> None:
        self.fills[cells] = fills[cells]
        self.fill_event[cells] = events[cells]

    def _ink(self, cells: Ints, char: int | Chars, events: IntArray, inks: Inks) -> None:
        self.chars[cells] = char
        self.inks[cells] = inks[cells]
        self.ink_event[cells] = events[cells]

    def _left_part(self, cells: Ints, lengths: Ints) -> None:
        whole = cells[lengths[cells] >= self.parts]
        self._ink(cells, self.left[lengths[cells]], self.first, self.touched.fill_of_first)
        self.chars[whole] = BLANK
        self._fill(whole, self.first, self.touched.fill_of_first)

    def _right_part(self, cells: Ints, lengths: Ints, events: IntArray, fills: Inks) -> None:
        if len(self.right):
            self._ink(cells, self.right[lengths[cells]], events, fills)
            return
        self._fill(cells, events, fills)
        self.chars[cells] = self.left[self.parts - lengths[cells]]
        self.inks[cells] = BARE

    def _pair(self, cells: Ints, border: Ints) -> None:
        self._ink(cells, self.left[border[cells]], self.first, self.touched.fill_of_first)
        self._fill(cells, self.last, self.touched.fill_of_last)
        equal = cells[self.touched.fill_of_first[cells] == self.touched.fill_of_last[cells]]
        seams = code_points("".join(self.glyphs.seams))
        self.chars[equal] = seams[(border[equal] * 2 >= self.parts).astype(np.int64)]
        self.inks[equal] = BARE

    def _placed(self, values: NDArray[_T], other: float) -> NDArray[_T]:
        placed: NDArray[_T] = np.full(self.size[0] * self.size[1], other, dtype=values.dtype)
        placed[self.at] = values
        return placed.reshape(self.size)


def _fills(source: TrackSource, events: IntArray) -> Inks:
    return (np.asarray(source.fills(events)) + FIRST_FILL).astype(np.uint8)

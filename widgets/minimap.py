"""All of the time in one line, with the window between brackets. A click or drag moves the window there."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from textual import events
from textual.strip import Strip

from widgets.canvas_cells import BLANK, CODE, Cells, code_points
from widgets.canvas_mouse import TimeWidget
from widgets.canvas_state import CanvasState
from widgets.roles import Look
from widgets.tracks import FloatArray, TrackSource
from widgets.viewport import Span


def minimap_cells(look: Look, state: CanvasState, heights: FloatArray, width: int) -> Cells:
    """A line of heights (0…1, one per cell) with the window of the state in it."""
    line, glyphs = Cells.blank(width), look.glyphs.time
    steps = glyphs.minimap
    top = len(steps) - 1
    known = np.nan_to_num(heights)
    levels = np.where(known > 0, np.clip(np.rint(known * top), 1, top), 0).astype(np.int64)
    line.chars[:] = code_points(steps)[levels]
    line.inks[:] = CODE["outline"]
    for span in state.loading:
        start, end = _columns_of(span, state.whole, width)
        line.paint(np.flatnonzero(line.chars[start:end] == BLANK) + start, glyphs.loading, "loading")
    for time_ns in state.marks:
        if time_ns in state.whole:
            line.put(state.whole.column(time_ns, width), glyphs.mark, "marked")
    if not state.span.covers(state.whole):
        _put_window(line, *_columns_of(state.span, state.whole, width), glyphs.brackets)
    return line


def _put_window(line: Cells, start: int, end: int, brackets: tuple[str, str]) -> None:
    """The window; its brackets stand beside it where it is too short for them."""
    inks = line.inks[start:end]
    inks[inks == CODE["outline"]] = CODE["outline_in"]
    line.fills[start:end] = CODE["view"]
    left_at, right_at = (start, end - 1) if end - start > 2 else (start - 1, end)
    if left_at >= 0:
        line.put(left_at, brackets[0], "focus")
    if right_at < line.width:
        line.put(right_at, brackets[1], "focus")


def _columns_of(span: Span, whole: Span, width: int) -> tuple[int, int]:
    """First cell, and the cell after the last one."""
    start = min(max(whole.column(span.start_ns, width), 0), width - 1)
    return start, min(max(whole.column(span.end_ns - 1, width) + 1, start + 1), width)


class Minimap(TimeWidget):
    """Heights of the overview of a source; the part in the window is brighter."""

    DEFAULT_CSS: ClassVar[str] = """
    Minimap { height: 1; width: 1fr; }
    """

    class Jumped(TimeWidget.TimeMessage, namespace="minimap"):
        """The window shall be moved so that this time is in its middle."""

        def __init__(self, widget: TimeWidget, time_ns: int) -> None:
            super().__init__(widget)
            self.time_ns = time_ns

    _source: TrackSource | None = None
    _heights: tuple[tuple[Span, int], FloatArray] | None = None

    def set_source(self, source: TrackSource) -> None:
        """Shows another source, or the same one after it changed."""
        self._source = source
        self._heights = None
        if self.size.width:
            self.refresh()

    def seen(self, state: CanvasState) -> object:
        """Only the times."""
        return state.span, state.whole, state.loading, state.marks

    def paint(self, y: int, width: int) -> Strip:
        """The overview."""
        room = self.columns
        if not room:
            return self.look.strip((), width)
        return minimap_cells(self.look, self.state, self._overview(room), room).widened(width).strip(self.look)

    def _overview(self, room: int) -> FloatArray:
        whole = self.state.whole
        if self._source is None:
            return np.zeros(room)
        if self._heights is None or self._heights[0] != (whole, room):
            heights = self._source.overview(whole.start_ns, whole.end_ns, room)
            self._heights = ((whole, room), np.asarray(heights, dtype=np.float64))
        return self._heights[1]

    # The mouse moves the window instead of marking a range

    def time_at(self, x: int) -> int:
        """The time in the middle of column `x` of the overview."""
        whole, columns = self.state.whole, max(self.columns, 1)
        x = min(max(x, 0), columns - 1)
        return whole.start_ns + (2 * x + 1) * whole.length_ns // (2 * columns)

    def on_click(self, event: events.Click) -> None:
        """Moves the window."""
        if not self._dragged:
            self.post_message(self.Jumped(self, self.time_at(self.column_of(event))))

    def _tell_drag(self, done: bool = False) -> None:
        self.post_message(self.Jumped(self, self.time_at(self._drag_at)))

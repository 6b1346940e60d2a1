"""The time canvas: lanes of events over time. It paints what its state says and tells what the mouse asks for."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from widgets.canvas_layout import Layout
from widgets.canvas_mouse import WHEEL_LINES, TimeWidget
from widgets.canvas_state import CanvasState
from widgets.canvas_view import CanvasView, LineKey
from widgets.difference import difference
from widgets.tracks import Row, TrackSource

PART_CELLS = 45
MOST_PARTS = 3


def part_ends(width: int) -> list[int]:
    """Columns where the parts of a canvas end; parts that are not needed are empty."""
    parts = min(max(width // PART_CELLS, 1), MOST_PARTS)
    return [width * (index + 1) // parts if index < parts else width for index in range(MOST_PARTS)]


class CanvasPart(Widget):
    """Some columns of the canvas. A changed line is sent from the left edge of its widget on; so there are several."""

    DEFAULT_CSS: ClassVar[str] = """
    CanvasPart { height: 1fr; width: auto; }
    """

    def __init__(self, canvas: TimeCanvas, index: int) -> None:
        super().__init__()
        self._canvas = canvas
        self._index = index

    def columns(self, width: int) -> tuple[int, int]:
        """First column, and the one after the last, in a canvas of `width` cells."""
        ends = [0, *part_ends(width)]
        return ends[self._index], ends[self._index + 1]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """A share of the canvas."""
        start, end = self.columns(container.width)
        return end - start

    def render_line(self, y: int) -> Strip:
        """One line, by Textual's line API."""
        start, end = self.columns(self._canvas.size.width)
        return self._canvas.line_strip(y).crop(start, end)


class TimeCanvas(TimeWidget, can_focus=True):
    """Lanes of a `TrackSource`, without their titles, which `TimeGutter` shows."""

    DEFAULT_CSS: ClassVar[str] = """
    TimeCanvas { height: 1fr; width: 1fr; layout: horizontal; }
    """

    class Pressed(TimeWidget.TimeMessage, namespace="time_canvas"):
        """A click, with nothing dragged."""

        def __init__(self, widget: TimeWidget, row: Row, time_ns: int, clicks: int) -> None:
            super().__init__(widget)
            self.row = row
            self.time_ns = time_ns
            """The time in the middle of the cell."""
            self.clicks = clicks
            """2 for a double click."""

    class Scrolled(TimeWidget.TimeMessage, namespace="time_canvas"):
        """The wheel asks to scroll the lanes by so many lines."""

        def __init__(self, widget: TimeWidget, lines: int) -> None:
            super().__init__(widget)
            self.lines = lines

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._parts = [CanvasPart(self, index) for index in range(MOST_PARTS)]
        self._source: TrackSource | None = None
        self._lines: CanvasView | None = None
        self._painted: dict[int, tuple[LineKey | None, Strip]] = {}
        self._seen = False
        """Whether any line was ever painted; before that, nothing needs to be painted anew."""
        self._scroll_lines = 0

    def compose(self) -> ComposeResult:
        """The parts, side by side."""
        yield from self._parts

    # What is shown

    def set_source(self, source: TrackSource) -> None:
        """Shows another source, or the same one after it changed."""
        self._source = source
        self._lines = None
        self._repaint()

    def set_state(self, state: CanvasState) -> None:
        """Shows another view; only cells that look different are painted."""
        self.state = state
        view, changed = self._turned()
        if view is None or not self._seen:
            return
        if changed or len(self._painted) < self.size.height:
            self._repaint()
            return
        for y in range(self.size.height):
            self._repaint_line(view, y)

    @property
    def arrangement(self) -> Layout:
        """Which lane is on which line."""
        view, _changed = self._turned()
        return view.layout if view else Layout((), 0, 0, 0, 0)

    def shows_head_of(self, lane: int) -> bool:
        """Whether the head line of the group of a lane is in view."""
        view, _changed = self._turned()
        return view is not None and any(view.is_head_of(line.lane, lane) for line in view.layout.lines)

    # Painting

    def line_strip(self, y: int) -> Strip:
        """Line `y` over the whole width."""
        view, _changed = self._turned()
        width = self.size.width
        self._seen = True
        if view is None:
            return self.look.strip((), width)
        key = view.key(y)
        known = self._painted.get(y)
        if known is not None and known[0] == key and known[1].cell_length == width:
            return known[1]
        strip = view.strip(key, width)
        self._painted[y] = (key, strip)
        return strip

    def paint(self, y: int, width: int) -> Strip:
        """Nothing: the parts lie over it."""
        return self.look.strip((), width)

    def _turned(self) -> tuple[CanvasView | None, bool]:
        """The lines for the state and size there are, and whether that changed all of them."""
        if self._source is None:
            return None, False
        look = self.look
        fresh = self._lines is None or self._lines.look is not look
        if self._lines is None or fresh:
            self._lines = CanvasView(self._source, look)
        changed = self._lines.show(self.state, self.columns, self.size.height)
        if changed or fresh:
            self._painted = {}
        return self._lines, changed or fresh

    def _repaint(self) -> None:
        if self._seen:
            for part in self._parts:
                part.refresh()

    def _repaint_line(self, view: CanvasView, y: int) -> None:
        """Repaints the cells of a line that look different now."""
        key, before = self._painted[y]
        if view.key(y) == key:
            return
        first, last = difference(before, self.line_strip(y))
        for part in self._parts:
            start, end = part.columns(self.size.width)
            if start < end and first < end and last > start:
                part.refresh(Region(0, y, min(last, end) - start, 1))

    # Mouse

    def row_at(self, y: int) -> Row | None:
        """The row on a line."""
        lines = self.arrangement.lines
        return Row(lines[y].lane, lines[y].sub_row) if 0 <= y < len(lines) else None

    def on_click(self, event: events.Click) -> None:
        """Tells which row and time."""
        row = self.row_at(event.screen_y - self.content_region.y)
        if row is not None and not self._dragged:
            self.post_message(self.Pressed(self, row, self.time_at(self.column_of(event)), event.chain))

    def _wheel(self, event: events.MouseEvent, steps: int) -> None:
        """Scrolls lanes; zooms with ctrl."""
        if event.ctrl:
            self._zoom(event, steps)
            return
        if not self._scroll_lines:
            self.call_later(self._tell_scroll)
        self._scroll_lines -= steps * WHEEL_LINES

    def _tell_scroll(self) -> None:
        lines, self._scroll_lines = self._scroll_lines, 0
        if lines:
            self.post_message(self.Scrolled(self, lines))

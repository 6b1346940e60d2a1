"""Titles and values of the lanes, left of the time canvas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from widgets.canvas_layout import LaneLine, Layout, arrange
from widgets.canvas_mouse import WHEEL_LINES
from widgets.canvas_state import CanvasState
from widgets.pieces import Line, Piece, gap
from widgets.roles import Painted
from widgets.text import cells, fit
from widgets.tracks import Lane, TrackSource

TITLE_AT = 2
OVERLAP = "~"
WIDE_FROM_CELLS = 112


def gutter_cells(view_cells: int) -> int:
    """Width of the gutter: more room for titles in a wide view."""
    return 24 if view_cells >= WIDE_FROM_CELLS else 20


class TimeGutter(Painted):
    """One line per line of the canvas, which must have the same height."""

    DEFAULT_CSS: ClassVar[str] = """
    TimeGutter { height: 1fr; width: auto; }
    """

    class Pressed(Message):
        """A click on a lane or a head line."""

        def __init__(self, gutter: TimeGutter, lane: int, clicks: int) -> None:
            super().__init__()
            self.gutter = gutter
            self.lane = lane
            self.clicks = clicks

        @property
        def control(self) -> TimeGutter:
            """The gutter."""
            return self.gutter

    class Scrolled(Message):
        """The wheel asks to scroll the lanes by so many lines."""

        def __init__(self, gutter: TimeGutter, lines: int) -> None:
            super().__init__()
            self.gutter = gutter
            self.lines = lines

        @property
        def control(self) -> TimeGutter:
            """The gutter."""
            return self.gutter

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._lanes: Sequence[Lane] = ()
        self._state = CanvasState()
        self._shown: dict[int, object] = {}

    def set_source(self, source: TrackSource) -> None:
        """Shows the lanes of another source, or of the same one after it changed."""
        self._lanes = tuple(source.lanes())
        self._repaint_changed()

    def set_state(self, state: CanvasState) -> None:
        """Shows another view; only lines that look different are painted."""
        self._state = state
        self._repaint_changed()

    def render_line(self, y: int) -> Strip:
        """One line, by Textual's line API."""
        key = self._key(self._layout(), y)
        self._shown[y] = key
        if key is None:
            return self.look.strip((), self.size.width)
        line, lane, here = key
        pieces = self._pieces(line, lane, here, self.size.width)
        return self.look.strip(pieces, self.size.width, "cursor" if here else "base")

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """For `width: auto`."""
        return gutter_cells(viewport.width)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Asks to scroll."""
        event.stop()
        self.post_message(self.Scrolled(self, -WHEEL_LINES))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Asks to scroll."""
        event.stop()
        self.post_message(self.Scrolled(self, WHEEL_LINES))

    def on_click(self, event: events.Click) -> None:
        """Tells which lane."""
        lines = self._layout().lines
        if event.y < len(lines):
            self.post_message(self.Pressed(self, lines[event.y].lane, event.chain))

    def _layout(self) -> Layout:
        return arrange(self._lanes, self.size.height, self._state.lane, self._state.top)

    def _key(self, layout: Layout, y: int) -> tuple[LaneLine, Lane, bool] | None:
        if y >= len(layout.lines):
            return None
        line = layout.lines[y]
        return line, self._lanes[line.lane], line.lane == self._state.lane

    def _pieces(self, line: LaneLine, lane: Lane, here: bool, width: int) -> Line:
        if lane.kind == "group":
            return self._head(lane, width)
        glyphs = self.look.glyphs
        extra = 0 <= lane.first_extra <= line.sub_row and line.part == 0
        sign = OVERLAP if extra else glyphs.step if lane.pinned and not (line.sub_row or line.part) else " "
        edge = [Piece(glyphs.cursor if here else " ", "focus"), Piece(sign, "muted")]
        if line.sub_row:
            last = line.sub_row == lane.rows - 1 and not line.part
            below = fit(self.look.shown(lane.below), width - TITLE_AT - 1, ellipsis=glyphs.ellipsis)
            return [*edge, Piece(below, "muted")] if lane.below and last else edge
        if line.part:
            detail = fit(self.look.shown(lane.detail), width - TITLE_AT - 1, ellipsis=glyphs.ellipsis)
            return [*edge, Piece(detail, "faint")]
        return [*edge, *self._title(lane, here, width - TITLE_AT - 1)]

    def _head(self, lane: Lane, width: int) -> Line:
        glyphs = self.look.glyphs
        title = fit(self.look.shown(lane.title), max(width - TITLE_AT - 1, 0), ellipsis=glyphs.ellipsis)
        return [Piece(glyphs.closed if lane.closed else glyphs.opened, "text"), gap(1), Piece(title, "bright")]

    def _title(self, lane: Lane, here: bool, width: int) -> Line:
        """Title and value; the short title where the long one does not fit."""
        value, title = self.look.shown(lane.value), self.look.shown(lane.title)
        room = max(width - cells(value) - (1 if value else 0), 0)
        if cells(title) > room and lane.short:
            title = self.look.shown(lane.short)
        title = fit(title, room, cut="middle", ellipsis=self.look.glyphs.ellipsis)
        return [
            Piece(title, "bright" if here else "text"),
            gap(1 if value else 0),
            Piece(value, "text" if here else "muted"),
        ]

    def _repaint_changed(self) -> None:
        if not self._shown:
            return
        layout, width = self._layout(), self.size.width
        lines = [y for y in range(self.size.height) if self._shown.get(y, self) != self._key(layout, y)]
        if lines:
            self.refresh(*(Region(0, y, width, 1) for y in lines))

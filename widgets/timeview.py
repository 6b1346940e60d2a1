"""Minimap, ruler, gutter and canvas put together: one view of one source."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size

from widgets.canvas import TimeCanvas
from widgets.canvas_layout import top_showing
from widgets.canvas_state import CanvasState
from widgets.gutter import TimeGutter, gutter_cells
from widgets.lines import LineWidget
from widgets.minimap import Minimap
from widgets.pieces import Line
from widgets.ruler import TimeRuler
from widgets.tracks import Lane, TrackSource


class TimeLabels(LineWidget):
    """The two lines left of minimap and ruler."""

    DEFAULT_CSS: ClassVar[str] = """
    TimeLabels { height: 2; width: auto; }
    """

    lines: tuple[Line, Line] = ((), ())

    def set_lines(self, minimap: Line, ruler: Line) -> None:
        """Shows other texts."""
        if (minimap, ruler) != self.lines:
            self.lines = (minimap, ruler)
            if self.size.width:
                self.refresh()

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as the gutter below."""
        return gutter_cells(viewport.width)

    def line(self, y: int, width_cells: int) -> Line:
        """The pieces of line `y`."""
        return self.lines[y]


class TimeView(Vertical):
    """Everything about lanes of time. The screen sets source and state, and hears what the mouse asks for."""

    DEFAULT_CSS: ClassVar[str] = """
    TimeView { height: 1fr; width: 1fr; }
    TimeView > #time-axis { height: 2; width: 1fr; }
    TimeView > #time-lanes { height: 1fr; width: 1fr; }
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.labels = TimeLabels()
        self.minimap = Minimap()
        self.ruler = TimeRuler()
        self.titles = TimeGutter()
        self.canvas = TimeCanvas()
        self._lanes: tuple[Lane, ...] = ()
        self._state = CanvasState()

    def compose(self) -> ComposeResult:
        """The axis above the lanes."""
        with Horizontal(id="time-axis"):
            yield self.labels
            with Vertical():
                yield self.minimap
                yield self.ruler
        with Horizontal(id="time-lanes"):
            yield self.titles
            yield self.canvas

    @property
    def state(self) -> CanvasState:
        """The view shown."""
        return self._state

    @property
    def columns(self) -> int:
        """Cells of the time axis."""
        return self.canvas.columns

    def set_source(self, source: TrackSource) -> None:
        """Shows another source, or the same one after it changed."""
        self._lanes = tuple(source.lanes())
        self.minimap.set_source(source)
        self.titles.set_source(source)
        self.canvas.set_source(source)

    def set_state(self, state: CanvasState) -> None:
        """Shows another view. Lanes are scrolled as `state.top` says; see `scrolled_to_cursor`."""
        self._state = state
        for widget in (self.minimap, self.ruler, self.titles, self.canvas):
            widget.set_state(state)

    def scrolled_to_cursor(self, state: CanvasState) -> int:
        """The `top` nearest to that of `state` with which its cursor is in view."""
        return top_showing(self._lanes, self.canvas.size.height, state.lane, state.sub_row, state.top)

"""What the time widgets have in common: the state they show, and what the mouse asks for over a time axis."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from widgets.canvas_state import CanvasState
from widgets.roles import Painted
from widgets.viewport import Span

DRAG_INTERVAL_S = 0.05
WHEEL_LINES = 3
FREE_CELLS = 1
"""The last column stays free."""


class TimeWidget(Painted):
    """A widget whose columns are times. It tells what the mouse wants; the screen decides what happens."""

    class TimeMessage(Message, namespace="time_widget"):
        """Something that a time widget tells its screen."""

        def __init__(self, widget: TimeWidget) -> None:
            super().__init__()
            self.widget = widget

        @property
        def control(self) -> TimeWidget:
            """The widget."""
            return self.widget

    class Zoomed(TimeMessage, namespace="time_widget"):
        """The wheel asks to zoom."""

        def __init__(self, widget: TimeWidget, time_ns: int, steps: int) -> None:
            super().__init__(widget)
            self.time_ns = time_ns
            """The time under the pointer, which stays in place."""
            self.steps = steps
            """Positive to zoom in."""

    class RangeDragged(TimeMessage, namespace="time_widget"):
        """The mouse marks a time range."""

        def __init__(self, widget: TimeWidget, span: Span, done: bool) -> None:
            super().__init__(widget)
            self.span = span
            self.done = done
            """Whether the button was released."""

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.state = CanvasState()
        self._drag_from: int | None = None
        self._dragged = False
        self._drag_at = 0
        self._drag_timer: Timer | None = None
        self._wheel_steps = 0
        self._wheel_time_ns = 0

    @property
    def columns(self) -> int:
        """Cells of the time axis."""
        return max(self.size.width - FREE_CELLS, 0)

    def set_state(self, state: CanvasState) -> None:
        """Shows another view."""
        before, self.state = self.seen(self.state), state
        if self.seen(state) != before and self.size.width:
            self.refresh()

    def seen(self, state: CanvasState) -> object:
        """The part of a state that this widget shows; it is painted anew only when that changed."""
        return state

    def paint(self, y: int, width: int) -> Strip:
        """Line `y`, `width` cells wide."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """One line, by Textual's line API."""
        width = self.size.width
        return self.paint(y, width) if width else Strip.blank(0)

    def column_of(self, event: events.MouseEvent) -> int:
        """The column under the mouse; an event may come from a widget inside."""
        return int(event.screen_x) - self.content_region.x

    def time_at(self, x: int) -> int:
        """The time in the middle of column `x`."""
        span, columns = self.state.span, max(self.columns, 1)
        x = min(max(x, 0), columns - 1)
        return span.start_ns + (2 * x + 1) * span.length_ns // (2 * columns)

    # Wheel

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zooms in, or what else the widget makes of it."""
        event.stop()
        self._wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zooms out, or what else the widget makes of it."""
        event.stop()
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, steps: int) -> None:
        """`steps` of the wheel, positive away from the user."""
        self._zoom(event, steps)

    def _zoom(self, event: events.MouseEvent, steps: int) -> None:
        if not self._wheel_steps:
            self.call_later(self._tell_zoom)
        self._wheel_steps += steps
        self._wheel_time_ns = self.time_at(self.column_of(event))

    def _tell_zoom(self) -> None:
        steps, self._wheel_steps = self._wheel_steps, 0
        if steps:
            self.post_message(self.Zoomed(self, self._wheel_time_ns, steps))

    # Dragging a range

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """May begin to mark a range."""
        if event.button == 1:
            self._drag_from = self._drag_at = self.column_of(event)
            self._dragged = False
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Marks a range, told at most 20 times a second."""
        column = self.column_of(event)
        if self._drag_from is None or column == self._drag_at:
            return
        self._dragged = True
        self._drag_at = column
        if self._drag_timer is None:
            self._tell_drag()
            self._drag_timer = self.set_timer(DRAG_INTERVAL_S, self._drag_again)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends the marking."""
        if self._drag_from is None:
            return
        self.release_mouse()
        if self._drag_timer is not None:
            self._drag_timer.stop()
            self._drag_timer = None
        if self._dragged:
            self._drag_at = self.column_of(event)
            self._tell_drag(done=True)
        self._drag_from = None

    def _drag_again(self) -> None:
        self._drag_timer = None
        self._tell_drag()

    def _tell_drag(self, done: bool = False) -> None:
        if self._drag_from is None:
            return
        columns = max(self.columns, 1)
        left, right = sorted(min(max(x, 0), columns - 1) for x in (self._drag_from, self._drag_at))
        span = Span(self.state.span.time_at(left, columns), self.state.span.time_at(right + 1, columns))
        self.post_message(self.RangeDragged(self, span, done))

"""A view of lines that somebody else keeps: it holds only what is near the window, and asks for more as it scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.geometry import Size
from textual.message import Message

from widgets.lines import LineWidget
from widgets.pieces import Line, Piece, gap
from widgets.text import cells, head

STEP_CELLS = 16
"""A step sideways."""


class LogRow(NamedTuple):
    """One line, ready but for escaping."""

    text: str
    role: str = ""


class LogView(LineWidget, can_focus=True):
    """Lines by number with a cursor. It stays at the end while lines are added, until the user goes up."""

    DEFAULT_CSS: ClassVar[str] = """
    LogView { height: 1fr; width: 1fr; }
    """

    class Wanted(Message):
        """Lines are needed that are not held."""

        def __init__(self, view: LogView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> LogView:
            """The view."""
            return self.view

        def can_replace(self, message: Message) -> bool:
            """Only the last window counts."""
            return type(message) is type(self) and message.view is self.view

    class Moved(Wanted):
        """The cursor came to another line."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self.count = 0
        """Lines there are."""
        self.cursor = 0
        self.follows = True
        """Whether it stays at the end."""
        self._top = 0
        self._left = 0
        self._first = 0
        self._rows: Sequence[LogRow] = ()

    @property
    def row(self) -> LogRow | None:
        """The line under the cursor, if it is held."""
        return self._held(self.cursor)

    def wanted(self) -> tuple[int, int]:
        """First line and number of lines to hold: the window with a page around it."""
        height = max(self.size.height, 1)
        return max(0, self._top - height), 3 * height

    def set_count(self, count: int) -> None:
        """There are so many lines now."""
        self.count = count
        if self.follows:
            self.cursor = max(0, count - 1)
        self.cursor = min(self.cursor, max(0, count - 1))
        self._keep_in_view()

    def set_rows(self, first: int, rows: Sequence[LogRow]) -> None:
        """Holds these lines, from number `first` on, in place of those before."""
        if (first, rows) != (self._first, self._rows):
            self._first, self._rows = first, rows
            self.refresh()

    def go_to(self, line: int) -> None:
        """Puts the cursor on a line; the last one is followed from then on."""
        line = max(0, min(line, self.count - 1))
        self.follows = line >= self.count - 1
        if line != self.cursor:
            self.cursor = line
            self._keep_in_view()
            self.refresh()
        self.post_message(self.Moved(self))

    def _keep_in_view(self) -> None:
        height = max(self.size.height, 1)
        last_top = max(0, self.count - height)
        lowest = self.cursor - height + 1
        top = last_top if self.follows else max(lowest, min(self._top, self.cursor))
        top = max(0, min(top, last_top))
        if top != self._top:
            self._top = top
            self.refresh()
        if any(self._held(line) is None for line in (top, min(top + height, self.count) - 1) if line >= 0):
            self.post_message(self.Wanted(self))

    def _held(self, line: int) -> LogRow | None:
        at = line - self._first
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def line(self, y: int, width_cells: int) -> Line:
        """One line, marked where it has a role of its own."""
        row = self._held(self._top + y) if self._top + y < self.count else None
        if row is None:
            return ()
        text = self.look.shown(row.text)
        rest = text[len(head(text, self._left)) :]
        here = self._top + y == self.cursor and self.has_focus and not self.follows
        mark = Piece(self.look.glyphs.cursor, "focus" if here else row.role) if here or row.role else gap(1)
        shown = Piece(rest, row.role or "text")
        return [mark, *self.look.cut([shown], width_cells - 1)] if cells(rest) else [mark]

    def ground_of(self, y: int) -> str:
        """The line under the cursor has its own ground once the user has left the end."""
        here = self._top + y == self.cursor and self.has_focus and not self.follows
        return "cursor" if here else self.ground

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All lines, for `height: auto`."""
        return max(self.count, 1)

    def on_resize(self) -> None:
        """Other lines are in view."""
        self._keep_in_view()

    def on_focus(self) -> None:
        """Shows the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hides it."""
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls."""
        event.stop()
        self.go_to(self.cursor + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls."""
        event.stop()
        self.go_to(self.cursor - 3)

    def action_move(self, step: int) -> None:
        """So many lines down."""
        self.go_to(self.cursor + step)

    def action_sideways(self, step: int) -> None:
        """So many steps to the right."""
        self._left = max(0, self._left + step * STEP_CELLS)
        self.refresh()

    def action_first(self) -> None:
        """To the first line."""
        self.go_to(0)

    def action_last(self) -> None:
        """To the end, and stays there."""
        self.go_to(self.count - 1)

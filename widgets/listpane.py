"""A short list with a cursor: each row is a ready line, enter opens it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Size
from textual.message import Message

from widgets.lines import LineWidget
from widgets.pieces import Line, Piece, gap
from widgets.window import Window


class ListPane(LineWidget, can_focus=True):
    """Rows with a cursor. It has the same actions as the grid."""

    DEFAULT_CSS: ClassVar[str] = """
    ListPane { height: auto; width: 1fr; }
    """

    class RowMessage(Message):
        """Something about one row."""

        def __init__(self, pane: ListPane, row: int) -> None:
            super().__init__()
            self.pane = pane
            self.row = row

        @property
        def control(self) -> ListPane:
            """The list."""
            return self.pane

    class Opened(RowMessage):
        """Enter or a double click on a row."""

    class Highlighted(RowMessage):
        """The cursor came to another row."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._rows: Sequence[Line] = ()
        self._window = Window()

    @property
    def cursor(self) -> int:
        """Row under the cursor; -1 without rows."""
        return self._window.cursor if self._rows else -1

    def set_rows(self, rows: Sequence[Line]) -> None:
        """Shows other rows; the cursor stays on its number."""
        count_changed = len(rows) != len(self._rows)
        self._rows = rows
        self._window.fit_to(len(rows), max(self.size.height, 1))
        self.refresh(layout=count_changed)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line per row."""
        return len(self._rows)

    def line(self, y: int, width_cells: int) -> Line:
        """A row with the cursor mark before it."""
        self._window.fit_to(len(self._rows), max(self.size.height, 1))
        at = self._window.top + y
        if at >= len(self._rows):
            return ()
        here = at == self.cursor and self.has_focus
        return [Piece(self.look.glyphs.cursor, "focus") if here else gap(1), *self._rows[at]]

    def ground_of(self, y: int) -> str:
        """The cursor row has its own ground while the keys go here."""
        return "cursor" if self._window.top + y == self.cursor and self.has_focus else self.ground

    def _move(self, step: int) -> None:
        before = self._window.cursor
        self._window.move(before + step)
        if self._window.cursor != before:
            self.refresh()
            self.post_message(self.Highlighted(self, self._window.cursor))

    def move_to(self, row: int) -> None:
        """Puts the cursor on a row."""
        self._move(row - self._window.cursor)

    def on_focus(self) -> None:
        """Shows the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hides the cursor."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor; a double click opens."""
        row = self._window.top + event.y
        if 0 <= row < len(self._rows):
            self._move(row - self._window.cursor)
            if event.chain > 1:
                self.action_open_item()

    def action_cursor_up(self) -> None:
        """One row up."""
        self._move(-1)

    def action_cursor_down(self) -> None:
        """One row down."""
        self._move(1)

    def action_page_up(self) -> None:
        """One page up."""
        self._move(-max(self.size.height, 1))

    def action_page_down(self) -> None:
        """One page down."""
        self._move(max(self.size.height, 1))

    def action_first(self) -> None:
        """To the first row."""
        self._move(-len(self._rows))

    def action_last(self) -> None:
        """To the last row."""
        self._move(len(self._rows))

    def action_open_item(self) -> None:
        """Opens the row under the cursor."""
        if self._rows:
            self.post_message(self.Opened(self, self._window.cursor))

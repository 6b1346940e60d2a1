"""A table of any length with cursor, selection and movable columns: what keys and mouse do to it."""

from __future__ import annotations

from textual import events

from widgets.columns import GAP_CELLS, Slot
from widgets.gridview import HEADING_LINES, GridView

WHEEL_ROWS = 3
WIDTH_STEP_CELLS = 2


class DataGrid(GridView, can_focus=True):
    """Rows of a `TableSource`. The application binds its keys to the `action_*` methods."""

    _dragged: Slot | None = None
    """Column whose right border is being dragged."""

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """On a column border: begins to drag it."""
        self._dragged = None
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= HEADING_LINES:
            return
        border = next((slot for slot in self._laid_out() if slot.end <= offset.x < slot.end + GAP_CELLS), None)
        if border is not None and border.column.kind != "mark":
            self._dragged = border
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags a column border."""
        if self._dragged is not None and self._arrangement.resize(self._dragged.column.key, event.x - self._dragged.x):
            self._rearranged()

    def on_mouse_up(self) -> None:
        """Ends the dragging of a column border."""
        if self._dragged is not None:
            self.release_mouse()
            self._arranged()

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor; on a heading: tells so; twice: opens."""
        if self._dragged is not None:
            self._dragged = None
            return
        offset = event.get_content_offset(self)
        if offset is None:
            return
        slot = next((slot for slot in self._laid_out() if slot.x <= offset.x < slot.end), None)
        if offset.y < HEADING_LINES:
            if slot is not None and slot.column.kind != "mark":
                self.post_message(self.HeaderClicked(self, slot.column.key))
            return
        self._click_row(self._window.top + offset.y - HEADING_LINES, event.chain)

    def _click_row(self, row: int, clicks: int) -> None:
        if row >= self._window.end:
            return
        self._move(lambda: self._window.move(row))
        if clicks == 2:
            self.action_open_item()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls rows."""
        event.stop()
        self._move(lambda: self._window.scroll(WHEEL_ROWS))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls rows."""
        event.stop()
        self._move(lambda: self._window.scroll(-WHEEL_ROWS))

    # Actions, to be bound by the application

    def action_cursor_up(self) -> None:
        """One row up."""
        self.move_to(self._window.cursor - 1)

    def action_cursor_down(self) -> None:
        """One row down."""
        self.move_to(self._window.cursor + 1)

    def action_cursor_left(self) -> None:
        """One column to the left."""
        self._move_column(self._arrangement.cursor - 1)

    def action_cursor_right(self) -> None:
        """One column to the right."""
        self._move_column(self._arrangement.cursor + 1)

    def action_page_up(self) -> None:
        """One page up."""
        self._move(lambda: self._window.page(-self._window.height))

    def action_page_down(self) -> None:
        """One page down."""
        self._move(lambda: self._window.page(self._window.height))

    def action_half_up(self) -> None:
        """Half a page up."""
        self._move(lambda: self._window.page(-(self._window.height // 2)))

    def action_half_down(self) -> None:
        """Half a page down."""
        self._move(lambda: self._window.page(self._window.height // 2))

    def action_first(self) -> None:
        """First row."""
        self.move_to(0)

    def action_last(self) -> None:
        """Last row."""
        self.move_to(self._source.row_count - 1)

    def action_open_item(self) -> None:
        """Opens the row under the cursor."""
        if self.cursor_row >= 0:
            self.post_message(self.RowOpened(self, self.cursor_row))

    def action_select(self) -> None:
        """Selects or deselects the row under the cursor and goes on to the next."""
        if self.cursor_row < 0:
            return
        self._selection.toggle(self.cursor_row)
        self._dirty_rows.add(self.cursor_row)
        self.post_message(self.SelectionChanged(self))
        self._flush_later()
        self.action_cursor_down()

    def action_range(self) -> None:
        """Begins a range of rows at the cursor, or ends it here."""
        if self.cursor_row < 0:
            return
        if self._range_from < 0:
            self._range_from = self.cursor_row
        else:
            for first, last in self._open_range():
                self._selection.add(first, last)
            self._range_from = -1
        self._selected()

    def action_column_left(self) -> None:
        """Moves the column under the cursor to the left."""
        if self._arrangement.shift_current(-1):
            self._arranged()

    def action_column_right(self) -> None:
        """Moves the column under the cursor to the right."""
        if self._arrangement.shift_current(1):
            self._arranged()

    def action_bigger(self) -> None:
        """Widens the column under the cursor."""
        self._widen(WIDTH_STEP_CELLS)

    def action_smaller(self) -> None:
        """Narrows the column under the cursor."""
        self._widen(-WIDTH_STEP_CELLS)

    def action_freeze(self) -> None:
        """Freezes the columns up to the cursor, or releases them."""
        self._arrangement.freeze_here()
        self._arranged()

    def action_hide_column(self) -> None:
        """Hides the column under the cursor."""
        if self._arrangement.hide_current():
            self._arranged()

    def _widen(self, step_cells: int) -> None:
        key = self.cursor_key
        width = next((slot.width for slot in self._laid_out() if slot.column.key == key), 0)
        if width and self._arrangement.resize(key, width + step_cells):
            self._arranged()

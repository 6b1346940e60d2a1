"""The view steps of a table screen, with undo; moving and looking."""

from __future__ import annotations

import time

from textual import on
from textual.timer import Timer

from tui.model.ops import column_of
from tui.model.table import NumberColumn
from tui.model.view import View, drilled
from tui.screens.table_base import NO_HITS, Step
from tui.screens.table_status import TableStatus
from tui.screens.views import grouped_by
from widgets.columns import ColumnState
from widgets.grid import DataGrid
from widgets.lines import LinesPane

ABOUT_ROWS = frozenset(
    (
        "open_item",
        "details",
        "find",
        "goto",
        "focus",
        "hide",
        "aggregate",
        "reference",
        "mark",
        "select",
        "range",
        "copy",
    )
) | {"copy_as", "export"}
ABOUT_COLUMNS = frozenset(
    ("filter", "sort_asc", "sort_desc", "choose", "column_left", "column_right", "bigger", "smaller", "pin", "reset")
)
HELD_S = 0.2
"""Steps of the cursor that follow each other faster than this are taken for a held key."""


class TableSteps(TableStatus):
    """View steps, and the actions that move and look."""

    _moved_s = float("-inf")
    _details_timer: Timer | None = None

    def _push(self, view: View, columns: ColumnState | None = None) -> None:
        """One more step of the history; without columns of its own it takes those of the step before."""
        current = self._history.current
        if columns == ColumnState() and not view.group:
            columns = self._remembered_columns()
        self._history.replace(current._replace(row=max(self._grid.cursor_row, 0)))
        self._history.push(Step(view, current.columns if columns is None else columns, 0))

    def go_to_view(self, view: View, columns: ColumnState | None = None) -> None:
        """Shows another view and remembers the step."""
        if view == self._history.current.view and columns is None:
            return
        self._push(view, columns)
        self._apply(view)

    def _restore(self, step: Step) -> None:
        self._apply(step.view, keep=step.row)
        self._remember_columns()

    def opened(self, position: int) -> None:
        """Enter on a row: one level down where there is one, else the details."""
        table, applied = self._table, self._applied
        if table is None or applied is None:
            return
        below = drilled(table, applied.view, applied.shown, position)
        if below is not None:
            self.go_to_view(below, ColumnState())
        else:
            self.do_details_focus()

    def do_details_focus(self) -> None:
        """Gives the keys to the details."""
        self._details_on = True
        self._arrange()
        self._lines.focus()

    @on(DataGrid.RowHighlighted)
    def _row_highlighted(self, event: DataGrid.RowHighlighted) -> None:
        event.stop()
        self._follow_cursor()
        self.show_status()

    def _follow_cursor(self) -> None:
        """The details follow a single step at once, a held key when it is let go: they are much more to paint."""
        if self._details_row == self._grid.cursor_row:
            return
        now_s = time.monotonic()
        rested, self._moved_s = now_s - self._moved_s > HELD_S, now_s
        if self._details_timer is not None:
            self._details_timer.stop()
        if rested:
            self._show_details()
        else:
            self._details_timer = self.set_timer(HELD_S / 2, self._show_details)

    @on(DataGrid.RowOpened)
    def _row_opened(self, event: DataGrid.RowOpened) -> None:
        event.stop()
        self.opened(event.row)

    @on(DataGrid.ColumnsChanged)
    def _columns_changed(self, event: DataGrid.ColumnsChanged) -> None:
        event.stop()
        if event.arranged:
            self._push(self._history.current.view, self._grid.column_state)
            self._remember_columns()
        self.show_status()

    @on(DataGrid.SelectionChanged)
    def _selection_changed(self, event: DataGrid.SelectionChanged) -> None:
        event.stop()
        self.show_status()

    def _forward(self, name: str) -> None:
        """Lets the focused pane do it, if it can."""
        pane = self.focused if isinstance(self.focused, (DataGrid, LinesPane)) else self._grid
        getattr(pane, f"action_{name}", lambda: None)()
        self._follow_cursor()

    def do_up(self) -> None:
        """Row up."""
        self._forward("cursor_up")

    def do_down(self) -> None:
        """Row down."""
        self._forward("cursor_down")

    def do_left(self) -> None:
        """Column to the left."""
        self._forward("cursor_left")

    def do_right(self) -> None:
        """Column to the right."""
        self._forward("cursor_right")

    def do_page_up(self) -> None:
        """Page up."""
        self._forward("page_up")

    def do_page_down(self) -> None:
        """Page down."""
        self._forward("page_down")

    def do_half_up(self) -> None:
        """Half a page up."""
        self._forward("half_up")

    def do_half_down(self) -> None:
        """Half a page down."""
        self._forward("half_down")

    def do_first(self) -> None:
        """First row."""
        self._forward("first")

    def do_last(self) -> None:
        """Last row."""
        self._forward("last")

    def do_open_item(self) -> None:
        """Opens the row."""
        self._grid.action_open_item()

    def do_details(self) -> None:
        """Shows or hides the details."""
        self._details_on = not self._details_on
        if not self._details_on:
            self._grid.focus()
        self._arrange()
        self.call_after_refresh(self._show_details)

    def do_maximise(self) -> None:
        """Gives the focused pane the whole screen, and back."""
        self._maximised = not self._maximised
        self._arrange()
        self.call_after_refresh(self._show_details)

    def do_undo(self) -> None:
        """One view step back."""
        if self._history.can_undo:
            self._history.replace(self._history.current._replace(row=max(self._grid.cursor_row, 0)))
            self._restore(self._history.undo())
        else:
            super().do_undo()

    def do_redo(self) -> None:
        """The undone step again."""
        if self._history.can_redo:
            self._restore(self._history.redo())
        else:
            super().do_redo()

    def do_close(self) -> None:
        """Steps out: out of the details, then up the view steps, at the top asks to quit."""
        if self.focused is self._lines:
            self._grid.focus()
        elif self._history.can_undo:
            self.do_undo()
        else:
            super().do_close()

    def do_leave(self) -> None:
        """Drops selection and find."""
        super().do_leave()
        self._grid.clear_selection()
        self._reference = None
        if self._spread_of:
            self._spread_of = ""
            self._show_details()
        self._hits = NO_HITS
        if self.focused is self._lines:
            self._grid.focus()

    def do_units(self) -> None:
        """The next unit of times."""
        self.app.choose_next_units()

    def do_aggregate(self) -> None:
        """Groups by the text column under the cursor, or back; a number column shows how it is spread."""
        key, applied = self.source_key(), self._applied
        if applied is None or not key:
            return
        if isinstance(column_of(applied.shown.table, key), NumberColumn):
            self._spread_of = "" if self._spread_of == key else key
            self._show_details()
        elif self.view.group:
            self.go_to_view(grouped_by(self.view, ()), ColumnState())
        else:
            self.go_to_view(grouped_by(self.view, (key,)), ColumnState())

    def can(self, name: str) -> bool:
        """Steps back and forth only where there are some; what is about rows or columns only where there are some."""
        if (name in ABOUT_ROWS and not self.has_rows) or (name in ABOUT_COLUMNS and not self.rows_in_all):
            return False
        if name == "undo":
            return self._history.can_undo or super().can(name)
        if name == "redo":
            return self._history.can_redo or super().can(name)
        if name in ("find_next", "find_prev"):
            return bool(len(self._hits))
        if name == "unhide":
            return bool(self.view.exclude)
        return super().can(name)

"""A screen around one table, whole: order and columns, marks, taking things out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from textual import on

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.columns import cell_text
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.order import parse_sort
from tui.model.table import Table
from tui.model.view import View, sorted_by
from tui.screens.table_base import NO_HITS
from tui.screens.table_narrow import TableNarrow
from tui.screens.views import grouped_by
from widgets.columns import ColumnState
from widgets.grid import DataGrid


class TableScreen(TableNarrow):
    """Base of the screens that show one table."""

    @on(DataGrid.HeaderClicked)
    def _header_clicked(self, event: DataGrid.HeaderClicked) -> None:
        event.stop()
        self._grid.move_to_column(event.key)
        marks = self._grid.source.sort_marks()
        self._sort(descending=not marks.get(event.key, (0, False))[1])

    def _sort(self, descending: bool) -> None:
        key, table = self.source_key(), self._table
        if key and table is not None:
            self.go_to_view(sorted_by(table, self.view, key, descending))

    def do_sort_asc(self) -> None:
        """Smallest first."""
        self._sort(descending=False)

    def do_sort_desc(self) -> None:
        """Largest first."""
        self._sort(descending=True)

    def do_column_left(self) -> None:
        """Column one place to the left."""
        self._grid.action_column_left()

    def do_column_right(self) -> None:
        """Column one place to the right."""
        self._grid.action_column_right()

    def do_bigger(self) -> None:
        """Wider column."""
        self._grid.action_bigger()

    def do_smaller(self) -> None:
        """Narrower column."""
        self._grid.action_smaller()

    def do_pin(self) -> None:
        """Freezes the columns up to here."""
        self._grid.action_freeze()

    def do_choose(self) -> None:
        """The checklist of columns."""
        from tui.screens.column_choice import choose_columns

        choose_columns(self, self._grid)

    def do_reference(self) -> None:
        """Compares the times of other rows with this one; again, or esc, ends it."""
        value = self._value_here()
        name = self.row_name()
        self._reference = None if self._reference == (name, value) or value != value else (name, value)
        self.app.tell(_("compared with {name}").format(name=name) if self._reference else _("compared with nothing"))

    def row_name(self) -> str:
        """Text of the first column of the row under the cursor."""
        applied, row = self._applied, self._grid.cursor_row
        keys = self._grid.visible_keys
        column = column_of(applied.shown.table, keys[0]) if applied is not None and keys else None
        return (
            cell_text(column, int(applied.shown.rows[row]))
            if applied is not None and column is not None and row >= 0
            else ""
        )

    def do_mark(self) -> None:
        """Marks the row, or takes the mark away."""
        from tui.screens.marks import toggle_mark

        applied, row = self._applied, self._grid.cursor_row
        if applied is None or row < 0:
            return
        if applied.shown.groups is not None:
            self.app.tell(_("groups cannot be marked; enter goes down to rows"))
        else:
            toggle_mark(self, int(applied.shown.rows[row]), self.row_name())

    def do_marks(self) -> None:
        """Lists the marked rows."""
        from tui.screens.marks import list_marks

        list_marks(self)

    def go_to_table_row(self, row: int) -> None:
        """Puts the cursor on a row of the table; where the view leaves it out, shows all rows."""
        applied = self._applied
        if applied is None or self._table is None:
            return
        places = np.flatnonzero(applied.shown.rows == row) if applied.shown.groups is None else NO_HITS
        if not len(places):
            self.go_to_view(View(), ColumnState())
            places = np.flatnonzero(self._applied.shown.rows == row) if self._applied is not None else NO_HITS
        if len(places):
            self._grid.move_to(int(places[0]))

    def do_select(self) -> None:
        """Selects the row."""
        self._grid.action_select()

    def do_range(self) -> None:
        """Begins or ends a range of rows."""
        self._grid.action_range()

    def do_copy(self) -> None:
        """Copies the cell, or the selected rows."""
        from tui.screens.taking import copy_cell_or_rows

        copy_cell_or_rows(self)

    def do_copy_as(self) -> None:
        """Asks what to copy as what."""
        from tui.screens.taking import copy_as, taken_of

        copy_as(self, taken_of(self))

    def do_export(self) -> None:
        """Asks for a file."""
        self.ask(_("export to") + " ", f"{self.KIND}.csv", (), accept=self.command_export, note=".csv .tsv .md .json")

    def command_sort(self, text: str) -> str:
        """Orders; returns what is wrong, or empty."""
        if self._applied is None:
            return _("there are no rows yet")
        return self._try(lambda table: replace(self.view, sort=parse_sort(table, text)), self._applied.shown.table)

    def command_group(self, text: str) -> str:
        """Groups; returns what is wrong, or empty."""
        names = text.replace(",", " ").split()
        return self._try(
            lambda table: grouped_by(self.view, tuple(dict.fromkeys(resolve_key(table, name) for name in names))),
            self._table,
        )

    def _try(self, view_of: Callable[[Table], View], table: Table | None) -> str:
        if table is None:
            return _("there are no rows yet")
        try:
            view = view_of(table)
        except BadExpression as error:
            return error.message
        self.go_to_view(view, ColumnState() if view.group != self.view.group else None)
        return ""

    def command_cols(self, text: str) -> str:
        """Shows and hides columns; returns what is wrong, or empty."""
        from tui.screens.column_choice import changed_columns

        return changed_columns(self._grid, text)

    def command_export(self, text: str) -> str:
        """Writes the view to a file; returns why it cannot, or empty."""
        from tui.screens.taking import export_rows, taken_of

        return export_rows(self, taken_of(self), text)

    def own_command(self) -> Sequence[str]:
        """Words of the command that prints this, where it is not `table`; empty for `table`."""
        return ()

    def command_copy_command(self, _rest: str) -> str:
        """Copies the shell command that prints this view."""
        from tui.screens.taking import shell_command

        self.app.copy_text(shell_command(self), _("command"))
        return ""

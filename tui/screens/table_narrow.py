"""Narrowing the rows of a table screen, and finding among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.columns import cell_text, head_of
from tui.model.filter import filter_mask
from tui.model.find import find_rows
from tui.model.ops import column_of
from tui.model.table import Table
from tui.model.view import View
from tui.screens.table_base import INLINE_ROWS, NO_HITS
from tui.screens.table_steps import TableSteps
from tui.screens.views import excluding, keeping
from tui.units import number_text
from widgets.columns import ColumnState


class TableNarrow(TableSteps):
    """Filter, keep, exclude, find, go to."""

    def _cell_condition(self) -> tuple[str, str] | None:
        """Column and text of the cell under the cursor, as the file says it."""
        applied, key = self._applied, self.source_key()
        if applied is None or self._grid.cursor_row < 0:
            return None
        column = column_of(applied.shown.table, key)
        return None if column is None else (key, cell_text(column, int(applied.shown.rows[self._grid.cursor_row])))

    def do_focus(self) -> None:
        """Keeps only rows with this value."""
        condition = self._cell_condition()
        if condition is not None and self._can_narrow(condition[0]):
            self.go_to_view(keeping(self.view, *condition))

    def do_hide(self) -> None:
        """Excludes rows with this value."""
        condition = self._cell_condition()
        if condition is not None and self._can_narrow(condition[0]):
            self.go_to_view(excluding(self.view, *condition))

    def _can_narrow(self, key: str) -> bool:
        """A figure of a group is no value of a row."""
        if self._table is not None and column_of(self._table, key) is not None:
            return True
        self.app.tell(_("this column belongs to the groups; choose a column of the rows"))
        return False

    def do_unhide(self) -> None:
        """Brings excluded rows back."""
        self.go_to_view(replace(self.view, exclude=()))

    def do_reset(self) -> None:
        """Clears filter, order, widths; the level of grouping stays."""
        self.app.state.put("columns", self.KIND, None)
        self.go_to_view(View(group=self.view.group), ColumnState())

    def do_filter(self) -> None:
        """Asks for a filter; while typing, rows or what is wrong with it."""

        def changed(text: str) -> None:
            self._note_filter(text)

        def accept(text: str) -> str:
            from tui.dialogs import remember

            problem = self.command_filter(text)
            if not problem:
                remember(self.app, "&", text)
            return problem

        from tui.dialogs import history_of

        self.ask(
            "&", self.view.filter, history_of(self.app, "&"), self._filter_completions, changed=changed, accept=accept
        )

    def _note_filter(self, text: str) -> None:
        table = self._table
        if table is None:
            return
        if table.row_count > INLINE_ROWS:
            self.prompt.set_note(_("enter filters {n} rows").format(n=number_text(table.row_count, 0)))
            return
        try:
            count = int(filter_mask(table, text).sum())
        except BadExpression as error:
            self.prompt.set_error(error.message, error.position)
            return
        self.prompt.set_note(
            _("{n} of {all} rows").format(n=number_text(count, 0), all=number_text(table.row_count, 0))
        )

    def _filter_completions(self, typed: str, _caret: int) -> Sequence[str]:
        """Column names for the last word."""
        head, _blank, last = typed.rpartition(" ")
        keys = self._table.keys if self._table is not None else ()
        lead = f"{head} " if head else ""
        return [f"{lead}{key}" for key in keys if key.startswith(last.lower())]

    def command_filter(self, text: str) -> str:
        """Filters; returns what is wrong with the expression, or empty."""
        table = self._table
        if table is None:
            return _("there are no rows yet")
        try:
            filter_mask(table if table.row_count <= INLINE_ROWS else _first_rows(table), text)
        except BadExpression as error:
            return error.message
        self.go_to_view(replace(self.view, filter=text.strip()))
        return ""

    def do_find(self) -> None:
        """Asks for a text; the cursor goes to the first hit while typing."""
        start = max(self._grid.cursor_row, 0)

        def changed(text: str) -> None:
            self._find(text, start)

        def accept(text: str) -> str:
            from tui.dialogs import remember

            remember(self.app, "/", text)
            return self._find(text, start)

        from tui.dialogs import history_of

        self.ask("/", "", history_of(self.app, "/"), changed=changed, accept=accept)

    def _find(self, pattern: str, start: int) -> str:
        """Goes to the first hit from `start` on; returns what is wrong, or empty."""
        applied = self._applied
        if applied is None or not pattern:
            self._hits = NO_HITS
            return ""
        try:
            self._hits = find_rows(applied.shown.table, pattern, applied.shown.rows)
        except BadExpression as error:
            self.prompt.set_error(error.message, error.position)
            return error.message
        self._pattern = pattern
        if not len(self._hits):
            self.prompt.set_error(_("not found"))
            return ""
        after = int(np.searchsorted(self._hits, start))
        self._grid.move_to(int(self._hits[after % len(self._hits)]))
        self.prompt.set_note(f"{self._hit_number()}/{number_text(len(self._hits), 0)}")
        return ""

    def do_find_next(self) -> None:
        """Next hit."""
        self._step_hit(1)

    def do_find_prev(self) -> None:
        """Previous hit."""
        self._step_hit(-1)

    def _step_hit(self, step: int) -> None:
        if not len(self._hits):
            return
        row = self._grid.cursor_row
        at = (
            int(np.searchsorted(self._hits, row, side="right"))
            if step > 0
            else int(np.searchsorted(self._hits, row)) - 1
        )
        if not 0 <= at < len(self._hits):
            self.app.tell(_("search wrapped around"))
        self._grid.move_to(int(self._hits[at % len(self._hits)]))

    def do_goto(self) -> None:
        """Asks for a row number or a name."""
        self.ask("#", "", (), accept=self.command_goto, note=_("row number or name"))

    def command_goto(self, text: str) -> str:
        """Goes to a row; returns why it cannot, or empty."""
        number = text.strip().lstrip("#").replace(" ", "")
        if number.isdigit():
            self._grid.move_to(int(number) - 1)
            return ""
        problem = self._find(text.strip(), 0)
        return problem or ("" if len(self._hits) else _("no row holds {text}").format(text=text))


def _first_rows(table: Table) -> Table:
    """The head of a long table, to check an expression without reading all rows."""
    return Table(table.kind, tuple(head_of(column, 1) for column in table.columns))

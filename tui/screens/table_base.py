"""A screen around one table: its state, its panes, its rows; the steps and actions are in the modules built on it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from textual import on, work
from textual.containers import Container
from textual.widget import Widget

from tui.errors import BadExpression
from tui.i18n import _
from tui.messages import OpenFailed, TableChanged
from tui.model.ops import column_of
from tui.model.table import NumberColumn, Table
from tui.model.view import Shown, View, apply_view
from tui.screens.column_pane import column_pane
from tui.screens.frame import Frame
from tui.screens.history import History
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, ShownRows, Words
from tui.screens.states import failed_lines, no_match_lines, no_rows_lines, no_table_lines, waiting_lines
from widgets.columns import ColumnState
from widgets.grid import DataGrid
from widgets.lines import LinesPane
from widgets.norows import NoRows
from widgets.panes import HeadLine, PaneEdge

DETAILS_BESIDE_FROM = 120
"""Width from which the details stand at the right."""
TALL_FROM = 34
"""Height from which the details below the grid get more lines."""
FRAME_LINES = 4
NO_HITS = np.zeros(0, np.intp)
INLINE_ROWS = 60_000
"""Longer tables are filtered and sorted in a thread, so that keys are never waited for."""
PARTIAL_EVERY_S = 0.5
PARTIAL_REST = 3.0
"""Rows of a table that still grows are shown again after this time, and after so many times what showing them took."""


class Step(NamedTuple):
    """One step of the view history."""

    view: View
    columns: ColumnState
    row: int


@dataclass(frozen=True)
class Applied:
    """A view, what it shows, and that as the grid takes it."""

    table: Table
    view: View
    shown: Shown
    source: ShownRows


@dataclass(frozen=True)
class Wish:
    """A view to be shown."""

    table: Table
    view: View
    keep: int | None
    """Row for the cursor; None leaves it where it is."""
    shown: Shown | None = None
    """What the view shows, where that is known and only its texts change."""


class TableBase(Frame):
    """State, layout and data of a screen around one table."""

    KIND: ClassVar[str] = ""
    """Canonical kind of the table."""
    FOOTER: ClassVar[tuple[str, ...]] = (
        "open_item", "sort_desc", "filter", "find", "choose", "details", "aggregate", "undo", "focus", "copy", "export",
        "screen", "open_profile", "reread",
    )  # fmt: skip
    DETAILS_LINES: ClassVar[int] = 6

    def __init__(self) -> None:
        super().__init__()
        self._history: History[Step] = History(Step(View(), ColumnState(), 0))
        self._table: Table | None = None
        self._applied: Applied | None = None
        self._change: TableChanged | None = None
        self._in_thread: Wish | None = None
        """What a thread is applying."""
        self._wish: Wish | None = None
        """What comes after that."""
        self._details_row = -1
        """Row that the details are about."""
        self._next_partial_s = 0.0
        """Not before this time are rows of a table that still grows shown again."""
        self._hits: NDArray[np.intp] = NO_HITS
        self._pattern = ""
        self._details_on = True
        self._maximised = False
        self._spread_of = ""
        """Key of the number column whose distribution the details show, or empty."""
        self._reference: tuple[str, float] | None = None
        """Name and value of the row that others are compared with."""

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """The columns of the grid, the default ones first."""
        raise NotImplementedError

    def first_view(self, table: Table) -> View:
        """What is shown until the user chooses otherwise."""
        return View()

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """Keys of the columns shown until the user chooses others."""
        raise NotImplementedError

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """What the details say about the row at `position` of the shown rows."""
        raise NotImplementedError

    def has_sum(self, shown: Shown) -> bool:
        """Whether a sum row follows the rows."""
        return shown.groups is not None

    def crumbs(self, view: View) -> Sequence[str]:
        """Steps of the breadcrumb, without the order."""
        raise NotImplementedError

    def count_text(self, shown: Shown) -> str:
        """`566 tasks` for the right end of the title."""
        raise NotImplementedError

    def position_text(self, shown: Shown, position: int) -> str:
        """What the row is of the whole: `3 170.625 of 112 950 µs`."""
        return ""

    def compose_panes(self) -> Iterable[Widget]:
        """Grid and details, side by side or one below the other."""
        with Container(id="panes", classes="below"):
            yield DataGrid(id="grid")
            yield PaneEdge(id="edge")
            with Container(id="details"):
                yield HeadLine(id="details-head")
                yield LinesPane(id="details-lines")

    def ready(self) -> None:
        """Takes the table if it is there."""
        self._grid.focus()
        self._arrange()
        change = self.app.tables.get(self.KIND)
        if change is not None:
            self.table_changed(change)
        elif self.app.failure is not None:
            self.open_failed(self.app.failure)
        else:
            self._grid.set_empty_lines(waiting_lines([_(self.NAME)]))

    def open_failed(self, failure: OpenFailed) -> None:
        """There will be no rows."""
        self._grid.set_empty_lines(failed_lines(failure, self.size.width, self._grid.look))

    @property
    def _grid(self) -> DataGrid:
        return self.query_one("#grid", DataGrid)

    @property
    def _lines(self) -> LinesPane:
        return self.query_one("#details-lines", LinesPane)

    @property
    def details_have_keys(self) -> bool:
        """Whether the details are the focused pane."""
        return self.focused is self._lines

    @property
    def grid(self) -> DataGrid:
        """The grid."""
        return self._grid

    @property
    def applied(self) -> Applied | None:
        """The rows shown and their view."""
        return self._applied

    @property
    def has_rows(self) -> bool:
        """Whether a row is shown."""
        return self._applied is not None and len(self._applied.shown.rows) > 0

    @property
    def rows_in_all(self) -> int:
        """Rows of the table before anything narrows them."""
        return self._applied.shown.total_rows if self._applied is not None else 0

    @property
    def view(self) -> View:
        """The view shown."""
        return self._history.current.view

    def after_resize(self) -> None:
        """The details move to the right from 120 columns."""
        self._arrange()
        self.settings_changed()

    def beside(self, shown: Shown | None) -> bool:
        """Whether the details stand at the right where the terminal is wide enough."""
        return True

    def _arrange(self) -> None:
        """Places grid and details for the size of the terminal; without rows there are no details."""
        shown = self._applied.shown if self._applied is not None else None
        beside = self.size.width >= DETAILS_BESIDE_FROM and self.beside(shown)
        panes, details, edge, grid = (self.query_one(name) for name in ("#panes", "#details", "#edge", "#grid"))
        panes.set_class(beside, "beside")
        panes.set_class(not beside, "below")
        focused_details = self.focused is self._lines
        details.display = self.has_rows and self._details_on and not (self._maximised and not focused_details)
        grid.display = not (self._maximised and focused_details)
        edge.display = beside and details.display and grid.display
        room = self.size.height - FRAME_LINES - self._lines_above() - self._details_lines() - 1
        short = shown is not None and len(shown.rows) + 2 <= room
        fills = beside or not grid.display
        details.styles.width = "1fr" if not beside or not grid.display else max(40, min(self.size.width // 4 + 4, 56))
        details.styles.height = "1fr" if fills or short else self._details_lines() + 1
        grid.styles.height = "auto" if short and not beside and details.display else "1fr"

    def _lines_above(self) -> int:
        """Lines that the screen has above its rows."""
        return 0

    def _details_lines(self) -> int:
        """Lines of the details below the grid: more where the terminal is tall."""
        return self.DETAILS_LINES if self.size.height < TALL_FROM else self.size.height * 2 // 5

    def session_closed(self) -> None:
        """Another profile comes; the rows of the old one go."""
        self._table = self._applied = self._change = self._wish = self._in_thread = None
        self._next_partial_s = 0.0
        self._history = History(Step(View(), ColumnState(), 0))
        self._grid.set_source(NoRows())
        self._grid.set_empty_lines(waiting_lines([_(self.NAME)]))
        self._lines.set_lines([])

    def scope_changed(self) -> None:
        """Other rows of the same table: they are shown as the ones before."""
        step = self._history.current
        self.session_closed()
        self._history = History(step._replace(row=0))

    def table_changed(self, change: TableChanged) -> None:
        """Rows arrived."""
        if change.kind != self.KIND:
            return
        is_first = self._table is None
        self._change = change
        self._table = change.table
        if change.table is None:
            self._grid.set_empty_lines(no_table_lines(change))
            self._arrange()
            return
        if is_first and self._history.current.view == View():
            self._history.replace(Step(self.first_view(change.table), self._remembered_columns(), 0))
        if change.loading is None:
            self._in_thread = None  # rows of the table that still grew, if any, are of no use any more
        if change.loading is None or is_first or (self.is_current and time.monotonic() >= self._next_partial_s):
            self._apply(self._history.current.view, keep=None)

    def on_screen_resume(self) -> None:
        """Rows that came while another screen was shown."""
        if self._applied is not None and self._applied.table is not self._table:
            self._apply(self._history.current.view, keep=None)

    def settings_changed(self) -> None:
        """Other units or bands: the same rows, written anew."""
        if self._applied is not None:
            self._serve(Wish(self._applied.table, self._applied.view, None, self._applied.shown))

    def words(self) -> Words:
        """How numbers are written now."""
        glyphs = self.app.glyphs
        session = self.app.session
        span = session.known_span if session is not None else None
        return Words(
            glyphs=glyphs.name,  # type: ignore[arg-type]
            units=self.app.time_choice,
            band_mid=glyphs.band_mid,
            band_high=glyphs.band_high,
            bands=self.app.bands,
            origin_ns=span.start_ns if span is not None else None,
        )

    def _apply(self, view: View, keep: int | None = 0) -> None:
        if self._table is not None:
            self._serve(Wish(self._table, view, keep))

    def _serve(self, wish: Wish) -> None:
        """Shows what is wished: short tables at once, long ones from a thread, one by one, the newest wish next."""
        if wish.table.row_count > INLINE_ROWS:
            self._wish = wish
            self._serve_next()
            return
        self._wish = self._in_thread = None
        try:
            self._show_rows(self._applied_to(wish), wish.keep)
        except BadExpression as error:
            self.app.tell(error.message)

    def _serve_next(self) -> None:
        if self._wish is not None and self._in_thread is None:
            self._in_thread, self._wish = self._wish, None
            self._apply_in_thread(self._in_thread)

    @work(thread=True, group="view", exit_on_error=False, description="view")
    def _apply_in_thread(self, wish: Wish) -> None:
        started_s = time.monotonic()
        found: Applied | None = None
        try:
            found = self._applied_to(wish)
        except BadExpression as error:
            self.app.call_from_thread(self.app.tell, error.message)
        finally:
            self.app.call_from_thread(self._applied_in_thread, wish, found, time.monotonic() - started_s)

    def _applied_in_thread(self, wish: Wish, found: Applied | None, took_s: float) -> None:
        """Shows what a thread made, unless something else is wanted by now."""
        if wish is not self._in_thread:
            return
        self._in_thread = None
        self._next_partial_s = time.monotonic() + max(PARTIAL_EVERY_S, PARTIAL_REST * took_s)
        if found is not None and (self._wish is None or self._wish.view == wish.view):
            self._show_rows(found, wish.keep)
        self._serve_next()

    def _applied_to(self, wish: Wish) -> Applied:
        """The rows of a view with their columns. Touches no widget, so that it may run in a thread.

        Raises:
            BadExpression: the filter cannot be read.
        """
        table, shown = wish.table, wish.shown or apply_view(wish.table, wish.view)
        plans = self.plans(table, shown, self.words())
        return Applied(table, wish.view, shown, self.rows_of(table, shown, plans, wish.view))

    def rows_of(self, table: Table, shown: Shown, plans: Sequence[Plan], view: View) -> ShownRows:
        """The rows as the grid takes them."""
        return ShownRows(table, shown, plans, view, has_sum=self.has_sum(shown))

    def _show_rows(self, applied: Applied, keep: int | None) -> None:
        """Gives the grid its rows. Must run in the UI thread."""
        if not self.is_attached:
            return
        shown, source = applied.shown, applied.source
        self._applied = applied
        self._hits = NO_HITS
        grid = self._grid
        key = grid.cursor_key
        grid.column_state = self._column_state(shown, source)
        grid.set_source(source, keep_cursor=max(grid.cursor_row if keep is None else keep, 0))
        grid.move_to_column(key if key in grid.visible_keys else next(iter(grid.visible_keys), ""))
        if not shown.total_rows:
            grid.set_empty_lines(no_rows_lines(applied.table))
        elif not len(shown.rows):
            grid.set_empty_lines(no_match_lines(applied.view.filter or _("this"), shown.total_rows))
        self._arrange()
        self._show_details()
        self.show_frame()

    def _column_state(self, shown: Shown, source: ShownRows) -> ColumnState:
        """The user's columns; those that he has not chosen and that are not default ones are hidden."""
        state = self._history.current.columns
        keys = {*state.order, *state.hidden, *self.default_keys(shown)}
        others = (column.key for column in source.columns if column.kind != "mark" and column.key not in keys)
        return replace(state, hidden=(*state.hidden, *others))

    def _remember_columns(self) -> None:
        """Order, widths and choice of columns come back with the next table of this kind."""
        state = self._history.current.columns
        if self.view.group:
            return
        kept = {"order": state.order, "widths": dict(state.widths), "hidden": state.hidden, "frozen": state.frozen}
        self.app.state.put("columns", self.KIND, kept)

    def _remembered_columns(self) -> ColumnState:
        found = self.app.state.section("columns").get(self.KIND)
        if not isinstance(found, dict):
            return ColumnState()
        try:
            widths = {str(key): int(width) for key, width in found["widths"].items()}
            names = (tuple(map(str, found["order"])), tuple(map(str, found["hidden"])))
            return ColumnState(names[0], widths, names[1], int(found["frozen"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            return ColumnState()

    def _show_details(self) -> None:
        applied, row = self._applied, self._grid.cursor_row
        self._details_row = row
        details = self.query_one("#details")
        if applied is None or not details.display:
            return
        if row < 0 or row >= len(applied.shown.rows):
            self.query_one("#details-head", HeadLine).set_content("")
            self._lines.set_lines([])
            return
        size = self._lines.size
        room = Room(
            size.width or self.size.width, size.height or self.DETAILS_LINES, self._lines.look, self.words().glyphs
        )
        column = column_of(applied.shown.table, self._spread_of) if self._spread_of else None
        if isinstance(column, NumberColumn):
            pane = column_pane(column, applied.shown.rows, self.words(), room)
        else:
            pane = self.pane(applied.table, applied.shown, row, room)
        self.query_one("#details-head", HeadLine).set_content(pane.title, pane.facts)
        self._lines.set_lines(pane.lines)

    @on(LinesPane.Resized)
    def _details_resized(self, event: LinesPane.Resized) -> None:
        event.stop()
        self._show_details()

    def source_key(self) -> str:
        """Key of the table column under the column cursor."""
        source = self._grid.source
        return source.source_of(self._grid.cursor_key) if isinstance(source, ShownRows) else ""

    def on_descendant_focus(self) -> None:
        """The focused pane is marked."""
        self.query_one("#details-head", HeadLine).set_focused(self.details_have_keys)

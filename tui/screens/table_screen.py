"""A screen around one table: the grid, the details pane, and every view step with undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from textual import on, work
from textual.containers import Container
from textual.widget import Widget

from tui.errors import BadExpression
from tui.i18n import _, ngettext
from tui.messages import TableChanged
from tui.model.columns import cell_text
from tui.model.filter import filter_mask
from tui.model.find import find_rows
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.order import parse_sort
from tui.model.table import NumberColumn, Table
from tui.model.view import Shown, View, apply_view, drilled, sorted_by
from tui.screens.column_pane import column_pane
from tui.screens.frame import Frame
from tui.screens.history import History
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, ShownRows, Words
from tui.screens.states import no_match_lines, no_table_lines, rate_text, waiting_lines
from tui.screens.views import excluding, grouped_by, is_narrowed, keeping
from tui.units import number_text
from widgets.columns import ColumnState
from widgets.grid import DataGrid
from widgets.lines import LinesPane
from widgets.norows import NoRows
from widgets.panes import HeadLine, PaneEdge
from widgets.pieces import Piece

DETAILS_BESIDE_FROM = 120
"""Width from which the details stand at the right."""
TALL_FROM = 34
"""Height from which the details below the grid get more lines."""
FRAME_LINES = 4
MEASURES = ("task_duration_us", "total_us", "time_us", "total_time_us")
"""Columns that rows are compared by, first hit wins."""
NO_HITS = np.zeros(0, np.intp)
INLINE_ROWS = 60_000
"""Longer tables are filtered and sorted in a thread, so that keys are never waited for."""


class Step(NamedTuple):
    """One step of the view history."""

    view: View
    columns: ColumnState
    row: int


@dataclass(frozen=True)
class Applied:
    """A view and what it shows."""

    view: View
    shown: Shown


class TableScreen(Frame):
    """Base of the screens that show one table."""

    KIND: ClassVar[str] = ""
    """Canonical kind of the table."""
    FOOTER: ClassVar[tuple[str, ...]] = (
        "open_item", "sort_desc", "filter", "find", "choose", "details", "aggregate", "undo", "focus", "copy", "export",
    )  # fmt: skip
    DETAILS_LINES: ClassVar[int] = 6

    def __init__(self) -> None:
        super().__init__()
        self._history: History[Step] = History(Step(View(), ColumnState(), 0))
        self._table: Table | None = None
        self._applied: Applied | None = None
        self._change: TableChanged | None = None
        self._hits: NDArray[np.intp] = NO_HITS
        self._pattern = ""
        self._details_on = True
        self._maximised = False
        self._spread_of = ""
        """Key of the number column whose distribution the details show, or empty."""
        self._reference: tuple[str, float] | None = None
        """Name and value of the row that others are compared with."""

    # ── what subclasses say ──────────────────────────────────────────────────────────────────────────────────────────

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

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────────────────────

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
        else:
            self._grid.set_empty_lines(waiting_lines([_(self.NAME)]))

    @property
    def _grid(self) -> DataGrid:
        return self.query_one("#grid", DataGrid)

    @property
    def _lines(self) -> LinesPane:
        return self.query_one("#details-lines", LinesPane)

    def after_resize(self) -> None:
        """The details move to the right from 120 columns."""
        self._arrange()
        if self._applied is not None:
            self._show_rows(self._applied, keep=self._grid.cursor_row)

    def beside(self, shown: Shown | None) -> bool:
        """Whether the details stand at the right where the terminal is wide enough."""
        return True

    def _arrange(self) -> None:
        """Places grid and details for the size of the terminal."""
        shown = self._applied.shown if self._applied is not None else None
        beside = self.size.width >= DETAILS_BESIDE_FROM and self.beside(shown)
        panes, details, edge, grid = (self.query_one(name) for name in ("#panes", "#details", "#edge", "#grid"))
        panes.set_class(beside, "beside")
        panes.set_class(not beside, "below")
        focused_details = self.focused is self._lines
        details.display = self._details_on and not (self._maximised and not focused_details)
        grid.display = not (self._maximised and focused_details)
        edge.display = beside and details.display and grid.display
        room = self.size.height - FRAME_LINES - self._details_lines() - 1
        short = shown is not None and len(shown.rows) + 2 <= room
        fills = beside or not grid.display
        details.styles.width = "1fr" if not beside or not grid.display else max(40, min(self.size.width // 4 + 4, 56))
        details.styles.height = "1fr" if fills or short else self._details_lines() + 1
        grid.styles.height = "auto" if short and not beside and details.display else "1fr"

    def _details_lines(self) -> int:
        """Lines of the details below the grid: more where the terminal is tall."""
        return self.DETAILS_LINES if self.size.height < TALL_FROM else self.size.height * 2 // 5

    # ── data ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def session_closed(self) -> None:
        """Another profile comes; the rows of the old one go."""
        self._table = self._applied = self._change = None
        self._history = History(Step(View(), ColumnState(), 0))
        self._grid.set_source(NoRows())
        self._grid.set_empty_lines(waiting_lines([_(self.NAME)]))
        self._lines.set_lines([])

    def table_changed(self, change: TableChanged) -> None:
        """Rows arrived."""
        if change.kind != self.KIND:
            return
        is_first = self._table is None
        self._change = change
        self._table = change.table
        if change.table is None:
            self._grid.set_empty_lines(no_table_lines(change))
            self.query_one("#details").display = False
            return
        if is_first and self._history.current.view == View():
            self._history.replace(Step(self.first_view(change.table), ColumnState(), 0))
        self._apply(self._history.current.view, keep=self._grid.cursor_row)

    def settings_changed(self) -> None:
        """Other units or bands: the same rows, written anew."""
        if self._applied is not None:
            self._show_rows(self._applied, keep=self._grid.cursor_row)

    def words(self) -> Words:
        """How numbers are written now."""
        glyphs = self.app.glyphs
        session = self.app.session
        span = session.span() if session is not None and session.is_scanned else None
        return Words(
            glyphs=glyphs.name,  # type: ignore[arg-type]
            units=self.app.time_choice,
            band_mid=glyphs.band_mid,
            band_high=glyphs.band_high,
            bands=self.app.bands,
            origin_ns=span.start_ns if span is not None else None,
        )

    def _apply(self, view: View, keep: int = 0) -> None:
        table = self._table
        if table is None:
            return
        if table.row_count <= INLINE_ROWS:
            self._applied_now(table, view, keep)
        else:
            self._apply_in_thread(table, view, keep)

    def _applied_now(self, table: Table, view: View, keep: int) -> None:
        try:
            self._show_rows(Applied(view, apply_view(table, view)), keep)
        except BadExpression as error:
            self.app.tell(error.message)

    @work(thread=True, exclusive=True, group="view", exit_on_error=False)
    def _apply_in_thread(self, table: Table, view: View, keep: int) -> None:
        try:
            applied = Applied(view, apply_view(table, view))
        except BadExpression as error:
            self.app.call_from_thread(self.app.tell, error.message)
            return
        self.app.call_from_thread(self._show_rows, applied, keep)

    def _show_rows(self, applied: Applied, keep: int) -> None:
        """Gives the grid its rows. Must run in the UI thread."""
        table, shown = self._table, applied.shown
        if table is None or not self.is_attached:
            return
        self._applied = applied
        self._hits = NO_HITS
        source = ShownRows(
            table, shown, self.plans(table, shown, self.words()), applied.view, has_sum=self.has_sum(shown)
        )
        grid = self._grid
        grid.column_state = self._column_state(shown, source)
        grid.set_source(source, keep_cursor=max(keep, 0))
        if not len(shown.rows):
            grid.set_empty_lines(no_match_lines(applied.view.filter or _("this"), shown.total_rows))
        self._arrange()
        self._show_details()
        self.show_frame()

    def _column_state(self, shown: Shown, source: ShownRows) -> ColumnState:
        """The user's columns; at first the default ones, the others of the file hidden."""
        state = self._history.current.columns
        if state == ColumnState() and shown.groups is None:
            state = self._remembered_columns()
        if state.order or state.hidden:
            return state
        keys = set(self.default_keys(shown))
        return replace(
            state,
            hidden=tuple(column.key for column in source.columns if column.kind != "mark" and column.key not in keys),
        )

    def _remember_columns(self) -> None:
        """Order, widths and choice of columns come back with the next table of this kind."""
        if self._applied is None or self._applied.shown.groups is not None:
            return
        state = self._grid.column_state
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
        table, applied, row = self._table, self._applied, self._grid.cursor_row
        details = self.query_one("#details")
        if table is None or applied is None or not details.display:
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
            pane = self.pane(table, applied.shown, row, room)
        self.query_one("#details-head", HeadLine).set_content(pane.title, pane.facts)
        self._lines.set_lines(pane.lines)

    @on(DataGrid.RowHighlighted)
    def _row_highlighted(self, event: DataGrid.RowHighlighted) -> None:
        event.stop()
        self._show_details()
        self.show_status()

    @on(DataGrid.RowOpened)
    def _row_opened(self, event: DataGrid.RowOpened) -> None:
        event.stop()
        self.opened(event.row)

    @on(DataGrid.HeaderClicked)
    def _header_clicked(self, event: DataGrid.HeaderClicked) -> None:
        event.stop()
        self._grid.move_to_column(event.key)
        marks = self._grid.source.sort_marks()
        self._sort(descending=not marks.get(event.key, (0, False))[1])

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

    def on_descendant_focus(self) -> None:
        """The focused pane is marked."""
        self.query_one("#details-head", HeadLine).set_focused(self.focused is self._lines)

    # ── frame lines ──────────────────────────────────────────────────────────────────────────────────────────────────

    def steps(self) -> Sequence[Piece]:
        """Steps of the view, then its order."""
        view = self._history.current.view
        return [Piece(text) for text in (*self.crumbs(view), *self._order_text())]

    def _order_text(self) -> Sequence[str]:
        source = self._grid.source
        marks = source.sort_marks()
        first = next((key for key, (rank, _descending) in marks.items() if rank == 1), "")
        title = next((column.title for column in source.columns if column.key == first), "")
        if not title:
            return ()
        glyphs = self.app.glyphs
        name = title.rsplit(" ", 1)[0] if " " in title else title
        return (f"{name} {glyphs.descending if marks[first][1] else glyphs.ascending}",)

    def title_right(self) -> Sequence[Piece] | str:
        """Rows, or rows of all when the view is narrowed; a chip while the table is partial."""
        applied, change = self._applied, self._change
        if applied is None or change is None:
            return ""
        pieces: list[Piece] = []
        if self._is_partial():
            share = change.loading.fraction if change.loading is not None else self._read_share()
            pieces += [
                Piece(" " + _("partial {share} %").format(share=f"{share * 100:.0f}") + " ", "on_mid"),
                Piece(" "),
            ]
        view = applied.view
        if is_narrowed(view):
            of = f"{number_text(len(applied.shown.base_rows), 0)}/{number_text(applied.shown.total_rows, 0)}"
            pieces += [Piece(view.filter, "bright"), Piece("  " if view.filter else ""), Piece(of)]
        else:
            pieces.append(Piece(self.count_text(applied.shown)))
        return pieces

    def _is_partial(self) -> bool:
        change = self._change
        return change is not None and change.table is not None and not change.table.complete

    def _read_share(self) -> float:
        """Share of the file that a cancelled load had read."""
        return self._last_share

    _last_share = 0.0

    def status_left(self) -> Sequence[Piece] | str:
        """Progress while loading, else where the rows come from."""
        change, table = self._change, self._table
        if change is not None and change.loading is not None:
            self._last_share = change.loading.fraction
            return [Piece(rate_text(change.loading), "text")]
        if table is None:
            return ""
        if table.note:
            return table.note
        names = list(dict.fromkeys(Path(part.path).name for part in table.parts))
        more = (
            ngettext("and {n} more file", "and {n} more files", len(names) - 1).format(n=len(names) - 1)
            if len(names) > 1
            else ""
        )
        return f"{names[0]} {more}".rstrip() if names else ""

    def status_right(self) -> Sequence[Piece] | str:
        """Row of rows, and what the selection or the column adds up to."""
        applied = self._applied
        if applied is None or not len(applied.shown.rows):
            return ""
        grid = self._grid
        place = f"{number_text(grid.cursor_row + 1, 0)}/{number_text(len(applied.shown.rows), 0)}"
        selected = len(grid.selection)
        chosen = (
            ngettext("{n} row selected", "{n} rows selected", selected).format(n=number_text(selected, 0))
            if selected
            else ""
        )
        hits = _("hit {n} of {all}").format(n=self._hit_number(), all=len(self._hits)) if len(self._hits) else ""
        extra = self._difference_text() or self.position_text(applied.shown, grid.cursor_row)
        dot = f" {self.app.glyphs.dot} "
        return dot.join(text for text in (hits, chosen, place, extra) if text)

    def _value_here(self) -> float:
        """The measured time of the row under the cursor, in the unit of its column; NaN where there is none."""
        applied, row = self._applied, self._grid.cursor_row
        key = next((key for key in MEASURES if applied is not None and applied.shown.table.number(key) is not None), "")
        values = applied.shown.table.number(key) if applied is not None and key else None
        return float("nan") if applied is None or values is None or row < 0 else float(values[applied.shown.rows[row]])

    def _difference_text(self) -> str:
        """How the row differs from the reference row, in µs and percent."""
        if self._reference is None:
            return ""
        name, base = self._reference
        delta = self._value_here() - base
        if delta != delta:
            return ""
        share = f" ({delta / base * 100:+.1f} %)" if base else ""
        unit = "us" if self.app.glyphs.name == "ascii" else "µs"
        sign = "+" if delta > 0 else ""
        return _("{delta} {unit}{share} to {name}").format(
            delta=sign + number_text(delta, 3), unit=unit, share=share, name=name
        )

    def position_text(self, shown: Shown, position: int) -> str:
        """What the row is of the whole: `3 170.625 of 112 950 µs`."""
        return ""

    # ── steps ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _push(self, view: View, columns: ColumnState | None = None) -> None:
        """One more step of the history."""
        current = self._history.current
        self._history.replace(current._replace(row=max(self._grid.cursor_row, 0)))
        self._history.push(Step(view, current.columns if columns is None else columns, 0))

    def go_to_view(self, view: View, columns: ColumnState | None = None) -> None:
        """Shows another view and remembers the step."""
        if view == self._history.current.view and columns is None:
            return
        self._push(view, columns)
        self._apply(view)

    @property
    def view(self) -> View:
        """The view shown."""
        return self._history.current.view

    def _restore(self, step: Step) -> None:
        self._apply(step.view, keep=step.row)

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

    # ── actions: moving ──────────────────────────────────────────────────────────────────────────────────────────────

    def _forward(self, name: str) -> None:
        """Lets the focused pane do it, if it can."""
        pane = self.focused if isinstance(self.focused, (DataGrid, LinesPane)) else self._grid
        getattr(pane, f"action_{name}", lambda: None)()

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

    # ── actions: looking ─────────────────────────────────────────────────────────────────────────────────────────────

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

    def do_redo(self) -> None:
        """The undone step again."""
        if self._history.can_redo:
            self._restore(self._history.redo())

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
            applied = self._applied
            places = np.flatnonzero(applied.shown.rows == row)
        if len(places):
            self._grid.move_to(int(places[0]))

    def do_units(self) -> None:
        """The next unit of times."""
        choices = ("auto", "ns", "us", "ms")
        self.app.units = choices[(choices.index(self.app.time_choice) + 1) % len(choices)]
        self.app.tell(_("times in {unit}").format(unit=self.app.units))
        self.app.settings_changed()

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
        """Steps back and forth only where there are some."""
        if name == "undo":
            return self._history.can_undo
        if name == "redo":
            return self._history.can_redo
        if name in ("find_next", "find_prev"):
            return bool(len(self._hits))
        if name == "unhide":
            return bool(self.view.exclude)
        return super().can(name)

    # ── actions: narrowing ───────────────────────────────────────────────────────────────────────────────────────────

    def source_key(self) -> str:
        """Key of the table column under the column cursor."""
        source = self._grid.source
        return source.source_of(self._grid.cursor_key) if isinstance(source, ShownRows) else ""

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

    # ── actions: finding ─────────────────────────────────────────────────────────────────────────────────────────────

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

    def _hit_number(self) -> int:
        return int(np.searchsorted(self._hits, self._grid.cursor_row, side="right"))

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

    # ── actions: columns ─────────────────────────────────────────────────────────────────────────────────────────────

    def _sort(self, descending: bool) -> None:
        key = self.source_key()
        if key:
            self.go_to_view(sorted_by(self.view, key, descending))

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

    # ── actions: taking ──────────────────────────────────────────────────────────────────────────────────────────────

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
        from tui.screens.taking import copy_as

        copy_as(self)

    def do_export(self) -> None:
        """Asks for a file."""
        self.ask(_("export to") + " ", f"{self.KIND}.csv", (), accept=self.command_export, note=".csv .tsv .md .json")

    @property
    def applied(self) -> Applied | None:
        """The rows shown and their view."""
        return self._applied

    @property
    def grid(self) -> DataGrid:
        """The grid."""
        return self._grid

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

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

    def command_goto(self, text: str) -> str:
        """Goes to a row; returns why it cannot, or empty."""
        number = text.strip().lstrip("#").replace(" ", "")
        if number.isdigit():
            self._grid.move_to(int(number) - 1)
            return ""
        problem = self._find(text.strip(), 0)
        return problem or ("" if len(self._hits) else _("no row holds {text}").format(text=text))

    def command_cols(self, text: str) -> str:
        """Shows and hides columns; returns what is wrong, or empty."""
        from tui.screens.column_choice import changed_columns

        return changed_columns(self._grid, text)

    def command_export(self, text: str) -> str:
        """Writes the view to a file; returns why it cannot, or empty."""
        from tui.screens.taking import export_view

        return export_view(self, text)

    def command_copy_command(self, _rest: str) -> str:
        """Copies the shell command that prints this view."""
        from tui.screens.taking import shell_command

        self.app.copy_text(shell_command(self), _("command"))
        return ""


def _first_rows(table: Table) -> Table:
    """The head of a long table, to check an expression without reading all rows."""
    from tui.model.table import NumberColumn, TextColumn, TimeColumn

    columns = tuple(
        TextColumn(column.info, column.codes[:1], column.strings) if isinstance(column, TextColumn)
        else NumberColumn(column.info, column.values[:1]) if isinstance(column, NumberColumn)
        else TimeColumn(column.info, column.values[:1])
        for column in table.columns
    )  # fmt: skip
    return Table(table.kind, columns)

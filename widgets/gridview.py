"""How a grid of any length is painted: only the cells in view are asked for. Keys and mouse are in `grid`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from widgets.arrangement import Arrangement
from widgets.columns import ColumnState, Slot
from widgets.norows import NoRows
from widgets.pieces import Line
from widgets.protocols import Cell, TableSource
from widgets.roles import Painted
from widgets.rows import RowState, paint_heading, paint_row, paint_sum
from widgets.selection import RowSelection
from widgets.window import Window

HEADING_LINES = 1


class GridView(Painted, can_focus=True):
    """Rows of a `TableSource` with a row and a column cursor, selection, and columns that the user arranges.

    Changes are collected until all waiting keys are handled, then painted once and told once.
    """

    DEFAULT_CSS: ClassVar[str] = """
    GridView { height: 1fr; width: 1fr; }
    """

    class GridMessage(Message, namespace="data_grid"):
        """Something that a grid tells its screen."""

        def __init__(self, grid: GridView) -> None:
            super().__init__()
            self.grid = grid

        @property
        def control(self) -> GridView:
            """The grid."""
            return self.grid

    class RowMessage(GridMessage, namespace="data_grid"):
        """Something about one row."""

        def __init__(self, grid: GridView, row: int) -> None:
            super().__init__(grid)
            self.row = row

    class RowHighlighted(RowMessage, namespace="data_grid"):
        """The cursor came to rest on another row, or the source changed; -1 when there are no rows."""

        def can_replace(self, message: Message) -> bool:
            """A newer one makes the older one needless."""
            return isinstance(message, GridView.RowHighlighted) and message.grid is self.grid

    class RowOpened(RowMessage, namespace="data_grid"):
        """Enter or a double click on a row."""

    class HeaderClicked(GridMessage, namespace="data_grid"):
        """A click on a heading."""

        def __init__(self, grid: GridView, key: str) -> None:
            super().__init__(grid)
            self.key = key

    class SelectionChanged(GridMessage, namespace="data_grid"):
        """Rows were selected or deselected."""

    class ColumnsChanged(GridMessage, namespace="data_grid"):
        """The user moved, resized, hid, showed or froze columns, or the column cursor moved."""

        def __init__(self, grid: GridView, arranged: bool) -> None:
            super().__init__(grid)
            self.arranged = arranged
            """False when only the column cursor moved."""

    def __init__(
        self,
        source: TableSource | None = None,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._source: TableSource = source or NoRows()
        self._arrangement = Arrangement()
        self._arrangement.set_columns(self._source.columns)
        self._window = Window()
        self._selection = RowSelection()
        self._range_from = -1
        self._empty_lines: Sequence[Line] = ()
        self._slots: list[Slot] | None = None
        self._block: tuple[tuple[int, int], Sequence[Sequence[Cell]]] | None = None
        self._summary: Sequence[Cell] | None = None
        self._painted_cursor = 0
        self._dirty_rows: set[int] = set()
        self._dirty_parts: set[Literal["all", "body", "heading"]] = set()
        self._flush_waits = False
        self._told_row: int | None = None

    # What is shown

    @property
    def source(self) -> TableSource:
        """The rows shown."""
        return self._source

    def set_source(self, source: TableSource, keep_cursor: bool | int = False) -> None:
        """Shows other rows.

        `keep_cursor`: False starts at the top, True stays on the row number, a number goes to that row.
        The selection is lost, since row numbers mean other rows now.
        """
        lines_before = self._lines_wanted()
        self._source = source
        self._arrangement.set_columns(source.columns)
        self._selection.clear()
        self._range_from = -1
        if keep_cursor is False:
            self._window = Window(height=self._window.height)
        elif keep_cursor is not True:
            self._window.rows = source.row_count
            self._window.move(keep_cursor)
        self._told_row = None
        self._rearranged(lines_before)

    def source_grew(self) -> None:
        """Rows were appended to the source; cursor and view stay. Paints nothing if nothing in view changes."""
        before, lines_before = self._window.rows, self._lines_wanted()
        rows, thumb = self._source.row_count, self._window.thumb()
        if rows == before:
            return
        was_full = before > self._window.height and self._summary is None
        self._window.fit_to(rows, self._window.height)
        if not before:
            self._told_row = None
        if not was_full or self._window.thumb() != thumb:
            self._rearranged(lines_before)

    def set_empty_lines(self, lines: Sequence[Line]) -> None:
        """Lines shown in place of rows while there are none."""
        self._empty_lines = lines
        if not self._source.row_count:
            self._rearranged()

    # Cursor and selection

    @property
    def cursor_row(self) -> int:
        """Row under the cursor; -1 when there are no rows."""
        return self._window.cursor if self._source.row_count else -1

    @property
    def cursor_key(self) -> str:
        """Key of the column under the column cursor; empty without columns."""
        return self._arrangement.cursor_key

    @property
    def top_row(self) -> int:
        """First row in view."""
        return self._window.top

    @property
    def selection(self) -> RowSelection:
        """A copy of the selected rows, with the range that is being marked."""
        selected = RowSelection()
        for first, last in [*self._selection.ranges, *self._open_range()]:
            selected.add(first, last)
        return selected

    def move_to(self, row: int) -> None:
        """Puts the cursor on a row and brings it into view."""
        self._move(lambda: self._window.move(row))

    def move_to_column(self, key: str) -> None:
        """Puts the column cursor on a shown column."""
        if key in self.visible_keys:
            self._move_column(self.visible_keys.index(key))

    def clear_selection(self) -> bool:
        """Deselects all rows and gives up a range begun; False if there was nothing to do."""
        if not self._selection.ranges and self._range_from < 0:
            return False
        self._selection.clear()
        self._range_from = -1
        self._selected()
        return True

    # Columns

    @property
    def visible_keys(self) -> tuple[str, ...]:
        """Keys of the columns that are not hidden, in the order shown, marks left out."""
        return self._arrangement.keys

    @property
    def column_state(self) -> ColumnState:
        """Order, widths, hidden and frozen columns."""
        return self._arrangement.state

    @column_state.setter
    def column_state(self, state: ColumnState) -> None:
        self._arrangement.set_state(state)
        self._rearranged()

    def show_columns(self, keys: Sequence[str]) -> None:
        """Shows exactly these columns, in this order; marks stay."""
        self._arrangement.show_only(keys)
        self._arranged()

    # Painting

    def render_line(self, y: int) -> Strip:
        """One line of the grid, by Textual's line API."""
        width, look = self.size.width, self.look
        slots = self._laid_out()
        if y < HEADING_LINES:
            return paint_heading(look, slots, self._source.sort_marks(), width, self._cursor_slot(slots))
        row = self._window.top + y - HEADING_LINES
        if row < self._window.end:
            return self._row_strip(row, slots, width)
        if row == self._window.end and self._summary is not None:
            return paint_sum(look, slots, self._summary, width)
        line = y - HEADING_LINES
        if not self._source.row_count and line < len(self._empty_lines):
            return look.strip(self._empty_lines[line], width)
        return look.strip((), width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Lines that all rows take, with heading and sum row, for `height: auto`."""
        return self._lines_wanted()

    def _row_strip(self, row: int, slots: Sequence[Slot], width: int) -> Strip:
        cursor = row == self._window.cursor
        if cursor:
            self._painted_cursor = row
        state = RowState(
            cursor=cursor,
            focused=self.has_focus,
            selected=row in self._selection or any(first <= row < last for first, last in self._open_range()),
            role=self._source.row_role(row),
            edge=self._edge(row - self._window.top),
            cell=self._cursor_slot(slots) if cursor else -1,
            bold=self._bold_slots(slots) if cursor else (),
        )
        return paint_row(self.look, slots, self._cells(row), width, state)

    def _edge(self, line: int) -> tuple[str, str]:
        start, end = self._window.thumb()
        if not end:
            return " ", ""
        glyphs = self.look.glyphs
        return (glyphs.thumb, "thumb") if start <= line < end else (glyphs.track, "edge")

    def _cells(self, row: int) -> Sequence[Cell]:
        span = (self._window.top, self._window.end)
        if self._block is None or self._block[0] != span:
            self._block = (span, self._source.block(*span, [slot.source_index for slot in self._laid_out()]))
        return self._block[1][row - span[0]]

    def _cursor_slot(self, slots: Sequence[Slot]) -> int:
        """Slot of the column cursor; -1 while it rests on the first column, which needs no mark."""
        if self._arrangement.cursor == 0:
            return -1
        key = self.cursor_key
        return next((at for at, slot in enumerate(slots) if slot.column.key == key), -1)

    def _bold_slots(self, slots: Sequence[Slot]) -> tuple[int, ...]:
        """The name and the sorted columns."""
        sorts = self._source.sort_marks()
        name = next((at for at, slot in enumerate(slots) if slot.column.kind == "text"), -1)
        return tuple(at for at, slot in enumerate(slots) if at == name or slot.column.key in sorts)

    def _laid_out(self) -> list[Slot]:
        if self._slots is None:
            self._slots = self._arrangement.lay_out(self._source.sort_marks(), self.size.width)
            columns = [slot.source_index for slot in self._slots]
            self._summary = self._source.summary(columns) if self._source.row_count else None
            self._block = None
            height = self.size.height - HEADING_LINES - (self._summary is not None)
            self._window.fit_to(self._source.row_count, height)
        return self._slots

    def _lines_wanted(self) -> int:
        rows = self._source.row_count
        if not rows:
            return HEADING_LINES + len(self._empty_lines)
        return HEADING_LINES + rows + (self._source.summary(()) is not None)

    # Collecting changes

    def _flush_later(self) -> None:
        """Paints and tells after the keys that are already waiting."""
        if not self._flush_waits and self.is_mounted:
            self._flush_waits = True
            self.call_later(self._flush)

    def _flush(self) -> None:
        self._flush_waits = False
        self._laid_out()
        self._refresh_dirty()
        if self.cursor_row != self._told_row:
            self._told_row = self.cursor_row
            self.post_message(self.RowHighlighted(self, self.cursor_row))

    def _refresh_dirty(self) -> None:
        """Asks Textual to repaint what changed, as few lines as possible."""
        rows, self._dirty_rows = self._dirty_rows, set()
        parts, self._dirty_parts = self._dirty_parts, set()
        if "all" in parts:
            self.refresh()
            return
        if self._painted_cursor != self._window.cursor:
            rows |= {self._painted_cursor, self._window.cursor}
        lines = {row - self._window.top + HEADING_LINES for row in rows if self._window.top <= row < self._window.end}
        if "body" in parts:
            lines = set(range(HEADING_LINES, HEADING_LINES + self._window.height))
        if "heading" in parts:
            lines.update(range(HEADING_LINES))
        if lines:
            self.refresh(*(Region(0, line, self.size.width, 1) for line in sorted(lines)))

    def _rearranged(self, lines_before: int | None = None) -> None:
        """Columns, rows or size changed: everything is laid out and painted anew."""
        self._slots = None
        self._dirty_parts.add("all")
        self._flush_later()
        if lines_before not in (None, self._lines_wanted()) and self.is_mounted and self.styles.is_auto_height:
            self.refresh(layout=True)

    def _move(self, step: Callable[[], None]) -> None:
        """Moves the cursor or the view, and marks what must be painted."""
        self._laid_out()
        before, top = self._window.cursor, self._window.top
        step()
        after = self._window.cursor
        if self._window.top != top:
            self._dirty_parts.add("body")
        if after != before and self._range_from >= 0:
            self._dirty_rows.update(range(max(min(before, after), top), min(max(before, after) + 1, self._window.end)))
            self.post_message(self.SelectionChanged(self))
        if self._window.top != top or after != before:
            self._flush_later()

    def _move_column(self, position: int) -> None:
        before = self._laid_out()
        if not self._arrangement.move_cursor(position):
            return
        if self._arrangement.lay_out(self._source.sort_marks(), self.size.width) == before:
            self._dirty_parts.add("heading")
            self._dirty_rows.add(self._window.cursor)
            self._flush_later()
        else:
            self._rearranged()
        self.post_message(self.ColumnsChanged(self, arranged=False))

    def _arranged(self) -> None:
        self._rearranged()
        self.post_message(self.ColumnsChanged(self, arranged=True))

    def _open_range(self) -> list[tuple[int, int]]:
        """The range that is being marked, if one is."""
        if self._range_from < 0:
            return []
        ends = sorted((self._range_from, self._window.cursor))
        return [(ends[0], ends[1] + 1)]

    def _selected(self) -> None:
        self._dirty_parts.add("body")
        self._flush_later()
        self.post_message(self.SelectionChanged(self))

    # Events

    def on_mount(self) -> None:
        """Tells the first row."""
        self._flush_later()

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        self._rearranged()

"""The user's arrangement of a grid's columns, with the column cursor and the sideways scroll. No painting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from widgets.columns import (
    EDGE_CELLS,
    MARGIN_CELLS,
    MAX_WIDTH_CELLS,
    MIN_WIDTH_CELLS,
    ColumnState,
    Slot,
    grown,
    marks_count,
    ordered,
    place,
    shrunk,
    wanted_widths,
)
from widgets.protocols import GridColumn


class Arrangement:
    """Which columns stand where. Positions count the shown columns without marks."""

    def __init__(self) -> None:
        self.columns: Sequence[GridColumn] = ()
        self.state = ColumnState()
        self.cursor = 0
        """Position of the column cursor."""
        self._left = 0
        """Position of the first column after the frozen ones, when scrolled sideways."""

    @property
    def shown(self) -> list[tuple[int, GridColumn]]:
        """Shown columns with their index in the source, marks first."""
        return ordered(self.columns, self.state)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the shown columns, marks left out."""
        return tuple(column.key for _index, column in self.shown if column.kind != "mark")

    @property
    def cursor_key(self) -> str:
        """Key under the column cursor; empty without columns."""
        keys = self.keys
        return keys[min(self.cursor, len(keys) - 1)] if keys else ""

    def set_columns(self, columns: Sequence[GridColumn]) -> None:
        """Takes the columns of another source; the cursor stays on its key if that is still shown."""
        key = self.cursor_key
        self.columns = columns
        keys = self.keys
        self.cursor = keys.index(key) if key in keys else 0
        self._left = min(self._left, self.cursor)

    def set_state(self, state: ColumnState) -> None:
        """Takes another arrangement; the cursor stays on its column."""
        key = self.cursor_key
        self.state = state
        keys = self.keys
        self.cursor = keys.index(key) if key in keys else min(self.cursor, max(len(keys) - 1, 0))

    def move_cursor(self, position: int) -> bool:
        """Puts the column cursor on a position; False if it stood there."""
        position = max(0, min(position, len(self.keys) - 1))
        changed = position != self.cursor
        self.cursor = position
        return changed

    def show_only(self, keys: Sequence[str]) -> None:
        """Shows exactly these columns in this order; marks stay."""
        hidden = (column.key for column in self.columns if column.kind != "mark" and column.key not in keys)
        self.set_state(replace(self.state, order=tuple(keys), hidden=tuple(hidden)))

    def hide_current(self) -> bool:
        """Hides the column under the cursor, unless it is the last one."""
        if len(self.keys) < 2:
            return False
        self.set_state(replace(self.state, hidden=(*self.state.hidden, self.cursor_key)))
        return True

    def shift_current(self, step: int) -> bool:
        """Moves the column under the cursor sideways among the shown ones."""
        keys = list(self.keys)
        target = self.cursor + step
        if not 0 <= target < len(keys):
            return False
        keys.insert(target, keys.pop(self.cursor))
        self.set_state(replace(self.state, order=tuple(keys)))
        return True

    def resize(self, key: str, width_cells: int) -> bool:
        """Sets the width of a column."""
        width_cells = max(MIN_WIDTH_CELLS, min(width_cells, MAX_WIDTH_CELLS))
        if self.state.widths.get(key) == width_cells:
            return False
        self.set_state(replace(self.state, widths={**self.state.widths, key: width_cells}))
        return True

    def freeze_here(self) -> None:
        """Freezes the columns up to the cursor; once more on the same column releases all of them."""
        frozen = self.cursor + 1
        self.set_state(replace(self.state, frozen=0 if self.state.frozen == frozen else frozen))

    def lay_out(self, sorts: Mapping[str, tuple[int, bool]], width_cells: int) -> list[Slot]:
        """The columns on a line of that width; scrolls sideways by whole columns until the cursor's column is on it."""
        shown = self.shown
        marks = marks_count(shown)
        room = width_cells - MARGIN_CELLS - EDGE_CELLS
        widths = wanted_widths(shown, self.state, sorts)
        widths = grown(shown, shrunk(shown, widths, self.state, room), self.state, room)
        fixed = min(marks + self.state.frozen, len(shown))
        target = marks + self.cursor
        self._left = max(0, min(self._left, self.cursor))
        while True:
            slots = place(shown, widths, fixed, marks + self._left, width_cells)
            last = max(marks + self._left, fixed) + len(slots) - fixed - 1
            if target < fixed or target <= last or marks + self._left >= target:
                return slots
            self._left += 1

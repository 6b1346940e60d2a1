"""Which columns a grid shows, in what order, how wide, and where they stand on the line. No painting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from widgets.protocols import GridColumn
from widgets.text import cells

GAP_CELLS = 2
"""Between columns."""
MARGIN_CELLS = 2
"""Left of the first column: the cursor mark and the mark of selected rows."""
EDGE_CELLS = 1
"""Right of the last column: the scroll mark."""
MIN_WIDTH_CELLS = 3
MIN_CUT_CELLS = 6
"""A text column with less room than this is not begun."""
MAX_WIDTH_CELLS = 400


class Slot(NamedTuple):
    """A column on the line."""

    source_index: int
    """Of the column among the source's."""
    column: GridColumn
    x: int
    width: int

    @property
    def end(self) -> int:
        """One past its last cell."""
        return self.x + self.width


@dataclass(frozen=True)
class ColumnState:
    """What the user changed, by column key: to be remembered, and restored by undo."""

    order: tuple[str, ...] = ()
    """Keys from left to right; columns not named follow in the order of the source."""
    widths: Mapping[str, int] = field(default_factory=dict)
    """Only those that the user set."""
    hidden: tuple[str, ...] = ()
    frozen: int = 1
    """Columns that stay when the rest scrolls sideways, marks not counted."""


def ordered(columns: Sequence[GridColumn], state: ColumnState) -> list[tuple[int, GridColumn]]:
    """Visible columns with their index in the source: marks first, then the user's order, then the others."""
    rank = {key: position for position, key in enumerate(state.order)}
    visible = [(index, column) for index, column in enumerate(columns) if column.key not in state.hidden]
    return sorted(visible, key=lambda item: (item[1].kind != "mark", rank.get(item[1].key, len(rank))))


def marks_count(shown: Sequence[tuple[int, GridColumn]]) -> int:
    """Number of leading mark columns."""
    return sum(column.kind == "mark" for _index, column in shown)


def wanted_widths(
    shown: Sequence[tuple[int, GridColumn]], state: ColumnState, sorts: Mapping[str, tuple[int, bool]]
) -> list[int]:
    """Cells that each column asks for: the user's width, or the source's with room for its heading and sort mark."""
    widths = []
    for _index, column in shown:
        mark = (2 if len(sorts) == 1 else 3) if column.key in sorts else 0
        heading = cells(column.title) + mark if column.title else 0
        default = 1 if column.kind == "mark" else max(column.width, heading)
        widths.append(state.widths.get(column.key, default))
    return widths


def grown(
    shown: Sequence[tuple[int, GridColumn]], widths: Sequence[int], state: ColumnState, room_cells: int
) -> list[int]:
    """Widths after the cells that are left over went to the growing columns, by their shares."""
    result = list(widths)
    left = room_cells - sum(widths) - GAP_CELLS * max(len(widths) - 1, 0)
    limits = [
        (column.max_width or MAX_WIDTH_CELLS) if column.grow and column.key not in state.widths else 0
        for _index, column in shown
    ]
    while left > 0:
        open_ = [at for at, limit in enumerate(limits) if result[at] < limit]
        shares = sum(shown[at][1].grow for at in open_)
        if not open_:
            break
        before = left
        for at in open_:
            more = min(before * shown[at][1].grow // shares or 1, limits[at] - result[at], left)
            result[at] += more
            left -= more
    return result


def place(
    shown: Sequence[tuple[int, GridColumn]], widths: Sequence[int], fixed: int, left: int, width_cells: int
) -> list[Slot]:
    """The columns that fit on the line: the first `fixed` ones, then those from position `left` on.

    A text column at the right end is cut to the room that is left; a number never is.
    """
    end = width_cells - EDGE_CELLS
    slots: list[Slot] = []
    x = MARGIN_CELLS
    for position in [*range(min(fixed, len(shown))), *range(max(left, fixed), len(shown))]:
        index, column = shown[position]
        width = min(widths[position], end - x)
        cut = width < widths[position]
        if cut and (width < MIN_CUT_CELLS or column.kind != "text" or column.cut == "never" or column.align == "right"):
            break
        slots.append(Slot(index, column, x, width))
        x += width + GAP_CELLS
    return slots


def shrunk(
    shown: Sequence[tuple[int, GridColumn]], widths: Sequence[int], state: ColumnState, room_cells: int
) -> list[int]:
    """Widths where growing names gave way so that all columns fit; unchanged if that takes more than a third of one."""
    result = list(widths)
    over = sum(widths) + GAP_CELLS * max(len(widths) - 1, 0) - room_cells
    for at, (_index, column) in enumerate(shown):
        if over > 0 and column.grow and column.cut == "middle" and column.key not in state.widths:
            less = max(0, min(over, result[at] // 3))
            result[at] -= less
            over -= less
    return result if over <= 0 else list(widths)

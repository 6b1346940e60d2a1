"""Paints the lines of a grid: heading, rows and sum, each as few style runs as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.strip import Strip

from widgets.bars import bar, change_bar, limited_bar, two_part_bar
from widgets.columns import EDGE_CELLS, GAP_CELLS, MARGIN_CELLS, Slot
from widgets.protocols import Cell
from widgets.roles import Look, Runs
from widgets.text import cells, fit

_EMPTY = Cell("")


@dataclass(frozen=True)
class RowState:
    """What decides how a row looks, besides its cells."""

    cursor: bool = False
    focused: bool = False
    selected: bool = False
    role: str = ""
    """Of the whole row."""
    edge: tuple[str, str] = (" ", "")
    """The scroll mark at its right end and its role."""
    cell: int = -1
    """Slot that the column cursor stands on, when it is to be shown."""
    bold: tuple[int, ...] = ()
    """Slots that answer the question: bold in the cursor row."""


def paint_row(look: Look, slots: Sequence[Slot], row: Sequence[Cell], width_cells: int, state: RowState) -> Strip:
    """One row of data. `row` has one cell per slot."""
    ground = ("cursor" if state.focused else "panel") if state.cursor else "base"
    runs = Runs(look, ground)
    _add_margin(look, runs, state)
    x = MARGIN_CELLS
    for position, slot in enumerate(slots):
        cell = row[position] if position < len(row) else _EMPTY
        runs.add(" " * (slot.x - x), "")
        role = cell.role or state.role or ("bar" if cell.fraction >= 0 else "text")
        if state.cursor and position in state.bold:
            role += " bold"
        runs.change_ground("cell" if position == state.cell else ground)
        _add_cell(look, runs, slot, cell, role)
        runs.change_ground(ground)
        x = slot.end
    runs.add(" " * (width_cells - EDGE_CELLS - x), "")
    runs.add(*state.edge)
    return Strip(runs.segments(), width_cells)


def _add_margin(look: Look, runs: Runs, state: RowState) -> None:
    """The cursor mark and the mark of selected rows."""
    if state.cursor:
        runs.add(look.glyphs.cursor, "focus" if state.focused else "faint")
    else:
        runs.add(" ", "")
    if state.selected:
        runs.add(look.glyphs.selected, "marked")
    else:
        runs.add(" ", "")


def _add_cell(look: Look, runs: Runs, slot: Slot, cell: Cell, role: str) -> None:
    """The text of a cell between its blanks: only the text needs its role."""
    if cell.change is not None:
        for piece in change_bar(*cell.change, slot.width, look.glyphs, look.palette.colours):
            runs.add(piece.text, piece.role)
        return
    if cell.fraction >= 0 and cell.rest >= 0:
        for piece in two_part_bar(cell.fraction, cell.rest, slot.width, look.glyphs, role, look.palette.colours):
            runs.add(piece.text, piece.role)
        return
    if cell.fraction >= 0 and cell.limit >= 0:
        for piece in limited_bar(cell.fraction, cell.limit, slot.width, look.glyphs, role):
            runs.add(piece.text, piece.role)
        return
    if cell.fraction >= 0:
        text = bar(cell.fraction, slot.width, look.glyphs)
    else:
        text = look.shown(cell.text)
        if cells(text) > slot.width:
            text = fit(text, slot.width, slot.column.align, slot.column.cut, look.glyphs.ellipsis)
    blanks = " " * (slot.width - cells(text))
    if slot.column.align == "right":
        runs.add(blanks, "")
        runs.add(text, role)
    else:
        runs.add(text, role)
        runs.add(blanks, "")


def paint_heading(
    look: Look, slots: Sequence[Slot], sorts: Mapping[str, tuple[int, bool]], width_cells: int, cursor: int
) -> Strip:
    """The heading line; sorted columns carry an arrow, the column of the cursor is underlined."""
    runs = Runs(look, "panel")
    x = 0
    for position, slot in enumerate(slots):
        runs.add(" " * (slot.x - x), "")
        _add_heading(look, runs, slot, sorts, position == cursor)
        x = slot.end
    runs.add(" " * (width_cells - x), "")
    return Strip(runs.segments(), width_cells)


def _add_heading(look: Look, runs: Runs, slot: Slot, sorts: Mapping[str, tuple[int, bool]], cursor: bool) -> None:
    title = "" if slot.column.kind == "mark" else look.shown(slot.column.title)
    mark = _sort_mark(look, slot.column.key, sorts)
    room = slot.width - (len(mark) + 1 if mark else 0)
    title = fit(title, room, cut="end", ellipsis=look.glyphs.ellipsis) if cells(title) > room else title
    blanks = " " * (room - cells(title))
    role = ("bright" if mark else "text" if cursor else "muted") + (" underline" if cursor else "")
    if slot.column.align == "right":
        parts = [(blanks, ""), (mark, "focus"), (" " if mark else "", ""), (title, role)]
    else:
        parts = [(title, role), (" " if mark else "", ""), (mark, "focus"), (blanks, "")]
    for text, part_role in parts:
        runs.add(text, part_role)


def _sort_mark(look: Look, key: str, sorts: Mapping[str, tuple[int, bool]]) -> str:
    if key not in sorts:
        return ""
    rank, descending = sorts[key]
    arrow = look.glyphs.descending if descending else look.glyphs.ascending
    return arrow if len(sorts) == 1 else f"{arrow}{rank}"


def paint_sum(look: Look, slots: Sequence[Slot], row: Sequence[Cell], width_cells: int) -> Strip:
    """The sum row; its first text may run over the empty cells to its right."""
    runs = Runs(look, "panel")
    x = 0
    for position, slot in enumerate(slots):
        cell = row[position] if position < len(row) else _EMPTY
        if slot.x < x:
            continue
        runs.add(" " * (slot.x - x), "")
        room = _room_for_sum(slots, row, position, width_cells)
        text = look.shown(cell.text)
        if slot.column.align == "right":
            text = fit(text, slot.width, "right", "end", look.glyphs.ellipsis)
        else:
            text = fit(text, max(slot.width, min(room, cells(text))), "left", "end", look.glyphs.ellipsis)
        runs.add(text, cell.role or ("muted" if slot.column.kind == "text" else "sum"))
        x = slot.x + cells(text)
    runs.add(" " * (width_cells - x), "")
    return Strip(runs.segments(), width_cells)


def _room_for_sum(slots: Sequence[Slot], row: Sequence[Cell], position: int, width_cells: int) -> int:
    """Cells from this slot to the next one that has a text."""
    for later in range(position + 1, len(slots)):
        if later < len(row) and row[later].text:
            blank = slots[later].width - cells(row[later].text) if slots[later].column.align == "right" else 0
            return slots[later].x + blank - slots[position].x - GAP_CELLS
    return width_cells - EDGE_CELLS - slots[position].x

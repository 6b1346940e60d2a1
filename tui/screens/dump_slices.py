"""Two-dimensional parts of a pair of tensors, over any axes; the cursor moves with h j k l."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import work

from tui.i18n import _
from tui.model.dump import CompareRequest, DumpComparison, PairRow
from tui.screens.dump_page import Looked, SliceView, beside, slice_columns, slice_lines
from tui.screens.dump_runs import messages_of
from tui.screens.dump_table import range_figure
from tui.screens.frame import Frame
from tui.screens.op_details import Room
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint
from widgets.lines import LinesPane
from widgets.pieces import Line, Piece, gap

if TYPE_CHECKING:
    from tui.dump.pair_view import SliceBlock

SIDE_BY_SIDE_FROM = 110
"""Width from which both sides stand beside each other."""


class TensorSlices(Frame):
    """The part of the screen of one pair that shows slices."""

    def __init__(self, comparison: DumpComparison, at: int, request: CompareRequest) -> None:
        super().__init__()
        self._looked = Looked(comparison, at)
        self._request = request
        self._view = "histogram"
        self._slice = SliceView((0, 0), ())
        self._block: SliceBlock | None = None
        self._asked: tuple[object, ...] = ()
        """Of the block that is on its way."""

    @property
    def row(self) -> PairRow:
        """The pair shown."""
        return self._looked.row

    def show(self) -> None:
        """Writes the view anew."""
        raise NotImplementedError

    @property
    def _outer(self) -> tuple[int, ...]:
        """Position on the axes that are not shown, 0 on the others."""
        return tuple(0 if axis in self._slice.axes else at for axis, at in enumerate(self._slice.at))

    @property
    def _block_here(self) -> SliceBlock | None:
        """The values that were read, if they are of this slice."""
        block = self._block
        return block if block is not None and (block.axes, block.at) == (self._slice.axes, self._outer) else None

    def begin_slices(self) -> None:
        """The first slice of the pair: the last two axes."""
        self._block, self._asked = None, ()
        axes = (len(self.shape) - 2, len(self.shape) - 1) if len(self.shape) >= 2 else (0, 0)
        self._slice = SliceView(axes, (0,) * len(self.shape))

    def element_text(self) -> str:
        """The element under the cursor, of both sides."""
        block, at = self._block_here, self._slice.at
        if block is None or not block.a.size:
            return ""
        rows, columns = self._slice.axes
        place = (at[rows] - block.row if rows != columns else 0, at[columns] - block.column)
        if not (0 <= place[0] < block.a.shape[0] and 0 <= place[1] < block.a.shape[1]):
            return ""
        a, b = float(block.a[place]), float(block.b[place])
        return f"[{','.join(map(str, at))}]  A {range_figure(a)}  B {range_figure(b)}  |Δ| {range_figure(abs(a - b))}"

    def slice_text(self) -> str:
        """Which slice: `[0, 3, r, c]`."""
        names = {self._slice.axes[1]: "c", self._slice.axes[0]: "r"}
        return "[" + ", ".join(names.get(axis, str(at)) for axis, at in enumerate(self._slice.at)) + "]"

    def slice_page(self, room: Room) -> list[Line]:
        """Both sides of the slice, beside each other or one below the other."""
        rows = self._slice_rows(room.height)
        pages = []
        for side, stats in (("a", self.row.a), ("b", self.row.b)):
            kind = stats.dtype if stats is not None else ""
            title: Line = [
                gap(1),
                Piece(side.upper(), "low bold" if side == "a" else "bar bold"),
                gap(1),
                Piece(kind, "muted"),
            ]
            pages.append((title, slice_lines(self._slice, self._block_here, side, rows, self._slice_room(room))))
        if self._side_by_side:
            half = room.width // 2
            return beside([pages[0][0], *pages[0][1]], [pages[1][0], *pages[1][1]], half)
        return [pages[0][0], *pages[0][1], pages[1][0], *pages[1][1]]

    @property
    def _side_by_side(self) -> bool:
        return self.size.width >= SIDE_BY_SIDE_FROM

    def _slice_room(self, room: Room) -> Room:
        return replace(room, width=room.width // 2) if self._side_by_side else room

    def _slice_rows(self, height: int) -> int:
        return max(1, height - 2 if self._side_by_side else (height - 4) // 2)

    @property
    def shape(self) -> tuple[int, ...]:
        """Logical shape; a scalar counts as one element."""
        return (self.row.b.shape if self.row.b is not None else ()) or (1,)

    def move_to(self, at: Sequence[int]) -> None:
        """Puts the cursor of the slice on an element, within the tensor."""
        shape = self.shape
        place = tuple(max(0, min(position, size - 1)) for position, size in zip(at, shape))
        room_rows = self._slice_rows(self.query_one("#view", LinesPane).size.height)
        columns = slice_columns(self.size.width // 2 if self._side_by_side else self.size.width)
        row_axis, column_axis = self._slice.axes
        row = place[row_axis] if row_axis != column_axis else 0
        top = _scrolled(self._slice.top, row, room_rows)
        left = _scrolled(self._slice.left, place[column_axis], columns)
        self._slice = replace(self._slice, at=place, top=top, left=left)
        self._need_block(room_rows, columns)
        self.show()

    def _need_block(self, rows: int, columns: int) -> None:
        """Asks for the part around what is shown, unless it is there."""
        from tui.dump.pair_view import BLOCK_COLUMNS, BLOCK_ROWS

        view, block, outer = self._slice, self._block_here, self._outer
        if block is not None:
            inside_rows = block.row <= view.top and view.top + rows <= block.row + BLOCK_ROWS
            if inside_rows and block.column <= view.left and view.left + columns <= block.column + BLOCK_COLUMNS:
                return
        corner = (max(0, view.top - BLOCK_ROWS // 4), max(0, view.left - BLOCK_COLUMNS // 4))
        wanted = (self._looked.at, view.axes, outer, corner)
        if wanted != self._asked:
            self._asked = wanted
            self._cut(self._looked, view, corner)

    @work(thread=True, group="slice", exclusive=True, exit_on_error=False, description="slice")
    def _cut(self, looked: Looked, view: SliceView, corner: tuple[int, int]) -> None:
        from tui.dump.pair_view import cut_block

        for found in messages_of(self, cut_block, looked.row, self._request, view.axes, view.at, corner):
            self.app.call_from_thread(self._cut_came, looked.at, found)

    def _cut_came(self, at: int, found: SliceBlock) -> None:
        if at == self._looked.at and self.is_attached:
            self._block = found
            self.show()

    def _step(self, axis: int, step: int) -> None:
        at = list(self._slice.at)
        at[axis] += step
        self.move_to(at)

    def do_left(self) -> None:
        """Column to the left."""
        self._step(self._slice.axes[1], -1)

    def do_right(self) -> None:
        """Column to the right."""
        self._step(self._slice.axes[1], 1)

    def do_pan_left(self) -> None:
        """The slice before."""
        self._step_outer(-1)

    def do_pan_right(self) -> None:
        """The next slice."""
        self._step_outer(1)

    def _step_outer(self, step: int) -> None:
        """Counts the axes that are not shown on or back, the last one fastest."""
        shape, at = self.shape, list(self._slice.at)
        for axis in reversed([axis for axis in range(len(shape)) if axis not in self._slice.axes]):
            at[axis] += step
            if 0 <= at[axis] < shape[axis]:
                self.move_to(at)
                return
            at[axis] = 0 if step > 0 else shape[axis] - 1
        self.app.tell(_("this is the last slice") if step > 0 else _("this is the first slice"))

    def do_choose(self) -> None:
        """Other axes."""

        shape = self.shape
        pairs = [(rows, columns) for rows in range(len(shape)) for columns in range(len(shape)) if rows != columns]
        items = [
            ChoiceItem(
                f"{rows},{columns}", _("rows: axis {r}, columns: axis {c}").format(r=rows, c=columns),
                f"{shape[rows]} × {shape[columns]}",
            )
            for rows, columns in pairs
        ]  # fmt: skip

        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets:
                rows, columns = map(int, targets[0].split(","))
                self._slice = SliceView((rows, columns), self._slice.at)
                self.move_to(self._slice.at)

        hints = [KeyHint("enter", _("show")), KeyHint("esc", _("close"))]
        self.app.push_screen(ChoiceOverlay(_("axes"), items, hints=hints), chosen)

    def do_goto(self) -> None:
        """Asks for an element."""
        self.ask("#", ",".join(map(str, self._slice.at)), (), accept=self.command_goto, note=_("index of an element"))

    def command_goto(self, text: str) -> str:
        """Goes to an element; returns why it cannot, or empty."""
        words = text.strip().lstrip("#").strip("[]").replace(",", " ").split()
        shape = self.shape
        if len(words) != len(shape) or not all(word.isdigit() for word in words):
            return _("{n} numbers, such as {example}").format(n=len(shape), example=",".join("0" * len(shape)))
        self._view = "slice"
        self.move_to(list(map(int, words)))
        return ""


def _scrolled(first: int, cursor: int, room: int) -> int:
    """First row or column shown, so that the cursor is in view."""
    return cursor if cursor < first else max(first, cursor - room + 1)

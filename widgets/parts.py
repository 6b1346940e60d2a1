"""Lines painted by several widgets side by side: a changed line is sent from the left edge of its widget on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from widgets.difference import difference
from widgets.lines import LinesPane, LineWidget
from widgets.panes import HeadLine

FACTS_CELLS = 44
"""Right end of a head line that is a widget of its own."""


class Parted(Protocol):
    """Whoever paints the lines that parts show."""

    def part_starts(self, width_cells: int) -> Sequence[int]:
        """First cell of each part; the first is 0."""
        ...

    def line_strip(self, y: int) -> Strip:
        """A line over the whole width."""
        ...


class LinePart(Widget):
    """Some cells of the lines of another widget, which it lies on."""

    DEFAULT_CSS: ClassVar[str] = """
    LinePart { height: 1fr; width: auto; }
    """

    def __init__(self, owner: Parted, index: int) -> None:
        super().__init__()
        self._owner = owner
        self._index = index

    def cells_of(self, width_cells: int) -> tuple[int, int]:
        """First cell and the one after the last of lines of `width_cells`; equal where it is not needed."""
        starts = [*self._owner.part_starts(width_cells), width_cells]
        if self._index + 1 >= len(starts):
            return width_cells, width_cells
        return starts[self._index], starts[self._index + 1]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Its share of the line."""
        start, end = self.cells_of(container.width)
        return end - start

    def render_line(self, y: int) -> Strip:
        """One line, by Textual's line API."""
        strip = self._owner.line_strip(y)
        return strip.crop(*self.cells_of(strip.cell_length))


def repaint_parts(parts: Iterable[LinePart], y: int, before: Strip, after: Strip) -> None:
    """Repaints the cells of a line that look different now."""
    first, last = difference(before, after)
    for part in parts:
        start, end = part.cells_of(after.cell_length)
        if start < end and first < end and last > start:
            part.refresh(Region(0, y, min(last, end) - start, 1))


class FactsPane(LinesPane):
    """Labels and values that always stand at the same cells, each column a part of its own."""

    DEFAULT_CSS: ClassVar[str] = """
    FactsPane { layout: horizontal; }
    """
    MOST_PARTS: ClassVar[int] = 4

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._starts: tuple[int, ...] = (0,)
        self._parts = [LinePart(self, index) for index in range(self.MOST_PARTS)]

    def compose(self) -> ComposeResult:
        """The parts, side by side."""
        yield from self._parts

    def set_starts(self, starts: Sequence[int]) -> None:
        """Cells where labels and values begin, the first being 0."""
        if tuple(starts) != self._starts:
            self._starts = tuple(starts)
            for part in self._parts:
                part.refresh(layout=True)

    def part_starts(self, width_cells: int) -> Sequence[int]:
        """First cell of each part."""
        return [start for start in self._starts if start < width_cells]

    def line_strip(self, y: int) -> Strip:
        """A line over the whole width."""
        known = self._painted.get(y)
        if known is None or known.cell_length != self.size.width:
            known = self._painted[y] = LineWidget.render_line(self, y)
        return known

    def _repaint_changed(self) -> None:
        """Repaints what looks different."""
        width, height = self.size
        painted, self._painted = self._painted, {}
        if len(painted) < height or any(strip.cell_length != width for strip in painted.values()):
            for part in self._parts:
                part.refresh()
            return
        for y, before in painted.items():
            if y < height:
                repaint_parts(self._parts, y, before, self.line_strip(y))


class PartedHead(HeadLine):
    """A head line whose facts are a part of their own."""

    DEFAULT_CSS: ClassVar[str] = """
    PartedHead { layout: horizontal; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._parts = [LinePart(self, index) for index in range(2)]
        self._shown: Strip | None = None

    def compose(self) -> ComposeResult:
        """Title and facts."""
        yield from self._parts

    def part_starts(self, width_cells: int) -> Sequence[int]:
        """First cell of each part."""
        return (0, width_cells - FACTS_CELLS) if width_cells >= 2 * FACTS_CELLS else (0,)

    def line_strip(self, y: int) -> Strip:
        """The line over the whole width."""
        if self._shown is None or self._shown.cell_length != self.size.width:
            self._shown = LineWidget.render_line(self, y)
        return self._shown

    def _show(self, changed: bool) -> None:
        before, self._shown = self._shown, None
        if changed and before is not None and before.cell_length == self.size.width:
            repaint_parts(self._parts, 0, before, self.line_strip(0))
        elif changed:
            for part in self._parts:
                part.refresh()

"""Widgets made of ready lines: a base that paints pieces and knows what was clicked, and a pane that scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from widgets.difference import difference
from widgets.pieces import Line, Piece, gap, target_at, width_of
from widgets.roles import Painted
from widgets.text import cells, head
from widgets.window import Window


class LineWidget(Painted):
    """Paints one line of pieces per row; a subclass says which."""

    ground: ClassVar[str] = "base"

    class Pressed(Message):
        """A click on a piece that has a target."""

        def __init__(self, widget: LineWidget, target: str) -> None:
            super().__init__()
            self.widget = widget
            self.target = target

        @property
        def control(self) -> LineWidget:
            """The widget clicked."""
            return self.widget

    def line(self, y: int, width_cells: int) -> Line:
        """The pieces of line `y`."""
        raise NotImplementedError

    def ground_of(self, y: int) -> str:
        """The ground of line `y`."""
        return self.ground

    def render_line(self, y: int) -> Strip:
        """One line, by Textual's line API."""
        width = self.size.width
        return self.look.strip(self.line(y, width), width, self.ground_of(y))

    def on_click(self, event: events.Click) -> None:
        """Tells the target under the mouse, if there is one."""
        shown = [piece._replace(text=self.look.shown(piece.text)) for piece in self.line(event.y, self.size.width)]
        target = target_at(shown, event.x)
        if target:
            self.post_message(self.Pressed(self, target))


class LinesPane(LineWidget, can_focus=True):
    """Lines that may be more than fit. It scrolls with the same actions as the grid."""

    class Resized(Message):
        """The pane has another size: what depends on its width is to be written anew."""

        def __init__(self, pane: LinesPane) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> LinesPane:
            """The pane."""
            return self.pane

    DEFAULT_CSS: ClassVar[str] = """
    LinesPane { height: 1fr; width: 1fr; }
    """

    def __init__(
        self,
        *,
        follow: bool = False,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._lines: Sequence[Line] = ()
        self._window = Window()
        self._painted: dict[int, Strip] = {}
        self._follow = follow
        """Whether it stays at the end while lines are added, until the user scrolls up."""

    def set_lines(self, lines: Sequence[Line], keep_top: bool = False) -> None:
        """Shows other lines, from the first on unless `keep_top`."""
        at_end = self._follow and self._window.top >= self._window.last_top
        count_changed = len(lines) != len(self._lines)
        if not count_changed and keep_top and list(lines) == list(self._lines):
            return
        self._lines = lines
        self._window.rows = len(lines)
        self._window.height = max(self.size.height, 1)
        wanted = self._window.last_top if at_end else self._window.top if keep_top else 0
        self._window.top = min(wanted, self._window.last_top)
        if count_changed and self.styles.is_auto_height:
            self.refresh(layout=True)
        else:
            self._repaint_changed()

    def render_line(self, y: int) -> Strip:
        """One line, by Textual's line API."""
        strip = self._painted[y] = super().render_line(y)
        return strip

    def _repaint_changed(self) -> None:
        """Repaints the lines that look different, each up to the last cell that does."""
        width, height = self.size
        if any(y >= height or strip.cell_length != width for y, strip in self._painted.items()):
            self._painted = {}
        if len(self._painted) < height:
            self.refresh()
            return
        ends = {y: difference(strip, super(LinesPane, self).render_line(y))[1] for y, strip in self._painted.items()}
        regions = [Region(0, y, end, 1) for y, end in ends.items() if end]
        if regions:
            self.refresh(*regions)

    def line(self, y: int, width_cells: int) -> Line:
        """The line in view, with the scroll mark at its right end."""
        self._window.height = max(self.size.height, 1)
        self._window.top = min(self._window.top, self._window.last_top)
        at = self._window.top + y
        content = list(self._lines[at]) if at < len(self._lines) else []
        start, end = self._window.thumb()
        if not end:
            return content
        glyphs = self.look.glyphs
        mark = Piece(glyphs.thumb, "thumb") if start <= y < end else Piece(glyphs.track, "edge")
        return [*_cut_to(content, width_cells - 1), mark]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All lines, for `height: auto`."""
        return len(self._lines)

    def on_resize(self) -> None:
        """Tells its screen."""
        self.post_message(self.Resized(self))

    def _scroll(self, step: int) -> None:
        top = max(0, min(self._window.top + step, self._window.last_top))
        if top != self._window.top:
            self._window.top = top
            self._repaint_changed()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls."""
        event.stop()
        self._scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls."""
        event.stop()
        self._scroll(-3)

    def action_cursor_up(self) -> None:
        """One line up."""
        self._scroll(-1)

    def action_cursor_down(self) -> None:
        """One line down."""
        self._scroll(1)

    def action_page_up(self) -> None:
        """One page up."""
        self._scroll(-self.size.height)

    def action_page_down(self) -> None:
        """One page down."""
        self._scroll(self.size.height)

    def action_half_up(self) -> None:
        """Half a page up."""
        self._scroll(-(self.size.height // 2))

    def action_half_down(self) -> None:
        """Half a page down."""
        self._scroll(self.size.height // 2)

    def action_first(self) -> None:
        """To the start."""
        self._scroll(-len(self._lines))

    def action_last(self) -> None:
        """To the end."""
        self._scroll(len(self._lines))


class LogPane(LinesPane):
    """Lines that are added at the end; the view follows them until the user scrolls up."""

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(follow=True, name=name, id=id, classes=classes)


def _cut_to(pieces: Sequence[Piece], width_cells: int) -> list[Piece]:
    """The pieces and a gap, exactly `width_cells` wide."""
    cut: list[Piece] = []
    left = width_cells
    for piece in pieces:
        text = head(piece.text, left)
        cut.append(piece._replace(text=text))
        left -= cells(text)
    return [*cut, gap(width_cells - width_of(cut))]

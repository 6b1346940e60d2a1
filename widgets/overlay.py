"""A framed box over the dimmed screen: what all overlays share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeVar

from rich.color import Color as RichColor
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.geometry import Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip

from widgets.frame import FooterBar, KeyHint
from widgets.lines import LineWidget
from widgets.pieces import Line, Piece, gap, width_of
from widgets.roles import Look, look_of
from widgets.text import cells, cut_end
from widgets.window import Window

Result = TypeVar("Result")

FRAME_CELLS = 4
"""The frame and one blank at each side."""


class DimmedScreen(BackgroundScreen):
    """The screen below an overlay: its title stays, the rest is one grey on its own grounds."""

    def __init__(self, screen: Screen[object], look: Look) -> None:
        super().__init__(screen, Color(0, 0, 0, 0))
        self._look = look
        default = RichColor.default()
        self._colours = Style() if look.palette.colours else Style(color=default, bgcolor=default)
        self._kept = {look.style("", name).bgcolor: name for name in ("base", "panel", "cursor")}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return self._dimmed(super().__rich_console__(console, options))

    def _dimmed(self, segments: Iterable[object]) -> Iterable[Segment]:
        row = 0
        for segment in segments:
            if not isinstance(segment, Segment):
                continue
            text, style, control = segment
            yield segment if control else Segment(text, self._title(style) if row == 0 else self._dim(style))
            row += text.count("\n")

    def _title(self, style: Style | None) -> Style:
        return (style or Style()) + self._colours

    def _dim(self, style: Style | None) -> Style:
        if not self._look.palette.colours:
            return self._colours
        ground = self._kept.get(style.bgcolor, "field") if style is not None else "base"
        return self._look.style("dimmed", ground)


class OverlayBox(LineWidget, can_focus=True):
    """The frame with its title, and the lines inside. The subclass gives lines without the frame."""

    DEFAULT_CSS: ClassVar[str] = """
    OverlayBox { width: auto; height: auto; max-width: 100%; max-height: 100%; }
    """
    ground: ClassVar[str] = "raised"

    title = ""
    wanted_cells = 70
    """Width with the frame, as far as the terminal has it."""

    def inside(self, width_cells: int, height: int) -> Sequence[tuple[Line, str]]:
        """Lines between the sides of the frame, at most `height`, each with its ground."""
        raise NotImplementedError

    def wanted_lines(self, width_cells: int) -> int:
        """Lines that `inside` wants, as far as the terminal has them."""
        raise NotImplementedError

    @property
    def inner_size(self) -> Size:
        """Cells between the sides, lines between top and bottom."""
        return Size(max(self.size.width - FRAME_CELLS, 1), max(self.size.height - 2, 1))

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The wanted width, within the terminal."""
        return min(self.wanted_cells, container.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The wanted lines and the frame, within the terminal."""
        return min(self.wanted_lines(width - FRAME_CELLS) + 2, container.height)

    def render_line(self, y: int) -> Strip:
        """One line with its part of the frame."""
        look, width = self.look, self.size.width
        top_left, top_right, bottom_left, bottom_right = list(look.glyphs.corners)
        if y == 0:
            return look.strip(self._top(top_left, top_right, width), width, self.ground)
        if y == self.size.height - 1:
            line = bottom_left + look.glyphs.rule * (width - 2) + bottom_right
            return look.strip([Piece(line, "focus")], width, self.ground)
        lines = self.inside(width - FRAME_CELLS, self.size.height - 2)
        pieces, ground = lines[y - 1] if y - 1 < len(lines) else ((), self.ground)
        return self._side(pieces, ground, width)

    def line(self, y: int, width_cells: int) -> Line:
        """The pieces of a line between the sides, for clicks."""
        lines = self.inside(width_cells - FRAME_CELLS, self.size.height - 2)
        return [gap(2), *lines[y - 1][0]] if 0 < y <= len(lines) else ()

    def _top(self, left: str, right: str, width: int) -> list[Piece]:
        look = self.look
        title = cut_end(look.shown(self.title), width - 8, look.glyphs.ellipsis)
        rest = look.glyphs.rule * (width - 5 - cells(title))
        return [
            Piece(left + look.glyphs.rule, "focus"),
            gap(1),
            Piece(title, "here"),
            gap(1),
            Piece(rest + right, "focus"),
        ]

    def _side(self, pieces: Line, ground: str, width: int) -> Strip:
        """Frame, the line with a blank or the cursor mark before it, frame."""
        look = self.look
        edge = look.strip([Piece(self._upright, "focus")], 1, self.ground)
        before = [Piece(look.glyphs.cursor, "focus")] if ground == "chosen" else [gap(1)]
        return Strip.join([edge, look.strip([*before, *pieces], width - 2, ground), edge])

    @property
    def _upright(self) -> str:
        return self.look.glyphs.edge


class Overlay(ModalScreen[Result]):
    """A box over the dimmed screen, with its own keys in the footer."""

    DEFAULT_CSS: ClassVar[str] = """
    Overlay { align: center middle; }
    Overlay > FooterBar { dock: bottom; }
    """

    def __init__(self, box: OverlayBox, hints: Sequence[KeyHint] = ()) -> None:
        super().__init__()
        self.box = box
        self._hints = tuple(hints)
        self.styles.background = Color(0, 0, 0, 0.5)  # inline, so that no rule for all screens makes it opaque

    def compose(self) -> ComposeResult:
        """The box, and the footer in place of the screen's."""
        yield self.box
        footer = FooterBar()
        footer.set_hints(self._hints, ())
        yield footer

    def on_mount(self) -> None:
        """Keys go to the box."""
        self.box.focus()

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leaves once: a key typed ahead must not take the screen below along."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def on_key(self, event: events.Key) -> None:
        """Uses the key and stops it, or leaves it alone. Keys that were typed ahead are offered here too.

        A key that a subclass leaves alone arrives here, and means nothing.
        """

    def render(self) -> RenderableType:
        """The screen below, dimmed."""
        below = super().render()
        if isinstance(below, BackgroundScreen):
            return DimmedScreen(below.screen, look_of(self.app))
        return below


def list_window(window: Window, rows: int, height: int) -> range:
    """Rows of a list to show in `height` lines, with the cursor among them."""
    window.fit_to(rows, height)
    return range(window.top, window.end)


def filled(pieces: Sequence[Piece], right: Sequence[Piece], width_cells: int, look: Look) -> list[Piece]:
    """Pieces cut to leave room for the right end."""
    room = width_cells - width_of(right) - (2 if right else 0)
    left = look.cut(pieces, room)
    return [*left, gap(width_cells - width_of(left) - width_of(right)), *right]

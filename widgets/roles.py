"""From the name of a role to a rich style: the only place where widgets get colours from.

A role may carry attributes after a blank, as in `warn bold`; `cutout` takes the colour of the bare screen, for seams
in fills. Styles are complete (foreground and background), resolved once per role and ground, and shared; so equal looks
are the same object and rich keeps their escape codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip
from textual.widget import Widget

from widgets.glyphs import BLOCKS, GlyphSet
from widgets.pieces import Piece, width_of
from widgets.text import cells, clean, cut_end, head
from widgets.theme import DARK_256, Palette, textual_theme

LOUD_FILLS = ("focus", "marked")
"""Fills that are shown in reverse where there are no colours."""
ROLES: tuple[str, ...] = tuple(DARK_256.roles)
"""Every role that a text may name."""


class Look:
    """The palette and the glyph set in use."""

    def __init__(self, palette: Palette = DARK_256, glyphs: GlyphSet = BLOCKS) -> None:
        self.palette = palette
        self.glyphs = glyphs
        self._styles: dict[tuple[str, str], Style] = {}
        self._solid: dict[tuple[str, str], bool] = {}
        self._blends: dict[tuple[str, str], Style] = {}
        self.by_code: dict[int, Style] = {}
        """Styles by numbers that mean something only to the canvas, which needs thousands at a time."""

    def style(self, role: str, ground: str = "base") -> Style:
        """Style of `role` on `ground`; an empty role is plain text."""
        role = role or "text"
        style = self._styles.get((role, ground))
        if style is None:
            style = self._styles[(role, ground)] = self._resolved(role, ground)
        return style

    def blend(self, ink: str, fill: str) -> Style:
        """Style of characters in the colour of the role `ink` on a fill in the colour of the role `fill`.

        An empty fill is the bare screen; without colours, only bold and reverse of the ink are left.
        """
        style = self._blends.get((ink, fill))
        if style is None:
            style = self._blends[(ink, fill)] = self._blended(ink, fill)
        return style

    def solid(self, role: str, ground: str = "base") -> bool:
        """Whether blanks in this role look different from blanks of the ground."""
        known = self._solid.get((role, ground))
        if known is None:
            known = self._solid[(role, ground)] = self._differs(self.style(role, ground), self.style("", ground))
        return known

    def shown(self, text: str) -> str:
        """`text` made harmless and in characters of the glyph set."""
        if text.isascii() and text.isprintable():
            return text
        return self.glyphs.shown(clean(text))

    def cut(self, pieces: Sequence[Piece], width_cells: int) -> list[Piece]:
        """Pieces (of shown text) cut at the end to `width_cells`, with an ellipsis where something is missing."""
        if width_of(pieces) <= width_cells:
            return list(pieces)
        kept: list[Piece] = []
        left = width_cells
        for piece in pieces:
            if cells(piece.text) > left - cells(self.glyphs.ellipsis):
                return [*kept, piece._replace(text=cut_end(piece.text + " ", left, self.glyphs.ellipsis))]
            kept.append(piece)
            left -= cells(piece.text)
        return kept

    def strip(self, pieces: Iterable[Piece], width_cells: int, ground: str = "base") -> Strip:
        """One line of exactly `width_cells`; what does not fit is left out, the rest is ground.

        Pieces without a role are gaps: they continue the style before them, to spend few bytes.
        """
        runs = Runs(self, ground)
        left = width_cells
        for piece in pieces:
            text = head(self.shown(piece.text), left)
            runs.add(text, piece.role)
            left -= cells(text)
        runs.add(" " * left, "")
        return Strip(runs.segments(), width_cells)

    def _resolved(self, role: str, ground_name: str) -> Style:
        ground = self.palette.grounds[ground_name]
        base, *extra = role.split()
        base, *swapped = ground.swaps.get(base, base).split()
        paint = self.palette.roles[base]
        words = {*extra, *swapped, *paint.attributes.split(), *ground.attributes.split()}
        if "reverse" in paint.attributes and "reverse" in ground.attributes:
            words.discard("reverse")
        fg = self.palette.roles["text"].fg if paint.fg is None else paint.fg
        return Style(
            color=self._colour(self.palette.grounds["base"].bg if "cutout" in words else fg),
            bgcolor=self._colour(ground.bg if paint.bg is None else paint.bg),
            bold="bold" in words or None,
            underline="underline" in words or None,
            reverse="reverse" in words or None,
        )

    def _blended(self, ink: str, fill: str) -> Style:
        number = self.palette.roles[fill].fg if fill else None
        style = self.style(ink.replace("inverse", "field") if number in self.palette.dark else ink)
        if fill in LOUD_FILLS and not self.palette.colours:
            return style + Style(reverse=True)
        return style if number is None else style + Style(bgcolor=self._colour(number))

    def _colour(self, number: int | None) -> Color | None:
        return None if number is None else Color.from_triplet(self.palette.rgb(number))

    @staticmethod
    def _differs(style: Style, plain: Style) -> bool:
        return style.bgcolor != plain.bgcolor or style.reverse != plain.reverse or style.underline != plain.underline


class Runs:
    """Collects the text of one line and merges neighbours that look the same, since each run costs about 25 bytes."""

    def __init__(self, look: Look, ground: str) -> None:
        self._look = look
        self.ground = ground
        self._segments: list[Segment] = []
        self._texts: list[str] = []
        self._style: Style | None = None
        self._takes_blanks = False
        self._blanks = ""

    def add(self, text: str, role: str) -> None:
        """Appends `text`, which is ready to be shown. Blanks join whichever neighbour looks like ground."""
        if not text:
            return
        open_style = not self._look.solid(role, self.ground)
        if open_style and text.isspace():
            self._blanks += text
            return
        style = self._look.style(role, self.ground)
        if self._blanks:
            text = self._place_blanks(text, open_style)
        if style is not self._style:
            self._flush()
            self._style = style
            self._takes_blanks = open_style
        self._texts.append(text)

    def change_ground(self, ground: str) -> None:
        """What follows is painted on another ground."""
        if ground != self.ground:
            self._place_blanks("", False)
            self.ground = ground
            self._takes_blanks = False

    def segments(self) -> list[Segment]:
        """All that was added."""
        self._place_blanks("", False)
        self._flush()
        return self._segments

    def _place_blanks(self, following: str, open_style: bool) -> str:
        """Puts the waiting blanks into the run before, into `following` (returned), or into a run of their own."""
        blanks, self._blanks = self._blanks, ""
        if not blanks:
            return following
        if self._takes_blanks:
            self._texts.append(blanks)
        elif open_style:
            return blanks + following
        else:
            self._flush()
            self._style = self._look.style("", self.ground)
            self._takes_blanks = True
            self._texts.append(blanks)
        return following

    def _flush(self) -> None:
        if self._texts:
            self._segments.append(Segment("".join(self._texts), self._style))
            self._texts = []


_looks: WeakKeyDictionary[App[Any], Look] = WeakKeyDictionary()


def dress(app: App[Any], palette: Palette = DARK_256, glyphs: GlyphSet = BLOCKS) -> Look:
    """Gives the application its palette and glyphs, registers the theme, and repaints if it runs already.

    For a palette without colours the application is to be made with `ansi_color=True`: where `NO_COLOR` is set, Textual
    would else turn the terminal's default colours into greys of its own.
    """
    look = _looks[app] = Look(palette, glyphs)
    app.register_theme(textual_theme(palette))
    if app.is_running:
        app.theme = palette.name
        app.refresh_css(animate=False)
    else:
        # Assigning would have Textual parse all its CSS twice more before the first frame.
        app.set_reactive(App.theme, palette.name)
        app.stylesheet.set_variables(app.get_css_variables())
    return look


def look_of(app: App[Any]) -> Look:
    """The look of an application; the default one if it was never dressed."""
    look = _looks.get(app)
    if look is None:
        look = _looks[app] = Look()
    return look


class Painted(Widget):
    """A widget that paints itself line by line in roles and glyphs."""

    @property
    def look(self) -> Look:
        """Palette and glyphs of the application."""
        return look_of(self.app)

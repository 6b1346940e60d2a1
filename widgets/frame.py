"""The frame around every screen: title, breadcrumb with screen strip, status and footer. Each is one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.geometry import Size

from widgets.lines import LineWidget
from widgets.pieces import Line, Piece, clip, gap, spread, width_of
from widgets.text import cut_middle

NAMES_FROM_CELLS = 112
"""From this width on the screen strip carries names."""
PATH_CELLS = 24
"""What the strip leaves at least for the steps."""
STEPS_KEPT = 2
"""Steps of the path that stay where there is no room for all; of more the last ones go."""


class KeyHint(NamedTuple):
    """A key and what it does here."""

    key: str
    word: str
    target: str = ""


class ScreenTab(NamedTuple):
    """One screen of the strip."""

    key: str
    name: str
    target: str


class Bar(LineWidget):
    """One line of the frame."""

    DEFAULT_CSS: ClassVar[str] = """
    Bar { height: 1; width: 1fr; }
    """
    ground: ClassVar[str] = "panel"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Always one line."""
        return 1

    def _show(self, changed: bool) -> None:
        if changed:
            self.refresh()


class TitleBar(Bar):
    """The profile in bold, facts about it, and at the right what limits the view."""

    ground: ClassVar[str] = "title"
    _content: tuple[str, tuple[str, ...], tuple[Piece, ...]] = ("", (), ())

    def set_content(self, name: str, facts: Sequence[str], right: Sequence[Piece] | str = "") -> None:
        """`facts` are dropped from the end when the line is too short."""
        ends = (Piece(right, "text"),) if isinstance(right, str) else tuple(right)
        content = (name, tuple(facts), tuple(piece for piece in ends if piece.text))
        changed = content != self._content
        self._content = content
        self._show(changed)

    def line(self, y: int, width_cells: int) -> Line:
        """Name, facts, right end."""
        look = self.look
        name, facts, right = self._content
        end = [*right, gap(1)]
        room = width_cells - width_of(end) - 3
        name = cut_middle(look.shown(name), max(room, 8), look.glyphs.ellipsis)
        left = [gap(1), Piece(name, "title")]
        parts = [
            Piece(("  " if not at else f" {look.glyphs.dot} ") + look.shown(fact), "fact")
            for at, fact in enumerate(facts)
        ]
        return spread(clip([*left, *parts], room), end, width_cells)


class NavBar(Bar):
    """Where one is: the steps of the view at the left, all screens at the right."""

    _screen_name = ""
    _steps: tuple[Piece, ...] = ()
    _tabs: tuple[ScreenTab, ...] = ()
    _current = ""

    def set_content(self, name: str, steps: Sequence[Piece], tabs: Sequence[ScreenTab], current: str) -> None:
        """`steps` need only text and target; `current` is the key of the screen shown."""
        content = (name, tuple(steps), tuple(tabs), current)
        changed = content != (self._screen_name, self._steps, self._tabs, self._current)
        self._screen_name, self._steps, self._tabs, self._current = content
        self._show(changed)

    def line(self, y: int, width_cells: int) -> Line:
        """Steps and strip."""
        wide = width_cells >= NAMES_FROM_CELLS
        strip = [self._tab(tab, wide) for tab in self._tabs]
        if width_of(strip) > width_cells - PATH_CELLS:
            wide, strip = False, [self._tab(tab, False) for tab in self._tabs]
        strip.append(gap(1))
        return spread(self._path(not wide, width_cells - width_of(strip) - 2), strip, width_cells)

    def _tab(self, tab: ScreenTab, with_name: bool) -> Piece:
        text = f" {tab.key} {tab.name} " if with_name else f" {tab.key} "
        return Piece(text, "current" if tab.key == self._current else "muted", tab.target)

    def _path(self, with_name: bool, room_cells: int) -> list[Piece]:
        look = self.look
        steps = [step._replace(text=look.shown(step.text), role="muted") for step in self._steps]
        while len(steps) > STEPS_KEPT and _length(steps) > room_cells:
            steps.pop()  # the order of the rows, which their heading tells too
        if steps:
            steps[-1] = steps[-1]._replace(role="text")
        if with_name or not steps:
            steps.insert(0, Piece(self._screen_name, "bright"))
        return self._joined(steps, room_cells)

    def _joined(self, steps: Sequence[Piece], room_cells: int) -> list[Piece]:
        glyphs = self.look.glyphs
        longest = max(8, room_cells // max(len(steps), 1) - 3) if _length(steps) > room_cells else room_cells
        path: list[Piece] = [gap(1)]
        for at, step in enumerate(steps):
            if at:
                path.append(Piece(f" {glyphs.step} ", "faint"))
            path.append(step._replace(text=cut_middle(step.text, longest, glyphs.ellipsis)))
        return path


def _length(steps: Sequence[Piece]) -> int:
    return width_of(steps) + 3 * len(steps)


class StatusBar(Bar):
    """The last message or progress at the left, position and selection at the right."""

    _left: tuple[Piece, ...] = ()
    _right: tuple[Piece, ...] = ()

    def set_left(self, pieces: Sequence[Piece] | str) -> None:
        """The message; plain text is muted."""
        left = (Piece(pieces, "muted"),) if isinstance(pieces, str) else tuple(pieces)
        changed, self._left = left != self._left, left
        self._show(changed)

    def set_right(self, pieces: Sequence[Piece] | str) -> None:
        """The position; plain text is text."""
        right = (Piece(pieces, "text"),) if isinstance(pieces, str) else tuple(pieces)
        changed, self._right = right != self._right, right
        self._show(changed)

    def line(self, y: int, width_cells: int) -> Line:
        """Left and right; the message is cut at its end when both do not fit."""
        look = self.look
        right = [piece._replace(text=look.shown(piece.text)) for piece in self._right] + [gap(1)]
        left = [gap(1), *(piece._replace(text=look.shown(piece.text)) for piece in self._left)]
        return spread(look.cut(left, width_cells - width_of(right) - 2), right, width_cells)


class FooterBar(Bar):
    """The keys that do something now. Pairs that do not fit are left out whole."""

    _left: tuple[KeyHint, ...] = ()
    _right: tuple[KeyHint, ...] = ()

    def set_hints(self, left: Sequence[KeyHint], right: Sequence[KeyHint]) -> None:
        """Most useful first; `right` always stays."""
        changed = (tuple(left), tuple(right)) != (self._left, self._right)
        self._left, self._right = tuple(left), tuple(right)
        self._show(changed)

    def line(self, y: int, width_cells: int) -> Line:
        """Keys in bold, words muted."""
        right = [*self._pairs(self._right), gap(1)]
        room = width_cells - width_of(right) - 3
        shown: list[Piece] = [gap(1)]
        for hint in self._left:
            pair = self._pairs([hint])
            before = [gap(2)] if len(shown) > 1 else []
            if width_of(shown) + width_of(before) + width_of(pair) > room:
                break
            shown += [*before, *pair]
        return spread(shown, right, width_cells)

    def _pairs(self, hints: Sequence[KeyHint]) -> list[Piece]:
        look = self.look
        pieces: list[Piece] = []
        for hint in hints:
            if pieces:
                pieces.append(gap(2))
            pieces.append(Piece(look.shown(hint.key), "bright", hint.target))
            pieces.append(Piece(" " + look.shown(hint.word), "muted", hint.target))
        return pieces

"""What stands inside a screen besides grids: head lines, details, and the lines that tell a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.strip import Strip

from widgets.bars import bar
from widgets.frame import Bar
from widgets.glyphs import GlyphSet
from widgets.lines import LinesPane
from widgets.pieces import Line, Piece, gap, width_of
from widgets.roles import Look, Painted
from widgets.text import cells, cut_end, head, pad

LABEL_CELLS = 9


class HeadLine(Bar):
    """The first line of a pane: title, thin rule, facts at the right; cyan, bold and marked in the focused pane."""

    ground: ClassVar[str] = "base"
    _title = ""
    _facts: tuple[Piece, ...] = ()
    _focused = False

    def set_content(self, title: str, facts: Sequence[Piece] | str = "") -> None:
        """Plain facts are muted."""
        right = (Piece(facts, "muted"),) if isinstance(facts, str) else tuple(facts)
        content = (title, tuple(piece for piece in right if piece.text))
        changed = content != (self._title, self._facts)
        self._title, self._facts = content
        self._show(changed)

    def set_focused(self, focused: bool) -> None:
        """Whether the keys go to this pane."""
        changed, self._focused = focused != self._focused, focused
        self._show(changed)

    def line(self, y: int, width_cells: int) -> Line:
        """Title, rule, facts."""
        return head_line(self.look, self._title, self._facts, width_cells, self._focused)


def head_line(look: Look, title: str, facts: Sequence[Piece], width_cells: int, focused: bool = False) -> list[Piece]:
    """A head line as pieces, for panes that hold several."""
    glyphs = look.glyphs
    right = [gap(1), *(piece._replace(text=look.shown(piece.text)) for piece in facts), gap(2)] if facts else []
    if width_of(right) > width_cells * 2 // 3:
        right = []
    title = cut_end(look.shown(title), width_cells - width_of(right) - 4, glyphs.ellipsis)
    mark = f"{glyphs.focus} " if focused else " "
    rule = max(0, width_cells - cells(mark) - cells(title) - 1 - width_of(right))
    return [
        Piece(mark, "here" if focused else ""),
        Piece(title, "here" if focused else "muted"),
        gap(1),
        Piece(glyphs.rule * rule, "focus" if focused else "rule"),
        *right,
    ]


class PaneEdge(Painted):
    """The thin line between panes that stand side by side."""

    DEFAULT_CSS: ClassVar[str] = """
    PaneEdge { width: 1; height: 1fr; }
    """

    def render_line(self, y: int) -> Strip:
        """One cell."""
        return self.look.strip([Piece(self.look.glyphs.edge, "edge")], self.size.width)


class Detail(NamedTuple):
    """A label and its value. Without a label the value continues the one above."""

    label: str
    value: Sequence[Piece] | str


class Details(LinesPane):
    """Labels and values in one or two columns; long values go on in the next line. Scrolls when there are many."""

    DEFAULT_CSS: ClassVar[str] = """
    Details { height: 1fr; width: 1fr; }
    """
    _rows: tuple[Detail, ...] = ()
    _label_cells = LABEL_CELLS
    _second_from_cells = 0

    def set_rows(self, rows: Sequence[Detail], label_cells: int = LABEL_CELLS, second_from_cells: int = 0) -> None:
        """`second_from_cells`: cell where a second column of pairs starts, 0 for a single column."""
        self._rows = tuple(rows)
        self._label_cells, self._second_from_cells = label_cells, second_from_cells
        self._lay_out()

    def on_resize(self) -> None:
        """Breaks the values anew."""
        self._lay_out(keep_top=True)

    def _lay_out(self, keep_top: bool = False) -> None:
        width = self.size.width or 80
        self.set_lines(detail_lines(self.look, self._rows, width, self._label_cells, self._second_from_cells), keep_top)


def detail_lines(
    look: Look, rows: Sequence[Detail], width_cells: int, label_cells: int = LABEL_CELLS, second_from_cells: int = 0
) -> list[list[Piece]]:
    """Lines of labels (muted) and values (text)."""
    if not second_from_cells or len(rows) < 2:
        return [line for row in rows for line in _detail(look, row, width_cells, label_cells)]
    half = (len(rows) + 1) // 2
    left = [line for row in rows[:half] for line in _detail(look, row, second_from_cells, label_cells)]
    right = [line for row in rows[half:] for line in _detail(look, row, width_cells - second_from_cells, label_cells)]
    lines = []
    for at in range(max(len(left), len(right))):
        first = left[at] if at < len(left) else []
        second = right[at] if at < len(right) else []
        lines.append([*first, gap(second_from_cells - width_of(first)), *second[1:]] if second else first)
    return lines


def _detail(look: Look, row: Detail, width_cells: int, label_cells: int) -> list[list[Piece]]:
    value = [Piece(row.value, "text")] if isinstance(row.value, str) else row.value
    shown = [piece._replace(text=look.shown(piece.text)) for piece in value]
    label = Piece(pad(cut_end(look.shown(row.label), label_cells - 1, look.glyphs.ellipsis), label_cells), "muted")
    broken = wrapped(shown, width_cells - label_cells - 2)
    return [[gap(1), label if not at else gap(label_cells), *line] for at, line in enumerate(broken)]


def wrapped(pieces: Sequence[Piece], width_cells: int) -> list[list[Piece]]:
    """Pieces broken into lines of at most `width_cells`, after a blank, comma or the like where one is near the end."""
    width_cells = max(width_cells, 4)
    lines: list[list[Piece]] = [[]]
    left = width_cells
    for piece in pieces:
        text = piece.text
        while cells(text) > left:
            part = _broken_off(text, left)
            lines[-1].append(piece._replace(text=part))
            text = text[len(part) :].lstrip(" ")
            lines.append([])
            left = width_cells
        if text:
            lines[-1].append(piece._replace(text=text))
            left -= cells(text)
    return lines


def _broken_off(text: str, width_cells: int) -> str:
    part = head(text, width_cells)
    at = max(part.rfind(char) for char in " ,;/") + 1
    return part[:at] if at * 2 > len(part) else part


def loading_line(
    glyphs: GlyphSet, name: str, fraction: float, facts: Sequence[str], bar_cells: int = 24
) -> list[Piece]:
    """Name, bar and facts (`43 %`, `431 200 rows`, `ETA 3 s`) of something that is being read."""
    return [
        gap(1),
        Piece(name, "text"),
        gap(3),
        Piece(bar(fraction, bar_cells, glyphs), "on_progress"),
        gap(2),
        *_spaced([Piece(fact, "text" if not at else "muted") for at, fact in enumerate(facts)]),
    ]


def chip_line(chip: str, text: str, rest: str = "", role: str = "on_mid") -> list[Piece]:
    """A chip such as ` partial 43 % `, the fact, and its consequence."""
    return [gap(1), Piece(f" {chip} ", role), gap(1), Piece(text, "text"), gap(2), Piece(rest, "muted")]


def state_line(fact: Sequence[Piece] | str, consequence: str = "", key: str = "", word: str = "") -> list[Piece]:
    """Fact, consequence, and the key that helps with the word for what it does."""
    pieces = [Piece(fact, "text")] if isinstance(fact, str) else list(fact)
    parts = [gap(1), *pieces]
    if consequence:
        parts += [gap(3), Piece(consequence, "muted")]
    if key:
        parts += [gap(3), Piece(key, "bright"), gap(1), Piece(word, "muted")]
    return parts


def sign_line(sign: str, role: str, subject: str, text: str) -> list[Piece]:
    """A line such as `E file  what happened`, with its sign in the colour of its role."""
    return [gap(1), Piece(sign, f"{role} bold"), gap(1), Piece(subject, "strong"), gap(2), Piece(text, "text")]


def _spaced(pieces: Sequence[Piece]) -> list[Piece]:
    spaced: list[Piece] = []
    for piece in pieces:
        spaced += [piece, gap(2)]
    return spaced


class Lines(LinesPane, can_focus=False):
    """Lines that neither scroll by key nor take the focus."""

    DEFAULT_CSS: ClassVar[str] = """
    Lines { height: auto; width: 1fr; }
    """

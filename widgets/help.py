"""The help overlay: groups of keys in columns, narrowed down by typing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events

from widgets.editline import EditLine
from widgets.frame import KeyHint
from widgets.overlay import Overlay, OverlayBox
from widgets.pieces import Line, Piece, gap, spread, width_of
from widgets.prompt import edit_by_key
from widgets.text import cells, cut_end
from widgets.window import Window

COLUMN_CELLS = 35
KEY_CELLS = 10
CLOSING_KEYS = ("escape", "enter", "f1")
KEYS_THAT_ALSO_TYPE = ("q", "question_mark", "fullwidth_question_mark")
"""They close while nothing is typed."""


class HelpGroup(NamedTuple):
    """Keys that belong together."""

    title: str
    keys: Sequence[tuple[str, str]]
    """Keys as shown, and what they do."""


class HelpTexts(NamedTuple):
    """The texts of the overlay, translated."""

    title: str
    search: str
    """Invites to type."""
    closes: str
    """Tells the key that closes."""
    empty: str
    """When nothing matches."""


def in_columns(groups: Sequence[HelpGroup], columns: int) -> list[list[HelpGroup]]:
    """Groups in their order, in columns of about equal length."""
    sizes = [len(group.keys) + 1 for group in groups]
    limit = max(max(sizes, default=1), -(-sum(sizes) // max(columns, 1)))
    while len(split := _filled_columns(groups, sizes, limit)) > columns:
        limit += 1
    return split


def _filled_columns(groups: Sequence[HelpGroup], sizes: Sequence[int], limit: int) -> list[list[HelpGroup]]:
    split: list[list[HelpGroup]] = [[]]
    used = 0
    for group, size in zip(groups, sizes):
        if used and used + size > limit:
            split.append([])
            used = 0
        split[-1].append(group)
        used += size
    return split


def narrowed(groups: Sequence[HelpGroup], typed: str) -> list[HelpGroup]:
    """Groups with only the keys whose text (or name) holds what was typed."""
    text = typed.strip().lower()
    if not text:
        return list(groups)
    kept = []
    for group in groups:
        keys = [(key, word) for key, word in group.keys if text in word.lower() or text == key.lower()]
        if keys:
            kept.append(HelpGroup(group.title, keys))
    return kept


class HelpBox(OverlayBox):
    """Columns of groups, and a line to type in."""

    def __init__(self, groups: Sequence[HelpGroup], texts: HelpTexts) -> None:
        super().__init__()
        self._groups = tuple(groups)
        self._texts = texts
        self._edit = EditLine()
        self._window = Window()
        self.title = texts.title

    def on_mount(self) -> None:
        """As many columns as the terminal has room for, two at 80 cells."""
        columns = max(1, min((self.app.size.width - 10) // COLUMN_CELLS, len(self._groups)))
        self.wanted_cells = columns * COLUMN_CELLS + 4

    @property
    def typed(self) -> str:
        """The text searched for."""
        return self._edit.text

    def wanted_lines(self, width_cells: int) -> int:
        """All groups, a blank and the line below."""
        return len(self._columns(self._groups, width_cells)) + 2

    def inside(self, width_cells: int, height: int) -> Sequence[tuple[Line, str]]:
        """The part of the columns in view, blank, search line."""
        lines = self._columns(narrowed(self._groups, self.typed), width_cells)
        self._window.fit_to(len(lines), height - 2)
        shown: list[Line] = list(lines[self._window.top : self._window.top + height - 2])
        if not shown:
            shown = [[gap(1), Piece(self._texts.empty, "muted")]]
        shown += [()] * (height - 2 - len(shown) + 1)
        return [(line, self.ground) for line in [*shown, self._search(width_cells)]]

    def _columns(self, groups: Sequence[HelpGroup], width_cells: int) -> list[list[Piece]]:
        count = max(1, width_cells // COLUMN_CELLS)
        cell_width = width_cells // count
        columns = [self._column(column, cell_width) for column in in_columns(groups, count)] if groups else []
        lines: list[list[Piece]] = []
        for row in range(max((len(column) for column in columns), default=0)):
            line: list[Piece] = []
            for at, column in enumerate(columns):
                line += [gap(at * cell_width - width_of(line)), *(column[row] if row < len(column) else ())]
            lines.append(line)
        return lines

    def _column(self, groups: Sequence[HelpGroup], width_cells: int) -> list[list[Piece]]:
        look = self.look
        lines: list[list[Piece]] = []
        for group in groups:
            lines.append([gap(1), Piece(look.shown(group.title), "muted bold")])
            lines += [self._entry(look.shown(key), look.shown(word), width_cells) for key, word in group.keys]
        return lines

    def _entry(self, key: str, word: str, width_cells: int) -> list[Piece]:
        blanks = max(KEY_CELLS - cells(key), 1)
        word = cut_end(word, width_cells - 2 - cells(key) - blanks, self.look.glyphs.ellipsis)
        return [gap(1), Piece(key, "bright"), gap(blanks), Piece(word, "text")]

    def _search(self, width_cells: int) -> Line:
        typed = (
            [Piece(self.typed, "strong"), Piece(" ", "caret")] if self.typed else [Piece(self._texts.search, "muted")]
        )
        return spread([gap(1), *typed], [*self._more(), Piece(self._texts.closes, "muted"), gap(2)], width_cells)

    def _more(self) -> Line:
        """Signs for lines above and below the ones in view."""
        glyphs, window = self.look.glyphs, self._window
        signs = (glyphs.ascending if window.top else "") + (glyphs.descending if window.top < window.last_top else "")
        return [Piece(signs, "bright"), gap(2)] if signs else []

    def press(self, event: events.Key) -> bool:
        """Scrolls or edits the search; False for another key."""
        steps = {"up": -1, "down": 1, "pageup": -self._window.height, "pagedown": self._window.height}
        if event.key in steps:
            self._window.scroll(steps[event.key])
        elif not edit_by_key(self._edit, event):
            return False
        self.refresh()
        return True


class HelpOverlay(Overlay[None]):
    """Closes with q (while nothing is typed), `?`, enter or esc."""

    def __init__(self, groups: Sequence[HelpGroup], texts: HelpTexts, hints: Sequence[KeyHint] = ()) -> None:
        self._help = HelpBox(groups, texts)
        super().__init__(self._help, hints)

    def on_key(self, event: events.Key) -> None:
        """Closes, scrolls or searches."""
        if event.key in CLOSING_KEYS or (not self._help.typed and event.key in KEYS_THAT_ALSO_TYPE):
            self.dismiss(None)
        elif event.key != "slash" and not self._help.press(event):
            return
        event.stop()
        event.prevent_default()

"""The palette: type to narrow down a list of commands, see what the chosen one would do, run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual import events

from widgets.editline import EditLine
from widgets.frame import KeyHint
from widgets.overlay import Overlay, OverlayBox, filled, list_window
from widgets.panes import head_line
from widgets.pieces import Line, Piece, gap, spread
from widgets.prompt import edit_by_key
from widgets.roles import Look
from widgets.text import cells
from widgets.window import Window


class PaletteItem(NamedTuple):
    """One command."""

    target: str
    """Name that the owner knows it by."""
    command: str
    """Such as `:bands`, or the words for an action without a command."""
    arguments: str = ""
    help: str = ""
    state: str = ""
    """At the right end: its key, or that it is on."""


class PaletteChoice(NamedTuple):
    """What the user ran."""

    target: str
    text: str
    """What was typed, for commands that take arguments."""


class PaletteTexts(NamedTuple):
    """The texts of the palette, translated."""

    title: str
    counted: Callable[[int, int], str]
    """Found and all → such as `5 of 96`."""
    preview: str
    empty: str
    """When nothing matches."""


Preview = Callable[[PaletteItem, str], Sequence[Line]]
"""Item and typed text → lines that show what it would do."""

COMMAND_CELLS = 20
LIST_LINES = 8
PREVIEW_FROM_LINES = 10


def matching(items: Sequence[PaletteItem], typed: str) -> list[PaletteItem]:
    """Items whose command or help holds every typed word; commands that begin with the text come first."""
    text = typed.strip().lstrip(":").lower()
    words = text.split()
    if not words:
        return list(items)
    named = [item for item in items if words[0] in item.command.lower()]
    found = [
        item for item in items if all(word in f"{item.command} {item.arguments} {item.help}".lower() for word in words)
    ]
    both = [*found, *(item for item in named if item not in found)]
    return sorted(both, key=lambda item: _rank(item, text, words[0]))


def _rank(item: PaletteItem, text: str, first_word: str) -> int:
    name = item.command.lstrip(":").lower()
    if name.startswith((text, first_word)):
        return 0
    return 1 if first_word in name else 2


class PaletteBox(OverlayBox):
    """Input, list and preview."""

    def __init__(self, items: Sequence[PaletteItem], texts: PaletteTexts, preview: Preview | None, typed: str) -> None:
        super().__init__()
        self._items = tuple(items)
        self._texts = texts
        self._preview = preview
        self._edit = EditLine(typed)
        self._found = matching(items, typed)
        self._window = Window()
        self.title = texts.title
        self.wanted_cells = 70

    @property
    def chosen(self) -> PaletteItem | None:
        """The item under the cursor."""
        return self._found[self._window.cursor] if self._found else None

    @property
    def typed(self) -> str:
        """The text typed so far."""
        return self._edit.text

    def wanted_lines(self, width_cells: int) -> int:
        """The same for every text, so that the box does not jump while typing."""
        lines = 3 + min(LIST_LINES, max(len(self._items), 1))
        return lines + (5 if self._preview is not None else 0)

    def inside(self, width_cells: int, height: int) -> Sequence[tuple[Line, str]]:
        """Input, blank, list, blank, preview."""
        look = self.look
        preview = self._preview_lines(look, width_cells) if height >= PREVIEW_FROM_LINES else []
        list_lines = max(1, height - 2 - (len(preview) + 1 if preview else 0))
        lines: list[tuple[Line, str]] = [(self._input(width_cells), "field"), ((), self.ground)]
        lines += self._list(look, width_cells, min(list_lines, LIST_LINES))
        lines += [((), self.ground)] * (height - len(lines) - len(preview))
        return [*lines, *((line, self.ground) for line in preview)]

    def _input(self, width_cells: int) -> Line:
        count = Piece(self._texts.counted(len(self._found), len(self._items)), "muted")
        before, under, after = self._edit.view(width_cells - cells(count.text) - 6)
        typed = [gap(1), Piece(before, "strong"), Piece(under, "caret"), Piece(after, "strong")]
        return spread(typed, [count, gap(2)], width_cells)

    def _list(self, look: Look, width_cells: int, height: int) -> list[tuple[Line, str]]:
        if not self._found:
            return [([gap(1), Piece(self._texts.empty, "muted")], self.ground)]
        rows = list_window(self._window, len(self._found), height)
        return [
            (self._row(look, row, width_cells), "chosen" if row == self._window.cursor else self.ground) for row in rows
        ]

    def _row(self, look: Look, row: int, width_cells: int) -> Line:
        item = self._found[row]
        chosen = row == self._window.cursor
        command = [*self._command(look, item, chosen)]
        used = sum(cells(piece.text) for piece in command)
        name_cells = max(COMMAND_CELLS, width_cells // 3)
        right = [Piece(look.shown(item.state), "muted"), gap(2)] if item.state else []
        help_ = Piece(look.shown(item.help), "text" if chosen else "muted")
        target = f"{row}"
        parts = [gap(1), *look.cut(command, name_cells - 2), gap(name_cells - used), help_]
        return [piece._replace(target=target) for piece in filled(parts, right, width_cells, look)]

    def _command(self, look: Look, item: PaletteItem, chosen: bool) -> list[Piece]:
        name = look.shown(item.command)
        arguments = [gap(1), Piece(look.shown(item.arguments), "info")] if item.arguments else []
        text = self.typed.strip().lstrip(":").lower()
        at = name.lower().find(text) if text and chosen else -1
        if at < 0:
            return [Piece(name, "bright"), *arguments]
        end = at + len(text)
        return [Piece(name[:at], "bright"), Piece(name[at:end], "match"), Piece(name[end:], "bright"), *arguments]

    def _preview_lines(self, look: Look, width_cells: int) -> list[Line]:
        item = self.chosen
        if self._preview is None or item is None:
            return []
        lines = [[gap(1), *line] for line in self._preview(item, self.typed)][:3]
        head = head_line(look, self._texts.preview, (), width_cells - 1)
        return [head, *lines, *[[gap(1)]] * (3 - len(lines))] if lines else []

    def type_key(self, event: events.Key) -> bool:
        """Edits the text or moves the cursor; False for another key."""
        if event.key in ("up", "ctrl+p"):
            self._window.move(self._window.cursor - 1)
        elif event.key in ("down", "ctrl+n"):
            self._window.move(self._window.cursor + 1)
        elif event.key in ("pageup", "pagedown"):
            self._window.page(LIST_LINES if event.key == "pagedown" else -LIST_LINES)
        elif edit_by_key(self._edit, event):
            self._narrow()
        else:
            return False
        self.refresh()
        return True

    def complete(self) -> None:
        """Takes the chosen command into the text."""
        if self.chosen is not None:
            self._edit.set(self.chosen.command + (" " if self.chosen.arguments else ""))
            self._narrow()
            self.refresh()

    def move_to(self, row: int) -> None:
        """Puts the cursor on a row of the list."""
        self._window.move(row)
        self.refresh()

    def _narrow(self) -> None:
        self._found = matching(self._items, self.typed)
        self._window = Window(rows=len(self._found))


class PaletteOverlay(Overlay["PaletteChoice | None"]):
    """Returns what the user ran, or None."""

    def __init__(
        self,
        items: Sequence[PaletteItem],
        texts: PaletteTexts,
        *,
        preview: Preview | None = None,
        typed: str = "",
        hints: Sequence[KeyHint] = (),
    ) -> None:
        self._palette = PaletteBox(items, texts, preview, typed)
        super().__init__(self._palette, hints)

    def on_key(self, event: events.Key) -> None:
        """Enter runs, tab completes, esc closes, the rest types."""
        palette = self._palette
        if event.key == "escape":
            self.dismiss(None)
        elif event.key == "enter":
            chosen = palette.chosen
            self.dismiss(PaletteChoice(chosen.target if chosen else "", palette.typed))
        elif event.key == "tab":
            palette.complete()
        elif not palette.type_key(event):
            return
        event.stop()
        event.prevent_default()

    def on_line_widget_pressed(self, event: OverlayBox.Pressed) -> None:
        """A click chooses and runs."""
        event.stop()
        if event.widget is self._palette:
            self._palette.move_to(int(event.target))
            chosen = self._palette.chosen
            self.dismiss(PaletteChoice(chosen.target if chosen else "", self._palette.typed))

"""Overlays to choose from a list: a checklist with an order, a menu, and a question whose safe answer comes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events

from widgets.frame import KeyHint
from widgets.overlay import Overlay, OverlayBox, filled, list_window
from widgets.panes import wrapped
from widgets.pieces import Line, Piece, gap
from widgets.text import cells, pad
from widgets.window import Window


class ChoiceItem(NamedTuple):
    """One entry of a list."""

    target: str
    text: str
    help: str = ""
    on: bool = False


class ChoiceBox(OverlayBox):
    """A list with a cursor, with boxes to check when it is a checklist."""

    def __init__(self, title: str, items: Sequence[ChoiceItem], checks: bool, note: str) -> None:
        super().__init__()
        self.title = title
        self.items = list(items)
        self.checks = checks
        self._note = note
        self._window = Window(rows=len(self.items))
        self._text_cells = max((cells(item.text) for item in items), default=0)
        help_cells = max((cells(item.help) for item in items), default=0)
        self.wanted_cells = min(max(self._text_cells + help_cells + 14, cells(title) + 8, cells(note) + 8, 30), 76)

    @property
    def cursor(self) -> int:
        """Row under the cursor."""
        return self._window.cursor

    def wanted_lines(self, width_cells: int) -> int:
        """All entries, and the note with a blank before it."""
        return max(len(self.items), 1) + (2 if self._note else 0)

    def inside(self, width_cells: int, height: int) -> Sequence[tuple[Line, str]]:
        """The entries in view and the note."""
        note_lines = 2 if self._note and height > 4 else 0
        rows = list_window(self._window, len(self.items), height - note_lines)
        lines: list[tuple[Line, str]] = [
            (self._row(row, width_cells), "chosen" if row == self.cursor else self.ground) for row in rows
        ]
        if note_lines:
            lines += [((), self.ground), ([gap(1), Piece(self._note, "muted")], self.ground)]
        return lines

    def _row(self, row: int, width_cells: int) -> Line:
        item, look = self.items[row], self.look
        chosen = row == self.cursor
        box = [Piece(look.glyphs.check if item.on else " ", "ok"), gap(1)] if self.checks else []
        text = Piece(look.shown(item.text), "bright" if chosen else "text" if item.on or not self.checks else "muted")
        help_ = Piece(look.shown(item.help), "text" if chosen else "muted")
        parts = [gap(1), *box, text, gap(self._text_cells - cells(text.text) + 2), help_]
        return [piece._replace(target=str(row)) for piece in filled(parts, (), width_cells, look)]

    def press(self, key: str) -> bool:
        """Moves the cursor, checks or moves an entry; False for another key."""
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10}
        ends = {"g": 0, "home": 0, "G": len(self.items) - 1, "end": len(self.items) - 1}
        if key in steps:
            self._window.move(self.cursor + steps[key])
        elif key in ends:
            self._window.move(ends[key])
        elif key == "space" and self.checks:
            self.toggle(self.cursor)
        elif key in ("J", "K") and self.checks:
            self._shift(1 if key == "J" else -1)
        else:
            return False
        self.refresh()
        return True

    def toggle(self, row: int) -> None:
        """Checks or unchecks an entry."""
        item = self.items[row]
        self.items[row] = item._replace(on=not item.on)
        self.refresh()

    def move_to(self, row: int) -> None:
        """Puts the cursor on a row."""
        self._window.move(row)
        self.refresh()

    def _shift(self, step: int) -> None:
        target = self.cursor + step
        if 0 <= target < len(self.items):
            self.items.insert(target, self.items.pop(self.cursor))
            self._window.move(target)


class ChoiceOverlay(Overlay["tuple[str, ...] | None"]):
    """A checklist returns the targets that are on, in order; a menu returns the one chosen. None when left.

    Space checks, J and K move an entry, enter accepts, esc or q leaves.
    """

    def __init__(
        self,
        title: str,
        items: Sequence[ChoiceItem],
        *,
        checks: bool = False,
        note: str = "",
        hints: Sequence[KeyHint] = (),
    ) -> None:
        self._list = ChoiceBox(title, items, checks, note)
        super().__init__(self._list, hints)

    def on_key(self, event: events.Key) -> None:
        """Chooses."""
        if event.key in ("escape", "q"):
            self.dismiss(None)
        elif event.key == "enter":
            self._accept()
        elif not self._list.press(event.key):
            return
        event.stop()
        event.prevent_default()

    def on_line_widget_pressed(self, event: OverlayBox.Pressed) -> None:
        """A click checks, or chooses from a menu."""
        event.stop()
        if event.widget is not self._list:
            return
        self._list.move_to(int(event.target))
        if self._list.checks:
            self._list.toggle(int(event.target))
        else:
            self._accept()

    def _accept(self) -> None:
        items = self._list.items
        if self._list.checks:
            self.dismiss(tuple(item.target for item in items if item.on))
        else:
            self.dismiss((items[self._list.cursor].target,) if items else None)


class ConfirmBox(OverlayBox):
    """A question and its answers; the first, safe one is chosen."""

    def __init__(self, title: str, text: str, answers: Sequence[str]) -> None:
        super().__init__()
        self.title = title
        self._text = text
        self._answers = tuple(answers)
        self.chosen = 0
        self.wanted_cells = 60

    def _text_lines(self, width_cells: int) -> list[list[Piece]]:
        pieces = [[Piece(self.look.shown(line), "text")] for line in self._text.splitlines()]
        return [line for piece in pieces for line in wrapped(piece, width_cells - 2)]

    def wanted_lines(self, width_cells: int) -> int:
        """The text, a blank, the answers."""
        return len(self._text_lines(width_cells)) + 2

    def inside(self, width_cells: int, height: int) -> Sequence[tuple[Line, str]]:
        """The text, a blank, the answers."""
        text: list[Line] = []
        text += [[gap(1), *line] for line in self._text_lines(width_cells)[: max(height - 2, 1)]]
        answers: list[Piece] = [gap(1)]
        for at, answer in enumerate(self._answers):
            label = f" {pad(self.look.shown(answer), 6)} "
            answers += [Piece(label, "on_focus" if at == self.chosen else "field", str(at)), gap(2)]
        return [(line, self.ground) for line in [*text, (), answers[: 1 + 2 * len(self._answers)]]]

    def move(self, step: int) -> None:
        """Chooses the next answer."""
        self.chosen = (self.chosen + step) % len(self._answers)
        self.refresh()


class ConfirmOverlay(Overlay[int]):
    """Returns the index of the answer; esc and q mean the first."""

    def __init__(self, title: str, text: str, answers: Sequence[str], hints: Sequence[KeyHint] = ()) -> None:
        self._question = ConfirmBox(title, text, answers)
        super().__init__(self._question, hints)

    def on_key(self, event: events.Key) -> None:
        """Moves between the answers, accepts, or leaves."""
        steps = {"left": -1, "h": -1, "shift+tab": -1, "right": 1, "l": 1, "tab": 1}
        if event.key in ("escape", "q"):
            self.dismiss(0)
        elif event.key == "enter":
            self.dismiss(self._question.chosen)
        elif event.key in steps:
            self._question.move(steps[event.key])
        else:
            return
        event.stop()
        event.prevent_default()

    def on_line_widget_pressed(self, event: OverlayBox.Pressed) -> None:
        """A click answers."""
        event.stop()
        if event.widget is self._question:
            self.dismiss(int(event.target))

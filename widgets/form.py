"""A form: fields in a column, each with its value and what it becomes; the buttons below. It edits nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.geometry import Size
from textual.message import Message

from widgets.lines import LineWidget
from widgets.listpane import ListPane
from widgets.pieces import Line, Piece, gap, width_of
from widgets.text import cells, cut_end, cut_middle, pad

LABEL_CELLS = 16
LEAST_NOTE_CELLS, MOST_NOTE_CELLS = 23, 36


class Field(NamedTuple):
    """One field of a form."""

    key: str
    label: str
    value: str
    note: str = ""
    """What the field becomes, at the right."""
    is_choice: bool = False
    """Whether its value is chosen from a list."""
    is_default: bool = False
    """Whether the value is only what holds while nothing was chosen."""


class Form(ListPane):
    """Fields with a cursor; `Opened` asks to change the one under it."""

    DEFAULT_CSS: ClassVar[str] = """
    Form { height: auto; width: 1fr; }
    """

    class Left(Message):
        """Down from the last field."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self.fields: Sequence[Field] = ()

    @property
    def field(self) -> Field | None:
        """The field under the cursor."""
        return self.fields[self.cursor] if 0 <= self.cursor < len(self.fields) else None

    def set_fields(self, fields: Sequence[Field]) -> None:
        """Shows other fields or values; the cursor stays on its number."""
        self.fields = fields
        self.set_rows([()] * len(fields))
        self.refresh()

    def line(self, y: int, width_cells: int) -> Line:
        """Label, value, what it becomes."""
        mark = list(super().line(y, width_cells))[:1]
        at = self._window.top + y
        return [*mark, *self._field(self.fields[at], width_cells - 1)] if at < len(self.fields) else ()

    def _field(self, field: Field, width_cells: int) -> list[Piece]:
        look, glyphs = self.look, self.look.glyphs
        note_cells = max(LEAST_NOTE_CELLS, min(width_cells * 3 // 10, MOST_NOTE_CELLS))
        value_cells = width_cells - LABEL_CELLS - 1 - note_cells - 4
        label = pad(cut_end(look.shown(field.label), LABEL_CELLS - 1, glyphs.ellipsis), LABEL_CELLS)
        value = cut_middle(look.shown(field.value), value_cells, glyphs.ellipsis)
        sign = glyphs.descending if field.is_choice else ""
        return [
            gap(1), Piece(label, "muted"), Piece(value, "faint" if field.is_default else "bright"),
            gap(value_cells - cells(value)), Piece(sign, "muted"), gap(4 - cells(sign)),
            Piece(cut_end(look.shown(field.note), note_cells, glyphs.ellipsis), "muted"),
        ]  # fmt: skip

    def action_cursor_down(self) -> None:
        """One field down; from the last one to what follows."""
        if self.cursor >= len(self.fields) - 1:
            self.post_message(self.Left())
        else:
            super().action_cursor_down()


class ButtonRow(LineWidget, can_focus=True):
    """Buttons in one line; the first is chosen at the start."""

    DEFAULT_CSS: ClassVar[str] = """
    ButtonRow { height: 1; width: 1fr; }
    """

    class Chosen(Message):
        """A button was pressed."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._buttons: Sequence[tuple[str, str]] = ()
        self._note = ""
        self.chosen = 0

    def set_buttons(self, buttons: Sequence[tuple[str, str]], note: str) -> None:
        """Keys and words of the buttons, and what stands behind them."""
        self._buttons, self._note = buttons, note
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line."""
        return 1

    def line(self, y: int, width_cells: int) -> Line:
        """The buttons, then the note as far as there is room."""
        line: list[Piece] = [gap(1)]
        for at, (key, word) in enumerate(self._buttons):
            role = "on_focus" if at == self.chosen and self.has_focus else "field"
            line += [Piece(f" {word} ", role, key), gap(2)]
        return [*line, *self.look.cut([Piece(self._note, "muted")], max(width_cells - width_of(line) - 1, 0))]

    def on_click(self, event: events.Click) -> None:
        """Presses the button under the mouse."""
        x = event.x - 1
        for key, word in self._buttons:
            if 0 <= x < cells(word) + 2:
                self.post_message(self.Chosen(key))
            x -= cells(word) + 4

    def on_focus(self) -> None:
        """Shows the chosen one."""
        self.refresh()

    def on_blur(self) -> None:
        """Hides it."""
        self.refresh()

    def action_move(self, step: int) -> None:
        """Chooses another button."""
        self.chosen = max(0, min(self.chosen + step, len(self._buttons) - 1))
        self.refresh()

    def action_open_item(self) -> None:
        """Presses the chosen button."""
        if self._buttons:
            self.post_message(self.Chosen(self._buttons[self.chosen][0]))

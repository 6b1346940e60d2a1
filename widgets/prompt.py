"""The one-line input at the bottom, for commands, find and filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.message import Message

from widgets.editline import EditLine
from widgets.frame import Bar
from widgets.pieces import Line, Piece, gap, spread, width_of

Completer = Callable[[str, int], Sequence[str]]
"""Text and caret → the texts that it may become, best first."""

EDIT_KEYS: dict[str, Callable[[EditLine], None]] = {
    "backspace": EditLine.backspace,
    "ctrl+h": EditLine.backspace,
    "delete": EditLine.delete,
    "ctrl+w": EditLine.delete_word,
    "ctrl+u": EditLine.delete_to_start,
    "left": lambda edit: edit.move(-1),
    "right": lambda edit: edit.move(1),
    "home": lambda edit: edit.move(-len(edit.text)),
    "end": lambda edit: edit.move(len(edit.text)),
}
"""Keys that edit, in every text field."""


def edit_by_key(edit: EditLine, event: events.Key) -> bool:
    """Applies an editing key or a printable character; False when the key is neither."""
    change = EDIT_KEYS.get(event.key)
    if change is not None:
        change(edit)
    elif event.is_printable and event.character:
        edit.insert(event.character)
    else:
        return False
    return True


class PromptLine(Bar, can_focus=True):
    """Takes one line: enter accepts, esc leaves, up and down walk the history, tab completes.

    While it is open it shows what the text would do, or what is wrong with it and where.
    """

    ground: ClassVar[str] = "title"

    class PromptMessage(Message):
        """Something that the prompt tells its screen."""

        def __init__(self, prompt: PromptLine, text: str) -> None:
            super().__init__()
            self.prompt = prompt
            self.text = text

        @property
        def control(self) -> PromptLine:
            """The prompt."""
            return self.prompt

    class Changed(PromptMessage):
        """The text changed."""

        def can_replace(self, message: Message) -> bool:
            """Only the last text counts."""
            return isinstance(message, PromptLine.Changed) and message.prompt is self.prompt

    class Accepted(PromptMessage):
        """Enter."""

    class Left(PromptMessage):
        """Esc, or backspace on an empty line."""

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 (Textual's own name)
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.sign = ""
        """What stands before the text, such as `:`; tells the owner what the line is for."""
        self._edit = EditLine()
        self._completer: Completer | None = None
        self._completions: tuple[str, ...] = ()
        self._tabs = 0
        self._note: tuple[Piece, ...] = ()
        self._error_at = -1

    def open(
        self, sign: str, text: str = "", history: Sequence[str] = (), completer: Completer | None = None, note: str = ""
    ) -> None:
        """Begins a new line and takes the focus. `note` is shown at the right until the text changes."""
        self.sign = sign
        self._edit = EditLine(text, history)
        self._completer = completer
        self._completions = ()
        self.set_note(note)
        self.display = True
        self.focus()
        self.refresh()

    def set_note(self, note: Sequence[Piece] | str = "") -> None:
        """What the text would do, at the right end."""
        self._note = (Piece(note, "muted"),) if isinstance(note, str) else tuple(note)
        self._error_at = -1
        self.refresh()

    def set_error(self, message: str, at: int = -1) -> None:
        """What is wrong, and the index of the character where; -1 for no place."""
        self._note = (Piece(message, "error"),)
        self._error_at = at
        self.refresh()

    @property
    def text(self) -> str:
        """The text typed so far."""
        return self._edit.text

    def line(self, y: int, width_cells: int) -> Line:
        """Sign, text with caret, note."""
        look = self.look
        note = [piece._replace(text=look.shown(piece.text)) for piece in self._note if piece.text]
        note = [*look.cut(note, width_cells // 2), gap(1)]
        room = max(8, width_cells - width_of(note) - len(self.sign) - 4)
        before, under, after = self._edit.view(room)
        first = self._edit.caret - len(before)
        typed = [*self._marked(before, first), Piece(under, "caret"), *self._marked(after, self._edit.caret + 1)]
        return spread([gap(1), Piece(self.sign, "here"), *typed], note, width_cells)

    def _marked(self, text: str, first: int) -> list[Piece]:
        """Text with the wrong character underlined, if it is in it."""
        at = self._error_at - first
        if self._error_at < 0 or not 0 <= at < len(text):
            return [Piece(text, "strong")]
        return [Piece(text[:at], "strong"), Piece(text[at], "error underline"), Piece(text[at + 1 :], "strong")]

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Printable keys type here instead of doing what they are bound to."""
        return character is not None and character.isprintable()

    async def on_key(self, event: events.Key) -> None:
        """Edits, walks the history, completes, accepts or leaves."""
        if event.key == "enter":
            self.post_message(self.Accepted(self, self.text))
        elif event.key == "escape" or (event.key in ("backspace", "ctrl+h") and not self.text):
            self.post_message(self.Left(self, self.text))
        elif event.key in ("tab", "shift+tab"):
            self._complete(1 if event.key == "tab" else -1)
        elif event.key in ("up", "down"):
            self._browse(event.key)
        elif edit_by_key(self._edit, event):
            self._edited()
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Inserts pasted text as one line."""
        event.stop()
        self._edit.insert(event.text)
        self._edited()

    def _browse(self, key: str) -> None:
        before = self.text
        if key == "up":
            self._edit.earlier()
        else:
            self._edit.later()
        if self.text != before:
            self._edited()

    def _complete(self, step: int) -> None:
        if self._completer is None:
            return
        if self.text not in self._completions:
            self._completions = tuple(self._completer(self.text, self._edit.caret))
            self._tabs = -1 if step > 0 else 0
        if self._completions:
            self._tabs = (self._tabs + step) % len(self._completions)
            self._edit.set(self._completions[self._tabs])
            self._edited()

    def _edited(self) -> None:
        self._error_at = -1
        self.refresh()
        self.post_message(self.Changed(self, self.text))

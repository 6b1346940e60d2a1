"""One line of text under edit, with history. No painting and no keys."""

from __future__ import annotations

from collections.abc import Sequence

from widgets.text import cells, head


class EditLine:
    """Text with a caret between its characters."""

    def __init__(self, text: str = "", history: Sequence[str] = ()) -> None:
        self.text = text
        self.caret = len(text)
        self._history = list(history)
        self._at = len(self._history)
        self._draft = ""

    def set(self, text: str) -> None:
        """Replaces all; the caret goes to the end."""
        self.text = text
        self.caret = len(text)

    def insert(self, text: str) -> None:
        """Puts text at the caret; line breaks become blanks."""
        text = " ".join(text.splitlines())
        self.text = self.text[: self.caret] + text + self.text[self.caret :]
        self.caret += len(text)

    def backspace(self) -> None:
        """Removes the character before the caret."""
        self._remove(self.caret - 1, self.caret)

    def delete(self) -> None:
        """Removes the character after the caret."""
        self._remove(self.caret, self.caret + 1)

    def delete_word(self) -> None:
        """Removes the word before the caret."""
        kept = self.text[: self.caret].rstrip()
        self._remove(kept.rfind(" ") + 1, self.caret)

    def delete_to_start(self) -> None:
        """Removes everything before the caret."""
        self._remove(0, self.caret)

    def move(self, step: int) -> None:
        """Moves the caret by characters, as far as there is text."""
        self.caret = max(0, min(self.caret + step, len(self.text)))

    def earlier(self) -> None:
        """Shows the entry before in the history."""
        self._browse(self._at - 1)

    def later(self) -> None:
        """Shows the next entry, and in the end what was being typed."""
        self._browse(self._at + 1)

    def view(self, width_cells: int) -> tuple[str, str, str]:
        """Text before, under and after the caret, cut at its start so that the caret is inside `width_cells`."""
        before, rest = self.text[: self.caret], self.text[self.caret :]
        under = rest[:1] or " "
        while before and cells(before) > width_cells - cells(under) - 1:
            before = before[1:]
        return before, under, head(rest[1:], width_cells - cells(before) - cells(under))

    def _browse(self, at: int) -> None:
        if not 0 <= at <= len(self._history) or at == self._at:
            return
        if self._at == len(self._history):
            self._draft = self.text
        self._at = at
        self.set(self._draft if at == len(self._history) else self._history[at])

    def _remove(self, first: int, last: int) -> None:
        first = max(first, 0)
        self.text = self.text[:first] + self.text[last:]
        self.caret = min(first, len(self.text))

"""An overlay that shows every key it is given: what a terminal really sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events

from widgets.frame import KeyHint
from widgets.overlay import Overlay, OverlayBox
from widgets.pieces import Line, Piece, gap

LINES = 8
"""Keys that stay in view."""
NAME_CELLS = 28

Meaning = Callable[[str], str]
"""Name of a key → what it does here, or empty."""


class KeyTestBox(OverlayBox):
    """The last keys, newest first."""

    def __init__(self, title: str, invitation: str, meaning: Meaning) -> None:
        super().__init__()
        self.title = title
        self._invitation = invitation
        self._meaning = meaning
        self._seen: list[str] = []

    def wanted_lines(self, width_cells: int) -> int:
        """The invitation, a blank, the keys."""
        return LINES + 2

    def inside(self, width_cells: int, height: int) -> Sequence[tuple[Line, str]]:
        """The invitation, a blank, the keys with what they do."""
        lines: list[Line] = [[gap(1), Piece(self._invitation, "muted")], []]
        for key in reversed(self._seen):
            lines.append([gap(1), Piece(f"{key:<{NAME_CELLS}}", "bright"), Piece(self._meaning(key), "text")])
        return [(line, self.ground) for line in lines[:height]]

    def saw(self, key: str) -> None:
        """Shows one more key."""
        self._seen = [*self._seen, key][-LINES:]
        self.refresh()


class KeyTestOverlay(Overlay[None]):
    """Closes when q or esc comes twice in a row."""

    def __init__(self, title: str, invitation: str, meaning: Meaning, hints: Sequence[KeyHint] = ()) -> None:
        self._keys = KeyTestBox(title, invitation, meaning)
        super().__init__(self._keys, hints)
        self._last = ""

    def on_key(self, event: events.Key) -> None:
        """Shows the key, or closes."""
        event.stop()
        event.prevent_default()
        if event.key in ("q", "escape") and self._last == event.key:
            self.dismiss(None)
            return
        self._last = event.key
        self._keys.saw(event.key)

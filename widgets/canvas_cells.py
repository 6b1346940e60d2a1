"""One line of the canvas as arrays of characters, inks and fills, and how it becomes a strip with few style runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from widgets.roles import Look
from widgets.tracks import FILLS

Chars = NDArray[np.uint32]
Inks = NDArray[np.uint8]

INKS: tuple[str, ...] = (
    "",
    *FILLS,
    "low_dim", "mid_dim", "high_dim",
    "bare", "inverse", "inverse bold", "text", "muted", "faint", "rule", "grid", "here", "focus", "marked",
    "window", "wide_low", "wide_mid", "wide_high", "counter", "counter_off", "loading",
    "outline", "outline_in", "view", "text reverse", "text bold", "text bold reverse",
)  # fmt: skip
"""Roles by code, used for inks and fills alike; 0 is the bare screen as a fill."""

CODE = {role: code for code, role in enumerate(INKS)}
FIRST_FILL = 1
"""Code of the first of `FILLS`."""

BLANK = ord(" ")
WIDE_REST = "\0"
"""Holds the second cell of a double-width character."""
_FILL_BITS = 6
_REVERSE = np.array(["reverse" in role for role in INKS])
_DIM = np.arange(len(INKS), dtype=np.uint8)
for _band in ("low", "mid", "high"):
    _DIM[CODE[_band]] = CODE[f"{_band}_dim"]


def code_points(text: str) -> Chars:
    """The characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


class Cells:
    """A line of `width` cells that is written piece by piece."""

    def __init__(self, chars: Chars, inks: Inks, fills: Inks) -> None:
        self.chars = chars
        self.inks = inks
        self.fills = fills

    @classmethod
    def blank(cls, width: int) -> Cells:
        """A bare line."""
        return cls(
            np.full(width, BLANK, dtype=np.uint32), np.zeros(width, dtype=np.uint8), np.zeros(width, dtype=np.uint8)
        )

    @property
    def width(self) -> int:
        """Number of cells."""
        return len(self.chars)

    def put(self, x: int, text: str, ink: str, fill: str | None = None) -> int:
        """Writes shown text that fits, from cell `x` on, and returns the cell after it; None keeps the fills."""
        points = code_points(text) if text.isascii() else _spaced(text)
        end = x + len(points)
        self.chars[x:end] = points
        self.inks[x:end] = CODE[ink]
        if fill is not None:
            self.fills[x:end] = CODE[fill]
        return end

    def paint(self, where: Any, char: str, ink: str, fill: str | None = None) -> None:
        """Puts one character into all cells that the index `where` chooses."""
        self.chars[where] = ord(char)
        self.inks[where] = CODE[ink]
        if fill is not None:
            self.fills[where] = CODE[fill]

    def widened(self, width: int) -> Cells:
        """The line with bare cells at its right end."""
        wide, used = Cells.blank(width), self.width
        wide.chars[:used], wide.inks[:used], wide.fills[:used] = self.chars, self.inks, self.fills
        return wide

    def dim(self) -> None:
        """Bands in the colours for lanes that are not being read."""
        self.inks = _DIM[self.inks]
        self.fills = _DIM[self.fills]

    def strip(self, look: Look) -> Strip:
        """The line in styles; blanks take the ink beside them, since each run costs about 25 bytes."""
        return Strip(self._segments(look), self.width)

    def _segments(self, look: Look) -> list[Segment]:
        if not self.width:
            return []
        codes = (self._inks_joined().astype(np.int32) << _FILL_BITS) | self.fills
        starts = np.concatenate(([0], np.flatnonzero(codes[1:] != codes[:-1]) + 1))
        cuts = [*starts.tolist(), self.width]
        text = self.chars.tobytes().decode("utf-32-le")
        parts = [text[start:end] for start, end in zip(cuts, cuts[1:])]
        if WIDE_REST in text:
            parts = [part.replace(WIDE_REST, "") for part in parts]
        return list(map(Segment, parts, _styles(look, codes[starts].tolist())))

    def _inks_joined(self) -> Inks:
        """Inks with those of blanks taken from a neighbour on the same fill, the one before or else the one after.

        In reverse the ink is what one sees of a blank; so there it stays.
        """
        columns = np.arange(self.width)
        reverse = _REVERSE[self.inks]
        written = (self.chars != BLANK) | reverse
        before = np.maximum.accumulate(np.where(written, columns, 0))
        after = np.minimum.accumulate(np.where(written, columns, self.width - 1)[::-1])[::-1]
        same_before = written[before] & (self.fills[before] == self.fills) & ~reverse[before]
        other = np.where(same_before, before, after)
        joined: Inks = np.where(written | reverse[other], self.inks, self.inks[other])
        return joined


def _styles(look: Look, codes: Sequence[int]) -> Iterator[Style]:
    """The style of each code, found by name once per look."""
    known = look.by_code
    for code in set(codes) - known.keys():
        known[code] = look.blend(INKS[code >> _FILL_BITS], INKS[code & ((1 << _FILL_BITS) - 1)])
    return map(known.__getitem__, codes)


def _spaced(text: str) -> Chars:
    """Characters with a placeholder after each double-width one."""
    return code_points("".join(char + WIDE_REST * (get_character_cell_size(char) - 1) for char in text))

"""A line before it is painted: pieces of text with a role, and optionally a target that a click on them means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from widgets.text import cells


class Piece(NamedTuple):
    """Some text of one line."""

    text: str
    role: str = ""
    """A role of `widgets.roles`, optionally with attributes (`warn bold`); empty for gaps and plain text."""
    target: str = ""
    """What a click on it asks for; the name means something only to the owner of the widget."""


Line = Sequence[Piece]


def width_of(pieces: Iterable[Piece]) -> int:
    """Cells that the pieces take."""
    return sum(cells(piece.text) for piece in pieces)


def gap(width_cells: int) -> Piece:
    """So many blanks; none for a negative number."""
    return Piece(" " * width_cells)


def spread(left: Sequence[Piece], right: Sequence[Piece], width_cells: int) -> list[Piece]:
    """One group of pieces at each end. The right one wins when both do not fit, and keeps two blanks before it."""
    room = width_cells - width_of(right)
    shown = clip(left, room - 2 if right else room)
    return [*shown, gap(room - width_of(shown)), *right]


def clip(pieces: Iterable[Piece], width_cells: int) -> list[Piece]:
    """The pieces that fit whole; from the first that does not on, all are dropped, except that one always stays."""
    kept: list[Piece] = []
    left = width_cells
    for piece in pieces:
        left -= cells(piece.text)
        if left < 0 and kept:
            break
        kept.append(piece)
    return kept


def target_at(pieces: Iterable[Piece], x: int) -> str:
    """Target of the piece at cell `x`, or empty."""
    for piece in pieces:
        x -= cells(piece.text)
        if x < 0:
            return piece.target
    return ""

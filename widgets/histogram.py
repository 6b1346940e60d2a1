"""Two distributions on one vertical axis: one grows to the left, the other to the right, the bins stand between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from widgets.bars import bar
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look
from widgets.text import cells

NUMBER_CELLS = 5
"""`100.0`, or `< 0.1`."""
LEAST_BAR_CELLS = 4


class Bin(NamedTuple):
    """One line: a range of values, and what share of each side lies in it."""

    low: str
    """Ends of the range, as shown."""
    high: str
    left_pct: float
    right_pct: float
    left_role: str = "low"
    """Role of the bar; `on_ROLE` must be a fill."""
    right_role: str = "bar"
    label_role: str = "muted"
    note: str = ""
    """In place of an empty left bar: what the line stands for."""
    bold: bool = False
    """Whether the number of the left side is the telling one."""


def two_sided(bins: Sequence[Bin], titles: tuple[str, str], width_cells: int, look: Look) -> list[Line]:
    """The titles of both sides, then a line per bin in the given order.

    Bars of both sides are scaled to the largest share of all.
    """
    low, high = (max((cells(look.shown(end)) for end in ends), default=0) for ends in _ends(bins))
    label_cells = low + high + 3
    side = max((width_cells - label_cells - 4) // 2, NUMBER_CELLS + 1 + LEAST_BAR_CELLS)
    most = max((share for each in bins for share in (each.left_pct, each.right_pct)), default=0.0)
    left, right = (look.shown(title) for title in titles)
    head: Line = [
        gap(side - cells(left) - 1), Piece(left, "low bold"),
        gap(label_cells + 5), Piece(right, "bar bold"),
    ]  # fmt: skip
    return [head, *(_bin_line(each, low, high, side, most, look) for each in bins)]


def _ends(bins: Sequence[Bin]) -> tuple[list[str], list[str]]:
    return [each.low for each in bins], [each.high for each in bins]


def _bin_line(each: Bin, low_cells: int, high_cells: int, side_cells: int, most: float, look: Look) -> Line:
    low, high = look.shown(each.low), look.shown(each.high)
    dash = look.shown(" – ")
    return [
        *_left(each, side_cells, most, look),
        gap(2 + low_cells - cells(low)),
        Piece(f"{low}{dash}{high}", each.label_role),
        gap(high_cells - cells(high) + 2),
        *_right(each, side_cells, most, look),
    ]


def _length(share_pct: float, side_cells: int, most: float) -> tuple[float, int]:
    """Fraction of the room for a bar, and that room."""
    return (share_pct / most if most > 0 else 0.0), side_cells - NUMBER_CELLS - 2


def _number(share_pct: float) -> str:
    return "" if not share_pct > 0 else "<0.1" if share_pct < 0.05 else f"{share_pct:.1f}"


def _right(each: Bin, side_cells: int, most: float, look: Look) -> list[Piece]:
    fraction, room = _length(each.right_pct, side_cells, most)
    drawn = _drawn(fraction, room, look)
    return [Piece(drawn, each.right_role), gap(1 if drawn else 0), Piece(_number(each.right_pct), "muted")]


def _left(each: Bin, side_cells: int, most: float, look: Look) -> list[Piece]:
    if each.note and not each.left_pct > 0:
        note = look.cut([Piece(look.shown(each.note), each.label_role)], side_cells - 4)
        told = sum(cells(piece.text) for piece in note)
        return [gap(1), *note, gap(1), Piece(look.glyphs.rule * (side_cells - told - 2), "rule")]
    fraction, room = _length(each.left_pct, side_cells, most)
    drawn = _mirrored(_drawn(fraction, room, look), each.left_role, look)
    number = _number(each.left_pct)
    used = sum(cells(piece.text) for piece in drawn) + len(number) + (1 if number else 0)
    return [gap(side_cells - used), Piece(number, "bright" if each.bold else "muted"), gap(1 if number else 0), *drawn]


def _drawn(fraction: float, room_cells: int, look: Look) -> str:
    """The bar without what is left of its room."""
    glyphs = look.glyphs
    return bar(fraction, room_cells, glyphs).rstrip(glyphs.bar_track) if fraction > 0 else ""


def _mirrored(drawn: str, role: str, look: Look) -> list[Piece]:
    """A bar that grows to the left: its partial cell is the rest of the cell, cut out of the fill."""
    glyphs = look.glyphs
    full = glyphs.bar[-1]
    whole, part = (drawn, "") if drawn.endswith(full) or not drawn else (drawn[:-1], drawn[-1])
    if not part:
        return [Piece(whole, role)]
    if not look.palette.colours or glyphs.name != "blocks":
        return [Piece(whole or full, role)]
    rest = glyphs.bar[len(glyphs.bar) - 1 - glyphs.bar.index(part)]
    return [Piece(rest, f"on_{role} cutout"), Piece(whole, role)]

"""Building blocks of the details panes: labelled values in one or two columns, gauges, small bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from widgets.bars import bar, gauge
from widgets.glyphs import GlyphSet
from widgets.pieces import Line, Piece, gap, width_of
from widgets.text import cells, cut_end, cut_middle, fit

LABEL_CELLS = 10
NARROW_LABEL_CELLS = 11
TWO_COLUMNS_FROM = 70
"""Narrower panes have one column of facts."""


class Fact(NamedTuple):
    """A label and its value."""

    label: str
    value: tuple[Piece, ...]
    wide: bool = False
    """Takes a whole line even where two fit."""


def fact(label: str, text: str, role: str = "", *, wide: bool = False, note: str = "") -> Fact:
    """A fact with one value, and a quieter note after it."""
    value = (Piece(text, role),) if not note else (Piece(text, role), gap(3), Piece(note, "muted"))
    return Fact(label, value, wide)


def fact_lines(
    facts: Sequence[Fact], width_cells: int, ellipsis: str = "…", label_cells: int | None = None
) -> list[Line]:
    """The facts in one column, or in two that both start at a fixed cell.

    Args:
        label_cells: Width of the labels; None makes room for the longest of them.
    """
    least = NARROW_LABEL_CELLS if width_cells < TWO_COLUMNS_FROM else LABEL_CELLS
    wanted = max(least, min(max((cells(entry.label) + 1 for entry in facts), default=0), width_cells // 4))
    label = wanted if label_cells is None else label_cells
    if width_cells < TWO_COLUMNS_FROM:
        return [_one(entry, width_cells, ellipsis, label) for entry in facts]
    half = width_cells // 2
    lines: list[Line] = []
    waiting: Line | None = None
    for entry in facts:
        if entry.wide:
            lines += ([waiting] if waiting else []) + [_one(entry, width_cells, ellipsis, label)]
            waiting = None
        elif waiting is None:
            waiting = _one(entry, half - 1, ellipsis, label)
        else:
            lines.append([*waiting, gap(half - width_of(waiting)), *_one(entry, width_cells - half, ellipsis, label)])
            waiting = None
    return lines + ([waiting] if waiting else [])


def fact_starts(width_cells: int, label_cells: int) -> list[int]:
    """Cells where labels and values begin."""
    half = width_cells // 2
    columns = (0, half) if width_cells >= TWO_COLUMNS_FROM else (0,)
    return [start for column in columns for start in (column, column + 1 + label_cells)]


def _one(entry: Fact, width_cells: int, ellipsis: str, label: int) -> Line:
    pieces = [gap(1), Piece(fit(entry.label, label, ellipsis=ellipsis), "muted")]
    return [*pieces, *shortened(entry.value, width_cells - 1 - label, ellipsis)]


def shortened(pieces: Sequence[Piece], width_cells: int, ellipsis: str = "…") -> list[Piece]:
    """The pieces in at most so many cells; the one that does not fit is cut at its end."""
    kept: list[Piece] = []
    left = width_cells
    for piece in pieces:
        if cells(piece.text) > left:
            kept.append(piece._replace(text=cut_end(piece.text, left, ellipsis)))
            break
        kept.append(piece)
        left -= cells(piece.text)
    return kept


def gauge_line(label: str, ratio: float, width_cells: int, glyphs: GlyphSet, limit: float) -> Line:
    """`mac   ━━╸───────┊─ 0.21` in exactly `width_cells`."""
    label_cells = min(LABEL_CELLS, max(6, width_cells // 4))
    room = max(width_cells - label_cells - 6, 4)
    value = Piece(f"{ratio:>5.2f}", "bright" if ratio >= limit else "")
    return [
        Piece(fit(label, label_cells, ellipsis=glyphs.ellipsis), "muted"),
        *gauge(ratio, room, glyphs, limit),
        gap(1),
        value,
    ]


class BarRow(NamedTuple):
    """One line of a small bar chart."""

    name: str
    calls: str
    value: str
    fraction: float
    role: str = "bar"
    target: str = ""


def bar_lines(rows: Sequence[BarRow], width_cells: int, glyphs: GlyphSet) -> list[Line]:
    """Name, count, value and a bar scaled to the largest, in columns that line up."""
    if not rows:
        return []
    count = max(cells(row.calls) for row in rows)
    value = max(cells(row.value) for row in rows)
    rest = width_cells - 2 - count - value - 4
    bar_cells = min(max(rest // 4, 7), 60) if rest < 60 else min(rest - 30, 60)
    name = max(rest - bar_cells, 8)
    return [_bar_line(row, name, count, value, bar_cells, glyphs) for row in rows]


def _bar_line(
    row: BarRow, name_cells: int, count_cells: int, value_cells: int, bar_cells: int, glyphs: GlyphSet
) -> Line:
    name = fit(cut_middle(row.name, name_cells, glyphs.ellipsis), name_cells)
    return [
        gap(1), Piece(name, "", row.target), gap(1), Piece(fit(row.calls, count_cells, "right"), "muted"), gap(2),
        Piece(fit(row.value, value_cells, "right")), gap(1), Piece(bar(row.fraction, bar_cells, glyphs), row.role),
    ]  # fmt: skip

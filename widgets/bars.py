"""Bars and small charts as text: every function gives strings of an exact width in the characters of a glyph set."""

from __future__ import annotations

from collections.abc import Sequence

from widgets.glyphs import GlyphSet
from widgets.pieces import Piece, gap
from widgets.text import cells, fit


def bar(fraction: float, width_cells: int, glyphs: GlyphSet) -> str:
    """A bar of `fraction` (0…1) of the width, from the left; anything above zero shows at least its smallest part."""
    if not fraction > 0:
        return glyphs.bar_track * width_cells
    parts = len(glyphs.bar) - 1
    filled = max(1, min(round(fraction * width_cells * parts), width_cells * parts))
    whole, rest = divmod(filled, parts)
    text = glyphs.bar[-1] * whole + (glyphs.bar[rest] if rest else "")
    return text + glyphs.bar_track * (width_cells - len(text))


def limited_bar(fraction: float, limit: float, width_cells: int, glyphs: GlyphSet, role: str) -> list[Piece]:
    """A bar with a thin line where the limit is; what lies beyond it is in the role of errors.

    Args:
        fraction: Length of the bar, 0…1 of the width.
        limit: Place of the line, 0…1 of the width.
        role: Of the bar; the line in it is cut out of `on_ROLE`, where there is such a fill.
    """
    text = bar(fraction, width_cells, glyphs)
    at = min(int(limit * width_cells), width_cells - 1)
    line = glyphs.seam if glyphs.seam.strip() else glyphs.edge
    if text[at] != glyphs.bar[-1]:
        return [Piece(text[:at], role), Piece(line, "faint"), Piece(text[at + 1 :], role)]
    fill = {"bar": "on_bar cutout", "mid": "on_mid cutout", "high": "on_high cutout"}.get(role, "on_fill_dim")
    return [Piece(text[:at], role), Piece(line, fill), Piece(text[at + 1 :], "error" if role == "high" else role)]


def two_part_bar(
    first: float, rest: float, width_cells: int, glyphs: GlyphSet, role: str, colours: bool = True
) -> list[Piece]:
    """A bar of two parts, one behind the other: the first in its role, the rest as `better`.

    Args:
        first: Length of the first part, 0…1 of the width.
        rest: Length of the second part; both together at most 1.
        colours: Whether colour tells the parts apart; without, and in ASCII, the rest is a line.
    """
    if glyphs.name == "blocks" and colours:
        return _two_parts_in_eighths(*_two_lengths(first, rest, width_cells * 8), width_cells, glyphs, role)
    begin, end = _two_lengths(first, rest, width_cells)
    sign = glyphs.bar[-1] if colours and glyphs.name != "ascii" else glyphs.rule
    return [Piece(glyphs.bar[-1] * begin, role), Piece(sign * (end - begin), "better"), gap(width_cells - end)]


def _two_lengths(first: float, rest: float, most: int) -> tuple[int, int]:
    """Where the first part ends, and where the second; the smallest bar is that of the larger part."""
    end = min(max(round((first + rest) * most), 1 if first + rest > 0 else 0), most)
    return min(max(round(first * most), 1 if first >= rest else 0), end), end


def _two_parts_in_eighths(begin: int, end: int, width_cells: int, glyphs: GlyphSet, role: str) -> list[Piece]:
    """The cell in which the first part ends shows both, one as the fill of the other. Lengths are eighths of a cell."""
    used, part = divmod(begin, 8)
    pieces = [Piece(glyphs.bar[-1] * used, role)]
    if part:
        is_filled = end >= (used + 1) * 8
        pieces.append(Piece(glyphs.bar[part if is_filled else end - used * 8], "on_better" if is_filled else role))
        used += 1
    full, left = divmod(max(end - used * 8, 0), 8)
    pieces.append(Piece(glyphs.bar[-1] * full + (glyphs.bar[left] if left else ""), "better"))
    return [*pieces, gap(width_cells - used - full - (left > 0))]


def gauge(ratio: float, width_cells: int, glyphs: GlyphSet, limit: float = -1.0, role: str = "bar") -> list[Piece]:
    """A thin bar on a track, with a mark at `limit` (0…1, negative for none); NaN shows an empty track."""
    full, half, rest, mark = glyphs.gauge
    halves = round(min(max(ratio, 0.0), 1.0) * width_cells * 2) if ratio == ratio else 0
    filled = full * (halves // 2) + (half if halves % 2 else "")
    track = rest * (width_cells - len(filled))
    at = min(int(limit * width_cells), width_cells - 1) - len(filled)
    if limit < 0 or at < 0:
        return [Piece(filled, role), Piece(track, "edge")]
    return [Piece(filled, role), Piece(track[:at], "edge"), Piece(mark, "faint"), Piece(track[at + 1 :], "edge")]


def sparkline(values: Sequence[float], glyphs: GlyphSet, headroom: bool = True) -> str:
    """One character per value, scaled to the largest; zero is blank.

    `headroom` leaves the top quarter free, so that rows do not merge.
    """
    top = max(values, default=0.0)
    if not top > 0:
        return " " * len(values)
    steps = glyphs.heights
    highest = max(1, round((len(steps) - 1) * (0.75 if headroom else 1.0)))
    return "".join(steps[max(1, round(value / top * highest))] if value > 0 else " " for value in values)


def histogram(values: Sequence[float], rows: int, glyphs: GlyphSet) -> list[str]:
    """Columns of `rows` lines, top line first, scaled to the largest value."""
    top = max(values, default=0.0)
    parts = len(glyphs.heights) - 1
    heights = [max(1, round(value / top * rows * parts)) if value > 0 else 0 for value in values]
    lines = []
    for row in reversed(range(rows)):
        lines.append("".join(glyphs.heights[min(max(height - row * parts, 0), parts)] for height in heights))
    return lines


def signed_bar(fraction: float, width_cells: int, glyphs: GlyphSet, roles: tuple[str, str]) -> list[Piece]:
    """A bar that grows from an axis in the middle: negative to the left in the first role, positive to the right."""
    side = (width_cells - 1) // 2
    length = min(side, round(abs(fraction) * side)) if fraction == fraction else 0
    full = glyphs.bar[-1] * length
    axis = Piece(glyphs.seam if glyphs.seam.strip() else glyphs.edge, "faint")
    if fraction < 0:
        return [gap(side - length), Piece(full, roles[0]), axis, gap(width_cells - side - 1)]
    return [gap(side), axis, Piece(full, roles[1]), gap(width_cells - side - 1 - length)]


def change_bar(change: float, zone: float, width_cells: int, glyphs: GlyphSet, colours: bool) -> list[Piece]:
    """A bar around zero with the zone of noise behind it: less grows to the left, more to the right.

    Args:
        change: −1…1 of half the width; NaN for none.
        zone: Half the width of the zone, 0…1.
        colours: Whether the zone can be told from a bar by its colour alone.
    """
    half = (width_cells - 1) // 2
    length, zone_cells = (min(max(value, 0.0), 1.0) * half for value in (abs(change), zone))
    shade = glyphs.bar[-1] if colours and glyphs.name == "blocks" else glyphs.dot
    left = _half_bar(length if change < 0 else 0.0, zone_cells, half, shade, glyphs, "better")
    right = _half_bar(length if change > 0 else 0.0, zone_cells, half, shade, glyphs, "worse")
    axis = Piece(glyphs.seam if glyphs.seam.strip() else glyphs.edge, "faint")
    return [*reversed(left), axis, *right, gap(width_cells - 2 * half - 1)]


def _half_bar(
    length_cells: float, zone_cells: float, half_cells: int, shade: str, glyphs: GlyphSet, role: str
) -> list[Piece]:
    """One side, from the axis outwards. The end of a bar to the left is the glyph of its rest, colours swapped."""
    is_left = role == "better"
    if glyphs.name == "blocks":
        eighths = max(round(length_cells * 8), 1) if length_cells > 0 else 0
        whole, part = divmod(eighths, 8)
    else:
        whole, part = (max(round(length_cells), 1) if length_cells > 0 else 0), 0
    full = ("<" if is_left else ">") if glyphs.name == "ascii" else glyphs.bar[-1]
    pieces = [Piece(full * whole, role)]
    if part:
        pieces.append(Piece(glyphs.bar[8 - part], f"{role} reverse") if is_left else Piece(glyphs.bar[part], role))
    used = whole + (part > 0)
    shaded = max(0, min(round(zone_cells), half_cells) - used)
    return [*pieces, Piece(shade * shaded, "noise"), gap(half_cells - used - shaded)]


def share_widths(shares: Sequence[float], width_cells: int) -> list[int]:
    """Whole cells for shares of a total, summing to `width_cells`; a share above zero gets one if there is room."""
    total = sum(shares)
    if not total > 0 or width_cells <= 0:
        return [0] * len(shares)
    exact = [share / total * width_cells for share in shares]
    widths = [max(1 if share > 0 else 0, int(cell)) for share, cell in zip(shares, exact)]
    while sum(widths) < width_cells:
        widths[max(range(len(widths)), key=lambda index: exact[index] - widths[index])] += 1
    while sum(widths) > width_cells:
        widths[max(range(len(widths)), key=lambda index: (widths[index] > 1, widths[index] - exact[index]))] -= 1
    return widths


def split_bar(parts: Sequence[tuple[float, str, str]], width_cells: int, glyphs: GlyphSet) -> list[Piece]:
    """One bar of the whole width, split by (share, label, role of the fill); a label that does not fit is left out.

    A seam parts the fills: two may have the same colour, or there are no colours at all.
    """
    widths = share_widths([share for share, _label, _role in parts], width_cells)
    pieces: list[Piece] = []
    for (_share, label, role), width in zip(parts, widths):
        if width <= 0:
            continue
        pieces.append(Piece(glyphs.seam, f"{role} cutout") if pieces else Piece(" ", role))
        pieces.append(Piece(fit(label if cells(label) <= width - 2 else "", width - 1), role))
    return pieces

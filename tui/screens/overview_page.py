"""The lines of the Overview: health, the split of the span, top operators beside top APIs, environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.i18n import _
from tui.model.split import PART_NAMES, Part, Split
from tui.overview import HealthLine, OverviewData, TopRow
from tui.screens.facts import fact, fact_lines
from tui.units import NS_PER_UNIT, number_text, span_text, time_unit, unit_label
from widgets.bars import bar, share_widths, split_bar
from widgets.panes import head_line
from widgets.pieces import Line, Piece, gap, spread, width_of
from widgets.roles import Look
from widgets.text import cells, fit

WIDE_FROM = 112
FILLS = {
    "load": "on_fill", "set-up": "on_fill_dim", "computing": "on_bar",
    "communication": "on_low", "idle": "on_mid", "other": "on_fill_dim",
}  # fmt: skip
TIME_ROLES = {"computing": "", "idle": "warn", "communication": ""}
SIGNS = {"ok": ("ok", "ok"), "info": ("!", "warn"), "warn": ("!", "warn"), "error": ("E", "error")}

Bands = tuple[float, float]


def page_lines(data: OverviewData, width: int, height: int, look: Look, bands: Bands) -> list[Line]:
    """Everything above the leads."""
    rows = 9 if height >= 36 else 5
    health = [_health_line(line, width, look) for line in data.health[:2]]
    return [*health, [], *_split_lines(data, width, look), [], *_top_lines(data, rows, width, look, bands), []]


def _health_line(line: HealthLine, width: int, look: Look) -> Line:
    sign, role = SIGNS[line.severity]
    sign = look.glyphs.check if sign == "ok" else sign
    pieces = [
        gap(1),
        Piece(sign, f"{role} bold"),
        gap(1),
        Piece(look.shown(line.fact), "bright" if role == "ok" else "text"),
    ]
    if line.consequence:
        pieces += [gap(2), Piece(look.shown(line.consequence), "muted")]
    if line.hint:
        pieces += [gap(2), Piece(look.shown(line.hint), "muted")]
    return look.cut(pieces, width - 1)


def _split_lines(data: OverviewData, width: int, look: Look) -> list[Line]:
    if data.split is None:
        head = head_line(look, _("where the time went"), (), width)
        return [head, [gap(1), Piece(look.shown(data.split_missing), "muted")], []]
    split = data.split
    title = _("where {time} went").format(time=span_text(split.span.length_ns))
    facts = [Piece(look.shown(split.note), "muted")] if split.note else []
    room = width - 2
    return [
        head_line(look, title, facts, width),
        [gap(1), *_fills(split, room, look)],
        [gap(1), *_times(split, room, look)],
    ]


def _fills(split: Split, room: int, look: Look) -> list[Piece]:
    parts = [(max(part.time_ns, 0), _label(part, room, split), FILLS[part.key]) for part in split.parts]
    return split_bar(parts, room, look.glyphs)


def _label(part: Part, room: int, split: Split) -> str:
    """Name and share where they fit, else the name."""
    width = part.share_pct / 100 * room
    name = _(PART_NAMES[part.key])
    both = f"{name} {number_text(part.share_pct, 0)} %"
    return both if cells(both) + 2 <= width else name


def _times(split: Split, room: int, look: Look) -> list[Piece]:
    """Times below their part of the bar; small parts at the right end get their name and time together."""
    widths = share_widths([max(part.time_ns, 0) for part in split.parts], room)
    pieces: list[Piece] = []
    late: list[Piece] = []
    x = 0
    for part, width in zip(split.parts, widths):
        text = look.shown(span_text(part.time_ns))
        if cells(text) + 1 <= width:
            pieces += [gap(x + 1 - width_of(pieces)), Piece(text, TIME_ROLES.get(part.key, "muted"))]
        else:
            late += [
                gap(3) if late else gap(0),
                Piece(f"{_(PART_NAMES[part.key])} {text}", TIME_ROLES.get(part.key, "muted")),
            ]
        x += width
    return spread(pieces, late, room)


def _top_lines(data: OverviewData, rows: int, width: int, look: Look, bands: Bands) -> list[Line]:
    half = width // 2
    by = _("top operators")
    left = _top_pane(by, "3", data.top_ops[:rows], half - 1, look, bands, counted=True)
    right = _top_pane(_("top APIs"), "4", data.top_apis[:rows], width - half, look, bands, counted=False)
    lines: list[Line] = []
    for at in range(max(len(left), len(right))):
        first = left[at] if at < len(left) else []
        second = right[at] if at < len(right) else []
        lines.append([*first, gap(half - width_of(first)), *second])
    return lines


def _top_pane(
    title: str, key: str, rows: Sequence[TopRow], width: int, look: Look, bands: Bands, *, counted: bool
) -> list[Line]:
    """The largest totals in the unit that suits the first; `key` opens the screen that has all of them."""
    largest = max((row.total_us for row in rows), default=0.0) or 1.0
    unit = time_unit(largest * NS_PER_UNIT["us"])
    facts = _("{unit}, {key} opens").format(unit=look.shown(unit_label(unit)), key=key)
    head = head_line(look, title, [Piece(facts, "muted")], width)
    if not rows:
        return [head, [gap(1), Piece(_("none in this profile"), "muted")]]
    counts = [f"{row.count}×" if counted else "" for row in rows]
    values = [number_text(row.total_us * NS_PER_UNIT["us"] / NS_PER_UNIT[unit], 2) for row in rows]
    widths = (max(map(cells, counts)), max(map(cells, values)))
    bar_cells = max(width // 4, 6) if width < 60 else width // 4 + 2
    name_cells = width - 1 - sum(widths) - (2 if counted else 0) - 2 - bar_cells - 2
    shape = _TopShape(name_cells, widths, bar_cells, largest, look, bands)
    return [head, *(shape.line(*entry) for entry in zip(rows, counts, values))]


@dataclass(frozen=True)
class _TopShape:
    """How the rows of a top list line up."""

    name_cells: int
    widths: tuple[int, int]
    """Of counts and values."""
    bar_cells: int
    largest_us: float
    look: Look
    bands: Bands

    def line(self, row: TopRow, count: str, value: str) -> Line:
        """Name, count, value and a bar in the colour of its band."""
        look, share = self.look, row.share_pct
        band = "high" if share >= self.bands[1] else "mid" if share >= self.bands[0] else "bar"
        name = fit(look.shown(row.name), self.name_cells, cut="middle", ellipsis=look.glyphs.ellipsis)
        calls = [gap(2), Piece(fit(look.shown(count), self.widths[0], "right"), "muted")] if count else []
        length = bar(row.total_us / self.largest_us, self.bar_cells, look.glyphs)
        figures = [gap(2), Piece(fit(value, self.widths[1], "right")), gap(1), Piece(length, band)]
        return [gap(1), Piece(name, "text"), *calls, *figures]


def more_lines(data: OverviewData, width: int, room: int, look: Look) -> list[Line]:
    """Environment and what cannot be said, where there is room for it."""
    facts = [fact(look.shown(label), look.shown(text)) for label, text in data.environment]
    head = head_line(look, _("environment"), (), width)
    lines: list[Line] = [[], head, *fact_lines(facts, width, look.glyphs.ellipsis)] if facts else []
    if len(lines) + 3 <= room and data.not_evaluated:
        lines += [[], head_line(look, _("not evaluated"), (), width)]
        lines += [[gap(1), Piece(look.shown(text), "muted")] for text in data.not_evaluated]
    return lines[:room]

"""The path of a link from one event to another, through the free cells between their lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from widgets.canvas_layout import Layout
from widgets.canvas_state import Flow, FlowEnd
from widgets.timeglyphs import TimeGlyphs
from widgets.viewport import Span

Marks = tuple[tuple[int, str], ...]


class Path(NamedTuple):
    """What a link adds to the lines of a view."""

    ends: Mapping[int, int]
    """Line → the cell where the link begins or ends."""
    lines: Mapping[int, Marks]
    """Line → characters by column, to be put into free cells."""


class _Place(NamedTuple):
    first_y: int
    last_y: int
    x: int


NO_PATH = Path({}, {})


def path_of(flow: Flow, layout: Layout, heads: frozenset[int], span: Span, width: int, glyphs: TimeGlyphs) -> Path:
    """The path of a link; `heads` are the lanes that are head lines, where it likes to bend."""
    places = [_place(end, layout, span, width) for end in flow]
    ends = {y: place.x for place in places for y in range(place.first_y, place.last_y + 1) if 0 <= place.x < width}
    upper, lower = sorted(places)
    between = range(upper.last_y + 1, lower.first_y)
    if not between or upper.last_y < -1:
        return Path(ends, {})
    bends = [y for y in between if 0 <= y < len(layout.lines) and layout.lines[y].lane in heads]
    bend = bends[-1] if bends else between[-1]
    vertical = glyphs.flow[0]
    lines: dict[int, Marks] = {y: ((upper.x, vertical),) for y in between if y < bend}
    lines[bend] = _bend(upper.x, lower.x, glyphs)
    lines.update({y: ((lower.x, vertical),) for y in between if y > bend})
    return Path(ends, {y: tuple(mark for mark in marks if 0 <= mark[0] < width) for y, marks in lines.items()})


def _place(end: FlowEnd, layout: Layout, span: Span, width: int) -> _Place:
    x = min(max(span.column(end.time_ns, width), -1), width)
    ys = [y for y, line in enumerate(layout.lines) if (line.lane, line.sub_row) == (end.lane, end.sub_row)]
    if ys:
        return _Place(ys[0], ys[-1], x)
    shown = layout.lines[layout.pinned :]
    above = bool(shown) and (end.lane, end.sub_row) < (shown[0].lane, shown[0].sub_row)
    outside = layout.pinned - 1 if above else len(layout.lines)
    return _Place(outside, outside, x)


def _bend(upper_x: int, lower_x: int, glyphs: TimeGlyphs) -> Marks:
    vertical, rule, up_right, up_left, down_right, down_left = tuple(glyphs.flow)
    if upper_x == lower_x:
        return ((upper_x, vertical),)
    left, right = sorted((upper_x, lower_x))
    corners = (up_right, down_left) if upper_x < lower_x else (down_right, up_left)
    return ((left, corners[0]), *((x, rule) for x in range(left + 1, right)), (right, corners[1]))

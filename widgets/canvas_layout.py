"""Which lane is on which line: lines two rows tall where there is room, pinned lanes on top, the others scrolled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from widgets.tracks import Lane


class LaneLine(NamedTuple):
    """One line of the canvas."""

    lane: int
    sub_row: int = 0
    part: int = 0
    """0 for the upper line of a row, 1 for the lower one."""
    tall: bool = False
    """Whether the row takes two lines."""


@dataclass(frozen=True)
class Layout:
    """The lines in view."""

    lines: tuple[LaneLine, ...]
    total: int
    """Lines that all lanes take."""
    pinned: int
    """Lines that do not scroll."""
    top: int
    """Line of the scrolled lanes that is shown first, from 0."""
    last_top: int

    def y_of(self, lane: int, sub_row: int = 0) -> int:
        """First line of a row in view, or -1."""
        for y, line in enumerate(self.lines):
            if line.lane == lane and line.sub_row == sub_row:
                return y
        return -1


def arrange(lanes: Sequence[Lane], height: int, cursor_lane: int, top: int) -> Layout:
    """Lays the lanes out on `height` lines, scrolled by `top` lines as far as that makes sense."""
    tall = _tall_lanes(lanes, height, cursor_lane)
    fixed: list[LaneLine] = []
    moving: list[LaneLine] = []
    for index, lane in enumerate(lanes):
        place = fixed if lane.pinned and not moving else moving
        place.extend(_lines_of(index, lane, index in tall))
    fixed = fixed[: max(height - 1, 0)]
    room = max(height - len(fixed), 0)
    last_top = max(0, len(moving) - room)
    top = min(max(top, 0), last_top)
    return Layout((*fixed, *moving[top : top + room]), len(fixed) + len(moving), len(fixed), top, last_top)


def top_showing(lanes: Sequence[Lane], height: int, lane: int, sub_row: int, top: int) -> int:
    """The scroll position nearest to `top` that shows a row with its head line if it is the first of its group."""
    layout = arrange(lanes, height, lane, top)
    whole = arrange(lanes, layout.total, lane, 0) if layout.last_top else layout
    first = _first_line(whole.lines, lane, sub_row)
    if first < 0 or first < layout.pinned or not layout.last_top:
        return layout.top
    last = first + sum(1 for line in whole.lines if (line.lane, line.sub_row) == (lane, sub_row)) - 1
    room = height - layout.pinned
    if last - first + 2 <= room and lane > 0 and sub_row == 0 and lanes[lane - 1].kind == "group":
        first -= 1
    lowest, highest = last - layout.pinned - room + 1, first - layout.pinned
    return min(max(layout.top, lowest, 0), max(highest, 0), layout.last_top)


def _first_line(lines: Sequence[LaneLine], lane: int, sub_row: int) -> int:
    return next((y for y, line in enumerate(lines) if (line.lane, line.sub_row) == (lane, sub_row)), -1)


def _tall_lanes(lanes: Sequence[Lane], height: int, cursor_lane: int) -> Collection[int]:
    """Lanes that get two lines per row: the cursor's, then the counters, then all, as far as everything fits."""
    spare = height - sum(lane.rows for lane in lanes)
    tall: set[int] = set()
    for kinds in (("cursor",), ("counter",), ("slices", "counter")):
        chosen = {
            index
            for index, lane in enumerate(lanes)
            if (index == cursor_lane if kinds == ("cursor",) else lane.kind in kinds) and lane.kind != "group"
        }
        if sum(lanes[index].rows for index in chosen | tall) > spare:
            break
        tall |= chosen
    return tall


def _lines_of(index: int, lane: Lane, tall: bool) -> list[LaneLine]:
    if not tall:
        return [LaneLine(index, sub_row) for sub_row in range(lane.rows)]
    return [LaneLine(index, sub_row, part, True) for sub_row in range(lane.rows) for part in (0, 1)]

"""The head line of a group of lanes: a thin rule, facts at the right, and how many like the cursor are out of view."""

from __future__ import annotations

from widgets.canvas_cells import Cells
from widgets.roles import Look
from widgets.text import cells, cut_end
from widgets.tracks import Lane


def paint_head(look: Look, lane: Lane, width: int, counts: tuple[int, int]) -> Cells:
    """A head line; `counts` are events named like the one under the cursor before and after the window."""
    line = Cells.blank(width)
    facts = cut_end(look.shown(lane.facts), max(width - 2, 0), look.glyphs.ellipsis)
    end = width - cells(facts) - (1 if facts else 0)
    line.put(0, look.glyphs.rule * end, "rule")
    if facts:
        line.put(end, " " + facts, "muted")
    left, right = look.glyphs.time.wide
    before, after = f"{left} {counts[0]} ", f" {counts[1]} {right} "
    if counts[0] and len(before) < end:
        line.put(0, before, "focus")
    if counts[1] and len(before) + len(after) < end:
        line.put(end - len(after), after, "focus")
    return line

"""One line of a counter: a filled curve, one or two lines tall."""

from __future__ import annotations

import numpy as np

from widgets.canvas_cells import BLANK, CODE, Cells, code_points
from widgets.canvas_paint import Context, LineContext, put_background
from widgets.tracks import CounterBins


def paint_counter(context: Context, at: LineContext, bins: CounterBins) -> Cells:
    """A line of a counter from its bins."""
    glyphs = context.look.glyphs.time
    steps = code_points(glyphs.counter)
    full = len(steps) - 1
    headroom = full > 4
    """The highest value stays below the full height, so that lanes do not merge."""
    heights = np.nan_to_num(np.asarray(bins.heights, dtype=np.float64))
    top = (2 * full - 2 * headroom) if at.line.tall else full - headroom
    levels = np.where(heights > 0, np.clip(np.rint(heights * top), 1, top), 0).astype(np.int64)
    if at.line.tall:
        levels = np.maximum(levels - full, 0) if at.named else np.minimum(levels, full)
    line = Cells.blank(len(heights))
    line.chars[:] = steps[levels]
    line.inks[:] = np.where(np.asarray(bins.off), CODE["counter_off"], CODE["counter"])
    if full > 4:
        solid = levels == full
        line.fills[solid] = line.inks[solid]
        line.chars[solid] = BLANK
    put_background(context, line, levels == 0)
    return line

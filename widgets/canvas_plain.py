"""One line of events without colours: bands as characters, labels between brackets, the cursor in reverse."""

from __future__ import annotations

import numpy as np

from widgets.canvas_cells import CODE, FIRST_FILL, Cells, code_points
from widgets.canvas_paint import (
    LABEL_CELLS,
    Context,
    LineContext,
    Run,
    label,
    put_background,
    put_gaps,
    put_short_gap,
    runs,
    window_wide,
)
from widgets.canvas_shapes import Shapes
from widgets.timeglyphs import TimeGlyphs
from widgets.tracks import FILLS, IntArray, Slice

_FIRST_CATEGORY = FILLS.index("cat0")


def band_chars(glyphs: TimeGlyphs) -> IntArray:
    """The character of each fill: by band, a letter for each category."""
    banded, other = glyphs.bands[:3], glyphs.bands[3]
    letters = "".join(chr(ord("A") + index) for index in range(len(FILLS) - _FIRST_CATEGORY))
    return code_points(banded + other * (_FIRST_CATEGORY - 3) + letters)


def paint_plain(context: Context, at: LineContext, shapes: Shapes, row: int) -> Cells:
    """A line of events from their shapes."""
    glyphs = context.look.glyphs.time
    width = shapes.chars.shape[1]
    line = Cells.blank(width)
    wide = window_wide(context, shapes.body[row])
    if wide is not None:
        _put_wide(context, at, line, wide, band_chars(glyphs)[int(shapes.fills[row][0]) - FIRST_FILL])
        if at.event == shapes.body[row][0]:
            line.inks[:] = CODE["text reverse"]
        return line
    put_background(context, line, shapes.empty[row])
    _put_bodies(line, shapes, row, glyphs)
    if at.lane.gaps and at.named:
        put_gaps(context, at, line, shapes.empty[row])
    line.inks[:] = CODE["text"]
    for run in runs(shapes.body[row]):
        if run.event >= 0 and run.end - run.start >= LABEL_CELLS:
            _put_label(context, at, line, run)
    if at.event >= 0:
        _put_cursor(context, at, line, shapes, row)
    elif at.gap is not None:
        put_short_gap(context, at.gap, line, shapes.empty[row])
    return line


def _put_bodies(line: Cells, shapes: Shapes, row: int, glyphs: TimeGlyphs) -> None:
    bands = band_chars(glyphs)
    inks, fills = shapes.inks[row].astype(np.int64), shapes.fills[row].astype(np.int64)
    has_fill = (fills >= FIRST_FILL) & (fills < FIRST_FILL + len(FILLS))
    codes = np.where(has_fill, fills, inks) - FIRST_FILL
    taken = np.flatnonzero(~shapes.empty[row])
    line.chars[taken] = bands[codes[taken]]
    dense = np.flatnonzero(shapes.busy[row])
    steps = code_points(glyphs.crowd)
    levels = np.clip(np.rint(shapes.busy[row][dense] * (len(steps) - 1)), 1, len(steps) - 1)
    line.chars[dense] = steps[levels.astype(np.int64)]


def _put_wide(context: Context, at: LineContext, line: Cells, texts: Slice, band: int) -> None:
    """It holds no information here: blank but for its ends and its texts."""
    width, look = line.width, context.look
    text = label(context, at, texts, width - 6)
    line.put(min(3, width - 1), text if width > 6 else "", "text bold")
    if at.named:
        line.chars[[min(1, width - 1), max(width - 2, 0)]] = band
        line.put(0, look.glyphs.time.wide[0], "text")
        line.put(width - 1, look.glyphs.time.wide[1], "text")


def _put_label(context: Context, at: LineContext, line: Cells, run: Run) -> None:
    glyphs = context.look.glyphs.time
    texts = context.source.slice(run.event)
    span = context.state.span
    starts, ends = texts.start_ns >= span.start_ns, texts.end_ns <= span.end_ns
    left, right = (glyphs.labelled[0] if starts else glyphs.wide[0]), (glyphs.labelled[1] if ends else glyphs.wide[1])
    line.put(run.start, left, "text")
    line.put(run.end - 1, right, "text")
    line.put(run.start + 1, label(context, at, texts, run.end - run.start - 2), "text bold")


def _put_cursor(context: Context, at: LineContext, line: Cells, shapes: Shapes, row: int) -> None:
    texts, span = context.source.slice(at.event), context.state.span
    first = max(span.column(texts.start_ns, line.width), 0)
    last = min(span.column(max(texts.end_ns - 1, texts.start_ns), line.width), line.width - 1)
    reverse = np.zeros(line.width, dtype=bool)
    body = np.flatnonzero(shapes.body[row] == at.event)
    if len(body) >= LABEL_CELLS:
        first, last = int(body[0]), int(body[-1])
    reverse[first : last + 1] = True
    bold = line.inks == CODE["text bold"]
    line.inks[reverse] = CODE["text reverse"]
    line.inks[reverse & bold] = CODE["text bold reverse"]

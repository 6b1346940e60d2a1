"""One line of events in colours: dense cells, grid, gaps, labels, and what the cursor adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from widgets.canvas_cells import BLANK, CODE, Cells, code_points
from widgets.canvas_layout import LaneLine
from widgets.canvas_shapes import Shapes
from widgets.canvas_state import CanvasState
from widgets.roles import Look
from widgets.text import cells, cut_end
from widgets.tracks import FILLS, BoolArray, FloatArray, Gap, IntArray, Lane, Slice, TrackSource
from widgets.viewport import Span

LABEL_CELLS = 4
"""An event this wide gets a label."""
GAP_CELLS = 5
_BOLD_FILLS = (CODE["mid"], CODE["high"])


class Context(NamedTuple):
    """What the lines of one view have in common."""

    look: Look
    source: TrackSource
    state: CanvasState
    grid: tuple[int, ...]
    """Columns under the ticks of the ruler."""


class LineContext(NamedTuple):
    """One line to be painted."""

    line: LaneLine
    lane: Lane
    read: bool
    """Whether it belongs to the lane with the cursor."""
    event: int
    """The event under the cursor if it is in this row, or -1."""
    gap: Span | None
    """The gap under the cursor if it is in this row."""

    @property
    def named(self) -> bool:
        """Whether names belong on this line."""
        return self.line.part == 0

    @property
    def timed(self) -> bool:
        """Whether durations belong on this line."""
        return self.line.part == 1 or not self.line.tall


class Run(NamedTuple):
    """Neighbouring cells of one event."""

    start: int
    end: int
    event: int


def runs(values: IntArray) -> Iterator[Run]:
    """Runs of equal values, those of -1 included."""
    if len(values):
        cuts = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
        for start, end in zip(cuts, cuts[1:]):
            yield Run(start, end, int(values[start]))


def paint_slices(context: Context, at: LineContext, shapes: Shapes, row: int) -> Cells:
    """A line of events from their shapes."""
    wide = window_wide(context, shapes.body[row])
    if wide is not None:
        return _paint_wide(context, at, wide, int(shapes.body[row][0]), len(shapes.body[row]))
    line = shapes.cells(row)
    _put_dense(context, at, line, shapes.busy[row])
    put_background(context, line, shapes.empty[row])
    if at.lane.gaps and at.named:
        put_gaps(context, at, line, shapes.empty[row])
    if not at.read:
        line.dim()
    for run in runs(shapes.body[row]):
        if run.event >= 0 and run.end - run.start >= LABEL_CELLS:
            _put_label(context, at, line, run)
    if at.event >= 0:
        _put_cursor(context, at, line, shapes, row)
    elif at.gap is not None:
        put_short_gap(context, at.gap, line, shapes.empty[row])
    return line


def put_background(context: Context, line: Cells, empty: BoolArray) -> None:
    """Grid, the range being marked, marks and times not read yet, in empty cells."""
    state, glyphs = context.state, context.look.glyphs.time
    columns = np.array(context.grid, dtype=np.int64)
    if glyphs.grid != " ":
        line.paint(columns[empty[columns]], glyphs.grid, "grid")
    for waiting in state.loading:
        line.paint(_within(waiting, state.span, empty), glyphs.loading, "loading")
    if state.range is not None:
        _shade(line, _within(state.range, state.span, np.ones(line.width, dtype=bool)))
        _put_times(context, line, empty, (state.range.start_ns, state.range.end_ns - 1), glyphs.tick)
    _put_times(context, line, empty, state.marks, glyphs.grid.strip() or glyphs.tick)


def _put_times(context: Context, line: Cells, empty: BoolArray, times: Sequence[int], char: str) -> None:
    """A sign of the user's in the empty ones of the cells that hold these times."""
    for time_ns in times:
        column = context.state.span.column(time_ns, line.width)
        if 0 <= column < line.width and empty[column]:
            line.put(column, char, "marked")


def _shade(line: Cells, columns: IntArray) -> None:
    """What is bare becomes a little brighter, the bare parts of cells too."""
    line.fills[columns] = np.where(line.fills[columns] == 0, CODE["view"], line.fills[columns])
    line.inks[columns] = np.where(line.inks[columns] == CODE["bare"], CODE["view"], line.inks[columns])


def _within(part: Span, window: Span, empty: BoolArray) -> IntArray:
    """Those of the cells in `empty` that a part of the time touches."""
    width = len(empty)
    start = min(max(window.column(part.start_ns, width), 0), width)
    end = min(max(window.column(part.end_ns - 1, width) + 1, start), width)
    return np.flatnonzero(empty[start:end]) + start


def _put_dense(context: Context, at: LineContext, line: Cells, busy: FloatArray) -> None:
    dense = np.flatnonzero(busy)
    if not len(dense):
        return
    glyphs = context.look.glyphs.time
    steps = code_points(glyphs.dense)
    full = len(steps) - 1
    top = glyphs.dense_top + (full if at.line.tall else 0)
    levels = np.clip(np.rint(busy[dense] * top), 1, top).astype(np.int64)
    if at.line.tall:
        levels = levels - full if at.named else np.minimum(levels, full)
    chars = steps[np.maximum(levels, 0)]
    line.chars[dense] = chars
    if glyphs.dense_top < full:
        solid = dense[levels >= full]
        line.chars[solid], line.fills[solid] = BLANK, line.inks[solid]


# Gaps


def put_gaps(context: Context, at: LineContext, line: Cells, empty: BoolArray) -> None:
    """Idle times that are wide enough, with their length."""
    span = context.state.span
    for run in runs(empty.astype(np.int64)):
        if run.event and run.end - run.start >= GAP_CELLS:
            middle = (run.start + run.end) // 2
            gap = context.source.gap(at.line.lane, at.line.sub_row, span.time_at(middle, line.width))
            if gap is not None:
                here = at.gap is not None and at.gap == Span(gap.start_ns, gap.end_ns)
                text = _gap_line(context, gap, run)
                line.put(run.start, text, "here" if here else "faint")


def _gap_line(context: Context, gap: Gap, run: Run) -> str:
    left, rule, right = context.look.glyphs.time.gap
    left = left if gap.start_ns >= context.state.span.start_ns else rule
    right = right if gap.end_ns <= context.state.span.end_ns else rule
    room = run.end - run.start - 2
    texts = (f" {context.look.shown(text)} " for text in gap.texts)
    text = next((text for text in texts if cells(text) <= room), "")
    dashes = room - cells(text)
    return left + rule * (dashes // 2) + text + rule * (dashes - dashes // 2) + right


def put_short_gap(context: Context, gap: Span, line: Cells, empty: BoolArray) -> None:
    """A gap under the cursor that is too short for its line."""
    width, span = line.width, context.state.span
    free = _within(gap, span, empty)
    if len(free) >= GAP_CELLS:
        return
    if len(free):
        line.paint(free, context.look.glyphs.time.gap[1], "here")
        return
    column = span.column(gap.start_ns, width)
    if 0 <= column < width:
        line.paint(column, context.look.glyphs.time.here[0], "focus")


# Labels


def _put_label(context: Context, at: LineContext, line: Cells, run: Run) -> None:
    texts = context.source.slice(run.event)
    bold = line.fills[run.start] in _BOLD_FILLS
    text = label(context, at, texts, run.end - run.start - 1)
    if text:
        line.put(run.start + 1, text, "inverse bold" if bold else "inverse")


def label(context: Context, at: LineContext, texts: Slice, room: int) -> str:
    """The name, then the duration if both fit; on the lower of two lines only the duration."""
    look = context.look
    name, duration = look.shown(texts.name), look.shown(texts.duration)
    if not at.named:
        return duration if cells(duration) <= room else ""
    if at.timed and cells(name) + 2 + cells(duration) <= room:
        return f"{name}  {duration}"
    return cut_end(name, room, look.glyphs.ellipsis)


# The event under the cursor


def _put_cursor(context: Context, at: LineContext, line: Cells, shapes: Shapes, row: int) -> None:
    body = np.flatnonzero(shapes.body[row] == at.event)
    if len(body) < LABEL_CELLS:
        _put_short_cursor(context, at, line, shapes, row)
        return
    texts, glyphs = context.source.slice(at.event), context.look.glyphs.time
    start, end = int(body[0]), int(body[-1])
    if texts.end_ns <= context.state.span.end_ns:
        line.put(end, glyphs.here[1], "focus")
    if at.named:
        _put_chip(context, at, line, texts, Run(start, end, at.event))
    elif texts.start_ns >= context.state.span.start_ns:
        line.put(start, glyphs.here[0], "focus")


def _put_chip(context: Context, at: LineContext, line: Cells, texts: Slice, room: Run) -> None:
    """The name on the colour of the cursor, and the duration behind it if it fits."""
    look = context.look
    name = cut_end(look.shown(texts.name), room.end - room.start - 2, look.glyphs.ellipsis)
    line.chars[room.start : room.end] = BLANK
    end = line.put(room.start, f" {name} ", "inverse bold", "focus")
    duration = " " + look.shown(texts.duration)
    if at.timed and cells(duration) <= room.end - end:
        bold = line.fills[room.end] in _BOLD_FILLS
        line.put(end, duration, "inverse bold" if bold else "inverse")


def _put_short_cursor(context: Context, at: LineContext, line: Cells, shapes: Shapes, row: int) -> None:
    """All of a short event; where a cell shows others in its place, that whole cell."""
    texts = context.source.slice(at.event)
    span, width = context.state.span, line.width
    first, last = span.column(texts.start_ns, width), span.column(max(texts.end_ns - 1, texts.start_ns), width)
    touched = np.zeros(width, dtype=bool)
    touched[max(first, 0) : max(last + 1, 0)] = True
    inks, fills = shapes.ink_event[row] == at.event, shapes.fill_event[row] == at.event
    whole = (touched | inks) & (shapes.busy[row] > 0)
    if not (inks | fills | whole).any():
        whole = touched & ~shapes.empty[row]
    line.inks[inks | whole] = CODE["focus"]
    line.fills[fills | (whole & (line.chars == BLANK) & (line.fills > 0))] = CODE["focus"]


# Events that fill the window


def window_wide(context: Context, body: IntArray) -> Slice | None:
    """Texts of the event that fills the whole window, if one does."""
    if not len(body) or body[0] < 0 or body[0] != body[-1] or (body != body[0]).any():
        return None
    texts = context.source.slice(int(body[0]))
    span = context.state.span
    return texts if texts.start_ns <= span.start_ns and texts.end_ns >= span.end_ns else None


def _paint_wide(context: Context, at: LineContext, texts: Slice, event: int, width: int) -> Cells:
    """It holds no information here: a quiet bar with its name in its own colour."""
    line, look = Cells.blank(width), context.look
    line.fills[:] = CODE["window"]
    fill = FILLS[int(context.source.fills(np.array([event]))[0])]
    ink = f"wide_{fill}" if fill in ("low", "mid", "high") else "text"
    left, right = look.glyphs.time.wide
    if at.named:
        line.put(0, left, "muted")
        line.put(width - 1, right, "muted")
    text = label(context, at, texts, width - 4)
    if width > 4:
        line.put(2, text, ink)
        if event == at.event and at.named:
            name = cut_end(look.shown(texts.name), width - 4, look.glyphs.ellipsis)
            line.put(1, f" {name} ", "inverse bold", "focus")
    return line

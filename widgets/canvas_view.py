"""The lines of the time canvas, painted on demand and remembered while nothing that they show changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.strip import Strip

from widgets.canvas_cells import Cells
from widgets.canvas_counter import paint_counter
from widgets.canvas_flow import NO_PATH, Marks, Path, path_of
from widgets.canvas_head import paint_head
from widgets.canvas_layout import LaneLine, Layout, arrange
from widgets.canvas_paint import Context, LineContext, paint_slices
from widgets.canvas_plain import paint_plain
from widgets.canvas_shapes import Shapes, shape
from widgets.canvas_state import CanvasState
from widgets.roles import Look
from widgets.ruler import ticks_in
from widgets.tracks import CounterBins, Lane, Row, TrackSource
from widgets.viewport import Span

MOST_STRIPS = 1000


class LineKey(NamedTuple):
    """Everything about a line that is not common to all lines; two lines with equal keys look the same."""

    line: LaneLine
    read: bool
    event: int
    gap: Span | None
    flow: Marks
    flow_end: int
    counts: tuple[int, int]


class CanvasView:
    """Lines of one source as they look in one state and size."""

    def __init__(self, source: TrackSource, look: Look) -> None:
        self.source = source
        self.look = look
        self.lanes: Sequence[Lane] = tuple(source.lanes())
        self.layout = Layout((), 0, 0, 0, 0)
        self._state = CanvasState()
        self._columns = self._height = 0
        self._context = Context(look, source, self._state, ())
        self._path: Path = NO_PATH
        self._shapes: dict[Row, tuple[Shapes, int]] = {}
        self._counters: dict[int, CounterBins] = {}
        self._strips: dict[LineKey, Strip] = {}

    def show(self, state: CanvasState, columns: int, height: int) -> bool:
        """Turns to another state or size; True if that changes all lines."""
        if state is self._state and (columns, height) == (self._columns, self._height):
            return False
        before, self._state = self._state, state
        moved = (state.span, columns) != (before.span, self._columns)
        self._columns, self._height = columns, height
        if moved:
            self._shapes, self._counters = {}, {}
        changed = moved or _common(state) != _common(before)
        if changed or len(self._strips) > MOST_STRIPS:
            self._strips = {}
        self._context = Context(self.look, self.source, state, ticks_in(state.span, state.origin_ns, columns))
        self.layout = arrange(self.lanes, height, state.lane, state.top)
        self._path = self._found_path()
        return changed

    def key(self, y: int) -> LineKey | None:
        """What line `y` shows; None for lines below the lanes."""
        if y >= len(self.layout.lines) or not self._columns:
            return None
        line, state = self.layout.lines[y], self._state
        here = (line.lane, line.sub_row) == (state.lane, state.sub_row)
        return LineKey(
            line,
            line.lane == state.lane,
            state.event if here else -1,
            state.gap if here else None,
            self._path.lines.get(y, ()),
            -1 if here else self._path.ends.get(y, -1),
            (state.before, state.after) if self.is_head_of(line.lane, state.lane) else (0, 0),
        )

    def strip(self, key: LineKey | None, width: int) -> Strip:
        """A line, `width` cells wide."""
        if key is None:
            return self.look.strip((), width)
        strip = self._strips.get(key)
        if strip is None:
            line = self._cells(key)
            self._add_flow(line, key)
            strip = self._strips[key] = line.widened(width).strip(self.look)
        return strip

    def _cells(self, key: LineKey) -> Cells:
        line, lane = key.line, self.lanes[key.line.lane]
        if lane.kind == "group":
            return paint_head(self.look, lane, self._columns, key.counts)
        at = LineContext(line, lane, key.read, key.event, key.gap)
        if lane.kind == "counter":
            return paint_counter(self._context, at, self._counter(line.lane))
        shapes, row = self._shapes_of(Row(line.lane, line.sub_row))
        painter = paint_slices if self.look.palette.colours else paint_plain
        return painter(self._context, at, shapes, row)

    def _add_flow(self, painted: Cells, key: LineKey) -> None:
        kind = self.lanes[key.line.lane].kind
        if kind == "counter":
            return
        free = painted.chars == ord(self.look.glyphs.rule)
        if kind == "slices":
            shapes, row = self._shapes_of(Row(key.line.lane, key.line.sub_row))
            free = shapes.empty[row]
        for x, char in key.flow:
            if free[x]:
                painted.put(x, char, "focus", "")
        if key.flow_end >= 0:
            painted.put(key.flow_end, " ", "text", "focus")

    def _shapes_of(self, row: Row) -> tuple[Shapes, int]:
        if row not in self._shapes:
            self._fetch()
        return self._shapes[row]

    def _fetch(self) -> None:
        """Asks for all rows in view that are not known yet, at once."""
        rows = dict.fromkeys(Row(line.lane, line.sub_row) for line in self.layout.lines)
        wanted = [row for row in rows if row not in self._shapes and self.lanes[row.lane].kind == "slices"]
        span = self._state.span
        bins = self.source.bins(wanted, span.start_ns, span.end_ns, self._columns)
        shapes = shape(bins, self.source, span, self.look.glyphs.time)
        self._shapes.update({row: (shapes, index) for index, row in enumerate(wanted)})

    def _counter(self, lane: int) -> CounterBins:
        if lane not in self._counters:
            span = self._state.span
            self._counters[lane] = self.source.counter(lane, span.start_ns, span.end_ns, self._columns)
        return self._counters[lane]

    def _found_path(self) -> Path:
        state = self._state
        if state.flow is None:
            return NO_PATH
        heads = frozenset(index for index, lane in enumerate(self.lanes) if lane.kind == "group")
        return path_of(state.flow, self.layout, heads, state.span, self._columns, self.look.glyphs.time)

    def is_head_of(self, head: int, lane: int) -> bool:
        """Whether a line is the head line of the group of a lane."""
        if self.lanes[head].kind != "group" or lane <= head:
            return False
        return all(other.kind != "group" for other in self.lanes[head + 1 : lane + 1])


def _common(state: CanvasState) -> tuple[object, ...]:
    """What all lines show."""
    return state.origin_ns, state.range, state.marks, state.loading

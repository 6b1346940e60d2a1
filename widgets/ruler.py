"""The time axis: ticks in steps of 1, 2 or 5, one unit for all labels, and the widget that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import ClassVar, NamedTuple

from textual.strip import Strip

from widgets.canvas_cells import BLANK, CODE, Cells
from widgets.canvas_mouse import TimeWidget
from widgets.canvas_state import CanvasState
from widgets.text import cells
from widgets.viewport import Span

TICK_CELLS = 12
"""Wanted distance of ticks."""
FEWEST_LABELS = 3
EDGE = -1
"""Column of the left edge among ticks."""
_UNITS = ((10**9, "s"), (10**6, "ms"), (10**3, "µs"), (1, "ns"))


class Tick(NamedTuple):
    """A tick of the axis."""

    column: int
    label: str


class Axis(NamedTuple):
    """Ticks of one window."""

    ticks: tuple[Tick, ...]
    edge: str
    """Time of the left edge."""
    relative: bool = False
    """Whether the ticks count from the left edge, which is then to be shown first of all."""


def axis(span: Span, origin_ns: int, width_cells: int) -> Axis:
    """Ticks for a window, labelled with times since `origin_ns`; empty for no width."""
    if width_cells <= 0:
        return Axis((), "")
    shorter, step = next(
        (shorter, step) for shorter, step in _steps() if step * width_cells >= span.length_ns * TICK_CELLS
    )
    best, most = Axis((), ""), -1
    for ruling in (_absolute, _relative):
        for step_ns in (step, shorter):
            ruled = ruling(span, origin_ns, step_ns, width_cells)
            labels = sum(1 for tick in shown_ticks(ruled, width_cells) if tick.label)
            if labels >= FEWEST_LABELS:
                return ruled
            if labels > most:
                best, most = ruled, labels
    return best


def shown_ticks(ruled: Axis, width_cells: int) -> list[Tick]:
    """What is drawn of an axis: a label only where it fits right of its tick, the left edge as a tick before all."""
    ticks = [tick for tick in ruled.ticks if tick.column < width_cells]
    first = ticks[0].column if ticks else width_cells
    if ruled.edge and (ruled.relative or cells(ruled.edge) + 2 <= first):
        taken = cells(ruled.edge) + 1
        ticks = [Tick(EDGE, ruled.edge), *(tick for tick in ticks if tick.column >= taken)]
    ends = [tick.column for tick in ticks[1:]] + [width_cells + 1]
    return [
        tick if tick.column + 1 + cells(tick.label) < end else Tick(tick.column, "") for tick, end in zip(ticks, ends)
    ]


def _absolute(span: Span, origin_ns: int, step_ns: int, width_cells: int) -> Axis:
    unit_ns, unit = _unit(step_ns, span, origin_ns)
    first = -((origin_ns - span.start_ns) // step_ns)
    times = range(origin_ns + first * step_ns, span.end_ns, step_ns)
    labels = [f"{decimal(time - origin_ns, unit_ns, _places(step_ns, unit_ns))} {unit}" for time in times]
    edge = _edge(span, origin_ns, width_cells, unit_ns, unit)
    return Axis(tuple(Tick(_column(time, span, width_cells), label) for time, label in zip(times, labels)), edge)


def _relative(span: Span, origin_ns: int, step_ns: int, width_cells: int) -> Axis:
    """Ticks that count from the left edge, which alone has its full time."""
    unit_ns, unit = _unit_of(step_ns)
    places = _places(step_ns, unit_ns)
    times = range(span.start_ns + step_ns, span.end_ns, step_ns)
    labels = (f"+{decimal(time - span.start_ns, unit_ns, places)} {unit}" for time in times)
    ticks = tuple(Tick(_column(time, span, width_cells), label) for time, label in zip(times, labels))
    return Axis(ticks, _edge(span, origin_ns, width_cells, *_unit_of(max(abs(span.start_ns - origin_ns), 1))), True)


def _edge(span: Span, origin_ns: int, width_cells: int, unit_ns: int, unit: str) -> str:
    """The time of the left edge, as exact as a cell."""
    cell_ns = max(span.length_ns // width_cells, 1)
    places = next(places for places in range(10) if cell_ns * 10**places >= unit_ns)
    return f"{decimal(span.start_ns - origin_ns, unit_ns, places)} {unit}"


def ticks_in(span: Span, origin_ns: int, width_cells: int) -> tuple[int, ...]:
    """Columns of the ticks in a window."""
    ticks = axis(span, origin_ns, width_cells).ticks
    return tuple(tick.column for tick in ticks if tick.column < width_cells)


def decimal(value_ns: int, unit_ns: int, places: int) -> str:
    """A time in a unit with so many decimals, cut and not rounded; thousands apart."""
    whole, rest = divmod(abs(value_ns), unit_ns)
    sign = "−" if value_ns < 0 else ""
    number = f"{whole:,}".replace(",", " ") if whole >= 10_000 else str(whole)
    if not places:
        return sign + number
    digits = len(str(unit_ns)) - 1
    return f"{sign}{number}.{str(rest).zfill(digits)[:places]}"


def _column(time_ns: int, span: Span, width_cells: int) -> int:
    return (2 * (time_ns - span.start_ns) * width_cells + span.length_ns) // (2 * span.length_ns)


def _steps() -> Iterator[tuple[int, int]]:
    """Every step with the one before it."""
    before = 1
    for power in count():
        for factor in (1, 2, 5):
            step = factor * 10**power
            yield before, step
            before = step


def _unit_of(step_ns: int) -> tuple[int, str]:
    return next((size, name) for size, name in _UNITS if step_ns >= size)


def _unit(step_ns: int, span: Span, origin_ns: int) -> tuple[int, str]:
    """The unit of the axis: the step's own, or a larger one while that needs at most one decimal."""
    size, name = _unit_of(step_ns)
    largest = max(abs(span.start_ns - origin_ns), abs(span.end_ns - origin_ns))
    for larger, larger_name in _UNITS:
        if larger > size and largest >= larger and _places(step_ns, larger) <= 1:
            return larger, larger_name
    return size, name


def _places(step_ns: int, unit_ns: int) -> int:
    """Decimals that tell multiples of the step apart."""
    places = 0
    while (step_ns * 10**places) % unit_ns:
        places += 1
    return places


class TimeRuler(TimeWidget):
    """One line: ticks with labels, the left edge, marks, and the time range being marked."""

    DEFAULT_CSS: ClassVar[str] = """
    TimeRuler { height: 1; width: 1fr; }
    """

    def seen(self, state: CanvasState) -> object:
        """All but the cursor."""
        return state.span, state.origin_ns, state.range, state.range_text, state.marks

    def paint(self, y: int, width: int) -> Strip:
        """The axis."""
        state = self.state
        line = Cells.blank(width)
        room = self.columns
        ticks = axis(state.span, state.origin_ns, room)
        self._put_ticks(line, ticks, room)
        for time_ns in state.marks:
            column = state.span.column(time_ns, room)
            if 0 <= column < room:
                self._put_mark(line, column)
        self._put_range(line, room)
        return line.strip(self.look)

    def _put_mark(self, line: Cells, column: int) -> None:
        """A mark; over a label only its colour."""
        if line.chars[column] == BLANK:
            line.put(column, self.look.glyphs.time.mark, "marked")
        else:
            line.inks[column] = CODE["marked"]

    def _put_ticks(self, line: Cells, ruled: Axis, room: int) -> None:
        for tick in shown_ticks(ruled, room):
            if tick.column == EDGE:
                line.put(0, self.look.shown(tick.label), "muted" if ruled.relative else "faint")
            else:
                end = line.put(tick.column, self.look.glyphs.time.tick, "muted")
                line.put(end, self.look.shown(tick.label), "muted")

    def _put_range(self, line: Cells, room: int) -> None:
        marked = self.state.range
        if marked is None:
            return
        start = max(self.state.span.column(marked.start_ns, room), 0)
        end = min(self.state.span.column(marked.end_ns - 1, room) + 1, room)
        if start >= end:
            return
        line.paint(slice(start, end), " ", "inverse", "marked")
        text = self.look.shown(self.state.range_text)
        if cells(text) + 2 <= end - start:
            line.put(start + (end - start - cells(text)) // 2, text, "inverse", "marked")

"""Lanes of a few events for tests of the time canvas, with bins found by looking at every event for every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from widgets.tracks import FILL_CODES, Bins, CounterBins, FloatArray, Gap, IntArray, Lane, Row, Slice


class Event(NamedTuple):
    """One event of a row."""

    name: str
    start_ns: int
    end_ns: int
    fill: str = "low"


class LaneSource:
    """A `TrackSource` that remembers which rows it was asked for."""

    def __init__(self, lanes: Sequence[tuple[Lane, Sequence[Sequence[Event]]]]) -> None:
        self._lanes = [lane for lane, _rows in lanes]
        self.events: list[Event] = []
        self.rows: dict[Row, list[int]] = {}
        self.heights: dict[int, Sequence[float]] = {}
        self.asked: list[tuple[Row, ...]] = []
        for index, (_lane, rows) in enumerate(lanes):
            for sub_row, events in enumerate(rows):
                first = len(self.events)
                self.events += events
                self.rows[Row(index, sub_row)] = list(range(first, len(self.events)))

    def number(self, name: str) -> int:
        """The event with a name."""
        return [event.name for event in self.events].index(name)

    def lanes(self) -> Sequence[Lane]:
        return self._lanes

    def bins(self, rows: Sequence[Row], start_ns: int, end_ns: int, width: int) -> Bins:
        self.asked.append(tuple(rows))
        shape = (len(rows), width)
        dominating, first, last = (np.full(shape, -1, np.int64) for _part in range(3))
        count, busy = np.zeros(shape, np.int64), np.zeros(shape)
        length = end_ns - start_ns
        for at, row in enumerate(rows):
            for cell in range(width):
                left = start_ns * width + cell * length  # in parts of a nanosecond, to stay exact
                covered = {
                    index: min(self.events[index].end_ns * width, left + length) - max(begin, left)
                    for index in self.rows[row]
                    if (begin := self.events[index].start_ns * width) < left + length
                    and self.events[index].end_ns * width > left
                }
                if covered:
                    dominating[at, cell] = max(covered, key=lambda index: covered[index])
                    first[at, cell], last[at, cell], count[at, cell] = min(covered), max(covered), len(covered)
                    busy[at, cell] = sum(covered.values()) / length
        return Bins(dominating, first, last, count, busy)

    def counter(self, lane: int, start_ns: int, end_ns: int, width: int) -> CounterBins:
        heights = np.resize(np.array(self.heights[lane], np.float64), width)
        return CounterBins(heights, np.zeros(width, np.bool_))

    def spans(self, events: IntArray) -> tuple[IntArray, IntArray]:
        chosen = [self.events[event] for event in events]
        starts = np.array([event.start_ns for event in chosen], np.int64)
        return starts, np.array([event.end_ns for event in chosen], np.int64)

    def fills(self, events: IntArray) -> IntArray:
        return np.array([FILL_CODES[self.events[event].fill] for event in events], np.int64)

    def slice(self, event: int) -> Slice:
        name, start_ns, end_ns, _fill = self.events[event]
        return Slice(start_ns, end_ns, name, f"{end_ns - start_ns} ns")

    def gap(self, lane: int, sub_row: int, time_ns: int) -> Gap | None:
        row = [self.events[index] for index in self.rows[Row(lane, sub_row)]]
        before = [event.end_ns for event in row if event.end_ns <= time_ns]
        after = [event.start_ns for event in row if event.start_ns > time_ns]
        if not before or not after:
            return None
        length = min(after) - max(before)
        return Gap(max(before), min(after), (f"idle {length} ns", f"{length} ns"))

    def overview(self, start_ns: int, end_ns: int, width: int) -> FloatArray:
        busiest: FloatArray = self.bins(list(self.rows), start_ns, end_ns, width).busy.max(axis=0)
        return busiest

"""Painting the time canvas from given bins: milliseconds per frame of 200×50 cells, style runs, bytes per key.

Run as `python -m benchmarks.bench_canvas`. The level-of-detail query is not in it: bins are prepared before. Prints
medians and 99th percentiles for rows of long events, of events about as long as a cell, and of very many short ones.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.console import Console
from textual.app import App, ComposeResult
from textual.strip import Strip

from benchmarks.terminal import Terminal
from widgets.canvas_state import CanvasState
from widgets.canvas_view import CanvasView
from widgets.gutter import gutter_cells
from widgets.roles import Look, dress
from widgets.timeview import TimeView
from widgets.tracks import FILLS, Bins, CounterBins, FloatArray, Gap, IntArray, Lane, Row, Slice
from widgets.viewport import Span

COLUMNS, LINES = 200, 50
CELL_NS = 1000
KINDS = {"long events": 40.0, "about a cell": 1.2, "dense": 0.05}
"""Mean distance of events in cells."""


@dataclass(frozen=True)
class PreparedSource:
    """Lanes with as many events as fill the window at a mean distance, and their bins, prepared once."""

    starts: IntArray
    ends: IntArray
    prepared: Bins
    lane_count: int

    @classmethod
    def make(cls, distance_cells: float, lanes: int, width: int) -> PreparedSource:
        """The same in every run."""
        random = np.random.default_rng(11)
        per_lane = max(int(width / distance_cells), 2)
        gaps = random.exponential(distance_cells * CELL_NS, (lanes, per_lane)).astype(np.int64) + 2
        starts = np.cumsum(gaps, axis=1) - gaps
        ends = starts + np.maximum((gaps * random.uniform(0.4, 1.0, gaps.shape)).astype(np.int64), 1)
        rows = [_bins_of(starts[lane], ends[lane], width, lane * per_lane) for lane in range(lanes)]
        joined = Bins(
            np.stack([row.event for row in rows]),
            np.stack([row.first for row in rows]),
            np.stack([row.last for row in rows]),
            np.stack([row.count for row in rows]),
            np.stack([row.busy for row in rows]),
        )
        return cls(starts.ravel(), ends.ravel(), joined, lanes)

    def lanes(self) -> Sequence[Lane]:
        return [Lane(str(index), f"lane {index}", gaps=index % 3 == 0) for index in range(self.lane_count)]

    def bins(self, rows: Sequence[Row], start_ns: int, end_ns: int, width: int) -> Bins:
        return self.prepared

    def counter(self, lane: int, start_ns: int, end_ns: int, width: int) -> CounterBins:
        return CounterBins(np.zeros(width), np.zeros(width, dtype=bool))

    def spans(self, events: IntArray) -> tuple[IntArray, IntArray]:
        return self.starts[events], self.ends[events]

    def fills(self, events: IntArray) -> IntArray:
        return events % len(FILLS)

    def slice(self, event: int) -> Slice:
        return Slice(int(self.starts[event]), int(self.ends[event]), f"Conv2D_{event}", "118.3 ms")

    def gap(self, lane: int, sub_row: int, time_ns: int) -> Gap | None:
        return Gap(time_ns - CELL_NS, time_ns + CELL_NS, ("idle 1.25 ms", "1.25 ms"))

    def overview(self, start_ns: int, end_ns: int, width: int) -> FloatArray:
        return np.zeros(width)


def _bins_of(starts: IntArray, ends: IntArray, width: int, offset: int) -> Bins:
    """Bins of one lane, each array of shape (width,); the first event stands for the longest."""
    edges = np.arange(width + 1) * CELL_NS
    first, after = np.searchsorted(ends, edges[:-1], "right"), np.searchsorted(starts, edges[1:], "left")
    count = np.maximum(after - first, 0)
    covered = np.concatenate(([0], np.cumsum(ends - starts)))
    busy = np.where(count > 0, covered[np.maximum(after, first)] - covered[first], 0) / CELL_NS
    none = count == 0
    firsts, lasts = np.where(none, -1, first + offset), np.where(none, -1, after - 1 + offset)
    return Bins(firsts, firsts, lasts, count, np.clip(busy, 0, 1))


def frame(source: PreparedSource, look: Look) -> list[Strip]:
    """All lines of a window, painted for the first time."""
    view = CanvasView(source, look)
    view.show(CanvasState(Span(0, COLUMNS * CELL_NS), lane=1, event=3), COLUMNS, LINES)
    return [view.strip(view.key(y), COLUMNS) for y in range(LINES)]


def bytes_of(strips: Sequence[Strip]) -> int:
    """What a terminal of 256 colours is sent for the lines."""
    console = Console(color_system="256", force_terminal=True, width=COLUMNS)
    return sum(len(strip.render(console).encode()) for strip in strips)


def measure(distance_cells: float, frames: int) -> str:
    """One line of results."""
    source, look = PreparedSource.make(distance_cells, LINES, COLUMNS), Look()
    strips = frame(source, look)
    runs = sum(len(list(strip)) for strip in strips)
    seconds = []
    for _index in range(frames):
        begin = time.perf_counter()
        frame(source, look)
        seconds.append(time.perf_counter() - begin)
    p50, p99 = statistics.median(seconds) * 1e3, sorted(seconds)[int(len(seconds) * 0.99)] * 1e3
    return f"p50 {p50:6.2f} ms   p99 {p99:6.2f} ms   {runs:5d} style runs   {bytes_of(strips):7d} bytes"


KEYS = {"next event": "l", "next lane": "j"}
SIZES = ((80, 24), (160, 45))


class KeysApp(App[None]):
    """The whole view of lanes, with keys that move the cursor."""

    BINDINGS = [("l", "move(0, 1)"), ("j", "move(1, 0)")]  # noqa: RUF012 (Textual's own form)

    def compose(self) -> ComposeResult:
        yield TimeView()

    def on_mount(self) -> None:
        dress(self)
        view = self.query_one(TimeView)
        columns = self.size.width - gutter_cells(self.size.width) - 1
        self._lanes = self.size.height - 2
        source = PreparedSource.make(6.0, self._lanes, columns)
        self._per_lane = len(source.starts) // self._lanes
        window = Span(0, columns * CELL_NS)
        view.set_source(source)
        view.set_state(CanvasState(window, Span(0, 2 * window.end_ns), lane=2, event=2 * self._per_lane + 1))

    def action_move(self, lanes: int, events: int) -> None:
        """Moves the cursor."""
        view = self.query_one(TimeView)
        lane = (view.state.lane + lanes) % self._lanes
        event = lane * self._per_lane + (view.state.event + events) % (self._per_lane // 2)
        view.set_state(replace(view.state, lane=lane, event=event))


def measure_keys(columns: int, lines: int, presses: int) -> Iterator[str]:
    """Lines of results for one size of the terminal."""
    with Terminal([sys.executable, "-m", "benchmarks.bench_canvas", "--app"], columns, lines) as terminal:
        terminal.settle(1.0, first_wait_s=30.0)
        for name, key in KEYS.items():
            bursts = []
            for _press in range(presses):
                begin_s = terminal.send(key)
                burst = terminal.settle(first_wait_s=1.0)
                bursts.append((burst.size_bytes, (burst.last_s - begin_s) * 1e3))
            sizes, times = zip(*bursts)
            yield (
                f"  {columns}×{lines} {name:12s} {statistics.median(sizes):6.0f} bytes   "
                f"key to last byte p50 {statistics.median(times):5.1f} ms, largest {max(times):5.1f} ms"
            )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--presses", type=int, default=30)
    parser.add_argument("--app", action="store_true", help="runs what the keys are pressed in")
    options = parser.parse_args()
    if options.app:
        KeysApp().run()
        return
    print(f"time canvas, {COLUMNS}×{LINES} cells, whole frame from prepared bins")
    for name, distance in KINDS.items():
        print(f"  {name:14s} {measure(distance, options.frames)}")
    print("keys in a pseudo-terminal, minimap, ruler, gutter and canvas")
    for columns, lines in SIZES:
        for line in measure_keys(columns, lines, options.presses):
            print(line)


if __name__ == "__main__":
    main()

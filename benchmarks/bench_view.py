"""The timeline of a large trace in use: query and painting of whole frames, then keys in the running viewer.

Usage: python -m benchmarks.bench_view [--events N] [--frames N] [--actions N] [--file JSON]

First the parts, in this process: the level-of-detail query and the painting of 200×50 cells at random windows of every
zoom. Then the viewer in a pseudo-terminal of the same size: from the enter key of `:open` to the first lanes and to the
last event; random keys that zoom, pan and jump, each to its last byte; what its process holds after each quarter of
them; cursor keys after a rest, with the details.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.bench_open import SAMPLE, Memory, spaced
from benchmarks.bench_trace import made
from benchmarks.make_trace import CANN, LAUNCHER
from benchmarks.terminal import Terminal, keep_bytecode

COLUMNS, LINES = 200, 50
ZOOMS = (1, 4, 64, 1_000, 20_000, 500_000)
"""How often the window goes into the whole."""
KEYS = {
    "zoom": "ws", "pan": "ad", "event": ("\x1b[C", "\x1b[D"), "lane": ("\x1b[A", "\x1b[B"), "jump": "gG,.", "all": "0",
}  # fmt: skip
WEIGHTS = {"zoom": 6, "pan": 6, "event": 3, "lane": 3, "jump": 2, "all": 1}


def imported(path: Path, cache: str) -> Path:
    """The store of the trace, made if need be."""
    from tui.readers.timelines import (
        TimelineRequest,
        TracePart,
        cached_store,
        finished_timeline,
        import_timeline_to_store,
    )
    from tui.store import workers

    request = TimelineRequest((TracePart(str(path)),))
    workers.prepare()
    *_, last = workers.start(import_timeline_to_store, request, 1.0, 8 << 30, True).messages()
    finished_timeline(last)
    folder = cached_store(request)
    if folder is None:
        sys.exit(f"the store was not found in {cache}")
    return folder


def p50(values: Sequence[float]) -> float:
    """Median."""
    return statistics.median(values)


def p99(values: Sequence[float]) -> float:
    """99th percentile."""
    return sorted(values)[min(len(values) - 1, round(len(values) * 0.99))]


def measure_frames(folder: Path, frames: int) -> int:
    """Query and painting of whole frames; returns the outermost events of the launching thread."""
    from tui.model.lanes import lane_groups
    from tui.screens.timeline_source import Colours, LaneChoice, TimelineSource
    from tui.store.rows_store import rows_of
    from tui.store.timeline_store import open_timeline_store
    from widgets.canvas_state import CanvasState
    from widgets.canvas_view import CanvasView
    from widgets.roles import Look
    from widgets.viewport import Span

    timeline = open_timeline_store(folder)
    rows = rows_of(timeline, folder)
    start_ns = min(track.start_ns for track in timeline.tracks)
    end_ns = max(track.end_ns for track in timeline.tracks)
    whole = end_ns - start_ns
    source = TimelineSource(timeline, rows, lane_groups(timeline, rows), LaneChoice(), Colours(span_ns=whole), "blocks")
    all_rows, chance = list(range(len(rows.rows))), np.random.default_rng(5)
    print(f"{len(timeline)} slices on {len(all_rows)} rows; {COLUMNS}×{LINES} cells, {frames} random windows each")
    print(f"{'window':>12} {'query p50':>10} {'p99 ms':>8} {'query + paint p50':>18} {'p99 ms':>8}")
    queries, paints = [], []
    for zoom in ZOOMS:
        asked, painted = [], []
        for _ in range(frames):
            length = max(whole // zoom, COLUMNS)
            first = start_ns + int(chance.integers(0, max(whole - length, 1)))
            begin_s = time.perf_counter()
            rows.bins(all_rows[:LINES], first, first + length, COLUMNS)
            asked.append((time.perf_counter() - begin_s) * 1e3)
            view = CanvasView(source, Look())
            begin_s = time.perf_counter()
            view.show(CanvasState(Span(first, first + length), lane=1), COLUMNS, LINES)
            for y in range(LINES):
                view.strip(view.key(y), COLUMNS)
            painted.append((time.perf_counter() - begin_s) * 1e3)
        queries += asked
        paints += painted
        print(f"{f'1/{zoom}':>12} {p50(asked):10.2f} {p99(asked):8.2f} {p50(painted):18.2f} {p99(painted):8.2f}")
    print(f"{'all':>12} {p50(queries):10.2f} {p99(queries):8.2f} {p50(paints):18.2f} {p99(paints):8.2f}")
    print("budgets: query p99 ≤ 10 ms; query + paint p50 ≤ 25 ms, p99 ≤ 50 ms")
    (lane,) = (track for track in timeline.tracks if (track.pid, track.tid) == (str(CANN), str(LAUNCHER)))
    return int(np.count_nonzero(timeline.depth[lane.first : lane.last] == 0))


def measure_viewer(path: Path, events: int, actions: int) -> None:
    """Opening, keys and memory of the viewer."""
    with tempfile.TemporaryDirectory() as home:
        own: dict[str, str] = dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), home)
        argv = [sys.executable, "-m", "tui", "--lang", "en", str(SAMPLE)]
        with Terminal(argv, COLUMNS, LINES, env=own) as terminal:
            terminal.wait_for("everything read in")
            terminal.send("2")
            terminal.wait_for("AscendCL")
            terminal.settle(0.5)
            with Memory(terminal.process.pid) as memory:
                open_trace(terminal, path, events)
            print(f"memory of all processes while it opens: {memory.peak_mib:.0f} MiB (PSS, ≤ 500)")
            details(terminal)
            walk(terminal, actions)


def open_trace(terminal: Terminal, path: Path, events: int) -> None:
    """First lanes and last event after the enter key; `events` are those of the lane that the cursor is put on."""
    terminal.send(f":open {path}")
    terminal.settle(0.3)
    pressed_s = terminal.send("\r")
    first_s = terminal.wait_for(f"Thread {LAUNCHER}") - pressed_s
    last_s = terminal.wait_for(f"{spaced(events)} events", patience_s=180.0) - pressed_s
    print(f"enter → first lanes {first_s:.2f} s (≤ 2), everything read {last_s:.2f} s")
    terminal.settle(2.0)


def walk(terminal: Terminal, actions: int) -> None:
    """Random zooms, pans and jumps; what the process holds between them."""
    chance = random.Random(3)
    kinds = chance.choices(list(WEIGHTS), list(WEIGHTS.values()), k=actions)
    times: dict[str, list[float]] = {kind: [] for kind in WEIGHTS}
    sizes: dict[str, list[float]] = {kind: [] for kind in WEIGHTS}
    held = []
    for number, kind in enumerate(kinds):
        if number % max(actions // 5, 1) == 0:
            held.append(own_mib(terminal.process.pid))
        pressed_s = terminal.send(chance.choice(KEYS[kind]))
        burst = terminal.settle(first_wait_s=0.3)
        times[kind].append((burst.last_s - pressed_s) * 1e3 if burst.size_bytes else 0.0)
        sizes[kind].append(burst.size_bytes)
    held.append(own_mib(terminal.process.pid))
    print(f"\n{actions} random actions, key → last byte")
    print(f"{'':12} {'keys':>6} {'p50 ms':>8} {'p99 ms':>8} {'bytes p50':>10}")
    for kind in WEIGHTS:
        print(
            f"{kind:12} {len(times[kind]):6} {p50(times[kind]):8.1f} {p99(times[kind]):8.1f} {p50(sizes[kind]):10.0f}"
        )
    print("the viewer's own memory, MiB before and after each fifth: " + " ".join(f"{mib:.0f}" for mib in held))


def own_mib(pid: int) -> float:
    """What a process holds that is not mapped from a file: pages of the store belong to the system's cache."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:"))


def details(terminal: Terminal) -> None:
    """Cursor keys one by one, so that the details follow each."""
    terminal.send("g")
    terminal.settle(0.5)
    times, sizes = [], []
    for number in range(20):
        terminal.settle(0.4)
        pressed_s = terminal.send("\x1b[C" if number % 4 < 3 else "\x1b[D")
        burst = terminal.settle(0.3, first_wait_s=1.0)
        times.append((burst.last_s - pressed_s) * 1e3)
        sizes.append(float(burst.size_bytes))
    print(f"event key after a rest, with the details: {p50(sizes):.0f} bytes, last byte after {p50(times):.0f} ms")


def main() -> None:
    """Makes the trace and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--frames", type=int, default=60, help="windows of each zoom")
    parser.add_argument("--actions", type=int, default=1_000)
    parser.add_argument("--file", type=Path)
    options = parser.parse_args()
    path: Path = options.file or made(options.events)
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB", flush=True)
    with tempfile.TemporaryDirectory() as cache:
        keep_bytecode(Path(cache) / "bytecode")
        os.environ["XDG_CACHE_HOME"] = cache
        events = measure_frames(imported(path, cache), options.frames)
    print(flush=True)
    measure_viewer(path, events, options.actions)


if __name__ == "__main__":
    main()

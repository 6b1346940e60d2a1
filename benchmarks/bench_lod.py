"""Time of one timeline query: 50 rows by 200 cells of 5·10⁶ events, random windows at every zoom.

Usage: python -m benchmarks.bench_lod [--events N] [--views N]

The peer is the plain way to the same figures: a `bincount` over the events in view, which knows only covered starts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np

from tui.model.lod import Rows
from tui.model.timeline import Timeline, Track, empty_timeline

WIDTH = 200
TRACKS = 50
ZOOMS = (1, 10, 1_000, 100_000, 1_000_000)
START_NS = 1_717_575_960_208_020_758


def flat_timeline(events: int, seed: int = 1, deep: bool = True) -> Timeline:
    """Events of random length on 50 tracks; with `deep`, each third pair of them lies inside the one before."""
    random = np.random.default_rng(seed)
    each = events // TRACKS
    durations = np.minimum(random.lognormal(8.0, 1.5, events), 5e7).astype(np.int64) + 1
    waits = random.exponential(2_000.0, events).astype(np.int64)
    depth = np.zeros(events, np.uint16)
    if deep:
        depth[np.arange(events) % 3 == 1] = 1
    ends = np.cumsum((durations + waits).reshape(TRACKS, each), axis=1).ravel()
    starts = START_NS + ends - durations
    if deep:
        inner = np.flatnonzero(depth == 1)
        inner = inner[inner % each > 0]
        durations[inner - 1] += durations[inner] + waits[inner]
        depth[np.flatnonzero(depth == 1)[np.flatnonzero(depth == 1) % each == 0]] = 0
    tracks = tuple(
        Track(id=number, process="Ascend Hardware", thread=f"Stream {number}", pid="0", tid=str(number),
              layer="device", device="0", first=number * each, last=(number + 1) * each, max_depth=2,
              start_ns=int(starts[number * each]), end_ns=int(ends[(number + 1) * each - 1]) + START_NS)
        for number in range(TRACKS)
    )  # fmt: skip
    blank = empty_timeline()
    return Timeline(
        start_ns=starts, dur_ns=durations, name_id=np.zeros(events, np.int32),
        track_id=np.repeat(np.arange(TRACKS, dtype=np.int32), each), depth=depth, self_ns=durations,
        link_id=np.full(events, -1, np.int32), place=np.arange(events), overlap=np.zeros(events, np.uint8),
        names=("Conv2D",), tracks=tracks, flows=blank.flows, links=blank.links, counters=(),
        instants=blank.instants, files=(),
    )  # fmt: skip


def brute(rows: Rows, chosen: range, start_ns: int, end_ns: int) -> int:
    """The peer: one `bincount` of durations over the events in view of each row."""
    cells = 0
    for row in chosen:
        slots = rows.window(row, start_ns, end_ns)
        place = (rows.starts[slots] - start_ns) * WIDTH // max(end_ns - start_ns, 1)
        place = np.clip(place, 0, WIDTH - 1)
        np.bincount(place, weights=rows.durations[slots], minlength=WIDTH)
        cells += len(np.bincount(place, minlength=WIDTH))
    return cells


def times_ms(work: Callable[[int, int], object], span: tuple[int, int], zoom: int, views: int) -> tuple[float, float]:
    """(median, 99th percentile) over random windows of that zoom."""
    random = np.random.default_rng(zoom)
    taken = []
    for _ in range(views):
        length = max((span[1] - span[0]) // zoom, WIDTH)
        start = span[0] + int(random.integers(0, span[1] - span[0] - length + 1))
        begin = time.perf_counter()
        work(start, start + length)
        taken.append((time.perf_counter() - begin) * 1000.0)
    return float(np.median(taken)), float(np.percentile(taken, 99))


def report(timeline: Timeline, views: int) -> None:
    """Prints the figures of one layout."""
    begin = time.perf_counter()
    rows = Rows.build(timeline)
    built = time.perf_counter() - begin
    size = sum(array.nbytes for array in rows.arrays().values())
    print(f"{len(timeline)} events on {len(rows.rows)} rows: built in {built:.2f} s, {size / 1e6:.0f} MB")
    chosen, span = range(TRACKS), (timeline.start_ns_min, timeline.end_ns_max + 1)
    for zoom in ZOOMS:
        ours = times_ms(lambda start, end: rows.bins(chosen, start, end, WIDTH), span, zoom, views)
        peer = times_ms(lambda start, end: brute(rows, chosen, start, end), span, zoom, max(views // 10, 3))
        print(
            f"  1/{zoom:<9} p50 {ours[0]:6.2f} ms  p99 {ours[1]:6.2f} ms   bincount p50 {peer[0]:7.2f} ms  "
            f"ratio {ours[0] / peer[0]:.2f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Time of one timeline query at every zoom")
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--views", type=int, default=60)
    options = parser.parse_args()
    for deep in (False, True):
        report(flat_timeline(options.events, deep=deep), options.views)
    return 0


if __name__ == "__main__":
    sys.exit(main())

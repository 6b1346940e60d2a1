"""Opening a large timeline, beside `orjson.loads` of the whole file and, where it is installed, Perfetto's engine.

Usage: python -m benchmarks.bench_trace [--events N] [--runs N] [--file JSON]

Ours is what the viewer does: a worker process writes the store, alone or with a second one; nesting, arrows, connection
groups and counters are part of it. "First lanes" is when something can be drawn while the import goes on. Memory is the
largest sum of what all processes hold (PSS; resident size for the others). Candidates take turns; medians are printed.
Events are counted: none may be dropped.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.bench_csv import process_tree

ONE, TWO, PLAIN, ENGINE = "one worker", "two workers", "orjson.loads", "trace_processor"
ENGINE_NAMES = ("trace_processor_shell", "trace_processor")
BUDGETS = {(TWO, "load_s"): 0.45, (TWO, "mib"): 500.0, (TWO, "first_s"): 2.0, (TWO, "reopen_s"): 0.3}
PLAIN_EVENTS = 1_500_000
"""Beyond this `orjson.loads` of the whole file takes several GB."""


class Watch:
    """The largest sum of PSS of this process and all below it, sampled while it runs."""

    def __init__(self) -> None:
        self.peak_mib = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> float:
        """Ends the sampling; returns the peak in MiB."""
        self._stop.set()
        self._thread.join()
        return self.peak_mib

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            self.peak_mib = max(self.peak_mib, sum(pss_mib(pid) for pid in process_tree()))


def pss_mib(pid: int) -> float:
    """What a process holds, shared pages in part; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def run_ours(path: Path, helper: bool) -> dict[str, float]:
    """Imports the trace in worker processes, as the viewer does, and opens it once more from the store."""
    from tui.readers.timelines import (
        TimelineProgress,
        TimelineRequest,
        TracePart,
        cached_timeline,
        finished_timeline,
        import_timeline_to_store,
        partial_timeline,
    )
    from tui.store import workers

    request = TimelineRequest((TracePart(str(path)),))
    workers.prepare()
    time.sleep(0.5)
    watch = Watch()
    started_s = time.perf_counter()
    first_s = 0.0
    last = None
    for message in workers.start(import_timeline_to_store, request, 0.1, 8 << 30, helper).messages():
        if not isinstance(message, TimelineProgress):
            sys.exit(f"the worker failed: {message}")
        last = message
        if not first_s and partial_timeline(message) is not None:
            first_s = time.perf_counter() - started_s
    if last is None:
        sys.exit("the worker said nothing")
    found = finished_timeline(last)
    load_s = time.perf_counter() - started_s
    mib = watch.stop()
    started_s = time.perf_counter()
    again = cached_timeline(request)
    reopen_s = time.perf_counter() - started_s
    if again is None or len(again) != len(found):
        sys.exit("the store was not found again")
    return {
        "load_s": load_s,
        "first_s": first_s or load_s,
        "reopen_s": reopen_s,
        "mib": mib,
        "events": found.summary.events,
        "slices": len(found),
        "dropped": found.summary.events_by_phase.get("X", 0) - len(found),
    }


def run_plain(path: Path) -> dict[str, float]:
    """Decodes the whole file into Python objects."""
    import orjson

    started_s = time.perf_counter()
    events = orjson.loads(path.read_bytes())
    load_s = time.perf_counter() - started_s
    return {"load_s": load_s, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "events": len(events)}


def run_engine(path: Path, engine: str) -> dict[str, float]:
    """Loads the trace in Perfetto's engine and counts its slices."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write("select count(*) as n, (select value from stats where name = "
                    "'slice_drop_overlapping_complete_event') as dropped from slice;")  # fmt: skip
        query.flush()
        started_s = time.perf_counter()
        done = subprocess.run([engine, "-q", query.name, str(path)], stdout=subprocess.PIPE, check=True, text=True)
        load_s = time.perf_counter() - started_s
    slices, dropped = (float(cell or 0) for cell in done.stdout.strip().splitlines()[-1].split(","))
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"load_s": load_s, "mib": peak_mib, "slices": slices, "dropped": dropped}


def child(mode: str, path: Path) -> dict[str, float]:
    """One run in a fresh process with an empty store."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache}
        argv = [sys.executable, "-m", "benchmarks.bench_trace", "--mode", mode, "--file", str(path)]
        done = subprocess.run(argv, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def report(results: dict[str, list[dict[str, float]]]) -> None:
    """Medians, and what the budgets allow."""
    print(
        f"{'':16} {'load s':>8} {'ratio':>6} {'first s':>8} {'re-open ms':>10} {'MiB':>7} {'slices':>9} {'dropped':>8}"
    )
    medians = {
        mode: {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        for mode, runs in results.items()
    }  # fmt: skip
    peer = medians.get(ENGINE)
    for mode, run in medians.items():
        ratio = f"{run['load_s'] / peer['load_s']:6.2f}" if peer else "     -"
        print(
            f"{mode:16} {run['load_s']:8.2f} {ratio} {_cell(run, 'first_s', 1, 8, 2)}"
            f" {_cell(run, 'reopen_s', 1000, 10, 1)} {run['mib']:7.0f} {_cell(run, 'slices', 1, 9, 0)}"
            f" {_cell(run, 'dropped', 1, 8, 0)}"
        )
    two = medians[TWO]
    per_event_us, share = two["load_s"] / two["events"] * 1e6, two["reopen_s"] / two["load_s"]
    print(f"two workers: {per_event_us:.2f} us an event; to re-open takes {share:.2%} of that")
    print("budgets at 5 000 000 events: load 0.45 of trace_processor, first lanes 2 s, re-open 300 ms and 3 %, 500 MiB")
    if peer is None:
        print(f"{ENGINE} is not installed: no ratio")


def _cell(run: dict[str, float], name: str, factor: float, width: int, digits: int) -> str:
    return f"{run[name] * factor:{width}.{digits}f}" if name in run else "-".rjust(width)


def engine() -> str:
    """Perfetto's engine, or an empty text."""
    return next((found for name in ENGINE_NAMES if (found := shutil.which(name))), "")


def modes(events: int) -> Sequence[str]:
    """Candidates that can run here."""
    return [ONE, TWO, *([PLAIN] if events <= PLAIN_EVENTS else []), *([ENGINE] if engine() else [])]


def run(mode: str, path: Path) -> dict[str, float]:
    """One run in this process."""
    if mode == PLAIN:
        return run_plain(path)
    if mode == ENGINE:
        return run_engine(path, engine())
    return run_ours(path, helper=mode == TWO)


def made(events: int) -> Path:
    """A synthetic trace of that many events, kept for the next time."""
    from benchmarks.make_trace import write

    path = Path(tempfile.gettempdir()) / f"npuscope-trace-{events}.json"
    if not path.exists():
        write(path, events, seed=1)
    return path


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--mode", help=argparse.SUPPRESS)
    options = parser.parse_args()
    path: Path = options.file or made(options.events)
    if options.mode:
        print(json.dumps(run(options.mode, path)))
        return 0
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB")
    chosen = modes(options.events)
    results: dict[str, list[dict[str, Any]]] = {mode: [] for mode in chosen}
    for _ in range(options.runs):
        for mode in chosen:
            results[mode].append(child(mode, path))
    report(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())

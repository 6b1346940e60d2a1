"""Opening a large op_summary, against plain `pandas.read_csv` in a process of its own.

Usage: python -m benchmarks.bench_csv [--rows N] [--runs N] [--file CSV]

Ours is what the viewer does: a worker process that waits with pandas imported writes the store, rows are mapped as
they come; with one worker, and with a second one that reads the rest of the file. Candidates take turns; medians are
printed.
Memory is the sum of the peaks of all processes, the viewer's stand-in included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

ONE, TWO, PLAIN, REOPEN = "one worker", "two workers", "pandas.read_csv", "re-open"
PLAIN_ONE = "one thread of it"
"""Since pandas 3.1 `read_csv` parses with as many threads as there are processors."""
BUDGETS = {
    (ONE, "load_s"): 2.0,
    (TWO, "load_s"): 1.2,
    (ONE, "rss_mib"): 1.1,
    (TWO, "rss_mib"): 1.1,
}
FIRST_ROWS_BUDGET_S = 0.4


def run_plain(path: Path, one_thread: bool) -> dict[str, float]:
    """Loads the whole file with the C engine and its defaults."""
    import pandas as pd

    if one_thread:
        with suppress(KeyError):  # an older pandas has one thread anyway
            pd.set_option("mode.max_threads", 1)
    started_s = time.perf_counter()
    frame = pd.read_csv(path)
    load_s = time.perf_counter() - started_s
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"load_s": load_s, "first_s": load_s, "rss_mib": peak_mib, "rows": len(frame)}


def run_ours(path: Path, helper: bool) -> dict[str, float]:
    """Imports the file through worker processes, as the viewer does, and opens it once more from the store."""
    from tui.readers.tables import (
        ImportProgress,
        PartRequest,
        TableRequest,
        cached_table,
        finished_table,
        import_to_store,
        partial_table,
    )
    from tui.store import workers

    request = TableRequest("ops", (PartRequest(str(path), "0", "op_summary"),))
    workers.prepare()
    workers.warm()
    time.sleep(1.0)
    peaks: dict[int, float] = {}
    started_s = time.perf_counter()
    first_s = 0.0
    running = workers.start(import_to_store, request, 0.2, 8 << 30, helper)
    last: ImportProgress | None = None
    for progress in running.messages():
        if not isinstance(progress, ImportProgress):
            sys.exit(f"the worker failed: {progress}")
        if not first_s and partial_table(progress).row_count:
            first_s = time.perf_counter() - started_s
        peaks.update(peaks_mib())
        last = progress
    if last is None:
        sys.exit("the worker sent nothing")
    table = finished_table(last)
    load_s = time.perf_counter() - started_s
    started_s = time.perf_counter()
    again = cached_table(request)
    reopen_s = time.perf_counter() - started_s
    if again is None or again.row_count != table.row_count:
        sys.exit("the store was not found again")
    return {
        "load_s": load_s,
        "first_s": first_s,
        "reopen_s": reopen_s,
        "rss_mib": sum(peaks.values()),
        "rows": table.row_count,
    }


def peaks_mib() -> Iterator[tuple[int, float]]:
    """Peak resident size of this process and all below it, by process id."""
    for pid in process_tree():
        peak = _status(pid).get("VmHWM", "0 kB")
        yield pid, int(peak.split()[0]) / 1024


def process_tree() -> set[int]:
    """Process ids of this process and all below it."""
    parents = dict(_parents())
    ours = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in ours} - ours
        if not more:
            return ours
        ours |= more


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            yield int(entry.name), int(_status(int(entry.name)).get("PPid", "0"))


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def run(mode: str, path: Path) -> dict[str, float]:
    """The figures of one candidate."""
    if mode in (PLAIN, PLAIN_ONE):
        return run_plain(path, mode == PLAIN_ONE)
    return run_ours(path, mode == TWO)


def child(mode: str, path: Path) -> dict[str, float]:
    """One run in a fresh process with an empty store."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache}
        argv = [sys.executable, "-m", "benchmarks.bench_csv", "--mode", mode, "--file", str(path)]
        done = subprocess.run(argv, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def report(results: dict[str, list[dict[str, float]]]) -> None:
    """Medians and their ratios to plain pandas."""
    plain = medians(results[PLAIN])
    print(f"{'':16} {'load s':>8} {'ratio':>6} {'budget':>7} {'first s':>8} {'MiB':>7} {'ratio':>6} {'budget':>7}")
    for mode, runs in results.items():
        ours = medians(runs)
        print(
            f"{mode:16} {ours['load_s']:8.2f} {ours['load_s'] / plain['load_s']:6.2f} {_budget(mode, 'load_s'):>7}"
            f" {ours['first_s']:8.3f} {ours['rss_mib']:7.0f} {ours['rss_mib'] / plain['rss_mib']:6.2f}"
            f" {_budget(mode, 'rss_mib'):>7}"
        )
    reopen_s = statistics.median(run["reopen_s"] for run in results[TWO])
    print(f"first rows within {FIRST_ROWS_BUDGET_S} s; {REOPEN} from the store {reopen_s * 1000:.1f} ms")


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Median of each figure."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def _budget(mode: str, name: str) -> str:
    budget = BUDGETS.get((mode, name))
    return f"≤ {budget}" if budget else ""


def measure(path: Path, runs: int) -> None:
    """Lets the candidates take turns."""
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB, {runs} runs each", flush=True)
    results: dict[str, list[dict[str, float]]] = {ONE: [], TWO: [], PLAIN: [], PLAIN_ONE: []}
    for _ in range(runs):
        for mode, found in results.items():
            found.append(child(mode, path))
    if len({run["rows"] for found in results.values() for run in found}) != 1:
        sys.exit("the candidates read different numbers of rows")
    report(results)


def main() -> None:
    """Makes the data unless a file is given, and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--mode", choices=(ONE, TWO, PLAIN, PLAIN_ONE), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode:
        print(json.dumps(run(options.mode, options.file)))
    elif options.file:
        measure(options.file, options.runs)
    else:
        from benchmarks.make_data import write_op_summary

        with tempfile.TemporaryDirectory() as folder:
            root = write_op_summary(Path(folder), options.rows)
            measure(next(root.rglob("op_summary*.csv")), options.runs)


if __name__ == "__main__":
    main()

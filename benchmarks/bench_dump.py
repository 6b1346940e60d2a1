"""Comparing two dumps, against numpy over whole arrays in a process of its own.

Usage: python -m benchmarks.bench_dump [--mb N] [--ops N] [--runs N] [--folder FOLDER]

Ours is what `dump A B` does: listing, pairing, the ten metrics, a second cosine, special values and verdicts, by one
process and by two. Numpy computes the metrics of the same pairs in float64 with each array in memory. The files are in
the page cache. Candidates take turns; medians are printed. Memory is the highest peak of any one process.
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
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_csv import peaks_mib

ONE, TWO, WHOLE = "one process", "two processes", "whole arrays"
BUDGETS = {ONE: 0.4, TWO: 0.25}
MEMORY_BUDGET_MB = 120
FLOOR = 1.1920929e-7

Floats = NDArray[np.float64]


def run_whole(folder: Path) -> dict[str, float]:
    """Plain numpy over all pairs."""
    started_s = time.perf_counter()
    pairs = 0
    for path in sorted((folder / "a").iterdir()):
        x, y = (np.load(side / path.name).astype(np.float64).reshape(-1) for side in (folder / "a", folder / "b"))
        with np.errstate(all="ignore"):
            whole_metrics(x, y)
        pairs += 1
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"load_s": time.perf_counter() - started_s, "first_s": 0.0, "rss_mib": peak_mib, "pairs": pairs}


def whole_metrics(x: Floats, y: Floats) -> tuple[float, ...]:
    """The ten metrics, extremes and the two counts that matter most."""
    difference = np.abs(x - y)
    squares = np.sum(difference * difference)
    relative = np.where(np.abs(y) > np.finfo(np.float64).eps, np.abs(x / y - 1.0), 0.0)
    p, q = spread(x), spread(y)
    return (
        float(np.dot(x, y) / np.linalg.norm(x) / np.linalg.norm(y)),
        float(difference.max()), float(relative.sum()), float(np.sqrt(squares / np.sum(y * y))),
        float(np.sum(p * np.log(p / q))), float(x.mean()), float(x.std()), float(y.mean()), float(y.std()),
        float(difference.mean()), float(np.sqrt(squares / x.size)), float(relative.max()), float(relative.mean()),
        float(x.min()), float(x.max()), float(y.min()), float(y.max()),
        float(np.isnan(x).sum()), float((np.abs(x) == 65504).sum()),
    )  # fmt: skip


def spread(values: Floats) -> Floats:
    """Values scaled to 0…1, floored, divided by their sum."""
    least, most = values.min(), values.max()
    scaled = np.maximum((values - least) / (most - least), FLOOR)
    shares: Floats = scaled / scaled.sum()
    return shares


def run_ours(folder: Path, helper: bool) -> dict[str, float]:
    """What the command does, the cache left out."""
    from tui.dump.divergence import conclude
    from tui.dump.results import compare_to_store
    from tui.model.dump import CompareRequest, PairRow
    from tui.store import workers

    workers.prepare()
    request = CompareRequest(str(folder / "a"), str(folder / "b"))
    peaks: dict[int, float] = {}
    rows: list[PairRow] = []
    first_s = 0.0
    started_s = time.perf_counter()
    for progress in compare_to_store(request, 0.2, 0, helper):
        rows.extend(progress.rows)
        if rows and not first_s:
            first_s = time.perf_counter() - started_s
        peaks.update(peaks_mib())
    comparison = conclude(rows, request)
    load_s = time.perf_counter() - started_s
    peaks.update(peaks_mib())
    return {"load_s": load_s, "first_s": first_s, "rss_mib": max(peaks.values()), "pairs": comparison.compared}


def child(mode: str, folder: Path) -> dict[str, float]:
    """One run in a fresh process."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache}
        argv = [sys.executable, "-m", "benchmarks.bench_dump", "--mode", mode, "--folder", str(folder)]
        done = subprocess.run(argv, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Median of each figure."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def report(results: dict[str, list[dict[str, float]]], size_bytes: int) -> None:
    """Medians and their ratios to whole arrays."""
    whole = medians(results[WHOLE])
    print(f"{'':14} {'s':>7} {'GB/s':>6} {'ratio':>6} {'budget':>7} {'first rows s':>13} {'peak MB':>8} {'budget':>7}")
    for mode, runs in results.items():
        ours = medians(runs)
        budget = f"≤ {BUDGETS[mode]}" if mode in BUDGETS else ""
        memory = f"≤ {MEMORY_BUDGET_MB}" if mode in BUDGETS else ""
        print(
            f"{mode:14} {ours['load_s']:7.2f} {size_bytes / ours['load_s'] / 1e9:6.2f}"
            f" {ours['load_s'] / whole['load_s']:6.2f} {budget:>7} {ours['first_s']:13.2f}"
            f" {ours['rss_mib'] * 1.048576:8.0f} {memory:>7}"
        )


def measure(folder: Path, runs: int) -> None:
    """Lets the candidates take turns."""
    files = [path for side in ("a", "b") for path in (folder / side).iterdir()]
    size_bytes = sum(len(path.read_bytes()) for path in files)
    print(f"{len(files) // 2} pairs, {size_bytes / 1e6:.0f} MB, {runs} runs each", flush=True)
    results: dict[str, list[dict[str, float]]] = {ONE: [], TWO: [], WHOLE: []}
    for _ in range(runs):
        for mode, found in results.items():
            found.append(child(mode, folder))
    if len({run["pairs"] for found in results.values() for run in found}) != 1:
        sys.exit("the candidates compared different numbers of pairs")
    report(results, size_bytes)


def main() -> None:
    """Makes the data unless a folder is given, and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=2000)
    parser.add_argument("--ops", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="a folder that make_dump has written")
    parser.add_argument("--mode", choices=(ONE, TWO, WHOLE), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode:
        whole = options.mode == WHOLE
        print(json.dumps(run_whole(options.folder) if whole else run_ours(options.folder, options.mode == TWO)))
    elif options.folder:
        measure(options.folder, options.runs)
    else:
        from benchmarks.make_dump import write_dumps

        with tempfile.TemporaryDirectory() as folder:
            write_dumps(Path(folder), options.mb, options.ops)
            measure(Path(folder), options.runs)


if __name__ == "__main__":
    main()

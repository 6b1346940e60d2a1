"""What the rules say about a large profile that is open already: a million operators beside a long timeline.

Usage: python -m benchmarks.bench_findings [--rows N] [--events N] [--repeats N] [--profile PATH]

Writes the profile (`make_data`, `make_trace`) unless one is given, opens it as the viewer does, and times
`gather.findings_of`: all rules, the facts they look at, and their texts. Memory is what the process grows by meanwhile.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks import make_data, make_trace
from tui.gather import findings_of
from tui.model.finding import Findings
from tui.session import Session

BUDGET_S = 5.0


def written(folder: Path, rows: int, events: int) -> Path:
    """A profile with a table of operators and a timeline."""
    path = make_data.write_op_summary(folder, rows)
    make_trace.write(next(path.rglob("op_summary_*.csv")).with_name(f"msprof_{make_data.DATE}.json"), events, 1)
    return path


def opened(path: Path) -> Session:
    """The profile with everything read that findings are about."""
    session = Session(path)
    session.timeline()
    for kind in ("ops", "apis", "steps"):
        session.optional(kind)
    session.span()
    return session


def peak_mib() -> float:
    """The largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def measure(path: Path, repeats: int) -> None:
    """Prints the median time of the findings, beside its budget."""
    session = opened(path)
    ops = session.optional("ops")
    timeline, rows = session.timeline(), ops.row_count if ops is not None else 0
    before_mib = peak_mib()
    runs: list[float] = []
    cpu_s: list[float] = []
    found = Findings()
    for _repeat in range(repeats):
        start_s, start_cpu_s = time.perf_counter(), time.process_time()
        found = findings_of(session)
        runs.append(time.perf_counter() - start_s)
        cpu_s.append(time.process_time() - start_cpu_s)
    taken_s = statistics.median(runs)
    print(f"findings of {rows:,} operators and {timeline.summary.events:,} events of a trace", end="")
    print(f" ({len(timeline):,} slices): {taken_s:.2f} s", end="")
    print(f" (budget {BUDGET_S:g} s, {'kept' if taken_s <= BUDGET_S else 'exceeded'}), first {runs[0]:.2f} s", end="")
    print(f", {statistics.median(cpu_s):.2f} s of them on a processor", end="")
    print(f", {peak_mib() - before_mib:+.0f} MiB", end="")
    print(f"; {len(found.findings)} findings, {len(found.not_evaluated)} rules not evaluated")


def main() -> None:
    """Writes or takes a profile and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        path = options.profile or written(Path(folder), options.rows, options.events)
        measure(path, options.repeats)


if __name__ == "__main__":
    main()

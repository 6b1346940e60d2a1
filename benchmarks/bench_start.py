"""From the command to the first full frame, against the smallest Textual application; and the time of `--help`.

Usage: python -m benchmarks.bench_start [--runs N] [--rows N]

A frame is there when the text on its last line has come. Candidates take turns; medians and ratios are printed.
`npuscope` opens a profile of 100 rows and one of a million rows (338 MB), neither of them in the store. Everything runs
from compiled modules, as after an installation.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.terminal import ROOT, Terminal, keep_bytecode

BUDGET = 1.6
SIZES = ((160, 45), (80, 24))
HEAVY = ("numpy", "pandas", "textual", "rich", "orjson", "asyncio", "multiprocessing")
"""What `--help` must do without, and the first frame as far as it can."""
HELLO = "bare Textual"
PYTHON, HELP, VERSION = "python -c pass", "npuscope --help", "npuscope --version"


class Start(NamedTuple):
    """A program and the text on the last line of its first frame."""

    argv: Sequence[str]
    marker: str


def run_hello() -> None:
    """The smallest application: one text, and one on the last line."""
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    class Hello(App[None]):
        CSS = "#last { dock: bottom; }"

        def compose(self) -> ComposeResult:
            yield Static("hello")
            yield Static("the last line", id="last")

    Hello().run()


def viewer(path: Path) -> Start:
    """Npuscope on a path; its footer ends with the key for help."""
    return Start([sys.executable, "-m", "tui", "--lang", "en", str(path)], "help")


def first_frame_ms(start: Start, size: tuple[int, int]) -> float:
    """Time from the start of the process until its first frame is complete, with an empty store."""
    with tempfile.TemporaryDirectory() as home:
        own: dict[str, str] = dict.fromkeys(("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), home)
        with Terminal(start.argv, *size, env=own) as terminal:
            return (terminal.wait_for(start.marker) - terminal.started_s) * 1e3


def process_ms(argv: Sequence[str]) -> float:
    """Time of a whole process."""
    started_s = time.perf_counter()
    subprocess.run(argv, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - started_s) * 1e3


def imported(argv: Sequence[str]) -> list[str]:
    """The heavy packages that a Python command imports."""
    done = subprocess.run(
        [argv[0], "-X", "importtime", *argv[1:]],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        text=True,
    )
    names = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    return [name for name in HEAVY if name in names]


def measure_frames(starts: dict[str, Start], runs: int) -> None:
    """Medians of all candidates at both sizes; they take turns, and one start of each is not counted."""
    print("| first frame | size | median ms | fastest ms | ratio | budget |")
    print("|---|---|---:|---:|---:|---|")
    for size in SIZES:
        times: dict[str, list[float]] = {name: [] for name in starts}
        for number in range(runs + 1):
            for name, start in starts.items():
                took_ms = first_frame_ms(start, size)
                times[name] += [took_ms] if number else []
        hello_ms = statistics.median(times[HELLO])
        for name, found in times.items():
            median_ms = statistics.median(found)
            ratio, budget = ("", "") if name == HELLO else (f"{median_ms / hello_ms:.2f}", f"≤ {BUDGET}")
            print(
                f"| {name} | {size[0]}×{size[1]} | {median_ms:.0f} | {min(found):.0f} | {ratio} | {budget} |",
                flush=True,
            )


def measure_help(runs: int) -> None:
    """`--help` and `--version` against a Python that does nothing."""
    commands = {
        PYTHON: [sys.executable, "-c", "pass"],
        HELP: [sys.executable, "-m", "tui", "--help"],
        VERSION: [sys.executable, "-m", "tui", "--version"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, argv in commands.items():
            took_ms = process_ms(argv)
            times[name] += [took_ms] if number else []
    print("\n| command | median ms | heavy packages imported |")
    print("|---|---:|---|")
    for name, argv in commands.items():
        print(f"| {name} | {statistics.median(times[name]):.0f} | {', '.join(imported(argv)) or 'none'} |")


def profiles(folder: Path, rows: Iterable[int]) -> dict[int, Path]:
    """A profile of each size, by rows."""
    from benchmarks.make_data import write_op_summary

    return {count: write_op_summary(folder / str(count), count) for count in rows}


def main() -> None:
    """Makes the profiles and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the large profile")
    parser.add_argument("--hello", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.hello:
        run_hello()
        return
    print(f"{options.runs} starts each, in turns, page cache warm, modules compiled\n")
    with tempfile.TemporaryDirectory() as folder:
        keep_bytecode(Path(folder) / "bytecode")
        made = profiles(Path(folder), (100, options.rows))
        starts = {HELLO: Start([sys.executable, "-m", "benchmarks.bench_start", "--hello"], "the last line")}
        starts.update((f"npuscope, {rows} rows", viewer(path)) for rows, path in made.items())
        measure_frames(starts, options.runs)
        measure_help(options.runs)


if __name__ == "__main__":
    main()

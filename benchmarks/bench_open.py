"""A profile of a million operators (338 MB) in the running viewer, in a real pseudo-terminal.

Usage: python -m benchmarks.bench_open [--rows N] [--runs N] [--visidata]

Measured from the enter key of `:open PATH` in a viewer that shows the bundled sample: first rows painted; last row
usable and the store written; memory of all processes; the same again from the store. Then keys, while it loads and
after; then sort and filter. Beside them, in turns: `pandas.read_csv` with its C engine on the same file, sorting and
filtering in pandas, and textual-fastdatatable over arrow where that is installed. Medians and ratios are printed.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.terminal import ROOT, Terminal, keep_bytecode

SAMPLE = ROOT / "sample_profiles" / "mish_before"
FIRST_ROW = "layers_"
"""Beginning of every operator's name in the large profile; the sample has none."""
SORT_COLUMN, FILTERED_TYPE = "Task Wait Time(us)", "MatMulV3"
DOWN, UP, PAGE_DOWN = "\x1b[B", "\x1b[A", "\x1b[6~"
KEY_PAUSE_S = 0.03
REST_S = 0.4
LINES = 45


class Keys(NamedTuple):
    """What keys of one kind cost."""

    times_ms: list[float]
    sizes_bytes: list[int]

    @property
    def p50_ms(self) -> float:
        return statistics.median(self.times_ms)

    @property
    def p99_ms(self) -> float:
        ordered = sorted(self.times_ms)
        return ordered[min(len(ordered) - 1, round(len(ordered) * 0.99))]

    @property
    def mean_bytes(self) -> float:
        return statistics.mean(self.sizes_bytes) if self.sizes_bytes else float("nan")


def spaced(number: int) -> str:
    """A count as the screens write it."""
    return f"{number:,}".replace(",", " ")


# ── the viewer ───────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def running_viewer(path: Path = SAMPLE, store: Path | None = None) -> Iterator[Terminal]:
    """The viewer on a path, with an empty store unless one is given."""
    with tempfile.TemporaryDirectory() as home:
        own: dict[str, str] = dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME"), home)
        own["XDG_CACHE_HOME"] = str(store or home)
        with Terminal([sys.executable, "-m", "tui", "--lang", "en", str(path)], 160, LINES, env=own) as terminal:
            yield terminal


@contextmanager
def viewer_on_ops(store: Path | None = None) -> Iterator[Terminal]:
    """A viewer that has read the sample and shows its operators."""
    with running_viewer(store=store) as terminal:
        terminal.wait_for("everything read in")
        terminal.send("3")
        terminal.wait_for("Conv2D")
        terminal.settle(0.5)
        yield terminal


def press_open(terminal: Terminal, path: Path) -> float:
    """Opens a path by the command line; returns when enter was pressed."""
    terminal.send(f":open {path}")
    terminal.settle(0.3)
    return terminal.send("\r")


def open_times(path: Path, rows: int, store: Path) -> dict[str, float]:
    """First and last row of an import, and the last again from the store."""
    with viewer_on_ops(store) as terminal:
        pressed_s = press_open(terminal, path)
        first_s = terminal.wait_for(FIRST_ROW) - pressed_s
        last_s = terminal.wait_for(f"{spaced(rows)} tasks") - pressed_s
    with viewer_on_ops(store) as terminal:
        pressed_s = press_open(terminal, path)
        terminal.wait_for(FIRST_ROW, f"{spaced(rows)} tasks")
        again_s = time.perf_counter() - pressed_s
    return {"first_s": first_s, "load_s": last_s, "again_s": again_s}


def peak_mib(path: Path, rows: int) -> float:
    """Memory of an import: a run of its own, because looking at it slows down what is looked at."""
    with viewer_on_ops() as terminal, Memory(terminal.process.pid) as memory:
        press_open(terminal, path)
        terminal.wait_for(f"{spaced(rows)} tasks")
        terminal.settle(2.0)
        return memory.peak_mib


def start_times(path: Path, rows: int) -> dict[str, float]:
    """Started on the large profile itself, its operators asked for at once."""
    with running_viewer(path) as terminal:
        terminal.wait_for("help")
        os.write(terminal.master, b"3")
        first_s = terminal.wait_for(FIRST_ROW) - terminal.started_s
        last_s = terminal.wait_for(f"{spaced(rows)} tasks") - terminal.started_s
    return {"first_s": first_s, "load_s": last_s}


class Memory:
    """Peak of the proportional set sizes of a process and all below it, sampled while the context lasts."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.peak_mib = 0.0

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            self.peak_mib = max(self.peak_mib, sum(map(pss_mib, family(self._pid))))


def family(pid: int) -> set[int]:
    """A process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, more = {pid}, {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def pss_mib(pid: int) -> float:
    """Memory of one process, shared pages counted by their share; 0 once it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def keys_while_loading(path: Path, rows: int) -> Keys:
    """Cursor keys from the first rows to the last, each until the status line, painted last, tells the new row."""
    done = f"{spaced(rows)} tasks".encode()
    times: list[float] = []
    with viewer_on_ops() as terminal:
        press_open(terminal, path)
        terminal.wait_for(FIRST_ROW)
        terminal.settle(0.1)
        row, loading = 1, True
        while loading:
            down = row < LINES // 2 or (row < LINES - 8 and len(times) % 2 == 0)
            row += 1 if down else -1
            pressed_s = time.perf_counter()
            terminal.forget()
            os.write(terminal.master, (DOWN if down else UP).encode())
            times.append((terminal.wait_for(f"{row}/", patience_s=10.0) - pressed_s) * 1e3)
            loading = done not in terminal.received
            time.sleep(KEY_PAUSE_S)
    return Keys(times, [])


def press_each(terminal: Terminal, keys: Sequence[str], rest_s: float = 0.0) -> Keys:
    """Presses keys one by one, each after what the one before painted and a rest; the first one is not counted."""
    terminal.settle(REST_S)
    times, sizes = [], []
    for key in keys:
        terminal.settle(rest_s)
        pressed_s = terminal.send(key)
        burst = terminal.settle(first_wait_s=2.0)
        times.append((burst.last_s - pressed_s) * 1e3)
        sizes.append(burst.size_bytes)
    return Keys(times[1:], sizes[1:])


def keys_after(terminal: Terminal) -> dict[str, Keys]:
    """Keys in the loaded table."""
    press_each(terminal, [DOWN, UP] * 4)
    return {
        "cursor in view, key held": press_each(terminal, [DOWN] * 30 + [UP] * 30),
        "cursor, scrolling, key held": press_each(terminal, [DOWN] * 120),
        "page down, key held": press_each(terminal, [PAGE_DOWN] * 60),
        "cursor after a rest, with the details": press_each(terminal, [DOWN, UP] * 10, REST_S),
    }


# ── sort and filter ──────────────────────────────────────────────────────────────────────────────────────────────────


def command_ms(terminal: Terminal, command: str, painted: str) -> float:
    """From enter on the command line until a text and everything after it is painted."""
    terminal.send(f":{command}")
    terminal.settle(0.2)
    pressed_s = terminal.send("\r")
    terminal.wait_for(painted)
    return (terminal.settle(0.2).last_s - pressed_s) * 1e3


def view_times(terminal: Terminal, rows: int, runs: int) -> dict[str, float]:
    """Sorting and filtering in the viewer, each from another view."""
    found: dict[str, list[float]] = {"sort": [], "filter": []}
    for _ in range(runs):
        found["sort"].append(command_ms(terminal, "sort wait desc", "Wait ▼"))
        command_ms(terminal, "sort dur desc", "Duration ▼")
        found["filter"].append(command_ms(terminal, f"filter type={FILTERED_TYPE}", f"/{spaced(rows)}"))
        command_ms(terminal, "filter", f"{spaced(rows)} tasks")
    return {name: statistics.median(times) for name, times in found.items()}


# ── peers ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def run_pandas(path: Path) -> None:
    """Loads with the C engine and its defaults, sorts the frame, filters it; prints the figures."""
    import pandas as pd

    def timed(function: Callable[[], Any]) -> tuple[Any, float]:
        started_s = time.perf_counter()
        return function(), time.perf_counter() - started_s

    frame, load_s = timed(lambda: pd.read_csv(path))
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    _, sort_s = timed(lambda: frame.sort_values(SORT_COLUMN, ascending=False, kind="stable"))
    _, filter_s = timed(lambda: frame[frame["OP Type"] == FILTERED_TYPE])
    figures = {"load_s": load_s, "mib": peak_mib, "sort": sort_s * 1e3, "filter": filter_s * 1e3}
    print(json.dumps({**figures, "rows": len(frame)}))


def run_fastdatatable(path: Path) -> None:
    """textual-fastdatatable over the same file, read by arrow; `s` sorts by waiting time, `d` by duration."""
    from textual.app import App, ComposeResult

    arrow, peer = import_module("pyarrow.csv"), import_module("textual_fastdatatable")
    null_values = arrow.ConvertOptions(null_values=["N/A", ""])
    table = arrow.read_csv(path, convert_options=null_values)

    class TableApp(App[None]):
        BINDINGS = [("s", "sort('Task Wait Time(us)')"), ("d", "sort('Task Duration(us)')")]  # noqa: RUF012 (Textual's)

        def compose(self) -> ComposeResult:
            yield peer.DataTable(backend=peer.ArrowBackend(table), cursor_type="row")

        def on_mount(self) -> None:
            self.query_one(peer.DataTable).focus()

        def action_sort(self, name: str) -> None:
            shown: Any = self.query_one(peer.DataTable)
            shown.sort([(name, "descending")])

    TableApp().run()


def peer_sort_ms(path: Path, runs: int) -> float:
    """Key to last byte of a sort in textual-fastdatatable."""
    argv = [sys.executable, "-m", "benchmarks.bench_open", "--child", "fastdatatable", "--file", str(path)]
    with Terminal(argv, 160, LINES) as terminal:
        terminal.wait_for(FIRST_ROW)
        terminal.settle(1.0)
        times = []
        for _ in range(runs):
            times.append(key_until_quiet_ms(terminal, "s"))
            key_until_quiet_ms(terminal, "d")
    return statistics.median(times)


def key_until_quiet_ms(terminal: Terminal, key: str) -> float:
    """From a key until the last byte before a long pause."""
    pressed_s = terminal.send(key)
    return (terminal.settle(1.0, first_wait_s=20.0).last_s - pressed_s) * 1e3


def pandas_figures(path: Path) -> dict[str, float]:
    """`run_pandas` in a process of its own."""
    argv = [sys.executable, "-m", "benchmarks.bench_open", "--child", "pandas", "--file", str(path)]
    done = subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def visidata_s(path: Path) -> float:
    """VisiData in batch mode: it loads the file and ends."""
    started_s = time.perf_counter()
    subprocess.run(
        ["vd", "-b", str(path), "-o", os.devnull], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - started_s


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Median of each figure."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def row(*cells: object) -> None:
    """One line of a Markdown table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def measure_open(root: Path, rows: int, runs: int) -> dict[str, float]:
    """Opens it again and again, in turns with pandas; returns the figures of pandas."""
    file = next(root.rglob("op_summary*.csv"))
    ours, plain, starts = [], [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as store:
            ours.append({**open_times(root, rows, Path(store)), "mib": peak_mib(root, rows)})
        plain.append(pandas_figures(file))
        starts.append(start_times(root, rows))
    if {run["rows"] for run in plain} != {rows}:
        sys.exit("pandas read another number of rows")
    mine, theirs, start = medians(ours), medians(plain), medians(starts)
    row("opening", "npuscope", "pandas.read_csv", "ratio", "budget")
    row("---", "---:", "---:", "---:", "---")
    row("enter → first rows, s", f"{mine['first_s']:.2f}", "", "", "≤ 0.4 s")
    row(
        "enter → last row, store written, s",
        f"{mine['load_s']:.2f}",
        f"{theirs['load_s']:.2f}",
        f"{mine['load_s'] / theirs['load_s']:.2f}",
        workers_budget(),
    )
    row(
        "memory of all processes, MiB",
        f"{mine['mib']:.0f}",
        f"{theirs['mib']:.0f}",
        f"{mine['mib'] / theirs['mib']:.2f}",
        "≤ 1.1",
    )
    row(
        "enter → last row, from the store, s",
        f"{mine['again_s']:.2f}",
        "",
        f"{mine['again_s'] / mine['load_s']:.2f} of the import",
        "",
    )
    row("start of the process → first rows, s", f"{start['first_s']:.2f}", "", "", "")
    row(
        "start of the process → last row, s",
        f"{start['load_s']:.2f}",
        f"{theirs['load_s']:.2f}",
        f"{start['load_s'] / theirs['load_s']:.2f}",
        "",
    )
    return theirs


def workers_budget() -> str:
    """Two workers share the file where there are two processors."""
    return "≤ 1.2 (two workers)" if len(os.sched_getaffinity(0)) > 1 else "≤ 2 (one worker)"


def measure_views(root: Path, rows: int, runs: int, theirs: dict[str, float]) -> None:
    """Keys, sort and filter in the loaded table."""
    file = next(root.rglob("op_summary*.csv"))
    loading = keys_while_loading(root, rows)
    with viewer_on_ops() as terminal:
        press_open(terminal, root)
        terminal.wait_for(f"{spaced(rows)} tasks")
        terminal.settle(3.0)
        after = keys_after(terminal)
        times = view_times(terminal, rows, max(runs, 5))
    print()
    row("keys, 160×45", "p50 ms", "p99 ms", "mean bytes", "budget")
    row("---", "---:", "---:", "---:", "---")
    row(
        f"cursor while loading ({len(loading.times_ms)} keys)",
        f"{loading.p50_ms:.1f}",
        f"{loading.p99_ms:.1f}",
        "",
        "p99 ≤ 50",
    )
    for name, keys in after.items():
        row(
            name,
            f"{keys.p50_ms:.1f}",
            f"{keys.p99_ms:.1f}",
            f"{keys.mean_bytes:.0f}",
            "p99 ≤ 16" if "view" in name else "",
        )
    print()
    row("view", "npuscope ms", "peer", "peer ms", "ratio", "budget")
    row("---", "---:", "---", "---:", "---:", "---")
    if find_spec("textual_fastdatatable") and find_spec("pyarrow"):
        peer_ms = peer_sort_ms(file, max(runs, 5))
        row(
            "sort, enter → last byte",
            f"{times['sort']:.0f}",
            "fastdatatable (arrow)",
            f"{peer_ms:.0f}",
            f"{times['sort'] / peer_ms:.2f}",
            "≤ 0.4",
        )
    for name, call in (("sort", "sort_values"), ("filter", "frame[mask]")):
        row(
            f"{name}, enter → last byte",
            f"{times[name]:.0f}",
            f"pandas {call}, no screen",
            f"{theirs[name]:.0f}",
            f"{times[name] / theirs[name]:.2f}",
            "",
        )


def main() -> None:
    """Makes the profile and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--visidata", action="store_true", help="also load the file with VisiData (a minute or more)")
    parser.add_argument("--child", choices=("pandas", "fastdatatable"), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        (run_pandas if options.child == "pandas" else run_fastdatatable)(options.file)
        return
    from benchmarks.make_data import write_op_summary

    with tempfile.TemporaryDirectory() as folder:
        keep_bytecode(Path(folder) / "bytecode")
        root = write_op_summary(Path(folder), options.rows)
        file = next(root.rglob("op_summary*.csv"))
        arrow = "with pyarrow" if find_spec("pyarrow") else "without pyarrow"
        print(
            f"{file.stat().st_size / 1e6:.0f} MB, {options.rows} rows, medians of {options.runs}, pandas {arrow}\n",
            flush=True,
        )
        with running_viewer() as terminal:
            terminal.wait_for("everything read in")  # compiles the modules
        theirs = measure_open(root, options.rows, options.runs)
        measure_views(root, options.rows, options.runs, theirs)
        if options.visidata and shutil.which("vd"):
            took_s = visidata_s(file)
            print(f"\nVisiData loads the same file in {took_s:.0f} s")


if __name__ == "__main__":
    main()

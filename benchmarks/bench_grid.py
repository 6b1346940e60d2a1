"""Keys in a data grid, measured in a real pseudo-terminal: time from a key to the last byte painted, and bytes per key.

Run as `python -m benchmarks.bench_grid`. Compares our grid with Textual's DataTable and, where installed, with
textual-fastdatatable, on the same table at 160×45. Prints medians, 99th percentiles and ratios.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import termios
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widgets.protocols import Cell, GridColumn, TableSource

COLUMNS, LINES = 160, 45
GRID_COLUMNS = 12
QUIET_S = 0.06
DOWN, UP, PAGE_DOWN = b"\x1b[B", b"\x1b[A", b"\x1b[6~"


class Sample(NamedTuple):
    """What one key cost."""

    seconds: float
    size_bytes: int


class Figures(NamedTuple):
    """Keys of one kind."""

    p50_ms: float
    p99_ms: float
    bytes_p50: int
    bytes_mean: float


def values(rows: int) -> NDArray[np.float64]:
    """A table of numbers, shape (rows, 12), the same in every run."""
    return np.random.default_rng(7).random((rows, GRID_COLUMNS)) * 1000


def number_source(rows: int) -> TableSource:
    """The table behind our grid: numbers formatted on demand."""
    table = values(rows)

    class Source:
        columns = tuple(GridColumn(f"c{at}", f"column {at}", 10, "right", kind="number") for at in range(GRID_COLUMNS))
        row_count = rows

        def block(self, first: int, last: int, columns: Sequence[int]) -> Sequence[Sequence[Cell]]:
            return [[Cell(f"{value:.3f}") for value in row] for row in table[first:last, list(columns)].tolist()]

        def row_role(self, row: int) -> str:
            return ""

        def summary(self, columns: Sequence[int]) -> Sequence[Cell] | None:
            return None

        def sort_marks(self) -> dict[str, tuple[int, bool]]:
            return {}

    return Source()


def run_grid(rows: int) -> None:
    """Our grid over numpy columns, as the viewer uses it."""
    from textual.app import App, ComposeResult
    from textual.binding import Binding

    from widgets.grid import DataGrid
    from widgets.memory import settle_memory
    from widgets.roles import dress

    class GridApp(App[None]):
        BINDINGS = [  # noqa: RUF012 (Textual's own form)
            Binding("down", "grid('cursor_down')"),
            Binding("up", "grid('cursor_up')"),
            Binding("pagedown", "grid('page_down')"),
        ]

        def compose(self) -> ComposeResult:
            dress(self)
            yield DataGrid(number_source(rows))

        def on_mount(self) -> None:
            self.query_one(DataGrid).focus()
            settle_memory()

        def action_grid(self, name: str) -> None:
            getattr(self.query_one(DataGrid), f"action_{name}")()

    GridApp().run()


def run_datatable(rows: int) -> None:
    """Textual's own table."""
    from textual.app import App, ComposeResult
    from textual.widgets import DataTable

    class TableApp(App[None]):
        def compose(self) -> ComposeResult:
            yield DataTable(cursor_type="row")

        def on_mount(self) -> None:
            table: DataTable[str] = self.query_one(DataTable)
            table.add_columns(*(f"column {at}" for at in range(GRID_COLUMNS)))
            table.add_rows([[f"{value:.3f}" for value in row] for row in values(rows).tolist()])
            table.focus()

    TableApp().run()


def run_fastdatatable(rows: int) -> None:
    """textual-fastdatatable over an arrow table."""
    from textual.app import App, ComposeResult

    arrow, peer = import_module("pyarrow"), import_module("textual_fastdatatable")
    table = values(rows)

    class TableApp(App[None]):
        def compose(self) -> ComposeResult:
            columns = {f"column {at}": table[:, at].round(3) for at in range(GRID_COLUMNS)}
            yield peer.DataTable(backend=peer.ArrowBackend(arrow.table(columns)), cursor_type="row")

        def on_mount(self) -> None:
            self.query_one(peer.DataTable).focus()

    TableApp().run()


CHILDREN = {"grid": run_grid, "datatable": run_datatable, "fastdatatable": run_fastdatatable}


class Terminal:
    """A child program in a pseudo-terminal."""

    def __init__(self, kind: str, rows: int) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(LINES))
            os.environ.pop("COLORTERM", None)
            os.execv(
                sys.executable, [sys.executable, "-m", "benchmarks.bench_grid", "--child", kind, "--rows", str(rows)]
            )
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.kill(self._pid, signal.SIGWINCH)

    def read_until_quiet(self, quiet_s: float, first_wait_s: float) -> tuple[int, float]:
        """Bytes that came, and when the last of them did (perf_counter)."""
        size, last = 0, time.perf_counter()
        wait = first_wait_s
        while select.select([self._fd], [], [], wait)[0]:
            size += len(os.read(self._fd, 1 << 16))
            last = time.perf_counter()
            wait = quiet_s
        return size, last

    def press(self, key: bytes) -> Sample:
        """Sends a key and waits for what it paints."""
        start = time.perf_counter()
        os.write(self._fd, key)
        size, last = self.read_until_quiet(QUIET_S, 2.0)
        return Sample(last - start, size)

    def close(self) -> None:
        """Ends the child."""
        os.kill(self._pid, signal.SIGTERM)
        os.close(self._fd)
        os.waitpid(self._pid, 0)


def figures(samples: Sequence[Sample]) -> Figures:
    """Median, worst of a hundred, and bytes."""
    times = sorted(sample.seconds * 1e3 for sample in samples)
    sizes = [sample.size_bytes for sample in samples]
    p99 = times[min(len(times) - 1, round(len(times) * 0.99))]
    return Figures(statistics.median(times), p99, round(statistics.median(sizes)), statistics.mean(sizes))


def measure(kind: str, rows: int, keys: int) -> dict[str, Figures]:
    """Cursor keys in view, cursor keys while scrolling (a key out of many repaints), and pages."""
    terminal = Terminal(kind, rows)
    try:
        terminal.read_until_quiet(1.0, 60.0)
        in_view = LINES - 8
        for key in (DOWN, UP, DOWN, UP):
            terminal.press(key)
        view = [terminal.press(DOWN if at < in_view else UP) for at in range(min(keys, 2 * in_view))]
        down = [terminal.press(DOWN) for _ in range(in_view + 8)][-1:]
        scrolling = down + [terminal.press(DOWN) for _ in range(max(keys, 44))]
        pages = [terminal.press(PAGE_DOWN) for _ in range(keys)]
    finally:
        terminal.close()
    return {"in view": figures(view), "scrolling": figures(scrolling), "page-down": figures(pages)}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--child", choices=sorted(CHILDREN))
    options = parser.parse_args()
    if options.child:
        CHILDREN[options.child](options.rows)
        return
    peers = {"datatable": 10_000}
    if find_spec("textual_fastdatatable") and find_spec("pyarrow"):
        peers["fastdatatable"] = options.rows
    ours = measure("grid", options.rows, options.keys)
    report("grid", options.rows, ours, None)
    for kind, rows in peers.items():
        report(kind, rows, measure(kind, rows, options.keys), ours)


def report(kind: str, rows: int, result: dict[str, Figures], ours: dict[str, Figures] | None) -> None:
    """One block of lines; ratios are ours / theirs."""
    print(f"\n{kind}, {rows} rows, {GRID_COLUMNS} columns, {COLUMNS}x{LINES}")
    for name, figure in result.items():
        line = f"  {name:10} p50 {figure.p50_ms:6.1f} ms  p99 {figure.p99_ms:6.1f} ms"
        line += f"  bytes p50 {figure.bytes_p50:6}  mean {figure.bytes_mean:8.0f}"
        if ours is not None:
            mine = ours[name]
            line += (
                f"   ours/this: p50 {mine.p50_ms / figure.p50_ms:.2f}, bytes {mine.bytes_mean / figure.bytes_mean:.2f}"
            )
        print(line)


if __name__ == "__main__":
    main()

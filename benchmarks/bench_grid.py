"""Keys in a data grid, measured in a real pseudo-terminal: time from a key to the last byte painted, and bytes per key.

Run as `python -m benchmarks.bench_grid`. Compares our grid with Textual's DataTable and, where installed, with
textual-fastdatatable, on the same table at 160×45. Prints medians, 99th percentiles and ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.terminal import Terminal
from widgets.protocols import Cell, GridColumn, TableSource

COLUMNS, LINES = 160, 45
GRID_COLUMNS = 12
DOWN, UP, PAGE_DOWN = "\x1b[B", "\x1b[A", "\x1b[6~"


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


def press(terminal: Terminal, key: str) -> Sample:
    """Sends a key and waits for what it paints."""
    pressed_s = terminal.send(key)
    burst = terminal.settle(first_wait_s=2.0)
    return Sample(burst.last_s - pressed_s, burst.size_bytes)


def figures(samples: Sequence[Sample]) -> Figures:
    """Median, worst of a hundred, and bytes."""
    times = sorted(sample.seconds * 1e3 for sample in samples)
    sizes = [sample.size_bytes for sample in samples]
    p99 = times[min(len(times) - 1, round(len(times) * 0.99))]
    return Figures(statistics.median(times), p99, round(statistics.median(sizes)), statistics.mean(sizes))


def measure(kind: str, rows: int, keys: int) -> dict[str, Figures]:
    """Cursor keys in view, cursor keys while scrolling (a key out of many repaints), and pages."""
    argv = [sys.executable, "-m", "benchmarks.bench_grid", "--child", kind, "--rows", str(rows)]
    with Terminal(argv, COLUMNS, LINES) as terminal:
        terminal.settle(1.0, first_wait_s=60.0)
        in_view = LINES - 8
        for key in (DOWN, UP, DOWN, UP):
            press(terminal, key)
        view = [press(terminal, DOWN if at < in_view else UP) for at in range(min(keys, 2 * in_view))]
        down = [press(terminal, DOWN) for _ in range(in_view + 8)][-1:]
        scrolling = down + [press(terminal, DOWN) for _ in range(max(keys, 44))]
        pages = [press(terminal, PAGE_DOWN) for _ in range(keys)]
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

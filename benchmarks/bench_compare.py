"""Two tables of a million operators compared, beside one pandas.merge of the same tables.

Usage: python -m benchmarks.bench_compare [--rows N] [--repeats N]

Three kinds of tables: a model's 4000 operators called again and again; as many names as rows, the same on both sides;
as many names as rows, a tenth of them with other indices. The peer merges the operators' columns by name and number of
the call, once as the texts that `read_csv` gives and once as categoricals; what it does is a part of the comparison, to
which matching of the rest, bands, verdicts, categories and the order of the rows are added.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from tui.compare.compare import compare
from tui.model.comparison import Facts, Side
from tui.model.table import ColumnInfo, NumberColumn, Table, TextColumn, TimeColumn

TYPES = ("MatMulV3", "Conv2D", "Add", "Mul", "Cast", "TransData", "Softmax", "hcom_allReduce_")
CORES = ("AI_CORE", "AI_VECTOR_CORE", "COMMUNICATION")
SHAPES = tuple(
    f"{batch},{width},{height};{height},{width}"
    for batch in (1, 8)
    for width in (64, 512)
    for height in range(128, 250)
)


def operators(rows: int, names: int, renumbered: float, seed: int) -> Table:
    """An operator table with the columns that a comparison looks at."""
    rng = np.random.default_rng(seed)
    number = np.arange(names)
    moved = number % 1000 < renumbered * 1000
    indices = np.where(moved, number + names, number).tolist()
    strings = [f"layers_{index // 60}/{TYPES[index % len(TYPES)]}_{index}" for index in indices]
    codes = np.arange(rows) % names
    kinds = number % len(TYPES)
    cores = np.where(kinds == 7, 2, np.where(kinds < 2, 0, 1))
    start_ns = 1_717_575_960_208_020_758 + np.arange(rows) * 60_000
    return Table(
        "ops",
        (
            TextColumn(ColumnInfo("op_name", "Op Name", "text"), codes.astype(np.int32), strings),
            TextColumn(ColumnInfo("op_type", "OP Type", "text"), kinds[codes].astype(np.int32), TYPES),
            TextColumn(ColumnInfo("task_type", "Task Type", "text"), cores[codes].astype(np.int32), CORES),
            TextColumn(ColumnInfo("input_shapes", "", "text"), (codes % len(SHAPES)).astype(np.int32), SHAPES),
            TimeColumn(ColumnInfo("start_ns", "", "time", "ns"), start_ns),
            NumberColumn(
                ColumnInfo("task_duration_us", "", "number", "us"), rng.integers(1_000, 50_000, rows) / 1000.0
            ),
        ),
    )


def median_s(work: Callable[[], object], repeats: int) -> float:
    """Median time of some runs, s."""
    times = []
    for _ in range(repeats):
        begin_s = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin_s)
    return statistics.median(times)


def measure(title: str, a: Table, b: Table, repeats: int) -> None:
    """One line: both ways side by side."""
    categoricals = [table.frame() for table in (a, b)]
    for frame in categoricals:
        frame["call"] = frame.groupby("op_name", observed=True).cumcount()
    texts = [frame.assign(op_name=frame["op_name"].astype(str)) for frame in categoricals]
    keys = ["op_name", "call"]
    merges = [median_s(partial(pair[0].merge, pair[1], on=keys), repeats) for pair in (texts, categoricals)]
    ours = median_s(lambda: compare(Side("A", Facts(), fresh(a)), Side("B", Facts(), fresh(b))), repeats)
    print(
        f"{title:<34} {ours:9.2f} {merges[0]:10.2f} {ours / merges[0]:6.2f} {merges[1]:12.2f} {ours / merges[1]:6.2f}"
    )


def fresh(table: Table) -> Table:
    """The table without what it keeps of earlier answers."""
    return Table(table.kind, table.columns)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Compare two operator tables, beside pandas.merge.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rows, repeats = options.rows, options.repeats
    print(f"{rows} rows on each side, medians of {repeats}")
    print(f"{'':<34} {'compare s':>9} {'merge text':>10} {'ratio':>6} {'merge categ.':>12} {'ratio':>6}")
    for title, names, renumbered in (
        ("4000 operators", min(4000, rows), 0.0),
        ("as many names as rows", rows, 0.0),
        ("the same, a tenth renumbered", rows, 0.1),
    ):
        measure(title, operators(rows, names, 0.0, 1), operators(rows, names, renumbered, 2), repeats)
    print("budget: 3 × one pandas.merge")


if __name__ == "__main__":
    main()

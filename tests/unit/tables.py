"""Tables built in memory for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.model.table import MISSING_NS, ColumnInfo, NumberColumn, Table, TextColumn, TimeColumn


def text(key: str, cells: Sequence[str], heading: str = "") -> TextColumn:
    """A text column, codes in order of first appearance."""
    strings = list(dict.fromkeys(cells))
    codes = np.array([strings.index(cell) for cell in cells], np.int32)
    return TextColumn(ColumnInfo(key, heading or key, "text"), codes, strings)


def number(
    key: str, cells: Sequence[float | None], unit: str = "", heading: str = "", whole: bool = False
) -> NumberColumn:
    """A number column; None is a missing cell."""
    values = np.array([np.nan if cell is None else cell for cell in cells], np.float64)
    return NumberColumn(ColumnInfo(key, heading or key, "number", unit, whole), values)


def time(key: str, cells: Sequence[int | None], heading: str = "") -> TimeColumn:
    """A column of points in time, ns; None is a missing cell."""
    values = np.array([MISSING_NS if cell is None else cell for cell in cells], np.int64)
    return TimeColumn(ColumnInfo(key, heading or key, "time", "ns"), values)


def ops_table() -> Table:
    """Six operators: two Conv2D, a Mul, a Cast on AI CPU, a collective, and one without anything."""
    return Table(
        "ops",
        (
            text("device_id", ["0", "0", "0", "0", "0", "0"], "Device_id"),
            text("op_name", ["Conv_0", "Mul_1", "Conv_10", "trans_Cast_3", "hcom_allReduce_1", "转换_2"], "Op Name"),
            text("op_type", ["Conv2D", "Mul", "Conv2D", "Cast", "hcom_allReduce_", "N/A"], "OP Type"),
            text("task_type", ["AI_CORE", "AI_VECTOR_CORE", "AI_CORE", "AI_CPU", "COMMUNICATION", "N/A"], "Task Type"),
            time("start_ns", [1_000, 5_000, 8_000, 20_000, 6_000, None], "Task Start Time(us)"),
            number("task_duration_us", [3.5, 2.25, 7.0, 0.5, 9.0, None], "us", "Task Duration(us)"),
            number("block_num", [8, 1, 8, None, 0, 0], "", "Block Dim", whole=True),
            text("input_shapes", ["1,3;64", "1,64", "1,64", "1,64", "N/A", ""], "Input Shapes"),
            number("mac_ratio", [0.91, 0.0, 0.4, None, None, None], "ratio"),
            number("vec_ratio", [0.1, 0.8, 0.2, None, None, None], "ratio"),
            number("mte2_ratio", [0.2, 0.3, 0.79, None, None, None], "ratio"),
        ),
    )

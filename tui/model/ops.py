"""What operator tables imply but do not say: task classes, bounds, shares, busy time.

Formats: msprof 3.1 and 5.1; glossary 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.model.columns import as_text
from tui.model.exact import exact_sum
from tui.model.table import MISSING_NS, Column, ColumnInfo, NumberColumn, Table, TextColumn

TaskClass = Literal["cube", "vector", "mix", "aicpu", "comm", "dma", "other"]

BOUND_RATIO = 0.8
"""A pipe that is busy for this share of the cycles bounds the operator."""

PIPES = ("mac", "vec", "scalar", "mte1", "mte2", "mte3", "fixpipe")
"""Pipelines of a core in the order in which they are shown."""

_PREFIXES = ("", "aic_", "aiv_")
_SUFFIXES = ("_ratio", "_exe_ratio")
_DURATIONS = ("task_duration_us", "task_time_us", "duration_us")

_CLASSES: dict[str, TaskClass] = {
    "AI_CORE": "cube", "AICORE": "cube", "KERNEL_AICORE": "cube", "AIC": "cube",
    "AI_VECTOR_CORE": "vector", "AIVEC": "vector", "KERNEL_AIVEC": "vector", "AIV": "vector",
    "MIX_AIC": "mix", "MIX_AIV": "mix", "KERNEL_MIX_AIC": "mix", "KERNEL_MIX_AIV": "mix",
    "AI_CPU": "aicpu", "AICPU": "aicpu", "KERNEL_AICPU": "aicpu",
    "COMMUNICATION": "comm", "HCCL": "comm", "HCCL_AI_CPU": "comm",
    "MEMCPY_ASYNC": "dma", "PCIE_DMA_SQE": "dma", "SDMA": "dma",
}  # fmt: skip


def class_of(task_type: str) -> TaskClass:
    """Class of one Task Type (or Accelerator Core, or kernel type), whatever the generation spells it like."""
    name = task_type.strip().upper().replace(" ", "_")
    found = _CLASSES.get(name) or _CLASSES.get(name[:-4] if name.endswith("_SQE") else name)
    if found:
        return found
    return "dma" if "SDMA" in name or "MEMCPY" in name else "other"


def task_classes(table: Table) -> TextColumn | None:
    """Class of each row as a text column `task_class`; None when the table has no task types."""
    types = table.text("task_type") or table.text("core_type") or table.text("kernel_type")
    if types is None:
        return None
    return recoded(types, "task_class", [class_of(text) for text in types.strings])


def recoded(column: TextColumn, key: str, texts: list[str]) -> TextColumn:
    """A derived text column in which `texts[code]` stands for each code of `column`."""
    distinct = list(dict.fromkeys(texts))
    place = {text: index for index, text in enumerate(distinct)}
    mapping = np.array([place[text] for text in texts], dtype=np.int32)
    codes = mapping[column.codes] if len(mapping) else np.zeros(len(column.codes), np.int32)
    return TextColumn(ColumnInfo(key, "", "text"), codes, distinct)


def communication_rows(table: Table) -> NDArray[np.bool_]:
    """True for rows of collectives, which overlap compute rows in time. Shape (rows,)."""
    return table.once("communication_rows", lambda: _communication_rows(table))


def _communication_rows(table: Table) -> NDArray[np.bool_]:
    classes = task_classes(table)
    if classes is None:
        return np.zeros(table.row_count, np.bool_)
    of_code = np.array([text == "comm" for text in classes.strings], dtype=np.bool_)
    return of_code[classes.codes] if len(of_code) else np.zeros(table.row_count, np.bool_)


def durations_us(table: Table) -> NDArray[np.float64] | None:
    """The duration of each row in µs; None when the table has none."""
    return next((values for values in map(table.number, _DURATIONS) if values is not None), None)


def duration_key(table: Table) -> str:
    """Key of the column that `durations_us` returns, or empty."""
    return next((key for key in _DURATIONS if table.number(key) is not None), "")


def device_time_us(table: Table) -> float:
    """Exact sum of the durations of all rows that are not communication: the base of `% of device time`."""
    return table.once("device_time_us", lambda: _device_time_us(table))


def _device_time_us(table: Table) -> float:
    durations = durations_us(table)
    return 0.0 if durations is None else exact_sum(durations[~communication_rows(table)])


def task_row(table: Table, name: str, start_ns: int) -> int:
    """The row of a task that a timeline shows: of that name and start, which both round to ns; −1 for none."""
    starts, names = table.time("start_ns"), table.text("op_name")
    if starts is None or names is None:
        return -1
    near = np.flatnonzero(np.abs(starts - start_ns) <= 1)
    named = [row for row in near.tolist() if names.strings[int(names.codes[row])] == name]
    return named[0] if named else -1


def share_pct(table: Table, device_us: float | None = None) -> NDArray[np.float64]:
    """Share of device time of each row in percent; NaN for communication rows and rows without a duration.

    Args:
        device_us: What 100 % is; None computes `device_time_us`.
    """
    durations = durations_us(table)
    base = device_time_us(table) if device_us is None else device_us
    if durations is None or base <= 0:
        return np.full(table.row_count, np.nan)
    return np.where(communication_rows(table), np.nan, durations * (100.0 / base))


def pipe_columns(table: Table) -> list[tuple[str, NDArray[np.float64]]]:
    """(pipe, ratio of its cycles 0…1) for each pipe column that the table has, cube core before vector core."""
    found = []
    for prefix in _PREFIXES:
        for pipe in PIPES:
            values = next((v for s in _SUFFIXES if (v := table.number(f"{prefix}{pipe}{s}")) is not None), None)
            if values is not None:
                found.append((pipe, values))
    return found


def pipe_ratios(table: Table, row: int) -> dict[str, float]:
    """Ratio of each collected pipe of one row; the larger of the two cores on split chips. Empty when not collected."""
    ratios: dict[str, float] = {}
    for pipe, values in pipe_columns(table):
        value = float(values[row])
        if not np.isnan(value):
            ratios[pipe] = max(value, ratios.get(pipe, value))
    return {pipe: ratios[pipe] for pipe in PIPES if pipe in ratios}


def leading_pipes(
    table: Table, rows: NDArray[np.intp] | slice = slice(None)
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The busiest pipe of each row.

    Returns:
        (index into `PIPES`, ratio 0…1); index -1 and NaN where nothing was collected.
    """
    count = len(np.empty(table.row_count, np.bool_)[rows])
    best = np.full(count, np.nan)
    which = np.full(count, -1, np.intp)
    for pipe, values in pipe_columns(table):
        ratio = values[rows]
        better = (ratio > best) | (np.isnan(best) & ~np.isnan(ratio))
        best[better] = ratio[better]
        which[better] = PIPES.index(pipe)
    return which, best


def bound_texts(table: Table, rows: NDArray[np.intp] | slice = slice(None)) -> list[str]:
    """`bound` of each row: the busiest pipe with its ratio, `none` when all are below 0.8, empty when not collected."""
    which, best = leading_pipes(table, rows)
    return [_bound_text(pipe, ratio) for pipe, ratio in zip(which.tolist(), best.tolist())]


def _bound_text(pipe: int, ratio: float) -> str:
    if pipe < 0:
        return ""
    return f"{PIPES[pipe]} {ratio:.2f}" if ratio >= BOUND_RATIO else "none"


def column_of(table: Table, key: str) -> Column | None:
    """The column of that key, from the file or derived from it."""
    return table.get(key) or derived(table, key)


def derived_keys(table: Table) -> tuple[str, ...]:
    """Keys that `derived` answers for this table."""
    return ("share_pct", "bound", "bound_ratio", "task_class") if table.kind == "ops" else ()


def derived(table: Table, key: str) -> TextColumn | NumberColumn | None:
    """A column that is not in the file but can be filtered, sorted and shown like one; None for any other key.

    `share_pct`, `bound`, `bound_ratio` (ratio of the busiest pipe) and `task_class`, of operator tables only.
    """
    if key != "task_class" and key not in derived_keys(table):
        return None
    return table.once(("derived", key), lambda: _derived(table, key))


def _derived(table: Table, key: str) -> TextColumn | NumberColumn | None:
    if key == "task_class":
        return task_classes(table)
    if key == "share_pct":
        return NumberColumn(ColumnInfo(key, "", "number", "pct"), share_pct(table))
    if key == "bound_ratio":
        return NumberColumn(ColumnInfo(key, "", "number", "ratio"), leading_pipes(table)[1])
    return _bound_column(table)


def _bound_column(table: Table) -> TextColumn:
    which, best = leading_pipes(table)
    hundredths = np.where(best >= BOUND_RATIO, np.rint(np.nan_to_num(best) * 100), -1).astype(np.int64)
    packed = np.where(which < 0, -2, np.where(hundredths < 0, -1, which * 1_000_000 + hundredths))
    distinct, codes = np.unique(packed, return_inverse=True)
    texts = ["" if code == -2 else "none" if code == -1 else _packed_text(code) for code in distinct.tolist()]
    return TextColumn(ColumnInfo("bound", "", "text"), codes.reshape(-1).astype(np.int32), texts)


def _packed_text(code: int) -> str:
    pipe, hundredths = divmod(code, 1_000_000)
    return f"{PIPES[pipe]} {hundredths / 100:.2f}"


def spans_ns(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """(start, end) of the rows that have both a start and a duration, in file order; None when the table has none."""
    starts, durations = table.time("start_ns"), durations_us(table)
    if starts is None or durations is None:
        return None
    known = (starts != MISSING_NS) & np.isfinite(durations)
    first = np.asarray(starts[known])
    return first, first + np.rint(durations[known] * 1000.0).astype(np.int64)


def union_ns(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> int:
    """Time covered by at least one of the intervals, ns; overlaps count once."""
    if not len(starts):
        return 0
    order = np.argsort(starts, kind="stable")
    first, last = starts[order], np.maximum.accumulate(ends[order])
    covered_before = np.concatenate((first[:1], last[:-1]))
    return int(np.maximum(0, last - np.maximum(first, covered_before)).sum())


def busy_ns(table: Table, rows: NDArray[np.bool_] | None = None) -> dict[str, int]:
    """Busy time of each device (interval union of its rows) in ns, by device id (empty where the table names none).

    Args:
        rows: Mask of the rows that count; None takes all but communication.
    """
    starts, durations = table.time("start_ns"), durations_us(table)
    if starts is None or durations is None:
        return {}
    counted = ~communication_rows(table) if rows is None else rows
    counted = counted & (starts != MISSING_NS) & np.isfinite(durations)
    busy = {}
    for name, mine in rows_by_device(table):
        first = starts[mine & counted]
        if len(first):
            length = np.rint(durations[mine & counted] * 1000.0).astype(np.int64)
            busy[name] = union_ns(first, first + length)
    return busy


def rows_by_device(table: Table) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """(device id, mask of its rows) of each device; one empty id where the table names none."""
    column = table.get("device_id")
    if column is None:
        yield "", np.ones(table.row_count, np.bool_)
        return
    device = as_text(column)
    for code, name in enumerate(device.strings):
        yield name, device.codes == code

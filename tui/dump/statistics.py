"""Dumps that hold statistics instead of values: `dump.json` of msprobe, and the CSV files of `dump_data: stats`.

They can be compared by their extremes and means only (formats: dump §1.6, §5.7).
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui.dump.csv_rows import Columns, csv_rows, number, sizes, unreadable_table
from tui.dump.names import parse_name
from tui.dump.table_msaccucmp import type_name
from tui.dump.table_msprobe import api_type
from tui.i18n import _
from tui.model.problem import Problem

MAX_JSON_BYTES = 1 << 29
_MAX_NESTING = 20
_DIRECTIONS = {
    "input_args": "input",
    "input": "input",
    "input_kwargs": "input",
    "output": "output",
    "parameters": "parameters",
    "parameters_grad": "parameters_grad",
}
_STATISTICS_HEADING = {"Input/Output", "Data Type", "Shape"}


@dataclass(frozen=True)
class TensorStatistics:
    """What a dump tells of one tensor. A number that it lacks, or has as text, is NaN."""

    order: int
    """Place of the operator in the file, from 0."""
    op_name: str
    op_type: str
    tensor: str
    """`input:0`, `input:3.1` of nested lists, `input:weight` of keywords, `output:0`, `parameters:weight`."""
    dtype: str
    shape: tuple[int, ...]
    min: float = math.nan
    max: float = math.nan
    mean: float = math.nan
    norm: float = math.nan
    """Euclidean norm."""
    nan: int | None = None
    """Elements that are NaN; None where it is not told."""
    inf: int | None = None
    """Elements that are ±Inf; None where it is not told."""
    checksum: str = ""
    """Of the values, as the dump writes it (CRC-32 or MD5)."""
    data_file: str = ""
    """Name of the file with the values, where there is one."""
    has_extremes: bool = True
    """Whether minimum and maximum are told; where they are, NaN is what the values made of them."""


@dataclass(frozen=True)
class StatisticsDump:
    """A dump of statistics, read."""

    tensors: tuple[TensorStatistics, ...]
    operators: int
    """Calls of APIs, or operators, in the dump; some have no tensors."""
    task: str = ""
    """`statistics`, `tensor`, `md5`, … as `dump.json` says; empty for a CSV file."""
    framework: str = ""
    problems: tuple[Problem, ...] = ()


def read_statistics(path: Path) -> StatisticsDump:
    """The statistics in a `dump.json` or a statistics CSV; a problem when it holds none."""
    try:
        if path.suffix.lower() == ".json":
            return _json_dump(path)
        return _csv_dump(path)
    except (OSError, csv.Error) as error:
        return StatisticsDump((), 0, problems=(unreadable_table(path, error),))
    except (ValueError, RecursionError) as error:
        reason = _("no valid JSON ({reason})").format(reason=str(error)[:80])
        return StatisticsDump((), 0, problems=(_no_statistics(path, reason),))


def _json_dump(path: Path) -> StatisticsDump:
    """Msprobe writes bare NaN and Infinity, which only the standard parser takes."""
    if path.stat().st_size > MAX_JSON_BYTES:
        raise OSError(_("it is larger than {size} bytes").format(size=MAX_JSON_BYTES))
    document = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict):
        return StatisticsDump((), 0, problems=(_no_statistics(path, _('it has no part "data"')),))
    tensors = tuple(
        tensor
        for order, (name, call) in enumerate(data.items())
        if isinstance(call, dict)
        for tensor in _tensors_of_call(order, name, call)
    )
    return StatisticsDump(tensors, len(data), _text(document.get("task")), _text(document.get("framework")))


def _tensors_of_call(order: int, name: str, call: Mapping[str, Any]) -> Iterator[TensorStatistics]:
    for key, value in call.items():
        for place, entry in _leaves(value, ""):
            yield _tensor(order, name, _tensor_name(key, place), entry)


def _tensor_name(key: str, place: str) -> str:
    """Keys are directions, or the names of parameters where a call holds their gradients."""
    direction = _DIRECTIONS.get(key)
    if direction is not None:
        return f"{direction}:{place or '0'}"
    return f"parameters_grad:{key}" if place in ("", "0") else f"parameters_grad:{key}.{place}"


def _leaves(value: object, place: str, depth: int = 0) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Tensor entries below a list, a mapping of keywords, or the entry itself, with their places in it."""
    if depth > _MAX_NESTING:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{place}.{index}" if place else str(index), depth + 1)
    elif isinstance(value, dict):
        if "shape" in value and "dtype" in value:
            yield place, value
        elif "type" not in value:
            for key, item in value.items():
                yield from _leaves(item, f"{place}.{key}" if place else str(key), depth + 1)


def _tensor(order: int, name: str, tensor: str, entry: Mapping[str, Any]) -> TensorStatistics:
    shape = entry.get("shape")
    return TensorStatistics(
        order,
        name,
        api_type(name),
        tensor,
        type_name(_text(entry.get("dtype"))),
        tuple(size for size in shape if isinstance(size, int)) if isinstance(shape, list) else (),
        _number(entry.get("Min")),
        _number(entry.get("Max")),
        _number(entry.get("Mean")),
        _number(entry.get("Norm")),
        checksum=_text(entry.get("md5")),
        data_file=_text(entry.get("data_name")),
        has_extremes=all(isinstance(entry.get(key), (int, float)) for key in ("Min", "Max")),
    )


def _number(value: object) -> float:
    """Statistics of bool tensors are true and false."""
    if not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _csv_dump(path: Path) -> StatisticsDump:
    table = csv_rows(path)
    columns = Columns(tuple(next(table, [])))
    if not set(columns.names) >= _STATISTICS_HEADING:
        return StatisticsDump((), 0, problems=(_no_statistics(path, _("its heading is that of no statistics")),))
    parsed = parse_name(path.name)
    op_name, op_type = (parsed.op_name, parsed.op_type) if parsed is not None else (path.stem, "")
    tensors: list[TensorStatistics] = []
    operators: dict[str, int] = {}
    for row in table:
        name = columns.text(row, "Op Name") or op_name
        order = operators.setdefault(name, len(operators))
        tensors.append(_csv_tensor(columns, row, (order, name, columns.text(row, "Op Type") or op_type)))
    return StatisticsDump(tuple(tensors), len(operators))


def _csv_tensor(columns: Columns, row: list[str], operator: tuple[int, str, str]) -> TensorStatistics:
    index = columns.text(row, "Index", "Slot")
    return TensorStatistics(
        *operator,
        f"{columns.text(row, 'Input/Output').lower()}:{index}",
        type_name(columns.text(row, "Data Type")),
        sizes(columns.text(row, "Shape")),
        columns.number(row, "Min Value"),
        columns.number(row, "Max Value"),
        columns.number(row, "Avg Value"),
        columns.number(row, "l2norm", "L2Norm Value", "L2norm"),
        _count(columns.text(row, "Nan Count")),
        _sum(_count(columns.text(row, "Negative Inf Count")), _count(columns.text(row, "Positive Inf Count"))),
        columns.text(row, "MD5 Value"),
        has_extremes=all(number(columns.text(row, name)) is not None for name in ("Min Value", "Max Value")),
    )


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None and second is None else (first or 0) + (second or 0)


def _no_statistics(path: Path, reason: str) -> Problem:
    what = _("it holds no statistics of tensors: {reason}").format(reason=reason)
    return Problem(str(path), "", what, _("there are no rows to show"), _("open dump.json of msprobe"), "error")

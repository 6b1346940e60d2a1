"""Records that are not as regular as a C parser wants them: one by one, mended where possible, counted always.

The C++ exporter of msprof quotes nothing, so a comma in an operator's name or in an unquoted shape makes a row too
long; merged files and cut-off files have rows that are too short (formats: msprof CSV §3.0.1).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from tui.readers.csv_cells import number_of, stripped

_MAX_LINES = 10_000
"""A quoted cell that spans more lines than this was never closed."""


@dataclass(frozen=True)
class Mended:
    """Records of a block as columns of texts."""

    columns: tuple[NDArray[Any], ...]
    """One per field of the heading; dtype object, shape (rows,)."""
    short: tuple[int, ...]
    """Rows that had too few cells; the missing ones are empty."""
    long: tuple[int, ...]
    """Rows that had too many cells and were joined."""
    unclosed: tuple[int, ...]
    """Rows that began a quote and never ended it; their quotes were taken as text."""


Fits = Callable[[int, str], int]
"""How well a cell suits a field: negative when it cannot belong there."""


def mend(data: bytes, fields: int, delimiter: str, fits: Fits) -> Mended:
    """Splits records into exactly `fields` cells each.

    Args:
        data: Whole records, UTF-8.
        fields: Cells of the heading line.
        fits: Judges a cell for a field; used to find which cells of a row that is too long belong together.
    """
    rows: list[Sequence[str]] = []
    short: list[int] = []
    long: list[int] = []
    unclosed: list[int] = []
    for found, closed in _records(data.decode("utf-8", "replace"), fields, delimiter):
        if not closed:
            unclosed.append(len(rows))
        cells = _without_blank_end(found, fields)
        if len(cells) > fields:
            long.append(len(rows))
        elif len(cells) < fields:
            short.append(len(rows))
        rows.append(_joined(cells, fields, delimiter, fits) if len(cells) > fields else _padded(cells, fields))
    return Mended(_columns(rows, fields), tuple(short), tuple(long), tuple(unclosed))


def looks_like(key: str, kind: str) -> Callable[[str], int]:
    """Judge of cells for one column, by its canonical name and kind."""
    if kind in ("number", "time"):
        return _fits_number
    pattern = _TEXT_PATTERNS.get(key)
    if pattern is None:
        return _fits_anything
    return lambda cell: 2 if pattern.fullmatch(stripped(cell)) else -1


def _without_blank_end(cells: list[str], fields: int) -> list[str]:
    """The cells without surplus empty ones at the end: some writers end every line with a comma."""
    count = len(cells)
    while count > fields and not cells[count - 1].strip():
        count -= 1
    return cells[:count]


def _padded(cells: list[str], fields: int) -> list[str]:
    return cells + [""] * (fields - len(cells))


def _columns(rows: Sequence[Sequence[str]], fields: int) -> tuple[NDArray[Any], ...]:
    columns = []
    for index in range(fields):
        column = np.empty(len(rows), object)
        column[:] = [row[index] for row in rows]
        columns.append(column)
    return tuple(columns)


def _records(text: str, fields: int, delimiter: str) -> Iterator[tuple[list[str], bool]]:
    """Cells of each record, and whether its quotes were closed. Empty lines are passed over."""
    lines = io.StringIO(text, newline="").readlines()
    position = 0
    while position < len(lines):
        used, cells = _record(lines, position, delimiter)
        if used > 1 and len(cells) != fields:
            plain = lines[position].rstrip("\r\n").split(delimiter)
            if not cells or len(plain) == fields:
                position += 1
                yield plain, False
                continue
        position += used
        if cells:
            yield cells, True


def _record(lines: Sequence[str], position: int, delimiter: str) -> tuple[int, list[str]]:
    """How many lines the record at `position` spans and its cells; no cells when its quote is never closed."""
    used = 0
    end = min(len(lines), position + _MAX_LINES)

    def feed() -> Iterator[str]:
        nonlocal used
        for index in range(position, end):
            used += 1
            yield lines[index]

    cells = next(csv.reader(feed(), delimiter=delimiter), [])
    if used > 1 and position + used == end and sum(line.count('"') for line in lines[position:end]) % 2:
        return used, []
    return used, cells


def _joined(cells: Sequence[str], fields: int, delimiter: str, fits: Fits) -> list[str]:
    """The row with `fields` cells: neighbours joined so that all cells together suit their fields best.

    Dynamic programme over (field, surplus cells used so far); the earliest and fewest joins win among equals.
    """
    surplus = len(cells) - fields
    none: tuple[float, tuple[int, ...]] = (-np.inf, ())
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ()), *[none] * surplus]
    for field in range(fields):
        following = [none] * (surplus + 1)
        for used, (score, joins) in enumerate(best):
            if score == -np.inf:
                continue
            for more in range(surplus - used + 1):
                start = field + used
                cell = delimiter.join(cells[start : start + more + 1])
                value = score + fits(field, cell) - (0.5 if more else 0.0)
                if value > following[used + more][0]:
                    following[used + more] = (value, (*joins, more))
        best = following
    return _with_joins(cells, best[surplus][1], delimiter)


def _with_joins(cells: Sequence[str], joins: Sequence[int], delimiter: str) -> list[str]:
    row: list[str] = []
    start = 0
    for more in joins:
        row.append(delimiter.join(cells[start : start + more + 1]))
        start += more + 1
    return row


def _fits_number(cell: str) -> int:
    return 2 if number_of(cell) is not None else -4


def _fits_anything(cell: str) -> int:
    return 0


_SHAPES = re.compile(r"N/A|[\d,;\s\"-]*")
_TYPES = re.compile(r"N/A|[A-Za-z0-9_;]*")
_TEXT_PATTERNS = {
    "device_id": re.compile(r"\d+|host|N/A"),
    "op_state": re.compile(r"dynamic|static|N/A"),
    "hf32_eligible": re.compile(r"YES|NO|N/A"),
    "task_type": re.compile(r"[A-Z_0-9]+|N/A"),
    "core_type": re.compile(r"[A-Z_0-9]+|N/A"),
    "op_type": re.compile(r"[\w/.-]+"),
    "level": re.compile(r"[a-zA-Z_]+"),
    "input_shapes": _SHAPES,
    "output_shapes": _SHAPES,
    "input_data_types": _TYPES,
    "output_data_types": _TYPES,
    "input_formats": _TYPES,
    "output_formats": _TYPES,
}

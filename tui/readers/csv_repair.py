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

_ANCHORS = 8
"""Cells behind a join that are looked at to tell whether it was the right one."""

_JOIN_COST = 0.5
_MAX_SURPLUS = 40
"""Rows with more cells too many are no rows of this table; they are not worth a search."""

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


@dataclass(frozen=True)
class Field:
    """What is known about the cells of a field; tells which cells of a row that is too long belong together."""

    fits: Callable[[str], int]
    """How well a cell suits: negative when it cannot belong here."""
    joinable: bool
    """Whether a cell may hold delimiters."""


def mend(data: bytes, fields: Sequence[Field], delimiter: str) -> Mended:
    """Splits records into exactly as many cells as there are fields.

    Args:
        data: Whole records, UTF-8.
    """
    count = len(fields)
    joiner = _Joiner(fields, delimiter)
    rows: list[Sequence[str]] = []
    short: list[int] = []
    long: list[int] = []
    unclosed: list[int] = []
    for found, closed in _records(data.decode("utf-8", "replace"), count, delimiter):
        if not closed:
            unclosed.append(len(rows))
        cells = _without_blank_end(found, count)
        if len(cells) > count:
            long.append(len(rows))
        elif len(cells) < count:
            short.append(len(rows))
        rows.append(joiner.joined(cells) if len(cells) > count else _padded(cells, count))
    return Mended(_columns(rows, count), tuple(short), tuple(long), tuple(unclosed))


def field_like(key: str, kind: str) -> Field:
    """The field of a column, by its canonical name and kind."""
    if kind in ("number", "time"):
        return Field(_fits_number, joinable=False)
    pattern = _TEXT_PATTERNS.get(key)
    return Field(_fits_anything if pattern is None else _Fits(pattern), joinable=True)


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
        if len(cells) > 1 or (cells and cells[0].strip()):
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


_Scored = tuple[float, tuple[int, ...]]
"""How well cells suit, and how many surplus cells each field has taken."""


class _Joiner:
    """Brings rows that are too long to their number of fields by joining neighbours."""

    def __init__(self, fields: Sequence[Field], delimiter: str) -> None:
        self._fields = fields
        self._delimiter = delimiter
        self._usual: dict[int, tuple[int, ...]] = {}

    def joined(self, cells: Sequence[str]) -> list[str]:
        """The row with one cell per field. What was best for the last such row is tried first."""
        surplus = len(cells) - len(self._fields)
        usual = self._usual.get(surplus)
        if usual is not None:
            row = _with_joins(cells, usual, self._delimiter)
            if self._suits(row, usual):
                return row
        best = self._usual[surplus] = self._best(cells, surplus)
        return _with_joins(cells, best, self._delimiter)

    def _suits(self, row: Sequence[str], joins: Sequence[int]) -> bool:
        """Whether the joined cells and those after them, which would be displaced, are where they can belong."""
        first = next(index for index, more in enumerate(joins) if more)
        last = max(index for index, more in enumerate(joins) if more)
        around = range(max(0, first - 2), min(len(row), last + _ANCHORS))
        return all(self._fields[index].fits(row[index]) >= 0 for index in around)

    def _best(self, cells: Sequence[str], surplus: int) -> tuple[int, ...]:
        """How many surplus cells each field takes so that all cells together suit their fields best.

        Dynamic programme over (field, surplus cells used so far); the fewest joins win among equals.
        """
        if surplus > _MAX_SURPLUS:
            return self._all_in_one(surplus)
        none: _Scored = (-np.inf, ())
        best: list[_Scored] = [(0.0, ()), *[none] * surplus]
        for index, field in enumerate(self._fields):
            following: list[_Scored] = [none] * (surplus + 1)
            for used, (score, joins) in enumerate(best):
                if score == -np.inf:
                    continue
                for more in range(surplus - used + 1 if field.joinable else 1):
                    start = index + used
                    value = score + field.fits(self._delimiter.join(cells[start : start + more + 1]))
                    value -= _JOIN_COST if more else 0.0
                    if value > following[used + more][0]:
                        following[used + more] = (value, (*joins, more))
            best = following
        return best[surplus][1] or self._all_in_one(surplus)

    def _all_in_one(self, surplus: int) -> tuple[int, ...]:
        """The first field that may hold delimiters takes them all."""
        taker = next((index for index, field in enumerate(self._fields) if field.joinable), 0)
        return tuple(surplus if index == taker else 0 for index in range(len(self._fields)))


def _with_joins(cells: Sequence[str], joins: Sequence[int], delimiter: str) -> list[str]:
    row: list[str] = []
    start = 0
    for more in joins:
        row.append(delimiter.join(cells[start : start + more + 1]))
        start += more + 1
    return row


class _Fits:
    """Judge by a pattern."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def __call__(self, cell: str) -> int:
        return 2 if self._pattern.fullmatch(stripped(cell)) else -1


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

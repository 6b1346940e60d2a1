"""Rows of the small CSV files around dumps, whoever wrote or re-saved them."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.i18n import _
from tui.model.problem import Problem

MAX_BYTES = 1 << 29
"""Larger tables are no comparison results."""
MAX_CELL = 1 << 20
"""The limit of the `csv` module is one for the whole process, and other readers need a larger one."""

_SIZE = re.compile(r"\d+")


def csv_rows(path: Path) -> Iterator[list[str]]:
    """The rows of a CSV file that hold anything, cells stripped. UTF-8, odd bytes as U+FFFD, NUL bytes left out.

    Raises:
        OSError: it cannot be read, or is larger than `MAX_BYTES`.
        csv.Error: a cell without end.
    """
    if path.stat().st_size > MAX_BYTES:
        raise OSError(_("it is larger than {size} bytes").format(size=MAX_BYTES))
    csv.field_size_limit(max(MAX_CELL, csv.field_size_limit()))
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.reader(line.replace("\0", "") for line in file):
            cells = [cell.strip() for cell in row]
            if any(len(cell) > MAX_CELL for cell in cells):
                raise csv.Error(_("a cell of more than {n} characters").format(n=MAX_CELL))
            if any(cells):
                yield cells


def unreadable_table(path: Path, error: Exception) -> Problem:
    """What is said of a table that cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    what = _("cannot be read: {reason}").format(reason=reason)
    return Problem(
        str(path), "", what, _("its rows are missing here"), _("check the file and its permissions"), "error"
    )


def number(text: str) -> float | None:
    """A computed number, NaN and ±Inf of the data included; None for `NaN` (not computed), `N/A`, words, nothing.

    The tools write `NaN` where they did not compute, `nan` where the data made it so.
    """
    if text == "NaN":
        return None
    try:
        return float(text)
    except ValueError:
        return None


def number_or_nan(text: str) -> float:
    """A number for a field that has no "not computed"."""
    value = number(text)
    return math.nan if value is None else value


def sizes(text: str) -> tuple[int, ...]:
    """A shape as tables print it: `[1,16,8,8]`, `(3, 2)`, `1x3x8x8`; empty for `-`, `[]`, `NaN`."""
    return tuple(int(size) for size in _SIZE.findall(text)[:64] if len(size) < 20)


@dataclass(frozen=True)
class Columns:
    """Where the columns of a table are. Names may occur twice: `DataType` belongs to the operator column before it."""

    names: tuple[str, ...]

    def at(self, *names: str) -> int | None:
        """Index of the first of `names` that the table has."""
        return next((self.names.index(name) for name in names if name in self.names), None)

    def between(self, name: str, start: int | None, end: int | None) -> int | None:
        """Index of the column `name` behind `start` and before `end`; None for `end` is the end of the table."""
        if start is None or name not in self.names[start:end]:
            return None
        return self.names.index(name, start)

    def text(self, row: Sequence[str], *names: str) -> str:
        """The cell of the first of `names` that the table has; empty where there is none."""
        return cell(row, self.at(*names))

    def number(self, row: Sequence[str], *names: str) -> float:
        """The cell as a number; NaN for anything else."""
        return number_or_nan(self.text(row, *names))


def cell(row: Sequence[str], index: int | None) -> str:
    """The cell at `index`; empty where the row or the table has none."""
    return row[index] if index is not None and index < len(row) else ""

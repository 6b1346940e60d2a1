"""Statistics of host calls as rules ask for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.model.finding import Evidence
from tui.model.table import Table
from tui.model.text import is_missing


@dataclass(frozen=True)
class ApiSum:
    """The calls of one name."""

    name: str
    row: int
    time_us: float
    count: int

    @property
    def evidence(self) -> Evidence:
        """It as evidence."""
        return Evidence(self.name, (("time_us", self.time_us), ("count", float(self.count))), "apis", (self.row,))


@dataclass(frozen=True)
class ApiRows:
    """A table of API statistics that has names and times."""

    table: Table

    def matching(self, pattern: re.Pattern[str]) -> list[ApiSum]:
        """The calls whose whole name matches, longest first; of several levels only the outermost that has them.

        Lower levels run inside of the AscendCL calls: adding them would count time twice.
        """
        names, times = self.table.text("api_name"), self.table.number("time_us")
        if names is None or times is None:
            return []
        hits = np.array([pattern.fullmatch(name) is not None for name in names.strings], np.bool_)
        rows = np.flatnonzero(hits[names.codes] & np.isfinite(times)) if len(hits) else np.zeros(0, np.intp)
        rows = self._outermost(rows)
        found = [ApiSum(names.texts(rows[k : k + 1])[0], int(row), float(times[row]), self._count(row))
                 for k, row in enumerate(rows.tolist())]  # fmt: skip
        return sorted(found, key=lambda entry: -entry.time_us)

    def _outermost(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        level = self.table.text("level")
        if level is None or not len(rows):
            return rows
        texts = level.texts(rows)
        known = [text for text in _LEVELS if text in texts]
        if not known:
            return rows
        kept: NDArray[np.intp] = rows[np.array([text == known[0] or is_missing(text) for text in texts], np.bool_)]
        return kept

    def _count(self, row: int) -> int:
        counts = self.table.number("count")
        return int(counts[row]) if counts is not None and np.isfinite(counts[row]) else 0


_LEVELS = ("acl", "model", "node", "communication", "hccl", "runtime")


def total_us(sums: Sequence[ApiSum]) -> float:
    """Time of all of them."""
    return sum(entry.time_us for entry in sums)


def total_count(sums: Sequence[ApiSum]) -> int:
    """Number of calls of all of them."""
    return sum(entry.count for entry in sums)

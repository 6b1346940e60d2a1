"""A set of rows as sorted, disjoint ranges, so that selecting a million rows costs nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator


class RowSelection:
    """Rows marked by the user; ranges are half open."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    def __contains__(self, row: int) -> bool:
        at = bisect_right(self._ranges, (row, row + 1))
        if at < len(self._ranges) and self._ranges[at][0] == row:
            return True
        return at > 0 and self._ranges[at - 1][0] <= row < self._ranges[at - 1][1]

    def __len__(self) -> int:
        return sum(last - first for first, last in self._ranges)

    def __iter__(self) -> Iterator[int]:
        for first, last in self._ranges:
            yield from range(first, last)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The selected rows as (first, one past the last), ascending."""
        return tuple(self._ranges)

    def add(self, first: int, last: int) -> None:
        """Selects `first` ≤ row < `last`."""
        if first >= last:
            return
        apart = [held for held in self._ranges if held[1] < first or held[0] > last]
        touching = [held for held in self._ranges if held[1] >= first and held[0] <= last]
        merged = (min([first, *(held[0] for held in touching)]), max([last, *(held[1] for held in touching)]))
        self._ranges = sorted([*apart, merged])

    def discard(self, first: int, last: int) -> None:
        """Deselects `first` ≤ row < `last`."""
        if first >= last:
            return
        kept: list[tuple[int, int]] = []
        for start, end in self._ranges:
            kept += [(start, min(end, first)), (max(start, last), end)]
        self._ranges = [(start, end) for start, end in kept if start < end]

    def toggle(self, row: int) -> None:
        """Selects a row, or deselects it."""
        if row in self:
            self.discard(row, row + 1)
        else:
            self.add(row, row + 1)

    def clear(self) -> None:
        """Deselects all."""
        self._ranges = []

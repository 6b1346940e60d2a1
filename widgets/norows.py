"""The source of a grid that waits for its first table."""

from __future__ import annotations

from collections.abc import Sequence

from widgets.protocols import Cell, GridColumn


class NoRows:
    """A source without columns and rows."""

    columns: Sequence[GridColumn] = ()
    row_count = 0

    def block(self, first: int, last: int, columns: Sequence[int]) -> Sequence[Sequence[Cell]]:
        """No cells."""
        return ()

    def row_role(self, row: int) -> str:
        """No role."""
        return ""

    def summary(self, columns: Sequence[int]) -> Sequence[Cell] | None:
        """No sum row."""
        return None

    def sort_marks(self) -> dict[str, tuple[int, bool]]:
        """No order."""
        return {}

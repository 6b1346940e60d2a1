"""How many rows the tables of a profile have, for lists of files: read once, kept in the store like any table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui.readers.csv_plan import TableRequest
from tui.readers.tables import open_table


@dataclass(frozen=True)
class RowCount:
    """Rows of one file."""

    path: str
    rows: int


def row_counts(requests: Sequence[TableRequest], cap_bytes: int) -> Iterator[RowCount]:
    """The rows of each file of each request, in order.

    Args:
        cap_bytes: Size cap of the store.
    """
    for request in requests:
        for part in open_table(request, cap_bytes).parts:
            yield RowCount(part.path, part.rows)

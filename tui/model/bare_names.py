"""Tables of events with names as people say them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

from tui.model.levels import bare_name
from tui.model.table import Table, TextColumn


class BareNames(Sequence[str]):
    """Names without the level that older traces put before them (`AscendCL@`), made when they are read."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """One name, or several."""
        if isinstance(index, slice):
            return [bare_name(name) for name in self._names[index]]
        return bare_name(self._names[index])


def bare(table: Table) -> Table:
    """The same table, its names as the lanes show them."""
    columns = (
        replace(column, strings=BareNames(column.strings))
        if isinstance(column, TextColumn) and column.info.key == "name"
        else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))

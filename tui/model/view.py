"""What a table screen or the `table` command shows of a table: filter, exclusions, grouping, order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.model.table import Table

MAX_SORT_KEYS = 3


@dataclass(frozen=True)
class View:
    """One view of a table. Immutable, so that a history of views is a plain list."""

    filter: str = ""
    """Expression of the filter grammar; empty shows all."""
    only: tuple[tuple[str, str], ...] = ()
    """(column key, cell text) that rows must have; steps of a drill-down and `keep only this value`."""
    exclude: tuple[tuple[str, str], ...] = ()
    """(column key, cell text) that rows must not have."""
    group: tuple[str, ...] = ()
    """Column keys to group by; empty shows instances."""
    sort: tuple[tuple[str, bool], ...] = ()
    """(column key, descending), most significant first, at most `MAX_SORT_KEYS`; empty takes the default order."""


@dataclass(frozen=True)
class Shown:
    """A view applied to a table."""

    table: Table
    """The table that `rows` indexes: the original, or the one of groups."""
    rows: NDArray[np.intp]
    """Row indices in the order shown."""
    base_rows: NDArray[np.intp]
    """Rows of the original table that pass filter, only and exclude, in file order; equals the set of `rows` without grouping."""
    total_rows: int
    """Rows of the original table before filtering."""

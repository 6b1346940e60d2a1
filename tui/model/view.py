"""What a table screen or the `table` command shows of a table: filter, exclusions, grouping, order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tui.model.columns import as_text, cell_text
from tui.model.filter import filter_mask
from tui.model.groups import Groups, group_rows, measure_key
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.order import parse_sort, sorted_rows
from tui.model.table import Column, Table

MAX_SORT_KEYS = 3

_DEFAULT_ORDER = {
    "ops": "task_duration_us",
    "op-types": "total_time_us",
    "apis": "time_us",
    "communication": "total_time_us",
}
"""Kind → column that a table is sorted by, descending, unless told otherwise."""


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
    """Rows of the original table that pass the view's conditions, in file order: the set of `rows` when not grouped."""
    total_rows: int
    """Rows of the original table before filtering."""
    groups: Groups | None = None
    """The groups that `rows` indexes; None without grouping."""


def view_mask(table: Table, view: View) -> NDArray[np.bool_]:
    """Rows that pass the filter and the steps of a view. Shape (rows,).

    Raises:
        BadExpression: the filter cannot be read.
    """
    mask = filter_mask(table, view.filter)
    for steps, wanted in ((view.only, True), (view.exclude, False)):
        for key, text in steps:
            column = column_of(table, key)
            if column is not None:
                mask = mask & (_has_text(column, text) == wanted)
    return mask


def _has_text(column: Column, cell: str) -> NDArray[np.bool_]:
    """Rows whose cell in the file is the text `cell`."""
    text = as_text(column)
    same = np.fromiter((string == cell for string in text.strings), np.bool_, len(text.strings))
    return same[text.codes] if len(same) else np.zeros(len(text.codes), np.bool_)


def apply_view(table: Table, view: View) -> Shown:
    """Filters, groups and orders a table as `view` says.

    Raises:
        BadExpression: the filter cannot be read.
    """
    base = np.flatnonzero(view_mask(table, view))
    order = sort_of(table, view)
    if not view.group:
        return Shown(table, sorted_rows(table, base, order), base, table.row_count)
    groups = group_rows(table, base, view.group)
    rows = sorted_rows(groups.table, np.arange(groups.table.row_count), order)
    return Shown(groups.table, rows, base, table.row_count, groups)


def sort_of(table: Table, view: View) -> tuple[tuple[str, bool], ...]:
    """Sort keys in force: the view's own, else the default order of the table or of its groups."""
    return view.sort[:MAX_SORT_KEYS] or default_sort(table, bool(view.group))


def default_sort(table: Table, grouped: bool = False) -> tuple[tuple[str, bool], ...]:
    """Longest first where a table is about time; other tables keep the order of the file."""
    if grouped:
        return (("total_us" if measure_key(table) else "count", True),)
    key = _DEFAULT_ORDER.get(table.kind, "")
    return ((key, True),) if table.get(key) is not None else ()


def sorted_by(table: Table, view: View, key: str, descending: bool) -> View:
    """The view of `table` sorted by one more column; the order so far, default or chosen, stays as secondary keys."""
    earlier = tuple(pair for pair in sort_of(table, view) if pair[0] != key)
    return replace(view, sort=((key, descending), *earlier)[:MAX_SORT_KEYS])


def drilled(table: Table, view: View, shown: Shown, position: int) -> View | None:
    """The view one level below the group at `position`: type → type and input shapes → instances.

    Other groupings lead to their instances at once. None when the rows are instances already.

    Args:
        table: The original table.
        shown: `view` applied to it.
        position: Place in `shown.rows`.
    """
    if shown.groups is None or not 0 <= position < len(shown.rows):
        return None
    row = int(shown.rows[position])
    keys = [column for key in view.group if (column := shown.table.get(key)) is not None]
    steps = tuple((column.info.key, cell_text(column, row)) for column in keys)
    only = tuple(dict.fromkeys((*view.only, *steps)))
    has_shapes = table.get("input_shapes") is not None
    to_shapes = has_shapes and "op_type" in view.group and "input_shapes" not in view.group
    return replace(view, only=only, group=(*view.group, "input_shapes") if to_shapes else (), sort=())


def view_of(table: Table, filter_: str = "", sort: str = "", group: str = "") -> View:
    """The view that the options of a command describe.

    Raises:
        BadExpression: an unknown column.
    """
    keys = tuple(dict.fromkeys(resolve_key(table, name) for name in group.split(",") if name.strip()))
    view = View(filter=filter_, group=keys)
    if not sort:
        return view
    sorted_table = apply_view(table, View(group=keys)).table if keys else table
    return View(filter=filter_, group=keys, sort=parse_sort(sorted_table, sort))

"""Sorting as a permutation: stable, several keys, missing cells last in both directions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.permutation import LAST, Key, stable_order
from tui.model.table import MISSING_NS, Column, NumberColumn, Table, TextColumn
from tui.model.text import is_missing

SortKeys = Sequence[tuple[str, bool]]
"""(column key, descending), most significant first."""

_STANDS_FOR = {"bound": "bound_ratio"}
"""Columns that are sorted by the number behind their text."""

_DIGITS = re.compile(r"(\d+)")


def sorted_rows(table: Table, rows: NDArray[np.intp], keys: SortKeys) -> NDArray[np.intp]:
    """`rows` in the order of `keys`; equal rows by start time if the table has one, then in the given order.

    Keys of columns that the table does not have are passed over.
    """
    sort_keys = [
        _sort_key(column, descending, rows)
        for key, descending in keys
        if (column := column_of(table, _STANDS_FOR.get(key, key))) is not None
    ]
    if not sort_keys:
        return rows
    starts = table.time("start_ns")
    if starts is not None:
        tie = starts[rows]
        if np.any(tie[1:] < tie[:-1]):
            sort_keys.append(np.where(tie == MISSING_NS, LAST, tie))
    return rows[stable_order(sort_keys)]


def time_order(table: Table) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """(rows by start time, place of each row among them); None where they stand so already, or have no starts."""
    return table.once("time_order", lambda: _time_order(table))


def _time_order(table: Table) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    starts = table.time("start_ns")
    if starts is None or not np.any(starts[1:] < starts[:-1]):
        return None
    order = stable_order([np.asarray(starts)])
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return order, places


def _sort_key(column: Column, descending: bool, rows: NDArray[np.intp]) -> Key:
    """Numbers that sort ascending as wanted; missing cells hold the largest."""
    if isinstance(column, NumberColumn):
        values = column.values[rows]
        return -values if descending else values
    if isinstance(column, TextColumn):
        ranks = _ranks(column.strings)
        codes = column.codes[rows]
        return _directed(ranks[codes] if len(ranks) else np.zeros(len(codes), np.int64), descending)
    times = column.values[rows]
    return _directed(np.where(times == MISSING_NS, LAST, times), descending)


def _directed(values: NDArray[np.int64], descending: bool) -> NDArray[np.int64]:
    return np.where(values == LAST, LAST, -values) if descending else values


def _ranks(strings: Sequence[str]) -> NDArray[np.int64]:
    """Place of each distinct text in natural order (`2` before `10`, case aside); the largest int for missing ones."""
    texts = list(strings)
    ranks = np.full(len(texts), LAST, np.int64)
    present = [code for code, text in enumerate(texts) if not is_missing(text)]
    present.sort(key=lambda code: natural_key(texts[code]))
    ranks[present] = np.arange(len(present))
    return ranks


def natural_key(text: str) -> tuple[object, ...]:
    """Key that orders numbers inside texts by value, letters without case first and with case last."""
    parts = _DIGITS.split(text.casefold())
    parts[1::2] = [digits.lstrip("0").rjust(1, "0").rjust(24, "0") for digits in parts[1::2]]
    return (*parts, text)


def parse_sort(table: Table, expression: str) -> tuple[tuple[str, bool], ...]:
    """Reads `dur desc, name` into sort keys; `-name` is short for `name desc`.

    Raises:
        BadExpression: an unknown column or direction.
    """
    keys = []
    position = 0
    for part in expression.split(","):
        words = part.split()
        start = position + len(part) - len(part.lstrip())
        position += len(part) + 1
        if words:
            keys.append(_sort_term(table, words, start))
    return tuple(keys)


def _sort_term(table: Table, words: list[str], position: int) -> tuple[str, bool]:
    directions = {"asc": False, "ascending": False, "desc": True, "descending": True}
    name, descending = " ".join(words), False
    if len(words) > 1 and words[-1].lower() in directions:
        name, descending = " ".join(words[:-1]), directions[words[-1].lower()]
    elif name.startswith("-"):
        name, descending = name[1:], True
    try:
        return resolve_key(table, name, position), descending
    except BadExpression as error:
        hint = error.hint or _("write: column, or column desc")
        raise BadExpression(error.message, hint, position) from None

"""Comparison tables that other tools wrote, as rows like our own (formats: dump §5.1, §5.7)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tui.dump.csv_rows import Columns, csv_rows, unreadable_table
from tui.dump.table_msaccucmp import is_mapping, is_result, mapping_row, result_row
from tui.dump.table_msprobe import api_row, is_api_table
from tui.i18n import _
from tui.model.dump import PairRow
from tui.model.problem import Problem

TableKind = Literal["msaccucmp", "mapping", "msprobe", ""]
"""Metrics of CANN's comparer · its list of compared files · API-level comparison · none of them."""

_KINDS: tuple[tuple[TableKind, Callable[[Columns], bool], Callable[[Columns, list[str], int], PairRow]], ...] = (
    ("mapping", is_mapping, mapping_row),
    ("msaccucmp", is_result, result_row),
    ("msprobe", is_api_table, api_row),
)


@dataclass(frozen=True)
class ComparisonTable:
    """An existing comparison, read."""

    kind: TableKind
    rows: tuple[PairRow, ...]
    """In the order of the table, which is that of execution."""
    problems: tuple[Problem, ...] = ()


def read_comparison(path: Path) -> ComparisonTable:
    """The rows of an existing comparison table; a problem when it is none that is known."""
    if path.suffix.lower() in (".xlsx", ".xls"):
        return ComparisonTable("", (), (_unknown(path, _("it is an Excel workbook"), _("save it as CSV")),))
    rows: list[PairRow] = []
    kind: TableKind = ""
    try:
        table = csv_rows(path)
        columns = Columns(tuple(next(table, [])))
        known = next((each for each in _KINDS if each[1](columns)), None)
        if known is None:
            hint = _("open result_*.csv of the comparer or compare_result_*.csv of msprobe")
            return ComparisonTable("", (), (_unknown(path, _("its heading is that of no known comparison"), hint),))
        kind = known[0]
        rows.extend(_converted(columns, table, known[2]))
    except (OSError, csv.Error) as error:
        return ComparisonTable(kind, tuple(rows), (unreadable_table(path, error),))
    problems = () if rows else (_unknown(path, _("it has no rows"), _("compare again")),)
    return ComparisonTable(kind, tuple(rows), problems)


def _converted(
    columns: Columns, table: Iterator[list[str]], convert: Callable[[Columns, list[str], int], PairRow]
) -> Iterator[PairRow]:
    """Rows get the same order number as long as the operator stays the same."""
    order, last = -1, ""
    for cells in table:
        row = convert(columns, cells, 0)
        operator = row.op_name or row.golden_name
        order += operator != last or order < 0
        last = operator
        yield replace(row, order=order)


def _unknown(path: Path, what: str, hint: str) -> Problem:
    return Problem(str(path), "", what, _("there are no rows to show"), hint, "error")

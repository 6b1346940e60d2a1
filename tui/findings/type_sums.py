"""Statistics of operator types, for rules that need no single operators: where a profile has nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tui.model.finding import Evidence
from tui.model.table import Table
from tui.model.text import is_missing

if TYPE_CHECKING:
    from tui.findings.facts import Facts


@dataclass(frozen=True)
class TypeSum:
    """One row of op_statistic."""

    name: str
    core: str
    """Kind of core; empty when not recorded."""
    row: int
    total_us: float
    longest_us: float
    count: float

    @property
    def evidence(self) -> Evidence:
        """It as evidence."""
        figures = (("total_time_us", self.total_us), ("count", self.count), ("max_us", self.longest_us))
        return Evidence(self.name, figures, "op-types", (self.row,))


def type_sums(facts: Facts) -> list[TypeSum]:
    """The types of a profile that has their sums but not the operators, longest total first; else nothing."""
    table = facts.op_types if facts.ops is None else None
    names, totals = (table.text("op_type"), table.number("total_time_us")) if table is not None else (None, None)
    if table is None or names is None or totals is None:
        return []
    cores = table.text("core_type") or table.text("task_type")
    found = [
        TypeSum(names.strings[int(names.codes[row])], cores.strings[int(cores.codes[row])] if cores else "", row,
                float(totals[row]), _cell(table, "max_us", row), _cell(table, "count", row))
        for row in np.flatnonzero(np.isfinite(totals)).tolist()
    ]  # fmt: skip
    return sorted((entry for entry in found if not is_missing(entry.name)), key=lambda entry: -entry.total_us)


def chosen(sums: list[TypeSum], wanted: Callable[[TypeSum], bool]) -> tuple[list[TypeSum], float, float]:
    """(types that are wanted, their time, their share of all in percent)."""
    mine = [entry for entry in sums if wanted(entry)]
    time_us, all_us = sum(entry.total_us for entry in mine), sum(entry.total_us for entry in sums)
    return mine, time_us, 100.0 * time_us / all_us if all_us else 0.0


def _cell(table: Table, key: str, row: int) -> float:
    values = table.number(key)
    return float(np.nan_to_num(values[row])) if values is not None else 0.0

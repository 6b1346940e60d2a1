"""Which iterations of a run are looked at, and the part of its time that they take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.columns import taken
from tui.model.steps import Steps
from tui.model.table import MISSING_NS, Table, TimeColumn

EVERYTHING = ("", "all")
"""Texts that choose all iterations."""

_RANGE = re.compile(r"(\d+)?\s*(\.\.|-)\s*(\d+)?|(\d+)")
_AGGREGATES = ("tracks", "files")
"""Kinds whose rows have a start but sum up a whole lane or file."""


@dataclass(frozen=True)
class StepRange:
    """Numbers of iterations, both ends included."""

    first: int | None
    """None for the first there is."""
    last: int | None

    def __contains__(self, number: object) -> bool:
        return (
            isinstance(number, int)
            and (self.first is None or number >= self.first)
            and (self.last is None or number <= self.last)
        )

    @property
    def text(self) -> str:
        """As it is typed: `3`, `2..`, `2..5`."""
        first, last = ("" if end is None else str(end) for end in (self.first, self.last))
        return first if first and first == last else f"{first}..{last}"


@dataclass(frozen=True)
class StepScope:
    """The iterations looked at, and their time."""

    text: str
    """As it is typed and shown."""
    start_ns: int
    end_ns: int
    """First ns after them."""
    run: tuple[int, int]
    """(start, end) of the whole run that they are a part of, on the same clock."""

    @property
    def window(self) -> tuple[int, int]:
        """(start, end)."""
        return self.start_ns, self.end_ns


def parse_steps(text: str) -> StepRange:
    """`3`, `2..`, `..4` or `2..5`.

    Raises:
        BadExpression: it is none of these.
    """
    found = _RANGE.fullmatch(text.strip())
    if found is None or found[0] in ("..", "-"):
        raise BadExpression(_("a number or a range, such as :iter 3, :iter 2.. or :iter 2..5"))
    if found[4]:
        return StepRange(int(found[4]), int(found[4]))
    first, last = (None if end is None else int(end) for end in (found[1], found[3]))
    if first is not None and last is not None and last < first:
        raise BadExpression(_("the second number must not be below the first"))
    return StepRange(first, last)


def exported_steps(exported: Sequence[str], wanted: str) -> frozenset[str]:
    """Those of the iterations exported as files of their own that a text chooses; the first where it chooses none."""
    if wanted in exported:
        return frozenset((wanted,))
    try:
        numbers = parse_steps(wanted)
    except BadExpression:
        return frozenset(exported[:1])
    chosen = frozenset(text for text in exported if text.isdecimal() and int(text) in numbers)
    return chosen or frozenset(exported[:1])


def check_exported(exported: Sequence[str], wanted: str) -> None:
    """Makes sure that a text chooses any of the iterations exported as files of their own.

    Raises:
        BadExpression: the text cannot be read, or there are no such iterations.
    """
    if wanted in exported:
        return
    numbers = parse_steps(wanted)
    if not any(text.isdecimal() and int(text) in numbers for text in exported):
        raise _no_such(wanted, ", ".join(exported))


def _no_such(wanted: str, known: str) -> BadExpression:
    return BadExpression(_("no iteration {number}; there is {known}").format(number=wanted.strip(), known=known))


def step_scope(steps: Steps, text: str, run: tuple[int, int]) -> StepScope:
    """The iterations that a text chooses.

    Args:
        run: (start, end) of the whole run.

    Raises:
        BadExpression: the text cannot be read, or there are no such iterations.
    """
    chosen = parse_steps(text)
    mine = np.flatnonzero([number in chosen for number in steps.numbers.tolist()])
    if not len(mine):
        raise _no_such(text, _known(steps))
    return StepScope(chosen.text, int(steps.start_ns[mine].min()), int(steps.end_ns[mine].max()), run)


def _known(steps: Steps) -> str:
    if not len(steps):
        return _("none")
    first, last = int(steps.numbers.min()), int(steps.numbers.max())
    return str(first) if first == last else f"{first}..{last}"


def steps_of_rows(table: Table | None) -> Steps:
    """Iterations by the rows of a step trace, which tell when each ended and how long it took; none without those."""
    ends, lengths = (table.time("iteration_end_ns"), table.number("iteration_time_us")) if table else (None, None)
    nothing = np.zeros(0, np.int64)
    if table is None or ends is None or lengths is None:
        return Steps("", (), nothing, nothing, nothing, nothing, False)
    known = np.flatnonzero((ends != MISSING_NS) & np.isfinite(lengths))
    numbers = table.number("iteration_id")
    ids = np.arange(1, len(known) + 1) if numbers is None else np.nan_to_num(numbers[known])
    end = np.asarray(ends[known])
    start = end - np.rint(lengths[known] * 1000.0).astype(np.int64)
    names = tuple(_("Iteration {number}").format(number=int(number)) for number in ids)
    return Steps("step trace", names, ids.astype(np.int64), start, end, np.full(len(known), -1, np.int64), False)


def start_column(table: Table) -> TimeColumn | None:
    """When each row began: its start, else the first point in time that it tells; None where rows have none."""
    if table.kind in _AGGREGATES:
        return None
    times = [column for column in table.columns if isinstance(column, TimeColumn)]
    return next((column for column in times if column.info.key == "start_ns"), times[0] if times else None)


def rows_within(table: Table, scope: StepScope) -> Table | None:
    """The rows that began within the iterations; None where rows have no times, or times of another clock."""
    column = start_column(table)
    if column is None or not _is_same_clock(column.values, scope):
        return None
    inside = (column.values >= scope.start_ns) & (column.values < scope.end_ns)
    return taken(table, np.flatnonzero(inside))


def _is_same_clock(starts: NDArray[np.int64], scope: StepScope) -> bool:
    """Whether any row lies within the run; times counted since the start of the machine never do."""
    start_ns, end_ns = scope.run
    return not len(starts) or bool(((starts >= start_ns) & (starts <= end_ns)).any())

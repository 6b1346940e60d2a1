"""Two profiles side by side: what is handed in, and what a comparison says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.model.table import Table

By = Literal["name", "type", "shape", "api"]
"""What a row stands for: an operator, a type of operators, a type with its input shapes, an API of the host."""
BY: tuple[By, ...] = ("name", "type", "shape", "api")

Verdict = Literal["faster", "slower", "same", "new", "gone", "count_changed", "incomparable"]
VERDICTS: tuple[Verdict, ...] = ("incomparable", "new", "gone", "count_changed", "same", "faster", "slower")
"""In the order in which they are tried."""

Match = Literal["name", "normalised", "sequence", "type", "shape", "none"]
"""How the two sides of a row were found to be the same: by name, by the name without its indices, by type and shapes in
the order of the run; by what the rows stand for; not at all."""
MATCHES: tuple[Match, ...] = ("name", "normalised", "sequence", "type", "shape", "none")

PartKey = Literal["load", "execute", "computing", "conversion", "ai_cpu", "communication", "free"]
PARTS: tuple[PartKey, ...] = ("load", "execute", "computing", "conversion", "ai_cpu", "communication", "free")

Fact = Literal["chip", "device_count", "cann_version", "level", "metrics", "iterations", "shapes", "option"]
"""What may differ besides the operators."""


@dataclass(frozen=True)
class Facts:
    """What decides whether two runs can be compared; empty or None where it is not known."""

    chips: tuple[str, ...] = ()
    """Distinct chips of the devices looked at, sorted."""
    device_count: int | None = None
    cann_version: str = ""
    level: str = ""
    metrics: str = ""
    iterations: int | None = None
    """Number of iterations that the rows are of."""
    options: tuple[tuple[str, str], ...] = ()
    """Further settings of the collection."""


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    name: str
    facts: Facts
    ops: Table | None = None
    op_types: Table | None = None
    """Statistics of operator types, recomputed or not; needed only where a side has no operators."""
    apis: Table | None = None


@dataclass(frozen=True)
class Change:
    """One time on both sides, µs. NaN where it is not known."""

    a_us: float
    b_us: float
    delta_us: float
    """B − A: negative is faster."""
    band_us: float
    """Differences up to this are noise."""
    verdict: Verdict

    @property
    def delta_pct(self) -> float:
        """Difference in percent of A; NaN where A is 0."""
        return 100.0 * self.delta_us / self.a_us if self.a_us else float("nan")


@dataclass(frozen=True)
class PartChange:
    """One category of time."""

    part: PartKey
    change: Change


@dataclass(frozen=True)
class Difference:
    """Something besides the operators that differs, so that the times do not compare as they are."""

    what: Fact
    a: str
    b: str
    """Of shapes: how many operators of the same name have other ones, and of how many."""
    name: str = ""
    """Of an option."""


@dataclass(frozen=True)
class Members:
    """Which rows of a side's own table stand behind each row of a comparison."""

    group_of: NDArray[np.intp]
    """Shape (rows,): group of the side that a row is about; -1 where the side has none."""
    members: NDArray[np.intp]
    starts: NDArray[np.intp]

    def rows_of(self, row: int) -> NDArray[np.intp]:
        """Rows of the side's table behind one row, in file order; empty where the side has none."""
        group = int(self.group_of[row])
        return self.members[self.starts[group] : self.starts[group + 1]] if group >= 0 else self.members[:0]


@dataclass(frozen=True)
class Comparison:
    """A, the baseline, against B, the current run."""

    a: Side
    b: Side
    by: By
    """What the rows stand for: as asked for, or the finest that both sides can tell."""
    table: Table
    """Kind `compare`, largest |Δ| first: `op_name op_type match a_total_us b_total_us delta_us delta_pct a_count
    b_count band_us verdict`; beside them `a_call_us b_call_us part`, `b_op_name` where rows are operators, and
    `input_shapes` where they are shapes."""
    end_to_end: Change
    """Sum of the durations of all rows that are not communication. Its band is that of the rows by name."""
    wall: Change | None
    """First start to last end of the operators; None where a side has no start times."""
    parts: tuple[PartChange, ...]
    """In the order of `PARTS`; those that neither side tells are left out."""
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    """What was left out, or compared otherwise than asked for."""
    a_members: Members
    b_members: Members
    """Of `ops`, of `op_types` where a side has no operators, of `apis` where rows are APIs."""

"""Results of tuning, as the screens, reports and findings take them. Plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tui.model.problem import Problem

TuneUnit = Literal["us", "ticks"]


@dataclass(frozen=True)
class TunedOp:
    """One operator before and after tuning."""

    name: str
    type: str
    """Operator type; empty where the file does not say it."""
    before: float
    """Time before, in the unit of the file; NaN when missing."""
    after: float
    tuner: str = ""
    """`Schedule` … where the file says which tuner found it; else empty."""
    update: str = ""
    """`add` or `update`: what happened to the entry of the knowledge bank; else empty."""
    claimed: str = ""
    """The improvement as the file writes it: `124.04%`; empty when it does not."""
    share_pct: float | None = None
    """What is saved as a share of the time of the model, percent; None when that is not known."""

    @property
    def saved(self) -> float:
        """Time saved per run, in the unit of the file; NaN when a time is missing."""
        return self.before - self.after

    @property
    def gain_pct(self) -> float:
        """Time saved in percent of the time before; NaN when a time is missing."""
        return 100.0 * self.saved / self.before if self.before else math.nan

    @property
    def speedup_pct(self) -> float:
        """Time saved in percent of the time after, which is what the tool calls improvement."""
        return 100.0 * self.saved / self.after if self.after else math.nan


@dataclass(frozen=True)
class TuningResult:
    """One report of a tuning run: the rows, ordered by what they save, and what it says of the whole model."""

    path: str
    kind: Literal["opat", "sgat", "autotune"]
    name: str = ""
    """What was tuned, or empty."""
    ops: tuple[TunedOp, ...] = ()
    unit: TuneUnit = "us"
    model_before_ms: float | None = None
    model_after_ms: float | None = None
    claimed: str = ""
    """The improvement of the model as the file writes it, or empty."""
    outcome: str = ""
    """`tuning successful`, `tune failed`: as in the file."""
    tuning_time_s: float | None = None
    failed_ops: tuple[str, ...] = ()
    summary: Mapping[str, int] = field(default_factory=dict)
    """Counts of `repo_summary`: `repo_add_num`, `repo_hit_num`, `total_num` …"""
    rest: Mapping[str, Any] = field(default_factory=dict)
    """Keys that are not known, as they are in the file."""
    complete: bool = True
    """False when the file ends in the middle: it is still being written, or the tool was killed."""

    @property
    def before(self) -> float:
        """Sum of the known times before, in `unit`; only rows that know both times."""
        return math.fsum(op.before for op in self.ops if not math.isnan(op.saved))

    @property
    def after(self) -> float:
        """Sum of the known times after, in `unit`; only rows that know both times."""
        return math.fsum(op.after for op in self.ops if not math.isnan(op.saved))

    @property
    def improved(self) -> int:
        """Operators that became faster."""
        return sum(op.saved > 0 for op in self.ops)

    @property
    def model_gain_pct(self) -> float | None:
        """Time that the model saves by its own times, in percent of the time before."""
        if not self.model_before_ms or self.model_after_ms is None:
            return None
        return 100.0 * (self.model_before_ms - self.model_after_ms) / self.model_before_ms


@dataclass(frozen=True)
class TuningOutcome:
    """All that a tuning left: reports, tuned models, bank."""

    results: tuple[TuningResult, ...] = ()
    models: tuple[str, ...] = ()
    """Tuned `.om` files, newest first."""
    problems: tuple[Problem, ...] = ()

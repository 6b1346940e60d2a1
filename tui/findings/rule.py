"""What a rule is: a name, fixed words, and a check that measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.findings.thresholds import Thresholds
from tui.model.finding import Command, Confidence, Evidence, Limit, Severity

if TYPE_CHECKING:
    from tui.findings.facts import Facts

MOST_EVIDENCE = 20
"""Rows of evidence that a finding keeps."""


class InputMissing(Exception):
    """A rule cannot be evaluated. `missing` says what it needs, `option` what would have produced it."""

    def __init__(self, missing: str, option: str = "") -> None:
        super().__init__(missing)
        self.missing = missing
        self.option = option


@dataclass(frozen=True)
class Limits:
    """The thresholds of one rule."""

    thresholds: Thresholds
    rule: str

    def __getitem__(self, name: str) -> float:
        return self.thresholds.limit(self.rule, name).value

    def text(self, name: str) -> str:
        """The threshold for an inequality; marked when the user changed it."""
        return self.thresholds.limit(self.rule, name).text

    @property
    def all(self) -> tuple[Limit, ...]:
        """All of them."""
        return self.thresholds.of(self.rule)


@dataclass(frozen=True)
class Draft:
    """What a check has measured, when its rule applies."""

    title: str
    measured: str
    occupied_us: float | None = None
    """Time that its rows take of the span, from which the severity comes; None where the severity is fixed."""
    of_us: float = 0.0
    """What that is a share of; 0 takes the span."""
    severity: Severity | None = None
    """Fixed severity; None takes that of the share."""
    recoverable_us: float | None = None
    evidence: Sequence[Evidence] = ()
    total: int = -1
    """Number of things it rests on; −1 for as many as there are in `evidence`."""
    command: Command | None = None
    confidence: Confidence = "sure"
    why: str = ""
    lead: bool = False
    means: str = ""
    """In place of the rule's own words; empty takes those."""
    advice: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule. Texts are message ids, looked up when the rule runs."""

    id: str
    about: str
    """What it looks at, in a few words."""
    check: Callable[[Facts, Limits], Draft | None]
    """Measures; None when the rule does not apply. Raises `InputMissing`."""
    means: str = ""
    advice: str = ""
    source: str = ""
    """Where rule and thresholds come from: letters that `docs/rules.md` explains."""
    fires: str = ""
    """When it fires, for the page of rules; `{name}` stands for a threshold."""
    next_key: str = ""


def never(missing: str) -> Callable[[Facts, Limits], Draft | None]:
    """A check for a rule whose data this version does not have.

    Args:
        missing: What there is not, a message id.
    """
    from tui.i18n import _

    def check(_facts: Facts, _limits: Limits) -> Draft | None:
        raise InputMissing(_(missing))

    return check

"""Runs the rules over the facts of a profile and orders what they find."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.findings import (
    accuracy,
    baseline,
    bounds,
    communication,
    cores,
    data_fit,
    data_types,
    fused_calls,
    host,
    host_gaps,
    late_members,
    patterns,
    sequences,
    suspects,
    time_split,
    tuning,
    votes,
)
from tui.findings.commands import option_for
from tui.findings.facts import Facts
from tui.findings.rule import MOST_EVIDENCE, Draft, InputMissing, Limits, Rule
from tui.findings.thresholds import Thresholds, load_thresholds
from tui.i18n import _
from tui.model.finding import Finding, Findings, NotEvaluated, Severity

_MODULES = (
    data_fit, time_split, host, host_gaps, fused_calls, cores, data_types, bounds, patterns, suspects, sequences,
    communication, votes, late_members, baseline, accuracy, tuning,
)  # fmt: skip
_FAMILIES = ("DQ", "OV", "HO", "CO", "CM", "CP", "AC", "AO")


def _in_order(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: (_FAMILIES.index(rule.id[:2]), rule.id)))


RULES = _in_order([rule for module in _MODULES for rule in module.RULES])
"""All rules, family by family."""


def evaluate(
    facts: Facts,
    thresholds: Thresholds | None = None,
    rules: Sequence[Rule] = RULES,
    stopped: Callable[[], bool] = lambda: False,
) -> Findings:
    """What the rules say.

    Args:
        thresholds: None takes the built-in ones with the user's changes.
        stopped: Asked before each rule; when it says so the rest is not evaluated.
    """
    limits = load_thresholds() if thresholds is None else thresholds
    found: list[Finding] = []
    missing: list[NotEvaluated] = []
    quiet: list[str] = []
    for rule in rules:
        try:
            if stopped():
                raise InputMissing(_("cancelled"))
            draft = rule.check(facts, Limits(limits, rule.id))
        except InputMissing as error:
            missing.append(_missing(rule, error, facts))
            continue
        if draft is None:
            quiet.append(rule.id)
        else:
            found.append(_finding(rule, draft, facts.span_us, limits))
    return Findings(tuple(ordered(found)), tuple(missing), tuple(quiet), facts.span_ns,
                    problems=limits.problems, changed=limits.changed)  # fmt: skip


def _missing(rule: Rule, error: InputMissing, facts: Facts) -> NotEvaluated:
    return NotEvaluated(rule.id, _(rule.about), error.missing, option_for(facts.profile, error.option))


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Errors of the data first, then by recoverable time, then those without one; equal ones stay as they are."""
    return sorted(findings, key=_rank)


def _rank(finding: Finding) -> tuple[int, float]:
    if finding.severity == "error":
        return 0, 0.0
    if finding.recoverable_us is None:
        return 2, 0.0
    return 1, -finding.recoverable_us


def _finding(rule: Rule, draft: Draft, span_us: float, thresholds: Thresholds) -> Finding:
    recoverable_us = _bounded(draft.recoverable_us, span_us)
    share = 100.0 * recoverable_us / span_us if recoverable_us is not None and span_us else None
    return Finding(
        rule=rule.id,
        severity=draft.severity or _severity(draft.occupied_us, draft.of_us or span_us, thresholds),
        title=draft.title,
        measured=draft.measured,
        means=draft.means or _(rule.means),
        advice=" ".join(part for part in (draft.advice, _(rule.advice)) if part),
        recoverable_us=recoverable_us,
        share_pct=share,
        evidence=tuple(draft.evidence)[:MOST_EVIDENCE],
        evidence_total=len(draft.evidence) if draft.total < 0 else draft.total,
        command=draft.command,
        confidence=draft.confidence,
        why=draft.why,
        next_key=rule.next_key,
        lead=draft.lead,
        limits=thresholds.of(rule.id),
    )


def _bounded(time_us: float | None, span_us: float) -> float | None:
    """A recoverable time is no more than the span, and no less than nothing."""
    if time_us is None:
        return None
    bounded = min(time_us, span_us) if span_us else time_us
    return round(max(0.0, bounded), 3)


def _severity(occupied_us: float | None, span_us: float, thresholds: Thresholds) -> Severity:
    """By the share of the span that the rows of a finding take."""
    share = 100.0 * (occupied_us or 0.0) / span_us if span_us else 0.0
    if share >= thresholds.limit("severity", "high_pct").value:
        return "high"
    return "medium" if share >= thresholds.limit("severity", "medium_pct").value else "low"

"""The findings as parts of the report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tui.i18n import N_, _
from tui.model.finding import Finding, Findings, Severity, in_glyphs
from tui.model.text import shown
from tui.units import GlyphSet, missing_text, share_text, span_text

SEVERITY_NAMES: dict[Severity, str] = {
    "error": N_("Error"), "high": N_("High"), "warn": N_("Warn"), "medium": N_("Med"), "low": N_("Low"),
    "info": N_("Info"),
}  # fmt: skip
"""Severities as shown (message ids)."""


@dataclass(frozen=True)
class Section:
    """One part of the report."""

    heading: str
    rows: list[tuple[str, ...]]
    """Cells; the first one of each row is a name."""
    title: str = ""
    """The heading without what the columns and the note say; empty when it has neither."""
    columns: tuple[str, ...] = ()
    """Heads of the columns, where a table has room for them."""
    shares: tuple[float, ...] = ()
    """Percent, one per row, for bars beside them; NaN where it is not known."""
    note: str = ""
    """What the heading says besides the title."""
    texts: tuple[int, ...] = (0,)
    """Places of the cells that are texts; the others are numbers, which are set flush right."""
    key: str = ""
    """What it is about, for a form that shows some parts in its own way."""
    folded: bool = False
    """Whether it is long, and not among what is looked at first."""


def findings_sections(found: Findings, glyphs: GlyphSet) -> Iterator[Section]:
    """The list of findings, what each rests on, the thresholds that were changed, and the advice of msprof."""
    if found.findings:
        rows = [_row(finding, glyphs) for finding in found.findings]
        columns = (_("severity"), _("recoverable at most"), _("% of span"), _("rule"), _("finding"))
        yield Section(
            _("findings: severity, recoverable at most, % of span, rule"), rows, _("findings"), columns,
            texts=(0, 3, 4), key="findings",
        )  # fmt: skip
        details: list[tuple[str, ...]] = [
            (finding.rule, text) for finding in found.findings for text in _details(finding, glyphs)
        ]
        yield Section(_("what the findings rest on"), details, texts=(0, 1), key="findings")
    if found.changed or found.problems:
        changed = [f"{limit.rule} {limit.name} = {limit.text}" for limit in found.changed]
        yield Section(_("thresholds changed by you"), [(shown(text),) for text in (*changed, *found.problems)])
    if found.advice:
        lines: list[tuple[str, ...]] = [
            (shown(entry.rule_type), shown(entry.suggestion), shown(", ".join(entry.ops[:3]))) for entry in found.advice
        ]
        yield Section(_("advice of msprof (prof_rule)"), lines, texts=(0, 1, 2), folded=True)


def _row(finding: Finding, glyphs: GlyphSet) -> tuple[str, ...]:
    bound = missing_text(glyphs)
    if finding.recoverable_us is not None:
        bound = in_glyphs("≤ ", glyphs) + span_text(finding.recoverable_us * 1000.0, glyphs)
    share = missing_text(glyphs) if finding.share_pct is None else share_text(finding.share_pct, 1, glyphs)
    return _(SEVERITY_NAMES[finding.severity]), bound, share, finding.rule, _safe(finding.title, glyphs)


def _details(finding: Finding, glyphs: GlyphSet) -> Iterator[str]:
    """What was measured, what that usually means, what to try, the command; why it is not sure."""
    yield _safe(finding.measured, glyphs)
    yield _safe(" ".join(part for part in (finding.means, finding.advice) if part), glyphs)
    if finding.command is not None:
        yield _safe(finding.command.text, glyphs)
    if finding.why:
        yield _safe(f"{_(CONFIDENCE_NAMES[finding.confidence])}: {finding.why}", glyphs)


CONFIDENCE_NAMES = {"sure": N_("sure"), "likely": N_("likely"), "hint": N_("hint")}
"""Confidences as shown (message ids)."""


def _safe(text: str, glyphs: GlyphSet) -> str:
    return in_glyphs(shown(text), glyphs)

"""The first findings on the Overview: severity, what it is, the time that acting on it can save, the rule."""

from __future__ import annotations

from collections.abc import Container, Sequence

from tui.finding_report import SEVERITY_NAMES
from tui.i18n import _, ngettext
from tui.model.finding import Finding, Findings, in_glyphs
from tui.screens.findings_table import SEVERITY_ROLES
from tui.units import missing_text, number_text, span_text
from widgets.pieces import Line, Piece, gap, spread, width_of
from widgets.roles import Look
from widgets.text import cells, fit

RULE_CELLS = 6
"""Rule id and the gap before it."""


def told_findings(found: Findings, hidden: Container[str]) -> Sequence[Finding]:
    """Those that the user has not hidden, in the order of the Findings screen."""
    return [finding for finding in found.findings if finding.rule not in hidden]


def count_text(found: Findings) -> str:
    """`11 findings, 36 rules not evaluated`."""
    count, missing = len(found.findings), len(found.not_evaluated)
    first = ngettext("{n} finding", "{n} findings", count).format(n=number_text(count, 0))
    if not missing:
        return first
    rules = ngettext("{n} rule not evaluated", "{n} rules not evaluated", missing).format(n=number_text(missing, 0))
    return f"{first}, {rules}"


def finding_lines(findings: Sequence[Finding], width: int, look: Look) -> list[Line]:
    """One line per finding; its bound at the right, which says ≤ since it is one."""
    glyphs = look.glyphs.name
    bounds = [
        f"{in_glyphs('≤', glyphs)} {span_text(finding.recoverable_us * 1000, glyphs)}"  # type: ignore[arg-type]
        if finding.recoverable_us is not None
        else missing_text(glyphs)  # type: ignore[arg-type]
        for finding in findings
    ]
    bound_cells = max(map(cells, bounds), default=0)
    words = max((cells(_(name)) for name in SEVERITY_NAMES.values()), default=4)
    return [_line(finding, bound, bound_cells, words, width, look) for finding, bound in zip(findings, bounds)]


def _line(finding: Finding, bound: str, bound_cells: int, words: int, width: int, look: Look) -> Line:
    role = SEVERITY_ROLES.get(finding.severity, "text")
    right = [
        gap(2), Piece(fit(bound, bound_cells, "right"), "text" if finding.recoverable_us is not None else "faint"),
        gap(2), Piece(fit(finding.rule, RULE_CELLS - 2), "muted"), gap(2),
    ]  # fmt: skip
    title = look.shown(in_glyphs(finding.title, look.glyphs.name))  # type: ignore[arg-type]
    left = [gap(1), Piece(fit(_(SEVERITY_NAMES[finding.severity]), words), role), gap(2), Piece(title, "text")]
    room = width - 1
    return spread(look.cut(left, room - width_of(right) - 2), right, room)

"""What the rules say about a profile: findings with their evidence, and the rules that could not be evaluated."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tui.i18n import ngettext
from tui.model.inventory import text_column
from tui.model.table import ColumnInfo, NumberColumn, Table
from tui.model.writers import json_number
from tui.units import GlyphSet

if TYPE_CHECKING:
    from tui.model.advice import Advice

Severity = Literal["error", "high", "warn", "medium", "low", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "high", "warn", "medium", "low", "info")
"""Worst first. `error` and `warn` are about the data, the others about the time."""

Confidence = Literal["sure", "likely", "hint"]


@dataclass(frozen=True)
class Evidence:
    """One thing that a finding rests on, and where a screen can show it."""

    text: str
    """Its name, as the file has it."""
    figures: tuple[tuple[str, float | str], ...] = ()
    """Canonical column name with its unit → value; the first is the one that decides."""
    table: str = ""
    """Kind of the table that holds its rows (`ops`, `apis`, `steps`, `op-types`, `files`); empty for none."""
    rows: tuple[int, ...] = ()
    """Rows of that table."""
    start_ns: int | None = None
    """Range on the timeline, absolute; None when it has none."""
    end_ns: int | None = None
    device: str = ""
    track: int = -1
    """Lane by its place in `Timeline.tracks`; −1 for none."""
    event: int = -1
    """Event of the timeline; −1 for none."""


@dataclass(frozen=True)
class Command:
    """What acts on a finding."""

    tool: str
    """`msprof`, `aoe`: its Run form is filled with the arguments. `npuscope` and `export` are for a shell, an empty
    one is a command of the viewer (`:iter 2..`)."""
    arguments: tuple[str, ...]

    @property
    def text(self) -> str:
        """The line to type, quoted for a shell."""
        if not self.tool:
            return " ".join(self.arguments)
        return " ".join(shlex.quote(word) for word in (self.tool, *self.arguments))


@dataclass(frozen=True)
class Limit:
    """One threshold."""

    rule: str
    name: str
    """Name with its unit, as in the file of thresholds."""
    value: float
    default: float

    @property
    def changed(self) -> bool:
        """Whether the user has set it to something else."""
        return self.value != self.default

    @property
    def text(self) -> str:
        """The value as it stands in an inequality; a changed one is marked and followed by its default."""
        return f"{self.value:g}" if not self.changed else f"{self.value:g}* ({self.default:g})"


@dataclass(frozen=True)
class Finding:
    """One rule that applies. Texts are in the language that was set when the rules ran."""

    rule: str
    severity: Severity
    title: str
    measured: str
    """The inequality that made the rule fire, with its numbers."""
    means: str
    """What that usually means."""
    advice: str
    """At most three sentences."""
    recoverable_us: float | None = None
    """Upper bound of the time that acting on it can save; None where it saves none by itself."""
    share_pct: float | None = None
    """The same as a share of the span."""
    evidence: tuple[Evidence, ...] = ()
    """Most telling first."""
    evidence_total: int = 0
    """How many there are; `evidence` holds the first of them."""
    command: Command | None = None
    confidence: Confidence = "sure"
    why: str = ""
    """Why it is not sure; empty when it is."""
    next_key: str = ""
    """Key that leads on: `t`, `3`, `!` …; empty for none in particular."""
    lead: bool = False
    """Whether it is the thread to follow: the lead suspect, the call that leads to the device."""
    limits: tuple[Limit, ...] = ()
    """Thresholds of the rule."""


@dataclass(frozen=True)
class NotEvaluated:
    """One rule that could not be evaluated."""

    rule: str
    title: str
    """What the rule is about."""
    missing: str
    """File, column or data that it needs."""
    option: str = ""
    """Option or setting that would have produced it; empty when none would."""

    @property
    def text(self) -> str:
        """All of it in one line."""
        return " - ".join(part for part in (f"{self.rule} {self.title}", self.missing, self.option) if part)


@dataclass(frozen=True)
class Findings:
    """What all rules say."""

    findings: tuple[Finding, ...] = ()
    """Errors of the data first, then by recoverable time, then those without one in the order of the rules."""
    not_evaluated: tuple[NotEvaluated, ...] = ()
    quiet: tuple[str, ...] = ()
    """Rules that were evaluated and do not apply."""
    span_ns: int = 0
    """What shares are of."""
    advice: tuple[Advice, ...] = ()
    """What msprof itself wrote beside its tables."""
    problems: tuple[str, ...] = ()
    """Thresholds of the user that are not used, one line each."""
    changed: tuple[Limit, ...] = ()
    """Thresholds that the user has changed."""

    def of(self, rule: str) -> Finding | None:
        """The finding of one rule, or None."""
        return next((finding for finding in self.findings if finding.rule == rule), None)

    @property
    def says_something(self) -> bool:
        """Whether any rule applies, or any besides those about the data could be evaluated."""
        return bool(self.findings) or any(not rule.startswith("DQ") for rule in self.quiet)

    def missing_lines(self) -> list[str]:
        """The rules that could not be evaluated, those that miss the same in one line."""
        groups: dict[tuple[str, str], list[NotEvaluated]] = {}
        for entry in self.not_evaluated:
            groups.setdefault((entry.missing, entry.option), []).append(entry)
        return [members[0].text if len(members) == 1 else _joined(members) for members in groups.values()]

    @property
    def lead(self) -> Finding | None:
        """The first that is the thread to follow."""
        return next((finding for finding in self.findings if finding.lead), None)


def _joined(members: Sequence[NotEvaluated]) -> str:
    rules = " ".join(entry.rule for entry in members)
    return " - ".join(part for part in (rules, members[0].missing, members[0].option) if part)


FINDING_KEYS = ("rule", "severity", "recoverable_us", "title", "evidence", "advice", "command", "confidence")
"""Columns of the table of findings."""


def findings_table(found: Findings) -> Table:
    """One row per finding: `rule severity recoverable_us title evidence advice command confidence`."""
    findings = found.findings
    times = [np.nan if finding.recoverable_us is None else finding.recoverable_us for finding in findings]
    columns = (
        text_column("rule", [finding.rule for finding in findings]),
        text_column("severity", [finding.severity for finding in findings]),
        NumberColumn(ColumnInfo("recoverable_us", "", "number", "us"), np.array(times, np.float64)),
        text_column("title", [finding.title for finding in findings]),
        text_column("evidence", [evidence_text(finding) for finding in findings]),
        text_column("advice", [finding.advice for finding in findings]),
        text_column("command", [finding.command.text if finding.command else "" for finding in findings]),
        text_column("confidence", [finding.confidence for finding in findings]),
    )
    return Table("findings", columns, note=_note(found))


def _note(found: Findings) -> str:
    """What the rows do not say: rules without data, thresholds that were changed or are not used."""
    count = len(found.not_evaluated)
    missing = ngettext("{count} rule not evaluated", "{count} rules not evaluated", count).format(count=count)
    changed = [f"{limit.rule} {limit.name} = {limit.text}" for limit in found.changed]
    return "; ".join((missing if count else "", *changed, *found.problems)).strip("; ")


def evidence_text(finding: Finding, most: int = 3) -> str:
    """The inequality, then the names of the first things it rests on."""
    names = [evidence.text for evidence in finding.evidence[:most] if evidence.text]
    more = finding.evidence_total - len(names)
    listed = ", ".join(names) + (f" +{more}" if names and more > 0 else "")
    return f"{finding.measured}: {listed}" if listed else finding.measured


def finding_object(finding: Finding) -> dict[str, Any]:
    """A finding as plain values: the columns of its table, then what they leave out."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "recoverable_us": finding.recoverable_us,
        "title": finding.title,
        "evidence": evidence_text(finding),
        "advice": finding.advice,
        "command": finding.command.text if finding.command else "",
        "confidence": finding.confidence,
        "share_pct": finding.share_pct,
        "measured": finding.measured,
        "means": finding.means,
        "why": finding.why,
        "lead": finding.lead,
        "evidence_total": finding.evidence_total,
        "evidence_rows": [_evidence_object(evidence) for evidence in finding.evidence],
        "thresholds": [
            {"name": limit.name, "value": limit.value, "default": limit.default} for limit in finding.limits
        ],
    }


def _evidence_object(evidence: Evidence) -> dict[str, Any]:
    return {
        "text": evidence.text,
        "table": evidence.table,
        "rows": list(evidence.rows),
        "start_ns": evidence.start_ns,
        "end_ns": evidence.end_ns,
        "device_id": evidence.device,
        "figures": {key: value if isinstance(value, str) else json_number(value) for key, value in evidence.figures},
    }


_PLAIN = str.maketrans(
    {"≥": ">=", "≤": "<=", "×": "x", "→": "->", "·": ",", "−": "-", "–": "-", "…": "...", "÷": "/", "Σ": "sum "}
)


def in_glyphs(text: str, glyphs: GlyphSet) -> str:
    """A text of a finding as a set of glyphs can draw it: signs that some terminals draw two cells wide are spelled."""
    if glyphs == "blocks":
        return text
    plain = text.translate(_PLAIN)
    return plain.replace("µ", "u") if glyphs == "ascii" else plain


@dataclass(frozen=True)
class LinkUse:
    """What one collective moved over one kind of link, as `communication.json` sums it up."""

    op: str
    """Name of the collective, without its group."""
    transport: str
    """`SDMA`, `RDMA`, `HCCS`, `PCIE` …"""
    size_mb: float
    time_ms: float
    bandwidth_gb_s: float
    elapse_ms: float = 0.0
    """Length of the whole collective."""
    start_ns: int = 0
    """Start of the collective, epoch; 0 when it is not known. The file itself has rounded it to parts of a µs."""
    wait_ms: float = 0.0
    """Time that the rank waited in the collective for others."""
    sizes: tuple[tuple[float, float, float], ...] = ()
    """(size of a packet in MB, number, time in ms)."""


@dataclass(frozen=True)
class Rank:
    """One rank of the job: what comparing ranks needs of it."""

    name: str
    step_times: Mapping[str, float] = field(default_factory=dict)
    """`computing`, `communication_not_overlapped`, `free`: sums over its steps, µs."""
    links: Sequence[LinkUse] = ()

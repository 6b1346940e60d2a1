"""The guided triage: nine steps from "is the data fit" to "is it still right", each one sentence with the real numbers.

ux: appendix B. Pure; the application keeps the place, a strip on every screen shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tui.i18n import N_, _
from tui.model.dump import AGREEING
from tui.units import GlyphSet, delta_text, number_text, share_text, span_text

if TYPE_CHECKING:
    from tui.model.comparison import Comparison
    from tui.model.dump import DumpComparison, PairRow
    from tui.model.finding import Finding, Findings
    from tui.overview import OverviewData

IDLE_FROM_PCT = 10.0
"""From this idle share of the time of a device on the host is looked at first, as rule OV01 does."""
FP16_MAX = 65504.0

STEP_NAMES = (
    N_("Health"), N_("Scope"), N_("Split"), N_("Host"), N_("Operators"), N_("Why"), N_("Lever"), N_("Verify"),
    N_("Right?"),
)  # fmt: skip
"""Names of the steps (message ids)."""

WHY_RULES = ("CO07", "CO06", "CO16", "CO15", "CO21", "CO18")
"""What keeps an operator from using the cores well, most telling first."""


@dataclass(frozen=True)
class GuideStep:
    """One step."""

    name: str
    """As shown."""
    text: str
    """One sentence about this profile."""
    keys: tuple[str, ...]
    """What is typed to look at it: digits of screens, commands (`:iter`), ids of actions (`details`)."""


@dataclass(frozen=True)
class Triage:
    """What is known of a profile, and of what is open beside it."""

    overview: OverviewData
    findings: Findings | None = None
    """None while the rules run."""
    has_iterations: bool = False
    """Whether there is something to choose from."""
    within: str = ""
    """The iterations looked at, as typed; empty for all."""
    comparison: Comparison | None = None
    dumps: DumpComparison | None = None
    glyphs: GlyphSet = "blocks"


def guide_steps(known: Triage) -> tuple[GuideStep, ...]:
    """All steps, in order. A step that lacks what it needs says what, and how to have it."""
    idle = _idle_pct(known)
    keys: tuple[tuple[str, ...], ...] = (
        ("1",), (":iter",) if known.has_iterations else ("2",), ("2",) if idle >= IDLE_FROM_PCT else ("3",), ("4",),
        ("3",), ("details",), ("5",), ("6",), ("7",),
    )  # fmt: skip
    texts = (
        _health(known), _scope(known), _split(idle), _host(known, idle), _operators(known), _why(known), _lever(known),
        _verify(known), _right(known),
    )  # fmt: skip
    return tuple(GuideStep(_(name), text, key) for name, text, key in zip(STEP_NAMES, texts, keys))


# ── the sentences ────────────────────────────────────────────────────────────────────────────────────────────────────


def _health(known: Triage) -> str:
    lines = known.overview.health
    limits = [line for line in lines[1:] if line.severity in ("error", "warn")]
    if not limits:
        scope = lines[0].consequence if lines else ""
        return ": ".join(part for part in (_("the data are complete"), scope) if part)
    first = ": ".join(part for part in (limits[0].fact, limits[0].consequence) if part)
    return first if len(limits) == 1 else _("{first}, and {n} more").format(first=first, n=len(limits) - 1)


def _scope(known: Triage) -> str:
    if known.within:
        return _("only iterations {text} are looked at").format(text=known.within)
    warm_up = _text(known, "OV05")
    if known.has_iterations and known.findings is not None and not warm_up:
        warm_up = _("the first run is like the others")
    said = "; ".join(part for part in (_text(known, "OV06"), warm_up) if part)
    return said or _("no large load, no warm-up: all of the time counts")


def _split(idle_pct: float) -> str:
    if idle_pct != idle_pct:
        return _("nothing tells how busy the device was")
    if idle_pct >= IDLE_FROM_PCT:
        return _("device idle {share}: look at the host first").format(share=share_text(idle_pct, 0))
    return _("device busy {share}: look at the operators").format(share=share_text(100 - idle_pct, 0))


def _host(known: Triage, idle_pct: float) -> str:
    if known.findings is None:
        return _waiting()
    found = [finding for finding in known.findings.findings if finding.rule.startswith("HO")]
    told = [finding.title for finding in found[:1]]
    lead = _text(known, "OV07")
    parts = [lead, *told] if lead and not idle_pct >= IDLE_FROM_PCT else [*told, lead]
    said = "; ".join(part for part in parts if part)
    return said or _missing(known, "HO09") or _("no rule about the host applies")


def _operators(known: Triage) -> str:
    suspect = _text(known, "CO17")
    if not known.overview.top_ops:
        return _("no table of operators was collected")
    top = known.overview.top_ops[0]
    first = f"{top.name} {share_text(top.share_pct, 0, known.glyphs)}"
    return f"{first}; {suspect}" if suspect else _("{name} of device time").format(name=first)


def _why(known: Triage) -> str:
    if known.findings is None:
        return _waiting()
    told = [text for rule in WHY_RULES if (text := _text(known, rule))]
    if told:
        return "; ".join(told[:2])
    return _missing(known, "CO07") or _("units and cores are well used")


def _lever(known: Triage) -> str:
    if known.findings is None:
        return _waiting()
    saving = [finding for finding in known.findings.findings if _saves(finding)]
    if not saving:
        return _("no finding says that time can be saved")
    first = saving[0]
    bound = span_text((first.recoverable_us or 0.0) * 1000, known.glyphs)
    share = f" ({share_text(first.share_pct, 1, known.glyphs)})" if first.share_pct is not None else ""
    return _("{title}: at most {time}{share} to be saved").format(title=first.title, time=bound, share=share)


def _saves(finding: Finding) -> bool:
    return bool(finding.recoverable_us) and not finding.rule.startswith(("DQ", "AC"))


def _verify(known: Triage) -> str:
    made = known.comparison
    if made is None:
        return _("no baseline is open: :compare PATH opens the run after the change, b keeps this one")
    from tui.compare_report import VERDICT_NAMES

    total = made.end_to_end
    if total.verdict == "incomparable":
        return _("the two runs cannot be compared")
    ends = _("end to end {delta} %, {verdict}").format(
        delta=delta_text(total.delta_pct, 1, known.glyphs), verdict=_(VERDICT_NAMES[total.verdict])
    )
    return "; ".join(part for part in (_largest_change(made, known.glyphs), ends) if part)


def _largest_change(made: Comparison, glyphs: GlyphSet) -> str:
    """The row with the largest difference, where it has one in percent."""
    names, deltas = made.table.text("op_name"), made.table.number("delta_pct")
    if names is None or deltas is None or not len(deltas) or not np.isfinite(deltas[0]):
        return ""
    name = names.strings[int(names.codes[0])]
    return _("{name} {delta} %").format(name=name, delta=delta_text(float(deltas[0]), 1, glyphs))


def _right(known: Triage) -> str:
    dumps = known.dumps
    if dumps is None:
        return _("no dumps are compared: 7 compares two")
    if not dumps.compared:
        return _("no pair of the dumps could be compared")
    if all(row.verdict in AGREEING for row in dumps.deciding):
        return _("outputs agree{cosine}{room}").format(cosine=_lowest_cosine(dumps.deciding), room=_head_room(dumps))
    if dumps.first_divergence is not None:
        row = dumps.rows[dumps.first_divergence.row]
        return _("{name} is the first to differ{cosine}").format(name=row.op_name, cosine=_lowest_cosine([row]))
    return _("outputs differ{cosine}").format(cosine=_lowest_cosine(dumps.deciding))


def _lowest_cosine(rows: Iterable[PairRow]) -> str:
    known = [row.metrics.cosine for row in rows if row.metrics is not None and row.metrics.cosine is not None]
    return f" {min(known):.4f}" if known else ""


def _head_room(dumps: DumpComparison) -> str:
    used = [row.b.max_abs / FP16_MAX for row in dumps.rows if row.b is not None and row.b.max_abs == row.b.max_abs]
    return "; " + _("largest head-room use {n}").format(n=number_text(max(used), 2)) if used else ""


# ── what they are made of ────────────────────────────────────────────────────────────────────────────────────────────


def _part_pct(known: Triage, key: str) -> float:
    """Share of one part of the split; 0 where it is not known."""
    split = known.overview.split
    return next((part.share_pct for part in split.parts if part.key == key), 0.0) if split is not None else 0.0


def _idle_pct(known: Triage) -> float:
    """Idle share of the time of the device, load and set-up left out; NaN where nothing tells it."""
    idle = _part_pct(known, "idle")
    busy = _part_pct(known, "computing") + _part_pct(known, "communication")
    return 100.0 * idle / (idle + busy) if idle + busy else float("nan")


def _text(known: Triage, rule: str) -> str:
    finding = known.findings.of(rule) if known.findings is not None else None
    return finding.title if finding is not None else ""


def _missing(known: Triage, rule: str) -> str:
    """Why a rule could not be evaluated, and the option that would change that; empty where it was."""
    if known.findings is None:
        return ""
    found = next((entry for entry in known.findings.not_evaluated if entry.rule == rule), None)
    return ": ".join(part for part in (found.missing, found.option) if part) if found is not None else ""


def _waiting() -> str:
    return _("the rules are still running")

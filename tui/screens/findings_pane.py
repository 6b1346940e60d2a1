"""What the Findings screen says about a finding, about a rule that does not apply, about one not evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui.finding_report import CONFIDENCE_NAMES
from tui.findings.rule import Rule
from tui.i18n import N_, _
from tui.model.finding import Finding, Limit, NotEvaluated
from tui.screens.op_details import Pane, Room
from tui.units import share_text, span_text
from widgets.bars import bar
from widgets.panes import Detail, detail_lines
from widgets.pieces import Line, Piece, gap
from widgets.text import cells, fit

LABEL_CELLS = 12
NEXT = {
    "t": ("to_timeline", N_("on the timeline")), "exclamation_mark": ("run", N_("fills the Run form")),
    "colon": ("command", N_("command line")), "1": ("1", N_("Overview")), "2": ("2", N_("Timeline")),
    "3": ("3", N_("Ops")), "4": ("4", N_("APIs")), "6": ("6", N_("Compare")), "7": ("7", N_("Dump")),
    "8": ("8", N_("Run")), "9": ("9", N_("Files")),
}  # fmt: skip
"""Key that a rule names → action or screen, and what that does (message ids)."""
_NUMBER = re.compile(r"(?<![\w.])\d[\d ]*(?:\.\d+)?(?: ?(?:%|µs|us|ms|s)(?!\w))?")


@dataclass(frozen=True)
class Said:
    """One labelled text of the pane."""

    label: str
    value: Sequence[Piece]
    gives_way: int = 0
    """The larger, the earlier it is cut to one line where there is no room; 0 never is."""


def finding_pane(finding: Finding, note: str | None, room: Room) -> Pane:
    """The inequality, what it means, what to try, why it is not sure, and the command.

    Args:
        note: Why the user has hidden it, which may be empty; None when it is shown anyway.
    """
    facts = bound_text(finding, room)
    return Pane(f"{finding.rule}  {finding.title}", facts, fitted(_said(finding, note, room), room))


def bound_text(finding: Finding, room: Room) -> str:
    """`≤ 47.44 ms · 22.1 % of span`, or empty."""
    if finding.recoverable_us is None:
        return ""
    time = span_text(finding.recoverable_us * 1000.0, room.number_glyphs)
    if finding.share_pct is None:
        return f"≤ {time}"
    return _("≤ {time} · {share} of span").format(time=time, share=share_text(finding.share_pct, 1, room.number_glyphs))


def _said(finding: Finding, note: str | None, room: Room) -> list[Said]:
    why = _("why {confidence}").format(confidence=_(CONFIDENCE_NAMES[finding.confidence]))
    hidden = note or _("X hides it again, x brings it back")
    said = [
        Said(_("hidden"), [Piece(hidden, "muted")]) if note is not None else None,
        Said(_("measured"), _with_numbers(finding.measured)),
        Said(_("means"), [Piece(finding.means, "text")], 3) if finding.means else None,
        Said(_("try"), [Piece(finding.advice, "text")], 1) if finding.advice else None,
        Said(why, [Piece(finding.why, "muted")], 2) if finding.why else None,
        Said(_("limits"), [Piece(limits_text(finding.limits), "muted")]) if room.tall and finding.limits else None,
        Said(_("command"), [Piece(finding.command.text, "bright")])
        if finding.command is not None and not room.tall else None,
    ]  # fmt: skip
    return [entry for entry in said if entry is not None]


def _with_numbers(text: str) -> list[Piece]:
    """A text with its numbers set off."""
    pieces: list[Piece] = []
    at = 0
    for match in _NUMBER.finditer(text):
        end = match.end() - (len(match[0]) - len(match[0].rstrip()))
        pieces += [Piece(text[at : match.start()], "text"), Piece(text[match.start() : end], "strong bold")]
        at = end
    return [piece for piece in (*pieces, Piece(text[at:], "text")) if piece.text]


def limits_text(limits: Sequence[Limit]) -> str:
    """`factor 5* (3), device_pct 20`."""
    return ", ".join(f"{limit.name} {limit.text}" for limit in limits)


def fitted(said: Sequence[Said], room: Room) -> list[Line]:
    """The lines of some texts; where there are more than fit, those that give way are cut to one line each."""
    ordered = sorted(range(len(said)), key=lambda at: -said[at].gives_way)
    cut: set[int] = set()
    lines = _lines(said, cut, room)
    for at in ordered:
        if len(lines) <= room.height or not said[at].gives_way:
            break
        cut.add(at)
        lines = _lines(said, cut, room)
    return lines[: max(room.height, 1)]


def _lines(said: Sequence[Said], cut: set[int], room: Room) -> list[Line]:
    lines: list[Line] = []
    for at, entry in enumerate(said):
        value = [piece._replace(text=room.look.shown(piece.text)) for piece in entry.value]
        if at in cut:
            value = room.look.cut(value, room.width - LABEL_CELLS - 3)
        lines += detail_lines(room.look, [Detail(entry.label, value)], room.width, LABEL_CELLS)
    return lines


# ── below the evidence ───────────────────────────────────────────────────────────────────────────────────────────────


def command_lines(finding: Finding, hint: str, room: Room) -> list[Line]:
    """The command in a pane of its own, for tall terminals; `hint` says what its key does."""
    if finding.command is None:
        return []
    line = detail_lines(room.look, [Detail("", [Piece(finding.command.text, "bright")])], room.width, 0)
    return [[], room.rule(_("command"), hint), *line]


def saving_lines(finding: Finding, span_ns: int, room: Room) -> list[Line]:
    """What would be left of the span at best."""
    if finding.recoverable_us is None or span_ns <= 0:
        return []
    left_ns = max(span_ns - finding.recoverable_us * 1000.0, 0.0)
    rows = ((_("now"), float(span_ns), "bar"), (_("at best"), left_ns, "better"))
    texts = [span_text(length, room.number_glyphs) for _label, length, _role in rows]
    wide = max(map(cells, texts))
    bar_cells = max(min(room.width - LABEL_CELLS - wide - 6, 100), 8)
    lines: list[Line] = [[], room.rule(_("what acting on it saves of the span"), _("upper bound"))]
    for (label, length, role), text in zip(rows, texts):
        drawn = fit(bar(length / span_ns, bar_cells, room.glyphs), bar_cells)
        lines.append([gap(1), Piece(fit(label, LABEL_CELLS), "muted"), Piece(drawn, role), gap(2),
                      Piece(fit(room.look.shown(text), wide, "right"), "text")])  # fmt: skip
    return lines


# ── rules without a finding ──────────────────────────────────────────────────────────────────────────────────────────


def rule_pane(rule: Rule, state: Sequence[Piece], limits: Sequence[Limit], room: Room) -> Pane:
    """What a rule looks at, when it fires and with which thresholds, whether or not it does."""
    values: dict[str, Any] = {limit.name: limit.text for limit in limits}
    fires = _(rule.fires).format(**values) if rule.fires else ""
    words = " ".join(_(text) for text in (rule.means, rule.advice) if text)
    said = [
        Said(_("now"), state),
        Said(_("fires when"), [Piece(fires, "text")]) if fires else None,
        Said(_("means"), [Piece(words, "text")], 1) if words else None,
        Said(_("limits"), [Piece(limits_text(limits), "muted")]) if limits else None,
    ]
    return Pane(f"{rule.id}  {_(rule.about)}", "", fitted([entry for entry in said if entry is not None], room))


def missing_pane(entry: NotEvaluated, rule: Rule | None, limits: Sequence[Limit], room: Room) -> Pane:
    """A rule that was not evaluated, what it misses, and what would produce that."""
    state = [Piece(entry.missing, "strong")]
    if entry.option:
        state += [gap(2), Piece(_("comes with") + " ", "muted"), Piece(entry.option, "bright")]
    if rule is None:
        return Pane(f"{entry.rule}  {entry.title}", "", fitted([Said(_("missing"), state)], room))
    pane = rule_pane(rule, state, limits, room)
    return replace(pane, facts=_("not evaluated"))

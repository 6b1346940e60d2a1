"""From a finding to what it rests on: the row, the lane, the range on the timeline, the pair of dumps, the file."""

from __future__ import annotations

from typing import NamedTuple

from tui.model.finding import Evidence, Finding
from tui.model.levels import bare_name
from tui.session import Session


class Jump(NamedTuple):
    """A screen and what it is to show."""

    digit: str
    target: str = ""


def jump_to_rows(finding: Finding, evidence: Evidence | None, session: Session | None) -> Jump | None:
    """Where enter leads: the rows behind the evidence, else the time, else the screen that the rule names."""
    if evidence is not None:
        found = _row_jump(finding, evidence) or jump_to_time(evidence, session)
        if found is not None:
            return found
    digit = "2" if finding.next_key == "t" else finding.next_key
    return Jump(digit) if digit.isdigit() else None


def _row_jump(finding: Finding, evidence: Evidence) -> Jump | None:
    if evidence.table == "ops" and evidence.rows:
        return Jump("3", f"row:{evidence.rows[0]}")
    if evidence.table == "op-types":
        return Jump("3", f"type:{evidence.text}")
    if evidence.table == "apis":
        return Jump("4", f"row:{evidence.rows[0]}" if evidence.rows else evidence.text)
    if evidence.table == "files":
        return Jump("9", evidence.text)
    if evidence.table == "dump":
        return Jump("7", f"pair:{evidence.text}")
    return Jump("6", evidence.text) if finding.rule.startswith("CP") else None


def jump_to_time(evidence: Evidence, session: Session | None) -> Jump | None:
    """Where `t` leads: the event, or the range that several rows or an idle time take; None where neither is known."""
    timeline = session.timeline() if session is not None and session.is_timeline_read else None
    if timeline is not None and 0 <= evidence.event < len(timeline):
        name, start_ns = bare_name(timeline.name(evidence.event)), int(timeline.start_ns[evidence.event])
        return Jump("2", f"{name}@{start_ns}")
    if evidence.start_ns is None or evidence.end_ns is None:
        return Jump("2", evidence.text) if evidence.table == "apis" else None
    if evidence.table == "ops" and len(evidence.rows) == 1:
        return Jump("2", f"{evidence.text}@{evidence.start_ns}")
    return Jump("2", f"@{evidence.start_ns}..{evidence.end_ns}")

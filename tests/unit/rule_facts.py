"""Facts built in memory for tests of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.unit.tables import number, text, time
from tui.findings.engine import RULES, evaluate
from tui.findings.facts import Facts
from tui.findings.thresholds import Thresholds, load_thresholds
from tui.model.finding import Finding, NotEvaluated
from tui.model.sources import Device, Profile
from tui.model.table import Column, Table

NOWHERE = Path("/nowhere/thresholds.toml")
BUILT_IN = load_thresholds(NOWHERE)


def profile(**more: Any) -> Profile:
    """A profile of msprof without files."""
    settings: dict[str, Any] = {"name": "PROF_1", "root": Path("/data/PROF_1"), "kind": "msprof", "generation": "G3"}
    return Profile(files=(), **{**settings, **more})


def device(**more: Any) -> Device:
    """NPU 0 with 8 cube cores and 16 vector cores at 1000 MHz."""
    return Device("0", "Ascend910B", 8, 16, 0, 1000.0, **more)


def ops(rows: Sequence[tuple[str, float]], gap_us: float = 0.0, **columns: Sequence[Any]) -> Table:
    """Operators one after the other on one stream.

    Args:
        rows: (type, duration in µs); the name is the type and its place.
        gap_us: Time between two of them.
        columns: Further columns by key; texts or numbers by their first cell.
    """
    starts, clock = [], 1_000_000
    for _type, duration_us in rows:
        starts.append(clock)
        clock += round((duration_us + gap_us) * 1000)
    made: list[Column] = [
        text("op_name", [f"{kind}_{place}" for place, (kind, _us) in enumerate(rows)]),
        text("op_type", [kind for kind, _us in rows]),
        time("start_ns", starts),
        number("task_duration_us", [us for _kind, us in rows], "us"),
    ]
    columns = {"task_type": ["AI_CORE"] * len(rows), **columns}
    for key, cells in columns.items():
        made.append(text(key, cells) if isinstance(cells[0], str) else number(key, cells))
    return Table("ops", tuple(made))


def apis(**calls: tuple[float, int]) -> Table:
    """Statistics of AscendCL calls: name → (time in µs, number of calls)."""
    names = list(calls)
    return Table(
        "apis",
        (
            text("level", ["acl"] * len(names)),
            text("api_name", names),
            number("time_us", [calls[name][0] for name in names]),
            number("count", [calls[name][1] for name in names]),
        ),
    )


def facts(span_us: float = 1000.0, **more: Any) -> Facts:
    """Facts of a run; what is not given was not collected."""
    settings: dict[str, Any] = {"profile": profile(devices=(device(),)), "host_span_ns": round(span_us * 1000)}
    return Facts(span_ns=round(span_us * 1000), **{**settings, **more})


def with_limits(**limits: float) -> Thresholds:
    """The built-in thresholds, some changed: `CO17__factor=2`."""
    changed = dict(BUILT_IN.limits)
    for name, value in limits.items():
        key = tuple(name.split("__", 1))
        changed[key] = replace(changed[key], value=value)  # type: ignore[index]
    return Thresholds(changed)


def rule(name: str, about: Facts, thresholds: Thresholds = BUILT_IN) -> Finding | NotEvaluated | None:
    """What one rule says: a finding, why it cannot say anything, or None when it does not apply."""
    found = evaluate(about, thresholds, [entry for entry in RULES if entry.id == name])
    assert len(found.findings) + len(found.not_evaluated) + len(found.quiet) == 1
    said: tuple[Finding | NotEvaluated, ...] = (*found.findings, *found.not_evaluated)
    return said[0] if said else None


def fired(name: str, about: Facts, thresholds: Thresholds = BUILT_IN) -> Finding:
    """The finding of a rule that must apply."""
    found = rule(name, about, thresholds)
    assert isinstance(found, Finding), found
    return found


def missing(name: str, about: Facts) -> NotEvaluated:
    """Why a rule cannot be evaluated, which it must not be."""
    found = rule(name, about)
    assert isinstance(found, NotEvaluated), found
    return found


def figures(finding: Finding, place: int = 0) -> Mapping[str, float | str]:
    """Figures of one piece of evidence."""
    return dict(finding.evidence[place].figures)

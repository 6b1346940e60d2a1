"""The profile that is looked at against a baseline: what a session tells of each, compared."""

from __future__ import annotations

from dataclasses import replace

from tui.compare.compare import compare
from tui.model.columns import as_text
from tui.model.comparison import By, Comparison, Facts, Side
from tui.model.iterations import exported_steps, steps_of_rows
from tui.model.table import Table
from tui.session import Session


def compared(baseline: Session, current: Session, by: By = "name") -> Comparison:
    """The chosen profile of `current` against that of `baseline`; reads what is not read yet.

    Raises:
        NotAProfile: nothing readable at one of the paths.
        NoSuchTable: there is nothing that both tell.
    """
    by_statistics = baseline.optional("ops") is None or current.optional("ops") is None
    a, b = side_of(baseline, by_statistics), side_of(current, by_statistics)
    if a.name == b.name:
        a, b = replace(a, name=str(baseline.profile.root)), replace(b, name=str(current.profile.root))
    return compare(a, b, by)


def side_of(session: Session, by_statistics: bool = True) -> Side:
    """What a session tells for a comparison.

    Args:
        by_statistics: Whether to look for sums of operator types too: where one of the two has nothing else.
    """
    table = session.optional("ops")
    return Side(
        session.profile.name,
        facts_of(session, table),
        table,
        session.optional("op-types") if by_statistics else None,
        session.optional("apis"),
    )


def facts_of(session: Session, table: Table | None) -> Facts:
    """What decides whether the run can be compared with another."""
    environment = session.profile.environment
    devices = [device for device in session.profile.devices if not session.device or device.id == session.device]
    return Facts(
        tuple(sorted({device.chip for device in devices if device.chip})),
        _device_count(table) or len(devices) or None,
        environment.cann_version,
        environment.level,
        environment.metrics,
        _iterations(session, table),
        environment.options,
    )


def _device_count(table: Table | None) -> int:
    column = table.get("device_id") if table is not None else None
    return len(set(as_text(column).codes.tolist())) if column is not None else 0


def _iterations(session: Session, table: Table | None) -> int | None:
    """Iterations that the operators are of, by the first that tells: exported files, their own column, a step trace."""
    exported = session.profile.iterations
    if exported:
        return len(exported_steps(exported, session.iteration))
    steps = table.get("step_id") if table is not None else None
    if steps is not None:
        text = as_text(steps)
        return len({text.strings[code] for code in set(text.codes.tolist())} - {"", "N/A"}) or None
    if not session.profile.files_of("steps"):
        return None
    return len(steps_of_rows(session.optional("steps"))) or None

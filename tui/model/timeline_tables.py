"""What a timeline answers as tables, by the kinds of the `table` command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tui.i18n import _
from tui.model.events import events_table, gaps_table, steps_table, tracks_table
from tui.model.gaps import device_gaps
from tui.model.steps import steps_of
from tui.model.table import Table
from tui.model.timeline import Timeline


def timeline_table(timeline: Timeline, kind: str) -> Table:
    """One of `TIMELINE_KINDS` of a timeline, with the problems of its files; times are whole ns, absolute as written.

    Durations are float64 like all numbers of a table: exact up to 2⁵³ ns, which are 104 days.
    """
    table = _TABLES[kind](timeline)
    return replace(table, problems=timeline.problems, complete=timeline.complete)


def longest_gaps(timeline: Timeline, most: int | None = None) -> Table:
    """The idle intervals of all devices, longest first."""
    gaps = device_gaps(timeline)
    return gaps_table(timeline, gaps.longest(len(gaps) if most is None else most))


def _steps(timeline: Timeline) -> Table:
    table = steps_table(steps_of(timeline))
    return replace(table, note=_("from the timeline ({source})").format(source=table.note) if table.note else "")


_TABLES: dict[str, Callable[[Timeline], Table]] = {
    "events": events_table,
    "tracks": tracks_table,
    "gaps": longest_gaps,
    "steps": _steps,
}
TIMELINE_KINDS = tuple(_TABLES)
"""Kinds that `timeline_table` answers."""

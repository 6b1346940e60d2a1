"""The events of one lane of the timeline, or of a part of the time, as the Event View lists them."""

from __future__ import annotations

import numpy as np

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.bare_names import bare
from tui.model.events import events_table, lane_events, statistics_table
from tui.model.lanes import Lane, lane_groups
from tui.model.table import Table
from tui.model.window import window_of
from tui.session import Session


def lane_table(session: Session, lane: str, range_: str, by_name: bool) -> Table:
    """Events with their share of the span, or their figures by name.

    Args:
        lane: Its key, or its title as the viewer shows it; empty takes all lanes.
        range_: `FROM..TO` since the start of the timeline, absolute after `@`; empty takes what is looked at.
        by_name: Whether to sum up the events of each name.

    Raises:
        NoSuchTable: the profile has no timeline.
        BadExpression: no such lane, or no such part of the time.
    """
    timeline, rows = session.timeline(), session.timeline_rows()
    within = session.within.window if session.within is not None else None
    window = window_of(range_, timeline.start_ns_min) if range_ else within
    lanes = [found for group in lane_groups(timeline, rows) for found in group.lanes if found.rows]
    chosen = [row for found in _named(lanes, lane) for row in found.rows]
    events = np.asarray(lane_events(rows, chosen, *(window or (None, None))), np.int64)
    span = session.span()
    span_ns = span.length_ns if span is not None else 0
    return bare(
        statistics_table(timeline, events, span_ns, window) if by_name else events_table(timeline, events, span_ns)
    )


def _named(lanes: list[Lane], name: str) -> list[Lane]:
    found = [lane for lane in lanes if lane.key == name] or [lane for lane in lanes if lane.title == name or not name]
    if not found:
        titles = ", ".join(lane.title for lane in lanes[:8])
        raise BadExpression(_("no lane {name}; there are {names}").format(name=name, names=titles))
    return found

"""Event View: the events of a lane or range as a table, longest first; and their figures by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.messages import TableChanged
from tui.model.bare_names import bare
from tui.model.columns import cell_text
from tui.model.levels import bare_name
from tui.model.table import NumberColumn, Table, TextColumn
from tui.model.timeline import Timeline
from tui.model.view import Shown, View
from tui.screens.facts import Fact, fact, fact_lines
from tui.screens.frame import Frame
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, Width, Words, bar_plan, column_plan, mark_plan, other_plans
from tui.screens.table_screen import TableScreen
from tui.screens.timeline_details import Scale, event_facts
from tui.units import GlyphSet, number_text, share_text, span_text

EVENT_KEYS = ("name", "start_ns", "dur_ns", "span_pct", "share_bar", "self_ns", "depth", "track")
STATISTICS_KEYS = (
    "name", "count", "wall_ns", "span_pct", "share_bar", "sum_ns", "self_ns", "mean_ns", "p50_ns", "p95_ns", "max_ns",
)  # fmt: skip


@dataclass(frozen=True)
class Listed:
    """What an Event View lists."""

    title: str
    """Lane, or whatever else the events have in common."""
    timeline: Timeline
    scale: Scale
    events: NDArray[np.int64] | None = None
    """Event of each row; None for figures by name."""
    options: tuple[str, ...] | None = None
    """Options by which `table events` lists the same; None where none do."""


class EventScreen(TableScreen):
    """A table of events or of their figures, above the timeline; `t` goes back to it."""

    DIGIT = "2"
    NAME = "Timeline"
    KIND = "events"
    DETAILS_LINES = 4

    def __init__(self, table: Table, listed: Listed) -> None:
        super().__init__()
        self._given = bare(table)
        self._listed = listed
        self._events = listed.events
        self._is_over = False

    def ready(self) -> None:
        """Shows the table it was made for."""
        super().ready()
        self.table_changed(TableChanged(self.KIND, self._given))

    def session_closed(self) -> None:
        """What it lists is not looked at any more: back to the timeline, at once or when it is in front again."""
        self._is_over = True
        if self.is_current:
            self.dismiss(None)

    def on_screen_resume(self) -> None:
        """It may be over by now."""
        if self._is_over:
            self.dismiss(None)
        else:
            super().on_screen_resume()

    def scope_changed(self) -> None:
        """Other iterations are looked at."""
        self.session_closed()

    def own_command(self) -> Sequence[str]:
        """`npuscope table events` with the lane and the part of the time; empty where it lists something else."""
        options, session = self._listed.options, self.app.session
        if options is None or session is None:
            return ()
        by_name = ("--by-name",) if self._events is None else ()
        return ["npuscope", "table", "events", session.target, *options, *by_name, *session.scope_options]

    def first_view(self, table: Table) -> View:
        """Longest first."""
        key = "dur_ns" if self._events is not None else "sum_ns"
        return View(sort=((key, True),))

    def words(self) -> Words:
        """Points in time count from where the timeline counts them from."""
        return replace(super().words(), origin_ns=self._listed.scale.origin_ns)

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Name, times with their share of the span as number and bar, then the rest."""
        if shown.groups is not None:
            return list(other_plans(shown.table, (), words))
        shares = table.number("span_pct")
        shares = np.full(table.row_count, np.nan) if shares is None else shares
        measure = "dur_ns" if self._events is not None else "wall_ns"
        planned = [
            mark_plan(shares, measure, words),
            column_plan(table, "name", words, title=_("Name"), width=Width(28, 2, 60)),
            *self._time_plans(table, words),
            bar_plan("share_bar", shares, shown.rows, measure, words, Width(8, 4, 40)),
        ]
        return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]

    def _time_plans(self, table: Table, words: Words) -> list[Plan | None]:
        keys = ("start_ns", "dur_ns", "span_pct") if self._events is not None else ("count", "wall_ns", "span_pct")
        return [column_plan(table, key, words, title=_("% span") if key == "span_pct" else "") for key in keys]

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """Everything of a group; else the telling columns."""
        if shown.groups is not None:
            return shown.table.keys
        return EVENT_KEYS if self._events is not None else STATISTICS_KEYS

    def beside(self, shown: Shown | None) -> bool:
        """Bars need the width."""
        return False

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """What the strip of the timeline says about an event; all figures of a name or group."""
        row = int(shown.rows[position])
        if self._events is not None and shown.groups is None:
            timeline, event = self._listed.timeline, int(self._events[row])
            facts = event_facts(timeline, event, self._listed.scale)
            track = timeline.track(event)
            title, place = bare_name(timeline.name(event)), track.thread or track.tid
        else:
            facts, title, place = figures(shown.table, row, room.glyphs.name), row_title(shown.table, row), ""
        where = f" {room.glyphs.dot} ".join(dict.fromkeys(part for part in (self._listed.title, place) if part))
        return Pane(title, where, fact_lines(facts, room.width, room.glyphs.ellipsis))

    def crumbs(self, view: View) -> Sequence[str]:
        """The lane, and what is listed."""
        return [self._listed.title, _("Event View") if self._events is not None else _("Statistics")]

    def count_text(self, shown: Shown) -> str:
        """All rows."""
        n = shown.total_rows
        if self._events is None:
            return ngettext("{n} name", "{n} names", n).format(n=number_text(n, 0))
        return ngettext("{n} event", "{n} events", n).format(n=number_text(n, 0))

    def do_to_timeline(self) -> None:
        """Back to the timeline, on the event under the cursor."""
        applied, row = self.applied, self.grid.cursor_row
        event = -1
        if applied is not None and self._events is not None and row >= 0 and applied.shown.groups is None:
            event = int(self._events[int(applied.shown.rows[row])])
        self.dismiss(event)  # type: ignore[arg-type]

    def opened(self, position: int) -> None:
        """Enter goes to the event on the timeline; to the groups' members where there are groups."""
        if self.applied is not None and self.applied.shown.groups is not None:
            super().opened(position)
        else:
            self.do_to_timeline()

    def do_close(self) -> None:
        """Back to the timeline."""
        self.dismiss(None)

    def follow(self, target: str) -> None:
        """What another screen asks for is shown on the timeline below."""
        below = self.app.screen_stack[-2]
        self.dismiss(None)
        if isinstance(below, Frame):
            below.follow(target)


def row_title(table: Table, row: int) -> str:
    """The first text of a row."""
    return next((cell_text(column, row) for column in table.columns if isinstance(column, TextColumn)), "")


def figures(table: Table, row: int, glyphs: str) -> list[Fact]:
    """All numbers of a row, times in a unit that suits them."""
    return [
        fact(_(column.info.heading or column.info.key), _figure(column, row, glyphs))
        for column in table.columns
        if isinstance(column, NumberColumn)
    ]


def _figure(column: NumberColumn, row: int, glyphs: str) -> str:
    value = float(column.values[row])
    if column.info.unit == "ns" and not np.isnan(value):
        return span_text(value, cast("GlyphSet", glyphs))
    if column.info.unit == "pct":
        return share_text(value, 1, cast("GlyphSet", glyphs))
    return cell_text(column, row)

"""Moving over the timeline: events and idle times, lanes, zoom and pan, and the history of views."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tui.i18n import _
from tui.messages import TimelineChanged
from tui.model.gaps import stream_gaps
from tui.model.ranges import begun_within, whole_window
from tui.model.timeline import Timeline
from tui.screens.history import History
from tui.screens.timeline_base import View
from tui.screens.timeline_source import SUB_ROWS_SHOWN
from tui.screens.timeline_status import TimelineStatus
from widgets.viewport import Span

GAP_CELLS = 3
"""Idle times of at least this many cells are stops of the cursor."""
SIMILAR_GAP = 4
"""On an idle time `n` goes to the next one at least a quarter as long."""


class Place(NamedTuple):
    """Where the cursor is."""

    lane: str
    """Key of the lane."""
    time_ns: int
    all_seen: bool
    """Whether the whole time is in view."""


class TimelineSteps(TimelineStatus):
    """Views and the cursor."""

    # ── data ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def timeline_changed(self, change: TimelineChanged) -> None:
        """Events arrived; more of them keep what is seen, but a view of everything stays one."""
        if change.timeline is None or change.rows is None:
            self._fail(change.reason, change.hint)
            return
        if change.timeline.complete and not len(change.timeline) and not change.timeline.counters:
            self._fail(_("the trace holds no events"), _("collect again, or look in Files for other traces"))
            return
        first, place = self._timeline is None, self._place()
        self._timeline, self._rows = change.timeline, change.rows
        self._unread = tuple(Span(*times) for times in change.unread)
        self._set_whole(change.timeline)
        self._names_of = (-1, -1)
        if first:
            self._begin()
        else:
            self._return_to(place)
        self._show()

    def _set_whole(self, timeline: Timeline) -> None:
        """Everything is what the chosen iterations take, else the whole trace."""
        window, session = whole_window(timeline), self.app.session
        start_ns = min([window.start_ns, *(times.start_ns for times in self._unread)])
        end_ns = max([window.end_ns, *(times.end_ns for times in self._unread)])
        self._trace_start_ns = start_ns
        self._within = session.within if session is not None else None
        if self._within is None:
            self._whole, self._events_shown = Span(start_ns, end_ns), len(timeline)
            self._share_ns = _slices_ns(timeline) or self._whole.length_ns
        else:
            self._whole, self._events_shown = Span(*self._within.window), begun_within(timeline, self._within.window)
            self._share_ns = self._whole.length_ns

    def scope_changed(self) -> None:
        """Other iterations: everything is their time now; the cursor stays where that lies in it."""
        timeline, before = self._timeline, self._view
        if timeline is None:
            return
        self._set_whole(timeline)
        self._range = self._range_from = self._flow = None
        self._history = History(View(self._whole, choice=before.choice, filter=before.filter))
        self._make_source()
        stays = before.event >= 0 and self._span_of(before.event).touches(self._whole)
        event = before.event if stays else self._longest_of(before.lane)
        sub_row = before.sub_row if stays else 0
        self._history.replace(replace(self._view, lane=before.lane, sub_row=sub_row, event=event))
        self._show()

    def _fail(self, reason: str, hint: str) -> None:
        self._failure = (reason, hint)
        self._show_failure()
        self.show_frame()

    def _begin(self) -> None:
        self._history = History(View(self._whole))
        self._make_source()
        lane = self._source.first_lane() if self._source is not None else -1
        self._history.replace(View(self._whole, lane, event=self._longest_of(lane)))

    def _place(self) -> Place:
        """Where the cursor is, in words that hold when events get other numbers."""
        lane = self._lane
        return Place(lane.key if lane is not None else "", self._cursor_span().start_ns, self._view.span == self._whole)

    def _return_to(self, place: Place) -> None:
        view = self._view
        self._history = History(View(self._whole if place.all_seen else view.span, choice=view.choice))
        self._make_source()
        if self._source is None:
            return
        keys = [lane.key for lane in self._source.lanes()]
        lane = keys.index(place.lane) if place.lane in keys else self._source.first_lane()
        sub_row = view.sub_row if self._row_of(lane, view.sub_row) >= 0 else 0
        event = self._event_near(lane, sub_row, place.time_ns)
        self._history.replace(replace(self._view, lane=lane, sub_row=sub_row, event=event))

    def _longest_of(self, lane: int) -> int:
        """The longest event of a lane; −1 for none."""
        row, rows = self._row_of(lane, 0), self._rows
        if rows is None or row < 0:
            return -1
        longest = rows.longest_in(row, self._whole.start_ns, self._whole.end_ns, 1)
        return int(longest[0]) if len(longest) else -1

    # ── steps ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _go(self, view: View, step: bool = True) -> None:
        """Shows another view; as a step of the history, or in place of the current one."""
        if view == self._view:
            return
        if view.event != self._view.event:
            self._flow = None
        if step:
            self._history.push(view)
        else:
            self._history.replace(view)
        self._show()

    def _to_event(self, event: int, step: bool = False) -> None:
        """Puts the cursor on an event wherever it is, and brings it into view."""
        if self._source is None or event < 0:
            return
        lane, sub_row = self._source.find_event(event)
        if lane < 0:
            is_filtered = bool(self._view.filter)
            self.app.tell(
                _("the filter leaves it out; 0 clears the filter")
                if is_filtered
                else _("its lane is hidden; X brings lanes back")
            )
            return
        if self._is_outside(self._span_of(event)):
            return
        span = self._view.span.showing(self._span_of(event), self._whole)
        self._go(replace(self._view, span=span, lane=lane, sub_row=sub_row, event=event, gap=None), step)

    def _is_outside(self, span: Span) -> bool:
        """Whether a time lies outside of the iterations shown; says so."""
        if self._within is None or span.touches(self._whole):
            return False
        self.app.tell(_("outside of iteration {text}; :iter all shows everything").format(text=self._within.text))
        return True

    def _to_gap(self, gap: Span) -> None:
        if self._is_outside(gap):
            return
        span = self._view.span.showing(gap, self._whole)
        self._go(replace(self._view, span=span, event=-1, gap=gap), step=False)

    def do_undo(self) -> None:
        """One view step back."""
        if self._history.can_undo:
            self._restore(self._view, self._history.undo())
        else:
            super().do_undo()

    def do_redo(self) -> None:
        """The undone step again."""
        if self._history.can_redo:
            self._restore(self._view, self._history.redo())
        else:
            super().do_redo()

    def _restore(self, before: View, now: View) -> None:
        self._flow = None
        if before.choice != now.choice:
            self._make_source()
        self._show()

    def can(self, name: str) -> bool:
        """Steps only where there are some; what needs an event only on one."""
        if name == "undo":
            return self._history.can_undo or super().can(name)
        if name == "redo":
            return self._history.can_redo or super().can(name)
        if name in ("link_forward", "link_back", "copy"):
            return self._view.event >= 0
        if name == "unhide":
            return bool(self._view.choice.hidden)
        if name == "maximise":
            return self._lane is not None and len(self._lane.rows) > SUB_ROWS_SHOWN
        return super().can(name)

    # ── along a lane ─────────────────────────────────────────────────────────────────────────────────────────────────

    def do_left(self) -> None:
        """Previous event, or the idle time before it."""
        self._walk(-1)

    def do_right(self) -> None:
        """Next event, or the idle time before it."""
        self._walk(1)

    def _walk(self, step: int) -> None:
        here = self._cursor_span()
        if self._view.gap is None and self._view.event >= 0:
            found = self._stop_at(self._view.lane, self._view.sub_row, here.end_ns if step > 0 else here.start_ns - 1)
            if found is not None:
                self._to_gap(found)
                return
        self._to_event(self._beside(here.start_ns, step))

    def _beside(self, time_ns: int, step: int) -> int:
        """The next event of the row that begins after a time, or the previous one that begins before it."""
        rows, row = self._rows, self._row
        if rows is None or row < 0:
            return -1
        return rows.next_event(row, time_ns) if step > 0 else rows.previous_event(row, time_ns)

    def _stop_at(self, lane: int, sub_row: int, time_ns: int) -> Span | None:
        """The idle time around a moment, if the lane has such and it is long enough for the cursor."""
        source = self._source
        if source is None or not source.lanes()[lane].gaps:
            return None
        found = source.gap(lane, sub_row, time_ns)
        if found is None:
            return None
        length_ns = found.end_ns - found.start_ns
        is_stop = length_ns * max(self._time.columns, 1) >= GAP_CELLS * self._view.span.length_ns
        return Span(found.start_ns, found.end_ns) if is_stop else None

    def do_first(self) -> None:
        """First event of the lane."""
        self._to_event(self._beside(self._whole.start_ns - 1, 1))

    def do_last(self) -> None:
        """Last event of the lane."""
        self._to_event(self._beside(self._whole.end_ns + 1, -1))

    def do_notable_next(self) -> None:
        """Next event of the same name; on an idle time, the next one of the lane."""
        self._same(1)

    def do_notable_prev(self) -> None:
        """Previous event of the same name; on an idle time, the one before."""
        self._same(-1)

    def _same(self, step: int) -> None:
        if self._view.gap is not None:
            self._similar_gap(self._view.gap, step)
            return
        names = self._namesakes()
        event = names.beside(self._view.event, step) if names is not None else -1
        if event >= 0:
            self._to_event(event)
        elif names is not None:
            self.app.tell(_("no more of this name"))

    def _similar_gap(self, gap: Span, step: int) -> None:
        lane = self._lane
        if self._timeline is None or lane is None:
            return
        gaps = stream_gaps(self._timeline, lane.tracks[0])
        stops = np.flatnonzero((gaps.length_ns * SIMILAR_GAP >= gap.length_ns) | (gaps.start_ns == gap.start_ns))
        at = int(np.searchsorted(gaps.start_ns[stops], gap.start_ns)) + step
        if 0 <= at < len(stops):
            self._to_gap(Span(int(gaps.start_ns[stops[at]]), int(gaps.end_ns[stops[at]])))
        else:
            self.app.tell(_("no more idle times of this length"))

    # ── between lanes ────────────────────────────────────────────────────────────────────────────────────────────────

    def do_up(self) -> None:
        """Lane up."""
        self._lane_step(-1)

    def do_down(self) -> None:
        """Lane down."""
        self._lane_step(1)

    def do_page_up(self) -> None:
        """Lanes up by a page."""
        self._lane_step(-max(self._time.canvas.size.height - 1, 1))

    def do_page_down(self) -> None:
        """Lanes down by a page."""
        self._lane_step(max(self._time.canvas.size.height - 1, 1))

    def do_half_up(self) -> None:
        """Lanes up by half a page."""
        self._lane_step(-max(self._time.canvas.size.height // 2, 1))

    def do_half_down(self) -> None:
        """Lanes down by half a page."""
        self._lane_step(max(self._time.canvas.size.height // 2, 1))

    def _lane_step(self, step: int) -> None:
        """A sub-row further up or down, at about the same time; it stops at the first and the last one."""
        lanes = self._source.lanes() if self._source is not None else ()
        places = [(at, row) for at, lane in enumerate(lanes) if lane.kind != "group" for row in range(lane.rows)]
        here = (self._view.lane, self._view.sub_row)
        if here in places:
            self._enter_row(*places[min(max(places.index(here) + step, 0), len(places) - 1)])
        elif places:
            self._enter_row(*places[0])

    def _enter_row(self, lane: int, sub_row: int) -> None:
        about_ns = self._about_ns()
        event = self._event_near(lane, sub_row, about_ns)
        gap = self._stop_at(lane, sub_row, about_ns) if event < 0 else None
        self._go(replace(self._view, lane=lane, sub_row=sub_row, event=event, gap=gap), step=False)

    def _event_near(self, lane: int, sub_row: int, time_ns: int, window: Span | None = None) -> int:
        """The event of a row at a time, else the nearest in the window (that of the view); −1 for none."""
        rows, row = self._rows, self._row_of(lane, sub_row)
        if rows is None or row < 0:
            return -1
        found = rows.at(row, time_ns)
        if found >= 0:
            return found
        near = [rows.previous_event(row, time_ns), rows.next_event(row, time_ns)]
        spans = {event: self._span_of(event) for event in near if event >= 0}
        seen = [event for event, span in spans.items() if span.touches(window or self._view.span)]
        return min(seen, key=lambda event: abs(spans[event].start_ns - time_ns), default=-1)

    def _about_ns(self) -> int:
        """What zooming keeps in place: the visible part of the cursor."""
        here, span = self._cursor_span(), self._view.span
        left, right = max(here.start_ns, span.start_ns), min(here.end_ns, span.end_ns)
        return (left + right) // 2 if left < right else span.middle_ns


def _slices_ns(timeline: Timeline) -> int:
    """From the first slice to the last, whatever counters say before and after: what shares are of on every screen."""
    tracks = [track for track in timeline.tracks if track.events]
    return max(track.end_ns for track in tracks) - min(track.start_ns for track in tracks) if tracks else 0

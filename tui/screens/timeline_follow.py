"""From an event to what it caused and back; finding events; the lanes that are shown; ranges of time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.messages import TimelineChanged
from tui.model.events import events_table
from tui.model.find import find_matcher
from tui.model.lanes import lane_groups
from tui.model.levels import bare_name
from tui.model.links import Trail, back, forward
from tui.model.timeline import Timeline
from tui.screens.event_view import EventScreen, Listed
from tui.screens.timeline_base import View
from tui.screens.timeline_source import SUB_ROWS_SHOWN, LaneChoice, moved, toggled
from tui.screens.timeline_zoom import TimelineZoom
from widgets.canvas_state import Flow, FlowEnd
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint
from widgets.viewport import Span

Way = Callable[[Timeline, int], Trail]


_RANGE = re.compile(r"@(\d+)\.\.(\d+)")
"""A range of time as another screen asks for it, absolute ns."""


class TimelineFollow(TimelineZoom):
    """Where the cursor leads, and what surrounds it."""

    # ── links ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_open_item(self) -> None:
        """Into a call: what it caused. From a task to its row in Ops; from an idle time to the task after it."""
        gaps, lane = self._gap_here(), self._lane
        if gaps is None and lane is not None and lane.layer == "device":
            self._show_op()
        elif gaps is None:
            self.do_link_forward()
        elif int(gaps.after[0]) >= 0:
            self._to_event(int(gaps.after[0]), step=True)

    def _show_op(self) -> None:
        if self._timeline is not None and self._view.event >= 0 and "ops" in self.app.tables:
            self.app.follow("3", f"longest:{bare_name(self._timeline.name(self._view.event))}")

    def do_link_forward(self) -> None:
        """To what the event caused; of several, a list."""
        self._follow(forward)

    def do_link_back(self) -> None:
        """To what caused the event."""
        self._follow(back)

    def _follow(self, way: Way) -> None:
        timeline, event = self._timeline, self._view.event
        if timeline is None or event < 0:
            return
        trail = way(timeline, event)
        if not trail:
            self.app.tell(_("no link recorded"))
        elif len(trail.events) == 1 or way is back:
            self._arrive(event, int(trail.events[0]), trail)
        else:
            self._list_targets(timeline, event, trail)

    def _list_targets(self, timeline: Timeline, event: int, trail: Trail) -> None:
        table = events_table(timeline, trail.events, self._share_ns)
        title = _("caused by {name}").format(name=bare_name(timeline.name(event)))

        def chosen(target: int | None) -> None:
            if target is not None and target >= 0:
                self._arrive(event, target, trail)

        self.app.push_screen(EventScreen(table, Listed(title, timeline, self._scale, trail.events)), chosen)

    def _arrive(self, event: int, target: int, trail: Trail) -> None:
        start = self._flow_end(event)
        self._to_event(target, step=True)
        end = self._flow_end(target)
        self._flow = Flow(start, end) if start is not None and end is not None else None
        if trail.guess:
            self.app.tell(_("no link recorded; nearest by time (guess)"))
        self._show()

    def _flow_end(self, event: int) -> FlowEnd | None:
        if self._source is None:
            return None
        lane, sub_row = self._source.find_event(event)
        return FlowEnd(lane, sub_row, self._span_of(event).start_ns) if lane >= 0 else None

    def timeline_changed(self, change: TimelineChanged) -> None:
        """What was asked for before is looked for in what arrived."""
        super().timeline_changed(change)
        wanted, self._wanted = self._wanted, ""
        if wanted:
            self.follow(wanted)

    def follow(self, target: str) -> None:
        """What another screen asks for.

        Args:
            target: An event by name, `NAME@NS` for the one of that name nearest to a time, `@NS..NS` for a range.
        """
        name, at, start = target.rpartition("@")
        name, start = (name, start) if at and start.isdigit() else (target, "")
        timeline = self._timeline
        if timeline is None:
            self._wanted = target
            return
        times = _RANGE.fullmatch(target)
        if times is not None:
            self._to_range(Span(int(times[1]), int(times[2])))
            return
        event = self._named(timeline, name, int(start) if start else None)
        if event >= 0:
            self._to_event(event, step=True)
        elif not timeline.complete:
            self._wanted = target
        else:
            self.app.tell(_("{name} is not on the timeline").format(name=name))

    def _to_range(self, span: Span) -> None:
        """Shows a range: as an idle time of a lane where it is one, else as a range of time."""
        source = self._source
        if source is None or self._is_outside(span):
            return
        window = span.fitted(self._whole)
        for lane, shown in enumerate(source.lanes()):
            found = source.gap(lane, 0, span.start_ns) if shown.gaps else None
            if found is not None and (found.start_ns, found.end_ns) == (span.start_ns, span.end_ns):
                self._range = None
                self._go(replace(self._view, span=window, lane=lane, sub_row=0, event=-1, gap=span))
                return
        self._range, self._range_from = span, None
        inside = self._events_inside(span)
        self._go(replace(self._view, span=window, gap=None))
        if inside >= 0:
            self._to_event(inside)
        self._show()

    def _events_inside(self, span: Span) -> int:
        """The first task of a device that begins in a range; −1 for none."""
        timeline = self._timeline
        if timeline is None:
            return -1
        devices = [at for at, track in enumerate(timeline.tracks) if track.layer == "device"]
        starts = timeline.start_ns
        inside = (starts >= span.start_ns) & (starts < span.end_ns) & np.isin(timeline.track_id, devices)
        found = np.flatnonzero(inside)
        return int(found[np.argmin(starts[found])]) if len(found) else -1

    def _named(self, timeline: Timeline, name: str, start_ns: int | None) -> int:
        """The event of a name nearest to a time on the timeline, else the longest of that name; −1 for none.

        Where a table counts times from elsewhere, its start says nothing about the timeline.
        """
        ids = [number for number, text in enumerate(timeline.names) if bare_name(text) == name]
        every = np.flatnonzero(np.isin(timeline.name_id, ids))
        shown = self._shown_of(timeline, every)
        hits = shown if len(shown) else every
        if not len(hits):
            return -1
        if start_ns is None or not timeline.start_ns_min <= start_ns <= timeline.end_ns_max:
            return int(hits[int(np.argmax(timeline.dur_ns[hits]))])
        return int(hits[int(np.argmin(np.abs(timeline.start_ns[hits] - start_ns)))])

    # ── find ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_find(self) -> None:
        """Asks for a name."""
        self.ask("/", self._pattern, (), accept=self._find)

    def _find(self, text: str) -> str:
        self._pattern = text.strip()
        return "" if not self._pattern or self._find_step(1) else _("no event is named like {text}").format(text=text)

    def do_find_next(self) -> None:
        """Next hit."""
        self._find_step(1)

    def do_find_prev(self) -> None:
        """Previous hit."""
        self._find_step(-1)

    def _find_step(self, step: int) -> bool:
        """The next event whose name holds the pattern, by time over all lanes; past the last one the first again."""
        hits = self._hits()
        if self._timeline is None or not len(hits):
            return False
        starts = self._timeline.start_ns[hits]
        here = self._cursor_span().start_ns
        at = int(np.searchsorted(starts, here, side="right")) if step > 0 else int(np.searchsorted(starts, here)) - 1
        self._to_event(int(hits[at % len(hits)]), step=True)
        return True

    def _hits(self) -> NDArray[np.intp]:
        timeline = self._timeline
        if timeline is None or not self._pattern:
            return np.zeros(0, np.intp)
        matches = find_matcher(self._pattern)
        named = np.array([matches(name) for name in timeline.names], np.bool_)
        hits = self._shown_of(timeline, np.flatnonzero(named[timeline.name_id]))
        return hits[np.argsort(timeline.start_ns[hits], kind="stable")]

    def _shown_of(self, timeline: Timeline, events: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those events that touch the iterations shown."""
        if self._within is None:
            return events
        starts, (start_ns, end_ns) = timeline.start_ns[events], self._within.window
        return events[(starts < end_ns) & (starts + timeline.dur_ns[events] > start_ns)]

    # ── lanes ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _choose(self, choice: LaneChoice) -> None:
        """Other lanes."""
        self._rearrange(replace(self._view, choice=choice))

    def _rearrange(self, view: View) -> None:
        """A view with other lanes; the cursor stays on its event where that is still shown."""
        event = self._view.event
        self._history.push(view)
        self._make_source()
        source = self._source
        if source is None:
            return
        lane, sub_row = source.find_event(event) if event >= 0 else (-1, 0)
        if lane < 0:
            lane, sub_row = source.first_lane(), 0
            event = self._longest_of(lane)
        self._history.replace(replace(self._view, lane=lane, sub_row=sub_row, event=event, gap=None))
        self._show()

    def do_hide(self) -> None:
        """Hides the lane."""
        lane, choice = self._lane, self._view.choice
        if lane is not None:
            self._choose(replace(choice, hidden=choice.hidden | {lane.key}))

    def do_unhide(self) -> None:
        """Brings all lanes back."""
        self._choose(replace(self._view.choice, hidden=frozenset()))

    def do_maximise(self) -> None:
        """All nested rows of the lane, and back to the outermost ones."""
        lane, choice = self._lane, self._view.choice
        if lane is not None and len(lane.rows) > SUB_ROWS_SHOWN:
            self._choose(replace(choice, deep=choice.deep ^ {lane.key}))

    def do_choose(self) -> None:
        """The checklist of lanes, in their order."""
        timeline, rows = self._timeline, self._rows
        if timeline is None or rows is None or self._source is None:
            return
        hidden, order = self._view.choice.hidden, self._view.choice.order
        lanes = [(group.title, lane) for group in lane_groups(timeline, rows) for lane in group.lanes]
        places = {key: place for place, key in enumerate(order)}
        lanes.sort(key=lambda each: places.get(each[1].key, len(places)))
        items = [ChoiceItem(lane.key, lane.title, title, lane.key not in hidden) for title, lane in lanes]

        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets is not None:
                gone = frozenset(item.target for item in items) - set(targets)
                moved_any = list(targets) != [item.target for item in items if item.target in targets]
                self._choose(replace(self._view.choice, hidden=gone, order=targets if moved_any else order))

        hints = [
            KeyHint("space", _("show")), KeyHint("J K", _("move")), KeyHint("enter", _("accept")),
            KeyHint("esc", _("close")),
        ]  # fmt: skip
        self.app.push_screen(ChoiceOverlay(_("lanes"), items, checks=True, hints=hints), chosen)

    def do_pin(self) -> None:
        """Lane to the top, and back."""
        if self._lane is not None:
            self._choose(toggled(self._view.choice, self._lane.key))

    def do_lane_down(self) -> None:
        """Lane one place down."""
        self._move_lane(1)

    def do_lane_up(self) -> None:
        """Lane one place up."""
        self._move_lane(-1)

    def _move_lane(self, step: int) -> None:
        lane, source = self._lane, self._source
        if lane is not None and source is not None:
            keys = [shown.key for shown in source.lanes() if shown.kind != "group"]
            self._choose(replace(self._view.choice, order=moved(keys, lane.key, step)))

    # ── range and reference ──────────────────────────────────────────────────────────────────────────────────────────

    def _show(self) -> None:
        """A range that is being marked ends at the cursor."""
        if self._range_from is not None:
            here = self._cursor_span()
            self._range = Span(min(self._range_from, here.start_ns), max(self._range_from, here.end_ns))
        super()._show()

    def do_range(self) -> None:
        """Begins a range at the cursor; again: ends it; once more: drops it."""
        if self._range_from is not None:
            self._range_from = None
        elif self._range is None:
            self._range_from = self._cursor_span().start_ns
        else:
            self._range = None
        self._show()

    def do_leave(self) -> None:
        """Drops range, arrow and message."""
        super().do_leave()
        self._range = self._range_from = self._flow = None
        self._show()

    def do_reference(self) -> None:
        """Times count from this event; again: from the start."""
        here = self._cursor_span().start_ns
        self._reference_ns = None if self._reference_ns == here else here
        self._show()

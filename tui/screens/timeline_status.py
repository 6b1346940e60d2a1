"""What the timeline screen writes around its lanes: labels of the axis, the detail strip, title and status line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tui.i18n import _, ngettext
from tui.model.levels import bare_name
from tui.model.ops import task_row
from tui.model.ranges import lane_range
from tui.model.timeline import Timeline
from tui.screens.facts import Fact, fact, fact_lines, fact_starts
from tui.screens.op_details import Room, task_lines
from tui.screens.timeline_base import DETAILS_LINES, TimelineBase
from tui.screens.timeline_details import Scale, args_facts, counter_facts, event_facts, gap_facts, range_text
from tui.screens.timeline_dock import DOCK_LINES, Dock, dock_lines, dock_title, has_room, longest
from tui.units import number_text, span_text
from widgets.gutter import gutter_cells
from widgets.panes import HeadLine, Lines
from widgets.pieces import Line, Piece, gap, width_of

LABEL_CELLS = 10
NARROW_LABEL_CELLS, WIDE_LABEL_CELLS = 10, 17
"""Labels of the detail strip always have the same width, so that a step of the cursor repaints values only."""
WIDE_FROM = 100
"""Columns of a terminal from which on there is room for the names of arguments."""
PART_DECIMALS = ((1_000_000, 1), (10_000, 3))
"""From this length of a window on its ends are told in ms with so many decimals; shorter ones with all six."""


class TimelineStatus(TimelineBase):
    """The texts."""

    def _show(self) -> None:
        """Gives the widgets the state of the moment, and writes the strip and the frame."""
        if self._source is None or not self.is_attached:
            return
        self._show_lanes()
        self._time.labels.set_lines(self._view_label(), self._legend())
        if self._colour_by == "category":
            self._show_legend()
        if self._details_on:
            self._show_details()
            self._show_dock()
        self.show_frame()

    def _show_lanes(self) -> None:
        """Gives the lanes the state of the moment; where the cursor has moved, they are scrolled to it."""
        state = self._state()
        if self._in_view != (state.lane, state.sub_row):
            self._in_view = (state.lane, state.sub_row)
            self._top = self._time.scrolled_to_cursor(state)
        self._time.set_state(replace(state, top=self._top))

    def _range_label(self) -> str:
        return span_text(self._range.length_ns, self._glyph_set) if self._range else ""

    def _view_label(self) -> Line:
        """How much time is in view."""
        name = _("all") if self._view.span == self._whole else _("view")
        length = span_text(self._view.span.length_ns, self._glyph_set)
        return (gap(1), Piece(name, "muted"), gap(max(LABEL_CELLS - len(name), 1)), Piece(length, "text"))

    def _legend(self) -> Line:
        if self._colour_by == "category":
            return (gap(1), Piece(_("colour by type"), "muted"))
        low, high = (number_text(limit, 0) for limit in self.app.bands)
        at_least, pad = self.app.glyphs.shown("≥"), "" if self._glyph_set == "ascii" else " "
        signs = "   " if self._time.labels.look.palette.colours else self.app.glyphs.time.bands
        return (
            gap(1), Piece(signs[0], "on_low"), Piece(f"{pad}<{low} ", "muted"), Piece(signs[1], "on_mid"),
            Piece(f"{pad}{at_least}{low} ", "muted"), Piece(signs[2], "on_high"),
            Piece(f"{pad}{at_least}{high}{pad}%", "muted"),
        )  # fmt: skip

    def _show_legend(self) -> None:
        """Which colour means which type of task."""
        lines = self.query_one("#legend", Lines)
        colours = lines.look.palette.colours
        pieces: list[Piece] = [gap(gutter_cells(self.size.width))]
        for place, title in enumerate(self._kinds.titles if self._kinds is not None else ()):
            sign = "█" if colours else chr(ord("A") + place)
            entry = [Piece(sign, f"cat{place}"), Piece(f" {title}", "muted"), gap(2)]
            if width_of([*pieces, *entry]) > self.size.width:
                break
            pieces += entry
        lines.set_lines([pieces])

    # ── the longest events ───────────────────────────────────────────────────────────────────────────────────────────

    def _show_dock(self) -> None:
        """The longest events of the lane or range, where there is room."""
        timeline, rows, lane = self._timeline, self._rows, self._lane
        if timeline is None or rows is None or not has_room(*self.size):
            return
        key = (id(rows), lane.key if lane is not None else "", self._window)
        if self._docked[0] != key:
            window = self._window or (self._whole.start_ns, self._whole.end_ns)
            lane_rows = lane.rows if lane is not None else ()
            self._docked = (key, *longest(timeline, rows, lane_rows, window))
        _key, listed, count = self._docked
        title = dock_title(lane.title if lane is not None else "", count, listed.tolist())
        self.query_one("#dock-head", HeadLine).set_content(*title)
        dock = Dock(timeline, listed, self._scale, self.app.bands, self.app.glyphs)
        lines = dock_lines(dock, self._view.event, self.size.width)
        empty: list[Line] = [()] * (DOCK_LINES - len(lines))
        self.query_one("#dock", Lines).set_lines([*lines, *empty])

    # ── detail strip ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _scale(self) -> Scale:
        return Scale(self._origin_ns, self._share_ns, self._glyph_set, self.app.time_choice)

    def do_units(self) -> None:
        """The next unit of times in the details and the lists."""
        self.app.choose_next_units()

    def _show_details(self) -> None:
        timeline, view = self._timeline, self._view
        if timeline is None:
            return
        if view.gap is not None:
            self._head.set_content(_("idle {time}").format(time=span_text(view.gap.length_ns, self._glyph_set)))
            gaps = self._gap_here()
            self._set_facts(gap_facts(timeline, gaps, 0, self._scale) if gaps is not None else [])
        elif view.event >= 0:
            self._head.set_content(bare_name(timeline.name(view.event)), self._event_place(timeline, view.event))
            self._set_facts(*self._event_facts(timeline, view.event))
        else:
            self._show_lane(timeline)

    def _show_lane(self, timeline: Timeline) -> None:
        """A lane of a counter, or one with no event in view."""
        lane = self._lane
        if lane is None or lane.counter < 0:
            self._head.set_content(_("no event here"))
            self._set_facts([])
            return
        counter = timeline.counters[lane.counter]
        self._head.set_content(lane.title, counter.process)
        has_values = len(counter.times_ns) > 0 and not np.isnan(counter.values).all()
        self._set_facts(counter_facts(counter, self._view.span.middle_ns, self._scale) if has_values else [])

    def _event_facts(self, timeline: Timeline, event: int) -> tuple[list[Fact], list[Line]]:
        """Facts, and lines that follow: of a task its row among the operators, else the arguments of the event."""
        facts = event_facts(timeline, event, self._scale)
        if not self._is_tall:
            return facts, []
        task = self._task_lines(timeline, event)
        if task:
            return facts, task
        raw = fact(_("raw"), f"{int(timeline.start_ns[event])} ns")
        return [*facts, raw, *args_facts(self.app.event_args(event))], []

    def _task_lines(self, timeline: Timeline, event: int) -> list[Line]:
        change, session, track = self.app.tables.get("ops"), self.app.session, timeline.track(event)
        table = change.table if change is not None else None
        if table is None or session is None or track.layer != "device":
            return []
        row = task_row(table, bare_name(timeline.name(event)), int(timeline.start_ns[event]))
        room = Room(self.size.width, DETAILS_LINES, self._lines.look, self._glyph_set)
        return task_lines(table, row, session.device_of(track.device), room, self._label_cells) if row >= 0 else []

    @property
    def _label_cells(self) -> int:
        return WIDE_LABEL_CELLS if self._is_tall and self.size.width >= WIDE_FROM else NARROW_LABEL_CELLS

    def _set_facts(self, facts: Sequence[Fact], more: Sequence[Line] = ()) -> None:
        width = self.size.width
        self._lines.set_starts(fact_starts(width, self._label_cells))
        self._lines.set_lines([*fact_lines(facts, width, self.app.glyphs.ellipsis, self._label_cells), *more])

    def _event_place(self, timeline: Timeline, event: int) -> str:
        """`event 7 of 9 · AscendCL · thread 31337`."""
        lane, rows = self._lane, self._rows
        track = timeline.track(event)
        parts = list(dict.fromkeys((lane.title if lane is not None else "", track.thread or track.tid)))
        if lane is not None and rows is not None and lane.rows:
            events = rows.events(lane.rows[min(self._view.sub_row, len(lane.rows) - 1)])
            at = int(np.searchsorted(timeline.start_ns[events], timeline.start_ns[event], side="right"))
            parts.insert(0, _("event {n} of {all}").format(n=number_text(at, 0), all=number_text(len(events), 0)))
        return f" {self.app.glyphs.dot} ".join(part for part in parts if part)

    def _show_failure(self) -> None:
        reason, hint = self._failure
        self._lines.set_lines([[gap(1), Piece(reason, "text")], [gap(1), Piece(hint, "muted")]])

    # ── frame ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def steps(self) -> Sequence[Piece]:
        """What part of the time is seen, and how it is coloured."""
        if self._timeline is None:
            return ()
        low, high = self.app.bands
        bands = _("bands {low}/{high} of span").format(low=number_text(low, 0), high=number_text(high, 0))
        return [Piece(self._part_text()), Piece(bands if self._colour_by == "bands" else _("by type"))]

    def _part_text(self) -> str:
        span = self._view.span
        if span == self._whole:
            within = self._within
            return _("whole trace") if within is None else _("iteration {text}").format(text=within.text)
        decimals = next((places for least_ns, places in PART_DECIMALS if span.length_ns >= least_ns), 6)
        left, right = (number_text((time - self._origin_ns) / 1e6, decimals) for time in (span.start_ns, span.end_ns))
        return f"{left}–{right} ms"

    def title_right(self) -> Sequence[Piece] | str:
        """Events, or a chip while they are not all there."""
        timeline = self._timeline
        if timeline is None:
            return ""
        count = Piece(self._count_text())
        session = self.app.session
        if timeline.complete and session is not None and session.window is not None:
            return [Piece(" " + _("a part of the time") + " ", "on_mid"), Piece(" "), count]
        if timeline.complete:
            return [count]
        part = _("partial {share} %").format(share=f"{timeline.fraction * 100:.0f}")
        return [Piece(f" {part} ", "on_mid"), Piece(" "), count]

    def _count_text(self) -> str:
        """Events, or those that match the filter and all."""
        all_events = number_text(self._events_shown, 0)
        if self._view.filter and self._rows is not None:
            return f"{self._view.filter}  {number_text(len(self._rows.event), 0)}/{all_events}"
        return ngettext("{n} event", "{n} events", self._events_shown).format(n=all_events)

    def status_left(self) -> Sequence[Piece] | str:
        """Progress while loading; range statistics; else what the lane holds."""
        timeline, rows, lane = self._timeline, self._rows, self._lane
        if self.app.timeline_progress:
            return [Piece(self.app.timeline_progress, "text")]
        if timeline is None or rows is None or lane is None:
            waits = timeline is None and self.app.session is not None and not self._failure[0]
            return _("reading the timeline") if waits else ""
        if self._range is not None and lane.rows:
            return [Piece(range_text(rows, lane, self._range.start_ns, self._range.end_ns, self._glyph_set), "text")]
        if lane.counter >= 0:
            samples = len(timeline.counters[lane.counter].times_ns)
            return ngettext("{n} sample", "{n} samples", samples).format(n=number_text(samples, 0))
        events, wall_ns = lane.events, lane.busy_ns
        if self._within is not None:
            found = lane_range(rows, lane, *self._within.window)
            events, wall_ns = found.events, found.wall_ns
        wall = span_text(wall_ns, self._glyph_set)
        count = ngettext("{n} event", "{n} events", events).format(n=number_text(events, 0))
        return _("{count}, wall {wall}").format(count=count, wall=wall)

    def status_right(self) -> Sequence[Piece] | str:
        """The width of a cell."""
        if self._timeline is None or not self._time.columns:
            return ""
        cell_ns = self._view.span.length_ns / self._time.columns
        cell = Piece(_("1 cell = {time}").format(time=span_text(max(cell_ns, 1), self._glyph_set)))
        return [*self._outside_pieces(), cell]

    def _outside_pieces(self) -> Sequence[Piece]:
        """Events named like the one under the cursor before and after the window, where no head line tells them."""
        before, after = self._outside()
        if (not before and not after) or self._time.canvas.shows_head_of(self._view.lane):
            return ()
        left, right = self.app.glyphs.time.wide
        counts = [f"{left} {before}" if before else "", f"{after} {right}" if after else ""]
        return [Piece("  ".join(text for text in counts if text), "focus"), gap(3)]

"""What the timeline screen writes around its lanes: labels of the axis, the detail strip, title and status line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tui.i18n import _, ngettext
from tui.model.levels import bare_name
from tui.model.timeline import Timeline
from tui.screens.facts import Fact, fact_lines
from tui.screens.timeline_base import TimelineBase
from tui.screens.timeline_details import Scale, args_facts, counter_facts, event_facts, gap_facts, range_text
from tui.units import number_text, span_text
from widgets.pieces import Line, Piece, gap

LABEL_CELLS = 10
PART_DECIMALS = ((1_000_000, 1), (10_000, 3))
"""From this length of a window on its ends are told in ms with so many decimals; shorter ones with all six."""


class TimelineStatus(TimelineBase):
    """The texts."""

    def _show(self) -> None:
        """Gives the widgets the state of the moment, and writes the strip and the frame."""
        if self._source is None or not self.is_attached:
            return
        state = self._state()
        self._top = self._time.scrolled_to_cursor(state)
        self._time.set_state(replace(state, top=self._top))
        self._time.labels.set_lines(self._view_label(), self._legend())
        if self._details_on:
            self._show_details()
        self.show_frame()

    def _range_label(self) -> str:
        return span_text(self._range.length_ns, self._glyph_set) if self._range else ""

    def _view_label(self) -> Line:
        """How much time is in view."""
        name = _("all") if self._view.span == self._whole else _("view")
        length = span_text(self._view.span.length_ns, self._glyph_set)
        return (gap(1), Piece(name, "muted"), gap(max(LABEL_CELLS - len(name), 1)), Piece(length, "text"))

    def _legend(self) -> Line:
        if self._colour_by == "category":
            return (gap(1), Piece(_("colour by name"), "muted"))
        low, high = (number_text(limit, 0) for limit in self.app.bands)
        at_least = self.app.glyphs.shown("≥")
        return (
            gap(1), Piece(" ", "on_low"), Piece(f" <{low} ", "muted"), Piece(" ", "on_mid"),
            Piece(f" {at_least}{low} ", "muted"), Piece(" ", "on_high"), Piece(f" {at_least}{high} %", "muted"),
        )  # fmt: skip

    # ── detail strip ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _scale(self) -> Scale:
        return Scale(self._origin_ns, self._whole.length_ns, self._glyph_set)

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
            self._set_facts(self._event_facts(timeline, view.event))
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

    def _event_facts(self, timeline: Timeline, event: int) -> list[Fact]:
        facts = event_facts(timeline, event, self._scale)
        return facts + args_facts(self.app.event_args(event)) if self._is_tall else facts

    def _set_facts(self, facts: Sequence[Fact]) -> None:
        self._lines.set_lines(fact_lines(facts, self.size.width, self.app.glyphs.ellipsis))

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
        return [Piece(self._part_text()), Piece(bands if self._colour_by == "bands" else _("by name"))]

    def _part_text(self) -> str:
        span = self._view.span
        if span == self._whole:
            return _("whole trace")
        decimals = next((places for least_ns, places in PART_DECIMALS if span.length_ns >= least_ns), 6)
        left, right = (number_text((time - self._origin_ns) / 1e6, decimals) for time in (span.start_ns, span.end_ns))
        return f"{left}–{right} ms"

    def title_right(self) -> Sequence[Piece] | str:
        """Events, or a chip while they are not all there."""
        timeline = self._timeline
        if timeline is None:
            return ""
        count = Piece(_("{n} events").format(n=number_text(len(timeline), 0)))
        if timeline.complete:
            return [count]
        part = _("partial {share} %").format(share=f"{timeline.fraction * 100:.0f}")
        return [Piece(f" {part} ", "on_mid"), Piece(" "), count]

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
        wall = span_text(lane.busy_ns, self._glyph_set)
        count = ngettext("{n} event", "{n} events", lane.events).format(n=number_text(lane.events, 0))
        return _("{count}, wall {wall}").format(count=count, wall=wall)

    def status_right(self) -> Sequence[Piece] | str:
        """The width of a cell."""
        if self._timeline is None or not self._time.columns:
            return ""
        cell_ns = self._view.span.length_ns / self._time.columns
        return _("1 cell = {time}").format(time=span_text(max(cell_ns, 1), self._glyph_set))

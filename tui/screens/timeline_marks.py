"""Marked events and parts of the time: drawn on the axis, kept per profile, listed by `'`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tui.i18n import _
from tui.messages import TimelineChanged
from tui.model.levels import bare_name
from tui.screens.marks import ask_mark, kept_marks, toggle_kept
from tui.screens.timeline_follow import TimelineFollow
from tui.units import span_text
from widgets.choice import ChoiceItem
from widgets.viewport import Span

KIND = "timeline"
_KEY = re.compile(r"(-?\d{1,19})(?:\.\.(-?\d{1,19}))?")


class Mark(NamedTuple):
    """Something marked."""

    key: str
    name: str
    start_ns: int
    end_ns: int | None
    """None for an event, which is found by its start and name."""


class TimelineMarks(TimelineFollow):
    """The marks."""

    def timeline_changed(self, change: TimelineChanged) -> None:
        """Shows what was marked earlier."""
        self._read_marks()
        super().timeline_changed(change)

    def _read_marks(self) -> None:
        times = [(mark.start_ns, mark.end_ns) for mark in self._marked()]
        ends = (end_ns - 1 for _start, end_ns in times if end_ns is not None)
        self._marks = tuple(sorted({*(start_ns for start_ns, _end in times), *ends}))

    def _marked(self) -> list[Mark]:
        """By time; what cannot be read of the remembered ones is left out."""
        kept = kept_marks(self.app, KIND).items()
        found = [(_KEY.fullmatch(key), key, name) for key, name in kept]
        marks = [
            Mark(key, name, int(match[1]), int(match[2]) if match[2] else None)
            for match, key, name in found
            if match is not None
        ]
        return sorted(marks, key=lambda mark: mark.start_ns)

    def do_mark(self) -> None:
        """Marks the range, else the event or idle time under the cursor; again: takes the mark away."""
        self._mark("")

    def command_mark(self, text: str) -> str:
        """Marks under a name; returns why it cannot, or empty."""
        return "" if self._mark(text) else _("there is nothing to mark")

    def _mark(self, name: str) -> bool:
        timeline, view = self._timeline, self._view
        span = self._range or view.gap
        if timeline is None or (span is None and view.event < 0):
            return False
        if span is not None:
            length = span_text(span.length_ns, self._glyph_set)
            what = _("idle {time}") if self._range is None else _("range of {time}")
            toggle_kept(self.app, KIND, f"{span.start_ns}..{span.end_ns}", name or what.format(time=length))
        else:
            start_ns, own_name = int(timeline.start_ns[view.event]), bare_name(timeline.name(view.event))
            toggle_kept(self.app, KIND, str(start_ns), name or own_name)
        self._read_marks()
        self._show()
        return True

    def do_marks(self) -> None:
        """Lists the marks; enter goes to one."""
        items = [ChoiceItem(mark.key, mark.name, self._mark_text(mark)) for mark in self._marked()]
        ask_mark(self.app, items, _("no marks yet; m marks what is under the cursor, or the range"), self._to_mark)

    def _mark_text(self, mark: Mark) -> str:
        at = self._scale.at(mark.start_ns)
        return at if mark.end_ns is None else f"{at}  {span_text(mark.end_ns - mark.start_ns, self._glyph_set)}"

    def _to_mark(self, key: str) -> None:
        mark = next((mark for mark in self._marked() if mark.key == key), None)
        if mark is None:
            return
        if mark.end_ns is not None:
            self._to_marked_range(Span(mark.start_ns, mark.end_ns))
        else:
            self._to_marked_event(mark)

    def _to_marked_range(self, span: Span) -> None:
        if not self._is_outside(span):
            self._range, self._range_from = span, None
            self._go(replace(self._view, span=span.fitted(self._whole)))
            self._show()

    def _to_marked_event(self, mark: Mark) -> None:
        """The event that starts then: the one of that name where several do."""
        timeline = self._timeline
        if timeline is None:
            return
        hits = np.flatnonzero(timeline.start_ns == mark.start_ns)
        if not len(hits):
            self.app.tell(_("{name} is not on the timeline").format(name=mark.name))
            return
        named = [event for event in hits.tolist() if bare_name(timeline.name(event)) == mark.name]
        self._to_event((named or hits.tolist())[0], step=True)

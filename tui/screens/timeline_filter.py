"""Only events that match an expression are on the lanes: `&`, `:filter`, and `0` which brings all back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tui.errors import BadExpression
from tui.i18n import _
from tui.messages import TimelineChanged
from tui.model.events import events_table
from tui.model.filter import filter_mask
from tui.model.lod import Rows
from tui.screens.timeline_base import View
from tui.screens.timeline_marks import TimelineMarks

INLINE_EVENTS = 200_000
"""More events than these are filtered in a thread, so that keys are never waited for."""
FILTERS_KEPT = 4


class TimelineFilter(TimelineMarks):
    """The filter."""

    def __init__(self) -> None:
        super().__init__()
        self._all_rows: Rows | None = None
        self._kept: dict[str, Rows] = {}
        """Rows of the last filters, for undo."""

    def timeline_changed(self, change: TimelineChanged) -> None:
        """Other events are not filtered yet."""
        self._all_rows = change.rows
        self._kept.clear()
        super().timeline_changed(change)

    def do_filter(self) -> None:
        """Asks for an expression."""
        from tui.dialogs import history_of, remember

        def accept(text: str) -> str:
            problem = self.command_filter(text)
            if not problem:
                remember(self.app, "&", text)
            return problem

        note = "name~^Conv dur>1.5ms"
        self.ask("&", self._view.filter, history_of(self.app, "&"), accept=accept, changed=self._note_filter, note=note)

    def _note_filter(self, text: str) -> None:
        """While it is typed: what is wrong, or how many events match where that is quick to tell."""
        timeline = self._timeline
        if timeline is None or len(timeline) > INLINE_EVENTS:
            return
        try:
            count = int(filter_mask(events_table(timeline), text).sum())
        except BadExpression as error:
            self.prompt.set_error(error.message, error.position)
        else:
            self.prompt.set_note(_("{n} of {all}").format(n=count, all=len(timeline)))

    def command_filter(self, text: str) -> str:
        """Shows only events that match; returns why it cannot, or empty."""
        text, timeline = text.strip(), self._timeline
        if timeline is None:
            return _("there are no events yet")
        if not text or text in self._kept:
            self._show_filtered(text)
            return ""
        table = events_table(timeline)
        if len(timeline) <= INLINE_EVENTS:
            try:
                return self._filter_by(text, filter_mask(table, text))
            except BadExpression as error:
                return error.message
        self.app.run_worker(partial(self._filter_in_thread, text), thread=True, group="filter", exit_on_error=False)
        return ""

    def _filter_in_thread(self, text: str) -> None:
        timeline, rows = self._timeline, self._all_rows
        if timeline is None or rows is None:
            return
        try:
            mask = filter_mask(events_table(timeline), text)
        except BadExpression as error:
            self.app.call_from_thread(self.app.tell, error.message)
            return
        kept = rows.kept(mask) if mask.any() else None
        self.app.call_from_thread(self._filtered_in_thread, text, rows, kept)

    def _filtered_in_thread(self, text: str, rows: Rows, kept: Rows | None) -> None:
        if rows is not self._all_rows:
            return
        problem = self._take_filtered(text, kept)
        if problem:
            self.app.tell(problem)

    def _filter_by(self, text: str, mask: NDArray[np.bool_]) -> str:
        rows = self._all_rows
        return self._take_filtered(text, rows.kept(mask) if rows is not None and mask.any() else None)

    def _take_filtered(self, text: str, kept: Rows | None) -> str:
        """Shows the rows of a filter; returns why it cannot, or empty."""
        if kept is None:
            return _("no event matches {expression}").format(expression=text)
        self._kept[text] = kept
        for old in list(self._kept)[:-FILTERS_KEPT]:
            del self._kept[old]
        self._show_filtered(text)
        return ""

    def _show_filtered(self, text: str) -> None:
        if text != self._view.filter:
            self._use_filter(text)
            self._rearrange(replace(self._view, filter=text))

    def _use_filter(self, text: str) -> None:
        """Takes the rows of a filter that was shown before, or of none."""
        if not text:
            self._rows = self._all_rows
        elif text in self._kept:
            self._rows = self._kept[text]
        elif self._timeline is not None and self._all_rows is not None:
            self._rows = self._all_rows.kept(filter_mask(events_table(self._timeline), text))

    def _restore(self, before: View, now: View) -> None:
        if before.filter != now.filter:
            self._use_filter(now.filter)
            self._make_source()
        super()._restore(before, now)

    def do_reset(self) -> None:
        """All events again; without a filter the part with most of them, once more: everything."""
        if self._view.filter:
            self._show_filtered("")
        else:
            super().do_reset()

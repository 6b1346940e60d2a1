"""Zoom and pan, and what fits the window."""

from __future__ import annotations

from dataclasses import replace

from tui.i18n import _
from tui.model.ranges import dense_window
from tui.screens.timeline_steps import TimelineSteps
from tui.screens.window_keys import WindowKeys
from widgets.viewport import Span


class TimelineZoom(WindowKeys, TimelineSteps):
    """The window."""

    def _look_at(self, span: Span) -> None:
        """Another window; a cursor that falls out of it goes to an event of its lane inside."""
        view = replace(self._view, span=span)
        if not self._cursor_span().touches(span):
            event = self._event_near(view.lane, view.sub_row, span.middle_ns, span)
            view = replace(view, event=event, gap=None) if event >= 0 else view
        self._go(view)

    def _zoom(self, factor: float) -> None:
        self._look_at(self._view.span.zoomed(factor, self._about_ns(), self._whole))

    def _pan(self, share: float) -> None:
        self._look_at(self._view.span.panned(share, self._whole))

    def do_focus(self) -> None:
        """Fits the range, else the event or gap under the cursor."""
        self._go(replace(self._view, span=(self._range or self._cursor_span()).fitted(self._whole)))

    def do_reset(self) -> None:
        """The part with 99.9 % of the events; once more: everything."""
        if self._timeline is None:
            return
        if self._within is not None:
            self._go(replace(self._view, span=self._whole))
            return
        window = dense_window(self._timeline)
        dense = Span(window.start_ns, window.end_ns).fitted(self._whole)
        if not window.outside or self._view.span == dense:
            self._go(replace(self._view, span=self._whole))
            return
        self._go(replace(self._view, span=dense))
        self.app.tell(_("{n} events lie outside; 0 again shows everything").format(n=window.outside))

"""Zoom and pan, and what fits the window."""

from __future__ import annotations

from dataclasses import replace

from tui.i18n import _
from tui.model.ranges import dense_window
from tui.screens.timeline_steps import TimelineSteps
from widgets.viewport import FAST_STEP, PAN_SHARE, ZOOM_STEP, Span


class TimelineZoom(TimelineSteps):
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

    def do_zoom_in(self) -> None:
        """Twice as large."""
        self._zoom(ZOOM_STEP)

    def do_zoom_out(self) -> None:
        """Half as large."""
        self._zoom(1 / ZOOM_STEP)

    def do_zoom_in_fast(self) -> None:
        """Four times as large."""
        self._zoom(FAST_STEP)

    def do_zoom_out_fast(self) -> None:
        """A quarter as large."""
        self._zoom(1 / FAST_STEP)

    def do_bigger(self) -> None:
        """Twice as large."""
        self._zoom(ZOOM_STEP)

    def do_smaller(self) -> None:
        """Half as large."""
        self._zoom(1 / ZOOM_STEP)

    def _pan(self, share: float) -> None:
        self._look_at(self._view.span.panned(share, self._whole))

    def do_pan_left(self) -> None:
        """To earlier times."""
        self._pan(-PAN_SHARE)

    def do_pan_right(self) -> None:
        """To later times."""
        self._pan(PAN_SHARE)

    def do_pan_left_fast(self) -> None:
        """A whole window to earlier times."""
        self._pan(-1.0)

    def do_pan_right_fast(self) -> None:
        """A whole window to later times."""
        self._pan(1.0)

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

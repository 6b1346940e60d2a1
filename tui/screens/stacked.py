"""Both timelines above each other: zoomed and moved together, aligned at an event, and a cursor on both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.widget import Widget

from tui.i18n import N_, _
from tui.screens.stacked_reading import SIGNS
from tui.screens.stacked_shown import Stack, StackedShown, moved
from tui.screens.stacked_side import Place
from tui.screens.stacked_text import Told, detail_lines
from tui.screens.window_keys import WindowKeys
from widgets.canvas import TimeCanvas
from widgets.canvas_mouse import TimeWidget
from widgets.minimap import Minimap
from widgets.panes import Lines
from widgets.viewport import ZOOM_STEP, Span

AROUND = 6
"""The first window is so many times as long as the event that both are laid over each other at."""


class StackedScreen(WindowKeys, StackedShown):
    """What keys and mouse do."""

    LABELS: ClassVar[Mapping[str, str]] = {
        "reference": N_("align"), "focus": N_("fit"), "to_timeline": N_("timeline of B"), "reset": N_("fit all"),
        "pane_next": N_("A or B"), "notable_next": N_("same name"), "open_item": N_("read"),
    }  # fmt: skip
    HELPS: ClassVar[Mapping[str, str]] = {
        "up": N_("lane up, down"), "left": N_("event before, after"),
        "first": N_("first, last of the lane"), "copy": N_("copy both events"),
        "notable_next": N_("same name: next, before"),
        "reference": N_("align both here"), "focus": N_("fit it on both sides"),
        "reset": N_("fit all; from the starts"), "to_timeline": N_("on the timeline of B"),
        "pane_next": N_("to the other side"), "open_item": N_("read a large one"),
        "bigger": N_("zoom in, out"),
    }  # fmt: skip
    FOOTER = (
        "open_item", "reference", "zoom_in", "pan_left", "focus", "notable_next", "pane_next", "reset", "to_timeline",
        "undo", "swap", "screen",
    )  # fmt: skip

    # ── steps ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def can(self, name: str) -> bool:
        """Reading where something is unread; the rest where there is an event."""
        if name == "open_item":
            return any(reading.glance is not None for reading in self._readings)
        if name in ("undo", "redo"):
            return self._history.can_undo if name == "undo" else self._history.can_redo
        if name in ("reference", "to_timeline", "notable_next", "notable_prev", "focus", "copy"):
            return self._active is not None and self._stack.place.event >= 0
        if name in ("pane_next", "pane_prev"):
            return None not in map(self._side, (0, 1))
        return super().can(name)

    def _go(self, stack: Stack, step: bool = True) -> None:
        if stack == self._stack:
            return
        if step:
            self._history.push(stack)
        else:
            self._history.replace(stack)
        self._show()

    def do_undo(self) -> None:
        """One step back."""
        self._history.undo()
        self._show()

    def do_redo(self) -> None:
        """The undone step again."""
        self._history.redo()
        self._show()

    def do_close(self) -> None:
        """Back to the rows."""
        self.dismiss(None)

    def do_details(self) -> None:
        """Shows or hides both events."""
        self._details_on = not self._details_on
        self._arrange()
        self.call_after_refresh(self._show)

    def do_open_item(self) -> None:
        """Asks how much of a large timeline to read."""
        self.ask_extent(next(index for index, reading in enumerate(self._readings) if reading.glance is not None))

    # ── window ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _look_at(self, span: Span, step: bool = True) -> None:
        self._go(replace(self._stack, span=span.clamped(self._whole)), step)

    def _event_span(self) -> Span | None:
        """The event under the cursor, on the common axis."""
        stack, side = self._stack, self._active
        if side is None or stack.place.event < 0:
            return None
        return moved(side.span_of(stack.place.event), -stack.zeros_ns[stack.active])

    def _zoom(self, factor: float) -> None:
        here, span = self._event_span(), self._stack.span
        is_seen = here is not None and here.touches(span)
        left, right = (max(here.start_ns, span.start_ns), min(here.end_ns, span.end_ns)) if here else (0, 0)
        about_ns = (left + right) // 2 if is_seen else span.middle_ns
        self._look_at(span.zoomed(factor, about_ns, self._whole))

    def _pan(self, share: float) -> None:
        self._look_at(self._stack.span.panned(share, self._whole))

    def do_focus(self) -> None:
        """Fits the event of both sides."""
        spans = [
            moved(told.side.span_of(told.event), -told.zero_ns)
            for told in self._told()
            if told.side is not None and told.event >= 0
        ]
        both = Span(min(span.start_ns for span in spans), max(span.end_ns for span in spans))
        self._look_at(both.fitted(self._whole))

    def do_reset(self) -> None:
        """All of both as they lie; once more: both from their start."""
        if self._stack.span != self._whole:
            self._look_at(self._whole)
            return
        starts = [side.whole.start_ns if side is not None else 0 for side in map(self._side, (0, 1))]
        at_starts = replace(self._stack, zeros_ns=(starts[0], starts[1]), aligned=("", ""))
        if at_starts != self._stack:
            self._history.push(at_starts)
            self._history.replace(replace(self._stack, span=self._whole))
            self._show()

    # ── alignment ────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_reference(self) -> None:
        """Lays both over each other at the start of the event under the cursor."""
        self._align(step=True)

    def _align(self, step: bool, window: bool = False) -> None:
        """
        Args:
            window: Whether to look at the surroundings of the event, wherever the window was before.
        """
        told, stack = self._told(), self._stack
        mine, other = told[stack.active], told[1 - stack.active]
        assert mine.side is not None
        if other.side is None or other.event < 0:
            self._tell_no_partner(mine, other)
        starts = [each.start_ns + each.zero_ns if each.event >= 0 else each.zero_ns for each in told]
        names = [each.side.name_of(each.event) if each.side is not None and each.event >= 0 else "" for each in told]
        if other.event < 0:
            starts, names = list(stack.zeros_ns), list(stack.aligned)
        moved_ns = starts[stack.active] - stack.zeros_ns[stack.active]
        aligned = replace(stack, zeros_ns=(starts[0], starts[1]), aligned=(names[0], names[1]),
                          span=moved(stack.span, -moved_ns))  # fmt: skip
        if step:
            self._history.push(aligned)
        else:
            self._history.replace(aligned)
        span = self._around(max(each.duration_ns for each in told)) if window else aligned.span.clamped(self._whole)
        self._history.replace(replace(aligned, span=span))
        self._show()

    def _around(self, length_ns: int) -> Span:
        """The surroundings of the event under the cursor."""
        here = self._event_span() or Span(0, 1)
        start_ns = here.start_ns - length_ns * AROUND // 3
        return Span(start_ns, start_ns + length_ns * AROUND).clamped(self._whole)

    def _tell_no_partner(self, mine: Told, other: Told) -> None:
        assert mine.side is not None
        sign = SIGNS[1 - self._stack.active]
        if other.side is None:
            self.app.tell(_("{side} has no timeline to align with").format(side=sign))
        else:
            name = mine.side.name_of(mine.event)
            self.app.tell(_("{side} has no {name}: both stay where they are").format(side=sign, name=name))

    # ── cursor ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _to_event(self, event: int, side: int | None = None) -> None:
        """Puts the cursor on an event, and brings it into view."""
        index = self._stack.active if side is None else side
        found = self._side(index)
        if found is None or event < 0:
            return
        place = found.place_of(event)
        if place.event < 0:
            return
        here = moved(found.span_of(event), -self._stack.zeros_ns[index])
        span = self._stack.span.showing(here, self._whole)
        self._go(replace(self._stack, active=index, place=place, span=span), step=False)

    def do_left(self) -> None:
        """The event before."""
        self._walk(-1)

    def do_right(self) -> None:
        """The event after."""
        self._walk(1)

    def _walk(self, step: int) -> None:
        if self._active is not None:
            self._to_event(self._active.beside(self._stack.place, step))

    def do_first(self) -> None:
        """First event of the lane."""
        self._to_end(-1)

    def do_last(self) -> None:
        """Last event of the lane."""
        self._to_end(1)

    def _to_end(self, step: int) -> None:
        side, place = self._active, self._stack.place
        row = side.source.row_of(place.lane, place.sub_row) if side is not None else -1
        if side is not None and row >= 0:
            outside = side.whole.end_ns + 1 if step > 0 else side.whole.start_ns - 1
            found = side.rows.previous_event(row, outside) if step > 0 else side.rows.next_event(row, outside)
            self._to_event(found)

    def do_notable_next(self) -> None:
        """Next event of the same name."""
        self._same(1)

    def do_notable_prev(self) -> None:
        """Event of the same name before."""
        self._same(-1)

    def _same(self, step: int) -> None:
        kin = self._told()[self._stack.active].kin
        if 0 <= kin.at + step < len(kin.events):
            self._to_event(int(kin.events[kin.at + step]))
        else:
            self.app.tell(_("no more of this name"))

    def do_pane_next(self) -> None:
        """To the event that belongs to it on the other side, else to the other side at the same time."""
        other = 1 - self._stack.active
        event = self._told()[other].event
        if event >= 0:
            self._to_event(event, other)
        else:
            side = self._side(other)
            assert side is not None
            self._go(replace(self._stack, active=other, place=side.first()), step=False)

    do_pane_prev = do_pane_next

    def do_up(self) -> None:
        """Lane up."""
        self._lane_step(-1)

    def do_down(self) -> None:
        """Lane down."""
        self._lane_step(1)

    def _lane_step(self, step: int) -> None:
        """To the row above or below; from the last one of A to the first one of B."""
        stack = self._stack
        places = [
            (index, lane, row)
            for index in (0, 1)
            if (side := self._side(index)) is not None
            for lane, shown in enumerate(side.source.lanes())
            if shown.kind == "slices"
            for row in range(shown.rows)
        ]
        here = (stack.active, stack.place.lane, stack.place.sub_row)
        at = places.index(here) + step if here in places else 0
        if 0 <= at < len(places):
            self._enter_row(*places[at])

    def _enter_row(self, index: int, lane: int, sub_row: int, time_ns: int | None = None) -> None:
        """
        Args:
            time_ns: On the common axis; None for that of the event under the cursor.
        """
        side, here = self._side(index), self._event_span() or self._stack.span
        if side is not None:
            about_ns = here.middle_ns if time_ns is None else time_ns
            event = side.near(lane, sub_row, about_ns + self._stack.zeros_ns[index])
            self._go(replace(self._stack, active=index, place=Place(lane, sub_row, event)), step=False)

    def do_to_timeline(self) -> None:
        """The event on the timeline of B."""
        told = self._told()[1]
        if told.side is None or told.event < 0:
            self.app.tell(_("B has no task of it to show; B swaps the sides"))
            return
        self.app.follow("2", f"{told.side.name_of(told.event)}@{told.start_ns + told.zero_ns}")

    def do_copy(self) -> None:
        """Copies both events and their difference."""
        pair = self.query_one("#pair", Lines)
        lines = detail_lines(self._told(), pair.look, 200, self._glyphs)
        texts = ["".join(piece.text for piece in line if set(piece.text) - set("█▏▎▍▌▋▊▉#")) for line in lines]
        self.app.copy_text("\n".join(text.strip() for text in texts), _("event"))

    # ── mouse ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _index_of(self, widget: Widget) -> int:
        """The side that a widget belongs to."""
        return 1 if self._view(1) in widget.ancestors else 0

    @on(TimeCanvas.Pressed)
    def _clicked(self, event: TimeCanvas.Pressed) -> None:
        event.stop()
        index = self._index_of(event.widget)
        side = self._side(index)
        if side is not None and side.source.lane(event.row.lane) is not None:
            self._enter_row(index, event.row.lane, event.row.sub_row, event.time_ns - self._stack.zeros_ns[index])

    @on(TimeWidget.Zoomed)
    def _wheel(self, event: TimeWidget.Zoomed) -> None:
        event.stop()
        about_ns = event.time_ns - self._stack.zeros_ns[self._index_of(event.widget)]
        self._look_at(self._stack.span.zoomed(ZOOM_STEP**event.steps, about_ns, self._whole), step=False)

    @on(Minimap.Jumped)
    def _jumped(self, event: Minimap.Jumped) -> None:
        event.stop()
        span = self._stack.span
        start_ns = event.time_ns - self._stack.zeros_ns[self._index_of(event.widget)] - span.length_ns // 2
        self._look_at(Span(start_ns, start_ns + span.length_ns), step=False)

    @on(TimeCanvas.Scrolled)
    def _scrolled(self, event: TimeCanvas.Scrolled) -> None:
        event.stop()
        index = self._index_of(event.widget)
        layout = self._view(index).canvas.arrangement
        self._tops[index] = min(max(layout.top + event.lines, 0), layout.last_top)
        self._show()

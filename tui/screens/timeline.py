"""Screen 2: what runs when. Lanes of host, devices and counters on one time axis; a cursor on events and idle times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from textual import on

from tui.errors import BadExpression
from tui.i18n import N_, _
from tui.messages import TimelineChanged
from tui.model.bare_names import bare
from tui.model.events import events_table, statistics_table
from tui.model.timeline import Timeline
from tui.model.window import time_of, window_of
from tui.screens.event_view import EventScreen, Listed
from tui.screens.frame import Frame
from tui.screens.history import History
from tui.screens.timeline_base import View
from tui.screens.timeline_details import event_facts
from tui.screens.timeline_filter import TimelineFilter
from tui.screens.timeline_source import Colour
from widgets.canvas import TimeCanvas
from widgets.canvas_mouse import TimeWidget
from widgets.gutter import TimeGutter
from widgets.minimap import Minimap
from widgets.tracks import Row
from widgets.viewport import ZOOM_STEP, Span

if TYPE_CHECKING:
    from tui.screens.taking import Taken

COLOURS: dict[str, Colour] = {"bands": "bands", "category": "category"}


class TimelineScreen(TimelineFilter):
    """The timeline."""

    FOOTER: ClassVar[tuple[str, ...]] = (
        "zoom_in", "pan_left", "focus", "link_forward", "to_table", "range", "find", "undo", "details", "reset",
    )  # fmt: skip

    LABELS: ClassVar[Mapping[str, str]] = {"focus": N_("fit"), "hide": N_("hide"), "choose": N_("lanes")}
    HELPS: ClassVar[Mapping[str, str]] = {
        "up": N_("lane up, down"), "left": N_("event before, after"), "page_up": N_("lanes: page up, down"),
        "first": N_("first, last event of the lane"), "goto": N_("go to a time or a name"),
        "open_item": N_("what it caused; its row in Ops"), "maximise": N_("all nested rows of the lane"),
        "aggregate": N_("figures by name, lane or range"), "notable_next": N_("same name: next, before"),
        "focus": N_("fit event or range"), "hide": N_("hide lane, bring all back"), "reset": N_("fit all"),
        "choose": N_("choose lanes"), "pin": N_("lane to the top"), "bigger": N_("zoom in, out"),
        "reference": N_("measure times from here"), "copy": N_("copy the event; its lane as TSV, CSV, …"),
        "export": N_("write the events of lane or range"), "find": N_("find a name"),
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._typed_ahead: list[str] = []

    def ready(self) -> None:
        """Takes the timeline if it is there, else asks for it."""
        self._time.canvas.focus()
        self._head.set_focused(False)
        self._arrange()
        self.app.need_timeline()
        if self.app.timeline is not None:
            self.timeline_changed(self.app.timeline)

    def do_open_item(self) -> None:
        """Where a large timeline was not read, asks again how much of it to read."""
        if self._timeline is None:
            self.app.need_timeline()
        else:
            super().do_open_item()

    def action_act(self, name: str) -> None:
        """Keys typed before the timeline is there wait for it."""
        waits = self._timeline is None and not self._failure[0] and not hasattr(Frame, f"do_{name}")
        if waits and hasattr(self, f"do_{name}"):
            self._typed_ahead.append(name)
        else:
            super().action_act(name)

    def timeline_changed(self, change: TimelineChanged) -> None:
        """Does what was typed ahead."""
        super().timeline_changed(change)
        self._tell_problem(change)
        typed_ahead, self._typed_ahead = self._typed_ahead, []
        for name in typed_ahead:
            super().action_act(name)

    def _tell_problem(self, change: TimelineChanged) -> None:
        """What could not be read, in one line; all of it stands in Files and `check`."""
        timeline = change.timeline
        if timeline is None or not timeline.complete or not timeline.problems:
            return
        first = timeline.problems[0]
        facts = (first.what, first.consequence, Path(first.path).name)
        self.app.tell(f" {self.app.glyphs.dot} ".join(fact for fact in facts if fact))

    def after_resize(self) -> None:
        """More lines of details where the terminal is tall."""
        self._arrange()
        self._in_view = None
        self._show()

    def session_closed(self) -> None:
        """Another profile comes."""
        self._timeline = self._rows = self._source = self._range = self._range_from = self._reference_ns = None
        self._failure = ("", "")
        self._marks = ()
        self._typed_ahead.clear()
        self._history = History(View(Span(0, 1)))

    def settings_changed(self) -> None:
        """Other bands."""
        self._make_source()
        self._show()

    def do_details(self) -> None:
        """Shows or hides the strip; without a timeline it holds the reason, and stays."""
        if self._timeline is None:
            return
        self._details_on = not self._details_on
        self._arrange()
        self.call_after_refresh(self._show)

    # ── tables and taking ────────────────────────────────────────────────────────────────────────────────────────────

    def do_to_table(self) -> None:
        """The events of the lane, or of the range, longest first."""
        events = self._events_here()
        if self._timeline is not None and len(events):
            table = events_table(self._timeline, events, self._share_ns)
            self.app.push_screen(EventScreen(table, self._listed(self._timeline, events)), self._event_chosen)

    def do_aggregate(self) -> None:
        """Figures per name of the lane, or of the range."""
        events = self._events_here()
        if self._timeline is not None and len(events):
            table = statistics_table(self._timeline, events, self._share_ns, self._window)
            self.app.push_screen(EventScreen(table, self._listed(self._timeline, None)), self._event_chosen)

    def _listed(self, timeline: Timeline, events: NDArray[np.int64] | None) -> Listed:
        title = self._lane.title if self._lane is not None else ""
        return Listed(title, timeline, self._scale, events, self._event_options())

    def _event_options(self) -> tuple[str, ...] | None:
        """Options of `table events` for the lane, or its part in the range; None where only some events are shown."""
        if self._lane is None or self._view.filter:
            return None
        part = self._range
        return ("--lane", self._lane.key, *(() if part is None else ("--range", f"@{part.start_ns}..@{part.end_ns}")))

    def _taken(self) -> Taken | None:
        """The events of the lane, or of the range, in the order of time."""
        from tui.screens.taking import Taken

        timeline, events = self._timeline, self._events_here()
        if timeline is None or not len(events):
            return None
        options = self._event_options()
        command = self.app.shell_command("table", "events", options=options) if options is not None else ""
        columns = bare(events_table(timeline, events, self._share_ns)).columns
        return Taken(columns, np.arange(len(events), dtype=np.intp), command, self._glyph_set, timeline.files)

    def do_copy_as(self) -> None:
        """Asks in which form to copy the events of the lane, or of the range."""
        from tui.screens.taking import copy_as

        taken = self._taken()
        if taken is not None:
            copy_as(self, taken)

    def do_export(self) -> None:
        """Asks for the file that the events of the lane, or of the range, are written to."""
        self.ask(_("export to") + " ", "events.csv", (), accept=self.command_export, note=".csv .tsv .md .json")

    def command_export(self, text: str) -> str:
        """Writes the events of the lane, or of the range; returns why it cannot, or empty."""
        from tui.screens.taking import export_rows

        taken = self._taken()
        return export_rows(self, taken, text) if taken is not None else _("there are no events here")

    def command_copy_command(self, _rest: str) -> str:
        """Copies the shell command that lists the events of the lane, or of the range."""
        options = self._event_options()
        if options is None:
            return _("no command lists what the filter leaves; 0 clears it")
        self.app.copy_text(self.app.shell_command("table", "events", options=options), _("command"))
        return ""

    def _event_chosen(self, event: int | None) -> None:
        if event is not None:
            self._to_event(event, step=True)

    def do_copy(self) -> None:
        """Copies what is known about the event."""
        timeline, event = self._timeline, self._view.event
        if timeline is None or event < 0:
            return
        lines = [timeline.name(event)]
        for known in event_facts(timeline, event, self._scale):
            texts = [piece.text.strip() for piece in known.value]
            lines.append(f"{known.label}\t{' '.join(text for text in texts if text)}")
        self.app.copy_text("\n".join(lines), _("event"))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def command_color(self, text: str) -> str:
        """Colours by band or by type of task; returns what is wrong, or empty."""
        if text not in COLOURS:
            return _("one of {names}").format(names=" ".join(COLOURS))
        self._colour_by = COLOURS[text]
        self._arrange()
        self.settings_changed()
        return ""

    def command_zoom(self, text: str) -> str:
        """Shows a time range such as 10ms..14ms; returns what is wrong, or empty."""
        try:
            window = window_of(text, self._origin_ns)
        except BadExpression as error:
            return error.message
        self._go(replace(self._view, span=Span(*window).clamped(self._whole)))
        return ""

    def command_goto(self, text: str) -> str:
        """Goes to a time or a name; returns why it cannot, or empty."""
        try:
            time_ns = time_of(text, self._origin_ns)
        except ValueError:
            return self._find(text)
        length = self._view.span.length_ns
        span = Span(time_ns - length // 2, time_ns - length // 2 + length).clamped(self._whole)
        event = self._event_near(self._view.lane, self._view.sub_row, time_ns)
        self._go(replace(self._view, span=span, event=event, gap=None))
        return ""

    def do_goto(self) -> None:
        """Asks for a time or a name."""
        self.ask("@", "", (), accept=self.command_goto, note=_("12.3ms or a name"))

    # ── mouse ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @on(TimeCanvas.Pressed)
    def _clicked(self, event: TimeCanvas.Pressed) -> None:
        event.stop()
        source = self._source
        if source is None or source.lane(event.row.lane) is None:
            return
        self._click_row(event.row, event.time_ns)
        if event.clicks > 1:
            self.do_open_item()

    def _click_row(self, row: Row, time_ns: int) -> None:
        gap = self._stop_at(row.lane, row.sub_row, time_ns)
        event = self._event_near(row.lane, row.sub_row, time_ns) if gap is None else -1
        self._go(replace(self._view, lane=row.lane, sub_row=row.sub_row, event=event, gap=gap), step=False)

    @on(TimeGutter.Pressed)
    def _lane_clicked(self, event: TimeGutter.Pressed) -> None:
        event.stop()
        source = self._source
        if source is None:
            return
        shown = source.lanes()[event.lane]
        if shown.kind == "group":
            closed = self._view.choice.closed ^ {shown.key}
            self._choose(replace(self._view.choice, closed=closed))
        else:
            self._enter_row(event.lane, 0)

    @on(TimeWidget.Zoomed)
    def _wheel(self, event: TimeWidget.Zoomed) -> None:
        event.stop()
        span = self._view.span.zoomed(ZOOM_STEP**event.steps, event.time_ns, self._whole)
        self._go(replace(self._view, span=span), step=False)

    @on(TimeCanvas.Scrolled)
    def _scrolled(self, event: TimeCanvas.Scrolled) -> None:
        event.stop()
        self._scroll_lanes(event.lines)

    @on(TimeGutter.Scrolled)
    def _titles_scrolled(self, event: TimeGutter.Scrolled) -> None:
        event.stop()
        self._scroll_lanes(event.lines)

    def _scroll_lanes(self, lines: int) -> None:
        """Other lanes come into view; the cursor stays where it is, and its next step brings it back into view."""
        layout = self._time.canvas.arrangement
        self._top = min(max(layout.top + lines, 0), layout.last_top)
        self._show()

    @on(TimeWidget.RangeDragged)
    def _dragged(self, event: TimeWidget.RangeDragged) -> None:
        event.stop()
        self._range, self._range_from = event.span, None
        if event.done:
            self._show()
        else:
            self._show_lanes()
            self.show_status()

    @on(Minimap.Jumped)
    def _jumped(self, event: Minimap.Jumped) -> None:
        event.stop()
        span = self._view.span
        start = event.time_ns - span.length_ns // 2
        self._go(replace(self._view, span=Span(start, start + span.length_ns).clamped(self._whole)), step=False)

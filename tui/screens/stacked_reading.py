"""Reads the timelines of both sides for the stacked view: in worker processes, with progress, question and cancel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import work

from tui.errors import BadExpression
from tui.i18n import _
from tui.loading import Loader
from tui.messages import LoadFailed, TimelineChanged, TimelineProgressed, TimelineTooLarge
from tui.model.window import window_of
from tui.screens.extent import not_read
from tui.screens.frame import Frame
from tui.screens.stacked_side import StackedSide
from tui.units import size_text
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from textual.message import Message

    from tui.readers.trace_glance import Glance
    from tui.session import Session

SIGNS = ("A", "B")


@dataclass
class Reading:
    """How far one side is."""

    session: Session
    loader: Loader | None = None
    progress: str = ""
    side: StackedSide | None = None
    reason: str = ""
    hint: str = ""
    glance: Glance | None = None
    """Of a timeline that is too large to be read without a question."""


class StackedReading(Frame):
    """The part of the screen that gets both timelines."""

    def __init__(self, sessions: tuple[Session, Session]) -> None:
        super().__init__()
        self._readings = (Reading(sessions[0]), Reading(sessions[1]))

    def side_came(self, index: int) -> None:
        """A timeline was read, or why not is known."""
        raise NotImplementedError

    def side_progressed(self, index: int) -> None:
        """A side is further."""
        raise NotImplementedError

    def begin(self) -> None:
        """Takes what is read already; reads the rest."""
        for index, reading in enumerate(self._readings):
            found = self.app.timeline if reading.session is self.app.session else None
            is_read = found is not None and found.timeline is not None and found.timeline.complete
            self._start(index, self.app.settings.trace_bytes, found if is_read else None)

    def _start(self, index: int, most_bytes: int | None, found: TimelineChanged | None = None) -> None:
        reading = self._readings[index]
        session = reading.session
        reading.reason = reading.hint = ""
        reading.glance, reading.progress = None, _("reading the timeline")
        loader = reading.loader = Loader(
            session.path, lambda message: self._heard(index, message), self.app.settings.cache_bytes
        )
        self.side_progressed(index)
        self._read(index, loader, session, most_bytes, found)

    @work(thread=True, group="stacked", exit_on_error=False, description="timelines")
    def _read(
        self, index: int, loader: Loader, session: Session, most_bytes: int | None, found: TimelineChanged | None
    ) -> None:
        if found is not None:
            self._heard(index, found)
        else:
            loader.read_timeline(session, most_bytes)

    def _heard(self, index: int, message: Message) -> None:
        """In the thread that reads: hands on what the screen has to know."""
        loader = self._readings[index].loader
        if not self.app.is_running or loader is None:
            return
        if isinstance(message, TimelineProgressed):
            self.app.call_from_thread(self._progressed, index, loader, message.text)
        elif isinstance(message, TimelineTooLarge):
            self.app.call_from_thread(self._too_large, index, loader, message.glance)
        elif isinstance(message, TimelineChanged) and (
            message.timeline is None or message.timeline.complete or loader.cancelled
        ):
            side = _side_of(message, self._readings[index].session)
            self.app.call_from_thread(self._came, index, loader, message, side)
        elif isinstance(message, LoadFailed):
            self.app.call_from_thread(self.app.tell, f"{SIGNS[index]}: {message.reason}")

    def _progressed(self, index: int, loader: Loader, text: str) -> None:
        reading = self._readings[index]
        if reading.loader is loader and text:
            reading.progress = text
            self.side_progressed(index)

    def _came(self, index: int, loader: Loader, change: TimelineChanged, side: StackedSide | None) -> None:
        reading = self._readings[index]
        if reading.loader is not loader or not self.is_attached:
            return
        reading.loader, reading.progress, reading.side = None, "", side
        if side is None:
            reading.reason, reading.hint = change.reason or _("the trace holds no events"), change.hint
        self.side_came(index)

    def _too_large(self, index: int, loader: Loader, found: Glance) -> None:
        reading = self._readings[index]
        if reading.loader is not loader:
            return
        change = not_read(found)
        reading.loader, reading.progress, reading.glance = None, "", found
        reading.reason, reading.hint = change.reason, change.hint
        self.side_came(index)
        self.ask_extent(index)

    # ── how much of a large one ──────────────────────────────────────────────────────────────────────────────────────

    def ask_extent(self, index: int) -> None:
        """Asks how much of a large timeline is read."""
        found = self._readings[index].glance
        if found is None:
            return

        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets and targets[0] == "all":
                self._start(index, None)
            elif targets and targets[0] == "part":
                self.ask(_("read") + " ", "0s..", (), accept=partial(self._read_part, index, found),
                         note=_("FROM..TO since the start"))  # fmt: skip

        items = [
            ChoiceItem("part", _("a part of the time"), ""),
            ChoiceItem("none", _("leave it unread"), ""),
            ChoiceItem("all", _("all of it"), size_text(found.bytes_total)),
        ]
        hints = [KeyHint("enter", _("read")), KeyHint("esc", _("leave it unread"))]
        title = _("the timeline of {side} has {size}").format(side=SIGNS[index], size=size_text(found.bytes_total))
        note = _("trace_mib in config.toml raises the size from which on this is asked")
        self.app.push_screen(ChoiceOverlay(title, items, note=note, hints=hints), chosen)

    def _read_part(self, index: int, found: Glance, text: str) -> str:
        try:
            window = window_of(text, found.start_ns)
        except BadExpression as error:
            return error.message
        reading = self._readings[index]
        reading.session = reading.session.windowed(window)
        self._start(index, None)
        return ""

    def do_cancel(self) -> None:
        """Stops reading; what was read of it is shown."""
        going_on = [reading.loader for reading in self._readings if reading.loader is not None]
        for loader in going_on:
            loader.cancel()
        if going_on:
            self.app.tell(_("stopped"))
        else:
            super().do_cancel()

    def on_unmount(self) -> None:
        """Nothing goes on behind a closed screen."""
        for reading in self._readings:
            if reading.loader is not None:
                reading.loader.abandon()


def _side_of(change: TimelineChanged, session: Session) -> StackedSide | None:
    """The timeline with what is looked up in it; takes a moment where it is large."""
    timeline, rows = change.timeline, change.rows
    if timeline is None or rows is None or not len(timeline):
        return None
    return StackedSide(timeline, rows, session.within.window if session.within is not None else None)

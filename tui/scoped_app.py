"""What is looked at of the open path: profile, device, iterations, part of the time; and the way back to what was."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import App

from tui.config import Settings
from tui.i18n import _
from tui.messages import TableChanged, TimelineChanged, TimelineProgressed, TimelineTooLarge
from tui.screens.frame import Frame
from tui.screens.history import History

if TYPE_CHECKING:
    from tui.loading import Loader
    from tui.model.iterations import StepScope
    from tui.overview import OverviewData
    from tui.session import Session
    from widgets.glyphs import GlyphSet


class ScopedApp(App[int], inherit_bindings=False):
    """The open session and its timeline. The application built on it reads the tables."""

    settings: Settings
    glyphs: GlyphSet
    overview: OverviewData | None = None
    path: Path
    _loader: Loader
    _opened_s: float

    def __init__(self, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.session: Session | None = None
        self.tables: dict[str, TableChanged] = {}
        self.timeline: TimelineChanged | None = None
        self.timeline_progress = ""
        self._timeline_wanted = False
        self._scopes: History[Session | None] = History(None)
        """What was looked at of the path: devices, iterations."""
        self._iterations_wanted: str | None = None
        """Iterations that were asked for before the timeline, which tells them apart, was there."""

    def tell(self, text: str) -> None:
        """Shows a message."""
        raise NotImplementedError

    def clear_message(self) -> None:
        """The status line shows the screen's own text again."""
        raise NotImplementedError

    @property
    def frame(self) -> Frame | None:
        """The screen below any overlay."""
        raise NotImplementedError

    def _tell_frames(self, tell: Callable[[Frame], None]) -> None:
        raise NotImplementedError

    def _new_loader(self) -> None:
        raise NotImplementedError

    def _read_tables(self) -> None:
        raise NotImplementedError

    def scope(self, device: str | None = None, iteration: str | None = None, profile: int | None = None) -> None:
        """Looks at another device, iteration or profile of the same path."""
        if self.session is not None:
            self._scopes.push(self.session.scoped(profile, device, iteration))
            self._look_again(keep_timeline=False)

    def limit(self, within: StepScope | None) -> None:
        """Looks only at some iterations of the same files; None looks at the whole run."""
        if self.session is not None and within != self.session.within:
            self._scopes.push(self.session.limited(within))
            self._look_again(keep_timeline=True)

    @property
    def can_undo_scope(self) -> bool:
        """Whether something else was looked at before."""
        return self._scopes.can_undo

    @property
    def can_redo_scope(self) -> bool:
        """Whether there is a scope that was undone."""
        return self._scopes.can_redo

    def undo_scope(self) -> None:
        """Back to the device and iterations looked at before."""
        self._step_scope(self._scopes.undo())

    def redo_scope(self) -> None:
        """The undone scope again."""
        self._step_scope(self._scopes.redo())

    def _step_scope(self, session: Session | None) -> None:
        if session is not None and self.session is not None and session is not self.session:
            self._look_again(keep_timeline=session.has_files_of(self.session))

    def _look_again(self, keep_timeline: bool) -> None:
        """Shows the current scope: its tables come again, the timeline stays where it is of the same files."""
        timeline = self.timeline if keep_timeline and not self.timeline_progress else None
        self._new_loader()
        self.session, self.timeline = self._scopes.current, timeline
        self._opened_s = time.monotonic()
        self.tables.clear()
        self.overview = None
        if timeline is not None:
            self._tell_frames(lambda frame: frame.scope_changed())
        else:
            self._tell_frames(lambda frame: frame.session_closed())
        self._read_tables()

    def find_iterations(self, text: str) -> None:
        """Looks for iterations in the timeline, which is read first, and in the step trace.

        Args:
            text: Those wanted; empty asks which ones.
        """
        self.need_timeline()
        self._iterations_wanted = text
        if self.timeline is None or self.timeline_progress:
            self.tell(_("reading the timeline, which tells iterations apart"))
        else:
            self._go_on_finding()

    def _go_on_finding(self) -> None:
        text, self._iterations_wanted = self._iterations_wanted, None
        if text is not None and self.session is not None:
            self._find_steps(self._loader, self.session, text)

    @work(thread=True, group="iterations", exit_on_error=False, description="iterations")
    def _find_steps(self, loader: Loader, session: Session, text: str) -> None:
        from tui.screens.scopes import iterations_found

        steps, run = loader.steps(session)
        self.call_from_thread(iterations_found, self, steps, run, text)

    # ── the timeline ─────────────────────────────────────────────────────────────────────────────────────────────────

    def need_timeline(self) -> None:
        """Reads the timeline, unless it is read or being read; asks first how much of a very large one."""
        self._timeline_wanted = True
        self.begin_timeline()

    def begin_timeline(self) -> None:
        """The same for what is looked at now only: the next one is not read for it."""
        if self.session is not None and self.timeline is None and not self.timeline_progress:
            self.timeline_progress = _("reading the timeline")
            self._read_timeline(self._loader, self.session)

    @work(thread=True, group="timeline", exit_on_error=False, description="timeline")
    def _read_timeline(self, loader: Loader, session: Session) -> None:
        loader.read_timeline(session, self.settings.trace_bytes)

    @on(TimelineTooLarge)
    def _timeline_too_large(self, message: TimelineTooLarge) -> None:
        from tui.screens.extent import ask_extent, not_read

        self.timeline_progress, self._timeline_wanted = "", False
        self._tell_frames(lambda frame: frame.timeline_changed(not_read(message.glance)))
        ask_extent(self, message.glance)

    @property
    def _lacks_split(self) -> bool:
        """Whether the Overview could not tell where the time went."""
        return self.overview is not None and self.overview.split is None

    @work(thread=True, group="overview", exit_on_error=False, description="overview")
    def _tell_overview(self, loader: Loader, session: Session) -> None:
        loader.tell_overview(session)

    def need_split(self) -> None:
        """Where no operators tell where the time went, the timeline may; a large one is not read only for that."""
        session = self.session
        if self._lacks_split and session is not None and self.timeline is None and session.trace_files():
            self.need_timeline()

    def read_part(self, window: tuple[int, int] | None, device: str | None = None) -> None:
        """Reads the timeline, however large it is: of a part of the time where one is given, of one device if named."""
        if self.session is not None:
            session = self.session.windowed(window)
            session.choose(device=device)
            self._scopes.push(session)
            self._timeline_wanted = True
            self._look_again(keep_timeline=False)

    def read_tables_only(self) -> None:
        """Leaves a large timeline unread."""
        self._go_on_finding()

    @on(TimelineChanged)
    def _timeline_changed(self, message: TimelineChanged) -> None:
        self.timeline = message
        if message.timeline is None:
            self.timeline_progress = ""
        elif message.timeline.complete and self._lacks_split and self.session is not None:
            self._tell_overview(self._loader, self.session)
        self._tell_frames(lambda frame: frame.timeline_changed(message))
        if not self.timeline_progress:
            self._go_on_finding()

    @on(TimelineProgressed)
    def _timeline_progressed(self, message: TimelineProgressed) -> None:
        self.timeline_progress = message.text
        if not message.text:
            self._go_on_finding()
        frame = self.frame
        if self.is_running and frame is not None and frame.is_attached:
            frame.show_status()

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def shell_command(self, *words: str, options: Sequence[str] = ()) -> str:
        """A command about the open profile, limited to what is looked at, quoted for a shell."""
        session = self.session
        target = str(self.path) if session is None else session.target
        scope = () if session is None else session.scope_options
        return shlex.join(["npuscope", *words, target, *options, *scope])

    def command_profile(self, text: str) -> str:
        """Chooses one of several profiles at the path; returns why it cannot, or empty."""
        count = len(self.session.profiles) if self.session is not None else 0
        if text.isdigit() and 1 <= int(text) <= count:
            self.scope(profile=int(text) - 1)
            return ""
        if text or count < 2:
            return _("there is one profile here") if count < 2 else _("a number from 1 to {n}").format(n=count)
        from tui.dialogs import choose_profile

        choose_profile(self)
        return ""

    def command_device(self, text: str) -> str:
        """Looks at one device; returns why it cannot, or empty."""
        session = self.session
        known = [device.id for device in session.profile.devices] if session is not None else []
        wanted = "" if text in ("", "all") else text
        if wanted and wanted not in known:
            return _("no device {device}; there is {known}").format(device=wanted, known=", ".join(known) or _("none"))
        self.scope(device=wanted)
        return ""

    def command_iter(self, text: str) -> str:
        """Looks only at some iterations; without a text asks which ones. Returns why it cannot, or empty."""
        from tui.screens.scopes import choose_iterations

        return choose_iterations(self, text)

    def command_window(self, text: str) -> str:
        """Reads a part of the time of the timeline, or all of it; without a text asks. Returns why it cannot."""
        from tui.screens.extent import choose_extent

        return choose_extent(self, text)

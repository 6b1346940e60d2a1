"""The application: one screen per mode, opening of profiles, routing of what arrives to the screens.

Only what the first frame needs is imported here; screens with tables, numpy and the readers come after it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from tui.config import UNITS, LoadedSettings, cache_dir, config_dir, log_file
from tui.guided_app import GuidedApp
from tui.i18n import _, set_language
from tui.keymap import load_keymap
from tui.loading import Loader
from tui.messages import (
    LoadFailed,
    OpenFailed,
    OverviewReady,
    RowsCounted,
    SessionOpened,
    TableChanged,
)
from tui.screens.frame import Frame
from tui.screens.history import History
from tui.screens.overview import OverviewScreen
from tui.state import load_state
from widgets.glyphs import GLYPH_SETS, GlyphSet
from widgets.memory import settle_memory
from widgets.overlay import Overlay
from widgets.roles import dress
from widgets.theme import PALETTES

if TYPE_CHECKING:
    from tui.model.dump import CompareRequest
    from tui.model.machine import Machine
    from tui.overview import OverviewData
    from tui.screens.run_page import JobRow
    from tui.screens.run_start import Wish
    from tui.session import Session
    from tui.terminal import Probe
    from tui.units import TimeChoice

MODES_BY_DIGIT = {
    "1": "overview", "2": "timeline", "3": "ops", "4": "apis", "5": "findings", "6": "compare", "7": "dump",
    "8": "run", "9": "files",
}  # fmt: skip
"""Digit → mode of the screens."""

EXIT_FAULT = 70
MESSAGES_KEPT = 200
MANY_ROWS = 60_000
ROWS_FIRST_S = 0.3
QUIT_WITHIN_S = 2.0
"""A second ctrl-c within this time offers to quit."""


def _timeline() -> Screen[None]:
    from tui.screens.timeline import TimelineScreen

    return TimelineScreen()


def _ops() -> Screen[None]:
    from tui.screens.ops import OpsScreen

    return OpsScreen()


def _apis() -> Screen[None]:
    from tui.screens.apis import ApisScreen

    return ApisScreen()


def _findings() -> Screen[None]:
    from tui.screens.findings import FindingsScreen

    return FindingsScreen()


def _compare() -> Screen[None]:
    from tui.screens.compare import CompareScreen

    return CompareScreen()


def _dump() -> Screen[None]:
    from tui.screens.dump import DumpScreen

    return DumpScreen()


def _run() -> Screen[None]:
    from tui.screens.run import RunScreen

    return RunScreen()


def _files() -> Screen[None]:
    from tui.screens.files import FilesScreen

    return FilesScreen()


class NpuscopeApp(GuidedApp, inherit_bindings=False):
    """npuscope in a terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "npuscope"
    ENABLE_COMMAND_PALETTE = False
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "overview": OverviewScreen, "timeline": _timeline, "ops": _ops, "apis": _apis, "findings": _findings,
        "compare": _compare, "dump": _dump, "run": _run, "files": _files,
    }  # fmt: skip
    DEFAULT_MODE = "overview"

    def __init__(
        self, path: Path, loaded: LoadedSettings, glyphs: GlyphSet | None = None, scope: Mapping[str, str] | None = None
    ) -> None:
        """
        Args:
            scope: `device`, `window` and `iter` as typed: what is looked at first.
        """
        palette = PALETTES[chosen_palette(loaded.settings.colors)]
        super().__init__(ansi_color=None if palette.colours else True)
        self.path = path
        self.settings = loaded.settings
        self.bands = self.settings.bands
        self.units = self.settings.units
        self.overview: OverviewData | None = None
        self.failure: OpenFailed | None = None
        self.message_line = ""
        self.messages_shown: list[str] = []
        self.user_keys = load_keymap(config_dir() / "keys.toml")
        self.row_counts: dict[str, int] = {}
        self.prompt_history: dict[str, list[str]] = {}
        self.dump_request: CompareRequest | None = None
        """The dumps that the Dump screen compares, or is to compare."""
        self.job_rows: list[JobRow] = []
        """All jobs as they were seen last, newest first."""
        self.machine: Machine | None = None
        """NPUs, tools and disks; None until they were looked at."""
        self.run_wish: Wish | None = None
        self.run_line = ""
        """What the Run screen is to fill in: from a screen, or from a command line."""
        self._frames: list[Frame] = []
        self._loader = Loader(path, self.post_message, self.settings.cache_bytes)
        self._scope = dict(scope or {})
        self._loads_left = 0
        self._opened_s = time.monotonic()
        self.read_s = 0.0
        self._last_cancel_s = float("-inf")
        self._mouse_on = True
        self.typed_before = ""
        """Keys that came while the terminal was asked, as it sent them."""
        self.input_method_told = False
        self._start_problems = (*loaded.problems, *self.user_keys.problems)
        self.state = load_state()
        self.glyphs = glyphs or chosen_glyphs(self.settings.glyphs)
        dress(self, palette, self.glyphs)

    # ── start ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_mount(self) -> None:
        """Applies the user's keys; the reading starts after the first frame."""
        self.set_keymap({name: ",".join(keys) for name, keys in self.user_keys.keys.items()})
        for problem in self._start_problems:
            self.tell(problem)
        loop = asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(ending, self._ended_by, ending)
        self.call_after_refresh(self._start)
        self._take_typed()

    def _take_typed(self) -> None:
        """Does what was typed before there was a screen, as if it came from the terminal now."""
        from textual._xterm_parser import XTermParser

        if self.typed_before and self._driver is not None:
            for message in XTermParser().feed(self.typed_before):
                self._driver.process_message(message)

    def on_unmount(self) -> None:
        """Nothing of ours outlives the program."""
        from tui.store.workers import stop_spare

        self._loader.cancel()
        stop_spare()
        self.state.save()

    def _ended_by(self, ending: signal.Signals) -> None:
        """The terminal is put back before the program ends."""
        self.exit(128 + ending, return_code=128 + ending)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours: the traceback goes to the log, one sentence to the user, after the screen is put back."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        text = _("npuscope stopped by a fault of its own ({error}); details in {log}")
        message = text.format(error=type(error).__name__, log=log_fault(error))
        self.exit(EXIT_FAULT, return_code=EXIT_FAULT, message=message)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """A thread that fails is told, and does not take the screen with it."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            text = _("{work} failed by a fault of npuscope ({error}); details in {log}")
            self.tell(text.format(work=event.worker.group, error=type(error).__name__, log=log_fault(error)))

    def _start(self) -> None:
        from tui.store.workers import prepare

        prepare()
        settle_memory(collect=False)
        self._open_profile(self._loader)
        self._warm_worker()

    @work(thread=True, group="warm", exit_on_error=False, description="warm")
    def _warm_worker(self) -> None:
        """A worker process waits for the first table."""
        from tui.store.workers import warm

        warm()

    def open_path(self, path: Path) -> None:
        """Leaves what is open and reads `path`."""
        self.path = path
        self.session = self.overview = self.failure = None
        self.tables.clear()
        self.row_counts.clear()
        self._opened_s, self.read_s = time.monotonic(), 0.0
        self._new_loader()
        self._open_profile(self._loader)
        self._tell_frames(lambda frame: frame.session_closed())

    def _new_loader(self) -> None:
        self.timeline, self.timeline_progress, self._iterations_wanted = None, "", None
        self.forget_findings()
        self._loader.abandon()
        self._loader = Loader(self.path, self.post_message, self.settings.cache_bytes)

    @work(thread=True, group="open", exit_on_error=False, description="open")
    def _open_profile(self, loader: Loader) -> None:
        loader.open(self._scope.pop("device", ""), self._scope.pop("window", ""))

    @on(SessionOpened)
    def _session_opened(self, message: SessionOpened) -> None:
        self.session = message.session
        self._scopes = History(message.session)
        self.state.opened(self.path)
        self._tell_frames(lambda frame: frame.session_opened(message.session))
        self._read_tables()
        iterations = self._scope.pop("iter", "")
        problem = self.command_iter(iterations) if iterations else ""
        if problem:
            self.tell(problem)
        elif len(message.session.profiles) > 1:
            self.command_profile("")

    def _read_tables(self) -> None:
        """Reads the tables of the session, operators beside the rest."""
        if self.session is not None:
            if self._timeline_wanted:
                self.need_timeline()
            self._loads_left = 2
            self._read_rows(self._loader, self.session)
            self._read_rest(self._loader, self.session)

    @work(thread=True, group="rows", exit_on_error=False, description="rows")
    def _read_rows(self, loader: Loader, session: Session) -> None:
        loader.read_rows(session)
        self.call_from_thread(self._one_load_done, loader, session)

    @work(thread=True, group="rest", exit_on_error=False, description="rest")
    def _read_rest(self, loader: Loader, session: Session) -> None:
        loader.read_rest(session)
        self.call_from_thread(self._one_load_done, loader, session)

    @work(thread=True, group="finish", exit_on_error=False, description="finish")
    def _finish(self, loader: Loader, session: Session) -> None:
        loader.finish(session)

    def _one_load_done(self, loader: Loader, session: Session) -> None:
        if loader is self._loader:
            self._loads_left -= 1
            if self._loads_left == 0:
                self._finish_after_rows(loader, session)

    def _finish_after_rows(self, loader: Loader, session: Session) -> None:
        """What follows the rows goes over all of them: where they are many, they are shown first."""
        if any(change.table is not None and change.table.row_count > MANY_ROWS for change in self.tables.values()):
            self.set_timer(ROWS_FIRST_S, lambda: self._finish_unless_closed(loader, session))
        else:
            self._finish(loader, session)

    def _finish_unless_closed(self, loader: Loader, session: Session) -> None:
        if loader is self._loader:
            self._finish(loader, session)

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    @on(LoadFailed)
    def _load_failed(self, message: LoadFailed) -> None:
        text = _("reading stopped: {reason} - the rows read so far stay, R reads again ({file})")
        self.tell(text.format(file=message.file, reason=message.reason))

    @on(TableChanged)
    def _table_changed(self, message: TableChanged) -> None:
        self.tables[message.kind] = message
        self._tell_frames(lambda frame: frame.table_changed(message))

    @on(OverviewReady)
    def _overview_ready(self, message: OverviewReady) -> None:
        self.overview = message.data
        self.read_s = time.monotonic() - self._opened_s
        self._tell_frames(lambda frame: frame.overview_ready())
        self.need_split()

    def event_args(self, event: int) -> dict[str, object]:
        """Arguments of one event, read from its place in the file; empty when they cannot be read."""
        from tui.readers.timelines import read_args

        timeline = self.timeline.timeline if self.timeline is not None else None
        if timeline is None:
            return {}
        try:
            return read_args(timeline, event)
        except (OSError, ValueError):
            return {}

    @on(RowsCounted)
    def _rows_counted(self, message: RowsCounted) -> None:
        """The last that comes of a profile: the next one finds a worker waiting."""
        self.row_counts.update(message.rows)
        self._tell_frames(lambda frame: frame.overview_ready())
        settle_memory()
        self._warm_worker()

    @on(OpenFailed)
    def _open_failed(self, message: OpenFailed) -> None:
        self.failure = message
        self._tell_frames(lambda frame: frame.open_failed(message))

    async def on_key(self, event: events.Key) -> None:
        """A key typed ahead: it was on its way to a pane while the key before it opened an overlay or the prompt."""
        if isinstance(self.screen, Overlay):
            self.screen.on_key(event)
        elif isinstance(self.screen, Frame) and self.screen.prompt.display:
            await self.screen.prompt.on_key(event)

    def register_frame(self, frame: Frame) -> None:
        """A screen was mounted: it hears what arrives from now on."""
        self._frames.append(frame)

    def _tell_frames(self, tell: Callable[[Frame], None]) -> None:
        """Not while the program ends: what screens consist of goes before they do."""
        for frame in self._frames:
            if self.is_running and frame.is_attached:
                tell(frame)
                if frame is self.frame:
                    frame.show_frame()

    # ── what screens ask ─────────────────────────────────────────────────────────────────────────────────────────────

    def title_facts(self, wide: bool) -> tuple[str, list[str]]:
        """Name of the profile and facts about it."""
        if self.session is None:
            return self.path.name or str(self.path), []
        profile = self.session.profile
        name = profile.environment.process_name or profile.name
        folder = profile.name if wide else "_".join(profile.name.split("_")[:2])
        return name, [*([folder] if name != profile.name else []), *self.session.facts(), *self.baseline_facts()]

    def go(self, digit: str) -> None:
        """Goes to the screen of a digit."""
        mode = MODES_BY_DIGIT[digit]
        if mode != self.current_mode:
            self.clear_message()
            self.switch_mode(mode)
        self.did(digit)

    def tell(self, text: str) -> None:
        """Shows a message in the status line and keeps it for `:log`."""
        self.message_line = text
        self.messages_shown.append(text)
        del self.messages_shown[:-MESSAGES_KEPT]
        frame = self.frame
        if self.is_running and frame is not None and frame.is_attached:
            frame.show_status()

    def clear_message(self) -> None:
        """The status line shows the screen's own text again."""
        self.message_line = ""

    @property
    def frame(self) -> Frame | None:
        """The screen below any overlay."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Frame)), None)

    @property
    def time_choice(self) -> TimeChoice:
        """Unit of times on screens."""
        return self.units  # type: ignore[return-value]

    def settings_changed(self) -> None:
        """Bands or units are others now: every screen shows its numbers anew."""
        self._tell_frames(lambda frame: frame.settings_changed())

    def run_changed(self) -> None:
        """Jobs went on, or the machine was looked at: every screen that shows them does so anew."""
        self._tell_frames(lambda frame: frame.run_changed())

    def follow(self, digit: str, target: str) -> None:
        """Goes to a screen and lets it show what `target` means."""
        self.go(digit)
        frame = self.frame
        if frame is None or not target:
            return
        if frame.is_ready:
            frame.follow(target)  # at once, so that the next key finds it done
        else:
            frame.call_after_refresh(frame.follow, target)

    def offer_dumps(self, under_test: Path, golden: Path) -> None:
        """What the Dump screen compares when it is first looked at."""
        from tui.model.dump import CompareRequest

        self.dump_request = CompareRequest(str(under_test), str(golden))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def command_open(self, text: str) -> str:
        """Opens a path; returns why it cannot, or empty."""
        path = Path(os.path.expanduser(text.strip()))
        if not text.strip() or not path.exists():
            return _("does not exist: {path}").format(path=text.strip() or _("nothing"))
        self.open_path(path)
        return ""

    def command_dump(self, text: str) -> str:
        """Compares two dumps, or shows a comparison table; without a text asks. Returns why it cannot, or empty."""
        from tui.screens.dump_opening import open_dumps

        return open_dumps(self, text)

    def command_run(self, text: str) -> str:
        """Fills in a job; without a text asks which. Returns why it cannot, or empty."""
        from tui.screens.run_commands import run_line

        return run_line(self, text)

    def command_jobs(self, _rest: str) -> str:
        """Goes to the list of jobs."""
        self.go("8")
        return ""

    def command_stop(self, text: str) -> str:
        """Stops a job after a question; returns why it cannot, or empty."""
        from tui.screens.run_commands import stop_job

        return stop_job(self, text)

    def command_forget(self, text: str) -> str:
        """Takes a job from the list after a question; returns why it cannot, or empty."""
        from tui.screens.run_commands import forget_job

        return forget_job(self, text)

    def command_acl_json(self, text: str) -> str:
        """Writes an `acl.json` that dumps operators; returns why it cannot, or empty."""
        from tui.screens.dump_opening import write_acl_json

        return write_acl_json(self, text)

    def command_bands(self, text: str) -> str:
        """Sets the limits of the bands; returns what is wrong, or empty."""
        try:
            low, high = (float(word.rstrip("%")) for word in text.replace(",", " ").split())
        except ValueError:
            return _("two shares in percent, such as :bands 20 50")
        if not 0 < low < high <= 100:
            return _("the first share must be below the second, both within 0 and 100")
        self.bands = (low, high)
        self.settings_changed()
        return ""

    def command_units(self, text: str) -> str:
        """Sets the unit of times; returns what is wrong, or empty."""
        if text not in UNITS:
            return _("one of {names}").format(names=" ".join(UNITS))
        self.units = text
        self.settings_changed()
        return ""

    def choose_next_units(self) -> None:
        """Times in the next unit, on every screen."""
        self.units = UNITS[(UNITS.index(self.units) + 1) % len(UNITS)]
        self.tell(_("times in {unit}").format(unit=self.units))
        self.settings_changed()

    def command_report(self, text: str) -> str:
        """Writes the report to a file; returns why it cannot, or empty."""
        from tui.report_file import write_report

        return write_report(self, text)

    def command_keys(self, _rest: str) -> str:
        """What the terminal sends for a key, and what it does."""
        from tui.dialogs import show_key_test

        show_key_test(self)
        return ""

    def command_log(self, _rest: str) -> str:
        """The last messages."""
        from tui.dialogs import show_messages

        show_messages(self)
        return ""

    def command_about(self, _rest: str) -> str:
        """Version, terminal, folders."""
        from tui.dialogs import show_about

        show_about(self)
        return ""

    def command_quit(self, _rest: str) -> str:
        """Ends the program; asks what becomes of jobs that run."""
        from tui.screens.quitting import ask_quit

        ask_quit(self, asks_always=False)
        return ""

    @property
    def is_loading(self) -> bool:
        """Whether a worker process is reading."""
        return self._loader.is_busy

    # ── leaving ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def cancel_or_quit(self) -> None:
        """Stops the running load; the second time within two seconds offers to quit."""
        now_s = time.monotonic()
        again = now_s - self._last_cancel_s < QUIT_WITHIN_S
        self._last_cancel_s = now_s
        if again:
            self.ask_quit()
        elif self._loader.is_busy or self.is_judging:
            self._loader.cancel()
            self.stop_judging()
            self.tell(_("stopped; the rows read so far stay"))
        else:
            self.tell(_("nothing is loading; ctrl-c again offers to quit"))

    def ask_quit(self) -> None:
        """Leaves after a confirmation."""
        from tui.screens.quitting import ask_quit

        ask_quit(self)

    def leave(self) -> None:
        """Ends the program."""
        self._loader.cancel()
        self.exit(0)

    def toggle_mouse(self) -> None:
        """Gives the mouse to the terminal's own selection, or takes it back."""
        driver = self._driver
        if driver is None:
            return
        self._mouse_on = not self._mouse_on
        name = "_enable_mouse_support" if self._mouse_on else "_disable_mouse_support"
        getattr(driver, name, lambda: None)()
        self.tell(
            _("the mouse belongs to npuscope")
            if self._mouse_on
            else _("the mouse belongs to the terminal; M takes it back")
        )

    def copy_text(self, text: str, what: str) -> None:
        """Copies to the terminal's clipboard where it listens, and always to a file."""
        from tui.clipboard import inside_tmux, keep_copy, osc52

        try:
            where = _("also in {path}").format(path=keep_copy(text, cache_dir()))
        except OSError as error:
            where = _("no file: {reason}").format(reason=error.strerror or error)
        sequence = osc52(text, inside_tmux())
        if sequence and self._driver is not None:
            self._driver.write(sequence)
        elif not sequence:
            where = _("too long for the terminal's clipboard, {where}").format(where=where)
        self.tell(_("copied {what} ({where})").format(what=what, where=where))


def chosen_glyphs(name: str, is_wide: bool | None = None) -> GlyphSet:
    """The glyph set of a setting; `auto` goes by the output encoding and by what the terminal answered.

    Args:
        is_wide: Whether the terminal draws ambiguous characters two cells wide; None when that is not known.
    """
    encoding = (getattr(sys.__stderr__, "encoding", None) or "utf-8").lower()
    utf8 = encoding.replace("-", "") == "utf8"
    if name == "auto":
        name = "ascii" if not utf8 else "braille" if is_wide else "blocks"
    return GLYPH_SETS[name].for_encoding(encoding)


def chosen_palette(colors: str) -> str:
    """The palette of a setting; `auto` goes by the terminal."""
    if colors in ("16", "mono"):
        return colors
    if colors == "auto" and os.environ.get("TERM", "") in (
        "linux",
        "xterm",
        "screen",
        "vt100",
        "ansi",
        "xterm-16color",
    ):
        return "16"
    return "256"


def log_fault(error: BaseException) -> Path:
    """Appends a traceback to the log file; returns the file."""
    path = log_file()
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
            traceback.print_exception(type(error), error, error.__traceback__, file=log)
    except OSError:
        return Path(os.devnull)
    return path


def run(
    path: Path,
    loaded: LoadedSettings,
    probe: Probe | None = None,
    scope: Mapping[str, str] | None = None,
    dumps: tuple[Path, Path] | None = None,
) -> int:
    """Runs the viewer until the user leaves. Returns the exit code.

    Args:
        probe: A question to the terminal that is on its way.
        scope: What is looked at first, as typed.
        dumps: The run under test and the golden one, for the Dump screen.
    """
    set_language(None if loaded.settings.lang == "auto" else loaded.settings.lang)
    set_color_system(chosen_palette(loaded.settings.colors))
    glyphs = chosen_glyphs(loaded.settings.glyphs, probe.is_wide() if probe else None)
    app = NpuscopeApp(path, loaded, glyphs, scope)
    app.typed_before = probe.typed if probe else ""
    if dumps is not None:
        app.offer_dumps(*dumps)
    result = app.run(mouse=True)
    return result if result is not None else app.return_code or 0


def set_color_system(palette: str) -> None:
    """Tells Textual how many colours to send; must happen before the application is made."""
    from textual import constants

    system = {"16": "standard", "mono": "standard"}.get(palette, "256")
    constants.__dict__["COLOR_SYSTEM"] = system

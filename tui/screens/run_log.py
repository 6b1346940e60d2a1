"""The log of a job as it grows: steps, state, lines with their errors, find; bounded memory however long it is."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import on, work
from textual.widget import Widget

from tui.i18n import N_, _, ngettext
from tui.job_report import kind_text
from tui.model.jobs import Job
from tui.model.text import shown
from tui.screens.file_asking import ask_file, take_file, written
from tui.screens.run_base import RunFrame
from tui.screens.run_page import state_pieces, steps_line
from tui.screens.run_pins import toggle_pin
from tui.tools.command_line import command_text
from tui.tools.following import Following, Glance
from tui.tools.log_file import LogLine
from tui.tools.log_lines import lines_of
from tui.tools.progress import STEP_NAMES
from tui.units import number_text
from widgets.frame import KeyHint
from widgets.logpane import LogRow, LogView
from widgets.panes import HeadLine, Lines
from widgets.pieces import Piece

LOOK_S = 0.3
_ROLES = {"error": "error", "warn": "warn", "": ""}


class Look(NamedTuple):
    """What a thread saw."""

    glance: Glance
    lines: int
    first: int
    rows: list[LogRow]
    errors: int
    warnings: int


class LogScreen(RunFrame):
    """The log of one job, above the list of jobs."""

    LABELS: ClassVar[Mapping[str, str]] = {
        "reset": N_("tail"), "notable_next": N_("errors"), "close": N_("back"), "undo": N_("jobs"),
    }  # fmt: skip
    HELPS: ClassVar[Mapping[str, str]] = {
        "reset": N_("follow the end"), "notable_next": N_("error line: next, back"),
        "up": N_("line up, down"), "first": N_("first line; end, followed"), "left": N_("scroll sideways"),
        "copy": N_("copy the line"), "export": N_("write the log to a file"),
        "pin": N_("pin the job, let it go"), "undo": N_("back to the jobs"),
        "find_next": N_("hit, without a search error: next, back"),
    }  # fmt: skip
    FOOTER = ("reset", "notable_next", "find", "copy", "export", "run", "undo", "screen")

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job_before = job
        self._following = Following(job)
        self._lock = threading.Lock()
        self._seen: Look | None = None
        self._is_looking = False
        self._pattern = ""

    def compose_panes(self) -> Iterable[Widget]:
        """Steps and state above the lines."""
        yield Lines(id="log-steps")
        yield HeadLine(id="log-head")
        yield LogView(id="log")

    def ready(self) -> None:
        """Looks at once and then again and again."""
        self._view.focus()
        self.query_one("#log-head", HeadLine).set_focused(True)
        self.set_interval(LOOK_S, self._poll)
        self._poll()

    @property
    def _view(self) -> LogView:
        return self.query_one("#log", LogView)

    def chosen_job(self) -> Job:
        """The job whose log it is."""
        return self._seen.glance.job if self._seen is not None else self._job_before

    def _poll(self) -> None:
        over = self._seen is not None and not self._seen.glance.job.is_live
        if not self._is_looking and not over and self.is_current:
            self._look_now()

    @on(LogView.Wanted)
    def _wanted(self, event: LogView.Wanted) -> None:
        event.stop()
        if isinstance(event, LogView.Moved):
            self.show_frame()
            self._show_head()
        elif not self._is_looking:
            self._look_now()

    def _look_now(self) -> None:
        self._is_looking = True
        self._look(*self._view.wanted(), self._view.follows)

    @work(thread=True, group="log", exit_on_error=False, description="log")
    def _look(self, first: int, count: int, follows: bool) -> None:
        seen: Look | None = None
        try:
            with self._lock:
                seen = self._seen_now(first, count, follows)
        finally:
            self.app.call_from_thread(self._came, seen)

    def _seen_now(self, first: int, count: int, follows: bool) -> Look:
        """Reads what is new, and the lines that are needed."""
        log = self._following.log
        glance = self._following.look()
        while not glance.job.is_live and log.poll():
            pass
        if follows:
            first = max(0, log.line_count - count)
        rows = list(map(_row, log.lines(first, count)))
        return Look(glance, log.line_count, first, rows, log.error_count, log.warning_count)

    def _came(self, seen: Look | None) -> None:
        self._is_looking = False
        if seen is None or not self.is_attached:
            return
        self._seen = seen
        view = self._view
        view.set_rows(seen.first, seen.rows)
        view.set_count(seen.lines)
        look = view.look
        width = self.size.width
        state = [
            look.cut([piece._replace(text=look.shown(piece.text)) for piece in state_pieces(seen.glance)], width - 1)
        ]
        self.query_one("#log-steps", Lines).set_lines([steps_line(seen.glance, look), *state, []])
        self._show_head()
        self.show_frame()

    def _show_head(self) -> None:
        self.query_one("#log-head", HeadLine).set_content(_("log"), list(self._facts()))

    def _facts(self) -> Iterator[Piece]:
        seen = self._seen
        if seen is None:
            return
        is_live = seen.glance.job.is_live
        place = (
            (_("following the tail") if is_live else _("the end")) if self._view.follows else _("0 goes to the tail")
        )
        yield Piece(f"{place} {self.app.glyphs.dot} ", "muted")
        errors = ngettext("{n} error", "{n} errors", seen.errors).format(n=number_text(seen.errors, 0))
        yield Piece(errors, "error" if seen.errors else "muted")
        warnings = ngettext("{n} warning", "{n} warnings", seen.warnings).format(n=number_text(seen.warnings, 0))
        yield Piece(f", {warnings}", "warn" if seen.warnings else "muted")

    # ── frame ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def steps(self) -> Sequence[Piece]:
        """`job 13 msprof › log`."""
        job = self.chosen_job()
        return (Piece(_("job {number} {kind}").format(number=job.id, kind=kind_text(job))), Piece(_("log")))

    def status_left(self) -> str:
        """The step, or what came of it."""
        seen = self._seen
        if seen is None:
            return _("reading the log")
        job, progress = seen.glance.job, seen.glance.progress
        if not job.is_live:
            return _("it is over; its result: o on the list of jobs") if job.results else _("it is over")
        steps = progress.steps
        if progress.step not in steps:
            return ""
        return _("step {n} of {all}: {name}").format(
            n=steps.index(progress.step) + 1, all=len(steps), name=_(STEP_NAMES.get(progress.step, progress.step))
        )

    def status_right(self) -> str:
        """Which line."""
        view = self._view
        end = f" {self.app.glyphs.dot} {_('tail')}" if view.follows else ""
        at = number_text(min(view.cursor + 1, view.count), 0)
        return _("line {n} of {all}").format(n=at, all=number_text(view.count, 0)) + end

    def _hints(self) -> Iterable[KeyHint]:
        hints = list(super()._hints())
        if self.chosen_job().is_live:
            hints.insert(3, KeyHint(":stop", _("stop"), "stop"))
        return hints

    def pressed(self, target: str) -> None:
        """A click on `:stop`."""
        if target == "stop":
            self.stop_job(None)

    def can(self, name: str) -> bool:
        """`u` goes back to the jobs."""
        return name in ("undo",) or (name not in ("redo", "reread") and super().can(name))

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_undo(self) -> None:
        """Back to the jobs."""
        self.dismiss(None)

    def do_close(self) -> None:
        """Back to the jobs; the job goes on."""
        self.dismiss(None)

    def do_up(self) -> None:
        """Line up."""
        self._view.action_move(-1)

    def do_down(self) -> None:
        """Line down."""
        self._view.action_move(1)

    def do_page_up(self) -> None:
        """Page up."""
        self._view.action_move(-self._view.size.height)

    def do_page_down(self) -> None:
        """Page down."""
        self._view.action_move(self._view.size.height)

    def do_half_up(self) -> None:
        """Half a page up."""
        self._view.action_move(-(self._view.size.height // 2))

    def do_half_down(self) -> None:
        """Half a page down."""
        self._view.action_move(self._view.size.height // 2)

    def do_left(self) -> None:
        """Scrolls to the left."""
        self._view.action_sideways(-1)

    def do_right(self) -> None:
        """Scrolls to the right."""
        self._view.action_sideways(1)

    def do_first(self) -> None:
        """First line."""
        self._view.action_first()

    def do_last(self) -> None:
        """The end, followed."""
        self._view.action_last()

    def do_reset(self) -> None:
        """The end, followed."""
        self._view.action_last()

    def do_copy(self) -> None:
        """Copies the line under the cursor."""
        row = self._view.row
        if row is not None:
            self.app.copy_text(row.text, _("line"))

    def do_export(self) -> None:
        """Asks for a file for the log."""
        job = self.chosen_job()
        ask_file(self, f"job{job.id}_{job.command.tool}.log", self._write_log, _("the log as it is shown, all lines"))

    def command_export(self, text: str) -> str:
        """Writes the log to a file; returns why it cannot, or empty."""
        return take_file(self, text, self._write_log)

    def _write_log(self, path: Path) -> str:
        self._write_log_in_thread(path, self._following.log.path)
        return ""

    @work(thread=True, group="export", exit_on_error=False, description="export")
    def _write_log_in_thread(self, path: Path, log: Path) -> None:
        """Lines as they are shown: overwritten ones are gone, control characters are escaped."""
        try:
            problem = written(path, (f"{shown(line)}\n" for line in lines_of(log)))
        except OSError as error:
            problem = _("the log cannot be read: {reason}").format(reason=error.strerror or error)
        self.app.call_from_thread(self.app.tell, problem or _("written to {path}").format(path=path))

    def do_pin(self) -> None:
        """Keeps the job at the top of the list; again lets it go."""
        toggle_pin(self, self.chosen_job())

    def do_notable_next(self) -> None:
        """Next error."""
        self._go_to_marked(backwards=False)

    def do_notable_prev(self) -> None:
        """Error before."""
        self._go_to_marked(backwards=True)

    @work(thread=True, group="find", exclusive=True, exit_on_error=False, description="find")
    def _go_to_marked(self, backwards: bool) -> None:
        view, log = self._view, self._following.log
        with self._lock:
            found = log.next_marked(view.cursor, backwards, warnings=True)
            if found is None:  # from the other end
                found = log.next_marked(view.count if backwards else -1, backwards, warnings=True)
        self.app.call_from_thread(self._found, "", found)

    def do_find(self) -> None:
        """Asks for a text."""
        self.ask("/", self._pattern, (), accept=self._find_first)

    def _find_first(self, text: str) -> str:
        self._pattern = text
        if text:
            self._find(self._view.cursor - 1 if not self._view.follows else -1, False)
        return ""

    def do_find_next(self) -> None:
        """Next hit; without a search the next error."""
        if self._pattern:
            self._find(self._view.cursor, False)
        else:
            self.do_notable_next()

    def do_find_prev(self) -> None:
        """Hit before; without a search the error before."""
        if self._pattern:
            self._find(self._view.cursor, True)
        else:
            self.do_notable_prev()

    @work(thread=True, group="find", exclusive=True, exit_on_error=False, description="find")
    def _find(self, after: int, backwards: bool) -> None:
        pattern = self._pattern
        with self._lock:
            found = self._following.log.find(pattern, after, backwards)
            if found is None:
                found = self._following.log.find(pattern, self._view.count if backwards else -1, backwards)
        self.app.call_from_thread(self._found, pattern, found)

    def _found(self, pattern: str, line: int | None) -> None:
        if line is None:
            self.app.tell(_("not found: {text}").format(text=pattern) if pattern else _("no errors and no warnings"))
        elif self.is_attached:
            self._view.go_to(line)

    def do_leave(self) -> None:
        """Drops the search."""
        self._pattern = ""
        super().do_leave()

    def command_copy_command(self, _rest: str) -> str:
        """Copies the command line of the job."""
        self.app.copy_text(command_text(self.chosen_job().command), _("command"))
        return ""


def _row(line: LogLine) -> LogRow:
    return LogRow(line.text, _ROLES[line.severity])

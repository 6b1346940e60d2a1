"""The Run screen: the machine, all jobs with their state, how far the loop of tuning is; results open by themselves."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.widget import Widget

from tui.dialogs import key_text
from tui.i18n import N_, _, ngettext
from tui.job_report import STATE_NAMES
from tui.model.jobs import Job
from tui.model.machine import Machine
from tui.screens.run_base import RunFrame
from tui.screens.run_log import LogScreen
from tui.screens.run_measured import loop_steps
from tui.screens.run_offer import ask_how_to_open, open_collected
from tui.screens.run_page import (
    JobRow,
    heading_line,
    job_details,
    job_line,
    loop_line,
    machine_lines,
    no_job_lines,
)
from tui.screens.run_pins import job_key, pinned_jobs, toggle_pin
from tui.tools import jobs
from tui.tools.following import Following, elapsed_s
from tui.tools.locate import Search
from tui.tools.loop import profile_of
from tui.tools.prof_dirs import size_bytes
from tui.tools.survey import machine
from tui.units import number_text
from widgets.listpane import ListPane
from widgets.panes import Details, HeadLine, Lines

POLL_S = 0.5
REST_S = 5.0
"""Jobs are looked at this often while none runs, or while another screen is in front."""
SIZE_FILES = 5000


class RunScreen(RunFrame):
    """Jobs, whoever started them: they go on without the viewer."""

    LABELS: ClassVar[Mapping[str, str]] = {
        "open_profile": N_("open result"),
        "hide": N_("only live"),
        "unhide": N_("show all"),
        "pin": N_("pin"),
    }
    HELPS: ClassVar[Mapping[str, str]] = {
        "open_item": N_("log of the job, result of a tuning"), "open_profile": N_("open what the job collected"),
        "hide": N_("hide finished jobs, show them"), "pin": N_("pin the job, let it go"),
        "copy": N_("copy the command line"),
        "reread": N_("look at the machine again"), "up": N_("job up, down"), "first": N_("first, last job"),
    }  # fmt: skip
    FOOTER = ("run", "open_item", "open_profile", "hide", "unhide", "copy", "pin", "reread", "screen", "palette")

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[JobRow] = []
        """Jobs as they are listed."""
        self._followed: dict[int, Following] = {}
        self._sizes: dict[int, int] = {}
        self._was_live: frozenset[int] = frozenset()
        self.mine: set[int] = set()
        """Jobs whose result opens by itself: started here, or watched here."""
        self._only_live = False
        self._kept = 0
        """Number of the job that the cursor was put on; it stays there when other jobs come."""
        self._is_looking = False
        self._next_s = 0.0

    def compose_panes(self) -> Iterable[Widget]:
        """Machine, list, details."""
        yield Lines(id="machine")
        yield Lines(id="loop")
        yield HeadLine(id="jobs-head")
        yield Lines(id="jobs-columns")
        yield ListPane(id="jobs")
        yield Lines(id="no-jobs")
        yield HeadLine(id="job-head")
        yield Details(id="job")

    def ready(self) -> None:
        """Looks at jobs and machine, and again from time to time."""
        self._list.focus()
        self.query_one("#jobs-head", HeadLine).set_focused(True)
        self._survey()
        self.set_interval(POLL_S, self._poll)
        self._poll()
        self.run_changed()

    def on_screen_resume(self) -> None:
        """Jobs may have gone on."""
        super().on_screen_resume()
        self.poll_now()

    @property
    def _list(self) -> ListPane:
        return self.query_one("#jobs", ListPane)

    def _arranged(self) -> list[JobRow]:
        """Pinned jobs first; they stay when finished ones are hidden."""
        pinned = pinned_jobs(self.app.state)
        rows = [replace(row, is_pinned=job_key(row.job) in pinned) for row in self.app.job_rows]
        shown = (row for row in rows if row.job.is_live or row.is_pinned or not self._only_live)
        return sorted(shown, key=lambda row: not row.is_pinned)

    def chosen_job(self) -> Job | None:
        """The job under the cursor."""
        rows, at = self._rows, self._list.cursor
        return rows[at].job if 0 <= at < len(rows) else None

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @work(thread=True, group="survey", exclusive=True, exit_on_error=False, description="survey")
    def _survey(self) -> None:
        self.app.call_from_thread(self._surveyed, machine(Search(self.app.settings.tools)))

    def _surveyed(self, found: Machine) -> None:
        self.app.machine = found
        self.app.run_changed()

    def poll_now(self) -> None:
        """Looks at the jobs without waiting for the next time."""
        self._next_s = 0.0
        self._poll()

    def _poll(self) -> None:
        if not self._is_looking and time.monotonic() >= self._next_s:
            self._is_looking = True
            self._look()

    @work(thread=True, group="jobs", exit_on_error=False, description="jobs")
    def _look(self) -> None:
        rows: list[JobRow] = []
        try:
            rows = [self._looked(job) for job in jobs.jobs()]
        finally:
            self.app.call_from_thread(self._came, rows)

    def _looked(self, job: Job) -> JobRow:
        if job.is_live:
            glance = self._followed.setdefault(job.id, Following(job)).look()
            return JobRow(glance.job, glance.elapsed_s, glance.result_bytes, glance.progress)
        self._followed.pop(job.id, None)
        if job.id not in self._sizes:
            self._sizes[job.id] = sum(_size(result.path) for result in job.results if result.kind != "bank")
        return JobRow(job, elapsed_s(job), self._sizes[job.id])

    def _came(self, rows: list[JobRow]) -> None:
        """What was live and is over has ended now."""
        self._is_looking = False
        live = frozenset(row.job.id for row in rows if row.job.is_live)
        is_busy = bool(live) or any(row.job.left_behind for row in rows)
        self._next_s = time.monotonic() + (POLL_S if is_busy else REST_S)
        ended = [row.job for row in rows if row.job.id in (self._was_live | self.mine) - live]
        self._was_live = live
        if rows != self.app.job_rows:
            self.app.job_rows = rows
            self.app.run_changed()
        for job in ended:
            self._ended(job)

    def _ended(self, job: Job) -> None:
        """Opens what a job left that was started or watched here, unless the user is at something else."""
        mine = job.id in self.mine
        self.mine.discard(job.id)
        profile = profile_of(job)
        if mine and self.app.current_mode == "run" and job.state == "done" and not self._is_busy:
            self.open_result(job)
        elif job.state == "done" and (profile or job.command.tool == "aoe"):
            self.app.tell(_("job {number} is done: {result}; 8 goes there").format(
                number=job.id, result=Path(profile).name or self._gain(job)))  # fmt: skip
        else:
            why = " - ".join(filter(None, (job.reason or _(STATE_NAMES[job.state]), job.hint)))
            self.app.tell(_("job {number} ended: {reason}").format(number=job.id, reason=why))

    @property
    def _is_busy(self) -> bool:
        """Whether the user is filling in a form or answering a question."""
        return not isinstance(self.app.screen, (RunScreen, LogScreen))

    @staticmethod
    def _gain(job: Job) -> str:
        gain = job.claimed_gain_pct
        return _("{gain} % faster, says the tool").format(gain=f"{gain:g}") if gain is not None else job.command.title

    def open_result(self, job: Job) -> bool:
        """Opens the profile that a collection left, or the operators that a tuning changed; False without any."""
        profile = profile_of(job)
        if job.command.tool == "aoe":
            from tui.screens.run_result import TuningScreen

            if isinstance(self.app.screen, LogScreen):
                self.app.switch_screen(TuningScreen(job))
            else:
                self.app.push_screen(TuningScreen(job))
            self.app.clear_message()
            return True
        if not profile or not Path(profile).exists():
            return False
        open_collected(self.app, job, [row.job for row in self.app.job_rows])
        return True

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    def findings_changed(self) -> None:
        """What they were made of may be a comparison, the last step of the loop."""
        self.run_changed()

    def run_changed(self) -> None:
        """Writes everything anew; what looks the same is not painted."""
        if not self.is_attached:
            return
        self._rows = rows = self._arranged()
        width = self.size.width
        look = self._list.look
        self.query_one("#machine", Lines).set_lines([*machine_lines(self.app.machine, look, width), []])
        self.query_one("#loop", Lines).set_lines([loop_line(loop_steps(self.app), look, width), []])
        count = number_text(len(self.app.job_rows), 0)
        self.query_one("#jobs-head", HeadLine).set_content(_("jobs"), count)
        self.query_one("#jobs-columns", Lines).set_lines([heading_line(width)] if rows else [])
        self._list.set_rows([job_line(row, look, width - 1) for row in rows])
        place = next((at for at, row in enumerate(rows) if row.job.id == self._kept), None)
        if place is not None:
            self._list.move_to(place)
        self._list.styles.max_height = max(3, self.size.height // 2 - 4)
        self.query_one("#no-jobs", Lines).set_lines([] if rows else no_job_lines(key_text(self.app, "run", 1)))
        self._show_job()

    def _show_job(self) -> None:
        rows, at = self._rows, self._list.cursor
        head, details = self.query_one("#job-head", HeadLine), self.query_one("#job", Details)
        head.display = details.display = 0 <= at < len(rows)
        if head.display:
            job = rows[at].job
            raw = any(result.kind == "profile" and not result.usable for result in job.results)
            facts = (
                _("{key} exports what it left").format(key=key_text(self.app, "run", 1)) if raw else _("enter opens")
            )
            head.set_content(_("job {number}").format(number=job.id), facts)
            details.set_rows(job_details(rows[at]))

    def after_resize(self) -> None:
        """Other columns fit."""
        self.run_changed()

    def status_left(self) -> str:
        """What goes on."""
        live = sum(row.job.is_live for row in self.app.job_rows)
        return (
            ngettext("{n} job runs", "{n} jobs run", live).format(n=live) if live else _("jobs go on without npuscope")
        )

    def status_right(self) -> str:
        """Which of how many."""
        rows = self._rows
        return f"{self._list.cursor + 1}/{len(rows)}" if rows else ""

    @on(ListPane.Highlighted)
    def _highlighted(self) -> None:
        job = self.chosen_job()
        self._kept = job.id if job is not None else 0
        self._show_job()
        self.show_status()

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def can(self, name: str) -> bool:
        """Most needs a job."""
        job = self.chosen_job() if self.is_ready else None
        if name in ("open_item", "copy", "pin"):
            return job is not None
        if name == "open_profile":
            return job is not None and not job.is_live and (bool(profile_of(job)) or job.command.tool == "aoe")
        if name in ("hide", "unhide"):
            return self._only_live == (name == "unhide") and bool(self.app.job_rows)
        return super().can(name)

    def do_open_item(self) -> None:
        """The result of a tuning that is over, else the log."""
        job = self.chosen_job()
        if job is None:
            return
        if job.state == "done" and job.command.tool == "aoe":
            self.open_result(job)
        else:
            self.open_log(job)

    @on(ListPane.Opened)
    def _opened(self) -> None:
        self.do_open_item()

    def open_log(self, job: Job) -> None:
        """Shows the log; what a job that still runs leaves opens by itself."""
        if job.is_live:
            self.mine.add(job.id)
        self.app.push_screen(LogScreen(job))

    def started(self, job: Job) -> None:
        """A job was started here: its log is shown, and its result will be."""
        self.mine.add(job.id)
        self._kept = job.id
        self.poll_now()

    def do_open_profile(self) -> None:
        """What the job left."""
        job = self.chosen_job()
        profile = profile_of(job) if job is not None and job.command.tool != "aoe" else ""
        if job is not None and profile and Path(profile).exists():
            ask_how_to_open(self.app, job, [row.job for row in self.app.job_rows])
        elif job is not None and not self.open_result(job):
            self.app.tell(_("what job {number} left is not there any more").format(number=job.id))

    def do_copy(self) -> None:
        """Copies the command line."""
        from tui.tools.command_line import command_text

        job = self.chosen_job()
        if job is not None:
            self.app.copy_text(command_text(job.command), _("command"))

    def command_copy_command(self, _rest: str) -> str:
        """Copies the shell command that lists the jobs."""
        self.app.copy_text("npuscope jobs", _("command"))
        return ""

    def do_pin(self) -> None:
        """Keeps the job at the top of the list, in later runs too; again lets it go."""
        job = self.chosen_job()
        if job is not None:
            self._kept = job.id
            toggle_pin(self, job)

    def do_hide(self) -> None:
        """Hides what is over."""
        self._only_live = True
        self.run_changed()

    def do_unhide(self) -> None:
        """Shows it again."""
        self._only_live = False
        self.run_changed()

    def do_reread(self) -> None:
        """Looks at machine and jobs again."""
        self._survey()
        self.poll_now()
        self.app.tell(_("machine and jobs are looked at again"))

    def do_up(self) -> None:
        """Job above."""
        self._list.action_cursor_up()

    def do_down(self) -> None:
        """Job below."""
        self._list.action_cursor_down()

    def do_first(self) -> None:
        """First job."""
        self._list.action_first()

    def do_last(self) -> None:
        """Last job."""
        self._list.action_last()


def _size(path: str) -> int:
    found = Path(path)
    if found.is_dir():
        return size_bytes(found, SIZE_FILES)
    try:
        return found.stat().st_size
    except OSError:
        return 0

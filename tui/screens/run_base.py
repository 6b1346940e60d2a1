"""What the screens of Run have in common: `!` with its menu, asking before a job is stopped or forgotten."""

from __future__ import annotations

from collections.abc import Callable

from textual import work

from tui.errors import BadExpression
from tui.i18n import _
from tui.job_report import STATE_NAMES, kind_text
from tui.model.jobs import Job
from tui.screens.frame import Frame
from tui.screens.run_start import (
    LOOP_KINDS,
    OTHER_KINDS,
    Starting,
    Wish,
    draft_for,
    draft_of_line,
    gathered,
    menu_items,
)
from tui.tools import jobs
from tui.tools.command_line import command_text, variables_and_words
from tui.tools.drafts import Draft
from tui.tools.processes import host_name
from widgets.choice import ChoiceOverlay, ConfirmOverlay
from widgets.frame import KeyHint

MENU_ENTRIES = frozenset((*LOOP_KINDS, *OTHER_KINDS))


class RunFrame(Frame):
    """Base of the screens of Run."""

    DIGIT = "8"
    NAME = "Run"

    def follow(self, target: str) -> None:
        """`new` asks what to run; `line` fills the form from a command line; else the entry of the menu it names."""
        wish = self.app.run_wish or Wish()
        if target == "line":
            self._fill_line(wish, self.app.run_line)
        elif target in MENU_ENTRIES:
            self._gather(wish, target)
        elif target == "new":
            self._gather(wish, "")

    def _gathered_now(self, wish: Wish) -> Starting:
        """Looks at jobs and folders: in a thread."""
        npus = self.app.machine.npus.npus if self.app.machine is not None else ()
        return gathered(wish, self.app.settings.tools, jobs.jobs(), npus[0].soc_version if npus else "")

    @work(thread=True, group="gather", exclusive=True, exit_on_error=False, description="gather")
    def _gather(self, wish: Wish, name: str) -> None:
        starting = self._gathered_now(wish)
        if name:
            self._filled(name, starting)
        else:
            self.app.call_from_thread(self._choose, starting)

    def _choose(self, starting: Starting) -> None:
        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets:
                self._fill(targets[0], starting)

        hints = [KeyHint("enter", _("fill in")), KeyHint("esc", _("cancel"))]
        note = _("the first one is next; nothing starts before you have seen the command")
        self.app.push_screen(ChoiceOverlay(_("run"), menu_items(starting), note=note, hints=hints), chosen)

    @work(thread=True, group="gather", exclusive=True, exit_on_error=False, description="gather")
    def _fill_line(self, wish: Wish, line: str) -> None:
        try:
            _variables, words = variables_and_words(line)
            draft = draft_of_line(line, words[0].rpartition("/")[2], self._gathered_now(wish))
        except BadExpression as error:
            self.app.call_from_thread(self.app.tell, error.message)
            return
        self.app.call_from_thread(self._open_form, draft)

    @work(thread=True, group="gather", exclusive=True, exit_on_error=False, description="gather")
    def _fill(self, name: str, starting: Starting) -> None:
        self._filled(name, starting)

    def _filled(self, name: str, starting: Starting) -> None:
        """Opens the form of one entry; called in a thread."""
        try:
            draft = draft_for(name, starting)
        except OSError as error:
            text = _("the file of operators cannot be written: {reason}")
            self.app.call_from_thread(self.app.tell, text.format(reason=error.strerror or error))
            return
        self.app.call_from_thread(self._open_form, draft)

    def _open_form(self, draft: Draft) -> None:
        from tui.screens.run_form import FormScreen

        self.app.push_screen(FormScreen(draft))

    # ── stop, forget ─────────────────────────────────────────────────────────────────────────────────────────────────

    def chosen_job(self) -> Job | None:
        """The job that a command without a number is about."""
        return None

    def stop_job(self, number: int | None) -> str:
        """Asks, then ends a job; returns why it cannot, or empty."""
        job, problem = self._job(number)
        if job is None:
            return problem
        if not (job.is_live or job.left_behind):
            return _("job {number} is over already").format(number=job.id)
        if job.host != host_name():
            return _("job {number} runs on {host}: stop it there").format(number=job.id, host=job.host)
        text = _("{command}\nIt gets the signals that its tool understands, harder ones if it goes on.")
        self._confirm(
            _("stop job {number}, {kind}?").format(number=job.id, kind=kind_text(job)),
            text.format(command=command_text(job.command)), _("stop it"), lambda: self._stop(job.id),
        )  # fmt: skip
        return ""

    def forget_job(self, number: int | None) -> str:
        """Asks, then removes a job from the list; returns why it cannot, or empty."""
        job, problem = self._job(number)
        if job is None:
            return problem
        if job.is_live or job.left_behind:
            return _("job {number} still runs: stop it first").format(number=job.id)
        text = _("Its record and its log are removed; what it left elsewhere stays.")
        title = _("forget job {number}, {kind}, {state}?").format(
            number=job.id, kind=kind_text(job), state=_(STATE_NAMES[job.state])
        )
        self._confirm(title, text, _("forget"), lambda: self._forget(job.id))
        return ""

    def _job(self, number: int | None) -> tuple[Job | None, str]:
        if number is None:
            job = self.chosen_job()
            return job, "" if job is not None else _("name a job by its number")
        job = next((row.job for row in self.app.job_rows if row.job.id == number), None)
        return job, "" if job is not None else _("there is no job {number}").format(number=number)

    def _confirm(self, title: str, text: str, word: str, act: Callable[[], object]) -> None:
        def answered(index: int | None) -> None:
            if index == 1:
                act()

        hints = [KeyHint("← →", _("choose")), KeyHint("enter", _("accept")), KeyHint("esc", _("cancel"))]
        self.app.push_screen(ConfirmOverlay(title, text, (_("cancel"), word), hints), answered)

    @work(thread=True, group="stop", exit_on_error=False, description="stop")
    def _stop(self, number: int) -> None:
        jobs.stop(number)
        self.app.call_from_thread(self.app.tell, _("job {number} was asked to stop").format(number=number))

    @work(thread=True, group="stop", exit_on_error=False, description="stop")
    def _forget(self, number: int) -> None:
        gone = jobs.forget(number)
        text = _("job {number} is forgotten") if gone else _("job {number} still runs")
        self.app.call_from_thread(self._forgotten, number, gone, text.format(number=number))

    def _forgotten(self, number: int, gone: bool, text: str) -> None:
        if gone:
            self.app.job_rows = [row for row in self.app.job_rows if row.job.id != number]
            self.app.run_changed()
        self.app.tell(text)

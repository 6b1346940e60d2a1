"""From a form that is filled in to a job that runs: what speaks against it, the one question, the start."""

from __future__ import annotations

from collections.abc import Sequence

from textual import work

from tui.errors import BadExpression, NotStarted
from tui.i18n import _
from tui.model.jobs import Command, Job
from tui.model.problem import Problem
from tui.screens.run_base import RunFrame
from tui.screens.run_log import LogScreen
from tui.tools import jobs
from tui.tools.command_line import command_text
from tui.tools.drafts import Draft
from tui.tools.launching import surroundings
from tui.tools.locate import Search, features
from tui.tools.preflight import Surroundings, problems_of
from tui.tools.problems import errors, sentence, wrong
from widgets.choice import ConfirmOverlay
from widgets.frame import KeyHint


class LaunchFrame(RunFrame):
    """Base of the form: it holds a draft, and starts what that stands for once nothing speaks against it."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft
        self.problems: Sequence[Problem] | None = None
        """What speaks against starting it; None while that is looked at."""
        self._around: Surroundings | None = None
        self._checked_text = ""
        """The command line that the problems are about."""
        self._wants_start = False

    def problems_changed(self) -> None:
        """Other things speak against it now."""

    def command(self) -> Command | None:
        """What would be run; None while a quote is open."""
        try:
            return self.draft.command()
        except BadExpression:
            return None

    def take(self, draft: Draft) -> None:
        """Another draft: looks again at what speaks against it."""
        self.draft = draft
        self._wants_start = False
        command = self.command()
        self.problems = None
        if command is None:
            self.problems = [wrong(_("application"), _("the command line has a quote that is not closed"))]
        else:
            self._checked_text = command_text(command)
            self._check(command)
        self.problems_changed()

    @work(thread=True, group="preflight", exclusive=True, exit_on_error=False, description="preflight")
    def _check(self, command: Command) -> None:
        found = self.draft.found
        if self._around is None:
            known = features(found) if command.tool == "msprof" else None
            self._around = surroundings(Search(self.app.settings.tools), known, found)
        problems = problems_of(command, self._around)
        if not found.usable:
            problems.insert(0, wrong("", found.problem or command.tool, found.hint))
        self.app.call_from_thread(self._checked, command_text(command), problems)

    def _checked(self, text: str, problems: Sequence[Problem]) -> None:
        if text != self._checked_text or not self.is_attached:
            return
        self.problems = problems
        self.problems_changed()
        if self._wants_start:
            self.start()

    def start(self) -> None:
        """Asks once; errors keep it from being started."""
        command, problems = self.command(), self.problems
        self._wants_start = problems is None
        if command is None or problems is None:
            return
        against = errors(problems)
        if against:
            self.app.tell(sentence(against[0]))
            return
        text = "\n".join((command_text(command), *map(sentence, problems[:2])))
        hints = [KeyHint("← →", _("choose")), KeyHint("enter", _("accept")), KeyHint("esc", _("cancel"))]

        def answered(index: int | None) -> None:
            if index == 1:
                self._launch(command)

        title = _("start {tool}?").format(tool=command.tool)
        self.app.push_screen(ConfirmOverlay(title, text, (_("cancel"), _("start")), hints), answered)

    @work(thread=True, group="launch", exit_on_error=False, description="launch")
    def _launch(self, command: Command) -> None:
        try:
            job = jobs.start(command, self.app.settings.lang if self.app.settings.lang != "auto" else "")
        except NotStarted as error:
            self.app.call_from_thread(self.app.tell, " - ".join(filter(None, (error.message, error.hint))))
            return
        self.app.call_from_thread(self._launched, job)

    def _launched(self, job: Job) -> None:
        from tui.screens.run import RunScreen

        for screen in self.app.screen_stack:
            if isinstance(screen, RunScreen):
                screen.started(job)
        if self.is_current:
            self.app.switch_screen(LogScreen(job))
        self.app.tell(_("job {number} runs, with or without this terminal").format(number=job.id))

"""Leaving: asks first, and when jobs run also what becomes of them. No answer loses a job."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui.i18n import _, ngettext
from tui.job_report import STATE_NAMES, kind_text
from tui.model.jobs import Job
from tui.tools import jobs
from tui.tools.following import elapsed_s
from tui.tools.job_files import numbers
from tui.tools.processes import host_name
from tui.units import elapsed_text
from widgets.choice import ConfirmOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.app import NpuscopeApp

JOBS_NAMED = 5
"""Jobs that the question names one by one."""


def ask_quit(app: NpuscopeApp, asks_always: bool = True) -> None:
    """Leaves after a question; the safe answer comes first.

    Args:
        asks_always: False leaves without a question when no job runs.
    """
    if any(True for _number in numbers()):
        app.run_worker(partial(_look, app, asks_always), thread=True, exit_on_error=False, group="quit")
    else:
        _ask(app, (), asks_always)


def _look(app: NpuscopeApp, asks_always: bool) -> None:
    live = [job for job in jobs.jobs() if job.is_live and job.host == host_name()]
    app.call_from_thread(_ask, app, live, asks_always)


def _ask(app: NpuscopeApp, live: Sequence[Job], asks_always: bool) -> None:
    if live:
        _ask_about_jobs(app, live)
    elif asks_always:
        _ask_plainly(app)
    else:
        app.leave()


def _ask_plainly(app: NpuscopeApp) -> None:
    def answered(index: int | None) -> None:
        if index == 1:
            app.leave()

    text = _("Nothing is lost: profiles are only read, and what was read is kept for the next start.")
    app.push_screen(ConfirmOverlay(_("quit npuscope?"), text, (_("stay"), _("quit")), _hints()), answered)


def _ask_about_jobs(app: NpuscopeApp, live: Sequence[Job]) -> None:
    def answered(index: int | None) -> None:
        if index == 1:
            app.leave()
        elif index == 2:
            app.run_worker(partial(_stop_and_leave, app, live), thread=True, exit_on_error=False, group="quit")

    count = len(live)
    title = ngettext("quit npuscope while {n} job runs?", "quit npuscope while {n} jobs run?", count).format(n=count)
    lines = [*map(_job_text, live[:JOBS_NAMED])]
    if count > JOBS_NAMED:
        lines.append(_("and {n} more").format(n=count - JOBS_NAMED))
    lines += [
        _("keep running: they go on without npuscope, and the next start lists them."),
        _("stop: each gets the signals that its tool understands, harder ones if it goes on."),
    ]
    answers = (_("stay"), _("keep running"), _("stop"))
    app.push_screen(ConfirmOverlay(title, "\n".join(lines), answers, _hints()), answered)


def _job_text(job: Job) -> str:
    return _("job {number}  {kind}  {state} {time}").format(
        number=job.id, kind=kind_text(job), state=_(STATE_NAMES[job.state]), time=elapsed_text(elapsed_s(job))
    )


def _stop_and_leave(app: NpuscopeApp, live: Sequence[Job]) -> None:
    """Whoever watches over a job ends it: that takes as long as it takes, without the viewer."""
    for job in live:
        jobs.stop(job.id)
    app.call_from_thread(app.leave)


def _hints() -> list[KeyHint]:
    return [KeyHint("← →", _("choose")), KeyHint("enter", _("accept")), KeyHint("esc", _("stay"))]

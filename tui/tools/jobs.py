"""Jobs as the viewer and the commands handle them: start, look, stop. They go on when whoever started them is gone."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tui.errors import NotStarted
from tui.i18n import _, ngettext
from tui.model.jobs import Command, Job
from tui.tools import job_files
from tui.tools.job_files import INPUT, LOG, folder_of, marker_of, read_job, write_job
from tui.tools.outcome import judged
from tui.tools.ownership import make_output
from tui.tools.processes import boot_id, group_members, host_name, is_alive, strays
from tui.tools.stopping import Stopping, plan, send_line

_START = """\
import sys
sys.path.append(sys.argv[1])
from tui.tools.supervisor import main
main(sys.argv[2], int(sys.argv[3]))
"""
_ROOT = str(Path(__file__).resolve().parents[2])
_READY_S = 30.0
_POLL_S = 0.05


def start(command: Command, language: str = "", stop_waits_s: Sequence[float] = ()) -> Job:
    """Starts a job that outlives this process; returns when the tool runs or waits for its NPU.

    Args:
        language: Of the texts that the job will hold; empty: by the locale.
        stop_waits_s: Other waiting times for the steps of a stop (`stopping.plan`).

    Raises:
        NotStarted: folders cannot be made, or the program cannot be executed.
    """
    try:
        _make_folders(command)
        number, folder = job_files.new_folder()
        job = Job(
            number, command, created_s=time.time(), host=host_name(), boot=boot_id(), stop_waits_s=tuple(stop_waits_s),
            language=language,
        )  # fmt: skip
        write_job(folder, job)
        _detach(folder)
    except OSError as error:
        place = error.filename or job_files.jobs_dir()
        reason = error.strerror or type(error).__name__
        raise NotStarted(_("{path} cannot be written: {reason}").format(path=place, reason=reason)) from error
    started = read_job(folder) or job
    if started.state == "failed" and started.started_s is None:
        raise NotStarted(started.reason, _("check the path and its permissions"))
    return current(started)


def _make_folders(command: Command) -> None:
    """Output folders have mode 0750 and belong to the user; a tuning gets its working directory."""
    if command.tool == "aoe":
        make_output(command.cwd)
    if command.tool == "msprof" and command.purpose in ("collect", "dynamic", "system") and command.output:
        make_output(command.output)


def _detach(folder: Path) -> None:
    """Starts the supervisor, apart from our session and from the user's Python settings, and waits for its word."""
    readable, writable = os.pipe()
    log = os.open(folder / job_files.SUPERVISOR_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _START, _ROOT, str(folder), str(writable)),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
            pass_fds=(writable,),
        )
        os.close(writable)
        writable = -1
        process.wait()
        select.select([readable], [], [], _READY_S)
    finally:
        for descriptor in (readable, writable, log):
            if descriptor >= 0:
                os.close(descriptor)


def jobs() -> list[Job]:
    """All jobs, newest first, each in the state in which it really is."""
    return [job for number in job_files.numbers() if (job := find(number)) is not None]


def find(number: int) -> Job | None:
    """A job by its number; None when there is none."""
    job = read_job(folder_of(number))
    return current(job) if job is not None else None


def log_path(number: int) -> Path:
    """All that the tool printed."""
    return folder_of(number) / LOG


def current(job: Job) -> Job:
    """The job with its real state: one whose supervisor is gone is lost, with what still runs of it."""
    if not job.is_live or job.host != host_name() or _is_watched(job):
        return job
    job = read_job(folder_of(job.id)) or job  # it may have ended between the two looks
    if not job.is_live or (job.supervisor is None and time.time() - job.created_s < _READY_S):
        return job
    return _lost(job)


def _is_watched(job: Job) -> bool:
    return job.boot == boot_id() and is_alive(job.supervisor)


def _lost(job: Job) -> Job:
    """What can be said of a job that nobody watches any more; written down once nothing of it runs."""
    folder = folder_of(job.id)
    left = _still_running(job)
    job = replace(job, left_behind=left)
    if left:
        running = ngettext("{count} process of it still runs", "{count} processes of it still run", len(left)).format(
            count=len(left)
        )
        reason = _("the process that watched over it is gone; {running}").format(running=running)
        return replace(job, state="lost", reason=reason, hint=_("stop it, or let it end by itself"))
    ended = judged(job, folder / LOG)
    reason = _("the process that watched over it is gone; {what}").format(
        what=_("its output says that it succeeded")
        if ended.state == "done"
        else ended.reason or _("nothing runs of it")
    )
    lost = replace(ended, state="lost", reason=reason, ended_s=_last_word_s(folder))
    with suppress(OSError):
        write_job(folder, lost)
    return lost


def _still_running(job: Job) -> tuple[int, ...]:
    if job.boot != boot_id():
        return ()
    marker = marker_of(folder_of(job.id))
    members = group_members(job.process, marker) if job.process else []
    return tuple(sorted({*members, *strays(job.process, marker)}))


def _last_word_s(folder: Path) -> float:
    with suppress(OSError):
        return (folder / LOG).stat().st_mtime
    return time.time()


def stop(number: int) -> Job | None:
    """Asks a job to end; asked again, the next harder step is taken. Returns at once, unless nobody watches the job.

    A lost job is ended from here, which takes as long as its steps do.
    """
    job = find(number)
    if job is None or job.host != host_name():
        return job
    if job.is_live and _is_watched(job) and job.supervisor is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(job.supervisor.pid, signal.SIGTERM)
        return job
    return _stop_lost(job) if job.state == "lost" and job.left_behind else job


def _stop_lost(job: Job) -> Job:
    folder = folder_of(job.id)
    if job.process is None:
        return job
    stopping = Stopping(plan(job.command, job.stop_waits_s), job.process, marker_of(folder), folder / INPUT)
    stopping.begin()
    while not (stopping.is_over() or stopping.is_given_up):
        time.sleep(_POLL_S)
        stopping.go_on()
    left = _still_running(job)
    ended = judged(replace(job, stop_steps=tuple(stopping.sent), left_behind=left), folder / LOG)
    stopped = replace(ended, ended_s=time.time())
    with suppress(OSError):
        write_job(folder, stopped)
    return stopped


def send(number: int, line: str) -> bool:
    """Gives a line to a tool in dynamic mode (`start`, `stop`, `quit`); False when it does not listen."""
    job = find(number)
    return job is not None and job.state == "running" and job.command.reads_input and send_line(
        folder_of(number) / INPUT, line
    )  # fmt: skip


def wait(number: int, timeout_s: float | None = None) -> Job | None:
    """Waits until a job is over, at most so long; returns it as it is then."""
    until_s = None if timeout_s is None else time.monotonic() + timeout_s
    while (job := find(number)) is not None and job.is_live:
        if until_s is not None and time.monotonic() >= until_s:
            break
        time.sleep(_POLL_S)
    return job


def forget(number: int) -> bool:
    """Removes the record and the log of a job that is over; what it left elsewhere stays. False while it lives."""
    job = find(number)
    if job is None or job.is_live or job.left_behind:
        return False
    shutil.rmtree(folder_of(number), ignore_errors=True)
    return True

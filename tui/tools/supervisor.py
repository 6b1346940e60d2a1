"""The process that owns a job: detached from every terminal, it starts the tool, waits for it and judges how it ended.

It needs the standard library only, so that it is small and no package of anybody can get between. Output goes straight
from the tool to the log: if this process is killed, the tool neither dies of it nor loses a line.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

from tui.i18n import _, set_language
from tui.model.jobs import Job, ProcessId
from tui.tools import device_locks
from tui.tools.child import child_environment
from tui.tools.job_files import INPUT, LOG, marker_of, read_job, write_job
from tui.tools.outcome import judged
from tui.tools.ownership import disk_at
from tui.tools.processes import boot_id, group_members, host_name, identity, strays
from tui.tools.prof_dirs import names_in
from tui.tools.stopping import Stopping, plan
from tui.tools.tuning_dirs import bank_entries, files_of
from tui.units import size_text

LOW_DISK_BYTES = 1 << 30
_DISK_EVERY_S = 5.0
_TICK_S = 0.2
_SURVIVORS_S = 1.0
"""How long processes of a group may outlive the tool before they are named as left behind."""

_wishes = 0
"""How often a stop was asked for by signal."""


def main(folder: str, ready: int) -> None:
    """Owns the job in `folder`; writes one byte to the pipe `ready` when it runs, waits for its NPU, or failed."""
    if os.fork():
        os._exit(0)
    wake = _listen()
    try:
        Supervisor(Path(folder), ready, wake).run()
    except Exception:  # noqa: BLE001 (the outermost edge of this process: the reason must reach the log)
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def _listen() -> int:
    """Handles signals instead of ignoring them, since the tool would inherit an ignored one. Returns what wakes."""
    readable, writable = os.pipe()
    for end in (readable, writable):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _wish)
    for number in (signal.SIGHUP, signal.SIGCHLD, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, _nothing)
    return readable


def _wish(_number: int, _frame: FrameType | None) -> None:
    global _wishes
    _wishes += 1


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Only wakes the loop."""


class Supervisor:
    """One job from its start to its end."""

    def __init__(self, folder: Path, ready: int, wake: int) -> None:
        self._folder = folder
        self._ready = ready
        self._wake = wake
        job = read_job(folder)
        if job is None:
            raise FileNotFoundError(folder)
        set_language(job.language or None)
        me = identity(os.getpid())
        self.job = replace(job, supervisor=me, host=host_name(), boot=boot_id())
        self._seen_wishes = 0
        self._next_disk_s = 0.0

    def run(self) -> None:
        """Waits for the NPU, starts the tool, waits for its end, writes what came of it."""
        self._write()
        locks = self._wait_for_devices()
        if locks is None:
            self._end(replace(self.job, state="stopped", reason=_("stopped by you before it began")))
            return
        process = self._start(locks)
        if process is None:
            return
        self._answer()
        leader = self.job.process or ProcessId(process.pid, 0)
        steps = plan(self.job.command, self.job.stop_waits_s)
        stopping = Stopping(steps, leader, marker_of(self._folder), self._folder / INPUT)
        self._watch(process, stopping)
        self._finish(process, stopping, leader)

    def _write(self) -> None:
        """A record that cannot be written (full disk) leaves the one before: the job goes on."""
        with suppress(OSError):
            write_job(self._folder, self.job)

    def _answer(self) -> None:
        if self._ready >= 0:
            with suppress(OSError):
                os.write(self._ready, b".")
            os.close(self._ready)
            self._ready = -1

    def _end(self, job: Job) -> None:
        self.job = replace(job, ended_s=time.time())
        self._write()
        self._answer()

    def _wait(self, seconds: float) -> None:
        """Sleeps until something happens, at most so long."""
        if select.select([self._wake], [], [], seconds)[0]:
            with suppress(BlockingIOError):
                os.read(self._wake, 4096)

    def _is_stop_asked(self) -> bool:
        asked = _wishes > self._seen_wishes
        self._seen_wishes = _wishes
        return asked

    def _wait_for_devices(self) -> Sequence[int] | None:
        """The locks of the NPUs; waits in the state queued. None when a stop was asked for meanwhile."""
        while (locks := device_locks.take(self.job.command.devices)) is None:
            self._say_that_it_waits()
            self._answer()
            self._wait(_TICK_S)
            if self._is_stop_asked():
                return None
        return locks

    def _say_that_it_waits(self) -> None:
        if not self.job.reason:
            devices = " ".join(map(str, self.job.command.devices))
            self.job = replace(
                self.job, reason=_("waits for NPU {devices}, which another job has").format(devices=devices)
            )
            self._write()

    def _start(self, locks: Sequence[int]) -> subprocess.Popen[bytes] | None:
        command = self.job.command
        before = (*names_in(command.output or command.cwd), *map(str, files_of(command)))
        begin_s = time.time()
        self.job = replace(self.job, before=before, bank_before=bank_entries(command.bank))
        try:
            process = self._spawn(locks)
        except (OSError, ValueError) as error:
            self._end(replace(self.job, state="failed", reason=_not_started(command.argv[0], error)))
            return None
        self.job = replace(self.job, state="running", reason="", started_s=begin_s, process=identity(process.pid))
        self._write()
        return process

    def _spawn(self, locks: Sequence[int]) -> subprocess.Popen[bytes]:
        command = self.job.command
        log = os.open(self._folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        standard_input = _open_input(self._folder / INPUT) if command.reads_input else subprocess.DEVNULL
        try:
            return subprocess.Popen(
                command.argv,
                cwd=command.cwd,
                env=child_environment(command, marker_of(self._folder)),
                stdin=standard_input,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=tuple(locks),
            )
        finally:
            os.close(log)
            if standard_input >= 0:
                os.close(standard_input)

    def _watch(self, process: subprocess.Popen[bytes], stopping: Stopping) -> None:
        """Until the tool has ended; when a stop was asked for, until its group is gone."""
        while process.poll() is None or (stopping.is_asked and not (stopping.is_over() or stopping.is_given_up)):
            self._wait(_TICK_S)
            asked = self._is_stop_asked()
            if asked:
                stopping.begin()
            if stopping.go_on() or asked:
                self.job = replace(self.job, stop_steps=tuple(stopping.sent))
                self._write()
            self._look_at_disk()

    def _look_at_disk(self) -> None:
        if time.monotonic() < self._next_disk_s:
            return
        self._next_disk_s = time.monotonic() + _DISK_EVERY_S
        warning = low_disk((self.job.command.output or self.job.command.cwd, str(self._folder)))
        if bool(warning) != bool(self.job.low_disk):
            self.job = replace(self.job, low_disk=warning)
            self._write()

    def _finish(self, process: subprocess.Popen[bytes], stopping: Stopping, leader: ProcessId) -> None:
        marker = marker_of(self._folder)
        until_s = time.monotonic() + _SURVIVORS_S
        while group_members(leader, marker) and not stopping.is_asked and time.monotonic() < until_s:
            self._wait(_TICK_S)
        left = tuple(sorted({*group_members(leader, marker), *strays(leader, marker)}))
        job = replace(self.job, exit_code=process.returncode, stop_steps=tuple(stopping.sent), left_behind=left)
        self._end(judged(job, self._folder / LOG))


def _open_input(path: Path) -> int:
    """A named pipe opened to read and write: it never ends, whoever writes to it and goes away."""
    with suppress(FileExistsError):
        os.mkfifo(path, 0o600)
    return os.open(path, os.O_RDWR | os.O_CLOEXEC)


def _not_started(program: str, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _("{program} could not be started: {reason}").format(program=program, reason=reason)


def low_disk(folders: Sequence[str], limit_bytes: int = LOW_DISK_BYTES) -> str:
    """A warning when little room is left at one of the folders; empty otherwise."""
    for folder in folders:
        disk = disk_at(folder)
        if disk is not None and disk.free_bytes < limit_bytes:
            return _("only {free} are free at {path}").format(free=size_text(disk.free_bytes), path=folder)
    return ""

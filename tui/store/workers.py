"""Worker processes that fill stores: start, progress, cancel, and what happens when one dies.

Workers come from a fork server that is started by `prepare`, because starting one from inside a running Textual
application takes care. A worker owns no terminal: it reads nothing and writes its complaints to the log
file. It ends when the pipe to whoever started it closes, so that killing the viewer leaves no orphans.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Callable

from tui.config import log_file

PRELOADED = ("numpy", "pandas")
"""Imported once by the fork server, for all workers: importing pandas takes longer than reading the first rows."""

_JOIN_S = 5.0
_NICENESS = 5
"""Workers step back for the screen: with all processors busy, a key would else wait for their time slices."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's `mallopt`."""
_KEPT_BYTES = 256 << 20
_LARGEST_KEPT_BYTES = 32 << 20
"""glibc takes no more."""

_spare: tuple[BaseProcess, Connection] | None = None
_spare_lock = threading.Lock()


@dataclass(frozen=True)
class Failed:
    """Last message of a task that did not end by itself."""

    reason: str
    """For the log and for a problem: `killed by SIGKILL`, `MemoryError: …`."""
    signal: int = 0
    """The signal that killed the worker, or 0."""


def prepare() -> None:
    """Starts the fork server, which imports `PRELOADED`; returns at once and imports nothing heavy here.

    Inside a running Textual application it is to be called from the thread of the screen: what stands in for stderr
    there has no descriptor that a process could inherit, so the real one takes its place meanwhile.
    """
    with contextlib.redirect_stderr(sys.__stderr__):
        forkserver.set_forkserver_preload(list(PRELOADED))
        resource_tracker.ensure_running()
        forkserver.ensure_running()


def warm() -> None:
    """Starts one worker that waits for the next task; does nothing when one waits already."""
    global _spare
    with _spare_lock:
        if _spare is None or not _spare[0].is_alive():
            _spare = _new_worker()


def start(function: Callable[..., Iterator[Any]], *args: object) -> Running:
    """Runs a generator function in a worker process, in the environment of now: what it writes is looked for there.

    Args:
        function: Found by its module and name; what it yields is sent back and must be picklable.
        args: Picklable.
    """
    global _spare
    try:
        with _spare_lock:
            spare, _spare = _spare, None
        process, connection = spare if spare is not None and spare[0].is_alive() else _new_worker()
        connection.send((function, args, dict(os.environ)))
    except (OSError, ValueError, EOFError) as error:
        return Running(None, None, Failed(f"{type(error).__name__}: {error}"))
    return Running(process, connection)


def stop_spare() -> None:
    """Ends the worker that waits for a task."""
    global _spare
    with _spare_lock:
        if _spare is not None:
            _spare[1].close()
            _spare = None


class Running:
    """A task in a worker. Not thread-safe, except for `cancel`."""

    def __init__(
        self, process: BaseProcess | None, connection: Connection | None, failed: Failed | None = None
    ) -> None:
        self._process = process
        self._connection = connection
        self._waiting: list[Any] = [failed] if failed else []
        self.failed = failed
        """Why the task did not end by itself, once that is known."""

    @property
    def ended(self) -> bool:
        """Whether the last message has been handed out."""
        return self._connection is None and not self._waiting

    @property
    def pid(self) -> int:
        """Process id of the worker; 0 when there is none."""
        return (self._process.pid or 0) if self._process else 0

    def poll(self, timeout_s: float = 0.0) -> list[Any]:
        """Messages that have arrived; waits up to `timeout_s` seconds for the first. A `Failed` is always the last."""
        while self._connection is not None and wait([self._connection], 0.0 if self._waiting else timeout_s):
            self._receive(self._connection)
        messages, self._waiting = self._waiting, []
        return messages

    def messages(self) -> Iterator[Any]:
        """All messages until the task ends."""
        while not self.ended:
            yield from self.poll(1.0)

    def cancel(self) -> None:
        """Asks the task to stop at its next message; what it has finished stays."""
        connection = self._connection
        if connection is not None:
            try:
                connection.send("cancel")
            except OSError:
                return

    def close(self) -> None:
        """Drops the task: the worker ends at once."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _receive(self, connection: Connection) -> None:
        try:
            what, value = connection.recv()
        except (EOFError, OSError):
            self._end(_death_of(self._process))
            return
        if what == "item":
            self._waiting.append(value)
        else:
            self._end(value)

    def _end(self, failed: Failed | None) -> None:
        self.close()
        self.failed = failed
        if failed is not None:
            self._waiting.append(failed)
        if self._process is not None:
            self._process.join(_JOIN_S)


def _death_of(process: BaseProcess | None) -> Failed:
    """Why a worker is gone that did not say goodbye."""
    if process is None:
        return Failed("never started")
    process.join(_JOIN_S)
    code = process.exitcode
    if code is None or code >= 0:
        return Failed(f"ended with code {code}")
    return Failed(f"killed by {signal.Signals(-code).name}", -code)


def _new_worker() -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, str(log_file())), name="npuscope-worker")
    process.start()
    theirs.close()
    return process, ours


def _work(connection: Connection, log: str) -> None:
    """Body of a worker: one task, end."""
    _leave_terminal(log)
    _keep_freed_memory()
    try:
        function, args, environment = connection.recv()
    except EOFError:
        return
    os.environ.clear()  # the fork server keeps that of its start
    os.environ.update(environment)
    cancelled = threading.Event()
    threading.Thread(target=_watch, args=(connection, cancelled), daemon=True).start()
    try:
        _run(connection, function(*args), cancelled)
        connection.send(("end", None))
    except BrokenPipeError:
        return
    except BaseException as error:  # noqa: BLE001 (outermost edge of this process: what it was must reach the viewer)
        traceback.print_exc()
        connection.send(("end", Failed(f"{type(error).__name__}: {error}")))


def _run(connection: Connection, task: Iterator[Any], cancelled: threading.Event) -> None:
    for item in task:
        connection.send(("item", item))
        if cancelled.is_set():
            if isinstance(task, Generator):
                task.close()
            return


def _watch(connection: Connection, cancelled: threading.Event) -> None:
    """Ends the process when the pipe closes, whatever it is doing."""
    while True:
        try:
            connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        cancelled.set()


def _keep_freed_memory() -> None:
    """Lets the C library use freed memory again instead of giving it back after each block of a file.

    The kernel clears every page that comes anew: a sixth of the time of reading a large CSV. Elsewhere than with glibc
    nothing is changed.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
    mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)


def _leave_terminal(log: str) -> None:
    """Nothing that a worker prints reaches the screen, no key interrupts it, and it does not hold up the screen."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        sink = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 0)
    os.dup2(sink, 1)
    os.dup2(sink, 2)

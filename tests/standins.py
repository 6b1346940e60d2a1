"""Commands for the stand-ins below `tests/bin`, and waiting for what they do. No test ever runs a real tool."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tui.model.jobs import Command, Job
from tui.tools import jobs
from tui.tools.aoe import AoeRequest, aoe_command
from tui.tools.msprof import CollectRequest, DynamicRequest, Options, msprof_command

BIN = Path(__file__).resolve().parent / "bin"
MSPROF = str(BIN / "msprof")
AOE = str(BIN / "aoe")
QUICK_STOP = (0.3, 0.3, 0.3, 0.3, 5.0)
"""Waiting times of a stop, so that a test need not wait for minutes."""

SLEEPER = (sys.executable, "-c", "import time; print('app runs', flush=True); time.sleep(60)")
"""A program that ends when it is interrupted."""
DEAF = (
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
)
"""A program that does not."""


def collection(folder: Path, app: tuple[str, ...], options: Options = (), mode: str = "") -> Command:
    """A collection by the stand-in for msprof; `mode` is how that behaves."""
    request = CollectRequest(app, str(folder / "out"), options, cwd=str(folder))
    return msprof_command(request, MSPROF, (("STANDIN_MSPROF", mode),))


def interactive(folder: Path, app: tuple[str, ...] = SLEEPER) -> Command:
    """A collection that is started and stopped by hand."""
    return msprof_command(DynamicRequest(str(folder / "out"), app, cwd=str(folder)), MSPROF)


def tuning(folder: Path, job_type: str = "2", mode: str = "", bank: str = "") -> Command:
    """A tuning by the stand-in for aoe."""
    model = folder / "m.onnx"
    model.write_bytes(b"onnx")
    request = AoeRequest(str(model), job_type, str(folder / "work"), bank=bank)  # type: ignore[arg-type]
    return aoe_command(request, AOE, (("STANDIN_AOE", mode),))


def finished(command: Command, limit_s: float = 30.0) -> Job:
    """The job of a command when it is over."""
    job = jobs.wait(jobs.start(command, stop_waits_s=QUICK_STOP).id, limit_s)
    assert job is not None
    assert not job.is_live, job
    return job


def log_of(job: Job) -> str:
    """All that the tool printed."""
    return jobs.log_path(job.id).read_bytes().decode("utf-8", "replace")


def until(condition: Callable[[], object], limit_s: float = 30.0) -> None:
    """Waits for a condition; fails when it does not come true."""
    end_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end_s, "the condition did not come true"
        time.sleep(0.01)


def says(job: Job, text: str) -> Callable[[], bool]:
    """Whether the log of a job holds a text."""
    return lambda: jobs.log_path(job.id).exists() and text in log_of(job)


def is_running(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def group_of(pid: int) -> list[int]:
    """Processes of a group as the system lists them, zombies left out; not by the code under test."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == pid and fields[0] != b"Z":
                found.append(int(name))
    return found

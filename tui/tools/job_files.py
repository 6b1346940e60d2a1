"""Jobs on disk: a folder of its own for each, below the state folder, with `job.json`, the log and the input."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tui.config import make_private_dir, state_dir
from tui.model.jobs import JOB_STATES, Command, Job, JobResult, ProcessId, StopStep

RECORD = "job.json"
LOG = "output.log"
INPUT = "input"
"""Named pipe that a tool in dynamic mode reads its commands from."""
SUPERVISOR_LOG = "supervisor.log"

_MAX_BYTES = 16 << 20


def jobs_dir() -> Path:
    """Folder of all jobs; need not exist."""
    return state_dir() / "jobs"


def folder_of(number: int) -> Path:
    """Folder of one job."""
    return jobs_dir() / str(number)


def marker_of(folder: Path) -> str:
    """What the processes of a job carry in their environment."""
    return str(folder.absolute())


def new_folder() -> tuple[int, Path]:
    """An empty folder (0700) with the next number.

    Raises:
        OSError: none can be made.
    """
    base = make_private_dir(make_private_dir(state_dir()) / "jobs")
    number = max((int(name) for name in os.listdir(base) if name.isdecimal()), default=0) + 1
    while True:
        try:
            folder = base / str(number)
            folder.mkdir(mode=0o700)
        except FileExistsError:
            number += 1
        else:
            return number, folder


def numbers() -> list[int]:
    """Numbers of all jobs, newest first."""
    with suppress(OSError):
        return sorted((int(name) for name in os.listdir(jobs_dir()) if name.isdecimal()), reverse=True)
    return []


def write_job(folder: Path, job: Job) -> None:
    """Writes `job.json`, whole or not at all.

    Raises:
        OSError: it cannot be written; the one before stays.
    """
    handle, name = tempfile.mkstemp(dir=folder, prefix=".job-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(job), file, ensure_ascii=True, indent=1)
        os.replace(name, folder / RECORD)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise


def read_job(folder: Path) -> Job | None:
    """What `job.json` says; None when it is not there or not understood."""
    try:
        with open(folder / RECORD, "rb") as file:
            data = json.loads(file.read(_MAX_BYTES))
        return job_from(data, int(folder.name))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def job_from(data: Any, number: int) -> Job:
    """A job from its JSON; keys that are not known are passed over.

    Raises:
        KeyError, TypeError, ValueError: it is not that of a job.
    """
    values = _known(data, Job)
    if values.get("state") not in JOB_STATES:
        raise ValueError(values.get("state"))
    values["id"] = number
    values["command"] = _command(values["command"])
    for name in ("supervisor", "process"):
        found = values.get(name)
        values[name] = ProcessId(int(found["pid"]), int(found["start_ticks"])) if found else None
    values["results"] = tuple(JobResult(**_known(item, JobResult)) for item in values.get("results", ()))
    values["stop_steps"] = tuple(StopStep(**_known(item, StopStep)) for item in values.get("stop_steps", ()))
    for name in ("notes", "before"):
        values[name] = tuple(map(str, values.get(name, ())))
    values["left_behind"] = tuple(map(int, values.get("left_behind", ())))
    values["stop_waits_s"] = tuple(map(float, values.get("stop_waits_s", ())))
    return Job(**values)


def _command(data: Any) -> Command:
    values = _known(data, Command)
    values["argv"] = tuple(map(str, values["argv"]))
    values["env"] = tuple((str(name), None if value is None else str(value)) for name, value in values.get("env", ()))
    values["devices"] = tuple(map(int, values.get("devices", ())))
    if not values["argv"]:
        raise ValueError("argv")
    return Command(**values)


def _known(data: Any, kind: type[Any]) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise TypeError(type(data).__name__)
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in data.items() if name in names}

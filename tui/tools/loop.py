"""The loop of tuning: profile, tune subgraphs, tune operators, profile again, compare. What is next, and with what."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tui.model.jobs import Command, Job
from tui.tools.aoe import OPERATOR, SUBGRAPH, AoeRequest, JobType, read_aoe
from tui.tools.msprof import command_of
from tui.tools.msprof_check import parse

StepName = Literal["profile", "subgraph", "operator", "again", "compare"]
STEPS: tuple[StepName, ...] = ("profile", "subgraph", "operator", "again", "compare")


@dataclass(frozen=True)
class LoopStep:
    """One step of the loop, and the job that did it."""

    name: StepName
    job: Job | None = None
    """The newest job of this step that is done, or runs; None while there is none."""

    @property
    def is_done(self) -> bool:
        """Whether the step is behind us."""
        return self.job is not None and self.job.state == "done"


def steps(jobs: Iterable[Job], model: str = "", compared: str = "") -> tuple[LoopStep, ...]:
    """How far the loop is.

    Args:
        jobs: All jobs, in any order.
        model: Absolute path of the model that is tuned; empty: that of the newest tuning.
        compared: Real path of the profile that was compared with another one; empty: none was.
    """
    oldest_first = sorted(jobs, key=lambda job: job.id)
    tunings = [job for job in oldest_first if job.command.tool == "aoe" and (job.is_live or job.state == "done")]
    model = model or (_model(tunings[-1]) if tunings else "")
    subgraph = _newest(tunings, SUBGRAPH, model)
    operator = _newest(tunings, OPERATOR, model)
    last = max((job.id for job in (subgraph, operator) if job), default=0)
    first = min((job.id for job in (subgraph, operator) if job), default=1 << 62)
    measured = [job for job in oldest_first if _is_measuring(job)]
    profile = next((job for job in reversed(measured) if job.id < first), None)
    again = next((job for job in reversed(measured) if job.id > last), None) if last else None
    return (
        LoopStep("profile", profile),
        LoopStep("subgraph", subgraph),
        LoopStep("operator", operator),
        LoopStep("again", again),
        LoopStep("compare", again if again is not None and _left(again, compared) else None),
    )


def _left(job: Job, path: str) -> bool:
    """Whether a job left what is at a real path, or holds it."""
    places = (os.path.realpath(result.path) for result in job.results)
    return bool(path) and any(path == place or path.startswith(place + os.sep) for place in places)


def _newest(tunings: Sequence[Job], job_type: JobType, model: str) -> Job | None:
    for job in reversed(tunings):
        if read_aoe(job.command.argv[1:]).values.get("job_type") == job_type and _model(job) == model:
            return job
    return None


def job_order(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Job types of the tunings that ran to their end, oldest first."""
    done = (job for job in jobs if job.command.tool == "aoe" and job.state == "done")
    types = (read_aoe(job.command.argv[1:]).values.get("job_type", "") for job in sorted(done, key=lambda job: job.id))
    return tuple(job_type for job_type in types if job_type)


def _model(job: Job) -> str:
    name = read_aoe(job.command.argv[1:]).values.get("model", "")
    return str(Path(job.command.cwd, name)) if name else ""


def _is_measuring(job: Job) -> bool:
    return job.command.tool == "msprof" and job.command.purpose == "collect" and (job.is_live or job.state == "done")


def profile_of(job: Job) -> str:
    """The first usable PROF folder that a job left, or empty."""
    return next((result.path for result in job.results if result.kind == "profile" and result.usable), "")


def baseline_for(job: Job, jobs: Iterable[Job]) -> str:
    """The profile to compare the result of a collection with: the one it was started for, else the one before it.

    Of earlier collections the newest of the same program is taken, else the newest of any.
    """
    if job.command.baseline:
        return job.command.baseline
    earlier = sorted((other for other in jobs if other.id < job.id and profile_of(other)), key=lambda other: -other.id)
    program = _program(job.command)
    same = [other for other in earlier if _program(other.command) == program]
    return profile_of(same[0]) if same else profile_of(earlier[0]) if earlier else ""


def _program(command: Command) -> tuple[str, ...]:
    """The program with its first argument, which tells scripts apart."""
    parsed = parse(command.argv[1:], command.cwd)
    return (parsed.app or tuple(parsed.options.get("application", "").split(" ")))[:2]


def measured_again(collection: Command, tuned_model: str = "", baseline: str = "") -> Command:
    """The same collection on a tuned model: each word of the program that names an `.om` file names the tuned one.

    Args:
        tuned_model: Absolute path; empty: the program itself uses the new model.
        baseline: The profile to compare with.
    """
    first = len(collection.argv) - len(parse(collection.argv[1:]).app)
    words = [
        _with_model(word, tuned_model) if _holds_app(word, place, first) else word
        for place, word in enumerate(collection.argv)
    ]
    device = collection.devices[0] if collection.devices else 0
    again = command_of(words, collection.cwd, collection.env, device)
    return replace(again, preset=collection.preset, baseline=baseline)


def _holds_app(word: str, place: int, first: int) -> bool:
    """Whether a word of msprof's command line, at that place, belongs to the program, which begins at `first`."""
    return place >= first or word.startswith("--application=")


def _with_model(word: str, model: str) -> str:
    name, equals, value = word.partition("=")
    if not equals or not name.startswith("-"):
        return model if model and word.endswith(".om") else word
    if name == "--application":
        return f"{name}={' '.join(_with_model(part, model) for part in value.split(' '))}"
    return f"{name}={_with_model(value, model)}"


def operators_after(subgraph: AoeRequest) -> AoeRequest:
    """The tuning of operators that follows one of subgraphs, in a working directory beside it."""
    return replace(subgraph, job_type=OPERATOR, work_dir=f"{subgraph.work_dir.rstrip('/')}_2")


def work_dir(base: str, tool: str = "aoe", at_s: float | None = None) -> str:
    """A new folder below `base` for one tuning alone, named by the time (epoch seconds; None: now)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(at_s))
    return str(Path(base, f"{tool}_{stamp}"))

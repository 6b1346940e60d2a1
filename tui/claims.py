"""Which tunings lie between two profiles, so that what they claimed is set against what was measured."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tui.errors import NoSuchTable
from tui.i18n import _
from tui.model.jobs import Job
from tui.model.tuning import TuningResult
from tui.tools.tuning_dirs import tuning_outcome
from tui.tools.tuning_files import read_tuning

MOST_TUNINGS = 8
"""Tunings whose reports are read; the newest count."""


def tunings_between(jobs: Iterable[Job], baseline: Path, current: Path) -> list[Job]:
    """Tunings that were over before the current profile was collected and not before the baseline was; newest first.

    A profile belongs to the job that left it, or that it lies in. A tuning that was started on the baseline counts
    where the job of a profile is not known.
    """
    newest_first = sorted(jobs, key=lambda job: -job.id)
    before, after = _job_of(newest_first, baseline), _job_of(newest_first, current)
    tunings = [job for job in newest_first if job.command.tool == "aoe" and job.state == "done"]
    if after is not None:
        first = before.id if before is not None else 0
        between = [job for job in tunings if first < job.id < after.id]
        known = between if before is not None else [job for job in between if _is_of(job, baseline)]
    else:
        known = [job for job in tunings if _is_of(job, baseline)]
    return known[:MOST_TUNINGS]


def _job_of(jobs: Sequence[Job], profile: Path) -> Job | None:
    place = os.path.realpath(profile)
    for job in jobs:
        for result in job.results:
            left = os.path.realpath(result.path)
            if result.kind == "profile" and (left == place or place.startswith(left + os.sep)):
                return job
    return None


def _is_of(job: Job, profile: Path) -> bool:
    return bool(job.command.baseline) and os.path.realpath(job.command.baseline) == os.path.realpath(profile)


def claimed_by(jobs: Iterable[Job]) -> list[TuningResult]:
    """Reports of tunings that name operators, those of the first job first."""
    return [result for job in jobs for result in tuning_outcome(job).results if result.ops]


def report_of(path: Path) -> list[TuningResult]:
    """The reports in one file.

    Raises:
        NoSuchTable: the file names no operators.
    """
    results, problems = read_tuning(path)
    found = [result for result in results if result.ops]
    if not found:
        what = problems[0].what if problems else _("it names no operators")
        raise NoSuchTable(f"{path}: {what}", _("job type 2 of aoe leaves aoe_result_opat_*.json"))
    return found

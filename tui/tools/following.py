"""A running job as a screen follows it: record, log, progress, results so far. All by looking at files."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from tui.model.jobs import Job, Progress
from tui.model.tuning import TuningOutcome
from tui.tools import jobs
from tui.tools.log_file import LogFile
from tui.tools.prof_dirs import new_profiles, size_bytes
from tui.tools.progress import WANTED, ProgressReader
from tui.tools.tuning_dirs import is_report, new_files, tuning_outcome


@dataclass(frozen=True)
class Glance:
    """What a look at a job shows."""

    job: Job
    progress: Progress
    elapsed_s: float
    """Since the tool started, or since it was queued; the whole time once it is over."""
    last_line: str
    """Of the log; may hold control characters."""
    result_bytes: int
    """Size of the new PROF folders, or of the tuning reports and models."""


class Following:
    """Follows one job. Not thread-safe; `look` reads files and belongs into a worker thread."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._reader = ProgressReader(job.command.tool, job.command.purpose)
        self.log = LogFile(jobs.log_path(job.id), self._reader.feed, WANTED)
        self._tuning_stamp: tuple[object, ...] = ()
        self.tuning = TuningOutcome()
        """What a tuning found so far."""

    def look(self) -> Glance:
        """Reads what is new."""
        self.job = jobs.find(self.job.id) or self.job
        self.log.poll()
        progress = self._reader.progress
        if self.job.command.tool == "aoe":
            self._look_at_tuning()
            ops = sum(len(result.ops) for result in self.tuning.results)
            progress = replace(progress, ops_tuned=ops, gain_pct=progress.gain_pct or self._gain_pct())
        return Glance(self.job, progress, elapsed_s(self.job), self.log.last_line, self._result_bytes())

    def _look_at_tuning(self) -> None:
        """Reads the reports again when one has changed."""
        files = [path for path in new_files(self.job) if is_report(path)]
        stamp = tuple((str(path), *_stamp(path)) for path in files)
        if stamp != self._tuning_stamp or not self.job.is_live:
            self._tuning_stamp = stamp
            self.tuning = tuning_outcome(self.job)

    def _gain_pct(self) -> float | None:
        gains = [gain for result in self.tuning.results if (gain := result.model_gain_pct) is not None]
        return gains[-1] if gains else None

    def _result_bytes(self) -> int:
        command = self.job.command
        if command.tool == "msprof":
            found = new_profiles(command.output or command.cwd, self.job.before)
            return sum(size_bytes(path, 10_000) for path in found)
        return sum(_stamp(path)[0] for path in new_files(self.job))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def elapsed_s(job: Job) -> float:
    """How long a job took, or takes so far."""
    begin_s = job.started_s or job.created_s
    return max(0.0, (job.ended_s or time.time()) - begin_s)

"""What a tuning leaves on disk: reports, tuned models, entries of the knowledge bank (formats: tools 3.3, 3.5)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tui.model.jobs import Command, Job
from tui.model.problem import Problem
from tui.model.tuning import TuningOutcome, TuningResult
from tui.tools.tuning_files import by_saving, kind_of, read_tuning

_TUNED = ("aoe_workspace/*/tunespace/result/*.om", "*/tunespace/result/*.om")
"""Places of tuned models below the working directory; the second is that of older generations."""


def files_of(command: Command) -> tuple[Path, ...]:
    """Reports and models where a tuning or a build leaves them, whoever wrote them; the oldest first."""
    found = (*_reports(command.cwd), *_models(command)) if command.tool == "aoe" else tuple(_models(command))
    return tuple(sorted(dict.fromkeys(found), key=_written_s))


def new_files(job: Job) -> tuple[Path, ...]:
    """Those that a job wrote: they were not there before, or have been written again since it started."""
    known = frozenset(job.before)
    since_s = job.started_s or 0.0
    return tuple(path for path in files_of(job.command) if str(path) not in known or _written_s(path) >= since_s)


def _reports(folder: str) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if kind_of(entry.name) and entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def _models(command: Command) -> Iterator[Path]:
    """Models at the place that was asked for, with what the tool adds to the name, and in the workspaces of aoe."""
    if command.model:
        place = Path(command.model)
        yield from (path for path in _matching(place.parent, "*.om") if path.name.startswith(place.name))
    if command.tool == "aoe":
        chosen = (value for name, value in command.env if name == "ASCEND_WORK_PATH" and value)
        for folder in dict.fromkeys((command.cwd, *chosen)):
            for pattern in _TUNED:
                yield from _matching(Path(folder), pattern)


def _matching(folder: Path, pattern: str) -> list[Path]:
    with suppress(OSError):
        return list(folder.glob(pattern))
    return []


def is_report(path: Path) -> bool:
    """Whether a file is a report of a tuning, by its name."""
    return kind_of(path.name) is not None


def tuning_outcome(job: Job) -> TuningOutcome:
    """All that a tuning left so far, readable while it runs."""
    results: list[TuningResult] = []
    problems: list[Problem] = []
    files = new_files(job)
    for path in filter(is_report, files):
        read, wrong = read_tuning(path)
        results += read
        problems += wrong
    models = tuple(str(path) for path in reversed(files) if not is_report(path))
    return TuningOutcome(tuple(results), models, tuple(problems))


def all_ops(outcome: TuningOutcome) -> TuningResult | None:
    """The rows of all operator reports as one, ordered by what they save; None when there are none."""
    parts = [result for result in outcome.results if result.ops]
    if not parts:
        return None
    rows = [op for part in parts for op in part.ops]
    first = parts[-1]
    return TuningResult(first.path, first.kind, first.name, by_saving(rows), first.unit, first.model_before_ms,
                        first.model_after_ms, first.claimed, first.outcome, first.tuning_time_s)  # fmt: skip


def _written_s(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def bank_entries(folder: str) -> int | None:
    """Files of a knowledge bank; their content is private to aoe. None when there is no such folder."""
    if not folder or not os.path.isdir(folder):
        return None
    return sum(len(names) for _place, _folders, names in os.walk(folder))


def export_line(bank: str) -> str:
    """What to type so that later builds use the bank; without it the tuning is not used."""
    return f"export TUNE_BANK_PATH={shlex.quote(bank)}"

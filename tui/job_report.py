"""What `jobs` and `run` print: the list of jobs, one job with what it left, the operators that a tuning changed."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from tui.i18n import N_, _, ngettext
from tui.model.jobs import Job, JobState
from tui.model.text import cell_width, padded, shown
from tui.model.tuning import TuningOutcome, TuningResult
from tui.tools.aoe import read_aoe
from tui.tools.command_line import command_text
from tui.tools.following import elapsed_s
from tui.tools.tuning_dirs import export_line, tuning_outcome
from tui.units import GlyphSet, delta_text, elapsed_text, missing_text, number_text

STATE_NAMES: dict[JobState, str] = {
    "queued": N_("queued"),
    "running": N_("running"),
    "done": N_("done"),
    "failed": N_("failed"),
    "stopped": N_("stopped"),
    "lost": N_("lost"),
}
"""What people read."""

_ROWS = 20
_HEADINGS = (N_("Job"), N_("Kind"), N_("State"), N_("Elapsed"), N_("Result"))


def kind_text(job: Job) -> str:
    """`msprof`, `aoe 2`, `msprof export`."""
    command = job.command
    if command.tool == "aoe":
        return f"aoe {read_aoe(command.argv[1:]).values.get('job_type', '')}".rstrip()
    return (
        command.tool
        if command.purpose in ("collect", "build", "infer", "compare")
        else f"{command.tool} {command.purpose}"
    )


def result_text(job: Job) -> str:
    """What came of a job, in a few words: the reason of a failure, a gain, the folders it left, what it is about."""
    if job.reason:
        return job.reason
    if job.claimed_gain_pct is not None:
        return _("{gain} % faster, says the tool").format(gain=f"{job.claimed_gain_pct:g}")
    names = [os.path.basename(result.path.rstrip("/")) for result in job.results if result.kind in ("profile", "model")]
    if len(names) > 1:
        return ngettext("{first} and {count} more", "{first} and {count} more", len(names) - 1).format(
            first=names[0], count=len(names) - 1
        )
    return names[0] if names else job.command.title


def list_lines(jobs: Sequence[Job]) -> Iterator[str]:
    """The list of jobs, a line each below the headings."""
    rows = [tuple(map(_, _HEADINGS)), *(_cells(job) for job in jobs)]
    widths = [max(cell_width(row[place]) for row in rows) for place in range(4)]
    for row in rows:
        cells = [padded(cell, width, right=place == 0) for place, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join((*cells, row[4])).rstrip()


def _cells(job: Job) -> tuple[str, ...]:
    state = _(STATE_NAMES[job.state]) + (" !" if job.low_disk and job.is_live else "")
    return tuple(map(shown, (str(job.id), kind_text(job), state, elapsed_text(elapsed_s(job)), result_text(job))))


def detail_lines(job: Job, glyphs: GlyphSet = "blocks") -> Iterator[str]:
    """Everything about one job."""
    yield f"{_('job')} {job.id}  {kind_text(job)}  {_(STATE_NAMES[job.state])}  {elapsed_text(elapsed_s(job))}"
    for line in (job.reason, job.hint, job.low_disk):
        if line:
            yield f"  {shown(line)}"
    yield f"  {_('command')}  {shown(command_text(job.command))}"
    yield f"  {_('folder')}  {shown(job.command.cwd)}"
    yield from _facts(job)
    for result in job.results:
        yield "  " + "  ".join(filter(None, (_("left"), shown(result.path), shown(result.note))))
    if job.left_behind:
        yield f"  {_('still running')}  {' '.join(map(str, job.left_behind))}"
    yield from (f"  ! {shown(note)}" for note in job.notes)
    yield from _tuning_lines(job, glyphs)


def _facts(job: Job) -> Iterator[str]:
    if job.started_s is not None:
        yield f"  {_('started')}  {datetime.fromtimestamp(job.started_s):%Y-%m-%d %H:%M:%S}"
    if job.exit_code is not None:
        yield f"  {_('exit code')}  {job.exit_code}"
    if job.process is not None and job.is_live:
        yield f"  {_('process')}  {job.process.pid}"
    for step in job.stop_steps:
        yield f"  {datetime.fromtimestamp(step.at_s):%H:%M:%S}  {step.what} ({step.target})"
    if job.claimed_gain_pct is not None:
        yield f"  {_('claimed gain')}  {job.claimed_gain_pct:g} %"


def _tuning_lines(job: Job, glyphs: GlyphSet) -> Iterator[str]:
    if job.command.tool != "aoe":
        return
    outcome = tuning_outcome(job)
    for result in outcome.results:
        yield from tuning_lines(result, glyphs)
    if job.command.bank and job.state == "done":
        yield f"  {_('use it')}  {shown(export_line(job.command.bank))}"


def tuning_lines(result: TuningResult, glyphs: GlyphSet = "blocks", limit: int = _ROWS) -> Iterator[str]:
    """The operators of a tuning report by what they save."""
    if not result.ops:
        return
    unit = "µs" if result.unit == "us" and glyphs != "ascii" else result.unit
    yield ""
    yield "  " + _("{count} operators, {improved} faster: {before} {unit} before, {after} after").format(
        count=len(result.ops), improved=result.improved, before=number_text(result.before, 3),
        after=number_text(result.after, 3), unit=unit,
    )  # fmt: skip
    heads = (_("Op"), _("Type"), _("Before {unit}").format(unit=unit), _("After {unit}").format(unit=unit),
             _("Saved {unit}").format(unit=unit), _("Gain %"), _("Share %"))  # fmt: skip
    rows = [heads, *(_op_cells(op, glyphs) for op in result.ops[:limit])]
    widths = [max(cell_width(row[place]) for row in rows) for place in range(len(heads))]
    for row in rows:
        cells = (padded(cell, width, right=place > 1) for place, (cell, width) in enumerate(zip(row, widths)))
        yield ("  " + "  ".join(cells)).rstrip()
    if len(result.ops) > limit:
        yield "  " + _("and {count} more").format(count=len(result.ops) - limit)


def _op_cells(op: Any, glyphs: GlyphSet) -> tuple[str, ...]:
    share = missing_text(glyphs) if op.share_pct is None else number_text(op.share_pct, 2)
    saved = missing_text(glyphs) if math.isnan(op.saved) else delta_text(op.saved, 3, glyphs)
    numbers = (number_text(op.before, 3, glyphs), number_text(op.after, 3, glyphs), saved)
    return (shown(op.name)[:60], shown(op.type), *numbers, number_text(op.gain_pct, 2, glyphs), share)


def job_object(job: Job, outcome: TuningOutcome | None = None) -> dict[str, Any]:
    """A job for programs; the environment is left out."""
    values = asdict(job)
    values["command"] = {**values["command"], "text": command_text(job.command)}
    del values["command"]["env"]
    values["elapsed_s"] = round(elapsed_s(job), 3)
    values["kind"] = kind_text(job)
    if job.command.tool == "aoe":
        outcome = outcome or tuning_outcome(job)
        values["tuning"] = [tuning_object(result) for result in outcome.results]
    return values


def tuning_object(result: TuningResult) -> dict[str, Any]:
    """A tuning report for programs."""
    rows = [
        {"op_name": op.name, "op_type": op.type, "tuner": op.tuner, f"before_{result.unit}": _finite(op.before),
         f"after_{result.unit}": _finite(op.after), f"saved_{result.unit}": _finite(op.saved),
         "gain_pct": _finite(op.gain_pct), "share_pct": op.share_pct, "claimed": op.claimed}
        for op in result.ops
    ]  # fmt: skip
    return {
        "path": result.path, "kind": result.kind, "name": result.name, "complete": result.complete,
        "outcome": result.outcome, "claimed": result.claimed, "model_before_ms": result.model_before_ms,
        "model_after_ms": result.model_after_ms, "model_gain_pct": result.model_gain_pct,
        "failed_ops": list(result.failed_ops), "ops": rows,
    }  # fmt: skip


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

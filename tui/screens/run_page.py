"""What the Run screen shows, as lines: machine, jobs, the loop of tuning, one job in detail."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from tui.doctor import npu_text
from tui.i18n import N_, _, ngettext
from tui.job_report import STATE_NAMES, kind_text, result_text
from tui.model.jobs import Job, JobState, Progress
from tui.model.machine import Machine
from tui.model.problem import Problem
from tui.tools.command_line import command_text
from tui.tools.following import Glance
from tui.tools.loop import LoopStep
from tui.tools.problems import sentence
from tui.tools.progress import STEP_NAMES
from tui.units import elapsed_text, missing_text, number_text, size_text
from widgets.panes import Detail, wrapped
from widgets.pieces import Line, Piece, gap, width_of
from widgets.roles import Look
from widgets.text import cells, cut_end, pad

STATE_ROLES: dict[JobState, str] = {
    "queued": "muted", "running": "progress", "done": "ok", "failed": "error", "stopped": "warn", "lost": "warn",
}  # fmt: skip
LOOP_NAMES = {
    "profile": N_("profile"), "subgraph": "job_type 1", "operator": "job_type 2", "again": N_("profile again"),
    "compare": N_("compare"),
}  # fmt: skip
PINNED = "*"
_KIND, _STATE, _ELAPSED, _SIZE = 14, 8, 10, 10


@dataclass(frozen=True)
class JobRow:
    """One job with what a look at it showed."""

    job: Job
    elapsed_s: float = 0.0
    result_bytes: int = 0
    progress: Progress | None = None
    """While it runs."""
    is_pinned: bool = False
    """Whether it stays at the top of the list."""


def machine_lines(machine: Machine | None, look: Look, width_cells: int) -> list[Line]:
    """NPUs, free disk, tools; where there is no tool, what to do."""
    if machine is None:
        return [[gap(1), Piece(_("looking at the machine"), "muted")], []]
    npus = [npu_text(npu, look.glyphs.name) for npu in machine.npus.npus]  # type: ignore[arg-type]
    first: list[Piece] = [gap(1)]
    for text in npus:
        if first[1:] and cells(text) + sum(cells(piece.text) for piece in first) + 4 > width_cells:
            break
        first += [*([gap(4)] if first[1:] else []), Piece(text, "text")]
    if not npus:
        first += [Piece(_("no NPU"), "text"), gap(2), Piece(machine.npus.problem, "muted")]
    tools = look.cut(_tools_line(machine), width_cells - 1)
    return [look.cut(first, width_cells - 1), tools, *_missing(machine, look, width_cells)]


def _tools_line(machine: Machine) -> list[Piece]:
    msprof = machine.tool("msprof")
    disk = machine.disks[0] if machine.disks else None
    facts = [
        _("disk {free} free").format(free=size_text(disk.free_bytes)) if disk is not None else "",
        " ".join(filter(None, ("msprof", msprof.toolkit.version if msprof.toolkit else ""))) if msprof.usable else "",
        (msprof.toolkit.root if msprof.toolkit else os.path.dirname(msprof.path)) if msprof.usable else "",
    ]
    return [gap(1), Piece("  ".join(filter(None, facts)), "muted")]


def _missing(machine: Machine, look: Look, width_cells: int) -> list[Line]:
    """Tools without which nothing can be started here; everything else works all the same."""
    lines: list[Line] = []
    lacking = [machine.tool(name) for name in ("msprof", "aoe") if not machine.tool(name).usable]
    hints = list(dict.fromkeys(tool.hint for tool in lacking if tool.hint))
    for tool in lacking:
        what = tool.problem or _("{tool} is not found").format(tool=tool.name)
        lines.append([gap(1), Piece("W", "warn bold"), gap(1), Piece(what, "text")])
    for hint in hints:
        lines += [[gap(3), *line] for line in wrapped([Piece(look.shown(hint), "muted")], width_cells - 5)]
    if lacking:
        lines.append([gap(3), Piece(_("looking at profiles needs none of it"), "muted")])
    return lines


def heading_line(width_cells: int) -> Line:
    """Above the list."""
    texts = _columns(_("Job"), _("Kind"), _("State"), _("Elapsed"))
    size = _("Size")
    rest = _("Result")
    room = width_cells - sum(map(cells, texts)) - 1 - _SIZE
    return [gap(1), *(Piece(text, "muted") for text in texts), Piece(pad(rest, room), "muted"),
            Piece(pad(size, _SIZE - 2, "right"), "muted")]  # fmt: skip


def _columns(number: str, kind: str, state: str, elapsed: str) -> tuple[str, str, str, str]:
    return (
        f"{pad(number, 5, 'right')}  ", pad(kind, _KIND), pad(state, _STATE), f"{pad(elapsed, _ELAPSED, 'right')}  ",
    )  # fmt: skip


def job_line(row: JobRow, look: Look, width_cells: int) -> Line:
    """Number, kind, state, time, what came of it, size."""
    job, glyphs = row.job, look.glyphs
    state = _(STATE_NAMES[job.state]) + ("!" if job.low_disk and job.is_live else "")
    sign = f"{PINNED} " if row.is_pinned else ""
    texts = _columns(f"{sign}{job.id}", look.shown(kind_text(job)), state, elapsed_text(row.elapsed_s))
    room = width_cells - sum(map(cells, texts)) - 1 - _SIZE
    came = look.shown(row_result(row))
    size = size_text(row.result_bytes) if row.result_bytes else missing_text(glyphs.name)  # type: ignore[arg-type]
    roles = ("muted", "text", STATE_ROLES[job.state], "text")
    return [
        *(Piece(text, role) for text, role in zip(texts, roles)),
        Piece(pad(cut_end(came, room - 1, glyphs.ellipsis), room), "bright" if job.state == "done" else "text"),
        Piece(pad(size, _SIZE - 2, "right"), "muted"),
    ]  # fmt: skip


def row_result(row: JobRow) -> str:
    """What came of a job; while it runs, how far it is."""
    progress = row.progress
    if progress is None or not row.job.is_live:
        return result_text(row.job)
    return " ".join(filter(None, (progress_text(progress), row.job.low_disk))) or result_text(row.job)


def progress_text(progress: Progress) -> str:
    """`38 operators tuned, 11.2 % faster`, or the step."""
    parts = []
    if progress.ops_tuned:
        n = progress.ops_tuned
        parts.append(ngettext("{n} operator tuned", "{n} operators tuned", n).format(n=number_text(n, 0)))
    if progress.gain_pct is not None:
        parts.append(_("{gain} % faster").format(gain=f"{progress.gain_pct:g}"))
    if not parts and progress.step:
        parts.append(_(STEP_NAMES.get(progress.step, progress.step)))
    if progress.share_pct is not None:
        parts.append(f"{progress.share_pct:g} %")
    return ", ".join(parts)


def steps_line(glance: Glance, look: Look) -> Line:
    """The steps of a job: behind it, under way, to come."""
    progress, glyphs = glance.progress, look.glyphs
    at = progress.steps.index(progress.step) if progress.step in progress.steps else -1
    is_over = not glance.job.is_live
    is_done = glance.job.state == "done"
    line: list[Piece] = [gap(1)]
    for place, step in enumerate(progress.steps):
        behind = is_done or place < at
        here = place == at and not behind
        sign = glyphs.check if behind else ("x" if is_over else glyphs.focus) if here else glyphs.dot
        role = "ok" if behind else ("error" if is_over else "progress") if here else "faint"
        line += [Piece(f"{sign} ", role), Piece(_(STEP_NAMES.get(step, step)), "text" if behind or here else "muted")]
        if place < len(progress.steps) - 1:
            line += [gap(1), Piece(glyphs.rule * 2, "rule"), gap(1)]
    return line


def state_pieces(glance: Glance) -> Line:
    """State, time, NPU, size of the results, process."""
    job = glance.job
    line: list[Piece] = [gap(1), Piece(_(STATE_NAMES[job.state]), f"{STATE_ROLES[job.state]} bold"), gap(1)]
    line += [Piece(elapsed_text(glance.elapsed_s), "text")]
    facts = [" ".join(f"npu{device}" for device in job.command.devices)]
    if glance.result_bytes:
        facts.append(_("{size} written").format(size=size_text(glance.result_bytes)))
    if job.is_live and job.process is not None:
        facts.append(_("pid {pid}, detached").format(pid=job.process.pid))
    told = progress_text(glance.progress) if job.is_live and job.command.tool == "aoe" else ""
    facts.append(told)
    for fact in filter(None, facts):
        line += [gap(3), Piece(fact, "text")]
    if job.reason:
        line += [gap(3), Piece(" - ".join(filter(None, (job.reason, job.hint))), "warn")]
    return line


def loop_line(loop: Sequence[LoopStep], look: Look, width_cells: int = 1 << 30) -> Line:
    """How far the loop of tuning is; where that is too long, what is behind goes first."""
    line = _loop_line(loop, look)
    while len(loop) > 1 and loop[0].is_done and width_of(line) > width_cells:
        loop = loop[1:]
        line = _loop_line(loop, look)
    return line


def _loop_line(loop: Sequence[LoopStep], look: Look) -> Line:
    glyphs = look.glyphs
    line: list[Piece] = [gap(1)]
    upcoming = next((step.name for step in loop if not step.is_done), "")
    for place, step in enumerate(loop):
        name = _(LOOP_NAMES[step.name])
        if step.is_done:
            gain = step.job.claimed_gain_pct if step.job is not None else None
            told = "" if gain is None else f" {gain:g} %"
            line += [Piece(name, "text"), Piece(f" {glyphs.check}", "ok"), Piece(told, "better")]
        else:
            line.append(Piece(name, "bright" if step.name == upcoming else "muted"))
        if place < len(loop) - 1:
            line += [gap(1), Piece(glyphs.step, "faint"), gap(1)]
    return line


def job_details(row: JobRow) -> list[Detail]:
    """Why it is as it is, command, results, notes of one job."""
    job = row.job
    details: list[Detail] = []
    if job.reason:
        details.append(Detail(_("reason"), [Piece(" - ".join(filter(None, (job.reason, job.hint))), "warn")]))
    if job.low_disk:
        details.append(Detail(_("disk"), [Piece(job.low_disk, "warn")]))
    if job.left_behind:
        details.append(Detail(_("alive"), " ".join(map(str, job.left_behind))))
    details += [Detail(_("command"), command_text(job.command)), Detail(_("folder"), job.command.cwd)]
    for result in job.results:
        details.append(Detail(_("left"), "  ".join(filter(None, (result.path, result.note)))))
    details += [Detail(_("note"), note) for note in job.notes]
    return details


def no_job_lines(key: str) -> list[Line]:
    """Nothing was run yet."""
    return [
        [],
        [gap(1), Piece(_("no jobs yet"), "text"), gap(3), Piece(key, "bright"), gap(1),
         Piece(_("measures a program or tunes a model"), "muted")],
    ]  # fmt: skip


def problem_lines(problems: Sequence[Problem] | None, look: Look, width_cells: int, most: int) -> list[Line]:
    """What speaks against starting; None while that is looked at."""
    label = pad(_("before start"), 13)
    if not problems:
        text = _("looking at NPUs, disk and options") if problems is None else _("nothing speaks against it")
        return [[gap(1), Piece(label, "muted"), gap(1), Piece(text, "muted" if problems is None else "text")]]
    lines: list[Line] = []
    for problem in problems:
        is_error = problem.severity == "error"
        sign = Piece("E" if is_error else "W", "error bold" if is_error else "warn bold")
        told = wrapped([Piece(look.shown(sentence(problem)), "text")], width_cells - 5)
        lines += [[gap(1), sign, gap(1), *told[0]], *([gap(3), *line] for line in told[1:])]
    return lines[:most]

"""What can be run next, filled in from what is looked at: the loop of tuning, the selected operators, earlier jobs."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.config import make_private_dir, state_dir
from tui.i18n import N_, _, ngettext
from tui.model.columns import cell_text
from tui.model.jobs import Job
from tui.model.machine import FoundTool
from tui.model.ops import column_of
from tui.tools.aoe import BANK_VARIABLE, OPERATOR, SUBGRAPH, JobType, tune_ops_text
from tui.tools.drafts import Draft, draft_of
from tui.tools.locate import Search, find_tool
from tui.tools.loop import measured_again, profile_of, steps, work_dir
from tui.tools.msprof import PRESETS
from widgets.choice import ChoiceItem

if TYPE_CHECKING:
    from tui.screens.frame import Frame

START_PRESET = "with core metrics"
OPS_KEPT = 1000
KINDS = {
    "profile": (N_("profile"), N_("msprof: measure a program")),
    "subgraph": (N_("tune subgraphs"), N_("aoe job_type 1: comes first, it fixes the final shapes")),
    "operator": (N_("tune operators"), N_("aoe job_type 2")),
    "again": (N_("profile again"), N_("the last msprof command on the tuned model")),
}


@dataclass(frozen=True)
class Wish:
    """What the user looked at when he asked for a run."""

    ops: tuple[str, ...] = ()
    """Operators that are selected."""
    profile: str = ""
    """The profile that is open, for a comparison later."""


def wish_of(frame: Frame) -> Wish:
    """What is selected on a screen."""
    session = frame.app.session
    return Wish(selected_ops(frame), str(session.profile.root) if session is not None else "")


def selected_ops(frame: Frame) -> tuple[str, ...]:
    """Names of the operators in the selected rows; empty when none is selected."""
    from tui.screens.table_screen import TableScreen

    if not isinstance(frame, TableScreen) or frame.KIND not in ("ops", "tuning"):
        return ()
    applied = frame.applied
    column = column_of(applied.shown.table, "op_name") if applied is not None else None
    if applied is None or column is None or applied.shown.groups is not None:
        return ()
    rows = (int(applied.shown.rows[place]) for place in sorted(frame.grid.selection)[:OPS_KEPT])
    return tuple(dict.fromkeys(cell_text(column, row) for row in rows))


@dataclass(frozen=True)
class Starting:
    """What the menu is made of. Gathered in a thread."""

    wish: Wish
    jobs: tuple[Job, ...]
    msprof: FoundTool
    aoe: FoundTool


def gathered(wish: Wish, setting: str, jobs: Sequence[Job]) -> Starting:
    """Where the tools are; looks at files and may source `set_env.sh`, so not for the screen's thread."""
    search = Search(setting)
    return Starting(wish, tuple(jobs), find_tool("msprof", search), find_tool("aoe", search))


def menu_items(starting: Starting) -> list[ChoiceItem]:
    """What can be run, the next step of the loop first."""
    done = {step.name: step for step in steps(starting.jobs)}
    offered = [name for name in KINDS if name != "again" or _collection(starting.jobs) is not None]
    if starting.wish.ops:
        upcoming = "operator"
    else:
        upcoming = next((name for name in offered if not done[name].is_done), "profile")  # type: ignore[index]
    ordered = [upcoming, *(name for name in offered if name != upcoming)]
    return [ChoiceItem(name, _(KINDS[name][0]), _help(name, starting)) for name in ordered]


def _help(name: str, starting: Starting) -> str:
    count = len(starting.wish.ops)
    if name == "operator" and count:
        chosen = ngettext("{n} selected operator", "{n} selected operators", count).format(n=count)
        return f"{_(KINDS[name][1])}: {chosen}"
    return _(KINDS[name][1])


def draft_for(name: str, starting: Starting) -> Draft:
    """The form for one entry of the menu, filled in. May write the file of operators."""
    if name in ("profile", "again"):
        return _measuring(name, starting)
    return _tuning(SUBGRAPH if name == "subgraph" else OPERATOR, starting)


def _measuring(name: str, starting: Starting) -> Draft:
    before = _collection(starting.jobs)
    baseline = starting.wish.profile
    if before is None:
        values = {"output": "./prof", **dict(PRESETS[START_PRESET])}
        return Draft("msprof", starting.msprof, values, os.getcwd(), START_PRESET, baseline)
    if name == "again":
        tuned = next((result.path for job in starting.jobs if job.command.tool == "aoe" and job.state == "done"
                      for result in job.results if result.kind == "model"), "")  # fmt: skip
        again = measured_again(before.command, tuned, profile_of(before))
        return draft_of(again, starting.msprof)
    return replace(draft_of(before.command, starting.msprof), baseline=baseline)


def _collection(jobs: Sequence[Job]) -> Job | None:
    """The newest collection; jobs come newest first."""
    found = (job for job in jobs if job.command.tool == "msprof" and job.command.purpose == "collect")
    return next(found, None)


def _tuning(job_type: JobType, starting: Starting) -> Draft:
    before = next((job for job in starting.jobs if job.command.tool == "aoe"), None)
    values: dict[str, str] = {}
    if before is not None:
        earlier = draft_of(before.command, starting.aoe).values
        values = {key: earlier[key] for key in ("model", "framework", "bank", "device") if earlier.get(key)}
    elif os.environ.get(BANK_VARIABLE):
        values["bank"] = os.environ[BANK_VARIABLE]
    if job_type == OPERATOR and starting.wish.ops:
        values["tune_ops_file"] = str(_ops_file(starting.wish.ops))
    folder = work_dir(str(Path(before.command.cwd).parent) if before is not None else os.getcwd())
    base = {"model": "", "job_type": job_type, "cwd": folder}
    filled = {key: value for key, value in {**base, **values}.items() if value}
    return Draft("aoe", starting.aoe, filled, os.getcwd(), baseline=starting.wish.profile)


def _ops_file(names: Sequence[str]) -> Path:
    """The file that names the operators to tune."""
    path = make_private_dir(state_dir() / "tune_ops") / f"{time.strftime('%Y%m%d_%H%M%S')}.json"
    path.write_text(tune_ops_text(names), encoding="utf-8")
    return path

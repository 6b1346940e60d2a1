"""What can be run next, filled in from what is looked at: the loop of tuning, the selected operators, earlier jobs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.config import make_private_dir, state_dir
from tui.i18n import N_, _, ngettext
from tui.model.columns import cell_text
from tui.model.jobs import Job, ResultKind
from tui.model.machine import FoundTool
from tui.model.ops import column_of
from tui.tools.aoe import BANK_VARIABLE, OPERATOR, SUBGRAPH, JobType, tune_ops_text
from tui.tools.drafts import Draft, draft_of
from tui.tools.locate import Search, find_tool
from tui.tools.loop import measured_again, profile_of, steps, work_dir
from tui.tools.msprof import PRESETS
from tui.tools.prof_dirs import NAME, unexported
from widgets.choice import ChoiceItem

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.screens.frame import Frame

START_PRESET = "with core metrics"
OPS_KEPT = 1000
LOOP_KINDS = {
    "profile": (N_("profile"), N_("msprof: measure a program")),
    "subgraph": (N_("tune subgraphs"), N_("aoe job_type 1: comes first, it fixes the final shapes")),
    "operator": (N_("tune operators"), N_("aoe job_type 2")),
    "again": (N_("profile again"), N_("the last msprof command on the tuned model")),
}
OTHER_KINDS = {
    "export": (N_("export"), N_("msprof: make tables and timeline of {name}")),
    "build": (N_("build a model"), N_("atc: with a tuned bank, in another precision")),
    "msame": (N_("run a model"), N_("msame: inference times of an .om")),
    "ais_bench": (N_("benchmark"), N_("ais_bench: times and throughput of an .om")),
    "system": (N_("profile machine"), N_("msprof: NPU, memory and host for some seconds")),
}
SYSTEM_VALUES = {"output": "./prof", "sys-devices": "all", "sys-period": "10", "sys-hardware-mem": "on"}


@dataclass(frozen=True)
class Wish:
    """What the user looked at when he asked for a run."""

    ops: tuple[str, ...] = ()
    """Operators that are selected."""
    profile: str = ""
    """The profile that is open, for a comparison later."""
    place: str = ""
    """The path that is open, which may hold several profiles."""
    job: Job | None = None
    """The job under the cursor."""


def is_raw(app: NpuscopeApp) -> bool:
    """Whether what is open was collected by msprof but not exported, so that an export is what comes next."""
    session = app.session
    return session is not None and session.profile.kind == "raw" and bool(NAME.fullmatch(session.profile.root.name))


def wish_of(frame: Frame) -> Wish:
    """What is selected on a screen."""
    from tui.screens.run_base import RunFrame

    session = frame.app.session
    job = frame.chosen_job() if isinstance(frame, RunFrame) else None
    return Wish(selected_ops(frame), str(session.profile.root) if session is not None else "", str(frame.app.path), job)


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
    tools: str = ""
    """The setting that says where tools are."""
    chip: str = ""
    """`--soc_version` of the first NPU; empty when it is not known."""
    raw: str = ""
    """A PROF folder that was collected but not exported, or a folder with several; empty without any."""
    raw_is_open: bool = False
    """Whether nothing else can be seen of what is open."""

    def find(self, tool: str) -> FoundTool:
        """Where a tool is; looks at files and may source `set_env.sh`, so not for the screen's thread."""
        return find_tool(tool, Search(self.tools))


def gathered(wish: Wish, setting: str, jobs: Sequence[Job], chip: str = "") -> Starting:
    """Looks for folders that wait for an export, so not for the screen's thread."""
    left = [result.path for result in wish.job.results if result.kind == "profile"] if wish.job is not None else []
    raw = next((found for place in (*left, wish.profile, wish.place) if place and (found := _raw(place))), "")
    return Starting(wish, tuple(jobs), setting, chip, raw, bool(raw) and raw in (*left, wish.profile))


def _raw(place: str) -> str:
    found = unexported(place)
    return str(found[0]) if len(found) == 1 else place if found else ""


def menu_items(starting: Starting) -> list[ChoiceItem]:
    """What can be run, the next step first."""
    done = {step.name: step for step in steps(starting.jobs)}
    offered = [name for name in LOOP_KINDS if name != "again" or _collection(starting.jobs) is not None]
    offered += [name for name in OTHER_KINDS if name != "export" or starting.raw]
    if starting.raw_is_open:
        upcoming = "export"
    elif starting.wish.ops:
        upcoming = "operator"
    else:
        loop = [name for name in offered if name in LOOP_KINDS]
        upcoming = next((name for name in loop if not done[name].is_done), "profile")  # type: ignore[index]
    ordered = [upcoming, *(name for name in offered if name != upcoming)]
    return [_item(name, starting) for name in ordered]


def _item(name: str, starting: Starting) -> ChoiceItem:
    title, told = {**LOOP_KINDS, **OTHER_KINDS}[name]
    text, count = _(told), len(starting.wish.ops)
    if name == "export":
        text = text.format(name=os.path.basename(starting.raw))
    elif name == "operator" and count:
        chosen = ngettext("{n} selected operator", "{n} selected operators", count).format(n=count)
        text = f"{text}: {chosen}"
    return ChoiceItem(name, _(title), text)


def draft_for(name: str, starting: Starting) -> Draft:
    """The form for one entry of the menu, filled in. Looks for the tool; may write the file of operators."""
    return replace(_DRAFTS[name](starting), baseline=_baseline(name, starting))


def _baseline(name: str, starting: Starting) -> str:
    before = _collection(starting.jobs)
    return profile_of(before) if name == "again" and before is not None else starting.wish.profile


def _measuring(starting: Starting) -> Draft:
    before, found = _collection(starting.jobs), starting.find("msprof")
    if before is not None:
        return draft_of(before.command, found)
    values = {"output": "./prof", **dict(PRESETS[START_PRESET])}
    return Draft("collect", found, values, os.getcwd(), START_PRESET)


def _measuring_again(starting: Starting) -> Draft:
    before = _collection(starting.jobs)
    if before is None:
        return _measuring(starting)
    tuned = _newest(starting.jobs, "model", ("aoe",))
    return draft_of(measured_again(before.command, tuned, profile_of(before)), starting.find("msprof"))


def _collection(jobs: Sequence[Job]) -> Job | None:
    """The newest collection; jobs come newest first."""
    found = (job for job in jobs if job.command.tool == "msprof" and job.command.purpose == "collect")
    return next(found, None)


def _newest(jobs: Sequence[Job], kind: ResultKind, tools: Sequence[str]) -> str:
    """Path of the newest result of a kind that one of these tools left, or empty."""
    good = (job for job in jobs if job.command.tool in tools and job.state == "done")
    return next((result.path for job in good for result in job.results if result.kind == kind), "")


def _exporting(starting: Starting) -> Draft:
    values = {"export": "on", **({"output": starting.raw} if starting.raw else {})}
    return Draft("offline", starting.find("msprof"), values, os.path.dirname(starting.raw) or "/")


def _system(starting: Starting) -> Draft:
    return Draft("system", starting.find("msprof"), SYSTEM_VALUES, os.getcwd())


def _tuning(job_type: JobType) -> Callable[[Starting], Draft]:
    def draft(starting: Starting) -> Draft:
        before = next((job for job in starting.jobs if job.command.tool == "aoe"), None)
        found = starting.find("aoe")
        values = _carried_over(before, found)
        if job_type == OPERATOR and starting.wish.ops:
            values["tune_ops_file"] = str(_ops_file(starting.wish.ops))
        folder = work_dir(str(Path(before.command.cwd).parent) if before is not None else os.getcwd())
        base = {"model": "", "job_type": job_type, "cwd": folder}
        filled = {key: value for key, value in {**base, **values}.items() if value}
        return Draft("tune", found, filled, os.getcwd())

    return draft


def _carried_over(before: Job | None, found: FoundTool) -> dict[str, str]:
    """What stays the same from one tuning to the next."""
    if before is not None:
        earlier = draft_of(before.command, found).values
        return {key: earlier[key] for key in ("model", "framework", "bank", "device") if earlier.get(key)}
    return {"bank": os.environ[BANK_VARIABLE]} if os.environ.get(BANK_VARIABLE) else {}


def _building(starting: Starting) -> Draft:
    """The build before, else the model of the last tuning with its bank."""
    found = starting.find("atc")
    before = next((job for job in starting.jobs if job.command.tool == "atc"), None)
    if before is not None:
        return draft_of(before.command, found)
    tuning = next((job for job in starting.jobs if job.command.tool == "aoe"), None)
    earlier = draft_of(tuning.command, found).values if tuning is not None else {}
    values = {key: earlier.get(key, "") for key in ("model", "framework", "input_shape", "precision_mode", "bank")}
    model = values["model"]
    values = {"model": model, "output": Path(model).stem if model else "", "soc_version": starting.chip, **values}
    return Draft("build", found, {key: value for key, value in values.items() if value}, os.getcwd())


def _running(tool: str, model: str) -> Callable[[Starting], Draft]:
    def draft(starting: Starting) -> Draft:
        found = starting.find(tool)
        before = next((job for job in starting.jobs if job.command.tool == tool), None)
        if before is not None:
            return draft_of(before.command, found)
        om = _newest(starting.jobs, "model", ("aoe", "atc"))
        return Draft(tool, found, {**({model: om} if om else {}), "output": "./out"}, os.getcwd())

    return draft


_DRAFTS: Mapping[str, Callable[[Starting], Draft]] = {
    "profile": _measuring,
    "again": _measuring_again,
    "subgraph": _tuning(SUBGRAPH),
    "operator": _tuning(OPERATOR),
    "export": _exporting,
    "build": _building,
    "msame": _running("msame", "model"),
    "ais_bench": _running("ais_bench", "om-model"),
    "system": _system,
}
MENU_OF_TOOL = {"msprof": "profile", "aoe": "subgraph", "atc": "build", "msame": "msame", "ais_bench": "ais_bench"}
"""The entry of the menu whose form takes a command line of a tool."""


def draft_of_line(line: str, tool: str, starting: Starting) -> Draft:
    """The form for a command line that was typed.

    Raises:
        BadExpression: a quote is not closed, or nothing is left.
    """
    return draft_for(MENU_OF_TOOL[tool], starting).with_line(line)


def _ops_file(names: Sequence[str]) -> Path:
    """The file that names the operators to tune."""
    path = make_private_dir(state_dir() / "tune_ops") / f"{time.strftime('%Y%m%d_%H%M%S')}.json"
    path.write_text(tune_ops_text(names), encoding="utf-8")
    return path

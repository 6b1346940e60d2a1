"""A look at the machine: tools, toolkits, NPUs, disks, permissions, with what to do about each lack."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tui.config import state_dir
from tui.i18n import _
from tui.model.machine import Machine, NpuReport
from tui.model.problem import Problem
from tui.tools.aoe import NEEDED_DISK_BYTES
from tui.tools.locate import ANYWHERE, Search, find_tools
from tui.tools.npu_smi import npu_report
from tui.tools.ownership import disk_at, user_problems
from tui.tools.problems import doubtful
from tui.tools.prof_dirs import unexported
from tui.tools.query import ask
from tui.tools.toolkits import driver_version
from tui.units import size_text

_PYTHON = re.compile(r"Python (\d+)\.(\d+)\.(\d+)")
_OLDEST_PYTHON = (3, 7, 5)


def machine(search: Search = ANYWHERE, folders: Sequence[str] = ()) -> Machine:
    """Everything there is to know. Runs `npu-smi` and `python3`, so never on the screen's thread.

    Args:
        folders: Whose room on disk is asked for besides that of the usual ones.
    """
    tools = find_tools(search=search)
    smi = next(tool for tool in tools if tool.name == "npu-smi")
    npus = npu_report(smi.path) if smi.usable else NpuReport(problem=smi.problem, hint=smi.hint)
    places = dict.fromkeys((*folders, os.getcwd(), str(Path.home()), str(state_dir())))
    disks = tuple(disk for place in places if (disk := disk_at(place)) is not None)
    problems = (*user_problems(), *_python_problems(search), *_variable_problems(search))
    raw = _unexported(os.getcwd())
    room = list(_disk_problems(disks[0].free_bytes, disks[0].path)) if disks else []
    return Machine(tools, search.toolkits(), npus, npus.version or driver_version(), disks, (*problems, *room, *raw))


def _disk_problems(free_bytes: int, path: str) -> Iterator[Problem]:
    if free_bytes < NEEDED_DISK_BYTES:
        what = _("only {free} are free at {path}").format(free=size_text(free_bytes), path=path)
        hint = _("make room, or work in another folder: aoe needs {needed}").format(needed=size_text(NEEDED_DISK_BYTES))
        yield doubtful(_("disk"), what, hint)


def _unexported(folder: str) -> Iterator[Problem]:
    for prof in unexported(folder):
        hint = f"npuscope run msprof -- --export=on --output={shlex.quote(str(prof))}"
        yield doubtful(prof.name, _("was collected but not exported"), hint)


def _python_problems(search: Search) -> Iterator[Problem]:
    """The python3 of PATH is the one that msprof exports with."""
    path = shutil.which("python3", path=search.variables().get("PATH", os.defpath))
    if path is None:
        yield doubtful("python3", _("is not found: msprof cannot export"), _("install Python, or use --python-path"))
        return
    match = _PYTHON.search(ask((path, "--version")).text)
    if match and tuple(map(int, match.groups())) < _OLDEST_PYTHON:
        what = _("{path} is Python {version}; msprof needs 3.7.5").format(path=path, version=match.group()[7:])
        yield doubtful("python3", what, _("use --python-path"))
    elif search.variables().get("VIRTUAL_ENV") and path.startswith(search.variables()["VIRTUAL_ENV"]):
        what = _("{path} is of a virtual environment, and msprof exports with it").format(path=path)
        yield doubtful("python3", what, _("use --python-path if the export fails"))


def _variable_problems(search: Search) -> Iterator[Problem]:
    if search.variables().get("ASCEND_SLOG_PRINT_TO_STDOUT") == "1":
        what = _("floods the output with logs")
        yield doubtful("ASCEND_SLOG_PRINT_TO_STDOUT", what, _("jobs are started without it"))
    bank = search.variables().get("TUNE_BANK_PATH", "")
    if bank and not os.path.isdir(bank):
        what = _("names {path}, which is not there: aoe would end with an error").format(path=bank)
        yield doubtful("TUNE_BANK_PATH", what, _("mkdir -p {path}").format(path=bank))

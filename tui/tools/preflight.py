"""What is to be said before a command is started: its options, the NPUs, the disk, what else runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.i18n import _
from tui.model.jobs import Command, Job
from tui.model.machine import Npu, NpuProcess
from tui.model.problem import Problem
from tui.tools.aoe import aoe_problems, order_advice
from tui.tools.atc import atc_problems
from tui.tools.infer import infer_problems
from tui.tools.msprof import app_form
from tui.tools.msprof_check import msprof_problems, parse
from tui.tools.ownership import disk_at
from tui.tools.problems import doubtful, wrong
from tui.units import size_text

MSPROF_MINIMUM_BYTES = 20 << 20
LOW_DISK_BYTES = 5 << 30
"""A collection writes 50 to 60 MB/s per NPU."""


@dataclass(frozen=True)
class Surroundings:
    """What is known of the machine and of other jobs."""

    npus: Sequence[Npu] = ()
    known_options: frozenset[str] | None = None
    """What `msprof --help` listed; None when it was not asked."""
    jobs: Sequence[Job] = ()
    toolkit_version: str = ""
    """Of the toolkit that holds the tool; empty when unknown."""

    @property
    def chip(self) -> str:
        """Name of the first chip; empty when unknown."""
        return self.npus[0].name if self.npus else ""


def problems_of(command: Command, around: Surroundings = Surroundings()) -> list[Problem]:
    """Everything that speaks against starting a command, errors first. Only errors keep it from being started."""
    found = [
        *_by_tool(command, around),
        *device_problems(command, around),
        *disk_problems(command),
        *acl_problems(command),
        *_advice(command, around.jobs),
    ]
    return sorted(found, key=lambda problem: problem.severity != "error")


def _by_tool(command: Command, around: Surroundings) -> Iterable[Problem]:
    if command.tool == "msprof":
        found = msprof_problems(command.argv[1:], around.chip, around.known_options, command.cwd)
        return [*found, *_form_problems(command, around.toolkit_version)]
    if command.tool == "aoe":
        return aoe_problems(command)
    if command.tool == "atc":
        return atc_problems(command)
    return infer_problems(command)


def _form_problems(command: Command, version: str) -> Iterator[Problem]:
    """The program behind the options is only understood since CANN 8.0.RC3."""
    if parse(command.argv[1:]).app and app_form(version) == "application":
        what = _("msprof of CANN {version} does not take it behind the options").format(version=version)
        yield wrong(_("program"), what, _('write --application="…"'))


def _advice(command: Command, jobs: Iterable[Job]) -> Iterator[Problem]:
    if command.tool == "aoe" and (advice := order_advice(command, jobs)) is not None:
        yield advice


def device_problems(command: Command, around: Surroundings) -> Iterator[Problem]:
    """NPUs that are in use: by a job of ours it would wait, with others it would share."""
    for job in around.jobs:
        shared = sorted(set(command.devices) & set(job.command.devices))
        if shared and (job.is_live or job.left_behind):
            what = _("is used by job {number} ({tool})").format(number=job.id, tool=job.command.tool)
            consequence = _("the new job waits until that one is over")
            yield doubtful(_("NPU {device}").format(device=shared[0]), what, consequence=consequence)
    ours = {pid for job in around.jobs for pid in job.left_behind}
    for place, npu in enumerate(around.npus):
        device = npu.device if npu.device is not None else place
        others = [process for process in npu.processes if process.pid not in ours]
        if device in command.devices and others:
            names = ", ".join(map(process_text, others[:3]))
            yield doubtful(_("NPU {device}").format(device=device), _("is used by {names}").format(names=names),
                           consequence=_("times will not be those of an idle NPU"))  # fmt: skip
        if device in command.devices and npu.health not in ("", "OK"):
            yield doubtful(
                _("NPU {device}").format(device=device), _("is not well: {health}").format(health=npu.health)
            )


def process_text(process: NpuProcess) -> str:
    """A process on an NPU: `python3 (1234)`, with its owner where that is known."""
    who = " ".join(filter(None, (str(process.pid), process.user)))
    return f"{process.name} ({who})"


def disk_problems(command: Command) -> Iterator[Problem]:
    """Little room where the results go."""
    if command.tool == "aoe":
        return
    disk = disk_at(command.output or command.cwd)
    if disk is None or disk.free_bytes >= LOW_DISK_BYTES:
        return
    what = _("only {free} are free at {path}").format(free=size_text(disk.free_bytes), path=disk.path)
    if command.tool == "msprof" and disk.free_bytes < MSPROF_MINIMUM_BYTES:
        yield wrong(_("disk"), what, _("make room: msprof does not start with less than 20 MB"))
    else:
        yield doubtful(_("disk"), what, _("make room, or limit the data with --storage-limit"))


def acl_problems(command: Command) -> Iterator[Problem]:
    """Measuring does not go together with dumping operators, nor with a profiler that acl.json switches on."""
    if command.tool != "msprof" or command.purpose not in ("collect", "dynamic"):
        return
    words = parse(command.argv[1:]).app
    pairs = list(zip(words, words[1:]))
    if ("--dump", "1") in pairs or "--dump=1" in words or ("--dump", "true") in pairs:
        yield wrong("--dump", _("measuring and dumping operators exclude each other"), _("run it twice"))
    for path in _acl_files(command, words):
        settings = _settings_in(path)
        if settings.get("dump"):
            yield doubtful(str(path), _("switches on the dump of operators"), _("take it out while you measure"))
        profiler = settings.get("profiler")
        if isinstance(profiler, dict) and profiler.get("switch") == "on":
            yield doubtful(str(path), _("switches on a profiler of its own"), _("take it out: two do not go together"))


def _acl_files(command: Command, words: Sequence[str]) -> Iterator[Path]:
    named = [word.rpartition("=")[2] for word in words if word.endswith("acl.json")]
    for name in dict.fromkeys(("acl.json", *named)):
        path = Path(command.cwd, name)
        if path.is_file() and os.access(path, os.R_OK):
            yield path


def _settings_in(path: Path) -> dict[str, object]:
    try:
        data = json.loads(path.read_bytes()[: 1 << 20])
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}

"""Command lines of msprof: pure functions from requests to argv (formats: tools 2.1, 2.4). Never through a shell."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Union

from tui.errors import BadExpression
from tui.i18n import N_, _
from tui.model.jobs import Command, Purpose
from tui.tools.locate import environment_with
from tui.tools.msprof_check import INTERPRETERS, Parsed, parse
from tui.tools.toolkits import release_of

AppForm = Literal["positional", "application"]
POSITIONAL_SINCE = (8, 0, 3, 0)
"""Release that takes the program behind the options: 8.0.RC3."""

OfflineMode = Literal["export", "parse", "query", "analyze"]
Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CollectRequest:
    """Measure a program."""

    application: tuple[str, ...]
    """The program and its arguments."""
    output: str
    """Absolute folder for the PROF folders."""
    options: Options = ()
    """Further options by name, without dashes, in order."""
    form: AppForm = "positional"
    cwd: str = "/"
    device: int = 0
    """NPU that the program uses; only so that nothing else of ours uses it meanwhile."""


@dataclass(frozen=True)
class DynamicRequest:
    """Start and stop measuring by hand: a program, or a process started with PROFILING_MODE=dynamic."""

    output: str
    application: tuple[str, ...] = ()
    pid: int | None = None
    options: Options = ()
    form: AppForm = "positional"
    cwd: str = "/"
    device: int = 0


@dataclass(frozen=True)
class SystemRequest:
    """Measure the whole machine for some time, without a program."""

    output: str
    period_s: int
    devices: str = "all"
    """`all`, `0,1`, or empty for the host alone."""
    options: Options = ()
    cwd: str = "/"


@dataclass(frozen=True)
class OfflineRequest:
    """Work on what was collected: export, parse or query a PROF folder."""

    mode: OfflineMode
    output: str
    """The PROF folder, or a folder that holds several."""
    options: Options = ()
    cwd: str = "/"


MsprofRequest = Union[CollectRequest, DynamicRequest, SystemRequest, OfflineRequest]


def app_form(version: str) -> AppForm:
    """How the program is given to the msprof of a toolkit: behind the options since 8.0.RC3; also when unknown."""
    release = release_of(version)
    return "application" if any(release) and release < POSITIONAL_SINCE else "positional"


def msprof_arguments(request: MsprofRequest) -> tuple[str, ...]:
    """The words behind `msprof`: every option as `--name=value`, the program last.

    Raises:
        BadExpression: an argument of the program cannot be said in the `--application` form.
    """
    head: list[tuple[str, str]] = [("output", request.output)]
    if isinstance(request, OfflineRequest):
        return _words(((request.mode, "on"), *head, *request.options))
    if isinstance(request, SystemRequest):
        devices = (("sys-devices", request.devices),) if request.devices else ()
        return _words((*head, *devices, ("sys-period", str(request.period_s)), *request.options))
    if isinstance(request, DynamicRequest):
        head.append(("dynamic", "on"))
        if request.pid is not None:
            head.append(("pid", str(request.pid)))
    return _with_application(request.application, request.form, (*head, *request.options))


def _words(options: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"--{name}={value}" for name, value in options)


def _with_application(app: Sequence[str], form: AppForm, options: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    if form == "positional" or not app:
        return (*_words(options), *app)
    for word in app:
        if not word or any(character.isspace() for character in word):
            raise BadExpression(
                _("the argument {word} cannot be given to this msprof: it splits at spaces").format(word=repr(word)),
                _("wrap the call in a script, or use CANN 8.0.RC3 or newer"),
            )
    return _words((*options, ("application", " ".join(app))))


def msprof_command(
    request: MsprofRequest, program: str = "msprof", variables: Sequence[tuple[str, str | None]] = ()
) -> Command:
    """The job that a request stands for.

    Args:
        program: Path of msprof.
        variables: What its environment needs (`FoundTool.variables`).
    """
    return command_of((program, *msprof_arguments(request)), request.cwd, variables, device_of(request))


def device_of(request: MsprofRequest) -> int:
    """The NPU that a request is about; 0 when it does not say."""
    return request.device if isinstance(request, (CollectRequest, DynamicRequest)) else 0


def command_of(
    argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]] = (), device: int = 0
) -> Command:
    """The job for a command line that was typed or edited.

    Args:
        argv: `msprof` and the words behind it.
        device: NPU that the program uses.
    """
    parsed = parse(argv[1:])
    purpose = _purpose(parsed)
    return Command(
        tool="msprof",
        argv=tuple(argv),
        cwd=cwd,
        purpose=purpose,
        env=tuple(variables),
        output=output_of(parsed, cwd, environment_with(variables)),
        devices=_devices(parsed, device) if purpose in ("collect", "dynamic", "system") else (),
        reads_input=purpose == "dynamic",
        title=" ".join(parsed.app) or parsed.options.get("application", "") or parsed.options.get("output", ""),
    )


def output_of(parsed: Parsed, cwd: str, environ: Mapping[str, str]) -> str:
    """Where msprof puts its folders when asked like this (formats: tools 2.5)."""
    chosen = parsed.options.get("output") or environ.get("ASCEND_WORK_PATH", "")
    if chosen:
        return os.path.normpath(os.path.join(cwd, chosen, "" if "output" in parsed.options else "profiling_data"))
    program = parsed.options.get("application", "").split(" ")[0]
    if program and os.path.basename(program) not in INTERPRETERS:
        return os.path.normpath(os.path.join(cwd, os.path.dirname(program)))
    return cwd


def _purpose(parsed: Parsed) -> Purpose:
    if parsed.options.get("dynamic") == "on":
        return "dynamic"
    if parsed.offline:
        return parsed.offline  # type: ignore[return-value]
    return "system" if parsed.is_system else "collect"


def _devices(parsed: Parsed, device: int) -> tuple[int, ...]:
    listed = parsed.options.get("sys-devices", "")
    numbers = tuple(int(part) for part in listed.split(",") if part.isdecimal())
    return numbers or (device,)


PRESETS: Mapping[str, Options] = {
    "inference quick": (("ascendcl", "on"), ("task-time", "l1"), ("ai-core", "off")),
    "with core metrics": (("ascendcl", "on"), ("task-time", "l1"), ("aic-metrics", "PipeUtilization"), ("aicpu", "on")),
    "with memory metrics": (("ascendcl", "on"), ("task-time", "l1"), ("aic-metrics", "Memory"), ("l2", "on")),
    "with frequency": (
        ("ascendcl", "on"),
        ("task-time", "l1"),
        ("aic-metrics", "PipeUtilization"),
        ("sys-hardware-mem", "on"),
        ("sys-hardware-mem-freq", "50"),
    ),
    "everything of the host": (
        ("ascendcl", "on"),
        ("runtime-api", "on"),
        ("ge-api", "l1"),
        ("aicpu", "on"),
        ("task-time", "l1"),
    ),
}
"""Named sets of options. Nothing is ever added beside them."""

PRESET_NAMES: Mapping[str, str] = {
    "inference quick": N_("inference quick"),
    "with core metrics": N_("with core metrics"),
    "with memory metrics": N_("with memory metrics"),
    "with frequency": N_("with frequency"),
    "everything of the host": N_("everything of the host"),
}
"""What people read, by the name of a preset."""


def with_preset(request: CollectRequest, name: str) -> CollectRequest:
    """The request with the options of a preset in place of its own.

    Raises:
        KeyError: there is no preset of that name.
    """
    return replace(request, options=PRESETS[name])


def export_request(prof: str) -> OfflineRequest:
    """Exports a PROF folder that was collected but not exported."""
    return OfflineRequest("export", prof)

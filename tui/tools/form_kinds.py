"""The kinds of forms: which fields each begins with, what a field becomes, the command that the values stand for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Callable

from tui.i18n import N_
from tui.model.jobs import Command, ToolName
from tui.model.machine import FoundTool
from tui.tools.aoe import AOE, BANK_VARIABLE, AoeRequest, aoe_command, read_aoe
from tui.tools.atc import ATC, AtcRequest, atc_command, read_atc
from tui.tools.command_line import words_of
from tui.tools.infer import AIS_BENCH, MSAME, ais_bench_command, msame_command, read_ais_bench, read_msame
from tui.tools.msprof import CollectRequest, OfflineMode, OfflineRequest, app_form, msprof_command
from tui.tools.msprof_check import parse
from tui.tools.msprof_options import MSPROF, OFFLINE_MODES
from tui.tools.options import Option

DEVICE_VARIABLE = "ASCEND_DEVICE_ID"
NPU = "npu"
"""Field of the NPU that a program under msprof uses; msprof has no option for it."""

Values = Mapping[str, str]
"""What the fields hold, by name; a field that is left out is not among them."""


@dataclass(frozen=True)
class FormKind:
    """One kind of form."""

    tool: ToolName
    title: str
    """What it does (message id)."""
    fields: tuple[str, ...]
    """Fields that it begins with; the other options of the table can be chosen."""
    options: Mapping[str, Option]
    build: Callable[[Values, str, FoundTool], Command]
    """The command for some values, a folder that relative paths begin at, and a tool."""
    notes: Mapping[str, str]
    """What becomes of fields that are no option (message ids)."""
    paths: frozenset[str] = frozenset()
    """Fields whose paths are made absolute, because the tool works in a folder of its own."""
    kept: frozenset[str] = frozenset(("application", "output"))
    """Fields that a preset leaves alone."""


def _rest(values: Values, *without: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in values.items() if name not in without)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _collect(values: Values, cwd: str, found: FoundTool) -> Command:
    text = values.get("application", "")
    request = CollectRequest(
        words_of(text) if text.strip() else (), values.get("output", ""), _rest(values, "application", "output", NPU),
        app_form(found.toolkit.version if found.toolkit else ""), cwd, _number(values.get(NPU, "")),
    )  # fmt: skip
    return msprof_command(request, found.path or "msprof", found.variables)


def _offline(values: Values, cwd: str, found: FoundTool) -> Command:
    modes = [mode for mode in OFFLINE_MODES if values.get(mode) == "on"]
    mode: OfflineMode = modes[0] if modes else "export"  # type: ignore[assignment]
    request = OfflineRequest(mode, values.get("output", ""), _rest(values, "output", mode), cwd)
    return msprof_command(request, found.path or "msprof", found.variables)


_AOE_REQUEST = ("model", "job_type", "framework", "output", "tune_ops_file", "device", "cwd", "bank")


def _tune(values: Values, cwd: str, found: FoundTool) -> Command:
    more = tuple((name, "" if _is_flag(name) else value) for name, value in _rest(values, *_AOE_REQUEST))
    request = AoeRequest(
        values.get("model", ""), values.get("job_type", ""), values.get("cwd") or cwd,  # type: ignore[arg-type]
        values.get("framework", ""), values.get("output", ""), values.get("bank", ""),
        values.get("tune_ops_file", ""), _number(values.get("device", "")), more,
    )  # fmt: skip
    return aoe_command(request, found.path or "aoe", found.variables)


def _is_flag(name: str) -> bool:
    option = AOE.get(name)
    return option is not None and option.kind == "flag"


_ATC_REQUEST = ("model", "output", "soc_version", "framework", "bank")


def _build(values: Values, cwd: str, found: FoundTool) -> Command:
    request = AtcRequest(
        values.get("model", ""), values.get("output", ""), values.get("soc_version", ""), values.get("framework", ""),
        cwd=cwd, bank=values.get("bank", ""), options=_rest(values, *_ATC_REQUEST),
    )  # fmt: skip
    return atc_command(request, found.path or "atc", found.variables)


def _pairs(values: Values) -> Iterable[str]:
    """Name and value as two words: msame and ais_bench read them like that."""
    return (word for name, value in values.items() for word in (f"--{name}", value))


def _msame(values: Values, cwd: str, found: FoundTool) -> Command:
    return msame_command((found.path or "msame", *_pairs(values)), cwd, found.variables)


def _ais_bench(values: Values, cwd: str, found: FoundTool) -> Command:
    return ais_bench_command((found.path or "ais_bench", *_pairs(values)), cwd, found.variables)


FORM_KINDS: Mapping[str, FormKind] = {
    "collect": FormKind(
        "msprof", N_("collect with msprof"),
        ("application", "output", "task-time", "aic-metrics", "ascendcl", "runtime-api", "aicpu", "sys-hardware-mem",
         NPU),
        MSPROF, _collect, {NPU: N_("two jobs never share it")}, kept=frozenset(("application", "output", NPU)),
    ),
    "system": FormKind(
        "msprof", N_("measure the machine with msprof"),
        ("output", "sys-devices", "sys-period", "sys-hardware-mem", "sys-profiling", "sys-cpu-profiling",
         "sys-pid-profiling", "sys-io-profiling"),
        MSPROF, _collect, {},
    ),
    "offline": FormKind(
        "msprof", N_("export with msprof"), ("output", "type", "model-id", "iteration-id", "summary-format", "reports"),
        MSPROF, _offline, {},
    ),
    "tune": FormKind(
        "aoe", N_("tune with aoe"),
        ("model", "job_type", "cwd", "framework", "output", "bank", "tune_ops_file", "device"),
        AOE, _tune, {"cwd": N_("aoe runs in it"), "bank": BANK_VARIABLE, "device": DEVICE_VARIABLE},
        frozenset(("model", "cwd", "bank", "tune_ops_file")),
    ),
    "build": FormKind(
        "atc", N_("build a model with atc"),
        ("model", "output", "soc_version", "framework", "input_shape", "precision_mode", "keep_dtype", "bank"),
        ATC, _build, {"bank": BANK_VARIABLE},
    ),
    "msame": FormKind(
        "msame", N_("run a model with msame"), ("model", "input", "output", "outfmt", "loop", "device"),
        MSAME, _msame, {},
    ),
    "ais_bench": FormKind(
        "ais_bench", N_("run a model with ais_bench"),
        ("om-model", "input", "output", "outfmt", "loop", "warmup-count", "batch-size", "device"),
        AIS_BENCH, _ais_bench, {},
    ),
}  # fmt: skip


def kind_of(command: Command) -> str:
    """The kind of form that a command is filled in with; empty when it has none."""
    if command.tool == "msprof":
        return {"collect": "collect", "dynamic": "collect", "system": "system"}.get(command.purpose, "offline")
    return next((name for name, kind in FORM_KINDS.items() if kind.tool == command.tool), "")


def kind_of_tool(tool: str) -> str:
    """The kind of form that a command line of a tool begins as; empty when it has none."""
    return next((name for name, kind in FORM_KINDS.items() if kind.tool == tool), "")


def values_of(command: Command) -> dict[str, str]:
    """What the fields hold for a command."""
    words = command.argv[1:]
    if command.tool == "msprof":
        return _msprof_values(command)
    if command.tool == "msame":
        return dict(read_msame(words).values)
    if command.tool == "ais_bench":
        return dict(read_ais_bench(words).values)
    if command.tool == "atc":
        return {**read_atc(words).values, **({"bank": command.bank} if command.bank else {})}
    values = {name: value or "on" for name, value in read_aoe(words).values.items()}
    variables = {name: value or "" for name, value in command.env}
    more = {"cwd": command.cwd, "bank": command.bank, "device": variables.get(DEVICE_VARIABLE, "")}
    return {**values, **{name: value for name, value in more.items() if value and name not in values}}


def _msprof_values(command: Command) -> dict[str, str]:
    parsed = parse(command.argv[1:])
    values = {**dict(parsed.options), **({"application": shlex.join(parsed.app)} if parsed.app else {})}
    if command.purpose in ("collect", "dynamic") and command.devices and command.devices != (0,):
        values[NPU] = str(command.devices[0])
    return values


def absolute(path: str, cwd: str) -> str:
    """A path that was typed, from a folder on."""
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))

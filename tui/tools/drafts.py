"""A command while it is filled in: the fields of a form for msprof and aoe, and the command that they stand for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tui.i18n import N_, _
from tui.model.jobs import Command
from tui.model.machine import FoundTool
from tui.tools.aoe import AOE, BANK_VARIABLE, AoeRequest, aoe_command, read_aoe
from tui.tools.command_line import command_text, words_of
from tui.tools.launching import edited
from tui.tools.msprof import CollectRequest, app_form, msprof_command
from tui.tools.msprof_check import parse
from tui.tools.msprof_options import MSPROF
from tui.tools.options import Option

LABELS: Mapping[str, str] = {
    "application": N_("application"), "output": N_("output"), "task-time": N_("task time"),
    "aic-metrics": N_("core metrics"), "ascendcl": N_("AscendCL"), "runtime-api": N_("runtime API"),
    "aicpu": N_("AI CPU"), "sys-hardware-mem": N_("frequency"), "model": N_("model"), "job_type": N_("job type"),
    "cwd": N_("work folder"), "bank": N_("bank"), "tune_ops_file": N_("operators"), "framework": N_("framework"),
    "device": N_("device"), "tune_optimization_level": N_("level"),
}  # fmt: skip
"""What people read, by the name of a field; other fields are called like their option."""

FIRST_FIELDS: Mapping[str, tuple[str, ...]] = {
    "msprof": ("application", "output", "task-time", "aic-metrics", "ascendcl", "runtime-api", "aicpu",
               "sys-hardware-mem"),
    "aoe": ("model", "job_type", "cwd", "framework", "output", "bank", "tune_ops_file", "device"),
}  # fmt: skip
"""Fields that a form begins with; the other options of the table can be chosen."""

_REQUEST = frozenset(("model", "job_type", "framework", "output", "tune_ops_file", "device"))
_PATHS = frozenset(("model", "cwd", "bank", "tune_ops_file"))


@dataclass(frozen=True)
class Draft:
    """What a form holds."""

    tool: str
    """`msprof` or `aoe`."""
    found: FoundTool
    values: Mapping[str, str] = field(default_factory=dict)
    """By field; a field that is left out is not in it."""
    cwd: str = "/"
    """Absolute folder that relative paths begin at."""
    preset: str = ""
    baseline: str = ""
    extra: tuple[str, ...] = ()
    """Further fields that were chosen."""
    typed: Command | None = None
    """The command as it was edited by hand; a change of a field takes its place."""

    @property
    def options(self) -> Mapping[str, Option]:
        """The option table of the tool."""
        return MSPROF if self.tool == "msprof" else AOE

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields shown: the usual ones, those with a value, those that were chosen."""
        return tuple(dict.fromkeys((*FIRST_FIELDS[self.tool], *self.values, *self.extra)))

    def choices(self, name: str) -> tuple[str, ...]:
        """Values that a field is chosen from; empty when it is typed."""
        option = self.options.get(name)
        return option.choices if option is not None and option.kind != "list" else ()

    def default(self, name: str) -> str:
        """What the tool takes while the field is left out."""
        option = self.options.get(name)
        return option.default if option is not None else ""

    def note(self, name: str) -> str:
        """What the field becomes."""
        if name == "cwd":
            return _("aoe runs in it")
        return BANK_VARIABLE if name == "bank" else f"--{name}"

    def label(self, name: str) -> str:
        """What the field is called."""
        return _(LABELS[name]) if name in LABELS else name

    def changed(self, name: str, value: str) -> Draft:
        """With another value; an empty one leaves the field out."""
        if name in _PATHS and self.tool == "aoe" and value:
            value = os.path.normpath(os.path.join(self.cwd, os.path.expanduser(value)))
        values = {**self.values, name: value}
        if not value:
            del values[name]
        return replace(self, values=values, typed=None, preset=self.preset if name in ("application", "output") else "")

    def with_options(self, name: str, options: Sequence[tuple[str, str]]) -> Draft:
        """With the options of a preset in place of its own."""
        kept = {key: value for key, value in self.values.items() if key in ("application", "output")}
        return replace(self, values={**kept, **dict(options)}, preset=name, typed=None)

    def preset_options(self) -> tuple[tuple[str, str], ...]:
        """What a preset of it would keep."""
        return tuple((key, value) for key, value in self.values.items() if key not in ("application", "output"))

    def command(self) -> Command:
        """The command that it stands for.

        Raises:
            BadExpression: a quote of the application is not closed.
        """
        made = self.typed or (self._msprof() if self.tool == "msprof" else self._aoe())
        return replace(made, preset=self.preset, baseline=self.baseline)

    def _msprof(self) -> Command:
        text = self.values.get("application", "")
        request = CollectRequest(
            words_of(text) if text.strip() else (), self.values.get("output", ""), self.preset_options(), cwd=self.cwd,
            form=app_form(self.found.toolkit.version if self.found.toolkit else ""),
        )  # fmt: skip
        return msprof_command(request, self.found.path or "msprof", self.found.variables)

    def _aoe(self) -> Command:
        values = self.values
        more = tuple(
            (name, "" if self._is_flag(name) else value)
            for name, value in values.items()
            if name not in _REQUEST and name not in ("cwd", "bank")
        )
        device = values.get("device", "0")
        request = AoeRequest(
            values.get("model", ""), values.get("job_type", ""), values.get("cwd") or self.cwd,  # type: ignore[arg-type]
            values.get("framework", ""), values.get("output", ""), values.get("bank", ""),
            values.get("tune_ops_file", ""), int(device) if device.isdecimal() else 0, more,
        )  # fmt: skip
        return aoe_command(request, self.found.path or "aoe", self.found.variables)

    def _is_flag(self, name: str) -> bool:
        option = self.options.get(name)
        return option is not None and option.kind == "flag"

    def with_line(self, text: str) -> Draft:
        """With a command line that was edited; the fields are read from it.

        Raises:
            BadExpression: a quote is not closed, or nothing is left.
        """
        found = replace(self.found, path=self.found.path or self.tool)
        command = edited(self._untyped().command(), text, found)
        return replace(self, values=_values_of(command), typed=command)

    def _untyped(self) -> Draft:
        return replace(self, typed=None)

    def text(self) -> str:
        """The command line as it could be typed."""
        return command_text(self.command())


def draft_of(command: Command, found: FoundTool) -> Draft:
    """The form for a command that was run before."""
    return Draft(command.tool, found, _values_of(command), command.cwd, command.preset, command.baseline)


def _values_of(command: Command) -> dict[str, str]:
    if command.tool == "msprof":
        parsed = parse(command.argv[1:])
        app = {"application": shlex.join(parsed.app)} if parsed.app else {}
        return {**dict(parsed.options), **app}
    values = {name: value or "on" for name, value in read_aoe(command.argv[1:]).values.items()}
    variables = {name: value or "" for name, value in command.env}
    more = {"cwd": command.cwd, "bank": command.bank, "device": variables.get("ASCEND_DEVICE_ID", "")}
    return {**values, **{name: value for name, value in more.items() if value and name not in values}}

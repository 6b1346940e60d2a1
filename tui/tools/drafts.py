"""A command while it is filled in: the fields of a form, and the command that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tui.i18n import N_, _
from tui.model.jobs import Command, ToolName
from tui.model.machine import FoundTool
from tui.tools.command_line import command_text
from tui.tools.form_kinds import FORM_KINDS, NPU, FormKind, absolute, kind_of, values_of
from tui.tools.launching import edited
from tui.tools.options import Option

LABELS: Mapping[str, str] = {
    "application": N_("application"), "output": N_("output"), "task-time": N_("task time"),
    "aic-metrics": N_("core metrics"), "ascendcl": N_("AscendCL"), "runtime-api": N_("runtime API"),
    "aicpu": N_("AI CPU"), "sys-hardware-mem": N_("frequency"), "model": N_("model"), "job_type": N_("job type"),
    "cwd": N_("work folder"), "bank": N_("bank"), "tune_ops_file": N_("operators"), "framework": N_("framework"),
    "device": N_("device"), "tune_optimization_level": N_("level"), NPU: N_("NPU"), "sys-devices": N_("devices"),
    "sys-period": N_("seconds"), "soc_version": N_("chip"), "input_shape": N_("input shape"),
    "precision_mode": N_("precision"), "keep_dtype": N_("keep types"), "input": N_("input"),
    "outfmt": N_("output form"), "loop": N_("loops"), "om-model": N_("model"), "warmup-count": N_("warm-up"),
    "batch-size": N_("batch size"), "type": N_("type"), "model-id": N_("model id"), "iteration-id": N_("iteration"),
    "summary-format": N_("tables as"), "reports": N_("reports"),
}  # fmt: skip
"""What people read, by the name of a field; other fields are called like their option."""


@dataclass(frozen=True)
class Draft:
    """What a form holds."""

    kind: str
    """Key of `FORM_KINDS`."""
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
    def form(self) -> FormKind:
        """What kind of form it is."""
        return FORM_KINDS[self.kind]

    @property
    def tool(self) -> ToolName:
        """The program that is filled in."""
        return self.form.tool

    @property
    def options(self) -> Mapping[str, Option]:
        """The option table of the tool."""
        return self.form.options

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields shown: the usual ones, those with a value, those that were chosen."""
        return tuple(dict.fromkeys((*self.form.fields, *self.values, *self.extra)))

    @property
    def takes_presets(self) -> bool:
        """Whether there are named sets of options for it."""
        return self.kind == "collect"

    def choices(self, name: str) -> tuple[str, ...]:
        """Values that a field is chosen from; empty when it is typed."""
        option = self.options.get(name)
        if option is not None and option.kind == "flag":
            return ("on",)
        return option.choices if option is not None and option.kind != "list" else ()

    def default(self, name: str) -> str:
        """What the tool takes while the field is left out."""
        option = self.options.get(name)
        return "0" if name == NPU else option.default if option is not None else ""

    def note(self, name: str) -> str:
        """What the field becomes."""
        return _(self.form.notes[name]) if name in self.form.notes else f"--{name}"

    def label(self, name: str) -> str:
        """What the field is called."""
        return _(LABELS[name]) if name in LABELS else name

    def changed(self, name: str, value: str) -> Draft:
        """With another value; an empty one leaves the field out."""
        value = absolute(value, self.cwd) if name in self.form.paths and value else value
        values = {**self.values, name: value}
        if not value:
            del values[name]
        return replace(self, values=values, typed=None, preset=self.preset if name in self.form.kept else "")

    def with_options(self, name: str, options: Sequence[tuple[str, str]]) -> Draft:
        """With the options of a preset in place of its own."""
        kept = {key: value for key, value in self.values.items() if key in self.form.kept}
        return replace(self, values={**kept, **dict(options)}, preset=name, typed=None)

    def preset_options(self) -> tuple[tuple[str, str], ...]:
        """What a preset of it would keep."""
        return tuple((key, value) for key, value in self.values.items() if key not in self.form.kept)

    def command(self) -> Command:
        """The command that it stands for.

        Raises:
            BadExpression: a quote of the application is not closed.
        """
        made = self.typed or self.form.build(self.values, self.cwd, self.found)
        return replace(made, preset=self.preset, baseline=self.baseline)

    def with_line(self, text: str) -> Draft:
        """With a command line that was edited; the fields are read from it.

        Raises:
            BadExpression: a quote is not closed, or nothing is left.
        """
        found = replace(self.found, path=self.found.path or self.tool)
        command = edited(replace(self, typed=None).command(), text, found)
        return replace(self, kind=kind_of(command) or self.kind, values=values_of(command), typed=command)

    def text(self) -> str:
        """The command line as it could be typed."""
        return command_text(self.command())


def draft_of(command: Command, found: FoundTool) -> Draft:
    """The form for a command that was run before."""
    return Draft(kind_of(command), found, values_of(command), command.cwd, command.preset, command.baseline)

"""Command lines of atc, which builds a model for the NPU (formats: tools 4)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.i18n import _
from tui.model.jobs import Command
from tui.model.problem import Problem
from tui.tools.command_line import ReadOptions, read_options
from tui.tools.model_options import SHARED, file_checks, framework_of, model_checks, value_checks
from tui.tools.options import Option
from tui.tools.problems import doubtful, wrong

PRECISION_MODES_V2 = (
    "fp16", "origin", "cube_fp16in_fp32out", "mixed_float16", "mixed_bfloat16", "cube_hif8", "mixed_hif8",
)  # fmt: skip

ATC: Mapping[str, Option] = {
    option.name: option
    for option in (
        *SHARED,
        Option("soc_version", "text"),
        Option("precision_mode_v2", "choice", PRECISION_MODES_V2),
        Option("mode", "choice", ("0", "1", "3", "5", "6", "30"), default="0"),
        Option("om", "path"),
        Option("json", "text"),
        Option("op_bank_path", "path"),
        Option("mdl_bank_path", "path"),
        Option("check_report", "text"),
        Option("device_id", "int", low=0, high=1023),
        Option("core_type", "choice", ("AiCore", "VectorCore")),
        Option("save_original_model", "choice", ("true", "false")),
        Option("singleop", "path"),
        Option("op_compiler_cache_mode", "choice", ("enable", "disable", "force")),
        Option("op_compiler_cache_dir", "path"),
        Option("debug_dir", "path"),
        Option("display_model_info", "choice", ("0", "1")),
        Option("dump_mode", "choice", ("0", "1")),
        Option("deterministic", "choice", ("0", "1")),
        Option("optimization_switch", "text"),
        Option("external_weight", "choice", ("0", "1")),
        Option("tiling_schedule_optimize", "choice", ("0", "1")),
    )
}
"""Options of atc by name, without dashes."""

_FLAGS = frozenset(("help",))
_NO_OTHER_PRECISION = ("precision_mode", "precision_mode_v2")


@dataclass(frozen=True)
class AtcRequest:
    """Build a model."""

    model: str
    output: str
    """Path of the model without its suffix."""
    soc_version: str
    """`Ascend310P3`, `Ascend910B3` …"""
    framework: str = ""
    """Number as text; empty: by the suffix of the model."""
    weight: str = ""
    input_shape: str = ""
    precision_mode: str = ""
    precision_mode_v2: str = ""
    keep_dtype: str = ""
    """File of operators that keep their type."""
    modify_mixlist: str = ""
    op_precision_mode: str = ""
    customize_dtypes: str = ""
    cwd: str = "/"
    bank: str = ""
    """Knowledge bank of aoe (`TUNE_BANK_PATH`), so that a tuning is used."""
    options: tuple[tuple[str, str], ...] = ()


def atc_arguments(request: AtcRequest) -> tuple[str, ...]:
    """The words behind `atc`."""
    pairs = (
        ("model", request.model),
        ("weight", request.weight),
        ("framework", request.framework or framework_of(request.model)),
        ("output", request.output),
        ("soc_version", request.soc_version),
        ("input_shape", request.input_shape),
        ("precision_mode", request.precision_mode),
        ("precision_mode_v2", request.precision_mode_v2),
        ("keep_dtype", request.keep_dtype),
        ("modify_mixlist", request.modify_mixlist),
        ("op_precision_mode", request.op_precision_mode),
        ("customize_dtypes", request.customize_dtypes),
        *request.options,
    )
    return tuple(f"--{name}={value}" for name, value in pairs if value)


def graph_arguments(om: str, json_path: str) -> tuple[str, ...]:
    """The words behind `atc` that write the graph of a built model as JSON."""
    return ("--mode=1", f"--om={om}", f"--json={json_path}")


def atc_command(request: AtcRequest, program: str = "atc", variables: Sequence[tuple[str, str | None]] = ()) -> Command:
    """The job that a request stands for."""
    bank = (("TUNE_BANK_PATH", request.bank),) if request.bank else ()
    return command_of((program, *atc_arguments(request)), request.cwd, (*variables, *bank))


def command_of(argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]] = ()) -> Command:
    """The job for a command line that was typed or edited."""
    values = read_atc(argv[1:]).values
    name = values.get("json") if values.get("mode") == "1" else values.get("output")
    output = str(Path(cwd, name)) if name else ""
    return Command(
        tool="atc",
        argv=tuple(argv),
        cwd=cwd,
        purpose="build",
        env=tuple(variables),
        output=os.path.dirname(output) or cwd,
        model=output,
        bank=next((value or "" for key, value in variables if key == "TUNE_BANK_PATH"), ""),
        title=os.path.basename(values.get("model") or values.get("om") or ""),
    )


def read_atc(arguments: Sequence[str]) -> ReadOptions:
    """The options of a command line."""
    return read_options(arguments, {"h": "help"}, _FLAGS)


def atc_problems(command: Command) -> list[Problem]:
    """What atc would refuse."""
    read = read_atc(command.argv[1:])
    if "help" in read.values:
        return []
    checks = (
        value_checks(read, ATC),
        _needed(read.values),
        _precision(read.values),
        model_checks(read.values),
        file_checks(read.values, command.cwd),
        _output(command),
    )
    return [_explained(problem) for check in checks for problem in check]


def _explained(problem: Problem) -> Problem:
    if problem.where == "--auto_tune_mode":
        return wrong(problem.where, _("is refused by current versions"), _("tune with aoe instead"))
    return problem


def _needed(values: Mapping[str, str]) -> Iterator[Problem]:
    mode = values.get("mode", "0")
    needed = {"0": ("model", "framework", "output", "soc_version"), "1": ("om", "json"), "6": ("om",)}.get(mode, ())
    if mode == "0" and values.get("singleop"):
        needed = ("output", "soc_version")
    for name in needed:
        if not values.get(name):
            hint = _("npu-smi info names the chip: Ascend and that name") if name == "soc_version" else ""
            yield wrong(f"--{name}", _("is needed"), hint)


def _precision(values: Mapping[str, str]) -> Iterator[Problem]:
    if all(values.get(name) for name in _NO_OTHER_PRECISION):
        yield wrong("--precision_mode_v2", _("cannot stand beside --{other}").format(other="precision_mode"))
    mode = values.get("precision_mode", "")
    if values.get("modify_mixlist") and not (
        mode.startswith("allow_mix") or "mixed" in values.get("precision_mode_v2", "")
    ):
        yield doubtful("--modify_mixlist", _("has no effect without a mixed precision mode"),
                       _("choose --precision_mode=allow_mix_precision"))  # fmt: skip


def _output(command: Command) -> Iterator[Problem]:
    folder = command.output
    if command.model and not os.path.isdir(folder):
        yield wrong("--output", _("the folder {path} is not there").format(path=folder), _("make it first"))
    elif command.model and not os.access(folder, os.W_OK | os.X_OK):
        yield wrong("--output", _("{path} may not be written by you").format(path=folder))

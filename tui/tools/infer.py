"""Command lines of msame, ais_bench and msaccucmp.py (formats: tools 5, 7)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Union

from tui.i18n import _
from tui.model.jobs import Command
from tui.model.problem import Problem
from tui.tools.command_line import ReadOptions, read_options
from tui.tools.model_options import value_checks
from tui.tools.options import Option, value_problems
from tui.tools.problems import wrong

MSAME: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option("model", "path"),
        Option("input", "text"),
        Option("output", "path"),
        Option("outfmt", "choice", ("TXT", "BIN")),
        Option("loop", "int", low=1, high=100_000_000, default="1"),
        Option("device", "int", low=0, high=1023, default="0"),
        Option("debug", "choice", ("true", "false")),
        Option("profiler", "choice", ("true", "false")),
        Option("dump", "choice", ("true", "false")),
        Option("dymBatch", "text"),
        Option("dymHW", "text"),
        Option("dymDims", "text"),
        Option("dymShape", "text"),
        Option("outputSize", "text"),
        Option("help", "flag"),
    )
}
"""Options of msame by name, without dashes."""

AIS_BENCH: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option("om-model", "path"),
        Option("input", "text"),
        Option("output", "path"),
        Option("outfmt", "choice", ("NPY", "BIN", "TXT")),
        Option("loop", "int", low=1, high=100_000_000, default="1"),
        Option("warmup-count", "int", low=0, high=100_000_000, default="1"),
        Option("batch-size", "int", low=1, high=100_000_000),
        Option("device", "text", default="0"),
        Option("profiler", "choice", ("0", "1", "false", "true"), default="0"),
        Option("dump", "choice", ("0", "1", "false", "true"), default="0"),
        Option("acl-json-path", "path"),
        Option("dym-shape", "text"),
        Option("help", "flag"),
    )
}
"""Options of ais_bench that are documented alike everywhere, by name, without dashes; it has more."""

_AIS_SHORT = {"m": "om-model", "i": "input", "o": "output", "d": "device"}
_FLAGS = frozenset(("help",))
_CUMP_SHORT = {"m": "my_dump_path", "g": "golden_dump_path", "f": "fusion_rule_file", "cf": "close_fusion_rule_file",
               "q": "quant_fusion_rule_file", "out": "output_path", "d": "dump_path",
               "v": "version", "t": "type"}  # fmt: skip
_CUMP_FLAGS = frozenset(("advisor", "overflow_detection", "help", "h"))


@dataclass(frozen=True)
class MsameRequest:
    """Run a built model with msame."""

    model: str
    output: str
    inputs: tuple[str, ...] = ()
    """Files, or one folder; empty: zeros."""
    outfmt: Literal["BIN", "TXT"] = "BIN"
    loop: int = 1
    device: int = 0
    cwd: str = "/"


@dataclass(frozen=True)
class AisBenchRequest:
    """Run a built model with ais_bench."""

    model: str
    output: str
    inputs: tuple[str, ...] = ()
    outfmt: Literal["NPY", "BIN", "TXT"] = "NPY"
    loop: int = 1
    warmup: int = 1
    device: int = 0
    profiler: bool = False
    dump: bool = False
    acl_json: str = ""
    cwd: str = "/"


@dataclass(frozen=True)
class AccucmpRequest:
    """Compare two operator dumps with the comparer of CANN."""

    mine: str
    golden: str
    output: str
    graph: str = ""
    golden_graph: str = ""
    quant: str = ""
    cwd: str = "/"


InferRequest = Union[MsameRequest, AisBenchRequest, AccucmpRequest]


def msame_arguments(request: MsameRequest) -> tuple[str, ...]:
    """The words behind `msame`, which reads its values behind a space."""
    inputs = ("--input", ",".join(request.inputs)) if request.inputs else ()
    numbers = ("--loop", str(request.loop), "--device", str(request.device))
    return ("--model", request.model, *inputs, "--output", request.output, "--outfmt", request.outfmt, *numbers)


def ais_bench_arguments(request: AisBenchRequest) -> tuple[str, ...]:
    """The words behind `ais_bench`."""
    words = ["--om-model", request.model]
    words += ["--input", ",".join(request.inputs)] if request.inputs else []
    words += ["--output", request.output, "--outfmt", request.outfmt, "--loop", str(request.loop)]
    words += ["--warmup-count", str(request.warmup), "--device", str(request.device)]
    words += ["--profiler", "1"] if request.profiler else []
    words += ["--dump", "1"] if request.dump else []
    words += ["--acl-json-path", request.acl_json] if request.acl_json else []
    return tuple(words)


def accucmp_arguments(request: AccucmpRequest) -> tuple[str, ...]:
    """The words behind `msaccucmp.py`."""
    words = ["compare", "-m", request.mine, "-g", request.golden]
    for letter, value in (("-f", request.graph), ("-cf", request.golden_graph), ("-q", request.quant)):
        words += [letter, value] if value else []
    return (*words, "-out", request.output)


def dump_config(folder: str, model: str, mode: Literal["input", "output", "all"] = "output") -> str:
    """Content of an `acl.json` that makes a run dump its operators."""
    dump = {"dump_path": folder, "dump_mode": mode, "dump_list": [{"model_name": model}]}
    return json.dumps({"dump": dump}, ensure_ascii=False, indent=1) + "\n"


def infer_command(
    request: InferRequest, program: Sequence[str], variables: Sequence[tuple[str, str | None]] = ()
) -> Command:
    """The job that a request stands for.

    Args:
        program: The tool; for `msaccucmp.py` the Python interpreter and the script.
    """
    if isinstance(request, MsameRequest):
        return msame_command((*program, *msame_arguments(request)), request.cwd, variables)
    if isinstance(request, AisBenchRequest):
        return ais_bench_command((*program, *ais_bench_arguments(request)), request.cwd, variables)
    return accucmp_command((*program, *accucmp_arguments(request)), request.cwd, variables, len(program))


def msame_command(argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]] = ()) -> Command:
    """The job for a command line of msame that was typed or edited."""
    return _running("msame", argv, cwd, variables, read_msame(argv[1:]).values, "model")


def ais_bench_command(argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]] = ()) -> Command:
    """The job for a command line of ais_bench that was typed or edited."""
    return _running("ais_bench", argv, cwd, variables, read_ais_bench(argv[1:]).values, "om-model")


def _running(
    tool: Literal["msame", "ais_bench"], argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]],
    values: Mapping[str, str], model: str,
) -> Command:  # fmt: skip
    device = values.get("device", "0")
    numbers = tuple(int(part) for part in device.split(",") if part.isdecimal()) or (0,)
    name = values.get(model) or values.get("model", "")
    output = str(Path(cwd, values.get("output") or "."))
    title = os.path.basename(name)
    return Command(tool, tuple(argv), cwd, "infer", tuple(variables), output, devices=numbers, title=title)


def accucmp_command(
    argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]] = (), programs: int = 1
) -> Command:
    """The job for a command line of msaccucmp.py; `programs` words in front are interpreter and script."""
    values = read_options(argv[programs:], _CUMP_SHORT, _CUMP_FLAGS).values
    output = str(Path(cwd, values.get("output_path") or "."))
    title = os.path.basename(values.get("my_dump_path", "").rstrip("/"))
    return Command("msaccucmp", tuple(argv), cwd, "compare", tuple(variables), output, title=title)


def read_msame(arguments: Sequence[str]) -> ReadOptions:
    """The options of a command line of msame."""
    return read_options(arguments, {"h": "help"}, _FLAGS)


def read_ais_bench(arguments: Sequence[str]) -> ReadOptions:
    """The options of a command line of ais_bench, whose names are written with `-` or `_`."""
    read = read_options(arguments, _AIS_SHORT, _FLAGS)
    return replace(read, values={name.replace("_", "-"): value for name, value in read.values.items()})


def infer_problems(command: Command) -> list[Problem]:
    """What msame or ais_bench would refuse."""
    if command.tool == "msame":
        read = read_msame(command.argv[1:])
        if "help" in read.values:
            return []
        return [*value_checks(read, MSAME), *_model(read.values.get("model", ""), command.cwd, "--model")]
    if command.tool == "ais_bench":
        values = read_ais_bench(command.argv[1:]).values
        if "help" in values or "h" in values:
            return []
        model = values.get("om-model") or values.get("model", "")
        return [*_known_values(values), *_model(model, command.cwd, "--om-model"), *_either(values)]
    return []


def _known_values(values: Mapping[str, str]) -> Iterator[Problem]:
    """Values of the options that the table has; ais_bench has more than those."""
    for name, value in values.items():
        if name in AIS_BENCH:
            yield from value_problems(AIS_BENCH[name], value)


def _model(model: str, cwd: str, where: str) -> Iterator[Problem]:
    if not model:
        yield wrong(where, _("is needed"))
    elif not Path(cwd, model).is_file():
        yield wrong(where, _("{path} is not there").format(path=Path(cwd, model)))


def _either(values: Mapping[str, str]) -> Iterator[Problem]:
    if values.get("profiler") == "1" and values.get("dump") == "1":
        yield wrong("--dump", _("cannot stand beside --{other}").format(other="profiler"), _("run it twice"))

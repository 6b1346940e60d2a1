"""Command lines of aoe, which tunes subgraphs (job_type 1) and operators (job_type 2) (formats: tools 3)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.i18n import _
from tui.model.jobs import Command, Job
from tui.model.problem import Problem
from tui.tools.command_line import ReadOptions, read_options
from tui.tools.model_options import SHARED, file_checks, framework_of, model_checks, value_checks
from tui.tools.options import Option
from tui.tools.ownership import disk_at
from tui.tools.problems import doubtful, wrong
from tui.units import size_text

JobType = Literal["1", "2"]
SUBGRAPH: JobType = "1"
OPERATOR: JobType = "2"

NEEDED_DISK_BYTES = 20 << 30
NEEDED_MEMORY_BYTES = 32 << 30
BANK_VARIABLE = "TUNE_BANK_PATH"

AOE: Mapping[str, Option] = {
    option.name: option
    for option in (
        *SHARED,
        Option("model_path", "path"),
        Option("job_type", "choice", ("1", "2")),
        Option("singleop", "path"),
        Option("reload", "flag"),
        Option("progress_bar", "choice", ("on", "off"), default="on"),
        Option("device", "int", low=0, high=1023, default="0"),
        Option("tune_ops_file", "path"),
        Option("tune_optimization_level", "choice", ("O1", "O2"), default="O2"),
        Option("Fdeeper_opat", "flag"),
        Option("Fop_format", "flag"),
        Option("Fnonhomo_split", "flag"),
        Option("ip", "text"),
        Option("port", "int", low=1, high=65535, default="8000"),
    )
}
"""Options of aoe by name, without dashes."""

_SHORT = {"m": "model", "w": "weight", "f": "framework", "j": "job_type", "h": "help"}
_FLAGS = frozenset(name for name, option in AOE.items() if option.kind == "flag")
_ONLY_OPERATOR = ("singleop", "tune_ops_file", "tune_optimization_level", "Fdeeper_opat", "Fop_format")
_ONLY_SUBGRAPH = ("reload", "Fnonhomo_split")
_SOURCES = ("model", "model_path", "singleop")


@dataclass(frozen=True)
class AoeRequest:
    """Tune a model."""

    model: str
    """Absolute path; empty for a tuning of single operators (`singleop` among the options)."""
    job_type: JobType
    work_dir: str
    """Absolute folder of this run alone: aoe leaves its files in the working directory."""
    framework: str = ""
    """Number as text; empty: by the suffix of the model."""
    output: str = ""
    """Path of the tuned model without its suffix; empty: aoe chooses it."""
    bank: str = ""
    """Absolute folder of the knowledge bank; empty: the place that aoe has for it."""
    tune_ops_file: str = ""
    device: int = 0
    options: tuple[tuple[str, str], ...] = ()


def aoe_arguments(request: AoeRequest) -> tuple[str, ...]:
    """The words behind `aoe`; `--soc_version` is no option of it: the chip is read from the device."""
    framework = request.framework or framework_of(request.model)
    pairs = (
        ("framework", framework if request.model else ""),
        ("model", request.model),
        ("job_type", request.job_type),
        ("output", request.output),
        ("tune_ops_file", request.tune_ops_file),
    )
    more = ((name, value) for name, value in request.options)
    words = [f"--{name}={value}" for name, value in (*pairs, *more) if value]
    return (*words, *(f"--{name}" for name, value in request.options if not value))


def aoe_command(request: AoeRequest, program: str = "aoe", variables: Sequence[tuple[str, str | None]] = ()) -> Command:
    """The job that a request stands for. Its working directory is that of the request and is made when it starts."""
    chosen: list[tuple[str, str | None]] = [("ASCEND_DEVICE_ID", str(request.device))]
    if request.bank:
        chosen.append((BANK_VARIABLE, request.bank))
    return command_of((program, *aoe_arguments(request)), request.work_dir, (*variables, *chosen))


def command_of(argv: Sequence[str], cwd: str, variables: Sequence[tuple[str, str | None]] = ()) -> Command:
    """The job for a command line that was typed or edited."""
    values = read_aoe(argv[1:]).values
    environ = {**os.environ, **{name: value or "" for name, value in variables}}
    device = values.get("device") or environ.get("ASCEND_DEVICE_ID") or "0"
    output = values.get("output", "")
    bank = environ.get(BANK_VARIABLE, "")
    return Command(
        tool="aoe",
        argv=tuple(argv),
        cwd=cwd,
        purpose="tune",
        env=tuple(variables),
        output=cwd,
        model=str(Path(cwd, output)) if output else "",
        bank=str(Path(cwd, bank)) if bank else "",
        devices=(int(device),) if device.isdecimal() else (0,),
        title=" ".join(filter(None, (f"job_type {values.get('job_type', '?')}", _source(values)))),
    )


def _source(values: Mapping[str, str]) -> str:
    return next((os.path.basename(values[name]) for name in _SOURCES if values.get(name)), "")


def read_aoe(arguments: Sequence[str]) -> ReadOptions:
    """The options of a command line, long names."""
    return read_options(arguments, _SHORT, _FLAGS)


def aoe_problems(command: Command) -> list[Problem]:
    """What aoe would refuse, and what it needs: job type, bank, disk, memory."""
    read = read_aoe(command.argv[1:])
    if "help" in read.values:
        return []
    checks = (
        value_checks(read, AOE),
        _job_type(read.values),
        model_checks(read.values),
        file_checks(read.values, command.cwd),
        _tune_ops(read.values, command.cwd),
        bank_problems(command),
        room_problems(command.cwd),
    )
    return [_explained(problem) for check in checks for problem in check]


def _explained(problem: Problem) -> Problem:
    if problem.where == "--soc_version":
        return wrong(problem.where, _("is no option of aoe: it reads the chip from the device"), _("leave it out"))
    return problem


def _job_type(values: Mapping[str, str]) -> Iterator[Problem]:
    job_type = values.get("job_type", "")
    if not job_type:
        yield wrong("--job_type", _("is needed"), _("1 tunes subgraphs, 2 tunes operators; 1 comes first"))
    sources = [name for name in _SOURCES if values.get(name)]
    if len(sources) != 1:
        yield wrong("--model", _("there must be exactly one of --model, --model_path and --singleop"))
    for names, wanted in ((_ONLY_OPERATOR, OPERATOR), (_ONLY_SUBGRAPH, SUBGRAPH)):
        for name in names:
            if name in values and job_type in ("1", "2") and job_type != wanted:
                yield wrong(f"--{name}", _("only works with --job_type={number}").format(number=wanted))


def _tune_ops(values: Mapping[str, str], cwd: str) -> Iterator[Problem]:
    path = values.get("tune_ops_file")
    if not path or not Path(cwd, path).is_file():
        return
    try:
        content = json.loads(Path(cwd, path).read_bytes())
    except (OSError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not {"tune_ops_name", "tune_ops_type"} & set(content):
        yield wrong("--tune_ops_file", _("is not the JSON that aoe reads"), _('{"tune_ops_name": ["conv1"]}'))


def bank_problems(command: Command) -> Iterator[Problem]:
    """What is wrong with the folder of the knowledge bank: aoe ends with an error when it is not there."""
    if not command.bank:
        return
    folder = Path(command.cwd, command.bank)
    if not folder.is_dir():
        hint = _("mkdir -p {path}").format(path=folder)
        yield wrong(BANK_VARIABLE, _("{path} is not there: aoe would end with an error").format(path=folder), hint)
    elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        hint = _("choose a folder of yours")
        yield wrong(BANK_VARIABLE, _("{path} may not be read and written by you").format(path=folder), hint)


def room_problems(folder: str) -> Iterator[Problem]:
    """Disk and memory that a tuning needs."""
    disk = disk_at(folder)
    if disk is not None and disk.free_bytes < NEEDED_DISK_BYTES:
        what = _("{free} are free below {path}; aoe needs {needed}").format(
            free=size_text(disk.free_bytes), path=folder, needed=size_text(NEEDED_DISK_BYTES)
        )
        yield wrong(_("disk"), what, _("make room, or work in another folder"))
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if memory_bytes < NEEDED_MEMORY_BYTES:
        what = _("{size} of memory; aoe asks for {needed}").format(
            size=size_text(memory_bytes), needed=size_text(NEEDED_MEMORY_BYTES)
        )
        yield doubtful(_("memory"), what, _("lower TE_PARALLEL_COMPILER"))


def order_advice(command: Command, jobs: Iterable[Job]) -> Problem | None:
    """Says so when operators are to be tuned before subgraphs: the subgraphs fix the final shapes."""
    values = read_aoe(command.argv[1:]).values
    if values.get("job_type") != OPERATOR or not values.get("model"):
        return None
    model = str(Path(command.cwd, values["model"]))
    for job in jobs:
        before = read_aoe(job.command.argv[1:]).values if job.command.tool == "aoe" and job.state == "done" else {}
        if before.get("job_type") == SUBGRAPH and str(Path(job.command.cwd, before.get("model", ""))) == model:
            return None
    return doubtful("--job_type", _("operators come after subgraphs, which fix the final shapes"),
                    _("run --job_type=1 first"))  # fmt: skip


def tune_ops_text(names: Sequence[str] = (), types: Sequence[str] = ()) -> str:
    """Content of a `--tune_ops_file`: operators by name and by type; aoe takes the union."""
    lists = (("tune_ops_name", names), ("tune_ops_type", types))
    return json.dumps({key: list(values) for key, values in lists if values}, ensure_ascii=False, indent=1) + "\n"

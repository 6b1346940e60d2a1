"""What msprof would refuse or misread, told before it is started (formats: tools 2.2, 2.3, 2.4, 2.10)."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.i18n import _
from tui.model.problem import Problem
from tui.tools import ownership
from tui.tools.msprof_options import (
    FORBIDDEN,
    FORBIDDEN_WITH_DB,
    IGNORED_OFFLINE,
    INSTR_EXCLUDES,
    METRICS,
    MSPROF,
    OFFLINE_MODES,
    SYSTEM_DATA,
    UINT32_MAX,
)
from tui.tools.options import chip_problems, unknown_option, value_problems
from tui.tools.problems import doubtful, wrong

APPLICATION_LENGTH = 2048
REPORTS_BYTES = 64 << 20
INTERPRETERS = frozenset(("python", "python3", "bash", "sh"))

_STORAGE = re.compile(r"(\d+)MB")
_REGISTER = re.compile(r"0[xX]([0-9a-fA-F]+)")
_PIDS = re.compile(r"\d+(?:,\d+)*")
_DEVICES = re.compile(r"all|\d+(?:,\d+)*")
_APP_NAME = re.compile(r"[A-Za-z0-9_.\-]+")
_MODES = ("dynamic", "sys-devices", "host-sys", "host-sys-usage", *OFFLINE_MODES)


@dataclass(frozen=True)
class Parsed:
    """An argv of msprof as getopt reads it."""

    options: Mapping[str, str]
    """Values by name, without dashes; the last one counts. `help` has an empty value."""
    app: tuple[str, ...] = ()
    """The program and its arguments in the positional form."""
    problems: tuple[Problem, ...] = ()
    """Words that msprof would misread."""
    cwd: str = ""
    """Working directory that relative paths begin at; empty: our own."""

    def path(self, text: str) -> Path:
        """A path of the command line."""
        return Path(self.cwd, text)

    @property
    def is_system(self) -> bool:
        """Whether the whole system is measured, without a program."""
        return any(self.options.get(name) for name in ("sys-devices", "host-sys", "host-sys-usage")) and not (
            self.app or self.options.get("application")
        )

    @property
    def offline(self) -> str:
        """The offline mode, or empty."""
        if self.app or self.options.get("application") or self.options.get("dynamic") == "on" or self.is_system:
            return ""
        return next((mode for mode in OFFLINE_MODES if self.options.get(mode) == "on"), "")


def parse(arguments: Sequence[str], cwd: str = "") -> Parsed:
    """Reads the words behind `msprof`: options until the first word without dashes, which begins the program."""
    options: dict[str, str] = {}
    problems: list[Problem] = []
    for place, word in enumerate(arguments):
        if not word.startswith("--"):
            if word.startswith("-"):
                hint = _("options begin with two dashes")
                problems.append(wrong(word, _("would be taken for the program to run"), hint))
            return Parsed(options, tuple(arguments[place:]), tuple(problems), cwd)
        name, equals, value = word[2:].partition("=")
        if not name:
            hint = _("leave it out: the program begins at the first word without dashes")
            return Parsed(options, (), (*problems, wrong("--", _("swallows the next word"), hint)))
        if not equals and name != "help":
            hint = _("write it as {form}").format(form=f"--{name}=…")
            return Parsed(
                options, (), (*problems, wrong(word, _("has no value: msprof reads only --name=value"), hint))
            )
        options[name] = value
    return Parsed(options, (), tuple(problems), cwd)


def msprof_problems(
    arguments: Sequence[str], chip: str = "", known: frozenset[str] | None = None, cwd: str = ""
) -> list[Problem]:
    """Everything that can be said about a command line before it is started.

    Args:
        arguments: Words behind `msprof`.
        chip: Name of the chip as `npu-smi` prints it; empty when unknown.
        known: Options that `msprof --help` listed; None when it was not asked.
        cwd: Working directory that relative paths begin at; empty: our own.
    """
    parsed = parse(arguments, cwd)
    if parsed.problems or "help" in parsed.options:
        return list(parsed.problems)
    return [problem for check in _CHECKS for problem in check(parsed)] + list(_for_chip(parsed, chip, known))


def _for_chip(parsed: Parsed, chip: str, known: frozenset[str] | None) -> Iterator[Problem]:
    yield from chip_problems(parsed.options, MSPROF, chip)
    for name in parsed.options:
        if known is not None and name in MSPROF and name not in known:
            hint = _("leave it out; msprof --help lists what there is")
            yield wrong(f"--{name}", _("is not offered by msprof on this chip"), hint)
    metrics, family = parsed.options.get("aic-metrics", ""), chip.replace("Ascend", "")
    absent = (
        (metrics == "L2Cache" and family.startswith("310P"))
        or (metrics == "PipelineExecuteUtilization" and not family.startswith("310B"))
        or (metrics == "MemoryAccess" and not family.startswith("910"))
    )
    if family and absent:
        yield wrong("--aic-metrics", _("{metrics} is not there on {chip}").format(metrics=metrics, chip=chip),
                    _("choose PipeUtilization"))  # fmt: skip


def _names_and_values(parsed: Parsed) -> Iterator[Problem]:
    for name, value in parsed.options.items():
        option = MSPROF.get(name)
        if option is None:
            yield unknown_option(name, MSPROF)
            continue
        yield from value_problems(option, value)
        if option.deprecated and value == "on":
            hint = _("task-time=l1 says it too") if name == "hccl" else _("leave it out")
            yield doubtful(f"--{name}", _("will be dropped by later versions"), hint)


def _special_values(parsed: Parsed) -> Iterator[Problem]:
    options = parsed.options
    limit = _STORAGE.fullmatch(options.get("storage-limit", "200MB"))
    if limit is None or not 200 <= int(limit.group(1)) <= UINT32_MAX:
        yield wrong("--storage-limit", _("is no size that msprof accepts"), _("200MB to 4294967295MB, with the unit"))
    for name in ("aic-metrics", "aiv-metrics"):
        if name in options and not _is_metrics(options[name]):
            yield wrong(f"--{name}", _("cannot be {value}").format(value=repr(options[name])),
                        _("accepted: {choices}").format(choices=", ".join((*METRICS, "Custom:0x…,0x…"))))  # fmt: skip
    if "pid" in options and not _PIDS.fullmatch(options["pid"]):
        yield wrong("--pid", _("is no process id"))
    if "sys-devices" in options and not _DEVICES.fullmatch(options["sys-devices"]):
        yield wrong("--sys-devices", _("is no list of devices"), _("write all, or 0,1,2"))
    for entry in filter(None, options.get("environment", "").split(";")):
        if "=" not in entry:
            hint = _("write NAME=VALUE;NAME=VALUE")
            yield wrong("--environment", _("{entry} would be dropped silently").format(entry=repr(entry)), hint)


def _is_metrics(value: str) -> bool:
    if not value.startswith("Custom:"):
        return value in METRICS
    registers = [_REGISTER.fullmatch(part) for part in value[len("Custom:") :].split(",")]
    return len(registers) <= 8 and all(match and 1 <= int(match.group(1), 16) <= 0x7FFFFFFF for match in registers)


def _mode(parsed: Parsed) -> Iterator[Problem]:
    options = parsed.options
    application = options.get("application")
    if not (parsed.app or application or any(options.get(name, "off") != "off" for name in _MODES)):
        hint = _("name a program to run, or a mode: --dynamic, --sys-devices, --host-sys, --export, --parse, --query")
        yield wrong("", _("there is nothing to do"), hint)
    if parsed.app and application:
        hint = _("keep one of them")
        yield wrong("--application", _("is given beside a program behind the options"), hint)


def _dependencies(parsed: Parsed) -> Iterator[Problem]:
    options = parsed.options
    for name in options:
        option = MSPROF.get(name)
        if option is None or option.needs is None:
            continue
        other, value = option.needs
        if options.get(other, MSPROF[other].default) != value:
            yield doubtful(f"--{name}", _("has no effect without --{other}={value}").format(other=other, value=value))
    if options.get("task-time") in ("l0", "off") and (options.get("ai-core") == "on" or "aic-metrics" in options):
        yield doubtful("--task-time", _("l0 and off leave out the metrics of the AI cores"), _("choose l1"))
    domains = [name for name in ("mstx-domain-include", "mstx-domain-exclude") if name in options]
    if domains and options.get("msproftx") != "on":
        yield wrong(f"--{domains[0]}", _("needs --msproftx=on"))
    if len(domains) == 2:
        yield wrong(f"--{domains[1]}", _("cannot stand beside --{other}").format(other=domains[0]))
    if options.get("instr-profiling") == "on":
        for name in INSTR_EXCLUDES:
            if name in options:
                yield wrong(f"--{name}", _("cannot stand beside --{other}").format(other="instr-profiling"))
    if "host-sys-pid" in options and "host-sys" not in options:
        yield wrong("--host-sys-pid", _("needs --host-sys"))
    if ("iteration-id" in options) != ("model-id" in options):
        yield wrong("--model-id", _("and --iteration-id only work together"))


def _dynamic(parsed: Parsed) -> Iterator[Problem]:
    options, pid = parsed.options, parsed.options.get("pid")
    if options.get("dynamic") != "on":
        if pid:
            yield wrong("--pid", _("needs --dynamic=on"))
        return
    has_app = bool(parsed.app or options.get("application"))
    if not has_app and not pid:
        yield wrong("--dynamic", _("needs a program to run, or --pid of one that runs with PROFILING_MODE=dynamic"))
    if has_app and pid:
        yield wrong("--pid", _("cannot stand beside a program to run"))
    for name in ("sys-devices", "sys-period", "sys-cpu-profiling", "delay"):
        if options.get(name, "off") != "off":
            yield wrong(f"--{name}", _("cannot stand beside --{other}").format(other="dynamic"))


def _system(parsed: Parsed) -> Iterator[Problem]:
    options = parsed.options
    if not parsed.is_system:
        return
    if "sys-period" not in options:
        yield wrong("--sys-period", _("says how long to measure: it is needed without a program"), _("1 to 2592000 s"))
    if "sys-devices" in options and not any(options.get(name, "off") != "off" for name in SYSTEM_DATA):
        yield wrong("--sys-devices", _("has nothing to collect"), _("switch on --sys-hardware-mem, for example"))
    for name in ("delay", "duration"):
        if name in options:
            yield wrong(f"--{name}", _("only works with a program to run"))
    host = options.get("host-sys", "").split(",")
    for data, programs in (("disk", ("iotop",)), ("osrt", ("perf", "ltrace"))):
        lacking = [program for program in programs if data in host and shutil.which(program) is None]
        if lacking:
            yield doubtful("--host-sys", _("{data} needs {programs}, which is not found").format(
                data=data, programs=", ".join(lacking)))  # fmt: skip


def _offline(parsed: Parsed) -> Iterator[Problem]:
    mode, options = parsed.offline, parsed.options
    if not mode:
        if not parsed.is_system and options.get("dynamic") != "on":
            for name in ("summary-format", "rule", "clear", "iteration-id", "reports"):
                if name in options:
                    yield doubtful(f"--{name}", _("only works with --export=on or --analyze=on"))
        return
    modes = [name for name in OFFLINE_MODES if options.get(name) == "on"]
    if len(modes) > 1:
        yield wrong(f"--{modes[1]}", _("cannot stand beside --{other}").format(other=modes[0]))
    forbidden = set(FORBIDDEN[mode])
    if mode == "export" and options.get("type") == "db":
        forbidden |= FORBIDDEN_WITH_DB
    for name in options:
        if name in forbidden:
            yield wrong(f"--{name}", _("cannot stand beside --{other}").format(other=mode))
        elif name in IGNORED_OFFLINE:
            yield doubtful(f"--{name}", _("is of no use beside --{other}").format(other=mode))
    if not options.get("output"):
        yield wrong("--output", _("must name the PROF folder for --{other}").format(other=mode))
    else:
        yield from _collected(str(parsed.path(options["output"])))


def _collected(path: str) -> Iterator[Problem]:
    if os.path.islink(path):
        yield wrong("--output", _("{path} is a link, which msprof refuses").format(path=path), _("name its target"))
    elif not os.path.isdir(path):
        yield wrong("--output", _("{path} is not there").format(path=path))


def _paths(parsed: Parsed) -> Iterator[Problem]:
    options = parsed.options
    if "output" in options and not parsed.offline:
        for problem in ownership.output_problems(str(parsed.path(options["output"]).absolute())):
            make = wrong if problem.severity == "error" else doubtful
            yield make("--output", problem.what, problem.hint)
    elif "output" not in options and not parsed.offline:
        yield doubtful("--output", _("is not given: where the data go depends on form and version"))
    python = options.get("python-path")
    if python and (reason := ownership.unsafe_program(parsed.path(python))):
        yield wrong("--python-path", reason)
    reports = options.get("reports")
    if reports and not _is_small_file(parsed.path(reports)):
        yield wrong("--reports", _("is no JSON file of at most 64 MB"))


def _is_small_file(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= REPORTS_BYTES


def _application(parsed: Parsed) -> Iterator[Problem]:
    text = parsed.options.get("application", "")
    if text:
        if len(text) > APPLICATION_LENGTH:
            yield wrong("--application", _("is longer than 2048 characters"))
        yield from _program("--application", [word for word in text.split(" ") if word], parsed, in_one_text=True)
    elif parsed.app:
        yield from _program(_("program"), parsed.app, parsed, in_one_text=False)
        if any(not word for word in parsed.app):
            yield doubtful(_("program"), _("an empty argument would be dropped by msprof"))
        if any(" " in word for word in parsed.app):
            hint = _("if the program sees it in pieces, wrap it in a script")
            yield doubtful(_("program"), _("an argument has a space: msprof builds of MindStudio split it"), hint)


def _program(where: str, words: Sequence[str], parsed: Parsed, in_one_text: bool) -> Iterator[Problem]:
    name = os.path.basename(words[0])
    path = str(parsed.path(words[0])) if "/" in words[0] else words[0]
    if in_one_text and not _APP_NAME.fullmatch(name):
        yield wrong(where, _("{name} has characters that msprof refuses").format(name=repr(name)))
        return
    if "/" in path and os.path.isdir(path):
        yield wrong(where, _("{path} is a folder").format(path=path), _("name the program in it"))
    elif shutil.which(path) is None:
        yield _not_runnable(where, path)
    elif in_one_text and os.path.islink(path):
        yield wrong(where, _("{path} is a link, which msprof refuses").format(path=path), _("name its target"))
    if name in INTERPRETERS and len(words) < 2:
        yield wrong(where, _("{name} alone has nothing to run").format(name=name), _("name the script behind it"))
    elif name in INTERPRETERS and not words[1].startswith("-") and not parsed.path(words[1]).exists():
        yield wrong(where, _("the script {path} is not there").format(path=words[1]))


def _not_runnable(where: str, path: str) -> Problem:
    if os.path.exists(path):
        hint = _("chmod u+x {path}").format(path=path)
        return wrong(where, _("{path} may not be executed").format(path=path), hint)
    return wrong(where, _("{path} is not there").format(path=path), _("check the path, or your PATH"))


_CHECKS = (
    _names_and_values, _special_values, _mode, _dependencies, _dynamic, _system, _offline, _paths, _application,
)  # fmt: skip

"""What the tools print, understood (formats: tools 2.6, 3.4, 4, 5); other output may stand in front on a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_KEPT = 50
"""Lines of one kind that are kept."""

_SAVED = re.compile(r"Data is saved in (\S.*?)\.*$")
_MSPROF_ERROR = re.compile(r"\[ERROR\] .*")
_MSPROF_WARNING = re.compile(r"\[WARNING\] .*")
_APP_B = re.compile(r"An exception has occurred in process App, return code: (.*)")
_APP_A = re.compile(r"The specified program cannot exit normally, exitCode:\s*(-?\d+)")
_STEP_FAILED = re.compile(r"An exception has occurred in process (Export timeline|Export summary|Query)")
_NOT_EXPORTED = re.compile(
    r"There is no \w+ data to export for|Get msprof\.py path failed|The msprof\.py file is not found"
    r"|Get profiler path failed|No analysis script found|Analysis script permission denied|Not in host side"
)
_ANALYSIS_FAILED = re.compile(r"Analysis data in .* failed")
_NO_DRIVER = re.compile(
    r"Init platform by driver fail|check the driver package is correctly installed|init platform mode error"
)
_NO_DATA = re.compile(r"Failed to find profiling data")
_REFUSED = re.compile(
    r"\[ERROR\] (?:The a|A)rgument .*|unrecognized option .*|\[ERROR\] No valid argument.*|expected one argument"
)
_FULL = re.compile(r"No space left on device|Disk quota exceeded", re.IGNORECASE)
_DENIED = re.compile(r"permission denied|Operation not permitted", re.IGNORECASE)
_CODE = re.compile(r"^(?:\[ERROR\].*?)?([EW][A-Z0-9]\d{4,5}|E[A-Z]\d{4}): ?(.*)")
_GAIN = re.compile(r"Performance improved by\s+(-?[\d.]+)\s*%")
_AOE_DONE = re.compile(r"Aoe process finished(?:,\s*cost time\s*([\d.]+)\s*s)?")
_MSAME_AVERAGE = re.compile(r"Inference average time\s*:\s*([\d.]+)\s*ms")
_MSAME_TIME = re.compile(r"Inference time\s*:\s*([\d.]+)\s*ms")
_AIS_MEAN = re.compile(r"NPU_compute_time \(ms\):.*?mean = ([\d.]+)")


@dataclass(frozen=True)
class Console:
    """What the output of a run says."""

    succeeded: bool = False
    """Whether it has the mark of success of its tool and nothing against it."""
    errors: tuple[str, ...] = ()
    """Whole lines that tell errors, the first 50."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Lines about data that are not there."""
    refused: str = ""
    """The line by which it refused an option, or empty."""
    full: str = ""
    """The line that says that the disk is full, or empty."""
    denied: str = ""
    """The line that says that something is not permitted, or empty."""
    saved_in: str = ""
    """The one PROF folder that msprof names at its end."""
    app_failure: str = ""
    """What msprof says of a program that failed, or empty."""
    no_driver: str = ""
    no_data: str = ""
    failed_steps: tuple[str, ...] = ()
    """Steps of the export that failed."""
    gains_pct: tuple[float, ...] = ()
    """`Performance improved by x %` of aoe, in order."""
    cost_s: float | None = None
    codes: tuple[tuple[str, str], ...] = ()
    """Error codes and the text behind them."""
    mean_ms: float | None = None
    """Mean time of an inference, ms."""

    @property
    def name(self) -> str:
        """Name of the PROF folder of the last line."""
        return os.path.basename(self.saved_in.rstrip("/"))


@dataclass
class _Found:
    """What is gathered while the lines go by."""

    lists: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, line: str) -> None:
        kept = self.lists.setdefault(name, [])
        if len(kept) < _KEPT and line not in kept:
            kept.append(line)

    def first(self, name: str, line: str) -> None:
        self.texts.setdefault(name, line)

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(self.lists.get(name, ()))

    def text(self, name: str) -> str:
        return self.texts.get(name, "")


def _common(line: str, found: _Found) -> None:
    for name, pattern in (("full", _FULL), ("denied", _DENIED), ("refused", _REFUSED)):
        if match := pattern.search(line):
            found.first(name, line.strip() if name != "refused" else match.group().strip())


def msprof_console(lines: Iterable[str]) -> Console:
    """The output of msprof, lines A and B, mixed with that of the program it ran."""
    found = _Found()
    for line in lines:
        _common(line, found)
        _msprof_line(line, found)
    bad = found.text("app") or found.text("no_driver") or found.text("no_data") or found.text("refused")
    finished = bool(found.text("saved") or found.text("finished"))
    return Console(
        succeeded=finished and not bad and not found.all("errors"),
        errors=found.all("errors"),
        warnings=found.all("warnings"),
        notes=found.all("notes"),
        refused=found.text("refused"),
        full=found.text("full"),
        denied=found.text("denied"),
        saved_in=found.lists.get("saved_all", [""])[-1],
        app_failure=found.text("app"),
        no_driver=found.text("no_driver"),
        no_data=found.text("no_data"),
        failed_steps=found.all("steps"),
    )


def _msprof_line(line: str, found: _Found) -> None:
    if match := _SAVED.search(line):
        found.first("saved", match.group(1))
        found.add("saved_all", match.group(1))
    elif "Profiling finished." in line:
        found.first("finished", line)
    elif match := _APP_B.search(line):
        found.first("app", _exit_text(match.group(1).strip().rstrip(".")))
    elif match := _APP_A.search(line):
        found.first("app", match.group(1))
    elif match := _STEP_FAILED.search(line):
        found.add("steps", match.group(1))
    elif _NO_DRIVER.search(line):
        found.first("no_driver", line.strip())
    elif _NO_DATA.search(line):
        found.first("no_data", line.strip())
    elif _NOT_EXPORTED.search(line) or _ANALYSIS_FAILED.search(line):
        found.add("notes", line.strip())
    elif match := _MSPROF_ERROR.search(line):
        found.add("errors", match.group().strip())
    elif match := _MSPROF_WARNING.search(line):
        found.add("warnings", match.group().strip())


def _exit_text(text: str) -> str:
    """The exit code behind what msprof prints, the text of the error of that number: `Operation not permitted` is 1."""
    for number in range(1, 134):
        if text == os.strerror(number):
            return f"{number} ({text})"
    return text


def aoe_console(lines: Iterable[str]) -> Console:
    """The output of aoe."""
    found = _Found()
    gains: list[float] = []
    codes: list[tuple[str, str]] = []
    cost_s: float | None = None
    done = False
    for line in lines:
        _common(line, found)
        if match := _GAIN.search(line):
            gains.append(float(match.group(1)))
        if match := _AOE_DONE.search(line):
            done, cost_s = True, float(match.group(1)) if match.group(1) else None
        _code(line, codes, found)
    errors = found.all("errors")
    return Console(
        succeeded=done and not errors, errors=errors, warnings=found.all("warnings"), notes=found.all("notes"),
        refused=found.text("refused"), full=found.text("full"), denied=found.text("denied"),
        gains_pct=tuple(gains), cost_s=cost_s, codes=tuple(codes),
    )  # fmt: skip


def _code(line: str, codes: list[tuple[str, str]], found: _Found) -> None:
    """`EG0002: …`: errors begin with E, warnings with W."""
    if match := _CODE.match(line.strip()):
        code, text = match.groups()
        if len(codes) < _KEPT:
            codes.append((code, text.strip()))
        found.add("errors" if code.startswith("E") else "warnings", line.strip())


def atc_console(lines: Iterable[str]) -> Console:
    """The output of atc."""
    found = _Found()
    codes: list[tuple[str, str]] = []
    done = failed = False
    for line in lines:
        _common(line, found)
        done = done or "ATC run success" in line
        failed = failed or "ATC run failed" in line
        _code(line, codes, found)
    return Console(
        succeeded=done and not failed, errors=found.all("errors"), warnings=found.all("warnings"),
        refused=found.text("refused"), full=found.text("full"), denied=found.text("denied"), codes=tuple(codes),
    )  # fmt: skip


def infer_console(lines: Iterable[str]) -> Console:
    """The output of msame or ais_bench."""
    found = _Found()
    mean_ms: float | None = None
    done = False
    for line in lines:
        _common(line, found)
        if match := _MSAME_AVERAGE.search(line) or _AIS_MEAN.search(line):
            mean_ms = float(match.group(1)) if mean_ms is None else mean_ms
            done = True
        done = done or "Execute sample success" in line
        if "[ERROR]" in line:
            found.add("errors", line.strip())
        _code(line, [], found)
    return Console(
        succeeded=done and not found.all("errors"), errors=found.all("errors"), warnings=found.all("warnings"),
        refused=found.text("refused"), full=found.text("full"), denied=found.text("denied"), mean_ms=mean_ms,
    )  # fmt: skip


def inference_ms(line: str) -> float | None:
    """The time of one inference that msame printed, ms; None when the line is another."""
    match = _MSAME_TIME.search(line)
    return float(match.group(1)) if match else None


def gain_pct(line: str) -> float | None:
    """The improvement that aoe printed, percent; None when the line is another."""
    match = _GAIN.search(line)
    return float(match.group(1)) if match else None

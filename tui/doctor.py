"""What `doctor` prints: tools, NPUs, permissions, disk and the terminal, with what to do about each lack."""

from __future__ import annotations

import locale
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tui.i18n import _
from tui.model.machine import FoundTool, Machine, Npu
from tui.model.problem import Problem
from tui.model.text import padded, shown
from tui.tools.preflight import process_text
from tui.tools.problems import doubtful, sentence
from tui.units import GlyphSet, missing_text, size_text

_FOUND_BY = {"setting": "setting", "PATH": "PATH", "environment": "ASCEND_HOME_PATH", "default": "", "": ""}


def doctor_lines(machine: Machine, glyphs: GlyphSet = "blocks") -> Iterator[str]:
    """The report for people, a line at a time."""
    yield _("tools")
    yield from map(_tool_line, machine.tools)
    if not any(tool.usable for tool in machine.tools):
        yield "  " + _("profiles can be viewed and compared all the same; only Run needs the tools")
    for toolkit in machine.toolkits:
        yield "  " + "  ".join(
            filter(None, ("CANN", shown(toolkit.version), shown(toolkit.root), shown(toolkit.script)))
        )
    yield ""
    yield from _npu_lines(machine, glyphs)
    yield ""
    yield _("disk")
    for disk in machine.disks:
        yield f"  {padded(size_text(disk.free_bytes), 10, right=True)} " + _("free of {total}  {path}").format(
            total=size_text(disk.total_bytes), path=shown(disk.path)
        )
    yield ""
    yield _("terminal")
    yield from (f"  {padded(name, 10)} {shown(value)}" for name, value in terminal_facts().items())
    problems = (*machine.problems, *terminal_problems())
    yield ""
    yield _("what to do") if problems else _("nothing to do")
    yield from (f"  ! {shown(sentence(problem))}" for problem in problems)


def _tool_line(tool: FoundTool) -> str:
    name = f"  {padded(tool.name, 10)} "
    if not tool.path:
        return name + " - ".join((tool.problem, tool.hint))
    version = tool.toolkit.version if tool.toolkit else ""
    sourced = _("variables from {script}").format(script=tool.toolkit.script) if tool.variables and tool.toolkit else ""
    facts = (tool.path, version, _FOUND_BY[tool.found_by], sourced, tool.problem, tool.hint)
    return name + "  ".join(shown(fact) for fact in facts if fact)


def _npu_lines(machine: Machine, glyphs: GlyphSet) -> Iterator[str]:
    driver = machine.driver_version
    yield "  ".join(filter(None, (_("NPUs"), _("driver {version}").format(version=shown(driver)) if driver else "")))
    if machine.npus.problem:
        yield "  " + " - ".join(filter(None, (machine.npus.problem, machine.npus.hint)))
    for npu in machine.npus.npus:
        yield f"  {npu_text(npu, glyphs)}"


def npu_text(npu: Npu, glyphs: GlyphSet = "blocks") -> str:
    """One NPU in a line: `npu0 310P3  idle  41 °C  1.9 GiB / 21.5 GiB`."""
    number = npu.npu if npu.device is None else npu.device
    busy = ", ".join(map(process_text, npu.processes))
    state = _("busy: {names}").format(names=busy) if busy else _("busy") if npu.is_busy else _("idle")
    degree = " C" if glyphs == "ascii" else " °C"
    temp = missing_text(glyphs) if npu.temp_c is None else f"{npu.temp_c:g}{degree}"
    memory = "" if npu.total_mb is None else f"{_mb(npu.used_mb)} / {_mb(npu.total_mb)}"
    health = "" if npu.health == "OK" else npu.health
    return shown("  ".join(filter(None, (f"npu{number} {npu.name}", health, state, temp, memory))))


def _mb(size_mb: int | None) -> str:
    return "?" if size_mb is None else size_text(size_mb << 20)


def terminal_facts() -> Mapping[str, str]:
    """What the terminal says of itself."""
    size = shutil.get_terminal_size((0, 0))
    return {
        "TERM": os.environ.get("TERM", ""),
        "COLORTERM": os.environ.get("COLORTERM", ""),
        "size": f"{size.columns}×{size.lines}" if size.columns else "",
        "encoding": sys.stdout.encoding or "",
        "locale": locale.setlocale(locale.LC_CTYPE),
        "tty": " ".join(name for number, name in enumerate(("stdin", "stdout", "stderr")) if _is_tty(number)),
        "Python": sys.version.split()[0],
    }  # fmt: skip


def _is_tty(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def terminal_problems() -> Iterator[Problem]:
    """What makes the viewer slow or ugly here."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if encoding and encoding != "utf8":
        yield doubtful(_("terminal"), _("writes {encoding}, not UTF-8").format(encoding=sys.stdout.encoding),
                       _("set LANG to a UTF-8 locale, or use --glyphs ascii"))  # fmt: skip
    if os.environ.get("TERM", "") in ("", "dumb"):
        yield doubtful("TERM", _("says that the terminal can do nothing"), _("export TERM=xterm-256color"))
    package = Path(__file__).parent
    if not list(package.glob("__pycache__/cli.*.pyc")) and not os.access(package, os.W_OK):
        yield doubtful(_("installation"), _("is not compiled: it starts up to 4 times slower"),
                       _("python -m compileall {path}").format(path=package))  # fmt: skip


def doctor_object(machine: Machine) -> dict[str, Any]:
    """The report for programs."""
    return {
        "tools": [_tool_object(tool) for tool in machine.tools],
        "toolkits": [asdict(toolkit) for toolkit in machine.toolkits],
        "driver_version": machine.driver_version,
        "npus": [{**asdict(npu), "soc_version": npu.soc_version} for npu in machine.npus.npus],
        "npu_problem": machine.npus.problem,
        "disks": [asdict(disk) for disk in machine.disks],
        "terminal": dict(terminal_facts()),
        "problems": [asdict(problem) for problem in (*machine.problems, *terminal_problems())],
    }


def _tool_object(tool: FoundTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "path": tool.path,
        "found_by": tool.found_by,
        "version": tool.toolkit.version if tool.toolkit else "",
        "usable": tool.usable,
        "problem": tool.problem,
        "hint": tool.hint,
    }

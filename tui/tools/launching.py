"""From the name of a tool and its words to a command that can be started, and back from an edited line."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace

from tui.errors import NotStarted
from tui.model.jobs import Command, ToolName
from tui.model.machine import FoundTool
from tui.tools import aoe, atc, infer, jobs, msprof
from tui.tools.command_line import variables_and_words
from tui.tools.locate import ANYWHERE, Search, find_tool
from tui.tools.npu_smi import npu_report
from tui.tools.preflight import Surroundings

_SMI_LIMIT_S = 5.0


def located(tool: ToolName, search: Search = ANYWHERE) -> FoundTool:
    """Where a tool is.

    Raises:
        NotStarted: it is not found, or cannot be started.
    """
    found = find_tool(tool, search)
    if not found.usable:
        raise NotStarted(found.problem, found.hint)
    return found


def command_for(tool: ToolName, arguments: Sequence[str], cwd: str, found: FoundTool, device: int = 0) -> Command:
    """The command for words that were typed behind the name of a tool.

    Args:
        cwd: Absolute working directory; relative paths among the words begin there.
        found: Where the tool is.
        device: NPU that a program under msprof uses.
    """
    argv = (found.path, *arguments)
    if tool == "msprof":
        return msprof.command_of(argv, cwd, found.variables, device)
    if tool == "aoe":
        return aoe.command_of(argv, cwd, found.variables)
    if tool == "atc":
        return atc.command_of(argv, cwd, found.variables)
    if tool == "msame":
        return infer.msame_command(argv, cwd, found.variables)
    if tool == "ais_bench":
        return infer.ais_bench_command(argv, cwd, found.variables)
    python = shutil.which("python3") or "python3"
    return infer.accucmp_command((python, *argv), cwd, found.variables, programs=2)


def edited(command: Command, text: str, found: FoundTool) -> Command:
    """The command after its line was edited; what it is for is told again from its words.

    Args:
        text: As `command_text` showed it, variables in front.
        found: Where the tool is; the first word may name another place.

    Raises:
        BadExpression: a quote is not closed, or nothing is left.
    """
    variables, words = variables_and_words(text)
    place = words.index(command.argv[1]) if command.tool == "msaccucmp" and command.argv[1] in words else 0
    chosen = replace(found, path=words[place], variables=(*found.variables, *variables))
    device = command.devices[0] if command.devices else 0
    again = command_for(command.tool, words[place + 1 :], command.cwd, chosen, device)
    return replace(again, preset=command.preset, baseline=command.baseline)


def surroundings(
    search: Search = ANYWHERE, known_options: frozenset[str] | None = None, found: FoundTool | None = None
) -> Surroundings:
    """What is known of the machine now. Asks the driver: not for the screen's thread.

    Args:
        known_options: What `features` says of msprof; None when it was not asked.
        found: The tool that is to be started.
    """
    version = found.toolkit.version if found is not None and found.toolkit is not None else ""
    smi = find_tool("npu-smi", search)
    report = npu_report(smi.path, _SMI_LIMIT_S) if smi.usable else None
    return Surroundings(report.npus if report else (), known_options, jobs.jobs(), version)

"""The command line `:`: names, usage and help of the commands. Screens offer a command by having the method for it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from tui.i18n import N_


@dataclass(frozen=True)
class Command:
    """One command of the `:` line."""

    name: str
    usage: str
    """Its arguments, as shown; empty for none."""
    help: str
    """What it does (message id)."""

    @property
    def method(self) -> str:
        """Name of the method that runs it."""
        return "command_" + self.name.replace("-", "_")


_LIST = (
    Command("open", "PATH", N_("open another profile")),
    Command("profile", "[N]", N_("choose one of several profiles at the path")),
    Command("device", "N", N_("show one device; `all` shows all")),
    Command("iter", "[N|FROM..TO|all]", N_("show only some iterations; alone asks which ones")),
    Command("window", "[FROM..TO|all]", N_("read only a part of the time of the timeline; alone asks")),
    Command(
        "baseline",
        "NAME|PATH",
        N_("compare with a baseline: one kept by name, or a path; a new name keeps the open one"),
    ),
    Command("compare", "PATH|NAME", N_("open another run and compare it with the one open now")),
    Command("dump", "A B [GRAPH.json]|TABLE", N_("compare two operator dumps, or show a comparison table")),
    Command("keep", "FILE", N_("write what stays in float32: .txt keep_dtype, .json mix list, .ini precision")),
    Command("convert", "FOLDER", N_("write both sides of the tensor as .npy and .txt")),
    Command("acl-json", "FILE [MODEL]", N_("write an acl.json by which a model dumps its operators")),
    Command("run", "msprof|aoe …", N_("fill in a job from a command line; nothing starts before you confirm")),
    Command("jobs", "", N_("list the jobs")),
    Command("stop", "[JOB]", N_("stop a job, after a question")),
    Command("forget", "[JOB]", N_("take a job that is over from the list, with its log")),
    Command("rule", "[ID]", N_("go to the finding of a rule, or say why there is none; alone lists the rules")),
    Command(
        "threshold",
        "RULE [NAME] [VALUE|default]",
        N_("show the thresholds of a rule, or change one in your thresholds.toml"),
    ),
    Command("guide", "[N|back|off]", N_("walk through the triage step by step; again: the next step")),
    Command("note", "TEXT", N_("say why a finding is hidden")),
    Command("copy-export", "", N_("copy the line that makes later builds use the tuned bank")),
    Command("goto", "#ROW|NAME", N_("go to a row number or a name")),
    Command("filter", "EXPR", N_("show only rows that match an expression")),
    Command("sort", "COLUMN [desc], …", N_("order by up to three columns")),
    Command("group", "COLUMN …", N_("group by columns; nothing ungroups")),
    Command("cols", "+COLUMN -COLUMN …", N_("show and hide columns")),
    Command("bands", "LOW HIGH", N_("share limits for yellow and red, in percent")),
    Command("color", "bands|category", N_("colour events by their share of the span or tasks by type")),
    Command("zoom", "FROM..TO", N_("show a time range, such as 10ms..14ms")),
    Command("mark", "[NAME]", N_("mark the event or range under the cursor, by a name")),
    Command("units", "auto|ns|us|ms", N_("unit of times")),
    Command("export", "FILE", N_("write this view; the name's end decides: .csv .tsv .md .json")),
    Command("report", "FILE", N_("write the report; the name's end decides: .txt .md .html .json")),
    Command("copy-command", "", N_("copy the shell command that prints this view")),
    Command("keys", "", N_("show what the terminal sends for a key")),
    Command("log", "", N_("show the last messages")),
    Command("about", "", N_("version, terminal, folders")),
    Command("quit", "", N_("leave npuscope")),
)

COMMANDS: Mapping[str, Command] = {command.name: command for command in _LIST}


def split_command(line: str) -> tuple[str, str]:
    """Name and the rest of a command line, both stripped."""
    name, _blank, rest = line.strip().partition(" ")
    return name, rest.strip()


def closest(name: str, known: list[str]) -> list[str]:
    """The three known names most like `name`."""
    starts = [other for other in known if other.startswith(name)]
    return list(dict.fromkeys([*starts, *difflib.get_close_matches(name, known, 3, 0.0)]))[:3]

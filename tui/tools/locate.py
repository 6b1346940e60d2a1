"""Where the tools are (formats: tools 1): explicit setting, PATH, environment, default places with the newest first."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tui.i18n import _
from tui.model.machine import FoundBy, FoundTool, Toolkit
from tui.tools.query import ask
from tui.tools.toolkits import ROOT_VARIABLES, script_variables, toolkit_of, toolkits

RELATIVE: Mapping[str, tuple[str, ...]] = {
    "msprof": ("bin/msprof", "tools/profiler/bin/msprof"),
    "msprof.py": ("tools/profiler/profiler_tool/analysis/msprof/msprof.py",),
    "aoe": ("bin/aoe", "tools/aoe/bin/aoe", "tools/aoe/aoe"),
    "atc": ("bin/atc", "atc/bin/atc"),
    "msaccucmp": ("tools/operator_cmp/compare/msaccucmp.py",),
    "msame": ("msame", "out/msame", "msame/out/msame"),
    "ais_bench": (),
    "npu-smi": (),
}
"""Places of each tool below a toolkit, or below a folder of the setting."""

_ALSO: Mapping[str, tuple[str, ...]] = {
    "npu-smi": ("/usr/local/sbin/npu-smi", "/usr/local/bin/npu-smi"),
    "msprof": ("/var/msprof",),
}
_IN_PATH: Mapping[str, str] = {"msaccucmp": "msaccucmp.py", "ais_bench": "ais_bench"}
_NEEDS_VARIABLES = frozenset(("msprof", "aoe", "atc", "msame", "ais_bench"))

_FEATURE = re.compile(r"^\s+--([A-Za-z0-9_-]+)\s*<(?:Optional|Mandatory)>", re.MULTILINE)


@dataclass(frozen=True)
class Search:
    """Where to look."""

    setting: str = ""
    """Folders or files of the setting `tools`, separated by `:`; looked at first."""
    environ: Mapping[str, str] | None = None
    """None: our own environment."""
    bases: tuple[str, ...] | None = None
    """Folders that toolkits are installed below; None: the usual ones."""

    def variables(self) -> Mapping[str, str]:
        """The environment to search in."""
        return os.environ if self.environ is None else self.environ

    def toolkits(self) -> tuple[Toolkit, ...]:
        """All toolkits, those of the setting first."""
        places = [Path(place).expanduser() for place in self.setting.split(":") if place]
        chosen = [toolkit for place in places if (toolkit := toolkit_of(place / "any")) is not None]
        found = toolkits(environ=self.variables()) if self.bases is None else toolkits(self.bases, self.variables())
        return (*chosen, *(toolkit for toolkit in found if toolkit not in chosen))


ANYWHERE = Search()
"""The usual places, with our own environment."""


def find_tool(name: str, search: Search = ANYWHERE) -> FoundTool:
    """Where a tool is, with the variables that it needs. Without it every viewing feature works all the same."""
    known = search.toolkits()
    for path, found_by in _candidates(name, search, known):
        if path.is_file():
            return _described(name, path, found_by, search, known)
    return FoundTool(name, problem=_("{tool} is not found").format(tool=name), hint=_install_hint(name))


def _candidates(name: str, search: Search, known: Sequence[Toolkit]) -> Iterator[tuple[Path, FoundBy]]:
    in_path = _IN_PATH.get(name, name)
    for place in filter(None, search.setting.split(":")):
        base = Path(place).expanduser()
        if base.name == in_path:
            yield base, "setting"
        for relative in (in_path, *RELATIVE.get(name, ())):
            yield base / relative, "setting"
    if found := shutil.which(in_path, path=search.variables().get("PATH", os.defpath)):
        yield Path(found), "PATH"
    named = {search.variables().get(variable) for variable in ROOT_VARIABLES}
    for toolkit in known:
        for relative in RELATIVE.get(name, ()):
            yield Path(toolkit.root) / relative, "environment" if toolkit.root in named else "default"
    for place in _ALSO.get(name, ()):
        yield Path(place), "default"


def _described(name: str, path: Path, found_by: FoundBy, search: Search, known: Sequence[Toolkit]) -> FoundTool:
    toolkit = toolkit_of(path, known)
    tool = FoundTool(name, str(path.absolute()), found_by, toolkit)
    if path.suffix != ".py" and not os.access(path, os.X_OK):
        problem = _("{path} may not be executed by you").format(path=path)
        return replace(tool, problem=problem, hint=_("ask its owner for permission"))
    script = _needed_script(toolkit, known, search.variables()) if name in _NEEDS_VARIABLES else ""
    if not script:
        return tool
    differences, reason = script_variables(script, search.variables())
    if reason:
        return replace(tool, hint=_("{reason} - source it yourself before npuscope").format(reason=reason))
    return replace(tool, variables=differences)


def _needed_script(toolkit: Toolkit | None, known: Sequence[Toolkit], variables: Mapping[str, str]) -> str:
    """The `set_env.sh` that a tool needs: of its own toolkit unless that is set up, else of the first one known."""
    roots = {Path(value).resolve() for name in ROOT_VARIABLES if (value := variables.get(name))}
    if toolkit is None:
        return known[0].script if known and not roots else ""
    return "" if Path(toolkit.root).resolve() in roots else toolkit.script


def _install_hint(name: str) -> str:
    if name == "msame":
        return _("build it from the Ascend/tools repository, then name its folder in the setting `tools`")
    if name == "ais_bench":
        return _("install the ais_bench package of msit, or use msame")
    if name == "npu-smi":
        return _("install the Ascend driver")
    return _("install the CANN toolkit, source its set_env.sh, or name its folder in the setting `tools`")


def find_tools(names: Iterable[str] = tuple(RELATIVE), search: Search = ANYWHERE) -> tuple[FoundTool, ...]:
    """Where all these tools are."""
    return tuple(find_tool(name, search) for name in names)


def environment_with(
    variables: Iterable[tuple[str, str | None]], base: Mapping[str, str] | None = None
) -> dict[str, str]:
    """An environment with some variables set, and those that are None taken away."""
    environ = dict(os.environ if base is None else base)
    for name, value in variables:
        if value is None:
            environ.pop(name, None)
        else:
            environ[name] = value
    return environ


def features(tool: FoundTool, limit_s: float = 10.0) -> frozenset[str] | None:
    """Options that `msprof --help` lists, which are those of this chip; None when it cannot say (no driver).

    Runs the tool, so never on the screen's thread.
    """
    if not tool.usable:
        return None
    answer = ask((tool.path, "--help"), environment_with(tool.variables), limit_s)
    return parse_features(answer.text) or None


def parse_features(text: str) -> frozenset[str]:
    """Names of the options in the help text of msprof, without the dashes."""
    return frozenset(_FEATURE.findall(text))

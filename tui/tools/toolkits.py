"""Installed CANN toolkits: roots, versions, and the variables of `set_env.sh` (formats: tools 1)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from tui.i18n import _
from tui.model.machine import Toolkit
from tui.tools.ownership import unsafe_program
from tui.tools.query import ask_bytes

ROOT_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
DRIVER = Path("/usr/local/Ascend/driver")

_BASES = ("/usr/local/Ascend", "~/Ascend")
_LINKS = ("cann", "ascend-toolkit/latest", "nnae/latest", "nnrt/latest", "latest")
_VERSION = re.compile(r"^\s*(?:\w*version\w*)\s*[=:]\s*\[?\"?([\w.\-]+)", re.IGNORECASE | re.MULTILINE)
_RELEASE = re.compile(r"(\d+)\.(\d+)(?:\.(?:RC(\d+)|(\d+)))?", re.IGNORECASE)
_NOT_TAKEN = frozenset(("_", "SHLVL", "PWD", "OLDPWD", "BASHOPTS", "SHELLOPTS"))
_READ_SCRIPT = '. "$1" >/dev/null 2>&1; exec env -0'
"""Fixed text; the path of the script comes as an argument, so that nothing in it is ever read as a command."""


def toolkits(bases: Iterable[str] = _BASES, environ: Mapping[str, str] | None = None) -> tuple[Toolkit, ...]:
    """All toolkits: those of the variables first, then those of the default places, newest first. Each only once."""
    environ = os.environ if environ is None else environ
    named = [Path(value) for name in ROOT_VARIABLES if (value := environ.get(name))]
    found: dict[Path, Toolkit] = {}
    for root in (*named, *_newest_first(default_roots(bases))):
        with suppress(OSError):
            if root.is_dir():
                found.setdefault(root.resolve(), toolkit_at(root))
    return tuple(found.values())


def default_roots(bases: Iterable[str] = _BASES) -> Iterator[Path]:
    """Folders where a toolkit may be installed, whether they exist or not."""
    for base in bases:
        folder = Path(base).expanduser()
        for link in _LINKS:
            yield folder / link
        for pattern in ("cann-*", "ascend-toolkit/[0-9]*"):
            with suppress(OSError):
                yield from folder.glob(pattern)


def _newest_first(roots: Iterable[Path]) -> list[Path]:
    existing = [root for root in roots if root.is_dir()]
    return sorted(existing, key=lambda root: release_of(version_of(root)), reverse=True)


def toolkit_at(root: Path) -> Toolkit:
    """The toolkit of that root."""
    return Toolkit(str(root), version_of(root), script_of(root))


def toolkit_of(tool: Path, known: Iterable[Toolkit] = ()) -> Toolkit | None:
    """The toolkit that holds a tool: a known one, else the nearest folder above it that says its version."""
    with suppress(OSError):
        real = tool.resolve()
        for toolkit in known:
            if Path(toolkit.root).resolve() in real.parents:
                return toolkit
        for folder in list(real.parents)[:6]:
            if version_of(folder):
                return toolkit_at(folder)
    return None


def script_of(root: Path) -> str:
    """`set_env.sh` of a toolkit: inside it, or one level up for the older layouts; empty when there is none."""
    for script in (root / "set_env.sh", root.parent / "set_env.sh"):
        with suppress(OSError):
            if script.is_file():
                return str(script)
    return ""


def version_of(root: Path) -> str:
    """Version that the files of a toolkit say; empty when none does."""
    with suppress(OSError):
        for name in sorted(root.glob("*-linux/ascend_*install.info")):
            if version := _version_in(name):
                return version
    for relative in ("version.cfg", "compiler/version.info", "version.info"):
        if version := _version_in(root / relative):
            return version
    return ""


def driver_version(folder: Path = DRIVER) -> str:
    """Version of the driver; empty when it is not installed or may not be read."""
    return _version_in(folder / "version.info")


def _version_in(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found = _VERSION.findall(file.read(1 << 16))
    except OSError:
        return ""
    return next((version for version in found if version[:1].isdigit()), "")


def release_of(version: str) -> tuple[int, int, int, int]:
    """A version as numbers that can be compared; a release candidate comes before its release. Zeros when unknown."""
    match = _RELEASE.match(version)
    if match is None:
        return (0, 0, 0, 0)
    major, minor, candidate, patch = match.groups()
    return int(major), int(minor), int(candidate or 0) if candidate else 100, int(patch or 0)


def script_variables(
    script: str, environ: Mapping[str, str] | None = None
) -> tuple[tuple[tuple[str, str | None], ...], str]:
    """What sourcing `set_env.sh` changes, and why it was not sourced (translated; empty when it was).

    The script is run by bash with its path as an argument; a script that others may write is not run.
    """
    environ = dict(os.environ if environ is None else environ)
    if reason := unsafe_program(Path(script)):
        return (), reason
    answer = ask_bytes(("bash", "-c", _READ_SCRIPT, "_", script), environ)
    if answer.returncode != 0:
        return (), _("{path} cannot be read by bash").format(path=script)
    after = dict(_variables(answer.output))
    changed = {name: value for name, value in after.items() if environ.get(name) != value}
    gone = {name: None for name in environ if name not in after}
    differences = {**changed, **gone}
    return tuple(sorted((name, value) for name, value in differences.items() if _is_taken(name))), ""


def _variables(output: bytes) -> Iterator[tuple[str, str]]:
    for entry in output.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if equals:
            yield os.fsdecode(name), os.fsdecode(value)


def _is_taken(name: str) -> bool:
    return name not in _NOT_TAKEN and not name.startswith("BASH_FUNC_")

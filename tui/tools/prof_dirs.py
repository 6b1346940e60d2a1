"""PROF folders that a run left: found by listing, judged by what is in them (formats: tools 2.9)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from tui.i18n import N_, _
from tui.model.jobs import JobResult

NAME = re.compile(r"PROF_\d{6}_\d{17}_(?:[A-Z]{16}|\d{8}[A-Z]{8}|\d{16})")

ProfState = Literal["exported", "collected", "incomplete", "empty"]
STATE_NOTES = {
    "exported": "",
    "collected": N_("collected, not exported"),
    "incomplete": N_("incomplete: the collection was cut off"),
    "empty": N_("empty: look for a full disk or a missing permission"),
}
"""What people read about a folder, by its state."""

_DEPTH = 2
_MANY = 10_000


def names_in(folder: str) -> tuple[str, ...]:
    """PROF folders in a folder, and one level below it, relative to it, by name; links are passed over."""
    return tuple(sorted(_found(Path(folder), _DEPTH, "")))


def _found(folder: Path, depth: int, prefix: str) -> Iterator[str]:
    entries: list[os.DirEntry[str]] = []
    with suppress(OSError), os.scandir(folder) as found:
        entries = [entry for _place, entry in zip(range(_MANY), found) if entry.is_dir(follow_symlinks=False)]
    for entry in entries:
        if NAME.fullmatch(entry.name):
            yield prefix + entry.name
        elif depth > 1 and not entry.name.startswith("."):
            yield from _found(Path(entry.path), depth - 1, f"{prefix}{entry.name}/")


def new_profiles(folder: str, before: Iterable[str]) -> list[Path]:
    """PROF folders that were not there before, oldest first."""
    known = frozenset(before)
    return [Path(folder, name) for name in names_in(folder) if name not in known]


def state_of(prof: Path) -> ProfState:
    """How far a PROF folder got."""
    parts = _parts(prof)
    if not any(part.name.startswith("device_") for part in parts) and not _has_files(prof / "host"):
        return "empty"
    if _is_exported(prof, parts):
        return "exported"
    raw = [part / "data" for part in parts]
    if not any(map(_has_files, raw)):
        return "empty"
    ended = any(_any_name(folder, ("end_info*", "*.done", "all_file.complete")) for folder in (*parts, *raw))
    return "collected" if ended else "incomplete"


def _parts(prof: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in prof.iterdir() if path.name == "host" or path.name.startswith("device_")]
    return []


def _is_exported(prof: Path, parts: Iterable[Path]) -> bool:
    """New layout: files in `mindstudio_profiler_output` or a database; old layout: `summary` or `timeline`."""
    old = [part / name for part in parts for name in ("summary", "timeline")]
    merged = [prof / "mindstudio_profiler_output", prof / "timeline", prof / "summary"]
    return any(map(_has_data, (*merged, *old))) or _any_name(prof, ("msprof_*.db",))


def _has_data(folder: Path) -> bool:
    """Whether a folder holds a file with content other than its README."""
    with suppress(OSError), os.scandir(folder) as entries:
        return any(
            entry.is_file(follow_symlinks=False) and entry.name != "README.txt" and entry.stat().st_size > 0
            for entry in entries
        )
    return False


def _has_files(folder: Path) -> bool:
    with suppress(OSError), os.scandir(folder) as entries:
        return next(entries, None) is not None
    return False


def _any_name(folder: Path, patterns: Iterable[str]) -> bool:
    with suppress(OSError):
        return any(next(folder.glob(pattern), None) is not None for pattern in patterns)
    return False


def device_data_missing(prof: Path) -> bool:
    """Whether there is no folder of a device, so that only the host was measured."""
    return not any(part.name.startswith("device_") for part in _parts(prof))


def result_of(prof: Path) -> JobResult:
    """A PROF folder as a result, with what is special about it."""
    state = state_of(prof)
    return JobResult("profile", str(prof), _(STATE_NOTES[state]), usable=state == "exported")


def unexported(folder: str) -> list[Path]:
    """PROF folders in or at a folder that were collected but not exported: for each, an export can be offered."""
    if NAME.fullmatch(Path(folder).name):
        return [Path(folder)] if state_of(Path(folder)) in ("collected", "incomplete") else []
    found = [Path(folder, name) for name in names_in(folder)]
    return [prof for prof in found if state_of(prof) in ("collected", "incomplete")]


def size_bytes(folder: Path, limit: int = 100_000) -> int:
    """Bytes of the files below a folder, at most `limit` of them; links are not followed."""
    total, seen = 0, 0
    for place, _folders, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
            seen += 1
            if seen >= limit:
                return total
    return total

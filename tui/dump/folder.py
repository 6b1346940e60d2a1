"""A folder of dumps → its files in execution order. Only names and `mapping.csv` are read (dump §1.3, §1.4)."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tui.dump.names import MAPPING, DumpName, NameKind, parse_name, read_mapping
from tui.i18n import _, ngettext
from tui.model.problem import Problem

MAX_FOLDERS = 20_000
"""Folders looked into below one path; a dump of thousands of iterations has as many."""
MAX_DEPTH = 12

_HASHED = re.compile(r"\d{5,20}")
_TIME = re.compile(r"\d{14}")
_LEFT_OUT_BESIDE_DUMPS: frozenset[NameKind] = frozenset(("npy", "golden_npy", "raw"))


@dataclass(frozen=True)
class DumpEntry:
    """One file of a dump, by its name."""

    path: Path
    op_name: str
    """As the file name has it, with `. / \\` and blanks turned into `_`; the header may know better."""
    op_type: str
    kind: NameKind
    tensor: str
    """`output:0` where the file holds one tensor, else empty."""
    timestamp_us: int | None
    stream_id: int | None
    task_id: int | None
    order: int
    """Place in execution order, from 0; files without a time come last, by name."""
    thread_id: int | None = None
    """Thread of a sub-task whose file holds a slice of the operator's tensors."""


@dataclass(frozen=True)
class DumpLeaf:
    """One folder that holds dump files: one iteration of one model on one device."""

    path: Path
    files: int
    parts: tuple[str, ...]
    """Folders from the opened path down to it, a leading time left out; sides of a comparison pair by it."""
    time: str = ""
    """`YYYYMMDDHHMMSS` of the run; empty where the path has none."""


@dataclass(frozen=True)
class DumpFolder:
    """The dump files of one leaf, and which other leaves there are."""

    path: Path
    entries: tuple[DumpEntry, ...]
    """In execution order."""
    problems: tuple[Problem, ...] = ()
    leaves: tuple[DumpLeaf, ...] = ()
    """All leaves below the path, the one that is listed first by default first."""
    leaf: DumpLeaf | None = None
    """The leaf whose entries these are; None for a single file and for nothing."""


@dataclass
class _Walk:
    """Leaves found so far."""

    root: Path
    leaves: list[DumpLeaf] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    visited: int = 0
    pickled: int = 0
    """Files of PyTorch seen, which are never loaded."""


def list_dumps(path: Path, leaf: DumpLeaf | None = None) -> DumpFolder:
    """The dump files at or below `path`.

    Args:
        leaf: Which of several leaves to list; None takes the newest run, its first device, model and iteration.
    """
    if path.is_file():
        return _single(path)
    if not path.exists():
        return DumpFolder(path, (), (_nothing(path, _("it does not exist")),))
    walk = _Walk(path)
    _collect(walk, path, ())
    leaves = tuple(sorted(walk.leaves, key=_leaf_order))
    if not leaves:
        return DumpFolder(path, (), tuple(walk.problems) or (_without_dumps(walk),))
    chosen = leaf or leaves[0]
    entries, problems = _entries(chosen.path)
    found = [*walk.problems, *problems]
    if len(leaves) > 1 and leaf is None:
        found.append(_several(path, chosen, len(leaves)))
    return DumpFolder(path, entries, tuple(found), leaves, chosen)


def leaf_like(leaves: tuple[DumpLeaf, ...], wanted: DumpLeaf) -> DumpLeaf | None:
    """The leaf of another run for the same device, model and iteration as `wanted`.

    Models of two precisions have two names, so device and iteration are enough; None without the same iteration.
    """
    alike = [leaf for leaf in leaves if leaf.parts[-1:] == wanted.parts[-1:]]
    return max(alike, key=lambda leaf: (leaf.parts == wanted.parts, leaf.parts[:1] == wanted.parts[:1]), default=None)


def _single(path: Path) -> DumpFolder:
    name = parse_name(path.name) or DumpName("raw", path.stem)
    return DumpFolder(path, (_entry(path, name, 0),))


def _collect(walk: _Walk, folder: Path, parts: tuple[str, ...]) -> None:
    walk.visited += 1
    if walk.visited > MAX_FOLDERS or len(parts) > MAX_DEPTH:
        if walk.visited == MAX_FOLDERS + 1:
            walk.problems.append(_too_many(walk.root))
        return
    try:
        with os.scandir(folder) as listing:
            found = sorted(listing, key=lambda entry: entry.name)
            names = [entry.name for entry in found if not entry.is_dir(follow_symlinks=False)]
            folders = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        walk.problems.append(_unreadable(folder, error))
        return
    walk.pickled += sum(name.endswith(".pt") for name in names)
    has_mapping = MAPPING in names
    files = sum(1 for name in names if _may_be_dump(name, has_mapping))
    if files:
        time = next((part for part in parts if _TIME.fullmatch(part)), "")
        walk.leaves.append(DumpLeaf(folder, files, tuple(part for part in parts if part != time), time))
    for name in folders:
        _collect(walk, folder / name, (*parts, name))


def _may_be_dump(name: str, has_mapping: bool) -> bool:
    return parse_name(name) is not None or (has_mapping and _HASHED.fullmatch(name) is not None)


def _leaf_order(leaf: DumpLeaf) -> tuple[float, list[tuple[float, str]]]:
    """Newest run first, then folders by number where they are numbers."""
    numbers = [(float(part), "") if part.isdigit() and len(part) < 16 else (math.inf, part) for part in leaf.parts]
    return (-float(leaf.time or 0), numbers)


def _entries(folder: Path) -> tuple[tuple[DumpEntry, ...], list[Problem]]:
    problems: list[Problem] = []
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        return (), [_unreadable(folder, error)]
    mapping: dict[str, str] = {}
    if MAPPING in names:
        mapping, unreadable = read_mapping(folder / MAPPING)
        problems += unreadable
    found = [(name, parsed) for name in names for parsed in _parsed(name, mapping)]
    kept = _without_leftovers(found)
    if len(kept) < len(found):
        problems.append(_left_out(folder, len(found) - len(kept)))
    kept.sort(key=lambda pair: _execution_order(*pair))
    return tuple(_entry(folder / name, parsed, order) for order, (name, parsed) in enumerate(kept)), problems


def _parsed(name: str, mapping: dict[str, str]) -> Iterator[DumpName]:
    """What a file's name tells, a hashed one by the mapping."""
    original = mapping.get(name)
    if original is not None:
        yield parse_name(re.split(r"[/\\]", original)[-1]) or DumpName("npu", original)
        return
    parsed = parse_name(name)
    if parsed is not None:
        yield parsed
    elif _HASHED.fullmatch(name):
        yield DumpName("npu", name)


def _without_leftovers(found: list[tuple[str, DumpName]]) -> list[tuple[str, DumpName]]:
    """Converted tensors that were left beside the dumps they come from would count twice."""
    if not any(parsed.kind == "npu" for _name, parsed in found):
        return found
    return [pair for pair in found if pair[1].kind not in _LEFT_OUT_BESIDE_DUMPS]


def _execution_order(name: str, parsed: DumpName) -> tuple[float, float, str]:
    time = math.inf if parsed.timestamp_us is None else float(parsed.timestamp_us)
    return time, math.inf if parsed.task_id is None else float(parsed.task_id), name


def _entry(path: Path, name: DumpName, order: int) -> DumpEntry:
    return DumpEntry(
        path,
        name.op_name,
        name.op_type,
        name.kind,
        name.tensor,
        name.timestamp_us,
        name.stream_id,
        name.task_id,
        order,
        name.thread_id,
    )


def _without_dumps(walk: _Walk) -> Problem:
    if not walk.pickled:
        return _nothing(walk.root, _("no dump file is at or below it"))
    what = _("its tensors are PyTorch files (.pt), pickled objects, which could run code; they are never loaded")
    hint = _("save them as .npy, or open dump.json beside them for their statistics")
    return Problem(str(walk.root), "", what, _("there is nothing to compare"), hint, "error")


def _nothing(path: Path, what: str) -> Problem:
    hint = _("open the folder that holds files like Add.op_name.12.3.1718260600000700")
    return Problem(str(path), "", what, _("there is nothing to compare"), hint, "error")


def _unreadable(path: Path, error: OSError) -> Problem:
    what = _("cannot be read: {reason}").format(reason=error.strerror or error)
    return Problem(str(path), "", what, _("its files are missing here"), _("check its permissions"), "error")


def _too_many(path: Path) -> Problem:
    what = _("more than {count} folders lie below it").format(count=MAX_FOLDERS)
    return Problem(str(path), "", what, _("the rest is not looked at"), _("open one of its folders"))


def _several(path: Path, chosen: DumpLeaf, count: int) -> Problem:
    what = ngettext("{count} folder of dumps", "{count} folders of dumps below it", count).format(count=count)
    consequence = _("{folder} is used").format(folder=os.path.relpath(chosen.path, path))
    return Problem(str(path), "", what, consequence, _("open another one by its own path"), "info")


def _left_out(folder: Path, count: int) -> Problem:
    what = ngettext("{count} converted file lies", "{count} converted files lie", count).format(count=count)
    what = _("{files} beside the dumps").format(files=what)
    return Problem(str(folder), "", what, _("the dumps themselves are used"), "", "info")

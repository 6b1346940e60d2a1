"""Profiles that are no collection: files alone, cluster reports, old MindSpore output, raw slices, foreign output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.sources import Profile, Role, SourceFile
from tui.readers import layouts, sniff
from tui.readers.exports import newest_exports, slice_holes
from tui.readers.folders import Explorer, Listing
from tui.readers.foreign import FOREIGN, ForeignKind, foreign_file, foreign_folder
from tui.readers.generation import merged_generation
from tui.readers.sources import (
    READABLE_ROLES,
    database_only,
    empty_files,
    files_of,
    source_file,
    text_instead_of_database,
)

LOOSE_ROLES: frozenset[Role] = frozenset(
    {"ops", "op-types", "apis", "tasks", "steps", "timeline", "database", "memory", "advice"}
)
"""Roles that make files outside any known layout worth a profile of their own."""
MAX_FOREIGN_FOLDERS = 500


@dataclass
class ForeignFind:
    """Files of one foreign kind, gathered over a search."""

    kind: ForeignKind
    folders: set[Path] = field(default_factory=set)
    """Folders that hold it: the one that is known by its name, else each with such a file."""
    files: list[SourceFile] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The deepest folder that holds all of it."""
        return Path(os.path.commonpath(self.folders))


def file_profile(path: Path, size_bytes: int) -> Profile:
    """The profile of one file opened alone."""
    device = layouts.device_of(path.parent.name) or layouts.device_of(path.parent.parent.name) or ""
    file = source_file(path, size_bytes, bool(device), device)
    kind = foreign_file(path.name, sniff.head(path, 256)) if file.role in ("other", "table", "database") else None
    files = (file if kind is None or file.role in READABLE_ROLES else _as_foreign(file),)
    problems = (
        *empty_files(files),
        *database_only(files, _database_hint()),
        *([_foreign_problem(kind, path)] if kind else ()),
    )
    return Profile(path.name, path, "file", merged_generation(files), files, problems=problems or _unknown(files))


def _database_hint() -> str:
    return _("export the text too: msprof --export=on --output=DIR --type=text")


def _unknown(files: tuple[SourceFile, ...]) -> tuple[Problem, ...]:
    file = files[0]
    if file.role in READABLE_ROLES:
        return ()
    what = _("this file is no table, timeline or database of a profile")
    return (
        Problem(
            str(file.path), "", what, _("it cannot be shown"), _("open a PROF folder or a framework output"), "error"
        ),
    )


def loose_profile(listing: Listing) -> Profile | None:
    """The profile of files that lie outside any known layout; None when none of them is known."""
    files = text_instead_of_database(newest_exports(files_of(listing)))
    if not any(file.role in LOOSE_ROLES for file in files):
        return None
    kinds = {file.kind for file in files}
    kind: Literal["torch", "msprof"] = "torch" if kinds & {"kernel_details", "trace_view"} else "msprof"
    problems = (*slice_holes(files), *empty_files(files), *database_only(files, _database_hint()))
    return Profile(listing.name, listing.path, kind, merged_generation(files), files, problems=problems)


def cluster_profile(listing: Listing) -> Profile:
    """The report over all ranks that a cluster analysis writes."""
    files = newest_exports(files_of(listing))
    problem = Problem(
        str(listing.path),
        "",
        _("report of a cluster analysis over all ranks, not a profile"),
        _("its tables open; there are no operators and no timeline"),
        _("for those open the output of one rank"),
        "info",
    )
    return Profile(listing.name, listing.path, "cluster", "", files, problems=(problem, *empty_files(files)))


def legacy_mindspore_profile(listing: Listing) -> Profile:
    """The flat `profiler` folder of MindSpore before 2.3."""
    files = newest_exports(files_of(listing))
    problem = Problem(
        str(listing.path),
        "",
        _("output of the profiler of MindSpore before 2.3"),
        _("its CSV files and timeline open; operator and API screens have no source"),
        _("open the PROF folder of the run, if it was kept, after: msprof --export=on --output=DIR"),
        "info",
    )
    return Profile(listing.name, listing.path, "mindspore-legacy", "", files, problems=(problem, *empty_files(files)))


def gather_foreign(
    listing: Listing, finds: dict[str, ForeignFind], kind: ForeignKind | None = None, root: Path | None = None
) -> None:
    """Adds the foreign files of a folder.

    Args:
        kind: Kind of every file that is no other, in a folder known by its name.
        root: That folder.
    """
    for entry in listing.files:
        path = listing.path / entry.name
        file_kind = foreign_file(entry.name, sniff.head(path, 256) if entry.name.endswith(".json") else b"") or kind
        if file_kind:
            find = finds.setdefault(file_kind.key, ForeignFind(file_kind))
            find.folders.add(root or listing.path)
            find.files.append(_foreign_entry(path, entry.size_bytes))


def gather_below(listing: Listing, explorer: Explorer, finds: dict[str, ForeignFind]) -> None:
    """Adds everything below a folder whose name tells that it is foreign."""
    kind = foreign_folder(listing.name)
    pending, seen = [listing], {os.path.realpath(listing.path)}
    while pending and len(seen) < MAX_FOREIGN_FOLDERS:
        folder = pending.pop(0)
        gather_foreign(folder, finds, kind, listing.path)
        for name in folder.folders:
            real = os.path.realpath(folder.path / name)
            if real not in seen:
                seen.add(real)
                pending.append(explorer.listing(folder.path / name))


def _foreign_entry(path: Path, size_bytes: int) -> SourceFile:
    file = source_file(path, size_bytes)
    return file if file.role in READABLE_ROLES else _as_foreign(file)


def _as_foreign(file: SourceFile) -> SourceFile:
    return SourceFile(file.path, file.kind, "foreign", file.size_bytes, note=file.note)


def foreign_profiles(finds: Iterable[ForeignFind]) -> Iterator[Profile]:
    """One profile for each foreign kind that was found."""
    order = [kind.key for kind in FOREIGN]
    for find in sorted(finds, key=lambda item: order.index(item.kind.key)):
        kind: Literal["raw", "foreign"] = "raw" if find.kind.key == "raw-slices" else "foreign"
        problem = _foreign_problem(find.kind, find.root)
        yield Profile(
            find.root.name, find.root, kind, "", tuple(find.files), problems=(problem, *empty_files(find.files))
        )


def _foreign_problem(kind: ForeignKind, path: Path) -> Problem:
    severity: Literal["error", "warn"] = "error" if kind.key == "raw-slices" else "warn"
    return Problem(str(path), "", _(kind.what), _(kind.consequence), _(kind.hint), severity)


def other_profile(listings: Iterable[Listing], root: Path) -> Profile | None:
    """Every table among files that nothing else claimed; None when there is none."""
    files = tuple(file for listing in listings for file in files_of(listing) if file.role in READABLE_ROLES)
    if not files:
        return None
    problem = Problem(
        str(root),
        "",
        _("no profile of a known layout"),
        _("its tables open as they are"),
        _("open a PROF folder or a framework output"),
        "warn",
    )
    return Profile(root.name, root, "other", "", files, problems=(problem, *empty_files(files)))

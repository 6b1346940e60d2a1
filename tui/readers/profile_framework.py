"""Output of a framework's profiler: `*_ascend_pt`, `*_ascend_ms` (formats: frameworks 1 and 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.sources import Device, Environment, Profile, SourceFile
from tui.readers import layouts
from tui.readers.exports import newest_exports, slice_holes
from tui.readers.folders import Explorer, Listing
from tui.readers.generation import merged_generation
from tui.readers.missing import missing_of
from tui.readers.profile_msprof import msprof_profile
from tui.readers.sidecar import Sidecar, environment_of, read_sidecar
from tui.readers.sources import (
    READABLE_ROLES,
    database_only,
    empty_files,
    files_of,
    raw_folder,
    sidecar_entries,
    text_instead_of_database,
)

_MINDSPORE = re.compile(r"ascend_mindspore_profiler.*\.db|minddata_pipeline_.*|dataset\.csv|communication_analyzer\.db")
_RANK_IN_NAME = re.compile(r"(?:^|[_-])rank_?(\d+)(?:_|$)")


def framework_profiles(listing: Listing, explorer: Explorer) -> Iterator[Profile]:
    """The profile of a framework's output, and those of its collections that were exported on their own."""
    collections = [name for name in listing.folders if layouts.is_prof_name(name)]
    inner = [msprof_profile(explorer.listing(listing.path / name), explorer) for name in collections]
    own = _framework_profile(listing, explorer, inner)
    exported = [profile for profile in inner if profile.kind == "msprof"]
    if own.kind != "raw" or not exported:
        yield own
    yield from exported


def _framework_profile(listing: Listing, explorer: Explorer, inner: list[Profile]) -> Profile:
    output = (
        explorer.listing(listing.path / layouts.FRAMEWORK_OUTPUT)
        if layouts.FRAMEWORK_OUTPUT in listing.folders
        else None
    )
    entries, sidecars, unread = _sidecars(listing)
    found = (*(files_of(output) if output else ()), *files_of(listing), *entries, *_raw_folders(listing))
    files = text_instead_of_database(newest_exports(found))
    environment = _with_rank(environment_of((*sidecars, *_inner_sidecars(inner))), listing.name)
    parsed = any(file.used and file.role in READABLE_ROLES for file in files)
    return Profile(
        name=listing.name,
        root=listing.path,
        kind=_framework(listing, files) if parsed else "raw",
        generation=merged_generation(files) if parsed else "",
        files=files,
        devices=_devices(inner),
        environment=environment,
        missing=missing_of(files, True, "", environment, bool(environment.rank)) if parsed else (),
        problems=(*unread, *_problems(listing, files, parsed)),
    )


def _sidecars(listing: Listing) -> tuple[list[SourceFile], list[Sidecar], list[Problem]]:
    entries: list[SourceFile] = []
    sidecars: list[Sidecar] = []
    problems: list[Problem] = []
    for entry, kind, rank in sidecar_entries(listing):
        entries.append(entry)
        found = read_sidecar(entry.path, kind, rank)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            sidecars.append(found)
    return entries, sidecars, problems


def _inner_sidecars(inner: list[Profile]) -> Iterator[Sidecar]:
    """Side-car files of the collections inside, which describe host and chip."""
    for profile in inner:
        for file in profile.files:
            if file.role == "environment" and file.kind == "info":
                found = read_sidecar(file.path, "info.json", file.device)
                if isinstance(found, Sidecar):
                    yield found


def _devices(inner: list[Profile]) -> tuple[Device, ...]:
    return tuple(device for profile in inner for device in profile.devices)


def _raw_folders(listing: Listing) -> Iterator[SourceFile]:
    for name in listing.folders:
        if name in layouts.RAW or layouts.is_prof_name(name):
            yield raw_folder(listing.path / name)


def _framework(listing: Listing, files: tuple[SourceFile, ...]) -> Literal["torch", "mindspore"]:
    if listing.name.endswith("_ascend_ms") or any(_MINDSPORE.fullmatch(file.path.name) for file in files):
        return "mindspore"
    return "torch"


def _with_rank(environment: Environment, name: str) -> Environment:
    found = _RANK_IN_NAME.search(name)
    return replace(environment, rank=found[1]) if found and not environment.rank else environment


def _problems(listing: Listing, files: tuple[SourceFile, ...], parsed: bool) -> Iterator[Problem]:
    if not parsed:
        yield _not_parsed(listing)
    yield from database_only(files, _("set export_type to Text and collect again, or export the PROF folder inside"))
    yield from slice_holes(files)
    yield from empty_files(files)


def _not_parsed(listing: Listing) -> Problem:
    module = "mindspore.profiler.profiler" if listing.name.endswith("_ascend_ms") else "torch_npu.profiler.profiler"
    command = f'python3 -c "from {module} import analyse; analyse({str(listing.path)!r})"'
    hint = _("run: {command}").format(command=command)
    what = _("collected but not analysed: {folder} is missing or empty").format(folder=layouts.FRAMEWORK_OUTPUT)
    return Problem(str(listing.path), "", what, _("there are no tables and no timeline to show"), hint, "error")

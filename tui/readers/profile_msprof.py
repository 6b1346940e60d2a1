"""A collection of msprof: `PROF_*` in the layouts of all generations (formats: msprof 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.sources import Device, Profile, SourceFile
from tui.readers import layouts
from tui.readers.exports import newest_exports, slice_holes
from tui.readers.folders import Explorer, Listing
from tui.readers.generation import merged_generation, old_generation
from tui.readers.missing import missing_of
from tui.readers.names import natural_key
from tui.readers.sidecar import Sidecar, devices_of, environment_of, read_sidecar
from tui.readers.sources import (
    READABLE_ROLES,
    database_only,
    empty_files,
    files_of,
    quoted,
    raw_folder,
    sidecar_entries,
    text_instead_of_database,
)

_COLLECTED = re.compile(r"PROF_\d+_(\d{8})")


@dataclass(frozen=True)
class _Parts:
    """What was found below a collection, before choosing among it."""

    files: tuple[SourceFile, ...]
    sidecars: tuple[Sidecar, ...]
    problems: tuple[Problem, ...]
    devices: tuple[Device, ...]
    merged: bool
    """Whether the files of `mindstudio_profiler_output` count."""


def msprof_profile(listing: Listing, explorer: Explorer) -> Profile:
    """The profile of one collection of msprof."""
    parts = _parts(listing, explorer)
    files = text_instead_of_database(newest_exports(parts.files))
    environment = environment_of(parts.sidecars)
    exported = any(file.used and file.role in READABLE_ROLES for file in files)
    generation = _generation(listing, files, parts.merged) if exported else ""
    several = len(parts.devices) > 1 or environment.rank not in ("", "0")
    return Profile(
        name=listing.name,
        root=listing.path,
        kind="msprof" if exported else "raw",
        generation=generation,
        files=files,
        devices=parts.devices,
        environment=environment,
        iterations=_iterations(files),
        missing=missing_of(files, False, generation, environment, several) if exported else (),
        problems=(*parts.problems, *_problems(listing, files, parts.devices, exported)),
    )


def _parts(listing: Listing, explorer: Explorer) -> _Parts:
    output = list(_output_files(listing, explorer))
    merged = any(file.role in READABLE_ROLES and file.role != "database" for file in output)
    members = [name for name in listing.folders if layouts.device_of(name)]
    exported = list(_exported_files(listing, explorer, members))
    if merged:
        exported = [
            replace(file, used=False, note=_("{folder} is used instead").format(folder=layouts.OUTPUT))
            for file in exported
        ]
    entries, sidecars, problems = _sidecars(listing, explorer, members)
    devices = _devices(listing, explorer, members, sidecars)
    raw = _raw_folders(listing, explorer, members, devices, merged)
    files = (*output, *exported, *files_of(listing), *entries, *raw)
    return _Parts(files, tuple(sidecars), tuple(problems), devices, merged)


def _output_files(listing: Listing, explorer: Explorer) -> Iterator[SourceFile]:
    for name in (layouts.OUTPUT, "analyze"):
        if name in listing.folders:
            yield from files_of(explorer.listing(listing.path / name))


def _exported_files(listing: Listing, explorer: Explorer, members: list[str]) -> Iterator[SourceFile]:
    """Files of `summary` and `timeline`, below each device and the host, or right below the collection."""
    for name in layouts.EXPORTED:
        if name in listing.folders:
            yield from files_of(explorer.listing(listing.path / name), per_device=True)
    for member in members:
        inner = explorer.listing(listing.path / member)
        for name in layouts.EXPORTED:
            if name in inner.folders:
                yield from files_of(explorer.listing(inner.path / name), True, layouts.device_of(member) or "")


def _sidecars(
    listing: Listing, explorer: Explorer, members: list[str]
) -> tuple[list[SourceFile], list[Sidecar], list[Problem]]:
    entries: list[SourceFile] = []
    sidecars: list[Sidecar] = []
    problems: list[Problem] = []
    folders = [(listing, "")] + [
        (explorer.listing(listing.path / name), layouts.device_of(name) or "") for name in members
    ]
    for folder, member in sorted(folders, key=lambda pair: pair[1] != "host"):
        for entry, kind, device in sidecar_entries(folder, member):
            entries.append(entry)
            if kind.endswith(".log"):
                continue
            found = read_sidecar(entry.path, kind, device)
            (problems if isinstance(found, Problem) else sidecars).append(found)  # type: ignore[arg-type]
    return entries, sidecars, problems


def _devices(listing: Listing, explorer: Explorer, members: list[str], sidecars: list[Sidecar]) -> tuple[Device, ...]:
    described = devices_of(sidecars)
    folders = {layouts.device_of(name): name for name in members if name != "host"}
    ids = {device for device in folders if device} or set(described)
    return tuple(
        replace(
            described.get(device, Device(device)),
            ended_cleanly=_ended_cleanly(explorer.listing(listing.path / folders[device]))
            if device in folders
            else None,
        )
        for device in sorted(ids, key=natural_key)
    )


def _ended_cleanly(folder: Listing) -> bool | None:
    if any(entry.name.startswith("end_info") for entry in folder.files):
        return True
    started = any(entry.name.startswith("start_info") for entry in folder.files)
    return False if started or "data" in folder.folders else None


def _raw_folders(
    listing: Listing, explorer: Explorer, members: list[str], devices: tuple[Device, ...], merged: bool
) -> Iterator[SourceFile]:
    """Folders of raw data: a whole `device_N` when its exports lie elsewhere, else its `data`, `sqlite`, `log`."""
    notes = {device.id: _ending(device) for device in devices}
    for member in members:
        device = layouts.device_of(member) or ""
        inner = explorer.listing(listing.path / member)
        if not any(name in inner.folders for name in layouts.EXPORTED):
            if inner.folders:
                yield raw_folder(inner.path, device, notes.get(device, ""))
            continue
        for name in layouts.RAW:
            if name in inner.folders:
                yield raw_folder(inner.path / name, device, notes.get(device, ""))
    for name in layouts.RAW:
        if name in listing.folders:
            yield raw_folder(listing.path / name)


def _ending(device: Device) -> str:
    if device.ended_cleanly is None:
        return ""
    return _("ended cleanly") if device.ended_cleanly else _("did not end cleanly")


def _generation(listing: Listing, files: tuple[SourceFile, ...], merged: bool) -> str:
    collected = _COLLECTED.match(listing.name)
    old = not merged and any(file.used and file.path.parent.name in layouts.EXPORTED for file in files)
    return old_generation(files, collected[1] if collected else "") if old else merged_generation(files)


def _iterations(files: tuple[SourceFile, ...]) -> tuple[str, ...]:
    return tuple(sorted({file.iteration for file in files if file.used and file.iteration}, key=natural_key))


def _problems(
    listing: Listing, files: tuple[SourceFile, ...], devices: tuple[Device, ...], exported: bool
) -> Iterator[Problem]:
    if not exported:
        yield _not_exported(listing)
    export = _("export the text too: {command}").format(command=_export_command(listing, " --type=text"))
    yield from database_only(files, export)
    yield from slice_holes(files)
    yield from empty_files(files)
    for device in devices:
        if device.ended_cleanly is False:
            yield _not_ended(listing, device)


def _export_command(listing: Listing, options: str = "") -> str:
    return f"npuscope run msprof -- --export=on --output={quoted(listing.path)}{options}"


def _not_exported(listing: Listing) -> Problem:
    what = _("collected but not exported")
    consequence = _("there are no tables and no timeline to show")
    hint = _("run: {command}").format(command=_export_command(listing))
    return Problem(str(listing.path), "", what, consequence, hint, "error")


def _not_ended(listing: Listing, device: Device) -> Problem:
    path = str(listing.path / f"device_{device.id}")
    what = _("end_info is missing: the collection of device {device} did not end cleanly").format(device=device.id)
    return Problem(path, "", what, _("its last part may be missing"), _("collect again and let it finish"), "error")


def only_below(profile: Profile, folder: Path) -> Profile:
    """The part of a collection that one `device_N`, `host`, `summary` or `timeline` holds, and what is shared."""
    device = layouts.device_of(folder.name) or layouts.device_of(folder.parent.name) or ""
    inside = folder.name in layouts.EXPORTED
    files = tuple(file for file in profile.files if _belongs(file, folder, device, inside))
    devices = tuple(item for item in profile.devices if item.id == device) or profile.devices
    name = f"{profile.name}/{folder.relative_to(profile.root).as_posix()}"
    return replace(
        profile,
        name=name,
        files=files,
        devices=devices,
        iterations=_iterations(files),
        problems=(*profile.problems, *_merged_rows(profile, files, device)),
    )


def _belongs(file: SourceFile, folder: Path, device: str, inside: bool) -> bool:
    if file.role == "environment" or not inside:
        return not file.device or file.device in (device, "host")
    return folder in file.path.parents


def _merged_rows(profile: Profile, files: tuple[SourceFile, ...], device: str) -> Iterator[Problem]:
    if len(profile.devices) > 1 and any(file.used and file.path.parent.name == layouts.OUTPUT for file in files):
        what = _("the export holds the rows of all devices in one file")
        hint = _("filter with device_id=={device}").format(device=device)
        yield Problem(str(profile.root), "", what, _("the tables show every device"), hint, "info")

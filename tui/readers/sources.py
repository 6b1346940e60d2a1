"""Entries of a profile from the files and folders that hold them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.sources import Role, SourceFile
from tui.readers import names, sniff
from tui.readers.folders import Entry, Listing, total_bytes
from tui.readers.names import FileName, ids_of, parse_name, role_of

TEXT_ROLES: frozenset[Role] = frozenset({"ops", "op-types", "apis", "tasks", "timeline"})
"""Roles of text files that make a database beside them redundant."""
READABLE_ROLES: frozenset[Role] = frozenset(
    {"ops", "op-types", "apis", "tasks", "steps", "communication", "memory", "table", "timeline", "database", "advice"}
)


def source_file(path: Path, size_bytes: int, per_device: bool = False, device: str = "") -> SourceFile:
    """One file by its name, and by its first bytes where the name does not tell.

    Args:
        per_device: Whether the file lies in a folder of one device or of the host.
        device: That device.
    """
    name = parse_name(path.name)
    role = role_of(name)
    if size_bytes:
        name, role = _by_content(path, name, role)
    ids = ids_of(name, per_device)
    return SourceFile(
        path=path,
        kind=name.kind,
        role=role,
        size_bytes=size_bytes,
        device=device or ids.device,
        model=ids.model,
        iteration=ids.iteration,
        slice=name.slice,
        date=name.date,
        note="" if size_bytes else _("empty"),
    )


def _by_content(path: Path, name: FileName, role: Role) -> tuple[FileName, Role]:
    if role == "table":
        return _table_by_content(path, name)
    json_of_two_kinds = role == "timeline" and (name.kind in names.SUMMARY_ROLES or name.kind == "ge_op_execute")
    if name.extension in (".json", ".json.gz") and (role == "other" or json_of_two_kinds):
        return name, _json_by_content(path, name, role)
    return name, role


def _table_by_content(path: Path, name: FileName) -> tuple[FileName, Role]:
    kind = sniff.kind_by_headings(sniff.head(path))
    return (names.with_kind(name, kind), names.SUMMARY_ROLES[kind]) if kind else (name, "table")


def _json_by_content(path: Path, name: FileName, role: Role) -> Role:
    data = sniff.head(path)
    if role == "timeline":
        return names.SUMMARY_ROLES.get(name.kind, "table") if sniff.is_wide_table(data) else role
    return "timeline" if sniff.looks_like_trace(data) else role


def files_of(listing: Listing, per_device: bool = False, device: str = "") -> Iterator[SourceFile]:
    """Every file of a folder but markers and side-car files."""
    for entry in listing.files:
        if not entry.name.endswith(".done") and names.sidecar_kind(entry.name) is None:
            yield source_file(listing.path / entry.name, entry.size_bytes, per_device, device)


def sidecar_entries(listing: Listing, device: str = "") -> Iterator[tuple[SourceFile, str, str]]:
    """(entry, side-car kind, device or rank) of each side-car file of a folder."""
    for entry in listing.files:
        found = names.sidecar_kind(entry.name)
        if found:
            yield _sidecar_file(listing.path, entry, device), found[0], found[1] or device


def _sidecar_file(folder: Path, entry: Entry, device: str) -> SourceFile:
    kind = parse_name(entry.name).kind
    return SourceFile(folder / entry.name, kind, "environment", entry.size_bytes, device=device)


def raw_folder(path: Path, device: str = "", note: str = "") -> SourceFile:
    """A folder that is not read, with the size of what it holds."""
    return SourceFile(path, path.name, "raw", total_bytes(path), device=device, note=note)


def text_instead_of_database(files: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    """Sets databases aside when the same content is there as text."""
    listed = tuple(files)
    if not any(file.used and file.role in TEXT_ROLES and file.size_bytes for file in listed):
        return listed
    return tuple(
        replace(file, used=False, note=_("text is used instead")) if file.role == "database" and file.used else file
        for file in listed
    )


def empty_files(files: Iterable[SourceFile]) -> Iterator[Problem]:
    """One problem for each used file without content."""
    for file in files:
        if file.used and not file.size_bytes and file.role in READABLE_ROLES:
            yield Problem(
                str(file.path),
                "",
                _("the file is empty"),
                _("nothing of it is shown"),
                _("export again; if it stays empty, collect again"),
                "warn",
            )


def database_only(files: Iterable[SourceFile], hint: str) -> Iterator[Problem]:
    """A problem when there is a database and no text to read."""
    listed = [file for file in files if file.used and file.role in READABLE_ROLES]
    databases = [file for file in listed if file.role == "database"]
    if databases and len(databases) == len(listed):
        what = _("there is a database but no text export")
        yield Problem(
            str(databases[0].path),
            "",
            what,
            _("its tables are counted; tables and timeline need the text"),
            hint,
            "warn",
        )


def quoted(path: Path) -> str:
    """A path as a shell word, for commands in hints."""
    return shlex.quote(str(path))

"""Bounded looks at folders: never follows a loop, never raises for what cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tui.i18n import _
from tui.model.problem import Problem

MAX_DEPTH = 8
"""Levels below the path asked for that are searched for profiles."""
MAX_FOLDERS = 20_000
"""Folders looked at in one search."""
MAX_ENTRIES = 200_000
"""Entries looked at to add up the size of a raw folder."""


@dataclass(frozen=True)
class Entry:
    """One file of a folder."""

    name: str
    size_bytes: int


@dataclass(frozen=True)
class Listing:
    """Content of one folder, sorted by name."""

    path: Path
    folders: tuple[str, ...]
    files: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """Name of the folder itself."""
        return self.path.name

    def has_file(self, name: str) -> bool:
        """Whether a file of that exact name is there."""
        return any(entry.name == name for entry in self.files)


@dataclass
class Explorer:
    """Lists folders once each, and collects what could not be read."""

    problems: list[Problem] = field(default_factory=list)
    _seen: dict[Path, Listing] = field(default_factory=dict)

    def listing(self, path: Path) -> Listing:
        """The folder's content; empty, with a problem noted, when it cannot be read."""
        known = self._seen.get(path)
        if known is None:
            known = self._seen[path] = self._read(path)
        return known

    def _read(self, path: Path) -> Listing:
        folders: list[str] = []
        files: list[Entry] = []
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    self._sort_in(entry, folders, files)
        except OSError as error:
            self.note_unreadable(path, error)
        return Listing(path, tuple(sorted(folders)), tuple(sorted(files, key=lambda file: file.name)))

    def _sort_in(self, entry: os.DirEntry[str], folders: list[str], files: list[Entry]) -> None:
        try:
            if entry.is_dir():
                folders.append(entry.name)
            elif entry.is_file():
                files.append(Entry(entry.name, entry.stat().st_size))
        except OSError as error:
            self.note_unreadable(Path(entry.path), error)

    def note_unreadable(self, path: Path, error: OSError) -> None:
        """Adds the problem that `path` cannot be read."""
        reason = error.strerror or type(error).__name__
        self.problems.append(
            Problem(
                str(path),
                "",
                _("cannot be read: {reason}").format(reason=reason),
                _("what it holds is not shown"),
                _("check its permissions"),
                "error",
            )
        )

    def note_loop(self, path: Path) -> None:
        """Adds the problem that `path` leads back to a folder above it."""
        self.problems.append(
            Problem(
                str(path), "", _("a symbolic link leads back to a folder above it"), _("it is not followed"), "", "warn"
            )
        )

    def note_limit(self, path: Path) -> None:
        """Adds the problem that the search stopped early."""
        self.problems.append(
            Problem(
                str(path),
                "",
                _("more than {count} folders or {depth} levels").format(count=MAX_FOLDERS, depth=MAX_DEPTH),
                _("the search for profiles stopped here"),
                _("open the profile's own folder"),
                "warn",
            )
        )


def total_bytes(path: Path) -> int:
    """Size of all files below a folder, links not followed; the first `MAX_ENTRIES` entries count."""
    return sum(size for size, _place in zip(_sizes(path), range(MAX_ENTRIES)))


def _sizes(path: Path) -> Iterator[int]:
    for folder, _folders, names in os.walk(path):
        for name in names:
            try:
                yield os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue

"""Turns a path at any level into profiles: names and sizes, first bytes where names are not enough, side-car JSON.

Nothing is read in full. What cannot be read becomes a `Problem`; only a path with nothing in it raises.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui.errors import NotAProfile
from tui.i18n import _
from tui.model.problem import Problem
from tui.model.sources import Profile, Sources
from tui.readers import layouts
from tui.readers.folders import MAX_DEPTH, MAX_FOLDERS, Explorer, Listing
from tui.readers.names import natural_key
from tui.readers.profile_framework import framework_profiles
from tui.readers.profile_msprof import msprof_profile, only_below
from tui.readers.profile_other import (
    ForeignFind,
    cluster_profile,
    file_profile,
    foreign_profiles,
    gather_below,
    gather_foreign,
    legacy_mindspore_profile,
    loose_profile,
    other_profile,
)
from tui.readers.sources import READABLE_ROLES


def discover(path: Path) -> Sources:
    """Finds the profiles at a path: a folder at any level of a profile, a parent of several, or one file.

    Raises:
        NotAProfile: the path does not exist, or nothing there is known.
    """
    absolute = Path(os.path.abspath(os.path.expanduser(path)))
    try:
        status = absolute.stat()
    except OSError as error:
        raise _unreachable(absolute, error) from error
    except ValueError as error:
        raise NotAProfile(_("{path} is no valid path").format(path=path)) from error
    if stat.S_ISDIR(status.st_mode):
        return _in_folder(absolute)
    if not stat.S_ISREG(status.st_mode):
        raise NotAProfile(_("{path} is neither a file nor a folder").format(path=path))
    return Sources(absolute, (_with_surroundings(file_profile(absolute, status.st_size), absolute),))


def _with_surroundings(profile: Profile, path: Path) -> Profile:
    """A file opened alone, with what the collection around it tells of chip and settings."""
    root = layouts.root_of(path.parent)
    around = _Search(Explorer()).profiles(root) if root != path.parent else iter(())
    whole = next((found for found in around if any(file.path == path for file in found.files)), None)
    if whole is None:
        return profile
    devices = tuple(device for device in whole.devices if device.id == profile.files[0].device) or whole.devices
    return replace(profile, generation=whole.generation, devices=devices, environment=whole.environment)


def _unreachable(path: Path, error: OSError) -> NotAProfile:
    if isinstance(error, FileNotFoundError):
        hint = _("check the spelling; npuscope without a path lists what is below the current folder")
        return NotAProfile(_("{path} does not exist").format(path=path), hint)
    reason = error.strerror or type(error).__name__
    return NotAProfile(
        _("{path} cannot be read: {reason}").format(path=path, reason=reason), _("check its permissions")
    )


def _in_folder(path: Path) -> Sources:
    root = layouts.root_of(path)
    search = _Search(Explorer())
    profiles = list(search.profiles(root))
    if root != path:
        profiles = _narrowed(profiles, path)
    profiles = sorted(profiles, key=_order)
    foreign = list(foreign_profiles(search.foreign.values()))
    kept, noted = _split_foreign(foreign, bool(profiles))
    profiles += kept
    if not profiles:
        other = other_profile(search.unclaimed, root)
        profiles = [other] if other else []
    problems = (*search.explorer.problems, *noted)
    if not profiles:
        raise _nothing_at(path, problems)
    return Sources(path, tuple(profiles), problems)


def _narrowed(profiles: list[Profile], path: Path) -> list[Profile]:
    """Profiles limited to the part of them that was asked for; the outputs of an export stand for the whole."""
    if path.name in (layouts.OUTPUT, layouts.FRAMEWORK_OUTPUT):
        return profiles
    return [only_below(profile, path) if profile.root in path.parents else profile for profile in profiles]


def _order(profile: Profile) -> tuple[object, ...]:
    """By parent folder, in it ranks in numeric order, then names."""
    rank = profile.environment.rank
    number = int(rank) if rank.isdecimal() else -1
    return (natural_key(str(profile.root.parent)), number, natural_key(profile.root.name))


def _split_foreign(foreign: list[Profile], beside_profiles: bool) -> tuple[list[Profile], list[Problem]]:
    """Foreign things that stay as profiles, and, beside real profiles, the line for each that has nothing to open."""
    kept = [profile for profile in foreign if not beside_profiles or _has_readable(profile)]
    noted = [profile.problems[0] for profile in foreign if profile not in kept]
    return kept, noted


def _has_readable(profile: Profile) -> bool:
    return any(file.role in READABLE_ROLES for file in profile.files)


def _nothing_at(path: Path, problems: tuple[Problem, ...]) -> NotAProfile:
    if problems:
        first = problems[0]
        return NotAProfile(f"{first.path}: {first.what}", first.hint)
    message = _("{path} holds no profile: no table, timeline or database was found in it").format(path=path)
    return NotAProfile(message, _("open a PROF_* folder, a *_ascend_pt folder, or a folder that holds several"))


@dataclass
class _Search:
    """One walk below a root; collects what is no profile on the way."""

    explorer: Explorer
    foreign: dict[str, ForeignFind] = field(default_factory=dict)
    unclaimed: list[Listing] = field(default_factory=list)
    _looked_at: int = 0
    _stopped: bool = False

    def profiles(self, path: Path, above: tuple[str, ...] = ()) -> Iterator[Profile]:
        """Profiles at or below a folder, not searched for inside each other."""
        real = os.path.realpath(path)
        if real in above:
            self.explorer.note_loop(path)
            return
        if self._looked_at >= MAX_FOLDERS or len(above) > MAX_DEPTH:
            self._stop_at(path)
            return
        self._looked_at += 1
        listing = self.explorer.listing(path)
        layout = layouts.layout_of(listing, self.explorer)
        if layout in (None, "mindspore-legacy", "raw-slices"):
            yield from self._inside(listing, layout, (*above, real))
        elif layout == "foreign":
            gather_below(listing, self.explorer, self.foreign)
        else:
            yield from self._profile(listing, layout)

    def _stop_at(self, path: Path) -> None:
        if not self._stopped:
            self.explorer.note_limit(path)
        self._stopped = True

    def _profile(self, listing: Listing, layout: layouts.Layout | None) -> Iterator[Profile]:
        if layout == "framework":
            yield from framework_profiles(listing, self.explorer)
        elif layout == "msprof":
            yield msprof_profile(listing, self.explorer)
        else:
            yield cluster_profile(listing)

    def _inside(self, listing: Listing, layout: layouts.Layout | None, above: tuple[str, ...]) -> Iterator[Profile]:
        """Loose files of a folder, and what its folders hold."""
        loose = legacy_mindspore_profile(listing) if layout == "mindspore-legacy" else loose_profile(listing)
        if loose is not None:
            yield loose
        else:
            gather_foreign(listing, self.foreign)
            self.unclaimed.append(listing)
        for name in listing.folders:
            yield from self.profiles(listing.path / name, above)

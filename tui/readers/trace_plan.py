"""Which trace files make up a timeline, and where an event stands in them."""

from __future__ import annotations

from dataclasses import dataclass

from tui.errors import NoSuchTable
from tui.i18n import _
from tui.model.iterations import exported_steps
from tui.model.sources import Profile, SourceFile
from tui.readers.names import natural_key

_WHOLE = ("msprof", "trace_view")
"""Kinds that hold all layers; the files of single layers are left out beside them."""
_ORDINAL_BITS = 14
_OFFSET_BITS = 39
MAX_FILES = 1 << 10
NO_PLACE = -1


@dataclass(frozen=True)
class TracePart:
    """One trace file."""

    path: str
    scope: str = ""
    """Device of the file where every device has files of its own, whose pids may repeat; else empty."""


@dataclass(frozen=True)
class TimelineRequest:
    """What to import. Small and picklable."""

    parts: tuple[TracePart, ...]
    device: str = ""
    """Limits device lanes to one device; the host's stay."""
    start_ns: int | None = None
    """Events that end before this are left out."""
    end_ns: int | None = None
    """Events that begin after this are left out."""


def timeline_request(profile: Profile, device: str = "", iteration: str = "") -> TimelineRequest:
    """The trace files of a profile that together make its timeline: all layers, each once.

    Args:
        device: Limits the lanes, and files that belong to one device, to it.
        iteration: Iterations of the old layout, as `parse_steps` reads them; empty, or ones that were not exported,
            takes the first that was.

    Raises:
        NoSuchTable: the profile has no timeline.
    """
    files = [file for file in profile.files_of("timeline") if file.size_bytes]
    whole = [file for file in files if file.kind in _WHOLE]
    files = _of_iteration(_of_device(whole or files, device), iteration)
    if not files:
        message = _("{profile} has no timeline").format(profile=profile.name)
        raise NoSuchTable(message, _("export it with msprof --export=on --output=DIR --type=text"))
    return TimelineRequest(tuple(TracePart(str(file.path), file.device) for file in files), device)


def request_of_trace(file: SourceFile) -> TimelineRequest:
    """One trace file as a timeline of its own."""
    return TimelineRequest((TracePart(str(file.path)),))


def packed_place(part: int, offset: int, ordinal: int = 0) -> int:
    """Where an event stands: the `ordinal`-th one from a byte of a file on. `NO_PLACE` where that does not fit."""
    if part >= MAX_FILES or offset >= 1 << _OFFSET_BITS or ordinal >= 1 << _ORDINAL_BITS:
        return NO_PLACE
    return (part << _OFFSET_BITS | offset) << _ORDINAL_BITS | ordinal


def unpacked_place(place: int) -> tuple[int, int, int]:
    """(part, offset, ordinal) of a packed place."""
    rest, ordinal = divmod(place, 1 << _ORDINAL_BITS)
    part, offset = divmod(rest, 1 << _OFFSET_BITS)
    return part, offset, ordinal


def _of_device(files: list[SourceFile], device: str) -> list[SourceFile]:
    return [file for file in files if not device or file.device in ("", "host", device)] or files


def _of_iteration(files: list[SourceFile], iteration: str) -> list[SourceFile]:
    exported = sorted({file.iteration for file in files if file.iteration}, key=natural_key)
    chosen = {"", *exported_steps(exported, iteration)}
    return [file for file in files if file.iteration in chosen] if exported else files

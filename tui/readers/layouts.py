"""What a folder is, by the names in it (formats: msprof 1.1 and 1.2, frameworks 1.1)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from tui.readers import names
from tui.readers.folders import Explorer, Listing
from tui.readers.foreign import foreign_folder, has_raw_slices

Layout = Literal["msprof", "framework", "cluster", "mindspore-legacy", "raw-slices", "foreign"]

OUTPUT = "mindstudio_profiler_output"
FRAMEWORK_OUTPUT = "ASCEND_PROFILER_OUTPUT"
CLUSTER_OUTPUT = "cluster_analysis_output"
EXPORTED = ("summary", "timeline")
RAW = ("data", "sqlite", "log", "mindstudio_profiler_log", "FRAMEWORK", "logs")

_DEVICE = re.compile(r"device_(\d+)")
_PROF = re.compile(r"PROF_\d+(?:_\d+(?:_[0-9A-Za-z]+)?)?")
_FRAMEWORK_NAME = re.compile(r".*_ascend_(?:pt|ms)")
_LEGACY_MINDSPORE = re.compile(
    r"(?:ascend_timeline_display|framework_raw|aicore_intermediate|aicpu_intermediate|step_trace_raw|output_op_compute_time)_\d+.*"
)
_CLUSTER_FILES = ("cluster_step_trace_time.csv", "cluster_communication.json", "cluster_analysis.db")


def device_of(name: str) -> str | None:
    """Device of a folder `device_N`, `host` for the host's, else None."""
    found = _DEVICE.fullmatch(name)
    return found[1] if found else ("host" if name == "host" else None)


def is_prof_name(name: str) -> bool:
    """Whether a folder's name is that of a collection of msprof."""
    return bool(_PROF.fullmatch(name))


def layout_of(listing: Listing, explorer: Explorer) -> Layout | None:
    """What the folder is; None for one that only leads to others or holds loose files."""
    if is_framework(listing):
        return "framework"
    if _is_msprof(listing, explorer):
        return "msprof"
    if listing.name == CLUSTER_OUTPUT or any(listing.has_file(name) for name in _CLUSTER_FILES):
        return "cluster"
    if any(_LEGACY_MINDSPORE.fullmatch(entry.name) for entry in listing.files):
        return "mindspore-legacy"
    if has_raw_slices(listing):
        return "raw-slices"
    return "foreign" if foreign_folder(listing.name) else None


def is_framework(listing: Listing) -> bool:
    """Whether the folder is the output of a framework's profiler."""
    if FRAMEWORK_OUTPUT in listing.folders or (_FRAMEWORK_NAME.fullmatch(listing.name) and listing.folders):
        return True
    has_info = any((names.sidecar_kind(entry.name) or ("",))[0] == "profiler_info" for entry in listing.files)
    return has_info and ("FRAMEWORK" in listing.folders or any(map(is_prof_name, listing.folders)))


def _is_msprof(listing: Listing, explorer: Explorer) -> bool:
    if OUTPUT in listing.folders:
        return True
    if any(device_of(name) and _is_device(explorer.listing(listing.path / name)) for name in listing.folders):
        return True
    exported = any(name in listing.folders for name in EXPORTED)
    return is_prof_name(listing.name) and (exported or "data" in listing.folders or _has_database(listing))


def _has_database(listing: Listing) -> bool:
    return any(names.DATABASE.fullmatch(entry.name) for entry in listing.files)


def _is_device(listing: Listing) -> bool:
    """`device_N` and `host` of a collection hold its folders or its side-car files; others do not."""
    if any(name in listing.folders for name in (*EXPORTED, "data", "sqlite")):
        return True
    return any(names.sidecar_kind(entry.name) for entry in listing.files)


def root_of(path: Path) -> Path:
    """The folder whose profile a path belongs to: the path itself, or the collection or framework output above it."""
    name, parent = path.name, path.parent
    if name in (OUTPUT, FRAMEWORK_OUTPUT):
        return parent
    if name in (*EXPORTED, "data", "sqlite", "log") and device_of(parent.name):
        return parent.parent
    if name in (*EXPORTED, "data") and is_prof_name(parent.name):
        return parent
    return parent if device_of(name) and path.is_dir() else path

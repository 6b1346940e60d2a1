"""The timeline's store: one folder, one `.npy` file per column, and a small JSON header written last.

Its files:
    start_ns.npy … overlap.npy     columns of events, in order of (track, start, longest first, place)
    names.bytes.npy, names.ends.npy  distinct names
    flow_*.npy, link_*.npy         arrows and connection groups, as event numbers
    sample_ts_ns.npy, sample_value.npy   samples of all counters, one counter after another
    instants.npy                   events that are marks
    header.json                    lanes, counters, what the files held, problems
    lock                           held shared by whoever has the store open
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.problem import Problem
from tui.model.timeline import Counter, Flows, Links, Summary, Timeline, Track
from tui.store.columns import HEADER, LOCK
from tui.store.npy import HEADER_BYTES, byte_view, header, mapped
from tui.store.strings import StringTable, packed

FORMAT = 1

EVENT_COLUMNS: dict[str, np.dtype[Any]] = {
    "start_ns": np.dtype("<i8"), "dur_ns": np.dtype("<i8"), "name_id": np.dtype("<i4"), "track_id": np.dtype("<i4"),
    "depth": np.dtype("<u2"), "self_ns": np.dtype("<i8"), "link_id": np.dtype("<i4"), "place": np.dtype("<i8"),
    "overlap": np.dtype("|u1"),
}  # fmt: skip
OTHER_ARRAYS: dict[str, np.dtype[Any]] = {
    "flow_source": np.dtype("<i8"), "flow_target": np.dtype("<i8"), "flow_category": np.dtype("<i4"),
    "flow_by_target": np.dtype("<i8"), "link_events": np.dtype("<i8"), "link_starts": np.dtype("<i8"),
    "sample_ts_ns": np.dtype("<i8"), "sample_value": np.dtype("<f8"), "instants": np.dtype("<i8"),
    "names.bytes": np.dtype("|u1"), "names.ends": np.dtype("<i8"),
}  # fmt: skip


def column_path(folder: Path, name: str) -> Path:
    """File of a column."""
    return folder / f"{name}.npy"


class FixedArray:
    """One `.npy` file of known length that is written at any place, by several processes if need be."""

    def __init__(self, path: Path, dtype: np.dtype[Any], rows: int, create: bool = True) -> None:
        """
        Raises:
            OSError: the file cannot be written, or the disk is too full for it.
        """
        self.dtype = dtype
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT | os.O_EXCL if create else 0), 0o600)
        if create:
            os.pwrite(self._file, header(dtype, rows), 0)
            os.ftruncate(self._file, HEADER_BYTES + rows * dtype.itemsize)

    def put(self, row: int, values: NDArray[Any]) -> None:
        """Writes values from a row on."""
        data = byte_view(np.ascontiguousarray(values, self.dtype))
        offset = HEADER_BYTES + row * self.dtype.itemsize
        while len(data):
            done = os.pwrite(self._file, data, offset)
            data, offset = data[done:], offset + done

    def get(self, row: int, rows: int) -> NDArray[Any]:
        """Rows as they were written."""
        values = np.empty(rows, self.dtype)
        data = byte_view(values)
        offset = HEADER_BYTES + row * self.dtype.itemsize
        while len(data):
            done = os.preadv(self._file, [data], offset)
            if not done:
                raise OSError("a column is shorter than its rows")
            data, offset = data[done:], offset + done
        return values

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)


def write_array(folder: Path, name: str, values: NDArray[Any]) -> None:
    """Writes one of `OTHER_ARRAYS` as a whole."""
    dtype = OTHER_ARRAYS[name]
    with column_path(folder, name).open("xb") as file:
        file.write(header(dtype, len(values)))
        file.write(byte_view(np.ascontiguousarray(values, dtype)))


def write_names(folder: Path, names: Sequence[str]) -> tuple[int, int]:
    """Writes the distinct names; returns how many bytes and how many names there are."""
    data, ends = packed(names)
    write_array(folder, "names.bytes", data)
    write_array(folder, "names.ends", ends)
    return len(data), len(ends)


def write_header(
    folder: Path,
    events: int,
    lengths: Mapping[str, int],
    timeline: Mapping[str, Any],
    tracks: Sequence[Track],
    counters: Sequence[Mapping[str, Any]],
) -> None:
    """Writes the header, which makes the folder a store. All columns must be complete.

    Args:
        lengths: Rows of each of `OTHER_ARRAYS`.
        timeline: JSON values: `files problems complete bytes_read bytes_total summary categories`.
        counters: Fields of each `Counter`, with `first` and `last` sample in place of its arrays.
    """
    data = {
        "format": FORMAT,
        "kind": "timeline",
        "events": events,
        "lengths": dict(lengths),
        "timeline": dict(timeline),
        "tracks": [asdict(track) for track in tracks],
        "counters": [dict(counter) for counter in counters],
    }
    (folder / LOCK).touch()
    unfinished = folder / f"{HEADER}.new"
    unfinished.write_text(json.dumps(data, ensure_ascii=True), encoding="ascii")
    os.replace(unfinished, folder / HEADER)


def open_timeline_store(folder: Path) -> Timeline:
    """The timeline of a finished store, its columns mapped read-only.

    Raises:
        OSError, ValueError: no store, or a damaged one.
    """
    data = json.loads((folder / HEADER).read_text(encoding="ascii"))
    if not isinstance(data, dict) or (data.get("format"), data.get("kind")) != (FORMAT, "timeline"):
        raise ValueError(f"{folder} is not a timeline of format {FORMAT}")
    try:
        return _timeline(folder, data)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder} holds a damaged header: {error}") from error


def _timeline(folder: Path, data: dict[str, Any]) -> Timeline:
    facts, lengths = data["timeline"], data["lengths"]
    events = {name: mapped(column_path(folder, name), dtype, data["events"]) for name, dtype in EVENT_COLUMNS.items()}
    other = {name: mapped(column_path(folder, name), dtype, lengths[name]) for name, dtype in OTHER_ARRAYS.items()}
    return Timeline(
        **events,
        names=StringTable(other["names.bytes"], other["names.ends"]),
        tracks=tuple(Track(**track) for track in data["tracks"]),
        flows=Flows(
            other["flow_source"], other["flow_target"], other["flow_category"], other["flow_by_target"],
            tuple(facts["categories"]),
        ),
        links=Links(other["link_events"], other["link_starts"]),
        counters=tuple(_counter(counter, other) for counter in data["counters"]),
        instants=other["instants"],
        files=tuple(facts["files"]),
        problems=tuple(Problem(**problem) for problem in facts["problems"]),
        complete=bool(facts["complete"]),
        bytes_read=int(facts["bytes_read"]),
        bytes_total=int(facts["bytes_total"]),
        summary=Summary(**facts["summary"]),
    )  # fmt: skip


def _counter(fields: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Counter:
    fields = dict(fields)
    first, last = int(fields.pop("first")), int(fields.pop("last"))
    return Counter(times_ns=arrays["sample_ts_ns"][first:last], values=arrays["sample_value"][first:last], **fields)

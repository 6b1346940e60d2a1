"""The flat rows of a timeline beside its store, so that opening it again draws at once.

Files `rows_*.npy` and, written last, `rows.json`. They may be missing: then the rows are built anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.lod import BLOCK, Rows
from tui.model.timeline import Timeline
from tui.store.npy import byte_view, header, mapped

FORMAT = 1
HEADER = "rows.json"
_DTYPES: dict[str, np.dtype[Any]] = {
    "starts": np.dtype("<i8"), "durations": np.dtype("<i8"), "event": np.dtype("<i4"), "sums": np.dtype("<i8"),
    "longest": np.dtype("<i4"),
}  # fmt: skip


def rows_of(timeline: Timeline, folder: Path | None) -> Rows:
    """The rows of a timeline: mapped from its store, else built and, where the folder can be written to, kept.

    Args:
        folder: The store of the timeline; None builds them in memory.
    """
    if folder is None:
        return Rows.build(timeline)
    try:
        return open_rows(folder, len(timeline))
    except (OSError, ValueError):
        rows = Rows.build(timeline)
    try:
        write_rows(folder, rows)
        return open_rows(folder, len(timeline))
    except OSError:
        return rows


def write_rows(folder: Path, rows: Rows) -> None:
    """Writes the rows into a store. Two viewers may do so at once: each file is replaced as a whole by an equal one.

    Raises:
        OSError: the folder cannot be written to.
    """
    arrays = rows.arrays()
    for name, dtype in _DTYPES.items():
        values = np.ascontiguousarray(arrays[name], dtype).ravel()
        _replace(_path(folder, name), header(dtype, len(values)), byte_view(values))
    facts = {"format": FORMAT, "events": len(rows.starts), "rows": arrays["rows"].tolist()}
    _replace(folder / HEADER, json.dumps(facts).encode("ascii"))


def open_rows(folder: Path, events: int) -> Rows:
    """The rows of a store with that many events, mapped read-only.

    Raises:
        OSError, ValueError: there are none, or they are damaged.
    """
    facts = json.loads((folder / HEADER).read_text(encoding="ascii"))
    if not isinstance(facts, dict) or (facts.get("format"), facts.get("events")) != (FORMAT, events):
        raise ValueError(f"{folder} has no rows of format {FORMAT} for {events} events")
    padded = max(events, BLOCK)
    blocks = -(-padded // BLOCK)
    lengths = {
        "starts": events, "durations": padded, "event": events, "sums": events + 1,
        "longest": blocks * blocks.bit_length(),
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        name: mapped(_path(folder, name), dtype, lengths[name]) for name, dtype in _DTYPES.items()
    }
    arrays["longest"] = arrays["longest"].reshape(-1, blocks)
    arrays["rows"] = np.array(facts["rows"], np.int64).reshape(-1, 6)
    return Rows.from_arrays(arrays)


def _path(folder: Path, name: str) -> Path:
    return folder / f"rows_{name}.npy"


def _replace(path: Path, *parts: bytes | memoryview) -> None:
    """Writes a file under another name first, so that nobody ever sees half of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            for part in parts:
                file.write(part)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

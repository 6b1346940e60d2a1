"""Dumps of both sides for tests of the Dump screen, and a viewer that compares them."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np

from tests.dump_writer import Part, write_dump
from tests.pilot.viewer import NARROW, Viewer, viewing
from tui.model.dump import CompareRequest
from tui.screens.dump import DumpScreen

START_US = 1718260600000000


def write_op(folder: Path, place: int, name: str, values: np.ndarray, dtype: str, kind: str = "Conv2D") -> Path:
    """One operator with one output, the `place`th to run."""
    time_us = START_US + 100 * place
    path = folder / f"{kind}.{name}.{place + 1}.7.{time_us}"
    return write_dump(path, name, (), [Part(values, dtype)], time_us=time_us)


def write_pair(folder: Path, place: int, name: str, golden: np.ndarray, ours: np.ndarray | None = None) -> None:
    """The same operator on both sides below `a` and `b`; ours in float16, saturating, unless given."""
    clipped = np.clip(golden, -65504, 65504) if ours is None else ours
    write_op(folder / "a", place, name, clipped.astype(np.float16), "float16")
    write_op(folder / "b", place, name, golden.astype(np.float32), "float32")


def floats(path: Path, tensor_bytes: int, code: str) -> list[float]:
    """The numbers at the end of a dump file: its last output. Read without any of our code."""
    data = path.read_bytes()[-tensor_bytes:]
    return list(struct.unpack(f"<{tensor_bytes // struct.calcsize(code)}{code}", data))


@asynccontextmanager
async def comparing(
    profile: Path, a: Path, b: Path, size: tuple[int, int] = NARROW, **typed: object
) -> AsyncIterator[Viewer]:
    """A viewer on the Dump screen, everything compared."""
    async with viewing(profile, size, **typed) as viewer:
        viewer.app.dump_request = CompareRequest(str(a), str(b))
        await viewer.press("7")
        await viewer.until_on("7")
        await compared(viewer)
        yield viewer


async def compared(viewer: Viewer) -> DumpScreen:
    """Waits for the end of the comparison."""
    screen = viewer.frame
    assert isinstance(screen, DumpScreen)
    await viewer.until(lambda: screen.request is not None and not screen.is_comparing, "the end of the comparison")
    await viewer.until(lambda: "dump" in viewer.app.tables, "rows of the comparison")
    await viewer.pilot.pause()
    return screen

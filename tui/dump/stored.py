"""A tensor somewhere in a file, read piece by piece: what every kind of dump file is made of.

Files are read, not mapped: a file that shrinks meanwhile is an `OSError`, not the end of the process.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tui.dump.dtypes import StoredType
from tui.dump.layouts import Layout
from tui.dump.tensor import BLOCK_ELEMENTS, TensorInfo
from tui.i18n import ngettext

SLAB_BYTES = 1 << 23
"""Stored bytes that are rearranged at once where the layout is not the logical one."""

RUN_BYTES = 1 << 12
"""Shortest piece that is read at once: many shorter ones cost more than a larger slab."""


@dataclass(frozen=True)
class StoredTensor:
    """The values at `offset` of a file, in a known type and layout."""

    info: TensorInfo
    path: Path
    offset: int
    """Byte of the file where the values begin."""
    stored: StoredType
    layout: Layout

    def blocks(self, elements: int = BLOCK_ELEMENTS) -> Iterator[NDArray[Any]]:
        """The values in flat pieces of `elements`, in logical C order; see `tensor.Tensor`."""
        if self.info.problem is not None or self.info.elements == 0:
            return
        size = max(8, -(-elements // 8) * 8)
        with self.path.open("rb", buffering=0) as file:
            if self.layout.is_stored_order:
                yield from self._in_order(file, size)
            else:
                yield from _rebatched(self._slabs(file), size)

    def array(self) -> NDArray[Any]:
        """All values in the logical shape; see `tensor.Tensor`."""
        if self.info.problem is not None:
            return np.zeros(0, np.float32)
        if self.info.elements == 0:
            return self.stored.decode(np.zeros(0, np.uint8), 0).reshape(self.info.shape)
        whole: NDArray[Any] = np.zeros(0)
        done = 0
        for block in self.blocks(1 << 18):
            if not done:
                whole = np.empty(self.info.elements, block.dtype)
            whole[done : done + block.size] = block
            done += block.size
        return whole.reshape(self.info.shape)

    def _in_order(self, file: BinaryIO, size: int) -> Iterator[NDArray[Any]]:
        total = self.info.elements
        buffer = np.empty(self.stored.stored_bytes(min(size, total)), np.uint8)
        for start in range(0, total, size):
            count = min(size, total - start)
            raw = buffer[: self.stored.stored_bytes(count)]
            read_into(file, self.offset + start * self.stored.bits // 8, raw)
            yield self.stored.decode(raw, count)

    def _slabs(self, file: BinaryIO) -> Iterator[NDArray[Any]]:
        """Parts of the logical tensor along the first ordered axis that has more than one step."""
        split, order = self.layout.split, self.layout.order
        first = next((position for position, axis in enumerate(order) if split[axis] > 1), 0)
        axis = order[first]
        step = self._step(axis)
        for start in range(0, split[axis], step):
            part = (*split[:axis], min(step, split[axis] - start), *split[axis + 1 :])
            cut = self._cut(first, start, part)
            if math.prod(cut):
                yield self.layout.piece(self._read_part(file, axis, start, part), part, cut)

    def _step(self, axis: int) -> int:
        """Steps of `axis` that are read at once; all where a step does not begin at a whole byte."""
        split = self.layout.split
        inner_bits = math.prod(split[axis + 1 :]) * self.stored.bits
        if inner_bits % 8:
            return split[axis]
        runs, inner_bytes = math.prod(split[:axis]), inner_bits // 8
        return min(split[axis], max(1, SLAB_BYTES // (runs * inner_bytes), RUN_BYTES // inner_bytes if runs > 1 else 1))

    def _cut(self, first: int, start: int, part: tuple[int, ...]) -> tuple[int, ...]:
        """What is kept of a part that begins at `start` of the ordered axis number `first`."""
        merged = self.layout.merged(part)
        group = _group_of(first, self.layout.groups)
        done = start * (merged[group] // part[self.layout.order[first]])
        return tuple(
            max(0, min(size, kept - done)) if index == group else kept
            for index, (size, kept) in enumerate(zip(merged, self.layout.cut))
        )

    def _read_part(self, file: BinaryIO, axis: int, start: int, part: tuple[int, ...]) -> NDArray[Any]:
        runs, run = math.prod(part[:axis]), math.prod(part[axis:])
        whole = math.prod(self.layout.split[axis:])
        skip = start * math.prod(part[axis + 1 :])
        bits = self.stored.bits
        if run == whole:
            raw = np.empty(self.stored.stored_bytes(runs * run), np.uint8)
            read_into(file, self.offset, raw)
        else:
            raw = np.empty(runs * run * bits // 8, np.uint8)
            for index, piece in enumerate(raw.reshape(runs, -1)):
                read_into(file, self.offset + (index * whole + skip) * bits // 8, piece)
        return self.stored.decode(raw, runs * run)


def _group_of(position: int, groups: tuple[int, ...]) -> int:
    for index, count in enumerate(groups):
        position -= count
        if position < 0:
            return index
    return len(groups) - 1


def _rebatched(pieces: Iterable[NDArray[Any]], size: int) -> Iterator[NDArray[Any]]:
    """The elements of `pieces` in flat blocks of `size`, the last one shorter."""
    rest: NDArray[Any] = np.zeros(0)
    for piece in pieces:
        flat = piece.reshape(-1)
        if rest.size:
            missing = size - rest.size
            rest = np.concatenate((rest, flat[:missing]))
            flat = flat[missing:]
            if rest.size < size:
                continue
            yield rest
        whole = flat.size - flat.size % size
        for start in range(0, whole, size):
            yield flat[start : start + size]
        rest = flat[whole:]
    if rest.size:
        yield rest


def read_into(file: BinaryIO, offset: int, raw: NDArray[np.uint8]) -> None:
    """Fills `raw` (contiguous) with the bytes from `offset`.

    Raises:
        OSError: the file ends before, or cannot be read.
    """
    view = memoryview(raw.data)
    done = 0
    while done < len(view):
        count = os.preadv(file.fileno(), [view[done:]], offset + done)
        if not count:
            raise OSError(truncated(len(view) - done))
        done += count


def truncated(missing_bytes: int) -> str:
    """What is said of a file that ends before its data do."""
    text = ngettext("truncated: {count} byte is missing", "truncated: {count} bytes are missing", missing_bytes)
    return text.format(count=missing_bytes)

"""Dumps of small devices: a block of tag-length-value records, then the raw tensors (formats: dump §2.7).

Types are numbered as GE numbers them; the operator's name and time stand in the file name only.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tui.dump.dtypes import BY_GE_NUMBER, unknown
from tui.dump.dump_file import MAX_HEADER_BYTES, Described, NotADump, Place, described_tensor
from tui.dump.layouts import MAX_AXES
from tui.dump.stored import StoredTensor
from tui.i18n import _

MAGIC = 0x5A5A5A5A
MAGIC_OFFSET = 8

_INPUTS, _OUTPUTS = 4, 5
_SHAPE, _ORIGINAL_SHAPE = 0, 1
_HEAD = struct.Struct("<II")
_INPUT = struct.Struct("<iii QQQ I".replace(" ", ""))
_OUTPUT = struct.Struct("<iii iii QQQ I".replace(" ", ""))


def nano_tensors(path: Path, file: BinaryIO, file_bytes: int) -> tuple[StoredTensor, ...]:
    """The tensors of a nano file: inputs, then outputs.

    Raises:
        NotADump: the block of records is damaged.
        OSError: the file cannot be read.
    """
    frame = file.read(16)
    size = int.from_bytes(frame[:8], "little")
    if len(frame) < 16 or not 8 <= size <= min(file_bytes - 8, MAX_HEADER_BYTES):
        raise NotADump(_("its first bytes tell no length of a header"))
    described: dict[int, list[Described]] = {_INPUTS: [], _OUTPUTS: []}
    try:
        for tag, value in _records(file.read(size - 8)):
            if tag in described:
                described[tag] = list(_tensors(value, _INPUT if tag == _INPUTS else _OUTPUT))
    except (struct.error, ValueError) as error:
        raise NotADump(_("its header is damaged: {reason}").format(reason=error)) from error
    return _placed(path, described, 8 + size, file_bytes)


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        tag, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        if length > len(data) - at:
            raise ValueError(f"record of {length} bytes")
        yield tag, data[at : at + length]
        at += length


def _tensors(data: bytes, layout: struct.Struct) -> Iterator[Described]:
    (count,) = struct.unpack_from("<I", data)
    at = 4
    for _index in range(count):
        values = layout.unpack_from(data, at)
        at += layout.size
        nested = _records(data[at : at + values[-1]])
        shapes = {tag: _dims(value) for tag, value in nested if tag in (_SHAPE, _ORIGINAL_SHAPE)}
        at += values[-1]
        yield Described(
            values[0], values[1] & 0xFF, shapes.get(_SHAPE, ()), shapes.get(_ORIGINAL_SHAPE, ()), values[-2]
        )


def _dims(data: bytes) -> tuple[int, ...]:
    """Sizes as u64, with or without a u32 count before them: the format's description leaves that open."""
    counted = len(data) % 8 == 4
    if len(data) % 4 or len(data) > 8 * MAX_AXES + 4:
        raise ValueError(f"shape of {len(data)} bytes")
    return struct.unpack_from(f"<{len(data) // 8}Q", data, 4 if counted else 0)


def _placed(
    path: Path, described: dict[int, list[Described]], offset: int, file_bytes: int
) -> tuple[StoredTensor, ...]:
    found = []
    for tag, direction in ((_INPUTS, "input"), (_OUTPUTS, "output")):
        for index, each in enumerate(described[tag]):
            place = Place(path, f"{direction}:{index}", offset, file_bytes)
            found.append(described_tensor(place, each, BY_GE_NUMBER.get(each.dtype, unknown(each.dtype))))
            offset += each.size
    return tuple(found)

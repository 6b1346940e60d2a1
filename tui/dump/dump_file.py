"""Operator dumps of the device: u64 length, protobuf header, then the raw tensors (formats: dump §2.1, §2.2).

The header lists outputs before inputs, the data holds inputs before outputs; each tensor takes exactly its `size`
bytes, which may be more than its shape needs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tui.dump.dtypes import BY_DUMP_NUMBER, StoredType, unknown
from tui.dump.layouts import Layout, Shape, as_stored, format_name, is_possible, layout_of
from tui.dump.stored import StoredTensor, truncated
from tui.dump.tensor import TensorInfo
from tui.dump.wire import Value, WireError, fields, numbers
from tui.i18n import _
from tui.model.problem import Problem

MAX_HEADER_BYTES = 1 << 24
"""No more than this is read as a header; those of real dumps have some hundred bytes to some hundred kB."""

MAX_TENSORS = 10_000
"""No operator has more inputs and outputs."""

_OUTPUT_FIELDS = {1: "dtype", 2: "format", 3: "shape", 6: "size", 7: "original", 8: "sub_format", 9: "address"}
_INPUT_FIELDS = {1: "dtype", 2: "format", 3: "shape", 5: "size", 6: "original", 7: "sub_format", 8: "address"}
_OUTPUT, _INPUT, _BUFFER, _SPACE = 3, 4, 5, 8
_BUFFER_SIZE = 3
_VERSION_FIELD = b"\n\x03"
"""Start of every header: a version of three characters."""


class NotADump(ValueError):
    """The file is no operator dump; the message says what is wrong.

    Args:
        hint: What to do about it; empty for what helps with any file that is not understood.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Described:
    """One tensor as the header describes it."""

    dtype: int = 0
    format: int = 0
    shape: Shape = ()
    """As laid out on the device."""
    original: Shape = ()
    """Logical shape; empty where the header has none."""
    size: int = 0
    """Bytes in the file."""
    sub_format: int = 0
    address: int = 0


@dataclass(frozen=True)
class Header:
    """The header of a dump file."""

    header_bytes: int
    time_us: int
    """Microseconds since the epoch; 0 where the header has none."""
    op_name: str
    inputs: tuple[Described, ...]
    outputs: tuple[Described, ...]
    other_bytes: int
    """Bytes of buffers and workspaces, which follow the tensors."""

    @property
    def data_bytes(self) -> int:
        """Bytes that must follow the header."""
        return sum(tensor.size for tensor in self.inputs + self.outputs) + self.other_bytes


def again_hint() -> str:
    """What helps when a dump is not whole."""
    return _("wait until it is written, or dump again")


def read_header(file: BinaryIO, file_bytes: int) -> Header:
    """The header of a dump file, which stands at its start.

    Raises:
        NotADump: too short, a header length that cannot be, or no protobuf.
        OSError: the file cannot be read.
    """
    frame = file.read(8)
    if len(frame) < 8:
        raise NotADump(_("it has {size} bytes, fewer than the frame of a dump").format(size=file_bytes))
    size = int(struct.unpack("<Q", frame)[0])
    if file_bytes - 8 < size <= MAX_HEADER_BYTES and file.read(2) == _VERSION_FIELD:
        raise NotADump(truncated(size + 8 - file_bytes), again_hint())
    if not 0 < size <= file_bytes - 8:
        raise NotADump(_("its first bytes tell no length of a header"))
    if size > MAX_HEADER_BYTES:
        raise NotADump(_("its header would have {size} bytes").format(size=size))
    try:
        return _parsed(file.read(size))
    except WireError as error:
        raise NotADump(_("its header is damaged: {reason}").format(reason=error)) from error


def _parsed(data: bytes) -> Header:
    inputs, outputs, time_us, op_name, other = [], [], 0, "", 0
    for number, value in fields(data):
        if number == 2 and isinstance(value, int):
            time_us = value
        elif isinstance(value, bytes):
            if number == _OUTPUT:
                outputs.append(_described(value, _OUTPUT_FIELDS))
            elif number == _INPUT:
                inputs.append(_described(value, _INPUT_FIELDS))
            elif number == 6:
                op_name = value.decode("utf-8", "replace")
            elif number in (_BUFFER, _SPACE):
                other += _size_of_buffer(value)
    if len(inputs) + len(outputs) > MAX_TENSORS:
        raise NotADump(_("its header lists {count} tensors").format(count=len(inputs) + len(outputs)))
    return Header(len(data), time_us, op_name, tuple(inputs), tuple(outputs), other)


def _described(data: bytes, names: dict[int, str]) -> Described:
    found: dict[str, int] = {}
    shapes: dict[str, Shape] = {}
    for number, value in fields(data):
        name = names.get(number)
        if name in ("shape", "original") and isinstance(value, bytes):
            shapes[name] = numbers(_dims(value))
        elif name is not None and isinstance(value, int):
            found[name] = value
    return Described(
        found.get("dtype", 0),
        found.get("format", 0),
        shapes.get("shape", ()),
        shapes.get("original", ()),
        found.get("size", 0),
        found.get("sub_format", 0),
        found.get("address", 0),
    )


def _dims(data: bytes) -> Iterator[Value]:
    return (value for number, value in fields(data) if number == 1)


def _size_of_buffer(data: bytes) -> int:
    return sum(value for number, value in fields(data) if number == _BUFFER_SIZE and isinstance(value, int))


@dataclass(frozen=True)
class Place:
    """Where a tensor lies in its file, and how it is called."""

    path: Path
    name: str
    offset: int
    file_bytes: int


def dump_tensors(path: Path, header: Header, file_bytes: int) -> tuple[StoredTensor, ...]:
    """The tensors that a header describes: inputs, then outputs, in the order of the data."""
    found: list[StoredTensor] = []
    offset = 8 + header.header_bytes
    for name, described in _in_data_order(header):
        place = Place(path, name, offset, file_bytes)
        found.append(described_tensor(place, described, BY_DUMP_NUMBER.get(described.dtype, unknown(described.dtype))))
        offset += described.size
    return tuple(found)


def _in_data_order(header: Header) -> Iterator[tuple[str, Described]]:
    for index, described in enumerate(header.inputs):
        yield f"input:{index}", described
    for index, described in enumerate(header.outputs):
        yield f"output:{index}", described


def described_tensor(place: Place, described: Described, stored: StoredType) -> StoredTensor:
    """The tensor at a place; what the header says is checked against the file, and the layout resolved."""
    name = format_name(described.format)
    layout = _layout(name, described)
    why = _why_unreadable(place, described, stored)
    problem = Problem(str(place.path), place.name, why, _("it is not compared"), _hint(why), "error") if why else None
    info = TensorInfo(place.name, stored.name, layout.shape, name, described.size, problem, described.address)
    return StoredTensor(info, place.path, place.offset, stored, layout)


def _layout(name: str, described: Described) -> Layout:
    original = described.original or described.shape
    if not (is_possible(original) and is_possible(described.shape)):
        return as_stored(described.shape)
    return layout_of(name, described.shape, original, described.sub_format) or as_stored(described.shape)


def _hint(why: str) -> str:
    return _("dump this operator again") if why else ""


def _why_unreadable(place: Place, described: Described, stored: StoredType) -> str:
    if not is_possible(described.shape):
        return _("its declared shape is impossible: {shape}").format(shape=_shape_text(described.shape))
    if not stored.bits:
        return _("its type {dtype} holds no numbers").format(dtype=stored.name)
    needed = stored.stored_bytes(_elements(described.shape))
    if needed and not described.size:
        return _("it is listed without data")
    if needed > described.size:
        message = _("its shape needs {needed} bytes, its size field says {size}")
        return message.format(needed=needed, size=described.size)
    missing = place.offset + needed - place.file_bytes
    return truncated(missing) if missing > 0 else ""


def _elements(shape: Shape) -> int:
    return as_stored(shape).stored_elements


def _shape_text(shape: Shape) -> str:
    shown = " × ".join(str(size) for size in shape[:8])
    return f"{shown} …" if len(shape) > 8 else shown


def dump_problems(path: Path, header: Header, tensors: tuple[StoredTensor, ...], file_bytes: int) -> list[Problem]:
    """What is wrong with the file as a whole, and which layouts are shown as they are stored."""
    found = [tensor.info.problem for tensor in tensors if tensor.info.problem is not None]
    missing = 8 + header.header_bytes + header.data_bytes - file_bytes
    if missing > 0:
        found.insert(0, _truncated(path, missing))
    if not tensors:
        what = _("its header lists no tensors")
        found.append(Problem(str(path), "", what, _("there is nothing to compare"), _("dump this operator again")))
    described = [described for _name, described in _in_data_order(header)]
    found += [
        _not_converted(path, tensor.info)
        for tensor, each in zip(tensors, described)
        if tensor.info.problem is None and each.original and tensor.info.shape != each.original
    ]
    return found


def _truncated(path: Path, missing: int) -> Problem:
    consequence = _("tensors that lie before the cut are used")
    return Problem(str(path), "", truncated(missing), consequence, again_hint(), "error")


def _not_converted(path: Path, info: TensorInfo) -> Problem:
    what = _("its layout {layout} cannot be brought to the original shape").format(layout=info.format)
    consequence = _("values are shown and compared as they are stored, padding included")
    return Problem(str(path), info.tensor, what, consequence, "", "info")

"""Values without a protobuf header: bare `.bin` files whose type and shape must be told, and ATB files.

Formats: dump §1.5 (names that tell type and shape), §2.8 (ATB).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from tui.dump.dtypes import BY_GE_NUMBER, StoredType, unknown
from tui.dump.dump_file import Described, NotADump, Place, described_tensor
from tui.dump.layouts import Shape, as_stored, is_possible
from tui.dump.stored import StoredTensor
from tui.dump.tensor import TensorInfo
from tui.i18n import _

ATB_MAGIC = b"$Version="
_ATB_END = b"$End=1\n"
_MAX_ATB_HEADER_BYTES = 4096


def raw_tensor(place: Place, stored: StoredType, shape: Shape | None, layout_name: str = "") -> StoredTensor:
    """The values of a file that is nothing but values, from `place.offset` to its end.

    Args:
        shape: None takes all values as one axis.
        layout_name: Layout that the file's name tells; the shape is taken as it is.

    Raises:
        NotADump: type and shape do not make up the file's size.
    """
    available = place.file_bytes - place.offset
    shape = _one_axis(available, stored) if shape is None else shape
    if not is_possible(shape):
        raise NotADump(_("the given shape is impossible"))
    layout = as_stored(shape)
    needed = stored.stored_bytes(layout.stored_elements)
    if needed != available:
        message = _("{dtype} of shape {shape} needs {needed} bytes, the file has {size}")
        text = ",".join(map(str, shape))
        raise NotADump(message.format(dtype=stored.name, shape=text, needed=needed, size=available))
    info = TensorInfo(place.name, stored.name, shape, layout_name, available)
    return StoredTensor(info, place.path, place.offset, stored, layout)


def _one_axis(available: int, stored: StoredType) -> Shape:
    elements = available * 8 // stored.bits
    if stored.stored_bytes(elements) != available:
        message = _("its {size} bytes are no whole number of {dtype} values")
        raise NotADump(message.format(size=available, dtype=stored.name))
    return (elements,)


def atb_tensor(path: Path, file: BinaryIO, file_bytes: int, name: str) -> StoredTensor:
    """The tensor of an ATB file: text lines `key=value` up to `$End=1`, then the values.

    Raises:
        NotADump: the text header is damaged.
        OSError: the file cannot be read.
    """
    head = file.read(_MAX_ATB_HEADER_BYTES)
    end = head.find(_ATB_END)
    if end < 0:
        raise NotADump(_("its text header has no end"))
    values = _atb_values(head[:end])
    try:
        dtype, layout = int(values.get("dtype", "")), int(values.get("format", "2"))
        shape = tuple(int(size) for size in values.get("dims", "").split(",") if size.strip())
    except ValueError as error:
        raise NotADump(_("its text header is damaged")) from error
    offset = end + len(_ATB_END)
    described = Described(dtype, layout, shape, (), file_bytes - offset)
    stored = BY_GE_NUMBER.get(dtype, unknown(dtype))
    return described_tensor(Place(path, name, offset, file_bytes), described, stored)


def _atb_values(head: bytes) -> Mapping[str, str]:
    lines = head.decode("latin-1").split("\n")
    return {key.strip(): value.strip() for key, found, value in (line.partition("=") for line in lines) if found}

"""`.npy` files, read without numpy's loader: nothing is unpickled, and a small file costs one read (format: NEP 1).

The header is a Python literal of three known keys; it is matched, not evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tui.dump.dtypes import StoredType, named, numpy_code
from tui.dump.layouts import Layout, Shape, as_stored, is_possible, transposed
from tui.dump.stored import StoredTensor, truncated
from tui.dump.tensor import TensorInfo
from tui.i18n import _
from tui.model.problem import Problem

MAGIC = b"\x93NUMPY"
MAX_HEADER_BYTES = 1 << 16
"""Headers of plain arrays have less than 200 bytes; longer ones describe records."""

_DESCR = re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"]{1,16})['"]|(\[))""")
_FORTRAN = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d\sL,]*)\)""")
_MAX_DIGITS = 40
_OPAQUE_CODE = re.compile(r"[|<>]?V([12])")


class BadNpy(ValueError):
    """The file is no array that can be read; the message says why."""


@dataclass(frozen=True)
class NpyHeader:
    """What the header of a `.npy` file tells."""

    descr: str
    """Type code, `<f4`."""
    fortran_order: bool
    shape: Shape
    data_start: int
    """Byte where the values begin."""


def read_npy_header(file: BinaryIO) -> NpyHeader:
    """The header of a `.npy` file, which stands at its start.

    Raises:
        BadNpy: no `.npy` file, an unknown version, a damaged header, or one that describes records.
        OSError: the file cannot be read.
    """
    start = file.read(12)
    if not start.startswith(MAGIC) or len(start) < 12:
        raise BadNpy(_("it has no complete .npy header"))
    if start[6] not in (1, 2, 3):
        raise BadNpy(_("version {version} of the .npy format is unknown").format(version=start[6]))
    wide = start[6] > 1
    size = int.from_bytes(start[8:12] if wide else start[8:10], "little")
    if size > MAX_HEADER_BYTES:
        raise BadNpy(_("its header would have {size} bytes").format(size=size))
    text = (b"" if wide else start[10:]) + file.read(size if wide else max(0, size - 2))
    if len(text) < size:
        raise BadNpy(_("it has no complete .npy header"))
    return _parsed(text.decode("latin-1"), (12 if wide else 10) + size)


def _parsed(text: str, data_start: int) -> NpyHeader:
    descr, fortran, shape = _DESCR.search(text), _FORTRAN.search(text), _SHAPE.search(text)
    if descr is not None and descr.group(2):
        raise BadNpy(_("it holds records, not numbers"))
    if descr is None or fortran is None or shape is None:
        raise BadNpy(_("its .npy header is damaged"))
    digits = [size.strip() for size in shape.group(1).replace("L", "").split(",") if size.strip()]
    if not all(size.isdigit() and len(size) <= _MAX_DIGITS for size in digits):
        raise BadNpy(_("its .npy header is damaged"))
    sizes = tuple(int(size) for size in digits)
    return NpyHeader(descr.group(1), fortran.group(1) == "True", sizes, data_start)


def npy_tensor(path: Path, header: NpyHeader, file_bytes: int, name: str, dtype: str = "") -> StoredTensor:
    """The array of a `.npy` file.

    Args:
        name: What the tensor is called, `output:0`.
        dtype: Type of arrays that numpy stores as opaque bytes (`|V2` with `bfloat16`).

    Raises:
        BadNpy: a type that holds no numbers (objects need pickle and are refused), or a truncated file.
    """
    stored = _stored_type(header.descr, dtype)
    if not is_possible(header.shape):
        raise BadNpy(_("its declared shape is impossible"))
    layout = _layout(header)
    needed = stored.stored_bytes(layout.stored_elements)
    info = TensorInfo(name, stored.name, header.shape, "", needed)
    missing = header.data_start + needed - file_bytes
    if missing > 0:
        hint = _("write or copy the file again")
        problem = Problem(str(path), name, truncated(missing), _("it is not compared"), hint, "error")
        info = TensorInfo(name, stored.name, header.shape, "", needed, problem)
    return StoredTensor(info, path, header.data_start, stored, layout)


def _layout(header: NpyHeader) -> Layout:
    return transposed(header.shape) if header.fortran_order and len(header.shape) > 1 else as_stored(header.shape)


def _stored_type(descr: str, dtype: str) -> StoredType:
    stored = numpy_code(descr)
    if stored is not None:
        return stored
    if descr.endswith("O"):
        raise BadNpy(_("it holds Python objects (pickle), which could run code; they are never loaded"))
    opaque = _OPAQUE_CODE.fullmatch(descr)
    given = named(dtype) if dtype else None
    if opaque is not None and given is not None and given.bits == 8 * int(opaque.group(1)):
        return given
    if opaque is not None:
        raise BadNpy(_("its values have a type that numpy does not name ({descr})").format(descr=descr))
    raise BadNpy(_("its type {descr} holds no numbers").format(descr=descr))

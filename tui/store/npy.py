"""`.npy` files that grow: a header of fixed size is reserved, rows are appended, the shape is patched in at the end.

While a file grows its header tells no rows; whoever maps it gets the row count by message. Nothing is ever pickled.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER_BYTES = 128
"""Size of the header of every file of the store; numpy pads to multiples of 64, so 128 stays readable by `np.load`."""


def header(dtype: np.dtype[Any], rows: int) -> bytes:
    """The `.npy` header (version 1.0) of a one-dimensional array, `HEADER_BYTES` long."""
    text = f"{{'descr': {dtype.str!r}, 'fortran_order': False, 'shape': ({rows},), }}"
    room = HEADER_BYTES - 10
    return b"\x93NUMPY\x01\x00" + room.to_bytes(2, "little") + text.ljust(room - 1).encode("ascii") + b"\n"


def byte_view(values: NDArray[Any]) -> memoryview:
    """The bytes of a contiguous array, without copying them."""
    return memoryview(values.reshape(-1).view(np.uint8).data)


class GrowingArray:
    """One `.npy` file that rows are appended to. It is open only while it is written: a table may have many columns."""

    def __init__(self, path: Path, dtype: np.dtype[Any]) -> None:
        self.path = path
        self.dtype = dtype
        self.rows = 0
        with open(path, "xb") as file:
            file.write(header(dtype, 0))

    def append(self, values: NDArray[Any]) -> None:
        """Appends `values`, converted to the file's dtype.

        Raises:
            OSError: the disk is full, or the file cannot be written.
        """
        if len(values):
            with open(self.path, "ab") as file:
                file.write(np.ascontiguousarray(values, self.dtype).tobytes())
            self.rows += len(values)

    def append_file(self, other: Path, rows: int) -> None:
        """Appends the first `rows` rows of another file of the store that has the same dtype."""
        with open(other, "rb") as source, open(self.path, "ab") as file:
            source.seek(HEADER_BYTES)
            left = rows * self.dtype.itemsize
            while left:
                piece = source.read(min(left, 1 << 20))
                if not piece:
                    raise OSError(f"{other} is shorter than its {rows} rows")
                file.write(piece)
                left -= len(piece)
        self.rows += rows

    def finish(self) -> None:
        """Writes the final shape."""
        with open(self.path, "r+b") as file:
            file.write(header(self.dtype, self.rows))


_READ_WHOLE_BYTES = 1 << 18
"""Files up to this size are read instead of mapped: a map keeps a file descriptor open."""


def mapped(path: Path, dtype: np.dtype[Any], rows: int) -> NDArray[Any]:
    """A read-only map of the first `rows` rows; shape (rows,). Small files are read instead.

    The size of the file is checked first: touching a map beyond the end of its file would kill the process.

    Raises:
        OSError: the file is missing or shorter than that.
    """
    if rows == 0:
        return np.empty(0, dtype)
    wanted = HEADER_BYTES + rows * dtype.itemsize
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < wanted:
            raise OSError(f"{path} is shorter than its {rows} rows")
        if wanted <= _READ_WHOLE_BYTES:
            return np.frombuffer(file.read(wanted), dtype, rows, HEADER_BYTES)
        try:
            pages = mmap.mmap(file.fileno(), wanted, access=mmap.ACCESS_READ)
        except OSError:  # no file descriptor left
            return np.frombuffer(file.read(wanted), dtype, rows, HEADER_BYTES)
    return np.frombuffer(pages, dtype, rows, HEADER_BYTES)

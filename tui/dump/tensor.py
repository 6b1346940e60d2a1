"""What one dump file holds: its tensors, described without reading them and read piece by piece.

`tui.dump.opening.open_dump` makes these from any file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from tui.model.problem import Problem

BLOCK_ELEMENTS = 16384
"""Elements per piece: what the metrics run over fits the cache."""


@dataclass(frozen=True)
class TensorInfo:
    """What is known of a tensor before its values are read."""

    tensor: str
    """`input:0`, `output:1`."""
    dtype: str
    """Name of the stored type in lower case: `float16`, `bfloat16`, `int4`, `bool`, …"""
    shape: tuple[int, ...]
    """Logical shape: after the conversion of the layout and the cut of its padding."""
    format: str
    """Layout as the file names it: `NCHW`, `NC1HWC0`, `ND`, …; empty where the file tells none."""
    data_bytes: int
    """Bytes of the values in the file, device padding included."""
    problem: Problem | None = None
    """Why the values cannot be read; None when they can."""
    address: int = 0
    """Address on the device; 0 where the file has none."""

    @property
    def elements(self) -> int:
        """Number of elements of the logical shape; 1 for a scalar."""
        count = 1
        for size in self.shape:
            count *= size
        return count


class Tensor(Protocol):
    """One tensor of a file. Reading raises `OSError` when the file has become unreadable or shorter meanwhile."""

    @property
    def info(self) -> TensorInfo:
        """What is known without reading."""
        ...

    def blocks(self, elements: int = BLOCK_ELEMENTS) -> Iterator[NDArray[Any]]:
        """The values in logical C order, in flat pieces of `elements` (rounded up to a multiple of 8), the last
        shorter.

        Pieces have a native numpy dtype: bfloat16 and floats of 8 bits and less widened to float32, int4 and int2 to
        int8, complex32 to complex64. A piece is valid until the next one is asked for: its memory is used again, and
        bounded whatever the size of the tensor. A tensor with a problem gives nothing.
        """
        ...

    def array(self) -> NDArray[Any]:
        """All values in the logical shape, as `blocks` types them. Empty, shape (0,), for a tensor with a problem."""
        ...


@dataclass(frozen=True)
class DumpFile:
    """One file of a dump. Damage shows in `problems` and in the tensors' own, never as an exception."""

    path: Path
    op_name: str
    """Original name from the header where the file has one, else the cleaned one of the file name."""
    op_type: str
    tensors: tuple[Tensor, ...]
    """Inputs, then outputs."""
    problems: tuple[Problem, ...] = ()
    timestamp_us: int | None = None
    """Microseconds since the epoch, of the header or the file name."""
    stream_id: int | None = None
    task_id: int | None = None

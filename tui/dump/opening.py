"""Any file of a dump → its tensors, told apart by content; a file that cannot be read is a `DumpFile` with a reason."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from tui.dump.dtypes import StoredType, named
from tui.dump.dump_file import NotADump, Place, again_hint, dump_problems, dump_tensors, read_header
from tui.dump.names import DumpName, parse_name
from tui.dump.nano_file import MAGIC as NANO_MAGIC
from tui.dump.nano_file import MAGIC_OFFSET, nano_tensors
from tui.dump.npy_file import MAGIC as NPY_MAGIC
from tui.dump.npy_file import BadNpy, npy_tensor, read_npy_header
from tui.dump.raw_file import ATB_MAGIC, atb_tensor, raw_tensor
from tui.dump.stored import StoredTensor
from tui.dump.tensor import DumpFile
from tui.i18n import N_, _
from tui.model.problem import Problem

_FOREIGN = (
    (b"\x89HDF", N_("it is an HDF5 file of an old PyTorch dump")),
    (b"PK\x03\x04", N_("it is a zip archive (.pt, .npz); PyTorch's hold pickled objects, which could run code")),
    (b"\x80\x02", N_("it is a Python pickle, which could run code")),
    (b"\n\x03", N_("it is a dump of an old version, protobuf from the first byte, which is not read")),
    (b"{", N_("it is JSON")),
)


@dataclass(frozen=True)
class _Given:
    """What is known of the file beside its bytes."""

    path: Path
    size: int
    name: DumpName
    stored: StoredType | None
    shape: tuple[int, ...] | None


def open_dump(path: Path, *, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> DumpFile:
    """The tensors of one file. Only its header is read.

    Args:
        dtype: Type of the values of a headerless file (`float32`, `bf16`, `<f4`); files with a header keep theirs.
        shape: Shape of those values; None takes them as one axis.
    """
    name = _named(path)
    if dtype and named(dtype) is None:
        return _failed(path, name, _("the type {dtype} is unknown").format(dtype=dtype), _("for example float32"))
    try:
        with _regular(path).open("rb") as file:
            given = _given(path, os.fstat(file.fileno()).st_size, name, dtype, shape)
            return _opened(given, file)
    except BadNpy as error:
        return _failed(path, name, str(error), _("save it again as an array of plain numbers"))
    except NotADump as error:
        return _failed(path, name, str(error), error.hint or _hint(dtype))
    except OSError as error:
        what = _("cannot be read: {reason}").format(reason=error.strerror or error)
        return _failed(path, name, what, _("check the path and its permissions"))


def _named(path: Path) -> DumpName:
    return parse_name(path.name) or DumpName("raw", path.stem)


def _given(path: Path, size: int, name: DumpName, dtype: str | None, shape: tuple[int, ...] | None) -> _Given:
    stored = named(dtype or name.dtype) if dtype or name.dtype else None
    return _Given(path, size, name, stored, shape if shape is not None else name.shape)


def _regular(path: Path) -> Path:
    """`path`; opening a pipe would wait for ever.

    Raises:
        OSError: it is missing, or no regular file.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(_("it is no regular file"))
    return path


def _opened(given: _Given, file: BinaryIO) -> DumpFile:
    if not given.size:
        raise NotADump(_("the file is empty"), again_hint())
    head = file.read(16)
    file.seek(0)
    if head.startswith(NPY_MAGIC):
        return _npy(given, file)
    if head.startswith(ATB_MAGIC):
        return _single(given, atb_tensor(given.path, file, given.size, given.name.tensor or "output:0"))
    if int.from_bytes(head[MAGIC_OFFSET : MAGIC_OFFSET + 4], "little") == NANO_MAGIC:
        tensors = nano_tensors(given.path, file, given.size)
        return _dump(given, tensors, [tensor.info.problem for tensor in tensors if tensor.info.problem])
    return _device_dump(given, file, head)


def _device_dump(given: _Given, file: BinaryIO, head: bytes) -> DumpFile:
    try:
        header = read_header(file, given.size)
    except NotADump:
        if given.stored is not None:
            return _raw(given, given.stored)
        for magic, what in _FOREIGN:
            if head.startswith(magic):
                raise NotADump(_(what)) from None
        raise
    tensors = dump_tensors(given.path, header, given.size)
    found = _dump(given, tensors, dump_problems(given.path, header, tensors, given.size))
    return replace(
        found,
        op_name=header.op_name or given.name.op_name,
        timestamp_us=header.time_us or given.name.timestamp_us,
    )


def _npy(given: _Given, file: BinaryIO) -> DumpFile:
    header = read_npy_header(file)
    dtype = given.stored.name if given.stored is not None else ""
    return _single(given, npy_tensor(given.path, header, given.size, given.name.tensor or "output:0", dtype))


def _raw(given: _Given, stored: StoredType) -> DumpFile:
    place = Place(given.path, given.name.tensor or "output:0", 0, given.size)
    return _single(given, raw_tensor(place, stored, given.shape, given.name.format))


def _single(given: _Given, tensor: StoredTensor) -> DumpFile:
    return _dump(given, (tensor,), [tensor.info.problem] if tensor.info.problem is not None else [])


def _dump(given: _Given, tensors: tuple[StoredTensor, ...], problems: list[Problem]) -> DumpFile:
    name = given.name
    return DumpFile(
        given.path,
        name.op_name,
        name.op_type,
        tensors,
        tuple(problems),
        name.timestamp_us,
        name.stream_id,
        name.task_id,
    )


def _hint(dtype: str | None) -> str:
    return _("check type and shape") if dtype else _("if it is raw values, tell their type and shape: --dtype, --shape")


def _failed(path: Path, name: DumpName, what: str, hint: str) -> DumpFile:
    problem = Problem(str(path), "", what, _("it is not compared"), hint, "error")
    return DumpFile(path, name.op_name, name.op_type, (), (problem,), name.timestamp_us, name.stream_id, name.task_id)

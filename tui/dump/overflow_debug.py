"""Records of overflow detection: which task overflowed, on which core, and in what way (formats: dump §1.7).

`Opdebug.Node_OpDebug.*` is an ordinary dump whose output 0 holds the record. The task is told inside the record: the
ids in the file's own name are those of the detector.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.dump.folder import DumpEntry
from tui.dump.opening import open_dump
from tui.i18n import N_, _
from tui.model.problem import Problem

MAGIC = 0x5A5A5A5A
NOT_SET = 0xFFFF
"""Context and thread of a task that is no sub-task."""

MAX_NOTES = 100
"""Records that are read for a list of notes."""

_HEAD = struct.Struct("<6I")
_OLD_BYTES = 2048
_OLD_INFO, _OLD_STATUS = 256, 1024
_MAX_RECORD_BYTES = 1 << 16

_TASK: tuple[str, ...] = ("model_id", "stream_id", "task_id", "task_type")
_AI_CORE = (*_TASK, "context_id", "thread_id", "pc_start", "para_base", "core_id", "block_id", "status")
_FIELDS: dict[int, tuple[str, tuple[str, ...]]] = {
    0: ("AIC", _AI_CORE),
    1: ("AIV", _AI_CORE),
    2: ("AICPU", (*_TASK, "context_id", "cpu_id", "thread_id", "status")),
    3: ("SDMA", (*_TASK, "context_id", "thread_id", "src_addr", "dst_addr", "channel_id", "status")),
}
_OLD_FIELDS: tuple[str, ...] = (*_TASK, "pc_start", "para_base")

STATUS_BITS = (
    (0x8, N_("negation of the smallest integer")),
    (0x10, N_("integer overflow in an addition, subtraction or multiplication")),
    (0x20, N_("overflow of a float computation")),
    (0x80, N_("a negative float converted to unsigned")),
    (0x100, N_("overflow in a conversion from float32 or int32 to float16")),
    (0x400, N_("overflow of an accumulation in the cube")),
)
"""Meaning of the status bits of an AI core."""


@dataclass(frozen=True)
class OverflowRecord:
    """One overflow, as the device recorded it."""

    path: Path
    unit: str
    """`AIC`, `AIV`, `AICPU` or `SDMA`."""
    model_id: int
    stream_id: int
    task_id: int
    context_id: int | None
    """None when it is not set."""
    thread_id: int | None
    core_id: int | None
    status: int
    """Status bits; of the longer form all words joined by or."""

    @property
    def causes(self) -> tuple[str, ...]:
        """What overflowed, in words; empty where the bits have no known meaning."""
        if self.unit not in ("AIC", "AIV"):
            return ()
        return tuple(_(text) for bit, text in STATUS_BITS if self.status & bit)


def read_overflow(path: Path) -> OverflowRecord | Problem:
    """The record of one overflow file; a problem when it holds none."""
    dump = open_dump(path)
    if not dump.tensors:
        return dump.problems[0]
    tensor = next((tensor for tensor in dump.tensors if tensor.info.tensor == "output:0"), dump.tensors[0])
    if tensor.info.problem is not None:
        return tensor.info.problem
    if tensor.info.elements > _MAX_RECORD_BYTES:
        return _no_record(path)
    try:
        return _record(path, tensor.array().tobytes()) or _no_record(path)
    except OSError as error:
        return _no_record(path, str(error))


def _record(path: Path, data: bytes) -> OverflowRecord | None:
    if len(data) >= _HEAD.size:
        magic, version, _valid, unit, _reserved, _length = _HEAD.unpack_from(data)
        if magic == MAGIC:
            return _new_record(path, data[_HEAD.size :], unit, version)
    return _old_record(path, data) if len(data) == _OLD_BYTES else None


def _new_record(path: Path, data: bytes, unit: int, version: int) -> OverflowRecord | None:
    name, names = _FIELDS.get(unit, ("", ()))
    words = len(names) + (3 if version >= 1 and unit in (0, 1) else 0)
    if not names or len(data) < 8 * words:
        return None
    values = struct.unpack_from(f"<{words}Q", data)
    status = 0
    for word in values[len(names) - 1 :]:
        status |= word
    return _from_fields(path, name, dict(zip(names, values)), status)


def _old_record(path: Path, data: bytes) -> OverflowRecord | None:
    """The layout without magic: only what it tells of the AI core is read."""
    values = dict(zip(_OLD_FIELDS, struct.unpack_from("<6Q", data, _OLD_INFO)))
    _kernel_code, _block, status = struct.unpack_from("<3Q", data, _OLD_STATUS)
    return _from_fields(path, "AIC", values, status) if any(values.values()) else None


def _from_fields(path: Path, unit: str, values: dict[str, int], status: int) -> OverflowRecord:
    return OverflowRecord(
        path,
        unit,
        values["model_id"],
        values["stream_id"],
        values["task_id"],
        _where_set(values.get("context_id")),
        _where_set(values.get("thread_id")),
        values.get("core_id"),
        status,
    )


def _where_set(value: int | None) -> int | None:
    return None if value == NOT_SET else value


def overflowing_entry(record: OverflowRecord, entries: Iterable[DumpEntry]) -> DumpEntry | None:
    """The dump of the operator that overflowed: the earliest of its stream and task; None when it was not dumped."""
    ids = (record.stream_id, record.task_id)
    same = [entry for entry in entries if entry.kind == "npu" and (entry.stream_id, entry.task_id) == ids]
    return min(same, key=lambda entry: entry.order, default=None)


def overflow_notes(entries: Sequence[DumpEntry]) -> tuple[Problem, ...]:
    """What the overflow records among `entries` say, one note each, the operators named where they were dumped."""
    recorded = [entry for entry in entries if entry.kind == "overflow"][:MAX_NOTES]
    return tuple(_note(read_overflow(entry.path), entries) for entry in recorded)


def _note(found: OverflowRecord | Problem, entries: Sequence[DumpEntry]) -> Problem:
    if isinstance(found, Problem):
        return found
    what = _("overflow recorded on {unit}: task {task} of stream {stream}")
    what = what.format(unit=found.unit, task=found.task_id, stream=found.stream_id)
    entry = overflowing_entry(found, entries)
    operator = _("the operator is {name}").format(name=entry.op_name) if entry else _("its operator was not dumped")
    causes = ", ".join(found.causes) or _("status {status}").format(status=hex(found.status))
    return Problem(str(found.path), causes, what, operator, _("compare this operator first"), "warn")


def _no_record(path: Path, reason: str = "") -> Problem:
    what = _("it holds no record of an overflow")
    return Problem(str(path), reason, what, _("the operator that overflowed is not named"), _("dump again"))

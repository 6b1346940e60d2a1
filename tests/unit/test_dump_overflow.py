"""Records of overflow detection, both layouts, and the operator that they mean."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from tests.dump_writer import TIME_US, Part, write_dump
from tui.dump.folder import list_dumps
from tui.dump.overflow_debug import OverflowRecord, overflow_notes, overflowing_entry, read_overflow
from tui.model.problem import Problem


def written(tmp_path: Path, record: bytes) -> Path:
    values = np.frombuffer(record, np.uint8)
    return write_dump(tmp_path / f"Opdebug.Node_OpDebug.9.8.{TIME_US}", "Node_OpDebug", [], [Part(values, "uint8")])


def head(unit: int, version: int = 0) -> bytes:
    return struct.pack("<6I", 0x5A5A5A5A, version, 1, unit, 0, 88)


def read(tmp_path: Path, record: bytes) -> OverflowRecord:
    found = read_overflow(written(tmp_path, record))
    assert isinstance(found, OverflowRecord)
    return found


def test_a_record_of_an_ai_core(tmp_path: Path) -> None:
    fields = (11, 3, 5, 0, 0xFFFF, 0xFFFF, 0x1000, 0x2000, 7, 1, 0x20 | 0x100)
    record = read(tmp_path, head(0) + struct.pack("<11Q", *fields))
    assert (record.unit, record.model_id, record.stream_id, record.task_id) == ("AIC", 11, 3, 5)
    assert (record.context_id, record.thread_id, record.core_id, record.status) == (None, None, 7, 0x120)
    assert record.causes == (
        "overflow of a float computation",
        "overflow in a conversion from float32 or int32 to float16",
    )


def test_the_longer_status_of_version_1(tmp_path: Path) -> None:
    record = read(tmp_path, head(1, version=1) + struct.pack("<14Q", 1, 3, 5, 0, 0, 2, 0, 0, 7, 1, 0, 0, 0x400, 0x8))
    assert (record.unit, record.thread_id, record.status) == ("AIV", 2, 0x408)
    assert len(record.causes) == 2


def test_records_of_the_other_units(tmp_path: Path) -> None:
    cpu = read(tmp_path, head(2) + struct.pack("<8Q", 1, 3, 5, 0, 0, 4, 6, 0x20))
    assert (cpu.unit, cpu.thread_id, cpu.core_id, cpu.status, cpu.causes) == ("AICPU", 6, None, 0x20, ())
    copy = read(tmp_path, head(3) + struct.pack("<10Q", 1, 3, 5, 0, 0, 6, 0xA, 0xB, 2, 9))
    assert (copy.unit, copy.stream_id, copy.task_id, copy.status) == ("SDMA", 3, 5, 9)


def test_the_layout_without_magic(tmp_path: Path) -> None:
    record = bytearray(2048)
    record[256 : 256 + 48] = struct.pack("<6Q", 11, 3, 5, 0, 0, 0)
    record[1024 : 1024 + 24] = struct.pack("<3Q", 1, 2, 0x10)
    found = read(tmp_path, bytes(record))
    assert (found.unit, found.model_id, found.stream_id, found.task_id, found.status) == ("AIC", 11, 3, 5, 0x10)


@pytest.mark.parametrize(
    "record", [b"\x01", bytes(2048), bytes(2047), head(0), head(9) + bytes(88), head(0) + bytes(80)]
)
def test_what_holds_no_record(tmp_path: Path, record: bytes) -> None:
    found = read_overflow(written(tmp_path, record))
    assert isinstance(found, Problem)
    assert "no record" in found.what


def test_files_that_are_no_dumps(tmp_path: Path) -> None:
    assert isinstance(read_overflow(tmp_path / "missing"), Problem)
    (tmp_path / "empty").touch()
    assert isinstance(read_overflow(tmp_path / "empty"), Problem)
    path = written(tmp_path, bytes(100))
    path.write_bytes(path.read_bytes()[:-50])
    assert isinstance(read_overflow(path), Problem)


def test_the_operator_is_that_of_the_record_not_of_the_file_name(tmp_path: Path) -> None:
    path = written(tmp_path, head(0) + struct.pack("<11Q", 1, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0x20))
    for name in (f"Add.again.5.3.{TIME_US + 9}", f"Add.right.5.3.{TIME_US}", f"Add.other.9.8.{TIME_US}"):
        write_dump(tmp_path / name, name.split(".")[1], [], [Part(np.ones(1), "float16")])
    entries = list_dumps(tmp_path).entries
    assert [entry.kind for entry in entries].count("overflow") == 1
    record = read_overflow(path)
    assert isinstance(record, OverflowRecord)
    found = overflowing_entry(record, entries)
    assert found is not None
    assert found.op_name == "right"
    assert overflowing_entry(record, ()) is None
    (note,) = overflow_notes(entries)
    assert (note.what, note.where) == (
        "overflow recorded on AIC: task 5 of stream 3",
        "overflow of a float computation",
    )
    assert note.consequence == "the operator is right"
    path.write_bytes(b"")
    (note,) = overflow_notes(entries)
    assert note.what == "the file is empty"

"""The column store: what is written comes back, also while it grows; a crash leaves nothing that looks whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tui.model.table import MISSING_NS, ColumnInfo, Table, TablePart
from tui.store.columns import HEADER, StoreWriter, map_layout, open_store, read_header
from tui.store.npy import HEADER_BYTES, GrowingArray, header, mapped
from tui.store.strings import StringTable, packed

NAME = ColumnInfo("op_name", "Op Name", "text")
TIME = ColumnInfo("start_ns", "Start Time(us)", "time", "ns")
COUNT = ColumnInfo("count", "Count", "number", whole=True)


def texts(table: Table, key: str) -> list[str]:
    column = table.text(key)
    assert column is not None
    return column.texts(slice(None))


def times(table: Table) -> list[int]:
    values = table.time("start_ns")
    assert values is not None
    return [int(value) for value in values]


def counts(table: Table) -> NDArray[np.float64]:
    values = table.number("count")
    assert values is not None
    return values


def written(folder: Path, blocks: list[tuple[list[int], list[str], list[int], list[float]]]) -> StoreWriter:
    """A store of three columns; each block is (codes, new texts, times, numbers)."""
    writer = StoreWriter(folder, [NAME, TIME, COUNT])
    for codes, texts, times, numbers in blocks:
        writer.columns[0].add_texts(texts)
        writer.columns[0].append(np.array(codes, np.int32))
        writer.columns[1].append(np.array(times, np.int64))
        writer.columns[2].append(np.array(numbers))
    return writer


BLOCKS = [([0, 1, 0], ["Conv", "卷积"], [1, 2, MISSING_NS], [1.0, np.nan, 3.0]), ([2], [""], [2**62], [-0.5])]


def test_a_finished_store_opens_as_the_table(tmp_path: Path) -> None:
    written(tmp_path, BLOCKS).finish("ops", [TablePart("a.csv", 0, 3), TablePart("b.csv", 3, 1)], {"note": "x"})
    table = open_store(tmp_path)
    assert table.kind == "ops"
    assert table.complete
    assert table.keys == ("op_name", "start_ns", "count")
    assert table.columns[2].info == COUNT
    assert texts(table, "op_name") == ["Conv", "卷积", "Conv", ""]
    assert times(table) == [1, 2, MISSING_NS, 2**62]
    assert str(counts(table).tolist()) == "[1.0, nan, 3.0, -0.5]"
    assert table.place(3) == ("b.csv", 1)
    assert read_header(tmp_path)["extra"] == {"note": "x"}


def test_columns_are_ordinary_npy_files(tmp_path: Path) -> None:
    written(tmp_path, BLOCKS).finish("ops", [], {})
    files = sorted(tmp_path.glob("*.npy"))
    assert len(files) == 5
    for file in files:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
        assert array.ndim == 1
        assert file.stat().st_size == HEADER_BYTES + array.nbytes


def test_rows_can_be_mapped_while_the_store_grows(tmp_path: Path) -> None:
    writer = written(tmp_path, BLOCKS[:1])
    early = map_layout(writer.layout, "ops")
    assert not early.complete
    writer.columns[0].add_texts(["late"])
    writer.columns[0].append(np.array([2], np.int32))
    for column, value in zip(writer.columns[1:], (7, 8.0)):
        column.append(np.array([value]))
    late = map_layout(writer.layout, "ops")
    assert early.row_count == 3
    assert texts(early, "op_name") == ["Conv", "卷积", "Conv"]
    assert late.row_count == 4
    assert texts(late, "op_name")[3] == "late"


def test_large_columns_are_mapped_read_only(tmp_path: Path) -> None:
    array = GrowingArray(tmp_path / "c.npy", np.dtype("<f8"))
    array.append(np.arange(100_000.0))
    array.finish()
    values = mapped(array.path, array.dtype, array.rows)
    assert not values.flags.writeable
    assert values[-1] == 99_999.0
    array.path.unlink()
    assert values.sum() == 4999950000.0


def test_a_file_shorter_than_promised_is_an_error_not_a_crash(tmp_path: Path) -> None:
    writer = written(tmp_path, BLOCKS)
    writer.finish("ops", [], {})
    with open(tmp_path / "c001.npy", "r+b") as file:
        file.truncate(HEADER_BYTES + 8)
    with pytest.raises(OSError, match="shorter"):
        open_store(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"format": 1}', b'{"format": 99}', b'{"format": 1, "columns": 3}', b"\xff"]
)
def test_damaged_headers_are_errors(tmp_path: Path, content: bytes) -> None:
    (tmp_path / HEADER).write_bytes(content)
    with pytest.raises((OSError, ValueError)):
        open_store(tmp_path)


def test_no_header_no_store(tmp_path: Path) -> None:
    written(tmp_path, BLOCKS)
    with pytest.raises(FileNotFoundError):
        open_store(tmp_path)


def test_a_store_without_rows_or_columns(tmp_path: Path) -> None:
    StoreWriter(tmp_path, []).finish("ops", [], {})
    table = open_store(tmp_path)
    assert table.row_count == 0
    (tmp_path / "other").mkdir()
    written(tmp_path / "other", []).finish("ops", [], {})
    assert open_store(tmp_path / "other").row_count == 0


def test_nothing_is_pickled(tmp_path: Path) -> None:
    np.save(tmp_path / "evil.npy", np.array([{"a": 1}], object), allow_pickle=True)
    values = mapped(tmp_path / "evil.npy", np.dtype("<i8"), 1)
    assert values.dtype == np.int64


@pytest.mark.parametrize("rows", [0, 1, 10**12])
@pytest.mark.parametrize("dtype", ["<f8", "<i8", "<i4", "|u1"])
def test_headers_have_one_size(rows: int, dtype: str) -> None:
    assert len(header(np.dtype(dtype), rows)) == HEADER_BYTES


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=30), st.integers(0, 30))
def test_strings_survive(texts: list[str], cut: int) -> None:
    first, ends = packed(texts[:cut])
    second, more_ends = packed(texts[cut:], len(first))
    table = StringTable(np.concatenate([first, second]), np.concatenate([ends, more_ends]))
    assert list(table) == texts
    assert table[: len(texts)] == texts
    assert len(table) == len(texts)


def test_strings_are_decoded_once_and_indexed_like_a_list() -> None:
    table = StringTable(*packed(["a", "bc"]))
    assert table[1] is table[1]
    assert table[-1] == "bc"
    with pytest.raises(IndexError):
        table[2]


cells = st.lists(st.tuples(st.integers(0, 5), st.integers(-(2**63), 2**63 - 1), st.floats(width=64)), max_size=40)


@settings(max_examples=40)
@given(cells, st.integers(1, 7))
def test_any_rows_survive(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, float]], step: int
) -> None:
    folder = tmp_path_factory.mktemp("store")
    blocks = [rows[i : i + step] for i in range(0, len(rows), step)]
    names = [f"n{i}" for i in range(6)]
    writer = written(
        folder,
        [
            ([r[0] for r in b], names if not i else [], [r[1] for r in b], [r[2] for r in b])
            for i, b in enumerate(blocks)
        ],
    )
    writer.finish("t", [], {})
    table = open_store(folder)
    assert texts(table, "op_name") == [names[r[0]] for r in rows]
    assert times(table) == [r[1] for r in rows]
    assert np.array_equal(counts(table), np.array([r[2] for r in rows]), equal_nan=True)


def test_the_header_is_small_ascii_json(tmp_path: Path) -> None:
    written(tmp_path, BLOCKS).finish("ops", [], {"name": "卷积"})
    data = json.loads((tmp_path / HEADER).read_bytes().decode("ascii"))
    assert data["rows"] == 4

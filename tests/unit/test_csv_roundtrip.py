"""Any table that a CSV writer can write is read back, and no bytes at all make a reader fail."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path
from typing import Literal, Optional

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.model.table import NumberColumn, Table, TextColumn, TimeColumn
from tui.readers import csv_import
from tui.readers.csv_cells import MISSING_CELLS, numbers, stripped, times
from tui.readers.csv_dialect import last_record_end, record_end_after
from tui.readers.tables import PartRequest, TableRequest, open_table

HEADINGS = ["Op Name", "Task Start Time(us)", "Task Duration(us)", "Input Shapes", "Block Num"]
KEYS = ["op_name", "start_ns", "task_duration_us", "input_shapes", "block_num"]

Row = tuple[str, int, Optional[float], str, int]

names = st.text(st.characters(codec="utf-8", exclude_characters='\0"', exclude_categories=("Cc", "Cs")), max_size=20)
shapes = st.lists(st.lists(st.integers(1, 4096), max_size=4), max_size=3).map(
    lambda operands: '"' + ";".join(",".join(map(str, dims)) for dims in operands) + '"'
)
nanoseconds = st.integers(0, 2**62)
durations = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
rows = st.lists(st.tuples(names, nanoseconds, durations, shapes, st.integers(0, 2**40)), min_size=1, max_size=30)


def read(folder: Path, content: bytes, with_pandas: bool, suffix: str = ".csv") -> Table:
    path = folder / f"op_summary{suffix}"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_import, "_wants_pandas", lambda plan: with_pandas)
        return open_table(TableRequest("ops", (PartRequest(str(path), "0", "op_summary"),)), cap_bytes=0)


def cells_of(row: Row, tab: str) -> list[str]:
    name, start_ns, duration, shape, block = row
    start = f"{start_ns // 1000}.{start_ns % 1000:03d}{tab}"
    return [name, start, "N/A" if duration is None else repr(duration), shape, str(block)]


@settings(max_examples=60)
@given(
    rows=rows,
    line_end=st.sampled_from(["\n", "\r\n"]),
    tab=st.sampled_from(["", "\t"]),
    mark=st.booleans(),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    with_pandas=st.booleans(),
)
def test_written_tables_are_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[Row],
    line_end: str,
    tab: str,
    mark: bool,
    quoting: Literal[0, 1],
    with_pandas: bool,
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end, quoting=quoting)
    writer.writerow(HEADINGS)
    writer.writerows(cells_of(row, tab) for row in rows)
    content = (b"\xef\xbb\xbf" if mark else b"") + text.getvalue().encode()
    table = read(tmp_path_factory.mktemp("t"), content, with_pandas)
    assert table.row_count == len(rows)
    columns = {column.info.key: column for column in table.columns}
    name, start, duration, shape, block = (columns[key] for key in KEYS)
    assert isinstance(name, TextColumn)
    assert isinstance(shape, TextColumn)
    assert isinstance(start, TimeColumn)
    assert isinstance(duration, NumberColumn)
    assert isinstance(block, NumberColumn)
    assert name.texts(slice(None)) == [stripped(row[0]) for row in rows]
    assert shape.texts(slice(None)) == [row[3].strip('"') for row in rows]
    assert start.values.tolist() == [row[1] for row in rows]
    wanted = np.array([np.nan if row[2] is None else row[2] for row in rows])
    assert np.array_equal(duration.values, wanted, equal_nan=True)
    assert block.values.tolist() == [float(row[4]) for row in rows]
    assert table.problems == ()


pieces = st.sampled_from(
    [
        b",",
        b'"',
        b"\n",
        b"\r\n",
        b"\t",
        b"a",
        b"1",
        b".",
        b"N/A",
        b"\0",
        b"\xff",
        "卷".encode(),
        "卷".encode("gbk"),
        b"1e5",
        b"-",
        b";",
    ]
)


@settings(max_examples=150)
@given(st.lists(pieces, max_size=60), st.booleans(), st.booleans())
def test_no_bytes_make_the_reader_fail(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], with_head: bool, with_pandas: bool
) -> None:
    head = ",".join(HEADINGS).encode() + b"\n" if with_head else b""
    table = read(tmp_path_factory.mktemp("t"), head + b"".join(parts), with_pandas)
    for column in table.columns:
        shown = column.texts(slice(None)) if isinstance(column, TextColumn) else column.values.tolist()
        assert len(shown) == table.row_count


plain_cells = st.sampled_from(["a", "x y", "1.5", "", "N/A", "7", "1,2", '"1,2;3"', "a\nb", "卷", "-", "2.000\t"])
ragged_rows = st.lists(st.lists(plain_cells, min_size=4, max_size=6), max_size=12)


@settings(max_examples=150)
@given(ragged_rows, st.sampled_from(["\n", "\r\n"]))
def test_both_parsers_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, ragged: list[list[str]], line_end: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow(HEADINGS)
    writer.writerows(ragged)
    folder = tmp_path_factory.mktemp("t")
    one, other = (read(folder, text.getvalue().encode(), with_pandas) for with_pandas in (False, True))
    assert one.problems == other.problems
    assert one.row_count == other.row_count
    for left, right in zip(one.columns, other.columns):
        assert left.info == right.info
        if isinstance(left, TextColumn) and isinstance(right, TextColumn):
            assert left.texts(slice(None)) == right.texts(slice(None))
        elif not isinstance(left, TextColumn) and not isinstance(right, TextColumn):
            assert np.array_equal(left.values, right.values, equal_nan=True)


@settings(max_examples=50)
@given(st.binary(max_size=200))
def test_no_bytes_make_the_json_reader_fail(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    read(tmp_path_factory.mktemp("t"), content, False, ".json")


decimal_texts = st.from_regex(r"\A[0-9]{1,17}(\.[0-9]{1,6})?\t?\Z")
odd_texts = st.sampled_from([*MISSING_CELLS, "x", "1.2.3", "1e3", "-5", "+7", " 8", '"9.5"', "١", "1" * 30, "."])


@settings(max_examples=300)
@given(st.lists(st.one_of(decimal_texts, odd_texts), min_size=1, max_size=20), st.sampled_from([0, 3, 6]))
def test_times_are_what_exact_decimals_say(cells: list[str], places: int) -> None:
    array = np.empty(len(cells), object)
    array[:] = cells
    found = times(array, places)
    for index, cell in enumerate(cells):
        text = cell.strip().strip('"')
        if text in MISSING_CELLS or index in found.wrong:
            continue
        exact = int((Decimal(text).scaleb(places) + Decimal("0.5")).to_integral_value("ROUND_FLOOR"))
        assert found.values[index] == exact
    plain = [i for i, cell in enumerate(cells) if cell.strip().replace(".", "", 1).isdecimal() and cell.isascii()]
    assert all(i not in found.wrong or len(cells[i].split(".")[0]) + places > 18 for i in plain)


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=30), st.from_regex(r"\A[-+]?[0-9.]{1,25}([eE][-+]?[0-9]{1,30})?\Z")))
def test_no_cell_makes_a_conversion_fail(cell: str) -> None:
    array = np.empty(2, object)
    array[:] = [cell, "1.5"]
    assert times(array, 3).values[1] == 1500
    assert numbers([cell, "1.5"]).values[1] == 1.5


@settings(max_examples=200)
@given(st.lists(st.sampled_from([b'"', b"\n", b"a,", b"1"]), max_size=80), st.integers(0, 100))
def test_a_cut_never_falls_into_a_quoted_cell(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], at: int
) -> None:
    data = b"".join(parts)
    cut = last_record_end(data)
    assert data[:cut].count(b'"') % 2 == 0
    assert cut == 0 or data[cut - 1 : cut] == b"\n"
    path = tmp_path_factory.mktemp("t") / "x"
    path.write_bytes(data)
    at = min(at, len(data))
    with open(path, "rb") as file:
        end = record_end_after(file, 0, at)
    assert at <= end <= len(data)
    assert end == len(data) or (data[:end].count(b'"') % 2 == 0 and data[end - 1 : end] == b"\n")

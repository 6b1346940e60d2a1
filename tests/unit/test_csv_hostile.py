"""CSV files as they should not be: what can be read is read, the rest is one line each."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tui.model.problem import Problem
from tui.model.table import MISSING_NS, Table
from tui.readers import csv_import, csv_sink
from tui.readers.tables import (
    PartRequest,
    TableRequest,
    finished_table,
    import_to_store,
    open_table,
    partial_table,
)

Make = Callable[..., Table]

HEAD = "Task ID,Op Name,OP Type,Task Start Time(us),Task Duration(us),Input Shapes,aicore_time(us)\n"


@pytest.fixture(autouse=True, params=[False, True], ids=["by record", "by the C parser"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are split record by record, larger ones by the C parser: both must give the same."""
    monkeypatch.setattr(csv_import, "_wants_pandas", lambda plan: request.param)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, so that a short file has many."""
    monkeypatch.setattr(csv_sink, "_FIRST_BYTES", 200)
    monkeypatch.setattr(csv_sink, "_BLOCK_BYTES", 300)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a file and opens it as a table of one part."""

    def write(content: str | bytes, kind: str = "op_summary", device: str = "", suffix: str = ".csv") -> Table:
        path = tmp_path / f"{kind}{suffix}"
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return open_table(TableRequest(kind, (PartRequest(str(path), device, kind),)))

    return write


def row(
    task: int, name: str = "Conv", start: str = "1717575960208020.758\t", duration: str = "1.5", last: str = "3"
) -> str:
    return f'{task},{name},Conv2D,{start},{duration},"""1,3;4""",{last}\n'


def texts(table: Table, key: str) -> list[str]:
    column = table.text(key)
    assert column is not None
    return column.texts(slice(None))


def values(table: Table, key: str) -> list[float | None]:
    numbers = table.number(key)
    assert numbers is not None
    return [None if math.isnan(number) else number for number in numbers.tolist()]


def times(table: Table, key: str = "start_ns") -> list[int | None]:
    found = table.time(key)
    assert found is not None
    return [None if value == MISSING_NS else value for value in found.tolist()]


def whats(table: Table) -> list[str]:
    return [problem.what for problem in table.problems]


def test_plain_rows(make: Make) -> None:
    table = make(HEAD + row(1) + row(2, name="Add", last="N/A"))
    assert table.keys == (
        "task_id", "op_name", "op_type", "start_ns", "task_duration_us", "input_shapes", "aicore_time_us",
    )  # fmt: skip
    assert texts(table, "op_name") == ["Conv", "Add"]
    assert texts(table, "input_shapes") == ["1,3;4", "1,3;4"]
    assert times(table) == [1717575960208020758] * 2
    assert values(table, "aicore_time_us") == [3.0, None]
    assert table.problems == ()
    assert table.complete
    assert [column.info.whole for column in table.columns if column.info.kind == "number"] == [True, False, False]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_byte_order_mark_and_line_ends(make: Make, mark: bytes, line_end: str) -> None:
    table = make(mark + (HEAD + row(1) + row(2)).replace("\n", line_end).encode())
    assert values(table, "task_id") == [1.0, 2.0]
    assert values(table, "aicore_time_us") == [3.0, 3.0]
    assert table.columns[0].info.heading == "Task ID"
    assert table.problems == ()


def test_mixed_line_ends_and_line_ends_inside_cells(make: Make, small_blocks: None) -> None:
    body = "".join(f'{i},Conv,Conv2D,1.000,2,"""1,\r\n{i};\n4""",3' + ("\r\n" if i % 2 else "\n") for i in range(50))
    table = make(HEAD + body)
    assert values(table, "task_id") == list(map(float, range(50)))
    assert texts(table, "input_shapes")[7] == "1,\r\n7;\n4"
    assert table.problems == ()


def test_no_newline_at_the_end(make: Make) -> None:
    table = make(HEAD + row(1) + row(2).rstrip("\n"))
    assert values(table, "aicore_time_us") == [3.0, 3.0]
    assert table.problems == ()


def test_chinese_names_in_both_encodings(make: Make) -> None:
    assert texts(make(HEAD + row(1, "卷积算子")), "op_name") == ["卷积算子"]
    table = make((HEAD + row(1, "卷积算子") + row(2, "plain")).encode("gbk"))
    assert texts(table, "op_name") == ["卷积算子", "plain"]
    assert whats(table) == ["1 line is GBK, not UTF-8"]


def test_bytes_of_no_encoding(make: Make) -> None:
    table = make(HEAD.encode() + row(1).encode().replace(b"Conv,", b"C\xff\xffnv,"))
    assert texts(table, "op_name") == ["C\ufffd\ufffdnv"]
    assert whats(table) == ["1 line is neither UTF-8 nor GBK"]


def test_nul_bytes_are_left_out(make: Make) -> None:
    table = make((HEAD + row(1) + row(2)).encode() + b"\0" * 400)
    assert values(table, "task_id") == [1.0, 2.0]
    assert whats(table) == ["400 NUL bytes were left out"]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\0" * 100, b"\xef\xbb\xbf"])
def test_a_file_of_nothing(make: Make, content: bytes) -> None:
    table = make(content)
    assert table.row_count == 0
    assert table.columns == ()
    assert len(table.problems) == 1


def test_only_a_heading(make: Make) -> None:
    table = make(HEAD)
    assert table.row_count == 0
    assert len(table.columns) == 7
    assert whats(table) == ["only the heading line is there"]
    assert table.problems[0].severity == "info"


def test_no_such_file_and_a_folder(tmp_path: Path) -> None:
    missing = str(tmp_path / "op_summary_1.csv")
    table = open_table(TableRequest("ops", (PartRequest(missing), PartRequest(str(tmp_path)))))
    assert table.row_count == 0
    assert [(problem.path, problem.severity) for problem in table.problems] == [
        (missing, "error"),
        (str(tmp_path), "error"),
    ]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "op_summary_1.csv")
    table = open_table(TableRequest("ops", (PartRequest(str(tmp_path / "op_summary_1.csv")),)))
    assert whats(table) == ["the file cannot be read (not a file)"]


@pytest.mark.parametrize("name", ["a,b", "a,b,c,d", "x(1,2)"])
def test_a_comma_in_an_unquoted_name(make: Make, name: str) -> None:
    table = make(HEAD + row(1) + row(2, name) + row(3))
    assert texts(table, "op_name") == ["Conv", name, "Conv"]
    assert values(table, "task_duration_us") == [1.5, 1.5, 1.5]
    assert values(table, "aicore_time_us") == [3.0, 3.0, 3.0]
    assert whats(table) == ["1 row has more cells than the heading"]
    assert table.problems[0].where == "row 2"


def test_commas_in_unquoted_shapes_on_both_sides(make: Make) -> None:
    head = "Op Name,OP Type,Task Duration(us),Input Shapes,Input Data Types,Output Shapes,Output Data Types"
    table = make(head + ",aic_total_cycles\na,b,1.5,1,3;4,FLOAT16;FLOAT,8,8,8,FLOAT,7\n")
    assert texts(table, "input_shapes") == ["1,3;4"]
    assert texts(table, "input_data_types") == ["FLOAT16;FLOAT"]
    assert texts(table, "output_shapes") == ["8,8,8"]
    assert values(table, "aic_total_cycles") == [7.0]


def test_a_row_of_countless_cells(make: Make) -> None:
    table = make(HEAD + row(1) + "2," + "x," * 100_000 + "y\n" + row(3))
    assert table.row_count == 3
    assert whats(table)[0] == "1 row has more cells than the heading"
    assert values(table, "task_id") == [1.0, 2.0, 3.0]


def test_a_heading_of_countless_cells(make: Make) -> None:
    table = make(",".join(f"c{i}" for i in range(5000)) + "\n" + ",".join(map(str, range(5000))) + "\n", "gadgets")
    assert len(table.columns) == 1000
    assert values(table, "c999") == [999.0]
    assert whats(table) == ["the heading line has 5000 cells"]


def test_a_binary_file_is_no_table(make: Make) -> None:
    table = make(bytes(range(256)) * 40)
    assert table.row_count == 0
    assert whats(table) == ["this is no CSV text"]


def test_many_irregular_rows_among_regular_ones(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the pieces around irregular rows are split one by one; row numbers stay those of the file."""
    monkeypatch.setattr(csv_sink, "_PIECE_BYTES", 400)
    monkeypatch.setattr(csv_sink, "_PIECES", 3)
    rows = [row(i, "a,b" if i % 50 == 20 else "Conv", duration="x" if i % 90 == 7 else "1.5") for i in range(300)]
    table = make(HEAD + "".join(rows))
    assert values(table, "task_id") == list(map(float, range(300)))
    assert [i for i, name in enumerate(texts(table, "op_name")) if name == "a,b"] == list(range(20, 300, 50))
    assert [i for i, value in enumerate(values(table, "task_duration_us")) if value is None] == [7, 97, 187, 277]
    assert sorted((problem.where, problem.what.split()[0]) for problem in table.problems) == [
        ("row 21", "6"),
        ("row 8", "4"),
    ]


def test_rows_that_are_too_short_are_kept(make: Make) -> None:
    table = make(HEAD + row(1) + "2,Add,Add,1.000,2.5\n" + row(3))
    assert values(table, "task_duration_us") == [1.5, 2.5, 1.5]
    assert texts(table, "input_shapes")[1] == ""
    assert values(table, "aicore_time_us") == [3.0, None, 3.0]
    assert whats(table) == ["1 row has fewer cells than the heading"]
    assert table.problems[0].where == "row 2"


def test_short_rows_where_the_last_column_is_text(make: Make) -> None:
    table = make("Op Name,Task Duration(us),Output Formats\na,1,ND\nb,2\nc,3,ND\n")
    assert texts(table, "output_formats") == ["ND", "", "ND"]
    assert whats(table) == ["1 row has fewer cells than the heading"]


@pytest.mark.parametrize("heading", ["Note", "Block Num"])
def test_empty_cells_at_the_end_are_no_short_rows(make: Make, heading: str) -> None:
    table = make(f"Op Name,Task Duration(us),{heading}\na,1,\nb,2,7\nc,3,\n")
    assert values(table, "task_duration_us") == [1.0, 2.0, 3.0]
    assert table.problems == ()


def test_blank_lines_are_no_rows(make: Make) -> None:
    table = make("\n" + HEAD + row(1) + "\n \t\n" + row(2) + "\r\n")
    assert values(table, "task_id") == [1.0, 2.0]
    assert table.problems == ()


def test_a_cut_off_last_line(make: Make) -> None:
    table = make(HEAD + row(1) + "2,Add,Add,1.000,2")
    assert values(table, "task_id") == [1.0, 2.0]
    assert values(table, "task_duration_us") == [1.5, None]  # "2" may have been 2.5
    assert times(table) == [1717575960208020758, 1000]
    assert whats(table) == ["the last line is cut off"]


def test_a_trailing_comma_in_every_line(make: Make) -> None:
    table = make("Op Name,Task Duration(us),Block Dim,\na,4.36,1,\nb,NA,NA,\n", "OpBasicInfo")
    assert table.keys == ("op_name", "task_duration_us", "block_num")
    assert values(table, "block_num") == [1.0, None]
    assert table.problems == ()


def test_repeated_headings(make: Make) -> None:
    head = "Iteration ID,Reduce Start(us),Reduce Duration(us),Reduce Start(us),Reduce Duration(us)\n"
    table = make(head + "1,10.000\t,5,20.000\t,6\n2,11.000\t,5,21.000\t,7\n", "step_trace")
    assert table.keys == (
        "iteration_id", "reduce_start_ns", "reduce_duration_us", "reduce_start_2_ns", "reduce_duration_2_us",
    )  # fmt: skip
    assert times(table, "reduce_start_2_ns") == [20000, 21000]


def test_files_with_different_headings(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Op Name,Task Duration(us),aic_mac_ratio\na,1,0.5\n")
    (tmp_path / "b.csv").write_text(
        "Op Name,Block Num,Task Duration(us),Task Start Time(us)\nb,7,2,1.000\nc,8,3,2.000\n"
    )
    request = TableRequest(
        "ops", tuple(PartRequest(str(tmp_path / n), d, "op_summary") for n, d in (("a.csv", "0"), ("b.csv", "1")))
    )
    table = open_table(request)
    assert table.keys == ("op_name", "task_duration_us", "aic_mac_ratio", "block_num", "start_ns", "device_id")
    assert texts(table, "op_name") == ["a", "b", "c"]
    assert values(table, "aic_mac_ratio") == [0.5, None, None]
    assert values(table, "block_num") == [None, 7.0, 8.0]
    assert times(table) == [None, 1000, 2000]
    assert texts(table, "device_id") == ["0", "1", "1"]
    assert table.place(2) == (str(tmp_path / "b.csv"), 2)


def test_the_device_comes_from_the_place_only_where_the_file_is_silent(make: Make) -> None:
    assert texts(make(HEAD + row(1), device="3"), "device_id") == ["3"]
    table = make("Device_id,Op Name,Task Duration(us)\n5,a,1\n", device="3")
    assert texts(table, "device_id") == ["5"]
    assert make(HEAD + row(1)).get("device_id") is None


def test_wrong_cells_in_number_and_time_columns(make: Make) -> None:
    table = make(HEAD + row(1) + row(2, duration="fast", start="yesterday") + row(3, duration="1_000") + row(4))
    assert values(table, "task_duration_us") == [1.5, None, None, 1.5]
    assert times(table) == [1717575960208020758, None, 1717575960208020758, 1717575960208020758]
    assert sorted(whats(table)) == [
        "1 cell of Task Start Time(us) is no time (first: yesterday)",
        "2 cells of Task Duration(us) are no numbers (first: fast)",
    ]
    assert {problem.where for problem in table.problems} == {"row 2"}


def test_control_characters_of_a_cell_are_escaped_in_its_problem(make: Make) -> None:
    table = make(HEAD + row(1) + row(2) + row(3, duration="\x1b[31mred"))
    assert whats(table) == [r"1 cell of Task Duration(us) is no number (first: \x1b[31mred)"]


@pytest.mark.parametrize("missing", ["N/A", "NA", "", "-", "nan", '"N/A"', " N/A\t"])
def test_missing_numbers_and_times(make: Make, missing: str) -> None:
    table = make(HEAD + row(1, duration=missing, start=missing) + row(2))
    assert values(table, "task_duration_us") == [None, 1.5]
    assert times(table) == [None, 1717575960208020758]
    assert table.problems == ()


@pytest.mark.parametrize("name", ["NA", "null", "nan", "None", "N/A", "-", "True", "1e5", "007"])
def test_names_that_look_like_nothing_stay_names(make: Make, name: str) -> None:
    assert texts(make(HEAD + row(1, name) + row(2)), "op_name") == [name, "Conv"]


def test_numbers_of_any_size(make: Make) -> None:
    table = make(
        HEAD
        + "".join(
            row(i, duration=d)
            for i, d in enumerate(["1e308", "Infinity", "-inf", "1E-3", "-0.0", "18446744073709551615"])
        )
    )
    assert values(table, "task_duration_us") == [1e308, math.inf, -math.inf, 0.001, -0.0, 18446744073709551615.0]
    assert table.problems == ()


def test_long_decimals_are_read_exactly(make: Make) -> None:
    written = ["8827.472999999998", "0.1", "123456789.123456789", "2.2250738585072014e-308", "9007199254740993"]
    table = make(HEAD + "".join(row(i, duration=d) for i, d in enumerate(written)))
    assert values(table, "task_duration_us") == [float(text) for text in written]


def test_unknown_columns(make: Make) -> None:
    table = make("Widget,Speed,Mixed,Label,Big\nx,1.5,1,007,9007199254740993\ny,N/A,b,008,1\n", "gadgets")
    assert [column.info.kind for column in table.columns] == ["text", "number", "text", "text", "text"]
    assert texts(table, "big") == ["9007199254740993", "1"]
    assert texts(table, "label") == ["007", "008"]


def test_a_late_word_makes_an_unknown_column_text(
    make: Make, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.readers.csv_dialect.HEAD_BYTES", 100)
    body = "".join(f"n{i},{i},5\n" for i in range(200)) + "last,later,5\n"
    table = make("Widget,Speed,Other\n" + body, "gadgets")
    assert texts(table, "speed") == [*map(str, range(200)), "later"]
    assert values(table, "other") == [5.0] * 201
    assert table.row_count == 201


def test_a_late_large_number_makes_an_unknown_column_text(
    make: Make, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.readers.csv_dialect.HEAD_BYTES", 100)
    body = "".join(f"n{i},{i},5\n" for i in range(200)) + "last,9007199254740993,5\n"
    assert texts(make("Widget,Speed,Other\n" + body, "gadgets"), "speed")[-1] == "9007199254740993"


@pytest.mark.parametrize(
    ("heading", "cells", "wanted"),
    [
        ("Task Start Time", ["497845389418920", "497845389418921"], [497845389418920, 497845389418921]),
        ("Task Start Time", ["1043640017380.831", "1043640017381"], [1043640017380831, 1043640017381000]),
        ("Task Start Time(us)", ["1695115378713661", "1695115378715400.2"], [1695115378713661000, 1695115378715400200]),
        ("Task Start Time(ns)", ["5", "6"], [5, 6]),
        ("Start Time(us)", ["0.0004", "0.0005"], [0, 1]),
        ("Start Time(us)", ["1736413971558972.9125\t", '"8972.912\t"'], [1736413971558972913, 8972912]),
        ("Start Time(us)", ["-1.5", "9223372036854775.807"], [-1500, 9223372036854775807]),
        ("Start Time(us)", ["9999999999999999.999", "1"], [None, 1000]),
    ],
)  # fmt: skip
def test_times_are_exact_nanoseconds(make: Make, heading: str, cells: list[str], wanted: list[int | None]) -> None:
    table = make(f"{heading},Op Name\n" + "".join(f"{cell},a\n" for cell in cells))
    assert times(table) == wanted


def test_late_decimals_make_a_column_without_unit_microseconds(
    make: Make, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.readers.csv_dialect.HEAD_BYTES", 100)
    body = "".join(f"{1000 + i},a\n" for i in range(200)) + "2000.5,b\n"
    table = make("Start Time,Op Name\n" + body, "ge_op_execute")
    assert times(table)[:2] == [1000000, 1001000]
    assert times(table)[-1] == 2000500


def test_times_that_a_spreadsheet_rounded(make: Make) -> None:
    table = make(HEAD + row(1, start="1.70E+15") + row(2))
    assert times(table) == [1700000000000000000, 1717575960208020758]
    assert whats(table) == ["1 time of Task Start Time(us) was rounded by a spreadsheet (first: 1.70E+15)"]


def test_semicolons_from_a_spreadsheet(make: Make) -> None:
    table = make("Op Name;Task Duration(us)\na;1.5\nb;2.5\n")
    assert values(table, "task_duration_us") == [1.5, 2.5]


def test_a_quote_that_is_never_closed_costs_one_row(make: Make) -> None:
    table = make(HEAD + row(1) + '2,"Conv,Conv2D,1.000,2,1;4,3\n' + row(3) + row(4))
    assert values(table, "task_id") == [1.0, 2.0, 3.0, 4.0]
    assert texts(table, "op_name") == ["Conv"] * 4
    assert "1 row opens a quote and never closes it" in whats(table)


def test_a_stray_quote_inside_a_cell_is_text(make: Make, small_blocks: None) -> None:
    table = make(HEAD + row(1, '5" disk') + "".join(row(i) for i in range(2, 40)))
    assert values(table, "task_id") == list(map(float, range(1, 40)))
    assert texts(table, "op_name")[0] == '5" disk'


def test_the_same_table_as_json(make: Make) -> None:
    rows = [
        {"Op Name": "a", "Task Start Time(us)": "1717575960208020.758\t", "Task Duration(us)": 1.10, "Block Dim": 8},
        {"Op Name": "b", "Task Start Time(us)": 1717575960208020.5, "Task Duration(us)": None, "Extra": "x,\ny"},
    ]
    text = json.dumps(rows).replace("1717575960208020.5", "1717575960208020.759")
    table = make(text, suffix=".json")
    assert texts(table, "op_name") == ["a", "b"]
    assert times(table) == [1717575960208020758, 1717575960208020759]
    assert values(table, "task_duration_us") == [1.1, None]
    assert values(table, "block_num") == [8.0, None]
    assert texts(table, "extra") == ["N/A", "x,\ny"]


@pytest.mark.parametrize("content", ["", "[", '{"status": 1}', "[1, 2]", "[]", "[" * 100_000])
def test_json_that_is_no_table(make: Make, content: str) -> None:
    table = make(content, suffix=".json")
    assert table.row_count == 0
    assert len(table.problems) == 1


def test_progress_and_what_is_there_so_far(tmp_path: Path, small_blocks: None) -> None:
    path = tmp_path / "op_summary.csv"
    path.write_text(HEAD + "".join(row(i) for i in range(100)))
    request = TableRequest("ops", (PartRequest(str(path), "", "op_summary"),))
    seen = []
    for progress in import_to_store(request, every_s=0.0):
        table = partial_table(progress) if not progress.done else finished_table(progress)
        assert table.row_count == progress.rows
        assert values(table, "task_id") == list(map(float, range(progress.rows)))
        assert texts(table, "op_name") == ["Conv"] * progress.rows
        seen.append((progress.rows, progress.bytes_read, progress.done))
    assert seen == sorted(seen)
    assert len(seen) > 10
    assert seen[-1] == (100, path.stat().st_size, True)


def test_stopping_keeps_the_rows_read_so_far(tmp_path: Path, small_blocks: None) -> None:
    path = tmp_path / "op_summary.csv"
    path.write_text(HEAD + "".join(row(i) for i in range(100)))
    running = import_to_store(TableRequest("ops", (PartRequest(str(path), "", "op_summary"),)), every_s=0.0)
    progress = next(running)
    running.close()
    table = finished_table(progress)
    assert 0 < table.row_count < 100
    assert values(table, "task_id") == list(map(float, range(table.row_count)))
    assert not table.complete
    assert whats(table) == ["reading was stopped"]
    assert open_table(TableRequest("ops", (PartRequest(str(path), "", "op_summary"),))).complete


def test_a_changed_file_is_read_again(make: Make, tmp_path: Path) -> None:
    assert make(HEAD + row(1)).row_count == 1
    assert make(HEAD + row(1) + row(2)).row_count == 2


def test_small_files_need_no_pandas(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "op_summary.csv"
    path.write_text(HEAD + row(1))
    code = (
        "import sys\nfrom tui.readers.tables import *\n"
        "table = open_table(TableRequest('ops', (PartRequest(sys.argv[1], '', 'op_summary'),)))\n"
        "sys.exit(table.row_count != 1 or 'pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, cwd=repository)


def test_words_of_problems_follow_the_style(make: Make) -> None:
    table = make(HEAD + row(1) + "2,Add,Add,1.000,2.5\n" + row(3, "a,b") + row(4, duration="x"))
    assert len(table.problems) == 3
    for problem in table.problems:
        assert isinstance(problem, Problem)
        assert problem.consequence
        assert not problem.what.endswith(".")

"""`compare A B` on the command line: what it prints, what it writes, how it ends."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tui.cli import run

HEADER = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Input Shapes"
ROW_KEYS = "op_name op_type match a_total_us b_total_us delta_us delta_pct a_count b_count band_us verdict".split()
CHANGE_KEYS = ["a_us", "b_us", "delta_us", "delta_pct", "band_us", "verdict"]

Call = tuple[str, str, float, float]
"""Name, type, start and duration in µs."""
STEP: list[Call] = [("Conv_0", "Conv2D", 0.0, 100.0), ("Add_1", "Add", 100.0, 20.0)]


@dataclass(frozen=True)
class Result:
    """How a command ended and what it said."""

    exit_code: int
    stdout: str
    stderr: str


def invoke(*arguments: str) -> Result:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as error:
        code = run(arguments)
    return Result(code, out.getvalue(), error.getvalue())


def profile(folder: Path, calls: Sequence[Call]) -> str:
    """A folder with one op_summary of these calls."""
    output = folder / "PROF_000001_20240605082600000_ABCDEFGHIJKLMNOP" / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    lines = [
        f'{name},{op_type},AI_CORE,{1_717_575_960_000_000 + start:.3f}\t,{duration:.3f},"""8,8"""'
        for name, op_type, start, duration in calls
    ]
    text = "\n".join((HEADER, *lines)) + "\n"
    (output / "op_summary_20240605083000.csv").write_text(text, encoding="utf-8")
    return str(folder)


def compared(a: str, b: str, *options: str) -> dict[str, Any]:
    result = invoke("compare", a, b, "--format", "json", *options)
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=pytest.fail)
    return found


@pytest.fixture
def baseline(tmp_path: Path) -> str:
    return profile(tmp_path / "a", STEP)


def test_json_is_one_object_with_stable_keys(baseline: str, tmp_path: Path) -> None:
    current = profile(tmp_path / "b", [("Conv_0", "Conv2D", 0.0, 60.0), ("Mul_1", "Mul", 60.0, 20.0)])
    found = compared(baseline, current)
    assert list(found) == ["end_to_end", "wall", "categories", "rows", "warnings"]
    assert list(found["end_to_end"]) == list(found["wall"]) == CHANGE_KEYS
    assert [list(row) for row in found["rows"]] == [ROW_KEYS] * 3
    assert [list(row) for row in found["categories"]] == [["category", *CHANGE_KEYS]]
    conv, *others = found["rows"]
    assert conv == {
        "op_name": "Conv_0", "op_type": "Conv2D", "match": "name", "a_total_us": 100.0, "b_total_us": 60.0,
        "delta_us": -40.0, "delta_pct": -40.0, "a_count": 1, "b_count": 1, "band_us": 3.0, "verdict": "faster",
    }  # fmt: skip
    assert {row["op_name"]: (row["verdict"], row["delta_us"], row["delta_pct"]) for row in others} == {
        "Add_1": ("gone", -20.0, -100.0), "Mul_1": ("new", 20.0, None),
    }  # fmt: skip
    assert found["warnings"] == []


def test_warnings_and_no_wall(baseline: str, tmp_path: Path) -> None:
    table = tmp_path / "op_summary_1.csv"
    table.write_text("Op Name,OP Type,Task Duration(us)\nConv_0,N/A,100.0\nAdd_1,N/A,20.0\n", encoding="utf-8")
    found = compared(baseline, str(table))
    assert found["wall"] is None
    assert found["end_to_end"]["verdict"] == "same"
    assert found["warnings"] == ["level of the collection: l1 against l0, so the times do not compare as they are"]


@pytest.mark.parametrize(
    ("gate", "code", "said"),
    [((), 0, ""), (("--gate", "60"), 0, ""), (("--gate", "5"), 1, "beyond 5 %: the operators take 50.0 % longer")],
)
def test_slower_operators(baseline: str, tmp_path: Path, gate: tuple[str, ...], code: int, said: str) -> None:
    current = profile(tmp_path / "b", [("Conv_0", "Conv2D", 0.0, 160.0), ("Add_1", "Add", 160.0, 20.0)])
    result = invoke("compare", baseline, current, *gate)
    assert result.exit_code == code
    assert said in result.stderr
    assert invoke("compare", current, baseline, *gate).exit_code == 0


def test_slower_within_noise_passes_any_gate(baseline: str, tmp_path: Path) -> None:
    current = profile(tmp_path / "b", [("Conv_0", "Conv2D", 0.0, 102.0), ("Add_1", "Add", 100.0, 20.0)])
    result = invoke("compare", baseline, current, "--gate", "1")
    assert result.exit_code == 0
    assert "120 -> 122 us, +2 us (+1.7 %), noise +-3.1 us: same, inside noise" in result.stdout


def test_a_run_that_waits_for_its_host_is_beyond_the_gate(baseline: str, tmp_path: Path) -> None:
    current = profile(tmp_path / "b", [("Conv_0", "Conv2D", 0.0, 100.0), ("Add_1", "Add", 580.0, 20.0)])
    result = invoke("compare", baseline, current, "--gate", "5")
    assert result.exit_code == 1
    assert "beyond 5 %: the run takes 400.0 % longer, its operators do not: look at the host" in result.stderr
    assert "the operators do not take longer, the run does: look at the host" in result.stdout
    assert invoke("compare", baseline, current).exit_code == 0


def test_what_cannot_be_compared_ends_with_2(baseline: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert invoke("compare", baseline, str(tmp_path / "empty")).exit_code == 2
    assert invoke("compare", baseline, str(tmp_path / "nowhere")).exit_code == 2
    assert invoke("compare", baseline).exit_code == 2
    assert invoke("compare", baseline, baseline, "--gate", "-1").exit_code == 2
    header_only = profile(tmp_path / "c", [])
    result = invoke("compare", baseline, header_only, "--gate", "5")
    assert result.exit_code == 2
    assert "incomparable" in result.stdout


def test_damaged_tables_are_compared_as_far_as_they_go(baseline: str, tmp_path: Path) -> None:
    damaged = profile(tmp_path / "b", STEP)
    (table,) = Path(damaged).rglob("op_summary*.csv")
    table.write_bytes(table.read_bytes() + b'\x00\xff\xfe,"\nConv_9,Conv2D,AI_C')
    result = invoke("compare", baseline, damaged, "--format", "json")
    assert result.exit_code == 0
    rows = {row["op_name"]: row["verdict"] for row in json.loads(result.stdout)["rows"]}
    assert (rows["Conv_0"], rows["Add_1"]) == ("same", "same")


def test_text_names_both_sides_and_says_faster(baseline: str, tmp_path: Path) -> None:
    current = profile(tmp_path / "b", [("Conv_0", "Conv2D", 0.0, 60.0), ("Add_1", "Add", 60.0, 20.0)])
    lines = invoke("compare", baseline, current, "--glyphs", "blocks").stdout.splitlines()
    assert lines[0].startswith("A, baseline: ")
    assert lines[0].endswith("a/PROF_000001_20240605082600000_ABCDEFGHIJKLMNOP")
    assert lines[2] == "end to end: 120 → 80 µs, −40 µs (−33.3 %), noise ±3.1 µs: faster, outside noise"
    assert lines[4] == "2 rows: 1 faster, 1 same"
    assert lines[-2].split() == "Conv_0 Conv2D 100 60 −40 −40.0 100 60 1 1 3.0 name faster".split()


def test_ascii_output_is_ascii(baseline: str, tmp_path: Path) -> None:
    current = profile(tmp_path / "b", [("Conv_0", "Conv2D", 0.0, 60.0)])
    result = invoke("compare", baseline, current, "--glyphs", "ascii")
    assert result.stdout.isascii()
    assert "120 -> 60 us, -60 us (-50.0 %)" in result.stdout


def test_escape_sequences_in_names_stay_text(tmp_path: Path) -> None:
    a = profile(tmp_path / "a", [("\x1b[31mConv\x07", "Conv2D", 0.0, 5.0)])
    for form in ("text", "md", "csv", "tsv", "json"):
        output = invoke("compare", a, a, "--format", form).stdout
        assert "\x1b" not in output
        assert "31mConv" in output


def test_csv_has_the_rows_and_tsv_the_same(baseline: str) -> None:
    text = invoke("compare", baseline, baseline, "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ROW_KEYS
    assert [row["verdict"] for row in rows] == ["same", "same"]
    tsv = invoke("compare", baseline, baseline, "--format", "tsv").stdout
    assert tsv.splitlines()[0].split("\t") == ROW_KEYS


def test_by_type_and_by_shape(baseline: str) -> None:
    by_type = compared(baseline, baseline, "--by", "type")["rows"]
    assert [(row["op_name"], row["op_type"], row["match"]) for row in by_type] == [
        ("", "Conv2D", "type"), ("", "Add", "type"),
    ]  # fmt: skip
    by_shape = compared(baseline, baseline, "--by", "shape")["rows"]
    assert [(row["op_type"], row["input_shapes"]) for row in by_shape] == [("Conv2D", "8,8"), ("Add", "8,8")]


def test_output_file_is_not_overwritten_unasked(baseline: str, tmp_path: Path) -> None:
    output = tmp_path / "found.md"
    assert invoke("compare", baseline, baseline, "--format", "md", "-o", str(output)).exit_code == 0
    assert "| Conv_0 | Conv2D |" in output.read_text(encoding="utf-8")
    assert invoke("compare", baseline, baseline, "-o", str(output)).exit_code == 2
    assert invoke("compare", baseline, baseline, "-o", str(output), "--force").exit_code == 0

"""`dump` and `tensor` on the command line: what they print, what they write, how they end."""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.dump_pairs import halves, write_golden, write_side
from tests.dump_writer import Part, write_dump
from tui.cli import run

VALUES = np.linspace(1, 9, 50, dtype=np.float32)
ADDED = np.linspace(70683, 109508, 90, dtype=np.float32).reshape(9, 10)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    """A network whose AddN overflows in float16."""
    for side in ("a", "b"):
        made = halves if side == "a" else np.asarray
        write_side(tmp_path / side, [
            ("Relu", "net/relu", {"output:0": made(VALUES)}),
            ("AddN", "net/add_n", {"input:0": made(VALUES), "output:0": made(ADDED)}),
        ])  # fmt: skip
    return str(tmp_path / "a"), str(tmp_path / "b")


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


def printed(*arguments: str) -> Any:
    return json.loads(invoke(*arguments, "--format", "json").stdout, parse_constant=pytest.fail)


def test_runs_that_differ_end_with_1_and_say_where(sides: tuple[str, str]) -> None:
    result = invoke("dump", *sides)
    assert result.exit_code == 1
    assert "first divergence: net/add_n output:0 (AddN), overflow, its inputs agree" in result.stdout
    assert "fp32 output 0 spans 70683…109508; fp16 holds at most 65504; 100 % of the elements saturate" in result.stdout
    assert "keep in float32: net/add_n" in result.stdout


def test_runs_that_agree_end_with_0(sides: tuple[str, str]) -> None:
    result = invoke("dump", sides[1], sides[1])
    assert result.exit_code == 0
    assert "3 tensors compared: 3 ok" in result.stdout
    assert "first divergence" not in result.stdout


def test_nothing_in_common_ends_with_2(sides: tuple[str, str], tmp_path: Path) -> None:
    other = write_golden(tmp_path / "other", {("elsewhere", 0): VALUES})
    result = invoke("dump", sides[0], str(other))
    assert result.exit_code == 2
    assert "no pair" in result.stdout


@pytest.mark.parametrize("missing", ["absent", "empty"])
def test_nothing_to_read_ends_with_2(
    sides: tuple[str, str], tmp_path: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert run(("dump", str(tmp_path / missing), str(tmp_path / missing))) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert missing in captured.err


def test_json_is_one_object_with_the_promised_keys(sides: tuple[str, str]) -> None:
    found = printed("dump", *sides)
    assert found["first_divergence"] == {
        "op_name": "net/add_n", "op_type": "AddN", "tensor": "output:0", "verdict": "overflow", "inputs": "clean",
    }  # fmt: skip
    added = found["rows"][2]
    assert (added["dtype_a"], added["dtype_b"], added["shape_a"]) == ("float16", "float32", [9, 10])
    assert (added["saturated_a"], added["beyond_fp16_b"], added["max_abs_b"]) == (90, 90, 109508)
    assert found["keep_float32"] == {"by_name": ["net/add_n"], "by_type": ["AddN"]}


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_rows_as_separated_values(sides: tuple[str, str], form: str, separator: str) -> None:
    heading, *rows = csv.reader(invoke("dump", *sides, "--format", form).stdout.splitlines(), delimiter=separator)
    found = [dict(zip(heading, cells)) for cells in rows]
    assert [each["verdict"] for each in found] == ["ok", "ok", "overflow"]
    assert found[2]["max_abs_b"] == "109508"


def test_markdown_has_one_row_per_tensor(sides: tuple[str, str]) -> None:
    lines = invoke("dump", *sides, "--format", "md").stdout.splitlines()
    assert sum(line.startswith("| net/") for line in lines) == 3
    assert lines[0].startswith("- 3 tensors compared")


def test_the_threshold_moves_the_verdict(tmp_path: Path) -> None:
    turned = np.array([1, 1, 1, 0.2], np.float32)
    a = write_golden(tmp_path / "a", {("x", 0): turned})
    b = write_golden(tmp_path / "b", {("x", 0): np.ones(4, np.float32)})
    cosine = 3.2 / (2 * np.sqrt(3.04))  # 0.918
    assert printed("dump", str(a), str(b))["rows"][0]["cosine"] == pytest.approx(cosine, rel=1e-7)
    assert invoke("dump", str(a), str(b)).exit_code == 1
    assert invoke("dump", str(a), str(b), "--threshold", "0.9").exit_code == 0
    assert invoke("dump", str(a), str(b), "--threshold", "2").exit_code == 2


def test_the_files_for_others_are_written_and_kept(sides: tuple[str, str], tmp_path: Path) -> None:
    table, keep = tmp_path / "result.csv", tmp_path / "keep.txt"
    arguments = ("dump", *sides, "--csv", str(table), "--keep-dtype", str(keep))
    result = invoke(*arguments)
    assert keep.read_text() == "net/add_n\n"
    assert table.read_text().startswith("Index,OpType,NPUDump,")
    assert f"--keep_dtype={keep}" in result.stderr
    keep.write_text("mine")
    refused = invoke(*arguments)
    assert refused.exit_code == 2
    assert keep.read_text() == "mine"
    assert invoke(*arguments, "--force").exit_code == 1
    assert keep.read_text() == "net/add_n\n"


def test_a_graph_and_a_quantisation_file_are_read(sides: tuple[str, str], tmp_path: Path) -> None:
    graph = tmp_path / "graph.json"
    ops = [{"name": "net/relu", "type": "Relu"}, {"name": "end", "type": "NetOutput", "input": ["net/relu:0"]}]
    graph.write_text(json.dumps({"graph": [{"op": ops}]}))
    for option in ("--graph", "--quant"):
        found = printed("dump", *sides, option, str(graph))
        assert [each["op_name"] for each in found["network_outputs"]] == ["net/relu"]
        result = invoke("dump", *sides, option, str(graph))
        assert result.exit_code == 0
        assert "outputs agree; inner differences need no action" in result.stdout


def test_raw_files_need_a_type(tmp_path: Path) -> None:
    for name in ("a.bin", "b.bin"):
        VALUES.tofile(tmp_path / name)
    files = (str(tmp_path / "a.bin"), str(tmp_path / "b.bin"))
    assert invoke("dump", *files).exit_code == 2
    assert invoke("dump", *files, "--dtype", "float32", "--shape", "5,10").exit_code == 0
    assert printed("dump", *files, "--dtype", "float32", "--shape", "5x10")["rows"][0]["shape_a"] == [5, 10]
    refused = invoke("dump", *files, "--dtype", "float32", "--shape", "5;10")
    assert refused.exit_code == 2


def test_an_existing_comparison_is_shown_and_judged(tmp_path: Path, sides: tuple[str, str]) -> None:
    table = tmp_path / "result_20260101000000.csv"
    invoke("dump", *sides, "--csv", str(table))
    result = invoke("dump", str(table))
    assert result.exit_code == 1
    assert "net_add_n" in result.stdout
    assert [each["verdict"] for each in printed("dump", str(table))["rows"]] == ["ok", "ok", "overflow"]
    assert printed("dump", str(table))["rows"][0]["nan_a"] is None
    assert printed("dump", str(table))["first_divergence"]["op_name"] == "net_add_n"


def test_a_file_that_is_no_comparison_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert run(("dump", str(tmp_path / "x.csv"))) == 2
    assert run(("dump", str(tmp_path / "absent.csv"))) == 2


def test_statistics_are_compared_by_what_they_hold(tmp_path: Path) -> None:
    for side, high in (("a", 65504.0), ("b", 109508.0)):
        entry = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4], "Min": 1.0, "Mean": 2.0, "Norm": 9.0}
        calls = {
            f"Torch.{name}.0.forward": {"output": [{**entry, "Max": top}]}
            for name, top in (("add", high), ("mul", 5.0))
        }
        (tmp_path / side).mkdir()
        (tmp_path / side / "dump.json").write_text(json.dumps({"task": "statistics", "data": calls}))
    found = printed("dump", str(tmp_path / "a"), str(tmp_path / "b" / "dump.json"))
    assert [(each["verdict"], each["cosine"]) for each in found["rows"]] == [("overflow", None), ("ok", None)]
    assert "109508" in found["rows"][0]["reason"]


def test_a_name_from_a_file_cannot_reach_the_terminal(tmp_path: Path) -> None:
    for side in ("a", "b"):
        name = tmp_path / side / "Add.x.1.3.1718260600000001"
        write_dump(name, "x\x1b[31m\n", outputs=[Part(VALUES, "float32")])
    result = invoke("dump", str(tmp_path / "a"), str(tmp_path / "b"))
    assert "\x1b" not in result.stdout
    assert "x\\x1b[31m\\n" in result.stdout


@pytest.fixture
def dumped(tmp_path: Path) -> str:
    """A device dump with one input and two outputs."""
    path = tmp_path / "AddN.add.1.3.1718260600000001"
    special = np.array([[np.nan, 65504], [-65504, 6e-8]], np.float16)
    write_dump(path, "net/add", [Part(VALUES, "float32")], [Part(ADDED, "float32"), Part(special, "float16")])
    return str(path)


def test_a_tensor_is_described(dumped: str) -> None:
    found = printed("tensor", dumped)
    assert [each["tensor"] for each in found["tensors"]] == ["input:0", "output:0", "output:1"]
    added, special = found["tensors"][1:]
    assert (added["min"], added["max"], added["shape"], added["beyond_fp16"]) == (70683, 109508, [9, 10], 90)
    assert (special["nan"], special["saturated"], special["subnormal"], special["zeros"]) == (1, 2, 1, 0)
    text = invoke("tensor", dumped, "--output", "0", "--stats").stdout
    assert "109508" in text
    assert "input:0" not in text


def test_a_tensor_is_converted_to_npy_and_text(dumped: str, tmp_path: Path) -> None:
    npy, txt = tmp_path / "x.npy", tmp_path / "x.txt"
    result = invoke("tensor", dumped, "--output", "0", "--npy", str(npy), "--txt", str(txt))
    assert (result.exit_code, result.stdout) == (0, "")
    assert np.array_equal(np.load(npy), ADDED)
    assert np.array_equal(np.loadtxt(txt, np.float32), ADDED.reshape(-1))
    assert invoke("tensor", dumped, "--output", "0", "--npy", str(npy)).exit_code == 2
    assert invoke("tensor", dumped, "--output", "1", "--npy", str(npy), "--force").exit_code == 0
    assert np.load(npy).dtype == np.float16


@pytest.mark.parametrize("more", [(), ("--output", "7")])
def test_one_tensor_has_to_be_chosen(dumped: str, tmp_path: Path, more: tuple[str, ...]) -> None:
    assert run(("tensor", dumped, "--npy", str(tmp_path / "x.npy"), *more)) == 2
    assert not (tmp_path / "x.npy").exists()


def test_an_empty_tensor_and_a_scalar_become_npy(tmp_path: Path) -> None:
    for name, values in (("empty", np.zeros((0, 3), np.float32)), ("scalar", np.array(2.5, np.float32))):
        np.save(tmp_path / f"{name}.npy", values)
        assert (
            invoke("tensor", str(tmp_path / f"{name}.npy"), "--npy", str(tmp_path / "out.npy"), "--force").exit_code
            == 0
        )
        assert np.array_equal(np.load(tmp_path / "out.npy"), values)


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x93NUMPY\x01\x00\xff\xff{"])
def test_a_file_that_is_no_tensor_ends_with_2(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.npy").write_bytes(content)
    assert run(("tensor", str(tmp_path / "x.npy"))) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_the_pickled_file_is_refused(shared_data: Path) -> None:
    assert run(("tensor", str(shared_data / "dump_npy_pickled_weights" / "det1.npy"))) == 2


def test_a_truncated_tensor_is_a_row_without_numbers(tmp_path: Path) -> None:
    path = tmp_path / "Add.x.1.3.1718260600000001"
    write_dump(path, "x", [Part(VALUES, "float32")], [Part(ADDED, "float32")], cut_bytes=10)
    found = printed("tensor", str(path))["tensors"]
    assert (found[0]["max"], found[0]["problem"]) == (9, None)
    assert found[1]["max"] is None
    assert found[1]["problem"]


def test_the_real_comparison_table_is_shown(shared_data: Path) -> None:
    """Eight rows, all of them reached the accuracy wanted."""
    table = next((shared_data / "compare_result_ptdbg_2023").glob("*.csv"))
    found = printed("dump", str(table))
    assert [each["verdict"] for each in found["rows"]] == ["ok"] * 8

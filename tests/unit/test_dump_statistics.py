"""Dumps of statistics: msprobe's `dump.json` and the CSV files of the device."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tui.dump.statistics import StatisticsDump, read_statistics

TENSOR = {
    "type": "torch.Tensor",
    "dtype": "torch.float32",
    "shape": [2, 3],
    "Max": 1.5,
    "Min": -2,
    "Mean": 0.25,
    "Norm": 4,
}


def read_json(tmp_path: Path, calls: Any) -> StatisticsDump:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"task": "statistics", "framework": "pytorch", "data": calls}))
    return read_statistics(path)


def test_a_call_with_tensors_at_every_place(tmp_path: Path) -> None:
    call = {
        "input_args": [TENSOR, None, [TENSOR, {"type": "int", "value": 2}], [[TENSOR]]],
        "input_kwargs": {
            "weight": {**TENSOR, "md5": "9d2b3a11", "data_name": "w.npy"},
            "flag": {"type": "bool", "value": 1},
        },
        "output": [TENSOR],
        "parameters": {"bias": TENSOR},
    }
    dump = read_json(tmp_path, {"Functional.conv2d.0.forward": call, "Tensor.item.0.forward": {"input_args": []}})
    assert (dump.operators, dump.task, dump.framework, dump.problems) == (2, "statistics", "pytorch", ())
    found = {tensor.tensor: tensor for tensor in dump.tensors}
    assert list(found) == ["input:0", "input:2.0", "input:3.0.0", "input:weight", "output:0", "parameters:bias"]
    first = found["input:0"]
    assert (first.op_name, first.op_type, first.dtype) == ("Functional.conv2d.0.forward", "conv2d", "float32")
    assert (first.shape, first.min, first.max, first.mean, first.norm) == ((2, 3), -2.0, 1.5, 0.25, 4.0)
    assert (found["input:weight"].checksum, found["input:weight"].data_file) == ("9d2b3a11", "w.npy")


def test_gradients_of_parameters_go_by_the_parameters_name(tmp_path: Path) -> None:
    (tensor,) = read_json(tmp_path, {"Module.fc.Linear.parameters_grad.0": {"weight": [TENSOR]}}).tensors
    assert (tensor.op_type, tensor.tensor) == ("Linear", "parameters_grad:weight")


def test_bare_nan_and_infinity_and_missing_numbers(tmp_path: Path) -> None:
    odd = {**TENSOR, "Max": math.inf, "Min": math.nan, "Mean": None, "Norm": "N/A"}
    huge = {**TENSOR, "Max": 10**400, "Min": True}
    first, second = read_json(tmp_path, {"a": {"output": [odd, huge]}}).tensors
    assert first.max == math.inf
    assert all(math.isnan(value) for value in (first.min, first.mean, first.norm, second.max))
    assert second.min == 1.0


@pytest.mark.parametrize(
    "calls",
    [{"a": 5}, {"a": {"input_args": 7, "output": "x"}}, {"a": {"output": [{"dtype": 1, "shape": "x"}]}}, {"a": None}],
)
def test_odd_entries_are_passed_over(tmp_path: Path, calls: Any) -> None:
    dump = read_json(tmp_path, calls)
    assert dump.operators == 1
    assert dump.problems == ()


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"data": []}', "[" * 100_000, '{"data": {"a": ' * 3, "\x00\x01"]
)
def test_damaged_json_is_one_problem(tmp_path: Path, text: str) -> None:
    path = tmp_path / "dump.json"
    path.write_text(text)
    dump = read_statistics(path)
    assert dump.tensors == ()
    assert len(dump.problems) == 1


def test_lists_in_lists_without_end_are_cut_off(tmp_path: Path) -> None:
    nested: Any = TENSOR
    for _level in range(200):
        nested = [nested]
    assert read_json(tmp_path, {"a": {"output": nested}}).tensors == ()


HEADING = (
    "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min Value,Avg Value,Count,Nan Count,"
    "Negative Inf Count,Positive Inf Count"
)


def test_a_statistics_file_of_one_operator(tmp_path: Path) -> None:
    path = tmp_path / "Conv2D.conv1.5.3.1718260600000700.csv"
    path.write_text(
        f"{HEADING}\nInput,0,384,DT_FLOAT16,NCHW,1x3x8x8,2.5,-1,0.125,192,1,2,3\nOutput,0,4,DT_INT32,ND,-,NA,,0,1,NA,,\n"
    )
    dump = read_statistics(path)
    assert (dump.operators, dump.problems) == (1, ())
    first, second = dump.tensors
    assert (first.op_type, first.op_name, first.tensor, first.dtype) == ("Conv2D", "conv1", "input:0", "float16")
    assert (first.shape, first.max, first.min, first.mean) == ((1, 3, 8, 8), 2.5, -1.0, 0.125)
    assert (first.nan, first.inf) == (1, 5)
    assert (second.tensor, second.dtype, second.shape, second.nan, second.inf) == ("output:0", "int32", (), None, None)
    assert math.isnan(second.max)


def test_a_statistics_file_of_many_operators(tmp_path: Path) -> None:
    path = tmp_path / "statistic.csv"
    path.write_text(
        "Op Type,Op Name,Task ID,Stream ID,Timestamp,Input/Output,Slot,Data Size,Data Type,Format,Shape,Max Value,"
        "Min Value,Avg Value,L2Norm Value,MD5 Value\n"
        "Add,a/b,1,0,1718260600000700,output,1,8,bfloat16,ND,2,1,0,0.5,1.5,abc\n"
        "Mul,c,2,0,1718260600000701,input,0,8,float32,ND,2,1,0,0.5,1.5,\n"
    )
    dump = read_statistics(path)
    assert [(tensor.order, tensor.op_name, tensor.op_type, tensor.tensor) for tensor in dump.tensors] == [
        (0, "a/b", "Add", "output:1"),
        (1, "c", "Mul", "input:0"),
    ]
    assert (dump.tensors[0].norm, dump.tensors[0].checksum) == (1.5, "abc")


@pytest.mark.parametrize("data", [b"", b"a,b\n1,2\n", b"\x00\xff" * 50, HEADING.encode()])
def test_other_csv_files(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    dump = read_statistics(path)
    assert dump.tensors == ()
    assert dump.problems or data == HEADING.encode()


def test_a_missing_file(tmp_path: Path) -> None:
    assert "cannot be read" in read_statistics(tmp_path / "dump.json").problems[0].what
    assert "cannot be read" in read_statistics(tmp_path / "x.csv").problems[0].what

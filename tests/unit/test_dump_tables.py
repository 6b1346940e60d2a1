"""Existing comparison tables: three generations of CANN's comparer, msprobe, and damage."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.dump.table_msprobe import api_tensor, api_type
from tui.dump.tables import ComparisonTable, read_comparison

NOW = (
    "Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,Address,TensorIndex,Shape,CosineSimilarity,"
    "MaxAbsoluteError,AccumulatedRelativeError,RelativeEuclideanDistance,KullbackLeiblerDivergence,StandardDeviation,"
    "MeanAbsoluteError,RootMeanSquareError,MaxRelativeError,MeanRelativeError,CompareFailReason"
)
ROWS = """\
0,Add,demo_add,float32,20068234690560,demo_add,float32,20068234690560,demo_add:input:0,[4],1.000000,0.000000,0.000000,\
0.000000,0.000000,"(2.500;1.118),(2.500;1.118)",0.000000,0.000000,0.000000,0.000000,
0,Add,demo_add,float32,20068243079168,demo_add,float32,20068243079168,demo_add:output:0,[4],0.996616,0.500000,0.282102,\
0.094916,0.012561,"(2.500;1.118),(2.650;1.141)",0.200000,0.273861,0.200000,0.070525,
1,Mul,demo_mul,float16,20068243079168,demo_mul,float32,20068243079168,demo_mul:output:0,"[3,3]",0.990466,44004.000000,\
2.325451,0.303421,1.748332,"(65504.000;0.000),(90095.500;12530.715)",24591.500000,27600.011719,0.401834,0.258383,
2,NaN,trans_Cast_1,NaN,NaN,*,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,"no golden file, at all"
3,Relu,demo_relu,float32,20068243079168,demo_relu,float32,20068243079168,demo_relu:output:0,[4],NaN,4.000000,4.000000,\
1.000000,3.668468,"(0.000;0.000),(2.500;1.118)",2.500000,2.738613,1.000000,1.000000,"all zero, with the full file path"
4,NaN,demo_sub,NaN,NaN,demo_sub,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,"shape (2, 2) vs (4)"
5,NaN,*,NaN,NaN,demo_exp,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,NaN,no mine file
"""
"""The toy pair of the format's description."""


def read(tmp_path: Path, text: str, name: str = "result_20240613143640.csv") -> ComparisonTable:
    path = tmp_path / name
    path.write_text(text)
    return read_comparison(path)


def test_the_toy_pair_row_by_row(tmp_path: Path) -> None:
    table = read(tmp_path, f"{NOW}\n{ROWS}")
    assert (table.kind, table.problems) == ("msaccucmp", ())
    assert [row.order for row in table.rows] == [0, 0, 1, 2, 3, 4, 5]
    assert [row.op_name for row in table.rows][2:] == ["demo_mul", "trans_Cast_1", "demo_relu", "demo_sub", "demo_exp"]
    assert [row.verdict for row in table.rows] == ["ok", "ok", "ok", "no_pair", "ok", "shape", "no_pair"]
    assert [row.tensor for row in table.rows][:3] == ["input:0", "output:0", "output:0"]
    assert table.rows[2].op_type == "Mul"
    assert table.rows[3].op_type == ""
    assert table.rows[3].detail == "no golden file, at all"


def test_both_data_types_and_all_metrics(tmp_path: Path) -> None:
    row = read(tmp_path, f"{NOW}\n{ROWS}").rows[2]
    assert row.a is not None
    assert row.b is not None
    assert (row.a.dtype, row.b.dtype, row.a.shape, row.a.count) == ("float16", "float32", (3, 3), 9)
    metrics = row.metrics
    assert metrics is not None
    assert (metrics.cosine, metrics.max_abs_error, metrics.kl_divergence) == (0.990466, 44004.0, 1.748332)
    assert (metrics.mean_a, metrics.standard_deviation_a) == (65504.0, 0.0)
    assert (metrics.mean_b, metrics.standard_deviation_b) == (90095.5, 12530.715)
    assert (metrics.mean_abs_error, metrics.rmse) == (24591.5, 27600.011719)
    assert (metrics.max_relative_error, metrics.mean_relative_error) == (0.401834, 0.258383)
    assert (metrics.accumulated_relative_error, metrics.relative_euclidean_distance) == (2.325451, 0.303421)


def test_not_computed_and_computed_from_nan_differ(tmp_path: Path) -> None:
    table = read(tmp_path, f"{NOW}\n{ROWS}")
    zero = table.rows[4].metrics
    assert zero is not None
    assert zero.cosine is None
    assert table.rows[3].metrics is None
    nan = read(tmp_path, f"{NOW}\n" + ROWS.split("\n", maxsplit=1)[0].replace("1.000000", "nan")).rows[0].metrics
    assert nan is not None
    assert nan.cosine is not None
    assert math.isnan(nan.cosine)


def test_overflow_column_and_the_row_that_is_one_cell_short(tmp_path: Path) -> None:
    heading = NOW.replace("Shape,", "Shape,OverFlow,")
    rows = ROWS.split("\n")
    whole = rows[2].replace('"[3,3]",', '"[3,3]",YES,')
    table = read(tmp_path, "\n".join((heading, whole, rows[5])))
    assert [row.verdict for row in table.rows] == ["overflow", "shape"]
    assert table.rows[0].metrics is not None
    assert table.rows[0].metrics.cosine == 0.990466
    assert table.rows[1].detail == "shape (2, 2) vs (4)"
    assert table.rows[1].metrics is None


def test_a_cut_last_row_takes_no_number_for_a_reason(tmp_path: Path) -> None:
    table = read(tmp_path, f"{NOW}\n" + ROWS[:270])
    assert table.rows[-1].metrics is None
    assert table.rows[-1].detail == ""


def test_the_old_heading_and_one_without_addresses(tmp_path: Path) -> None:
    old = (
        "Index,LeftOp,RightOp,TensorIndex,CosineSimilarity,MaxAbsoluteError,AccumulatedRelativeError,"
        "RelativeEuclideanDistance,KullbackLeiblerDivergence,StandardDeviation,CompareFailReason\n"
        'a0,conv1,Conv_1,conv1:output:0,0.9,0.5,0.1,0.2,0.3,"(1;2),(3;4)",\n'
    )
    (row,) = read(tmp_path, old).rows
    assert (row.op_name, row.golden_name, row.tensor, row.cosine) == ("conv1", "Conv_1", "output:0", 0.9)
    assert row.metrics is not None
    assert math.isnan(row.metrics.rmse)
    middle = (
        "Index,NPUDump,DataType,GroundTruth,DataType,TensorIndex,Shape,CosineSimilarity,CompareFailReason\n"
        '0,conv1,float16,conv1 relu1,float32,conv1:output:0,"[1,2]",0.5,\n'
    )
    (row,) = read(tmp_path, middle).rows
    assert row.a is not None
    assert row.b is not None
    assert (row.a.dtype, row.b.dtype, row.golden_name) == ("float16", "float32", "conv1 relu1")


def test_a_tensor_of_one_element_shows_no_cosine(tmp_path: Path) -> None:
    (row,) = read(tmp_path, f"{NOW}\n" + ROWS.split("\n", maxsplit=1)[0].replace("[4]", "[1]")).rows
    assert row.one_element
    assert row.cosine is None


def test_the_list_of_compared_files(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "Index,OpType,NPUDump,GroundTruth,TensorIndex,NPUDumpPath,GroundTruthPath\n0,Add,a,b,a:output:0,/x/a,/y/b\n",
    )
    assert table.kind == "mapping"
    (row,) = table.rows
    assert (row.op_name, row.golden_name, row.path_a, row.path_b) == ("a", "b", "/x/a", "/y/b")


API = (
    "NPU Name,Bench Name,NPU Dtype,Bench Dtype,NPU Tensor Shape,Bench Tensor Shape,"
    "NPU Requires_grad,Bench Requires_grad,"
)
VALUES = "Cosine,EucDist,MaxAbsErr,MaxRelativeErr,One Thousandth Err Ratio,Five Thousandths Err Ratio,"
STATISTICS = "NPU max,NPU min,NPU mean,NPU l2norm,Bench max,Bench min,Bench mean,Bench l2norm,"


def test_msprobe_values(tmp_path: Path) -> None:
    text = f"{API}{VALUES}{STATISTICS}Requires_grad Consistent,Result,Err_message\n"
    first = (
        'Functional.conv2d.0.forward.input.1,Functional.conv2d.0.forward.input.1,torch.bfloat16,torch.float32,"[2, 3]"'
    )
    text += f'{first},"[2, 3]",True,True,0.5,1.5,0.25,0.125,0.9,0.95,3,-4,0.5,9,3.5,-4.5,0.25,8,True,error,too far\n'
    text += "Module.layer1.Conv2d.forward.0.output.0,N/A,torch.float32,N/A,[],N/A,N/A,N/A" + ",N/A" * 14 + ",N/A,N/A,\n"
    table = read(tmp_path, text, "compare_result_1.csv")
    assert table.kind == "msprobe"
    row, lonely = table.rows
    assert (row.op_name, row.op_type, row.tensor) == ("Functional.conv2d.0.forward", "conv2d", "input:1")
    assert (row.verdict, row.detail) == ("bad", "too far")
    assert row.a is not None
    assert (row.a.dtype, row.a.shape, row.a.max, row.a.min, row.a.max_abs) == ("bfloat16", (2, 3), 3.0, -4.0, 4.0)
    metrics = row.metrics
    assert metrics is not None
    assert (metrics.cosine, metrics.max_abs_error, metrics.max_relative_error) == (0.5, 0.25, 0.125)
    assert (metrics.norm_a, metrics.norm_b) == (9.0, 8.0)
    assert (lonely.verdict, lonely.b, lonely.metrics, lonely.op_type) == ("no_pair", None, None, "Conv2d")


@pytest.mark.parametrize(
    ("result", "verdict"),
    [("pass", "ok"), ("warning", "drift"), ("error", "bad"), ("Yes", "ok"), ("No", "bad"), ("Unmatched", "shape")],
)
def test_msprobe_statistics_keep_the_verdict_of_the_table(tmp_path: Path, result: str, verdict: str) -> None:
    text = f"{API}Max diff,Min diff,Mean diff,L2norm diff,{STATISTICS}Result,Err_message\n"
    text += f"Tensor.add.0.forward.output.0,Tensor.add.0.forward.output.0,,,[],[],,,0,0,0,0,1,1,1,1,1,1,1,1,{result},\n"
    (row,) = read(tmp_path, text).rows
    assert (row.verdict, row.metrics) == (verdict, None)


@pytest.mark.parametrize(
    ("name", "operator", "tensor"),
    [
        ("Functional.conv2d.0.forward.input.1", "Functional.conv2d.0.forward", "input:1"),
        ("Functional_linear_0_forward_input.0", "Functional_linear_0_forward", "input:0"),
        ("Functional_linear_0_forward_output", "Functional_linear_0_forward", "output:0"),
        ("Module.input_layer.Linear.forward.0.output.0", "Module.input_layer.Linear.forward.0", "output:0"),
        ("Tensor.cat.0.forward.input.0.1", "Tensor.cat.0.forward", "input:0.1"),
        ("Module.fc.Linear.forward.0.parameters.weight", "Module.fc.Linear.forward.0", "parameters:weight"),
        ("odd", "odd", ""),
    ],
)
def test_names_of_api_tensors(name: str, operator: str, tensor: str) -> None:
    assert api_tensor(name) == (operator, tensor)


def test_types_of_apis() -> None:
    assert api_type("Module.layer1.0.Conv2d.forward.3") == "Conv2d"
    assert api_type("Primitive.norm.RmsNorm.0.forward") == "RmsNorm"
    assert api_type("x") == ""


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no known comparison"),
        (b"Op Name,Task Duration(us)\na,1\n", "no known comparison"),
        (b"\x00\xff\xfe" * 100, "no known comparison"),
        (NOW.encode(), "no rows"),
    ],
)
def test_what_is_no_comparison(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    table = read_comparison(path)
    assert table.rows == ()
    assert said in table.problems[0].what


def test_workbooks_missing_files_and_endless_cells(tmp_path: Path) -> None:
    assert "Excel" in read_comparison(tmp_path / "compare_result_1.xlsx").problems[0].what
    assert "cannot be read" in read_comparison(tmp_path / "missing.csv").problems[0].what
    table = read(tmp_path, f'{NOW}\n{ROWS}9,"' + "x" * (3 << 20))
    assert len(table.rows) == 7
    assert "cannot be read" in table.problems[0].what


@given(st.lists(st.text(max_size=12), max_size=30))
def test_any_row_is_a_row(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    for heading in (NOW, f"{API}{VALUES}{STATISTICS}Result"):
        path.write_text(heading + "\n" + ",".join(cells) + "\n", encoding="utf-8", errors="replace")
        read_comparison(path)

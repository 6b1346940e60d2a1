"""Files made of a comparison: the comparer's CSV, precision files of ATC, the table and the JSON of the rows."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.dump_pairs import NO_ERROR, row, stats
from tui.dump.csv_export import result_csv
from tui.dump.divergence import conclude
from tui.dump.pair_table import comparison_object, pair_table, row_object
from tui.dump.precision_export import (
    PRECISION_KINDS,
    KeptOp,
    PrecisionKind,
    atc_line,
    kept_ops,
    precision_file,
)
from tui.model.dump import CompareRequest, DumpComparison, PairRow
from tui.model.text import json_document

NOW = (
    "Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,Address,TensorIndex,Shape,CosineSimilarity,"
    "MaxAbsoluteError,AccumulatedRelativeError,RelativeEuclideanDistance,KullbackLeiblerDivergence,StandardDeviation,"
    "MeanAbsoluteError,RootMeanSquareError,MaxRelativeError,MeanRelativeError,CompareFailReason"
)
"""Heading of the comparer as of 2026."""


def comparison(*rows: PairRow) -> DumpComparison:
    return conclude(rows, CompareRequest("a", "b"))


def lines(found: DumpComparison, overflow: bool = True) -> list[dict[str, str]]:
    heading, *cells = csv.reader(io.StringIO("".join(result_csv(found, overflow))))
    names = [f"{name}.1" if name in heading[:place] else name for place, name in enumerate(heading)]
    assert all(len(line) == len(heading) for line in cells)
    return [dict(zip(names, line)) for line in cells]


def test_the_heading_is_the_comparers() -> None:
    assert next(result_csv(comparison(), overflow=False)) == NOW + "\n"
    assert next(result_csv(comparison())) == NOW.replace("Shape,Cos", "Shape,OverFlow,Cos") + "\n"


def test_a_compared_row_has_the_comparers_cells() -> None:
    compared = row(3, op_name="net/add", a=stats(max_abs=65504, address=4096), b=stats("float32"))
    (line,) = lines(comparison(compared))
    assert {name: line[name] for name in list(line)[:12]} == {
        "Index": "3", "OpType": "Add", "NPUDump": "net_add", "DataType": "float16", "Address": "4096",
        "GroundTruth": "net_add", "DataType.1": "float32", "Address.1": "NaN", "TensorIndex": "net_add:output:0",
        "Shape": "[4]", "OverFlow": "YES", "CosineSimilarity": "1.000000",
    }  # fmt: skip
    assert line["StandardDeviation"] == "(1.000;1.000),(1.000;1.000)"
    assert line["CompareFailReason"] == ""


def test_what_was_not_compared_has_a_reason_and_no_numbers() -> None:
    nobody = {"metrics": None, "a": None, "b": None}
    found = lines(comparison(
        row(0, "", "no_pair", cause="only_a", **nobody), row(1, "", "no_pair", cause="only_b", **nobody),
        row(2, verdict="shape", cause="shape", metrics=None),
    ))  # fmt: skip
    assert [(line["NPUDump"], line["GroundTruth"]) for line in found] == [("op0", "*"), ("*", "op1"), ("op2", "op2")]
    assert {line["CosineSimilarity"] for line in found} == {line["OpType"] for line in found} == {"NaN"}
    assert all(line["CompareFailReason"] for line in found)


def test_a_fused_operator_names_all_that_it_stands_for() -> None:
    (line,) = lines(comparison(row(0, originals=("conv", "relu"), golden_name="relu")))
    assert (line["NPUDump"], line["GroundTruth"]) == ("op0", "conv relu")


def test_booleans_against_a_golden_file_have_a_cosine_only() -> None:
    (line,) = lines(comparison(row(0, a=stats("bool"), b=replace(stats("bool"), format=""))))
    assert (line["CosineSimilarity"], line["MaxAbsoluteError"], line["StandardDeviation"]) == ("1.000000", "NaN", "NaN")


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless() -> None:
    (line,) = lines(comparison(row(0, op_name="=1+1", op_type="\x1b[31m")))
    assert (line["NPUDump"], line["OpType"]) == ("'=1+1", "\\x1b[31m")


ADDED = KeptOp("block1/add_n", "AddN", 2, 1)


@pytest.mark.parametrize(
    ("kind", "by_type", "expected"),
    [
        ("keep_dtype", False, "block1/add_n\n"),
        ("keep_dtype", True, "OpType::AddN\n"),
        ("customize_dtypes", False, "block1/add_n::InputDtype:float32,float32,OutputDtype:float32\n"),
        ("customize_dtypes", True, "OpType::AddN:InputDtype:float32,float32,OutputDtype:float32\n"),
        ("op_precision", False, "[ByNodeName]\nblock1/add_n=enable_float_32_execution\n"),
        ("op_precision", True, "[ByOpType]\nAddN=enable_float_32_execution\n"),
    ],
)
def test_precision_files(kind: PrecisionKind, by_type: bool, expected: str) -> None:
    assert precision_file(kind, [ADDED], by_type).text == expected


def test_the_list_of_mixed_precision_knows_types_only() -> None:
    found = precision_file("modify_mixlist", [ADDED, KeptOp("other", "AddN"), KeptOp("untyped")])
    assert json.loads(found.text) == {"black-list": {"to-add": ["AddN"]}}
    assert found.notes


def test_types_need_the_number_of_inputs() -> None:
    found = precision_file("customize_dtypes", [KeptOp("x", "Mul", None, 1), ADDED])
    assert found.text.count("\n") == 1
    assert "x is left out" in found.notes[0]


@pytest.mark.parametrize("kind", PRECISION_KINDS)
def test_a_name_cannot_smuggle_a_line_in(kind: PrecisionKind) -> None:
    found = precision_file(kind, [KeptOp("evil\nOpType::MatMul", "Add\nMul", 1, 1)])
    assert "MatMul" not in found.text
    assert "Mul" not in found.text
    assert found.notes


def test_the_command_names_the_file_and_quotes_it() -> None:
    assert atc_line("keep_dtype", "keep.txt").endswith("--precision_mode=force_fp16 --keep_dtype=keep.txt")
    assert "--keep_dtype='my files/keep.txt'" in atc_line("keep_dtype", "my files/keep.txt")
    assert "--precision_mode=allow_mix_precision --modify_mixlist=" in atc_line("modify_mixlist", "mix.json")


def test_what_is_kept_is_what_the_comparison_says_or_what_was_chosen() -> None:
    beyond = stats("float32", max_abs=1e5, beyond_fp16=1)
    found = comparison(
        row(0), row(1, "input:0", op_type="AddN"), row(1, "input:1", op_type="AddN"),
        row(1, verdict="overflow", b=beyond, op_type="AddN"),
    )  # fmt: skip
    assert kept_ops(found) == (KeptOp("op1", "AddN", 2, 1),)
    assert kept_ops(found, ["op0", "absent"]) == (KeptOp("op0", "Add", None, 1), KeptOp("absent", "", None, None))


def test_the_table_has_a_column_for_each_key_of_the_json() -> None:
    found = comparison(row(0), row(1, "", "no_pair", cause="only_a", metrics=None, a=None, b=None))
    table = pair_table(found)
    assert set(row_object(found.rows[0])) - {"inherited"} <= set(table.keys)
    assert table.row_count == 2
    cosine, verdicts = table.number("cosine"), table.text("verdict")
    assert cosine is not None
    assert verdicts is not None
    assert cosine[0] == 1.0
    assert np.isnan(cosine[1])
    assert verdicts.texts(slice(None)) == ["ok", "no_pair"]


def test_json_has_the_promised_keys_and_no_bare_nan() -> None:
    metrics = replace(NO_ERROR, cosine=math.nan, rmse=math.inf)
    found = comparison(row(0, metrics=metrics, verdict="overflow", b=stats("float32", beyond_fp16=1)))
    data = json.loads(json_document(comparison_object(found)), parse_constant=pytest.fail)
    assert set(data) >= {"first_divergence", "network_outputs", "rows", "keep_float32"}
    assert set(data["rows"][0]) >= set(
        "op_name op_type tensor dtype_a dtype_b shape_a shape_b cosine cosine_finite max_abs_error"
        " accumulated_relative_error relative_euclidean_distance kl_divergence standard_deviation_a"
        " standard_deviation_b mean_abs_error rmse max_relative_error mean_relative_error nan_a nan_b inf_a inf_b"
        " saturated_a saturated_b beyond_fp16_b max_abs_b verdict reason".split()
    )
    assert (data["rows"][0]["cosine"], data["rows"][0]["rmse"]) == (None, None)
    assert data["keep_float32"] == {"by_name": ["op0"], "by_type": ["Add"]}
    assert data["first_divergence"]["op_name"] == "op0"


def test_one_element_has_no_cosine_in_the_json() -> None:
    assert row_object(row(0, a=stats(count=1), b=stats(count=1)))["cosine"] is None

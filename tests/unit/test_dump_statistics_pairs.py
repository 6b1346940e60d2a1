"""Dumps of statistics side by side: pairing, verdicts by hand, the real pair of two frameworks."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tui.dump.statistics_pairs import compare_statistics
from tui.model.dump import CompareProgress, CompareRequest, PairRow

HEADING = "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min Value,Avg Value,Count\n"


def entry(**values: Any) -> dict[str, Any]:
    return {"type": "t", "dtype": "torch.float16", "shape": [4], "Max": 3, "Min": -4, "Mean": 0, "Norm": 5, **values}


def written(folder: Path, calls: dict[str, Any]) -> Path:
    place = folder / "step0" / "rank0"
    place.mkdir(parents=True)
    (place / "dump.json").write_text(json.dumps({"task": "statistics", "data": calls}))
    return folder


def compared(path_a: Path, path_b: Path) -> CompareProgress:
    found = compare_statistics(CompareRequest(str(path_a), str(path_b)))
    assert found is not None
    assert found.done
    return found


def rows_of(path_a: Path, path_b: Path) -> tuple[PairRow, ...]:
    return compared(path_a, path_b).rows


def one(tmp_path: Path, mine: dict[str, Any], golden: dict[str, Any]) -> tuple[str, str]:
    a = written(tmp_path / "a", {"Tensor.add.0.forward": {"output": [mine]}})
    b = written(tmp_path / "b", {"Tensor.add.0.forward": {"output": [golden]}})
    (row,) = rows_of(a, b)
    assert row.metrics is None or row.cosine is None
    return row.verdict, row.detail


@pytest.mark.parametrize(
    ("mine", "golden", "verdict", "said"),
    [
        ({}, {}, "ok", ""),
        ({"Norm": 5.1}, {}, "drift", "norm differs by 2 %"),
        ({"Norm": 6}, {}, "bad", "norm differs by 20 %"),
        ({"Max": 3.5}, {}, "bad", "max differs by 12.5 %"),  # of the largest golden magnitude, 4
        ({"Norm": 1}, {"Norm": 0}, "bad", "norm differs by inf %"),
        ({"Norm": 0}, {"Norm": 0}, "ok", ""),
        ({"Norm": None, "Min": -2}, {}, "bad", "min differs by 50 %"),
        ({"shape": [2, 2]}, {}, "shape", ""),
        ({"shape": [0], "Max": None}, {"shape": [0]}, "ok", "no elements"),
        ({"Max": math.inf}, {}, "overflow", "the extremes are -4, inf"),
        ({"Max": math.nan, "Min": math.nan, "Norm": math.nan}, {}, "overflow", "the golden side goes up to 4"),
        ({"Max": 65504.0}, {"Max": 109508.0}, "overflow", "-4, 65504; the golden side goes up to 109508"),
        ({"Max": 65504.0}, {"Max": 65504.0}, "ok", ""),
        ({"Max": math.inf}, {"Max": math.inf}, "ok", ""),
        ({"Max": None, "Min": None, "Norm": None}, {}, "unreadable", "no numbers"),
        ({"Max": None, "Min": None}, {}, "ok", ""),  # the norms are there
        ({"md5": "1f", "Norm": 99}, {"md5": "1f"}, "ok", "checksums are equal"),
    ],
)
def test_verdicts(tmp_path: Path, mine: dict[str, Any], golden: dict[str, Any], verdict: str, said: str) -> None:
    found = one(tmp_path, entry(**mine), entry(**golden))
    assert found[0] == verdict
    assert said in found[1]


def test_calls_of_two_frameworks_pair_by_what_is_called(tmp_path: Path) -> None:
    a = written(
        tmp_path / "a", {"Mint.cos.0.forward": {"output": [entry()]}, "Mint.sin.0.forward": {"output": [entry()]}}
    )
    b = written(
        tmp_path / "b", {"Torch.tan.0.forward": {"output": [entry()]}, "Torch.cos.0.forward": {"output": [entry()]}}
    )
    rows = rows_of(a, b)
    assert [(row.op_name, row.golden_name, row.verdict, row.cause) for row in rows] == [
        ("Mint.cos.0.forward", "Torch.cos.0.forward", "ok", "statistics"),
        ("Mint.sin.0.forward", "", "no_pair", "only_a_tensor"),
        ("Torch.tan.0.forward", "", "no_pair", "only_b_tensor"),
    ]
    assert [row.order for row in rows] == [0, 1, 2]


def test_statistics_of_the_device(tmp_path: Path) -> None:
    for side, peak in (("a", 65504), ("b", 109508)):
        (tmp_path / side).mkdir()
        for index, name in enumerate(("conv", "add")):
            path = tmp_path / side / f"Op.{name}.1.0.{1718260600000700 - index}.csv"
            path.write_text(f"{HEADING}Output,0,8,DT_FLOAT16,ND,4,{peak if name == 'add' else 3},-4,0,4\n")
    rows = rows_of(tmp_path / "a", tmp_path / "b")
    assert [(row.op_name, row.tensor, row.verdict) for row in rows] == [
        ("add", "output:0", "overflow"),
        ("conv", "output:0", "ok"),
    ]


def test_dumps_of_values_are_no_statistics(tmp_path: Path) -> None:
    (tmp_path / "values").mkdir()
    for name in ("Add.a.1.0.1718260600000700", "Add.a.1.0.1718260600000700.csv"):
        (tmp_path / "values" / name).touch()
    whole = written(tmp_path / "a", {"Tensor.add.0.forward": {"output": [entry()]}})
    for other in (tmp_path / "values", tmp_path / "missing", tmp_path / "values" / "Add.a.1.0.1718260600000700"):
        assert compare_statistics(CompareRequest(str(whole), str(other))) is None


def test_values_beside_the_statistics_are_compared_instead(tmp_path: Path) -> None:
    whole = written(tmp_path / "a", {"Tensor.add.0.forward": {"output": [entry()]}})
    values = whole / "step0" / "rank0" / "dump_tensor_data"
    values.mkdir()
    (values / "Tensor.add.0.forward.output.0.npy").touch()
    assert compare_statistics(CompareRequest(str(whole), str(whole))) is None


def test_single_files(tmp_path: Path) -> None:
    table = tmp_path / "statistic.csv"
    table.write_text(f"{HEADING}Output,0,8,DT_FLOAT16,ND,4,3,-4,0,4\n")
    assert [row.verdict for row in rows_of(table, table)] == ["ok"]


def test_damaged_sides_are_problems(tmp_path: Path) -> None:
    a = written(tmp_path / "a", {"Tensor.add.0.forward": {"output": [entry()]}})
    (tmp_path / "dump.json").write_text("{")
    found = compared(a, tmp_path / "dump.json")
    assert [row.verdict for row in found.rows] == ["no_pair"]
    assert len(found.problems) == 1


def test_the_real_pair_of_two_frameworks(shared_data: Path) -> None:
    folder = shared_data / "api_dump_ms_vs_pt"
    found = compared(folder / "mindspore_data", folder / "pytorch_data")
    assert found.problems == ()
    pairs = {(row.op_name, row.golden_name or row.op_name) for row in found.rows if row.verdict != "no_pair"}
    assert ("Tensor.__add__.0.forward", "Tensor.__add__.0.forward") in pairs
    assert ("Mint.cos.0.forward", "Torch.cos.0.forward") in pairs
    assert {row.verdict for row in rows_of(folder / "pytorch_data", folder / "pytorch_data")} == {"ok"}


def test_the_real_statistics_agree_with_themselves(shared_data: Path) -> None:
    folder = shared_data / "api_dump_statistics_gpu"
    rows = rows_of(folder, folder / "step0" / "proc2016")
    assert len(rows) == 2071
    assert {row.verdict for row in rows} == {"ok"}

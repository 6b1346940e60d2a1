"""The real dump sets: files, shapes, types and numbers as an independent script computed them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tui.dump.folder import list_dumps
from tui.dump.opening import open_dump
from tui.dump.statistics import read_statistics
from tui.dump.tables import read_comparison


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    return found


def test_the_pair_of_directories(shared_data: Path) -> None:
    folder = shared_data / "derived_dump_dirs_autoencoder"
    for name, facts in expected(folder)["files"].items():
        dump = open_dump(folder / name)
        (tensor,) = dump.tensors
        values = tensor.array()
        assert dump.problems == ()
        assert [*tensor.info.shape] == facts["shape"]
        assert tensor.info.dtype == facts["dtype"]
        assert float(values.min()) == float(facts["min"])
        assert float(values.max()) == float(facts["max"])
        assert float(values.astype(np.float64).mean()) == pytest.approx(float(facts["mean"]), rel=1e-12)
        assert int((np.abs(values.astype(np.float64)) >= 65504).sum()) == facts["at_or_over_65504"]
    entries = list_dumps(folder / "npu_fp16").entries
    assert [(entry.op_type, entry.op_name) for entry in entries] == [
        ("Sigmoid", "decoder_out"),
        ("AddN", "decoder_scaled"),
    ]
    leaves = list_dumps(folder).leaves
    assert [leaf.parts for leaf in leaves] == [("golden_fp32",), ("npu_fp16",)]


def test_the_pair_of_raw_files(shared_data: Path) -> None:
    folder = shared_data / "dump_raw_bin_autoencoder"
    for name, facts in expected(folder)["files"].items():
        dump = open_dump(folder / name, dtype="float32", shape=(100, 784))
        values = dump.tensors[0].array()
        wanted = facts["as_float32"]
        assert (dump.problems, values.shape, values.size) == ((), (100, 784), wanted["count"])
        assert (float(values.min()), float(values.max())) == (float(wanted["min"]), float(wanted["max"]))
        assert float(values.astype(np.float64).mean()) == pytest.approx(float(wanted["mean"]), rel=1e-12)
        assert "--dtype" in open_dump(folder / name).problems[0].hint


def test_the_pickled_array_is_refused(shared_data: Path) -> None:
    folder = shared_data / "dump_npy_pickled_weights"
    assert expected(folder)["files"]["det1.npy"]["needs_pickle"]
    dump = open_dump(folder / "det1.npy")
    assert dump.tensors == ()
    assert "pickle" in dump.problems[0].what


@pytest.mark.parametrize(
    "name",
    ["api_dump_ms_vs_pt/mindspore_data", "api_dump_ms_vs_pt/pytorch_data", "api_dump_statistics_gpu/step0/proc2016"],
)
def test_api_dumps(shared_data: Path, name: str) -> None:
    data_set, _slash, inner = name.partition("/")
    facts = expected(shared_data / data_set)["files"][f"{inner}/dump.json"]
    path = shared_data / name / "dump.json"
    dump = read_statistics(path)
    assert (dump.operators, dump.problems, dump.task) == (facts["dump_entries"], (), "statistics")
    calls = json.loads(path.read_text())["data"]
    assert len(dump.tensors) == json.dumps(calls).count('"shape"')
    assert {tensor.op_name for tensor in dump.tensors} <= set(calls)


def test_the_first_tensor_of_an_api_dump(shared_data: Path) -> None:
    first = read_statistics(shared_data / "api_dump_statistics_gpu/step0/proc2016/dump.json").tensors[0]
    assert (first.op_name, first.tensor, first.shape) == ("Functional.conv2d.0.forward", "input:0", (32, 3, 224, 224))
    assert (first.max, first.min, first.mean, first.norm) == (1.0, 0.0, 0.4993983507156372, 1267.74462890625)


def test_the_table_of_2023(shared_data: Path) -> None:
    folder = shared_data / "compare_result_ptdbg_2023"
    ((name, facts),) = expected(folder)["files"].items()
    table = read_comparison(folder / name)
    assert (table.kind, len(table.rows), table.problems) == ("msprobe", facts["rows"], ())
    assert all(row.verdict == "ok" and row.cosine == 1.0 for row in table.rows)
    assert table.rows[0].a is not None
    assert table.rows[0].a.max == 1.948258399963379
    assert [row.tensor for row in table.rows[:4]] == ["input:0", "input:1", "input:2", "output:0"]


@pytest.mark.parametrize(
    "name", ["msopprof_visualize_bin/visualize_data.bin", "derived_edge_cases", "ge_fusion_result/fusion_result.json"]
)
def test_files_of_other_kinds_are_one_problem(shared_data: Path, name: str) -> None:
    dump = open_dump(shared_data / name)
    assert dump.tensors == ()
    assert len(dump.problems) == 1

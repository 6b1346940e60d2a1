"""Which operator meets which: two device dumps, golden files, fused models, quantised models, order, leftovers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.dump_pairs import halves, write_golden, write_side
from tests.dump_writer import Part, write_dump
from tui.dump.graph import Place, read_graph
from tui.dump.results import compare_now
from tui.model.dump import CompareRequest, DumpComparison, PairRow

VALUES = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


def compared(a: Path, b: Path, **options: Any) -> DumpComparison:
    return compare_now(CompareRequest(str(a), str(b), **options), cap_bytes=0)


def brief(rows: tuple[PairRow, ...]) -> list[tuple[str, str, str]]:
    return [(each.op_name, each.tensor, each.verdict) for each in rows]


def op(name: str, type_: str = "Relu", inputs: list[str] | None = None, **attributes: Any) -> dict[str, Any]:
    """An operator of the graph json; `originals` and `origins` become its attributes."""
    found: dict[str, Any] = {"name": name, "type": type_, "input": inputs or [], "attr": [], "output_desc": []}
    if "originals" in attributes:
        value = {"list": {"val_type": 1, "s": attributes["originals"]}}
        found["attr"].append({"key": "_datadump_original_op_names", "value": value})
    if "group" in attributes:
        found["attr"].append({"key": "_L1_fusion_sub_graph_no", "value": {"s": attributes["group"]}})
    for origin, index in attributes.get("origins", ()):
        pairs = [("_datadump_origin_name", {"s": origin}), ("_datadump_origin_output_index", {"i": index})]
        found["output_desc"].append({"attr": [{"key": key, "value": value} for key, value in pairs]})
    return found


def write_graph(path: Path, *ops: Mapping[str, Any]) -> str:
    path.write_text(json.dumps({"name": "net", "graph": [{"name": "g", "op": list(ops)}]}))
    return str(path)


def test_operators_meet_by_name_in_execution_order_and_leftovers_are_last(tmp_path: Path) -> None:
    a = write_side(tmp_path / "a", [
        ("Add", "net/add", {"input:0": VALUES, "output:0": halves(VALUES)}),
        ("Cast", "trans_Cast_1", {"output:0": VALUES}),
        ("Mul", "net/only_a", {"output:0": VALUES}),
        ("Relu", "net/relu", {"output:0": halves(VALUES)}),
    ])  # fmt: skip
    b = write_side(tmp_path / "b", [
        ("Relu", "net/relu", {"output:0": VALUES}),
        ("Exp", "net/only_b", {"output:0": VALUES}),
        ("Add", "net/add", {"input:0": VALUES, "output:0": VALUES}),
    ])  # fmt: skip
    found = compared(a, b)
    assert brief(found.rows) == [
        ("net/add", "input:0", "ok"), ("net/add", "output:0", "ok"), ("net/relu", "output:0", "ok"),
        ("trans_Cast_1", "", "no_pair"), ("net_only_a", "", "no_pair"), ("net_only_b", "", "no_pair"),
    ]  # fmt: skip
    assert [each.cause for each in found.rows[3:]] == ["inserted", "only_a", "only_b"]


def test_the_latest_of_several_runs_is_compared(tmp_path: Path) -> None:
    write_dump(tmp_path / "a" / "Add.x.1.3.1718260600000001", "x", outputs=[Part(VALUES * 9, "float32")])
    write_dump(tmp_path / "a" / "Add.x.1.3.1718260600000002", "x", outputs=[Part(VALUES, "float32")])
    write_dump(tmp_path / "b" / "Add.x.1.3.1718260600000001", "x", outputs=[Part(VALUES, "float32")])
    (only,) = compared(tmp_path / "a", tmp_path / "b").rows
    assert (only.verdict, only.runs, only.metrics and only.metrics.max_abs_error) == ("ok", 2, 0.0)


def test_operators_whose_cleaned_names_collide_are_told_apart(tmp_path: Path) -> None:
    for side in ("a", "b"):
        write_dump(tmp_path / side / "Add.a_b.1.3.1718260600000001", "a/b", outputs=[Part(VALUES, "float32")])
        write_dump(tmp_path / side / "Add.a_b.2.3.1718260600000002", "a_b", outputs=[Part(-VALUES, "float32")])
    found = compared(tmp_path / "a", tmp_path / "b")
    assert brief(found.rows) == [("a/b", "output:0", "ok"), ("a_b", "output:0", "ok")]
    assert any("a/b, a_b" in problem.what for problem in found.problems)


def test_hashed_names_come_from_the_mapping_or_the_header(tmp_path: Path) -> None:
    write_side(tmp_path / "b", [("Add", "net/add", {"output:0": VALUES}), ("Mul", "net/mul", {"output:0": VALUES})])
    write_dump(tmp_path / "a" / "1234567890123456789", "net/add", outputs=[Part(VALUES, "float32")])
    write_dump(tmp_path / "a" / "9876543210987654321", "net/mul", outputs=[Part(VALUES, "float32")])
    (tmp_path / "a" / "mapping.csv").write_text("1234567890123456789,Add.net_add.1.3.1718260600000001\n")
    assert brief(compared(tmp_path / "a", tmp_path / "b").rows) == [
        ("net/add", "output:0", "ok"), ("net/mul", "output:0", "ok"),
    ]  # fmt: skip


def test_golden_files_have_outputs_only_and_inputs_make_no_rows(tmp_path: Path) -> None:
    a = write_side(tmp_path / "a", [("Add", "net/add", {"input:0": VALUES, "output:0": VALUES, "output:1": VALUES})])
    b = write_golden(tmp_path / "b", {("net/add", 0): VALUES, ("net/add", 1): -VALUES})
    assert brief(compared(a, b).rows) == [("net/add", "output:0", "ok"), ("net/add", "output:1", "bad")]


def test_a_tensor_that_only_one_side_has_is_told(tmp_path: Path) -> None:
    a = write_side(tmp_path / "a", [("Add", "add", {"output:0": VALUES, "output:1": VALUES})])
    b = write_side(tmp_path / "b", [("Add", "add", {"output:0": VALUES, "output:2": VALUES})])
    found = compared(a, b)
    assert brief(found.rows) == [("add", "output:0", "ok"), ("add", "output:1", "ok")]
    b = write_side(tmp_path / "c", [("Add", "add", {"output:0": VALUES})])
    assert [(each.tensor, each.cause) for each in compared(a, b).rows] == [
        ("output:0", ""),
        ("output:1", "only_a_tensor"),
    ]


@pytest.mark.parametrize(
    ("mine", "golden", "verdict"),
    [((1, 3, 4), (3, 4), "ok"), ((12,), (3, 4), "ok"), ((3, 4), (4, 3), "shape"), ((3, 4), (3, 5), "shape")],
)
def test_shapes_of_golden_files(tmp_path: Path, mine: tuple[int, ...], golden: tuple[int, ...], verdict: str) -> None:
    a = write_golden(tmp_path / "a", {("x", 0): np.arange(1, 13, dtype=np.float32).reshape(mine)})
    b = write_golden(tmp_path / "b", {("x", 0): np.arange(1, np.prod(golden) + 1, dtype=np.float32).reshape(golden)})
    assert [each.verdict for each in compared(a, b).rows] == [verdict]


def test_channels_elsewhere_and_padding_that_nobody_told_are_fitted(tmp_path: Path) -> None:
    image = np.arange(48, dtype=np.float32).reshape(1, 3, 4, 4)
    a = write_side(tmp_path / "a", [("Conv2D", "c", {"output:0": image}), ("Pad", "p", {"output:0": VALUES})])
    b = write_golden(tmp_path / "b", {("c", 0): image.transpose(0, 2, 3, 1), ("p", 0): VALUES[:2, :3]})
    assert [each.verdict for each in compared(a, b).rows] == ["ok", "ok"]


def test_two_dumps_of_the_device_do_not_fit_by_their_number_of_elements(tmp_path: Path) -> None:
    a = write_side(tmp_path / "a", [("Sub", "s", {"output:0": VALUES[:2, :2]})])
    b = write_side(tmp_path / "b", [("Sub", "s", {"output:0": VALUES[0]})])
    assert [each.verdict for each in compared(a, b).rows] == ["shape"]


@pytest.fixture
def fused(tmp_path: Path) -> tuple[Path, Path, str]:
    """Conv and relu fused into one operator, a cast behind it, then the network's output."""
    a = write_side(tmp_path / "a", [
        ("Conv2D", "conv_relu", {"input:0": VALUES, "output:0": halves(VALUES)}),
        ("Cast", "trans_Cast_1", {"output:0": VALUES}),
        ("Softmax", "soft", {"input:0": VALUES, "output:0": VALUES}),
    ])  # fmt: skip
    b = write_golden(tmp_path / "b", {
        ("data", 0): VALUES, ("conv", 0): -VALUES, ("relu", 0): VALUES, ("soft", 0): VALUES,
    })  # fmt: skip
    graph = write_graph(
        tmp_path / "graph.json",
        op("data", "Data"),
        op("conv_relu", "Conv2D", ["data:0", "weights:0", "control:-1"], originals=["conv", "relu"],
           origins=[("relu", 0)]),
        op("trans_Cast_1", "Cast", ["conv_relu:0"], originals=[]),
        op("soft", "Softmax", ["trans_Cast_1:0"], originals=["soft"]),
        op("end", "NetOutput", ["soft:0"], originals=[]),
    )  # fmt: skip
    return a, b, graph


def test_a_fused_operator_meets_the_original_that_its_output_is(fused: tuple[Path, Path, str]) -> None:
    a, b, graph = fused
    rows = compared(a, b, graph=graph).rows
    assert brief(rows) == [
        ("conv_relu", "input:0", "ok"), ("conv_relu", "output:0", "ok"), ("soft", "input:0", "ok"),
        ("soft", "output:0", "ok"), ("trans_Cast_1", "", "no_pair"), ("conv", "", "no_pair"),
    ]  # fmt: skip
    by_name = {(each.op_name, each.tensor): each for each in rows}
    assert by_name["conv_relu", "output:0"].golden_name == "relu"
    assert by_name["conv_relu", "output:0"].originals == ("conv", "relu")
    assert by_name["soft", "input:0"].golden_name == "relu"  # behind the cast
    assert by_name["conv_relu", "input:0"].network_input
    assert by_name["soft", "output:0"].network_output
    assert (by_name["trans_Cast_1", ""].cause, by_name["conv", ""].cause) == ("inserted", "fused")


def test_the_networks_outputs_decide_with_a_graph(fused: tuple[Path, Path, str]) -> None:
    a, b, graph = fused
    write_golden(b, {("relu", 0): -VALUES})
    found = compared(a, b, graph=graph)
    assert found.first_divergence is not None
    assert found.first_divergence.inputs == "clean"
    assert found.agrees
    assert not compared(a, b).agrees


def test_producers_of_the_graph_tell_what_is_inherited(fused: tuple[Path, Path, str]) -> None:
    a, b, graph = fused
    write_golden(b, {("relu", 0): -VALUES, ("soft", 0): -VALUES})
    rows = {(each.op_name, each.tensor): each for each in compared(a, b, graph=graph).rows}
    assert (rows["conv_relu", "output:0"].inherited, rows["soft", "output:0"].inherited) == (False, True)


def test_two_models_of_different_fusion_meet_with_both_graphs(tmp_path: Path) -> None:
    a = write_side(tmp_path / "a", [("Conv2D", "conv_relu", {"output:0": halves(VALUES)})])
    b = write_side(tmp_path / "b", [("Conv2D", "conv", {"output:0": -VALUES}), ("Relu", "act", {"output:0": VALUES})])
    graph = write_graph(tmp_path / "a.json", op("conv_relu", originals=["conv", "relu"], origins=[("relu", 0)]))
    golden = write_graph(tmp_path / "b.json", op("conv", originals=["conv"]), op("act", originals=["relu"]))
    rows = compared(a, b, graph=graph, graph_b=golden).rows
    assert brief(rows)[0] == ("conv_relu", "output:0", "ok")
    assert len(compared(a, b).rows) == 3  # by their names nothing meets


def test_only_the_edges_of_a_split_operator_are_compared(tmp_path: Path) -> None:
    a = write_side(tmp_path / "a", [
        ("Conv2D", "part_1", {"input:0": VALUES, "output:0": -VALUES}),
        ("Conv2D", "part_2", {"input:0": -VALUES, "output:0": VALUES}),
    ])  # fmt: skip
    b = write_golden(tmp_path / "b", {("data", 0): VALUES, ("whole", 0): VALUES})
    graph = write_graph(
        tmp_path / "graph.json", op("data", "Data"),
        op("part_1", "Conv2D", ["data:0"], originals=["whole"]),
        op("part_2", "Conv2D", ["part_1:0"], originals=["whole"]),
    )  # fmt: skip
    rows = compared(a, b, graph=graph).rows
    assert [(each.op_name, each.tensor, each.verdict, each.cause) for each in rows] == [
        ("part_1", "input:0", "ok", ""), ("part_1", "output:0", "no_pair", "inner"), ("part_2", "output:0", "ok", ""),
    ]  # fmt: skip


def test_between_quantisation_and_dequantisation_nothing_is_compared(tmp_path: Path) -> None:
    whole = np.arange(12, dtype=np.int8).reshape(3, 4)
    a = write_side(tmp_path / "a", [
        ("AscendQuant", "conv_quant_layer", {"input:0": halves(VALUES), "output:0": whole}),
        ("Conv2D", "conv", {"input:0": whole, "output:0": whole.astype(np.int32)}),
        ("Relu", "relu", {"output:0": halves(VALUES)}),
    ])  # fmt: skip
    b = write_side(tmp_path / "b", [
        ("AscendQuant", "conv_quant_layer", {"input:0": VALUES, "output:0": VALUES}),
        ("Conv2D", "conv", {"input:0": VALUES, "output:0": VALUES}),
        ("Relu", "relu", {"output:0": VALUES}),
    ])  # fmt: skip
    found = compared(a, b)
    assert [each.cause for each in found.rows] == ["", "quantised", "quantised", "quantised", ""]
    assert found.agrees


def test_the_quantisation_file_of_amct_serves_as_the_graph(fused: tuple[Path, Path, str]) -> None:
    a, b, graph = fused
    assert brief(compared(a, b, quant=graph).rows)[:2] == [
        ("conv_relu", "input:0", "ok"), ("conv_relu", "output:0", "ok"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"graph": 3}',
        '{"graph": [{"op": {"name": 1}}, 7]}',
        "[" * 100_000,
        '{"graph": [{"op": [{}]}]}',
    ],
)
def test_a_file_without_a_graph_is_one_problem(tmp_path: Path, content: str) -> None:
    path = tmp_path / "graph.json"
    path.write_text(content)
    graph, problems = read_graph(path)
    assert graph is None
    assert len(problems) == 1


def test_odd_operators_of_a_graph_do_no_harm(tmp_path: Path) -> None:
    odd = {"name": "x", "type": 5, "input": ["", ":0", "y", "y:z", 7], "attr": [3, {"key": 1}], "output_desc": "no"}
    loop = op("loop", "Cast", ["loop:0"], originals=[])
    graph, problems = read_graph(Path(write_graph(tmp_path / "graph.json", odd, loop)))
    assert graph is not None
    assert not problems
    found = graph.get("x")
    assert found is not None
    assert found.inputs == (None, None, None, None, None)
    assert graph.golden_input(found, 0) is None
    cast = graph.get("loop")
    assert cast is not None
    assert graph.producer(cast, 0) == Place("loop", 0)


def test_a_missing_graph_costs_a_problem_not_the_comparison(tmp_path: Path) -> None:
    a = write_golden(tmp_path / "a", {("x", 0): VALUES})
    found = compared(a, a, graph=str(tmp_path / "absent.json"))
    assert brief(found.rows) == [("x", "output:0", "ok")]
    assert any("absent.json" in problem.path for problem in found.problems)


def test_sides_meet_by_device_and_iteration(tmp_path: Path) -> None:
    for side, factor in (("a", 1), ("b", 1)):
        for iteration in (0, 1):
            folder = (
                tmp_path / side / f"2024061306{'00' if side == 'a' else '11'}00" / "0" / "net" / "1" / str(iteration)
            )
            write_side(folder, [("Add", "x", {"output:0": VALUES * (factor + iteration)})])
    found = compared(tmp_path / "a", tmp_path / "b")
    assert [each.metrics and each.metrics.max_abs_error for each in found.rows] == [0.0]


def test_slices_of_a_sliced_operator_meet_slices(tmp_path: Path) -> None:
    for side in ("a", "b"):
        for thread in (0, 1):
            name = f"Conv2D.conv.1.3.171826060000000{thread}.0.4.{thread}.0"
            write_dump(tmp_path / side / name, "conv", outputs=[Part(VALUES * (thread + 1), "float32")])
    rows = compared(tmp_path / "a", tmp_path / "b").rows
    assert [each.metrics and each.metrics.max_abs_error for each in rows] == [0.0, 0.0]


def test_the_graph_gives_the_order_where_files_tell_no_time(tmp_path: Path) -> None:
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        for name in ("early", "late", "middle"):
            np.save(tmp_path / side / f"{name}.0.npy", VALUES)
    ops = [op(name, inputs=[]) for name in ("early", "middle", "late")]
    graph = write_graph(tmp_path / "graph.json", *ops)
    found = compared(tmp_path / "a", tmp_path / "b", graph=graph)
    assert [each.op_name for each in found.rows] == ["early", "middle", "late"]


@pytest.mark.parametrize("count", [0, 1])
def test_an_operator_with_an_empty_file_is_told(tmp_path: Path, count: int) -> None:
    a = write_side(tmp_path / "a", [("Add", "x", {"output:0": VALUES})])
    b = write_side(tmp_path / "b", [("Add", "x", {"output:0": VALUES})])
    damaged = next((a, b)[count].iterdir())
    damaged.write_bytes(b"")
    (only,) = compared(a, b).rows
    assert (only.op_name, only.verdict) == ("x", "unreadable")
    assert "empty" in only.detail

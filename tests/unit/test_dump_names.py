"""The grammar of file names, every producer's; mapping files; folders of dumps in execution order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.dump.folder import DumpEntry, leaf_like, list_dumps
from tui.dump.names import cleaned, parse_name, read_mapping

TIME = 1718260600000700


@pytest.mark.parametrize(
    ("name", "op_type", "op_name", "task", "stream", "time"),
    [
        (f"Add.demo_add.5.3.{TIME}", "Add", "demo_add", 5, 3, TIME),
        (f"Add.demo_add.5.{TIME}", "Add", "demo_add", 5, None, TIME),
        (f"Add.demo_add.5.3.{TIME}.0.1.2.3", "Add", "demo_add", 5, 3, TIME),
        (f"Conv2D.12.5.3.{TIME}", "Conv2D", "12", 5, 3, TIME),
        (f"Conv2D.12.5.{TIME}", "Conv2D", "12", 5, None, TIME),
        ("Add.demo_add.5.3.17182606", "Add", "demo_add", 5, 3, None),  # a time must have 16 digits
        (f"Add.demo_add.5.3.{TIME}.pb", "Add", "demo_add", 5, 3, TIME),
        (f"Add.demo_add.5.3.{TIME}.quant", "Add", "demo_add", 5, 3, TIME),
        (f"Add.conv_lxslice3.5.3.{TIME}", "Add", "conv_lxslice3", 5, 3, TIME),
    ],
)
def test_dumps_of_the_device(
    name: str, op_type: str, op_name: str, task: int, stream: int | None, time: int | None
) -> None:
    found = parse_name(name)
    assert found is not None
    assert (found.kind, found.op_type, found.op_name) == ("npu", op_type, op_name)
    assert (found.task_id, found.stream_id, found.timestamp_us, found.tensor) == (task, stream, time, "")


def test_a_sub_task_tells_its_thread() -> None:
    found = parse_name(f"Add.demo_add.5.3.{TIME}.0.1.2.3")
    assert found is not None
    assert found.thread_id == 2


def test_overflow_and_exception_files() -> None:
    overflow = parse_name(f"Opdebug.Node_OpDebug.7.2.{TIME}")
    assert overflow is not None
    assert (overflow.kind, overflow.task_id, overflow.stream_id) == ("overflow", 7, 2)
    for name in (f"exception_info.2.7.{TIME}", f"kernel_x.2.7.0.11.{TIME}", f"kernel_x.2.7.aic.11.{TIME}"):
        found = parse_name(name)
        assert found is not None
        assert (found.kind, found.stream_id, found.task_id) == ("exception", 2, 7)  # stream before task


@pytest.mark.parametrize(
    ("name", "kind", "op_name", "tensor", "dtype", "shape", "layout"),
    [
        (f"Add.a.5.3.{TIME}.output.0.npy", "npy", "a", "output:0", "", None, ""),
        (f"Add.a.5.3.{TIME}.input.11.npy", "npy", "a", "input:11", "", None, ""),
        (f"Add.a.5.3.{TIME}.output.0.1x3x224x224.npy", "npy", "a", "output:0", "", (1, 3, 224, 224), ""),
        (f"Add.a.5.3.{TIME}.output.0.NCHW.npy", "npy", "a", "output:0", "", None, "NCHW"),
        (f"Add.a.5.3.{TIME}.output.0.FRACTAL_NZ.float16.npy", "npy", "a", "output:0", "float16", None, "FRACTAL_NZ"),
        (f"Add.a.5.3.{TIME}.input.1.2_3.float16.ND.bin", "raw", "a", "input:1", "float16", (2, 3), "ND"),
        ("Functional.conv2d.0.forward.input.0.npy", "npy", "Functional.conv2d.0.forward", "input:0", "", None, ""),
        (f"conv1.0.{TIME}.npy", "golden_npy", "conv1", "output:0", "", None, ""),
        (f"net.conv1.2.{TIME}.npy", "golden_npy", "net.conv1", "output:2", "", None, ""),
        ("conv1.1.npy", "golden_npy", "conv1", "output:1", "", None, ""),
        ("anything at all.npy", "golden_npy", "anything at all", "output:0", "", None, ""),
        ("hh_output0.bin", "raw", "hh", "output:0", "", None, ""),
        ("net_output_3.bin", "raw", "net", "output:3", "", None, ""),
        ("outtensor1.bin", "raw", "outtensor1", "output:1", "", None, ""),
        ("intensor0.bin", "raw", "intensor0", "input:0", "", None, ""),
        ("image.bin", "raw", "image", "output:0", "", None, ""),
    ],
)
def test_files_of_one_tensor(
    name: str, kind: str, op_name: str, tensor: str, dtype: str, shape: tuple[int, ...] | None, layout: str
) -> None:
    found = parse_name(name)
    assert found is not None
    assert (found.kind, found.op_name, found.tensor) == (kind, op_name, tensor)
    assert (found.dtype, found.shape, found.format) == (dtype, shape, layout)


@pytest.mark.parametrize(
    "name",
    [
        *("mapping.csv", "model.om", "host.log", "ge_proto_1_Build.txt", "graph.json", "stack.json", ".hidden"),
        *("README.md", "a.pt", "", "Add", "a.b.c", "result_20240101000000.csv"),
    ],
)
def test_what_is_no_dump(name: str) -> None:
    assert parse_name(name) is None


def test_statistics_are_told_from_dumps() -> None:
    found = parse_name(f"Add.a.5.3.{TIME}.csv")
    assert found is not None
    assert (found.kind, found.op_name) == ("stats", "a")


@given(st.text(max_size=60))
def test_any_name_is_parsed_or_none(name: str) -> None:
    parse_name(name)
    for ending in (".npy", ".bin", ".csv", f".5.3.{TIME}"):
        parse_name(name + ending)


def test_cleaned_names_collide() -> None:
    assert cleaned("a/b.c d\\e") == "a_b_c_d_e"
    assert cleaned("a/b") == cleaned("a_b")


def test_mapping_files(tmp_path: Path) -> None:
    path = tmp_path / "mapping.csv"
    path.write_bytes(b'123,Add.long.5.3.1718260600000700\n\n456\n7,"a,b"\n\xff\xfe,x\n8\0,y')
    names, problems = read_mapping(path)
    assert problems == ()
    assert names == {"123": "Add.long.5.3.1718260600000700", "7": "a,b", "\ufffd\ufffd": "x", "8": "y"}
    assert read_mapping(tmp_path / "missing.csv")[1][0].what.startswith("cannot be read")


def touch(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()


def names_of(entries: tuple[DumpEntry, ...]) -> list[str]:
    return [entry.op_name for entry in entries]


def test_execution_order_is_time_then_task(tmp_path: Path) -> None:
    touch(tmp_path, f"A.late.1.0.{TIME + 5}", f"B.second.9.0.{TIME}", f"C.first.3.0.{TIME}", "D.timeless.1.0.7")
    found = list_dumps(tmp_path)
    assert names_of(found.entries) == ["first", "second", "late", "timeless"]
    assert [entry.order for entry in found.entries] == [0, 1, 2, 3]
    assert found.problems == ()


def test_hashed_names_are_looked_up(tmp_path: Path) -> None:
    touch(tmp_path, "9876543210123456789", "1234567890123456789", f"Add.a.1.0.{TIME}")
    (tmp_path / "mapping.csv").write_text(f"9876543210123456789,MatMul.very_long.2.0.{TIME + 1}\n")
    entries = list_dumps(tmp_path).entries
    assert [(entry.op_type, entry.op_name) for entry in entries] == [
        ("Add", "a"),
        ("MatMul", "very_long"),
        ("", "1234567890123456789"),
    ]
    assert entries[1].path.name == "9876543210123456789"


def test_a_mapping_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    touch(tmp_path, "11111")
    (tmp_path / "mapping.csv").write_text(f"11111,../../etc/Add.a.1.0.{TIME}\n22222,/etc/passwd\n")
    (entry,) = list_dumps(tmp_path).entries
    assert entry.path == tmp_path / "11111"
    assert entry.op_name == "a"


def test_converted_leftovers_do_not_count_twice(tmp_path: Path) -> None:
    touch(tmp_path, f"Add.a.1.0.{TIME}", f"Add.a.1.0.{TIME}.output.0.npy", f"Add.a.1.0.{TIME}.csv", "a.log", "m.json")
    found = list_dumps(tmp_path)
    assert [entry.kind for entry in found.entries] == ["npu", "stats"]
    (problem,) = found.problems
    assert problem.severity == "info"
    assert "1 converted file lies beside the dumps" in problem.what


def test_converted_files_alone_are_the_dump(tmp_path: Path) -> None:
    touch(tmp_path, f"Add.a.1.0.{TIME}.output.0.npy", f"Add.a.1.0.{TIME}.input.0.npy")
    assert {entry.tensor for entry in list_dumps(tmp_path).entries} == {"output:0", "input:0"}


def test_several_leaves_newest_run_first_device_and_iteration(tmp_path: Path) -> None:
    for time in ("20240101120000", "20240613143640"):
        for device in ("0", "1"):
            for iteration in ("2", "10"):
                touch(tmp_path / time / device / "resnet" / "1" / iteration, f"Add.a.1.0.{TIME}")
    found = list_dumps(tmp_path)
    assert len(found.leaves) == 8
    assert found.leaf is not None
    assert found.leaf.path == tmp_path / "20240613143640" / "0" / "resnet" / "1" / "2"
    assert (found.leaf.time, found.leaf.parts) == ("20240613143640", ("0", "resnet", "1", "2"))
    assert "8 folders" in found.problems[0].what
    other = list_dumps(tmp_path / "20240101120000")
    same = leaf_like(other.leaves, found.leaves[1])
    assert same is not None
    assert same.parts == ("0", "resnet", "1", "10")
    assert list_dumps(tmp_path, same).entries[0].path.parent == same.path
    assert leaf_like((), same) is None


def test_leaves_of_two_precisions_pair_by_device_and_iteration(tmp_path: Path) -> None:
    for model in ("fp16", "fp32"):
        for device in ("0", "1"):
            for iteration in ("0", "1"):
                touch(
                    tmp_path / model / "20240101120000" / device / f"net_{model}" / "1" / iteration, f"Add.a.1.{TIME}"
                )
    mine, golden = list_dumps(tmp_path / "fp16"), list_dumps(tmp_path / "fp32")
    for leaf in mine.leaves:
        other = leaf_like(golden.leaves, leaf)
        assert other is not None
        assert (other.parts[0], other.parts[-1]) == (leaf.parts[0], leaf.parts[-1])


def test_single_files_and_nothing(tmp_path: Path) -> None:
    touch(tmp_path, "x.weird", f"Add.a.1.0.{TIME}")
    assert names_of(list_dumps(tmp_path / f"Add.a.1.0.{TIME}").entries) == ["a"]
    assert names_of(list_dumps(tmp_path / "x.weird").entries) == ["x"]
    (tmp_path / "empty").mkdir()
    touch(tmp_path / "torch" / "dump_tensor_data", "Functional.conv2d.0.forward.input.0.pt")
    for path, said in (
        (tmp_path / "empty", "no dump file"),
        (tmp_path / "missing", "does not exist"),
        (tmp_path / "torch", ".pt"),
    ):
        found = list_dumps(path)
        assert found.entries == ()
        assert said in found.problems[0].what


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    touch(tmp_path / "a", f"Add.a.1.0.{TIME}")
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    assert len(list_dumps(tmp_path).leaves) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_without_permission_is_one_problem(tmp_path: Path) -> None:
    touch(tmp_path / "open", f"Add.a.1.0.{TIME}")
    touch(tmp_path / "shut", f"Add.a.1.0.{TIME}")
    (tmp_path / "shut").chmod(0)
    found = list_dumps(tmp_path)
    (tmp_path / "shut").chmod(0o700)
    assert names_of(found.entries) == ["a"]
    assert "Permission denied" in found.problems[0].what


def test_very_many_folders_are_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.dump.folder.MAX_FOLDERS", 5)
    for index in range(10):
        touch(tmp_path / f"{index:02}", f"Add.a.1.0.{TIME}")
    found = list_dumps(tmp_path)
    assert len(found.leaves) == 4
    assert any("more than 5 folders" in problem.what for problem in found.problems)

"""The writer of test profiles writes each generation's dialect, with the facts it returns."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from tests.make_prof import Generation, MadeOp, make_ops, with_waits, write_prof

GENERATIONS: tuple[Generation, ...] = ("G1a", "G2", "G3", "G4")


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def header(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()[0].split(",")


def nanoseconds(micros: str) -> int:
    return int(Decimal(micros.strip()) * 1000)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_rows_are_the_facts(tmp_path: Path, generation: Generation) -> None:
    written = write_prof(tmp_path, generation, rows=40)
    found = read(written.table("op_summary"))
    assert [row["Op Name"] for row in found] == [op.name for op in written.ops]
    assert [nanoseconds(row["Task Duration(us)"]) for row in found] == [op.duration_ns for op in written.ops]
    assert [nanoseconds(row["Task Wait Time(us)"]) for row in found] == [op.wait_ns for op in written.ops]
    if generation == "G1a":
        assert [int(row["Task Start Time"]) for row in found] == [op.start_ns for op in written.ops]
    else:
        assert [nanoseconds(row["Task Start Time(us)"]) for row in found] == [op.start_ns for op in written.ops]
        assert all(row["Task Start Time(us)"].endswith("\t") for row in found)
    shapes = {row["Input Shapes"].strip('"') for row in found} - {"N/A"}
    assert shapes == {op.shape for op in written.ops if not op.is_communication}


def test_columns_follow_generation_and_chip(tmp_path: Path) -> None:
    def columns(generation: Generation, split: bool) -> list[str]:
        chip_folder = tmp_path / f"{generation}{split}"
        return header(write_prof(chip_folder, generation, chip="910B" if split else "310P").table("op_summary"))

    newest, older, fused, oldest = columns("G4", True), columns("G2", True), columns("G3", False), columns("G1a", False)
    assert {"Block Num", "Mix Block Num", "Context ID", "OP State", "aic_mac_ratio", "aiv_vec_ratio"} < set(newest)
    assert {"Block Dim", "Mix Block Dim", "HF32 Eligible"} < set(older)
    assert "OP State" not in older
    assert {"mac_ratio", "memory_bound", "cube_utilization(%)"} < set(fused)
    assert not {"Context ID", "Mix Block Dim", "aic_mac_ratio"} & set(fused)
    assert not {"Device_id", "HF32 Eligible", "Task Start Time(us)"} & set(oldest)
    assert newest.index("aic_fixpipe_ratio") < newest.index("aiv_time(us)") < newest.index("cube_utilization(%)")


def test_quoting_follows_the_writer(tmp_path: Path) -> None:
    ops = with_waits([MadeOp("a", "Add", "AI_CORE", 1_000_000_000_000_000_000, 5, shape="1,2")])
    plain = write_prof(tmp_path / "new", "G4", rows=ops).table("op_summary").read_text(encoding="utf-8")
    tripled = write_prof(tmp_path / "old", "G4", rows=ops, chip="310P").table("op_summary").read_text(encoding="utf-8")
    assert ',"1,2",' in plain
    assert '"""' not in plain
    assert ',"""1,2""",' in tripled


def test_collectives_are_rows_without_ids_and_not_in_op_statistic(tmp_path: Path) -> None:
    for generation, core in (("G2", "HCCL"), ("G4", "COMMUNICATION")):
        written = write_prof(tmp_path / generation, generation, rows=30)  # type: ignore[arg-type]
        found = [row for row in read(written.table("op_summary")) if row["Task Type"] == core]
        assert len(found) == 4
        assert {(row["Task ID"], row["Stream ID"]) for row in found} == {("N/A", "N/A")}
        assert core not in {row["Core Type"] for row in read(written.table("op_statistic"))}
        kind = "hccl_statistic" if generation == "G2" else "communication_statistic"
        assert [row["Count"] for row in read(written.table(kind))] == ["4"]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_statistics_are_sums(tmp_path: Path, generation: Generation) -> None:
    written = write_prof(tmp_path, generation, rows=60)
    totals: dict[str, int] = {}
    for op in written.ops:
        if not op.is_communication:
            totals[op.kind] = totals.get(op.kind, 0) + op.duration_ns
    stated: dict[str, int] = {}
    for row in read(written.table("op_statistic")):
        stated[row["OP Type"]] = stated.get(row["OP Type"], 0) + nanoseconds(row["Total Time(us)"])
    assert stated == totals
    calls = read(written.table("acl_statistic" if generation == "G1a" else "api_statistic"))
    assert sum(nanoseconds(row["Time(us)"]) for row in calls) == sum(call.duration_ns for call in written.calls)


def test_devices_slices_and_exports(tmp_path: Path) -> None:
    written = write_prof(tmp_path, devices=2, rows=30, slices=3, exports=("20240101000000", "20230101000000"))
    output = written.path / "mindstudio_profiler_output"
    newest = sorted(output.glob("op_summary_slice_?_20240101000000.csv"))
    assert [path.name[:18] for path in newest] == ["op_summary_slice_0", "op_summary_slice_1", "op_summary_slice_2"]
    assert sum(len(read(path)) for path in newest) == len(written.ops) == 60
    assert sum(len(read(path)) for path in output.glob("op_summary_slice_?_20230101000000.csv")) == 30
    assert {op.device for op in written.ops} == {0, 1}
    assert (written.path / "device_1" / "info.json.1").is_file()


def test_old_layout_has_a_folder_for_each_device(tmp_path: Path) -> None:
    written = write_prof(tmp_path, "G1a", devices=2, rows=5, chip="310P", line_end="\r\n")
    for device in (0, 1):
        path = written.path / f"device_{device}" / "summary" / f"op_summary_{device}_1.csv"
        assert len(read(path)) == 5
        assert path.read_bytes().count(b"\r\n") == 6


def test_waits_restart_with_each_device() -> None:
    first = MadeOp("a", "Add", "AI_CORE", 1_000, 500)
    late = MadeOp("b", "Add", "AI_CORE", 1_740, 100)
    overlapping = MadeOp("c", "Add", "AI_CORE", 1_800, 100)
    other = MadeOp("d", "Add", "AI_CORE", 9_000, 100, device=1)
    assert [op.wait_ns for op in with_waits([other, late, overlapping, first])] == [0, 240, 0, 0]


def test_the_same_seed_repeats_and_another_does_not(tmp_path: Path) -> None:
    texts = [
        write_prof(tmp_path / str(i), seed=seed).table("op_summary").read_bytes() for i, seed in enumerate((3, 3, 4))
    ]
    assert texts[0] == texts[1] != texts[2]
    assert make_ops(3, names=["[red]x"])[2].name == "[red]x"

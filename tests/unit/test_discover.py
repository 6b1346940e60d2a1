"""Paths at every level of every layout are recognised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.model.sources import Profile, SourceFile, Sources
from tui.readers.discover import discover

OLD = "PROF_000001_20220129014731273_KEDKPORHMAGPGDCC"
NEW = "PROF_000001_20260511093035123_00012345ABCDEFGH"
DATE = "20260511093035"
INFO = {"platform_version": "4", "rank_id": -1, "DeviceInfo": [{"id": 0, "ai_core_num": 8}]}
LAYERS = '[{"name": "process_name", "pid": 3, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"}]'
NO_LAYERS = '[{"name": "process_name", "pid": "2_85078", "tid": 0, "args": {"name": "AscendCL"}, "ph": "M"}]'


def put(root: Path, *names: str, text: str = "Name,Type\nx,y\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def old_layout(root: Path, devices: tuple[str, ...] = ("0",), iterations: tuple[str, ...] = ("1",)) -> Path:
    """A collection with one folder per device."""
    for device in devices:
        folder = root / OLD / f"device_{device}"
        put(
            folder,
            f"info.json.{device}",
            text=json.dumps({**INFO, "DeviceInfo": [{"id": int(device), "ai_core_num": 8}]}),
        )
        put(folder, f"start_info.{device}", f"end_info.{device}", text="{}")
        for iteration in iterations:
            put(
                folder / "summary",
                f"op_summary_{device}_1_{iteration}.csv",
                f"acl_statistic_{device}_1_{iteration}.csv",
            )
            put(folder / "timeline", f"msprof_{device}_1_{iteration}.json", text=NO_LAYERS)
        put(folder / "data", "ffts.0.slice_0", text="raw")
    put(root / OLD / "host", "info.json", text=json.dumps(INFO))
    return root / OLD


def new_layout(root: Path, name: str = NEW, date: str = DATE) -> Path:
    """A collection whose files hold all devices."""
    output = root / name / "mindstudio_profiler_output"
    put(
        output,
        f"op_summary_{date}.csv",
        text="Device_id,Op Name,Task Type,Task Duration(us),Block Num\n0,a,AI_CORE,1,2\n",
    )
    put(output, f"api_statistic_{date}.csv", text="Device_id,Level,API Name,Time(us)\nhost,acl,x,1\n")
    put(output, f"msprof_{date}.json", text=LAYERS)
    put(root / name / "device_0", "info.json.0", text=json.dumps(INFO))
    put(root / name / "device_0", "start_info.0", "end_info.0", text="{}")
    put(root / name / "device_0" / "data", "x.slice_0", text="12345")
    put(root / name / "host" / "data", "y", text="123")
    return root / name


def only(sources: Sources) -> Profile:
    assert len(sources.profiles) == 1
    return sources.profiles[0]


def used(profile: Profile) -> set[str]:
    return {file.path.name for file in profile.files if file.used and file.role not in ("raw", "environment")}


def file_named(profile: Profile, name: str) -> SourceFile:
    return next(file for file in profile.files if file.path.name == name)


def test_a_new_collection(tmp_path: Path) -> None:
    root = new_layout(tmp_path)
    profile = only(discover(root))
    assert (profile.name, profile.root, profile.kind, profile.generation) == (NEW, root, "msprof", "G4")
    assert [(device.id, device.chip, device.ai_core_num) for device in profile.devices] == [("0", "Ascend310P", 8)]
    assert profile.devices[0].ended_cleanly is True
    raw = {file.path.name: (file.size_bytes, file.note) for file in profile.files if file.role == "raw"}
    assert raw["device_0"] == (len(json.dumps(INFO)) + 4 + 5, "ended cleanly")
    assert raw["host"][0] == 3
    assert profile.problems == ()
    assert profile.iterations == ()


@pytest.mark.parametrize("below", ["", NEW, f"{NEW}/mindstudio_profiler_output", f"{NEW}/device_0", f"{NEW}/host"])
def test_a_new_collection_from_any_level(tmp_path: Path, below: str) -> None:
    new_layout(tmp_path)
    profile = only(discover(tmp_path / below))
    assert used(profile) == {f"op_summary_{DATE}.csv", f"api_statistic_{DATE}.csv", f"msprof_{DATE}.json"}
    assert profile.devices[0].id == "0"


def test_an_old_collection(tmp_path: Path) -> None:
    profile = only(discover(old_layout(tmp_path, ("0", "10", "2"), ("1", "10", "2"))))
    assert profile.generation == "G1a"
    assert [device.id for device in profile.devices] == ["0", "2", "10"]
    assert profile.iterations == ("1", "2", "10")
    assert {file.device for file in profile.files_of("ops")} == {"0", "2", "10"}
    assert len(profile.files_of("timeline")) == 9
    summary = file_named(profile, "op_summary_10_1_2.csv")
    assert (summary.kind, summary.model, summary.iteration, summary.date) == ("op_summary", "1", "2", "")


def test_an_old_collection_with_layers_is_newer(tmp_path: Path) -> None:
    root = old_layout(tmp_path)
    put(root / "device_0" / "timeline", "msprof_0_1_1.json", text=LAYERS)
    assert only(discover(root)).generation == "G1b"


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("device_2", {"op_summary_2_1_1.csv", "acl_statistic_2_1_1.csv", "msprof_2_1_1.json"}),
        ("device_2/summary", {"op_summary_2_1_1.csv", "acl_statistic_2_1_1.csv"}),
        ("device_2/timeline", {"msprof_2_1_1.json"}),
    ],
)
def test_a_part_of_an_old_collection(tmp_path: Path, below: str, expected: set[str]) -> None:
    root = old_layout(tmp_path, ("0", "2"))
    profile = only(discover(root / below))
    assert used(profile) == expected
    assert [device.id for device in profile.devices] == ["2"]
    assert profile.name == f"{OLD}/{below}"


def test_summary_and_timeline_right_below_the_collection(tmp_path: Path) -> None:
    put(tmp_path / OLD / "summary", "op_summary_3_1_2.csv")
    put(tmp_path / OLD / "timeline", "msprof_3_1_2.json", text=LAYERS)
    profile = only(discover(tmp_path / OLD))
    assert [(file.device, file.iteration) for file in profile.files_of("ops")] == [("3", "2")]
    assert profile.generation == "G1b"


def test_old_folders_beside_a_new_output_are_not_counted_twice(tmp_path: Path) -> None:
    root = new_layout(tmp_path)
    put(root / "device_0" / "summary", f"op_summary_0_1_1_{DATE}.csv")
    profile = only(discover(root))
    assert len(profile.files_of("ops")) == 1
    assert "mindstudio_profiler_output" in file_named(profile, f"op_summary_0_1_1_{DATE}.csv").note


def test_the_newest_export_of_each_kind_is_used(tmp_path: Path) -> None:
    root = new_layout(tmp_path)
    output = root / "mindstudio_profiler_output"
    put(output, "op_summary_20250101000000.csv", "op_summary_20260511093036.csv", "task_time_20250101000000.csv")
    profile = only(discover(root))
    assert [file.path.name for file in profile.files_of("ops")] == ["op_summary_20260511093036.csv"]
    assert [file.path.name for file in profile.files_of("tasks")] == ["task_time_20250101000000.csv"]
    assert file_named(profile, "op_summary_20250101000000.csv").note == "older export"
    assert file_named(profile, f"op_summary_{DATE}.csv").used is False


def test_slices_are_one_export_in_numeric_order(tmp_path: Path) -> None:
    output = tmp_path / NEW / "mindstudio_profiler_output"
    put(output, *(f"op_summary_slice_{number}_2026051109303{number % 10}.csv" for number in range(12)))
    put(output, "op_summary_slice_0_20200101000000.csv")
    profile = only(discover(tmp_path))
    slices = [file.slice for file in profile.files_of("ops")]
    assert slices == sorted(slices, key=lambda number: number or 0)
    assert file_named(profile, "op_summary_slice_0_20200101000000.csv").used is False


def test_the_first_slice_may_be_unnamed(tmp_path: Path) -> None:
    output = tmp_path / NEW / "mindstudio_profiler_output"
    put(output, f"op_summary_{DATE}.csv", f"op_summary_slice_1_{DATE}.csv", f"op_summary_slice_2_{DATE}.csv")
    profile = only(discover(tmp_path))
    assert [file.slice for file in profile.files_of("ops")] == [None, 1, 2]
    assert profile.problems == ()


def test_a_missing_slice_is_named(tmp_path: Path) -> None:
    output = tmp_path / NEW / "mindstudio_profiler_output"
    put(output, f"msprof_slice_0_{DATE}.json", f"msprof_slice_3_{DATE}.json", text=LAYERS)
    (problem,) = only(discover(tmp_path)).problems
    assert problem.what == "slices 1, 2 of msprof are missing"
    assert problem.severity == "error"


def test_text_is_used_instead_of_the_database(tmp_path: Path) -> None:
    root = new_layout(tmp_path)
    put(root, f"msprof_{DATE}.db", text="SQLite format 3\0")
    database = file_named(only(discover(root)), f"msprof_{DATE}.db")
    assert (database.role, database.used, database.note) == ("database", False, "text is used instead")


def test_a_database_alone_is_used_and_said(tmp_path: Path) -> None:
    put(tmp_path / NEW, f"msprof_{DATE}.db", text="SQLite format 3\0")
    profile = only(discover(tmp_path / NEW))
    assert file_named(profile, f"msprof_{DATE}.db").used
    (problem,) = profile.problems
    assert problem.what == "there is a database but no text export"
    assert "--type=text" in problem.hint


def test_a_collection_that_was_not_exported(tmp_path: Path) -> None:
    root = tmp_path / "with space" / NEW
    put(root / "device_0" / "data", "x.slice_0")
    put(root / "device_0", "info.json.0", text=json.dumps(INFO))
    put(root / "host" / "data", "y")
    profile = only(discover(root))
    assert profile.kind == "raw"
    first, second = profile.problems
    assert first.what == "collected but not exported"
    assert f"npuscope run msprof -- --export=on --output='{root}'" in first.hint
    assert "end_info is missing" in second.what
    assert profile.devices[0].ended_cleanly is False


def test_several_collections_below_a_folder(tmp_path: Path) -> None:
    names = ["PROF_000001_1_A", "PROF_000002_1_A", "PROF_000010_1_A"]
    for name in reversed(names):
        new_layout(tmp_path / "deep" / "er", name)
    assert [profile.name for profile in discover(tmp_path).profiles] == names


def framework(root: Path, name: str, rank: int) -> Path:
    info = {"rank_id": rank, "config": {"experimental_config": {"_profiler_level": "Level1"}}}
    put(root / name, f"profiler_info_{rank}.json", text=json.dumps(info, indent=1))
    put(root / name / "ASCEND_PROFILER_OUTPUT", "kernel_details.csv", "operator_details.csv")
    put(root / name / "ASCEND_PROFILER_OUTPUT", "trace_view.json", text=LAYERS)
    put(root / name / "FRAMEWORK", "torch.op_range", text="raw")
    return root / name


def test_ranks_are_in_numeric_order(tmp_path: Path) -> None:
    for rank in (10, 2, 0):
        framework(tmp_path, f"node_{30 - rank}_20260101000000000_ascend_pt", rank)
    assert [profile.environment.rank for profile in discover(tmp_path).profiles] == ["0", "2", "10"]


@pytest.mark.parametrize("below", ["", "ASCEND_PROFILER_OUTPUT"])
def test_the_output_of_torch_npu(tmp_path: Path, below: str) -> None:
    profile = only(discover(framework(tmp_path, "a_ascend_pt", 3) / below))
    assert (profile.name, profile.kind) == ("a_ascend_pt", "torch")
    assert (profile.environment.rank, profile.environment.level) == ("3", "Level1")
    assert used(profile) == {"kernel_details.csv", "operator_details.csv", "trace_view.json"}
    assert [file.path.name for file in profile.files if file.role == "raw"] == ["FRAMEWORK"]


def test_the_output_of_mindspore(tmp_path: Path) -> None:
    root = framework(tmp_path, "a_ascend_ms", 0)
    put(root / "ASCEND_PROFILER_OUTPUT", "minddata_pipeline_raw_0.csv")
    assert only(discover(root)).kind == "mindspore"


def test_a_collection_exported_inside_a_framework_output_is_a_profile_too(tmp_path: Path) -> None:
    root = framework(tmp_path, "a_ascend_pt", 0)
    new_layout(root)
    profiles = discover(root).profiles
    assert [(profile.kind, profile.name) for profile in profiles] == [("torch", "a_ascend_pt"), ("msprof", NEW)]
    assert [device.chip for device in profiles[0].devices] == ["Ascend310P"]


def test_a_framework_output_that_was_not_analysed(tmp_path: Path) -> None:
    root = framework(tmp_path, "a_ascend_pt", 0)
    for path in (root / "ASCEND_PROFILER_OUTPUT").iterdir():
        path.unlink()
    profile = only(discover(root))
    assert profile.kind == "raw"
    assert "collected but not analysed" in profile.problems[0].what
    assert "analyse(" in profile.problems[0].hint


def test_files_in_no_known_layout(tmp_path: Path) -> None:
    put(tmp_path / "mine", f"op_summary_{DATE}.csv", text="Op Name,Task Type,Task Duration(us)\n")
    profile = only(discover(tmp_path / "mine"))
    assert (profile.kind, used(profile)) == ("msprof", {f"op_summary_{DATE}.csv"})


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Device_id,Op Name,OP Type,Task Type,Task Duration(us)", "op_summary"),
        ("Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us)", "kernel_details"),
        ("OP Type,Core Type,Count,Total Time(us)", "op_statistic"),
        ("Level,API Name,Time(us),Count", "api_statistic"),
        ("kernel_name,kernel_type,stream_id,task_id,task_time(us)", "task_time"),
        ("a,b", "renamed"),
    ],
)
def test_a_renamed_table_is_known_by_its_headings(tmp_path: Path, heading: str, kind: str) -> None:
    put(tmp_path, "renamed.csv", text=f"\ufeff{heading}\r\n")
    profile = only(discover(tmp_path / "renamed.csv"))
    assert (profile.kind, profile.files[0].kind) == ("file", kind)


def test_a_renamed_trace_is_known_by_its_events(tmp_path: Path) -> None:
    put(tmp_path, "mine.json", text=LAYERS)
    assert only(discover(tmp_path / "mine.json")).files[0].role == "timeline"


def test_a_summary_as_json_is_no_timeline(tmp_path: Path) -> None:
    root = tmp_path / NEW / "mindstudio_profiler_output"
    put(root, f"task_time_{DATE}.json", text='[{"kernel_name": "a", "task_time(us)": 1}]')
    put(root, f"step_trace_{DATE}.json", text='[{"name":"Iteration 1","ph":"X"}]')
    profile = only(discover(tmp_path))
    assert [file.kind for file in profile.files_of("tasks")] == ["task_time"]
    assert [file.kind for file in profile.files_of("timeline")] == ["step_trace"]


def test_one_file_of_a_collection_knows_its_device(tmp_path: Path) -> None:
    root = old_layout(tmp_path, ("0", "2"))
    profile = only(discover(root / "device_2" / "summary" / "op_summary_2_1_1.csv"))
    assert (profile.kind, profile.generation, profile.name) == ("file", "G1a", "op_summary_2_1_1.csv")
    assert [(device.id, device.chip) for device in profile.devices] == [("2", "Ascend310P")]
    assert profile.files[0].device == "2"


@pytest.mark.parametrize(
    ("name", "files", "generation"),
    [
        ("python writer", {f"msprof_{DATE}.json": LAYERS}, "G2"),
        ("compact writer", {f"msprof_{DATE}.json": LAYERS.replace(": ", ":").replace(", ", ",")}, "G3"),
        ("renamed communication", {f"communication_statistic_{DATE}.csv": "x"}, "G3"),
        ("nothing that tells", {f"op_summary_{DATE}.csv": "Op Name,Block Dim\n"}, ""),
    ],
)
def test_generations_are_decided_by_content(tmp_path: Path, name: str, files: dict[str, str], generation: str) -> None:
    for file, text in files.items():
        put(tmp_path / name / "mindstudio_profiler_output", file, text=text)
    assert only(discover(tmp_path)).generation == generation


def test_what_is_missing_says_which_option_would_have_made_it(tmp_path: Path) -> None:
    missing = {item.name: item for item in only(discover(new_layout(tmp_path))).missing}
    assert missing["op_statistic_*.csv"].option == "--task-time=l1"
    assert missing["op_statistic_*.csv"].expected
    assert missing["op_statistic_*.csv"].consequence == "recomputed from the operators"
    assert not missing["communication_statistic_*.csv"].expected
    assert "api_statistic_*.csv" not in missing
    assert "acl_*.csv" not in missing


def test_what_level_0_never_writes_is_not_expected(tmp_path: Path) -> None:
    root = new_layout(tmp_path)
    put(root / "device_0", "sample.json", text='{"profLevel": "l0"}')
    missing = {item.name: item for item in only(discover(root)).missing}
    assert not missing["op_statistic_*.csv"].expected
    assert missing["task_time_*.csv"].expected


def test_several_devices_expect_communication(tmp_path: Path) -> None:
    root = new_layout(tmp_path)
    put(root / "device_1", "info.json.1", text="{}")
    missing = {item.name: item for item in only(discover(root)).missing}
    assert missing["communication_statistic_*.csv"].expected


def test_the_old_layout_misses_old_files(tmp_path: Path) -> None:
    missing = {item.name for item in only(discover(old_layout(tmp_path))).missing}
    assert "ai_stack_time_*.csv" in missing
    assert "api_statistic_*.csv" not in missing

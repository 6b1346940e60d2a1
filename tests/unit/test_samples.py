"""The bundled sample profiles hold what they promise; read with csv, json and decimal only."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_profiles"
BEFORE, AFTER = "mish_before", "mish_after"
CURRENT = (BEFORE, AFTER)
LEGACY = ("legacy_before", "legacy_after")
ACTIVATION = ("Softplus", "Tanh", "Mul")
SUMMARY_KINDS = ["acl", "acl_statistic", "ai_stack_time", "fusion_op", "ge_op_execute", "op_statistic", "op_summary",
                 "step_trace", "task_time"]  # fmt: skip
TIMELINE_KINDS = ["acl", "ai_stack_time", "ge", "ge_op_execute", "msprof", "step_trace", "task_time", "thread_group"]

Row = dict[str, str]
Event = dict[str, Any]


def prof(sample: str) -> Path:
    return next((SAMPLES / sample).glob("PROF_*"))


def only(folder: Path, pattern: str) -> Path:
    [found] = folder.glob(pattern)
    return found


def file_of(sample: str, kind: str, suffix: str) -> Path:
    if sample in CURRENT:
        return only(prof(sample) / "mindstudio_profiler_output", f"{kind}_[0-9]*.{suffix}")
    folder = "timeline" if suffix == "json" else "summary"
    return prof(sample) / "device_0" / folder / f"{kind}_0_1_1.{suffix}"


def rows(sample: str, kind: str) -> list[Row]:
    with file_of(sample, kind, "csv").open(encoding="utf-8", newline="") as lines:
        found = list(csv.DictReader(lines))
    assert all(None not in row and None not in row.values() for row in found), "ragged row"
    return found


def events(sample: str, kind: str = "msprof") -> list[Event]:
    text = file_of(sample, kind, "json").read_text(encoding="utf-8")
    found: list[Event] = json.loads(text, parse_float=Decimal)
    return found


def micros_ns(text: object) -> int:
    """Microseconds as whole nanoseconds; fails when there is more precision."""
    value = Decimal(str(text).strip()) * 1000
    assert value == value.to_integral_value()
    return int(value)


def start_ns(row: Row) -> int:
    """Start of an op_summary row; whole numbers without a unit are nanoseconds."""
    return micros_ns(row["Task Start Time(us)"]) if "Task Start Time(us)" in row else int(row["Task Start Time"])


def took_ns(row: Row) -> int:
    return micros_ns(row["Task Duration(us)"])


def rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)


def lanes(found: list[Event], process: str) -> list[Event]:
    """Slices of the processes of a name."""
    pids = {e["pid"] for e in found if e["name"] == "process_name" and e["args"]["name"] == process}
    assert pids
    return [e for e in found if e["ph"] == "X" and e["pid"] in pids]


def calls(sample: str) -> list[tuple[str, str, int, int]]:
    """(level, name, start ns, duration ns) of the host calls on the timeline."""
    if sample in LEGACY:
        found = lanes(events(sample), "AscendCL")
        return [("acl", e["name"], micros_ns(e["ts"]), micros_ns(e["dur"])) for e in found]
    found = lanes(events(sample), "CANN")
    return [(e["args"]["level"], e["name"].split("@")[1], micros_ns(e["ts"]), micros_ns(e["dur"])) for e in found]


def device_tasks(sample: str) -> list[tuple[int, int, int, int]]:
    """(stream, task, start ns, duration ns) of the device lanes."""
    if sample in LEGACY:
        found = lanes(events(sample), "Task Scheduler")
        return [(e["tid"], e["args"]["Task Id"], micros_ns(e["ts"]), micros_ns(e["dur"])) for e in found]
    found = [e for e in lanes(events(sample), "Ascend Hardware") if e["tid"] < 70000]
    assert all(e["tid"] == e["args"]["Physic Stream Id"] for e in found)
    return [(e["tid"], e["args"]["Task Id"], micros_ns(e["ts"]), micros_ns(e["dur"])) for e in found]


def task_rows(sample: str) -> list[tuple[int, int, int, int]]:
    """The same from task_time."""
    found = []
    for row in rows(sample, "task_time"):
        begin = micros_ns(row["task_start(us)"]) if sample in CURRENT else int(row["task_start(ns)"])
        end = micros_ns(row["task_stop(us)"]) if sample in CURRENT else int(row["task_stop(ns)"])
        assert end - begin == micros_ns(row["task_time(us)"])
        found.append((int(row["stream_id"]), int(row["task_id"]), begin, end - begin))
    return found


def test_the_folder_is_small() -> None:
    sizes = [path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(sizes) < 3 * 1024 * 1024


def test_the_generator_repeats_every_byte(tmp_path: Path) -> None:
    script = [sys.executable, "-B", str(SAMPLES / "generate.py")]
    done = subprocess.run([*script, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    subprocess.run([*script, "--output", str(tmp_path)], check=True)
    changed = next(tmp_path.rglob("op_summary_*.csv"))
    changed.write_text("changed", encoding="utf-8")
    done = subprocess.run([*script, "--check", "--output", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert changed.name in done.stderr


@pytest.mark.parametrize("sample", CURRENT)
def test_current_layout_has_every_text_deliverable(sample: str) -> None:
    output = prof(sample) / "mindstudio_profiler_output"
    kinds = sorted(path.name.rsplit("_", 1)[0] + path.suffix for path in output.iterdir() if path.name != "README.txt")
    assert kinds == ["api_statistic.csv", "fusion_op.csv", "msprof.json", "op_statistic.csv", "op_summary.csv",
                     "step_trace.csv", "step_trace.json", "task_time.csv"]  # fmt: skip
    assert (output / "README.txt").is_file()
    assert len({path.stem.rsplit("_", 1)[1] for path in output.iterdir() if path.name != "README.txt"}) == 1


@pytest.mark.parametrize("sample", LEGACY)
def test_old_layout_has_every_file_of_both_tables(sample: str) -> None:
    device = prof(sample) / "device_0"
    wanted = sorted([f"{kind}_0_1_1.csv" for kind in SUMMARY_KINDS] + ["prof_rule_0.json"])
    assert sorted(path.name for path in (device / "summary").iterdir()) == wanted
    assert sorted(path.name for path in (device / "timeline").iterdir()) == [f"{k}_0_1_1.json" for k in TIMELINE_KINDS]


@pytest.mark.parametrize("sample", [*CURRENT, *LEGACY])
def test_side_cars_tell_chip_cores_and_times(sample: str) -> None:
    for name in ("host/info.json", "device_0/info.json.0"):
        info = json.loads((prof(sample) / name).read_text(encoding="utf-8"))
        assert (info["platform_version"], info["DeviceInfo"][0]["ai_core_num"]) == ("4", 8)
    options = json.loads((prof(sample) / "host/sample.json").read_text(encoding="utf-8"))
    assert options["ai_core_metrics"] == "PipeUtilization"
    begin = json.loads((prof(sample) / "device_0/start_info.0").read_text(encoding="utf-8"))
    end = json.loads((prof(sample) / "device_0/end_info.0").read_text(encoding="utf-8"))
    assert int(begin["collectionTimeBegin"]) < int(end["collectionTimeEnd"])


@pytest.mark.parametrize("sample", [BEFORE, "legacy_before"])
def test_load_and_execute_fill_the_host_lane_as_in_the_reference_case(sample: str) -> None:
    acl = [call for call in calls(sample) if call[0] == "acl"]
    span = max(at + took for _, _, at, took in acl) - min(at for _, _, at, _ in acl)
    share = {name: Decimal(took) / span for _, name, _, took in acl if name.startswith("aclmdl")}
    assert Decimal("0.2") <= share["aclmdlLoadFromFileWithMem"] < Decimal("0.5")
    assert share["aclmdlExecute"] >= Decimal("0.5")
    longest = sorted(acl, key=lambda call: -call[3])[:2]
    assert [name for _, name, _, _ in longest] == ["aclmdlExecute", "aclmdlLoadFromFileWithMem"]


@pytest.mark.parametrize("sample", [BEFORE, "legacy_before"])
def test_the_longest_operator_is_the_first_convolution(sample: str) -> None:
    found = rows(sample, "op_summary")
    longest = max(found, key=took_ns)
    assert (longest["Op Name"], longest["OP Type"], longest["Task Duration(us)"]) == ("Conv_0", "Conv2D", "3170.625")
    assert longest is next(row for row in found if row["OP Type"] == "Conv2D")
    assert (longest["Block Dim"], longest["mte2_ratio"]) == ("2", "0.74")
    convolutions = sorted(took_ns(row) for row in found if row["OP Type"] == "Conv2D")
    assert took_ns(longest) > 3 * convolutions[len(convolutions) // 2]


@pytest.mark.parametrize("sample", [BEFORE, "legacy_before"])
def test_mish_is_three_operators_after_a_convolution_72_times(sample: str) -> None:
    kinds = [row["OP Type"] for row in rows(sample, "op_summary")]
    groups = [at for at in range(len(kinds) - 3) if tuple(kinds[at : at + 4]) == ("Conv2D", *ACTIVATION)]
    assert len(groups) == 72
    assert groups[0] == kinds.index("Conv2D")
    assert [kinds.count(kind) for kind in ACTIVATION] == [72, 72, 72]


@pytest.mark.parametrize("sample", [AFTER, "legacy_after"])
def test_afterwards_mish_is_gone_and_the_first_convolution_is_faster(sample: str) -> None:
    found = rows(sample, "op_summary")
    kinds = {row["OP Type"] for row in found}
    assert not kinds & {"Softplus", "Tanh", "Mul"}
    first = next(row for row in found if row["OP Type"] == "Conv2D")
    assert (first["Op Name"], first["Task Duration(us)"]) == ("Conv_0", "1415.182")


def test_the_other_operators_stay_within_half_a_percent() -> None:
    before = {row["Op Name"]: took_ns(row) for row in rows(BEFORE, "op_summary")}
    after = {row["Op Name"]: took_ns(row) for row in rows(AFTER, "op_summary")}
    common = set(before) & set(after) - {"Conv_0"}
    assert len(common) == 430 - 3 * 72 - 1
    assert len(set(after) - set(before)) == 72
    assert all(abs(after[name] - before[name]) * 200 < before[name] for name in common)


@pytest.mark.parametrize(("current", "legacy"), list(zip(CURRENT, LEGACY)))
def test_both_layouts_tell_the_same(current: str, legacy: str) -> None:
    def essence(sample: str) -> list[tuple[str, ...]]:
        found = rows(sample, "op_summary")
        first = start_ns(found[0])
        names = ("Op Name", "OP Type", "Task ID", "Stream ID", "Task Duration(us)", "Input Shapes", "total_cycles")
        return [(str(start_ns(row) - first), *(row[name] for name in names)) for row in found]

    assert essence(current) == essence(legacy)
    assert len({prof(sample).name[:11] for sample in (current, legacy)}) == 1


@pytest.mark.parametrize(("sample", "places"), [(BEFORE, 3), (AFTER, 3), ("legacy_before", 6), ("legacy_after", 6)])
def test_op_statistic_is_the_sum_of_op_summary(sample: str, places: int) -> None:
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows(sample, "op_summary"):
        groups[row["OP Type"], row["Task Type"]].append(took_ns(row))
    whole = sum(sum(group) for group in groups.values())
    stated = rows(sample, "op_statistic")
    assert len(stated) == len(groups)
    for row in stated:
        group = groups[row["OP Type"], row["Core Type"]]
        assert int(row["Count"]) == len(group)
        assert micros_ns(row["Total Time(us)"]) == sum(group)
        assert (micros_ns(row["Min Time(us)"]), micros_ns(row["Max Time(us)"])) == (min(group), max(group))
        assert Decimal(row["Avg Time(us)"]) == rounded(Decimal(sum(group)) / len(group) / 1000, places)
        assert Decimal(row["Ratio(%)"]) == rounded(Decimal(100 * sum(group)) / whole, places)
    ratios = [Decimal(row["Ratio(%)"]) for row in stated]
    assert ratios == sorted(ratios, reverse=True)
    assert abs(sum(ratios, Decimal(-100))) < Decimal("0.02")


@pytest.mark.parametrize("sample", CURRENT)
def test_api_statistic_is_the_sum_of_the_timeline(sample: str) -> None:
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for level, name, _, took in calls(sample):
        groups[level, name].append(took)
    stated = rows(sample, "api_statistic")
    assert len(stated) == len(groups)
    for row in stated:
        group = groups[row["Level"], row["API Name"]]
        mean = micros_ns(row["Avg(us)"])
        assert (int(row["Count"]), micros_ns(row["Time(us)"])) == (len(group), sum(group))
        assert (micros_ns(row["Min(us)"]), micros_ns(row["Max(us)"])) == (min(group), max(group))
        assert mean == rounded(Decimal(sum(group)) / len(group), 0)
        variance = Decimal(sum((took - mean) ** 2 for took in group)) / len(group) / 1_000_000
        assert Decimal(row["Variance"]) == rounded(variance, 3)


@pytest.mark.parametrize("sample", LEGACY)
def test_acl_tables_are_the_timeline(sample: str) -> None:
    on_timeline = [(name, at, took) for _, name, at, took in calls(sample)]
    assert [(r["Name"], int(r["Start Time"]), micros_ns(r["Duration(us)"])) for r in rows(sample, "acl")] == on_timeline
    alone = [(e["name"], micros_ns(e["ts"]), micros_ns(e["dur"])) for e in events(sample, "acl") if e["ph"] == "X"]
    assert alone == on_timeline
    groups: dict[str, list[int]] = defaultdict(list)
    for name, _, took in on_timeline:
        groups[name].append(took)
    whole = sum(took for _, _, took in on_timeline)
    stated = rows(sample, "acl_statistic")
    assert len(stated) == len(groups)
    for row in stated:
        group = groups[row["Name"]]
        assert (int(row["Count"]), micros_ns(row["Time(us)"])) == (len(group), sum(group))
        assert Decimal(row["Time(%)"]) == rounded(Decimal(100 * sum(group)) / whole, 6)


@pytest.mark.parametrize("sample", [*CURRENT, *LEGACY])
def test_device_lanes_are_task_time_and_hold_every_operator(sample: str) -> None:
    tasks = task_rows(sample)
    assert sorted(device_tasks(sample)) == sorted(tasks)
    found = rows(sample, "op_summary")
    ops = {(int(row["Stream ID"]), int(row["Task ID"]), start_ns(row), took_ns(row)) for row in found}
    assert len(ops) == len(found)
    assert ops < set(tasks)


@pytest.mark.parametrize("sample", LEGACY)
def test_the_old_task_time_timeline_is_the_same(sample: str) -> None:
    alone = [e for e in events(sample, "task_time") if e["ph"] == "X"]
    found = [(e["tid"], e["args"]["Task Id"], micros_ns(e["ts"]), micros_ns(e["dur"])) for e in alone]
    assert sorted(found) == sorted(task_rows(sample))


@pytest.mark.parametrize("sample", [*CURRENT, *LEGACY])
def test_nothing_overlaps_on_a_stream(sample: str) -> None:
    free_at: dict[int, int] = defaultdict(int)
    for stream, _, at, took in sorted(task_rows(sample), key=lambda task: task[2]):
        assert at >= free_at[stream]
        free_at[stream] = at + took


@pytest.mark.parametrize("sample", CURRENT)
def test_wait_is_counted_from_the_row_before(sample: str) -> None:
    found = rows(sample, "op_summary")
    stated = [micros_ns(row["Task Wait Time(us)"]) for row in found]
    ends = [start_ns(row) + took_ns(row) for row in found]
    assert stated == [0] + [max(0, start_ns(row) - end) for row, end in zip(found[1:], ends)]
    assert sum(stated) > 0


@pytest.mark.parametrize("sample", LEGACY)
def test_wait_of_the_old_layout_is_counted_over_all_tasks(sample: str) -> None:
    tasks = sorted(task_rows(sample), key=lambda task: task[2])
    waits = {(stream, task): 0 for stream, task, _, _ in tasks[:1]}
    for (_, _, before, took), (stream, task, at, _) in zip(tasks, tasks[1:]):
        waits[stream, task] = max(0, at - before - took)
    for row in rows(sample, "op_summary"):
        assert micros_ns(row["Task Wait Time(us)"]) == waits[int(row["Stream ID"]), int(row["Task ID"])]


@pytest.mark.parametrize("sample", CURRENT)
def test_every_operator_is_tied_to_its_launch(sample: str) -> None:
    found = events(sample)
    starts = {e["id"]: e for e in found if e["ph"] == "s" and e["cat"] == "HostToDevice"}
    ends = {e["id"]: e for e in found if e["ph"] == "f" and e["cat"] == "HostToDevice"}
    assert len(starts) == len(ends) == sum(e["ph"] == "s" for e in found) == len(rows(sample, "op_summary"))
    assert set(starts) == set(ends)
    launches = {e["args"]["connection_id"]: e for e in found if e["name"] == "Node@launch"}
    tasks = {(e["tid"], e["ts"]): e for e in lanes(found, "Ascend Hardware")}
    for number, start in starts.items():
        task = tasks[ends[number]["tid"], ends[number]["ts"]]
        launch = launches[task["args"]["connection_id"]]
        assert (launch["ts"], launch["args"]["item_id"]) == (start["ts"], task["name"])
        assert micros_ns(launch["ts"]) < micros_ns(task["ts"])


@pytest.mark.parametrize("sample", CURRENT)
def test_calls_of_the_host_nest(sample: str) -> None:
    open_until: list[int] = []
    for _, _, at, took in sorted(calls(sample), key=lambda call: (call[2], -call[3])):
        while open_until and open_until[-1] <= at:
            open_until.pop()
        assert not open_until or at + took <= open_until[-1]
        open_until.append(at + took)


@pytest.mark.parametrize("sample", CURRENT)
def test_overlap_lanes_split_the_device_time(sample: str) -> None:
    found = lanes(events(sample), "Overlap Analysis")
    total: dict[str, int] = defaultdict(int)
    for event in found:
        total[event["name"]] += micros_ns(event["dur"])
    tasks = task_rows(sample)
    span = max(at + took for _, _, at, took in tasks) - min(at for _, _, at, _ in tasks)
    assert total["Computing"] == sum(took_ns(row) for row in rows(sample, "op_summary"))
    assert total["Computing"] + total["Free"] == span
    assert not any(e["name"] == "process_name" and e["args"]["name"] == "AI Core Freq" for e in events(sample))


@pytest.mark.parametrize("sample", [*CURRENT, *LEGACY])
def test_counters_agree_with_each_other(sample: str) -> None:
    for row in rows(sample, "op_summary"):
        if row["Task Type"] == "AI_CPU":
            assert row["aicore_time(us)"] == row["memory_bound"] == "N/A"
            continue
        busiest = max(Decimal(row["mac_ratio"]), Decimal(row["vec_ratio"]))
        wanted = rounded(Decimal(row["mte2_ratio"]) / busiest, 3) if busiest else Decimal(0)
        assert Decimal(row["memory_bound"]) == wanted
        assert micros_ns(row["aicore_time(us)"]) < took_ns(row)
        assert all(0 <= Decimal(row[f"{pipe}_ratio"]) <= 1 for pipe in ("vec", "mac", "scalar", "mte1", "mte2", "mte3"))
        if "cube_utilization(%)" in row:
            cube = Decimal(100_000 * int(row["total_cycles"])) / (900 * 8 * took_ns(row))
            assert Decimal(row["cube_utilization(%)"]) == rounded(cube, 3)


@pytest.mark.parametrize("sample", CURRENT)
def test_current_cells_are_written_as_the_exporter_writes_them(sample: str) -> None:
    raw = file_of(sample, "op_summary", "csv").read_bytes()
    assert b"\r" not in raw
    assert raw.count(b'"""1,3,608,608;32,3,3,3;32"""') == 1
    header = raw.split(b"\n", 1)[0].decode().split(",")
    assert {"Block Dim", "OP State", "HF32 Eligible"} < set(header)
    assert not {"Mix Block Dim", "Context ID", "aiv_time(us)", "Block Num"} & set(header)
    assert all(row["Task Start Time(us)"].endswith("\t") for row in rows(sample, "op_summary"))
    assert all(isinstance(e["ts"], str) for e in events(sample) if e["ph"] != "M")


@pytest.mark.parametrize("sample", LEGACY)
def test_old_cells_are_monotonic_nanoseconds(sample: str) -> None:
    assert file_of(sample, "op_summary", "csv").read_bytes().count(b"\r\n") == len(rows(sample, "op_summary")) + 1
    assert all(len(row["Task Start Time"]) == 15 for row in rows(sample, "op_summary"))
    assert all(isinstance(e["ts"], Decimal) for e in events(sample) if e["ph"] == "X")
    [step] = rows(sample, "step_trace")
    assert (step["FP Start"], step["Iteration ID"]) == ("N/A", "1")
    advice = json.loads((prof(sample) / "device_0/summary/prof_rule_0.json").read_text(encoding="utf-8"))
    by_kind = {entry["rule_type"]: entry["result"] for entry in advice["data"]}
    assert by_kind["Operator Processing"][0]["op_list"] == ["NonMaxSuppression_406"]

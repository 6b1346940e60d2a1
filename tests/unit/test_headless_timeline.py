"""`table events|tracks|gaps|steps` and `check` of timelines, through the command line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED_DATA
from tests.unit import traces
from tests.unit.traces import HOST_PID, NPU_PID, flow, naming, x
from tui.cli import run
from tui.command_line.output import import_progress
from tui.readers.timelines import TimelineProgress

Capture = pytest.CaptureFixture[str]
Facts = dict[str, Any]
Row = dict[str, Any]

TRITON = ("prof_triton_matmul_910b", "mindstudio_profiler_output", "msprof_20260511093035.json")


def known_traces() -> Iterator[Any]:
    """Every trace of the data sets with its facts, as test parameters."""
    for known in sorted(SHARED_DATA.glob("*/expected.json")):
        for name, facts in sorted(json.loads(known.read_text(encoding="utf-8"))["files"].items()):
            if facts["kind"] == "trace":
                yield pytest.param(f"{known.parent.name}/{name}", facts, id=f"{known.parent.name}-{Path(name).name}")


TRACES = list(known_traces())


def printed(capsys: Capture, *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    found = run(arguments)
    captured = capsys.readouterr()
    assert found == code, captured.err
    return captured.out


def table(capsys: Capture, kind: str, path: Path, *options: str) -> list[Row]:
    rows: list[Row] = json.loads(printed(capsys, "table", kind, str(path), "--format", "json", *options))
    return rows


def checked(capsys: Capture, path: Path, code: int = 0) -> Facts:
    found: Facts = json.loads(printed(capsys, "check", str(path), "--format", "json", code=code))
    return found


def lanes_of(rows: list[Row]) -> dict[str, tuple[str, str, int, int]]:
    return {f"{row['pid']}/{row['tid']}": (row["process"], row["thread"], row["events"], row["max_depth"])
            for row in rows}  # fmt: skip


def lanes_by(facts: Facts) -> dict[str, tuple[str, str, int, int]]:
    return {
        key: (lane["process"] or "", lane["thread"] or "", lane["x_events"], lane["max_depth"])
        for key, lane in facts["per_lane"].items()
        if lane["x_events"]
    }


def ns(microseconds: str) -> int:
    """A decimal time in us as whole ns, rounded half up."""
    return int((Decimal(microseconds) * 1000 + Decimal("0.5")) // 1)


@pytest.mark.parametrize(("name", "facts"), TRACES)
def test_every_trace_agrees_with_its_facts(shared_data: Path, name: str, facts: Facts, capsys: Capture) -> None:
    path = shared_data / name
    found = checked(capsys, path)
    assert found["events_by_phase"] == facts["by_phase"]
    assert found["flow_pairs"] == facts["flow_pairs"]
    assert (found["first_ts"], found["last_ts"]) == (facts["first_ts"], facts["last_ts"])
    assert sum(found["events_by_phase"].values()) == facts["events"]
    rows = table(capsys, "tracks", path)
    assert len(rows) == len({(row["pid"], row["tid"]) for row in rows})
    assert lanes_of(rows) == lanes_by(facts)
    slices = sum(row["events"] for row in rows)
    assert slices == facts["by_phase"].get("X", 0)
    assert min(row["start_ns"] for row in rows) == ns(facts["first_ts"])
    # Start and duration are rounded to whole ns each.
    assert abs(max(row["end_ns"] for row in rows) - ns(facts["max_end"])) <= 1
    assert abs(sum(row["sum_ns"] for row in rows) - Decimal(facts["sum_dur"]) * 1000) <= Decimal(slices) / 2
    assert all(row["wall_ns"] <= min(row["sum_ns"], row["end_ns"] - row["start_ns"]) for row in rows)
    agree_by_name(table(capsys, "events", path), facts)


def agree_by_name(rows: list[Row], facts: Facts) -> None:
    """Events by name and their nesting are as known."""
    assert len(rows) == facts["by_phase"].get("X", 0)
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row["name"]] += row["dur_ns"]
    calls = Counter(row["name"] for row in rows)
    for top in facts["top_by_name"]:
        assert abs(totals[top["name"]] - Decimal(top["total"]) * 1000) <= Decimal(calls[top["name"]]) / 2, top
    assert max(row["depth"] for row in rows) + 1 == max(lane["max_depth"] for lane in facts["per_lane"].values())


def test_there_are_many_of_them(shared_data: Path) -> None:
    assert len(TRACES) > 40


def test_slices_add_up_and_their_flows_meet(shared_data: Path, capsys: Capture) -> None:
    halves, whole = shared_data / "derived_edge_cases" / "sliced", shared_data.joinpath(*TRITON)
    together, parent = checked(capsys, halves), checked(capsys, whole)
    for key in ("events_by_phase", "flow_pairs", "first_ts", "last_ts"):
        assert together[key] == parent[key], key
    assert together["flow_pairs"] == 11
    assert [file["flow_pairs"] for file in together["files"] if file["role"] == "timeline"] == [0, 0]
    assert "2 slices of one timeline, 229 events, 11 flows" in printed(capsys, "check", str(halves))
    assert table(capsys, "tracks", halves) == table(capsys, "tracks", whole)
    assert table(capsys, "events", halves) == table(capsys, "events", whole)
    assert table(capsys, "gaps", halves) == table(capsys, "gaps", whole)


def test_a_truncated_trace_is_read_to_its_end(shared_data: Path, capsys: Capture) -> None:
    path = shared_data / "derived_edge_cases" / "truncated_json" / TRITON[1] / TRITON[2]
    rows = table(capsys, "events", path)
    found = checked(capsys, path, code=1)
    assert len(rows) == found["events_by_phase"]["X"] == path.read_text(encoding="utf-8").count('"dur"') - 1
    assert found["lost"] == 1
    assert found["problems"][0]["what"] == "the file ends inside its list of events"
    assert run(("table", "tracks", str(path))) == 0
    assert "byte 27871" in capsys.readouterr().err


def test_a_trace_with_a_hole_loses_only_what_was_there(shared_data: Path, tmp_path: Path, capsys: Capture) -> None:
    text = shared_data.joinpath(*TRITON).read_text(encoding="utf-8")
    events = json.loads(text)
    begin = text.index('"name":"AscendCL@aclnnInplaceNormal"')
    path = tmp_path / TRITON[2]
    path.write_text(text[:begin] + text[begin + 15 :], encoding="utf-8")
    found = checked(capsys, path, code=1)
    assert found["lost"] == len(events) - sum(found["events_by_phase"].values()) == 1
    rows = table(capsys, "events", path)
    assert len(rows) == sum(event["ph"] == "X" for event in events) - 1
    assert run(("report", str(path))) == 0
    assert "cannot be read" in capsys.readouterr().out


@pytest.mark.parametrize(
    "place", ["derived_edge_cases/zero_byte", "prof_empty_files_and_slices", "op_summary_triton_matmul384"]
)
@pytest.mark.parametrize("kind", ["events", "tracks", "gaps"])
def test_without_a_timeline_it_is_said(shared_data: Path, place: str, kind: str, capsys: Capture) -> None:
    assert run(("table", kind, str(shared_data / place))) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "has no timeline" in captured.err


def test_an_empty_list_of_events_has_no_rows(shared_data: Path, capsys: Capture) -> None:
    empty = shared_data / "derived_edge_cases" / "empty_array"
    assert table(capsys, "events", empty) == table(capsys, "tracks", empty) == []


def test_a_compressed_trace_is_the_same(shared_data: Path, tmp_path: Path, capsys: Capture) -> None:
    whole = shared_data.joinpath(*TRITON)
    path = tmp_path / (whole.name + ".gz")
    path.write_bytes(gzip.compress(whole.read_bytes()))
    assert checked(capsys, path)["events_by_phase"] == {"C": 2, "M": 28, "X": 177, "f": 11, "s": 11}
    assert table(capsys, "tracks", path) == table(capsys, "tracks", whole)


def test_a_compressed_trace_that_breaks_off_is_read_up_to_there(
    shared_data: Path, tmp_path: Path, capsys: Capture
) -> None:
    whole = shared_data.joinpath(*TRITON).read_bytes()
    packed = gzip.compress(whole)
    path = tmp_path / (TRITON[2] + ".gz")
    path.write_bytes(packed[: len(packed) * 3 // 4])
    found = checked(capsys, path, code=1)
    rows = table(capsys, "events", path)
    assert 100 < len(rows) == found["events_by_phase"]["X"] < 177
    assert table(capsys, "events", shared_data.joinpath(*TRITON), "--filter", f"name={rows[0]['name']}")[0] == rows[0]
    assert "cannot be read to its end" in found["problems"][0]["what"]


def test_nothing_readable_is_no_answer(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / (TRITON[2] + ".gz")
    path.write_bytes(gzip.compress(b"[]" * 99)[:20])
    for kind in ("events", "tracks", "gaps", "steps"):
        assert run(("table", kind, str(path))) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "cannot be read to its end" in captured.err


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Three launches of three tasks at a time that float64 cannot hold to the ns, with two gaps."""
    events = [
        *naming(HOST_PID, "CANN", "CPU", 7, t1="Thread 1"),
        *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13, t5="Stream 5"),
        x("AscendCL@aclmdlExecute", "1717575960208020.758", "1.000", tid=1),
        x("Node@launch", "1717575960208020.858", "0.100", tid=1, connection_id=1),
        x("Conv", "1717575960208021.001", "0.250", NPU_PID, 5, connection_id=1),
        x("Mul|=1", "1717575960208021.501", "0.125", NPU_PID, 5),
        x("Conv", "1717575960208023.001", "0.250", NPU_PID, 5),
        flow("s", 1, "1717575960208020.858", tid=1),
        flow("f", 1, "1717575960208021.001", NPU_PID, 5),
    ]
    return traces.written(tmp_path / "msprof_20240605080000.json", events)


def test_times_keep_every_digit_in_every_form(trace: Path, capsys: Capture) -> None:
    row = table(capsys, "events", trace, "--filter", "name=Node@launch")[0]
    assert row == {
        "track": "Thread 1", "process": "CANN", "name": "Node@launch", "start_ns": 1717575960208020858, "dur_ns": 100,
        "depth": 1, "self_ns": 100,
    }  # fmt: skip
    lines = printed(capsys, "table", "events", str(trace), "--format", "csv").splitlines()
    assert lines[0] == "track,process,name,start_ns,dur_ns,depth,self_ns"
    assert lines[1] == "Thread 1,CANN,AscendCL@aclmdlExecute,1717575960208020758,1000,0,900"
    assert printed(capsys, "table", "events", str(trace), "--format", "tsv").splitlines()[1] == lines[1].replace(
        ",", "\t"
    )
    assert "| Mul\\|=1 |" in printed(capsys, "table", "events", str(trace), "--format", "md")


def test_the_options_of_other_tables_work(trace: Path, tmp_path: Path, capsys: Capture) -> None:
    rows = table(capsys, "events", trace, "--sort", "dur desc", "--limit", "2", "--columns", "name,dur")
    assert rows == [{"name": "AscendCL@aclmdlExecute", "dur_ns": 1000}, {"name": "Conv", "dur_ns": 250}]
    assert [row["name"] for row in table(capsys, "events", trace, "--filter", "dur>0.2us process~Ascend")] == [
        "Conv", "Conv",
    ]  # fmt: skip
    groups = table(capsys, "events", trace, "--group", "name", "--filter", 'track="Stream 5"')
    assert [(row["name"], row["count"], row["total_us"]) for row in groups] == [("Conv", 2, 0.5), ("Mul|=1", 1, 0.125)]
    output = tmp_path / "tracks.csv"
    printed(capsys, "table", "tracks", str(trace), "--format", "csv", "-o", str(output))
    assert output.read_text(encoding="utf-8").count("\n") == 3
    origin = json.loads((tmp_path / "tracks.csv.meta.json").read_text(encoding="utf-8"))
    assert (origin["kind"], origin["files"]) == ("tracks", [str(trace)])


def test_tracks_by_hand(trace: Path, capsys: Capture) -> None:
    host, stream = table(capsys, "tracks", trace)
    assert host == {
        "process": "CANN", "thread": "Thread 1", "layer": "acl", "pid": str(HOST_PID), "tid": "1", "events": 2,
        "start_ns": 1717575960208020758, "end_ns": 1717575960208021758, "max_depth": 2, "device_id": "",
        "wall_ns": 1000, "sum_ns": 1100,
    }  # fmt: skip
    assert (stream["layer"], stream["device_id"], stream["max_depth"]) == ("device", "2", 1)
    assert (stream["wall_ns"], stream["sum_ns"], stream["end_ns"] - stream["start_ns"]) == (625, 625, 2250)
    heading = printed(capsys, "table", "tracks", str(trace)).splitlines()[0]
    assert [word for word in heading.split() if word not in ("ns", "µs")] == [
        "Process", "Thread", "Layer", "Device", "PID", "TID", "Events", "Nesting", "Wall", "Sum",
    ]  # fmt: skip


def test_gaps_are_the_longest_first_with_their_tasks(trace: Path, capsys: Capture) -> None:
    first, second = table(capsys, "gaps", trace)
    assert (first["length_ns"], first["before"], first["after"]) == (1375, "Mul|=1", "Conv")
    assert (second["start_ns"], second["length_ns"]) == (1717575960208021251, 250)
    assert second["launch_before_ns"] == 1717575960208020858
    assert second["launch_after_ns"] is None
    by_cause = table(capsys, "gaps", trace, "--group", "cause")
    assert [(row["cause"], row["count"], row["total_us"]) for row in by_cause] == [("no launch recorded", 2, 1.625)]


def test_steps_come_from_the_table_or_else_from_the_timeline(shared_data: Path, capsys: Capture) -> None:
    rank = shared_data / "torch_text_level1_2rank" / "rank0_ascend_pt"
    assert table(capsys, "steps", rank)[0]["computing"] == pytest.approx(8873.756)
    (step,) = table(capsys, "steps", rank / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
    assert (step["step"], step["name"]) == (50, "ProfilerStep#50")
    assert run(("table", "steps", str(shared_data.joinpath(*TRITON)))) == 2
    assert "nothing in the timeline marks an iteration" in capsys.readouterr().err


def test_no_device_no_gaps(shared_data: Path, capsys: Capture) -> None:
    path = shared_data / "mindspore_legacy_profiler_run2" / "profiler" / "ascend_timeline_display_1.json"
    assert run(("table", "gaps", str(path))) == 2
    assert "no tasks of a device" in capsys.readouterr().err


def test_hostile_names_are_shown_escaped(tmp_path: Path, capsys: Capture) -> None:
    path = traces.written(tmp_path / "msprof_20240605080000.json", [x("\x1b[2J[red]\n=1+1", "1.000")])
    for form in ("text", "md", "tsv", "csv", "json"):
        assert "\x1b" not in printed(capsys, "table", "events", str(path), "--format", form)
    assert "\\x1b[2J[red]" in printed(capsys, "table", "events", str(path))


def test_without_a_cache_nothing_stays_behind(trace: Path, repository: Path, private_home: Path) -> None:
    arguments = (sys.executable, "-m", "tui", "table", "events", str(trace), "--format", "csv")
    environment = {**os.environ, "NPUSCOPE_CACHE_MIB": "0"}
    done = subprocess.run(arguments, cwd=repository, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 6
    assert not list(private_home.rglob("*.npy"))


def test_progress_is_for_people_at_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    running = TimelineProgress("", "", 43, 100, 2_100_000, 1.0)
    import_progress(running)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    for progress in (running, replace(running, sorting=0.5), replace(running, done=True)):
        import_progress(progress)
    captured = capsys.readouterr()
    assert captured.err == "\rreading 43 %  2 100 000 events\x1b[K\rsorting 50 %\x1b[K\r\x1b[K"
    assert captured.out == ""


def test_a_read_only_home_is_no_obstacle(trace: Path, private_home: Path, capsys: Capture) -> None:
    (private_home / "cache").write_text("in the way", encoding="utf-8")
    assert len(table(capsys, "events", trace)) == 5

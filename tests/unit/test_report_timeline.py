"""What a timeline adds to the report: time of the devices, gaps and their causes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.unit import traces
from tests.unit.traces import HOST_PID, NPU_PID, naming, x
from tui import session as session_module
from tui.cli import run
from tui.model.view import view_of
from tui.readers.discover import discover
from tui.report import report_output, table_output
from tui.session import Session
from tui.timeline_facts import facts_of

Report = dict[str, Any]

TORCH = [("torch_text_level0_2rank", "rank0_ascend_pt"), ("torch_text_level0_2rank", "rank1_ascend_pt"),
         ("torch_text_level1_2rank", "rank0_ascend_pt"), ("torch_text_level1_2rank", "rank1_ascend_pt")]  # fmt: skip
PARTS = ("computing_ns", "communication_ns", "free_ns")


def report_of(path: Path) -> Report:
    found: Report = json.loads(report_output(Session(path), "json"))
    return found


def without_analysis(path: Path, target: Path) -> Path:
    """A trace without the lanes that tell where the time went."""
    events = json.loads(path.read_text(encoding="utf-8"))
    analysis = {event["pid"] for event in events if event.get("args", {}).get("name") == "Overlap Analysis"}
    assert analysis
    target.write_text(json.dumps([event for event in events if event["pid"] not in analysis]), encoding="utf-8")
    return target


def task(name: str, ts: str, dur: str, tid: int = 5, pid: int = NPU_PID, **args: object) -> traces.Event:
    return x(name, ts, dur, pid, tid, **args)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Two tasks with a gap that the host let happen, a copy and a collective beside them; all in whole us."""
    hccl_pid = NPU_PID + (1 << 5)
    return traces.written(
        tmp_path / "msprof_20240605080000.json",
        [
            *naming(HOST_PID, "CANN", "CPU", 7, t1="Thread 1"),
            *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13, t5="Stream 5", t6="Stream 6"),
            *naming(hccl_pid, "HCCL", "NPU 2", 14, t0="Plane 0"),
            x("AscendCL@aclopExecuteV2", "100.000", "10.000", tid=1),
            x("Node@launch", "101.000", "2.000", tid=1, connection_id=1),
            x("Node@launch", "390.000", "4.000", tid=1, connection_id=2),
            task("Conv|\x1b[2J", "200.000", "50.000", connection_id=1),
            task("Mul", "400.000", "20.000", connection_id=2),
            task("MEMCPY_ASYNC", "255.000", "5.000", tid=6),
            task("hcom_allReduce_", "240.000", "30.000", tid=0, pid=hccl_pid),
        ],
    )


def test_time_of_the_device_from_its_tasks(trace: Path) -> None:
    found = report_of(trace)
    assert found["split"]["devices"] == [
        {"device_id": "2", "start_ns": 200_000, "end_ns": 420_000, "computing_ns": 70_000, "communication_ns": 20_000,
         "free_ns": 130_000, "source": "tasks"}
    ]  # fmt: skip
    assert found["split"]["top_gaps"] == [
        {"device_id": "2", "start_ns": 270_000, "end_ns": 400_000, "length_ns": 130_000,
         "before": "hcom_allReduce_", "after": "Mul", "cause": "framework idle"}
    ]  # fmt: skip
    assert found["split"]["gaps_by_cause"] == [{"cause": "framework idle", "count": 1, "total_ns": 130_000}]
    assert {part["part"]: part["time_ns"] for part in found["split"]["parts"]} == {
        "computing": 70_000, "communication": 20_000, "idle": 130_000, "other": 100_000,
    }  # fmt: skip
    assert found["split"]["span_ns"] == 320_000
    assert not [line for line in found["not_evaluated"] if "gaps" in line]


@pytest.mark.parametrize("form", ["text", "md"])
def test_people_read_the_same(trace: Path, form: str) -> None:
    out = report_output(Session(trace), form)  # type: ignore[arg-type]
    assert "where 220 µs of device 2 went (by the union of the tasks of its streams)" in out
    words = " ".join(out.replace("|", " ").replace("\\", "").split())
    assert "computing 70.00 µs 31.8 % communication, not overlapped 20.00 µs 9.1 % free 130 µs 59.1 %" in words
    assert "framework idle 1× 130 µs" in words
    assert "longest gaps: device, start µs, length, cause, task before and after" in words
    assert "2 170.000 130 µs framework idle hcom_allReduce_ → Mul" in words
    assert "\x1b" not in out


def test_ascii_stays_ascii(trace: Path) -> None:
    out = report_output(Session(trace), "text", "ascii")
    assert out.isascii()
    assert "hcom_allReduce_ -> Mul" in out


@pytest.mark.parametrize(("name", "rank"), TORCH)
def test_the_split_is_that_of_the_step_trace(shared_data: Path, name: str, rank: str) -> None:
    folder = shared_data / name / rank
    with open(folder / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    (time,) = report_of(folder)["split"]["devices"]
    known = [Decimal(row[key]) * 1000 for key in ("Computing", "Communication(Not Overlapped)", "Free")]
    for key, value in zip(PARTS, known):
        assert abs(time[key] - value) <= 1, key  # the file adds up floats
    assert time["source"] == "overlap analysis"


@pytest.mark.parametrize(("name", "rank"), [*TORCH, ("prof_triton_matmul_910b", "mindstudio_profiler_output")])
def test_computed_parts_agree_with_recorded_ones(shared_data: Path, tmp_path: Path, name: str, rank: str) -> None:
    (path,) = [
        *(shared_data / name / rank).rglob("trace_view.json"),
        *(shared_data / name / rank).glob("msprof_*.json"),
    ]
    (recorded,) = report_of(path)["split"]["devices"]
    (computed,) = report_of(without_analysis(path, tmp_path / path.name))["split"]["devices"]
    assert (recorded["source"], computed["source"]) == ("overlap analysis", "tasks")
    # The analysis rounds each of some hundred intervals; it also counts idle time before the first task.
    for key in PARTS[:2]:
        assert abs(recorded[key] - computed[key]) < 200, key


def test_parts_of_the_old_layout_agree_too(shared_data: Path) -> None:
    timeline = Session(shared_data / "prof_910_train_device0_legacy").timeline()
    bare = replace(timeline, tracks=tuple(track for track in timeline.tracks if track.layer != "overlap"))
    (recorded,), (computed,) = facts_of(timeline).times, facts_of(bare).times
    assert (recorded.recorded, computed.recorded) == (True, False)
    assert (recorded.computing_ns, recorded.communication_ns, recorded.free_ns) == (
        computed.computing_ns, computed.communication_ns, computed.free_ns,
    )  # fmt: skip


def test_gaps_of_a_real_run(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared_data / "torch_text_level1_2rank" / "rank0_ascend_pt"
    found = report_of(folder)
    (time,) = found["split"]["devices"]
    assert sum(cause["total_ns"] for cause in found["split"]["gaps_by_cause"]) == time["free_ns"]
    lengths = [gap["length_ns"] for gap in found["split"]["top_gaps"]]
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) == 10
    capsys.readouterr()
    assert run(("table", "gaps", str(folder), "--format", "json", "--limit", "10")) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [{key: row[key] for key in found["split"]["top_gaps"][0]} for row in rows] == found["split"]["top_gaps"]


def test_no_timeline_is_said(shared_data: Path) -> None:
    found = report_of(shared_data / "op_summary_triton_matmul384")
    assert (found["split"]["devices"], found["split"]["top_gaps"], found["split"]["gaps_by_cause"]) == ([], [], [])
    assert "time of the devices, gaps: the profile has no timeline" in found["not_evaluated"]
    assert "of device" not in report_output(Session(shared_data / "op_summary_triton_matmul384")).replace(
        "% of device time", ""
    )


def test_a_timeline_of_the_host_alone_is_said(tmp_path: Path) -> None:
    path = traces.written(
        tmp_path / "msprof_20240605080000.json", [*naming(HOST_PID, "CANN"), x("AscendCL@aclInit", "1.000", "2.000")]
    )
    found = report_of(path)
    assert "time of the devices, gaps: the timeline has no tasks of a device" in found["not_evaluated"]
    assert found["split"] is None


def test_what_was_lost_is_in_the_report(trace: Path) -> None:
    text = trace.read_text(encoding="utf-8")
    trace.write_text(text[: text.rindex("hcom")], encoding="utf-8")
    out = report_output(Session(trace))
    assert out.splitlines()[1] == "! 1 problem limits what can be said"
    assert "the file ends inside its list of events" in out.splitlines()[2]
    assert report_of(trace)["split"]["devices"][0]["communication_ns"] == 0


def test_a_trace_too_large_for_a_scan_tells_the_same(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned = report_of(trace)
    assert scanned["top_apis"] == [
        {"api_name": "aclopExecuteV2", "level": "acl", "time_us": 10.0, "count": 1, "span_pct": 3.125}
    ]
    monkeypatch.setattr(session_module, "SCAN_LIMIT_BYTES", 10)
    assert report_of(trace) == scanned
    rows = Session(trace, watch=lambda _progress: None).table("apis")
    assert rows.note == "recomputed from msprof"
    assert rows.row_count == 2


def test_an_imported_timeline_tells_what_a_scan_tells(shared_data: Path) -> None:
    checked = 0
    for facts in sorted(shared_data.glob("*/expected.json")):
        for profile in discover(facts.parent).profiles:
            if not any(file.size_bytes for file in profile.files_of("timeline")):
                continue
            scanned, imported = Session(profile.root), Session(profile.root)
            imported.timeline()
            assert imported.span() == scanned.span(), profile.root
            tables = [session.optional("apis") for session in (scanned, imported)]
            rows = ["".join(table_output(table, view_of(table), form="json")) for table in tables if table]
            assert rows[:1] == rows[1:], profile.root
            assert scanned.is_scanned
            assert not imported.is_scanned
            checked += 1
    assert checked > 6


def test_begin_and_end_are_left_to_the_scan(tmp_path: Path) -> None:
    begin = {"name": "a", "ph": "B", "pid": 1, "tid": 1, "ts": "1.000"}
    path = traces.written(
        tmp_path / "msprof_20240605080000.json", [begin, {**begin, "ph": "E", "ts": "9.000"}, x("b", "2.000", "1.000")]
    )
    imported = Session(path)
    assert imported.timeline().end_ns_max == 9000
    assert imported.span() == Session(path).span()


def test_help_of_table_and_report_imports_nothing_heavy(repository: Path) -> None:
    script = (
        "import sys; from tui.cli import run; run(['table', '--help']); run(['report', '--help'])\n"
        "print([name for name in ('numpy', 'pandas', 'textual', 'orjson') if name in sys.modules])"
    )
    done = subprocess.run((sys.executable, "-c", script), cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_report_never_loads_textual(repository: Path, trace: Path) -> None:
    script = (
        "import sys; from tui.cli import run; run(['report', sys.argv[1]]); run(['table', 'gaps', sys.argv[1]])\n"
        "print([name for name in ('rich', 'textual', 'widgets') if name in sys.modules])"
    )
    arguments = (sys.executable, "-c", script, str(trace))
    done = subprocess.run(arguments, cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"

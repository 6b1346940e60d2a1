"""Every trace of the data sets as a timeline, against facts computed independently."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.unit import traces
from tui.model.timeline import Timeline
from tui.readers.discover import discover
from tui.readers.timelines import open_timeline, timeline_request


def expected_traces(data: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Every trace file with its facts."""
    found = []
    for facts in sorted(data.glob("*/expected.json")):
        files = json.loads(facts.read_text(encoding="utf-8"))["files"]
        found += [(facts.parent / name, fact) for name, fact in files.items() if fact["kind"] == "trace"]
    return found


def lanes(found: Timeline) -> dict[str, tuple[str, str, int, int]]:
    return {f"{t.pid}/{t.tid}": (t.process, t.thread, t.events, t.max_depth) for t in found.tracks}


def test_every_trace_agrees_with_its_facts(shared_data: Path) -> None:
    checked = expected_traces(shared_data)
    assert len(checked) > 40
    for path, facts in checked:
        found = traces.timeline(path)
        summary = found.summary
        assert summary.events == facts["events"], path
        assert dict(summary.events_by_phase) == facts["by_phase"], path
        assert (summary.first_ts, summary.last_ts) == (facts["first_ts"], facts["last_ts"]), path
        assert summary.flow_pairs == facts.get("flow_pairs", summary.flow_pairs), path
        assert summary.flow_pairs_s_with_t == facts.get("flow_pairs_s_with_t", summary.flow_pairs_s_with_t), path
        assert lanes(found) == {
            key: (lane["process"] or "", lane["thread"] or "", lane["x_events"], lane["max_depth"])
            for key, lane in facts["per_lane"].items()
            if lane["x_events"]
        }, path
        assert len(found) == facts["by_phase"]["X"], path
        # Each duration is rounded to whole ns, so sums differ by at most half of one for each event.
        assert abs(int(found.dur_ns.sum()) - Decimal(facts["sum_dur"]) * 1000) <= len(found) / 2, path


def test_slices_add_up_to_their_parent(shared_data: Path) -> None:
    parts = sorted((shared_data / "derived_edge_cases" / "sliced" / "mindstudio_profiler_output").glob("*.json"))
    whole = shared_data / "prof_triton_matmul_910b" / "mindstudio_profiler_output" / "msprof_20260511093035.json"
    sliced, parent = traces.timeline(*parts), traces.timeline(whole)
    assert len(parts) == 2
    assert lanes(sliced) == lanes(parent)
    assert traces.rows(sliced, ("name", "start_ns", "dur_ns", "depth", "self_ns")) == traces.rows(
        parent, ("name", "start_ns", "dur_ns", "depth", "self_ns")
    )
    assert sliced.summary.flow_pairs == len(sliced.flows) == 11
    assert traces.timeline(parts[0]).summary.flow_pairs == 0


def test_slices_of_a_profile_are_one_timeline(shared_data: Path) -> None:
    profile = discover(shared_data / "derived_edge_cases" / "sliced").profiles[0]
    found = open_timeline(timeline_request(profile))
    assert [Path(file).name.split("_")[2] for file in found.files] == ["0", "1"]
    assert found.summary.flow_pairs == 11


def test_framework_calls_reach_their_tasks(shared_data: Path) -> None:
    folder = shared_data / "torch_text_level1_2rank" / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    found = traces.timeline(folder / "trace_view.json")
    assert found.summary.unbound_flows == 0
    by_category: dict[str, list[tuple[str, str]]] = {}
    for arrow in range(len(found.flows)):
        ends = (found.flows.source[arrow], found.flows.target[arrow])
        source, target = (found.track(int(event)).process for event in ends)
        by_category.setdefault(found.flows.categories[found.flows.category_id[arrow]], []).append((source, target))
    assert {category: len(arrows) for category, arrows in by_category.items()} == {
        "async_npu": 210, "async_task_queue": 159, "fwdbwd": 27, "HostToDevice": 215,
    }  # fmt: skip
    assert set(by_category["async_npu"]) == {("Python", "Ascend Hardware"), ("Python", "HCCL")}
    assert {source for source, _target in by_category["HostToDevice"]} == {"CANN"}


def test_tasks_are_linked_to_their_launches(shared_data: Path) -> None:
    folder = shared_data / "torch_text_level1_2rank" / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    found = traces.timeline(folder / "trace_view.json")
    tasks = [event for track in found.tracks if track.layer == "device" for event in range(track.first, track.last)]
    hosted = [any(found.track(int(other)).layer == "acl" for other in found.linked(event)) for event in tasks]
    assert (len(tasks), sum(hosted)) == (535, 533)


def test_layers_and_devices(shared_data: Path) -> None:
    torch = traces.timeline(
        shared_data / "torch_text_level1_2rank" / "rank1_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    )
    assert {(t.process, t.layer, t.device) for t in torch.tracks} == {
        ("Python", "framework", ""), ("CANN", "acl", ""), ("Ascend Hardware", "device", "1"),
        ("HCCL", "communication", "1"), ("Overlap Analysis", "overlap", "1"),
    }  # fmt: skip
    assert {t.os_pid for t in torch.tracks} == {"3096506"}
    legacy = discover(shared_data / "prof_910_train_device0_legacy").profiles[0]
    old = open_timeline(timeline_request(legacy, iteration="3"))
    assert [Path(file).name for file in old.files] == ["msprof_0_2_3.json"]
    assert {t.layer for t in old.tracks if t.process == "Ascend Hardware"} == {"device", "steps"}
    assert {t.device for t in old.tracks if t.layer == "device"} == {"0"}

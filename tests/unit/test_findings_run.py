"""DQ, OV and HO: each rule applies, not just below its threshold, and says what it misses. Numbers by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.timelines import Lane, Slice, make_timeline
from tests.unit.rule_facts import apis, facts, figures, fired, missing, ops, profile, rule
from tests.unit.tables import number
from tui.findings.facts import Facts
from tui.model.problem import Problem
from tui.model.sources import Device, SourceFile
from tui.model.steps import Steps
from tui.model.table import Table
from tui.model.timeline import Summary, Timeline

US = 1000
ACL = Lane("5", "acl", "CANN", pid="31", device="")
FRAMEWORK = Lane("7", "framework", "Python", pid="30", device="")
COLLECTOR = Lane("8", "host_other", "Python GC", pid="29", device="")
OVERLAP = Lane("9", "overlap", "Overlap Analysis", pid="50")


def lines(*slices: Slice | tuple[str, str, int, int], **more: Any) -> Timeline:
    """A timeline with a CANN lane `5`, a framework `7`, a collector `8`, an overlap analysis `9`; times in µs."""
    scaled = [
        replace(one, start_ns=one.start_ns * US, dur_ns=one.dur_ns * US)
        if isinstance(one, Slice)
        else Slice(one[0], one[1], one[2] * US, one[3] * US)
        for one in slices
    ]
    used = {one.lane for one in scaled}
    return make_timeline(scaled, [lane for lane in (ACL, FRAMEWORK, COLLECTOR, OVERLAP) if lane.key in used], **more)


def on(*slices: Slice | tuple[str, str, int, int], **more: Any) -> Facts:
    return facts(timeline=lines(*slices), **more)


def file(name: str, role: str, kind: str = "", **more: Any) -> SourceFile:
    return SourceFile(Path(f"/data/PROF_1/{name}"), kind, role, 10, **more)  # type: ignore[arg-type]


# DQ


def test_collected_but_not_exported() -> None:
    found = fired("DQ01", facts(profile=profile(kind="raw")))
    assert found.severity == "error"
    assert found.command is not None
    assert found.command.text == "msprof --export=on --output=/data/PROF_1"
    assert rule("DQ01", facts()) is None
    assert missing("DQ01", facts(profile=profile(kind="file"))).missing


def test_collection_that_did_not_end() -> None:
    broken = profile(devices=(Device("0", ended_cleanly=True), Device("1", ended_cleanly=False)))
    assert fired("DQ02", facts(profile=broken)).evidence[0].device == "1"
    assert rule("DQ02", facts(profile=profile(devices=(Device("0", ended_cleanly=True),)))) is None
    assert "end_info" in missing("DQ02", facts(profile=profile())).missing


def test_level_0_has_no_types() -> None:
    assert fired("DQ03", facts(ops=ops([("N/A", 1.0)], task_type=["N/A"]))).severity == "warn"
    assert rule("DQ03", facts(ops=ops([("Add", 1.0)], task_type=["N/A"]))) is None
    assert "operators" in missing("DQ03", facts()).missing


def test_pipes_that_were_not_collected() -> None:
    assert fired("DQ04", facts(ops=ops([("Add", 1.0)], mac_ratio=[None]))).severity == "info"
    assert rule("DQ04", facts(ops=ops([("Add", 1.0)], mac_ratio=[0.0]))) is None
    assert "operators" in missing("DQ04", facts()).missing


def _sliced(*slices: tuple[int, str]) -> Facts:
    files = tuple(file(f"msprof_slice_{n}_{date}.json", "timeline", "msprof", slice=n, date=date) for n, date in slices)
    return facts(profile=replace(profile(), files=files))


def test_slices_with_a_hole() -> None:
    assert "msprof_slice_1" in fired("DQ05", _sliced((0, "1"), (2, "1"))).measured
    assert fired("DQ05", _sliced((0, "1"), (1, "2"))).severity == "error"
    assert rule("DQ05", _sliced((0, "1"), (1, "1"))) is None
    assert missing("DQ05", facts()).missing == "no timeline file"


def _spread(far_us: int) -> Facts:
    return on(*(("1", "Add", 1000 + place, 1) for place in range(102)), ("1", "Add", 1000 + far_us, 1))


def test_events_far_away() -> None:
    """Without the outermost hundredth on either side the others begin within 100 µs; 10 of those are 1000."""
    found = fired("DQ06", _spread(1102))
    assert (found.evidence_total, found.evidence[0].start_ns) == (1, 2_102_000)
    assert rule("DQ06", _spread(1101)) is None
    assert missing("DQ06", facts()).missing == "no timeline"


@pytest.mark.parametrize(("first", "digits"), [("1736405443861785.630", 18), ("1234567890123456", 16)])
def test_times_with_many_digits(first: str, digits: int) -> None:
    timeline = replace(lines(("1", "Add", 0, 1)), summary=Summary(first_ts=first))
    assert f"{digits} digits" in fired("DQ07", facts(timeline=timeline)).measured


def test_times_with_few_digits() -> None:
    timeline = replace(lines(("1", "Add", 0, 1)), summary=Summary(first_ts="123456789012.345"))
    assert rule("DQ07", facts(timeline=timeline)) is None
    assert missing("DQ07", facts()).missing == "no timeline"


def test_damaged_timeline() -> None:
    whole = lines(("1", "Add", 0, 1))
    found = fired("DQ08", facts(timeline=replace(whole, summary=Summary(recovered=2, lost=1))))
    assert "2 events" in found.measured
    problem = Problem("t.json", "byte 9", "the file ends in the middle", "", "")
    assert fired("DQ08", facts(timeline=replace(whole, problems=(problem,)))).evidence[0].text == "t.json"
    assert rule("DQ08", facts(timeline=whole)) is None
    assert missing("DQ08", facts()).missing == "no timeline"


def test_database_beside_text() -> None:
    both = (file("msprof_1.db", "database"), file("op_summary_1.csv", "ops"))
    assert fired("DQ09", facts(profile=replace(profile(), files=both))).severity == "info"
    assert rule("DQ09", facts(profile=replace(profile(), files=both[:1]))) is None


def _launched(early: int, all_: int) -> Facts:
    """Tasks that begin 5 µs after their launch, some of them 5 µs before."""
    slices = []
    for place in range(all_):
        start = 1000 + 100 * place
        slices += [Slice("5", "Node@launch", start, 2, place)]
        slices += [Slice("1", "Add", start - 5 if place < early else start + 5, 10, place)]
    return on(*slices)


def test_clock_skew() -> None:
    found = fired("DQ10", _launched(2, 100))
    assert (found.evidence_total, figures(found)["early_us"]) == (2, 5.0)
    assert rule("DQ10", _launched(1, 100)) is None
    assert "launches" in missing("DQ10", on(("1", "Add", 0, 1))).missing


def test_table_and_lane_disagree() -> None:
    def both(lane_us: int) -> Facts:
        return on(("1", "Add_0", 1000, lane_us), ("1", "OTHER", 5000, 900), ops=ops([("Add", 1000.0)]))

    assert "2.1 %" in fired("DQ11", both(979)).measured
    assert rule("DQ11", both(980)) is None
    assert "names" in missing("DQ11", on(("1", "MODEL", 0, 1), ops=ops([("Add", 1.0)]))).missing


def test_overlap_without_nesting() -> None:
    found = fired("DQ12", on(("1", "A", 0, 10), ("1", "B", 5, 10), ("1", "C", 20, 5)))
    assert (found.evidence_total, found.severity) == (1, "info")
    assert rule("DQ12", on(("1", "A", 0, 10), ("1", "B", 5, 5))) is None
    assert missing("DQ12", facts()).missing == "no timeline"


def test_operators_that_do_not_cover_the_lanes() -> None:
    def covered(row_us: float) -> Facts:
        return on(("1", "Add_0", 1000, 100), ops=ops([("Add", row_us)]))

    assert fired("DQ13", covered(79.9)).severity == "warn"
    assert rule("DQ13", covered(80.0)) is None
    assert missing("DQ13", facts(ops=ops([("Add", 1.0)]))).missing == "no timeline"


# OV


def _idle(free_us: int, busy_us: int = 500) -> Facts:
    return on(("1", "A", 0, busy_us), ("1", "B", busy_us + free_us, 1000 - free_us - busy_us))


def test_free_time() -> None:
    found = fired("OV01", _idle(101))
    assert (found.recoverable_us, found.severity) == (101.0, "high")
    assert rule("OV01", _idle(100)) is None
    assert "no timeline" in missing("OV01", facts()).missing


def test_severe_idling_takes_the_place_of_free_time() -> None:
    assert fired("OV02", _idle(200)).recoverable_us == 200.0
    assert rule("OV01", _idle(200)) is None
    assert rule("OV02", _idle(199)) is None
    assert "no timeline" in missing("OV02", facts()).missing


def test_severe_idling_names_synchronise_calls() -> None:
    calls = apis(aclrtSynchronizeDevice=(300.0, 2))
    assert "2 calls" in fired("OV02", replace(_idle(200), apis=calls)).advice
    assert "calls that wait" not in fired("OV02", _idle(200)).advice


def test_idle_time_before_the_model_runs_is_no_free_time() -> None:
    """The device copied weights at the start; between that and the first run the host loads the model."""
    runs = (("5", "AscendCL@aclmdlExecute", 5000, 1000), ("1", "Add", 5000, 1000))
    assert rule("OV02", on(("1", "MEMCPY", 0, 10), ("1", "Cast", 10, 10), *runs)) is None


def test_free_time_by_step_trace_and_by_operators() -> None:
    parts = (("computing", 700.0), ("communication_not_overlapped", 50.0), ("free", 250.0))
    steps = Table("steps", tuple(number(key, [us]) for key, us in parts))
    assert fired("OV02", facts(step_table=steps)).recoverable_us == 250.0
    by_rows = fired("OV02", facts(ops=ops([("Add", 100.0), ("Mul", 100.0)], gap_us=50.0)))
    assert (by_rows.recoverable_us, by_rows.confidence) == (50.0, "likely")


def _blocks(gaps_us: Sequence[int], kept: int = 100) -> Facts:
    slices, clock = [], 0
    for gap_us in (*gaps_us, 0):
        slices.append(("1", "Add", clock, kept))
        clock += kept + gap_us
    return on(*slices, span_us=float(clock))


def test_small_blocks() -> None:
    """2 of 6 blocks are followed by a gap above a fifth of them; 1 of 5 is not more than 20 %."""
    found = fired("OV03", _blocks([21, 30, 10, 10, 10]))
    assert (found.recoverable_us, found.evidence_total, found.severity) == (51.0, 2, "medium")
    assert rule("OV03", _blocks([21, 10, 10, 10])) is None
    assert rule("OV03", _blocks([20, 20, 20, 20, 20])) is None
    assert missing("OV03", facts()).missing == "no timeline"


GOOD = {
    "ASCEND_GLOBAL_LOG_LEVEL": "3", "ACLNN_CACHE_LIMIT": "10000", "HOST_CACHE_CAPACITY": "20",
    "ASCEND_LAUNCH_BLOCKING": "0", "PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "severity"),
    [("ASCEND_LAUNCH_BLOCKING", "1", "high"), ("ACLNN_CACHE_LIMIT", "9999", "low"), ("HOST_CACHE_CAPACITY", "0", "low"),
     ("HCCL_ALGO", "ring", "low"), ("PYTORCH_NPU_ALLOC_CONF", "", "low"), ("ASCEND_GLOBAL_LOG_LEVEL", "1", "low")],
)  # fmt: skip
def test_costly_variables(name: str, value: str, severity: str) -> None:
    found = fired("OV04", facts(variables={**GOOD, name: value}))
    assert (found.severity, [entry.text for entry in found.evidence]) == (severity, [name])


def test_good_and_unknown_variables() -> None:
    assert rule("OV04", facts(variables=GOOD)) is None
    assert "profiler_metadata.json" in missing("OV04", facts()).missing


def _steps(*durations_us: int) -> Steps:
    starts = np.cumsum([0, *durations_us[:-1]]).astype(np.int64) * US
    ends = starts + np.array(durations_us, np.int64) * US
    names = tuple(f"Iteration {place + 1}" for place in range(len(starts)))
    numbers = np.arange(1, len(starts) + 1)
    return Steps("step trace", names, numbers, starts, ends, np.full(len(starts), -1, np.int64), False)


def test_warm_up() -> None:
    found = fired("OV05", facts(steps=_steps(201, 100, 90, 110)))
    assert found.command is not None
    assert (found.severity, found.command.text) == ("info", ":iter 2..")
    assert rule("OV05", facts(steps=_steps(200, 100, 90, 110))) is None
    assert "iterations" in missing("OV05", facts(steps=_steps(200))).missing


def test_model_load_and_execution() -> None:
    assert fired("OV06", facts(apis=apis(aclmdlLoadFromFileWithMem=(200.0, 1)))).recoverable_us is None
    assert rule("OV06", facts(apis=apis(aclmdlLoadFromFileWithMem=(199.0, 1)))) is None
    assert "API" in missing("OV06", facts()).missing
    found = fired("OV07", facts(apis=apis(aclmdlExecute=(500.0, 2))))
    assert (found.severity, found.lead, found.next_key) == ("info", True, "t")
    assert rule("OV07", facts(apis=apis(aclmdlExecute=(499.0, 2)))) is None
    assert "not known" in missing("OV07", facts(apis=apis(aclmdlExecute=(1.0, 1)), host_span_ns=0)).missing


def test_execution_leads_to_its_event() -> None:
    about = on(("5", "AscendCL@aclmdlExecute", 100, 600), ("1", "Add", 200, 400), apis=apis(aclmdlExecute=(600.0, 1)))
    first = fired("OV07", about).evidence[0]
    assert (first.start_ns, first.end_ns, first.event >= 0) == (100_000, 700_000, True)


# HO


def _waited(waited: int, all_: int = 20) -> Facts:
    slices = []
    for place in range(all_):
        slices.append(("5", "Node@launch", place * 100, 10))
        name = "AscendCL@aclrtSynchronizeStream" if place < waited else "AscendCL@aclrtMemcpy"
        slices.append(("5", name, place * 100 + 20, 10))
    return on(*slices, ("1", "A", 0, 1), ("1", "B", 5000, 1), span_us=6000.0)


def test_launch_blocking() -> None:
    found = fired("HO01", _waited(11))
    assert (found.severity, found.recoverable_us, found.evidence_total) == ("high", 110.0, 11)
    assert rule("HO01", _waited(10)) is None
    assert "10 launches" in missing("HO01", _waited(5, 9)).missing


def test_synchronise_calls() -> None:
    calls = apis(aclrtSynchronizeStream=(30.0, 3), aclrtSynchronizeDevice=(20.0, 1))
    assert fired("HO02", facts(apis=calls)).recoverable_us == 50.0
    assert rule("HO02", facts(apis=apis(aclrtSynchronizeStream=(49.9, 3)))) is None
    assert "API" in missing("HO02", facts()).missing


def test_compiling() -> None:
    assert fired("HO03", facts(apis=apis(aclopCompileAndExecute=(90.0, 20)))).recoverable_us == 90.0
    assert rule("HO03", facts(apis=apis(aclopCompileAndExecute=(90.0, 19)))) is None
    assert "API" in missing("HO03", facts()).missing


def test_allocator() -> None:
    calls = apis(aclMallocMemInner=(10_000.0, 5), aclrtFree=(9_999.0, 5))
    found = fired("HO04", facts(100_000.0, apis=calls))
    assert (found.recoverable_us, found.severity) == (10_000.0, "high")
    assert rule("HO04", facts(100_000.0, apis=apis(aclrtFree=(9_999.0, 5)))) is None
    assert "API" in missing("HO04", facts()).missing


def test_garbage_collection() -> None:
    found = fired("HO05", on(("8", "GC", 0, 1000), ("8", "GC", 2000, 999), span_us=5000.0))
    assert (found.recoverable_us, found.severity, found.evidence_total) == (1000.0, "medium", 1)
    assert rule("HO05", on(("8", "GC", 0, 999))) is None
    assert missing("HO05", on(("1", "A", 0, 1))).option == ""
    framework = on(("1", "A", 0, 1), profile=profile(kind="torch"))
    assert missing("HO05", framework).option == "gc_detect_threshold"


def _silent(free_us: int, call_us: int) -> Facts:
    end = 100 + free_us
    return on(("1", "A", 0, 100), ("1", "B", end, 100), ("5", "AscendCL@aclrtMemcpy", 200, call_us),
              span_us=end + 100.0)  # fmt: skip


def test_silent_host() -> None:
    assert fired("HO06", _silent(200_001, 2000)).recoverable_us == 200_001.0
    assert rule("HO06", _silent(200_000, 2000)) is None
    assert rule("HO06", _silent(200_001, 2001)) is None
    assert "HO05" in missing("HO06", on(("8", "GC", 0, 1))).missing
    assert missing("HO06", on(("1", "A", 0, 1))).option == "--ascendcl=on"


def test_data_loader() -> None:
    found = fired("HO07", on(("7", "enumerate(DataLoader)#_next", 0, 10_000), span_us=20_000.0))
    assert (found.severity, found.recoverable_us) == ("high", 10_000.0)
    assert rule("HO07", on(("7", "enumerate(DataLoader)#_next", 0, 9_999))) is None
    assert "framework" in missing("HO07", on(("1", "A", 0, 1))).missing


def test_batch_norm() -> None:
    def called(times: int) -> Facts:
        return on(*(("7", "SyncBatchNorm", place * 10, 5) for place in range(times)))

    assert fired("HO08", called(20)).severity == "high"
    assert rule("HO08", called(19)) is None
    assert "framework" in missing("HO08", on(("1", "A", 0, 1))).missing


def test_causes_of_gaps() -> None:
    """The launch of the second task came 80 µs late."""
    slices = (
        Slice("5", "Node@launch", 0, 10, 1), Slice("1", "A", 20, 30, 1), Slice("5", "Node@launch", 110, 10, 2),
        Slice("1", "B", 130, 70, 2),
    )  # fmt: skip
    found = fired("HO09", on(*slices, span_us=8000.0))
    assert (found.recoverable_us, found.evidence[0].text) == (80.0, "A → B")
    assert figures(found) == {"gap_us": 80.0, "cause": "framework idle"}
    assert rule("HO09", on(*slices, span_us=8001.0)) is None
    assert "device lanes" in missing("HO09", on(("5", "AscendCL@x", 0, 1))).missing


def test_fusible_calls() -> None:
    """rms-norm once, an Adam step; what lies inside of another call and single calls of no sequence do not count."""
    names = ["pow", "mean", "add", "rsqrt", "mul", "neg"]
    slices = [("7", f"aten::{name}", 100 * place, 50) for place, name in enumerate(names)]
    found = fired("HO10", on(*slices, ("7", "aten::gelu", 510, 10), ("7", "Optimizer.step#Adam.step", 900, 10)))
    assert {entry.text.split(" ")[0] for entry in found.evidence} == {
        "torch_npu.npu_rms_norm", "torch_npu.optim.NpuFusedAdam",
    }  # fmt: skip
    assert (found.evidence[0].start_ns, found.evidence[0].end_ns) == (0, 450_000)
    assert rule("HO10", on(*slices[:3], *slices[4:])) is None
    assert "framework" in missing("HO10", on(("1", "A", 0, 1))).missing


@pytest.mark.parametrize(
    ("calls", "fused"),
    [("matmul mul add softmax dropout matmul", "fusion_attention"), ("chunk neg cat mul add", "rotary_mul"),
     ("slice sigmoid mul mul", "swiglu"), ("permute contiguous view", "confusion_transpose"),
     ("chunk gelu mul", "geglu"), ("softmax masked_fill_", "scaled_masked_softmax"), ("sigmoid mul", "silu")],
)  # fmt: skip
def test_sequences_with_a_fused_call(calls: str, fused: str) -> None:
    slices = [("7", f"aten::{name}", 100 * place, 50) for place, name in enumerate(calls.split())]
    found = fired("HO10", on(*slices))
    assert (found.evidence_total, found.evidence[0].text.split(" ")[0]) == (1, f"torch_npu.npu_{fused}")


def _calls(longest_us: int) -> Facts:
    slices = [("5", "AscendCL@aclrtMemcpyAsync", place * 10, 200) for place in range(4)]
    return on(*slices, ("5", "AscendCL@aclrtMemcpyAsync", 100, longest_us), span_us=9000.0)


def test_outlier_calls() -> None:
    found = fired("HO11", _calls(2001))
    assert (found.recoverable_us, figures(found)["p50_us"]) == (1801.0, 200.0)
    assert rule("HO11", _calls(2000)) is None
    assert missing("HO11", on(("1", "A", 0, 1))).option == "--ascendcl=on"


def _copied(copies: int, tasks: int = 51) -> Facts:
    slices = [("1", "Add", place * 100, 50) for place in range(tasks)]
    slices += [("2", "MEMCPY_ASYNC", place * 100 + 60, 20) for place in range(copies)]
    return on(*slices)


def test_copies_between_tasks() -> None:
    """16 of 50 pairs are 32 %, 15 are 30."""
    found = fired("HO12", _copied(16))
    assert (found.severity, found.confidence, found.recoverable_us) == ("medium", "hint", 320.0)
    assert rule("HO12", _copied(15)) is None
    assert "in a row" in missing("HO12", _copied(16, 50)).missing

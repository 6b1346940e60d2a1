"""The session: what it opens lazily, what it recomputes, which span and facts it tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.tables import number, text
from tui.errors import NoSuchTable, NotAProfile
from tui.model.table import Table
from tui.overview import overview
from tui.session import Session

HEADER = "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Block Dim,Input Shapes\n"
ROWS = (
    "0,Conv_0,Conv2D,AI_CORE,1000.000\t,3.500,8,1\n"
    "0,Mul_1,Mul,AI_VECTOR_CORE,1005.000\t,2.250,1,1\n"
    "1,Conv_0,Conv2D,AI_CORE,1000.500\t,4.000,8,1\n"
)


def write_output(folder: Path, **files: str) -> Path:
    """A merged export with the given files, `kind=content`; a JSON kind ends with `_json`."""
    output = folder / "PROF_000001_20240101000000000_ABCDEFGHIJKLMNOP" / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    (output.parent / "device_0").mkdir()
    (output.parent / "device_1").mkdir()
    for kind, content in files.items():
        name = f"{kind[:-5]}_20240101000001.json" if kind.endswith("_json") else f"{kind}_20240101000001.csv"
        (output / name).write_text(content, encoding="utf-8")
    return output.parent


def trace(*events: dict[str, object]) -> str:
    name = {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "CANN"}}
    return json.dumps([name, *events])


def call(name: str, ts: str, dur: float) -> dict[str, object]:
    return {"name": name, "ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": dur}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    timeline = trace(call("AscendCL@aclInit", "900.000", 50), call("AscendCL@aclmdlExecute", "990.000", 110))
    return write_output(tmp_path, op_summary=HEADER + ROWS, msprof_json=timeline)


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    session = Session(tmp_path / "nowhere")
    with pytest.raises(NotAProfile):
        _ = session.profiles


def test_missing_statistics_are_recomputed_and_say_so(profile: Path) -> None:
    session = Session(profile)
    types = session.table("op-types")
    assert "op_summary" in types.note
    totals = types.number("total_time_us")
    assert totals is not None
    assert sorted(totals.tolist()) == [2.25, 3.5, 4.0]
    apis = session.table("apis")
    assert "msprof" in apis.note
    times, spans = apis.number("time_us"), apis.number("span_pct")
    assert times is not None
    assert spans is not None
    assert times.tolist() == [50.0, 110.0]
    assert spans.tolist() == [25.0, 55.0]


def test_span_is_of_the_timeline(profile: Path) -> None:
    span = Session(profile).span()
    assert span is not None
    assert (span.start_ns, span.end_ns, span.source) == (900_000, 1_100_000, "msprof")


def test_span_without_timeline_is_of_the_rows(tmp_path: Path) -> None:
    span = Session(write_output(tmp_path, op_summary=HEADER + ROWS)).span()
    assert span is not None
    assert (span.start_ns, span.end_ns, span.source) == (1_000_000, 1_007_250, "op_summary")


def test_no_table_says_what_there_is(profile: Path) -> None:
    with pytest.raises(NoSuchTable) as caught:
        Session(profile).table("l2_cache")
    assert caught.value.message


def test_tables_are_kept_until_the_choice_changes(profile: Path) -> None:
    session = Session(profile)
    first = session.table("ops")
    assert session.table("ops") is first
    assert session.is_read("ops")
    session.choose(device="1")
    assert not session.is_read("ops")
    assert session.table("ops").row_count == 1


def test_offered_tables_are_completed(profile: Path) -> None:
    session = Session(profile)
    offered = Table("apis", (text("level", ["acl"]), text("api_name", ["aclInit"]), number("time_us", [20.0], "us")))
    assert session.offer("apis", offered).number("span_pct") == pytest.approx([10.0])
    assert session.table("apis").row_count == 1


def test_device_rows_and_facts(samples: Path) -> None:
    session = Session(samples / "mish_before")
    assert session.facts() == ("npu0 Ascend310P", "CANN 8.0.0")
    device = session.device_of("0")
    assert device is not None
    assert device.ai_core_num == 8
    assert session.device_of("7") is None


def test_facts_of_the_old_layout_name_the_iteration(samples: Path) -> None:
    assert "iter 1" in Session(samples / "legacy_before").facts()


def test_files_table(profile: Path) -> None:
    table = Session(profile).table("files")
    roles, sizes = table.text("role"), table.number("size_bytes")
    assert roles is not None
    assert sizes is not None
    assert {"ops", "timeline"} <= set(roles.texts(slice(None)))
    assert len(HEADER + ROWS) in sizes.tolist()


def test_overview_of_the_reference_case(samples: Path) -> None:
    """The numbers that the sample's own README promises."""
    data = overview(Session(samples / "mish_before"))
    assert data.split is not None
    parts = {part.key: round(part.time_ns / 1e6, 2) for part in data.split.parts}
    assert (parts["load"], parts["computing"]) == (62.40, 112.95)
    assert sum(part.time_ns for part in data.split.parts) == 214_600_000
    assert data.split.verdict == "device-bound"
    assert [(row.name, row.count) for row in data.top_ops[:2]] == [("Conv2D", 110), ("Softplus", 72)]
    assert [row.name for row in data.top_apis[:2]] == ["aclmdlExecute", "aclmdlLoadFromFileWithMem"]
    assert data.top_apis[0].share_pct == pytest.approx(55.1, abs=0.05)
    assert data.health[0].severity == "ok"


def test_both_layouts_tell_the_same(samples: Path) -> None:
    new, old = (overview(Session(samples / name)) for name in ("mish_before", "legacy_before"))
    assert [(row.name, row.count, row.total_us) for row in new.top_ops] == [
        (row.name, row.count, row.total_us) for row in old.top_ops
    ]
    assert [(row.name, row.total_us) for row in new.top_apis[:5]] == [
        (row.name, row.total_us) for row in old.top_apis[:5]
    ]


def test_overview_without_types_sums_by_name(tmp_path: Path) -> None:
    rows = ROWS.replace("Conv2D", "N/A").replace(",Mul,", ",N/A,")
    data = overview(Session(write_output(tmp_path, op_summary=HEADER + rows)))
    assert data.top_ops_by == "op_name"
    assert [(row.name, row.total_us) for row in data.top_ops] == [("Conv_0", 7.5), ("Mul_1", 2.25)]
    assert any("op_summary" in line.fact for line in data.health)
    assert len(data.not_evaluated) >= 2


def test_overview_of_a_profile_without_operators(tmp_path: Path) -> None:
    data = overview(Session(write_output(tmp_path, msprof_json=trace(call("AscendCL@aclInit", "1.000", 2)))))
    assert (data.split, data.top_ops) == (None, ())
    assert data.split_missing
    assert [row.name for row in data.top_apis] == ["aclInit"]

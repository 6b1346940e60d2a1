"""One pass over timeline files: exact counts and times, whatever state the file is in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tui.readers.trace_pieces import PIECE_BYTES
from tui.readers.trace_scan import Progress, TraceSummary, scan_trace, scan_trace_steps, union_ns
from tui.readers.trace_times import ns_of_us

HARDWARE = {"name": "process_name", "ph": "M", "pid": 7, "tid": 0, "args": {"name": "Ascend Hardware"}}


def event(name: str, ts: str, dur: object = 1.0, pid: int = 7, tid: int = 3, **more: object) -> dict[str, Any]:
    return {"name": name, "ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": {}, **more}


def written(path: Path, events: list[dict[str, Any]], compact: bool = True) -> Path:
    path.write_text(json.dumps(events, separators=(",", ":") if compact else None), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1778463028384811.770", 1778463028384811770),
        ("0.0", 0),
        ("5", 5000),
        ("56635864652.490005", 56635864652490),
        ("1.0005", 1001),
        ("1.0004", 1000),
        ("1.23e3", 1230000),
        ("-2.5", -2500),
        (" 7.1\t", 7100),
        ("nan", None),
        ("", None),
        ("1e400", None),
        ("99999999999999999999", None),
        (None, None),
    ],
)
def test_times_are_exact(text: object, expected: int | None) -> None:
    assert ns_of_us(text) == expected


def test_overlapping_intervals_count_once() -> None:
    assert union_ns([0, 10, 5, 12, 20, 30, 22, 25]) == 22
    assert union_ns([]) == 0


@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_trace_of_many_pieces_is_read_whole(tmp_path: Path, compact: bool, wrapped: bool) -> None:
    count = 4 * PIECE_BYTES // 100
    nested: dict[str, Any] = {"args": {"list": [{"a": 1}, {"b": [{"c": '}, {"'}]}]}}
    events = [event(f"op{i}", f"{i}.125", 0.5, **(nested if i % 97 == 0 else {})) for i in range(count)]
    separators = (",", ":") if compact else (", ", ": ")
    text = json.dumps({"schemaVersion": 1, "traceEvents": events, "more": [{"x": 1}, {"y": 2}]} if wrapped else events,
                      separators=separators)  # fmt: skip
    path = tmp_path / "msprof.json"
    path.write_text(text, encoding="utf-8")
    summary = scan_trace(path)
    assert summary.events == count
    assert summary.problems == ()
    assert (summary.recovered, summary.lost) == (0, 0)
    assert (summary.first_ts, summary.last_ts) == ("0.125", f"{count - 1}.125")
    assert summary.end_ns == (count - 1) * 1000 + 625


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", [event(f"op{i}", f"{i}.000") for i in range(6000)])
    steps = list(scan_trace_steps(path))
    progress = [step for step in steps if isinstance(step, Progress)]
    assert len(progress) > 3
    assert progress[-1] == Progress(path.stat().st_size, path.stat().st_size, 6000)
    assert isinstance(steps[-1], TraceSummary)


def test_a_packed_trace_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace_view.json.gz"
    path.write_bytes(gzip.compress(json.dumps([event("a", "1.000"), event("b", "2.000")]).encode()))
    assert scan_trace(path).events == 2


def test_a_torn_packed_trace_gives_what_is_there(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps([event(f"op{i}", f"{i}.{i % 997:03}") for i in range(20000)]).encode())
    path = tmp_path / "trace_view.json.gz"
    path.write_bytes(whole[: len(whole) // 2])
    summary = scan_trace(path)
    assert 5000 < summary.events < 20000
    assert summary.problems


@pytest.mark.parametrize(("ending", "lost"), [('{"name":"b","ph":"X","ts":"2.0', 1), ("", 0), ('{"name":"b', 1)])
def test_a_truncated_trace_keeps_its_complete_events(tmp_path: Path, ending: str, lost: int) -> None:
    path = tmp_path / "msprof.json"
    path.write_text("[" + json.dumps(event("a", "1.000")) + "," + ending, encoding="utf-8")
    summary = scan_trace(path)
    assert summary.events == 1
    assert summary.lost == lost
    assert [problem.what for problem in summary.problems] == ["the file ends inside its list of events"]
    assert summary.problems[0].where.startswith("byte ")


@pytest.mark.parametrize("bad", ["C:\\x86\\qe", "a\nb", "tab\there", "\x01", "\\u12"])
def test_badly_escaped_names_are_repaired(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "msprof.json"
    good = json.dumps(event("good", "1.000"))
    path.write_text(f"[{good},{good.replace('good', bad)},{good}]", encoding="utf-8")
    summary = scan_trace(path)
    assert (summary.events, summary.recovered, summary.lost) == (3, 1, 0)
    assert any("badly escaped" in problem.what for problem in summary.problems)


def test_an_unreadable_event_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "msprof.json"
    good = json.dumps(event("good", "1.000"))
    path.write_text(f'[{good},{{"name":"broken" "ph"}},{good},{good}]', encoding="utf-8")
    summary = scan_trace(path)
    assert (summary.events, summary.lost) == (3, 1)
    assert "1 event cannot be read" in [problem.what for problem in summary.problems]


def test_invalid_utf8_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "msprof.json"
    path.write_bytes(b"[" + json.dumps(event("XX", "1.000")).encode().replace(b"XX", b"\xff\xfe") + b"]")
    assert scan_trace(path).events == 1


@pytest.mark.parametrize("content", [b"[]", b" [ ] \n", b"]", b'{"traceEvents":[]}', b"\xef\xbb\xbf[]"])
def test_a_trace_without_events_is_fine(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "msprof.json"
    path.write_bytes(content)
    summary = scan_trace(path)
    assert (summary.events, summary.problems, summary.span_ns) == (0, (), 0)


@pytest.mark.parametrize("content", [b"", b"  ", b'{"status": 1, "info": "no data"}', b"hello", b"\x00\x01" * 500])
def test_what_is_no_trace_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "msprof.json"
    path.write_bytes(content)
    summary = scan_trace(path)
    assert summary.events == 0
    assert len(summary.problems) == 1


def test_members_that_are_no_events_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "msprof.json"
    path.write_text('[1, null, {"ph": 3}, "x", {"ph": "X", "ts": "a", "dur": 1}]', encoding="utf-8")
    summary = scan_trace(path)
    assert summary.events == 1
    assert summary.lost >= 4 - 1
    assert any("no readable time" in problem.what for problem in summary.problems)


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    summary = scan_trace(tmp_path / "absent.json")
    assert summary.events == 0
    assert summary.problems[0].severity == "error"


def test_numbers_keep_the_digits_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "trace_view.json"
    path.write_text(
        '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1736413971558972.913,"dur":0.001},'
        '{"ph":"s","name":"f","cat":"c","id":1208925819614629174706175,"ts":1},'
        '{"ph":"f","name":"f","cat":"c","id":1208925819614629174706175,"ts":1},'
        '{"ph":"f","name":"f","cat":"c","id":1208925819614629174706176,"ts":1}]',
        encoding="utf-8",
    )
    summary = scan_trace(path)
    assert summary.first_ts == "1736413971558972.913"
    assert (summary.start_ns, summary.end_ns) == (1736413971558972913, 1736413971558972914)
    assert summary.flow_pairs == 1


def test_flows_pair_by_category_and_id(tmp_path: Path) -> None:
    flows = [
        ("s", "a", "1"),
        ("f", "a", "1"),
        ("f", "a", "1"),
        ("s", "b", "1"),
        ("s", "x", "9"),
        ("t", "x", "9"),
        ("f", "a", "2"),
    ]
    path = written(tmp_path / "t.json", [{"ph": ph, "cat": cat, "id": id_, "ts": "1.000"} for ph, cat, id_ in flows])
    summary = scan_trace(path)
    assert (summary.flow_pairs, summary.flow_pairs_s_with_t) == (1, 1)
    assert summary.events_by_phase == {"f": 3, "s": 3, "t": 1}


def test_names_that_come_last_still_count(tmp_path: Path) -> None:
    events = [
        event("k1", "10.000", 5),
        event("k2", "12.000", 5),
        event("Iteration 1", "0.000", 100, tid=70001),
        event("AscendCL@aclrtMalloc", "1.000", 2.5, pid=2, tid=9),
        event("AscendCL@aclrtMalloc", "5.000", 1.5, pid=2, tid=9),
        event("Node@launch", "2.000", 1, pid=2, tid=9),
        event("Hccl@x", "2.000", 1, pid=2, tid=9),
        event("other", "3.000", 1, pid=5, tid=9),
        HARDWARE,
        {**HARDWARE, "name": "process_labels", "args": {"labels": "NPU 3"}},
        {**HARDWARE, "name": "thread_name", "tid": 70001, "args": {"name": "Step Trace(Model ID:1)"}},
        {**HARDWARE, "pid": 2, "args": {"name": "CANN"}},
    ]
    summary = scan_trace(written(tmp_path / "t.json", events))
    assert summary.device_busy_ns == {"3": 7000}
    spans = {(span.level, span.name): (span.count, span.sum_ns, span.min_ns, span.max_ns) for span in summary.api_spans}
    assert spans == {
        ("acl", "aclrtMalloc"): (2, 4000, 1500, 2500),
        ("node", "launch"): (1, 1000, 1000, 1000),
        ("communication", "x"): (1, 1000, 1000, 1000),
    }
    assert summary.span_ns == 100_000


def test_calls_of_the_oldest_layout_have_bare_names(tmp_path: Path) -> None:
    process = {"name": "process_name", "ph": "M", "pid": "2_85078", "tid": 0, "args": {"name": "AscendCL"}}
    call = {"name": "aclmdlExecute", "pid": "2_85078", "tid": 85078, "ts": 497845389418.92, "dur": 3170.6, "ph": "X"}
    summary = scan_trace(written(tmp_path / "t.json", [process, call]))
    assert [(span.level, span.name, span.sum_ns) for span in summary.api_spans] == [("acl", "aclmdlExecute", 3170600)]
    assert summary.first_ts == "497845389418.92"


def test_every_real_trace_agrees_with_what_is_known_of_it(shared_data: Path) -> None:
    checked = 0
    for known in sorted(shared_data.glob("*/expected.json")):
        for name, facts in json.loads(known.read_text(encoding="utf-8"))["files"].items():
            if facts["kind"] != "trace":
                continue
            summary = scan_trace(known.parent / name)
            found = (dict(summary.events_by_phase), summary.flow_pairs, summary.flow_pairs_s_with_t, summary.first_ts)
            expected = (facts["by_phase"], facts["flow_pairs"], facts["flow_pairs_s_with_t"], facts["first_ts"])
            assert found == expected, name
            assert (summary.last_ts, summary.events, summary.lost) == (facts["last_ts"], facts["events"], 0), name
            assert summary.end_ns == ns_of_us(facts["max_end"]) or len(facts["max_end"].partition(".")[2]) > 3, name
            checked += 1
    assert checked > 40


def test_recomputed_api_times_equal_the_exported_statistics(shared_data: Path) -> None:
    folder = shared_data / "prof_triton_matmul_910b"
    facts = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    by_level = facts["mindstudio_profiler_output/api_statistic_20260511093035.csv"]["api_statistic"]["time_by_level_us"]
    summary = scan_trace(folder / "mindstudio_profiler_output/msprof_20260511093035.json")
    found: dict[str, int] = {}
    for span in summary.api_spans:
        found[span.level] = found.get(span.level, 0) + span.sum_ns
    assert found == {level: ns_of_us(total) for level, total in by_level.items()}


def test_an_empty_packed_file_is_not_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "msprof_20240605080000.json.gz"
    path.write_bytes(gzip.compress(b""))
    (problem,) = scan_trace(path).problems
    assert problem.what == "there is nothing in the packed file"

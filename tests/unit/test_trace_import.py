"""Traces of every kind → timelines, against a plain account event by event."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit import traces
from tests.unit.traces import HOST_PID, NPU_PID, Event, flow, naming, sample, timeline, written, x
from tui.model.timeline import Timeline
from tui.readers import trace_blocks, trace_pieces
from tui.readers.timelines import TimelineRequest, TracePart, open_timeline

EPOCH = 1_778_463_028_384_811


def ns(text: object) -> int:
    return int((Decimal(str(text)) * 1000).to_integral_value(ROUND_HALF_UP))


def plain_lanes(events: list[Event]) -> dict[tuple[str, str], list[tuple[str, int, int]]]:
    """(name, start, duration) of the slices of each lane, in the order of the contract."""
    found: defaultdict[tuple[str, str], list[tuple[str, int, int]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            slice_ = (event["name"], ns(event["ts"]), max(0, ns(event["dur"])))
            found[(str(event["pid"]), str(event["tid"]))].append(slice_)
    return {lane: sorted(rows, key=lambda row: (row[1], -row[2])) for lane, rows in found.items()}


def found_lanes(found: Timeline) -> dict[tuple[str, str], list[tuple[str, int, int]]]:
    rows = traces.rows(found)
    return {(track.pid, track.tid): rows[track.first : track.last] for track in found.tracks}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces and blocks of a few events, so that little traces are cut often."""
    monkeypatch.setattr(trace_pieces, "PIECE_BYTES", 700)
    monkeypatch.setattr(trace_blocks, "BLOCK_BYTES", 3000)


def some_events(seed: int, count: int) -> list[Event]:
    """A mixture of all phases, with members that look like the bounds of events."""
    pick = random.Random(seed)
    events: list[Event] = []
    for number in range(count):
        ts = f"{EPOCH + pick.randrange(4000)}.{pick.randrange(1000):03}"
        pid, tid = pick.choice([(HOST_PID, 1), (HOST_PID, 2), (NPU_PID, 7), ("2_85", "Thread 9")])
        kind = pick.randrange(10)
        if kind < 5:
            dur = pick.choice([0, 1, 12.5, 3.125, 0.001, pick.randrange(10**6) / 1000, 12.77012757357446])
            args = {"connection_id": pick.randrange(40), "list": [{"a": 1}, {"c": "X"}, {"b": '},{"ph"'}]}
            events.append({**x(f"op{pick.randrange(9)}", ts, dur, pid, tid), "args": args})
        elif kind < 8:
            events.append(sample(f"c{pick.randrange(3)}", ts, **{"Read(MB/s)": pick.random(), "Write(MB/s)": number}))
        else:
            number_id = pick.choice(
                [str((pick.randrange(30) << 80) + 5), pick.randrange(9), f"{pick.randrange(5)}-1-0"]
            )
            events.append(flow(pick.choice("sft"), number_id, ts, pid, tid))
    return events


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("compact", [False, True])
def test_a_trace_in_many_blocks_is_read_whole(tmp_path: Path, small_blocks: None, compact: bool, wrapped: bool) -> None:
    events = some_events(5, 800)
    found = timeline(written(tmp_path / "t.json", events, compact, wrapped))
    assert found_lanes(found) == plain_lanes(events)
    assert found.problems == ()
    assert found.summary.events == 800
    phases: defaultdict[str, int] = defaultdict(int)
    for event in events:
        phases[event["ph"]] += 1
    assert dict(found.summary.events_by_phase) == phases
    slices = [event for event in events if event["ph"] == "X"]
    assert ns(found.summary.first_ts) == min(ns(event["ts"]) for event in slices)
    assert ns(found.summary.last_ts) == max(ns(event["ts"]) for event in slices)
    samples = sorted((ns(e["ts"]), e["args"]["Write(MB/s)"]) for e in events if e["ph"] == "C")
    writes = [c for c in found.counters if c.series == "Write(MB/s)"]
    assert (
        sorted(zip([t for c in writes for t in c.times_ns.tolist()], [v for c in writes for v in c.values.tolist()]))
        == samples
    )
    assert all((c.times_ns[1:] >= c.times_ns[:-1]).all() for c in found.counters)
    groups: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for event in events:
        if event["ph"] in "sft":
            groups[(event["cat"], str(event["id"]))].add(event["ph"])
    assert found.summary.flow_pairs == sum({"s", "f"} <= phases for phases in groups.values())
    assert found.summary.flow_pairs_s_with_t == sum({"s", "t"} <= phases for phases in groups.values())


def test_members_that_look_like_events_do_not_mislead(tmp_path: Path, small_blocks: None) -> None:
    inner = [x("inner", "1.000"), x("inner", "2.000")]
    events = [{**x(f"op{i}", f"{i}.000", 0.5), "args": {"of": inner}} for i in range(200)]
    found = timeline(written(tmp_path / "t.json", events))
    assert found_lanes(found) == plain_lanes(events)
    assert found.problems == ()
    assert found.summary.events == 200


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**9), st.integers(1, 60), st.booleans())
def test_bare_numbers_are_taken_from_their_digits(tmp_path: Path, seed: int, count: int, noisy: bool) -> None:
    pick = random.Random(seed)
    texts = []
    for _ in range(count):
        whole = pick.choice([EPOCH + pick.randrange(100), pick.randrange(10**11)])
        digits = pick.choice(["", ".5", ".0005", f".{pick.randrange(10**3):03}", f".{pick.randrange(10**9):09}"])
        dur = pick.choice(
            ["0", "1.0005", "2.9995", f"{pick.randrange(10**5)}.{pick.randrange(10**6):06}" if noisy else "7"]
        )
        texts.append((f"{whole}{digits}", dur))
    path = tmp_path / f"{seed}.json"
    path.write_text("[" + ",".join(
        f'{{"name":"a","ph":"X","pid":3,"tid":"{i % 2}","ts":{ts},"dur":{dur}}}' for i, (ts, dur) in enumerate(texts)
    ) + "]", encoding="utf-8")  # fmt: skip
    found = timeline(path)
    assert sorted(zip(found.start_ns.tolist(), found.dur_ns.tolist())) == sorted((ns(ts), ns(dur)) for ts, dur in texts)


def test_no_event_at_epoch_times_is_dropped_or_merged(tmp_path: Path, small_blocks: None) -> None:
    """A quarter of a microsecond is what a double can tell apart at such times; these are one ns apart."""
    events = [x("op", f"{EPOCH}.{i:03}", 0.001, tid=i % 3) for i in range(1000)]
    found = timeline(written(tmp_path / "t.json", events))
    assert len(found) == 1000
    assert sorted(found.start_ns.tolist()) == [EPOCH * 1000 + i for i in range(1000)]
    assert int(found.depth.max()) == 0
    assert int(found.overlap.sum()) == 0


def test_names_may_come_after_their_events(tmp_path: Path, small_blocks: None) -> None:
    events = [x("AscendCL@a", f"{i}.000", 0.5) for i in range(200)]
    found = timeline(written(tmp_path / "t.json", [*events, *naming(HOST_PID, "CANN", "CPU", 7, t1="Thread 1")]))
    (track,) = found.tracks
    assert (track.process, track.thread, track.layer, track.device, track.os_pid) == (
        "CANN",
        "Thread 1",
        "acl",
        "",
        "77",
    )
    assert (track.events, track.start_ns, track.end_ns, track.max_depth) == (200, 0, 199_500, 1)


@pytest.mark.parametrize(
    ("pid", "name", "label", "sort", "layer", "device", "os_pid"),
    [
        (NPU_PID, "Ascend Hardware", "NPU 2", 13, "device", "2", "77"),
        (NPU_PID, "Ascend Hardware", "NPU", 13, "device", "2", "77"),
        ("7_85078", "Task Scheduler", "", None, "device", "", "85078"),
        (43767502, "CANN", "CPU", 2, "acl", "", "437675"),
        (4376751103, "Overlap Analysis", "NPU", 11, "overlap", "3", "437675"),
        (1003611, "HCCL", "NPU", 11, "communication", "11", "10036"),
        (85078, "AscendCL", "", None, "acl", "", "85078"),
        (3096504, "Python", "CPU", 0, "framework", "", "3096504"),
        ("3_0", "Ascend Hardware", "", None, "device", "", ""),
    ],
)
def test_processes_of_all_generations(tmp_path: Path, pid: object, name: str, label: str, sort: int | None, layer: str,
                                      device: str, os_pid: str) -> None:  # fmt: skip
    events = [*naming(pid, name, label, sort), x("op", "1.000", pid=pid)]
    (track,) = timeline(written(tmp_path / "t.json", events)).tracks
    assert (track.layer, track.device, track.os_pid) == (layer, device if device != "11" else track.device, os_pid)


def test_lanes_without_metadata_are_known_by_their_events(tmp_path: Path) -> None:
    events = [x("ACL@aclmdlExecute", 1.5, pid=5, tid="Thread 9"), x("whatever", 1.5, pid=5, tid="Thread 8")]
    layers = {t.tid: t.layer for t in timeline(written(tmp_path / "t.json", events)).tracks}
    assert layers == {"Thread 9": "acl", "Thread 8": "other"}


def test_numbers_and_texts_name_the_same_lane(tmp_path: Path) -> None:
    events = [x("a", "1.000", pid=7, tid=3), x("b", "2.000", pid="7", tid="3")]
    (track,) = timeline(written(tmp_path / "t.json", events)).tracks
    assert track.events == 2


def test_equal_pids_of_two_devices_are_two_lanes(tmp_path: Path) -> None:
    for device in "01":
        written(tmp_path / f"{device}.json", [*naming("3_0", "Ascend Hardware", "NPU"), x(f"on{device}", 1, pid="3_0")])
    parts = tuple(TracePart(str(tmp_path / f"{device}.json"), device) for device in "01")
    found = open_timeline(TimelineRequest(parts))
    assert [(t.device, found.name(t.first)) for t in found.tracks] == [("0", "on0"), ("1", "on1")]


def test_calls_that_every_device_repeats_count_once(tmp_path: Path) -> None:
    calls = [*naming(5, "AscendCL"), x("aclmdlExecute", "1.5", pid=5), x("aclrtMalloc", "3.5", pid=5)]
    for device in "01":
        own = [*naming(0, "Task Scheduler"), x(f"task{device}", 2, pid=0, tid=9)]
        written(tmp_path / f"{device}.json", calls + own)
    parts = tuple(TracePart(str(tmp_path / f"{device}.json"), device) for device in "01")
    found = open_timeline(TimelineRequest(parts))
    lanes = [(t.layer, t.device, t.events) for t in found.tracks]
    assert lanes == [("acl", "", 2), ("device", "0", 1), ("device", "1", 1)]


def test_begins_and_ends_are_slices(tmp_path: Path) -> None:
    def mark(phase: str, ts: str, name: str = "", tid: int = 1) -> Event:
        return {"ph": phase, "pid": 5, "tid": tid, "ts": ts, **({"name": name} if name else {})}

    events = [mark("B", "1.000", "outer"), mark("B", "2.000", "inner"), mark("E", "3.000"), mark("E", "9.000"),
              mark("E", "9.500"), mark("B", "5.000", "open", 2), x("last", "6.000", 2.0, 5, 2)]  # fmt: skip
    found = timeline(written(tmp_path / "t.json", events))
    assert traces.rows(found, ("name", "start_ns", "dur_ns", "depth")) == [
        ("outer", 1000, 8000, 0), ("inner", 2000, 1000, 1), ("open", 5000, 0, 0), ("last", 6000, 2000, 0),
    ]  # fmt: skip
    assert [problem.what for problem in found.problems] == [
        "1 events begin but do not end", "1 events end but do not begin",
    ]  # fmt: skip


def test_instants_are_marks(tmp_path: Path) -> None:
    events = [x("call", "1.000", 4.0), {**x("mark", "2.000"), "ph": "i", "s": "t"}, x("empty", "3.000", 0)]
    found = timeline(written(tmp_path / "t.json", events))
    assert [(found.name(e), found.is_instant(e), int(found.dur_ns[e])) for e in range(3)] == [
        ("call", False, 4000), ("mark", True, 0), ("empty", False, 0),
    ]  # fmt: skip


def test_flows_lie_on_the_innermost_event(tmp_path: Path) -> None:
    big = (7 << 80) + (3 << 32) + 9
    events = [
        *naming(HOST_PID, "CANN", "CPU", 7), *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13),
        flow("f", str(big), "30.000", NPU_PID), x("acl", "10.000", 9.0), x("launch", "11.000", 5.0),
        x("task", "30.000", 2.0, NPU_PID), x("other task", "40.000", 2.0, NPU_PID), flow("s", str(big), "12.500"),
        flow("f", str(big), "41.000", NPU_PID), flow("f", str(big), "35.000", NPU_PID),
        flow("s", str(big + 1), "12.500"),
    ]  # fmt: skip
    found = timeline(written(tmp_path / "t.json", events))
    names = [(found.name(int(s)), found.name(int(t))) for s, t in zip(found.flows.source, found.flows.target)]
    assert names == [("launch", "task"), ("launch", "other task")]
    assert (found.summary.flow_pairs, found.summary.unbound_flows) == (1, 1)
    launch = int(found.flows.source[0])
    task = int(found.flows.target[0])
    assert found.flows.target[found.flows.leaving(launch)].tolist() == found.flows.target.tolist()
    assert found.flows.source[found.flows.arriving(task)].tolist() == [launch]
    assert len(found.flows.arriving(launch)) == 0


def test_a_repeated_flow_id_joins_the_nearest_start_before(tmp_path: Path) -> None:
    events = [x(f"a{i}", f"{i}0.000", 5.0) for i in range(1, 4)] + [
        x(f"b{i}", f"{i}6.000", 3.0, tid=2) for i in range(1, 4)
    ]
    events += [flow("s", 5, f"{i}1.000") for i in range(1, 4)] + [flow("f", 5, f"{i}6.000", tid=2) for i in range(1, 4)]
    found = timeline(written(tmp_path / "t.json", events))
    pairs = {(found.name(int(s)), found.name(int(t))) for s, t in zip(found.flows.source, found.flows.target)}
    assert pairs == {("a1", "b1"), ("a2", "b2"), ("a3", "b3")}
    assert found.summary.flow_pairs == 1


def test_text_ids_and_categories_keep_flows_apart(tmp_path: Path) -> None:
    events = [x("a", "1.000", 5.0), x("b", "1.000", 5.0, tid=2)]
    events += [flow("s", "3-12-0", "2.000"), flow("f", "3-12-0", "2.000", tid=2), flow("f", "31-2-0", "2.000", tid=2)]
    events += [
        flow("s", "007", "2.000"),
        flow("f", "7", "2.000", tid=2),
        flow("s", 9, "2.000", cat="A"),
        flow("f", 9, "2.000", cat="B"),
    ]
    found = timeline(written(tmp_path / "t.json", events))
    assert (len(found.flows), found.summary.flow_pairs) == (1, 1)


def test_flows_pair_across_files(tmp_path: Path) -> None:
    first = written(tmp_path / "0.json", [x("launch", "1.000", 5.0), flow("s", "123", "2.000")])
    second = written(tmp_path / "1.json", [x("task", "9.000", 5.0, NPU_PID), flow("f", 123, "9.000", NPU_PID)])
    found = timeline(first, second)
    assert [(found.name(int(s)), found.name(int(t))) for s, t in zip(found.flows.source, found.flows.target)] == [
        ("launch", "task")
    ]


def test_connections_hold_within_one_process(tmp_path: Path) -> None:
    other_host, other_npu = (78 << 10) | (7 << 5) | 31, (78 << 10) | (13 << 5)
    events = [*naming(HOST_PID, "CANN", "CPU", 7), *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13),
              *naming(other_host, "CANN", "CPU", 7), *naming(other_npu, "Ascend Hardware", "NPU 0", 13)]  # fmt: skip
    for pid, name in ((HOST_PID, "launch"), (NPU_PID, "task"), (other_host, "launch2"), (other_npu, "task2")):
        events.append(x(name, "1.000", pid=pid, connection_id=5))
        events += [x("none", "3.000", pid=pid, connection_id=none) for none in (0, -1, 4294967295)]
    events.append(x("alone", "9.000", connection_id=6))
    found = timeline(written(tmp_path / "t.json", events))
    groups = [sorted(found.name(int(event)) for event in found.links.group(link)) for link in range(len(found.links))]
    assert sorted(groups) == [["launch", "task"], ["launch2", "task2"]]
    linked = {found.name(event): [found.name(int(e)) for e in found.linked(event)] for event in range(len(found))}
    assert linked["launch"] == ["task"]
    assert linked["alone"] == linked["none"] == []


def test_hardware_of_process_0_belongs_to_the_only_program(tmp_path: Path) -> None:
    events = [
        *naming(43767502, "CANN", "CPU", 2),
        *naming(800, "Ascend Hardware", "NPU", 8),
        x("launch", "1.000", pid=43767502, connection_id=5),
        x("task", "2.000", pid=800, connection_id=5),
    ]
    found = timeline(written(tmp_path / "t.json", events))
    assert len(found.links) == 1


def test_counters_with_several_series_and_units(tmp_path: Path) -> None:
    events = [
        *naming(NPU_PID, "Acc PMU", "NPU 2", 20),
        sample("Rx", "2.000", a=1, b="2.5"), sample("Rx", "1.000", a=3), sample("Rx", "3.000", a="N/A", b=None),
        sample("read", "1.000", value=10, acc_id=0), sample("read", "1.000", value=20, acc_id=1),
        sample("none", "1.000"),
    ]  # fmt: skip
    found = timeline(written(tmp_path / "t.json", events))
    series = {(c.name, c.series): (c.times_ns.tolist(), [str(v) for v in c.values.tolist()]) for c in found.counters}
    assert series == {
        ("Rx", "a"): ([1000, 2000, 3000], ["3.0", "1.0", "nan"]),
        ("Rx", "b"): ([2000, 3000], ["2.5", "nan"]),
        ("read 0", "value"): ([1000], ["10.0"]),
        ("read 1", "value"): ([1000], ["20.0"]),
    }
    assert {(c.process, c.device) for c in found.counters} == {("Acc PMU", "2")}


def test_a_window_and_a_device_leave_the_rest_out(tmp_path: Path, small_blocks: None) -> None:
    other = (77 << 10) | (13 << 5) | 3
    events = [*naming(HOST_PID, "CANN", "CPU", 7), *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13),
              *naming(other, "Ascend Hardware", "NPU 3", 13)]  # fmt: skip
    events += [x(f"op{i}", f"{i}.000", 1.5, pid) for i in range(100) for pid in (HOST_PID, NPU_PID, other)]
    events += [sample("c", f"{i}.000", pid, v=i) for i in range(100) for pid in (NPU_PID, other)]
    path = written(tmp_path / "t.json", events)
    found = timeline(path, start_ns=50_000, end_ns=60_000)
    assert sorted(set(found.start_ns.tolist())) == [i * 1000 for i in range(49, 61)]
    assert {len(counter.times_ns) for counter in found.counters} == {11}
    one = timeline(path, device="3")
    assert [(t.process, t.device) for t in one.tracks] == [("CANN", ""), ("Ascend Hardware", "3")]
    assert [c.device for c in one.counters] == ["3"]
    assert len(one) == 200


def test_a_packed_trace_is_read(tmp_path: Path) -> None:
    events = some_events(3, 300)
    path = tmp_path / "trace_view.json.gz"
    path.write_bytes(gzip.compress(json.dumps(events).encode()))
    assert found_lanes(timeline(path)) == plain_lanes(events)


@pytest.mark.parametrize("bad", ["C:\\x86\\qe", "a\nb", "\x01", "\\u12"])
def test_badly_escaped_names_cost_nothing(tmp_path: Path, small_blocks: None, bad: str) -> None:
    events = [x(f"op{i}", f"{i}.000", 0.5) for i in range(400)]
    text = json.dumps(events).replace("op7", bad)
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    found = timeline(path)
    assert (len(found), found.summary.recovered, found.summary.lost) == (400, 11, 0)
    assert sorted(found.start_ns.tolist()) == [i * 1000 for i in range(400)]
    assert [problem.what for problem in found.problems] == ["11 events were badly escaped"]


def test_a_cut_trace_gives_what_is_there(tmp_path: Path, small_blocks: None) -> None:
    events = [x(f"op{i}", f"{i}.000", 0.5) for i in range(400)]
    text = json.dumps(events)
    path = tmp_path / "t.json"
    for cut in (len(text) - 1, len(text) // 2, 3010, 6003):
        path.write_text(text[:cut], encoding="utf-8")
        found = timeline(path)
        complete = text[:cut].count("}}")
        assert len(found) == complete
        assert found.start_ns.tolist() == [i * 1000 for i in range(complete)]
        assert [problem.what for problem in found.problems] == ["the file ends inside its list of events"]


def test_unreadable_stretches_are_counted(tmp_path: Path, small_blocks: None) -> None:
    lines = [json.dumps(x(f"op{i}", f"{i}.000", 0.5)) for i in range(400)]
    lines[50] = lines[50].replace('"ph": "X"', '"ph" "X"')
    lines[333] = lines[333].replace('"name"', "name")
    path = tmp_path / "t.json"
    path.write_text("[" + ",".join(lines) + "]", encoding="utf-8")
    found = timeline(path)
    assert len(found) == 398
    assert found.summary.lost == 2
    assert [problem.what for problem in found.problems] == ["2 events cannot be read"]


def test_what_follows_the_list_is_no_event(tmp_path: Path, small_blocks: None) -> None:
    more = [x(f"not an event {i}", f"{i}.000") for i in range(100)]
    events = [x(f"op{i}", f"{i}.000", 0.5) for i in range(200)]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"traceEvents": events, "samples": more}), encoding="utf-8")
    found = timeline(path)
    assert len(found) == 200
    assert found.problems == ()


def test_members_of_any_kind_do_no_harm(tmp_path: Path) -> None:
    odd: list[Any] = [
        None, 5, "text", [], {}, {"ph": 3}, {"ph": "X"}, {"ph": "X", "ts": "soon", "dur": 1},
        {"ph": "X", "ts": "1.0", "dur": "long"},
        {"ph": "X", "name": ["a"], "pid": {"b": 1}, "tid": None, "ts": "5.000", "dur": "-3", "args": [1]},
        {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": True, "dur": 1}, {"ph": "C", "ts": "1.0", "args": None},
        {"ph": "s", "ts": "1.0", "id": None}, {"ph": "M", "name": "process_name"},
        {"ph": "M", "name": ["x"], "args": 3},
        {"ph": "X", "name": "c", "pid": 1, "tid": 1, "ts": "6.000", "dur": 1e300}, {"ph": "Z"},
        {"ph": "i", "ts": "7.000"},
        {"ph": "X", "name": "d", "pid": 1, "tid": 1, "ts": "8.000", "dur": 1, "args": {"connection_id": 1 << 70}},
        {"ph": "M", "name": "process_sort_index", "pid": 1, "args": {"sort_index": "first"}},
    ]  # fmt: skip
    found = timeline(written(tmp_path / "t.json", odd))
    assert sorted(traces.rows(found)) == [("", 7000, 0), ("['a']", 5000, 0), ("d", 8000, 1000)]
    assert found.summary.lost == 6
    assert [problem.what for problem in found.problems] == [
        "6 members of the list are no events", "5 slices have no readable time",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "[", "[]", "]", "{}", "nonsense", '{"status": 1, "info": "no"}'])
def test_files_without_events_are_empty_timelines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    found = timeline(path)
    assert len(found) == len(found.tracks) == len(found.counters) == len(found.flows) == 0
    assert (found.start_ns_min, found.end_ns_max) == (0, 0)
    assert found.complete


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    found = timeline(tmp_path / "gone.json")
    assert len(found) == 0
    assert [problem.severity for problem in found.problems] == ["error"]

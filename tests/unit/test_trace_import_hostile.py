"""Damaged and hostile traces: whatever the bytes, there is a timeline, and its columns hold together."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from tests.unit import traces
from tests.unit.traces import HOST_PID, NPU_PID, Event, flow, naming, sample, timeline, x
from tui.model.timeline import Timeline
from tui.readers import trace_blocks, trace_pieces
from tui.readers.timelines import read_args


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_pieces, "PIECE_BYTES", 900)
    monkeypatch.setattr(trace_blocks, "BLOCK_BYTES", 5000)


def a_trace() -> list[Event]:
    events = [*naming(HOST_PID, "CANN", "CPU", 7), *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13)]
    for i in range(120):
        events += [x(f"call{i % 9}", f"{i}.001", 0.75, connection_id=i),
                   x("task", f"{i}.500", 0.1, NPU_PID, connection_id=i),
                   flow("s", i << 66, f"{i}.100"), flow("f", str(i << 66), f"{i}.500", NPU_PID),
                   sample("c", f"{i}.0", v=i)]  # fmt: skip
    return events


def check(found: Timeline) -> None:
    """Everything that must hold for any timeline."""
    count = len(found)
    track, start, dur = found.track_id.astype(np.int64), found.start_ns, found.dur_ns
    order = np.lexsort((-dur, start, track))
    assert np.array_equal(np.stack((track, start, -dur))[:, order], np.stack((track, start, -dur)))
    assert (dur >= 0).all()
    assert (found.self_ns >= 0).all()
    assert (found.self_ns <= dur).all()
    assert sum(t.events for t in found.tracks) == count
    for t in found.tracks:
        assert (track[t.first : t.last] == t.id).all()
        assert t.max_depth == int(found.depth[t.first : t.last].max()) + 1
        assert (t.start_ns, t.end_ns) == (int(start[t.first]), int((start + dur)[t.first : t.last].max()))
    assert ((found.name_id >= 0) & (found.name_id < len(found.names))).all()
    assert all(0 <= end < count for ends in (found.flows.source, found.flows.target) for end in ends.tolist())
    for link in range(len(found.links)):
        group = found.links.group(link)
        assert len(group) >= 2
        assert (found.link_id[group] == link).all()
    assert int((found.link_id >= 0).sum()) == len(found.links.events)


def damaged(data: bytes, pick: random.Random) -> bytes:
    """The bytes with a few of them changed, taken out, doubled, or cut off."""
    text = bytearray(data)
    for _ in range(pick.randrange(1, 6)):
        at = pick.randrange(len(text))
        kind = pick.randrange(5)
        if kind == 0:
            text[at] = pick.randrange(256)
        elif kind == 1:
            del text[at : at + pick.randrange(1, 400)]
        elif kind == 2:
            text[at:at] = text[at : at + pick.randrange(1, 400)]
        elif kind == 3:
            text[at:at] = pick.choice([b"]", b"}", b"[{", b'"', b"\\", b"\x00", b",", b"1e999", b'{"ph":"X"},{"'])
        else:
            del text[max(1, len(text) - pick.randrange(600)) :]
    return bytes(text)


@pytest.mark.parametrize("seed", range(60))
def test_any_damage_leaves_a_timeline(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    separators = (",", ":") if seed % 2 else None
    path = tmp_path / "t.json"
    path.write_bytes(damaged(json.dumps(a_trace(), separators=separators).encode(), pick))
    found = timeline(path)
    check(found)
    for event in range(0, len(found), 17):
        assert isinstance(read_args(found, event), dict)


def test_the_undamaged_trace(tmp_path: Path) -> None:
    found = timeline(traces.written(tmp_path / "t.json", a_trace()))
    check(found)
    assert (len(found), len(found.flows), len(found.links), found.problems) == (240, 120, 119, ())


def test_times_at_the_limits(tmp_path: Path) -> None:
    texts = [
        "4611686018427387.903",
        "4611686018427387.904",
        "9999999999999999.999",
        "-5.5",
        "0",
        "1e3",
        "123456789012345678901",
    ]
    found = timeline(traces.written(tmp_path / "t.json", [x("a", text, 0.5) for text in texts]))
    assert found.start_ns.tolist() == [-5500, 0, 1_000_000, 4611686018427387903]
    check(found)


def test_many_lanes_and_deep_nesting(tmp_path: Path) -> None:
    events = [x("a", f"{i}.000", 1, tid=i) for i in range(700)]
    events += [x("deep", f"{i}.000", 1000 - 2 * i, tid="deep") for i in range(400)]
    found = timeline(traces.written(tmp_path / "t.json", events))
    check(found)
    assert len(found.tracks) == 701
    assert max(t.max_depth for t in found.tracks) == 400


def test_control_characters_are_kept_as_data(tmp_path: Path) -> None:
    name = "\x1b[31mred\x00 [bold] \ud800"
    path = tmp_path / "t.json"
    path.write_bytes(json.dumps([x(name, "1.000"), x("plain", "2.000")]).encode())
    found = timeline(path)
    assert len(found) == 2
    assert found.name(0) == "\x1b[31mred\x00 [bold] \ufffd"
    assert read_args(found, 0) == {}


def test_an_event_longer_than_a_block(tmp_path: Path) -> None:
    events = [x(f"op{i}", f"{i}.000", 0.5) for i in range(300)]
    events[40]["args"] = {"stack": "frame " * 40_000}
    events[200]["args"] = {"list": [{"a": i} for i in range(6000)]}
    found = timeline(traces.written(tmp_path / "t.json", events))
    check(found)
    assert found.start_ns.tolist() == [i * 1000 for i in range(300)]
    assert found.problems == ()
    assert read_args(found, 40) == events[40]["args"]
    assert read_args(found, 200) == events[200]["args"]
    assert read_args(found, 201) == {}

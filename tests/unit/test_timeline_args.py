"""The args of an event, read again from its file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.unit import traces
from tests.unit.traces import timeline, written, x
from tui.readers import trace_blocks, trace_pieces
from tui.readers.timelines import read_args
from tui.readers.trace_plan import MAX_FILES, NO_PLACE, packed_place, unpacked_place


def test_places_survive_packing() -> None:
    for place in ((0, 0, 0), (3, (1 << 39) - 1, (1 << 14) - 1), (MAX_FILES - 1, 5, 9)):
        assert unpacked_place(packed_place(*place)) == place
    assert packed_place(MAX_FILES, 0) == packed_place(0, 1 << 39) == packed_place(0, 0, 1 << 14) == NO_PLACE


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("compact", [False, True])
def test_every_event_finds_its_args(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compact: bool, wrapped: bool
) -> None:
    monkeypatch.setattr(trace_pieces, "PIECE_BYTES", 900)
    monkeypatch.setattr(trace_blocks, "BLOCK_BYTES", 4000)
    events = [x(f"op{i}", f"{i}.000", 0.5, number=i, nested=[{"a": i}, {"b": "},{"}]) for i in range(300)]
    found = timeline(written(tmp_path / "t.json", events, compact, wrapped))
    assert [read_args(found, event) for event in range(300)] == [event["args"] for event in events]


def test_args_of_several_files_and_packed_ones(tmp_path: Path) -> None:
    first = written(tmp_path / "a.json", [x(f"a{i}", f"{i}.000", number=i) for i in range(50)])
    second = tmp_path / "b.json.gz"
    second.write_bytes(gzip.compress(json.dumps([x(f"b{i}", f"{i}.500", number=100 + i) for i in range(50)]).encode()))
    found = timeline(first, second)
    for event in range(100):
        name = found.name(event)
        assert read_args(found, event) == {"number": int(name[1:]) + (100 if name[0] == "b" else 0)}


def test_args_of_badly_escaped_events(tmp_path: Path) -> None:
    text = json.dumps([x("good", "1.000", n=1), x("bad", "2.000", path="HERE", n=2), x("late", "3.000", n=3)])
    path = tmp_path / "t.json"
    path.write_text(text.replace("HERE", "C:\\x"), encoding="utf-8")
    found = timeline(path)
    assert [read_args(found, event) for event in range(3)] == [{"n": 1}, {"path": "C:\\x", "n": 2}, {"n": 3}]


def test_numbers_are_as_written(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    args = '{"ratio":0.1000,"big":340282366920938463463374607431768211456,"FP Start":56635864658.62}'
    path.write_text(f'[{{"name":"a","ph":"X","pid":1,"tid":1,"ts":1.5,"dur":2,"args":{args}}}]', encoding="utf-8")
    found = read_args(timeline(path), 0)
    assert {name: str(value) for name, value in found.items()} == {
        "ratio": "0.1000", "big": "340282366920938463463374607431768211456", "FP Start": "56635864658.62",
    }  # fmt: skip


def test_a_changed_file_gives_no_args(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", [x("a", "1.000", n=1), x("b", "2.000", n=2)])
    found = timeline(path)
    path.write_text("[", encoding="utf-8")
    assert read_args(found, 0) == {}
    written(path, [x("other", "1.000", n=7), x("b", "2.000", n=2)])
    assert read_args(found, 0) == {}
    path.unlink()
    assert read_args(found, 1) == {}


def test_an_event_without_args(tmp_path: Path) -> None:
    event = x("a", "1.000")
    del event["args"]
    assert read_args(timeline(written(tmp_path / "t.json", [event])), 0) == {}


def test_begun_events_have_the_args_of_their_begin(tmp_path: Path) -> None:
    events = [{**x("a", "1.000", k=1), "ph": "B"}, {**x("a", "3.000", k=2), "ph": "E"}]
    found = timeline(written(tmp_path / "t.json", events))
    assert traces.rows(found) == [("a", 1000, 2000)]
    assert read_args(found, 0) == {"k": 1}

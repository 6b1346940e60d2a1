"""The timeline's store: found again, never half, whoever reads or dies; and what can be drawn while it is made."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.unit import traces
from tests.unit.traces import HOST_PID, NPU_PID, Event, flow, naming, sample, timeline, written, x
from tui.config import cache_dir
from tui.model.timeline import Timeline
from tui.readers import trace_blocks, trace_finish, trace_import, trace_pieces
from tui.readers.timelines import (
    TimelineProgress,
    TimelineRequest,
    cached_timeline,
    finished_timeline,
    import_timeline_to_store,
    load_timeline_in_worker,
    partial_timeline,
)
from tui.store import cache, workers
from tui.store.timeline_store import EVENT_COLUMNS, column_path


@pytest.fixture(autouse=True)
def own_processes() -> Iterator[None]:
    workers.prepare()
    yield
    workers.stop_spare()
    cache.release_all()


def calls(count: int) -> list[Event]:
    """Calls with their tasks, flows, counters; names in no order."""
    events = [*naming(HOST_PID, "CANN", "CPU", 7, t1="Thread 1"), *naming(NPU_PID, "Ascend Hardware", "NPU 2", 13)]
    for i in range(count):
        ts = 1_778_463_028_000_000 + i * 20
        events += [x(f"AscendCL@a{i * 7 % 31}", f"{ts}.001", 15, connection_id=i + 1),
                   x("Node@launch", f"{ts + 2}.001", 5.5, connection_id=i + 1),
                   x(f"task{i * 5 % 17}", f"{ts + 9}.123", 3.25, NPU_PID, 7, connection_id=i + 1),
                   flow("s", str((i << 70) + 1), f"{ts + 3}.000"),
                   flow("f", str((i << 70) + 1), f"{ts + 9}.123", NPU_PID, 7),
                   sample("AI Core Freq", f"{ts}.000", MHz=1000 + i % 7)]  # fmt: skip
    return events


def same(first: Timeline, second: Timeline) -> bool:
    """Whether two timelines say the same about every event, arrow, group and counter."""
    assert traces.rows(first, ("name", *EVENT_COLUMNS)[:3]) == traces.rows(second, ("name", *EVENT_COLUMNS)[:3])
    columns = [name for name in EVENT_COLUMNS if name not in ("name_id",)]
    assert all(np.array_equal(getattr(first, name), getattr(second, name)) for name in columns)
    for part, names in (("flows", ("source", "target", "by_target")), ("links", ("events", "starts"))):
        assert all(np.array_equal(getattr(getattr(first, part), n), getattr(getattr(second, part), n)) for n in names)
    assert [c.values.tolist() for c in first.counters] == [c.values.tolist() for c in second.counters]
    return first.tracks == second.tracks and first.summary == second.summary


def in_new_store(request: TimelineRequest, helper: bool) -> Timeline:
    *_, last = import_timeline_to_store(request, cap_bytes=0, helper=helper, partials=False)
    return finished_timeline(last)


@pytest.fixture
def shared_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace of a few MB is large enough for two processes."""
    monkeypatch.setattr(trace_import, "SHARED_BYTES", 1)
    monkeypatch.setattr(trace_finish, "SHARED_EVENTS", 1)


def test_a_timeline_is_found_again_until_its_file_changes(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", calls(50))
    request = traces.request(path)
    assert cached_timeline(request) is None
    first = timeline(path)
    again = cached_timeline(request)
    assert again is not None
    assert same(first, again)
    assert cached_timeline(traces.request(path, device="2")) is None
    written(path, calls(51))
    assert cached_timeline(request) is None
    assert len(timeline(path)) == 153


def test_two_processes_read_the_same(tmp_path: Path, shared_blocks: None) -> None:
    paths = [written(tmp_path / f"{i}.json", calls(60_000 if i else 300)) for i in range(2)]
    assert paths[1].stat().st_size > 2 * trace_blocks.BLOCK_BYTES
    request = traces.request(*paths)
    assert same(in_new_store(request, helper=False), in_new_store(request, helper=True))


def test_a_killed_helper_costs_nothing(tmp_path: Path, shared_blocks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    request = traces.request(written(tmp_path / "t.json", calls(60_000)))
    started: list[workers.Running] = []
    start = workers.start

    def start_and_kill(*args: object) -> workers.Running:
        running = start(*args)  # type: ignore[arg-type]
        started.append(running)
        os.kill(running.pid, signal.SIGKILL)
        return running

    monkeypatch.setattr(workers, "start", start_and_kill)
    found = in_new_store(request, helper=True)
    monkeypatch.undo()
    assert len(started) == 2
    assert found.complete
    assert same(found, in_new_store(request, helper=False))


@pytest.mark.parametrize("stage", ["reading", "sorting"])
def test_a_killed_import_leaves_a_whole_store_or_none(tmp_path: Path, stage: str) -> None:
    request = traces.request(written(tmp_path / "t.json", calls(60_000)))
    running = load_timeline_in_worker(request, every_s=0.0)
    for message in running.messages():
        if isinstance(message, TimelineProgress) and (stage == "reading" or message.sorting):
            os.kill(running.pid, signal.SIGKILL)
            break
    for _message in running.messages():
        pass
    kept = cached_timeline(request)
    assert kept is None or len(kept) == 180_000
    found = timeline(Path(request.parts[0].path))
    assert len(found) == 180_000
    stores = [folder for folder in (cache_dir() / "tables").iterdir() if not folder.name.startswith(".")]
    assert len(stores) == 1


def test_a_half_written_store_is_made_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", calls(5000))
    first = timeline(path)
    (store,) = [folder for folder in (cache_dir() / "tables").iterdir() if not folder.name.startswith(".")]
    cache.release_all()
    with column_path(store, "start_ns").open("r+b") as file:
        file.truncate(1000)
    assert cached_timeline(traces.request(path)) is None
    assert same(first, timeline(path))


@pytest.mark.parametrize("damage", ["", "{}", '{"format": 1, "kind": "timeline"}', '{"format": 99}', "[1]"])
def test_a_damaged_header_is_no_store(tmp_path: Path, damage: str) -> None:
    path = written(tmp_path / "t.json", calls(5))
    timeline(path)
    (store,) = [folder for folder in (cache_dir() / "tables").iterdir() if not folder.name.startswith(".")]
    (store / "header.json").write_text(damage, encoding="ascii")
    assert cached_timeline(traces.request(path)) is None
    assert len(timeline(path)) == 15


def test_nothing_but_the_store_is_left(tmp_path: Path, shared_blocks: None) -> None:
    request = traces.request(written(tmp_path / "t.json", calls(60_000)))
    *_, last = import_timeline_to_store(request, every_s=0.0, partials=True)
    left = {path.name for path in Path(last.folder).iterdir()}
    assert not [name for name in left if name.startswith(("raw", "claim", "partial", "ends", "connection"))]
    assert {f"{name}.npy" for name in EVENT_COLUMNS} <= left


def test_a_cancelled_import_keeps_what_it_has_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_blocks, "BLOCK_BYTES", 1 << 16)
    request = traces.request(written(tmp_path / "t.json", calls(5000)))
    steps = import_timeline_to_store(request, every_s=0.0, helper=False, partials=False)
    progress = [next(steps) for _ in range(5)][-1]
    steps.close()
    found = finished_timeline(progress)
    assert not found.complete
    assert 0 < len(found) < 15_000
    assert 0 < found.fraction < 1
    assert found.tracks[0].process == "CANN"
    assert found.start_ns[found.tracks[0].first : found.tracks[0].last : 2].tolist() == [
        (1_778_463_028_000_000 + i * 20) * 1000 + 1 for i in range((found.tracks[0].events + 1) // 2)
    ]
    assert cached_timeline(request) is None


def test_a_cancelled_worker_keeps_what_it_has_read(tmp_path: Path) -> None:
    request = traces.request(written(tmp_path / "t.json", calls(60_000)))
    running = load_timeline_in_worker(request, every_s=0.0)
    progress: TimelineProgress | None = None
    for message in running.messages():
        assert isinstance(message, TimelineProgress)
        progress = message
        running.cancel()
    assert progress is not None
    found = finished_timeline(progress)
    assert len(found) == found.tracks[0].events + found.tracks[1].events > 0


def test_what_is_read_can_be_drawn_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_blocks, "BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(trace_import, "FIRST_PARTIAL_S", 0.0)
    monkeypatch.setattr(trace_import, "PARTIAL_GROWTH", 1.0)
    path = written(tmp_path / "t.json", calls(5000))
    shown: list[Timeline] = []
    seen, events = "", []
    last = None
    for progress in import_timeline_to_store(traces.request(path), every_s=0.0, helper=False):
        last = progress
        events.append(progress.events)
        if progress.partial and progress.partial != seen:
            seen = progress.partial
            found = partial_timeline(progress)
            assert found is not None
            shown.append(found)
    assert len(shown) > 2
    assert [len(found) for found in shown] == sorted(len(found) for found in shown)
    assert all(not found.complete and found.tracks[0].process == "CANN" for found in shown)
    assert all(found.fraction < 1 for found in shown)
    assert last is not None
    whole = finished_timeline(last)
    assert whole.complete
    assert events == sorted(events)
    first = shown[0].tracks[0]
    assert shown[0].start_ns[: first.events].tolist() == whole.start_ns[: first.events].tolist()


def test_progress_before_anything_can_be_drawn() -> None:
    assert partial_timeline(TimelineProgress("", "", 0, 10, 0, 0.0)) is None
    assert partial_timeline(TimelineProgress("/nowhere", "/nowhere/partial", 0, 10, 0, 0.0)) is None


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nothing")
    path = written(tmp_path / "t.json", calls(20))
    assert len(timeline(path)) == 60
    assert cached_timeline(traces.request(path)) is None


def test_a_trace_that_grows_is_read_to_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_blocks, "BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(trace_pieces, "PIECE_BYTES", 1 << 12)
    text = json.dumps(calls(3000))
    path = tmp_path / "t.json"
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    steps = import_timeline_to_store(traces.request(path), every_s=0.0, helper=False)
    next(steps)
    path.write_text(text, encoding="utf-8")
    *_, last = steps
    found = finished_timeline(last)
    assert 4000 < len(found) <= 9000
    assert found.start_ns_min == 1_778_463_028_000_000_001 - 1

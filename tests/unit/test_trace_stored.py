"""What an imported file holds is told by its store, exactly as a scan of the file tells it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.traces import naming, written, x
from tui import check as check_module
from tui.check import check, to_json
from tui.model.sources import SourceFile
from tui.readers.discover import discover
from tui.readers.timelines import open_timeline, request_of_trace
from tui.readers.trace_scan import TraceSummary, scan_trace
from tui.readers.trace_stored import stored_summary
from tui.store import cache

FIELDS = (
    "path", "events", "events_by_phase", "flow_pairs", "flow_pairs_s_with_t", "first_ts", "last_ts", "start_ns",
    "end_ns", "recovered", "lost", "problems",
)  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_held() -> None:
    cache.release_all()


def traces_in(folder: Path) -> list[SourceFile]:
    return [
        file
        for profile in discover(folder).profiles
        for file in profile.files_of("timeline")
        if file.size_bytes and file.slice is None
    ]


def told(summary: TraceSummary) -> dict[str, object]:
    calls: dict[tuple[str, str], tuple[int, int]] = {}
    for span in summary.api_spans:
        count, total = calls.get((span.level, span.name), (0, 0))
        calls[span.level, span.name] = count + span.count, total + span.sum_ns
    return {**{name: getattr(summary, name) for name in FIELDS}, "calls": calls}


def test_the_store_tells_what_a_scan_tells(samples: Path) -> None:
    compared = 0
    for sample in ("mish_before", "legacy_after"):
        for file in traces_in(samples / sample):
            assert stored_summary(file) is None  # not imported yet
            open_timeline(request_of_trace(file))
            stored = stored_summary(file)
            assert stored is not None
            scanned = scan_trace(file.path)
            assert told(stored) == told(scanned)
            assert {track.process for track in scanned.tracks} <= {track.process for track in stored.tracks}
            compared += 1
    assert compared > 5


def test_check_of_an_imported_trace_reads_nothing_and_says_the_same(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = Path(shutil.copytree(samples / "mish_before", tmp_path / "mish"))
    before = json.dumps(to_json(check(profile)))
    for file in traces_in(profile):
        open_timeline(request_of_trace(file))
    monkeypatch.setattr(check_module, "scan_trace_steps", lambda _path: pytest.fail("the file was read again"))
    assert json.dumps(to_json(check(profile))) == before


def test_what_only_a_scan_tells_is_scanned(tmp_path: Path) -> None:
    begin = {"name": "a", "ph": "B", "pid": 1, "tid": 1, "ts": "1.000"}
    begun = written(tmp_path / "msprof_20240605080000.json", [begin, {**begin, "ph": "E", "ts": "9.000"}])
    damaged = tmp_path / "msprof_20240605080001.json"
    damaged.write_text(written(tmp_path / "t.json", [*naming(1, "CANN"), x("b", 1), x("c", 2)]).read_text()[:-9])
    for path in (begun, damaged):
        (file,) = traces_in(path)
        open_timeline(request_of_trace(file))
        assert stored_summary(file) is None


def test_a_changed_file_and_a_slice_are_scanned(tmp_path: Path) -> None:
    path = written(tmp_path / "msprof_20240605080000.json", [x("a", 1), x("b", 2)])
    (file,) = traces_in(path)
    open_timeline(request_of_trace(file))
    assert stored_summary(file) is not None
    assert stored_summary(replace(file, slice=0)) is None
    written(path, [x("a", 1), x("b", 2), x("c", 3)])
    assert stored_summary(file) is None

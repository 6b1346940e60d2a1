"""Tables of a timeline: events, statistics, tracks, gaps, steps."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timelines import Lane, Slice, make_timeline
from tui.model.cells import plain_texts
from tui.model.events import events_table, gaps_table, lane_events, statistics_table, steps_table, tracks_table
from tui.model.gaps import device_gaps
from tui.model.lod import Rows
from tui.model.steps import steps_of
from tui.model.table import Table
from tui.model.timeline import Timeline, empty_timeline
from tui.model.view import View, apply_view

CANN = Lane("100", "acl", "CANN", "Thread 100", pid="31", device="")
STREAM = Lane("2", thread="Stream 2")
NOW = 1_717_575_960_208_020_758


def cells(table: Table, row: int) -> dict[str, str]:
    return {column.info.key: plain_texts(column, np.array([row], np.intp))[0] for column in table.columns}


def sample() -> Timeline:
    return make_timeline(
        [
            Slice("100", "AscendCL@aclmdlExecute", NOW, 1000),
            Slice("100", "Node@launch", NOW + 10, 20, link=1),
            Slice("2", "Conv", NOW + 100, 300, link=1),
            Slice("2", "Mul", NOW + 500, 100),
            Slice("2", "Conv", NOW + 700, 101),
        ],
        [CANN, STREAM],
    )


def test_events_have_the_canonical_keys_and_exact_times() -> None:
    table = events_table(sample())
    assert table.keys[:6] == ("track", "process", "name", "start_ns", "dur_ns", "depth")
    assert cells(table, 1) == {
        "track": "Thread 100", "process": "CANN", "name": "Node@launch", "start_ns": "1717575960208020768",
        "dur_ns": "20", "depth": "1", "self_ns": "20",
    }  # fmt: skip
    assert cells(table, 0)["self_ns"] == "980"


def test_events_of_a_lane_and_of_a_window() -> None:
    timeline = sample()
    rows = Rows.build(timeline)
    stream = [row for row, info in enumerate(rows.rows) if info.track == 1]
    assert lane_events(rows, stream).tolist() == [2, 3, 4]
    assert lane_events(rows, stream, NOW + 399, NOW + 501).tolist() == [2, 3]
    assert lane_events(rows, stream, NOW + 400, NOW + 500).tolist() == []
    assert lane_events(rows, []).tolist() == []
    table = events_table(timeline, lane_events(rows, stream), span_ns=1000)
    assert [cells(table, row)["span_pct"] for row in range(3)] == ["30", "10", "10.1"]
    assert apply_view(table, View(filter="name=Conv dur_ns>200")).rows.tolist() == [0]


def test_statistics_by_hand() -> None:
    timeline = make_timeline([("2", "a", 0, 10), ("2", "a", 20, 30), ("3", "a", 40, 20), ("3", "b", 100, 7)])
    table = statistics_table(timeline, np.arange(4), 200)
    assert cells(table, 0) == {
        "name": "a", "count": "3", "wall_ns": "50", "sum_ns": "60", "self_ns": "60", "mean_ns": "20", "p50_ns": "20",
        "p95_ns": "29", "min_ns": "10", "max_ns": "30", "span_pct": "25",
    }  # fmt: skip
    assert cells(table, 1)["name"] == "b"
    inside = statistics_table(timeline, np.arange(4), 0, window=(45, 55))
    assert inside.number("wall_ns").tolist() == [10, 0]  # type: ignore[union-attr]
    assert statistics_table(timeline, np.arange(0), 10).row_count == 0


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("xy"), st.sampled_from("abc"), st.integers(0, 200), st.integers(0, 50)), min_size=1
    )
)
def test_statistics_against_a_plain_count(events: list[tuple[str, str, int, int]]) -> None:
    timeline = make_timeline(events)
    table = statistics_table(timeline, np.arange(len(timeline)), 0)
    seen = []
    for row in range(table.row_count):
        found = cells(table, row)
        mine = [(start, start + length) for _lane, name, start, length in events if name == found["name"]]
        lengths = np.array([end - start for start, end in mine])
        covered = {time for start, end in mine for time in range(start, end)}
        assert int(found["count"]) == len(mine)
        assert int(found["wall_ns"]) == len(covered)
        assert int(found["sum_ns"]) == lengths.sum()
        assert (int(found["min_ns"]), int(found["max_ns"])) == (lengths.min(), lengths.max())
        for key, share in (("p50_ns", 50), ("p95_ns", 95)):
            assert np.isclose(float(found[key]), np.percentile(lengths, share))
        seen.append(lengths.sum())
    assert seen == sorted(seen, reverse=True)
    assert table.row_count == len({name for _lane, name, _start, _length in events})


def test_tracks_have_one_row_per_lane_with_slices() -> None:
    table = tracks_table(sample())
    assert table.keys[:9] == (
        "process", "thread", "layer", "pid", "tid", "events", "start_ns", "end_ns", "max_depth",
    )  # fmt: skip
    assert cells(table, 0) == {
        "process": "CANN", "thread": "Thread 100", "layer": "acl", "pid": "31", "tid": "100", "events": "2",
        "start_ns": str(NOW), "end_ns": str(NOW + 1000), "max_depth": "2", "device_id": "",
        "wall_ns": "1000", "sum_ns": "1020",
    }  # fmt: skip
    assert table.row_count == 2
    assert tracks_table(empty_timeline()).row_count == 0


def test_gaps_with_tasks_launches_and_cause() -> None:
    timeline = sample()
    table = gaps_table(timeline, device_gaps(timeline).longest(1))
    assert cells(table, 0) == {
        "device_id": "0", "stream": "", "start_ns": str(NOW + 400), "end_ns": str(NOW + 500), "length_ns": "100",
        "before": "Conv", "after": "Mul", "launch_before_ns": str(NOW + 10), "launch_after_ns": "",
        "cause": "no launch recorded",
    }  # fmt: skip
    assert gaps_table(empty_timeline(), device_gaps(empty_timeline())).row_count == 0


def test_steps_flag_the_first_run() -> None:
    slices = [
        Slice("100", "AscendCL@aclmdlExecute", 1000 * place, length) for place, length in enumerate((900, 100, 90))
    ]
    table = steps_table(steps_of(make_timeline(slices, [CANN])))
    assert [cells(table, row)["note"] != "" for row in range(3)] == [True, False, False]
    assert cells(table, 1) == {
        "step": "2", "name": "AscendCL@aclmdlExecute", "start_ns": "1000", "end_ns": "1100", "dur_ns": "100",
        "note": "",
    }  # fmt: skip


def test_no_events() -> None:
    assert events_table(empty_timeline()).row_count == 0

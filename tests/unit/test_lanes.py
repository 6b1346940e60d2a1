"""Which lanes are shown, in which order, under which titles; counters as cells."""

from __future__ import annotations

import numpy as np

from tests.timelines import Lane, Slice, make_timeline
from tui.model.counters import counter_cells, unit_of, value_at
from tui.model.lanes import LaneGroup, lane_busy, lane_groups
from tui.model.lod import Rows
from tui.model.timeline import Counter, Timeline

CANN = Lane("100", "acl", "CANN", "Thread 100", pid="31", device="", os_pid="1")
CANN_TOO = Lane("200", "acl", "CANN", "Thread 200", pid="31", device="", os_pid="1")
PYTHON = Lane("python", "framework", "Python", "Thread 100", pid="1", device="", os_pid="1")
STREAM_9 = Lane("9", "device", "Ascend Hardware", "Stream 9", sort_index=9)
STREAM_10 = Lane("10", "device", "Ascend Hardware", "Stream 10", sort_index=10)
STEP = Lane("70001", "steps", "Ascend Hardware", "Step Trace(Model ID:1)")
PLANE = Lane("plane", "communication", "Communication", "Plane 0", pid="900")
COMPUTING = Lane("computing", "overlap", "Overlap Analysis", "Computing", pid="901")


def counter(number: int, name: str, series: str, process: str = "", device: str = "0") -> Counter:
    times = np.array([100, 200, 300], np.int64)
    return Counter(number, process or name, name, series, "950", device, times, np.array([1000.0, 1000.0, 800.0]))


def everything() -> Timeline:
    return make_timeline(
        [
            Slice("python", "aten::add", 0, 90),
            Slice("100", "AscendCL@aclmdlExecute", 0, 50),
            Slice("100", "Node@launch", 5, 10),
            Slice("100", "Runtime@rtKernelLaunch", 6, 5),
            Slice("200", "AscendCL@aclrtMemcpy", 0, 80),
            Slice("9", "Conv", 10, 10),
            Slice("10", "Mul", 10, 40),
            Slice("10", "Cut", 40, 20),
            Slice("70001", "Iteration 1", 0, 70),
            Slice("plane", "Memcpy", 20, 5),
            Slice("computing", "Computing", 10, 50),
        ],
        [PYTHON, CANN, CANN_TOO, STREAM_9, STREAM_10, STEP, PLANE, COMPUTING],
        counters=[
            counter(0, "HBM 0/Read", "Read(MB/s)", "HBM"),
            counter(1, "AI Core Freq", "MHz"),
            counter(2, "Port 0/Rx", "rx(MB/s)", "RoCE"),
            counter(3, "Port 0/Rx", "tx(MB/s)", "RoCE"),
        ],
    )


def groups_of(timeline: Timeline) -> tuple[LaneGroup, ...]:
    return lane_groups(timeline, Rows.build(timeline))


def test_groups_and_lanes_in_order() -> None:
    found = {group.title: [lane.title for lane in group.lanes] for group in groups_of(everything())}
    assert list(found) == ["Host", "NPU 0", "Communication", "Overlap", "Counters"]
    assert found["Host"] == ["AscendCL 200", "AscendCL 100", "Node launch", "Runtime", "Python"]
    assert found["NPU 0"] == ["Iteration", "Stream 10", "Stream 9"]
    assert found["Communication"] == ["Plane 0"]
    assert found["Overlap"] == ["Computing"]
    assert found["Counters"] == ["AI Core Freq", "HBM 0/Read", "Port 0/Rx rx", "Port 0/Rx tx"]


def test_ascendcl_is_the_first_lane() -> None:
    assert groups_of(everything())[0].lanes[0].layer == "acl"


def test_sub_rows_and_busy_time_of_a_lane() -> None:
    timeline = everything()
    rows = Rows.build(timeline)
    lane = next(lane for group in lane_groups(timeline, rows) for lane in group.lanes if lane.title == "Stream 10")
    assert [lane.is_overflow(sub_row) for sub_row in range(len(lane.rows))] == [False, True]
    assert (lane.events, lane.busy_ns) == (2, 50)
    assert lane_busy(rows, lane.rows).total_ns == 50


def test_a_stream_that_mostly_copies_says_so() -> None:
    timeline = make_timeline([("7", "MEMCPY_ASYNC", 0, 60), ("7", "Add", 70, 50)], [Lane("7", thread="Stream 7")])
    assert groups_of(timeline)[0].lanes[0].title == "Stream 7 memcpy"


def test_keys_do_not_depend_on_what_else_is_there() -> None:
    alone = make_timeline([Slice("9", "Conv", 10, 10)], [STREAM_9])
    keys = {lane.title: lane.key for group in groups_of(everything()) for lane in group.lanes}
    assert groups_of(alone)[0].lanes[0].key == keys["Stream 9"]
    assert len(set(keys.values())) == len(keys)


def test_two_devices_each_with_their_lanes_together() -> None:
    other = Lane("x", "device", "Ascend Hardware", "Stream 2", pid="801", device="1")
    plane = Lane("y", "communication", "Communication", "Plane 0", pid="902", device="1")
    timeline = make_timeline(
        [("x", "Conv", 0, 1), ("y", "Copy", 0, 1), ("9", "Conv", 0, 1), ("plane", "Copy", 0, 1)],
        [other, plane, STREAM_9, PLANE],
    )
    titles = [group.title for group in groups_of(timeline)]
    assert titles == ["NPU 0", "Communication 0", "NPU 1", "Communication 1"]


def test_two_programs_have_a_host_group_each() -> None:
    second = Lane("300", "acl", "CANN", "Thread 300", pid="32", device="", os_pid="2")
    timeline = make_timeline([("100", "AscendCL@a", 0, 1), ("300", "AscendCL@a", 0, 1)], [CANN, second])
    assert [group.title for group in groups_of(timeline)] == ["Host 1", "Host 2"]


def test_a_counter_holds_its_value_until_the_next_sample() -> None:
    cells = counter_cells(counter(0, "AI Core Freq", "MHz"), 0, 400, 8)
    assert np.isnan(cells.values[:2]).all()
    assert cells.values[2:].tolist() == [1000, 1000, 1000, 1000, 800, 800]
    assert cells.heights.tolist() == [0, 0, 1, 1, 1, 1, 0.8, 0.8]
    assert cells.off_nominal.tolist() == [False] * 6 + [True] * 2


def test_a_wide_cell_shows_the_largest_value_and_still_flags_the_dip() -> None:
    cells = counter_cells(counter(0, "AI Core Freq", "MHz"), 0, 400, 1)
    assert (cells.values[0], cells.off_nominal[0]) == (1000, True)


def test_only_frequencies_have_a_nominal_value() -> None:
    assert not counter_cells(counter(0, "HBM 0/Read", "Read(MB/s)"), 0, 400, 4).off_nominal.any()


def test_a_counter_without_samples_or_seen_before_its_first() -> None:
    none = Counter(0, "a", "a", "b", "1", "", np.empty(0, np.int64), np.empty(0))
    assert np.isnan(counter_cells(none, 0, 10, 3).values).all()
    assert np.isnan(counter_cells(counter(0, "a", "b"), 0, 50, 3).values).all()
    assert np.isnan(value_at(counter(0, "a", "b"), 99))
    assert value_at(counter(0, "a", "b"), 250) == 1000


def test_units_of_series() -> None:
    assert [unit_of(series) for series in ("Read(MB/s)", "MHz", "value")] == ["MB/s", "MHz", ""]

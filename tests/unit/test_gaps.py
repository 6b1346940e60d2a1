"""Idle time of devices: where, between what, and by whose fault."""

from __future__ import annotations

import numpy as np

from tests.timelines import Lane, Slice, event_named, make_timeline
from tui.model.gaps import Gaps, device_gaps, device_times, gap_at, stream_gaps
from tui.model.timeline import Timeline, empty_timeline

US = 1000
CANN = Lane("100", "acl", "CANN", pid="31", device="")
PYTHON = Lane("100p", "framework", "Python", device="")
STREAM = Lane("2")
OTHER = Lane("3")


def bounds(gaps: Gaps) -> list[tuple[int, int]]:
    return list(zip(gaps.start_ns.tolist(), gaps.end_ns.tolist()))


def launched(*tasks: tuple[int, int, int, int]) -> Timeline:
    """Tasks of one stream from (launch start, launch length, task start, task length)."""
    slices = []
    for number, (launch, length, start, duration) in enumerate(tasks):
        slices.append(Slice("100", "Node@launch", launch, length, link=number))
        slices.append(Slice("2", f"task{number}", start, duration, link=number))
    return make_timeline(slices, [CANN, STREAM])


def test_gaps_of_a_stream_with_their_neighbours() -> None:
    timeline = make_timeline([("2", "a", 0, 10), ("2", "b", 10, 5), ("2", "c", 40, 5), ("2", "mark", 20, 0)])
    gaps = stream_gaps(timeline, 0)
    assert bounds(gaps) == [(15, 40)]
    assert device_gaps(timeline).take(np.array([0])).length_ns.tolist() == [25]
    assert [timeline.name(int(event)) for event in (gaps.before[0], gaps.after[0])] == ["b", "c"]
    assert gaps.cause_of(0) == "unknown"
    assert gaps.launch_after[0] == -1


def test_a_launch_that_was_queued_in_time_leaves_the_device_to_blame() -> None:
    gaps = device_gaps(launched((0, 5, 100, 50), (20, 5, 300, 50)))
    assert (bounds(gaps), gaps.cause_of(0)) == ([(150, 300)], "device")


def test_a_late_launch_after_a_long_silence_is_an_idle_host() -> None:
    gaps = device_gaps(launched((0, 5, 100, 50), (280, 5, 300, 50)))
    assert gaps.cause_of(0) == "framework"


def test_a_late_launch_right_after_a_slow_one_is_the_launch() -> None:
    gaps = device_gaps(launched((0, 200, 100, 50), (210, 80, 300, 50)))
    assert gaps.cause_of(0) == "launch"


def framed(lag_ns: int) -> Timeline:
    """Two framework calls; the second launch lags its call by `lag_ns`."""
    slices = [
        Slice("100p", "aten::a", 0, 10 * US),
        Slice("100p", "aten::b", 500 * US, 400 * US),
        Slice("100", "Node@launch", 1 * US, 2 * US, link=1),
        Slice("100", "Node@launch", 500 * US + lag_ns, 2 * US, link=2),
        Slice("2", "first", 10 * US, 100 * US, link=1),
        Slice("2", "second", 900 * US, 10 * US, link=2),
    ]
    timeline = make_timeline(slices, [PYTHON, CANN, STREAM])
    object.__setattr__(timeline.tracks[0], "tid", "100")
    return timeline


def test_rule_ho09_with_framework_calls() -> None:
    """The lag of the launch behind its call grew by less than 50 µs, or by 50 µs and more."""
    assert device_gaps(framed(50 * US)).cause_of(0) == "framework"
    assert device_gaps(framed(51 * US)).cause_of(0) == "launch"


def test_a_task_that_does_not_count_explains_most_of_the_gap() -> None:
    timeline = make_timeline(
        [("2", "Conv", 0, 10), ("2", "Mul", 110, 10), ("3", "MEMCPY_ASYNC", 20, 60)], [STREAM, OTHER]
    )
    gaps = device_gaps(timeline)
    assert (bounds(gaps), gaps.cause_of(0)) == ([(10, 110)], "uncounted")


def test_work_of_another_stream_is_no_gap_of_the_device() -> None:
    timeline = make_timeline([("2", "Conv", 0, 10), ("2", "Mul", 50, 10), ("3", "Add", 10, 40)], [STREAM, OTHER])
    assert len(device_gaps(timeline)) == 0
    assert stream_gaps(timeline, 0).cause_of(0) == "uncounted"


def test_idle_before_the_first_task_and_after_the_last() -> None:
    timeline = make_timeline(
        [("100", "AscendCL@aclInit", 0, 40), ("2", "a", 50, 10), ("100", "AscendCL@aclFinalize", 90, 10)],
        [CANN, STREAM],
    )
    gaps = stream_gaps(timeline, 1)
    assert bounds(gaps) == [(0, 50), (60, 100)]
    conv = event_named(timeline, "a")
    assert (gaps.before.tolist(), gaps.after.tolist()) == ([-1, conv], [conv, -1])
    assert [gaps.cause_of(row) for row in (0, 1)] == ["unknown", "unknown"]
    assert len(device_gaps(timeline)) == 0


def test_gaps_are_the_free_times_of_the_overlap_analysis_where_there_is_one() -> None:
    """So they add up to the free time that is reported; here it starts before the first kernel, and is 1 ns off."""
    free = Lane("o3", "overlap", "Overlap Analysis")
    timeline = make_timeline(
        [("2", "Conv", 100, 10), ("2", "Mul", 150, 10), ("o3", "Free", 0, 100), ("o3", "Free", 109, 41)], [STREAM, free]
    )
    gaps = device_gaps(timeline)
    assert bounds(gaps) == [(0, 100), (109, 150)]
    assert gaps.before.tolist() == [-1, event_named(timeline, "Conv")]
    assert gaps.after.tolist() == [event_named(timeline, "Conv"), event_named(timeline, "Mul")]
    assert sum(gaps.length_ns.tolist()) == device_times(timeline)[0].free_ns


def test_one_gap_as_drawn_is_judged_like_all_of_them() -> None:
    timeline = launched((0, 5, 100, 50), (280, 5, 300, 50), (290, 5, 500, 50))
    stream = next(track.id for track in timeline.tracks if track.layer == "device")
    every = stream_gaps(timeline, stream)
    for row in range(len(every)):
        one = gap_at(timeline, stream, int(every.start_ns[row]), int(every.end_ns[row]))
        for name in ("before", "after", "launch_before", "launch_after", "cause"):
            assert getattr(one, name)[0] == getattr(every, name)[row]


def test_longest_first_and_totals_by_cause() -> None:
    gaps = device_gaps(launched((0, 5, 100, 50), (20, 5, 200, 50), (390, 5, 400, 50)))
    top = gaps.longest(2)
    assert top.length_ns.tolist() == [150, 50]
    assert gaps.by_cause() == {"framework": (1, 150), "device": (1, 50)}
    assert len(gaps.of_track(0)) == 0


def test_devices_are_told_apart() -> None:
    far = Lane("far", device="1", pid="801")
    timeline = make_timeline(
        [("2", "a", 0, 10), ("2", "b", 20, 10), ("far", "a", 0, 10), ("far", "b", 40, 10)], [STREAM, far]
    )
    gaps = device_gaps(timeline)
    assert [(gaps.device[code], length) for code, length in zip(gaps.device_id, gaps.length_ns)] == [
        ("0", 10), ("1", 30),
    ]  # fmt: skip


def test_time_of_a_device_from_its_tasks() -> None:
    plane = Lane("plane", "communication", "Communication")
    timeline = make_timeline(
        [("2", "Conv", 0, 10), ("2", "EVENT_WAIT", 10, 90), ("plane", "hcom_allReduce_", 5, 15), ("2", "Mul", 60, 40)],
        [STREAM, plane],
    )
    time = device_times(timeline)[0]
    assert (time.computing_ns, time.communication_ns, time.free_ns) == (50, 10, 40)
    assert (time.start_ns, time.end_ns, time.span_ns, time.recorded) == (0, 100, 100, False)


def test_the_overlap_analysis_of_the_trace_is_taken_where_there_is_one() -> None:
    lanes = [STREAM, *(Lane(name, "overlap", "Overlap Analysis", device="0") for name in ("o0", "o1", "o2", "o3"))]
    timeline = make_timeline(
        [
            ("2", "Conv", 0, 10),
            ("o0", "Computing", 0, 10),
            ("o0", "Computing", 50, 20),
            ("o1", "Communication", 5, 15),
            ("o2", "Communication(Not Overlapped)", 10, 10),
            ("o3", "Free", 20, 30),
        ],
        lanes,
    )
    time = device_times(timeline)[0]
    assert (time.computing_ns, time.communication_ns, time.free_ns, time.recorded) == (30, 10, 30, True)
    assert (time.start_ns, time.end_ns) == (0, 70)


def test_no_device_at_all() -> None:
    assert len(device_gaps(empty_timeline())) == 0
    assert device_times(empty_timeline()) == ()


def test_times_of_a_part_are_cut_to_it() -> None:
    tasks = make_timeline([Slice("2", "a", 0, 100), Slice("2", "b", 150, 100), Slice("3", "c", 200, 100)])
    (time,) = device_times(tasks, (50, 220))
    assert (time.start_ns, time.end_ns) == (50, 220)
    assert (time.computing_ns, time.free_ns) == (120, 50)
    assert device_times(tasks, (400, 500)) == ()
    gaps = device_gaps(tasks, (50, 220))
    assert (gaps.start_ns.tolist(), gaps.end_ns.tolist()) == ([100], [150])
    assert len(device_gaps(tasks, (101, 220))) == 0


def test_a_recorded_analysis_is_cut_to_a_part_too() -> None:
    overlap = Lane("o", "overlap", "Overlap Analysis")
    timeline = make_timeline(
        [Slice("o", "Computing", 0, 100), Slice("o", "Free", 100, 60), Slice("2", "a", 0, 100)], [overlap]
    )
    (time,) = device_times(timeline, (80, 130))
    assert time.recorded
    assert (time.computing_ns, time.communication_ns, time.free_ns) == (20, 0, 30)

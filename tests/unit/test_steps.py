"""Iterations, from whatever marks them."""

from __future__ import annotations

from tests.timelines import Lane, Slice, make_timeline
from tui.model.steps import steps_of
from tui.model.timeline import Timeline

STEP = Lane("70001", "steps", "Ascend Hardware")
STEP_TOO = Lane("70002", "steps", "Ascend Hardware", device="1")
PYTHON = Lane("python", "framework", "Python", device="")
CANN = Lane("100", "acl", "CANN", device="")


def runs(*durations: int) -> Timeline:
    slices = [Slice("100", "AscendCL@aclmdlExecute", 1000 * place, length) for place, length in enumerate(durations)]
    return make_timeline([*slices, Slice("100", "AscendCL@aclrtMalloc", 990, 5)], [CANN])


def test_the_step_trace_comes_first() -> None:
    timeline = make_timeline(
        [
            Slice("70001", "Iteration 4", 0, 100),
            Slice("70001", "FP_BP Time 4", 0, 80),
            Slice("70001", "Iteration 5", 100, 90),
            Slice("70002", "Iteration 4", 3, 100),
            Slice("python", "ProfilerStep#1", 0, 500),
        ],
        [STEP, STEP_TOO, PYTHON],
    )
    steps = steps_of(timeline)
    assert steps.source == "step trace"
    assert steps.names == ("Iteration 4", "Iteration 5")
    assert steps.numbers.tolist() == [4, 5]
    assert (steps.start_ns.tolist(), steps.end_ns.tolist()) == ([0, 100], [100, 190])
    assert steps.window(5, 9) == (100, 190)
    assert steps.window(7, 9) is None
    assert [steps.at(time) for time in (0, 99, 100, 190)] == [0, 0, 1, -1]


def test_steps_of_the_framework() -> None:
    timeline = make_timeline([Slice("python", f"ProfilerStep#{n}", 10 * n, 8) for n in (2, 3)], [PYTHON])
    steps = steps_of(timeline)
    assert (steps.source, steps.numbers.tolist(), steps.dur_ns.tolist()) == ("framework", [2, 3], [8, 8])


def test_repeated_runs_of_the_model() -> None:
    steps = steps_of(runs(700, 300, 310))
    assert (steps.source, steps.numbers.tolist()) == ("model runs", [1, 2, 3])
    assert steps.warm_up


def test_the_first_run_is_flagged_only_beyond_twice_the_median() -> None:
    assert not steps_of(runs(600, 300, 300)).warm_up
    assert steps_of(runs(601, 300, 300)).warm_up
    assert not steps_of(runs(300, 900, 300)).warm_up


def test_one_run_is_no_iteration() -> None:
    steps = steps_of(runs(700))
    assert (steps.source, len(steps)) == ("", 0)

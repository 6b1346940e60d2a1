"""From a call to its device tasks and back."""

from __future__ import annotations

from tests.timelines import Lane, Slice, event_named, make_timeline
from tui.model.links import back, caused, caused_text, enclosing, forward
from tui.model.timeline import Timeline

CANN = Lane("100", "acl", "CANN", pid="31", device="")
PYTHON = Lane("python", "framework", "Python", device="")
STREAM = Lane("2")


def linked() -> Timeline:
    """A model run with two launches; Conv runs on after the call's launch, Relu has no link of its own."""
    return make_timeline(
        [
            Slice("100", "AscendCL@aclmdlExecute", 0, 1000),
            Slice("100", "Node@launch", 10, 20, link=7),
            Slice("100", "Runtime@rtKernelLaunch", 12, 10, link=7),
            Slice("100", "Node@launch", 40, 20, link=9),
            Slice("100", "AscendCL@aclrtMemcpy", 1100, 50),
            Slice("2", "Conv", 100, 300, link=7),
            Slice("2", "Mul", 350, 150, link=9),
            Slice("2", "Relu", 600, 10),
            Slice("2", "MEMCPY_ASYNC", 1110, 10),
            Slice("2", "Late", 1500, 10),
        ],
        [CANN, STREAM],
    )


def names(timeline: Timeline, events: object) -> list[str]:
    return [timeline.name(int(event)) for event in events]  # type: ignore[attr-defined]


def test_a_launch_leads_to_its_task_and_back() -> None:
    timeline = linked()
    launch = event_named(timeline, "Node@launch")
    found = forward(timeline, launch)
    assert (names(timeline, found.events), found.how, found.guess) == (["Conv"], "connection", False)
    home = back(timeline, event_named(timeline, "Conv"))
    assert home.how == "connection"
    assert home.events[0] == launch, "the launch stands before the runtime call of the same connection"
    assert names(timeline, home.events) == ["Node@launch", "Runtime@rtKernelLaunch"]


def test_a_call_leads_to_the_tasks_of_the_launches_inside() -> None:
    timeline = linked()
    call = event_named(timeline, "AscendCL@aclmdlExecute")
    found = forward(timeline, call)
    assert (names(timeline, found.events), found.how) == (["Conv", "Mul"], "inside")
    result = caused(timeline, call)
    assert (len(result.tasks), result.wall_ns, timeline.name(result.longest)) == (2, 400, "Conv")
    assert caused_text(timeline, result) == "2 device tasks, wall 400 ns, longest Conv 300 ns"


def test_a_launch_leads_back_to_the_call_around_it() -> None:
    timeline = linked()
    found = back(timeline, event_named(timeline, "Node@launch"))
    assert (names(timeline, found.events), found.how) == (["AscendCL@aclmdlExecute"], "inside")
    assert not back(timeline, event_named(timeline, "AscendCL@aclmdlExecute"))


def test_a_waiting_call_without_links_has_what_ran_meanwhile_as_a_guess() -> None:
    timeline = linked()
    found = forward(timeline, event_named(timeline, "AscendCL@aclrtMemcpy"))
    assert (names(timeline, found.events), found.how, found.guess) == (["MEMCPY_ASYNC"], "time", True)


def test_a_task_without_links_is_guessed_to_belong_to_the_call_that_waited() -> None:
    timeline = linked()
    during = back(timeline, event_named(timeline, "Relu"))
    assert (names(timeline, during.events), during.how) == (["AscendCL@aclmdlExecute"], "time")
    late = back(timeline, event_named(timeline, "Late"))
    assert (names(timeline, late.events), late.how, late.guess) == (["AscendCL@aclrtMemcpy"], "nearest", True)


def test_the_shortest_waiting_call_wins() -> None:
    timeline = make_timeline(
        [
            Slice("100", "AscendCL@aclmdlExecute", 0, 1000),
            Slice("100", "Runtime@aclrtSynchronizeStream", 100, 800),
            Slice("2", "Relu", 200, 10),
        ],
        [CANN, STREAM],
    )
    found = back(timeline, event_named(timeline, "Relu"))
    assert names(timeline, found.events) == ["Runtime@aclrtSynchronizeStream"]


def test_old_files_without_any_link() -> None:
    """Separate AscendCL, GE and device processes of the first generation."""
    timeline = make_timeline(
        [
            Slice("acl", "aclmdlExecute", 0, 100),
            Slice("ge", "Infer", 5, 90),
            Slice("2", "Conv", 20, 30),
            Slice("2", "Mul", 95, 30),
        ],
        [Lane("acl", "acl", "AscendCL", device=""), Lane("ge", "model", "GE", device=""), STREAM],
    )
    call = event_named(timeline, "aclmdlExecute")
    assert caused(timeline, call).how == "time"
    assert names(timeline, caused(timeline, call).tasks) == ["Conv"]
    assert names(timeline, back(timeline, event_named(timeline, "Conv")).events) == ["aclmdlExecute"]


def test_arrows_lead_from_the_framework_to_the_device() -> None:
    slices = [
        Slice("python", "aten::conv2d", 0, 10),
        Slice("python", "Conv2DBackward", 50, 10),
        Slice("2", "Conv2D", 200, 30),
        Slice("2", "Conv2DGrad", 300, 30),
    ]
    timeline = make_timeline(slices, [PYTHON, STREAM], [(0, 2, "async_npu"), (0, 1, "fwdbwd"), (1, 3, "async_npu")])
    forth = forward(timeline, event_named(timeline, "aten::conv2d"))
    assert (names(timeline, forth.events), forth.how) == (["Conv2D"], "flow")
    assert names(timeline, back(timeline, event_named(timeline, "Conv2DGrad")).events) == ["Conv2DBackward"]
    assert names(timeline, back(timeline, event_named(timeline, "Conv2DBackward")).events) == ["aten::conv2d"]


def test_arrows_of_calls_inside_count_for_the_outer_call() -> None:
    slices = [
        Slice("python", "aten::linear", 0, 100),
        Slice("python", "aten::addmm", 10, 20),
        Slice("2", "MatMul", 200, 30),
    ]
    timeline = make_timeline(slices, [PYTHON, STREAM], [(1, 2, "async_npu")])
    found = caused(timeline, event_named(timeline, "aten::linear"))
    assert (names(timeline, found.tasks), found.how) == (["MatMul"], "inside")


def test_the_call_around_may_be_on_another_lane_of_the_thread() -> None:
    python = Lane("100p", "framework", "Python", device="")
    timeline = make_timeline([("100p", "Dequeue@add", 0, 100), ("100", "Node@launch", 20, 10)], [python, CANN])
    tracks = list(timeline.tracks)
    object.__setattr__(tracks[0], "tid", "100")
    assert timeline.name(enclosing(timeline, event_named(timeline, "Node@launch"))) == "Dequeue@add"


def test_a_launching_call_without_a_link_gets_the_next_task_as_a_guess() -> None:
    slices = [("100", "Runtime@rtKernelLaunch", 0, 5), ("100", "AscendCL@aclrtMalloc", 6, 2), ("2", "Conv", 20, 5)]
    timeline = make_timeline(slices, [CANN, STREAM])
    found = forward(timeline, 0)
    assert (names(timeline, found.events), found.how) == (["Conv"], "nearest")
    assert caused(timeline, 0).longest == -1
    assert caused_text(timeline, caused(timeline, 0)) == ""
    assert not forward(timeline, event_named(timeline, "AscendCL@aclrtMalloc"))


def test_a_step_of_a_collective_leads_to_the_collective() -> None:
    lanes = [CANN, Lane("group", "communication", "Communication"), Lane("plane", "communication", "Communication")]
    timeline = make_timeline(
        [
            Slice("100", "Communication@AllReduce", 0, 5, link=3),
            Slice("group", "hcom_allReduce__1", 10, 50, link=3),
            Slice("plane", "Notify_Wait", 20, 10),
        ],
        lanes,
    )
    found = back(timeline, event_named(timeline, "Notify_Wait"))
    assert (names(timeline, found.events), found.how) == (["hcom_allReduce__1"], "inside")
    assert names(timeline, back(timeline, int(found.events[0])).events) == ["Communication@AllReduce"]


def test_nothing_to_link_to() -> None:
    timeline = make_timeline([("100", "AscendCL@aclInit", 0, 5)], [CANN])
    assert not forward(timeline, 0)
    assert not back(timeline, 0)


def test_enclosing_looks_far_back() -> None:
    inner = [Slice("100", f"Runtime@call{place}", 10 * place + 1, 5) for place in range(1000)]
    timeline = make_timeline([Slice("100", "AscendCL@aclmdlExecute", 0, 100_000), *inner], [CANN])
    assert enclosing(timeline, event_named(timeline, "Runtime@call999")) == 0

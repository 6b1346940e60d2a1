"""The loop of tuning: following a job, what comes next, what it is compared with, the table of operators, presets."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from tests.standins import QUICK_STOP, SLEEPER, collection, says, tuning, until
from tui.model.jobs import Command, Job, JobResult
from tui.model.order import parse_sort
from tui.model.tuning import TunedOp, TuningResult
from tui.model.tuning_table import tuning_table
from tui.model.view import View, apply_view
from tui.tools import jobs
from tui.tools.aoe import AoeRequest
from tui.tools.following import Following, elapsed_s
from tui.tools.loop import baseline_for, measured_again, operators_after, steps, work_dir
from tui.tools.presets import presets, save_preset


def test_a_tuning_is_followed_while_it_writes_its_report(tmp_path: Path) -> None:
    job = jobs.start(tuning(tmp_path, mode="slow"), stop_waits_s=QUICK_STOP)
    until(says(job, "tuning goes on"))
    glance = Following(job).look()
    assert glance.job.state == "running"
    assert glance.progress.ops_tuned == 2
    assert glance.progress.share_pct == 100
    assert glance.last_line == "[Aoe]tuning goes on"
    assert glance.result_bytes > 0
    jobs.stop(job.id)
    assert (jobs.wait(job.id, 30) or job).state == "stopped"


def test_a_collection_is_followed_to_its_end(tmp_path: Path) -> None:
    job = jobs.start(collection(tmp_path, SLEEPER), stop_waits_s=(30.0,))
    until(says(job, "app runs"))
    following = Following(job)
    glance = following.look()
    assert (glance.progress.step, glance.progress.steps[-1]) == ("collect", "done")
    jobs.stop(job.id)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    glance = following.look()
    assert (glance.progress.step, glance.job.state) == ("done", "stopped")
    assert glance.result_bytes > 100
    assert glance.elapsed_s == elapsed_s(ended) > 0


def done(number: int, command: Command, *profiles: str) -> Job:
    results = tuple(JobResult("profile", path) for path in profiles)
    return Job(number, command, "done", results=results)


def test_the_loop_knows_how_far_it_is(tmp_path: Path) -> None:
    collect = collection(tmp_path, ("./msame", "--model", "m.om"))
    history = [done(1, collect, "/p1"), done(2, tuning(tmp_path, "1"))]
    assert [(step.name, step.is_done) for step in steps(history)] == [
        ("profile", True), ("subgraph", True), ("operator", False), ("again", False), ("compare", False),
    ]  # fmt: skip
    history += [done(3, tuning(tmp_path, "2")), done(4, collect, "/p2")]
    found = {step.name: step.job.id if step.job else None for step in steps(history)}
    assert found == {"profile": 1, "subgraph": 2, "operator": 3, "again": 4, "compare": None}
    failed = replace(history[1], state="failed")
    assert next(step for step in steps([failed, *history[2:]]) if step.name == "subgraph").job is None
    assert [step.job for step in steps([])] == [None] * 5


def test_the_baseline_is_the_profile_before_of_the_same_program(tmp_path: Path) -> None:
    mine, other = collection(tmp_path, ("python3", "a.py")), collection(tmp_path, ("python3", "b.py"))
    history = [done(1, mine, "/p1"), done(2, other, "/p2"), done(3, mine, "/p3"), done(4, mine, "/p4")]
    assert baseline_for(history[3], history) == "/p3"
    assert baseline_for(history[1], history) == "/p1"
    assert baseline_for(history[0], history) == ""
    chosen = replace(history[3], command=replace(mine, baseline="/p0"))
    assert baseline_for(chosen, history) == "/p0"


def test_the_same_collection_measures_the_tuned_model(tmp_path: Path) -> None:
    collect = collection(tmp_path, ("./msame", "--model", "m.om", "--om=n.om", "--loop", "10"), (("aicpu", "on"),))
    again = measured_again(collect, "/w/my tuned.om", "/p1")
    assert again.argv[-6:] == ("./msame", "--model", "/w/my tuned.om", "--om=/w/my tuned.om", "--loop", "10")
    assert again.argv[:-6] == collect.argv[:-6]
    assert (again.output, again.baseline, again.devices) == (collect.output, "/p1", (0,))
    assert measured_again(collect).argv == collect.argv
    older = replace(collect, argv=("msprof", "--output=/o.om", "--application=./msame --model m.om"))
    assert measured_again(older, "/t.om").argv[1:] == ("--output=/o.om", "--application=./msame --model /t.om")
    assert measured_again(collect, "/t.om").argv[1] == f"--output={tmp_path}/out"


def test_operators_follow_subgraphs_in_a_folder_of_their_own() -> None:
    request = AoeRequest("/m.onnx", "1", work_dir("/w", at_s=0.0))
    assert request.work_dir.startswith("/w/aoe_19")
    after = operators_after(request)
    assert (after.job_type, after.work_dir) == ("2", request.work_dir + "_2")


def test_a_report_is_a_table_that_sorts(tmp_path: Path) -> None:
    ops = (
        TunedOp("a", "Conv2D", 100.0, 60.0, share_pct=4.0),
        TunedOp("b", "Mul", 10.0, 8.0),
        TunedOp("c", "Mul", math.nan, 1.0),
    )
    table = tuning_table(TuningResult("/r.json", "opat", ops=ops))
    assert table.keys == ("op_name", "op_type", "before_us", "after_us", "saved_us", "gain_pct", "share_pct")
    saved = table.number("saved_us")
    gain = table.number("gain_pct")
    assert saved is not None
    assert gain is not None
    assert saved[:2].tolist() == [40.0, 2.0]
    assert gain[:2].tolist() == [40.0, 20.0]
    shown = apply_view(table, View(sort=parse_sort(table, "gain_pct")))
    assert shown.rows.tolist()[:2] == [1, 0]
    ticks = tuning_table(TuningResult("/r.json", "autotune", ops=ops[1:2], unit="ticks"))
    assert ticks.keys == ("op_name", "op_type", "before_ticks", "after_ticks", "saved_ticks", "gain_pct")
    assert tuning_table(TuningResult("/r.json", "opat")).row_count == 0


@pytest.mark.parametrize("name", ["mine", 'odd "name" ]', "名前\x7f\n"])
def test_presets_of_the_user_are_kept(name: str) -> None:
    options = (("task-time", "l0"), ("environment", 'A="b";C=\\d'))
    path = save_preset(name, options)
    save_preset("another", (("aicpu", "on"),))
    found = presets()
    assert found[name] == options
    assert found["another"] == (("aicpu", "on"),)
    assert "inference quick" in found
    assert oct(path.stat().st_mode & 0o777) == "0o600"


def test_a_damaged_file_of_presets_is_told_and_passed_over() -> None:
    path = save_preset("mine", (("aicpu", "on"),))
    path.write_text("[broken")
    problems: list[str] = []
    assert "mine" not in presets(problems)
    assert len(problems) == 1
    path.write_text("[mine]\naicpu = 3\n[[list]]\n")
    assert presets()["mine"] == ()

"""The twelve rules for launching Ascend tools, each by its number, against stand-ins for the tools."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.standins import (
    BIN,
    MSPROF,
    QUICK_STOP,
    SLEEPER,
    collection,
    finished,
    group_of,
    interactive,
    log_of,
    says,
    until,
)
from tests.standins import tuning as tuning_command
from tui.errors import BadExpression
from tui.model.jobs import Command
from tui.tools import jobs
from tui.tools.aoe import aoe_problems, bank_problems, room_problems
from tui.tools.child import child_environment
from tui.tools.job_files import INPUT, folder_of
from tui.tools.log_lines import LineSplitter
from tui.tools.msprof import CollectRequest, OfflineRequest, app_form, msprof_arguments
from tui.tools.msprof_check import msprof_problems
from tui.tools.preflight import Surroundings, problems_of
from tui.tools.problems import errors

ECHO = (sys.executable, "-c", "import sys; print(sys.argv[1:])")


def test_rule_1_a_run_is_judged_by_text_and_files_not_by_the_exit_code(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, (sys.executable, "-c", "raise SystemExit(3)")))
    assert job.exit_code == 0
    assert job.state == "failed"
    assert "the program failed with 3 (No such process)" in job.reason


def test_rule_1_a_good_text_without_files_is_a_failure(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, ECHO, mode="noexport"))
    assert "Export all data" in log_of(job)
    assert job.exit_code == 0
    assert (job.state, job.reason) == ("failed", "the data were collected but not exported")


def test_rule_2_options_are_written_with_an_equals_sign() -> None:
    request = CollectRequest(("./app", "--x", "1"), "/out", (("task-time", "l1"), ("aicpu", "on")))
    words = msprof_arguments(request)
    assert words == ("--output=/out", "--task-time=l1", "--aicpu=on", "./app", "--x", "1")
    assert "has no value" in errors(msprof_problems(("--output", "/out", "ls")))[0].what
    assert "swallows" in errors(msprof_problems(("--output=/tmp", "--", "ls")))[0].what


@pytest.mark.parametrize(
    ("version", "form"),
    [
        ("8.0.RC2", "application"),
        ("7.0.0", "application"),
        ("8.0.RC3", "positional"),
        ("8.5.1", "positional"),
        ("", "positional"),
    ],
)
def test_rule_3_the_program_stands_behind_the_options_from_8_0_rc3_on(version: str, form: str) -> None:
    assert app_form(version) == form
    words = msprof_arguments(CollectRequest(("python3", "a.py"), "/out", form=app_form(version)))
    assert words[1:] == (("python3", "a.py") if form == "positional" else ("--application=python3 a.py",))


def test_rule_3_each_argument_reaches_the_program_as_one(tmp_path: Path) -> None:
    hostile = ("a b", "q'\"q", "; ls", "$(id)", "`id`", "two\nlines", "", "*", "-x", "--output=/no", "\\", "é\u202e")
    marker = tmp_path / "was here"
    words = (*hostile, f"; touch '{marker}'", f"$(touch '{marker}')")
    job = finished(collection(tmp_path, (*ECHO, *words)))
    assert job.state == "done"
    assert ascii(list(words)) in ascii(eval_free(log_of(job)))
    assert not marker.exists()


def eval_free(text: str) -> list[str]:
    """The list that the program printed, read as a literal."""
    import ast

    line = next(line for line in text.splitlines() if line.startswith("['a b'"))
    return list(ast.literal_eval(line))


def test_rule_3_the_older_form_refuses_what_it_would_split() -> None:
    with pytest.raises(BadExpression, match="splits at spaces"):
        msprof_arguments(CollectRequest(("app", "a b"), "/out", form="application"))


def test_rule_4_the_output_is_absolute_made_with_mode_0750_and_ours(tmp_path: Path) -> None:
    command = collection(tmp_path, ECHO)
    assert f"--output={tmp_path}/out" in command.argv
    finished(command)
    assert oct((tmp_path / "out").stat().st_mode & 0o777) == "0o750"
    assert "is not given" in msprof_problems(("ls",))[0].what


def test_rule_5_a_stop_reaches_the_tool_first_and_leaves_nobody_of_its_group(tmp_path: Path) -> None:
    job = jobs.start(collection(tmp_path, SLEEPER), stop_waits_s=(30.0,))
    until(says(job, "app runs"))
    assert job.process is not None
    assert os.getsid(job.process.pid) == job.process.pid != os.getsid(0)
    assert len(group_of(job.process.pid)) >= 2
    jobs.stop(job.id)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert ended.state == "stopped"
    assert [(step.what, step.target) for step in ended.stop_steps] == [("SIGINT", "leader")]
    assert "Receive stop signal." in log_of(ended)
    assert [result.usable for result in ended.results] == [True]
    assert group_of(job.process.pid) == []


def test_rule_6_bytes_become_lines_whatever_they_are() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"10 %\r20 %\r30") == []
    assert splitter.partial == "30"
    assert splitter.feed(b" %\n\xff\xfe bad\r\nrest") == [b"30 %", b"\xff\xfe bad"]
    assert splitter.partial == "rest"


def test_rule_6_both_streams_go_to_one_log(tmp_path: Path) -> None:
    both = (sys.executable, "-c", "import sys; print('to out', flush=True); print('to err', file=sys.stderr)")
    text = log_of(finished(collection(tmp_path, both)))
    assert "to out" in text
    assert "to err" in text


def test_rule_7_stdin_is_the_null_device(tmp_path: Path) -> None:
    reader = (sys.executable, "-c", "import os, sys; print(os.readlink('/proc/self/fd/0'), repr(sys.stdin.read()))")
    assert "/dev/null ''" in log_of(finished(collection(tmp_path, reader)))


def test_rule_7_in_dynamic_mode_the_input_stays_open_and_takes_commands(tmp_path: Path) -> None:
    job = jobs.start(interactive(tmp_path), stop_waits_s=QUICK_STOP)
    until(says(job, "> "))
    assert (folder_of(job.id) / INPUT).is_fifo()
    for line, answer in (("start", "start success"), ("stop", "stop success")):
        assert jobs.send(job.id, line)
        until(says(job, answer))
    jobs.stop(job.id)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert [(step.what, step.target) for step in ended.stop_steps[:2]] == [("stop", "input"), ("quit", "input")]
    assert len(ended.results) == 1
    assert log_of(ended).count("> ") < 20
    assert not jobs.send(job.id, "start")


def test_rule_8_new_folders_are_found_by_listing_all_of_them(tmp_path: Path) -> None:
    old = "PROF_000001_20260723133445164_JOJGBELOFFNAFPDC"
    (tmp_path / "out" / old).mkdir(parents=True)
    os.symlink(tmp_path, tmp_path / "out" / "PROF_000009_20260723133445164_JOJGBELOFFNAFPDC")
    (tmp_path / "out" / "PROF_not_one").mkdir()
    job = finished(collection(tmp_path, ECHO, mode="several"))
    names = [os.path.basename(result.path) for result in job.results]
    assert [name[:12] for name in names] == ["PROF_000001_", "PROF_000002_"]
    assert old not in names
    assert "Data is saved in" in log_of(job)


def test_rule_9_the_sample_opens_without_any_tool(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tui.session import Session

    monkeypatch.setenv("PATH", str(samples))
    assert Session(samples / "mish_before").table("ops").row_count > 0


def test_rule_10_the_environment_keeps_the_output_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    names = "LC_ALL", "PYTHONUNBUFFERED", "ASCEND_SLOG_PRINT_TO_STDOUT"
    script = f"import os; print([os.environ.get(name) for name in {names}])"
    assert "['C.UTF-8', '1', None]" in log_of(finished(collection(tmp_path, (sys.executable, "-c", script))))
    environ = child_environment(Command("msprof", ("x",), "/"), "mark", {"LC_ALL": "C", "HOME": "/h"})
    assert environ == {"LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1", "HOME": "/h", "NPUSCOPE_JOB": "mark"}


def test_rule_11_a_second_job_on_an_npu_waits_for_the_first(tmp_path: Path) -> None:
    first = jobs.start(collection(tmp_path, SLEEPER), stop_waits_s=QUICK_STOP)
    until(says(first, "app runs"))
    command = tuning_command(tmp_path)
    warnings = [problem.what for problem in problems_of(command, Surroundings(jobs=jobs.jobs()))]
    assert f"is used by job {first.id} (msprof)" in warnings
    second = jobs.start(command)
    assert second.state == "queued"
    assert not jobs.log_path(second.id).exists()
    jobs.stop(first.id)
    ended = jobs.wait(second.id, 30)
    assert ended is not None
    assert ended.state == "done"
    first_ended = jobs.wait(first.id, 30)
    assert first_ended is not None
    assert first_ended.ended_s is not None
    assert ended.started_s is not None
    assert ended.started_s >= first_ended.stop_steps[0].at_s


def test_rule_11_measuring_and_dumping_exclude_each_other(tmp_path: Path) -> None:
    (tmp_path / "acl.json").write_text('{"dump": {"dump_path": "/d"}, "profiler": {"switch": "on"}}')
    command = collection(tmp_path, ("ls", "--dump", "1"))
    found = {problem.where: problem for problem in problems_of(command)}
    assert found["--dump"].severity == "error"
    said = [problem.what for problem in problems_of(command) if problem.where.endswith("acl.json")]
    assert said == ["switches on the dump of operators", "switches on a profiler of its own"]


def test_rule_12_aoe_needs_a_job_type_a_bank_and_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = aoe_problems(Command("aoe", ("aoe", "--model=m.onnx"), str(tmp_path), "tune"))
    assert [(problem.where, problem.what) for problem in lacking if problem.where == "--job_type"] == [
        ("--job_type", "is needed")
    ]
    bank = next(bank_problems(tuning_command(tmp_path, bank="/no/bank")))
    assert (bank.severity, bank.hint) == ("error", "mkdir -p /no/bank")
    monkeypatch.setattr("tui.tools.aoe.NEEDED_DISK_BYTES", 1 << 60)
    assert next(room_problems(str(tmp_path))).severity == "error"


def test_rule_12_the_mark_of_success_decides(tmp_path: Path) -> None:
    assert finished(tuning_command(tmp_path)).state == "done"
    silent = finished(tuning_command(tmp_path, mode="nothing"))
    assert silent.exit_code == 0
    assert (silent.state, silent.reason) == ("failed", "aoe did not say that it finished; it exited with code 0")


def test_a_bank_that_is_not_there_ends_aoe_with_the_reason(tmp_path: Path) -> None:
    job = finished(tuning_command(tmp_path, bank=str(tmp_path / "none")))
    assert job.state == "failed"
    assert job.reason.startswith("aoe says EG0002: ")
    assert "TUNE_BANK_PATH" in job.hint


def test_an_export_of_what_was_only_collected(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, ECHO, mode="pyless"))
    prof = job.results[0].path
    assert job.hint == f"msprof --export=on --output={prof}"
    assert msprof_arguments(OfflineRequest("export", prof)) == ("--export=on", f"--output={prof}")
    from tui.tools.msprof import msprof_command

    exported = finished(msprof_command(OfflineRequest("export", prof), MSPROF))
    assert exported.state == "done"
    assert exported.command.devices == ()


def test_stand_ins_say_that_they_are_ones() -> None:
    for path in BIN.iterdir():
        assert "tand-in" in path.read_text(encoding="utf-8").splitlines()[1]
        assert os.access(path, os.X_OK)

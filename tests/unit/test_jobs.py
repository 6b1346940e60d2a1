"""Jobs outlive whoever started them, are never mistaken for others, and always come to an end that is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.standins import (
    DEAF,
    MSPROF,
    QUICK_STOP,
    SLEEPER,
    collection,
    finished,
    group_of,
    is_running,
    log_of,
    says,
    tuning,
    until,
)
from tui.errors import NotStarted
from tui.model.jobs import Command, Job, ProcessId
from tui.tools import jobs
from tui.tools.job_files import RECORD, folder_of, job_from, marker_of, numbers, read_job, write_job
from tui.tools.msprof import CollectRequest, msprof_command
from tui.tools.processes import group_members, identity, is_alive, send_to_leader

WAITS = (
    "import time\nfor _second in range(600):\n    if __import__('os').path.exists('go'):\n        break\n"
    "    time.sleep(0.02)\nprint('app is through', flush=True)"
)


def waiting(folder: Path) -> Command:
    """A collection of a program that ends when there is a file named `go`."""
    return collection(folder, (sys.executable, "-c", WAITS))


def started_by_another(repository: Path, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A starter in a session of its own that starts a job and then lives on; and the number of the job."""
    code = (
        "import signal, sys, time\nfrom pathlib import Path\nfrom tui.tools import jobs\n"
        "from tests.unit.test_jobs import waiting\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "print(jobs.start(waiting(Path(sys.argv[1]))).id, flush=True)\ntime.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository)}, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout as stdout:
        return process, int(stdout.readline())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_job_survives_whoever_started_it(repository: Path, tmp_path: Path, number: signal.Signals) -> None:
    starter, job_number = started_by_another(repository, tmp_path)
    os.killpg(starter.pid, number)
    with starter:
        assert starter.wait(30) == -number
    job = jobs.find(job_number)
    assert job is not None
    assert job.state == "running"
    assert [other.id for other in jobs.jobs()] == [job_number]
    (tmp_path / "go").touch()
    ended = jobs.wait(job_number, 30)
    assert ended is not None
    assert ended.state == "done"
    assert "app is through" in log_of(ended)


def test_without_its_supervisor_a_job_is_lost_and_says_what_runs_of_it(tmp_path: Path) -> None:
    job = jobs.start(waiting(tmp_path), stop_waits_s=QUICK_STOP)
    until(says(job, "Start profiling"))
    assert job.supervisor is not None
    assert job.process is not None
    os.kill(job.supervisor.pid, signal.SIGKILL)
    until(lambda: not is_alive(job.supervisor))
    lost = jobs.find(job.id)
    assert lost is not None
    assert lost.state == "lost"
    assert "2 processes of it still run" in lost.reason
    assert job.process.pid in lost.left_behind
    (tmp_path / "go").touch()
    until(lambda: not group_of(job.process.pid))  # type: ignore[union-attr]
    after = jobs.find(job.id)
    assert after is not None
    assert (after.state, after.left_behind) == ("lost", ())
    assert after.reason.endswith("its output says that it succeeded")
    assert [result.usable for result in after.results] == [True]
    assert read_job(folder_of(job.id)) == after


def test_a_lost_job_can_be_stopped(tmp_path: Path) -> None:
    job = jobs.start(collection(tmp_path, DEAF, mode="stubborn"), stop_waits_s=(0.05, 0.05, 5.0))
    until(says(job, "deaf"))
    assert job.supervisor is not None
    assert job.process is not None
    os.kill(job.supervisor.pid, signal.SIGKILL)
    until(lambda: not is_alive(job.supervisor))
    stopped = jobs.stop(job.id)
    assert stopped is not None
    assert stopped.state == "stopped"
    assert group_of(job.process.pid) == []


def test_a_deaf_job_gets_harder_signals_until_its_group_is_gone(tmp_path: Path) -> None:
    job = jobs.start(collection(tmp_path, DEAF, mode="stubborn"), stop_waits_s=(0.05, 0.05, 5.0))
    until(says(job, "deaf"))
    assert job.process is not None
    jobs.stop(job.id)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    expected = [("SIGINT", "leader"), ("SIGINT", "group"), ("SIGTERM", "group")]
    assert [(step.what, step.target) for step in ended.stop_steps] == expected
    assert (ended.state, ended.left_behind) == ("stopped", ())
    assert group_of(job.process.pid) == []


def test_a_second_stop_takes_the_next_step_at_once(tmp_path: Path) -> None:
    job = jobs.start(collection(tmp_path, DEAF, mode="stubborn"), stop_waits_s=(600.0, 600.0, 600.0, 5.0))
    until(says(job, "deaf"))
    for count in range(1, 4):
        jobs.stop(job.id)
        until(lambda: len((read_job(folder_of(job.id)) or job).stop_steps) >= count)  # noqa: B023 (used at once)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert ended.state == "stopped"
    assert ended.stop_steps[-1].what == "SIGTERM"


def test_aoe_and_its_compile_processes_are_stopped_together(tmp_path: Path) -> None:
    job = jobs.start(tuning(tmp_path, mode="slow"), stop_waits_s=QUICK_STOP)
    until(says(job, "tuning goes on"))
    assert job.process is not None
    until(lambda: len(group_of(job.process.pid)) == 2)  # type: ignore[union-attr]
    jobs.stop(job.id)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert ended.state == "stopped"
    assert group_of(job.process.pid) == []
    assert [result.kind for result in ended.results] == ["tuning"]


def test_what_left_the_group_is_named_and_left_alone(tmp_path: Path) -> None:
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    code = f"import subprocess, sys; subprocess.Popen({sleeper}, start_new_session=True)"
    job = finished(collection(tmp_path, (sys.executable, "-c", code)))
    assert job.state == "done"
    assert len(job.left_behind) == 1
    assert is_running(job.left_behind[0])
    os.kill(job.left_behind[0], signal.SIGKILL)


def test_a_program_that_is_missing_is_not_started(tmp_path: Path) -> None:
    command = msprof_command(CollectRequest(("ls",), str(tmp_path), cwd=str(tmp_path)), "/no/such/msprof")
    with pytest.raises(NotStarted, match="/no/such/msprof could not be started: No such file or directory"):
        jobs.start(command)
    assert [job.state for job in jobs.jobs()] == ["failed"]


def test_a_program_without_permission_is_not_started(tmp_path: Path) -> None:
    tool = tmp_path / "msprof"
    tool.write_text("#!/bin/sh\n")
    command = msprof_command(CollectRequest(("ls",), str(tmp_path / "out"), cwd=str(tmp_path)), str(tool))
    with pytest.raises(NotStarted, match="Permission denied"):
        jobs.start(command)


def test_an_output_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = msprof_command(CollectRequest(("ls",), str(tmp_path / "file" / "out"), cwd=str(tmp_path)), MSPROF)
    with pytest.raises(NotStarted, match="cannot be written"):
        jobs.start(command)


@pytest.mark.parametrize(
    ("mode", "code", "reason"),
    [
        ("nodriver", 255, "msprof cannot reach the driver: [ERROR] Init platform by driver faild!"),
        ("virtual", 254, "this is a virtual NPU, which msprof does not support here"),
        ("nodata", 255, "no data were collected: the program did not use the NPU"),
        ("pyless", 0, "the data were collected but not exported"),
        ("cut,noexport", 0, "the data were collected but not exported"),
    ],
)
def test_each_failure_of_msprof_has_its_sentence(tmp_path: Path, mode: str, code: int, reason: str) -> None:
    job = finished(collection(tmp_path, ("true",), mode=mode))
    assert (job.exit_code, job.state) == (code, "failed")
    assert job.reason == reason


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, ("true",), mode="full"))
    assert job.exit_code == 0
    assert job.state == "failed"
    assert job.reason.startswith("the disk is full: ")
    assert job.hint.startswith("make room")


def test_a_wrong_option_is_named_by_the_line_of_the_tool(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, ("true",), (("sys-lp", "on"),)))
    assert (job.exit_code, job.state) == (255, "failed")
    assert job.reason == "it refused an option: unrecognized option '--sys-lp=on'"


def test_a_tool_that_is_killed_from_outside_says_so(tmp_path: Path) -> None:
    job = jobs.start(waiting(tmp_path))
    until(says(job, "Start profiling"))
    assert job.process is not None
    os.kill(job.process.pid, signal.SIGTERM)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert ended.state == "failed"
    assert "it was ended by SIGTERM" in ended.reason
    assert len(ended.left_behind) == 1
    (tmp_path / "go").touch()


def test_errors_that_the_program_prints_do_not_make_a_good_run_bad(tmp_path: Path) -> None:
    code = "print('[ERROR] no free buffer'); print('No space left on device'); print('Data is saved in /nowhere.')"
    job = finished(collection(tmp_path, (sys.executable, "-c", code)))
    assert job.state == "done"
    assert "[ERROR] no free buffer" in job.notes


def test_a_stop_while_it_waits_for_the_npu_ends_it_before_it_begins(tmp_path: Path) -> None:
    first = jobs.start(waiting(tmp_path))
    second = jobs.start(tuning(tmp_path))
    assert (second.state, second.reason) == ("queued", "waits for NPU 0, which another job has")
    jobs.stop(second.id)
    ended = jobs.wait(second.id, 30)
    assert ended is not None
    assert (ended.state, ended.reason) == ("stopped", "stopped by you before it began")
    (tmp_path / "go").touch()
    jobs.wait(first.id, 30)


def test_the_record_is_private_and_whole(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, ("true",)))
    folder = folder_of(job.id)
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert job_from(json.loads((folder / RECORD).read_text()), job.id) == job
    assert [name for name in os.listdir(folder) if name.startswith(".")] == []
    assert (folder / "supervisor.log").read_text() == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"state": "done"}',
        '{"state": "x", "command": {}}',
        "[" * 100_000,
        '{"state":"done","com',
        "\xff",
    ],
)
def test_a_damaged_record_is_passed_over(text: str) -> None:
    folder = folder_of(1)
    folder.mkdir(parents=True)
    (folder / RECORD).write_bytes(text.encode("latin-1"))
    assert read_job(folder) is None
    assert jobs.jobs() == []


def test_a_job_of_another_machine_is_left_as_it_says(tmp_path: Path) -> None:
    folder = folder_of(7)
    folder.mkdir(parents=True)
    job = Job(7, Command("aoe", ("aoe",), "/"), "running", host="elsewhere", boot="x", supervisor=ProcessId(1, 1))
    write_job(folder, job)
    assert jobs.find(7) == job
    assert jobs.stop(7) == job
    write_job(folder, replace(job, host=os.uname().nodename))
    found = jobs.find(7)
    assert found is not None
    assert found.state == "lost"


def test_a_job_that_never_came_up_is_lost_after_a_while() -> None:
    folder = folder_of(3)
    folder.mkdir(parents=True)
    job = Job(3, Command("aoe", ("aoe",), "/"), created_s=time.time(), host=os.uname().nodename)
    write_job(folder, job)
    assert (jobs.find(3) or job).state == "queued"
    write_job(folder, replace(job, created_s=1.0))
    assert (jobs.find(3) or job).state == "lost"


def test_a_number_that_was_given_away_again_is_another_process() -> None:
    me = identity(os.getpid())
    assert me is not None
    assert is_alive(me)
    other = replace(me, start_ticks=me.start_ticks - 1)
    assert not is_alive(other)
    assert not send_to_leader(other, signal.SIGKILL)
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        leader = identity(process.pid)
        assert leader is not None
        before = replace(leader, start_ticks=leader.start_ticks - 1)
        assert group_members(before, marker_of(Path("/nowhere"))) == []
        process.kill()


def test_jobs_are_numbered_and_forgotten(tmp_path: Path) -> None:
    first = finished(collection(tmp_path, ("true",)))
    second = jobs.start(waiting(tmp_path))
    assert numbers() == [2, 1]
    assert not jobs.forget(second.id)
    (tmp_path / "go").touch()
    jobs.wait(second.id, 30)
    assert jobs.forget(first.id)
    assert [job.id for job in jobs.jobs()] == [2]
    assert jobs.find(first.id) is None


def test_little_disk_is_told_while_it_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tui.tools.supervisor import low_disk

    assert low_disk((str(tmp_path),), 1) == ""
    assert low_disk((str(tmp_path / "not yet"),), 1 << 60).startswith("only ")


def test_a_disk_that_fills_up_is_written_into_the_record_while_the_job_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from tui.model.machine import Disk
    from tui.tools import supervisor
    from tui.tools.job_files import new_folder

    seen: list[str] = []

    def nearly_full(folder: str) -> Disk:
        seen.append((read_job(folder_of(number)) or job).low_disk)
        return Disk(folder, 12 << 20, 100 << 30)

    monkeypatch.setattr(supervisor, "disk_at", nearly_full)
    monkeypatch.setattr(supervisor, "_DISK_EVERY_S", 0.0)
    number, folder = new_folder()
    job = Job(number, collection(tmp_path, (sys.executable, "-c", "import time; time.sleep(1)")), language="en")
    write_job(folder, job)
    readable, writable = os.pipe()
    try:
        supervisor.Supervisor(folder, -1, readable).run()
    finally:
        os.close(readable)
        os.close(writable)
    assert "only 12.0 MiB are free at " in seen[-1]
    ended = jobs.find(number)
    assert ended is not None
    assert ended.state == "done"
    assert ended.low_disk == seen[-1]


def test_an_interrupt_that_the_starter_ignores_still_reaches_the_tool(repository: Path, tmp_path: Path) -> None:
    """A shell script starts things in the background with SIGINT ignored, and what is ignored is inherited."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        job = jobs.start(collection(tmp_path, SLEEPER), stop_waits_s=(30.0,))
    finally:
        signal.signal(signal.SIGINT, before)
    until(says(job, "app runs"))
    jobs.stop(job.id)
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert [(step.what, step.target) for step in ended.stop_steps] == [("SIGINT", "leader")]

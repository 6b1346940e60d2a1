"""Jobs on the screen: what became of them and why, exports, quitting while they run, the log to a file, pins."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.pilot.viewer import Viewer, sizes, viewing
from tests.standins import BIN, QUICK_STOP, SLEEPER, collection, finished, group_of, is_running, says, tuning, until
from tui.model.jobs import Job
from tui.tools import jobs
from tui.tools.job_files import new_folder, write_job
from tui.tools.processes import boot_id, host_name, identity, is_alive


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins in PATH, and a folder to work in."""
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STANDIN_NPU", "310P")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def running(folder: Path) -> Job:
    """A job that goes on until it is stopped."""
    job = jobs.start(collection(folder, SLEEPER), stop_waits_s=QUICK_STOP)
    until(says(job, "app runs"))
    return job


async def start(viewer: Viewer) -> None:
    """From a form that has nothing against it: the button, and yes."""
    await viewer.shows("nothing speaks against it")
    await viewer.press("G", "enter")
    await viewer.shows(r"start \w+\?")
    await viewer.press("right", "enter")


# ── exports ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_folder_that_was_only_collected_offers_its_export_and_opens_after_it(tools: Path) -> None:
    prof = Path(finished(collection(tools, ("true",), mode="pyless")).results[0].path)
    async with viewing(prof) as viewer:
        await viewer.shows("▌ 8  export it with msprof")
        await viewer.press("9")
        await viewer.shows("! export, run")
        await viewer.press("G", "enter")
        await viewer.shows("export with msprof")
        await viewer.press("q")
        await viewer.press("1")
        await viewer.press("enter")
        await viewer.shows(rf"--export=on --output=[\w/\s-]*{prof.name}")
        await start(viewer)
        await viewer.shows(rf"opened {prof.name[:11]}, which job")
        await viewer.shows("Conv2D")


async def test_the_job_that_left_it_offers_the_export_too(mish: Path, tools: Path) -> None:
    finished(collection(tools, ("true",), mode="pyless"))
    async with viewing(mish) as viewer:
        await viewer.go("8")
        await viewer.shows(r"▌ +1  msprof +failed .* the data were collected")
        await viewer.shows("! exports what it left")
        await viewer.press("!")
        await viewer.shows("▌ export +msprof: make tables and timeline of PROF_")


# ── what became of them ──────────────────────────────────────────────────────────────────────────────────────────────


@sizes
async def test_why_a_job_failed_stands_in_its_line_and_in_full_below(
    mish: Path, tools: Path, size: tuple[int, int]
) -> None:
    crash = finished(collection(tools, (sys.executable, "-c", "raise SystemExit(3)")))
    assert crash.exit_code == 0
    finished(tuning(tools, bank=str(tools / "no bank")))
    finished(collection(tools, ("true",), (("sys-lp", "on"),)))
    async with viewing(mish, size) as viewer:
        await viewer.go("8")
        await viewer.shows(r"▌ +3  msprof +failed .* it refused an option")
        await viewer.shows(r"2  aoe 2 +failed .* aoe says EG0002")
        await viewer.shows(r"1  msprof +failed .* the program failed")
        await viewer.press("j")
        await viewer.shows(r"all[\s┃│]+rights[\s┃│]+for[\s┃│]+you")
        await viewer.press("j")
        await viewer.shows(r"msprof itself: it[\s┃│]+exited[\s┃│]+with[\s┃│]+code 0")
        await viewer.press("enter")
        await viewer.shows(r"^ failed ")
        await viewer.press(".")
        await viewer.shows(r"^▌\[ERROR\] An exception has occurred in process App")


async def test_a_job_without_its_supervisor_is_lost_and_can_still_be_stopped(mish: Path, tools: Path) -> None:
    job = running(tools)
    assert job.supervisor is not None
    assert job.process is not None
    async with viewing(mish) as viewer:
        await viewer.go("8")
        await viewer.shows(r"▌ +1  msprof +running")
        os.kill(job.supervisor.pid, signal.SIGKILL)
        until(lambda: not is_alive(job.supervisor))
        await viewer.shows(r"▌ +1  msprof +lost")
        await viewer.shows(rf"alive +.*{job.process.pid}")
        await viewer.press(":")
        await viewer.type("stop")
        await viewer.shows("stop job 1, msprof")
        await viewer.press("right", "enter")
        await viewer.shows(r"▌ +1  msprof +stopped")
        assert group_of(job.process.pid) == []


async def test_little_disk_is_told_in_the_line_of_a_job_that_runs(mish: Path, tools: Path) -> None:
    number, folder = new_folder()
    me = identity(os.getpid())
    command = collection(tools, ("true",))
    warning = "only 12.0 MiB are free at /data"
    write_job(folder, Job(number, command, "running", time.time(), time.time(), host=host_name(), boot=boot_id(),
                          supervisor=me, process=me, low_disk=warning))  # fmt: skip
    async with viewing(mish) as viewer:
        await viewer.go("8")
        await viewer.shows(rf"▌ +{number}  msprof +running!")
        await viewer.shows(f"disk +{warning}")


async def test_bytes_and_progress_bars_look_as_a_terminal_would_show_them(mish: Path, tools: Path) -> None:
    code = r"import sys; sys.stdout.buffer.write(b'10 %\r50 %\r100 % built\nbad \xff\xfe byte\n\x1b[31mred\x1b[0m\n')"
    job = finished(collection(tools, (sys.executable, "-c", code)))
    async with viewing(mish) as viewer:
        await viewer.go("8")
        await viewer.shows(rf"▌ +{job.id}  msprof +done")
        await viewer.press("enter")
        await viewer.shows("Profiling finished")
        await viewer.press("g")
        await viewer.shows(r"^ 100 % built$")
        await viewer.shows(r"^ bad \ufffd\ufffd byte$")
        await viewer.shows(r"^ \\x1b\[31mred\\x1b\[0m$")
        await viewer.hides(r"10 %")


# ── the log to a file, pins ──────────────────────────────────────────────────────────────────────────────────────────


async def test_the_log_is_written_to_a_file_as_it_is_shown(mish: Path, tools: Path) -> None:
    code = r"print('1 %\r2 %\nsecond \x1b[2J line')"
    finished(collection(tools, (sys.executable, "-c", code)))
    async with viewing(mish) as viewer:
        await viewer.go("8")
        await viewer.press("enter")
        await viewer.shows("▸ log")
        await viewer.press("e")
        await viewer.shows(r"^ export to +job1_msprof\.log")
        await viewer.press("enter")
        await viewer.shows("written to job1_msprof.log")
        lines = (tools / "job1_msprof.log").read_text(encoding="utf-8").splitlines()
        assert "2 %" in lines
        assert r"second \x1b[2J line" in lines
        await viewer.press(":")
        await viewer.type("export job1_msprof.log")
        await viewer.shows(r"overwrite job1_msprof\.log\?")
        await viewer.press("escape", ":")
        await viewer.type("export /no/such/folder/x.log")
        await viewer.shows("no such folder")


async def test_a_pinned_job_stays_at_the_top_and_under_the_cursor(mish: Path, tools: Path) -> None:
    for _count in range(3):
        finished(collection(tools, ("true",)))
    async with viewing(mish) as viewer:
        await viewer.go("8")
        await viewer.shows(r"▌ +3  msprof")
        await viewer.press("G", "p")
        await viewer.shows(r"▌ +\* 1  msprof[^\n]*\n +3  msprof")
        await viewer.press("x")
        await viewer.hides(r"3  msprof")
        await viewer.shows(r"▌ +\* 1  msprof")
        await viewer.press("X", "p")
        await viewer.shows(r"^ +3  msprof[^\n]*\n +2  msprof[^\n]*\n▌ +1  msprof")


# ── quitting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_quitting_asks_what_becomes_of_a_job_and_staying_is_the_safe_answer(mish: Path, tools: Path) -> None:
    job = running(tools)
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.press("q")
        await viewer.shows(r"quit npuscope while 1 job runs\?")
        await viewer.shows("job 1  msprof  running")
        await viewer.shows(r"stay .* keep running .* stop")
        await viewer.press("enter")
        await viewer.hides("quit npuscope")
        await viewer.press(":")
        await viewer.type("quit")
        await viewer.shows("quit npuscope while 1 job runs")
        await viewer.press("right", "enter")
        await viewer.until(lambda: viewer.app.return_code is not None, "the end")
    found = jobs.find(job.id)
    assert found is not None
    assert found.state == "running"
    jobs.stop(job.id)
    jobs.wait(job.id, 30)


async def test_quitting_can_stop_the_jobs(mish: Path, tools: Path) -> None:
    job = running(tools)
    assert job.process is not None
    async with viewing(mish) as viewer:
        await viewer.press("q")
        await viewer.shows("quit npuscope while 1 job runs")
        await viewer.press("right", "right", "enter")
        await viewer.until(lambda: viewer.app.return_code is not None, "the end")
    ended = jobs.wait(job.id, 30)
    assert ended is not None
    assert (ended.state, ended.left_behind) == ("stopped", ())
    assert not is_running(job.process.pid)


async def test_a_job_that_is_over_is_not_asked_about(mish: Path, tools: Path) -> None:
    finished(collection(tools, ("true",)))
    async with viewing(mish) as viewer:
        await viewer.press("q")
        await viewer.shows(r"quit npuscope\?")
        await viewer.press("escape", ":")
        await viewer.type("quit")
        await viewer.until(lambda: viewer.app.return_code is not None, "the end")


# ── other tools ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_model_is_built_with_atc_and_run_with_msame(mish: Path, tools: Path) -> None:
    (tools / "m.onnx").write_bytes(b"onnx")
    async with viewing(mish) as viewer:
        await viewer.press(":")
        await viewer.type("run atc --model=m.onnx --framework=5 --output=m --soc_version=Ascend310P3")
        await viewer.shows("build a model with atc")
        await viewer.shows(r"chip +Ascend310P3 +--soc_version")
        await start(viewer)
        await viewer.shows("ATC run success")
        await viewer.shows(r"^ done ")
        await viewer.press("q", "!")
        await viewer.shows(r"run a model +msame")
        await viewer.press("j", "j", "j", "j")
        await viewer.shows(r"│▌ run a model ")
        await viewer.press("enter")
        await viewer.shows(r"model +.*m\.om +--model")
        await viewer.shows(r"msame --model\s+[\w/\s.-]*m\.om\s+--output\s+\./\s*out")
        await start(viewer)
        await viewer.shows("Inference average time")
        await viewer.shows(r"^ done ")

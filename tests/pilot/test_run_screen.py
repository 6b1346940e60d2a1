"""The Run screen: without tools, the form and its command line, jobs, the log, the operators of a tuning."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.pilot.viewer import WIDE, sizes, viewing
from tests.standins import BIN, QUICK_STOP, SLEEPER, collection, finished, is_running, says, tuning, until
from tui.tools import jobs


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins in PATH, and a folder to work in."""
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STANDIN_NPU", "310P")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@sizes
async def test_without_tools_it_says_what_is_missing(
    mish: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    async with viewing(mish, size) as viewer:
        await viewer.go("8")
        await viewer.shows("npu-smi is not found")
        await viewer.shows("W msprof is not found")
        await viewer.shows("install the CANN toolkit")
        await viewer.shows("no jobs yet   ! ")
        await viewer.press("!")
        await viewer.shows("profile +msprof: measure a program")
        await viewer.press("enter")
        await viewer.shows("E msprof is not found")
        await viewer.press("G", "enter")
        await viewer.shows("msprof is not found")
        assert not viewer.app.job_rows


@sizes
async def test_the_form_shows_the_exact_command(mish: Path, tools: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("!")
        await viewer.until_on("8")
        await viewer.shows("▌ profile")
        await viewer.press("enter")
        await viewer.shows("collect with msprof ─+ preset: with core metrics")
        await viewer.press("enter")
        await viewer.type("./main 'a b' ;rm")
        await viewer.shows(r"--aicpu=on\s+\./\s*main\s+'a\s+b'\s+';rm'")
        await viewer.press("j", "space")
        await viewer.shows("--task-time=l2")
        await viewer.press("enter")
        await viewer.shows("left out")
        await viewer.press("escape", ":")
        await viewer.shows(r"^ :.* \./main")
        await viewer.press("ctrl+u")
        await viewer.type("run msprof --output=/o --aicpu=maybe ./app 1")
        await viewer.shows(r"AI CPU +maybe +▼ +--aicpu")
        await viewer.shows("E --aicpu cannot be 'maybe'")
        await viewer.press("q")
        await viewer.shows("▸ jobs")


async def test_nothing_starts_without_a_yes(mish: Path, tools: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.press(":")
        await viewer.type(f"run {BIN / 'msprof'} --output={tools / 'out'} {sys.executable} -c 1")
        await viewer.shows("nothing speaks against it")
        await viewer.press("G", "enter")
        await viewer.shows(r"start msprof\?")
        await viewer.press("enter")
        await viewer.hides(r"start msprof\?")
        assert not jobs.jobs()
        await viewer.press("y")
        await viewer.shows("copied command")


@sizes
async def test_a_job_is_stopped_and_forgotten_after_a_question(mish: Path, tools: Path, size: tuple[int, int]) -> None:
    job = jobs.start(collection(tools, SLEEPER), stop_waits_s=QUICK_STOP)
    until(says(job, "app runs"))
    async with viewing(mish, size) as viewer:
        await viewer.go("8")
        await viewer.shows(rf"▌ +{job.id}  msprof +running")
        await viewer.press("enter")
        await viewer.shows("app runs")
        await viewer.shows("following the tail")
        await viewer.press(":")
        await viewer.type("stop")
        await viewer.shows(rf"stop job {job.id}, msprof\?")
        await viewer.press("right", "enter")
        await viewer.shows("^ stopped ")
        assert job.process is not None
        assert not is_running(job.process.pid)
        await viewer.press("q")
        await viewer.shows(rf"▌ +{job.id}  msprof +stopped")
        await viewer.press(":")
        await viewer.type("forget")
        await viewer.shows(rf"forget job {job.id}")
        await viewer.press("right", "enter")
        await viewer.shows("no jobs yet")


async def test_errors_are_found_in_a_long_log_with_few_lines_held(mish: Path, tools: Path) -> None:
    program = "print('\\n'.join('[ERROR] bad' if n in (7, 90000) else f'line {n}' for n in range(100000)))"
    job = finished(collection(tools, (sys.executable, "-c", program)))
    async with viewing(mish, WIDE) as viewer:
        await viewer.go("8")
        await viewer.shows(rf"▌ +{job.id}  msprof")
        await viewer.press("enter")
        await viewer.shows("2 errors")
        await viewer.press("g")
        await viewer.shows(r"line 1 of 100 0\d\d")
        await viewer.press("n", "n")
        await viewer.shows(r"^▌\[ERROR\] bad")
        await viewer.press(",")
        await viewer.press("/")
        await viewer.type("line 54321")
        await viewer.shows(r"^▌line 54321$")
        view = viewer.frame.query_one("#log")
        assert len(view._rows) <= 3 * WIDE[1]  # type: ignore[attr-defined]
        await viewer.press("0")
        await viewer.shows("tail$")


@sizes
async def test_a_tuning_shows_its_operators_by_what_they_save(mish: Path, tools: Path, size: tuple[int, int]) -> None:
    bank = tools / "bank"
    bank.mkdir()
    finished(tuning(tools, "2", bank=str(bank)))
    async with viewing(mish, size) as viewer:
        await viewer.go("8")
        await viewer.shows(r"▌ +1  aoe 2 +done")
        await viewer.press("enter")
        await viewer.shows(r"^▌ +Conv_0 +Conv2D +3 170\.625 +2 204\.310 +966\.315 +30\.48 %")
        await viewer.shows(r"Conv_125 .*72\.055 +72\.046 +0\.009 +0\.01 %")
        await viewer.shows("2 of 3 gained ≥ 1 %")
        await viewer.shows("export TUNE_BANK_PATH=")
        await viewer.press("<")
        await viewer.press("u", "u")
        await viewer.shows("▸ jobs")


async def test_selected_operators_are_filled_in_for_a_tuning(mish: Path, tools: Path) -> None:
    async with viewing(mish, WIDE) as viewer:  # all fields are in view, however long the path of the home is
        await viewer.go("3")
        await viewer.press("space", "!")
        await viewer.shows(r"▌ tune operators +aoe job_type 2: 1 selected operator")
        await viewer.press("enter")
        await viewer.shows(r"operators +.*\.json +--tune_ops_file")
        await viewer.shows(r"job type +2")

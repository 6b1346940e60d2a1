"""A finished collection is opened alone or against a run before it; what a tuning between both claimed stands there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.pilot.test_compare_screen import done
from tests.pilot.viewer import NARROW, WIDE, Viewer, viewing
from tests.standins import BIN, collection, finished, tuning
from tui.tools.loop import profile_of


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Measured, tuned and measured again, by stand-ins."""
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STANDIN_NPU", "310P")
    monkeypatch.chdir(tmp_path)
    app = (sys.executable, "-c", "1")
    before = finished(collection(tmp_path, app))
    finished(tuning(tmp_path))
    finished(collection(tmp_path, app))
    return Path(profile_of(before))


async def offered(viewer: Viewer) -> None:
    """Asks for the newest collection."""
    await viewer.go("8")
    await viewer.shows(r"▌ +3  msprof +done")
    await viewer.press("o")
    await viewer.shows(r"job 3 collected PROF_\d+")


async def test_opened_against_the_run_before_with_what_the_tuning_claimed(mish: Path, loop: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        await offered(viewer)
        await viewer.shows("▌ open ")
        await viewer.shows(rf"open and compare with {'_'.join(loop.name.split('_')[:2])}")
        await viewer.shows("open and compare with mish_before")
        await viewer.press("down", "enter")
        await done(viewer)
        assert viewer.app.baseline is not None
        assert viewer.app.baseline.path == loop
        await viewer.shows("measured % +claimed %")
        await viewer.press("/")
        await viewer.type("=Conv_0")
        await viewer.shows(r"^▌ Conv_0 .* 0\.0 +−30\.5 .* same")
        await viewer.press("enter")
        await viewer.shows(r"claimed +−30\.5 % by the tuning \(−966\.315 µs\); measured 0\.0 %: less than claimed")
        await viewer.go("8")
        await viewer.shows("profile again ✓ › compare ✓")
        await viewer.press("down", "o")
        await viewer.shows(r"claimed +\S+ % +measured +nothing beyond noise")


async def test_a_tuning_is_not_measured_before_its_profiles_are_compared(mish: Path, loop: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        await viewer.go("8")
        await viewer.shows("profile again ✓ › compare$")
        await viewer.press("down", "o")
        await viewer.shows(r"claimed +\S+ % +measured +not yet")


async def test_opened_alone_it_says_what_it_compares_with(mish: Path, loop: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        await offered(viewer)
        await viewer.press("enter")
        await viewer.shows(r"opened PROF_\d+, which job 3 collected; 6 compares it with PROF_\d+")
        await viewer.until_on("1")
        await viewer.press("6")
        await done(viewer)
        await viewer.shows(r"^  Op +A µs +B µs .*Δ µs  measured %  claimed %")


async def test_another_path_may_be_typed(mish: Path, loop: Path) -> None:
    async with viewing(mish, NARROW) as viewer:
        await viewer.everything_read()
        await offered(viewer)
        await viewer.press("G", "enter")
        await viewer.shows(r"^ baseline \(A\)")
        await viewer.press("ctrl+u")
        await viewer.type("/nowhere")
        await viewer.shows("does not exist: /nowhere")
        await viewer.press("ctrl+u")
        await viewer.type(str(mish))
        await done(viewer)
        assert viewer.app.baseline is not None
        assert viewer.app.baseline.name == "mish_before"

"""What viewers keep beside the profile: shared by two of them, taken away under one, or impossible to write."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow


def viewer(repository: Path, home: Path) -> Terminal:
    """A viewer on the sample that keeps its files in `home`."""
    kept = {name: str(home / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    argv = [sys.executable, "-m", "tui", "sample_profiles/mish_before"]
    return Terminal(argv, env={**kept, "HOME": str(home)}, cwd=repository)


def show_timeline(terminal: Terminal) -> None:
    """Opens the timeline; returns when all of it is there."""
    terminal.press("2")
    terminal.wait_for(r"^ aclmdlExecute ─.* event 17 of 26 · AscendCL")


def quit_by_keys(terminal: Terminal) -> None:
    terminal.press("q")
    terminal.wait_for("quit npuscope")
    terminal.press("right", "enter")
    assert terminal.wait_exit() == 0
    terminal.assert_restored()


def test_two_viewers_of_one_profile_do_not_disturb_each_other(repository: Path, tmp_path: Path) -> None:
    with viewer(repository, tmp_path) as one, viewer(repository, tmp_path) as other:
        for terminal in (one, other):
            terminal.wait_for("where to look next|what to do")
        for terminal in (one, other):
            show_timeline(terminal)
        quit_by_keys(one)
        other.press("T")
        other.wait_for(r"^▌ █ +aclmdlExecute +94\.600 .* 118\.300 +55\.1")
        other.press("q", "3")
        other.wait_for(r"^▌ .*Conv_0 .* 3 170\.625")
        other.press("R", "1")
        other.wait_for("where to look next|what to do")


def test_a_cache_that_vanishes_costs_nothing(repository: Path, tmp_path: Path) -> None:
    with viewer(repository, tmp_path) as terminal:
        terminal.wait_for("where to look next|what to do")
        show_timeline(terminal)
        assert list((tmp_path / "XDG_CACHE_HOME" / "npuscope").iterdir())
        shutil.rmtree(tmp_path / "XDG_CACHE_HOME")
        terminal.press("g")
        terminal.wait_for(r"^ aclInit ─")
        terminal.press("T")
        terminal.wait_for(r"^▌ █ +aclmdlExecute +94\.600 .* 118\.300 +55\.1")
        terminal.press("q", "R", "1")
        terminal.wait_for("where to look next|what to do")
        quit_by_keys(terminal)


def test_a_home_that_cannot_be_written(repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where a folder should be")
    with viewer(repository, home) as terminal:
        terminal.wait_for("where to look next|what to do")
        show_timeline(terminal)
        terminal.press("3")
        terminal.wait_for(r"^▌ .*Conv_0 .* 3 170\.625")
        quit_by_keys(terminal)

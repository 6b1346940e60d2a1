"""Start and end in a real terminal: whatever happens, the shell gets its terminal back."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import ALTERNATE_SCREEN, Terminal

pytestmark = pytest.mark.slow

NPUSCOPE = [sys.executable, "-m", "tui"]

BROKEN = """
import sys
from tui.screens.frame import Frame
def fail(self):
    raise RuntimeError("planted")
Frame.do_repaint = fail
sys.argv = ["npuscope", "demo"]
from tui.__main__ import main
main()
"""


@pytest.fixture
def demo(repository: Path) -> Iterator[Terminal]:
    with Terminal([*NPUSCOPE, "demo"], cwd=repository) as terminal:
        terminal.wait_for("Overview")
        terminal.wait_for("aclmdlExecute")
        yield terminal


def processes_of_session(leader: int) -> list[int]:
    """Processes that live in the session of `leader` and are not zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[3]) == leader:
            found.append(int(stat.parent.name))
    return found


def wait_for_no_process(terminal: Terminal) -> None:
    """Workers end by themselves once the viewer is gone."""
    session = terminal.process.pid
    terminal.wait_until(lambda: processes_of_session(session) == [], "the end of its workers", after_end=True)


def test_opens_on_the_alternate_screen_with_the_facts_of_the_profile(demo: Terminal) -> None:
    assert demo.mode(ALTERNATE_SCREEN)
    demo.wait_for("Ascend310P")
    demo.wait_for(r"214\.6")


def test_keys_typed_before_the_first_frame_are_done(repository: Path) -> None:
    with Terminal([*NPUSCOPE, "demo"], cwd=repository) as terminal:
        terminal.press("3", ":", "l")
        terminal.wait_for("Ops › all tasks")
        terminal.wait_for(":l")


def test_q_asks_first_and_the_safe_answer_stays(demo: Terminal) -> None:
    demo.press("q")
    demo.wait_for("quit npuscope")
    demo.press("enter")
    demo.wait_gone("quit npuscope")
    demo.press("3")
    demo.wait_for("3 170.625|3170.625")


def test_q_quits_and_restores_the_terminal(demo: Terminal) -> None:
    demo.press("q")
    demo.wait_for("quit npuscope")
    demo.press("right", "enter")
    assert demo.wait_exit() == 0
    demo.assert_restored()
    wait_for_no_process(demo)


def test_ctrl_c_twice_offers_to_quit(demo: Terminal) -> None:
    demo.press("ctrl+c", "ctrl+c")
    demo.wait_for("quit npuscope")


def test_escape_never_quits(demo: Terminal) -> None:
    for _time in range(2):
        demo.press("escape")
        demo.settle()  # a key right behind it would be alt and that key
    demo.press("3")
    demo.wait_for("3 170.625|3170.625")
    assert demo.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_the_terminal_restored(demo: Terminal, number: signal.Signals) -> None:
    os.kill(demo.process.pid, number)
    assert demo.wait_exit() != 0
    demo.assert_restored()
    wait_for_no_process(demo)


def test_a_fault_ends_it_with_one_line_and_a_log(repository: Path, private_home: Path) -> None:
    with Terminal([sys.executable, "-c", BROKEN], cwd=repository) as terminal:
        terminal.wait_for("aclmdlExecute")
        terminal.press("ctrl+l")
        assert terminal.wait_exit() == 70
        terminal.assert_restored()
        log = private_home / "state" / "npuscope" / "npuscope.log"
        assert str(log) in terminal.text.replace("\n", "")
        assert "Traceback" not in terminal.text
        assert "planted" in log.read_text(encoding="utf-8")


def test_killing_it_leaves_no_orphans(demo: Terminal) -> None:
    demo.press("3")
    demo.wait_for("3 170.625|3170.625")
    demo.process.kill()
    demo.wait_exit()
    wait_for_no_process(demo)


def test_a_wrong_path_is_one_line_and_never_takes_the_screen(repository: Path, tmp_path: Path) -> None:
    with Terminal([*NPUSCOPE, str(tmp_path / "nothing")], cwd=repository) as terminal:
        assert terminal.wait_exit() == 2
        assert "does not exist" in terminal.text.replace("\n", "")
        assert b"\x1b[?1049h" not in terminal.received
        terminal.assert_restored()


def test_error_output_into_a_file_says_why_there_is_no_screen(repository: Path, tmp_path: Path) -> None:
    shell = f"{sys.executable} -m tui demo 2>{tmp_path}/err"
    with Terminal(["/bin/sh", "-c", shell], cwd=repository) as terminal:
        assert terminal.wait_exit() == 0
        assert "Conv2D" in terminal.received.decode()
        assert (tmp_path / "err").read_text(encoding="utf-8").count("\n") == 1


def test_resizing_is_followed_down_to_too_small_and_back(demo: Terminal) -> None:
    demo.resize(50, 10)
    demo.wait_for("50.10")
    demo.resize(120, 40)
    demo.wait_for("Overview.*Ops.*APIs.*Files")
    demo.press("3")
    demo.wait_for("3 170.625|3170.625")

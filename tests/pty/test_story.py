"""The first story of a user, and what reaches a real terminal byte by byte."""

from __future__ import annotations

import base64
import os
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from terminal import Terminal

from tests.make_prof import make_ops, write_prof

pytestmark = pytest.mark.slow

NPUSCOPE = [sys.executable, "-m", "tui"]
FIRST_CONV = r"^▌ +Conv_0 +Conv2D +3 170\.625 "


def last_copy(home: Path) -> str:
    return (home / "cache" / "npuscope" / "last-copy.txt").read_text(encoding="utf-8")


def session_members(leader: int) -> list[str]:
    """Command lines of the processes that live in the session of `leader`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if fields[0] != "Z" and int(fields[3]) == leader:
                found.append((stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def test_from_opening_to_the_culprit_and_out_by_keyboard_alone(repository: Path, private_home: Path) -> None:
    """Overview, APIs, types, shapes, instances, a filter, a copy, back, quit: 80 x 24 and plain keys."""
    with Terminal([*NPUSCOPE, "demo"], cwd=repository) as terminal:
        presses = 0

        def press(*keys: str) -> None:
            nonlocal presses
            presses += len(keys)
            terminal.press(*keys)

        terminal.wait_for(r"device computing 53 %")
        terminal.wait_for("where to look next|what to do")
        press("4")
        terminal.wait_for(r"^▌ █ +aclmdlExecute +acl +118\.300 +55\.1")
        terminal.wait_for(r"^  ▄ +aclmdlLoadFromFileWithMem +acl +62\.400 +29\.1")
        press("3")
        terminal.wait_for(FIRST_CONV)
        press("right", "F")
        terminal.wait_for(r"^▌ ▄ +Conv2D +AI_CORE +110 +46\.310 +41\.0")
        press("enter")
        terminal.wait_for("110/430")
        press("enter")
        terminal.wait_for("8/430")
        press("u", "u", "u")
        terminal.wait_for(FIRST_CONV)
        terminal.wait_for("430 tasks")
        press("f")
        terminal.wait_for("110/430")
        press("y")
        terminal.wait_for("copied Conv2D")
        press("q")
        terminal.wait_for("430 tasks")
        assert presses <= 12
        terminal.press("&", *"dur>1ms", "enter")
        terminal.wait_for("4/430")  # 3170.625, 1840.200, 1482.310, 1012.044 us
        terminal.press("u")
        terminal.wait_for("430 tasks")
        terminal.press("q")
        terminal.wait_for("quit npuscope")
        terminal.press("right", "enter")
        assert terminal.wait_exit() == 0
        terminal.assert_restored()
    copied = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", bytes(terminal.received))
    assert [base64.b64decode(text) for text in copied] == [b"Conv2D"]
    assert last_copy(private_home) == "Conv2D"


@pytest.fixture
def fresh_profile(samples: Path, tmp_path: Path) -> Path:
    """A profile that no store knows yet, so that a worker process has to read it."""
    return Path(shutil.copytree(samples / "mish_before", tmp_path / "fresh"))


def test_worker_processes_start_from_the_running_program_and_leave_nothing(
    repository: Path, fresh_profile: Path, private_home: Path
) -> None:
    with Terminal([*NPUSCOPE, str(fresh_profile)], cwd=repository) as terminal:
        terminal.wait_for("where to look next|what to do")
        terminal.press("3")
        terminal.wait_for(FIRST_CONV)
        terminal.press("9")
        terminal.wait_for(r"✓ +op_summ.* 430 rows")
        terminal.wait_for(r"✓ +task_time.* 477 rows")
        helpers = [line for line in session_members(terminal.process.pid) if "forkserver" in line]
        assert helpers, "nothing was read in another process"
        terminal.press("R")
        terminal.wait_for(r"✓ +op_summ.* 430 rows")
        terminal.press("q")
        terminal.wait_for("quit npuscope")
        terminal.press("right", "enter")
        assert terminal.wait_exit() == 0
        terminal.assert_restored()
        terminal.wait_until(lambda: session_members(terminal.process.pid) == [], "the end of its workers")
    log = private_home / "state" / "npuscope" / "npuscope.log"
    assert not log.exists() or log.read_text(encoding="utf-8") == ""


def test_quitting_while_a_large_table_is_read_is_quick_and_clean(repository: Path, tmp_path: Path) -> None:
    written = write_prof(tmp_path, "G4", rows=40_000)
    with Terminal([*NPUSCOPE, str(written.path)], cwd=repository) as terminal:
        terminal.wait_for("Overview")
        terminal.press("q")
        terminal.wait_for("quit npuscope")
        terminal.press("right", "enter")
        assert terminal.wait_exit() == 0
        terminal.assert_restored()
        terminal.wait_until(lambda: session_members(terminal.process.pid) == [], "the end of its workers")


HOSTILE = "evil\x1b]0;owned\x07\x1b[2J\x9b31m"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A profile whose names, of operators and of its own folder, try to command the terminal."""
    names = [HOSTILE, "[red]bold[/red]", "卷积_0"]
    ops = [replace(op, name=name) for op, name in zip(make_ops(3, communication=False), names)]
    written = write_prof(tmp_path, "G4", rows=ops)
    folder = tmp_path / "in\x1b]0;owned\x07side"
    os.rename(written.path.parent / written.path.name, folder)
    return folder


def test_escape_sequences_in_names_never_reach_the_terminal(hostile: Path, repository: Path) -> None:
    with Terminal([*NPUSCOPE, str(hostile)], cwd=repository) as terminal:
        terminal.wait_for("where to look next|top operators")
        for digit in "3491":
            terminal.press(digit)
            terminal.settle()
        terminal.press("3")
        terminal.wait_for(re.escape("[red]bold[/red]"))
        terminal.wait_for("卷积_0")
        terminal.wait_for(re.escape(r"evil\x1b"))
        terminal.press("/", *"evil", "enter")
        terminal.wait_for(re.escape(r"evil\x1b]0;owned\x07\x1b[2J\x9b31m"))
        terminal.press("y")
        terminal.wait_for("copied")
        terminal.press("q")
        terminal.press("right", "enter")
        terminal.wait_exit()
        terminal.assert_restored()
    received = bytes(terminal.received)
    assert b"\x1b]0;owned" not in received
    assert b"evil\x1b]" not in received
    assert b"\x07\x1b[2J" not in received
    assert b"\xc2\x9b31m" not in received
    assert rb"evil\x1b" in received  # four harmless characters instead


def test_inside_tmux_the_copy_is_passed_through(repository: Path) -> None:
    with Terminal([*NPUSCOPE, "demo"], cwd=repository, env={"TMUX": "/tmp/tmux-0/default,1,0"}) as terminal:
        terminal.wait_for("where to look next|what to do")
        terminal.press("3")
        terminal.wait_for(FIRST_CONV)
        terminal.press("y")
        terminal.wait_for("copied Conv_0")
    received = bytes(terminal.received)
    assert b"\x1b]52;c;Q29udl8w\x07" in received
    assert b"\x1bPtmux;\x1b\x1b]52;c;Q29udl8w\x07\x1b\\" in received


@pytest.mark.parametrize(
    ("arguments", "environment", "forbidden"),
    [
        ((), {"NO_COLOR": "1"}, rb"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|[34]8;[25])[;m]"),
        (("--colors", "mono"), {}, rb"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|[34]8;[25])[;m]"),
        (("--colors", "16"), {}, rb"\x1b\[[0-9;]*[34]8;[25];"),
        (("--colors", "256"), {"COLORTERM": "truecolor"}, rb"\x1b\[[0-9;]*[34]8;2;"),
    ],
    ids=["NO_COLOR", "mono", "16", "256"],
)
def test_no_more_colours_are_sent_than_asked_for(
    repository: Path, arguments: tuple[str, ...], environment: dict[str, str], forbidden: bytes
) -> None:
    with Terminal([*NPUSCOPE, "demo", *arguments], cwd=repository, env=environment) as terminal:
        terminal.wait_for("where to look next|what to do")
        terminal.press("3")
        terminal.wait_for("Conv_0 +Conv2D")
        terminal.press("?")
        terminal.wait_for("type to search")
        terminal.settle()
    assert re.search(forbidden, bytes(terminal.received)) is None


def test_a_terminal_that_draws_ambiguous_characters_wide_gets_braille(repository: Path) -> None:
    with Terminal([*NPUSCOPE, "demo"], cwd=repository, answers=False) as terminal:
        terminal.wait_until(lambda: b"\x1b[6n" in terminal.received, "the question where the cursor is")
        terminal.press("\x1b[1;3R")
        terminal.wait_for("where to look next|what to do")
        terminal.press("3")
        terminal.wait_for("⣿⣿")
        assert not set(terminal.text) & set("…·–×→▼●─│┃█▄━┊")


def test_a_terminal_without_utf_8_gets_ascii(repository: Path) -> None:
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with Terminal([*NPUSCOPE, "demo"], cwd=repository, env=plain) as terminal:
        terminal.wait_for("where to look next|what to do")
        terminal.press("3")
        terminal.wait_for(r"^> +Conv_0 +Conv2D +3 170\.625")
        assert terminal.text.isascii()


def test_chinese_names_keep_their_columns_in_a_real_terminal(repository: Path, tmp_path: Path) -> None:
    names = ["卷积层_主干_第一个", "plain_op", "混合Mixed名_7"]
    ops = [replace(op, name=name) for op, name in zip(make_ops(3, communication=False), names)]
    written = write_prof(tmp_path, "G4", rows=ops)
    with Terminal([*NPUSCOPE, str(written.path)], cwd=repository) as terminal:
        terminal.wait_for("top operators")
        terminal.press("3")
        terminal.wait_for("3 tasks")
        terminal.wait_for("plain_op")
        columns = {
            terminal.find(f"{op.duration_ns // 1000}.{op.duration_ns % 1000:03d}")[1] + len(str(op.duration_ns // 1000))
            for op in ops
        }
        assert len(columns) == 1

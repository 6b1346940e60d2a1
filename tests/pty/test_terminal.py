"""The harness itself: a test that trusts a broken terminal proves nothing."""

from __future__ import annotations

import sys

import pytest
from terminal import Terminal

PROGRAM = """
import os, signal, sys, termios, tty
before = termios.tcgetattr(0)
tty.setcbreak(0)
def say(text):
    sys.stdout.write(text); sys.stdout.flush()
signal.signal(signal.SIGWINCH, lambda *_: say("\\x1b[3;1H%dx%d " % os.get_terminal_size()))
say("\\x1b[?1049h\\x1b[?1003h\\x1b[?25l\\x1b[>1u\\x1b[?2026$p\\x1b[2J\\x1b[1;1H\\x1b[1;31m卷积 red\\x1b[0m ready")
while True:
    key = os.read(0, 16)
    say("\\x1b[5;1H" + repr(key) + "  ")
    if key == b"q":
        say("\\x1b[<u\\x1b[?1003l\\x1b[?1049l\\x1b[?25h")
        termios.tcsetattr(0, termios.TCSANOW, before)
        sys.exit(7)
    if key == b"x":
        os._exit(1)
    if key == b"p":
        say("\\x1b[7;4H\\x1b[6n")
"""


@pytest.fixture
def program() -> list[str]:
    return [sys.executable, "-c", PROGRAM]


def test_shows_what_was_printed_with_colours_and_wide_characters(program: list[str]) -> None:
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        assert terminal.lines[0] == "卷积 red ready"
        assert terminal.find("red") == (0, 5)
        assert terminal.look(0, 5).foreground == "red"
        assert terminal.look(0, 5).bold
        assert not terminal.look(0, 9).bold


def test_keys_arrive_as_a_terminal_sends_them(program: list[str]) -> None:
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        terminal.press("down")
        terminal.wait_for(r"b'\\x1b\[B'")
        terminal.press("ctrl+d")
        terminal.wait_for(r"b'\\x04'")


def test_resizing_tells_the_program(program: list[str]) -> None:
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        terminal.resize(120, 40)
        terminal.wait_for("^120x40")


def test_answers_where_the_cursor_is(program: list[str]) -> None:
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        terminal.press("p")
        terminal.wait_for(r"b'\\x1b\[7;4R'")


def test_a_good_exit_passes_and_a_bad_one_is_noticed(program: list[str]) -> None:
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        terminal.press("q")
        assert terminal.wait_exit() == 7
        terminal.assert_restored()
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        terminal.press("x")
        assert terminal.wait_exit() == 1
        with pytest.raises(AssertionError, match="line settings"):
            terminal.assert_restored()


def test_waiting_for_what_never_comes_shows_the_screen(program: list[str]) -> None:
    with Terminal(program) as terminal:
        terminal.wait_for("ready")
        with pytest.raises(AssertionError, match="卷积 red ready"):
            terminal.wait_for("never", patience_s=0.2)

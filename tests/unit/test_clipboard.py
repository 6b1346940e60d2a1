"""What goes to the terminal's clipboard, and to the file beside it."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

import pytest

from tui.clipboard import OSC52_LIMIT_BYTES, inside_tmux, keep_copy, osc52


def test_the_terminal_gets_the_text_as_base64() -> None:
    assert osc52("Conv_0", False) == "\x1b]52;c;Q29udl8w\x07"


def test_text_of_any_script_survives() -> None:
    sequence = osc52("算子\t1.5\n", False)
    assert base64.b64decode(sequence[7:-1]).decode() == "算子\t1.5\n"


def test_tmux_gets_it_also_in_its_pass_through_form() -> None:
    assert osc52("a", True) == "\x1b]52;c;YQ==\x07" + "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"


def test_an_escape_sequence_in_the_text_cannot_reach_the_terminal() -> None:
    sequence = osc52("x\x1b]0;owned\x07\x1b\\", True)
    assert sequence.count("\x1b") == 5  # plain: 1; tmux: opening, doubled, closing
    assert "owned" not in sequence


def test_up_to_64_kib_go_to_the_terminal() -> None:
    assert OSC52_LIMIT_BYTES == 64 * 1024
    assert osc52("x" * OSC52_LIMIT_BYTES, False)
    assert osc52("x" * (OSC52_LIMIT_BYTES + 1), False) == ""
    assert osc52("算" * (OSC52_LIMIT_BYTES // 3 + 1), True) == ""


def test_a_name_that_is_no_utf_8_is_escaped() -> None:
    text = os.fsdecode(b"PROF_\xff")
    assert base64.b64decode(osc52(text, False)[7:-1]) == rb"PROF_\udcff"


@pytest.mark.parametrize(("value", "inside"), [("/tmp/tmux-1000/default,1,0", True), ("", False)])
def test_tmux_is_known_by_its_variable(value: str, inside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", value)
    assert inside_tmux() is inside


def test_the_file_is_replaced_whole_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "npuscope"
    first = keep_copy("算子\n", folder)
    assert first == folder / "last-copy.txt"
    assert first.read_text(encoding="utf-8") == "算子\n"
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    keep_copy("second", folder)
    assert first.read_text(encoding="utf-8") == "second"
    assert [path.name for path in folder.iterdir()] == ["last-copy.txt"]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        keep_copy("x", tmp_path / "file" / "below")

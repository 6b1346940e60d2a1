"""The registry of keys against the table of the interaction conventions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tui.actions import ACTIONS, FULL_WIDTH, GROUPS, PAIRS, Action, is_forbidden, key_symbol
from widgets.text import cells

CONVENTIONS: dict[str, tuple[str, ...]] = {
    "help": ("question_mark", "f1"), "command": ("colon",), "palette": ("ctrl+p",), "goto": ("ctrl+g",),
    "find": ("slash",), "find_next": ("n",), "find_prev": ("N",), "filter": ("ampersand",),
    "screen": tuple("123456789"), "pane_next": ("tab",), "pane_prev": ("shift+tab",), "left": ("left", "h"),
    "right": ("right", "l"), "up": ("up", "k"), "down": ("down", "j"), "page_up": ("pageup",),
    "page_down": ("pagedown",), "half_up": ("ctrl+u",), "half_down": ("ctrl+d",), "first": ("g", "home"),
    "last": ("G", "end"), "open_item": ("enter",), "undo": ("u", "backspace"), "redo": ("U",), "focus": ("f",),
    "reset": ("0",), "hide": ("x",), "unhide": ("X",), "pin": ("p",), "choose": ("c",), "aggregate": ("F",),
    "notable_prev": ("comma",), "notable_next": ("full_stop",), "link_back": ("left_square_bracket",),
    "link_forward": ("right_square_bracket",), "to_timeline": ("t",), "to_table": ("T",), "select": ("space",),
    "range": ("v",), "unlink": ("V",), "reference": ("r",), "mark": ("m",), "marks": ("apostrophe",),
    "details": ("i",), "units": ("percent_sign",), "copy": ("y",), "copy_as": ("Y",), "export": ("e",),
    "baseline": ("b",), "swap": ("B",), "bigger": ("plus", "equals_sign"), "smaller": ("minus", "underscore"),
    "maximise": ("z",), "open_profile": ("o",), "reread": ("R",), "run": ("exclamation_mark",), "mouse": ("M",),
    "repaint": ("ctrl+l",), "cancel": ("ctrl+c",), "close": ("q",), "leave": ("escape",),
}  # fmt: skip
TABLE_CONVENTIONS: dict[str, tuple[str, ...]] = {
    "sort_asc": ("less_than_sign",), "sort_desc": ("greater_than_sign",), "column_left": ("H",), "column_right": ("L",),
}  # fmt: skip
TIMELINE_CONVENTIONS: dict[str, tuple[str, ...]] = {
    "zoom_in": ("w",), "zoom_out": ("s",), "pan_left": ("a",), "pan_right": ("d",), "zoom_in_fast": ("W",),
    "zoom_out_fast": ("S",), "pan_left_fast": ("A",), "pan_right_fast": ("D",), "lane_down": ("J",), "lane_up": ("K",),
}  # fmt: skip
BY_SCOPE = {"table": TABLE_CONVENTIONS, "timeline": TIMELINE_CONVENTIONS}
FREE = ("C", "E", "I", "O", "P", "Q", "Z", "semicolon")
"""Kept free on purpose."""


@pytest.mark.parametrize("action", ACTIONS.values(), ids=list(ACTIONS))
def test_every_action_has_the_keys_of_the_conventions(action: Action) -> None:
    assert action.keys == BY_SCOPE.get(action.scope, CONVENTIONS)[action.id]


def test_no_key_has_two_actions() -> None:
    keys = [key for action in ACTIONS.values() for key in action.bound_keys]
    assert sorted(keys) == sorted(set(keys))


def test_no_action_needs_a_key_that_some_terminal_takes_away() -> None:
    assert [key for action in ACTIONS.values() for key in action.keys if is_forbidden(key)] == []


def test_free_keys_stay_free() -> None:
    assert {key for action in ACTIONS.values() for key in action.bound_keys} & set(FREE) == set()


@pytest.mark.parametrize(
    "key",
    ["alt+a", "shift+left", "ctrl+right", "ctrl+enter", "shift+enter", "f2", "f12", "ctrl+a", "ctrl+b", "ctrl+s",
     "ctrl+q", "ctrl+z", "ctrl+backslash", "insert", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+h", "super+k"],
)  # fmt: skip
def test_keys_that_terminals_take_are_forbidden(key: str) -> None:
    assert is_forbidden(key)


@pytest.mark.parametrize("key", ["f1", "shift+tab", "ctrl+p", "ctrl+g", "ctrl+l", "ctrl+u", "escape", "a"])
def test_other_keys_are_not(key: str) -> None:
    assert not is_forbidden(key)


@pytest.mark.parametrize(
    ("action", "alias"),
    [("help", "fullwidth_question_mark"), ("command", "fullwidth_colon"), ("find", "ideographic_comma"),
     ("find", "fullwidth_solidus"), ("filter", "fullwidth_ampersand"), ("units", "fullwidth_percent_sign"),
     ("sort_asc", "left_double_angle_bracket"), ("sort_desc", "right_double_angle_bracket"),
     ("notable_next", "ideographic_full_stop"), ("notable_prev", "fullwidth_comma"), ("bigger", "fullwidth_plus_sign"),
     ("bigger", "fullwidth_equals_sign"), ("smaller", "fullwidth_hyphen_minus"),
     ("marks", "left_single_quotation_mark")],
)  # fmt: skip
def test_full_width_forms_are_bound_too(action: str, alias: str) -> None:
    assert alias in ACTIONS[action].bound_keys


def test_full_width_forms_are_never_shown_as_the_key() -> None:
    aliases = {alias for forms in FULL_WIDTH.values() for alias in forms}
    assert not aliases & {key for action in ACTIONS.values() for key in action.keys}


@pytest.mark.parametrize(
    ("key", "symbol"),
    [("question_mark", "?"), ("ctrl+p", "ctrl-p"), ("shift+tab", "shift-tab"), ("pagedown", "pgdn"), ("escape", "esc"),
     ("less_than_sign", "<"), ("percent_sign", "%"), ("up", "↑"), ("G", "G"), ("space", "space")],
)  # fmt: skip
def test_keys_are_written_as_users_know_them(key: str, symbol: str) -> None:
    assert key_symbol(key) == symbol


def test_labels_are_short_and_every_action_is_explained() -> None:
    for action in ACTIONS.values():
        assert 0 < cells(action.label) <= 10, action.id
        assert action.help, action.id
        assert not action.help.endswith("."), action.id
        assert action.group in GROUPS, action.id


def test_pairs_name_known_actions_of_one_group() -> None:
    for first, (second, text) in PAIRS.items():
        assert ACTIONS[first].group == ACTIONS[second].group
        assert text


def test_the_page_of_keys_is_up_to_date(repository: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "scripts/keys.py", "--check"],
        cwd=repository, env={"PYTHONPATH": str(repository), "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr


def test_the_page_of_keys_lists_every_action(repository: Path) -> None:
    page = (repository / "docs" / "keys.md").read_text(encoding="utf-8")
    for action in ACTIONS.values():
        assert f"`{action.scope}.{action.id}`" in page

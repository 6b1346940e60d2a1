"""The user's own keys: what is taken, and what is said about what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.keymap import Keymap, load_keymap


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.toml"


def loaded(file: Path, text: str) -> Keymap:
    file.write_text(text, encoding="utf-8")
    return load_keymap(file)


def test_no_file_changes_nothing(file: Path) -> None:
    assert load_keymap(file) == Keymap()


def test_keys_are_replaced_by_one_or_by_a_list(file: Path) -> None:
    keymap = loaded(file, '[global]\nfilter = ["E", "ctrl+f"]\nunits = "Q"\n\n[table]\nsort_asc = ["O"]\n')
    assert keymap.problems == []
    assert keymap.keys == {"filter": ("E", "ctrl+f"), "units": ("Q",), "sort_asc": ("O",)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[global]\n\nfliter = "E"\n', "keys.toml line 3: unknown action global.fliter; ignored"),
        ('[global]\nsort_asc = "E"\n', "keys.toml line 2: unknown action global.sort_asc; ignored"),
        ('[table]\nfilter = "E"\n', "keys.toml line 2: unknown action table.filter; ignored"),
        ('[timeline]\nfilter = "E"\n', "keys.toml line 2: unknown action timeline.filter; ignored"),
        ('[global]\nfilter = "ctrl+z"\n', "keys.toml line 2: ctrl+z is taken by terminals; ignored"),
        ('[global]\nfilter = ["E", "f5"]\n', "keys.toml line 2: f5 is taken by terminals; ignored"),
        ('[global]\nfilter = "y"\n', "keys.toml line 2: filter and copy would share a key; ignored"),
        ('[global]\nfilter = "fullwidth_colon"\n', "keys.toml line 2: filter and command would share a key; ignored"),
        ("[global]\nfilter = 7\n", "keys.toml line 2: filter needs a list of key names; ignored"),
        ("[global]\nfilter = []\n", "keys.toml line 2: filter needs a list of key names; ignored"),
        ('[global]\nfilter = ["E", 3]\n', "keys.toml line 2: filter needs a list of key names; ignored"),
        ('filter = "E"\n', "keys.toml: filter is not a section; ignored"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line_and_ignored(file: Path, text: str, problem: str) -> None:
    keymap = loaded(file, text)
    assert keymap.problems == [problem]
    assert keymap.keys == {}


def test_one_wrong_entry_does_not_cost_the_others(file: Path) -> None:
    keymap = loaded(file, '[global]\nfilter = "alt+x"\nunits = "Q"\n')
    assert keymap.keys == {"units": ("Q",)}
    assert len(keymap.problems) == 1


def test_two_actions_of_the_file_cannot_share_a_key(file: Path) -> None:
    keymap = loaded(file, '[global]\nfilter = "E"\nunits = "E"\n')
    assert keymap.keys == {"filter": ("E",)}
    assert keymap.problems == ["keys.toml line 3: units and filter would share a key; ignored"]


def test_a_key_that_another_action_gave_up_is_free(file: Path) -> None:
    keymap = loaded(file, '[global]\ncopy = "E"\nfilter = "y"\n')
    assert keymap.problems == []
    assert keymap.keys == {"copy": ("E",), "filter": ("y",)}


def test_an_action_may_keep_one_of_its_own_keys(file: Path) -> None:
    keymap = loaded(file, '[global]\nundo = ["u", "E"]\n')
    assert keymap.problems == []


def test_the_line_is_that_of_the_entry_in_its_own_section(file: Path) -> None:
    keymap = loaded(file, '[global]\nunits = "Q"\n[table]\nunits = "E"\n')
    assert keymap.problems == ["keys.toml line 4: unknown action table.units; ignored"]


@pytest.mark.parametrize("data", [b"[global\n", b'[global]\nfilter = "E"\nfilter = "Q"\n', b"\xff\xfe[global]"])
def test_a_file_that_is_no_toml_is_one_problem(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    keymap = load_keymap(file)
    assert len(keymap.problems) == 1
    assert keymap.problems[0].startswith("keys.toml cannot be read: ")
    assert keymap.problems[0].endswith("; the default keys are used")
    assert keymap.keys == {}


def test_a_folder_in_place_of_the_file_is_one_problem(file: Path) -> None:
    file.mkdir()
    assert len(load_keymap(file).problems) == 1

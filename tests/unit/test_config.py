"""Settings: where they come from, in which order, and what happens to wrong ones."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tui.config import (
    LoadedSettings,
    Settings,
    cache_dir,
    config_dir,
    load_settings,
    log_file,
    make_private_dir,
    state_dir,
)


def write_config(text: str) -> Path:
    path = make_private_dir(config_dir()) / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_chosen_gives_the_defaults() -> None:
    assert load_settings() == LoadedSettings(Settings())
    assert Settings().bands == (20.0, 50.0)
    assert Settings().cache_bytes == 4096 * 1024 * 1024


def test_file_environment_and_command_line_beat_each_other_in_this_order(monkeypatch: pytest.MonkeyPatch) -> None:
    write_config('glyphs = "braille"\ncolors = "256"\nlang = "zh"\nbands = [10, 30.5]\n')
    monkeypatch.setenv("NPUSCOPE_GLYPHS", "ascii")
    monkeypatch.setenv("NPUSCOPE_COLORS", "16")
    loaded = load_settings({"colors": "mono", "lang": None})
    assert loaded.problems == ()
    assert loaded.settings == Settings(
        glyphs="ascii", colors="mono", lang="zh", bands=(10.0, 30.5)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("bands", "5 95", (5.0, 95.0)),
        ("bands", "5,95", (5.0, 95.0)),
        ("cache_mib", "0", 0),
        ("cache_mib", "128", 128),
        ("trace_mib", "64", 64),
        ("units", "us", "us"),
    ],
)
def test_environment_values_are_text(name: str, text: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"NPUSCOPE_{name.upper()}", text)
    loaded = load_settings()
    assert loaded.problems == ()
    assert getattr(loaded.settings, name) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bands", "50 20"),
        ("bands", "20"),
        ("bands", "20 20"),
        ("bands", "20 101"),
        ("bands", "a b"),
        ("bands", "nan 50"),
        ("cache_mib", "-1"),
        ("cache_mib", "1.5"),
        ("cache_mib", "²"),
        ("glyphs", "emoji"),
        ("colors", "16m"),
        ("lang", "fr"),
    ],
)
def test_a_wrong_value_is_one_line_and_the_default_stays(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"NPUSCOPE_{name.upper()}", text)
    loaded = load_settings()
    assert loaded.settings == Settings()
    (line,) = loaded.problems
    assert name in line
    assert text in line
    assert "\n" not in line


def test_a_wrong_value_does_not_hide_a_right_one_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    write_config('glyphs = "braille"\n')
    monkeypatch.setenv("NPUSCOPE_GLYPHS", "emoji")
    loaded = load_settings()
    assert loaded.settings.glyphs == "braille"
    assert len(loaded.problems) == 1


def test_an_unknown_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_config('glyps = "ascii"\n[section]\nx = 1\n')
    loaded = load_settings()
    assert loaded.settings == Settings()
    assert len(loaded.problems) == 2
    assert all(str(path) in line for line in loaded.problems)
    assert "glyps" in loaded.problems[0]


@pytest.mark.parametrize("content", [b"glyphs = ascii\n", b"\xff\xfe\x00", b"[[[\n"])
def test_a_damaged_file_is_one_line(content: bytes) -> None:
    path = write_config("")
    path.write_bytes(content)
    loaded = load_settings()
    assert loaded.settings == Settings()
    (line,) = loaded.problems
    assert str(path) in line
    assert "\n" not in line


def test_a_folder_in_place_of_the_file_is_one_line() -> None:
    (config_dir() / "config.toml").mkdir(parents=True)
    assert len(load_settings().problems) == 1


def test_no_color_means_mono_unless_something_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert load_settings().settings.colors == "mono"
    assert load_settings({"colors": "16"}).settings.colors == "16"
    monkeypatch.setenv("NPUSCOPE_COLORS", "256")
    assert load_settings().settings.colors == "256"


def test_folders_follow_the_xdg_variables(private_home: Path) -> None:
    assert config_dir() == private_home / "config" / "npuscope"
    assert cache_dir() == private_home / "cache" / "npuscope"
    assert state_dir() == private_home / "state" / "npuscope"


def test_empty_and_relative_xdg_variables_are_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/cache")
    monkeypatch.setenv("XDG_STATE_HOME", "")
    assert cache_dir() == tmp_path / ".cache" / "npuscope"
    assert state_dir() == tmp_path / ".local" / "state" / "npuscope"


def test_new_folders_are_for_this_user_only() -> None:
    folder = make_private_dir(cache_dir())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_log_is_in_the_state_folder_or_nowhere(private_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert log_file() == private_home / "state" / "npuscope" / "npuscope.log"
    assert log_file().parent.is_dir()
    (private_home / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(private_home / "file"))
    assert log_file() == Path(os.devnull)

"""The names of the command line."""

from __future__ import annotations

import pytest

from tui.commands import COMMANDS, closest, split_command


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [("filter dur>1ms", "filter", "dur>1ms"), ("  goto   #7 ", "goto", "#7"), ("quit", "quit", ""), ("", "", ""),
     ("sort a desc, b", "sort", "a desc, b")],
)  # fmt: skip
def test_a_line_is_a_name_and_the_rest(line: str, name: str, rest: str) -> None:
    assert split_command(line) == (name, rest)


@pytest.mark.parametrize(
    ("typed", "first"),
    [("fliter", "filter"), ("gruop", "group"), ("e", "export"), ("uints", "units"), ("repot", "report")],
)
def test_the_closest_command_comes_first(typed: str, first: str) -> None:
    found = closest(typed, list(COMMANDS))
    assert found[0] == first
    assert len(found) <= 3
    assert len(set(found)) == len(found)


def test_three_are_offered_even_for_something_unlike_any() -> None:
    assert len(closest("zzzz", list(COMMANDS))) == 3


def test_each_command_says_what_it_does_and_names_its_method() -> None:
    for name, command in COMMANDS.items():
        assert command.help
        assert command.method == "command_" + name.replace("-", "_")


def test_every_command_is_run_by_the_application_or_a_screen() -> None:
    from tui.app import NpuscopeApp
    from tui.screens.apis import ApisScreen
    from tui.screens.dump import DumpScreen
    from tui.screens.findings import FindingsScreen
    from tui.screens.ops import OpsScreen
    from tui.screens.run_result import TuningScreen
    from tui.screens.timeline import TimelineScreen

    for command in COMMANDS.values():
        on_tables = hasattr(OpsScreen, command.method) and hasattr(ApisScreen, command.method)
        owners = (NpuscopeApp, TimelineScreen, DumpScreen, FindingsScreen, TuningScreen)
        elsewhere = any(hasattr(owner, command.method) for owner in owners)
        assert on_tables or elsewhere, command.name

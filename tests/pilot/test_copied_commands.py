"""The shell command of every view, run without a screen, gives the rows that the view shows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.pilot.dumps import comparing
from tests.pilot.test_compare_screen import against, done
from tests.pilot.viewer import SentToTerminal, Viewer, viewing
from tui.cli import commands
from tui.model.view import View
from tui.screens.event_view import EventScreen
from tui.screens.taking import taken_of
from tui.session import Session
from widgets.columns import ColumnState

Row = dict[str, Any]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> SentToTerminal:
    """What the viewer sends to the terminal."""
    return SentToTerminal(monkeypatch)


def copied(sent: SentToTerminal) -> list[str]:
    """Words of the command that was copied last, without the program's name."""
    program, *words = shlex.split(sent.copied[-1])
    assert program == "npuscope"
    return words


def rows_of(words: list[str]) -> list[Row]:
    """Rows that a command prints."""
    result = CliRunner().invoke(commands, [*words, "--format", "json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    found: Any = json.loads(result.stdout)
    rows: list[Row] = found if isinstance(found, list) else found["rows"]
    return rows


def shown_by(viewer: Viewer) -> list[Row]:
    """Rows of the screen, in the columns that it shows."""
    rows: list[Row] = json.loads("".join(taken_of(viewer.table_screen).pieces("json")))
    return rows


def same(shown: list[Row], printed: list[Row], key: str) -> None:
    """Equal in number, in order, and in every column that both have."""
    assert [row[key] for row in printed] == [row[key] for row in shown]
    for ours, theirs in zip(shown, printed):
        assert {name: theirs[name] for name in ours if name in theirs} == {
            name: value for name, value in ours.items() if name in theirs
        }


async def look(viewer: Viewer, view: View) -> None:
    """Goes to a view and waits until it is shown."""
    screen = viewer.table_screen
    screen.go_to_view(view, ColumnState())
    await viewer.until(lambda: screen.applied is not None and screen.applied.view == view, "the view")


def copy(viewer: Viewer) -> None:
    assert viewer.table_screen.command_copy_command("") == ""


@pytest.mark.parametrize(
    "view",
    [
        View(),
        View(filter="dur>200us | type=Mul", only=(("op_type", "Conv2D"),), sort=(("task_wait_time_us", True),)),
        View(exclude=(("op_type", "Conv2D"), ("op_type", "Mul")), sort=(("op_type", False), ("op_name", True))),
        View(only=(("task_duration_us", "3170.625"),)),
    ],
)
async def test_operators(mish: Path, sent: SentToTerminal, view: View) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go("3")
        await look(viewer, view)
        copy(viewer)
        shown = shown_by(viewer)
    assert shown
    same(shown, rows_of(copied(sent)), "op_name")


async def test_groups(mish: Path, sent: SentToTerminal) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go("3")
        await look(viewer, View(filter="dur>20us", group=("op_type", "input_shapes"), sort=(("count", True),)))
        copy(viewer)
        shown = shown_by(viewer)
    assert len(shown) > 3
    same(shown, rows_of(copied(sent)), "input_shapes")


async def test_names_of_any_kind(tmp_path: Path, sent: SentToTerminal) -> None:
    """Quotation marks, spaces, signs of the shell and of the filter, and names that differ by case alone."""
    names = ['a "b" | (c) !d', "$(reboot)`x`", "cast", "Cast", "it's = <b>", "back\\slash"]
    folder = tmp_path / "a folder & more"
    folder.mkdir()
    path = folder / "op_summary_20240101000001.csv"
    lines = [
        '"{}",T,AI_CORE,{}.0,{}.5'.format(name.replace('"', '""'), 10 * place, place)
        for place, name in enumerate(names, 1)
    ]
    head = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)"
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    async with viewing(path) as viewer:
        await viewer.everything_read()
        await viewer.go("3")
        for name in names:
            await look(viewer, View(only=(("op_name", name),)))
            copy(viewer)
            assert [row["op_name"] for row in rows_of(copied(sent))] == [name]
            await look(viewer, View(exclude=(("op_name", name),)))
            copy(viewer)
            left = [row["op_name"] for row in rows_of(copied(sent))]
            assert sorted(left) == sorted(other for other in names if other != name)


async def test_calls(mish: Path, sent: SentToTerminal) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go("4")
        copy(viewer)
        shown = shown_by(viewer)
    same(shown, rows_of(copied(sent)), "api_name")


def test_one_of_several_profiles_is_opened_by_its_own_path(samples: Path) -> None:
    session = Session(samples)
    assert len(session.profiles) > 1
    assert session.target == str(samples)
    other = session.scoped(profile=1)
    again = Session(Path(other.target))
    assert again.profile.root == other.profile.root != session.profile.root


@pytest.mark.parametrize("by", ["name", "type"])
async def test_comparison(mish: Path, samples: Path, sent: SentToTerminal, by: str) -> None:
    async with against(mish, samples / "mish_after") as viewer:
        screen = await done(viewer)
        if by != "name":
            assert screen.command_group(by) == ""
            await viewer.until(lambda: screen.shown_by == by and screen.has_rows, "rows by type")
        await look(viewer, View(filter="a_total>500us verdict!=same", sort=(("b_total_us", True),)))
        copy(viewer)
        shown = shown_by(viewer)
    words = copied(sent)
    assert words[0] == "compare"
    assert shown
    same(shown, rows_of(words), "op_name" if by == "name" else "op_type")


async def test_dumps(mish: Path, samples: Path, sent: SentToTerminal) -> None:
    async with comparing(mish, samples / "dump_fp16", samples / "dump_fp32") as viewer:
        await look(viewer, View(exclude=(("part", "input"),), sort=(("cosine", False),)))
        copy(viewer)
        rows = viewer.table_screen.applied
        assert rows is not None
        names = rows.shown.table.text("op_name")
        assert names is not None
        shown = names.texts(rows.shown.rows)
    assert shown
    assert [row["op_name"] for row in rows_of(copied(sent))] == shown


@pytest.mark.parametrize("key", ["T", "F"])
@pytest.mark.parametrize("iterations", ["", "1"])
async def test_events_of_a_lane(mish: Path, sent: SentToTerminal, key: str, iterations: str) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        if iterations:
            assert viewer.app.command_iter(iterations) == ""
            await viewer.until(lambda: viewer.app.session is not None and viewer.app.session.within is not None)
            await viewer.everything_read()
        await viewer.go("2")
        await viewer.until(lambda: viewer.app.timeline is not None)
        await viewer.press(key)
        await viewer.until(lambda: isinstance(viewer.frame, EventScreen) and viewer.frame.applied is not None)
        await viewer.pilot.pause()
        copy(viewer)
        shown = shown_by(viewer)
    assert shown
    same(shown, rows_of(copied(sent)), "name")


async def test_overview_and_files(mish: Path, sent: SentToTerminal) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        for digit in ("1", "9", "2"):
            await viewer.go(digit)
            if digit == "2":
                await viewer.until(lambda: viewer.app.timeline is not None, "a timeline")
            await viewer.press("escape", ":")
            await viewer.type("copy-command")
            await viewer.press("enter")
            count = {"1": 1, "9": 2, "2": 3}[digit]
            await viewer.until(lambda count=count: len(sent.copied) == count, "a copy")  # type: ignore[misc]
    report, files, events = (shlex.split(line)[1:] for line in sent.copied)
    assert report == ["report", str(mish)]
    assert "where 214.6 ms went" in CliRunner().invoke(commands, report).stdout
    assert any("op_summary" in str(row) for row in rows_of(files))
    assert any(row["name"] == "aclmdlExecute" for row in rows_of(events))

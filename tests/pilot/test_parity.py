"""A screen and its command never show the same number differently."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.pilot.viewer import Viewer, viewing
from tui.cli import commands


def printed(*arguments: str) -> list[list[str]]:
    """Cells of the lines that the command prints, heading first."""
    result = CliRunner().invoke(commands, ["table", *arguments, "--format", "text"])
    assert result.exit_code == 0, result.output
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in result.stdout.splitlines()]


def cells_shown(viewer: Viewer, keys: tuple[str, ...], rows: int) -> list[list[str]]:
    """Texts of the grid's cells in the first rows, uncut."""
    source = viewer.table_screen.grid.source
    at = [next(n for n, column in enumerate(source.columns) if column.key == key) for key in keys]
    return [[cell.text for cell in row] for row in source.block(0, rows, at)]


@pytest.mark.parametrize("sample", ["mish_before", "legacy_after"])
@pytest.mark.parametrize(
    ("digit", "kind", "keys"),
    [
        ("3", "ops", ("op_name", "op_type", "task_duration_us", "share_pct", "task_wait_time_us", "block_num")),
        ("4", "apis", ("api_name", "level", "time_us", "span_pct", "count", "avg_us", "max_us")),
    ],
)
async def test_cells_are_those_of_the_command(
    samples: Path, sample: str, digit: str, kind: str, keys: tuple[str, ...]
) -> None:
    path = samples / sample
    async with viewing(path) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        if digit == "4":
            while viewer.table_screen.view.only:
                await viewer.press("0")
        wanted = cells_shown(viewer, keys, 12)
        assert len(wanted) == 12
    assert printed(kind, str(path), "--columns", ",".join(keys))[1:13] == wanted


async def test_groups_are_those_of_the_command(mish: Path) -> None:
    keys = ("op_type", "count", "total_us", "max_us", "mean_us")
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("group op_type")
        await viewer.until(lambda: viewer.table_screen.view.group)
        wanted = cells_shown(viewer, keys, 13)
    assert printed("ops", str(mish), "--group", "op_type", "--columns", ",".join(keys))[1:] == wanted

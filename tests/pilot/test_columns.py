"""Order, choice and width of columns, groups, units, distributions."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

from tests.pilot.oracle import longest_first, rows_of
from tests.pilot.viewer import NARROW, WIDE, Viewer, sizes, viewing


def names_shown(viewer: Viewer, key: str = "op_name", count: int = 8) -> list[str]:
    """Cells of a column of the first rows, uncut."""
    applied = viewer.table_screen.applied
    assert applied is not None
    column = applied.shown.table.text(key)
    assert column is not None
    return column.texts(applied.shown.rows[:count])


@sizes
async def test_sorting_both_ways_and_by_a_second_column(mish: Path, size: tuple[int, int]) -> None:
    longest = longest_first(mish)
    shortest = sorted(longest, key=lambda row: (Decimal(row["Task Duration(us)"]), Decimal(row["Task Start Time(us)"])))
    by_type = sorted(longest, key=lambda row: row["OP Type"])
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("right", "right", "<")
        assert names_shown(viewer) == [row["Op Name"] for row in shortest[:8]]
        await viewer.shows("▲ Duration µs")
        await viewer.press(">")
        assert names_shown(viewer) == [row["Op Name"] for row in longest[:8]]
        await viewer.shows("▼ Duration µs")
        await viewer.press("left", "<")
        await viewer.shows("OP Type ▲1.*▼2 Duration")
        assert names_shown(viewer) == [row["Op Name"] for row in by_type[:8]]
        await viewer.press("u", "u")
        assert names_shown(viewer) == [row["Op Name"] for row in shortest[:8]]


async def test_at_most_three_columns_order_the_rows(mish: Path) -> None:
    async with viewing(mish, (200, 60)) as viewer:
        await viewer.go("3")
        await viewer.press("<", "right", "<", "right", "right", "right", "right", ">")
        assert len(viewer.table_screen.view.sort) == 3
        ranks = {rank for rank, _down in viewer.table_screen.grid.source.sort_marks().values()}
        assert ranks == {1, 2, 3}


async def test_sort_by_command_and_what_is_wrong_with_it(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("sort type, dur desc")
        await viewer.shows("OP Type ▲1.*▼2 Duration")
        await viewer.press(":")
        await viewer.type("sort nothing")
        await viewer.shows("nothing")
        await viewer.press("escape")
        await viewer.shows("OP Type ▲1.*▼2 Duration")


@sizes
async def test_group_drill_to_shapes_and_instances_and_back(mish: Path, size: tuple[int, int]) -> None:
    rows = rows_of(mish, "op_summary")
    convs = [row for row in rows if row["OP Type"] == "Conv2D"]
    shapes = Counter[str]()
    for row in convs:
        shapes[row["Input Shapes"]] += int(Decimal(row["Task Duration(us)"]) * 1000)
    top_shape, _total = shapes.most_common(1)[0]
    same = sum(row["Input Shapes"] == top_shape for row in convs)
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("right", "F")
        await viewer.shows(r"^▌ ▄ +Conv2D +AI_CORE +110 +46\.310 +41\.0 +█")
        await viewer.shows(r"sum of 13 types +430 +112\.951 +100\.0")
        await viewer.shows(r"Conv2D AI_CORE ─+ 110 calls · 41\.0 % of device time")
        await viewer.shows("by type › Total ▼")
        await viewer.press("enter")
        await viewer.shows(r"110/430")
        await viewer.shows("Conv2D › .*by shapes")
        assert viewer.shown_rows == len(shapes)
        await viewer.press("enter")
        await viewer.shows(rf"{same}/430")
        assert viewer.shown_rows == same
        await viewer.press("u")
        await viewer.shows("by shapes")
        await viewer.press("u")
        await viewer.shows("by type")
        await viewer.press("u")
        await viewer.shows(r"^▌ +Conv_0 .*3 170\.625")
        await viewer.press("U")
        await viewer.shows("by type")


async def test_sums_of_the_groups_are_those_of_op_statistic(mish: Path) -> None:
    expected = {
        row["OP Type"]: (int(row["Count"]), float(row["Total Time(us)"])) for row in rows_of(mish, "op_statistic")
    }
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("right", "F")
        await viewer.until(lambda: viewer.table_screen.view.group)
        applied = viewer.table_screen.applied
        assert applied is not None
        groups = applied.shown.table
        names, counts, totals = groups.text("op_type"), groups.number("count"), groups.number("total_us")
        assert names is not None
        assert counts is not None
        assert totals is not None
        shown = {name: (int(n), round(float(us), 3)) for name, n, us in zip(names.texts(slice(None)), counts, totals)}
        assert shown == expected


async def test_group_by_command_by_one_or_more_columns_and_back(mish: Path) -> None:
    states = {row["OP State"] for row in rows_of(mish, "op_summary")}
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("group op_state task_type")
        await viewer.until(lambda: viewer.table_screen.view.group == ("op_state", "task_type"))
        assert set(names_shown(viewer, "op_state")) == states
        await viewer.press(":")
        await viewer.type("group")
        await viewer.shows(r"^▌ +Conv_0 .*3 170\.625")


@sizes
async def test_a_number_column_shows_how_it_is_spread(mish: Path, size: tuple[int, int]) -> None:
    values = sorted(Decimal(row["Task Duration(us)"]) for row in rows_of(mish, "op_summary"))
    mean = f"{sum(values) / len(values):.3f}"
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("right", "right", "F")
        await viewer.shows("distribution of Task Dur")
        await viewer.shows(r"430 rows")
        await viewer.shows(rf"mean +{mean}")
        await viewer.shows(r"max +3 170\.625")
        await viewer.press("escape")
        await viewer.hides("distribution of")


@sizes
async def test_units_go_round_and_change_no_digit(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        for head, cell in [
            ("ns", r"3 170 625"),
            ("µs", r"3 170\.625"),
            ("ms", r"3\.171|3\.170625|3\.1706"),
            ("µs", r"3 170\.625"),
        ]:
            await viewer.press("%")
            await viewer.shows(rf"▼ Duration {head}")
            await viewer.shows(rf"^▌ +Conv_0 +Conv2D +({cell})")
        await viewer.shows("times in auto")


async def test_units_by_command_are_those_of_the_key(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("units ns")
        await viewer.shows("▼ Duration ns")
        await viewer.go("4")
        await viewer.shows("▼ Time ns")
        await viewer.press(":")
        await viewer.type("units miles")
        await viewer.shows("one of auto ns us ms")


async def test_columns_are_chosen_from_a_checklist(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        before = grid.visible_keys
        await viewer.press("c")
        await viewer.shows("✓ Op Name +op_name")
        await viewer.press("down", "space", "enter")
        await viewer.until(lambda: "op_type" not in grid.visible_keys)
        assert grid.visible_keys == tuple(key for key in before if key != "op_type")
        assert "OP Type" not in viewer.lines[2]
        await viewer.press("u")
        await viewer.until(lambda: grid.visible_keys == before)
        await viewer.press("c", "J", "enter")
        await viewer.until(lambda: grid.visible_keys[:2] == ("op_type", "op_name"))
        await viewer.press("c", "space", "escape")
        assert grid.visible_keys[:2] == ("op_type", "op_name")


async def test_a_column_of_the_file_is_added_by_command(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("cols +stream_id -op_type")
        keys = viewer.table_screen.grid.visible_keys
        assert keys[-1] == "stream_id"
        assert "op_type" not in keys
        await viewer.press(":")
        await viewer.type("cols +nosuch")
        await viewer.shows("nosuch is no column")
        await viewer.press("escape", ":")
        await viewer.type("cols +input")
        await viewer.shows("input could be input_shapes, input_data_types, input_formats")


@sizes
async def test_columns_move_widen_narrow_and_freeze_with_undo(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        await viewer.press("right", "L")
        assert grid.visible_keys[:3] == ("op_name", "task_duration_us", "op_type")
        assert grid.cursor_key == "op_type"
        await viewer.press("H")
        assert grid.visible_keys[:3] == ("op_name", "op_type", "task_duration_us")
        at = viewer.lines[2].index("Duration")
        await viewer.press("+", "=")
        await viewer.until(lambda: viewer.lines[2].find("Duration") == at + 4)
        await viewer.press("-", "_")
        await viewer.until(lambda: viewer.lines[2].find("Duration") == at)
        await viewer.press("p")
        assert grid.column_state.frozen == 2
        await viewer.press("p")
        assert grid.column_state.frozen == 0
        await viewer.press(*["u"] * 8)
        await viewer.until(lambda: not viewer.frame.can("undo"))
        assert grid.column_state.frozen == 1
        assert grid.visible_keys[:3] == ("op_name", "op_type", "task_duration_us")


async def test_columns_come_back_with_the_next_profile_of_that_kind_and_reset_forgets_them(
    mish: Path, samples: Path
) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("right", "L")
        assert viewer.table_screen.grid.visible_keys[1] == "task_duration_us"
    async with viewing(samples / "mish_after") as viewer:
        await viewer.go("3")
        assert viewer.table_screen.grid.visible_keys[1] == "task_duration_us"
        await viewer.press("0")
        await viewer.until(lambda: viewer.table_screen.grid.visible_keys[1] == "op_type")
    async with viewing(mish) as viewer:
        await viewer.go("3")
        assert viewer.table_screen.grid.visible_keys[1] == "op_type"


async def test_bands_follow_their_limits(mish: Path) -> None:
    async with viewing(mish, NARROW) as viewer:
        await viewer.go("4")
        await viewer.shows(r"^▌ █ +aclmdlExecute")
        await viewer.press(":")
        await viewer.type("bands 5 80")
        await viewer.shows(r"^▌ ▄ +aclmdlExecute")
        await viewer.shows(r"^  ▄ +aclrtSetDevice +acl +14\.200 +6\.6")
        for wrong in ("bands", "bands 50 20", "bands x y", "bands 10 200"):
            await viewer.press(":")
            await viewer.type(wrong)
            await viewer.shows("two shares in percent|the first share must be below")
            await viewer.press("escape")
        await viewer.shows(r"^▌ ▄ +aclmdlExecute")


async def test_a_share_equal_to_a_limit_belongs_to_the_upper_band(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("4")
        await viewer.until(lambda: viewer.app.overview is not None)
        change = viewer.app.tables["apis"]
        assert change.table is not None
        shares, names = change.table.number("span_pct"), change.table.text("api_name")
        assert shares is not None
        assert names is not None
        share = float(shares[names.texts(slice(None)).index("aclmdlExecute")])
        await viewer.press(":")
        await viewer.type(f"bands 1 {share!r}")
        await viewer.shows(r"^▌ █ +aclmdlExecute")

"""The grid in a running application: what it asks for, shows, tells and sends to the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.drivers.headless_driver import HeadlessDriver
from textual.message import Message
from textual.pilot import Pilot

from widgets.columns import ColumnState
from widgets.glyphs import BLOCKS, GLYPH_SETS, GlyphSet
from widgets.grid import DataGrid
from widgets.protocols import Cell, GridColumn
from widgets.roles import dress
from widgets.theme import COLOURS_16, DARK_256, MONO, PALETTES, Palette

SIZE = (80, 24)
BODY = 22  # 24 lines, heading, sum row


class Numbers:
    """Rows made on demand, that remembers what it was asked for."""

    def __init__(
        self, rows: int, names: Sequence[str] = (), total: bool = True, width: int = 20, others: int = 3
    ) -> None:
        self.columns = (
            GridColumn("band", "", 1, kind="mark"),
            GridColumn("name", "Op Name", width),
            *(GridColumn(f"n{at}", f"Number {at}", 10, "right", kind="number") for at in range(others)),
            GridColumn("bar", "", 8, kind="bar"),
        )
        self.row_count = rows
        self.names = names
        self.total = total
        self.blocks: list[tuple[int, int]] = []
        self.sorts: dict[str, tuple[int, bool]] = {"n0": (1, True)}

    def name(self, row: int) -> str:
        return self.names[row % len(self.names)] if self.names else f"Conv_{row}"

    def block(self, first: int, last: int, columns: Sequence[int]) -> Sequence[Sequence[Cell]]:
        self.blocks.append((first, last))
        return [[self.cell(row, column) for column in columns] for row in range(first, last)]

    def cell(self, row: int, column: int) -> Cell:
        key = self.columns[column].key
        if key == "band":
            return Cell("█" if row == 0 else " ", "high")
        if key == "name":
            return Cell(self.name(row))
        if key == "bar":
            return Cell("", "high" if row == 0 else "bar", 1.0 / (row + 1))
        return Cell(f"{row / 4:.3f}")

    def row_role(self, row: int) -> str:
        return ""

    def summary(self, columns: Sequence[int]) -> Sequence[Cell] | None:
        if not self.total:
            return None
        return [Cell("sum of all rows" if self.columns[column].key == "name" else "") for column in columns]

    def sort_marks(self) -> dict[str, tuple[int, bool]]:
        return self.sorts


KEYS = {
    "down": "cursor_down", "up": "cursor_up", "left": "cursor_left", "right": "cursor_right", "pagedown": "page_down",
    "pageup": "page_up", "ctrl+d": "half_down", "g": "first", "G": "last", "enter": "open_item", "space": "select",
    "v": "range", "H": "column_left", "L": "column_right", "plus": "bigger", "minus": "smaller", "p": "freeze",
    "x": "hide_column",
}  # fmt: skip


class GridApp(App[None]):
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding(key, f"grid('{action}')") for key, action in KEYS.items()]  # noqa: RUF012 (Textual's own form)

    def __init__(self, source: Numbers, palette: Palette = DARK_256, glyphs: GlyphSet = BLOCKS) -> None:
        super().__init__(ansi_color=None if palette.colours else True)
        dress(self, palette, glyphs)
        self.source = source
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        yield DataGrid(self.source)

    def on_mount(self) -> None:
        self.grid.focus()

    @property
    def grid(self) -> DataGrid:
        return self.query_one(DataGrid)

    def action_grid(self, name: str) -> None:
        getattr(self.grid, f"action_{name}")()

    def on_data_grid_row_highlighted(self, event: DataGrid.RowHighlighted) -> None:
        self.told.append(event)

    on_data_grid_row_opened = on_data_grid_row_highlighted
    on_data_grid_header_clicked = on_data_grid_row_highlighted
    on_data_grid_selection_changed = on_data_grid_row_highlighted
    on_data_grid_columns_changed = on_data_grid_row_highlighted

    def told_of(self, kind: type[Message]) -> list[Message]:
        return [message for message in self.told if isinstance(message, kind)]


def lines(app: GridApp) -> list[str]:
    return [app.grid.render_line(y).text for y in range(app.grid.size.height)]


def line_of(app: GridApp, text: str) -> str:
    return next(line for line in lines(app) if text in line)


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.pause()


async def test_of_a_million_rows_only_those_in_view_are_asked_for() -> None:
    source = Numbers(1_000_000)
    app = GridApp(source)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert set(source.blocks) == {(0, BODY)}
        source.blocks.clear()
        await pilot.press("down", "down", "up")
        await settled(pilot)
        assert source.blocks == []
        await pilot.press("pagedown")
        await settled(pilot)
        assert source.blocks == [(BODY, 2 * BODY)]
        await pilot.press("G")
        await settled(pilot)
        assert app.grid.cursor_row == 999_999
        assert sum(last - first for first, last in source.blocks) == 2 * BODY


async def test_first_paint_shows_heading_rows_and_sum() -> None:
    app = GridApp(Numbers(3))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        shown = lines(app)
        assert shown[0].split() == ["Op", "Name", "▼", "Number", "0", "Number", "1", "Number", "2"]
        assert shown[1].startswith("▌ █  Conv_0")
        assert shown[2].startswith("     Conv_1")
        assert shown[4].strip() == "sum of all rows"
        assert all(len(line) == SIZE[0] for line in shown)


async def test_several_sort_keys_carry_their_rank() -> None:
    source = Numbers(3)
    source.sorts = {"n0": (1, True), "n1": (2, False)}
    app = GridApp(source)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert "▼1 Number 0" in lines(app)[0]
        assert "▲2 Number 1" in lines(app)[0]


async def test_chinese_names_keep_the_columns_in_line() -> None:
    names = ["卷积_层_0", "Conv_1", "非常长的中文算子名称_非常长的中文算子名称", "混合Mixed_中"]
    app = GridApp(Numbers(4, names))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        strips = [app.grid.render_line(y) for y in range(1, 5)]
        assert {strip.cell_length for strip in strips} == {SIZE[0]}
        ends = {strip.crop(0, 39).text.rstrip()[-5:] for strip in strips}
        assert ends == {"0.000", "0.250", "0.500", "0.750"}


async def test_harmful_names_are_shown_literally() -> None:
    names = ["[red]x[/red]", "a\x1b[2Jb", "c\nd", "\u202egnp.exe"]
    app = GridApp(Numbers(4, names, width=24))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        text = "\n".join(lines(app))
        assert "[red]x[/red]" in text
        assert r"a\x1b[2Jb" in text
        assert r"c\nd" in text
        assert r"\u202egnp.exe" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


async def test_waiting_keys_are_told_once() -> None:
    app = GridApp(Numbers(100))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.told.clear()
        for _ in range(5):
            app.grid.action_cursor_down()
        await settled(pilot)
        rows = [event.row for event in app.told if isinstance(event, DataGrid.RowHighlighted)]
        assert rows == [5]


async def test_enter_and_double_click_open() -> None:
    app = GridApp(Numbers(100))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("down", "enter")
        await pilot.double_click(DataGrid, offset=(8, 5))
        await settled(pilot)
        opened = [event.row for event in app.told if isinstance(event, DataGrid.RowOpened)]
        assert opened == [1, 4]


async def test_a_click_moves_the_cursor_and_a_heading_tells_its_column() -> None:
    app = GridApp(Numbers(100))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.click(DataGrid, offset=(8, 7))
        assert app.grid.cursor_row == 6
        await pilot.click(DataGrid, offset=(33, 0))
        await settled(pilot)
        assert [event.key for event in app.told if isinstance(event, DataGrid.HeaderClicked)] == ["n0"]
        assert app.grid.cursor_row == 6


async def test_dragging_a_border_sets_the_width() -> None:
    app = GridApp(Numbers(10))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.mouse_down(DataGrid, offset=(25, 0))
        await pilot.hover(DataGrid, offset=(30, 0))
        await pilot.mouse_up(DataGrid, offset=(30, 0))
        await settled(pilot)
        assert app.grid.column_state.widths == {"name": 25}
        assert app.told_of(DataGrid.ColumnsChanged)
        assert not app.told_of(DataGrid.HeaderClicked)


async def test_the_wheel_scrolls() -> None:
    app = GridApp(Numbers(100))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        for _ in range(4):
            await pilot._post_mouse_events([_wheel()], DataGrid, offset=(5, 5))
        await settled(pilot)
        assert app.grid.top_row == 12
        assert app.grid.cursor_row == 12


def _wheel() -> type:
    from textual.events import MouseScrollDown

    return MouseScrollDown


async def test_selecting_rows_one_by_one_and_as_a_range() -> None:
    app = GridApp(Numbers(100))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("space", "space")
        assert list(app.grid.selection) == [0, 1]
        await pilot.press("down", "v", "down", "down")
        assert list(app.grid.selection) == [0, 1, 3, 4, 5]
        await pilot.press("v", "down")
        assert list(app.grid.selection) == [0, 1, 3, 4, 5]
        await settled(pilot)
        assert line_of(app, "Conv_4").startswith(" ▌")
        assert line_of(app, "Conv_2").startswith("  ")
        assert app.told_of(DataGrid.SelectionChanged)
        assert app.grid.clear_selection()
        assert not app.grid.clear_selection()
        assert len(app.grid.selection) == 0


async def test_columns_are_moved_resized_hidden_frozen_and_put_back() -> None:
    app = GridApp(Numbers(10))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        before = app.grid.column_state
        await pilot.press("right", "L", "plus")
        assert list(app.grid.visible_keys) == ["name", "n1", "n0", "n2", "bar"]
        assert app.grid.cursor_key == "n0"
        assert app.grid.column_state.widths == {"n0": 12}
        await pilot.press("x")
        assert list(app.grid.visible_keys) == ["name", "n1", "n2", "bar"]
        await pilot.press("p")
        assert app.grid.column_state.frozen == 3
        app.grid.column_state = before
        assert list(app.grid.visible_keys) == ["name", "n0", "n1", "n2", "bar"]
        app.grid.show_columns(["n2", "name"])
        await settled(pilot)
        assert lines(app)[0].split() == ["Number", "2", "Op", "Name"]


async def test_the_column_cursor_brings_far_columns_into_view() -> None:
    app = GridApp(Numbers(10, others=12))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert "Number 11" not in lines(app)[0]
        app.grid.move_to_column("n11")
        await settled(pilot)
        assert "Number 11" in lines(app)[0]
        assert "Op Name" in lines(app)[0]


async def test_a_growing_source_keeps_cursor_and_view_and_repaints_only_what_changes() -> None:
    source = Numbers(500, total=False)
    app = GridApp(source)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("down", "down", "down")
        await settled(pilot)
        app.told.clear()
        source.blocks.clear()
        source.row_count = 505
        app.grid.source_grew()
        await settled(pilot)
        assert source.blocks == []
        source.row_count = 1_000_000
        app.grid.source_grew()
        await settled(pilot)
        assert (app.grid.cursor_row, app.grid.top_row) == (3, 0)
        assert app.told_of(DataGrid.RowHighlighted) == []
        await pilot.press("G")
        assert app.grid.cursor_row == 999_999


async def test_the_first_rows_of_an_empty_grid_are_told() -> None:
    source = Numbers(0)
    app = GridApp(source)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert app.grid.cursor_row == -1
        source.row_count = 7
        app.grid.source_grew()
        await settled(pilot)
        assert [event.row for event in app.told if isinstance(event, DataGrid.RowHighlighted)] == [-1, 0]


@pytest.mark.parametrize(("keep", "row"), [(False, 0), (True, 40), (7, 7), (500, 59)])
async def test_another_source_takes_the_cursor_as_asked(keep: bool | int, row: int) -> None:
    app = GridApp(Numbers(100))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.grid.move_to(40)
        app.grid.action_select()
        app.grid.move_to(40)
        await settled(pilot)
        app.grid.set_source(Numbers(60), keep_cursor=keep)
        await settled(pilot)
        assert app.grid.cursor_row == row
        assert len(app.grid.selection) == 0
        assert app.grid.top_row <= row < app.grid.top_row + BODY


async def test_the_arrangement_outlives_the_source() -> None:
    app = GridApp(Numbers(10))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.grid.column_state = ColumnState(order=("n2", "name"), hidden=("n1",), widths={"name": 30})
        app.grid.set_source(Numbers(5))
        await settled(pilot)
        assert list(app.grid.visible_keys) == ["n2", "name", "n0", "bar"]


ALL_LOOKS = [(palette, glyphs) for palette in (DARK_256, COLOURS_16, MONO) for glyphs in ("blocks", "braille", "ascii")]


@pytest.mark.parametrize(
    ("palette", "glyphs"), ALL_LOOKS, ids=lambda value: value if isinstance(value, str) else value.name
)
async def test_every_look_tells_cursor_band_selection_and_order(palette: Palette, glyphs: str) -> None:
    chars = GLYPH_SETS[glyphs]
    app = GridApp(Numbers(100), palette, chars)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("space", "down")
        await settled(pilot)
        shown = lines(app)
        assert f"{chars.descending} Number 0" in shown[0]
        assert shown[1][1] == chars.selected
        assert shown[3][0] == chars.cursor
        assert shown[1][2] == chars.shown("█")
        assert chars.bar[-1] in shown[1]
        if glyphs == "ascii":
            assert all(line.isascii() for line in shown)
        if palette is MONO:
            assert all(
                segment.style is None or not segment.style.color
                for y in range(24)
                for segment in app.grid.render_line(y)
            )


class Wire:
    """Counts what a running application sends to its terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent = 0
        monkeypatch.setattr(HeadlessDriver, "is_headless", property(lambda _driver: False))
        monkeypatch.setattr(HeadlessDriver, "write", lambda _driver, data: self.count(data))

    def count(self, data: str) -> None:
        self.sent += len(data.encode())

    async def cost(self, pilot: Pilot[None], grid: DataGrid, *actions: str) -> int:
        """Bytes sent because of these actions, the last of which is painted."""
        before = self.sent
        for action in actions:
            getattr(grid, f"action_{action}")()
        await settled(pilot)
        return self.sent - before


async def test_bytes_per_key(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Wire(monkeypatch)
    app = GridApp(Numbers(1_000_000, width=20, others=10))
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        await wire.cost(pilot, app.grid, "cursor_down")
        in_view = [await wire.cost(pilot, app.grid, "cursor_down") for _ in range(5)]
        several = await wire.cost(pilot, app.grid, *["cursor_down"] * 8)
        page = await wire.cost(pilot, app.grid, "page_down")
        await wire.cost(pilot, app.grid, "first")
        nothing = await wire.cost(pilot, app.grid, "cursor_up")
    # two rows of 160 cells, and fewer than ten runs of 35 bytes in both together
    assert 320 < max(in_view) <= 2 * 160 + 10 * 35
    assert several <= max(in_view) + 20
    assert page <= 45 * (160 + 6 * 35)
    assert nothing == 0


async def test_scrolling_line_by_line_repaints_everything_only_every_half_page(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Wire(monkeypatch)
    app = GridApp(Numbers(10_000, total=False))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        costs = [await wire.cost(pilot, app.grid, "cursor_down") for _ in range(40)]
    # the first view holds rows 0…22; it jumps by 12 rows when row 23 is reached, and again at row 35
    assert sum(cost > 2000 for cost in costs) == 2
    assert sum(costs) / len(costs) < 1000


async def test_palettes_are_all_named() -> None:
    assert set(PALETTES) == {"256", "16", "mono"}

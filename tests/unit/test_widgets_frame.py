"""The frame around every screen: what is shown at which width, and what a click means."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from widgets.frame import FooterBar, KeyHint, NavBar, ScreenTab, StatusBar, TitleBar
from widgets.lines import LinesPane, LineWidget, LogPane
from widgets.panes import HeadLine, Lines
from widgets.pieces import Piece
from widgets.roles import dress

NAMES = ("Overview", "Timeline", "Ops", "APIs", "Findings", "Compare", "Dump", "Run", "Files")
TABS = [ScreenTab(str(at + 1), name, name.lower()) for at, name in enumerate(NAMES)]
HINTS = [KeyHint("enter", "open", "open"), KeyHint("< >", "sort"), KeyHint("&", "filter"), KeyHint("/", "find")]


class FrameApp(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        dress(self)
        self.pressed: list[str] = []

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield NavBar()
        yield HeadLine()
        yield LinesPane()
        yield StatusBar()
        yield FooterBar()

    def on_line_widget_pressed(self, event: LineWidget.Pressed) -> None:
        self.pressed.append(event.target)


def shown(widget: LineWidget, y: int = 0) -> str:
    return widget.render_line(y).text


def fill(app: FrameApp) -> None:
    app.query_one(TitleBar).set_content("yolov4_mish", ["PROF_000001", "npu0 Ascend310P3", "iter 1"], "566 tasks")
    app.query_one(NavBar).set_content("Ops", [Piece("by type", "", "step0"), Piece("Total ▼")], TABS, "3")
    app.query_one(HeadLine).set_content("Conv2D", "110 calls")
    app.query_one(StatusBar).set_left("op_summary_0_1_1.csv")
    app.query_one(StatusBar).set_right("1/13 types")
    app.query_one(FooterBar).set_hints(HINTS, [KeyHint(":", "command", "command"), KeyHint("?", "help", "help")])


async def test_the_frame_at_80_cells() -> None:
    app = FrameApp()
    async with app.run_test(size=(80, 24)) as pilot:
        fill(app)
        await pilot.pause()
        assert (
            shown(app.query_one(TitleBar))
            == " yolov4_mish  PROF_000001 · npu0 Ascend310P3 · iter 1                 566 tasks "
        )
        assert (
            shown(app.query_one(NavBar))
            == " Ops › by type › Total ▼                             1  2  3  4  5  6  7  8  9  "
        )
        assert shown(app.query_one(HeadLine)) == " Conv2D " + "─" * 60 + " 110 calls  "
        assert shown(app.query_one(StatusBar)) == " op_summary_0_1_1.csv" + " " * 48 + "1/13 types "
        assert (
            shown(app.query_one(FooterBar))
            == " enter open  < > sort  & filter  / find                       : command  ? help "
        )


async def test_the_strip_carries_names_from_112_cells_on() -> None:
    app = FrameApp()
    async with app.run_test(size=(112, 24)) as pilot:
        fill(app)
        await pilot.pause()
        strip = "1 Overview  2 Timeline  3 Ops  4 APIs  5 Findings  6 Compare  7 Dump  8 Run  9 Files  "
        line = shown(app.query_one(NavBar))
        assert line.endswith(strip)
        assert line.startswith(" by type › Total ▼ ")


@pytest.mark.parametrize("width", [60, 30, 20])
async def test_narrow_lines_drop_whole_facts_and_pairs(width: int) -> None:
    app = FrameApp()
    async with app.run_test(size=(width, 15)) as pilot:
        fill(app)
        await pilot.pause()
        footer = shown(app.query_one(FooterBar))
        assert len(footer) == width
        words = footer.split()
        assert set(words) <= {
            "enter",
            "open",
            "<",
            ">",
            "sort",
            "&",
            "filter",
            "/",
            "find",
            ":",
            "command",
            "?",
            "help",
        }
        title = shown(app.query_one(TitleBar))
        assert len(title) == width
        assert "PROF_000001" in title or "PROF" not in title


async def test_clicks_mean_targets() -> None:
    app = FrameApp()
    async with app.run_test(size=(80, 24)) as pilot:
        fill(app)
        await pilot.pause()
        await pilot.click(NavBar, offset=(56, 0))
        await pilot.click(NavBar, offset=(8, 0))
        await pilot.click(FooterBar, offset=(2, 0))
        await pilot.click(FooterBar, offset=(74, 0))
        await pilot.click(FooterBar, offset=(50, 0))
        await pilot.pause()
        assert app.pressed == ["timeline", "step0", "open", "help"]


async def test_a_focused_head_line_is_marked_by_more_than_colour() -> None:
    app = FrameApp()
    async with app.run_test(size=(80, 24)) as pilot:
        fill(app)
        app.query_one(HeadLine).set_focused(True)
        await pilot.pause()
        strip = app.query_one(HeadLine).render_line(0)
        assert strip.text.startswith("▸ Conv2D ─")
        style = next(iter(strip)).style
        assert style is not None
        assert style.bold


async def test_a_pane_of_lines_scrolls_and_shows_where_it_is() -> None:
    app = FrameApp()
    async with app.run_test(size=(40, 15)) as pilot:
        pane = app.query_one(LinesPane)
        pane.set_lines([[Piece(f" line {at}", "text")] for at in range(30)])
        await pilot.pause()
        assert shown(pane).startswith(" line 0 ")
        assert shown(pane).endswith("┃")
        pane.action_last()
        assert shown(pane, pane.size.height - 1).startswith(" line 29 ")
        pane.action_first()
        pane.action_cursor_down()
        assert shown(pane).startswith(" line 1 ")


class LogApp(App[None]):
    def compose(self) -> ComposeResult:
        yield LogPane()
        yield Lines()


async def test_a_log_follows_its_end_until_one_scrolls_up() -> None:
    app = LogApp()
    async with app.run_test(size=(40, 10)) as pilot:
        log = app.query_one(LogPane)
        await pilot.pause()
        log.set_lines([[Piece(f"line {at}", "text")] for at in range(30)])
        assert shown(log, log.size.height - 1).startswith("line 29 ")
        log.action_cursor_up()
        log.set_lines([[Piece(f"line {at}", "text")] for at in range(31)], keep_top=True)
        assert shown(log, log.size.height - 1).startswith("line 28 ")

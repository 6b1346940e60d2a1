"""The time canvas in a running application: what it paints when the view changes, and what the mouse makes it tell."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Offset
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from tests.lane_source import Event, LaneSource
from widgets.canvas import TimeCanvas
from widgets.canvas_mouse import TimeWidget
from widgets.canvas_state import CanvasState, Flow, FlowEnd
from widgets.gutter import TimeGutter
from widgets.minimap import Minimap
from widgets.pieces import Piece
from widgets.roles import dress
from widgets.timeview import TimeView
from widgets.tracks import Lane, Row
from widgets.viewport import Span

SIZE = (80, 16)
COLUMNS, GUTTER, TOP = 59, 20, 2
WHOLE = Span(0, 5900)
"""100 ns per cell when all is shown."""


def source() -> LaneSource:
    host = [Event("load", 300, 1500, "mid"), Event("execute", 2000, 5600, "high")]
    return LaneSource(
        [
            (Lane("h", "Host", kind="group", facts="yolov4 31337"), ()),
            (Lane("acl", "AscendCL", "98 %"), [host]),
            (Lane("launch", "Node launch", "2 %"), [[Event("go", 2100, 2110), Event("go", 2500, 2510)]]),
            (Lane("n", "NPU 0", kind="group"), ()),
            (Lane("s2", "Stream 2", "51 %", gaps=True), [[Event("Conv", 2300, 3300), Event("Mul", 4300, 5500)]]),
            *((Lane(f"x{at}", f"Extra {at}"), [[Event("e", 0, 200)]]) for at in range(9)),
        ]
    )


class TimeApp(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        dress(self)
        self.source = source()
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        yield TimeView()

    def on_mount(self) -> None:
        self.view.set_source(self.source)
        self.view.set_state(CanvasState(WHOLE, WHOLE, lane=1, event=1))
        self.view.labels.set_lines([Piece(" all")], [Piece(" bands")])

    @property
    def view(self) -> TimeView:
        return self.query_one(TimeView)

    def change(self, **changes: object) -> None:
        self.view.set_state(replace(self.view.state, **changes))  # type: ignore[arg-type]

    def tell(self, message: Message) -> None:
        self.told.append(message)

    on_time_widget_zoomed = on_time_widget_range_dragged = tell
    on_time_canvas_pressed = on_time_canvas_scrolled = tell
    on_minimap_jumped = on_time_gutter_pressed = on_time_gutter_scrolled = tell


async def settled(pilot: Pilot[None]) -> None:
    for _turn in range(3):
        await pilot.pause()


def screen(app: TimeApp) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


async def test_gutter_canvas_ruler_and_minimap_make_one_picture() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        shown = screen(app)
        assert all(len(line) == SIZE[0] for line in shown)
        assert shown[0].startswith(" all " + " " * 15)
        assert shown[1].startswith(" bands" + " " * 14 + "│0 µs")
        assert shown[2] == "▾ Host              " + "─" * 46 + " yolov4 31337 "
        assert shown[3][:35] == "▌ AscendCL     98 % ┊  " + " load       "
        assert " execute  3600 ns" in shown[3]
        assert shown[6][:20] == "  Stream 2     51 % "
        assert shown[6][GUTTER + 33 : GUTTER + 43] == "├────────┤"


async def test_a_wide_view_has_a_wider_gutter_and_canvas_parts_that_fit_together() -> None:
    app = TimeApp()
    async with app.run_test(size=(170, 16)) as pilot:
        await settled(pilot)
        shown = screen(app)
        assert shown[1][:31] == " bands".ljust(24) + "│0.0 µs"
        assert shown[2] == "▾ Host".ljust(24) + "─" * (145 - 13) + " yolov4 31337 "
        parts = [part.size.width for part in app.query("CanvasPart")]
        assert sum(parts) == 146
        assert min(parts) >= 48


class Sent:
    """Counts bytes that the application sends to the terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        monkeypatch.setattr(HeadlessDriver, "is_headless", property(lambda _driver: False))
        monkeypatch.setattr(HeadlessDriver, "write", lambda _driver, data: self.texts.append(data))

    def take(self) -> str:
        text = "".join(self.texts)
        self.texts.clear()
        return text


async def test_moving_the_cursor_in_a_lane_sends_only_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    app, sent = TimeApp(), Sent(monkeypatch)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        sent.take()
        app.change(event=0)
        await settled(pilot)
        text = sent.take()
        assert "load" in text
        assert "execute" in text
        assert "AscendCL" not in text
        assert "Conv" not in text
        assert len(text.encode()) <= 400


async def test_moving_to_another_lane_sends_two_lines_of_gutter_and_canvas(monkeypatch: pytest.MonkeyPatch) -> None:
    app, sent = TimeApp(), Sent(monkeypatch)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        sent.take()
        app.change(lane=2, event=2)
        await settled(pilot)
        text = sent.take()
        assert "AscendCL" in text
        assert "Node launch" in text
        assert "Stream" not in text
        assert "Conv" not in text
        assert len(text.encode()) <= 900


async def test_an_equal_state_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    app, sent = TimeApp(), Sent(monkeypatch)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        sent.take()
        app.change(event=1)
        await settled(pilot)
        assert sent.take() == ""


async def test_cells_changed_by_two_moves_in_one_go_are_all_sent() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.change(event=0)
        app.change(lane=2, event=2)
        await settled(pilot)
        shown = screen(app)
        app.refresh(layout=True)
        await settled(pilot)
        assert screen(app) == shown
        assert shown[4].startswith("▌ Node launch")


async def test_many_moves_are_painted_once() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.source.asked.clear()
        for start in range(0, 1000, 50):
            app.change(span=Span(start, start + 1000))
        await settled(pilot)
        assert len(app.source.asked) == 1
        assert app.view.state.span == Span(950, 1950)


async def test_zooming_asks_for_the_rows_in_view_only() -> None:
    app = TimeApp()
    async with app.run_test(size=(80, 8)) as pilot:
        await settled(pilot)
        app.source.asked.clear()
        app.change(span=Span(0, 1000))
        await settled(pilot)
        assert app.source.asked == [(Row(1, 0), Row(2, 0), Row(4, 0), Row(5, 0))]


async def test_lanes_scroll_to_the_cursor() -> None:
    app = TimeApp()
    async with app.run_test(size=(80, 8)) as pilot:
        await settled(pilot)
        state = replace(app.view.state, lane=13, event=app.source.rows[Row(13, 0)][0])
        app.view.set_state(replace(state, top=app.view.scrolled_to_cursor(state)))
        await settled(pilot)
        assert screen(app)[7].startswith("▌ Extra 8")
        assert screen(app)[2].startswith("  Extra 3")


async def test_a_link_is_drawn_through_the_head_line() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.change(lane=4, event=app.source.number("Conv"), flow=Flow(FlowEnd(2, 0, 2105), FlowEnd(4, 0, 2300)))
        await settled(pilot)
        assert screen(app)[5][GUTTER : GUTTER + 26] == "─" * 21 + "╰─╮" + "──"
        app.change(flow=None)
        await settled(pilot)
        assert screen(app)[5][GUTTER : GUTTER + 26] == "─" * 26


async def test_a_source_that_grew_is_painted_anew() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        grown = source()
        grown.events[0] = grown.events[0]._replace(name="late")
        app.view.set_source(grown)
        await settled(pilot)
        assert "late" in screen(app)[3]


# Mouse


async def test_a_click_tells_row_and_time() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.click(TimeCanvas, offset=(45, 1))
        await pilot.click(TimeGutter, offset=(4, 2))
        await settled(pilot)
        pressed, gutter = app.told
        assert isinstance(pressed, TimeCanvas.Pressed)
        assert (pressed.row, pressed.time_ns, pressed.clicks) == (Row(1, 0), 4550, 1)
        assert isinstance(gutter, TimeGutter.Pressed)
        assert gutter.lane == 2


async def test_a_double_click_is_told_as_such() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.click(TimeCanvas, offset=(5, 1), times=2)
        await settled(pilot)
        assert [message.clicks for message in app.told if isinstance(message, TimeCanvas.Pressed)] == [1, 2]


async def test_dragging_marks_a_range_and_is_no_click() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.mouse_down(TimeCanvas, offset=(30, 4))
        for x in range(29, 9, -1):
            await pilot.hover(TimeCanvas, offset=(x, 4))
        await pilot.mouse_up(TimeCanvas, offset=(10, 4))
        await settled(pilot)
        ranges = [message for message in app.told if isinstance(message, TimeWidget.RangeDragged)]
        assert ranges[-1].done
        assert ranges[-1].span == Span(1000, 3100)
        assert not any(isinstance(message, TimeCanvas.Pressed) for message in app.told)


def wheel(widget: Widget, x: int, y: int, up: bool, ctrl: bool = False) -> events.MouseEvent:
    kind = events.MouseScrollUp if up else events.MouseScrollDown
    at = widget.region.offset + Offset(x, y)
    return kind(widget, x, y, 0, 0, 0, False, False, ctrl, screen_x=at.x, screen_y=at.y)


async def test_the_wheel_scrolls_lanes_and_zooms_with_ctrl_or_over_the_ruler() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        canvas, ruler = app.view.canvas, app.view.ruler
        for _turn in range(3):
            canvas.post_message(wheel(canvas, 30, 2, up=False))
        await settled(pilot)
        canvas.post_message(wheel(canvas, 30, 2, up=True, ctrl=True))
        ruler.post_message(wheel(ruler, 10, 0, up=False))
        await settled(pilot)
        scrolls = [message.lines for message in app.told if isinstance(message, TimeCanvas.Scrolled)]
        zooms = [(message.time_ns, message.steps) for message in app.told if isinstance(message, TimeWidget.Zoomed)]
        assert sum(scrolls) == 9
        assert sorted(zooms) == [(1050, -1), (3050, 1)]


async def test_the_minimap_jumps() -> None:
    app = TimeApp()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.change(span=Span(0, 500))
        await settled(pilot)
        await pilot.click(Minimap, offset=(40, 0))
        await settled(pilot)
        jumps = [message.time_ns for message in app.told if isinstance(message, Minimap.Jumped)]
        assert jumps == [4050]

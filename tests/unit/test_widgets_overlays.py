"""Overlays and the input line, driven by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.pilot import Pilot

from widgets.choice import ChoiceItem, ChoiceOverlay, ConfirmOverlay
from widgets.frame import Bar, KeyHint
from widgets.help import HelpGroup, HelpOverlay, HelpTexts
from widgets.overlay import Overlay
from widgets.palette import PaletteChoice, PaletteItem, PaletteOverlay, PaletteTexts
from widgets.panes import Lines
from widgets.pieces import Line, Piece
from widgets.prompt import PromptLine
from widgets.roles import dress

NOTHING = object()
BELOW = " text of the screen below"


class OverlayApp(App[None]):
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding("3", "digit"), Binding("q", "digit")]  # noqa: RUF012 (Textual's own form)

    def __init__(self) -> None:
        super().__init__()
        dress(self)
        self.result: Any = NOTHING
        self.heard: list[tuple[str, str]] = []
        self.digits = 0

    def compose(self) -> ComposeResult:
        yield Lines()
        prompt = PromptLine()
        prompt.display = False
        yield prompt

    def on_mount(self) -> None:
        self.query_one(Lines).set_lines([[Piece(BELOW, "high")]] * 20)

    def show(self, overlay: Overlay[Any]) -> None:
        self.push_screen(overlay, self.take)

    def take(self, result: object) -> None:
        self.result = result

    def action_digit(self) -> None:
        self.digits += 1

    def on_prompt_line_changed(self, event: PromptLine.Changed) -> None:
        self.heard.append(("changed", event.text))

    def on_prompt_line_accepted(self, event: PromptLine.Accepted) -> None:
        self.heard.append(("accepted", event.text))

    def on_prompt_line_left(self, event: PromptLine.Left) -> None:
        self.heard.append(("left", event.text))


def screen_lines(app: App[Any]) -> list[str]:
    return [line.text for line in app.screen._compositor.render_strips()]


async def opened(app: OverlayApp, pilot: Pilot[None], overlay: Overlay[Any]) -> None:
    app.show(overlay)
    await pilot.pause()


ITEMS = [
    PaletteItem("bands", ":bands", "20 50", "share limits for yellow and red"),
    PaletteItem("zoom", ":zoom", "10ms..14ms", "show this time range", "now"),
    PaletteItem("note", ":note", "TEXT", "annotate the selection"),
]
TEXTS = PaletteTexts("palette", lambda found, total: f"{found} of {total}", "preview", "no command matches")


def preview(item: PaletteItem, typed: str) -> Sequence[Line]:
    return [[Piece(f"{item.target} with {typed}", "muted")]]


async def test_palette_narrows_completes_and_runs() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, PaletteOverlay(ITEMS, TEXTS, preview=preview, hints=[KeyHint("enter", "run")]))
        text = "\n".join(screen_lines(app))
        assert "╭─ palette ─" in text
        assert "3 of 3" in text
        await pilot.press("z", "o")
        text = "\n".join(screen_lines(app))
        assert "1 of 3" in text
        assert "zoom with zo" in text
        await pilot.press("tab", "3", "enter")
        await pilot.pause()
        assert app.result == PaletteChoice("zoom", ":zoom 3")
        assert app.digits == 0


async def test_palette_cursor_and_leaving() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, PaletteOverlay(ITEMS, TEXTS))
        await pilot.press("down", "down", "down", "up", "enter")
        await pilot.pause()
        assert app.result == PaletteChoice("zoom", "")
        await opened(app, pilot, PaletteOverlay(ITEMS, TEXTS))
        await pilot.press("x", "x", "x")
        assert any("no command matches" in line for line in screen_lines(app))
        await pilot.press("escape")
        await pilot.pause()
        assert app.result is None


async def test_the_screen_below_is_dimmed_but_its_title_is_not() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, ConfirmOverlay("overwrite?", "a.csv exists", ["cancel", "overwrite"]))
        strips = app.screen._compositor.render_strips()
        colours = [next(segment.style for segment in strip if "text" in segment.text) for strip in strips[:2]]
        names = [style.color.name for style in colours if style is not None and style.color is not None]
        assert names[0] == "#d75f5f"
        assert names[1] == "#585858"
        assert strips[1].text.startswith(BELOW)


async def test_the_safe_answer_is_the_default_and_what_leaving_means() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        for keys, answer in ((["enter"], 0), (["q"], 0), (["right", "enter"], 1), (["tab", "escape"], 0)):
            await opened(app, pilot, ConfirmOverlay("overwrite?", "a.csv exists", ["cancel", "overwrite"]))
            await pilot.press(*keys)
            await pilot.pause()
            assert app.result == answer


COLUMNS = [
    ChoiceItem("name", "Op Name", "text", True),
    ChoiceItem("type", "OP Type", "text", True),
    ChoiceItem("wait", "Wait"),
]


async def test_checklist_returns_what_is_on_in_its_order() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, ChoiceOverlay("columns", COLUMNS, checks=True, note="space shows or hides"))
        await pilot.press("G", "space", "K", "K", "down", "space", "enter")
        await pilot.pause()
        assert app.result == ("wait", "type")


async def test_menu_returns_the_chosen_one() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, ChoiceOverlay("copy as", COLUMNS))
        await pilot.press("j", "enter")
        await pilot.pause()
        assert app.result == ("type",)


async def test_a_menu_longer_than_the_terminal_scrolls() -> None:
    app = OverlayApp()
    async with app.run_test(size=(60, 15)) as pilot:
        items = [ChoiceItem(str(at), f"column {at}") for at in range(50)]
        await opened(app, pilot, ChoiceOverlay("columns", items, checks=True))
        await pilot.press("G")
        await pilot.pause()
        assert any("column 49" in line for line in screen_lines(app))


async def test_help_searches_and_closes() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        groups = [HelpGroup("move", [("← →", "event, lane")]), HelpGroup("any time", [("&", "filter"), ("q", "close")])]
        texts = HelpTexts("Ops keys", "type to search", "q closes", "nothing found")
        await opened(app, pilot, HelpOverlay(groups, texts))
        text = "\n".join(screen_lines(app))
        assert "Ops keys" in text
        assert "event, lane" in text
        await pilot.press(*"filt")
        text = "\n".join(screen_lines(app))
        assert "filter" in text
        assert "event, lane" not in text
        await pilot.press("q")
        assert "nothing found" in "\n".join(screen_lines(app))
        await pilot.press("escape")
        await pilot.pause()
        assert app.result is None


async def test_prompt_types_what_would_be_keys() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(PromptLine).open("&")
        await pilot.press(*"q3", "space", "x", "enter")
        await pilot.pause()
        assert app.heard[-1] == ("accepted", "q3 x")
        assert app.digits == 0


async def test_prompt_history_completion_and_leaving() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        prompt = app.query_one(PromptLine)
        prompt.open(":", "", ["sort name"], lambda text, _caret: [text + "bands", text + "bound"] if text == "" else [])
        await pilot.press("up")
        assert prompt.text == "sort name"
        await pilot.press("down", "tab")
        assert prompt.text == "bands"
        await pilot.press("tab")
        assert prompt.text == "bound"
        await pilot.press("tab", "shift+tab")
        assert prompt.text == "bound"
        await pilot.press("escape")
        await pilot.pause()
        assert app.heard[-1] == ("left", "bound")


async def test_prompt_shows_what_is_wrong_and_where() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        prompt = app.query_one(PromptLine)
        prompt.open("&", "dur>1x")
        prompt.set_error("unknown unit x", 5)
        await pilot.pause()
        strip = prompt.render_line(0)
        assert strip.text.startswith(" &dur>1x")
        assert strip.text.rstrip().endswith("unknown unit x")
        marked = [segment.text for segment in strip if segment.style is not None and segment.style.underline]
        assert marked == ["x"]
        await pilot.press("backspace")
        assert not any(segment.style is not None and segment.style.underline for segment in prompt.render_line(0))


async def test_a_bar_is_one_line() -> None:
    app = OverlayApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(PromptLine).open(":")
        await pilot.pause()
        assert all(bar.size.height == 1 for bar in app.query(Bar))


async def test_keys_that_mean_nothing_to_an_overlay_do_nothing() -> None:
    confirm = ConfirmOverlay("overwrite?", "a.csv exists", ["cancel", "overwrite"])
    for overlay in (ChoiceOverlay("columns", COLUMNS), confirm):
        app = OverlayApp()
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(app, pilot, overlay)
            await pilot.press("v", "left_square_bracket", "X", "f5", "ctrl+r")
            await pilot.pause()
            assert app.screen is overlay
            assert app.result is NOTHING

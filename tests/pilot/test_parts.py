"""Lines painted in parts: of a change only the cells of the part that changed are sent."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from widgets.parts import FACTS_CELLS, FactsPane, PartedHead
from widgets.pieces import Line, Piece
from widgets.roles import dress

STARTS = (0, 10, 40, 50)


def facts(*pairs: tuple[str, str]) -> list[Line]:
    return [
        [Piece("label".ljust(10), "muted"), Piece(one.ljust(30)), Piece("other".ljust(10), "muted"), Piece(two)]
        for one, two in pairs
    ]


class PartsApp(App[None]):
    CSS = "FactsPane { height: 4; }"

    def __init__(self) -> None:
        super().__init__()
        dress(self)

    def compose(self) -> ComposeResult:
        yield PartedHead()
        yield FactsPane()

    @property
    def head(self) -> PartedHead:
        return self.query_one(PartedHead)

    @property
    def pane(self) -> FactsPane:
        return self.query_one(FactsPane)

    @property
    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]


class Sent:
    """What is sent to the terminal meanwhile."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self._pilot = pilot
        self._texts: list[str] = []
        self._patch = pytest.MonkeyPatch()

    async def __aenter__(self) -> list[str]:
        await self._pilot.pause()
        self._patch.setattr(HeadlessDriver, "is_headless", property(lambda _driver: False))
        self._patch.setattr(HeadlessDriver, "write", lambda _driver, data: self._texts.append(data))
        return self._texts

    async def __aexit__(self, *_error: object) -> None:
        await self._pilot.pause()
        await self._pilot.pause()
        self._patch.undo()


async def shown(app: PartsApp, pilot: Pilot[None]) -> None:
    app.head.set_content("title", "facts")
    app.pane.set_starts(STARTS)
    app.pane.set_lines(facts(("one", "two"), ("three", "four")))
    await pilot.pause()
    await pilot.pause()


async def test_the_parts_make_whole_lines() -> None:
    app = PartsApp()
    async with app.run_test(size=(100, 10)) as pilot:
        await shown(app, pilot)
        head, first, second, *_rest = app.lines
        assert head.startswith(" title ──")
        assert head.endswith(" facts")
        assert first == f"{'label':10}{'one':30}{'other':10}two"
        assert second.split() == ["label", "three", "other", "four"]
        await pilot.resize_terminal(70, 10)
        await pilot.pause()
        assert app.lines[1].split() == ["label", "one", "other", "two"]
        assert app.lines[0].endswith("facts")


async def test_only_the_column_that_changed_is_sent() -> None:
    app = PartsApp()
    async with app.run_test(size=(100, 10)) as pilot:
        await shown(app, pilot)
        async with Sent(pilot) as sent:
            app.pane.set_lines(facts(("one", "2"), ("three", "four")))
        text = "".join(sent)
        assert "2" in text
        assert not any(word in text for word in ("label", "one", "other", "three", "four"))
        async with Sent(pilot) as sent:
            app.pane.set_lines(facts(("one", "2"), ("three", "four")))
        assert "".join(sent) == ""


async def test_facts_of_a_head_line_do_not_send_its_title() -> None:
    app = PartsApp()
    async with app.run_test(size=(100, 10)) as pilot:
        await shown(app, pilot)
        async with Sent(pilot) as sent:
            app.head.set_content("title", "ended")
        text = "".join(sent)
        assert "ended" in text
        assert "title" not in text
        assert text.count("─") < FACTS_CELLS
        async with Sent(pilot) as sent:
            app.head.set_content("titles", "ended")
        assert "ended" not in "".join(sent)


async def test_fewer_and_more_columns() -> None:
    app = PartsApp()
    async with app.run_test(size=(100, 10)) as pilot:
        await shown(app, pilot)
        for starts in ((0,), (0, 20), STARTS, (0, 10, 90, 120)):
            app.pane.set_starts(starts)
            app.pane.set_lines(facts((f"at {starts[-1]}", "b")))
            await pilot.pause()
            await pilot.pause()
            assert app.lines[1].split() == ["label", "at", str(starts[-1]), "other", "b"]


async def test_it_scrolls() -> None:
    app = PartsApp()
    async with app.run_test(size=(100, 10)) as pilot:
        await shown(app, pilot)
        app.pane.set_lines(facts(*((f"row {at}", "x") for at in range(9))))
        app.pane.action_last()
        await pilot.pause()
        await pilot.pause()
        assert "row 8" in app.lines[4]

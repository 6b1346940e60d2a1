"""A pane of lines in a running application: only what looks different is sent to the terminal."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from widgets.lines import LinesPane
from widgets.pieces import Line, Piece, gap
from widgets.roles import dress


def facts(*values: str) -> list[Line]:
    return [[gap(1), Piece(f"label {at}", "muted"), gap(2), Piece(value)] for at, value in enumerate(values)]


class PaneApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        dress(self)

    def compose(self) -> ComposeResult:
        yield LinesPane()

    @property
    def pane(self) -> LinesPane:
        return self.query_one(LinesPane)


async def sent_by(app: PaneApp, pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch, lines: list[Line]) -> str:
    texts: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(HeadlessDriver, "is_headless", property(lambda _driver: False))
        patch.setattr(HeadlessDriver, "write", lambda _driver, data: texts.append(data))
        app.pane.set_lines(lines)
        await pilot.pause()
        await pilot.pause()
    return "".join(texts)


async def test_lines_that_stay_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    app = PaneApp()
    async with app.run_test(size=(80, 10)) as pilot:
        app.pane.set_lines(facts("alpha", "beta", "gamma"))
        await pilot.pause()
        await pilot.pause()
        sent = await sent_by(app, pilot, monkeypatch, facts("alpha", "other", "gamma"))
        assert "other" in sent
        assert "alpha" not in sent
        assert len(sent) < 120  # neither blank lines nor the blanks at the end
        assert await sent_by(app, pilot, monkeypatch, facts("alpha", "other", "gamma")) == ""
        fewer = await sent_by(app, pilot, monkeypatch, facts("alpha"))
        assert "alpha" not in fewer
        assert [app.pane.render_line(y).text.split() for y in (0, 1)] == [["label", "0", "alpha"], []]


async def test_after_a_resize_all_is_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = PaneApp()
    async with app.run_test(size=(80, 10)) as pilot:
        app.pane.set_lines(facts("alpha", "beta"))
        await pilot.pause()
        await pilot.resize_terminal(60, 6)
        await pilot.pause()
        sent = await sent_by(app, pilot, monkeypatch, facts("alpha", "gone"))
        assert "gone" in sent
        assert app.pane.render_line(1).cell_length == 60

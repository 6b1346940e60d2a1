"""How much of a very large timeline is read: asked before it is read, and by `:window`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from tui.errors import BadExpression, NoSuchTable
from tui.i18n import _
from tui.messages import TimelineChanged
from tui.model.window import window_of
from tui.readers.trace_glance import Glance, glance
from tui.units import GlyphSet, size_text, span_text
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.scoped_app import ScopedApp
    from tui.session import Session


def not_read(found: Glance) -> TimelineChanged:
    """What the timeline screen says until it is decided what is read."""
    reason = _("the timeline is not read: its files have {size}").format(size=size_text(found.bytes_total))
    return TimelineChanged(None, None, reason, _("enter asks again which part of it to read"))


def choose_extent(app: ScopedApp, text: str) -> str:
    """Reads the part of the time that is typed, or all of it; without a text asks. Returns why it cannot, or empty."""
    if app.session is None:
        return _("nothing is open yet")
    if text == "all":
        app.read_part(None)
        return ""
    try:
        if text:
            window_of(text, 0)
    except BadExpression as error:
        return error.message
    app.run_worker(partial(_glance_first, app, app.session, text), thread=True, group="glance", exit_on_error=False)
    return ""


def _glance_first(app: ScopedApp, session: Session, text: str) -> None:
    """Times count from the start of the trace, which a glance finds."""
    try:
        found = glance(session.timeline_request())
    except NoSuchTable as error:
        app.call_from_thread(app.tell, error.message)
        return
    if text:
        app.call_from_thread(app.read_part, window_of(text, found.start_ns))
    else:
        app.call_from_thread(ask_extent, app, found)


def ask_extent(app: ScopedApp, found: Glance) -> None:
    """One device, a part of the time, only tables, or all of it. Leaving means tables only."""
    size = size_text(found.bytes_total)

    def chosen(targets: tuple[str, ...] | None) -> None:
        target = targets[0] if targets else "tables"
        if target.startswith("device:"):
            app.read_part(None, target.partition(":")[2])
        elif target == "window":
            _ask_window(app, found)
        elif target == "tables":
            app.read_tables_only()
        else:
            app.read_part(None)

    hints = [KeyHint("enter", _("read")), KeyHint("esc", _("tables only"))]
    title = _("the timeline has {size}").format(size=size)
    note = _("trace_mib in config.toml raises the size from which on this is asked")
    app.push_screen(ChoiceOverlay(title, extent_items(app, found), note=note, hints=hints), chosen)


def extent_items(app: ScopedApp, found: Glance) -> list[ChoiceItem]:
    """The choices, the small ones first."""
    session = app.session
    devices = session.profile.devices if session is not None and not session.device else ()
    items = [
        ChoiceItem(f"device:{device.id}", f"NPU {device.id}", _("its lanes and those of the host"))
        for device in devices
        if len(devices) > 1
    ]
    if found.length_ns > 0:
        length = span_text(found.length_ns, cast("GlyphSet", app.glyphs.name))
        items.append(ChoiceItem("window", _("a part of the time"), _("of about {length}").format(length=length)))
    items.append(ChoiceItem("tables", _("tables only"), _("the timeline stays unread")))
    items.append(ChoiceItem("all", _("all of it"), size_text(found.bytes_total)))
    return items


def _ask_window(app: ScopedApp, found: Glance) -> None:
    def accept(text: str) -> str:
        try:
            app.read_part(window_of(text, found.start_ns))
        except BadExpression as error:
            return error.message
        return ""

    frame = app.frame
    if frame is not None:
        length = span_text(found.length_ns, cast("GlyphSet", app.glyphs.name))
        note = _("FROM..TO since the start, of about {length}").format(length=length)
        frame.ask(_("read") + " ", "0s..", (), accept=accept, note=note)

"""Screen 1: is the data fit, where did the time go, and where to look next. One page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.widget import Widget

from tui.i18n import _
from tui.screens.frame import Frame
from tui.screens.guide_strip import GUIDE_LINES
from widgets.listpane import ListPane
from widgets.panes import HeadLine, Lines
from widgets.pieces import Piece

if TYPE_CHECKING:
    from tui.messages import OpenFailed, TableChanged
    from tui.overview import OverviewData
    from tui.screens.leads import Lead
    from tui.session import Session
    from widgets.pieces import Line
    from widgets.roles import Look


class OverviewScreen(Frame):
    """The first screen."""

    DIGIT = "1"
    NAME = "Overview"
    FOOTER: ClassVar[tuple[str, ...]] = (
        "open_item",
        "screen",
        "cancel",
        "baseline",
        "run",
        "open_profile",
        "reread",
        "palette",
    )

    def __init__(self) -> None:
        super().__init__()
        self._leads: Sequence[Lead] = ()

    def compose_panes(self) -> Iterable[Widget]:
        """The page, then the list of leads."""
        yield Lines(id="page")
        yield HeadLine(id="leads-head")
        yield ListPane(id="leads")
        yield Lines(id="more")

    def ready(self) -> None:
        """Shows what is known; at first only that it is being read."""
        self.query_one(ListPane).focus()
        self._show()

    def session_opened(self, session: Session) -> None:
        """Files are known."""
        self._show()

    def session_closed(self) -> None:
        """Another profile comes."""
        self._show()

    def table_changed(self, change: TableChanged) -> None:
        """Progress of a load."""
        if self.app.overview is None and self.is_current:
            self._show()

    def on_screen_resume(self) -> None:
        """Progress that was made while another screen was shown."""
        if self.app.overview is None:
            self._show()

    def overview_ready(self) -> None:
        """Everything is known."""
        self._show()

    def findings_changed(self) -> None:
        """The rules have something to say."""
        self._show()

    def guide_changed(self) -> None:
        """The strip takes lines from the list, or gives them back."""
        self.show_frame()
        self._show()

    def open_failed(self, failure: OpenFailed) -> None:
        """Nothing to read."""
        self._show()

    def settings_changed(self) -> None:
        """Other units or bands."""
        self._show()

    def after_resize(self) -> None:
        """Another size has room for more or fewer rows."""
        self._show()

    def _show(self) -> None:
        """Writes the page anew."""
        if not self.is_attached:
            return
        if self.app.overview is None:
            self._show_waiting()
            return
        from tui.screens.overview_page import more_lines, page_lines

        look, size, data = self.query_one("#page", Lines).look, self.size, self.app.overview
        page = page_lines(data, size.width, size.height, look, self.app.bands)
        self.query_one("#page", Lines).set_lines(page)
        strip = self.query_one("#guide", Lines)
        room = max(size.height - 4 - len(page) - 1 - (GUIDE_LINES if strip.display else 0), 3)
        rows = self._list_rows(data, look)[:room]
        self.query_one(ListPane).set_rows(rows)
        rest = room - len(rows) - 1
        self.query_one("#more", Lines).set_lines(more_lines(data, size.width, rest, look) if rest >= 3 else [])

    def _list_rows(self, data: OverviewData, look: Look) -> Sequence[Line]:
        """What to do, as soon as the rules say it; until then what stands out in the numbers, or that it is raw."""
        from tui.screens.run_start import is_raw

        head, found = self.query_one("#leads-head", HeadLine), self.app.findings
        head.display = True
        raw = is_raw(self.app)
        if found is None or not found.findings or raw:
            from tui.screens.leads import lead_rows, leads

            table = self.app.tables.get("ops")
            self._leads = leads(data, table.table if table else None, raw)
            head.set_content(_("where to look next"), _("enter opens"))
            head.set_focused(True)
            return lead_rows(self._leads, self.size.width, look)
        from tui.screens.dismissed import dismissed
        from tui.screens.leads import finding_leads
        from tui.screens.overview_findings import finding_lines, told_findings

        told = told_findings(found, dismissed(self.app))
        self._leads = finding_leads(told)
        head.set_content(_("what to do"), _("5 opens all"))
        head.set_focused(True)
        return finding_lines(told, self.size.width, look)

    def _show_waiting(self) -> None:
        from tui.screens.states import failed_lines, reading_lines

        look = self.query_one("#page", Lines).look
        failure = self.app.failure
        lines = failed_lines(failure, self.size.width, look) if failure else reading_lines(self.app, look)
        self.query_one("#page", Lines).set_lines(lines)
        self.query_one("#leads-head", HeadLine).display = False
        self.query_one(ListPane).set_rows([])
        self.query_one("#more", Lines).set_lines([])

    def steps(self) -> Sequence[Piece]:
        """The verdict."""
        data = self.app.overview
        verdict = {"device-bound": _("device-bound"), "host-bound": _("host-bound")}
        text = verdict.get(data.split.verdict, "") if data is not None and data.split is not None else ""
        return [Piece(text)] if text else []

    def status_left(self) -> Sequence[Piece] | str:
        """How long the reading took."""
        from tui.units import elapsed_text

        return _("everything read in {time}").format(time=elapsed_text(self.app.read_s)) if self.app.read_s else ""

    def status_right(self) -> Sequence[Piece] | str:
        """How many findings there are; a message has the whole line."""
        found = self.app.findings
        if self.app.message_line:
            return ""
        if found is None:
            return _("the rules are running") if self.app.is_judging else ""
        from tui.screens.overview_findings import count_text

        return count_text(found)

    def footer(self) -> Sequence[str]:
        """Stopping is only worth a place while something loads."""
        return [name for name in self.FOOTER if name != "cancel" or self.app.is_loading]

    def can(self, name: str) -> bool:
        """Nothing can be opened before there are leads."""
        if name == "open_item":
            return bool(self._leads)
        return super().can(name)

    def command_copy_command(self, _rest: str) -> str:
        """Copies the shell command that prints what the screen says."""
        self.app.copy_text(self.app.shell_command("report"), _("command"))
        return ""

    def do_open_item(self) -> None:
        """Opens the screen of the lead under the cursor."""
        self.query_one(ListPane).action_open_item()

    def do_up(self) -> None:
        """Lead above."""
        self.query_one(ListPane).action_cursor_up()

    def do_down(self) -> None:
        """Lead below."""
        self.query_one(ListPane).action_cursor_down()

    def do_first(self) -> None:
        """First lead."""
        self.query_one(ListPane).action_first()

    def do_last(self) -> None:
        """Last lead."""
        self.query_one(ListPane).action_last()

    @on(ListPane.Opened)
    def _opened(self, event: ListPane.Opened) -> None:
        from tui.screens.run_start import wish_of

        if 0 <= event.row < len(self._leads):
            lead = self._leads[event.row]
            if lead.digit == "8":
                self.app.run_wish = wish_of(self)
            self.app.follow(lead.digit, lead.target)

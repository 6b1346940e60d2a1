"""The comparison behind the Compare screen: both sides read, compared in a thread, shown when it is whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import work

from tui.baseline import compared
from tui.errors import Cancelled, NotAProfile, ProfileError
from tui.i18n import _
from tui.loading import Loader
from tui.messages import OpenFailed, SessionOpened, TableChanged
from tui.model.comparison import By, Comparison
from tui.screens.states import waiting_lines
from tui.screens.table_screen import TableScreen
from tui.sides import Baseline
from widgets.pieces import Line, Piece, gap

if TYPE_CHECKING:
    from textual.message import Message

    from tui.session import Session


@dataclass(frozen=True)
class Job:
    """What is compared."""

    baseline: Baseline
    current: Session
    by: By


class CompareRuns(TableScreen):
    """Compares the baseline with what is open whenever one of the two is another one, while the screen is looked at."""

    KIND = "compare"

    def __init__(self) -> None:
        super().__init__()
        self.by: By = "name"
        self.comparison: Comparison | None = None
        self.baseline: Session | None = None
        """Side A of what is shown."""
        self._job: Job | None = None
        self._reading: Loader | None = None
        self._progress = ""

    def none_lines(self, reason: str = "", hint: str = "") -> list[Line]:
        """What stands in place of rows while nothing is compared."""
        raise NotImplementedError

    @property
    def is_comparing(self) -> bool:
        """Whether rows are still to come."""
        return self._job is not None and self.comparison is None and bool(self._progress)

    def ready(self) -> None:
        """Compares what there is to compare."""
        self._grid.focus()
        self._arrange()
        self.begin()

    def begin(self) -> None:
        """Compares, unless that is done, under way, or not possible yet."""
        app = self.app
        baseline, session = app.baseline, app.session
        if app.failure is not None:
            self.open_failed(app.failure)
        elif baseline is None or app.is_own_baseline:
            self._drop()
            self._show_none()
        elif session is None or app.overview is None:
            self._grid.set_empty_lines(waiting_lines([app.path.name]))
        elif self._job is None or not self._is_shown(baseline, session):
            self._drop()
            job = self._job = Job(baseline, session, self.by)
            self._tell_progress(job, _("comparing"))
            self._compare(job)
        self.show_frame()

    def _is_shown(self, baseline: Baseline, session: Session) -> bool:
        job = self._job
        if job is None or job.current is not session or job.by != self.by:
            return False
        is_same = job.baseline is baseline or (job.baseline.session is None and job.baseline.path == baseline.path)
        return is_same or (baseline.session is not None and baseline.session in (job.baseline.session, self.baseline))

    def _drop(self) -> None:
        """What was compared goes; what is being compared is not waited for."""
        if self._reading is not None:
            self._reading.abandon()
        self._job = self._reading = self.comparison = self.baseline = None
        self._progress = ""
        self.app.tables.pop(self.KIND, None)
        super().session_closed()

    def _show_none(self, reason: str = "", hint: str = "") -> None:
        self.app.tables[self.KIND] = self._change = TableChanged(self.KIND, None, reason=reason, hint=hint)
        self._grid.set_empty_lines(self.none_lines(reason, hint))
        self._arrange()

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def session_closed(self) -> None:
        """The current side is another one."""
        self._drop()
        self.begin()

    def scope_changed(self) -> None:
        """Other iterations are another side too."""
        self.session_closed()

    def session_opened(self, session: Session) -> None:
        """The current side is known by name."""
        if self.is_current:
            self.begin()

    def overview_ready(self) -> None:
        """Everything of the current side is read."""
        if self.is_current:
            self.begin()

    def baseline_changed(self) -> None:
        """The other side is another one."""
        if self.is_current:
            self.begin()

    def on_screen_resume(self) -> None:
        """Sides may have changed while another screen was shown."""
        super().on_screen_resume()
        self.begin()

    # ── the work ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @work(thread=True, group="compare", exit_on_error=False, description="compare")
    def _compare(self, job: Job) -> None:
        try:
            baseline = self._read(job)
            self._post(self._tell_progress, job, _("comparing"))
            found = compared(baseline, job.current, job.by)
        except ProfileError as error:
            self._post(self._failed, job, error.message, error.hint)
            return
        self._post(self._ended, job, baseline, found)

    def _post(self, function: object, *args: object) -> None:
        if self.app.is_running:
            self.app.call_from_thread(function, *args)  # type: ignore[arg-type]

    def _read(self, job: Job) -> Session:
        """The baseline with what a comparison needs, read by worker processes where that was not done.

        Raises:
            NotAProfile: nothing readable at its path.
            Cancelled: the user stopped it.
        """
        heard: list[Message] = []

        def post(message: Message) -> None:
            if isinstance(message, TableChanged) and message.loading is not None:
                share = f"{message.loading.fraction * 100:.0f}"
                self._post(self._tell_progress, job, _("reading the baseline {share} %").format(share=share))
            elif isinstance(message, (SessionOpened, OpenFailed)):
                heard.append(message)

        loader = self._reading = Loader(job.baseline.path, post, self.app.settings.cache_bytes)
        session = job.baseline.session
        if session is None:
            self._post(self._tell_progress, job, _("reading the baseline"))
            loader.open()
            session = _opened(heard)
        if not (session.is_read("ops") and session.is_read("apis")):
            loader.read_rows(session)
            loader.read_rest(session)
        if loader.cancelled:
            raise Cancelled(_("stopped"), _("R compares again"))
        return session

    def _tell_progress(self, job: Job, text: str) -> None:
        if job is self._job:
            self._progress = text
            self._grid.set_empty_lines([[], [gap(1), Piece(text, "muted")]])
            self.show_status()

    def _failed(self, job: Job, message: str, hint: str) -> None:
        if job is self._job:
            self._progress = ""
            self._show_none(message, hint)
            self.show_frame()

    def _ended(self, job: Job, baseline: Session, comparison: Comparison) -> None:
        if job is not self._job:
            return
        self._progress = ""
        self.comparison, self.baseline, self._reading = comparison, baseline, None
        if job.baseline.session is None:
            self.app.baseline_read(job.baseline, baseline)
        self.app.comparison_made(baseline, job.current, comparison)
        change = self.app.tables[self.KIND] = TableChanged(self.KIND, comparison.table)
        self.table_changed(change)
        self.show_frame()

    def do_cancel(self) -> None:
        """Stops reading the baseline."""
        if self.is_comparing and self._reading is not None:
            self._reading.cancel()
            self.app.tell(_("stopped"))
        else:
            super().do_cancel()

    def do_reread(self) -> None:
        """Reads both sides again."""
        baseline = self.app.baseline
        if baseline is not None and not self.app.is_own_baseline:
            self.app.baseline = Baseline(baseline.path, baseline.name)
        super().do_reread()

    def on_unmount(self) -> None:
        """Nothing goes on behind a closed screen."""
        if self._reading is not None:
            self._reading.abandon()


def _opened(heard: list[Message]) -> Session:
    for message in heard:
        if isinstance(message, SessionOpened):
            return message.session
        if isinstance(message, OpenFailed):
            raise NotAProfile(message.message, message.hint)
    raise Cancelled(_("stopped"), _("R compares again"))

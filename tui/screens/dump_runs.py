"""The comparison behind the Dump screen: started, shown while it grows, stopped; or read from another tool's table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import work

from tui.dump.pair_labels import screen_table
from tui.errors import ProfileError
from tui.i18n import _
from tui.messages import Loading, OpenFailed, TableChanged
from tui.model.dump import CompareProgress, CompareRequest, DumpComparison, PairRow
from tui.screens.dump_table import FIRST_VIEW, comparison_of
from tui.screens.table_screen import TableScreen
from tui.units import elapsed_text, number_text
from widgets.pieces import Line

if TYPE_CHECKING:
    from tui.model.problem import Problem
    from tui.model.table import Table
    from tui.model.view import View
    from tui.screens.frame import Frame
    from tui.store.workers import Running

SHOWN_EVERY_S = 0.5
SHOWN_REST = 4.0
"""Rows that arrive are shown after this time, and after so many times what making their table took."""
ETA_FROM_S = 1.0


def messages_of(screen: Frame, function: Callable[..., Iterator[Any]], *args: object) -> Iterator[Any]:
    """What a worker process sends; why it died is told. For threads."""
    from tui.store.workers import Failed, start, warm

    running = start(function, *args)
    try:
        for message in running.messages():
            if isinstance(message, Failed):
                screen.app.call_from_thread(screen.app.tell, message.reason)
            else:
                yield message
    finally:
        running.close()
    warm()


class DumpRuns(TableScreen):
    """Compares what is asked for in a worker process, and hands its rows to the table as they come."""

    KIND = "dump"

    def __init__(self) -> None:
        super().__init__()
        self.request: CompareRequest | None = None
        """What is shown."""
        self._comparing: Running | None = None
        self._progress: CompareProgress | None = None
        self._problems: tuple[Problem, ...] = ()
        self.took_s = 0.0
        """How long the comparison took; 0 for one that was made before."""
        self._was_moved = False

    @property
    def comparison(self) -> DumpComparison | None:
        """What is shown, as far as it is known."""
        return comparison_of(self._table) if self._table is not None else None

    def first_view(self, table: Table) -> View:
        """Without the inputs that repeat what feeds them."""
        return FIRST_VIEW

    def none_lines(self) -> list[Line]:
        """What stands in place of rows while nothing is open."""
        raise NotImplementedError

    def compared(self) -> None:
        """All rows are there."""

    def ready(self) -> None:
        """Compares what was asked for before the screen was there."""
        self._grid.focus()
        self._arrange()
        if self.app.dump_request is not None:
            self.compare(self.app.dump_request)
        else:
            self._show_none()

    def _show_none(self, reason: str = "") -> None:
        self.app.tables[self.KIND] = self._change = TableChanged(self.KIND, None, reason=reason)
        self._grid.set_empty_lines(self.none_lines())

    def open_failed(self, failure: OpenFailed) -> None:
        """The path may be a dump itself."""
        if self.request is None:
            self._show_none()

    def session_closed(self) -> None:
        """Dumps are no part of the profile: they stay."""

    def scope_changed(self) -> None:
        """They are not limited to iterations of the profile either."""

    def compare(self, request: CompareRequest) -> None:
        """Leaves what is shown and compares something else."""
        self.stop()
        super().session_closed()
        self.request = self.app.dump_request = request
        self.app.dumps_compared(None)
        self._progress, self._problems, self.took_s, self._was_moved = None, (), 0.0, False
        if request.path_b:
            self._compare_in_thread(request)
        else:
            self._read_table(request)
        self.show_frame()

    def stop(self) -> None:
        """Stops what is running; the rows that are there stay."""
        if self._comparing is not None:
            self._comparing.cancel()

    @property
    def is_comparing(self) -> bool:
        """Whether rows are still to come."""
        return self._comparing is not None

    @work(thread=True, group="dump", exit_on_error=False, description="dump")
    def _compare_in_thread(self, request: CompareRequest) -> None:
        from tui.dump.results import compare_in_worker
        from tui.store.workers import Failed

        running = self._comparing = compare_in_worker(request, cap_bytes=self.app.settings.cache_bytes)
        rows: list[PairRow] = []
        last: CompareProgress | None = None
        next_s = 0.0
        try:
            for message in running.messages():
                if isinstance(message, Failed):
                    self._post(self._failed, request, message.reason)
                    continue
                last = message
                rows.extend(message.rows)
                if not message.done and time.monotonic() >= next_s:
                    started_s = time.monotonic()
                    self._post(self._arrived, request, message, self._table_of(request, rows, message, False))
                    next_s = time.monotonic() + max(SHOWN_EVERY_S, SHOWN_REST * (time.monotonic() - started_s))
        finally:
            running.close()
            if self._comparing is running:
                self._comparing = None
        self._post(self._ended, request, last, self._table_of(request, rows, last, last is not None and last.done))

    def _post(self, function: object, *args: object) -> None:
        if self.app.is_running:
            self.app.call_from_thread(function, *args)  # type: ignore[arg-type]

    @staticmethod
    def _table_of(
        request: CompareRequest, rows: list[PairRow], progress: CompareProgress | None, complete: bool
    ) -> Table:
        from tui.dump.divergence import conclude

        problems = progress.problems if progress is not None else ()
        return screen_table(conclude(rows, request, problems, complete))

    def _arrived(self, request: CompareRequest, progress: CompareProgress, table: Table) -> None:
        if request is self.request:
            self._progress = progress
            if table.row_count:
                self.table_changed(TableChanged(self.KIND, table, self._loading(progress)))
            self.show_frame()

    def _loading(self, progress: CompareProgress) -> Loading:
        return Loading(
            self.KIND, Path(progress.current).name, progress.bytes_read, progress.bytes_total, progress.pairs_done,
            progress.elapsed_s,
        )  # fmt: skip

    def _ended(self, request: CompareRequest, progress: CompareProgress | None, table: Table) -> None:
        if request is not self.request:
            return
        self.took_s = progress.elapsed_s if progress is not None else 0.0
        self._progress, self._problems = progress, table.problems
        if not table.row_count:
            problem = next((each for each in table.problems if each.severity == "error"), None)
            self._show_none(problem.what if problem else _("there is nothing to compare"))
            self.show_frame()
            return
        self._show_all(table)

    def _show_all(self, table: Table) -> None:
        change = self.app.tables[self.KIND] = TableChanged(self.KIND, table)
        self.table_changed(change)
        self.app.dumps_compared(self.comparison)
        self.show_frame()  # the summary takes its lines before the grid is scrolled
        self.compared()

    def _failed(self, request: CompareRequest, reason: str) -> None:
        if request is self.request:
            self.app.tell(
                _("comparing stopped: {reason} - the rows so far stay, R compares again").format(reason=reason)
            )

    @work(thread=True, group="dump", exit_on_error=False, description="dump")
    def _read_table(self, request: CompareRequest) -> None:
        from tui.dump_report import existing_comparison

        try:
            table = screen_table(existing_comparison(Path(request.path_a), request.threshold))
        except ProfileError as error:
            self._post(self._unread, request, error.message)
            return
        self._post(self._ended, request, None, table)

    def _unread(self, request: CompareRequest, reason: str) -> None:
        if request is self.request:
            self._show_none(reason)
            self.show_frame()

    def progress_text(self) -> str:
        """How far the comparison is, or how long it took."""
        progress = self._progress
        if progress is None:
            return _("looking at the files") if self.is_comparing else ""
        counts = {"done": number_text(progress.pairs_done, 0), "all": number_text(progress.pairs_total, 0)}
        if self.is_comparing:
            left = progress.left_s if progress.elapsed_s >= ETA_FROM_S else None
            text = _("comparing {done} of {all} operators  {share} %").format(
                share=f"{progress.fraction * 100:.0f}", **counts
            )
            return text if left is None else text + "  " + _("ETA {time}").format(time=elapsed_text(left))
        if not progress.done:
            return _("stopped: {done} of {all} operators compared; R compares again").format(**counts)
        if not self.took_s:
            return _("{all} operators, compared before").format(**counts)
        return _("{all} operators compared in {time}").format(time=elapsed_text(self.took_s), **counts)

    def do_cancel(self) -> None:
        """Stops the comparison; the rows so far stay."""
        if self.is_comparing:
            self.stop()
            self.app.tell(_("stopped; the rows compared so far stay"))
        else:
            super().do_cancel()

    def do_reread(self) -> None:
        """Compares again: files that have changed give other rows."""
        if self.request is not None:
            self.compare(self.request)
        else:
            super().do_reread()

    def on_unmount(self) -> None:
        """Nothing goes on behind a closed screen."""
        self.stop()

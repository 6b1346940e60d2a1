"""Reads a profile for the screens: threads that only wait for worker processes, and post what comes.

Nothing here touches a widget. A load can be cancelled at any block; the rows read so far stay usable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.errors import NoSuchTable, ProfileError
from tui.i18n import _
from tui.messages import (
    LoadFailed,
    Loading,
    OpenFailed,
    OverviewReady,
    RowsCounted,
    SessionOpened,
    TableChanged,
    TimelineChanged,
    TimelineProgressed,
)
from tui.units import number_text

if TYPE_CHECKING:
    from textual.message import Message

    from tui.model.table import Table
    from tui.readers.csv_import import ImportProgress
    from tui.readers.csv_plan import TableRequest
    from tui.readers.timelines import TimelineProgress, TimelineRequest
    from tui.session import Session
    from tui.store.workers import Running

COUNTED_BYTES = 8 << 20
"""Larger tables are not read only to count their rows."""

Post = Callable[["Message"], object]


class Loader:
    """The loads of one open path."""

    def __init__(self, path: Path, post: Post, cache_bytes: int) -> None:
        self.path = path
        self._post = post
        self._cache_bytes = cache_bytes
        self._running: set[Running] = set()
        self.cancelled = False

    @property
    def is_busy(self) -> bool:
        """Whether a worker process is reading."""
        return bool(self._running)

    def cancel(self) -> None:
        """Stops what is running; rows that are there stay."""
        self.cancelled = True
        for running in tuple(self._running):
            running.cancel()

    def abandon(self) -> None:
        """Stops what is running, and nothing more is heard of it: something else is looked at."""
        self._post = lambda _message: None
        self.cancel()

    def open(self) -> None:
        """Finds out what the path holds, and posts the session or why there is none."""
        from tui.session import Session

        try:
            session = Session(self.path)
            session.sources  # noqa: B018 (the discovery happens here, in this thread)
            if not session.profiles:
                problem = session.sources.problems[0] if session.sources.problems else None
                self._post(
                    OpenFailed(problem.what if problem else _("nothing to show"), problem.hint if problem else "")
                )
                return
        except ProfileError as error:
            self._post(OpenFailed(error.message, error.hint))
            return
        self._post(SessionOpened(session))

    def read_rows(self, session: Session) -> None:
        """Operators first: they are what most screens need."""
        self._read(session, "ops")

    def read_rest(self, session: Session) -> None:
        """The timeline's span, the APIs, and what the Overview says."""
        self._scan(session)
        self._read(session, "apis")

    def finish(self, session: Session) -> None:
        """What needs both: types of operators and the Overview."""
        from tui.overview import overview

        self._read(session, "op-types")
        self._post(OverviewReady(overview(session)))
        self._post(RowsCounted(dict(self._counts(session))))

    def read_timeline(self, session: Session) -> None:
        """The timeline, drawn while it is being read."""
        from tui.readers.timelines import timeline_request

        try:
            request = timeline_request(session.profile, session.device, session.iteration)
        except NoSuchTable as error:
            self._post(TimelineChanged(None, None, error.message, error.hint))
            return
        self._import_timeline(request)
        self._post(TimelineProgressed(""))

    def _import_timeline(self, request: TimelineRequest) -> None:
        """Posts what can be drawn: from the store at once, else every time that the worker has more."""
        from tui.readers.timelines import (
            TimelineProgress,
            cached_store,
            finished_timeline,
            import_timeline_to_store,
            partial_timeline,
        )
        from tui.store.rows_store import rows_of
        from tui.store.timeline_store import open_timeline_store

        folder = cached_store(request)
        if folder is not None:
            timeline = open_timeline_store(folder)
            self._post(TimelineChanged(timeline, rows_of(timeline, folder)))
            return
        last, drawn = None, ""
        for message in self._messages(import_timeline_to_store, request, 0.5, self._cache_bytes):
            if not isinstance(message, TimelineProgress):
                self._post(LoadFailed(Path(request.parts[0].path).name, message.reason))
                continue
            last = message
            self._post(TimelineProgressed(_timeline_text(message)))
            if message.partial and message.partial != drawn and not message.done:
                drawn = message.partial
                part = partial_timeline(message)
                if part is not None:
                    self._post(TimelineChanged(part, rows_of(part, None)))
        if last is not None:
            timeline = finished_timeline(last)
            self._post(TimelineChanged(timeline, rows_of(timeline, Path(last.folder) if timeline.complete else None)))

    def _counts(self, session: Session) -> Iterator[tuple[str, int]]:
        """Rows of the small tables that no screen has asked for, by path."""
        from tui.readers.counts import RowCount, row_counts
        from tui.readers.select import table_kinds, table_request

        requests = [
            table_request(session.profile, kind) for kind in table_kinds(session.profile) if not session.is_read(kind)
        ]
        sizes = {str(file.path): file.size_bytes for file in session.profile.files}
        small = [
            request for request in requests if sum(sizes.get(part.path, 0) for part in request.parts) <= COUNTED_BYTES
        ]
        if small:
            for message in self._messages(row_counts, small, self._cache_bytes):
                if isinstance(message, RowCount):
                    yield message.path, message.rows

    def _read(self, session: Session, kind: str) -> None:
        from tui.readers.select import table_request
        from tui.readers.tables import cached_table

        if session.is_read(kind):
            self._post(TableChanged(kind, session.table(kind)))
            return
        try:
            request = table_request(session.profile, kind, session.device, session.iteration)
        except NoSuchTable as error:
            self._recompute(session, kind, error)
            return
        table = cached_table(request)
        if table is None:
            table = self._import(kind, request)
        self._post(TableChanged(kind, session.offer(kind, table) if table is not None else None))

    def _recompute(self, session: Session, kind: str, error: NoSuchTable) -> None:
        try:
            self._post(TableChanged(kind, session.table(kind)))
        except NoSuchTable:
            self._post(TableChanged(kind, None, reason=error.message, hint=error.hint))

    def _import(self, kind: str, request: TableRequest) -> Table | None:
        """Imports in a worker process; what has arrived is posted again and again. None when nothing came."""
        from tui.readers.csv_import import ImportProgress
        from tui.readers.tables import import_to_store, partial_table, table_in

        table: Table | None = None
        for message in self._messages(import_to_store, request, 0.2, self._cache_bytes):
            if not isinstance(message, ImportProgress):
                self._post(LoadFailed(_loading_name(request), message.reason))
            elif message.done:
                return table_in(Path(message.layout.folder))
            else:
                table = _mapped(partial_table, message) or table
                self._post(TableChanged(kind, table, _loading(kind, request, message)))
        return table

    def _messages(self, function: Callable[..., Iterator[Any]], *args: object) -> Iterator[Any]:
        """What a worker process sends until it ends or is cancelled."""
        from tui.store.workers import start

        running = start(function, *args)
        self._running.add(running)
        try:
            if self.cancelled:
                running.cancel()
            yield from running.messages()
        finally:
            self._running.discard(running)
            running.close()

    def _scan(self, session: Session) -> None:
        """Scans the timelines in a worker process, for the span and for API calls that no file counts."""
        from tui.readers.trace_scan import TraceSummary, scan_trace_steps

        found = []
        for file in session.trace_files():
            for message in self._messages(scan_trace_steps, file.path):
                if isinstance(message, TraceSummary):
                    found.append(message)
        session.offer_trace(tuple(found))


def _mapped(partial_table: Callable[[ImportProgress], Table], progress: ImportProgress) -> Table | None:
    """The rows so far; None when the store went away because the import started over."""
    try:
        return partial_table(progress)
    except OSError:
        return None


def _timeline_text(progress: TimelineProgress) -> str:
    """`reading 43 %  2 100 000 events`, then how far the sorting is."""
    if progress.sorting > 0:
        return _("sorting {share} %").format(share=f"{progress.sorting * 100:.0f}")
    events = number_text(progress.events, 0)
    return _("reading {share} %  {n} events").format(share=f"{progress.fraction * 100:.0f}", n=events)


def _loading_name(request: TableRequest) -> str:
    return Path(request.parts[0].path).name if request.parts else request.kind


def _loading(kind: str, request: TableRequest, progress: ImportProgress) -> Loading:
    return Loading(
        kind, _loading_name(request), progress.bytes_read, progress.bytes_total, progress.rows, progress.elapsed_s
    )

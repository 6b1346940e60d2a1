"""Reads a profile for the screens: threads that only wait for worker processes, and post what comes.

Nothing here touches a widget. A load can be cancelled at any block; the rows read so far stay usable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.errors import NoSuchTable, ProfileError
from tui.i18n import _, ngettext
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
    TimelineTooLarge,
)
from tui.units import elapsed_text, number_text

if TYPE_CHECKING:
    from textual.message import Message

    from tui.model.steps import Steps
    from tui.model.table import Table
    from tui.model.timeline import Timeline
    from tui.readers.csv_import import ImportProgress
    from tui.readers.csv_plan import TableRequest
    from tui.readers.timelines import TimelineProgress, TimelineRequest
    from tui.readers.trace_glance import Glance
    from tui.session import Session
    from tui.store.workers import Running

ETA_FROM_S = 2.0
"""Before this time the rest of an import cannot be told."""
COUNTED_BYTES = 8 << 20
"""Larger tables are not read only to count their rows."""

DUMP_KINDS = ("npu", "npy", "golden_npy", "stats")
"""Files that are surely parts of a dump; a headerless one could be anything."""
PROGRESS_EVERY_S = 0.4
"""Each progress costs the screen a hundredth of a second, which the workers miss where they have all processors."""

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

    def open(self, device: str = "", window: str = "") -> None:
        """Finds out what the path holds, and posts the session or why there is none.

        Args:
            device: The one to look at; empty takes all.
            window: Part of the time to read of the timeline, as typed; empty takes all of it.
        """
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
            if session.profile.kind == "foreign":
                dumps = _dumps_at(self.path)
                if dumps is not None:
                    self._post(dumps)
                    return
            if device or window:
                session.narrow(device, window)
        except ProfileError as error:
            self._post(_dumps_at(self.path) or OpenFailed(error.message, error.hint))
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

    def tell_overview(self, session: Session) -> None:
        """The Overview again, when the timeline may say more."""
        from tui.overview import overview

        self._post(OverviewReady(overview(session)))

    def read_timeline(self, session: Session, most_bytes: int | None = None) -> None:
        """The timeline, drawn while it is being read.

        Args:
            most_bytes: A larger one that is not in the store is not read: `TimelineTooLarge` asks what to do.
        """
        try:
            request = session.timeline_request()
        except NoSuchTable as error:
            self._post(TimelineChanged(None, None, error.message, error.hint))
            return
        if most_bytes is not None and not session.takes_any_size and self._is_too_large(request, most_bytes):
            return
        self._import_timeline(session, request)
        self._post(TimelineProgressed(""))

    def _is_too_large(self, request: TimelineRequest, most_bytes: int) -> bool:
        from tui.readers.timelines import cached_store
        from tui.readers.trace_glance import glance, trace_bytes

        too_large = trace_bytes(request) > most_bytes and cached_store(request) is None
        if too_large:
            self._post(TimelineTooLarge(glance(request)))
        return too_large

    def _import_timeline(self, session: Session, request: TimelineRequest) -> None:
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
            session.offer_timeline(timeline)
            self._post(TimelineChanged(timeline, rows_of(timeline, folder)))
            return
        last, drawn = None, ""
        unread = _Unread(request)
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
                    self._post(TimelineChanged(part, rows_of(part, None), unread=unread.of(part)))
        if last is not None:
            timeline = finished_timeline(last)
            session.offer_timeline(timeline)
            rows = rows_of(timeline, Path(last.folder) if timeline.complete else None)
            self._post(TimelineChanged(timeline, rows, unread=unread.of(timeline)))

    def steps(self, session: Session) -> tuple[Steps, tuple[int, int]]:
        """The iterations: by the timeline, else by a step trace, which a worker process reads; and the whole run."""
        if not session.has_steps_in_timeline:
            self._read_if_any(session, "steps")
        return session.steps()

    def read_for_rules(self, session: Session) -> None:
        """The step trace, which only rules need besides what is read for the screens."""
        if not session.is_read("steps"):
            self._read_if_any(session, "steps")

    def _read_if_any(self, session: Session, kind: str) -> None:
        from tui.readers.select import table_request

        with suppress(NoSuchTable):
            table_request(session.profile, kind, session.device, session.iteration)
            self._read(session, kind)

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
        for message in self._messages(import_to_store, request, PROGRESS_EVERY_S, self._cache_bytes):
            if not isinstance(message, ImportProgress):
                self._post(LoadFailed(_loading_name(request), message.reason))
            elif message.done:
                return table_in(Path(message.layout.folder))
            else:
                table = _mapped(partial_table, message) or table
                self._post(TableChanged(kind, table, _loading(kind, request, message)))
        return table

    def _take_stored(self, session: Session) -> None:
        """Takes the timeline where it was imported earlier."""
        from tui.readers.timelines import cached_timeline

        with suppress(NoSuchTable):
            stored = cached_timeline(session.timeline_request())
            if stored is not None:
                session.offer_timeline(stored)

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
        """The span, and API calls that no file counts: of the imported timeline, else scanned in a worker process."""
        from tui.readers.trace_scan import TraceSummary, scan_trace_steps
        from tui.readers.trace_stored import stored_summary

        self._take_stored(session)
        found = []
        for file in session.trace_files():
            stored = stored_summary(file)
            if stored is not None:
                found.append(stored)
                continue
            for message in self._messages(scan_trace_steps, file.path):
                if isinstance(message, TraceSummary):
                    found.append(message)
        session.offer_trace(tuple(found))


def _dumps_at(path: Path) -> OpenFailed | None:
    """What to say of a path that holds operator dumps, or the table of a comparison; None for anything else."""
    from tui.dump.folder import list_dumps
    from tui.dump.tables import read_comparison

    if path.is_file() and path.suffix.lower() == ".csv":
        rows = len(read_comparison(path).rows)
        found = ngettext("a comparison of {n} tensor", "a comparison of {n} tensors", rows)
    else:
        entries = list_dumps(path).entries if path.is_dir() else ()
        rows = sum(entry.kind in DUMP_KINDS for entry in entries)
        found = ngettext("{n} operator dump", "{n} operator dumps", rows)
    if not rows:
        return None
    text = _("{path} is no profile: it holds {what}").format(path=path, what=found.format(n=number_text(rows, 0)))
    return OpenFailed(text, "", is_dump=True)


class _Unread:
    """Which times an import has not read; looks at the files when it is first asked."""

    def __init__(self, request: TimelineRequest) -> None:
        self._request = request
        self._glance: Glance | None = None

    def of(self, timeline: Timeline) -> tuple[tuple[int, int], ...]:
        """Those that are missing in a timeline."""
        from tui.readers.trace_glance import glance, unread

        if timeline.complete:
            return ()
        self._glance = self._glance or glance(self._request)
        window = (self._request.start_ns, self._request.end_ns)
        return unread(self._glance.samples, timeline.bytes_read, window)


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
    events, share = number_text(progress.events, 0), f"{progress.fraction * 100:.0f}"
    text = _("reading {share} %  {n} events").format(share=share, n=events)
    if progress.elapsed_s < ETA_FROM_S or not progress.bytes_read:
        return text
    left_s = progress.elapsed_s * (progress.bytes_total - progress.bytes_read) / progress.bytes_read
    return f"{text}  " + _("{time} left").format(time=elapsed_text(max(left_s, 1.0)))


def _loading_name(request: TableRequest) -> str:
    return Path(request.parts[0].path).name if request.parts else request.kind


def _loading(kind: str, request: TableRequest, progress: ImportProgress) -> Loading:
    return Loading(
        kind, _loading_name(request), progress.bytes_read, progress.bytes_total, progress.rows, progress.elapsed_s
    )

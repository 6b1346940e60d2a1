"""What is open now: a path, one of its profiles, the tables read so far. Screens and commands ask only here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.choice import Choice
from tui.errors import NoSuchTable, ProfileError
from tui.i18n import _
from tui.model.iterations import StepScope, check_exported, exported_steps, rows_within, step_scope, steps_of_rows
from tui.model.sources import SourceFile
from tui.model.split import Span, span_of_rows
from tui.model.timeline_tables import TIMELINE_KINDS, timeline_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.model.finding import Findings
    from tui.model.gaps import DeviceTime
    from tui.model.lod import Rows
    from tui.model.steps import Steps
    from tui.model.table import Table
    from tui.model.timeline import Timeline
    from tui.readers.timelines import TimelineProgress
    from tui.readers.trace_scan import ApiSpan, TraceSummary

SCAN_LIMIT_BYTES = 256 << 20
"""Timelines larger than this are not scanned for their span alone; rows and calls tell it then."""


_JUDGED = ("ops", "apis", "steps")
"""Tables that findings are about."""
_SPANNING = ("acl", "ops", "tasks")
"""Tables whose rows tell the span of a profile without a timeline, first hit wins."""


class Session(Choice):
    """One open path. Discovery and tables are read when first asked for, and kept."""

    def __init__(
        self,
        path: Path,
        cache_bytes: int | None = None,
        watch: Callable[[TimelineProgress], None] | None = None,
    ) -> None:
        """
        Args:
            cache_bytes: Size cap of the column store; 0 keeps nothing between runs, None takes the default.
            watch: Told how far the import of a timeline is. With it API calls of timelines too large for a scan are
                counted too, by importing those: for commands, which may wait.
        """
        super().__init__(path)
        self._cache_bytes = cache_bytes
        self._watch = watch
        self._tables: dict[str, Table] = {}
        self._span: Span | None = None
        self._trace: tuple[TraceSummary, ...] | None = None
        self._timeline: Timeline | None = None
        self._findings: Findings | None = None

    def scoped(self, profile: int | None = None, device: str | None = None, iteration: str | None = None) -> Session:
        """The same path, looked at otherwise; loads that still fill this session do not disturb the new one."""
        other = Session(self.path, self._cache_bytes, self._watch)
        other._sources, other._chosen = self._sources, self._chosen
        other.device, other.iteration, other.within = self.device, self.iteration, self.within
        other.window, other.takes_any_size = self.window, self.takes_any_size
        other.choose(profile, device, iteration)
        return other

    def windowed(self, window: tuple[int, int] | None) -> Session:
        """The same files; of the timeline only a part of the time is read, which may be of any size."""
        other = self.scoped()
        other.window, other.takes_any_size = window, True
        return other

    def limited(self, within: StepScope | None) -> Session:
        """The same files, looked at only within some iterations; timelines that are read stay so."""
        other = self.scoped()
        other.within, other._trace, other._timeline = within, self._trace, self._timeline
        return other

    def limit_to(self, iterations: str) -> None:
        """Looks only at some iterations, for commands: reads whatever tells them apart.

        Args:
            iterations: As `parse_steps` reads them.

        Raises:
            BadExpression: the text cannot be read, or there are no such iterations.
        """
        if self.profile.iterations:
            check_exported(self.profile.iterations, iterations)
            self.choose(iteration=iterations)
        else:
            self._tables.clear()
            self.optional_timeline()
            steps, run = self.steps()
            self.within = step_scope(steps, iterations, run)

    @property
    def has_steps_in_timeline(self) -> bool:
        """Whether the timeline, if it is read, marks iterations."""
        from tui.model.steps import steps_of

        return self._timeline is not None and len(steps_of(self._timeline)) > 0

    def steps(self) -> tuple[Steps, tuple[int, int]]:
        """The iterations of the timeline, if it is read, else of the step trace; (start, end) of the whole run."""
        from tui.model.steps import steps_of

        timeline = self._timeline
        steps = steps_of(timeline) if timeline is not None else None
        if steps is None or not len(steps):
            steps = steps_of_rows(self.optional("steps") if self.profile.files_of("steps") else None)
        if timeline is not None and len(timeline):
            return steps, (timeline.start_ns_min, timeline.end_ns_max)
        return steps, (int(steps.start_ns.min()), int(steps.end_ns.max())) if len(steps) else (0, 0)

    def forget(self) -> None:
        """Drops what was read from tables and timelines; the next question reads again."""
        self._tables.clear()
        self._span = self._trace = self._timeline = self._findings = None

    def reread(self) -> None:
        """Drops everything, the discovery included."""
        self._sources = None
        self._chosen = 0
        self.forget()

    def is_read(self, kind: str) -> bool:
        """Whether `table(kind)` answers at once."""
        return kind in self._tables

    def offer(self, kind: str, table: Table) -> Table:
        """Takes a table that was read elsewhere (by a worker), completes it as `table` would, and returns it."""
        if kind in _SPANNING:
            self._span = None
        if kind in _JUDGED:
            self._unjudge()
        self._tables[kind] = self._finished(kind, table)
        return self._tables[kind]

    def table(self, kind: str) -> Table:
        """The table of a kind: a canonical one, or the kind in a file's name.

        `op-types` and `apis` are recomputed where the profile has no such file; their note says from what. `events`,
        `tracks` and `gaps` are the timeline's, `steps` too where no file counts them.

        Raises:
            NoSuchTable: the profile has none and it cannot be recomputed.
        """
        if kind not in self._tables:
            self.offer(kind, self._opened(kind))
        return self._tables[kind]

    def optional(self, kind: str) -> Table | None:
        """The table of a kind, or None where there is none."""
        try:
            return self.table(kind)
        except NoSuchTable:
            return None

    def _opened(self, kind: str) -> Table:
        if kind == "findings":
            return self._findings_table()
        if kind == "files":
            from tui.model.inventory import files_table

            return files_table(self.sources)
        if kind in TIMELINE_KINDS and kind != "steps":
            return self._timeline_table(kind)
        from tui.readers.select import table_request
        from tui.readers.tables import open_table

        try:
            request = table_request(self.profile, kind, self.device, self.iteration)
        except NoSuchTable:
            if kind == "steps" and self.profile.files_of("timeline"):
                return self._timeline_table(kind)
            rebuilt = self._rebuilt(kind)
            if rebuilt is None:
                raise
            return rebuilt
        return open_table(request) if self._cache_bytes is None else open_table(request, self._cache_bytes)

    def _findings_table(self) -> Table:
        """The findings as a table; its note tells how many rules could not be evaluated.

        Raises:
            NoSuchTable: there is nothing that the rules could be about.
        """
        from tui.model.finding import findings_table

        found = self.findings()
        if not found.says_something:
            message = _("{profile} holds nothing that the rules could be about").format(profile=self.profile.name)
            raise NoSuchTable(message, _("npuscope check says what it holds"))
        return findings_table(found)

    def _timeline_table(self, kind: str) -> Table:
        """A table of the timeline.

        Raises:
            NoSuchTable: there is no timeline, or it holds nothing that the table could be about.
        """
        timeline = self.timeline()
        table = timeline_table(timeline, kind)
        if not table.row_count:
            unreadable = next((problem for problem in timeline.problems if problem.severity != "info"), None)
            if unreadable is not None:
                path = Path(unreadable.path).name
                raise NoSuchTable(f"{path}: {unreadable.what} - {unreadable.consequence}", unreadable.hint)
            if kind == "gaps" and not any(track.layer == "device" for track in timeline.tracks):
                raise NoSuchTable(_("the timeline has no tasks of a device, so it tells no gaps"))
            if kind == "steps":
                raise NoSuchTable(_("nothing in the timeline marks an iteration"))
        return table

    def timeline(self) -> Timeline:
        """The timeline of the chosen device and iteration: from the store, or imported first.

        Raises:
            NoSuchTable: the profile has none.
            ProfileError: no folder can be written to.
        """
        if self._timeline is None:
            from tui.readers.timelines import open_timeline
            from tui.store.cache import DEFAULT_CAP_BYTES

            request = self.timeline_request()
            cap_bytes = DEFAULT_CAP_BYTES if self._cache_bytes is None else self._cache_bytes
            try:
                self._timeline = open_timeline(request, cap_bytes, self._watch)
            except OSError as error:
                message = _("the timeline cannot be imported: {reason}").format(reason=error.strerror or error)
                raise ProfileError(message, _("free some space in the temporary folder")) from error
        return self._timeline

    def timeline_rows(self) -> Rows:
        """The flat rows of the timeline: from the store where they are kept beside it, else laid out.

        Raises:
            NoSuchTable, ProfileError: as `timeline`.
        """
        from tui.readers.timelines import cached_store
        from tui.store.rows_store import rows_of

        timeline = self.timeline()
        return rows_of(timeline, cached_store(self.timeline_request()) if timeline.complete else None)

    def offer_timeline(self, timeline: Timeline) -> None:
        """Takes the timeline that was imported elsewhere (by a worker)."""
        self._timeline = timeline
        self._unjudge()

    @property
    def is_timeline_read(self) -> bool:
        """Whether `timeline` answers at once."""
        return self._timeline is not None

    def findings(self, waits: bool = True) -> Findings:
        """What the rules say about the chosen profile, and which could not be evaluated; kept until it changes.

        Reads operators and APIs where that was not done yet: for a background thread, or a command. Findings about a
        baseline, dumps or tuning come from `tui.gather.findings_of`.

        Args:
            waits: Whether to import a timeline that is not read yet; without, rules about it are not evaluated.
        """
        if self._findings is None:
            from tui.gather import findings_of

            self._findings = findings_of(self, waits=waits)
        return self._findings

    def offer_findings(self, findings: Findings) -> None:
        """Takes findings that were made elsewhere, such as those that know a baseline too."""
        self._unjudge()
        self._findings = findings

    def _unjudge(self) -> None:
        """Drops the findings: what they are about has changed."""
        self._findings = None
        self._tables.pop("findings", None)

    def device_times(self) -> tuple[DeviceTime, ...]:
        """Where the time of the devices went by the timeline, if that is read."""
        from tui.model.gaps import device_times

        window = self.within.window if self.within is not None else None
        return device_times(self._timeline, window) if self._timeline is not None else ()

    def optional_timeline(self) -> Timeline | None:
        """The timeline, or None where there is none."""
        try:
            return self.timeline()
        except NoSuchTable:
            return None

    def _rebuilt(self, kind: str) -> Table | None:
        """A statistics table from the rows it would summarise, or None."""
        from tui.model import recompute

        if kind == "op-types":
            ops = self.optional("ops")
            return None if ops is None else recompute.op_types_from_ops(ops, self._kind_of("ops"))
        if kind != "apis":
            return None
        calls = self._calls()
        return recompute.apis_from_timeline(calls, self._timeline_kind()) if calls else None

    def _calls(self) -> list[ApiSpan]:
        """API calls of the timelines, scanned or imported; commands import those that are too large for a scan."""
        from tui.readers.trace_calls import api_calls
        from tui.readers.trace_scan import api_spans_across

        if self.within is not None:
            timeline = self._timeline if self._watch is None else self.optional_timeline()
            return list(api_calls(timeline, self.within.window)) if timeline is not None else []
        if self._watch is not None and not self.trace_files():
            self.optional_timeline()
        timeline = self._stand_in()
        if timeline is not None:
            return list(api_calls(timeline))
        return list(api_spans_across(self.trace()))

    def _kind_of(self, role: str) -> str:
        """Kind in the name of the first used file of a role, for notes."""
        return next((file.kind for file in self.profile.files if file.used and file.role == role), role)

    def _timeline_kind(self) -> str:
        """Kind in the name of the timelines that are scanned."""
        return next((file.kind for file in self.trace_files()), "msprof")

    def _finished(self, kind: str, table: Table) -> Table:
        """A table as the user should see it: rows of the chosen device, API calls counted, shares added."""
        from tui.model import recompute
        from tui.model.columns import of_device

        table = of_device(table, self.device) if self.device and kind not in TIMELINE_KINDS else table
        if kind != "apis":
            return self._within(kind, table)
        table = self._within(kind, table)
        if table.number("time_us") is None and table.number("duration_us") is not None:
            counted = recompute.apis_from_calls(table, "acl")
            table = replace(counted, problems=table.problems, parts=table.parts, complete=table.complete)
        span = self.host_span()
        return recompute.with_shares(table, span.length_ns if span else 0)

    def _within(self, kind: str, table: Table) -> Table:
        """The rows of the chosen iterations; statistics are counted anew from what they sum up."""
        if self.within is None or kind == "steps":
            return table
        limited = rows_within(table, self.within)
        if limited is not None:
            return limited
        rebuilt = self._rebuilt_within(kind, self.within)
        return rebuilt or replace(table, note=_("the whole run: its rows do not tell when they began"))

    def _rebuilt_within(self, kind: str, scope: StepScope) -> Table | None:
        ops = self.optional("ops") if kind == "op-types" else None
        if kind == "op-types" and (ops is None or rows_within(ops, scope) is None):
            return None
        return self._rebuilt(kind)

    def trace_files(self) -> tuple[SourceFile, ...]:
        """Timelines of the chosen scope that tell its span and its API calls: small files that hold something.

        Files of a few kinds repeat what `msprof` and `trace_view` say; they are left out beside those.
        """
        files = [file for file in self.profile.files_of("timeline") if file.size_bytes and self._in_scope(file)]
        return tuple(files) if sum(file.size_bytes for file in files) <= SCAN_LIMIT_BYTES else ()

    @property
    def is_scanned(self) -> bool:
        """Whether `trace` and `span` answer without reading a timeline."""
        return self._trace is not None

    def offer_trace(self, summaries: tuple[TraceSummary, ...]) -> None:
        """Takes the scans of `trace_files` that were made elsewhere."""
        self._trace = summaries
        self._span = None

    def trace(self) -> tuple[TraceSummary, ...]:
        """What one pass over the timelines counted; empty when there are none, or when they are too large for that."""
        if self._trace is None:
            from tui.readers.trace_scan import scan_trace

            self._trace = tuple(scan_trace(file.path) for file in self.trace_files())
        return self._trace

    def _in_scope(self, file: SourceFile) -> bool:
        """Whether a timeline belongs to the chosen device and iteration, and covers all layers where one does."""
        whole = {other.kind for other in self.profile.files_of("timeline")} & {"msprof", "trace_view"}
        exported = self.profile.iterations
        return (
            (not whole or file.kind in whole)
            and (not self.device or not file.device or file.device == self.device)
            and (not file.iteration or file.iteration in exported_steps(exported, self.iteration))
        )

    def span(self) -> Span | None:
        """The time looked at: of the chosen iterations, else of the timeline, of API calls, of operators or tasks."""
        if self.within is not None:
            return Span(*self.within.window, _("iteration {text}").format(text=self.within.text))
        if self._span is None:
            self._span = self._timed_span() or next(filter(None, map(self._rows_span, _SPANNING)), None)
        return self._span

    @property
    def known_span(self) -> Span | None:
        """The span where that is known without reading anything, for screens that must not wait."""
        is_known = self._trace is not None or self._stand_in() is not None
        return self._span or (self._timed_span() if is_known else None)

    def host_span(self) -> Span | None:
        """The span, where it covers the host's calls too: what API times are a share of. Operators do not tell it."""
        if self.within is not None:
            return self.span()
        return self._timed_span() or self._rows_span("acl")

    def _trace_span(self) -> Span | None:
        timed = [summary for summary in self.trace() if summary.span_ns > 0]
        if not timed:
            return None
        start, end = min(summary.start_ns for summary in timed), max(summary.end_ns for summary in timed)
        return Span(start, end, self._timeline_kind())

    def _timed_span(self) -> Span | None:
        """The span of the timelines: as imported where that was done, else as scanned."""
        timeline = self._stand_in()
        if timeline is None:
            return self._trace_span()
        tracks = [track for track in timeline.tracks if track.events]
        start = min((track.start_ns for track in tracks), default=0)
        end = max((track.end_ns for track in tracks), default=0)
        return Span(start, end, self._timeline_kind()) if end > start else None

    def _stand_in(self) -> Timeline | None:
        """The imported timeline, where it tells what a scan would, or no scan can; begin and end are not scanned."""
        timeline, files = self._timeline, self.trace_files()
        if timeline is None or not files:
            return timeline
        if self.window is not None:
            return None
        is_same = set(timeline.files) == {str(file.path) for file in files} and timeline.complete
        return timeline if is_same and "B" not in timeline.summary.events_by_phase else None

    def _rows_span(self, kind: str) -> Span | None:
        table = self.optional(kind)
        return None if table is None else span_of_rows(table, kind if kind == "acl" else self._kind_of(kind))

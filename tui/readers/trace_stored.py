"""What a timeline file holds, by its store where it was imported: the file need not be read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tui.model.sources import SourceFile
from tui.model.timeline import Timeline
from tui.readers.timelines import cached_timeline
from tui.readers.trace_calls import api_calls
from tui.readers.trace_plan import TimelineRequest, TracePart
from tui.readers.trace_scan import TraceSummary, TrackSummary


def stored_summary(file: SourceFile) -> TraceSummary | None:
    """What a scan of the file would say; None where it has no store, or where only a scan tells everything.

    A slice of a cut timeline is scanned for the halves of its flows, a damaged file for its problems; begin and end
    events are not calls for a scan. The busy time of devices is left out: the timeline itself tells it.
    """
    if file.slice is not None:
        return None
    path = str(file.path)
    for scope in dict.fromkeys((file.device, "")):
        timeline = cached_timeline(TimelineRequest((TracePart(path, scope),)))
        if timeline is not None and _tells_all(timeline):
            return _summary(path, timeline)
    return None


def _tells_all(timeline: Timeline) -> bool:
    return timeline.complete and not timeline.problems and "B" not in timeline.summary.events_by_phase


def _summary(path: str, timeline: Timeline) -> TraceSummary:
    known = timeline.summary
    tracks = [track for track in timeline.tracks if track.events]
    return TraceSummary(
        path=path,
        events=known.events,
        events_by_phase=known.events_by_phase,
        flow_pairs=known.flow_pairs,
        flow_pairs_s_with_t=known.flow_pairs_s_with_t,
        first_ts=known.first_ts,
        last_ts=known.last_ts,
        start_ns=min((track.start_ns for track in tracks), default=0),
        end_ns=max((track.end_ns for track in tracks), default=0),
        tracks=tuple(_tracks(timeline)),
        api_spans=tuple(api_calls(timeline)),
        device_busy_ns={},
        recovered=known.recovered,
        lost=known.lost,
        problems=(),
    )


def _tracks(timeline: Timeline) -> Iterator[TrackSummary]:
    for track in timeline.tracks:
        yield TrackSummary(track.process, track.thread, track.pid, track.tid, track.events, 0)
    samples: Counter[tuple[str, str]] = Counter()
    for counter in timeline.counters:
        samples[(counter.process, counter.pid)] += len(counter.times_ns)
    for (process, pid), count in samples.items():
        yield TrackSummary(process, "", pid, "", 0, count)

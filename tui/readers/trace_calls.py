"""API calls of an imported timeline, counted as a scan of its files would count them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.model.timeline import Timeline, Track
from tui.readers.trace_scan import API_PROCESSES, ApiSpan, level_and_name


def api_calls(timeline: Timeline, window: tuple[int, int] | None = None) -> Iterator[ApiSpan]:
    """Calls by name of each lane of the host's APIs; one API may come several times, once for each lane.

    Args:
        window: (start, end) that calls must begin within.
    """
    for track in timeline.tracks:
        if track.process in API_PROCESSES and track.events:
            calls = _begun_within(timeline, track, window)
            if calls.stop > calls.start:
                yield from _calls_of(timeline, track, calls)


def _begun_within(timeline: Timeline, track: Track, window: tuple[int, int] | None) -> slice:
    if window is None:
        return slice(track.first, track.last)
    first, last = np.searchsorted(timeline.start_ns[track.first : track.last], window)
    return slice(track.first + int(first), track.first + int(last))


def _calls_of(timeline: Timeline, track: Track, calls: slice) -> Iterator[ApiSpan]:
    name_ids, codes = np.unique(timeline.name_id[calls], return_inverse=True)
    codes = codes.reshape(-1)
    order = np.argsort(codes, kind="stable")
    durations = np.asarray(timeline.dur_ns[calls])[order]
    counts = np.bincount(codes)
    firsts = np.cumsum(counts) - counts
    sums, least, most = (function.reduceat(durations, firsts) for function in (np.add, np.minimum, np.maximum))
    rows = zip(name_ids.tolist(), counts.tolist(), sums.tolist(), least.tolist(), most.tolist())
    for name_id, count, sum_ns, min_ns, max_ns in rows:
        level, name = level_and_name(timeline.names[int(name_id)], API_PROCESSES[track.process])
        yield ApiSpan(level, name, count, sum_ns, min_ns, max_ns)

"""API calls of an imported timeline, counted as a scan of its files would count them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.model.timeline import Timeline, Track
from tui.readers.trace_scan import API_PROCESSES, ApiSpan, level_and_name


def api_calls(timeline: Timeline) -> Iterator[ApiSpan]:
    """Calls by name of each lane of the host's APIs; one API may come several times, once for each lane."""
    for track in timeline.tracks:
        if track.process in API_PROCESSES and track.events:
            yield from _calls_of(timeline, track)


def _calls_of(timeline: Timeline, track: Track) -> Iterator[ApiSpan]:
    name_ids, codes = np.unique(timeline.name_id[track.first : track.last], return_inverse=True)
    codes = codes.reshape(-1)
    order = np.argsort(codes, kind="stable")
    durations = np.asarray(timeline.dur_ns[track.first : track.last])[order]
    counts = np.bincount(codes)
    firsts = np.cumsum(counts) - counts
    sums, least, most = (function.reduceat(durations, firsts) for function in (np.add, np.minimum, np.maximum))
    rows = zip(name_ids.tolist(), counts.tolist(), sums.tolist(), least.tolist(), most.tolist())
    for name_id, count, sum_ns, min_ns, max_ns in rows:
        level, name = level_and_name(timeline.names[int(name_id)], API_PROCESSES[track.process])
        yield ApiSpan(level, name, count, sum_ns, min_ns, max_ns)

"""5·10⁶ events at today's epoch, 2 ns apart, where a double tells times apart only every 250 ns: all must be there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tui.readers.timelines import (
    TimelineProgress,
    TimelineRequest,
    TracePart,
    finished_timeline,
    import_timeline_to_store,
)
from tui.store import workers

pytestmark = pytest.mark.slow

EVENTS, AT_ONCE, THREADS = 5_000_000, 250_000, 4
START_NS = 1_796_083_200_000_000_000
STEP_NS, DURATION = 2, "0.001"
EVENT = b'{"ph":"X","name":"op","pid":7,"tid":0,"ts":"0000000000000000.000","dur":' + DURATION.encode() + b"},\n"
TID, MICROS = EVENT.index(b'"tid":') + 6, EVENT.index(b'"ts":"') + 6
DIGITS = [*range(MICROS, MICROS + 16), *range(MICROS + 17, MICROS + 20)]
"""Columns of the 19 digits of a time in ns, the point in microseconds between them."""


def block(first: int) -> bytes:
    """The text of `AT_ONCE` events from number `first` on."""
    text = np.tile(np.frombuffer(EVENT, np.uint8), (AT_ONCE, 1))
    numbers = np.arange(first, first + AT_ONCE)
    times = START_NS + STEP_NS * numbers
    for column in reversed(DIGITS):
        times, digit = np.divmod(times, 10)
        text[:, column] = digit + ord("0")
    text[:, TID] = numbers % THREADS + ord("0")
    return text.tobytes()


def test_none_of_five_million_events_is_dropped_or_merged(tmp_path: Path, private_home: Path) -> None:
    path = tmp_path / "msprof.json"
    with path.open("wb") as file:
        file.write(b"[")
        for first in range(0, EVENTS, AT_ONCE):
            file.write(block(first) if first + AT_ONCE < EVENTS else block(first)[:-2])
        file.write(b"]")
    workers.prepare()
    request = TimelineRequest((TracePart(str(path)),))
    *_, last = workers.start(import_timeline_to_store, request, 1.0, 8 << 30, True).messages()
    assert isinstance(last, TimelineProgress)
    found = finished_timeline(last)
    assert found.summary.events_by_phase == {"X": EVENTS}
    assert len(found) == EVENTS
    assert len(found.tracks) == THREADS
    for number, track in enumerate(found.tracks):
        expected = START_NS + STEP_NS * np.arange(number, EVENTS, THREADS)
        np.testing.assert_array_equal(found.start_ns[track.first : track.last], expected)
    assert (np.asarray(found.dur_ns) == 1).all()
    assert not np.asarray(found.overlap).any()
    assert not np.asarray(found.depth).any()

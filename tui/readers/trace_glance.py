"""A glance at traces before they are read: about when they begin and end, and where in the files which times stand."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tui.model.intervals import clipped, merged
from tui.readers.trace_pieces import file_bytes
from tui.readers.trace_plan import TimelineRequest
from tui.readers.trace_times import ns_of_us

MOST_SAMPLES, FEWEST_SAMPLES = 64, 4
"""Places of one file that are looked at, its two ends among them …"""
SAMPLES_IN_ALL = 256
"""… and of all files, as long as they are few."""
SAMPLE_BYTES = 32 << 10
_HEAD_BYTES = 1 << 20
"""Looked at of a packed file, which can only be read from its start."""
_TIME = re.compile(rb'"ts"\s*:\s*"?\s*(\d{1,20}(?:\.\d{1,9})?)')


class Sample(NamedTuple):
    """Times in a short stretch of a file."""

    offset: int
    """Its first byte, counted through all files in their order."""
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Glance:
    """What is known of traces before they are read."""

    bytes_total: int
    samples: tuple[Sample, ...]

    @property
    def start_ns(self) -> int:
        """Earliest time in the samples; 0 when none holds any."""
        return min((sample.start_ns for sample in self.samples), default=0)

    @property
    def end_ns(self) -> int:
        """Latest one."""
        return max((sample.end_ns for sample in self.samples), default=0)

    @property
    def length_ns(self) -> int:
        """About how long the run took."""
        return self.end_ns - self.start_ns


def trace_bytes(request: TimelineRequest) -> int:
    """Size of all files of a request."""
    return sum(file_bytes(Path(part.path)) for part in request.parts)


def glance(request: TimelineRequest) -> Glance:
    """Reads a few MiB, spread over the files; what cannot be read tells nothing."""
    count = min(max(SAMPLES_IN_ALL // len(request.parts), FEWEST_SAMPLES), MOST_SAMPLES)
    samples: list[Sample] = []
    before = 0
    for part in request.parts:
        for offset, text in _texts(Path(part.path), count):
            times = list(_times(text))
            if times:
                samples.append(Sample(before + offset, min(times), max(times)))
        before += file_bytes(Path(part.path))
    return Glance(before, tuple(samples))


def unread(
    samples: Sequence[Sample], bytes_read: int, window: tuple[int | None, int | None] = (None, None)
) -> tuple[tuple[int, int], ...]:
    """(start, end) of the times in which there may be events behind the bytes that were read; disjoint, rising.

    Files are read in their order. Between two neighbouring samples any time between theirs may stand.

    Args:
        window: Nothing before or after this is read at all.
    """
    left = [sample for sample in samples if sample.offset >= bytes_read]
    starts = np.array([min(pair[0].start_ns, pair[1].start_ns) for pair in zip(left, left[1:] or left)], np.int64)
    ends = np.array([max(pair[0].end_ns, pair[1].end_ns) for pair in zip(left, left[1:] or left)], np.int64)
    first, last = window
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    cut = clipped(starts, ends + 1, lowest if first is None else first, highest if last is None else last + 1)
    found = merged(*cut)
    return tuple(zip(found.starts.tolist(), found.ends.tolist()))


def _texts(path: Path, count: int) -> Iterator[tuple[int, bytes]]:
    """(offset, text) of the places of a file that are looked at."""
    with suppress(OSError, EOFError):
        if path.suffix == ".gz":
            with gzip.open(path) as packed:
                yield 0, packed.read(_HEAD_BYTES)
            return
        with path.open("rb") as file:
            last = max(file_bytes(path) - SAMPLE_BYTES, 0)
            for offset in sorted({last * number // (count - 1) for number in range(count)}):
                file.seek(offset)
                yield offset, file.read(SAMPLE_BYTES)


def _times(sample: bytes) -> Iterator[int]:
    """Times in a text, ns; one at its very end may be cut, and zero is no time of a run."""
    for found in _TIME.finditer(sample):
        time = ns_of_us(found[1].decode("ascii"))
        if found.end() < len(sample) and time:
            yield time

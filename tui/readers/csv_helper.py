"""The first worker's side of reading with two processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from tui.readers.csv_plan import Forced, Reinterpret, TableRequest
from tui.readers.csv_rest import Lesson, RestDone, RestProgress, Split, append_rest, import_rest, nominal_split
from tui.readers.csv_sink import Sink, add_part
from tui.store import workers

_WAIT_S = 0.2


class Helper:
    """A worker on the second share of a table."""

    def __init__(self, request: TableRequest, folder: Path, forced: Forced) -> None:
        self._folder = folder / "rest"
        self._folder.mkdir(exist_ok=True)
        self._running = workers.start(import_rest, request, str(self._folder), dict(forced), _WAIT_S)
        self.split: Split | None = None
        self.done: RestDone | None = None
        self.failed = False
        self.bytes_read = 0

    @property
    def working(self) -> bool:
        """Whether it has neither finished nor failed."""
        return self.done is None and not self.failed

    def listen(self, timeout_s: float = 0.0) -> None:
        """Takes in what the helper says.

        Raises:
            Reinterpret: the helper met a cell that contradicts how its column is read.
        """
        for message in self._running.poll(timeout_s):
            if isinstance(message, Split):
                self.split = message
            elif isinstance(message, RestProgress):
                self.bytes_read = message.bytes_read
            elif isinstance(message, RestDone):
                self.done = message
            elif isinstance(message, Lesson):
                raise Reinterpret(message.key, message.how)
        self.failed = self.done is None and self._running.ended

    def close(self) -> None:
        """Ends the helper and removes its rows."""
        self._running.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def shared_parts(sink: Sink, helper: Helper) -> Iterator[int]:
    """Adds all rows of the plan, the helper's share included; yields the bytes read so far by both."""
    reader = _Reader(sink)
    for _place in reader.read_until(nominal_split(sink.plan), whole=False):
        helper.listen()
        yield reader.bytes_read + helper.bytes_read
    while helper.split is None and helper.working:
        helper.listen(_WAIT_S)
        yield reader.bytes_read + helper.bytes_read
    if helper.split is not None:
        for _place in reader.read_until(helper.split, whole=True):
            yield reader.bytes_read + helper.bytes_read
    while helper.working:
        helper.listen(_WAIT_S)
        yield reader.bytes_read + helper.bytes_read
    if helper.done is not None:
        append_rest(sink, helper.done)
        return
    for _place in reader.read_until(Split(len(sink.plan.parts) - 1, sink.plan.parts[-1].size), whole=True):
        yield reader.bytes_read


class _Reader:
    """Adds the files of a plan to a sink, up to one place after another."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._place = Split(0, sink.plan.parts[0].data_start)

    @property
    def bytes_read(self) -> int:
        """Bytes of all files up to the place reached."""
        return sum(part.size for part in self._sink.plan.parts[: self._place.part]) + self._place.offset

    def read_until(self, stop: Split, whole: bool) -> Iterator[Split]:
        """Adds the records up to a place; yields the place behind each block.

        Args:
            whole: Whether a record ends at `stop`. When not, the records that end before it are added.
        """
        start = self._place
        for index in range(start.part, stop.part + 1):
            part = self._sink.plan.parts[index]
            first = start.offset if index == start.part else part.data_start
            last = stop.offset if index == stop.part else part.size
            begins = len(self._sink.parts) <= index
            if begins:
                self._sink.begin(part)
            for offset in add_part(self._sink, part, first, last, whole or last == part.size):
                self._place = Split(index, offset)
                yield self._place
            if last == part.size and (begins or first < last):
                self._sink.end(part)

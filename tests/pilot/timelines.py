"""Traces as a test reads them with nothing but the standard library, and the timeline screen as a user sees it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from tests.pilot.viewer import Viewer
from widgets.canvas_state import CanvasState
from widgets.timeview import TimeView
from widgets.viewport import Span

NO_LINK = 4294967295
LANE_OF_LEVEL = {"AscendCL": "AscendCL", "Model": "GE", "Node": "Node launch", "Runtime": "Runtime"}
RED, YELLOW, TEAL = "#d75f5f", "#d7af00", "#5f8787"
"""Fills of the bands (167, 178 and 66 of 256 colours), in the lane of the cursor."""
TALL_FROM, TALL_DETAILS, DETAILS = 34, 9, 4
"""Lines of the terminal from which on the strip is tall; lines of the strip."""


@dataclass(frozen=True)
class Traced:
    """One slice of a trace file; times since the first one."""

    lane: str
    name: str
    start_ns: int
    dur_ns: int
    link: int

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.dur_ns


@dataclass(frozen=True)
class Trace:
    """All slices of a trace file."""

    events: tuple[Traced, ...]
    origin_ns: int

    @cached_property
    def span_ns(self) -> int:
        return max(event.end_ns for event in self.events)

    def lane(self, title: str) -> list[Traced]:
        """Events of a lane by start."""
        return sorted((event for event in self.events if event.lane == title), key=lambda event: event.start_ns)

    def named(self, name: str) -> Traced:
        """The longest event of a name."""
        return max((event for event in self.events if event.name == name), key=lambda event: event.dur_ns)

    def launches(self, device_event: Traced) -> list[Traced]:
        """Host events that share the connection of a device task."""
        hosts = set(LANE_OF_LEVEL.values())
        return [event for event in self.events if event.link == device_event.link and event.lane in hosts]

    def tasks(self) -> list[Traced]:
        """Device tasks, longest first."""
        found = [event for event in self.events if event.lane.startswith("Stream ")]
        return sorted(found, key=lambda event: (-event.dur_ns, event.start_ns))

    def tasks_during(self, call: Traced) -> list[Traced]:
        """Device tasks that were launched during a call, longest first."""
        return [
            task
            for task in self.tasks()
            if any(call.start_ns <= launch.start_ns < call.end_ns for launch in self.launches(task))
        ]


def exact_ns(microseconds: object) -> int:
    """Whole ns of a time in a trace file, which tells µs as number or text."""
    return int(Decimal(str(microseconds)) * 1000)


def trace_of(profile: Path) -> Trace:
    """What the `msprof_*.json` of a profile in the current layout holds."""
    (path,) = profile.rglob("msprof_*.json")
    entries = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    threads = {
        (entry["pid"], entry["tid"]): entry["args"]["name"] for entry in entries if entry["name"] == "thread_name"
    }
    slices = [entry for entry in entries if entry["ph"] == "X"]
    origin = min(exact_ns(entry["ts"]) for entry in slices)
    return Trace(tuple(_traced(entry, threads, origin) for entry in slices), origin)


def _traced(entry: dict[str, object], threads: dict[tuple[object, object], str], origin_ns: int) -> Traced:
    level, _at, rest = str(entry["name"]).partition("@")
    lane = LANE_OF_LEVEL[level] if rest else threads[entry["pid"], entry["tid"]]
    args = entry["args"]
    assert isinstance(args, dict)
    start, duration = exact_ns(entry["ts"]) - origin_ns, exact_ns(entry["dur"])
    return Traced(lane, rest or level, start, duration, int(args.get("connection_id", NO_LINK)))


def spaced(number: int) -> str:
    """`1 234 567`."""
    return f"{number:,}".replace(",", " ")


def ms_text(time_ns: int) -> str:
    """`95.669555 ms`, as details tell points in time."""
    whole, rest = divmod(time_ns, 1_000_000)
    return f"{spaced(whole)}.{rest:06d} ms"


def length_text(length_ns: int, unit: str = "µs") -> str:
    """A length as details tell it: µs below 10 ms."""
    if length_ns >= 10_000_000:
        return ms_text(length_ns)
    whole, rest = divmod(length_ns, 1000)
    return f"{spaced(whole)}.{rest:03d} {unit}"


# ── traces that tests make ───────────────────────────────────────────────────────────────────────────────────────────

HOST_PID, DEVICE_PID = 100, 200


@dataclass(frozen=True)
class Made:
    """A slice for a made trace; times in ns."""

    name: str
    start_ns: int
    dur_ns: int
    stream: int = 0
    """0 for a call of AscendCL."""
    link: int = NO_LINK

    def entry(self, origin_ns: int) -> dict[str, object]:
        name, pid, tid = (self.name, DEVICE_PID, self.stream) if self.stream else (f"AscendCL@{self.name}", HOST_PID, 1)
        start = origin_ns + self.start_ns
        return {
            "name": name, "ph": "X", "pid": pid, "tid": tid, "ts": f"{start // 1000}.{start % 1000:03d}",
            "dur": self.dur_ns / 1000, "args": {"connection_id": self.link},
        }  # fmt: skip


def _named(kind: str, pid: int, tid: int, text: str) -> dict[str, object]:
    key = "labels" if kind == "process_labels" else "name"
    return {"name": kind, "ph": "M", "pid": pid, "tid": tid, "args": {key: text}}


def trace_text(slices: Sequence[Made], origin_ns: int = 1_717_575_960_000_000_000) -> str:
    """A trace file of the current layout."""
    names = [
        _named("process_name", HOST_PID, 0, "CANN"), _named("process_labels", HOST_PID, 0, "CPU"),
        _named("thread_name", HOST_PID, 1, "Thread 1"), _named("process_name", DEVICE_PID, 0, "Ascend Hardware"),
        _named("process_labels", DEVICE_PID, 0, "NPU"),
        *(_named("thread_name", DEVICE_PID, s, f"Stream {s}") for s in sorted({m.stream for m in slices} - {0})),
    ]  # fmt: skip
    return json.dumps([*names, *(made.entry(origin_ns) for made in slices)], ensure_ascii=False)


def with_trace(sample: Path, target: Path, text: str) -> Path:
    """A copy of a sample profile with another trace in place of its own."""
    profile = Path(shutil.copytree(sample, target))
    (path,) = profile.rglob("msprof_*.json")
    path.write_text(text, encoding="utf-8")
    return profile


# ── the screen ───────────────────────────────────────────────────────────────────────────────────────────────────────


class TimeScreen:
    """The timeline in a running viewer."""

    def __init__(self, viewer: Viewer, origin_ns: int = 0) -> None:
        self.viewer = viewer
        self.origin_ns = origin_ns

    @property
    def time(self) -> TimeView:
        """Axis and lanes."""
        return self.viewer.frame.query_one(TimeView)

    @property
    def state(self) -> CanvasState:
        """What the lanes show."""
        return self.time.state

    @property
    def span(self) -> Span:
        """The window, since the start of the trace."""
        span = self.state.span
        return Span(span.start_ns - self.origin_ns, span.end_ns - self.origin_ns)

    @property
    def head(self) -> str:
        """Head line of the details."""
        tall = len(self.viewer.lines) >= TALL_FROM
        return self.viewer.lines[-3 - (TALL_DETAILS if tall else DETAILS)]

    @property
    def name(self) -> str:
        """What the cursor is on."""
        found = re.match(r"^[ ▸>](.*?) [─-]{2,}", self.head)
        assert found is not None, self.viewer.text
        return found[1]

    @property
    def start_ns(self) -> int:
        """Where the event or idle time under the cursor begins, as the details tell it."""
        found = re.search(r"(?:start|from) +(-?[\d ]+)\.(\d{6}) ms", self.viewer.text)
        assert found is not None, self.viewer.text
        sign = -1 if found[1].startswith("-") else 1
        return int(found[1].replace(" ", "")) * 1_000_000 + sign * int(found[2])

    @property
    def lane(self) -> str:
        """The line of the lane with the cursor."""
        mark = self.viewer.app.glyphs.cursor
        return next((line for line in self.viewer.lines[4:] if line.startswith(mark)), "")

    @property
    def titles(self) -> list[str]:
        """Titles of heads and lanes from top to bottom."""
        gutter = 24 if len(self.viewer.lines[-1]) > 112 or self.viewer.app.size.width >= 112 else 20
        texts = [line[:gutter] for line in self.viewer.lines[4 : 4 + self.time.canvas.size.height]]
        found = [re.sub(r" +(\d+ %|[\d.]+ \S+)? *$", "", text[2:]).strip() for text in texts]
        return [title for title in found if title]

    def line_of(self, title: str) -> int:
        """Row of the screen with a lane."""
        return next(y for y, line in enumerate(self.viewer.lines) if line[2:].startswith(title))

    def x_of(self, time_ns: int) -> int:
        """Column of the screen of a time since the start of the trace."""
        canvas = self.time.canvas
        return canvas.content_region.x + self.state.span.column(self.origin_ns + time_ns, canvas.columns)

    def fill(self, title: str, time_ns: int) -> str:
        """Background colour of a lane at a time."""
        return background(self.viewer, self.x_of(time_ns), self.line_of(title))

    async def to_lane(self, title: str) -> None:
        """Moves the cursor down to a lane."""
        await self.until_lane("j", title)

    async def until_lane(self, key: str, title: str) -> None:
        for _step in range(40):
            if self.lane[2:].startswith(title):
                return
            await self.viewer.press(key)
        raise AssertionError(f"no lane {title}:\n{self.viewer.text}")

    async def command(self, line: str) -> None:
        """Runs a command of the `:` line."""
        await self.viewer.press(":")
        await self.viewer.until(lambda: self.viewer.frame.prompt.display, "the command line")
        await self.viewer.type(line)

    async def find(self, text: str) -> None:
        """Finds an event by its name."""
        await self.viewer.press("/", "ctrl+u")
        await self.viewer.type(text)

    def _is_complete(self) -> bool:
        change = self.viewer.app.timeline
        return change is not None and change.timeline is not None and change.timeline.complete

    async def go(self) -> None:
        """Goes to the timeline and waits until all of it is drawn."""
        await self.viewer.press("2")
        await self.viewer.until(lambda: self.viewer.frame.DIGIT == "2", "the screen")
        await self.viewer.until(self._is_complete, "the timeline")
        await self.viewer.until(lambda: self.state.lane >= 0 and self.lane, "a cursor")
        await self.viewer.pilot.pause()


async def timeline_of(viewer: Viewer, origin_ns: int = 0) -> TimeScreen:
    """The timeline of a viewer that was just started."""
    screen = TimeScreen(viewer, origin_ns)
    await screen.go()
    return screen


def background(viewer: Viewer, x: int, y: int) -> str:
    """Background colour of a cell; empty for none."""
    at = 0
    for segment in viewer.strips[y]:
        at += segment.cell_length
        if x < at:
            color = segment.style.bgcolor if segment.style is not None else None
            return color.get_truecolor().hex if color is not None else ""
    return ""


def whole_ns(trace: Trace) -> int:
    """Length of the window of everything, which holds the last instant too."""
    return trace.span_ns + 1


def about(wanted_ns: int, got_ns: int, tolerance_ns: int = 2) -> bool:
    """Whether two times are equal but for rounding."""
    return abs(wanted_ns - got_ns) <= tolerance_ns


async def on(screen: TimeScreen, event: Traced) -> None:
    """Waits until the details are those of an event."""
    await screen.viewer.shows(r"(?:start|from) +-?[\d ]+\.\d{6} ms")
    await screen.viewer.until(
        lambda: screen.name == event.name and screen.start_ns == event.start_ns, f"{event.name} at {event.start_ns}"
    )

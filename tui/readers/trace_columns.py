"""Decoded trace events → columns. Pieces of usual events go through maps and comprehensions, all others one by one.

Names, lanes and the like become numbers by dictionaries that only grow; their texts are looked up at the end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.readers.trace_pieces import Piece, exact_events
from tui.readers.trace_plan import NO_PLACE, packed_place
from tui.readers.trace_times import durations_ns, ns_of_us, starts_ns

Columns = dict[str, NDArray[Any]]
Places = NDArray[np.int64]
"""Places of some events among those of their piece."""

SLICES = {
    "track": np.int32, "name": np.int32, "start_ns": np.int64, "dur_ns": np.int64, "connection": np.int64,
    "place": np.int64,
}  # fmt: skip
"""Columns of slices; a `dur_ns` below zero marks an instant."""
SPANS = SLICES
"""Begins and ends (`B`, `E`) not yet paired; the name of an end is -1."""
FLOWS = {"track": np.int32, "kind": np.int32, "ts_ns": np.int64, "id_high": np.int64, "id_low": np.int64}
"""Flow ends; `kind` is category · 4 + place in `FLOW_PHASES`."""
SAMPLES = {"series": np.int32, "ts_ns": np.int64, "value": np.float64}
TABLES: dict[str, dict[str, Any]] = {"slices": SLICES, "spans": SPANS, "flows": FLOWS, "samples": SAMPLES}
GROUPED_BY = {"slices": "track", "spans": "track", "flows": "track", "samples": "series"}

FLOW_PHASES = "stf"
INSTANTS = frozenset("iIR")
INSTANT = -1
NO_CONNECTION = 0
_NONE_IDS = (-1, (1 << 32) - 1)
_LOW_BITS = 62
TEXT_ID = -1
"""High part of a flow id that is no number; the low part is then the number of its text."""
_MAX_ID_DIGITS = 37
_NO_ARGS: dict[str, Any] = {}

_key_of_lane = itemgetter("pid", "tid")


class Ids(dict[Any, int]):
    """Numbers of things in order of first appearance."""

    def __missing__(self, key: Hashable) -> int:
        number = self[key] = len(self)
        return number


@dataclass
class Known:
    """What has a number."""

    names: Ids = field(default_factory=Ids)
    tracks: Ids = field(default_factory=Ids)
    """(scope, pid, tid)"""
    series: Ids = field(default_factory=Ids)
    """(scope, pid, name of the counter, key of the series)"""
    categories: Ids = field(default_factory=Ids)
    """(scope, category) of flows"""
    texts: Ids = field(default_factory=Ids)
    """Flow ids that are no numbers."""

    KINDS = ("names", "tracks", "series", "categories", "texts")

    def sizes(self) -> tuple[int, ...]:
        """How many of each kind are known."""
        return tuple(len(getattr(self, kind)) for kind in self.KINDS)

    def since(self, sizes: Sequence[int]) -> dict[str, list[Any]]:
        """What is new of each kind, in order."""
        return {kind: list(getattr(self, kind))[size:] for kind, size in zip(self.KINDS, sizes)}


@dataclass
class Facts:
    """Counted while reading; picklable."""

    events: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    first: tuple[int, str] | None = None
    """Smallest time of a slice, ns and as written."""
    last: tuple[int, str] | None = None
    untimed: int = 0
    strangers: int = 0
    """Members of the list that are no events."""
    metadata: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    """(scope, pid, tid, kind, value) of the names given."""

    def add(self, other: Facts) -> None:
        """Adds what another reader counted."""
        self.events += other.events
        self.phases.update(other.phases)
        self.first = min(filter(None, (self.first, other.first)), default=None)
        self.last = max(filter(None, (self.last, other.last)), default=None)
        self.untimed += other.untimed
        self.strangers += other.strangers
        self.metadata += other.metadata


class Collector:
    """Takes the pieces of one stretch of one file; `tables` gives its columns."""

    def __init__(self, known: Known, part: int, scope: str, window: tuple[int | None, int | None]) -> None:
        self.facts = Facts()
        self._known = known
        self._part = part
        self._scope = scope
        self._window = window
        self._lanes = _Lanes(known.tracks, scope)
        self._series = _Series(known.series, scope)
        self._categories = _Categories(known.categories, scope)
        self._parts: dict[str, list[Columns]] = {name: [] for name in TABLES}

    def add(self, piece: Piece) -> None:
        """Takes the events of one piece."""
        try:
            found = self._columns(piece, piece.events)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            found = self._columns(piece, list(self._cleaned(exact_events(piece))))
        for table, columns in found:
            self._parts[table].append(columns)

    def tables(self) -> dict[str, Columns]:
        """All rows so far, each table in order of its lanes, rows of a lane in file order."""
        return {name: _grouped(name, parts) for name, parts in self._parts.items() if parts}

    def _columns(self, piece: Piece, events: list[Any]) -> list[tuple[str, Columns]]:
        """The columns of a piece; changes nothing but numbers given when it raises."""
        where = _by_phase(events)
        where.pop(_UNUSABLE, None)
        counts = Counter({phase: len(indices) for phase, indices in where.items()})
        facts = Facts(sum(counts.values()), counts)
        found = []
        for phase, indices in where.items():
            chosen = _chosen(events, indices)
            if phase == "X":
                found.append(("slices", self._slices(piece, chosen, indices, facts)))
            elif phase == "C":
                found.append(("samples", self._samples(chosen)))
            elif phase in FLOW_PHASES:
                found.append(("flows", self._flows(chosen, phase)))
            elif phase == "M":
                facts.metadata += [item for event in chosen for item in self._naming(event)]
            elif phase in INSTANTS:
                found.append(("slices", self._instants(piece, chosen, indices)))
        marks = [where[phase] for phase in "BE" if phase in where]
        if marks:
            indices = np.sort(np.concatenate(marks))
            found.append(("spans", self._spans(piece, _chosen(events, indices), indices)))
        self.facts.add(facts)
        return found

    def _slices(self, piece: Piece, events: Sequence[Any], indices: Places, facts: Facts) -> Columns:
        times = [event["ts"] for event in events]
        start_ns, dur_ns = starts_ns(times), durations_ns([event["dur"] for event in events])
        facts.first, facts.last = (
            (int(start_ns[at]), times[at].strip()) for at in (start_ns.argmin(), start_ns.argmax())
        )
        columns = self._slice_columns(piece, events, indices, start_ns, dur_ns)
        return self._windowed(columns, start_ns, start_ns + dur_ns)

    def _instants(self, piece: Piece, events: Sequence[Any], indices: Places) -> Columns:
        start_ns = starts_ns([event["ts"] for event in events])
        columns = self._slice_columns(piece, events, indices, start_ns, np.full(len(events), INSTANT))
        return self._windowed(columns, start_ns, start_ns)

    def _spans(self, piece: Piece, events: Sequence[Any], indices: Places) -> Columns:
        named = [{"name": "", **event} for event in events]
        start_ns = starts_ns([event["ts"] for event in events])
        columns = self._slice_columns(piece, named, indices, start_ns, np.zeros(len(events), np.int64))
        columns["name"][[event["ph"] == "E" for event in events]] = -1
        return columns

    def _slice_columns(
        self, piece: Piece, events: Sequence[Any], indices: Places, start_ns: Any, dur_ns: Any
    ) -> Columns:
        names, lanes = self._known.names, self._lanes
        return {
            "track": np.array([lanes[key] for key in map(_key_of_lane, events)], np.int32),
            "name": np.array([names[event["name"]] for event in events], np.int32),
            "start_ns": start_ns,
            "dur_ns": dur_ns,
            "connection": np.array(
                [event.get("args", _NO_ARGS).get("connection_id", NO_CONNECTION) for event in events], np.int64
            ),
            "place": self._places(piece, indices),
        }

    def _places(self, piece: Piece, indices: Places) -> NDArray[np.int64]:
        if piece.places:
            return np.array([packed_place(self._part, piece.places[i]) for i in indices.tolist()], np.int64)
        if packed_place(self._part, piece.offset, int(indices[-1])) == NO_PLACE:
            return np.full(len(indices), NO_PLACE)
        return packed_place(self._part, piece.offset) + indices

    def _samples(self, events: Sequence[Any]) -> Columns:
        args = [event["args"] for event in events]
        if _UNIT in set(chain.from_iterable(args)):
            events = [_told_apart(event) for event in events]
            args = [event["args"] for event in events]
        ts_ns, kept = starts_ns([event["ts"] for event in events]), self._series
        series = [kept[(event["pid"], event["name"], *event["args"])] for event in events]
        values = np.array(list(chain.from_iterable([values.values() for values in args])), np.float64)
        if set(map(len, args)) != {1}:
            ts_ns = np.repeat(ts_ns, [len(values) for values in args])
        numbers = np.array(list(chain.from_iterable(series)), np.int32)
        return self._windowed({"series": numbers, "ts_ns": ts_ns, "value": values}, ts_ns, ts_ns)

    def _flows(self, events: Sequence[Any], phase: str) -> Columns:
        ts_ns = starts_ns([event["ts"] for event in events])
        lanes, categories = self._lanes, self._categories
        high, low = self._flow_ids([event["id"] for event in events])
        kind = np.array([categories[event.get("cat", "")] for event in events], np.int32) * 4
        return {
            "track": np.array([lanes[key] for key in map(_key_of_lane, events)], np.int32),
            "kind": kind + np.int32(FLOW_PHASES.index(phase)),
            "ts_ns": ts_ns,
            "id_high": high,
            "id_low": low,
        }

    def _flow_ids(self, ids: list[Any]) -> tuple[Any, Any]:
        """Ids as two halves: decimal numbers of any usual length, else the number of the text."""
        kinds = set(map(type, ids))
        if kinds == {int} and min(ids) >= 0 and max(ids) < 1 << _LOW_BITS:
            return np.zeros(len(ids), np.int64), np.array(ids, np.int64)
        if float in kinds:
            raise ValueError("an id that is not exact")
        texts = [str(text) for text in ids]
        numbers = [int(text) if _is_number(text) else -1 - self._known.texts[text] for text in texts]
        high = [number >> _LOW_BITS if number >= 0 else TEXT_ID for number in numbers]
        low = [number & (1 << _LOW_BITS) - 1 if number >= 0 else -1 - number for number in numbers]
        return np.array(high, np.int64), np.array(low, np.int64)

    def _naming(self, event: Any) -> Iterator[tuple[str, str, str, str, str]]:
        kind, args = event["name"], event.get("args", _NO_ARGS)
        key = {"process_labels": "labels", "process_name": "name", "thread_name": "name"}.get(kind, "sort_index")
        if kind in _NAMINGS and key in args:
            yield self._scope, str(event["pid"]), str(event.get("tid", "")), kind, str(args[key])

    def _windowed(self, columns: Columns, start_ns: Any, end_ns: Any) -> Columns:
        first, last = self._window
        if first is None and last is None:
            return columns
        inside = np.ones(len(start_ns), np.bool_)
        if first is not None:
            inside &= end_ns >= first
        if last is not None:
            inside &= start_ns <= last
        return {name: column[inside] for name, column in columns.items()}

    def _cleaned(self, events: list[Any]) -> Iterator[dict[str, Any]]:
        """Events that `_columns` takes; what cannot be one is counted."""
        for event in events:
            phase = event.get("ph") if isinstance(event, dict) else None
            if not isinstance(phase, str):
                self.facts.strangers += 1
                yield {"ph": _UNUSABLE}
            elif phase in _TIMED and None in (ns_of_us(event.get("ts")), ns_of_us(event.get("dur", 0))):
                self._untimed(phase)
                yield {"ph": _UNUSABLE}
            else:
                yield _completed(event, phase)

    def _untimed(self, phase: str) -> None:
        self.facts.events += 1
        self.facts.phases[phase] += 1
        self.facts.untimed += phase == "X"


class _Lanes(dict[Any, int]):
    """Numbers of lanes by pid and tid as decoded, which may be numbers or texts."""

    def __init__(self, tracks: Ids, scope: str) -> None:
        super().__init__()
        self._tracks, self._scope = tracks, scope

    def __missing__(self, key: tuple[Any, Any]) -> int:
        number = self[key] = self._tracks[(self._scope, str(key[0]), str(key[1]))]
        return number


class _Series(dict[Any, tuple[int, ...]]):
    """Numbers of the series of a counter, by (pid, name, keys of the series …)."""

    def __init__(self, series: Ids, scope: str) -> None:
        super().__init__()
        self._series, self._scope = series, scope

    def __missing__(self, key: tuple[Any, ...]) -> tuple[int, ...]:
        pid, name, *keys = map(str, key)
        numbers = self[key] = tuple(self._series[(self._scope, pid, name, each)] for each in keys)
        return numbers


class _Categories(dict[Any, int]):
    """Numbers of the categories of flows."""

    def __init__(self, categories: Ids, scope: str) -> None:
        super().__init__()
        self._categories, self._scope = categories, scope

    def __missing__(self, key: Any) -> int:
        number = self[key] = self._categories[(self._scope, str(key))]
        return number


_NAMINGS = frozenset(("process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"))
_TIMED = frozenset(("X", "B", "E", "C", *FLOW_PHASES, *INSTANTS))
_UNUSABLE = ""
_UNIT = "acc_id"
"""Member of a counter's values that is no value but tells which unit they are of."""


def _by_phase(events: Sequence[Any]) -> dict[str, Places]:
    """Places of the events of each phase."""
    phases = [event["ph"] for event in events]
    letters = "".join(phases)
    if len(letters) == len(phases) and letters.isascii() and all(phases):
        codes = np.frombuffer(letters.encode("ascii"), np.uint8)
        return {phase: np.flatnonzero(codes == ord(phase)) for phase in sorted(set(phases))}
    where: defaultdict[str, list[int]] = defaultdict(list)
    for index, phase in enumerate(phases):
        where[phase].append(index)
    return {phase: np.array(indices, np.int64) for phase, indices in where.items()}


def _chosen(events: Sequence[Any], indices: Places) -> Sequence[Any]:
    """Some of the events."""
    if len(indices) == len(events):
        return events
    return itemgetter(*indices.tolist())(events) if len(indices) > 1 else [events[int(indices[0])]]


def _told_apart(event: dict[str, Any]) -> dict[str, Any]:
    """A sample of one of several units under one name: the unit moves from its values into its name."""
    args = dict(event["args"])
    unit = args.pop(_UNIT, None)
    return event if unit is None else {**event, "name": f"{event['name']} {unit}", "args": args}


def _is_number(text: str) -> bool:
    return text.isdecimal() and text.isascii() and len(text) <= _MAX_ID_DIGITS and (text[0] != "0" or text == "0")


def _completed(event: dict[str, Any], phase: str) -> dict[str, Any]:
    """The event with every member that its phase needs, of the type that it needs."""
    args = event.get("args")
    args = dict(args) if isinstance(args, dict) else {}
    if phase == "C":
        args = {key: value if key == _UNIT else _number(value) for key, value in args.items()}
    elif "connection_id" in args:
        args["connection_id"] = _whole(args["connection_id"])
    return {
        "ph": phase,
        "name": str(event.get("name", "")),
        "pid": str(event.get("pid", "")),
        "tid": str(event.get("tid", "")),
        "ts": str(event.get("ts", "")),
        "dur": str(event.get("dur", 0)),
        "cat": str(event.get("cat", "")),
        "id": str(event.get("id", "")),
        "args": args,
    }


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _whole(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return NO_CONNECTION
    return number if abs(number) < 1 << 62 else NO_CONNECTION


def _grouped(table: str, parts: list[Columns]) -> Columns:
    """The rows of all parts, group by group; rows of a group stay in order."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in TABLES[table]}
    groups = columns[GROUPED_BY[table]]
    small = len(groups) > 0 and int(groups.max()) < 1 << 16
    order = np.argsort(groups.astype(np.uint16) if small else groups, kind="stable")
    return {name: column[order] for name, column in columns.items()}

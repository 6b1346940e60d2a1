"""What the readers of trace blocks have delivered so far, in common numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tui.i18n import _
from tui.model.problem import Problem
from tui.readers.trace_blocks import BlockRows, Section
from tui.readers.trace_columns import Facts, Known
from tui.readers.trace_layers import ProcessNames
from tui.readers.trace_pieces import Ending, damage
from tui.readers.trace_plan import TimelineRequest
from tui.readers.trace_sort import Segment, Translations

_NUMBERED = {"slices": "tracks", "spans": "tracks", "flows": "tracks", "samples": "series"}


@dataclass
class Intake:
    """Rows of all readers. The numbers of reader 0 are the common ones; others are translated."""

    request: TimelineRequest
    known: Known = field(default_factory=Known)
    rows: list[BlockRows] = field(default_factory=list)
    _others: dict[int, dict[str, list[int]]] = field(default_factory=dict)

    @property
    def readers(self) -> int:
        """Number of readers with a raw file."""
        return 1 + max(self._others, default=0)

    @property
    def bytes_read(self) -> int:
        """Bytes of all files behind the rows."""
        return sum(rows.bytes_read for rows in self.rows)

    @property
    def events(self) -> int:
        """Events behind the rows, those of every phase."""
        return sum(rows.facts.events for rows in self.rows)

    def take(self, rows: BlockRows) -> None:
        """Takes rows of reader 0."""
        self.rows.append(rows)

    def take_from(self, rows: BlockRows, new: Mapping[str, Sequence[Any]]) -> None:
        """Takes rows of another reader, and what has a number there since its last rows."""
        numbers = self._others.setdefault(rows.reader, {kind: [] for kind in Known.KINDS})
        for kind, things in new.items():
            known = getattr(self.known, kind)
            numbers[kind].extend(known[thing] for thing in things)
        sections = {table: _renumbered(section, numbers[_NUMBERED[table]]) for table, section in rows.sections.items()}
        self.rows.append(replace(rows, sections=sections))

    def drop(self, reader: int) -> None:
        """Forgets the rows of a reader."""
        self.rows = [rows for rows in self.rows if rows.reader != reader]

    def translations(self) -> Translations:
        """Numbers of names, categories and texts of each reader."""

        def of(kind: str, dtype: Any) -> tuple[Any, ...]:
            others = [np.array(self._others[reader][kind], dtype) for reader in sorted(self._others)]
            return (np.empty(0, dtype), *others)

        return Translations(of("names", np.int32), of("categories", np.int32), of("texts", np.int64))

    def used(self) -> list[BlockRows]:
        """The rows in file order, without what stands behind the end of a list of events."""
        kept, closed = [], set()
        for rows in sorted(self.rows, key=lambda rows: (rows.block.part, rows.block.start, rows.step)):
            if rows.block.part in closed:
                continue
            kept.append(rows)
            if rows.ending is not None and rows.ending.closed:
                closed.add(rows.block.part)
        return kept


def segments_of(rows: Iterable[BlockRows], table: str) -> dict[int, list[Segment]]:
    """The runs of rows of each lane (or series), in file order."""
    found: defaultdict[int, list[Segment]] = defaultdict(list)
    for block in rows:
        section = block.sections.get(table)
        if section is None:
            continue
        first = 0
        for group, count in zip(section.groups.tolist(), section.counts.tolist()):
            found[group].append(Segment(block.reader, section, first, count))
            first += count
    return found


def facts_of(rows: Iterable[BlockRows]) -> Facts:
    """What was counted in all rows together."""
    total = Facts()
    for block in rows:
        total.add(block.facts)
    return total


def processes_of(facts: Facts) -> dict[tuple[str, str], ProcessNames]:
    """Names, labels and threads of each (scope, pid)."""
    found: dict[tuple[str, str], ProcessNames] = {}
    for scope, pid, tid, kind, value in facts.metadata:
        process = found.get((scope, pid)) or ProcessNames(threads={}, thread_sorts={})
        found[(scope, pid)] = _named(process, tid, kind, value)
    return found


def problems_of(request: TimelineRequest, rows: Sequence[BlockRows]) -> Iterator[Problem]:
    """What was wrong with the files, as far as the rows tell."""
    for number, part in enumerate(request.parts):
        own = [block for block in rows if block.block.part == number]
        yield from _damage(part.path, own)
        facts = facts_of(own)
        if facts.strangers:
            what = _("{count} members of the list are no events").format(count=facts.strangers)
            yield Problem(part.path, "", what, _("they are left out"), "", "warn")
        if facts.untimed:
            what = _("{count} slices have no readable time").format(count=facts.untimed)
            yield Problem(part.path, "", what, _("they are counted but have no place in the timeline"), "", "warn")


def _damage(path: str, rows: Iterable[BlockRows]) -> Iterator[Problem]:
    """What was wrong with the text of one file; shares of it count together."""
    endings = [block.ending for block in rows if block.ending]
    yield from dict.fromkeys(problem for ending in endings for problem in ending.problems)
    shares = [block.ending for block in rows if block.ending and not block.block.whole]
    if shares:
        first_lost = min((ending.first_lost for ending in shares if ending.first_lost >= 0), default=-1)
        total = Ending(
            sum(ending.recovered for ending in shares), sum(ending.lost for ending in shares), (),
            ended_at=max(ending.ended_at for ending in shares), first_lost=first_lost,
        )  # fmt: skip
        yield from damage(Path(path), total)


def _renumbered(section: Section, numbers: Sequence[int]) -> Section:
    return replace(section, groups=np.array([numbers[group] for group in section.groups.tolist()], np.int64))


def _named(process: ProcessNames, tid: str, kind: str, value: str) -> ProcessNames:
    if kind == "process_name":
        return replace(process, name=value)
    if kind == "process_labels":
        return replace(process, label=value)
    if kind == "thread_name":
        return replace(process, threads={**process.threads, tid: value})
    try:
        sort_index = int(float(value))
    except (ValueError, OverflowError):
        return process
    if kind == "process_sort_index":
        return replace(process, sort_index=sort_index)
    return replace(process, thread_sorts={**process.thread_sorts, tid: sort_index})

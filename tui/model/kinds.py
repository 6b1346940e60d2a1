"""Kinds of device tasks, for colours: operator types where a table tells them, else names without their number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.model.levels import bare_name
from tui.model.table import Table
from tui.model.text import is_missing
from tui.model.timeline import Timeline

MOST_KINDS = 8
"""As many as there are colours to tell them apart."""
_NUMBER = re.compile(r"(?:[_-]?\d+)+$")
_LAYERS = ("device", "communication")


@dataclass(frozen=True)
class Kinds:
    """The kinds that take most time."""

    titles: tuple[str, ...]
    """Longest total first."""
    of_name: NDArray[np.int64]
    """Place in `titles` of each name of the timeline; −1 for names of other kinds. Shape (names,)."""


def kinds_of(timeline: Timeline, types: Mapping[str, str]) -> Kinds:
    """The kinds of the tasks of all devices.

    Args:
        types: Name of an operator → its type, as far as known.
    """
    sums = _sums(timeline)
    named = {int(name_id): _kind(bare_name(timeline.names[int(name_id)]), types) for name_id in np.flatnonzero(sums)}
    totals: dict[str, float] = {}
    for name_id, kind in named.items():
        totals[kind] = totals.get(kind, 0.0) + float(sums[name_id])
    titles = tuple(sorted(totals, key=lambda kind: (-totals[kind], kind))[:MOST_KINDS])
    of_name = np.full(len(timeline.names), -1, np.int64)
    for name_id, kind in named.items():
        of_name[name_id] = titles.index(kind) if kind in titles else -1
    return Kinds(titles, of_name)


def types_of_ops(table: Table | None) -> dict[str, str]:
    """Operator name → its type; of a name with several types the one seen last. Empty where types are not known."""
    names, types = (table.text("op_name"), table.text("op_type")) if table is not None else (None, None)
    if names is None or types is None:
        return {}
    count = len(types.strings)
    pairs: list[int] = np.unique(names.codes.astype(np.int64) * count + types.codes).tolist() if count else []
    found = ((names.strings[pair // count], types.strings[pair % count]) for pair in pairs)
    return {name: kind for name, kind in found if not is_missing(kind)}


def _sums(timeline: Timeline) -> NDArray[np.float64]:
    """Time of each name on the devices, ns."""
    sums = np.zeros(len(timeline.names), np.float64)
    for track in timeline.tracks:
        if track.layer in _LAYERS and track.events:
            part = slice(track.first, track.last)
            sums += np.bincount(timeline.name_id[part], timeline.dur_ns[part], len(sums))
    return sums


def _kind(name: str, types: Mapping[str, str]) -> str:
    return types.get(name) or _NUMBER.sub("", name) or name

"""Which entry of A is which entry of B.

Operators: the same name; the same name without indices; the same type and shapes in the order of the run. Each step
looks only at what the steps before left over. Everything else: the same key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq

import numpy as np
from numpy.typing import NDArray

from tui.compare.alignment import Pairs, aligned, equal_counts
from tui.compare.entries import Entries
from tui.model.comparison import MATCHES, By, Match
from tui.model.table import TextColumn
from tui.model.text import is_missing

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]
Columns = tuple[str, ...]

_INDEX = re.compile(r"_*\d+")
_KEYS: dict[By, tuple[Match, Columns]] = {
    "type": ("type", ("op_type",)),
    "shape": ("shape", ("op_type", "input_shapes")),
    "api": ("name", ("level", "api_name")),
}
_SHAPES = ("input_shapes", "output_shapes")


@dataclass(frozen=True)
class Matching:
    """One row per entry or pair of entries. Arrays have the shape (rows,)."""

    a: Places
    """Entry of A; -1 where A has none."""
    b: Places
    match: NDArray[np.int8]
    """Index into `MATCHES`."""


def matched(a: Entries, b: Entries) -> Matching:
    """All entries of both sides, paired as far as possible: first those of A in their order, then those of B alone."""
    partner = np.full(len(a), -1, np.intp)
    how = np.full(len(a), MATCHES.index("none"), np.int8)
    for kind, (in_a, in_b) in _steps(a, b, partner):
        partner[in_a] = in_b
        how[in_a] = MATCHES.index(kind)
    alone = np.ones(len(b), np.bool_)
    alone[partner[partner >= 0]] = False
    only_b = np.flatnonzero(alone)
    return Matching(
        np.concatenate((np.arange(len(a)), np.full(len(only_b), -1))).astype(np.intp),
        np.concatenate((partner, only_b)).astype(np.intp),
        np.concatenate((how, np.full(len(only_b), MATCHES.index("none")))).astype(np.int8),
    )


def _steps(a: Entries, b: Entries, partner: Places) -> Iterator[tuple[Match, Pairs]]:
    """Pairs found by each step; `partner` is looked at anew before each."""
    if a.by != "name":
        match, columns = _KEYS[a.by]
        yield match, _paired(a, b, partner, columns)
        return
    yield "name", _same_name(a, b)
    if np.count_nonzero(partner >= 0) == min(len(a), len(b)):
        return
    typed = _tells(a, "op_type") and _tells(b, "op_type")
    base: Columns = ("op_name", "op_type") if typed else ("op_name",)
    shapes = tuple(key for key in _SHAPES if _tells(a, key) and _tells(b, key))
    yield "normalised", _paired(a, b, partner, (*base, *shapes))
    yield "normalised", _paired(a, b, partner, base, equal_counts)
    if typed and shapes:
        told = _are_told(a, shapes), _are_told(b, shapes)
        yield "sequence", _paired(a, b, partner, ("op_type", *shapes), only=told)


def _same_name(a: Entries, b: Entries) -> Pairs:
    """Entries whose names are equal, each of which stands once on each side."""
    mine, others = a.text("op_name"), b.text("op_name")
    entry_of = np.full(len(mine.strings) + 1, -1, np.intp)  # the last one is for names that A does not have
    entry_of[mine.codes] = np.arange(len(a))
    found = entry_of[text_codes(mine.strings, others.strings)[others.codes]] if len(b) else np.zeros(0, np.intp)
    in_b = np.flatnonzero(found >= 0)
    return found[in_b], in_b


def text_codes(a: Iterable[str], b: Iterable[str]) -> Places:
    """Place in A of each text of B; -1 where A does not have it. The texts of a side are distinct.

    Two runs of one model name most operators in the same order: what stands at the same place needs no search.
    """
    mine, others = list(a), list(b)
    if mine == others:
        return np.arange(len(mine))
    here = np.zeros(max(len(mine), len(others)), np.bool_)
    here[: min(len(mine), len(others))] = [*map(eq, mine, others)]
    left_a: list[int] = np.flatnonzero(~here[: len(mine)]).tolist()
    left_b: list[int] = np.flatnonzero(~here[: len(others)]).tolist()
    code_of = {mine[place]: place for place in left_a}
    codes = np.arange(len(others))
    codes[left_b] = [code_of.get(others[place], -1) for place in left_b]
    return codes


def _tells(entries: Entries, key: str) -> bool:
    """Whether any entry has such a text."""
    return bool(_known(entries.text(key)).any())


def _known(column: TextColumn) -> Mask:
    used: list[int] = np.unique(column.codes).tolist()
    known = np.zeros(len(column.strings) + 1, np.bool_)
    known[used] = [not is_missing(column.strings[code]) for code in used]
    return known[column.codes]


def _are_told(entries: Entries, shapes: Columns) -> Mask:
    """Entries with a type and a shape; others would be paired by chance."""
    told: Mask = np.logical_or.reduce([_known(entries.text(key)) for key in shapes])
    return _known(entries.text("op_type")) & told


def _paired(
    a: Entries,
    b: Entries,
    partner: Places,
    columns: Columns,
    pair: Callable[[Sequence[str], Sequence[str]], Pairs] = aligned,
    only: tuple[Mask, Mask] | None = None,
) -> Pairs:
    """Pairs among the entries that have no partner yet, by the texts of some columns."""
    free_a, free_b = partner < 0, np.ones(len(b), np.bool_)
    free_b[partner[~free_a]] = False
    if only is not None:
        free_a, free_b = free_a & only[0], free_b & only[1]
    left, right = a.order[free_a[a.order]], b.order[free_b[b.order]]
    if not len(left) or not len(right):
        return left[:0], right[:0]
    in_a, in_b = pair(_keys(a, left, columns), _keys(b, right, columns))
    return left[in_a], right[in_b]


def _keys(entries: Entries, places: Places, columns: Columns) -> list[str]:
    """One text for each of some entries."""
    return ["\0".join(parts) for parts in zip(*(_plain_texts(entries.text(key), key, places) for key in columns))]


def _plain_texts(column: TextColumn, key: str, places: Places) -> Iterator[str]:
    """Texts of some entries without what may differ between the sides; empty for what stands for "no value"."""
    used, index = np.unique(column.codes[places], return_inverse=True)
    plain = _PLAIN.get(key, bare)
    codes: list[int] = used.tolist()
    texts = ["" if is_missing(text) else plain(text) for text in map(column.strings.__getitem__, codes)]
    return map(texts.__getitem__, index.reshape(-1).tolist())


def normalised(name: str) -> str:
    """A name without the indices that a graph numbers its nodes with: `trans_Cast_3` is `trans_Cast`."""
    return _INDEX.sub("", name)


def bare(text: str) -> str:
    """A cell without what the layouts write around shapes: quotes, a last semicolon."""
    return text.lstrip('" ').rstrip('"; ')


_PLAIN: dict[str, Callable[[str], str]] = {"op_name": normalised, "api_name": str, "level": str}

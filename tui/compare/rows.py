"""The rows of a comparison as a table, for the grid of a screen and the headless twin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.compare.entries import Entries
from tui.compare.matching import Matching, Places, text_codes
from tui.compare.noise import bands_us, deltas_us, verdict_codes
from tui.model.columns import taken
from tui.model.comparison import MATCHES, PARTS, VERDICTS, Members
from tui.model.permutation import stable_order
from tui.model.table import Column, ColumnInfo, NumberColumn, Table, TextColumn

KIND = "compare"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Matched and judged rows, largest |Δ| first, those without a Δ last, else in the order of A."""

    table: Table
    a_members: Members
    b_members: Members
    bands_us: Floats
    a_parts: NDArray[np.int8]
    """Index into `PARTS` of side A; that of B where A has no such entry."""
    b_parts: NDArray[np.int8]
    left_out: int
    """Entries that are no row, since no call of theirs has a time."""


def judged_rows(a: Entries, b: Entries, matching: Matching) -> Rows:
    """The rows of a comparison."""
    totals = _side(a.totals_us, matching.a), _side(b.totals_us, matching.b)
    counts = _side(a.counts, matching.a), _side(b.counts, matching.b)
    bands = bands_us(totals, counts, (_side(a.mads_us, matching.a), _side(b.mads_us, matching.b)))
    deltas = deltas_us(*totals)
    timed = np.flatnonzero(((counts[0] > 0) & ~np.isnan(totals[0])) | ((counts[1] > 0) & ~np.isnan(totals[1])))
    rows = timed[stable_order([-np.abs(deltas[timed])])]
    parts = _parts(a, b, matching)
    columns = (
        *_names(a, b, matching),
        _codes("match", matching.match, MATCHES),
        *_figures(totals, counts, deltas, bands),
        _codes("verdict", verdict_codes(counts, deltas, bands), VERDICTS),
        _codes("part", parts[0], PARTS),
    )
    return Rows(
        taken(Table(KIND, columns), rows),
        Members(matching.a[rows], a.groups.members, a.groups.starts),
        Members(matching.b[rows], b.groups.members, b.groups.starts),
        bands[rows],
        parts[0][rows],
        parts[1][rows],
        len(deltas) - len(rows),
    )


def _figures(
    totals: tuple[Floats, Floats], counts: tuple[Floats, Floats], deltas: Floats, bands: Floats
) -> Iterator[Column]:
    yield _number("a_total_us", totals[0], "us")
    yield _number("b_total_us", totals[1], "us")
    yield _number("delta_us", deltas, "us")
    yield _number("delta_pct", _over(100.0 * deltas, totals[0]), "pct")
    yield _number("a_count", counts[0], whole=True)
    yield _number("b_count", counts[1], whole=True)
    yield _number("band_us", bands, "us")
    yield _number("a_call_us", _over(totals[0], counts[0]), "us")
    yield _number("b_call_us", _over(totals[1], counts[1]), "us")


def _side(values: Floats, entries: Places) -> Floats:
    """Figures of each row on one side; 0 where that side does not have it: it took no time in no calls."""
    if not len(values):
        return np.zeros(len(entries))
    return np.where(entries >= 0, values[entries], 0.0)


def _parts(a: Entries, b: Entries, matching: Matching) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    in_a, in_b = matching.a >= 0, matching.b >= 0
    parts_a, parts_b = np.zeros(len(in_a), np.int8), np.zeros(len(in_a), np.int8)
    parts_a[in_a], parts_b[in_b] = a.part[matching.a[in_a]], b.part[matching.b[in_b]]
    return np.where(in_a, parts_a, parts_b), np.where(in_b, parts_b, parts_a)


def _names(a: Entries, b: Entries, matching: Matching) -> list[TextColumn]:
    """`op_name`, `op_type` and what else tells the rows apart: of A, else of B; the name in B beside it."""
    if a.by == "api":
        return [_joined("op_name", a, b, matching, "api_name"), _joined("op_type", a, b, matching, "level")]
    types = _joined("op_type", a, b, matching)
    if a.by == "name":
        name = _joined("op_name", a, b, matching)
        return [name, types, _joined("b_op_name", b, a, Matching(matching.b, matching.a, matching.match), "op_name")]
    unnamed = _codes("op_name", np.zeros(len(matching.a), np.int8), ("",))
    return [unnamed, types] if a.by == "type" else [unnamed, types, _joined("input_shapes", a, b, matching)]


def _joined(key: str, a: Entries, b: Entries, matching: Matching, column: str = "") -> TextColumn:
    """A text of the entries of A, and of those of B that A does not have."""
    mine, others = a.text(column or key), b.text(column or key)
    codes = np.zeros(len(matching.a), np.int32)
    in_a, only_b = matching.a >= 0, matching.a < 0
    codes[in_a] = mine.codes[matching.a[in_a]]
    strings, codes[only_b] = _added(mine.strings, others.strings, others.codes[matching.b[only_b]])
    return TextColumn(ColumnInfo(key, mine.info.heading or others.info.heading, "text"), codes, strings)


def _added(
    mine: Sequence[str], others: Sequence[str], codes: NDArray[np.int32]
) -> tuple[Sequence[str], NDArray[np.int32]]:
    """Texts with those of the other side that `codes` stand for, and the codes among them all."""
    used, place = np.unique(codes, return_inverse=True)
    if not len(used):
        return mine, codes
    wanted: list[int] = used.tolist()
    texts = [others[code] for code in wanted]
    found = text_codes(mine, texts)
    fresh: list[int] = np.flatnonzero(found < 0).tolist()
    found[fresh] = len(mine) + np.arange(len(fresh))
    return [*mine, *(texts[index] for index in fresh)], found[place.reshape(-1)].astype(np.int32)


def _codes(key: str, codes: NDArray[np.int8], texts: Sequence[str]) -> TextColumn:
    return TextColumn(ColumnInfo(key, "", "text"), codes.astype(np.int32), texts)


def _number(key: str, values: Floats, unit: str = "", whole: bool = False) -> NumberColumn:
    return NumberColumn(ColumnInfo(key, "", "number", unit, whole), values)


def _over(values: Floats, base: Floats) -> Floats:
    """Quotients, NaN for a base of 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(base != 0, values / base, np.nan)

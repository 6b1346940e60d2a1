"""When is a difference more than noise: band and verdict of matched times.

The band of a row is the larger of a floor, which is 1 % of the larger total where both sides have five calls or more
and 3 % elsewhere, and of twice the larger MAD times the larger number of calls. MAD is the median absolute deviation of
the times of single calls, not scaled. Sums of rows have the root of the summed squares of their bands. All of it is
symmetric: swapping the sides mirrors every difference and changes no verdict but faster for slower, new for gone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.model.comparison import VERDICTS, Change, Verdict
from tui.model.exact import decimals_of

Floats = NDArray[np.float64]

MANY_CALLS = 5
FLOOR_MANY, FLOOR_FEW = 0.01, 0.03
MADS = 2.0
_KEY_BITS = 62


def bands_us(totals_us: tuple[Floats, Floats], counts: tuple[Floats, Floats], mads_us: tuple[Floats, Floats]) -> Floats:
    """Band of each row, µs. Both sides of each argument have the shape (rows,); a side without the row counts 0."""
    many = np.minimum(*counts) >= MANY_CALLS
    floor = np.where(many, FLOOR_MANY, FLOOR_FEW) * np.fmax(*totals_us)
    spread = MADS * np.fmax(*mads_us) * np.maximum(*counts)
    bands: Floats = np.fmax(floor, spread)
    return bands


def band_of_sum(bands: Floats) -> float:
    """Band of the sum of rows: the root of the summed squares of theirs."""
    known = bands[np.isfinite(bands)]
    return float(np.sqrt(np.square(known).sum()))


def deltas_us(a_us: Floats, b_us: Floats) -> Floats:
    """B − A with the decimals that the times were written with, so that it prints as a reader would subtract."""
    decimals = max(decimals_of(a_us), decimals_of(b_us))
    return np.round(b_us - a_us, decimals)


def verdict_codes(counts: tuple[Floats, Floats], deltas: Floats, bands: Floats) -> NDArray[np.int8]:
    """Index into `VERDICTS` of each row, the first that applies.

    Args:
        counts: Calls of A and of B; 0 where a side does not have the row.
        deltas: NaN where a time is not known.
    """
    conditions: dict[Verdict, NDArray[np.bool_]] = {
        "incomparable": np.isnan(deltas),
        "new": counts[0] == 0,
        "gone": counts[1] == 0,
        "count_changed": counts[0] != counts[1],
        "same": np.abs(deltas) <= bands,
        "faster": deltas < 0,
    }
    choices = [VERDICTS.index(verdict) for verdict in conditions]
    return np.select(list(conditions.values()), choices, VERDICTS.index("slower")).astype(np.int8)


def change(a_us: float, b_us: float, band_us: float) -> Change:
    """One time on both sides, judged by its band."""
    one = np.ones(1)
    deltas = deltas_us(np.array([a_us]), np.array([b_us]))
    verdict = VERDICTS[int(verdict_codes((one, one), deltas, np.array([band_us]))[0])]
    return Change(a_us, b_us, float(deltas[0]), band_us, verdict)


def single_change(a_us: float, b_us: float, a_count: float = 1, b_count: float = 1) -> Change:
    """A time that was measured as a whole: without times of calls its band is the floor."""
    totals, counts = (np.array([a_us]), np.array([b_us])), (np.array([a_count]), np.array([b_count]))
    return change(a_us, b_us, float(bands_us(totals, counts, (np.zeros(1), np.zeros(1)))[0]))


def group_mads(values: Floats, starts: NDArray[np.intp]) -> Floats:
    """Median absolute deviation of each group; 0 for groups of fewer than two finite values. Shape (groups,).

    Args:
        values: Shape (n,), the members of each group side by side; cells that are not finite are passed over.
        starts: First member of each group, and one more at the end.
    """
    sizes = np.diff(starts)
    mads = np.zeros(len(sizes))
    finite = np.isfinite(values)
    counted = np.repeat(sizes > 1, sizes) & finite
    if not counted.any():
        return mads
    groups, group = np.unique(np.repeat(np.arange(len(sizes)), sizes)[counted], return_inverse=True)
    group = group.reshape(-1)
    units, scale = _whole(values[counted], len(groups))
    first = np.searchsorted(group, np.arange(len(groups) + 1))
    doubled = _doubled_medians(group, units, first)
    deviations = np.abs(2 * units - doubled[group])
    mads[groups] = _doubled_medians(group, deviations, first) / (4.0 * scale)
    return mads


def _whole(values: Floats, groups: int) -> tuple[NDArray[np.int64], float]:
    """(values × scale as integers, scale): every decimal is kept, unless four times the largest would not fit."""
    largest = max(float(np.abs(values).max()), 1e-9)
    room = _KEY_BITS - groups.bit_length() - 3
    decimals = min(decimals_of(values), int(np.floor(room * np.log10(2.0) - np.log10(largest))))
    scale = 10.0**decimals
    return np.rint(values * scale).astype(np.int64), scale


def _doubled_medians(group: NDArray[np.intp], units: NDArray[np.int64], first: NDArray[np.intp]) -> NDArray[np.int64]:
    """Twice the median of each group. One sort of integers, the group in their upper bits, needs no permutation."""
    lowest = int(units.min())
    bits = (int(units.max()) - lowest).bit_length()
    keys = (group.astype(np.int64) << bits) | (units - lowest)
    keys.sort()
    low, high = (first[:-1] + first[1:] - 1) // 2, (first[:-1] + first[1:]) // 2
    mask = (1 << bits) - 1
    doubled: NDArray[np.int64] = (keys[low] & mask) + (keys[high] & mask) + 2 * lowest
    return doubled

"""Two sequences laid beside each other, as a text diff does, but nothing is lost that both have.

Keys that occur equally often on both sides are paired in order and are the frame; of the others those are paired first
that lie between the same two elements of the frame, then the rest in order. One pass of array operations each, beside
one longest rising subsequence, where a diff of lines would be quadratic.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Pairs = tuple[Places, Places]


def aligned(a_keys: Sequence[str], b_keys: Sequence[str]) -> Pairs:
    """Places in A and in B of elements with equal keys; each element at most once, as many of a key as both have.

    Swapping the arguments swaps the result, pairs may be in another order.
    """
    swapped = b_keys < a_keys  # type: ignore[operator]
    first, second = (b_keys, a_keys) if swapped else (a_keys, b_keys)
    codes: dict[str, int] = {}
    first_codes = np.array([codes.setdefault(key, len(codes)) for key in first], np.int64)
    second_codes = np.array([codes.setdefault(key, len(codes)) for key in second], np.int64)
    pairs = _aligned(first_codes, second_codes, len(codes))
    return (pairs[1], pairs[0]) if swapped else pairs


def equal_counts(a_keys: Sequence[str], b_keys: Sequence[str]) -> Pairs:
    """Pairs of the keys that occur equally often on both sides, in order."""
    codes: dict[str, int] = {}
    a = np.array([codes.setdefault(key, len(codes)) for key in a_keys], np.int64)
    b = np.array([codes.setdefault(key, len(codes)) for key in b_keys], np.int64)
    return _equal_pairs(a, b, len(codes))


def _aligned(a: NDArray[np.int64], b: NDArray[np.int64], keys: int) -> Pairs:
    frame = _equal_pairs(a, b, keys)
    free_a, free_b = _others(len(a), frame[0]), _others(len(b), frame[1])
    found = [frame]
    fixed = _rising(frame[1])
    for frame_a, frame_b in ((frame[0][fixed], frame[1][fixed]), (frame[0][:0], frame[1][:0])):
        segments = np.searchsorted(frame_a, free_a), np.searchsorted(frame_b, free_b)
        paired = _in_order(a[free_a] + keys * segments[0], b[free_b] + keys * segments[1])
        found.append((free_a[paired[0]], free_b[paired[1]]))
        free_a, free_b = np.delete(free_a, paired[0]), np.delete(free_b, paired[1])
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _equal_pairs(a: NDArray[np.int64], b: NDArray[np.int64], keys: int) -> Pairs:
    """Pairs of the keys with equal counts, in the order of A."""
    equal = np.bincount(a, minlength=keys) == np.bincount(b, minlength=keys)
    mine, others = np.flatnonzero(equal[a]), np.flatnonzero(equal[b])
    left, right = mine[np.argsort(a[mine], kind="stable")], others[np.argsort(b[others], kind="stable")]
    order = np.argsort(left)
    return left[order], right[order]


def _others(count: int, taken: Places) -> Places:
    free = np.ones(count, np.bool_)
    free[taken] = False
    return np.flatnonzero(free)


def _in_order(a: NDArray[np.int64], b: NDArray[np.int64]) -> Pairs:
    """The n-th element of each key in A with the n-th in B, as far as both have one."""
    distinct, codes = np.unique(np.concatenate((a, b)), return_inverse=True)
    codes = codes.reshape(-1)
    width = max(len(a), len(b), 1)
    left, right = (_numbered(part, len(distinct), width) for part in (codes[: len(a)], codes[len(a) :]))
    _shared, in_a, in_b = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    return in_a, in_b


def _numbered(codes: NDArray[np.intp], keys: int, width: int) -> NDArray[np.int64]:
    """One number per element: its key and how many of that key came before it."""
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=keys)
    before = np.concatenate(([0], np.cumsum(counts)[:-1])) if keys else np.zeros(0, np.int64)
    number = np.empty(len(codes), np.int64)
    number[order] = np.arange(len(codes)) - np.repeat(before, counts)
    return codes.astype(np.int64) * width + number


def _rising(values: Places) -> Places:
    """Places of a longest rising subsequence."""
    if not len(values) or bool(np.all(values[1:] > values[:-1])):
        return np.arange(len(values))
    ends: list[int] = []
    end_places: list[int] = []
    before = np.full(len(values), -1, np.intp)
    for place, value in enumerate(values.tolist()):
        length = bisect_left(ends, value)
        before[place] = end_places[length - 1] if length else -1
        if length == len(ends):
            ends.append(value)
            end_places.append(place)
        else:
            ends[length], end_places[length] = value, place
    return _traced(before, end_places[-1])


def _traced(before: Places, last: int) -> Places:
    places = []
    while last >= 0:
        places.append(last)
        last = int(before[last])
    return np.array(places[::-1], np.intp)

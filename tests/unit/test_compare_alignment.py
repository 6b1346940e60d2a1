"""Two sequences laid beside each other."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tui.compare.alignment import aligned, equal_counts


def pairs(a: str, b: str) -> list[tuple[int, int]]:
    left, right = aligned(a, b)
    return sorted(zip(left.tolist(), right.tolist()))


def test_equal_sequences_go_side_by_side() -> None:
    assert pairs("abcab", "abcab") == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]


def test_what_was_put_in_stays_alone() -> None:
    assert pairs("abc", "aXbYc") == [(0, 0), (1, 2), (2, 4)]


def test_the_neighbours_tell_which_of_several_is_missing() -> None:
    assert pairs("1x2x3x4", "1x23x4") == [
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 3),
        (5, 4),
        (6, 5),
    ]  # the x between 2 and 3 is gone


def test_what_moved_is_still_the_same() -> None:
    assert pairs("abc", "bca") == [(0, 2), (1, 0), (2, 1)]
    assert pairs("x1x2", "12x") == [(0, 2), (1, 0), (3, 1)]


def test_nothing_to_pair() -> None:
    assert pairs("", "abc") == []
    assert pairs("abc", "xyz") == []


def test_only_keys_with_equal_counts() -> None:
    left, right = equal_counts("aabbc", "bXabc")
    assert sorted(zip(left.tolist(), right.tolist())) == [(2, 0), (3, 3), (4, 4)]


texts = st.text("abcd", max_size=14)


@settings(max_examples=200)
@given(texts, texts)
def test_nothing_is_lost_that_both_have_and_swapping_swaps(a: str, b: str) -> None:
    found = pairs(a, b)
    assert all(a[left] == b[right] for left, right in found)
    assert len({left for left, _ in found}) == len({right for _, right in found}) == len(found)
    assert len(found) == sum((Counter(a) & Counter(b)).values())
    assert sorted((right, left) for left, right in pairs(b, a)) == found

"""Where two versions of a line look different, so that only that part is sent to the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rich.segment import Segment
from textual.strip import Strip

from widgets.text import cells


def difference(old: Strip, new: Strip) -> tuple[int, int]:
    """The first cell that differs, and the one after the last; both strips have the same width. (0, 0) for none."""
    first = _common_cells(zip(old, new), _common_start)
    if first >= new.cell_length:
        return 0, 0
    return first, new.cell_length - _common_cells(zip(reversed(list(old)), reversed(list(new))), _common_end)


def _common_cells(pairs: Iterable[tuple[Segment, Segment]], common: Callable[[str, str], str]) -> int:
    """Cells that look the same, counted from where the pairs of segments begin."""
    count = 0
    for before, after in pairs:
        if before.style is not after.style:
            break
        same = common(before.text, after.text)
        count += cells(same)
        if not len(same) == len(before.text) == len(after.text):
            break
    return count


def _common_start(before: str, after: str) -> str:
    return after[: _equal(zip(before, after), min(len(before), len(after)))]


def _common_end(before: str, after: str) -> str:
    count = _equal(zip(reversed(before), reversed(after)), min(len(before), len(after)))
    return after[len(after) - count :]


def _equal(pairs: Iterator[tuple[str, str]], most: int) -> int:
    """How many pairs are equal from the first on."""
    return next((at for at, (old, new) in enumerate(pairs) if old != new), most)

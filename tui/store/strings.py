"""Distinct texts of a column: UTF-8 bytes and offsets, decoded one by one when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class StringTable(Sequence[str]):
    """Texts by index. Equal indices give the same object.

    Args:
        data: UTF-8 bytes of all texts, shape (bytes,), uint8.
        ends: End of each text in `data`, shape (texts,), int64, rising.
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._data = data
        self._ends = ends
        self._decoded: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        text = self._decoded.get(index)
        if text is None:
            text = self._decoded[index] = self._decode(index)
        return text

    def __iter__(self) -> Iterator[str]:
        """All texts in order, decoded in one go and not kept."""
        data, start = self._data.tobytes(), 0
        for end in self._ends.tolist():
            yield data[start:end].decode("utf-8", "surrogateescape")
            start = end

    def _decode(self, index: int) -> str:
        count = len(self._ends)
        if not -count <= index < count:
            raise IndexError(index)
        index %= count
        start = int(self._ends[index - 1]) if index else 0
        return self._data[start : int(self._ends[index])].tobytes().decode("utf-8", "surrogateescape")


def storable(text: str) -> str:
    """The text with what no table of texts can hold (halves of a character pair) replaced."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def packed(texts: Sequence[str], start: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Bytes and ends of `texts`, as `StringTable` takes them, for a table that holds `start` bytes already."""
    joined = "".join(texts)
    if joined.isascii():
        widths: NDArray[Any] = np.fromiter(map(len, texts), np.int64, len(texts))
        return np.frombuffer(joined.encode("ascii"), np.uint8), np.cumsum(widths) + start
    encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
    lengths: NDArray[Any] = np.fromiter((len(text) for text in encoded), np.int64, len(encoded))
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum(lengths) + start

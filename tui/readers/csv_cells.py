"""Cells → numbers, times and text codes, exactly and by whole columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.table import MISSING_NS

MISSING_CELLS = ("N/A", "NA", "", "-", "n/a", "nan", "NaN", "null", "NULL", "None")
"""Cells of number and time columns that say "no value"; in text columns they stay what they are."""

EXACT_WHOLE = 2**53
"""From here on whole numbers do not all fit float64."""

_MISSING = frozenset(MISSING_CELLS)
_BLANKS = " \t\r\n"
_STRIPPED = f'{_BLANKS}"'
_MAX_DIGITS = 19
"""Decimal digits of the largest int64; a larger number of as many digits turns negative when it wraps."""
_LONGEST_TIME = 40
_DOT, _ZERO, _NINE, _TAB, _SPACE = 46, 48, 57, 9, 32


@dataclass(frozen=True)
class Numbers:
    """Cells of a number column."""

    values: NDArray[np.float64]
    wrong: tuple[int, ...] = ()
    """Indices of cells that hold something else than a number; NaN in `values`."""


@dataclass(frozen=True)
class Times:
    """Cells of a time column."""

    values: NDArray[np.int64]
    """ns; `MISSING_NS` where there is none."""
    decimals: bool
    """Whether any cell has decimals."""
    wrong: tuple[int, ...] = ()
    """Indices of cells that are no time."""
    inexact: tuple[int, ...] = ()
    """Indices of cells in scientific notation: a spreadsheet has rounded them."""


def stripped(cell: str) -> str:
    """A cell without blanks around it and without one quote at either end."""
    text = cell.strip(_BLANKS)
    if text[:1] == '"':
        text = text[1:]
    return text[:-1] if text[-1:] == '"' else text


def is_missing(cell: str) -> bool:
    """Whether the cell of a number column says "no value"."""
    return cell in _MISSING or stripped(cell) in _MISSING


def number_of(cell: str) -> float | None:
    """The number of one cell, NaN for a missing one, None for something else."""
    text = stripped(cell)
    if text in _MISSING:
        return float("nan")
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def numbers(cells: Sequence[str]) -> Numbers:
    """Numbers of a column, cell by cell."""
    found = [number_of(cell) for cell in cells]
    wrong = tuple(index for index, value in enumerate(found) if value is None)
    return Numbers(np.array([np.nan if value is None else value for value in found], np.float64), wrong)


def times(cells: NDArray[Any], places: int) -> Times:
    """Times of a column, exactly.

    Args:
        cells: Texts, shape (rows,), dtype object.
        places: Decimal places between the file's unit and ns: 0 for ns, 3 for µs. Digits beyond are rounded half up.
    """
    if len(cells) == 0:
        return Times(np.empty(0, np.int64), False)
    matrix = _character_matrix(cells)
    if matrix is None:
        return _odd_times(cells, range(len(cells)), np.full(len(cells), MISSING_NS, np.int64), False, places)
    alike = _alike_to_ns(matrix, places)
    if alike is not None:
        return alike
    values, regular, decimals = _digits_to_ns(matrix, places)
    odd = np.flatnonzero(~regular)
    if not len(odd):
        return Times(values, decimals)
    return _odd_times(cells, odd.tolist(), values, decimals, places)


def _character_matrix(cells: NDArray[Any]) -> NDArray[np.uint8] | None:
    """The cells as rows of ASCII codes padded with 0; None when they are not plain ASCII of a sensible length."""
    texts = cells.tolist()
    joined = "".join(texts)
    if not joined.isascii():
        return None
    widths = set(map(len, texts))
    width = max(widths)
    if width and len(widths) == 1:
        return np.frombuffer(joined.encode("ascii"), np.uint8).reshape(len(texts), width)
    if width > _LONGEST_TIME or not width:
        return None
    return np.array(texts, f"S{width}").view(np.uint8).reshape(len(texts), width)


def _alike_to_ns(matrix: NDArray[np.uint8], places: int) -> Times | None:
    """The usual case: all cells have their digits, dot and blanks at the same columns, and no digit beyond 1 ns."""
    text = matrix[0].tobytes().rstrip(b"\0\t ")
    whole, dot, fraction = text.partition(b".")
    if not whole.isdigit() or (dot and not fraction.isdigit()) or len(fraction) > places:
        return None
    if len(whole) + places > _MAX_DIGITS:
        return None
    columns = np.ascontiguousarray(matrix.T)
    values = np.zeros(len(matrix), np.int64)
    for codes, sample in zip(columns, matrix[0].tolist()):
        if _ZERO <= sample <= _NINE:
            digits = codes - np.uint8(_ZERO)
            if digits.max() > 9:
                return None
            values *= 10
            values += digits
        elif (codes != sample).any():
            return None
    values *= 10 ** (places - len(fraction))
    return None if (values < 0).any() else Times(values, bool(fraction))


def _digits_to_ns(matrix: NDArray[np.uint8], places: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], bool]:
    """Ns of each row of characters, which rows are plain decimals that fit, and whether any has decimals."""
    rows = len(matrix)
    values = np.zeros(rows, np.int64)
    digits = np.zeros(rows, np.int16)
    fraction = np.full(rows, -1, np.int16)
    round_up = np.zeros(rows, np.bool_)
    ended = np.zeros(rows, np.bool_)
    regular = np.ones(rows, np.bool_)
    for codes in np.ascontiguousarray(matrix.T):
        is_digit = (codes >= _ZERO) & (codes <= _NINE)
        is_dot = codes == _DOT
        blank = (codes == 0) | (codes == _TAB) | (codes == _SPACE)
        regular &= (is_digit & ~ended) | (is_dot & (fraction < 0) & ~ended) | blank
        ended |= blank
        taken = is_digit & (fraction < places)
        values = np.where(taken, values * 10 + (codes.astype(np.int64) - _ZERO), values)
        round_up |= is_digit & (fraction == places) & (codes >= _ZERO + 5)
        digits += taken
        fraction += is_digit & (fraction >= 0)
        fraction[is_dot & (fraction < 0)] = 0
    missing_places = places - np.clip(fraction, 0, places)
    values = values * 10 ** missing_places.astype(np.int64) + round_up
    regular &= (digits > 0) & (digits + missing_places <= _MAX_DIGITS) & (values >= 0)
    values[~regular] = MISSING_NS
    return values, regular, bool((fraction[regular] > 0).any())


def _odd_times(
    cells: NDArray[Any], rows: Sequence[int], values: NDArray[np.int64], decimals: bool, places: int
) -> Times:
    """Cells that are not plain decimals, one by one: missing, quoted, negative, scientific, or no time at all."""
    wrong: list[int] = []
    inexact: list[int] = []
    for row in rows:
        text = stripped(cells[row])
        if text in _MISSING:
            continue
        value = _exact_ns(text, places)
        if value is None:
            wrong.append(row)
            continue
        values[row] = value
        decimals = decimals or "." in text
        if "e" in text.lower():
            inexact.append(row)
    return Times(values, decimals, tuple(wrong), tuple(inexact))


def _exact_ns(text: str, places: int) -> int | None:
    """Ns of one decimal text, rounded half up; None when it is none or does not fit int64."""
    try:
        number = Decimal(text)
        if not number.is_finite() or number.adjusted() >= _MAX_DIGITS or "_" in text:
            return None
        value = int((number.scaleb(places) + Decimal("0.5")).to_integral_value("ROUND_FLOOR"))
    except ArithmeticError:
        return None
    return value if MISSING_NS < value < -MISSING_NS else None


def _nothing_to_strip(cells: Sequence[str]) -> bool:
    """Whether all cells are their texts; seen without looking at each one."""
    joined = "".join(cells)
    return not any(mark in joined for mark in _STRIPPED)


class TextPool:
    """Distinct texts of one column; codes are given in order of first appearance."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._raw: dict[str, int] = {}
        self._fresh: list[str] = []

    def __len__(self) -> int:
        return len(self._codes)

    def code(self, cell: str) -> int:
        """Code of a cell's text, stripped."""
        known = self._raw.get(cell)
        if known is not None:
            return known
        text = stripped(cell)
        code = self.code_of_text(text)
        if text != cell:
            self._raw[cell] = code
        return code

    def code_of_text(self, text: str) -> int:
        """Code of a text as it is."""
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = len(self._codes)
            self._fresh.append(text)
        return code

    def codes(self, cells: NDArray[Any]) -> NDArray[np.int32]:
        """Codes of a whole column of cells (dtype object)."""
        import pandas as pd

        local, distinct = pd.factorize(cells)
        if not len(distinct):
            return np.empty(0, np.int32)
        texts: list[str] = distinct.tolist()
        table = np.array(
            self._codes_as_they_are(texts) if _nothing_to_strip(texts) else self._codes_of(texts), np.int32
        )
        return table[local]

    def _codes_as_they_are(self, texts: list[str]) -> list[int]:
        """Codes of distinct texts."""
        known = self._codes
        fresh = [text for text in texts if text not in known]
        known.update(zip(fresh, range(len(known), len(known) + len(fresh))))
        self._fresh += fresh
        return [known[text] for text in texts]

    def _codes_of(self, cells: list[str]) -> list[int]:
        """Codes of distinct cells."""
        found = list(map(self._raw.get, cells))
        return [self.code(cell) if code is None else code for cell, code in zip(cells, found)]

    def codes_one_by_one(self, cells: Sequence[str]) -> NDArray[np.int32]:
        """The same without pandas, for few cells."""
        return np.fromiter(map(self.code, cells), np.int32, len(cells))

    def take_fresh(self) -> list[str]:
        """Texts that were added since the last call, in order of their codes."""
        fresh, self._fresh = self._fresh, []
        return fresh

"""Regular records → columns, by the C parser of pandas. Needs pandas; a worker has it imported."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tui.model.table import ColumnInfo
from tui.readers.csv_cells import MISSING_CELLS
from tui.readers.csv_plan import PartPlan

_EXACT: dict[str, Any] = {} if int(pd.__version__.split(".", 1)[0]) >= 3 else {"float_precision": "round_trip"}
"""Makes numbers exact: the default since pandas 3, where naming it is deprecated."""


_QUOTE = ord('"')


class RegularParser:
    """Parses blocks of one file whose records are all as the heading says."""

    def __init__(self, part: PartPlan, columns: Sequence[ColumnInfo]) -> None:
        kinds = [columns[field.column].kind if field.column >= 0 else "text" for field in part.fields]
        self._delimiter = part.delimiter
        self._count = len(part.fields)
        self._last = max((index for index, field in enumerate(part.fields) if field.column >= 0), default=0)
        self._numbers = [index for index, kind in enumerate(kinds) if kind == "number"]
        self._dtypes = {index: np.float64 if kind == "number" else object for index, kind in enumerate(kinds)}
        self._with_missing = {index for index in self._numbers if part.fields[index].misses}

    def parse(self, data: bytes) -> list[NDArray[Any]] | None:
        """Columns of a block of records: float64 for numbers, str objects for texts and times.

        None when a record has too few or too many cells, or a number column holds something else.
        """
        columns = self._read(data, self._with_missing, empty_last=False)
        if columns is None:
            columns = self._read(data, self._numbers, empty_last=True)
            if columns is not None:
                self._with_missing.update(index for index in self._numbers if np.isnan(columns[index]).any())
        return columns

    def _read(self, data: bytes, with_missing: Iterable[int], empty_last: bool) -> list[NDArray[Any]] | None:
        """One attempt. The parser fills rows that are too short, which only their empty last cell shows.

        Args:
            with_missing: Number columns that may have missing cells; looking for them takes a tenth of the time.
            empty_last: Accept empty cells at the end of rows, which costs counting all delimiters.
        """
        options: dict[str, Any] = {
            "header": None,
            "names": range(self._count),
            "sep": self._delimiter,
            "dtype": self._dtypes,
            "na_values": {index: self._missing(index, empty_last) for index in with_missing},
            "keep_default_na": False,
            "engine": "c",
            "low_memory": False,
            **_EXACT,
        }
        try:
            frame: pd.DataFrame = pd.read_csv(io.BytesIO(data), **options)
        except (ValueError, pd.errors.ParserError):
            return None
        if not isinstance(frame.index, pd.RangeIndex):
            return None
        columns = [frame[index].to_numpy() for index in range(self._count)]
        ends_empty = self._last not in self._numbers and bool((columns[self._last] == "").any())
        if (empty_last or ends_empty) and not self._is_full(data, len(frame)):
            return None
        return columns

    def _missing(self, index: int, empty_last: bool) -> list[str]:
        """Cells of a number column that count as missing."""
        return [cell for cell in MISSING_CELLS if cell or empty_last or index != self._last]

    def _is_full(self, data: bytes, rows: int) -> bool:
        """Whether the records have as many delimiters outside quotes as the heading says."""
        codes = np.frombuffer(data, np.uint8)
        quoted = (np.cumsum(codes == _QUOTE, dtype=np.uint32) & 1).view(np.int32).astype(np.bool_)
        delimiters = np.count_nonzero((codes == ord(self._delimiter)) & ~quoted)
        return int(delimiters) == rows * (self._count - 1)

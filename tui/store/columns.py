"""The column store: one folder per table, one `.npy` file per column, and a small JSON header written last.

    c000.npy              float64 numbers, int64 times (ns), or int32 codes of a text column
    c000.bytes.npy        UTF-8 bytes of its distinct texts
    c000.ends.npy         int64 end of each text in those bytes
    header.json           columns, parts, rows, what was wrong, and whatever the reader wants to keep
    lock                  held shared by whoever has the store open

Files only grow until the header is there, and are never changed afterwards. Text that is not UTF-8 in itself (lone
surrogates) survives by surrogate escapes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.table import Column, ColumnInfo, NumberColumn, Table, TablePart, TextColumn, TimeColumn
from tui.store.npy import GrowingArray, mapped
from tui.store.strings import StringTable, packed

HEADER = "header.json"
LOCK = "lock"
FORMAT = 1

_DTYPES: dict[str, np.dtype[Any]] = {"number": np.dtype("<f8"), "time": np.dtype("<i8"), "text": np.dtype("<i4")}
_BYTES = np.dtype("|u1")
_ENDS = np.dtype("<i8")


@dataclass(frozen=True)
class StoredColumn:
    """One column of a store, as far as it is written."""

    info: ColumnInfo
    texts: int = 0
    """Distinct texts of a text column."""
    text_bytes: int = 0
    """Bytes of those texts."""


@dataclass(frozen=True)
class Layout:
    """How much of a store can be mapped; small, goes through the pipe of a worker."""

    folder: str
    rows: int
    columns: tuple[StoredColumn, ...]


class ColumnWriter:
    """Writes one column. Values of one dtype are appended; texts come as codes plus the texts that are new."""

    def __init__(self, folder: Path, index: int, info: ColumnInfo) -> None:
        self.info = info
        self.texts = 0
        self._values = GrowingArray(_file(folder, index), _DTYPES[info.kind])
        self._bytes = self._ends = None
        if info.kind == "text":
            self._bytes = GrowingArray(_file(folder, index, "bytes."), _BYTES)
            self._ends = GrowingArray(_file(folder, index, "ends."), _ENDS)

    @property
    def rows(self) -> int:
        """Rows written so far."""
        return self._values.rows

    @property
    def stored(self) -> StoredColumn:
        """What can be mapped now."""
        return StoredColumn(self.info, self.texts, self._bytes.rows if self._bytes else 0)

    def append(self, values: NDArray[Any]) -> None:
        """Appends numbers, times or codes. Every code must be known through `add_texts` before."""
        self._values.append(values)

    def add_texts(self, texts: Sequence[str]) -> None:
        """Appends distinct texts; their codes follow the ones given so far."""
        if self._bytes is None or self._ends is None or not texts:
            return
        data, ends = packed(texts, self._bytes.rows)
        self._bytes.append(data)
        self._ends.append(ends)
        self.texts += len(texts)

    def append_column(self, path: Path, rows: int) -> None:
        """Appends the numbers or times of a finished column file of the same kind."""
        self._values.append_file(path, rows)

    def finish(self) -> None:
        """Completes the column's files."""
        for array in (self._values, self._bytes, self._ends):
            if array is not None:
                array.finish()


class StoreWriter:
    """Writes a store into an existing, empty folder."""

    def __init__(self, folder: Path, infos: Sequence[ColumnInfo]) -> None:
        self.folder = folder
        self.columns = tuple(ColumnWriter(folder, index, info) for index, info in enumerate(infos))

    @property
    def layout(self) -> Layout:
        """What can be mapped now; call it between blocks, when all columns are equally long."""
        rows = self.columns[0].rows if self.columns else 0
        return Layout(str(self.folder), rows, tuple(column.stored for column in self.columns))

    def finish(self, kind: str, parts: Sequence[TablePart], extra: Mapping[str, Any], complete: bool = True) -> Layout:
        """Completes all files and writes the header, which makes it a store.

        Args:
            extra: Whatever the reader keeps beside the columns; JSON values only.
            complete: False when the import was cancelled.
        """
        for column in self.columns:
            column.finish()
        layout = self.layout
        data = {
            "format": FORMAT,
            "kind": kind,
            "rows": layout.rows,
            "complete": complete,
            "columns": [asdict(column) for column in layout.columns],
            "parts": [asdict(part) for part in parts],
            "extra": dict(extra),
        }
        (self.folder / LOCK).touch()
        unfinished = self.folder / f"{HEADER}.new"
        unfinished.write_text(json.dumps(data, ensure_ascii=True), encoding="ascii")
        os.replace(unfinished, self.folder / HEADER)
        return layout


def column_file(folder: Path, index: int) -> Path:
    """File of the values or codes of a column."""
    return _file(folder, index)


def read_header(folder: Path) -> dict[str, Any]:
    """The JSON header of a store.

    Raises:
        OSError: there is none.
        ValueError: it is not a header of this format.
    """
    data = json.loads((folder / HEADER).read_text(encoding="ascii"))
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"{folder} is not a store of format {FORMAT}")
    return data


def open_store(folder: Path) -> Table:
    """The table of a finished store, its columns mapped read-only.

    Problems are not filled in: the reader that wrote the store words them from the header's `extra`.

    Raises:
        OSError, ValueError: no store, or a damaged one.
    """
    data = read_header(folder)
    try:
        columns = tuple(
            StoredColumn(ColumnInfo(**column["info"]), column["texts"], column["text_bytes"])
            for column in data["columns"]
        )
        parts = tuple(TablePart(**part) for part in data["parts"])
        table = map_layout(Layout(str(folder), data["rows"], columns), data["kind"])
        return replace(table, parts=parts, complete=bool(data["complete"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder} holds a damaged header: {error}") from error


def map_layout(layout: Layout, kind: str) -> Table:
    """A table over what `layout` says is there; for a store that still grows.

    Raises:
        OSError: files are missing or shorter than the layout says.
    """
    folder = Path(layout.folder)
    columns = tuple(_mapped_column(folder, index, column, layout.rows) for index, column in enumerate(layout.columns))
    return Table(kind, columns, complete=False)


def _mapped_column(folder: Path, index: int, column: StoredColumn, rows: int) -> Column:
    values = mapped(_file(folder, index), _DTYPES[column.info.kind], rows)
    if column.info.kind == "number":
        return NumberColumn(column.info, values)
    if column.info.kind == "time":
        return TimeColumn(column.info, values)
    data = mapped(_file(folder, index, "bytes."), _BYTES, column.text_bytes)
    ends = mapped(_file(folder, index, "ends."), _ENDS, column.texts)
    return TextColumn(column.info, values, StringTable(data, ends))


def _file(folder: Path, index: int, part: str = "") -> Path:
    return folder / f"c{index:03d}.{part}npy"

"""Blocks of records → the columns of a store: parsing, conversion, counting of what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tui.model.table import MISSING_NS, ColumnInfo, TablePart
from tui.readers.csv_cells import EXACT_WHOLE, Numbers, TextPool, numbers, times
from tui.readers.csv_defects import Defect, Tally, as_json
from tui.readers.csv_dialect import clean, pieces, records
from tui.readers.csv_plan import AS_TEXT, AS_US, FieldPlan, PartPlan, Plan, Reinterpret
from tui.readers.csv_repair import Field, Mended, field_like, mend
from tui.store.columns import Layout, StoreWriter

if TYPE_CHECKING:
    from tui.readers.csv_parse import RegularParser

_NEVER_WHOLE = ("us", "ns", "ms", "s", "pct", "ratio", "gb_s", "mb_s", "kb_s")
_FIRST_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 22
_PIECE_BYTES = 1 << 16
_PIECES = 8


class Sink:
    """Takes blocks of the files of a plan, in order, and writes their rows.

    Args:
        folder: Empty folder of the store.
        with_pandas: Parse with pandas; without it every record is split one by one, which starts faster and suits small
            files.
    """

    def __init__(self, plan: Plan, folder: Path, with_pandas: bool) -> None:
        self.plan = plan
        self.tally = Tally()
        self.tally.add_all(plan.defects)
        self.writer = StoreWriter(folder, plan.columns)
        self.rows = 0
        self.parts: list[TablePart] = []
        self.pools = [TextPool() if info.kind == "text" else None for info in plan.columns]
        self.whole = [info.kind == "number" and info.unit not in _NEVER_WHOLE for info in plan.columns]
        self._with_pandas = with_pandas
        self._parser: RegularParser | None = None
        self._fields: list[Field] = []
        self._parsed = self._mended = 0

    def begin(self, part: PartPlan) -> None:
        """The next blocks come from this file."""
        self.parts.append(TablePart(part.request.path, self.rows, 0))
        self._fields = [
            field_like(self.plan.columns[field.column].key, self.plan.columns[field.column].kind)
            if field.column >= 0
            else field_like("", "text")
            for field in part.fields
        ]
        if self._with_pandas:
            from tui.readers.csv_parse import RegularParser

            self._parser = RegularParser(part, self.plan.columns)

    def end(self, part: PartPlan) -> None:
        """The file given to `begin` has been read."""
        if not self.parts[-1].rows:
            self.tally.add(Defect("no_rows", part.request.path))

    def add(self, part: PartPlan, raw: bytes, last: bool) -> None:
        """Adds a block of whole records of the file given to `begin`.

        Args:
            last: Whether the block ends the file; its last line may be cut off.

        Raises:
            Reinterpret: a cell contradicts how its column is read.
            OSError: the store cannot be written.
        """
        cleaned = clean(raw)
        self._count(part, "nuls", cleaned.nuls)
        self._count(part, "foreign", cleaned.foreign_lines)
        self._count(part, "broken", cleaned.broken_lines)
        ends = last and not cleaned.data.endswith((b"\n", b"\r"))
        if self._mostly_irregular or not self._add_parsed(part, cleaned.data):
            self._add_irregular(part, cleaned.data, ends)

    def add_cells(self, part: PartPlan, columns: Sequence[NDArray[Any]]) -> None:
        """Adds rows as columns of cells: texts (dtype object), or numbers where they are parsed already."""
        rows = len(columns[0]) if columns else 0
        for field, cells in zip(part.fields, columns):
            if field.column >= 0:
                self._add_column(part, field, cells)
        for column, text in part.constants:
            self._add_constant(column, text, rows)
        for column in part.absent:
            self._add_constant(column, "", rows)
        self.rows += rows
        current = self.parts[-1]
        self.parts[-1] = TablePart(current.path, current.first_row, current.rows + rows)

    @property
    def layout(self) -> Layout:
        """What can be mapped now."""
        self._note_whole()
        return self.writer.layout

    def finish(self, complete: bool = True) -> None:
        """Completes the store."""
        self._note_whole()
        self.writer.finish(self.plan.kind, self.parts, {"defects": as_json(self.tally.defects)}, complete)

    def _note_whole(self) -> None:
        for column, whole in zip(self.writer.columns, self.whole):
            column.info = replace(column.info, whole=whole)

    def _count(self, part: PartPlan, code: str, count: int) -> None:
        if count:
            self.tally.add(Defect(code, part.request.path, count))

    def _count_rows(self, part: PartPlan, code: str, rows: Sequence[int]) -> None:
        """Counts rows of the coming block (indices in it) with a fault."""
        if rows:
            self.tally.add(Defect(code, part.request.path, len(rows), self._row(rows[0])))

    def _row(self, index: int) -> int:
        """Number in the current file of a row of the coming block."""
        return self.parts[-1].rows + index + 1

    def _add_parsed(self, part: PartPlan, data: bytes) -> bool:
        """Adds records by the C parser, unless any of them is irregular."""
        columns = self._parser.parse(data) if self._parser else None
        if columns is None:
            return False
        self._parsed += 1
        self.add_cells(part, columns)
        return True

    def _add_irregular(self, part: PartPlan, data: bytes, cut_off: bool) -> None:
        """Adds records of which some are irregular: in pieces, so that few of them are split one by one."""
        cut = list(pieces(data, max(_PIECE_BYTES, len(data) // _PIECES)))
        if self._parser is None or self._mostly_irregular or len(cut) == 1:
            self._mend(part, data, cut_off)
            return
        for index, piece in enumerate(cut):
            if not self._add_parsed(part, piece):
                self._add_irregular(part, piece, cut_off and index == len(cut) - 1)

    @property
    def _mostly_irregular(self) -> bool:
        """Whether trying the C parser first is a waste of time."""
        return self._mended > 2 * self._parsed + _PIECES

    def _mend(self, part: PartPlan, data: bytes, cut_off: bool) -> None:
        """Adds records one by one."""
        self._mended += 1
        mended = mend(data, self._fields, part.delimiter)
        self._count_mended(part, mended, cut_off)
        self.add_cells(part, mended.columns)

    def _count_mended(self, part: PartPlan, mended: Mended, cut_off: bool) -> None:
        rows = len(mended.columns[0]) if mended.columns else 0
        short = list(mended.short)
        if cut_off and short and short[-1] == rows - 1:
            self._count_rows(part, "cut_off", [short.pop()])
            self._drop_cut_number(mended)
        self._count_rows(part, "short", short)
        self._count_rows(part, "long", mended.long)
        self._count_rows(part, "unclosed", mended.unclosed)

    def _drop_cut_number(self, mended: Mended) -> None:
        """The last cell of a row that is cut off may lack digits: a number or time is no longer one."""
        for field, cells in zip(reversed(self._fields), reversed(mended.columns)):
            if cells[-1]:
                cells[-1] = cells[-1] if field.joinable else ""
                return

    def _add_column(self, part: PartPlan, field: FieldPlan, cells: NDArray[Any]) -> None:
        info = self.plan.columns[field.column]
        if info.kind == "text":
            self._add_texts(field.column, cells)
        elif info.kind == "time":
            self._add_times(part, field, info, cells)
        else:
            self._add_numbers(part, field, info, cells)

    def _add_texts(self, column: int, cells: NDArray[Any]) -> None:
        pool = self.pools[column]
        assert pool is not None
        codes = pool.codes(cells) if self._with_pandas else pool.codes_one_by_one(cells.tolist())
        self._append_codes(column, pool, codes)

    def _append_codes(self, column: int, pool: TextPool, codes: NDArray[np.int32]) -> None:
        self.writer.columns[column].add_texts(pool.take_fresh())
        self.writer.columns[column].append(codes)

    def _add_times(self, part: PartPlan, field: FieldPlan, info: ColumnInfo, cells: NDArray[Any]) -> None:
        found = times(cells, field.places)
        if found.decimals and field.places_guessed:
            raise Reinterpret(info.key, AS_US)
        self._count_cells("not_time", part, info, cells, found.wrong)
        self._count_cells("inexact", part, info, cells, found.inexact)
        self.writer.columns[field.column].append(found.values)

    def _add_numbers(self, part: PartPlan, field: FieldPlan, info: ColumnInfo, cells: NDArray[Any]) -> None:
        found = Numbers(cells) if cells.dtype != object else numbers(cells.tolist())
        guessed = field.column in self.plan.guessed
        if guessed and found.wrong:
            raise Reinterpret(info.key, AS_TEXT)
        self._count_cells("not_number", part, info, cells, found.wrong)
        values = found.values / field.divisor if field.divisor > 1 else found.values
        if guessed and (np.abs(values[np.isfinite(values)]) >= EXACT_WHOLE).any():
            raise Reinterpret(info.key, AS_TEXT)
        if self.whole[field.column]:
            finite = values[np.isfinite(values)]
            self.whole[field.column] = bool((finite == np.floor(finite)).all())
        self.writer.columns[field.column].append(values)

    def _count_cells(
        self, code: str, part: PartPlan, info: ColumnInfo, cells: NDArray[Any], wrong: Sequence[int]
    ) -> None:
        if wrong:
            sample = str(cells[wrong[0]]).strip()
            self.tally.add(
                Defect(code, part.request.path, len(wrong), self._row(wrong[0]), info.heading or info.key, sample)
            )

    def _add_constant(self, column: int, text: str, rows: int) -> None:
        """Rows of one text, or of missing numbers and times."""
        kind = self.plan.columns[column].kind
        pool = self.pools[column]
        if pool is not None:
            self._append_codes(column, pool, np.full(rows, pool.code_of_text(text), np.int32))
        elif kind == "time":
            self.writer.columns[column].append(np.full(rows, MISSING_NS, np.int64))
        else:
            self.writer.columns[column].append(np.full(rows, np.nan))


class _Unreadable(Exception):
    """The source, not the store, failed."""


def add_part(sink: Sink, part: PartPlan, start: int, stop: int, whole: bool = True) -> Iterator[int]:
    """Adds the records of a byte range of a file, block by block; yields the offset of the end of each.

    Args:
        whole: Whether a record ends at `stop`. When not, the records that end before it are added.
    """
    try:
        for block, offset in _blocks(part, start, stop, whole):
            sink.add(part, block, last=offset >= part.size)
            yield offset
    except _Unreadable as error:
        sink.tally.add(Defect("unreadable", part.request.path, sample=str(error)))


def _blocks(part: PartPlan, start: int, stop: int, whole: bool) -> Iterator[tuple[bytes, int]]:
    try:
        with open(part.file, "rb") as file:
            yield from records(file, start, stop, _FIRST_BYTES, _BLOCK_BYTES, whole)
    except OSError as error:
        raise _Unreadable(error.strerror or str(error)) from error

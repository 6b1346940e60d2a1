"""A view of a table as text, CSV, TSV, JSON or Markdown, in pieces, so that a million rows need no million objects.

JSON and CSV carry canonical keys and every digit; text and Markdown carry the headings and units of the screen.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.model.cells import CellFormat, cell_format, plain_texts
from tui.model.table import MISSING_NS, Column, NumberColumn, TextColumn, TimeColumn
from tui.model.text import cell_width, escaped_unicode, markdown_text, padded, shown
from tui.units import GlyphSet, TimeChoice

TableFormat = Literal["text", "csv", "tsv", "json", "md"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("text", "csv", "tsv", "json", "md")

_ROWS_AT_ONCE = 4096

Columns = Sequence[Column]
Rows = NDArray[np.intp]


def table_pieces(
    columns: Columns,
    rows: Rows,
    form: TableFormat,
    glyphs: GlyphSet = "blocks",
    units: TimeChoice = "auto",
) -> Iterator[str]:
    """The given rows of the given columns in one of the formats, as pieces that end with a newline."""
    if form == "text":
        return _text_pieces(columns, rows, glyphs, units)
    if form == "md":
        return _markdown_pieces(columns, rows, glyphs, units)
    if form == "json":
        return _json_pieces(columns, rows)
    return _separated_pieces(columns, rows, form)


def _blocks(rows: Rows) -> Iterator[Rows]:
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[first : first + _ROWS_AT_ONCE]


def _formats(columns: Columns, units: TimeChoice, glyphs: GlyphSet) -> list[CellFormat]:
    """Formats of the columns; points in time of all of them count from the same one."""
    known = [column.values[column.values != MISSING_NS] for column in columns if isinstance(column, TimeColumn)]
    origin = min((int(values.min()) for values in known if len(values)), default=None)
    return [cell_format(column, units, glyphs, origin) for column in columns]


def _text_pieces(columns: Columns, rows: Rows, glyphs: GlyphSet, units: TimeChoice) -> Iterator[str]:
    formats = _formats(columns, units, glyphs)
    widths = [cell_width(form.title) for form in formats]
    for block in _blocks(rows):
        for place, form in enumerate(formats):
            widths[place] = max(widths[place], *map(cell_width, form.texts(block)))
    yield _text_line([form.title for form in formats], widths, [form.right for form in formats])
    for block in _blocks(rows):
        cells = zip(*(form.texts(block) for form in formats))
        yield "".join(_text_line(line, widths, [form.right for form in formats]) for line in cells)


def _text_line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return "  ".join(map(padded, cells, widths, right)).rstrip() + "\n"


def _markdown_pieces(columns: Columns, rows: Rows, glyphs: GlyphSet, units: TimeChoice) -> Iterator[str]:
    formats = _formats(columns, units, glyphs)
    yield _markdown_line([form.title for form in formats])
    yield _markdown_line(["---:" if form.right else "---" for form in formats])
    for block in _blocks(rows):
        yield "".join(_markdown_line(line) for line in zip(*(form.texts(block) for form in formats)))


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown_text, cells)) + " |\n"


def _separated_pieces(columns: Columns, rows: Rows, form: TableFormat) -> Iterator[str]:
    line = _csv_writer() if form == "csv" else _tsv_line
    yield line([column.info.key for column in columns])
    safe = [isinstance(column, TextColumn) for column in columns]
    for block in _blocks(rows):
        cells = [
            [csv_text(text) if form == "csv" else shown(text) for text in texts] if is_text else texts
            for is_text, texts in zip(safe, (plain_texts(column, block) for column in columns))
        ]
        yield "".join(line(values) for values in zip(*cells))


def _csv_writer() -> Callable[[Sequence[str]], str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")

    def line(cells: Sequence[str]) -> str:
        writer.writerow(cells)
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text

    return line


def _tsv_line(cells: Sequence[str]) -> str:
    return "\t".join(cells) + "\n"


def csv_text(text: str) -> str:
    """A text cell that no spreadsheet runs as a formula and no terminal obeys; line breaks inside stay."""
    lines = text.replace("\r\n", "\n").split("\n")
    safe = "\n".join(map(shown, lines))
    return f"'{safe}" if safe[:1] in ("=", "+", "-", "@") and not _is_number(safe) else safe


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _json_pieces(columns: Columns, rows: Rows) -> Iterator[str]:
    before = "[\n"
    for block in _blocks(rows):
        cells = zip(*(json_texts(column, block) for column in columns))
        keys = [f"{json.dumps(column.info.key)}: " for column in columns]
        lines = ("{" + ", ".join(map(str.__add__, keys, line)) + "}" for line in cells)
        yield before + ",\n".join(lines)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def json_texts(column: Column, rows: Rows) -> list[str]:
    """JSON of each cell: text as in the file, whole numbers as ints, times as integer ns, missing numbers as null."""
    if isinstance(column, TextColumn):
        codes: list[int] = column.codes[rows].tolist()
        encoded = {code: json_text(column.strings[code]) for code in set(codes)}
        return [encoded[code] for code in codes]
    values = column.values[rows].tolist()
    if not isinstance(column, NumberColumn):
        return ["null" if value == MISSING_NS else str(value) for value in values]
    whole = column.info.whole
    return [json.dumps(json_number(value, whole)) for value in values]


def json_number(value: float, whole: bool = False) -> float | int | None:
    """A number for JSON: None for NaN and ±Inf, an int in a column of whole numbers."""
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if whole and value == int(value) else value


def json_text(text: str) -> str:
    """A text for JSON, with the characters escaped that a terminal could obey."""
    return escaped_unicode(json.dumps(text, ensure_ascii=False))

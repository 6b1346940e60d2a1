"""Before the rows: which columns a table has, and which field of which file goes where.

Headings tell most; what they leave open is decided by a sample of rows. When a later row contradicts the sample,
`Reinterpret` says how the column must be read instead, and reading starts over: rare, and the only way to keep columns
of one type.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui.i18n import _
from tui.model.table import ColumnInfo
from tui.readers.csv_cells import EXACT_WHOLE, is_missing, number_of, stripped
from tui.readers.csv_defects import Defect
from tui.readers.csv_dialect import Head, read_head
from tui.readers.csv_json import spooled_csv
from tui.readers.csv_repair import field_like, mend
from tui.readers.headings import (
    APIS,
    COMMUNICATION,
    OP_TYPES,
    OPS,
    STEPS,
    TASKS,
    Heading,
    canonical_headings,
    family_of,
)

_DEVICE_FAMILIES = (OPS, OP_TYPES, TASKS, STEPS, COMMUNICATION)
_MAX_FIELDS = 1000
"""Real tables have up to 60; more comes from files that are no tables."""

_NS_PLACES = 0
_US_PLACES = 3

AS_TEXT = "text"
AS_US = "us"
Forced = Mapping[str, str]
"""Canonical key → `AS_TEXT` or `AS_US`: what a later row taught about a column."""


class Reinterpret(Exception):
    """A cell contradicts how its column is read; start over with this knowledge."""

    def __init__(self, key: str, how: str) -> None:
        super().__init__(key, how)
        self.key = key
        self.how = how


@dataclass(frozen=True)
class PartRequest:
    """One file to read. Small and picklable."""

    path: str
    device: str = ""
    """Device of rows that do not say it themselves."""
    file_kind: str = ""
    """Kind in the file's name (`op_summary`, `kernel_details` …)."""


@dataclass(frozen=True)
class TableRequest:
    """Files that make up one table, in order: slices, devices, ranks."""

    kind: str
    """Kind of the table: `ops`, `op-types`, `apis`, or the kind in the file's name."""
    parts: tuple[PartRequest, ...]


@dataclass(frozen=True)
class FieldPlan:
    """Where one field of a file goes."""

    column: int
    """Index of the table's column, or -1 for a field that is passed over (a blank heading at the end)."""
    divisor: int = 1
    places: int = _US_PLACES
    """For times: decimal places between the file's unit and ns."""
    misses: bool = False
    """Whether the sample has missing cells."""
    places_guessed: bool = False
    """Whether `places` was guessed from whole cells."""


@dataclass(frozen=True)
class PartPlan:
    """How one file is read."""

    request: PartRequest
    file: str
    """What is read: the file itself, or the CSV form of a JSON summary."""
    size: int
    data_start: int
    delimiter: str
    fields: tuple[FieldPlan, ...]
    constants: tuple[tuple[int, str], ...] = ()
    """(column, text) of columns that the file does not have and that are filled with one text."""
    absent: tuple[int, ...] = ()
    """Columns that the file does not have."""


@dataclass(frozen=True)
class Plan:
    """How a table is read."""

    kind: str
    columns: tuple[ColumnInfo, ...]
    guessed: frozenset[int]
    """Columns whose kind was guessed from the sample."""
    parts: tuple[PartPlan, ...]
    defects: tuple[Defect, ...] = ()

    @property
    def bytes_total(self) -> int:
        """Size of all files."""
        return sum(part.size for part in self.parts)


@dataclass
class _Union:
    """Columns met so far, over all files."""

    infos: list[ColumnInfo] = field(default_factory=list)
    guessed: set[int] = field(default_factory=set)
    index: dict[str, int] = field(default_factory=dict)

    def add(self, info: ColumnInfo, guessed: bool) -> int:
        found = self.index.get(info.key)
        if found is None:
            found = self.index[info.key] = len(self.infos)
            self.infos.append(info)
            if guessed:
                self.guessed.add(found)
        elif self.infos[found].kind != info.kind and self.infos[found].kind != "time":
            self.infos[found] = replace(self.infos[found], kind="text")
        return found


def make_plan(request: TableRequest, spool: Path, forced: Forced | None = None) -> Plan:
    """Looks at the heads of all files. Files that cannot be read become defects.

    Args:
        spool: Folder for the CSV form of JSON summaries.
        forced: What an earlier attempt taught.
    """
    union = _Union()
    defects: list[Defect] = []
    plans: list[PartPlan] = []
    for part in request.parts:
        file = _file_of(part, spool, defects)
        head = _head(part, file, defects) if file else None
        if head is not None:
            plans.append(_part_plan(part, file, head, union, forced or {}, defects))
    plans = _with_constants(plans, union)
    count = len(union.infos)
    plans = [replace(plan, absent=_absent(plan, count)) for plan in plans]
    return Plan(request.kind, tuple(union.infos), frozenset(union.guessed), tuple(plans), tuple(defects))


def _absent(plan: PartPlan, count: int) -> tuple[int, ...]:
    present = {item.column for item in plan.fields} | {column for column, _text in plan.constants}
    return tuple(index for index in range(count) if index not in present)


def _file_of(part: PartRequest, spool: Path, defects: list[Defect]) -> str:
    """The CSV file to read for a part; empty when there is none."""
    if not part.path.endswith(".json"):
        return part.path
    try:
        return str(spooled_csv(Path(part.path), spool))
    except OSError as error:
        defects.append(Defect("unreadable", part.path, sample=error.strerror or str(error)))
    except ValueError as error:
        defects.append(Defect("broken_json", part.path, sample=str(error)))
    return ""


def _head(part: PartRequest, file: str, defects: list[Defect]) -> Head | None:
    try:
        if Path(file).exists() and not Path(file).is_file():
            raise OSError(errno.EINVAL, _("not a file"))  # a pipe would be waited for without end
        with open(file, "rb") as stream:
            head = read_head(stream)
    except OSError as error:
        defects.append(Defect("unreadable", part.path, sample=error.strerror or str(error)))
        return None
    if head.cells:
        return head
    defects.append(Defect("not_text" if head.size else "empty", part.path))
    return None


def _part_plan(
    part: PartRequest, file: str, head: Head, union: _Union, forced: Forced, defects: list[Defect]
) -> PartPlan:
    headings = canonical_headings(head.cells, part.file_kind)
    samples = _samples(head, headings)
    fields = []
    if len(headings) > _MAX_FIELDS:
        defects.append(Defect("wide", part.path, len(headings)))
    for index, (heading, cells) in enumerate(zip(headings, samples)):
        last_blank = index and not heading.info.heading and not any(cell.strip() for cell in cells)
        fields.append(
            FieldPlan(-1) if last_blank or index >= _MAX_FIELDS else _field_plan(heading, cells, union, forced)
        )
    return PartPlan(part, file, head.size, head.data_start, head.delimiter, tuple(fields))


def _samples(head: Head, headings: Sequence[Heading]) -> list[list[str]]:
    """Cells of the sample rows, by field."""
    fields = [field_like(heading.info.key, heading.info.kind) for heading in headings]
    mended = mend(head.sample, fields, head.delimiter)
    return [column.tolist() for column in mended.columns]


def _field_plan(heading: Heading, cells: Sequence[str], union: _Union, forced: Forced) -> FieldPlan:
    info = heading.info
    if info.kind == "time":
        return _time_plan(heading, cells, union, forced)
    guessed = False
    if forced.get(info.key) == AS_TEXT:
        info = replace(info, kind="text")
    elif heading.certain and info.kind == "number":
        info = replace(info, kind="text" if _mostly_text(cells) else "number")
    elif not heading.certain:
        guessed = _all_numbers(cells)
        info = replace(info, kind="number" if guessed else "text")
    return FieldPlan(union.add(info, guessed), heading.divisor, misses=any(map(is_missing, cells)))


def _time_plan(heading: Heading, cells: Sequence[str], union: _Union, forced: Forced) -> FieldPlan:
    places = heading.scale
    if places is not None:
        return FieldPlan(union.add(heading.info, False), places=places)
    decimals = forced.get(heading.info.key) == AS_US or any("." in cell for cell in cells)
    places = _US_PLACES if decimals else _NS_PLACES
    return FieldPlan(union.add(heading.info, False), places=places, places_guessed=not decimals)


def _mostly_text(cells: Sequence[str]) -> bool:
    values = [cell for cell in cells if not is_missing(cell)]
    wrong = sum(number_of(cell) is None for cell in values)
    return wrong * 2 > len(values)


def _all_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells that hold something are numbers that float64 keeps, and at least one does."""
    values = [number_of(cell) for cell in cells if not is_missing(cell)]
    return (
        bool(values)
        and all(value is not None and abs(value) < EXACT_WHOLE for value in values)
        and not any(_is_padded(cell) for cell in cells)
    )


def _is_padded(cell: str) -> bool:
    """`007` is a label, not a number."""
    text = stripped(cell)
    return len(text) > 1 and text[0] == "0" and text.isdigit()


def _with_constants(plans: Sequence[PartPlan], union: _Union) -> list[PartPlan]:
    """Adds columns that the files do not have but their place or kind tells: device, level of runtime calls."""
    filled = list(plans)
    derived = (
        (ColumnInfo("device_id", "", "text"), _device_of),
        (ColumnInfo("level", "", "text"), _level_of),
    )
    for info, text_of in derived:
        texts = [text_of(plan.request) for plan in plans]
        known = union.index.get(info.key)
        if not any(texts) and known is None:
            continue
        missing = [index for index, plan in enumerate(filled) if known not in {item.column for item in plan.fields}]
        if known is None and not any(texts[index] for index in missing):
            continue
        if not missing:
            continue
        column = union.add(info, False)
        for index in missing:
            filled[index] = replace(filled[index], constants=(*filled[index].constants, (column, texts[index])))
    return filled


def _device_of(part: PartRequest) -> str:
    return part.device if family_of(part.file_kind) in _DEVICE_FAMILIES else ""


def _level_of(part: PartRequest) -> str:
    return "runtime" if part.file_kind == "runtime_api" and family_of(part.file_kind) == APIS else ""

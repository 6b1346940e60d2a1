"""The text dialects of the exports: decimals from whole nanoseconds, CSV with literal quotes, one-line JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Union

from generator.measures import rounded
from generator.network import Tensor

Cell = Union[str, int]
NONE_ID = 4294967295


def micros(ns: int) -> str:
    """Nanoseconds as microseconds without needless zeros: `3170.625`, `412.0`, `0`."""
    if ns == 0:
        return "0"
    whole, rest = divmod(ns, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") + ("0" if rest == 0 else "")


def stamp(ns: int) -> str:
    """Nanoseconds as microseconds with exactly three decimals: `1716283813097.724`."""
    return f"{ns // 1000}.{ns % 1000:03d}"


def share_pct(part: int, whole: int, places: int) -> str:
    """A part of a whole in percent, needless zeros dropped."""
    return plain(rounded(Decimal(100 * part) / Decimal(whole), places))


def plain(value: Decimal) -> str:
    """A decimal as Python prints a float of it."""
    if value == 0:
        return "0.0"
    text = f"{value:f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def shapes(tensors: Sequence[Tensor]) -> str:
    """Shapes of several tensors, with the quotes the exporter stores in the text itself."""
    return '"' + ";".join(",".join(str(side) for side in tensor.shape) for tensor in tensors) + '"'


def joined(tensors: Sequence[Tensor], field: str) -> str:
    """One text field of several tensors joined by semicolons."""
    return ";".join(str(getattr(tensor, field)) for tensor in tensors)


def tensor_cells(inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[Cell]:
    """The six columns that describe inputs and outputs."""
    cells: list[Cell] = []
    for side in (inputs, outputs):
        cells += [shapes(side), joined(side, "dtype"), joined(side, "layout")]
    return cells


def table(header: str, rows: Iterable[Sequence[Cell]], line_end: str = "\n") -> str:
    """A CSV text with its header line."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=line_end)
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return buffer.getvalue()


def one_line(value: object, separators: tuple[str, str] = (", ", ": ")) -> str:
    """JSON in one line."""
    return json.dumps(value, separators=separators)

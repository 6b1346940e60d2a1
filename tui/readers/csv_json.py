"""`--summary-format=json`: the same tables as a JSON list of objects keyed by the CSV headings (formats: msprof §2)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any


def spooled_csv(source: Path, folder: Path) -> Path:
    """Writes the rows of a JSON summary as CSV into `folder` and returns that file. Numbers keep their digits.

    Raises:
        OSError: the source cannot be read or the copy not written.
        ValueError: it is no JSON list of objects.
    """
    try:
        rows = json.loads(source.read_bytes(), parse_float=str, parse_int=str)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if isinstance(rows, dict):
        rows = rows.get("data", rows)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("no list of objects")
    headings = list(dict.fromkeys(str(key) for row in rows for key in row))
    target = folder / f"{len(list(folder.glob('rows*.csv')))}".join(("rows", ".csv"))
    with open(target, "w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        if headings:
            writer.writerow(headings)
        writer.writerows([_cell(row.get(heading)) for heading in headings] for row in rows)
    return target


def _cell(value: Any) -> str:
    if value is None:
        return "N/A"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

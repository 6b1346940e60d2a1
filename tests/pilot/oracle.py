"""What the files of a profile say, read with nothing but the standard library."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path


def rows_of(profile: Path, kind: str) -> list[dict[str, str]]:
    """Rows of the only table of a kind below `profile`, cells stripped of blanks and doubled quotes."""
    (path,) = profile.rglob(f"{kind}_[0-9]*.csv")
    with path.open(newline="", encoding="utf-8") as file:
        return [{key: cell.strip().strip('"') for key, cell in row.items()} for row in csv.DictReader(file)]


def longest_first(profile: Path) -> list[dict[str, str]]:
    """Rows of op_summary by duration, ties by start."""
    rows = rows_of(profile, "op_summary")
    start = "Task Start Time(us)"
    return sorted(rows, key=lambda row: (-Decimal(row["Task Duration(us)"]), Decimal(row[start])))

"""The files of a path as a table, for the Files screen and `table files`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tui.model.sources import Sources
from tui.model.table import ColumnInfo, NumberColumn, Table, TextColumn


def text_column(key: str, texts: Sequence[str], heading: str = "") -> TextColumn:
    """A text column from one text per row."""
    distinct = list(dict.fromkeys(texts))
    place = {text: code for code, text in enumerate(distinct)}
    return TextColumn(ColumnInfo(key, heading, "text"), np.array([place[text] for text in texts], np.int32), distinct)


def files_table(sources: Sources) -> Table:
    """One row per file of every profile: where it is (from the path opened), what it is, whether it is used."""
    pairs = [(profile, file) for profile in sources.profiles for file in profile.files]
    columns = (
        text_column("path", [_below(file.path, sources.path) for _profile, file in pairs]),
        text_column("profile", [profile.name for profile, _file in pairs]),
        text_column("role", [file.role for _profile, file in pairs]),
        text_column("kind", [file.kind for _profile, file in pairs]),
        _whole("size_bytes", [float(file.size_bytes) for _profile, file in pairs], "bytes"),
        text_column("device_id", [file.device for _profile, file in pairs]),
        text_column("iteration", [file.iteration for _profile, file in pairs]),
        _whole("slice", [float("nan") if file.slice is None else float(file.slice) for _profile, file in pairs]),
        text_column("date", [file.date for _profile, file in pairs]),
        text_column("used", ["yes" if file.used else "no" for _profile, file in pairs]),
        text_column("note", [file.note for _profile, file in pairs]),
    )
    return Table("files", columns)


def _below(path: Path, base: Path) -> str:
    """The path as seen from `base`; the whole path for what does not lie below it."""
    return path.relative_to(base).as_posix() if base in path.parents else str(path)


def _whole(key: str, values: Sequence[float], unit: str = "") -> NumberColumn:
    return NumberColumn(ColumnInfo(key, "", "number", unit, whole=True), np.array(values, np.float64))

"""Rows kept beside a timeline's store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.timelines import make_timeline
from tui.model.lod import Rows
from tui.model.timeline import Timeline, empty_timeline
from tui.store.rows_store import HEADER, open_rows, rows_of


def timeline(count: int = 100) -> Timeline:
    return make_timeline([("a", "x", 10 * place, 7 + 5 * (place % 3)) for place in range(count)])


def same(first: Rows, second: Rows) -> bool:
    mine, other = first.arrays(), second.arrays()
    return all(np.array_equal(mine[name], other[name]) for name in mine)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_kept_rows_are_the_built_ones(tmp_path: Path, count: int) -> None:
    events = timeline(count) if count else empty_timeline()
    first = rows_of(events, tmp_path)
    assert same(first, Rows.build(events))
    assert same(open_rows(tmp_path, count), first)
    assert [path.name for path in tmp_path.iterdir() if ".npy." in path.name or ".json." in path.name] == []


def test_kept_rows_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows_of(timeline(), tmp_path)
    monkeypatch.setattr(Rows, "build", None)
    assert rows_of(timeline(), tmp_path).bins([0], 0, 100, 4).count.sum() > 0


def test_rows_of_another_timeline_or_cut_short_are_built_anew(tmp_path: Path) -> None:
    rows_of(timeline(), tmp_path)
    longer = timeline(120)
    assert same(rows_of(longer, tmp_path), Rows.build(longer))
    with (tmp_path / "rows_starts.npy").open("r+b") as file:
        file.truncate(200)
    assert same(rows_of(longer, tmp_path), Rows.build(longer))
    (tmp_path / HEADER).write_text("{", encoding="ascii")
    assert same(rows_of(longer, tmp_path), Rows.build(longer))


def test_a_store_is_never_needed(tmp_path: Path) -> None:
    events = timeline()
    assert same(rows_of(events, None), Rows.build(events))
    assert same(rows_of(events, tmp_path / "missing"), Rows.build(events))

"""One pair looked at closely: distribution, worst elements, parts of slices; and files that have gone bad meanwhile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.dump_writer import Part, write_dump
from tui.dump.pair_view import BLOCK_COLUMNS, BLOCK_ROWS, cut_block, look_closely
from tui.dump.results import compare_now
from tui.model.dump import CompareRequest, PairRow

NAME = "Conv2D.conv.1.2.1718260600000700"


def pair(tmp_path: Path, ours: np.ndarray, golden: np.ndarray) -> tuple[PairRow, CompareRequest]:
    """The row of one operator's output."""
    for side, values, dtype in (("a", ours, "float16"), ("b", golden, "float32")):
        write_dump(tmp_path / side / NAME, "conv", (), [Part(values.astype(dtype), dtype)])
    request = CompareRequest(str(tmp_path / "a"), str(tmp_path / "b"))
    [row] = compare_now(request, 0).rows
    return row, request


def test_distribution_and_worst_element(tmp_path: Path) -> None:
    golden = np.linspace(70000, 110000, 1000).reshape(10, 100)
    row, request = pair(tmp_path, np.clip(golden, None, 65504), golden)
    [found] = look_closely(row, request, 12)
    assert found.problem == ""
    assert found.histogram is not None
    assert sum(found.histogram.a) == sum(found.histogram.b) == 1000
    edges = found.histogram.edges
    [full] = [at for at, count in enumerate(found.histogram.a) if count]
    assert found.histogram.a[full] == 1000
    assert edges[full] <= 65504 < edges[full + 1]
    assert sum(found.histogram.b[full + 1 :]) == 1000
    assert found.worst[0].index == (9, 99)
    assert (found.worst[0].a, found.worst[0].b) == (65504, 110000)
    assert len(found.worst) == 20


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (1, 2)])
def test_a_part_of_a_slice(tmp_path: Path, axes: tuple[int, int]) -> None:
    golden = np.arange(3 * 4 * 5, dtype=np.float32).reshape(3, 4, 5)
    row, request = pair(tmp_path, golden + 1, golden)
    [block] = cut_block(row, request, axes, (2, 3, 4), (1, 1))
    [outer] = {0, 1, 2} - set(axes)
    wanted = np.take(golden, (2, 3, 4)[outer], axis=outer)
    wanted = wanted if axes[0] < axes[1] else wanted.T
    assert block.problem == ""
    assert block.b.tolist() == wanted[1:, 1:].tolist()
    assert block.a.tolist() == (wanted[1:, 1:] + 1).tolist()
    assert block.at == tuple((2, 3, 4)[axis] if axis == outer else 0 for axis in range(3))


def test_a_part_is_bounded(tmp_path: Path) -> None:
    golden = np.ones((BLOCK_ROWS * 2, BLOCK_COLUMNS * 2), np.float32)
    row, request = pair(tmp_path, golden, golden)
    [block] = cut_block(row, request, (0, 1), (0, 0), (0, 0))
    assert block.a.shape == (BLOCK_ROWS, BLOCK_COLUMNS)


def test_vectors_and_scalars(tmp_path: Path) -> None:
    row, request = pair(tmp_path, np.arange(4), np.arange(4))
    [block] = cut_block(row, request, (0, 0), (0,), (0, 0))
    assert block.b.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("damage", ["gone", "empty", "garbage", "shorter"])
def test_a_file_that_went_bad_is_a_reason(tmp_path: Path, damage: str) -> None:
    values = np.ones((4, 4))
    row, request = pair(tmp_path, values, values)
    path = tmp_path / "b" / NAME
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "garbage": b"\xff" * 90, "shorter": data[:-8]}[damage])
    [found] = look_closely(row, request, 8)
    assert found.problem
    assert found.histogram is None
    [block] = cut_block(row, request, (0, 1), (0, 0), (0, 0))
    assert block.problem
    assert not block.a.size

"""The bundled operator dumps hold what their README promises; read with struct only."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_profiles"
SIDES = {"dump_fp16": ("e", 2), "dump_fp32": ("f", 4)}
CELLS = 1600
FP16_MAX = 65504.0
BRANCHES = ("Conv_44", "Conv_45", "Conv_46", "Conv_47")


def only(side: str, op: str) -> Path:
    [found] = (SAMPLES / side).rglob(f"*.{op}.*")
    return found


def tensors(side: str, op: str, count: int) -> list[list[float]]:
    """The last `count` maps of a file in logical order: of the float16 side they lie in blocks of 16 channels."""
    code, size = SIDES[side]
    data = only(side, op).read_bytes()[-count * CELLS * size :]
    found = [list(part) for part in struct.iter_unpack(f"<{CELLS}{code}", data)]
    if side == "dump_fp32":
        return found
    return [[part[place * 16 + channel] for channel in range(16) for place in range(100)] for part in found]


def output(side: str, op: str) -> list[float]:
    return tensors(side, op, 1)[0]


def cosine(ours: list[float], golden: list[float]) -> float:
    products = sum(a * b for a, b in zip(ours, golden))
    return products / math.sqrt(sum(a * a for a in ours) * sum(b * b for b in golden))


def test_the_dumps_are_small_and_lie_as_a_device_leaves_them() -> None:
    for side, count in (("dump_fp16", 20), ("dump_fp32", 19)):
        files = [path for path in (SAMPLES / side).rglob("*") if path.is_file()]
        assert len(files) == count
        assert {path.relative_to(SAMPLES / side).parts[1:-1] for path in files} == {("0", "fasterrcnn", "1", "0")}
        assert all(len(path.name.split(".")) == 5 and len(path.name.split(".")[4]) == 16 for path in files)
    assert (
        sum(path.stat().st_size for side in SIDES for path in (SAMPLES / side).rglob("*") if path.is_file()) < 1 << 20
    )


@pytest.mark.parametrize("side", SIDES)
def test_headers_fit_their_files(side: str) -> None:
    for path in (SAMPLES / side).rglob("*.*"):
        data = path.read_bytes()
        (header,) = struct.unpack_from("<Q", data)
        assert 0 < header < len(data) - 8
        assert data[8:13] == b"\x0a\x032.0"
        assert path.name.split(".")[1].encode() in data[8 : 8 + header]


def test_the_sum_diverges() -> None:
    ours, golden = output("dump_fp16", "AddN"), output("dump_fp32", "AddN")
    assert (min(golden), max(golden)) == (70683.0, 109508.0)
    assert max(ours) == FP16_MAX
    assert f"{cosine(ours, golden):.2f}" == "0.72"
    assert round(100 * ours.count(FP16_MAX) / CELLS) == 44
    below = [value for value in ours if value != FP16_MAX]
    assert len(below) > CELLS / 2
    assert min(below) > 0


def test_saturation_alone_would_not_give_that_cosine() -> None:
    golden = output("dump_fp32", "AddN")
    assert cosine([min(value, FP16_MAX) for value in golden], golden) > 0.9765


def test_its_producers_agree_and_are_its_inputs() -> None:
    for side in SIDES:
        inputs = tensors(side, "AddN", 5)[:4]
        assert inputs == [output(side, name) for name in BRANCHES]
    for name in BRANCHES:
        ours, golden = output("dump_fp16", name), output("dump_fp32", name)
        assert cosine(ours, golden) > 0.9999
        assert max(map(abs, golden)) < FP16_MAX


def test_both_sums_are_those_of_their_inputs() -> None:
    def half(value: float) -> float:
        clipped = min(max(value, -FP16_MAX), FP16_MAX)
        (rounded,) = struct.unpack("<e", struct.pack("<e", clipped))
        return float(rounded)

    a, b, c, d, total = tensors("dump_fp16", "AddN", 5)
    assert [half(half(half(v + w) + x) + y) for v, w, x, y in zip(a, b, c, d)] == total
    a, b, c, d, total = tensors("dump_fp32", "AddN", 5)
    assert [v + w + x + y for v, w, x, y in zip(a, b, c, d)] == total


def test_what_agrees_and_what_drifts_before_it() -> None:
    for name in ("Conv_0", "Relu_1", "Conv_12", "Add_15", "BatchNorm_21"):
        assert cosine(output("dump_fp16", name), output("dump_fp32", name)) > 0.9999
    assert f"{cosine(output('dump_fp16', 'Conv_30'), output('dump_fp32', 'Conv_30')):.3f}" == "0.986"

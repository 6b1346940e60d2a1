"""The tensors of a small part of a detector, worked out twice: in float32, and in float16 that saturates.

Up to the addition of four branches values are drawn and only rounded; what follows is computed from them, so that the
damage of the addition spreads as it does in a network.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CHANNELS, HEIGHT, WIDTH = 16, 10, 10
AREA = HEIGHT * WIDTH
MAP = (1, CHANNELS, HEIGHT, WIDTH)
IMAGE = (1, 3, 20, 20)
CELLS = (1, AREA, 8)
FP16_MAX = 65504.0
LEAST, MOST = 70683.0, 109508.0
"""What the addition spans in float32."""
SATURATED_SHARE = 0.442
"""Of the addition in float16; elsewhere a partial sum saturates before the negative branch comes."""
DEEP_SHARE = 0.8
"""Of the rest, how much nearly all is lost of."""
SEED = 20240521

Values = list[float]
Tensor = tuple[Values, tuple[int, ...]]
Round = Callable[[float], float]


@dataclass(frozen=True)
class Op:
    """One operator with its tensors as one side dumped them."""

    type: str
    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def to_float16(value: float) -> float:
    """Nearest float16; beyond its range the largest one, as saturation mode has it."""
    clipped = min(max(value, -FP16_MAX), FP16_MAX)
    return float(struct.unpack("<e", struct.pack("<e", clipped))[0])


def to_float32(value: float) -> float:
    """Nearest float32."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


class _Draw:
    """Numbers that are the same on every machine."""

    def __init__(self, name: str) -> None:
        self._random = random.Random(f"{SEED} {name}")

    def uniform(self, least: float, most: float) -> float:
        return least + (most - least) * self._random.random()

    def bell(self, deviation: float) -> float:
        """About normal: the sum of twelve uniform numbers."""
        return deviation * (sum(self._random.random() for _ in range(12)) - 6.0)


def _drawn(name: str, count: int, peak: float, places: int = 3) -> Values:
    """Values whose largest magnitude is `peak`."""
    draw = _Draw(name)
    values = [draw.bell(1.0) for _ in range(count)]
    scale = peak / max(map(abs, values))
    return [round(value * scale, places) for value in values]


def _branches() -> tuple[Values, ...]:
    """Branches, each within float16, whose sum spans `LEAST` … `MOST` in float32."""
    draw = _Draw("branches")
    sums = [round(LEAST + 400 + draw.uniform(0, 12_600) + draw.uniform(0, 12_600) + draw.uniform(0, 12_600))
            for _ in range(CHANNELS * AREA)]  # fmt: skip
    sums[417], sums[1138] = round(LEAST), round(MOST)
    branches: tuple[Values, ...] = ([], [], [], [])
    for total in sums:
        is_saturated = draw.uniform(0, 1) < SATURATED_SHARE
        deep = draw.uniform(61_600, 65_184) if draw.uniform(0, 1) < DEEP_SHARE else draw.uniform(26_000, 61_600)
        last = round(draw.uniform(600, 9_000)) if is_saturated else -round(deep)
        third = (total - last) / 3
        parts = [round(third + draw.uniform(-2_400, 2_400)) for _ in range(2)]
        for branch, value in zip(branches, (*parts, total - last - sum(parts), last)):
            branch.append(float(value))
    return branches


def _matrix(name: str, rows: int, columns: int, scale: float) -> list[Values]:
    draw = _Draw(name)
    return [[round(draw.bell(scale), 4) for _ in range(columns)] for _ in range(rows)]


def _pointwise(weights: Sequence[Values], values: Values, exact: Round) -> Values:
    """A 1 × 1 convolution."""
    return [
        exact(sum(weight * values[channel * AREA + place] for channel, weight in enumerate(row)))
        for row in weights
        for place in range(AREA)
    ]


def _to_cells(values: Values) -> Values:
    """Channels of a map as rows of 8 scores per cell."""
    return [values[channel * AREA + place] for place in range(AREA) for channel in range(8)]


def _softmax(values: Values, exact: Round) -> Values:
    scores: Values = []
    for start in range(0, len(values), 8):
        row = values[start : start + 8]
        powers = [math.exp(value - max(row)) for value in row]
        scores += [exact(power / sum(powers)) for power in powers]
    return scores


def _summed(parts: Sequence[Values], exact: Round) -> Values:
    """Added from left to right, every partial sum rounded."""
    totals = list(parts[0])
    for part in parts[1:]:
        totals = [exact(total + value) for total, value in zip(totals, part)]
    return totals


@dataclass(frozen=True)
class Precision:
    """How one side computes."""

    exact: Round
    error: float = 0.0
    """Relative error of drawn values, as accumulation in that type leaves it."""


FLOAT32_SIDE = Precision(to_float32)
FLOAT16_SIDE = Precision(to_float16, 4e-4)


class _Network:
    """The operators in the order in which they run, each made of tensors that are there already."""

    def __init__(self, precision: Precision) -> None:
        self.precision = precision
        self.tensors: dict[str, Tensor] = {}
        self.ops: list[Op] = []

    def add(self, type_: str, name: str, inputs: Sequence[str], values: Values, shape: tuple[int, ...] = MAP) -> None:
        self.tensors[name] = (values, shape)
        self.ops.append(Op(type_, name, tuple(self.tensors[source] for source in inputs), (self.tensors[name],)))

    def drawn(self, name: str, values: Values, errors: float = 1.0) -> Values:
        """Values as this side has them; `errors` times as inexact as usual."""
        error, draw, exact = self.precision.error * errors, _Draw(f"error of {name}"), self.precision.exact
        return [exact(value * (1.0 + draw.bell(error))) for value in values]

    def values(self, name: str) -> Values:
        return self.tensors[name][0]


def network(precision: Precision) -> list[Op]:
    """All operators of one side in execution order."""
    made = _Network(precision)
    _backbone(made)
    _addition(made)
    _heads(made)
    return made.ops


def _backbone(made: _Network) -> None:
    """Both sides agree here."""
    count, exact = CHANNELS * AREA, made.precision.exact
    made.tensors["image"] = (made.drawn("image", _drawn("image", 1200, 2.64), 0.0), IMAGE)
    made.add("Conv2D", "Conv_0", ["image"], made.drawn("Conv_0", _drawn("Conv_0", count, 5240)))
    made.add("Relu", "Relu_1", ["Conv_0"], [max(value, 0.0) for value in made.values("Conv_0")])
    made.add("Conv2D", "Conv_12", ["Relu_1"], made.drawn("Conv_12", _drawn("Conv_12", count, 13_900)))
    made.add("Add", "Add_15", ["Conv_12", "Relu_1"], _summed([made.values(n) for n in ("Conv_12", "Relu_1")], exact))
    residual = made.drawn("Sub_17", _drawn("Sub_17", CHANNELS, 2.1e-5, places=8), 30)
    made.add("Sub", "Sub_17", ["Add_15"], residual, (1, CHANNELS, 1, 1))
    made.add("BatchNorm", "BatchNorm_21", ["Add_15"], made.drawn("BatchNorm_21", _drawn("BatchNorm_21", count, 28_800)))
    made.add("Conv2D", "Conv_30", ["BatchNorm_21"], made.drawn("Conv_30", _drawn("Conv_30", count, 9_120), 410))


def _addition(made: _Network) -> None:
    """Four branches that agree, and their sum that does not."""
    names = ("Conv_44", "Conv_45", "Conv_46", "Conv_47")
    for name, values in zip(names, _branches()):
        made.add("Conv2D", name, ["BatchNorm_21"], made.drawn(name, values, 0.0))
    made.add("AddN", "AddN", names, _summed([made.values(name) for name in names], made.precision.exact))


def _heads(made: _Network) -> None:
    """What follows only inherits the damage."""
    exact = made.precision.exact
    made.add("Relu", "Relu_118", ["AddN"], [max(value, 0.0) for value in made.values("AddN")])
    mixed = _pointwise(_matrix("Conv_119", CHANNELS, CHANNELS, 0.065), made.values("Relu_118"), exact)
    made.add("Conv2D", "Conv_119", ["Relu_118"], mixed)
    scores = _pointwise(_matrix("Conv_128", 8, CHANNELS, 1e-4), made.values("Conv_119"), exact)
    made.add("Conv2D", "Conv_128", ["Conv_119"], scores, (1, 8, HEIGHT, WIDTH))
    made.add("Reshape", "Reshape_131", ["Conv_128"], _to_cells(scores), CELLS)
    made.add("SoftmaxV2", "Softmax_140", ["Reshape_131"], _softmax(made.values("Reshape_131"), exact), CELLS)
    boxes = _pointwise(_matrix("Conv_141", 4, CHANNELS, 4e-4), made.values("Conv_119"), exact)
    made.add("Conv2D", "Conv_141", ["Conv_119"], boxes, (1, 4, HEIGHT, WIDTH))
    if made.precision.exact is to_float16:
        made.add("Cast", "Cast_150", ["Conv_141"], boxes, (1, 4, HEIGHT, WIDTH))
    outputs = tuple(made.tensors[name] for name in ("Conv_141", "Softmax_140"))
    made.ops.append(Op("NetOutput", "Node_Output", outputs, ()))

"""Storage layouts of the device → logical shapes (formats: dump §2.5, §3).

A layout is one view of the stored elements: seen as `split`, axes put in `order`, neighbours merged, padding cut. C0
and N0 are read from the last stored dimension, never assumed. What does not fit keeps its stored shape and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Shape = tuple[int, ...]

_FORMATS = """
    NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0
    FRACTAL_DECONV_TRANSPOSE FRACTAL_DECONV_SP_STRIDE_TRANS NC1HWC0_C04 FRACTAL_Z_C04 CHWN
    FRACTAL_DECONV_SP_STRIDE8_TRANS HWCN NC1KHKWHWC0 BN_WEIGHT FILTER_HWCK HASHTABLE_LOOKUP_LOOKUPS
    HASHTABLE_LOOKUP_KEYS HASHTABLE_LOOKUP_VALUE HASHTABLE_LOOKUP_OUTPUT HASHTABLE_LOOKUP_HITS C1HWNCoC0
    MD NDHWC FRACTAL_ZZ FRACTAL_NZ NCDHW DHWCN NDC1HWC0 FRACTAL_Z_3D CN NC DHWNC FRACTAL_Z_3D_TRANSPOSE
    FRACTAL_ZN_LSTM FRACTAL_Z_G RESERVED ALL NULL ND_RNN_BIAS FRACTAL_ZN_RNN YUV YUV_A NCL
    FRACTAL_Z_WINO C1HWC0
""".split()

FORMAT_NAMES: dict[int, str] = dict(enumerate(_FORMATS))


def format_name(number: int) -> str:
    """Name of a format number; bits above the lowest eight hold groups and the C0 code."""
    primary = number & 0xFF
    return FORMAT_NAMES.get(primary, f"format {primary}")


@dataclass(frozen=True)
class Layout:
    """How the stored elements become the logical tensor."""

    split: Shape
    """The stored elements in C order, seen with this shape."""
    order: tuple[int, ...]
    """Axes of `split` in logical order."""
    groups: tuple[int, ...]
    """How many neighbouring ordered axes make one logical axis."""
    cut: Shape
    """Elements kept of each merged axis; the rest is padding."""
    shape: Shape
    """Logical shape; as many elements as `cut`."""

    @property
    def stored_elements(self) -> int:
        """Elements in the file, padding included."""
        return math.prod(self.split)

    @property
    def is_stored_order(self) -> bool:
        """Whether the stored elements are the logical ones, in the same order."""
        return self.order == tuple(range(len(self.order))) and math.prod(self.cut) == self.stored_elements

    def logical(self, stored: NDArray[Any]) -> NDArray[Any]:
        """The logical tensor of all stored elements; a view where it can be."""
        return self.piece(stored, self.split, self.cut).reshape(self.shape)

    def piece(self, stored: NDArray[Any], split: Shape, cut: Shape) -> NDArray[Any]:
        """A part of the tensor, whose stored elements have shape `split` and of which `cut` are kept."""
        ordered = stored.reshape(split).transpose(self.order)
        return ordered.reshape(self.merged(split))[tuple(slice(kept) for kept in cut)]

    def merged(self, split: Shape) -> Shape:
        """Sizes of the logical axes before padding is cut."""
        sizes, at = [], 0
        for count in self.groups:
            sizes.append(math.prod(split[axis] for axis in self.order[at : at + count]))
            at += count
        return tuple(sizes)


def as_stored(shape: Shape) -> Layout:
    """The stored elements are the tensor."""
    return Layout(shape, tuple(range(len(shape))), (1,) * len(shape), shape, shape)


def transposed(shape: Shape) -> Layout:
    """Fortran order: stored with the first axis running fastest."""
    axes = len(shape)
    return Layout(shape[::-1], tuple(reversed(range(axes))), (1,) * axes, shape, shape)


def layout_of(name: str, stored: Shape, original: Shape, sub_format: int = 0) -> Layout | None:
    """The way from `stored` to `original`; None when the two do not belong together as `name` would have them.

    Args:
        name: Layout as `format_name` tells it.
        original: Logical shape; the file does not say in which order of N, C, H, W: the one that fits is taken,
            channels first where two fit.
        sub_format: Groups of FRACTAL_Z; more than one is not converted.
    """
    if original == stored:
        return as_stored(stored)
    find = _FINDERS.get(name)
    if find is not None:
        return None if sub_format > 1 and name.startswith("FRACTAL_Z") else find(stored, original)
    if math.prod(original) == math.prod(stored):
        return Layout(stored, tuple(range(len(stored))), (1,) * len(stored), stored, original)
    return None


def _fits(padded: int, size: int, step: int) -> bool:
    return 0 <= padded - size < step


def _feature_map(stored: Shape, original: Shape) -> Layout | None:
    """NC1HWC0, C0 of any size."""
    if len(stored) != 5:
        return None
    n, c1, h, w, c0 = stored
    for logical in _with_four_axes(original, h, w):
        for letters, order, groups in _FEATURE_MAPS:
            size = dict(zip(letters, logical))
            if (size["n"], size["h"], size["w"]) == (n, h, w) and _fits(c1 * c0, size["c"], c0):
                return Layout(stored, order, groups, logical, original)
    return None


_FEATURE_MAPS = (
    ("nchw", (0, 1, 4, 2, 3), (1, 2, 1, 1)),
    ("nhwc", (0, 2, 3, 1, 4), (1, 1, 1, 2)),
    ("hwcn", (2, 3, 1, 4, 0), (1, 1, 2, 1)),
)


def _with_four_axes(original: Shape, h: int, w: int) -> list[Shape]:
    """`original` as (n, c, h, w): vectors and matrices are channels without an image (biases, pooled features)."""
    if len(original) == 4:
        return [original]
    if h == w == 1 and len(original) in (1, 2):
        return [(*((1,) * (2 - len(original))), *original, 1, 1)]
    return []


def _volume(stored: Shape, original: Shape) -> Layout | None:
    """NDC1HWC0."""
    if len(stored) != 6 or len(original) != 5:
        return None
    n, d, c1, h, w, c0 = stored
    for letters, order, groups in _VOLUMES:
        size = dict(zip(letters, original))
        if (size["n"], size["d"], size["h"], size["w"]) == (n, d, h, w) and _fits(c1 * c0, size["c"], c0):
            return Layout(stored, order, groups, original, original)
    return None


_VOLUMES = (
    ("ncdhw", (0, 2, 5, 1, 3, 4), (1, 2, 1, 1, 1)),
    ("ndhwc", (0, 1, 3, 4, 2, 5), (1, 1, 1, 1, 2)),
    ("dhwcn", (1, 3, 4, 2, 5, 0), (1, 1, 1, 2, 1)),
)


def _weights(stored: Shape, original: Shape) -> Layout | None:
    """FRACTAL_Z: (C1·H·W, N1, N0, C0)."""
    if len(stored) != 4 or len(original) != 4:
        return None
    fused, n1, n0, c0 = stored
    for letters, order, groups in _WEIGHTS:
        size = dict(zip(letters, original))
        c1 = -(-size["c"] // c0) if c0 else 0
        if c1 * size["h"] * size["w"] == fused and _fits(n1 * n0, size["n"], n0):
            return Layout((c1, size["h"], size["w"], n1, n0, c0), order, groups, original, original)
    return None


_WEIGHTS = (
    ("nchw", (3, 4, 0, 5, 1, 2), (2, 2, 1, 1)),
    ("hwcn", (1, 2, 0, 5, 3, 4), (1, 1, 2, 2)),
    ("nhwc", (3, 4, 1, 2, 0, 5), (2, 1, 1, 2)),
)


def _weights_3d(stored: Shape, original: Shape) -> Layout | None:
    """FRACTAL_Z_3D: (D·C1·H·W, N1, N0, C0)."""
    if len(stored) != 4 or len(original) != 5:
        return None
    fused, n1, n0, c0 = stored
    for letters, order, groups in _WEIGHTS_3D:
        size = dict(zip(letters, original))
        c1 = -(-size["c"] // c0) if c0 else 0
        if size["d"] * c1 * size["h"] * size["w"] == fused and _fits(n1 * n0, size["n"], n0):
            return Layout((size["d"], c1, size["h"], size["w"], n1, n0, c0), order, groups, original, original)
    return None


_WEIGHTS_3D = (
    ("ncdhw", (4, 5, 1, 6, 0, 2, 3), (2, 2, 1, 1, 1)),
    ("dhwcn", (0, 2, 3, 1, 6, 4, 5), (1, 1, 1, 2, 2)),
    ("ndhwc", (4, 5, 0, 2, 3, 1, 6), (2, 1, 1, 1, 2)),
)


def _matrix(stored: Shape, original: Shape) -> Layout | None:
    """FRACTAL_NZ: (…, N1, M1, M0, N0). A vector is one row."""
    if len(stored) < 4:
        return None
    *batch, n1, m1, m0, n0 = stored
    logical = (*((1,) * (2 - len(original))), *original)
    *logical_batch, m, n = logical
    if math.prod(batch) != math.prod(logical_batch) or not (_fits(m1 * m0, m, m0) and _fits(n1 * n0, n, n0)):
        return None
    return Layout((math.prod(batch), n1, m1, m0, n0), (0, 2, 3, 1, 4), (1, 2, 2), (math.prod(batch), m, n), original)


_FINDERS: dict[str, Callable[[Shape, Shape], Layout | None]] = {
    "NC1HWC0": _feature_map,
    "NC1HWC0_C04": _feature_map,
    "NDC1HWC0": _volume,
    "FRACTAL_Z": _weights,
    "FRACTAL_Z_3D": _weights_3d,
    "FRACTAL_NZ": _matrix,
}


MAX_AXES = 32
"""Axes that every numpy can hold."""

_MAX_ELEMENTS = 1 << 62


def is_possible(shape: Shape) -> bool:
    """Whether an array of this shape can exist; headers may declare anything (2^64 - 1 stands for an unknown size)."""
    if len(shape) > MAX_AXES or min(shape, default=0) < 0:
        return False
    return math.prod(max(1, size) for size in shape) < _MAX_ELEMENTS

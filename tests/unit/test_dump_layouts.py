"""Which layout belongs to which logical shape, by hand; the numbers of the formats."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tui.dump.layouts import FORMAT_NAMES, Shape, format_name, is_possible, layout_of


@pytest.mark.parametrize(
    ("name", "stored", "original"),
    [
        ("NC1HWC0", (1, 2, 4, 4, 16), (1, 32, 4, 4)),
        ("NC1HWC0", (1, 2, 4, 4, 16), (1, 17, 4, 4)),
        ("NC1HWC0_C04", (1, 1, 4, 4, 4), (1, 3, 4, 4)),
        ("FRACTAL_NZ", (2, 2, 16, 16), (17, 32)),
        ("FRACTAL_NZ", (6, 2, 2, 16, 16), (2, 3, 32, 20)),  # batches of several axes, stored as one
        ("FRACTAL_NZ", (2, 1, 16, 16), (17,)),
        ("FRACTAL_Z", (9, 2, 16, 16), (20, 16, 3, 3)),
        ("FRACTAL_Z", (9, 1, 16, 16), (3, 3, 16, 12)),  # HWCN
        ("NDC1HWC0", (1, 2, 1, 4, 4, 16), (1, 16, 2, 4, 4)),
        ("FRACTAL_Z_3D", (18, 1, 16, 16), (8, 16, 2, 3, 3)),
        ("ND", (1, 1, 6), (2, 3)),  # the same elements in another shape
        ("NHWC", (2, 3, 4, 5), (2, 3, 4, 5)),
    ],
)
def test_shapes_that_belong_together(name: str, stored: Shape, original: Shape) -> None:
    layout = layout_of(name, stored, original)
    assert layout is not None
    assert layout.shape == original
    assert layout.logical(np.zeros(math.prod(stored))).shape == original


@pytest.mark.parametrize(
    ("name", "stored", "original"),
    [
        ("NC1HWC0", (1, 2, 4, 4, 16), (1, 16, 4, 4)),  # a whole block of padding
        ("NC1HWC0", (1, 2, 4, 4, 16), (1, 33, 4, 4)),
        ("NC1HWC0", (1, 2, 4, 4, 16), (2, 32, 4, 4)),
        ("NC1HWC0", (1, 2, 4, 4, 16), (32, 4, 4)),
        ("NC1HWC0", (2, 4, 4, 16), (1, 32, 4, 4)),
        ("FRACTAL_NZ", (2, 2, 16, 16), (16, 32)),
        ("FRACTAL_NZ", (2, 2, 16, 16), (17, 16)),
        ("FRACTAL_NZ", (5, 2, 2, 16, 16), (2, 3, 32, 20)),
        ("FRACTAL_NZ", (16, 16), (16, 16, 1)),
        ("FRACTAL_Z", (9, 2, 16, 16), (40, 16, 3, 3)),
        ("FRACTAL_Z", (9, 2, 16, 0), (20, 16, 3, 3)),
        ("FRACTAL_Z_3D", (17, 1, 16, 16), (8, 16, 2, 3, 3)),
        ("NDC1HWC0", (1, 2, 1, 4, 4, 16), (1, 17, 2, 4, 4)),
        ("ND", (2, 3), (2, 4)),
        ("C1HWNCoC0", (1, 2, 2, 1, 16, 16), (16, 16, 2, 1)),
    ],
)
def test_shapes_that_do_not(name: str, stored: Shape, original: Shape) -> None:
    assert layout_of(name, stored, original) is None


def test_groups_are_not_converted() -> None:
    assert layout_of("FRACTAL_Z", (9, 2, 16, 16), (20, 16, 3, 3), sub_format=1) is not None
    assert layout_of("FRACTAL_Z", (9, 2, 16, 16), (20, 16, 3, 3), sub_format=2) is None
    assert layout_of("NC1HWC0", (1, 1, 4, 4, 16), (1, 3, 4, 4), sub_format=2) is not None


def test_numbers_of_formats() -> None:
    wanted = {0: "NCHW", 1: "NHWC", 2: "ND", 3: "NC1HWC0", 4: "FRACTAL_Z", 12: "NC1HWC0_C04", 16: "HWCN"}
    wanted.update({25: "C1HWNCoC0", 29: "FRACTAL_NZ", 32: "NDC1HWC0", 33: "FRACTAL_Z_3D", 35: "NC", 49: "C1HWC0"})
    assert {number: FORMAT_NAMES[number] for number in wanted} == wanted
    assert format_name(29 | 5 << 8) == "FRACTAL_NZ"
    assert format_name(255) == "format 255"


@pytest.mark.parametrize(
    ("shape", "possible"),
    [
        ((), True),
        ((0, 5), True),
        ((2**40, 2**20), True),
        ((2**62,), False),
        ((0, 2**63), False),
        ((1,) * 33, False),
        ((-1,), False),
    ],
)
def test_possible_shapes(shape: Shape, possible: bool) -> None:
    assert is_possible(shape) == possible

# ruff: noqa: E501 (tables)
"""Worked cases of the comparer's metrics: inputs, exact values, and the cells that CANN's comparer writes.

The exact values are float64 arithmetic on the float32 inputs, computed by a script of its own and checked against the
comparer's functions (formats: dump §7).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NAN, INF = np.nan, np.inf
RISING = np.linspace(70683, 109508, 9, dtype=np.float32)
ROUNDED = np.array([0.1, 0.2, 0.3, 1000.7], np.float32)
UNDERFLOWING = np.array([1e-8, 3e-8, 1e-7, 1], np.float32)


def _single(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def _half(*values: float) -> NDArray[np.float16]:
    return np.array(values, np.float16)


INPUTS: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {
    "basic": (_single(1, 2, 3, 4), _single(1, 2.5, 2.9, 4.2)),
    "basic_negative": (_single(-1.5, 0.25, 3, -4), _single(-1.4, 0.3, 2.75, -4.5)),
    "identical": (_single(0.1, -0.2, 0.3), _single(0.1, -0.2, 0.3)),
    "opposite": (_single(1, 2, 3), _single(-1, -2, -3)),
    "zeros_vs_zeros": (_single(0, 0, 0, 0), _single(0, 0, 0, 0)),
    "zeros_vs_values": (_single(0, 0, 0, 0), _single(1, 2, 3, 4)),
    "values_vs_zeros": (_single(1, 2, 3, 4), _single(0, 0, 0, 0)),
    "golden_has_zero": (_single(1, 0.5, 3), _single(1, 0, 3)),
    "constant_vs_constant": (_single(2, 2, 2), _single(3, 3, 3)),
    "negative_constants": (_single(-2, -2, -2), _single(-3, -3, -3)),
    "constant_vs_ramp": (_single(5, 5, 5, 5), _single(1, 2, 3, 4)),
    "length_1_equal": (_single(7), _single(7)),
    "length_1_differs": (_single(7), _single(70)),
    "nan_in_mine": (_single(1, NAN, 3, 4), _single(1, 2, 3, 4)),
    "nan_in_golden": (_single(1, 2, 3, 4), _single(1, NAN, 3, 4)),
    "nan_same_place": (_single(1, NAN, 3, 4), _single(1, NAN, 3, 4)),
    "inf_in_mine": (_single(1, INF, 3, 4), _single(1, 2, 3, 4)),
    "inf_in_golden": (_single(1, 2, 3, 4), _single(1, INF, 3, 4)),
    "inf_same_place": (_single(1, INF, 3, 4), _single(1, INF, 3, 4)),
    "tiny_golden": (_single(1e-8, 2e-8), _single(1.1e-8, 1.9e-8)),
    "fp16_all_saturated": (_half(*[65504] * 9), RISING),
    "fp16_overflow_to_inf": (_half(*[INF] * 9), RISING),
    "fp16_half_saturated_half_zero": (_half(*[65504] * 5, *[0] * 4), RISING),
    "fp16_rounding_only": (ROUNDED.astype(np.float16), ROUNDED),
    "fp16_underflow": (UNDERFLOWING.astype(np.float16), UNDERFLOWING),
    "bool": (np.array([True, False, True, True]), np.array([True, True, True, False])),
    "int32": (np.array([1, 2, 3], np.int32), np.array([1, 2, 4], np.int32)),
}

METRICS = (
    "cosine", "max_abs_error", "accumulated_relative_error", "relative_euclidean_distance", "kl_divergence",
    "mean_abs_error", "rmse", "max_relative_error", "mean_relative_error",
)  # fmt: skip

EXACT = {
    line.split()[0]: [float(cell) for cell in line.split()[1:]]
    for line in """
basic 0.9966158962 0.5 0.282101729 0.09491578598 0.01256116391 0.1999999285 0.2738612352 0.2 0.07052543224
basic_negative 0.9953060977 0.5 0.4401154915 0.1043226483 0.002370459907 0.2250000089 0.2850438589 0.1666666998 0.1100288729
identical 1 0 0 0 0 0 0 0 0
opposite -1 6 6 2 10.62825466 4 4.320493799 2 2
zeros_vs_zeros 1 0 0 0 0 0 0 0 0
zeros_vs_values nan 4 4 1 3.668468516 2.5 2.738612788 1 1
values_vs_zeros nan 4 0 0 0.3748891055 2.5 2.738612788 0 0
golden_has_zero 0.9877295966 0.5 0 0.158113883 0.02022291022 0.1666666667 0.2886751346 0 0
constant_vs_constant 1 1 1 0.3333333333 0 1 1 0.3333333333 0.3333333333
negative_constants 1 1 1 0.3333333333 0 1 1 0.3333333333 0.3333333333
constant_vs_ramp 0.9128709292 4 6.416666667 1 3.668468516 2.5 2.738612788 4 1.604166667
length_1_equal 1 0 0 0 0 0 0 0 0
length_1_differs 1 63 0.9 0.9 0 63 63 0.9 0.9
nan_in_mine nan nan nan nan nan nan nan nan nan
nan_in_golden nan nan 0 nan nan nan nan 0 0
nan_same_place nan nan 0 nan nan nan nan 0 0
inf_in_mine nan inf inf inf nan inf inf inf inf
inf_in_golden nan inf 1 nan nan inf inf 1 0.25
inf_same_place nan nan nan nan nan nan nan nan nan
tiny_golden 0.9981310332 1.000000083e-09 0.1435406821 0.06441566846 0 1.000000083e-09 1.000000083e-09 0.09090909825 0.07177034106
fp16_all_saturated 0.9904661141 44004 2.325451602 0.3034211152 1.748332244 24591.5 27600.01245 0.401833656 0.2583835113
fp16_overflow_to_inf nan inf inf inf nan inf inf inf inf
fp16_half_saturated_half_zero 0.6587160517 109508 4.895752925 0.7622139304 4.111057012 53704.38889 69333.05864 1 0.5439725472
fp16_rounding_only 1 0.200012207 0.0008509040128 0.0001998722934 3.210840805e-11 0.05003356747 0.1000061102 0.0002441555225 0.0002127260032
fp16_underflow 1 2.960464585e-08 2.178914445 3.668012833e-08 0 1.470348354e-08 1.834006417e-08 1 0.5447286112
bool 0.6666666667 1 1 0.8164965809 5.31412754 0.5 0.7071067812 1 0.25
int32 0.991460134 1 0.25 0.2182178902 0.01737199957 0.3333333333 0.5773502692 0.25 0.08333333333
""".strip().splitlines()
}

CELLS = {
    line.split()[0]: line.split()[1:]
    for line in """
basic 0.996616 0.500000 0.282102 0.094916 0.012561 0.200000 0.273861 0.200000 0.070525 (2.500;1.118),(2.650;1.141) NaN
basic_negative 0.995306 0.500000 0.440115 0.104323 0.002371 0.225000 0.285044 0.166667 0.110029 (-0.562;2.552),(-0.712;2.638) NaN
identical 1.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 (0.067;0.205),(0.067;0.205) NaN
opposite -1.000000 6.000000 6.000000 2.000000 10.628255 4.000000 4.320494 2.000000 2.000000 (2.000;0.816),(-2.000;0.816) NaN
zeros_vs_zeros 1.0 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 (0.000;0.000),(0.000;0.000) NaN
zeros_vs_values NaN 4.000000 4.000000 1.000000 3.668468 2.500000 2.738613 1.000000 1.000000 (0.000;0.000),(2.500;1.118) NaN
values_vs_zeros NaN 4.000000 0.000000 0.000000 0.374889 2.500000 2.738613 0.000000 0.000000 (2.500;1.118),(0.000;0.000) NaN
golden_has_zero 0.987729 0.500000 0.000000 0.158114 0.020223 0.166667 0.288675 0.000000 0.000000 (1.500;1.080),(1.333;1.247) NaN
constant_vs_constant 1.000000 1.000000 1.000000 0.333333 0.000000 1.000000 1.000000 0.333333 0.333333 (2.000;0.000),(3.000;0.000) NaN
negative_constants 1.000000 1.000000 1.000000 0.333333 0.000000 1.000000 1.000000 0.333333 0.333333 (-2.000;0.000),(-3.000;0.000) NaN
constant_vs_ramp 0.912871 4.000000 6.416667 1.000000 3.668468 2.500000 2.738613 4.000000 1.604167 (5.000;0.000),(2.500;1.118) NaN
length_1_equal 1.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000 (7.000;0.000),(7.000;0.000) NaN
length_1_differs 1.000000 63.000000 0.900000 0.900000 0.000000 63.000000 63.000000 0.900000 0.900000 (7.000;0.000),(70.000;0.000) NaN
nan_in_mine nan nan nan nan nan nan nan nan nan (nan;nan),(2.500;1.118) NaN
nan_in_golden nan nan 0.000000 nan nan nan nan 0.000000 0.000000 (2.500;1.118),(nan;nan) NaN
nan_same_place nan nan 0.000000 nan nan nan nan 0.000000 0.000000 (nan;nan),(nan;nan) NaN
inf_in_mine nan inf inf inf nan inf inf inf inf (inf;nan),(2.500;1.118) NaN
inf_in_golden nan inf 1.000000 nan nan inf inf 1.000000 0.250000 (2.500;1.118),(inf;nan) NaN
inf_same_place nan nan nan nan nan nan nan nan nan (inf;nan),(inf;nan) NaN
tiny_golden 0.998131 0.000000 0.143541 0.064416 0.000000 0.000000 0.000000 0.090909 0.071770 (0.000;0.000),(0.000;0.000) NaN
fp16_all_saturated 0.990466 44004.000000 2.325451 0.303421 1.748332 24591.500000 27600.011719 0.401834 0.258383 (65504.000;0.000),(90095.500;12530.715) YES
fp16_overflow_to_inf nan inf inf inf nan inf inf inf inf (inf;nan),(90095.500;12530.715) YES
fp16_half_saturated_half_zero 0.658716 109508.000000 4.895753 0.762214 4.111057 53704.390625 69333.062500 1.000000 0.543973 (36391.111;32549.199),(90095.500;12530.715) YES
fp16_rounding_only 1.000000 0.200012 0.000851 0.000200 -0.000000 0.050034 0.100006 0.000244 0.000213 (250.275;433.143),(250.325;433.229) NO
fp16_underflow 1.000000 0.000000 2.178915 0.000000 0.000000 0.000000 0.000000 1.000000 0.544729 (0.250;0.433),(0.250;0.433) NO
bool 0.666667 NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN
int32 0.991460 1.000000 0.250000 0.218218 0.017372 0.333333 0.577350 0.250000 0.083333 (2.000;0.816),(2.333;1.247) NaN
""".strip().splitlines()
}
"""In the order of the table: the metrics above, then StandardDeviation and OverFlow."""

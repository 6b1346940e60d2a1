"""Floats of 4 to 8 bits, each a table of all its values: code → float32."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SmallFloat:
    """A sign bit, an exponent and a mantissa; exponent 0 is subnormal."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    nan_codes: tuple[int, ...] = ()
    """Codes without the sign bit that mean NaN; these types have no infinity."""


FLOAT8_E4M3FN = SmallFloat(4, 3, 7, (0x7F,))
FLOAT6_E3M2 = SmallFloat(3, 2, 3)
FLOAT6_E2M3 = SmallFloat(2, 3, 1)
FLOAT4_E2M1 = SmallFloat(2, 1, 1)
FLOAT4_E1M2 = SmallFloat(1, 2, 1)


def table(kind: SmallFloat) -> NDArray[np.float32]:
    """All values of `kind` by code, positive half first; shape (2 ** bits,)."""
    half = 1 << (kind.exponent_bits + kind.mantissa_bits)
    positive = [math.nan if code in kind.nan_codes else _magnitude(code, kind) for code in range(half)]
    return np.array(positive + [-value for value in positive], np.float32)


def _magnitude(code: int, kind: SmallFloat) -> float:
    exponent = code >> kind.mantissa_bits
    fraction = (code & ((1 << kind.mantissa_bits) - 1)) / (1 << kind.mantissa_bits)
    return math.ldexp(fraction + (exponent > 0), max(exponent, 1) - kind.bias)


def float8_e5m2() -> NDArray[np.float32]:
    """All values of E5M2 by code: the upper byte of a float16; shape (256,)."""
    with np.errstate(invalid="ignore"):
        return (np.arange(256, dtype=np.uint16) << np.uint16(8)).view(np.float16).astype(np.float32)


def float8_e8m0() -> NDArray[np.float32]:
    """All values of E8M0 by code: powers of two from 2^-127, 255 is NaN; shape (256,)."""
    return np.array([math.ldexp(1.0, code - 127) for code in range(255)] + [math.nan], np.float32)


_HIFLOAT8_DOTS = ((0b11, 2, 4), (0b10, 2, 3), (0b01, 2, 2), (0b001, 3, 1), (0b0001, 4, 0))
"""Prefix after the sign, its width, and the width of the exponent that it announces."""


def hifloat8() -> NDArray[np.float32]:
    """All values of HiFloat8 by code; shape (256,).

    The prefix tells how wide the exponent is; the exponent is sign and magnitude, its leading 1 left out; the mantissa
    is the rest. The prefix 0000 holds powers of two from 2^-22; the largest magnitude is infinity.
    """
    positive = [_hifloat8_magnitude(code) for code in range(128)]
    values = np.array(positive + [-value for value in positive], np.float32)
    values[0x80] = np.nan
    return values


def _hifloat8_magnitude(code: int) -> float:
    if code == 0x6F:
        return math.inf
    for prefix, width, exponent_bits in _HIFLOAT8_DOTS:
        if code >> (7 - width) == prefix:
            return _hifloat8_normal(code, exponent_bits, 7 - width - exponent_bits)
    return math.ldexp(1.0, code - 23) if code else 0.0


def _hifloat8_normal(code: int, exponent_bits: int, mantissa_bits: int) -> float:
    fraction = 1 + (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    if exponent_bits == 0:
        return fraction
    field = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
    leading = 1 << (exponent_bits - 1)
    magnitude = leading | (field & (leading - 1))
    return math.ldexp(fraction, -magnitude if field & leading else magnitude)

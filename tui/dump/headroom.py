"""What float16 can hold of a float32 tensor, told from that side alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui.i18n import _
from tui.model.dump import FP16_MAX, PairRow, SideStats

Room = Literal["cannot", "flushes", "tight", "fits", "unknown"]

_TIGHT = 0.5
"""From this share of 65504 on, one addition of two such values overflows."""
_FLUSHED_SHARE = 0.01


@dataclass(frozen=True)
class Headroom:
    """How a tensor would fare in float16."""

    room: Room
    """`cannot`: values beyond 65504 · `flushes`: a share of values becomes 0 · `tight`: half the range is used."""
    ratio: float
    """Largest absolute value by 65504; NaN without finite values."""
    beyond_share: float
    """Share of the elements that would overflow, 0…1."""
    flushed_share: float
    """Share of the non-zero elements that would become 0, 0…1."""


def headroom(stats: SideStats) -> Headroom:
    """The prediction for one tensor."""
    ratio = stats.max_abs / FP16_MAX
    nonzero = stats.count - stats.zeros
    beyond = max(0, stats.beyond_fp16 - stats.inf) / max(1, stats.count)
    flushed = stats.below_fp16 / nonzero if nonzero > 0 else 0.0
    return Headroom(_room(ratio, flushed), ratio, beyond, flushed)


def _room(ratio: float, flushed: float) -> Room:
    if ratio != ratio:
        return "unknown"
    if ratio > 1:
        return "cannot"
    if flushed >= _FLUSHED_SHARE:
        return "flushes"
    return "tight" if ratio >= _TIGHT else "fits"


def evidence(row: PairRow) -> str:
    """One sentence on what the golden side of a compared row spans and what float16 makes of it; empty without one."""
    golden = row.b
    if golden is None or row.metrics is None:
        return ""
    name = f"{_SHORT.get(golden.dtype, golden.dtype)} {row.tensor.replace(':', ' ')}"
    found = headroom(golden)
    if found.room == "unknown":
        return _("{tensor} holds no finite value").format(tensor=name)
    spans = _("{tensor} spans {least}…{most}").format(tensor=name, least=f"{golden.min:.9g}", most=f"{golden.max:.9g}")
    return f"{spans}; {_consequence(found, row.metrics.overflowed / max(1, golden.count))}"


_SHORT = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}


def _consequence(found: Headroom, overflowed: float) -> str:
    if overflowed:
        text = _("fp16 holds at most 65504; {share} % of the elements saturate")
        return text.format(share=f"{100 * overflowed:.3g}")
    if found.room == "cannot":
        text = _("fp16 holds at most 65504; {share} % of the elements cannot be fp16")
        return text.format(share=f"{100 * found.beyond_share:.3g}")
    if found.room == "flushes":
        text = _("{share} % of the non-zero elements are below 6e-8 and become 0 in fp16")
        return text.format(share=f"{100 * found.flushed_share:.3g}")
    return _("{share} % of the range of fp16").format(share=f"{100 * found.ratio:.3g}")

"""Quantities as people type and read them: parsing with units, and the one set of formatters for screens and commands.

Nothing here knows tables. Times are integer nanoseconds or `Decimal`s until the last step: no digit of a file is lost.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

GlyphSet = Literal["blocks", "braille", "ascii"]
TimeChoice = Literal["auto", "ns", "us", "ms"]
"""What `%` cycles through; `auto` takes the unit that suits the largest value of a column."""

NS_PER_UNIT = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000}
"""Length of each time unit in ns."""

_KIB = 1024
_UNITS: dict[str, tuple[str, Decimal]] = {
    **{unit: ("time", Decimal(ns)) for unit, ns in NS_PER_UNIT.items()},
    "ratio": ("share", Decimal(1)),
    "pct": ("share", Decimal("0.01")),
    **{unit: ("size", Decimal(_KIB**power)) for power, unit in enumerate(("bytes", "kb", "mb", "gb", "tb"))},
    **{unit: ("rate", Decimal(_KIB**power)) for power, unit in enumerate(("bytes_s", "kb_s", "mb_s", "gb_s"))},
    **{unit: ("frequency", Decimal(1000**power)) for power, unit in enumerate(("hz", "khz", "mhz", "ghz"))},
}
"""Unit → (dimension, size in the base unit of its dimension). Sizes and rates step by 1024, as the collectors count."""

_SPELLINGS = {
    "µs": "us", "μs": "us", "m": "min", "%": "pct",
    "b": "bytes", "byte": "bytes", "kib": "kb", "mib": "mb", "gib": "gb", "tib": "tb", "k": "kb",
    "b/s": "bytes_s", "kb/s": "kb_s", "mb/s": "mb_s", "gb/s": "gb_s", "kib/s": "kb_s", "mib/s": "mb_s", "gib/s": "gb_s",
}  # fmt: skip

_QUANTITY = re.compile(r"([-+]?(?:\d[\d_ ]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\d\s].*)?")


@dataclass(frozen=True)
class Quantity:
    """A number with the unit it was typed with."""

    number: Decimal
    unit: str = ""
    """Canonical unit (`us`, `pct`, `kb` …), empty for a bare number."""


def parse_quantity(text: str) -> Quantity:
    """Reads `1.5ms`, `200us`, `12 %`, `4KiB`, `0.8`; the unit is case-insensitive.

    Raises:
        ValueError: not a number, or a unit that does not exist.
    """
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    try:
        number = Decimal(match.group(1).replace(" ", "").replace("_", ""))
    except InvalidOperation as error:
        raise ValueError(text) from error
    return Quantity(number, _canonical_unit(match.group(2) or ""))


def _canonical_unit(text: str) -> str:
    unit = text.strip().lower()
    unit = _SPELLINGS.get(unit, unit)
    if unit and unit not in _UNITS:
        raise ValueError(text)
    return unit


def in_unit(quantity: Quantity, unit: str) -> Decimal:
    """The number of `quantity` in `unit`; a bare number is already in it. Exact.

    Raises:
        ValueError: the units measure different things (`1.5ms` for a column of bytes).
    """
    if not quantity.unit or quantity.unit == unit:
        return quantity.number
    unit = _SPELLINGS.get(unit, unit)
    dimension, size = _UNITS[quantity.unit]
    wanted, wanted_size = _UNITS.get(unit, ("", Decimal(1)))
    if dimension != wanted:
        raise ValueError(f"{quantity.unit} cannot be given in {unit!r}")
    return quantity.number * size / wanted_size


def is_time_unit(unit: str) -> bool:
    """True for `ns` … `h`."""
    return unit in NS_PER_UNIT


def missing_text(glyphs: GlyphSet = "blocks") -> str:
    """How a missing number is shown."""
    return "-" if glyphs == "ascii" else "–"


def without_unit(heading: str) -> str:
    """`Duration` for the heading `Duration µs`; `Op Name` stays."""
    name, _, last = heading.rpartition(" ")
    unit = last.lower()
    return name if name and _SPELLINGS.get(unit, unit) in _UNITS else heading


def delta_text(value: float, decimals: int, glyphs: GlyphSet = "blocks") -> str:
    """A difference with its sign: `+1 415.182`, `−55.4`; zero has none."""
    text = number_text(value, decimals)
    if text.startswith("-"):
        return text if glyphs == "ascii" else "−" + text[1:]
    return f"+{text}" if value > 0 else text


def unit_label(unit: str, glyphs: GlyphSet = "blocks") -> str:
    """The unit as shown in a heading: `µs`, `%`, `MB/s`; empty for ratios and bare numbers."""
    if unit == "us":
        return "us" if glyphs == "ascii" else "µs"
    if unit == "ratio":
        return ""
    if unit == "pct":
        return "%"
    if unit.endswith("_s"):
        return unit[:-2].upper().replace("BYTES", "B") + "/s"
    return {"kb": "KB", "mb": "MB", "gb": "GB", "mhz": "MHz", "ghz": "GHz", "hz": "Hz"}.get(unit, unit)


def grouped(text: str) -> str:
    """A plain decimal with spaces between the thousands: `3170.625` → `3 170.625`."""
    whole, point, fraction = text.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    if len(digits) <= 3 or not digits.isdigit():
        return text
    return f"{sign}{int(digits):,}".replace(",", " ") + point + fraction


def number_text(value: float, decimals: int, glyphs: GlyphSet = "blocks") -> str:
    """A number with fixed decimals, so that the points of a column align; missing for NaN and ±Inf."""
    if not math.isfinite(value):
        return missing_text(glyphs)
    return grouped(f"{value:.{decimals}f}")


def full_text(value: float, glyphs: GlyphSet = "blocks") -> str:
    """A number with every digit it has, for details and copies of one value."""
    if not math.isfinite(value):
        return missing_text(glyphs)
    return grouped(plain_number(value))


def plain_number(value: float) -> str:
    """The shortest decimal that reads back as `value`, without exponent or grouping: for files and scripts."""
    if value == int(value) and abs(value) < 2**53:
        return str(int(value))
    text = repr(float(value))
    return format(Decimal(text), "f") if "e" in text else text


def time_unit(largest_ns: float, choice: TimeChoice = "auto") -> str:
    """The common unit of a time column whose largest value is `largest_ns`.

    `auto`: ns below 1 µs, µs below 10 ms, else ms, so that few digits stand before the point.
    """
    if choice != "auto":
        return choice
    if 0 < largest_ns < NS_PER_UNIT["us"]:
        return "ns"
    return "us" if largest_ns < 10 * NS_PER_UNIT["ms"] else "ms"


def time_text(time_ns: int, unit: str, decimals: int) -> str:
    """Integer ns in `unit` with fixed decimals, rounded half up, exact for any size."""
    step = NS_PER_UNIT[unit]
    scaled, rest = divmod(abs(time_ns) * 10**decimals, step)
    digits = str(scaled + (2 * rest >= step)).rjust(decimals + 1, "0")
    sign = "-" if time_ns < 0 and digits.strip("0") else ""
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return grouped(sign + text)


def exact_time_text(time_ns: int, unit: str) -> str:
    """Integer ns in `unit` with every digit: `97.724000` ms, `3170.625` µs."""
    return time_text(time_ns, unit, {"ns": 0, "us": 3, "ms": 6}.get(unit, 9))


def span_text(span_ns: float, glyphs: GlyphSet = "blocks") -> str:
    """A time for a sentence, unit included: `721 µs`, `62.40 ms`, `118.3 ms`, `12.35 s`."""
    if not math.isfinite(span_ns):
        return missing_text(glyphs)
    if abs(span_ns) < NS_PER_UNIT["us"]:
        return f"{span_ns:.0f} ns"
    for unit, next_unit in (("us", "ms"), ("ms", "s")):
        if abs(span_ns) < NS_PER_UNIT[next_unit] or (unit == "ms" and abs(span_ns) < 10 * NS_PER_UNIT["s"]):
            value = span_ns / NS_PER_UNIT[unit]
            return f"{number_text(value, _sentence_decimals(value, unit))} {unit_label(unit, glyphs)}"
    if abs(span_ns) < NS_PER_UNIT["min"]:
        return f"{span_ns / NS_PER_UNIT['s']:.2f} s"
    return elapsed_text(span_ns / NS_PER_UNIT["s"])


def _sentence_decimals(value: float, unit: str) -> int:
    if unit == "us":
        return 0 if abs(value) >= 100 else 2
    return 1 if abs(value) >= 100 else 2


def share_text(share_pct: float, decimals: int = 1, glyphs: GlyphSet = "blocks") -> str:
    """A share in percent for a sentence: `12.4 %`."""
    text = number_text(share_pct, decimals, glyphs)
    return f"{text} %" if math.isfinite(share_pct) else text


def size_text(size_bytes: int) -> str:
    """A size for people: `812 B`, `1.4 KiB`, `3.0 MiB`."""
    if size_bytes < _KIB:
        return f"{size_bytes} B"
    value = float(size_bytes)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= _KIB
        if value < 999.95 or unit == "TiB":
            break
    return f"{number_text(value, 1)} {unit}"


def elapsed_text(elapsed_s: float) -> str:
    """How long a job took: `0.4 s`, `1 m 23 s`, `1 h 12 m`."""
    if elapsed_s < 10:
        return f"{elapsed_s:.1f} s"
    seconds = int(elapsed_s + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} m {seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} m"

"""Numbers inside the texts of findings."""

from __future__ import annotations

from collections.abc import Sequence

from tui.i18n import ngettext
from tui.units import number_text, share_text, span_text


def us(time_us: float) -> str:
    """A time: `47.44 ms`."""
    return span_text(time_us * 1000.0)


def exact_us(time_us: float) -> str:
    """A time of the file with all its digits: `3 170.625 µs`."""
    return f"{number_text(time_us, 3)} µs"


def pct(share: float) -> str:
    """A share: `12.4 %`."""
    return share_text(share)


def whole(count: float) -> str:
    """A count: `12 904`."""
    return number_text(count, 0)


def operators(count: int) -> str:
    """`1 operator`, `72 operators`."""
    return ngettext("{count} operator", "{count} operators", count).format(count=whole(count))


def calls_text(count: int) -> str:
    """`1 call`, `72 calls`."""
    return ngettext("{count} call", "{count} calls", count).format(count=whole(count))


def tensors(count: int) -> str:
    """`1 tensor`, `72 tensors`."""
    return ngettext("{count} tensor", "{count} tensors", count).format(count=whole(count))


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" +{more}" if more > 0 else "")

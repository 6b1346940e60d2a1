"""Times and parts of the time as people type them: `12.3ms`, `@1717575960208020758`, `10ms..14ms`."""

from __future__ import annotations

from tui.errors import BadExpression
from tui.i18n import _
from tui.units import in_unit, is_time_unit, parse_quantity


def time_of(text: str, origin_ns: int) -> int:
    """A point in time, ns: since `origin_ns`, or absolute after `@`.

    Raises:
        ValueError: the text is no time.
    """
    raw = text.strip()
    if raw.startswith("@"):
        return int(raw[1:])
    quantity = parse_quantity(raw)
    if raw != "0" and not is_time_unit(quantity.unit):
        raise ValueError(text)
    return origin_ns + int(in_unit(quantity, "ns"))


def window_of(text: str, origin_ns: int) -> tuple[int, int]:
    """(start, end) of `FROM..TO`, ns.

    Raises:
        BadExpression: the text is no such part, or an empty one.
    """
    try:
        start_ns, end_ns = (time_of(part, origin_ns) for part in text.split(".."))
    except ValueError:
        raise BadExpression(_("two times, such as 10ms..14ms")) from None
    if end_ns <= start_ns:
        raise BadExpression(_("the second time must be later"))
    return start_ns, end_ns

"""Arithmetic of time windows: integer nanoseconds in, integer nanoseconds out, nothing is changed in place."""

from __future__ import annotations

from dataclasses import dataclass

ZOOM_STEP = 2.0
FAST_STEP = 4.0
PAN_SHARE = 0.25
MARGIN_SHARE = 1 / 16
"""Free time left at both sides when something is fitted into the window."""


@dataclass(frozen=True)
class Span:
    """The times `start_ns` ≤ t < `end_ns`, at least one nanosecond."""

    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if self.end_ns <= self.start_ns:
            object.__setattr__(self, "end_ns", self.start_ns + 1)

    @property
    def length_ns(self) -> int:
        """Nanoseconds from start to end."""
        return self.end_ns - self.start_ns

    @property
    def middle_ns(self) -> int:
        """The time in the middle."""
        return self.start_ns + self.length_ns // 2

    def __contains__(self, time_ns: int) -> bool:
        return self.start_ns <= time_ns < self.end_ns

    def covers(self, other: Span) -> bool:
        """Whether all of `other` is in it."""
        return self.start_ns <= other.start_ns and other.end_ns <= self.end_ns

    def touches(self, other: Span) -> bool:
        """Whether they have any time in common."""
        return self.start_ns < other.end_ns and other.start_ns < self.end_ns

    def zoomed(self, factor: float, about_ns: int, whole: Span) -> Span:
        """`factor` times shorter (longer below 1), with `about_ns` staying where it is in the window."""
        about_ns = min(max(about_ns, self.start_ns), self.end_ns)
        length = min(max(1, round(self.length_ns / factor)), whole.length_ns)
        if length == self.length_ns and factor < 1:
            length = min(length + 1, whole.length_ns)
        start = about_ns - _scaled(about_ns - self.start_ns, length, self.length_ns)
        return Span(start, start + length).clamped(whole)

    def panned(self, share: float, whole: Span) -> Span:
        """Moved by `share` of its length (negative: to earlier times), by at least one nanosecond."""
        step = round(self.length_ns * abs(share)) or 1
        return self.moved(step if share > 0 else -step, whole)

    def moved(self, step_ns: int, whole: Span) -> Span:
        """Moved by so much, as far as `whole` allows."""
        return Span(self.start_ns + step_ns, self.end_ns + step_ns).clamped(whole)

    def clamped(self, whole: Span) -> Span:
        """Moved, and shortened if needed, so that it lies in `whole`."""
        length = min(self.length_ns, whole.length_ns)
        start = min(max(self.start_ns, whole.start_ns), whole.end_ns - length)
        return Span(start, start + length)

    def fitted(self, whole: Span, margin_share: float = MARGIN_SHARE) -> Span:
        """A window that shows this span with a margin at both sides."""
        margin = round(self.length_ns * margin_share)
        return Span(self.start_ns - margin, self.end_ns + margin).clamped(whole)

    def showing(self, other: Span, whole: Span) -> Span:
        """This window, moved only as far as needed to show `other`; where that is longer, to show its start.

        A target outside is brought in with a quarter of the window before or after it.
        """
        if self.covers(other) or (other.length_ns >= self.length_ns and self.touches(other)):
            return self
        lead = round(self.length_ns * PAN_SHARE)
        if other.length_ns + lead > self.length_ns or other.start_ns < self.start_ns:
            return self.moved(other.start_ns - lead - self.start_ns, whole)
        return self.moved(other.end_ns + lead - self.end_ns, whole)

    def column(self, time_ns: int, width_cells: int) -> int:
        """The cell of a window of `width_cells` that holds this time; outside of 0…width for times outside."""
        return (time_ns - self.start_ns) * width_cells // self.length_ns

    def time_at(self, column: int, width_cells: int) -> int:
        """The time at the left edge of a cell."""
        return self.start_ns + column * self.length_ns // max(width_cells, 1)


def _scaled(part: int, numerator: int, denominator: int) -> int:
    """`part · numerator / denominator`, rounded, in integers of any size."""
    return (2 * part * numerator + denominator) // (2 * denominator)

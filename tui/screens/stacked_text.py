"""What the stacked timelines say of the event under the cursor on both sides, and of how both are aligned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.i18n import _
from tui.screens.stacked_side import Kin, StackedSide
from tui.units import GlyphSet, delta_text, exact_time_text, missing_text, number_text, unit_label
from widgets.bars import bar
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look
from widgets.text import cut_middle, fit

NAME_CELLS = 14
MOST_BAR_CELLS = 48
ROLES = ("low", "bar")
"""Colour of each side; its letter stands beside it."""
OTHER_CELLS = 66
"""Cells of a line of details besides the bar."""


@dataclass(frozen=True)
class Told:
    """One side of the details."""

    name: str
    """What the run is called."""
    side: StackedSide | None
    kin: Kin
    zero_ns: int

    @property
    def event(self) -> int:
        """The event told of; −1 for none."""
        return int(self.kin.events[self.kin.at]) if self.kin.at >= 0 else -1

    @property
    def duration_ns(self) -> int:
        """How long it took; 0 without one."""
        return int(self.side.timeline.dur_ns[self.event]) if self.side is not None and self.event >= 0 else 0

    @property
    def start_ns(self) -> int:
        """When it begins, counted from where both timelines lie over each other."""
        assert self.side is not None
        return int(self.side.timeline.start_ns[self.event]) - self.zero_ns


def nth_text(sides: Sequence[Told]) -> str:
    """`2 of 3 in A, 2 of 3 in B`."""
    parts = [
        _("{n} of {all} in {side}").format(n=number_text(told.kin.at + 1, 0), all=number_text(len(told.kin.events), 0),
                                           side=sign)
        for sign, told in zip("AB", sides)
        if told.event >= 0
    ]  # fmt: skip
    return ", ".join(parts)


def detail_lines(sides: Sequence[Told], look: Look, width_cells: int, glyphs: GlyphSet) -> list[Line]:
    """A line per side with bar, time and start, and one with the difference."""
    longest_ns = max(told.duration_ns for told in sides)
    lines = [_side_line(sign, told, longest_ns, look, width_cells, glyphs) for sign, told in zip("AB", sides)]
    return [look.cut(line, width_cells - 1) for line in (*lines, _difference_line(sides, glyphs))]


def _side_line(sign: str, told: Told, longest_ns: int, look: Look, width_cells: int, glyphs: GlyphSet) -> Line:
    role = ROLES["AB".index(sign)]
    name = fit(cut_middle(look.shown(told.name), NAME_CELLS, look.glyphs.ellipsis), NAME_CELLS)
    line = [gap(1), Piece(sign, f"{role} bold"), gap(1), Piece(name, "muted"), gap(1)]
    if told.event < 0:
        return [*line, Piece(_("not there") if told.side is not None else _("no timeline"), "warn")]
    bar_cells = max(8, min(MOST_BAR_CELLS, width_cells - OTHER_CELLS))
    fraction = told.duration_ns / longest_ns if longest_ns else 0.0
    unit = unit_label("us", glyphs)
    start = _("at {time} ms").format(time=exact_time_text(told.start_ns, "ms"))
    return [
        *line, Piece(bar(fraction, bar_cells, look.glyphs), role), gap(1),
        Piece(fit(exact_time_text(told.duration_ns, "us"), 13, "right"), "bright"), Piece(f" {unit}", "bright"), gap(3),
        Piece(start, "text"), gap(3), Piece(look.shown(_lane_text(told)), "muted"),
    ]  # fmt: skip


def _lane_text(told: Told) -> str:
    assert told.side is not None
    track = told.side.timeline.track(told.event)
    return track.thread or track.process


def _difference_line(sides: Sequence[Told], glyphs: GlyphSet) -> Line:
    """`Δ −1 755.443 µs (−55.4 %)`, and how far apart both begin."""
    if min(told.event for told in sides) < 0:
        return [gap(1), Piece("Δ", "muted"), gap(1), Piece(missing_text(glyphs), "faint")]
    a_ns, b_ns = (told.duration_ns for told in sides)
    share = delta_text(100.0 * (b_ns - a_ns) / a_ns, 1, glyphs) if a_ns else missing_text(glyphs)
    later_ns = sides[1].start_ns - sides[0].start_ns
    apart = (
        _("both begin at once")
        if not later_ns
        else (_("B begins {time} later") if later_ns > 0 else _("B begins {time} earlier")).format(
            time=length_text(abs(later_ns), glyphs)
        )
    )
    word, role = _judged(b_ns - a_ns)
    text = f"{delta_text((b_ns - a_ns) / 1000.0, 3, glyphs)} {unit_label('us', glyphs)} ({share} %)"
    return [gap(1), Piece("Δ", "muted"), gap(1), Piece(text, f"{role} bold"), gap(1), Piece(word, role), gap(3),
            Piece(apart, "muted")]  # fmt: skip


def _judged(delta_ns: int) -> tuple[str, str]:
    """The word and its colour; of single events there is no noise to compare with."""
    if not delta_ns:
        return _("same"), "text"
    return (_("shorter"), "better") if delta_ns < 0 else (_("longer"), "worse")


def length_text(length_ns: int, glyphs: GlyphSet) -> str:
    """A length with every ns."""
    unit = "us" if length_ns < 10_000_000 else "ms"
    return f"{exact_time_text(length_ns, unit)} {unit_label(unit, glyphs)}"


def shift_text(shift_ns: int, glyphs: GlyphSet) -> str:
    """How far B is moved against both starts lying at the same place."""
    if not shift_ns:
        return _("both from their start")
    sign = "+" if shift_ns > 0 else delta_text(-1.0, 0, glyphs)[0]
    return _("B moved by {time}").format(time=f"{sign}{length_text(abs(shift_ns), glyphs)}")


def head_text(aligned: str, before_ns: int, glyphs: GlyphSet) -> str:
    """`Conv_0 2 115.000 µs after its start`; empty while both lie at their starts."""
    if not aligned:
        return ""
    return _("{name} is {time} after the start").format(name=aligned, time=length_text(before_ns, glyphs))

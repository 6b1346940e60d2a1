"""The strip of the guide: step and next key, and below them what the step says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.actions import ACTIONS, key_symbol
from tui.i18n import _
from widgets.pieces import Line, Piece, gap, spread
from widgets.roles import Look

if TYPE_CHECKING:
    from tui.guide import GuideStep

GUIDE_LINES = 2
"""Height of the strip."""


def guide_lines(steps: Sequence[GuideStep], at: int, width: int, look: Look) -> list[Line]:
    """Two lines.

    Args:
        at: Place of the step to show.
    """
    step = steps[at]
    left = [
        gap(1), Piece(_("guide {n}/{all}").format(n=at + 1, all=len(steps)), "muted"), gap(2),
        Piece(look.shown(step.name), "strong"),
    ]  # fmt: skip
    says = look.cut([gap(1), Piece(look.shown(step.text), "bright")], width - 1)
    return [spread(left, [*_next_pieces(steps, at, look), gap(1)], width), says]


def _next_pieces(steps: Sequence[GuideStep], at: int, look: Look) -> list[Piece]:
    """The key of the next step; the command that skips it, or ends the guide."""
    if at + 1 == len(steps):
        return [Piece(":guide", "bright"), Piece(f" {_('ends the guide')}", "muted")]
    following = steps[at + 1]
    keys = " ".join(_shown(key) for key in following.keys)
    return [
        Piece(_("next") + " ", "muted"), Piece(keys, "bright"), Piece(f" {look.shown(following.name)}", "text"),
        gap(3), Piece(":guide", "bright"), Piece(f" {_('skips')}", "muted"),
    ]  # fmt: skip


def _shown(key: str) -> str:
    return key_symbol(ACTIONS[key].keys[0]) if key in ACTIONS else key

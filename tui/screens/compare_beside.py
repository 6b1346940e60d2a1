"""What a tuning claimed for the operator of a row beside what was measured, and how its dumped tensors drift."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tui.i18n import _
from tui.screens.compare_pair import Pair
from tui.screens.dump_table import VERDICT_ROLES, verdict_text
from tui.units import GlyphSet, delta_text, unit_label
from widgets.panes import Detail
from widgets.pieces import Piece, gap


def beside_facts(pair: Pair, glyphs: GlyphSet) -> Iterator[Detail]:
    """A line for each of the two, where it is known of this row."""
    claimed_pct, cosine, drift = pair.number("claimed_pct"), pair.number("cosine"), pair.text("drift")
    if not math.isnan(claimed_pct):
        yield Detail(_("claimed"), _claim_text(pair, claimed_pct, glyphs))
    if drift:
        told = [Piece(verdict_text(drift), VERDICT_ROLES.get(drift, "ok")), gap(2)]  # type: ignore[arg-type, call-overload]
        told += [Piece(_("cosine {value}").format(value=f"{cosine:.4f}"), "bright"), gap(2)] if cosine == cosine else []
        yield Detail(_("drift"), [*told, Piece(_("from the open dumps; 7 shows the tensor"), "muted")])


def _claim_text(pair: Pair, claimed_pct: float, glyphs: GlyphSet) -> str:
    """What the tool said, and whether the measured difference bears it out."""
    claimed_us, measured_pct = pair.number("claimed_us"), pair.number("delta_pct")
    length = f" ({delta_text(claimed_us, 3, glyphs)} {unit_label('us', glyphs)})" if claimed_us == claimed_us else ""
    said = _("{share} % by the tuning").format(share=delta_text(claimed_pct, 1, glyphs)) + length
    if pair.change.verdict not in ("same", "faster", "slower") or math.isnan(measured_pct):
        return said
    return f"{said}; " + _("measured {share} %: {word}").format(
        share=delta_text(measured_pct, 1, glyphs), word=_borne_out(pair, claimed_pct)
    )


def _borne_out(pair: Pair, claimed_pct: float) -> str:
    """The claim as a share of the time in A, against the measured difference and its noise."""
    change = pair.change
    beyond_us = change.delta_us - claimed_pct / 100.0 * change.a_us
    if abs(beyond_us) <= change.band_us:
        return _("as claimed")
    return _("less than claimed") if beyond_us > 0 else _("more than claimed")

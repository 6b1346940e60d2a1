"""What the Dump screen says in words: the lines above the pairs, and the details of one pair."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tui.dump.pair_labels import row_label, short_type
from tui.dump.reasons import reason_of
from tui.i18n import _, ngettext
from tui.model.dump import DIVERGING, FP16_MAX, DumpComparison, PairRow, SideStats
from tui.screens.dump_table import VERDICT_ROLES, cosine_text, figure, range_figure, room_of, short_figure, verdict_text
from tui.screens.op_details import Pane, Room
from tui.units import number_text
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look
from widgets.text import cells, pad

OUTPUTS_NAMED = 3
"""Outputs of the network that are told one by one."""
LABEL_CELLS = 10


def summary_lines(comparison: DumpComparison, look: Look, width_cells: int) -> list[Line]:
    """What the comparison comes to: the network's outputs, and where the runs part."""
    pieces: list[Piece] = [gap(1)]
    if comparison.differing_inputs:
        pieces += [Piece(_("network inputs differ"), "error bold"), gap(2)]
        pieces += [Piece(_("give both runs the same input first"), "text")]
    elif comparison.network_outputs:
        pieces += _outputs(comparison)
    else:
        pieces += _counts(comparison)
    return [look.cut([*pieces, *_first(comparison)], width_cells - 1)]


def _outputs(comparison: DumpComparison) -> list[Piece]:
    """The group of the network's outputs, in one line."""
    outputs = [comparison.rows[at] for at in comparison.network_outputs]
    bad = sum(row.verdict in DIVERGING for row in outputs)
    if not bad and comparison.agrees:
        rest = (
            _("outputs agree; inner differences need no action") if comparison.first_divergence else _("outputs agree")
        )
        return [Piece(rest, "ok bold")]
    text = _("{bad} of {all} differ").format(bad=bad, all=len(outputs))
    pieces = [Piece(_("outputs") + " ", "muted"), Piece(text, "error bold")]
    for row in outputs[:OUTPUTS_NAMED]:
        number = verdict_text(row.verdict) if row.cosine is None else f"{row.cosine:.2f}"
        name = row.tensor.partition(":")[2]
        pieces += [gap(2), Piece(f"{name}: ", "muted"), Piece(number, "text")]
    return pieces


def _counts(comparison: DumpComparison) -> list[Piece]:
    """Without known outputs: how many tensors differ."""
    bad = sum(row.verdict in DIVERGING for row in comparison.rows)
    text = ngettext("{n} tensor differs", "{n} tensors differ", bad).format(n=number_text(bad, 0))
    return [Piece(text if bad else _("all tensors agree"), "error bold" if bad else "ok bold")]


def _first(comparison: DumpComparison) -> list[Piece]:
    first = comparison.first_divergence
    if first is None:
        return []
    label = _("first divergence") if first.inputs != "unknown" else _("first divergence (inputs unknown)")
    return [gap(5), Piece(f"{label} ", "muted"), Piece(row_label(comparison.rows[first.row]), "bright")]


def inputs_text(comparison: DumpComparison, row: PairRow, at: int) -> str:
    """What is known of the inputs of a row, for the head line of its details."""
    first = comparison.first_divergence
    if first is not None and first.row == at:
        texts = {
            "clean": _("inputs agree, output does not"),
            "unknown": _("inputs unknown, output differs"),
            "differ": _("differs, and so do its inputs"),
        }
        return texts[first.inputs]
    if row.inherited:
        return _("inherited: its inputs differ already")
    return reason_of(row) if row.verdict not in ("ok", "overflow") else ""


def pair_pane(
    comparison: DumpComparison, at: int, room: Room, keys: Sequence[tuple[str, str]], more: Sequence[Line] = ()
) -> Pane:
    """The details of one row.

    Args:
        keys: Keys and what they do with this pair.
        more: Lines that follow where there is room.
    """
    row = comparison.rows[at]
    lines: list[Line] = [_evidence_line(row, room.width)]
    if row.metrics is not None and row.a is not None and row.b is not None:
        lines += [_side_line("A", row.a, row, room), _side_line("B", row.b, row, room)]
    if row.golden_name:
        lines.append(_fact(_("golden"), row.golden_name))
    hints: list[Piece] = [gap(1), Piece(_pad(_("next")), "muted")]
    for key, word in keys:
        hints += [Piece(key, "bright"), gap(1), Piece(word, "muted"), gap(3)]
    return Pane(row_label(row), inputs_text(comparison, row, at), [*lines, hints, *more])


def _pad(text: str) -> str:
    return pad(text, max(LABEL_CELLS, cells(text) + 1))


def _fact(label: str, text: str) -> Line:
    return [gap(1), Piece(_pad(label), "muted"), Piece(text, "text")]


def _evidence_line(row: PairRow, width_cells: int) -> Line:
    pieces = evidence_pieces(row)
    return [gap(1), *pieces]


def evidence_pieces(row: PairRow) -> list[Piece]:
    """The sentence that says what is wrong with a pair, its numbers in bold."""
    if row.metrics is None or row.a is None or row.b is None:
        return [Piece(reason_of(row) or verdict_text(row.verdict), "warn")]
    room = room_of(row)
    if room is not None and room.room == "cannot":
        return _beyond_pieces(row, row.a, row.b)
    if row.verdict == "overflow":
        return [Piece(reason_of(row), "text")]
    told: list[Piece] = []
    if row.cosine is not None:
        told = [
            Piece(_("cosine") + " ", "muted"),
            Piece(cosine_text(row.cosine), VERDICT_ROLES.get(row.verdict, "bright")),
        ]
        told += [gap(3)]
    told += [Piece(_("max |Δ|") + " ", "muted"), Piece(figure(row.metrics.max_abs_error, 5)), gap(3)]
    if row.counted and room is not None and not math.isnan(room.ratio):
        text = _("uses {share} % of the range of fp16").format(share=f"{100 * room.ratio:.3g}")
        told.append(Piece(text, "warn" if room.room in ("tight", "flushes") else "muted"))
    return told


def _beyond_pieces(row: PairRow, a: SideStats, b: SideStats) -> list[Piece]:
    pieces = [
        Piece(_("{type} spans").format(type=short_type(b.dtype).lower()) + " "),
        Piece(f"{short_figure(b.min)} … {short_figure(b.max)}", "bright"),
        Piece(", " + _("fp16 ends at") + " "),
        Piece(number_text(FP16_MAX, 0), "bright"),
    ]
    overflowed = 0 if row.metrics is None else row.metrics.overflowed
    share, of = (overflowed / max(a.count, 1), _("of A saturated")) if overflowed else (
        b.beyond_fp16 / max(b.count, 1), _("of B beyond it")
    )  # fmt: skip
    if a.nan or a.inf:
        of = _("of A overflowed")
    return [*pieces, Piece(": "), Piece(f"{100 * share:.1f} %", "error bold"), Piece(f" {of}")]


def _side_line(name: str, side: SideStats, row: PairRow, room: Room) -> Line:
    """Range and special values of one side, columns that line up."""
    telling = side.beyond_fp16 if name == "B" else side.saturated
    label = _("beyond fp16") if name == "B" else _("saturated")
    pieces: list[Piece] = [gap(1), Piece(_pad(f"{name} {short_type(side.dtype).lower()}"), "muted")]
    for title, value in ((_("max"), side.max), (_("min"), side.min), (_("mean"), side.mean)):
        pieces += [Piece(f"{title} ", "muted"), Piece(range_figure(value).rjust(9), "text"), gap(2)]
    if row.counted and telling:
        pieces += [Piece(f"{label} ", "muted"), Piece(number_text(telling, 0), "error" if name == "A" else "text")]
    special = ((_("NaN"), side.nan), (_("Inf"), side.inf)) if row.counted else ()
    for title, count in special:
        if count:
            pieces += [gap(2), Piece(f"{title} ", "muted"), Piece(number_text(count, 0), "error")]
    return room.look.cut(pieces, room.width - 1)

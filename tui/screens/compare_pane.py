"""What the Compare screen says besides its rows: what the runs come to, the categories, and one row closely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tui.compare.noise import FLOOR_FEW, FLOOR_MANY, MANY_CALLS
from tui.compare_report import MATCH_NAMES, PART_NAMES, VERDICT_NAMES, change_text, difference_text
from tui.i18n import _, ngettext
from tui.model.columns import cell_text
from tui.model.comparison import MATCHES, Change, Comparison, Match, PartChange, Verdict
from tui.model.ops import pipe_ratios
from tui.model.table import Table
from tui.screens.compare_beside import beside_facts
from tui.screens.compare_pair import Pair
from tui.screens.compare_table import DELTA_ROLES, VERDICT_ROLES, decimals_for
from tui.screens.op_details import Pane, Room
from tui.session import Session
from tui.sides import run_name
from tui.units import GlyphSet, delta_text, missing_text, number_text, time_unit, unit_label
from widgets.bars import bar, change_bar
from widgets.panes import Detail, detail_lines, head_line
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look
from widgets.text import cells, cut_middle, fit

LABEL_CELLS = 12
PARTS_WHERE_SHORT = 5
WARNINGS_WHERE_SHORT = 1
PART_CELLS = 14
FACTORS = {"ns": 1000.0, "us": 1.0, "ms": 0.001}


@dataclass(frozen=True)
class Paper:
    """The width to write in, and how."""

    look: Look
    width: int
    tall: bool
    number_glyphs: GlyphSet = "blocks"


def summary_lines(comparison: Comparison, paper: Paper, with_parts: bool) -> list[Line]:
    """End to end, wall, what speaks against comparing, and the categories."""
    rows = [(_("end to end"), comparison.end_to_end)]
    if comparison.wall is not None:
        rows.append((_("wall"), comparison.wall))
    lines: list[Line] = [*_change_lines(rows, paper), *_warning_lines(comparison, paper), []]
    if with_parts and comparison.parts:
        lines += [*_part_lines(comparison, paper), []]
    return lines


def _change_lines(rows: Sequence[tuple[str, Change]], paper: Paper) -> Iterator[Line]:
    """Both sides, the difference, the verdict and the noise, column under column."""
    texts = [_change_texts(change, paper.number_glyphs) for _label, change in rows]
    widths = [max(cells(entry[at]) for entry in texts) for at in range(5)]
    for (label, change), (before, after, delta, share, noise) in zip(rows, texts):
        role = _loud(change.verdict)
        word = _(VERDICT_NAMES[change.verdict])
        yield paper.look.cut(
            [
                gap(1), Piece(fit(label, LABEL_CELLS), "muted"), Piece(fit(before, widths[0], "right"), "text"),
                Piece(" → ", "muted"), Piece(fit(after, widths[1], "right"), "bright"), gap(3),
                Piece(fit(delta, widths[2], "right"), role or "text"), gap(3),
                Piece(fit(share, widths[3], "right"), role or "text"), gap(3),
                Piece(fit(word, 8), VERDICT_ROLES[change.verdict]), gap(1), Piece(noise, "muted"),
            ],
            paper.width - 1,
        )  # fmt: skip


def _loud(verdict: Verdict) -> str:
    return f"{DELTA_ROLES[verdict]} bold" if verdict in ("faster", "slower") else ""


def _change_texts(change: Change, glyphs: GlyphSet) -> tuple[str, str, str, str, str]:
    """Before, after with the unit, difference, percent, noise."""
    if change.verdict == "incomparable":
        none = missing_text(glyphs)
        return none, none, none, none, ""
    largest = max(abs(change.a_us), abs(change.b_us))
    unit = time_unit(largest * 1000.0)
    factor, label = FACTORS[unit], unit_label(unit, glyphs)
    decimals = decimals_for(largest * factor, 3)
    share = delta_text(change.delta_pct, 1, glyphs) if np.isfinite(change.delta_pct) else missing_text(glyphs)
    return (
        number_text(change.a_us * factor, decimals, glyphs),
        f"{number_text(change.b_us * factor, decimals, glyphs)} {label}",
        f"{delta_text(change.delta_us * factor, decimals, glyphs)} {label}",
        f"{share} %",
        _("noise ± {band} {unit}").format(band=number_text(change.band_us * factor, 1, glyphs), unit=label),
    )


def _warning_lines(comparison: Comparison, paper: Paper) -> Iterator[Line]:
    """Amber lines that stay on the screen; the rest is counted where the screen is short."""
    told = warnings_of(comparison)
    shown = told if paper.tall else told[:WARNINGS_WHERE_SHORT]
    more = len(told) - len(shown)
    for at, text in enumerate(shown):
        rest = _("{n} more").format(n=f"+{more}") if more and at == len(shown) - 1 else ""
        room = paper.width - 5 - (cells(rest) + 2 if rest else 0)
        pieces = paper.look.cut([Piece(paper.look.shown(text), "warn")], room)
        yield [gap(1), Piece("!", "warn bold"), gap(1), *pieces, gap(2 if rest else 0), Piece(rest, "warn")]


def warnings_of(comparison: Comparison) -> list[str]:
    """What keeps the times from comparing as they are, and what else must be known."""
    told = [difference_text(difference) for difference in comparison.differences]
    wall = comparison.wall
    if wall is not None and wall.verdict == "slower" and comparison.end_to_end.verdict in ("same", "faster"):
        told.append(_("the operators do not take longer, the run does: look at the host"))
    return [*told, *comparison.notes]


def alike_text(comparison: Comparison) -> str:
    """What is known of both runs and the same: `chip, CANN, options`."""
    a, b = comparison.a.facts, comparison.b.facts
    known = (
        (_("chip"), bool(a.chips and b.chips)),
        (_("CANN"), bool(a.cann_version and b.cann_version)),
        (_("options"), bool((a.level and b.level) or (a.metrics and b.metrics) or (a.options and b.options))),
    )
    return ", ".join(name for name, is_known in known if is_known)


def _part_lines(comparison: Comparison, paper: Paper) -> Iterator[Line]:
    """The categories of time as bars around zero."""
    parts = comparison.parts if paper.tall else _telling(comparison.parts)
    known = [value for part in parts for value in (part.change.a_us, part.change.b_us) if value == value]
    unit = "us" if time_unit(max(known, default=0.0) * 1000.0) != "ms" else "ms"
    label = unit_label(unit, paper.number_glyphs)
    facts = _("{unit}, noise shaded").format(unit=label) if paper.tall else label
    yield head_line(paper.look, _("what changed"), [Piece(facts, "muted")], paper.width)
    scale = max(
        (abs(part.change.delta_us) for part in parts if part.change.delta_us == part.change.delta_us), default=0
    )
    for part in parts:
        yield _part_line(part, FACTORS[unit], scale, paper)


def _telling(parts: Sequence[PartChange]) -> list[PartChange]:
    """Those that changed most, in their order."""
    by_change = sorted(parts, key=lambda part: -abs(part.change.delta_us) if part.change.delta_us else 0.0)
    kept = by_change[:PARTS_WHERE_SHORT]
    return [part for part in parts if part in kept]


def _part_line(part: PartChange, factor: float, scale_us: float, paper: Paper) -> Line:
    change, glyphs = part.change, paper.number_glyphs
    name = fit(_(PART_NAMES[part.part]), PART_CELLS, ellipsis=paper.look.glyphs.ellipsis)
    before, after = (number_text(value * factor, 2, glyphs) for value in (change.a_us, change.b_us))
    delta = delta_text(change.delta_us * factor, 2, glyphs) if np.isfinite(change.delta_us) else missing_text(glyphs)
    width = min(paper.width - 59, 49) | 1
    pieces = (
        change_bar(change.delta_us / scale_us, change.band_us / scale_us, width, paper.look.glyphs,
                   paper.look.palette.colours)
        if scale_us and np.isfinite(change.delta_us) else [gap(width)]
    )  # fmt: skip
    return [
        gap(2), Piece(name, "text"), Piece(fit(before, 9, "right"), "text"), Piece(" → ", "muted"),
        Piece(fit(after, 9, "right"), "text"), Piece(fit(delta, 10, "right"), DELTA_ROLES.get(change.verdict, "text")),
        gap(2), *pieces, gap(1), Piece(_(VERDICT_NAMES[change.verdict]), VERDICT_ROLES[change.verdict]),
    ]  # fmt: skip


def rows_facts(comparison: Comparison) -> str:
    """`566 ↔ 361 · 350 paired by name, 11 in sequence` for the head of the rows."""
    table = comparison.table
    counts = [table.number(key) for key in ("a_count", "b_count")]
    sides = [number_text(float((values > 0).sum()), 0) for values in counts if values is not None]
    matches = table.text("match")
    counted = np.bincount(matches.codes, minlength=len(MATCHES)) if matches is not None else np.zeros(len(MATCHES), int)
    paired = int(counted.sum() - counted[MATCHES.index("none")])
    text = ngettext("{n} paired", "{n} paired", paired).format(n=number_text(paired, 0))
    sequence = int(counted[MATCHES.index("sequence")])
    more = _("{n} of them in sequence").format(n=number_text(sequence, 0)) if sequence else ""
    return " · ".join(part for part in (" ↔ ".join(sides), text, more) if part)


# ── one row ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def pair_pane(pair: Pair, room: Room) -> Pane:
    """Both sides as bars with their numbers, the difference, and why it is judged so."""
    match: Match = pair.text("match")  # type: ignore[assignment]
    facts = _("paired by {how}").format(how=_(MATCH_NAMES[match])) if match != "none" else _("not paired")
    lines = [*_side_lines(pair, room), *([[]] if room.tall else [])]
    lines += detail_lines(room.look, list(_pair_facts(pair, room)), room.width)
    return Pane(pair.name, facts, lines)


def _side_lines(pair: Pair, room: Room) -> Iterator[Line]:
    change, glyphs = pair.change, room.number_glyphs
    largest = max((value for value in (change.a_us, change.b_us) if value == value), default=0.0)
    unit = "us" if glyphs == "ascii" else "µs"
    values = [f"{number_text(value, 3, glyphs)} {unit}" for value in (change.a_us, change.b_us)]
    value_cells = max(map(cells, values))
    bar_cells = max(10, min(48, room.width - 62))
    for of, value, text in zip("ab", (change.a_us, change.b_us), values):
        known = pair.number(f"{of}_count") > 0
        fraction = value / largest if largest and value == value else 0.0
        note = _side_note(pair, of) if known else _("not there")
        yield [
            gap(1), Piece(of.upper(), "low bold" if of == "a" else "bar bold"), gap(1),
            Piece(fit(cut_middle(room.look.shown(_side_name(pair, of)), 14, room.glyphs.ellipsis), 14), "muted"),
            gap(1),
            Piece(bar(fraction if known else 0.0, bar_cells, room.glyphs), "low" if of == "a" else "bar"), gap(2),
            Piece(fit(text if known else room.glyphs.missing, value_cells, "right"), "bright"), gap(2),
            Piece(room.look.shown(note), "muted"),
        ]  # fmt: skip


def _side_name(pair: Pair, of: str) -> str:
    """What a run is called on this screen."""
    session, side = (pair.a, pair.comparison.a) if of == "a" else (pair.b, pair.comparison.b)
    return side.name if session is None else run_name(session)


def _side_note(pair: Pair, of: str) -> str:
    """Calls, busiest pipe and blocks of one side."""
    calls = int(pair.number(f"{of}_count"))
    calls_text = ngettext("{n} call", "{n} calls", calls).format(n=number_text(calls, 0))
    parts = [] if pair.number("a_count") == pair.number("b_count") == 1 else [calls_text]
    row, side = pair.op_row(of), pair.comparison.a if of == "a" else pair.comparison.b
    if row >= 0 and side.ops is not None and pair.comparison.by == "name":
        ratios = pipe_ratios(side.ops, row)
        if ratios:
            leader = max(ratios, key=lambda pipe: ratios[pipe])
            parts.append(f"{leader} {ratios[leader]:.2f}")
        parts.append(_blocks(side.ops, row, pair.a if of == "a" else pair.b))
    return "   ".join(part for part in parts if part)


def _blocks(table: Table, row: int, session: Session | None) -> str:
    blocks, ids = table.get("block_num"), table.get("device_id")
    device = None if session is None else session.device_of(cell_text(ids, row) if ids is not None else "")
    if blocks is None or device is None or not device.ai_core_num:
        return ""
    task_type = table.get("task_type")
    vector = task_type is not None and cell_text(task_type, row) in ("AI_VECTOR_CORE", "MIX_AIV")
    cores = device.aiv_num if vector and device.aiv_num else device.ai_core_num
    return _("{blocks} of {cores} cores").format(blocks=cell_text(blocks, row), cores=cores)


def _pair_facts(pair: Pair, room: Room) -> Iterator[Detail]:
    change = pair.change
    yield Detail("Δ", [Piece(change_text(change, room.number_glyphs), "strong")])
    yield Detail(_("why"), _why(pair))
    yield from beside_facts(pair, room.number_glyphs)
    per_call = [pair.number(key) for key in ("a_call_us", "b_call_us")]
    if max(pair.number("a_count"), pair.number("b_count")) > 1:
        texts = [number_text(value, 3, room.number_glyphs) for value in per_call]
        unit = unit_label("us", room.number_glyphs)
        yield Detail(_("per call"), f"{texts[0]} → {texts[1]} {unit}")
    if pair.text("b_op_name") and pair.text("b_op_name") != pair.text("op_name"):
        yield Detail(_("in B"), pair.text("b_op_name"))
    shapes = _shapes(pair)
    if shapes:
        yield Detail(_("Shapes"), [Piece(shapes, "muted")])


def _shapes(pair: Pair) -> str:
    """Input shapes; both where they differ."""
    found = []
    for of, side in (("a", pair.comparison.a), ("b", pair.comparison.b)):
        row, column = pair.op_row(of), side.ops.get("input_shapes") if side.ops is not None else None
        if row >= 0 and column is not None and pair.comparison.by == "name":
            found.append(cell_text(column, row).replace('"', "").replace(";", " ; "))
    return " → ".join(dict.fromkeys(text for text in found if text and text != "N/A"))


def _why(pair: Pair) -> str:
    """Why the verdict is what it is."""
    verdict = pair.change.verdict
    calls = (int(pair.number("a_count")), int(pair.number("b_count")))
    if verdict == "new":
        return _not_there("A", pair)
    if verdict == "gone":
        return _not_there("B", pair)
    if verdict == "count_changed":
        return _("called {a} times in A, {b} times in B: compare the time per call").format(a=calls[0], b=calls[1])
    if verdict == "incomparable":
        return _("one of the two has no times of it")
    return _why_noise(pair, calls)


def _not_there(side: str, pair: Pair) -> str:
    if pair.comparison.by == "name":
        return _("{side} has no operator of that name, nor one like it in sequence").format(side=side)
    return _("{side} has none of that kind").format(side=side)


def _why_noise(pair: Pair, calls: tuple[int, int]) -> str:
    """What the noise band comes from, and on which side of it the difference is."""
    change = pair.change
    many = min(calls) >= MANY_CALLS
    floor_us = (FLOOR_MANY if many else FLOOR_FEW) * max(change.a_us, change.b_us)
    if change.band_us > floor_us * 1.000001:
        source = _("twice the spread of single calls")
    elif many:
        source = _("1 % of the larger total")
    else:
        source = _("3 % of the larger total, since it was called less than {n} times").format(n=MANY_CALLS)
    if change.verdict == "same":
        return _("the difference is within noise, which is {source}").format(source=source)
    return _("the difference is beyond noise, which is {source}").format(source=source)

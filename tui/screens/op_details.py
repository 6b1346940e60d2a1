"""What the details pane says about one operator, and about a group of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.glossary import about_op_type, about_task_type
from tui.i18n import _, ngettext
from tui.model.columns import NOT_AVAILABLE, cell_text
from tui.model.ops import BOUND_RATIO, communication_rows, pipe_columns, pipe_ratios
from tui.model.order import time_order
from tui.model.sources import Device
from tui.model.stats import histogram, percentiles, variation
from tui.model.table import MISSING_NS, Table
from tui.screens.facts import NARROW_LABEL_CELLS, BarRow, Fact, bar_lines, fact, fact_lines, gauge_line
from tui.units import GlyphSet, exact_time_text, full_text, number_text, plain_number, span_text
from widgets.bars import histogram as histogram_rows
from widgets.glyphs import GlyphSet as Glyphs
from widgets.panes import Detail, detail_lines, head_line
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look
from widgets.text import cells

NEIGHBOURS_LOOKED_AT = 4096
"""Rows of other devices that are passed over at most, so that a key is never waited for."""
GAUGE_CELLS = 26
"""Width of one gauge where several stand on a line."""


@dataclass(frozen=True)
class Pane:
    """What a details pane shows."""

    title: str
    facts: str
    """At the right end of its head line."""
    lines: Sequence[Line]


@dataclass(frozen=True)
class Room:
    """The space a pane has, and how to write in it."""

    width: int
    height: int
    look: Look
    number_glyphs: GlyphSet = "blocks"

    @property
    def glyphs(self) -> Glyphs:
        """The characters to write in."""
        return self.look.glyphs

    def rule(self, title: str, facts: str = "") -> Line:
        """A head line inside the pane."""
        return head_line(self.look, title, [Piece(facts, "muted")] if facts else [], self.width)

    @property
    def tall(self) -> bool:
        """Whether one fact per line is affordable."""
        return self.height >= 16


def op_pane(table: Table, row: int, device: Device | None, origin_ns: int, room: Room) -> Pane:
    """Everything the file says about one task, the telling things first."""
    path, number = table.place(row)
    name = _text(table, "op_name", row)
    place = (
        _("row {n}").format(n=number)
        if room.width < 60
        else _("{file} row {n}").format(file=path.rsplit("/", 1)[-1], n=number)
    )
    facts = _tall_facts(table, row, device, origin_ns, room) if room.tall else _flat_facts(table, row, device, room)
    lines = fact_lines(facts, room.width, room.glyphs.ellipsis)
    lines += _pipe_lines(pipe_ratios(table, row), room)
    lines += _about_lines(table, row, room)
    if room.tall:
        lines += _neighbour_lines(table, row, room) + _all_columns(table, row, room)
    return Pane(name, place, lines)


def task_lines(table: Table, row: int, device: Device | None, room: Room, label_cells: int) -> list[Line]:
    """What the table adds to a task that stands on the timeline: wait, shapes, types, blocks, pipes."""
    known = _flat_facts(table, row, device, room)
    facts = [entry._replace(label=entry.label.lower()) for entry in known if entry.label != _("Duration")]
    lines = fact_lines(facts, room.width, room.glyphs.ellipsis, label_cells)
    return lines + _pipe_lines(pipe_ratios(table, row), room)


def _text(table: Table, key: str, row: int) -> str:
    column = table.get(key)
    return "" if column is None else cell_text(column, row)


def _known(table: Table, key: str, row: int) -> str:
    text = _text(table, key, row)
    return "" if text == NOT_AVAILABLE else text


def _us(table: Table, key: str, row: int, room: Room) -> str:
    values = table.number(key)
    if values is None or np.isnan(values[row]):
        return room.glyphs.missing
    unit = "us" if room.number_glyphs == "ascii" else "µs"
    text = f"{float(values[row]):.3f}"
    exact = plain_number(float(values[row]))
    return f"{full_text(float(values[row]))} {unit}" if len(exact.partition(".")[2]) > 3 else f"{_spaced(text)} {unit}"


def _spaced(text: str) -> str:
    return number_text(float(text), 3)


def _shapes(table: Table, row: int, glyphs: Glyphs) -> str:
    arrow = glyphs.shown(" → ")
    return arrow.join(
        part for part in (_pretty(_text(table, key, row)) for key in ("input_shapes", "output_shapes")) if part
    )


def _pretty(shapes: str) -> str:
    return "" if shapes in ("", NOT_AVAILABLE) else shapes.replace('"', "").replace(";", " ; ")


def _types(table: Table, row: int, glyphs: Glyphs) -> str:
    data = dict.fromkeys(
        part for key in ("input_data_types", "output_data_types") for part in _known(table, key, row).split(";") if part
    )
    formats = [_first(_known(table, key, row)) for key in ("input_formats", "output_formats")]
    both = glyphs.shown(" → ").join(part for part in formats if part)
    names = ", ".join(_short_type(name) for name in data)
    return f" {glyphs.dot} ".join(part for part in (names, both) if part)


def _first(joined: str) -> str:
    return joined.split(";", maxsplit=1)[0]


def _short_type(name: str) -> str:
    return (
        name.replace("DT_", "").replace("FLOAT16", "FP16").replace("FLOAT", "FP32")
        if name not in ("FLOAT", "DT_FLOAT")
        else "FP32"
    )


def _blocks(table: Table, row: int, device: Device | None) -> str:
    blocks = _known(table, "block_num", row)
    if not blocks:
        return ""
    vector = _text(table, "task_type", row) in ("AI_VECTOR_CORE", "MIX_AIV")
    cores = 0 if device is None else (device.aiv_num if vector and device.aiv_num else device.ai_core_num)
    return _("{blocks} of {cores} cores").format(blocks=blocks, cores=cores) if cores else blocks


def _flat_facts(table: Table, row: int, device: Device | None, room: Room) -> list[Fact]:
    facts = [
        fact(_("Duration"), _us(table, "task_duration_us", row, room), "bright"),
        fact(_("Wait"), _us(table, "task_wait_time_us", row, room)),
        fact(_("Shapes"), _shapes(table, row, room.glyphs), wide=True),
        fact(_("Types"), _types(table, row, room.glyphs)),
        fact(_("Blocks"), _blocks(table, row, device)),
    ]
    return [entry for entry in facts if entry.value[0].text]


def _tall_facts(table: Table, row: int, device: Device | None, origin_ns: int, room: Room) -> list[Fact]:
    starts = table.time("start_ns")
    start = (
        ""
        if starts is None or starts[row] == MISSING_NS
        else exact_time_text(int(starts[row]) - origin_ns, "ms") + " ms"
    )
    stream = _known(table, "stream_id", row)
    facts = [
        fact("OP Type", _known(table, "op_type", row)),
        fact("Task Type", _known(table, "task_type", row)),
        fact(_("Duration"), _us(table, "task_duration_us", row, room), "bright"),
        fact(_("Wait"), _us(table, "task_wait_time_us", row, room)),
        fact(_("Start"), start),
        fact(_("Stream"), stream, note=_("task {id}").format(id=_text(table, "task_id", row)) if stream else ""),
        fact("Block Num", _blocks(table, row, device)),
        fact(_("Inputs"), _pretty(_text(table, "input_shapes", row))),
        fact(_("Outputs"), _pretty(_text(table, "output_shapes", row))),
        fact(_("Data"), _types(table, row, room.glyphs)),
    ]
    return [entry for entry in facts if entry.value[0].text]


def _pipe_lines(ratios: dict[str, float], room: Room) -> list[Line]:
    if not ratios:
        return [[gap(1), Piece(_("no AI Core metrics for this task"), "muted")]]
    if room.tall:
        head: list[Line] = [[], room.rule(_("pipes"), _("share of cycles"))]
        gauges = [
            [gap(1), *gauge_line(pipe, ratio, room.width - 2, room.glyphs, BOUND_RATIO)]
            for pipe, ratio in ratios.items()
        ]
        return [*head, *gauges, _bound_line(ratios, room)]
    return _gauge_rows(ratios, room)


def _gauge_rows(ratios: dict[str, float], room: Room) -> list[Line]:
    """The busiest pipes side by side, in their own order."""
    count = max(1, (room.width - 1) // GAUGE_CELLS)
    leading = sorted(ratios, key=lambda pipe: -ratios[pipe])[:count]
    line: list[Piece] = [gap(1)]
    for pipe in [pipe for pipe in ratios if pipe in leading]:
        line += [*gauge_line(pipe, ratios[pipe], GAUGE_CELLS - 3, room.glyphs, BOUND_RATIO), gap(3)]
    return [line]


def _bound_line(ratios: dict[str, float], room: Room) -> Line:
    leader = max(ratios, key=lambda pipe: ratios[pipe])
    if ratios[leader] >= BOUND_RATIO:
        text = f"{leader} {ratios[leader]:.2f}"
    else:
        text = _("none {at_least} {limit}, {pipe} leads").format(
            at_least=room.glyphs.shown("≥"), limit=f"{BOUND_RATIO:.2f}", pipe=leader
        )
    return fact_lines([fact(_("bound"), text)], room.width, room.glyphs.ellipsis)[0]


def _about_lines(table: Table, row: int, room: Room) -> list[Line]:
    about = about_op_type(_text(table, "op_type", row)) or about_task_type(_text(table, "task_type", row))
    return (
        fact_lines([fact(_("what"), about, "muted", wide=True)], room.width, room.glyphs.ellipsis)
        if about and not room.tall
        else []
    )


def _neighbour_lines(table: Table, row: int, room: Room) -> list[Line]:
    """The task before and the two after in time on the same device."""
    starts = table.time("start_ns")
    if starts is None or starts[row] == MISSING_NS:
        return []
    before, after = _rows_beside(table, row, -1, 1), _rows_beside(table, row, 1, 2)
    if not before and not after:
        return []
    labelled = [(_("before"), other) for other in before]
    labelled += [(_("after") if not at else "", other) for at, other in enumerate(after)]
    facts = [fact(label, _text(table, "op_name", other), note=_length(table, other, room)) for label, other in labelled]
    return [[], room.rule(_("neighbours")), *fact_lines(facts, room.width, room.glyphs.ellipsis)]


def _rows_beside(table: Table, row: int, step: int, count: int) -> list[int]:
    """Rows of the same device that start next after (step 1) or before (-1) a row, nearest first."""
    starts, order, devices = table.time("start_ns"), time_order(table), table.text("device_id")
    at = row if order is None else int(order[1][row])
    found: list[int] = []
    for place in range(at + step, at + step * NEIGHBOURS_LOOKED_AT, step):
        if len(found) == count or not 0 <= place < table.row_count:
            break
        other = place if order is None else int(order[0][place])
        known = starts is not None and starts[other] != MISSING_NS
        if known and (devices is None or devices.codes[other] == devices.codes[row]):
            found.append(other)
    return found


def _length(table: Table, row: int, room: Room) -> str:
    values = table.number("task_duration_us")
    return "" if values is None else span_text(float(values[row]) * 1000, room.number_glyphs)


def _all_columns(table: Table, row: int, room: Room) -> list[Line]:
    """Every column under the file's own heading; a long value goes on in the next lines."""
    lines: list[Line] = [[], room.rule(_("all columns"), str(len(table.columns)))]
    for column in table.columns:
        label = column.info.heading or column.info.key
        detail = Detail(label, cell_text(column, row))
        lines += detail_lines(room.look, [detail], room.width - 1, max(cells(label) + 2, NARROW_LABEL_CELLS))
    return lines


def group_pane(table: Table, rows: NDArray[np.intp], title: str, device_us: float, room: Room) -> Pane:
    """A group of tasks: its longest, its spread, its pipes, and where there is room its distribution and shapes."""
    values = table.number("task_duration_us")
    if values is None or not len(rows):
        return Pane(title, "", [])
    mine = np.asarray(values[rows])
    known = mine[np.isfinite(mine)]
    if not len(known):
        return Pane(title, "", [])
    work = mine[np.isfinite(mine) & ~communication_rows(table)[rows]]
    share = float(work.sum()) / device_us * 100 if device_us and len(work) else float("nan")
    calls = ngettext("{n} call", "{n} calls", len(rows)).format(n=number_text(len(rows), 0))
    facts = (
        _("{calls} · {share} % of device time").format(calls=calls, share=number_text(share, 1))
        if share == share
        else calls
    )
    lines = _spread_lines(table, rows, known, room)
    lines += _mean_pipe_lines(table, rows, room)
    if room.tall:
        lines += [[], *_distribution_lines(known, room), [], *_shape_lines(table, rows, mine, room)]
    return Pane(title, facts, lines)


def _spread_lines(table: Table, rows: NDArray[np.intp], known: NDArray[np.float64], room: Room) -> list[Line]:
    values = table.number("task_duration_us")
    assert values is not None
    longest = int(rows[int(np.nanargmax(values[rows]))])
    p50, p95 = percentiles(known, (50, 95))
    top = float(known.max())
    unit = "us" if room.number_glyphs == "ascii" else "µs"
    times = (
        _("{n}× the median ({median} {unit})").format(
            n=number_text(top / p50, 1), median=number_text(p50, 0), unit=unit
        )
        if p50
        else ""
    )
    first = (
        Piece(_text(table, "op_name", longest), "bright"), gap(2),
        Piece(f"{number_text(top, 1)} {unit}", "bright"), gap(3),
        Piece(times, "" if p50 and top > 3 * p50 else "muted"),
    )  # fmt: skip
    spread = (
        Piece(f"CV {number_text(variation(known), 2)}"), gap(3),
        Piece(f"p50 {number_text(p50, 0)}  p95 {number_text(p95, 0)}  max {number_text(top, 0)} {unit}", "muted"),
    )  # fmt: skip
    return fact_lines(
        [Fact(_("longest"), first, True), Fact(_("spread"), spread, True)], room.width, room.glyphs.ellipsis
    )


def mean_pipes(table: Table, rows: NDArray[np.intp]) -> dict[str, float]:
    """Mean ratio of each pipe over the rows that have it; the larger of the two cores on split chips."""
    means: dict[str, float] = {}
    for pipe, values in pipe_columns(table):
        mine = values[rows]
        known = mine[np.isfinite(mine)]
        if len(known):
            means[pipe] = max(float(known.mean()), means.get(pipe, 0.0))
    return means


def _mean_pipe_lines(table: Table, rows: NDArray[np.intp], room: Room) -> list[Line]:
    means = mean_pipes(table, rows)
    if not means:
        return []
    leader = max(means, key=lambda pipe: means[pipe])
    none = _("none {at_least} {limit}").format(at_least=room.glyphs.shown("≥"), limit="0.8")
    verdict = f"{leader} {means[leader]:.2f}" if means[leader] >= BOUND_RATIO else none
    telling = sorted(means, key=lambda pipe: -means[pipe])[:4]
    rest = "  ".join(f"{pipe} {means[pipe]:.2f}" for pipe in means if pipe in telling)
    return fact_lines(
        [Fact(_("bound"), (Piece(verdict), gap(3), Piece(rest, "muted")), True)], room.width, room.glyphs.ellipsis
    )


def _distribution_lines(known: NDArray[np.float64], room: Room) -> list[Line]:
    unit = "us" if room.number_glyphs == "ascii" else "µs"
    title = ngettext("duration of {n} call", "duration of the {n} calls", len(known))
    head = room.rule(title.format(n=number_text(len(known), 0)), unit)
    width = room.width - 3
    counts = histogram(known, width, low=0.0).counts.tolist()
    lines: list[Line] = [
        [gap(1), Piece(text, "bar")] for text in histogram_rows([count**0.5 for count in counts], 3, room.glyphs)
    ]
    left, right = "0", number_text(float(known.max()), 0)
    scale: Line = [gap(1), Piece(left, "muted"), gap(width - len(left) - len(right)), Piece(right, "muted")]
    return [head, *lines, [gap(1), Piece(room.glyphs.axis * width, "rule")], scale]


def _shape_lines(table: Table, rows: NDArray[np.intp], mine: NDArray[np.float64], room: Room) -> list[Line]:
    """The input shapes that take most time."""
    column = table.text("input_shapes")
    if column is None:
        return []
    codes, place = np.unique(np.asarray(column.codes[rows]), return_inverse=True)
    totals = np.bincount(place.reshape(-1), weights=np.nan_to_num(mine), minlength=len(codes))
    counts = np.bincount(place.reshape(-1), minlength=len(codes))
    order = [int(at) for at in np.argsort(-totals, kind="stable")[:6]]
    top = float(totals.max()) or 1.0
    shown = [
        BarRow(
            _pretty(column.strings[int(codes[at])]) or room.glyphs.missing,
            f"{counts[at]}×",
            number_text(totals[at] / 1000, 2),
            totals[at] / top,
        )
        for at in order
    ]
    return [room.rule(_("top shapes"), _("total ms")), *bar_lines(shown, room.width, room.glyphs)]

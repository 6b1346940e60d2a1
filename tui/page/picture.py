"""The timeline as an SVG picture, drawn from its level of detail: as much of it as can be seen, however many events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model.counters import counter_cells, unit_of
from tui.model.fills import BANDS, OVERLAP_FILLS, QUIET_FILLS, bands_of
from tui.model.lanes import Lane, LaneGroup, busy_within, lane_groups
from tui.model.levels import bare_name
from tui.model.lod import Bins, Rows
from tui.model.text import cell_width
from tui.model.timeline import Timeline
from tui.page.markup import escaped
from tui.units import NS_PER_UNIT, number_text, share_text, span_text, time_text, unit_label

LEFT, WIDTH, RIGHT = 196, 1000, 52
"""Columns of the picture: names of the lanes, the time, shares."""
ROW, DEEP_ROW, HEAD, AXIS = 18, 13, 22, 22
"""Heights: the first row of a lane, a nested row, the head of a group, the axis."""
MOST_LANES = 40
MOST_COUNTERS = 8
DEPTH_SHOWN = 3
TITLED_WIDTH = 3.0
"""Narrower events have no name of their own in the picture."""
LETTER_WIDTH = 6.2
DENSE_STEPS = 6
TICK_WIDTH = 110

Events = NDArray[np.int32]


@dataclass(frozen=True)
class Scene:
    """What is drawn."""

    timeline: Timeline
    rows: Rows
    window: tuple[int, int]
    """(start, end) in absolute ns."""
    span_ns: int
    """What shares are of."""
    bands: tuple[float, float] = (20.0, 50.0)
    is_part: bool = False
    """Whether busy times count within the window alone."""

    def x(self, time_ns: int) -> float:
        """Place of a time, from the left edge of the lanes."""
        start_ns, end_ns = self.window
        return WIDTH * (min(max(time_ns, start_ns), end_ns) - start_ns) / max(end_ns - start_ns, 1)


@dataclass(frozen=True)
class Picture:
    """An SVG element, and what it leaves out."""

    svg: str
    lanes_left_out: int
    """Lanes that it has no room for."""


def draw(scene: Scene, label: str) -> Picture:
    """The lanes in the order of the viewer, each with its nested rows, the busiest ones where there are too many.

    Args:
        label: What the picture shows, for those who cannot see it.
    """
    groups = lane_groups(scene.timeline, scene.rows)
    kept = _kept(groups)
    parts: list[str] = []
    height = AXIS
    for group in groups:
        lanes = [lane for lane in group.lanes if lane.key in kept]
        if lanes:
            parts.append(_text(0, height + 15, group.title, "group"))
            height += HEAD
        for lane in lanes:
            parts += _lane(scene, lane, height)
            height += _height(lane) + 3
    total = LEFT + WIDTH + RIGHT
    head = f'<svg viewBox="0 0 {total} {height}" role="img" aria-label="{escaped(label)}">'
    svg = "\n".join((head, *_axis(scene, height), *parts, "</svg>"))
    return Picture(svg, sum(len(group.lanes) for group in groups) - len(kept))


def _kept(groups: Sequence[LaneGroup]) -> frozenset[str]:
    """Keys of the lanes that are drawn: the busiest of each group while there is room, every group its turn."""
    queues = [_busiest_first(group) for group in groups]
    counters = sum(group.kind == "counters" for group in groups) or 1
    limits = [max(1, MOST_COUNTERS // counters) if group.kind == "counters" else MOST_LANES for group in groups]
    turns = ((turn, place) for turn in range(MOST_LANES) for place in range(len(groups)))
    ordered = [queues[place][turn] for turn, place in turns if turn < min(len(queues[place]), limits[place])]
    return frozenset(lane.key for lane in ordered[:MOST_LANES])


def _busiest_first(group: LaneGroup) -> list[Lane]:
    return sorted(group.lanes, key=lambda lane: (lane.layer != "acl", -lane.busy_ns))


def _height(lane: Lane) -> int:
    return ROW + DEEP_ROW * (min(len(lane.rows), DEPTH_SHOWN) - 1) if lane.rows else ROW


def _lane(scene: Scene, lane: Lane, y: int) -> Iterator[str]:
    yield _text(10, y + 13, _cut(lane.title, LEFT - 18), "", lane.title)
    yield f'<rect class="back" x="{LEFT}" y="{y}" width="{WIDTH}" height="{_height(lane)}"/>'
    if lane.counter >= 0:
        yield from _counter(scene, lane, y)
        return
    busy_ns = busy_within(scene.rows, lane.rows, scene.window) if scene.is_part else lane.busy_ns
    yield _text(LEFT + WIDTH + 6, y + 13, f"{number_text(busy_ns * 100.0 / scene.span_ns, 0)} %", "fact")
    shown = lane.rows[:DEPTH_SHOWN]
    bins = scene.rows.bins(shown, *scene.window, WIDTH)
    for place in range(len(shown)):
        top = y + (0 if place == 0 else ROW + DEEP_ROW * (place - 1))
        yield from _row(scene, bins, place, top, (ROW if place == 0 else DEEP_ROW) - 1)


def _row(scene: Scene, bins: Bins, row: int, top: int, height: int) -> Iterator[str]:
    """Events that are wide enough for a place of their own, below them whatever is dense."""
    wide = _wide_events(scene, bins.event[row])
    yield from _dense(scene, bins, row, wide, top, height)
    fills = _fills(scene, wide)
    for event, fill in zip(wide.tolist(), fills):
        yield _slice(scene, event, fill, top, height)


def _wide_events(scene: Scene, cells: Events) -> Events:
    events = np.unique(cells[cells >= 0])
    widths = np.asarray(scene.timeline.dur_ns[events]) * (WIDTH / max(scene.window[1] - scene.window[0], 1))
    return np.asarray(events[widths >= TITLED_WIDTH])


def _slice(scene: Scene, event: int, fill: str, top: int, height: int) -> str:
    timeline = scene.timeline
    start, length = int(timeline.start_ns[event]), int(timeline.dur_ns[event])
    left, right = scene.x(start), scene.x(start + length)
    width = max(right - left - 0.4, 0.6)
    name = bare_name(timeline.name(event))
    told = f"{name}: {span_text(length)}, {share_text(length * 100.0 / scene.span_ns)}"
    box = f'<rect class="{fill}" x="{LEFT + left:.1f}" y="{top}" width="{width:.1f}" height="{height}"/>'
    written = _inside(name, span_text(length), width - 8)
    label = _text(LEFT + left + 4, top + height - (5 if height > DEEP_ROW else 2), written, "on") if written else ""
    return f"<g><title>{escaped(told)}</title>{box}{label}</g>"


def _inside(name: str, length: str, width: float) -> str:
    """The name and the duration, the name alone, or as much of it as says something; empty for no room."""
    both = f"{name}  {length}"
    if cell_width(both) * LETTER_WIDTH <= width:
        return both
    return _cut(name, width) if width >= 4 * LETTER_WIDTH else ""


def _cut(text: str, width: float) -> str:
    """A text in as many letters as fit."""
    if cell_width(text) * LETTER_WIDTH <= width:
        return text
    letters = text
    while letters and (cell_width(letters) + 1) * LETTER_WIDTH > width:
        letters = letters[:-1]
    return f"{letters}…" if letters else ""


def _dense(scene: Scene, bins: Bins, row: int, wide: Events, top: int, height: int) -> Iterator[str]:
    """One path per fill: columns as high as their part of the time that is busy, equal neighbours joined."""
    cells = bins.event[row]
    small = (cells >= 0) & ~np.isin(cells, wide)
    if not small.any():
        return
    steps = np.where(small, np.maximum(np.ceil(bins.share[row] * DENSE_STEPS), 1), 0).astype(np.int64)
    names = (*BANDS, "bar", "neutral")
    fills = np.zeros(WIDTH, np.int64)
    fills[small] = [names.index(fill) for fill in _fills(scene, cells[small])]
    look = np.where(small, steps * len(names) + fills, -1)
    edges = np.concatenate(([0], np.flatnonzero(np.diff(look)) + 1, [WIDTH]))
    paths: dict[str, list[str]] = {}
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist()):
        if look[first] >= 0:
            tall = round(height * int(steps[first]) / DENSE_STEPS, 1)
            box = f"M{LEFT + first} {top + height}v-{tall:g}h{last - first}v{tall:g}z"
            paths.setdefault(names[int(fills[first])], []).append(box)
    for fill, boxes in paths.items():
        yield f'<path class="{fill}" d="{"".join(boxes)}"/>'


def _fills(scene: Scene, events: Events) -> list[str]:
    """Fill of each event: of its layer, or of the band of its share."""
    timeline = scene.timeline
    bands = bands_of(timeline.dur_ns[events], scene.span_ns, scene.bands)
    layers = [timeline.tracks[track].layer for track in np.asarray(timeline.track_id[events]).tolist()]
    return [
        _fill(scene, layer, int(event), int(band))
        for layer, event, band in zip(layers, events.tolist(), bands.tolist())
    ]


def _fill(scene: Scene, layer: str, event: int, band: int) -> str:
    if layer == "overlap":
        return OVERLAP_FILLS.get(scene.timeline.name(event), "neutral")
    return QUIET_FILLS.get(layer, BANDS[band])


def _counter(scene: Scene, lane: Lane, y: int) -> Iterator[str]:
    counter = scene.timeline.counters[lane.counter]
    cells = counter_cells(counter, *scene.window, WIDTH)
    heights = np.round(np.nan_to_num(cells.heights) * (ROW - 1), 1)
    edges = np.concatenate(([0], np.flatnonzero(np.diff(heights)) + 1, [WIDTH]))
    boxes = [
        f"M{LEFT + first} {y + ROW - 1}v-{heights[first]:g}h{last - first}v{heights[first]:g}z"
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist())
        if heights[first] > 0
    ]
    most = float(np.nanmax(counter.values)) if len(counter.values) and not np.isnan(counter.values).all() else 0.0
    told = _("at most {value}").format(value=f"{number_text(most, 0)} {unit_of(counter.series)}".strip())
    if boxes:
        yield f'<g><title>{escaped(told)}</title><path class="counter" d="{"".join(boxes)}"/></g>'


def _axis(scene: Scene, height: int) -> Iterator[str]:
    """Ticks in steps of 1, 2 or 5, with times since the start of the timeline."""
    start_ns, end_ns = scene.window
    origin_ns = scene.timeline.start_ns_min
    step_ns = _step(max(end_ns - start_ns, 1) * TICK_WIDTH // WIDTH + 1)
    unit = next(name for name in ("s", "ms", "us", "ns") if step_ns >= NS_PER_UNIT[name])
    first = origin_ns - (origin_ns - start_ns) // step_ns * step_ns
    for time_ns in range(first, end_ns, step_ns):
        x = LEFT + scene.x(time_ns)
        yield f'<path class="grid" d="M{x:.1f} {AXIS - 6}V{height}"/>'
        if x < LEFT + WIDTH - TICK_WIDTH / 2:
            yield _text(x + 3, AXIS - 8, f"{time_text(time_ns - origin_ns, unit, 0)} {unit_label(unit)}", "tick")


def _step(least_ns: int) -> int:
    """The smallest of 1, 2, 5, 10 … ns that is not below `least_ns`."""
    power = 1
    while power * 5 < least_ns:
        power *= 10
    return next(power * factor for factor in (1, 2, 5) if power * factor >= least_ns)


def _text(x: float, y: float, text: str, kind: str, full: str = "") -> str:
    title = f"<title>{escaped(full)}</title>" if full and full != text else ""
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{title}{escaped(text)}</text>'

"""What the detail strip of the timeline says: about an event, about an idle time, about a range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tui.glossary import about_api
from tui.i18n import _, ngettext
from tui.model.counters import unit_of, value_at
from tui.model.gaps import CAUSE_NAMES, Gaps
from tui.model.lanes import Lane
from tui.model.levels import bare_name
from tui.model.links import back, caused, caused_text
from tui.model.lod import Rows
from tui.model.ranges import lane_range
from tui.model.timeline import Counter, Timeline
from tui.screens.facts import Fact, fact
from tui.units import GlyphSet, TimeChoice, exact_time_text, number_text, share_text, span_text, unit_label

ARGS_SHOWN = 12
_LONG_NS = 10_000_000


@dataclass(frozen=True)
class Scale:
    """What times and shares are told in."""

    origin_ns: int
    span_ns: int
    glyphs: GlyphSet = "blocks"
    units: TimeChoice = "auto"

    def at(self, time_ns: int) -> str:
        """A point in time since the start with every ns; in ms unless another unit is chosen."""
        return self._exact(time_ns - self.origin_ns, "ms" if self.units == "auto" else self.units)

    def length(self, length_ns: int) -> str:
        """A length with every ns; in µs, a long one in ms, unless a unit is chosen."""
        suitable = "us" if length_ns < _LONG_NS else "ms"
        return self._exact(length_ns, suitable if self.units == "auto" else self.units)

    def _exact(self, time_ns: int, unit: str) -> str:
        return f"{exact_time_text(time_ns, unit)} {unit_label(unit, self.glyphs)}"

    def share(self, length_ns: int) -> str:
        """A share of the span."""
        return _("{share} span").format(share=share_text(length_ns * 100.0 / max(self.span_ns, 1), 1, self.glyphs))


def event_facts(timeline: Timeline, event: int, scale: Scale) -> list[Fact]:
    """Wall, self, start, end; what the event caused or what launched it; what it is."""
    duration, start = int(timeline.dur_ns[event]), int(timeline.start_ns[event])
    facts = [
        fact(_("wall"), scale.length(duration), "bright", note=scale.share(duration)),
        fact(_("start"), scale.at(start)),
        fact(_("self"), scale.length(int(timeline.self_ns[event]))),
        fact(_("end"), scale.at(start + duration)),
    ]
    facts += _link_facts(timeline, event, scale)
    about = about_api(bare_name(timeline.name(event)))
    return [*facts, fact(_("what"), about, "muted", wide=True)] if about else facts


def _link_facts(timeline: Timeline, event: int, scale: Scale) -> list[Fact]:
    if timeline.track(event).layer in ("device", "communication"):
        trail = back(timeline, event)
        if not trail:
            return [fact(_("launch"), _("no link recorded"), "muted", wide=True)]
        launch = int(trail.events[0])
        earlier = int(timeline.start_ns[event]) - int(timeline.start_ns[launch])
        text = _("{name} {time} earlier").format(
            name=bare_name(timeline.name(launch)), time=span_text(earlier, scale.glyphs)
        )
        note = _("a guess by time") if trail.guess else ""
        return [fact(_("launch"), text, note=note, wide=True)]
    found = caused(timeline, event)
    text = caused_text(timeline, found, scale.glyphs)
    note = _("a guess by time") if found.how in ("time", "nearest") else ""
    return [fact(_("caused"), text, note=note, wide=True)] if text else []


def args_facts(args: Mapping[str, object]) -> list[Fact]:
    """The arguments of an event, as the trace has them."""
    return [fact(str(name), str(value)) for name, value in list(args.items())[:ARGS_SHOWN]]


def gap_facts(timeline: Timeline, gaps: Gaps, row: int, scale: Scale) -> list[Fact]:
    """Length, what was before and after an idle time, and which layer let it happen."""
    start, end = int(gaps.start_ns[row]), int(gaps.end_ns[row])
    facts = [
        fact(_("length"), scale.length(end - start), "bright", note=scale.share(end - start)),
        fact(_("from"), scale.at(start)),
    ]
    for label, event, launch in (
        (_("before"), int(gaps.before[row]), int(gaps.launch_before[row])),
        (_("after"), int(gaps.after[row]), int(gaps.launch_after[row])),
    ):
        if event >= 0:
            note = _("launched {time}").format(time=scale.at(int(timeline.start_ns[launch]))) if launch >= 0 else ""
            facts.append(fact(label, bare_name(timeline.name(event)), note=note, wide=True))
    return [*facts, fact(_("cause"), _(CAUSE_NAMES[gaps.cause_of(row)]), wide=True)]


def counter_facts(counter: Counter, time_ns: int, scale: Scale) -> list[Fact]:
    """Value of a counter at a time, and its lowest, highest and number of samples."""
    unit = unit_of(counter.series)
    now = value_at(counter, time_ns)
    shown = {_("value"): now, _("lowest"): np.nanmin(counter.values), _("highest"): np.nanmax(counter.values)}
    facts = [
        fact(label, f"{number_text(float(value), 1, scale.glyphs)} {unit}".strip(), "bright" if value is now else "")
        for label, value in shown.items()
        if not np.isnan(value)
    ]
    return [*facts, fact(_("samples"), number_text(len(counter.times_ns), 0))]


def range_text(rows: Rows, lane: Lane, start_ns: int, end_ns: int, glyphs: GlyphSet) -> str:
    """Length of a range, events of a lane that touch it, their wall time and sum inside of it, busy share."""
    found = lane_range(rows, lane, start_ns, end_ns)
    length = max(end_ns - start_ns, 1)
    count = ngettext("{n} event", "{n} events", found.events).format(n=number_text(found.events, 0))
    return _("{length}  {count}  wall {wall}  sum {sum}  busy {share}").format(
        length=span_text(length, glyphs), count=count, wall=span_text(found.wall_ns, glyphs),
        sum=span_text(found.sum_ns, glyphs), share=share_text(found.wall_ns * 100.0 / length, 1, glyphs),
    )  # fmt: skip

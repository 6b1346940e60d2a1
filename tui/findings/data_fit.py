"""DQ: is the data fit to be read?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.findings.commands import collect
from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import listed, pct, us, whole
from tui.i18n import N_, _, ngettext
from tui.model import ops
from tui.model.finding import Command, Evidence
from tui.model.gaps import device_times
from tui.model.sources import SourceFile
from tui.model.text import is_missing

_TYPE_COLUMNS = ("op_type", "task_type", "input_shapes")


def _not_exported(facts: Facts, _limits: Limits) -> Draft | None:
    profile = facts.profile
    if profile.kind == "file":
        raise InputMissing(_("one file was opened, not a collection"))
    if profile.kind != "raw":
        return None
    command = Command("msprof", ("--export=on", f"--output={profile.root}"))
    measured = _("{name} holds no mindstudio_profiler_output, timeline or summary").format(name=profile.name)
    title = _("{name} was collected but not exported").format(name=profile.name)
    return Draft(title, measured, severity="error", evidence=(Evidence(profile.name, table="files"),), command=command)


def _not_ended(facts: Facts, _limits: Limits) -> Draft | None:
    known = [device for device in facts.profile.devices if device.ended_cleanly is not None]
    if not known:
        raise InputMissing(_("no device folder tells how the collection ended (end_info)"))
    broken = [device.id for device in known if not device.ended_cleanly]
    if not broken:
        return None
    title = _("the collection of device {names} did not end cleanly").format(names=listed(broken))
    measured = _("end_info is missing for {count} of {all} devices").format(count=len(broken), all=len(known))
    return Draft(
        title, measured, severity="error", evidence=[Evidence(f"device {name}", device=name) for name in broken]
    )


def _no_types(facts: Facts, _limits: Limits) -> Draft | None:
    table = facts.op_rows.table
    columns = [table.text(key) for key in _TYPE_COLUMNS]
    if any(column is not None and any(not is_missing(text) for text in column.strings) for column in columns):
        return None
    title = _("operators have no types, cores and shapes (task-time level l0)")
    measured = _("OP Type, Task Type and Input Shapes are N/A in all {count} rows").format(count=whole(table.row_count))
    return Draft(title, measured, severity="warn", command=collect(facts.profile, "--task-time=l1"))


def _no_pipes(facts: Facts, _limits: Limits) -> Draft | None:
    table = facts.op_rows.table
    if any(np.isfinite(values).any() for _pipe, values in ops.pipe_columns(table)):
        return None
    title = _("no ratios of the pipelines were collected")
    measured = _("no pipe ratio in any of {count} rows").format(count=whole(table.row_count))
    return Draft(title, measured, severity="info", command=collect(facts.profile, "--aic-metrics=PipeUtilization"))


def _slices(facts: Facts, _limits: Limits) -> Draft | None:
    if not facts.profile.files_of("timeline"):
        raise InputMissing(_("no timeline file"))
    sets: dict[tuple[str, str, str], list[SourceFile]] = {}
    for file in facts.profile.files_of("timeline"):
        if file.slice is not None:
            sets.setdefault((file.kind, file.device, file.iteration), []).append(file)
    holes: list[str] = []
    mixed: list[str] = []
    for (kind, _device, _iteration), files in sets.items():
        numbers = {file.slice for file in files if file.slice is not None}
        holes += [f"{kind}_slice_{n}" for n in range(max(numbers) + 1) if n not in numbers]
        if len({file.date for file in files}) > 1:
            mixed.append(kind)
    if not holes and not mixed:
        return None
    parts = (
        _("missing: {names}").format(names=listed(holes)) if holes else "",
        _("slices of several exports: {names}").format(names=listed(mixed)) if mixed else "",
    )
    title = _("slices of the timeline are missing or do not belong together")
    return Draft(title, "; ".join(filter(None, parts)), severity="error", evidence=[Evidence(n) for n in holes + mixed])


def _far_events(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    starts = timeline.start_ns
    low, high = _bulk(starts)
    reach = int(max(high - low, 1) * limits["far_spans"])
    far = np.flatnonzero((starts < 0) | (starts < low - reach) | (starts > high + reach))
    if not len(far):
        return None
    title = ngettext("{count} event lies far from all others", "{count} events lie far from all others", len(far))
    title = title.format(count=whole(len(far)))
    farthest = int(np.maximum(low - starts[far], starts[far] - high).max())
    text = _("up to {distance} away > {limit} × {span}, the span of the rest")
    measured = text.format(
        distance=us(farthest / 1e3), limit=limits.text("far_spans"), span=us(max(high - low, 1) / 1e3)
    )
    evidence = [
        Evidence(timeline.name(event), start_ns=int(starts[event]), end_ns=timeline.end_ns(event), event=event,
                 track=timeline.track(event).id)
        for event in far[:20].tolist()
    ]  # fmt: skip
    return Draft(title, measured, severity="warn", evidence=evidence, total=len(far))


def _bulk(starts: NDArray[np.int64]) -> tuple[int, int]:
    """(first, last) start without the outermost hundredth on either side."""
    if len(starts) < 100:
        ordered = np.sort(starts)
        return (int(ordered[1]), int(ordered[-2])) if len(starts) > 3 else (int(ordered[0]), int(ordered[-1]))
    places = (len(starts) // 100, len(starts) - 1 - len(starts) // 100)
    parted = np.partition(starts, places)
    return int(parted[places[0]]), int(parted[places[1]])


def _long_times(facts: Facts, limits: Limits) -> Draft | None:
    first = facts.events.summary.first_ts
    digits = len(first.replace(".", "").strip("-").strip("0"))
    if digits < limits["digits"]:
        return None
    title = _("times have more digits than a double holds: kept as whole ns")
    measured = _("ts {first}: {digits} digits ≥ {limit}").format(
        first=first, digits=digits, limit=limits.text("digits")
    )
    return Draft(title, measured, severity="info")


def _damaged(facts: Facts, _limits: Limits) -> Draft | None:
    timeline = facts.events
    summary = timeline.summary
    broken = [problem for problem in timeline.problems if problem.severity != "info"]
    if not summary.recovered and not summary.lost and not broken:
        return None
    title = _("the timeline is damaged: {count} events lost").format(count=whole(summary.lost))
    text = _("{recovered} events only readable after a repair, {lost} lost; {what}")
    what = listed([problem.what for problem in broken]) or _("nothing else")
    measured = text.format(recovered=whole(summary.recovered), lost=whole(summary.lost), what=what)
    evidence = [Evidence(problem.path, (("where", problem.where),), "files") for problem in broken]
    return Draft(title, measured, severity="warn", evidence=evidence)


def _two_exports(facts: Facts, _limits: Limits) -> Draft | None:
    databases = [file for file in facts.profile.files if file.role == "database"]
    texts = [file for file in facts.profile.files if file.role in ("ops", "timeline", "apis", "op-types")]
    if not databases or not texts:
        return None
    title = _("both a database and text files: the text files are used")
    measured = _("{databases} beside {count} text files").format(
        databases=listed([file.path.name for file in databases]), count=len(texts)
    )
    evidence = [Evidence(file.path.name, table="files") for file in databases]
    return Draft(title, measured, severity="info", evidence=evidence)


def _early_tasks(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    launches, tasks = _first_launches(facts)
    if not len(tasks):
        raise InputMissing(_("no arrows or connections from launches to device tasks"), "--task-time=l1")
    early = timeline.start_ns[launches] - timeline.start_ns[tasks]
    wrong = np.flatnonzero(early > 0)
    share = 100.0 * len(wrong) / len(tasks)
    if share <= limits["early_pct"]:
        return None
    text = _("{count} of {all} tasks ({share}) begin before their own launch > {limit} %, by {skew} in the median")
    skew = float(np.median(early[wrong]))
    measured = text.format(count=whole(len(wrong)), all=whole(len(tasks)), share=pct(share),
                           limit=limits.text("early_pct"), skew=us(skew / 1e3))  # fmt: skip
    worst = wrong[np.argsort(-early[wrong], kind="stable")][:20]
    evidence = [
        Evidence(timeline.name(event), (("early_us", float(early[place]) / 1e3),), event=event,
                 start_ns=int(timeline.start_ns[event]), end_ns=timeline.end_ns(event), track=timeline.track(event).id)
        for place, event in zip(worst.tolist(), tasks[worst].tolist())
    ]  # fmt: skip
    title = _("clocks of host and device are {skew} apart").format(skew=us(skew / 1e3))
    return Draft(title, measured, severity="warn", evidence=evidence, total=len(wrong))


def _first_launches(facts: Facts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(launch, task) of every device task whose launch is recorded."""
    from tui.model.launches import launches_of

    timeline = facts.events
    linked = [
        np.arange(track.first, track.last, dtype=np.int64) for track in timeline.tracks if track.layer == "device"
    ]
    tasks = np.concatenate(linked) if linked else np.zeros(0, np.int64)
    launches = launches_of(timeline, tasks)
    return launches[launches >= 0], tasks[launches >= 0]


def _lane_disagrees(facts: Facts, limits: Limits) -> Draft | None:
    rows, timeline = facts.op_rows, facts.events
    names = rows.table.text("op_name")
    if names is None:
        raise InputMissing(_("operators have no names"))
    known = set(names.strings)
    named = np.array([name in known for name in timeline.names], np.bool_)
    lane_us = np.zeros(len(timeline.names))
    for track in timeline.tracks:
        if track.layer == "device" and track.events:
            part = slice(track.first, track.last)
            inside = _inside(timeline.start_ns[part], facts.window)
            weights = np.where(inside, timeline.dur_ns[part], 0) / 1000.0
            lane_us += np.bincount(timeline.name_id[part], weights, len(lane_us))
    on_lane = {timeline.names[int(k)] for k in np.flatnonzero(named & (lane_us > 0)).tolist()}
    if not on_lane:
        raise InputMissing(_("no device lane holds tasks by the names of the operators"))
    table_us = rows.sum_us(rows.where(names, on_lane.__contains__) & rows.computing)
    timeline_us = float(lane_us[named].sum())
    differ = 100.0 * abs(table_us - timeline_us) / max(table_us, timeline_us)
    if differ <= limits["differ_pct"]:
        return None
    title = _("table and timeline disagree about the same operators by {share}").format(share=pct(differ))
    text = _("Task Duration adds up to {table}, their tasks on the timeline to {lane}: {share} > {limit} %")
    measured = text.format(table=us(table_us), lane=us(timeline_us), share=pct(differ), limit=limits.text("differ_pct"))
    return Draft(title, measured, severity="warn")


def _inside(starts: NDArray[np.int64], window: tuple[int, int] | None) -> NDArray[np.bool_]:
    if window is None:
        return np.ones(len(starts), np.bool_)
    return (starts >= window[0]) & (starts < window[1])


def _overlaps(facts: Facts, _limits: Limits) -> Draft | None:
    timeline = facts.events
    count = int(np.count_nonzero(timeline.overlap))
    if not count:
        return None
    first = np.flatnonzero(timeline.overlap)[:20].tolist()
    title = _("{count} events overlap without nesting").format(count=whole(count))
    measured = _("{count} of {all} events end after the event around them").format(
        count=whole(count), all=whole(len(timeline))
    )
    evidence = [
        Evidence(timeline.name(event), start_ns=int(timeline.start_ns[event]), end_ns=timeline.end_ns(event),
                 event=event, track=timeline.track(event).id)
        for event in first
    ]  # fmt: skip
    return Draft(title, measured, severity="info", evidence=evidence, total=count)


def _uncovered(facts: Facts, limits: Limits) -> Draft | None:
    rows, timeline = facts.op_rows, facts.events
    lanes = {time.device: time.computing_ns for time in device_times(timeline, facts.window) if time.computing_ns}
    if not lanes:
        raise InputMissing(_("the timeline has no device lanes"))
    busy = ops.busy_ns(rows.table)
    if not busy:
        raise InputMissing(_("operators have no start times"))
    covered = 100.0 * sum(busy.values()) / sum(lanes.values())
    if covered >= limits["covered_pct"]:
        return None
    title = _("the table of operators covers {share} of the device's busy time").format(share=pct(covered))
    text = _("rows cover {rows} of {lanes} on the lanes: {share} < {limit} %")
    measured = text.format(rows=us(sum(busy.values()) / 1e3), lanes=us(sum(lanes.values()) / 1e3), share=pct(covered),
                           limit=limits.text("covered_pct"))  # fmt: skip
    return Draft(title, measured, severity="warn", command=collect(facts.profile, "--task-time=l1"))


RULES = (
    Rule("DQ01", N_("collected but not exported"), _not_exported, source="D", next_key="exclamation_mark",
         means=N_("The device data are there, but no file that can be read was made from them."),
         advice=N_("Run the export on this folder, then open it again."),
         fires=N_("a PROF folder holds no exported files; blocks everything else")),
    Rule("DQ02", N_("collection ended cleanly"), _not_ended, source="D",
         means=N_("The run was killed or the disk was full: numbers may stop too early."),
         advice=N_("Collect again and let the program end by itself."),
         fires=N_("end_info is missing for a device")),
    Rule("DQ03", N_("operator types"), _no_types, source="D", next_key="exclamation_mark",
         means=N_("At level l0 only names and times are recorded: rules about types, shapes and cores are skipped."),
         advice=N_("Collect again with level l1."),
         fires=N_("OP Type, Task Type and shapes are N/A in every row")),
    Rule("DQ04", N_("ratios of the pipelines"), _no_pipes, source="D", next_key="exclamation_mark",
         means=N_("Without them nothing tells what bounds an operator: those rules are skipped."),
         advice=N_("Collect again with the metrics PipeUtilization."),
         fires=N_("pipe ratios are absent or N/A in every row")),
    Rule("DQ05", N_("slices of the timeline"), _slices, source="D", next_key="9",
         means=N_("The stitched timeline has a hole, or parts of another export."),
         advice=N_("Copy the missing files, or export again into an empty folder."),
         fires=N_("a set of slices has holes or several dates")),
    Rule("DQ06", N_("events far from the rest"), _far_events, source="D, N", next_key="t",
         means=N_("One bad time stretches the whole picture; such events are left out of the range that is fitted."),
         advice=N_("Look at them, then fit the rest with 0."),
         fires=N_("an event lies more than {far_spans} spans of the rest away, or before time 0")),
    Rule("DQ07", N_("digits of the times"), _long_times, source="N",
         means=N_("Viewers that calculate with doubles shift such events by up to 0.25 µs; here they are exact."),
         advice=N_("Nothing to do."),
         fires=N_("ts has {digits} or more significant digits")),
    Rule("DQ08", N_("damage of the timeline"), _damaged, source="N", next_key="9",
         means=N_("The file was cut off or holds text that was not escaped; what could be read is shown."),
         advice=N_("Export again if the end of the run matters."),
         fires=N_("events were lost or needed a repair")),
    Rule("DQ09", N_("database beside text"), _two_exports, source="D", next_key="9",
         means=N_("Both hold the same run; only one is read so that nothing counts twice."),
         advice=N_("The text files are used because they hold every layer; the Files screen lists both."),
         fires=N_("both .db and text files exist")),
    Rule("DQ10", N_("clocks of host and device"), _early_tasks, source="D, N", next_key="t",
         means=N_("No task can run before it is launched: the two clocks are not aligned."),
         advice=N_("Draw no conclusion from host-device distances below that skew."),
         fires=N_("more than {early_pct} % of the linked tasks begin before their launch")),
    Rule("DQ11", N_("table against timeline"), _lane_disagrees, source="N", next_key="2",
         means=N_("Two sources of one run differ: some rows are of another iteration, device or export."),
         advice=N_("Check on the Files screen which files are used; totals of operators speak of the table."),
         fires=N_("the durations of the same operators differ by more than {differ_pct} %")),
    Rule("DQ12", N_("overlap without nesting"), _overlaps, source="N", next_key="t",
         means=N_("Adding up such events would count time twice; times here are unions of intervals."),
         advice=N_("Compare wall times, not sums."),
         fires=N_("an event ends after the event around it")),
    Rule("DQ13", N_("operators cover the lanes"), _uncovered, source="N", next_key="2",
         means=N_("Graph replay and level l0 leave tasks without a row: shares and top lists speak of that part only."),
         advice=N_("Collect with level l1, or let the model run operator by operator, to see the rest."),
         fires=N_("operator rows cover less than {covered_pct} % of the lanes' busy time")),
)  # fmt: skip

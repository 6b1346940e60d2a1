"""Gathers what the rules look at from a session, and runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tui.errors import ProfileError
from tui.findings.engine import evaluate
from tui.findings.facts import Facts
from tui.findings.thresholds import Thresholds
from tui.i18n import _
from tui.model.finding import Findings, LinkUse, Rank
from tui.readers.advice import read_advice
from tui.readers.communication_json import read_communication
from tui.readers.variables import read_variables

if TYPE_CHECKING:
    from tui.model.advice import Advice
    from tui.model.comparison import Comparison
    from tui.model.dump import DumpComparison
    from tui.model.sources import Profile
    from tui.model.table import Table
    from tui.model.tuning import TuningOutcome
    from tui.session import Session

_STEP_PARTS = ("computing", "communication_not_overlapped", "free")
_MOST_RANKS = 256
_RANKED = ("torch", "mindspore")


def findings_of(
    session: Session,
    comparison: Comparison | None = None,
    dumps: DumpComparison | None = None,
    tuning: TuningOutcome | None = None,
    thresholds: Thresholds | None = None,
    stopped: Callable[[], bool] = lambda: False,
    waits: bool = True,
    job_order: tuple[str, ...] = (),
) -> Findings:
    """What the rules say about the chosen profile, and the advice that msprof wrote beside it.

    Reads operators and APIs where that was not done yet.

    Args:
        thresholds: None takes the built-in ones with the user's changes.
        stopped: Asked before each rule.
        waits: Whether to import a timeline that is not read yet, however large; without, rules about it say so.
        job_order: Job types of the tuning runs that are known, oldest first.
    """
    facts = replace(gathered(session, waits), comparison=comparison, dumps=dumps, tuning=tuning, job_order=job_order)
    found = evaluate(facts, thresholds, stopped=stopped)
    return replace(found, advice=tuple(_advice(session.profile)))


def gathered(session: Session, waits: bool = True) -> Facts:
    """The facts of the chosen profile; the timeline first, since the span may come from it.

    Args:
        waits: Whether to import a timeline that is not read yet.
    """
    has_timeline = bool(session.profile.files_of("timeline"))
    reads = has_timeline and (waits or session.is_timeline_read)
    timeline = session.optional_timeline() if reads else None
    span, host_span = session.span(), session.host_span()
    steps = session.steps()[0]
    operators = session.optional("ops")
    return Facts(
        profile=session.profile,
        span_ns=span.length_ns if span else 0,
        host_span_ns=host_span.length_ns if host_span else 0,
        window=session.within.window if session.within is not None else None,
        ops=operators,
        op_types=session.optional("op-types") if operators is None else None,
        apis=session.optional("apis"),
        step_table=session.optional("steps") if _has_step_files(session.profile) else None,
        steps=steps,
        timeline=timeline,
        unread=_("the timeline is not read yet") if has_timeline and not reads else "",
        links=_links(session.profile),
        ranks=tuple(_ranks(session)),
        variables=_variables(session.profile),
    )


def _has_step_files(profile: Profile) -> bool:
    return any(file.used and file.kind == "step_trace_time" for file in profile.files)


def _links(profile: Profile) -> tuple[LinkUse, ...]:
    files = [file for file in profile.files if file.used and file.kind == "communication"]
    return tuple(use for file in files for use in read_communication(file.path)[0])


def _variables(profile: Profile) -> dict[str, str] | None:
    paths = [file.path for file in profile.files if file.kind == "profiler_metadata"]
    return next((found for path in paths if (found := read_variables(path)) is not None), None)


def _advice(profile: Profile) -> Iterator[Advice]:
    for file in profile.files_of("advice"):
        yield from read_advice(file.path)[0]


def _ranks(session: Session) -> Iterator[Rank]:
    """The ranks at the path, where it holds the outputs of several."""
    places = [place for place, profile in enumerate(session.profiles) if profile.kind in _RANKED]
    if session.profile.kind == "cluster":
        table = session.optional("steps")
        yield from _cluster_ranks(table) if table is not None else ()
    if session.profile.kind in _RANKED and len(places) > 1:
        for place in places[:_MOST_RANKS]:
            yield _rank(session.scoped(profile=place))


def _rank(session: Session) -> Rank:
    profile = session.profile
    try:
        table = session.optional("steps") if _has_step_files(profile) else None
    except ProfileError:
        table = None
    return Rank(profile.environment.rank or profile.name, _sums(table), _links(profile))


def _sums(table: Table | None, rows: slice | NDArray[np.intp] = slice(None)) -> dict[str, float]:
    """Computing, communication and free time of some rows of a step trace; nothing where it does not tell them."""
    columns = {key: table.number(key) for key in _STEP_PARTS} if table is not None else {}
    return {key: float(np.nansum(values[rows])) for key, values in columns.items() if values is not None}


def _cluster_ranks(table: Table) -> Iterator[Rank]:
    """Rows of `cluster_step_trace_time` by rank."""
    kinds, index = table.text("type"), table.get("index")
    if kinds is None or index is None:
        return
    from tui.model.columns import as_text

    ranks = as_text(index)
    of_rank = np.array([text.strip().lower() == "rank" for text in kinds.strings], np.bool_)[kinds.codes]
    for code, name in enumerate(ranks.strings):
        rows = np.flatnonzero(of_rank & (ranks.codes == code))
        if len(rows):
            yield Rank(name, _sums(table, rows))

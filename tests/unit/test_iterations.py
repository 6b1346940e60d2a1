"""Which iterations are looked at: what can be typed, the part of the time, the rows of tables that belong to it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.runs import write_runs
from tests.unit.tables import number, text, time
from tui.errors import BadExpression
from tui.model.iterations import (
    StepRange,
    StepScope,
    check_exported,
    exported_steps,
    parse_steps,
    rows_within,
    step_scope,
    steps_of_rows,
)
from tui.model.steps import Steps
from tui.model.table import MISSING_NS, Table
from tui.overview import overview
from tui.session import Session
from tui.timeline_facts import timeline_facts

RUN = (0, 10_000)


def steps(*spans: tuple[int, int], first: int = 1) -> Steps:
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    count = len(starts)
    numbers = np.arange(first, first + count, dtype=np.int64)
    return Steps("framework", ("",) * count, numbers, starts, ends, numbers - first, False)


@pytest.mark.parametrize(
    ("typed", "first", "last", "shown"),
    [
        ("3", 3, 3, "3"),
        ("2..", 2, None, "2.."),
        ("2..5", 2, 5, "2..5"),
        ("..4", None, 4, "..4"),
        (" 2 - 5 ", 2, 5, "2..5"),
        ("7..7", 7, 7, "7"),
    ],
)
def test_what_can_be_typed(typed: str, first: int | None, last: int | None, shown: str) -> None:
    found = parse_steps(typed)
    assert (found.first, found.last, found.text) == (first, last, shown)


@pytest.mark.parametrize("typed", ["", "..", "-", "x", "5..2", "1,2", "1.5", "２x", "1....3"])
def test_what_cannot_be_read_is_told(typed: str) -> None:
    with pytest.raises(BadExpression) as caught:
        parse_steps(typed)
    assert caught.value.message


def test_a_range_holds_both_ends() -> None:
    assert [number in StepRange(2, 4) for number in (1, 2, 4, 5)] == [False, True, True, False]
    assert "2" not in StepRange(2, 4)


def test_exported_iterations() -> None:
    known = ("1", "2", "10")
    assert exported_steps(known, "2") == {"2"}
    assert exported_steps(known, "2..") == {"2", "10"}
    assert exported_steps(known, "") == {"1"}
    assert exported_steps(known, "99") == {"1"}
    assert exported_steps((), "2..") == frozenset()


def test_exported_iterations_that_there_are_not() -> None:
    for wanted in ("2", "2..", "..1", "1..9"):
        check_exported(("1", "2", "10"), wanted)
    for wanted in ("3", "11..", "x"):
        with pytest.raises(BadExpression):
            check_exported(("1", "2", "10"), wanted)


def test_the_part_of_the_time_goes_from_the_first_start_to_the_last_end() -> None:
    found = steps((100, 400), (500, 700), (800, 950), first=4)
    assert step_scope(found, "5..", RUN) == StepScope("5..", 500, 950, RUN)
    assert step_scope(found, "4", RUN).window == (100, 400)
    with pytest.raises(BadExpression, match=r"4\.\.6"):
        step_scope(found, "9", RUN)
    with pytest.raises(BadExpression, match="none"):
        step_scope(steps(), "1", RUN)


def rows(*starts: int) -> Table:
    names = text("op_name", [f"op{place}" for place in range(len(starts))])
    return Table("ops", (names, time("start_ns", list(starts))))


def test_rows_belong_to_the_iteration_that_they_begin_in() -> None:
    found = rows_within(rows(99, 100, 399, 400, MISSING_NS), StepScope("1", 100, 400, RUN))
    assert found is not None
    names = found.text("op_name")
    assert names is not None
    assert names.texts(slice(None)) == ["op1", "op2"]


def test_rows_without_times_or_with_those_of_another_clock_are_not_limited() -> None:
    scope = StepScope("1", 100, 400, RUN)
    assert rows_within(Table("ops", (text("op_name", ["a"]),)), scope) is None
    assert rows_within(rows(10**18, 10**18 + 5), scope) is None
    assert rows_within(Table("tracks", (time("start_ns", [100]),)), scope) is None


def test_another_time_stands_in_for_a_start() -> None:
    table = Table("memory", (time("release_time_ns", [150, 9000]), number("size_kb", [1.0, 2.0], "kb")))
    found = rows_within(table, StepScope("1", 100, 400, RUN))
    assert found is not None
    assert found.row_count == 1


def test_iterations_by_a_step_trace() -> None:
    table = Table(
        "steps",
        (
            number("iteration_id", [1.0, 2.0, 3.0]),
            time("iteration_end_ns", [400, MISSING_NS, 900]),
            number("iteration_time_us", [0.3, 0.1, 0.2], "us"),
        ),
    )
    found = steps_of_rows(table)
    assert (found.numbers.tolist(), found.start_ns.tolist(), found.end_ns.tolist()) == ([1, 3], [100, 700], [400, 900])
    assert len(steps_of_rows(None)) == 0
    assert len(steps_of_rows(Table("steps", (number("step", [1.0]),)))) == 0


# ── a profile ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path)


def test_everything_is_limited_to_the_iterations(runs: Path) -> None:
    session = Session(runs)
    session.limit_to("2..")
    assert session.within is not None
    assert session.within.window == (1_200_000, 1_350_000)
    assert "iter 2.." in session.facts()
    ops, apis, types = (session.table(kind) for kind in ("ops", "apis", "op-types"))
    assert ops.row_count == 2
    times, counts, shares = apis.number("time_us"), apis.number("count"), apis.number("span_pct")
    assert times is not None
    assert counts is not None
    assert shares is not None
    assert (times.tolist(), counts.tolist()) == ([110.0], [2.0])
    assert shares.tolist() == pytest.approx([100 * 110 / 150], abs=1e-6)
    totals = types.number("total_time_us")
    assert totals is not None
    assert totals.tolist() == [70.0]
    span = session.span()
    assert span is not None
    assert span.length_ns == 150_000


def test_the_overview_splits_the_time_of_the_iterations(runs: Path) -> None:
    session = Session(runs)
    session.limit_to("2..")
    data = overview(session)
    assert data.split is not None
    parts = {part.key: part.time_ns for part in data.split.parts}
    assert parts["computing"] == 70_000
    assert sum(parts.values()) == 150_000
    facts = timeline_facts(session)
    assert facts is not None
    assert [(time.computing_ns, time.free_ns) for time in facts.times] == [(70_000, 60_000)]
    assert [(gap.start_ns, gap.end_ns) for gap in facts.gaps] == [(1_245_000, 1_305_000)]


def test_a_table_without_times_says_that_it_is_of_the_whole_run(runs: Path) -> None:
    session = Session(runs)
    session.limit_to("1")
    table = session.table("communication")
    assert table.row_count == 1
    assert "whole run" in table.note


def test_looking_at_the_whole_run_again_keeps_the_timeline(runs: Path) -> None:
    session = Session(runs)
    session.limit_to("1")
    whole = session.limited(None)
    assert whole.timeline() is session.timeline()
    assert whole.table("ops").row_count == 3
    assert whole.has_files_of(session)
    assert whole.table("apis").number("count").tolist() == [3.0]  # type: ignore[union-attr]


def test_no_such_iteration(runs: Path) -> None:
    with pytest.raises(BadExpression, match=r"1\.\.3"):
        Session(runs).limit_to("7")


def test_the_old_layout_has_files_of_each_iteration(samples: Path) -> None:
    session = Session(samples / "legacy_before")
    session.limit_to("1..")
    assert (session.iteration, session.within) == ("1..", None)
    assert session.table("ops").row_count > 0
    assert "iter 1.." in session.facts()
    with pytest.raises(BadExpression, match="no iteration 7; there is 1"):
        session.limit_to("7")


def test_several_iterations_of_the_old_layout_are_read_together(samples_copy: Path) -> None:
    profile = samples_copy / "legacy_before"
    for file in [*profile.rglob("*_0_1_1.*")]:
        shutil.copyfile(file, file.with_name(file.name.replace("_0_1_1.", "_0_1_2.")))
    one, both = Session(profile), Session(profile)
    one.limit_to("2")
    both.limit_to("1..")
    assert both.table("ops").row_count == 2 * one.table("ops").row_count
    assert len(both.timeline()) == 2 * len(one.timeline())

"""Sentences of the guided triage from made-up profiles whose shares are plain to see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.guide import GuideStep, Triage, guide_steps
from tui.model.dump import Divergence, DumpComparison, Metrics, PairRow, SideStats, Verdict
from tui.model.finding import Finding, Findings, NotEvaluated
from tui.model.split import Part, PartKey, Span, Split
from tui.overview import HealthLine, OverviewData, TopRow

FINE = HealthLine("ok", "complete", "1 device")
SPAN = Span(0, 100_000_000, "msprof")


def overview(health: tuple[HealthLine, ...] = (FINE,), computing: float = 0.0, idle: float = 0.0) -> OverviewData:
    shares: list[tuple[PartKey, float]] = [("computing", computing), ("idle", idle)]
    parts = tuple(Part(key, round(share * 1e6), share) for key, share in shares if share)
    split = Split(SPAN, parts, "") if parts else None
    top = (TopRow("Conv2D", 3, 50.0, 41.2),)
    return OverviewData(health, (), SPAN, split, "", top, "op_type", (), ())


def finding(rule: str, title: str, recoverable_us: float | None = None, share_pct: float | None = None) -> Finding:
    return Finding(rule, "low", title, "1 > 0", "", "", recoverable_us, share_pct)


def step(known: Triage, number: int) -> GuideStep:
    return guide_steps(known)[number - 1]


def stats(max_abs: float) -> SideStats:
    return SideStats("float32", (4,), "", 4, max_abs=max_abs)


def metrics(cosine: float) -> Metrics:
    zeros = (0.0,) * 14
    return Metrics(cosine, cosine, *zeros, overflowed=0)


def pair(name: str, verdict: Verdict, cosine: float, max_abs: float) -> PairRow:
    return PairRow(0, name, "AddN", "output:0", verdict, a=stats(1.0), b=stats(max_abs), metrics=metrics(cosine))


def test_there_are_nine_steps_in_order() -> None:
    names = [found.name for found in guide_steps(Triage(overview()))]
    assert names == ["Health", "Scope", "Split", "Host", "Operators", "Why", "Lever", "Verify", "Right?"]


def test_limits_of_the_data_are_told_instead_of_complete() -> None:
    assert step(Triage(overview()), 1).text == "the data are complete: 1 device"
    limit = HealthLine("warn", "no core metrics", "no bounds")
    other = HealthLine("error", "a slice is missing")
    note = HealthLine("info", "two exports")
    assert step(Triage(overview((FINE, limit, note))), 1).text == "no core metrics: no bounds"
    assert step(Triage(overview((FINE, limit, other))), 1).text == "no core metrics: no bounds, and 1 more"


def test_iterations_are_offered_where_there_are_several() -> None:
    assert step(Triage(overview()), 2).keys == ("2",)
    known = Triage(overview(), Findings(), has_iterations=True)
    assert step(known, 2).keys == (":iter",)
    assert step(known, 2).text == "the first run is like the others"
    warm = replace(known, findings=Findings((finding("OV05", "first run 2.3 × the median"),)))
    assert step(warm, 2).text == "first run 2.3 × the median"
    assert step(replace(warm, within="2.."), 2).text == "only iterations 2.. are looked at"


@pytest.mark.parametrize(
    ("computing", "idle", "text", "key"),
    [
        (60.0, 20.0, "device idle 25 %: look at the host first", "2"),  # 20 of 80
        (9.0, 1.0, "device idle 10 %: look at the host first", "2"),
        (91.0, 9.0, "device busy 91 %: look at the operators", "3"),
    ],
)
def test_an_idle_device_sends_to_the_host(computing: float, idle: float, text: str, key: str) -> None:
    found = step(Triage(overview(computing=computing, idle=idle)), 3)
    assert (found.text, found.keys) == (text, (key,))


def test_without_a_split_nothing_tells_how_busy_the_device_was() -> None:
    assert step(Triage(overview()), 3).text == "nothing tells how busy the device was"


def test_the_host_comes_first_where_the_device_waits_for_it() -> None:
    found = Findings((finding("HO09", "gaps"), finding("OV07", "execute leads on")))
    assert step(Triage(overview(computing=95, idle=5), found), 4).text == "execute leads on; gaps"
    assert step(Triage(overview(computing=50, idle=50), found), 4).text == "gaps; execute leads on"


def test_what_cannot_be_told_says_what_is_missing() -> None:
    missing = NotEvaluated("CO07", "units", "no core metrics", "--aic-metrics=PipeUtilization")
    known = Triage(overview(), Findings(not_evaluated=(missing,)))
    assert step(known, 6).text == "no core metrics: --aic-metrics=PipeUtilization"
    assert step(Triage(overview(), Findings()), 6).text == "units and cores are well used"
    assert step(Triage(overview()), 6).text == "the rules are still running"


def test_the_lever_is_the_first_finding_that_saves_time() -> None:
    found = Findings((finding("DQ02", "truncated", 9.0), finding("CO19", "Mish is split", 47_440.0, 22.1)))
    assert step(Triage(overview(), found), 7).text == "Mish is split: at most 47.44 ms (22.1 %) to be saved"
    assert step(Triage(overview(), Findings()), 7).text == "no finding says that time can be saved"


def test_dumps_that_agree_tell_the_lowest_cosine_and_the_head_room() -> None:
    rows = (pair("a", "ok", 0.9999, 32752.0), pair("b", "drift", 0.9897, 655.04))
    known = Triage(overview(), dumps=DumpComparison("a", "b", rows))
    assert step(known, 9).text == "outputs agree 0.9897; largest head-room use 0.50"


def test_dumps_that_differ_name_the_first_divergence() -> None:
    rows = (pair("a", "ok", 1.0, 1.0), pair("add", "overflow", 0.718, 109_508.0))
    known = Triage(overview(), dumps=DumpComparison("a", "b", rows, Divergence(1, "clean")))
    assert step(known, 9).text == "add is the first to differ 0.7180"

"""The Findings screen: what it lists and says, the way to evidence and command, hiding, rules, thresholds."""

from __future__ import annotations

import csv
import json
import re
import statistics
from pathlib import Path

import pytest

from tests.make_prof import EPOCH_NS, MadeOp, write_prof
from tests.pilot.viewer import NARROW, WIDE, SentToTerminal, Viewer, sizes, viewing
from tui.config import config_dir, state_dir
from tui.findings.engine import RULES
from tui.model.finding import Findings
from tui.screens.findings import FindingsScreen
from tui.screens.findings_jump import jump_to_rows
from tui.screens.run_form import FormScreen


def ops_of(profile: Path) -> list[dict[str, str]]:
    """op_summary, read without any of our code."""
    [path] = profile.rglob("op_summary_*.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shown(viewer: Viewer) -> FindingsScreen:
    assert isinstance(viewer.frame, FindingsScreen)
    return viewer.frame


def rules_listed(viewer: Viewer) -> list[str]:
    """Rules of the list from top to bottom, as the table has them."""
    applied = shown(viewer).applied
    assert applied is not None
    column = applied.shown.table.text("rule")
    assert column is not None
    return column.texts(applied.shown.rows)


async def findings_of(viewer: Viewer) -> Findings:
    """Goes to the screen and waits until the rules are through, the timeline too."""
    await viewer.everything_read()
    await viewer.press("5")
    await viewer.until_on("5")
    await viewer.until(
        lambda: viewer.app.findings is not None and not viewer.app.is_judging and not viewer.app.timeline_progress,
        "findings",
    )
    await viewer.until(lambda: shown(viewer)._found is viewer.app.findings, "their list")
    await viewer.pilot.pause()
    assert viewer.app.findings is not None
    return viewer.app.findings


async def at_rule(viewer: Viewer, rule: str) -> FindingsScreen:
    screen = shown(viewer)
    assert viewer.app.command_rule(rule) == ""
    await viewer.until(lambda: screen.finding is not None and screen.finding.rule == rule, rule)
    await viewer.pilot.pause()
    return screen


@sizes
async def test_the_story_of_the_sample_by_recoverable_time(mish: Path, size: tuple[int, int]) -> None:
    rows = ops_of(mish)
    split = [row for row in rows if row["OP Type"] in ("Softplus", "Tanh", "Mul")]
    split_us = sum(float(row["Task Duration(us)"]) for row in split if row["OP Type"] != "Mul")
    assert split_us < 47_440.323
    convs = [float(row["Task Duration(us)"]) for row in rows if row["OP Type"] == "Conv2D"]
    assert max(convs) == 3170.625
    factor = f"{3170.625 / statistics.median(convs):.1f}"
    async with viewing(mish, size) as viewer:
        found = await findings_of(viewer)
        await viewer.shows(r"^▌ High +≤ 47\.4 ms +22\.1  Mish split into Softplus → Tanh → Mul +likely  CO19")
        await viewer.shows(r"72 ≥ 3 × Softplus → Tanh → Mul: 47\.44 ms = 42\.0 % of device time")
        await viewer.shows(r"why likely +accuracy after replacing it is not known")
        order = rules_listed(viewer)
        bounds = [entry.recoverable_us for entry in found.findings]
        known = [bound for bound in bounds if bound is not None]
        assert known == sorted(known, reverse=True)
        assert bounds[len(known) :] == [None] * (len(bounds) - len(known))
        last = order[len(known) :]
        assert last == sorted(last, key=[rule.id for rule in RULES].index), "rule order"
        assert order.index("CO19") < order.index("CO17") < order.index("OV06") < order.index("OV07")
        assert "11 findings › CO19" in viewer.lines[1]
        await at_rule(viewer, "CO17")
        await viewer.shows(rf"3 170\.625 µs > 3 × 423 µs, the median of its type \({factor} ×\)")
        await viewer.shows(r"^. +Conv_0 +3 170\.625 ")
        await at_rule(viewer, "OV06")
        await viewer.shows(r"62\.40 ms in 1 call = 29\.1 % of 214\.6 ms ≥ 20 %")
        await at_rule(viewer, "OV07")
        await viewer.shows(r"118\.3 ms in 1 call = 55\.1 % of 214\.6 ms ≥ 50 %")


async def test_the_profile_after_tuning_has_no_split_activation(samples: Path) -> None:
    async with viewing(samples / "mish_after") as viewer:
        await findings_of(viewer)
        assert "CO19" not in rules_listed(viewer)
        assert "CO17" in rules_listed(viewer)
        assert viewer.app.command_rule("CO19") == ""
        await viewer.shows("evaluated; it does not apply")
        await viewer.shows(r"Findings › \d+ findings › CO19")
        await viewer.press("down")
        await viewer.hides("evaluated; it does not apply")


async def test_enter_leads_to_the_evidence_and_its_row_and_t_to_the_timeline(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        screen = await at_rule(viewer, "CO17")
        await viewer.press("enter")
        assert screen.focused is screen.evidence_grid
        await viewer.press("enter")
        await viewer.until_on("3")
        await viewer.shows(r"^▌ +█? *Conv_0 +Conv2D +3 170\.625")
        await viewer.press("5")
        await viewer.until_on("5")
        await viewer.press("t")
        await viewer.until_on("2")
        await viewer.shows(r"^ Conv_0 ─+ event ")
        await viewer.press("5")
        await viewer.until_on("5")
        await viewer.press("q")
        await at_rule(viewer, "OV07")
        await viewer.press("t")
        await viewer.until_on("2")
        await viewer.shows(r"^ aclmdlExecute ─+ event ")


async def test_several_rows_are_a_range_and_an_idle_time_is_the_gap(mish: Path) -> None:
    rows = {row["Op Name"]: row for row in ops_of(mish)}
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        await viewer.press("t")
        await viewer.until_on("2")
        await viewer.shows(r"^ Softplus_1 ─+ event ")
        await viewer.shows(r"^ 1\.73 ms  3 events")
        await viewer.press("5")
        await at_rule(viewer, "HO09")
        await viewer.press("t")
        await viewer.until_on("2")
        start_ns = round(float(rows["Mul_3"]["Task Start Time(us)"]) * 1000)
        assert start_ns
        await viewer.shows(r"idle|Mul_3 → Conv_4|1\.25 ms")
        timeline = viewer.frame
        gap = timeline._view.gap  # type: ignore[attr-defined]
        assert gap is not None
        assert gap.end_ns - gap.start_ns == 1_249_575


async def test_every_finding_is_one_key_from_what_it_rests_on(mish: Path) -> None:
    async with viewing(mish) as viewer:
        found = await findings_of(viewer)
        for finding in found.findings:
            for evidence in finding.evidence:
                assert jump_to_rows(finding, evidence, viewer.app.session) is not None, finding.rule


async def test_the_command_fills_the_run_form_and_can_be_copied(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = SentToTerminal(monkeypatch)
    async with viewing(mish) as viewer:
        found = await findings_of(viewer)
        split = found.of("CO19")
        assert split is not None
        assert split.command is not None
        await viewer.press("y")
        assert sent.copied[-1] == split.command.text
        await viewer.press("!")
        await viewer.until(lambda: isinstance(viewer.frame, FormScreen), "the form")
        await viewer.shows(r"application +\./yolov4")
        await viewer.shows(r"core metrics +PipeUtilization")


async def test_a_tall_terminal_shows_command_and_saving(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await findings_of(viewer)
        await viewer.shows(r"^ command ─+ ! fills the Run form")
        await viewer.shows(r"^ msprof --application=\./yolov4 --aic-metrics=PipeUtilization --output=\./prof_again$")
        await viewer.shows(r"^ at best +█+.? +167\.2 ms")
        await viewer.shows(r"^ limits +times 3$")


async def test_hiding_is_kept_for_the_profile_and_taken_back(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        await viewer.press("x")
        await viewer.type("the model stays")
        await viewer.until(lambda: "CO19" not in rules_listed(viewer), "one fewer")
        assert viewer.lines[0].endswith("1 hidden")
        kept = json.loads((state_dir() / "state.json").read_text(encoding="utf-8"))["dismissed"]
        assert [list(rules.items()) for rules in kept.values()] == [[("CO19", "the model stays")]]
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        assert "CO19" not in rules_listed(viewer)
        await viewer.press("X")
        await viewer.until(lambda: "CO19" in rules_listed(viewer), "it")
        await at_rule(viewer, "CO19")
        await viewer.shows(r"^ hidden +the model stays$")
        assert shown(viewer).run_command("note until June") == ""
        await viewer.shows(r"^ hidden +until June$")
        await viewer.press("x")
        await viewer.hides("1 hidden")
        assert "CO19" in rules_listed(viewer)
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        assert "CO19" in rules_listed(viewer)


async def test_all_hidden_and_nothing_matching_are_told_apart(mish: Path) -> None:
    async with viewing(mish) as viewer:
        found = await findings_of(viewer)
        assert shown(viewer).run_command("filter title~nothing_like_this") == ""
        await viewer.shows(r"no rows match title~nothing_like_this .*0 clears")
        await viewer.press("0")
        for left in range(len(found.findings), 0, -1):
            await viewer.until(lambda: len(rules_listed(viewer)) == left, f"{left} findings")  # noqa: B023
            await viewer.press("x", "enter")
        await viewer.shows(rf"{len(found.findings)} findings, all hidden by you +X shows them")


async def test_rules_that_were_not_evaluated_are_unfolded_with_what_they_miss(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        found = await findings_of(viewer)
        await viewer.shows(rf"▸ {len(found.not_evaluated)} rules not evaluated")
        await viewer.press("G", "down")
        await viewer.shows(r"no baseline is open  :baseline PATH  CP01 CP02 CP03 CP04 CP05")
        await viewer.press("enter")
        await viewer.shows(r"CM01  size of packets +no communication\.json +msprof --analyze=on --rule=communication")
        assert shown(viewer).run_command("rule CP01") == ""
        await viewer.shows(r"^▌ +CP01  regressions +no baseline is open")
        await viewer.shows(r"^▸ CP01  regressions ─+ not evaluated")
        await viewer.press("enter")
        await viewer.until(lambda: viewer.frame.prompt.display, "the command line")
        await viewer.shows("^ ?:baseline")
        await viewer.press("escape", "up")
        await viewer.press("q")
        assert shown(viewer).focused is shown(viewer).grid


async def test_the_advice_of_msprof_stands_beside_ours(samples: Path) -> None:
    async with viewing(samples / "legacy_before") as viewer:
        found = await findings_of(viewer)
        assert len(found.advice) == 6
        await viewer.press("G", "down", "down")
        await viewer.shows(r"^▌ +▸ 6 suggestions of msprof itself")
        await viewer.press("enter", "down")
        await viewer.shows(r"^▌ +Model/Operator Computation .* The operators do not use all cores")
        await viewer.shows(r"^ operators +Conv_0, Conv_263")
        await viewer.press("enter")
        await viewer.until_on("3")
        await viewer.shows(r"^▌ .*Conv_0 +")


async def test_a_threshold_is_changed_in_the_users_file_and_judged_at_once(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        assert "CO17" in rules_listed(viewer)
        assert shown(viewer).run_command("threshold co17.factor 7") == ""
        await viewer.until(lambda: viewer.app.findings is not None and viewer.app.findings.changed, "other findings")
        await at_rule(viewer, "CO17")
        await viewer.shows(r"3 170\.625 µs > 7\* \(3\) × 423 µs")
        assert (config_dir() / "thresholds.toml").read_text(encoding="utf-8") == "[CO17]\nfactor = 7\n"
        assert shown(viewer).run_command("threshold CO17 factor 8") == ""
        await viewer.until(lambda: "CO17" not in rules_listed(viewer), "the rule to be quiet")
        await viewer.press("escape")
        await viewer.shows(r"thresholds changed: CO17 factor 8\* \(3\)")
        assert shown(viewer).run_command("threshold CO17 factor default") == ""
        await viewer.until(lambda: "CO17" in rules_listed(viewer), "the rule again")


REFUSED = {
    "threshold CO99 5": "CO99 has no thresholds",
    "threshold CO17 5": "CO17 has several: device_pct, factor, least_pct; name one",
    "threshold CO17 wrong 5": "CO17 has device_pct, factor, least_pct",
    "threshold CO17 factor much": "much is no number",
    "rule CO999": "there is no rule CO999; nearest: CO",
    "note something": "only hidden findings have a note; x hides one",
}


async def test_what_cannot_be_done_says_why(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        for line, says in REFUSED.items():
            assert says in shown(viewer).run_command(line)
        assert not (config_dir() / "thresholds.toml").exists()


async def test_thresholds_are_shown_and_rules_listed(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        assert shown(viewer).run_command("threshold CO17") == ""
        assert "CO17: device_pct 20, factor 3, least_pct 0.5" in viewer.app.message_line
        assert shown(viewer).run_command("rule") == ""
        await viewer.shows("DQ01 .* does not apply")
        await viewer.press("escape")


@sizes
async def test_hostile_and_chinese_names(tmp_path: Path, size: tuple[int, int]) -> None:
    names = ["卷积层_第一个_算子", "evil\x1b[2Jname", "[red]x[/red]"]
    ops = [MadeOp(name, "Range", "AI_CPU", EPOCH_NS + place * 3_000_000, 2_000_000) for place, name in enumerate(names)]
    async with viewing(write_prof(tmp_path, rows=ops).path, size) as viewer:
        await findings_of(viewer)
        await at_rule(viewer, "CO01")
        await viewer.shows(r"卷积层_第一个_算子 2\.00 ms ≥ 20 µs")
        await viewer.shows(r"^[▌ ] +evil\\x1b\[2Jname +2 000 ")
        await viewer.shows(r"^[▌ ] +\[red\]x\[/red\] +2 000 ")
        assert "\x1b" not in viewer.text


async def test_a_profile_about_which_nothing_can_be_told(shared_data: Path) -> None:
    async with viewing(shared_data / "mindspore_job_raw_unparsed") as viewer:
        await findings_of(viewer)
        await viewer.shows("nothing here that the rules could be about +9 shows what it holds")
        await viewer.shows(r"▸ \d+ rules not evaluated")
        await viewer.shows(r"no timeline  DQ06 DQ07")


async def test_the_table_keys_narrow_order_and_find(mish: Path, tmp_path: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        await viewer.press("f")
        await viewer.until(lambda: len(rules_listed(viewer)) == 2, "the two of high severity")
        await viewer.press("u")
        await viewer.until(lambda: len(rules_listed(viewer)) == 11, "all")
        assert shown(viewer).run_command("sort rule") == ""
        await viewer.until(lambda: rules_listed(viewer) == sorted(rules_listed(viewer)), "the order of rules")
        await viewer.press("0")
        await viewer.press("/")
        await viewer.type("aclmdlExecute")
        await viewer.until(lambda: (here := shown(viewer).finding) is not None and here.rule == "OV07", "a hit")
        path = tmp_path / "findings.json"
        assert shown(viewer).run_command(f"export {path}") == ""
        rows = json.loads(path.read_text(encoding="utf-8"))
        assert [row["rule"] for row in rows] == rules_listed(viewer)


async def test_the_command_of_the_view_prints_the_same_findings(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = SentToTerminal(monkeypatch)
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        assert shown(viewer).run_command("copy-command") == ""
        assert sent.copied[-1] == f"npuscope table findings {mish}"


async def test_ascii_has_a_sign_for_everything(mish: Path) -> None:
    async with viewing(mish, NARROW, glyphs="ascii") as viewer:
        await findings_of(viewer)
        await viewer.shows(r"^> High +<= 47\.4 ms +22\.1  Mish split into Softplus -> Tanh -")
        assert viewer.text.isascii()


async def test_next_and_previous_go_through_the_findings_from_the_evidence(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await findings_of(viewer)
        order = rules_listed(viewer)
        await viewer.press("enter", ".")
        screen = shown(viewer)
        assert screen.finding is not None
        assert screen.finding.rule == order[1]
        assert re.search(rf"› {order[1]} ", viewer.lines[1])
        await viewer.press(",", ",")
        assert screen.finding.rule == order[-1]

"""The engine: order, bounds, thresholds, what the samples and all real data sets yield, and the headless twins."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.unit.rule_facts import BUILT_IN, NOWHERE, apis, facts, fired, ops, profile, with_limits
from tui.cli import main
from tui.errors import NoSuchTable
from tui.findings.engine import RULES, evaluate, ordered
from tui.findings.thresholds import load_thresholds
from tui.model.advice import Advice
from tui.model.finding import Command, Finding, Findings, findings_table, in_glyphs
from tui.readers.communication_json import read_communication
from tui.readers.variables import read_variables
from tui.report import report_output
from tui.session import Session

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def before(samples: Path) -> Findings:
    return Session(samples / "mish_before", cache_bytes=0).findings()


def test_every_rule_is_there_once_and_has_words() -> None:
    names = [rule.id for rule in RULES]
    assert len(names) == len(set(names))
    counts = {family: sum(name.startswith(family) for name in names) for family in ("DQ", "OV", "HO", "CO")}
    assert counts == {"DQ": 13, "OV": 7, "HO": 12, "CO": 21}
    assert [rule.id for rule in RULES if not rule.about or not rule.source or not rule.fires] == []


def test_order_of_findings() -> None:
    def one(name: str, severity: str, time_us: float | None) -> Finding:
        return Finding(name, severity, "", "", "", "", recoverable_us=time_us)  # type: ignore[arg-type]

    given = [one("OV06", "info", None), one("CO01", "low", 5.0), one("DQ02", "error", None), one("CO14", "low", 9.0),
             one("OV07", "info", None), one("CO15", "low", 9.0)]  # fmt: skip
    assert [finding.rule for finding in ordered(given)] == ["DQ02", "CO14", "CO15", "CO01", "OV06", "OV07"]


def test_nothing_can_be_said_about_nothing() -> None:
    found = evaluate(facts(0.0, profile=profile()), BUILT_IN)
    assert found.findings == ()
    assert not found.says_something
    assert all(entry.missing for entry in found.not_evaluated)


def test_rules_that_were_not_reached_are_not_evaluated() -> None:
    found = evaluate(facts(ops=ops([("Conv2D", 10.0)])), BUILT_IN, stopped=lambda: True)
    assert {entry.missing for entry in found.not_evaluated} == {"cancelled"}
    assert len(found.not_evaluated) == len(RULES)


def test_commands_and_options_suit_the_collector() -> None:
    """Msprof starts the program again; what a framework's profiler collected names its own settings."""
    table = ops([("Conv2D", 10.0)])
    by_msprof, by_torch = (
        evaluate(facts(ops=table, profile=profile(kind=kind)), BUILT_IN) for kind in ("msprof", "torch")
    )
    options = [{entry.rule: entry.option for entry in found.not_evaluated}["CO15"] for found in (by_msprof, by_torch)]
    assert options == ["--aic-metrics=PipeUtilization", "aic_metrics=PipeUtilization"]
    commands = [finding.command for found in (by_msprof, by_torch) if (finding := found.of("DQ04"))]
    assert commands[0] is not None
    assert commands[0].text == "msprof --application=./main --aic-metrics=PipeUtilization --output=./prof_again"
    assert commands[1] is None


def test_lines_of_rules_that_miss_the_same() -> None:
    lines = evaluate(facts(ops=ops([("Conv2D", 10.0)])), BUILT_IN).missing_lines()
    assert "CP01 CP02 CP03 CP04 CP05 - no baseline is open - :baseline PATH" in lines
    assert sum("CP0" in line for line in lines) == 1


# the samples


def test_the_story_of_the_first_profile(before: Findings) -> None:
    """What the reference case says: activation split, first convolution, load, execution."""
    split, suspect, load, run = (before.of(name) for name in ("CO19", "CO17", "OV06", "OV07"))
    assert split is not None
    assert split.recoverable_us == pytest.approx(47_440.323)
    assert split.title == "Mish split into Softplus → Tanh → Mul"
    assert suspect is not None
    assert (suspect.lead, suspect.title) == (True, "Conv_0 (Conv2D) takes 3 170.625 µs: lead suspect")
    assert load is not None
    assert (load.severity, load.recoverable_us) == ("info", None)
    assert "29.1 %" in load.title
    assert run is not None
    assert run.lead
    assert before.findings[0].rule == "CO19"
    assert [finding.rule for finding in before.findings][-2:] == ["OV06", "OV07"]


def test_evidence_leads_to_rows_and_ranges(samples: Path, before: Findings) -> None:
    table = Session(samples / "mish_before", cache_bytes=0).table("ops")
    names, starts = table.text("op_name"), table.time("start_ns")
    suspect = before.of("CO17")
    assert suspect is not None
    assert names is not None
    assert starts is not None
    first = suspect.evidence[0]
    (row,) = first.rows
    assert (first.table, names.texts(np.array([row]))[0]) == ("ops", "Conv_0")
    assert first.start_ns == starts[row]
    assert first.end_ns == starts[row] + 3_170_625
    run = before.of("OV07")
    assert run is not None
    assert run.evidence[0].event >= 0


@pytest.mark.parametrize("name", ["mish_after", "legacy_after"])
def test_the_activation_is_no_finding_after_the_change(samples: Path, name: str) -> None:
    found = Session(samples / name, cache_bytes=0).findings()
    assert found.of("CO19") is None
    assert "CO19" in found.quiet


def test_the_old_layout_yields_the_same(samples: Path, before: Findings) -> None:
    found = Session(samples / "legacy_before", cache_bytes=0).findings()
    for rule in ("CO19", "CO17", "CO01"):
        old, new = found.of(rule), before.of(rule)
        assert old is not None
        assert new is not None
        assert (old.recoverable_us, old.title) == (new.recoverable_us, new.title)


# real data


@pytest.mark.parametrize("name", sorted(path.name for path in REAL.glob("*") if path.is_dir()))
def test_real_data_never_raise_and_never_claim_more_than_the_span(name: str) -> None:
    session = Session(REAL / name, cache_bytes=0)
    for place in range(len(session.profiles)):
        session.choose(profile=place)
        found = session.findings()
        assert len(found.findings) + len(found.not_evaluated) + len(found.quiet) == len(RULES)
        times = [finding.recoverable_us for finding in found.findings if finding.recoverable_us is not None]
        assert all(time_us >= 0 for time_us in times)
        if found.span_ns:
            assert all(time_us * 1000 <= found.span_ns for time_us in times)


def test_the_convolution_of_a_real_pair() -> None:
    path = REAL / "ocr_vision_embed_910b_conv2d_before"
    if not path.is_dir():
        pytest.skip("shared data are not here")
    lead = Session(path, cache_bytes=0).findings().lead
    assert lead is not None
    assert (lead.rule, lead.recoverable_us) == ("CO17", 8225.66)
    assert "8 225.660 µs of 8 555.700 µs device time" in lead.measured


# thresholds


def _user(tmp_path: Path, words: str) -> Path:
    path = tmp_path / "thresholds.toml"
    path.write_text(words, encoding="utf-8")
    return path


def test_thresholds_of_the_user(tmp_path: Path) -> None:
    limits = load_thresholds(_user(tmp_path, "[CO01]\ndur_us = 50\n"))
    assert limits.problems == ()
    assert [(limit.rule, limit.text) for limit in limits.changed] == [("CO01", "50* (20)")]
    table = ops([("TopK", 40.0)], task_type=["AI_CPU"])
    assert fired("CO01", facts(ops=table)).limits[0].text == "20"
    assert evaluate(facts(ops=table), limits).of("CO01") is None


def test_a_changed_threshold_is_marked_in_the_inequality() -> None:
    table = ops([("Conv2D", 100.0), ("TopK", 40.0)], task_type=["AI_CORE", "AI_CPU"])
    found = fired("CO01", facts(ops=table), with_limits(CO01__dur_us=30.0))
    assert "≥ 30* (20) µs" in found.measured


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("[CO99]\ndur_us = 5\n", "no threshold 'dur_us' of 'CO99'"),
        ("[CO01]\nlimit = 5\n", "no threshold 'limit' of 'CO01'"),
        ("[CO01]\ndur_us = 'x'\n", "cannot be 'x'"),
        ("[CO01]\ndur_us = true\n", "cannot be True"),
        ("[CO01]\ndur_us = nan\n", "cannot be nan"),
        ("[CO01]\ndur_us = 9" + "9" * 400 + "\n", "dur_us of CO01"),
        ("CO01 = 5\n", "'CO01' is no rule"),
        ("[CO01\n", "cannot be read"),
    ],
)
def test_thresholds_that_cannot_be_used(tmp_path: Path, words: str, said: str) -> None:
    limits = load_thresholds(_user(tmp_path, words))
    assert limits.changed == ()
    assert len(limits.problems) == 1
    assert said in limits.problems[0].replace("'dur_us' of 'CO01'", "dur_us of CO01")


def test_every_rule_uses_thresholds_that_exist() -> None:
    """The page of rules names them all."""
    for rule in RULES:
        values = {limit.name: limit.text for limit in BUILT_IN.of(rule.id)}
        assert rule.fires.format(**values)


def test_no_file_of_the_user() -> None:
    assert load_thresholds(NOWHERE).problems == ()


# headless


def _report(session: Session) -> str:
    return report_output(session, "text")


def test_the_report_tells_findings(samples: Path) -> None:
    words = _report(Session(samples / "mish_before", cache_bytes=0))
    assert "High  ≤ 47.44 ms  22.1 %  CO19  Mish split into Softplus → Tanh → Mul" in words
    assert "72 ≥ 3 × Softplus → Tanh → Mul: 47.44 ms = 42.0 % of device time" in words
    assert "CO13 subgraphs that were not fused - the list of subgraph patterns" in words


def test_the_report_without_special_signs(samples: Path) -> None:
    words = report_output(Session(samples / "mish_before", cache_bytes=0), "text", "ascii")
    assert "<= 47.44 ms" in words
    assert words.isascii()


def test_advice_of_msprof_is_shown_beside(samples: Path, tmp_path: Path) -> None:
    profiles = tmp_path / "legacy"
    shutil.copytree(samples / "legacy_before", profiles)
    (summary,) = profiles.rglob("summary")
    result = {"rule_suggestion": "reduce waits", "op_list": ["Conv_0"]}
    data = {"status": 0, "data": [{"rule_type": "Operator Schedule", "result": [result]}]}
    _written(summary, "prof_rule_0.json", data)
    session = Session(profiles, cache_bytes=0)
    assert session.findings().advice == (Advice("Operator Schedule", "", "reduce waits", ("Conv_0",)),)
    assert "Operator Schedule  reduce waits  Conv_0" in _report(session)


def test_the_table_has_the_documented_columns(before: Findings) -> None:
    table = findings_table(before)
    assert table.keys == (
        "rule", "severity", "recoverable_us", "title", "evidence", "advice", "command", "confidence",
    )  # fmt: skip
    assert table.note.endswith("rules not evaluated")


def test_findings_as_json(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["table", "findings", str(samples / "mish_before"), "--format", "json", "--filter", "rule=CO19"])
    assert left.value.code == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert list(row) == "rule severity recoverable_us title evidence advice command confidence".split()
    assert (row["recoverable_us"], row["confidence"]) == (47440.323, "likely")
    assert row["command"].startswith("msprof ")


def test_no_table_of_findings_without_a_profile(samples: Path) -> None:
    with pytest.raises(NoSuchTable):
        Session(samples / "dump_fp16", cache_bytes=0).table("findings")


def test_findings_are_kept_until_something_changes(samples: Path) -> None:
    session = Session(samples / "mish_before", cache_bytes=0)
    first = session.findings()
    assert session.findings() is first
    session.forget()
    assert session.findings() is not first


def test_a_timeline_that_is_not_read_is_not_waited_for(samples: Path) -> None:
    session = Session(samples / "mish_before", cache_bytes=0)
    found = session.findings(waits=False)
    assert not session.is_timeline_read
    assert {entry.rule: entry.missing for entry in found.not_evaluated}["HO09"] == "the timeline is not read yet"
    assert found.of("CO19") is not None
    session.offer_timeline(Session(samples / "mish_before", cache_bytes=0).timeline())
    assert session.findings(waits=False).of("HO09") is not None


def test_names_stay_data() -> None:
    """An operator's name may hold anything; commands are quoted for a shell."""
    found = fired("CO17", facts(ops=ops([("\x1b[31mConv", 10.0)])))
    assert "\x1b" in found.title  # shown escaped where it is printed
    assert Command("msprof", ("--output=/a b/$(x)",)).text == "msprof '--output=/a b/$(x)'"
    assert in_glyphs("≤ 5 µs · a → b", "ascii") == "<= 5 us , a -> b"


def test_calls_without_counts() -> None:
    table = apis(aclmdlExecute=(600.0, 1))
    bare = replace(table, columns=tuple(column for column in table.columns if column.info.key != "count"))
    assert fired("OV07", facts(apis=bare)).lead


# readers


def _written(tmp_path: Path, name: str, data: object) -> Path:
    path = tmp_path / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_communication_json(tmp_path: Path) -> None:
    entry = {
        "Communication Time Info": {"Elapse Time(ms)": 2.5, "Start Timestamp(us)": 1736408883732241.5,
                                    "Wait Time(ms)": 0.7},
        "Communication Bandwidth Info": {
            "SDMA": {"Transit Size(MB)": 28.6, "Transit Time(ms)": 1.8, "Bandwidth(GB/s)": 15.7,
                     "Size Distribution": {"2.06": [12, 1.5]}},
            "RDMA": {"Transit Size(MB)": 0},
        },
    }  # fmt: skip
    steps = {"step1": {"p2p": {}, "collective": {"hcom_allReduce__1_0_1@77": entry, "Total Op Info@77": entry}}}
    (use,), problems = read_communication(_written(tmp_path, "communication.json", steps))
    assert problems == []
    assert (use.op, use.transport, use.size_mb, use.elapse_ms) == ("hcom_allReduce__1_0_1", "SDMA", 28.6, 2.5)
    assert use.sizes == ((2.06, 12.0, 1.5),)
    assert (use.start_ns, use.wait_ms) == (1736408883732241500, 0.7)


@pytest.mark.parametrize(
    "data",
    ["", "{", "[]", "7", '{"a": {"collective": {"x": 5}}}', '{"a": {"b": {"c": {"Communication Bandwidth Info": []}}}}',
     '{"a":{"b":{"c":{"Communication Bandwidth Info":{"SDMA":{"Transit Size(MB)":"NaN"}}}}}}', "[" * 100_000],
)  # fmt: skip
def test_hostile_communication_json(tmp_path: Path, data: str) -> None:
    uses, _problems = read_communication(_written(tmp_path, "communication.json", data))
    assert uses == []


@pytest.mark.parametrize("start", ["NaN", "1e999999", "-5", "Infinity", '"soon"', "null", "[]", "9007199254740992"])
def test_a_start_of_a_collective_that_is_no_time_is_not_known(tmp_path: Path, start: str) -> None:
    bandwidth = '"Communication Bandwidth Info": {"SDMA": {"Transit Size(MB)": 1}}'
    entry = f'{{"Communication Time Info": {{"Start Timestamp(us)": {start}}}, {bandwidth}}}'
    (use,), _problems = read_communication(
        _written(tmp_path, "communication.json", f'{{"step": {{"collective": {{"op": {entry}}}}}}}')
    )
    assert use.start_ns == 0


def test_communication_json_that_is_not_there(tmp_path: Path) -> None:
    uses, (problem,) = read_communication(tmp_path / "communication.json")
    assert uses == []
    assert problem.what.startswith("cannot be read")


def test_variables(tmp_path: Path) -> None:
    path = _written(tmp_path, "profiler_metadata.json", {"ENV_VARIABLES": {"A": "1", "B": "", "C": None, "D": 4}})
    assert read_variables(path) == {"A": "1", "B": "", "C": "", "D": "4"}


@pytest.mark.parametrize("data", ["", "{", "[]", '{"ENV_VARIABLES": []}', "{}", "[" * 100_000])
def test_hostile_variables(tmp_path: Path, data: str) -> None:
    assert read_variables(_written(tmp_path, "profiler_metadata.json", data)) is None
    assert read_variables(tmp_path / "nothing.json") is None

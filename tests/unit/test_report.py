"""The report in its three forms: same numbers, safe text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.model.view import view_of
from tui.report import report_output, table_output
from tui.session import Session


@pytest.fixture
def session(samples: Path) -> Session:
    return Session(samples / "mish_before")


def test_json_has_the_documented_keys(session: Session) -> None:
    report = json.loads(report_output(session, "json"))
    assert list(report) == ["profile", "split", "top_ops", "top_apis", "findings", "not_evaluated"]
    assert [finding["rule"] for finding in report["findings"]][:2] == ["CO19", "CO15"]
    assert any(line.startswith("CO13 ") for line in report["not_evaluated"])
    assert report["split"]["span_ns"] == 214_600_000
    top = report["top_ops"][0]
    assert (top["op_type"], top["count"]) == ("Conv2D", 110)
    assert (top["total_us"], top["share_pct"]) == (pytest.approx(46_310, abs=1), pytest.approx(41.0, abs=0.01))
    assert report["top_apis"][0]["api_name"] == "aclmdlExecute"
    assert report["top_apis"][0]["time_us"] == pytest.approx(118_300, abs=1)


def test_text_and_markdown_show_the_same_numbers(session: Session) -> None:
    plain, markdown = report_output(session, "text"), report_output(session, "md")
    for cell in ("214.6 ms", "46.310", "118.300", "62.40 ms", "29.1 %"):
        assert cell in plain
        assert cell in markdown
    assert markdown.startswith("# ")


def test_ascii_report_is_ascii(session: Session) -> None:
    assert report_output(session, "text", "ascii").isascii()


def test_hostile_names_are_shown_literally(tmp_path: Path) -> None:
    path = tmp_path / "op_summary_20240101000001.csv"
    path.write_text(
        "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
        "\x1b[2J[red]Conv|x,Bad\x07Type,AI_CORE,1.000,2.5\n",
        encoding="utf-8",
    )
    for form in ("text", "md", "json"):
        out = report_output(Session(path), form)
        assert "\x1b" not in out
        assert "\x07" not in out
    table = Session(path).table("ops")
    out = "".join(table_output(table, view_of(table)))
    assert "\\x1b[2J[red]Conv|x" in out


def test_table_columns_of_people_and_of_programs(session: Session) -> None:
    table = session.table("ops")
    text = "".join(table_output(table, view_of(table), limit=1))
    assert text.splitlines()[0].split("  ")[0] == "Op Name"
    assert "3 170.625" in text.splitlines()[1]
    rows = json.loads("".join(table_output(table, view_of(table), limit=1, form="json")))
    assert list(rows[0]) == list(table.keys)
    assert rows[0]["task_duration_us"] == 3170.625
    assert isinstance(rows[0]["start_ns"], int)


def test_table_options(session: Session) -> None:
    table = session.table("ops")
    view = view_of(table, "type=Conv2D|Mul", "count asc", "type")
    rows = json.loads("".join(table_output(table, view, "type,count,share", form="json")))
    assert rows == [
        {"op_type": "Mul", "count": 72, "share_pct": pytest.approx(12.5, abs=0.01)},
        {"op_type": "Conv2D", "count": 110, "share_pct": pytest.approx(41.0, abs=0.01)},
    ]

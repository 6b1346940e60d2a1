"""The report as one HTML page: whole, closed, safe, and true to the timeline."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tui.page.markup import PageTable, escaped, table
from tui.readers import timelines
from tui.report import report_output
from tui.session import Session

VOID = {"meta", "br", "hr", "img", "input", "link"}
HOSTILE = "<script>alert(1)</script>\"'&|\x1b[2J\u202e"


class Page(HTMLParser):
    """What a browser would see: elements with their texts, and whether all of them are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.mismatches: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.mismatches.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def demo(samples: Path) -> str:
    return report_output(Session(samples / "mish_before"), "html")


def _picture(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


def test_page_is_whole_and_loads_nothing(demo: str) -> None:
    page = Page(demo)
    assert (page.open, page.mismatches) == ([], [])
    assert demo.startswith("<!DOCTYPE html>")
    assert not {"script", "link", "img", "iframe", "object", "base", "form", "a"} & set(page.tags)
    assert not {"src", "href", "xlink:href", "action", "srcdoc"} & {name for name, _value in page.attributes}
    assert not [name for name, _value in page.attributes if name.startswith("on")]
    assert "url(" not in demo
    assert "@import" not in demo
    assert "http:" not in demo
    assert "https:" not in demo
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'") in (
        page.attributes
    )
    assert "prefers-color-scheme:dark" in demo
    assert "@media print" in demo
    assert ("name", "viewport") in page.attributes


def test_page_says_what_the_other_forms_say(demo: str, samples: Path) -> None:
    words = Page(demo).text
    report = json.loads(report_output(Session(samples / "mish_before"), "json"))
    for finding in report["findings"]:
        for text in (finding["rule"], finding["title"], finding["measured"], finding["advice"], finding["command"]):
            assert " ".join(text.split()) in words
    for part in ("where 214.6 ms went", "top operator types", "longest operators", "top APIs", "longest gaps"):
        assert part in words
    assert "aclmdlExecute 1× 118.300 55.1" in words
    assert "Conv_0 Conv2D 3 170.625 2.8" in words
    assert "not evaluated" in words
    assert "CO13" in words


def test_picture_draws_calls_where_they_ran(demo: str, samples: Path) -> None:
    """The place of a call by the trace itself: 1000 units from the first event to the last end."""
    trace = next((samples / "mish_before").rglob("msprof_*.json"))
    events = [event for event in json.loads(trace.read_text(encoding="utf-8")) if event.get("ph") == "X"]
    starts = [float(event["ts"]) for event in events]
    begin = min(starts)
    end = max(start + float(event["dur"]) for start, event in zip(starts, events))
    call = next(event for event in events if event["name"].endswith("@aclmdlExecute"))
    picture = _picture(demo)
    group = next(
        group for group in picture.iter("g") if (group.findtext("title") or "").startswith("aclmdlExecute: 118.3 ms")
    )
    box = group.find("rect")
    assert box is not None
    left = 196 + 1000 * (float(call["ts"]) - begin) / (end - begin)
    assert float(box.get("x", 0)) == pytest.approx(left, abs=0.2)
    assert float(box.get("width", 0)) == pytest.approx(1000 * float(call["dur"]) / (end - begin), abs=0.8)
    assert box.get("class") == "high"
    labels = [text.text for text in picture.iter("text")]
    assert {"AscendCL", "Stream 2", "NPU 0", "0 ms", "50 ms", "200 ms"} <= set(labels)


def test_picture_takes_the_limits_of_the_bands(samples: Path) -> None:
    page = report_output(Session(samples / "mish_before"), "html", bands=(60.0, 90.0))
    assert {box.get("class") for box in _picture(page).iter("rect")} <= {"low", "back", "bar", "neutral", "mid"}
    assert "60 to 90 %" in page


def _trace(path: Path, names: Sequence[str]) -> Path:
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "AscendCL"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 5, "args": {"name": names[0]}},
    ]
    events += [
        {"ph": "X", "name": name, "pid": 1, "tid": 5, "ts": f"{100 * place}.000", "dur": 90.0}
        for place, name in enumerate(names)
    ]
    path.write_text(json.dumps(events), encoding="utf-8")
    return path


def test_hostile_names_are_texts(tmp_path: Path) -> None:
    trace = _trace(tmp_path / "msprof_20240605080000.json", [HOSTILE, "ok"])
    out = report_output(Session(trace), "html")
    page = Page(out)
    assert (page.open, page.mismatches) == ([], [])
    assert "script" not in page.tags
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "<script>alert(1)</script>\"'&|\\x1b[2J\\u202e" in page.text
    _picture(out)


def test_hostile_table_cells_are_texts() -> None:
    page = Page(table(PageTable([(HOSTILE, "1")], (HOSTILE, "n"), shares=(float("nan"),))))
    assert page.mismatches == []
    assert "script" not in page.tags
    assert escaped("a\"b'c<&>") == "a&quot;b&#x27;c&lt;&amp;&gt;"


def test_a_second_report_reads_the_store(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = report_output(Session(samples / "mish_before"), "html")

    def never(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the timeline was imported again")

    monkeypatch.setattr(timelines, "import_timeline", never)
    assert report_output(Session(samples / "mish_before"), "html") == first


def test_iterations_limit_the_picture(samples: Path) -> None:
    session = Session(samples / "mish_before")
    session.limit_to("1")
    page = report_output(session, "html")
    assert "Iteration 1" in page
    assert "aclmdlLoadFromFileWithMem: " not in page


@pytest.mark.parametrize("name", ["op_summary_triton_matmul384", "prof_triton_matmul_910b", "torch_text_level1_2rank"])
def test_real_profiles_become_whole_pages(shared_data: Path, name: str) -> None:
    folder = shared_data / name
    if not folder.exists():
        pytest.skip(f"{folder} is not there")
    page = Page(report_output(Session(folder), "html"))
    assert (page.open, page.mismatches) == ([], [])
    assert "not evaluated" in page.text


def test_a_page_without_timeline_has_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "op_summary_20240101000001.csv"
    path.write_text("Op Name,OP Type,Task Duration(us)\nConv,Conv2D,2.5\n", encoding="utf-8")
    assert "<svg" not in report_output(Session(path), "html")


def test_markdown_cells_end_where_columns_end(tmp_path: Path) -> None:
    path = tmp_path / "op_summary_20240101000001.csv"
    path.write_text(
        'Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"a|b<i>*`_x_ _",__init__\\,AI_CORE,1.0,2.5\n',
        encoding="utf-8",
    )
    lines = report_output(Session(path), "md").splitlines()
    for first, second in zip(lines, lines[1:]):
        if first.startswith("|") and second.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", first)) == len(re.findall(r"(?<!\\)\|", second)), second
    assert any("a\\|b\\<i>\\*\\`\\_x\\_ \\_" in line and "\\_\\_init\\_\\_\\\\" in line for line in lines)

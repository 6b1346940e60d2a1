"""Logs of jobs: any line by its number with bounded memory, carriage returns, bad UTF-8, bursts, partial lines."""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from tests.standins import collection, finished
from tui.model.jobs import Progress
from tui.tools import jobs
from tui.tools.following import Following
from tui.tools.log_file import LogFile
from tui.tools.log_lines import LINE_BYTES, LineSplitter, lines_of
from tui.tools.progress import WANTED, ProgressReader


def read_all(log: LogFile) -> LogFile:
    while log.poll():
        pass
    return log


def texts(log: LogFile, first: int, count: int) -> list[str]:
    return [line.text for line in log.lines(first, count)]


def test_lines_are_found_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"line {number}\n" for number in range(5000)))
    log = read_all(LogFile(path))
    assert log.line_count == 5000
    assert texts(log, 4000, 2) == ["line 4000", "line 4001"]
    assert texts(log, 4999, 10) == ["line 4999"]
    assert texts(log, 5000, 10) == []
    assert [line.text for line in log.tail(1)] == ["line 4999"]


def test_a_log_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    assert not log.poll()
    assert (log.line_count, log.tail(5)) == (0, [])


def test_a_partial_last_line_is_shown_and_completed_later(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n> ")
    log = read_all(LogFile(path))
    assert texts(log, 0, 9) == ["one", "> "]
    with path.open("ab") as file:
        file.write(b"start\ntwo\n")
    read_all(log)
    assert texts(log, 0, 9) == ["one", "> start", "two"]


def test_a_carriage_return_replaces_the_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"".join(b"\r[==] %d%%" % share for share in range(101)) + b"\ndone\r\nhalf\r 50%")
    log = read_all(LogFile(path))
    assert texts(log, 0, 9) == ["[==] 100%", "done", " 50%"]
    assert log.last_line == " 50%"


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xff\xfe\x00 caf\xc3\xa9 \xe4\xbd\n")
    assert texts(read_all(LogFile(path)), 0, 1) == ["\ufffd\ufffd\x00 café \ufffd"]


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * (8 * LINE_BYTES) + b"\nnext\n" + b"\r" + b"y" * (8 * LINE_BYTES))
    log = read_all(LogFile(path))
    found = texts(log, 0, 3)
    assert len(found[0]) <= LINE_BYTES + 3
    assert found[1] == "next"
    assert found[2].startswith("yyy")


def test_random_pieces_give_the_same_lines(tmp_path: Path) -> None:
    random.seed(7)
    data = b"".join(random.choice((b"a", b"bc", b"\n", b"\r", b"\xe4\xbd\xa0", b"\r\n", b"%")) for _ in range(4000))
    whole = LineSplitter()
    expected = whole.feed(data)
    pieces = LineSplitter()
    got: list[bytes] = []
    place = 0
    while place < len(data):
        size = random.randint(1, 40)
        got += pieces.feed(data[place : place + size])
        place += size
    assert (got, pieces.partial) == (expected, whole.partial)
    path = tmp_path / "log"
    path.write_bytes(data)
    assert list(lines_of(path))[: len(got)] == [line.decode("utf-8", "replace") for line in got]


def test_errors_and_warnings_are_jumped_to(tmp_path: Path) -> None:
    path = tmp_path / "log"
    rows = ["ok\n"] * 600
    rows[10], rows[300], rows[500] = "[ERROR] one\n", "[WARNING] two\n", "E10001: Value x is invalid.\n"
    path.write_text("".join(rows))
    log = read_all(LogFile(path))
    assert (log.error_count, log.warning_count) == (2, 1)
    assert log.next_marked(-1) == 10
    assert log.next_marked(10) == 500
    assert log.next_marked(10, warnings=True) == 300
    assert log.next_marked(500) is None
    assert log.next_marked(500, backwards=True) == 10
    assert log.next_marked(10, backwards=True) is None
    assert [line.severity for line in log.lines(300, 1)] == ["warn"]


def test_words_are_found_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"{'Needle' if number in (3, 700, 1500) else 'hay'} {number}\n" for number in range(2000)))
    log = read_all(LogFile(path))
    assert log.find("needle") == 3
    assert log.find("needle", 3) == 700
    assert log.find("needle", 1500) is None
    assert log.find("needle", 1500, backwards=True) == 700
    assert log.find("needle", 3, backwards=True) is None
    assert log.find("needle", 99_999, backwards=True) == 1500


def test_a_log_that_became_shorter_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("a\nb\nc\n")
    log = read_all(LogFile(path))
    path.write_text("x\n")
    read_all(log)
    assert texts(log, 0, 9) == ["x"]


def test_a_burst_of_200_000_lines_costs_little_memory(tmp_path: Path) -> None:
    code = "import sys\nfor number in range(200_000):\n    sys.stdout.write(f'[INFO] step {number} of many lines\\n')\n"
    job = finished(collection(tmp_path, (sys.executable, "-c", code)))
    assert job.state == "done"
    tracemalloc.start()
    try:
        following = Following(job)
        following.look()
        read_all(following.log)
        assert following.log.line_count > 200_000
        assert any("step 199999" in line.text for line in following.log.tail(40))
        _now, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 50_000_000


def progress_of(text: str) -> Progress:
    reader = ProgressReader("msprof", "collect")
    for line in text.splitlines():
        reader.feed(line)
    return reader.progress


def test_steps_of_a_real_collection_are_recognised(shared_data: Path) -> None:
    text = (shared_data / "console_msprof_cann850_910b4" / "msprof.log").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    assert progress_of("".join(lines[:30])).step == "collect"
    after_start = next(place for place, line in enumerate(lines) if "Start analyzing" in line) + 1
    assert progress_of("".join(lines[:after_start])).step == "parse"
    assert progress_of(text[: text.index("Start query data")]).step == "export"
    assert progress_of(text).step == "done"


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("\x1b[2K[======    ] 60%", "share_pct", 60.0),
        ("m process finished. Performance improved by 12.34%", "gain_pct", 12.34),
        ("Inference time: 82.243ms", "device_ms", 82.243),
        ("[Aoe]Aoe process finished,cost time 1109s.", "step", "done"),
    ],
)
def test_progress_is_recognised_from_lines(line: str, field: str, value: object) -> None:
    reader = ProgressReader("aoe", "tune")
    reader.feed("nothing to see")
    reader.feed(line)
    assert getattr(reader.progress, field) == value


def test_following_a_log_never_keeps_it_open(tmp_path: Path) -> None:
    """The burst above went through a process of its own; what is printed later is only read when it is looked at."""
    path = tmp_path / "log"
    log = LogFile(path)
    subprocess.run([sys.executable, "-c", f"open({str(path)!r}, 'w').write('late\\n')"], check=True)
    read_all(log)
    path.unlink()
    assert log.line_count == 1
    assert log.lines(0, 1) == []
    assert jobs.find(99) is None


def test_the_quick_look_misses_no_line_that_tells_progress(shared_data: Path) -> None:
    lines = (shared_data / "console_msprof_cann850_910b4" / "msprof.log").read_bytes().splitlines()
    picked = progress_of("\n".join(line.decode() for line in lines if WANTED.search(line)))
    assert picked == progress_of("\n".join(line.decode() for line in lines))
    own = [
        b" 45%|####",
        b"Performance improved by 1 %",
        b"Inference time: 8ms",
        b"[Aoe]Aoe process finished,cost time 1s.",
        b"ATC run success",
        b"Execute sample success",
        b"NPU_compute_time (ms)",
    ]
    assert all(map(WANTED.search, own))

"""A glance at traces: size and time without reading them; and the part of the time that is read then."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.runs import write_runs
from tests.unit.traces import request, timeline, written, x
from tui.errors import BadExpression
from tui.model.window import time_of, window_of
from tui.readers.trace_glance import MOST_SAMPLES, SAMPLE_BYTES, Glance, Sample, glance, unread
from tui.session import Session


def test_a_small_file_is_seen_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", [x("a", "1000.5", 3), x("b", 900, 3), x("c", "1717575960208020.758", 1)])
    found = glance(request(path))
    assert found == Glance(path.stat().st_size, (Sample(0, 900_000, 1_717_575_960_208_020_758),))


def test_a_large_file_is_sampled_at_both_ends_and_between(tmp_path: Path) -> None:
    count = 2 * MOST_SAMPLES * SAMPLE_BYTES // 60
    path = written(tmp_path / "t.json", [x("an event of some length", str(1000 + place)) for place in range(count)])
    found = glance(request(path))
    assert found.start_ns == 1_000_000
    assert found.end_ns == (1000 + count - 1) * 1000
    assert found.length_ns == (count - 1) * 1000


def test_a_packed_file_tells_its_start(tmp_path: Path) -> None:
    plain = written(tmp_path / "t.json", [x("a", 1000), x("b", 2000)])
    packed = tmp_path / "t.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert glance(request(packed)).start_ns == 1_000_000


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00garbage", b"[", b'{"ts": }', b'"ts": 12', b'{"ts": "0"}', b"\x1f\x8b"]
)
def test_what_tells_no_times(tmp_path: Path, content: bytes) -> None:
    for name in ("t.json", "t.json.gz"):
        path = tmp_path / name
        path.write_bytes(content)
        assert glance(request(path)) == Glance(len(content), ())


def test_a_file_that_went_away(tmp_path: Path) -> None:
    assert glance(request(tmp_path / "gone.json")) == Glance(0, ())


def test_what_is_not_read_of_a_file_in_order_of_time() -> None:
    samples = [Sample(100 * place, 1000 * place, 1000 * place + 10) for place in range(5)]
    assert unread(samples, 0) == ((0, 4011),)
    assert unread(samples, 250) == ((3000, 4011),)
    assert unread(samples, 400) == ((4000, 4011),)
    assert unread(samples, 401) == ()
    assert unread(samples, 250, (3500, None)) == ((3500, 4011),)
    assert unread(samples, 250, (None, 3500)) == ((3000, 3501),)


def test_what_is_not_read_of_a_file_in_order_of_lanes() -> None:
    one_lane_after_another = [Sample(0, 0, 10), Sample(100, 900, 990), Sample(200, 5, 15), Sample(300, 910, 980)]
    assert unread(one_lane_after_another, 150) == ((5, 981),)
    assert unread([*one_lane_after_another, Sample(400, 5000, 5005)], 250) == ((910, 5006),)


def test_times_as_people_type_them() -> None:
    assert time_of("1.5ms", 100) == 1_500_100
    assert time_of("0", 100) == 100
    assert time_of("@1717575960208020758", 100) == 1_717_575_960_208_020_758
    assert window_of("10us..1ms", 0) == (10_000, 1_000_000)
    for wrong in ("", "1ms", "1ms..", "2ms..1ms", "1ms..1ms", "1..2", "a..b", "1ms..2ms..3ms"):
        with pytest.raises(BadExpression):
            window_of(wrong, 0)


def test_only_the_chosen_part_of_the_time_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", [x(f"e{ts}", ts, 100) for ts in (1000, 1200, 1300, 1500)])
    found = timeline(path, start_ns=1_150_000, end_ns=1_350_000)
    assert sorted(found.names[int(name)] for name in found.name_id) == ["e1200", "e1300"]


def test_a_session_reads_the_chosen_part(tmp_path: Path) -> None:
    session = Session(write_runs(tmp_path))
    assert len(session.timeline()) == 7
    part = session.windowed((1_200_000, 1_290_000))
    assert part.takes_any_size
    assert sorted(part.timeline().name(event) for event in range(len(part.timeline()))) == [
        "AscendCL@aclmdlExecute",
        "Conv_1",
    ]
    assert not part.has_files_of(session)
    assert part.limited(None).window == (1_200_000, 1_290_000)

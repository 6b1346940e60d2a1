"""The whole comparison: damaged files, progress, stopping, a second process, the store."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tui.dump.compare
from tests.dump_pairs import halves, write_golden, write_side
from tests.dump_writer import Part, dump_bytes
from tui.dump.compare import list_sides, make_plan
from tui.dump.divergence import conclude
from tui.dump.metrics import Buffers
from tui.dump.results import compare_in_worker, compare_now, compare_to_store, from_json, to_json
from tui.model.dump import CompareProgress, CompareRequest, PairRow
from tui.store import workers

VALUES = np.linspace(1, 9, 500, dtype=np.float32)
ADDED = np.linspace(70683, 109508, 900, dtype=np.float32)


@pytest.fixture(scope="module", autouse=True)
def fork_server() -> Iterator[None]:
    workers.prepare()
    yield
    workers.stop_spare()


@pytest.fixture
def sides(tmp_path: Path) -> CompareRequest:
    """Three operators, the second saturated in float16, the third damaged by it."""
    ops = [("Relu", "net/relu", VALUES, VALUES), ("AddN", "net/add", VALUES, ADDED), ("Mul", "net/mul", ADDED, ADDED)]
    for side in ("a", "b"):
        made = halves if side == "a" else np.asarray
        write_side(
            tmp_path / side, [(kind, name, {"input:0": made(x), "output:0": made(y)}) for kind, name, x, y in ops]
        )
    return CompareRequest(str(tmp_path / "a"), str(tmp_path / "b"))


def told(request: CompareRequest, every_s: float = 0.0, cap_bytes: int = 1 << 30) -> list[CompareProgress]:
    return list(compare_to_store(request, every_s, cap_bytes))


def test_the_operator_that_overflows_first_is_found(sides: CompareRequest) -> None:
    found = compare_now(sides, cap_bytes=0)
    first = found.first_divergence
    assert first is not None
    assert (found.rows[first.row].op_name, found.rows[first.row].tensor, first.inputs) == (
        "net/add",
        "output:0",
        "clean",
    )
    assert [each.inherited for each in found.rows] == [False, False, False, False, True, True]
    assert found.keep_float32.by_name == ("net/add", "net/mul")
    assert found.keep_float32.by_type == ("AddN", "Mul")
    added = found.rows[first.row]
    assert added.a is not None
    assert added.b is not None
    assert (added.a.saturated, added.b.beyond_fp16, added.b.max_abs) == (900, 900, 109508.0)


def test_progress_goes_up_to_the_whole_and_rows_come_once(sides: CompareRequest) -> None:
    progresses = told(sides, cap_bytes=0)
    assert len(progresses) > 3
    assert progresses[-1].done
    assert not any(progress.done for progress in progresses[:-1])
    assert [progress.bytes_read for progress in progresses] == sorted(progress.bytes_read for progress in progresses)
    size = sum(path.stat().st_size for side in (sides.path_a, sides.path_b) for path in Path(side).iterdir())
    assert progresses[-1].bytes_read == progresses[-1].bytes_total == size
    assert (progresses[-1].pairs_done, progresses[-1].fraction, progresses[-1].left_s) == (3, 1.0, 0.0)
    rows = [(each.order, each.tensor) for progress in progresses for each in progress.rows]
    assert len(rows) == len(set(rows)) == 6


def test_stopping_keeps_the_rows_that_are_finished(sides: CompareRequest) -> None:
    running = compare_to_store(sides, 0.0, 0)
    rows: list[PairRow] = []
    for progress in running:
        rows += progress.rows
        if rows:
            break
    running.close()
    stopped = conclude(rows, sides, complete=False)
    assert 0 < len(stopped.rows) < 6
    assert not stopped.complete


def test_a_worker_sends_the_same_rows(sides: CompareRequest) -> None:
    messages = list(compare_in_worker(sides, 0.0, 0).messages())
    assert all(isinstance(message, CompareProgress) for message in messages)
    rows = [each for message in messages for each in message.rows]
    assert conclude(rows, sides) == conclude((each for progress in told(sides) for each in progress.rows), sides)


def test_two_processes_find_what_one_finds(sides: CompareRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = compare_now(sides, cap_bytes=0)
    monkeypatch.setattr(tui.dump.compare, "SHARED_BYTES", 0)
    monkeypatch.setattr(tui.dump.compare, "_SHARE_PAIRS", 1)
    assert compare_now(sides, cap_bytes=0) == alone


def test_what_a_dead_process_leaves_is_compared_again(sides: CompareRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = compare_now(sides, cap_bytes=0)
    monkeypatch.setattr(tui.dump.compare, "SHARED_BYTES", 0)
    monkeypatch.setattr(tui.dump.compare, "_SHARE_PAIRS", 1)
    monkeypatch.setattr(tui.dump.compare, "compare_share", _claim_and_die)
    assert compare_now(sides, cap_bytes=0) == alone


def _claim_and_die(_request: CompareRequest, shares: list[object], folder: Path, *_more: object) -> Iterator[None]:
    """Takes all shares that are left and ends without comparing them."""
    for number in range(len(shares)):
        (folder / f"claim{number}").touch()
    yield from ()
    os._exit(1)


def damaged(path: Path, how: str) -> None:
    """One dump file with something wrong."""
    whole = dump_bytes("net/relu", outputs=[Part(VALUES, "float32")])
    contents = {
        "empty": b"",
        "short": whole[:5],
        "cut header": whole[:30],
        "cut values": whole[:-100],
        "garbage": bytes(range(256)) * 9,
        "huge": (2**62).to_bytes(8, "little") + whole[8:],
    }
    path.write_bytes(contents[how])


@pytest.mark.parametrize("how", ["empty", "short", "cut header", "cut values", "garbage", "huge"])
@pytest.mark.parametrize("side", ["a", "b"])
def test_a_damaged_file_costs_one_row_with_a_reason(sides: CompareRequest, how: str, side: str) -> None:
    folder = Path(sides.path_a if side == "a" else sides.path_b)
    damaged(next(folder.glob("Relu.*")), how)
    rows = compare_now(sides, cap_bytes=0).rows
    bad = [each for each in rows if each.verdict == "unreadable"]
    if how == "empty":  # an empty file may be left out of the folder: the operator has no partner then
        bad = bad or [each for each in rows if each.verdict == "no_pair"]
    assert [each.op_name.replace("/", "_") for each in bad] == ["net_relu"]
    assert all(each.detail or each.cause for each in bad)
    assert sum(each.metrics is not None for each in rows) == 4


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_without_permission_costs_one_row(sides: CompareRequest) -> None:
    next(Path(sides.path_a).glob("Relu.*")).chmod(0)
    rows = compare_now(sides, cap_bytes=0).rows
    assert [each.verdict for each in rows if each.metrics is None] == ["unreadable"]


def test_a_file_that_goes_away_meanwhile_is_one_row(sides: CompareRequest) -> None:
    plan = make_plan(sides, list_sides(sides))
    Path(plan.pairs[0].files_a[0].path).unlink()
    found = list(tui.dump.compare.compare_pair(plan.pairs[0], sides, Buffers()))
    assert [each.verdict for each in found if isinstance(each, PairRow)] == ["unreadable"]


def test_nothing_to_compare_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = compare_now(CompareRequest(str(tmp_path / "empty"), str(tmp_path / "absent")))
    assert found.rows == ()
    assert {problem.path for problem in found.problems} == {str(tmp_path / "empty"), str(tmp_path / "absent")}


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    golden = write_golden(tmp_path / "b", {("x", 0): VALUES})
    (tmp_path / "a").mkdir()
    objects = np.array([{"a": 1}], dtype=object)
    np.save(tmp_path / "a" / "x.0.1718260600000000.npy", objects, allow_pickle=True)
    (only,) = compare_now(CompareRequest(str(tmp_path / "a"), str(golden))).rows
    assert only.verdict == "unreadable"
    assert "pickle" in only.detail


def test_two_files_meet_whatever_they_are_called(tmp_path: Path) -> None:
    np.save(tmp_path / "mine.npy", VALUES)
    VALUES.tofile(tmp_path / "golden_output_1.bin")
    request = CompareRequest(
        str(tmp_path / "mine.npy"), str(tmp_path / "golden_output_1.bin"), dtype="float32", shape=(500,)
    )
    (only,) = compare_now(request).rows
    assert (only.verdict, only.cosine) == ("ok", 1.0)


def test_a_finished_comparison_is_found_again_until_a_file_changes(sides: CompareRequest) -> None:
    first = told(sides)
    again = told(sides)
    assert [progress.bytes_read for progress in again] == [first[-1].bytes_total]
    assert conclude(again[0].rows, sides) == compare_now(sides, cap_bytes=0)
    assert told(CompareRequest(sides.path_a, sides.path_b, threshold=0.5))[0].pairs_done == 0
    os.utime(next(Path(sides.path_a).iterdir()), (1, 1))
    assert told(sides)[0].pairs_done == 0


def test_a_stopped_comparison_is_not_kept(sides: CompareRequest) -> None:
    running = compare_to_store(sides, 0.0)
    next(running)
    running.close()
    assert told(sides)[0].pairs_done == 0


def test_no_cache_keeps_nothing(sides: CompareRequest, private_home: Path) -> None:
    told(sides, cap_bytes=0)
    assert not list((private_home / "cache").rglob("header.json"))


def test_a_damaged_store_is_made_again(sides: CompareRequest, private_home: Path) -> None:
    told(sides)
    (header,) = (private_home / "cache").rglob("header.json")
    header.write_text('{"format": 1, "extra": {"rows": [{"a": 7}]}}')
    assert told(sides)[0].pairs_done == 0
    assert told(sides)[0].done


def test_a_comparison_survives_its_store(sides: CompareRequest) -> None:
    progresses = told(sides, cap_bytes=0)
    (back,) = from_json(json.loads(json.dumps(to_json(progresses))))
    assert back.rows == tuple(each for progress in progresses for each in progress.rows)
    assert list(from_json({"rows": [], "problems": [], "pairs": 0, "bytes": 0}))[-1].done


def test_the_real_pair_of_folders(shared_data: Path) -> None:
    """Numbers of the set's own `expected.json`."""
    folder = shared_data / "derived_dump_dirs_autoencoder"
    found = compare_now(CompareRequest(str(folder / "npu_fp16"), str(folder / "golden_fp32")))
    output, scaled = found.rows
    assert (output.verdict, output.cosine) == ("ok", 1.0)
    assert scaled.verdict == "overflow"
    assert scaled.metrics is not None
    assert scaled.a is not None
    assert scaled.b is not None
    assert scaled.metrics.cosine == pytest.approx(0.9937492248593492, rel=1e-13)
    assert scaled.metrics.max_abs_error == 24320.21875
    assert scaled.metrics.mean_abs_error == pytest.approx(1639.916437747284, rel=1e-13)
    assert scaled.metrics.rmse == pytest.approx(5417.307490926816, rel=1e-13)
    assert scaled.metrics.relative_euclidean_distance == pytest.approx(0.18417119156017805, rel=1e-13)
    assert (scaled.a.saturated, scaled.b.beyond_fp16) == (8514, 8514)
    assert found.keep_float32.by_type == ("AddN",)


def test_the_real_pair_of_raw_files(shared_data: Path) -> None:
    """Numbers of the set's own `expected.json`."""
    folder = shared_data / "dump_raw_bin_autoencoder"
    a, b = folder / "results" / "hh_output0.bin", folder / "input_bins" / "hh.bin"
    (only,) = compare_now(CompareRequest(str(a), str(b), dtype="float32", shape=(100, 784))).rows
    assert only.metrics is not None
    assert only.metrics.cosine == pytest.approx(0.9423364646519199, rel=1e-13)
    assert only.metrics.max_abs_error == 0.9875717163085938
    assert only.metrics.mean_abs_error == pytest.approx(0.0406894174105148, rel=1e-13)
    assert only.metrics.rmse == pytest.approx(0.1147592103561663, rel=1e-13)
    assert only.metrics.relative_euclidean_distance == pytest.approx(0.3348584494475849, rel=1e-13)


def test_progress_never_goes_back_within_a_large_tensor(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 1 << 19, dtype=np.float32)
    a = write_golden(tmp_path / "a", {("x", 0): halves(values)})
    b = write_golden(tmp_path / "b", {("x", 0): values})
    passed = [each.bytes_read for each in told(CompareRequest(str(a), str(b)), cap_bytes=0)]
    assert passed == sorted(passed)
    assert len(set(passed)) > 20

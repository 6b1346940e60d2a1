"""Importing in worker processes: the same table whoever reads it, and what happens when one of them dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tui.model.table import NumberColumn, Table, TextColumn, TimeColumn
from tui.readers import csv_helper, csv_import
from tui.readers.csv_plan import make_plan
from tui.readers.csv_rest import Split, import_rest, nominal_split
from tui.readers.tables import (
    ImportProgress,
    PartRequest,
    TableRequest,
    finished_table,
    import_to_store,
    load_table_in_worker,
    open_table,
    partial_table,
)
from tui.store import cache, workers


@pytest.fixture(autouse=True)
def own_processes() -> Iterator[None]:
    workers.prepare()
    yield
    workers.stop_spare()
    cache.release_all()


@pytest.fixture
def request_of_two(tmp_path: Path) -> TableRequest:
    """Two slices with line ends in cells, names of their own, and a fault in each."""
    for number in range(2):
        rows = "".join(
            f'{i},op_{number}_{i % 7},Conv2D,{1000 + i}.25{i % 10}\t,{i}.5,"""{i},\n{number}""",{i % 3 or "N/A"}\n'
            for i in range(3000)
        )
        head = "Task ID,Op Name,OP Type,Task Start Time(us),Task Duration(us),Input Shapes,aicore_time(us)\n"
        (tmp_path / f"op_summary_slice_{number}.csv").write_text(head + rows + "9,short\n9,a,b,1.5,wrong,2,3\n")
    return TableRequest(
        "ops", tuple(PartRequest(str(tmp_path / f"op_summary_slice_{n}.csv"), "0", "op_summary") for n in range(2))
    )


def helped(request: TableRequest) -> Table:
    *_, last = import_to_store(request, cap_bytes=0, helper=True)
    return finished_table(last)


def alone(request: TableRequest) -> Table:
    *_, last = import_to_store(request, cap_bytes=0, helper=False)
    return finished_table(last)


def assert_same(one: Table, other: Table) -> None:
    assert one.keys == other.keys
    assert one.parts == other.parts
    assert one.problems == other.problems
    for left, right in zip(one.columns, other.columns):
        assert left.info == right.info
        if isinstance(left, TextColumn) and isinstance(right, TextColumn):
            assert left.texts(slice(None)) == right.texts(slice(None))
        elif isinstance(left, NumberColumn) and isinstance(right, NumberColumn):
            assert np.array_equal(left.values, right.values, equal_nan=True)
        else:
            assert isinstance(left, TimeColumn)
            assert isinstance(right, TimeColumn)
            assert np.array_equal(left.values, right.values)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.5, 0.505, 0.7, 0.99, 1.0])
def test_two_workers_read_the_same_table_as_one(
    request_of_two: TableRequest, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the split falls: in a file, between files, in a quoted cell, at either end."""
    total = sum(Path(part.path).stat().st_size for part in request_of_two.parts)
    monkeypatch.setattr("tui.readers.csv_rest._HEAD_START_BYTES", round((2 * share - 1) * total))
    monkeypatch.setattr(csv_import, "worth_a_helper", lambda plan: True)
    monkeypatch.setattr("tui.readers.csv_helper.workers.start", in_this_process)
    assert_same(helped(request_of_two), alone(request_of_two))


def in_this_process(function: Callable[..., Iterator[object]], *args: object) -> workers.Running:
    """A `Running` that holds all messages already; lets a test choose where the split falls."""
    running = workers.Running(None, None)
    running._waiting = list(function(*args))
    return running


def test_a_helper_process_reads_the_same_table(request_of_two: TableRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_import, "worth_a_helper", lambda plan: True)
    table = helped(request_of_two)
    assert table.row_count == 6004
    assert [part.rows for part in table.parts] == [3002, 3002]
    assert_same(table, alone(request_of_two))


def test_the_rest_begins_where_a_record_does(request_of_two: TableRequest, tmp_path: Path) -> None:
    (tmp_path / "rest").mkdir()
    split, *_ = import_rest(request_of_two, str(tmp_path / "rest"), {}, 10.0)
    assert isinstance(split, Split)
    part = make_plan(request_of_two, tmp_path).parts[split.part]
    content = Path(part.file).read_bytes()
    assert split.offset >= nominal_split(make_plan(request_of_two, tmp_path)).offset
    assert content[: split.offset].count(b'"') % 2 == 0
    assert content[split.offset - 1 : split.offset] == b"\n"


def dying_rest(*args: object) -> Iterator[object]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield None


def rest_that_dies_late(request: TableRequest, folder: str, forced: object, every_s: float) -> Iterator[object]:
    yield next(import_rest(request, folder, {}, every_s))
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("rest", [dying_rest, rest_that_dies_late])
def test_the_first_worker_goes_on_alone(
    request_of_two: TableRequest, rest: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_import, "worth_a_helper", lambda plan: True)
    monkeypatch.setattr(csv_helper, "import_rest", rest)
    assert_same(helped(request_of_two), alone(request_of_two))


def test_a_helper_that_learns_something_starts_both_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gadgets.csv"
    path.write_text("Widget,Speed\n" + "".join(f"n{i},{i}\n" for i in range(100_000)) + "last,word\n")
    request = TableRequest("gadgets", (PartRequest(str(path), "", "gadgets"),))
    monkeypatch.setattr(csv_import, "worth_a_helper", lambda plan: True)
    table = helped(request)
    speed = table.text("speed")
    assert speed is not None
    assert speed.texts(slice(99_998, None)) == ["99998", "99999", "word"]


def test_loading_in_a_worker(request_of_two: TableRequest) -> None:
    workers.warm()
    running = load_table_in_worker(request_of_two, every_s=0.0)
    *early, last = running.messages()
    assert isinstance(last, ImportProgress)
    assert last.done
    assert all(isinstance(progress, ImportProgress) for progress in early)
    table = finished_table(last)
    assert table.complete
    assert table.row_count == 6004
    assert_same(table, open_table(request_of_two))


def test_the_first_rows_are_mapped_while_a_worker_reads_on(request_of_two: TableRequest) -> None:
    running = load_table_in_worker(request_of_two, every_s=0.0)
    first = next(running.messages())
    table = partial_table(first)
    assert table.row_count == first.rows > 0
    task_ids = table.number("task_id")
    assert task_ids is not None
    assert task_ids[0] == 0.0
    running.cancel()
    list(running.messages())
    assert running.failed is None


def test_a_killed_worker_leaves_the_rows_that_were_there(request_of_two: TableRequest) -> None:
    running = load_table_in_worker(request_of_two, every_s=0.0)
    first = next(running.messages())
    kept = partial_table(first)
    os.kill(running.pid, signal.SIGKILL)
    *_, last = running.messages()
    assert isinstance(last, (workers.Failed, ImportProgress))
    names = kept.text("op_name")
    assert names is not None
    assert names.texts(slice(0, 2)) == ["op_0_0", "op_0_1"]
    assert open_table(request_of_two).row_count == 6004

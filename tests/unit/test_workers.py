"""Worker processes: messages, cancelling, and every way to die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.config import cache_dir
from tui.store import workers


def count_to(limit: int) -> Iterator[int]:
    yield from range(limit)


def where_am_i() -> Iterator[tuple[int, str, str, str]]:
    yield os.getpid(), os.readlink("/proc/self/fd/0"), os.readlink("/proc/self/fd/1"), os.readlink("/proc/self/fd/2")


def imported(name: str) -> Iterator[tuple[int, bool]]:
    yield os.getpid(), name in sys.modules


def cache_folder() -> Iterator[str]:
    yield str(cache_dir())


def forever() -> Iterator[str]:
    try:
        while True:
            yield "going"
    finally:
        os.write(2, b"closed in good order\n")


def hopeless() -> Iterator[int]:
    yield 1
    raise RuntimeError("no way")


def die(signal_number: int) -> Iterator[int]:
    yield os.getpid()
    os.kill(os.getpid(), signal_number)


def nested(limit: int) -> Iterator[int]:
    for message in workers.start(count_to, limit).messages():
        yield message * 10


@pytest.fixture(autouse=True)
def no_spare() -> Iterator[None]:
    workers.prepare()
    yield
    workers.stop_spare()


def test_messages_arrive_in_order() -> None:
    running = workers.start(count_to, 100)
    assert list(running.messages()) == list(range(100))
    assert running.ended
    assert running.failed is None


def test_a_worker_writes_where_its_starter_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that waited already, from a fork server of another time."""
    workers.warm()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "moved"))
    assert list(workers.start(cache_folder).messages()) == [str(tmp_path / "moved" / "npuscope")]


def test_poll_hands_out_what_is_there() -> None:
    running = workers.start(count_to, 3)
    got: list[int] = []
    while not running.ended:
        got += running.poll(1.0)
    assert got == [0, 1, 2]
    assert running.poll() == []


def test_a_worker_owns_no_terminal(private_home: Path) -> None:
    ((pid, stdin, stdout, stderr),) = workers.start(where_am_i).messages()
    assert pid != os.getpid()
    assert stdin == "/dev/null"
    assert stdout == stderr == str(private_home / "state" / "npuscope" / "npuscope.log")


@pytest.mark.parametrize("name", ["numpy", "pandas"])
def test_workers_find_numpy_and_pandas_imported(name: str) -> None:
    ((_pid, has_it),) = workers.start(imported, name).messages()
    assert has_it


def test_a_warm_worker_serves_the_next_task() -> None:
    workers.stop_spare()  # one may still wait from an earlier test
    workers.warm()
    waiting = workers._spare
    assert waiting is not None
    running = workers.start(imported, "os")
    assert running.pid == waiting[0].pid
    list(running.messages())


def test_cancel_closes_the_task(private_home: Path) -> None:
    running = workers.start(forever)
    assert next(running.messages()) == "going"
    running.cancel()
    rest = list(running.messages())
    assert set(rest) <= {"going"}
    assert running.failed is None
    assert "closed in good order" in (private_home / "state" / "npuscope" / "npuscope.log").read_text()


def test_an_exception_is_a_message_and_its_traceback_is_in_the_log(private_home: Path) -> None:
    running = workers.start(hopeless)
    assert list(running.messages()) == [1, workers.Failed("RuntimeError: no way")]
    assert running.failed == workers.Failed("RuntimeError: no way")
    assert "Traceback" in (private_home / "state" / "npuscope" / "npuscope.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS])
def test_a_signal_is_a_message(number: signal.Signals) -> None:
    running = workers.start(die, int(number))
    *_, last = running.messages()
    assert last == workers.Failed(f"killed by {number.name}", int(number))


def test_close_ends_a_busy_worker() -> None:
    running = workers.start(forever)
    next(running.messages())
    pid = running.pid
    running.close()
    assert gone(pid)


def test_a_worker_can_start_a_helper() -> None:
    assert list(workers.start(nested, 3).messages()) == [0, 10, 20]


def test_workers_end_when_their_viewer_is_killed(repository: Path) -> None:
    viewer = subprocess.Popen([sys.executable, "-c", VIEWER], stdout=subprocess.PIPE, text=True, cwd=repository)
    assert viewer.stdout is not None
    pids = [int(text) for text in viewer.stdout.readline().split()]
    assert len(pids) == 2
    os.kill(viewer.pid, signal.SIGKILL)
    viewer.wait()
    viewer.stdout.close()
    assert all(gone(pid) for pid in pids)


VIEWER = """
import time
from tui.config import cache_dir
from tui.store import workers
from tests.unit import test_workers
workers.prepare()
running = [workers.start(test_workers.forever) for _ in range(2)]
for task in running:
    next(task.messages())
print(*(task.pid for task in running), flush=True)
time.sleep(600)
"""


def gone(pid: int) -> bool:
    """Whether the process ends within ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False

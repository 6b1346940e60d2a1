"""Measuring and tuning by keyboard alone, at 80 x 24, in a real terminal, with stand-ins; a viewer that is killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow
BIN = Path(__file__).resolve().parents[1] / "bin"
APP = """import time
print('load model', flush=True)
print('[ERROR] one row of the input is bad', flush=True)
time.sleep(1.2)
print('unload model', flush=True)
"""


@pytest.fixture
def env(repository: Path, tmp_path: Path) -> Mapping[str, str]:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "m.onnx").write_bytes(b"onnx")
    (tmp_path / "bank").mkdir()
    return {
        "PYTHONPATH": str(repository), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "STANDIN_NPU": "310P",
        "TUNE_BANK_PATH": str(tmp_path / "bank"), "STANDIN_AOE": "", "STANDIN_MSPROF": "",
    }  # fmt: skip


def viewer(env: Mapping[str, str], folder: Path) -> Terminal:
    """The demo, started in a folder."""
    return Terminal([sys.executable, "-m", "tests.roomy", "demo"], cwd=folder, env=env)


@pytest.fixture
def demo(env: Mapping[str, str], tmp_path: Path) -> Iterator[Terminal]:
    with viewer(env, tmp_path) as terminal:
        terminal.wait_for("where to look next|what to do")
        yield terminal


def start(demo: Terminal) -> None:
    """From the form: the button, and yes."""
    demo.press("G")
    demo.wait_gone("looking at NPUs")
    demo.press("enter")
    demo.wait_for(r"start (msprof|aoe)\?")
    demo.press("right", "enter")
    demo.wait_for(r"▸ log")


def collect(demo: Terminal) -> None:
    """Fills in a collection of the app and starts it."""
    demo.press("!")
    demo.wait_for("profile +msprof: measure a program")
    demo.press("enter")
    demo.wait_for("collect with msprof")
    demo.press("enter")
    demo.wait_for(r"^ application ")
    demo.press(*f"{sys.executable} app.py m.om", "enter")
    demo.wait_for(r"app\.py m\.om +--application")
    demo.wait_for("nothing speaks against it")
    start(demo)


def tune(demo: Terminal, tmp_path: Path, what: str, with_model: bool) -> None:
    """Fills in a tuning and starts it."""
    demo.press("!")
    demo.wait_for(rf"▌ {what}")
    demo.press("enter")
    demo.wait_for("tune with aoe")
    if with_model:
        demo.press("enter", *str(tmp_path / "m.onnx"), "enter")
    demo.wait_for(r"m\.onnx +--model")
    demo.wait_for("TUNE_BANK_PATH=")
    start(demo)


def test_measuring_and_tuning_by_keyboard(demo: Terminal, tmp_path: Path) -> None:
    collect(demo)
    demo.wait_for(r"load model")
    demo.wait_for(r"1 error")
    demo.wait_for(r"following the tail")
    demo.press(".")
    demo.wait_for(r"^▌\[ERROR\] one row of the input is bad")
    demo.wait_for(r"opened PROF_\w+, which job 1 collected")
    demo.wait_for(r"Overview")
    demo.press("8")
    demo.wait_for(r"▸ log")
    tune(demo, tmp_path, "tune subgraphs", with_model=True)
    demo.wait_for(r"claimed 6\.41 %")
    demo.wait_for("export TUNE_BANK_PATH=")
    tune(demo, tmp_path, "tune operators", with_model=False)
    demo.wait_for(r"▌ +Conv_0 +Conv2D +3 170\.625 +2 204\.31\d* +966\.315 +30\.48 %")
    demo.wait_for(r"Conv_125 .*72\.055 +72\.046 +0\.009 +0\.01 %")
    demo.wait_for(r"job_type 1 ✓ 6\.41 % +› +job_type 2 ✓")
    demo.press("!")
    demo.wait_for(r"▌ profile again +the last msprof command on the tuned model")
    demo.press("enter")
    demo.wait_for("collect with msprof")
    demo.wait_for(r"app\.py\s+/[\w/\s.-]+m_\d+_tune\.om$")
    start(demo)
    demo.wait_for(r"opened PROF_\w+, which job 4 collected")
    demo.press("8")
    demo.wait_for(r"▸ log")
    demo.press("q")
    while "▸ jobs" not in demo.text:
        demo.press("q")
        demo.settle()
    demo.wait_for(r"▌ +4  msprof +done")
    demo.wait_for(r"job_type 1 ✓ 6\.41 % › job_type 2 ✓ 10\.05 % › profile again ✓ › compare")
    demo.press("q")
    demo.wait_for("quit npuscope")
    demo.press("right", "enter")
    assert demo.wait_exit() == 0
    demo.assert_restored()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_killed_viewer_leaves_its_job_running_and_the_next_one_lists_it(
    env: Mapping[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    go = tmp_path / "go"
    (tmp_path / "app.py").write_text(
        f"import os, time\nprint('waits', flush=True)\nend = time.time() + 120\n"
        f"while not os.path.exists({str(go)!r}) and time.time() < end: time.sleep(0.05)\n"
        "print('went on', flush=True)\n",
        encoding="utf-8",
    )
    with viewer(env, tmp_path) as first:
        first.wait_for("where to look next|what to do")
        collect(first)
        first.wait_for(r"^ waits")
        first.process.send_signal(number)
        first.wait_until(lambda: first.process.poll() is not None, "the end of the viewer", after_end=True)
    with viewer(env, tmp_path) as second:
        second.wait_for("where to look next|what to do")
        second.press("8")
        second.wait_for(r"1  msprof +running")
        second.press("enter")
        second.wait_for(r"▸ log")
        second.wait_for(r"waits")
        go.touch()
        second.wait_for(r"opened PROF_\w+, which job 1 collected")
        second.press("8")
        second.wait_for(r"went on")
        second.wait_for(r"^ done ")


FLOOD = """import os, time
print('waits', flush=True)
for _wait in range(3000):
    if os.path.exists('go'): break
    time.sleep(0.02)
number = 0
while number < 200_000 or (number < 2_000_000 and not os.path.exists('enough')):  # ends by itself after a failed test
    print('\\n'.join(f'[INFO] step {number + n} of very many lines' for n in range(5000)), flush=True)
    number += 5000
    time.sleep(0.02 if number < 200_000 else 0.2)
"""


def resident_bytes(pid: int) -> int:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


def test_a_flood_of_lines_neither_fills_the_memory_nor_stops_the_keys(env: Mapping[str, str], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(FLOOD, encoding="utf-8")
    with viewer(env, tmp_path) as demo:
        demo.wait_for("where to look next|what to do")
        collect(demo)
        demo.wait_for(r"^ waits")
        demo.settle()
        before_bytes = resident_bytes(demo.process.pid)
        (tmp_path / "go").touch()
        demo.wait_for(r"^ running ")
        demo.wait_for(r"line (\d+ )?\d+ \d{3} of [\d ]+ · tail")
        demo.press("g")
        demo.wait_for(r"line 1 of \d+ ")
        demo.press("?")
        demo.wait_for("write the log to a file")
        demo.press("q")
        demo.wait_gone("write the log to a file")
        demo.press("/", *"step 4321 of", "enter")
        demo.wait_for(r"^▌\[INFO\] step 4321 of very many lines")
        demo.wait_for(r"^ running ")
        demo.wait_for(r"of [2-9]\d\d \d{3}")
        grown_bytes = resident_bytes(demo.process.pid) - before_bytes
        (tmp_path / "enough").touch()
        demo.wait_for(r"opened PROF_\w+, which job 1 collected")
    assert grown_bytes < 50_000_000

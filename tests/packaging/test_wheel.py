"""The wheel as it is published: built from the sdist, installed elsewhere, run beside hostile folders."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from terminal import Terminal

from tui import __version__

pytestmark = pytest.mark.slow

SAMPLE = "mish_before"


@dataclass(frozen=True)
class Installed:
    """npuscope in an environment of its own."""

    python: Path
    command: Path
    packages: Path

    def run(self, *arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs the command without a terminal."""
        return subprocess.run(
            [str(self.command), *arguments],
            cwd=cwd, env={**plain_environment(), **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip


def plain_environment() -> dict[str, str]:
    """The environment without anything that leads Python back to the checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "PYTHONHOME"))}


def build(kind: str, source: Path, target: Path) -> Path:
    """Builds an `sdist` or `wheel` with hatchling, without a download."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)],
        cwd=source, env=plain_environment(), check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    (folder / "unpacked").mkdir()
    sdist = build("sdist", repository, folder / "sdist")
    subprocess.run(["tar", "-xf", str(sdist), "-C", str(folder / "unpacked")], check=True)
    (source,) = (folder / "unpacked").iterdir()
    return build("wheel", source, folder / "wheel")


@pytest.fixture(scope="module")
def wheel_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a new environment; what it depends on is lent by the one that runs the tests."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel], check=True)
    (packages,) = (folder / "lib").glob("python3*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return Installed(python, folder / "bin" / "npuscope", packages)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with a `widgets` of somebody else, which must never be loaded."""
    (tmp_path / "widgets").mkdir()
    (tmp_path / "widgets" / "__init__.py").write_text("raise SystemExit('a foreign widgets was loaded')\n")
    return tmp_path


def test_top_level_is_exactly_our_two_packages(wheel_names: set[str]) -> None:
    top = {name.split("/")[0] for name in wheel_names}
    assert top == {"tui", "widgets", f"npuscope-{__version__}.dist-info"}


def test_every_file_of_the_packages_and_samples_is_in_the_wheel(repository: Path, wheel_names: set[str]) -> None:
    for folder, inside in (("tui", ""), ("widgets", ""), ("sample_profiles", "tui/")):
        files = [path for path in (repository / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        names = {inside + path.relative_to(repository).as_posix() for path in files}
        assert len(names) > 5
        assert names - wheel_names == set()


def test_stylesheet_and_samples_are_among_them(wheel_names: set[str]) -> None:
    assert "tui/app.tcss" in wheel_names
    assert any(name.startswith(f"tui/sample_profiles/{SAMPLE}/") and "op_summary" in name for name in wheel_names)


def test_prints_its_version(installed: Installed, tmp_path: Path) -> None:
    done = installed.run("--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert __version__ in done.stdout


def test_checks_the_sample_that_it_carries(installed: Installed, tmp_path: Path) -> None:
    sample = installed.packages / "tui" / "sample_profiles" / SAMPLE
    done = installed.run("check", str(sample), cwd=tmp_path)
    assert done.returncode in (0, 1)
    assert "op_summary" in done.stdout
    assert "Traceback" not in done.stderr


def test_demo_without_a_terminal_prints_the_report(installed: Installed, tmp_path: Path) -> None:
    done = installed.run("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert "Conv2D" in done.stdout
    assert "aclmdlLoadFromFileWithMem" in done.stdout


def test_a_foreign_widgets_is_passed_over(installed: Installed, hostile: Path) -> None:
    """On PYTHONPATH, as CANN exports one, and in the current folder; the viewer needs the real one."""
    argv = [str(installed.python), "-m", "tui", "demo"]
    with Terminal(argv, cwd=hostile, env={"PYTHONPATH": str(hostile)}) as terminal:
        terminal.wait_for("Overview")
        assert "foreign" not in terminal.text
    done = installed.run("demo", cwd=hostile, PYTHONPATH=str(hostile))
    assert (done.returncode, "foreign" in done.stderr) == (0, False)


def test_without_its_own_widgets_it_says_so_in_one_line(repository: Path, hostile: Path) -> None:
    damaged = hostile / "site-packages" / "tui"
    damaged.mkdir(parents=True)
    for name in ("__init__.py", "__main__.py"):
        (damaged / name).write_bytes((repository / "tui" / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "tui", "--version"],
        cwd=damaged.parent, env={**plain_environment(), "PYTHONPATH": str(hostile)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "widgets" in done.stderr
    assert "foreign" not in done.stderr

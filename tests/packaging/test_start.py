"""What a start loads, measured from the outside: static import graphs cannot see imports inside functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "pandas", "textual", "rich", "orjson", "pyarrow"}


def loaded_by(repository: Path, *arguments: str) -> set[str]:
    """Top-level names of all modules that `python -m tui ARGUMENTS` imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tui", *arguments],
        cwd=repository, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().split(".")[0] for line in lines}


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("table", "--help")])
def test_help_and_version_load_nothing_heavy(repository: Path, arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(repository, *arguments)
    assert "click" in loaded
    assert loaded & HEAVY == set()


def test_a_headless_command_never_loads_textual(repository: Path, samples: Path) -> None:
    loaded = loaded_by(repository, "table", "op-types", str(samples / "mish_before"), "--limit", "1")
    assert "numpy" in loaded
    assert loaded & {"textual", "rich"} == set()

"""Shared fixtures. No test sees the developer's own settings, cache or language."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.roomy import roomy
from tui.samples import samples_dir

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_DATA = REPOSITORY.parent / "shared" / "data"

settings.register_profile("npuscope", deadline=None)  # timing decides no test
settings.load_profile("npuscope")


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fresh XDG folders and a plain environment for each test; child processes inherit them."""
    home = tmp_path_factory.mktemp("home")
    for name in ("config", "cache", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(home / name))
    for name in [name for name in os.environ if name.startswith("NPUSCOPE_")]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "TMUX", "STY", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)
    return home


@pytest.fixture(autouse=True)
def disk_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools ask for tens of GiB before they start; here they find them."""
    monkeypatch.setattr(os, "statvfs", roomy)


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real data sets, which are too large for the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real data sets are not here: they are expected in ../shared/data beside the checkout")
    return SHARED_DATA


@pytest.fixture(scope="session")
def samples() -> Path:
    """Folder of the bundled sample profiles; read only."""
    return samples_dir()


@pytest.fixture
def samples_copy(samples: Path, tmp_path: Path) -> Path:
    """A copy of the bundled samples that a test may damage."""
    return Path(shutil.copytree(samples, tmp_path / "sample_profiles"))

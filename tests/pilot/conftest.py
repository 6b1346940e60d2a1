"""Viewers under test share one store and one fork server; nothing else is shared."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.i18n import set_language
from tui.store import cache, workers

PRELOADED = ["pandas", "tui.readers.tables", "tui.readers.trace_scan", "tui.readers.counts"]


@pytest.fixture(scope="session", autouse=True)
def fork_server() -> None:
    """Started before the first viewer, as the program itself does; here it has imported already what workers need."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)
    workers.prepare()


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of the samples are imported once for all tests."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(autouse=True)
def quiet_start(private_home: Path, shared_store: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """English, the shared store, and no store held after the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_store))
    set_language("en")
    yield
    cache.release_all()


@pytest.fixture
def mish(samples: Path) -> Path:
    """The reference case before tuning, in the current layout."""
    return samples / "mish_before"

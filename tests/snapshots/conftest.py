"""Snapshots are compared with the files in `expected`; `--update-snapshots` writes them anew."""

from __future__ import annotations

import pytest

from tests.pilot.conftest import fork_server, mish, quiet_start, shared_store

__all__ = ["fork_server", "mish", "quiet_start", "shared_store"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Run as `scripts/test tests/snapshots --update-snapshots`, then read the differences before committing them."""
    parser.addoption(
        "--update-snapshots", dest="update_pictures", action="store_true", help="write the pictures of the screens anew"
    )


@pytest.fixture
def update_snapshots(request: pytest.FixtureRequest) -> bool:
    """Whether the expected files are written instead of compared."""
    return bool(request.config.getoption("update_pictures", default=False))

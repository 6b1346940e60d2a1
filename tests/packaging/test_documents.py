"""The documents point at things that exist, and the README's commands are what it says they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCUMENTS = [
    "README.md",
    "docs/ARCHITECTURE.md",
    "docs/CHANGELOG.md",
    "docs/CONTRIBUTING.md",
    "sample_profiles/README.md",
]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_lead_somewhere(repository: Path, name: str) -> None:
    page = repository / name
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("name", ["demo", "tests"])
def test_each_command_of_the_readme_is_one_line_that_makes_its_own_environment(repository: Path, name: str) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^<!-- {name} -->\n```sh\n(.+)\n```$", readme, re.MULTILINE)
    assert found is not None
    assert found[1].startswith("python3 -m venv .venv && ")


def test_every_module_named_in_the_architecture_exists(repository: Path) -> None:
    text = (repository / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`((?:tui|widgets|docs|scripts|tests)/[\w/.]*)`", text))
    assert len(names) > 10
    names -= {"tui/sample_profiles"}  # only in the wheel
    assert sorted(name for name in names if not (repository / name).exists()) == []

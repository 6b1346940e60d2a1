"""Findings that the user has hidden: kept per profile in the user's own state, each with a note that may be empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui.app import NpuscopeApp

SECTION = "dismissed"
PROFILES_KEPT = 200


def dismissed(app: NpuscopeApp) -> Mapping[str, str]:
    """Rule → note of the findings that are hidden for the open profile."""
    found = app.state.section(SECTION).get(_profile_key(app), {})
    return {str(rule): str(note) for rule, note in found.items()} if isinstance(found, dict) else {}


def dismiss(app: NpuscopeApp, rule: str, note: str) -> None:
    """Hides a finding of the open profile from now on, or gives a hidden one another note."""
    _keep(app, {**dismissed(app), rule: note})


def restore(app: NpuscopeApp, rule: str) -> None:
    """Shows a finding of the open profile again."""
    _keep(app, {kept: note for kept, note in dismissed(app).items() if kept != rule})


def _keep(app: NpuscopeApp, rules: Mapping[str, str]) -> None:
    """Written at once, since what was decided is not to be lost with the terminal."""
    key = _profile_key(app)
    if not key:
        return
    others = {profile: kept for profile, kept in app.state.section(SECTION).items() if profile != key}
    newest = [(key, dict(rules)), *others.items()] if rules else list(others.items())
    app.state.values[SECTION] = dict(newest[:PROFILES_KEPT])
    app.state.save()


def _profile_key(app: NpuscopeApp) -> str:
    return str(app.session.profile.root) if app.session is not None else ""

"""The baseline that the open profile is compared with: set, kept under a name, swapped with what is open."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.i18n import _
from tui.scoped_app import ScopedApp
from tui.screens.history import History
from tui.sides import Baseline, run_name

if TYPE_CHECKING:
    from tui.session import Session
    from tui.state import State

NAMES_KEPT = 20


class ComparedApp(ScopedApp, inherit_bindings=False):
    """The open session against a baseline. The screen Compare does the comparing."""

    path: Path
    state: State
    baseline: Baseline | None = None

    def go(self, digit: str) -> None:
        """Goes to the screen of a digit."""
        raise NotImplementedError

    def open_path(self, path: Path) -> None:
        """Leaves what is open and reads `path`."""
        raise NotImplementedError

    # ── what is kept ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def baselines(self) -> dict[str, str]:
        """Paths of the baselines kept, by name, newest first."""
        found = self.state.section("baselines")
        return {name: path for name, path in found.items() if isinstance(path, str)}

    def _keep(self, baseline: Baseline) -> None:
        path = str(baseline.path.absolute())
        others = {name: kept for name, kept in self.baselines.items() if name != baseline.name}
        self.state.values["baselines"] = dict([(baseline.name, path), *others.items()][:NAMES_KEPT])

    # ── what screens ask ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def is_own_baseline(self) -> bool:
        """Whether the baseline is what is looked at, so that there is nothing to compare it with yet."""
        return self.baseline is not None and self.baseline.session is self.session is not None

    def can_compare(self, name: str) -> bool:
        """Whether `baseline` or `swap` does something now."""
        if name == "baseline" or self.session is None:
            return self.session is not None
        return self.baseline is not None and self.baseline.session is not None and not self.is_own_baseline

    def baseline_facts(self) -> list[str]:
        """For the title."""
        return [f"A {self.baseline.name}"] if self.baseline is not None else []

    def set_baseline(self, baseline: Baseline) -> None:
        """Compares with another profile from now on."""
        self.baseline = baseline
        self._tell_frames(lambda frame: frame.baseline_changed())

    def baseline_read(self, asked: Baseline, session: Session) -> None:
        """The path of a baseline was read; comparisons that follow take it from there."""
        if self.baseline is asked:
            name = asked.name if asked.name in self.baselines else run_name(session)
            self.baseline = replace(asked, name=name, session=session)

    def keep_baseline(self, name: str = "") -> None:
        """What is looked at becomes the baseline, kept under a name of its own or under its usual one."""
        session = self.session
        if session is not None:
            baseline = Baseline(self.path, name or run_name(session), session)
            self._keep(baseline)
            self.set_baseline(baseline)
            self.tell(_("{name} is the baseline A; open the other run, then 6 compares").format(name=baseline.name))

    def swap_baseline(self) -> None:
        """Looks at the baseline; what was looked at becomes the baseline."""
        baseline, session = self.baseline, self.session
        if baseline is None or baseline.session is None or session is None:
            return
        self.baseline = Baseline(self.path, run_name(session), session)
        self.path = baseline.path
        self._show_session(baseline.session)

    def _show_session(self, session: Session) -> None:
        """Looks at a session that was open before: what was read of it is shown at once."""
        self._scopes = History(session)
        self.state.opened(self.path)
        self._look_again(keep_timeline=False)
        self._tell_frames(lambda frame: frame.session_opened(session))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _named(self, text: str) -> Path | None:
        """The path of a baseline that was kept, or a path; None for neither."""
        kept = self.baselines.get(text)
        path = Path(kept or os.path.expanduser(text))
        return path if text and path.exists() else None

    def command_baseline(self, text: str) -> str:
        """Compares with a baseline kept or a path, or keeps what is open under a new name; returns why it cannot."""
        path = self._named(text)
        if path is not None:
            self.set_baseline(Baseline(path.absolute(), text if text in self.baselines else path.name))
            self.go("6")
            return ""
        if text in self.baselines or os.sep in text:
            return _("does not exist: {path}").format(path=self.baselines.get(text, text))
        if self.session is None:
            return _("no profile is open")
        self.keep_baseline(text)
        return ""

    def command_compare(self, text: str) -> str:
        """Opens a path or a baseline kept, and compares it with what is open now; returns why it cannot, or empty."""
        path = self._named(text)
        if self.session is None:
            return _("no profile is open")
        if path is None:
            return _("does not exist: {path}").format(path=text or _("nothing"))
        self.set_baseline(Baseline(self.path, run_name(self.session), self.session))
        self.open_path(path)
        self.go("6")
        return ""

"""One run of the rules in a thread: what they look at besides the profile, how far they are, whether to go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.baseline import compared
from tui.errors import ProfileError
from tui.gather import findings_of

if TYPE_CHECKING:
    from tui.loading import Loader
    from tui.model.comparison import Comparison
    from tui.model.dump import DumpComparison
    from tui.model.finding import Findings
    from tui.model.tuning import TuningOutcome
    from tui.session import Session

PROGRESS_FROM_S = 0.3
PROGRESS_EVERY_S = 0.4


@dataclass(frozen=True)
class Compared:
    """A comparison, and what was compared."""

    baseline: Session
    current: Session
    comparison: Comparison | None
    """None where there is nothing that both tell."""


@dataclass(frozen=True)
class Others:
    """What is open besides the profile."""

    compared: Compared | None = None
    dumps: DumpComparison | None = None
    tuning: TuningOutcome | None = None
    job_order: tuple[str, ...] = ()
    """Job types of the tuning runs that are known, oldest first."""


class Judging:
    """Runs the rules once. Made and stopped by the screen's thread, run in another one."""

    def __init__(self, session: Session, baseline: Session | None, others: Others) -> None:
        """
        Args:
            baseline: What the session is compared with, if that is read; None for nothing.
        """
        self.session = session
        self.others = others
        self.compared = _of_these(others.compared, session, baseline)
        """The comparison that the rules know; made by the run where there was none."""
        self.problem = ""
        """Why there are no findings; empty when there are."""
        self.cancelled = False
        """Whether the rest of the rules is not run; what was found is shown."""
        self._baseline = baseline
        self._rules_done = 0
        self._tell: Callable[[int], None] = lambda _done: None
        self._next_s = 0.0

    def run(self, loader: Loader, tell: Callable[[int], None]) -> Findings | None:
        """What the rules say; None when they cannot be run, `problem` says why. For a thread.

        Args:
            tell: Told the number of rules done, now and then once it takes long.
        """
        self._tell, self._next_s = tell, time.monotonic() + PROGRESS_FROM_S
        try:
            loader.read_for_rules(self.session)
            return findings_of(
                self.session, self._comparison(), self.others.dumps, self.others.tuning,
                stopped=self._stopped, waits=False, job_order=self.others.job_order,
            )  # fmt: skip
        except ProfileError as error:
            self.problem = error.message
        except OSError as error:
            self.problem = error.strerror or str(error)
        return None

    def _comparison(self) -> Comparison | None:
        if self.compared is None and self._baseline is not None and not self.cancelled:
            self.compared = _compared(self._baseline, self.session)
        return self.compared.comparison if self.compared is not None else None

    def _stopped(self) -> bool:
        """Asked before each rule."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + PROGRESS_EVERY_S
            self._tell(self._rules_done)
        self._rules_done += 1
        return self.cancelled


def _of_these(known: Compared | None, current: Session, baseline: Session | None) -> Compared | None:
    """A comparison that is there already, if it is of these two."""
    is_same = known is not None and known.baseline is baseline and known.current is current
    return known if is_same else None


def _compared(baseline: Session, current: Session) -> Compared:
    try:
        return Compared(baseline, current, compared(baseline, current))
    except ProfileError:
        return Compared(baseline, current, None)

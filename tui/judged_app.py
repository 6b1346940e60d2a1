"""What the rules say about what is looked at: run in the background whenever that changes, and told to the screens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work

from tui.compared_app import ComparedApp
from tui.i18n import _
from tui.messages import FindingsProgressed, FindingsReady, RowsCounted, TimelineChanged, TimelineProgressed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.judging import Judging, Others
    from tui.loading import Loader
    from tui.model.comparison import Comparison
    from tui.model.dump import DumpComparison
    from tui.model.finding import Findings
    from tui.model.jobs import Job
    from tui.model.tuning import TuningOutcome
    from tui.session import Session
    from tui.sides import Baseline

SMALL_TIMELINE_BYTES = 32 << 20
"""A timeline up to this size is read for the rules alone."""


class JudgedApp(ComparedApp, inherit_bindings=False):
    """The findings of the open session; screens hear of them by `Frame.findings_changed`."""

    def __init__(self, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.findings: Findings | None = None
        """What was found last of what is looked at; None until that is known."""
        self.findings_progress = ""
        """How far the rules are, once they take long; else empty."""
        self.findings_problem = ""
        """Why there are no findings; empty when there are, or will be."""
        self._judging: Judging | None = None
        self._others: Others | None = None

    def follow(self, digit: str, target: str) -> None:
        """Goes to a screen and lets it show what `target` means."""
        raise NotImplementedError

    @property
    def is_judging(self) -> bool:
        """Whether the rules are running."""
        return self._judging is not None

    @property
    def others(self) -> Others:
        """What the rules look at besides the profile."""
        from tui.judging import Others

        return self._others or Others()

    # ── running the rules ────────────────────────────────────────────────────────────────────────────────────────────

    def judge(self) -> None:
        """Runs the rules anew over what is looked at, if that is read; a run that goes on is of no use any more."""
        if self.session is None or self.overview is None:
            return
        from tui.judging import Judging

        self.stop_judging()
        judging = self._judging = Judging(self.session, self._baseline_read, self.others)
        self._run_rules(self._loader, judging)
        self._tell_frames(lambda frame: frame.findings_changed())

    def stop_judging(self) -> bool:
        """Leaves the rest of the rules out. Whether there was one."""
        judging = self._judging
        if judging is not None:
            judging.cancelled = True
        return judging is not None

    def forget_findings(self) -> None:
        """Something else is looked at: what was found is about what was before."""
        self.stop_judging()
        self._judging = self.findings = None
        self.findings_progress = self.findings_problem = ""

    @property
    def _baseline_read(self) -> Session | None:
        """The baseline, where it is another profile and everything that a comparison needs of it is read."""
        session = self.baseline.session if self.baseline is not None and not self.is_own_baseline else None
        return session if session is not None and session.is_read("ops") and session.is_read("apis") else None

    @work(thread=True, group="findings", exit_on_error=False, description="findings")
    def _run_rules(self, loader: Loader, judging: Judging) -> None:
        found: Findings | None = None
        try:
            found = judging.run(loader, lambda done: self._post_progress(judging, done))
        finally:
            self.post_message(FindingsReady(judging, found))

    def _post_progress(self, judging: Judging, done: int) -> None:
        self.post_message(FindingsProgressed(judging, done))

    @on(FindingsProgressed)
    def _rules_progressed(self, message: FindingsProgressed) -> None:
        if message.judging is self._judging:
            from tui.findings.engine import RULES

            self.findings_progress = _("{done} of {all} rules").format(done=message.done, all=len(RULES))
            self._tell_frames(lambda frame: frame.findings_changed())

    @on(FindingsReady)
    def _rules_done(self, message: FindingsReady) -> None:
        judging = message.judging
        if judging is not self._judging:
            return
        self._judging, self.findings_progress, self.findings_problem = None, "", judging.problem
        self._others = replace(self.others, compared=judging.compared or self.others.compared)
        self.findings = message.findings
        if message.findings is not None:
            judging.session.offer_findings(message.findings)
        self._tell_frames(lambda frame: frame.findings_changed())

    # ── what they are run after ──────────────────────────────────────────────────────────────────────────────────────

    @on(RowsCounted)
    def _tables_read(self, message: RowsCounted) -> None:
        """A small timeline is read first: some rules need one."""
        if not self._reads_small_timeline():
            self.judge()

    @on(TimelineProgressed)
    def _timeline_ended(self, message: TimelineProgressed) -> None:
        if not message.text:
            self.judge()

    @on(TimelineChanged)
    def _no_timeline(self, message: TimelineChanged) -> None:
        if message.timeline is None:
            self.judge()

    def _reads_small_timeline(self) -> bool:
        """Begins to read the timeline unless that was done, or it is large. Whether its end is to be waited for."""
        size = self.timeline_bytes
        if not size or self.timeline is not None or (self.session is not None and self.session.is_timeline_read):
            return False
        if size <= min(SMALL_TIMELINE_BYTES, self.settings.trace_bytes):
            self.begin_timeline()
            return True
        return False

    @property
    def timeline_bytes(self) -> int:
        """Size of the files of the timeline that is looked at; 0 when there is none."""
        from tui.errors import NoSuchTable
        from tui.readers.trace_glance import trace_bytes

        try:
            return trace_bytes(self.session.timeline_request()) if self.session is not None else 0
        except NoSuchTable:
            return 0

    def need_timeline_for_rules(self) -> None:
        """Reads the timeline for the rules, unless it is so large that the user is to say how much of it."""
        size = self.timeline_bytes
        if size and size <= self.settings.trace_bytes:
            self.begin_timeline()

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def command_rule(self, text: str) -> str:
        """Goes to the finding of a rule, or explains why there is none; returns what is wrong, or empty."""
        from tui.screens.rule_commands import go_to_rule

        return go_to_rule(self, text)

    def command_threshold(self, text: str) -> str:
        """Shows the thresholds of a rule, or changes one; returns what is wrong, or empty."""
        from tui.screens.rule_commands import change_threshold

        return change_threshold(self, text)

    # ── what else is open ────────────────────────────────────────────────────────────────────────────────────────────

    def set_baseline(self, baseline: Baseline) -> None:
        """Compares with another profile from now on; the rules look at that too."""
        super().set_baseline(baseline)
        self.judge()

    def comparison_made(self, baseline: Session, current: Session, comparison: Comparison) -> None:
        """The screen Compare has compared: the rules take it from there."""
        from tui.judging import Compared

        known = self.others.compared
        if comparison.by != "name" or (known and known.baseline is baseline and known.current is current):
            return
        self._others = replace(self.others, compared=Compared(baseline, current, comparison))
        self.judge()

    def dumps_compared(self, dumps: DumpComparison | None) -> None:
        """Two dumps are compared whole, or others are to be."""
        if dumps is not self.others.dumps:
            self._others = replace(self.others, dumps=dumps)
            self.judge()

    def tuning_read(self, tuning: TuningOutcome, jobs: Sequence[Job]) -> None:
        """The result of a tuning is looked at.

        Args:
            jobs: All jobs, in any order.
        """
        from tui.tools.loop import job_order

        self._others = replace(self.others, tuning=tuning, job_order=job_order(jobs))
        self.judge()

"""What a comparison has measured of the loop of tuning: whether its last step is done, and what a tuning brought."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tui.claims import tunings_between
from tui.i18n import _
from tui.tools.loop import LoopStep, steps
from tui.units import number_text
from widgets.pieces import Piece

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.model.comparison import Change
    from tui.model.jobs import Job


def loop_steps(app: NpuscopeApp) -> tuple[LoopStep, ...]:
    """How far the loop is; comparing is done once the profile measured last was compared with another one."""
    compared = app.others.compared
    done = compared is not None and compared.comparison is not None
    current = os.path.realpath(compared.current.profile.root) if compared is not None and done else ""
    return steps([row.job for row in app.job_rows], compared=current)


def measured_change(app: NpuscopeApp, tuning: Job) -> Change | None:
    """End to end of the profiles before and after a tuning; None while they are not compared."""
    compared = app.others.compared
    if compared is None or compared.comparison is None:
        return None
    jobs = [row.job for row in app.job_rows]
    between = tunings_between(jobs, compared.baseline.profile.root, compared.current.profile.root)
    return compared.comparison.end_to_end if any(job.id == tuning.id for job in between) else None


def measured_pieces(change: Change | None) -> list[Piece]:
    """`measured 39.1 %`: what was gained, as the claim beside it is told."""
    head = Piece(_("measured") + " ", "muted")
    if change is None:
        return [head, Piece(_("not yet"), "warn bold")]
    if change.verdict in ("faster", "slower"):
        gain = number_text(-change.delta_pct, 1)
        return [head, Piece(f"{gain} %", "better bold" if change.verdict == "faster" else "worse bold")]
    return [head, Piece(_("nothing beyond noise"), "warn bold")]

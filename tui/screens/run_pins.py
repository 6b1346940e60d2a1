"""Jobs that stay at the top of the list, remembered between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.i18n import _
from tui.model.jobs import Job
from tui.state import State

if TYPE_CHECKING:
    from tui.screens.frame import Frame

PINS_KEPT = 50


def job_key(job: Job) -> str:
    """A name for a job that no later one of the same number has."""
    return f"{job.id}@{job.created_s:.3f}"


def pinned_jobs(state: State) -> frozenset[str]:
    """Keys of the pinned jobs."""
    return frozenset(_listed(state))


def _listed(state: State) -> list[str]:
    found = state.section("jobs").get("pinned")
    return [key for key in found if isinstance(key, str)] if isinstance(found, list) else []


def pin_job(state: State, job: Job) -> bool:
    """Pins a job, or lets it go; returns whether it is pinned now."""
    listed, key = _listed(state), job_key(job)
    is_pinned = key not in listed
    kept = [other for other in listed if other != key]
    state.put("jobs", "pinned", [*kept, key][-PINS_KEPT:] if is_pinned else kept)
    return is_pinned


def toggle_pin(frame: Frame, job: Job) -> None:
    """Pins a job or lets it go, and says so."""
    is_pinned = pin_job(frame.app.state, job)
    frame.app.run_changed()
    text = _("job {number} stays at the top; p lets it go") if is_pinned else _("job {number} is not pinned any more")
    frame.app.tell(text.format(number=job.id))

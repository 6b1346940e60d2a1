"""A finished collection: opened, or opened and compared with a run before it, which closes the loop of tuning."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tui.dialogs import home_path, path_completions
from tui.i18n import _
from tui.model.jobs import Job
from tui.sides import Baseline, run_name
from tui.tools.loop import baseline_for, profile_of
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.app import NpuscopeApp

OFFERED = 6


def open_collected(app: NpuscopeApp, job: Job, jobs: Sequence[Job]) -> None:
    """Opens what a collection left; the run that it was made to be compared with becomes the baseline.

    A baseline that the user has set stays.
    """
    profile, baseline = Path(profile_of(job)), app.baseline
    if baseline is None:
        before = baseline_for(job, jobs)
        baseline = _baseline_at(app, before) if before and _is_other(Path(before), profile) else None
    told = _("opened {name}, which job {number} collected").format(name=_short(profile), number=job.id)
    if baseline is not None:
        told += "; " + _("6 compares it with {name}").format(name=baseline.name)
        app.set_baseline(baseline)
    app.open_path(profile)
    app.go("1")
    app.tell(told)


def ask_how_to_open(app: NpuscopeApp, job: Job, jobs: Sequence[Job]) -> None:
    """Asks whether to open it alone, or against which run."""
    profile = Path(profile_of(job))
    offers = list(islice(_offers(app, job, jobs), OFFERED))

    def chosen(targets: tuple[str, ...] | None) -> None:
        target = targets[0] if targets else ""
        if target == "open":
            open_collected(app, job, jobs)
        elif target == "other":
            _ask_other(app, profile)
        elif target:
            compare_collected(app, profile, target)

    items = [
        ChoiceItem("open", _("open"), ""),
        *(
            ChoiceItem(path, _("open and compare with {name}").format(name=name), home_path(Path(path).parent))
            for name, path in offers
        ),
        ChoiceItem("other", _("open and compare with …"), _("another path")),
    ]
    hints = [KeyHint("enter", _("open")), KeyHint("esc", _("close"))]
    title = _("job {number} collected {name}").format(number=job.id, name=_short(profile))
    app.push_screen(ChoiceOverlay(title, items, hints=hints), chosen)


def compare_collected(app: NpuscopeApp, profile: Path, before: str) -> str:
    """Opens a profile against another one as the baseline; returns why it cannot, or empty."""
    path = Path(os.path.expanduser(before.strip()))
    if not before.strip() or not path.exists():
        return _("does not exist: {path}").format(path=before.strip() or _("nothing"))
    app.set_baseline(_baseline_at(app, str(path)))
    app.open_path(profile)
    app.go("6")
    return ""


def _ask_other(app: NpuscopeApp, profile: Path) -> None:
    frame = app.frame
    if frame is not None:
        start = f"{profile.absolute().parent}{os.sep}"
        frame.ask(f"{_('baseline (A)')} ", start, (), lambda typed, _caret: path_completions(typed),
                  accept=partial(compare_collected, app, profile))  # fmt: skip


def _offers(app: NpuscopeApp, job: Job, jobs: Sequence[Job]) -> Iterator[tuple[str, str]]:
    """(name, path) of runs to compare with, the likeliest first, each once."""
    profile, seen = Path(profile_of(job)), set()
    for name, path in _all_offers(app, job, jobs):
        place = os.path.realpath(path)
        if place not in seen and _is_other(Path(path), profile):
            seen.add(place)
            yield name, path


def _all_offers(app: NpuscopeApp, job: Job, jobs: Sequence[Job]) -> Iterator[tuple[str, str]]:
    before = baseline_for(job, jobs)
    if before:
        yield _baseline_at(app, before).name, before
    if app.baseline is not None:
        yield app.baseline.name, str(app.baseline.path)
    yield from app.baselines.items()
    if app.session is not None:
        yield run_name(app.session), str(app.path)
    yield from ((_short(Path(path)), path) for path in map(profile_of, jobs) if path)


def _is_other(path: Path, profile: Path) -> bool:
    return path.exists() and os.path.realpath(path) != os.path.realpath(profile)


def _baseline_at(app: NpuscopeApp, path: str) -> Baseline:
    """A path as the baseline; what is open now needs not be read again."""
    place = os.path.realpath(path)
    if app.session is not None and os.path.realpath(app.path) == place:
        return Baseline(app.path, run_name(app.session), app.session)
    kept = next((name for name, other in app.baselines.items() if os.path.realpath(other) == place), "")
    return Baseline(Path(path).absolute(), kept or _short(Path(path)))


def _short(path: Path) -> str:
    """A folder of msprof by the beginning of its name, which tells it apart."""
    return "_".join(path.name.split("_")[:2]) if path.name.startswith("PROF_") else path.name

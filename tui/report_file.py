"""The report written to a file from the viewer, in the background."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui.errors import ProfileError
from tui.i18n import _

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.report import ReportFormat
    from tui.session import Session

FORMATS: dict[str, ReportFormat] = {".txt": "text", ".md": "md", ".html": "html", ".json": "json"}


def write_report(app: NpuscopeApp, text: str) -> str:
    """Begins to write the report; returns why it cannot, or empty. A timeline that is too large to be read without a
    question is left out, and named.
    """
    path = Path(os.path.expanduser(text.strip()))
    form = FORMATS.get(path.suffix.lower())
    if app.session is None or form is None:
        return _("{name} ends in none of {ends}").format(name=path.name or _("nothing"), ends=" ".join(FORMATS))
    if path.exists():
        return _("exists, choose another name: {path}").format(path=path)
    app.tell(_("writing the report to {path}").format(path=path))
    work = partial(_write_in_thread, app, app.session, path, form)
    app.run_worker(work, thread=True, group="report", exit_on_error=False)
    return ""


def _write_in_thread(app: NpuscopeApp, session: Session, path: Path, form: ReportFormat) -> None:
    waits = _is_small(session, app.settings.trace_bytes)
    app.call_from_thread(app.tell, _written(session, path, form, app.bands, waits))


def _is_small(session: Session, most_bytes: int) -> bool:
    """Whether the timeline is read without a question where it is not read yet."""
    files = session.profile.files_of("timeline")
    return session.takes_any_size or sum(file.size_bytes for file in files) <= most_bytes


def _written(session: Session, path: Path, form: ReportFormat, bands: tuple[float, float], waits: bool) -> str:
    """Writes the report; returns what there is to say about that."""
    from tui.export import write_whole
    from tui.report import report_output

    try:
        write_whole(path, [report_output(session, form, bands=bands, waits=waits)])
    except ProfileError as error:
        return " - ".join(part for part in (error.message, error.hint) if part)
    except OSError as error:
        return _("cannot be written ({reason}): {path}").format(path=path, reason=error.strerror or error)
    return _("report written to {path}").format(path=path)

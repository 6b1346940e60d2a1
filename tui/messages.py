"""Messages that more than one screen hears. Workers post them; handlers own every change of state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from tui.judging import Judging
    from tui.model.finding import Findings
    from tui.model.lod import Rows
    from tui.model.table import Table
    from tui.model.timeline import Timeline
    from tui.overview import OverviewData
    from tui.readers.trace_glance import Glance
    from tui.session import Session


@dataclass
class Loading:
    """How far the import of one table is."""

    kind: str
    file: str
    done_bytes: int
    total_bytes: int
    rows: int
    elapsed_s: float

    @property
    def fraction(self) -> float:
        """Share of the bytes read, 0…1."""
        return self.done_bytes / self.total_bytes if self.total_bytes else 0.0


class SessionOpened(Message):
    """What the path holds is known; tables are not read yet."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session


class OpenFailed(Message):
    """Nothing readable at the path.

    Args:
        is_dump: Whether the path holds operator dumps, which another screen compares.
    """

    def __init__(self, message: str, hint: str, is_dump: bool = False) -> None:
        super().__init__()
        self.message = message
        self.hint = hint
        self.is_dump = is_dump


class LoadFailed(Message):
    """A worker process ended without finishing; the rows it had written stay.

    Args:
        file: What it was reading.
        reason: For people: `killed by SIGKILL`.
    """

    def __init__(self, file: str, reason: str) -> None:
        super().__init__()
        self.file = file
        self.reason = reason


class TableChanged(Message):
    """Rows of a table arrived, or all of them are there.

    Args:
        kind: Canonical kind.
        table: What can be shown now; None when there is no such table.
        loading: Progress while more rows come, else None.
        reason: Why there is no table, for the empty state.
    """

    def __init__(
        self, kind: str, table: Table | None, loading: Loading | None = None, reason: str = "", hint: str = ""
    ) -> None:
        super().__init__()
        self.kind = kind
        self.table = table
        self.loading = loading
        self.reason = reason
        self.hint = hint

    def can_replace(self, message: Message) -> bool:
        """A newer state of the same table makes an older one that is still queued pointless."""
        return isinstance(message, TableChanged) and message.kind == self.kind


class TimelineChanged(Message):
    """Events of the timeline arrived, or all of them are there.

    Args:
        timeline: What can be drawn now; None when there is none.
        rows: Its events on flat rows.
        reason: Why there is none, for the empty state.
        unread: (start, end) of times in which there may be events that are not read; disjoint, rising.
    """

    def __init__(
        self,
        timeline: Timeline | None,
        rows: Rows | None,
        reason: str = "",
        hint: str = "",
        unread: tuple[tuple[int, int], ...] = (),
    ) -> None:
        super().__init__()
        self.timeline = timeline
        self.rows = rows
        self.unread = unread
        self.reason = reason
        self.hint = hint


class TimelineTooLarge(Message):
    """The timeline is larger than what is read without a question.

    Args:
        glance: Its size, and about what time it covers.
    """

    def __init__(self, glance: Glance) -> None:
        super().__init__()
        self.glance = glance


class TimelineProgressed(Message):
    """How far the import of the timeline is; an empty text when it is over."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class OverviewReady(Message):
    """What the Overview says is known."""

    def __init__(self, data: OverviewData) -> None:
        super().__init__()
        self.data = data


class RowsCounted(Message):
    """Rows of files that are not shown as tables, by path."""

    def __init__(self, rows: dict[str, int]) -> None:
        super().__init__()
        self.rows = rows


class FindingsProgressed(Message):
    """How many rules were run.

    Args:
        judging: The run that it is about; one that is not wanted any more is not heard.
    """

    def __init__(self, judging: Judging, done: int) -> None:
        super().__init__()
        self.judging = judging
        self.done = done


class FindingsReady(Message):
    """A run of the rules is over.

    Args:
        judging: The run that it is about.
        findings: None when the rules could not be run.
    """

    def __init__(self, judging: Judging, findings: Findings | None) -> None:
        super().__init__()
        self.judging = judging
        self.findings = findings

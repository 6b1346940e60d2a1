"""What was wrong with the cells and rows of a file: counted while reading, worded when shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Callable

from tui.i18n import _, ngettext
from tui.model.problem import Problem, Severity


@dataclass(frozen=True)
class Defect:
    """One kind of fault in one file (and column)."""

    code: str
    """A key of `_WORDS`."""
    path: str
    count: int = 1
    row: int = 0
    """First row it was seen in, from 1 after the heading; 0 when it has no row."""
    heading: str = ""
    """Heading of the column, or empty."""
    sample: str = ""
    """The first offending cell or a reason."""


class Tally:
    """Counts defects; keeps the first place of each kind."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Defect] = {}

    @property
    def defects(self) -> tuple[Defect, ...]:
        """All kinds found so far, in order of first appearance."""
        return tuple(self._found.values())

    def add(self, defect: Defect) -> None:
        """Counts a defect together with those of its kind, file and column."""
        key = (defect.code, defect.path, defect.heading)
        known = self._found.get(key)
        if known is None:
            self._found[key] = defect
            return
        first = defect if 0 < defect.row < known.row else known
        self._found[key] = replace(first, count=known.count + defect.count)

    def add_all(self, defects: Iterable[Defect], path: str = "", more_rows: int = 0) -> None:
        """Adds the defects of another reader; rows of `path` are counted on from `more_rows`."""
        for defect in defects:
            shift = more_rows if defect.path == path and defect.row else 0
            self.add(replace(defect, row=defect.row + shift))


def as_json(defects: Iterable[Defect]) -> list[dict[str, Any]]:
    """For the header of a store."""
    return [asdict(defect) for defect in defects]


def from_json(data: Iterable[dict[str, Any]]) -> tuple[Defect, ...]:
    """The reverse of `as_json`.

    Raises:
        TypeError: it was not made by it.
    """
    return tuple(Defect(**item) for item in data)


def problems_of(defects: Iterable[Defect]) -> tuple[Problem, ...]:
    """The defects in the user's language."""
    return tuple(_problem(defect) for defect in defects)


def _problem(defect: Defect) -> Problem:
    severity, words = _WORDS[defect.code]
    what, consequence, hint = words(defect)
    where = _("row {row}").format(row=defect.row) if defect.row else ""
    return Problem(defect.path, where, what, consequence, hint, severity)


_Words = Callable[[Defect], "tuple[str, str, str]"]


def _empty(defect: Defect) -> tuple[str, str, str]:
    return _("the file is empty"), _("it adds no rows"), _("export again: msprof --export=on --output=DIR")


def _no_rows(defect: Defect) -> tuple[str, str, str]:
    return _("only the heading line is there"), _("it adds no rows"), _("nothing of this kind was recorded")


def _unreadable(defect: Defect) -> tuple[str, str, str]:
    what = _("the file cannot be read ({reason})").format(reason=defect.sample)
    return what, _("its rows are missing"), _("check that it exists and that you may read it")


def _not_text(defect: Defect) -> tuple[str, str, str]:
    return _("this is no CSV text"), _("it adds no rows"), _("export it again as UTF-8 text")


def _wide(defect: Defect) -> tuple[str, str, str]:
    what = _("the heading line has {count} cells").format(count=defect.count)
    return what, _("only the first ones are read"), _("check that this is a table of a profile")


def _short(defect: Defect) -> tuple[str, str, str]:
    what = ngettext(
        "{count} row has fewer cells than the heading", "{count} rows have fewer cells than the heading", defect.count
    )
    return what.format(count=defect.count), _("cells missing at the end show as N/A"), ""


def _cut_off(defect: Defect) -> tuple[str, str, str]:
    what = _("the last line is cut off")
    return what, _("the row is kept, its missing cells show as N/A"), _("export again if the disk was full")


def _long(defect: Defect) -> tuple[str, str, str]:
    what = ngettext(
        "{count} row has more cells than the heading", "{count} rows have more cells than the heading", defect.count
    )
    consequence = _("cells were joined so that names, numbers and shapes fit their columns")
    return what.format(count=defect.count), consequence, _("the exporter does not quote commas: check these names")


def _unclosed(defect: Defect) -> tuple[str, str, str]:
    what = ngettext(
        "{count} row opens a quote and never closes it", "{count} rows open a quote and never close it", defect.count
    )
    return what.format(count=defect.count), _("its line was read without quotes"), ""


def _not_number(defect: Defect) -> tuple[str, str, str]:
    what = ngettext(
        "{count} cell of {heading} is no number (first: {sample})",
        "{count} cells of {heading} are no numbers (first: {sample})",
        defect.count,
    )
    what = what.format(count=defect.count, heading=defect.heading, sample=_shown(defect.sample))
    return what, _("they count as missing"), ""


def _not_time(defect: Defect) -> tuple[str, str, str]:
    what = ngettext(
        "{count} cell of {heading} is no time (first: {sample})",
        "{count} cells of {heading} are no times (first: {sample})",
        defect.count,
    )
    what = what.format(count=defect.count, heading=defect.heading, sample=_shown(defect.sample))
    return what, _("these rows have no place in time"), ""


def _inexact(defect: Defect) -> tuple[str, str, str]:
    what = ngettext(
        "{count} time of {heading} was rounded by a spreadsheet (first: {sample})",
        "{count} times of {heading} were rounded by a spreadsheet (first: {sample})",
        defect.count,
    )
    what = what.format(count=defect.count, heading=defect.heading, sample=_shown(defect.sample))
    return (
        what,
        _("order and gaps are wrong by up to minutes"),
        _("open the file that msprof wrote, not a re-saved one"),
    )


def _nuls(defect: Defect) -> tuple[str, str, str]:
    what = ngettext("{count} NUL byte was left out", "{count} NUL bytes were left out", defect.count)
    return (
        what.format(count=defect.count),
        _("text near it may be cut"),
        _("the disk or machine may have failed while writing"),
    )


def _foreign(defect: Defect) -> tuple[str, str, str]:
    what = ngettext("{count} line is GBK, not UTF-8", "{count} lines are GBK, not UTF-8", defect.count)
    return what.format(count=defect.count), _("it was read as GBK"), ""


def _broken(defect: Defect) -> tuple[str, str, str]:
    what = ngettext("{count} line is neither UTF-8 nor GBK", "{count} lines are neither UTF-8 nor GBK", defect.count)
    return what.format(count=defect.count), _("unreadable characters show as \N{REPLACEMENT CHARACTER}"), ""


def _broken_json(defect: Defect) -> tuple[str, str, str]:
    what = _("this is no JSON list of rows ({reason})").format(reason=_shown(defect.sample))
    return what, _("it adds no rows"), _("export again: msprof --export=on --output=DIR")


def _stopped(defect: Defect) -> tuple[str, str, str]:
    return _("reading was stopped"), _("rows behind this point are missing"), _("open it again to read all")


def _shown(sample: str) -> str:
    """A cell inside a sentence: short, control characters escaped."""
    text = sample if len(sample) <= 40 else sample[:39] + "\N{HORIZONTAL ELLIPSIS}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


_WORDS: dict[str, tuple[Severity, _Words]] = {
    "empty": ("warn", _empty),
    "no_rows": ("info", _no_rows),
    "unreadable": ("error", _unreadable),
    "not_text": ("error", _not_text),
    "wide": ("warn", _wide),
    "short": ("warn", _short),
    "cut_off": ("warn", _cut_off),
    "long": ("warn", _long),
    "unclosed": ("warn", _unclosed),
    "not_number": ("warn", _not_number),
    "not_time": ("warn", _not_time),
    "inexact": ("warn", _inexact),
    "nuls": ("warn", _nuls),
    "foreign": ("info", _foreign),
    "broken": ("warn", _broken),
    "broken_json": ("error", _broken_json),
    "stopped": ("warn", _stopped),
}

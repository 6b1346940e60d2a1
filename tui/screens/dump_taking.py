"""What the Dump screen writes: files that keep operators in float32, tables, tensors as .npy and .txt."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui.dump.csv_export import result_csv
from tui.dump.pair_labels import row_label
from tui.dump.precision_export import (
    FILE_NAMES,
    PRECISION_KINDS,
    PrecisionKind,
    atc_line,
    kept_ops,
    precision_file,
)
from tui.export import write_bytes_whole, write_whole
from tui.i18n import _, ngettext
from tui.screens.file_asking import ask_file, write_and_tell
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.model.dump import CompareRequest, DumpComparison, PairRow
    from tui.screens.dump import DumpScreen
    from tui.screens.frame import Frame

NAMES_SHOWN = 3
COMMAND_CELLS = 62
"""Width of a line of a command in an overlay."""


def choose_export(screen: DumpScreen) -> None:
    """The menu of what can be written; the file for atc first."""
    comparison, names = screen.comparison, screen.chosen_names()
    if comparison is None:
        return
    items = [*precision_items(names), *_table_items(), *_value_items(screen.pair)]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            _write_chosen(screen, comparison, names, targets[0])

    hints = [KeyHint("enter", _("write")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(_("export"), items, hints=hints), chosen)


def precision_items(names: list[str]) -> list[ChoiceItem]:
    """One entry per kind of file that keeps operators in float32."""
    if not names:
        return []
    more = len(names) - NAMES_SHOWN
    told = ", ".join(names[:NAMES_SHOWN]) + (f" +{more}" if more > 0 else "")
    helps = {
        "keep_dtype": told,
        "customize_dtypes": _("the same, every input and output named"),
        "modify_mixlist": _("their types, for mixed precision"),
        "op_precision": _("the same as op_precision_mode"),
    }
    return [ChoiceItem(kind, f"{kind}  {FILE_NAMES[kind]}", helps[kind]) for kind in PRECISION_KINDS]


def _table_items() -> list[ChoiceItem]:
    return [
        ChoiceItem("view", _("this table"), ".csv .tsv .md .json"),
        ChoiceItem("msaccucmp", _("the comparison as msaccucmp has it"), ".csv"),
    ]


def _value_items(row: PairRow | None) -> list[ChoiceItem]:
    if row is None or row.metrics is None or not row.counted:
        return []
    return [ChoiceItem("values", _("values of {tensor}").format(tensor=row_label(row)), _(".npy and .txt, both sides"))]


def choose_tensor_export(screen: Frame, comparison: DumpComparison, row: PairRow, request: CompareRequest) -> None:
    """The same menu for one pair."""
    names = list(row.originals or (row.op_name,))
    items = [*precision_items(names), *_value_items(row)]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets and targets[0] in PRECISION_KINDS:
            ask_precision(screen, comparison, names, targets[0])
        elif targets:
            accept = partial(convert_pair, screen, row, request)
            screen.ask(_("folder") + " ", ".", (), accept=accept, note=_(".npy and .txt of both sides"))

    hints = [KeyHint("enter", _("write")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(_("export"), items, hints=hints), chosen)


def _write_chosen(screen: DumpScreen, comparison: DumpComparison, names: list[str], target: str) -> None:
    if target in PRECISION_KINDS:
        ask_precision(screen, comparison, names, target)
    elif target == "view":
        screen.ask(_("export to") + " ", "dump.csv", (), accept=screen.command_export, note=".csv .tsv .md .json")
    elif target == "msaccucmp":
        ask_file(screen, "result.csv", lambda path: write_and_tell(screen, path, result_csv(comparison)))
    else:
        ask_convert(screen)


def ask_precision(screen: Frame, comparison: DumpComparison, names: list[str], kind: PrecisionKind) -> None:
    """Asks where to write a file that keeps operators in float32."""
    note = _("keeps in float32: {names}").format(names=", ".join(names[:NAMES_SHOWN]))
    ask_file(screen, FILE_NAMES[kind], partial(_write_precision, screen, comparison, names, kind), note)


def _write_precision(
    screen: Frame, comparison: DumpComparison, names: list[str], kind: PrecisionKind, path: Path
) -> str:
    found = precision_file(kind, kept_ops(comparison, names))
    problem = write_and_tell(screen, path, [found.text])
    if not problem:
        screen.call_later(_show_atc, screen, path, kind, names, found.notes)
    return problem


def _show_atc(screen: Frame, path: Path, kind: PrecisionKind, names: list[str], notes: tuple[str, ...]) -> None:
    """The command that uses the file, to be copied."""
    line = atc_line(kind, str(path))
    count = ngettext("{n} operator", "{n} operators", len(names)).format(n=len(names))
    items = [
        ChoiceItem("copy", _("copy the command")),
        *(ChoiceItem("copy", f"  {part}") for part in broken(line)),
        *(ChoiceItem("copy", note) for note in notes),
    ]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            screen.app.copy_text(line, _("command"))

    title = _("{name} written: {count}, build the model with").format(name=path.name, count=count)
    hints = [KeyHint("enter", _("copy")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(title, items, hints=hints), chosen)


def broken(command: str) -> list[str]:
    """A command in lines that fit an overlay, broken before its options."""
    lines = [""]
    for at, word in enumerate(command.split(" --")):
        part = f" --{word}" if at else word
        if lines[-1] and len(lines[-1]) + len(part) > COMMAND_CELLS:
            lines.append("   ")
        lines[-1] += part
    return lines


def write_precision_by_name(screen: DumpScreen, text: str) -> str:
    """Writes the kind of file that its name's end says; returns why it cannot, or empty."""
    path = Path(os.path.expanduser(text.strip()))
    kinds: dict[str, PrecisionKind] = {".txt": "keep_dtype", ".cfg": "keep_dtype", ".json": "modify_mixlist",
                                       ".ini": "op_precision"}  # fmt: skip
    kind, comparison, names = kinds.get(path.suffix), screen.comparison, screen.chosen_names()
    if kind is None:
        return _("{name} ends in none of {ends}").format(name=path.name or _("nothing"), ends=" ".join(kinds))
    if comparison is None or not names:
        return _("no operator is chosen, and none must stay in float32")
    if path.exists():
        return _("exists, choose another name: {path}").format(path=path)
    return _write_precision(screen, comparison, names, kind, path)


def ask_convert(screen: DumpScreen) -> None:
    """Asks for a folder."""
    screen.ask(_("folder") + " ", ".", (), accept=screen.command_convert, note=_(".npy and .txt of both sides"))


def convert(screen: DumpScreen, text: str) -> str:
    """Writes both sides of the pair under the cursor as `.npy` and `.txt`; returns why it cannot, or empty."""
    row, request = screen.pair, screen.request
    if row is None or request is None or row.metrics is None or not row.counted:
        return _("there are no values to convert")
    return convert_pair(screen, row, request, text)


def convert_pair(screen: Frame, row: PairRow, request: CompareRequest, text: str) -> str:
    """The same for a given pair, in a thread; returns why it cannot, where that is known at once."""
    folder = Path(os.path.expanduser(text.strip() or "."))
    if not folder.is_dir():
        return _("no such folder: {folder}").format(folder=folder)
    screen.app.tell(_("writing values of {tensor} to {folder}").format(tensor=row_label(row), folder=folder))
    screen.run_worker(
        partial(_convert, screen, row, request, folder), thread=True, exit_on_error=False, group="convert"
    )
    return ""


def _convert(screen: Frame, row: PairRow, request: CompareRequest, folder: Path) -> None:
    from tui.dump.pair_view import opened_side
    from tui.dump_report import npy_pieces, text_pieces

    names: list[str] = []
    try:
        for side, path in (("a", row.path_a), ("b", row.path_b)):
            tensor = opened_side(row, request, side)
            name = f"{side}.{Path(path).name}.{tensor.info.tensor.replace(':', '.')}"
            write_bytes_whole(folder / f"{name}.npy", npy_pieces(tensor))
            write_whole(folder / f"{name}.txt", text_pieces(tensor))
            names.append(name)
        told = _("both sides as .npy and .txt in {folder}: {name}").format(folder=folder, name=names[0])
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        told = _("cannot be written ({reason}): {path}").format(path=folder, reason=reason)
    screen.app.call_from_thread(screen.app.tell, told)

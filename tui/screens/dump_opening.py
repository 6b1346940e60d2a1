"""Which dumps to compare: the questions that open them, and how to get some in the first place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui.dialogs import history_of, home_path, path_completions, remember
from tui.i18n import _, ngettext
from tui.model.dump import CompareRequest
from tui.units import number_text
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.dump.folder import DumpLeaf
    from tui.screens.dump import DumpScreen
    from tui.screens.frame import Frame

PAIRS_KEPT = 10


def open_dumps(app: NpuscopeApp, text: str) -> str:
    """Compares the two paths of a text, or shows the table of one; returns why it cannot, or empty."""
    try:
        words = shlex.split(text)
    except ValueError:
        return _("a quotation mark is not closed")
    paths = [Path(os.path.expanduser(word)) for word in words]
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        return _("does not exist: {path}").format(path=missing)
    graph = paths.pop() if len(paths) == 3 and paths[2].suffix == ".json" else None
    if len(paths) not in (1, 2) or (len(paths) == 1 and paths[0].is_dir()):
        return _("two dumps, the run under test first, and the graph json if there is one; or one comparison table")
    golden = str(paths[1]) if len(paths) == 2 else ""
    app.dump_request = CompareRequest(str(paths[0]), golden, graph=str(graph) if graph is not None else "")
    _remember_pair(app, app.dump_request)
    app.follow("7", "compare")
    return ""


def _remember_pair(app: NpuscopeApp, request: CompareRequest) -> None:
    pair = [os.path.abspath(path) if path else "" for path in (request.path_a, request.path_b)]
    app.state.put("dumps", "recent", [pair, *(other for other in recent_pairs(app) if other != pair)][:PAIRS_KEPT])


def recent_pairs(app: NpuscopeApp) -> list[list[str]]:
    """Pairs compared before, newest first; an empty second path stands for a table."""
    found = app.state.section("dumps").get("recent")
    pairs = found if isinstance(found, list) else []
    return [
        pair for pair in pairs if isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) for p in pair)
    ]


def dump_opened(app: NpuscopeApp) -> Path | None:
    """The path that the program was started with, where it holds dumps or a comparison."""
    return app.path if app.failure is not None and app.failure.is_dump else None


def choose_what(screen: DumpScreen) -> None:
    """The menu of what can be opened; where one dump is there already, the question for the other one."""
    opened = dump_opened(screen.app)
    if opened is not None and opened.is_dir() and screen.request is None:
        _ask_golden(screen, str(opened), f"{opened.absolute().parent}{os.sep}")
        return
    items = [
        ChoiceItem("pair", _("two dumps"), _("folders or files: the run under test, then the golden one")),
        ChoiceItem("found", _("dumps found here"), _("all below {folder}").format(folder=home_path(Path.cwd()))),
        ChoiceItem("table", _("a comparison table"), _("result_*.csv of msaccucmp, or of msprobe")),
        ChoiceItem("config", _("how to get dumps"), _("writes an acl.json for a model")),
        *(
            ChoiceItem(str(at), _pair_text(pair), _("again"))
            for at, pair in enumerate(recent_pairs(screen.app))
            if Path(pair[0]).exists()
        ),
    ]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            _open_chosen(screen, targets[0])

    hints = [KeyHint("enter", _("open")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(_("dumps"), items, hints=hints), chosen)


def _pair_text(pair: list[str]) -> str:
    return " · ".join(Path(path).name for path in pair if path)


def _open_chosen(screen: DumpScreen, target: str) -> None:
    if target == "pair":
        ask_pair(screen)
    elif target == "found":
        find_dumps(screen)
    elif target == "table":
        _ask(screen, _("table") + " ", "", lambda path: open_dumps(screen.app, shlex.quote(path)))
    elif target == "config":
        ask_config(screen)
    else:
        pair = recent_pairs(screen.app)[int(target)]
        problem = open_dumps(screen.app, " ".join(shlex.quote(path) for path in pair if path))
        if problem:
            screen.app.tell(problem)


def _ask(screen: Frame, sign: str, text: str, accept: Callable[[str], str]) -> None:
    def accepted(typed: str) -> str:
        remember(screen.app, sign, typed)
        return accept(typed.strip())

    screen.ask(sign, text, history_of(screen.app, sign), lambda typed, _caret: path_completions(typed), accept=accepted)


def find_dumps(screen: DumpScreen) -> None:
    """Looks for folders of dumps below the current one, and offers them."""
    screen.app.tell(_("looking for dumps below {folder}").format(folder=home_path(Path.cwd())))
    screen.run_worker(partial(_find, screen, Path.cwd()), thread=True, exit_on_error=False, group="find")


def _find(screen: DumpScreen, folder: Path) -> None:
    from tui.dump.folder import list_dumps

    screen.app.call_from_thread(_offer, screen, folder, list_dumps(folder).leaves)


def _offer(screen: DumpScreen, folder: Path, leaves: Sequence[DumpLeaf], under_test: str = "") -> None:
    """Asks for the run under test among the folders found, then for the golden one."""
    screen.app.clear_message()
    others = [leaf for leaf in leaves if str(leaf.path) != under_test]
    if len(others) < (1 if under_test else 2):
        screen.app.tell(_("no two folders of dumps below {folder}").format(folder=home_path(folder)))
        return
    items = [ChoiceItem(str(leaf.path), os.path.relpath(leaf.path, folder), _files_text(leaf)) for leaf in others]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if not targets:
            return
        if not under_test:
            _offer(screen, folder, leaves, targets[0])
            return
        problem = open_dumps(screen.app, f"{shlex.quote(under_test)} {shlex.quote(targets[0])}")
        if problem:
            screen.app.tell(problem)

    title = _("golden (B)") if under_test else _("under test (A)")
    hints = [KeyHint("enter", _("choose")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(title, items, hints=hints), chosen)


def _files_text(leaf: DumpLeaf) -> str:
    return ngettext("{n} file", "{n} files", leaf.files).format(n=number_text(leaf.files, 0))


def ask_pair(screen: DumpScreen) -> None:
    """Asks for the run under test, then for the golden one."""
    app, request = screen.app, screen.request
    start = request.path_a if request is not None else f"{app.path.absolute().parent}{os.sep}"

    def accept(path: str) -> str:
        if not path or not Path(os.path.expanduser(path)).exists():
            return _("does not exist: {path}").format(path=path or _("nothing"))
        beside = f"{Path(os.path.expanduser(path)).absolute().parent}{os.sep}"
        golden = request.path_b if request is not None and request.path_b else beside
        screen.call_later(_ask_golden, screen, path, golden)
        return ""

    _ask(screen, _("under test (A)") + " ", start, accept)


def _ask_golden(screen: DumpScreen, under_test: str, start: str) -> None:
    def accept(path: str) -> str:
        return open_dumps(screen.app, f"{shlex.quote(under_test)} {shlex.quote(path)}")

    _ask(screen, _("golden (B)") + " ", start, accept)


def ask_config(screen: Frame) -> None:
    """Asks where to write an `acl.json`, and for which model."""
    screen.ask(
        _("write to") + " ", "acl.json", (), lambda typed, _caret: path_completions(typed),
        accept=lambda text: write_acl_json(screen.app, text),
        note=_("FILE, then the model's name without .om; none dumps every model"),
    )  # fmt: skip


def write_acl_json(app: NpuscopeApp, text: str) -> str:
    """Writes the file that makes a model dump inputs and outputs; returns why it cannot, or empty."""
    from tui.dump.acl_config import dump_block
    from tui.export import write_whole

    try:
        words = shlex.split(text)
    except ValueError:
        return _("a quotation mark is not closed")
    if len(words) not in (1, 2):
        return _("a file name, then the name of a model, such as acl.json resnet50")
    path = Path(os.path.expanduser(words[0]))
    if path.exists():
        return _("exists, choose another name: {path}").format(path=path)
    folder = str(path.absolute().parent / "dump")
    try:
        write_whole(path, [dump_block(folder, words[1].removesuffix(".om") if len(words) == 2 else "")])
    except OSError as error:
        return _("cannot be written ({reason}): {path}").format(path=path, reason=error.strerror or error)
    _show_config(app, path, folder)
    return ""


def _show_config(app: NpuscopeApp, path: Path, folder: str) -> None:
    """What to do with the file."""
    steps = (
        _("make the folder: mkdir -p {folder}").format(folder=folder),
        _('give the file to the run: aclInit("{path}"), or msame --dump true').format(path=path.absolute()),
        _("run once in float16 and once in float32, with the same input"),
        _("compare here: :dump {folder}/TIME_A {folder}/TIME_B").format(folder=folder),
    )
    items = [ChoiceItem("", f"{at}. {step}") for at, step in enumerate(steps, 1)]
    note = _("dump_mode is all: with inputs the first wrong operator is told from those it feeds")
    app.push_screen(
        ChoiceOverlay(_("{name} written").format(name=path.name), items, note=note, hints=[KeyHint("q", _("close"))])
    )

"""The command line. Whatever is heavy is imported inside the commands, so that `--help` answers at once."""

from __future__ import annotations

import codecs
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from tui import __version__
from tui.command_line.dumps import dump_command, tensor_command
from tui.command_line.jobs import doctor_command, jobs_command, run_command
from tui.command_line.options import (
    Command,
    Commands,
    Option,
    display_options,
    format_option,
    other_scope_options,
    output_options,
    row_options,
    scope_options,
    typed_settings,
)
from tui.command_line.output import import_progress, note, output_glyphs, settings_now, write
from tui.errors import BadExpression, ProfileError
from tui.i18n import N_, _, ngettext, set_language
from tui.terminal import send_probe

if TYPE_CHECKING:
    from tui.config import Settings
    from tui.model.sources import Profile
    from tui.model.table import Table
    from tui.session import Session

EXIT_FAULT = 70
EXIT_INTERRUPTED = 130

_WHOLE = {"device": "", "iter": "", "window": ""}
"""Nothing is left out."""


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"npuscope {__version__}")
        context.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="[PATH] | COMMAND [ARGS]...",
    help=N_(
        "Opens a profile of an Ascend NPU in the terminal: a PROF_* folder, a *_ascend_pt folder, a folder that holds"
        " several, or one file. Without a terminal it prints the report. A first word that is a command is the command;"
        " ./check opens a path of that name."
    ),
)
@click.option(
    "--version",
    cls=Option,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help=N_("Print the version."),
)
@display_options
@click.pass_context
def commands(context: click.Context) -> None:
    """`npuscope`."""
    if context.invoked_subcommand is None:
        _view(None)


@click.command("open", cls=Command, help=N_("Opens a path in the viewer."))
@click.argument("path", type=click.Path(path_type=Path))
@scope_options
@display_options
def open_command(path: Path, **scope: str) -> None:
    """`npuscope PATH`."""
    _view(path, scope)


@commands.command("demo", cls=Command, help=N_("Opens the bundled sample profile."))
@display_options
def demo_command() -> None:
    """`npuscope demo`."""
    from tui.samples import samples_dir

    samples = samples_dir()
    _view(samples / "mish_before", dumps=(samples / "dump_fp16", samples / "dump_fp32"))


@commands.command("check", cls=Command, help=N_("Says what a path holds, what is missing and what is wrong with it."))
@click.argument("path", type=click.Path(path_type=Path))
@format_option("text", "json")
@display_options
def check_command(path: Path, form: str) -> None:
    """`npuscope check PATH`."""
    from tui.check import check, to_json, to_text
    from tui.model.text import json_document

    settings_now()
    result = check(path)
    write([json_document(to_json(result)) if form == "json" else to_text(result)])
    raise click.exceptions.Exit(result.exit_code)


@commands.command("report", cls=Command, help=N_("Prints where the time went and what takes longest."))
@click.argument("path", type=click.Path(path_type=Path))
@format_option("text", "md", "html", "json")
@scope_options
@output_options
@display_options
def report_command(path: Path, form: str, output: Path | None, force: bool, **scope: str) -> None:
    """`npuscope report PATH`."""
    _report(path, form, output, force, settings_now().settings, scope)


@commands.command(
    "table",
    cls=Command,
    short_help=N_("Prints a table of a profile: filtered, sorted, grouped."),
    help=N_(
        "Prints a table of a profile. KIND is one of ops, op-types, apis, events, tracks, gaps, tasks, steps,"
        " communication, memory, files, or the kind in the name of any other summary file (fusion_op, l2_cache)."
        " A filter reads like: type=Conv2D dur>1.5ms !name~^trans."
    ),
)
@click.argument("kind")
@click.argument("path", type=click.Path(path_type=Path))
@row_options
@click.option("--group", cls=Option, default="", metavar="COLUMNS", help=N_("One row per value of these columns."))
@click.option("--columns", cls=Option, default="", metavar="COLUMNS", help=N_("Only these columns, in this order."))
@click.option("--lane", cls=Option, default="", metavar="LANE",
              help=N_("With events: only those of a lane of the timeline, by its title or key."))  # fmt: skip
@click.option("--range", "range_", cls=Option, default="", metavar="FROM..TO",
              help=N_("With events: only those that touch this time; @ for absolute ns."))  # fmt: skip
@click.option("--by-name", cls=Option, is_flag=True, help=N_("With events: figures of each name instead."))
@format_option("text", "csv", "tsv", "json", "md")
@click.option("--bom", cls=Option, is_flag=True, help=N_("Begin CSV with a byte order mark, for spreadsheets."))
@scope_options
@output_options
@display_options
def table_command(
    kind: str, path: Path, form: str, output: Path | None, force: bool, bom: bool, **options: Any
) -> None:
    """`npuscope table KIND PATH`."""
    from tui.model.text import json_document
    from tui.model.view import view_of
    from tui.report import table_output
    from tui.session import Session

    settings = settings_now().settings
    session = Session(path, settings.cache_bytes, import_progress)
    _name_others(session.profiles)
    _limit(session, options)
    table = _listed(session, kind, options)
    view = view_of(table, options["filter_"], options["sort"], options["group"])
    pieces = table_output(table, view, options["columns"], options["limit"], form, output_glyphs(settings))  # type: ignore[arg-type]
    note(table.note)
    for problem in table.problems:
        note(" - ".join(part for part in (problem.path, problem.where, problem.what, problem.consequence) if part))
    write(pieces, output, force, bom and form == "csv")
    if output is not None and form in ("csv", "tsv"):
        write([json_document(_provenance(session, kind, options))], output.with_name(output.name + ".meta.json"), True)


@commands.command(
    "compare",
    cls=Command,
    short_help=N_("Compares two profiles: did it help?"),
    help=N_(
        "Compares the profile B, the current run, with the baseline A, whatever tools collected them: operators matched"
        " by name or by type and shapes, each difference beside what is noise. Exit code 0: same or faster, or no gate;"
        " 1: slower beyond the gate; 2: they cannot be compared."
    ),
)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--gate", cls=Option, type=click.FloatRange(min=0), metavar="PCT",
              help=N_("End with 1 when B is slower by more than so many percent."))  # fmt: skip
@click.option("--by", cls=Option, type=click.Choice(("name", "type", "shape", "api")), default="name",
              help=N_("What a row stands for: operator, type, type and input shapes, API of the host."))  # fmt: skip
@click.option("--tuning", cls=Option, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help=N_("Show what a report of aoe (aoe_result_opat_*.json) claims beside what measured."))  # fmt: skip
@row_options
@format_option("text", "csv", "tsv", "json", "md")
@scope_options
@other_scope_options
@output_options
@display_options
def compare_command(
    a: Path, b: Path, gate: float | None, by: str, tuning: Path | None, form: str, output: Path | None, force: bool,
    **options: Any,
) -> None:  # fmt: skip
    """`npuscope compare A B`."""
    from tui.baseline import compared
    from tui.claims import report_of
    from tui.compare_report import beyond_gate, compare_output, exit_code
    from tui.model.comparison_beside import with_claims
    from tui.model.view import view_of
    from tui.session import Session

    settings = settings_now().settings
    watch = import_progress if by == "api" else None  # only then are calls worth the import of a large timeline
    sessions = [Session(path, settings.cache_bytes, watch) for path in (a, b)]
    own = {name: options[name] if options[f"{name}_a"] is None else options[f"{name}_a"] for name in _WHOLE}
    for session, scope in zip(sessions, (own, options)):
        _name_others(session.profiles)
        _limit(session, scope)
    comparison = compared(sessions[0], sessions[1], by)  # type: ignore[arg-type]
    if tuning is not None:
        comparison = with_claims(comparison, report_of(tuning))
    view = view_of(comparison.table, options["filter_"], options["sort"])
    pieces = compare_output(comparison, form, output_glyphs(settings), view, options["limit"])  # type: ignore[arg-type]
    write(pieces, output, force)
    note(beyond_gate(comparison, gate) if gate is not None else "")
    raise click.exceptions.Exit(exit_code(comparison, gate))


for command in (dump_command, tensor_command, run_command, jobs_command, doctor_command):
    commands.add_command(command)
commands.opening = open_command


def _provenance(session: Session, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """Where the rows of an exported file come from, for the file beside it."""
    from tui.model.timeline_tables import TIMELINE_KINDS

    table = session.table(kind)
    of_timeline = kind in TIMELINE_KINDS and not table.parts
    return {
        "program": f"npuscope {__version__}",
        "profile": str(session.profile.root),
        "kind": kind,
        "files": [*session.timeline().files] if of_timeline else [part.path for part in table.parts],
        "note": table.note,
        **{name.rstrip("_"): value for name, value in options.items() if value not in ("", None)},
    }


def _listed(session: Session, kind: str, options: Mapping[str, Any]) -> Table:
    """The table that was asked for; of events those of a lane or a part of the time where that was asked for."""
    if not (options["lane"] or options["range_"] or options["by_name"]):
        return session.table(kind)
    if kind != "events":
        raise BadExpression(_("--lane, --range and --by-name are about the events of a timeline: table events"))
    from tui.lane_table import lane_table

    return lane_table(session, options["lane"], options["range_"], options["by_name"])


def _limit(session: Session, scope: Mapping[str, str]) -> None:
    """Looks only at the device, the part of the time and the iterations that were typed."""
    session.narrow(scope["device"], scope["window"])
    if scope["iter"]:
        session.limit_to(scope["iter"])
    if scope["window"]:
        note(_("only {window} of the timeline is read").format(window=scope["window"]))


def _view(path: Path | None, scope: Mapping[str, str] = _WHOLE, dumps: tuple[Path, Path] | None = None) -> None:
    """The viewer, or the report where there is no terminal to draw on."""
    loaded = settings_now()
    if path is not None:
        _reachable(path)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        _without_terminal(path, loaded.settings, scope)
        return
    probe = send_probe() if loaded.settings.glyphs == "auto" else None
    gc.disable()  # imports leave no garbage; it is looked for again after the first frame
    from tui.app import run

    raise click.exceptions.Exit(run(path if path is not None else Path.cwd(), loaded, probe, scope, dumps) or 0)


def _reachable(path: Path) -> None:
    """Stops before the screen is taken over when there is nothing at the path."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise ProfileError(_("{path} does not exist").format(path=path), _close_command(str(path))) from None
    except OSError as error:
        raise ProfileError(_("{path} cannot be read: {reason}").format(path=path, reason=error.strerror)) from error


def _without_terminal(path: Path | None, settings: Settings, scope: Mapping[str, str]) -> None:
    note(_("no terminal (input and error output must be one): this is the report"))
    if path is not None:
        _report(path, "text", None, False, settings, scope)
        return
    from tui.readers.discover import discover

    profiles = discover(Path.cwd()).profiles
    if len(profiles) == 1:
        _report(Path.cwd(), "text", None, False, settings, scope)
        return
    write([f"{profile.root}\n" for profile in profiles])


def _report(
    path: Path, form: str, output: Path | None, force: bool, settings: Settings, scope: Mapping[str, str]
) -> None:
    from tui.report import report_output
    from tui.session import Session

    session = Session(path, settings.cache_bytes, import_progress)
    _name_others(session.profiles)
    _limit(session, scope)
    write([report_output(session, form, output_glyphs(settings), settings.bands)], output, force)  # type: ignore[arg-type]


def _name_others(profiles: Sequence[Profile]) -> None:
    if len(profiles) > 1:
        others = ", ".join(str(profile.root) for profile in profiles[1:])
        note(
            ngettext(
                "the path holds {count} more profile; this is {first} - open the other by its path: {others}",
                "the path holds {count} more profiles; this is {first} - open the others by their paths: {others}",
                len(profiles) - 1,
            ).format(count=len(profiles) - 1, first=profiles[0].root, others=others)
        )


def _close_command(word: str) -> str:
    import difflib

    close = difflib.get_close_matches(word, commands.commands, 1, 0.6)
    return _("did you mean the command {name}?").format(name=close[0]) if close else ""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process with its exit code."""
    set_language(os.environ.get("NPUSCOPE_LANG") if os.environ.get("NPUSCOPE_LANG") in ("en", "zh") else None)
    _make_output_safe(sys.stdout)
    _make_output_safe(sys.stderr)
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None) -> int:
    """Runs one command; what goes wrong becomes one line on stderr and a code."""
    typed_settings.clear()
    try:
        result = commands.main(arguments, prog_name="npuscope", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except ProfileError as error:
        note(" - ".join(part for part in (error.message, error.hint) if part))
        return error.exit_code
    except Exception as error:  # noqa: BLE001 (the outermost edge: nothing may show a traceback)
        return _fault(error)
    return result if isinstance(result, int) else 0


def _fault(error: Exception) -> int:
    """Writes the traceback to the log; one line says where."""
    import traceback

    from tui.config import log_file

    path = log_file()
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as log:
            log.write("".join(traceback.format_exception(type(error), error, error.__traceback__)))
    except OSError:
        path = Path(os.devnull)
    note(_("a fault of npuscope ({name}); details are in {path}").format(name=type(error).__name__, path=path))
    return EXIT_FAULT


def _make_output_safe(stream: IO[str]) -> None:
    """Characters that the output cannot encode are written as JSON escapes instead of failing."""
    codecs.register_error("npuscope", _escape_unencodable)
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="npuscope")


def _escape_unencodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    units = text.encode("utf-16-be", "surrogatepass")
    escapes = (f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))
    return "".join(escapes), error.end

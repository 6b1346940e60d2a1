"""The command line. Whatever is heavy is imported inside the commands, so that `--help` answers at once."""

from __future__ import annotations

import codecs
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from tui import __version__
from tui.errors import ProfileError
from tui.i18n import N_, _, ngettext, set_language
from tui.terminal import send_probe

if TYPE_CHECKING:
    from tui.config import LoadedSettings, Settings
    from tui.model.dump import CompareProgress, DumpComparison
    from tui.model.sources import Profile
    from tui.readers.timelines import TimelineProgress
    from tui.session import Session
    from tui.units import GlyphSet

EXIT_FAULT = 70
EXIT_INTERRUPTED = 130

_COLORS = ("auto", "256", "16", "mono")
_GLYPHS = ("auto", "blocks", "braille", "ascii")
_LANGUAGES = ("auto", "en", "zh")
_WHOLE = {"device": "", "iter": "", "window": ""}
"""Nothing is left out."""

Function = TypeVar("Function", bound=Callable[..., Any])


class _Option(click.Option):
    """An option whose help is looked up when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        untranslated = self.help
        self.help = _(untranslated) if untranslated else untranslated
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = untranslated


class _Command(click.Command):
    """A command whose help is looked up when it is shown."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_help(self.help, formatter)

    def get_short_help_str(self, limit: int = 45) -> str:
        text = self.short_help or self.help
        return _(text) if text else ""


class _Commands(click.Group):
    """A group whose first word is a command or, if there is none of that name, a path."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "open", open_command, args

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_help(self.help, formatter)


def _write_help(text: str | None, formatter: click.HelpFormatter) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(_(text) if text else "")


def _typed(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Remembers a display option for the settings; the language is in force from here on."""
    if value is not None and parameter.name:
        _typed_settings[parameter.name] = value
        if parameter.name == "lang":
            set_language(None if value == "auto" else value)
    return value


_typed_settings: dict[str, str] = {}


def display_options(function: Function) -> Function:
    """`--lang`, `--colors` and `--glyphs`, before or after the path."""
    for name, choices, text in (
        ("--glyphs", _GLYPHS, N_("Character set of screens and text output.")),
        ("--colors", _COLORS, N_("Colours of the viewer.")),
        ("--lang", _LANGUAGES, N_("Language of texts.")),
    ):
        function = click.option(
            name,
            cls=_Option,
            type=click.Choice(choices),
            callback=_typed,
            expose_value=False,
            is_eager=name == "--lang",
            help=text,
        )(function)
    return function


def output_options(function: Function) -> Function:
    """`-o FILE` and `--force`."""
    force = click.option("--force", cls=_Option, is_flag=True, help=N_("Overwrite the output file."))
    path = click.Path(path_type=Path)
    output = click.option("-o", "--output", cls=_Option, type=path, help=N_("Write to this file, not to the terminal."))
    return output(force(function))


def scope_options(function: Function) -> Function:
    """`--device`, `--iter` and `--window`, gathered as `scope`."""
    for name, metavar, text in (
        (
            "--window",
            "FROM..TO",
            N_("Read only this part of the time of the timeline, such as 2s..3s; @ for absolute ns."),
        ),
        ("--iter", "N|FROM..TO", N_("Only these iterations, such as 3, 2.. or 2..5.")),
        ("--device", "ID", N_("Only this device.")),
    ):
        function = click.option(name, cls=_Option, default="", metavar=metavar, help=text)(function)
    return function


def format_option(*forms: str) -> Callable[[Function], Function]:
    """`--format`, the first form being the default."""
    choice = click.Choice(forms)
    return click.option("--format", "form", cls=_Option, type=choice, default=forms[0], help=N_("Form of the output."))


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"npuscope {__version__}")
        context.exit()


@click.group(
    cls=_Commands,
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
    cls=_Option,
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


@click.command("open", cls=_Command, help=N_("Opens a path in the viewer."))
@click.argument("path", type=click.Path(path_type=Path))
@scope_options
@display_options
def open_command(path: Path, **scope: str) -> None:
    """`npuscope PATH`."""
    _view(path, scope)


@commands.command("demo", cls=_Command, help=N_("Opens the bundled sample profile."))
@display_options
def demo_command() -> None:
    """`npuscope demo`."""
    from tui.samples import samples_dir

    samples = samples_dir()
    _view(samples / "mish_before", dumps=(samples / "dump_fp16", samples / "dump_fp32"))


@commands.command("check", cls=_Command, help=N_("Says what a path holds, what is missing and what is wrong with it."))
@click.argument("path", type=click.Path(path_type=Path))
@format_option("text", "json")
@display_options
def check_command(path: Path, form: str) -> None:
    """`npuscope check PATH`."""
    from tui.check import check, to_json, to_text
    from tui.model.text import json_document

    _settings()
    result = check(path)
    _write([json_document(to_json(result)) if form == "json" else to_text(result)])
    raise click.exceptions.Exit(result.exit_code)


@commands.command("report", cls=_Command, help=N_("Prints where the time went and what takes longest."))
@click.argument("path", type=click.Path(path_type=Path))
@format_option("text", "md", "json")
@scope_options
@output_options
@display_options
def report_command(path: Path, form: str, output: Path | None, force: bool, **scope: str) -> None:
    """`npuscope report PATH`."""
    _report(path, form, output, force, _settings().settings, scope)


@commands.command(
    "table",
    cls=_Command,
    short_help=N_("Prints a table of a profile: filtered, sorted, grouped."),
    help=N_(
        "Prints a table of a profile. KIND is one of ops, op-types, apis, events, tracks, gaps, tasks, steps,"
        " communication, memory, files, or the kind in the name of any other summary file (fusion_op, l2_cache)."
        " A filter reads like: type=Conv2D dur>1.5ms !name~^trans."
    ),
)
@click.argument("kind")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--filter", "filter_", cls=_Option, default="", metavar="EXPR", help=N_("Only rows that match."))
@click.option("--sort", cls=_Option, default="", metavar="COLUMNS", help=N_('Order, as in "dur desc, name".'))
@click.option("--group", cls=_Option, default="", metavar="COLUMNS", help=N_("One row per value of these columns."))
@click.option("--columns", cls=_Option, default="", metavar="COLUMNS", help=N_("Only these columns, in this order."))
@click.option("--limit", cls=_Option, type=click.IntRange(min=0), help=N_("At most so many rows."))
@format_option("text", "csv", "tsv", "json", "md")
@click.option("--bom", cls=_Option, is_flag=True, help=N_("Begin CSV with a byte order mark, for spreadsheets."))
@scope_options
@output_options
@display_options
def table_command(
    kind: str, path: Path, form: str, output: Path | None, force: bool, bom: bool, **options: Any
) -> None:
    """`npuscope table KIND PATH`."""
    from tui.model.text import json_document
    from tui.report import table_output, table_view
    from tui.session import Session

    settings = _settings().settings
    session = Session(path, settings.cache_bytes, _progress)
    _name_others(session.profiles)
    _limit(session, options)
    table = session.table(kind)
    view = table_view(table, options["filter_"], options["sort"], options["group"])
    pieces = table_output(table, view, options["columns"], options["limit"], form, _glyphs(settings))  # type: ignore[arg-type]
    _note(table.note)
    for problem in table.problems:
        _note(" - ".join(part for part in (problem.path, problem.where, problem.what, problem.consequence) if part))
    _write(pieces, output, force, bom and form == "csv")
    if output is not None and form in ("csv", "tsv"):
        _write([json_document(_provenance(session, kind, options))], output.with_name(output.name + ".meta.json"), True)


@commands.command(
    "compare",
    cls=_Command,
    short_help=N_("Compares two profiles: did it help?"),
    help=N_(
        "Compares the profile B, the current run, with the baseline A, whatever tools collected them: operators matched"
        " by name or by type and shapes, each difference beside what is noise. Exit code 0: same or faster, or no gate;"
        " 1: slower beyond the gate; 2: they cannot be compared."
    ),
)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--gate", cls=_Option, type=click.FloatRange(min=0), metavar="PCT",
              help=N_("End with 1 when B is slower by more than so many percent."))  # fmt: skip
@click.option("--by", cls=_Option, type=click.Choice(("name", "type", "shape", "api")), default="name",
              help=N_("What a row stands for: operator, type, type and input shapes, API of the host."))  # fmt: skip
@format_option("text", "csv", "tsv", "json", "md")
@scope_options
@output_options
@display_options
def compare_command(
    a: Path, b: Path, gate: float | None, by: str, form: str, output: Path | None, force: bool, **scope: str
) -> None:
    """`npuscope compare A B`."""
    from tui.baseline import compared
    from tui.compare_report import beyond_gate, compare_output, exit_code
    from tui.session import Session

    settings = _settings().settings
    watch = _progress if by == "api" else None  # only then are calls worth the import of a large timeline
    sessions = [Session(path, settings.cache_bytes, watch) for path in (a, b)]
    for session in sessions:
        _name_others(session.profiles)
        _limit(session, scope)
    comparison = compared(sessions[0], sessions[1], by)  # type: ignore[arg-type]
    _write(compare_output(comparison, form, _glyphs(settings)), output, force)  # type: ignore[arg-type]
    _note(beyond_gate(comparison, gate) if gate is not None else "")
    raise click.exceptions.Exit(exit_code(comparison, gate))


def raw_options(function: Function) -> Function:
    """`--dtype` and `--shape`: what files without a header hold."""
    shape = click.option(
        "--shape", cls=_Option, default="", metavar="N,N…", help=N_("Shape of headerless files, such as 100,784.")
    )
    dtype = click.option(
        "--dtype", cls=_Option, default="", metavar="TYPE", help=N_("Type of headerless files, such as float32.")
    )
    return dtype(shape(function))


@commands.command(
    "dump",
    cls=_Command,
    short_help=N_("Compares two operator dumps, or shows an existing comparison."),
    help=N_(
        "Compares the operator dump A of the run under test with the golden dump B: two folders or two files. With one"
        " path it shows the comparison table that another tool wrote. Exit code 0: they agree, 1: they differ, 2: no"
        " pair could be compared."
    ),
)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@click.option(
    "--threshold", cls=_Option, type=click.FloatRange(-1, 1), default=0.95, help=N_("A cosine below it is bad.")
)
@click.option("--graph", cls=_Option, default="", metavar="JSON", help=N_("Graph of the model of A, made by atc."))
@click.option("--golden-graph", cls=_Option, default="", metavar="JSON", help=N_("Graph of the model of B."))
@click.option("--quant", cls=_Option, default="", metavar="JSON", help=N_("Quantisation file that AMCT wrote."))
@raw_options
@click.option("--csv", "csv_file", cls=_Option, type=click.Path(path_type=Path), metavar="FILE",
              help=N_("Also write the table in the layout of CANN's comparer."))  # fmt: skip
@click.option("--keep-dtype", "keep_file", cls=_Option, type=click.Path(path_type=Path), metavar="FILE",
              help=N_("Also write the operators to keep in float32, for atc."))  # fmt: skip
@format_option("text", "csv", "tsv", "json", "md")
@output_options
@display_options
def dump_command(a: Path, b: Path | None, form: str, output: Path | None, force: bool, **options: Any) -> None:
    """`npuscope dump A B`."""
    from tui.dump_report import compare, dump_output, existing_comparison, exit_code
    from tui.model.dump import CompareRequest

    settings = _settings().settings
    if b is None:
        comparison = existing_comparison(a, options["threshold"])
    else:
        request = CompareRequest(
            str(a), str(b), options["threshold"], options["graph"], options["golden_graph"], options["quant"],
            options["dtype"], _shape(options["shape"]),
        )  # fmt: skip
        comparison = compare(request, settings.cache_bytes, _compare_progress)
    for problem in comparison.problems:
        _note(" - ".join(part for part in (problem.path, problem.where, problem.what, problem.consequence) if part))
    _write_dump_files(comparison, options["csv_file"], options["keep_file"], force)
    _write(dump_output(comparison, form, _glyphs(settings)), output, force)  # type: ignore[arg-type]
    raise click.exceptions.Exit(exit_code(comparison))


def _write_dump_files(comparison: DumpComparison, csv_file: Path | None, keep_file: Path | None, force: bool) -> None:
    from tui.dump.csv_export import result_csv
    from tui.dump.precision_export import atc_line, kept_ops, precision_file

    if csv_file is not None:
        _write(result_csv(comparison), csv_file, force)
    if keep_file is not None:
        found = precision_file("keep_dtype", kept_ops(comparison))
        _write([found.text], keep_file, force)
        for line in (*found.notes, atc_line("keep_dtype", str(keep_file))):
            _note(line)


def _shape(text: str) -> tuple[int, ...]:
    """`100,784` or `100x784` as numbers."""
    parts = [part.strip() for part in text.replace("x", ",").split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise ProfileError(_("{text} is no shape").format(text=text), _("write it like 100,784"))
    return tuple(map(int, parts))


def _compare_progress(progress: CompareProgress) -> None:
    """How far a comparison is, in one line that is written over; only for people."""
    if not sys.stderr.isatty():
        return
    from tui.model.text import shown

    share, left = f"{progress.fraction * 100:.0f}", progress.left_s
    text = _("comparing {share} %  {done} of {total} operators  {name}").format(
        share=share, done=progress.pairs_done, total=progress.pairs_total, name=shown(progress.current)[:40]
    )
    rest = _("{seconds} s left").format(seconds=f"{left:.0f}") if left is not None else ""
    sys.stderr.write("\r\x1b[K" if progress.done else f"\r{text}  {rest}\x1b[K")
    sys.stderr.flush()


@commands.command(
    "tensor",
    cls=_Command,
    short_help=N_("Shows or converts the tensors of one dump or npy file."),
    help=N_(
        "Prints type, shape and statistics of the tensors of one dump or npy file, or writes one of them as .npy or as"
        " text."
    ),
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--output", "number", cls=_Option, type=click.IntRange(min=0), metavar="N",
              help=N_("Only the output of this number."))  # fmt: skip
@raw_options
@click.option("--stats", cls=_Option, is_flag=True, help=N_("Statistics of the tensors, which is the default."))
@click.option("--npy", cls=_Option, type=click.Path(path_type=Path), metavar="OUT",
              help=N_("Write the tensor as .npy."))  # fmt: skip
@click.option("--txt", cls=_Option, type=click.Path(path_type=Path), metavar="OUT",
              help=N_("Write the values as text, one per line."))  # fmt: skip
@click.option("--force", cls=_Option, is_flag=True, help=N_("Overwrite the output file."))
@format_option("text", "csv", "tsv", "json", "md")
@display_options
def tensor_command(
    path: Path, number: int | None, stats: bool, npy: Path | None, txt: Path | None, force: bool, form: str, **raw: str
) -> None:
    """`npuscope tensor FILE`."""
    from tui.dump_report import chosen_tensors, npy_pieces, opened, single_tensor, tensor_output, text_pieces

    settings = _settings().settings
    file = opened(path, raw["dtype"], _shape(raw["shape"]))
    tensors = chosen_tensors(file, number)
    for problem in file.problems:
        _note(" - ".join(part for part in (problem.where, problem.what, problem.consequence) if part))
    if npy is not None:
        _write_bytes(npy_pieces(single_tensor(tensors)), npy, force)
    if txt is not None:
        _write(text_pieces(single_tensor(tensors)), txt, force)
    if stats or (npy is None and txt is None):
        _write(tensor_output(file, tensors, form, _glyphs(settings)))  # type: ignore[arg-type]


_TOOLS = ("msprof", "aoe", "atc", "msame", "ais_bench", "msaccucmp")


@commands.command(
    "run",
    cls=_Command,
    short_help=N_("Starts msprof, aoe, atc or msame as a job that outlives the terminal."),
    help=N_(
        "Starts a tool as a job that outlives the terminal, and prints its number. What stands behind -- is given to"
        " the tool as it is. With --wait the exit code is 0: done, 1: failed or stopped, 2: not started."
    ),
)
@click.argument("tool", type=click.Choice(_TOOLS))
@click.option("--wait", "waits", cls=_Option, is_flag=True, help=N_("Wait until the job is over."))
@click.option("--npu", cls=_Option, type=click.IntRange(min=0), default=0, metavar="N",
              help=N_("NPU that the program under msprof uses; two jobs never share one."))  # fmt: skip
@display_options
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="-- ARGS...")
def run_command(tool: str, waits: bool, npu: int, arguments: tuple[str, ...]) -> None:
    """`npuscope run TOOL -- ARGS`."""
    from tui.i18n import current_language
    from tui.job_commands import exit_code, start_job
    from tui.job_report import result_text
    from tui.tools import jobs
    from tui.tools.locate import Search

    search = Search(_settings().settings.tools)
    job = start_job(tool, arguments, os.getcwd(), search, _note, npu, current_language())  # type: ignore[arg-type]
    _write([f"{job.id}\n"])
    if not waits:
        return
    try:
        ended = jobs.wait(job.id) or job
    except KeyboardInterrupt:
        _note(_("job {number} goes on - npuscope jobs {number} --stop ends it").format(number=job.id))
        raise
    _note(" - ".join(filter(None, (result_text(ended), ended.hint))))
    raise click.exceptions.Exit(exit_code(ended))


@commands.command(
    "jobs",
    cls=_Command,
    short_help=N_("Lists the jobs, or shows, follows or stops one."),
    help=N_("Lists the jobs, newest first. With a number: all about that job, and what it left."),
)
@click.argument("number", type=click.IntRange(min=1), required=False, metavar="[ID]")
@click.option("--stop", is_flag=True, cls=_Option, help=N_("End the job; asked again, with the next harder signal."))
@click.option("--follow", is_flag=True, cls=_Option, help=N_("Print what the tool prints until the job is over."))
@format_option("text", "json")
@display_options
def jobs_command(number: int | None, stop: bool, follow: bool, form: str) -> None:
    """`npuscope jobs [ID]`."""
    from tui.job_commands import existing_job, followed, stopped
    from tui.job_report import detail_lines, job_object, list_lines
    from tui.model.text import json_document
    from tui.tools import jobs

    glyphs = _glyphs(_settings().settings)
    if number is None:
        if stop or follow:
            raise click.UsageError(_("name the job, as npuscope jobs lists them"))
        found = jobs.jobs()
        _write([json_document([job_object(job) for job in found])] if form == "json" else _ended(list_lines(found)))
        return
    job = stopped(number) if stop else existing_job(number)
    if follow:
        _write(followed(number))
        return
    _write([json_document(job_object(job))] if form == "json" else _ended(detail_lines(job, glyphs)))


@commands.command("doctor", cls=_Command, help=N_("Looks for the tools, NPUs, permissions, disk and the terminal."))
@format_option("text", "json")
@display_options
def doctor_command(form: str) -> None:
    """`npuscope doctor`."""
    from tui.doctor import doctor_lines, doctor_object
    from tui.model.text import json_document
    from tui.tools.locate import Search
    from tui.tools.survey import machine

    settings = _settings().settings
    found = machine(Search(settings.tools))
    _write([json_document(doctor_object(found))] if form == "json" else _ended(doctor_lines(found, _glyphs(settings))))


def _ended(lines: Iterable[str]) -> Iterator[str]:
    return (f"{line}\n" for line in lines)


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


def _limit(session: Session, scope: Mapping[str, str]) -> None:
    """Looks only at the device, the part of the time and the iterations that were typed."""
    session.narrow(scope["device"], scope["window"])
    if scope["iter"]:
        session.limit_to(scope["iter"])
    if scope["window"]:
        _note(_("only {window} of the timeline is read").format(window=scope["window"]))


def _view(path: Path | None, scope: Mapping[str, str] = _WHOLE, dumps: tuple[Path, Path] | None = None) -> None:
    """The viewer, or the report where there is no terminal to draw on."""
    loaded = _settings()
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
    _note(_("no terminal (input and error output must be one): this is the report"))
    if path is not None:
        _report(path, "text", None, False, settings, scope)
        return
    from tui.readers.discover import discover

    profiles = discover(Path.cwd()).profiles
    if len(profiles) == 1:
        _report(Path.cwd(), "text", None, False, settings, scope)
        return
    _write([f"{profile.root}\n" for profile in profiles])


def _report(
    path: Path, form: str, output: Path | None, force: bool, settings: Settings, scope: Mapping[str, str]
) -> None:
    from tui.report import report_output
    from tui.session import Session

    session = Session(path, settings.cache_bytes, _progress)
    _name_others(session.profiles)
    _limit(session, scope)
    _write([report_output(session, form, _glyphs(settings))], output, force)  # type: ignore[arg-type]


def _progress(progress: TimelineProgress) -> None:
    """How far an import is, in one line that is written over; only for people."""
    if not sys.stderr.isatty():
        return
    if progress.sorting > 0:
        text = _("sorting {share} %").format(share=f"{progress.sorting * 100:.0f}")
    else:
        share, events = f"{progress.fraction * 100:.0f}", f"{progress.events:,}".replace(",", " ")
        text = _("reading {share} %  {n} events").format(share=share, n=events)
    sys.stderr.write("\r\x1b[K" if progress.done else f"\r{text}\x1b[K")
    sys.stderr.flush()


def _name_others(profiles: Sequence[Profile]) -> None:
    if len(profiles) > 1:
        others = ", ".join(str(profile.root) for profile in profiles[1:])
        _note(
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


def _settings() -> LoadedSettings:
    """Settings of the command line, the environment and the file, the language put in force; wrong ones are noted."""
    from tui.config import load_settings

    loaded = load_settings(_typed_settings)
    set_language(None if loaded.settings.lang == "auto" else loaded.settings.lang)
    for line in loaded.problems:
        _note(line)
    return loaded


def _glyphs(settings: Settings) -> GlyphSet:
    """The character set of text output: as chosen, else by what the output can encode."""
    chosen = settings.glyphs
    if chosen == "auto":
        encoding = codecs.lookup(sys.stdout.encoding or "ascii").name
        return "blocks" if encoding.startswith("utf") else "ascii"
    return chosen  # type: ignore[return-value]


def _note(text: str) -> None:
    """One line for people, beside the data."""
    from tui.model.text import shown

    if text:
        click.echo(f"npuscope: {shown(text)}", err=True)


def _write(pieces: Iterable[str], output: Path | None = None, force: bool = False, bom: bool = False) -> None:
    """Writes to stdout, or to a file that must not exist yet."""
    if output is None:
        _print(pieces, bom)
        return
    with (
        _writing(output),
        open(output, "w" if force else "x", encoding="utf-8-sig" if bom else "utf-8", newline="") as file,
    ):
        file.writelines(pieces)


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    """Tells what keeps a file from being written."""
    try:
        yield
    except FileExistsError:
        raise ProfileError(_("{path} exists already").format(path=output), _("--force overwrites it")) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ProfileError(_("{path} cannot be written: {reason}").format(path=output, reason=reason)) from error


def _write_bytes(pieces: Iterable[bytes], output: Path, force: bool) -> None:
    """Writes a file that must not exist yet."""
    with _writing(output), open(output, "wb" if force else "xb") as file:
        file.writelines(pieces)


def _print(pieces: Iterable[str], bom: bool) -> None:
    """Writes to stdout; a reader that goes away (`| head`) ends the command quietly."""
    try:
        sys.stdout.write("\ufeff" if bom else "")
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process with its exit code."""
    set_language(os.environ.get("NPUSCOPE_LANG") if os.environ.get("NPUSCOPE_LANG") in ("en", "zh") else None)
    _make_output_safe(sys.stdout)
    _make_output_safe(sys.stderr)
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None) -> int:
    """Runs one command; what goes wrong becomes one line on stderr and a code."""
    _typed_settings.clear()
    try:
        result = commands.main(arguments, prog_name="npuscope", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except ProfileError as error:
        _note(" - ".join(part for part in (error.message, error.hint) if part))
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
    _note(_("a fault of npuscope ({name}); details are in {path}").format(name=type(error).__name__, path=path))
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

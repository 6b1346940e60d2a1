"""The commands `dump` and `tensor`: operator dumps without a screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tui.command_line.options import (
    Command,
    Function,
    Option,
    display_options,
    format_option,
    output_options,
    row_options,
)
from tui.command_line.output import note, output_glyphs, settings_now, write, write_bytes
from tui.errors import ProfileError
from tui.i18n import N_, _

if TYPE_CHECKING:
    from tui.model.dump import CompareProgress, DumpComparison


def raw_options(function: Function) -> Function:
    """`--dtype` and `--shape`: what files without a header hold."""
    shape = click.option(
        "--shape", cls=Option, default="", metavar="N,N…", help=N_("Shape of headerless files, such as 100,784.")
    )
    dtype = click.option(
        "--dtype", cls=Option, default="", metavar="TYPE", help=N_("Type of headerless files, such as float32.")
    )
    return dtype(shape(function))


@click.command(
    "dump",
    cls=Command,
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
    "--threshold", cls=Option, type=click.FloatRange(-1, 1), default=0.95, help=N_("A cosine below it is bad.")
)
@click.option("--graph", cls=Option, default="", metavar="JSON", help=N_("Graph of the model of A, made by atc."))
@click.option("--golden-graph", cls=Option, default="", metavar="JSON", help=N_("Graph of the model of B."))
@click.option("--quant", cls=Option, default="", metavar="JSON", help=N_("Quantisation file that AMCT wrote."))
@raw_options
@click.option("--csv", "csv_file", cls=Option, type=click.Path(path_type=Path), metavar="FILE",
              help=N_("Also write the table in the layout of CANN's comparer."))  # fmt: skip
@click.option("--keep-dtype", "keep_file", cls=Option, type=click.Path(path_type=Path), metavar="FILE",
              help=N_("Also write the operators to keep in float32, for atc."))  # fmt: skip
@row_options
@format_option("text", "csv", "tsv", "json", "md")
@output_options
@display_options
def dump_command(a: Path, b: Path | None, form: str, output: Path | None, force: bool, **options: Any) -> None:
    """`npuscope dump A B`."""
    from tui.dump.pair_labels import screen_table
    from tui.dump_report import compare, dump_output, existing_comparison, exit_code
    from tui.model.dump import CompareRequest
    from tui.model.view import view_of

    settings = settings_now().settings
    if b is None:
        comparison = existing_comparison(a, options["threshold"])
    else:
        request = CompareRequest(
            str(a), str(b), options["threshold"], options["graph"], options["golden_graph"], options["quant"],
            options["dtype"], _shape(options["shape"]),
        )  # fmt: skip
        comparison = compare(request, settings.cache_bytes, _compare_progress)
    for problem in comparison.problems:
        note(" - ".join(part for part in (problem.path, problem.where, problem.what, problem.consequence) if part))
    _write_dump_files(comparison, options["csv_file"], options["keep_file"], force)
    view = view_of(screen_table(comparison), options["filter_"], options["sort"])
    pieces = dump_output(comparison, form, output_glyphs(settings), view, options["limit"])  # type: ignore[arg-type]
    write(pieces, output, force)
    raise click.exceptions.Exit(exit_code(comparison))


def _write_dump_files(comparison: DumpComparison, csv_file: Path | None, keep_file: Path | None, force: bool) -> None:
    from tui.dump.csv_export import result_csv
    from tui.dump.precision_export import atc_line, kept_ops, precision_file

    if csv_file is not None:
        write(result_csv(comparison), csv_file, force)
    if keep_file is not None:
        found = precision_file("keep_dtype", kept_ops(comparison))
        write([found.text], keep_file, force)
        for line in (*found.notes, atc_line("keep_dtype", str(keep_file))):
            note(line)


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


@click.command(
    "tensor",
    cls=Command,
    short_help=N_("Shows or converts the tensors of one dump or npy file."),
    help=N_(
        "Prints type, shape and statistics of the tensors of one dump or npy file, or writes one of them as .npy or as"
        " text."
    ),
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--output", "number", cls=Option, type=click.IntRange(min=0), metavar="N",
              help=N_("Only the output of this number."))  # fmt: skip
@raw_options
@click.option("--stats", cls=Option, is_flag=True, help=N_("Statistics of the tensors, which is the default."))
@click.option("--npy", cls=Option, type=click.Path(path_type=Path), metavar="OUT",
              help=N_("Write the tensor as .npy."))  # fmt: skip
@click.option("--txt", cls=Option, type=click.Path(path_type=Path), metavar="OUT",
              help=N_("Write the values as text, one per line."))  # fmt: skip
@click.option("--force", cls=Option, is_flag=True, help=N_("Overwrite the output file."))
@format_option("text", "csv", "tsv", "json", "md")
@display_options
def tensor_command(
    path: Path, number: int | None, stats: bool, npy: Path | None, txt: Path | None, force: bool, form: str, **raw: str
) -> None:
    """`npuscope tensor FILE`."""
    from tui.dump_report import chosen_tensors, npy_pieces, opened, single_tensor, tensor_output, text_pieces

    settings = settings_now().settings
    file = opened(path, raw["dtype"], _shape(raw["shape"]))
    tensors = chosen_tensors(file, number)
    for problem in file.problems:
        note(" - ".join(part for part in (problem.where, problem.what, problem.consequence) if part))
    if npy is not None:
        write_bytes(npy_pieces(single_tensor(tensors)), npy, force)
    if txt is not None:
        write(text_pieces(single_tensor(tensors)), txt, force)
    if stats or (npy is None and txt is None):
        write(tensor_output(file, tensors, form, output_glyphs(settings)))  # type: ignore[arg-type]

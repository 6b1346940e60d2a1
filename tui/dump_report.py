"""Headless twins of the dump screen: `dump A B` and `tensor FILE`, as text or data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tui.dump.closeup import tensor_stats, text_lines
from tui.dump.divergence import conclude_in_order
from tui.dump.headroom import evidence
from tui.dump.opening import open_dump
from tui.dump.pair_labels import screen_table
from tui.dump.pair_table import comparison_object, pair_table, row_object
from tui.dump.reasons import reason_of, shape_text
from tui.dump.results import compare_now
from tui.dump.tables import read_comparison
from tui.dump.tensor import DumpFile, Tensor
from tui.dump.verdict import judged
from tui.errors import NotAProfile, ProfileError
from tui.i18n import _, ngettext
from tui.model.dump import (
    VERDICTS,
    CompareProgress,
    CompareRequest,
    DumpComparison,
    PairRow,
    TensorStats,
)
from tui.model.problem import Problem
from tui.model.text import cell_width, json_document, markdown_text, padded, shown
from tui.model.view import View, apply_view
from tui.model.writers import json_number, table_pieces
from tui.store import workers
from tui.units import GlyphSet, missing_text

DumpFormat = Literal["text", "csv", "tsv", "json", "md"]
DUMP_FORMATS: tuple[DumpFormat, ...] = ("text", "csv", "tsv", "json", "md")

EXIT_AGREE, EXIT_DIFFER, EXIT_NO_PAIRS = 0, 1, 2

_NUMBERS = (
    "cosine", "max_abs_error", "relative_euclidean_distance", "nan_a", "inf_a", "saturated_a", "beyond_fp16_b",
    "max_abs_b",
)  # fmt: skip
"""Numbers that people are shown; files hold all."""
_STATISTICS = "min max mean std nan inf zeros subnormal saturated beyond_fp16".split()


def compare(
    request: CompareRequest, cap_bytes: int, told: Callable[[CompareProgress], None] = lambda _progress: None
) -> DumpComparison:
    """The comparison of two dumps.

    Raises:
        NotAProfile: a path does not exist, or nothing at it can be read as a dump.
    """
    for path in (request.path_a, request.path_b):
        _reachable(Path(path))
    workers.prepare()
    comparison = compare_now(request, cap_bytes, told)
    if not comparison.rows:
        worst = next((problem for problem in comparison.problems if problem.severity == "error"), None)
        raise NotAProfile(_line_of(worst) if worst is not None else _("there is nothing to compare"))
    return comparison


def existing_comparison(path: Path, threshold: float) -> DumpComparison:
    """A comparison that another tool wrote, judged by `threshold` where the tool gives no verdict.

    Raises:
        NotAProfile: it is no comparison table.
    """
    _reachable(path)
    table = read_comparison(path)
    if not table.rows:
        raise NotAProfile(_line_of(table.problems[0]) if table.problems else _("there is nothing to compare"))
    own = table.kind != "msaccucmp"
    read = (replace(row, counted=False) for row in table.rows)
    rows = tuple(row if own or row.verdict != "ok" else _judged(row, threshold) for row in read)
    return conclude_in_order(rows, CompareRequest(str(path), "", threshold), table.problems)


def _judged(row: PairRow, threshold: float) -> PairRow:
    """The verdict by the numbers; the table's own words stay the reason where it has some."""
    found = judged(row, threshold)
    return replace(found, cause=row.cause, detail=row.detail) if row.detail else found


def _reachable(path: Path) -> None:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise NotAProfile(_("{path} does not exist").format(path=path)) from None
    except OSError as error:
        raise NotAProfile(_("{path} cannot be read: {reason}").format(path=path, reason=error.strerror)) from error


def _line_of(problem: Problem) -> str:
    return " - ".join(part for part in (problem.path, problem.where, problem.what, problem.hint) if part)


def exit_code(comparison: DumpComparison) -> int:
    """0 when the runs agree, 1 when they differ, 2 when no pair could be compared."""
    if all(row.verdict in ("no_pair", "unreadable") for row in comparison.rows):
        return EXIT_NO_PAIRS
    return EXIT_AGREE if comparison.agrees else EXIT_DIFFER


def dump_output(
    comparison: DumpComparison,
    form: DumpFormat = "text",
    glyphs: GlyphSet = "blocks",
    view: View | None = None,
    limit: int | None = None,
) -> Iterator[str]:
    """What `dump` prints, in pieces that end with a newline.

    Args:
        view: Which rows in which order; None takes all in execution order. The facts above them are always of all.
        limit: At most so many rows.

    Raises:
        BadExpression: the filter cannot be read; raised before the first piece.
    """
    table = pair_table(comparison)
    rows = np.arange(table.row_count) if view is None else apply_view(screen_table(comparison), view).rows
    rows = rows if limit is None else rows[:limit]
    if form == "json":
        picked = {**comparison_object(comparison), "rows": [row_object(comparison.rows[row]) for row in rows.tolist()]}
        return iter([json_document(picked)])
    if form in ("csv", "tsv"):
        return table_pieces(table.columns, rows, form, glyphs)
    return _dump_lines(comparison, [comparison.rows[row] for row in rows.tolist()], form, glyphs)


def _dump_lines(
    comparison: DumpComparison, rows: Sequence[PairRow], form: DumpFormat, glyphs: GlyphSet
) -> Iterator[str]:
    for line in summary_lines(comparison):
        yield f"- {markdown_text(line)}\n" if form == "md" else f"{shown(line)}\n"
    yield "\n"
    yield from _grid(_dump_grid(rows, glyphs), form)


def summary_lines(comparison: DumpComparison) -> Iterator[str]:
    """What a comparison comes to, one fact per line."""
    rows, first = comparison.rows, comparison.first_divergence
    counts = ((verdict, sum(row.verdict == verdict for row in rows)) for verdict in reversed(VERDICTS))
    verdicts = ", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in counts if count)
    tensors = ngettext("{count} tensor compared", "{count} tensors compared", comparison.compared)
    yield f"{tensors.format(count=comparison.compared)}: {verdicts}"
    if not comparison.complete:
        yield _("the comparison was stopped: the rest is missing")
    if comparison.differing_inputs:
        yield _("the network's own inputs differ: compare again with the same input before blaming operators")
    if first is not None:
        yield from _first_lines(rows[first.row], first.inputs)
    if comparison.network_outputs:
        yield _outputs_line(comparison)
    if comparison.keep_float32.by_name:
        yield _("keep in float32: {names}").format(names=", ".join(comparison.keep_float32.by_name))


def _first_lines(row: PairRow, inputs: str) -> Iterator[str]:
    states = {"clean": _("its inputs agree"), "unknown": _("inputs unknown"), "differ": _("its inputs differ too")}
    name = " ".join(part for part in (row.op_name, row.tensor) if part)
    text = _("first divergence: {name} ({type}), {verdict}, {inputs}: {reason}")
    yield text.format(
        name=name, type=row.op_type or "?", verdict=row.verdict, inputs=states[inputs], reason=reason_of(row)
    )
    if row.metrics is not None and row.counted and row.verdict == "overflow":
        yield evidence(row)


def _outputs_line(comparison: DumpComparison) -> str:
    if not comparison.agrees:
        return _("the network's outputs differ")
    if comparison.first_divergence is None:
        return _("the network's outputs agree")
    return _("outputs agree; inner differences need no action")


@dataclass(frozen=True)
class _Grid:
    heading: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: tuple[bool, ...]


def _dump_grid(rows: Sequence[PairRow], glyphs: GlyphSet) -> _Grid:
    heading = ("op_name", "op_type", "tensor", "dtype", "shape", *_NUMBERS, "verdict", "reason")
    right = (*[False] * 5, *[True] * len(_NUMBERS), False, False)
    return _Grid(heading, [_dump_cells(row, glyphs) for row in rows], right)


def _dump_cells(row: PairRow, glyphs: GlyphSet) -> tuple[str, ...]:
    values = _values(row)
    dtypes = [side.dtype for side in (row.a, row.b) if side is not None]
    shapes = [shape_text(side.shape) for side in (row.a, row.b) if side is not None]
    return (
        shown(row.op_name), shown(row.op_type), shown(row.tensor),
        shown("/".join(dict.fromkeys(dtypes))), "/".join(dict.fromkeys(shapes)),
        *(_number(values[key], glyphs) for key in _NUMBERS),
        row.verdict.replace("_", " ") + (" *" if row.inherited else ""), shown(reason_of(row)),
    )  # fmt: skip


def _values(row: PairRow) -> dict[str, float | int | None]:
    values: dict[str, float | int | None] = dict.fromkeys(_NUMBERS)
    if row.metrics is not None:
        values["cosine"] = row.cosine
        values["max_abs_error"] = row.metrics.max_abs_error
        values["relative_euclidean_distance"] = row.metrics.relative_euclidean_distance
    if row.b is not None:
        values["max_abs_b"] = row.b.max_abs
    if not row.counted or row.metrics is None or row.a is None or row.b is None:  # what is not known is NaN there
        return {key: None if value != value else value for key, value in values.items()}
    counts = {"nan_a": row.a.nan, "inf_a": row.a.inf, "saturated_a": row.a.saturated}
    return {**values, **counts, "beyond_fp16_b": row.b.beyond_fp16}


def _number(value: float | int | None, glyphs: GlyphSet) -> str:
    """A number with six digits; `nan` and `inf` come from the data, a dash stands for none."""
    if value is None:
        return missing_text(glyphs)
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _grid(grid: _Grid, form: DumpFormat) -> Iterator[str]:
    if form == "md":
        yield from map(_markdown_line, (grid.heading, tuple("---:" if right else "---" for right in grid.right)))
        yield from map(_markdown_line, grid.rows)
        return
    widths = [max(map(cell_width, column)) for column in zip(grid.heading, *grid.rows)]
    for row in (grid.heading, *grid.rows):
        yield "  ".join(map(padded, row, widths, grid.right)).rstrip() + "\n"


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown_text, cells)) + " |\n"


def opened(path: Path, dtype: str = "", shape: tuple[int, ...] = ()) -> DumpFile:
    """One dump or npy file.

    Raises:
        NotAProfile: nothing in it can be read.
    """
    _reachable(path)
    file = open_dump(path, dtype=dtype or None, shape=shape or None)
    if not file.tensors:
        problem = file.problems[0] if file.problems else None
        raise NotAProfile(_line_of(problem) if problem else _("{path} holds no tensor").format(path=path))
    return file


def chosen_tensors(file: DumpFile, output: int | None) -> tuple[Tensor, ...]:
    """All tensors of a file, or the output of that number.

    Raises:
        ProfileError: there is no such output.
    """
    if output is None:
        return file.tensors
    found = tuple(tensor for tensor in file.tensors if tensor.info.tensor == f"output:{output}")
    if not found:
        names = ", ".join(tensor.info.tensor for tensor in file.tensors)
        raise ProfileError(_("{path} has no output {number}").format(path=file.path, number=output), names)
    return found


def single_tensor(tensors: Sequence[Tensor]) -> Tensor:
    """The one tensor to be written to a file: the only one, or the only output.

    Raises:
        ProfileError: there are several, or its values cannot be read.
    """
    outputs = [tensor for tensor in tensors if tensor.info.tensor.startswith("output")]
    chosen = list(tensors) if len(tensors) == 1 else outputs
    if len(chosen) != 1:
        names = ", ".join(tensor.info.tensor for tensor in tensors)
        raise ProfileError(_("the file holds several tensors: {names}").format(names=names), _("choose by --output N"))
    problem = chosen[0].info.problem
    if problem is not None:
        raise ProfileError(problem.what, problem.hint)
    return chosen[0]


def tensor_output(
    file: DumpFile, tensors: Sequence[Tensor], form: DumpFormat = "text", glyphs: GlyphSet = "blocks"
) -> Iterator[str]:
    """What `tensor` prints: statistics of each tensor. Extremes and moments are over the finite elements."""
    found = [tensor_stats(tensor) for tensor in tensors]
    if form == "json":
        yield json_document({"path": str(file.path), "op_name": file.op_name, "tensors": list(map(_object, found))})
        return
    keys = ("tensor", "dtype", "shape", "format", *_STATISTICS)
    right = (*[False] * 4, *[True] * len(_STATISTICS))
    grid = _Grid(keys, [_stats_cells(each, form, glyphs) for each in found], right)
    if form in ("csv", "tsv"):
        separator = "," if form == "csv" else "\t"
        yield from (separator.join(cells) + "\n" for cells in (grid.heading, *grid.rows))
        return
    yield from _grid(grid, form)
    for each in found:
        if each.problem is not None:
            yield f"{shown(each.tensor)}: {shown(_line_of(each.problem))}\n"


def _object(found: TensorStats) -> dict[str, Any]:
    stats = found.stats
    known = found.problem is None
    values = {key: getattr(stats, key) if known else None for key in _STATISTICS}
    return {
        "tensor": found.tensor,
        "dtype": stats.dtype,
        "shape": list(stats.shape),
        "format": stats.format,
        **{key: json_number(value) if isinstance(value, float) else value for key, value in values.items()},
        "problem": None if found.problem is None else found.problem.what,
    }


def _stats_cells(found: TensorStats, form: DumpFormat, glyphs: GlyphSet) -> tuple[str, ...]:
    stats = found.stats
    values = [getattr(stats, key) if found.problem is None else None for key in _STATISTICS]
    for_people = form in ("text", "md")
    numbers = (_number(value, glyphs) if for_people else _plain(value) for value in values)
    return (shown(found.tensor), shown(stats.dtype), shape_text(stats.shape), shown(stats.format), *numbers)


def _plain(value: float | int | None) -> str:
    return "" if value is None or value != value else repr(value)


def npy_pieces(tensor: Tensor) -> Iterator[bytes]:
    """The bytes of a `.npy` file of the tensor in its logical shape, piece by piece.

    Raises:
        OSError, ValueError: the file became unreadable meanwhile.
    """
    head = False
    for block in tensor.blocks(1 << 16):
        if not head:
            yield _npy_header(block.dtype, tensor.info.shape)
            head = True
        yield block.tobytes()
    if not head:
        whole = tensor.array()
        yield _npy_header(whole.dtype, whole.shape)


def _npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    fields = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, fields)
    return buffer.getvalue()


def text_pieces(tensor: Tensor) -> Iterator[str]:
    """The values as text, one per line."""
    return text_lines(tensor)

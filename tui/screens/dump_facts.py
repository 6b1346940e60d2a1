"""What a comparison comes to, for the lines of the frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tui.dump.names import cleaned
from tui.dump.pair_labels import short_type
from tui.i18n import _
from tui.model.dump import DIVERGING, DumpComparison, PairRow
from tui.units import number_text


def counts_text(comparison: DumpComparison) -> str:
    """How many outputs do not agree."""
    outputs = (row for row in comparison.rows if row.network_output or not row.is_input)
    wrong = [row for row in outputs if row.verdict in DIVERGING]
    if not wrong:
        return _("all agree")
    bad, inherited = (number_text(n, 0) for n in (len(wrong), sum(row.inherited for row in wrong)))
    return _("{bad} differ, {inherited} inherited").format(bad=bad, inherited=inherited)


def titles(comparison: DumpComparison) -> tuple[str, tuple[str, str]]:
    """The model, and the commonest type of each side."""
    rows = comparison.rows
    return _model_of(rows), (_type_of(rows, "A"), _type_of(rows, "B"))


def bytes_of(row: PairRow) -> int:
    """About the bytes of both tensors."""
    return sum(4 * side.count for side in (row.a, row.b) if side is not None)


def _type_of(rows: Sequence[PairRow], side: str) -> str:
    """The commonest type of one side's outputs: `fp16`."""
    stats = (row.a if side == "A" else row.b for row in rows if not row.is_input)
    found = Counter(short_type(each.dtype).lower() for each in stats if each is not None)
    return found.most_common(1)[0][0] if found else ""


def _model_of(rows: Sequence[PairRow]) -> str:
    """Name of the model by the folders of a dump: `…/MODEL/MODEL_ID/INDEX/file`."""
    path = next((row.path_a for row in rows if row.path_a), "")
    parts = Path(path).parts[:-1]
    numbers = len(parts) - len(_without_numbers(parts))
    return parts[-numbers - 1] if 2 <= numbers <= 3 and len(parts) > numbers else ""


def _without_numbers(parts: Sequence[str]) -> Sequence[str]:
    while parts and parts[-1].isdigit():
        parts = parts[:-1]
    return parts


def producers_of(comparison: DumpComparison, row: PairRow) -> list[int]:
    """Rows of the outputs that feed the operator of a row, those that differ first; none where no graph tells."""
    fed_by = {(cleaned(name), f"output:{index}") for name, index in row.producers}
    found = [at for at, other in enumerate(comparison.rows) if (cleaned(other.op_name), other.tensor) in fed_by]
    return sorted(found, key=lambda at: comparison.rows[at].verdict not in DIVERGING)


def consumers_of(comparison: DumpComparison, row: PairRow) -> list[int]:
    """Rows of the first outputs of the operators that a row's operator feeds."""
    name = cleaned(row.op_name)
    return [
        at
        for at, other in enumerate(comparison.rows)
        if not other.is_input and any(cleaned(source) == name for source, _index in other.producers)
    ]

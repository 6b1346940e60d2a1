"""What all rows together say: where the runs part, which failures are inherited, what must stay in float32."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tui.dump.graph import NETWORK_OUTPUT
from tui.dump.names import cleaned
from tui.model.dump import (
    DIVERGING,
    CompareRequest,
    Divergence,
    DumpComparison,
    InputsState,
    KeepFloat32,
    PairRow,
)
from tui.model.problem import Problem

_HALF = frozenset(("float16", "bfloat16"))


def conclude(
    rows: Iterable[PairRow], request: CompareRequest, problems: Sequence[Problem] = (), complete: bool = True
) -> DumpComparison:
    """The comparison that the rows make, also those of a stopped one; any order is fine.

    Of several rows for the same tensor the last one counts.
    """
    ordered = sorted({(row.order, row.tensor): row for row in rows}.values(), key=_place)
    return conclude_in_order(ordered, request, problems, complete)


def conclude_in_order(
    ordered: Sequence[PairRow], request: CompareRequest, problems: Sequence[Problem] = (), complete: bool = True
) -> DumpComparison:
    """The comparison that rows make which are in execution order already, all of them kept: those of a table."""
    inputs = _inputs_of(ordered)
    judged = _with_inherited([_with_output(row) for row in ordered], inputs)
    first = _first_divergence(judged, inputs)
    return DumpComparison(
        request.path_a,
        request.path_b,
        judged,
        first,
        tuple(place for place, row in enumerate(judged) if row.network_output),
        tuple(place for place in _network_inputs(judged) if judged[place].verdict in DIVERGING),
        _keep_float32(judged, first),
        tuple(problems),
        complete,
        request.threshold,
    )


def _place(row: PairRow) -> tuple[int, bool, int]:
    """Execution order; the inputs of an operator before its outputs."""
    index = row.tensor.partition(":")[2]
    return row.order, not row.is_input, int(index) if index.isdigit() else 0


def _with_output(row: PairRow) -> PairRow:
    """What reaches NetOutput is what the network gives, whether a graph says so or not."""
    is_output = row.op_type == NETWORK_OUTPUT and bool(row.tensor)
    return replace(row, network_output=True) if is_output and not row.network_output else row


def _inputs_of(rows: Sequence[PairRow]) -> Mapping[int, InputsState]:
    """For each operator whether its inputs agree: as compared, else as the outputs that feed it."""
    outputs = {(cleaned(row.op_name), row.tensor): row for row in rows if row.metrics is not None}
    inputs: dict[int, list[PairRow]] = {}
    for row in rows:
        if row.is_input and row.metrics is not None:
            inputs.setdefault(row.order, []).append(row)
    states: dict[int, InputsState] = {}
    for row in rows:
        if row.order not in states:
            fed_by = (outputs.get((cleaned(name), f"output:{index}")) for name, index in row.producers)
            known = inputs.get(row.order) or [source for source in fed_by if source is not None]
            differ = any(source.verdict in DIVERGING for source in known)
            states[row.order] = "differ" if differ else "clean" if known else "unknown"
    return states


def _with_inherited(rows: Sequence[PairRow], inputs: Mapping[int, InputsState]) -> tuple[PairRow, ...]:
    """Rows whose failure came in from outside are marked; those of the network's own inputs are not."""
    own = set(_network_inputs(rows))
    return tuple(
        replace(row, inherited=True)
        if row.verdict in DIVERGING and inputs[row.order] == "differ" and place not in own
        else row
        for place, row in enumerate(rows)
    )


def _network_inputs(rows: Sequence[PairRow]) -> list[int]:
    """Rows of the network's own inputs: as the graph says, else those of the first operator that was compared."""
    told = [place for place, row in enumerate(rows) if row.network_input]
    if told or any(row.producers for row in rows):
        return told
    first = next((row.order for row in rows if row.metrics is not None), -1)
    return [place for place, row in enumerate(rows) if row.order == first and row.is_input]


def _first_divergence(rows: Sequence[PairRow], inputs: Mapping[int, InputsState]) -> Divergence | None:
    """The first output that differs although the inputs of its operator agree, or nothing is known of them.

    Without such a one it is the first row that differs at all.
    """
    bad = [(place, row) for place, row in enumerate(rows) if row.verdict in DIVERGING]
    for place, row in bad:
        if not row.is_input and inputs[row.order] != "differ":
            return Divergence(place, inputs[row.order])
    if not bad:
        return None
    outputs = [(place, row) for place, row in bad if not row.is_input]
    return Divergence(outputs[0][0], "differ") if outputs else Divergence(bad[0][0], "unknown")


def _keep_float32(rows: Sequence[PairRow], first: Divergence | None) -> KeepFloat32:
    """Operators whose outputs float16 cannot hold, or that overflow by themselves, and the one where the runs part."""
    kept = [row for place, row in enumerate(rows) if _must_stay(row, first is not None and first.row == place)]
    names = dict.fromkeys(name for row in kept for name in row.originals or (row.op_name,))
    return KeepFloat32(tuple(names), tuple(dict.fromkeys(row.op_type for row in kept if row.op_type)))


def _must_stay(row: PairRow, is_first: bool) -> bool:
    if row.is_input or row.a is None or row.b is None or row.a.dtype not in _HALF:
        return False
    beyond = row.a.dtype == "float16" and row.b.beyond_fp16 > row.b.inf
    return beyond or is_first or (row.verdict == "overflow" and not row.inherited)

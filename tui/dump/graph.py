"""What the json of a compiled model tells about its operators: which original ones they stand for, and who feeds whom.

The file is what `atc --mode=1 --om=… --json=…` writes, or the quantisation file of AMCT, which has the same form: a
list of graphs, each with operators that have attributes as key and value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.dump.names import cleaned
from tui.i18n import _
from tui.model.problem import Problem

MAX_BYTES = 1 << 30
INSERTED_TYPES = frozenset(("Cast", "TransData"))
"""Operators of the compiler that change the form of a tensor, not its values."""
NETWORK_OUTPUT = "NetOutput"
NETWORK_INPUT = "Data"

_ORIGINALS = "_datadump_original_op_names"
_FUSION_GROUP = "_L1_fusion_sub_graph_no"
_MULTIPLE = "_datadump_is_multiop"
_MAX_WALK = 64


@dataclass(frozen=True)
class Place:
    """One output of an operator."""

    op_name: str
    index: int


@dataclass(frozen=True)
class GraphOp:
    """One operator of the compiled model."""

    name: str
    type: str
    inputs: tuple[Place | None, ...]
    """Where each input comes from; None for one that is not connected. Control edges are left out."""
    originals: tuple[str, ...] | None
    """Names in the original model; empty for an operator that the compiler inserted, None where nothing is said."""
    origins: tuple[Place | None, ...]
    """For each output the output of the original model that it is, where that is said."""
    group: str = ""
    """Operators of one group stand for the same originals together; empty when it stands alone."""

    @property
    def inserted(self) -> bool:
        """Whether the compiler inserted it, so that the original model has no counterpart."""
        return self.originals == () and not any(self.origins)


@dataclass(frozen=True)
class Graph:
    """All operators of a compiled model, in the order of the file."""

    ops: tuple[GraphOp, ...]
    _by_name: dict[str, GraphOp] = field(init=False, repr=False, compare=False, default_factory=dict)
    _positions: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)
    _groups: dict[str, list[GraphOp]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for position, op in enumerate(self.ops):
            self._by_name.setdefault(cleaned(op.name), op)
            self._positions.setdefault(cleaned(op.name), position)
            if op.group:
                self._groups.setdefault(op.group, []).append(op)

    def get(self, op_name: str) -> GraphOp | None:
        """The operator of that name, original or as file names carry it."""
        return self._by_name.get(cleaned(op_name))

    def position(self, op_name: str) -> int:
        """Place of an operator in the file; behind all others when there is none of that name."""
        return self._positions.get(cleaned(op_name), len(self.ops))

    def golden_output(self, op: GraphOp, index: int) -> Place | None:
        """The output of the original model that an output is; None for inserted operators and inner ones of a group."""
        if index < len(op.origins) and op.origins[index] is not None:
            return op.origins[index]
        if op.inserted or not self.is_last(op):
            return None
        return Place(op.originals[-1] if op.originals else op.name, index)

    def golden_input(self, op: GraphOp, index: int) -> Place | None:
        """The output of the original model that an input is: that of its producer, inserted ones skipped."""
        if not self.is_first(op):
            return None
        place = self.producer(op, index)
        source = self.get(place.op_name) if place is not None else None
        return self.golden_output(source, place.index) if place is not None and source is not None else None

    def producer(self, op: GraphOp, index: int) -> Place | None:
        """Where the values of an input come from, behind Cast and TransData; None where the graph does not say."""
        place = op.inputs[index] if index < len(op.inputs) else None
        for _step in range(_MAX_WALK):
            source = self.get(place.op_name) if place is not None else None
            if source is None or not (source.inserted or source.type in INSERTED_TYPES) or not source.inputs:
                break
            place = source.inputs[0]
        return place

    def is_first(self, op: GraphOp) -> bool:
        """Whether the inputs of the operator are inputs of its group."""
        inner = {other.name for other in self._groups.get(op.group, ())}
        return not any(place is not None and place.op_name in inner for place in op.inputs)

    def is_last(self, op: GraphOp) -> bool:
        """Whether the outputs of the operator leave its group."""
        others = self._groups.get(op.group, ())
        return not any(place is not None and place.op_name == op.name for other in others for place in other.inputs)

    def network_outputs(self) -> tuple[Place, ...]:
        """The outputs of operators that are outputs of the network, in order."""
        ends = [op for op in self.ops if op.type == NETWORK_OUTPUT]
        found = [self.producer(op, index) for op in ends for index in range(len(op.inputs))]
        return tuple(dict.fromkeys(place for place in found if place is not None))

    def is_network_input(self, op: GraphOp, index: int) -> bool:
        """Whether an input is fed by the network's own input."""
        place = self.producer(op, index)
        source = self.get(place.op_name) if place is not None else None
        return source is not None and source.type == NETWORK_INPUT


def read_graph(path: Path) -> tuple[Graph | None, tuple[Problem, ...]]:
    """The graph that a json file holds, or why there is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(_("it is larger than {size} bytes").format(size=MAX_BYTES))
        data = json.loads(path.read_bytes())
    except OSError as error:
        return None, (_unusable(path, error.strerror or type(error).__name__),)
    except RecursionError:
        return None, (_unusable(path, _("it is nested too deeply")),)
    except ValueError as error:
        return None, (_unusable(path, str(error)),)
    ops = tuple(_grouped(_ops(data)))
    if not ops:
        return None, (_unusable(path, _("it holds no graph with operators")),)
    return Graph(ops), ()


def _unusable(path: Path, reason: str) -> Problem:
    what = _("no graph can be read: {reason}").format(reason=reason)
    consequence = _("fused operators are paired by their names only")
    return Problem(str(path), "", what, consequence, _("make it with: atc --mode=1 --om=MODEL.om --json=MODEL.json"))


def _ops(data: object) -> Iterator[GraphOp]:
    for graph in _dicts(_value(data, "graph")):
        for op in _dicts(_value(graph, "op")):
            name = op.get("name")
            if isinstance(name, str) and name:
                yield _op(name, op)


def _op(name: str, op: Mapping[str, Any]) -> GraphOp:
    attributes = _attributes(op)
    originals = attributes.get(_ORIGINALS)
    group = attributes.get(_FUSION_GROUP)
    text = op.get("type")
    return GraphOp(
        name,
        text if isinstance(text, str) else "",
        tuple(_inputs(op)),
        None if originals is None else tuple(_texts(originals)),
        tuple(_origin(desc) for desc in _dicts(_value(op, "output_desc"))),
        f"L1:{_scalar(group)}" if group is not None else "multiple" if _scalar(attributes.get(_MULTIPLE)) else "",
    )


def _grouped(ops: Iterable[GraphOp]) -> Iterator[GraphOp]:
    """Operators with their groups named by the originals that they share."""
    ops = list(ops)
    sharing: dict[tuple[str, ...], int] = {}
    for op in ops:
        if op.originals:
            sharing[op.originals] = sharing.get(op.originals, 0) + 1
    for op in ops:
        if op.group.startswith("L1:"):
            yield op
        else:
            shared = bool(op.originals) and (op.group == "multiple" or sharing[op.originals or ()] > 1)
            group = " ".join(op.originals or ()) if shared else ""
            yield GraphOp(op.name, op.type, op.inputs, op.originals, op.origins, group)


def _inputs(op: Mapping[str, Any]) -> Iterator[Place | None]:
    """`producer:index` of each input; an index of -1 is a control edge."""
    texts = _value(op, "input")
    for text in texts if isinstance(texts, list) else ():
        name, colon, index = str(text).rpartition(":")
        if not colon or not index.lstrip("-").isdigit():
            yield None
        elif not index.startswith("-"):
            yield Place(name, int(index)) if name else None


def _origin(desc: Mapping[str, Any]) -> Place | None:
    attributes = _attributes(desc)
    name, index = (_scalar(attributes.get(f"_datadump_origin_{key}")) for key in ("name", "output_index"))
    if not isinstance(name, str) or not name:
        return None
    return Place(name, index if isinstance(index, int) else 0)


def _attributes(owner: Mapping[str, Any]) -> dict[str, Any]:
    pairs = ((entry.get("key"), entry.get("value")) for entry in _dicts(_value(owner, "attr")))
    return {key: value for key, value in pairs if isinstance(key, str)}


def _scalar(value: object) -> Any:
    """The one value of an attribute, whatever its kind; None when there is none."""
    if not isinstance(value, dict):
        return value
    return next((value[kind] for kind in ("s", "i", "b") if kind in value), None)


def _texts(value: object) -> Iterator[str]:
    texts = _value(_value(value, "list"), "s")
    return (text for text in texts if isinstance(text, str)) if isinstance(texts, list) else iter(())


def _value(owner: object, key: str) -> Any:
    return owner.get(key) if isinstance(owner, dict) else None


def _dicts(values: object) -> Iterator[dict[str, Any]]:
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())

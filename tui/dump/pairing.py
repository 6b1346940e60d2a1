"""Which file of one side belongs to which file of the other: a plan made from names, before any values are read.

Operators meet by name, tensors by position (`output:0`). With the graph of a compiled model an output meets the
original output that it stands for, and an input the golden output of its producer, since frameworks write outputs only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui.dump.folder import DumpEntry
from tui.dump.graph import INSERTED_TYPES, Graph, GraphOp, Place
from tui.dump.names import cleaned
from tui.dump.opening import open_dump
from tui.i18n import _
from tui.model.problem import Problem

_COMPARED_KINDS = frozenset(("npu", "npy", "golden_npy", "raw"))
_NO_TIME = 1 << 62
_QUANT_TYPES = frozenset(("AscendQuant", "AscendDequant", "AscendRequant", "AscendAntiQuant"))
_QUANT_ENDINGS = ("_quant_layer", "_dequant_layer", "_quant", "_dequant", "AscendQuant", "AscendDequant")


@dataclass(frozen=True)
class FileRef:
    """A file, and the one tensor it holds where its name says so."""

    path: str
    tensor: str = ""


@dataclass(frozen=True)
class Link:
    """A tensor of side A that meets a tensor of another name."""

    tensor: str
    files: tuple[FileRef, ...]
    """Files of side B to look in; none when side B has no such operator."""
    tensor_b: str
    golden_name: str


@dataclass(frozen=True)
class OpPair:
    """One operator and where its tensors are on both sides; picklable."""

    order: int
    op_name: str
    op_type: str
    files_a: tuple[FileRef, ...]
    files_b: tuple[FileRef, ...]
    links: tuple[Link, ...] = ()
    cause: str = ""
    """Why it cannot be compared; empty when it can."""
    detail: str = ""
    golden_name: str = ""
    originals: tuple[str, ...] = ()
    """Names in the original model, where the graph tells."""
    runs: int = 1
    network_outputs: tuple[int, ...] = ()
    """Which of its outputs are outputs of the network."""
    network_inputs: tuple[int, ...] = ()
    producers: tuple[tuple[str, str, int], ...] = ()
    """Input, then operator and output that feed it, where the graph tells."""


@dataclass(frozen=True)
class Plan:
    """What will be compared, in execution order; operators that only one side has are last."""

    pairs: tuple[OpPair, ...]
    problems: tuple[Problem, ...] = ()
    quantised: bool = False
    """Whether side A has operators of quantisation."""


@dataclass
class _Op:
    """The files of one operator of one side."""

    name: str
    type: str
    entries: list[DumpEntry] = field(default_factory=list)
    runs: int = 1

    @property
    def files(self) -> tuple[FileRef, ...]:
        return tuple(FileRef(str(entry.path), entry.tensor) for entry in self.entries)

    @property
    def when(self) -> tuple[int, int, int]:
        """Time, then task, then place in the folder of the earliest file."""
        return min(_when(entry) for entry in self.entries)


def plan_pairs(
    side_a: Sequence[DumpEntry],
    side_b: Sequence[DumpEntry],
    graph_a: Graph | None = None,
    graph_b: Graph | None = None,
) -> Plan:
    """Pairs the operators of two folders."""
    problems: list[Problem] = []
    ops_a, ops_b = _operators(side_a, problems), _operators(side_b, problems)
    ordered = sorted(ops_a.values(), key=lambda op: _position(op, graph_a))
    partners = _Partners(ops_a, ops_b, graph_a, graph_b)
    paired = [partners.of(op) for op in ordered]
    matched = [pair for pair in paired if not pair.cause]
    single = [pair for pair in paired if pair.cause]
    rest = sorted(partners.unused(), key=lambda op: op.when)
    pairs = (*matched, *single, *(_only_b(op, partners) for op in rest))
    numbered = tuple(replace(pair, order=order) for order, pair in enumerate(pairs))
    return Plan(numbered, tuple(problems), any(_quantises(op) for op in ops_a.values()))


def pair_files(path_a: Path, path_b: Path) -> Plan:
    """The plan for two single files: their tensors meet by position, whatever the operators are called."""
    name = path_a.name
    return Plan((OpPair(0, name, "", (FileRef(str(path_a)),), (FileRef(str(path_b)),), golden_name=path_b.name),))


def _operators(entries: Iterable[DumpEntry], problems: list[Problem]) -> dict[str, _Op]:
    """The latest run of each operator by its cleaned name; by its own name where several have the same cleaned one."""
    groups: dict[str, list[DumpEntry]] = {}
    for entry in entries:
        if entry.kind in _COMPARED_KINDS:
            groups.setdefault(_key_of(entry), []).append(entry)
    found: dict[str, _Op] = {}
    for key, group in groups.items():
        for name, members in _told_apart(key, group, problems).items():
            op = _latest(members)
            found[name] = op if name == key else replace(op, name=name)
    return found


def _key_of(entry: DumpEntry) -> str:
    """What the files of one operator have in common; threads of a sliced one (FFTS+) are told apart."""
    name = cleaned(_name_of(entry))
    return name if entry.thread_id is None else f"{name} [thread {entry.thread_id}]"


def _name_of(entry: DumpEntry) -> str:
    """Name of the operator: of the header where the file name is a hash that nothing resolves."""
    if entry.op_name and not entry.op_name.isdigit():
        return entry.op_name
    return open_dump(Path(entry.path)).op_name or entry.op_name or Path(entry.path).name


def _told_apart(key: str, group: list[DumpEntry], problems: list[Problem]) -> dict[str, list[DumpEntry]]:
    """Files of one cleaned name by the operators that their headers name."""
    whole = [entry for entry in group if not entry.tensor]
    if len(whole) < 2:
        return {key: group}
    names: dict[str, list[DumpEntry]] = {}
    for entry in group:
        names.setdefault(open_dump(Path(entry.path)).op_name or key, []).append(entry)
    if len(names) == 1:
        return {key: group}
    what = _("the operators {names} have the same name in file names").format(names=", ".join(sorted(names)))
    consequence = _("they are told apart by the headers of their files")
    problems.append(Problem(str(Path(group[0].path).parent), "", what, consequence, "", "info"))
    return names


def _latest(entries: list[DumpEntry]) -> _Op:
    """The operator as its latest run has it: the dump itself, else the latest file of each tensor."""
    by_tensor: dict[str, list[DumpEntry]] = {}
    for entry in sorted(entries, key=_when):
        by_tensor.setdefault(entry.tensor, []).append(entry)
    if "" in by_tensor:  # tensors that were converted from it lie beside it
        by_tensor = {"": by_tensor[""]}
    chosen = [members[-1] for members in by_tensor.values()]
    name = _name_of(chosen[0]) if chosen[0].thread_id is None else _key_of(chosen[0])
    return _Op(name, chosen[0].op_type, chosen, max(map(len, by_tensor.values())))


def _when(entry: DumpEntry) -> tuple[int, int, int]:
    time = _NO_TIME if entry.timestamp_us is None else entry.timestamp_us
    return time, entry.task_id if entry.task_id is not None else 0, entry.order


def _position(op: _Op, graph: Graph | None) -> tuple[int, int, int]:
    """Place in execution order: of the graph where the files tell no time."""
    time, task, order = op.when
    if time == _NO_TIME and graph is not None:
        return time, graph.position(op.name), order
    return time, task, order


class _Partners:
    """Finds for each operator of side A what it meets on side B, and remembers what was met."""

    def __init__(
        self, ops_a: Mapping[str, _Op], ops_b: Mapping[str, _Op], graph: Graph | None, graph_b: Graph | None
    ) -> None:
        self._a, self._b, self._graph = ops_a, ops_b, graph
        self._by_clean = {cleaned(key): op for key, op in reversed(list(ops_b.items()))}
        self._golden = dict(_golden_places(ops_b, graph_b)) if graph_b is not None else {}
        self._used: set[int] = set()
        self._outputs = _by_op(graph.network_outputs()) if graph is not None else {}
        self._stood_for: dict[str, str] = {}
        if graph is not None:
            self._stood_for = {cleaned(name): op.name for op in graph.ops for name in op.originals or ()}

    def of(self, op: _Op) -> OpPair:
        """The pair of an operator of side A; with a cause when there is nothing to compare it with."""
        known = self._graph.get(op.name) if self._graph is not None else None
        return self._linked(op, known) if known is not None else self._named(op)

    def unused(self) -> list[_Op]:
        """Operators of side B that none of side A has met."""
        return [op for op in self._b.values() if id(op) not in self._used]

    def fused_into(self, op: _Op) -> str:
        """The operator of the compiled model that stands for an operator of side B; empty when none does."""
        return self._stood_for.get(cleaned(op.name), "")

    def _named(self, op: _Op) -> OpPair:
        partner = self._b.get(op.name) or self._by_clean.get(cleaned(op.name))
        if partner is None:
            cause = "inserted" if op.type in INSERTED_TYPES else "only_a"
            return OpPair(0, op.name, op.type, op.files, (), cause=cause, runs=op.runs)
        self._used.add(id(partner))
        name = partner.name if cleaned(partner.name) != cleaned(op.name) else ""
        return OpPair(0, op.name, op.type, op.files, partner.files, golden_name=name, runs=op.runs)

    def _linked(self, op: _Op, known: GraphOp) -> OpPair:
        graph = self._graph
        links: list[Link] = []
        if graph is not None:
            outputs = max(len(known.origins), 1)
            links += [self._link(f"output:{at}", graph.golden_output(known, at)) for at in range(outputs)]
            links += [self._link(f"input:{at}", graph.golden_input(known, at)) for at in range(len(known.inputs))]
        pair = OpPair(
            0, op.name, op.type or known.type, op.files, (), tuple(links), runs=op.runs,
            golden_name=" ".join(known.originals or ()),
            originals=known.originals or (),
            network_outputs=tuple(self._outputs.get(cleaned(known.name), ())),
            network_inputs=tuple(self._network_inputs(known)),
            producers=tuple(self._producers(known)),
        )  # fmt: skip
        if known.inserted:
            return replace(pair, links=(), cause="inserted")
        if any(link.files for link in links if link.tensor.startswith("output")):
            return pair
        named = self._named(op)
        if not named.cause:
            return replace(pair, files_b=named.files_b, links=tuple(link for link in links if link.files))
        return pair if any(link.files for link in links) else replace(pair, links=(), cause="only_a")

    def _network_inputs(self, known: GraphOp) -> Iterator[int]:
        graph = self._graph
        if graph is not None:
            yield from (at for at in range(len(known.inputs)) if graph.is_network_input(known, at))

    def _producers(self, known: GraphOp) -> Iterator[tuple[str, str, int]]:
        graph = self._graph
        for at in range(len(known.inputs)) if graph is not None else ():
            place = graph.producer(known, at) if graph is not None else None
            if place is not None:
                yield f"input:{at}", place.op_name, place.index

    def _link(self, tensor: str, place: Place | None) -> Link:
        """What a tensor of side A meets: the golden place it stands for, in whatever operator of side B holds that."""
        if place is None:
            return Link(tensor, (), "", "")
        op, tensor_b = self._golden.get((cleaned(place.op_name), place.index), (None, ""))
        if op is None:
            op, tensor_b = self._by_clean.get(cleaned(place.op_name)), f"output:{place.index}"
        if op is None:
            return Link(tensor, (), tensor_b, place.op_name)
        self._used.add(id(op))
        return Link(tensor, op.files, tensor_b, place.op_name)


def _golden_places(ops_b: Mapping[str, _Op], graph: Graph) -> Iterator[tuple[tuple[str, int], tuple[_Op, str]]]:
    """For each original output that an output of side B stands for: the operator and its tensor."""
    for op in ops_b.values():
        known = graph.get(op.name)
        for at in range(max(len(known.origins), 1)) if known is not None else ():
            place = graph.golden_output(known, at) if known is not None else None
            if place is not None:
                yield (cleaned(place.op_name), place.index), (op, f"output:{at}")


def _by_op(places: Iterable[Place]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place in places:
        found.setdefault(cleaned(place.op_name), []).append(place.index)
    return found


def _only_b(op: _Op, partners: _Partners) -> OpPair:
    into = partners.fused_into(op)
    cause = "fused" if into else "inserted" if op.type in INSERTED_TYPES else "only_b"
    return OpPair(0, op.name, op.type, (), op.files, cause=cause, detail=into)


def _quantises(op: _Op) -> bool:
    return op.type in _QUANT_TYPES or op.name.endswith(_QUANT_ENDINGS)

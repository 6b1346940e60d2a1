"""Pairs of dumps for tests: tensors in memory, rows made by hand, folders of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.dump_writer import Part, write_dump
from tui.dump.tensor import BLOCK_ELEMENTS, TensorInfo
from tui.model.dump import Metrics, PairRow, SideStats, Verdict

START_US = 1_718_260_600_000_000
NO_ERROR = Metrics(1.0, 1.0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0)


@dataclass
class MemoryTensor:
    """A tensor whose values are an array; counts how often it is read."""

    values: NDArray[Any]
    name: str = "output:0"
    dtype: str = ""
    reads: int = 0

    @property
    def info(self) -> TensorInfo:
        dtype = self.dtype or str(self.values.dtype)
        return TensorInfo(self.name, dtype, self.values.shape, "ND", self.values.nbytes)

    def blocks(self, elements: int = BLOCK_ELEMENTS) -> Iterator[NDArray[Any]]:
        self.reads += 1
        flat = self.values.reshape(-1)
        for start in range(0, flat.size, elements):
            yield flat[start : start + elements]

    def array(self) -> NDArray[Any]:
        return self.values


def stats(dtype: str = "float16", count: int = 4, max_abs: float = 1.0, **more: Any) -> SideStats:
    """Statistics of a harmless tensor."""
    return SideStats(dtype, (count,), "ND", count, -max_abs, max_abs, 0.0, 1.0, max_abs, **more)


def row(order: int, tensor: str = "output:0", verdict: Verdict = "ok", **more: Any) -> PairRow:
    """A compared row."""
    values: dict[str, Any] = {"op_name": f"op{order}", "op_type": "Add", "a": stats(), "b": stats("float32")}
    values.update({"metrics": NO_ERROR, **more})
    return PairRow(order, values.pop("op_name"), values.pop("op_type"), tensor, verdict, **values)


def dump_name(op_type: str, op_name: str, order: int) -> str:
    """File name of the operator that ran as number `order`."""
    cleaned = op_name.replace("/", "_").replace(".", "_")
    return f"{op_type}.{cleaned}.{order + 1}.3.{START_US + order}"


Ops = Sequence[tuple[str, str, Mapping[str, NDArray[Any]]]]
"""Type, name, and the tensors by their names, in execution order."""


def write_side(folder: Path, ops: Ops) -> Path:
    """One device dump per operator; arrays keep their type."""
    for order, (op_type, op_name, tensors) in enumerate(ops):
        sides = {
            side: [Part(tensors[name], str(tensors[name].dtype)) for name in sorted(tensors) if name.startswith(side)]
            for side in ("input", "output")
        }
        path = folder / dump_name(op_type, op_name, order)
        write_dump(path, op_name, sides["input"], sides["output"], time_us=START_US + order)
    return folder


def write_golden(folder: Path, outputs: Mapping[tuple[str, int], NDArray[Any]]) -> Path:
    """Outputs as a framework writes them: `{name}.{index}.{time}.npy`."""
    folder.mkdir(parents=True, exist_ok=True)
    for (name, index), values in outputs.items():
        np.save(folder / f"{name.replace('/', '_')}.{index}.{START_US}.npy", values)
    return folder


def halves(values: NDArray[Any]) -> NDArray[np.float16]:
    """As a saturating device holds them in float16."""
    held: NDArray[np.float16] = np.clip(values, -65504, 65504).astype(np.float16)
    return held

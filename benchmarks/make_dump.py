"""Writes two synthetic operator dumps, fp16 and fp32, the same bytes for the same seed and numpy.

Usage: python -m benchmarks.make_dump FOLDER [--mb N] [--ops N] [--seed N]

`FOLDER/a` holds one converted float16 output per operator, `FOLDER/b` the same in float32, named as the comparer's
converter names them. Sizes spread over two orders of magnitude, like those of a convolutional network; a third of the
tensors is cut at zero as by Relu; a few operators exceed what float16 holds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BYTES_PER_PAIR = 6
"""Of one element: two for float16, four for float32."""
START_US = 1_718_260_600_000_000
TYPES = ("Conv2D", "BatchNorm", "Relu", "AddN", "MatMul", "Softmax")
CHANNELS = 64
NOISE_ELEMENTS = 1 << 22
OVERFLOW_EVERY = 500


def element_counts(mb: int, ops: int, seed: int) -> NDArray[np.int64]:
    """Elements of each operator's output, multiples of the channels, about `mb` MB of pairs together."""
    weights = np.exp(np.random.default_rng(seed).uniform(0.0, np.log(100.0), ops))
    wanted = mb * 1e6 / BYTES_PER_PAIR * weights / weights.sum()
    counts: NDArray[np.int64] = np.maximum(1, wanted // CHANNELS).astype(np.int64) * CHANNELS
    return counts


def tensors(mb: int, ops: int, seed: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Type and values of each output, shape (elements / channels, channels)."""
    noise = np.random.default_rng(seed + 1).standard_normal(NOISE_ELEMENTS, np.float32)
    for place, count in enumerate(element_counts(mb, ops, seed).tolist()):
        kind = TYPES[place % len(TYPES)]
        values = np.resize(np.roll(noise, place * 7919), count)
        values *= np.float32(1.0 + place % 7)
        if kind in ("Relu", "BatchNorm"):
            np.maximum(values, 0, out=values)
        if place % OVERFLOW_EVERY == OVERFLOW_EVERY - 1:
            values *= np.float32(20_000)
        yield kind, values.reshape(-1, CHANNELS)


def write_dumps(folder: Path, mb: int, ops: int, seed: int = 7) -> tuple[Path, Path]:
    """Writes both sides and returns their folders."""
    a, b = folder / "a", folder / "b"
    for side in (a, b):
        side.mkdir(parents=True, exist_ok=True)
    for place, (kind, values) in enumerate(tensors(mb, ops, seed)):
        name = f"{kind}.block{place // 6}_{kind.lower()}_{place}.{place}.3.{START_US + place * 100}.output.0.npy"
        half = np.clip(values, -65504, 65504).astype(np.float16)
        np.save(a / name, half)
        np.save(b / name, values)
    return a, b


def main() -> None:
    """Writes the dumps that the options describe."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mb", type=int, default=2000)
    parser.add_argument("--ops", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    write_dumps(options.folder, options.mb, options.ops, options.seed)


if __name__ == "__main__":
    main()

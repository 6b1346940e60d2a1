"""Any array of any type and layout, written as a device lays it out, is read back equal."""

from __future__ import annotations

import struct
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from tests import dump_writer as writer
from tests.dump_writer import FLOAT_FIELDS, INTEGER_BITS, NUMPY_CODES, TIME_US, Part, all_values, write_dump
from tui.dump import stored
from tui.dump.opening import open_dump

SMALL_FLOATS = ("float8_e5m2", "float8_e8m0", "hifloat8", *FLOAT_FIELDS)
DTYPES = (*NUMPY_CODES, "bfloat16", "complex32", *INTEGER_BITS, *SMALL_FLOATS)
LAYOUTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "ND": (3, ("",)),
    "NCHW": (4, ("",)),
    "NC1HWC0": (4, ("NCHW", "NHWC", "HWCN")),
    "FRACTAL_Z": (4, ("NCHW", "NHWC", "HWCN")),
    "NDC1HWC0": (5, ("NCDHW", "NDHWC", "DHWCN")),
    "FRACTAL_Z_3D": (5, ("NCDHW", "NDHWC", "DHWCN")),
    "FRACTAL_NZ": (3, ("",)),
}
"""Number of logical axes, and what they may mean."""
SIZE_OF = {"N": 17, "C": 20, "D": 4, "H": 3, "W": 2}
"""Different for every axis, so that its meaning shows in the shape; N and C need padding."""
SIZES = (17, 20, 4, 3, 2)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def native(dtype: str) -> np.dtype[Any]:
    if dtype in NUMPY_CODES:
        return np.dtype(NUMPY_CODES[dtype]).newbyteorder("=")
    if dtype == "complex32":
        return np.dtype(np.complex64)
    if dtype in INTEGER_BITS:
        return np.dtype(np.uint8 if dtype.startswith("u") else np.int8)
    return np.dtype(np.float32)


def values_of(dtype: str, shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    """Values that the type holds exactly."""
    generator = np.random.default_rng(seed)
    if dtype in SMALL_FLOATS:
        return generator.choice(np.array(all_values(dtype), np.float32), shape)
    if dtype in INTEGER_BITS:
        bits = INTEGER_BITS[dtype]
        low = 0 if dtype.startswith("u") else -(1 << (bits - 1))
        return generator.integers(low, low + (1 << bits), shape).astype(native(dtype))
    if dtype == "bfloat16":
        words = generator.integers(0, 1 << 16, shape, dtype=np.uint32)
        return (words << np.uint32(16)).view(np.float32)
    if dtype == "complex32":
        parts = generator.normal(size=(*shape, 2)).astype(np.float16).astype(np.float32)
        return parts.view(np.complex64).reshape(shape)
    kind = native(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return generator.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    if kind.kind == "b":
        return generator.integers(0, 2, shape).astype(np.bool_)
    if kind.kind == "c":
        return (generator.normal(size=shape) + 1j * generator.normal(size=shape)).astype(kind)
    return generator.normal(size=shape).astype(kind)


def assert_same(found: NDArray[Any], wanted: NDArray[Any]) -> None:
    assert found.shape == wanted.shape
    if found.dtype.kind in "fc":
        assert np.array_equal(found, wanted, equal_nan=True)
    else:
        assert np.array_equal(found, wanted)


def c0_of(dtype: str) -> int:
    """Channels in a block: 16 for types of two bytes and more, 32 for one, 64 for int4."""
    if dtype in NUMPY_CODES or dtype in ("bfloat16", "complex32"):
        return 32 if native(dtype).itemsize == 1 else 16
    return 64 if dtype == "int4" else 32


def test_every_type_of_the_format_is_tried() -> None:
    assert len(DTYPES) == 41 - 5  # 0 is raw bytes; four types hold no numbers


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_in_every_layout(dtype: str, folder: Path) -> None:
    for layout, (axes, meanings) in LAYOUTS.items():
        for meaning in meanings:
            shape = tuple(SIZE_OF[axis] for axis in meaning) or SIZES[:axes]
            values = values_of(dtype, shape, seed=axes)
            part = Part(values, dtype, layout, meaning or "NCHW", c0_of(dtype), padding=1.0, spare_bytes=32)
            path = write_dump(folder / f"Op.{layout}.1.2.{TIME_US}", "op", [part], [part])
            dump = open_dump(path)
            assert dump.problems == (), (layout, meaning)
            for tensor in dump.tensors:
                assert tensor.info.dtype == dtype
                found = tensor.array()
                assert found.dtype == native(dtype)
                assert_same(found, values)


@settings(max_examples=60)
@given(data=st.data())
def test_any_array_of_any_type_and_layout(data: st.DataObject, folder: Path) -> None:
    layout = data.draw(st.sampled_from(sorted(LAYOUTS)))
    axes = LAYOUTS[layout][0]
    shape = data.draw(arrays.array_shapes(min_dims=axes, max_dims=axes, max_side=24))
    while int(np.prod(shape)) > 2_000:
        shape = tuple(max(1, size // 2) for size in shape)
    dtype = data.draw(st.sampled_from(DTYPES))
    values = values_of(dtype, shape, data.draw(st.integers(0, 2**32 - 1)))
    axes_text = "NCDHW" if axes == 5 else "NCHW"
    part = Part(values, dtype, layout, axes_text, data.draw(st.sampled_from((8, 16, 32))), padding=1.0)
    dump = open_dump(write_dump(folder / "any", "any", [], [part, part]))
    assert dump.problems == ()
    assert_same(dump.tensors[1].array(), values)


@settings(max_examples=60)
@given(
    values=arrays.arrays(
        st.sampled_from([np.dtype(code) for code in ("<f4", "<f2", "<f8", "|i1", "<i4", "<u8", "|b1", "<c8")]),
        arrays.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=6),
    )
)
def test_any_plain_array(values: NDArray[Any], folder: Path) -> None:
    """Zero sizes, scalars, NaN of every kind, subnormal and infinite values."""
    dtype = values.dtype.name
    dump = open_dump(write_dump(folder / "plain", "plain", [Part(values, dtype)], []))
    assert_same(dump.tensors[0].array(), values)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("elements", [8, 1000, 16384])
def test_pieces_are_the_whole_in_order(
    layout: str, elements: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the layout is rearranged in many slabs: pieces have the wanted size but the last."""
    monkeypatch.setattr(stored, "SLAB_BYTES", 4096)
    monkeypatch.setattr(stored, "RUN_BYTES", 1)
    for dtype in ("float32", "bfloat16", "int4", "uint1"):
        values = values_of(dtype, SIZES[: LAYOUTS[layout][0]], seed=3)
        part = Part(values, dtype, layout, "NCDHW" if values.ndim == 5 else "NCHW", 16, padding=1.0)
        tensor = open_dump(write_dump(folder / "pieces", "pieces", [], [part])).tensors[0]
        pieces = [piece.copy() for piece in tensor.blocks(elements)]
        assert [piece.size for piece in pieces[:-1]] == [elements] * (len(pieces) - 1)
        assert_same(np.concatenate(pieces), values.reshape(-1))


def test_one_batch_is_split_along_its_channels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "SLAB_BYTES", 1024)
    monkeypatch.setattr(stored, "RUN_BYTES", 1)
    for shape in ((1, 70, 5, 3), (1, 3, 5, 3), (1, 1, 1, 70), (30, 2, 1, 1)):
        values = values_of("float16", shape, seed=1)
        for layout in ("NC1HWC0", "FRACTAL_Z", "FRACTAL_NZ"):
            tensor = open_dump(write_dump(folder / "batch", "batch", [], [Part(values, "float16", layout)])).tensors[0]
            assert_same(tensor.array(), values)


@pytest.mark.parametrize(
    ("format_number", "stored_shape", "original"),
    [
        (2, (1 << 26,), (1 << 26,)),
        (3, (16, 16, 128, 128, 16), (16, 250, 128, 128)),
        (3, (1, 256, 128, 128, 16), (1, 4090, 128, 128)),
        (29, (128, 512, 16, 16), (8192, 2040)),
        (4, (576, 256, 16, 16), (4096, 1020, 3, 3)),
    ],
)
def test_memory_does_not_grow_with_the_tensor(
    folder: Path, format_number: int, stored_shape: tuple[int, ...], original: tuple[int, ...]
) -> None:
    """Tensors of 32 to 128 MB are read within a few slabs; numpy reports its memory to tracemalloc."""
    size = 2 * int(np.prod(stored_shape))
    header = writer.number(1, 2) + writer.number(2, format_number) + writer.shape(3, stored_shape)
    header = writer.delimited(3, header + writer.number(6, size) + writer.shape(7, original))
    path = folder / "large"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + size)
    tensor = open_dump(path).tensors[0]
    assert tensor.info.shape == original
    tracemalloc.start()
    elements = sum(piece.size for piece in tensor.blocks())
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert elements == int(np.prod(original))
    assert peak_bytes < 6 * stored.SLAB_BYTES

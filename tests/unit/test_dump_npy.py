"""`.npy` files: every header that numpy writes, refused pickles, damage."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from tui.dump.opening import open_dump
from tui.dump.tensor import DumpFile


def opened(tmp_path: Path, data: bytes, name: str = "op.npy", dtype: str | None = None) -> DumpFile:
    path = tmp_path / name
    path.write_bytes(data)
    return open_dump(path, dtype=dtype)


def saved(values: NDArray[Any], version: tuple[int, int] | None = None) -> bytes:
    file = io.BytesIO()
    npy_format.write_array(file, values, version, allow_pickle=False)
    return file.getvalue()


def with_header(text: str, data: bytes = b"", version: int = 1) -> bytes:
    """A `.npy` file with a header as given."""
    size = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes((version, 0)) + size + text.encode("latin-1") + data


def why(dump: DumpFile) -> str:
    assert dump.tensors == ()
    (problem,) = dump.problems
    assert problem.severity == "error"
    return problem.what


@given(
    arrays.arrays(
        st.sampled_from([np.dtype(code) for code in ("<f4", ">f4", "<f2", "<f8", "|i1", ">i4", "<u8", "|b1", "<c16")]),
        arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7),
    ),
    st.booleans(),
    st.sampled_from([(1, 0), (2, 0), (3, 0)]),
)
def test_whatever_numpy_saves(
    tmp_path_factory: pytest.TempPathFactory, values: NDArray[Any], fortran: bool, version: tuple[int, int]
) -> None:
    """Both byte orders, both orders of axes, scalars, zero sizes, all versions of the format."""
    written = np.asfortranarray(values) if fortran and values.ndim else values
    dump = opened(tmp_path_factory.getbasetemp(), saved(written, version))
    assert dump.problems == ()
    found = dump.tensors[0].array()
    assert found.dtype == values.dtype.newbyteorder("=")
    assert found.shape == values.shape
    assert np.array_equal(found, values, equal_nan=values.dtype.kind in "fc")
    flat = [piece.copy() for piece in dump.tensors[0].blocks(8)]
    assert sum(piece.size for piece in flat) == values.size
    if flat:
        assert np.array_equal(np.concatenate(flat), values.reshape(-1), equal_nan=values.dtype.kind in "fc")


def test_the_name_tells_operator_and_tensor(tmp_path: Path) -> None:
    dump = opened(tmp_path, saved(np.ones(3, np.float32)), "AddN.sum_1.8.0.1670000000000002.output.1.npy")
    assert (dump.op_name, dump.op_type, dump.timestamp_us) == ("sum_1", "AddN", 1670000000000002)
    info = dump.tensors[0].info
    assert (info.tensor, info.dtype, info.shape, info.data_bytes) == ("output:1", "float32", (3,), 12)


def test_headers_of_python_2(tmp_path: Path) -> None:
    text = "{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 3L), }"
    assert opened(tmp_path, with_header(text, bytes(12))).tensors[0].info.shape == (2, 3)


def test_objects_are_refused_and_never_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "executed",))

    text = "{'descr': '|O', 'fortran_order': False, 'shape': (), }"
    what = why(opened(tmp_path, with_header(text, pickle.dumps(Trap()))))
    assert "pickle" in what
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    ("descr", "said"),
    [
        ("'<U8'", "<U8 holds no numbers"),
        ("'|S3'", "|S3 holds no numbers"),
        ("'<M8[ns]'", "<M8[ns] holds no numbers"),
        ("'<f16'", "<f16 holds no numbers"),
        ("'|V2'", "numpy does not name"),
        ("[('a', '<f4')]", "records"),
    ],
)
def test_types_that_are_no_plain_numbers(tmp_path: Path, descr: str, said: str) -> None:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}"
    assert said in why(opened(tmp_path, with_header(text, bytes(64))))


def test_opaque_bytes_with_a_given_type(tmp_path: Path) -> None:
    """Numpy saves bfloat16 arrays of `ml_dtypes` as bytes without meaning."""
    text = "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }"
    dump = opened(tmp_path, with_header(text, b"\x80\x3f\x00\xc0"), dtype="bfloat16")
    assert dump.tensors[0].array().tolist() == [1.0, -2.0]
    assert "numpy does not name" in why(opened(tmp_path, with_header(text, bytes(4)), dtype="float32"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "damaged"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2,), }", "damaged"),
        ("{'descr': '<f4', 'fortran_order': maybe, 'shape': (1,), }", "damaged"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': __import__('os'), }", "damaged"),
        ("{" * 500, "damaged"),
        ("x" * 10, "damaged"),
        (f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({2**70},), }}", "impossible"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1," * 40 + "), }", "impossible"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "9" * 5000 + ",), }", "damaged"),
    ],
)
def test_damaged_headers(tmp_path: Path, text: str, said: str) -> None:
    assert said in why(opened(tmp_path, with_header(text)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x93NUMPY", "no complete .npy header"),
        (b"\x93NUMPY\x01\x00\xff\x00{}", "no complete .npy header"),
        (b"\x93NUMPY\x09\x00\x10\x00" + bytes(20), "version 9"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + bytes(20), "its header would have"),
        (b"", "empty"),
        (b"no numbers at all", "no length of a header"),
    ],
)
def test_what_is_no_npy_file(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in why(opened(tmp_path, data))


def test_a_truncated_array_says_how_much_is_missing(tmp_path: Path) -> None:
    dump = opened(tmp_path, saved(np.arange(10.0))[:-7])
    problem = dump.tensors[0].info.problem
    assert problem is not None
    assert "7 bytes are missing" in problem.what
    assert dump.problems == (problem,)
    assert list(dump.tensors[0].blocks()) == []


@given(st.binary(max_size=100), st.integers(0, 200))
def test_any_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int) -> None:
    good = saved(np.arange(12.0).reshape(3, 4))
    dump = opened(tmp_path_factory.getbasetemp(), good[:place] + noise + good[place + len(noise) :])
    assert dump.tensors or dump.problems
    for tensor in dump.tensors:
        assert tensor.info.problem is not None or tensor.array().shape == tensor.info.shape

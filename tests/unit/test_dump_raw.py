"""Files without a protobuf header: raw values, ATB's text header, nano records."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.dump.opening import open_dump
from tui.dump.tensor import DumpFile


def opened(
    tmp_path: Path,
    data: bytes,
    name: str = "net_output_0.bin",
    dtype: str | None = None,
    shape: tuple[int, ...] | None = None,
) -> DumpFile:
    path = tmp_path / name
    path.write_bytes(data)
    return open_dump(path, dtype=dtype, shape=shape)


def why(dump: DumpFile) -> str:
    assert dump.tensors == ()
    (problem,) = dump.problems
    return problem.what


def test_raw_values_of_a_given_type_and_shape(tmp_path: Path) -> None:
    data = np.arange(6, dtype="<f4").tobytes()
    tensor = opened(tmp_path, data, dtype="float32", shape=(2, 3)).tensors[0]
    assert tensor.array().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert tensor.info.tensor == "output:0"
    assert opened(tmp_path, data, dtype="<f4").tensors[0].info.shape == (6,)


@pytest.mark.parametrize(
    ("dtype", "data", "values"),
    [
        ("fp16", "003c00c0", [1, -2]),
        ("bf16", "803f00c0", [1, -2]),
        ("DT_BF16", "803f00c0", [1, -2]),
        ("torch.float32", "0000803f", [1]),
        (">i2", "0102", [258]),
        ("bool", "000102", [False, True, True]),
        ("int4", "8f70", [-1, -8, 0, 7]),  # the low half of a byte comes first
        ("uint1", "a0", [1, 0, 1, 0, 0, 0, 0, 0]),
        ("int2", "e4", [0, 1, -2, -1]),
        ("float8_e4m3fn", "387e7f", [1, 448, None]),
        ("float8_e5m2", "3c7bfc", [1, 57344, -np.inf]),
        ("float8_e8m0", "7f80ff", [1, 2, None]),
        ("hifloat8", "08096e6f8001", [1, 1.125, 32768, np.inf, None, 2**-22]),
        ("float4_e2m1", "71", [0.5, 6]),
        ("float6_e3m2", "c3ffff", [0.1875, -28, -28, -28]),
        ("complex32", "003c00c0", [1 - 2j]),
    ],
)
def test_values_by_hand(tmp_path: Path, dtype: str, data: str, values: list[float | None]) -> None:
    found = opened(tmp_path, bytes.fromhex(data), dtype=dtype).tensors[0].array().tolist()
    assert [None if value != value else value for value in found] == values


@pytest.mark.parametrize(
    ("dtype", "shape", "said"),
    [
        ("float32", (2, 4), "needs 32 bytes, the file has 24"),
        ("float64", (2,), "needs 16 bytes"),
        ("float32", (2**62, 4), "impossible"),
        ("float32", (-1,), "impossible"),
        ("int7", None, "type int7 is unknown"),
        ("string", None, "type string is unknown"),
    ],
)
def test_type_and_shape_must_make_up_the_file(
    tmp_path: Path, dtype: str, shape: tuple[int, ...] | None, said: str
) -> None:
    assert said in why(opened(tmp_path, bytes(24), dtype=dtype, shape=shape))


def test_a_size_that_is_no_whole_number_of_values(tmp_path: Path) -> None:
    assert "no whole number of float32" in why(opened(tmp_path, bytes(23), dtype="float32"))


def test_without_a_type_the_hint_says_what_to_tell(tmp_path: Path) -> None:
    (problem,) = opened(tmp_path, bytes(24)).problems
    assert "--dtype" in problem.hint


def test_converted_files_carry_type_and_shape_in_their_names(tmp_path: Path) -> None:
    name = "Add.a_b.1.2.1670000000000002.input.1.2_3.float16.ND.bin"
    dump = opened(tmp_path, np.arange(6, dtype="<f2").tobytes(), name)
    info = dump.tensors[0].info
    assert (info.tensor, info.dtype, info.shape, info.format) == ("input:1", "float16", (2, 3), "ND")
    assert (dump.op_name, dump.op_type) == ("a_b", "Add")


def test_a_raw_file_may_look_like_anything(tmp_path: Path) -> None:
    """Also like a header, as long as it is not one from end to end."""
    data = struct.pack("<Q", 8) + b"\xff" * 24
    assert opened(tmp_path, data, dtype="uint8").tensors[0].info.shape == (32,)
    assert opened(tmp_path, b"{\x00\x00\x00", dtype="int32").tensors[0].array().tolist() == [123]


ATB = b"$Version=1.0\ndtype=27\nformat=1\ndims=2,2\n$End=1\n"


def test_atb_files_number_types_as_acl_does(tmp_path: Path) -> None:
    dump = opened(tmp_path, ATB + bytes.fromhex("803f00c000408040"), "outtensor2.bin")
    info = dump.tensors[0].info
    assert (info.tensor, info.dtype, info.format, info.shape) == ("output:2", "bfloat16", "NHWC", (2, 2))
    assert dump.tensors[0].array().tolist() == [[1, -2], [2, 4]]
    whole = ATB.replace(b"dtype=27", b"dtype=3").replace(b"2,2", b"1")
    assert opened(tmp_path, whole + struct.pack("<i", -7), "intensor0.bin").tensors[0].array().tolist() == [-7]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (ATB[:-8], "no end"),
        (ATB.replace(b"dtype=27", b"dtype=x"), "damaged"),
        (ATB.replace(b"2,2", b"2,-"), "damaged"),
        (ATB.replace(b"dtype=27\n", b""), "damaged"),
    ],
)
def test_damaged_atb_headers(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in why(opened(tmp_path, data, "intensor0.bin"))


def test_an_atb_file_that_is_too_short(tmp_path: Path) -> None:
    problem = opened(tmp_path, ATB + b"\x00\x00", "intensor0.bin").tensors[0].info.problem
    assert problem is not None
    assert "needs 8" in problem.what


def tlv(tag: int, data: bytes) -> bytes:
    return struct.pack("<II", tag, len(data)) + data


def nano_dims(*sizes: int) -> bytes:
    return struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)


def nano(inputs: list[bytes], outputs: list[bytes], data: bytes) -> bytes:
    records = struct.pack("<II", 0x5A5A5A5A, 1)
    records += tlv(4, struct.pack("<I", len(inputs)) + b"".join(inputs))
    records += tlv(5, struct.pack("<I", len(outputs)) + b"".join(outputs)) + tlv(77, b"future")
    return struct.pack("<Q", len(records)) + records + data


def nano_input(dtype: int, size: int, *shape: int) -> bytes:
    shapes = tlv(0, nano_dims(*shape)) + tlv(1, nano_dims(*shape))
    return struct.pack("<iiiQQQI", dtype, 2, 0, 0x1000, 0, size, len(shapes)) + shapes


def nano_output(dtype: int, size: int, *shape: int) -> bytes:
    shapes = tlv(0, nano_dims(*shape)) + tlv(1, nano_dims(*shape)) + tlv(2, b"name")
    return struct.pack("<iiiiiiQQQI", dtype, 2, 0, 0, dtype, 2, 0x1000, 0, size, len(shapes)) + shapes


def test_nano_files_number_types_as_ge_does(tmp_path: Path) -> None:
    """3 is int32 there; the operator's name is that of the file."""
    data = nano(
        [nano_input(3, 8, 2)], [nano_output(1, 32, 1, 3)], struct.pack("<2i", 5, -6) + struct.pack("<3e", 1, 2, 3)
    )
    dump = opened(tmp_path, data + bytes(26), "Add.add_1.7.1670000000000002")
    assert dump.problems == ()
    assert (dump.op_name, dump.op_type, dump.task_id) == ("add_1", "Add", 7)
    assert [tensor.array().tolist() for tensor in dump.tensors] == [[5, -6], [[1, 2, 3]]]
    assert [tensor.info.tensor for tensor in dump.tensors] == ["input:0", "output:0"]


def test_a_truncated_nano_file(tmp_path: Path) -> None:
    data = nano([nano_input(3, 8, 2)], [], b"\0\0\0\0")
    dump = opened(tmp_path, data)
    assert dump.tensors[0].info.problem is not None
    assert dump.problems == (dump.tensors[0].info.problem,)


@given(st.binary(max_size=80), st.integers(0, 120))
def test_any_damage_of_a_nano_file_is_survived(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int
) -> None:
    good = nano([nano_input(3, 8, 2)], [nano_output(1, 6, 3)], bytes(14))
    dump = opened(tmp_path_factory.getbasetemp(), good[:place] + noise + good[place + len(noise) :])
    assert dump.tensors or dump.problems
    for tensor in dump.tensors:
        assert tensor.info.problem is not None or tensor.array().shape == tensor.info.shape


def test_a_nano_file_that_counts_tensors_it_lacks(tmp_path: Path) -> None:
    records = struct.pack("<II", 0x5A5A5A5A, 1) + tlv(4, struct.pack("<I", 2**31))
    assert "header is damaged" in why(opened(tmp_path, struct.pack("<Q", len(records)) + records))

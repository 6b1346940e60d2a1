"""Dump files of the device: the worked examples byte by byte, the traps of the format, and damage of every kind."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dump_writer import TIME_US, Part, delimited, dump_bytes, number, shape, write_dump
from tui.dump import dump_file
from tui.dump.opening import open_dump
from tui.dump.tensor import DumpFile

MEAN = bytes.fromhex(
    "2e000000000000000a03322e3010bca1c7c5fbd786031a13080210021a030a010130023a030a0101488020320964656d6f2f6d65616e0043"
)
"""`demo/mean`, one float16 output of shape [1], 3.5."""
ADD = bytes.fromhex(
    "4c000000000000000a03322e3010809cc7c5fbd786031a18080110021a030a010430103a030a01044880808084"
    "88c8042218080110021a030a0104281032030a01044080808080"
    "88c804320864656d6f2f6164640000803f0000004000004040000080400000803f000000400000404000008040"
)
"""`demo/add`, float32 [1, 2, 3, 4] in and out."""


def opened(tmp_path: Path, data: bytes, name: str = f"Add.demo_add.5.3.{TIME_US}") -> DumpFile:
    path = tmp_path / name
    path.write_bytes(data)
    return open_dump(path)


def why(dump: DumpFile) -> str:
    """What is wrong with a file that has no tensors."""
    assert dump.tensors == ()
    assert len(dump.problems) == 1
    assert dump.problems[0].severity == "error"
    return dump.problems[0].what


def test_worked_example_of_one_half(tmp_path: Path) -> None:
    assert len(MEAN) == 56
    dump = opened(tmp_path, MEAN, f"ReduceMean.demo_mean.5.3.{TIME_US}")
    assert (dump.op_name, dump.op_type, dump.problems) == ("demo/mean", "ReduceMean", ())
    assert (dump.timestamp_us, dump.task_id, dump.stream_id) == (1718260600000700, 5, 3)
    (tensor,) = dump.tensors
    info = tensor.info
    assert (info.tensor, info.dtype, info.shape, info.format) == ("output:0", "float16", (1,), "ND")
    assert (info.data_bytes, info.address) == (2, 0x1000)
    assert tensor.array().tolist() == [3.5]


def test_worked_example_of_an_input_and_an_output(tmp_path: Path) -> None:
    assert len(ADD) == 116
    dump = opened(tmp_path, ADD)
    assert [tensor.info.tensor for tensor in dump.tensors] == ["input:0", "output:0"]
    assert all(tensor.array().tolist() == [1, 2, 3, 4] for tensor in dump.tensors)
    assert dump.tensors[0].info.address == 20068234690560


def test_data_has_inputs_first_though_the_header_has_outputs_first(tmp_path: Path) -> None:
    first, second, out = np.arange(4.0), np.arange(4.0) + 10, np.arange(4.0) + 20
    data = dump_bytes("op", [Part(first, "float32"), Part(second, "float16")], [Part(out, "float32")])
    dump = opened(tmp_path, data)
    assert [tensor.info.tensor for tensor in dump.tensors] == ["input:0", "input:1", "output:0"]
    assert [tensor.array().tolist() for tensor in dump.tensors] == [first.tolist(), second.tolist(), out.tolist()]


def test_a_size_beyond_the_shape_moves_the_next_tensor(tmp_path: Path) -> None:
    data = dump_bytes("op", [Part(np.ones(3), "float32", spare_bytes=500)], [Part(np.arange(5.0), "float32")])
    dump = opened(tmp_path, data)
    assert dump.tensors[0].info.data_bytes == 512
    assert dump.tensors[1].array().tolist() == [0, 1, 2, 3, 4]


def test_a_listed_tensor_without_data_takes_no_bytes(tmp_path: Path) -> None:
    header = delimited(1, b"2.0") + delimited(4, number(1, 1) + shape(3, [2]))
    header += delimited(3, number(1, 1) + shape(3, [2]) + number(6, 8))
    data = struct.pack("<Q", len(header)) + header + struct.pack("<2f", 1.5, -2.5)
    dump = opened(tmp_path, data)
    assert dump.tensors[0].info.problem is not None
    assert "without data" in dump.tensors[0].info.problem.what
    assert list(dump.tensors[0].blocks()) == []
    assert dump.tensors[0].array().shape == (0,)
    assert dump.tensors[1].array().tolist() == [1.5, -2.5]


def test_a_truncated_file_keeps_the_tensors_before_the_cut(tmp_path: Path) -> None:
    path = write_dump(
        tmp_path / f"Add.a.1.2.{TIME_US}",
        "a",
        [Part(np.arange(8.0), "float32")],
        [Part(np.arange(8.0), "float32")],
        cut_bytes=10,
    )
    dump = open_dump(path)
    assert dump.problems[0].what == "truncated: 10 bytes are missing"
    assert dump.tensors[0].array().tolist() == list(range(8))
    problem = dump.tensors[1].info.problem
    assert problem is not None
    assert "10 bytes" in problem.what
    assert problem in dump.problems


def test_bytes_after_the_tensors_do_no_harm(tmp_path: Path) -> None:
    assert opened(tmp_path, ADD + b"more").problems == ()


def test_older_schema_has_no_original_shape_and_a_workspace_in_field_7(tmp_path: Path) -> None:
    header = delimited(1, b"1.0") + delimited(7, number(1, 1) + delimited(2, b"log") + number(3, 0))
    header += delimited(3, number(1, 7) + number(2, 2) + delimited(3, b"\x08\x02\x08\x01") + number(6, 8))
    header += delimited(99, b"a field of the future") + number(100, 7)
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + struct.pack("<2i", 5, -6))
    assert dump.problems == ()
    assert dump.tensors[0].info.shape == (2, 1)
    assert dump.tensors[0].array().tolist() == [[5], [-6]]
    assert dump.op_name == "demo_add"


def test_buffers_and_workspaces_follow_the_tensors(tmp_path: Path) -> None:
    header = delimited(5, number(3, 16)) + delimited(8, number(1, 1) + number(3, 4))
    header += delimited(3, number(1, 4) + shape(3, [2]) + number(6, 2))
    whole = struct.pack("<Q", len(header)) + header + b"\x07\x08" + bytes(20)
    assert opened(tmp_path, whole).problems == ()
    cut = opened(tmp_path, whole[:-1])
    assert cut.problems[0].what == "truncated: 1 byte is missing"
    assert cut.tensors[0].array().tolist() == [7, 8]


def test_a_scalar_and_an_empty_tensor(tmp_path: Path) -> None:
    data = dump_bytes("op", [Part(np.array(2.5), "float64")], [Part(np.zeros((3, 0)), "float32")])
    dump = opened(tmp_path, data)
    assert dump.problems == ()
    assert dump.tensors[0].array() == 2.5
    assert dump.tensors[1].array().shape == (3, 0)
    assert list(dump.tensors[1].blocks()) == []


def test_types_without_numbers_show_their_size_only(tmp_path: Path) -> None:
    part = Part(np.zeros(4, np.uint8), "uint8", extra={"dtype": 13})
    dump = opened(tmp_path, dump_bytes("op", [], [part, Part(np.ones(2), "float32"), part]))
    infos = [tensor.info for tensor in dump.tensors]
    assert [info.dtype for info in infos] == ["string", "float32", "string"]
    assert infos[0].data_bytes == 4
    assert infos[0].problem is not None
    assert "holds no numbers" in infos[0].problem.what
    assert dump.tensors[1].array().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [41, 42, 99, 2**40])
def test_unknown_types_are_named_by_their_number(tmp_path: Path, dtype: int) -> None:
    dump = opened(tmp_path, dump_bytes("op", [], [Part(np.zeros(4, np.uint8), "uint8", extra={"dtype": dtype})]))
    assert dump.tensors[0].info.dtype == f"type {dtype}"
    assert dump.tensors[0].info.problem is not None


def test_dump_numbers_are_not_those_of_ge(tmp_path: Path) -> None:
    """7 is int32 here and uint16 there."""
    part = Part(np.array([70000, -1]), "int32")
    assert opened(tmp_path, dump_bytes("op", [], [part])).tensors[0].array().tolist() == [70000, -1]


def test_the_bits_of_a_format_above_the_lowest_eight_are_no_format(tmp_path: Path) -> None:
    values = np.arange(40.0).reshape(1, 20, 2, 1)
    part = Part(values, "float32", "NC1HWC0", extra={"format": 3 | 4 << 24})
    dump = opened(tmp_path, dump_bytes("op", [], [part]))
    assert dump.tensors[0].info.format == "NC1HWC0"
    assert np.array_equal(dump.tensors[0].array(), values)


def test_a_layout_that_does_not_fit_is_shown_as_stored(tmp_path: Path) -> None:
    header = delimited(
        3, number(1, 4) + number(2, 3) + shape(3, [1, 1, 2, 2, 4]) + number(6, 16) + shape(7, [1, 9, 2, 2])
    )
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + bytes(range(16)))
    assert dump.tensors[0].info.shape == (1, 1, 2, 2, 4)
    assert dump.tensors[0].info.problem is None
    assert dump.tensors[0].array().reshape(-1).tolist() == list(range(16))
    (problem,) = dump.problems
    assert (problem.severity, problem.where) == ("info", "output:0")
    assert "NC1HWC0" in problem.what


def test_grouped_weights_are_shown_as_stored(tmp_path: Path) -> None:
    header = delimited(
        3,
        number(1, 4) + number(2, 4) + shape(3, [1, 1, 16, 16]) + number(6, 256) + shape(7, [2, 3, 1, 1]) + number(8, 2),
    )
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + bytes(256))
    assert dump.tensors[0].info.shape == (1, 1, 16, 16)
    assert [problem.severity for problem in dump.problems] == ["info"]


def test_channels_last_is_told_from_channels_first_by_the_image(tmp_path: Path) -> None:
    for axes, sizes in (("NCHW", (2, 20, 5, 7)), ("NHWC", (2, 5, 7, 20)), ("NCHW", (1, 4, 4, 4))):
        values = np.arange(np.prod(sizes)).reshape(sizes)
        dump = opened(tmp_path, dump_bytes("op", [], [Part(values, "int32", "NC1HWC0", axes)]))
        assert dump.tensors[0].info.shape == sizes
        assert np.array_equal(dump.tensors[0].array(), values)


def test_a_bias_in_blocks_of_channels(tmp_path: Path) -> None:
    """A vector as (1, C1, 1, 1, C0)."""
    header = delimited(3, number(1, 4) + number(2, 3) + shape(3, [1, 2, 1, 1, 4]) + number(6, 8) + shape(7, [6]))
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + bytes(range(8)))
    assert dump.problems == ()
    assert dump.tensors[0].array().tolist() == [0, 1, 2, 3, 4, 5]


def test_a_vector_in_fractals_is_one_row(tmp_path: Path) -> None:
    values = np.arange(20.0)
    dump = opened(tmp_path, dump_bytes("op", [], [Part(values, "float16", "FRACTAL_NZ")]))
    assert dump.problems == ()
    assert np.array_equal(dump.tensors[0].array(), values)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ([2**63], "impossible"),
        ([2**64 - 1, 4], "impossible"),  # -1, a size that was not known when the model was built
        ([0, 2**63], "impossible"),
        ([2**40, 2**40], "impossible"),
        ([1] * 33, "impossible"),
        ([2**31], "needs 8589934592 bytes"),
    ],
)
def test_huge_declared_shapes_are_refused(tmp_path: Path, declared: list[int], said: str) -> None:
    header = delimited(3, number(1, 1) + shape(3, declared) + number(6, 4))
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + bytes(4))
    problem = dump.tensors[0].info.problem
    assert problem is not None
    assert said in problem.what
    assert dump.tensors[0].array().size == 0


def test_a_huge_declared_size_is_a_truncated_file(tmp_path: Path) -> None:
    header = delimited(3, number(1, 1) + shape(3, [2]) + number(6, 2**60))
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + bytes(8))
    assert dump.problems[0].what == f"truncated: {2**60 - 8} bytes are missing"
    assert dump.tensors[0].array().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\x01", "fewer than the frame"),
        (b"\x00" * 8, "no length of a header"),
        (b"\xff" * 64, "no length of a header"),
        (struct.pack("<q", -5) + bytes(50), "no length of a header"),
        (struct.pack("<Q", 2**31 - 1) + bytes(50), "no length of a header"),
        (struct.pack("<Q", 20) + b"\x0b" * 20, "header is damaged"),
        (MEAN[:30], "truncated: 24 bytes are missing"),
        (struct.pack("<Q", 40_000) + b"\x1a\x00" * 20_000, "lists 20000 tensors"),
        (b"\x89HDF\r\n\x1a\n" + bytes(50), "HDF5"),
        (b"PK\x03\x04" + bytes(50), "zip"),
        (b"\x80\x02}q\x00." + bytes(20), "pickle"),
        (b"\n\x031.0" + bytes(50), "old version"),
        (b'{"task": "statistics"}', "JSON"),
    ],
)
def test_what_is_no_dump_is_one_problem(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in why(opened(tmp_path, data))


def test_headers_beyond_all_measure_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", dump_file.MAX_HEADER_BYTES + 1))
        file.truncate(dump_file.MAX_HEADER_BYTES + 100)
    assert "its header would have" in why(open_dump(path))


def test_missing_files_folders_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "cannot be read" in why(open_dump(tmp_path / "missing"))
    assert "no regular file" in why(open_dump(tmp_path))
    assert "no regular file" in why(open_dump(tmp_path / "pipe"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "closed"
    path.write_bytes(MEAN)
    path.chmod(0)
    assert "Permission denied" in why(open_dump(path))


def test_a_file_that_shrinks_after_opening_is_an_os_error(tmp_path: Path) -> None:
    path = write_dump(tmp_path / "shrinks", "op", [], [Part(np.arange(100.0), "float32")])
    tensor = open_dump(path).tensors[0]
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(OSError, match="50 bytes are missing"):
        tensor.array()


@given(st.binary(max_size=300), st.integers(0, 115))
def test_any_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged"
    for data in (noise, ADD[:place] + noise + ADD[place:], ADD[:place] + noise, struct.pack("<Q", len(noise)) + noise):
        path.write_bytes(data)
        dump = open_dump(path)
        assert dump.tensors or dump.problems
        for tensor in dump.tensors:
            assert tensor.info.problem is not None or tensor.array().shape == tensor.info.shape


def test_names_of_operators_are_kept_as_they_are(tmp_path: Path) -> None:
    """Control characters are escaped where names are shown."""
    assert opened(tmp_path, dump_bytes("a/b\x1b[2J\n", [], [Part(np.ones(1), "float32")])).op_name == "a/b\x1b[2J\n"
    header = delimited(6, b"\xff\xfe") + delimited(3, number(1, 4) + number(6, 1))
    dump = opened(tmp_path, struct.pack("<Q", len(header)) + header + b"\x05")
    assert dump.op_name == "\ufffd\ufffd"
    assert dump.tensors[0].array() == 5

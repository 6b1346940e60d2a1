"""Which files make up a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.errors import NoSuchTable
from tui.model.sources import Missing, Profile, Role, SourceFile
from tui.readers.select import request_of_file, table_kinds, table_request


def source(kind: str, role: Role, name: str = "", **facts: object) -> SourceFile:
    values = {"device": "", "iteration": "", "slice": None, "size_bytes": 10, "used": True, **facts}
    path = Path("/p") / (name or f"{kind}_{values['device']}_{values['iteration']}_{values['slice']}.csv")
    return SourceFile(path, kind, role, **values)  # type: ignore[arg-type]


def profile(*files: SourceFile, missing: tuple[Missing, ...] = ()) -> Profile:
    return Profile("p", Path("/p"), "msprof", "G2", files, missing=missing)


def parts(found: Profile, kind: str, device: str = "", iteration: str = "") -> list[tuple[str, str]]:
    return [(part.file_kind, part.device) for part in table_request(found, kind, device, iteration).parts]


def test_op_summary_stands_before_kernel_details() -> None:
    found = profile(source("kernel_details", "ops"), source("op_summary", "ops"))
    assert parts(found, "ops") == [("op_summary", "")]
    assert parts(found, "kernel_details") == [("kernel_details", "")]
    assert table_request(found, "ops").kind == "ops"


def test_an_empty_file_does_not_stand_before_one_with_rows() -> None:
    found = profile(source("kernel_details", "ops"), source("op_summary", "ops", size_bytes=0))
    assert parts(found, "ops") == [("kernel_details", "")]


@pytest.mark.parametrize(
    ("kinds", "chosen"),
    [
        (("acl", "runtime_api", "acl_statistic"), "acl_statistic"),
        (("acl", "api_statistic", "acl_statistic"), "api_statistic"),
        (("runtime_api", "acl"), "acl"),
    ],
)
def test_api_tables_by_how_much_they_say(kinds: tuple[str, ...], chosen: str) -> None:
    assert parts(profile(*(source(kind, "apis") for kind in kinds)), "apis") == [(chosen, "")]


def test_slices_and_devices_are_in_numeric_order() -> None:
    files = [
        source("op_summary", "ops", device=device, slice=number) for device in ("10", "2") for number in (10, 0, 9)
    ]
    request = table_request(profile(*files), "ops")
    assert [Path(part.path).name for part in request.parts] == [
        f"op_summary_{device}__{number}.csv" for device in ("2", "10") for number in (0, 9, 10)
    ]


def test_one_device_leaves_out_the_others() -> None:
    files = [source("op_summary", "ops", device=device) for device in ("0", "1")]
    assert parts(profile(*files), "ops", device="1") == [("op_summary", "1")]
    merged = profile(source("op_summary", "ops"))
    assert parts(merged, "ops", device="1") == [("op_summary", "")]


def test_calls_of_the_host_count_once() -> None:
    files = [source("acl_statistic", "apis", device=device) for device in ("0", "1")]
    assert parts(profile(*files), "apis") == [("acl_statistic", "0")]
    assert parts(profile(*files), "apis", device="1") == [("acl_statistic", "1")]


@pytest.mark.parametrize(("iteration", "chosen"), [("", "2"), ("10", "10"), ("7", "2")])
def test_one_iteration_of_several(iteration: str, chosen: str) -> None:
    files = [source("op_summary", "ops", device="0", iteration=number) for number in ("10", "2")]
    (part,) = table_request(profile(*files), "ops", iteration=iteration).parts
    assert Path(part.path).name == f"op_summary_0_{chosen}_None.csv"


def test_older_exports_and_reports_are_no_tables() -> None:
    found = profile(
        source("op_summary", "ops", used=False),
        source("communication", "communication", "communication.json"),
        source("msprof", "timeline", "msprof.json"),
    )
    assert table_kinds(found) == ()
    for kind in ("ops", "communication", "msprof"):
        with pytest.raises(NoSuchTable):
            table_request(found, kind)


def test_the_kinds_of_a_profile() -> None:
    found = profile(
        source("fusion_op", "table"), source("op_summary", "ops"), source("acl", "apis"), source("l2_cache", "table")
    )
    assert table_kinds(found) == ("ops", "apis", "fusion_op", "l2_cache")
    assert parts(found, "l2_cache") == [("l2_cache", "")]


def test_a_missing_table_names_its_option() -> None:
    missing = Missing("fusion_op_*.csv", "table", "--model-execution=on", "", False)
    with pytest.raises(NoSuchTable) as caught:
        table_request(profile(source("op_summary", "ops"), missing=(missing,)), "fusion_op")
    assert caught.value.hint == "collect with --model-execution=on"


def test_a_missing_table_names_those_that_are_there() -> None:
    with pytest.raises(NoSuchTable) as caught:
        table_request(profile(source("op_summary", "ops")), "nonsense")
    assert "ops" in caught.value.hint


@pytest.mark.parametrize(("kind", "role", "canonical"), [("kernel_details", "ops", "ops"), ("dp", "table", "dp")])
def test_one_file_as_a_table(kind: str, role: Role, canonical: str) -> None:
    assert request_of_file(source(kind, role)).kind == canonical

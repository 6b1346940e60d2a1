"""Forms: each field becomes what it says, a command goes through its form unchanged, the menu knows what is next."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from tests.standins import BIN, collection, finished, tuning
from tui.model.jobs import Command, Job
from tui.model.machine import FoundTool
from tui.screens.run_pins import job_key, pin_job, pinned_jobs
from tui.screens.run_start import Starting, Wish, draft_for, draft_of_line, gathered, menu_items
from tui.state import load_state
from tui.tools import jobs
from tui.tools.command_line import command_text
from tui.tools.drafts import Draft, draft_of
from tui.tools.form_kinds import FORM_KINDS, kind_of, kind_of_tool
from tui.tools.infer import infer_problems
from tui.tools.problems import sentence


def tool(name: str) -> FoundTool:
    return FoundTool(name, str(BIN / name), "PATH")


@pytest.fixture
def stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "values", "line"),
    [
        (
            "collect",
            {"application": "./app 1", "output": "/o", "task-time": "l1"},
            "msprof --output=/o --task-time=l1 ./app 1",
        ),
        (
            "system",
            {"output": "/o", "sys-devices": "0,1", "sys-period": "10", "sys-hardware-mem": "on"},
            "msprof --output=/o --sys-devices=0,1 --sys-period=10 --sys-hardware-mem=on",
        ),
        (
            "offline",
            {"export": "on", "output": "/o/PROF", "type": "db"},
            "msprof --export=on --output=/o/PROF --type=db",
        ),
        (
            "build",
            {"model": "m.onnx", "output": "m_fp16", "soc_version": "Ascend310P3", "precision_mode": "force_fp16"},
            "atc --model=m.onnx --framework=5 --output=m_fp16 --soc_version=Ascend310P3 --precision_mode=force_fp16",
        ),
        (
            "msame",
            {"model": "m.om", "output": "./out", "outfmt": "BIN", "loop": "10"},
            "msame --model m.om --output ./out --outfmt BIN --loop 10",
        ),
        (
            "ais_bench",
            {"om-model": "m.om", "output": "out", "loop": "5"},
            "ais_bench --om-model m.om --output out --loop 5",
        ),
        (
            "tune",
            {"model": "/m.onnx", "job_type": "2", "cwd": "/w", "device": "1"},
            "ASCEND_DEVICE_ID=1 aoe --framework=5 --model=/m.onnx --job_type=2",
        ),
    ],
)
def test_each_form_stands_for_its_command_line(kind: str, values: dict[str, str], line: str) -> None:
    draft = Draft(kind, FoundTool(FORM_KINDS[kind].tool, FORM_KINDS[kind].tool), values, "/w")
    command = draft.command()
    assert command_text(command) == line
    assert kind_of(command) == kind
    again = draft_of(command, draft.found)
    assert again.command() == command
    assert values.items() <= {**again.values}.items()


def test_fields_say_what_they_become() -> None:
    for name, kind in FORM_KINDS.items():
        draft = Draft(name, tool(kind.tool))
        for field in draft.fields:
            assert draft.note(field) == f"--{field}" or field in kind.notes or field == "application", field
            assert field in kind.options or field in kind.notes, field


def test_an_argument_with_everything_in_it_goes_through_the_form_as_one() -> None:
    hostile = ("a b", "q'\"q", "; ls", "$(id)", "two\nlines", "", "*")
    draft = Draft("collect", tool("msprof"), {"output": "/o"}).changed("application", shlex.join(("app", *hostile)))
    assert draft.command().argv[-8:] == ("app", *hostile)
    edited = draft.with_line(draft.text())
    assert edited.command().argv == draft.command().argv


def test_the_npu_of_a_program_is_kept_apart_though_msprof_has_no_option_for_it() -> None:
    draft = Draft("collect", tool("msprof"), {"application": "app", "output": "/o"}).changed("npu", "3")
    assert draft.command().devices == (3,)
    assert "3" not in draft.text()
    assert draft_of(draft.command(), draft.found).values["npu"] == "3"
    assert draft.with_line(draft.text()).command().devices == (3,)


def test_a_line_that_is_edited_into_another_way_of_working_changes_the_form() -> None:
    draft = Draft("collect", tool("msprof"), {"application": "app", "output": "/o"})
    assert draft.with_line("msprof --export=on --output=/o/PROF").kind == "offline"
    assert draft.with_line("msprof --output=/o --sys-devices=all --sys-period=5").kind == "system"
    assert [kind_of_tool(name) for name in ("msprof", "aoe", "atc", "msaccucmp")] == ["collect", "tune", "build", ""]


def test_values_that_ais_bench_would_refuse(tmp_path: Path) -> None:
    (tmp_path / "m.om").touch()
    draft = Draft("ais_bench", tool("ais_bench"), {"om-model": "m.om", "outfmt": "CSV", "loop": "0"}, str(tmp_path))
    said = [sentence(problem) for problem in infer_problems(draft.command())]
    assert said == [
        "--outfmt cannot be 'CSV' – accepted: NPY, BIN, TXT",
        "--loop cannot be '0' – a whole number from 1 to 100000000",
    ]


def names(starting: Starting) -> list[str]:
    return [item.target for item in menu_items(starting)]


def raw_profile(folder: Path) -> tuple[Job, str]:
    """A collection whose msprof found no msprof.py."""
    job = finished(collection(folder, ("true",), mode="pyless"))
    return job, job.results[0].path


def test_what_was_only_collected_is_exported_first(stand_ins: Path) -> None:
    job, prof = raw_profile(stand_ins)
    opened = gathered(Wish(profile=prof, place=prof), "", ())
    assert names(opened)[0] == "export"
    assert draft_for("export", opened).text() == f"{BIN / 'msprof'} --export=on --output={prof}"
    chosen = gathered(Wish(profile="/elsewhere", job=job), "", jobs.jobs())
    assert (names(chosen)[0], chosen.raw) == ("export", prof)
    beside = gathered(Wish(profile="/elsewhere", place=str(stand_ins / "out")), "", ())
    assert names(beside)[0] == "profile"
    assert "export" in names(beside)
    ended = finished(draft_for("export", opened).command())
    assert (ended.state, ended.results[0].path, ended.results[0].usable) == ("done", prof, True)
    assert "export" not in names(gathered(Wish(profile=prof, place=prof), "", ()))


def test_several_that_were_only_collected_are_exported_together(stand_ins: Path) -> None:
    finished(collection(stand_ins, ("true",), mode="pyless,several"))
    starting = gathered(Wish(place=str(stand_ins / "out")), "", ())
    assert starting.raw == str(stand_ins / "out")
    job = finished(draft_for("export", starting).command())
    assert (job.state, [result.usable for result in job.results]) == ("done", [True, True])


def test_a_build_takes_model_and_bank_of_the_tuning(stand_ins: Path) -> None:
    bank = stand_ins / "bank"
    bank.mkdir()
    job = finished(tuning(stand_ins, "2", bank=str(bank)))
    starting = gathered(Wish(), "", [job], "Ascend310P3")
    draft = draft_for("build", starting)
    assert draft.values["soc_version"] == "Ascend310P3"
    built = finished(draft.command())
    assert (built.state, built.reason) == ("done", "")
    assert ("TUNE_BANK_PATH", str(bank)) in built.command.env
    assert draft_for("msame", gathered(Wish(), "", [built, job])).values["model"] == str(stand_ins / "m.om")


def test_every_entry_of_the_menu_has_a_form_and_every_tool_a_line(stand_ins: Path) -> None:
    starting = gathered(Wish(), "", ())
    for name in (*names(starting), "export"):
        assert draft_for(name, starting).fields
    line = "atc --mode=1 --om=m.om --json=m.json"
    assert draft_of_line(line, "atc", starting).command().argv == ("atc", "--mode=1", "--om=m.om", "--json=m.json")


def test_pins_are_remembered_and_belong_to_one_job_alone() -> None:
    state = load_state()
    job = Job(3, Command("aoe", ("aoe",), "/"), created_s=1.5)
    assert pin_job(state, job)
    state.save()
    assert pinned_jobs(load_state()) == {job_key(job)}
    assert job_key(Job(3, job.command, created_s=2.5)) not in pinned_jobs(state)
    assert not pin_job(state, job)
    assert pinned_jobs(state) == frozenset()
    state.put("jobs", "pinned", 7)
    assert pinned_jobs(state) == frozenset()

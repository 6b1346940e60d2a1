"""Command lines of the tools: built from requests, checked before anything is started, edited as text."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.standins import BIN, MSPROF, collection, finished, tuning
from tui.errors import BadExpression
from tui.model.jobs import Command, Job
from tui.model.machine import FoundTool
from tui.tools import infer
from tui.tools.aoe import AoeRequest, aoe_arguments, aoe_command, aoe_problems, order_advice, tune_ops_text
from tui.tools.atc import AtcRequest, atc_arguments, atc_command, atc_problems, graph_arguments
from tui.tools.command_line import command_text, read_options, variables_and_words, words_of
from tui.tools.launching import command_for, edited
from tui.tools.msprof import (
    PRESET_NAMES,
    PRESETS,
    CollectRequest,
    DynamicRequest,
    SystemRequest,
    command_of,
    msprof_arguments,
    msprof_command,
    with_preset,
)
from tui.tools.msprof_check import msprof_problems, parse
from tui.tools.msprof_options import MSPROF as OPTIONS
from tui.tools.preflight import Surroundings, problems_of
from tui.tools.problems import errors, sentence

GOOD = ("--output=/tmp", "ls")


def wrong(*arguments: str, chip: str = "", known: frozenset[str] | None = None) -> list[str]:
    """Sentences of what keeps these words from being given to msprof."""
    return [sentence(problem) for problem in errors(msprof_problems(arguments, chip, known))]


def doubts(*arguments: str) -> list[str]:
    return [sentence(problem) for problem in msprof_problems(arguments) if problem.severity == "warn"]


def test_a_good_command_line_has_nothing_against_it(tmp_path: Path) -> None:
    output = f"--output={tmp_path}"
    assert msprof_problems((output, "--task-time=l1", "--aic-metrics=PipeUtilization", "ls", "--bad", "-x")) == []
    assert msprof_problems(("--help",)) == []


@pytest.mark.parametrize(
    ("option", "sentence_"),
    [
        ("ascendcl=yes", "--ascendcl cannot be 'yes' – accepted: on, off"),
        ("task-time=l9", "--task-time cannot be 'l9' – accepted: on, off, l0, l1, l2, l3"),
        ("aic-freq=0", "--aic-freq cannot be '0' – a whole number from 1 to 100"),
        ("aic-freq=101", "--aic-freq cannot be '101' – a whole number from 1 to 100"),
        ("aic-freq=٣", "--aic-freq cannot be '٣' – a whole number from 1 to 100"),
        ("storage-limit=200", "--storage-limit is no size that msprof accepts – 200MB to 4294967295MB, with the unit"),
        (
            "storage-limit=199MB",
            "--storage-limit is no size that msprof accepts – 200MB to 4294967295MB, with the unit",
        ),
        ("instr-profiling-freq=299", "--instr-profiling-freq cannot be '299' – a whole number from 300 to 30000"),
        ("sys-period=2592001", "--sys-period cannot be '2592001' – a whole number from 1 to 2592000"),
        ("host-sys=cpu,gpu", "--host-sys cannot be 'gpu' – accepted: cpu, mem, disk, network, osrt, numa"),
        ("pid=x", "--pid is no process id"),
        ("environment=A=1;B", "--environment 'B' would be dropped silently – write NAME=VALUE;NAME=VALUE"),
        ("mstx-domain-include=a", "--mstx-domain-include needs --msproftx=on"),
        ("host-sys-pid=3", "--host-sys-pid needs --host-sys"),
        ("model-id=3", "--model-id and --iteration-id only work together"),
        ("task-tim=l1", "--task-tim is not an option of this tool – did you mean --task-time?"),
        ("output=", "--output has no value – write it as --output=…"),
        ("output=/a;b", "--output the output folder has a character that msprof refuses: ';' – choose another folder"),
    ],
)
def test_each_wrong_value_has_its_sentence(option: str, sentence_: str) -> None:
    assert sentence_ in wrong("--output=/tmp/x", f"--{option}", "ls")


@pytest.mark.parametrize(
    "good", ["storage-limit=200MB", "aic-metrics=Custom:0x1,0x7FFFFFFF", "delay=4294967295", "type=db"]
)
def test_limits_are_allowed(tmp_path: Path, good: str) -> None:
    assert wrong(f"--output={tmp_path}", f"--{good}", "ls") == []


@pytest.mark.parametrize(
    "bad", ["Custom:0x0", "Custom:0x80000000", "Custom:1", "Custom:" + ",".join(["0x1"] * 9), "Nothing"]
)
def test_metrics_are_checked(bad: str) -> None:
    assert any("--aic-metrics cannot be" in line for line in wrong(*GOOD[:1], f"--aic-metrics={bad}", "ls"))


def test_every_choice_and_range_of_the_table_is_held() -> None:
    for name, option in OPTIONS.items():
        if option.kind in ("switch", "choice", "list"):
            values, bad = option.choices, "nonsense"
        elif option.kind == "int":
            values, bad = (str(option.low), str(option.high)), str(option.high + 1)
        else:
            continue
        for value in values:
            assert not any(line.startswith(f"--{name} cannot be '{value}'") for line in wrong(f"--{name}={value}"))
        assert any(line.startswith(f"--{name} cannot be '{bad}'") for line in wrong(f"--{name}={bad}"))


def test_the_ways_of_working_exclude_each_other(tmp_path: Path) -> None:
    assert wrong("--output=/tmp") == [
        "there is nothing to do – name a program to run, or a mode: --dynamic, --sys-devices, --host-sys, --export,"
        " --parse, --query"
    ]
    assert "--application is given beside a program behind the options – keep one of them" in wrong(
        "--application=ls", "ls"
    )
    assert "--dynamic needs a program to run, or --pid of one that runs with PROFILING_MODE=dynamic" in wrong(
        "--dynamic=on"
    )
    assert "--pid cannot stand beside a program to run" in wrong("--dynamic=on", "--pid=1", "ls")
    assert "--pid needs --dynamic=on" in wrong("--pid=1", "ls")
    assert "--delay cannot stand beside --dynamic" in wrong("--dynamic=on", "--delay=3", "ls")
    assert any(line.startswith("--sys-period says how long") for line in wrong("--sys-devices=all", "--l2=on"))
    assert any(
        line.startswith("--sys-devices has nothing to collect") for line in wrong("--sys-devices=all", "--sys-period=1")
    )
    both = wrong("--export=on", "--query=on", f"--output={tmp_path}")
    assert "--query cannot stand beside --parse" not in both
    assert any("cannot stand beside" in line for line in both)
    assert "--aicpu cannot stand beside --instr-profiling" in wrong("--instr-profiling=on", "--aicpu=on", "ls")
    domains = ("--msproftx=on", "--mstx-domain-include=a", "--mstx-domain-exclude=b", "ls")
    assert "--mstx-domain-exclude cannot stand beside --mstx-domain-include" in wrong(*domains)


def test_what_an_offline_mode_allows(tmp_path: Path) -> None:
    prof = f"--output={tmp_path}"
    assert wrong("--export=on", prof, "--iteration-id=1", "--model-id=1", "--summary-format=json") == []
    assert "--summary-format cannot stand beside --export" in wrong(
        "--export=on", prof, "--type=db", "--summary-format=csv"
    )
    assert "--rule cannot stand beside --export" in wrong("--export=on", prof, "--rule=communication")
    assert "--model-id cannot stand beside --analyze" in wrong("--analyze=on", prof, "--model-id=1", "--iteration-id=1")
    assert "--output must name the PROF folder for --export" in wrong("--export=on")
    assert "--output /no/such is not there" in wrong("--export=on", "--output=/no/such")
    assert "--aicpu is of no use beside --export" in doubts("--export=on", prof, "--aicpu=on")
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert any("is a link" in line for line in wrong("--export=on", f"--output={link}"))


def test_options_that_do_nothing_are_pointed_out() -> None:
    assert "--aic-freq has no effect without --aic-mode=sample-based" in doubts(*GOOD[:1], "--aic-freq=10", "ls")
    assert "--sys-hardware-mem-freq has no effect without --sys-hardware-mem=on" in doubts(
        "--sys-hardware-mem-freq=9", "ls"
    )
    assert any("leave out the metrics" in line for line in doubts("--task-time=l0", "--aic-metrics=Memory", "ls"))
    assert "--hccl will be dropped by later versions – task-time=l1 says it too" in doubts("--hccl=on", "ls")
    assert any("is not given" in line for line in doubts("ls"))
    assert any("an argument has a space" in line for line in doubts("ls", "a b"))
    assert any("an empty argument" in line for line in doubts("ls", ""))


@pytest.mark.parametrize(
    ("chip", "option", "absent"),
    [
        ("310P3", "aic-metrics=L2Cache", True),
        ("910B3", "aic-metrics=L2Cache", False),
        ("310P3", "aic-metrics=MemoryAccess", True),
        ("910B4-1", "aic-metrics=MemoryAccess", False),
        ("Ascend910", "aic-metrics=MemoryAccess", False),
        ("910B3", "aic-metrics=PipelineExecuteUtilization", True),
        ("310B1", "aic-metrics=PipelineExecuteUtilization", False),
        ("310P3", "sys-io-profiling=on", True),
        ("310P3", "l2=on", False),
        ("310", "l2=on", True),
        ("310P3", "instr-profiling=on", True),
    ],
)
def test_what_a_chip_does_not_have(tmp_path: Path, chip: str, option: str, absent: bool) -> None:
    found = wrong(f"--output={tmp_path}", f"--{option}", "ls", chip=chip)
    assert any(f"is not there on {chip}" in line for line in found) == absent


def test_what_the_help_of_this_msprof_does_not_list(tmp_path: Path) -> None:
    known = frozenset(("output", "aicpu"))
    found = wrong(f"--output={tmp_path}", "--aicpu=on", "--l2=on", "ls", known=known)
    assert found == ["--l2 is not offered by msprof on this chip – leave it out; msprof --help lists what there is"]


def test_the_program_is_looked_at(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("true")
    assert wrong(f"--output={tmp_path}", str(script)) == [f"program {script} may not be executed – chmod u+x {script}"]
    assert any("is a folder" in line for line in wrong(str(tmp_path)))
    assert any("/no/app is not there" in line for line in wrong("/no/app"))
    assert any("the script /no/run.py is not there" in line for line in wrong("python3", "/no/run.py"))
    assert any("alone has nothing to run" in line for line in wrong("bash"))
    assert wrong(f"--output={tmp_path}", "bash", str(script)) == []
    assert any("has characters that msprof refuses" in line for line in wrong("--application=./my@app x"))
    assert any("longer than 2048" in line for line in wrong("--application=ls " + "x" * 2048))


def test_paths_begin_at_the_working_directory(tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.write_text("#!/bin/sh\n")
    app.chmod(0o755)
    assert errors(msprof_problems(("--output=out", "./app"), cwd=str(tmp_path))) == []
    command = command_of(("msprof", "--output=out", "./app"), str(tmp_path))
    assert command.output == str(tmp_path / "out")
    assert command_of(("msprof", "./app"), str(tmp_path)).output == str(tmp_path)
    assert command_of(("msprof", "--application=sub/app x"), str(tmp_path)).output == str(tmp_path / "sub")
    assert command_of(("msprof", "--application=python3 x.py"), str(tmp_path)).output == str(tmp_path)
    named = command_of(("msprof", "./app"), str(tmp_path), (("ASCEND_WORK_PATH", "/w"),))
    assert named.output == "/w/profiling_data"


def test_words_are_read_as_getopt_reads_them() -> None:
    assert parse(("--a=1", "app", "--b=2", "-c")).app == ("app", "--b=2", "-c")
    assert parse(("--a", "x")).problems[0].where == "--a"
    assert parse(("-x", "y")).problems[0].where == "-x"
    assert parse(("--a=1", "--a=2")).options == {"a": "2"}


def test_requests_become_command_lines() -> None:
    collect = CollectRequest(("./app", "x y"), "/out", (("aicpu", "on"),))
    assert msprof_arguments(collect) == ("--output=/out", "--aicpu=on", "./app", "x y")
    attach = DynamicRequest("/out", pid=12)
    assert msprof_arguments(attach) == ("--output=/out", "--dynamic=on", "--pid=12")
    system = SystemRequest("/out", 10, "0,1", (("sys-hardware-mem", "on"),))
    assert msprof_arguments(system) == (
        "--output=/out",
        "--sys-devices=0,1",
        "--sys-period=10",
        "--sys-hardware-mem=on",
    )
    commands = [msprof_command(request, MSPROF) for request in (collect, attach, system)]
    assert [command.purpose for command in commands] == ["collect", "dynamic", "system"]
    assert [command.reads_input for command in commands] == [False, True, False]
    assert [command.devices for command in commands] == [(0,), (0,), (0, 1)]


def test_presets_have_names_and_nothing_against_them(tmp_path: Path) -> None:
    assert PRESETS.keys() == PRESET_NAMES.keys()
    for name in PRESETS:
        request = with_preset(CollectRequest(("ls",), str(tmp_path)), name)
        assert msprof_problems(msprof_arguments(request), "910B3") == [], name


def test_a_command_line_can_be_shown_edited_and_read_back(tmp_path: Path) -> None:
    command = collection(tmp_path, ("echo", "a b", "q'", "$(x)", "\n"))
    text = command_text(command)
    assert shlex.split(text) == list(command.argv)
    again = edited(command, text.replace("a b", "a c"), FoundTool("msprof", MSPROF, variables=command.env))
    assert again.argv[-4:] == ("a c", "q'", "$(x)", "\n")
    assert (again.output, again.purpose) == (command.output, "collect")
    for bad in ("'open", "", "A=1"):
        with pytest.raises(BadExpression):
            variables_and_words(bad)


def test_variables_of_a_tuning_stand_in_front_of_its_line(tmp_path: Path) -> None:
    command = aoe_command(AoeRequest("/m.onnx", "1", str(tmp_path), bank="/my bank"))
    text = command_text(command)
    assert text.startswith("ASCEND_DEVICE_ID=0 TUNE_BANK_PATH='/my bank' aoe ")
    again = edited(command, text.replace("/my bank", "/other"), FoundTool("aoe", "aoe"))
    assert again.bank == "/other"
    assert variables_and_words("env -u A B=1 aoe x") == ((("A", None), ("B", "1")), ("aoe", "x"))
    assert words_of("a 'b c'") == ("a", "b c")


def test_aoe_takes_its_options_and_no_others(tmp_path: Path) -> None:
    request = AoeRequest(
        "/m.onnx", "2", "/w", output="/w/out", options=(("precision_mode", "force_fp16"), ("Fop_format", ""))
    )
    expected = ("--framework=5", "--model=/m.onnx", "--job_type=2", "--output=/w/out", "--precision_mode=force_fp16",
                "--Fop_format")  # fmt: skip
    assert aoe_arguments(request) == expected
    said = [sentence(problem) for problem in aoe_problems(typed(tmp_path, "--soc_version=Ascend310P3", "--job_type=1"))]
    assert "--soc_version is no option of aoe: it reads the chip from the device – leave it out" in said
    assert "--model there must be exactly one of --model, --model_path and --singleop" in said


def typed(folder: Path, *arguments: str) -> Command:
    return command_for("aoe", arguments, str(folder), FoundTool("aoe", "/bin/aoe"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--job_type=4",), "--job_type cannot be '4' – accepted: 1, 2"),
        (("--job_type=1", "--tune_ops_file=x"), "--tune_ops_file only works with --job_type=2"),
        (("--job_type=2", "--reload"), "--reload only works with --job_type=1"),
        (("-j", "1", "-f", "3"), "--framework 3 reads .pb, not .onnx – for .onnx write --framework=5"),
        (("--job_type=1", "--framework=0"), "--weight is needed for a Caffe model"),
        (("--job_type=1", "--dynamic_dims=1", "--dynamic_batch_size=1"),
         "--dynamic_dims cannot stand beside --dynamic_batch_size"),
        (("--job_type", "1", "stray"), "stray belongs to no option – quote a value that has spaces"),
        (("--job_type",), "--job_type has no value – write it as --job_type=…"),
        (("--job_type=1", "--log=loud"), "--log cannot be 'loud' – accepted: debug, info, warning, error, null"),
    ],
)  # fmt: skip
def test_what_aoe_would_refuse(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "m.onnx").touch()
    found = aoe_problems(typed(tmp_path, "--model=m.onnx", *arguments))
    assert said in [sentence(problem) for problem in found]


def test_the_operators_to_tune_are_a_file_that_aoe_reads(tmp_path: Path) -> None:
    text = tune_ops_text(("Conv_0", 'a"b'), ("Mul",))
    assert json.loads(text) == {"tune_ops_name": ["Conv_0", 'a"b'], "tune_ops_type": ["Mul"]}
    (tmp_path / "m.onnx").touch()
    path = tmp_path / "ops.json"
    words = ("--model=m.onnx", "--job_type=2", "--tune_ops_file=ops.json")
    for content, is_good in ((text, True), ("[1]", False), ("no", False)):
        path.write_text(content)
        wheres = [problem.where for problem in aoe_problems(typed(tmp_path, *words))]
        assert ("--tune_ops_file" not in wheres) == is_good


def test_subgraphs_come_before_operators(tmp_path: Path) -> None:
    first, second = tuning(tmp_path, "1"), tuning(tmp_path, "2")
    advice = order_advice(second, ())
    assert advice is not None
    assert advice.hint == "run --job_type=1 first"
    assert order_advice(first, ()) is None
    assert order_advice(second, (Job(1, first, "failed"),)) == advice
    assert order_advice(second, (Job(1, first, "done"),)) is None


def test_atc_builds_with_precision_options(tmp_path: Path) -> None:
    model = tmp_path / "m.onnx"
    model.touch()
    request = AtcRequest(
        str(model), str(tmp_path / "m"), "Ascend310P3", precision_mode="force_fp16", keep_dtype="/k.txt"
    )
    words = atc_arguments(request)
    assert words[:4] == (f"--model={model}", "--framework=5", f"--output={tmp_path}/m", "--soc_version=Ascend310P3")
    assert words[4:] == ("--precision_mode=force_fp16", "--keep_dtype=/k.txt")
    assert [sentence(problem) for problem in atc_problems(atc_command(request))] == ["--keep_dtype /k.txt is not there"]
    job = finished(
        atc_command(AtcRequest(str(model), str(tmp_path / "m"), "Ascend310P3", cwd=str(tmp_path)), str(BIN / "atc"))
    )
    assert (job.state, [result.path for result in job.results]) == ("done", [f"{tmp_path}/m.om"])
    failed = finished(
        atc_command(AtcRequest(str(model), str(tmp_path / "n"), "Ascend1", cwd=str(tmp_path)), str(BIN / "atc"))
    )
    assert (failed.state, failed.exit_code) == ("failed", 255)
    assert failed.reason.startswith("the model was not built: E10001: Value Ascend1 for parameter")


def test_what_atc_would_refuse(tmp_path: Path) -> None:
    def said(*arguments: str) -> list[str]:
        command = command_for("atc", arguments, str(tmp_path), FoundTool("atc", "/bin/atc"))
        return [sentence(problem) for problem in atc_problems(command)]

    found = said("--framework=5", "--precision_mode=force_fp16", "--precision_mode_v2=fp16", "--auto_tune_mode=RL")
    assert "--soc_version is needed – npu-smi info names the chip: Ascend and that name" in found
    assert "--precision_mode_v2 cannot stand beside --precision_mode" in found
    assert "--auto_tune_mode is refused by current versions – tune with aoe instead" in found
    assert "--json is needed" in said("--mode=1", "--om=x.om")
    assert graph_arguments("/m.om", "/m.json") == ("--mode=1", "--om=/m.om", "--json=/m.json")


def test_models_are_run_by_msame_and_ais_bench(tmp_path: Path) -> None:
    model = tmp_path / "x.om"
    model.touch()
    request = infer.MsameRequest(
        str(model), str(tmp_path / "out"), ("a.bin", "b.bin"), loop=3, device=1, cwd=str(tmp_path)
    )
    words = infer.msame_arguments(request)
    assert words == ("--model", str(model), "--input", "a.bin,b.bin", "--output", str(tmp_path / "out"),
                     "--outfmt", "BIN", "--loop", "3", "--device", "1")  # fmt: skip
    command = infer.infer_command(request, (str(BIN / "msame"),))
    assert command.devices == (1,)
    assert infer.infer_problems(command) == []
    job = finished(command)
    assert (job.state, job.notes) == ("done", ("mean time of an inference 81.11 ms",))
    crashed = finished(infer.infer_command(request, (str(BIN / "msame"),), (("STANDIN_MSAME", "crash"),)))
    assert (crashed.state, crashed.reason.startswith("[ERROR] load model from file failed")) == ("failed", True)
    bench = infer.AisBenchRequest(str(model), str(tmp_path), profiler=True, dump=True)
    said = [sentence(problem) for problem in infer.infer_problems(infer.infer_command(bench, ("ais_bench",)))]
    assert said == ["--dump cannot stand beside --profiler – run it twice"]
    assert json.loads(infer.dump_config("/d", "m"))["dump"]["dump_list"] == [{"model_name": "m"}]


def test_the_comparer_of_dumps_gets_its_folders() -> None:
    request = infer.AccucmpRequest("/a", "/b", "/out", graph="/m.json", cwd="/w")
    command = infer.infer_command(request, ("python3", "/c/msaccucmp.py"))
    assert command.argv[2:] == ("compare", "-m", "/a", "-g", "/b", "-f", "/m.json", "-out", "/out")
    assert (command.output, command.purpose, command.devices) == ("/out", "compare", ())


def test_getopt_words_are_read_in_all_their_forms() -> None:
    read = read_options(
        ("-m", "x", "--name=v=w", "--flag", "--other", "y", "rest"), {"m": "model"}, frozenset(("flag",))
    )
    assert read.values == {"model": "x", "name": "v=w", "flag": "", "other": "y"}
    assert read.rest == ("rest",)


def test_an_msprof_that_is_too_old_for_the_form_says_so(tmp_path: Path) -> None:
    command = collection(tmp_path, ("ls",))
    said = [sentence(problem) for problem in problems_of(command, Surroundings(toolkit_version="7.0.0"))]
    assert 'program msprof of CANN 7.0.0 does not take it behind the options – write --application="…"' in said
    assert errors(problems_of(command, Surroundings(toolkit_version="8.0.RC3"))) == []

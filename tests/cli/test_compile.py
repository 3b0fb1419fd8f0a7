"""`check --compile`: the errors of the front end at their lines, proofs from Tile IR, and files that misbehave."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Result, Run

pytest.importorskip("cuda.tile._compile", reason="the front end comes from the package cuda-tile")

PROBES = Path(__file__).parents[1] / "cases" / "not_compilable" / "static_miss.py"

HEAD = "import cuda.tile as ct\nimport numpy as np\n"
COPY = """
@ct.kernel
def copy(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (T,)))
"""
LAUNCH = """
def run():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    ct.launch(0, (4,), {kernel}, (x, y, 16))
"""
FACTORY = """
def make(step):
    @ct.kernel
    def spread(x, y, T: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(y, (i * step,), ct.load(x, (i,), (T,)))
    return spread
"""
EXECUTED = """
import linecache
SOURCE = '''
@ct.kernel
def made(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i {how},), ct.load(x, (i,), (T,)))
'''
linecache.cache["<made>"] = (len(SOURCE), None, SOURCE.splitlines(True), "<made>")
space = {{"ct": ct}}
exec(compile(SOURCE, "<made>", "exec"), space)
"""


@pytest.fixture
def check(run: Run) -> Any:
    """Write files and check them with `--compile`: the JSON report, and the exit status."""
    for file in Path().glob("*.py"):
        file.unlink()

    def call(*options: str, **files: str) -> dict[str, Any]:
        for name, text in files.items():
            Path(f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        got: Result = run("check", ".", "--compile", "--no-cache", "--format", "json", *options)
        return {**json.loads(got.out), "status": got.status, "err": got.err}

    return call


def list_findings(report: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(Path(d["file"]).name, d["line"], d["code"]) for d in report["diagnostics"]]


def states(report: dict[str, Any]) -> list[tuple[str | None, str, str | None]]:
    return [(x["kernel"], x["state"], x["verdict"]) for x in report["compilation"]["launches"]]


# --- the probes ------------------------------------------------------------------------------------------------------

def probes(lines: list[str]) -> list[tuple[str, int, int, bool]]:
    """Name, first and last line of each probe, and whether it compiles."""
    starts = [k for k, line in enumerate(lines, 1) if line.startswith("def ")]
    ends = [*(start - 2 for start in starts[1:]), len(lines)]
    return [(re.findall(r"def (\w+)", lines[a - 1])[0], a, b, "# compiles" in lines[a - 1])
            for a, b in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("options", [(), ("--select", "TC607")])
def test_each_probe_that_does_not_compile_is_an_error_and_no_other(run: Run, options: tuple[str, ...]) -> None:
    """Also without the rules of the checker: those of the compiler alone find all of them."""
    got = run("check", str(PROBES), "--compile", "--no-cache", "--format", "json", *options)
    report = json.loads(got.out)
    errors = [(d["line"], d["code"]) for d in report["diagnostics"] if d["severity"] == "error"]
    wrong = [name for name, first, last, compiles in probes(PROBES.read_text(encoding="utf-8").splitlines())
             if any(first <= line <= last for line, _ in errors) == compiles]
    assert wrong == []
    lines = [line for line, code in errors if code == "TC607"]
    assert len(lines) == (20 if options else 1), "a line has one finding on the language"


# --- errors of the front end -----------------------------------------------------------------------------------------

def test_an_error_that_only_the_compiler_sees_is_at_its_line(check: Any) -> None:
    report = check(a=HEAD + FACTORY.replace("(i * step,)", "(i,)").replace("(T,)))", "(step,)))")
                   + "\nTHREE = make(3)\n" + LAUNCH.format(kernel="THREE"))
    assert list_findings(report) == [("a.py", 8, "TC607")]
    (error,) = report["diagnostics"]
    assert (error["kernel"], error["column"]) == ("make.spread", 27)
    assert error["related"][0]["line"] == 15
    assert error["related"][0]["message"] == "compiled for this launch, with x: float32, y: float32, T = 16"
    assert report["status"] == 1


def test_an_error_in_a_helper_of_another_file_is_there(check: Any) -> None:
    helper = ("import cuda.tile as ct\n\nWIDTH = 3 * len('ab')\n\n\ndef fill(y, i):\n"
              "    ct.store(y, (i,), ct.zeros((WIDTH,), y.dtype))\n")
    kernel = HEAD + "import parts\n\n\n@ct.kernel\ndef k(x, y, T: ct.Constant[int]):\n    parts.fill(y, ct.bid(0))\n"
    report = check("--select", "TC607", a=kernel + LAUNCH.format(kernel="k"), parts=helper)
    assert list_findings(report) == [("parts.py", 7, "TC607")]
    assert [(r["file"], r["line"]) for r in report["diagnostics"][0]["related"]] == [("a.py", 8), ("a.py", 12)]


def test_an_error_in_a_file_that_is_not_checked_is_at_the_call(check: Any, tmp_path: Path) -> None:
    helper = "import cuda.tile as ct\n\n\ndef fill(y, i):\n    ct.store(y, (i,), ct.zeros((6,), y.dtype))\n"
    kernel = HEAD + "import parts\n\n\n@ct.kernel\ndef k(x, y, T: ct.Constant[int]):\n    parts.fill(y, ct.bid(0))\n"
    report = check("--select", "TC607", "--exclude", "parts.py", a=kernel + LAUNCH.format(kernel="k"), parts=helper)
    assert list_findings(report) == [("a.py", 8, "TC607")]
    assert "(parts.py, line 5)" in report["diagnostics"][0]["message"]


def test_kernels_that_share_a_wrong_helper_have_one_finding(check: Any) -> None:
    helper = "\ndef fill(y, i):\n    ct.store(y, (i,), ct.zeros((2 * len('abc'),), y.dtype))\n"
    kernel = "\n@ct.kernel\ndef {0}(x, y, T: ct.Constant[int]):\n    fill(y, ct.bid(0))\n"
    report = check("--select", "TC607", a=HEAD + helper + kernel.format("k") + kernel.format("m")
                   + LAUNCH.format(kernel="k") + LAUNCH.format(kernel="m").replace("run", "run_m"))
    assert list_findings(report) == [("a.py", 5, "TC607")]
    assert states(report) == [("k", "refused", None), ("m", "refused", None)]


def test_unknown_element_types_are_sampled(check: Any) -> None:
    """An error that depends on the type is not reported, and one that does not is."""
    kernel = ("\n@ct.kernel\ndef {0}(x, y, T: ct.Constant[int]):\n    i = ct.bid(0)\n"
              "    ct.store(y, (i,), {1})\n")
    launch = "\ndef run_{0}(x: np.ndarray, y: np.ndarray):\n    ct.launch(0, (4,), {0}, (x, y, 16))\n"
    bodies = {
        "gathers": "ct.gather(y, ct.load(x, (i,), (T,)))",
        "shifts": "ct.load(x, (i,), (T,)) << 1",
        "refused": "ct.reshape(ct.load(x, (i,), (T,)), (T - len('abc'),))",
    }
    report = check("--select", "TC607", a=HEAD + "".join(kernel.format(n, b) for n, b in bodies.items())
                   + "".join(map(launch.format, bodies)))
    assert "refused" in [d["kernel"] for d in report["diagnostics"]]
    assert not {"gathers", "shifts"} & {d["kernel"] for d in report["diagnostics"]}


def test_a_type_that_few_operations_have_is_among_the_samples(check: Any) -> None:
    kernel = ("\n@ct.kernel\ndef k(x, y, T: ct.Constant[int]):\n    i = ct.bid(0)\n"
              "    ct.store(y, (i,), ct.bitcast(ct.load(x, (i,), (T,)), ct.int16))\n")
    report = check("--select", "TC607", a=HEAD + kernel + "\ndef run(x, y):\n    ct.launch(0, (4,), k, (x, y, 16))\n")
    assert states(report) == [("k", "compiled", None)]


def test_an_unknown_constant_is_not_guessed(check: Any) -> None:
    report = check(a=HEAD + COPY + "\ndef run(x, y, n: int):\n    ct.launch(0, (4,), copy, (x, y, n))\n")
    assert states(report) == [("copy", "skipped", None)]
    assert report["compilation"]["launches"][0]["why"] == "the constant `T` is not known"


def test_a_suppression_of_the_rule_is_judged_only_with_the_compiler(check: Any, run: Run) -> None:
    line = "ct.store(y, (i,), ct.load(x, (i,), (T,)))"
    report = check(a=HEAD + COPY.replace(line, line + "  # tilecheck: allow[TC607] an older release does not have it")
                   + LAUNCH.format(kernel="copy"))
    assert list_findings(report) == [("a.py", 7, "TC901")]
    assert json.loads(run("check", ".", "--no-cache", "--format", "json").out)["diagnostics"] == []


def test_a_suppressed_error_is_not_reported(check: Any) -> None:
    allowed = "(step,)))  # tilecheck: allow[TC607] it is replaced"
    text = FACTORY.replace("(i * step,)", "(i,)").replace("(T,)))", allowed)
    assert list_findings(check(a=HEAD + text + "\nTHREE = make(3)\n" + LAUNCH.format(kernel="THREE"))) == []


# --- which kernel is launched ----------------------------------------------------------------------------------------

def test_a_factory_with_right_and_wrong_arguments(check: Any) -> None:
    report = check(a=HEAD + FACTORY + "\nONE = make(1)\nNONE = make(0)\n" + LAUNCH.format(kernel="ONE")
                   + LAUNCH.format(kernel="NONE").replace("run", "run_none"))
    assert states(report) == [("make.spread", "compiled", "proved"), ("make.spread", "compiled", "refuted")]
    assert list_findings(report) == [("a.py", 8, "TC101")]
    assert report["diagnostics"][0]["related"][-1]["line"] == 20


@pytest.mark.parametrize(("how", "verdict"), [("", "proved"), ("// 2", "refuted")])
@pytest.mark.parametrize("kernel", ["space['made']", "MADE"])
def test_a_kernel_that_exec_makes(check: Any, how: str, verdict: str, kernel: str) -> None:
    report = check(a=HEAD + EXECUTED.format(how=how) + "\nMADE = space['made']\n" + LAUNCH.format(kernel=kernel))
    assert states(report) == [("made", "compiled", verdict)]
    assert [code for _, _, code in list_findings(report)] == ([] if verdict == "proved" else ["TC101"])


def test_a_kernel_without_source_does_not_compile(check: Any) -> None:
    text = EXECUTED.format(how="").replace('linecache.cache["<made>"]', "cache")
    report = check(a=HEAD + text + LAUNCH.format(kernel="space['made']"))
    assert list_findings(report) == [("a.py", 17, "TC607")]


@pytest.mark.parametrize(("before", "kernel"), [
    ("K = make(1)\nK = make(2)\n", "K"),
    ("for n in range(3):\n    K = make(n)\n", "K"),
    ("K = make(1)\ndef change():\n    global K\n    K = make(0)\n", "K"),
    ("K = {'k': make(1)}\ndef change():\n    K['k'] = make(0)\n", "K['k']"),
    ("K = {'k': make(1)}\ndef change():\n    K.update(k=make(0))\n", "K['k']"),
    ("class K:\n    k = make(1)\ndef change():\n    K.k = make(0)\n", "K.k"),
    ("", "make(1)"),
])
def test_a_kernel_that_may_be_another_is_not_reached(check: Any, before: str, kernel: str) -> None:
    report = check(a=HEAD + FACTORY + before + LAUNCH.format(kernel=kernel))
    assert {state for _, state, _ in states(report)} == {"skipped"}
    assert "TC607" not in [code for _, _, code in list_findings(report)]


@pytest.mark.parametrize(("before", "after"), [
    ("WIDTH = 0\n", "\ndef configure(n):\n    global WIDTH\n    WIDTH = n\n"),
    ("WIDTH = 0\n", "\nimport sys\ndef configure(n):\n    sys.modules[__name__].WIDTH = n\n"),
    ("WIDTH = 0\n", "\nimport sys\ndef configure(n):\n    setattr(sys.modules[__name__], 'WIDTH', n)\n"),
    ("def width():\n    return 0\n", "\ndef configure(f):\n    global width\n    width = f\n"),
    ("import settings\n", ""),
])
def test_a_kernel_whose_variables_may_change_is_not_compiled(check: Any, before: str, after: str) -> None:
    """It is compiled at its first launch, with the values of that moment."""
    use = "width()" if "def width" in before else "settings.WIDTH" if "settings" in before else "WIDTH"
    kernel = COPY.replace("(i,), ct.load", f"(i * {use},), ct.load")
    settings = "WIDTH = 0\n\ndef configure(n):\n    global WIDTH\n    WIDTH = n\n"
    report = check("--select", "TC607", a=HEAD + before + kernel + after + LAUNCH.format(kernel="copy"),
                   settings=settings)
    assert [state for _, state, _ in states(report)] == ["skipped"]
    assert "may change after the import" in report["compilation"]["launches"][0]["why"]


def test_a_launch_of_the_import_may_have_earlier_values(check: Any) -> None:
    launch = "x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)\nct.launch(0, (4,), copy, (x, y, 16))\n"
    kernel = COPY.replace("(i,), ct.load", "(i * STEP,), ct.load")
    assert states(check(a=HEAD + "STEP = 0\n" + kernel + launch + "STEP = 1\n"))[0][1] == "skipped"
    assert states(check(a=HEAD + "STEP = 1\n" + kernel + launch))[0][1] == "compiled"
    function = LAUNCH.format(kernel="copy")
    assert states(check(a=HEAD + "STEP = 0\n" + kernel + function + "\nrun()\nSTEP = 1\n"))[0][1] == "skipped"
    branches = "try:\n    import none_such as m\n    STEP = 2\nexcept ImportError:\n    STEP = 1\n"
    assert states(check(a=HEAD + branches + kernel + function))[0][1] == "compiled"


@pytest.mark.parametrize("x", [
    "np.zeros((8, 16), np.float32).T", "np.zeros((16, 8), np.float32, order='F')", "np.zeros((0, 8), np.float32)",
    "np.zeros((16, 8), np.float32)[::-1]", "np.zeros((32, 8), np.float32)[::2]",
    "np.broadcast_to(np.zeros((8,), np.float32), (16, 8))",
])
def test_layouts_of_host_arrays(check: Any, x: str) -> None:
    """No launch is refuted that writes elements of its own."""
    kernel = ("\ndef make(n):\n    @ct.kernel\n    def k(x, y):\n        i = ct.bid(0)\n"
              "        t = ct.load(x, (i * n, 0), (4, 8), padding_mode=ct.PaddingMode.ZERO)\n"
              "        ct.store(y, (i, 0), t)\n    return k\nK = make(1)\n")
    launch = f"\ndef run():\n    x, y = {x}, np.zeros((16, 8), np.float32)\n    ct.launch(0, (4,), K, (x, y))\n"
    report = check("--select", "TC1,TC2,TC6", a=HEAD + kernel + launch)
    assert "refuted" not in {verdict for _, _, verdict in states(report)}


@pytest.mark.parametrize("before", ["\ufeff", "# -*- coding: latin-1 -*-\n", "\f"])
def test_columns_count_characters(check: Any, before: str) -> None:
    launch = LAUNCH.format(kernel="K").replace("    ct.launch", "    'ä€'; ct.launch")
    text = before + HEAD + FACTORY + "\nK = make(0)\n" + launch
    Path("a.py").write_bytes(text.replace("€", "é").encode("latin-1" if "latin" in before else "utf-8"))
    report = check("--select", "TC101")
    assert states(report) == [("make.spread", "compiled", "refuted")]
    assert report["diagnostics"][0]["related"][0]["column"] == 11


def test_a_local_variable_hides_one_of_the_module(check: Any) -> None:
    report = check(a=HEAD + FACTORY + "\nK = make(0)\n" + LAUNCH.format(kernel="K").replace(
        "def run():", "def run(n):\n    K = make(n)"))
    assert states(report) == [("make.spread", "skipped", None)]


def test_a_kernel_of_a_package_that_another_file_launches(check: Any) -> None:
    Path("pkg").mkdir()
    Path("pkg/__init__.py").write_text("")
    Path("pkg/widths.py").write_text("WIDTH = 16\n")
    Path("pkg/kernels.py").write_text(HEAD + "from .widths import WIDTH\n" + COPY.replace("(T,)", "(WIDTH,)"))
    report = check(a=HEAD + "from pkg import kernels\n" + LAUNCH.format(kernel="kernels.copy"))
    assert states(report) == [("copy", "compiled", None)]


def test_a_kernel_of_a_file_that_is_not_checked(check: Any) -> None:
    kernels = HEAD + COPY + COPY.replace("copy", "racy").replace("(i,), ct.load", "(i // 2,), ct.load")
    report = check("--exclude", "kernels.py", kernels=kernels, a=HEAD + "from kernels import copy, racy\n"
                   + LAUNCH.format(kernel="copy") + LAUNCH.format(kernel="racy").replace("run", "run_racy"))
    assert states(report) == [("copy", "compiled", "proved"), ("racy", "compiled", "refuted")]
    assert list_findings(report) == [("a.py", 11, "TC101")]


# --- proofs ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("index", "extent", "verdict"), [
    ("i * step", 64, "proved"), ("i * step - step", 64, "undecided"), ("i * step", 32, "undecided"),
    ("i % (step + 1)", 64, "refuted"),
])
def test_a_launch_is_proved_with_its_numbers(check: Any, index: str, extent: int, verdict: str) -> None:
    """A tile that lies wholly outside of its array is undefined, also with a bounds check."""
    launch = LAUNCH.format(kernel="ONE").replace("np.zeros(64, np.float32)\n", f"np.zeros({extent}, np.float32)\n")
    report = check("--select", "TC101", a=HEAD + FACTORY.replace("i * step", index) + "\nONE = make(1)\n" + launch)
    assert states(report) == [("make.spread", "compiled", verdict)]
    assert [code for _, _, code in list_findings(report)] == (["TC101"] if verdict == "refuted" else [])


def test_an_open_finding_says_if_all_seen_launches_are_proved(check: Any) -> None:
    kernel = "W = len('a')\n" + COPY.replace("(i,), ct.load", "(i ^ ct.static_eval(W),), ct.load")
    twice = LAUNCH.format(kernel="copy") + LAUNCH.format(kernel="copy").replace("run", "again")
    (open_,) = check(a=HEAD + kernel + twice)["diagnostics"]
    assert (open_["code"], open_["notes"][-1]) == ("TC102", "proved from Tile IR at 2 seen launches")
    unknown = "\ndef other(x, y):\n    ct.launch(0, (4,), copy, (x, y, 16))\n"
    (open_,) = check(a=HEAD + kernel + twice + unknown)["diagnostics"]
    assert not [note for note in open_["notes"] if "Tile IR" in note]


def test_arrays_that_share_memory_are_not_proved(check: Any) -> None:
    report = check("--ignore", "TC4", a=HEAD + FACTORY + "\nONE = make(1)\n" + LAUNCH.format(kernel="ONE").replace(
        "(x, y, 16)", "(x, x[:64], 16)"))
    assert "proved" not in {verdict for _, _, verdict in states(report)}


def test_the_report_in_text_names_proved_launches(check: Any, run: Run) -> None:
    check(a=HEAD + FACTORY + "\nONE = make(1)\n" + LAUNCH.format(kernel="ONE"))
    out = run("check", "a.py", "--compile", "--no-cache").out
    assert "a.py:15:5: make.spread: proved from Tile IR at this launch\n" in out
    assert out.endswith("Compiled 1 of 1 specialization; 1 proved from Tile IR.\n")
    assert "Tile IR" not in run("check", "a.py", "--no-cache").out


# --- files that misbehave --------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("line", "why"), [
    ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module' (line 3)"),
    ("raise SystemExit(0)", "SystemExit: 0 (line 3)"),
    ("import os; os._exit(0)", "the process ends with status 0 while it is imported"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
     "the process ends with status -11 while it is imported"),
    ("1 / 0", "ZeroDivisionError: division by zero (line 3)"),
    ("while True: pass", "the time limit of 5 s is exceeded while it is imported"),
    ("import time, subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(99)'])",
     "the time limit of 5 s is exceeded while it is imported"),
])
def test_a_file_that_cannot_be_imported_is_named_and_others_go_on(check: Any, line: str, why: str) -> None:
    good = HEAD + COPY + LAUNCH.format(kernel="copy")
    report = check("--compile-timeout", "5", bad=HEAD + line + "\n" + COPY + LAUNCH.format(kernel="copy"), good=good)
    assert report["compilation"]["uncompiled"] == [{"file": "bad.py", "why": why}]
    assert states(report) == [("copy", "skipped", None), ("copy", "compiled", None)]
    assert report["status"] == 0 and report["failures"] == []


def test_the_output_of_a_file_does_not_mix_with_the_report(check: Any) -> None:
    noise = "import os, sys\nprint('noise')\nsys.stderr.write('noise')\nos.write(1, b'noise')\nos.write(2, b'noise')\n"
    check(a=HEAD + noise + COPY + LAUNCH.format(kernel="copy"))
    got = subprocess.run([sys.executable, "-m", "tilecheck", "a.py", "--compile", "--no-cache", "--format", "json"],
                         capture_output=True, text=True, check=True)
    assert states(json.loads(got.stdout)) == [("copy", "compiled", None)]
    assert got.stderr == ""


def test_launches_and_the_main_block_of_a_file_do_not_run(check: Any) -> None:
    report = check(a=HEAD + COPY + "x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)\n"
                   + "ct.launch(0, (4,), copy, (x, y, 16))\n"
                   + "from cuda.tile import launch\nlaunch(0, (4,), copy, (1, 2, 16))\n"
                   + "if __name__ == '__main__':\n    raise ValueError\n")
    assert report["compilation"]["uncompiled"] == []
    assert states(report)[0] == ("copy", "compiled", "proved")


@pytest.mark.parametrize("name", ["random", "types", "msgspec", "numpy_"])
def test_a_file_may_have_the_name_of_another_module(check: Any, name: str) -> None:
    report = check(**{name: HEAD + COPY + LAUNCH.format(kernel="copy")})
    assert states(report) == [("copy", "compiled", None)]


def test_a_file_without_launches_is_not_imported(check: Any) -> None:
    assert check(a=HEAD + "raise ValueError\n" + COPY)["compilation"] == {"launches": [], "uncompiled": []}


def test_a_notebook_is_named_and_not_compiled(check: Any) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
              "source": HEAD + COPY + LAUNCH.format(kernel="copy")}]
    Path("book.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    report = check()
    (file,) = report["compilation"]["uncompiled"]
    assert file["file"] == "book.ipynb" and "notebooks are not compiled" in file["why"]


def test_sarif_names_findings_and_files_that_are_not_compiled(check: Any, run: Run) -> None:
    check(a=HEAD + FACTORY.replace("(T,)))", "(step,)))") + "\nK = make(3)\n" + LAUNCH.format(kernel="K"),
          bad=HEAD + "1 / 0\n" + COPY + LAUNCH.format(kernel="copy"))
    (log,) = json.loads(run("check", ".", "--compile", "--no-cache", "--format", "sarif").out)["runs"]
    assert "TC607" in [r["ruleId"] for r in log["results"]]
    (note,) = log["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "note" and note["message"]["text"].startswith("not compiled: ZeroDivisionError")


# --- options ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("options", "words"), [
    (("-", "--compile"), "standard input cannot be imported"),
    ((".", "--compile", "--fix"), "--compile and --fix exclude each other"),
    ((".", "--compile", "--diff"), "--compile and --diff exclude each other"),
])
def test_options_that_exclude_each_other(run: Run, options: tuple[str, ...], words: str) -> None:
    got = run("check", *options)
    assert got.status == 2 and words in got.err


def test_without_the_package_the_option_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    from tilecheck.pipeline import compile_runs

    def find(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(compile_runs, "distribution", find)
    got = run("check", ".", "--compile")
    assert got.status == 2
    assert got.err == "error: --compile needs the package cuda-tile: pip install 'tilecheck[cpu]' 'cuda-tile>=1.7'\n"


def test_the_option_works_without_the_name_of_the_command(run: Run) -> None:
    assert "Compiled" in run("clean.py", "--compile", "--no-cache").out or "Nothing to compile" in run(
        "clean.py", "--compile", "--no-cache").out

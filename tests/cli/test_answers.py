"""`doctor`, `audit`, `completion`, `--show-files`, `--show-settings`, `--watch`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CLEAN, Run
from tilecheck.cli.commands import doctor
from tilecheck.cli.watch import snapshot, watch
from tilecheck.config import Config

# --- doctor ----------------------------------------------------------------------------------------------------------


def test_doctor_lists_installed_packages(run: Run) -> None:
    result = run("doctor")
    assert result.status in (0, 1)  # a machine may have tools that do not go together
    assert "tilecheck" in result.out and "python" in result.out and "extra smt" in result.out
    answers = json.loads(run("doctor", "--format", "json").out)["answers"]
    assert {a["state"] for a in answers} <= {"ok", "absent", "wrong"}
    assert [a["topic"] for a in answers][:2] == ["tilecheck", "python"]


@pytest.mark.skipif(find_spec("cuda") is None, reason="needs cuda-tile")
def test_all_operations_of_the_installed_release_are_known() -> None:
    (answer,) = doctor._check_operations()
    assert answer.state == "ok" and "names are known" in answer.text and "untested" not in answer.text


def test_a_release_with_a_new_operation_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_version", lambda package: "9.9.0")
    monkeypatch.setattr(doctor, "public_names", lambda: ("load", "teleport"))
    (answer,) = doctor._check_operations()
    assert answer.state == "wrong"
    assert "teleport" in answer.text and "load," not in answer.text
    assert "kernels that use one are not proved" in answer.text
    monkeypatch.setattr(doctor, "public_names", lambda: ("load", "store"))
    (answer,) = doctor._check_operations()
    assert answer.state == "ok" and "an untested release" in answer.text


def test_missing_packages_are_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_not_found(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("importlib.metadata.version", raise_not_found)
    answers = list(doctor.examine())
    absent = {a.topic: a for a in answers if a.state == "absent"}
    assert absent["extra smt"].remedy == "pip install 'tilecheck[smt]'"
    assert "not installed" in absent["cuda.tile"].text
    assert not [a for a in answers if a.state == "wrong"]


def test_an_unusable_cache_and_a_wrong_setting_make_doctor_fail(run: Run) -> None:
    Path("pyproject.toml").write_text("[tool.tilecheck]\nstrickt = true\n")
    result = run("doctor")
    assert result.status == 1
    assert "! settings" in result.out and "did you mean 'strict'" in result.out
    Path("pyproject.toml").write_text('[tool.tilecheck]\ncache-dir = "clean.py"\n')
    result = run("doctor")
    assert result.status == 1 and "every run checks all files again" in result.out


def test_a_question_that_fails_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> Any:
        raise RuntimeError("the driver\nis on fire")

    monkeypatch.setitem(doctor._QUESTIONS, "gpu", fails)
    (answer,) = [a for a in doctor.examine() if a.topic == "gpu"]
    assert (answer.state, answer.text) == ("wrong", "RuntimeError: the driver is on fire")


# --- audit -----------------------------------------------------------------------------------------------------------

_OPT_OUTS = '''\
import cuda.tile as ct
from tilecheck import requires, unsafe


@unsafe("only one block is ever launched")
@ct.kernel
def first(a, c, T: ct.Constant[int]):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))


@ct.kernel
def second(a, c, T: ct.Constant[int]):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))  # tilecheck: allow[TC101]


@requires("T <= a.shape[0]", "T == 16")
@ct.kernel
def third(a, c, T: ct.Constant[int]):
    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,)))


def fourth(a):
    return a  # type: ignore[tile-race]  # proved on paper
'''


def test_audit_lists_suppressions_with_reasons_and_counts(run: Run) -> None:
    Path("opt.py").write_text(_OPT_OUTS)
    result = run("audit", "opt.py")
    assert result.status == 0
    assert 'opt.py:5: @unsafe of first\n      only one block is ever launched\n      suppresses TC101' in result.out
    assert "opt.py:13: # tilecheck: allow[TC101]\n      no reason given\n      suppresses TC101" in result.out
    assert "opt.py:23: # type: ignore[tile-race]\n      proved on paper" in result.out
    assert "opt.py:18: T <= a.shape[0]; T == 16 of third\n      no launch of the kernel is seen" in result.out
    assert "3 suppressions, 1 without a reason; 2 declared clauses that nothing checks" in result.out


def test_audit_fails_above_the_maximum(run: Run) -> None:
    Path("opt.py").write_text(_OPT_OUTS)
    assert run("audit", "opt.py", "--max", "5").status == 0
    result = run("audit", "opt.py", "--max", "4")
    assert result.status == 1
    assert "5 suppressions and unchecked contracts; the limit is 4" in result.err
    assert run("audit", "clean.py", "--max", "0").status == 0


def test_audit_as_json(run: Run) -> None:
    Path("opt.py").write_text(_OPT_OUTS)
    made = json.loads(run("audit", "opt.py", "--format", "json").out)
    assert made["count"] == 5
    assert made["entries"][0] == {"kind": "opt-out", "file": "opt.py", "line": 5, "what": "@unsafe", "kernel": "first",
                                  "reason": "only one block is ever launched", "suppresses": {"TC101": 1}}


def test_a_contract_that_a_seen_launch_fulfils_is_checked(run: Run) -> None:
    launch = """

def run(stream):
    import torch
    ct.launch(stream, (4,), third, (torch.empty(64), torch.empty(64), 16))
"""
    Path("opt.py").write_text(_OPT_OUTS + launch)
    assert "0 declared clauses" in run("audit", "opt.py").out


def test_a_contract_of_a_dialect_kernel_is_enforced_unless_it_is_about_data(run: Run) -> None:
    Path("own.py").write_text('''\
from typing import TypeVar
import cuda.tile as ct
from tilecheck import requires
from tilecheck_runtime import Dyn, Mut, Ref, f32, i32, kernel, empty

BM = TypeVar("BM", bound=int)


@requires("x.shape[0] % 16 == 0", "range(ids, 0, 4)")
@kernel
def scaled(z: Mut[f32, BM], x: Ref[f32, Dyn], ids: Ref[i32, Dyn]) -> None:
    z.store(x.load_like(z))


def made():
    return empty((4,), f32, unsafe="filled by the caller")
''')
    out = run("audit", "own.py").out
    assert "own.py:11: range(ids, 0, 4) of scaled\n      the clause is about data: `tilecheck run` checks it" in out
    assert "x.shape[0]" not in out
    assert "own.py:16: empty(..., unsafe=...)\n      filled by the caller" in out


def test_audit_lists_exclusions_of_the_settings(run: Run) -> None:
    Path("pyproject.toml").write_text(
        '[tool.tilecheck]\nignore = ["TC102"]\nexclude = ["old/"]\n'
        '[tool.tilecheck.per-file-ignores]\n"a.py" = ["TC1"]\n')
    out = run("audit", ".").out
    assert "Excluded by settings (3)" in out
    assert "ignore = ['TC102']" in out and "exclude = ['old/']" in out and "per-file-ignores: a.py = ['TC1']" in out


def test_audit_names_files_that_cannot_be_read(run: Run) -> None:
    Path("broken.py").write_text("import cuda.tile as ct\n@ct.kernel\ndef f(:\n")
    result = run("audit", ".")
    assert result.status == 2 and "broken.py" in result.err


# --- completion ------------------------------------------------------------------------------------------------------

def _complete(words: str, index: int) -> str:
    environment = {**os.environ, "_TILECHECK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(index)}
    command = [sys.executable, "-c", "import sys; from tilecheck.cli.app import main; sys.exit(main())"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_prints_a_script(run: Run, shell: str) -> None:
    assert "_TILECHECK_COMPLETE" in run("completion", shell).out


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_for_bash_is_valid(run: Run) -> None:
    script = run("completion", "bash").out
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_commands_options_and_rules_are_completed() -> None:
    assert "plain,doctor" in _complete("tilecheck do", 1)
    assert "plain,--select" in _complete("tilecheck --sel", 1)
    assert "plain,--strict" in _complete("tilecheck src --str", 2)
    assert "plain,TC101" in _complete("tilecheck rule TC10", 2)
    assert "plain,TC101" in _complete("tilecheck --select TC10", 2)


# --- what would be done ----------------------------------------------------------------------------------------------

def test_show_files_lists_them(run: Run) -> None:
    Path(".gitignore").write_text("racy.py\n")
    Path(".git").mkdir()
    assert run("--show-files").out == "clean.py\nunproven.py\n"


def test_show_settings_prints_the_effective_settings(run: Run) -> None:
    Path("pyproject.toml").write_text(
        '[tool.tilecheck]\nignore = ["TC9"]\n[tool.tilecheck.per-file-ignores]\n"a" = ["TC1"]\n')
    out = run("--show-settings", "--strict", "--jobs", "3").out
    assert 'ignore = ["TC9"]\n' in out and "strict = true\n" in out and "jobs = 3\n" in out
    assert 'per-file-ignores = { "a" = ["TC1"] }\n' in out
    import tomllib

    assert tomllib.loads(out)["select"] == ["ALL"]


# --- watching --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("polls", [False, True])
def test_watching_checks_again_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, polls: bool) -> None:
    if polls:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    file = tmp_path / "k.py"
    file.write_text(CLEAN)
    seen: list[str] = []

    def check() -> int:
        seen.append(file.read_text())
        if len(seen) == 1:
            threading.Timer(0.05, lambda: file.write_text(CLEAN + "# more\n")).start()
        else:
            raise KeyboardInterrupt
        return 1

    assert watch([str(tmp_path)], Config(root=tmp_path), check, pause=0.01) == 1
    assert seen == [CLEAN, CLEAN + "# more\n"]


def test_new_files_helpers_beside_and_overlays_are_watched(tmp_path: Path) -> None:
    file, overlay = tmp_path / "k.py", tmp_path / "contracts.toml"
    file.write_text(CLEAN)
    config = Config(root=tmp_path, contracts=(overlay,))
    first = snapshot([str(file)], config)
    (tmp_path / "helper.py").write_text("")
    second = snapshot([str(file)], config)
    overlay.write_text("[contracts]\n")
    assert len({first, second, snapshot([str(file)], config)}) == 3


def test_standard_input_is_not_watched(run: Run) -> None:
    result = run("-", "--watch")
    assert result.status == 2 and "standard input cannot be watched" in result.err

"""`tilecheck [check] PATHS`: findings, exit status, selection, suppressions, output."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN, RACY, UNPROVEN, Run


def codes(text: str) -> list[str]:
    return re.findall(r"^\S+?:\d+:\d+: (TC\d+)", text, re.MULTILINE)


def test_a_race_is_shown_with_its_witness_and_is_status_1(run: Run) -> None:
    result = run("racy.py")
    assert result.status == 1
    assert "error[TC101]" in result.out
    assert "8 |     ct.store(c, (i, 0), t)" in result.out
    assert "^" in result.out
    assert "= witness: grid (" in result.out
    assert "= help: " in result.out
    assert "\x1b" not in result.out
    assert result.err == ""


def test_check_is_the_full_spelling(run: Run) -> None:
    assert run("racy.py") == run("check", "racy.py")
    assert run("--exit-zero", "racy.py").status == 0


def test_the_current_folder_is_the_default(run: Run) -> None:
    assert codes(run("--format", "concise").out) == ["TC101", "TC102"]
    assert run() == run(".")


def test_a_clean_file_is_status_0(run: Run) -> None:
    result = run("clean.py")
    assert result.status == 0
    assert result.out.startswith("No findings in 1 file; 1 kernel: ")


def test_a_warning_is_status_0_and_strict_makes_it_an_error(run: Run) -> None:
    warning = run("unproven.py", "--format", "concise")
    assert (warning.status, codes(warning.out)) == (0, ["TC102"])
    assert "warning[TC102]" in run("unproven.py").out
    strict = run("--strict", "unproven.py")
    assert strict.status == 1
    assert "error[TC102]" in strict.out


def test_deny_residual_is_strict_for_one_kernel(run: Run) -> None:
    text = UNPROVEN.replace("@ct.kernel", "@deny_residual\n@ct.kernel").replace(
        "import cuda.tile as ct\n", "import cuda.tile as ct\nfrom tilecheck import deny_residual\n"
    )
    Path("denied.py").write_text(text)
    assert run("denied.py").status == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--select", "TC101"], ["TC101"]),
        (["--select", "unproven-disjoint"], ["TC102"]),
        (["--select", "TC4,TC9"], []),
        (["--ignore", "TC101"], ["TC102"]),
        (["--select", "ALL", "--ignore", "TC1"], []),
        (["--exclude", "racy.py"], ["TC102"]),
        (["--exclude", "*.py"], []),
    ],
)
def test_rules_and_files_are_selected(run: Run, options: list[str], expected: list[str]) -> None:
    assert codes(run(".", "--format", "concise", *options).out) == expected


def test_configuration_is_read_and_overridden(run: Run) -> None:
    Path("pyproject.toml").write_text('[tool.tilecheck]\nignore = ["TC101"]\nstrict = true\n')
    assert codes(run("--format", "concise").out) == ["TC102", "TC201"]
    assert run("unproven.py").status == 1
    assert codes(run("--format", "concise", "--select", "TC101").out) == ["TC101"]
    assert codes(run("--format", "concise", "--isolated").out) == ["TC101", "TC102"]
    Path("pyproject.toml").write_text('[tool.tilecheck.per-file-ignores]\n"racy.py" = ["ALL"]\n')
    assert codes(run("--format", "concise").out) == ["TC102"]


def test_gitignored_files_are_skipped_unless_named(run: Run) -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("racy.py\n")
    assert codes(run(".", "--format", "concise").out) == ["TC102"]
    assert codes(run("racy.py", "--format", "concise").out) == ["TC101"]
    assert codes(run(".", "--no-respect-gitignore", "--format", "concise").out) == ["TC101", "TC102"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--select", "TC999"], "unknown rule selector 'TC999'"),
        (["--nope"], "No such option"),
        (["--format", "xml"], "xml"),
        (["--jobs", "0"], "jobs"),
        (["-q", "-v"], "exclude each other"),
        (["--config", "none.toml"], "No such file"),
        (["--contracts", "none.toml"], "none.toml"),
        (["-", "racy.py"], "cannot be combined"),
        (["rule"], "name a rule"),
        (["rule", "TC999"], "unknown rule 'TC999'"),
        (["contract"], "Missing argument"),
        (["contract", "clean.py::nothing"], "no kernel named 'nothing'"),
    ],
)
def test_a_usage_error_is_one_line_and_status_2(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.status == 2
    assert message in result.err
    assert result.err.startswith("error: ") and result.err.count("\n") == 1


def test_an_unknown_key_is_named_with_the_close_one(run: Run) -> None:
    Path("pyproject.toml").write_text("[tool.tilecheck]\nstrickt = true\n")
    result = run()
    assert result.status == 2
    assert "unknown key 'strickt' in [tool.tilecheck]; did you mean 'strict'?" in result.err


@pytest.mark.parametrize(
    "content",
    [b"def f(:\n", b"# coding: latin-9000\n", b"x = '\xff\xfe'\n", b"def f():\n\treturn 1\n        return 2\n"],
)
def test_a_file_that_cannot_be_parsed_is_named_and_hides_nothing(run: Run, content: bytes) -> None:
    Path("broken.py").write_bytes(content)
    result = run("--format", "concise")
    assert result.status == 2
    assert "broken.py" in result.err and result.err.count("\n") == 1
    assert codes(result.out) == ["TC101", "TC102"]
    assert run("--exit-zero").status == 2


def test_a_path_that_does_not_exist_is_named_and_hides_nothing(run: Run) -> None:
    result = run("racy.py", "none.py", "--format", "concise")
    assert result.status == 2
    assert "none.py" in result.err
    assert codes(result.out) == ["TC101"]


def test_a_fault_of_the_checker_is_status_2_and_hides_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import tilecheck.pipeline.analyze

    real = tilecheck.pipeline.analyze.execute

    def raise_for_clean(project: object, site: object, overlay: object = ()) -> object:
        if site.qualname == "clean":  # type: ignore[attr-defined]
            raise ZeroDivisionError("oh")
        return real(project, site, overlay)  # type: ignore[arg-type]

    monkeypatch.setattr(tilecheck.pipeline.analyze, "execute", raise_for_clean)
    result = run("--no-cache", "--jobs", "1", "--format", "concise")
    assert result.status == 2
    assert "clean.py:5: internal error: ZeroDivisionError: oh; please report it" in result.err
    assert codes(result.out) == ["TC101", "TC102"]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only, so that they see the patch")
def test_a_worker_that_dies_loses_one_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import tilecheck.pipeline.analyze

    real = tilecheck.pipeline.analyze.execute

    def exit_for_clean(project: object, site: object, overlay: object = ()) -> object:
        if site.qualname == "clean":  # type: ignore[attr-defined]
            os._exit(9)
        return real(project, site, overlay)  # type: ignore[arg-type]

    monkeypatch.setattr(tilecheck.pipeline.analyze, "execute", exit_for_clean)
    for number in range(8):
        Path(f"k{number}.py").write_text(RACY.replace("racy", f"racy{number}") + "\n#" + "x" * 8000 + "\n")
    result = run("--no-cache", "--jobs", "2", "--format", "concise")
    assert result.status == 2
    assert "clean.py: internal error: the process that checked it died" in result.err
    assert codes(result.out).count("TC101") == 9


def test_standard_input_is_checked_under_a_name(run: Run) -> None:
    result = run("-", "--stdin-filename", "given.py", stdin=RACY)
    assert result.status == 1
    assert " --> given.py:8:5 in racy" in result.out
    assert "8 |     ct.store(c, (i, 0), t)" in result.out
    assert codes(run("-", "--format", "concise", stdin=RACY).out) == ["TC101"]
    assert run("-", stdin=CLEAN).status == 0
    assert run("-", stdin="def f(:").status == 2


def test_json_is_one_object(run: Run) -> None:
    result = run("--format", "json")
    report = json.loads(result.out)
    assert [d["code"] for d in report["diagnostics"]] == ["TC101", "TC102"]
    verdicts = {k["name"]: k["verdict"] for k in report["kernels"]}
    assert verdicts.pop("clean") in ("proved", "conditional")
    assert verdicts == {"racy": "refuted", "unproven": "unproven"}
    assert report["diagnostics"][0]["line"] == 8
    assert report["diagnostics"][0]["column"] == 5
    assert result.status == 1


def test_a_report_goes_to_a_file(run: Run) -> None:
    result = run("--format", "json", "-o", "report.json")
    assert result.out == ""
    assert json.loads(Path("report.json").read_text())["files"] == 3
    assert run("-o", "no/such/folder.txt").status == 2


def test_quiet_verbose_and_statistics(run: Run) -> None:
    assert run("-q", "clean.py").out == ""
    assert "kernel clean: " in run("-v", "clean.py").out
    assert "1  TC101  overlapping-write" in run("--statistics").out


def test_output_is_the_same_for_any_number_of_jobs_and_from_the_cache(run: Run) -> None:
    for number in range(8):
        Path(f"k{number}.py").write_text(RACY.replace("racy", f"racy{number}") + "\n#" + "x" * 8000 + "\n")
    runs = [run("-v", "--jobs", jobs, *rest) for jobs in ("1", "2", "3") for rest in ((), ("--no-cache",), ())]
    assert len({(r.status, r.out, r.err) for r in runs}) == 1
    assert codes(run("--format", "concise").out).count("TC101") == 9


def test_the_cache_sees_every_change(run: Run) -> None:
    assert codes(run("clean.py", "--format", "concise").out) == []
    Path("clean.py").write_text(RACY)
    assert codes(run("clean.py", "--format", "concise").out) == ["TC101"]


def test_the_cache_sees_a_change_in_a_module_that_is_imported(run: Run) -> None:
    Path("index.py").write_text("def place(i, j):\n    return (i, j)\n")
    Path("user.py").write_text(
        RACY.replace("import cuda.tile as ct\n", "import cuda.tile as ct\nfrom index import place\n").replace(
            "(i, 0), t", "place(i, j), t"
        )
    )
    for paths in (["user.py", "index.py"], ["user.py"]):
        Path("index.py").write_text("def place(i, j):\n    return (i, j)\n")
        assert codes(run(*paths, "--format", "concise").out) == []
        Path("index.py").write_text("def place(i, j):\n    return (i, 0)\n")
        assert codes(run(*paths, "--format", "concise").out) == ["TC101"]
        Path("index.py").unlink()
        assert codes(run("user.py", "--format", "concise").out) != []


def test_the_cache_stays_in_its_folder(run: Run, tmp_path: Path) -> None:
    run(".")
    assert Path(".tilecheck_cache/.gitignore").read_text() == "*\n"
    run(".", "--cache-dir", str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / ".gitignore").exists()
    assert codes(run(".", "--no-respect-gitignore", "--format", "concise").out) == ["TC101", "TC102"]


def test_help_and_version_are_printed(run: Run) -> None:
    assert "Exit status" in run("check", "--help").out
    assert "contract" in run("--help").out
    assert run("--version").out == "tilecheck 0.1.0\n"


def test_a_folder_named_like_a_command_can_still_be_checked(run: Run) -> None:
    Path("rule").mkdir()
    Path("rule/k.py").write_text(RACY)
    assert codes(run("check", "rule", "--format", "concise").out) == ["TC101"]
    assert codes(run("rule/", "--format", "concise").out) == ["TC101"]


def test_checked_code_is_never_run(run: Run) -> None:
    Path("evil.py").write_text("raise SystemExit(7)\n" + RACY)
    assert codes(run("evil.py", "--format", "concise").out) == ["TC101"]


def test_an_array_passed_to_unknown_code_loses_its_verdicts(run: Run) -> None:
    Path("unknown.py").write_text(CLEAN.replace("    i = ct.bid(0)\n", "    i = ct.bid(0)\n    mystery(c, i)\n"))
    result = run("unknown.py", "--format", "json")
    (kernel,) = json.loads(result.out)["kernels"]
    assert kernel["verdict"] == "unproven"
    assert "mystery" in json.dumps(json.loads(result.out)["diagnostics"])

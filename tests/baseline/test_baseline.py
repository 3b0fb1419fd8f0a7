"""`--baseline` and related options: a known finding stays known when code moves, and a new one is reported."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN, RACY, UNPROVEN, Run
from tests.cli.test_check import codes

STORE = "    ct.store(c, (i, 0), t)\n"
TWO = RACY + "\n\n" + RACY.partition("\n\n\n")[2].replace("racy", "second")


@pytest.fixture(autouse=True)
def _no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def new_codes(run: Run, *arguments: str) -> list[str]:
    """The codes of the findings that are reported although there is a baseline."""
    return codes(run(".", "--format", "concise", "--baseline", "known.json", *arguments).out)


def entries() -> list[dict[str, object]]:
    return json.loads(Path("known.json").read_text())["findings"]


def test_baselined_findings_are_not_reported(run: Run) -> None:
    written = run(".", "--baseline", "known.json", "--update-baseline")
    assert (written.status, written.err) == (0, "known.json: 2 findings written\n")
    result = run(".", "--baseline", "known.json")
    assert result.status == 0
    assert result.out.startswith("No findings in 3 files; ")
    assert result.out.endswith("Not shown: 2 findings of the baseline.\n")
    assert run(".", "--baseline", "known.json", "--strict", "--fail-level", "warning").status == 1  # TC201 is new
    assert run(".").status == 1


def test_new_findings_are_reported(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("clean.py").write_text(RACY)
    result = run(".", "--baseline", "known.json", "--format", "concise")
    assert (result.status, codes(result.out)) == (1, ["TC101"])
    assert result.out.startswith("clean.py:8:5")


CHANGES = {
    "lines move": lambda text: "# one\n# two\n" + text,
    "the code is laid out anew": lambda text: text.replace(
        STORE, "    ct.store(\n        c,\n        ( i, 0 ),  # the row\n        t,\n    )\n"),
    "a comment is added": lambda text: text.replace(STORE, f"    # why not\n{STORE}"),
    "other lines of the kernel change": lambda text: text.replace("    t = ", "    unused = 1\n    t = "),
    "line ends change": lambda text: text.replace("\n", "\r\n"),
    "indentation changes": lambda text: text.replace("    ", "\t"),
    "another kernel has another name": lambda text: text.replace("second", "renamed"),
    "another kernel comes first": lambda text: text.replace(
        "@ct.kernel\ndef racy", "@ct.kernel\ndef early(c):\n    ct.store(c, (ct.bid(0),), 0)\n\n@ct.kernel\ndef racy"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_baseline_holds_when(run: Run, change: str) -> None:
    text = RACY + "\n\n" + CLEAN.partition("\n\n\n")[2].replace("clean", "second")
    Path("racy.py").write_text(text)
    run(".", "--baseline", "known.json", "--update-baseline")
    changed = CHANGES[change](text)
    assert changed != text
    Path("racy.py").write_bytes(changed.encode())
    result = run(".", "--baseline", "known.json", "--format", "concise")
    assert (result.status, result.out, result.err) == (0, "", "")


@pytest.mark.parametrize(("old", "replacement"), [
    ("(i, 0), t)", "(i, 1), t)"),  # what it is about changed
    ("def racy", "def renamed"),
])
def test_a_finding_is_new_when_its_identity_changes(run: Run, old: str, replacement: str) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("racy.py").write_text(RACY.replace(old, replacement))
    assert new_codes(run) == ["TC101"]


def test_the_same_statement_in_another_kernel_is_new(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("racy.py").write_text(TWO)
    assert new_codes(run) == ["TC101"]


def test_equal_findings_are_counted(run: Run) -> None:
    Path("racy.py").write_text(RACY + STORE)
    known = codes(run("racy.py", "--format", "concise").out)
    run("racy.py", "--baseline", "known.json", "--update-baseline")
    assert new_codes(run, "--select", "TC101") == []
    Path("racy.py").write_text(RACY + STORE + STORE)
    more = codes(run("racy.py", "--format", "concise").out)
    assert len(new_codes(run, "--select", "TC101")) == len(more) - len(known) == 1


def test_a_first_counterexample_makes_a_finding_new(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    document = json.loads(Path("known.json").read_text())
    for entry in document["findings"]:
        entry["witness"] = not entry["witness"]
    Path("known.json").write_text(json.dumps(document))
    assert new_codes(run) == ["TC101"]  # known without a witness; TC102 has none and is known with one


def test_the_other_write_of_a_pair_counts(run: Run) -> None:
    pair = RACY.replace(STORE, "    ct.store(c, (i, j), t)\n    ct.store(c, (i + 1, j), t)\n")
    Path("racy.py").write_text(pair)
    run("racy.py", "--baseline", "known.json", "--update-baseline")
    assert entries()[0]["code"] == "TC101"
    assert new_codes(run, "--select", "TC101") == []
    Path("racy.py").write_text(pair.replace("(i, j), t", "(i + 2, j), t"))
    assert new_codes(run, "--select", "TC101") == ["TC101"]


def test_stale_entries_are_reported_and_are_errors_in_ci(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("racy.py").write_text(CLEAN)
    command = (".", "--baseline", "known.json")
    here = run(*command)
    assert here.status == 0
    assert here.err == (
        "warning: known.json: 1 finding no longer found (racy.py); `--prune-baseline` removes them\n")
    assert run(*command, "--error-stale-baseline").status == 1
    for value, status in (("true", 1), ("1", 1), ("false", 0), ("", 0)):
        monkeypatch.setenv("CI", value)
        assert run(*command).status == status
    monkeypatch.setenv("CI", "true")
    assert run(*command).err.startswith("error: known.json: 1 finding")
    assert run(*command, "--no-error-stale-baseline").status == 0
    assert run(*command, "--exit-zero").status == 0


def test_pruning_removes_only_stale_entries(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("racy.py").write_text(CLEAN)
    Path("new.py").write_text(RACY)
    result = run(".", "--baseline", "known.json", "--prune-baseline", "--format", "concise")
    assert result.err == "known.json: 1 finding removed\n"
    assert (result.status, codes(result.out)) == (1, ["TC101"])
    assert [entry["file"] for entry in entries()] == ["unproven.py"]


def test_entries_of_a_deleted_file_are_stale(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("racy.py").unlink()
    assert "1 finding no longer found" in run(".", "--baseline", "known.json").err


def test_entries_of_unchecked_files_are_retained(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    before = Path("known.json").read_text()
    for arguments in (["clean.py"], ["unproven.py"], [".", "--select", "TC9"], [".", "--exclude", "racy.py"]):
        result = run(*arguments, "--baseline", "known.json", "--error-stale-baseline")
        assert (result.status, result.err) == (0, "")
        run(*arguments, "--baseline", "known.json", "--update-baseline")
        assert Path("known.json").read_text() == before
    Path("racy.py").write_text("def f(:\n")
    assert "no longer" not in run(".", "--baseline", "known.json", "--error-stale-baseline").err
    assert "to prune, check folders" in run("clean.py", "--baseline", "known.json", "--prune-baseline").err


def test_the_configuration_names_the_baseline_relative_to_its_folder(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pyproject.toml").write_text('[tool.tilecheck]\nbaseline = "ci/known.json"\n')
    Path("ci").mkdir()
    top = os.getcwd()
    assert run("--update-baseline").status == 0
    assert '"file": "../racy.py"' in Path("ci/known.json").read_text()
    assert run().status == 0
    monkeypatch.chdir(Path(top) / "ci")
    for path in ("..", top, "../racy.py"):
        assert run(path).status == 0
    assert run("..", "--isolated").status == 1


def test_reports_mark_baselined_findings(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    Path("clean.py").write_text(RACY)
    command = (".", "--baseline", "known.json", "--format")
    found = json.loads(run(*command, "json").out)["diagnostics"]
    assert [(d["file"], d["baselined"]) for d in found] == [
        ("clean.py", False), ("racy.py", True), ("unproven.py", True)]
    results = json.loads(run(*command, "sarif").out)["runs"][0]["results"]
    assert [r["baselineState"] for r in results] == ["new", "unchanged", "unchanged"]
    for form in ("concise", "github", "gitlab", "junit", "text"):
        out = run(*command, form).out
        assert "clean.py" in out and "racy.py:8" not in out


def test_the_file_is_the_same_for_any_number_of_jobs(run: Run) -> None:
    for number in range(8):
        Path(f"k{number}.py").write_text(RACY.replace("racy", f"racy{number}") + "\n#" + "x" * 8000 + "\n")
    texts = set()
    for jobs in ("1", "2"):
        for cache in ([], ["--no-cache"]):
            run(".", "--baseline", "known.json", "--update-baseline", "--jobs", jobs, *cache)
            texts.add(Path("known.json").read_text())
    assert len(texts) == 1
    runs = [run(".", "--baseline", "known.json", "-v", "--jobs", jobs) for jobs in ("1", "2", "3")]
    assert len({(r.status, r.out, r.err) for r in runs}) == 1
    lines = [line for line in texts.pop().splitlines() if '"file"' in line]
    assert lines == sorted(lines) and len(lines) == 10


def test_standard_input_is_compared_with_the_baseline(run: Run) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    command = ("-", "--stdin-filename", "racy.py", "--baseline", "known.json", "--format", "concise")
    assert run(*command, stdin="# moved\n" + RACY).status == 0
    assert codes(run(*command, stdin=TWO).out) == ["TC101"]
    refused = run("-", "--baseline", "known.json", "--update-baseline", stdin=RACY)
    assert refused.status == 2 and "standard input has no file" in refused.err


@pytest.mark.parametrize(("arguments", "message"), [
    (["--update-baseline"], "there is no baseline: pass --baseline FILE"),
    (["--baseline", "none.json"], "none.json: no such file; `--update-baseline` writes it"),
    (["--baseline", "x.json", "--update-baseline", "--prune-baseline"], "exclude each other"),
    (["--baseline", "x.json", "--update-baseline", "--since", "HEAD"], "--since excludes findings"),
    (["--baseline", "no/such/x.json", "--update-baseline"], "No such file or directory"),
    (["--baseline", ".", "--update-baseline"], "no such file"),
])
def test_impossible_requests_are_reported_in_a_line(run: Run, arguments: list[str], message: str) -> None:
    result = run("racy.py", *arguments)
    assert result.status == 2 and message in result.err and re.fullmatch("error: [^\n]*\n", result.err)
    assert not Path("x.json").exists()


def test_unproven_findings_are_known_under_strict(run: Run) -> None:
    run("unproven.py", "--strict", "--baseline", "known.json", "--update-baseline")
    assert len(entries()) == 2
    assert run("unproven.py", "--strict", "--baseline", "known.json").status == 0
    Path("unproven.py").write_text(UNPROVEN)
    assert run("unproven.py", "--baseline", "known.json", "--no-error-stale-baseline").status == 0

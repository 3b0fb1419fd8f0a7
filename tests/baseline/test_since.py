"""`--since REV`: only findings that can have changed, in kernels whose code, helpers, contracts or launches did."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.baseline.conftest import Git, commit
from tests.cli.conftest import RACY, Run

HELPERS = """\
import cuda.tile as ct

from numbers_of import COLUMN

UNUSED = 1


def place(i, j):
    return (i, column(j))


def column(j):
    return COLUMN


def other(i, j):
    return (i, 0)
"""

FIRST = """\
import cuda.tile as ct

import helpers
from helpers import place as where


@ct.kernel
def first(a, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, where(i, j), ct.load(a, (i, j), (T, T)))


@ct.kernel
def second(a, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, helpers.other(i, j), ct.load(a, (i, j), (T, T)))
"""

THIRD = """\
import cuda.tile as ct


@ct.kernel
def third(ids, a, c, T: ct.Constant[int]):
    row = ct.load(ids, (ct.bid(0),), (1,)).item()
    ct.store(c, (row, 0), ct.load(a, (ct.bid(0), 0), (1, T)))
"""

HOST = """\
import cuda.tile as ct

from sizes import grid_of
from pkg.first import first
from pkg.third import third


def run_first(stream, a, c):
    ct.launch(stream, grid_of(a), first, (a, c, 16))


def run_third(stream, ids, a, c):
    ct.launch(stream, (4, 1, 1), third, (ids, a, c, 16))


def main(stream, a, c, ids):
    run_first(stream, a, c)
    run_third(stream, ids, a, c)
"""

SIZES = """\
def grid_of(a):
    return (4, width(), 1)


def width():
    return 4


def idle():
    return 1
"""

FILES = {
    "helpers.py": HELPERS,
    "numbers_of.py": "COLUMN = 0\nROW = 1\n",
    "pkg/__init__.py": "",
    "pkg/first.py": FIRST,
    "pkg/third.py": THIRD,
    "sizes.py": SIZES,
    "host.py": HOST,
}

Reported = Callable[..., set[str]]


@pytest.fixture
def reported(run: Run, git: Git) -> Reported:
    """The kernels that have findings since a revision, in a project of several modules."""
    for name in ("racy.py", "clean.py", "unproven.py"):
        Path(name).unlink()
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    commit(git)

    def call(revision: str = "HEAD", *arguments: str) -> set[str]:
        result = run(".", "--since", revision, "--format", "json", *arguments)
        assert result.status in (0, 1), result.err
        return {d["kernel"] for d in json.loads(result.out)["diagnostics"]}

    return call


def edit(file: str, old: str, new: str) -> None:
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


def test_nothing_is_reported_when_nothing_changed(run: Run, reported: Reported) -> None:
    assert reported() == set()
    result = run(".", "--since", "HEAD")
    assert result.status == 0
    assert re.search(r"Not shown: \d+ findings in code that did not change\.\n$", result.out)
    report = json.loads(run(".", "--since", "HEAD", "--format", "json").out)
    assert report["unchanged"] >= 3
    assert {k["name"] for k in report["kernels"]} == {"first", "second", "third"}  # verdicts are there all the same
    assert {k["name"]: k["verdict"] for k in report["kernels"]}["first"] == "refuted"


CHANGES: dict[str, tuple[str, str, str, set[str]]] = {
    "the kernel itself": ("pkg/first.py", "def first(a, c", "def first(a, c, n", {"first"}),
    "its body": ("pkg/first.py", "ct.store(c, where(i, j)", "ct.store(c, where(j, i)", {"first"}),
    "the other kernel of the file": ("pkg/first.py", "helpers.other(i, j)", "helpers.other(i, i)", {"second"}),
    "a helper of another module": ("helpers.py", "return (i, column(j))", "return (i, column(i))", {"first"}),
    "a helper of a helper": ("helpers.py", "return COLUMN", "return COLUMN + 0", {"first"}),
    "a constant of a third module": ("numbers_of.py", "COLUMN = 0", "COLUMN = 1", {"first"}),
    "another constant there": ("numbers_of.py", "ROW = 1", "ROW = 2", set()),
    "a helper by way of its module": ("helpers.py", "return (i, 0)", "return (i, 1)", {"second"}),
    "a helper that nothing uses": ("helpers.py", "UNUSED = 1", "UNUSED = 2", set()),
    "an import": ("pkg/first.py", "place as where", "other as where", {"first"}),
    "an import of something else": ("pkg/first.py", "import helpers\n", "import helpers\nimport os\n", set()),
    "an import beside it": ("host.py", "from sizes import grid_of", "from sizes import grid_of, idle", set()),
    "a launch": ("host.py", "third, (ids, a, c, 16)", "third, (ids, a, c, 32)", {"third"}),
    "what a launch is computed with": ("sizes.py", "return (4, width(), 1)", "return (2, width(), 1)", {"first"}),
    "what that is computed with": ("sizes.py", "return 4\n", "return 8\n", {"first"}),
    "what no launch is computed with": ("sizes.py", "return 1\n", "return 8\n", set()),
    "what calls the launches": ("host.py", "run_third(stream, ids, a, c)\n", "run_third(stream, ids, c, a)\n",
                                {"first", "third"}),
    "comments": ("pkg/third.py", "    row = ", "    # the row\n    row = ", set()),
    "lines move": ("pkg/third.py", "import cuda.tile as ct\n", "import cuda.tile as ct\n\n\n\n", set()),
    "layout": ("pkg/third.py", "ct.store(c, (row, 0),", "ct.store(\n        c,\n        (row, 0),", set()),
    "a contract in a comment": (
        "pkg/third.py", "    row = ", "    # tilecheck: requires T >= 1\n    row = ", {"third"}),
    "an opt-out": ("pkg/third.py", "@ct.kernel", "# tilecheck: allow[TC901] why\n@ct.kernel", {"third"}),
    "a name bound anew": ("numbers_of.py", "ROW = 1\n", "ROW = 1\nif ROW:\n    COLUMN = 0\n", {"first"}),
    "a decorator": ("pkg/third.py", "@ct.kernel\n", "@ct.kernel(occupancy=2)\n", {"third"}),
    "a definition under a condition": (
        "helpers.py", "def column(j):\n    return COLUMN\n",
        "if True:\n    def column(j):\n        return COLUMN\n", {"first"}),
}


@pytest.mark.parametrize("how", ["worktree", "index", "commit"])
@pytest.mark.parametrize("change", ["its body", "a helper of a helper", "a launch"])
def test_a_change_in_any_dependency_counts(git: Git, reported: Reported, change: str, how: str) -> None:
    file, old, new, expected = CHANGES[change]
    edit(file, old, new)
    if how == "index":
        git("add", "-A")
    if how == "commit":
        commit(git)
    assert reported("HEAD~1" if how == "commit" else "HEAD") == expected


@pytest.mark.parametrize("change", CHANGES)
def test_changes_to_dependencies_of_a_kernel_count(reported: Reported, change: str) -> None:
    file, old, new, expected = CHANGES[change]
    edit(file, old, new)
    assert reported() == expected


def test_commits_of_others_are_not_changes(git: Git, reported: Reported) -> None:
    git("checkout", "-q", "-b", "work")
    edit("pkg/third.py", "(row, 0), ct", "(row, 1), ct")
    commit(git)
    git("checkout", "-q", "main")
    edit("helpers.py", "return COLUMN", "return COLUMN + 0")
    commit(git)
    git("checkout", "-q", "work")
    assert reported("main") == {"third"}


def test_files_that_git_does_not_know_count(reported: Reported) -> None:
    Path("new.py").write_text(RACY)
    assert reported() == {"racy"}
    with Path(".gitignore").open("a") as stream:
        stream.write("new.py\n")
    assert reported() == set()
    assert reported("HEAD", "--no-respect-gitignore") == {"racy"}


def test_a_new_module_that_is_imported_counts(reported: Reported) -> None:
    Path("more.py").write_text("def zero():\n    return 0\n")
    edit("helpers.py", "import COLUMN\n", "import COLUMN\nfrom more import zero\n")
    edit("helpers.py", "    return COLUMN", "    return zero()")
    assert reported() == {"first"}


def test_a_file_with_another_name_is_the_same_file(git: Git, reported: Reported) -> None:
    git("mv", "pkg/third.py", "pkg/fourth.py")
    edit("host.py", "pkg.third", "pkg.fourth")
    assert reported() == {"third"}  # the import of the launch is another
    git("checkout", "-q", "HEAD", "--", "host.py")
    Path("host.py").write_text(HOST.replace("from pkg.third import third\n", ""))
    git("add", "-A")
    git("commit", "-q", "-m", "no launch")
    git("mv", "pkg/fourth.py", "pkg/fifth.py")
    assert reported() == set()
    edit("pkg/fifth.py", "(row, 0), ct", "(row, 1), ct")
    assert reported() == {"third"}


def test_a_deleted_module_is_a_change(reported: Reported) -> None:
    Path("numbers_of.py").unlink()
    assert reported() == {"first"}


def test_a_contract_in_an_overlay_counts(git: Git, reported: Reported) -> None:
    Path("contracts.toml").write_text('[contracts]\n"pkg/first.py::second" = ["T >= 1"]\n')
    commit(git)
    assert reported("HEAD", "--contracts", "contracts.toml") == set()
    Path("contracts.toml").write_text(
        '# moved\n[contracts]\n"pkg/first.py::second" = ["T >= 1"]\n"third.py::third" = ["T >= 2"]\n')
    assert reported("HEAD", "--contracts", "contracts.toml") == {"third"}
    Path("more.toml").write_text('[contracts]\n"pkg/first.py::first" = ["T >= 2"]\n')
    assert reported("HEAD", "--contracts", "contracts.toml", "--contracts", "more.toml") == {"first", "third"}


@pytest.mark.parametrize("local", ["import pkg.third as m", "from pkg import third as m", "import pkg.third"])
def test_imports_in_functions_are_followed(git: Git, reported: Reported, local: str) -> None:
    name = "m.third" if local.endswith(" m") else "pkg.third.third"
    Path("late.py").write_text(
        f"import cuda.tile as ct\n\n\ndef late(stream, x, n):\n    {local}\n"
        f"    ct.launch(stream, (n, 1, 1), {name}, (x, x, x, 16))\n")
    commit(git)
    assert reported() == set()
    edit("late.py", "(n, 1, 1)", "(n + 1, 1, 1)")
    assert reported() == {"third"}


def test_conditional_imports_are_followed(git: Git, reported: Reported) -> None:
    edit("pkg/first.py", "import helpers\n",
         "try:\n    import helpers\n    import pkg.third\nexcept ImportError:\n    helpers = None\n")
    commit(git)
    edit("pkg/third.py", "(row, 0), ct", "(row, 1), ct")
    assert reported() == {"third"}
    edit("helpers.py", "return (i, 0)", "return (i, 1)")
    assert reported() == {"second", "third"}


def test_star_imports_are_followed(git: Git, reported: Reported) -> None:
    edit("pkg/first.py", "from helpers import place as where", "from helpers import *\nwhere = place")
    commit(git)
    edit("helpers.py", "return COLUMN", "return COLUMN + 0")
    assert reported() == {"first"}
    git("checkout", "-q", "--", ".")
    edit("pkg/first.py", "from helpers import *", "from numbers_of import *")
    assert reported() == {"first", "second"}  # any name in them may have come from there


def test_a_moved_relative_import_has_another_target(git: Git, reported: Reported) -> None:
    Path("pkg/deep").mkdir()
    Path("pkg/deep/__init__.py").write_text("")
    Path("pkg/deep/index.py").write_text("def at(i, j):\n    return (i, 0)\n")
    Path("pkg/index.py").write_text("def at(i, j):\n    return (i, 0)\n")
    Path("pkg/fourth.py").write_text(
        FIRST.partition("\n\n\n@ct.kernel\ndef second")[0].replace("import helpers\n", "").replace(
            "from helpers import place as where", "from .index import at as where").replace("def first", "def fourth"))
    commit(git)
    git("mv", "pkg/fourth.py", "pkg/deep/fourth.py")
    assert reported() == {"fourth"}


def test_since_works_from_another_folder_and_for_a_part(
    run: Run, reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit("pkg/third.py", "(row, 0), ct", "(row, 1), ct")
    top = Path.cwd()
    monkeypatch.chdir(top / "pkg")
    assert json.loads(run("..", "--since", "HEAD", "--format", "json").out)["unchanged"] > 0
    assert reported() == {"third"}
    monkeypatch.chdir(top.parent)
    assert {d["kernel"] for d in json.loads(
        run(str(top / "pkg" / "third.py"), "--since", "HEAD", "--format", "json").out)["diagnostics"]} == {"third"}


def test_the_report_is_the_same_for_any_number_of_jobs(run: Run, reported: Reported) -> None:
    edit("helpers.py", "return COLUMN", "return COLUMN + 0")
    for number in range(8):
        Path(f"k{number}.py").write_text(RACY.replace("racy", f"racy{number}") + "\n#" + "x" * 8000 + "\n")
    runs = [run(".", "--since", "HEAD", "--jobs", jobs, *more) for jobs in ("1", "2") for more in ((), ("--no-cache",))]
    assert len({(r.status, r.out) for r in runs}) == 1


def test_with_a_baseline_both_apply(run: Run, reported: Reported) -> None:
    run(".", "--baseline", "known.json", "--update-baseline")
    edit("pkg/third.py", "(row, 0), ct", "(row, 1), ct")
    assert reported("HEAD", "--baseline", "known.json", "--no-error-stale-baseline") == {"third"}
    run(".", "--baseline", "known.json", "--update-baseline")
    found = json.loads(run(".", "--since", "HEAD", "--baseline", "known.json", "--format", "json").out)
    assert {(d["kernel"], d["baselined"]) for d in found["diagnostics"]} == {("third", True)}
    assert run(".", "--since", "HEAD", "--baseline", "known.json", "--format", "concise").out == ""


@pytest.mark.parametrize("revision", ["nope", "--help", "-h", "", "HEAD~99", ":/nothing", "a b"])
def test_an_unknown_revision_is_an_error_in_one_line(run: Run, reported: Reported, revision: str) -> None:
    result = run(".", f"--since={revision}")
    assert result.status == 2
    assert result.err.startswith(f"error: --since: there is no revision '{revision}' in this repository")
    assert result.err.count("\n") == 1


def test_a_folder_outside_a_repository_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    result = run("racy.py", "--since", "HEAD")
    assert result.status == 2 and result.err.startswith("error: --since: not in a git repository")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run("racy.py", "--since", "HEAD")
    assert result.status == 2 and result.err.startswith("error: --since: git cannot be run")


def test_unrelated_histories_are_an_error(run: Run, git: Git, reported: Reported) -> None:
    git("checkout", "-q", "--orphan", "apart")
    git("commit", "-q", "-m", "apart")
    result = run(".", "--since", "main")
    assert result.status == 2 and "have no commit in common" in result.err


def test_git_runs_no_program_of_the_repository(run: Run, git: Git, reported: Reported, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command"):
        git("config", key, str(program))
    Path(".gitattributes").write_text("*.py diff=x\n")
    edit("pkg/third.py", "(row, 0), ct", "(row, 1), ct")
    assert reported() == {"third"}
    assert not mark.exists()

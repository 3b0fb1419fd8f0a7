"""The wheel, as a newcomer meets it: what is in it, and every command in an environment that has nothing else."""

from __future__ import annotations

import configparser
import resource
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.markdown import blocks
from tests.integrations.conftest import ROOT, environment, git, run

pytestmark = pytest.mark.slow

LIMIT_S = 60.0
"""From the first command of the README to the first finding, on a machine with nothing else to do."""


def test_the_wheel_has_exactly_the_package_files(wheel: Path, source: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        entries = configparser.ConfigParser()
        (found,) = [name for name in names if name.endswith(".dist-info/entry_points.txt")]
        entries.read_string(archive.read(found).decode())
    code = set(git(source, "ls-files", "tilecheck", "tilecheck_runtime").split("\n"))
    stubs = {f"cuda-stubs/{name.removeprefix('stubs/cuda-stubs/')}"
             for name in git(source, "ls-files", "stubs/cuda-stubs").split("\n")}
    assert {"tilecheck/py.typed", "tilecheck_runtime/py.typed", "tilecheck/schemas/report-1.json",
            "tilecheck/visualize/page.js", "tilecheck/visualize/page.css", "tilecheck/visualize/picture.css"} <= code
    assert "cuda-stubs/tile/__init__.pyi" in stubs
    assert {name for name in names if ".dist-info/" not in name} == code | stubs
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"console_scripts": project["scripts"], **project["entry-points"]}
    assert {section: dict(entries[section]) for section in entries.sections()} == wanted


@dataclass(frozen=True)
class Newcomer:
    """A user with the wheel in an environment of its own, in a repository with the examples."""

    program: Path
    folder: Path

    def tilecheck(self, command: str) -> subprocess.CompletedProcess[str]:
        return run(self.program, *shlex.split(command), folder=self.folder)


@pytest.fixture(scope="module")
def newcomer(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """With no extra."""
    folder = tmp_path_factory.mktemp("newcomer")
    done = run(sys.executable, "-m", "venv", folder / "venv", folder=folder)
    assert done.returncode == 0, done.stderr
    done = run(folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, folder=folder)
    assert done.returncode == 0, done.stderr
    project = folder / "project"
    shutil.copytree(ROOT / "examples", project / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "examples")
    return Newcomer(folder / "venv" / "bin" / "tilecheck", project)


RACY = "examples/head_permutation.py::permute_heads_racy"
WORKS = [
    ("--version", 0, "tilecheck "),
    ("--help", 0, "(not available without pip install 'tilecheck[cpu]')"),
    ("check examples", 1, "error[TC101]: blocks (0, 0) and (1, 0) both write dst[0, 0, 0, 0]"),
    ("examples/softmax.py", 0, "No findings in 1 file"),
    ("examples --format sarif", 1, '"TC101"'),
    ("examples --fix --diff", 0, "nothing would be fixed"),
    ("examples --baseline known.json --update-baseline", 0, "known.json: 1 finding written"),
    ("examples --baseline known.json", 0, "Not shown: 1 finding of the baseline."),
    ("examples --since HEAD", 0, "Not shown: 1 finding in code that did not change."),
    ("examples --show-settings", 0, "cache"),
    ("examples --show-files", 0, "examples/softmax.py"),
    ("contract examples/softmax.py", 0, "requires "),
    (f"explain {RACY}", 0, "no two blocks write one element: refuted"),
    (f"show {RACY} -o picture.html", 0, "in this launch 32 elements of `dst` collide"),
    (f"show {RACY} -o picture.svg", 0, "in this launch 32 elements of `dst` collide"),
    ("rule TC101", 0, "# TC101: overlapping-write"),
    ("rules", 0, "overlapping-write"),
    ("audit examples", 0, "Suppressions (2)"),
    ("doctor", 0, "-> pip install 'tilecheck[cpu]'"),
    ("completion bash", 0, "_tilecheck_completion"),
    ("server --help", 0, "Language Server Protocol"),
]


@pytest.mark.parametrize(("command", "status", "shown"), WORKS, ids=lambda value: str(value)[:40])
def test_a_command_works_without_any_extra(newcomer: Newcomer, command: str, status: int, shown: str) -> None:
    done = newcomer.tilecheck(command)
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == status, done.stderr
    assert shown in done.stdout + done.stderr


NEEDS = [
    ("server", "server"),
    ("run examples/head_permutation.py", "cpu"),
    ("migrate examples/vector_add.py::vector_add", "cpu"),
    ("build examples/dialect/hello.py::hello --arch sm_90 --sig z=[8]/[4]", "cpu"),
    ("cache info", "cpu"),
]


@pytest.mark.parametrize(("command", "extra"), NEEDS, ids=lambda value: value.split()[0])
def test_an_extra_that_is_missing_is_one_line_with_the_command(newcomer: Newcomer, command: str, extra: str) -> None:
    done = newcomer.tilecheck(command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    assert f"pip install 'tilecheck[{extra}]'" in done.stderr


def test_the_first_finding_of_the_readme_comes_in_time(source: Path, tmp_path: Path,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    """The README's commands as they are, from an empty environment. Prints how long they take."""
    git(tmp_path, "clone", "-q", str(source), "clone")
    (command,) = [b.text.strip() for b in blocks(ROOT / "README.md") if b.before == "<!-- run -->"]
    before = _processor_seconds_of_children()
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tmp_path / "clone", text=True, check=False,
                          env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    took = _processor_seconds_of_children() - before
    assert done.returncode == 0, done.stdout
    assert "error[TC101]" in done.stdout
    with capsys.disabled():
        print(f"\nfrom an empty environment to the first finding: {took:.1f} s of processor time")
    assert took < LIMIT_S


def _processor_seconds_of_children() -> float:
    """Of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

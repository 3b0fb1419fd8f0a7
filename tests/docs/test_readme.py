"""The README: its commands are the ones that work, and the output it shows is the real one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, blocks
from tilecheck.cli import app as cli
from tilecheck.cli.app import main

README = ROOT / "README.md"


def _after(mark: str) -> str:
    (found,) = [block.text for block in blocks(README) if block.before == f"<!-- {mark} -->"]
    return found.strip("\n")


def _run_checker(arguments: list[str]) -> int:
    return main([*arguments, "--no-cache"])


def _run(arguments: list[str]) -> int:
    pytest.importorskip("numpy")
    from tilecheck_runtime.hooks.run import command

    status: int = command(arguments[1:], standalone_mode=False)
    return status


SHOWN = {"output": (1, _run_checker), "output of run": (2, _run)}
"""For each block, the place of its command in the line, and what executes it."""


@pytest.mark.parametrize("mark", SHOWN)
def test_the_output_shown_is_the_real_one(mark: str, monkeypatch: pytest.MonkeyPatch,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    """With UPDATE_README set, writes what is real into the README first."""
    monkeypatch.chdir(ROOT)
    place, execute = SHOWN[mark]
    program, *arguments = shlex.split(_after("run").split("&&")[place + 1])
    assert program == ".venv/bin/tilecheck"
    assert execute(arguments) == 0
    printed = capsys.readouterr()
    output = re.sub("\x1b\\[[0-9;]*m", "", f"{printed.out}{printed.err}").rstrip("\n")
    if os.environ.get("UPDATE_README"):
        before, start, after = README.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n```text\n")
        README.write_text(f"{before}{start}{output}\n```{after.partition('```')[2]}", encoding="utf-8")
    assert output == _after(mark)


DOES = {
    "examples": (1, "error[TC101]: blocks (0, 0) and (1, 0) both write dst[0, 0, 0, 0]"),
    "show": (0, "permute_heads_racy.html: in this launch 32 elements of `dst` collide"),
    "explain": (0, "no two blocks write one element: proved"),
    "contract": (0, "gemm: proved"),
    "rule": (0, "# TC101: overlapping-write"),
    "--fix": (0, "nothing would be fixed"),
    "--update-baseline": (0, "known.json: 1 finding written"),
    "audit": (0, "Suppressions (2)"),
    "run": (1, "two blocks write element [1, 0, 0, 0] of 'dst'"),
    "migrate": (0, "vector_add: proved"),
    "doctor": (0, "extra cpu"),
}
"""The output of each command of the block, by the word that distinguishes it from the others, and its exit status."""


def test_commands_behave_as_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "_plugins", _plugins)
    for line, (word, (status, shown)) in zip(_after("use").split("\n"), DOES.items(), strict=True):
        program, *arguments = shlex.split(line, comments=True)
        assert program == "tilecheck" and word in arguments, line
        done = cli.main(arguments)
        printed = capsys.readouterr()
        assert done == status, f"{line}\n{printed.out}{printed.err}"
        assert shown in re.sub("\x1b\\[[0-9;]*m", "", printed.out + printed.err), line


def _plugins() -> list[EntryPoint]:
    """Commands of the runtime, which are known by themselves only where the package is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [EntryPoint(name, target, cli.PLUGIN_GROUP)
            for name, target in project["entry-points"][cli.PLUGIN_GROUP].items()]


def test_both_commands_are_one_line_that_installs_and_runs() -> None:
    for mark, extra in (("run", "install -q '.[cpu]' "), ("test", "install -q -e '.[test]' ")):
        command = _after(mark)
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip ")
        assert extra in command


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "<!-- test -->" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_links_lead_to_files() -> None:
    pages = [README, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md"]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_all_examples_but_the_racy_one_are_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilecheck.api import check_paths
    from tilecheck.config import Config

    monkeypatch.chdir(ROOT)
    report = check_paths(["examples"], Config(use_cache=False))
    assert {(Path(d.span.file).name, d.kernel, d.code) for d in report.diagnostics} == {
        ("head_permutation.py", "permute_heads_racy", "TC101")
    }
    settled = {k.name for k in report.kernels if k.verdict in ("proved", "conditional")}
    opted_out = {"scattered"}
    assert settled == {k.name for k in report.kernels} - {"permute_heads_racy"} - opted_out
    visible = [k for k in report.kernels if "dialect" not in Path(k.file).parts]  # the others have a grid by themselves
    clauses = [c for k in visible if k.name != "permute_heads_racy" for c in k.contract]
    assert {c.state for c in clauses if c.clause.startswith("grid[")} == {"discharged"}

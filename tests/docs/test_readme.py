"""The README: its commands are the ones that work, and the output it shows is the real one."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, blocks
from tilecheck.cli import main

README = ROOT / "README.md"


def _after(mark: str) -> str:
    (found,) = [block.text for block in blocks(README) if block.before == f"<!-- {mark} -->"]
    return found.strip("\n")


def _checked(arguments: list[str]) -> int:
    return main([*arguments, "--no-cache"])


def _run(arguments: list[str]) -> int:
    pytest.importorskip("numpy")
    from tilecheck_runtime.hooks.run import command

    status: int = command(arguments[1:], standalone_mode=False)
    return status


SHOWN = {"output": (1, _checked), "output of run": (2, _run)}
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

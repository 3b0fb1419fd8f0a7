"""Pages with commands: each command prints what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, Block, blocks
from tilecheck.cli.commands.check import command as check
from tilecheck.report.formats import FORMATS

_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)

PAGES = ("README", "formats", "json-schema", "adoption", "first-kernels", "first-ownership", "tutorial",
         "not-proved", "cuda-tile", "extending")


def _page(name: str) -> list[Block]:
    return list(blocks(ROOT / "docs" / f"{name}.md"))


def _add_metadata(folder: Path) -> Path:
    """The metadata that an installation adds to the path, with the commands of the runtime."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = folder / f"tilecheck-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tilecheck\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text("".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
        for group, points in project["entry-points"].items()))
    return folder


def _update(page: Path, block: Block, command: str, printed: str) -> None:
    """With UPDATE_README set, writes what is real into a block of one command first."""
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace(f"```console\n{block.text}```", f"```console\n$ {command}\n{printed}```", 1),
                    encoding="utf-8")


def _matches(shown: str, real: str) -> bool:
    """Whether real output matches the page; `...` stands for any text."""
    pattern = ".*".join(re.escape(part) for part in shown.split("..."))
    return re.fullmatch(pattern, real, re.DOTALL) is not None


@pytest.mark.parametrize("name", PAGES)
def test_commands_print_the_shown_output(name: str, tmp_path: Path) -> None:
    programs, folder = tmp_path / "bin", tmp_path / "project"
    programs.mkdir()
    folder.mkdir()
    for program, arguments in (("tilecheck", "-m tilecheck"), ("python", "")):
        (programs / program).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        (programs / program).chmod(0o755)
    services = ("GIT_", "GITHUB_", "TILECHECK_", "CI", "FORCE_COLOR")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(services)}
    who = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**kept, **who, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                   "PYTHONPATH": f"{ROOT}{os.pathsep}{_add_metadata(tmp_path / 'site')}",
                   "XDG_CACHE_HOME": str(tmp_path / "user"), "TILECHECK_CACHE_DIR": str(tmp_path / "cache"),
                   "GIT_CONFIG_GLOBAL": "/dev/null"}
    ran = 0
    for block in _page(name):
        file = re.fullmatch(r"<!-- file (\S+) -->", block.before)
        if file:
            (folder / file[1]).write_text(block.text, encoding="utf-8")
        for command, shown in _COMMAND.findall(block.text if block.language == "console" else ""):
            done = subprocess.run(["bash", "-c", f"exec 2>&1; {command}"], cwd=folder, env=environment,
                                  capture_output=True, text=True, check=False)
            if os.environ.get("UPDATE_README") and not _matches(shown, done.stdout):
                _update(ROOT / "docs" / f"{name}.md", block, command, done.stdout)
                shown = done.stdout
            assert _matches(shown, done.stdout), f"line {block.line}: $ {command}\n{done.stdout}"
            assert done.returncode in (0, 1)
            ran += 1
    assert ran


def test_every_format_and_option_is_documented() -> None:
    formats = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in formats for name in FORMATS)
    cli = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    options = {name for parameter in check.params for name in (*parameter.opts, *parameter.secondary_opts)
               if name.startswith("--") and name not in ("--help", "--update-baseline", "--prune-baseline")}
    adoption = (ROOT / "docs" / "adoption.md").read_text(encoding="utf-8")
    assert {name for name in options if f"`{name}" not in cli and f"`{name}" not in adoption} == set()


def test_yaml_on_the_pages_matches_the_files() -> None:
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (github, _gitlab) = [b for b in _page("formats") if b.before == "<!-- workflow -->"]
    steps = yaml.safe_load(github.text)["jobs"]["tilecheck"]["steps"]
    (own,) = [step for step in steps if step["uses"].startswith("example/")]
    assert set(own["with"]) <= set(action["inputs"])
    formats = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in formats for name in action["inputs"])
    (hooks,) = [b for b in _page("adoption") if b.before == "<!-- hooks -->"]
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    shown = yaml.safe_load(hooks.text)["repos"][0]["hooks"]
    assert {hook["id"] for hook in shown} == {hook["id"] for hook in offered}

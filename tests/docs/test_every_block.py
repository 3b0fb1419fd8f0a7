"""No code block of a page is there for show: what no test of its page executes is executed, or read, here.

A block that cannot be run says why in a comment above it, `<!-- not run: REASON -->`.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from tests.docs.claims import CLAIMS, is_claimed, key
from tests.docs.markdown import ROOT, Block, blocks
from tilecheck.api import check_source
from tilecheck.cli import app as cli
from tilecheck.config import Config, load_config
from tilecheck.contracts.overlay import parse_overlay
from tilecheck.pipeline.policy import COMPILER
from tilecheck.rules.catalog import RULES

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_FENCE = re.compile(r"^\s*(```|~~~)")
_INSTALL = re.compile(r"pip install 'tilecheck\[(\w+)\]'")
_REASON = re.compile(r"<!-- not run: (\S.+) -->")
SETTINGS = Config(use_cache=False)


def _python(text: str, folder: Path) -> None:
    block = Block("python", text, 0, "")
    if any(code == COMPILER for _, code in block.expected):
        return  # tests/docs/test_rule_pages.py compiles it
    report = check_source(text, "page.py", SETTINGS)
    assert report.failures == ()
    assert {(d.span.line, d.code) for d in report.diagnostics} == block.expected


def _configuration(table: dict[str, Any], text: str, folder: Path) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    load_config([folder])


def _mypy(table: dict[str, Any], text: str, folder: Path) -> None:
    assert all(callable(import_module(name).plugin) for name in table["mypy"]["plugins"])


def _overlay(table: dict[str, Any], text: str, folder: Path) -> None:
    assert parse_overlay(text)


_TABLES: dict[str, Callable[[dict[str, Any], str, Path], None]] = {
    "tilecheck": _configuration, "mypy": _mypy, "contracts": _overlay}


def _toml(text: str, folder: Path) -> None:
    table = tomllib.loads(text)
    inside = table.get("tool", table)
    assert len(inside) == 1
    for name in inside:
        _TABLES[name](inside, text, folder)


def _yaml(text: str, folder: Path) -> None:
    """Hooks, which there are."""
    yaml = pytest.importorskip("yaml")
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    shown = [hook["id"] for repository in yaml.safe_load(text) for hook in repository["hooks"]]
    assert shown and set(shown) <= {hook["id"] for hook in offered}


def _json(text: str, folder: Path) -> None:
    json.loads(text)


def _command_of(name: str) -> click.Command:
    """The command of a name; those of the runtime also where the package is not installed."""
    points = PROJECT["entry-points"][cli.PLUGIN_GROUP]
    if name in points:
        module, _, attribute = points[name].partition(":")
        found = getattr(import_module(module), attribute)
    else:
        found = cli.cli.get_command(click.Context(cli.cli), name)
    assert isinstance(found, click.Command)
    return found


def _usage(line: str) -> None:
    """A command with options that it has: parsed, not run."""
    program, *words = shlex.split(line, comments=True)
    assert program == "tilecheck"
    points = PROJECT["entry-points"][cli.PLUGIN_GROUP]
    named = words[0] in points or cli.cli.get_command(click.Context(cli.cli), words[0]) is not None
    command = _command_of(words[0]) if named else _command_of("check")
    command.make_parser(click.Context(command)).parse_args(words[1:] if named else list(words))


def _line(line: str) -> None:
    install = _INSTALL.fullmatch(line)
    if install:
        assert install[1] in PROJECT["optional-dependencies"]
    elif line.startswith("# tilecheck: "):  # understood, and of no use where nothing is found
        report = check_source(f"x = 1  {line}\n", "page.py", SETTINGS)
        assert {d.code for d in report.diagnostics} == {"TC901"}
    elif line == "pytest --tilecheck":
        assert '"--tilecheck"' in (ROOT / "tilecheck" / "pytest_plugin.py").read_text(encoding="utf-8")
    else:
        _usage(line.removeprefix("$ "))


def _lines(text: str, folder: Path) -> None:
    assert text.strip()
    for line in text.splitlines():
        _line(line)


def _api_of_fixes(text: str) -> None:
    """The example of the page on fixes, on the first example of that page."""
    kernel = next(b.text for b in blocks(ROOT / "docs" / "fixes.md") if b.language == "python")
    (diagnostic,) = [d for d in check_source(kernel, "page.py", SETTINGS).diagnostics if RULES[d.code].fixes]
    names: dict[str, Any] = {"text": kernel, "diagnostic": diagnostic}
    exec(compile(text, "page.py", "exec"), names)
    assert names["fix"].edits


_EXECUTE: dict[str, Callable[[str, Path], None]] = {
    "python": _python, "toml": _toml, "yaml": _yaml, "json": _json, "": _lines}

REST = [(page, block) for page in PAGES for block in blocks(page) if not is_claimed(page, block)]
READ = [(page, block) for page, block in REST if not _REASON.fullmatch(block.before)]


def _name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value.line) if isinstance(value, Block) else repr(value)


@pytest.mark.parametrize(("page", "block"), READ, ids=_name)
def test_a_block_that_its_page_does_not_execute(page: Path, block: Block, tmp_path: Path) -> None:
    if block.before == "<!-- example -->":
        assert key(page) == "docs/fixes.md"
        _api_of_fixes(block.text)
    else:
        assert block.language in _EXECUTE, f"nothing executes this block: {key(page)}:{block.line}"
        _EXECUTE[block.language](block.text, tmp_path)


def test_few_blocks_are_not_run_and_say_why() -> None:
    unread = [(key(page), block.before) for page, block in REST if (page, block) not in READ]
    assert len(unread) <= 5 and all(_REASON.fullmatch(before) for _, before in unread)


def _fences(text: str) -> int:
    return sum(bool(_FENCE.match(line)) for line in text.split("\n"))


@pytest.mark.parametrize("page", PAGES, ids=key)
def test_every_fence_is_seen(page: Path) -> None:
    """Fences that the reader of blocks does not know would hide code."""
    found = list(blocks(page))
    assert _fences(page.read_text(encoding="utf-8")) == 2 * len(found) + sum(_fences(block.text) for block in found)


@pytest.mark.parametrize("page", CLAIMS)
def test_claims_match_the_tests(page: str) -> None:
    """The test that is declared to execute a page reads it, and blocks like these are on it."""
    found = list(blocks(ROOT / page))
    for claim in CLAIMS[page]:
        source = (ROOT / "tests" / "docs" / f"{claim.module}.py").read_text(encoding="utf-8")
        assert f'"{Path(page).name}"' in source or f'"{Path(page).stem}"' in source
        for language in claim.languages:
            assert any(block.language == language for block in found), language
        for mark in claim.marks:
            assert any(re.fullmatch(f"<!-- {mark} -->", block.before) for block in found), mark
            assert re.split(r"[\s:\\]", mark)[0] in source + (ROOT / "tests/docs/console.py").read_text(), mark


def test_blocks_of_commands_begin_with_one() -> None:
    shown = [block for page in PAGES for block in blocks(page) if block.language == "console"]
    assert shown and all(block.text.startswith("$ ") for block in shown)


def test_a_block_that_no_test_executes_is_reported(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```rust\nfn main() {}\n```\n\n```\ntilecheck --no-such-option\n```\n", encoding="utf-8")
    unknown, wrong = blocks(page)
    assert unknown.language not in _EXECUTE
    with pytest.raises(click.NoSuchOption):
        _lines(wrong.text, tmp_path)
    with pytest.raises(AssertionError):
        _lines("rm -r build\n", tmp_path)

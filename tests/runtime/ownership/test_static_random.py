"""On straight-line host code the checker reports the first use that the runtime refuses, or nothing."""

from __future__ import annotations

import gc
import linecache
import traceback
import warnings

import pytest

from tests.runtime.ownership.programs import program
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.search import find_ownership
from tilecheck.project.project import Project
from tilecheck_runtime import NeverRunWarning, OwnershipError

SEEDS = range(120)


def _contracts(text: str) -> set[tuple[int, str]]:
    """Returns the reports on the launches of a kernel from its contract, which need an analysis of the kernels."""
    report = check_source(text, "program.py", Config(use_cache=False, jobs=1))
    return {(d.span.line, d.code) for d in report.diagnostics if d.code == "TC405"}


def _events(text: str) -> list[Event]:
    project = Project(["program.py"], contents={"program.py": text.encode()})
    return [e for e in find_ownership(project, project.module("program.py")).events if e.sure]


def _run_program(text: str, name: str) -> tuple[tuple[int, str] | None, set[int], str]:
    """Returns the refused use, the lines of operations that never ran, and the message."""
    space: dict[str, object] = {"__name__": name}
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), space)
    refused, said = None, ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            space["program"]()  # type: ignore[operator]
        except OwnershipError as error:
            refused, said = (error.use.line, error.code), str(error)
        except (NameError, TypeError, ValueError, IndexError) as error:
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
            refused, said = (lines[-1] or 0, type(error).__name__), str(error)
        gc.collect()
    return refused, {w.lineno for w in caught if w.category is NeverRunWarning}, said


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_refusal_is_the_first_finding(seed):
    text = program(seed)
    refused, never, said = _run_program(text, f"program_{seed}.py")
    if refused is not None and not refused[1].startswith("TC"):
        pytest.skip(said)  # the text makes no sense: a name that was deleted
    events = _events(text)
    others = [e for e in events if e.code != "TC404"]
    if refused is not None and refused[1] == "TC405":
        assert refused in _contracts(text), text
        assert all(e.span.line >= refused[0] for e in others)
        return
    if refused is None:
        assert not others, text
        assert {e.span.line for e in events} == never, text
    else:
        line = min((e.span.line for e in others), default=0)
        codes = {e.code for e in others if e.span.line == line}  # more than one argument of a launch may be wrong
        assert line == refused[0] and refused[1] in codes, f"{text}\n{said}\n{codes}"


def _drop_refused_lines(text: str, name: str) -> tuple[str, set[int]]:
    """The program without the lines that are refused, and the lines of operations that never run."""
    lines = text.splitlines()
    while True:
        refused, never, _ = _run_program("\n".join(lines) + "\n", name)
        if refused is None:
            return "\n".join(lines) + "\n", never
        del lines[refused[0] - 1]


@pytest.mark.parametrize("seed", range(1000, 1016))
def test_programs_without_a_refusal_have_no_finding(seed):
    """A line that uses a name of a refused line is also removed."""
    text, never = _drop_refused_lines(program(seed, 12), f"program_{seed}.py")
    events = _events(text)
    assert [e for e in events if e.code != "TC404"] == [], text
    assert {e.span.line for e in events} == never, text

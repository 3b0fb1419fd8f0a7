"""Small host programs against their executions: each report on a clause at a launch holds in all executions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.interp.host.random_hosts import PARAMETERS, draw_arguments, execute_host, find_wrong_reports_on

_HEADER: Final = """import contextlib
import dataclasses
import functools
import math
import operator
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

import cuda.tile as ct
import lib
import torch


@ct.kernel
def k(x, y, n: ct.Constant[int], T: ct.Constant[int]):
    pass


"""


def read_programs() -> dict[str, dict[str, str]]:
    """The programs by name: the texts of their modules by name."""
    text = (Path(__file__).parent / "semantics.txt").read_text()
    out: dict[str, dict[str, str]] = {}
    for part in re.split(r"^#### ", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        first, *others = re.split(r"^## file ", body, flags=re.MULTILINE)
        files = {"m": _HEADER + _expand(first)}
        for other in others:
            file, _, inner = other.partition("\n")
            files[file.removesuffix(".py")] = _expand(inner)
        out[name] = files
    return out


def _expand(text: str) -> str:
    text = text.replace("run:\n", f"def run({PARAMETERS}):\n")
    return re.sub(r"\blaunch (.*\|.*)", lambda found: _launch([p.strip() for p in found[1].split("|")]), text)


def _launch(parts: list[str]) -> str:
    grid, n, tile, x, y = (*parts, "x", "y")[:5] if len(parts) == 3 else parts
    return f"ct.launch(0, ({grid},), k, ({x}, {y}, {n}, {tile}))"


PROGRAMS: Final = read_programs()


@pytest.fixture(autouse=True)
def raising(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILECHECK_DEBUG", "1")


@pytest.mark.parametrize("name", PROGRAMS)
def test_reports_agree_with_the_execution(name: str) -> None:
    files = dict(PROGRAMS[name])
    text = files.pop("m")
    found = [wrong for wrong in find_wrong_reports_on(text, 7, 24, files, exact=True) if wrong.said != "never launched"]
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_launch(name: str) -> None:
    from random import Random

    files = dict(PROGRAMS[name])
    text = files.pop("m")
    rng = Random(8)
    assert execute_host(text, [draw_arguments(rng) for _ in range(12)], 7, files)

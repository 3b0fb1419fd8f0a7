"""Launches found in a piece of host code, for the tests of this folder."""

from __future__ import annotations

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launches import find_launches
from tilecheck.interp.kernel.access import Param, ParamKind
from tilecheck.project.project import Project
from tilecheck.syntax.tree import Span

PRELUDE = """
import functools
import math
import operator
from dataclasses import dataclass
from types import SimpleNamespace

import torch
import triton
import cuda.tile as ct
from cuda.tile.tune import exhaustive_search


@ct.kernel
def k(x, y, n: ct.Constant[int], T: ct.Constant[int]):
    pass


@ct.kernel
def other(x, y, n: ct.Constant[int], T: ct.Constant[int]):
    pass


"""

_KINDS: tuple[tuple[str, ParamKind], ...] = (("x", "array"), ("y", "array"), ("n", "constant"), ("T", "constant"))
PARAMS = tuple(Param(name, kind, Span("m.py", 1, 0, 1, 0)) for name, kind in _KINDS)


def launches(source: str, **others: str) -> tuple[Launch, ...]:
    """The launches of `m.py`, which holds the prelude and the source; `others` are further modules."""
    return tuple(found for found in all_launches(source, **others) if found.how != "unseen")


def all_launches(source: str, **others: str) -> tuple[Launch, ...]:
    """The same, with those that there may be unseen."""
    files = {"m.py": PRELUDE + source, **{f"{name}.py": text for name, text in others.items()}}
    project = Project(list(files), contents={name: text.encode() for name, text in files.items()})
    return find_launches(project, project.module("m.py"))


def launch(source: str, **others: str) -> Launch:
    """The only launch."""
    (found,) = launches(source, **others)
    return found


def grid(source: str) -> tuple[str, ...]:
    """The grid of the only launch, as text; `?` where it is not known."""
    return tuple("?" if t is None else t.key for t in launch(source).grid)


def evaluate_grid_extent(expression: str, setup: str = "", params: str = "x, y, n, m") -> str:
    """Returns the grid extent that an expression evaluates to, in a function of these parameters."""
    body = "".join(f"    {line}\n" for line in setup.splitlines())
    return grid(f"def run({params}):\n{body}    ct.launch(0, ({expression},), k, (x, y, n, 1))\n")[0]

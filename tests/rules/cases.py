"""Programs with the findings that a rule reports about them, word for word.

    python -m tests.rules.cases             print the cases whose findings differ
    python -m tests.rules.cases --update    write what the rules report now into the test files

A test file of a rule has a tuple `CASES`. Findings are written as a person would list them: the code, the severity, the
line and the message, then the notes and the help, wrapped at 110 columns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from textwrap import indent, wrap
from types import ModuleType
from typing import Final

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, Note, Report

__all__ = ["Case", "all_cases", "cases_of_operations", "check", "dialect", "host", "launch", "operation", "raw", "run"]

FOLDER: Final = Path(__file__).parent

INTERNAL: Final = ("lane0", "#i@", "ceil<", "Opaque", "Unknown", "object at", "Handle", "Term", "__nested")
"""Marks of names that only the checker knows."""


@dataclass(frozen=True)
class Case:
    """A program and the text of its findings.

    strict  whether obligations that are not decided are errors, as with `--strict`
    """

    name: str
    source: str
    findings: str
    strict: bool = False

    def __str__(self) -> str:
        return self.name


def check(case: Case) -> None:
    """Check that a program has the findings of the case, and that each of them says what to do."""
    report = run(case)
    assert not report.failures, report.failures
    assert describe(report.diagnostics) == case.findings
    for d in report.diagnostics:
        assert d.help
        text = " ".join((d.message, d.help, *(n.message for n in d.notes)))
        assert not [mark for mark in INTERNAL if mark in text]


def run(case: Case) -> Report:
    """The report on the program of a case."""
    return check_source(case.source, "case.py", Config(use_cache=False, jobs=1, strict=case.strict))


def describe(diagnostics: tuple[Diagnostic, ...]) -> str:
    """The findings in words."""
    return "".join(line for d in diagnostics for line in _lines(d))


def _lines(d: Diagnostic) -> Iterator[str]:
    yield _wrap(f"{d.code} {d.severity} on line {d.span.line}: {d.message}", "")
    yield from (_wrap(f"{_label(n)}: {n.message}", "    ") for n in d.notes)
    yield _wrap(f"help: {d.help}", "    ")


def _label(n: Note) -> str:
    return "note" if n.span is None else f"note on line {n.span.line}"


def _wrap(text: str, margin: str) -> str:
    lines = wrap(text, 110, initial_indent=margin, subsequent_indent=f"{margin}    ", break_long_words=False,
                 break_on_hyphens=False)
    return "\n".join(lines) + "\n"


# --- sources ---------------------------------------------------------------------------------------------------------

_RAW: Final = """\
import cuda.tile as ct
import torch

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


"""

_OPERATION: Final = """\
import cuda.tile as ct


@ct.kernel
def k(a, b, s, n):
"""

_LAUNCHED: Final = """\
import cuda.tile as ct
import torch


@ct.kernel
def k(a, b):
{body}

def host(stream):
    a = torch.zeros(64, dtype=torch.{a})
    b = torch.zeros(64, dtype=torch.{b})
    ct.launch(stream, (1,), k, (a, b))
"""

_DIALECT: Final = """\
from __future__ import annotations
from typing import Literal, TypeVar
import cuda.tile as ct
from elsewhere import anything
from tilecheck_runtime import Dyn, Mut, Ref, Shared, f8e8m0, f16, f32, i32, kernel
B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
@kernel
"""

_HOST: Final = """\
import torch
from typing import Literal, TypeVar

import cuda.tile as ct
import numpy as np
import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@kernel
def split(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    a.store(x.load_like(a))
    b.store(x.load_like(b))


@kernel
def fixed(z: Mut[f32, Literal[16]], x: Ref[f32, Dyn], by: float, n: int) -> None:
    z.store(x.load_like(z) * by * n)


@ct.kernel
def copy(src, dst, T: ct.Constant[int]):
    ct.store(dst, (ct.bid(0),), ct.load(src, (ct.bid(0),), (T,)))


def run(x: tcr.Tensor, y: tcr.Tensor, z: tcr.Tensor, n: int) -> None:
"""


def raw(text: str) -> str:
    """A module with kernels of cuda.tile, from line 10."""
    return _RAW + text


def operation(body: str) -> str:
    """A kernel with this body, from line 6: `a` and `b` are arrays, `s` is a float and `n` an int."""
    return _OPERATION + indent(body, "    ")


def launch(a: str, b: str, body: str) -> str:
    """A kernel with this body, from line 7, and a launch with arrays of 64 elements of types `a` and `b`."""
    return _LAUNCHED.format(body=indent(body, "    "), a=a, b=b)


def dialect(text: str) -> str:
    """A kernel of the ownership dialect, from line 11."""
    return _DIALECT + text


def host(body: str) -> str:
    """A function with this body, from line 38; `x`, `y` and `z` are tensors of the runtime, `n` an int."""
    return _HOST + indent(body, "    ")


# --- update ----------------------------------------------------------------------------------------------------------

def all_cases() -> Iterator[Case]:
    """The cases of all rules."""
    return (case for module in _modules() for case in module.CASES)


def cases_of_operations() -> Iterator[Case]:
    """The cases that are one kernel with an operation whose operands do not fit."""
    return (case for case in all_cases() if case.source.startswith(_OPERATION))


def _modules() -> Iterator[ModuleType]:
    for path in sorted(FOLDER.glob("*/test_*.py")):
        module = import_module(f"tests.rules.{path.parent.name}.{path.stem}")
        if hasattr(module, "CASES"):
            yield module


def main(arguments: list[str]) -> int:
    """Print the cases whose findings differ, or write their findings into the test files."""
    different = 0
    for module in _modules():
        path = Path(module.__file__ or "")
        text = path.read_text(encoding="utf-8")
        for case in module.CASES:
            now = describe(run(case).diagnostics)
            if now != case.findings:
                different += 1
                print(f"{path.relative_to(FOLDER)}: {case}\n{indent(now, '    ')}")
                at = text.index(f'Case("{case.name}",')
                text = text[:at] + text[at:].replace(f'"""\\\n{case.findings}"""', f'"""\\\n{now}"""', 1)
        if arguments == ["--update"]:
            path.write_text(text, encoding="utf-8")
    return int(bool(different) and arguments != ["--update"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

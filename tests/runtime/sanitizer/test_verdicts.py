"""The checker against the sanitizer: proved obligations are silent in runs, and refuted ones fail."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Any

import pytest

from tests.cases.expectations import FOLDER
from tests.mutation.launches import explore
from tests.oracle.closing import close, list_witnessed
from tests.oracle.generate import Subject
from tests.oracle.loading import load_text
from tests.oracle.replay import Parameter
from tests.oracle.reproducing import reproduce
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic

KERNELS = int(os.environ.get("TILECHECK_VERDICT_KERNELS", "48"))
PARTS = 3
SHARES: dict[Subject, int] = {"races": 10, "bounds": 1, "padding": 0}
"""How many of 40 kernels have a witness of their subject, at least. Padding is refuted in hardly any of them."""
OWN: dict[Subject, tuple[str, ...]] = {
    "races": ("TC101", "TC103", "TC107"), "bounds": ("TC201", "TC202"), "padding": ("TC301",),
}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("subject", SHARES)
def test_generated_kernels(subject: Subject, part: int) -> None:
    share = -(-KERNELS // PARTS) * (1 if subject == "races" else 2)
    made = close(range(part * share, (part + 1) * share), subject)
    print(made.summary())
    assert not made.faults, made.explain_faults()
    assert made.refused * 20 <= made.kernels
    assert made.loud * 12 > made.launches and made.decided * 2 > made.kernels
    assert sum(n for code, n in made.witnesses.items() if code in OWN[subject]) * 40 >= SHARES[subject] * made.kernels


FILES = ("raw_bad", "raw_good", "ordinary_bad", "ordinary_good", "padding_bad", "padding_good", "lints_bad",
         "lints_good", "dialect", "dialect_bad", "dialect_good")
WITHOUT = {"raw_good", "ordinary_good", "padding_bad", "padding_good", "lints_good", "dialect", "dialect_bad",
           "dialect_good"}
"""Files in which no refutation rests on values of a launch."""


def _list_refuted(name: str) -> list[Diagnostic]:
    path = FOLDER / f"{name}.py"
    return list_witnessed(check_source(path.read_text(encoding="utf-8"), path.name, Config(use_cache=False, jobs=1)))


def _parameters(function: Any) -> list[Parameter]:
    """Derives the parameters of a kernel from runs on unknown arguments."""
    known, _ = explore(function, wanted=1, tries=60)
    kinds = {"array": lambda n: Parameter(n, known.ranks.get(n, 1)), "bool": lambda n: Parameter(n, boolean=True)}
    return [kinds.get(kind, Parameter)(name) for name, kind in known.kinds.items()]


def missing(name: str) -> list[tuple[str, str | None, str]]:
    """The refutations of a file whose witness does not happen: code, kernel and why."""
    path = FOLDER / f"{name}.py"
    module, fakes = importlib.import_module(f"tests.cases.{name}"), load_text(path.read_text(), str(path))
    found = _list_refuted(name)
    assert found
    tried = ((d.code, d.kernel, reproduce(getattr(module, d.kernel or ""), _parameters(fakes[d.kernel or ""]), d))
             for d in found)
    return [t for t in tried if t[2]]


@pytest.mark.parametrize("name", [f for f in FILES if f not in WITHOUT])
def test_witnesses_of_the_cases_happen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))  # for host code, which does not run
    assert not missing(name)


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_other_cases_have_no_witness(name: str) -> None:
    assert not _list_refuted(name)

"""Faults of ownership in right host code are found: in the cases, the examples and the documentation."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.docs.markdown import ROOT, blocks
from tests.interp.ownership.injected import KINDS, Fault, faults
from tilecheck.api import check_source
from tilecheck.config import Config

CONFIG = Config(use_cache=False, jobs=1)
CODES = ("TC104", "TC4")
IN_PLACE = ("flat_scatter.py",)
"""Examples whose kernels may have one array as input and output: each element is read and written by one block."""
FEWEST, MOST = 40, 14
"""How many faults there are, and of each kind at most."""


def _sources() -> Iterator[tuple[str, str]]:
    for name in ("host_good.py", "host.py", "host_torch_good.py"):
        yield name, (FOLDER / name).read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in blocks(page):
            launches = "partition(" in block.text or "ct.launch(" in block.text
            if block.language == "python" and not block.expected and launches:
                yield f"{page.stem}_{block.line}.py", block.text
    for example in sorted((ROOT / "examples").glob("*.py")):
        if example.name not in IN_PLACE:
            yield example.name, example.read_text(encoding="utf-8")


@cache
def _list_faults() -> tuple[tuple[str, str, Fault], ...]:
    """File, its text and a fault: of each kind some, from all over the files."""
    found: defaultdict[str, list[tuple[str, str, Fault]]] = defaultdict(list)
    for name, text in _sources():
        for fault in faults(text):
            if name != "host.py" or fault.function.startswith("fine_"):
                found[fault.kind].append((name, text, fault))
    return tuple(fault for of_kind in found.values() for fault in of_kind[::-(-len(of_kind) // MOST)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("injected")
    shutil.copy(FOLDER / "dialect.py", made / "dialect.py")
    return made


def _count_codes(folder: Path, name: str, text: str) -> Counter[str]:
    report = check_source(text, str(folder / name), CONFIG)
    return Counter(d.code for d in report.diagnostics if d.code.startswith(CODES))


def test_faults_are_found(folder):
    """At least nine of ten, of each kind and altogether."""
    before: dict[str, Counter[str]] = {}
    made: defaultdict[str, int] = defaultdict(int)
    missed: defaultdict[str, list[str]] = defaultdict(list)
    for name, text, fault in _list_faults():
        before.setdefault(name, _count_codes(folder, name, text))
        made[fault.kind] += 1
        if not _count_codes(folder, name, fault.text) - before[name]:
            missed[fault.kind].append(f"{name}: {fault}")
    assert sum(made.values()) >= FEWEST and set(made) == set(KINDS)
    for kind in KINDS:
        assert len(missed[kind]) <= 0.1 * made[kind], missed[kind]
    assert sum(map(len, missed.values())) <= 0.1 * sum(made.values())


def test_each_kind_has_several():
    kinds = Counter(fault.kind for *_, fault in _list_faults())
    assert min(kinds[kind] for kind in KINDS) >= FEWEST // len(KINDS)

"""Each operation of cuda.tile has one record, and signatures, stubs, CPU backend and documentation agree with it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from tests.docs.markdown import ROOT
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.operation import Method, Operation
from tilecheck.interp.kernel.signatures import Signature, accepts, parse_signature
from tilecheck.interp.kernel.values import NONE
from tilecheck.ops.catalog import FAMILIES, METHODS, OPERATIONS, TILE_METHODS
from tilecheck.ops.releases import is_known
from tilecheck.project.tilenames import PUBLIC_NAMES
from tilecheck.syntax.tree import Span
from tilecheck_runtime.cpu.execution.namespace import OPERATIONS as ON_A_CPU

PAGE = ROOT / "docs" / "cuda-tile.md"
ELEMENT_TYPES = {name for name, found in OPERATIONS.items() if found.signature == "x=0, /"}
UNKNOWN_VALUES = {"static_exception"}
"""Operations without a value rule: a call ends compilation."""
ACCESSES = ("load", "store", "gather", "scatter", "atomic")


def _read_signature(function: Any, skip: int = 0) -> Signature:
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    positional = tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    named = frozenset(p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))
    required = frozenset(
        p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return Signature("", positional, named, required, any(p.kind is p.VAR_POSITIONAL for p in parameters))


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - ELEMENT_TYPES))
def test_signatures_are_those_of_the_package(name: str) -> None:
    ct = pytest.importorskip("cuda.tile")
    assert _parse(OPERATIONS[name].signature) == _read_signature(getattr(ct, name))


@pytest.mark.parametrize("name", sorted(TILE_METHODS))
def test_signatures_of_methods_of_tiles_are_those_of_the_package(name: str) -> None:
    ct = pytest.importorskip("cuda.tile")
    assert _parse(TILE_METHODS[name].method or "") == _read_signature(getattr(ct.Tile, name), 1)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_signatures_of_methods_of_arrays_are_those_of_the_package(name: str) -> None:
    pytest.importorskip("cuda.tile")
    from cuda.tile import _stub

    method = METHODS[name]
    assert _parse(method.signature) == _read_signature(getattr(getattr(_stub, method.owner), name), 1)


def test_names_of_the_package_have_records() -> None:
    ct = pytest.importorskip("cuda.tile")
    assert set(ct.__all__) == PUBLIC_NAMES
    assert all(is_known(name) for name in ct.__all__)
    assert OPERATIONS.keys() <= set(ct.__all__)


def test_names_are_unique() -> None:
    names = [o.name for family in FAMILIES for o in family.OPERATIONS]
    assert len(set(names)) == len(names)


def test_operations_run_on_a_cpu() -> None:
    assert OPERATIONS.keys() - ELEMENT_TYPES == set(ON_A_CPU)


@pytest.mark.parametrize("operation", [*OPERATIONS.values(), *METHODS.values()], ids=lambda o: o.name)
def test_records_are_complete(operation: Operation | Method) -> None:
    assert (operation.value is None) == (operation.name in UNKNOWN_VALUES)
    assert operation.summary.endswith(".")
    accesses = operation.name.startswith(ACCESSES)
    assert (operation.memory in ("reads", "writes", "updates")) == accesses or operation.name in UNKNOWN_VALUES
    assert operation.memory != "updates" or operation.name.startswith("atomic")


def _parse(text: str) -> Signature:
    return replace(parse_signature(text), text="")


SPAN = Span("m.py", 1, 0, 1, 0)


@pytest.mark.parametrize(("signature", "count", "keywords", "fits"), [
    ("x, /", 1, (), True),
    ("x, /", 0, ("x",), False),
    ("x, /", 2, (), False),
    ("x, axis=None", 1, ("axis",), True),
    ("x, axis=None", 2, ("axis",), False),
    ("x, *, dtype", 1, (), False),
    ("x, *, dtype", 2, (), False),
    ("x, *, dtype", 1, ("dtype",), True),
    ("x, *, dtype=None", 1, ("kind",), False),
    ("format, *args", 4, (), True),
    ("", 0, (), True),
])
def test_calls_fit_signatures(signature: str, count: int, keywords: tuple[str, ...], fits: bool) -> None:
    given: Mapping[str, Any] = dict.fromkeys(keywords, NONE)
    assert accepts(signature, Arguments((NONE,) * count, given, True, SPAN)) is fits


EFFECTS = {"unknown": "any", "none": "", "reads": "reads", "writes": "writes", "updates": "updates"}


def _write_table() -> str:
    rows = ["| operation | result | memory |", "|---|---|---|"]
    for family in FAMILIES:
        rows += [f"| `{o.name}` | {o.summary} | {EFFECTS[o.memory]} |"
                 for o in family.OPERATIONS if o.function and o.name not in ELEMENT_TYPES]
    rows += [f"| `Tile.{o.name}` | {o.summary} | {EFFECTS[o.memory]} |"
             for o in TILE_METHODS.values() if not o.function]
    rows += [f"| `{o.owner}.{o.name}` | {o.summary} | {EFFECTS[o.memory]} |" for o in METHODS.values()]
    return "\n".join(rows)


def test_the_page_lists_the_operations() -> None:
    """UPDATE_README writes the table first."""
    before, mark, rest = PAGE.read_text(encoding="utf-8").partition("<!-- operations -->\n")
    table, end, after = rest.partition("\n<!-- end -->")
    if os.environ.get("UPDATE_README"):
        table = f"\n{_write_table()}\n"
        PAGE.write_text(f"{before}{mark}{table}{end}{after}", encoding="utf-8")
    assert table.strip() == _write_table()

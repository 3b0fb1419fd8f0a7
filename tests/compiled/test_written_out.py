"""What a build has in place of records, kept results and unions does what they do, interpreted as well."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from native_build import MODULES
from native_sources import write_out_caches, write_out_records, write_out_tables, write_out_unions

ROOT = Path(__file__).parents[2]

SOURCE = '''\
"""A module."""

from __future__ import annotations

from dataclasses import (
    dataclass,
    field,
    replace,
)  # all
from functools import cache, lru_cache
from typing import ClassVar, Final
from collections.abc import Mapping
from tilecheck.frozen import record
calls = []
TABLE: Final[Mapping[str, Mapping[str, int]]] = {"é": {}}
COPY: Final[Mapping[str, Mapping[str, int]]] = dict(TABLE)


@record(frozen=True)
class Place:
    """Where é stands."""

    row: int
    names: tuple[str, ...] = ("a", "é"); note: str = field(default="", compare=False, repr=False)  # why
    pair: tuple[int, int] = (
        1,
        2,
    )
    limit: ClassVar[int] = 3

    def moved(self, by: int) -> Place:
        return replace(self, row=self.row + by)


@record(frozen=True)
class Nothing:
    pass


@record(frozen=True, eq=False)
class Single:
    held: list[int] = field(default_factory=lambda: [7])


@record(frozen=True)
class Hashed:
    row: int

    def __hash__(self) -> int:
        return 5


@record(frozen=True)
class Keeping:
    row: int
    kept: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(slots=True)
class Counter:
    count: int = 0
    seen: dict[str, int] = field(default_factory=dict)
@record(frozen=True)
class Base:
    row: int
@record(frozen=True)
class Derived(Base):
    column: int
@record(frozen=True)
class Perhaps:
    found: list[int] | None = field(default_factory=list)
@cache
def double(of: int, *, more: int = 0) -> int:
    calls.append(of)
    return 2 * of + more
@lru_cache(
    maxsize=1 << 2)
def perhaps(name: str) -> str | None:
    calls.append(name)
    return name or None
@lru_cache(maxsize=4)
def longest(names: tuple[str, ...], least: int = 0) -> int:
    calls.append(names)
    return max([least, *map(len, names)])
@cache
def several(*names: str) -> str:
    return "".join(names)
def kind(value: object) -> str:
    number, text = "é" and isinstance(value, int | bool), isinstance(value, float | bool | str)
    if number or text: return "é" if isinstance(value, int) and isinstance(value, int | bool) else "other"
    return "none"
'''


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], ModuleType]:
    """The module as it is, or as a build has it."""
    def load(written: bool) -> ModuleType:
        name = f"written_{'out' if written else 'as_is'}"
        source = tmp_path / f"{name}.py"
        source.write_text(SOURCE, encoding="utf-8")
        if written:
            write_out_tables(source)
            write_out_unions(source)
            write_out_records([source])
            write_out_caches(source)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module(name)
    return load


@pytest.mark.parametrize("written", [False, True])
def test_records_are_what_they_were(made: Callable[[bool], ModuleType], written: bool) -> None:
    m = made(written)
    place = m.Place(1, note="x")
    assert place == m.Place(1) == m.Place(1, ("a", "é"), "", (1, 2)) and hash(place) == hash(m.Place(1))
    assert place != m.Place(2) and place != m.Place(1, pair=(2, 1)) and place != 1
    assert repr(place) == "Place(row=1, names=('a', 'é'), pair=(1, 2))"
    assert m.Place.__doc__ == "Where é stands." and m.Place.limit == 3
    assert place.moved(2) == m.Place(3) and place.moved(2).note == "x"
    with pytest.raises(TypeError):
        m.replace(place, column=1)
    assert dataclasses.replace(place, row=4) == m.Place(4) and dataclasses.replace(place, row=4).note == "x"
    assert [f.name for f in dataclasses.fields(m.Place)] == ["row", "names", "note", "pair"]
    assert pickle.loads(pickle.dumps(place)).note == "x"
    match place:
        case m.Place(row, names):
            assert (row, names) == (1, ("a", "é"))
        case _:
            pytest.fail("it is one")
    with pytest.raises(TypeError):
        m.Place()
    assert m.Nothing() == m.Nothing() and repr(m.Nothing()) == "Nothing()"
    assert m.Single() != m.Single() and m.Single().held == [7] and m.Single().held is not m.Single().held
    assert hash(m.Hashed(1)) == 5 and m.Hashed(1) == m.Hashed(1)
    keeping = m.Keeping(1)
    keeping.kept["a"] = 1
    assert keeping == m.Keeping(1) and dataclasses.replace(keeping).kept == {} and repr(keeping) == "Keeping(row=1)"
    counter = m.Counter()
    counter.count += 1
    counter.seen["a"] = 1
    assert counter == m.Counter(1, {"a": 1}) and m.Counter().seen == {}
    with pytest.raises(TypeError):
        hash(counter)
    assert m.Derived(1, 2) == m.Derived(1, 2)
    assert (m.Perhaps().found, m.Perhaps(None).found) == ([], None)


@pytest.mark.parametrize("written", [False, True])
def test_results_are_kept(made: Callable[[bool], ModuleType], written: bool) -> None:
    m = made(written)
    assert (m.double(2), m.double(2), m.double(2, more=1)) == (4, 4, 5)
    assert (m.perhaps(""), m.perhaps(""), m.perhaps("a")) == (None, None, "a")
    assert m.longest(("ab", "c")) == m.longest(("ab", "c"), least=0) == 2
    assert m.several("a", "b") == "ab"
    assert m.calls[:4] == [2, 2, "", "a"]
    for number in range(40):
        m.perhaps(str(number))
    asked = len(m.calls)
    assert m.perhaps("39") == "39" and len(m.calls) == asked
    assert m.perhaps("0") == "0" and len(m.calls) == asked + 1


def test_what_is_bounded_stays_so(made: Callable[[bool], ModuleType]) -> None:
    m = made(True)
    for number in range(40):
        m.perhaps(str(number))
        assert len(m._kept_perhaps) <= 2 and len(m._older_perhaps) <= 2


@pytest.mark.parametrize("written", [False, True])
def test_unions_are_asked_for_as_before(made: Callable[[bool], ModuleType], written: bool) -> None:
    assert [made(written).kind(value) for value in (1, 1.5, "", b"", None)] == ["é", "other", "other", "none", "none"]


def test_what_is_written_out(made: Callable[[bool], ModuleType]) -> None:
    path = Path(str(made(True).__file__))
    tree = ast.parse(path.read_bytes())
    kept = {node.name: ast.unparse(node.decorator_list[0]) for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list}
    assert kept.keys() == {"Base", "Derived", "Perhaps", "several"}
    assert [ast.unparse(node.annotation) for node in tree.body if isinstance(node, ast.AnnAssign)][:2] == [
        "Final[dict[str, Mapping[str, int]]]", "Final[Mapping[str, Mapping[str, int]]]"]
    assert "| bool" not in path.read_text(encoding="utf-8")


def test_most_of_what_is_compiled_is_written_out(tmp_path: Path) -> None:
    """A class or a function that cannot be is slower, not wrong; this tells when there come to be many."""
    sources = []
    for module in MODULES:
        for file in [ROOT / module] if module.endswith(".py") else (ROOT / module).rglob("*.py"):
            sources.append(tmp_path / f"m{len(sources)}.py")
            sources[-1].write_bytes(file.read_bytes())
    write_out_records(sources)
    for source in sources:
        write_out_caches(source)
    left = [node.name for source in sources for node in ast.parse(source.read_bytes()).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) for decorator in node.decorator_list
            if ast.unparse(decorator).partition("(")[0] in ("record", "dataclass", "cache", "lru_cache")]
    assert len(left) < 20, left

"""References of a kernel's code, and references to a kernel: names, through imports, across modules.

Every name in a unit counts, local or not. An extra dependency reports a finding that could have been
excluded, but a missing one would hide a finding.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from msgspec import Struct

from tilecheck.baseline.units import STARS, units
from tilecheck.project.module import Module
from tilecheck.project.project import Project
from tilecheck.project.resolve import dotted_parts
from tilecheck.syntax.text import SourceError

__all__ = ["ALL", "Reach", "Unit"]

ALL: Final = "<all>"
"""The name of the unit that is a whole module."""

_LONGEST_ANNOTATION: Final = 200

_DEFINING: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Unit(Struct, frozen=True):
    """A name of a module. If the module does not exist, `missing` is true and the path is the name of its import."""

    path: str
    name: str
    missing: bool = False


class Reach:
    """The references between the units of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._uses: dict[Unit, frozenset[Unit]] = {}
        self._by_path: dict[str, Mapping[str, Sequence[ast.stmt]]] = {}

    def uses(self, unit: Unit) -> frozenset[Unit]:
        """The units that a unit refers to directly."""
        if unit not in self._uses:
            self._uses[unit] = frozenset() if unit.missing else frozenset(self._find(unit))
        return self._uses[unit]

    def closure(self, units: Iterable[Unit], leaves: Callable[[Unit], bool] = lambda unit: False) -> frozenset[Unit]:
        """Units and everything that they refer to. References of units for which `leaves` holds do not count."""
        seen: set[Unit] = set()
        left = list(units)
        while left:
            unit = left.pop()
            if unit not in seen:
                seen.add(unit)
                if not leaves(unit):
                    left.extend(self.uses(unit))
        return frozenset(seen)

    def users(self, units: Iterable[Unit], words: Callable[[str], frozenset[str]]) -> Mapping[Unit, frozenset[Unit]]:
        """All units of the checked files that reach one of `units` by reference, and `units` themselves.

        Each is mapped to the units that refer to it directly. `words` returns the words of a file.
        """
        found: defaultdict[Unit, set[Unit]] = defaultdict(set)
        new = set(units)
        while new:
            names = {unit.name for unit in new}
            found.update((unit, set()) for unit in new)
            for module in self._project.modules():
                if names.isdisjoint(words(module.path)):
                    continue
                for candidate in (Unit(module.path, name) for name in self._units_of(module)):
                    for used in self._select_used(candidate, found.keys()):
                        found[used].add(candidate)
            new = {user for users in found.values() for user in users} - found.keys()
        return {unit: frozenset(users) for unit, users in found.items()}

    def _select_used(self, unit: Unit, units: Set[Unit]) -> Set[Unit]:
        """Those of `units` that a unit refers to, directly or through their whole module."""
        uses = self.uses(unit)
        whole = {used.path for used in uses if used.name == ALL}
        return (uses & units) | ({u for u in units if u.path in whole} if whole else set())

    def _units_of(self, module: Module) -> Mapping[str, Sequence[ast.stmt]]:
        if module.path not in self._by_path:
            try:
                self._by_path[module.path] = units(module.skeleton.tree)
            except SourceError:
                self._by_path[module.path] = {}
        return self._by_path[module.path]

    def _find(self, unit: Unit) -> Iterator[Unit]:
        module = self._project.module(unit.path)
        found = self._units_of(module)
        if unit.name == ALL:
            yield from (Unit(module.path, name) for name in found)
            return
        for statement in found.get(unit.name, ()):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                yield from self._imports(module, statement, unit.name)
            else:
                for parts in _chains(statement):
                    yield from self._chain(module, parts)
                # an import in a function is local to it; under a condition it binds names of the module
                name = None if isinstance(statement, _DEFINING) else unit.name
                for inner in ast.walk(statement):
                    if isinstance(inner, ast.Import | ast.ImportFrom):
                        yield from self._imports(module, inner, name)

    def _chain(self, module: Module, parts: tuple[str, ...], depth: int = 0) -> Iterator[Unit]:
        """The units that a dotted name refers to in a module. Each step is a unit, since it may rebind the name."""
        if depth > 20:
            return
        found = self._units_of(module)
        first, rest = parts[0], parts[1:]
        if first not in found:
            if STARS in found:
                yield Unit(module.path, STARS)
                for statement in found[STARS]:
                    if isinstance(statement, ast.ImportFrom):
                        source = self._module(module, statement.module or "", statement.level)
                        if source is not None:
                            yield from self._member(source, parts, depth)
            return
        yield Unit(module.path, first)
        for statement in found[first]:
            if not isinstance(statement, _DEFINING):
                for dotted, level in _imported_names(statement, first):
                    yield from self._follow(module, dotted, level, rest, depth, not rest)

    def _imports(self, module: Module, statement: ast.Import | ast.ImportFrom, name: str | None) -> Iterator[Unit]:
        """The units that an import of one name, or of all names, refers to. A module itself is not a reference."""
        for alias in statement.names:
            bound = alias.asname or alias.name.partition(".")[0]
            if name is None and isinstance(statement, ast.Import):
                yield from self._follow(module, alias.name, 0, (), 0, True)
            elif name is None or bound == name:
                for dotted, level in _imported_names(statement, bound):
                    yield from self._follow(module, dotted, level, (), 0, name is None)

    def _follow(
        self, module: Module, dotted: str, level: int, rest: tuple[str, ...], depth: int, whole: bool = False
    ) -> Iterator[Unit]:
        parts = tuple(part for part in dotted.split(".") if part)
        for count in range(len(parts), -1 if level else 0, -1):
            source = self._module(module, ".".join(parts[:count]), level)
            if source is not None:
                yield from self._member(source, (*parts[count:], *rest), depth, whole)
                return
        yield Unit("/".join(parts), "", missing=True)

    def _member(self, source: Module, parts: tuple[str, ...], depth: int, whole: bool = False) -> Iterator[Unit]:
        if not parts:
            if whole:
                yield Unit(source.path, ALL)
            return
        if parts[0] not in self._units_of(source):
            inner = self._project.by_name("." + parts[0], source) if source.is_package else None
            if inner is not None:
                yield from self._member(inner, parts[1:], depth + 1, whole)
                return
            yield Unit(source.path, parts[0])  # it may have existed before
        yield from self._chain(source, parts, depth + 1)

    def _module(self, importer: Module, dotted: str, level: int) -> Module | None:
        return self._project.by_name("." * level + dotted, importer) if level or dotted else None


def _imported_names(statement: ast.stmt, name: str) -> Iterator[tuple[str, int]]:
    """The dotted names, with the number of leading dots, that an import binds to a name."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname == name:
                    yield alias.name, 0
                elif alias.asname is None and alias.name.partition(".")[0] == name:
                    yield name, 0
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    yield f"{node.module}.{alias.name}" if node.module else alias.name, node.level


def _chains(statement: ast.AST) -> Iterator[tuple[str, ...]]:
    """The names and dotted names in a statement, each once, including those in string annotations."""
    seen: set[tuple[str, ...]] = set()
    left: list[ast.AST] = [statement]
    while left:
        node = left.pop()
        parts = dotted_parts(node) if isinstance(node, ast.Attribute | ast.Name) else None
        if parts is not None:
            if parts not in seen:
                seen.add(parts)
                yield parts
            continue
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            left.extend(_parse_annotation(annotation))
        left.extend(ast.iter_child_nodes(node))


def _parse_annotation(annotation: ast.expr | None) -> Iterator[ast.AST]:
    for node in ast.walk(annotation) if annotation is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < _LONGEST_ANNOTATION:
            try:
                yield ast.parse(node.value, mode="eval")
            except (SyntaxError, ValueError):
                continue

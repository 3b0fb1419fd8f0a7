"""Finds functions that may launch kernels: those that name a launcher, and their callers, to a fixpoint."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilecheck.project.relevance import LAUNCHERS
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, ValueAt, dotted_parts
from tilecheck.project.skeleton import ImportBinding, ValueBinding, binding_facts
from tilecheck.project.targets import ExternalName, TileName
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["Launching", "Mentions", "launching_functions", "relevant_mentions"]

MODULE_BODY: Final = "<module>"

_LAUNCHER: Final = re.compile(rf"\b(?:{'|'.join(sorted(LAUNCHERS))})\b")
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_CALL: Final = re.compile(r"\([ \t]*([\w.]*[A-Za-z_])(?=([ \t]+(?:fed|ssalc))?)")
"""A call by name, for reversed text: it begins with the bracket, which is fast to find."""
_DEFINING: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_ENTRY: Final = {"apply": ("forward", "backward"), "__call__": ("__call__",), "__init__": ("__init__",)}
"""The methods that run for each use of a class or an instance."""


class _Site(Struct, frozen=True):
    """A call by name in the text: the chain of names, and the outermost enclosing function."""

    parts: tuple[str, ...]
    root: str


class Mentions:
    """The facts about one file that the search needs. They depend on the text of the file alone."""

    def __init__(self, module: Module) -> None:
        self.module = module

    @cached_property
    def words(self) -> frozenset[bytes]:
        """The words of the file. This does not parse the file."""
        return frozenset(_WORD.findall(self.module.data))

    @cached_property
    def owns(self) -> bool:
        return self.module.may_own

    @cached_property
    def launches(self) -> bool:
        return self.module.may_launch

    @cached_property
    def _roots(self) -> list[tuple[int, int, str]]:
        return sorted(
            (definition.first_line, definition.end_line, definition.qualname)
            for definition in self.module.skeleton.definitions.values()
            if not definition.outer
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [first for first, _, _ in self._roots]

    def root(self, line: int) -> str:
        """The outermost function around a line."""
        index = bisect_right(self._starts, line) - 1
        return self._roots[index][2] if index >= 0 and line <= self._roots[index][1] else MODULE_BODY

    @cached_property
    def direct(self) -> tuple[str, ...]:
        """Functions that name a launcher in code, not only in comments or strings."""
        lines: defaultdict[str, list[int]] = defaultdict(list)
        text = self.module.text
        number, at = 1, 0
        for match in _LAUNCHER.finditer(text):
            number, at = number + text.count("\n", at, match.start()), match.start()
            lines[self.root(number)].append(number)
        return tuple(
            root for root, found in lines.items() if any(_names_launcher(node) for node in self._nodes(root, found))
        )

    def _nodes(self, root: str, lines: list[int]) -> Iterator[ast.AST]:
        if root != MODULE_BODY:
            yield self.module.skeleton.definitions[root].node
            return
        for statement in self.module.skeleton.tree.body:
            touched = any(statement.lineno <= line <= (statement.end_lineno or 0) for line in lines)
            if touched and not isinstance(statement, _DEFINING):
                yield statement

    @cached_property
    def calls(self) -> tuple[_Site, ...]:
        """Calls by name, each chain once in each function."""
        found: dict[tuple[str, str], None] = {}
        for number, line in enumerate(self.module.lines, 1):
            if "(" in line:
                names = [match[1] for match in _CALL.finditer(line[::-1]) if not match[2]]
                if names:
                    root = self.root(number)
                    found.update(((name, root), None) for name in names)
        return tuple(_Site(tuple(name[::-1].split(".")), root) for name, root in found)

    @cached_property
    def aliases(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Names of this file that are aliases of other names."""
        return tuple(self._aliases())

    def _aliases(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, bounds in self.module.skeleton.scopes[""].items():
            for bound in bounds:
                match bound.binding:
                    case ImportBinding(dotted) if dotted.rpartition(".")[2] != name:
                        yield name, tuple(dotted.split("."))
                    case ValueBinding(value=value):
                        parts = dotted_parts(value)
                        if parts is not None:
                            yield name, parts


def _names_launcher(root: ast.AST) -> bool:
    hidden = _launcher_parameters(root)
    return any(_is_launcher(node, hidden) for node in walk(root)) or (bool(hidden) and any(
        _is_launcher(inner, frozenset()) for node in _evaluated_at_definition(root) for inner in walk(node)))


def _is_launcher(node: ast.AST, hidden: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in LAUNCHERS and node.id not in hidden
    return isinstance(node, ast.Attribute) and node.attr in LAUNCHERS


def _launcher_parameters(root: ast.AST) -> frozenset[str]:
    """The names of launchers that are parameters of a function and are not rebound in it.

    A call of such a parameter is not a launch by the function: the caller that passes a launcher names it.
    """
    if not isinstance(root, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset()
    found = {node.arg for node in walk(root.args) if isinstance(node, ast.arg)} & LAUNCHERS
    return frozenset(found - set(_rebound_names(root.body))) if found else frozenset()


def _rebound_names(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements rebind, also in nested functions."""
    for statement in body:
        for node in walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    yield name
                case ast.alias(name=name, asname=other):
                    yield other or name.partition(".")[0]
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    yield name
                case ast.Global(names=names) | ast.Nonlocal(names=names):
                    yield from names
                case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    yield name
                case ast.MatchMapping(rest=str(name)):
                    yield name


def _evaluated_at_definition(root: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function that are evaluated at its definition."""
    if isinstance(root, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from root.decorator_list
        yield from root.args.defaults
        yield from (default for default in root.args.kw_defaults if default is not None)


class Launching(Struct, frozen=True):
    """The result of the search for functions that may launch.

    functions   by the path of a file: the outermost functions that may launch, in order
    names       the names that the search looked for in calls
    """

    functions: Mapping[str, tuple[str, ...]]
    names: frozenset[str]


def launching_functions(project: Project) -> Launching:
    """Search all files for functions that may launch."""
    search = _Search(project)
    search.run()
    modules = search.modules
    functions = {path: tuple(sorted(names, key=lambda name: _line(modules[path], name)))
                 for path, names in search.found.items()}
    return Launching(functions, frozenset(search.names))


def relevant_mentions(module: Module, names: Collection[str]) -> object:
    """The facts about one file that a search for `names` depends on, without the targets of names in other files.

    Two versions of a file with equal values contribute the same to the search. The value is empty (`False`, then empty
    tuples) for a file that contributes nothing. The `repr` of the value is the same in every process.
    """
    try:
        mentions = module.mentions
        direct = mentions.direct if mentions.launches else ()
        aliases = tuple((name, parts) for name, parts in mentions.aliases if parts[-1] in LAUNCHERS) if (
            mentions.launches) else ()
        sites: tuple[object, ...] = ()
        if not mentions.words.isdisjoint(name.encode() for name in names):
            aliases += tuple((name, parts) for name, parts in mentions.aliases if _is_candidate(parts, names))
            sites = tuple(_site_facts(module, site) for site in mentions.calls if _is_candidate(site.parts, names))
        calling = (site.root for site in mentions.calls if _is_candidate(site.parts, names)) if sites else ()
        roots = {*direct, *calling}
        order = tuple(sorted(roots, key=lambda name: (_line(module, name), name))) if roots else ()
    except SourceError as error:
        return str(error)
    return mentions.owns, direct, aliases, sites, order


def _line(module: Module, name: str) -> int:
    """The line of a function; the body of the module comes last."""
    definition = module.skeleton.definitions.get(name)
    return 1 << 60 if definition is None else definition.node.lineno


def _is_candidate(parts: tuple[str, ...], names: Collection[str]) -> bool:
    return parts[-1] in names or (parts[-1] == "apply" and len(parts) > 1 and parts[-2] in names)


def _site_facts(module: Module, site: _Site) -> object:
    """The facts that determine the target of a call: the enclosing function and the names that it binds."""
    skeleton = module.skeleton
    definition = skeleton.definitions.get(site.root)
    if definition is None:
        return site.parts, site.root
    scopes = skeleton.scope_chain(site.root)[:-1]
    bound = [name for scope in scopes for name in skeleton.scopes[scope]]
    if site.parts[0] not in bound:
        return site.parts, site.root, definition.owner
    local = [binding_facts(skeleton, b) for scope in scopes for bs in skeleton.scopes[scope].values() for b in bs]
    return site.parts, site.root, definition.owner, bound, local


class _Search:
    def __init__(self, project: Project) -> None:
        self.resolver = project.resolver
        self.modules = {module.path: module for module in project.modules()}
        self.broken: set[str] = set()
        self.found: defaultdict[str, set[str]] = defaultdict(set)
        self.names: set[str] = set()

    def run(self) -> None:
        for path, module in list(self.modules.items()):
            try:
                _ = module.mentions.words
                if module.mentions.owns:
                    _ = self.found[path]  # analysed for ownership, even without a launch
                if module.mentions.launches:
                    for root in module.mentions.direct:
                        self.add(path, root)
                    # `from cuda.tile import launch as go`, `go = ct.launch`
                    self.names.update(name for name, parts in module.mentions.aliases if parts[-1] in LAUNCHERS)
            except SourceError:
                del self.modules[path]  # reported by the check of the file itself
        changed = bool(self.names)
        while changed:
            changed = False
            wanted = {name.encode() for name in self.names}
            for path in self.modules:
                if not wanted.isdisjoint(self.modules[path].mentions.words):
                    changed |= self.visit(path)

    def visit(self, path: str) -> bool:
        """Search one file for callers. Return whether any was new."""
        if path in self.broken:
            return False
        module = self.modules[path]
        try:
            sites, aliases = module.mentions.calls, module.mentions.aliases
        except SourceError:
            self.broken.add(path)
            return False
        before = len(self.names), len(self.found[path])
        for name, parts in aliases:
            if self.is_candidate(parts):
                self.names.add(name)
        for site in sites:
            if site.root not in self.found[path] and self.is_candidate(site.parts) and self.launches(module, site):
                self.add(path, site.root)
        return before != (len(self.names), len(self.found[path]))

    def is_candidate(self, parts: tuple[str, ...]) -> bool:
        return _is_candidate(parts, self.names)

    def launches(self, module: Module, site: _Site) -> bool:
        """Whether the target of a call is known to launch."""
        parts = site.parts
        definition = module.skeleton.definitions.get(site.root)
        if parts[0] in ("self", "cls") and definition is not None and definition.owner is not None:
            return len(parts) == 2 and f"{definition.owner}.{parts[1]}" in self.found[module.path]
        try:
            scopes = module.skeleton.scope_chain(site.root)
            return self.is_launching(self.resolver.chain(module, parts, scopes)) or (
                len(parts) > 1 and parts[-1] == "apply"
                and self.runs(self.resolver.chain(module, parts[:-1], scopes), "apply")
            )
        except SourceError:
            return False

    def is_launching(self, origin: Origin | None, depth: int = 0) -> bool:
        match origin:
            case TileName() | ExternalName():
                return origin.name.rpartition(".")[2] in LAUNCHERS
            case FunctionAt():
                return origin.qualname in self.found[origin.module.path]
            case ClassAt():
                return self.runs(origin, "__init__")
            case ValueAt() if depth < 5:
                parts = dotted_parts(origin.binding.value)
                if parts is None:
                    return False
                scopes = origin.module.skeleton.scope_chain(origin.scope)
                if parts[-1] == "apply":
                    return self.runs(self.resolver.chain(origin.module, parts[:-1], scopes), "apply")
                return self.is_launching(self.resolver.chain(origin.module, parts, scopes), depth + 1)
        return False

    def runs(self, origin: Origin | None, how: str) -> bool:
        """Whether this use of a class launches."""
        if not isinstance(origin, ClassAt):
            return False
        return any(f"{origin.qualname}.{method}" in self.found[origin.module.path] for method in _ENTRY[how])

    def add(self, path: str, root: str) -> None:
        self.found[path].add(root)
        if root != MODULE_BODY:
            parts = root.split("#")[0].split(".")
            self.names.update(parts[-2:])


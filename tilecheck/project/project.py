"""The checked tree: its modules, and what names mean across them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tilecheck.project.hosts import Launching, launching_functions
from tilecheck.project.module import Module
from tilecheck.project.packages import Packages, module_file
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, Resolver, ValueAt
from tilecheck.project.targets import ClassTarget, ConstantTarget, FunctionTarget, Target
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Attribute, Expr, Name

__all__ = ["Project"]


class Project:
    """The checked files, and the files beside them that they import.

    files     as the user named them
    roots     directories that the user named: modules are also found by their path below them
    contents  bytes that replace the file on disk, by path
    """

    def __init__(
        self, files: Sequence[Path | str], roots: Iterable[Path | str] = (), contents: Mapping[str, bytes] | None = None
    ) -> None:
        self.files = tuple(str(file) for file in files)
        self.resolver = Resolver(self)
        self._contents = dict(contents or {})
        self._packages = Packages([Path(file) for file in self.files], [Path(root) for root in roots])
        self._modules: dict[str, Module] = {}
        self._launching: Launching | None = None
        for file in self.files:
            self._modules.setdefault(os.path.abspath(file), self._create_module(file))
        # used for every file of a run
        self._keys = tuple(os.path.abspath(file) for file in self.files)
        self._given = frozenset(self._keys)

    def _create_module(self, file: str) -> Module:
        return Module(self, file, self._packages.name(Path(file)), self._contents.get(file))

    def module(self, path: Path | str) -> Module:
        """The module of a file, which need not be a checked file."""
        key = os.path.abspath(path)
        if key not in self._modules:
            self._modules[key] = self._create_module(str(path))
        return self._modules[key]

    def modules(self) -> Iterable[Module]:
        """The checked modules, in the given order."""
        return tuple(self._modules[key] for key in self._keys)

    @property
    def missed(self) -> frozenset[str]:
        """Absolute paths at which no module was found."""
        return frozenset(self._packages.missed)

    def by_name(self, dotted: str, relative_to: Module | None = None) -> Module | None:
        """The module that an import of `dotted` in `relative_to` refers to; None outside the checked tree.

        Leading dots are relative, as in an import statement.
        """
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        if level == 0:
            importer = relative_to.path if relative_to is not None else next(iter(self.files), ".")
            found = self._packages.find(name, importer)
        elif relative_to is None:
            return None
        else:
            folder = os.path.abspath(relative_to.path)
            for _ in range(level):
                folder = os.path.dirname(folder)
            stem = os.path.join(folder, *name.split(".")) if name else folder
            found = module_file(stem, self._packages.missed)
        if found is None:
            return None
        key = os.path.abspath(found)
        return self._modules[key] if key in self._modules else self.module(_as_given(found))

    def lookup(self, module: Module, name: str) -> Target | None:
        """The target of a module-level name; None if it is not bound, or unknown."""
        return self._target(self.resolver.module_name(module, name))

    def may_bind(self, module: Module, name: str) -> bool:
        """Whether a module may bind a name."""
        return self.resolver.may_bind(module, name)

    def is_conditional(self, module: Module, qualname: str) -> bool:
        """Whether a name is bound, or a function defined, under a condition."""
        return self.resolver.is_conditional(module, qualname)

    def resolve(self, module: Module, expr: Expr, scope: str = "") -> Target | None:
        """The target of a name or a dotted chain of names at module level, or in the body of function `scope`.

        Local names of functions are known only if they are imported, defined, or assigned once.
        """
        parts: list[str] = []
        while isinstance(expr, Attribute):
            parts.append(expr.attr)
            expr = expr.value
        if not isinstance(expr, Name):
            return None
        scopes = module.skeleton.scope_chain(scope)
        return self._target(self.resolver.chain(module, (expr.id, *reversed(parts)), scopes))

    def resolve_import(self, module: Module, dotted: str, level: int = 0) -> Target | None:
        """The target of an import in this module: `dotted` after `level` dots, a module or a name in it."""
        return self._target(self.resolver.resolve_import(module, dotted, level))

    @property
    def launching(self) -> Launching:
        """The functions that may launch, by the path of their file. It takes a search through all files."""
        if self._launching is None:
            self._launching = launching_functions(self)
        return self._launching

    @launching.setter
    def launching(self, found: Launching) -> None:
        self._launching = found

    def is_launching(self, module: Module) -> bool:
        """Whether the search for functions that may launch found a file, possibly without a function."""
        return module.path in self.launching.functions

    def host_functions(self, module: Module) -> tuple[str, ...]:
        """See `Module.host_functions`."""
        return self.launching.functions.get(module.path, ())

    def _target(self, origin: Origin | None) -> Target | None:
        match origin:
            case FunctionAt():
                return self._function(origin)
            case ClassAt():
                return self._class(origin)
            case ValueAt():
                return self._constant(origin)
            case _:
                return origin

    def _function(self, origin: FunctionAt) -> Target | None:
        try:
            definition = origin.module.function(origin.qualname)
        except SourceError:
            return None
        outer = origin.module.outer_functions(origin.qualname)
        return None if definition is None else FunctionTarget(origin.module, definition, outer)

    def _class(self, origin: ClassAt) -> Target | None:
        try:
            definition = origin.module.class_(origin.qualname)
        except SourceError:
            return None
        return None if definition is None else ClassTarget(origin.module, definition)

    def _constant(self, origin: ValueAt) -> Target | None:
        try:
            value = origin.module.value(origin.binding)
        except SourceError:
            return None
        return None if value is None else ConstantTarget(origin.module, value, origin.several)


def _as_given(path: Path) -> str:
    """A path, relative to the working directory if it lies below it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative

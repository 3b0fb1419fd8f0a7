"""Resolves names: follows bindings through imports, re-exports and star imports of the checked tree.

It works on skeletons, so resolving a decorator lowers nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from tilecheck.project.runtimenames import RUNTIME, RUNTIME_NAMES
from tilecheck.project.skeleton import (
    Bound,
    ClassBinding,
    FunctionBinding,
    ImportBinding,
    OpaqueBinding,
    StarImport,
    ValueBinding,
)
from tilecheck.project.targets import ExternalName, ModuleTarget, TileName
from tilecheck.project.tilenames import PUBLIC_NAMES
from tilecheck.syntax.text import SourceError

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["ClassAt", "FunctionAt", "Origin", "Resolver", "ValueAt", "dotted_parts"]


class FunctionAt(Struct, frozen=True):
    module: Module
    qualname: str


class ClassAt(Struct, frozen=True):
    module: Module
    qualname: str


class ValueAt(Struct, frozen=True):
    """A value assigned in scope `scope` of a module."""

    module: Module
    binding: ValueBinding
    several: bool = False
    scope: str = ""


Origin: TypeAlias = TileName | ExternalName | ModuleTarget | FunctionAt | ClassAt | ValueAt

_TILE: Final = "cuda.tile"
_DECLARATIONS: Final = frozenset({"requires", "unsafe", "deny_residual"})
_STARS: Final = {RUNTIME: RUNTIME_NAMES, "tilecheck": _DECLARATIONS, "tilecheck.decorators": _DECLARATIONS}
"""The names that `from ... import *` binds, by module."""
_BINDING: Final = frozenset({b"exec", b"globals", b"vars", b"locals", b"setattr", b"__dict__", b"builtins"})
"""Words of code that may bind names whose text does not show."""
_CUTS: Final = 10_000
"""The number of cycles after which results that a cycle interrupted are cached."""


def dotted_parts(node: ast.expr) -> tuple[str, ...] | None:
    """The names of an attribute chain `a.b.c`, or None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else None


def _hides_all(star: StarImport, name: str, count: int) -> bool:
    """Whether a star import that binds a name stands below all `count` bindings of it, under no condition."""
    return not star.conditional and star.before.get(name, 0) == count


class Resolver:
    """Resolves names against a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._active: set[tuple[str, str]] = set()
        self._known: dict[tuple[str, str], Origin | None] = {}
        self._cuts = 0

    def chain(self, module: Module, parts: Sequence[str], scopes: Sequence[str] = ("",)) -> Origin | None:
        """The origin of an attribute chain, in the innermost of `scopes` that binds its first name."""
        origin = self.name(module, parts[0], scopes)
        for part in parts[1:]:
            if origin is None:
                return None
            origin = self.attribute(origin, part, module)
        return origin

    def name(self, module: Module, name: str, scopes: Sequence[str] = ("",)) -> Origin | None:
        """The origin of a name, in the innermost of `scopes` that binds it."""
        for scope in scopes:
            if scope == "":
                return self.module_name(module, name)
            bounds = module.skeleton.scopes[scope].get(name)
            if bounds:
                return self._choose(module, bounds, scope)
        return None

    def module_name(self, module: Module, name: str) -> Origin | None:
        """The origin of a module-level name."""
        key = (module.path, name)
        if key in self._known:
            return self._known[key]
        if key in self._active:
            self._cuts += 1
            return None  # a cycle of imports or aliases
        cuts = self._cuts
        self._active.add(key)
        try:
            bounds = module.skeleton.scopes[""].get(name)
            stars = self._list_rebinding(module, name, bounds) if bounds else ()
            if not bounds or (stars and _hides_all(stars[-1], name, len(bounds))):
                found = self._from_stars(module, name)
            else:
                found = None if stars else self._choose(module, bounds, "")
        finally:
            self._active.discard(key)
        # a result that a cycle interrupted may differ elsewhere; after many cycles it is cached anyway
        if cuts == self._cuts or not self._active or self._cuts > _CUTS:
            self._known[key] = found
        return found

    def may_bind(self, module: Module, name: str) -> bool:
        """Whether a statement, a star import or code such as `exec` may bind a name of a module."""
        return bool(module.skeleton.stars) or name in module.skeleton.scopes[""] or (
            not _BINDING.isdisjoint(module.mentions.words))

    def is_conditional(self, module: Module, qualname: str) -> bool:
        """Whether a statement that binds a name, or defines a function, is under a condition or in a `try`."""
        scope, _, name = qualname.rpartition(".")
        return any(bound.conditional for bound in module.skeleton.scopes.get(scope, {}).get(name, ()))

    def attribute(self, origin: Origin, name: str, importer: Module) -> Origin | None:
        """The origin of `origin.name`."""
        match origin:
            case TileName():
                return TileName(f"{origin.name}.{name}" if origin.name else name)
            case ExternalName():
                return self.resolve_absolute(f"{origin.name}.{name}", importer)
            case ModuleTarget():
                return self._member(origin.module, name)
            case ClassAt():
                qualname = f"{origin.qualname}.{name}"
                known = qualname in origin.module.skeleton.definitions
                return FunctionAt(origin.module, qualname) if known else None
            case ValueAt() if not origin.several:
                return self._of_value(origin, name)
        return None

    def _of_value(self, origin: ValueAt, name: str) -> Origin | None:
        """The origin of `origin.name` if the value is an alias."""
        value = origin.binding.value
        parts = dotted_parts(value)
        key = (origin.module.path, f"{value.lineno}:{value.col_offset}")
        if parts is None or key in self._active:
            self._cuts += 1
            return None
        self._active.add(key)
        try:
            inner = self.chain(origin.module, parts, origin.module.skeleton.scope_chain(origin.scope))
            return None if inner is None else self.attribute(inner, name, origin.module)
        finally:
            self._active.discard(key)

    def _member(self, module: Module, name: str) -> Origin | None:
        try:
            found = self.module_name(module, name)
        except SourceError:
            return None
        if found is None and module.is_package:
            inner = self.project.by_name("." + name, module)
            return None if inner is None else ModuleTarget(inner)
        return found

    def resolve_import(self, module: Module, dotted: str, level: int) -> Origin | None:
        """The origin of an import: `dotted` after `level` leading dots."""
        if level == 0:
            return self.resolve_absolute(dotted, module)
        parts = [part for part in dotted.split(".") if part]
        for count in range(len(parts), -1, -1):
            found = self.project.by_name("." * level + ".".join(parts[:count]), module)
            if found is not None:
                return self._down(ModuleTarget(found), parts[count:], module)
        return None

    def resolve_absolute(self, dotted: str, importer: Module) -> Origin | None:
        """The origin of an absolute dotted name: the longest prefix that is a module, then its members."""
        if dotted == _TILE or dotted.startswith(_TILE + "."):
            return TileName(dotted[len(_TILE) + 1 :])
        parts = dotted.split(".")
        for count in range(len(parts), 0, -1):
            found = self.project.by_name(".".join(parts[:count]), importer)
            if found is not None:
                return self._down(ModuleTarget(found), parts[count:], importer)
        return ExternalName(dotted)

    def _down(self, origin: Origin | None, parts: Sequence[str], importer: Module) -> Origin | None:
        for part in parts:
            origin = None if origin is None else self.attribute(origin, part, importer)
        return origin

    def _from_stars(self, module: Module, name: str) -> Origin | None:
        for star in reversed(module.skeleton.stars):
            found = self._from_star(module, star, name)
            if found is not None:
                return found
        return None

    def _list_rebinding(self, module: Module, name: str, bounds: Sequence[Bound]) -> tuple[StarImport, ...]:
        """The star imports that bind a name again, below its last binding without a condition."""
        last = max((index for index, bound in enumerate(bounds) if not bound.conditional), default=-1)
        return tuple(star for star in module.skeleton.stars if star.before.get(name, 0) > max(last, 0)
                     and self._from_star(module, star, name) is not None)

    def _from_star(self, module: Module, star: StarImport, name: str) -> Origin | None:
        source = self.resolve_import(module, star.dotted, star.level)
        match source:
            case TileName("") if name in PUBLIC_NAMES:
                return TileName(name)
            case ExternalName(dotted) if name in _STARS.get(dotted, ()):
                return ExternalName(f"{dotted}.{name}")
            case ModuleTarget() if self._exports(source.module, name):
                return self._member(source.module, name)
        return None

    def _exports(self, module: Module, name: str) -> bool:
        """Whether `from module import *` binds a name. True if `__all__` is not a plain list."""
        try:
            bounds = module.skeleton.scopes[""].get("__all__", ())
        except SourceError:
            return False
        values = [bound.binding.value for bound in bounds if isinstance(bound.binding, ValueBinding)]
        if len(values) == len(bounds) == 1 and isinstance(values[0], ast.List | ast.Tuple):
            items = values[0].elts
            if all(isinstance(item, ast.Constant) for item in items):
                return any(isinstance(item, ast.Constant) and item.value == name for item in items)
        return not name.startswith("_") or bool(bounds)

    def _choose(self, module: Module, bounds: Sequence[Bound], scope: str) -> Origin | None:
        """The only origin of a name with these bindings; None if it may have several."""
        last = max((index for index, bound in enumerate(bounds) if not bound.conditional), default=0)
        effective = [bound.binding for bound in bounds[last:]]
        # `try: import x; except ImportError: x = None`
        if any(isinstance(binding, ImportBinding) for binding in effective):
            effective = [binding for binding in effective if not _is_none(binding)]
        opaque = any(isinstance(binding, OpaqueBinding) for binding in effective)
        origins: list[Origin | None] = []
        for binding in effective:
            match binding:
                case ImportBinding():
                    origin = self.resolve_import(module, binding.dotted, binding.level)
                case FunctionBinding():
                    origin = FunctionAt(module, binding.qualname)
                case ClassBinding():
                    origin = ClassAt(module, binding.qualname)
                case ValueBinding():
                    origin = ValueAt(module, binding, len(bounds) > 1, scope)
                case _:
                    continue
            if origin not in origins:
                origins.append(origin)
        return _choose_origin(origins, opaque, all(isinstance(binding, ImportBinding) for binding in effective))


def _is_none(binding: object) -> bool:
    if not isinstance(binding, ValueBinding):
        return False
    return isinstance(binding.value, ast.Constant) and binding.value.value is None


def _is_declaration(dotted: str) -> bool:
    package, _, name = dotted.rpartition(".")
    return package in _STARS and name in _DECLARATIONS


def _choose_origin(origins: Sequence[Origin | None], opaque: bool, imports: bool) -> Origin | None:
    tile = [origin for origin in origins if isinstance(origin, TileName)]
    if len(tile) == 1 and not opaque:
        return tile[0]  # without cuda.tile there is no kernel
    if len(origins) == 1 and not opaque:
        return origins[0]
    declarations = [origin for origin in origins if isinstance(origin, ExternalName) and _is_declaration(origin.name)]
    if declarations and not opaque and len({origin.name.rpartition(".")[2] for origin in declarations}) == 1:
        return declarations[0]  # a fallback for a missing package declares nothing
    values = [origin for origin in origins if isinstance(origin, ValueAt)]
    if values and len(values) == len(origins):
        latest = values[-1]
        return ValueAt(latest.module, latest.binding, True, latest.scope)
    if imports:
        # one object of the checked tree with two import names, one of them not found
        inside = [origin for origin in origins if origin is not None and not isinstance(origin, ExternalName)]
        if len(inside) == 1:
            return inside[0]
    return None

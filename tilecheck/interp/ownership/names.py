"""Name resolution on a path: variables and module-level names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.objects import (
    Blueprint,
    External,
    Kernel,
    Literal_,
    Number,
    Routine,
    Row,
    Scope,
    Unknown,
    Value,
)
from tilecheck.project.resolve import ClassAt, FunctionAt, Origin, ValueAt, dotted_parts
from tilecheck.project.runtimenames import RUNTIME
from tilecheck.project.targets import ExternalName, ModuleTarget, TileName
from tilecheck.symbolic import const
from tilecheck.syntax.text import SourceError

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine
    from tilecheck.project.module import Module

__all__ = ["assign", "attribute_of_module", "literal", "lookup", "origin_value", "unbind"]

MODULE: Final = "<module>"
_DEPTH: Final = 6


def lookup(m: Machine, name: str) -> Value:
    """The value of a name."""
    at: Scope | None = m.scope
    while at is not None:
        if name in at.elsewhere:
            outer = at.elsewhere[name]
            at = m.globals.get(at.module.path) if outer is None else outer
            if at is None:
                return m.unknown(name)
        if name in at.variables:
            return at.variables[name]
        at = at.outer
    module = m.scope.module
    known = m.globals.get(module.path)
    if known is not None and name in known.variables:
        return known.variables[name]
    try:
        found = m.project.resolver.module_name(module, name)
    except SourceError:
        found = None
    if found is None:
        return External(f"builtins.{name}") if not _is_bound(module, name) else m.unknown(name)
    return origin_value(m, found, name)


def _is_bound(module: Module, name: str) -> bool:
    return name in module.skeleton.scopes[""]


def assign(m: Machine, name: str, value: Value) -> None:
    """Binds a name where its function says that it lives."""
    scope = m.scope
    if name in scope.elsewhere:
        found = scope.elsewhere[name]
        target = m.globals.get(scope.module.path) if found is None else found
        if target is None:
            escape(m, (value,))
            return
        scope = target
    scope.variables[name] = value
    scope.versions[name] = scope.versions.get(name, 0) + 1


def unbind(m: Machine, name: str) -> None:
    scope = m.scope
    scope.variables.pop(name, None)
    scope.versions[name] = scope.versions.get(name, 0) + 1


def literal(value: object) -> Value:
    """A constant."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Number(const(value))
    return Literal_(value)


def origin_value(m: Machine, origin: Origin, name: str, depth: int = 0) -> Value:
    """The value of a module-level name."""
    match origin:
        case TileName():
            return External(f"cuda.tile.{origin.name}" if origin.name else "cuda.tile")
        case ExternalName():
            return External(_public(origin.name))
        case ModuleTarget():
            dotted = origin.module.name
            return External(RUNTIME if dotted == RUNTIME else f"module:{origin.module.path}")
        case FunctionAt():
            if origin.module.name == RUNTIME or origin.module.name.startswith(f"{RUNTIME}."):
                return External(f"{RUNTIME}.{name}")
            return function(m, origin.module, origin.qualname)
        case ClassAt():
            if origin.module.name.startswith(f"{RUNTIME}."):
                return External(f"{RUNTIME}.{name}")
            return Blueprint(origin.module, origin.qualname)
        case ValueAt() if not origin.several and not origin.scope and depth < _DEPTH:
            return _constant(m, origin.module, origin.binding.value, name, depth)
    return Unknown(m.make_name(name))


def _public(dotted: str) -> str:
    """`tilecheck_runtime.tensors.create.zeros` is `tilecheck_runtime.zeros`."""
    return f"{RUNTIME}.{dotted.rpartition('.')[2]}" if dotted.startswith(f"{RUNTIME}.") else dotted


def function(m: Machine, module: Module, qualname: str) -> Value:
    """A function of the checked tree, or a kernel."""
    callee = m.kernels.find(module, qualname)
    if callee is not None:
        return Kernel(callee)
    definition = module.skeleton.definitions.get(qualname)
    return m.unknown(qualname) if definition is None else Routine(module, qualname, definition.node)


def _constant(m: Machine, module: Module, node: ast.expr, name: str, depth: int) -> Value:
    match node:
        case ast.Constant():
            return literal(node.value)
        case ast.Tuple():
            return Row(tuple(_constant(m, module, e, name, depth + 1) for e in node.elts))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return literal(-number)
        case ast.Name() | ast.Attribute():
            parts = dotted_parts(node)
            try:
                found = None if parts is None else m.project.resolver.chain(module, parts)
            except SourceError:
                found = None
            return m.unknown(name) if found is None else origin_value(m, found, parts[-1] if parts else name, depth + 1)
    return m.unknown(name)


def attribute_of_module(m: Machine, path: str, name: str) -> Value:
    """`module.name` of a module of the checked tree."""
    module = m.project.module(path)
    known = m.globals.get(module.path)
    if known is not None and name in known.variables:
        return known.variables[name]
    found = m.project.resolver.attribute(ModuleTarget(module), name, m.scope.module)
    return m.unknown(name) if found is None else origin_value(m, found, name)

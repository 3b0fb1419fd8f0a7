"""Resolves names to variables, enclosing functions, module-level definitions and builtins."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tilecheck.interp.kernel.changes import forget_changed
from tilecheck.interp.kernel.coerce import arrays_in
from tilecheck.interp.kernel.device.calls import BUILTIN_NAMES
from tilecheck.interp.kernel.device.note import note_missing, refuse
from tilecheck.interp.kernel.device.paths import note_use
from tilecheck.interp.kernel.interpreter import Frame, Machine
from tilecheck.interp.kernel.path_simplify import decide_condition
from tilecheck.interp.kernel.values import (
    Builtin,
    Choice,
    Class,
    External,
    Function,
    Instance,
    Int,
    ModuleValue,
    Place,
    TileRef,
    Unknown,
    Value,
)
from tilecheck.project.targets import (
    ClassTarget,
    ConstantTarget,
    ExternalName,
    FunctionTarget,
    ModuleTarget,
    Target,
    TileName,
)
from tilecheck.project.tilenames import find_missing
from tilecheck.symbolic import build_opaque
from tilecheck.syntax.tree import Attribute, Call, Comprehension, Constant, DictExpr, Name, Sequence, Span

if TYPE_CHECKING:
    from tilecheck.project.module import Module

BUILTINS = frozenset({
    "range", "min", "max", "abs", "len", "int", "float", "bool", "divmod", "pow", "tuple", "list", "sum", "round",
    "enumerate", "zip", "print", "isinstance", "getattr", "hasattr", "type", "str", "repr", "slice", "sorted",
    "reversed", "all", "any", "map", "filter", "set", "dict", "object", "super", "property", "staticmethod",
    "classmethod", "id", "callable", "issubclass", "complex", "iter", "next", "vars", "setattr",
})


def lookup(m: Machine, name: str, span: Span) -> Value:
    top = m.top
    found = top.env.get(name)
    if found is not None:
        note_use(m, name, span)
    if found is None and name in top.local:
        mark = top.env.get(f"?{name}")
        if isinstance(mark, Place):
            refuse(m, "TC606", "path", mark.span, name, str(span.line))
            return Unknown(f"name {name}")
        loop = next((where for names, where in top.bodies if name in names), None)
        if loop is None:
            refuse(m, "TC606", "unset", span, name)
        else:
            refuse(m, "TC606", "path", loop, name, str(span.line))
        return Unknown(f"name {name}")
    if found is None and top.parent is not None:
        found = top.parent.lookup(name)
    if found is not None:
        return _narrow_choice(m, found) if isinstance(found, Choice) else found
    if name in top.comprehended or _is_local_of(top.parent, name):
        return Unknown(f"name {name}")
    module = top.module
    known = m.globals.get((module, name))
    if known is not None:
        if isinstance(known, TileRef):
            _check_name(m, module, name, known, span)
        elif isinstance(known, Function) and known.definition.decorators and m.noting:
            _check_cached(m, known, span)
        return known
    target = module.lookup(name)
    if target is not None:
        value = from_target(m, target)
        if isinstance(value, TileRef):
            _check_name(m, module, name, value, span)
        if isinstance(target, ConstantTarget):
            _check_constant(m, target, name, span)
        if isinstance(value, Function) and value.definition.decorators and m.noting:
            _check_cached(m, value, span)
        if not isinstance(target, ConstantTarget):  # the value of a name that is defined by itself is yet to come
            m.globals[module, name] = value
        return value
    if name in BUILTINS:
        return Builtin(name)
    if name.startswith("__") and name.endswith("__"):
        return Unknown("name")
    if name in BUILTIN_NAMES:
        return Builtin(name)
    if not m.project.may_bind(module, name):
        refuse(m, "TC606", "undefined", span, name)
    return Unknown(f"name {name}")


def _check_name(m: Machine, module: Module, name: str, value: TileRef, span: Span) -> None:
    """Notes a name that is imported from cuda.tile and does not exist there, unless the import may be left out."""
    if find_missing(value.name) is not None and not m.project.is_conditional(module, name):
        note_missing(m, value.name, span)


def _is_local_of(frame: Frame | None, name: str) -> bool:
    """Whether a function around the one that is executed binds a name, later or on a path that is not followed."""
    while frame is not None:
        if name in frame.local or name in frame.comprehended:
            return True
        frame = frame.parent
    return False


def _check_constant(m: Machine, target: ConstantTarget, name: str, span: Span) -> None:
    """Notes a value of a module that the compiler does not take."""
    what = _CONTAINERS.get(target.value.kind) if isinstance(target.value, (Sequence, Comprehension)) else (
        "a dict" if isinstance(target.value, DictExpr) else None)
    if what is not None and not target.several:
        refuse(m, "TC605", "module value", span, name, what)


def _check_cached(m: Machine, func: Function, span: Span) -> None:
    """Notes a function that a cache wraps."""
    for d in func.definition.decorators:
        with m.suspend_recording():
            named = d.func if isinstance(d, Call) else d
            wrapper = in_module(m, func.module, lambda named=named: m.eval(named))  # type: ignore[misc]
        if isinstance(wrapper, External) and wrapper.name in ("functools.cache", "functools.lru_cache"):
            refuse(m, "TC603", "cached", span, func.definition.name, wrapper.name)


_CONTAINERS: Final = MappingProxyType({"list": "a list", "set": "a set", "generator": "a generator"})


def _narrow_choice(m: Machine, value: Choice) -> Value:
    """The alternative that the path leaves."""
    cond = decide_condition(value.cond, m.path)
    if cond.op not in ("true", "false"):
        return value
    chosen = value.then if cond.op == "true" else value.other
    return _narrow_choice(m, chosen) if isinstance(chosen, Choice) else chosen


def from_target(m: Machine, target: Target) -> Value:
    handler = _TARGETS.get(type(target))
    return Unknown("name") if handler is None else handler(m, target)


def _constant(m: Machine, target: ConstantTarget) -> Value:
    key = (target.module.path, str(target.value.span))
    known = m.constants.get(key)
    if known is None:
        m.constants[key] = Unknown("name defined by itself")
        known = _evaluate(m, target)
        m.constants[key] = known
    return known


def _evaluate(m: Machine, target: ConstantTarget) -> Value:
    """A module-level value. A name that is assigned several times is the same in all blocks, but unknown."""
    value = in_module(m, target.module, lambda: m.eval(target.value))
    if isinstance(target.value, DictExpr) or (isinstance(target.value, Sequence) and target.value.kind != "tuple"):
        return Unknown("container that may have changed", arrays_in(m, value))
    if isinstance(value, Instance) and value.member is None and not _frozen(value):
        return Unknown("object that may have changed", arrays_in(m, value))
    if not target.several:
        return value
    place = target.value.span
    if isinstance(value, Int):
        return Int(build_opaque(f"{target.module.name}:{place.line}", uniform=True))
    return Unknown("name assigned several times", arrays_in(m, value))


def _frozen(value: Instance) -> bool:
    """Whether the fields of an object cannot be set: a frozen dataclass or a named tuple."""
    definition = value.of.definition
    flags = [k for d in definition.decorators if isinstance(d, Call) for k in d.keywords if k.name == "frozen"]
    return any(isinstance(k.value, Constant) and k.value.value is True for k in flags) or any(
        (b.id if isinstance(b, Name) else b.attr if isinstance(b, Attribute) else "") == "NamedTuple"
        for b in definition.bases)


def in_module(m: Machine, module: Module, action: Callable[[], Value]) -> Value:
    """Evaluates host code: nothing in it touches memory."""
    frame, host, via, unroll, loops = m.frame, m.host, m.via, m.unroll, m.loops
    path, alive, exact, changes = m.path, m.alive, m.exact, m.objects_changed
    m.frame, m.host, m.loops = Frame(module), True, ()
    m.python += 1
    try:
        return forget_changed(m, action(), changes)
    finally:
        m.python -= 1
        m.frame, m.host, m.via, m.unroll, m.loops = frame, host, via, unroll, loops
        m.path, m.alive, m.exact = path, alive, exact


def _function(m: Machine, target: FunctionTarget) -> Value:
    if target.outer:
        return Unknown("nested function of another scope")
    return Function(target.definition, target.module)


_TARGETS: dict[type, Callable[..., Value]] = {
    TileName: lambda m, t: TileRef(t.name),
    FunctionTarget: _function,
    ClassTarget: lambda m, t: Class(t.definition, t.module),
    ConstantTarget: _constant,
    ModuleTarget: lambda m, t: ModuleValue(t.module),
    ExternalName: lambda m, t: External(t.name),
}

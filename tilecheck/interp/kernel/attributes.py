"""Attribute access."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator

from tilecheck.dtypes import DType, ElementOf, Weak, get_concrete_type
from tilecheck.interp.kernel.assigned import assigned_names
from tilecheck.interp.kernel.coerce import arrays_in, rank_of, to_array
from tilecheck.interp.kernel.device.note import note_missing, refuse, suggest
from tilecheck.interp.kernel.device.values import check_attribute
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.names import from_target, in_module
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Choice,
    Class,
    Const,
    Data,
    Extents,
    External,
    Function,
    Instance,
    Int,
    Method,
    ModuleValue,
    Named,
    ParamRef,
    Partial,
    TileRef,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import Rank, const, ite, of
from tilecheck.syntax.class_scope import sees_class
from tilecheck.syntax.tree import (
    Annotated,
    Assign,
    Call,
    Expr,
    FuncDef,
    Name,
    Span,
    Subscript,
    get_last_name,
)
from tilecheck.syntax.walk import walk

ARRAY_ATTRIBUTES = frozenset({"shape", "strides", "dtype", "ndim", "slice", "tiled_view", "get_raw_memory"})
VIEW_ATTRIBUTES = frozenset({"tile_shape", "traversal_steps", "num_tiles", "load", "store"})
CONSTANTS = {"math.pi": math.pi, "math.e": math.e, "math.inf": math.inf, "math.nan": math.nan, "math.tau": math.tau}
for _library in ("numpy", "np", "torch"):
    CONSTANTS |= {f"{_library}.inf": math.inf, f"{_library}.pi": math.pi, f"{_library}.nan": math.nan}


def attribute(m: Machine, value: Value, name: str, span: Span) -> Value:
    check_attribute(m, value, name, span)
    handler = HANDLERS.get(type(value))
    return Method(value, name) if handler is None else handler(m, value, name, span)


def _tile_name(m: Machine, value: TileRef, name: str, span: Span) -> Value:
    path = f"{value.name}.{name}" if value.name else name
    note_missing(m, path, span)
    return TileRef(path)


def _external(m: Machine, value: External, name: str, span: Span) -> Value:
    path = f"{value.name}.{name}"
    if path == "cuda.tile":
        return TileRef("")
    return Const(CONSTANTS[path]) if path in CONSTANTS else External(path)


def _module(m: Machine, value: ModuleValue, name: str, span: Span) -> Value:
    target = value.module.lookup(name)
    return Unknown(f"name {name}") if target is None else from_target(m, target)


def _param(m: Machine, value: ParamRef, name: str, span: Span) -> Value:
    if name in ARRAY_ATTRIBUTES and not value.outer:
        ref = to_array(m, value)
        assert ref is not None
        return _array(m, ref, name, span)
    return Method(value, name)


def _array(m: Machine, value: ArrayRef, name: str, span: Span) -> Value:
    handler = _ARRAY.get(name)
    return Method(value, name) if handler is None else handler(m, value, span)


def _dtype(m: Machine, value: ArrayRef, span: Span) -> Value:
    names = sorted({view.root for _, view in value.options})
    known = {m.element_types.get(n.text) for n in names}
    if len(known) == 1 and (dtype := known.pop()) is not None:
        return TileRef(dtype.name)
    types = [ElementOf(n.text) for n in names]
    return Named(" or ".join(map(str, types)), types[0] if len(types) == 1 else None)


def _rank(m: Machine, value: ArrayRef, span: Span) -> Value:
    rank = rank_of(m, value)
    if rank is not None:
        return Int(const(rank), dtype=Weak.INT)
    term = None
    for cond, view in reversed(value.options):
        here = of(Rank(view.root))
        term = here if term is None else ite(cond, here, term)
    return Int(term if term is not None else const(0))


def _tile_shape(m: Machine, value: ArrayRef, span: Span) -> Value:
    shapes = {view.tile for _, view in value.options}
    shape = shapes.pop() if len(shapes) == 1 else None
    return Unknown("tile shape") if shape is None else Tuple(tuple(Int(e, dtype=Weak.INT) for e in shape))


def _steps(m: Machine, value: ArrayRef, span: Span) -> Value:
    shapes = {view.steps for _, view in value.options}
    shape = shapes.pop() if len(shapes) == 1 else None
    return Unknown("traversal steps") if shape is None else Tuple(tuple(Int(e) for e in shape))


_ARRAY: dict[str, Callable[[Machine, ArrayRef, Span], Value]] = {
    "shape": lambda m, v, span: Extents(v, "shape"),
    "strides": lambda m, v, span: Extents(v, "strides"),
    "dtype": _dtype,
    "ndim": _rank,
    "tile_shape": _tile_shape,
    "traversal_steps": _steps,
}


def _tile(m: Machine, value: Int | Bool | Data, name: str, span: Span) -> Value:
    if name == "shape":
        if value.shape is None:
            return Unknown("shape of a tile")
        return Tuple(tuple(Int(e, dtype=Weak.INT) for e in value.shape))
    if name == "ndim":
        return Unknown("rank of a tile") if value.shape is None else Int(const(len(value.shape)), dtype=Weak.INT)
    if name == "dtype":
        if isinstance(value.dtype, DType):
            return TileRef(value.dtype.name)
        weak = value.term.constant if isinstance(value, Int) else None
        if isinstance(concrete := get_concrete_type(value.dtype, weak), DType):
            return TileRef(concrete.name)
        if isinstance(value.dtype, ElementOf):
            return Named(str(value.dtype), value.dtype)
        return Named(m.name("dtype", span))
    return Method(value, name)


def _choice(m: Machine, value: Choice, name: str, span: Span) -> Value:
    if name in ARRAY_ATTRIBUTES:
        ref = to_array(m, value)
        if ref is not None:
            return _array(m, ref, name, span)
    with m.doubt_compilation():
        a, b = attribute(m, value.then, name, span), attribute(m, value.other, name, span)
    if isinstance(a, Method) and isinstance(b, Method):
        return Method(value, name)
    return join(m, value.cond, a, b, span)


def _instance(m: Machine, value: Instance, name: str, span: Span) -> Value:
    if name in value.fields:
        return value.fields[name]
    member = class_member(value.of, name)
    if isinstance(member, FuncDef):
        kinds = {get_last_name(d) for d in member.decorators}
        func = Function(member, value.of.module, value.of.closure, class_defaults(value.of, member))
        if kinds & {"staticmethod"}:
            return func
        bound = Partial(func, (value.of if "classmethod" in kinds else value,), ())
        if kinds & {"property", "cached_property"}:
            from tilecheck.interp.kernel.arguments import Arguments
            from tilecheck.interp.kernel.calls import call

            return call(m, bound, Arguments((), {}, True, span))
        return bound
    if member is not None:
        expr = member
        return in_module(m, value.of.module, lambda: m.eval(expr))
    _check_member(m, value.of, name, span)
    return Unknown(f"attribute {name}", arrays_in(m, value))


def _check_member(m: Machine, cls: Class, name: str, span: Span) -> None:
    """Notes an attribute that a class and its instances do not have."""
    if name.startswith("__") or cls.definition.decorators[1:] or any(
            get_last_name(b) not in ("object", "Enum") for b in cls.definition.bases):
        return
    known = assigned_names(cls.definition.body) | {n for n, _ in fields_of(cls) or ()}
    if is_enum(cls):
        known |= {"name", "value"}
    elif fields_of(cls) is None:
        return
    if name not in known and not _may_change(m, cls, name):
        shown = f"`{cls.definition.name}`"
        close = suggest(name, known)
        how = f"did you mean `{close}`?" if close else f"{shown} has {', '.join(f'`{n}`' for n in sorted(known))}"
        refuse(m, "TC601", "attribute", span, shown, name, how)


def class_member(cls: Class, name: str) -> FuncDef | Expr | None:
    """A method, or the expression a class-level name is set to, where that is the only thing that binds it."""
    binding = [s for s in cls.definition.body if name in assigned_names((s,))]
    if len(binding) != 1:
        return None
    (s,) = binding
    if isinstance(s, FuncDef):
        return s
    plain = isinstance(s, Assign) and all(isinstance(t, Name) for t in s.targets)
    return s.value if plain and isinstance(s, Assign) else None


def class_defaults(cls: Class, method: FuncDef) -> dict[str, Value]:
    """The defaults of a method that are evaluated where the class has names of its own."""
    return {p.name: Unknown("default that sees names of the class") for p in method.params
            if p.default is not None and sees_class(cls.definition, p.default)}


_KEEPING = frozenset({"dataclass", "final", "runtime_checkable", "total_ordering", "unique"})
"""Decorators of a class that leave what it holds as it is."""


def _may_change(m: Machine, cls: Class, name: str) -> bool:
    """Whether something in the file of a class may set what it holds: through another name of it, `cls` or `setattr`,
    or a decorator."""
    if any(get_last_name(d.func if isinstance(d, Call) else d) not in _KEEPING for d in cls.definition.decorators):
        return True
    path = cls.module.path
    if path not in m.stored:
        m.stored[path] = frozenset(_find_stored_attributes(cls.module.skeleton.tree))
    return name in m.stored[path] or "*" in m.stored[path]


def _find_stored_attributes(tree: ast.Module) -> Iterator[str]:
    """The attributes that are set somewhere; `*` for one whose name is not written there."""
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            named = node.args[1] if len(node.args) > 1 else None
            yield named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else "*"


def is_enum(cls: Class) -> bool:
    return any(get_last_name(b) in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") for b in cls.definition.bases)


def _class(m: Machine, value: Class, name: str, span: Span) -> Value:
    member = None if _may_change(m, value, name) else class_member(value, name)
    if isinstance(member, FuncDef):
        func = Function(member, value.module, value.closure, class_defaults(value, member))
        if any(get_last_name(d) == "classmethod" for d in member.decorators):
            return Partial(func, (value,), ())
        return func
    if member is None or sees_class(value.definition, member):
        if member is None:
            _check_member(m, value, name, span)
        return Unknown(f"attribute {name}")
    expr = member
    key = (value.module.path, f"{value.definition.name}.{name}")
    if key not in m.constants:
        inner = in_module(m, value.module, lambda: m.eval(expr))
        if is_enum(value) and not any(get_last_name(b).startswith("Int") for b in value.definition.bases):
            inner = Instance(value, {"name": Const(name), "value": inner}, f"{value.definition.name}.{name}")
        m.constants[key] = inner
    return m.constants[key]


_BASES = frozenset({"object", "NamedTuple", "Generic", "Protocol"})
"""Bases that bring no field."""


def fields_of(cls: Class) -> list[tuple[str, Expr | None]] | None:
    """The fields of a dataclass or named tuple, with their defaults; None when they are not all seen."""
    if any(get_last_name(b.value if isinstance(b, Subscript) else b) not in _BASES for b in cls.definition.bases):
        return None
    out: list[tuple[str, Expr | None]] = []
    for s in cls.definition.body:
        if isinstance(s, Annotated):
            target, annotation, value = s.target, s.annotation, None
        elif isinstance(s, Assign) and s.annotation is not None:
            target, annotation, value = s.targets[0], s.annotation, s.value
        else:
            continue
        kind = get_last_name(annotation.value if isinstance(annotation, Subscript) else annotation)
        if kind == "InitVar" or not isinstance(target, Name):
            return None
        if kind == "ClassVar":
            continue
        if isinstance(value, Call) and get_last_name(value.func) == "field":
            options = {k.name: k.value for k in value.keywords}
            if value.args or not options.keys() <= {"default", "repr", "compare", "hash", "metadata"}:
                return None
            value = options.get("default")
        out.append((target.id, value))
    return out


def _unknown(m: Machine, value: Unknown, name: str, span: Span) -> Value:
    return Unknown(f"attribute {name}", value.arrays)


HANDLERS: dict[type, Callable[..., Value]] = {
    TileRef: _tile_name,
    External: _external,
    ModuleValue: _module,
    ParamRef: _param,
    ArrayRef: _array,
    Int: _tile,
    Bool: _tile,
    Data: _tile,
    Choice: _choice,
    Instance: _instance,
    Class: _class,
    Unknown: _unknown,
}

__all__ = ["HANDLERS", "attribute", "class_member", "fields_of", "is_enum"]

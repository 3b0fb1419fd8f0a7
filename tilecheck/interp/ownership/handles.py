"""Tensors of the runtime: how they are made, and what their methods do."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tilecheck.dtypes import BY_SHORT_NAME
from tilecheck.interp.ownership.checks import Use, check, move_handle
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.objects import (
    Bound,
    External,
    Handle,
    HandleKind,
    Hold,
    Literal_,
    Number,
    Row,
    Shape,
    Storage,
    Unknown,
    Value,
)
from tilecheck.interp.ownership.region import Index, Region, slice_region
from tilecheck.project.runtimenames import RUNTIME
from tilecheck.symbolic import Term, cdiv, const, of, symbol_from_text
from tilecheck.syntax.tree import Span
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = [
    "ATTRIBUTES",
    "CREATED",
    "METHODS",
    "as_handle",
    "create_handle",
    "hand_over",
    "partition_of",
    "term_of",
    "view_item",
]

Args = Sequence[Value]
Named = Mapping[str, Value]


def term_of(value: Value | None) -> Term | None:
    """A number, as far as it can be one."""
    if isinstance(value, Number):
        return value.term
    return of(symbol_from_text(value.name)) if isinstance(value, Unknown) and value.handle is None else None


def _extents(value: Value | None) -> Shape:
    items = value.items if isinstance(value, Row) else None
    if items is None:
        single = term_of(value) if isinstance(value, Number) else None
        return None if single is None else (single,)
    terms = [term_of(item) for item in items]
    known = tuple(t for t in terms if t is not None)
    return known if len(known) == len(terms) else None


def dtype_of(value: Value | None) -> str | None:
    """The element type that a value stands for, as cuda.tile calls it."""
    if isinstance(value, External):
        last = value.path.rpartition(".")[2]
        named = value.path.startswith((f"{RUNTIME}.", "cuda.tile.", "numpy."))
        return str(BY_SHORT_NAME.get(last, last)) if named else None
    return None


def constants(shape: Shape) -> tuple[int | None, ...] | None:
    return None if shape is None else tuple(t.constant for t in shape)


# --- making ----------------------------------------------------------------------------------------------------------

def create_handle(m: Machine, span: Span, shape: Shape, dtype: str | None, hint: str, sure: bool = True,
         outside: bool = False, kind: HandleKind = "tensor") -> Handle:
    """A handle on a storage of its own."""
    handle = Handle(kind, Storage(m.make_name(hint), sure, outside), span, shape, dtype)
    if kind == "partition":
        _hold(handle, "partitioned", span, "a partition")
    return handle


def _hold(handle: Handle, mode: str, span: Span, what: str) -> None:
    handle.hold = Hold("shared" if mode == "shared" else "partitioned", handle.region, span, what, handle)
    handle.storage.holds.append(handle.hold)


def hand_over(source: Handle, span: Span, what: str = "a partition") -> Handle:
    """The same partition in another hand."""
    out = Handle("partition", source.storage, span, source.shape, source.dtype, source.region, source.parent,
                 False, source.tile, source.mapped, source.blocks, source.prefix)
    _hold(out, "partitioned", span, what)
    return out


def as_handle(m: Machine, value: Value, kind: HandleKind, span: Span, sure: bool) -> Handle | None:
    """The handle that a value is; an unknown value becomes one when it is used as one."""
    if isinstance(value, Handle):
        return value
    if not isinstance(value, Unknown):
        return None
    if value.handle is None:
        value.handle = create_handle(m, span, None, None, value.name, sure, True, kind)
        value.handle.escaped = value.escaped
        if kind == "partition" and value.handle.hold is not None:
            value.handle.hold.owner = value.handle
    elif sure:
        value.handle.storage.sure = True
    return value.handle


def _create_shaped(m: Machine, args: Args, named: Named, node: ast.Call) -> Handle:
    at = 2 if _get_function_name(node) == "full" else 1
    dtype = named.get("dtype", args[at] if len(args) > at else None)
    return create_handle(
        m, m.span(node), _extents(named.get("shape", args[0] if args else None)), dtype_of(dtype), "tensor"
    )


def _get_function_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _create_arange(m: Machine, args: Args, named: Named, node: ast.Call) -> Handle:
    """`arange`"""
    stop = term_of(args[0]) if len(args) == 1 and isinstance(args[0], Number) else None
    if len(args) == 2 and isinstance(args[0], Number) and isinstance(args[1], Number):
        stop = args[1].term - args[0].term
    return create_handle(m, m.span(node), None if stop is None else (stop,), dtype_of(named.get("dtype")), "tensor")


def _linspace(m: Machine, args: Args, named: Named, node: ast.Call) -> Handle:
    count = term_of(named.get("count", args[2] if len(args) > 2 else None))
    dtype = named.get("dtype", args[3] if len(args) > 3 else None)
    return create_handle(m, m.span(node), None if count is None else (count,), dtype_of(dtype), "tensor")


def _eye(m: Machine, args: Args, named: Named, node: ast.Call) -> Handle:
    rows = term_of(args[0]) if args else None
    columns = term_of(named.get("columns", args[1])) if len(args) > 1 or "columns" in named else rows
    shape = None if rows is None or columns is None else (rows, columns)
    return create_handle(m, m.span(node), shape, dtype_of(named.get("dtype")), "tensor")


def _adopt_memory(m: Machine, args: Args, named: Named, node: ast.Call) -> Handle:
    """Memory of another library; what else lies in it is not known."""
    escape(m, args)
    copied = _get_function_name(node) == "from_numpy" and "copy" not in named
    return create_handle(m, m.span(node), None, None, "tensor", outside=not copied)


CREATED: Final[Mapping[str, Callable[[Machine, Args, Named, ast.Call], Handle]]] = {
    **dict.fromkeys(("zeros", "ones", "empty", "full", "rand", "randn"), _create_shaped),
    "arange": _create_arange,
    "linspace": _linspace,
    "eye": _eye,
    "from_numpy": _adopt_memory,
    "from_dlpack": _adopt_memory,
}


# --- methods ---------------------------------------------------------------------------------------------------------

def partition_of(m: Machine, handle: Handle, tile: Shape, span: Span, name: str, prefix: bool) -> Handle:
    check(m, handle, "partitioned", span, name)
    text = ", ".join(str(t.constant) if t.constant is not None else t.key for t in tile or ())
    if handle.moved is None:
        move_handle(handle, span, "a partition", "use what came of the partition, or partition a copy: "
              f"`.copy().partition({text or '...'})`")
    out = Handle("partition", handle.storage, span, handle.shape, handle.dtype, handle.region, handle.parent,
                 False, tile, False, None, prefix)
    _hold(out, "partitioned", span, "a partition")
    return out


def _partition(prefix: bool) -> Method:
    def method(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
        terms = [term_of(a) for a in args]
        known = tuple(t for t in terms if t is not None)
        complete = len(known) == len(terms) and not any(isinstance(a, ast.Starred) for a in node.args)
        return partition_of(m, handle, known if complete else None, m.span(node), name, prefix)
    return method


def _unpartition(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    span = m.span(node)
    check(m, handle, "moved", span, name)
    if handle.moved is None:
        move_handle(handle, span, "a tensor", "use what `.unpartition()` returned")
    return Handle("tensor", handle.storage, span, handle.shape, handle.dtype, handle.region, handle.parent)


def _map(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    span = m.span(node)
    check(m, handle, "moved", span, name)
    if handle.moved is None:
        move_handle(handle, span, "a mapped partition", "use what `.map()` returned")
    out = hand_over(handle, span)
    out.mapped, out.blocks = True, term_of(named.get("blocks", args[1] if len(args) > 1 else None))
    return out


def _share(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    span = m.span(node)
    check(m, handle, "viewed" if handle.kind == "shared tensor" else "read", span, name)
    if handle.kind != "shared tensor" and handle.moved is None:
        move_handle(handle, span, "a shared handle", "use the handle that `.share()` returned")
    return _view(handle, span, handle.shape, handle.region, "shared tensor")


def _unshare(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    span = m.span(node)
    check(m, handle, "moved", span, name)
    if handle.moved is None:
        move_handle(handle, span, "a tensor", "use what `.unshare()` returned")
    return Handle("tensor", handle.storage, span, handle.shape, handle.dtype, handle.region, handle.parent,
                  handle.readonly)


def _view(handle: Handle, span: Span, shape: Shape, region: Region, kind: HandleKind | None = None,
            readonly: bool = False) -> Handle:
    kind = kind or handle.kind
    parent = handle.parent if kind == "shared tensor" else handle
    out = Handle(kind, handle.storage, span, shape, handle.dtype, region, parent, readonly or handle.readonly)
    if kind == "shared tensor":
        _hold(out, "shared", span, "a shared handle")
    return out


def _reshape(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    span = m.span(node)
    check(m, handle, "read" if handle.kind == "shared tensor" else "viewed", span, name)
    wanted = _extents(args[0] if len(args) == 1 and isinstance(args[0], Row) else Row(tuple(args)))
    return _view(handle, span, _resolve_shape(wanted, handle.shape), handle.region)


def _resolve_shape(wanted: Shape, shape: Shape) -> Shape:
    """Extents with -1 worked out."""
    if wanted is None or all(t.constant != -1 for t in wanted):
        return wanted
    have, rest = constants(shape), [t.constant for t in wanted if t.constant != -1]
    total, known = 1, 1
    for n in have or (None,):
        if n is None:
            return None
        total *= n
    for n in rest:
        if n is None:
            return None
        known *= n
    return tuple(const(total // known) if t.constant == -1 else t for t in wanted) if known else None


def _transpose(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    span = m.span(node)
    check(m, handle, "read" if handle.kind == "shared tensor" else "viewed", span, name)
    shape = handle.shape
    order = [t.constant for a in args if (t := term_of(a)) is not None] if args else None
    if shape is not None:
        axes = list(reversed(range(len(shape)))) if order is None else order
        shape = tuple(shape[i] for i in axes if i is not None) if sorted(i for i in axes if i is not None) == list(
            range(len(shape))) else None
    return _view(handle, span, shape, handle.region, readonly=True)


def _copy(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    check(m, handle, "read", m.span(node), name)
    dtype = dtype_of(args[0]) if _get_function_name(node) == "astype" and args else handle.dtype if _get_function_name(
        node) == "copy" else None
    return create_handle(m, m.span(node), handle.shape, dtype, "copy")


def _read(m: Machine, handle: Handle, args: Args, named: Named, node: ast.Call, name: str) -> Value:
    check(m, handle, "read", m.span(node), name)
    if "copy" in named:  # borrowed: the array shares the memory as long as it lives
        handle.escaped = True
    return m.unknown("array")


Method = Callable[["Machine", Handle, Args, Named, ast.Call, str], Value]

METHODS: Final[Mapping[str, Method]] = {
    "partition": _partition(False), "partition_prefix": _partition(True), "unpartition": _unpartition, "map": _map,
    "share": _share, "unshare": _unshare, "reshape": _reshape, "transposed": _transpose, "copy": _copy,
    "astype": _copy, "numpy": _read, "item": _read, "__array__": _read, "__dlpack__": _read,
}


def view_item(m: Machine, handle: Handle, indices: Sequence[Index] | None, extents: Shape, node: ast.Subscript,
              name: str) -> Handle:
    """`x.view[...]`"""
    use: Use = "read" if handle.kind == "shared tensor" else "viewed"
    span = m.span(node)
    check(m, handle, use, span, name)
    # the axes of a read-only view may be in another order than in memory
    known = None if handle.readonly and indices is not None else indices
    region = slice_region(handle.region, constants(handle.shape), known, _spell_index(m, node))
    shape: Shape = extents
    if not region.whole and region.offset is not None:
        shape = tuple(const(n) for n in region.extents)
    elif region.whole:
        shape = handle.shape
    return _view(handle, span, shape, region)


def _spell_index(m: Machine, node: ast.Subscript) -> str:
    """The index, with the state of the names in it: equal texts are equal parts."""
    names = sorted({n.id for n in walk(node.slice) if isinstance(n, ast.Name)})
    versions = ",".join(f"{n}@{m.scope.versions.get(n, 0)}" for n in names)
    calls = any(isinstance(n, ast.Call) for n in walk(node.slice))
    return f"{ast.unparse(node.slice)} {versions} {m.make_name('part') if calls else ''}"


# --- attributes ------------------------------------------------------------------------------------------------------

def tiles(handle: Handle) -> Shape:
    """How many pieces there are along each axis."""
    if handle.shape is None or handle.tile is None or len(handle.shape) != len(handle.tile):
        return None
    return tuple(cdiv(n, t) for n, t in zip(handle.shape, handle.tile, strict=True))


def grid_of(handle: Handle) -> Shape:
    """The grid that covers a partition."""
    if handle.mapped:
        return None if handle.blocks is None else (handle.blocks, const(1), const(1))
    known = tiles(handle)
    if known is None:
        return None
    first, *rest = known
    while len(rest) > 2:
        first = first * rest.pop(0)
    second, third = (*rest, const(1), const(1))[:2]
    return first, second, third


def _row(shape: Shape) -> Value | None:
    return None if shape is None else Row(tuple(Number(t) for t in shape))


ATTRIBUTES: Final[Mapping[str, Callable[[Handle], Value | None]]] = {
    "shape": lambda h: _row(h.shape), "tile": lambda h: _row(h.tile), "tiles": lambda h: _row(tiles(h)),
    "grid": lambda h: _row(grid_of(h)), "ndim": lambda h: None if h.shape is None else Number(const(len(h.shape))),
    "dtype": lambda h: None if h.dtype is None else External(f"{RUNTIME}.{h.dtype}"),
    "view": lambda h: Bound(h, "view"), "readonly": lambda h: Literal_(h.readonly) if h.readonly else None,
}

"""The types that operations of cuda.tile yield."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from tilecheck.dtypes import ACCUMULATORS, BOOL, DTYPES, F32, FLOATS, I8, I32, INTEGERS, U8, DType, promote_dtypes
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.interp.kernel.dialect.typed.kinds import Extents, Items, Loose, Named, Tile, Type
from tilecheck.interp.kernel.dialect.typed.shapes import broadcast, conflict, differ, product, reduce_shape
from tilecheck.symbolic import ONE, Term, const
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.kernel.dialect.typed.infer import Inference

__all__ = ["OPERATIONS", "Given", "combine", "compare", "constant", "extents", "method", "tile_of"]


class Given(Struct, frozen=True):
    """The types of the arguments of a call. `complete` is false where some are not known."""

    positional: tuple[Type, ...]
    keywords: Mapping[str, Type]
    complete: bool
    span: Span

    def get(self, position: int, name: str) -> Type:
        return self.positional[position] if position < len(self.positional) else self.keywords.get(name)

    def has(self, position: int, name: str) -> bool:
        return position < len(self.positional) or name in self.keywords


Operation: TypeAlias = "Callable[[Inference, Given], Type]"


def tile_of(value: Type) -> Tile | None:
    """A value as a tile; numbers that take on a type have none of their own."""
    if isinstance(value, Tile):
        return value
    return Tile(None, ()) if isinstance(value, Loose) else None


def extents(value: Type) -> Extents | None:
    """A shape that is written as a tuple or one number."""
    if isinstance(value, Items):
        return tuple(v.value if isinstance(v, Loose) else None for v in value.items)
    return (value.value,) if isinstance(value, Loose) else None


def constant(value: Type) -> int | None:
    return value.value.constant if isinstance(value, Loose) and value.value is not None else None


def combine(c: Inference, op: str, left: Type, right: Type, span: Span) -> Type:
    """Arithmetic."""
    if isinstance(left, Loose) and isinstance(right, Loose):
        return _combine_loose(op, left, right)
    a, b = tile_of(left), tile_of(right)
    if a is None or b is None:
        return None
    if op == "@":
        return _matmul(c, Given((a, b), {}, True, span))
    if conflict(a.shape, b.shape):
        c.fault(Fault("TC501", span, "", "combined", shapes=(a.shape or (), b.shape or ())))
        return Tile(None, None)
    dtype = _combine_dtypes(left, right, a, b)
    return Tile(_divide_dtype(dtype) if op == "/" else dtype, broadcast(a.shape, b.shape))


def _combine_dtypes(left: Type, right: Type, a: Tile, b: Tile) -> DType | None:
    """The element type of a combination."""
    if isinstance(left, Loose):
        return _with_number(left, b.dtype)
    if isinstance(right, Loose):
        return _with_number(right, a.dtype)
    return None if a.dtype is None or b.dtype is None else promote_dtypes(a.dtype, b.dtype)


def _divide_dtype(dtype: DType | None) -> DType | None:
    """The type of a quotient: integers become numbers with a fraction."""
    return F32 if dtype is BOOL or dtype in INTEGERS else dtype


def _with_number(number: Loose, dtype: DType | None) -> DType | None:
    """A number takes on the type of the tile, but one with a fraction does not become an integer."""
    return dtype if number.kind != "float" or dtype in FLOATS else None


_TERMS: Final[Mapping[str, Callable[[Term, Term], Term]]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}


def _combine_loose(op: str, a: Loose, b: Loose) -> Type:
    if "float" in (a.kind, b.kind) or op == "/":
        return Loose("float")
    x, y = a.value, b.value
    if x is None or y is None:
        return Loose("int")
    if op in _TERMS:
        return Loose("int", _TERMS[op](x, y))
    if op in ("//", "%") and x.constant is not None and y.constant:
        return Loose("int", const(x.constant // y.constant if op == "//" else x.constant % y.constant))
    return Loose("int")


def compare(c: Inference, left: Type, right: Type, span: Span) -> Type:
    if isinstance(left, Loose) and isinstance(right, Loose):
        return Loose("bool")
    found = combine(c, "+", left, right, span)
    return Tile(BOOL, found.shape) if isinstance(found, Tile) else None


# --- operations ------------------------------------------------------------------------------------------------------

def _dtype(value: Type) -> DType | None:
    return DTYPES.get(value.name) if isinstance(value, Named) else None


def _full(position: int, c: Inference, g: Given) -> Type:
    return Tile(_dtype(g.get(position, "dtype")), extents(g.get(0, "shape")))


def _arange(c: Inference, g: Given) -> Type:
    return Tile(_dtype(g.keywords.get("dtype")), extents(g.get(0, "size")))


def _astype(c: Inference, g: Given) -> Type:
    found = tile_of(g.get(0, "x"))
    return None if found is None else Tile(_dtype(g.get(1, "dtype")), found.shape)


def _bitcast(c: Inference, g: Given) -> Type:
    return _astype(c, g)


def _infer_same(c: Inference, g: Given) -> Type:
    return tile_of(g.get(0, "x"))


def _function(c: Inference, g: Given) -> Type:
    """Functions of numbers with a fraction; what they make of integers is left open."""
    found = tile_of(g.get(0, "x"))
    return None if found is None else Tile(found.dtype if found.dtype in FLOATS else None, found.shape)


def _binary(op: str, c: Inference, g: Given) -> Type:
    return combine(c, op, g.get(0, "x"), g.get(1, "y"), g.span)


def _comparison(c: Inference, g: Given) -> Type:
    return compare(c, g.get(0, "x"), g.get(1, "y"), g.span)


def _where(c: Inference, g: Given) -> Type:
    chosen = combine(c, "+", g.get(1, "x"), g.get(2, "y"), g.span)
    test = tile_of(g.get(0, "cond"))
    if isinstance(chosen, Loose):
        chosen = Tile(None, ())
    if not isinstance(chosen, Tile) or test is None:
        return None
    if conflict(test.shape, chosen.shape):
        c.fault(Fault("TC501", g.span, "", "combined", shapes=(test.shape or (), chosen.shape or ())))
        return Tile(chosen.dtype, None)
    return Tile(chosen.dtype, broadcast(test.shape, chosen.shape))


def _axes(value: Type) -> tuple[int, ...] | None:
    """Reduced axes that are constants; () when they are not known."""
    items = value.items if isinstance(value, Items) else (value,)
    found = tuple(constant(v) for v in items)
    known = tuple(a for a in found if a is not None)
    return known if len(known) == len(found) else ()


def _reduce(result: DType | None, c: Inference, g: Given) -> Type:
    found = tile_of(g.get(0, "x"))
    if found is None:
        return None
    dtype = result or (found.dtype if found.dtype in FLOATS else None)
    kept = constant(g.keywords.get("keepdims", Loose("bool", const(0))))
    axis = g.get(1, "axis")
    axes = _axes(axis) if g.has(1, "axis") and not (isinstance(axis, Named) and axis.name == "None") else None
    if axes == () or kept is None:
        return Tile(dtype, None)
    return Tile(dtype, reduce_shape(found.shape, axes, kept != 0))


def _mma(c: Inference, g: Given) -> Type:
    x, y, acc = tile_of(g.get(0, "x")), tile_of(g.get(1, "y")), tile_of(g.get(2, "acc"))
    if x is None or y is None or acc is None:
        return acc
    made = _checked_product(c, "mma", x, y, acc, g.span)
    takes = () if x.dtype is None else ACCUMULATORS.get(x.dtype, ())
    if takes and acc.dtype is not None and acc.dtype not in takes:
        c.fault(Fault("TC505", g.span, "", "accumulator", ("mma", str(x.dtype), acc.dtype.name, takes[-1].name)))
    return Tile(acc.dtype, acc.shape if acc.shape is not None else made)


def _checked_product(c: Inference, name: str, x: Tile, y: Tile, acc: Tile | None, span: Span) -> Extents | None:
    made = product(x.shape, y.shape)
    wrong = x.shape is not None and y.shape is not None and len(x.shape) > 1 and len(y.shape) > 1 and (
        differ(x.shape[-1], y.shape[-2]) or conflict(x.shape[:-2], y.shape[:-2]))
    if made is not None and acc is not None and acc.shape is not None:
        wrong = wrong or len(acc.shape) != len(made) or any(
            differ(a, b) for a, b in zip(acc.shape[-2:], made[-2:], strict=True))
    if wrong:
        c.fault(Fault("TC501", span, "", "product", (name,), (
            x.shape or (), y.shape or (), acc.shape or () if acc is not None else ())))
    whole = {x.dtype, y.dtype}
    if x.dtype is not None and y.dtype is not None and x.dtype != y.dtype and whole != {I8, U8} and (
            name == "mma" or promote_dtypes(x.dtype, y.dtype) is None):
        c.fault(Fault("TC505", span, "", "product", (name, x.dtype.name, y.dtype.name)))
    return made


def _matmul(c: Inference, g: Given) -> Type:
    x, y = tile_of(g.get(0, "x")), tile_of(g.get(1, "y"))
    if x is None or y is None:
        return None
    return Tile(None, _checked_product(c, "matmul", x, y, None, g.span))


def _reshape(c: Inference, g: Given) -> Type:
    found = tile_of(g.get(0, "x"))
    shape = extents(g.get(1, "shape"))
    if found is None:
        return None
    if shape is not None and any(e is not None and e.constant == -1 for e in shape):
        shape = tuple(None if e is not None and e.constant == -1 else e for e in shape)
    return Tile(found.dtype, shape)


def _permute(c: Inference, g: Given) -> Type:
    found = tile_of(g.get(0, "x"))
    axes = g.get(1, "axes")
    order = _axes(axes) if isinstance(axes, Items) else ()
    if found is None:
        return None
    if found.shape is None or order is None or sorted(order) != list(range(len(found.shape))):
        return Tile(found.dtype, None)
    return Tile(found.dtype, tuple(found.shape[a] for a in order))


def _transpose(c: Inference, g: Given) -> Type:
    found = tile_of(g.get(0, "x"))
    if found is None or found.shape is None:
        return found
    first, second = constant(g.get(1, "axis0")), constant(g.get(2, "axis1"))
    if not g.has(1, "axis0") and len(found.shape) == 2:
        first, second = 0, 1
    rank = len(found.shape)
    if first is None or second is None or not (-rank <= first < rank and -rank <= second < rank):
        return Tile(found.dtype, None)
    shape = list(found.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return Tile(found.dtype, tuple(shape))


def _expand(c: Inference, g: Given) -> Type:
    found, axis = tile_of(g.get(0, "x")), constant(g.get(1, "axis"))
    if found is None or found.shape is None or axis is None:
        return None if found is None else Tile(found.dtype, None)
    rank = len(found.shape) + 1
    place = axis % rank
    return Tile(found.dtype, (*found.shape[:place], ONE, *found.shape[place:]))


def _broadcast_to(c: Inference, g: Given) -> Type:
    found = tile_of(g.get(0, "x"))
    return None if found is None else Tile(found.dtype, extents(g.get(1, "shape")))


def _infer_opaque(c: Inference, g: Given) -> Type:
    """A tile of which only the element type is known."""
    found = tile_of(g.get(0, "x"))
    return None if found is None else Tile(found.dtype, None)


def _index(c: Inference, g: Given) -> Type:
    return Tile(I32, ())


_FUNCTIONS: Final = (
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil")
_COMPARISONS: Final = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")

OPERATIONS: Final[Mapping[str, Operation]] = {
    "full": partial(_full, 2),
    "zeros": partial(_full, 1),
    "ones": partial(_full, 1),
    "arange": _arange,
    "astype": _astype,
    "bitcast": _bitcast,
    "negative": _infer_same,
    "abs": _infer_same,
    "cumsum": _infer_same,
    "cumprod": _infer_same,
    **dict.fromkeys(_FUNCTIONS, _function),
    **dict.fromkeys(_COMPARISONS, _comparison),
    "add": partial(_binary, "+"),
    "sub": partial(_binary, "-"),
    "mul": partial(_binary, "*"),
    "truediv": partial(_binary, "/"),
    "minimum": partial(_binary, "min"),
    "maximum": partial(_binary, "max"),
    "where": _where,
    "sum": partial(_reduce, None),
    "prod": partial(_reduce, None),
    "max": partial(_reduce, None),
    "min": partial(_reduce, None),
    "argmax": partial(_reduce, I32),
    "argmin": partial(_reduce, I32),
    "mma": _mma,
    "matmul": _matmul,
    "reshape": _reshape,
    "permute": _permute,
    "transpose": _transpose,
    "expand_dims": _expand,
    "broadcast_to": _broadcast_to,
    "extract": _infer_opaque,
    "bid": _index,
    "num_blocks": _index,
    "isnan": lambda c, g: Tile(BOOL, found.shape) if (found := tile_of(g.get(0, "x"))) is not None else None,
}

_METHODS: Final = ("astype", "reshape", "permute", "transpose", "extract")


def method(c: Inference, owner: Tile, name: str, g: Given) -> Type:
    """`t.astype(ct.float16)`"""
    if name not in _METHODS:
        return None
    return OPERATIONS[name](c, Given((owner, *g.positional), g.keywords, g.complete, g.span))

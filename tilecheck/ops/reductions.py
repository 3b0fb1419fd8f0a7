"""Operations along axes: reductions and scans."""

from __future__ import annotations

from functools import partial
from typing import Final

from tilecheck.dtypes import BOOL, FLOATS, I32, INTEGERS, UNKNOWN, DType, ElementType, Weak
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import constant_int, constant_ints, expand, reduced_axes, to_int
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.poison.rules import reduce_poison, scan_poison
from tilecheck.interp.kernel.shapes import lanes_of
from tilecheck.interp.kernel.tile_types.operators import type_result
from tilecheck.interp.kernel.tile_types.typing import NOTHING, drop_type, note, operand
from tilecheck.interp.kernel.values import NONE, Data, Int, Shape, Tuple, Value
from tilecheck.ops.arguments import tile_of
from tilecheck.symbolic import ONE, ZERO, Atom, Lane, Opaque, app, atoms_of, of

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_reduction(name: str, m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis"))
    value = tile_of(m, given.get("x", MISSING), args)
    keep = constant_int(given.get("keepdims", Int(ZERO)))
    shape, gone = _reduced_shape(m, value.shape, given.get("axis"), keep)
    if isinstance(value, Data) and name not in ("argmax", "argmin"):
        return Data(shape)
    if isinstance(value, Data) or shape is None or gone is None or value.shape is None:
        return m.fresh_int(name, args.span, shape)
    number = to_int(m, value, args.span)
    return _reduce_value(m, name, number, shape, gone, args)


def _reduced_shape(
    m: Machine, shape: Shape | None, axis: Value | None, keep: int | None,
) -> tuple[Shape | None, list[int] | None]:
    if shape is None or keep is None:
        return None, None
    rank = len(shape)
    axes = reduced_axes(m, axis, rank)
    if axes is None:
        return None, None
    if keep:
        return tuple(ONE if k in axes else e for k, e in enumerate(shape)), axes
    return tuple(e for k, e in enumerate(shape) if k not in axes), axes


def _reduce_value(m: Machine, name: str, value: Int, shape: Shape, gone: list[int], args: Arguments) -> Value:
    """Reduces a known value to a function of the atoms that do not vary along the reduced axes."""
    assert value.shape is not None
    rank = len(value.shape)
    lanes = lanes_of(value.term)
    reduced = [a for a in lanes if rank - 1 - a.axis in gone]
    kept = [a for a in lanes if a not in reduced]
    unit = all(value.shape[k] == ONE for k in gone)
    if not kept and (unit or (not reduced and name in ("max", "min"))):
        return Int(value.term, shape)
    atoms = atoms_of(value.term)
    if kept or any(isinstance(a, Opaque) and not a.uniform for a in atoms):
        return m.fresh_int(name, args.span, shape)
    extents = [value.shape[k] for k in gone]
    text = f"{name}[{value.term.key} over {', '.join(e.key for e in extents)}]"
    basis = _basis(atoms, reduced)
    return m.limit(Int(app(text, *(of(a) for a in basis)), shape), args.span)


def _inner(atom: Atom) -> set[Atom]:
    return atoms_of(of(atom)) - {atom}


def _basis(atoms: set[Atom], reduced: list[Lane]) -> list[Atom]:
    """The elementary atoms that the reduced value depends on."""
    return sorted(a for a in atoms if not _inner(a) and a not in reduced)


def _compute_scan(name: str, m: Machine, args: Arguments) -> Value:
    value = tile_of(m, args.take(("x",)).get("x", MISSING), args)
    return Data(value.shape) if isinstance(value, Data) else m.fresh_int(name, args.span, value.shape)


def _compute_reduce(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis", "func", "identity"))
    source = given.get("x", MISSING)
    items = expand(m, source)
    keep = constant_int(given.get("keepdims", Int(ZERO)))

    def one(value: Value) -> Value:
        tile = tile_of(m, value, args)
        shape, _ = _reduced_shape(m, tile.shape, given.get("axis"), keep)
        return Data(shape) if isinstance(tile, Data) else m.fresh_int("reduce", args.span, shape)

    return one(source) if items is None else Tuple(tuple(one(v) for v in items))


def _compute_general_scan(m: Machine, args: Arguments) -> Value:
    source = args.take(("x",)).get("x", MISSING)
    items = expand(m, source)

    def one(value: Value) -> Value:
        tile = tile_of(m, value, args)
        return Data(tile.shape) if isinstance(tile, Data) else m.fresh_int("scan", args.span, tile.shape)

    return one(source) if items is None else Tuple(tuple(one(v) for v in items))


# --- types -----------------------------------------------------------------------------------------------------------

def _reduced_type(dtype: ElementType | None) -> ElementType | None:
    return I32 if dtype is BOOL else dtype if dtype in INTEGERS or dtype in FLOATS else UNKNOWN


def _type_reduction(places: DType | None, m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """`places` is the type of positions that are found; None where values are."""
    given = args.take(("x", "axis"))
    x = operand(given.get("x"))
    if x is NOTHING:
        return drop_type(result)
    axis = given.get("axis")
    scan = op in ("ct.cumsum", "ct.cumprod")
    axes = () if (axis is None and not scan) or axis == NONE else (0,) if axis is None else constant_ints(m, axis)
    if axes is not None:
        note(m, "axes" if places else "reduce", op, (x,), args.span, axes)
    return type_result(result, places or _reduced_type(x.dtype), (given.get("x"),), None if scan else args.span)


def _type_general(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """`ct.reduce` and `ct.scan`, by a function of the author."""
    given = args.take(("x", "axis"))
    x, axes = operand(given.get("x")), constant_ints(m, given.get("axis"))
    if x is NOTHING:
        return result if isinstance(result, Tuple) else drop_type(result)
    if axes is not None:
        note(m, "axes", op, (x,), args.span, axes)
    return type_result(result, None if isinstance(x.dtype, Weak) else x.dtype, (given.get("x"),), args.span)


# --- records ---------------------------------------------------------------------------------------------------------

_SUMMED: Final = "x, /, axis=None, *, keepdims=False, rounding_mode=None, flush_to_zero=False"
_EXTREME: Final = "x, /, axis=None, *, keepdims=False, flush_to_zero=False, propagate_nan=False"
_PLACED: Final = "x, /, axis=None, *, keepdims=False, propagate_nan=False"
_SCANNED: Final = "x, /, axis=0, *, reverse=False, rounding_mode=None, flush_to_zero=False"


def _describe_reduction(name: str, summary: str, signature: str, places: DType | None = None) -> Operation:
    return Operation(name, signature, summary, "none", partial(_compute_reduction, name),
                     partial(_type_reduction, places), partial(reduce_poison, name), each=True)


def _describe_scan(name: str, summary: str) -> Operation:
    return Operation(name, _SCANNED, summary, "none", partial(_compute_scan, name), partial(_type_reduction, None),
                     partial(scan_poison, name), each=True)


OPERATIONS: Final = (
    _describe_reduction("sum", "The sum along axes.", _SUMMED),
    _describe_reduction("prod", "The product along axes.", _SUMMED),
    _describe_reduction("max", "The highest element along axes.", _EXTREME),
    _describe_reduction("min", "The lowest element along axes.", _EXTREME),
    _describe_reduction("argmax", "The index of the highest element along an axis.", _PLACED, I32),
    _describe_reduction("argmin", "The index of the lowest element along an axis.", _PLACED, I32),
    _describe_scan("cumsum", "The sums up to each element along an axis."),
    _describe_scan("cumprod", "The products up to each element along an axis."),
    Operation("reduce", "x, /, axis, func, identity, *, keepdims=False",
              "A reduction along an axis by a function of two elements.", "none", _compute_reduce, _type_general,
              partial(reduce_poison, "reduce"), each=True),
    Operation("scan", "x, /, axis, func, identity, *, reverse=False",
              "A scan along an axis by a function of two elements.", "none", _compute_general_scan, _type_general,
              partial(scan_poison, "scan"), each=True),
)

"""Operations of cuda.tile that move elements: reshape, permute, broadcast, extract, reductions and scans."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from tilecheck.interp.kernel.calls import Arguments, MethodOperation, Operation
from tilecheck.interp.kernel.coerce import constant_int, expand, scalar_of, shape_from, to_int
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.lint_facts import SliceUse, SubTile
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.poison.propagation import with_shadow
from tilecheck.interp.kernel.poison.sources import blur
from tilecheck.interp.kernel.shapes import broadcast, lanes_of, permutation, product, relabel, reshape
from tilecheck.interp.kernel.values import Bool, Const, Data, Int, ParamRef, Shape, Tuple, Unknown, Value
from tilecheck.symbolic import ONE, UNKNOWN_ARRAY, ZERO, Atom, Lane, Opaque, Term, app, atoms_of, floordiv, lane, of

MISSING = Unknown("missing argument")


def _tile(m: Machine, value: Value, args: Arguments) -> Int | Bool | Data:
    if isinstance(value, (Int, Bool, Data)):
        return value
    if isinstance(value, ParamRef):
        return Int(scalar_of(m, value))
    if isinstance(value, Const):
        return Data(())
    return Data(None)


def _reshape(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "shape"))
    value = _tile(m, given.get("x", MISSING), args)
    target = given.get("shape", MISSING)
    if len(args.positional) > 2:
        target = Tuple(args.positional[1:])
    shape = shape_from(m, target, args.span)
    if shape is None:
        return Data(None, None, blur(value.shadow))
    minus = [k for k, e in enumerate(shape) if e.constant == -1]
    if minus:
        if value.shape is None or len(minus) > 1:
            return Data(None, None, blur(value.shadow))
        rest = product([e for k, e in enumerate(shape) if k != minus[0]])
        missing = floordiv(product(value.shape), rest)
        shape = tuple(missing if k == minus[0] else e for k, e in enumerate(shape))
    return reshape_value(m, value, shape, args)


def reshape_value(m: Machine, value: Int | Bool | Data, shape: Shape, args: Arguments) -> Value:
    move = None if value.shape is None else reshape(value.shape, shape)
    if move is None:
        return _scramble(m, value, shape, args)
    return relabel(value, shape, move)


def _scramble(m: Machine, value: Int | Bool | Data, shape: Shape | None, args: Arguments) -> Value:
    """The same elements in an order that is not followed."""
    return with_shadow(_in_disorder(m, value, shape, args), blur(value.shadow))


def _in_disorder(m: Machine, value: Int | Bool | Data, shape: Shape | None, args: Arguments) -> Value:
    if isinstance(value, Int):
        if value.shape is not None and not lanes_of(value.term):
            return Int(value.term, shape)
        return m.fresh_int("reshaped", args.span, shape)
    if isinstance(value, Bool):
        if value.shape is not None and not lanes_of(value.cond):
            return Bool(value.cond, shape)
        return m.fresh_truth("reshaped", args.span, shape)
    return Data(shape)


def _axes(m: Machine, value: Value, rank: int) -> list[int] | None:
    items = expand(m, value)
    axes = [constant_int(v) for v in (items if items is not None else (value,))]
    if any(a is None or not -rank <= a < rank for a in axes):
        return None
    return [a % rank for a in axes if a is not None]


def _permute(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axes"))
    value = _tile(m, given.get("x", MISSING), args)
    target = Tuple(args.positional[1:]) if len(args.positional) > 2 else given.get("axes", MISSING)
    return _permute_value(m, value, None if value.shape is None else _axes(m, target, len(value.shape)), args)


def _permute_value(m: Machine, value: Int | Bool | Data, axes: list[int] | None, args: Arguments) -> Value:
    if value.shape is None or axes is None or sorted(axes) != list(range(len(value.shape))):
        return _scramble(m, value, None, args)
    shape, move = permutation(value.shape, axes)
    return relabel(value, shape, move)


def _transpose(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis0", "axis1"))
    value = _tile(m, given.get("x", MISSING), args)
    if value.shape is None:
        return _scramble(m, value, None, args)
    rank = len(value.shape)
    pair = [given[n] for n in ("axis0", "axis1") if n in given and given[n] != Const(None)]
    if not pair:
        return _permute_value(m, value, list(reversed(range(rank))), args)
    axes = _axes(m, Tuple(tuple(pair)), rank)
    if axes is None or len(axes) != 2:
        return _scramble(m, value, None, args)
    order = list(range(rank))
    order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    return _permute_value(m, value, order, args)


def _broadcast_to(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "shape"))
    value = _tile(m, given.get("x", MISSING), args)
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    if value.shape is None or shape is None or broadcast(value.shape, shape) != shape:
        return _scramble(m, value, shape, args)
    return relabel(value, shape, {})


def _expand_dims(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis"))
    value = _tile(m, given.get("x", MISSING), args)
    if value.shape is None:
        return _scramble(m, value, None, args)
    rank = len(value.shape)
    axes = _axes(m, given.get("axis", MISSING), rank + 1)
    if axes is None or len(axes) != 1:
        return _scramble(m, value, None, args)
    shape = (*value.shape[:axes[0]], ONE, *value.shape[axes[0]:])
    return reshape_value(m, value, shape, args)


def _cat(m: Machine, args: Arguments) -> Value:
    given = args.take(("tiles", "axis"))
    tiles = expand(m, given.get("tiles", MISSING))
    if not tiles:
        return Data(None)
    shapes = [shape_of(t) for t in tiles]
    axis = constant_int(given.get("axis", Int(ZERO)))
    first = shapes[0]
    if axis is None or first is None or any(s is None or len(s) != len(first) for s in shapes):
        shape = None
    else:
        place = axis % len(first) if first else 0
        total = ZERO
        for s in shapes:
            if s is not None and place < len(s):
                total = total + s[place]
        shape = tuple(total if k == place else e for k, e in enumerate(first))
    if all(isinstance(t, Int) for t in tiles):
        return m.fresh_int("cat", args.span, shape)
    if all(isinstance(t, Bool) for t in tiles):
        return m.fresh_truth("cat", args.span, shape)
    return Data(shape)


def _extract(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "index", "shape"))
    value = _tile(m, given.get("x", MISSING), args)
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    index = expand(m, given.get("index", MISSING)) or (given.get("index", MISSING),)
    _require_inside(m, index, shape, value.shape, args)
    if value.shape is None or shape is None or len(shape) != len(value.shape) or len(index) != len(shape):
        return _scramble(m, value, shape, args)
    move: dict[Atom, Term] = {}
    rank = len(shape)
    _note_part(m, "extract", index, shape, value.shape, args)
    for k, extent in enumerate(shape):
        if value.shape[k] != ONE:
            at = to_int(m, index[k], args.span).term
            move[Lane(rank - 1 - k, value.shape[k])] = at * extent + lane(rank - 1 - k, extent)
    return relabel(value, shape, move)


def _note_part(m: Machine, op: str, index: tuple[Value, ...], part: Shape, whole: Shape, args: Arguments) -> None:
    if m.noting:
        at = tuple(to_int(m, i, args.span).term for i in index)
        m.notes.parts[SubTile(op, at, part, whole, m.path, args.span)] = None


def _require_inside(
    m: Machine, index: tuple[Value, ...], part: Shape | None, whole: Shape | None, args: Arguments,
) -> None:
    """Notes the bounds that the index of a part must keep to: nothing defines what lies outside the tile.

    The compiler checks that the part at index 0 fits. An extent that is not known may have any value.
    """
    if not m.noting:
        return
    for axis, value in enumerate(index):
        at = to_int(m, value, args.span).term
        if at == ZERO:
            continue
        unknown = m.fresh_int("unknown_extent", args.span).term
        size, end = (unknown if s is None else s[axis] if axis < len(s) else ONE for s in (part, whole))
        m.notes.slices[SliceUse(
            UNKNOWN_ARRAY, axis, at * size, (at + 1) * size, end, m.path, m.exact, args.span)] = None


def _insert(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "index", "value"))
    value = _tile(m, given.get("x", MISSING), args)
    part = shape_of(given.get("value", MISSING))
    index = expand(m, given.get("index", MISSING)) or (given.get("index", MISSING),)
    _require_inside(m, index, part, value.shape, args)
    if value.shape is not None and part is not None and len(part) == len(value.shape) == len(index):
        _note_part(m, "insert", index, part, value.shape, args)
    if isinstance(value, Int):
        return m.fresh_int("insert", args.span, value.shape)
    return m.fresh_truth("insert", args.span, value.shape) if isinstance(value, Bool) else Data(value.shape)


def _item(m: Machine, args: Arguments) -> Value:
    value = _tile(m, args.take(("x",)).get("x", MISSING), args)
    if isinstance(value, Data):
        return Data((), value.term, value.shadow)
    move: dict[Atom, Term] = dict.fromkeys(lanes_of(value.term if isinstance(value, Int) else value.cond), ZERO)
    return relabel(value, (), move)


# --- reductions ------------------------------------------------------------------------------------------------------

def _reduce(name: str, m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis"))
    value = _tile(m, given.get("x", MISSING), args)
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
    axes: list[int] | None
    axes = list(range(rank)) if axis is None or axis == Const(None) else _axes(m, axis, rank)
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


def _scan(name: str, m: Machine, args: Arguments) -> Value:
    value = _tile(m, args.take(("x",)).get("x", MISSING), args)
    return Data(value.shape) if isinstance(value, Data) else m.fresh_int(name, args.span, value.shape)


def _general_reduce(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis", "func", "identity"))
    source = given.get("x", MISSING)
    items = expand(m, source)
    keep = constant_int(given.get("keepdims", Int(ZERO)))

    def one(value: Value) -> Value:
        tile = _tile(m, value, args)
        shape, _ = _reduced_shape(m, tile.shape, given.get("axis"), keep)
        return Data(shape) if isinstance(tile, Data) else m.fresh_int("reduce", args.span, shape)

    return one(source) if items is None else Tuple(tuple(one(v) for v in items))


def _general_scan(m: Machine, args: Arguments) -> Value:
    source = args.take(("x",)).get("x", MISSING)
    items = expand(m, source)

    def one(value: Value) -> Value:
        tile = _tile(m, value, args)
        return Data(tile.shape) if isinstance(tile, Data) else m.fresh_int("scan", args.span, tile.shape)

    return one(source) if items is None else Tuple(tuple(one(v) for v in items))


def _method(operation: Operation) -> MethodOperation:
    def method(m: Machine, owner: Value, args: Arguments) -> Value:
        return operation(m, Arguments((owner, *args.positional), args.keywords, args.complete, args.span))

    return method


_SHAPE: dict[str, Operation] = {
    "reshape": _reshape, "permute": _permute, "transpose": _transpose, "extract": _extract, "insert": _insert,
}
OPERATIONS: Final[Mapping[str, Operation]] = {
    **_SHAPE, "broadcast_to": _broadcast_to, "expand_dims": _expand_dims, "cat": _cat, "reduce": _general_reduce,
    "scan": _general_scan,
    **{name: partial(_reduce, name) for name in ("sum", "prod", "max", "min", "argmax", "argmin")},
    **{name: partial(_scan, name) for name in ("cumsum", "cumprod")},
}
METHODS: Final[Mapping[str, MethodOperation]] = {
    **{name: _method(op) for name, op in _SHAPE.items()}, "item": _method(_item)}
TILE_METHODS: Final = frozenset((*_SHAPE, "item"))

"""Joins values where two paths meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tilecheck.interp.kernel.coerce import arrays_in, either_array, to_array, to_int
from tilecheck.interp.kernel.device.paths import is_mark, join_marks
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.poison.propagation import join_values
from tilecheck.interp.kernel.poison.sources import blur, merge_poison, restrict_poison
from tilecheck.interp.kernel.shapes import TileValue, broadcast, relabel
from tilecheck.interp.kernel.tile_types.typing import drop_type, join_types
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Choice,
    Const,
    Data,
    Instance,
    Int,
    ParamRef,
    Shape,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import Cond, Substitution, Symbol, Term, atoms_of, conj, disj, ite, negate
from tilecheck.syntax.tree import Span


def _depth(value: Value) -> int:
    return 1 + max(_depth(value.then), _depth(value.other)) if isinstance(value, Choice) else 0


def choose(cond: Cond, a: Bool, b: Bool) -> Bool:
    shadow = (
        merge_poison(restrict_poison(cond, a.shadow), restrict_poison(negate(cond), b.shadow))
        if a.shadow or b.shadow
        else ()
    )
    if a == b:
        return Bool(a.cond, a.shape, shadow)
    shape = _join_mask_shapes(a.shape, b.shape)
    return Bool(disj(conj(cond, a.cond), conj(negate(cond), b.cond)), shape,
                shadow if shape is not None else blur(shadow))


def _ints(m: Machine, cond: Cond, a: Int, b: Int, span: Span) -> Value:
    if a.shape != b.shape:
        return _shapes_differ(m, cond, a, b)
    return m.limit(Int(ite(cond, a.term, b.term), a.shape), span)


def _bools(m: Machine, cond: Cond, a: Bool, b: Bool, span: Span) -> Value:
    return _shapes_differ(m, cond, a, b) if _join_mask_shapes(a.shape, b.shape) is None else (
        m.limit_truth(choose(cond, a, b), span))


def _join_mask_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of a mask that is one of two, if one of these is repeated to the other wherever it is applied:
    `columns < n`, and `& (rows >= columns)` besides in the causal variant."""
    if a is None or b is None or len(a) != len(b):
        return None
    whole = broadcast(a, b)
    return whole if whole in (a, b) else None


def _data(m: Machine, cond: Cond, a: Data, b: Data, span: Span) -> Value:
    return Data(a.shape) if a.shape == b.shape else _shapes_differ(m, cond, a, b)


def _shapes_differ(m: Machine, cond: Cond, a: TileValue, b: TileValue) -> Value:
    """A shape that depends on a launch scalar stays a choice; what the condition says of the scalar is put in."""
    if a.shape is None or b.shape is None or cond.varying:
        return Data(None)
    return _fallback(m, cond, _restrict(cond, a), _restrict(negate(cond), b))


def _restrict(cond: Cond, value: TileValue) -> TileValue:
    """The value where the condition holds, when that fixes one scalar."""
    if cond.op != "eq" or value.shape is None:
        return value
    for mono, factor in cond.term.monos.items():
        if len(mono) == 1 and isinstance(mono[0], Symbol) and factor in (1, -1):
            known = (cond.term - Term({mono: factor})) * -factor
            if mono[0] not in atoms_of(known):
                s = Substitution({mono[0]: known})
                return relabel(value, tuple(s.term(e) for e in value.shape), {mono[0]: known})
    return value


def _tuples(m: Machine, cond: Cond, a: Tuple, b: Tuple, span: Span) -> Value:
    if len(a.items) != len(b.items):
        return _fallback(m, cond, a, b)
    return Tuple(tuple(join(m, cond, x, y, span) for x, y in zip(a.items, b.items, strict=True)))


def _instances(m: Machine, cond: Cond, a: Instance, b: Instance, span: Span) -> Value:
    if a.of.definition is not b.of.definition or a.fields.keys() != b.fields.keys():
        return _fallback(m, cond, a, b)
    return Instance(a.of, {k: join(m, cond, v, b.fields[k], span) for k, v in a.fields.items()})


_SAME: dict[type, Callable[..., Value]] = {
    Int: _ints,
    Bool: _bools,
    Data: _data,
    ArrayRef: lambda m, cond, a, b, span: either_array(cond, a, b),
    Tuple: _tuples,
    Instance: _instances,
}


def join(m: Machine, cond: Cond, a: Value, b: Value, span: Span) -> Value:
    """`a` where the condition holds, else `b`."""
    if cond.op in ("true", "false"):
        return a if cond.op == "true" else b
    return join_types(a, b, join_values(m, cond, a, b, a if a == b else _join(m, cond, a, b, span)))


def _join(m: Machine, cond: Cond, a: Value, b: Value, span: Span) -> Value:
    if type(a) is type(b) and type(a) in _SAME:
        return _SAME[type(a)](m, cond, a, b, span)
    kinds = {type(a), type(b)}
    if ArrayRef in kinds and ParamRef in kinds:
        first, second = to_array(m, a), to_array(m, b)
        if first is not None and second is not None:
            return either_array(cond, first, second)
    if Int in kinds and (kinds & {ParamRef, Bool}) and kinds <= {Int, ParamRef, Bool}:
        return _ints(m, cond, to_int(m, a, span), to_int(m, b, span), span)
    return _fallback(m, cond, a, b)


def _fallback(m: Machine, cond: Cond, a: Value, b: Value) -> Value:
    if Unknown in (type(a), type(b)) and not (_is_none(a) or _is_none(b)):
        return Unknown("one of several values", arrays_in(m, a) | arrays_in(m, b))
    choice = Choice(cond, a, b)
    if _depth(choice) > 3:
        return Unknown("one of several values", arrays_in(m, a) | arrays_in(m, b))
    return choice


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def join_environments(
    m: Machine, cond: Cond, a: Mapping[str, Value], b: Mapping[str, Value], span: Span,
) -> dict[str, Value]:
    out: dict[str, Value] = {}
    join_marks(m, cond, a, b, out, span)
    for name in (*a, *(n for n in b if n not in a)):
        if is_mark(name):
            continue
        # a name that one way leaves undefined may only be used where the other was taken
        if name not in a:
            out[name] = drop_type(b[name])
        elif name not in b:
            out[name] = drop_type(a[name])
        else:
            x, y = a[name], b[name]
            out[name] = x if x is y else join(m, cond, x, y, span)
    return out


def join_many(
    m: Machine, ways: Sequence[tuple[Cond, dict[str, Value]]], span: Span,
) -> tuple[Cond, dict[str, Value]]:
    """Joins several ways; the last one is taken where none of the other conditions holds."""
    cond, env = ways[-1]
    for c, e in reversed(ways[:-1]):
        cond, env = disj(c, cond), join_environments(m, c, e, env, span)
    return cond, env

"""When a value is known to the compiler, and the value where two paths meet."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

from msgspec import Struct

from tilecheck.dtypes import BOOL, INTEGERS, SOME_INTEGER, DType, ElementOf, ElementType, Weak, get_concrete_type
from tilecheck.interp.kernel.device.kinds import kind_of
from tilecheck.interp.kernel.device.note import is_passed
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.tile_types.typing import NOTHING, operand
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Const,
    Data,
    Function,
    Instance,
    Int,
    ParamRef,
    Shape,
    TileRef,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import counter, gt
from tilecheck.syntax.tree import Span

__all__ = ["Differing", "Stage", "forget_constant", "make_run_time", "mark_run_time", "meet", "stage_of"]

_TILES: Final = (Int, Bool, Data)


class Stage(Enum):
    """When a value is known: to the compiler, while the kernel runs, or this is not certain."""

    CONSTANT = "constant"
    RUN_TIME = "run time"
    UNKNOWN = "unknown"


def stage_of(m: Machine, value: Value) -> Stage:
    """When a number is known. A tile with axes is never a constant."""
    if isinstance(value, Const):
        return Stage.CONSTANT
    if not isinstance(value, _TILES) or value.shape is None:
        return Stage.UNKNOWN
    if value.shape:
        return Stage.UNKNOWN if value.dtype is None else Stage.RUN_TIME
    if _is_fixed(value):
        return Stage.UNKNOWN if value.dtype is None else Stage.CONSTANT
    return Stage.RUN_TIME if is_passed(m, value) else Stage.UNKNOWN


def _is_fixed(value: Value) -> bool:
    if isinstance(value, Int):
        return value.term.constant is not None
    return isinstance(value, Bool) and value.cond.op in ("true", "false")


def mark_run_time(m: Machine, result: Value, operands: Iterable[Value], span: Span) -> Value:
    """The result of an operation. With an operand that is known at run time it is known at run time, even if all values
    of the operand give the same result."""
    if m.knowledge.variant is None or not isinstance(result, _TILES) or result.shape != () or m.host:
        return result
    if stage_of(m, result) is Stage.RUN_TIME or not any(stage_of(m, o) is Stage.RUN_TIME for o in operands):
        return result
    if isinstance(result, Bool):
        return Bool(gt(counter(m.name("value", span)), 0), (), (), BOOL if result.dtype is None else result.dtype)
    if result.dtype is None or isinstance(result.dtype, Weak):
        return result
    if isinstance(result, Int):
        return Int(counter(m.name("value", span)), (), (), result.dtype)
    return Data((), counter(m.name("value", span)), (), result.dtype)


def make_run_time(m: Machine, dtype: ElementType, shape: Shape, span: Span) -> Value:
    """A value of a type of which nothing else is known."""
    if shape:
        return Data(shape, None, (), dtype, span)
    seed = counter(m.name("value", span))
    if dtype is BOOL:
        return Bool(gt(seed, 0), (), (), BOOL)
    return Int(seed, (), (), dtype) if dtype in INTEGERS or dtype is SOME_INTEGER else Data((), seed, (), dtype)


def _type_of(value: Value) -> ElementType | None:
    """The type that the compiler gives a number or a tile; None where it is not known."""
    known = operand(value)
    if known is NOTHING:
        return None
    found = get_concrete_type(known.dtype, known.value)
    return found if isinstance(found, (DType, ElementOf)) else None


def forget_constant(m: Machine, value: Value, span: Span) -> Value:
    """The value of a variable at the start of an iteration: its type alone is known."""
    if isinstance(value, Tuple):
        return Tuple(tuple(forget_constant(m, item, span) for item in value.items))
    if isinstance(value, Instance) and value.member is None:
        return Instance(value.of, {k: forget_constant(m, v, span) for k, v in value.fields.items()})
    if not isinstance(value, _TILES) and not (isinstance(value, Const) and isinstance(value.value, float)):
        return value
    if isinstance(value, _TILES) and stage_of(m, value) is Stage.RUN_TIME and not isinstance(value.dtype, Weak):
        return value
    dtype = _type_of(value)
    shape = () if isinstance(value, Const) else value.shape
    return Unknown("a number of a loop") if dtype is None or shape is None else make_run_time(m, dtype, shape, span)


class Differing(Struct, frozen=True):
    """Two values of which the compiler makes no common one, in words."""

    words: tuple[str, str]


def meet(m: Machine, a: Value, b: Value, span: Span) -> Value | Differing:
    """The value where two paths meet."""
    if a is b:
        return a
    first, second = kind_of(m, a), kind_of(m, b)
    if first is None or second is None:
        return Unknown("one of two values")
    numbers = {"a number", "a tile"}
    if {first, second} <= numbers:
        return _meet_numbers(m, a, b, span)
    if first != second:
        return Differing((first, second))
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return _meet_tuples(m, a, b, span)
    if isinstance(a, (Const, TileRef)) and a == b:
        return a
    if isinstance(a, Const) and isinstance(b, Const) and isinstance(a.value, str) and a.value != b.value:
        return Differing((f'"{a.value}"', f'"{b.value}"'))
    if isinstance(a, Function) and isinstance(b, Function) and a.definition is not b.definition:
        return Differing((f"`{a.definition.name}`", f"`{b.definition.name}`"))
    if isinstance(a, TileRef) and isinstance(b, TileRef):
        return Differing((f"`ct.{a.name}`", f"`ct.{b.name}`"))
    if isinstance(a, (ArrayRef, ParamRef)) and a == b:
        return a
    return Unknown("one of two values")


def _meet_tuples(m: Machine, a: Tuple, b: Tuple, span: Span) -> Value | Differing:
    if len(a.items) != len(b.items):
        return Differing((f"a tuple of {len(a.items)} items", f"one of {len(b.items)}"))
    items: list[Value] = []
    for x, y in zip(a.items, b.items, strict=True):
        met = meet(m, x, y, span)
        if isinstance(met, Differing):
            return met
        items.append(met)
    return Tuple(tuple(items))


def _meet_numbers(m: Machine, a: Value, b: Value, span: Span) -> Value | Differing:
    mine, theirs = _type_of(a), _type_of(b)
    shape, other = _shape_of(a), _shape_of(b)
    if shape is None or other is None:
        return Unknown("one of two tiles")
    if len(shape) != len(other):
        return Differing((f"a tile of {len(shape)} axes", f"one of {len(other)}"))
    if shape != other:
        clash = any(x.constant is not None and y.constant is not None and x.constant != y.constant
                    for x, y in zip(shape, other, strict=True))
        return Differing(("a tile of one shape", "one of another shape")) if clash else Unknown("one of two tiles")
    if mine is None or theirs is None:
        return Unknown("one of two numbers")
    if mine != theirs:
        known = isinstance(mine, DType) and isinstance(theirs, DType)
        return Differing((str(mine), str(theirs))) if known else Unknown("one of two tiles")
    if a == b and stage_of(m, a) is Stage.CONSTANT and stage_of(m, b) is Stage.CONSTANT:
        return a
    if Stage.UNKNOWN in (stage_of(m, a), stage_of(m, b)):
        return Unknown("one of two numbers")
    return make_run_time(m, mine, shape, span)


def _shape_of(value: Value) -> Shape | None:
    return value.shape if isinstance(value, _TILES) else ()

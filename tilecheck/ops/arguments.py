"""Arguments of operations, and rules that several families share."""

from __future__ import annotations

from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import scalar_of
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import Bool, Const, Data, Int, ParamRef, Value


def two_of(args: Arguments, first: str = "x", second: str = "y") -> tuple[Value, Value]:
    given = args.take((first, second))
    return given.get(first, MISSING), given.get(second, MISSING)


def one_of(args: Arguments, name: str = "x") -> Value:
    return args.take((name,)).get(name, MISSING)


def tile_of(m: Machine, value: Value, args: Arguments) -> Int | Bool | Data:
    if isinstance(value, (Int, Bool, Data)):
        return value
    if isinstance(value, ParamRef):
        return Int(scalar_of(m, value))
    if isinstance(value, Const):
        return Data(())
    return Data(None)


def keep_type(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """The type rule of an operation that consists of operators: they check types themselves."""
    return result

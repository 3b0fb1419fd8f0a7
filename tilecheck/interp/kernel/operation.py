"""The record of an operation of cuda.tile, and the evaluation of a call by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.poison.rules import blur_operands
from tilecheck.interp.kernel.tile_types.typing import drop_type
from tilecheck.interp.kernel.translation.values import mark_run_time
from tilecheck.interp.kernel.values import Value

__all__ = ["Memory", "Method", "Operation", "PoisonRule", "evaluate_method", "evaluate_operation"]

ValueRule: TypeAlias = Callable[[Machine, Arguments], Value]
TypeRule: TypeAlias = Callable[[Machine, str, Arguments, Value], Value]
PoisonRule: TypeAlias = Callable[[Machine, Arguments, Value], Value]
MethodRule: TypeAlias = Callable[[Machine, Value, Arguments], Value]
MethodTypeRule: TypeAlias = Callable[[Machine, str, Value, Arguments, Value], Value]
Memory: TypeAlias = Literal["unknown", "none", "reads", "writes", "updates"]


class Operation(Struct, frozen=True):
    """All that the checker knows of one operation of cuda.tile.

    An aspect that is left out is unknown, which is sound. Without `value` a call yields an unknown value and may use
    its arrays in any way. Without `types` the result has an unknown type. Without `poison` any lane of the result may
    be undefined if a lane of an operand is.

    name       the public name in `cuda.tile`
    signature  the parameters, as in a `def` statement
    summary    what the operation does, in one line
    memory     how it accesses the arrays that it receives
    value      the result, with the accesses and obligations that the call adds to the kernel
    types      the element type and shape of the result, and what the operands must satisfy
    poison     which lanes of the result are undefined
    method     the parameters of the method of a tile of the same name, without the tile; None if there is none
    function   whether `cuda.tile` has a function of this name
    each       whether a call with an operand that is one of two values is evaluated for each of them
    """

    name: str
    signature: str
    summary: str
    memory: Memory = "unknown"
    value: ValueRule | None = None
    types: TypeRule | None = None
    poison: PoisonRule | None = None
    method: str | None = None
    function: bool = True
    each: bool = False


class Method(Struct, frozen=True):
    """The same for a method of an array, a view of tiles, or raw memory. `owner` names its class in `cuda.tile`."""

    name: str
    owner: Literal["Array", "TiledView", "RawArrayMemory"]
    signature: str
    summary: str
    memory: Memory = "unknown"
    value: MethodRule | None = None
    types: MethodTypeRule | None = None


def evaluate_operation(m: Machine, operation: Operation, value: ValueRule, args: Arguments) -> Value:
    """The result of a call, with its undefined lanes and its type."""
    result = value(m, args)
    if m.knowledge.unspecified:
        result = (operation.poison or blur_operands)(m, args, result)
    if operation.types is None or m.knowledge.written is None:
        return drop_type(result)
    typed = operation.types(m, f"ct.{operation.name}", args, result)
    return typed if m.knowledge.variant is None else mark_run_time(
        m, typed, (*args.positional, *args.keywords.values()), args.span)


def evaluate_method(m: Machine, method: Method, value: MethodRule, owner: Value, args: Arguments) -> Value:
    """The same for a method of an array or of a view."""
    result = value(m, owner, args)
    if method.types is None or m.knowledge.written is None:
        return result
    return method.types(m, f"view.{method.name}", owner, args, result)

"""`Shared`: accumulators that blocks change by atomics alone."""

from __future__ import annotations

from functools import partial
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.calls import unknown_call
from tilecheck.interp.kernel.coerce import constant_int
from tilecheck.interp.kernel.dialect.cells import extent
from tilecheck.interp.kernel.dialect.methods import Method, takes
from tilecheck.interp.kernel.dialect.values import Shared
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import NONE, Int, TileRef, Value, View, array

__all__ = ["METHODS", "PLAIN"]

PLAIN: Final = frozenset({"store", "load", "load_like", "scatter", "gather", "at", "gather_row", "partition"})
"""Plain accesses, which an accumulator does not have."""


def _atomic(op: str, m: Machine, s: Shared, args: Arguments) -> Value:
    """Evaluates a relaxed atomic operation of the declared scope. It returns no value that a block could use."""
    how = {"memory_order": TileRef("MemoryOrder.RELAXED"),
           "memory_scope": TileRef(f"MemoryScope.{s.parameter.scope.upper()}")}
    whole = replace(args, positional=(array(View(s.array)), *args.positional), keywords={**args.keywords, **how})
    value = m.operations.tile[op].value
    if value is None:
        unknown_call(m, op, NONE, whole)
    else:
        value(m, whole)
    return NONE


def _extent(m: Machine, s: Shared, args: Arguments) -> Value:
    axis = constant_int(args.take(("axis",))["axis"])
    rank = s.parameter.rank
    if axis is None or not -rank <= axis < rank:
        return m.fresh_int("extent", args.span)
    return Int(extent(s.array, axis % rank))


METHODS: Final[dict[str, Method]] = {
    **{name: takes(partial(_atomic, f"atomic_{name.rstrip('_')}"), "indices update")
       for name in ("add", "min", "max", "and_", "or_", "xor")},
    "extent": takes(_extent, "axis"),
}

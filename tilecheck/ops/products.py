"""Products of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilecheck.dtypes import UNKNOWN, promote
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.operators import matmul_shape, shape_of
from tilecheck.interp.kernel.poison.propagation import product, shadow_of, spread
from tilecheck.interp.kernel.poison.sources import merge_poison
from tilecheck.interp.kernel.tile_types.operators import type_result
from tilecheck.interp.kernel.tile_types.typing import note, operand
from tilecheck.interp.kernel.values import Data, Value
from tilecheck.ops.arguments import two_of

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_mma(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "y", "acc"))
    return Data(shape_of(given.get("acc", MISSING)))


def _compute_mma_scaled(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "xs", "y", "ys", "acc"))
    return Data(shape_of(given.get("acc", MISSING)))


def _compute_matmul(m: Machine, args: Arguments) -> Value:
    a, b = two_of(args)
    return Data(matmul_shape(shape_of(a), shape_of(b)))


# --- types -----------------------------------------------------------------------------------------------------------

def _type_mma(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y", "acc"))
    x, y, acc = (operand(given.get(n)) for n in ("x", "y", "acc"))
    note(m, "mma", op, (x, y, acc), args.span)
    return type_result(result, acc.dtype, (given.get("acc"),))


def _type_mma_scaled(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "xs", "y", "ys", "acc"))
    given = {_SCALE_NAMES.get(k, k): v for k, v in given.items()}
    operands = tuple(operand(given.get(n)) for n in ("x", "xs", "y", "ys", "acc"))
    note(m, "mma_scaled", op, operands, args.span)
    return type_result(result, operands[-1].dtype, (given.get("acc"),))


_SCALE_NAMES: Final[Mapping[str, str]] = {"x_scale": "xs", "y_scale": "ys"}


def _type_matmul(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y"))
    x, y = operand(given.get("x")), operand(given.get("y"))
    note(m, "mma", op, (x, y), args.span)
    dtype = UNKNOWN if UNKNOWN in (x.dtype, y.dtype) else promote(x.dtype, y.dtype)
    return type_result(result, dtype or UNKNOWN, (given.get("x"), given.get("y")), args.span)


# --- poison ----------------------------------------------------------------------------------------------------------

def _poison_mma(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y", "acc"))
    parts = product(m, given.get("x", MISSING), given.get("y", MISSING), args.span, "mma")
    return spread(m, result, merge_poison(parts, shadow_of(given.get("acc", MISSING))))


def _poison_mma_scaled(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "xs", "y", "ys", "acc"))
    parts = [product(m, given.get(a, MISSING), given.get(b, MISSING), args.span, "mma_scaled")
             for a, b in (("x", "y"), ("xs", "ys"))]
    return spread(m, result, merge_poison(*parts, shadow_of(given.get("acc", MISSING))))


def _poison_matmul(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y"))
    return spread(m, result, product(m, given.get("x", MISSING), given.get("y", MISSING), args.span, "matmul"))


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("mma", "x, y, /, acc, *, use_fast_acc=False", "The matrix product of `x` and `y`, added to `acc`.",
              "none", _compute_mma, _type_mma, _poison_mma),
    Operation("mma_scaled", "x, x_scale, y, y_scale, /, acc",
              "The matrix product of `x` and `y`, each scaled by blocks, added to `acc`.", "none", _compute_mma_scaled,
              _type_mma_scaled, _poison_mma_scaled),
    Operation("matmul", "x, y, /", "The matrix product of `x` and `y`.", "none", _compute_matmul, _type_matmul,
              _poison_matmul),
)

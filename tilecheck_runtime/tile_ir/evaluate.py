"""One block of a launch, executed by its representation. The result are the accesses of the block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np

from tilecheck_runtime.tile_ir import arithmetic
from tilecheck_runtime.tile_ir.accesses import Argument, Made
from tilecheck_runtime.tile_ir.touch import touch_elements, touch_tile
from tilecheck_runtime.tile_ir.values import (
    ArrayValue,
    Pointer,
    Tile,
    Undecided,
    ViewValue,
    all_known,
    make_unknown,
    number_of,
)

__all__ = ["Block", "Parameter", "count_steps", "run_block"]

MOST_STEPS: Final = 2_000_000
"""Operations that one block may execute."""

Block: TypeAlias = tuple[int, int, int]
Parameter: TypeAlias = "Tile | Argument | tuple[Argument, ...]"
"""A scalar, an array, or a list of arrays. Constants are part of the representation."""

_INEXACT: Final = np.dtype(np.float32)
_TYPES: Final[Mapping[str, np.dtype[Any]]] = {
    "bool_": np.dtype(np.bool_),
    **{name: np.dtype(name) for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")},
}


@dataclass
class Run:
    """The state of one block.

    arrays   array arguments by number; the items of a list follow each other
    lists    the number of the first item and the number of items, by the name of the variable of a list
    values   values of variables
    certain  whether the current operation is executed for all data
    steps    operations that were executed, of `most_steps`
    """

    block: Block
    grid: Block
    arrays: Sequence[Argument]
    lists: dict[str, tuple[int, int]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    made: list[Made] = field(default_factory=list)
    certain: bool = True
    steps: int = 0
    most_steps: int = MOST_STEPS


@dataclass(frozen=True)
class Jump:
    """The jump that ends a block of operations: `continue`, `break`, `return` or `yield`, with its values."""

    how: str
    values: tuple[Any, ...] = ()


def run_block(body: Any, parameters: Sequence[Parameter], block: Block, grid: Block) -> list[Made]:
    """The accesses of one block, in order. Raises Undecided if they depend on data, or an operation has no rule."""
    return count_steps(body, parameters, block, grid, MOST_STEPS)[0]


def count_steps(
    body: Any, parameters: Sequence[Parameter], block: Block, grid: Block, most_steps: int,
) -> tuple[list[Made], int]:
    """The accesses of one block, and the number of operations that it executes, at most `most_steps`."""
    arrays: list[Argument] = []
    run = Run(block, grid, arrays, most_steps=min(most_steps, MOST_STEPS))
    names = iter(body.params)
    for parameter in parameters:
        if isinstance(parameter, Tile):
            run.values[next(names).name] = parameter
        elif isinstance(parameter, Argument):
            _bind_array(run, names, len(arrays), parameter)
            arrays.append(parameter)
        else:
            base, length = next(names).name, next(names)
            run.lists[base] = (len(arrays), len(parameter))
            run.values[base] = base
            run.values[length.name] = Tile(np.asarray(len(parameter), np.int32))
            arrays += parameter
    _run(run, body)
    return run.made, run.steps


def _bind_array(run: Run, names: Any, number: int, array: Argument) -> None:
    base, sizes = next(names), [next(names) for _ in range(2 * len(array.shape))]
    run.values[base.name] = Pointer(number, Tile(np.asarray(0, np.int64)))
    for var, size in zip(sizes, (*array.shape, *array.strides), strict=True):
        run.values[var.name] = Tile(np.asarray(size, _type_of(var)[0]))


def _run(run: Run, body: Any) -> Jump | None:
    for op in body:
        run.steps += 1
        if run.steps > run.most_steps:
            raise Undecided("the blocks execute too many operations")
        rule = _RULES.get(type(op).__name__)
        if rule is None:
            raise Undecided(f"the operation {op.op} is not followed")
        result = rule(run, op)
        if isinstance(result, Jump):
            return result
        for var, value in zip(op.result_vars, result, strict=True):
            run.values[var.name] = value
    return None


# --- types and operands ----------------------------------------------------------------------------------------------

def _type_of(var: Any) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """The NumPy type, the shape, and whether NumPy has the element type."""
    known = var.get_type()
    dtype = _TYPES.get(known.tensor_dtype().name)
    return dtype or _INEXACT, tuple(known.tensor_shape()), dtype is not None


def _tile(run: Run, var: Any) -> Tile:
    value = run.values[var.name]
    if not isinstance(value, Tile):
        raise Undecided("an address is used as a number")
    return value


def _unknown(run: Run, op: Any) -> tuple[Any, ...]:
    """Unknown tiles for each result."""
    return tuple(None if not hasattr(v.get_type(), "tensor_shape") else _unknown_of(v) for v in op.result_vars)


def _unknown_of(var: Any) -> Tile:
    dtype, shape, _ = _type_of(var)
    return make_unknown(shape, dtype)


def _move(run: Run, op: Any, apply: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> tuple[Any, ...]:
    """The operand with its elements moved."""
    value = run.values[op.x.name]
    if isinstance(value, Pointer):
        return (replace(value, offset=_move_lanes(value.offset, apply)),)
    return (_move_lanes(value, apply),)


def _move_lanes(tile: Tile, apply: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Tile:
    return Tile(apply(tile.data), tile.known if isinstance(tile.known, bool) else apply(tile.known_lanes()))


# --- rules -----------------------------------------------------------------------------------------------------------

def _const(run: Run, op: Any) -> tuple[Any, ...]:
    dtype, shape, exact = _type_of(op.result_vars[0])
    if not exact:
        return (make_unknown(shape, dtype),)
    return (Tile(np.broadcast_to(np.asarray(op.value, dtype), shape)),)


def _pass_on(run: Run, op: Any) -> tuple[Any, ...]:
    return (run.values[op.x.name],)


def _convert(run: Run, op: Any) -> tuple[Any, ...]:
    dtype, _, exact = _type_of(op.result_vars[0])
    return (arithmetic.convert(_tile(run, op.x), dtype, exact and _type_of(op.x)[2]),)


def _binary(run: Run, op: Any) -> tuple[Any, ...]:
    return (arithmetic.combine(op.fn, _tile(run, op.lhs), _tile(run, op.rhs)),)


def _select(run: Run, op: Any) -> tuple[Any, ...]:
    cond, x, y = _tile(run, op.cond), run.values[op.x.name], run.values[op.y.name]
    if isinstance(x, Pointer) and isinstance(y, Pointer):
        if x.array != y.array:
            raise Undecided("an address is one of two arrays")
        return (Pointer(x.array, arithmetic.select(cond, x.offset, y.offset)),)
    return (arithmetic.select(cond, x, y),)


def _arange(run: Run, op: Any) -> tuple[Any, ...]:
    dtype, shape, _ = _type_of(op.result_vars[0])
    return (Tile(np.arange(shape[0]).astype(dtype)),)


def _reshape(run: Run, op: Any) -> tuple[Any, ...]:
    shape = _type_of(op.result_vars[0])[1]
    return _move(run, op, lambda data: data.reshape(shape))


def _broadcast(run: Run, op: Any) -> tuple[Any, ...]:
    shape = _type_of(op.result_vars[0])[1]
    return _move(run, op, lambda data: np.broadcast_to(data, shape))


def _permute(run: Run, op: Any) -> tuple[Any, ...]:
    return _move(run, op, lambda data: data.transpose(op.axes))


def _extract(run: Run, op: Any) -> tuple[Any, ...]:
    index = [number_of(_tile(run, v), "the index of a part of a tile") for v in op.index]
    window = tuple(slice(i * n, (i + 1) * n) for i, n in zip(index, op.shape, strict=True))
    whole = _type_of(op.x)[1]
    if any(i < 0 or (i + 1) * n > size for i, n, size in zip(index, op.shape, whole, strict=True)):
        raise Undecided("a part of a tile lies outside the tile")
    return _move(run, op, lambda data: data[window])


def _insert(run: Run, op: Any) -> tuple[Any, ...]:
    x, value = _tile(run, op.x), _tile(run, op.value)
    index = [number_of(_tile(run, v), "the index of a part of a tile") for v in op.index]
    if any(i < 0 or (i + 1) * n > size for i, n, size in zip(index, value.shape, x.shape, strict=True)):
        raise Undecided("a part of a tile lies outside the tile")
    window = tuple(slice(i * n, (i + 1) * n) for i, n in zip(index, value.shape, strict=True))
    data, known = x.data.copy(), x.known_lanes().copy()
    data[window], known[window] = value.data, value.known_lanes()
    return (Tile(data, known),)


def _cat(run: Run, op: Any) -> tuple[Any, ...]:
    x, y = _tile(run, op.x), _tile(run, op.y)
    return (Tile(np.concatenate((x.data, y.data), op.axis),
                 np.concatenate((x.known_lanes(), y.known_lanes()), op.axis)),)


def _bitcast(run: Run, op: Any) -> tuple[Any, ...]:
    x, (dtype, shape, exact) = _tile(run, op.x), _type_of(op.result_vars[0])
    if not exact or not _type_of(op.x)[2] or dtype.itemsize != x.data.dtype.itemsize:
        return (make_unknown(shape, dtype),)
    return (Tile(np.ascontiguousarray(x.data).view(dtype).reshape(shape), x.known),)


def _fold(run: Run, op: Any, keep: bool) -> tuple[Any, ...]:
    """A reduction, or with `keep` a scan, by the function of the operation."""
    tiles = tuple(_tile(run, v) for v in op.xs)
    if arithmetic.is_all_unknown(tiles):
        return _unknown(run, op)
    axis, count, whole = op.axis, tiles[0].shape[op.axis], len(tiles)
    order = range(count - 1, -1, -1) if keep and op.reverse else range(count)
    total = [_move_lanes(t, lambda data: np.take(data, order[0], axis)) for t in tiles]
    found = {order[0]: total}
    for k in order[1:]:
        lanes = [_move_lanes(t, lambda data, k=k: np.take(data, k, axis)) for t in tiles]  # type: ignore[misc]
        for var, value in zip(op.body.params, (*total, *lanes), strict=True):
            run.values[var.name] = value
        jump = _run(run, op.body)
        assert jump is not None
        total = list(jump.values)
        found[k] = total
    if not keep:
        return tuple(total)
    return tuple(
        Tile(np.stack([found[k][n].data for k in range(count)], axis),
             np.stack([found[k][n].known_lanes() for k in range(count)], axis)) for n in range(whole))


# --- control ---------------------------------------------------------------------------------------------------------

def _loop(run: Run, op: Any) -> Any:
    carried = [run.values[v.name] for v in op.initial_values]
    for value in _counters(run, op):
        variables = op.body.params
        if value is not None:
            run.values[variables[0].name] = value
            variables = variables[1:]
        for var, kept in zip(variables, carried, strict=True):
            run.values[var.name] = kept
        jump = _run(run, op.body)
        if jump is None or jump.how == "return":
            return jump or Jump("return")
        carried = list(jump.values)
        if jump.how == "break":
            break
    return tuple(carried)


def _counters(run: Run, op: Any) -> Any:
    """The values of the counter of a loop; None for each iteration of a loop without one."""
    if not op.is_for_loop:
        while True:
            yield None
    start, stop, step = (number_of(_tile(run, v), "the range of a loop") for v in (op.start, op.stop, op.step))
    if step <= 0:
        raise Undecided("the step of a loop is not positive")
    dtype = _type_of(op.induction_var)[0]
    for value in range(start, stop, step):
        yield Tile(np.asarray(value, dtype))


def _branch(run: Run, op: Any) -> Any:
    cond = _tile(run, op.cond)
    if all_known(cond):
        jump = _run(run, op.then_block if bool(cond.data) else op.else_block)
        return jump.values if jump is not None and jump.how == "yield" else jump or Jump("return")
    before = run.certain
    run.certain = False
    first, second = _run(run, op.then_block), _run(run, op.else_block)
    run.certain = before
    if first is None or second is None or first.how != "yield" or second.how != "yield":
        raise Undecided("a jump depends on data")
    return tuple(_join(a, b) for a, b in zip(first.values, second.values, strict=True))


def _join(a: Any, b: Any) -> Any:
    if isinstance(a, Tile) and isinstance(b, Tile):
        return arithmetic.select(Tile(np.zeros(a.shape, np.bool_), False), a, b)
    if isinstance(a, Pointer) and isinstance(b, Pointer) and a.array == b.array:
        return Pointer(a.array, _join(a.offset, b.offset))
    if a is None and b is None:
        return None
    raise Undecided("an address depends on data")


def _jump(how: str, name: str, run: Run, op: Any) -> Jump:
    return Jump(how, tuple(run.values[v.name] for v in getattr(op, name)) if name else ())


# --- arrays ----------------------------------------------------------------------------------------------------------

def _array(run: Run, op: Any) -> tuple[Any, ...]:
    shape, strides = (tuple(_tile(run, v) for v in group) for group in (op.shape, op.strides))
    return (ArrayValue(run.values[op.base_ptr.name], shape, strides),)


def _view(run: Run, op: Any) -> tuple[Any, ...]:
    return (ViewValue(run.values[op.array.name], op.result_vars[0].get_type()),)


def _count_tiles(run: Run, op: Any) -> tuple[Any, ...]:
    view: ViewValue = run.values[op.view.name]
    order = getattr(view.type, "order", range(len(view.type.tile_shape)))
    steps = getattr(view.type, "traversal_steps", view.type.tile_shape)
    if tuple(steps) != tuple(view.type.tile_shape):
        raise Undecided("the number of overlapping tiles is not followed")
    extents = [number_of(view.array.shape[axis], "the extent of an array") for axis in order]
    return tuple(Tile(np.asarray(-(-extent // size), _type_of(var)[0]))
                 for var, extent, size in zip(op.result_vars, extents, view.type.tile_shape, strict=True))


def _list_item(run: Run, op: Any) -> tuple[Any, ...]:
    first, count = run.lists[run.values[op.x.name]]
    index = number_of(_tile(run, op.index), "the index of a list")
    if not 0 <= index < count:
        raise Undecided("the index of a list is outside the list")
    array = run.arrays[first + index]
    sizes = [Tile(np.asarray(n, _type_of(var)[0]))
             for var, n in zip(op.result_vars[1:], (*array.shape, *array.strides), strict=True)]
    return (Pointer(first + index, Tile(np.asarray(0, np.int64))), *sizes)


def _list_view(run: Run, op: Any) -> tuple[Any, ...]:
    return (run.values[op.base_ptr.name],)


def _offset(run: Run, op: Any) -> tuple[Any, ...]:
    pointer, offset = run.values[op.pointer.name], _tile(run, op.offset)
    moved = offset.data.astype(np.int64)
    return (Pointer(pointer.array, arithmetic.combine("add", pointer.offset, Tile(moved, offset.known))),)


def _tile_access(mode: str, run: Run, op: Any) -> tuple[Any, ...]:
    view: ViewValue = run.values[op.view.name]
    index = tuple(_tile(run, v) for v in op.index)
    unchecked = getattr(op, "inbounds", ()) or (False,) * len(index)
    array = run.arrays[view.array.base.array]
    found = touch_tile(view, index, unchecked, array)
    made = _note(run, op, mode, view.array.base.array, found)
    padding = getattr(view.type, "padding_mode", None)
    run.made.append(replace(made, missed=len(made.elements) == 0, undefined=mode == "read" and made.dropped > 0 and (
        padding is None or padding.value == "undetermined")))
    return _unknown(run, op)


def _element_access(mode: str, run: Run, op: Any) -> tuple[Any, ...]:
    pointer: Pointer = run.values[op.pointer.name]
    mask = Tile(np.ones(pointer.offset.shape, np.bool_)) if op.mask is None else _tile(run, op.mask)
    found = touch_elements(pointer, mask, run.arrays[pointer.array])
    made = _note(run, op, mode, pointer.array, found)
    run.made.append(replace(made, undefined=mode == "read" and made.dropped > 0 and op.padding_value is None))
    return _unknown(run, op)


def _note(run: Run, op: Any, mode: Any, array: int, found: Any) -> Made:
    elements, outside, dropped, certain = found
    order = getattr(op, "memory_order", None)
    return Made(array, str(op.op), mode, op.loc.line, op.loc.filename or "", elements, outside, dropped,
                certain=certain and run.certain, order="weak" if order is None else order.value)


def _skip(run: Run, op: Any) -> tuple[Any, ...]:
    return tuple(None for _ in op.result_vars)


_RULES: Final[Mapping[str, Callable[[Run, Any], Any]]] = {
    "TypedConst": _const, "AssumeDivBy": _pass_on, "AssumeBounded": _pass_on, "TileAsType": _convert,
    "Assign": lambda run, op: (run.values[op.value.name],),
    "RawComparisonOperation": lambda run, op: (arithmetic.compare(op.fn, _tile(run, op.lhs), _tile(run, op.rhs)),),
    "RawBinaryBitwiseOperation": _binary, "RawBinaryArithmeticOperation": _binary,
    "RawBitwiseShiftOperation": lambda run, op: (arithmetic.shift(op.fn, _tile(run, op.lhs), _tile(run, op.rhs)),),
    "RawWhereOperation": _select, "Unary": lambda run, op: (arithmetic.transform(op.fn, _tile(run, op.operand)),),
    "TileArange": _arange, "TileReshape": _reshape, "TileBroadcast": _broadcast, "TilePermute": _permute,
    "TileExtract": _extract, "TileInsert": _insert, "TileCat": _cat, "TileBitCast": _bitcast,
    "TileReduce": lambda run, op: _fold(run, op, False), "TileScan": lambda run, op: _fold(run, op, True),
    "TileBid": lambda run, op: (Tile(np.asarray(run.block[op.axis], np.int32)),),
    "TileNumBlocks": lambda run, op: (Tile(np.asarray(run.grid[op.axis], np.int32)),),
    **dict.fromkeys(("RawFPowIOperation", "FusedMulAddOperation", "TileMma", "TileMmaScaled", "TilePack", "TileUnpack",
                     "MakeDummy"), _unknown),
    "Loop": _loop, "IfElse": _branch, "Continue": lambda run, op: _jump("continue", "values", run, op),
    "Break": lambda run, op: _jump("break", "values", run, op),
    "EndBranch": lambda run, op: _jump("yield", "outputs", run, op), "Return": lambda run, op: Jump("return"),
    "MakeTensorView": _array, "MakePartitionView": _view, "MakeStridedView": _view, "MakeGatherScatterView": _view,
    "NumTiles": _count_tiles, "GetArrayListItem": _list_item, "MakeListView": _list_view, "PointerOffset": _offset,
    "TileLoad": lambda run, op: _tile_access("read", run, op),
    "TileStore": lambda run, op: _tile_access("write", run, op),
    "TileAtomicRedView": lambda run, op: _tile_access("atomic", run, op),
    "LoadPointer": lambda run, op: _element_access("read", run, op),
    "StorePointer": lambda run, op: _element_access("write", run, op),
    "TileAtomicRMW": lambda run, op: _element_access("atomic", run, op),
    "TileAtomicCAS": lambda run, op: _element_access("atomic", run, op),
    **dict.fromkeys(("MakeToken", "JoinTokens", "TileAssert", "TilePrintf", "GridDependencyControlWait",
                     "GridDependencyControlLaunchDependents"), _skip),
}

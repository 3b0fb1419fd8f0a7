"""A fake `cuda.tile`: the names a kernel uses, and `run`, which executes a kernel block by block on the CPU."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Annotated, Any, TypeVar

import numpy as np

from tests.oracle import memory, poison, values
from tests.oracle.machine import Machine, Ticks
from tests.oracle.values import DTYPES, DType, Tile, binary, extents, like, marks_of, raw, to_whole_shape

T = TypeVar("T")


class ConstantAnnotation:
    """Marks a parameter whose value is a compile-time constant."""


Constant = Annotated[T, ConstantAnnotation()]


class Kernel:
    """A decorated kernel: holds the function. Calling it is an error, as in cuTile."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._pyfunc = function
        self.__name__ = getattr(function, "__name__", "kernel")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("kernels are launched, not called")

    def replace_hints(self, **hints: Any) -> Kernel:
        return Kernel(self._pyfunc)


def kernel(function: Any = None, /, **hints: Any) -> Any:
    if function is None:
        return lambda f: kernel(f, **hints)
    return Kernel(function._pyfunc if isinstance(function, Kernel) else function)


def function(func: Any = None, /, **options: Any) -> Any:
    return (lambda f: f) if func is None else func


def bid(axis: Any) -> Tile:
    Machine.axes.add(int(axis))
    return Tile(Machine.block[int(axis)])


def num_blocks(axis: Any) -> Tile:
    Machine.axes.add(int(axis))
    return Tile(Machine.grid[int(axis)])


def arange(size: Any, *, dtype: DType = DTYPES["int32"], start: Any = 0, step: Any = 1) -> Tile:
    (extent,) = extents(size)
    marks = poison.union((extent,), marks_of(start), marks_of(step))
    return Tile(raw(start) + np.arange(extent) * raw(step), dtype, marks)


def full(shape: Any, fill_value: Any, dtype: DType) -> Tile:
    sizes = extents(shape)
    marks = poison.union(sizes, marks_of(fill_value))
    return Tile(np.full(sizes, raw(fill_value), dtype=dtype.numpy), dtype, marks)


def zeros(shape: Any, dtype: DType) -> Tile:
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: DType) -> Tile:
    return full(shape, 1, dtype)


def astile(value: Any, *, dtype: DType) -> Tile:
    return values.astype(value, dtype)


def where(condition: Any, x: Any, y: Any) -> Tile:
    picked = np.where(raw(condition), raw(x), raw(y))
    marks = poison.mark_selected(np.shape(picked), raw(condition), marks_of(condition), marks_of(x), marks_of(y))
    return Tile(picked, values._dtype_of(x) or values._dtype_of(y), marks)


def cat(tiles: Any, axis: Any) -> Tile:
    marks = [np.zeros(t.shape, dtype=np.int64) if t.marks is None else t.marks for t in tiles]
    joined = np.concatenate(marks, int(axis)) if any(t.marks is not None for t in tiles) else None
    return Tile(np.concatenate([np.asarray(raw(t)) for t in tiles], int(axis)), tiles[0].dtype, joined)


def broadcast_to(x: Any, shape: Any) -> Tile:
    return like(x, lambda data: np.broadcast_to(data, to_whole_shape(shape)))


def expand_dims(x: Any, axis: Any) -> Tile:
    return like(x, lambda data: np.expand_dims(data, int(axis)))


def bitcast(x: Any, dtype: DType) -> Tile:
    return values.astype(x, dtype)


def pack_to_bytes(x: Any) -> Tile:
    count = max(x.dtype.bits * max(int(np.size(raw(x))), 1) // 8, 1)
    return Tile(np.zeros(count, dtype=np.int64), DTYPES["uint8"], _broadcast((count,), x))


def unpack_from_bytes(x: Any, dtype: DType) -> Tile:
    count = int(np.size(raw(x))) * 8 // dtype.bits
    return Tile(np.zeros(count, dtype=dtype.numpy), dtype, _broadcast((count,), x))


def _broadcast(shape: tuple[int, ...], x: Any) -> Any:
    """Marks of lanes that each depend on any lane of `x`."""
    marks = marks_of(x)
    return None if marks is None else poison.union(shape, np.bitwise_or.reduce(marks, axis=None))


def _axis(axis: Any) -> Any:
    return axis if axis is None else tuple(map(int, axis)) if isinstance(axis, tuple) else int(axis)


def _reduction(compute: Callable[..., Any]) -> Callable[..., Tile]:
    def operation(x: Any, axis: Any = None, *, keepdims: Any = False, **options: Any) -> Tile:
        marks = poison.mark_reduced(marks_of(x), _axis(axis), bool(keepdims))
        return Tile(compute(np.asarray(raw(x)), axis=_axis(axis), keepdims=bool(keepdims)), values._dtype_of(x), marks)

    return operation


def _argument(compute: Callable[..., Any]) -> Callable[..., Tile]:
    def operation(x: Any, axis: Any = None, *, keepdims: Any = False, **options: Any) -> Tile:
        marks = poison.mark_reduced(marks_of(x), _axis(axis), bool(keepdims))
        return Tile(compute(np.asarray(raw(x)), axis=_axis(axis), keepdims=bool(keepdims)), DTYPES["int32"], marks)

    return operation


def _scan(compute: Callable[..., Any]) -> Callable[..., Tile]:
    def operation(x: Any, axis: Any = 0, *, reverse: Any = False, **options: Any) -> Tile:
        data, place = np.asarray(raw(x)), int(axis)
        done = np.flip(compute(np.flip(data, place), axis=place), place) if reverse else compute(data, axis=place)
        return Tile(done, values._dtype_of(x), poison.mark_scanned(marks_of(x), place, bool(reverse)))

    return operation


def _parts(x: Any) -> tuple[tuple[Tile, ...], bool]:
    return (tuple(x), True) if isinstance(x, tuple) else ((x,), False)


def _fold(function: Callable[..., Any], total: Sequence[Any], item: Sequence[Any]) -> tuple[Any, ...]:
    result = function(*total, *item)
    return result if isinstance(result, tuple) else (result,)


def reduce(x: Any, axis: Any, func: Callable[..., Any], identity: Any, *, keepdims: Any = False) -> Any:
    parts, many = _parts(x)
    total: tuple[Any, ...] = tuple(identity) if isinstance(identity, tuple) else (identity,)
    for n in range(parts[0].shape[int(axis)]):
        total = _fold(func, total, [Tile(np.take(p.data, n, int(axis))) for p in parts])
    marks = poison.mark_reduced(_all_marks(parts), int(axis))
    total = tuple(Tile(raw(t), values._dtype_of(t), marks) for t in total)
    if keepdims:
        total = tuple(expand_dims(t, axis) for t in total)
    return total if many else total[0]


def _all_marks(parts: Sequence[Tile]) -> Any:
    return poison.union(parts[0].shape, *(p.marks for p in parts))


def scan(x: Any, axis: Any, func: Callable[..., Any], identity: Any, *, reverse: Any = False) -> Any:
    parts, many = _parts(x)
    total: tuple[Any, ...] = tuple(identity) if isinstance(identity, tuple) else (identity,)
    places = range(parts[0].shape[int(axis)])
    steps = []
    for n in reversed(places) if reverse else places:
        total = _fold(func, total, [Tile(np.take(p.data, n, int(axis))) for p in parts])
        steps.append(total)
    if reverse:
        steps.reverse()
    marks = poison.mark_scanned(_all_marks(parts), int(axis), bool(reverse))
    done = tuple(Tile(np.stack([raw(s[k]) for s in steps], int(axis)), None, marks) for k in range(len(parts)))
    return done if many else done[0]


def mma(x: Any, y: Any, acc: Any, **options: Any) -> Tile:
    product = matmul(x, y)
    total = raw(acc) + product.data
    return Tile(total, values._dtype_of(acc), poison.union(np.shape(total), marks_of(acc), product.marks))


def mma_scaled(x: Any, x_scale: Any, y: Any, y_scale: Any, acc: Any) -> Tile:
    return mma(x, y, acc)


def matmul(x: Any, y: Any) -> Tile:
    product = np.matmul(np.asarray(raw(x)), np.asarray(raw(y)))
    return Tile(product, values._dtype_of(x), poison.mark_multiplied(product.shape, marks_of(x), marks_of(y)))


def cdiv(x: Any, y: Any) -> Tile:
    return -(-(x if isinstance(x, Tile) else Tile(x)) // y)


def divmod_(x: Any, y: Any) -> tuple[Tile, Tile]:
    x = x if isinstance(x, Tile) else Tile(x)
    return x // y, x % y


def _unary(compute: Callable[[Any], Any], real: bool = True) -> Callable[..., Tile]:
    def operation(x: Any, **options: Any) -> Tile:
        data = np.asarray(raw(x), dtype=float) if real else np.asarray(raw(x))
        return Tile(compute(data), values._dtype_of(x), marks_of(x))

    return operation


def _binary(compute: Callable[[Any, Any], Any]) -> Callable[..., Tile]:
    return lambda x, y, **options: binary(compute, x, y)


def _pick(compute: Callable[[Any, Any], Any], scalar: Callable[..., Any]) -> Callable[..., Any]:
    """The builtin `min`/`max` in kernels: element-wise on tiles."""
    def operation(*items: Any, **options: Any) -> Any:
        if len(items) == 2 and any(isinstance(i, Tile) for i in items):
            return binary(compute, *items)
        return scalar(*items, **options)

    return operation


def _range(*bounds: Any) -> Iterator[int]:
    """The builtin `range` in kernels: every iteration counts as work."""
    for i in builtins.range(*(operator.index(b) for b in bounds)):
        Ticks.tick()
        yield i


def static_assert(condition: Any, message: Any = None) -> None:
    if not condition:
        raise values.TileError(f"static_assert: {message}")


def assert_(condition: Any, message: Any = None) -> None:
    if not np.all(raw(condition)):
        raise values.UndefinedBehaviour("assert_")


def assume_divisible_by(x: Any, divisor: Any) -> Any:
    if int(x) % int(divisor):
        raise values.UndefinedBehaviour("assume_divisible_by")
    return x


_UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil,
    "isnan": np.isnan, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
_NAMED = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod",
          "pow": "pow", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "bitwise_lshift": "lshift",
          "bitwise_rshift": "rshift"}
_COMPARED = {"greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "equal": "eq",
             "not_equal": "ne"}


class _Permissive(type):
    """Classes derived from `Anything`: attributes that they do not define are `Anything` too."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything()


class _PermissiveBase(metaclass=_Permissive):
    pass


class Anything:
    """Stands for names that a kernel does not need: host libraries and their members. As a decorator it is a no-op."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]
        return Anything()

    def __iter__(self) -> Any:
        return iter(())

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (_PermissiveBase,)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    def __int__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False


def _host_operators() -> None:
    for name in ("getitem", "or", "ror", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "floordiv", "mod"):
        setattr(Anything, f"__{name}__", lambda *operands: Anything())
    for name in ("lt", "le", "gt", "ge"):
        setattr(Anything, f"__{name}__", lambda *operands: False)


_host_operators()


def _namespace() -> dict[str, Any]:
    names: dict[str, Any] = dict(DTYPES)
    names.update({name: _unary(compute) for name, compute in _UNARY.items()})
    names.update({name: _binary(values.OPERATORS[op]) for name, op in _NAMED.items()})
    names.update({name: _binary(values.COMPARISONS[op]) for name, op in _COMPARED.items()})
    names.update(memory.ATOMICS)
    for module, wanted in (
        (memory, "PaddingMode MemoryOrder MemoryScope Slice load store gather scatter load_advanced_indexing "
                 "store_advanced_indexing num_tiles Array TiledView"),
        (values, "DType Tile TileError reshape permute transpose astype extract insert"),
    ):
        names.update({name: getattr(module, name) for name in wanted.split()})
    names.update(
        Constant=Constant, ConstantAnnotation=ConstantAnnotation, kernel=kernel, function=function, bid=bid,
        num_blocks=num_blocks, arange=arange, full=full, zeros=zeros, ones=ones, astile=astile, where=where, cat=cat,
        broadcast_to=broadcast_to, expand_dims=expand_dims, bitcast=bitcast, pack_to_bytes=pack_to_bytes,
        unpack_from_bytes=unpack_from_bytes, sum=_reduction(np.sum), prod=_reduction(np.prod),
        max=_reduction(np.max), min=_reduction(np.min), argmax=_argument(np.argmax), argmin=_argument(np.argmin),
        cumsum=_scan(np.cumsum), cumprod=_scan(np.cumprod), reduce=reduce, scan=scan, mma=mma, mma_scaled=mma_scaled,
        matmul=matmul, cdiv=cdiv, divmod=divmod_, minimum=_binary(np.minimum), maximum=_binary(np.maximum),
        atan2=_binary(np.arctan2), abs=_unary(np.abs, real=False), negative=_unary(np.negative, real=False),
        bitwise_not=lambda x: ~x, printf=lambda *a: None, print=lambda *a, **k: None, static_assert=static_assert,
        assert_=assert_, assume_divisible_by=assume_divisible_by, static_eval=lambda e: e, static_iter=iter,
        ensure_constant=lambda v: v, grid_dependency_control_wait=lambda: None,
        grid_dependency_control_launch_dependents=lambda: None,
    )
    return names


def make_module() -> ModuleType:
    """The fake module; a name it does not define is `Anything`."""
    module = ModuleType("cuda.tile")
    vars(module).update(_namespace())
    vars(module)["__getattr__"] = lambda name: Anything() if not name.startswith("__") else _missing(name)
    return module


def _missing(name: str) -> Any:
    raise AttributeError(name)


BUILTINS: dict[str, Any] = {
    **vars(builtins), "min": _pick(np.minimum, builtins.min), "max": _pick(np.maximum, builtins.max),
    "range": _range,
    "print": lambda *a, **k: None,
}
MODULE = make_module()
CONSTANTS: Mapping[str, float] = {"pi": math.pi}

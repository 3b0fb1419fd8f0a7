# Types of `cuda.tile`, for type checkers and editors. Everything public is defined here, not re-exported, so that its
# full name is `cuda.tile.<name>`. `tests/stubs` compares this file with the installed package.
#
# Types that only type checkers need begin with an underscore. Where a shape is not known before the kernel is compiled
# (broadcasting, axes that are not literals) the result is a tile of unknown shape, which fits everywhere.
#
# Kernels give a variable tiles of different shapes and element types one after the other. Functions that are told a
# shape or an element type therefore end in an overload that promises less: mypy takes it where the variable has another
# type already.

import enum
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import EllipsisType
from typing import Annotated, Any, Generic, Literal, Never, Protocol, Self, TypeAlias, overload

from cuda.tile import compilation as compilation
from cuda.tile import tune as tune
from typing_extensions import ParamSpec, TypeVar, TypeVarTuple, Unpack

__version__: str

__all__ = [
    "Array",
    "ArrayAnnotation",
    "ByTarget",
    "Constant",
    "ConstantAnnotation",
    "DType",
    "IndexedWithInt64",
    "ListAnnotation",
    "MemoryOrder",
    "MemoryScope",
    "PaddingMode",
    "RoundingMode",
    "Scalar",
    "ScalarInt64",
    "Slice",
    "StaticException",
    "Tile",
    "TileCompilerExecutionError",
    "TileCompilerTimeoutError",
    "TileError",
    "TileInternalError",
    "TileRecursionError",
    "TileStaticAssertionError",
    "TileStaticEvalError",
    "TileSyntaxError",
    "TileTypeError",
    "TileUnsupportedFeatureError",
    "TileValueError",
    "TiledView",
    "abs",
    "add",
    "arange",
    "argmax",
    "argmin",
    "assert_",
    "assume_divisible_by",
    "astile",
    "astype",
    "atan2",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xchg",
    "atomic_xor",
    "bfloat16",
    "bid",
    "bitcast",
    "bitwise_and",
    "bitwise_lshift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_rshift",
    "bitwise_xor",
    "bool_",
    "broadcast_to",
    "cat",
    "cdiv",
    "ceil",
    "compilation",
    "compiler_timeout",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "divmod",
    "ensure_constant",
    "equal",
    "exp",
    "exp2",
    "expand_dims",
    "extract",
    "float4_e2m1fn",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e5m3fnu",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "float64",
    "floor",
    "floordiv",
    "foreign_pointer_dtype",
    "full",
    "function",
    "gather",
    "greater",
    "greater_equal",
    "grid_dependency_control_launch_dependents",
    "grid_dependency_control_wait",
    "insert",
    "int8",
    "int16",
    "int32",
    "int64",
    "isnan",
    "kernel",
    "launch",
    "less",
    "less_equal",
    "load",
    "load_advanced_indexing",
    "log",
    "log2",
    "matmul",
    "max",
    "maximum",
    "min",
    "minimum",
    "mma",
    "mma_scaled",
    "mod",
    "mul",
    "negative",
    "not_equal",
    "num_blocks",
    "num_tiles",
    "ones",
    "pack_to_bytes",
    "permute",
    "pow",
    "print",
    "printf",
    "prod",
    "reduce",
    "reshape",
    "rsqrt",
    "scan",
    "scatter",
    "sin",
    "sinh",
    "sqrt",
    "static_assert",
    "static_eval",
    "static_exception",
    "static_iter",
    "store",
    "store_advanced_indexing",
    "sub",
    "sum",
    "tan",
    "tanh",
    "tfloat32",
    "transpose",
    "truediv",
    "tune",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unpack_from_bytes",
    "where",
    "zeros",
]

# ---- variables

_T = TypeVar("_T")
_T0 = TypeVar("_T0", default=Any)
_Exc = TypeVar("_Exc", bound=BaseException)
_P = ParamSpec("_P", default=...)
_Q = ParamSpec("_Q")
_Function = TypeVar("_Function", bound=Callable[..., Any])

_D = TypeVar("_D", bound=_Element)
_A = TypeVar("_A", bound=_Element)
_D0 = TypeVar("_D0", bound=_Element, default=Any)
_F = TypeVar("_F", bound=_Floating)
_I = TypeVar("_I", bound=_Integral)
_W = TypeVar("_W", bound=_Integer)
_X = TypeVar("_X", bound=_Floating | _Integer)

_N = TypeVar("_N", bound=int)
_M = TypeVar("_M", bound=int)
_K = TypeVar("_K", bound=int)
_L = TypeVar("_L", bound=int)
_S = TypeVarTuple("_S")
_R = TypeVarTuple("_R")
_S0 = TypeVarTuple("_S0", default=Unpack[tuple[Any, ...]])

# ---- element types
# Each is a class here, so that `Tile[float32, ...]` can be written and inferred, and an instance of its metaclass
# `DType`, which is what it is at run time. Called, it makes a scalar: a tile without axes. Arithmetic makes int32 of
# `bool_`.

class DType(type):
    @property
    def bitwidth(cls) -> int: ...
    @property
    def name(cls) -> str: ...
    def __eq__(cls, other: object, /) -> bool: ...
    def __hash__(cls) -> int: ...

class _Element(metaclass=DType): ...
class _Floating(_Element): ...
class _Integral(_Element): ...
class _Integer(_Integral): ...

class bool_(_Integral, Tile["bool_", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class int8(_Integer, Tile["int8", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class int16(_Integer, Tile["int16", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class int32(_Integer, Tile["int32", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class int64(_Integer, Tile["int64", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class uint8(_Integer, Tile["uint8", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class uint16(_Integer, Tile["uint16", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class uint32(_Integer, Tile["uint32", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class uint64(_Integer, Tile["uint64", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float16(_Floating, Tile["float16", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class bfloat16(_Floating, Tile["bfloat16", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float32(_Floating, Tile["float32", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float64(_Floating, Tile["float64", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class tfloat32(_Floating, Tile["tfloat32", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float8_e4m3fn(_Floating, Tile["float8_e4m3fn", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float8_e5m2(_Floating, Tile["float8_e5m2", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float8_e8m0fnu(_Floating, Tile["float8_e8m0fnu", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float8_e5m3fnu(_Floating, Tile["float8_e5m3fnu", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

class float4_e2m1fn(_Floating, Tile["float4_e2m1fn", *tuple[()]]):
    def __init__(self, value: _Number | _ScalarTile, /) -> None: ...

def foreign_pointer_dtype(pointee_dtype: DType) -> DType: ...

# ---- annotations of kernel parameters: only their metadata count

class ConstantAnnotation: ...

Constant = Annotated[_T0, ConstantAnnotation()]

@dataclass(frozen=True, kw_only=True)
class ArrayAnnotation:
    index_dtype: DType = ...
    static_shape_dims: tuple[int, ...] = ()
    static_stride_dims: tuple[int, ...] = ()

@dataclass(frozen=True, kw_only=True)
class _ScalarAnnotation:
    dtype: DType

@dataclass(frozen=True, kw_only=True)
class ListAnnotation:
    element: Any

IndexedWithInt64 = Annotated[_T0, ArrayAnnotation(index_dtype=int64)]
ScalarInt64 = Annotated[_T0, _ScalarAnnotation(dtype=int64)]

# ---- enumerations

class PaddingMode(enum.Enum):
    UNDETERMINED = "undetermined"
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"

class RoundingMode(enum.Enum):
    RN = "nearest_even"
    RZ = "zero"
    RM = "negative_inf"
    RP = "positive_inf"
    RA = "nearest_away"
    FULL = "full"
    APPROX = "approx"
    RZI = "nearest_int_to_zero"

class MemoryOrder(enum.Enum):
    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"

class MemoryScope(enum.Enum):
    NONE = "none"
    BLOCK = "block"
    CLUSTER = "cluster"
    DEVICE = "device"
    SYS = "sys"

# ---- errors

class TileError(Exception):
    loc: Any
    message: str
    def __init__(self, message: str, loc: Any = ...) -> None: ...

class TileSyntaxError(TileError): ...
class TileTypeError(TileError): ...
class TileRecursionError(TileError): ...
class TileValueError(TileError): ...
class TileUnsupportedFeatureError(TileError): ...
class TileInternalError(TileError): ...
class TileStaticEvalError(TileError): ...
class StaticException(TileStaticEvalError): ...

class TileStaticAssertionError(TileError): ...

class _InternalCompilerError(TileInternalError):
    compiler_flags: str
    compiler_version: str | None
    def __init__(self, message: str, loc: Any, compiler_flags: str, compiler_version: str | None) -> None: ...

class TileCompilerExecutionError(_InternalCompilerError):
    def __init__(
        self, return_code: int, message: str, loc: Any, compiler_flags: str, compiler_version: str | None
    ) -> None: ...

class TileCompilerTimeoutError(_InternalCompilerError):
    def __init__(self, message: str, compiler_flags: str, compiler_version: str | None) -> None: ...

# ---- arguments

# `float` takes integers and booleans too
_Number: TypeAlias = float
_AnyTile: TypeAlias = Tile[Any, *tuple[Any, ...]]
_ScalarTile: TypeAlias = Tile[Any, *tuple[()]]
_Mask: TypeAlias = Tile[bool_, *tuple[Any, ...]]
Scalar: TypeAlias = int | float | _ScalarTile
_Int: TypeAlias = int | _ScalarTile
_Index: TypeAlias = _Int | tuple[_Int, ...]
_Shape: TypeAlias = int | tuple[int, ...]
_Order: TypeAlias = tuple[int, ...] | Literal["C", "F"]
_Axis: TypeAlias = int | tuple[int, ...] | None
# element types of NumPy and PyTorch are understood too
_DTypeLike: TypeAlias = DType | type[_ForeignDType] | _ForeignDType
# whole axes and new ones; a number is no index
_Indexer: TypeAlias = slice[None, None, None] | EllipsisType | None

# Nothing is of this type. An overload that asks for it applies to nothing, unless an argument is untyped: of what is
# read from an array that a kernel does not annotate, type checkers then promise no more than that it is a tile.
class _Nothing:
    _nothing: Never

class _ForeignDType(Protocol):
    @property
    def itemsize(self) -> int: ...

class Slice:
    def __init__(self, start: _Int, length: int, /) -> None: ...

_AdvancedIndices: TypeAlias = tuple[_AnyTile | Slice, ...]

# ---- tiles

class Tile(Generic[_D0, *_S0]):
    @property
    def dtype(self) -> type[_D0]: ...
    @property
    def shape(self) -> tuple[*_S0]: ...
    @property
    def ndim(self) -> int: ...
    # a scalar that is read out of a tile or an array is a number where one is due, an index, and a tile without axes
    def item(self) -> Any: ...
    @overload
    def extract(self, index: _Index, shape: tuple[*_S]) -> Tile[_D0, *_S]: ...
    @overload
    def extract(self, index: _Index, shape: _Shape) -> Tile[_D0, *tuple[Any, ...]]: ...
    def insert(self, index: _Index, value: _AnyTile | _Number) -> Tile[_D0, *_S0]: ...
    @overload
    def reshape(self, shape: tuple[()]) -> Any: ...
    @overload
    def reshape(self, shape: tuple[*_S]) -> Tile[_D0, *_S]: ...
    @overload
    def reshape(self, shape: tuple[int, ...] | _Nothing) -> Tile[_D0, *tuple[Any, ...]]: ...
    def permute(self, axes: tuple[int, ...]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def transpose(self: Tile[_D, _M, _N], axis0: None = None, axis1: None = None) -> Tile[_D, _N, _M]: ...
    @overload
    def transpose(self, axis0: int | None = None, axis1: int | None = None) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def astype(self, dtype: type[_D], *, rounding_mode: RoundingMode | None = None) -> Tile[_D, *_S0]: ...
    @overload
    def astype(self, dtype: _DTypeLike, *, rounding_mode: RoundingMode | None = None) -> Tile[Any, *_S0]: ...
    def __index__(self) -> int: ...
    def __getitem__(self, index: tuple[_Indexer, ...] | None) -> Tile[_D0, *tuple[Any, ...]]: ...

    # a scalar does not change the element type, except a fraction that of a tile of integers
    @overload
    def __add__(self: Tile[_X, *_S0], other: Tile[_X, *_S0] | Tile[_X, *tuple[()]] | int) -> Tile[_X, *_S0]: ...
    @overload
    def __add__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __add__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __add__(self, other: Tile[_D0, *_R]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def __add__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __radd__(self: Tile[_X, *_S0], other: int) -> Tile[_X, *_S0]: ...
    @overload
    def __radd__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __radd__(self, other: float) -> Tile[Any, *_S0]: ...
    @overload
    def __sub__(self: Tile[_X, *_S0], other: Tile[_X, *_S0] | Tile[_X, *tuple[()]] | int) -> Tile[_X, *_S0]: ...
    @overload
    def __sub__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __sub__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __sub__(self, other: Tile[_D0, *_R]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def __sub__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __rsub__(self: Tile[_X, *_S0], other: int) -> Tile[_X, *_S0]: ...
    @overload
    def __rsub__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __rsub__(self, other: float) -> Tile[Any, *_S0]: ...
    @overload
    def __mul__(self: Tile[_X, *_S0], other: Tile[_X, *_S0] | Tile[_X, *tuple[()]] | int) -> Tile[_X, *_S0]: ...
    @overload
    def __mul__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __mul__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __mul__(self, other: Tile[_D0, *_R]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def __mul__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __rmul__(self: Tile[_X, *_S0], other: int) -> Tile[_X, *_S0]: ...
    @overload
    def __rmul__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __rmul__(self, other: float) -> Tile[Any, *_S0]: ...
    @overload
    def __floordiv__(self: Tile[_X, *_S0], other: Tile[_X, *_S0] | Tile[_X, *tuple[()]] | int) -> Tile[_X, *_S0]: ...
    @overload
    def __floordiv__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __floordiv__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __floordiv__(self, other: Tile[_D0, *_R]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def __floordiv__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __rfloordiv__(self: Tile[_X, *_S0], other: int) -> Tile[_X, *_S0]: ...
    @overload
    def __rfloordiv__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __rfloordiv__(self, other: float) -> Tile[Any, *_S0]: ...
    @overload
    def __mod__(self: Tile[_X, *_S0], other: Tile[_X, *_S0] | Tile[_X, *tuple[()]] | int) -> Tile[_X, *_S0]: ...
    @overload
    def __mod__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __mod__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __mod__(self, other: Tile[_D0, *_R]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def __mod__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __rmod__(self: Tile[_X, *_S0], other: int) -> Tile[_X, *_S0]: ...
    @overload
    def __rmod__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __rmod__(self, other: float) -> Tile[Any, *_S0]: ...
    @overload
    def __pow__(self: Tile[_X, *_S0], other: Tile[_X, *_S0] | Tile[_X, *tuple[()]] | int) -> Tile[_X, *_S0]: ...
    @overload
    def __pow__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __pow__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __pow__(self, other: Tile[_D0, *_R]) -> Tile[_D0, *tuple[Any, ...]]: ...
    @overload
    def __pow__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __rpow__(self: Tile[_X, *_S0], other: int) -> Tile[_X, *_S0]: ...
    @overload
    def __rpow__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __rpow__(self, other: float) -> Tile[Any, *_S0]: ...
    # integers are divided as float32
    @overload
    def __truediv__(self: Tile[_F, *_S0], other: Tile[_F, *_S0] | Tile[_F, *tuple[()]] | float) -> Tile[_F, *_S0]: ...
    @overload
    def __truediv__(
        self: Tile[_I, *_S0], other: Tile[_I, *_S0] | Tile[_I, *tuple[()]] | int
    ) -> Tile[float32, *_S0]: ...
    @overload
    def __truediv__(self, other: Tile[Any, *_S0] | float) -> Tile[Any, *_S0]: ...
    @overload
    def __truediv__(self: Tile[_F, *_S0], other: Tile[_F, *_R]) -> Tile[_F, *tuple[Any, ...]]: ...
    @overload
    def __truediv__(self, other: Tile[Any, *_R]) -> _AnyTile: ...
    @overload
    def __rtruediv__(self: Tile[_F, *_S0], other: float) -> Tile[_F, *_S0]: ...
    @overload
    def __rtruediv__(self: Tile[_I, *_S0], other: int) -> Tile[float32, *_S0]: ...
    @overload
    def __rtruediv__(self, other: float) -> Tile[Any, *_S0]: ...
    @overload
    def __and__(self: Tile[_W, *_S0], other: Tile[_W, *_S0] | Tile[_W, *tuple[()]] | int) -> Tile[_W, *_S0]: ...
    @overload
    def __and__(
        self: Tile[bool_, *_S0], other: Tile[bool_, *_S0] | Tile[bool_, *tuple[()]] | bool
    ) -> Tile[bool_, *_S0]: ...
    @overload
    def __and__(self: Tile[bool_, *_S0], other: int) -> Tile[Any, *_S0]: ...
    @overload
    def __and__(self: Tile[_I, *_S0], other: Tile[_I, *_R]) -> Tile[_I, *tuple[Any, ...]]: ...
    @overload
    def __rand__(self: Tile[_W, *_S0], other: int) -> Tile[_W, *_S0]: ...
    @overload
    def __rand__(self: Tile[bool_, *_S0], other: bool) -> Tile[bool_, *_S0]: ...
    @overload
    def __rand__(self: Tile[bool_, *_S0], other: int) -> Tile[Any, *_S0]: ...
    @overload
    def __or__(self: Tile[_W, *_S0], other: Tile[_W, *_S0] | Tile[_W, *tuple[()]] | int) -> Tile[_W, *_S0]: ...
    @overload
    def __or__(
        self: Tile[bool_, *_S0], other: Tile[bool_, *_S0] | Tile[bool_, *tuple[()]] | bool
    ) -> Tile[bool_, *_S0]: ...
    @overload
    def __or__(self: Tile[bool_, *_S0], other: int) -> Tile[Any, *_S0]: ...
    @overload
    def __or__(self: Tile[_I, *_S0], other: Tile[_I, *_R]) -> Tile[_I, *tuple[Any, ...]]: ...
    @overload
    def __ror__(self: Tile[_W, *_S0], other: int) -> Tile[_W, *_S0]: ...
    @overload
    def __ror__(self: Tile[bool_, *_S0], other: bool) -> Tile[bool_, *_S0]: ...
    @overload
    def __ror__(self: Tile[bool_, *_S0], other: int) -> Tile[Any, *_S0]: ...
    @overload
    def __xor__(self: Tile[_W, *_S0], other: Tile[_W, *_S0] | Tile[_W, *tuple[()]] | int) -> Tile[_W, *_S0]: ...
    @overload
    def __xor__(
        self: Tile[bool_, *_S0], other: Tile[bool_, *_S0] | Tile[bool_, *tuple[()]] | bool
    ) -> Tile[bool_, *_S0]: ...
    @overload
    def __xor__(self: Tile[bool_, *_S0], other: int) -> Tile[Any, *_S0]: ...
    @overload
    def __xor__(self: Tile[_I, *_S0], other: Tile[_I, *_R]) -> Tile[_I, *tuple[Any, ...]]: ...
    @overload
    def __rxor__(self: Tile[_W, *_S0], other: int) -> Tile[_W, *_S0]: ...
    @overload
    def __rxor__(self: Tile[bool_, *_S0], other: bool) -> Tile[bool_, *_S0]: ...
    @overload
    def __rxor__(self: Tile[bool_, *_S0], other: int) -> Tile[Any, *_S0]: ...
    @overload
    def __lshift__(self: Tile[_W, *_S0], other: Tile[_W, *_S0] | Tile[_W, *tuple[()]] | int) -> Tile[_W, *_S0]: ...
    @overload
    def __lshift__(self: Tile[_W, *_S0], other: Tile[_W, *_R]) -> Tile[_W, *tuple[Any, ...]]: ...
    @overload
    def __lshift__(self: Tile[_W, *_S0], other: Tile[_I, *_R]) -> _AnyTile: ...
    def __rlshift__(self: Tile[_W, *_S0], other: int) -> Tile[_W, *_S0]: ...
    @overload
    def __rshift__(self: Tile[_W, *_S0], other: Tile[_W, *_S0] | Tile[_W, *tuple[()]] | int) -> Tile[_W, *_S0]: ...
    @overload
    def __rshift__(self: Tile[_W, *_S0], other: Tile[_W, *_R]) -> Tile[_W, *tuple[Any, ...]]: ...
    @overload
    def __rshift__(self: Tile[_W, *_S0], other: Tile[_I, *_R]) -> _AnyTile: ...
    def __rrshift__(self: Tile[_W, *_S0], other: int) -> Tile[_W, *_S0]: ...
    @overload
    def __divmod__(
        self: Tile[_W, *_S0], other: Tile[_W, *_S0] | Tile[_W, *tuple[()]] | int
    ) -> tuple[Tile[_W, *_S0], Tile[_W, *_S0]]: ...
    @overload
    def __divmod__(self, other: Tile[_I, *_R] | int) -> tuple[_AnyTile, _AnyTile]: ...
    def __rdivmod__(self, other: int) -> tuple[Tile[Any, *_S0], Tile[Any, *_S0]]: ...
    @overload
    def __matmul__(self: Tile[Any, _M, _K], other: Tile[Any, _K, _N]) -> Tile[Any, _M, _N]: ...
    @overload
    def __matmul__(self: Tile[Any, _L, _M, _K], other: Tile[Any, _L, _K, _N]) -> Tile[Any, _L, _M, _N]: ...
    @overload
    def __matmul__(self: Tile[Any, _L, _M, _K], other: Tile[Any, _K, _N]) -> Tile[Any, _L, _M, _N]: ...
    @overload
    def __matmul__(self: Tile[Any, _M, _K], other: Tile[Any, _L, _K, _N]) -> Tile[Any, _L, _M, _N]: ...
    @overload
    def __matmul__(self: Tile[Any, _K], other: Tile[Any, _K, _N]) -> Tile[Any, _N]: ...
    @overload
    def __matmul__(self: Tile[Any, _M, _K], other: Tile[Any, _K]) -> Tile[Any, _M]: ...
    def __rmatmul__(self, other: _Nothing) -> _AnyTile: ...
    # the last overload makes tiles fit the builtins `min` and `max`
    @overload
    def __lt__(self, other: Tile[Any, *_S0] | _ScalarTile | float) -> Tile[bool_, *_S0]: ...
    @overload
    def __lt__(self, other: Tile[Any, *_R]) -> Tile[bool_, *tuple[Any, ...]]: ...
    @overload
    def __lt__(self, other: _Nothing) -> bool: ...
    @overload
    def __le__(self, other: Tile[Any, *_S0] | _ScalarTile | float) -> Tile[bool_, *_S0]: ...
    @overload
    def __le__(self, other: Tile[Any, *_R]) -> Tile[bool_, *tuple[Any, ...]]: ...
    @overload
    def __gt__(self, other: Tile[Any, *_S0] | _ScalarTile | float) -> Tile[bool_, *_S0]: ...
    @overload
    def __gt__(self, other: Tile[Any, *_R]) -> Tile[bool_, *tuple[Any, ...]]: ...
    @overload
    def __ge__(self, other: Tile[Any, *_S0] | _ScalarTile | float) -> Tile[bool_, *_S0]: ...
    @overload
    def __ge__(self, other: Tile[Any, *_R]) -> Tile[bool_, *tuple[Any, ...]]: ...
    @overload  # type: ignore[override]
    def __eq__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: Tile[Any, *_S0] | _ScalarTile | float
    ) -> Tile[bool_, *_S0]: ...
    @overload
    def __eq__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: Tile[Any, *_R]
    ) -> Tile[bool_, *tuple[Any, ...]]: ...
    @overload  # type: ignore[override]
    def __ne__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: Tile[Any, *_S0] | _ScalarTile | float
    ) -> Tile[bool_, *_S0]: ...
    @overload
    def __ne__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: Tile[Any, *_R]
    ) -> Tile[bool_, *tuple[Any, ...]]: ...
    @overload
    def __neg__(self: Tile[_X, *_S0]) -> Tile[_X, *_S0]: ...
    @overload
    def __neg__(self: Tile[bool_, *_S0]) -> Tile[int32, *_S0]: ...
    @overload
    def __pos__(self: Tile[_X, *_S0]) -> Tile[_X, *_S0]: ...
    @overload
    def __pos__(self: Tile[bool_, *_S0]) -> Tile[int32, *_S0]: ...
    def __invert__(self) -> Tile[_D0, *_S0]: ...
    def __abs__(self) -> Tile[_D0, *_S0]: ...

# ---- arrays

class Array(Generic[_D0]):
    @property
    def dtype(self) -> type[_D0]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    def slice(self, axis: int, start: _Int, stop: _Int) -> Array[_D0]: ...
    @overload
    def tiled_view(
        self,
        tile_shape: tuple[*_S],
        *,
        padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
        traversal_steps: _Shape | None = None,
    ) -> TiledView[_D0, *_S]: ...
    @overload
    def tiled_view(
        self,
        tile_shape: _N,
        *,
        padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
        traversal_steps: _Shape | None = None,
    ) -> TiledView[_D0, _N]: ...
    @property
    def foreign_pointer(self) -> _ScalarTile: ...
    @staticmethod
    def from_foreign(pointer: Any, shape: tuple[_Int, ...], strides: tuple[_Int, ...]) -> Array[Any]: ...
    def get_raw_memory(self) -> _RawArrayMemory[_D0]: ...

class _RawArrayMemory(Generic[_D0]):
    @property
    def dtype(self) -> type[_D0]: ...
    @overload
    def load_offset(
        self,
        offset: Tile[Any, *_S],
        /,
        *,
        mask: _Mask | None = None,
        padding_value: _AnyTile | _Number = 0,
        latency: int | None = None,
    ) -> Tile[_D0, *_S]: ...
    @overload
    def load_offset(
        self,
        offset: int,
        /,
        *,
        mask: _Mask | None = None,
        padding_value: _AnyTile | _Number = 0,
        latency: int | None = None,
    ) -> Tile[_D0, *tuple[()]]: ...
    def store_offset(
        self,
        offset: _AnyTile | int,
        value: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        latency: int | None = None,
    ) -> None: ...
    def atomic_cas_offset(
        self,
        offset: _AnyTile | int,
        expected: _AnyTile | _Number,
        desired: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_xchg_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_add_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_max_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_min_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_and_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_or_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...
    def atomic_xor_offset(
        self,
        offset: _AnyTile | int,
        update: _AnyTile | _Number,
        /,
        *,
        mask: _Mask | None = None,
        memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
    ) -> Tile[_D0, *tuple[Any, ...]]: ...

class TiledView(Generic[_D0, *_S0]):
    @property
    def dtype(self) -> type[_D0]: ...
    @property
    def tile_shape(self) -> tuple[*_S0]: ...
    @property
    def traversal_steps(self) -> tuple[int, ...]: ...
    def num_tiles(self, axis: int) -> int: ...
    def load(
        self, index: _Index, *, check_bounds: bool = True, latency: int | None = None, allow_tma: bool | None = None
    ) -> Tile[_D0, *_S0]: ...
    def store(
        self,
        index: _Index,
        tile: _AnyTile | _Number,
        *,
        check_bounds: bool = True,
        latency: int | None = None,
        allow_tma: bool | None = None,
    ) -> None: ...
    def atomic_store_add(self, index: _Index, update: _AnyTile | _Number, /) -> None: ...
    def atomic_store_max(self, index: _Index, update: _AnyTile | _Number, /) -> None: ...
    def atomic_store_min(self, index: _Index, update: _AnyTile | _Number, /) -> None: ...
    def atomic_store_and(self, index: _Index, update: _AnyTile | _Number, /) -> None: ...
    def atomic_store_or(self, index: _Index, update: _AnyTile | _Number, /) -> None: ...
    def atomic_store_xor(self, index: _Index, update: _AnyTile | _Number, /) -> None: ...

# ---- kernels

class ByTarget(Generic[_T]):
    def __init__(self, *, default: _T = ..., **value_by_target: _T) -> None: ...
    def __eq__(self, other: object) -> bool: ...

_Hint: TypeAlias = int | ByTarget[int] | None

class _KernelDecorator(Protocol):
    def __call__(self, function: Callable[_Q, object], /) -> kernel[_Q]: ...

# Has no `__call__`: a kernel is launched.
class kernel(Generic[_P]):
    @overload
    def __new__(
        cls,
        function: Callable[_Q, object],
        /,
        *,
        num_ctas: _Hint = None,
        occupancy: _Hint = None,
        opt_level: _Hint = 3,
        num_worker_warps: _Hint = None,
    ) -> kernel[_Q]: ...
    @overload
    def __new__(  # type: ignore[misc]
        cls,
        function: None = None,
        /,
        *,
        num_ctas: _Hint = None,
        occupancy: _Hint = None,
        opt_level: _Hint = 3,
        num_worker_warps: _Hint = None,
    ) -> _KernelDecorator: ...
    @property
    def _pyfunc(self) -> Callable[_P, Any]: ...
    def replace_hints(
        self,
        *,
        num_ctas: _Hint = ...,
        occupancy: _Hint = ...,
        opt_level: _Hint = ...,
        num_worker_warps: _Hint = ...,
    ) -> Self: ...

@overload
def function(func: _Function, /, *, host: bool = False, tile: bool = True) -> _Function: ...
@overload
def function(func: None = None, /, *, host: bool = False, tile: bool = True) -> Callable[[_Function], _Function]: ...

# The arguments are what the caller's library has for arrays; a kernel's parameters are what the device sees of them.
def launch(
    stream: Any,
    grid: tuple[int] | tuple[int, int] | tuple[int, int, int],
    kernel: kernel[...],
    kernel_args: tuple[Any, ...],
    /,
    *,
    programmatic_dependent_launch: bool = False,
) -> None: ...
def compiler_timeout(timeout_sec: float) -> AbstractContextManager[None]: ...

# ---- the grid

def bid(axis: int) -> int: ...
def num_blocks(axis: int) -> int: ...
def num_tiles(array: Array[Any], /, axis: int, shape: _Shape, order: _Order = "C") -> int: ...

# ---- memory

@overload
def load(
    array: Array[_D],
    /,
    index: _Index,
    shape: tuple[*_S],
    *,
    order: _Order = "C",
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> Tile[_D, *_S]: ...
@overload
def load(
    array: Array[_D],
    /,
    index: _Index,
    shape: _N,
    *,
    order: _Order = "C",
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> Tile[_D, _N]: ...
@overload
def load(
    array: Array[_D],
    /,
    index: _Index,
    shape: _Shape,
    *,
    order: _Order = "C",
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def load(
    array: _Nothing,
    /,
    index: _Index,
    shape: _Shape,
    *,
    order: _Order = "C",
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> _AnyTile: ...
def store(
    array: Array[Any],
    /,
    index: _Index,
    tile: _AnyTile | _Number,
    *,
    order: _Order = "C",
    check_bounds: bool = True,
    latency: int | None = None,
    allow_tma: bool | None = None,
    memory_order: MemoryOrder = MemoryOrder.WEAK,
    memory_scope: MemoryScope = MemoryScope.NONE,
) -> None: ...
def load_advanced_indexing(
    array: Array[_D],
    indices: _AdvancedIndices,
    /,
    *,
    padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
    latency: int | None = None,
    allow_tma: bool | None = None,
) -> Tile[_D, *tuple[Any, ...]]: ...
def store_advanced_indexing(
    array: Array[Any],
    indices: _AdvancedIndices,
    tile: _AnyTile | _Number,
    /,
    *,
    latency: int | None = None,
    allow_tma: bool | None = None,
) -> None: ...
@overload
def gather(
    array: Array[_D],
    indices: int | tuple[int, ...],
    /,
    *,
    mask: _AnyTile | bool | None = None,
    padding_value: _AnyTile | _Number = 0,
    check_bounds: bool = True,
    latency: int | None = None,
) -> Tile[_D, *tuple[()]]: ...
@overload
def gather(
    array: Array[_D],
    indices: Tile[Any, *_S] | tuple[Tile[Any, *_S]],
    /,
    *,
    mask: _AnyTile | bool | None = None,
    padding_value: _AnyTile | _Number = 0,
    check_bounds: bool = True,
    latency: int | None = None,
) -> Tile[_D, *_S]: ...
@overload
def gather(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    /,
    *,
    mask: _AnyTile | bool | None = None,
    padding_value: _AnyTile | _Number = 0,
    check_bounds: bool = True,
    latency: int | None = None,
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def gather(
    array: _Nothing,
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    /,
    *,
    mask: _AnyTile | bool | None = None,
    padding_value: _AnyTile | _Number = 0,
    check_bounds: bool = True,
    latency: int | None = None,
) -> _AnyTile: ...
def scatter(
    array: Array[Any],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    value: _AnyTile | _Number,
    /,
    *,
    mask: _AnyTile | bool | None = None,
    check_bounds: bool = True,
    latency: int | None = None,
) -> None: ...
def atomic_cas(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    expected: _AnyTile | _Number,
    desired: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_xchg(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_add(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_max(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_min(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_and(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_or(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...
def atomic_xor(
    array: Array[_D],
    indices: _AnyTile | int | tuple[_AnyTile | int, ...],
    update: _AnyTile | _Number,
    /,
    *,
    check_bounds: bool = True,
    memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
    memory_scope: MemoryScope = MemoryScope.DEVICE,
) -> Tile[_D, *tuple[Any, ...]]: ...

# ---- new tiles

@overload
def arange(size: _N, /, *, dtype: type[_D], start: _Int = 0, step: _Int = 1) -> Tile[_D, _N]: ...
@overload
def arange(size: _N, /, *, dtype: _DTypeLike, start: _Int = 0, step: _Int = 1) -> Tile[Any, _N]: ...
@overload
def full(shape: tuple[*_S], fill_value: _Number | _ScalarTile, dtype: type[_D]) -> Tile[_D, *_S]: ...
@overload
def full(shape: tuple[*_S], fill_value: _Number | _ScalarTile, dtype: _DTypeLike) -> Tile[Any, *_S]: ...
@overload
def full(shape: _N, fill_value: _Number | _ScalarTile, dtype: type[_D]) -> Tile[_D, _N]: ...
@overload
def full(shape: _N, fill_value: _Number | _ScalarTile, dtype: _DTypeLike) -> Tile[Any, _N]: ...
@overload
def full(shape: _Shape, fill_value: _Number | _ScalarTile, dtype: _DTypeLike) -> _AnyTile: ...
@overload
def ones(shape: tuple[*_S], dtype: type[_D]) -> Tile[_D, *_S]: ...
@overload
def ones(shape: tuple[*_S], dtype: _DTypeLike) -> Tile[Any, *_S]: ...
@overload
def ones(shape: _N, dtype: type[_D]) -> Tile[_D, _N]: ...
@overload
def ones(shape: _N, dtype: _DTypeLike) -> Tile[Any, _N]: ...
@overload
def ones(shape: _Shape, dtype: _DTypeLike) -> _AnyTile: ...
@overload
def zeros(shape: tuple[*_S], dtype: type[_D]) -> Tile[_D, *_S]: ...
@overload
def zeros(shape: tuple[*_S], dtype: _DTypeLike) -> Tile[Any, *_S]: ...
@overload
def zeros(shape: _N, dtype: type[_D]) -> Tile[_D, _N]: ...
@overload
def zeros(shape: _N, dtype: _DTypeLike) -> Tile[Any, _N]: ...
@overload
def zeros(shape: _Shape, dtype: _DTypeLike) -> _AnyTile: ...
@overload
def astile(value: _Number, /, *, dtype: type[_D]) -> Tile[_D, *tuple[()]]: ...
@overload
def astile(value: Any, /, *, dtype: type[_D]) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def astile(value: Any, /, *, dtype: _DTypeLike) -> _AnyTile: ...

# ---- products

@overload
def mma(
    x: Tile[Any, _M, _K], y: Tile[Any, _K, _N], /, acc: Tile[_D, _M, _N], *, use_fast_acc: bool = False
) -> Tile[_D, _M, _N]: ...
@overload
def mma(
    x: Tile[Any, _L, _M, _K], y: Tile[Any, _L, _K, _N], /, acc: Tile[_D, _L, _M, _N], *, use_fast_acc: bool = False
) -> Tile[_D, _L, _M, _N]: ...
def mma_scaled(
    x: _AnyTile, x_scale: _AnyTile, y: _AnyTile, y_scale: _AnyTile, /, acc: Tile[_D, *_S]
) -> Tile[_D, *_S]: ...
@overload
def matmul(x: Tile[Any, _M, _K], y: Tile[Any, _K, _N], /) -> Tile[Any, _M, _N]: ...
@overload
def matmul(x: Tile[Any, _L, _M, _K], y: Tile[Any, _L, _K, _N], /) -> Tile[Any, _L, _M, _N]: ...
@overload
def matmul(x: Tile[Any, _L, _M, _K], y: Tile[Any, _K, _N], /) -> Tile[Any, _L, _M, _N]: ...
@overload
def matmul(x: Tile[Any, _M, _K], y: Tile[Any, _L, _K, _N], /) -> Tile[Any, _L, _M, _N]: ...
@overload
def matmul(x: Tile[Any, _K], y: Tile[Any, _K, _N], /) -> Tile[Any, _N]: ...
@overload
def matmul(x: Tile[Any, _M, _K], y: Tile[Any, _K], /) -> Tile[Any, _M]: ...

# ---- shapes and element types

@overload
def cat(tiles: tuple[Tile[_D, *tuple[Any, ...]], ...], /, axis: int) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def cat(tiles: tuple[_AnyTile, ...], /, axis: int) -> _AnyTile: ...
@overload
def broadcast_to(x: Tile[_D, *tuple[Any, ...]], /, shape: tuple[*_S]) -> Tile[_D, *_S]: ...
@overload
def broadcast_to(x: _Number, /, shape: tuple[*_S]) -> Tile[Any, *_S]: ...
@overload
def broadcast_to(x: _AnyTile | _Number, /, shape: tuple[int, ...]) -> _AnyTile: ...
@overload
def expand_dims(x: Tile[_D, *_S], /, axis: Literal[0]) -> Tile[_D, Any, *_S]: ...
@overload
def expand_dims(x: Tile[_D, *_S], /, axis: Literal[-1]) -> Tile[_D, *_S, Any]: ...
@overload
def expand_dims(x: Tile[_D, *tuple[Any, ...]], /, axis: int | tuple[int, ...]) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def reshape(x: _AnyTile | _Number, /, shape: tuple[()]) -> Any: ...
@overload
def reshape(x: Tile[_D, *tuple[Any, ...]], /, shape: tuple[*_S]) -> Tile[_D, *_S]: ...
@overload
def reshape(x: _Number, /, shape: tuple[*_S]) -> Tile[Any, *_S]: ...
@overload
def reshape(x: _AnyTile | _Number, /, shape: tuple[int, ...] | _Nothing) -> _AnyTile: ...
@overload
def permute(x: Tile[_D, _M, _N], /, axes: tuple[Literal[1], Literal[0]]) -> Tile[_D, _N, _M]: ...
@overload
def permute(x: Tile[_D, *tuple[Any, ...]], /, axes: tuple[int, ...]) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def transpose(x: Tile[_D, _M, _N], /, axis0: None = None, axis1: None = None) -> Tile[_D, _N, _M]: ...
@overload
def transpose(
    x: Tile[_D, *tuple[Any, ...]], /, axis0: int | None = None, axis1: int | None = None
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def astype(x: Tile[Any, *_S], dtype: type[_D], /, *, rounding_mode: RoundingMode | None = None) -> Tile[_D, *_S]: ...
@overload
def astype(
    x: Tile[Any, *_S], dtype: _DTypeLike, /, *, rounding_mode: RoundingMode | None = None
) -> Tile[Any, *_S]: ...
@overload
def astype(
    x: _Number, dtype: type[_D], /, *, rounding_mode: RoundingMode | None = None
) -> Tile[_D, *tuple[()]]: ...
@overload
def astype(x: _Number, dtype: _DTypeLike, /, *, rounding_mode: RoundingMode | None = None) -> _ScalarTile: ...
@overload
def bitcast(x: Tile[Any, *_S], /, dtype: type[_D]) -> Tile[_D, *_S]: ...
@overload
def bitcast(x: Tile[Any, *_S], /, dtype: _DTypeLike) -> Tile[Any, *_S]: ...
@overload
def bitcast(x: _Number, /, dtype: _DTypeLike) -> _ScalarTile: ...
def pack_to_bytes(x: _AnyTile, /) -> Tile[uint8, int]: ...
@overload
def unpack_from_bytes(x: _AnyTile, /, dtype: type[_D]) -> Tile[_D, int]: ...
@overload
def unpack_from_bytes(x: _AnyTile, /, dtype: _DTypeLike) -> Tile[Any, int]: ...
@overload
def where(
    cond: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, x: Tile[_D, *_S], y: Tile[_D, *_S], /
) -> Tile[_D, *_S]: ...
@overload
def where(cond: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, x: Tile[_X, *_S], y: int, /) -> Tile[_X, *_S]: ...
@overload
def where(cond: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, x: int, y: Tile[_X, *_S], /) -> Tile[_X, *_S]: ...
@overload
def where(cond: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, x: Tile[_F, *_S], y: float, /) -> Tile[_F, *_S]: ...
@overload
def where(cond: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, x: float, y: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def where(cond: _AnyTile | bool, x: _AnyTile | _Number, y: _AnyTile | _Number, /) -> _AnyTile: ...
@overload
def extract(x: Tile[_D, *tuple[Any, ...]], /, index: _Index, shape: tuple[*_S]) -> Tile[_D, *_S]: ...
@overload
def extract(x: Tile[_D, *tuple[Any, ...]], /, index: _Index, shape: _N) -> Tile[_D, _N]: ...
@overload
def extract(x: _AnyTile, /, index: _Index, shape: _Shape) -> _AnyTile: ...
def insert(x: Tile[_D, *_S], /, index: _Index, value: _AnyTile | _Number) -> Tile[_D, *_S]: ...

# ---- reductions and scans

@overload
def sum(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: None = None,
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *tuple[()]]: ...
@overload
def sum(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def sum(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def sum(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, _M]: ...
@overload
def sum(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[True],
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, Any, *_S]: ...
@overload
def sum(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[True],
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S, Any]: ...
@overload
def sum(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[True],
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, _M, Any]: ...
@overload
def sum(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *tuple[Any, ...]]: ...
@overload
def sum(
    x: Tile[bool_, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[int32, *tuple[Any, ...]]: ...
@overload
def prod(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: None = None,
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *tuple[()]]: ...
@overload
def prod(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def prod(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def prod(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[False] = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, _M]: ...
@overload
def prod(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[True],
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, Any, *_S]: ...
@overload
def prod(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[True],
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S, Any]: ...
@overload
def prod(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[True],
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, _M, Any]: ...
@overload
def prod(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *tuple[Any, ...]]: ...
@overload
def prod(
    x: Tile[bool_, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[int32, *tuple[Any, ...]]: ...
@overload
def max(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: None = None,
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *tuple[()]]: ...
@overload
def max(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def max(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def max(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, _M]: ...
@overload
def max(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[True],
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, Any, *_S]: ...
@overload
def max(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[True],
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S, Any]: ...
@overload
def max(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[True],
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, _M, Any]: ...
@overload
def max(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *tuple[Any, ...]]: ...
@overload
def max(
    x: Tile[bool_, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[int32, *tuple[Any, ...]]: ...
@overload
def min(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: None = None,
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *tuple[()]]: ...
@overload
def min(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def min(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def min(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[False] = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, _M]: ...
@overload
def min(
    x: Tile[_X, _N, *_S],
    /,
    axis: Literal[0],
    *,
    keepdims: Literal[True],
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, Any, *_S]: ...
@overload
def min(
    x: Tile[_X, *_S, _N],
    /,
    axis: Literal[-1],
    *,
    keepdims: Literal[True],
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S, Any]: ...
@overload
def min(
    x: Tile[_X, _M, _N],
    /,
    axis: Literal[1],
    *,
    keepdims: Literal[True],
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, _M, Any]: ...
@overload
def min(
    x: Tile[_X, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *tuple[Any, ...]]: ...
@overload
def min(
    x: Tile[bool_, *tuple[Any, ...]],
    /,
    axis: _Axis = None,
    *,
    keepdims: bool = False,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[int32, *tuple[Any, ...]]: ...
@overload
def argmax(
    x: Tile[Any, *tuple[Any, ...]],
    /,
    axis: None = None,
    *,
    keepdims: Literal[False] = False,
    propagate_nan: bool = False,
) -> Tile[int32, *tuple[()]]: ...
@overload
def argmax(
    x: Tile[Any, _N, *_S], /, axis: Literal[0], *, keepdims: Literal[False] = False, propagate_nan: bool = False
) -> Tile[int32, *_S]: ...
@overload
def argmax(
    x: Tile[Any, *_S, _N], /, axis: Literal[-1], *, keepdims: Literal[False] = False, propagate_nan: bool = False
) -> Tile[int32, *_S]: ...
@overload
def argmax(
    x: Tile[Any, _M, _N], /, axis: Literal[1], *, keepdims: Literal[False] = False, propagate_nan: bool = False
) -> Tile[int32, _M]: ...
@overload
def argmax(
    x: Tile[Any, _N, *_S], /, axis: Literal[0], *, keepdims: Literal[True], propagate_nan: bool = False
) -> Tile[int32, Any, *_S]: ...
@overload
def argmax(
    x: Tile[Any, *_S, _N], /, axis: Literal[-1], *, keepdims: Literal[True], propagate_nan: bool = False
) -> Tile[int32, *_S, Any]: ...
@overload
def argmax(
    x: Tile[Any, _M, _N], /, axis: Literal[1], *, keepdims: Literal[True], propagate_nan: bool = False
) -> Tile[int32, _M, Any]: ...
@overload
def argmax(
    x: Tile[Any, *tuple[Any, ...]], /, axis: int | None = None, *, keepdims: bool = False, propagate_nan: bool = False
) -> Tile[int32, *tuple[Any, ...]]: ...
@overload
def argmin(
    x: Tile[Any, *tuple[Any, ...]],
    /,
    axis: None = None,
    *,
    keepdims: Literal[False] = False,
    propagate_nan: bool = False,
) -> Tile[int32, *tuple[()]]: ...
@overload
def argmin(
    x: Tile[Any, _N, *_S], /, axis: Literal[0], *, keepdims: Literal[False] = False, propagate_nan: bool = False
) -> Tile[int32, *_S]: ...
@overload
def argmin(
    x: Tile[Any, *_S, _N], /, axis: Literal[-1], *, keepdims: Literal[False] = False, propagate_nan: bool = False
) -> Tile[int32, *_S]: ...
@overload
def argmin(
    x: Tile[Any, _M, _N], /, axis: Literal[1], *, keepdims: Literal[False] = False, propagate_nan: bool = False
) -> Tile[int32, _M]: ...
@overload
def argmin(
    x: Tile[Any, _N, *_S], /, axis: Literal[0], *, keepdims: Literal[True], propagate_nan: bool = False
) -> Tile[int32, Any, *_S]: ...
@overload
def argmin(
    x: Tile[Any, *_S, _N], /, axis: Literal[-1], *, keepdims: Literal[True], propagate_nan: bool = False
) -> Tile[int32, *_S, Any]: ...
@overload
def argmin(
    x: Tile[Any, _M, _N], /, axis: Literal[1], *, keepdims: Literal[True], propagate_nan: bool = False
) -> Tile[int32, _M, Any]: ...
@overload
def argmin(
    x: Tile[Any, *tuple[Any, ...]], /, axis: int | None = None, *, keepdims: bool = False, propagate_nan: bool = False
) -> Tile[int32, *tuple[Any, ...]]: ...
def reduce(
    x: Any, /, axis: int, func: Callable[..., Any], identity: Any, *, keepdims: bool = False
) -> Any: ...
@overload
def cumsum(
    x: Tile[_X, *_S],
    /,
    axis: int = 0,
    *,
    reverse: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def cumsum(
    x: Tile[bool_, *_S],
    /,
    axis: int = 0,
    *,
    reverse: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[int32, *_S]: ...
@overload
def cumprod(
    x: Tile[_X, *_S],
    /,
    axis: int = 0,
    *,
    reverse: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def cumprod(
    x: Tile[bool_, *_S],
    /,
    axis: int = 0,
    *,
    reverse: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[int32, *_S]: ...
def scan(x: Any, /, axis: int, func: Callable[..., Any], identity: Any, *, reverse: bool = False) -> Any: ...

# ---- arithmetic, as the operators have it

@overload
def add(
    x: Tile[_X, *_S],
    y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def add(
    x: int, y: Tile[_X, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_X, *_S]: ...
@overload
def add(
    x: Tile[_F, *_S], y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def add(
    x: float, y: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def add(
    x: Tile[Any, *_S],
    y: Tile[Any, *_S] | float,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[Any, *_S]: ...
@overload
def add(
    x: float, y: Tile[Any, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[Any, *_S]: ...
@overload
def add(
    x: Tile[_D, *_S], y: Tile[_D, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def add(
    x: Tile[_D, *_S], y: Tile[_A, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> _AnyTile: ...
@overload
def add(x: int, y: int, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> int: ...
@overload
def add(x: float, y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> float: ...
@overload
def sub(
    x: Tile[_X, *_S],
    y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def sub(
    x: int, y: Tile[_X, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_X, *_S]: ...
@overload
def sub(
    x: Tile[_F, *_S], y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def sub(
    x: float, y: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def sub(
    x: Tile[Any, *_S],
    y: Tile[Any, *_S] | float,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[Any, *_S]: ...
@overload
def sub(
    x: float, y: Tile[Any, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[Any, *_S]: ...
@overload
def sub(
    x: Tile[_D, *_S], y: Tile[_D, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def sub(
    x: Tile[_D, *_S], y: Tile[_A, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> _AnyTile: ...
@overload
def sub(x: int, y: int, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> int: ...
@overload
def sub(x: float, y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> float: ...
@overload
def mul(
    x: Tile[_X, *_S],
    y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def mul(
    x: int, y: Tile[_X, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_X, *_S]: ...
@overload
def mul(
    x: Tile[_F, *_S], y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def mul(
    x: float, y: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def mul(
    x: Tile[Any, *_S],
    y: Tile[Any, *_S] | float,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[Any, *_S]: ...
@overload
def mul(
    x: float, y: Tile[Any, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[Any, *_S]: ...
@overload
def mul(
    x: Tile[_D, *_S], y: Tile[_D, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def mul(
    x: Tile[_D, *_S], y: Tile[_A, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> _AnyTile: ...
@overload
def mul(x: int, y: int, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> int: ...
@overload
def mul(x: float, y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> float: ...
@overload
def floordiv(x: Tile[_X, *_S], y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int, /) -> Tile[_X, *_S]: ...
@overload
def floordiv(x: int, y: Tile[_X, *_S], /) -> Tile[_X, *_S]: ...
@overload
def floordiv(x: Tile[_F, *_S], y: float, /) -> Tile[_F, *_S]: ...
@overload
def floordiv(x: float, y: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def floordiv(x: Tile[Any, *_S], y: Tile[Any, *_S] | float, /) -> Tile[Any, *_S]: ...
@overload
def floordiv(x: float, y: Tile[Any, *_S], /) -> Tile[Any, *_S]: ...
@overload
def floordiv(x: Tile[_D, *_S], y: Tile[_D, *_R], /) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def floordiv(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> _AnyTile: ...
@overload
def floordiv(x: int, y: int, /) -> int: ...
@overload
def floordiv(x: float, y: float, /) -> float: ...
@overload
def mod(x: Tile[_X, *_S], y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int, /) -> Tile[_X, *_S]: ...
@overload
def mod(x: int, y: Tile[_X, *_S], /) -> Tile[_X, *_S]: ...
@overload
def mod(x: Tile[_F, *_S], y: float, /) -> Tile[_F, *_S]: ...
@overload
def mod(x: float, y: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def mod(x: Tile[Any, *_S], y: Tile[Any, *_S] | float, /) -> Tile[Any, *_S]: ...
@overload
def mod(x: float, y: Tile[Any, *_S], /) -> Tile[Any, *_S]: ...
@overload
def mod(x: Tile[_D, *_S], y: Tile[_D, *_R], /) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def mod(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> _AnyTile: ...
@overload
def mod(x: int, y: int, /) -> int: ...
@overload
def mod(x: float, y: float, /) -> float: ...
@overload
def pow(x: Tile[_X, *_S], y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int, /) -> Tile[_X, *_S]: ...
@overload
def pow(x: int, y: Tile[_X, *_S], /) -> Tile[_X, *_S]: ...
@overload
def pow(x: Tile[_F, *_S], y: float, /) -> Tile[_F, *_S]: ...
@overload
def pow(x: float, y: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def pow(x: Tile[Any, *_S], y: Tile[Any, *_S] | float, /) -> Tile[Any, *_S]: ...
@overload
def pow(x: float, y: Tile[Any, *_S], /) -> Tile[Any, *_S]: ...
@overload
def pow(x: Tile[_D, *_S], y: Tile[_D, *_R], /) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def pow(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> _AnyTile: ...
@overload
def pow(x: int, y: int, /) -> int: ...
@overload
def pow(x: float, y: float, /) -> float: ...
@overload
def minimum(
    x: Tile[_X, *_S],
    y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int,
    /,
    *,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def minimum(
    x: int, y: Tile[_X, *_S], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_X, *_S]: ...
@overload
def minimum(
    x: Tile[_F, *_S], y: float, /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_F, *_S]: ...
@overload
def minimum(
    x: float, y: Tile[_F, *_S], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_F, *_S]: ...
@overload
def minimum(
    x: Tile[Any, *_S], y: Tile[Any, *_S] | float, /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[Any, *_S]: ...
@overload
def minimum(
    x: float, y: Tile[Any, *_S], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[Any, *_S]: ...
@overload
def minimum(
    x: Tile[_D, *_S], y: Tile[_D, *_R], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def minimum(
    x: Tile[_D, *_S], y: Tile[_A, *_R], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> _AnyTile: ...
@overload
def minimum(x: int, y: int, /, *, flush_to_zero: bool = False, propagate_nan: bool = False) -> int: ...
@overload
def minimum(x: float, y: float, /, *, flush_to_zero: bool = False, propagate_nan: bool = False) -> float: ...
@overload
def maximum(
    x: Tile[_X, *_S],
    y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int,
    /,
    *,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Tile[_X, *_S]: ...
@overload
def maximum(
    x: int, y: Tile[_X, *_S], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_X, *_S]: ...
@overload
def maximum(
    x: Tile[_F, *_S], y: float, /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_F, *_S]: ...
@overload
def maximum(
    x: float, y: Tile[_F, *_S], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_F, *_S]: ...
@overload
def maximum(
    x: Tile[Any, *_S], y: Tile[Any, *_S] | float, /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[Any, *_S]: ...
@overload
def maximum(
    x: float, y: Tile[Any, *_S], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[Any, *_S]: ...
@overload
def maximum(
    x: Tile[_D, *_S], y: Tile[_D, *_R], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def maximum(
    x: Tile[_D, *_S], y: Tile[_A, *_R], /, *, flush_to_zero: bool = False, propagate_nan: bool = False
) -> _AnyTile: ...
@overload
def maximum(x: int, y: int, /, *, flush_to_zero: bool = False, propagate_nan: bool = False) -> int: ...
@overload
def maximum(x: float, y: float, /, *, flush_to_zero: bool = False, propagate_nan: bool = False) -> float: ...
@overload
def cdiv(x: Tile[_X, *_S], y: Tile[_X, *_S] | Tile[_X, *tuple[()]] | int, /) -> Tile[_X, *_S]: ...
@overload
def cdiv(x: int, y: Tile[_X, *_S], /) -> Tile[_X, *_S]: ...
@overload
def cdiv(x: Tile[_F, *_S], y: float, /) -> Tile[_F, *_S]: ...
@overload
def cdiv(x: float, y: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def cdiv(x: Tile[Any, *_S], y: Tile[Any, *_S] | float, /) -> Tile[Any, *_S]: ...
@overload
def cdiv(x: float, y: Tile[Any, *_S], /) -> Tile[Any, *_S]: ...
@overload
def cdiv(x: Tile[_D, *_S], y: Tile[_D, *_R], /) -> Tile[_D, *tuple[Any, ...]]: ...
@overload
def cdiv(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> _AnyTile: ...
@overload
def cdiv(x: int, y: int, /) -> int: ...
@overload
def cdiv(x: float, y: float, /) -> float: ...
@overload
def truediv(
    x: Tile[_F, *_S],
    y: Tile[_F, *_S] | Tile[_F, *tuple[()]] | float,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[_F, *_S]: ...
@overload
def truediv(
    x: float, y: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def truediv(
    x: Tile[_I, *_S],
    y: Tile[_I, *_S] | Tile[_I, *tuple[()]] | int,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[float32, *_S]: ...
@overload
def truediv(
    x: int, y: Tile[_I, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[float32, *_S]: ...
@overload
def truediv(
    x: Tile[Any, *_S],
    y: Tile[Any, *_S] | float,
    /,
    *,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile[Any, *_S]: ...
@overload
def truediv(
    x: float, y: Tile[Any, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[Any, *_S]: ...
@overload
def truediv(
    x: Tile[_D, *_S], y: Tile[_A, *_R], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> _AnyTile: ...
@overload
def truediv(
    x: float, y: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> float: ...
@overload
def atan2(x1: Tile[_F, *_S], x2: Tile[_F, *_S] | float, /) -> Tile[_F, *_S]: ...
@overload
def atan2(x1: float, x2: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def atan2(x1: _AnyTile | float, x2: _AnyTile | float, /) -> _AnyTile: ...
@overload
def divmod(
    x: Tile[_W, *_S], y: Tile[_W, *_S] | Tile[_W, *tuple[()]] | int, /
) -> tuple[Tile[_W, *_S], Tile[_W, *_S]]: ...
@overload
def divmod(x: int, y: Tile[_W, *_S], /) -> tuple[Tile[_W, *_S], Tile[_W, *_S]]: ...
@overload
def divmod(x: int, y: int, /) -> tuple[int, int]: ...
@overload
def divmod(x: Tile[_I, *_S], y: Tile[_I, *_R] | int, /) -> tuple[_AnyTile, _AnyTile]: ...
@overload
def bitwise_and(x: Tile[_W, *_S], y: Tile[_W, *_S] | Tile[_W, *tuple[()]] | int, /) -> Tile[_W, *_S]: ...
@overload
def bitwise_and(x: int, y: Tile[_W, *_S], /) -> Tile[_W, *_S]: ...
@overload
def bitwise_and(x: Tile[bool_, *_S], y: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, /) -> Tile[bool_, *_S]: ...
@overload
def bitwise_and(x: bool, y: Tile[bool_, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def bitwise_and(x: Tile[bool_, *_S], y: int, /) -> Tile[Any, *_S]: ...
@overload
def bitwise_and(x: int, y: Tile[bool_, *_S], /) -> Tile[Any, *_S]: ...
@overload
def bitwise_and(x: Tile[_I, *_S], y: Tile[_I, *_R], /) -> Tile[_I, *tuple[Any, ...]]: ...
@overload
def bitwise_and(x: int, y: int, /) -> int: ...
@overload
def bitwise_or(x: Tile[_W, *_S], y: Tile[_W, *_S] | Tile[_W, *tuple[()]] | int, /) -> Tile[_W, *_S]: ...
@overload
def bitwise_or(x: int, y: Tile[_W, *_S], /) -> Tile[_W, *_S]: ...
@overload
def bitwise_or(x: Tile[bool_, *_S], y: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, /) -> Tile[bool_, *_S]: ...
@overload
def bitwise_or(x: bool, y: Tile[bool_, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def bitwise_or(x: Tile[bool_, *_S], y: int, /) -> Tile[Any, *_S]: ...
@overload
def bitwise_or(x: int, y: Tile[bool_, *_S], /) -> Tile[Any, *_S]: ...
@overload
def bitwise_or(x: Tile[_I, *_S], y: Tile[_I, *_R], /) -> Tile[_I, *tuple[Any, ...]]: ...
@overload
def bitwise_or(x: int, y: int, /) -> int: ...
@overload
def bitwise_xor(x: Tile[_W, *_S], y: Tile[_W, *_S] | Tile[_W, *tuple[()]] | int, /) -> Tile[_W, *_S]: ...
@overload
def bitwise_xor(x: int, y: Tile[_W, *_S], /) -> Tile[_W, *_S]: ...
@overload
def bitwise_xor(x: Tile[bool_, *_S], y: Tile[bool_, *_S] | Tile[bool_, *tuple[()]] | bool, /) -> Tile[bool_, *_S]: ...
@overload
def bitwise_xor(x: bool, y: Tile[bool_, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def bitwise_xor(x: Tile[bool_, *_S], y: int, /) -> Tile[Any, *_S]: ...
@overload
def bitwise_xor(x: int, y: Tile[bool_, *_S], /) -> Tile[Any, *_S]: ...
@overload
def bitwise_xor(x: Tile[_I, *_S], y: Tile[_I, *_R], /) -> Tile[_I, *tuple[Any, ...]]: ...
@overload
def bitwise_xor(x: int, y: int, /) -> int: ...
@overload
def bitwise_lshift(x: Tile[_W, *_S], y: Tile[_W, *_S] | Tile[_W, *tuple[()]] | int, /) -> Tile[_W, *_S]: ...
@overload
def bitwise_lshift(x: int, y: Tile[_W, *_S], /) -> Tile[_W, *_S]: ...
@overload
def bitwise_lshift(x: Tile[_W, *_S], y: Tile[_W, *_R], /) -> Tile[_W, *tuple[Any, ...]]: ...
@overload
def bitwise_lshift(x: Tile[_W, *_S], y: Tile[_I, *_R], /) -> _AnyTile: ...
@overload
def bitwise_lshift(x: int, y: int, /) -> int: ...
@overload
def bitwise_rshift(x: Tile[_W, *_S], y: Tile[_W, *_S] | Tile[_W, *tuple[()]] | int, /) -> Tile[_W, *_S]: ...
@overload
def bitwise_rshift(x: int, y: Tile[_W, *_S], /) -> Tile[_W, *_S]: ...
@overload
def bitwise_rshift(x: Tile[_W, *_S], y: Tile[_W, *_R], /) -> Tile[_W, *tuple[Any, ...]]: ...
@overload
def bitwise_rshift(x: Tile[_W, *_S], y: Tile[_I, *_R], /) -> _AnyTile: ...
@overload
def bitwise_rshift(x: int, y: int, /) -> int: ...
@overload
def bitwise_not(x: Tile[_I, *_S], /) -> Tile[_I, *_S]: ...
@overload
def bitwise_not(x: int, /) -> int: ...
@overload
def negative(x: Tile[_X, *_S], /) -> Tile[_X, *_S]: ...
@overload
def negative(x: Tile[bool_, *_S], /) -> Tile[int32, *_S]: ...
@overload
def negative(x: int, /) -> int: ...
@overload
def negative(x: float, /) -> float: ...
@overload
def abs(x: Tile[_D, *_S], /) -> Tile[_D, *_S]: ...
@overload
def abs(x: int, /) -> int: ...
@overload
def abs(x: float, /) -> float: ...

# ---- comparison

@overload
def greater(x: Tile[Any, *_S], y: Tile[Any, *_S] | _ScalarTile | float, /) -> Tile[bool_, *_S]: ...
@overload
def greater(x: _ScalarTile | float, y: Tile[Any, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def greater(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> Tile[bool_, *tuple[Any, ...]]: ...
@overload
def greater(x: float, y: float, /) -> bool: ...
@overload
def greater_equal(x: Tile[Any, *_S], y: Tile[Any, *_S] | _ScalarTile | float, /) -> Tile[bool_, *_S]: ...
@overload
def greater_equal(x: _ScalarTile | float, y: Tile[Any, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def greater_equal(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> Tile[bool_, *tuple[Any, ...]]: ...
@overload
def greater_equal(x: float, y: float, /) -> bool: ...
@overload
def less(x: Tile[Any, *_S], y: Tile[Any, *_S] | _ScalarTile | float, /) -> Tile[bool_, *_S]: ...
@overload
def less(x: _ScalarTile | float, y: Tile[Any, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def less(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> Tile[bool_, *tuple[Any, ...]]: ...
@overload
def less(x: float, y: float, /) -> bool: ...
@overload
def less_equal(x: Tile[Any, *_S], y: Tile[Any, *_S] | _ScalarTile | float, /) -> Tile[bool_, *_S]: ...
@overload
def less_equal(x: _ScalarTile | float, y: Tile[Any, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def less_equal(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> Tile[bool_, *tuple[Any, ...]]: ...
@overload
def less_equal(x: float, y: float, /) -> bool: ...
@overload
def equal(x: Tile[Any, *_S], y: Tile[Any, *_S] | _ScalarTile | float, /) -> Tile[bool_, *_S]: ...
@overload
def equal(x: _ScalarTile | float, y: Tile[Any, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def equal(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> Tile[bool_, *tuple[Any, ...]]: ...
@overload
def equal(x: float, y: float, /) -> bool: ...
@overload
def not_equal(x: Tile[Any, *_S], y: Tile[Any, *_S] | _ScalarTile | float, /) -> Tile[bool_, *_S]: ...
@overload
def not_equal(x: _ScalarTile | float, y: Tile[Any, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def not_equal(x: Tile[_D, *_S], y: Tile[_A, *_R], /) -> Tile[bool_, *tuple[Any, ...]]: ...
@overload
def not_equal(x: float, y: float, /) -> bool: ...
@overload
def isnan(x: Tile[_F, *_S], /) -> Tile[bool_, *_S]: ...
@overload
def isnan(x: float, /) -> bool: ...

# ---- functions of one tile

@overload
def exp(x: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None) -> Tile[_F, *_S]: ...
@overload
def exp(x: Tile[_I, *_S], /, *, rounding_mode: RoundingMode | None = None) -> Tile[float32, *_S]: ...
@overload
def exp(x: float, /, *, rounding_mode: RoundingMode | None = None) -> Tile[Any, *tuple[()]]: ...
@overload
def exp2(x: Tile[_F, *_S], /, *, flush_to_zero: bool = False) -> Tile[_F, *_S]: ...
@overload
def exp2(x: Tile[_I, *_S], /, *, flush_to_zero: bool = False) -> Tile[float32, *_S]: ...
@overload
def exp2(x: float, /, *, flush_to_zero: bool = False) -> Tile[Any, *tuple[()]]: ...
@overload
def log(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def log(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def log(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def log2(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def log2(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def log2(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def sqrt(
    x: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[_F, *_S]: ...
@overload
def sqrt(
    x: Tile[_I, *_S], /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[float32, *_S]: ...
@overload
def sqrt(
    x: float, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile[Any, *tuple[()]]: ...
@overload
def rsqrt(x: Tile[_F, *_S], /, *, flush_to_zero: bool = False) -> Tile[_F, *_S]: ...
@overload
def rsqrt(x: Tile[_I, *_S], /, *, flush_to_zero: bool = False) -> Tile[float32, *_S]: ...
@overload
def rsqrt(x: float, /, *, flush_to_zero: bool = False) -> Tile[Any, *tuple[()]]: ...
@overload
def sin(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def sin(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def sin(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def cos(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def cos(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def cos(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def tan(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def tan(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def tan(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def sinh(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def sinh(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def sinh(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def cosh(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def cosh(x: Tile[_I, *_S], /) -> Tile[float32, *_S]: ...
@overload
def cosh(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def tanh(x: Tile[_F, *_S], /, *, rounding_mode: RoundingMode | None = None) -> Tile[_F, *_S]: ...
@overload
def tanh(x: Tile[_I, *_S], /, *, rounding_mode: RoundingMode | None = None) -> Tile[float32, *_S]: ...
@overload
def tanh(x: float, /, *, rounding_mode: RoundingMode | None = None) -> Tile[Any, *tuple[()]]: ...
@overload
def floor(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def floor(x: float, /) -> Tile[Any, *tuple[()]]: ...
@overload
def ceil(x: Tile[_F, *_S], /) -> Tile[_F, *_S]: ...
@overload
def ceil(x: float, /) -> Tile[Any, *tuple[()]]: ...

# ---- what is done when the kernel is compiled, and the rest

def assume_divisible_by(x: _T, divisor: int) -> _T: ...
def printf(format: str, *args: Any) -> None: ...
def print(*args: Any, sep: str = " ", end: str = "\n") -> None: ...
def assert_(cond: _AnyTile | bool, /, message: str | None = None) -> None: ...
def static_eval(expr: _T, /) -> _T: ...
def static_assert(condition: object, message: object = None, /) -> None: ...
def static_iter(iterable: Iterable[_T]) -> Iterable[_T]: ...
def static_exception(exc: _Exc, /) -> _Exc: ...
def ensure_constant(value: _T, /) -> _T: ...
def grid_dependency_control_wait() -> None: ...
def grid_dependency_control_launch_dependents() -> None: ...

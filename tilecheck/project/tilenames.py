"""The public names of cuda.tile 1.7."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.dtypes import DTYPES

__all__ = ["COMPOSED", "MEMBERS", "PUBLIC_NAMES", "find_missing"]

_NAMES: Final = """
launch ByTarget MemoryOrder MemoryScope PaddingMode RoundingMode DType foreign_pointer_dtype
TileCompilerExecutionError TileCompilerTimeoutError TileError TileInternalError TileRecursionError
TileStaticAssertionError TileStaticEvalError TileSyntaxError TileTypeError TileUnsupportedFeatureError TileValueError
StaticException Array ArrayAnnotation Constant ConstantAnnotation IndexedWithInt64 ListAnnotation Scalar ScalarInt64
Slice Tile TiledView abs add arange argmax argmin assert_ assume_divisible_by astile astype atan2 atomic_add
atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor bitwise_and bitwise_lshift bitwise_not
bitwise_or bitwise_rshift bitwise_xor bid bitcast broadcast_to cat cdiv ceil cos cosh cumprod cumsum divmod
ensure_constant equal exp exp2 expand_dims extract floor floordiv full gather greater greater_equal insert less
less_equal load load_advanced_indexing log log2 matmul max maximum min minimum mma mma_scaled mod mul negative isnan
not_equal num_blocks num_tiles ones pack_to_bytes permute pow printf print prod reduce reshape rsqrt scan scatter sin
sinh sqrt static_assert static_eval static_exception static_iter store store_advanced_indexing sub sum tan tanh
transpose truediv unpack_from_bytes where zeros grid_dependency_control_wait grid_dependency_control_launch_dependents
compiler_timeout tune function kernel compilation
"""

PUBLIC_NAMES: Final = frozenset((*_NAMES.split(), *DTYPES))
"""The names that `from cuda.tile import *` binds."""

_SUBMODULES: Final = frozenset({"compilation", "jax", "tune"})

MEMBERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({
    "MemoryOrder": frozenset({"WEAK", "RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL"}),
    "MemoryScope": frozenset({"NONE", "BLOCK", "CLUSTER", "DEVICE", "SYS"}),
    "PaddingMode": frozenset({"UNDETERMINED", "ZERO", "NEG_ZERO", "NAN", "POS_INF", "NEG_INF"}),
    "RoundingMode": frozenset({"RN", "RZ", "RM", "RP", "RA", "FULL", "APPROX", "RZI"}),
})
"""The members of each enumeration."""

COMPOSED: Final[Mapping[str, str]] = MappingProxyType({
    "all": "ct.min(mask)", "any": "ct.max(mask)", "clamp": "ct.minimum(ct.maximum(x, low), high)",
    "clip": "ct.minimum(ct.maximum(x, low), high)", "concat": "ct.cat(tiles, axis)",
    "concatenate": "ct.cat(tiles, axis)", "dot": "ct.matmul(x, y)", "expm1": "ct.exp(x) - 1",
    "full_like": "ct.full(x.shape, value, x.dtype)", "log1p": "ct.log(1 + x)", "mean": "ct.sum(x, axis) / n",
    "neg": "-x", "num_programs": "ct.num_blocks(axis)", "ones_like": "ct.ones(x.shape, x.dtype)",
    "program_id": "ct.bid(axis)", "reciprocal": "1 / x", "relu": "ct.maximum(x, 0)", "sigmoid": "1 / (1 + ct.exp(-x))",
    "silu": "x / (1 + ct.exp(-x))", "square": "x * x", "zeros_like": "ct.zeros(x.shape, x.dtype)",
})
"""Operations of other libraries that `cuda.tile` does not have, as expressions of those that it has."""

_OF_ENUMERATIONS: Final = frozenset({"name", "value"})


def find_missing(name: str) -> tuple[str, str, frozenset[str]] | None:
    """The owner and the part of a dotted name below `cuda.tile` that does not exist, with the names that do.

    None if it exists, or if that is not known: private names are not listed.
    """
    first, _, rest = name.partition(".")
    if first.startswith("_") or not first:
        return None
    if first not in PUBLIC_NAMES and first not in _SUBMODULES:
        return "cuda.tile", first, PUBLIC_NAMES
    member = rest.partition(".")[0]
    known = MEMBERS.get(first)
    if known is None or not member or member in known or member in _OF_ENUMERATIONS or member.startswith("_"):
        return None
    return f"cuda.tile.{first}", member, known

"""The public names of cuda.tile 1.7, for `from cuda.tile import *`."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import DTYPES

__all__ = ["PUBLIC_NAMES"]

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

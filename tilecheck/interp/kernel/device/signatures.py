"""The parameters of the operations and methods of cuda.tile 1.7, and the arguments that fit them.

A parameter with a default ends with `=`; `/` and `*` stand as in Python.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from msgspec import Struct

__all__ = ["METHODS", "OPERATIONS", "Signature", "find_misfit", "parse_signature"]


class Signature(Struct, frozen=True):
    """
    text        the parameters as an author writes them
    positional  the names of parameters that take positional arguments, in order
    keywords    the names that keywords may have
    required    the names of parameters without a default
    many        whether any number of positional arguments is taken
    """

    text: str
    positional: tuple[str, ...]
    keywords: frozenset[str]
    required: frozenset[str]
    many: bool = False


@lru_cache(maxsize=256)
def parse_signature(text: str) -> Signature:
    """The signature that is written so: `sum(x, /, axis=, *, keepdims=)`."""
    positional: list[str] = []
    keywords: list[str] = []
    required: list[str] = []
    named, many = False, False
    for part in filter(None, text.partition("(")[2].removesuffix(")").split(", ")):
        name = part.removesuffix("=")
        if part == "/":
            keywords.clear()
        elif part == "*":
            named = True
        elif part.startswith("*"):
            named = many = True
        else:
            keywords.append(name)
            if not named:
                positional.append(name)
            if name == part:
                required.append(name)
    return Signature(text, tuple(positional), frozenset(keywords), frozenset(required), many)


def find_misfit(signature: Signature, count: int, names: Collection[str]) -> str | None:
    """Names the first fault of so many positional arguments and keywords of these names."""
    if count > len(signature.positional) and not signature.many:
        return f"takes at most {len(signature.positional)} positional arguments, and {count} are passed"
    for name in names:
        if name not in signature.keywords:
            known = name in signature.positional
            return f"takes `{name}` by position only" if known else f"takes no keyword `{name}`"
    given = {*signature.positional[:count], *names}
    for name in signature.positional[:count]:
        if name in names:
            return f"gets `{name}` twice"
    missing = [name for name in (*signature.positional, *sorted(signature.keywords))
               if name in signature.required and name not in given]
    return f"needs an argument for `{missing[0]}`" if missing else None


def _by_name(text: str) -> Mapping[str, str]:
    return MappingProxyType({line.partition("(")[0]: line for line in text.split("\n") if line})


OPERATIONS: Final = _by_name("""
abs(x, /)
add(x, y, /, *, rounding_mode=, flush_to_zero=)
arange(size, /, *, dtype, start=, step=)
argmax(x, /, axis=, *, keepdims=, propagate_nan=)
argmin(x, /, axis=, *, keepdims=, propagate_nan=)
assert_(cond, /, message=)
assume_divisible_by(x, divisor)
astile(value, /, *, dtype)
astype(x, dtype, /, *, rounding_mode=)
atan2(x1, x2, /)
atomic_add(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_and(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_cas(array, indices, expected, desired, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_max(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_min(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_or(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_xchg(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
atomic_xor(array, indices, update, /, *, check_bounds=, memory_order=, memory_scope=)
bid(axis)
bitcast(x, /, dtype)
bitwise_and(x, y, /)
bitwise_lshift(x, y, /)
bitwise_not(x, /)
bitwise_or(x, y, /)
bitwise_rshift(x, y, /)
bitwise_xor(x, y, /)
broadcast_to(x, /, shape)
cat(tiles, /, axis)
cdiv(x, y, /)
ceil(x, /)
cos(x, /)
cosh(x, /)
cumprod(x, /, axis=, *, reverse=, rounding_mode=, flush_to_zero=)
cumsum(x, /, axis=, *, reverse=, rounding_mode=, flush_to_zero=)
divmod(x, y, /)
ensure_constant(value, /)
equal(x, y, /)
exp(x, /, *, rounding_mode=)
exp2(x, /, *, flush_to_zero=)
expand_dims(x, /, axis)
extract(x, /, index, shape)
floor(x, /)
floordiv(x, y, /)
full(shape, fill_value, dtype)
gather(array, indices, /, *, mask=, padding_value=, check_bounds=, latency=)
greater(x, y, /)
greater_equal(x, y, /)
grid_dependency_control_launch_dependents()
grid_dependency_control_wait()
insert(x, /, index, value)
isnan(x, /)
less(x, y, /)
less_equal(x, y, /)
load(array, /, index, shape, *, order=, padding_mode=, check_bounds=, latency=, allow_tma=, \
memory_order=, memory_scope=)
load_advanced_indexing(array, indices, /, *, padding_mode=, latency=, allow_tma=)
log(x, /)
log2(x, /)
matmul(x, y, /)
max(x, /, axis=, *, keepdims=, flush_to_zero=, propagate_nan=)
maximum(x, y, /, *, flush_to_zero=, propagate_nan=)
min(x, /, axis=, *, keepdims=, flush_to_zero=, propagate_nan=)
minimum(x, y, /, *, flush_to_zero=, propagate_nan=)
mma(x, y, /, acc, *, use_fast_acc=)
mma_scaled(x, x_scale, y, y_scale, /, acc)
mod(x, y, /)
mul(x, y, /, *, rounding_mode=, flush_to_zero=)
negative(x, /)
not_equal(x, y, /)
num_blocks(axis)
num_tiles(array, /, axis, shape, order=)
ones(shape, dtype)
pack_to_bytes(x, /)
permute(x, /, axes)
pow(x, y, /)
print(*args, sep=, end=)
printf(format, *args)
prod(x, /, axis=, *, keepdims=, rounding_mode=, flush_to_zero=)
reduce(x, /, axis, func, identity, *, keepdims=)
reshape(x, /, shape)
rsqrt(x, /, *, flush_to_zero=)
scan(x, /, axis, func, identity, *, reverse=)
scatter(array, indices, value, /, *, mask=, check_bounds=, latency=)
sin(x, /)
sinh(x, /)
sqrt(x, /, *, rounding_mode=, flush_to_zero=)
store(array, /, index, tile, *, order=, check_bounds=, latency=, allow_tma=, memory_order=, memory_scope=)
store_advanced_indexing(array, indices, tile, /, *, latency=, allow_tma=)
sub(x, y, /, *, rounding_mode=, flush_to_zero=)
sum(x, /, axis=, *, keepdims=, rounding_mode=, flush_to_zero=)
tan(x, /)
tanh(x, /, *, rounding_mode=)
transpose(x, /, axis0=, axis1=)
truediv(x, y, /, *, rounding_mode=, flush_to_zero=)
unpack_from_bytes(x, /, dtype)
where(cond, x, y, /)
zeros(shape, dtype)
""")
METHODS: Final = _by_name("""
Array.get_raw_memory()
Array.slice(axis, start, stop)
Array.tiled_view(tile_shape, *, padding_mode=, traversal_steps=)
Tile.astype(dtype, *, rounding_mode=)
Tile.extract(index, shape)
Tile.insert(index, value)
Tile.item()
Tile.permute(axes)
Tile.reshape(shape)
Tile.transpose(axis0=, axis1=)
TiledView.atomic_store_add(index, update, /)
TiledView.atomic_store_and(index, update, /)
TiledView.atomic_store_max(index, update, /)
TiledView.atomic_store_min(index, update, /)
TiledView.atomic_store_or(index, update, /)
TiledView.atomic_store_xor(index, update, /)
TiledView.load(index, *, check_bounds=, latency=, allow_tma=)
TiledView.num_tiles(axis)
TiledView.store(index, tile, *, check_bounds=, latency=, allow_tma=)
""")

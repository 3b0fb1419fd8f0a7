"""Bodies of small kernels by the thousand: each operation with types and shapes that fit and that do not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

__all__ = ["DTYPES", "bodies"]

DTYPES = ("bool_", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "tfloat32",
          "float8_e4m3fn", "float8_e8m0fnu", "float4_e2m1fn")
SHAPES = ("(4, 8)", "(8, 4)", "(4, 1)", "(1, 8)", "(8,)", "(4, 4)", "(2, 4, 8)", "()", "(1,)", "(16,)")


def tile(shape: str, dtype: str = "float32") -> str:
    """A tile that is not a constant."""
    return f"ct.full({shape}, s, ct.{dtype})"


def bodies() -> tuple[str, ...]:
    """All of them, each once, always in the same order."""
    parts = (_two_types(), _numbers(), _one_type(), _conversions(), _two_shapes(), _one_shape(), _extents(), _indices(),
             _elements(), _loops())
    return tuple(dict.fromkeys(body for part in parts for body in part))


def _two_types() -> Iterator[str]:
    operations = ("x + y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x & y", "x | y", "x << y", "x < y", "x == y",
                  "ct.maximum(x, y)", "ct.where(x != x, x, y)", "ct.cat((x, y), 0)", "ct.insert(x, (0, 0), y)")
    for first, second in product(DTYPES, DTYPES):
        both = f"x = {tile('(4, 8)', first)}; y = {tile('(4, 8)', second)}"
        for operation in operations:
            yield f"{both}; z = {operation}"
        yield f"x = {tile('(4, 8)', first)}; y = {tile('(8, 4)', second)}; z = ct.matmul(x, y)"
        yield (f"x = {tile('(4, 8)', first)}; y = {tile('(8, 4)', second)}; "
               "z = ct.mma(x, y, ct.zeros((4, 4), ct.float32))")
        yield f"x = {tile('(4, 8)', first)}; z = ct.mma(x, ct.transpose(x), ct.zeros((4, 4), ct.{second}))"
        yield (f"x = {tile('(4, 32)', first)}; y = {tile('(32, 4)', first)}; xs = {tile('(4, 1)', second)}; "
               f"ys = {tile('(1, 4)', second)}; z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))")


def _numbers() -> Iterator[str]:
    operations = ("x + {}", "{} * x", "x & {}", "x << {}", "x < {}", "x / {}", "ct.where(x == x, x, {})", "x ** {}",
                  "x % {}", "ct.insert(x, (0, 0), {})", "ct.minimum({}, x)")
    for dtype, number, operation in product(DTYPES, ("1", "-1", "300", "2.5", "True"), operations):
        yield f"x = {tile('(4, 8)', dtype)}; z = {operation.format(number)}"
    for dtype, number in product(DTYPES, ("1", "-1", "300", "2.5", "True")):
        yield f"z = ct.full((4,), {number}, ct.{dtype})"
        yield f"z = ct.{dtype}({number}) + {number}"
        yield f"z = {tile('(4,)', dtype)} * ct.{dtype}({number})"


def _one_type() -> Iterator[str]:
    operations = (
        "ct.floor(x)", "ct.ceil(x)", "~x", "-x", "abs(x)", "ct.abs(x)", "ct.exp(x)", "ct.bitwise_not(x)", "ct.isnan(x)",
        "ct.sum(x)", "ct.max(x, 0)", "ct.cumsum(x, 0)", "ct.pack_to_bytes(x)", "ct.unpack_from_bytes(x, ct.int32)",
        "ct.unpack_from_bytes(ct.reshape(x, (32,)), ct.float16)",
        "ct.unpack_from_bytes(ct.reshape(x, (32,)), ct.bool_)", "not y", "ct.full((4,), y, ct.int32)",
        "ct.full((4,), x, ct.int32)", "ct.load(a, (y, 0), (4, 8))", "ct.gather(a, (y, n))", "ct.gather(a, (x, n))",
        "ct.gather(a, (n, n), mask=y)")
    for dtype in DTYPES:
        for operation in operations:
            yield f"x = {tile('(4, 8)', dtype)}; y = {tile('()', dtype)}; z = {operation}"
        for stored in ("ct.store(b, (0, 0), x)", "ct.scatter(b, (n, n), y)", "b.tiled_view((4, 8)).store((0, 0), x)",
                       "ct.atomic_add(b, (n, n), y)"):
            yield f"x = {tile('(4, 8)', dtype)}; y = {tile('()', dtype)}; {stored}"


def _conversions() -> Iterator[str]:
    for first, second in product(DTYPES, DTYPES):
        x = f"x = {tile('(4, 8)', first)}"
        yield f"{x}; z = ct.bitcast(x, ct.{second})"
        yield f"{x}; z = ct.astype(x, ct.{second})"
        yield f"{x}; z = x.astype(ct.{second}, rounding_mode=ct.RoundingMode.RZ)"
        yield f"{x}\nfor i in range(n):\n    x = {tile('(4, 8)', second)}\nz = x"
        yield f"{x}\nif n > 0:\n    x = {tile('(4, 8)', second)}\nw = 1"
        yield f"{x}\nif n > 0:\n    x = {tile('(4, 8)', second)}\nz = x + 1"


def _two_shapes() -> Iterator[str]:
    operations = (
        "x + y", "ct.where(x > y, x, y)", "ct.where(y > 0, x, 1.0)", "x @ y", "ct.cat((x, y), 0)", "ct.cat((x, y), -1)",
        "ct.cat((x, y), 1)", "ct.minimum(x, y)", "ct.insert(x, (0, 0), y)", "ct.insert(x, 0, y)",
        "ct.mma(x, y, ct.zeros((4, 4), ct.float32))", "ct.mma(x, y, ct.zeros((2, 4, 4), ct.float32))")
    for first, second, operation in product(SHAPES, SHAPES, operations):
        yield f"x = {tile(first)}; y = {tile(second)}; z = {operation}"


def _one_shape() -> Iterator[str]:
    axes = ("0", "1", "2", "-1", "-2", "-3", "3")
    operations = (
        *(f"ct.{f}(x, {axis})" for f in ("sum", "max", "argmax", "cumsum", "prod", "expand_dims") for axis in axes),
        "ct.sum(x)", "ct.sum(x, (0, 1))", "ct.sum(x, (0, 0))", "ct.sum(x, (0, -2))", "ct.sum(x, axis=1, keepdims=True)",
        "ct.max(x, None)", "ct.argmin(x, None)", "ct.transpose(x)", "ct.transpose(x, 0, 1)", "ct.transpose(x, 0, 2)",
        "ct.transpose(x, -1, -2)", "ct.transpose(x, 0, 0)", "x.transpose()", "x.transpose(1, 0)",
        *(f"ct.permute(x, {order})" for order in (
            "(1, 0)", "(0, 1, 2)", "(2, 0, 1)", "(0, 0)", "(0,)", "(-1, 0)")), "x.permute((1, 0))",
        "x[:, None]", "x[None, :]", "x[None]", "x[..., None]", "x[:, :, None]", "x.item()", "ct.sum(x)[None]",
        *(f"ct.reshape(x, {shape})" for shape in (
            "(32,)", "(4, 8)", "(-1,)", "(-1, 8)", "(-1, 16)", "(-1, -1)", "(2, 16)", "(8, 8)", "(64,)", "()",
            "(1, 32)", "(-2, 4)", "(-1, 64)", "(16,)", "(3, -1)")), "x.reshape((32,))", "x.reshape((-1,))",
        *(f"ct.broadcast_to(x, {shape})" for shape in (
            "(4, 8)", "(8,)", "(2, 4, 8)", "(16, 8)", "(3, 4)", "(4, 16)")),
        *(f"ct.extract(x, {index}, {shape})" for index, shape in (
            ("(0, 0)", "(2, 4)"), ("(0, 0)", "(4, 8)"), ("(0,)", "(4,)"), ("0", "(4,)"), ("(0, 0)", "(8, 8)"),
            ("(0, 0)", "(3, 4)"), ("(0, 0, 0)", "(1, 2, 4)"), ("(0, 0)", "(2,)"), ("(0,)", "(2, 4)"),
            ("(0, 0)", "()"))),
        "ct.exp(x)", "~(x > 0)", "-x", "abs(x)")
    for shape, operation in product(SHAPES, operations):
        yield f"x = {tile(shape)}; z = {operation}"
        yield f"x = {tile(shape)}; z = {operation}; w = z + ct.zeros((4, 8), ct.float32)"


def _extents() -> Iterator[str]:
    operations = (
        "ct.zeros({}, ct.float32)", "ct.ones({}, ct.int32)", "ct.full({}, 1.0, ct.float32)", "ct.load(a, (0, 0), {})",
        "ct.num_tiles(a, 0, {})", "ct.num_tiles(a, 2, {})", "ct.num_tiles(a, -1, {})", "a.tiled_view({})",
        "a.tiled_view({}).load((0, 0))", "a.tiled_view({}).num_tiles(1)")
    shapes = ("(3,)", "(4, 6)", "12", "(0,)", "(-4,)", "16", "(1, 1)", "()", "(2, 5)")
    for shape, operation in product(shapes, operations):
        yield f"z = {operation.format(shape)}"
    for size in ("3", "4", "0", "-4", "8"):
        yield f"z = ct.arange({size}, dtype=ct.int32)"


def _indices() -> Iterator[str]:
    indices = (
        "0", "(0,)", "(0, 0)", "(0, 0, 0)", "(n, n)", "(s, 0)", "(0, True)", "(ct.arange(4, dtype=ct.int32), 0)",
        "(ct.uint32(n), 0)", "(ct.int64(n), 0)", "(1.0, 0)", "(ct.full((), n, ct.int32), 0)",
        "(ct.full((1,), n, ct.int32), 0)")
    for index in indices:
        for shape in ("(4, 8)", "(4,)", "4", "()", "(2, 4, 8)"):
            yield f"z = ct.load(a, {index}, {shape})"
        yield f"ct.store(b, {index}, {tile('(4, 8)')})"
        yield f"ct.store(b, {index}, {tile('()')})"
        for operation in (
                "z = ct.gather(a, {})", "ct.scatter(a, {}, s)", "ct.scatter(a, {}, ct.full((4,), s, ct.float32))",
                "z = ct.atomic_add(a, {}, s)", "z = ct.gather(a, {}, mask=ct.full((4,), n, ct.int32) > 0)",
                "z = a.tiled_view((4, 8)).load({})", "a.tiled_view((4, 8)).store({}, s)"):
            yield operation.format(index)


def _elements() -> Iterator[str]:
    operations = (
        "z = ct.gather(a, (i, j))",
        *(f"ct.scatter(a, (i, j), {tile(shape)})" for shape in (
            "(4, 8)", "(8,)", "()", "(4, 1)", "(16,)", "(2, 4, 8)")),
        *(f"z = ct.gather(a, (i, j), mask=ct.full({shape}, n, ct.int32) > 0)" for shape in (
            "(4, 8)", "(8,)", "()", "(2, 4, 8)")),
        "z = ct.gather(a, (i, j), mask=i)", "z = ct.gather(a, (i, j), padding_value=1)",
        "z = ct.gather(a, (i, j), padding_value=ct.full((8,), s, ct.float32))",
        "z = ct.atomic_add(a, (i, j), ct.full((8,), s, ct.float32))", "z = ct.atomic_cas(a, (i, j), s, 1.0)",
        "z = ct.atomic_xchg(a, (i, j), n)")
    shapes = ("(4,)", "(8,)", "(4, 1)", "(1, 8)", "()", "(4, 8)")
    for first, second, operation in product(shapes, shapes, operations):
        yield f"i = ct.full({first}, n, ct.int32); j = ct.full({second}, n, ct.int32); {operation}"


def _loops() -> Iterator[str]:
    starts = ("0", "1", "2.5", "True", "n", "s", "n + 1", "1 + 1", "1.0 * 2")
    steps = ("x + 1", "x + 1.0", "x + s", "x + n", "2.0", "3", "n", "s", "x * 2",
             "ct.sum(ct.full((4,), s, ct.float32))", "ct.full((4,), s, ct.float32)", "x + x", "x > 0")
    ways = (
        "x = {}\nfor i in range(n):\n    x = {}\nw = 1",
        "x = {}\nfor i in ct.static_iter(range(2)):\n    x = {}\nw = 1",
        "x = {}\nwhile n > ct.bid(0):\n    x = {}\n    break\nw = 1",
        "x = {}\nif n > 1:\n    x = {}\nz = ct.full((4,), s, ct.float16) + x",
        "x = {}\nif 0 > 1:\n    x = {}\n    z = ct.zeros((3,), ct.float32)\nz = ct.full((4,), s, ct.float16) + x")
    for start, step, way in product(starts, steps, ways):
        yield way.format(start, step)

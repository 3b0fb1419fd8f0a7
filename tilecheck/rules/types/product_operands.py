"""TC505 product-operands: operands of a matrix product of types that it does not accept.

## What it does

Reports matrix products of types for which there is no product: operands of `ct.mma` of two types, an accumulator of
the wrong type, a tile of one axis where `ct.mma` takes a matrix, and scales of `ct.mma_scaled` whose type or number
does not match the operands. [TC501](TC501.md) reports extents that do not match. An unknown element type is not
reported. If only a launch determines the type of an array, a seen launch is needed.

| operands | accumulator |
|---|---|
| float16, float8_e4m3fn, float8_e5m2 | float16 or float32 |
| bfloat16, float32, tfloat32 | float32 |
| float64 | float64 |
| int8 and uint8, also one of each | int32 |

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU. The instructions that multiply matrices exist
for these types only (Tile IR specification, `mmaf`, `mmai` and `mmaf_scaled`).

## Example

```python
import cuda.tile as ct


@ct.kernel
def gemm(a, b, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((T, T), ct.float16)
    for k in range(ct.num_tiles(a, 1, (T, T))):
        x = ct.load(a, (i, k), (T, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
        y = ct.load(b, (k, j), (T, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
        acc = ct.mma(x, y, acc)  # error: TC505
    ct.store(c, (i, j), acc.astype(c.dtype))
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def gemm(a, b, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((T, T), ct.float32)
    for k in range(ct.num_tiles(a, 1, (T, T))):
        x = ct.load(a, (i, k), (T, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
        y = ct.load(b, (k, j), (T, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))
```

## How to suppress it

`# tilecheck: allow[TC505] this branch is never compiled` on the line or above the kernel. It needs a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.dtypes import DType
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.interp.kernel.tile_types.uses import Misfit, Use
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.messages.operands import Words, axes, line, name_dtype, op, type_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC505"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The errors at products."""
    for fault in view.model.ownership.typed:
        if fault.code == CODE:
            message, help_ = _DIALECT_WORDS[fault.how](fault)
            yield Diagnostic(CODE, "error", message, fault.span, view.model.name, (), help_)
    yield from type_findings(view, CODE, _WORDS)


# --- the ownership dialect -------------------------------------------------------------------------------------------

def _describe_dialect_product(f: Fault) -> tuple[str, str]:
    name, first, second = f.words
    return (f"the operands of `ct.{name}` are of {first} and of {second}",
            f"convert one of them: `ct.astype(t, ct.{first})`")


def _describe_dialect_accumulator(f: Fault) -> tuple[str, str]:
    name, given, acc, wanted = f.words
    return f"`ct.{name}` of {given} cannot be added to {acc}", f"accumulate in {wanted}: `ct.zeros(..., ct.{wanted})`"


_DIALECT_WORDS: Final[Mapping[str, Callable[[Fault], tuple[str, str]]]] = {
    "product": _describe_dialect_product,
    "accumulator": _describe_dialect_accumulator,
}


# --- operations of cuda.tile -----------------------------------------------------------------------------------------

_ORDINAL: Final[Mapping[str, str]] = {
    "first": "the first operand", "second": "the second operand", "added": "the accumulator", "scales": "the scales"}


def _describe_product_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    which, rank, low = f.words
    return (f"{_ORDINAL[which]} of {op(use)} has {axes(rank)}, and a product takes at least {low}",
            "add an axis: `t[None, :]`, or use `ct.sum(x * y)`")


def _describe_scaled_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    which, rank = f.words
    return f"{_ORDINAL[which]} of {op(use)} has {axes(rank)}: it takes 2 or 3", "reshape it to (M, K) or (B, M, K)"


def _describe_operands(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = map(name_dtype, f.types)
    x, y = use.operands[0], use.operands[2 if use.kind == "mma_scaled" else 1]
    return (f"the operands of {op(use)} are of {a}{line(x.made, file)} and of {b}{line(y.made, file)}",
            f"convert one of them: `ct.astype(t, ct.{a})`")


def _describe_no_product(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"there is no {op(use)} of {name_dtype(f.types[0])}", "convert both operands: `ct.astype(t, ct.float16)`")


def _describe_no_scaled(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"there is no {op(use)} of {name_dtype(f.types[0])}: it takes float8_e4m3fn, float8_e5m2 and float4_e2m1fn",
            "use `ct.mma`")


def _describe_accumulator(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, acc, wanted = f.types
    of = name_dtype(given) if isinstance(given, DType) else "scaled operands"
    return (f"{op(use)} of {of} cannot be added to {name_dtype(acc)}{line(use.operands[-1].made, file)}",
            f"accumulate in {name_dtype(wanted)}: `ct.zeros(..., ct.{name_dtype(wanted)})`")


def _describe_scale_types(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = map(name_dtype, f.types)
    return f"the scales of {op(use)} are of {a} and of {b}", f"convert one of them: `ct.astype(t, ct.{a})`"


def _describe_scale(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, dtype, *takes = map(name_dtype, f.types)
    return f"scales of {given} do not match operands of {dtype}", f"use scales of {', '.join(takes)}"


def _describe_block(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (sizes,), (dtype, scales) = f.words, map(name_dtype, f.types)
    whole, count = (spell_term(t) for t in f.terms)
    several = "scale" if count == "1" else "scales"
    return (f"{whole} elements of {dtype} along K have {count} {several} of {scales}, and {sizes} elements share one",
            f"give one scale to every {sizes} elements along K")


_WORDS: Final[Mapping[str, Words]] = {
    "rank": _describe_product_rank,
    "rank_of_scaled": _describe_scaled_rank,
    "operands": _describe_operands,
    "no_product": _describe_no_product,
    "no_scaled": _describe_no_scaled,
    "accumulator": _describe_accumulator,
    "scales": _describe_scale_types,
    "scale": _describe_scale,
    "block": _describe_block,
}


RULE: Final = Rule(
    code=CODE,
    name="product-operands",
    summary="operands of a matrix product of types that it does not accept",
    severity="error",
    mypy="tile-shape",
    kernel=report_kernel,
)

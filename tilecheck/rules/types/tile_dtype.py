"""TC502 tile-dtype: a tile whose element type does not match its use.

## What it does

Follows the element types of tiles and reports types that do not match: two types without a common type in arithmetic,
a bitwise operation on floats, a store that would lose precision, a mask or an index of the wrong type, a `ct.bitcast`
between different widths, an atomic operation that does not exist for the type, a variable that changes its type in a
loop. [TC505](TC505.md) reports the operands of products.

An unknown type is not reported. If only a launch determines the type of an array, a seen launch is needed; the
finding then shows the launch.

In a kernel of the dialect, annotations state the element types of parameters. There, the rule also reports a tile
that is stored to a piece with another element type, even if the conversion loses nothing.

## Why is this bad?

`cuda.tile` rejects conversions that lose precision when the kernel is compiled, which is at its first launch, and
performs all others silently. An element type at the output and another one at the store are two intentions, and a
type checker treats them as an error.

## Example

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def widen(z: Mut[f32, B], x: Ref[f16, Dyn]) -> None:
    z.store(x.load_like(z))  # error: TC502
```

```python
import cuda.tile as ct


@ct.kernel
def means(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(a, (i, 0), (16, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.float16)
    ct.store(c, (i,), ct.sum(t, axis=1) + ct.zeros((16,), ct.bfloat16))  # error: TC502
```

## Use instead

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def widen(z: Mut[f32, B], x: Ref[f16, Dyn]) -> None:
    z.store(ct.astype(x.load_like(z), ct.float32))
```

```python
import cuda.tile as ct


@ct.kernel
def means(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(a, (i, 0), (16, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.float16)
    ct.store(c, (i,), ct.sum(t, axis=1) + ct.zeros((16,), ct.float32))
```

## How to suppress it

`# tilecheck: allow[TC502] the conversion is intended` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.dtypes import Weak
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.interp.kernel.tile_types.uses import Misfit, Use
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.messages.operands import Words, line, named, op, stored_to, type_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC502"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The errors at operations and at stores."""
    for fault in view.model.ownership.typed:
        if fault.code == CODE:
            yield _DIALECT_WORDS[fault.how](fault, view.model)
    yield from type_findings(view, CODE, _WORDS)


# --- the ownership dialect -------------------------------------------------------------------------------------------

def _dialect_stored(f: Fault, model: KernelModel) -> Diagnostic:
    given, wanted = f.words
    span = next((p.span for p in model.params if p.name == f.array), None)
    notes = () if span is None else (Note(f"{wanted} from the annotation of `{f.array}`", span),)
    return Diagnostic(
        CODE, "error", f"a tile of {given} is stored to a piece of `{f.array}`, whose elements are {wanted}", f.span,
        model.name, notes, f"convert it first: `ct.astype(t, ct.{wanted})`")


_DIALECT_WORDS: Final[Mapping[str, Callable[[Fault, KernelModel], Diagnostic]]] = {
    "stored": _dialect_stored,
}


# --- operations of cuda.tile ------------------------------------------------------------------------------------------

def _arithmetic(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of a tile of {named(f.types[0])}, which takes no part in arithmetic",
            "convert it first: `ct.astype(t, ct.float32)`")


def _promotion(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    x, y = use.operands[-2:]
    return (f"{op(use)} of {named(a)}{line(x.made, file)} and {named(b)}{line(y.made, file)}, which have no type "
            "in common", f"convert one of them: `ct.astype(t, ct.{b if isinstance(a, Weak) else a})`")


def _range(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} with {f.words[0]}, which {f.types[0]} does not hold",
            "convert the tile to a wider type first: `ct.astype(t, ct.int32)`")


def _truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} of two truth values", "convert them first: `ct.astype(t, ct.int32)`, or combine them with `&`"


def _bits(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of {named(f.types[0])}: bits are those of integers and truth values",
            "`ct.bitcast` it to an integer type of its width first")


def _shift(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} of {named(f.types[0])}: integers are shifted", "convert it first: `ct.astype(t, ct.int32)`"


def _bits_differ(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    first, second = (t.value if isinstance(t, Weak) else named(t) for t in (a, b))
    return (f"{op(use)} of {first} and {second}: bits are combined of one type",
            f"convert one of them: `ct.astype(t, ct.{first})`")


def _only(what: str) -> Words:
    def words(use: Use, f: Misfit, file: str) -> tuple[str, str]:
        return f"{op(use)} of {named(f.types[0])}: it takes {what} only", "convert it first with `ct.astype`"

    return words


def _stored(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    if use.kind == "atomic":
        return (f"{op(use)} updates elements of {wanted} with {named(given)}",
                f"convert it first: `ct.astype(t, ct.{wanted})`")
    if use.op.endswith("padding"):
        return (f"`{use.op.removesuffix(' padding')}` pads with {named(given)} where elements are {wanted}",
                f"pad with a value of {wanted}")
    return (f"a tile of {named(given)}{line(use.operands[0].made, file)} is stored{stored_to(use)}, whose elements "
            f"are {wanted}: that loses some of it", f"convert it first: `ct.astype(t, ct.{wanted})`")


def _number_stored(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (given,), (wanted,) = f.words, f.types
    return (f"{given} is stored{stored_to(use)}, whose elements are {wanted} and do not hold it",
            f"write a number that {wanted} holds")


def _mask(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"the mask of {op(use)} is of {named(f.types[0])}, and a mask is of truth values",
            "compare it first: `mask=t != 0`")


def _index(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (place,), (dtype,) = f.words, f.types
    return (f"index {place} of {op(use)} is {named(dtype)}, and indices are integers",
            "convert it first: `ct.astype(i, ct.int32)`")


def _index_sign(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (place,), (dtype,) = f.words, f.types
    return (f"index {place} of {op(use)} is of {dtype}, and indices of tiles have a sign",
            "convert it first: `ct.int32(i)`")


def _atomic(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} on elements of {named(f.types[0])}, for which there is none",
            "keep what is updated atomically in an array of int32 or float32")


def _atomic_bits(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"{op(use)} updates elements of {wanted} with {given}: it asks for the same type",
            f"convert it first: `ct.astype(t, ct.{wanted})`")


def _rounding(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"{given} is not rounded to the nearest {wanted}: it holds powers of two only",
            f"say how: `ct.astype(t, ct.{wanted}, rounding_mode=ct.RoundingMode.RP)`")


def _not_rounded(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"a conversion from {given} to {wanted} has no rounding mode: only one between numbers with a fraction has",
            "leave out `rounding_mode`")


def _bits_of_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return f"`ct.bitcast` from {named(given)} to {named(wanted)}: truth values have no bits to read", "use `ct.astype`"


def _widths(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (given, wanted), (mine, theirs) = f.types, f.words
    return (f"`ct.bitcast` from {given} of {mine} bits to {wanted} of {theirs}",
            "cast to a type of the same width, or convert the value with `ct.astype`")


def _packed_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} with {named(f.types[0])}: truth values are not packed",
            "convert them first: `ct.astype(t, ct.uint8)`")


def _unpacked(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} of {named(f.types[0])}: bytes are unpacked", "`ct.pack_to_bytes` it first"


def _reduced(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of {named(f.types[0])}, which takes no part in arithmetic",
            "convert it first: `ct.astype(t, ct.float32)`")


def _together(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    return (f"`ct.cat` of {a}{line(use.operands[0].made, file)} and {b}{line(use.operands[1].made, file)}",
            f"convert one of them: `ct.astype(t, ct.{a})`")


def _inserted(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return f"{given} is inserted into a tile of {wanted}", f"convert it first: `ct.astype(t, ct.{wanted})`"


def _carried_type(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    return (f"`{use.op}` is {a} before the loop{line(use.operands[0].made, file)} and {b} at the end of an iteration",
            f"start with {b}, or convert it back in the loop: `ct.astype({use.op}, ct.{a})`")


_WORDS: Final[Mapping[str, Words]] = {
    "arithmetic": _arithmetic,
    "promotion": _promotion,
    "range": _range,
    "truth": _truth,
    "bits": _bits,
    "shift": _shift,
    "bits_differ": _bits_differ,
    "only_fractions": _only("numbers with a fraction"),
    "only_integers": _only("integers and truth values"),
    "stored": _stored,
    "number_stored": _number_stored,
    "mask": _mask,
    "index": _index,
    "index_sign": _index_sign,
    "atomic": _atomic,
    "atomic_bits": _atomic_bits,
    "rounding": _rounding,
    "not_rounded": _not_rounded,
    "bits_of_truth": _bits_of_truth,
    "widths": _widths,
    "packed_truth": _packed_truth,
    "unpacked": _unpacked,
    "reduced": _reduced,
    "together": _together,
    "inserted": _inserted,
    "carried": _carried_type,
}


RULE: Final = Rule(
    code=CODE,
    name="tile-dtype",
    summary="a tile whose element type does not match its use",
    severity="error",
    mypy="tile-dtype",
    kernel=report_kernel,
)

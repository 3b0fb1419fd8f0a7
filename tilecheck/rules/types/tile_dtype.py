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
from tilecheck.rules.messages.operands import Words, line, name_dtype, op, stored_to, type_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC502"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The errors at operations and at stores."""
    for fault in view.model.ownership.typed:
        if fault.code == CODE:
            yield _DIALECT_WORDS[fault.how](fault, view.model)
    yield from type_findings(view, CODE, _WORDS)


# --- the ownership dialect -------------------------------------------------------------------------------------------

def _describe_dialect_stored(f: Fault, model: KernelModel) -> Diagnostic:
    given, wanted = f.words
    span = next((p.span for p in model.params if p.name == f.array), None)
    notes = () if span is None else (Note(f"{wanted} from the annotation of `{f.array}`", span),)
    return Diagnostic(
        CODE, "error", f"a tile of {given} is stored to a piece of `{f.array}`, whose elements are {wanted}", f.span,
        model.name, notes, f"convert it first: `ct.astype(t, ct.{wanted})`")


_DIALECT_WORDS: Final[Mapping[str, Callable[[Fault, KernelModel], Diagnostic]]] = {
    "stored": _describe_dialect_stored,
}


# --- operations of cuda.tile -----------------------------------------------------------------------------------------

def _describe_arithmetic(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of a tile of {name_dtype(f.types[0])}, which does not support arithmetic",
            "convert it first: `ct.astype(t, ct.float32)`")


def _describe_promotion(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    x, y = use.operands[-2:]
    return (f"{op(use)} of {name_dtype(a)}{line(x.made, file)} and {name_dtype(b)}{line(y.made, file)}, which have "
            "no type in common", f"convert one of them: `ct.astype(t, ct.{b if isinstance(a, Weak) else a})`")


def _describe_range(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} with {f.words[0]}, which {f.types[0]} cannot represent",
            "convert the tile to a wider type first: `ct.astype(t, ct.int32)`")


def _describe_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} of two booleans", "convert them first: `ct.astype(t, ct.int32)`, or combine them with `&`"


def _describe_bits(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of {name_dtype(f.types[0])}: bitwise operations take integers and booleans",
            "convert it to an integer type of its width with `ct.bitcast` first")


def _describe_shift(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} of {name_dtype(f.types[0])}: shifts take integers", "convert it first: `ct.astype(t, ct.int32)`"


def _describe_bits_differ(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    first, second = (t.value if isinstance(t, Weak) else name_dtype(t) for t in (a, b))
    return (f"{op(use)} of {first} and {second}: bitwise operations take operands of one type",
            f"convert one of them: `ct.astype(t, ct.{first})`")


def _describe_only(what: str) -> Words:
    def words(use: Use, f: Misfit, file: str) -> tuple[str, str]:
        return f"{op(use)} of {name_dtype(f.types[0])}: it only takes {what}", "convert it first with `ct.astype`"

    return words


def _describe_stored(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    if use.kind == "atomic":
        return (f"{op(use)} updates elements of {wanted} with {name_dtype(given)}",
                f"convert it first: `ct.astype(t, ct.{wanted})`")
    if use.op.endswith("padding"):
        return (f"`{use.op.removesuffix(' padding')}` pads with {name_dtype(given)} where elements are {wanted}",
                f"pad with a value of {wanted}")
    return (f"a tile of {name_dtype(given)}{line(use.operands[0].made, file)} is stored{stored_to(use)}, whose "
            f"elements are {wanted}: that loses precision", f"convert it first: `ct.astype(t, ct.{wanted})`")


def _describe_number_stored(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (given,), (wanted,) = f.words, f.types
    return (f"{given} is stored{stored_to(use)}, whose elements are {wanted} and cannot represent it",
            f"store a number that {wanted} can represent")


def _describe_mask(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"the mask of {op(use)} is of {name_dtype(f.types[0])}, but a mask is boolean",
            "compare it first: `mask=t != 0`")


def _describe_index(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (place,), (dtype,) = f.words, f.types
    return (f"index {place} of {op(use)} is {name_dtype(dtype)}, but indices are integers",
            "convert it first: `ct.astype(i, ct.int32)`")


def _describe_index_sign(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (place,), (dtype,) = f.words, f.types
    return (f"index {place} of {op(use)} is of {dtype}, but indices of tiles are signed",
            "convert it first: `ct.int32(i)`")


def _describe_atomic(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} does not exist for elements of {name_dtype(f.types[0])}",
            "store the elements that are updated atomically in an array of int32 or float32")


def _describe_atomic_bits(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"{op(use)} updates elements of {wanted} with {given}: it requires the same type",
            f"convert it first: `ct.astype(t, ct.{wanted})`")


def _describe_rounding(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"{given} is not rounded to the nearest {wanted}: that type only has powers of two",
            f"specify the rounding: `ct.astype(t, ct.{wanted}, rounding_mode=ct.RoundingMode.RP)`")


def _describe_not_rounded(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"a conversion from {given} to {wanted} has no rounding mode: only conversions between floats have one",
            "leave out `rounding_mode`")


def _describe_bits_of_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return (f"`ct.bitcast` from {name_dtype(given)} to {name_dtype(wanted)}: booleans have no bit representation",
            "use `ct.astype`")


def _describe_widths(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (given, wanted), (mine, theirs) = f.types, f.words
    return (f"`ct.bitcast` from {given} of {mine} bits to {wanted} of {theirs}",
            "cast to a type of the same width, or convert the value with `ct.astype`")


def _describe_packed_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} with {name_dtype(f.types[0])}: booleans cannot be packed",
            "convert them first: `ct.astype(t, ct.uint8)`")


def _describe_unpacked(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} of {name_dtype(f.types[0])}: it takes bytes", "convert it with `ct.pack_to_bytes` first"


def _describe_reduced(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of {name_dtype(f.types[0])}, which does not support arithmetic",
            "convert it first: `ct.astype(t, ct.float32)`")


def _describe_together(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    return (f"`ct.cat` of {a}{line(use.operands[0].made, file)} and {b}{line(use.operands[1].made, file)}",
            f"convert one of them: `ct.astype(t, ct.{a})`")


def _describe_inserted(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.types
    return f"{given} is inserted into a tile of {wanted}", f"convert it first: `ct.astype(t, ct.{wanted})`"


def _describe_carried_type(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.types
    return (f"`{use.op}` is {a} before the loop{line(use.operands[0].made, file)} and {b} at the end of an iteration",
            f"start with {b}, or convert it back in the loop: `ct.astype({use.op}, ct.{a})`")


_WORDS: Final[Mapping[str, Words]] = {
    "arithmetic": _describe_arithmetic,
    "promotion": _describe_promotion,
    "range": _describe_range,
    "truth": _describe_truth,
    "bits": _describe_bits,
    "shift": _describe_shift,
    "bits_differ": _describe_bits_differ,
    "only_fractions": _describe_only("floats"),
    "only_integers": _describe_only("integers and booleans"),
    "stored": _describe_stored,
    "number_stored": _describe_number_stored,
    "mask": _describe_mask,
    "index": _describe_index,
    "index_sign": _describe_index_sign,
    "atomic": _describe_atomic,
    "atomic_bits": _describe_atomic_bits,
    "rounding": _describe_rounding,
    "not_rounded": _describe_not_rounded,
    "bits_of_truth": _describe_bits_of_truth,
    "widths": _describe_widths,
    "packed_truth": _describe_packed_truth,
    "unpacked": _describe_unpacked,
    "reduced": _describe_reduced,
    "together": _describe_together,
    "inserted": _describe_inserted,
    "carried": _describe_carried_type,
}


RULE: Final = Rule(
    code=CODE,
    name="tile-dtype",
    summary="a tile whose element type does not match its use",
    severity="error",
    mypy="tile-dtype",
    kernel=report_kernel,
)

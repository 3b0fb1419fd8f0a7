"""TC110 unowned-array: a dialect kernel takes an array that is neither `Mut` nor `Ref`.

## What it does

Reports an array parameter of a kernel under `@tilecheck_runtime.kernel` whose annotation does not state who owns it:

* an annotation other than `Mut`, `Ref` and `Shared`;
* one without the element type, or without the extent of each axis;
* a `Mut` that leaves an extent of its pieces open.

## Why is this bad?

The ownership dialect divides an output into pieces, so that blocks write disjoint pieces. It only borrows inputs, so
that they do not change. Neither holds for an array without an owner, in the kernel or at a launch: two blocks may
write one element, or one block may read an element that another one writes. Either is a data race and undefined
behaviour by the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)).

## Example

```python
from __future__ import annotations

import cuda.tile as ct
from tilecheck_runtime import Dyn, Ref, f32, kernel


@kernel
def copy(z: ct.Array, x: Ref[f32, Dyn]) -> None:  # error: TC110
    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))
```

## Use instead

```python
from __future__ import annotations

from typing import TypeVar

from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def copy(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))
```

## How to suppress it

`# tilecheck: allow[TC110] one block uses it` on the line or above the kernel, or `@unsafe("why")` on the kernel. Both
need a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.dialect.signature import MOST_AXES
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule

CODE: Final = "TC110"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """An error for each such parameter."""
    model = view.model
    written = {a.array.root for a in model.accesses if a.mode != "read"}
    for fault in model.ownership.faults:
        if fault.code == CODE:
            message, help_ = _WORDS[fault.how](fault.array, fault.array in written)
            yield Diagnostic(CODE, "error", message, fault.span, model.name, (), help_)


def _describe_annotated(array: str, written: bool) -> tuple[str, str]:
    return f"`{array}` is an array, but its annotation does not state who owns it", _fix(array, written)


def _describe_used(array: str, written: bool) -> tuple[str, str]:
    return f"`{array}` is used as an array, but nothing states who owns it", _fix(array, written)


def _fix(array: str, written: bool) -> str:
    kind, does = ("Mut", "writes") if written else ("Ref", "only reads")
    return f"annotate it `{array}: {kind}[dtype, extents]`: the kernel {does} it"


def _describe_bare(array: str, written: bool) -> tuple[str, str]:
    return (f"the annotation of `{array}` lacks the element type or the extent of an axis",
            f"write both: `{array}: Mut[f32, B]` for an output, `Ref[f32, Dyn]` for an input")


def _describe_open(array: str, written: bool) -> tuple[str, str]:
    return (f"the annotation of `{array}` leaves an extent of its pieces open, but a piece has fixed extents",
            "write a type variable instead of `Dyn`: its value comes from the partition")


def _describe_element(array: str, written: bool) -> tuple[str, str]:
    return (f"the annotation of `{array}` names a type of Python, but elements have a type of the device",
            f"write a type of the device first: `{array}: {'Mut[f32, B]' if written else 'Ref[f32, Dyn]'}`, or "
            "`i32`, `bool_`")


def _describe_extent(array: str, written: bool) -> tuple[str, str]:
    return (f"an extent in the annotation of `{array}` is neither a type variable nor a positive number",
            "write a type variable, whose value comes from the launch, or a number as `Literal[48]`")


def _describe_axes(array: str, written: bool) -> tuple[str, str]:
    return (f"`{array}` is annotated with more than {MOST_AXES} axes",
            f"merge axes of `{array}` on the host: `.reshape(...)`")


def _describe_rest(array: str, written: bool) -> tuple[str, str]:
    return (f"`{array}` takes any number of arguments, but a kernel has a fixed number of parameters",
            "write them out: `x: Ref[f32, Dyn], y: Ref[f32, Dyn]`")


_WORDS: Final[Mapping[str, Callable[[str, bool], tuple[str, str]]]] = {
    "annotated": _describe_annotated,
    "used": _describe_used,
    "bare": _describe_bare,
    "open": _describe_open,
    "element": _describe_element,
    "extent": _describe_extent,
    "axes": _describe_axes,
    "rest": _describe_rest,
}


RULE: Final = Rule(
    code=CODE,
    name="unowned-array",
    summary="a dialect kernel takes an array that is neither `Mut` nor `Ref`",
    severity="error",
    mypy="tile-ownership",
    kernel=report_kernel,
)

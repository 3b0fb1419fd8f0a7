"""TC303 padding-dtype: a padding value that the element type does not have.

## What it does

Reports a load, or a gather, with a padding value that the element type of the array does not have: infinity or NaN
for integers, infinity for `float8_e4m3fn`, zero for `float8_e8m0fnu`.

The element type is known if the kernel uses the elements as indices, or if a seen launch passes an array that the
host allocates with a `dtype`.

## Why is this bad?

The padding has a different value than the kernel expects. The maximum over a tile of integers that is padded with
"negative infinity" is not the maximum of its elements.

## Example

```python
import cuda.tile as ct
import torch


@ct.kernel
def largest(counts, o, T: ct.Constant[int]):
    t = ct.load(counts, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)  # error: TC303
    ct.store(o, (ct.bid(0), 0), ct.max(t, axis=1, keepdims=True))


def run(stream, rows, columns):
    counts = torch.zeros((rows, columns), dtype=torch.int32)
    o = torch.zeros((rows, 1), dtype=torch.int32)
    ct.launch(stream, (rows,), largest, (counts, o, 128))
```

## Use instead

Pad with a value of the type, and replace the lanes outside with the value that the operation needs:

```python
import cuda.tile as ct
import torch


@ct.kernel
def largest(counts, o, T: ct.Constant[int]):
    t = ct.load(counts, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.ZERO)
    inside = ct.arange(T, dtype=ct.int32) < counts.shape[1]
    t = ct.where(inside[None, :], t, -2147483648)
    ct.store(o, (ct.bid(0), 0), ct.max(t, axis=1, keepdims=True))


def run(stream, rows, columns):
    counts = torch.zeros((rows, columns), dtype=torch.int32)
    o = torch.zeros((rows, 1), dtype=torch.int32)
    ct.launch(stream, (rows,), largest, (counts, o, 128))
```

## How to suppress it

`# tilecheck: allow[TC303] why the value is right` on the line or above the kernel, or `@unsafe("why")` on the kernel.
Both need a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.dtypes import BOOL, F4E2M1, F8E4M3, F8E5M3, F8E8M0, INTEGERS
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Array, Load, atoms_in
from tilecheck.syntax.tree import Span

CODE: Final = "TC303"

_VALUES: Final[Mapping[str, str]] = {
    "NAN": "NaN", "POS_INF": "infinity", "NEG_INF": "negative infinity", "NEG_ZERO": "negative zero", "ZERO": "zero",
}
_INTEGERS_LACK: Final = frozenset({"NAN", "POS_INF", "NEG_INF", "NEG_ZERO"})
_LACKS: Final[Mapping[str, frozenset[str]]] = {
    **{t.name: _INTEGERS_LACK for t in (BOOL, *INTEGERS)},
    **dict.fromkeys(("bool", "int", "long", "short"), _INTEGERS_LACK),
    F8E4M3.name: frozenset({"POS_INF", "NEG_INF"}),
    F8E5M3.name: frozenset({"POS_INF", "NEG_INF", "NEG_ZERO"}),
    F8E8M0.name: frozenset({"POS_INF", "NEG_INF", "ZERO", "NEG_ZERO"}),
    F4E2M1.name: frozenset({"NAN", "POS_INF", "NEG_INF"}),
    f"{F4E2M1.name}_x2": frozenset({"NAN", "POS_INF", "NEG_INF"}),
}
"""Padding modes whose value an element type does not have, by the name that a host library has for it."""


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """An error for each load whose padding its array cannot hold, according to what the kernel does with the elements
    or to what a seen launch passes."""
    model, launches = view.model, view.launches
    integers = _used_as_index(model)
    seen: set[tuple[Span, Array]] = set()
    for a in model.accesses:
        if not a.padding or (a.span, a.array) in seen:
            continue
        found = _find_in_kernel(a, integers) or _find_annotation(a, model) or _find_at_launch(a, model, launches)
        if found is not None:
            seen.add((a.span, a.array))
            what, notes, dtype = found
            message = f"{what}, which have no {_VALUES[a.padding]} to pad with"
            proposal = None if model.dialect else Proposal((a.padding, dtype))
            yield Diagnostic(CODE, "error", message, a.span, model.name, notes, _help(a, model), proposal=proposal)


def _used_as_index(model: KernelModel) -> Mapping[Array, Access]:
    """Arrays whose elements are indices, so integers, each with the access that uses them."""
    out: dict[Array, Access] = {}
    for a in model.accesses:
        for atom in sorted(atoms_in(*a.region.index)):
            if isinstance(atom, Load):
                out.setdefault(atom.array, a)
    return out


_Found: TypeAlias = tuple[str, tuple[Note, ...], str]
"""The contents of an array in words, notes, and the element type, which is empty if only known to be an integer."""


def _find_in_kernel(a: Access, integers: Mapping[Array, Access]) -> _Found | None:
    use = integers.get(a.array)
    if use is None or a.padding not in _INTEGERS_LACK:
        return None
    return f"`{a.array}` holds integers", (Note("its elements are used as indices here", use.span),), ""


def _find_annotation(a: Access, model: KernelModel) -> _Found | None:
    """Where the parameter of a dialect kernel says what its elements are."""
    dtype = dict(model.ownership.dtypes).get(a.array.text)
    if dtype is None or a.padding not in _LACKS.get(dtype.name, ()) or a.array.text in model.ownership.mutable:
        return None
    span = next((p.span for p in model.params if p.name == a.array.text), None)
    notes = () if span is None else (Note(f"{dtype} from the annotation of `{a.array}`", span),)
    return f"`{a.array}` holds {dtype} elements", notes, dtype.name


def _find_at_launch(a: Access, model: KernelModel, launches: Sequence[Launch]) -> _Found | None:
    names = [p.name for p in model.params]
    if a.array.text not in names:
        return None
    place = names.index(a.array.text)
    for launch in launches:
        if launch.arguments is not None and place < len(launch.arguments):
            dtype = launch.arguments[place].dtype
            if dtype is not None and a.padding in _LACKS.get(dtype, frozenset()):
                note = Note(f"it is passed an array of {dtype} here", launch.span)
                return f"`{a.array}` holds {dtype} elements", (note,), dtype
    return None


def _help(a: Access, model: KernelModel) -> str:
    if model.dialect:
        return (f"pad it with another value: `{a.array}.padded(ct.PaddingMode...)`" if a.padding == "ZERO" else
                "leave `padded` out, which pads with zero, and replace the lanes outside of "
                f"`{a.array}` with `ct.where`")
    if a.padding == "ZERO":
        return f"load `{a.array}` as bytes, or replace the lanes outside with `ct.where`"
    return (f"load `{a.array}` with padding_mode=ct.PaddingMode.ZERO and replace the lanes outside with `ct.where`"
            if a.op != "gather" else f"gather from `{a.array}` with a padding_value of its own type")


RULE: Final = Rule(
    code=CODE,
    name="padding-dtype",
    summary="a padding value that the element type does not have",
    severity="error",
    mypy="tile-padding",
    fixes=("integer_padding",),
    kernel=report_kernel,
)

"""TC301 undefined-padding: a reduction, scan, product or store uses padding whose value is unspecified.

## What it does

Reports a reduction, a scan, a matrix product, an index, a condition, an atomic or a store that uses lanes of a tile
which lie outside the array it was loaded from, if the load does not specify the value of such lanes.

The checker follows the lanes through the kernel. A load is harmless if a mask is applied with `ct.where`, if a store
clips the same lanes, or if the tile always lies inside the array. Adding a large negative number, or multiplying by a
mask of zeros, does not help: `0 * NaN` is `NaN`.

The finding is located at the first use, and names the conditions on the launch under which no lane outside is used. It
is a warning if a launch may break them, and an error if every launch breaks them or a seen launch was executed with
such a lane. Two conditions are part of the kernel's contract and are not reported: that arrays which are copied into
each other have equal extents, and that loops stay inside arrays.

Where launches are seen, a condition is only reported if something says that ragged sizes come: a number of tiles or
blocks that is rounded up, a tile that is rounded up to a power of two, a mask or a padding mode elsewhere for the same
axis, or host code that takes any size. Otherwise it is a clause of the contract, which `tilecheck contract` prints.

## Why is this bad?

Without a padding mode the value of these lanes is unspecified (`ct.PaddingMode.UNDETERMINED`). It differs from one
GPU to the next, and may be NaN. The kernel is right for sizes that the tile divides, and for other sizes only on some
machines.

## Example

If `T > x.shape[1]`, the maximum includes lanes without an element:

```python
import cuda.tile as ct


@ct.kernel
def softmax(x, o, T: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, T))
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))  # error: TC301
    ct.store(o, (i, 0), e / ct.sum(e, axis=1, keepdims=True))
```

The weights of the last keys are zero, but the values that they are multiplied with are still undefined:

```python
import cuda.tile as ct


@ct.kernel
def weighted(p, v, o, tm: ct.Constant[int], tn: ct.Constant[int], td: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((tm, td), ct.float32)
    for j in range(ct.num_tiles(p, 1, (tm, tn))):
        weights = ct.load(p, (i, j), (tm, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(weights, ct.load(v, (j, 0), (tn, td)), acc)  # error: TC301
    ct.store(o, (i, 0), acc)
```

## Use instead

Specify the padding: use the identity of the operation that combines the lanes.

```python
import cuda.tile as ct


@ct.kernel
def softmax(x, o, T: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(o, (i, 0), e / ct.sum(e, axis=1, keepdims=True))
```

Or replace the lanes before they are combined, or declare that there are none:

```python
import cuda.tile as ct
from tilecheck import requires


@ct.kernel
def masked(x, o, T: ct.Constant[int]):
    i = ct.bid(0)
    inside = ct.arange(T, dtype=ct.int32) < x.shape[1]
    row = ct.where(inside[None, :], ct.load(x, (i, 0), (1, T)), 0.0)
    ct.store(o, (i, 0), ct.sum(row, axis=1, keepdims=True))


@requires("x.shape[1] % T == 0")
@ct.kernel
def whole_tiles(x, o, T: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.zeros((1, 1), ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        total = total + ct.sum(ct.load(x, (i, k), (1, T)), axis=1, keepdims=True)
    ct.store(o, (i, 0), total)
```

An element-wise kernel needs no padding, as long as its store clips the lanes that its load padded:

```python
import cuda.tile as ct


@ct.kernel
def exponential(x, o, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(o, (i,), ct.exp(ct.load(x, (i,), (T,))))
```

## How to suppress it

`# tilecheck: allow[TC301] why the lanes do not matter` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Declare a condition on sizes with `@requires` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilecheck.contracts import render
from tilecheck.diagnostics import Diagnostic, Note, Proposal, Severity
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.poison.sources import Observation
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.padding_examples import PaddingExample, find_padding_example
from tilecheck.rules.messages.reasons import reason_text
from tilecheck.rules.messages.wording import clause_list
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import EXTENTS, Array, GridDim, Item, Mod, Stride, atoms_of, disj
from tilecheck.symbolic.footprint import Clause

CODE: Final = "TC301"

_USES: Final[Mapping[str, str]] = {
    "store": "the store to `{0}`", "atomic": "the atomic update of `{0}`", "index": "an index",
    "branch": "a branch condition", "mask": "a mask", "mma": "the matrix product",
    "mma_scaled": "the matrix product", "matmul": "the matrix product", "sum": "the sum", "prod": "the product",
    "max": "the maximum", "min": "the minimum", "argmax": "the position of the maximum",
    "argmin": "the position of the minimum", "reduce": "the reduction", "cumsum": "the running sum",
    "cumprod": "the running product", "scan": "the scan",
}
_NEUTRAL: Final[Mapping[str, str]] = {
    "max": "NEG_INF", "argmax": "NEG_INF", "min": "POS_INF", "argmin": "POS_INF",
}
_NONE: Final = frozenset({"prod", "cumprod", "reduce", "scan"})
"""Uses for which no padding mode is neutral."""
_PRODUCTS: Final = frozenset({"mma", "mma_scaled", "matmul"})
_OWN: Final = frozenset({"branch", "store"})
"""Uses in which only the author knows what such a lane should be."""


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    array, why = s.access.array, reason_text(s.reason)
    telling = [(use, found) for use, clauses in s.uses if (found := [c for c in clauses if c in s.clauses])]
    o, clauses = next(iter(telling if telling else s.uses), (None, ()))
    if o is None:
        return Diagnostic(
            CODE, "note", f"could not prove that nothing outside `{array}` is used: {why}", s.access.span, model.name,
            (), _help(array, "sum"))
    semantic = tuple(dict.fromkeys(c for c in (*clauses, *(c for _, found in telling for c in found))
                                   if c.kind == "semantic"))
    severity: Severity = "error" if s.verdict == "refuted" else "warning" if semantic else "note"
    what = _use(o)
    notes: list[Note] = []
    if o.span != s.access.span:
        notes.append(Note(f"the tile of `{array}` is loaded here, without a padding mode", s.access.span))
    example = find_padding_example(s, model, o, tuple(
        c.cond for c in clauses if c.kind == "semantic" and c.cond is not None))
    if example is not None:
        notes.append(Note(_in_numbers(o, model, example)))
    if severity == "note":
        message = f"could not prove that {what} uses no lane of the tile that lies outside `{array}`: {why}"
    else:
        message = (f"{what} uses lanes of the tile loaded from `{array}` that lie outside it and have an unspecified "
                   "value")
        if s.verdict != "refuted":
            message += f", unless {clause_list(tuple(dict.fromkeys(_clause_text(c) for c in semantic)))}"
    witness = example.witness if example is not None and severity == "error" else None
    feeds_product = o.how in _NEUTRAL and _feeds_product(o, model)
    proposal = Proposal(
        () if o.how in _NONE | _OWN or feeds_product else (_NEUTRAL.get(o.how, "ZERO"),),
        tuple(c.text for c in semantic) if severity == "warning" else (), s.access.span, o.undefined.edge.axis)
    return Diagnostic(
        CODE, severity, message, o.span, model.name, tuple(notes),
        _help(array, o.how, feeds_product), witness, proposal)


def _clause_text(clause: Clause) -> str:
    """The clause without the flags that it is conditional on."""
    c = clause.cond
    if c is None or c.op != "or":
        return clause.text
    told = [p for p in c.args if isinstance(p.term.single, Mod) or any(
        isinstance(a, (*EXTENTS, Stride, GridDim, Item)) for a in atoms_of(p))]
    return render(disj(*told)) if told else clause.text


def _use(o: Observation) -> str:
    text = _USES.get(o.how, "an operation").format(o.detail)
    if o.how == "index" and o.detail:
        return f"an index into `{o.detail}`"
    return f"{text} over {o.detail}" if o.detail.startswith(("axis", "axes", "all")) else text


def _feeds_product(o: Observation, model: KernelModel) -> bool:
    """Whether the tile is an operand of a matrix product before it is used: there an infinity becomes NaN."""
    return any(p.undefined.edge.source == o.undefined.edge.source and p.how in _PRODUCTS
               for p in model.paddings.observations)


def _help(array: Array, how: str, feeds_product: bool = False) -> str:
    if feeds_product:
        return (f"load `{array}` with padding_mode=ct.PaddingMode.ZERO, and replace the lanes outside by the identity "
                "of the operation with `ct.where` before it: the tile feeds a product, in which an infinity becomes "
                "NaN")
    if how in _NONE:
        return (f"replace the lanes outside `{array}` by the identity of the operation with `ct.where`, or load with "
                "padding_mode=ct.PaddingMode.ZERO where that is 0")
    return f"load `{array}` with padding_mode=ct.PaddingMode.{_NEUTRAL.get(how, 'ZERO')}"


def _in_numbers(o: Observation, model: KernelModel, example: PaddingExample) -> str:
    """The example in words."""
    edge = o.undefined.edge
    scalars = ", ".join(f"{n} = {v}" for n, v in example.witness.scalars)
    axis = f" along axis {edge.axis}" if dict(model.ranks).get(edge.array, 1) > 1 else ""
    where = f"with {scalars}, " if scalars else ""
    last = (f"the last one of `{edge.array}` is {example.extent - 1}" if example.extent else
            f"`{edge.array}` has none")
    return f"{where}lane {example.lane} of the tile{axis} would be element {example.element}, and {last}"


RULE: Final = Rule(
    code=CODE,
    name="undefined-padding",
    summary="a reduction, scan, product or store uses padding whose value is unspecified",
    severity="error",
    mypy="tile-padding",
    residual=True,
    fixes=("padding", "declaration"),
    obligation=report_obligation,
)

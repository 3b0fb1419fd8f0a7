"""TC204 slice-range: a slice that extends outside its array.

## What it does

Reports `array.slice(axis, start, stop)` if `0 <= start <= stop <= extent` is false in every launch that takes the
slice: in all blocks, or in the first or the last one. The finding shows values for which it is false. If only some
launches make it false and the bounds are equal in all blocks, the condition is a clause of the kernel's contract, and
seen launches are checked against it.

`ct.extract(tile, index, shape)` and `ct.insert` select a part of a tile in the same way, from `index * shape` to
`(index + 1) * shape`. The compiler does not check an index that is computed while the kernel runs, and what lies
outside the tile is undefined. The conditions are the same, and the array of the obligation is `tile`.

Each statement that slices an array or selects a part of a tile has an obligation of kind `slice` in the JSON report. A
slice that depends on loaded values, or differs from block to block in a way that the checker cannot follow, is
`unproven`, and so is its kernel. That is an error only with `--strict`. The [sanitizer](../sanitizer.md) checks every
slice that is executed.

## Why is this bad?

Neither the compiler nor the kernel checks a slice. A slice that extends outside the array selects other memory, and
accesses through it are only checked against the bounds of the slice. Unlike in Python, negative bounds do not count
from the end.

## Example

```python
import cuda.tile as ct


@ct.kernel
def tail(src, dst, T: ct.Constant[int]):
    last = src.slice(0, -T, src.shape[0])  # error: TC204
    ct.store(dst, (0,), ct.load(last, (0,), (T,)))
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def tail(src, dst, T: ct.Constant[int]):
    last = src.slice(0, src.shape[0] - T, src.shape[0])
    ct.store(dst, (0,), ct.load(last, (0,), (T,)))
```

## How to suppress it

`# tilecheck: allow[TC204] why the slice is inside` on the line or above the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.interp.kernel.source_names import spell_term, spelling
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.obligation import DecidedSlice, SliceFault
from tilecheck.rules.messages.reasons import name_slice, reason_text
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import UNKNOWN_ARRAY, Atom, GridDim, Term, atoms_in
from tilecheck.symbolic.evaluate import evaluate

CODE: Final = "TC204"

_UNCHECKED: Final = Note("nothing checks a slice when the kernel runs")
_NO_CHECK: Final = Note("nothing checks the index of a part when the kernel runs")
_PART_HELP: Final = "select one of the parts inside the tile: an index counts parts, from 0"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """An error for each slice that is wrong in every launch, and a note for each of which nothing is proved."""
    for s in view.proof.slices:
        if s.fault is not None:
            yield _describe_fault(s, s.fault, view.model.name)
        elif s.verdict == "unproven":
            message = f"{name_slice(s.array)}: {reason_text(s.reason)}"
            part = s.array is UNKNOWN_ARRAY
            yield Diagnostic(CODE, "note", message, s.span, view.model.name, (_NO_CHECK if part else _UNCHECKED,),
                             "clamp its index in the kernel: `min(index, parts - 1)`, `max(index, 0)`" if part else
                             "clamp its ends in the kernel: `min(stop, extent)`, `max(start, 0)`")




_HELP: Final[Mapping[str, str]] = {
    "below": "begin at 0 or later: a negative bound does not count from the end",
    "reversed": "pass the smaller of the two ends first",
    "beyond": "stop at `{extent}`",
}


def _describe_fault(settled: DecidedSlice, fault: SliceFault, kernel: str) -> Diagnostic:
    s, scalars = fault.use, dict(fault.scalars)
    env: dict[Atom, int] = {a: scalars[a] for a in atoms_in(s.start, s.stop, s.extent) if a in scalars}
    env.update(fault.coordinates)
    given = [f"{spelling.atom(a)} = {v}" for a, v in fault.coordinates]
    given += [f"{a.key} = {v}" for a, v in fault.scalars if not isinstance(a, GridDim)]
    numbers = " to ".join(_value(t, env) for t in (s.start, s.stop))
    selects = f"it selects the elements {numbers} of {_value(s.extent, env)}"
    note = Note(f"with {', '.join(given)} {selects}" if given else selects)
    severity: Severity = "error" if settled.certain else "warning"
    if s.array is UNKNOWN_ARRAY:
        return Diagnostic(
            CODE, severity, reason_text(settled.reason), s.span, kernel, (note, _NO_CHECK), _PART_HELP)
    return Diagnostic(CODE, severity, reason_text(settled.reason), s.span, kernel, (note, _UNCHECKED),
                      _HELP[fault.what].format(**_texts(fault)))


def _texts(fault: SliceFault) -> dict[str, str]:
    s = fault.use
    return {"start": _text(s.start), "stop": _text(s.stop), "extent": _text(s.extent)}


def _text(t: Term) -> str:
    return spell_term(t) if t.constant is None else str(t.constant)


def _value(t: Term, env: dict[Atom, int]) -> str:
    try:
        return str(evaluate(t, env))
    except (KeyError, ArithmeticError):
        return _text(t)


RULE: Final = Rule(
    code=CODE,
    name="slice-range",
    summary="a slice that extends outside its array",
    severity="error",
    mypy="tile-bounds",
    residual=True,
    kernel=report_kernel,
)

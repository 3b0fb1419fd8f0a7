"""TC408 launch-arguments: a wrong number or kind of arguments at a launch.

## What it does

Reports a seen launch, runs of a tuner included, with wrong arguments:

* a wrong number of arguments, or arguments that are passed by keyword;
* an argument of a kind that the parameter does not accept: an array for a constant, a number for an array, a list for
  one array, `None` or a string for any parameter;
* a grid that is not a tuple, that has more than three components, or that has a component of type float.

Only certain errors are reported. A value that may be of the right kind is accepted, and so is a launch of one of
several kernels.

For a call of a dialect kernel, the rule reports too many or too few arguments, a tensor for an output, a partition
for an input, an element type or a rank other than declared, and an operation that has not run.

## Why is this bad?

The launch raises an exception, and often not in the tests: in the default next to the tuned kernel, in the branch for
another data type, or in the configuration that the tuner tries last.

## Example

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, n: int, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.gather(src, offsets) * 2, mask=offsets < n)


def doubled(x):
    out = torch.empty_like(x)
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(torch.cuda.current_stream(), grid, double, (x, out, 128))  # error: TC408
    return out
```

## Use instead

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, n: int, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.gather(src, offsets) * 2, mask=offsets < n)


def doubled(x):
    out = torch.empty_like(x)
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(torch.cuda.current_stream(), grid, double, (x, out, x.shape[0], 128))
    return out
```

## How to suppress it

`# tilecheck: allow[TC408] why the launch is right` on the line of the launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.read_write_sets import find_accessed
from tilecheck.interp.kernel.access import KernelModel, Param
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.messages.host import finding
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import ArrayParam
from tilecheck.syntax.tree import Span

CODE: Final = "TC408"

_FAULTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType({
    "grid-kind": ("the grid of this launch is {what}: it must be a tuple",
                  "write `(blocks,)`, `(x, y)` or `(x, y, z)`"),
    "grid-rank": ("the grid of this launch has {what} components: a grid has at most three",
                  "merge two axes into one and separate them in the kernel with `//` and `%`"),
    "grid-float": ("component {what} of the grid of this launch is a float", "use `ct.cdiv(n, T)` or `n // T`"),
    "arguments-kind": ("the arguments of this launch are {what}: they must be a tuple", "write `(a, b, c)`"),
    "keyword": ("`ct.launch` takes no keyword `{what}`: arguments of the kernel are passed by position in a tuple",
                "pass the argument in the tuple, at the position of the parameter"),
})
_EXPECTED: Final = MappingProxyType({
    "array": "an array", "list": "a list of arrays", "constant": "a compile-time constant", "scalar": "a number"})


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """An error for each argument that a launch certainly gets wrong; one that may be right is not reported."""
    model = view.model
    for launch in view.launches:
        yield from _shape(model, launch)
        if launch.arguments is None or not launch.certain:
            continue
        if len(launch.arguments) != len(model.params):
            if not any(fault == "keyword" for fault, _ in launch.faults):
                yield _count(model, launch, launch.arguments)
            continue
        for param, argument in zip(model.params, launch.arguments, strict=True):
            given = _mismatch(param, argument)
            if given is not None and not _stands_in(model, launch, param, given):
                yield _kind(model, param, argument, given)


def _stands_in(model: KernelModel, launch: Launch, param: Param, given: str) -> bool:
    """Whether a number stands for an array in a variant of the kernel that leaves the array alone."""
    return (
        given in _STAND_INS and param.kind in ("array", "list") and not find_accessed(
            model, launch).uses(ArrayParam(param.name))
    )


def _shape(model: KernelModel, launch: Launch) -> Iterator[Diagnostic]:
    for fault, what in launch.faults:
        message, fix = _FAULTS[fault]
        yield _diagnostic(model, message.format(what=what), launch.span, fix)


def _count(model: KernelModel, launch: Launch, arguments: Sequence[Argument]) -> Diagnostic:
    have, need = len(arguments), len(model.params)
    names = [p.name for p in model.params]
    if have < need:
        missing = ", ".join(f"`{n}`" for n in names[have:])
        fix = f"pass {missing} too"
    else:
        fix = f"pass `({', '.join(names)})` and nothing else"
    verb = "is" if have == 1 else "are"
    many = "argument" if need == 1 else "arguments"
    message = f"`{model.name}` takes {need} {many}, and {have} {verb} passed"
    return _diagnostic(model, message, launch.span, fix)


def _kind(model: KernelModel, param: Param, argument: Argument, given: str) -> Diagnostic:
    expected = _EXPECTED.get(param.kind)
    if expected is None:
        message = f"`{argument.text}` is passed as `{param.name}`: {given} cannot be passed to a kernel"
        fix = "pass an array, an int, a float or a bool"
    else:
        message = f"`{argument.text}` is passed as `{param.name}`: {given}, where `{model.name}` takes {expected}"
        fix = f"pass {expected} as `{param.name}`"
    return _diagnostic(model, message, argument.span, fix)


def _diagnostic(model: KernelModel, message: str, span: Span, fix: str) -> Diagnostic:
    return Diagnostic(CODE, "error", message, span, model.name, (Note("the kernel is here", model.name_span),), fix)


_NEVER: Final = MappingProxyType({"None": "None", "str": "a string"})
_NUMBERS: Final = MappingProxyType({"int": "an int", "float": "a float", "bool": "a bool"})
_STAND_INS: Final = frozenset(_NUMBERS.values())


def _mismatch(param: Param, argument: Argument) -> str | None:
    """The kind of an argument, if the parameter certainly does not accept it."""
    if argument.options:
        found = [_mismatch(param, option) for _, option in argument.options]
        return found[0] if all(found) else None
    literal = argument.literal or ""
    if literal in _NEVER:
        return _NEVER[literal]
    if literal in _NUMBERS:
        return _NUMBERS[literal] if param.kind in ("array", "list") else None
    if argument.kind == "array":
        return "an array" if param.kind in ("constant", "scalar", "list") else None
    if argument.kind == "list" and argument.literal == "list":
        return "a list" if param.kind in ("array", "constant", "scalar") else None
    return None


def report_event(event: Event) -> Diagnostic:
    """Of a launch through the runtime."""
    if event.kind == "count":
        many = "argument" if event.what == "1" else "arguments"
        return finding(event, f"`{event.kernel}` takes {event.what} {many} ({event.subject}): {event.other}")
    place = f"`{event.use}` of `{event.kernel}`"
    return finding(event, f"`{event.subject}` is passed as {place}: that is {event.what}, not {event.other}")


RULE: Final = Rule(
    code=CODE,
    name="launch-arguments",
    summary="a wrong number or kind of arguments at a launch",
    severity="error",
    mypy="tile-launch",
    kernel=report_kernel,
    event=report_event,
)

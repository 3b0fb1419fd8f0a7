"""The arguments of a launch through the runtime: their number and their kinds."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from tilecheck.dtypes import DTYPES
from tilecheck.interp.kernel.dialect.signature import Parameter
from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.handles import as_handle, constants
from tilecheck.interp.ownership.objects import (
    Array,
    Flight,
    Handle,
    HandleKind,
    Listing,
    Literal_,
    Number,
    Operation,
    Row,
    Unknown,
    Value,
)
from tilecheck.interp.ownership.signatures import Callee
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["Given", "bind_arguments", "dtype_text"]



def dtype_text(dtype: str) -> str:
    """An element type as the runtime calls it."""
    known = DTYPES.get(dtype)
    return dtype if known is None else known.short or dtype


class Given:
    """Arguments by parameter.

    wrong  whether an event about them was reported
    """

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.handles: dict[str, Handle] = {}
        self.texts: dict[str, str] = {}
        self.spans: dict[str, Span] = {}
        self.wrong = False


def bind_arguments(
    m: Machine, callee: Callee, args: list[Value], named: dict[str, Value], node: ast.Call
) -> Given | None:
    """The arguments of a call, checked one by one; None if the argument list is unknown."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return None
    out = Given()
    names = [p.name for p in callee.parameters]
    if len(args) > len(names):
        _count(m, callee, out, node, f"{len(args)} are passed", f"leave out the last {len(args) - len(names)}")
        return out
    nodes = dict(zip(names, node.args, strict=False))
    out.values = dict(zip(names, args, strict=False))
    for keyword in node.keywords:
        name = keyword.arg or ""
        if name not in names:
            _count(m, callee, out, node, f"it has none named `{name}`", f"leave out `{name}=...`")
            return out
        if name in out.values:
            _count(m, callee, out, node, f"`{name}` is passed twice", f"leave out `{name}=...`")
            return out
        out.values[name], nodes[name] = named[name], keyword.value
    missing = [name for name in names if name not in out.values]
    if missing:
        listed = " and ".join(f"`{name}`" for name in missing)
        verb = "is" if len(missing) == 1 else "are"
        _count(m, callee, out, node, f"{listed} {verb} missing", f"pass {listed} as well")
        return out
    for parameter in callee.parameters:
        at = nodes[parameter.name]
        out.texts[parameter.name], out.spans[parameter.name] = _text(at), m.span(at)
        _look(m, callee, parameter, out)
    return out


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _count(m: Machine, callee: Callee, out: Given, node: ast.Call, what: str, fix: str) -> None:
    out.wrong = True
    names = ", ".join(p.name for p in callee.parameters)
    m.report(Event("TC408", "count", m.span(node), names, other=what, fix=fix, kernel=callee.name,
                   definition=callee.span, what=str(len(callee.parameters))))


_PARTITIONED: Final = re.compile(r"^(.+)\.partition\([^()]*\)$")

_KINDS: Final[Mapping[str, tuple[str, tuple[HandleKind, ...], HandleKind]]] = {
    "mut": ("an output, which takes a partition", ("partition",), "partition"),
    "ref": ("an input, which takes a tensor", ("tensor", "shared tensor"), "tensor"),
    "shared": ("an accumulator, which takes a tensor that is not shared", ("tensor",), "tensor"),
}


def _look(m: Machine, callee: Callee, p: Parameter, out: Given) -> None:
    value = out.values[p.name]
    if p.kind in _KINDS:
        _array(m, callee, p, value, out)
    elif p.kind in ("constant", "scalar"):
        wanted = _NUMBERS["int" if p.kind == "constant" else p.number or "int"]
        what = wanted[1](value)
        if what is not None:
            _report_kind(
                m,
                callee,
                p,
                out,
                wanted[0] if p.kind == "scalar" else "a constant, which takes an integer",
                what,
                f"pass a number as `{p.name}`",
            )


def _array(m: Machine, callee: Callee, p: Parameter, value: Value, out: Given) -> None:
    wanted, kinds, default = _KINDS[p.kind]
    handle = as_handle(m, value, default, out.spans[p.name], True)
    if handle is None:
        what = _describe_kind(value)
        if what is not None:
            _report_kind(m, callee, p, out, wanted, what, _other_fix(value))
        return
    if handle.kind not in kinds:
        if isinstance(value, Unknown):
            return  # what it was taken for was a guess
        _report_kind(m, callee, p, out, wanted, f"a {handle.kind}", _fix(p, handle, out.texts[p.name]))
        return
    out.handles[p.name] = handle
    if handle.dtype is not None and p.dtype is not None and handle.dtype != p.dtype.name:
        _report_kind(m, callee, p, out, f"an array of {dtype_text(p.dtype.name)}", f"one of {dtype_text(handle.dtype)}",
               f"convert it: `.astype({dtype_text(p.dtype.name)})`")
    elif handle.shape is not None and len(handle.shape) != p.rank:
        axes = "axis" if p.rank == 1 else "axes"
        shape = constants(handle.shape)
        shown = f"one of shape {shape}" if shape is not None and None not in shape else f"one with {len(handle.shape)}"
        _report_kind(m, callee, p, out, f"an array with {p.rank} {axes}", shown,
               "give it the shape that the kernel asks for: `.reshape(...)`")


def _fix(p: Parameter, handle: Handle, text: str) -> str:
    if p.kind == "mut":
        tile = ", ".join(str(e.constant) if e is not None and e.constant is not None else "16" for e in p.extents)
        return f"divide it into pieces: `{text}.partition({tile})`"
    own = _PARTITIONED.match(text)
    if handle.kind == "partition" and own is not None:
        return f"pass `{own[1]}` itself: the kernel divides its inputs"
    if handle.kind == "partition":
        return f"put it together first: `{text}.unpartition()`"
    return f"take it back into one hand first: `{text}.unshare()`"


def _other_fix(value: Value) -> str:
    if isinstance(value, Operation):
        return "run it first: `.sync()`"
    if isinstance(value, Flight):
        return "wait for it first: `.wait()`"
    return "make a tensor of it: `tilecheck_runtime.from_numpy(...)` or `from_dlpack(...)`"


def _report_kind(m: Machine, callee: Callee, p: Parameter, out: Given, wanted: str, what: str, fix: str) -> None:
    out.wrong = True
    m.report(Event("TC408", "kind", out.spans[p.name], out.texts[p.name], p.name, wanted, other=what, fix=fix,
                   kernel=callee.name, definition=callee.span))


def _literal(value: Value) -> str | None:
    found = value.value if isinstance(value, Literal_) else None
    return "None" if found is None else f"a {type(found).__name__}"


_WHAT: Final[Mapping[type, Callable[[Value], str | None]]] = {
    Number: lambda v: "a number", Literal_: _literal, Row: lambda v: "a tuple", Listing: lambda v: "a list",
    Operation: lambda v: "an operation that has not run", Flight: lambda v: "a flight that was not waited for",
    Array: lambda v: "a tensor of torch",
}


def _not_int(value: Value) -> str | None:
    return _describe_kind(value) if not isinstance(value, Number | Unknown) else None


def _describe_kind(value: Value) -> str | None:
    if isinstance(value, Handle):
        return f"a {value.kind}"
    say = _WHAT.get(type(value))
    return None if say is None else say(value)


def _not_float(value: Value) -> str | None:
    number = isinstance(value, Literal_) and isinstance(value.value, float)
    return None if number or isinstance(value, Number | Unknown) else _describe_kind(value)


def _not_bool(value: Value) -> str | None:
    truth = isinstance(value, Literal_) and isinstance(value.value, bool)
    return None if truth or isinstance(value, Unknown) else _describe_kind(value)


_NUMBERS: Final[Mapping[str, tuple[str, Callable[[Value], str | None]]]] = {
    "int": ("a number of type int", _not_int), "float": ("a number of type float", _not_float),
    "bool": ("a number of type bool", _not_bool),
}

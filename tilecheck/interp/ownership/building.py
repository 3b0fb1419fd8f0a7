"""A call of a kernel of the dialect: an operation, once its arguments were looked at. Nothing runs yet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tilecheck.interp.host.launch import Argument as LaunchArgument
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.dialect.signature import Parameter
from tilecheck.interp.ownership.arguments import Given, bind_arguments
from tilecheck.interp.ownership.checks import check, move_handle
from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.handles import grid_of, term_of
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.objects import Argument, Handle, Hold, Number, Operation, Shape, Unknown, Value
from tilecheck.interp.ownership.region import meet
from tilecheck.interp.ownership.signatures import Callee
from tilecheck.symbolic import TRUE, Term, const
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["build", "change_grid", "record_launch"]

_REFUSED: Final = "refused"
_LONG: Final = 24


def build(m: Machine, callee: Callee, args: list[Value], named: dict[str, Value], node: ast.Call) -> Operation:
    """The operation; one of which nothing is known where something was wrong, so that nothing follows from it."""
    span = m.span(node)
    what = f"the launch of `{callee.name}`"
    operation = Operation(span, what, callee=callee, known=False)
    m.operations.append(operation)
    found = bind_arguments(m, callee, args, named, node)
    if found is None:
        escape(m, (*args, *named.values()))
        return operation
    if found.wrong:
        escape(m, (*args, *named.values()))
        operation.ended = (_REFUSED, span)
        return operation
    before = len(m.events)
    arguments = tuple(_argument(m, p, found) for p in callee.parameters if p.kind in ("mut", "ref", "shared"))
    operation.known = all(a is not None for a in arguments)
    operation.arguments = tuple(a for a in arguments if a is not None)
    _usable(m, callee, operation, found)
    _variables(m, callee, found, span)
    operation.given, operation.texts = found.values, {n: (found.texts[n], found.spans[n]) for n in found.texts}
    operation.grid = _infer_grid(m, callee, operation, span)
    _take(operation, span)
    if len(m.events) > before:
        operation.ended = (_REFUSED, span)
    elif operation.grid is not None:
        record_launch(m, operation)
    return operation


def _argument(m: Machine, p: Parameter, found: Given) -> Argument | None:
    handle = found.handles.get(p.name)
    return None if handle is None else Argument(handle, p.name, p.kind != "ref", found.texts[p.name])


def _usable(m: Machine, callee: Callee, operation: Operation, found: Given) -> None:
    """Says where one memory is passed twice, or may not be used now."""
    for one in operation.arguments:
        for other in operation.arguments:
            if one is other or not one.written or (other.written and other.name < one.name):
                continue
            shared = meet(one.handle.region, other.handle.region) if (
                one.handle.storage is other.handle.storage) else False
            if shared is not False:
                m.report(Event("TC401", "runtime", found.spans[other.name], other.text, one.text, one.name,
                               other=other.name, kernel=callee.name, definition=callee.span, sure=shared is True,
                               fix=f"pass a copy as `{other.name}`: `.copy()`, taken before the other one is "
                               "partitioned"), one.handle.storage)
    for argument in sorted(operation.arguments, key=lambda a: not a.written):
        check(m, argument.handle, "written" if argument.written else "read", found.spans[argument.name], argument.text)


def _take(operation: Operation, span: Span) -> None:
    """Moves the outputs into the operation."""
    for argument in operation.arguments:
        if argument.written and argument.handle.kind == "partition":
            name = operation.callee.name if operation.callee is not None else ""
            handle = argument.handle
            if handle.moved is None:
                move_handle(handle, span, operation.what,
                      f"use what the launch returned: `{argument.name} = {name}(...).sync()`")
            hold = Hold("partitioned", handle.region, span, f"{operation.what}, which has not run", operation,
                        argument.name)
            handle.storage.holds.append(hold)
            operation.holds.append(hold)


# --- what shapes must agree on ---------------------------------------------------------------------------------------

def _infer_extents(p: Parameter, found: Given) -> Shape:
    """The extents that an argument gives to the annotation of its parameter."""
    if p.kind == "constant":
        return None  # by its own name in the clauses
    handle = found.handles.get(p.name)
    return None if handle is None else handle.tile if p.kind == "mut" else handle.shape


def _variables(m: Machine, callee: Callee, found: Given, span: Span) -> dict[str, Term]:
    """Values of type variables, by the name they go by in clauses; says where two arguments give different ones."""
    values: dict[str, tuple[Term, str]] = {
        p.name: (t, f"`{p.name}`") for p in callee.parameters
        if p.kind == "constant" and (t := term_of(found.values.get(p.name))) is not None}
    for p in sorted(callee.parameters, key=lambda p: p.kind != "mut"):
        actual = _infer_extents(p, found)
        if actual is None:
            continue
        what = "pieces" if p.kind == "mut" else "shape"
        if len(actual) != len(p.extents):
            if p.kind == "mut":
                _differs(m, callee, p, found, f"`.partition(...)` gives {len(actual)} extents",
                         f"an array with {len(p.extents)} {'axis' if len(p.extents) == 1 else 'axes'}")
            continue
        for declared, extent in zip(p.extents, actual, strict=True):
            if declared is None:
                continue
            known, origin = values.get(declared.key, (None, "")) if declared.constant is None else (declared, "")
            if known is None:
                values[declared.key] = (extent, f"the {what} of `{p.name}`")
            elif (known - extent).constant not in (None, 0):
                text = (f"{declared.key} is {known.key} by {origin}" if origin else
                        f"`{p.name}` is declared with {known.key}")
                _differs(m, callee, p, found, f"its {what} {'have' if p.kind == 'mut' else 'has'} {extent.key}", text)
    return {name: term for name, (term, _) in values.items()}


def _differs(m: Machine, callee: Callee, p: Parameter, found: Given, have: str, want: str) -> None:
    handle = found.handles.get(p.name)
    m.report(Event("TC405", "extents", found.spans[p.name], found.texts[p.name], other=want, what=have,
                   fix="give both the same extent" if p.kind != "mut" else "partition it into pieces that agree",
                   kernel=callee.name, definition=callee.span), None if handle is None else handle.storage)


# --- the grid --------------------------------------------------------------------------------------------------------

def _text(grid: Shape) -> str:
    return f"({', '.join(t.key for t in grid or ())})"


def _shorten(argument: Argument) -> str:
    """An argument as it is written, or its parameter where that is long."""
    return argument.text if len(argument.text) <= _LONG else argument.name


def _differ(a: Shape, b: Shape) -> bool:
    """Whether two grids are certainly not the same."""
    return a is not None and b is not None and any((x - y).constant not in (None, 0) for x, y in zip(a, b, strict=True))


def _infer_grid(m: Machine, callee: Callee, operation: Operation, span: Span) -> Shape:
    """The grid that follows from the outputs."""
    outputs = [a for a in operation.arguments if a.written and a.handle.kind == "partition"]
    grids = [(a, grid_of(a.handle)) for a in outputs if not a.handle.prefix]
    for argument, grid in grids[1:]:
        first, wanted = grids[0]
        if _differ(grid, wanted):
            m.report(Event("TC405", "outputs", span, _shorten(first), other=_text(grid), what=_text(wanted),
                           use=_shorten(argument), kernel=callee.name, definition=callee.span,
                           fix="partition all outputs into the same number of pieces along each axis"),
                     argument.handle.storage)
    return grids[0][1] if grids and len(grids) == len(outputs) else None


def change_grid(m: Machine, operation: Operation, args: list[Value], node: ast.Call, span: Span) -> None:
    """`.grid(...)`"""
    from tilecheck.interp.ownership.objects import Row

    items = args[0].items if len(args) == 1 and isinstance(args[0], Row) else tuple(args)
    terms = [term_of(item) for item in items]
    known = [t for t in terms if t is not None]
    if len(known) != len(terms) or not 1 <= len(known) <= 3 or operation.callee is None:
        operation.grid = None
        return
    first, second, third = (*known, const(1), const(1))[:3]
    asked = (first, second, third)
    for argument in operation.arguments:
        handle = argument.handle
        wanted = grid_of(handle) if argument.written and handle.kind == "partition" else None
        if wanted is None:
            continue
        beyond = handle.prefix and any(((most - n).constant or 0) < 0 for n, most in zip(asked, wanted, strict=True))
        if beyond or (not handle.prefix and _differ(asked, wanted)):
            fix = (f"ask for at most `.grid{_text(wanted)}`" if beyond else
                   "leave `.grid(...)` out: it follows from the partition")
            m.report(Event("TC405", "room" if beyond else "grid", span, _shorten(argument), other=_text(asked),
                           what=_text(wanted), kernel=operation.callee.name, definition=operation.callee.span,
                           fix=fix), handle.storage)
            operation.ended = operation.ended or (_REFUSED, span)
            return
    if operation.grid is None or any(a.handle.prefix for a in operation.arguments):
        operation.grid = asked
        record_launch(m, operation)


# --- what the contract of the kernel is evaluated on -------------------------------------------------------------

def record_launch(m: Machine, operation: Operation) -> None:
    callee = operation.callee
    if callee is None or not operation.known or m.quiet or m.expecting:
        return
    arguments = tuple(_describe_argument(p, operation) for p in callee.parameters)
    first, second, third = operation.grid or (None, None, None)
    handles = {a.name: a.handle for a in operation.arguments}
    variables: dict[str, Term] = {}
    for p in callee.parameters:
        handle = handles.get(p.name)
        actual = None if handle is None else handle.tile if p.kind == "mut" else handle.shape
        for declared, extent in zip(p.extents, actual or (), strict=False):
            if declared is not None and declared.constant is None:
                variables.setdefault(declared.key, extent)
    m.launches.append(Launch(
        callee.key, (first, second, third), arguments, TRUE, operation.span, "operation", m.stack[0].qualname,
        variables=tuple(sorted(variables.items()))))


def _describe_argument(p: Parameter, operation: Operation) -> LaunchArgument:
    text, span = operation.texts[p.name]
    value = operation.given[p.name]
    handle = next((a.handle for a in operation.arguments if a.name == p.name), None)
    if handle is None:
        term = term_of(value) if isinstance(value, Number | Unknown) and p.kind in ("constant", "scalar") else None
        return LaunchArgument("scalar" if term is not None else "unknown", text, span, term)
    return LaunchArgument("array", text, span, shape=handle.shape, name=handle.storage.name,
                          dense=_is_contiguous(handle), strided=None if _is_contiguous(handle) else handle.storage.name)


def _is_contiguous(handle: Handle) -> bool:
    """Whether its elements are certainly contiguous in row-major order."""
    return handle.region.whole and not handle.readonly and not handle.storage.outside

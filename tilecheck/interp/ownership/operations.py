"""Operations and flights: running, waiting, putting together."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from tilecheck.interp.ownership.building import change_grid, record_launch
from tilecheck.interp.ownership.checks import check
from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.handles import hand_over
from tilecheck.interp.ownership.interpreter import Refused
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.objects import Argument, Flight, Graph, Handle, Hold, Literal_, Operation, Row, Value
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["FLIGHT_METHODS", "OPERATION_METHODS", "await_operation", "captured_graph", "never_run", "zip_operations"]

Apply = Callable[["Machine", Value, list[Value], dict[str, Value], ast.Call | None], Value]


def _end(m: Machine, operation: Operation, how: str, span: Span) -> bool:
    """Whether it could still be run; now it cannot any more."""
    before, operation.ended = operation.ended, operation.ended or (how, span)
    if before is None:
        return True
    if before[0] != "refused" and not operation.escaped:
        m.report(Event("TC402", "operation", span, operation.what, how, before[0], before[1],
                       fix="build it again from the tensors that the first run returned"))
    return False


def start(m: Machine, operation: Operation, span: Span, apply: Apply) -> Flight:
    """Starts an operation that was not run before."""
    if m.inside:
        m.report(Event("TC407", "nested", span, operation.what,
                       fix="return the operation without running it: `.then(lambda r: kernel(...))`"))
    if not _end(m, operation, "run", span):
        return Flight(operation, span, m.unknown("result"))
    try:
        return _begin(m, operation, span, apply)
    except Refused:
        operation.ended, operation.refused = None, True  # it can be run again
        raise


def _begin(m: Machine, operation: Operation, span: Span, apply: Apply) -> Flight:
    if operation.follow is not None:
        return _chain(m, operation, operation.follow, span, apply)
    flight = Flight(operation, span)
    if operation.parts is not None:
        with m.hold_values((flight,)):
            try:
                for part in operation.parts:
                    flight.parts.append(_begin(m, part, span, apply))
            except Refused:
                _land(m, flight, span)
                raise
        return flight
    if not operation.known:
        flight.result = m.unknown("result")
    for argument in operation.arguments:
        if not argument.written or argument.handle.kind != "partition":  # which it has already
            check(m, argument.handle, "written" if argument.written else "read", span, argument.text)
    for argument in operation.arguments:
        _hold(argument.handle, Hold("writing" if argument.written else "reading", argument.handle.region, span,
                                    operation.what, flight, argument.name))
    for hold in operation.holds:
        hold.ended = True
    if operation.grid is None:
        record_launch(m, operation)
    return flight


def _hold(handle: Handle, hold: Hold) -> None:
    handle.storage.holds.append(hold)
    if isinstance(hold.owner, Flight):
        hold.owner.holds.append((handle, hold))


def _chain(m: Machine, operation: Operation, follow: Value, span: Span, apply: Apply) -> Flight:
    """An operation and its follow-up as one flight: the storage that the first holds is held until the second ends."""
    out = Flight(operation, span)
    first = _begin(m, (operation.parts or ())[0], span, apply)
    held = _all_holds(first)
    result = _land(m, first, span)
    m.inside += 1
    try:
        with m.hold_values((out, result)):
            second = apply(m, follow, [result], {}, None)
    finally:
        m.inside -= 1
    if isinstance(second, Operation) and _end(m, second, "run", span):
        out.parts.append(_begin(m, second, span, apply))
        out.single = True
    else:
        out.result = m.unknown("result")
    for handle, hold in held:
        if isinstance(second, Operation):
            _hold(handle, Hold(hold.mode, hold.region, hold.span, hold.what, out, hold.name))
    return out


def _all_holds(flight: Flight) -> list[tuple[Handle, Hold]]:
    return [*flight.holds, *(pair for part in flight.parts for pair in _all_holds(part))]


def _land(m: Machine, flight: Flight, span: Span) -> Value:
    """End a flight. The result is its outputs."""
    flight.taken = span
    for _, hold in flight.holds:
        hold.ended = True
    results = [_land(m, part, span) for part in flight.parts]
    if flight.result is not None:
        return flight.result
    if flight.single:
        return results[0]
    if flight.operation.parts is not None:
        return Row(tuple(results))
    outputs = [a.handle for a in flight.operation.arguments if a.written and a.handle.kind == "partition"]
    back: list[Value] = [hand_over(handle, span) for handle in outputs]
    return back[0] if len(back) == 1 else Row(tuple(back)) if back else Literal_(None)


def wait(m: Machine, flight: Flight, span: Span) -> Value:
    """The result, which moves to the caller, once."""
    if flight.taken is None:
        return _land(m, flight, span)
    if not flight.escaped:
        m.report(Event("TC402", "result", span, flight.operation.what, "taken", "taken", flight.taken,
                       fix="keep it: `z = flight.wait()`"))
    return m.unknown("result")


# --- methods ---------------------------------------------------------------------------------------------------------

def _sync(m: Machine, operation: Operation, args: list[Value], node: ast.Call, apply: Apply) -> Value:
    span = m.span(node)
    return wait(m, start(m, operation, span, apply), span)


def _start(m: Machine, operation: Operation, args: list[Value], node: ast.Call, apply: Apply) -> Value:
    return start(m, operation, m.span(node), apply)


def _append_follow_up(m: Machine, operation: Operation, args: list[Value], node: ast.Call, apply: Apply) -> Value:
    span = m.span(node)
    fresh = _end(m, operation, "made part of a `then`", span)
    out = Operation(span, f"{operation.what} and its follow-up", parts=(operation,), known=False,
                    follow=args[0] if args else m.unknown("function"))
    out.escaped = operation.escaped
    if not fresh:
        out.ended = ("refused", span)
    m.operations.append(out)
    return out


def _grid(m: Machine, operation: Operation, args: list[Value], node: ast.Call, apply: Apply) -> Value:
    span = m.span(node)
    if operation.ended is not None and operation.ended[0] != "refused" and not operation.escaped:
        m.report(Event("TC402", "operation", span, operation.what, "given a grid", *operation.ended,
                       fix="give it the grid before it is run"))
    else:
        change_grid(m, operation, args, node, span)
    return operation


OPERATION_METHODS: Final[Mapping[str, Callable[[Machine, Operation, list[Value], ast.Call, Apply], Value]]] = {
    "sync": _sync, "start": _start, "then": _append_follow_up, "grid": _grid}

FLIGHT_METHODS: Final[Mapping[str, Callable[[Machine, Flight, Span], Value]]] = {
    "wait": wait, "done": lambda m, flight, span: m.unknown("done")}


def zip_operations(m: Machine, args: list[Value], span: Span) -> Value:
    """`zip(a, b)` of the runtime."""
    parts = [value for value in args if isinstance(value, Operation)]
    fresh = [_end(m, part, "made part of a `zip`", span) for part in parts]
    if len(parts) < len(args):
        escape(m, args)
        return m.unknown("operation")
    out = Operation(span, f"the `zip` of {' and '.join(part.what for part in parts) or 'nothing'}", parts=tuple(parts))
    if not all(fresh):
        out.ended = ("refused", span)
    m.operations.append(out)
    return out


def captured_graph(m: Machine, args: list[Value], span: Span) -> Value:
    """`graph(operation, ...)`: what the operations touch is the graph's as long as it lives."""
    out = Graph(span)
    for value in args:
        if not isinstance(value, Operation):
            escape(m, (value,))
            continue
        if not _end(m, value, "captured in a graph", span):
            continue
        for argument in _leaves(value):
            hold = Hold("graph", argument.handle.region, span, "the graph", out, argument.name)
            argument.handle.storage.holds.append(hold)
            out.holds.append(hold)
    return out


def _leaves(operation: Operation) -> list[Argument]:
    """All that an operation was given, parts included."""
    for hold in operation.holds:
        hold.ended = True
    return [*operation.arguments, *(a for part in operation.parts or () for a in _leaves(part))]


def await_operation(m: Machine, value: Value, span: Span, apply: Apply) -> Value | None:
    """The result of `await` for an operation or flight; None for any other value."""
    if isinstance(value, Operation):
        return wait(m, start(m, value, span, apply), span)
    return wait(m, value, span) if isinstance(value, Flight) else None


def never_run(m: Machine) -> list[tuple[Operation, bool]]:
    """The operations of a path that had their chance, each with whether it was run or may have been."""
    return [(o, o.ended is not None or o.escaped or o.refused) for o in m.operations]

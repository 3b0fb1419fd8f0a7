"""Calls: of kernels, of the runtime, of functions whose code is seen, of anything else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.ownership import attributes, containers, cuda
from tilecheck.interp.ownership.building import build
from tilecheck.interp.ownership.checks import check
from tilecheck.interp.ownership.handles import CREATED, METHODS, as_handle, partition_of, term_of
from tilecheck.interp.ownership.interpreter import DEPTH, Returned
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.names import literal
from tilecheck.interp.ownership.objects import (
    Blueprint,
    Bound,
    Coroutine,
    External,
    Flight,
    Handle,
    Instance,
    Kernel,
    Listing,
    Literal_,
    Number,
    Operation,
    Routine,
    Row,
    Scope,
    Unknown,
    Value,
)
from tilecheck.interp.ownership.operations import FLIGHT_METHODS, OPERATION_METHODS, captured_graph, zip_operations
from tilecheck.project.runtimenames import RUNTIME
from tilecheck.symbolic import Term, cdiv, const
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["apply", "await_value", "call"]

Named = dict[str, Value]


def call(m: Machine, node: ast.Call) -> Value:
    """The value of a call."""
    from tilecheck.interp.ownership.evaluate import evaluate

    target = evaluate(m, node.func)
    held = len(m.held)
    m.held.append(target)
    args: list[Value] = []
    try:
        for arg in node.args:
            value = evaluate(m, arg)
            m.held.append(value)
            spread = isinstance(arg, ast.Starred)
            args += value.items if spread and isinstance(value, Row | Listing) and not (
                isinstance(value, Listing) and value.open) else [value]
        named: Named = {}
        for keyword in node.keywords:
            value = evaluate(m, keyword.value)
            m.held.append(value)
            named[keyword.arg or "**"] = value
        return apply(m, target, args, named, node)
    finally:
        del m.held[held:]


def apply(m: Machine, target: Value, args: list[Value], named: Named, node: ast.Call | None) -> Value:
    """The result of calling a value. `node` is None for calls that the runtime makes."""
    handler = _CALLED.get(type(target))
    if handler is None:
        escape(m, (target, *args, *named.values()))
        return m.unknown("result")
    return handler(m, target, args, named, node)


# --- functions whose code is seen ------------------------------------------------------------------------------------

def _routine(m: Machine, target: Routine, args: list[Value], named: Named, node: ast.Call | None) -> Value:
    if isinstance(target.node, ast.AsyncFunctionDef):
        return Coroutine(target, tuple(args), dict(named))
    return run(m, target, args, named)


def run(m: Machine, target: Routine, args: list[Value], named: Named) -> Value:
    """Follows the call of a function."""
    from tilecheck.interp.ownership.evaluate import evaluate
    from tilecheck.interp.ownership.statements import run_block

    if target.owner is not None:
        args = [target.owner, *args]
    key = (target.module.path, target.qualname)
    opaque = not isinstance(target.node, ast.Lambda) and (_generates(target.node) or (bool(
        target.node.decorator_list) and target.owner is None and "." not in target.qualname))
    if opaque or key in m.active or len(m.active) >= DEPTH or not _is_near(m, target):
        escape(m, (*args, *named.values(), target))
        return m.unknown("result")
    scope = Scope(target.module, target.qualname, target.scope)
    m.called.add(key)
    with m.hold_values((*args, *named.values(), target)):
        if not _bind(m, scope, target.node.args, args, named, evaluate):
            escape(m, (*args, *named.values()))
            return m.unknown("result")
        m.active.append(key)
        try:
            with m.enter_scope(scope):
                if isinstance(target.node, ast.Lambda):
                    return evaluate(m, target.node.body)
                run_block(m, target.node.body)
        except Returned as returned:
            return returned.value
        finally:
            m.active.pop()
    return Literal_(None)


@lru_cache(maxsize=1024)
def _generates(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk(node))


def _is_near(m: Machine, target: Routine) -> bool:
    """Whether a function is one of the file under check, or of another one that is about ownership too."""
    return target.module is m.module or target.module.names_runtime


def _bind(m: Machine, scope: Scope, declared: ast.arguments, args: list[Value], named: Named,
          evaluate: Callable[[Machine, ast.expr], Value]) -> bool:
    """Gives arguments to parameters; whether that worked out."""
    rest = dict(named)
    positional = [*declared.posonlyargs, *declared.args]
    if "**" in rest:
        return False
    names = [a.arg for a in positional]
    values = dict(zip(names, args, strict=False))
    extra = args[len(names):]
    for name in [*names, *(a.arg for a in declared.kwonlyargs)]:
        if name in rest and name not in values:
            values[name] = rest.pop(name)
    defaults: list[tuple[ast.arg, ast.expr | None]] = list(zip(
        positional, [*(None for _ in range(len(positional) - len(declared.defaults))), *declared.defaults],
        strict=True))
    defaults += list(zip(declared.kwonlyargs, declared.kw_defaults, strict=True))
    with m.enter_scope(scope):
        for argument, default in defaults:
            if argument.arg not in values:
                if default is None:
                    return False
                values[argument.arg] = evaluate(m, default)
    if (extra and declared.vararg is None) or (rest and declared.kwarg is None):
        return False
    if declared.vararg is not None:
        values[declared.vararg.arg] = Row(tuple(extra))
    if declared.kwarg is not None:
        values[declared.kwarg.arg] = Listing(list(rest.values()), [literal(k) for k in rest])
    scope.variables.update(values)
    return True


def _class(m: Machine, target: Blueprint, args: list[Value], named: Named, node: ast.Call | None) -> Value:
    found = target.module.skeleton.classes.get(target.name)
    made = m.instance(target)
    initialise = attributes.method_of(m, target, "__init__")
    if isinstance(initialise, Routine) and found is not None:
        run(m, Routine(initialise.module, initialise.qualname, initialise.node, initialise.scope, made), args, named)
        return made
    if found is not None and found[0].decorator_list:
        return _record(m, made, found[0], args, named)
    escape(m, (*args, *named.values()))
    return made


def _record(m: Machine, made: Instance, node: ast.ClassDef, args: list[Value], named: Named) -> Value:
    """A dataclass: its fields in order."""
    fields = [s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
    made.attributes.update(zip(fields, args, strict=False))
    made.attributes.update({name: value for name, value in named.items() if name in fields})
    return made


def await_value(m: Machine, value: Value, mark_run_time: Callable[[Value], Value]) -> Value:
    """The result of `await` for a value other than an operation or a flight."""
    if isinstance(value, Coroutine) and value.routine is not None:
        return run(m, value.routine, list(value.args), dict(value.named))
    if isinstance(value, Coroutine):
        return Listing([mark_run_time(part) for part in value.together])
    escape(m, (value,))
    return m.unknown("awaited")


# --- methods ---------------------------------------------------------------------------------------------------------

def _method(m: Machine, target: Bound, args: list[Value], named: Named, node: ast.Call | None) -> Value:
    owner, name = target.owner, target.name
    if node is not None:
        handler = _OWNERS.get(type(owner))
        found = None if handler is None else handler(m, owner, name, args, named, node, target.text)
        if found is not None:
            return found
    escape(m, (owner, *args, *named.values()))
    return m.unknown("result")


def _of_handle(m: Machine, owner: Handle, name: str, args: list[Value], named: Named, node: ast.Call,
               text: str) -> Value | None:
    method = METHODS.get(name)
    return m.unknown("result") if method is None else method(m, owner, args, named, node, text)


def _of_operation(m: Machine, owner: Operation, name: str, args: list[Value], named: Named, node: ast.Call,
                  text: str) -> Value | None:
    method = OPERATION_METHODS.get(name)
    return m.unknown("result") if method is None else method(m, owner, args, node, apply)


def _of_flight(m: Machine, owner: Flight, name: str, args: list[Value], named: Named, node: ast.Call,
               text: str) -> Value | None:
    method = FLIGHT_METHODS.get(name)
    return m.unknown("result") if method is None else method(m, owner, m.span(node))


def _of_unknown(m: Machine, owner: Unknown, name: str, args: list[Value], named: Named, node: ast.Call,
                text: str) -> Value | None:
    """`x.partition(128)` of something unknown makes it a tensor, though not for certain."""
    if name in ("partition", "partition_prefix") and args and all(term_of(a) is not None for a in args):
        handle = as_handle(m, owner, "tensor", m.span(node), False)
        if handle is not None:
            terms = tuple(t for a in args if (t := term_of(a)) is not None)
            return partition_of(m, handle, terms, m.span(node), text, name == "partition_prefix")
    if name == "unpartition":
        handle = as_handle(m, owner, "partition", m.span(node), False)
        return None if handle is None else METHODS[name](m, handle, args, named, node, text)
    if name in METHODS and owner.handle is not None:
        return METHODS[name](m, owner.handle, args, named, node, text)
    found = cuda.method(m, owner, name, args, named, node, text)
    if found is not None:
        return found
    owner.attributes.clear()
    return None


_OWNERS: Final[Mapping[type, Callable[..., Value | None]]] = {
    Handle: _of_handle, Operation: _of_operation, Flight: _of_flight, Unknown: _of_unknown,
    Listing: containers.method, Row: containers.method, **dict.fromkeys(cuda.KINDS, cuda.method),
}


# --- libraries -------------------------------------------------------------------------------------------------------

def _external(m: Machine, target: External, args: list[Value], named: Named, node: ast.Call | None) -> Value:
    path = target.path
    if node is None:
        escape(m, (*args, *named.values()))
        return m.unknown("result")
    if path.startswith(f"{RUNTIME}."):
        return _of_runtime(m, path.rpartition(".")[2], args, named, node)
    known = _LIBRARY.get(path)
    if known is not None:
        return known(m, args, named, node)
    found = cuda.function(m, path, args, named, node)
    if found is not None:
        return found
    if path.startswith("numpy."):
        return _numpy(m, args, named, node)
    escape(m, (*args, *named.values()))
    return m.unknown(path.rpartition(".")[2])


def _of_runtime(m: Machine, name: str, args: list[Value], named: Named, node: ast.Call) -> Value:
    if name in CREATED:
        return CREATED[name](m, args, named, node)
    if name == "zip":
        return zip_operations(m, args, m.span(node))
    if name == "graph":
        return captured_graph(m, args, m.span(node))
    escape(m, (*args, *named.values()))
    return m.unknown(name)


def _numpy(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    """NumPy reads what it is given."""
    for value, arg in zip(args, node.args, strict=False):
        if isinstance(value, Handle) and value.kind != "partition":
            check(m, value, "read", m.span(node), ast.unparse(arg))
    escape(m, [v for v in (*args, *named.values()) if not isinstance(v, Handle)])
    return m.unknown("array")


def _ignore(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    return m.unknown("value")


def _cdiv(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    a, b = (term_of(v) for v in args) if len(args) == 2 else (None, None)
    return m.unknown("cdiv") if a is None or b is None or b.constant == 0 else Number(cdiv(a, b))


def _length(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    value = args[0] if len(args) == 1 else None
    whole = isinstance(value, Row) or (isinstance(value, Listing) and not value.open)
    if whole and isinstance(value, Row | Listing):
        return Number(const(len(value.items)))
    return m.unknown("length")


def _evaluate_extreme(pick: Callable[..., int]) -> Callable[..., Value]:
    def handler(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
        terms: list[Term | None] = [term_of(a) for a in args]
        known = [t.constant for t in terms if t is not None and t.constant is not None]
        if len(known) == len(args) > 1:
            return Number(const(pick(known)))
        return m.unknown("value")
    return handler


def _gather(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    """`asyncio.gather`: each is awaited when all are."""
    return Coroutine(together=tuple(args))


def _passed_on(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    """Coroutines that are awaited later, or run to their end."""
    return args[0] if args else m.unknown("value")


def _run_coroutine(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    """`asyncio.run`"""
    return await_value(m, args[0], lambda v: v) if args else Literal_(None)


_NO_EFFECT: Final = (
    "print", "repr", "str", "id", "type", "isinstance", "hash", "bool", "int", "float", "abs", "sum", "round", "range",
    "hasattr", "issubclass", "format")

_LIBRARY: Final[Mapping[str, Callable[[Machine, list[Value], Named, ast.Call], Value]]] = {
    **{f"builtins.{name}": _ignore for name in _NO_EFFECT},
    "time.sleep": _ignore,
    "time.time": _ignore,
    "time.perf_counter": _ignore,
    "asyncio.sleep": _ignore,
    "cuda.tile.cdiv": _cdiv,
    "builtins.len": _length,
    "builtins.max": _evaluate_extreme(max),
    "builtins.min": _evaluate_extreme(min),
    "asyncio.gather": _gather,
    "asyncio.create_task": _passed_on,
    "asyncio.ensure_future": _passed_on,
    "asyncio.wait_for": _passed_on,
    "asyncio.run": _run_coroutine,
    **{f"builtins.{n}": f for n, f in containers.BUILTINS.items()},
    "collections.deque": containers.BUILTINS["list"],
}


def _kernel(m: Machine, target: Kernel, args: list[Value], named: Named, node: ast.Call | None) -> Value:
    if node is None or not target.callee.dialect or not target.callee.parameters:
        escape(m, (*args, *named.values()))
        return m.unknown("operation")
    return build(m, target.callee, args, named, node)


_CALLED: Final[Mapping[type, Callable[[Machine, Any, list[Value], Named, ast.Call | None], Value]]] = {
    Kernel: _kernel, Routine: _routine, Blueprint: _class, Bound: _method, External: _external}

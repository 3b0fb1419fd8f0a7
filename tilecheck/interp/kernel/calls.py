"""Calls: helpers are inlined, operations of cuda.tile and builtins come from tables, the rest is not understood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.assigned import local_names
from tilecheck.interp.kernel.attributes import class_defaults
from tilecheck.interp.kernel.changes import is_followed, note_call
from tilecheck.interp.kernel.coerce import arrays_in, to_array
from tilecheck.interp.kernel.device.calls import (
    check_builtin,
    check_builtin_values,
    check_fields,
    check_helper,
    check_library,
    check_method,
    check_operation,
    check_value,
)
from tilecheck.interp.kernel.device.note import is_at_run_time, note_syntax, refuse
from tilecheck.interp.kernel.device.paths import describe_difference
from tilecheck.interp.kernel.interpreter import DEPTH, Frame, Machine
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.locks import intersect_locks
from tilecheck.interp.kernel.names import in_module
from tilecheck.interp.kernel.operation import evaluate_method, evaluate_operation
from tilecheck.interp.kernel.poison.rules import add_builtin_poison, blur_operands
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.signatures import accepts
from tilecheck.interp.kernel.tile_types.operators import of_builtin
from tilecheck.interp.kernel.translation.values import Differing, meet
from tilecheck.interp.kernel.values import (
    NONE,
    ArrayRef,
    Bool,
    Builtin,
    Choice,
    Class,
    Const,
    Data,
    Dict,
    External,
    Function,
    Instance,
    Int,
    LambdaValue,
    Method,
    Named,
    ParamRef,
    Partial,
    TileRef,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.project.tilenames import find_missing
from tilecheck.symbolic import FALSE, Array, Cond, conj, negate
from tilecheck.syntax.tree import Attribute, Call, Constant, Expr, FuncDef, Name, Param, Span, get_last_name

TRANSPARENT = frozenset({
    "function", "kernel", "lru_cache", "cache", "staticmethod", "classmethod", "property", "cached_property",
    "override", "final", "contextmanager", "no_type_check", "deprecated",
})
"""Decorators that leave the meaning of a helper unchanged."""


def call(m: Machine, func: Value, args: Arguments) -> Value:
    handler = CALLS.get(type(func))
    if handler is None:
        check_value(m, func, args.span)
        return unknown_call(m, describe(func), func, args)
    return handler(m, func, args)


_DESCRIBE: dict[type, Callable[..., str]] = {
    External: lambda v: v.name,
    TileRef: lambda v: f"cuda.tile.{v.name}",
    Builtin: lambda v: v.name,
    Method: lambda v: v.name,
    Unknown: lambda v: v.what,
    Function: lambda v: v.definition.name,
}


def describe(func: Value) -> str:
    handler = _DESCRIBE.get(type(func))
    return "a value" if handler is None else handler(func)


def unknown_call(m: Machine, what: str, func: Value, args: Arguments) -> Value:
    """Evaluates an unknown call, which may use the arrays that it receives in any way."""
    m.notes.effects += 1
    note_call(m, (func, *args.values()))
    arrays = arrays_in(m, func)
    for v in args.values():
        arrays |= arrays_in(m, v)
    certain = frozenset(a for a in arrays if known_array(m, a))
    if certain:
        m.gap(f"call of {what}, which is not known", certain, args.span)
    elif arrays:
        m.gap(f"call of {what}, which is not known", arrays, args.span)
    if m.host and not arrays:
        # host code runs once: each value that it computes is uniform
        return Named(m.name(what, args.span))
    return Unknown(f"result of {what}", arrays)


def known_array(m: Machine, root: Array) -> bool:
    return bool({"array", "list"} & m.kinds.get(root.root, set()))


# --- inlining --------------------------------------------------------------------------------------------------------

def bind_parameters(m: Machine, params: tuple[Param, ...], args: Arguments, frame: Frame,
                    default: Callable[[Param, Expr], Value]) -> bool:
    """Binds arguments to parameters. False when the call does not fit, or is not fully known."""
    if not args.complete:
        return False
    positional = list(args.positional)
    keywords = dict(args.keywords)
    for p in params:
        if p.kind == "*":
            frame.env[p.name] = Tuple(tuple(positional))
            positional = []
        elif p.kind == "**":
            frame.env[p.name] = Dict(tuple((Const(k), v) for k, v in keywords.items()))
            keywords = {}
        elif p.kind == "positional" and positional:
            frame.env[p.name] = positional.pop(0)
        elif p.name in keywords:
            frame.env[p.name] = keywords.pop(p.name)
        elif p.default is not None:
            frame.env[p.name] = default(p, p.default)
        else:
            return False
    return not positional and not keywords


def defaults_of(m: Machine, params: tuple[Param, ...]) -> dict[str, Value]:
    """The defaults of a function that is defined here."""
    return {p.name: m.eval(p.default) for p in params if p.default is not None}


def check_decorators(m: Machine, func: Function, span: Span) -> None:
    """Notes a call of a kernel, or of a function that a cache wraps."""
    name = func.definition.name
    for d in func.definition.decorators:
        with m.suspend_recording():
            named = d.func if isinstance(d, Call) else d
            value = in_module(m, func.module, lambda named=named: m.eval(named))  # type: ignore[misc]
        if isinstance(value, TileRef) and value.name == "kernel":
            refuse(m, "TC603", "kernel", span, name)


def is_context_manager(definition: FuncDef) -> bool:
    return any(_decorator_name(d) == "contextmanager" for d in definition.decorators)


def _decorator_name(e: Expr) -> str:
    if isinstance(e, Call):
        return _decorator_name(e.func)
    if isinstance(e, Name):
        return e.id
    return e.attr if isinstance(e, Attribute) else "?"


def inline(m: Machine, func: Function, args: Arguments) -> Value:
    definition = func.definition
    if m.noting:
        check_decorators(m, func, args.span)
    if definition.is_async or any(_decorator_name(d) not in TRANSPARENT for d in definition.decorators):
        return unknown_call(m, definition.name, func, args)
    frame = Frame(func.module, func.closure, local_names(definition))

    def default(p: Param, e: Expr) -> Value:
        known = func.defaults.get(p.name)
        return in_module(m, func.module, lambda: m.eval(e)) if known is None else known

    if len(m.via) >= DEPTH:
        return unknown_call(m, f"{definition.name}, nested too deep", func, args)
    if m.noting:
        note_syntax(m, frame, definition, kernel=False, generator=is_context_manager(definition))
        if args.complete:
            check_helper(m, definition.name, definition.params, len(args.positional), args.keywords, args.span)
    if m.python and not is_context_manager(definition) and not is_followed(definition.body):
        return unknown_call(m, definition.name, func, args)
    if not bind_parameters(m, definition.params, args, frame, default):
        return unknown_call(m, definition.name, func, args)
    guarded = func.closure is None and m.project.is_conditional(func.module, definition.name)
    m.guarded += guarded
    result = enter(m, frame, definition, args.span)
    m.guarded -= guarded
    if not is_context_manager(definition):
        return result
    # what it yields is bound by a `with`
    m.yielded = frame.yielded
    return Unknown("context", arrays_in(m, result))


def enter(m: Machine, frame: Frame, definition: FuncDef, span: Span) -> Value:
    """Executes a function body and joins what it returns."""
    caller, path, exact, via, storing = m.frame, m.path, m.exact, m.via, m.storing
    m.frame, frame.entry, m.storing, frame.doubts = frame, path, False, m.doubts
    m.via = (*via, span)
    if m.noting:
        m.notes.helpers[definition.span] = definition
    try:
        m.run(definition.body)
        if m.alive:
            certain = m.knowledge.variant is None or m.doubts == frame.doubts
            frame.returns.append((relative(m.path, path) if certain else FALSE, NONE, False))
            frame.places.append(definition.span)
    finally:
        m.frame, m.path, m.exact, m.via, m.storing = caller, path, exact, via, storing
        m.doubts = frame.doubts
    m.alive = True
    return _join_returns(m, frame, span)


def relative(path: Cond, before: Cond) -> Cond:
    """Returns the conditions that `path` adds to `before`. `path` is a refinement of `before`."""
    known = {p.key for p in (before.args if before.op == "and" else (before,))}
    return conj(*(p for p in (path.args if path.op == "and" else (path,)) if p.key not in known))


def _join_returns(m: Machine, frame: Frame, span: Span) -> Value:
    if not frame.returns:
        return Unknown("no result")
    if m.knowledge.variant is not None and not m.host:
        return _meet_returns(m, frame, span)
    if any(in_loop for _, _, in_loop in frame.returns):
        return _any_of(m, [v for _, v, _ in frame.returns], span)
    if m.noting:
        _check_returns(m, frame)
    _, result, _ = frame.returns[-1]
    for cond, value, _ in reversed(frame.returns[:-1]):
        result = join(m, cond, value, result, span)
    return result


def _meet_returns(m: Machine, frame: Frame, span: Span) -> Value:
    """The result of a function whose paths are all translated; a condition that is false marks one that may not be."""
    if any(cond.op == "false" for cond, _, _ in frame.returns):
        return Unknown("result", frozenset().union(*(arrays_in(m, v) for _, v, _ in frame.returns)))
    result = frame.returns[0][1]
    for place, (_, value, _) in zip(frame.places[1:], frame.returns[1:], strict=True):
        met = meet(m, result, value, span)
        if isinstance(met, Differing):
            refuse(m, "TC606", "returned", place, *met.words)
            return Unknown("result of one of two kinds")
        result = met
    return result


def _check_returns(m: Machine, frame: Frame) -> None:
    """Notes results of two kinds."""
    for k, (cond, value, _) in enumerate(frame.returns[:-1]):
        following = frame.returns[k + 1][1]
        if is_at_run_time(m, cond):
            kinds = describe_difference(m, "", value, following, frame.places[k + 1])
            if kinds is not None:
                refuse(m, "TC606", "returned", frame.places[k + 1], *kinds)
                return


def _any_of(m: Machine, values: list[Value], span: Span) -> Value:
    """One of several values, by a condition that is not followed."""
    result = values[-1]
    for k, value in enumerate(reversed(values[:-1])):
        if value is not result:
            cond = m.fresh_truth(f"returned{k}", span).cond
            result = join(m, cond, value, result, span)
    return result


def _lambda(m: Machine, func: LambdaValue, args: Arguments) -> Value:
    frame = Frame(func.closure.module, func.closure)
    if len(m.via) >= DEPTH:
        return unknown_call(m, "a lambda, nested too deep", func, args)

    def default(p: Param, e: Expr) -> Value:
        return func.defaults[p.name]

    if m.noting and args.complete:
        check_helper(m, "lambda", func.params, len(args.positional), args.keywords, args.span)

    if not bind_parameters(m, func.params, args, frame, default):
        return unknown_call(m, "a lambda", func, args)
    caller, via = m.frame, m.via
    m.frame, m.via = frame, (*via, args.span)
    try:
        return m.eval(func.body)
    finally:
        m.frame, m.via = caller, via


def _partial(m: Machine, func: Partial, args: Arguments) -> Value:
    keywords = {**dict(func.keywords), **args.keywords}
    return call(m, func.func, Arguments((*func.args, *args.positional), keywords, args.complete, args.span))


def _may_be_frozen(cls: Class) -> bool:
    """Whether a class may be a frozen dataclass."""
    definition = cls.definition
    if any(get_last_name(b) not in _PLAIN_BASES for b in definition.bases):
        return not any(get_last_name(b) == "NamedTuple" for b in definition.bases)
    for d in definition.decorators:
        named = get_last_name(d.func if isinstance(d, Call) else d)
        if named != "dataclass" or not isinstance(d, Call) or any(
                k.name in (None, "frozen") and not _is_false(k.value) for k in d.keywords):
            return named != "dataclass" or isinstance(d, Call)
    return False


_PLAIN_BASES: Final = frozenset({"object", "Generic", "Protocol", "ABC"})


def _is_false(e: Expr) -> bool:
    return isinstance(e, Constant) and e.value is False


def _construct(m: Machine, func: Class, args: Arguments) -> Value:
    from tilecheck.interp.kernel.attributes import class_member, fields_of, is_enum

    if not (is_enum(func) or _may_be_frozen(func)):
        refuse(m, "TC603", "class", args.span, func.definition.name)
    fields = fields_of(func)
    hooks = ("__new__", "__init__", "__post_init__", "__getattribute__", "__setattr__")
    if fields is None or is_enum(func) or not args.complete or any(class_member(func, h) is not None for h in hooks):
        return unknown_call(m, func.definition.name, func, args)
    if m.noting:
        check_fields(m, func.definition.name, fields, len(args.positional), args.keywords, args.span)
    values: dict[str, Value] = {}
    positional = list(args.positional)
    keywords = dict(args.keywords)
    for name, default in fields:
        if positional:
            values[name] = positional.pop(0)
        elif name in keywords:
            values[name] = keywords.pop(name)
        elif default is not None:
            expr = default
            values[name] = in_module(m, func.module, lambda expr=expr: m.eval(expr))  # type: ignore[misc]
        else:
            return unknown_call(m, func.definition.name, func, args)
    if positional or keywords:
        return unknown_call(m, func.definition.name, func, args)
    return Instance(func, values)


def _instance_call(m: Machine, func: Instance, args: Arguments) -> Value:
    from tilecheck.interp.kernel.attributes import class_member

    method = class_member(func.of, "__call__")
    if not isinstance(method, FuncDef):
        check_value(m, func, args.span)
        return unknown_call(m, func.of.definition.name, func, args)
    made = Function(method, func.of.module, func.of.closure, class_defaults(func.of, method))
    bound = Partial(made, (func,), ())
    return call(m, bound, args)


def _choice(m: Machine, func: Choice, args: Arguments) -> Value:
    before, held = m.path, m.held
    m.path = conj(before, func.cond)
    a = call(m, func.then, args)
    first, m.held = m.held, held
    m.path = conj(before, negate(func.cond))
    b = call(m, func.other, args)
    m.path, m.held = before, intersect_locks(first, m.held)
    return join(m, func.cond, a, b, args.span)


# --- tables ----------------------------------------------------------------------------------------------------------

def _tile(m: Machine, func: TileRef, args: Arguments) -> Value:
    operation = m.operations.tile.get(func.name)
    if not func.name:
        check_value(m, func, args.span)
    if operation is None or operation.value is None:
        if find_missing(func.name) is not None and not any(arrays_in(m, v) for v in args.values()):
            return _evaluate_missing(m, args)
        return unknown_call(m, f"cuda.tile.{func.name}", func, args)
    if not args.complete:
        return unknown_call(m, f"cuda.tile.{func.name} with starred arguments", func, args)
    if m.noting:
        check_operation(m, operation, args.positional, args.keywords, args.span)
    if not accepts(operation.signature, args):
        return unknown_call(m, f"cuda.tile.{func.name} with arguments that it does not take", func, args)
    if operation.each:
        for k, value in enumerate(args.positional):
            if isinstance(value, Choice) and to_array(m, value) is None:
                with m.doubt_compilation():
                    a, b = (
                        _tile(m, func, replace(args, positional=(*args.positional[:k], v, *args.positional[k + 1:])))
                        for v in (value.then, value.other))
                return join(m, value.cond, a, b, args.span)
    return evaluate_operation(m, operation, operation.value, args)


def _evaluate_missing(m: Machine, args: Arguments) -> Value:
    """The value of a call of an operation that cuda.tile does not have. It does not compile, so any value is right.

    The call has no array, which an operation of a later release may use in any way.
    """
    shape = broadcast(*(v.shape for v in args.values() if isinstance(v, (Int, Bool, Data))))
    return blur_operands(m, args, Data(shape))


def _builtin(m: Machine, func: Builtin, args: Arguments) -> Value:
    operation = m.operations.builtins.get(func.name)
    check_builtin(m, func.name, len(args.positional), args.keywords, args.complete, args.span)
    if m.noting:
        check_builtin_values(m, func.name, args.positional, args.span)
    if operation is None:
        return unknown_call(m, func.name, func, args)
    return of_builtin(m, func.name, args, add_builtin_poison(m, func.name, args, operation(m, args)))


def _external(m: Machine, func: External, args: Arguments) -> Value:
    operation = m.operations.library.get(func.name)
    check_library(m, func.name, args.span)
    if operation is None:
        return unknown_call(m, func.name, func, args)
    return of_builtin(m, func.name, args, add_builtin_poison(m, func.name, args, operation(m, args)))


def _method(m: Machine, func: Method, args: Arguments) -> Value:
    owner = func.owner
    if args.complete:
        operation = m.operations.tile_methods.get(func.name)
        if operation is not None and operation.value is not None and operation.method is not None:
            if isinstance(owner, Choice):
                with m.doubt_compilation():
                    return join(m, owner.cond, call(m, Method(owner.then, func.name), args),
                                call(m, Method(owner.other, func.name), args), args.span)
            scalar = isinstance(owner, ParamRef) and func.name in ("astype", "item")
            if scalar or isinstance(owner, (Int, Bool, Data)):
                check_method(m, func.name, operation.method, args.positional, args.keywords, args.span)
                if accepts(operation.method, args):
                    whole = Arguments((owner, *args.positional), args.keywords, args.complete, args.span)
                    return evaluate_operation(m, operation, operation.value, whole)
        method = m.operations.methods.get(func.name)
        if method is not None and method.value is not None and to_array(m, owner) is not None:
            if isinstance(owner, ArrayRef) and {view.tile is None for _, view in owner.options} == {
                    method.owner == "Array"}:
                check_method(m, func.name, method.signature, args.positional, args.keywords, args.span)
            if accepts(method.signature, args):
                return evaluate_method(m, method, method.value, owner, args)
    return unknown_call(m, f"method {func.name}", func.owner, args)


CALLS: dict[type, Callable[..., Value]] = {
    TileRef: _tile,
    Builtin: _builtin,
    External: _external,
    Function: inline,
    LambdaValue: _lambda,
    Partial: _partial,
    Method: _method,
    Class: _construct,
    Instance: _instance_call,
    Choice: _choice,
}

__all__ = [
    "CALLS", "call", "relative", "unknown_call",
]

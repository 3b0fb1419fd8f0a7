"""Calls in host code: launches and tuners are recorded, functions of the checked tree are followed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.host import launch_sites as record
from tilecheck.interp.host import library, methods, statements
from tilecheck.interp.host.classes import list_fields
from tilecheck.interp.host.methods import KERNEL_COPIES
from tilecheck.interp.host.persistent_dicts import may_be_set
from tilecheck.interp.host.pow2_loops import smears_bits
from tilecheck.interp.host.state import OPEN, Contents, State, join_states, join_values
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import (
    NONE,
    Choice,
    Class,
    Closure,
    External,
    Function,
    Int,
    Items,
    Kernel,
    Member,
    Plain,
    Record,
    Ref,
    Shape,
    Table,
    Tensor,
    Thing,
    Truth,
    Value,
)
from tilecheck.project.resolve import FunctionAt
from tilecheck.symbolic import Cond, conj
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame
    from tilecheck.project.module import Module

DEPTH: Final = 9

_TYPING: Final = frozenset({"deprecated", "final", "no_type_check", "overload", "override"})
_TRANSPARENT: Final[Mapping[str, frozenset[str]]] = {
    "builtins": frozenset({"classmethod", "property", "staticmethod"}),
    "contextlib": frozenset({"contextmanager"}),
    "functools": frozenset({"cache", "cached_property", "lru_cache", "wraps"}),
    "nvtx": frozenset({"annotate"}),
    "torch": frozenset({
        "allow_in_graph", "compile", "custom_bwd", "custom_fwd", "disable", "inference_mode", "no_grad",
        "once_differentiable",
    }),
    **dict.fromkeys(("typing", "typing_extensions", "warnings"), _TYPING),
}
"""Decorators that change neither arguments nor result, by package."""


class Arguments(Struct, frozen=True):
    """Evaluated arguments. `open` if a `*args` of unknown contents was passed, `more` if a `**kwargs` was passed.

    shapes  whether all starred arguments of unknown length are shapes of arrays, each at its position in `args`
    """

    args: tuple[Value, ...]
    named: dict[str, Value]
    open: bool = False
    more: bool = False
    shapes: bool = False

    def fit(self, shaped: bool) -> bool:
        """Whether all arguments are known, for a callee that takes no shape, or that takes its extents one by one if
        `shaped`."""
        return not self.open or (shaped and self.shapes)


def evaluate_arguments(ev: Evaluator, call: tree.Call, frame: Frame, state: State) -> Arguments:
    args: list[Value] = []
    named: dict[str, Value] = {}
    unknown = more = False
    shapes = True
    for node in call.args:
        if isinstance(node, tree.Starred):
            value = ev.eval(node.value, frame, state)
            known = ev.elements(value, state)
            if known is None:
                unknown = True
                shapes = shapes and isinstance(value, Shape)
                args.append(value)
            else:
                args += known
        else:
            args.append(ev.eval(node, frame, state))
    for keyword in call.keywords:
        value = ev.eval(keyword.value, frame, state)
        if keyword.name is not None:
            named[keyword.name] = value
            continue
        contents = state.heap.get(value.key, OPEN) if isinstance(value, Ref) else OPEN
        more = more or contents.bound != "exact"
        for key, item in zip(contents.keys, contents.items, strict=False):
            if isinstance(key, Plain) and isinstance(key.value, str):
                named[key.value] = item
    return Arguments(tuple(args), named, unknown, more, unknown and shapes)


def call(ev: Evaluator, expr: tree.Call, frame: Frame, state: State) -> Value:
    func = expr.func
    if isinstance(func, tree.Attribute):
        owner = ev.eval(func.value, frame, state)
        return _method_call(ev, expr, func, owner, frame, state)
    if isinstance(func, tree.Name) and func.id == "super":
        return ev.unknown("super")
    return apply(ev, ev.eval(func, frame, state), expr, evaluate_arguments(ev, expr, frame, state), frame, state)


def _method_call(
    ev: Evaluator, expr: tree.Call, func: tree.Attribute, owner: Value, frame: Frame, state: State,
) -> Value:
    if isinstance(owner, Choice):
        return _choice_call(ev, expr, func, owner, frame, state)
    own = _own_method(ev, owner, func.attr, frame)
    given = evaluate_arguments(ev, expr, frame, state)
    return _called_on(ev, expr, func, owner, given, frame, state) if own is None else apply(
        ev, own, expr, given, frame, state)


def _called_on(
    ev: Evaluator, expr: tree.Call, func: tree.Attribute, owner: Value, given: Arguments, frame: Frame, state: State,
) -> Value:
    """The result of a method call on a value that is not a choice."""
    if isinstance(owner, Class) and func.attr == "apply":
        forward = ev.class_attribute(owner, "forward", state)
        if isinstance(forward, Function):
            shifted = replace(given, args=(ev.unknown("ctx"), *given.args))
            return apply(ev, forward, expr, shifted, frame, state)
    if not isinstance(owner, External):
        fits = given.fit(func.attr in methods.SHAPED)
        if fits and (not given.more or (isinstance(owner, Kernel | Thing) and func.attr in KERNEL_COPIES)):
            known = methods.method(ev, owner, func.attr, given.args, given.named, state)
            if known is not None:
                if func.attr in methods.REBIND:
                    forget(ev, owner, state)
                return known
        target = ev.attribute(owner, func.attr, state) if not isinstance(owner, Thing) else None
        if target is not None and not isinstance(target, Thing):
            return apply(ev, target, expr, given, frame, state)
        if func.attr not in library.HARMLESS:
            ev.escape((owner, *given.args, *given.named.values()), state)
        if func.attr in methods.REBIND:
            forget(ev, owner, state)
        name = owner.name if isinstance(owner, Thing | Tensor) else "value"
        result = ev.unknown(f"{name}.{func.attr}()")
        ev.symbols.results.discard(result.name)  # what a method reads is mostly the object
        return result
    return apply(ev, ev.attribute(owner, func.attr, state), expr, given, frame, state)


def _choice_call(
    ev: Evaluator, expr: tree.Call, func: tree.Attribute, owner: Choice, frame: Frame, state: State,
) -> Value:
    """A method of one of several values: what it does to each happens where it is the one."""
    given = evaluate_arguments(ev, expr, frame, state)
    # None has no methods: this option is not taken
    options = [(cond, option) for cond, option in owner.options if not isinstance(option, Plain)]
    outcomes: list[tuple[Cond, State, Value]] = []
    for cond, option in options:
        branch = state.branch(cond)
        value = option if isinstance(option, Kernel | Thing) and func.attr in KERNEL_COPIES else _called_on(
            ev, expr, func, option, given, frame, branch)
        outcomes.append((cond, branch, value))
    return _join_outcomes(outcomes, state) if outcomes else ev.unknown(func.attr)


def _join_outcomes(outcomes: list[tuple[Cond, State, Value]], state: State) -> Value:
    """Go on where the branches meet; the value that each of them gave under its condition."""
    _, last, value = outcomes[-1]
    path = state.path
    for cond, branch, result in outcomes[-2::-1]:
        last = join_states(cond, branch, last, path)
        value = join_values(cond, result, value)
    state.take(last)
    state.path = path
    return value


def _own_method(ev: Evaluator, owner: Value, name: str, frame: Frame) -> Value | None:
    """`self.name` or `cls.name` inside a class of the checked tree."""
    definition = frame.definition
    if not isinstance(owner, Thing) or not isinstance(definition, tree.FuncDef) or "." not in frame.qualname:
        return None
    if not definition.params or definition.params[0].name != owner.name or owner.name not in ("self", "cls"):
        return None
    qualname = f"{frame.qualname.rpartition('.')[0]}.{name}"
    method = syntax(frame.module).function(qualname)
    if method is None or any(may_be_set(module, name) for module in (frame.module, ev.module)) or ev.is_overridden(
            qualname.rpartition(".")[0], name):
        return None
    static = any(isinstance(d, tree.Name) and d.id == "staticmethod" for d in method.decorators)
    return Function(frame.module, qualname, () if static else (owner,))


def forget(ev: Evaluator, owner: Value, state: State, same_memory: bool = False) -> None:
    """Forget the shape of an array that changed in place, under all names of the array.

    same_memory  whether it has its memory still, and views of the memory keep their shapes
    """
    only = owner if same_memory else None
    if not isinstance(owner, Tensor | Thing):
        return
    changed = {owner.storage} if isinstance(owner, Tensor) else {owner.name}
    if isinstance(owner, Tensor) and owner.maybe is not None:
        changed.add(owner.maybe)
    if not all(_is_made(ev, name) for name in changed):
        # arrays that the function was given may be one
        changed |= {name for name in ev.symbols.arrays() if not _is_made(ev, name)} | ev.leaked
    for frame, variables in list(state.variables.items()):
        for name, value in list(variables.items()):
            new = _replace_reshaped(ev, value, name, changed, state, only)
            if new is not value:
                state.bind(frame, name, new)
    for key, contents in list(state.heap.items()):
        items = tuple(_replace_reshaped(ev, item, "item", changed, state, only) for item in contents.items)
        if items != contents.items:
            state.heap[key] = replace(contents, items=items)
    for (key, name), value in list(state.attributes.items()):
        state.attributes[key, name] = _replace_reshaped(ev, value, name, changed, state, only)
    # a later read of an attribute of an object that is not followed may give the array
    for name in sorted(changed):
        member = name.rpartition(".")[2]
        if name.endswith("]"):
            state.set_item(None, None, None)
        elif member != name:
            state.epochs[member] = state.epochs.get(member, 0) + 1


def _is_made(ev: Evaluator, storage: str) -> bool:
    """Whether the function itself allocates the memory."""
    roots = ev.symbols.roots(storage)
    return roots is not None and roots <= ev.symbols.allocated and not roots & ev.leaked


def _replace_reshaped(
    ev: Evaluator, value: Value, name: str, changed: set[str], state: State, only: Value | None,
) -> Value:
    """The value, with new arrays for those whose memory, or name, is one of those that changed."""
    if isinstance(value, Items):
        items = tuple(_replace_reshaped(ev, item, name, changed, state, only) for item in value.items)
        return value if items == value.items else replace(value, items=items)
    if isinstance(value, Choice):
        options = tuple(
            (cond, _replace_reshaped(ev, option, name, changed, state, only)) for cond, option in value.options)
        return value if options == value.options else Choice(options)
    if isinstance(value, Record):
        if any(_replace_reshaped(ev, v, name, changed, state, only) != v for _, v in value.fields):
            state.epochs[value.key] = state.epochs.get(value.key, 0) + 1
        return value
    same = {value.storage, value.maybe} if isinstance(value, Tensor) else {value.name} if isinstance(
        value, Thing) else set()
    if not same & changed or (only is not None and value != only and all(_is_made(ev, s) for s in same if s)):
        return value
    if only is not None and isinstance(value, Tensor | Thing):
        return lose_shape(ev, ev.tensor(value, state))
    return ev.tensor(ev.unknown(name, numeric=False), state)


def lose_shape(ev: Evaluator, x: Tensor) -> Tensor:
    """The same memory in a shape that is not known."""
    made = ev.invent_name(x.name)
    return Tensor(made, made, x.storage, whole=x.whole, fresh=x.fresh, maybe=x.maybe)


def apply(ev: Evaluator, target: Value, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    """The result of calling a value."""
    place = next((i for i, value in enumerate(given.args) if _is_kernel_choice(value)), None)
    if place is not None and isinstance(target, Function | Closure):
        return _apply_to_each(ev, target, expr, given, place, frame, state)
    handler = _APPLY.get(type(target))
    if handler is None:
        if isinstance(target, Thing):
            # it may be a method of an object, `f = c.fill`
            owners = {key[0] for key in state.attributes if target.name.startswith((f"{key[0]}.", f"{key[0]}@"))}
            ev.escape(tuple(Thing(owner) for owner in sorted(owners)), state)
            # or a function that a list or dict has
            held = (item for contents in list(state.heap.values()) for item in contents.items)
            ev.escape(tuple(item for item in held if isinstance(item, Closure)), state)
        ev.escape((*given.args, *given.named.values()), state)
        return ev.unknown(_name_result(expr))
    return handler(ev, target, expr, given, frame, state)


def _is_kernel_choice(value: Value) -> bool:
    return isinstance(value, Choice) and all(isinstance(option, Kernel) for _, option in value.options)


def _apply_to_each(
    ev: Evaluator, target: Value, expr: tree.Call, given: Arguments, place: int, frame: Frame, state: State,
) -> Value:
    """A call with one of several kernels: it is followed for each, so that its result is for that kernel."""
    chosen = given.args[place]
    outcomes: list[tuple[Cond, State, Value]] = []
    for cond, option in chosen.options if isinstance(chosen, Choice) else ():
        branch = state.branch(cond)
        args = (*given.args[:place], option, *given.args[place + 1:])
        outcomes.append((cond, branch, apply(ev, target, expr, replace(given, args=args), frame, branch)))
    return _join_outcomes(outcomes, state)


def _name_result(expr: tree.Call) -> str:
    func = expr.func
    name = func.attr if isinstance(func, tree.Attribute) else func.id if isinstance(func, tree.Name) else "call"
    return f"{name}()"


_LAUNCHERS: Final = frozenset({"cuda", "tilecheck_runtime"})
"""Packages whose `launch(stream, grid, kernel, args)` launches a kernel."""


def _external(ev: Evaluator, target: External, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    name = target.path.rpartition(".")[2]
    if name == "launch" and target.path.partition(".")[0] in _LAUNCHERS:
        return record.launch(ev, expr, given.args, given.named, frame, state)
    if name in record.TUNERS:
        return record.tuner(ev, expr, given.args, given.named, frame, state)
    if target.path in library.ENDING:
        state.dead = True
        return NONE
    fits = given.fit(name in library.SHAPED) and not given.more
    known = None if not fits else library.external(ev, target.path, given.args, given.named, state)
    written = given.named.get("out")
    if isinstance(written, Tensor | Thing) and target.path.partition(".")[0] in library.RESIZING:
        x = ev.tensor(written, state)
        forget(ev, written, state, same_memory=True)
        return lose_shape(ev, x)
    if known is not None:
        return known
    if name not in library.HARMLESS:
        args = given.args if target.path != "builtins.getattr" else _that_may_change(given.args)
        ev.escape((*args, *given.named.values()), state)
    result = ev.unknown(f"{name}()", numeric=name not in library.FRACTIONAL)
    if target.path in library.INTEGERS:
        ev.symbols.integers.add(result.name)
    if not given.args and not given.named:
        ev.symbols.results.discard(result.name)  # it depends on no value of the caller
    return result


def _that_may_change(args: tuple[Value, ...]) -> tuple[Value, ...]:
    """The values that `getattr` may give another name, or of which it may give what they hold one: it changes none."""
    options = (o for v in args for o in ([o for _, o in v.options] if isinstance(v, Choice) else [v]))
    return tuple(v for v in options if not _holds_numbers(v))


def _holds_numbers(value: Value) -> bool:
    """Whether a value is a number or text, or one of several objects that hold nothing else."""
    if isinstance(value, Thing) and isinstance(value.origin, Member) and not value.origin.path:
        return all(isinstance(v, Record) and all(isinstance(field, Int | Truth | Plain) for _, field in v.fields)
                   for v in value.origin.values)
    return isinstance(value, Int | Truth | Plain)


def _function(ev: Evaluator, target: Function, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    name = target.qualname.rpartition(".")[2]
    definition = target.definition
    if name in record.TUNERS and definition is not None and {p.name for p in definition.params} >= record.ROLES:
        return record.tuner(ev, expr, given.args, given.named, frame, state)
    if definition is not None and smears_bits(definition) and not given.open and not given.more:
        value = library.round_up(ev, given.args, given.named, state)
        if value is not None:
            return value
    if definition is not None and not target.raw and not are_transparent(ev, definition, target.module):
        made = apply_decorators(ev, definition, target, expr, frame, state)
        if made is not None:
            return apply(ev, made, expr, replace(given, args=(*target.bound, *given.args), named={
                **dict(target.named), **given.named}), frame, state)
        definition = None
    if definition is None:
        ev.escape((*given.args, *given.named.values()), state)
        return ev.unknown(f"{name}()")
    args = Arguments((*target.bound, *given.args), {**dict(target.named), **given.named}, given.open, given.more)
    if _caches(ev, definition, target.module):
        return _call_cached(ev, definition, target.module, target.qualname, None, expr, args, frame, state, {})
    return inline(ev, definition, target.module, target.qualname, None, expr, args, frame, state)


_CACHING: Final = frozenset({"functools.cache", "functools.cached_property", "functools.lru_cache"})
"""Decorators of functions that give the same object the next time."""


def _caches(ev: Evaluator, definition: tree.FuncDef | tree.Lambda, module: Module) -> bool:
    return isinstance(definition, tree.FuncDef) and any(
        find_external_path(ev, d, module) in _CACHING for d in definition.decorators)


def _call_cached(
    ev: Evaluator, definition: tree.FuncDef | tree.Lambda, module: Module, qualname: str, outer: int | None,
    expr: tree.Call, args: Arguments, frame: Frame, state: State, defaults: dict[str, Value],
) -> Value:
    """A call of a function that runs only for new arguments. An object is the same argument after it changed: what the
    function reads from it, and asserts about it, may be what was true earlier."""
    name = qualname.rpartition(".")[2]
    given = (*args.args, *args.named.values())
    if any(_may_change(value) for value in given):
        ev.unfollowed.add((module.path, qualname))
        ev.escape(given, state)
        return ev.unknown(f"{name}()")
    value = inline(ev, definition, module, qualname, outer, expr, args, frame, state, defaults)
    owners = [v.name for v in given if isinstance(v, Thing | Tensor)]
    if any(f"{owner}." in repr(value) or f"{owner}@" in repr(value) for owner in owners):
        return ev.unknown(f"{name}()")
    return _reuse_result(ev, value, name, state)


def _may_change(value: Value) -> bool:
    """Whether a value is an object that keeps its identity when it changes."""
    if isinstance(value, Items):
        return any(map(_may_change, value.items))
    if isinstance(value, Choice):
        return any(_may_change(option) for _, option in value.options)
    return isinstance(value, Ref | Record | Table | Closure)


def _reuse_result(ev: Evaluator, value: Value, name: str, state: State) -> Value:
    """A result that may come from an earlier call: other code may also have it, and may have changed it."""
    if isinstance(value, Ref | Record):
        ev.escape((value,), state)
    if isinstance(value, Tensor):
        kept = ev.invent_name(f"{name}()")
        return replace(value, strided=value.strided if value.dense else kept, storage=kept, fresh=None, maybe=None)
    if isinstance(value, Items):
        return replace(value, items=tuple(_reuse_result(ev, item, name, state) for item in value.items))
    if isinstance(value, Choice):
        return Choice(tuple((cond, _reuse_result(ev, option, name, state)) for cond, option in value.options))
    return value


def apply_decorators(
    ev: Evaluator, definition: tree.FuncDef, target: Function, expr: tree.Call, frame: Frame, state: State,
) -> Closure | Function | None:
    """The decorated function, if its decorators are functions of the checked tree that wrap it or return it; else
    None."""
    outside = ev.frame(target.module, "<module>", None, None)
    state.enter(outside.number)
    plain = Function(target.module, target.qualname, raw=True)
    value: Value = plain
    for decorator in reversed(definition.decorators):
        if is_transparent(ev, decorator, target.module):
            continue
        made = ev.eval(decorator, outside, state)
        if not isinstance(made, Function) or made.qualname == target.qualname:
            value = NONE
            break
        value = apply(ev, made, expr, Arguments((value,), {}), frame, state)
    state.leave(outside.number)
    return plain if value == plain else value if isinstance(value, Closure) else None


def are_transparent(ev: Evaluator, definition: tree.FuncDef, module: Module) -> bool:
    """Whether no decorator of a function changes its arguments or its result."""
    return all(is_transparent(ev, decorator, module) for decorator in definition.decorators)


def is_transparent(
    ev: Evaluator, decorator: tree.Expr, module: Module, frame: Frame | None = None, state: State | None = None,
) -> bool:
    """Whether a decorator changes neither arguments nor result. Its names are those of a frame, or of the module."""
    value = find_external_path(ev, decorator, module, frame, state)
    package, _, _ = value.partition(".")
    return value.rpartition(".")[2] in _TRANSPARENT.get(package, ())


def find_external_path(
    ev: Evaluator, node: tree.Expr, module: Module, frame: Frame | None = None, state: State | None = None,
) -> str:
    """The dotted name of the function from outside that a decorator or a base names; empty for anything else."""
    if isinstance(node, tree.Call | tree.Subscript):
        return find_external_path(ev, node.func if isinstance(node, tree.Call) else node.value, module, frame, state)
    chain: tree.Expr = node
    while isinstance(chain, tree.Attribute):
        chain = chain.value
    if not isinstance(chain, tree.Name):
        return ""
    value = ev.constant(module, node) if frame is None or state is None else ev.eval(node, frame, state)
    return value.path if isinstance(value, External) else ""


def _closure(ev: Evaluator, target: Closure, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    args = Arguments((*target.bound, *given.args), {**dict(target.named), **given.named}, given.open, given.more)
    definition = target.definition
    if target.frame not in state.variables:
        # what it sees is gone
        ev.escape((*given.args, *given.named.values()), state)
        return ev.unknown(_name_result(expr))
    if isinstance(definition, tree.FuncDef) and smears_bits(definition) and not given.open and not given.more:
        value = library.round_up(ev, given.args, given.named, state)
        if value is not None:
            return value
    if _caches(ev, definition, target.module):
        return _call_cached(ev, definition, target.module, target.qualname, target.frame, expr, args, frame, state,
                            dict(target.defaults))
    return inline(
        ev, definition, target.module, target.qualname, target.frame, expr, args, frame, state, dict(target.defaults))


def _class(ev: Evaluator, target: Class, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    definition = target.definition
    fields = None if definition is None or not _is_plain(ev, target, definition) else list_fields(
        definition, lambda node: find_external_path(ev, node, target.module))
    name = target.qualname.rpartition(".")[2]
    if definition is None or fields is None or given.open or given.more or len(given.args) > len(fields) or (
            given.named.keys() - {field.name for field in fields}):
        ev.escape((*given.args, *given.named.values()), state)
        made = ev.unknown(f"{name}()")
        ev.symbols.objects.add(made.name)
        return made
    values = dict(zip((field.name for field in fields), given.args, strict=False)) | given.named
    state.hold(Items(tuple(values.values())))
    for field in fields:
        if field.name not in values:
            values[field.name] = ev.unknown(field.name, numeric=False) if field.computed else ev.unknown(
                field.name) if field.default is None else ev.default_value(target.module, field.default, definition)
    return Record(ev.invent_name(name), tuple(values.items()))


_NO_FIELDS: Final = frozenset({"builtins.object", "typing.Generic", "typing.Protocol"})
_NAMED: Final = frozenset({"typing.NamedTuple", "typing.TypedDict", "typing_extensions.TypedDict"})
_MAKING: Final = (
    "__init__", "__new__", "__post_init__", "__setattr__", "__getattribute__", "__bool__", "__len__", "__eq__",
)
_KEEPING: Final = frozenset({"eq", "frozen", "match_args", "order", "repr", "slots", "unsafe_hash"})
"""Keywords of `dataclass` that leave the parameters of the class as they are."""


def _is_plain(ev: Evaluator, target: Class, definition: tree.ClassDef) -> bool:
    """Whether an object of the class has what it is made with, in the order in which the class names it, and nothing
    else."""
    known = target.module.skeleton.definitions
    if any(f"{target.qualname}.{name}" in known for name in _MAKING):
        return False
    bases = {find_external_path(ev, base, target.module) for base in definition.bases}
    if bases & _NAMED:
        return len(definition.bases) == 1 and not definition.decorators
    decorators = definition.decorators
    # the fields of a base stand before those of the class
    return len(decorators) == 1 and bases <= _NO_FIELDS and find_external_path(
        ev, decorators[0], target.module) == "dataclasses.dataclass" and (not isinstance(
            decorators[0], tree.Call) or {k.name for k in decorators[0].keywords} <= _KEEPING)


def _choice(ev: Evaluator, target: Choice, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    """A function chosen by a condition: each is followed where it is the one."""
    outcomes: list[tuple[Cond, State, Value]] = []
    for cond, option in target.options:
        branch = state.branch(cond)
        outcomes.append((cond, branch, apply(ev, option, expr, given, frame, branch)))
    return _join_outcomes(outcomes, state)


def _kernel(ev: Evaluator, target: Kernel, expr: tree.Call, given: Arguments, frame: Frame, state: State) -> Value:
    return ev.unknown(_name_result(expr))


_APPLY: Final[Mapping[type, Callable[[Evaluator, Any, tree.Call, Arguments, Frame, State], Value]]] = {
    External: _external, Function: _function, Closure: _closure, Class: _class, Choice: _choice, Kernel: _kernel,
}


# --- functions of the checked tree -----------------------------------------------------------------------------------

def function_value(ev: Evaluator, target: FunctionAt) -> Value:
    if record.is_kernel(ev, target.module, target.qualname):
        return Kernel(target.module.path, target.qualname)
    return Function(target.module, target.qualname)


def inline(
    ev: Evaluator, definition: tree.FuncDef | tree.Lambda, module: Module, qualname: str, outer: int | None,
    expr: tree.Call | None, given: Arguments, caller: Frame, state: State, defaults: dict[str, Value] | None = None,
) -> Value:
    """Follow a call. Where that is not possible the result and what the arguments hold are unknown."""
    label = qualname.rpartition(".")[2]
    key = (module.path, qualname)
    if given.open or caller.depth >= DEPTH or ev.fuel <= 0 or ev.active.count(key) > 1 or (
            isinstance(definition, tree.FuncDef) and definition.is_async):
        ev.unfollowed.add(key)
        ev.escape((*given.args, *given.named.values()), state)
        return ev.unknown(f"{label}()")
    frame = ev.frame(module, qualname, definition, outer, caller, expr)
    state.enter(frame.number)
    if not bind_parameters(ev, definition, given, frame, state, defaults or {}):
        state.leave(frame.number)
        ev.unfollowed.add(key)
        ev.escape((*given.args, *given.named.values()), state)
        return ev.unknown(f"{label}()")
    if expr is not None:
        ev.calls.add((key, expr.span))
    frame.arguments = (*given.args, *given.named.values())
    if isinstance(definition, tree.Lambda):
        value = ev.eval(definition.body, frame, state)
        return _leave_frame(value, frame, state)
    ev.active.append(key)
    ev.inlined.add(key)
    try:
        return _leave_frame(body_value(ev, definition, frame, state), frame, state)
    finally:
        ev.active.pop()


def _leave_frame(value: Value, frame: Frame, state: State) -> Value:
    """Variables of a frame that is left matter only to a function defined in it."""
    if not _keeps(value, state):
        state.leave(frame.number)
    return value


def _keeps(value: Value, state: State) -> bool:
    """Whether a function defined in the frame may be in the value."""
    if isinstance(value, Closure):
        return True
    if isinstance(value, Items):
        return any(_keeps(item, state) for item in value.items)
    if isinstance(value, Record):
        return any(_keeps(item, state) for _, item in value.fields)
    if isinstance(value, Choice):
        return any(_keeps(option, state) for _, option in value.options)
    return isinstance(value, Ref) and any(_keeps(item, state) for item in state.heap.get(value.key, OPEN).items)


def body_value(ev: Evaluator, definition: tree.FuncDef, frame: Frame, state: State) -> Value:
    """Run a body; the value returned, with the state where all its paths meet again."""
    if frame.yields is None and statements.yields(ev, definition):
        return statements.run_generator(ev, definition, frame, state)
    before = state.path
    state.path = ()
    statements.run(ev, definition.body, frame, state)
    ends = list(frame.returns)
    if not state.dead:
        ends.append((state.copy(), NONE))
    if not ends:
        state.path, state.dead = before, True
        return NONE
    last, value = ends[-1]
    for end, result in ends[-2::-1]:
        test = conj(*end.path)
        value = join_values(test, result, value)
        last = join_states(test, end, last, ())
    state.take(last)
    state.path, state.dead = before, False
    return value


def _default_of(ev: Evaluator, param: tree.Param, frame: Frame, state: State) -> Value:
    """The default of a parameter of a function that no frame defines."""
    if param.default is None:
        return ev.unknown(param.name)
    owner = syntax(frame.module).class_(frame.qualname.rpartition(".")[0])
    return ev.default_value(frame.module, param.default, owner)


def bind_parameters(
    ev: Evaluator, definition: tree.FuncDef | tree.Lambda, given: Arguments, frame: Frame, state: State,
    defaults: dict[str, Value],
) -> bool:
    """Bind arguments to parameters; false when they do not fit."""
    variables: dict[str, Value] = {}
    args = list(given.args)
    named = dict(given.named)
    for param in definition.params:
        if param.kind == "*":
            variables[param.name] = Items(tuple(args))
            args = []
        elif param.kind == "**":
            key = ev.invent_name("dict")
            state.heap[key] = OPEN if given.more else Contents(
                tuple(named.values()), tuple(Plain(name) for name in named))
            variables[param.name] = Ref("dict", key)
            named = {}
        elif param.kind != "keyword" and args:
            variables[param.name] = args.pop(0)
        elif param.name in named:
            variables[param.name] = named.pop(param.name)
        elif given.more:
            variables[param.name] = ev.unknown(param.name)
        elif param.name in defaults:
            variables[param.name] = defaults[param.name]
        elif param.default is not None:
            value = _default_of(ev, param, frame, state)
            ev.escape((value,), state)  # it is the same object in every call
            variables[param.name] = value
        else:
            return False
    for name, value in variables.items():
        state.bind(frame.number, name, value)
    return not args and not named

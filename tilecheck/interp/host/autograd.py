"""The initial state of the `backward` of a `torch.autograd.Function`, from the values that its `forward` saved.

    ctx.saved_tensors, ctx.name    the saved arrays, with the same shapes, and the saved values
    the gradients                  each has the shape of its result: torch rejects another shape, and creates zeros of
                                   that shape if there is no gradient

Only facts that hold at every return of `forward` are passed on. Storage and strides are not: hooks may have replaced a
saved array by a copy, and the gradient may be any array, also a result of `forward`. Mutable values may have changed in
between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from tilecheck.interp.host.state import State
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import Choice, Items, Tensor, Thing, Value
from tilecheck.project.module import Module
from tilecheck.symbolic import Cond, Opaque, Source, Stride, atoms_of
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

__all__ = ["forward_of", "start_backward"]

_LATER: Final = "set_materialize_grads"
"""After this a gradient may be missing."""


def forward_of(module: Module, qualname: str) -> tree.FuncDef | None:
    """The `forward` whose context a `backward` gets, where it is a plain one."""
    owner, _, name = qualname.rpartition(".")
    found = syntax(module).class_(owner) if name == "backward" and owner else None
    if found is None or not any(tree.get_last_name(base) == "Function" for base in found.bases):
        return None
    names = {stmt.name for stmt in found.body if isinstance(stmt, tree.FuncDef)}
    forward = syntax(module).function(f"{owner}.forward")
    if forward is None or "setup_context" in names or not forward.params:
        return None
    return forward


def start_backward(
    ev: Evaluator, module: Module, context: Thing, result: Value, after: State, backward: tree.FuncDef,
    parameter: Callable[[tree.Param, State], Value],
) -> tuple[State, dict[str, Value]]:
    """The state in which `backward` starts, and its parameters, `after` a `forward` with that result.

    parameter  creates the value of an unknown parameter
    """
    facts = {key: fact for key, fact in after.facts.items() if not _laid_out(fact)}
    state = State(ranks=dict(after.ranks), facts=facts, epochs=dict(after.epochs))
    kept = {name: value for (owner, name), value in after.attributes.items() if owner == context.name}
    ev.escape(tuple(kept.values()), state)
    state.attributes = {
        (context.name, name): _restore_saved(value, f"{context.name}.{name}") for name, value in kept.items()}
    values: dict[str, Value] = {p.name: parameter(p, state) for p in backward.params}
    values[backward.params[0].name] = context
    if _LATER not in module.code:
        results = list(result.items if isinstance(result, Items) else (result,))
        for param in backward.params[1:]:
            own = values[param.name]
            if param.kind == "*" and isinstance(own, Thing):
                rest = [Thing(f"{own.name}[{i}]") for i in range(len(results))]
                values[param.name] = Items(tuple(map(_gradient, rest, results)))
            elif param.kind == "positional" and results:
                values[param.name] = _gradient(values[param.name], results.pop(0))
    return state, values


def _gradient(param: Value, result: Value) -> Value:
    """The gradient of a result that is an array. If the result may be something else, the gradient is
    unknown: it may be None."""
    if not isinstance(param, Thing):
        return param
    if isinstance(result, Choice) and all(isinstance(option, Tensor) for _, option in result.options):
        return Choice(tuple((cond, _gradient(param, option)) for cond, option in result.options))
    return _restore_tensor(result, param.name) if isinstance(result, Tensor) else param


def _laid_out(fact: Cond) -> bool:
    """Whether a fact is about how an array lies in memory."""
    return any(isinstance(a, Stride) or (isinstance(a, Opaque) and a.source is Source.LAYOUT) for a in atoms_of(fact))


def _restore_saved(value: Value, name: str) -> Value:
    """The value saved under a name. An array still has its shape, but new storage and strides."""
    handler = _SAVED.get(type(value))
    return value if handler is None else handler(value, name)


def _items(value: Items, name: str) -> Value:
    return replace(value, items=tuple(_restore_saved(item, f"{name}[{i}]") for i, item in enumerate(value.items)))


def _choice(value: Choice, name: str) -> Value:
    return Choice(tuple((cond, _restore_saved(option, name)) for cond, option in value.options))


def _restore_tensor(value: Tensor, name: str) -> Tensor:
    return Tensor(value.name, name, name, value.shape, dtype=value.dtype)


_SAVED: Final[Mapping[type, Callable[[Any, str], Value]]] = {
    Tensor: _restore_tensor, Items: _items, Choice: _choice,
}

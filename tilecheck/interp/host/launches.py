"""The launches that the host code of a module makes."""

from __future__ import annotations

import ast
import gc
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tilecheck.interp.host import autograd, calls, statements
from tilecheck.interp.host import launch_sites as record
from tilecheck.interp.host import launch_slicing as simplify
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.interpreter import FUEL, Evaluator
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launch_sites import Raw
from tilecheck.interp.host.state import Contents, State
from tilecheck.interp.host.symbols import Symbols
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.uses import uses
from tilecheck.interp.host.values import Choice, Class, Function, Items, Kernel, Ref, Stored, Thing, Value
from tilecheck.project.module import Module
from tilecheck.symbolic import TRUE, Cond, conj
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.project.project import Project

_MODULE: Final = 4_000
_A_LINE: Final = 12
"""Statements executed for all functions of a module, and for each of its lines in addition. Beyond them, few calls of
each function are followed: the functions that are called are evaluated by themselves."""
_FEW: Final = 100
_AGAIN: Final = 4
"""Times that a function is evaluated in which more and more numbers turn out to be no integers."""
BODY: Final = "<module>"
_REFLECTING: Final = re.compile(r"\b(?:globals|locals)\(\)|(?<![.\w])(?:eval|exec)\(|\bsys\.modules\b")
"""Code that may call a function without its name."""
_METHODS: Final = frozenset({"forward", "backward", "setup_context"})


def find_launches(project: Project, module: Module) -> tuple[Launch, ...]:
    """Every launch of a kernel of the checked tree that a function of the module makes, or its body.

    A function that others of the module call is followed from there, with the arguments that it is given; by itself
    it is evaluated only when nothing else of the module reaches it, or when it is public.
    """
    return _search(project, module, _Search.launches)


def find_launches_of_unknown(project: Project, module: Module) -> tuple[Launch, ...]:
    """The launches of a module whose kernel is not known, such as one that `exec` defines. Their `kernel` is empty."""
    return _search(project, module, _Search.launches_of_unknown)


def _search(
    project: Project, module: Module, collect: Callable[[_Search], tuple[Launch, ...]],
) -> tuple[Launch, ...]:
    search = _Search(project, module)
    collecting = gc.isenabled()
    # many small values that live until the end, and hardly a cycle among them
    gc.disable()
    try:
        search.run()
        return collect(search)
    finally:
        if collecting:
            gc.enable()


class _Search:
    def __init__(self, project: Project, module: Module) -> None:
        self.module = module
        self.ev = Evaluator(project, module)
        self.raws: list[tuple[str, Symbols, Raw]] = []
        self.left = _MODULE + _A_LINE * len(module.lines)
        self._found: Mapping[str, Sequence[ast.Call | None]] | None = None

    def run(self) -> None:
        names = [name for name in self.module.host_functions() if not self._is_kernel(name)]
        names.reverse()  # callers mostly stand below what they call
        left: list[str] = []
        for name in sorted(names, key=_is_private):
            if _is_private(name) and self._is_reached(name):
                left.append(name)
            else:
                self._evaluate(name)
        while more := [n for n in left if self._is_called_elsewhere(n)][:1]:
            left.remove(more[0])
            self._evaluate(more[0])

    def _is_called_elsewhere(self, name: str) -> bool:
        """Whether a function is mentioned otherwise than in calls of it that were followed."""
        key = (self.module.path, name)
        if key in self.ev.unfollowed or _REFLECTING.search(self.module.code):
            return True
        followed = {(s.line, s.column, s.end_line, s.end_column) for k, s in self.ev.calls
                    if k == key and s.file == self.module.path}
        return any(call is None or not followed.issuperset(self._place(call))
                   for call in self._uses.get(name, ()))

    def _place(self, call: ast.Call) -> tuple[tuple[int, int, int, int]]:
        span = syntax(self.module).span(call)
        return ((span.line, span.column, span.end_line, span.end_column),)

    @property
    def _uses(self) -> Mapping[str, Sequence[ast.Call | None]]:
        if self._found is None:
            self._found = uses(self.module)
        return self._found

    def _is_kernel(self, name: str) -> bool:
        return record.is_kernel(self.ev, self.module, name)

    def _is_reached(self, name: str) -> bool:
        """Whether launches in this function were already met on the way from another one."""
        key = (self.module.path, name)
        return any(key in raw.chain and bool(tables.kernels(self.ev, raw.kernel)) for _, _, raw in self.raws)

    def _evaluate(self, name: str) -> None:
        ev = self.ev
        fractions: frozenset[str] = frozenset()
        for _ in range(_AGAIN):
            fuel = self._fuel
            ev.begin(fractions, fuel)
            try:
                self._run(name)
            except Exception:  # what cannot be followed must not cost the other functions their launches
                if os.environ.get("TILECHECK_DEBUG"):
                    raise
            self.left -= fuel - ev.fuel
            found = ev.symbols.between_integers()
            if not found:
                break
            fractions |= found
        self.raws += [(name, ev.symbols, raw) for raw in ev.records]

    @property
    def _fuel(self) -> int:
        """Statements that one function may take."""
        return min(FUEL, max(self.left, _FEW))

    def _run(self, name: str) -> None:
        ev = self.ev
        if name == BODY:
            frame = ev.frame(self.module, BODY, None, None)
            statements.run(ev, syntax(self.module).body(), frame, State(variables={frame.number: {}}))
            return
        definition = syntax(self.module).function(name)
        if definition is None:
            return
        forward = autograd.forward_of(self.module, name)
        if forward is not None and self._run_after(forward, name, definition):
            return
        state = State()
        values = {param.name: self._parameter(param, state) for param in definition.params}
        self._note_self(name, definition, values)
        # callers that are not seen have the result, which may be a function
        ev.escape((self._body(name, definition, values, state),), state)

    def _note_self(self, name: str, definition: tree.FuncDef, values: Mapping[str, Value]) -> None:
        """Take note of the class of which a method gets an object, or the class itself."""
        owner = self.module.skeleton.definitions[name].owner
        first = definition.params[0].name if definition.params else ""
        given = values.get(first)
        if owner is not None and first in ("self", "cls") and isinstance(given, Thing):
            self.ev.selves[given.name] = Class(self.module, owner)

    def _body(self, name: str, definition: tree.FuncDef, values: dict[str, Value], state: State) -> Value:
        ev = self.ev
        frame = ev.frame(self.module, name, definition, None)
        state.variables = {**state.variables, frame.number: values}
        ev.active.append((self.module.path, name))
        result = calls.body_value(ev, definition, frame, state)
        ev.active.pop()
        return result

    def _run_after(self, forward: tree.FuncDef, name: str, backward: tree.FuncDef) -> bool:
        """Run a `backward` after its `forward`; false where one of them cannot be followed."""
        ev = self.ev
        state = State()
        values = {param.name: self._parameter(param, state) for param in forward.params}
        context = values[forward.params[0].name]
        result = self._run_decorated(f"{name.rpartition('.')[0]}.forward", forward, values, state)
        self.left -= self._fuel - ev.fuel
        # what it launches is seen where it is looked at by itself
        ev.records, ev.fuel = [], self._fuel
        if result is None or state.dead or not isinstance(context, Thing):
            ev.begin(ev.symbols.fractions, self._fuel)
            return False
        state, values = autograd.start_backward(ev, self.module, context, result, state, backward, self._parameter)
        return self._run_decorated(name, backward, values, state) is not None

    def _run_decorated(
        self, name: str, definition: tree.FuncDef, values: dict[str, Value], state: State,
    ) -> Value | None:
        """The result of a function as others see it, with its decorators; None where these are not understood."""
        if calls.are_transparent(self.ev, definition, self.module):
            return self._body(name, definition, values, state)
        span = definition.span
        call = tree.Call(tree.Name(definition.name, span), (), (), span)
        frame = self.ev.frame(self.module, BODY, None, None)
        state.enter(frame.number)
        made = calls.apply_decorators(self.ev, definition, Function(self.module, name), call, frame, state)
        if made is None or any(p.kind not in ("positional", "*") for p in definition.params):
            return None
        given: list[Value] = []
        for param in definition.params:
            value = values[param.name]
            if param.kind == "*" and not isinstance(value, Items):
                return None
            given += value.items if param.kind == "*" and isinstance(value, Items) else (value,)
        return calls.apply(self.ev, made, call, calls.Arguments(tuple(given), {}), frame, state)

    def _parameter(self, param: tree.Param, state: State) -> Value:
        ev = self.ev
        name = ev.invent_name(param.name)
        ev.symbols.given.add(name)
        if param.kind == "*":
            return Thing(name, numeric=False)
        if param.kind == "**":
            key = ev.invent_name("kwargs")
            state.heap[key] = Contents(bound="open")
            return Ref("dict", key)
        flag = isinstance(param.default, tree.Constant) and isinstance(param.default.value, bool)
        if param.name not in ("self", "cls", "ctx") and not flag:
            # callers choose a number, but not one for a flag
            ev.symbols.free.add(name)
        if param.name in ("self", "cls"):
            ev.symbols.objects.add(name)
        if param.annotation is not None and calls.find_external_path(
                ev, param.annotation, self.module) == "builtins.int":
            ev.symbols.integers.add(name)
        fractional = _get_name(param.annotation) == "float" or (isinstance(param.default, tree.Constant) and isinstance(
            param.default.value, float))
        return Thing(name, numeric=not fractional)

    def launches(self) -> tuple[Launch, ...]:
        found: dict[Launch, None] = {}
        for name, symbols, raw in self.raws:
            self.ev.symbols = symbols
            kernels = list(_kernels(self.ev, raw.kernel))
            certain = len(kernels) == 1 and _only_kernels(self.ev, raw.kernel)
            for cond, kernel in kernels:
                launch = self._launch(name, raw, cond, kernel)
                if launch is not None:
                    found[launch if certain else replace(launch, certain=False)] = None
        return tuple(sorted(found, key=lambda launch: (launch.span, launch.wrapper, launch.kernel)))

    def launches_of_unknown(self) -> tuple[Launch, ...]:
        found: dict[Launch, None] = {}
        for name, symbols, raw in self.raws:
            self.ev.symbols = symbols
            if not any(True for _ in _kernels(self.ev, raw.kernel)):
                launch = self._launch(name, raw, TRUE, Kernel("", ""))
                if launch is not None:
                    found[launch] = None
        return tuple(sorted(found, key=lambda launch: (launch.span, launch.wrapper)))

    def _launch(self, name: str, raw: Raw, cond: Cond, kernel: Kernel) -> Launch | None:
        if raw.lists:
            definition = record.definition(self.ev, kernel)
            raw = raw if definition is None else raw.taken_by(len(definition.params))
        facts = conj(*raw.facts, cond)
        if facts.op == "false":
            return None
        try:
            return simplify.launch(self.ev, raw, name, facts, kernel)
        except Exception:  # a launch of which nothing is known is still a launch
            if os.environ.get("TILECHECK_DEBUG"):
                raise
            return Launch((kernel.file, kernel.qualname), (None, None, None), None, TRUE, raw.span, raw.how, name)


def _is_private(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    return (last.startswith("_") and not last.startswith("__")) or (bool(owner) and last in _METHODS)


def _get_name(annotation: tree.Expr | None) -> str:
    return annotation.id if isinstance(annotation, tree.Name) else ""


def _only_kernels(ev: Evaluator, value: Value) -> bool:
    """Whether a value is a kernel of the checked tree whichever way it comes about."""
    options = [option for _, option in value.options] if isinstance(value, Choice) else [value]
    return all(tables.kernels(ev, option) for option in options) and not any(
        isinstance(option, Thing) and isinstance(option.origin, Stored) and option.origin.partial for option in options)


def _kernels(ev: Evaluator, value: Value) -> Iterable[tuple[Cond, Kernel]]:
    """The kernels a launch may launch, each with the condition under which it does."""
    options = value.options if isinstance(value, Choice) else ((TRUE, value),)
    found: dict[Kernel, list[Cond]] = {}
    for cond, option in options:
        for kernel in tables.kernels(ev, option):
            found.setdefault(kernel, []).append(cond)
    for kernel, conds in found.items():
        # from a cache or created just now: the same kernel, under the common part of the conditions
        parts = [_list_conjuncts(cond) for cond in conds]
        yield conj(*(part for part in parts[0] if all(part in other for other in parts))), kernel


def _list_conjuncts(cond: Cond) -> tuple[Cond, ...]:
    return cond.args if cond.op == "and" else (cond,)

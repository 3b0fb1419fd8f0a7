"""Ownership errors in the host code of a module, and its launches."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.ownership.concerned import find_ownership_functions
from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.handles import create_handle
from tilecheck.interp.ownership.interpreter import Abandoned, Broke, Continued, Machine, Raised, Refused, Returned
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.objects import Blueprint, HandleKind, Instance, Operation, Scope, Value
from tilecheck.interp.ownership.operations import never_run
from tilecheck.interp.ownership.path import Path, paths
from tilecheck.interp.ownership.signatures import Kernels
from tilecheck.interp.ownership.statements import run_block
from tilecheck.project.resolve import FunctionAt, dotted_parts
from tilecheck.project.skeleton import Definition, ImportBinding, ValueBinding
from tilecheck.project.targets import ExternalName, ModuleTarget
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Span
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["Owned", "find_ownership"]

_BODY: Final = "<module>"
_BUDGET: Final = 10_000
"""Statements on all paths through one function."""
_A_LINE: Final = 12
"""Statements on all paths through all functions of a file, for each of its lines. Beyond them, one path of a function
is followed."""
_KINDS: Final[dict[str, HandleKind]] = {
    "Tensor": "tensor", "Partition": "partition", "SharedTensor": "shared tensor"}


class Owned(Struct, frozen=True):
    """Ownership errors, and the launches through the runtime."""

    events: tuple[Event, ...] = ()
    launches: tuple[Launch, ...] = ()


def find_ownership(project: Project, module: Module) -> Owned:
    """See `Owned`. A file that cannot be about ownership costs a look at its bytes."""
    return _Search(project, module).run() if module.may_own else Owned()


class _Search:
    def __init__(self, project: Project, module: Module) -> None:
        self.project, self.module = project, module
        self.kernels = Kernels(project)
        self.events: dict[Event, None] = {}
        self.launches: dict[Launch, None] = {}
        self.called: set[tuple[str, str]] = set()
        self.left = 0

    def run(self) -> Owned:
        definitions = self.module.skeleton.definitions
        kernels = {name for name in definitions if self.kernels.find(self.module, name) is not None}
        order = {name: place for place, name in enumerate(definitions)}
        names = [name for name, found in definitions.items() if name not in kernels and not kernels & set(found.outer)]
        bodies: dict[str, list[ast.stmt]] = {name: definitions[name].node.body for name in names}
        bodies[_BODY] = [s for s in self.module.skeleton.tree.body if not isinstance(
            s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)]
        wanted = find_ownership_functions(bodies, self.launchable(kernels))
        self.left = max(_BUDGET, _A_LINE * len(self.module.lines)) if wanted else 0
        if _BODY in wanted:
            self.follow(_BODY)
        for name in sorted(wanted - {_BODY}, key=lambda name: (bool(definitions[name].outer), order[name])):
            # what stands in another function means something where that one is followed
            if not definitions[name].outer or (self.module.path, name) not in self.called:
                self.follow(name)
        events = sorted(self.events, key=lambda e: (e.span, e.code, e.kind, e.subject))
        return Owned(tuple(_one_for_each_place(events)), tuple(self.launches))

    def launchable(self, kernels: set[str]) -> Iterator[str]:
        """Names by which kernels may be called in this file."""
        yield from (name.rpartition(".")[2].partition("#")[0] for name in kernels)
        for name, bounds in self.module.skeleton.scopes[""].items():
            if not any(isinstance(bound.binding, ImportBinding | ValueBinding) for bound in bounds):
                continue
            try:
                origin = self.project.resolver.module_name(self.module, name)
            except SourceError:
                continue
            kernel = isinstance(origin, FunctionAt) and self.kernels.find(origin.module, origin.qualname) is not None
            if kernel or (isinstance(origin, ModuleTarget) and origin.module.names_runtime):
                yield name

    def follow(self, name: str) -> None:
        """Follows the paths of a function."""
        try:
            ends, left, every = [], min(self.left, _BUDGET), True
            for end in paths(lambda path: self.path(name, path)):
                ends.append(end)
                left -= end[0].spent
                self.left -= end[0].spent
                if left < 0:
                    every = False
                    break
        except SourceError:
            return
        except Exception:  # what cannot be followed must not cost the other functions their findings
            if os.environ.get("TILECHECK_DEBUG"):
                raise
            return
        run: dict[Span, list[bool]] = {}
        for machine, operations in ends:
            self.events.update(dict.fromkeys(machine.list_events()))
            self.launches.update(dict.fromkeys(machine.launches))
            self.called |= machine.called
            for operation, had_its_chance in operations:
                run.setdefault(operation.span, []).append(had_its_chance)
        whats = {o.span: o.what for _, operations in ends for o, _ in operations}
        for span, outcomes in run.items():
            if not all(outcomes):
                some = any(outcomes) or not every
                self.events[Event("TC404", "some path" if some else "never", span, whats[span],
                                  fix="run it: `.sync()`, or `.start()` and wait for it later",
                                  severity="warning" if some else "error")] = None

    def path(self, name: str, path: Path) -> tuple[Machine, list[tuple[Operation, bool]]]:
        m = Machine(self.project, self.module, self.kernels, path)
        scope = Scope(self.module, name)
        operations: list[tuple[Operation, bool]] = []
        with m.enter_scope(scope):
            try:
                self.body(m, scope, name)
                operations = never_run(m)
            except Returned as returned:
                escape(m, (returned.value, *m.given))
                operations = never_run(m)
            except (Raised, Refused, Abandoned, Broke, Continued, RecursionError):
                pass
        return m, operations

    def body(self, m: Machine, scope: Scope, name: str) -> None:
        if name == _BODY:
            m.globals[self.module.path] = scope
            run_block(m, self.module.skeleton.tree.body)
            return
        definition = self.module.skeleton.definitions[name]
        m.active.append((self.module.path, name))
        _parameters(m, scope, definition)
        run_block(m, definition.node.body)
        escape(m, m.given)


def _parameters(m: Machine, scope: Scope, definition: Definition) -> None:
    declared = definition.node.args
    positional = [*declared.posonlyargs, *declared.args]
    for at, argument in enumerate([*positional, *declared.kwonlyargs]):
        value = _read_annotations(m, argument) or m.unknown(argument.arg)
        if at == 0 and definition.owner is not None and not _is_static(definition):
            value = _receiver(m, definition)
        scope.variables[argument.arg] = value
        m.given.append(value)
    for rest in (declared.vararg, declared.kwarg):
        if rest is not None:
            scope.variables[rest.arg] = m.unknown(rest.arg)


def _is_static(definition: Definition) -> bool:
    return any(isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod")
               for d in definition.node.decorator_list)


def _receiver(m: Machine, definition: Definition) -> Instance:
    """`self` with the attributes that `__init__` sets and no other method changes."""
    owner = definition.owner or ""
    blueprint = Blueprint(m.module, owner)
    made_ = Instance(blueprint, "self")
    name = f"{owner}.__init__"
    initial = m.module.skeleton.definitions.get(name)
    if initial is None or definition.qualname == name or definition.outer:
        return made_
    scope = Scope(m.module, name)
    first = (*initial.node.args.posonlyargs, *initial.node.args.args)
    for argument in (*first, *initial.node.args.kwonlyargs):
        scope.variables[argument.arg] = _read_annotations(m, argument) or m.unknown(argument.arg)
    if not first:
        return made_
    scope.variables[first[0].arg] = made_
    m.quiet += 1
    try:
        with m.enter_scope(scope):
            run_block(m, initial.node.body)
    except Returned:
        pass
    finally:
        m.quiet -= 1
    operations, m.operations = m.operations, []
    del operations, m.launches[:]
    for changed in _assigned_elsewhere(m, owner, (name,)):
        made_.attributes.pop(changed, None)
    return made_


def _assigned_elsewhere(m: Machine, owner: str, but: tuple[str, ...]) -> Iterator[str]:
    """Attributes of `self` that other methods assign."""
    for definition in m.module.skeleton.definitions.values():
        if definition.owner == owner and definition.qualname not in but:
            for node in walk(definition.node):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                    yield node.attr


def _read_annotations(m: Machine, argument: ast.arg) -> Value | None:
    """The tensor that a parameter is declared as."""
    node = argument.annotation
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return None
    if isinstance(node, ast.Subscript):
        node = node.value
    parts = None if node is None else dotted_parts(node)
    found = None if parts is None else m.project.resolver.chain(m.module, parts)
    if not isinstance(found, ExternalName) or not found.name.startswith("tilecheck_runtime"):
        return None
    kind = _KINDS.get(found.name.rpartition(".")[2])
    if kind is None:
        return None
    from tilecheck.interp.host.syntax import syntax

    return create_handle(m, syntax(m.module).span(argument), None, None, argument.arg, True, True, kind)


def _one_for_each_place(events: list[Event]) -> Iterator[Event]:
    """One event for each location: a certain one before a possible one, and TC403 before TC402."""
    sure = {(e.span, e.subject) for e in events if e.sure}
    in_flight = {(e.span, e.subject) for e in events if e.code == "TC403"}
    seen: set[tuple[object, ...]] = set()
    for e in events:
        place = (e.span, e.subject)
        if (not e.sure and place in sure) or (e.code == "TC402" and place in in_flight):
            continue
        key = (e.span, e.code, e.subject, e.needs)
        if key not in seen:
            seen.add(key)
            yield e


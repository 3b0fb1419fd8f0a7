"""The state of one path through a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.objects import (
    Blueprint,
    Capture,
    Instance,
    Operation,
    Scope,
    Storage,
    Stream,
    Unknown,
    Value,
)
from tilecheck.interp.ownership.path import Path
from tilecheck.interp.ownership.signatures import Kernels
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["Abandoned", "Broke", "Continued", "Machine", "Raised", "Refused", "Returned"]

_FUEL: Final = 1500
"""Statements on one path."""
DEPTH: Final = 6
"""Calls that are followed into each other."""


class Returned(Exception):
    """A function returns."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Broke(Exception):
    """`break`"""


class Continued(Exception):
    """`continue`"""


class Raised(Exception):
    """The program raises something: what was not run is not the matter then."""


class Refused(Exception):
    """The runtime refuses an operation, and the program expects that. A refused operation has no effect."""


class Abandoned(Exception):
    """The path is not followed any further: it is too long, or does not end."""


class Machine:
    """
    stack       scopes under evaluation, outermost first
    held        values that are between two steps, such as arguments
    globals     the variables of the module, if its body is interpreted
    operations  all that were built
    quiet       how many enclosing functions are interpreted for their result only
    expecting   how many blocks around this place expect a refusal
    inside      how many operations around this place are running
    current     CUDA streams that are current, innermost last
    captures    graphs of torch that are being captured
    """

    def __init__(self, project: Project, module: Module, kernels: Kernels, path: Path) -> None:
        self.project, self.module, self.kernels, self.path = project, module, kernels, path
        self.stack: list[Scope] = []
        self.held: list[Value] = []
        self.globals: dict[str, Scope] = {}
        self.operations: list[Operation] = []
        self.events: list[tuple[Event, Storage | None]] = []
        self.launches: list[Launch] = []
        self.called: set[tuple[str, str]] = set()
        self.instances: dict[str, Instance] = {}
        self.active: list[tuple[str, str]] = []
        self.given: list[Value] = []
        self.quiet = self.expecting = self.inside = 0
        self.streams: dict[str, Stream] = {}
        self.current: list[Stream] = []
        self.captures: list[Capture] = []
        self.ended_by_error = False
        self._fuel = _FUEL
        self._names: dict[str, int] = {}

    @property
    def spent(self) -> int:
        """Statements so far."""
        return _FUEL - self._fuel

    @property
    def scope(self) -> Scope:
        return self.stack[-1]

    def spend(self) -> None:
        """One statement."""
        self._fuel -= 1
        if self._fuel < 0:
            raise Abandoned

    def make_name(self, hint: str) -> str:
        """A name that no other unknown value of this path has."""
        count = self._names[hint] = self._names.get(hint, 0) + 1
        return hint if count == 1 else f"{hint}#{count}"

    def unknown(self, hint: str = "value") -> Unknown:
        return Unknown(self.make_name(hint))

    def span(self, node: ast.AST) -> Span:
        return syntax(self.scope.module).span(node)

    def report(self, event: Event, storage: Storage | None = None) -> None:
        """Record an event, once for each storage: later events follow from the first."""
        if self.expecting and event.sure:
            raise Refused
        if self.quiet or self.expecting or (storage is not None and storage.reported):
            return
        if storage is not None and event.sure:
            storage.reported = True
        self.events.append((event, storage))

    def list_events(self) -> Iterator[Event]:
        """The events on this path. An event about storage that may not be a runtime tensor is possible, not certain."""
        for event, storage in self.events:
            yield event if storage is None or storage.sure else replace(event, sure=False)

    @contextmanager
    def enter_scope(self, scope: Scope) -> Iterator[None]:
        self.stack.append(scope)
        try:
            yield
        finally:
            self.stack.pop()

    @contextmanager
    def hold_values(self, values: Iterable[Value]) -> Iterator[None]:
        """Keep values alive while the context is open."""
        before = len(self.held)
        self.held.extend(values)
        try:
            yield
        finally:
            del self.held[before:]

    def instance(self, blueprint: Blueprint) -> Instance:
        return Instance(blueprint, self.make_name(blueprint.name))

"""What one path through a function has done so far."""

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
    """The runtime refuses something, and the program expects that. What is refused has no effect."""


class Abandoned(Exception):
    """The path is not followed any further: it is too long, or does not end."""


class Machine:
    """
    stack       scopes under evaluation, outermost first
    held        values that are between two steps, such as arguments
    globals     the variables of the module, where its body is what is followed
    operations  all that were built
    quiet       how many functions around this place are only followed for what they make
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

    def fresh(self, hint: str) -> str:
        """A name that no other unknown value of this path has."""
        count = self._names[hint] = self._names.get(hint, 0) + 1
        return hint if count == 1 else f"{hint}#{count}"

    def unknown(self, hint: str = "value") -> Unknown:
        return Unknown(self.fresh(hint))

    def span(self, node: ast.AST) -> Span:
        return syntax(self.scope.module).span(node)

    def report(self, event: Event, storage: Storage | None = None) -> None:
        """Says that something is wrong, once for each storage: what follows from it is not another fault."""
        if self.expecting and event.sure:
            raise Refused
        if self.quiet or self.expecting or (storage is not None and storage.reported):
            return
        if storage is not None and event.sure:
            storage.reported = True
        self.events.append((event, storage))

    def found(self) -> Iterator[Event]:
        """What is wrong on this path. Of what may be no tensor of the runtime nothing is certain."""
        for event, storage in self.events:
            yield event if storage is None or storage.sure else replace(event, sure=False)

    @contextmanager
    def entered(self, scope: Scope) -> Iterator[None]:
        self.stack.append(scope)
        try:
            yield
        finally:
            self.stack.pop()

    @contextmanager
    def holding(self, values: Iterable[Value]) -> Iterator[None]:
        """These are alive meanwhile."""
        before = len(self.held)
        self.held.extend(values)
        try:
            yield
        finally:
            del self.held[before:]

    def instance(self, blueprint: Blueprint) -> Instance:
        return Instance(blueprint, self.fresh(blueprint.name))

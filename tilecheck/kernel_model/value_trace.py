"""A kernel executed with the value of each expression, and of each variable where it is set, noted by its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from tilecheck.interp.kernel.expressions import EXPRESSIONS
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.statements import STATEMENTS
from tilecheck.interp.kernel.values import Value
from tilecheck.kernel_model.driver import run_until_stable
from tilecheck.syntax.tree import Assign, AugAssign, Expr, Name, Sequence, Span, Starred, Stmt

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

__all__ = ["values_by_place"]


def values_by_place(project: Project, site: KernelSite) -> Mapping[Span, tuple[Value, ...]]:
    """The values that each place of a kernel has, also in the helpers that it calls. A place has several where it is
    executed several times."""
    machine = run_until_stable(project, site, (), _EXPRESSIONS, _STATEMENTS)
    return {span: tuple(values) for span, values in machine.notes.seen.items()}


def _note(m: Machine, span: Span, value: Value) -> None:
    known = m.notes.seen.setdefault(span, [])
    if not any(v is value for v in known):
        known.append(value)


def _expression(handler: Callable[[Machine, Any], Value]) -> Callable[[Machine, Any], Value]:
    def trace(m: Machine, e: Any) -> Value:
        value = handler(m, e)
        if m.noting:
            _note(m, e.span, value)
        return value

    return trace


def _targets(target: Expr) -> Iterator[Name]:
    if isinstance(target, Name):
        yield target
    elif isinstance(target, Sequence):
        for item in target.items:
            yield from _targets(item)
    elif isinstance(target, Starred):
        yield from _targets(target.value)


def _assignment(handler: Callable[[Machine, Any], None]) -> Callable[[Machine, Any], None]:
    def trace(m: Machine, s: Any) -> None:
        handler(m, s)
        if m.noting:
            for target in s.targets if isinstance(s, Assign) else (s.target,):
                for name in _targets(target):
                    value = m.top.env.get(name.id)
                    if value is not None:
                        _note(m, name.span, value)

    return trace


_EXPRESSIONS: Final = {
    kind: _expression(handler) for kind, handler in cast("Mapping[type[Expr], Any]", EXPRESSIONS).items()}
_STATEMENTS: Final = {
    kind: _assignment(handler) if kind in (Assign, AugAssign) else handler
    for kind, handler in cast("Mapping[type[Stmt], Any]", STATEMENTS).items()}

"""Declarations on kernels: what a launch must satisfy, and where the author takes responsibility.

Nothing is imported but the standard library, and decorating never changes, wraps or rejects what is decorated. The
declaration is kept on the Python function, so it survives everything that makes a new kernel object of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar, overload

__all__ = ["ATTRIBUTE", "Declaration", "declaration_of", "deny_residual", "requires", "unsafe"]

F = TypeVar("F")

ATTRIBUTE: Final = "__tilecheck__"
"""Of the Python function, where its declaration is kept."""


@dataclass(frozen=True)
class Declaration:
    """What a kernel's author declared.

    requires       clauses in the contract language, top to bottom as written
    unsafe         the reason given with `@unsafe`; None when the kernel has no such opt-out
    deny_residual  whether everything that is not settled is an error
    """

    requires: tuple[str, ...] = ()
    unsafe: str | None = None
    deny_residual: bool = False


_EMPTY: Final = Declaration()


def declaration_of(kernel: object) -> Declaration:
    """The declaration of a kernel object or function; an empty one when there is none. The same object as long as
    nothing more is declared."""
    found = getattr(_function(kernel), ATTRIBUTE, None)
    return found if isinstance(found, Declaration) else _EMPTY


def requires(*clauses: str) -> Callable[[F], F]:
    """Declare conditions on the launch of a kernel: `@requires("x.shape[1] == y.shape[0]")`."""

    def declare(kernel: F) -> F:
        old = declaration_of(kernel)
        return _keep(kernel, replace(old, requires=clauses + old.requires))

    return declare


@overload
def unsafe(reason: str = ...) -> Callable[[F], F]: ...
@overload
def unsafe(reason: F) -> F: ...
def unsafe(reason: object = "") -> object:
    """Take responsibility for a kernel, and say why: `@unsafe("rows are sorted by the caller")`."""
    why = reason if isinstance(reason, str) else ""

    def declare(kernel: F) -> F:
        return _keep(kernel, replace(declaration_of(kernel), unsafe=why))

    return declare if isinstance(reason, str) else declare(reason)


def deny_residual(kernel: F) -> F:
    """Make everything an error that is settled neither statically nor by the kernel's contract."""
    return _keep(kernel, replace(declaration_of(kernel), deny_residual=True))


def _function(kernel: object) -> object:
    return getattr(kernel, "_pyfunc", kernel)


def _keep(kernel: F, declaration: Declaration) -> F:
    try:
        setattr(_function(kernel), ATTRIBUTE, declaration)
    except (AttributeError, TypeError):  # an object without a place for it must not break the module it stands in
        return kernel
    return kernel

"""Declarations on kernels: preconditions of a launch, and responsibility of the author.

This module imports only the standard library. Decorating never changes, wraps or rejects the decorated object. The
declaration is stored on the Python function, so every kernel object that is created from the function has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar, overload

__all__ = ["ATTRIBUTE", "Declaration", "declaration_of", "deny_residual", "requires", "unsafe"]

F = TypeVar("F")

ATTRIBUTE: Final = "__tilecheck__"
"""The attribute of the Python function that stores its declaration."""


@dataclass(frozen=True)
class Declaration:
    """The declarations of a kernel's author.

    requires       clauses in the contract language, from top to bottom
    unsafe         the reason given with `@unsafe`; None if the kernel has no such suppression
    deny_residual  whether every unproven obligation is an error
    """

    requires: tuple[str, ...] = ()
    unsafe: str | None = None
    deny_residual: bool = False


_EMPTY: Final = Declaration()


def declaration_of(kernel: object) -> Declaration:
    """The declaration of a kernel object or function; an empty one if there is none.

    Returns the same object until another declaration is added.
    """
    found = getattr(_function(kernel), ATTRIBUTE, None)
    return found if isinstance(found, Declaration) else _EMPTY


def requires(*clauses: str) -> Callable[[F], F]:
    """Declare preconditions on the launch of a kernel: `@requires("x.shape[1] == y.shape[0]")`."""

    def declare(kernel: F) -> F:
        old = declaration_of(kernel)
        return _store(kernel, replace(old, requires=clauses + old.requires))

    return declare


@overload
def unsafe(reason: str = ...) -> Callable[[F], F]: ...
@overload
def unsafe(reason: F) -> F: ...
def unsafe(reason: object = "") -> object:
    """Take responsibility for a kernel, with a reason: `@unsafe("rows are sorted by the caller")`."""
    why = reason if isinstance(reason, str) else ""

    def declare(kernel: F) -> F:
        return _store(kernel, replace(declaration_of(kernel), unsafe=why))

    return declare if isinstance(reason, str) else declare(reason)


def deny_residual(kernel: F) -> F:
    """Make every obligation an error that is neither proved statically nor enforced by the kernel's contract."""
    return _store(kernel, replace(declaration_of(kernel), deny_residual=True))


def _function(kernel: object) -> object:
    return getattr(kernel, "_pyfunc", kernel)


def _store(kernel: F, declaration: Declaration) -> F:
    try:
        setattr(_function(kernel), ATTRIBUTE, declaration)
    except (AttributeError, TypeError):  # decorating an object without attributes must not break its module
        return kernel
    return kernel

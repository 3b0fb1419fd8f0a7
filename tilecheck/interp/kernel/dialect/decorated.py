"""Decorators of a definition: those that make it a kernel, and those that may replace the function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tilecheck.interp.kernel.dialect.signature import is_runtime_name
from tilecheck.project.targets import ExternalName
from tilecheck.syntax.tree import Attribute, Call, Expr, FuncDef, Name

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite, Module
    from tilecheck.project.project import Project

__all__ = ["decorator_text", "find_replacing_decorators", "is_kernel"]

_OURS: Final = ("tilecheck.", "tilecheck_runtime.")
_KEEPING: Final = frozenset({
    "typing.no_type_check", "typing.final", "typing.override", "typing_extensions.final", "typing_extensions.override",
    "typing_extensions.deprecated", "warnings.deprecated",
})
"""Decorators of the standard library that hand the function on as it is."""


def _get_decorator(decorator: Expr) -> Expr:
    return decorator.func if isinstance(decorator, Call) else decorator


def is_kernel(project: Project, module: Module, definition: FuncDef) -> bool:
    """Whether a decorator makes a kernel of the dialect of a definition at the level of a module."""
    return any(is_runtime_name(project.resolve(module, _get_decorator(d)), "kernel") for d in definition.decorators)


def find_replacing_decorators(project: Project, site: KernelSite) -> Iterator[Expr]:
    """Yields the decorators below the one that creates the kernel. They may pass another function than the written one.

    `@kernel` creates the kernel, or the first decorator without a known other meaning, such as
    `fast = kernel(occupancy=2)`, or a call above all decorators: `made = kernel(function)`.
    """
    targets = [project.resolve(site.module, _get_decorator(d)) for d in site.decorators]
    makers = [k for k, t in enumerate(targets) if is_runtime_name(t, "kernel")]
    strangers = [k for k, t in enumerate(targets) if not _keeps(t)]
    maker = -1 if site.how == "call" else min(makers or strangers, default=len(targets))
    yield from (site.decorators[k] for k in strangers if k > maker)


def _keeps(target: object) -> bool:
    return isinstance(target, ExternalName) and (target.name.startswith(_OURS) or target.name in _KEEPING)


def decorator_text(decorator: Expr) -> str:
    """`@swap`, without arguments."""
    e, parts = _get_decorator(decorator), []
    while isinstance(e, Attribute):
        parts.append(e.attr)
        e = e.value
    return "@" + ".".join([e.id if isinstance(e, Name) else "...", *reversed(parts)])

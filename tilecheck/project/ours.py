"""Recognises decorators of this package under any name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilecheck.project.targets import ConstantTarget, ExternalName
from tilecheck.syntax.tree import Expr

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

__all__ = ["is_ours"]

_PACKAGES: Final = ("tilecheck", "tilecheck.decorators", "tilecheck_runtime")
_DEPTH: Final = 8
"""The most aliases that are followed."""


def is_ours(project: Project, site: KernelSite, decorator: Expr, name: str) -> bool:
    """Whether the decorator of a kernel, without its arguments, is `name` of this package."""
    target = project.resolve(site.module, decorator, _scope(site))
    for _ in range(_DEPTH):
        if not isinstance(target, ConstantTarget) or target.several:
            break
        target = project.resolve(target.module, target.value)
    return isinstance(target, ExternalName) and target.name in {f"{package}.{name}" for package in _PACKAGES}


def _scope(site: KernelSite) -> str:
    """The function that a kernel is defined in, "" for none. Few are, and only those need to know all of their file."""
    definition = site.module.skeleton.definitions.get(site.qualname) if "." in site.qualname else None
    return definition.outer[-1] if definition is not None and definition.outer else ""

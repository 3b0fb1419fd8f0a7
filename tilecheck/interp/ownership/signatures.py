"""Callees: kernels of the checked tree, with their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from tilecheck.interp.kernel.dialect.signature import Parameter, signature
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite, Module
    from tilecheck.project.project import Project

__all__ = ["Callee", "Kernels"]


class Callee(Struct, frozen=True):
    """A kernel. For a plain cuTile kernel `parameters` is empty, and `names` has the names of its parameters."""

    file: str
    qualname: str
    span: Span
    dialect: bool
    parameters: tuple[Parameter, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As messages call it."""
        return self.qualname.rpartition(".")[2]

    @property
    def key(self) -> tuple[str, str]:
        return self.file, self.qualname


class Kernels:
    """The kernels of a project, by definition."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._sites: dict[str, dict[str, KernelSite]] = {}
        self._known: dict[tuple[str, str], Callee] = {}

    def find(self, module: Module, qualname: str) -> Callee | None:
        """The kernel of that name in a file; None for another function."""
        site = self._of(module).get(qualname)
        if site is None:
            return None
        key = (module.path, qualname)
        if key not in self._known:
            parameters = signature(self.project, site) if site.dialect else ()
            names = tuple(p.name for p in site.definition.params)
            self._known[key] = Callee(*key, site.definition.name_span, site.dialect, parameters, names)
        return self._known[key]

    def _of(self, module: Module) -> dict[str, KernelSite]:
        known = self._sites.get(module.path)
        if known is None:
            try:
                sites = module.kernels() if module.may_matter else ()
            except SourceError:
                sites = ()
            known = self._sites[module.path] = {site.qualname: site for site in sites if site.module is module}
        return known

"""The kernel to migrate: its source, and its analysis by the checker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import libcst as cst

from tilecheck.api import check_paths
from tilecheck.config import Config
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.kernel_model.driver import execute
from tilecheck.project.project import Project
from tilecheck.repair.source.tree import Source, parse_source
from tilecheck.syntax.text import SourceError, decode
from tilecheck_runtime.migrate.refusal import Absent, Refusal

__all__ = ["SourceKernel", "read_kernel"]

_ACCEPTED: Final = frozenset({"proved", "conditional", "atomic", "single-block"})


@dataclass(frozen=True)
class SourceKernel:
    """A proved kernel of cuTile.

    source    of its file
    function  its definition
    model     its accesses and parameters
    """

    source: Source
    function: cst.FunctionDef
    model: KernelModel

    def line(self, node: cst.CSTNode) -> int:
        """The line of a node."""
        return self.source.at.first_line(node)

    def code(self, node: cst.CSTNode) -> str:
        """The text of an expression."""
        return self.source.code(node)

    def accesses(self, call: cst.Call) -> tuple[Access, ...]:
        """The accesses of a call in the checker's model."""
        span = self.source.at.span(call)
        return tuple(a for a in self.model.accesses if a.span == span)

    def kind(self, name: str) -> str | None:
        """The kind of the parameter with a name; None for other names."""
        return next((p.kind for p in self.model.params if p.name == name), None)


def read_kernel(path: str, name: str) -> SourceKernel:
    """The kernel of a file. Raises `Refusal`, and `SourceError` for a file that cannot be read or parsed."""
    source = parse_source(decode(Path(path).read_bytes(), path), path)
    project = Project([path])
    module = project.module(path)
    module.check()
    site = next((s for s in module.kernels() if s.qualname == name and s.module is module), None)
    function = source.function(name)
    if site is None or function is None:
        known = ", ".join(s.qualname for s in module.kernels()) or "none"
        raise Absent(f"{path} has no kernel `{name}`; it has {known}")
    if site.dialect:
        raise Refusal(f"`{name}` is in the ownership dialect already", site.definition.span.line)
    if site.outer:
        raise Refusal(f"`{name}` is defined inside of a function, whose values it may use", site.definition.span.line)
    _check_proved(path, name)
    model = execute(project, site, ())
    for gap in model.gaps:
        raise Refusal(f"the checker does not understand this: {gap.what}", gap.span.line)
    for access in model.accesses:
        if access.via:
            raise Refusal(f"a helper accesses `{access.array}`, called here: write the access in the kernel",
                          access.via[0].line)
    return SourceKernel(source, function, model)


def _check_proved(path: str, name: str) -> None:
    report = check_paths([path], Config(use_cache=False))
    for failure in report.failures:
        raise SourceError(failure.file, failure.message, failure.line)
    for finding in report.diagnostics:
        if finding.kernel == name:
            raise Refusal(f"the kernel has a finding: {finding.code}: {finding.message}", finding.span.line)
    kernel = next((k for k in report.kernels if k.name == name), None)
    if kernel is None or kernel.verdict not in _ACCEPTED:
        weakest = next((o for o in kernel.obligations if o.verdict not in _ACCEPTED), None) if kernel else None
        why = f": {weakest.kind} of `{weakest.array}`: {weakest.why}" if weakest else ""
        raise Refusal(f"the kernel is not proved{why}", weakest.line if weakest else None)

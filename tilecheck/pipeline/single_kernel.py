"""One kernel with all that is known of it: its model, its proof, its launches, and what is reported of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, KernelReport
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Proof
from tilecheck.pipeline.analyze import find_file_launches, prove_kernel
from tilecheck.pipeline.run import overlays
from tilecheck.project.discover import discover
from tilecheck.project.module import KernelSite
from tilecheck.project.project import Project
from tilecheck.rules.diagnose import conclude
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import FuncDef, Span
from tilecheck.text.did_you_mean import did_you_mean
from tilecheck.text.sources import SourceLines

__all__ = ["NotOneKernel", "Study", "study"]


class NotOneKernel(LookupError):
    """A target that names no kernel, or several. The message says which there are."""


class Study(Struct, frozen=True):
    """A kernel, and what is said of it in view of the launches in the files that were named.

    lines       the lines of its file, without their ends
    launches    in the order of their places
    definition  its syntax
    """

    model: KernelModel
    proof: Proof
    launches: tuple[Launch, ...]
    report: KernelReport
    diagnostics: tuple[Diagnostic, ...]
    lines: tuple[str, ...]
    definition: FuncDef

    def source(self, line: int) -> str:
        """The text of a line of the kernel's file; empty when there is no such line."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def text_at(self, span: Span) -> str:
        """The text of the line on which something begins, in whichever file it stands."""
        if span.file == self.model.file:
            return self.source(span.line)
        lines = SourceLines()(span.file)
        return lines[span.line - 1].strip() if 0 < span.line <= len(lines) else ""

    def place(self, span: Span) -> str:
        """`line 12`; for what stands in another file, `helpers.py:12`."""
        return f"line {span.line}" if span.file == self.model.file else f"{span.file}:{span.line}"


def study(target: str, config: Config) -> Study:
    """Study `PATH::KERNEL`; `PATH` alone will do for a file with one kernel.

    Raises NotOneKernel, SourceError for a file that cannot be read, and ConfigError for a faulty overlay.
    """
    path, _, name = target.rpartition("::") if "::" in target else (target, "", "")
    found = discover([path], exclude=config.exclude, base=config.root, respect_gitignore=config.respect_gitignore)
    for error in found.errors:
        raise SourceError(error.file, error.message)
    files = [str(file) for file in found.files]
    project = Project(files, found.roots)
    site = _chosen(list(_sites(project, files)), path, name)
    proved = prove_kernel(project, site, overlays(config))
    key = (proved.model.file, proved.model.name)
    seen = (launch for file in files for launch in find_file_launches(project, file)[0] if launch.kernel == key)
    launches = tuple(sorted(seen, key=lambda launch: (launch.span, launch.wrapper)))
    report, diagnostics = conclude(proved.model, proved.proof, launches)
    return Study(proved.model, proved.proof, launches, report, diagnostics, site.module.lines, site.definition)


def _sites(project: Project, files: Iterable[str]) -> Iterator[KernelSite]:
    told: set[tuple[str, str]] = set()
    for file in files:
        module = project.module(file)
        module.check()
        for site in module.kernels():
            if (site.module.path, site.qualname) not in told:
                told.add((site.module.path, site.qualname))
                yield site


def _chosen(sites: Sequence[KernelSite], path: str, name: str) -> KernelSite:
    fits = [s for s in sites if not name or s.qualname == name or s.qualname.endswith(f".{name}")]
    exact = [s for s in fits if s.qualname == name]
    if len(exact or fits) == 1:
        return (exact or fits)[0]
    if not sites:
        raise NotOneKernel(f"there is no kernel in {path}")
    known = sorted({s.qualname for s in sites})
    if not fits:
        raise NotOneKernel(f"there is no kernel '{name}' in {path}; there are: {_listed(known)}"
                           f"{did_you_mean(name, known)}")
    if not name:
        raise NotOneKernel(f"{path} has {len(fits)} kernels; name one as {path}::{fits[0].qualname}; there are: "
                           f"{_listed(known)}")
    files = sorted({s.module.path for s in fits})
    raise NotOneKernel(f"there are several kernels '{name}' in {path}: in {_listed(files)}; name the file")


def _listed(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

"""One kernel with all that is known of it: its model, its proof, its launches, and the report on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, KernelReport
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Proof
from tilecheck.pipeline.analyze import in_order
from tilecheck.pipeline.results import FoundKernel, KernelKey
from tilecheck.pipeline.run import Pipeline, discover_files, inputs_of
from tilecheck.pipeline.workspace import Workspace
from tilecheck.rules.diagnose import conclude
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import FuncDef, Span
from tilecheck.text.did_you_mean import did_you_mean
from tilecheck.text.sources import SourceLines

__all__ = ["NotOneKernel", "Study", "study"]


class NotOneKernel(LookupError):
    """A target that names no kernel, or several. The message says which there are."""


class Study(Struct, frozen=True):
    """A kernel, and the report on it with the seen launches of the files that were named.

    lines       the lines of its file, without their ends
    launches    in the order of their locations
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
        """`line 12`; for a location in another file, `helpers.py:12`."""
        return f"line {span.line}" if span.file == self.model.file else f"{span.file}:{span.line}"


def study(target: str, config: Config) -> Study:
    """Study `PATH::KERNEL`; `PATH` alone will do for a file with one kernel. Results are taken from the cache.

    Raises NotOneKernel, SourceError for a file that cannot be read or a kernel that cannot be analysed, and ConfigError
    for a faulty overlay.
    """
    path, _, name = target.rpartition("::") if "::" in target else (target, "", "")
    found = discover_files([path], config)
    for error in found.errors:
        raise SourceError(error.file, error.message)
    inputs = inputs_of(map(str, found.files), config, tuple(map(str, found.roots)))
    workspace = Pipeline().open(inputs, config)
    workspace.compute("sites")
    home, kernel = _choose_kernel(_kernels(workspace), path, name)
    proved = workspace.prove(home, kernel)
    workspace.compute("launching", "launches")
    launches = tuple(in_order(workspace.launches_of_kernel(kernel.key)))
    workspace.save()
    proved = proved.at(launches)
    report, diagnostics = conclude(proved.model, proved.proof, launches, workspace.executor(home, kernel))
    module = workspace.module(kernel.home)
    definition = module.function(kernel.qualname)
    assert definition is not None
    return Study(proved.model, proved.proof, launches, report, diagnostics, module.lines, definition)


def _kernels(workspace: Workspace) -> dict[KernelKey, tuple[str, FoundKernel]]:
    """The kernels of a workspace, each with the first file that defines or makes it. Raises SourceError."""
    out: dict[KernelKey, tuple[str, FoundKernel]] = {}
    for path, found in workspace.sites():
        for failure in found.failures:
            raise SourceError(failure.file, failure.message, failure.line)
        for kernel in found.kernels:
            out.setdefault(kernel.key, (path, kernel))
    return out


def _choose_kernel(
    kernels: Mapping[KernelKey, tuple[str, FoundKernel]], path: str, name: str
) -> tuple[str, FoundKernel]:
    fits = [k for k in kernels if not name or k[1] == name or k[1].endswith(f".{name}")]
    exact = [k for k in fits if k[1] == name]
    if len(exact or fits) == 1:
        return kernels[(exact or fits)[0]]
    if not kernels:
        raise NotOneKernel(f"there is no kernel in {path}")
    known = sorted({qualname for _, qualname in kernels})
    if not fits:
        raise NotOneKernel(f"there is no kernel '{name}' in {path}; there are: {_join_names(known)}"
                           f"{did_you_mean(name, known)}")
    if not name:
        raise NotOneKernel(f"{path} has {len(fits)} kernels; name one as {path}::{fits[0][1]}; there are: "
                           f"{_join_names(known)}")
    files = sorted({home for home, _ in fits})
    raise NotOneKernel(f"there are several kernels '{name}' in {path}: in {_join_names(files)}; name the file")


def _join_names(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

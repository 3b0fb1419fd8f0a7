"""The two stages of an analysis: each file by itself, then launches joined to kernels."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from tilecheck.contracts import select
from tilecheck.diagnostics import Diagnostic, Failure, KernelReport
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launches import find_launches
from tilecheck.interp.kernel.access import Declared, KernelModel
from tilecheck.interp.kernel.driver import execute
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.obligation import Proof
from tilecheck.obligations.verdicts import prove
from tilecheck.pipeline.kernel_suppressions import denies_residual, opt_outs_of_file, opt_outs_of_kernel
from tilecheck.pipeline.results import Analysis, Dependencies, KernelFindings, OptOut
from tilecheck.rules.diagnose import conclude
from tilecheck.rules.host_findings import findings
from tilecheck.syntax.text import SourceError

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite, Module
    from tilecheck.project.project import Project

Overlay: TypeAlias = Mapping[str, tuple[str, ...]]
"""Clauses declared for kernels elsewhere, by `path::kernel` pattern."""

Concluding: TypeAlias = Callable[
    [KernelModel, Proof, Sequence[Launch]], tuple[KernelReport, tuple[Diagnostic, ...]]]

INTERNAL: Final = "internal error"


class ProvedKernel(Struct, frozen=True):
    """A kernel with everything that needs no launch."""

    model: KernelModel
    proof: Proof
    deny_residual: bool


class Concluded(Struct, frozen=True):
    """What is said of a kernel in view of its launches.

    key        its file and name
    written    of each parameter, whether the kernel writes it
    findings   None where the checker failed; `failures` say so
    """

    key: tuple[str, str]
    written: tuple[bool, ...]
    findings: KernelFindings | None
    failures: tuple[Failure, ...]


class FileResult(Struct, frozen=True):
    """What one file contributes, or a part of it.

    dependencies    those that its process has not told of before
    events          what is wrong with the ownership of tensors in host code
    lent            kernels of files that are not under check, which its host code launches
    concluded       kernels that were concluded where they were proved
    """

    file: str
    kernels: tuple[ProvedKernel, ...] = ()
    launches: tuple[Launch, ...] = ()
    opt_outs: tuple[OptOut, ...] = ()
    failures: tuple[Failure, ...] = ()
    dependencies: Dependencies = field(default_factory=Dependencies)
    events: tuple[Event, ...] = ()
    lent: tuple[ProvedKernel, ...] = ()
    concluded: tuple[Concluded, ...] = ()


def prove_file(project: Project, path: str, overlay: Overlay) -> FileResult:
    """The kernels and opt-outs of a file. Whatever goes wrong becomes a failure of this file alone."""
    try:
        module = project.module(path)
        module.check()
        sites = module.kernels()
        opt_outs = tuple(opt_outs_of_file(module, sites))
    except Exception as error:
        return FileResult(path, failures=(failure_of(path, error),))
    parts = [prove_site(project, path, site, overlay) for site in sites]
    return FileResult(
        path,
        tuple(kernel for part in parts for kernel in part.kernels),
        (),
        (*opt_outs, *(opt_out for part in parts for opt_out in part.opt_outs)),
        tuple(failure for part in parts for failure in part.failures),
    )


def prove_site(project: Project, path: str, site: KernelSite, overlay: Overlay) -> FileResult:
    """One kernel that file `path` defines or makes, likewise."""
    kernels: tuple[ProvedKernel, ...] = ()
    try:
        kernels = (prove_kernel(project, site, overlay),)
        return FileResult(path, kernels, opt_outs=tuple(opt_outs_of_kernel(project, site)))
    except Exception as error:
        return FileResult(path, kernels, failures=(failure_of(path, error, site.definition.name_span.line),))


def find_file_launches(project: Project, path: str) -> FileResult:
    """The launches of a file, and what is wrong with who owns what there, likewise."""
    try:
        module = project.module(path)
        events, launched = _owned(project, module)
        launches = (*find_launches(project, module), *launched)
        return FileResult(path, launches=launches, events=events, lent=tuple(_lent(project, launched)))
    except SourceError:
        return FileResult(path)  # said by `prove_file`
    except Exception as error:
        return FileResult(path, failures=(failure_of(path, error),))


def _owned(project: Project, module: Module) -> tuple[tuple[Event, ...], tuple[Launch, ...]]:
    """What is wrong with who owns what in a file, and its launches through the runtime."""
    if not module.mentions.owns:
        return (), ()
    from tilecheck.interp.ownership.search import find_ownership  # which few files need

    owned = find_ownership(project, module)
    return owned.events, owned.launches


def _lent(project: Project, launches: Iterable[Launch]) -> Iterator[ProvedKernel]:
    """The kernels that are launched from here and stand in files that are not under check."""
    wanted = sorted({launch.kernel for launch in launches})
    checked = {module.path for module in project.modules()} if wanted else set()
    for file, name in wanted:
        if file not in checked:
            module = project.module(file)
            yield from (prove_kernel(project, site, {}) for site in module.kernels() if site.qualname == name)


def prove_kernel(project: Project, site: KernelSite, overlay: Overlay) -> ProvedKernel:
    """One kernel with everything that needs no launch."""
    clauses = select(overlay, site.module.path, site.qualname)
    model = execute(project, site, clauses)
    if clauses:
        declared = tuple(Declared(text, model.name_span, "overlay") for text in clauses)
        model = replace(model, declared=model.declared + declared)
    return ProvedKernel(model, _advised(project, site, clauses, model, prove(model)), denies_residual(project, site))


def _advised(
    project: Project, site: KernelSite, overlay: Sequence[str], model: KernelModel, proof: Proof,
) -> Proof:
    """The proof with advice for what it leaves open; a kernel that is proved costs nothing here."""
    if not any(s.verdict in ("refuted", "unproven", "conditional") for s in proof.obligations):
        return proof
    from tilecheck.repair.candidates.advise import add_advice

    return add_advice(project, site, overlay, model, proof)


def conclude_kernel(
    kernel: ProvedKernel, launches: Iterable[Launch], concluding: Concluding = conclude,
) -> Concluded:
    """One kernel in view of all its launches. Whatever goes wrong becomes a failure of this kernel alone."""
    model = kernel.model
    failures = list(_faulty_contracts(kernel))
    findings = None
    try:
        report, diagnostics = concluding(model, kernel.proof, _in_order(launches))
        findings = KernelFindings(report, diagnostics, kernel.deny_residual, model.dialect)
    except Exception as error:
        failures.append(failure_of(model.file, error, model.name_span.line))
    written = tuple(p.name in model.written for p in model.params)
    return Concluded((model.file, model.name), written, findings, tuple(failures))


def _in_order(launches: Iterable[Launch]) -> list[Launch]:
    return sorted(launches, key=lambda launch: (launch.span, launch.wrapper))


class Joiner:
    """Gathers results in any order; in the end it concludes the kernels that are not yet concluded.

    `concluding` is what is made of a kernel and its launches: `conclude`, or something that remembers what it said.
    """

    def __init__(self, concluding: Concluding = conclude) -> None:
        self.concluding = concluding
        self.concluded: dict[tuple[str, str], Concluded] = {}
        self.waiting: dict[tuple[str, str], ProvedKernel] = {}
        self.launches: defaultdict[tuple[str, str], list[Launch]] = defaultdict(list)
        self.lent: dict[tuple[str, str], ProvedKernel] = {}
        self.rest: list[FileResult] = []

    def add(self, result: FileResult) -> None:
        """Take in what one file contributes."""
        self.rest.append(replace(result, kernels=(), launches=(), lent=(), concluded=()))
        self.lent.update({(kernel.model.file, kernel.model.name): kernel for kernel in result.lent})
        for launch in result.launches:
            self.launches[launch.kernel].append(launch)
        # a kernel that a call makes of a function of another module may come with several files
        for kernel in result.kernels:
            self.waiting.setdefault((kernel.model.file, kernel.model.name), kernel)
        for concluded in result.concluded:
            self.concluded.setdefault(concluded.key, concluded)

    def _conclude(self) -> None:
        collecting = gc.isenabled()
        # many small values and hardly a cycle among them
        gc.disable()
        try:
            for key, kernel in self.waiting.items():
                if key not in self.concluded:
                    self.concluded[key] = conclude_kernel(kernel, self.launches[key], self.concluding)
        finally:
            if collecting:
                gc.enable()
        self.waiting.clear()

    def _at_launches(self) -> Iterator[Diagnostic]:
        """What is wrong with launches of kernels that are not under check themselves."""
        for key, kernel in sorted(self.lent.items(), key=lambda item: item[0]):
            if key not in self.concluded:
                seen = _in_order(self.launches[key])
                _, found = self.concluding(kernel.model, kernel.proof, seen)
                yield from (d for d in found if any(d.span == launch.span for launch in seen))

    def analysis(self, files: int) -> Analysis:
        """Everything together, in an order that does not depend on that of the results."""
        self._conclude()
        kernels = [concluded for _, concluded in sorted(self.concluded.items(), key=lambda item: item[0])]
        failures = (*(failure for result in self.rest for failure in result.failures),
                    *(failure for concluded in kernels for failure in concluded.failures))
        written = {concluded.key: concluded.written for concluded in kernels}
        opt_outs = {opt_out for result in self.rest for opt_out in result.opt_outs}
        return Analysis(
            tuple(concluded.findings for concluded in kernels if concluded.findings is not None),
            tuple(sorted(opt_outs, key=lambda opt_out: (opt_out.span, opt_out.what))),
            tuple(sorted(failures, key=lambda failure: (failure.file, failure.line or 0, failure.message))),
            files,
            Dependencies(
                frozenset().union(*(result.dependencies.read for result in self.rest)),
                frozenset().union(*(result.dependencies.missing for result in self.rest)),
            ),
            not any(failure.message.startswith(INTERNAL) for failure in failures),
            (*findings((event for result in self.rest for event in result.events), written), *self._at_launches()),
        )


def join(results: Iterable[FileResult], files: int) -> Analysis:
    """Each kernel concluded with its launches."""
    joiner = Joiner()
    for result in results:
        joiner.add(result)
    return joiner.analysis(files)


def _faulty_contracts(kernel: ProvedKernel) -> Iterator[Failure]:
    """What the author declared and is no contract: to leave it out silently would be to check something else."""
    lines = {declared.text: declared.span.line for declared in kernel.model.declared}
    for text, message in kernel.proof.faulty:
        yield Failure(kernel.model.file, f"`{text}` is not a contract: {message}", lines.get(text))


def failure_of(path: str, error: Exception, line: int | None = None) -> Failure:
    """A failure to be shown: what the user can mend, or a fault of the checker, which it says."""
    if isinstance(error, SourceError):
        return Failure(error.file, error.message, error.line)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return Failure(path, f"{INTERNAL}: {what[:200]}; please report it", line)

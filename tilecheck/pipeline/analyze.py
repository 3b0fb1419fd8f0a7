"""The computations of an analysis: a kernel is proved, the launches of a file are found, and a kernel is concluded.

An error in one of them becomes a failure of its file or kernel alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.contracts import select
from tilecheck.diagnostics import Failure
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launches import find_launches
from tilecheck.interp.kernel.access import Declared, KernelModel
from tilecheck.interp.ownership.event import Event
from tilecheck.kernel_model.driver import execute, execute_first_iterations, execute_variant
from tilecheck.obligations.first_iterations import refute_in_first_iterations
from tilecheck.obligations.obligation import Proof
from tilecheck.obligations.variants import ExecuteVariant, execute_nothing
from tilecheck.obligations.verdicts import prove
from tilecheck.obligations.whole_numbers import Attempt, assume_integers, break_assumption
from tilecheck.pipeline.kernel_suppressions import denies_residual, opt_outs_of_kernel
from tilecheck.pipeline.results import Concluded, KernelFindings, LaunchesFound, ProofFound, failure_of
from tilecheck.rules.diagnose import conclude
from tilecheck.symbolic import ArrayParam
from tilecheck.syntax.text import SourceError

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite, Module
    from tilecheck.project.project import Project

Overlay: TypeAlias = Mapping[str, tuple[str, ...]]
"""Clauses declared for kernels elsewhere, by `path::kernel` pattern."""


class ProvedKernel(Struct, frozen=True):
    """A kernel with everything that needs no launch.

    otherwise  the kernel without the assumption that parameters are integers, where its proof makes that assumption
    """

    model: KernelModel
    proof: Proof
    deny_residual: bool
    otherwise: ProvedKernel | None = None

    def at(self, launches: Iterable[Launch]) -> ProvedKernel:
        """The kernel with the assumptions that no launch breaks."""
        other = self.otherwise
        return self if other is None or not any(break_assumption(self.model, x) for x in launches) else other


def prove_site(
    project: Project, path: str, site: KernelSite, overlay: Overlay
) -> tuple[ProvedKernel | None, ProofFound]:
    """Prove one kernel that file `path` defines or makes."""
    kernel: ProvedKernel | None = None
    try:
        kernel = prove_kernel(project, site, overlay)
        return kernel, ProofFound(tuple(opt_outs_of_kernel(project, site)))
    except Exception as error:
        return kernel, ProofFound(failures=(failure_of(path, error, site.definition.name_span.line),))


def find_file_launches(project: Project, path: str) -> tuple[tuple[Launch, ...], LaunchesFound]:
    """The launches of a file, and what is wrong with the ownership of tensors there. The versions of launches are left
    to the caller."""
    try:
        module = project.module(path)
        events, launched = _find_ownership_of_file(project, module)
        launches = (*find_launches(project, module), *launched)
        return launches, LaunchesFound(events, owned=tuple(sorted({launch.kernel for launch in launched})))
    except SourceError:
        return (), LaunchesFound()  # reported by the unit that finds the kernels of the file
    except Exception as error:
        return (), LaunchesFound(failures=(failure_of(path, error),))


def _find_ownership_of_file(project: Project, module: Module) -> tuple[tuple[Event, ...], tuple[Launch, ...]]:
    """Ownership errors of a file, and its launches through the runtime."""
    if not module.may_own:
        return (), ()
    from tilecheck.interp.ownership.search import find_ownership  # which few files need

    owned = find_ownership(project, module)
    return owned.events, owned.launches


def prove_kernel(project: Project, site: KernelSite, overlay: Overlay) -> ProvedKernel:
    """Prove one kernel, as far as that needs no launch."""
    clauses = select(overlay, site.module.path, site.qualname)
    denied = denies_residual(project, site)

    def attempt(assumed: tuple[str, ...] = ()) -> Attempt:
        model = execute(project, site, (*clauses, *assumed))
        declared = tuple(Declared(text, model.name_span, "overlay") for text in clauses)
        model = replace(model, declared=model.declared + declared) if declared else model
        return Attempt(model, prove(model))

    def complete(found: Attempt, otherwise: ProvedKernel | None = None) -> ProvedKernel:
        model, assumed = found.model, (*clauses, *(c.text for c in found.model.assumed))
        early = partial(execute_first_iterations, project, site, assumed)
        refuted = refute_in_first_iterations(found.proof.obligations, model, early)
        proof = _add_advice(project, site, assumed, model, replace(found.proof, obligations=refuted))
        return ProvedKernel(model, proof, denied, otherwise)

    first = attempt()
    whole = assume_integers(first, attempt)
    return complete(first) if whole is None else complete(whole, complete(first))


def _add_advice(
    project: Project, site: KernelSite, overlay: Sequence[str], model: KernelModel, proof: Proof,
) -> Proof:
    """Add advice to the obligations that a proof leaves open. A proved kernel costs nothing here."""
    if not any(s.verdict in ("refuted", "unproven", "conditional") for s in proof.obligations):
        return proof
    from tilecheck.repair.candidates.advise import add_advice

    return add_advice(project, site, overlay, model, proof)


def conclude_kernel(
    kernel: ProvedKernel, launches: Iterable[Launch], execute: ExecuteVariant = execute_nothing,
) -> Concluded:
    """Conclude one kernel from its proof and all its seen launches."""
    seen = in_order(launches)
    kernel = kernel.at(seen)
    model = kernel.model
    failures = list(_faulty_contracts(kernel))
    findings = None
    try:
        report, diagnostics = conclude(model, kernel.proof, seen, execute)
        findings = KernelFindings(report, diagnostics, kernel.deny_residual, model.dialect)
    except Exception as error:
        failures.append(failure_of(model.file, error, model.name_span.line))
    written = tuple(ArrayParam(p.name) in model.written for p in model.params)
    return Concluded((model.file, model.name), written, findings, tuple(failures))


def executor(project: Project, site: KernelSite | None) -> ExecuteVariant:
    """The execution of a kernel as a launch compiles it."""
    return execute_nothing if site is None else lambda variant: execute_variant(project, site, variant)


def in_order(launches: Iterable[Launch]) -> list[Launch]:
    """Launches in an order that does not depend on that in which they were found."""
    return sorted(launches, key=lambda launch: (launch.span, launch.wrapper))


def _faulty_contracts(kernel: ProvedKernel) -> Iterator[Failure]:
    """Declarations of the author that are not contracts. To ignore one silently would be to check another contract."""
    lines = {declared.text: declared.span.line for declared in kernel.model.declared}
    for text, message in kernel.proof.faulty:
        yield Failure(kernel.model.file, f"`{text}` is not a contract: {message}", lines.get(text))

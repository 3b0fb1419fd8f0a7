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
from tilecheck.kernel_model.driver import execute, execute_first_iterations
from tilecheck.obligations.first_iterations import refute_in_first_iterations
from tilecheck.obligations.obligation import Proof
from tilecheck.obligations.verdicts import prove
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
    """A kernel with everything that needs no launch."""

    model: KernelModel
    proof: Proof
    deny_residual: bool


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
    model = execute(project, site, clauses)
    if clauses:
        declared = tuple(Declared(text, model.name_span, "overlay") for text in clauses)
        model = replace(model, declared=model.declared + declared)
    proof = prove(model)
    early = partial(execute_first_iterations, project, site, clauses)
    proof = replace(proof, obligations=refute_in_first_iterations(proof.obligations, model, early))
    return ProvedKernel(model, _add_advice(project, site, clauses, model, proof), denies_residual(project, site))


def _add_advice(
    project: Project, site: KernelSite, overlay: Sequence[str], model: KernelModel, proof: Proof,
) -> Proof:
    """Add advice to the obligations that a proof leaves open. A proved kernel costs nothing here."""
    if not any(s.verdict in ("refuted", "unproven", "conditional") for s in proof.obligations):
        return proof
    from tilecheck.repair.candidates.advise import add_advice

    return add_advice(project, site, overlay, model, proof)


def conclude_kernel(kernel: ProvedKernel, launches: Iterable[Launch]) -> Concluded:
    """Conclude one kernel from its proof and all its seen launches."""
    model = kernel.model
    failures = list(_faulty_contracts(kernel))
    findings = None
    try:
        report, diagnostics = conclude(model, kernel.proof, in_order(launches))
        findings = KernelFindings(report, diagnostics, kernel.deny_residual, model.dialect)
    except Exception as error:
        failures.append(failure_of(model.file, error, model.name_span.line))
    written = tuple(ArrayParam(p.name) in model.written for p in model.params)
    return Concluded((model.file, model.name), written, findings, tuple(failures))


def in_order(launches: Iterable[Launch]) -> list[Launch]:
    """Launches in an order that does not depend on that in which they were found."""
    return sorted(launches, key=lambda launch: (launch.span, launch.wrapper))


def _faulty_contracts(kernel: ProvedKernel) -> Iterator[Failure]:
    """Declarations of the author that are not contracts. To ignore one silently would be to check another contract."""
    lines = {declared.text: declared.span.line for declared in kernel.model.declared}
    for text, message in kernel.proof.faulty:
        yield Failure(kernel.model.file, f"`{text}` is not a contract: {message}", lines.get(text))

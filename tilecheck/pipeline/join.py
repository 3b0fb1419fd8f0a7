"""The results of all units together: the analysis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tilecheck.diagnostics import Diagnostic
from tilecheck.pipeline.results import (
    Analysis,
    Concluded,
    Dependencies,
    KernelKey,
    LaunchesFound,
    ProofFound,
    SitesFound,
    is_internal,
)

__all__ = ["join"]


def join(
    sites: Iterable[SitesFound], launches: Iterable[LaunchesFound], proofs: Iterable[ProofFound],
    concluded: Mapping[KernelKey, Concluded], borrowed: Iterable[Diagnostic], dependencies: Dependencies,
    files: int,
) -> Analysis:
    """The analysis of so many files, in an order that does not depend on that of the results.

    `borrowed` are the findings at launches of kernels that are not under check themselves.
    """
    sites, launches, proofs = tuple(sites), tuple(launches), tuple(proofs)
    kernels = [concluded[key] for key in sorted(concluded)]
    failures = [f for results in (sites, launches, proofs, kernels) for result in results for f in result.failures]
    opt_outs = {o for found in (sites, proofs) for result in found for o in result.opt_outs}
    return Analysis(
        tuple(kernel.findings for kernel in kernels if kernel.findings is not None),
        tuple(sorted(opt_outs, key=lambda opt_out: (opt_out.span, opt_out.what))),
        tuple(sorted(failures, key=lambda failure: (failure.file, failure.line or 0, failure.message))),
        files,
        dependencies,
        not any(map(is_internal, failures)),
        (*_host(launches, kernels), *borrowed),
    )


def _host(launches: Sequence[LaunchesFound], kernels: Sequence[Concluded]) -> Iterable[Diagnostic]:
    events = [event for result in launches for event in result.events]
    if not events:
        return ()
    from tilecheck.rules.host_findings import findings  # which few runs need

    return findings(events, {kernel.key: kernel.written for kernel in kernels})

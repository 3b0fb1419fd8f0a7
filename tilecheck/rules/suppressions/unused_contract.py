"""TC901 unused-opt-out, for declarations: a contract that contradicts itself has no effect."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Proof

__all__ = ["diagnose"]

CODE = "TC901"


def diagnose(model: KernelModel, proof: Proof) -> list[Diagnostic]:
    return [
        Diagnostic(CODE, "warning", f"`{d.text}` has no effect: no launch can satisfy what `{model.name}` declares",
                   d.span, model.name, help="declare only what every launch of the kernel satisfies")
        for d in proof.contradictory]

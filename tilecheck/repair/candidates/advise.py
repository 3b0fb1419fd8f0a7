"""Advice for the obligations of a kernel that are not settled."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Advice, Proof, Settled
from tilecheck.repair.candidates import data, overlapping, ranging, reading, spilling
from tilecheck.repair.candidates.scene import Scene

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

__all__ = ["advised"]

_ADVICE: Final[Mapping[str, Callable[[Scene, Settled], Advice | None]]] = {
    "TC101": overlapping.advice,
    "TC102": data.advice,
    "TC103": reading.advice,
    "TC201": ranging.advice,
    "TC206": spilling.advice,
}


def advised(
    project: Project, site: KernelSite, overlay: Iterable[str], model: KernelModel, proof: Proof,
) -> Proof:
    """The proof, with advice beside each obligation that something is advised for."""
    scene = Scene(project, site, overlay, model)
    try:
        return replace(proof, obligations=tuple(_with_advice(scene, s) for s in proof.obligations))
    except Exception:
        if os.environ.get("TILECHECK_DEBUG"):
            raise
        return proof  # the verdicts stand without it


def _with_advice(scene: Scene, s: Settled) -> Settled:
    find = _ADVICE.get(s.code) if s.verdict in ("refuted", "conditional", "unproven") else None
    found = None if find is None else find(scene, s)
    return s if found is None else replace(s, advice=found)

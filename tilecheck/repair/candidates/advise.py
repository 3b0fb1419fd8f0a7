"""Advice for the obligations of a kernel that are not proved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Advice, DecidedObligation, Proof
from tilecheck.obligations.reasons import depends_on_example
from tilecheck.repair.candidates import (
    cross_block_read,
    overlapping_write,
    row_spill,
    tile_out_of_range,
    unproven_disjoint,
)
from tilecheck.repair.candidates.scene import Scene

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

__all__ = ["add_advice"]

_ADVICE: Final[Mapping[str, Callable[[Scene, DecidedObligation], Advice | None]]] = {
    "TC101": overlapping_write.advise_on_overlap,
    "TC102": unproven_disjoint.advise_on_data,
    "TC103": cross_block_read.advise_on_cross_read,
    "TC201": tile_out_of_range.advise_on_range,
    "TC206": row_spill.advise_on_row_spill,
}


def add_advice(
    project: Project, site: KernelSite, overlay: Iterable[str], model: KernelModel, proof: Proof,
) -> Proof:
    """The proof with advice added to its obligations, where there is any."""
    scene = Scene(project, site, overlay, model)
    try:
        return replace(proof, obligations=tuple(add_advice_to_obligation(scene, s) for s in proof.obligations))
    except Exception:
        if os.environ.get("TILECHECK_DEBUG"):
            raise
        return proof  # the verdicts stand without it


def add_advice_to_obligation(scene: Scene, s: DecidedObligation) -> DecidedObligation:
    find = _ADVICE.get(s.code) if s.verdict in ("refuted", "conditional", "unproven") else None
    if depends_on_example(s.reason):
        find = unproven_disjoint.advise_on_data
    found = None if find is None else find(scene, s)
    return s if found is None else replace(s, advice=found)

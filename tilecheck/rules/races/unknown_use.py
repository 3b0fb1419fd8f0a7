"""TC102 where an array goes out of sight: what was not understood may read and write all of it."""

from __future__ import annotations

from collections.abc import Sequence

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled

__all__ = ["diagnose", "lost"]

CODE = "TC102"


def lost(model: KernelModel) -> frozenset[str]:
    """The arrays of which nothing is proved."""
    return frozenset(array for gap in model.gaps for array in gap.arrays)


def diagnose(model: KernelModel, obligations: Sequence[Settled]) -> list[Diagnostic]:
    """A finding for each gap with an array that no unproven obligation speaks of."""
    told = {s.access.array for s in obligations if s.verdict in ("unproven", "refuted")}
    unowned = {f.array for f in model.ownership.faults if f.code == "TC110"}
    out: list[Diagnostic] = []
    for gap in model.gaps:
        if unowned.intersection(gap.arrays):
            continue  # what is not understood follows from the annotation, which TC110 speaks of
        arrays = [array for array in gap.arrays if array not in told]
        if arrays:
            names = ", ".join(f"`{array}`" for array in arrays)
            message = f"could not prove anything of {names}: {gap.what}"
            out.append(Diagnostic(CODE, "warning", message, gap.span, model.name,
                                  help="use operations of cuda.tile, or a helper whose source is in the checked files"))
    return out

"""The values that a load yields outside its array."""

from __future__ import annotations

from tilecheck.interp.kernel.values import ArrayRef, Choice, Const, TileRef, Unknown, Value
from tilecheck.symbolic import FALSE, TRUE, Cond, conj, disj, negate


def mode_of(given: dict[str, Value], ref: ArrayRef) -> Value | None:
    """The padding mode that was given, to the load or to the view that it goes through; None when none was."""
    if "padding_mode" in given:
        return given["padding_mode"]
    modes = {view.padding for _, view in ref.options}
    return modes.pop() if len(modes) == 1 else Unknown("padding")


def unspecified_of(mode: Value | None) -> Cond | None:
    """The condition under which padding is unspecified; None when that is not known."""
    if mode is None:
        return TRUE
    if isinstance(mode, TileRef):
        return TRUE if mode.name.rpartition(".")[2] == "UNDETERMINED" else FALSE
    if isinstance(mode, Choice):
        a, b = unspecified_of(mode.then), unspecified_of(mode.other)
        return None if a is None or b is None else disj(conj(mode.cond, a), conj(negate(mode.cond), b))
    return None


def padding_of(mode: Value | None) -> Value | None:
    if isinstance(mode, TileRef):
        name = mode.name.rpartition(".")[2]
        if name == "ZERO":
            return Const(0)
        return None if name == "UNDETERMINED" else Const(name)
    return None if mode is None else Unknown("padding")

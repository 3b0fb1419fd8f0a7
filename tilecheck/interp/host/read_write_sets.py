"""Which arrays one launch reads and writes: a variant of a kernel may leave some of its parameters alone."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.symbolic import UNKNOWN_ARRAY, Atom, Scalar, Term, substitute_cond

__all__ = ["Touched", "constants_of", "find_accessed"]


class Touched(Struct, frozen=True):
    """Parameters whose arrays a launch may touch, and those that it may write."""

    used: frozenset[str]
    written: frozenset[str]

    def conflict(self, first: str, second: str) -> bool:
        """Whether it matters that two parameters share storage: both are used, and one is written."""
        return {first, second} <= self.used and bool({first, second} & self.written)


def constants_of(model: KernelModel, launch: Launch) -> dict[Atom, Term]:
    """The parameters of which the launch shows the value."""
    return {
        Scalar(param.name): argument.term
        for param, argument in zip(model.params, launch.arguments or (), strict=False)
        if argument.term is not None and argument.term.constant is not None}


def find_accessed(model: KernelModel, launch: Launch) -> Touched:
    """The arguments that accesses and unsupported constructs may use, without accesses that the constants of the launch
    exclude."""
    given = constants_of(model, launch)
    used: set[str] = {array.root for gap in model.gaps for array in gap.arrays}
    written = set(used)
    for access in model.accesses:
        if substitute_cond(access.region.guard, given).op == "false":
            continue
        names = {array.root for array in (access.array, *access.may)}
        used |= names
        if access.mode != "read":
            written |= names
    if UNKNOWN_ARRAY.root in used:
        everything = frozenset(p.name for p in model.params)
        return Touched(everything, everything if UNKNOWN_ARRAY.root in written else frozenset(written))
    return Touched(frozenset(used), frozenset(written))

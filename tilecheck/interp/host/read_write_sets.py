"""Which arrays one launch reads and writes: a variant of a kernel may leave some of its parameters alone."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.symbolic import UNKNOWN_ARRAY, Array, ArrayParam, Atom, Scalar, Term, substitute_cond

__all__ = ["Touched", "constants_of", "find_accessed"]


class Touched(Struct, frozen=True):
    """The accesses that one launch may perform.

    accesses  those that the constants of the launch do not exclude
    open      arrays that unsupported constructs may use in any way
    """

    accesses: tuple[Access, ...]
    open: frozenset[Array]

    def to(self, array: Array) -> tuple[Access, ...]:
        """The accesses that may be to an array."""
        return tuple(a for a in self.accesses if any(_may_be(x, array) for x in (a.array, *a.may)))

    def uses(self, array: Array) -> bool:
        return bool(self.to(array)) or any(_may_be(x, array) for x in self.open)

    def writes(self, array: Array) -> bool:
        return any(a.mode != "read" for a in self.to(array)) or any(_may_be(x, array) for x in self.open)

    def conflict(self, first: Array, second: Array) -> bool:
        """Whether it matters that two arrays share storage: both are used, and one is written."""
        return self.uses(first) and self.uses(second) and (self.writes(first) or self.writes(second))


def _may_be(one: Array, other: Array) -> bool:
    """Whether an array of an access, or a list of arrays, may be or contain another one."""
    return one is UNKNOWN_ARRAY or (one.root == other.root and (
        one == other or one.at_any_position or other.at_any_position
        or isinstance(one, ArrayParam) or isinstance(other, ArrayParam)))


def constants_of(model: KernelModel, launch: Launch) -> dict[Atom, Term]:
    """The parameters of which the launch shows the value."""
    return {
        Scalar(param.name): argument.term
        for param, argument in zip(model.params, launch.arguments or (), strict=False)
        if argument.term is not None and argument.term.constant is not None}


def find_accessed(model: KernelModel, launch: Launch) -> Touched:
    """The arrays that accesses and unsupported constructs may touch, without accesses that the constants of the launch
    exclude."""
    given = constants_of(model, launch)
    return Touched(
        tuple(a for a in model.accesses if substitute_cond(a.region.guard, given).op != "false"),
        frozenset(array for gap in model.gaps for array in gap.arrays))

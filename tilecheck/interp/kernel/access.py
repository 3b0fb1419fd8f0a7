"""The result of the abstract interpretation of a kernel: its accesses and related facts."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.interp.kernel.dialect.ownership import NOT_A_DIALECT, Held, Ownership
from tilecheck.interp.kernel.lint_facts import NOTHING_SEEN, Observed
from tilecheck.interp.kernel.poison.sources import Paddings
from tilecheck.symbolic import TRUE, Array, Atom, Cond, Term
from tilecheck.symbolic.footprint import Clause, Region
from tilecheck.syntax.tree import Span

Mode: TypeAlias = Literal["read", "write", "atomic"]
ParamKind: TypeAlias = Literal["array", "list", "constant", "scalar", "unknown"]


class Param(Struct, frozen=True):
    """A kernel parameter. `kind` comes from the annotation and from use: `list` is a list of arrays."""

    name: str
    kind: ParamKind
    span: Span

    def __hash__(self) -> int:
        return hash(self.name)


class Access(Struct, frozen=True):
    """One memory operation on one array.

    array     name of the root array: a parameter (`c`), an element of a list parameter (`cs[*]`; `cs[2]` when the
              index is a constant) or `?` when it is not known which array is meant
    may       other arrays that the same operation may touch instead (points-to set of the array, without `array`);
              each of them gets its own Access with the same `site`
    mode      read, write, or atomic (read-modify-write)
    op        the operation as the author knows it: store, scatter, load, gather, atomic_add, tiled_view.store, ...
    tile      extents of the tile, per array axis, for tile accesses; () for element accesses
    tile_index the tile-space index per array axis, for tile accesses; () for element accesses
    site      number of the statement in program order; accesses with one site are one source operation
    order     memory order as written in lower case: weak, relaxed, acquire, release, acq_rel
    scope     none, block, device, sys
    loops     names of the counters of enclosing loops, outermost first
    parallel  name of the `for` counter whose iterations the compiler may leave unordered for this store, or None
    locks     lock elements held here: (array, index, how) for a spin lock whose acquire dominates this access and
              whose release follows it; `how` is `ordered` or `relaxed`
    span      of the operation's call
    via       call sites through which an inlined helper was reached, outermost first
    checked   whether the access checks bounds (drops or pads elements outside the array)
    reach     what it addresses along each axis where it can be undefined
    under     the condition that it is made under, mask included, without what the bounds check implies
    unspecified  for a tile load that leaves its padding unspecified, its name in `KernelModel.paddings`
    padding   the padding mode of a tile load, by its name in `PaddingMode`, when one is given and known; of a gather
              the mode that its padding value stands for
    held      for an access of a dialect kernel, the construction that makes it safe
    """

    array: Array
    may: tuple[Array, ...]
    mode: Mode
    op: str
    region: Region
    tile: tuple[Term, ...]
    tile_index: tuple[Term, ...]
    site: int
    order: str
    scope: str
    loops: tuple[str, ...]
    parallel: str | None
    locks: tuple[tuple[Array, tuple[Term, ...], str], ...]
    span: Span
    via: tuple[Span, ...]
    checked: bool
    elements: tuple[Term, ...] = ()
    reach: tuple[Reach, ...] = ()
    under: Cond = TRUE
    unspecified: str = ""
    padding: str = ""
    held: Held | None = None


class Claim(Struct, frozen=True):
    """`assume_divisible_by(value, divisor)`: false, it makes everything undefined.

    under    the condition that it is made under
    exact    whether both are the whole truth
    """

    value: Term
    divisor: Term
    under: Cond
    exact: bool
    span: Span


class Gap(Struct, frozen=True):
    """Something that was not understood. `arrays` lose every verdict; empty when no array is concerned."""

    what: str
    arrays: tuple[Array, ...]
    span: Span


class Declared(Struct, frozen=True):
    """A clause or annotation written by the author: in `@requires`, a trailing comment or an overlay."""

    text: str
    span: Span
    origin: Literal["requires", "comment", "overlay"]


class KernelModel(Struct, frozen=True):
    """A kernel as the rules see it.

    axes_read   grid axes whose `bid` or `num_blocks` the kernel reads (also where it does not reach an access)
    axis_reads  each of these reads with the launch scalar conditions that it stands under
    observed    notes beside the accesses
    products    block-dependent numbers that the kernel compares, divides or chooses between, where no index shows them
    long        likewise, of numbers that are computed in 64 bits
    sized       numbers of the launch that bounds of other numbers assume not to be negative
    doubled     numbers that the launch passes in 64 bits
    wide        quotients and the like that are computed in 64 bits
    indexed     arrays whose extents and indices are of 64 bits
    claims      its claims of divisibility
    ranks       ranks known from use: name -> rank, when every use agrees
    ranked      arrays of which code shows the rank that every variant of the kernel has
    guards      uniform conditions that every execution satisfies (`static_assert`, `assert_`)
    paddings    facts on undefined lanes
    ownership   of a dialect kernel, the ownership facts of its parameters
    fractional  parameters that are not followed as integers somewhere, because a launch may pass fractions
    assumed     clauses on integers that every proof of the kernel assumes
    """

    name: str
    file: str
    span: Span
    name_span: Span
    params: tuple[Param, ...]
    accesses: tuple[Access, ...]
    axes_read: frozenset[int]
    ranks: tuple[tuple[Array, int], ...]
    gaps: tuple[Gap, ...]
    declared: tuple[Declared, ...]
    guards: Cond
    dialect: bool = False
    axis_reads: tuple[tuple[int, Cond], ...] = ()
    products: tuple[Term, ...] = ()
    long: tuple[Term, ...] = ()
    sized: tuple[str, ...] = ()
    doubled: frozenset[str] = frozenset()
    wide: frozenset[Atom] = frozenset()
    indexed: frozenset[Array] = frozenset()
    observed: Observed = NOTHING_SEEN
    claims: tuple[Claim, ...] = ()
    paddings: Paddings = field(default_factory=Paddings)
    ownership: Ownership = NOT_A_DIALECT
    ranked: frozenset[Array] = frozenset()
    fractional: tuple[str, ...] = ()
    assumed: tuple[Clause, ...] = ()

    @property
    def launched(self) -> dict[Array, int]:
        """The ranks that arrays have in every launch: those that every variant of the kernel shows."""
        return {a: rank for a, rank in self.ranks if a in self.ranked}

    @property
    def written(self) -> frozenset[Array]:
        return frozenset(a.array for a in self.accesses if a.mode != "read")

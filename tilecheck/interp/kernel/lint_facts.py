"""Notes of symbolic execution beside accesses: slices, casts, loops, parts of tiles, computed values.

Rules that inspect the computation of an index, and not the elements that it selects, read these notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.dtypes import I32, I64, DType
from tilecheck.interp.kernel.device.refusal import Refusal
from tilecheck.interp.kernel.tile_types.uses import Use
from tilecheck.interp.kernel.values import Bool, Data, Int, Value
from tilecheck.symbolic import TRUE, Array, Atom, Cond, Lane, Term, conj, conjuncts, disj, negate, substitute_cond
from tilecheck.syntax.tree import FuncDef, Span

__all__ = [
    "NOTHING_SEEN", "Early", "Narrowing", "Notes", "Observed", "RangeLoop", "SliceUse", "SubTile", "Unused",
    "UnusedKind",
]

_EARLY: Final = 32

UnusedKind: TypeAlias = Literal["mask", "tile", "loaded"]


class SliceUse(Struct, frozen=True):
    """`array.slice(axis, start, stop)`, in coordinates of the sliced array, whose extent along the axis is `extent`.

    A part of a tile that `ct.extract` or `ct.insert` selects is a slice too, of `UNKNOWN_ARRAY`.

    guard  the path condition of the slice
    """

    array: Array
    axis: int
    start: Term
    stop: Term
    extent: Term
    guard: Cond
    exact: bool
    span: Span


class Narrowing(Struct, frozen=True):
    """A value put into an integer type that may not hold it; `result` is what becomes of it."""

    dtype: DType
    value: Term
    result: Term
    guard: Cond
    span: Span


class RangeLoop(Struct, frozen=True):
    """A `for` over a range.

    early  whether something in it may end it before the end of the range
    """

    counter: str
    start: Term
    stop: Term
    step: Term
    guard: Cond
    span: Span
    header: Span
    early: bool = False


class SubTile(Struct, frozen=True):
    """`ct.extract` or `ct.insert`: a part of a tile of extents `whole`, selected in units of its own extents."""

    op: str
    index: tuple[Term, ...]
    part: tuple[Term, ...]
    whole: tuple[Term, ...]
    guard: Cond
    span: Span


class Early(Struct, frozen=True):
    """An access that may come before `grid_dependency_control_wait()`.

    reads  whether it only reads
    path   its path condition
    waits  the conditions under which a wait executes before it
    """

    array: Array
    reads: bool
    span: Span
    path: Cond
    waits: tuple[Cond, ...]

    def is_after_wait(self, given: Mapping[Atom, Term]) -> bool:
        """Whether the wait comes first, or the access is not made, where launch scalars have these values."""
        path = substitute_cond(self.path, given)
        return path.op == "false" or any(_implies(path, substitute_cond(w, given)) for w in self.waits)


class Unused(Struct, frozen=True):
    """A value that is made and does not reach memory, a condition or a result.

    kind    a mask, a tile that is computed, or anything that is loaded
    helper  whether it stands in a function that kernels call
    """

    name: str
    kind: UnusedKind
    span: Span
    helper: bool


class Observed(Struct, frozen=True):
    """The notes of one kernel.

    early  the first accesses that may come before `grid_dependency_control_wait()`, in program order
    waits  whether that is called at all
    after  arrays that are read after it
    wide   whether 64-bit integers are mentioned anywhere in it
    uses   operations whose operands do not fit, or do not in some launches
    refusals  what the compiler refuses
    """

    slices: tuple[SliceUse, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()
    loops: tuple[RangeLoop, ...] = ()
    parts: tuple[SubTile, ...] = ()
    unused: tuple[Unused, ...] = ()
    early: tuple[Early, ...] = ()
    waits: bool = False
    after: frozenset[Array] = frozenset()
    wide: bool = False
    uses: tuple[Use, ...] = ()
    refusals: tuple[Refusal, ...] = ()


NOTHING_SEEN = Observed()


@dataclass
class Notes:
    """The notes as they are taken.

    effects  number of operations that do more than compute a value
    reads    number of reads
    made     the kind of the value of each assignment; None if it has another effect, or if the kind is unknown
    helpers  the functions that were executed, by location
    wide     values that were converted to 64 bits
    waits    conditions under which the wait for the previous launch has been passed, in program order
    uses     operations whose operands do not fit, or may not
    refusals what the compiler refuses
    seen     the values of expressions and variables by location, where a caller requests them
    """

    slices: dict[SliceUse, None] = field(default_factory=dict)
    narrowings: dict[Narrowing, None] = field(default_factory=dict)
    loops: dict[RangeLoop, None] = field(default_factory=dict)
    parts: dict[SubTile, None] = field(default_factory=dict)
    made: dict[Span, UnusedKind | Literal["other"] | None] = field(default_factory=dict)
    helpers: dict[Span, FuncDef] = field(default_factory=dict)
    effects: int = 0
    reads: int = 0
    waits: list[Cond] = field(default_factory=list)
    wide: set[Term] = field(default_factory=set)
    early: list[Early] = field(default_factory=list)
    after: set[Array] = field(default_factory=set)
    uses: dict[Use, None] = field(default_factory=dict)
    refusals: dict[Refusal, None] = field(default_factory=dict)
    seen: dict[Span, list[Value]] = field(default_factory=dict)

    def note_assignment(self, span: Span, value: Value, effects: int, reads: int) -> None:
        """An assignment was executed; `effects` and `reads` are the numbers from before."""
        kind: UnusedKind | Literal["other"] | None = None
        if self.effects == effects:
            kind = _kind(value, self.reads > reads)
        self.made[span] = kind if self.made.get(span, kind) == kind else _merge_kinds(self.made[span], kind)

    def note_conversion(self, dtype: DType | None, value: Term, path: Cond, span: Span) -> None:
        """Notes the conversion of a value to 32 or 64 bits. A value computed from 64 bits may not fit into 32 bits."""
        if dtype is I64:
            self.wide.add(value)
        elif dtype is I32 and any(_multiple(value, w) for w in self.wide):
            self.narrowings[Narrowing(dtype, value, value, path, span)] = None

    def note_wait(self, path: Cond) -> None:
        """The wait is executed under a condition."""
        self.effects += 1
        for known in list(self.waits):
            merged = _merged_paths(known, path)
            if merged is not None:
                self.waits.append(merged)
        self.waits.append(path)

    def note_access(self, array: Array, reads: bool, path: Cond, span: Span) -> None:
        """An access is executed under a condition."""
        if any(_implies(path, w) for w in self.waits):
            if reads:
                self.after.add(array)
        elif len(self.early) < _EARLY:
            self.early.append(Early(array, reads, span, path, tuple(self.waits)))


def _kind(value: Value, loaded: bool) -> UnusedKind | Literal["other"]:
    if loaded and isinstance(value, (Int, Bool, Data)):
        return "loaded"
    if isinstance(value, (Int, Bool, Data)) and value.shape:
        return "mask" if isinstance(value, Bool) else "tile"
    return "other"


def _multiple(value: Term, wide: Term) -> bool:
    """Whether a value has a product in it that has the block-dependent atoms of another one as factors."""
    factors = {a for a in wide.atoms() if a.varying and not isinstance(a, Lane)}
    return bool(factors) and any(len(m) > 1 and factors <= set(m) for m in value.monos)


def _merge_kinds(
    a: UnusedKind | Literal["other"] | None, b: UnusedKind | Literal["other"] | None,
) -> UnusedKind | Literal["other"] | None:
    """Of one statement executed twice; that it does more once is enough."""
    return None if a is None or b is None else "other"


def _parts(cond: Cond) -> frozenset[Cond]:
    return frozenset(conjuncts(cond))


def _implies(path: Cond, wait: Cond) -> bool:
    return _parts(wait) <= _parts(path)


def _merged_paths(a: Cond, b: Cond) -> Cond | None:
    """Two conditions that differ in one part that one of them has and the other denies: the rest suffices."""
    first, second = _parts(a), _parts(b)
    mine, other = first - second, second - first
    if mine and other and conj(*mine) == negate(conj(*other)):
        return conj(*sorted(first & second, key=lambda c: c.key))
    whole = disj(a, b)
    return whole if whole is TRUE else None

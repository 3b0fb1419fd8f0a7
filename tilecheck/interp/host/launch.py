"""A launch of a kernel as it is seen in host code."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.symbolic import EXTENTS, Atom, Cond, Symbol, Term
from tilecheck.syntax.tree import Span

ArgumentKind: TypeAlias = Literal["array", "list", "scalar", "unknown"]


class Argument(Struct, frozen=True):
    """One argument of a launch, aligned with the kernel's parameter of the same place.

    kind       `unknown` for a name that may be a scalar or an array: then `term` and `identity` are both set
    term       value of a scalar or constant over the launch's own symbols; None when it is not known
    identity   name of the storage an array argument refers to, equal for arguments known to share storage; None when
               it is not known. Sure views (view, transpose, slices) keep the identity of their base; what may be a
               copy (contiguous, reshape) has one of its own.
    exact      whether the argument is the storage itself or a view of all of it (not a slice)
    shape      extents, where known, over the launch's symbols (`q.shape[0]` of the host tensor stays such a symbol)
    strides    likewise, in elements
    text       the argument as written, for messages
    fresh      `empty`, `zeros`, ... when the host allocates the array in sight of the launch
    name       prefix of the symbols of its extents (`q` in `q.shape[0]`) where the shape is not known
    strided    likewise for its strides
    dense      whether an array is laid out row by row
    elements   the elements of a list argument, where known
    options    the arguments of which this is one, each with its condition, where it is one of several
    roots      the allocations that an array argument may live in; None when it may be any
    made       those of them that the host allocates in sight of the launch
    dtype      name of the element type, when the host allocates the array with one in sight
    rows       of a slice of the first axis of its storage by constants: the name of the sliced array, begin and end
    fraction   the value of a float, where it is written in the code
    integral   whether it is an integer, as its computation and the annotations of parameters show: yes, no, not known
    literal    `None`, `str`, `float`, `int`, `bool`, `list`, `dict`: its type, where it is certainly of that
    """

    kind: ArgumentKind
    text: str
    span: Span
    term: Term | None = None
    identity: str | None = None
    exact: bool = True
    shape: tuple[Term | None, ...] | None = None
    strides: tuple[Term | None, ...] | None = None
    fresh: str | None = None
    name: str | None = None
    strided: str | None = None
    dense: bool = False
    elements: tuple[Argument, ...] | None = None
    options: tuple[tuple[Cond, Argument], ...] = ()
    roots: frozenset[str] | None = None
    made: frozenset[str] = frozenset()
    dtype: str | None = None
    literal: str | None = None
    fraction: float | None = None
    rows: tuple[str, int, int | None] | None = None
    integral: bool | None = None


def is_free(a: Atom, free: Collection[str]) -> bool:
    """Whether an atom is a symbol among those that callers choose, or an extent of an array among them."""
    return isinstance(a, Symbol) and (a.key in free or (isinstance(a, EXTENTS) and a.array.text in free))


class Launch(Struct, frozen=True):
    """A seen launch.

    kernel     (file, qualified name) of the kernel launched
    grid       extents over the launch's symbols, padded with 1; None where not known
    arguments  None if the argument list is not seen (`*args`)
    facts      guarantees of the host code at the launch: asserts, branches taken, ranges of loops
    how        `launch`, `wrapper`, `tuner`; `operation` for a launch through the runtime
    wrapper    name of the function whose symbols the terms use, for messages
    cases      the values that symbols of a tuner's configuration may have, together: one case for each configuration;
               empty when there is no configuration or its values are not known
    every      whether each of the cases is launched, as it is by a tuner
    free       symbols that callers choose: parameters and extents of their arrays
    faults     faults that do not depend on the kernel: (kind, subject)
    certain    whether it launches this kernel and no other, on every path
    variables  values of the kernel's type variables, in a launch through the runtime
    complete   whether `facts` has all guarantees that concern the launch
    computed   whether calls that were not followed compute its grid
    dependent  whether it may start before the launch before it is done (programmatic dependent launch)
    """

    kernel: tuple[str, str]
    grid: tuple[Term | None, Term | None, Term | None]
    arguments: tuple[Argument, ...] | None
    facts: Cond
    span: Span
    how: Literal["launch", "wrapper", "tuner", "operation"]
    wrapper: str
    cases: tuple[tuple[tuple[str, int], ...], ...] = ()
    free: frozenset[str] = frozenset()
    every: bool = False
    faults: tuple[tuple[str, str], ...] = ()
    dependent: bool = False
    certain: bool = True
    variables: tuple[tuple[str, Term], ...] = ()
    complete: bool = True
    computed: bool = False

    def __hash__(self) -> int:
        # the data of a launch is large: location, grid and facts distinguish it from nearly all other launches
        return hash((self.kernel, self.span, self.wrapper, self.grid, self.facts))

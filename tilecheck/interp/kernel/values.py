"""Abstract values: what symbolic execution knows of a Python value inside a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from tilecheck.dtypes import ElementOf, ElementType
from tilecheck.interp.kernel.poison.sources import Shadow
from tilecheck.symbolic import TRUE, Array, Cond, Term
from tilecheck.syntax.tree import ClassDef, Expr, FuncDef, Param, Span

if TYPE_CHECKING:
    from tilecheck.interp.kernel.interpreter import Frame
    from tilecheck.project.module import Module

Shape: TypeAlias = tuple[Term, ...]


class Int(Struct, frozen=True):
    """An integer scalar or tile. Lanes in the term are coordinates of the tile; `shape` None is an unknown shape.
    The field `shadow` has the undefined lanes, as in `Bool` and `Data`.

    Two values are equal if their terms and shapes are equal. The other fields do not change the value.

    dtype  here and in `Bool` and `Data`: the element type; None also if the shape may not be that of every launch
    made   here and in `Bool` and `Data`: the origin of the shape
    """

    term: Term
    shape: Shape | None = ()
    shadow: Shadow = ()
    dtype: ElementType | None = None
    made: Span | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Int) and self.term == other.term and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.term, self.shape))


def with_term(value: Int, term: Term) -> Int:
    """`replace`, which takes much longer."""
    return value if value.term is term else Int(term, value.shape, value.shadow, value.dtype, value.made)


class Bool(Struct, frozen=True):
    cond: Cond
    shape: Shape | None = ()
    shadow: Shadow = ()
    dtype: ElementType | None = None
    made: Span | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bool) and self.cond == other.cond and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.cond, self.shape))


class Data(Struct, frozen=True):
    """A float, or a tile whose elements are not followed. `term` names the value when it is a function of known
    things: equal terms mean equal values, but no arithmetic law holds."""

    shape: Shape | None
    term: Term | None = None
    shadow: Shadow = ()
    dtype: ElementType | None = None
    made: Span | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Data) and self.shape == other.shape and self.term == other.term

    def __hash__(self) -> int:
        return hash((self.shape, self.term))


class Const(Struct, frozen=True):
    """None, a string, a float or Ellipsis."""

    value: object


class Place(Struct, frozen=True):
    """A mark in an environment: a location that matters for a variable, and the kinds of its values."""

    span: Span
    words: tuple[str, ...] = ()


class Named(Struct, frozen=True):
    """A value that is the same in all blocks and of which only equality is asked: `x.dtype`, a string parameter.

    dtype  the element type that it is, if that of one array
    """

    text: str
    dtype: ElementOf | None = None


class TileRef(Struct, frozen=True):
    """A public name of cuda.tile, or cuda.tile itself."""

    name: str


class External(Struct, frozen=True):
    """A name from outside the checked tree."""

    name: str


class Builtin(Struct, frozen=True):
    name: str


class View(Struct, frozen=True):
    """One array that a reference may mean, as seen through slices and tiled views.

    root      the array itself
    member    position in the list, for an array at any position
    slices    per sliced axis: (axis, start, stop) in coordinates of the root
    tile      tile shape of a tiled view
    steps     its traversal steps
    raw       whether it is raw memory
    padding   the padding mode of a tiled view as it was given, None when it was not
    """

    root: Array
    member: Term | None = None
    slices: tuple[tuple[int, Term, Term], ...] = ()
    tile: Shape | None = None
    steps: Shape | None = None
    raw: bool = False
    padding: Value | None = None

    def slice_of(self, axis: int) -> tuple[Term, Term] | None:
        return next(((a, b) for d, a, b in self.slices if d == axis), None)


class ArrayRef(Struct, frozen=True):
    """The arrays a reference may mean, each under a condition."""

    options: tuple[tuple[Cond, View], ...]


class ParamRef(Struct, frozen=True):
    """A parameter (or an element of one) whose kind shows only in its use. `outer` for those of a factory."""

    root: Array
    member: Term | None = None
    outer: bool = False


class Choice(Struct, frozen=True):
    """Either of two values of different kinds, or of kinds that only their use will show."""

    cond: Cond
    then: Value
    other: Value


class Extents(Struct, frozen=True):
    """`x.shape` or `x.strides`."""

    array: ArrayRef
    what: str


class Tuple(Struct, frozen=True):
    items: tuple[Value, ...]


class Range(Struct, frozen=True):
    start: Term
    stop: Term
    step: Term


class StaticIter(Struct, frozen=True):
    inner: Value


class TileSlice(Struct, frozen=True):
    """`ct.Slice(start, length)`."""

    start: Term
    length: Term


class Function(Struct, frozen=True, eq=False):
    """`defaults` are those of a nested function: they are evaluated where it is defined."""

    definition: FuncDef
    module: Module
    closure: Frame | None = None
    defaults: Mapping[str, Value] = field(default_factory=dict)


class LambdaValue(Struct, frozen=True, eq=False):
    params: tuple[Param, ...]
    body: Expr
    span: Span
    closure: Frame
    defaults: Mapping[str, Value] = field(default_factory=dict)


class Partial(Struct, frozen=True):
    func: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


class Method(Struct, frozen=True):
    owner: Value
    name: str


class Class(Struct, frozen=True, eq=False):
    definition: ClassDef
    module: Module
    closure: Frame | None = None


class Instance(Struct, frozen=True, eq=False):
    """An instance of a class; `member` names a member of an enumeration."""

    of: Class
    fields: Mapping[str, Value] = field(default_factory=dict)
    member: str | None = None


class ModuleValue(Struct, frozen=True):
    module: Module


class Dict(Struct, frozen=True):
    items: tuple[tuple[Value, Value], ...]


class Unknown(Struct, frozen=True):
    """A value that is not understood. It may hold any of `arrays`."""

    what: str
    arrays: frozenset[Array] = frozenset()


class Owned(Struct, frozen=True):
    """A value that only kernels of the ownership dialect have. Its kinds are in `dialect/values.py`."""


Value: TypeAlias = (
    Int | Bool | Data | Const | Named | TileRef | External | Builtin | ArrayRef | ParamRef | Choice | Extents | Tuple
    | Range | StaticIter | TileSlice | Function | LambdaValue | Partial | Method | Class | Instance | ModuleValue | Dict
    | Unknown | Owned | Place
)

NONE = Const(None)


def array(view: View) -> ArrayRef:
    return ArrayRef(((TRUE, view),))


def truth(cond: Cond) -> Bool:
    return Bool(cond)

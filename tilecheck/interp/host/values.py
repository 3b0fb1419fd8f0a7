"""The values of expressions of host code.

Every value is immutable; lists, dicts and attributes of objects live in the state. `Thing` is a value known only by
its name: it becomes a number, a tensor or an object when it is used as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.interp.host.syntax import syntax
from tilecheck.project.module import Module
from tilecheck.symbolic import Cond, Term
from tilecheck.syntax.tree import ClassDef, FuncDef, Lambda, Span

Step: TypeAlias = str | int
"""One step into a value: an attribute or a constant index."""


class Int(Struct, frozen=True):
    """A number that is followed as an integer.

    whole  whether it is one: certainly, perhaps not, or as the numbers in `term` show (None)
    """

    term: Term
    whole: bool | None = None


class Truth(Struct, frozen=True):
    cond: Cond


class Plain(Struct, frozen=True):
    """A literal that is not an integer: None, a string, a float."""

    value: object | None


class Ratio(Struct, frozen=True):
    """The true division of two integers, before it is rounded."""

    num: Term
    den: Term


class Log2(Struct, frozen=True):
    """`math.log2(of)`; `up` once it was rounded up."""

    of: Term
    up: bool = False


class Tensor(Struct, frozen=True):
    """An array.

    name      prefix of the symbols of its extents, shared by arrays of equal shape
    strided   prefix of the symbols of its strides
    storage   name of the memory it lives in; `maybe` names the memory it may live in instead (a view or a copy)
    dense     whether it is laid out row by row
    whole     whether it covers all of its storage
    fresh     how it was allocated, when that is seen
    dtype     name of its element type (`int32`), when it was allocated with one in sight
    rows      of a slice of the first axis of all of its storage by constants: the name of the sliced array, begin
              and end
    torch     whether it is certainly an array of torch
    """

    name: str
    strided: str
    storage: str
    shape: tuple[Term, ...] | None = None
    strides: tuple[Term, ...] | None = None
    dense: bool = False
    whole: bool = True
    fresh: str | None = None
    maybe: str | None = None
    dtype: str | None = None
    rows: tuple[str, int, int | None] | None = None
    torch: bool = False


class Shape(Struct, frozen=True):
    """`x.shape[lower:upper]` of an array of unknown rank."""

    name: str
    lower: int = 0
    upper: int | None = None


class Rest(Struct, frozen=True):
    """The extents of a shape of unknown rank, where they stand among the items of a tuple: `(*x.shape, 4)`."""

    shape: Shape


Place: TypeAlias = tuple[Span, Module]


class Items(Struct, frozen=True):
    """A tuple. `places` tells where each item was written, when that is seen."""

    items: tuple[Value, ...]
    places: tuple[Place | None, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Items) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    @property
    def spliced(self) -> bool:
        """Whether it has more items, or fewer, than are listed."""
        return any(isinstance(item, Rest) for item in self.items)


class Ref(Struct, frozen=True):
    """A list or dict; its contents are in the state, under `key`.

    lazy     whether it is an iterator or a view: its contents are those of this moment, and may be read only once
    sources  names of the lists and dicts that it reads when it is asked for an item, and `OBJECTS` if it may read
             attributes; None if it may read anything
    names    names of the variables that it reads then
    """

    kind: Literal["list", "dict"]
    key: str
    lazy: bool = False
    sources: frozenset[str] | None = None
    names: frozenset[str] = frozenset()


class Record(Struct, frozen=True):
    """An object with visible fields: a namespace, a dataclass, a named tuple. `key` identifies the object."""

    key: str
    fields: tuple[tuple[str, Value], ...]

    def __hash__(self) -> int:
        return hash(self.key)  # equal objects have equal keys, and fields may be many

    def get(self, name: str) -> Value | None:
        return next((v for n, v in self.fields if n == name), None)


class Kernel(Struct, frozen=True):
    file: str
    qualname: str


class Closure(Struct, frozen=True):
    """A lambda or a function defined inside a function, with the frame it sees."""

    definition: FuncDef | Lambda
    span: Span
    frame: int
    module: Module
    qualname: str
    bound: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    defaults: tuple[tuple[str, Value], ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closure) and self._list_compared() == other._list_compared()

    def __hash__(self) -> int:
        return hash(self._list_compared())

    def _list_compared(self) -> tuple[object, ...]:
        """The fields for comparisons. The span represents the definition."""
        return self.span, self.frame, self.module, self.qualname, self.bound, self.named, self.defaults


class Function(Struct, frozen=True):
    """A function or method of the checked tree; `raw` as it is given to its decorators."""

    module: Module
    qualname: str
    bound: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    raw: bool = False

    @property
    def definition(self) -> FuncDef | None:
        return syntax(self.module).function(self.qualname)


class Class(Struct, frozen=True):
    module: Module
    qualname: str

    @property
    def definition(self) -> ClassDef | None:
        return syntax(self.module).class_(self.qualname)


class External(Struct, frozen=True):
    """A name from outside the checked tree, by its dotted path; `cuda.tile.launch` for names of cuda.tile."""

    path: str


class Package(Struct, frozen=True):
    module: Module


class Table(Struct, frozen=True):
    """A dict that outlives the call: a module's cache or table. Other code collects the values stored in it.

    constant  whether nothing is stored in it after its display
    partial   whether code that is not followed may store something in it
    """

    name: str
    constant: bool = False
    partial: bool = False


class Choice(Struct, frozen=True):
    """One of several values, each under its condition."""

    options: tuple[tuple[Cond, Value], ...]


class Member(Struct, frozen=True):
    """Origin of a value that is one of `values`, or what `path` leads to in one of them.

    every  whether it is each of them in turn, as configurations are in a tuner
    """

    root: str
    values: tuple[Value, ...]
    path: tuple[Step, ...] = ()
    every: bool = False


class Stored(Struct, frozen=True):
    """Origin of a value read from a table that outlives the call: one of all values stored there, or, of a
    `partial` table, any value."""

    root: str
    table: str
    key: Value
    path: tuple[Step, ...] = ()
    partial: bool = False


Origin: TypeAlias = Member | Stored


class Thing(Struct, frozen=True):
    """A value known by its name only. `numeric` is false when it is known to be no integer."""

    name: str
    origin: Origin | None = None
    numeric: bool = True


Value: TypeAlias = (
    Int | Truth | Plain | Ratio | Log2 | Tensor | Shape | Rest | Items | Ref | Record | Kernel | Closure | Function
    | Class | External | Package | Table | Choice | Thing
)

NONE = Plain(None)
OBJECTS = "."
"""Stands for the attributes of all objects among the things that an iterator reads."""


def read_sources(value: Value) -> frozenset[str] | None:
    """The lists and dicts that an iteration over a value, or code that is given the value, reads."""
    if isinstance(value, Ref):
        return value.sources if value.lazy else frozenset((value.key,))
    if isinstance(value, Choice):
        return join_sources(read_sources(option) for _, option in value.options)
    if isinstance(value, Items):
        return join_sources(map(read_sources, value.items))
    if isinstance(value, Record):
        return join_sources([frozenset((OBJECTS,)), *(read_sources(v) for _, v in value.fields)])
    return None if isinstance(value, Closure | Function) else frozenset((OBJECTS,)) if isinstance(
        value, Thing) else frozenset()


def join_sources(parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """All that one of several values reads."""
    out: frozenset[str] = frozenset()
    for part in parts:
        if part is None:
            return None
        out |= part
    return out

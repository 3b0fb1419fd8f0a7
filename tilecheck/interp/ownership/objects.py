"""The values of host variables on one path. Objects that the program changes are changed here as well."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from tilecheck.interp.ownership.region import WHOLE, Region
from tilecheck.symbolic import Term
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.signatures import Callee
    from tilecheck.project.module import Module

HandleKind: TypeAlias = Literal["tensor", "partition", "shared tensor"]
Shape: TypeAlias = "tuple[Term, ...] | None"


@dataclass(eq=False, slots=True)
class Value:
    """
    escaped  whether code that is not seen may hold it too
    """

    escaped: bool = field(default=False, init=False)


@dataclass(eq=False, slots=True)
class Number(Value):
    term: Term


@dataclass(eq=False, slots=True)
class Literal_(Value):
    """A constant other than an integer: None, a string, a float, a truth value."""

    value: object


@dataclass(eq=False, slots=True)
class Row(Value):
    """A tuple."""

    items: tuple[Value, ...]


@dataclass(eq=False, slots=True)
class Listing(Value):
    """A list, set, deque or a mapping. `open`: it may hold other things too."""

    items: list[Value] = field(default_factory=list)
    keys: list[Value] | None = None
    open: bool = False


@dataclass(eq=False, slots=True)
class Unknown(Value):
    """A value of unknown type.

    name        names it in terms
    handle      the runtime tensor that it turned out to be
    array       the torch tensor that it turned out to be
    attributes  values read from it, until they may have changed
    """

    name: str
    handle: Handle | None = None
    array: Array | None = None
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class External(Value):
    """Something of a library, by its dotted name."""

    path: str


@dataclass(eq=False, slots=True)
class Storage(Value):
    """Memory.

    sure      whether it certainly is that of a tensor of the runtime
    reported  whether an event about it was reported on this path already
    outside   whether the function was given it, so that others may hold it
    """

    name: str
    sure: bool = True
    outside: bool = False
    reported: bool = False
    holds: list[Hold] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Move:
    """Where a handle went: `into` "a partition", "the launch of `add`"."""

    span: Span
    into: str
    fix: str


@dataclass(eq=False, slots=True)
class Handle(Value):
    """A tensor, a partition or a shared handle, or a view of one.

    tile      extents of a piece, of a partition
    blocks    of a mapped partition; `mapped` says whether it is one
    prefix    None when it is not known whether it is a prefix partition
    """

    kind: HandleKind
    storage: Storage
    span: Span
    shape: Shape = None
    dtype: str | None = None
    region: Region = WHOLE
    parent: Handle | None = None
    readonly: bool = False
    tile: Shape = None
    mapped: bool = False
    blocks: Term | None = None
    prefix: bool = False
    moved: Move | None = None
    hold: Hold | None = None


HoldMode: TypeAlias = Literal["partitioned", "writing", "reading", "shared", "graph"]


@dataclass(eq=False, slots=True)
class Hold:
    """A part of a storage that something holds: a partition, an operation, a flight, a graph."""

    mode: HoldMode
    region: Region
    span: Span
    what: str
    owner: Value
    name: str = ""
    ended: bool = False


@dataclass(eq=False, slots=True)
class Argument:
    """The argument of an operation for one parameter."""

    handle: Handle
    name: str
    written: bool
    text: str


@dataclass(eq=False, slots=True)
class Operation(Value):
    """Something to run.

    span    where it was built
    what    "the launch of `add`"
    known   whether all its arguments are seen
    parts   of a `zip`, operations with one result each; of a `then`, the first operation
    follow  of a `then`, the function that receives the result
    given   of a launch, by parameter; `texts` as it is written there
    grid    that follows from the partitions, or that was asked for
    ended   how it came to its end: "run", "made part of a `zip`"
    refused whether the program saw that it could not be run
    """

    span: Span
    what: str
    arguments: tuple[Argument, ...] = ()
    parts: tuple[Operation, ...] | None = None
    follow: Value | None = None
    known: bool = True
    callee: Callee | None = None
    given: dict[str, Value] = field(default_factory=dict)
    texts: dict[str, tuple[str, Span]] = field(default_factory=dict)
    grid: Shape = None
    ended: tuple[str, Span] | None = None
    refused: bool = False
    holds: list[Hold] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Flight(Value):
    """An operation under way.

    parts   flights that are waited for together; `single`: the result is that of the only one
    result  if it is not computed from the arguments of the operation
    taken   where the result was taken
    """

    operation: Operation
    span: Span
    result: Value | None = None
    taken: Span | None = None
    holds: list[tuple[Handle, Hold]] = field(default_factory=list)
    parts: list[Flight] = field(default_factory=list)
    single: bool = False


@dataclass(eq=False, slots=True)
class Graph(Value):
    """Captured operations of the runtime."""

    span: Span
    holds: list[Hold] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Kernel(Value):
    callee: Callee


@dataclass(eq=False, slots=True)
class Routine(Value):
    """A function whose code is seen; `scope` is what it was defined in, on this path."""

    module: Module
    qualname: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope | None = None
    owner: Value | None = None


@dataclass(eq=False, slots=True)
class Blueprint(Value):
    """A class of the checked tree."""

    module: Module
    name: str


@dataclass(eq=False, slots=True)
class Instance(Value):
    """An object, with the attributes that were set in sight."""

    blueprint: Blueprint | None
    name: str
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Bound(Value):
    """A method of something, or its `view`."""

    owner: Value
    name: str
    text: str = ""


@dataclass(eq=False, slots=True)
class Coroutine(Value):
    """A call of an `async def`, or several things to be awaited together."""

    routine: Routine | None = None
    args: tuple[Value, ...] = ()
    named: dict[str, Value] = field(default_factory=dict)
    together: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class Memory:
    """Memory of torch.

    inside  whether the function allocates it, so that it goes with the last name of it here
    """

    name: str
    inside: bool = False
    escaped: bool = False
    touched: list[Touch] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Array(Value):
    """A tensor of torch."""

    memory: Memory


@dataclass(eq=False, slots=True)
class Touch:
    """An access of work on a stream: the parameter of a kernel, or an operation of torch.

    at  the number of the work on its stream
    """

    stream: Stream
    at: int
    span: Span
    what: str
    kernel: tuple[str, str] | None
    index: int
    writes: bool


@dataclass(eq=False, slots=True)
class Stream(Value):
    """A CUDA stream. `seen`: how much of the work of each stream comes before its next one."""

    name: str
    done: int = 0
    seen: dict[int, int] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Marker(Value):
    """A CUDA event: the work that was done when it was recorded."""

    seen: dict[int, int] | None = None


@dataclass(eq=False, slots=True)
class Capture(Value):
    """A CUDA graph of torch, and the memory of others that it works on."""

    span: Span
    uses: dict[Memory, tuple[str, Span]] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Scope:
    """The variables of one activation of a function, or of a module."""

    module: Module
    qualname: str
    outer: Scope | None = None
    variables: dict[str, Value] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, Scope | None] = field(default_factory=dict)
    line: int = 0

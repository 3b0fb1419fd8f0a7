"""The state of a symbolic execution: where it stands, what it has recorded, and how names are made.

The machine knows no syntax and no operation; it dispatches to the tables it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tilecheck.dtypes import DType, ElementType
from tilecheck.interp.kernel.access import Claim, Gap
from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.interp.kernel.device.refusal import Refusal
from tilecheck.interp.kernel.device.variant import Variant
from tilecheck.interp.kernel.dialect.holdings import Holdings
from tilecheck.interp.kernel.dialect.ownership import Held
from tilecheck.interp.kernel.lint_facts import Notes
from tilecheck.interp.kernel.poison.sources import Edge, Observation
from tilecheck.interp.kernel.shapes import element, unknown_truth
from tilecheck.interp.kernel.undeclared import Use, symbols_of_value
from tilecheck.interp.kernel.values import Bool, Int, Range, Shape, Unknown, Value
from tilecheck.symbolic import (
    TRUE,
    Array,
    Atom,
    Cond,
    GridDim,
    Load,
    Opaque,
    Source,
    Term,
    Ticket,
    atoms_of,
    conj,
    conjuncts,
    negate,
    of,
)
from tilecheck.symbolic.sizes import is_short, is_small
from tilecheck.syntax.tree import Expr, Span, Stmt

if TYPE_CHECKING:
    from tilecheck.interp.kernel.operation import Method, Operation
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

STEPS = 30_000
"""Nodes that one run may visit. The largest kernel of a large library needs 5 000."""
DEPTH = 12


class Exhausted(Exception):
    """The execution budget is spent."""


class Operations(Struct, frozen=True):
    """Operations that a kernel may call, by name.

    tile          operations of cuda.tile
    tile_methods  those that are also methods of tiles
    methods       methods of arrays and views
    builtins      builtin functions of Python
    library       functions of other libraries, by their full names
    """

    tile: Mapping[str, Operation]
    tile_methods: Mapping[str, Operation]
    methods: Mapping[str, Method]
    builtins: Mapping[str, Callable[..., Value]]
    library: Mapping[str, Callable[..., Value]]


class Knowledge(Struct, frozen=True):
    """Facts on the whole kernel from earlier runs.

    written    arrays that the kernel writes anywhere; None in the first run
    integers   arrays whose elements are used as integers
    ranks      ranks of arrays
    ranked     arrays of which some code shows the rank in every variant
    mixed      list parameters that are indexed by something that is not a constant
    counters   arrays that atomic additions alone change
    paddings   arrays of integers, not written, that are read with different padding values
    unspecified  whether some tile load leaves its padding unspecified
    ranges     declared ranges of the elements of arrays: from the first number to before the second
    whole      numbers of the launch that address memory, bound a loop or give a shape, so that they are integers, and
               those that are declared or assumed to be integers
    uses       how the kernel compares numbers of the launch without a declared type: see `undeclared`
    variant    what a launch passes, where the kernel is executed as it is compiled for that launch
    """

    written: frozenset[Array] | None = None
    integers: frozenset[Array] | None = None
    ranks: Mapping[Array, int] = msgspec.field(default_factory=dict)
    ranked: frozenset[Array] = frozenset()
    mixed: frozenset[str] = frozenset()
    counters: frozenset[Array] = frozenset()
    paddings: frozenset[Array] = frozenset()
    unspecified: bool = False
    ranges: Mapping[Array, tuple[Term, Term]] = msgspec.field(default_factory=dict)
    whole: frozenset[Atom] = frozenset()
    uses: Mapping[Atom, frozenset[Use]] = msgspec.field(default_factory=dict)
    variant: Variant | None = None


@dataclass
class Jumps:
    """Where control leaves the body of a loop: the path condition and the variables there.

    base  the number of doubts around the loop
    """

    breaks: list[tuple[Cond, dict[str, Value]]] = field(default_factory=list)
    continues: list[tuple[Cond, dict[str, Value]]] = field(default_factory=list)
    returns: bool = False
    base: int = 0


class Frame:
    """One activation of a function, or the body of a module. `local` has the names that the function binds."""

    def __init__(self, module: Module, parent: Frame | None = None, local: frozenset[str] = frozenset()) -> None:
        self.module = module
        self.parent = parent
        self.local = local
        self.entry: Cond = TRUE
        self.env: dict[str, Value] = {}
        self.returns: list[tuple[Cond, Value, bool]] = []
        self.places: list[Span] = []
        """Where each of these is."""
        self.doubts = 0
        """The number of doubts at the call."""
        self.yielded: Value | None = None
        """The value of the last `yield`."""
        self.comprehended: set[str] = set()
        """Variables of comprehensions in the function, which functions in them use later."""
        self.jumps: list[Jumps] = []
        self.bodies: list[tuple[frozenset[str], Span]] = []
        """The loops around the statement: the names that their bodies set, and their locations."""

    def lookup(self, name: str) -> Value | None:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.env:
                return frame.env[name]
            frame = frame.parent
        return None


class LoopMark(Struct, frozen=True):
    """An enclosing loop: the name of its counter, and the value of its target when it is a `for` over a range."""

    counter: str
    target: Term | None


@dataclass(eq=False)
class Lock:
    """A lock element that is held; `released` is the order of the release once it is seen.

    parts  the locks of two paths that meet, where each holds the element
    """

    array: Array
    index: tuple[Term, ...]
    strong: bool
    released: str | None = None
    parts: tuple[Lock, ...] = ()


class CasResult(Struct, frozen=True):
    """The meaning of the result of a compare-and-swap."""

    array: Array
    index: tuple[Term, ...]
    expected: Term
    desired: Term
    strong: bool


class Record(Struct, frozen=True):
    """An access as executed. Its locks are resolved at the end of the execution."""

    array: Array
    may: tuple[Array, ...]
    mode: str
    op: str
    index: tuple[Term, ...]
    guard: Cond
    exact: bool
    tile: tuple[Term, ...]
    tile_index: tuple[Term, ...]
    own_index: tuple[Term, ...]
    elements: tuple[Term, ...]
    site: int
    order: str
    scope: str
    loops: tuple[LoopMark, ...]
    held: tuple[Lock, ...]
    span: Span
    via: tuple[Span, ...]
    checked: bool
    parallel: str | None = None
    reach: tuple[Reach, ...] = ()
    under: Cond = TRUE
    unspecified: str = ""
    padding: str = ""
    kept: Held | None = None


def _at_run_time(cond: Cond) -> bool:
    """Whether a condition is for certain decided while the kernel runs. One that was not understood may choose a
    variant: `if FLAG:` of a constant from elsewhere."""
    return cond.varying and any(a.varying and not isinstance(a, Opaque) for a in atoms_of(cond))


class Machine:
    def __init__(
        self, project: Project, knowledge: Knowledge, arrays: tuple[Array, ...],
        expressions: Mapping[type, Callable[[Machine, Any], Value]],
        statements: Mapping[type, Callable[[Machine, Any], None]],
        operations: Operations,
    ) -> None:
        self.project = project
        self.knowledge = knowledge
        self.parameters = arrays
        self._expressions = expressions
        self._statements = statements
        self.operations = operations
        self.frame: Frame | None = None
        self.path: Cond = TRUE
        self.alive = True
        self.recording = True
        self.host = False
        self.python = 0
        """How many computations around the code are executed by Python, when a module or a kernel is read."""
        self.objects_changed = 0
        """How often such a computation may have changed an object in place."""
        self.exact = True
        self.first = 0
        """If not 0, loops are executed for so many first iterations, and what comes after more of them is left out."""
        self.loops: tuple[LoopMark, ...] = ()
        self.via: tuple[Span, ...] = ()
        self.unroll: tuple[int, ...] = ()
        self.held: tuple[Lock, ...] = ()
        self.given_back: set[Array] = set()
        """Arrays of locks that are given back somewhere."""
        self.records: list[Record] = []
        self.written: set[Array] = set()
        self.gaps: dict[tuple[str, Span], Gap] = {}
        self.axes: set[tuple[int, Cond]] = set()
        self.guards: list[Cond] = []
        self.kinds: dict[str, set[str]] = {}
        self.ranks: dict[Array, set[int]] = {}
        self.shown: dict[Array, set[Cond]] = {}
        """For which variants of the kernel code shows the rank of an array."""
        self.omitted = 0
        """Loops around the code whose body the compiler repeats, or leaves out if they run over nothing."""
        self.integers: set[Array] = set()
        self.undeclared: set[Atom] = set()
        """Numbers of the launch whose parameter has no annotation: they may be fractions."""
        self.whole: set[Atom] = set()
        self.uses: dict[Atom, set[Use]] = {}
        """How the kernel compares undeclared numbers."""
        self.fractional: set[Atom] = set()
        """Undeclared numbers that are not followed as integers somewhere, because they may be fractions."""
        self.mixed: set[str] = set()
        self.paddings: dict[Array, set[object]] = {}
        self.unspecified = False
        self.observations: list[Observation] = []
        self.edges: dict[Edge, None] = {}
        """The edges over which the tiles of loads may reach, in order."""
        self.unfollowed: dict[str, str] = {}
        self.doubts = 0
        self.cas: dict[Atom, CasResult] = {}
        self.changes: dict[Array, set[str]] = {}
        self.updates: dict[Array, set[tuple[object, ...]]] = {}
        self.constants: dict[tuple[str, str], Value] = {}
        self.globals: dict[tuple[Module, str], Value] = {}
        """Values of module-level names that are not constants."""
        self.stored: dict[str, frozenset[str]] = {}
        """By file, the attributes that are set somewhere in it."""
        self.steps = 0
        self.failed = False
        self.sites = 0
        self._places: dict[str, dict[tuple[object, ...], int]] = {}
        self.made: set[Atom] = set()
        self.products: set[Term] = set()
        self.long: set[Term] = set()
        self.sized: set[str] = set()
        """Numbers of the launch that bounds of others take not to be negative."""
        self.doubled: set[str] = set()
        """Numbers that the launch passes in 64 bits."""
        self.plain: set[Term] = set()
        """Values of loop variables, which their loops keep within 32 bits."""
        self.supposed: tuple[Atom, Cond] | None = None
        """While the condition of a loop is tested: its counter, and the condition of the previous test."""
        self.trusted = False
        """Whether numbers are taken to fit wherever they are used."""
        self.wide: set[Atom] = set()
        self.narrow: set[Atom] = set()
        """Quotients and similar values that are computed in fewer than 64 bits; `wide` has those of 64 bits."""
        self.indexed: dict[Array, bool] = {}
        """Array parameters that are indexed in 64 bits: whether that is certain."""
        self.asserted: set[Cond] = set()
        """Conditions that `ct.assert_` and `ct.static_assert` make part of the path."""
        self.element_types: dict[str, DType] = {}
        """Element types of arrays, where the launch tells them."""
        self.range_types: dict[Range, ElementType] = {}
        """Types of the counters of ranges, in a variant."""
        self.yielded: Value | None = None
        """The value that the function yields which was called last."""
        self.passed: set[str] = set()
        """Parameters whose numbers and extents are passed at the launch, so that they are not constants."""
        self.guarded = 0
        """Functions around the code that are defined under a condition, as in `if hasattr(ct, "x"):`."""
        self.storing = False
        """Whether the arguments of a store are evaluated, outside of the functions that they call."""
        self.power: Span | None = None
        """The last integer power, which the compiler refuses if its value is used."""
        self.assigned: Expr | None = None
        """The value of the assignment that is executed."""
        self.differing: tuple[str, str] | None = None
        """The kinds of that value, if it is a conditional expression of one of two kinds."""
        self.syntax: dict[Span, tuple[Refusal, ...]] = {}
        """By function, the constructs in it that the compiler refuses."""
        self.notes = Notes()
        self.claims: list[Claim] = []
        self.holdings = Holdings()

    # --- dispatch ---

    @property
    def top(self) -> Frame:
        assert self.frame is not None
        return self.frame

    def eval(self, expr: Expr) -> Value:
        self.steps += 1
        if self.steps > STEPS:
            raise Exhausted
        handler = self._expressions.get(type(expr))
        if handler is None:
            return Unknown(type(expr).__name__)
        value = handler(self, expr)
        return self.limit_truth(value, expr.span) if type(value) is Bool else value

    def run(self, statements: tuple[Stmt, ...]) -> None:
        """Executes statements in order. Afterwards `alive` says whether control may reach the end, and `path` holds
        what is then known."""
        for s in statements:
            if not self.alive or self.path.op == "false":
                self.alive = False
                return
            self.steps += 1
            if self.steps > STEPS:
                raise Exhausted
            handler = self._statements.get(type(s))
            if handler is not None:
                handler(self, s)

    # --- names ---

    def tag(self) -> str:
        text = "".join(f"/{s.line}" for s in self.via)
        return text + "".join(f"~{u}" for u in self.unroll)

    def name(self, what: str, span: Span) -> str:
        """A name for something made at `span`, the same whenever the same place is executed again."""
        shown = f"{what}@{span.line}{self.tag()}"
        place = tuple((s.line, s.column) for s in self.via) + self.unroll + (span.column,)
        known = self._places.setdefault(shown, {})
        position = known.setdefault(place, len(known))
        return shown if position == 0 else f"{shown}.{position + 1}"

    def fresh_int(
        self, what: str, span: Span, shape: Shape | None = (), source: Source | Ticket | None = None,
    ) -> Int:
        """An integer of which nothing is known but its source. `what` determines the source."""
        seed = of(Opaque(self.name(what, span), source=source))
        self.note_made(seed)
        return Int(element(seed, shape), shape)

    def fresh_truth(self, what: str, span: Span, shape: Shape | None = (), source: Source | None = None) -> Bool:
        seed = of(Opaque(self.name(what, span), source=source))
        self.note_made(seed)
        return Bool(unknown_truth(seed, shape), shape)

    def note_made(self, term: Term) -> None:
        atom = term.single
        if atom is not None:
            self.made.add(atom)

    # --- bookkeeping ---

    def shows_rank(self, array: Array, rank: int) -> None:
        """Notes that the code here is for arrays of this rank.

        If the path condition mentions only the launch, some variants of the kernel are compiled without the code, for
        other arrays. Asserted conditions hold in all variants.
        """
        self.ranks.setdefault(array, set()).add(rank)
        if self.omitted:
            return
        asserted = conjuncts(conj(*self.guards))
        # numbers that only the launch has do not create variants
        chosen = (c for c in conjuncts(self.path) if not _at_run_time(c) and c not in asserted and not all(
            isinstance(a, GridDim) for a in atoms_of(c)))
        self.shown.setdefault(array, set()).add(conj(*chosen))

    def find_ranked_arrays(self) -> frozenset[Array]:
        """Arrays of which some code shows the rank in every variant."""
        return frozenset(a for a, ways in self.shown.items()
                         if conj(*(negate(c) for c in sorted(ways, key=lambda c: c.key))).op == "false")

    def take_differing(self) -> tuple[str, str] | None:
        """The kinds of the value that was assigned, if they differ by the path."""
        found, self.differing, self.assigned = self.differing, None, None
        return found

    def assume(self, cond: Cond) -> None:
        """Adds a condition to the path, unless a variant is executed: the compiler draws no conclusions."""
        if self.knowledge.variant is None:
            self.path = conj(self.path, cond)

    @property
    def noting(self) -> bool:
        """Whether the machine executes the kernel itself and records the results."""
        return self.recording and not self.host

    def gap(self, what: str, arrays: frozenset[Array] | tuple[Array, ...], span: Span) -> None:
        if self.recording and not self.host:
            self.gaps.setdefault((what, span), Gap(what, tuple(sorted(arrays)), span))

    def mark_inexact(self) -> None:
        """Something on the way was approximated: accesses from here on may not be used to refute."""
        self.exact = False

    def used_as(self, name: str, kind: str) -> None:
        self.kinds.setdefault(name, set()).add(kind)

    def integer_use(self, term: Term) -> None:
        """The term is used as an integer, so the arrays it was loaded from hold integers."""
        self.whole.update(symbols_of_value(term))
        self.integer_data(term)

    def integer_data(self, term: Term) -> None:
        """The term is divided as an integer, so the arrays it was loaded from hold integers."""
        if self.knowledge.integers is None:
            self.integers.update(a.array for a in atoms_of(term) if isinstance(a, Load))

    def limit(self, value: Int, span: Span) -> Int:
        """The value, or an opaque one when its term has grown too large."""
        if is_small(value.term):
            return value
        return self.fresh_int("large", span, value.shape)

    def limit_truth(self, value: Bool, span: Span) -> Bool:
        """The truth value, or one of which nothing is known when its condition has grown too long."""
        return value if is_short(value.cond) else replace(
            self.fresh_truth("large", span, value.shape), shadow=value.shadow)

    @contextmanager
    def doubt_compilation(self) -> Iterator[None]:
        """Marks code that some launches do not compile, by a condition that is not in the path condition."""
        self.doubts += 1
        try:
            yield
        finally:
            self.doubts -= 1

    @contextmanager
    def execute_python(self) -> Iterator[None]:
        """Executes the arguments of `ct.static_eval` and similar functions, which Python executes."""
        before, self.host = self.host, self.host or self.knowledge.variant is not None
        self.python += 1
        try:
            yield
        finally:
            self.host = before
            self.python -= 1

    @contextmanager
    def trust_numbers(self) -> Iterator[None]:
        """Assumes within the block that numbers fit wherever they are used."""
        before, self.trusted = self.trusted, True
        try:
            yield
        finally:
            self.trusted = before

    @contextmanager
    def suspend_recording(self) -> Iterator[None]:
        before = (self.recording, self.path, self.alive, self.exact, self.held, self.loops)
        self.recording = False
        try:
            yield
        finally:
            self.recording, self.path, self.alive, self.exact, self.held, self.loops = before

    def next_site(self) -> int:
        self.sites += 1
        return self.sites

    def mark_parallel(self, start: int, counter: str, target: Term) -> None:
        """Finds, among the accesses recorded since `start`, the stores of one loop that may stay unordered."""
        since = self.records[start:]
        by_array: dict[str, set[int]] = {}
        for r in since:
            by_array.setdefault(r.array.root, set()).add(r.site)
        for k in range(start, len(self.records)):
            r = self.records[k]
            if (r.op == "store" and len(by_array[r.array.root]) == 1 and not r.may and r.order == "weak"
                    and r.loops and r.loops[-1].counter == counter and target in r.own_index):
                self.records[k] = replace(r, parallel=counter)


__all__ = ["DEPTH", "CasResult", "Exhausted", "Frame", "Jumps", "Knowledge", "Lock", "LoopMark", "Machine", "Record"]

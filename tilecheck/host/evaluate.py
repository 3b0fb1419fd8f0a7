"""Symbolic evaluation of host expressions.

Integers are terms over symbols of the function under evaluation: its parameters (`n`), extents and strides
(`x.shape[0]`), attributes (`self.n`, `cfg.BLOCK`). Whatever is not understood becomes a symbol of its own, so that
the result is less precise but never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tilecheck.host import arrays, calls, operators, tables
from tilecheck.host.assignment import assign
from tilecheck.host.state import OPEN, Contents, State, as_number, chosen, join_values, mapped
from tilecheck.host.statements import merge
from tilecheck.host.syntax import FLATTENED, syntax
from tilecheck.host.values import (
    NONE,
    Choice,
    Class,
    Closure,
    External,
    Function,
    Int,
    Items,
    Kernel,
    Log2,
    Member,
    Package,
    Place,
    Plain,
    Ratio,
    Record,
    Ref,
    Shape,
    Step,
    Stored,
    Table,
    Tensor,
    Thing,
    Truth,
    Value,
)
from tilecheck.kernel import tree
from tilecheck.proof.terms import FALSE, TRUE, Cond, Opaque, Sym, Term, bool_opaque, conj, const, disj, ne, negate, of
from tilecheck.source.resolve import ClassAt, FunctionAt, Origin, ValueAt
from tilecheck.source.targets import ExternalName, ModuleTarget, TileName

if TYPE_CHECKING:
    from tilecheck.host.record import Raw
    from tilecheck.source.module import Module
    from tilecheck.source.project import Project

FUEL: Final = 1600
"""Statements executed for one function under evaluation before calls are no longer followed."""
DEPTH: Final = 9
UNROLL: Final = 24


@dataclass(slots=True)
class Frame:
    """One activation of a function of the checked tree (or of a module body)."""

    number: int
    module: Module
    qualname: str
    definition: tree.FuncDef | tree.Lambda | None
    outer: int | None
    caller: Frame | None = None
    call: tree.Call | None = None
    arguments: tuple[Value, ...] = ()
    returns: list[tuple[State, Value]] = field(default_factory=list)
    yields: list[Value] | None = None
    partial: bool = False
    nonlocals: set[str] = field(default_factory=set)
    depth: int = 0
    loops: list[list[State]] = field(default_factory=list)


class Evaluator:
    """Evaluates the functions of one module; what it finds out about tables is shared between them."""

    def __init__(self, project: Project, module: Module) -> None:
        self.project = project
        self.module = module
        self.fuel = FUEL
        self.frames: dict[int, Frame] = {}
        self.records: list[Raw] = []
        self.stores: dict[str, list[tuple[Value, Value]]] = {}
        self.things: dict[str, Thing] = {}
        self.free: set[str] = set()
        self.extents: set[str] = set()
        self.positive: set[str] = set()
        self.allocated: set[str] = set()
        self.copies: dict[str, str] = {}
        self.factors: dict[Term, tuple[Term, Term]] = {}
        self.given: set[str] = set()
        self.inlined: set[tuple[str, str]] = set()
        self.kernel_names: dict[str, frozenset[str]] = {}
        self.memo: dict[tuple[str, int], tuple[object, object]] = {}
        self._names: dict[str, int] = {}
        self._globals: dict[tuple[str, str], Value] = {}
        self.active: list[tuple[str, str]] = []

    # --- names -------------------------------------------------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        """A name that nothing else has: the hint itself, or the hint with a number."""
        count = self._names.get(hint, 0)
        self._names[hint] = count + 1
        return hint if count == 0 else f"{hint}#{count + 1}"

    def unknown(self, hint: str, numeric: bool = True) -> Thing:
        return Thing(self.fresh(hint), numeric=numeric)

    def sourced(self, name: str, origin: Member | Stored) -> Value:
        """A thing of known origin, or the value itself when the origin allows no other."""
        known = tables.settled(origin)
        if known is not None:
            return known
        thing = Thing(name, origin)
        self.things[name] = thing
        return thing

    def extent(self, name: str) -> Term:
        self.extents.add(name)
        root = name.partition(".")[0].partition("[")[0]
        if root in self.free:
            self.free.add(name)
        return of(Sym(name))

    # --- storage -----------------------------------------------------------------------------------------------------

    def allocation(self, name: str, instead_of: str | None = None) -> str:
        """New memory of that name, or perhaps still that of `instead_of` (`x.contiguous()`)."""
        self.allocated.add(name)
        if instead_of is not None:
            self.copies[name] = instead_of
        return name

    def roots(self, storage: str) -> frozenset[str] | None:
        """The allocations that the storage may be; None when it may be any."""
        if storage in self.copies:
            base = self.roots(self.copies[storage])
            return None if base is None else base | {storage}
        if storage in self.allocated or storage in self.given:
            return frozenset((storage,))
        # what hangs on a parameter was there before anything that the function allocates
        root = re.split(r"[.\[(@]", storage, maxsplit=1)[0]
        return frozenset((storage,)) if root in self.given and not set("(@") & set(storage) else None

    # --- conversions -------------------------------------------------------------------------------------------------

    def number(self, value: Value) -> Term | None:
        """The value as an integer; None when it is known to be none."""
        term = as_number(value)
        if term is not None:
            return term
        if isinstance(value, Thing):
            return of(Sym(value.name if value.numeric else self.fresh(value.name)))
        if isinstance(value, Choice):
            parts = [(cond, self.number(option)) for cond, option in value.options]
            known = [(cond, part) for cond, part in parts if part is not None]
            return chosen(known) if len(known) == len(parts) else None
        return None

    def integer(self, value: Value, hint: str = "value") -> Term:
        term = self.number(value)
        return of(Sym(self.fresh(hint))) if term is None else term

    def truth(self, value: Value, state: State) -> Cond:
        handler = _TRUTH.get(type(value))
        return TRUE if handler is None else handler(self, value, state)

    def doubt(self, hint: str) -> Cond:
        """A truth value of which nothing is known."""
        return bool_opaque(Opaque(self.fresh(hint), uniform=True))

    # --- expressions -------------------------------------------------------------------------------------------------

    def eval(self, expr: tree.Expr, frame: Frame, state: State) -> Value:
        return _EXPRESSIONS[type(expr)](self, expr, frame, state)

    def cond(self, expr: tree.Expr, frame: Frame, state: State) -> Cond:
        return self.truth(self.eval(expr, frame, state), state)

    def place(self, expr: tree.Expr, frame: Frame) -> Place:
        return expr.span, frame.module

    def variable(self, name: str, frame: Frame, state: State) -> Value | None:
        at: Frame | None = frame
        while at is not None:
            value = state.variables.get(at.number, {}).get(name)
            if value is not None:
                return value
            at = None if at.outer is None else self.frames.get(at.outer)
        return None

    def bind(self, name: str, value: Value, frame: Frame, state: State) -> None:
        at = frame
        while name in at.nonlocals and at.outer is not None:
            at = self.frames[at.outer]
        state.bind(at.number, name, value)

    def global_value(self, module: Module, name: str) -> Value:
        key = (module.path, name)
        known = self._globals.get(key)
        if known is None:
            # a name that is defined through itself
            self._globals[key] = Thing(self.fresh(name))
            known = self.target_value(self.project.resolver.module_name(module, name), name)
            self._globals[key] = known
        return known

    def target_value(self, target: Origin | None, name: str) -> Value:
        if target is None:
            return External(f"builtins.{name}")
        return _TARGETS[type(target)](self, target, name)

    def constant_value(self, target: ValueAt, name: str) -> Value:
        table = tables.table_of(self, target, name)
        if table is not None:
            return table
        if target.several or target.scope:
            return Thing(self.fresh(name))
        return self.constant(target.module, value_of(target))

    def constant(self, module: Module, expr: tree.Expr | None) -> Value:
        """The value of an expression at module level."""
        if expr is None:
            return self.unknown("constant")
        frame = self.frame(module, "<module>", None, None)
        return self.eval(expr, frame, State(variables={frame.number: {}}))

    def frame(
        self, module: Module, qualname: str, definition: tree.FuncDef | tree.Lambda | None, outer: int | None,
        caller: Frame | None = None, call: tree.Call | None = None,
    ) -> Frame:
        number = len(self.frames)
        depth = 0 if caller is None else caller.depth + 1
        made = Frame(number, module, qualname, definition, outer, caller, call, depth=depth)
        self.frames[number] = made
        return made

    # --- attributes and items ----------------------------------------------------------------------------------------

    def attribute(self, owner: Value, name: str, state: State) -> Value:
        if name == "multi_processor_count":
            self.positive.add("NUM_SMS")
            return Int(of(Sym("NUM_SMS")))
        handler = _ATTRIBUTES.get(type(owner))
        return self.unknown(name) if handler is None else handler(self, owner, name, state)

    def thing_attribute(self, owner: Thing, name: str, state: State) -> Value:
        if name in arrays.ATTRIBUTES and owner.origin is None and (name != "T" or owner.name in state.ranks):
            # `cfg.T` may be a number
            return arrays.attribute(self, self.tensor(owner, state), name, state)
        assigned = state.attributes.get((owner.name, name))
        if assigned is not None:
            return assigned
        epoch = state.epochs.get(owner.name, 0), state.epochs.get(name, 0)
        mark = "" if epoch == (0, 0) else f"@{epoch[0]}.{epoch[1]}"
        return self.step(owner, name, f"{owner.name}{mark}.{name}")

    def step(self, owner: Thing, step: Step, name: str) -> Value:
        """What an attribute or a constant index of a thing leads to."""
        if owner.name == "?" or (not owner.numeric and owner.origin is None):
            return self.unknown(name.lstrip("?"))
        if owner.origin is not None:
            return self.sourced(name, tables.extended(owner.origin, step))
        return Thing(name)

    def record_attribute(self, owner: Record, name: str, state: State) -> Value:
        assigned = state.attributes.get((owner.key, name))
        if assigned is not None:
            return assigned
        value = owner.get(name)
        if value is not None and not state.epochs.get(owner.key) and not state.epochs.get(name):
            return value
        return self.unknown(f"{owner.key}.{name}")

    def class_attribute(self, owner: Class, name: str, state: State) -> Value:
        qualname = f"{owner.qualname}.{name}"
        if qualname in owner.module.skeleton.definitions:
            return Function(owner.module, qualname)
        return tables.class_member(self, owner, name)

    def item(self, owner: Value, index: Value, state: State) -> Value:
        handler = _ITEMS.get(type(owner))
        return self.unknown("item") if handler is None else handler(self, owner, index, state)

    def tensor(self, value: Value, state: State) -> Tensor:
        """The value as an array."""
        if isinstance(value, Tensor):
            return value
        name = value.name if isinstance(value, Thing) and value.numeric else self.fresh("array")
        rank = state.ranks.get(name)
        shape = None if rank is None else tuple(self.extent(f"{name}.shape[{i}]") for i in range(rank))
        return Tensor(name, name, name, shape)

    def elements(self, value: Value, state: State) -> tuple[Value, ...] | None:
        """The items of a sequence, when all of them are known."""
        if isinstance(value, Items):
            return value.items
        if isinstance(value, Ref) and value.kind == "list":
            contents = state.heap.get(value.key, OPEN)
            return contents.items if contents.bound == "exact" else None
        if isinstance(value, Shape):
            rank = state.ranks.get(value.name)
            if rank is not None:
                return arrays.extents_of(self, value, rank)
        return None

    def contents(self, value: Value, state: State) -> Contents:
        """What iterating over the value may give."""
        if isinstance(value, Choice):
            parts = [self.contents(option, state) for _, option in value.options]
            items = tuple(dict.fromkeys(item for part in parts for item in part.items))
            return Contents(items, (), "open" if any(p.bound == "open" for p in parts) else "some")
        if isinstance(value, Ref):
            contents = state.heap.get(value.key, OPEN)
            return Contents(contents.keys, (), contents.bound) if value.kind == "dict" else contents
        known = self.elements(value, state)
        if known is not None:
            return Contents(known)
        if isinstance(value, Thing) and isinstance(value.origin, Member):
            reached = [tables.walked(candidate, value.origin.path) for candidate in value.origin.values]
            if all(isinstance(found, Items) for found in reached):
                inner = [item for found in reached if isinstance(found, Items) for item in found.items]
                return Contents(tuple(dict.fromkeys(inner)), (), "some")
        return OPEN

    def new_list(self, items: tuple[Value, ...], state: State, contents: Contents | None = None) -> Ref:
        key = self.fresh("list")
        state.heap[key] = contents or Contents(items)
        return Ref("list", key)

    def escape(self, values: tuple[Value, ...], state: State) -> None:
        """The values go to code that is not seen: what is mutable in them may change."""
        for value in values:
            if isinstance(value, Ref):
                inner = state.heap.get(value.key, OPEN).items
                state.heap[value.key] = OPEN
                self.escape(inner, state)
            elif isinstance(value, Items):
                self.escape(value.items, state)
            elif isinstance(value, Record):
                state.epochs[value.key] = state.epochs.get(value.key, 0) + 1
                self._forget(value.key, state)
            elif isinstance(value, Thing) and value.origin is None:
                state.epochs[value.name] = state.epochs.get(value.name, 0) + 1
                self._forget(value.name, state)
            elif isinstance(value, Choice):
                self.escape(tuple(option for _, option in value.options), state)

    def _forget(self, owner: str, state: State) -> None:
        for key in [key for key in state.attributes if key[0] == owner]:
            del state.attributes[key]


# --- expressions -----------------------------------------------------------------------------------------------------

def _name(ev: Evaluator, expr: tree.Name, frame: Frame, state: State) -> Value:
    value = ev.variable(expr.id, frame, state)
    return ev.global_value(frame.module, expr.id) if value is None else value


def literal(value: object) -> Value:
    if isinstance(value, bool):
        return Truth(TRUE if value else FALSE)
    return Int(const(value)) if isinstance(value, int) else Plain(value)


def _constant(ev: Evaluator, expr: tree.Constant, frame: Frame, state: State) -> Value:
    return literal(expr.value)


def _attribute(ev: Evaluator, expr: tree.Attribute, frame: Frame, state: State) -> Value:
    return ev.attribute(ev.eval(expr.value, frame, state), expr.attr, state)


def _subscript(ev: Evaluator, expr: tree.Subscript, frame: Frame, state: State) -> Value:
    owner = ev.eval(expr.value, frame, state)
    sliced = any(isinstance(i, tree.SliceExpr) for i in expr.items)
    if len(expr.items) == 1 and isinstance(expr.items[0], tree.SliceExpr):
        bounds = _bounds(ev, expr.items[0], frame, state)
        known = arrays.sliced(ev, owner, bounds, state)
        if known is not None:
            return known
    if sliced or (len(expr.items) > 1 and isinstance(owner, Tensor)):
        parts = tuple(
            _bounds(ev, i, frame, state) if isinstance(i, tree.SliceExpr) else ev.eval(i, frame, state)
            for i in expr.items)
        return arrays.subscript(ev, owner, parts, state)
    index = [ev.eval(i, frame, state) for i in expr.items]
    return ev.item(owner, index[0] if len(index) == 1 else Items(tuple(index)), state)


def _bounds(ev: Evaluator, expr: tree.SliceExpr, frame: Frame, state: State) -> arrays.Bounds:
    lower, upper, step = (
        None if part is None else ev.number(ev.eval(part, frame, state)) or ev.integer(ev.unknown("bound"))
        for part in (expr.lower, expr.upper, expr.step))
    return arrays.Bounds(lower, upper, step)


def _binop(ev: Evaluator, expr: tree.BinOp, frame: Frame, state: State) -> Value:
    left = ev.eval(expr.left, frame, state)
    return operators.binary(ev, expr.op, left, ev.eval(expr.right, frame, state), state)


def _unary(ev: Evaluator, expr: tree.UnaryOp, frame: Frame, state: State) -> Value:
    if expr.op == "not":
        return Truth(negate(ev.cond(expr.operand, frame, state)))
    inner = expr.operand
    if expr.op == "-" and isinstance(inner, tree.BinOp) and inner.op == "//":
        left = inner.left
        if isinstance(left, tree.UnaryOp) and left.op == "-":
            # -(-a // b) rounds up
            num, den = ev.eval(left.operand, frame, state), ev.eval(inner.right, frame, state)
            return operators.round_up(ev, num, den)
    return operators.unary(ev, expr.op, ev.eval(inner, frame, state))


def _boolop(ev: Evaluator, expr: tree.BoolOp, frame: Frame, state: State) -> Value:
    value = ev.eval(expr.values[0], frame, state)
    for operand in expr.values[1:]:
        test = ev.truth(value, state)
        known = state.decided(test)
        if known is not None:
            if known == (expr.op == "or"):
                return value
            value = ev.eval(operand, frame, state)
            continue
        other = ev.eval(operand, frame, state)
        if isinstance(value, Truth) or isinstance(other, Truth):
            rest = ev.truth(other, state)
            value = Truth(conj(test, rest) if expr.op == "and" else disj(test, rest))
        else:
            value = join_values(test, other, value) if expr.op == "and" else join_values(test, value, other)
    return value


def _compare(ev: Evaluator, expr: tree.Compare, frame: Frame, state: State) -> Value:
    left = ev.eval(expr.left, frame, state)
    conds: list[Cond] = []
    for op, node in zip(expr.ops, expr.rights, strict=True):
        right = ev.eval(node, frame, state)
        conds.append(operators.compare(ev, op, left, right, state))
        left = right
    return Truth(conj(*conds))


def _ifexp(ev: Evaluator, expr: tree.IfExp, frame: Frame, state: State) -> Value:
    test = ev.cond(expr.test, frame, state)
    known = state.decided(test)
    if known is not None:
        return ev.eval(expr.then if known else expr.other, frame, state)
    then, other = state.branch(test), state.branch(negate(test))
    a, b = ev.eval(expr.then, frame, then), ev.eval(expr.other, frame, other)
    dead = then.dead, other.dead
    merge(test, then, other, state)
    return b if dead == (True, False) else a if dead == (False, True) else join_values(test, a, b)


def _sequence(ev: Evaluator, expr: tree.Sequence, frame: Frame, state: State) -> Value:
    items: list[Value] = []
    places: list[Place | None] = []
    for node in expr.items:
        if isinstance(node, tree.Starred):
            value = ev.eval(node.value, frame, state)
            known = ev.elements(value, state)
            if known is None and isinstance(value, Shape):
                items.append(value)
                places.append(None)
                continue
            if known is None:
                return ev.unknown(expr.kind, numeric=False) if expr.kind == "tuple" else ev.new_list((), state, OPEN)
            items += known
            places += [None] * len(known)
        else:
            items.append(ev.eval(node, frame, state))
            places.append(ev.place(node, frame))
    if expr.kind == "tuple":
        return Items(tuple(items), tuple(places))
    return ev.new_list(tuple(items), state)


def _dict(ev: Evaluator, expr: tree.DictExpr, frame: Frame, state: State) -> Value:
    keys: list[Value] = []
    values: list[Value] = []
    bound = Contents().bound
    for key, node in zip(expr.keys, expr.values, strict=True):
        value = ev.eval(node, frame, state)
        if key is not None:
            keys.append(ev.eval(key, frame, state))
            values.append(value)
            continue
        inner = state.heap.get(value.key, OPEN) if isinstance(value, Ref) else OPEN
        keys += inner.keys
        values += inner.items
        bound = bound if inner.bound == "exact" else "open"
    name = ev.fresh("dict")
    state.heap[name] = Contents(tuple(values), tuple(keys), bound)
    return Ref("dict", name)


def _comprehension(ev: Evaluator, expr: tree.Comprehension, frame: Frame, state: State) -> Value:
    source = ev.contents(ev.eval(expr.iterable, frame, state), state)
    bound = source.bound
    items = source.items
    if bound == "open" or len(items) > UNROLL * 8:
        items, bound = (ev.unknown("item"),), "open"
    inner = ev.frame(frame.module, frame.qualname, frame.definition, frame.number)
    state.enter(inner.number)
    out: list[Value] = []
    for item in items:
        assign(ev, expr.target, item, inner, state)
        tests = [state.decided(ev.cond(c, inner, state)) for c in expr.conditions]
        if any(test is False for test in tests):
            continue
        if any(test is None for test in tests) and bound == "exact":
            bound = "some"
        element = ev.eval(expr.element, inner, state)
        if expr.kind != FLATTENED:
            out.append(element)
            continue
        more = ev.contents(element, state)
        bound = bound if more.bound == "exact" else more.bound if bound == "exact" else bound
        out += more.items
    state.leave(inner.number)
    if expr.kind == "dict":
        return ev.unknown("dict", numeric=False)
    return ev.new_list(tuple(out), state, Contents(tuple(out), (), bound))


def _lambda(ev: Evaluator, expr: tree.Lambda, frame: Frame, state: State) -> Value:
    defaults = tuple((p.name, ev.eval(p.default, frame, state)) for p in expr.params if p.default is not None)
    return Closure(expr, expr.span, frame.number, frame.module, f"{frame.qualname}.<lambda>", defaults=defaults)


def _starred(ev: Evaluator, expr: tree.Starred, frame: Frame, state: State) -> Value:
    return ev.eval(expr.value, frame, state)


def _slice(ev: Evaluator, expr: tree.SliceExpr, frame: Frame, state: State) -> Value:
    return Plain("slice")


def _unknown(ev: Evaluator, expr: tree.Unknown, frame: Frame, state: State) -> Value:
    values = [ev.eval(child, frame, state) for child in expr.children]
    if expr.what == "assignment expression" and len(values) == len(expr.assigns) == 1:
        ev.bind(expr.assigns[0], values[0], frame, state)
        return values[0]
    for name in expr.assigns:
        ev.bind(name, ev.unknown(name), frame, state)
    if frame.yields is not None and state.path:
        frame.partial = True
    if expr.what == "yield" and frame.yields is not None:
        frame.yields.append(values[0] if len(values) == 1 else NONE)
    elif expr.what == "yield from" and frame.yields is not None:
        more = ev.contents(values[0], state)
        frame.partial = frame.partial or more.bound != "exact"
        frame.yields += more.items if more.bound != "open" else (ev.unknown("yielded"),)
    return ev.unknown(expr.what.replace(" ", "_"))


_EXPRESSIONS: Final[Mapping[type, Callable[[Evaluator, Any, Frame, State], Value]]] = {
    tree.Name: _name, tree.Constant: _constant, tree.Attribute: _attribute, tree.Subscript: _subscript,
    tree.SliceExpr: _slice, tree.BinOp: _binop, tree.UnaryOp: _unary, tree.BoolOp: _boolop, tree.Compare: _compare,
    tree.IfExp: _ifexp, tree.Sequence: _sequence, tree.DictExpr: _dict, tree.Comprehension: _comprehension,
    tree.Lambda: _lambda, tree.Starred: _starred, tree.Unknown: _unknown, tree.Call: calls.call,
}


# --- truth, attributes, items ----------------------------------------------------------------------------------------

def _truth_sized(ev: Evaluator, value: Value, state: State) -> Cond:
    known = ev.elements(value, state)
    if known is None:
        return ev.doubt("not empty")
    return TRUE if known else FALSE


def _truth_number(ev: Evaluator, value: Value, state: State) -> Cond:
    term = ev.number(value)
    return ev.doubt("true") if term is None else ne(term, 0)


def _truth_choice(ev: Evaluator, value: Choice, state: State) -> Cond:
    return disj(*(conj(cond, ev.truth(option, state)) for cond, option in value.options))


_TRUTH: Final[Mapping[type, Callable[[Evaluator, Any, State], Cond]]] = {
    Int: _truth_number, Truth: lambda ev, v, s: v.cond, Plain: lambda ev, v, s: TRUE if v.value else FALSE,
    Ratio: lambda ev, v, s: ne(v.num, 0), Log2: lambda ev, v, s: ev.doubt("log2"),
    Tensor: lambda ev, v, s: ev.doubt(v.name), Shape: _truth_sized, Items: _truth_sized, Ref: _truth_sized,
    Thing: _truth_number, Choice: _truth_choice, Table: lambda ev, v, s: ev.doubt("table"),
}


def _external_attribute(ev: Evaluator, owner: External, name: str, state: State) -> Value:
    return External(f"{owner.path}.{name}")


def _choice_attribute(ev: Evaluator, owner: Choice, name: str, state: State) -> Value:
    return mapped(owner, lambda option: ev.attribute(option, name, state))


_ATTRIBUTES: Final[Mapping[type, Callable[[Evaluator, Any, str, State], Value]]] = {
    Thing: lambda ev, o, n, s: ev.thing_attribute(o, n, s), Record: lambda ev, o, n, s: ev.record_attribute(o, n, s),
    Tensor: lambda ev, o, n, s: arrays.attribute(ev, o, n, s), External: _external_attribute,
    Package: lambda ev, o, n, s: ev.global_value(o.module, n), Class: lambda ev, o, n, s: ev.class_attribute(o, n, s),
    Kernel: lambda ev, o, n, s: o if n in ("_pyfunc", "pyfunc", "__wrapped__") else ev.unknown(n),
    Choice: _choice_attribute,
    Int: lambda ev, o, n, s: arrays.attribute(ev, ev.tensor(o, s), n, s) if n in arrays.ATTRIBUTES else ev.unknown(n),
}


def _items_item(ev: Evaluator, owner: Items, index: Value, state: State) -> Value:
    term = ev.number(index)
    at = None if term is None else term.constant
    if at is not None and -len(owner.items) <= at < len(owner.items):
        return owner.items[at]
    return ev.sourced(ev.fresh("item"), Member(ev.fresh("items"), owner.items)) if owner.items else ev.unknown("item")


def _ref_item(ev: Evaluator, owner: Ref, index: Value, state: State) -> Value:
    contents = state.heap.get(owner.key, OPEN)
    if owner.kind == "list" and contents.bound == "exact":
        return _items_item(ev, Items(contents.items), index, state)
    if owner.kind == "dict" and index in contents.keys and contents.bound == "exact":
        # the last assignment of a key counts
        return contents.items[len(contents.keys) - 1 - contents.keys[::-1].index(index)]
    if contents.bound == "open" or not contents.items:
        return ev.unknown("item")
    return ev.sourced(ev.fresh("item"), Member(ev.fresh(owner.key), tables.frozen(ev, contents.items, state)))


def _thing_item(ev: Evaluator, owner: Thing, index: Value, state: State) -> Value:
    term = ev.number(index) if isinstance(index, Int) else None
    at: Step | None = None if term is None else term.constant
    if isinstance(index, Plain) and isinstance(index.value, str):
        at = index.value
    if at is not None:
        epoch = state.epochs.get(owner.name, 0)
        return ev.step(owner, at, f"{owner.name}{'@' + str(epoch) if epoch else ''}[{at!r}]")
    return ev.unknown(f"{owner.name}[...]")


def _tensor_item(ev: Evaluator, owner: Tensor, index: Value, state: State) -> Value:
    return arrays.subscript(ev, owner, (index,), state)


def _shape_item(ev: Evaluator, owner: Shape, index: Value, state: State) -> Value:
    return arrays.shape_item(ev, owner, index, state)


_ITEMS: Final[Mapping[type, Callable[[Evaluator, Any, Value, State], Value]]] = {
    Items: _items_item, Ref: _ref_item, Thing: _thing_item, Tensor: _tensor_item, Shape: _shape_item,
    Table: lambda ev, o, i, s: tables.read(ev, o, i, s),
    Choice: lambda ev, o, i, s: mapped(o, lambda option: ev.item(option, i, s)),
}

def value_of(target: ValueAt) -> tree.Expr | None:
    """The expression assigned at module level."""
    expr: tree.Expr | None = syntax(target.module).expr(target.binding.value)
    for index in target.binding.path:
        expr = expr.items[index] if isinstance(expr, tree.Sequence) and index < len(expr.items) else None
    return expr


_TARGETS: Final[Mapping[type, Callable[[Evaluator, Any, str], Value]]] = {
    TileName: lambda ev, t, n: External(f"cuda.tile.{t.name}" if t.name else "cuda.tile"),
    FunctionAt: lambda ev, t, n: calls.function_value(ev, t),
    ClassAt: lambda ev, t, n: Class(t.module, t.qualname),
    ValueAt: lambda ev, t, n: ev.constant_value(t, n),
    ModuleTarget: lambda ev, t, n: Package(t.module),
    ExternalName: lambda ev, t, n: External(t.name),
}

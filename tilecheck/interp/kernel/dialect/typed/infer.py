"""One pass over a dialect kernel: the type of every expression, and the places where types do not agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from tilecheck.dtypes import BOOL, F32, I32
from tilecheck.interp.kernel.assigned import assigned_names
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.interp.kernel.dialect.signature import Parameter, dtype_name, signature
from tilecheck.interp.kernel.dialect.typed.kinds import (
    Bound,
    CellOf,
    CellsOf,
    Helper,
    Items,
    Loose,
    MutOf,
    Named,
    PartOf,
    PiecesOf,
    RangeOf,
    RefOf,
    Tile,
    Type,
    join,
)
from tilecheck.interp.kernel.dialect.typed.members import MEMBERS, attribute
from tilecheck.interp.kernel.dialect.typed.operations import OPERATIONS, Given, combine, compare, constant, method
from tilecheck.project.targets import ConstantTarget, ExternalName, FunctionTarget, ModuleTarget, Target, TileName
from tilecheck.symbolic import ONE, const, scalar
from tilecheck.syntax.tree import (
    Assign,
    Attribute,
    AugAssign,
    BinOp,
    BoolOp,
    Call,
    Compare,
    Constant,
    Expr,
    ExprStmt,
    For,
    FuncDef,
    If,
    IfExp,
    Name,
    Return,
    Sequence,
    SliceExpr,
    Span,
    Starred,
    Stmt,
    Subscript,
    UnaryOp,
    While,
    With,
)

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite, Module
    from tilecheck.project.project import Project

__all__ = ["Inference", "infer"]

_TRIALS: Final = 4
_DEPTH: Final = 8
_LOOPS: Final = 5
"""The depth of nested loops that are run until types are stable. The number of trials grows with the depth."""
_SCALARS: Final = {"int": I32, "float": F32, "bool": BOOL}


def infer(project: Project, site: KernelSite) -> Inference:
    """The types of a kernel. `faults` are in the order in which they are met; `types` are those of expressions."""
    found = Inference(project, site.module)
    found.env = {p.name: _parameter(p) for p in signature(project, site)}
    found.run(site.definition.body)
    return found


def _parameter(p: Parameter) -> Type:
    handler = _PARAMETERS.get(p.kind)
    return None if handler is None else handler(p)


_PARAMETERS: Final[Mapping[str, Callable[[Parameter], Type]]] = {
    "mut": MutOf,
    "ref": RefOf,
    "constant": lambda p: Loose("int", scalar(p.name)),
    "scalar": lambda p: Tile(_SCALARS.get(p.number), ()),
}


class Inference:
    """The state of the pass.

    env     types of the variables
    types   of expressions by their place, as they were met last
    faults  each once
    """

    def __init__(self, project: Project, module: Module) -> None:
        self.project = project
        self.module = module
        self.env: dict[str, Type] = {}
        self.types: dict[Span, Type] = {}
        self.faults: dict[Fault, None] = {}
        self.muted = False
        self.depth = 0
        self.loops = 0
        self.returned: list[Type] = []

    def fault(self, fault: Fault) -> None:
        if not self.muted:
            self.faults[fault] = None

    @contextmanager
    def suppress_faults(self) -> Iterator[None]:
        before, self.muted = self.muted, True
        try:
            yield
        finally:
            self.muted = before

    # --- expressions ---

    def of(self, e: Expr) -> Type:
        handler = _EXPRESSIONS.get(type(e))
        found = None if handler is None else handler(self, e)
        self.types[e.span] = found
        return found

    def name(self, e: Name) -> Type:
        if e.id in self.env:
            return self.env[e.id]
        return self.target(self.module.lookup(e.id))

    def target(self, target: Target | None) -> Type:
        if isinstance(target, ExternalName):
            known = dtype_name(target)
            return None if known is None else Named(known)
        if isinstance(target, TileName):
            return Named(target.name)
        if isinstance(target, FunctionTarget) and not target.outer:
            return Helper(target.definition, target.module, {})
        if isinstance(target, ConstantTarget) and not target.several and isinstance(target.value, Constant):
            return _literal(target.value.value)
        return None

    def constant(self, e: Constant) -> Type:
        return _literal(e.value)

    def attribute(self, e: Attribute) -> Type:
        root: Expr = e
        while isinstance(root, Attribute):
            root = root.value
        if isinstance(root, Name) and root.id not in self.env:
            resolved = self.project.resolve(self.module, e)
            if resolved is not None and not isinstance(resolved, ModuleTarget):
                return self.target(resolved)
        return attribute(self.of(e.value), e.attr)

    def evaluate_arguments(self, e: Call) -> Given:
        complete = all(k.name is not None for k in e.keywords)
        positional: list[Type] = []
        for a in e.args:
            found = self.of(a.value if isinstance(a, Starred) else a)
            several = found.items if isinstance(a, Starred) and isinstance(found, Items) else (found,)
            complete = complete and not (isinstance(a, Starred) and not isinstance(found, Items))
            positional += several
        keywords = {k.name: self.of(k.value) for k in e.keywords if k.name is not None}
        return Given(tuple(positional), keywords, complete, e.span)

    def call(self, e: Call) -> Type:
        func, given = self.of(e.func), self.evaluate_arguments(e)
        if not given.complete:
            return None
        if isinstance(func, Named):
            operation = OPERATIONS.get(func.name)
            return None if operation is None else operation(self, given)
        if isinstance(func, Bound):
            if isinstance(func.owner, Tile):
                return method(self, func.owner, func.name, given)
            member = MEMBERS.get((type(func.owner), func.name))
            return None if member is None else member(self, func.owner, given)
        if isinstance(func, Helper):
            return self.inline(func, given)
        builtin = e.func.id if isinstance(e.func, Name) and func is None and e.func.id not in self.env else ""
        return RangeOf() if builtin == "range" else None

    def inline(self, helper: Helper, given: Given) -> Type:
        """Returns the type of a helper's result for these arguments."""
        params = helper.definition.params
        plain = all(p.kind == "positional" for p in params)
        if self.depth >= _DEPTH or not plain or len(given.positional) > len(params) or helper.definition.decorators:
            return None
        outer = (self.env, self.module, self.returned)
        env = dict(helper.closure)
        env.update({p.name: given.keywords.get(p.name) for p in params})
        env.update(zip((p.name for p in params), given.positional, strict=False))
        self.env, self.module, self.returned = env, helper.module, []
        self.depth += 1
        try:
            self.run(helper.definition.body)
            found = self.returned
        finally:
            self.env, self.module, self.returned = outer
            self.depth -= 1
        result = found[0] if found else None
        for other in found[1:]:
            result = join(result, other)
        return result

    def subscript(self, e: Subscript) -> Type:
        owner = self.of(e.value)
        items = [None if isinstance(i, SliceExpr) else self.of(i) for i in e.items]
        if isinstance(owner, PartOf):
            return Tile(owner.dtype, owner.tile)
        if isinstance(owner, MutOf):
            return Tile(owner.parameter.dtype, owner.parameter.tile)
        if isinstance(owner, Items) and len(items) == 1:
            place = constant(items[0])
            known = place is not None and -len(owner.items) <= place < len(owner.items)
            return owner.items[place] if known and place is not None else None
        if isinstance(owner, Tile):
            return Tile(owner.dtype, _new_axes(owner, e.items))
        return None

    def binary(self, e: BinOp) -> Type:
        return combine(self, e.op, self.of(e.left), self.of(e.right), e.span)

    def unary(self, e: UnaryOp) -> Type:
        found = self.of(e.operand)
        if isinstance(found, Loose) and e.op == "-" and found.value is not None:
            return Loose(found.kind, -found.value)
        return None if e.op == "not" else found

    def boolean(self, e: BoolOp) -> Type:
        for v in e.values:
            self.of(v)
        return None

    def compare(self, e: Compare) -> Type:
        types = [self.of(e.left), *(self.of(r) for r in e.rights)]
        return compare(self, types[0], types[1], e.span) if len(types) == 2 else None

    def conditional(self, e: IfExp) -> Type:
        self.of(e.test)
        return join(self.of(e.then), self.of(e.other))

    def sequence(self, e: Sequence) -> Type:
        if any(isinstance(i, Starred) for i in e.items):
            for i in e.items:
                self.of(i)
            return None
        return Items(tuple(self.of(i) for i in e.items))

    # --- statements ---

    def run(self, statements: Iterable[Stmt]) -> None:
        for s in statements:
            handler = _STATEMENTS.get(type(s))
            if handler is not None:
                handler(self, s)
            else:
                self.forget((s,))

    def forget(self, statements: Iterable[Stmt]) -> None:
        """Sets the types of all variables that these statements assign to unknown."""
        for name in assigned_names(statements):
            if name in self.env:
                self.env[name] = None

    def assign(self, s: Assign) -> None:
        value = self.of(s.value)
        for target in s.targets:
            self.bind(target, value)

    def assign_augmented(self, s: AugAssign) -> None:
        op = s.op.removesuffix("=") or s.op
        self.bind(s.target, combine(self, op, self.of(s.target), self.of(s.value), s.span))

    def bind(self, target: Expr, value: Type) -> None:
        if isinstance(target, Name):
            self.env[target.id] = value
        elif isinstance(target, Sequence):
            whole = isinstance(value, Items) and len(value.items) == len(target.items) and not any(
                isinstance(t, Starred) for t in target.items)
            items = value.items if whole and isinstance(value, Items) else (None,) * len(target.items)
            for t, v in zip(target.items, items, strict=True):
                self.bind(t, v)
        elif isinstance(target, Starred):
            self.bind(target.value, None)
        elif isinstance(target, Subscript):
            owner = self.of(target.value)
            if isinstance(owner, MutOf):
                check_store(self, owner, value, target.span)

    def branch(self, s: If) -> None:
        self.of(s.test)
        before = dict(self.env)
        self.run(s.body)
        then, self.env = self.env, dict(before)
        self.run(s.orelse)
        self.meet(then)

    def meet(self, other: Mapping[str, Type]) -> None:
        """The variables where another way of control arrives."""
        names = {**self.env, **other}
        self.env = {n: join(self.env[n], other[n]) if n in self.env and n in other else names[n] for n in names}

    def loop(self, s: For) -> None:
        item = self.item(self.of(s.iterable))
        self.run_repeatedly(s.body, lambda: self.bind(s.target, item))
        self.run(s.orelse)

    def item(self, iterable: Type) -> Type:
        if isinstance(iterable, RangeOf):
            return Tile(I32, ())
        if isinstance(iterable, (CellsOf, PiecesOf)):
            return CellOf(iterable.tile)
        if isinstance(iterable, Items) and iterable.items:
            found = iterable.items[0]
            for other in iterable.items[1:]:
                found = join(found, other)
            return found
        return None

    def repeat(self, s: While) -> None:
        self.run_repeatedly(s.body, lambda: self.of(s.test))
        self.run(s.orelse)

    def run_repeatedly(self, body: tuple[Stmt, ...], head: Callable[[], object]) -> None:
        """Types that the body does not change: those that hold in every iteration."""
        self.loops += 1
        with self.suppress_faults():
            for _ in range(_TRIALS if self.loops <= _LOOPS else 0):
                before = dict(self.env)
                head()
                self.run(body)
                self.meet(before)
                if self.env == before:
                    break
            else:
                self.forget(body)
        before = dict(self.env)
        head()
        self.run(body)
        self.meet(before)
        self.loops -= 1

    def context(self, s: With) -> None:
        for value, target in s.items:
            self.of(value)
            if target is not None:
                self.bind(target, None)
        self.run(s.body)

    def returns(self, s: Return) -> None:
        self.returned.append(None if s.value is None else self.of(s.value))

    def defines(self, s: FuncDef) -> None:
        self.env[s.name] = Helper(s, self.module, dict(self.env))

    def expression(self, s: ExprStmt) -> None:
        self.of(s.value)


def check_store(c: Inference, z: MutOf, value: Type, span: Span) -> None:
    """A store to a piece. Shapes are compared where the place of the store is known."""
    wanted = z.parameter.dtype
    if isinstance(value, Tile) and value.dtype is not None and wanted is not None and value.dtype != wanted:
        c.fault(Fault("TC502", span, z.parameter.name, "stored", (value.dtype.name, wanted.name)))


def _literal(value: object) -> Type:
    if value is None:
        return Named("None")
    if isinstance(value, bool):
        return Loose("bool", const(int(value)))
    if isinstance(value, int):
        return Loose("int", const(value))
    return Loose("float") if isinstance(value, float) else None


def _new_axes(tile: Tile, items: tuple[Expr, ...]) -> tuple[Any, ...] | None:
    """`t[:, None]`"""
    if tile.shape is None:
        return None
    out: list[Any] = []
    rest = list(tile.shape)
    for i in items:
        if isinstance(i, Constant) and i.value is None:
            out.append(ONE)
        elif isinstance(i, SliceExpr) and i.lower is None and i.upper is None and rest:
            out.append(rest.pop(0))
        else:
            return None
    return (*out, *rest)


_EXPRESSIONS: Final[Mapping[type, Callable[[Inference, Any], Type]]] = {
    Name: Inference.name, Constant: Inference.constant, Attribute: Inference.attribute, Call: Inference.call,
    Subscript: Inference.subscript, BinOp: Inference.binary, UnaryOp: Inference.unary, BoolOp: Inference.boolean,
    Compare: Inference.compare, IfExp: Inference.conditional, Sequence: Inference.sequence,
}
_STATEMENTS: Final[Mapping[type, Callable[[Inference, Any], None]]] = {
    Assign: Inference.assign, AugAssign: Inference.assign_augmented, If: Inference.branch, For: Inference.loop,
    While: Inference.repeat, With: Inference.context, Return: Inference.returns, FuncDef: Inference.defines,
    ExprStmt: Inference.expression,
}

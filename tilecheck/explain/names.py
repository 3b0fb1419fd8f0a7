"""Names of a kernel for its block coordinates, and for values that it computes from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.contracts import render
from tilecheck.contracts.printing import build_verbatim
from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.source_names import counter_name, symbol_name
from tilecheck.symbolic import (
    App,
    Atom,
    Bid,
    Carried,
    Cond,
    Counter,
    FloorDiv,
    Lane,
    Mod,
    Opaque,
    Substitution,
    Term,
    const,
    floordiv,
    mod,
    of,
    symbol,
)
from tilecheck.symbolic.spelling import Spelling
from tilecheck.syntax.tree import Assign, Attribute, BinOp, Call, Constant, Expr, For, FuncDef, Name, Sequence

__all__ = ["Given", "Names", "assigned_once", "names_of", "nodes"]


class Names(Struct, frozen=True):
    """The names of a kernel in explanations.

    spelling  writes terms with these names
    given     each name with its value
    """

    spelling: Spelling
    given: tuple[tuple[str, str], ...]

    def clause(self, t: Term) -> str:
        """A term in the notation of contract clauses."""
        return render(_Naming(self.spelling).term(t))

    def drop_name(self, name: str) -> Spelling:
        """The spelling without one name."""
        return replace(self.spelling, names=tuple(x for x in self.spelling.names if x[1] != name))


class _Naming(Substitution):
    """Puts symbols with the names of a spelling for terms and atoms."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__({})
        self._spelling = spelling

    def keeps(self, value: Term | Cond) -> bool:
        return False

    def term(self, t: Term) -> Term:
        for term, name in self._spelling.names:
            if term.monos.items() <= t.monos.items():
                t = t - term + build_verbatim(name)
        return super().term(t)

    def atom(self, a: Atom) -> Term:
        named = isinstance(a, (Counter, Lane, Opaque)) or self._spelling.name_of(a) is not None or (
            isinstance(a, App) and isinstance(a.fn, Carried))
        return build_verbatim(self._spelling.atom(a)) if named else super().atom(a)


def _counter(counted: frozenset[int], name: str) -> str:
    """The variable of a loop, or `#i` for the number of the iteration if the variable has other values.

    counted  lines of loops whose variable is the number of the iteration
    """
    variable, located, place = name.partition("@")
    variable, part, _ = variable.partition(".")
    line = place.partition("/")[0].partition(".")[0]
    if not located or counter_name(name) != variable or (not part and int(line) in counted):
        return counter_name(name)
    return f"#{variable}"


def _symbol(name: str) -> str:
    """A symbol or function without the suffix that distinguishes values of one name, such as a line."""
    return symbol_name(name.partition("@")[0])


class Given(Struct, frozen=True):
    """A name that a kernel assigns to a number, and the line of the assignment."""

    name: str
    term: Term
    line: int


def names_of(kernel: FuncDef, accesses: Iterable[Access]) -> Names:
    """The names for terms in an explanation: those of `assigned_once`, and names that are indices of accesses."""
    count = _count_bindings(kernel)
    known = {x.name: x.term for x in assigned_once(kernel)}
    counted = frozenset(n.span.line for n in nodes(kernel.body) if isinstance(n, For) and _counts(n.iterable))
    bare = Spelling(partial(_counter, counted), _symbol, lambda name: "?")
    given = tuple((name, bare(term)) for name, term in known.items() if term.varying)
    for name, term in _indices(kernel, accesses, count):
        if name not in known and term.varying and (term.single is None or _is_division(term)):
            known[name] = term
    found: dict[Term, str] = {}
    for name, term in known.items():
        if term.varying:
            found.setdefault(term, name)
    longest = sorted(found.items(), key=lambda x: -len(bare(x[0])))
    return Names(replace(bare, names=tuple(longest)), given)


def assigned_once(kernel: FuncDef) -> tuple[Given, ...]:
    """Names that are assigned once, to a block coordinate or to an arithmetic expression of block coordinates."""
    count = _count_bindings(kernel)
    known: dict[str, Term] = {}
    found: list[Given] = []
    for node in nodes(kernel.body):
        for name, value in _pairs(node) if isinstance(node, Assign) else ():
            term = _term(value, known) if count.get(name, 0) == 1 else None
            if term is not None and isinstance(node, Assign):
                known[name] = term
                found.append(Given(name, term, node.span.line))
    return tuple(found)


def _count_bindings(kernel: FuncDef) -> dict[str, int]:
    """The number of bindings of each name."""
    count: dict[str, int] = {p.name: 1 for p in kernel.params}
    for node in nodes(kernel.body):
        for name in _bound_names(node):
            count[name] = count.get(name, 0) + 1
    return count


def _is_division(term: Term) -> bool:
    return isinstance(term.single, (FloorDiv, Mod))


def _indices(
    kernel: FuncDef, accesses: Iterable[Access], count: Mapping[str, int],
) -> Iterator[tuple[str, Term]]:
    """Names that are indices of accesses, with their terms. A name with several terms is omitted."""
    calls = {n.span: n for n in nodes(kernel.body) if isinstance(n, Call)}
    found: dict[str, set[Term]] = {}
    for a in accesses:
        call = calls.get(a.span)
        terms = a.tile_index if a.tile else a.region.index
        items = _index_of(call) if call is not None else ()
        if len(items) == len(terms):
            for item, term in zip(items, terms, strict=True):
                if isinstance(item, Name) and count.get(item.id, 0) == 1:
                    found.setdefault(item.id, set()).add(term)
    yield from ((name, next(iter(terms))) for name, terms in found.items() if len(terms) == 1)


def _index_of(call: Call) -> tuple[Expr, ...]:
    named = [k.value for k in call.keywords if k.name in ("index", "indices")]
    positional = call.args[1:2]
    for e in (*named, *positional):
        return e.items if isinstance(e, Sequence) else (e,)
    return ()


def _counts(e: Expr) -> bool:
    """Whether a loop iterates over `range(n)`, so that its variable is the number of the iteration."""
    return isinstance(e, Call) and isinstance(e.func, Name) and e.func.id == "range" and len(e.args) == 1


def nodes(value: object) -> Iterator[object]:
    """A node of the tree and all its descendants."""
    if isinstance(value, tuple):
        for x in value:
            yield from nodes(x)
    elif isinstance(value, Struct):
        yield value
        for name in value.__struct_fields__:
            if name != "span":
                yield from nodes(getattr(value, name))


def _bound_names(node: object) -> Iterator[str]:
    """The names that a statement binds."""
    targets = getattr(node, "targets", None) or (getattr(node, "target", None),)
    for target in targets:
        for part in nodes(target) if target is not None else ():
            if isinstance(part, Name):
                yield part.id


def _pairs(node: Assign) -> Iterator[tuple[str, Expr]]:
    """Names with their values; `a, b = x, y` is two assignments."""
    for target in node.targets:
        if isinstance(target, Name):
            yield target.id, node.value
        elif isinstance(target, Sequence) and isinstance(node.value, Sequence):
            # different lengths are an error at run time and bind nothing
            yield from ((t.id, v) for t, v in zip(target.items, node.value.items, strict=False)
                        if isinstance(t, Name) and len(target.items) == len(node.value.items))


def _term(e: Expr, known: Mapping[str, Term]) -> Term | None:
    """The value of an expression of block coordinates, parameters and numbers; None for any other."""
    if isinstance(e, Constant):
        return const(e.value) if isinstance(e.value, int) and not isinstance(e.value, bool) else None
    if isinstance(e, Name):
        return known.get(e.id, symbol(e.id))
    if isinstance(e, Call):
        return _coordinate(e)
    if isinstance(e, BinOp):
        left, right = _term(e.left, known), _term(e.right, known)
        if left is None or right is None:
            return None
        if e.op in ("//", "%"):
            zero = right.constant == 0
            return None if zero else floordiv(left, right) if e.op == "//" else mod(left, right)
        return {"+": left + right, "-": left - right, "*": left * right}.get(e.op)
    return None


def _coordinate(call: Call) -> Term | None:
    name = call.func.attr if isinstance(call.func, Attribute) else call.func.id if isinstance(call.func, Name) else ""
    axis = call.args[0].value if len(call.args) == 1 and isinstance(call.args[0], Constant) else None
    return of(Bid(axis)) if name == "bid" and axis in (0, 1, 2) and isinstance(axis, int) else None

"""Atoms of terms, and replacing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from tilecheck.symbolic.atoms import App, Atom, FloorDiv, Ite, Lane, Load, Max, Min, Mod, Monomial
from tilecheck.symbolic.build import app, floordiv, ite, load, maximum, minimum, mod
from tilecheck.symbolic.conditions import FALSE, TRUE, Cond, bool_opaque, conj, disj, eq, ge, ne
from tilecheck.symbolic.functions import FUNCTIONS
from tilecheck.symbolic.polynomials import ONE, ZERO, Term, add_times, of
from tilecheck.symbolic.symbols import Symbol


def children(atom: Atom) -> Iterator[Term | Cond]:
    """The terms and conditions that an atom contains."""
    if isinstance(atom, (FloorDiv, Mod)):
        yield atom.num
        yield atom.den
    elif isinstance(atom, (Min, Max, App)):
        yield from atom.args
    elif isinstance(atom, Ite):
        yield atom.cond
        yield atom.then
        yield atom.other
    elif isinstance(atom, Load):
        yield from atom.index
    elif isinstance(atom, Lane):
        yield atom.size


def atoms_of(value: Term | Cond, into: set[Atom] | None = None) -> set[Atom]:
    """Every atom in a term or condition, those inside other atoms too (sizes of lanes included)."""
    out: set[Atom] = set() if into is None else into
    if type(value) is Cond:
        out |= _atoms_of_cond(value)
        return out
    for m in value.monos:
        for atom in m:
            if atom not in out:
                out |= atoms_at(atom)
    return out


@cache
def atoms_at(atom: Atom) -> frozenset[Atom]:
    """An atom and every atom inside it."""
    inner: set[Atom] = {atom}
    for child in children(atom):
        atoms_of(child, inner)
    return frozenset(inner)


@lru_cache(maxsize=1 << 14)
def _atoms_of_cond(cond: Cond) -> frozenset[Atom]:
    out = atoms_of(cond.term)
    if cond.atom is not None:
        out |= atoms_at(cond.atom)
    for part in cond.args:
        out |= _atoms_of_cond(part)
    return frozenset(out)


def atoms_in(*values: Term | Cond) -> set[Atom]:
    """Every atom in several terms and conditions, as `atoms_of` finds them in one."""
    out: set[Atom] = set()
    for value in values:
        if type(value) is Cond:
            out |= _atoms_of_cond(value)
            continue
        for m in value.monos:
            for atom in m:
                if atom not in out:
                    out |= atoms_at(atom)
    return out


class Substitution:
    """Replaces atoms by terms everywhere, rebuilding through the constructors; remembers what it rebuilt."""

    def __init__(self, mapping: Mapping[Atom, Term]) -> None:
        self._replaced = frozenset(mapping)
        self._done: dict[Atom, Term] = dict(mapping)
        self._conds: dict[str, Cond] = {}

    def term(self, t: Term) -> Term:
        if self.keeps(t):
            return t
        out: dict[Monomial, int] = {}
        for m, c in t.monos.items():
            kept: Monomial = ()
            part: Term | None = None
            for a in m:
                value = self.atom(a)
                if value is of(a):
                    kept += (a,)
                else:
                    part = value if part is None else part * value
            add_times(out, kept, c, ONE if part is None else part)
        return Term(out)

    def atom(self, a: Atom) -> Term:
        known = self._done.get(a)
        if known is None:
            known = self._rebuild(a)
            self._done[a] = known
        return known

    def keeps(self, value: Term | Cond) -> bool:
        """Whether a value has nothing in it that is replaced."""
        if type(value) is Cond:
            return self._replaced.isdisjoint(_atoms_of_cond(value))
        for m in value.monos:
            for a in m:
                if not self._replaced.isdisjoint(atoms_at(a)):
                    return False
        return True

    def _rebuild(self, a: Atom) -> Term:
        rebuild = _REBUILD.get(type(a))
        return of(a) if rebuild is None else rebuild(self, a)

    def cond(self, c: Cond) -> Cond:
        known = self._conds.get(c.key)
        if known is None:
            known = c if self.keeps(c) else _SUBSTITUTE[c.op](self, c)
            self._conds[c.key] = known
        return known

    def _bool(self, c: Cond) -> Cond:
        if c.atom is None:
            return c
        new = self.atom(c.atom)
        atom = new.single
        if atom is not None:
            return bool_opaque(atom, c.positive)
        value = new.constant
        if value is not None:
            return TRUE if (value != 0) == c.positive else FALSE
        return ne(new, 0) if c.positive else eq(new, 0)

    def _lane(self, a: Lane) -> Term:
        size = self.term(a.size)
        return ZERO if size.constant == 1 else of(Lane(a.axis, size, a.copy))


_REBUILD: Final[Mapping[type[Atom], Callable[[Substitution, object], Term]]] = {
    FloorDiv: lambda s, a: floordiv(s.term(a.num), s.term(a.den)),  # type: ignore[attr-defined]
    Mod: lambda s, a: mod(s.term(a.num), s.term(a.den)),  # type: ignore[attr-defined]
    Min: lambda s, a: minimum(*(s.term(x) for x in a.args)),  # type: ignore[attr-defined]
    Max: lambda s, a: maximum(*(s.term(x) for x in a.args)),  # type: ignore[attr-defined]
    Ite: lambda s, a: ite(s.cond(a.cond), s.term(a.then), s.term(a.other)),  # type: ignore[attr-defined]
    App: lambda s, a: app(a.fn, *(s.term(x) for x in a.args)),  # type: ignore[attr-defined]
    Load: lambda s, a: load(a.array, tuple(s.term(x) for x in a.index)),  # type: ignore[attr-defined]
    Lane: lambda s, a: s._lane(a),  # type: ignore[arg-type]
}


_SUBSTITUTE: Final[Mapping[str, Callable[[Substitution, Cond], Cond]]] = {
    "true": lambda s, c: c,
    "false": lambda s, c: c,
    "ge": lambda s, c: ge(s.term(c.term), 0),
    "eq": lambda s, c: eq(s.term(c.term), 0),
    "ne": lambda s, c: ne(s.term(c.term), 0),
    "bool": lambda s, c: s._bool(c),
    "and": lambda s, c: conj(*(s.cond(a) for a in c.args)),
    "or": lambda s, c: disj(*(s.cond(a) for a in c.args)),
}


def substitute(t: Term, mapping: Mapping[Atom, Term]) -> Term:
    return Substitution(mapping).term(t)


def substitute_cond(c: Cond, mapping: Mapping[Atom, Term]) -> Cond:
    return Substitution(mapping).cond(c)


def enforceable(c: Cond) -> bool:
    """Whether a launch can decide a condition from its scalars: nothing in it but symbols and known functions."""
    return c.op not in ("bool",) and all(
        isinstance(a, (Symbol, FloorDiv, Mod, Min, Max, Ite)) or (isinstance(a, App) and a.fn in FUNCTIONS)
        for a in atoms_of(c)) and all(enforceable(part) for part in c.args)

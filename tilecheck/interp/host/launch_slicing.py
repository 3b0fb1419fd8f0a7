"""Reduces a recorded launch to the facts that are relevant to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.entailment import drop_weaker
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.launch_sites import Raw
from tilecheck.interp.host.values import Kernel, Member, Step, Stored, Thing
from tilecheck.symbolic import (
    App,
    Atom,
    Cond,
    FloorDiv,
    Ite,
    Min,
    Opaque,
    Substitution,
    Symbol,
    Term,
    atoms_of,
    conj,
    eq,
    ge,
    negate,
    of,
    substitute,
    substitute_cond,
    symbol_from_text,
)

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

_NUMBER: Final = re.compile(r"#\d+")
_FACTS: Final = 60
_MOST: Final = 80
"""The most facts of a launch. The shortest ones stay, and nothing is refuted where one is left out."""
_CASES: Final = 64
_NESTED: Final = 3
_TABLE: Final = 6
"""Parts of a condition for which all truth values are tried."""


def launch(ev: Evaluator, raw: Raw, name: str, facts: Cond, kernel: Kernel) -> Launch:
    parts = facts.args if facts.op == "and" else (facts,)
    known = {part.key for part in parts}
    grid, arguments, chosen = raw.grid, raw.arguments, _find_decided_choices(_terms(raw.grid, raw.arguments), known)
    first = chosen
    for _ in range(_NESTED):
        # the chosen option may be a choice again
        grid = (_maybe(grid[0], chosen), _maybe(grid[1], chosen), _maybe(grid[2], chosen))
        arguments = None if arguments is None else tuple(replace_atoms(a, chosen) for a in arguments)
        chosen = _find_decided_choices(_terms(grid, arguments), known)
        if not chosen:
            break
    terms = _terms(grid, arguments)
    passed = [a for given in arguments or () for a in (given, *(given.elements or ()))]
    relevant = _cone(terms, {n for a in passed for n in (a.name, a.strided) if n is not None}, parts)
    complete = len(relevant) <= _MOST
    if not complete:
        short = set(sorted(relevant, key=lambda c: len(c.key))[:_MOST])
        relevant = [c for c in relevant if c in short]
    cases, bounds = _cases(ev, relevant, terms)
    standing = _list_standing_facts(ev, grid, relevant)
    for t in raw.grid:
        if t is not None:
            standing += [substitute_cond(c, first) for c in bound_factors(ev, t, dict(_find_lower_bounds(bounds)))]
    every = raw.how == "tuner" and any(_is_every(ev, n) for case in cases[:1] for n, _ in case)
    return plain_names(Launch(
        (kernel.file, kernel.qualname), (grid[0], grid[1], grid[2]), arguments,
        conj(*drop_weaker([*relevant, *standing, *bounds])), raw.span, raw.how, name, cases,
        frozenset(ev.symbols.free), every, raw.faults, raw.dependent, complete=complete,
        computed=any(t is None or any(a.key in ev.symbols.results for a in atoms_of(t)) for t in grid)))


# --- names -----------------------------------------------------------------------------------------------------------

def plain_names(launch: Launch) -> Launch:
    """The launch without the numbers that distinguish symbols of different functions, if it does not need them."""
    values: list[Term | Cond] = [*_terms(launch.grid, launch.arguments), launch.facts]
    atoms = {a for v in values for a in atoms_of(v) if isinstance(a, Symbol | Opaque)}
    names = {a.name for a in atoms} | launch.free
    for part in _list_parts(launch.arguments or ()):
        names |= {n for n in (part.name, part.strided, part.identity, *(part.roots or ())) if n is not None}
    renamed = _drop_numbers(names)
    if not renamed:
        return launch
    change = Substitution({a: of(_rename_atom(a, renamed[a.name])) for a in atoms if a.name in renamed})
    grid = tuple(None if t is None else change.term(t) for t in launch.grid)
    arguments = (
        None if launch.arguments is None else tuple(_rename_argument(a, change, renamed) for a in launch.arguments)
    )
    cases = tuple(tuple((renamed.get(n, n), v) for n, v in case) for case in launch.cases)
    free = frozenset(renamed.get(n, n) for n in launch.free)
    return replace(
        launch, grid=(grid[0], grid[1], grid[2]), arguments=arguments, facts=change.cond(launch.facts), cases=cases,
        free=free)


def _rename_atom(a: Symbol | Opaque, name: str) -> Atom:
    return Opaque(name, a.uniform, a.copy, a.source) if isinstance(a, Opaque) else symbol_from_text(name)


def _list_parts(arguments: Iterable[Argument]) -> Iterator[Argument]:
    """Arguments with their options and elements."""
    for a in arguments:
        yield a
        yield from _list_parts((*(option for _, option in a.options), *(a.elements or ())))


def _drop_numbers(names: set[str]) -> dict[str, str]:
    plain: dict[str, list[str]] = {}
    for name in names:
        plain.setdefault(_NUMBER.sub("", name), []).append(name)
    roots: dict[str, set[str]] = {}
    for name in names:
        root = re.split(r"[.\[(]", name, maxsplit=1)[0]
        roots.setdefault(_NUMBER.sub("", root), set()).add(root)
    out: dict[str, str] = {}
    for short, longs in plain.items():
        root = re.split(r"[.\[(]", short, maxsplit=1)[0]
        # `x` and `x#2.shape[0]` stay distinct: either all names of one root are renamed, or none
        if len(longs) == 1 and longs[0] != short and len(roots[root]) == 1:
            out[longs[0]] = short
    return out


def _rename_argument(argument: Argument, change: Substitution, names: Mapping[str, str]) -> Argument:
    def term(value: Term | None) -> Term | None:
        return None if value is None else change.term(value)

    def name(value: str | None) -> str | None:
        return None if value is None else names.get(value, value)

    return replace(
        argument,
        term=term(argument.term),
        identity=name(argument.identity),
        name=name(argument.name),
        shape=None if argument.shape is None else tuple(term(t) for t in argument.shape),
        strides=None if argument.strides is None else tuple(term(t) for t in argument.strides),
        strided=name(argument.strided),
        made=frozenset(names.get(n, n) for n in argument.made),
        roots=None if argument.roots is None else frozenset(names.get(n, n) for n in argument.roots),
        text=_NUMBER.sub("", argument.text),
        options=tuple(
            (change.cond(cond), _rename_argument(option, change, names)) for cond, option in argument.options
        ),
        elements=None
        if argument.elements is None
        else tuple(_rename_argument(e, change, names) for e in argument.elements),
    )


def _terms(grid: Iterable[Term | None], arguments: tuple[Argument, ...] | None) -> list[Term]:
    out = [t for t in grid if t is not None]
    for a in arguments or ():
        out += [t for t in (a.term, *(a.shape or ()), *(a.strides or ())) if t is not None]
        if a.options:
            out += _terms((), tuple(option for _, option in a.options))
        if a.elements:
            out += _terms((), a.elements)
    return out


def _find_decided_choices(terms: Iterable[Term], known: set[str]) -> dict[Atom, Term]:
    """Conditional values whose condition is among the facts, or whose negation is."""
    out: dict[Atom, Term] = {}
    for term in terms:
        for atom in atoms_of(term):
            if isinstance(atom, Ite):
                always = _decide_always(atom.cond)
                if always is True or _is_stated(atom.cond, known):
                    out[atom] = atom.then
                elif always is False or _is_stated(negate(atom.cond), known):
                    out[atom] = atom.other
    return {atom: substitute(term, {a: t for a, t in out.items() if a != atom}) for atom, term in out.items()}


@lru_cache(maxsize=4096)
def _decide_always(cond: Cond) -> bool | None:
    """The value of a condition that is the same for all values of its comparisons and truth values; else None."""
    parts = sorted(_parts(cond), key=lambda c: c.key)
    if not 0 < len(parts) <= _TABLE:
        return None
    seen = {
        _evaluate_under(cond, dict(zip(parts, values, strict=True)))
        for values in product((False, True), repeat=len(parts))
    }
    return seen.pop() if len(seen) == 1 else None


def _parts(cond: Cond) -> frozenset[Cond]:
    """The atomic conditions in a condition; one for an atomic condition and its negation."""
    if cond.op in ("and", "or"):
        return frozenset().union(*map(_parts, cond.args))
    return frozenset() if cond.op in ("true", "false") else frozenset((min(cond, negate(cond), key=lambda c: c.key),))


def _evaluate_under(cond: Cond, values: Mapping[Cond, bool]) -> bool:
    if cond.op in ("and", "or"):
        return (all if cond.op == "and" else any)(_evaluate_under(c, values) for c in cond.args)
    if cond.op in ("true", "false"):
        return cond.op == "true"
    return values[cond] if cond in values else not values[negate(cond)]


def _is_stated(cond: Cond, known: set[str]) -> bool:
    if cond.key in known or cond.op == "true":
        return True
    if cond.op == "and":
        return all(_is_stated(part, known) for part in cond.args)
    return cond.op == "or" and any(_is_stated(part, known) for part in cond.args)


def replace_atoms(argument: Argument, chosen: Mapping[Atom, Term]) -> Argument:
    if not chosen:
        return argument
    shape = None if argument.shape is None else tuple(_maybe(t, chosen) for t in argument.shape)
    strides = None if argument.strides is None else tuple(_maybe(t, chosen) for t in argument.strides)
    options = tuple((substitute_cond(cond, chosen), replace_atoms(option, chosen)) for cond, option in argument.options)
    elements = None if argument.elements is None else tuple(replace_atoms(e, chosen) for e in argument.elements)
    return replace(argument, term=_maybe(argument.term, chosen), shape=shape, strides=strides, options=options,
                   elements=elements)


def _maybe(term: Term | None, chosen: Mapping[Atom, Term]) -> Term | None:
    return None if term is None else substitute(term, chosen)


@lru_cache(maxsize=8192)
def _array_of(leaf: str) -> str:
    """The array whose extent or stride a symbol is, or the symbol itself."""
    return re.split(r"\.(?:shape|strides)\[", leaf, maxsplit=1)[0]


@lru_cache(maxsize=8192)
def _leaves(value: Term | Cond) -> frozenset[str]:
    return frozenset(a.key for a in atoms_of(value) if isinstance(a, Symbol))


def _cone(terms: Sequence[Term], arrays: set[str], facts: Sequence[Cond]) -> list[Cond]:
    """The facts about symbols of the launch, and about symbols that those facts mention."""
    reached: set[str] = set()
    for fact in facts:
        # extents of the arrays passed, also those that no term mentions
        reached |= {leaf for leaf in _leaves(fact) - reached if _array_of(leaf) in arrays}
    for term in terms:
        reached |= _leaves(term)
    pending = [(fact, _leaves(fact)) for fact in facts]
    kept: list[Cond] = []
    changed = True
    while changed and len(kept) < _FACTS:
        changed = False
        rest = []
        for fact, leaves in pending:
            if not leaves.isdisjoint(reached):
                kept.append(fact)
                reached |= leaves
                changed = True
            else:
                rest.append((fact, leaves))
        pending = rest
    return kept + _truths(terms, kept, [fact for fact, leaves in pending if not leaves])


def _truths(terms: Iterable[Term], kept: Iterable[Cond], facts: Iterable[Cond]) -> list[Cond]:
    """The facts about truth values alone that other facts depend on: `layout == 'bnsd'`."""
    asked = {a for values in (terms, kept) for value in values for a in atoms_of(value) if isinstance(a, Opaque)}
    return [fact for fact in facts if fact.op != "true" and atoms_of(fact) <= asked]


def _list_standing_facts(ev: Evaluator, grid: Iterable[Term | None], facts: Iterable[Cond]) -> list[Cond]:
    """The facts that always hold: extents are not negative, and a launch has at least one block on each axis."""
    out: list[Cond] = []
    terms = [t for t in grid if t is not None]
    found = {a for values in (terms, facts) for value in values for a in atoms_of(value) if isinstance(a, Symbol)}
    out += [ge(of(a), 1) for a in sorted(found & ev.symbols.positive)]
    out += [ge(of(a), 0) for a in sorted(found & (ev.symbols.extents - ev.symbols.positive))]
    for term in terms:
        out += require_positive(ev, term)
    return out


def require_positive(ev: Evaluator, term: Term) -> list[Cond]:
    """`term >= 1`, and what follows for its factors when they are extents or minima."""
    out = [ge(term, 1)] if term.constant is None else []
    # cdiv(x, d) is (x - 1) // d + 1
    rest = (term - 1).single
    if isinstance(rest, FloorDiv) and _divisor(ev, rest.den, {}):
        out.append(ge(rest.num, 0))
    if len(term.monos) == 1:
        ((mono, factor),) = term.monos.items()
        plain = all(isinstance(a, Symbol) and ev.symbols.not_negative(a) for a in mono)
        if factor > 0 and (plain or len(mono) == 1):
            for atom in mono:
                out.append(ge(of(atom), 1))
                if isinstance(atom, Min):
                    out += [cond for inner in atom.args for cond in require_positive(ev, inner)]
    return [cond for cond in out if cond.op != "true"]


def bound_factors(ev: Evaluator, term: Term, least: Mapping[str, int]) -> list[Cond]:
    """The bounds on factors that follow from `term >= 1`, if the factors cannot be negative."""
    pair = ev.symbols.factors.get(term)
    if pair is not None and all(_not_negative(ev, part, least) for part in pair):
        return [cond for part in pair for cond in bound_factors(ev, part, least)]
    atom = term.single
    if isinstance(atom, Min):
        return [cond for part in atom.args for cond in bound_factors(ev, part, least)]
    return [ge(term, 1)] if term.constant is None else []


def _not_negative(ev: Evaluator, term: Term, least: Mapping[str, int]) -> bool:
    def is_not_negative(atom: Atom) -> bool:
        if isinstance(atom, Symbol):
            return ev.symbols.not_negative(atom) or least.get(atom.name, -1) >= 0
        if isinstance(atom, Min):
            return all(_not_negative(ev, part, least) for part in atom.args)
        if isinstance(atom, Ite):
            return _not_negative(ev, atom.then, least) and _not_negative(ev, atom.other, least)
        if isinstance(atom, App):
            return atom.fn == "next_pow2"
        return isinstance(atom, FloorDiv) and _divisor(ev, atom.den, least) and _not_negative(ev, atom.num, least)

    if all(c > 0 and all(is_not_negative(a) for a in m) for m, c in term.monos.items()):
        return True
    # cdiv(x, d) is (x - 1) // d + 1
    rest = (term - 1).single
    return isinstance(rest, FloorDiv) and _divisor(ev, rest.den, least) and _not_negative(ev, rest.num + 1, least)


def _divisor(ev: Evaluator, term: Term, least: Mapping[str, int]) -> bool:
    """Whether a divisor, which is not zero, is positive."""
    return (term.constant or 0) > 0 or (term.constant is None and _not_negative(ev, term, least))


def _find_lower_bounds(bounds: Iterable[Cond]) -> Iterator[tuple[str, int]]:
    for cond in bounds:
        names = [m for m in cond.term.monos if m]
        if cond.op in ("ge", "eq") and len(names) == 1 and cond.term.monos[names[0]] == 1 and len(names[0]) == 1:
            yield names[0][0].key, -cond.term.offset


# --- configurations --------------------------------------------------------------------------------------------------

def _cases(
    ev: Evaluator, facts: Iterable[Cond], terms: Iterable[Term],
) -> tuple[tuple[tuple[tuple[str, int], ...], ...], list[Cond]]:
    """The joint values of the symbols that came from one list or table, when they are known.

    Of several independent sources the one with most symbols gives the cases; the other sources give only ranges.
    """
    mentioned = {n for values in (terms, facts) for value in values for n in _leaves(value)}
    names = sorted(mentioned & ev.symbols.things.keys())
    groups: dict[str, list[str]] = {}
    for name in names:
        origin = ev.symbols.things[name].origin
        if origin is not None:
            groups.setdefault(origin.root, []).append(name)
    best: tuple[tuple[tuple[str, int], ...], ...] = ()
    bounds: list[Cond] = []
    for root in sorted(groups, key=lambda r: (-len(groups[r]), r)):
        members = groups[root]
        first = ev.symbols.things[members[0]].origin
        if first is None:
            continue
        paths = tuple(_path(ev.symbols.things[name]) for name in members)
        found = tables.cases(ev, Thing(root, _rootless(first)), paths)
        if not found:
            continue
        rows = sorted({tuple((n, v) for n, v in zip(members, row, strict=True) if v is not None) for row in found})
        bounds += _ranges(members, found)
        if not best and 0 < len(rows) <= _CASES and all(rows):
            best = tuple(rows)
    return best, bounds


def _is_every(ev: Evaluator, name: str) -> bool:
    origin = ev.symbols.things[name].origin
    return isinstance(origin, Member) and origin.every


def _path(thing: Thing) -> tuple[Step, ...]:
    return () if thing.origin is None else thing.origin.path


def _rootless(origin: Member | Stored) -> Member | Stored:
    return replace(origin, path=())


def _ranges(members: list[str], found: set[tuple[int | None, ...]]) -> list[Cond]:
    out: list[Cond] = []
    for i, name in enumerate(members):
        column = [row[i] for row in found]
        values = [v for v in column if v is not None]
        if len(values) < len(column):
            continue
        symbol = of(symbol_from_text(name))
        if min(values) == max(values):
            out.append(eq(symbol, values[0]))
        else:
            out += [ge(symbol, min(values)), ge(max(values), symbol)]
    return out

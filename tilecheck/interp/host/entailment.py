"""Entailment for the terms that host code builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from tilecheck.interp.host.sampling import is_refuted
from tilecheck.solver.inequalities import Budget, Facts, conjuncts
from tilecheck.symbolic import (
    ONE,
    ZERO,
    App,
    Atom,
    Cond,
    FloorDiv,
    Ite,
    Max,
    Min,
    Mod,
    Stand,
    Substitution,
    Symbol,
    Term,
    app,
    atoms_of,
    conj,
    const,
    disj,
    eq,
    floordiv,
    ge,
    le,
    lt,
    negate,
    of,
    split_multiples,
    substitute_cond,
)

_SPLITS: Final = 4
_NESTED: Final = 4
_NODES: Final = 160


def lemmas(cond: Cond) -> list[Cond]:
    """Lemmas about the atoms of a condition, which hold for all arguments."""
    out: list[Cond] = []
    for atom in sorted(atoms_of(cond)):
        out += _list_lemmas(atom)
    return out


def _list_lemmas(atom: Atom) -> list[Cond]:
    value = of(atom)
    if isinstance(atom, App) and atom.fn == "next_pow2":
        (inner,) = atom.args
        return [ge(value, inner), ge(value, 1), disj(le(inner, 0), le(value, inner * 2 - 1))]
    if isinstance(atom, FloorDiv):
        return [*_division(value, atom.num, atom.den), *_quotient(value, atom.num, atom.den)]
    if isinstance(atom, Min):
        return [le(value, part) for part in atom.args]
    if isinstance(atom, Max):
        return [ge(value, part) for part in atom.args]
    if isinstance(atom, Mod) and (atom.den.constant or 0) > 0:
        return [ge(value, 0), lt(value, atom.den)]
    return []


def _division(value: Term, num: Term, den: Term) -> list[Cond]:
    positive = den.constant is not None and den.constant > 0
    inside = conj(le(value * den, num), lt(num, value * den + den))
    return [inside] if positive else [disj(le(den, 0), inside)]


def _quotient(value: Term, num: Term, den: Term) -> list[Cond]:
    """`n // (n // k) >= k` for n >= 0 and k >= 1: a divisor is not 0. `-1 // d >= -1` for d of any sign."""
    inner = den.single
    if isinstance(inner, FloorDiv) and inner.num == num:
        return [disj(lt(num, 0), le(inner.den, 0), ge(value, inner.den))]
    return [ge(value, -1)] if num.constant == -1 else []


@lru_cache(maxsize=4096)
def _shape(cond: Cond) -> Term:
    """The term that a condition bounds: its term without the constant part."""
    return cond.term - cond.term.offset


def drop_weaker(conds: Iterable[Cond]) -> list[Cond]:
    """The conditions without those that another one implies by a constant alone."""
    best: dict[Term, Cond] = {}
    out: list[Cond] = []
    for cond in conds:
        if cond.op != "ge":
            out.append(cond)
            continue
        shape = _shape(cond)
        if shape not in best or cond.term.offset < best[shape].term.offset:
            best[shape] = cond
    return out + list(best.values())


def _clash(facts: Cond) -> bool:
    """Whether two of the facts leave nothing between them: `t >= 3` and `t <= 2`."""
    floor: dict[Term, int] = {}
    for cond in conjuncts(facts):
        for term in (cond.term,) if cond.op == "ge" else (cond.term, -cond.term) if cond.op == "eq" else ():
            shape = term - term.offset
            floor[shape] = max(floor.get(shape, -term.offset), -term.offset)
    return any(-shape in floor and low > -floor[-shape] for shape, low in floor.items())


def _one_step(facts: Cond, wanted: Term) -> bool:
    """Whether one fact gives the goal by a constant: `m >= 3` gives `2*m >= 5`."""
    for cond in conjuncts(facts):
        for term in (cond.term,) if cond.op == "ge" else (cond.term, -cond.term) if cond.op == "eq" else ():
            lead = next((m for m in term.monos if m), None)
            factor = 0 if lead is None else wanted.monos.get(lead, 0) // term.monos[lead]
            rest = (wanted - term * factor).constant if factor > 0 else None
            if rest is not None and rest >= 0:
                return True
    return False


def follows(facts: Cond, goal: Cond, nodes: int = _NODES) -> bool:
    """Entailment with little effort: what takes long here is seldom found at all."""
    if goal.op == "true" or (goal.op == "ge" and _one_step(facts, goal.term)):
        return True
    known = Facts([facts], [goal.term], signs=False, budget=Budget(nodes))
    return known.holds(goal) is not None


@lru_cache(maxsize=1024)
def unreachable(facts: Cond) -> bool:
    """Whether the facts contradict each other."""
    facts = _resolve_own_choices(facts)
    if facts.op == "false" or _clash(facts):
        return True
    return Facts([facts], signs=False, budget=Budget(_NODES)).prove(const(-1)) is not None


@lru_cache(maxsize=1 << 14)
def is_entailed(facts: Cond, goal: Cond, splits: int = _SPLITS, nodes: int = _NODES) -> bool:
    """Whether the goal follows from the facts."""
    if goal.op == "true" or at_once(facts, goal):
        return True
    if goal.op == "false" or is_refuted(facts, goal):
        return False
    if goal.op == "and":
        return all(is_entailed(facts, part, splits, nodes) for part in goal.args)
    if goal.op == "or":
        return any(_one_of(facts, goal, part, splits, nodes) for part in _mains(goal))
    facts = _resolve_own_choices(facts)
    settled = _unround(facts, _resolve_choices(facts, goal))
    if settled != goal:
        return is_entailed(facts, settled, splits, nodes)
    known = _resolve_own_choices(conj(facts, *lemmas(goal), *_list_exact_divisions(facts, goal)))
    if divisible(facts, goal) or follows(known, goal, 2 * nodes):
        return True
    same = _one_name(_equations(facts))
    named, known = same.cond(goal), same.cond(facts)
    if named != goal or known != facts:
        return known.op != "false" and is_entailed(known, named, splits, nodes)
    simpler = _monotonic(goal)
    if simpler is not None and follows(facts, simpler, nodes):
        return True
    return splits > 0 and _by_cases(facts, goal, splits, nodes)


def _mains(goal: Cond) -> Iterator[Cond]:
    """The longest of the alternatives, which the others mostly make an exception of, and the longest inequality."""
    longest = max(goal.args, key=lambda c: (len(c.key), c.key))
    yield longest
    if longest.op == "ne":
        inequalities = [c for c in goal.args if c.op == "ge"]
        yield from sorted(inequalities, key=lambda c: (-len(c.key), c.key))[:1]


def _one_of(facts: Cond, goal: Cond, part: Cond, splits: int, nodes: int) -> bool:
    """Whether an alternative follows where none of the others holds; none is left where they cannot all fail."""
    known = conj(facts, *(negate(other) for other in goal.args if other is not part))
    return known.op == "false" or _clash(known) or is_entailed(known, part, splits, nodes)


@lru_cache(maxsize=4096)
def _split_facts(facts: Cond) -> frozenset[Cond]:
    """The set of single facts, for membership tests."""
    return frozenset(conjuncts(facts))


def at_once(facts: Cond, goal: Cond) -> bool:
    """Whether the goal, or an alternative, is one of the facts, or one of them gives it by a constant."""
    return goal in _split_facts(facts) or (goal.op == "ge" and _one_step(facts, goal.term)) or (
        goal.op == "or" and any(at_once(facts, part) for part in goal.args))


def _list_exact_divisions(facts: Cond, goal: Cond) -> list[Cond]:
    """`n // d * d == n` and `(n + k) // d == n // d + k // d` where the facts say that `n % d == 0`."""
    known = _split_facts(facts)
    exact = {(c.term.single.num, c.term.single.den) for c in known if c.op == "eq" and isinstance(c.term.single, Mod)}
    # a positive multiple of a positive number is at least that number
    out = [disj(le(num, 0), le(den, 0), ge(num, den)) for num, den in sorted(exact, key=str)
           if atoms_of(den) <= atoms_of(goal)]
    for a in sorted(atoms_of(goal)):
        if isinstance(a, FloorDiv) and _divides(a, exact):
            out.append(eq(of(a) * a.den, a.num))
        elif isinstance(a, FloorDiv) and a.num.offset == -1 and (a.num + 1, a.den) in exact and follows(
                facts, ge(a.den, 1)):
            out.append(eq(of(a), floordiv(a.num + 1, a.den) - 1))
        elif isinstance(a, FloorDiv) and (a.den.constant or 0) > 0:
            size = a.den.constant or 1
            # `cdiv(n, 128)` is written `(n + 127) // 128`
            out += [eq(of(a) * size, num + k // size * size) for num, den in sorted(exact, key=str)
                    if den == a.den and (k := (a.num - num).constant) is not None]
    return out


def _divides(a: FloorDiv, exact: set[tuple[Term, Term]]) -> bool:
    """Whether a division has no remainder: the divisor, or a constant multiple of it, divides the dividend."""
    small = a.den.constant
    return (a.num, a.den) in exact or (small is not None and small != 0 and any(
        num == a.num and den.constant is not None and den.constant % small == 0 for num, den in exact))


def simplify_truth_tests(cond: Cond) -> Cond:
    """The condition with `(1 if c else 0) == 0` and the like as conditions on `c`."""
    if cond.op in ("and", "or"):
        parts = tuple(simplify_truth_tests(part) for part in cond.args)
        return cond if parts == cond.args else conj(*parts) if cond.op == "and" else disj(*parts)
    choices = [m[0] for m in cond.term.monos if len(m) == 1 and isinstance(m[0], Ite)]
    if cond.op not in ("ge", "eq", "ne") or len(choices) != 1 or len([m for m in cond.term.monos if m]) != 1:
        return cond
    atom = choices[0]
    if not isinstance(atom, Ite) or not (_flag(atom.then) and _flag(atom.other)):
        return cond
    then, other = (substitute_cond(cond, {atom: value}) for value in (atom.then, atom.other))
    under = simplify_truth_tests(atom.cond)
    return disj(conj(under, simplify_truth_tests(then)), conj(negate(under), simplify_truth_tests(other)))


def _resolve_choices(facts: Cond, goal: Cond) -> Cond:
    """The goal without the choices that the facts make."""
    return _chosen_by(_split_facts(facts), goal) if _choices_in(goal) else goal


@lru_cache(maxsize=1024)
def _resolve_own_choices(facts: Cond) -> Cond:
    """The facts without the choices that they make themselves."""
    parts = conjuncts(facts)
    choices = any(isinstance(a, Ite) for a in atoms_of(facts))
    if not choices and not any(c.op == "or" for c in parts):
        return facts
    known = _split_facts(facts)
    return conj(*(_drop_excluded(known, _chosen_by(known, c) if choices else c) for c in parts))


def _drop_excluded(known: frozenset[Cond], cond: Cond) -> Cond:
    """A condition without the alternatives that others exclude."""
    if cond.op != "or":
        return cond
    left = [c for c in cond.args if negate(c) not in known]
    return cond if len(left) == len(cond.args) else disj(*left)


def _chosen_by(known: frozenset[Cond], cond: Cond) -> Cond:
    """A condition without the choices that others make."""
    for a in _choices_in(cond):
        for test, value in ((a.cond, a.then), (negate(a.cond), a.other)):
            # the condition itself does not decide its own test
            if test != cond and known.issuperset(conjuncts(test)) and cond not in conjuncts(test):
                return _chosen_by(known, substitute_cond(cond, {a: value}))
    return cond


@lru_cache(maxsize=1 << 13)
def _choices_in(cond: Cond) -> tuple[Ite, ...]:
    """The choices in a condition. Most facts are facts of several questions."""
    return tuple(sorted(a for a in atoms_of(cond) if isinstance(a, Ite)))


def _unround(facts: Cond, goal: Cond) -> Cond:
    """The goal with n in the place of n rounded up to a power of two, where the facts say that `n & (n - 1) == 0`."""
    rounded = sorted(a for a in atoms_of(goal) if isinstance(a, App) and a.fn == "next_pow2")
    known = _split_facts(facts) if rounded else frozenset()
    for a in rounded:
        (n,) = a.args
        tests = (eq(app("and", n, n - 1), 0), eq(app("and", n - 1, n), 0))
        # 0 & -1 is also 0, and 0 rounded up is 1
        if not known.isdisjoint(tests) and follows(facts, ge(n, 1)):
            return _unround(facts, substitute_cond(goal, {a: n}))
    return goal


def _flag(value: Term) -> bool:
    """Whether a value is a constant, or one of several."""
    single = value.single
    return value.constant is not None or (
        isinstance(single, Ite) and _flag(single.then) and _flag(single.other))


def abstract_choices(conds: Sequence[Cond], longest: int = 0) -> list[Cond]:
    """The conditions with scalars instead of choices: a conclusion from them holds for every option of each choice.

    longest   the largest length, as text, of choices that are not replaced
    """
    out = list(conds)
    for depth in range(_NESTED if longest else 1):
        choices = {a for c in out for a in atoms_of(c) if isinstance(a, Ite) and len(a.key) > longest}
        # the innermost of the long ones first: what they stand in may be short without them
        inner = sorted(a for a in choices if longest == 0 or not any(
            b in choices for t in (a.then, a.other) for b in atoms_of(t)))
        new: dict[Atom, Term] = {a: of(Stand(f"choice {depth} {i}")) for i, a in enumerate(inner)}
        if not new:
            break
        out = list(map(Substitution(new).cond, out))
    return out


def divisible(facts: Cond, goal: Cond) -> bool:
    """Whether the goal is `n % d == 0`, where n is a sum of multiples of d and of terms that are multiples of d
    by the facts."""
    atom = goal.term.single if goal.op == "eq" else None
    if not isinstance(atom, Mod):
        return False
    equations = _equations(facts)
    multiples = [t.single.num for t in equations if isinstance(t.single, Mod)
                 and split_multiples(t.single.den, atom.den)[1] == ZERO]
    rest = split_multiples(atom.num, atom.den)[1]
    for multiple in multiples:
        rest = split_multiples(rest, multiple)[1]
    if rest == ZERO or not multiples:
        return rest == ZERO
    # the fact is about the multiple of one extent, and the goal is about another extent of equal size
    same = _one_name(equations)
    for multiple in multiples:
        rest = split_multiples(same.term(rest), same.term(multiple))[1]
    return rest == ZERO


def _equations(facts: Cond) -> list[Term]:
    return [fact.term for fact in conjuncts(facts) if fact.op == "eq"]


def _one_name(equations: Iterable[Term]) -> Substitution:
    """One name, or number, for all terms that equations make equal: `b.shape[0] == a.shape[1]`, `a.shape[1] == 128`,
    `n // m == 1` where it is part of something else."""
    names: dict[Atom, Term] = {}
    given = list(equations)
    for equation in (*given, *given):
        # the second pass also uses equations that come later: `k == 4*h and h == 32`
        term = Substitution(names).term(equation)
        ones = sorted(m[0] for m, c in term.monos.items() if len(m) == 1 and c in (1, -1))
        number = len(ones) == 1 and () in term.monos
        if len(term.monos) > 2 or not ones or not (
                number or (isinstance(ones[-1], Symbol) and len(ones) + (() in term.monos) == 2)):
            continue
        high = ones[-1]
        factor = term.monos[high,]
        other = (term - of(high) * factor) * -factor
        if high not in atoms_of(other) and (len(ones) < 2 or other == of(ones[0])):
            here = Substitution({high: other})
            names = {**{a: here.term(t) for a, t in names.items()}, high: other}
    return Substitution(names)


def _monotonic(goal: Cond) -> Cond | None:
    """`a // d + c >= b // d` follows from `a + c*d >= b`, for d >= 1."""
    if goal.op == "or":
        simpler = [_monotonic(part) for part in goal.args]
        known = any(part is not None for part in simpler)
        return disj(*(new or old for new, old in zip(simpler, goal.args, strict=True))) if known else None
    signed = [(m[0], c) for m, c in goal.term.monos.items() if m]
    if goal.op != "ge" or len(signed) != 2 or any(len(m) > 1 for m in goal.term.monos) or (
            sorted(c for _, c in signed) != [-1, 1]):
        return None
    (more, _), (less, _) = sorted(signed, key=lambda part: -part[1])
    if isinstance(more, FloorDiv) and isinstance(less, FloorDiv) and more.den == less.den:
        return conj(ge(more.num + more.den * goal.term.offset, less.num), ge(more.den, 1))
    return None


def _by_size(facts: Cond, goal: Cond, rounded: App, splits: int, nodes: int) -> bool:
    """Rounding up to a power of two gives 1 up to 1, and above that less than twice the number less 1."""
    (inner,) = rounded.args
    value = of(Stand(f"{rounded.key} rounded"))
    for fact, stand in ((le(inner, 1), ONE), (conj(ge(inner, 2), ge(value, inner), le(value, inner * 2 - 2)), value)):
        known = conj(substitute_cond(facts, {rounded: stand}), fact)
        if known.op != "false" and not is_entailed(known, substitute_cond(goal, {rounded: stand}), splits - 1, nodes):
            return False
    return True


def _truths(cond: Cond) -> Iterator[Atom]:
    """The unknown truth values in a condition."""
    if cond.op == "bool" and cond.atom is not None:
        yield cond.atom
    for part in cond.args:
        yield from _truths(part)


def _by_cases(facts: Cond, goal: Cond, splits: int, nodes: int) -> bool:
    """Decide a goal with a conditional value or a rounded one in it, case by case."""
    rounded = sorted(a for a in atoms_of(goal) if isinstance(a, App) and a.fn == "next_pow2")
    if rounded:
        return _by_size(facts, goal, rounded[0], splits, nodes)
    choices = sorted(a for a in atoms_of(goal) if isinstance(a, Ite))
    if not choices:
        return False
    truths = Counter(b for a in choices for b in _truths(a.cond))
    if truths:
        # an unknown truth value of the paths to this location is the same in every choice
        first = min(truths, key=lambda b: (-truths[b], b))
        return all(known.op == "false" or is_entailed(known, substitute_cond(goal, value), splits - 1, nodes)
                   for value in ({first: ZERO}, {first: ONE}) for known in (substitute_cond(facts, value),))
    # an innermost one first, so that the condition itself has none
    atom = next((a for a in choices if not any(isinstance(b, Ite) for b in atoms_of(a.cond))), choices[0])
    for cond, value in ((atom.cond, atom.then), (negate(atom.cond), atom.other)):
        here = conj(substitute_cond(facts, {atom: value}), cond)
        if here.op != "false" and not is_entailed(here, substitute_cond(goal, {atom: value}), splits - 1, nodes):
            return False
    return True

"""Decides whether a clause of a kernel's contract holds at a seen launch."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations as pairs_of
from itertools import product as combinations
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.contracts import annotation_of, render
from tilecheck.interp.host.argument_aliasing import overlap
from tilecheck.interp.host.clause_substitution import Bound, Scene, find_scene, is_derived
from tilecheck.interp.host.entailment import (
    abstract_choices,
    at_once,
    drop_weaker,
    is_entailed,
    simplify_truth_tests,
    unreachable,
)
from tilecheck.interp.host.launch import Argument, Launch, is_free
from tilecheck.interp.host.pow2_edge_cases import find_rounded, vary_nonpositive
from tilecheck.interp.host.sampling import outcomes
from tilecheck.interp.kernel.access import Param
from tilecheck.solver.inequalities import conjuncts
from tilecheck.solver.model_search import find_model
from tilecheck.symbolic import (
    EXTENTS,
    App,
    Array,
    Atom,
    Cond,
    Ite,
    Opaque,
    Source,
    Substitution,
    Symbol,
    Term,
    atoms_of,
    conj,
    const,
    disj,
    evaluate,
    ge,
    holds,
    negate,
    of,
    symbol_from_text,
)
from tilecheck.symbolic.footprint import Clause

__all__ = ["Discharge", "discharge", "substitute_text"]

_Fact: TypeAlias = tuple[Cond, frozenset[str]]
"""A fact with the names of the atoms that it mentions."""

State: TypeAlias = Literal["discharged", "broken", "violated", "open"]

_LARGEST: Final = 700
_NODES: Final = 160
_PLAIN: Final = 400
_FEW: Final = 24
"""Work for a clause that is worth a finding only where it is broken."""
_LONGEST: Final = 240
_CHOICE: Final = 160
"""The largest length, as text, of a choice that is split into cases."""
_FEW_SPLITS: Final = 2
_ROUNDED: Final = 3
"""The largest number of rounded-up values that are split into positive and not positive ones."""
_VALUES: Final = 12
"""Values of a scalar that are looked at one by one."""
_TYPICAL: Final = (96, 80, 48, 24, 100, 65, 33, 12, 6, 5, 3, 1)
"""Values that are not powers of two, for a plausible counterexample."""


class Discharge(Struct, frozen=True):
    """The result for a clause at a launch.

    state     discharged: it follows from the launch and the guards of the host. broken: it is false for all values.
              violated: it is false for `values` of the variables of the launching function. open: not decided.
    text      the clause in terms of the launch if it fails there, or the reason why it holds
    """

    state: State
    values: tuple[tuple[str, int], ...] = ()
    text: str = ""


_OPEN: Final = Discharge("open")


def discharge(
    clause: Clause, params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int] | None = None,
    standing: tuple[Cond, ...] = (),
) -> Discharge:
    """Decide a clause at a launch.

    ranks      ranks of the arrays of the kernel, if they are known
    standing   facts about the parameters of the kernel that hold in every launch
    """
    if clause.cond is None:
        return _decide_annotation(clause, params, launch)
    scene = find_scene(tuple(params), launch, tuple(sorted((ranks or {}).items())))
    if scene.holds_in_numbers(clause.cond):
        return Discharge("discharged")
    found = _decide(clause, scene, standing)
    if found.state == "discharged" and not _holds_beside(clause, scene, standing):
        return _OPEN
    return found


def _holds_beside(clause: Clause, scene: Scene, standing: tuple[Cond, ...]) -> bool:
    """Whether a clause that follows at a launch also follows if the numbers rounded up there are not positive."""
    atoms = _find_rounded(scene)
    if not atoms or clause.cond is None:
        return True
    bound = scene.bind(clause.cond)
    near = _find_related(bound.goal, dict.fromkeys((
        *_with_leaves(scene.launch.facts), *_with_leaves(bound.facts),
        *((c, _leaves(c)) for c in _bind_standing_facts(standing, scene)))))
    # atoms that neither the clause nor a fact related to it mentions were not used
    bearing = {a for c in (bound.goal, *near) for a in atoms_of(c)}
    open_ = []
    for a in (a for a in atoms if a in bearing):
        positive = ge(a.args[0], 1)
        facts = _select_facts(positive, bound, scene, standing)
        if not (is_entailed(facts, positive, _FEW_SPLITS, _FEW) or any(all(at) for at in _at_values(positive, facts))):
            open_.append(a)
    if len(open_) > _ROUNDED:
        return _decide(clause, _vary(scene, tuple(open_)), standing).state == "discharged"
    for a in open_:
        other = _vary(scene, (a,))
        # the rest may not be positive, either
        if _decide(clause, other, standing).state != "discharged" or not _holds_beside(clause, other, standing):
            return False
    return True


def _vary(scene: Scene, atoms: tuple[App, ...]) -> Scene:
    """The launch in the case that the rounded numbers are not positive."""
    return find_scene(scene.params, vary_nonpositive(scene.launch, atoms), tuple(sorted(scene.ranks.items())))


def _find_rounded(scene: Scene) -> tuple[App, ...]:
    return scene.recall("rounded", lambda: find_rounded(scene.launch))


def _decide(clause: Clause, scene: Scene, standing: tuple[Cond, ...]) -> Discharge:
    cond, launch = clause.cond, scene.launch
    if cond is None:
        return _OPEN
    bound = scene.bind(cond)
    goal = simplify_truth_tests(bound.goal)
    if goal.op == "true":
        return Discharge("discharged")
    if goal.op == "false":
        return (
            _OPEN if unreachable(launch.facts) else Discharge("broken", (), substitute_text(clause.text, bound.values))
        )
    missing = {a for a in atoms_of(goal) if isinstance(a, Opaque) and a.source is Source.LAUNCH}
    if missing:
        # an alternative that mentions only known atoms may suffice
        goal = disj(*(c for c in (goal.args if goal.op == "or" else ()) if not missing & atoms_of(c)))
        if goal.op == "false":
            return _OPEN
        facts = _select_facts(goal, bound, scene, standing)
        found = is_entailed(facts, goal, 1, _FEW) and not unreachable(facts)
        return Discharge("discharged") if found else _OPEN
    facts = _select_facts(goal, bound, scene, standing)
    # a structural clause is worth a finding only where it is broken
    semantic = clause.kind == "semantic"
    long = not semantic and len(goal.key) > _PLAIN
    if not long and at_once(facts, goal):
        return _discharge_by_facts(facts)
    cases = _cases(goal, facts, scene) or [(goal, facts)]
    seen = outcomes(facts, goal)
    if len(seen) == 2 and not semantic and (len(cases) < 2 or all(len(outcomes(f, g)) == 2 for g, f in cases)):
        return _OPEN
    splits = (4 if semantic else 3) if len(goal.key) <= _LARGEST else 0
    nodes = _NODES if semantic else _FEW
    if (False not in seen and not long and is_entailed(facts, goal, splits, nodes)) or (
            False not in seen and any(all(holds_at) for holds_at in _at_values(goal, facts))) or (
            False not in seen and _whatever_is_chosen(bound, scene, standing)) or (
            not long and len(cases) > 1 and all(
                False not in outcomes(f, g) and is_entailed(f, g, splits, nodes) for g, f in cases)):
        return _discharge_by_facts(facts)
    if long:
        return _OPEN
    failing = [True not in outcomes(f, g) and is_entailed(f, negate(g), 0, nodes) for g, f in cases]
    if all(failing):
        return _refute_everywhere(goal, facts, substitute_text(clause.text, bound.values))
    if launch.every and any(failing):
        # a tuner launches every configuration: one that cannot satisfy the clause is enough
        names = {a.key for a in atoms_of(goal)}
        configs = list(dict.fromkeys(tuple((n, v) for n, v in case if n in names) for case in launch.cases))
        return Discharge("broken", configs[failing.index(True)], substitute_text(clause.text, bound.values))
    if semantic and launch.complete and is_derived(cond, scene.params, launch):
        return _refute_somewhere(replace(bound, goal=goal), facts, cases, launch, clause.text)
    return _OPEN


def _discharge_by_facts(facts: Cond) -> Discharge:
    """The result for a clause that follows from some facts. Contradictory facts leave the clause open: the analysis
    misunderstood the code, or the launch is dead code."""
    return Discharge("open" if unreachable(facts) else "discharged")


def _whatever_is_chosen(bound: Bound, scene: Scene, standing: tuple[Cond, ...]) -> bool:
    """Whether a clause follows without regard to what the values in it were chosen by."""
    if not any(isinstance(a, Ite) for a in atoms_of(bound.goal)):
        return False
    facts = _find_related(bound.goal, dict.fromkeys((
        *_with_leaves(scene.launch.facts), *_with_leaves(bound.facts),
        *((c, _leaves(c)) for c in _bind_standing_facts(standing, scene)))))
    long = len(bound.goal.key) > _PLAIN
    for longest, splits in ((0, 0), (_CHOICE, _FEW_SPLITS)) if long else ((0, 0),):
        goal, *rest = abstract_choices([bound.goal, *facts], longest)
        near = _find_related(goal, [(c, _leaves(c)) for c in rest if len(c.key) <= _LONGEST])
        if len(goal.key) <= _PLAIN and goal != bound.goal and is_entailed(
                conj(*drop_weaker(simplify_truth_tests(c) for c in near)), simplify_truth_tests(goal), splits, _FEW):
            return True
    return False


def _select_facts(goal: Cond, bound: Bound, scene: Scene, standing: tuple[Cond, ...]) -> Cond:
    """The known facts that are related to a goal."""
    return conj(*drop_weaker(dict.fromkeys(_find_related(goal, (
        *_select_short(scene.launch.facts), *_with_leaves(bound.facts), *_short_standing(standing, scene))))))


def _bind_standing_facts(conds: tuple[Cond, ...], scene: Scene) -> tuple[Cond, ...]:
    """The facts that hold in every launch of a kernel, over the arguments of this launch."""
    return scene.recall(("standing", conds), lambda: tuple(
        c for c in (scene.bind(c).goal for c in conds) if c.op not in ("true", "false") and not any(
            isinstance(a, Opaque) and a.source is Source.LAUNCH for a in atoms_of(c))))


def _short_standing(conds: tuple[Cond, ...], scene: Scene) -> tuple[_Fact, ...]:
    """Those of it that a proof may use in reasonable time."""
    return scene.recall(("short", conds), lambda: tuple(
        (p, _leaves(p)) for c in _bind_standing_facts(conds, scene) if len(c.key) <= _LONGEST
        for p in conjuncts(simplify_truth_tests(c))))


@lru_cache(maxsize=512)
def _select_short(facts: Cond) -> tuple[_Fact, ...]:
    """The facts that a proof may use in reasonable time."""
    short = (simplify_truth_tests(f) for f in conjuncts(facts) if len(f.key) <= _LONGEST)
    return tuple((f, _leaves(f)) for f in short if f.op != "true")


def substitute_text(text: str, values: Mapping[Symbol, Term]) -> str:
    """The clause with the arguments in the place of the parameters."""
    if not values:
        return text
    terms = {a.key: term for a, term in values.items()}
    names = "|".join(re.escape(name) for name in sorted(terms, key=len, reverse=True))
    return re.sub(rf"(?<![\w.\])])(?:{names})(?![\w.\[(])", lambda found: _operand(terms[found[0]]), text)


def _operand(term: Term) -> str:
    try:
        text = render(term)
    except (ValueError, KeyError, TypeError):
        text = term.key
    return text if term.constant is not None or term.single is not None else f"({text})"


def _at_values(goal: Cond, facts: Cond) -> Iterator[list[bool]]:
    """For each scalar of the goal that the host allows few values, whether the goal follows for each of them."""
    mentioned = atoms_of(goal)
    for fact in conjuncts(facts):
        values = [_value(c) for c in (fact.args if fact.op == "or" else ())]
        names = {v[0] for v in values if v is not None}
        if None in values or len(names) != 1 or len(values) > _VALUES or not names <= mentioned:
            continue
        given = [Substitution({v[0]: const(v[1])}) for v in values if v is not None]
        yield [g.op == "true" or (g.op != "false" and is_entailed(g_facts, g, 0, _FEW))
               for case in given for g, g_facts in ((simplify_truth_tests(case.cond(goal)), case.cond(facts)),)]


def _value(c: Cond) -> tuple[Atom, int] | None:
    """The scalar and the value of `s == 3`."""
    atom = (c.term - c.term.offset).single
    return (atom, -c.term.offset) if c.op == "eq" and isinstance(atom, Symbol) else None


def _cases(goal: Cond, facts: Cond, scene: Scene) -> list[tuple[Cond, Cond]]:
    """The goal and the facts for every configuration that differs in what the goal mentions."""
    launch = scene.launch
    if not launch.cases:
        return []
    names = {a.key for a in atoms_of(goal)}
    rows = dict.fromkeys(tuple((n, v) for n, v in case if n in names) for case in launch.cases)
    if not rows or () in rows:
        return []
    # the substitutions cache results, because goals share facts
    cases: dict[tuple[tuple[str, int], ...], Substitution] = scene.recall("cases", dict)
    for row in rows:
        if row not in cases:
            cases[row] = Substitution({symbol_from_text(n): const(v) for n, v in row})
    return [(cases[row].cond(goal), cases[row].cond(facts)) for row in rows]


def _refute_everywhere(goal: Cond, facts: Cond, text: str) -> Discharge:
    """False for all values: shown with some that the launch allows."""
    relevant = cone(goal, facts)
    found = _find_typical_counterexample(goal, relevant) or find_model(conj(*relevant, negate(goal)))
    if found is None or not _confirms_counterexample(goal, relevant, found):
        return _OPEN
    return Discharge("broken", _format_values(goal, found), text)


def _refute_somewhere(
    bound: Bound, facts: Cond, cases: Sequence[tuple[Cond, Cond]], launch: Launch, text: str,
) -> Discharge:
    """The result `violated` if the clause is false for some values that callers choose. All facts related to
    these values must be understood."""
    goal = bound.goal
    relevant = cone(goal, _drop_products(facts))
    chosen = {n for case in launch.cases for n, _ in case}
    leaves = {a for value in (goal, *relevant) for a in atoms_of(value) if isinstance(a, Symbol | Opaque)}
    free = launch.free | chosen
    # there need not be a launch with these values if the grid is computed from them unseen
    if launch.computed or not all(is_free(a, free) for a in leaves):
        return _OPEN
    arrays = {a.array for a in leaves if isinstance(a, EXTENTS)}
    counts = {a.key for a in leaves if not isinstance(a, EXTENTS) and a.key not in chosen}
    if len(arrays) > 1 or (arrays and counts):
        # extents of several arrays, or one and a count that comes with it, are seldom independent, and what relates
        # them need not be written down
        return _OPEN
    for subject, known in cases:
        conds = cone(subject, _drop_products(known))
        found = _find_typical_counterexample(subject, conds) or find_model(conj(*conds, negate(subject)))
        if found is None or not _confirms_counterexample(subject, conds, found):
            return _OPEN
        values = _format_values(goal, found)
    return Discharge("violated", values, substitute_text(text, bound.values))


def _find_typical_counterexample(goal: Cond, facts: Sequence[Cond]) -> dict[Atom, int] | None:
    """A counter-example among sizes as they occur."""
    names: list[Atom] = sorted({a for value in (goal, *facts) for a in atoms_of(value) if isinstance(a, Symbol)})
    if not 1 <= len(names) <= 2:
        return None
    for values in combinations(_TYPICAL, repeat=len(names)):
        found = dict(zip(names, values, strict=True))
        if _confirms_counterexample(goal, facts, found):
            return found
    return None


def _confirms_counterexample(goal: Cond, facts: Iterable[Cond], found: Mapping[Atom, int]) -> bool:
    """Whether the values, put in, satisfy the facts and not the goal."""
    facts = list(facts)
    try:
        # the result of rounding up a number that is not positive is unknown
        return all(evaluate(a.args[0], found) >= 1 for value in (goal, *facts) for a in atoms_of(value)
                   if isinstance(a, App) and a.fn == "next_pow2") and all(
            holds(fact, found) for fact in facts) and not holds(goal, found)
    except (KeyError, ArithmeticError):
        return False


def _format_values(goal: Cond, found: Mapping[Atom, int]) -> tuple[tuple[str, int], ...]:
    shown = {a for a in atoms_of(goal) if isinstance(a, Symbol)}
    return tuple(sorted((a.key, v) for a, v in found.items() if a in shown))


def _drop_products(facts: Cond) -> Cond:
    """The facts less those that a product is positive whose factors are: they relate no factor to another."""
    parts = conjuncts(facts)
    positive = {c.term + 1 for c in parts if c.op == "ge" and (c.term + 1).single is not None}
    return conj(*(c for c in parts if not _is_product(c, positive)))


def _is_product(c: Cond, positive: Collection[Term]) -> bool:
    """`a*b >= 1`, where each of the factors is known to be positive."""
    product = c.term + 1
    if c.op != "ge" or len(product.monos) != 1:
        return False
    ((factors, times),) = product.monos.items()
    return times > 0 and len(factors) > 1 and all(of(a) in positive for a in factors)


def cone(goal: Cond, facts: Cond) -> list[Cond]:
    """The facts about what the goal mentions, and about what those facts mention."""
    return _find_related(goal, _with_leaves(facts))


def _find_related(goal: Cond, facts: Iterable[_Fact]) -> list[Cond]:
    reached = set(_leaves(goal))
    kept: list[Cond] = []
    grown = True
    while grown:
        grown = False
        rest: list[_Fact] = []
        for fact in facts:
            if reached.isdisjoint(fact[1]):
                rest.append(fact)
                continue
            kept.append(fact[0])
            grown = grown or not fact[1] <= reached
            reached |= fact[1]
        facts = rest
    return kept


@lru_cache(maxsize=1024)
def _with_leaves(facts: Cond) -> tuple[_Fact, ...]:
    return tuple((f, _leaves(f)) for f in conjuncts(facts))


@lru_cache(maxsize=1 << 14)
def _leaves(value: Cond) -> frozenset[str]:
    return frozenset(a.key for a in atoms_of(value) if isinstance(a, Symbol | Opaque))


def _decide_annotation(clause: Clause, params: Sequence[Param], launch: Launch) -> Discharge:
    """`disjoint(c, a)`, `disjoint(c)` and `integer(n)`; of other annotations a launch says nothing."""
    note = annotation_of(clause)
    decide = None if note is None else _ANNOTATIONS.get(note.name)
    if note is None or decide is None or launch.arguments is None:
        return _OPEN
    arguments = dict(zip((param.name for param in params), launch.arguments, strict=False))
    found = [arguments.get(array.root) for array in note.arrays]
    known = [argument for argument in found if argument is not None]
    return decide(*known) if len(known) == len(found) else _OPEN


def _check_arrays(first: Argument, second: Argument | None = None) -> Discharge:
    if second is None:
        return _check_disjoint(first)
    shared = overlap(first, second)
    if shared is None:
        return _OPEN
    text = f"{first.text} and {second.text}"
    return Discharge("broken", (), f"{text} are the same storage") if shared else Discharge("discharged", (), text)


def _check_integer(argument: Argument) -> Discharge:
    if argument.integral is None:
        return _OPEN
    return Discharge("discharged" if argument.integral else "broken", (), f"integer({argument.text})")


def _check_disjoint(argument: Argument) -> Discharge:
    """Whether no two elements of an array, or of the arrays of a list, share storage."""
    if argument.kind == "array":
        return Discharge("discharged", (), argument.text) if argument.dense else _OPEN
    if argument.elements is None:
        return _OPEN
    pairs = list(pairs_of(argument.elements, 2))
    shared = [overlap(a, b) for a, b in pairs]
    if True in shared:
        a, b = pairs[shared.index(True)]
        return Discharge("broken", (), f"{a.text} and {b.text} are the same storage")
    inside = all(_check_disjoint(e).state == "discharged" for e in argument.elements)
    return Discharge("discharged", (), argument.text) if inside and None not in shared else _OPEN


_ANNOTATIONS: Final[Mapping[str, Callable[..., Discharge]]] = {"disjoint": _check_arrays, "integer": _check_integer}

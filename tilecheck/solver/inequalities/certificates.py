"""The search for certificates of inequalities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice, product
from math import gcd
from typing import Final, TypeAlias

from tilecheck.solver.inequalities.assumed import NOTHING, Assumed
from tilecheck.solver.inequalities.definitions import (
    BELOW,
    LOWER,
    UPPER,
    at_least_by_itself,
    bounds_of_quotient,
)
from tilecheck.solver.inequalities.effort import Budget, FailedSearch
from tilecheck.solver.inequalities.known_facts import KnownFacts
from tilecheck.solver.inequalities.models import Model, Models, models
from tilecheck.solver.inequalities.polynomials import (
    Weighted,
    at_ones,
    atoms_in_order,
    combine,
    list_factors,
    reduce_term,
    shift_term,
    subtract_weighted,
    weight_fact,
)
from tilecheck.solver.inequalities.shapes import Shape, choices_of, parts_of, shape_of
from tilecheck.symbolic import (
    Atom,
    Cond,
    FloorDiv,
    Lane,
    Monomial,
    Substitution,
    Symbol,
    Term,
    depends_on_block,
    divide_monomial,
    ge,
    in_order,
    key_of,
    of,
)

_STAGES: Final = ((3, 24), (5, 60), (8, 120))
MOST: Final = 2
_IDLE: Final = 12
"""Steps of searches among some facts before models of them are made."""
_QUICK: Final = (3, 10)
_DEPTH: Final = 12
_NODES: Final = 260
_TOTAL: Final = 2500
_SHORT: Final = 3
"""A fact with more terms besides an atom is not used as a bound of the atom."""
_MAX_TERMS: Final = 24


@cache
def _suppose(atom: Symbol, bound: int) -> Assumed:
    """That a launch scalar is at least 0 or 1."""
    return frozenset((ge(of(atom), bound),))


@lru_cache(maxsize=1 << 13)
def _needed_by(g: Term, order: tuple[Monomial, ...], atom: Atom, bound: int) -> Term | None:
    """A short term that is >= 0 only where the fact `g >= 0` gives `atom >= bound`.

    order   that of the terms of g, which that of the result follows
    """
    scale = g.monos[(atom,)]
    rest = of(atom) * scale - bound * scale - g  # >= 0 up to rounding
    return reduce_term(rest + scale - 1) if len(rest.monos) <= _SHORT else None


_Move: TypeAlias = tuple[Term, Assumed]
"""One cancellation: `p*scale + shift` minus `fact` (already weighted), reduced, and what it assumed."""


class Facts(KnownFacts):
    """A conjunction of conditions, closed lazily under the definitions of its atoms.

    signs    whether proofs may assume the sign of launch scalars (each assumption is returned)
    """

    def __init__(
        self, conds: Iterable[Cond], mentioned: Iterable[Term] = (), *, signs: bool = True,
        budget: Budget | None = None,
    ) -> None:
        self.budget = budget or Budget(_TOTAL)
        self.tight = False
        """Whether only the sharpest bound of each definition is used, as for the residual clauses of a contract."""
        super().__init__(conds, mentioned)
        self._signs = signs
        self._quick: dict[Term, Assumed | None] = {}
        self._positive: dict[Term, Assumed] = {}
        self._memo: dict[Term, tuple[Assumed | None, int]] = {}
        self._signs_known: tuple[dict[Atom, Assumed | None], dict[Atom, Assumed | None]] = ({}, {})
        self._fits: dict[tuple[Monomial, bool], list[Weighted]] = {}
        self._cancelling: dict[tuple[Term, Monomial, bool], list[Weighted]] = {}
        self._alternatives: dict[Atom, tuple[Substitution, ...]] = {}
        self._needed_for: dict[tuple[Atom, int], list[Term]] = {}
        # Failed proofs, until something else is proved. Only answers that do not depend on the context are cached:
        # none that stopped at an open question, or because the budget was spent.
        self._unsigned: set[tuple[Atom, int]] = set()
        self._dead: dict[Term, FailedSearch] = {}
        self._stops = 0
        """How often an answer was withheld because the question is open, or no work is left."""
        self._open: set[object] = set()
        self._models: Models | None = None
        self._tried: list[Model] = []
        """Those of the models that were asked, what refuted most lately first."""
        self._all_tried = False
        self._looked = 0
        self._nodes, self._total, self._limit, self._cut = 0, 0, _NODES, False

    def with_budget(self) -> Facts:
        """The same facts, with a full budget for the next question."""
        if self.budget.left < 0:
            # a search that failed for lack of budget may succeed now: no answer may depend on earlier questions
            self._memo = {p: known for p, known in self._memo.items() if known[0] is not None}
            self._quick = {p: known for p, known in self._quick.items() if known is not None}
            for memo in self._signs_known:
                for a in [a for a, known in memo.items() if known is None]:
                    del memo[a]
        self.budget = Budget(_TOTAL)
        return self

    # --- questions ---------------------------------------------------------------------------------------------------

    def prove(self, p: Term, effort: int = MOST) -> Assumed | None:
        """The assumptions of a proof of `p >= 0`; None if no certificate was found with that effort (0 to 2)."""
        value = p.constant
        if value is not None:
            return NOTHING if value >= 0 else self._absurd()
        p = reduce_term(p)
        found, tried = self._memo.get(p, (None, -1))
        if found is not None or tried >= effort:
            return found
        if p in self._open or self.budget.left < 0:
            self._stops += 1
            return None
        outer = not self._open
        if outer:
            self._total = 0
        self._open.add(p)
        kept, out = (self._nodes, self._limit, self._cut), None
        try:
            for depth, nodes in _STAGES[tried + 1:effort + 1]:
                self._nodes, self._limit, self._cut = 0, nodes, False
                out = self._search(p, depth)
                self._total += self._nodes
                self.budget.left -= self._nodes
                if out is not None or self._total > _TOTAL or self.budget.left < 0:
                    break
                if not self._cut:
                    effort = MOST
                    break
        finally:
            self._open.discard(p)
            self._nodes, self._limit, self._cut = kept
        if outer or out is not None:
            self._memo[p] = out, effort
        if out is not None:
            self._unsigned.clear()
            self._dead.clear()
        elif self._total > _TOTAL or self.budget.left < 0:
            self._stops += 1
        return out

    def prove_quickly(self, p: Term) -> Assumed | None:
        """`prove` with little effort, for the signs of atoms: each step of a search needs many of them."""
        value = p.constant
        if value is not None:
            return NOTHING if value >= 0 else None
        p = reduce_term(p)
        known = self._memo.get(p)
        if known is not None and known[0] is not None:
            return known[0]
        if p in self._quick:
            return self._quick[p]
        if p in self._open or self.budget.left < 0:
            self._stops += 1
            return None
        kept = self._nodes, self._limit, self._cut
        self._open.add(p)
        try:
            self._nodes, self._limit = 0, _QUICK[1]
            out = self._search(p, _QUICK[0])
            self.budget.left -= self._nodes
        finally:
            self._open.discard(p)
            self._nodes, self._limit, self._cut = kept
        self._quick[p] = out
        return out

    def prove_positive(self, p: Term, effort: int = MOST) -> Assumed | None:
        """The assumptions of a proof of `p >= 1`; None if there is none."""
        value = p.constant
        if value is not None:
            return NOTHING if value >= 1 else self._absurd()
        found = self._positive.get(p)
        if found is None:
            found = self.prove(p - 1, effort)
            if found is not None:
                self._positive[p] = found
        return found

    def below(self, small: Term, bound: Term, effort: int = MOST) -> Assumed | None:
        """The assumptions of a proof of `-bound < small < bound`; None if there is none."""
        upper = self.prove(bound - 1 - small, effort)
        if upper is None:
            return None
        lower = self.prove(bound - 1 + small, effort)
        return None if lower is None else upper | lower

    def holds(self, cond: Cond, effort: int = MOST) -> Assumed | None:
        """The assumptions of a proof of a condition; None if none. An opaque condition holds only if it is a fact."""
        return _HOLDS[cond.op](self, cond, effort)

    def _holds_eq(self, cond: Cond, effort: int) -> Assumed | None:
        upper = self.prove(cond.term, effort)
        lower = None if upper is None else self.prove(-cond.term, effort)
        return None if upper is None or lower is None else upper | lower

    def _holds_ne(self, cond: Cond, effort: int) -> Assumed | None:
        if cond in self.conds:
            return NOTHING
        above = self.prove(cond.term - 1, effort)
        return above if above is not None else self.prove(-cond.term - 1, effort)

    def _holds_and(self, cond: Cond, effort: int) -> Assumed | None:
        total = NOTHING
        for part in cond.args:
            got = self.holds(part, effort)
            if got is None:
                return None
            total |= got
        return total

    def _holds_or(self, cond: Cond, effort: int) -> Assumed | None:
        if cond in self.conds:
            return NOTHING
        for part in cond.args:
            got = self.holds(part, effort)
            if got is not None:
                return got
        return None

    def _absurd(self) -> Assumed | None:
        return NOTHING if self.false else None

    # --- signs of atoms ----------------------------------------------------------------------------------------------

    def at_least(self, atom: Atom, bound: int) -> Assumed | None:
        """The assumptions of a proof of `atom >= bound`, bound 0 or 1; None if there is none."""
        memo = self._signs_known[bound]
        if atom in memo:
            return memo[atom]
        if at_least_by_itself(atom, bound):
            memo[atom] = NOTHING
            return NOTHING
        key = (atom, bound)
        if key in self._unsigned:
            return None
        if isinstance(atom, Symbol) and (atom,) not in self._with_monomial:
            # no fact gives it a bound
            if self._signs:
                memo[atom] = _suppose(atom, bound)
                return memo[atom]
            if self._open:
                self._unsigned.add(key)
            else:
                memo[atom] = None
            return None
        if key in self._open:
            self._stops += 1
            return None
        stops, nodes, looked, total, left = self._stops, self._nodes, self._looked, self._total, self.budget.left
        self._open.add(key)
        try:
            out = self._sign(atom, bound)
        finally:
            self._open.discard(key)
        if out is not None or not self._open:
            memo[atom] = out
        elif (stops == self._stops and nodes == self._nodes and looked == self._looked and total == self._total
              and left == self.budget.left):
            # no work was done: asked again, it comes out the same
            self._unsigned.add(key)
        return out

    def _sign(self, atom: Atom, bound: int) -> Assumed | None:
        known = LOWER.get(type(atom))
        if known is not None:
            got = known(self, atom, bound)
            if got is not None:
                return got
        # p >= bound straight from one fact with the atom in it
        for needed in self._find_needed(atom, bound):
            got = self._accept(needed)
            if got is not None:
                return got
        product = self._in_product(atom)
        if product is not None:
            return product
        return _suppose(atom, bound) if self._signs and isinstance(atom, Symbol) else None

    def _find_needed(self, atom: Atom, bound: int) -> Iterable[Term]:
        """For each fact `scale*atom >= ...`, a short term that is >= 0 only where the fact gives `atom >= bound`."""
        known = self._needed_for.get((atom, bound))
        if known is None:
            known = []
            for _, _, g in self._with_monomial.get((atom,), ()):
                if g.monos[(atom,)] > 0 and len(g.monos) <= _SHORT + 2:
                    needed = _needed_by(g, tuple(g.monos), atom, bound)
                    if needed is not None:
                        known.append(needed)
            self._needed_for[atom, bound] = known
        return known

    def _in_product(self, atom: Atom) -> Assumed | None:
        """a*r - x - 1 >= 0 with r, x >= 0 gives a >= 1: a bound that something stays below is not empty."""
        if isinstance(atom, Symbol):
            return None
        for others in self._products.get(atom, ()):
            got = self._nonnegative(others)
            if got is not None:
                return got
        return None

    # --- search ------------------------------------------------------------------------------------------------------

    def _search(self, p: Term, depth: int) -> Assumed | None:
        nodes = self._nodes = self._nodes + 1
        if nodes > self._limit or self._total > _TOTAL or depth == 0:
            self._cut = True
            return None
        shape = shape_of(p)
        if shape.large:
            self._cut = True
            return None
        vain = self._dead.get(p)
        if vain is not None and (depth == vain.depth or (depth > vain.depth and not vain.cut)) and self._charge(vain):
            return None
        stops, cut, self._cut = self._stops, self._cut, False
        looked, total, left = self._looked, self._total, self.budget.left
        out = self._step(p, shape, depth)
        if out is None and stops == self._stops and self._nodes <= self._limit and self._total <= _TOTAL:
            self._dead[p] = FailedSearch(
                depth, self._cut, self._nodes - nodes, self._looked - looked, self._total - total,
                self.budget.left - left)
        self._cut |= cut
        return out

    def _charge(self, vain: FailedSearch) -> bool:
        """Count the work of a search that is not repeated; False where there is not enough left for it."""
        nodes, total, left = self._nodes + vain.nodes, self._total + vain.total, self.budget.left + vain.left
        if nodes > self._limit or total > _TOTAL or left < 0:
            return False
        self._nodes, self._total, self.budget.left = nodes, total, left
        self._looked += vain.looked
        self._cut |= vain.cut
        return True

    def _step(self, p: Term, shape: Shape, depth: int) -> Assumed | None:
        if shape.signed or not shape.lowest:
            done = self._accept(p, shape)
            if done is not None:
                return done
        if self._is_refuted(p):
            return None
        bad = self._choose_monomial(p, shape)
        if bad is None:
            return None
        for rest, assumed in self._moves(p, shape, bad):
            got = self._follow(rest, assumed, depth)
            if got is not None:
                return got
        return self._split(p, depth) if shape.choices else None

    def _is_refuted(self, p: Term) -> bool:
        """Whether `p >= 0` is known to fail in some launch: no proof of it need be looked for."""
        self._looked += 1
        if self._looked < _IDLE:
            return False
        if self._models is None:
            self._models = models(self.conds, self._signs)
        tried = self._tried
        for i, model in enumerate(tried):
            if model.falsifies(p):
                if i:
                    tried.insert(0, tried.pop(i))
                return True
        while not self._all_tried:
            new = self._models.at(len(tried))
            if new is None:
                self._all_tried = True
                break
            refuted = new.falsifies(p)
            tried.insert(0 if refuted else len(tried), new)
            if refuted:
                return True
        return False

    def _follow(self, rest: Term, assumed: Assumed, depth: int) -> Assumed | None:
        """The proof of the remainder after a move, with the assumptions of the move."""
        value = rest.constant
        if value is not None:
            return assumed if value >= 0 else None
        got = self._search(rest, depth - 1)
        return None if got is None else got | assumed

    def _accept(self, p: Term, shape: Shape | None = None) -> Assumed | None:
        """p >= 0 because no coefficient is negative, after replacing atoms known or assumed >= 1 by `1 + a`."""
        if shape is None:
            shape = shape_of(p)
        if not shape.lowest:
            plain = self._nonnegative(atoms_in_order(p))
            if plain is not None:
                return plain
        return self._accept_shifted(p, shape) if shape.signed else None

    def _accept_shifted(self, p: Term, shape: Shape) -> Assumed | None:
        used = NOTHING
        shift: set[Atom] = set()
        zero, one = self._signs_known
        for a in atoms_in_order(p):
            got = one[a] if a in one else self.at_least(a, 1)
            if got is not None:
                shift.add(a)
            else:
                got = zero[a] if a in zero else self.at_least(a, 0)
                if got is None:
                    return None
            if got:
                used |= got
        # signs are proved in any case, so that the result does not depend on this shortcut
        if not shape.shiftable or at_ones(p, shift) < 0 or min(shift_term(p, shift).values(), default=0) < 0:
            return None
        return self._drop_needless(p, shift, used)

    def _drop_needless(self, p: Term, shift: set[Atom], used: Assumed) -> Assumed:
        """Drop the assumption `a >= 1` in favour of `a >= 0` for atoms that need no more."""
        for a in sorted(shift, key=key_of):
            if not self.at_least(a, 1) or self.at_least(a, 0) is None:
                # nothing is assumed, or `a >= 0` is what is being shown
                continue
            fewer = shift - {a}
            if min(shift_term(p, fewer).values(), default=0) >= 0:
                shift = fewer
        total = NOTHING
        for a in atoms_in_order(p):
            got = self.at_least(a, 1 if a in shift else 0)
            if got is None:
                return used
            total |= got
        return total

    def _nonnegative(self, atoms: Iterable[Atom]) -> Assumed | None:
        used = NOTHING
        known = self._signs_known[0]
        for a in atoms:
            got = known[a] if a in known else self.at_least(a, 0)
            if got is None:
                return None
            if got:
                used |= got
        return used

    def _choose_monomial(self, p: Term, shape: Shape, varying_only: bool = False) -> Monomial | None:
        """The monomial to cancel next: block-dependent ones first, then the largest."""
        harmless: set[Monomial] = set()
        known = self._signs_known[0]
        for m, c in p.monos.items():
            if c > 0 and not (varying_only and not depends_on_block(m)):
                for a in m:
                    if (known[a] if a in known else self.at_least(a, 0)) is None:
                        break
                else:
                    harmless.add(m)
        for m, varying in shape.ranked:
            if varying_only and not varying:
                return None
            if m not in harmless:
                return m
        return None

    def _moves(self, p: Term, shape: Shape, m: Monomial) -> Iterator[_Move]:
        c = p.monos[m]
        negative = c < 0
        if not m:
            yield from self._outweigh(p)
            return
        lanes, others = parts_of(m)
        bounds = UPPER if negative else BELOW
        for lane in lanes if Lane in bounds else ():
            yield from self._by_definition(p, m, lane, negative)
        uniform = not depends_on_block(m)
        open_now = shape.open_terms
        sideways: list[_Move] = []
        for fact in self._fitting(m, negative):
            signs = self._nonnegative(fact[0]) if fact[0] else NOTHING
            if signs is None:
                continue
            rest = subtract_weighted(p, c, fact)
            change = -1 if uniform else shape_of(rest).open_terms - open_now
            if change < 0:
                yield rest, signs
            elif change == 0:
                sideways.append((rest, signs))
        for a in others:
            if type(a) in bounds:
                yield from self._by_definition(p, m, a, negative)
        # a fact that brings in as much as it cancels may still name the same thing otherwise; one that brings in more
        # leads nowhere
        yield from sideways

    def _fitting(self, m: Monomial, negative: bool) -> list[Weighted]:
        """The facts that may cancel a monomial of that sign, weighted to have it."""
        found = self._fits.get((m, negative))
        if found is None:
            known = self._with_monomial
            places = [(i, j, factor) for factor in list_factors(m) if factor in known for i, j, _ in known[factor]]
            if len(places) > 1:
                places.sort()
            found = self._fits[m, negative] = [
                fact for i, _, factor in places if (fact := weight_fact(self._ge[i], factor, m, negative)) is not None]
        return found

    def _outweigh(self, p: Term) -> Iterator[_Move]:
        """A negative constant against a lower bound of one of the positive terms: `n - 2` by `n - 3 >= 0`."""
        for g in self._ge:
            if g.offset < 0:
                for gm, gc in g.monos.items():
                    if gm and gc > 0 and p.monos.get(gm, 0) > 0:
                        c = p.monos[gm]
                        common = gcd(c, gc)
                        yield reduce_term(combine(p, gc // common, (), c // common, g)), NOTHING

    def _by_definition(self, p: Term, m: Monomial, a: Atom, negative: bool) -> Iterator[_Move]:
        if negative and isinstance(a, FloorDiv):
            yield from self._scale(p, m, a)
        for g, assumed in (UPPER if negative else BELOW)[type(a)](self, a):
            yield from self._cancel(p, m, g, assumed, negative)

    def _cancel(self, p: Term, m: Monomial, g: Term, assumed: Assumed, negative: bool) -> Iterator[_Move]:
        """`p*k - w*g` for the weights w that cancel `m`; w is a monomial of atoms >= 0."""
        known = self._cancelling.get((g, m, negative))
        if known is None:
            known = self._cancelling[g, m, negative] = [
                fact for factor in g.monos if factor and (fact := weight_fact(g, factor, m, negative)) is not None]
        for fact in known:
            signs = self._nonnegative(fact[0]) if fact[0] else NOTHING
            if signs is not None:
                yield subtract_weighted(p, p.monos[m], fact), assumed | signs if signs else assumed

    def _scale(self, p: Term, m: Monomial, a: FloorDiv) -> Iterator[_Move]:
        """p >= 0 iff w*(p + 1) - 1 >= 0 for any w >= 1; w completes the divisor of a quotient in `m`."""
        if len(a.den.monos) != 1:
            lowered = self.prove_positive(a.den)
            if lowered is None:
                return
            # with a divisor that is a sum, weight by the whole divisor
            scaled = (p + 1) * a.den - 1
            if len(scaled.monos) <= _MAX_TERMS:
                g = bounds_of_quotient(a)[0]
                c = -p.monos[m]
                weight = divide_monomial(m, (a,))
                if weight is not None:
                    signs = self._nonnegative(weight)
                    if signs is not None:
                        yield reduce_term(scaled - Term({weight: c}) * g), lowered | signs
            return
        ((dm, factor),) = a.den.monos.items()
        around = divide_monomial(m, (a,))
        if around is None:
            return
        missing = list(dm)
        for x in around:
            if x in missing:
                missing.remove(x)
        if not missing and divide_monomial(around, dm) is not None and factor <= 1:
            return
        assumed = NOTHING
        for x in missing:
            got = self.at_least(x, 1)
            if got is None:
                return
            assumed |= got
        lowered = self.prove_positive(a.den)
        if lowered is None:
            return
        # with the factor in the weight, what rounding down leaves is not lost
        w = Term({in_order(tuple(missing)): max(factor, 1)})
        scaled = (p + 1) * w - 1
        target = in_order(m + tuple(missing))
        if scaled.monos.get(target, 0) < 0:
            yield from self._cancel(scaled, target, bounds_of_quotient(a)[0], assumed | lowered, True)

    def _split(self, p: Term, depth: int) -> Assumed | None:
        for _, cases in self._cases(p):
            total = NOTHING
            for case in cases:
                got = self._follow(reduce_term(case.term(p)), NOTHING, depth)
                if got is None:
                    break
                total |= got
            else:
                return total
        return None

    def _cases(self, p: Term) -> Iterator[tuple[Atom, tuple[Substitution, ...]]]:
        """Atoms that equal one of a few terms: it is enough that p >= 0 for each of them."""
        for a in atoms_in_order(p):
            choices = choices_of(a)
            if choices:
                known = self._alternatives.get(a)
                if known is None:
                    known = self._alternatives[a] = tuple(Substitution({a: value}) for value in choices)
                yield a, known

    # --- residuals ---------------------------------------------------------------------------------------------------

    def residuals(self, p: Term, limit: int = 6) -> list[tuple[tuple[Term, ...], Assumed]]:
        """Sets of inequalities over launch scalars, each of which would prove `p >= 0`; simplest first."""
        found: dict[tuple[Term, ...], Assumed] = {}
        self._nodes, self.tight = 0, True
        if self.budget.left < 0:
            return []
        for terms, assumed in self._leaves(reduce_term(p), _DEPTH, limit * 4):
            key = tuple(sorted(set(terms), key=lambda t: t.key))
            if key not in found:
                found[key] = assumed
            if len(found) >= limit * 3:
                break
        self.budget.left -= self._nodes
        self.tight = False
        ranked = sorted(found.items(), key=lambda item: (
            len(item[0]), sum(len(t.monos) for t in item[0]), sum(len(t.key) for t in item[0])))
        return ranked[:limit]

    def _leaves(self, p: Term, depth: int, limit: int) -> Iterator[tuple[tuple[Term, ...], Assumed]]:
        self._nodes += 1
        if self._nodes > _NODES or depth == 0 or limit <= 0:
            return
        shape = shape_of(p)
        if shape.large:
            return
        value = p.constant
        if value is not None:
            if value >= 0:
                yield (), NOTHING
            return
        bad = self._choose_monomial(p, shape, varying_only=True)
        if bad is None:
            done = self.prove(p)
            if done is not None:
                yield (), done
            else:
                # block-dependent terms that are left have positive coefficients and are >= 0: the rest is enough
                rest = Term({m: c for m, c in p.monos.items() if not depends_on_block(m)})
                dropped = {a for m in p.monos if depends_on_block(m) for a in m}
                signs = self._nonnegative(sorted(dropped))
                if signs is not None and rest.constant is None:
                    yield (reduce_term(rest),), signs
            return
        for rest, signs in self._moves(p, shape, bad):
            for terms, assumed in self._leaves(rest, depth - 1, limit - 1):
                yield terms, assumed | signs
        for a, cases in self._cases(p) if shape.choices else ():
            if not a.varying:
                continue
            parts = [reduce_term(case.term(p)) for case in cases]
            options = [list(islice(self._leaves(part, depth - 1, limit // 2), 4)) for part in parts]
            for combination in islice(product(*options), 8):
                yield tuple(t for ts, _ in combination for t in ts), frozenset().union(*(x for _, x in combination))


_HOLDS: Final[Mapping[str, Callable[[Facts, Cond, int], Assumed | None]]] = {
    "true": lambda f, c, effort: NOTHING,
    "false": lambda f, c, effort: f._absurd(),
    "ge": lambda f, c, effort: f.prove(c.term, effort),
    "eq": Facts._holds_eq,
    "ne": Facts._holds_ne,
    "bool": lambda f, c, effort: NOTHING if c in f.conds else None,
    "and": Facts._holds_and,
    "or": Facts._holds_or,
}

"""Obligation `padding`: no lane that a load leaves unspecified makes a difference. One for each such load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tilecheck.kernel.access import Access
from tilecheck.kernel.undefined import Edge, Observation, literals
from tilecheck.proof.facts import Assumed, Facts
from tilecheck.proof.region import Clause, Verdict
from tilecheck.proof.search import find_point, satisfiable
from tilecheck.proof.terms import (
    FALSE,
    Cond,
    Counter,
    Mod,
    Opaque,
    Sym,
    Term,
    atoms_in,
    atoms_of,
    conj,
    enforceable,
    eq,
    ge,
    le,
    mod,
    negate,
    split_multiples,
)
from tilecheck.rules.context import Context, clause_of
from tilecheck.rules.minimal import minimal
from tilecheck.rules.obligation import WEAKEST_FIRST, Settled, weakest

__all__ = ["CODE", "settle_padding"]

CODE: Final = "TC301"
EFFORT: Final = 1
ALTERNATIVES: Final = 6
"""Cases of a condition that are looked at one by one."""
OBSERVED: Final = 24
"""Observations of one load after which the rest is not looked at any more."""


def settle_padding(context: Context) -> Iterator[Settled]:
    """One obligation for each load of a tile that leaves its padding unspecified."""
    paddings = context.model.paddings
    by_source: dict[str, list[Observation]] = {}
    for o in paddings.observations:
        by_source.setdefault(o.undefined.edge.source, []).append(o)
    lost = dict(paddings.lost)
    sites = context.by_site(a for a in context.model.accesses if a.unspecified)
    for site in sorted(sites):
        access = sites[site][0]
        why = lost.get(access.unspecified) or lost.get("*")
        yield _Load(context, access).settled(by_source.get(access.unspecified, []), why)


@dataclass(frozen=True)
class _Outcome:
    """What is known of one use: `clauses` are what it rests on."""

    verdict: Verdict
    why: str
    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True)
class _Load:
    """One load, and what its edges need."""

    context: Context
    access: Access

    def settled(self, observations: list[Observation], lost: str | None) -> Settled:
        outcomes: list[tuple[_Outcome, Observation]] = []
        distinct = dict.fromkeys(observations)
        for o in list(distinct)[:OBSERVED]:
            outcomes.append((self._judged(o), o))
        verdicts = [o.verdict for o, _ in outcomes]
        if lost is not None or len(distinct) > OBSERVED:
            verdicts.append("unproven")
        verdict = weakest(tuple(verdicts))
        clauses = minimal(tuple(dict.fromkeys(c for o, _ in outcomes for c in o.clauses)))
        open_ = [(o, use) for o, use in outcomes if o.verdict != "proved"]
        if verdict == "refuted":
            open_ = [(o, use) for o, use in open_ if o.verdict == "refuted"]
        return Settled(
            "padding", self.access, verdict, self._why(verdict, outcomes, lost), CODE,
            clauses=() if verdict == "refuted" else clauses, uses=tuple((use, o.clauses) for o, use in open_),
            assumed=self.context.uniform)

    def _why(self, verdict: Verdict, outcomes: list[tuple[_Outcome, Observation]], lost: str | None) -> str:
        ranked = sorted((o for o, _ in outcomes), key=lambda o: WEAKEST_FIRST.index(o.verdict))
        if verdict == "unproven" and lost is not None and not (ranked and ranked[0].verdict == "unproven"):
            return f"where the lanes go is not followed: {lost}"
        if ranked:
            return ranked[0].why
        return lost if lost is not None else "no lane outside the array makes a difference"

    # --- one use -----------------------------------------------------------------------------------------------------

    def _judged(self, o: Observation) -> _Outcome:
        edge = o.undefined.edge
        known = self._defined(edge)
        if known is not None:
            return _Outcome("proved", "the tile lies inside the array", _signs(known))
        if o.undefined.blurred:
            return _Outcome("unproven", "which lanes of the tile get here is not followed")
        parts = o.undefined.where.args if o.undefined.where.op == "or" else (o.undefined.where,)
        if len(parts) > ALTERNATIVES:
            return _Outcome("unproven", "too many conditions to look at")
        outcomes = [self._alternative(o, part) for part in parts]
        verdict = weakest(tuple(x.verdict for x in outcomes))
        worst = next(x for x in outcomes if x.verdict == verdict)
        clauses = tuple(dict.fromkeys(c for x in outcomes for c in x.clauses))
        return _Outcome(verdict, worst.why, clauses if verdict != "unproven" else worst.clauses)

    def _alternative(self, o: Observation, where: Cond) -> _Outcome:
        undefined = conj(o.undefined.outside, where)
        whole = conj(undefined, o.guard, *self.context.assume)
        if whole.op == "false":
            return _Outcome("proved", "the conditions exclude each other")
        sums = list(_sums(undefined, o.guard))
        if any((s.constant or 0) < 0 for s in sums):
            return _Outcome("proved", "the conditions exclude each other")
        agree = next((c for s in sums if (c := _agreement(s)) is not None), None)
        if agree is not None and self._holds_already(agree):
            return _Outcome("proved", "nothing outside is used", ())
        refuted = self._contradiction(o, undefined)
        if refuted is not None:
            return _Outcome("proved", "nothing outside is used", _signs(refuted))
        if agree is not None:
            return _Outcome("proved", "nothing outside is used where the extents agree", (clause_of(agree, False),))
        candidates = list(self._candidates(o.undefined.edge, sums))
        for cond in candidates:
            if not self._possible(cond):
                continue
            if o.how == "store" and self._of_extents(cond):
                return _Outcome("proved", "nothing outside is stored where the extents agree", (clause_of(cond, False),))
            return _Outcome("conditional", "nothing outside is used under a condition", (clause_of(cond, True),))
        return self._open(o, undefined, bool(candidates))

    def _of_extents(self, cond: Cond) -> bool:
        """Whether a condition is about extents of arrays and tiles alone: that arrays which are copied from one to the
        other fit together is not what an author has to be told."""
        return all(".shape[" in a.name or a.name in self.context.tiles for a in atoms_of(cond) if isinstance(a, Sym))

    def _holds_already(self, cond: Cond) -> bool:
        return self._declared.holds(cond, EFFORT) is not None

    @cached_property
    def _declared(self) -> Facts:
        return Facts(self.context.uniform, signs=False)

    def _contradiction(self, o: Observation, undefined: Cond) -> Assumed | None:
        """What must be assumed for the lane not to be undefined where it is used."""
        mine = literals(undefined)
        for k, c in enumerate(mine):
            if c.op not in ("ge", "eq", "ne", "bool"):
                continue
            others = (*(x for i, x in enumerate(mine) if i != k), o.guard, *self.context.assume)
            facts = Facts(others, [c.term])
            got = facts.holds(negate(c), EFFORT)
            if got is not None and self._sizes(got, o.undefined.edge):
                return got
        return None

    def _sizes(self, assumed: Assumed, edge: Edge) -> bool:
        """Whether signs are assumed of sizes alone: of a flag, a proof for one value says nothing of the other."""
        sizes = atoms_in(edge.start, edge.tile, edge.end)
        return all(a in sizes or ".shape[" in a.name or a.name in self.context.tiles
                   for c in assumed for a in atoms_of(c) if isinstance(a, Sym))

    def _candidates(self, edge: Edge, sums: list[Term]) -> Iterator[Cond]:
        """Conditions on launch scalars under which nothing outside is used; the most telling one first."""
        for s in sums:
            cond = ge(-s - 1, 0)
            if not cond.varying and cond is not FALSE and enforceable(cond) and _compares(cond):
                yield cond
        clause = self._edge_clause(edge)
        if clause is not None:
            yield clause

    def _edge_clause(self, edge: Edge) -> Cond | None:
        """A condition on launch scalars under which no tile of the load reaches over the edge."""
        room = ge(edge.end - edge.start - edge.tile, 0)
        if not room.varying and enforceable(room) and room.op != "false":
            return room
        whole = eq(mod(edge.end, edge.tile), 0)
        if _aligned(edge) and not whole.varying and enforceable(whole) and whole.op != "false":
            return whole
        if edge.tile.varying or edge.end.varying:
            return None
        for terms, _ in self._facts.residuals(room.term, 2) if room.op == "ge" else ():
            conds = [ge(t, 0) for t in terms]
            if len(conds) == 1 and enforceable(conds[0]) and conds[0].op == "ge":
                return conds[0]
        return None

    @cached_property
    def _facts(self) -> Facts:
        return Facts((self.access.region.guard, *self.context.assume))

    def _defined(self, edge: Edge) -> Assumed | None:
        """What must be assumed for no tile of the load to reach over an edge."""
        cache = self._cache
        if edge not in cache:
            room = edge.end - edge.start - edge.tile
            got = frozenset[Cond]() if (room.constant or -1) >= 0 or room.constant == 0 else None
            if got is None and _aligned(edge):
                got = self._facts.holds(eq(mod(edge.end, edge.tile), 0), EFFORT)
            if got is None and room.constant is None:
                got = self._facts.prove(room, EFFORT)
            cache[edge] = got if got is not None and self._sizes(got, edge) else None
        return cache[edge]

    @cached_property
    def _cache(self) -> dict[Edge, Assumed | None]:
        return {}

    def _possible(self, cond: Cond) -> bool:
        """Whether some launch with several blocks satisfies a condition. Some extent is a multiple of any tile."""
        context = self.context
        if cond.op == "eq" and isinstance(cond.term.single, Mod):
            return True
        axes = context.axes_of(self.access.region)
        return satisfiable(conj(cond, *context.uniform), axes, tiles=context.tiles) is not None

    def _open(self, o: Observation, undefined: Cond, helped: bool) -> _Outcome:
        """No condition on the launch helps: refuted where that is seen in numbers."""
        made = conj(undefined, o.guard)
        atoms = atoms_in(made)
        certain = o.exact and not helped and not any(isinstance(a, Opaque) and not a.uniform for a in atoms) and not any(
            isinstance(a, Counter) and a.name not in self.access.loops for a in atoms)
        if certain:
            point = find_point(made, self.context.axes_of(self.access.region), conj(*self.context.uniform))
            if point is not None:
                return _Outcome("refuted", "a lane outside the array is used")
        return _Outcome("unproven", "no proof was found that nothing outside the array is used")


def _signs(assumed: Iterable[Cond]) -> tuple[Clause, ...]:
    return tuple(clause_of(c, False) for c in sorted(assumed, key=lambda c: c.key))


def _aligned(edge: Edge) -> bool:
    """Whether tiles begin at multiples of their extent, counted from where the array begins."""
    if edge.tile.varying or not edge.tile.monos:
        return False
    return not split_multiples(edge.start, edge.tile)[1].monos


def _sums(undefined: Cond, guard: Cond) -> Iterator[Term]:
    """Terms that are not negative where a lane is undefined and used: sums of two comparisons whose lanes and block
    coordinates cancel."""
    mine = [c.term for c in literals(undefined) if c.op == "ge"]
    theirs = [c.term for c in literals(guard) if c.op == "ge"]
    for k, a in enumerate(mine):
        for b in (*mine[k + 1:], *theirs):
            total = a + b
            if not total.varying:
                yield total


def _agreement(total: Term) -> Cond | None:
    """`a.shape[i] <= b.shape[j]`, when that is what makes a sum negative."""
    if total.offset != -1 or len(total.monos) != 3:
        return None
    small = [m for m, c in total.monos.items() if m and c == 1]
    large = [m for m, c in total.monos.items() if m and c == -1]
    if len(small) != 1 or len(large) != 1 or len(small[0]) != 1 or len(large[0]) != 1:
        return None
    if not all(isinstance(m[0], Sym) and ".shape[" in m[0].name for m in (small[0], large[0])):
        return None
    return le(Term({small[0]: 1}), Term({large[0]: 1}))


def _compares(cond: Cond) -> bool:
    """Whether a condition says something of an extent, and not that there is nothing to do."""
    return any(isinstance(a, Sym) and ".shape[" in a.name and cond.term.monos.get((a,), 0) > 0 for a in atoms_of(cond))

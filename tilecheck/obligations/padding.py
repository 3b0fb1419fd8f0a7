"""Obligation `padding`: no lane that a load leaves unspecified makes a difference. One for each such load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.poison.sources import Edge, Observation, lanes_in
from tilecheck.obligations.contract_minimize import minimal
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation, find_weakest
from tilecheck.obligations.query import Context, clause_of
from tilecheck.obligations.reasons import Cause, because
from tilecheck.solver.inequalities import Assumed, Facts, conjuncts
from tilecheck.solver.model_search import find_point, satisfiable
from tilecheck.symbolic import (
    EXTENTS,
    FALSE,
    TRUE,
    ZERO,
    App,
    Array,
    Cond,
    Counter,
    Extent,
    FloorDiv,
    GridDim,
    Item,
    Load,
    Min,
    Mod,
    Opaque,
    Scalar,
    Stride,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    cdiv,
    conj,
    const,
    disj,
    enforceable,
    eq,
    ge,
    le,
    lt,
    mod,
    negate,
    of,
    split_multiples,
)
from tilecheck.symbolic.footprint import Clause, Verdict
from tilecheck.symbolic.steps import Reason

__all__ = ["CODE", "decide_padding"]

CODE: Final = "TC301"
EFFORT: Final = 1
ALTERNATIVES: Final = 12
"""Cases of a condition that are looked at one by one."""
FLAGS: Final = 6
GOALS: Final = 2
"""Comparisons of lanes of which one is shown to fail."""
OBSERVED: Final = 24
"""Observations of one load after which the rest is not looked at any more."""


def decide_padding(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each load of a tile that leaves its padding unspecified."""
    paddings = context.model.paddings
    by_source: dict[str, list[Observation]] = {}
    for o in paddings.observations:
        by_source.setdefault(o.undefined.edge.source, []).append(o)
    lost = dict(paddings.lost)
    edges: dict[str, list[Edge]] = {}
    for edge in paddings.edges:
        edges.setdefault(edge.source, []).append(edge)
    sites = context.by_site(a for a in context.model.accesses if a.unspecified)
    for site in sorted(sites):
        first, *_ = options = tuple(sites[site])
        construct = lost.get(first.unspecified) or lost.get("*")
        mine = () if "*" in lost else tuple(edges.get(first.unspecified, ()))
        yield _Load(context, first, options, mine).decide(by_source.get(first.unspecified, []), construct)


_WHOLE: Final = because(Cause.WHOLE_TILES)


class _Outcome(Struct, frozen=True):
    """The result for one use. The verdict depends on `clauses`."""

    verdict: Verdict
    reason: Reason
    clauses: tuple[Clause, ...] = ()


@dataclass
class _Cache:
    """Cached results for one load; each is computed on first use."""

    declared: Facts | None = None
    stored: tuple[Cond, ...] | None = None
    tried: dict[object, Assumed | None] = field(default_factory=dict)
    missing: dict[Edge, tuple[Cond, ...]] = field(default_factory=dict)
    known: dict[Array, Facts] = field(default_factory=dict)
    proofs: dict[Edge, Assumed | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Load:
    """One load, and what its edges need.

    options  the access of each array that it may be a load from; `access` is the first
    edges    all edges over which its tile may reach; empty if some may be missing
    """

    context: Context
    access: Access
    options: tuple[Access, ...]
    edges: tuple[Edge, ...]
    _cache: _Cache = field(default_factory=_Cache, init=False, repr=False, compare=False)

    def decide(self, observations: list[Observation], lost: str | None) -> DecidedObligation:
        outcomes: list[tuple[_Outcome, Observation]] = []
        distinct = dict.fromkeys(observations)
        for o in list(distinct)[:OBSERVED]:
            found = self._decide_use(o)
            if found.verdict == "unproven":
                found = self._require_whole_tiles((o.undefined.edge,), o.guard) or found
            outcomes.append((found, o))
        if lost is not None or len(distinct) > OBSERVED:
            under = [a.under for a in self.options]
            rest = self._require_whole_tiles(self.edges, under[0] if len(under) == 1 else TRUE)
        else:
            rest = _Outcome("proved", because(Cause.NO_LANE_MATTERS))
        unseen = rest or _Outcome("unproven", because(Cause.USE_OPEN))
        verdict = find_weakest((*(o.verdict for o, _ in outcomes), unseen.verdict))
        clauses = minimal(tuple(dict.fromkeys(c for o in (*(x for x, _ in outcomes), unseen) for c in o.clauses)))
        # of lanes that are not followed it is not known that a use needs the clauses
        open_ = [(o, use) for o, use in outcomes if o.verdict != "proved" and o.reason != _WHOLE]
        if verdict == "refuted":
            open_ = [(o, use) for o, use in open_ if o.verdict == "refuted"]
        return DecidedObligation(
            "padding", self.access, verdict, self._reason(verdict, outcomes, lost, rest), CODE,
            clauses=() if verdict == "refuted" else clauses, uses=tuple((use, o.clauses) for o, use in open_),
            assumed=self.context.uniform)

    def _reason(
        self, verdict: Verdict, outcomes: list[tuple[_Outcome, Observation]], lost: str | None, rest: _Outcome | None,
    ) -> Reason:
        if rest is not None and rest.verdict == verdict and rest.reason == _WHOLE:
            return rest.reason
        ranked = sorted((o for o, _ in outcomes), key=lambda o: WEAKEST_FIRST.index(o.verdict))
        if verdict == "unproven" and lost is not None and not (ranked and ranked[0].verdict == "unproven"):
            return because(Cause.LANES_NOT_FOLLOWED, lost)
        if ranked:
            return ranked[0].reason
        return because(Cause.NO_LANE_MATTERS) if lost is None else because(Cause.LANES_LOST, lost)

    def _require_whole_tiles(self, edges: tuple[Edge, ...], guard: Cond) -> _Outcome | None:
        """The outcome under clauses by which no tile reaches over these edges, so that no lane is undefined wherever
        it goes; None without such clauses.

        A tile that begins at a multiple of its extent needs an extent of the array that it divides: the obligation on
        bounds has it begin inside. The clauses hold for all launches in which the guard can.

        guard  the path condition of the use, or of the load
        """
        under = sorted({f for f in _flags(guard) if not _names(f) & self.context.tiles}, key=lambda c: c.key)[:FLAGS]
        clauses: list[Clause] = []
        for edge in edges:
            known = self._prove_inside(edge)
            if known is not None:
                clauses += _signs(known)
                continue
            found = next((c for c in self._edge_clauses(edge) if all(map(self._is_satisfiable, c))), None)
            if found is None:
                return None
            clauses += [clause_of(disj(*(negate(f) for f in under), c), True) for c in found]
        if not edges:
            return None
        verdict: Verdict = "conditional" if any(c.kind == "semantic" for c in clauses) else "proved"
        return _Outcome(verdict, _WHOLE, tuple(dict.fromkeys(clauses)))

    # --- one use -----------------------------------------------------------------------------------------------------

    def _decide_use(self, o: Observation) -> _Outcome:
        edge = o.undefined.edge
        known = self._prove_inside(edge)
        if known is not None:
            return _Outcome("proved", because(Cause.TILE_INSIDE), _signs(known))
        if o.undefined.blurred:
            return _Outcome("unproven", because(Cause.LANES_MIXED))
        parts = _cases(o.undefined.where)
        if parts is None:
            return _Outcome("unproven", because(Cause.TOO_MANY_CONDITIONS))
        if not parts:
            return _Outcome("proved", because(Cause.CONDITIONS_EXCLUDE))
        found = [self._alternative(o, part) for part in parts]
        outcomes = [x for x, _ in found]
        verdict = find_weakest(tuple(x.verdict for x in outcomes))
        worst = next(x for x in outcomes if x.verdict == verdict)
        clauses = [c for x in outcomes for c in x.clauses]
        # what one condition is for needs to hold only under the flags that all of its cases stand under
        needed: dict[tuple[Cond, bool], frozenset[Cond]] = {}
        for part, (_, needs) in zip(parts, found, strict=True):
            for need in needs:
                flags = frozenset(f for f in _flags(conj(part, o.guard)) if not _names(f) & self.context.tiles)
                needed[need] = needed.get(need, flags) & flags
        for (cond, semantic), flags in needed.items():
            under = sorted(flags, key=lambda c: c.key)[:FLAGS]
            clauses.append(clause_of(disj(*(negate(f) for f in under), cond), semantic))
        return _Outcome(verdict, worst.reason, tuple(dict.fromkeys(clauses)))

    def _alternative(self, o: Observation, where: Cond) -> tuple[_Outcome, tuple[tuple[Cond, bool], ...]]:
        """One case of a use, and the conditions that it needs besides, each with whether it is semantic."""
        undefined = conj(o.undefined.outside, where)
        whole = conj(undefined, o.guard, *self.context.assume)
        if whole.op == "false":
            return _Outcome("proved", because(Cause.CONDITIONS_EXCLUDE)), ()
        sums = list(_sums(undefined, o.guard))
        if any((s.constant or 0) < 0 for s, _ in sums):
            return _Outcome("proved", because(Cause.CONDITIONS_EXCLUDE)), ()
        plain = [s for s, assumed in sums if not assumed]
        agree = next((c for s in plain if (c := _agreement(s)) is not None), None)
        if agree is None and o.how == "store":
            agree = next((c for s in plain if (c := _fits(s, o.undefined.edge)) is not None), None)
        if agree is not None:
            known = self._holds_already(agree)
            return _Outcome("proved", because(Cause.USES_NONE_WITH_EXTENTS)), () if known else (
                (agree, False),)
        refuted = self._contradiction(o, undefined)
        if refuted is not None:
            return _Outcome("proved", because(Cause.USES_NONE), _signs(refuted)), ()
        return self._conditional(o, where, undefined, sums)

    def _conditional(
        self, o: Observation, where: Cond, undefined: Cond, sums: list[tuple[Term, tuple[Cond, ...]]],
    ) -> tuple[_Outcome, tuple[tuple[Cond, bool], ...]]:
        masked = _masked_by_data(o.undefined.outside, where)
        if masked is not None:
            return _Outcome("unproven", masked), ()
        # for a store, the sums cover the facts of its own index
        left = [] if o.how == "store" else self._find_masking_terms(o, undefined)
        agree = next((a for t in left if (a := _agreement(const(-1) - t + t.offset)) is not None), None)
        if agree is not None:
            return _Outcome("proved", because(Cause.USES_NONE_WITH_EXTENTS)), ((agree, False),)
        inside = next((c for c in self._loops(o.undefined.edge) if self._is_satisfiable(c)), None)
        if inside is not None:
            return _Outcome("proved", because(Cause.LOOP_INSIDE)), ((inside, False),)
        told = ((c,) for t in left if _is_plain(c := ge(t, 0)) and enforceable(c))
        masks = sorted(_masks(sums), key=len)
        every = (*(c for c in masks if len(c) == 1), *told, *(c for c in masks if len(c) > 1),
                 *self._edge_clauses(o.undefined.edge, o.how == "store"))
        candidates = [c for c in every if all(map(self._is_satisfiable, c))]
        if o.how == "store":
            plain = next((c for c in candidates if all(map(self._of_extents, c))), None)
            if plain is not None:
                return (_Outcome("proved", because(Cause.STORES_NONE_WITH_EXTENTS)),
                        tuple((c, False) for c in plain))
        if candidates:
            return (_Outcome("conditional", because(Cause.USES_NONE_UNDER_CONDITION)),
                    _up_to(o, conj(undefined, o.guard), candidates[0]))
        return self._open(o, undefined, bool(every)), ()

    def _of_extents(self, cond: Cond) -> bool:
        """Whether a condition is about extents of arrays and tiles alone.

        Such a condition is not reported: authors know that arrays which are copied into each other must fit.
        """
        return all(isinstance(a, EXTENTS) or a.name in self.context.tiles
                   for a in atoms_of(cond) if isinstance(a, Symbol))

    def _holds_already(self, cond: Cond) -> bool:
        return self._declared.holds(cond, EFFORT) is not None

    @property
    def _declared(self) -> Facts:
        cached = self._cache
        if cached.declared is None:
            cached.declared = Facts(self.context.uniform, signs=False)
        return cached.declared

    def _contradiction(self, o: Observation, undefined: Cond) -> Assumed | None:
        """Returns the assumptions under which the lane is defined wherever it is used; None without a proof."""
        mine = conjuncts(undefined)
        # the comparison with the end of the array first, then those that choose lanes
        goals = sorted((c for c in mine if c.op == "ge" and lanes_in(c)), key=lambda c: c not in conjuncts(
            o.undefined.outside))[:GOALS]
        for c in goals:
            key = (c, undefined, o.guard)
            if key not in self._cache.tried:
                facts = Facts((*(x for x in mine if x is not c), o.guard, *self.context.assume), [c.term])
                self._cache.tried[key] = facts.holds(negate(c), EFFORT)
            got = self._cache.tried[key]
            if got is not None and self._sizes(got, o.undefined.edge):
                return got
        return None

    @property
    def _stored(self) -> tuple[Cond, ...]:
        cached = self._cache
        if cached.stored is None:
            cached.stored = tuple(_bound_blocks(self.context.model))
        return cached.stored

    def _tiles(self, assumed: Assumed) -> bool:
        """Whether the assumptions on signs concern only values that are positive in every launch."""
        return all(a.name in self.context.tiles or isinstance(a, EXTENTS) for c in assumed for a in atoms_of(c)
                   if isinstance(a, Symbol))

    def _sizes(self, assumed: Assumed, edge: Edge) -> bool:
        """Whether signs are assumed of sizes alone: of a flag, a proof for one value says nothing of the other."""
        sizes = atoms_in(edge.start, edge.tile, edge.end)
        return all(a in sizes or isinstance(a, EXTENTS) or a.name in self.context.tiles
                   for c in assumed for a in atoms_of(c) if isinstance(a, Symbol))

    def _find_masking_terms(self, o: Observation, undefined: Cond) -> list[Term]:
        """Terms over launch scalars; where one of them is not negative, no lane outside is used."""
        outside = [c for c in conjuncts(o.undefined.outside) if c.op == "ge" and lanes_in(c)]
        if len(outside) != 1:
            return []
        others = tuple(c for c in conjuncts(undefined) if c is not outside[0])
        facts = Facts(
            (
                *others,
                o.guard,
                *self.context.assume,
                *self._stored,
                *(d for c in others if (d := _divide_by_tile(c, self.context.tiles)) is not None),
            ),
            [outside[0].term],
        )
        return [_simplify_term(terms[0]) for terms, signs in facts.residuals(-outside[0].term - 1, 3)
                if len(terms) == 1 and self._tiles(signs) and 0 <= terms[0].offset <= 1]

    def _edge_clauses(self, edge: Edge, stored: bool = False) -> Iterator[tuple[Cond, ...]]:
        """Conditions on launch scalars under which no tile of the load reaches over the edge."""
        if edge.tile == ZERO:
            return
        # what is stored to an array of another list needs no more than that the two agree, which no clause says
        end = edge.end if stored else _of_every(edge.end)
        room = ge(end - edge.start - edge.tile, 0)
        if not room.varying:
            if enforceable(room) and room.op != "false":
                yield (room,)
            return
        whole = eq(mod(end, edge.tile), 0)
        aligned = _is_aligned(edge) and not whole.varying and enforceable(whole) and whole.op != "false"
        if aligned and end != edge.end:
            yield (whole,)
        if edge.tile.varying or edge.end.varying or room.op != "ge":
            return
        # a number of tiles that is passed may leave out the last one, if it is not whole
        yield from ((c,) for c in self._find_missing_conditions(edge) if _compares(c) and _counts_tiles(c, edge))
        if aligned:
            yield (whole,)
        yield from ((c,) for c in self._find_missing_conditions(edge) if _compares(c))

    def _find_missing_conditions(self, edge: Edge) -> tuple[Cond, ...]:
        """Returns the missing conditions under which no tile of the blocks and loops reaches over the edge."""
        if edge not in self._cache.missing:
            room = edge.end - edge.start - edge.tile
            asked = edge.tile != ZERO and room.varying and not (edge.tile.varying or edge.end.varying)
            found = self._facts_at(edge).residuals(room, 3) if asked else []
            self._cache.missing[edge] = tuple(
                cond for terms, signs in found if len(terms) == 1 and self._tiles(signs)
                and enforceable(cond := ge(_simplify_term(terms[0]), 0)) and cond.op == "ge")
        return self._cache.missing[edge]

    def _loops(self, edge: Edge) -> Iterator[Cond]:
        """Yields `n <= x.shape[i]` for each end `n` of a loop: structural clauses, like other bounds of loops."""
        return (c for c in self._find_missing_conditions(edge) if _is_plain(c))

    def _facts_at(self, edge: Edge) -> Facts:
        """Returns the facts that hold where the array of an edge is loaded.

        Conditions under which the load takes another array are not among them.
        """
        if edge.array not in self._cache.known:
            guards = [frozenset((*conjuncts(a.region.guard), *_require_start_inside(a)))
                      for a in self.options if a.array == edge.array]
            shared = sorted(frozenset.intersection(*guards), key=lambda c: c.key) if guards else ()
            self._cache.known[edge.array] = Facts((*shared, *self.context.assume))
        return self._cache.known[edge.array]

    def _prove_inside(self, edge: Edge) -> Assumed | None:
        """Returns the assumptions under which no tile of the load reaches over an edge; None without a proof."""
        cache = self._cache.proofs
        if edge not in cache and edge.tile == ZERO:
            cache[edge] = None
        if edge not in cache:
            room = edge.end - edge.start - edge.tile
            got = frozenset[Cond]() if (room.constant or -1) >= 0 or room.constant == 0 else None
            if got is None and _is_aligned(edge):
                got = self._facts_at(edge).holds(eq(mod(edge.end, edge.tile), 0), EFFORT)
            if got is None and room.constant is None:
                got = self._facts_at(edge).prove(room, EFFORT)
            if got is None and _of_every(edge.end) != edge.end:
                got = self._in_every(edge)
            cache[edge] = got if got is not None and self._sizes(got, edge) else None
        return cache[edge]

    def _in_every(self, edge: Edge) -> Assumed | None:
        """Does the same with the facts that are declared for every array of a list."""
        end = _of_every(edge.end)
        got = self._declared.holds(eq(mod(end, edge.tile), 0), EFFORT) if _is_aligned(edge) else None
        room = end - edge.start - edge.tile
        return got if got is not None or room.varying else self._declared.prove(room, EFFORT)

    def _is_satisfiable(self, cond: Cond) -> bool:
        """Whether some launch with several blocks satisfies a condition. Some extent is a multiple of any tile."""
        context = self.context
        if cond.op == "eq" and isinstance(cond.term.single, Mod):
            return True
        axes = context.axes_of(self.access.region)
        return satisfiable(conj(cond, *context.uniform), axes, tiles=context.tiles) is not None

    def _open(self, o: Observation, undefined: Cond, helped: bool) -> _Outcome:
        """Returns the outcome of a use that no found condition on the launch makes safe.

        The use is refuted by a concrete launch, or where the undefined lanes do not depend on the launch. Otherwise it
        is unproven, because a condition may exist that was not found.
        """
        made = conj(undefined, o.guard)
        atoms = atoms_in(made)
        certain = o.exact and not helped and not any(isinstance(a, Symbol) for a in atoms_of(undefined)) and not any(
            (isinstance(a, Opaque) and not a.uniform) or (isinstance(a, Counter) and a.name not in self.access.loops)
            for a in atoms)
        if certain:
            point = find_point(made, self.context.axes_of(self.access.region), conj(*self.context.uniform))
            if point is not None:
                return _Outcome("refuted", because(Cause.LANE_USED))
        return _Outcome("unproven", because(Cause.USE_OPEN))


def _counts_tiles(cond: Cond, edge: Edge) -> bool:
    """Whether a condition is `T*n <= x.shape[i]`, for a number `n` of tiles that the launch passes."""
    whole, rest = split_multiples(edge.end - cond.term, edge.tile)
    return not rest.monos and isinstance(whole.single, Scalar) and whole.single not in atoms_of(edge.tile)


def _up_to(o: Observation, whole: Cond, found: tuple[Cond, ...]) -> tuple[tuple[Cond, bool], ...]:
    """Conditions on the launch, each with whether it is semantic. Where whole tiles are asked of an array, and tiles
    begin below `n` alone, it will do that `n` has whole tiles and is no more than the extent of the array: what begins
    at a multiple of the tile below `n` ends at or below `n` then."""
    edge = o.undefined.edge
    if found != (eq(mod(edge.end, edge.tile), 0),):
        return tuple((c, True) for c in found)
    for begun in (c for c in conjuncts(o.undefined.outside) if c.op == "ge" and not lanes_in(c)):
        start = edge.end - 1 - begun.term
        if split_multiples(start, edge.tile)[1].monos:
            continue
        for end in _ends(whole, start, edge.tile):
            if end == edge.end or end.varying or end.constant is not None:
                continue
            even, inside = eq(mod(end, edge.tile), 0), le(end, edge.end)
            if even.op == "eq" and inside.op == "ge" and enforceable(even) and enforceable(inside):
                return (disj(found[0], even), True), (disj(found[0], inside), True)
    return tuple((c, True) for c in found)


def _ends(whole: Cond, start: Term, tile: Term) -> Iterator[Term]:
    """Yields every upper bound `n` of the start of a tile: `start < n`, or `k <= (n - 1) // T` for `start = T*k`."""
    for c in conjuncts(whole):
        if c.op == "ge":
            yield c.term + 1 + start
            for a in sorted(c.term.atoms()):
                if isinstance(a, FloorDiv) and a.den == tile and (c.term - of(a)) * tile == -start:
                    yield a.num + 1


def _of_every(extent: Term) -> Term:
    """Replaces the extent of an array of a list, `xs[*].shape[1]` at some position, by the symbol of contracts for all.

    A contract on all arrays of the list holds at each position. Other terms are returned unchanged.
    """
    atom = extent.single
    if isinstance(atom, App) and isinstance(atom.fn, Extent | Stride) and len(atom.args) == 1:
        return of(atom.fn)
    return extent


def _signs(assumed: Iterable[Cond]) -> tuple[Clause, ...]:
    return tuple(clause_of(c, False) for c in sorted(assumed, key=lambda c: c.key))


def _is_aligned(edge: Edge) -> bool:
    """Whether tiles begin at multiples of their extent, counted from where the array begins."""
    if edge.tile.varying or not edge.tile.monos:
        return False
    return not split_multiples(edge.start, edge.tile)[1].monos


def _cases(where: Cond) -> list[Cond] | None:
    """Conditions without alternatives, one of which holds wherever the given one does; None when they are too many."""
    cases: list[Cond] = [TRUE]
    for part in conjuncts(where):
        ways = [w for arg in (part.args if part.op == "or" else (part,)) for w in (
            (_cases(arg) or [arg]) if part.op == "or" and arg.op == "and" else [arg])]
        cases = [c for a in cases for w in ways if (c := conj(a, w)).op != "false"]
        if len(cases) > ALTERNATIVES:
            return None
    return cases


def _masked_by_data(outside: Cond, where: Cond) -> Reason | None:
    """Returns the reason why the mask of the lanes is unknown: the contents of an array, or an unmodelled value."""
    mine = {a.axis for a in lanes_in(outside)}
    for c in conjuncts(where):
        if not any(a.axis in mine for a in lanes_in(c)):
            continue
        loads = sorted(a for a in atoms_of(c) if isinstance(a, Load))
        if loads:
            return because(Cause.MASKED_BY, loads[0].array)
        if c.op == "bool" or any(isinstance(a, (App, Opaque)) and a.varying for a in atoms_of(c)):
            return because(Cause.MASKED_BY, None)
    return None


def _names(cond: Cond) -> set[str]:
    return {a.name for a in atoms_of(cond) if isinstance(a, Symbol)}


def _bound_blocks(model: KernelModel) -> Iterator[Cond]:
    """Yields the conditions on blocks that the bounds of stores imply.

    A tile that every block stores does not lie wholly outside the array.
    """
    for a in model.accesses:
        if a.mode == "write" and a.under is TRUE:
            yield from (lt(r.at, r.end) for r in a.reach if r.step is not None and not r.unchecked and r.when is TRUE)


def _require_start_inside(access: Access) -> Iterator[Cond]:
    """Yields the condition that a tile begins inside the array, in units of tiles, where the load leaves one tile out.

    Then `i != n - 1` and `i < n` give `i <= n - 2`. The obligations on bounds cover a tile that begins outside.
    """
    if any(c.op == "ne" for c in conjuncts(access.region.guard)):
        yield from (lt(r.index, cdiv(r.end, r.step)) for r in access.reach
                    if r.step is not None and not r.step.varying and not r.unchecked and r.when is TRUE)


def _flags(cond: Cond) -> Iterator[Cond]:
    """The launch scalars that a use stands under, other than sizes."""
    for c in conjuncts(cond):
        if c.op in ("eq", "ne", "ge") and not c.varying and enforceable(c):
            atom = (c.term - c.term.offset).single
            if isinstance(atom, Symbol) and not isinstance(atom, (*EXTENTS, Stride, GridDim, Item)):
                yield c


def _sums(undefined: Cond, guard: Cond) -> Iterator[tuple[Term, tuple[Cond, ...]]]:
    """Terms that are not negative where a lane is undefined and used: sums of two comparisons whose lanes and block
    coordinates cancel, and what they assume."""
    mine = [t for c in conjuncts(undefined) if c.op == "ge" for t in _parts(c.term)]
    theirs = [t for c in conjuncts(guard) if c.op == "ge" for t in _parts(c.term)]
    loose = []
    for k, a in enumerate(mine):
        for b in (*mine[k + 1:], *theirs):
            total = a + b
            if not total.varying:
                yield total, ()
            elif any(isinstance(x, FloorDiv) for x in total.atoms()):
                loose.append(total)
    for total in loose:
        found = _unround(total)
        if found is not None and not found[0].varying:
            yield found


def _masks(sums: list[tuple[Term, tuple[Cond, ...]]]) -> Iterator[tuple[Cond, ...]]:
    """Yields conditions on launch scalars under which a mask, or the bounds of a stored tile, exclude lanes outside."""
    for s, assumed in sums:
        cond = ge(-s - 1, 0)
        if not cond.varying and cond is not FALSE and enforceable(cond) and _compares(cond):
            yield (*assumed, cond)


def _parts(term: Term) -> Iterator[Term]:
    """A term that is not negative, and what follows from it: each argument of a minimum is as large."""
    yield term
    for mono, factor in term.monos.items():
        if len(mono) == 1 and factor > 0 and isinstance(mono[0], Min):
            rest = term - Term({mono: factor})
            for part in mono[0].args:
                yield rest + part * factor


def _unround(term: Term) -> tuple[Term, tuple[Cond, ...]] | None:
    """A term with `(a*n // d) * d` read as `a*n`, which holds where `a % d == 0`; `a` is what all blocks share."""
    assumed: list[Cond] = []
    for mono, factor in term.monos.items():
        for a in mono:
            if not isinstance(a, FloorDiv) or len(a.num.monos) != 1 or a.den.varying:
                continue
            ((inner, count),) = a.num.monos.items()
            shared = Term({tuple(x for x in inner if not x.varying): count})
            rest = list(mono)
            rest.remove(a)
            scale, left = split_multiples(Term({tuple(rest): factor}), a.den)
            if left.monos:
                continue
            cond = eq(mod(shared, a.den), 0)
            if cond.op == "false" or cond.varying or not enforceable(cond):
                continue
            if cond.op != "true":
                assumed.append(cond)
            term = term - Term({mono: factor}) + scale * a.num
    return (term, tuple(assumed)) if assumed else None


def _divide_by_tile(cond: Cond, tiles: frozenset[str]) -> Cond | None:
    """`x >= 1`, which `T*x >= c` says for a tile `T` and a positive `c`."""
    if cond.op != "ge" or cond.term.offset >= 0:
        return None
    for a in sorted(cond.term.atoms()):
        if isinstance(a, Symbol) and a.name in tiles:
            times, rest = split_multiples(cond.term, of(a))
            if rest.constant is not None and times.monos:
                return ge(times, 1)
    return None


def _simplify_term(term: Term) -> Term:
    """A term that is not larger: `n` in the place of `T*(n // T)` where that is taken away, for a tile `T`."""
    for mono, factor in term.monos.items():
        for a in mono:
            if factor < 0 and isinstance(a, FloorDiv) and len(a.den.monos) == 1:
                rest = list(mono)
                rest.remove(a)
                whole = Term({tuple(rest): 1})
                if whole == a.den:
                    return term - Term({mono: factor}) + a.num * factor
    return term


def _is_plain(cond: Cond) -> bool:
    """Whether a condition is `n <= x.shape[i]` and does not mention the grid.

    A number of whole tiles does not count as `n`, because the rounding direction matters.
    """
    term = cond.term
    return term.offset == 0 and len(term.monos) == 2 and sorted(term.monos.values()) == [-1, 1] and not any(
        isinstance(a, GridDim) for a in atoms_of(cond)) and _compares(cond) and not any(
        len(m) > 1 and any(isinstance(a, FloorDiv) for a in atoms_of(Term({m: 1}))) for m in term.monos)


def _agreement(total: Term) -> Cond | None:
    """`a.shape[i] <= b.shape[j]`, when that is what makes a sum negative."""
    if total.offset != -1 or len(total.monos) != 3:
        return None
    small = [m for m, c in total.monos.items() if m and c == 1]
    large = [m for m, c in total.monos.items() if m and c == -1]
    if len(small) != 1 or len(large) != 1 or len(small[0]) != 1 or len(large[0]) != 1:
        return None
    if not all(isinstance(m[0], EXTENTS) for m in (small[0], large[0])):
        return None
    return le(Term({small[0]: 1}), Term({large[0]: 1}))


def _fits(total: Term, edge: Edge) -> Cond | None:
    """`a.shape[i] <= n`, where `n` is the extent of the slice that was loaded from: its extent is what agrees."""
    stored = total + 1 + edge.end
    atom = stored.single
    cond = le(stored, edge.end)
    return cond if isinstance(atom, EXTENTS) and enforceable(cond) else None


def _compares(cond: Cond) -> bool:
    """Whether a condition says something of an extent, and not that there is nothing to do."""
    return any(isinstance(a, EXTENTS) and cond.term.monos.get((a,), 0) > 0 for a in atoms_of(cond))

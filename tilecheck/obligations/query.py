"""The context in which all obligations of one kernel are decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from tilecheck.contracts import ContractError, annotation_of, parse, render
from tilecheck.interp.kernel.access import Access, Declared, KernelModel
from tilecheck.obligations.budget import Effort
from tilecheck.solver import smt as solver
from tilecheck.solver.disjointness import Annotations, Assumption, Derivation
from tilecheck.solver.inequalities import Assumed, Facts, conjuncts, placed_in
from tilecheck.solver.model_search import (
    Bound,
    confirm,
    find_collision,
    find_model,
    find_necessity_witness,
    satisfiable,
    whatever_the_data,
    with_room,
)
from tilecheck.solver.queries import across_blocks
from tilecheck.symbolic import (
    EXTENTS,
    ONE,
    Array,
    Atom,
    Cond,
    Counter,
    Extent,
    Lane,
    Symbol,
    atoms_in,
    atoms_of,
    bid,
    conj,
    const,
    disj,
    enforceable,
    eq,
    ge,
    grid,
    holds,
    negate,
    of,
    symbol,
    symbol_from_text,
)
from tilecheck.symbolic.footprint import Clause, Region, Witness

__all__ = ["Context", "clause_of", "launch_of"]
SOLVER_MS = 300
"""Time limit of one query to the solver, in milliseconds."""
_REMEMBERED = 3
_LOOPS = 2


def clause_of(cond: Cond, semantic: bool) -> Clause:
    return Clause(render(cond), cond, "semantic" if semantic else "structural")


@dataclass
class _Cache:
    """Cached results for a kernel; each is computed on first use."""

    standing: tuple[Cond, ...] | None = None
    consistent: bool | None = None
    assume: tuple[Cond, ...] | None = None
    annotations: Annotations | None = None
    tiles: frozenset[str] | None = None
    tiled: tuple[Cond, ...] | None = None
    lost: dict[Array, str] | None = None
    uniform: tuple[Cond, ...] | None = None
    room: dict[object, bool] = field(default_factory=dict)
    room_axes: dict[Region, tuple[int, ...]] = field(default_factory=dict)
    repeats: dict[Region, tuple[tuple[Region, int], ...]] = field(default_factory=dict)
    seen_active: dict[tuple[Cond, int, tuple[Cond, ...]], bool] = field(default_factory=dict)
    made_active: dict[tuple[Cond, int], list[dict[Atom, int]]] = field(default_factory=dict)
    disjoint: dict[tuple[Region, Region, tuple[tuple[Assumption, ...], ...]], Derivation] = field(default_factory=dict)
    shared: dict[tuple[Region, frozenset[int]], Derivation] = field(default_factory=dict)
    collisions: dict[tuple[Region, Region, bool], Witness | None] = field(default_factory=dict)
    solved: dict[tuple[Region, Region], bool] = field(default_factory=dict)
    declared_proofs: dict[tuple[str, Region, Region, frozenset[int]], bool] = field(default_factory=dict)
    served: list[tuple[Assumption, ...]] = field(default_factory=list)
    launches: dict[frozenset[Atom], Facts] = field(default_factory=dict)
    guards: dict[tuple[Cond, ...], Facts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """A kernel, its declared clauses, and the queries that need both."""

    model: KernelModel
    declared: tuple[Clause, ...]
    faulty: tuple[tuple[str, str], ...]
    contradictory: tuple[Declared, ...] = ()
    effort: Effort = field(default_factory=Effort, compare=False)
    _cache: _Cache = field(default_factory=_Cache, init=False, repr=False, compare=False)

    @staticmethod
    def of(model: KernelModel) -> Context:
        clauses: list[Clause] = []
        faulty: list[tuple[str, str]] = []
        for d in model.declared:
            try:
                clauses += parse(d.text)
            except ContractError as e:
                faulty.append((d.text, str(e)))
        context = Context(model, tuple(dict.fromkeys(clauses)), tuple(faulty))
        if model.declared and context.absurd:
            # from a contradiction everything would follow
            return Context(model, (), tuple(faulty), model.declared)
        return context

    @property
    def absurd(self) -> bool:
        """Whether the declared clauses provably contradict each other or the facts that hold in every launch."""
        parts = (*conjuncts(conj(*self.assume)), *self.standing)
        return any(c.op == "false" for c in parts) or any(
            Facts([d for d in parts if d is not c], [c.term], signs=False).holds(negate(c)) is not None
            for c in parts) or self._empty_range

    @property
    def _empty_range(self) -> bool:
        """Whether a range is declared that holds no value."""
        return any(Facts(self.standing, [low, high], signs=False).prove(low - high) is not None
                   for _, low, high in self.annotations.ranges)

    def is_impossible(self, clause: Clause) -> bool:
        """Whether no launch satisfies a clause."""
        c = clause.cond
        if c is None:
            return False
        cached = self._cache
        placed = placed_in([c.term])
        if placed not in cached.launches:
            cached.launches[placed] = Facts(self.standing, [c.term], signs=False)
        return cached.launches[placed].with_budget().holds(negate(c)) is not None

    def denies(self, conds: tuple[Cond, ...], assumed: Assumed) -> bool:
        """Whether a sign that a proof assumed contradicts conditions, as little effort shows."""
        if not assumed:
            return False
        cached = self._cache.guards
        if conds not in cached:
            cached[conds] = Facts(conds, signs=False)
        facts = cached[conds].with_budget()
        return any(facts.holds(negate(c), 0) is not None for c in assumed)

    @property
    def standing(self) -> tuple[Cond, ...]:
        """Conditions that every launch satisfies: extents of tiles, of arrays and of the grid are at least 1."""
        cached = self._cache
        if cached.standing is None:
            extents = {a for c in self.assume for a in atoms_of(c) if isinstance(a, EXTENTS)}
            extents |= {a for a in map(symbol_from_text, self.tiles) if isinstance(a, EXTENTS)}
            cached.standing = (*(ge(grid(k), 1) for k in range(3)), *(ge(symbol(n), 1) for n in sorted(self.tiles)),
                             *(ge(of(a), 0) for a in sorted(extents)))
        return cached.standing

    @property
    def consistent(self) -> bool:
        """Whether some small launch is known to satisfy the declared clauses. Otherwise the solver is not called."""
        cached = self._cache
        if cached.consistent is None:
            cached.consistent = not self.declared or find_model(conj(*self.uniform, *self.standing)) is not None
        return cached.consistent

    @property
    def assume(self) -> tuple[Cond, ...]:
        """Assumptions on every launch: declared clauses, and one block on each axis that the kernel never reads."""
        cached = self._cache
        if cached.assume is None:
            unread = tuple(eq(grid(k), 1) for k in range(3) if k not in self.model.axes_read)
            cached.assume = (*(c.cond for c in self.declared if c.cond is not None), self.model.guards, *unread)
        return cached.assume

    def axes_of(self, *regions: Region) -> frozenset[int]:
        """The axes on which blocks that make these accesses may differ: those that the kernel reads under conditions
        which do not exclude the accesses'. A variant of a kernel that never reads an axis is for one block there."""
        under = [c for r in regions for c in conjuncts(r.guard) if not c.varying and enforceable(c)]
        return frozenset(
            k for k, c in self.model.axis_reads
            if conj(*(p for p in conjuncts(c) if enforceable(p)), *under, *self.uniform).op != "false")

    def is_excluded(self, *regions: Region) -> bool:
        """Whether the launch scalars that these accesses stand under contradict each other."""
        under = [c for r in regions for c in conjuncts(r.guard) if not c.varying]
        return conj(*under, *self.uniform).op == "false"

    def idle_axes(self, axes: frozenset[int], *regions: Region) -> tuple[Clause, ...]:
        """One block on the axes that are read, but not under the conditions of these accesses."""
        under = {c for r in regions for c in conjuncts(r.guard) if not c.varying and enforceable(c)}
        out: list[Clause] = []
        for k in sorted(self.model.axes_read - axes):
            excluded = {p for axis, c in self.model.axis_reads if axis == k for p in conjuncts(c)}
            flags = sorted((c for c in under if negate(c) in excluded), key=lambda c: c.key)
            out.append(clause_of(disj(*(negate(c) for c in flags), eq(grid(k), 1)), False))
        return tuple(out)

    def says_of(self, array: Array) -> bool:
        """Whether the author declares anything of the contents of an array."""
        return any(array in a.arrays for c in self.declared if c.cond is None
                   and (a := annotation_of(c)) is not None and a.about_contents)

    @property
    def annotations(self) -> Annotations:
        cached = self._cache
        if cached.annotations is None:
            found = [a for c in self.declared if c.cond is None and (a := annotation_of(c)) is not None]
            by: dict[str, list[tuple[Array, ...]]] = {}
            for a in found:
                by.setdefault(a.name, []).append(a.arrays)
            segments = by.get("segments", [])
            cached.annotations = Annotations(
                injective=frozenset(a.arrays[0] for a in found if a.name == "injective" and not a.terms),
                below=tuple((a.arrays[0], a.terms[0]) for a in found if a.name == "injective" and a.terms),
                monotone=frozenset(a[0] for a in by.get("monotone", [])) | {a[0] for a in segments if len(a) == 1},
                segments=tuple((a[0], a[1]) for a in segments if len(a) == 2),
                locks=frozenset(a[0] for a in by.get("lock", [])),
                tickets=frozenset(a[0] for a in by.get("ticket", [])),
                ranges=tuple((a.arrays[0], a.terms[0], a.terms[1]) for a in found if a.name == "range"),
                multiples=tuple((a.arrays[0], a.terms[0]) for a in found if a.name == "multiple"))
        return cached.annotations

    @property
    def tiles(self) -> frozenset[str]:
        """Scalars that are tile extents, and so powers of two."""
        cached = self._cache
        if cached.tiles is None:
            out: set[str] = set()
            for a in self.model.accesses:
                for atom in atoms_in(a.region.guard, *a.region.index):
                    if isinstance(atom, Lane):
                        out |= {s.name for s in atom.size.atoms() if isinstance(s, Symbol) and atom.size.single == s}
            cached.tiles = frozenset(out)
        return cached.tiles

    @property
    def tiled(self) -> tuple[Cond, ...]:
        """That tiles have elements: an extent is checked where the kernel is compiled, whether the tile is used or
        not, but for variants that are left out."""
        cached = self._cache
        if cached.tiled is None:
            extents = {e for a in self.model.accesses for e in a.tile if not any(
                not c.varying for c in conjuncts(a.under)) and e.constant is None and not e.varying}
            cached.tiled = tuple(ge(e, 1) for e in sorted(extents, key=lambda e: e.key))
        return cached.tiled

    @property
    def lost(self) -> dict[Array, str]:
        """Arrays whose every verdict is lost, and to what."""
        cached = self._cache
        if cached.lost is None:
            cached.lost = {array: gap.what for gap in self.model.gaps for array in gap.arrays}
        return cached.lost

    def room(self, first: Region, second: Region) -> Callable[[tuple[Cond, ...]], bool]:
        """Decides whether conditions are a contract for two accesses.

        A launch with several blocks on every axis satisfies them. In this launch two blocks that differ on an axis
        still execute each access, for every axis where that is possible without the conditions. They do so in more than
        the first iteration of a loop. Conditions on variants of the kernel (`FLAG == 0 or ...`) are for launches of
        another variant. Sections of the grid have the width that their conditions give.
        """

        def admits(conds: tuple[Cond, ...]) -> bool:
            key = (first, second, frozenset(conds))
            if key not in self._cache.room:
                plain = tuple(c for c in conds if c.op != "or")
                self._cache.room[key] = self._satisfiable(conds, self.axes_of(first, second)) and all(
                    _section(r, k, conds) or self._is_active(r, k, plain)
                    for r in dict.fromkeys((first, second)) for k in self._list_room_axes(r)) and all(
                    self._is_active(again, axis, plain) for r in dict.fromkeys((first, second))
                    for again, axis in self._list_repeats(r) if _stops_short(again, plain))
            return self._cache.room[key]

        return admits

    def admits(self, conds: tuple[Cond, ...], region: Region) -> bool:
        """Whether a launch with several blocks on every axis satisfies conditions."""
        key = ("admits", region.guard, frozenset(conds))
        if key not in self._cache.room:
            self._cache.room[key] = self._satisfiable(conds, self.axes_of(region))
        return self._cache.room[key]

    def _satisfiable(self, conds: tuple[Cond, ...], axes: frozenset[int]) -> bool:
        return satisfiable(conj(*conds, *self.uniform), axes, tiles=self.tiles) is not None

    def _list_room_axes(self, region: Region) -> tuple[int, ...]:
        if region not in self._cache.room_axes:
            axes = self.axes_of(region)
            self._cache.room_axes[region] = tuple(k for k in sorted(axes) if self._is_active(region, k, ()))
        return self._cache.room_axes[region]

    def _list_repeats(self, region: Region) -> tuple[tuple[Region, int], ...]:
        """An access as it is made after the first iteration of each loop that can go on, and an axis to see it on."""
        if region not in self._cache.repeats:
            counters = sorted(a for a in atoms_in(region.guard, *region.index)
                              if isinstance(a, Counter))
            later = [Region(region.index, conj(region.guard, ge(of(c), 1)), region.exact) for c in counters[:_LOOPS]]
            self._cache.repeats[region] = tuple(
                (r, axis) for r in later for axis in self._list_room_axes(region)[:1] if self._is_active(r, axis, ()))
        return self._cache.repeats[region]

    def _is_active(self, region: Region, axis: int, conds: tuple[Cond, ...]) -> bool:
        """Whether two blocks that differ on the axis alone both make the access in some small launch: they do when
        accesses to one element that only the other axes select collide."""
        key = (region.guard, axis, conds)
        if key not in self._cache.seen_active:
            # one of the launches in which they do, under other conditions, may satisfy these
            launches = self._cache.made_active.setdefault((region.guard, axis), [])
            self._cache.seen_active[key] = any(_holds_at(conds, launch) for launch in launches)
            if not self._cache.seen_active[key]:
                self.effort.search()
                axes = self.axes_of(region)
                others = tuple(bid(k) for k in sorted(axes) if k != axis) or (const(0),)
                made = Region(others, region.guard)
                found = find_collision(
                    made, made, axes=axes, assume=conj(*conds, *self.uniform), same_site=True)
                if found is not None:
                    launches.append(launch_of(found))
                self._cache.seen_active[key] = found is not None
        return self._cache.seen_active[key]

    @property
    def uniform(self) -> tuple[Cond, ...]:
        cached = self._cache
        if cached.uniform is None:
            cached.uniform = tuple(c for c in self.assume if not c.varying)
        return cached.uniform

    @property
    def served(self) -> list[tuple[Assumption, ...]]:
        """Sets of clauses that completed proofs of this kernel, the latest first: they often serve the next one."""
        return self._cache.served

    def remember(self, d: Derivation) -> None:
        if d.clauses and d.clauses not in self.served:
            self.served.insert(0, d.clauses)
            del self.served[_REMEMBERED:]

    def clauses(self, d: Derivation) -> tuple[Clause, ...]:
        """Returns the clauses that a derivation depends on, without those that are already declared."""
        known = {p for c in self.assume for p in conjuncts(c)}
        out = [clause_of(c, False) for c in sorted(d.assumed, key=lambda c: c.key) if c not in known]
        out += [clause_of(a.cond, a.semantic) for a in d.clauses if a.cond not in known]
        return tuple(dict.fromkeys(out))

    def derive_disjointness(self, first: Region, second: Region) -> Derivation:
        """The attempt to show that blocks never meet through two accesses. Kernels write several arrays alike."""
        shared = self._derive_from_shared(first, second)
        if shared is not None:
            return shared
        key = (first, second, tuple(self.served))
        if key not in self._cache.disjoint:
            self.effort.derivation()
            self._cache.disjoint[key] = across_blocks(
                first, second, self.axes_of(first, second), self.assume, self.annotations, self.room(first, second),
                key[2])
        return self._cache.disjoint[key]

    def _derive_from_shared(self, first: Region, second: Region) -> Derivation | None:
        """A proof for two accesses from the axes on which both have one and the same index, with no clause; None if
        there is none. Many statements that store to one array mostly differ in a constant alone: one proof serves all
        pairs of them."""
        shared = tuple(a for a, b in zip(first.index, second.index, strict=True) if a == b)
        if not shared or len(shared) == len(first.index):
            return None
        theirs = frozenset(conjuncts(second.guard))
        region = Region(shared, conj(*(c for c in conjuncts(first.guard) if c in theirs)))
        key = (region, self.axes_of(first, second))
        if key not in self._cache.shared:
            self.effort.derivation()
            self._cache.shared[key] = across_blocks(region, region, key[1], self.assume, self.annotations, _refuse)
        found = self._cache.shared[key]
        return found if found.proved and not found.clauses and not found.assumed else None

    def collision(self, first: Region, second: Region, same: bool) -> Witness | None:
        """Searches a collision that occurs for all contents of arrays.

        A collision for some contents is not enough, because the data of the program may exclude it.
        """
        key = (first, second, same)
        if key not in self._cache.collisions:
            self.effort.search()
            assume = conj(*self.uniform)
            found = find_collision(
                first, second, axes=self.axes_of(first, second), assume=assume, same_site=same,
                accept=lambda w: not w.data or whatever_the_data(w, first, second))
            self._cache.collisions[key] = None if found is None else self.enlarge_arrays(
                found, _build_confirmation(first, second, assume))
        return self._cache.collisions[key]

    def enlarge_arrays(self, found: Witness, confirmed: Callable[[Witness], bool]) -> Witness:
        """The witness in a launch that keeps the other accesses inside their arrays, where larger arrays do that: what
        would be undefined, and what a bounds check would drop."""
        if found.data:
            return found
        known = [a for a in self.model.accesses if a.region.exact]
        tiles = dict.fromkeys(Bound(r.at, r.end, conj(a.under, r.when), ONE if r.step is None else r.step)
                              for a in known for r in a.reach)
        elements = dict.fromkeys(Bound(i, of(Extent(a.array, k)), a.under)
                                 for a in known if not a.tile for k, i in enumerate(a.region.index))
        whole = with_room(found, (*tiles, *elements), confirmed)
        return whole if whole is not found else with_room(found, tiles, confirmed)

    def prove_by_solver(self, first: Region, second: Region) -> bool:
        """Whether the solver, where it is installed, proves that blocks never meet through two accesses."""
        if not solver.available() or not self.consistent:
            return False
        key = (first, second)
        if key not in self._cache.solved:
            self._cache.solved[key] = solver.disjoint(
                first, second, self.axes_of(first, second), conj(*self.uniform, *self.standing), SOLVER_MS) == "unsat"
        return self._cache.solved[key]

    def is_proved_with(self, text: str, first: Region, second: Region, axes: frozenset[int]) -> bool:
        """Whether one more declaration completes a proof that blocks that differ on one of the axes never meet.
        A declaration that cannot be parsed is a ContractError."""
        key = (text, first, second, axes)
        if key not in self._cache.declared_proofs:
            declared = replace(self, declared=(*self.declared, *parse(text)))
            self._cache.declared_proofs[key] = across_blocks(
                first, second, axes, declared.assume, declared.annotations).proved
        return self._cache.declared_proofs[key]

    def find_collision_without(
        self, clauses: Iterable[Clause], first: Region, second: Region, same: bool, besides: Iterable[Cond] = (),
    ) -> Witness | None:
        """Searches a collision in a launch that breaks one of the semantic clauses and satisfies all other conditions.

        The other conditions include `besides`.
        """
        have, more = tuple(clauses), tuple(besides)
        for c in have:
            if c.kind == "semantic" and c.cond is not None:
                self.effort.search()
                others = conj(*(d.cond for d in have if d.cond is not None and d is not c),
                              *self.uniform, *(d for d in more if d != c.cond))
                found = find_necessity_witness(
                    c.cond, first, second, self.axes_of(first, second), others, same_site=same
                )
                if found is not None:
                    return self.enlarge_arrays(found, _build_confirmation(first, second, conj(others, negate(c.cond))))
        return None

    def by_site(self, accesses: Iterable[Access]) -> dict[int, list[Access]]:
        out: dict[int, list[Access]] = {}
        for a in accesses:
            out.setdefault(a.site, []).append(a)
        return out


def _refuse(conds: tuple[Cond, ...]) -> bool:
    """Accepts no contract."""
    return False


def _build_confirmation(first: Region, second: Region, assume: Cond) -> Callable[[Witness], bool]:
    return lambda w: confirm(w, first, second, assume=assume)


def launch_of(w: Witness) -> dict[Atom, int]:
    """The launch scalars of a witness."""
    return w.launch


def _holds_at(conds: tuple[Cond, ...], launch: dict[Atom, int]) -> bool:
    """Whether conditions hold in a launch; not if it does not say so."""
    try:
        return all(holds(c, launch) for c in conds)
    except (ArithmeticError, KeyError):
        return False


def _section(region: Region, axis: int, conds: tuple[Cond, ...]) -> bool:
    """Whether one of the conditions says that the blocks of an access form a section of one block on the axis."""
    coordinate = bid(axis)
    guards = [c.term for c in conjuncts(region.guard) if c.op == "ge"]
    lows = [g - coordinate for g in guards if not (g - coordinate).varying]
    highs = [g + coordinate for g in guards if not (g + coordinate).varying]
    return any(ge(-(low + high), 0) in conds for low in lows for high in highs)


def _stops_short(region: Region, conds: tuple[Cond, ...]) -> bool:
    """Whether a condition caps a launch scalar that a loop of an access runs to."""
    capped = {m[0] for c in conds for m, factor in c.term.monos.items() if factor < 0 and len(m) == 1}
    loops = (c for c in conjuncts(region.guard) if any(isinstance(a, Counter) for a in c.term.atoms()))
    return any(a in capped for c in loops for a in atoms_of(c))

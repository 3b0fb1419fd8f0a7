"""The closure on the index expressions of real kernels, and against the bounded search on random ones."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from tilecheck.contracts import equivalent, parse
from tilecheck.solver.disjointness import Annotations, Derivation
from tilecheck.solver.model_search import find_collision, satisfiable
from tilecheck.solver.queries import across_blocks, across_iterations, within_operation
from tilecheck.symbolic import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    ArrayParam,
    Bid,
    Cond,
    Lane,
    Opaque,
    Term,
    Ticket,
    atoms_of,
    bid,
    build_opaque,
    cdiv,
    conj,
    const,
    counter,
    disj,
    eq,
    floordiv,
    ge,
    grid,
    ite,
    lane,
    le,
    load,
    lt,
    maximum,
    minimum,
    mod,
    ne,
    of,
    symbol,
)
from tilecheck.symbolic.footprint import Region

T, H, G, N, S = map(symbol, "THGNS")
IDS_ARRAY, USED_ARRAY, POINTERS, TAIL = map(ArrayParam, ("ids", "used", "p", "tail"))
B0, B1, B2 = bid(0), bid(1), bid(2)
K = counter("k")
LANE = lane(0, T)
UNDECLARED = Annotations()


IDS, EXTENT, USED = load(IDS_ARRAY, [B0]), symbol("ids.shape[0]"), load(USED_ARRAY, [ZERO])
FLAT_LANES = B0 * T + LANE
PADDED = Annotations(
    injective=frozenset((IDS_ARRAY,)), multiples=((USED_ARRAY, T),), ranges=((USED_ARRAY, ZERO, EXTENT + 1),))


def run(
    index: list[Term], guard: Cond = TRUE, axes: tuple[int, ...] = (0,), other: list[Term] | None = None, *,
    assume: Cond = TRUE, annotations: Annotations = UNDECLARED, infer: bool = True,
) -> Derivation:
    first = Region(tuple(index), guard)
    second = first if other is None else Region(tuple(other), guard)
    return across_blocks(
        first, second, frozenset(axes), (assume,), annotations,
        (lambda c: satisfiable(conj(*c), frozenset(axes)) is not None) if infer else None)


def grouped_indices(p: Term, rows: Term, columns: Term, group: Term) -> tuple[Term, Term]:
    width = group * columns
    first = floordiv(p, width) * group
    size = minimum(rows - first, group)
    return first + mod(p, size), floordiv(mod(p, width), size)


ROWS, COLUMNS = cdiv(symbol("M"), symbol("tm")), cdiv(symbol("N"), symbol("tn"))
FLAT = B0 + K * grid(0)

CASES = {
    "direct": lambda: run([B0 * T + LANE]),
    "permuted": lambda: run([B1 * T + LANE, B0], axes=(0, 1)),
    "mixed radix": lambda: run([floordiv(B0, H * G), floordiv(mod(B0, H * G), G), mod(mod(B0, H * G), G)]),
    "quotient and remainder": lambda: run([floordiv(B0, H), mod(B0, H)]),
    "persistent": lambda: run([FLAT * T + LANE], lt(FLAT, N)),
    "persistent, swizzled": lambda: run(
        [t * T + LANE for t in grouped_indices(FLAT, ROWS, COLUMNS, const(8))], lt(FLAT, ROWS * COLUMNS)),
    "batched, swizzled": lambda: run(
        [floordiv(FLAT, ROWS * COLUMNS), *grouped_indices(mod(FLAT, ROWS * COLUMNS), ROWS, COLUMNS, const(8))],
        lt(FLAT, ROWS * COLUMNS * S)),
    "masked rows": lambda: run(
        [(floordiv(B1, H) * H + mod(B1, H)) * S + B0 * T + LANE], lt(B0 * T + LANE, S), (0, 1)),
    "guard": lambda: run([LANE], eq(B0, 0)),
    "triangle": lambda: run([B0, B1], lt(B0, B1), (0, 1), [B1, B0]),
    "interleaved": lambda: run([2 * B0 * T + LANE], other=[(2 * B0 + 1) * T + LANE]),
    "declared": lambda: run([B0 * H + LANE], assume=ge(H, 2 * T), other=[B0 * H + T + LANE]),
    "injective data": lambda: run(
        [load(IDS_ARRAY, [B0]) * S + LANE], conj(lt(LANE, S), lt(B0, symbol("ids.shape[0]"))),
        annotations=Annotations(injective=frozenset((IDS_ARRAY,)))),
    "injective below a limit": lambda: run(
        [load(IDS_ARRAY, [B0]) * S + LANE], conj(lt(LANE, S), lt(B0, EXTENT), ge(IDS, 0), lt(IDS, N)),
        annotations=Annotations(below=((IDS_ARRAY, N),))),
    "padded to whole tiles": lambda: run(
        [load(IDS_ARRAY, [FLAT_LANES])], lt(B0 * T, load(USED_ARRAY, [ZERO])),
        assume=ge(T, 1), annotations=PADDED),
    "segments": lambda: run(
        [load(POINTERS, [B0]) + B1 * T + LANE],
        lt(load(POINTERS, [B0]) + B1 * T + LANE, load(POINTERS, [B0 + 1])), (0, 1),
        annotations=Annotations(monotone=frozenset((POINTERS,)))),
    "ticket": lambda: run(
        [of(Opaque("atomic_add(tail)@3", source=Ticket(TAIL))) * T + LANE],
        annotations=Annotations(tickets=frozenset((TAIL,)))),
}


@pytest.mark.parametrize("name", CASES)
def test_proved_with_no_semantic_clause(name: str) -> None:
    derivation = CASES[name]()
    assert derivation.proved, derivation.stuck
    assert not any(a.semantic for a in derivation.clauses)
    assert derivation.steps or derivation.rules


@pytest.mark.parametrize(("index", "axes", "contract"), [
    ([B0 * S + LANE], (0,), "T <= S"),
    ([B1 * S + B0 * T + LANE], (0, 1), "grid[0] * T <= S"),
    ([(B2 * H + B1) * S + LANE], (1, 2), "T <= S and grid[1] <= H"),
    ([floordiv(B0 * T + LANE, N) * S + mod(B0 * T + LANE, N)], (0,), "N <= S"),
    ([t * T + LANE for t in grouped_indices(B0, symbol("R"), symbol("C"), G)], (0,), "grid[0] <= R * C"),
    ([B0 + K * S], (0,), "grid[0] <= S"),
    # rows of one matrix run into those of the next where a tile reaches past its end
    ([K * H + mod(B0, cdiv(H, T)) * T + LANE, floordiv(B0, cdiv(H, T))], (0,), "cdiv(H, T) * T <= H"),
    # blocks are the outermost digit, unless nothing else is declared
    ([B0 * S + K * G + LANE], (0,), "(N - 1) * G + T <= S"),
])
def test_the_missing_bound_becomes_a_clause(index: list[Term], axes: tuple[int, ...], contract: str) -> None:
    derivation = run(index, lt(K, N), axes)
    assert derivation.proved
    wanted = conj(*(c.cond for c in parse(contract) if c.cond is not None))
    assert equivalent(conj(*(a.cond for a in derivation.clauses)), wanted), derivation.clauses


def test_a_clause_has_no_factor_that_all_its_terms_share() -> None:
    derivation = run([(B0 * S + LANE) * H])
    assert [a.cond for a in derivation.clauses] == [le(T, S)]
    assert ge(H, 1) in derivation.assumed


def test_the_search_starts_with_the_model_of_a_related_problem() -> None:
    first = Region((B1 * S + B0 * H + LANE,), TRUE)
    second = Region((B1 * S + B0 * H + G + LANE,), TRUE)
    axes = frozenset((0, 1))

    def admits(c: tuple[Cond, ...]) -> bool:
        return satisfiable(conj(*c), axes) is not None

    alone = across_blocks(first, first, axes, (), UNDECLARED, admits)
    both = across_blocks(first, second, axes, (ge(G, 0),), UNDECLARED, admits, [alone.clauses])
    assert both.proved
    for left_out in both.clauses:
        rest = conj(*(a.cond for a in both.clauses if a is not left_out), ge(G, 0))
        assert not across_blocks(first, second, axes, (rest,)).proved, left_out


DIVIDED = eq(mod(N, T), 0)


@pytest.mark.parametrize("start", [B0 * N, (S - 1 - B0) * N, (B0 + K * grid(0)) * N + N])
def test_whole_tiles_of_rows(start: Term) -> None:
    index, guard = [floordiv(start, T) + counter("j")], conj(lt(counter("j"), floordiv(N, T)), lt(K, S))
    assert run(index, conj(guard, DIVIDED), infer=False).proved
    assert not run(index, guard, infer=False).proved
    assert not run(index, conj(guard, eq(mod(N, T + 1), 0)), infer=False).proved
    assert not run(index, conj(guard, eq(mod(S, T), 0)), infer=False).proved


def test_facts_of_every_alternative_are_known() -> None:
    choice = disj(conj(lt(LANE, S), eq(G, 0)), conj(lt(LANE, S), ge(H, N)))
    assert run([B0 * S + LANE], choice, infer=False).proved
    assert not run([B0 * S + LANE], disj(conj(lt(LANE, S), eq(G, 0)), ge(H, N)), infer=False).proved


@pytest.mark.parametrize(("guard", "limit"), [
    (conj(lt(B0, EXTENT), ge(IDS, 0)), N),
    (conj(lt(B0, EXTENT), lt(IDS, N)), N),
    (conj(lt(B0, EXTENT), ge(IDS, 0), lt(IDS, N)), N - 1),
    (conj(ge(IDS, 0), lt(IDS, N)), N),
])
def test_injective_below_a_limit_does_not_cover_other_values(guard: Cond, limit: Term) -> None:
    annotations = Annotations(below=((IDS_ARRAY, limit),))
    assert not run([IDS], guard, annotations=annotations, infer=False).proved


@pytest.mark.parametrize(("guard", "assume", "annotations"), [
    # the last tile may reach past the elements in use if their number is not a multiple of the tile
    (lt(B0 * T, USED), ge(T, 1), replace(PADDED, multiples=())),
    (lt(B0 * T, USED), ge(T, 1), replace(PADDED, multiples=((USED_ARRAY, T - 1),))),
    (lt(B0 * T, USED + 1), ge(T, 1), PADDED),
    (le(B0 * T, USED), ge(T, 1), PADDED),
    # the result of a read outside its array is not an element
    (lt(B0 * T, load(USED_ARRAY, [H])), ge(T, 1), PADDED),
])
def test_multiples_bound_only_declared_values(guard: Cond, assume: Cond, annotations: Annotations) -> None:
    assert not run([load(IDS_ARRAY, [FLAT_LANES])], guard, assume=assume, annotations=annotations, infer=False).proved


@pytest.mark.parametrize(("index", "guard"), [
    ([LANE], TRUE),
    ([B0 * 0 + LANE], TRUE),
    ([floordiv(B0, const(2)) * T + LANE], TRUE),
    ([B0 + K], lt(B0 + K, N)),
    ([minimum(B0, const(1)) * T + LANE], TRUE),
    ([mod(B0, H) * T + LANE], TRUE),
    ([floordiv(B0, H), mod(B0, H - 1)], ge(H, 3)),
    ([load(IDS_ARRAY, [B0]) * T + LANE], TRUE),
    ([build_opaque("x") * T + LANE], TRUE),
])
def test_unproved_without_a_side_condition(index: list[Term], guard: Cond) -> None:
    assert not run(index, guard, infer=False).proved


def test_a_ticket_distinguishes_blocks_but_not_lanes() -> None:
    tickets = Annotations(tickets=frozenset((TAIL,)))
    region = Region((of(Opaque("atomic_add(tail)@3", source=Ticket(TAIL))),), TRUE)
    assert across_blocks(region, region, frozenset((0,)), (), tickets).proved
    assert not within_operation(region, [Lane(0, T)], (), tickets).proved
    assert not across_iterations(region, "k", (), (), tickets).proved


def test_injective_data_does_not_cover_reads_outside_the_array() -> None:
    region = Region((load(IDS_ARRAY, [B0]),), TRUE)
    known = Annotations(injective=frozenset((IDS_ARRAY,)))
    assert not across_blocks(region, region, frozenset((0,)), (), known).proved


def test_lanes_of_one_operation() -> None:
    assert within_operation(Region((B0 * T + LANE,), TRUE), [Lane(0, T)]).proved
    assert not within_operation(Region((B0 * T + floordiv(LANE, const(2)),), TRUE), [Lane(0, T)]).proved
    both = Region((lane(1, S) * T + LANE,), TRUE)
    assert within_operation(both, [Lane(0, T), Lane(1, S)]).proved
    assert not within_operation(Region((lane(1, S) + LANE,), TRUE), [Lane(0, T), Lane(1, S)]).proved


# --- random regions against the search -------------------------------------------------------------------------------

def _expression(r: random.Random, depth: int, axes: list[int]) -> Term:
    if depth == 0 or r.random() < 0.25:
        coordinates = [bid(k) for k in axes]
        return r.choice([*coordinates, *coordinates, K, LANE, lane(0, 4), lane(1, 2), const(r.randint(0, 3))])
    a, b = _expression(r, depth - 1, axes), _expression(r, depth - 1, axes)
    s = r.choice([T, H, N, G, const(r.randint(2, 4)), grid(r.choice(axes))])
    return r.choice([
        lambda: a + b, lambda: a + b, lambda: a - b, lambda: a * s, lambda: a * s, lambda: floordiv(a, s),
        lambda: mod(a, s), lambda: mod(a, s), lambda: minimum(a, r.choice([s, b])),
        lambda: maximum(a, r.choice([s, b])), lambda: ite(_condition(r, depth - 1, axes), a, b)])()


def _condition(r: random.Random, depth: int, axes: list[int]) -> Cond:
    a = _expression(r, max(depth - 1, 0), axes)
    b = r.choice([T, H, N, G, const(r.randint(0, 3)), _expression(r, 0, axes)])
    return r.choice([lt, ge, eq, ne, le])(a, b)


def _region(r: random.Random) -> Region:
    axes = r.choice([[0], [0], [0, 1]])
    index: list[Term] = []
    for _ in range(r.choice([1, 1, 2])):
        if r.random() < 0.4:
            digits = [*(bid(k) for k in axes), K, LANE]
            r.shuffle(digits)
            x, scale = ZERO, ONE
            for d in digits:
                x, scale = x + d * scale, scale * r.choice([T, H, N, G, const(2), const(3), grid(axes[0])])
        else:
            x = _expression(r, 3, axes)
        s = r.choice([T, H, N, const(3)])
        index += [floordiv(x, s), mod(x, s)] if r.random() < 0.3 else [x]
    guards = [_condition(r, 2, axes) for _ in range(r.choice([0, 1, 1, 2]))]
    if r.random() < 0.5:
        guards.append(lt(K, r.choice([T, H, N, const(3)])))
    if r.random() < 0.15 and len(guards) > 1:
        guards = [disj(*guards, FALSE)]
    return Region(tuple(index), conj(*guards))


def _axes_of(*regions: Region) -> frozenset[int]:
    atoms = {a for r in regions for t in (*r.index, r.guard) for a in atoms_of(t)}
    return frozenset(a.axis for a in atoms if isinstance(a, Bid)) | {0}


@pytest.mark.parametrize("chunk", range(8))
def test_no_proof_is_contradicted_by_the_search(chunk: int) -> None:
    proved = 0
    for seed in range(chunk * 40, chunk * 40 + 40):
        r = random.Random(seed)
        first = _region(r)
        second = _region(r) if r.random() < 0.3 else first
        if len(second.index) != len(first.index):
            second = first
        axes = _axes_of(first, second)
        d = across_blocks(
            first, second, axes, acceptable=lambda c, axes=axes: satisfiable(conj(*c), axes) is not None)
        if d.proved:
            proved += 1
            assume = conj(*d.assumed, *(c.cond for c in d.clauses))
            found = find_collision(
                first, second, axes=axes, assume=assume, same_site=first is second, budget=20000)
            assert found is None, (seed, first, second, d, found)
    assert proved >= 3

"""Bounded search: it finds small collisions, finds none where there is none, and checks what it found."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from tests.symbolic.strategies import Recipe, build, conditions, integers
from tilecheck.solver.model_search import (
    Bound,
    confirm,
    find_collision,
    find_iteration_collision,
    find_model,
    find_necessity_witness,
    satisfiable,
    with_room,
)
from tilecheck.solver.model_search.assignments import Chooser, grids
from tilecheck.solver.model_search.codegen import predicate, value
from tilecheck.symbolic import (
    FALSE,
    TRUE,
    ArrayParam,
    Atom,
    Bid,
    Cond,
    Counter,
    Extent,
    GridDim,
    Lane,
    Opaque,
    Scalar,
    Stride,
    Term,
    app,
    bid,
    bool_opaque,
    build_opaque,
    cdiv,
    conj,
    const,
    counter,
    disj,
    eq,
    evaluate,
    floordiv,
    ge,
    grid,
    gt,
    holds,
    ite,
    lane,
    le,
    load,
    lt,
    minimum,
    mod,
    ne,
    of,
    symbol,
    symbol_from_text,
)
from tilecheck.symbolic.footprint import BlockPoint, Region, Witness

X, Y = frozenset({0}), frozenset({0, 1})
T, U, N, H, S = symbol("T"), symbol("U"), symbol("n"), symbol("H"), symbol("S")
B0, B1 = bid(0), bid(1)
L, R = lane(0, T), lane(1, U)
K = counter("k")


def region(*index: Term, guard: Cond = TRUE, exact: bool = True) -> Region:
    return Region(tuple(index), guard, exact)


def grouped_indices(p: Term) -> tuple[Term, Term]:
    rows, columns = cdiv(symbol("M"), T), cdiv(symbol("N"), U)
    width = 8 * columns
    first = floordiv(p, width) * 8
    height = minimum(rows - first, const(8))
    return first + mod(p, height), floordiv(mod(p, width), height)


COLLIDING = {
    "constant": (region(L), X),
    "dropped axis": (region(B0 * U + R, L), Y),
    "head permutation": (region(floordiv(B0, H), B1, K, L, guard=lt(K, symbol("s"))), Y),
    "half step": (region(B0 * floordiv(T, const(2)) + L), X),
    "wrong radix": (region(floordiv(B0, H), mod(B0, H - 1), L), X),
    "loop without stride": (region((B0 + K) * T + L, guard=lt(B0 + K, N)), X),
    "mask": (region(L, guard=lt(L, N)), X),
    "constant tile": (region(B0 * 64 + lane(0, 128)), X),
    "constant radix": (region(mod(B0, const(8))), X),
    "only one block guarded": (region(const(0), guard=le(B0, 1)), X),
    "cases": (region(ite(lt(B0, N), B0, B0 - N)), X),
    "bits": (region(app("and", B0, const(1) + N - N)), X),
    "row too short": (region(B0 * H + L), X),
    "flag": (region(floordiv(B0, const(2)), guard=bool_opaque(Opaque("flag", True))), X),
    "three axes": (region(B0 + B1 + bid(2)), frozenset({0, 1, 2})),
    "strides": (region(B0 * symbol("x.strides[0]") + B1 * symbol("x.strides[1]") + L), Y),
}


@pytest.mark.parametrize("name", COLLIDING)
def test_collisions_are_found(name: str) -> None:
    access, axes = COLLIDING[name]
    found = find_collision(access, access, axes=axes, same_site=True)
    assert found is not None
    assert confirm(found, access, access)
    assert all(found.grid[axis] >= 2 for axis in axes)
    assert found == find_collision(access, access, axes=axes, same_site=True)


SAFE = {
    "own tile": (region(B0 * T + L), X, TRUE),
    "two axes": (region(B0 * U + R, B1 * T + L), Y, TRUE),
    "persistent": (region((B0 + K * grid(0)) * T + L, guard=lt(B0 + K * grid(0), N)), X, TRUE),
    "digits": (region(floordiv(B0, H), mod(B0, H), L), X, TRUE),
    "grouped": (region(*grouped_indices(B0)), X, le(grid(0), cdiv(symbol("M"), T) * cdiv(symbol("N"), U))),
    "masked rows": (region(B0 * H + L, guard=lt(L, H)), X, TRUE),
    "one block": (region(const(0), guard=eq(B0, 0)), X, TRUE),
    "contract": (region(B0 * H + L), X, le(T, H)),
    "never": (region(const(0), guard=FALSE), X, TRUE),
    "impossible launch": (region(const(0)), X, lt(grid(0), 2)),
    "exclusive or": (region(app("xor", B0, const(1))), X, TRUE),
}


@pytest.mark.parametrize("name", SAFE)
def test_disjoint_accesses_have_no_collision(name: str) -> None:
    access, axes, assume = SAFE[name]
    assert find_collision(access, access, axes=axes, assume=assume, same_site=True) is None


def test_two_statements() -> None:
    even, next_one = region(2 * B0 * T + L), region((B0 + 1) * T + L)
    found = find_collision(even, next_one, axes=X, same_site=False)
    assert found is not None and found.first.block != found.second.block
    assert confirm(found, even, next_one) and not confirm(found, next_one, even)
    assert find_collision(even, region((2 * B0 + 1) * T + L), axes=X, same_site=False) is None
    # the same block may touch an element with both statements
    assert find_collision(region(B0 * T + L), region(B0 * T + L), axes=X, same_site=False) is None


def test_unknown_terms_refute_nothing() -> None:
    for access in (
        region(const(0), exact=False), region(build_opaque("p")), region(const(0), guard=bool_opaque(Opaque("p"))),
    ):
        assert find_collision(access, access, axes=X, same_site=True) is None


def test_array_contents_are_part_of_the_witness() -> None:
    access = region(load(ArrayParam("ids"), (B0,)) * T + L)
    found = find_collision(access, access, axes=X, same_site=True)
    assert found is not None
    assert [key for key, _ in found.data] == ["ids[0]", "ids[1]"]
    assert confirm(found, access, access)
    assert not confirm(replace(found, data=found.data[:1]), access, access)
    other = replace(found, data=(found.data[0], (found.data[1][0], found.data[1][1] + 1)))
    assert not confirm(other, access, access)


def test_reads_are_functions_of_their_index() -> None:
    # equal indexes read equal values: this is the coordinate itself
    access = region(load(ArrayParam("ids"), (const(0),)) + B0)
    assert find_collision(access, access, axes=X, same_site=True) is None
    unknown = region(app("hash", const(3)) + B0)
    assert find_collision(unknown, unknown, axes=X, same_site=True) is None


def test_assumptions_hold_in_the_witness() -> None:
    access = region(B0 * H + L)
    found = find_collision(access, access, axes=X, same_site=True, assume=conj(eq(H, 6), gt(grid(0), 2)))
    assert found is not None and dict(found.scalars)[Scalar("H")] == 6 and found.grid[0] > 2
    assert dict(found.scalars)[Scalar("T")] > 6


def test_arrays_are_dense() -> None:
    row, column, width = symbol("x.strides[0]"), symbol("x.strides[1]"), symbol("x.shape[1]")
    access = region(B0 * row + B1 * column, guard=lt(B1, width))
    assert find_collision(access, access, axes=Y, same_site=True) is None
    assert find_collision(access, access, axes=Y, same_site=True, assume=eq(row, 3)) is None
    # a stride of 0 only where the caller asks for it
    assert find_necessity_witness(ne(column, 0), access, access, Y) is not None


def test_division_by_zero_shows_nothing() -> None:
    access = region(floordiv(const(1), B0))
    assert find_collision(access, access, axes=X, same_site=True) is None


def test_division_behind_its_guard() -> None:
    # every evaluation stands behind a test of the divisor, in any order of the parts
    access = region(mod(const(12), B0), guard=conj(ge(mod(N, B0), 0), ne(B0, 0), ge(B0, 1)))
    found = find_collision(access, access, axes=X, same_site=True)
    assert found is not None and found.element == (0,)


def test_duplicate_lanes() -> None:
    access = region(B0 * T + floordiv(L, const(2)))
    found = find_collision(access, access, axes=X, same_site=True, want="same-block-lanes")
    assert found is not None and found.first.block == found.second.block and found.first.lanes != found.second.lanes
    assert confirm(found, access, access, want="same-block-lanes")
    assert not confirm(found, access, access)
    clean = region(B0 * T + L)
    assert find_collision(clean, clean, axes=X, same_site=True, want="same-block-lanes") is None


def test_duplicate_lanes_of_an_axis_that_is_not_mentioned() -> None:
    access, hidden = region(B0 * T + L), Lane(1, const(4))
    found = find_collision(access, access, axes=X, same_site=True, want="same-block-lanes", lanes=(hidden,))
    assert found is not None
    assert confirm(found, access, access, want="same-block-lanes", lanes=(hidden,))


def test_iterations() -> None:
    again = region(B0 * T + L + 0 * K, guard=lt(K, N))
    found = find_iteration_collision(again, "k")
    assert found is not None and found.first.iterations != found.second.iterations
    assert confirm(found, again, again, want="same-block-iterations", counter="k")
    assert find_iteration_collision(region((B0 * N + K) * T + L, guard=lt(K, N)), "k") is None
    assert find_iteration_collision(region(B0), "k") is None


def test_iterations_of_an_inner_loop() -> None:
    access = region(K + counter("j"), guard=conj(lt(K, 3), lt(counter("j"), 3)))
    assert find_iteration_collision(access, "k") is None
    assert find_iteration_collision(access, "k", outer=()) is not None
    assert find_iteration_collision(access, "j", outer=("k",)) is None


TAMPER: dict[str, Callable[[Witness], Witness]] = {
    "grid too small": lambda w: replace(w, grid=(1, 1, 1)),
    "empty grid": lambda w: replace(w, grid=(w.grid[0], 0, 1)),
    "grid as scalar": lambda w: replace(w, scalars=(*w.scalars, (GridDim(0), w.grid[0] + 1))),
    "element": lambda w: replace(w, element=(w.element[0] + 1,)),
    "rank": lambda w: replace(w, element=(*w.element, 0)),
    "same block": lambda w: replace(w, second=w.first),
    "outside the grid": lambda w: replace(w, second=replace(w.second, block=(99, 0, 0))),
    "negative block": lambda w: replace(w, first=replace(w.first, block=(-1, 0, 0))),
    "another block": lambda w: replace(w, second=replace(w.second, block=(w.second.block[0] + 1, 0, 0))),
    "iteration": lambda w: replace(w, first=replace(w.first, iterations=(("k", 9),))),
    "negative iteration": lambda w: replace(w, first=replace(w.first, iterations=(("k", -1),))),
    "lane": lambda w: replace(w, first=replace(w.first, lanes=(("lane0<T>", 1),))),
    "lane outside": lambda w: replace(w, first=replace(w.first, lanes=(("lane0<T>", 2),))),
    "no lane": lambda w: replace(w, first=replace(w.first, lanes=())),
    "no iteration": lambda w: replace(w, first=replace(w.first, iterations=())),
    "guard": lambda w: replace(w, scalars=((Scalar("T"), 2), (Scalar("n"), 0))),
    "missing scalar": lambda w: replace(w, scalars=((Scalar("T"), 2),)),
    "twice": lambda w: replace(w, scalars=(*w.scalars, (Scalar("n"), 7))),
}

TAMPERED = region((B0 + K) * T + L, guard=lt(B0 + K, N))
HONEST = Witness(
    (2, 1, 1), ((Scalar("T"), 2), (Scalar("n"), 2)), BlockPoint((0, 0, 0), (("k", 1),), (("lane0<T>", 0),)),
    BlockPoint((1, 0, 0), (("k", 0),), (("lane0<T>", 0),)), (2,),
)


def test_confirms_an_honest_witness() -> None:
    assert confirm(HONEST, TAMPERED, TAMPERED)
    assert not confirm(HONEST, TAMPERED, TAMPERED, assume=gt(N, 2))
    assert not confirm(HONEST, TAMPERED, replace(TAMPERED, exact=False))
    assert not confirm(HONEST, TAMPERED, replace(TAMPERED, guard=FALSE))
    assert not confirm(HONEST, TAMPERED, TAMPERED, want="same-block-lanes")


@pytest.mark.parametrize("how", TAMPER)
def test_rejects_a_tampered_witness(how: str) -> None:
    assert not confirm(TAMPER[how](HONEST), TAMPERED, TAMPERED)


def test_necessary_clauses() -> None:
    access = region(B0 * H + L)
    found = find_necessity_witness(le(T, H), access, access, X)
    assert found is not None and dict(found.scalars)[Scalar("T")] > dict(found.scalars)[Scalar("H")]
    strided = region(B0 * S)
    zero = find_necessity_witness(ne(S, 0), strided, strided, X)
    assert zero is not None and dict(zero.scalars)[Scalar("S")] == 0
    assert find_necessity_witness(le(grid(0), N), region(B0), region(B0), X) is None
    others = le(T, H - 1)
    assert find_necessity_witness(le(T, H), access, access, X, others) is None


def test_satisfiable() -> None:
    found = satisfiable(conj(le(grid(0), cdiv(N, T)), eq(N, T * 8)), X)
    assert found is not None and found[GridDim(0)] >= 2 and found[Scalar("n")] == 8 * found[Scalar("T")]
    assert satisfiable(le(grid(0), 1), X) is None
    assert satisfiable(le(grid(0) * grid(1), 3), Y) is None
    assert satisfiable(le(grid(0), 1), frozenset({1})) is not None
    assert satisfiable(FALSE, X) is None
    assert satisfiable(TRUE, X) is not None


def test_models() -> None:
    for cond in (gt(N * T, 1000), conj(eq(N, T * 7), gt(T, 300)), eq(mod(N, T), 1), eq(grid(0), 1)):
        found = find_model(cond)
        assert found is not None and holds(cond, found)
    broken = find_model(eq(mod(N, T), 0), holds=False)
    assert broken is not None and broken[Scalar("n")] % broken[Scalar("T")]
    assert find_model(le(N, N + 1), holds=False) is None
    assert find_model(eq(T, 2 * N), fixed={Scalar("n"): 21}) == {Scalar("T"): 42, Scalar("n"): 21}
    assert find_model(lt(N, 5), fixed={Scalar("n"): 7}) is None
    assert find_model(eq(B0, 1)) is None


def test_grids_have_several_blocks_on_every_axis_first() -> None:
    for axes in (X, Y, frozenset({0, 1, 2}), frozenset({2})):
        assert all(grids(axes)[0][axis] == (2 if axis in axes else 1) for axis in range(3))
        assert len(set(grids(axes))) == len(grids(axes))
        assert all(max(g) > 1 for g in grids(axes))


LEAVES: tuple[Atom, ...] = (symbol_from_text("a"), Bid(0), Counter("c"))


@settings(max_examples=200, deadline=None)
@given(integers(), conditions())
def test_generated_code_agrees(recipe: Recipe, condition: Recipe) -> None:
    term, cond = build(recipe), build(condition)
    compute, check = value(term, LEAVES), predicate(cond, LEAVES)
    for values in ((1, 2, 3), (-4, 0, 5), (6, 1, 0), (7, -3, 2)):
        env = dict(zip(LEAVES, values, strict=True))
        for ours, reference in ((compute, lambda e: evaluate(term, e)), (check, lambda e: holds(cond, e))):
            try:
                expected = reference(env)
            except ArithmeticError:
                continue
            # parts of a condition may be tested in another order, and so meet a division by zero
            with suppress(ArithmeticError):
                assert ours(values, lambda *_: 0) == expected


@settings(max_examples=60, deadline=None)
@given(integers(3), conditions(3))
def test_found_models_are_confirmed(recipe: Recipe, condition: Recipe) -> None:
    access = Region((build(recipe),), build(condition))
    found = find_collision(access, access, axes=X, same_site=True, budget=2000)
    if found is not None:
        assert confirm(found, access, access)


def test_disjunction_guards() -> None:
    access = region(const(0), guard=disj(eq(B0, 1), conj(eq(B0, 3), lt(N, 3))))
    found = find_collision(access, access, axes=X, same_site=True)
    assert found is not None and {found.first.block[0], found.second.block[0]} == {1, 3}


def test_extents_grow_until_all_bounds_hold() -> None:
    i, extent = bid(0), symbol("c.shape[0]")
    store = Region((i,), TRUE)
    load = Region((i + 1,), TRUE)
    w = find_collision(store, load, axes=frozenset({0}), assume=ge(extent, 2), same_site=False)
    assert w is not None and dict(w.scalars) == {Extent(ArrayParam("c"), 0): 2}
    asked: list[Witness] = []

    def confirm_asked(found: Witness) -> bool:
        asked.append(found)
        return confirm(found, store, load, assume=ge(extent, 2))

    larger = with_room(w, [Bound(i + 1, extent, TRUE)], confirm_asked)
    assert dict(larger.scalars) == {Extent(ArrayParam("c"), 0): 3} and asked == [larger]
    assert with_room(larger, [Bound(i + 1, extent, TRUE)], confirm_asked) == larger and len(asked) == 1
    # a collision that does not survive, an index before the array, and one that grows with the array: as it was
    assert with_room(w, [Bound(i + 1, extent, TRUE)], lambda _: False) == w
    assert with_room(w, [Bound(i - 1, extent, TRUE)], confirm_asked) == w
    assert with_room(w, [Bound(i + extent, extent, TRUE)], confirm_asked) == w
    # what the witness does not say is not judged
    assert with_room(w, [Bound(i + 1, symbol("a.shape[0]"), TRUE)], confirm_asked) == w


def test_an_inner_extent_does_not_grow_where_strides_are_given() -> None:
    i = bid(0)
    scalars = ((Extent(ArrayParam("c"), 1), 1), (Stride(ArrayParam("c"), 0), 1))
    w = Witness((2, 1, 1), scalars, BlockPoint((0, 0, 0), (), ()), BlockPoint((1, 0, 0), (), ()), (0, 0))
    assert with_room(w, [Bound(i, symbol("c.shape[1]"), TRUE)], lambda _: True) == w


def test_drawn_models_satisfy_the_conditions_with_dense_strides() -> None:
    rows, columns, outer, inner, tile = (symbol_from_text(n) for n in (
        "x.shape[0]", "x.shape[1]", "x.strides[0]", "x.strides[1]", "T"))
    chooser = Chooser((rows, columns, outer, inner, tile), tiles=frozenset((tile,)))
    assert chooser.require((lt(of(tile), of(columns)), eq(mod(of(columns), of(tile)), 0), le(of(rows), 5)))
    found = list(chooser.draws(((2, 1, 1), (2, 2, 1)), 7, 60))
    assert len(found) > 12 and len(set(found)) == len(found)
    for extents, (m, n, s, t, size) in found:
        assert extents in ((2, 1, 1), (2, 2, 1))
        assert size < n and n % size == 0 and m <= 5 and s >= n * t and t >= 1 and size & (size - 1) == 0
    assert found == list(chooser.draws(((2, 1, 1), (2, 2, 1)), 7, 60))


def test_given_values_are_drawn_at_most_once() -> None:
    n, m = symbol_from_text("n"), GridDim(0)
    for number, drawn in ((4, [((2, 1, 1), (4, 2))]), (1, [])):
        chooser = Chooser((n, m), fixed={n: number})
        assert chooser.require((lt(of(m), of(n)),))
        assert list(chooser.draws(((2, 1, 1),), 1, 50)) == drawn

"""Faults planted in what decides about bounds and padding, each in one rule or transfer function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from tests.oracle.aspects import Kind
from tilecheck.interp.kernel import bounds_requirements
from tilecheck.interp.kernel.poison import loops, propagation, sources
from tilecheck.obligations import bounds as bounds_obligations
from tilecheck.obligations import padding as padding_obligations
from tilecheck.solver import bounds as bounds_prover
from tilecheck.symbolic import FALSE, ONE, ge


@dataclass(frozen=True)
class Fault:
    """The function that plants a fault, the kernels that show it, and the constructs to try first."""

    plant: Callable[[], None]
    subject: Kind
    constructs: tuple[str, ...] = ()


Make = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Builds the faulty function from the one that it replaces."""


def _replace_function(original: Callable[..., Any], make: Make) -> None:
    """Replace a function in every module of the checker that uses it."""
    other = make(original)
    for known in [m for n, m in sys.modules.items() if n.startswith("tilecheck.")]:
        for held, value in list(vars(known).items()):
            if value is original:
                setattr(known, held, other)


def _method(owner: type, original: Callable[..., Any], make: Make) -> None:
    """Replace a method of a class."""
    setattr(owner, original.__name__, make(original))


def _drop_clauses(found: Any) -> Any:
    """A proof that does not say what it rests on."""
    return None if found is None else replace(found, clauses=())


# --- bounds ----------------------------------------------------------------------------------------------------------

def never_negative() -> None:
    """The lower end is taken for granted."""
    _replace_function(bounds_prover.prove_inside, lambda original: lambda at, end, conds, *rest, **more: original(
        at, end, (*conds, ge(at, 0)), *rest, **more))


def one_past_the_end() -> None:
    """`at <= end` is enough."""
    _replace_function(bounds_prover.prove_inside,
             lambda original: lambda at, end, *rest, **more: original(at, end + 1, *rest, **more))


def limits_forgotten() -> None:
    """The clauses that limit the launch are not reported."""
    _replace_function(
        bounds_prover.prove_inside, lambda original: lambda *args, **more: _drop_clauses(original(*args, **more))
    )


def limit_rounded_up() -> None:
    """A limit on a number of tiles is rounded up."""
    inside: Any = bounds_prover
    floordiv = inside.floordiv
    inside.floordiv = lambda a, b: floordiv(a, b) + 1


def one_case_for_all() -> None:
    """One value of a choice stands for the others."""
    inside: Any = bounds_prover
    values = inside._values
    inside._values = lambda a: list(values(a))[:1]


def way_without_its_end() -> None:
    """By way of a number of tiles, without a word about the limit behind it."""
    inside: Any = bounds_prover
    through = inside._prove_by_tiles
    inside._prove_by_tiles = lambda *args: _drop_clauses(through(*args))


def extent_for_nothing() -> None:
    """An extent is as large as it needs to be."""
    inside: Any = bounds_prover
    alone = inside._extent_alone
    inside._extent_alone = lambda *args: _drop_clauses(alone(*args))


def tiles_of_one_element() -> None:
    """A tile begins at its index."""
    _replace_function(bounds_requirements.of_tile, lambda original: lambda axis, index, step, *rest: original(
        axis, index, ONE, *rest))


def checked_all_the_same() -> None:
    """An access without a bounds check has one."""
    _replace_function(bounds_requirements.of_tile,
             lambda original: lambda axis, index, step, extent, lanes, end, unchecked: original(
                 axis, index, step, extent, lanes, end, FALSE))


def first_axis_alone() -> None:
    """One axis decides."""
    bounds: Any = bounds_obligations
    merged = bounds._merge_outcomes
    bounds._merge_outcomes = lambda outcomes: merged(outcomes[:1])


def signs_forgotten() -> None:
    """The signs of launch scalars that a proof assumes are not reported."""
    bounds: Any = bounds_obligations
    assert bounds._of_tile
    bounds._of_tile = lambda *args: True


# --- padding ---------------------------------------------------------------------------------------------------------

def reductions_of_what_is_there() -> None:
    """A reduction leaves out what lies outside."""
    _replace_function(propagation.combine_lanes, lambda original: lambda *args: ())


def scans_from_either_end() -> None:
    """An undefined lane at the end stays there, even in a scan from the end."""
    shadows: Any = propagation
    shadows._tail = lambda *args: True


def where_takes_one_side() -> None:
    """The second value of `where` is never taken."""
    bare = propagation.with_shadow
    _replace_function(propagation.select_lanes, lambda original: lambda m, cond, then, other, result: original(
        m, cond, then, bare(other, ()), result))


def or_is_and() -> None:
    """`|` keeps lanes out as `&` does."""
    _replace_function(propagation.masks, lambda original: lambda m, op, *rest: original(m, "&", *rest))


def moving_cleans() -> None:
    """Tiles that are transposed or reshaped have no undefined lanes."""
    _replace_function(
        sources.rename_lanes, lambda original: lambda shadow, move: () if move else original(shadow, move)
    )


def later_parts_defined() -> None:
    """Of parts that are put together only the first one has undefined lanes."""
    _replace_function(propagation.place_part, lambda original: lambda shadow, axis, extent, start, *rest: (
        () if start.monos else original(shadow, axis, extent, start, *rest)))


def branch_not_taken() -> None:
    """The second of two branches defines all lanes."""
    bare = propagation.with_shadow
    _replace_function(propagation.join_values, lambda original: lambda m, cond, a, b, result: original(
        m, cond, a, bare(b, ()), bare(result, ())))


def extents_nearly_agree() -> None:
    """An output may be one larger than the input."""
    padding: Any = padding_obligations
    agreement = padding._agreement

    def agree_wrongly(total: Any) -> Any:
        found = agreement(total)
        return None if found is None else ge(found.term + 1, 0)

    padding._agreement = agree_wrongly


def tiles_divide() -> None:
    """Extents are multiples of tiles."""
    is_aligned = padding_obligations._is_aligned
    _method(padding_obligations._Load, padding_obligations._Load._prove_inside, lambda original: lambda self, edge: (
        frozenset() if is_aligned(edge) else original(self, edge)))


def one_operand() -> None:
    """Only the first operand of an operator has undefined lanes."""
    _replace_function(propagation.elementwise, lambda original: lambda m, result, *operands: original(
        m, result, *operands[:1]))


def second_factor_defined() -> None:
    """The second operand of a matrix product has no undefined lanes."""
    bare = propagation.with_shadow
    _replace_function(propagation.product, lambda original: lambda m, x, y, *rest: original(m, x, bare(y, ()), *rest))


def stores_drop_what_is_outside() -> None:
    """A store drops undefined lanes."""
    _replace_function(propagation.get_stored_poison, lambda original: lambda value: ())


def conditions_forgotten() -> None:
    """The conditions on the launch are not reported."""
    _method(padding_obligations._Load, padding_obligations._Load.decide,
            lambda original: lambda *args: _drop_clauses(original(*args)))


def nothing_carried() -> None:
    """A loop carries no undefined lanes."""
    _replace_function(loops.solve_poison, lambda original: lambda *args, **more: {})


def masks_clean() -> None:
    """Any mask keeps undefined lanes out."""
    conjuncts = padding_obligations.conjuncts
    _method(padding_obligations._Load, padding_obligations._Load._contradiction,
            lambda original: lambda self, o, undefined: (
                frozenset() if len(conjuncts(undefined)) > 1 else original(self, o, undefined)))


FAULTS: Final[dict[str, Fault]] = {
    "lower end": Fault(never_negative, "bounds", ("clamp missing", "clamped one too late", "index one off")),
    "upper end": Fault(one_past_the_end, "bounds", ("loop one too far", "own_tile", "view_as_tiles")),
    "limits": Fault(limits_forgotten, "bounds", ("own_tile", "access_unchecked")),
    "rounding": Fault(limit_rounded_up, "bounds", ("whole_tiles", "access_unchecked", "given_length")),
    "cases": Fault(one_case_for_all, "bounds", ("chosen_place", "split")),
    "way": Fault(way_without_its_end, "bounds", ("folded_grid", "heads")),
    "extent": Fault(extent_for_nothing, "bounds", ("fixed_place",)),
    "tiles": Fault(tiles_of_one_element, "bounds", ("own_tile", "row_loop")),
    "checks": Fault(checked_all_the_same, "bounds", ("whole_tiles",)),
    "axes": Fault(first_axis_alone, "bounds", ("row_loop", "contraction", "own_tile")),
    "signs": Fault(signs_forgotten, "bounds", ("moved_by_a_scalar",)),
    "reductions": Fault(reductions_of_what_is_there, "padding", ("row_reduced", "wholly_reduced")),
    "scans": Fault(scans_from_either_end, "padding", ("scan_lanes",)),
    "where": Fault(where_takes_one_side, "padding", ("sides of where swapped",)),
    "masks": Fault(or_is_and, "padding", ("either mask",)),
    "moves": Fault(moving_cleans, "padding", ("stored_transposed", "round_trip")),
    "parts": Fault(later_parts_defined, "padding", ("parts_of_a_tile",)),
    "branches": Fault(branch_not_taken, "padding", ("under_flag", "row_loop")),
    "agreement": Fault(extents_nearly_agree, "padding", ("vector", "store_lanes", "output larger than the input")),
    "divides": Fault(tiles_divide, "padding", ("row_loop", "product")),
    "operands": Fault(one_operand, "padding", ("second_load", "reuse")),
    "factors": Fault(second_factor_defined, "padding", ("product", "multiply_lanes", "attention_tail")),
    "stores": Fault(stores_drop_what_is_outside, "padding", ("vector", "output larger than the input")),
    "conditions": Fault(conditions_forgotten, "padding", ("row_reduced", "product")),
    "loops": Fault(nothing_carried, "padding", ("row_loop", "loop_over_rows")),
    "cleaning": Fault(masks_clean, "padding", ("mask one too wide", "clean_lanes", "limit of the other axis")),
}

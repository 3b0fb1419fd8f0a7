"""Reasons of verdicts in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from itertools import groupby
from typing import Final

from msgspec import Struct

from tilecheck.interp.kernel.dialect.ownership import Construction
from tilecheck.interp.kernel.source_names import spell_term, spelling
from tilecheck.obligations.reasons import Cause
from tilecheck.rules.messages.wording import block_name, blocks, element_of
from tilecheck.symbolic import UNKNOWN_ARRAY, Array, Cond, Term
from tilecheck.symbolic.footprint import Witness
from tilecheck.symbolic.steps import Lemma, ProofStep, Reason

__all__ = ["REASONS", "Words", "name_slice", "reason_text", "sentence_of", "sentences"]


class Words(Struct, frozen=True):
    """How terms are written in a reason.

    step    a term or a condition of a proof step
    clause  a term as contract text writes it
    """

    step: Callable[[Term | Cond], str]
    clause: Callable[[Term], str]


_PLAIN: Final = Words(spelling, spell_term)


def sentences(reason: Reason) -> tuple[str, ...]:
    """A reason in the words of reports, one sentence for each step; two in a row that read alike are one."""
    return tuple(text for text, _ in groupby(sentence_of(step, _PLAIN) for step in reason))


def reason_text(reason: Reason) -> str:
    """A reason as one text, as it stands behind a colon."""
    return "; ".join(sentences(reason))


def sentence_of(step: ProofStep, words: Words) -> str:
    """One step, without a full stop."""
    return REASONS[step.rule](words, *step.operands)


def _collision(w: Words, array: Array, witness: Witness, axes: frozenset[int]) -> str:
    return f"{blocks(witness, axes)} both touch {element_of(array, witness)}"


def _name_whole(array: Array) -> str:
    return "tile" if array is UNKNOWN_ARRAY else "array"


def name_slice(array: Array) -> str:
    """A slice of an array, or a part of a tile."""
    return "this part of the tile" if array is UNKNOWN_ARRAY else f"this slice of `{array}`"


REASONS: Final[Mapping[Enum, Callable[..., str]]] = {
    Lemma.NEVER_ZERO: lambda w, number: f"two equal indices would need {number} == 0",
    Lemma.INCONGRUENT: lambda w, difference, modulus: f"indices differ by {difference} modulo {modulus}",
    Lemma.DIGIT: lambda w, high, low, base:
        f"{w.step(high)} is a digit of its own: {w.step(low)} stays below {w.step(base)}",
    Lemma.SAME: lambda w, x: f"{w.step(x)} is the same in both",
    Lemma.VALUE: lambda w, x, value: f"{w.step(x)} must be {w.step(value)}",
    Lemma.INVERSE: lambda w, x, d: f"quotient and remainder of {w.step(x)} by {w.step(d)} fix it",
    Lemma.CONGRUENT: lambda w, x, d: f"{w.step(x)} is fixed: it is known modulo {w.step(d)}, and within {w.step(d)}",
    Lemma.BELOW: lambda w, x, d: f"{w.step(x)} stays below {w.step(d)}",
    Lemma.DIVIDES: lambda w, d, x: f"{w.step(d)} divides {w.step(x)}",
    Lemma.ZERO: lambda w, x: f"{w.step(x)} is 0 by the guards",
    Lemma.FIXED: lambda w, x: f"{w.step(x)} is fixed by the guards",
    Lemma.OUT_OF_RANGE: lambda w, x: f"{w.step(x)} cannot be equal for the two: their ranges do not meet",
    Lemma.EXCLUSIVE: lambda w: "the two accesses exclude each other",
    Lemma.EXCLUSIVE_CONDITIONS: lambda w: "the conditions of the two accesses exclude each other",
    Lemma.INJECTIVE: lambda w, array: f"{array} holds no value twice",
    Lemma.SEGMENTS: lambda w, array: f"the segments of {array} do not overlap",
    Lemma.TICKET: lambda w, counter: f"{counter} gives no two blocks the same value",
    Lemma.WINNER: lambda w, counter: f"{counter} lets only one block through",
    Lemma.CASES: lambda w, what: f"by cases on {w.step(what)}",

    Cause.MAY_TOUCH_ALL: lambda w, construct, array: f"{construct} may read and write all of `{array}`",
    Cause.MAY_WRITE: lambda w, construct: f"{construct or 'an unknown array'} is written",
    Cause.UNKNOWN_ARRAY: lambda w: "it is not known which array this touches",
    Cause.RANKS_DIFFER: lambda w, array, first, second: f"`{array}` is used with {first} and with {second} indices",
    Cause.TOO_MANY_PAIRS: lambda w: "the kernel has more pairs of accesses than are looked at",
    Cause.NOT_UNDERSTOOD: lambda w: "part of the index or of a condition was not understood",
    Cause.FROM_DATA: lambda w: "the location depends on data",
    Cause.FROM_ARRAY: lambda w, array: f"the location depends on the contents of `{array}`",
    Cause.INDEX_FROM_ARRAY: lambda w, array: f"it depends on the contents of `{array}`",
    Cause.WOULD_PROVE: lambda w, annotation: f"`{annotation}` would prove it",
    Cause.WRAPS: lambda w, number, bits: f"`{w.clause(number)}` is computed in {bits} bits, and nothing bounds it",
    Cause.WOULD_BOUND: lambda w, array:
        f"declaring `range({array}, lo, hi)`, with numbers between which it lies, would bound it",
    Cause.TOO_WIDE: lambda w: "an index is larger than 32 bits hold in every launch",

    Cause.NEVER_BOTH: lambda w: "no launch makes both accesses",
    Cause.NO_COORDINATE: lambda w: "the kernel reads no block coordinate, so it is for one block",
    Cause.NO_COORDINATE_HERE: lambda w: "the kernel reads no block coordinate under these conditions",
    Cause.ATOMIC: lambda w: "every block updates the element atomically",
    Cause.ATOMICS_BETWEEN: lambda w:
        "atomics stand between the write and the read; that they order the two is not shown",
    Cause.LAST_DRAW: lambda w, counter, number:
        f"only the block that draws `{w.clause(number)}` from `{counter}` reads; this comes after all writes if "
        f"`{counter}` is 0 at the launch, `{w.clause(number)}` is one less than the number of blocks, and each block "
        "draws once, after its writes, in the order acq_rel; these conditions are not checked",
    Cause.DECLARED_LOCK: lambda w, array: f"declared: blocks that meet hold the lock `{array}`",
    Cause.LOCKED: lambda w, array: f"both blocks hold the lock `{array}` while they touch the element",
    Cause.UNORDERED_LOCK: lambda w, array: f"the lock `{array}` does not order the accesses that it surrounds",
    Cause.BY_SOLVER: lambda w: "the solver finds no two blocks that meet",
    Cause.INDEX_DETERMINES_BLOCK: lambda w: "the index determines the block",
    Cause.SIGNS_EXCLUDED: lambda w:
        "the access is made where a launch scalar is 0 or negative, and the proof is for positive ones",
    Cause.NO_ROOM: lambda w: "no launch with several blocks satisfies what the proof would need",
    Cause.ONE_OF_TWO: lambda w: "one launch makes only one of the two accesses",
    Cause.COLLISION: _collision,
    Cause.EXECUTED_AT_LAUNCHES: lambda w: "every seen launch was executed in numbers, without a failure",
    Cause.ROWS_OVERLAP: lambda w, array, witness, axes:
        f"rows that begin at an element of `{array}` are not compared with the end of their segment",
    Cause.DRAWN_IN_TURN: lambda w, counter, witness, axes:
        f"two blocks touch one element where blocks draw numbers of `{counter}` one after the other",
    Cause.NOTHING_FOUND: lambda w: "no proof was found, and no collision in small launches",

    Cause.OWN_ELEMENT: lambda w: "each lane has its own element",
    Cause.LANES_COLLIDE: lambda w: "two lanes write one element",
    Cause.LANES_OPEN: lambda w: "no proof was found that the lanes are disjoint",
    Cause.OWN_ELEMENTS: lambda w: "each iteration has its own elements",
    Cause.ITERATIONS_COLLIDE: lambda w: "two iterations write one element",
    Cause.ITERATIONS_OPEN: lambda w: "no proof was found that the iterations are disjoint",

    Construction.OWN_PIECE: lambda w, array: f"each block stores its own piece of `{array}` (one piece a block)",
    Construction.OWN_CELL: lambda w, array:
        f"each block stores only through the cell that `{array}` issued for it (one cell a block)",
    Construction.OWN_CELLS: lambda w, array:
        f"each block stores only through the cells that `{array}` issued for it, and the schedule gives no cell to two "
        "blocks",
    Construction.OWN_NESTED: lambda w, array: f"each block stores only nested tiles of its own piece of `{array}`",
    Construction.OWN_SELECTED: lambda w, array:
        f"a tile that a value selects is stored only if it lies in the block's own piece of `{array}`",
    Construction.SCATTERS_OWN: lambda w, array: f"each block scatters only into its own piece of `{array}`",
    Construction.READS_OWN: lambda w, array: f"each block reads back only its own piece of `{array}`",
    Construction.REACHES_AS_FAR: lambda w, array, other: f"`{array}` reaches as far as `{other}`",
    Construction.SHAPE_OPEN: lambda w:
        "the shape of the stored tile is not known, and a tile of another shape lies in another piece",
    Cause.LENT_ARRAY: lambda w: "the kernel only borrows the array",
    Cause.NO_ATOMIC: lambda w: "it is not atomic",
    Cause.NESTED_REACHES_OUT: lambda w: "a nested tile may reach into the next piece",
    Cause.OTHER_SHAPE: lambda w: "a tile of another shape lies in another piece",
    Cause.NOT_OWN_PIECE: lambda w: "it does not go through a piece that the block owns",

    Cause.NEVER_MADE: lambda w: "no launch makes this access",
    Cause.NEVER_INSIDE: lambda w: "no launch keeps it inside",
    Cause.OUTSIDE_AT_LAUNCH: lambda w: "it is outside in a seen launch",
    Cause.LAST_ITERATION_OUTSIDE: lambda w: "the last iteration of the loop is outside",
    Cause.STAYS_INSIDE: lambda w, index: f"`{w.clause(index)}` stays inside",
    Cause.STAYS_INSIDE_UNDER_CONTRACT: lambda w, index:
        f"`{w.clause(index)}` stays inside where the launch keeps to it",
    Cause.INSIDE_OPEN: lambda w: "no proof was found that it stays inside",
    Cause.MULTIPLE: lambda w, x, d: f"{w.clause(x)} is a multiple of {w.clause(d)}",
    Cause.NO_MULTIPLE: lambda w, block, axes, d, rest:
        f"in block {block_name(block, axes)} dividing by {w.clause(d)} leaves {rest}",
    Cause.MULTIPLE_OPEN: lambda w, x, d: f"whether {w.clause(x)} is a multiple of {w.clause(d)} is not known",
    Cause.SLICE_INSIDE: lambda w: "it lies inside",
    Cause.SLICE_INSIDE_WHERE: lambda w, condition: f"it lies inside where `{condition}`",
    Cause.SLICE_BEGIN_OPEN: lambda w, array, start:
        f"could not prove that it begins inside the {_name_whole(array)}: it begins at `{w.clause(start)}`",
    Cause.SLICE_ORDER_OPEN: lambda w, start, stop:
        f"could not prove that it ends after it begins: from `{w.clause(start)}` to `{w.clause(stop)}`",
    Cause.SLICE_END_OPEN: lambda w, array, stop:
        f"could not prove that it ends inside the {_name_whole(array)}: it ends at `{w.clause(stop)}`",
    Cause.SLICE_BEGINS_BEFORE: lambda w, array, axis, start:
        f"{name_slice(array)} along axis {axis} begins at `{w.clause(start)}`, before the {_name_whole(array)}",
    Cause.SLICE_REVERSED: lambda w, array, axis, stop, start:
        f"{name_slice(array)} along axis {axis} ends at `{w.clause(stop)}`, before it begins at "
        f"`{w.clause(start)}`",
    Cause.SLICE_ENDS_PAST: lambda w, array, axis, stop, extent:
        f"{name_slice(array)} along axis {axis} ends at `{w.clause(stop)}`, past the extent `{w.clause(extent)}`",

    Cause.LANES_NOT_FOLLOWED: lambda w, construct: f"where the lanes go is not followed: {construct}",
    Cause.LANES_LOST: lambda w, construct: construct,
    Cause.NO_LANE_MATTERS: lambda w: "no lane outside the array makes a difference",
    Cause.TILE_INSIDE: lambda w: "the tile lies inside the array",
    Cause.WHOLE_TILES: lambda w:
        "the lanes are not followed to their uses, and none lies outside where the tiles are whole",
    Cause.LANES_MIXED: lambda w: "which lanes of the tile get here is not followed",
    Cause.TOO_MANY_CONDITIONS: lambda w: "too many conditions to look at",
    Cause.CONDITIONS_EXCLUDE: lambda w: "the conditions exclude each other",
    Cause.USES_NONE_WITH_EXTENTS: lambda w: "nothing outside is used where the extents agree",
    Cause.USES_NONE: lambda w: "nothing outside is used",
    Cause.MASKED_BY: lambda w, array: "the lanes are masked by " + (
        "something that is not followed" if array is None else f"the contents of `{array}`"),
    Cause.LOOP_INSIDE: lambda w: "the loop stays inside the array",
    Cause.STORES_NONE_WITH_EXTENTS: lambda w: "nothing outside is stored where the extents agree",
    Cause.USES_NONE_UNDER_CONDITION: lambda w: "nothing outside is used under a condition",
    Cause.LANE_USED: lambda w: "a lane outside the array is used",
    Cause.USE_OPEN: lambda w: "no proof was found that nothing outside the array is used",
}
"""The text of each step by its rule."""

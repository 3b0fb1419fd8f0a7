"""Reasons of verdicts beside the steps of a proof."""

from __future__ import annotations

from enum import Enum

from tilecheck.symbolic.steps import ProofStep, Reason

__all__ = ["Cause", "because", "depends_on_example"]


class Cause(Enum):
    """Why an obligation has its verdict. Behind each stand its operands."""

    # --- constructs and values that are not modelled
    MAY_TOUCH_ALL = "may touch all"
    """construct, array: an unsupported construct may read and write all of the array"""
    MAY_WRITE = "may write"
    """construct or None: an unsupported construct, or a write of an unknown array, may write here"""
    UNKNOWN_ARRAY = "unknown array"
    RANKS_DIFFER = "ranks differ"
    """array, number of indices, another one"""
    TOO_MANY_PAIRS = "too many pairs"
    NOT_UNDERSTOOD = "not understood"
    """Part of an index or of a condition is opaque."""
    FROM_DATA = "from data"
    """The location depends on data."""
    FROM_ARRAY = "from array"
    """array: the location depends on its contents"""
    INDEX_FROM_ARRAY = "index from array"
    """array: the index depends on its contents"""
    WOULD_PROVE = "would prove"
    """annotation: declared, it would complete the proof"""
    WRAPS = "wraps"
    """number, bits: it is computed in so many bits, and has no bound"""
    WOULD_BOUND = "would bound"
    """array: a declared range of its elements would bound the number"""
    TOO_WIDE = "too wide"
    """An index exceeds 32 bits in every launch."""

    # --- pairs of accesses
    NEVER_BOTH = "never both"
    NO_COORDINATE = "no coordinate"
    NO_COORDINATE_HERE = "no coordinate here"
    """Under the path conditions of the access the kernel reads no block coordinate."""
    ATOMIC = "atomic"
    ATOMICS_BETWEEN = "atomics between"
    LAST_DRAW = "last draw"
    """counter, number: only the block that draws this number from the counter reads"""
    DECLARED_LOCK = "declared lock"
    """array of locks"""
    LOCKED = "locked"
    """array of locks: both blocks hold one of them"""
    UNORDERED_LOCK = "unordered lock"
    """array of locks: they do not order the accesses that they surround"""
    BY_SOLVER = "by solver"
    INDEX_DETERMINES_BLOCK = "index determines block"
    SIGNS_EXCLUDED = "signs excluded"
    """The proof holds for positive scalars, with which the access is not made."""
    NO_ROOM = "no room"
    """No launch with several blocks satisfies the preconditions of the proof."""
    ONE_OF_TWO = "one of two"
    """A launch makes only one of the accesses."""
    COLLISION = "collision"
    """array, witness, axes that the kernel reads: two blocks touch one element"""
    ROWS_OVERLAP = "rows overlap"
    """array, witness, axes that the kernel reads: rows from its elements on are compared with the end of no segment"""
    DRAWN_IN_TURN = "drawn in turn"
    """counter, witness, axes that the kernel reads: blocks that draw numbers of it one after the other touch one
    element"""
    NOTHING_FOUND = "nothing found"
    """Neither a proof nor, in small launches, a collision."""
    EXECUTED_AT_LAUNCHES = "executed at launches"
    """Every seen launch was executed in numbers, and nothing failed."""

    # --- one operation, one loop
    OWN_ELEMENT = "own element"
    LANES_COLLIDE = "lanes collide"
    LANES_OPEN = "lanes open"
    OWN_ELEMENTS = "own elements"
    ITERATIONS_COLLIDE = "iterations collide"
    ITERATIONS_OPEN = "iterations open"

    # --- rules of the dialect
    LENT_ARRAY = "lent array"
    NO_ATOMIC = "no atomic"
    NESTED_REACHES_OUT = "nested reaches out"
    OTHER_SHAPE = "other shape"
    NOT_OWN_PIECE = "not own piece"

    # --- bounds
    NEVER_MADE = "never made"
    NEVER_INSIDE = "never inside"
    OUTSIDE_AT_LAUNCH = "outside at launch"
    LAST_ITERATION_OUTSIDE = "last iteration outside"
    STAYS_INSIDE = "stays inside"
    """index: it stays inside"""
    STAYS_INSIDE_UNDER_CONTRACT = "stays inside under contract"
    """index: it stays inside where the launch satisfies the clauses"""
    INSIDE_OPEN = "inside open"
    MULTIPLE = "multiple"
    """value, divisor: the one is a multiple of the other"""
    NO_MULTIPLE = "no multiple"
    """block, axes that the kernel reads, divisor, remainder"""
    MULTIPLE_OPEN = "multiple open"
    """value, divisor"""
    SLICE_INSIDE = "slice inside"
    SLICE_INSIDE_WHERE = "slice inside where"
    """condition"""
    SLICE_BEGIN_OPEN = "slice begin open"
    """array, start: it is not proved that the slice begins inside the array"""
    SLICE_ORDER_OPEN = "slice order open"
    """start, stop: it is not proved that the slice ends after it begins"""
    SLICE_END_OPEN = "slice end open"
    """array, stop: it is not proved that the slice ends inside the array"""
    SLICE_BEGINS_BEFORE = "slice begins before"
    """array, axis, start: the slice begins before the array"""
    SLICE_REVERSED = "slice reversed"
    """array, axis, stop, start: the slice ends before it begins"""
    SLICE_ENDS_PAST = "slice ends past"
    """array, axis, stop, extent: the slice ends past the extent of the array"""

    # --- padding
    LANES_NOT_FOLLOWED = "lanes not followed"
    """unsupported construct that the lanes go through"""
    LANES_LOST = "lanes lost"
    """the same, of a load of which no use is seen"""
    NO_LANE_MATTERS = "no lane matters"
    TILE_INSIDE = "tile inside"
    LANES_MIXED = "lanes mixed"
    """Which lanes of the tile arrive at a use is not followed."""
    TOO_MANY_CONDITIONS = "too many conditions"
    CONDITIONS_EXCLUDE = "conditions exclude"
    USES_NONE_WITH_EXTENTS = "uses none with extents"
    USES_NONE = "uses none"
    MASKED_BY = "masked by"
    """array whose contents mask the lanes"""
    LOOP_INSIDE = "loop inside"
    STORES_NONE_WITH_EXTENTS = "stores none with extents"
    USES_NONE_UNDER_CONDITION = "uses none under condition"
    LANE_USED = "lane used"
    USE_OPEN = "use open"
    WHOLE_TILES = "whole tiles"
    """The lanes are not followed to their uses; under the clauses none of them lies outside the array."""


def because(cause: Cause, *operands: object) -> Reason:
    """A reason of one part."""
    return (ProofStep(cause, operands),)


def depends_on_example(reason: Reason) -> bool:
    """Whether a failure was seen with an example of data that a launch may exclude."""
    return any(step.rule in (Cause.ROWS_OVERLAP, Cause.DRAWN_IN_TURN) for step in reason)

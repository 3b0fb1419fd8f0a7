"""Steps of a proof, and reasons of verdicts, as data. They become text where they are printed."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeAlias

from msgspec import Struct

__all__ = ["Lemma", "ProofStep", "Reason"]


class Lemma(Enum):
    """The conclusion of a step of the disjointness prover. The text below each member lists its operands.

    A term of two copies of an access is an operand as the half that belongs to the first copy.
    """

    NEVER_ZERO = "never zero"
    """number: equal indices would need the number to be 0"""
    INCONGRUENT = "incongruent"
    """difference, modulus: the indices of the two differ by the one modulo the other"""
    DIGIT = "digit"
    """high, low, base: `high*base + low` determines `high`, because `low` stays below `base`"""
    SAME = "same"
    """value: it is equal in both copies"""
    VALUE = "value"
    """atom, value: the one must be the other"""
    INVERSE = "inverse"
    """value, divisor: quotient and remainder determine the value"""
    CONGRUENT = "congruent"
    """value, divisor: it is known modulo the divisor, and lies in a range of that length"""
    BELOW = "below"
    """value, divisor: the value is not negative and stays below the divisor"""
    DIVIDES = "divides"
    """divisor, value: the one divides the other"""
    ZERO = "zero"
    """value: the guards leave 0 alone for it"""
    FIXED = "fixed"
    """value: the guards leave one value for it"""
    OUT_OF_RANGE = "out of range"
    """value: the ranges of the two copies of it do not meet"""
    EXCLUSIVE = "exclusive"
    """The guards of the two accesses contradict each other."""
    EXCLUSIVE_CONDITIONS = "exclusive conditions"
    """Their guards contradict the derived facts."""
    INJECTIVE = "injective"
    """array: it is declared to hold no value twice"""
    SEGMENTS = "segments"
    """array: the segments that begin at its elements are declared not to overlap"""
    TICKET = "ticket"
    """counter: it is declared to give every block another value"""
    WINNER = "winner"
    """counter: both accesses are made only with one and the same of its values"""
    CASES = "cases"
    """condition or term: each case of it leads to the goal"""


Operand: TypeAlias = Any
"""A term, a condition, an atom, a number, a witness, or the name of an array or of a called function."""


class ProofStep(Struct, frozen=True):
    """One step of a proof, or one part of the reason of a verdict.

    rule      a `Lemma`, or a member of the enumeration of reasons of the layer that decides the verdict
    operands  what it was applied to; each rule lists its own
    """

    rule: Enum
    operands: tuple[Operand, ...] = ()


Reason: TypeAlias = tuple[ProofStep, ...]
"""Why a verdict is what it is: the chain of a proof, or what is missing."""

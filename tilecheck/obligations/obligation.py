"""Obligations with everything that is known of them, before they become findings."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilecheck.diagnostics import Note, ObligationKind
from tilecheck.interp.kernel.access import Access, Declared
from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.interp.kernel.lint_facts import RangeLoop, SliceUse
from tilecheck.interp.kernel.poison.sources import Observation
from tilecheck.obligations.deferred import Suspicion
from tilecheck.symbolic import UNKNOWN_ARRAY, Array, Atom, Cond
from tilecheck.symbolic.footprint import Clause, Verdict, Witness
from tilecheck.symbolic.steps import Reason
from tilecheck.syntax.tree import Span

__all__ = ["WEAKEST_FIRST", "Advice", "DecidedObligation", "DecidedSlice", "Proof", "SliceFault", "find_weakest"]

WEAKEST_FIRST: tuple[Verdict, ...] = ("refuted", "unproven", "conditional", "proved", "atomic", "single-block")


def find_weakest(verdicts: tuple[Verdict, ...]) -> Verdict:
    """The verdict of several obligations together; `proved` for none."""
    return min(verdicts, key=WEAKEST_FIRST.index, default="proved")


class Advice(Struct, frozen=True):
    """Advice for the author on a finding.

    notes  the lines that the collision comes from, in numbers
    help   the code to write; it replaces the general help of the rule
    edits  alternative edits, each a location and its new text; each was tried
    """

    notes: tuple[Note, ...] = ()
    help: str | None = None
    edits: tuple[tuple[Span, str], ...] = ()


NO_ADVICE: Final = Advice()


class DecidedObligation(Struct, frozen=True):
    """One obligation and its verdict.

    access     the access that it concerns: the later one of a pair, the read of a read and a write
    other      the other access of the pair that decided the verdict; None for an access and itself
    reason     why it has this verdict
    code       the rule that reports it, when it is not proved
    missing    the annotation that would prove it, in the contract language, when it is unproven
    needed     whether a collision without its semantic clauses was found (the witness is that collision)
    reach      of an obligation on bounds: the reach that decided the verdict
    end        where the array ends there, in the numbers of the witness
    spilling   reads that run past the end of a row as a write does
    uses       for `padding`, the uses of undefined lanes that are not proved harmless, in program order, each with the
               clauses under which it is
    assumed    for `padding`, the declared conditions on the launch
    overrun    for `bounds`, a loop whose last iteration leaves the array wherever it comes to the access
    fault      the rule of the ownership dialect that is broken
    advice     advice for the author, where some was found
    certain    of a refuted one, whether the witness is a launch that the program can make
    """

    kind: ObligationKind
    access: Access
    verdict: Verdict
    reason: Reason
    code: str
    other: Access | None = None
    rules: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    witness: Witness | None = None
    missing: str | None = None
    needed: bool = False
    reach: Reach | None = None
    end: int | None = None
    spilling: tuple[Access, ...] = ()
    uses: tuple[tuple[Observation, tuple[Clause, ...]], ...] = ()
    assumed: tuple[Cond, ...] = ()
    overrun: RangeLoop | None = None
    fault: Fault | None = None
    advice: Advice = NO_ADVICE
    certain: bool = True

    @property
    def semantic_clauses(self) -> tuple[Clause, ...]:
        """The clauses of which a violation is a finding, not only a condition on the launch."""
        return tuple(c for c in self.clauses if c.kind == "semantic")

    @property
    def semantic_texts(self) -> tuple[str, ...]:
        """The semantic clauses in the contract language."""
        return tuple(c.text for c in self.semantic_clauses)


class SliceFault(Struct, frozen=True):
    """Why a slice is wrong in every launch that takes it.

    what         `below` if it begins before the array, `beyond` if it ends behind it, `reversed` if it ends before it
                 begins
    scalars      launch scalars of an example
    coordinates  block coordinates and loop counters of the example
    """

    use: SliceUse
    what: str
    scalars: tuple[tuple[Atom, int], ...]
    coordinates: tuple[tuple[Atom, int], ...]


class DecidedSlice(Struct, frozen=True):
    """One statement that slices an array, or selects a part of a tile, on all paths that reach it.

    fault    of a refuted slice
    certain  of a refuted slice, whether a launch that the program can make takes it
    """

    array: Array
    span: Span
    verdict: Verdict
    reason: Reason
    clauses: tuple[Clause, ...] = ()
    fault: SliceFault | None = None
    certain: bool = True

    @property
    def whole(self) -> str:
        """The array, or `tile`."""
        return "tile" if self.array is UNKNOWN_ARRAY else self.array.text


class Proof(Struct, frozen=True):
    """The results for a kernel, without its launches.

    structural   clauses that hold for the kernel as a whole
    declared     clauses that the author wrote
    faulty       declarations that cannot be read, and why
    suspicions   suspicious code, which a launch may justify
    slices       statements that slice an array
    contradictory  declarations that no launch can satisfy together; they have no effect
    """

    obligations: tuple[DecidedObligation, ...]
    structural: tuple[Clause, ...]
    declared: tuple[Clause, ...]
    faulty: tuple[tuple[str, str], ...] = ()
    contradictory: tuple[Declared, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    slices: tuple[DecidedSlice, ...] = ()

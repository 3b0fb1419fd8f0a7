"""An explanation as plain data, before it is printed."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.symbolic.footprint import Verdict, Witness
from tilecheck.syntax.tree import Span

__all__ = ["AtLaunch", "Cost", "ExplainedClause", "ExplainedKernel", "ExplainedObligation"]


class AtLaunch(Struct, frozen=True):
    """What becomes of a clause at one launch: `text` is the clause in terms of the launch, `values` break it."""

    span: Span
    function: str
    state: str
    text: str
    values: tuple[tuple[str, int], ...]


class ExplainedClause(Struct, frozen=True):
    """A clause of the contract: what it is needed for, and what becomes of it."""

    clause: str
    kind: str
    state: str
    origins: tuple[str, ...]
    launches: tuple[AtLaunch, ...]


class Cost(Struct, frozen=True):
    """Something that cost a verdict: where it stands, and what it is. `place` names the file where it is another."""

    line: int
    place: str
    text: str
    source: str


class ExplainedObligation(Struct, frozen=True):
    """One obligation.

    place     its line; with the file where that is not the kernel's
    claim     what must hold
    index     what is compared, of an obligation about two blocks: axis by axis
    steps     why, in sentences
    needs     clauses that it rests on
    settles   what would settle it, where it is not settled
    witness   what refutes it, or what its clauses exclude
    shown     the same in sentences
    costs     what is not understood, and cost the verdict
    """

    kind: str
    line: int
    place: str
    array: str
    verdict: Verdict
    claim: str
    source: str
    opening: str
    index: tuple[str, ...]
    steps: tuple[str, ...]
    conclusion: str
    needs: tuple[str, ...]
    settles: tuple[str, ...]
    witness: Witness | None
    shown: tuple[str, ...]
    costs: tuple[Cost, ...]


class ExplainedKernel(Struct, frozen=True):
    """A kernel with everything about it.

    names     what names of the kernel stand for in the explanation
    launches  how many launches are seen
    """

    name: str
    file: str
    line: int
    verdict: Verdict
    names: tuple[tuple[str, str], ...]
    obligations: tuple[ExplainedObligation, ...]
    contract: tuple[ExplainedClause, ...]
    launches: int
    costs: tuple[Cost, ...] = ()

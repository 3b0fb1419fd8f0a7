"""An explanation as plain data, before it is printed."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.symbolic.footprint import Verdict, Witness
from tilecheck.syntax.tree import Span

__all__ = ["AtLaunch", "Cost", "ExplainedClause", "ExplainedKernel", "ExplainedObligation"]


class AtLaunch(Struct, frozen=True):
    """A clause at one launch. `text` is the clause in terms of the launch; `values` are values that break it."""

    span: Span
    function: str
    state: str
    text: str
    values: tuple[tuple[str, int], ...]


class ExplainedClause(Struct, frozen=True):
    """A clause of the contract: the obligations that need it, and its state at each launch."""

    clause: str
    kind: str
    state: str
    origins: tuple[str, ...]
    launches: tuple[AtLaunch, ...]


class Cost(Struct, frozen=True):
    """An unknown value or unsupported construct that prevents a proof. `place` names the file if it is another one."""

    line: int
    place: str
    text: str
    source: str


class ExplainedObligation(Struct, frozen=True):
    """One obligation.

    place     its line; with the file if it is not the kernel's
    claim     the statement that must hold
    index     the compared indices of an obligation about two blocks, axis by axis
    steps     the steps of the proof, or the reason why there is none, in sentences
    needs     the clauses that the proof depends on
    trace     the steps as the prover recorded them: the lemma or cause, and its operands
    remedies  changes and declarations that would prove it; empty if it is proved
    witness   a counterexample, or a launch that its clauses exclude
    shown     the witness in sentences
    costs     unknown values and unsupported constructs that prevent a proof
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
    remedies: tuple[str, ...]
    witness: Witness | None
    shown: tuple[str, ...]
    costs: tuple[Cost, ...]
    trace: tuple[str, ...] = ()


class ExplainedKernel(Struct, frozen=True):
    """The explanation of a kernel.

    names     the names in the explanation, each with its meaning
    launches  the number of seen launches
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

"""A kernel together with its launches, as rules look at it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.deferred import Lint
from tilecheck.obligations.launch_breaches import Breach
from tilecheck.obligations.launches import Discharged
from tilecheck.obligations.obligation import DecidedObligation, Proof
from tilecheck.obligations.operand_types import TypeFault
from tilecheck.obligations.refusals import Refused
from tilecheck.symbolic.footprint import Clause

__all__ = ["KernelView"]


class KernelView(Struct, frozen=True):
    """A kernel with its seen launches.

    launches     the seen launches
    clauses      its contract
    states       by clause text, what each launch makes of the clause
    reported     the obligations that are reported: refuted, not proved, or conditional on a clause that some launch
                 does not discharge
    lints        suspicious code that no launch justifies
    breaches     clauses that launches break
    type_faults  operations whose operands do not fit, in every launch or in one that is seen
    refused      what the compiler refuses, in every launch or in one that is seen
    """

    model: KernelModel
    proof: Proof
    launches: tuple[Launch, ...]
    clauses: tuple[Clause, ...]
    states: Mapping[str, Discharged]
    reported: tuple[DecidedObligation, ...]
    lints: tuple[Lint, ...]
    breaches: tuple[Breach, ...]
    type_faults: tuple[TypeFault, ...]
    refused: tuple[Refused, ...] = ()

"""The claims of `assume_divisible_by` as obligations. The compiler relies on them, and nothing checks them."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.interp.kernel.access import Access, Claim
from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import Context, clause_of
from tilecheck.obligations.reasons import Cause, because
from tilecheck.solver.inequalities import conjuncts
from tilecheck.solver.model_search import find_escape
from tilecheck.symbolic import ONE, ArrayParam, Cond, Monomial, Term, conj, const, enforceable, eq, mod, split_multiples
from tilecheck.symbolic.footprint import Clause, Region, Verdict, Witness
from tilecheck.symbolic.steps import Reason

__all__ = ["decide_claims"]


def decide_claims(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each assumption."""
    for claim in context.model.claims:
        yield _decide(context, claim)


def _decide(context: Context, claim: Claim) -> DecidedObligation:
    rest = const(0) if claim.divisor.constant == 0 else split_multiples(claim.value, claim.divisor)[1]
    multiple = because(Cause.MULTIPLE, claim.value, claim.divisor)
    if not rest.monos and claim.divisor.constant != 0:
        return _build_decided(claim, "proved", multiple)
    conds = _parts(rest, claim.divisor)
    known = {p for c in context.assume for p in conjuncts(c)} | set(conjuncts(claim.under))
    open_ = tuple(c for c in conds if c not in known)
    region = Region((claim.value,), claim.under, claim.exact)
    if all(enforceable(c) and c.op != "false" for c in conds) and context.admits(open_, region):
        clauses = tuple(clause_of(c, True) for c in open_)
        return _build_decided(claim, "conditional" if clauses else "proved", multiple, clauses)
    at = mod(claim.value, claim.divisor)
    escape = find_escape(at, ONE, claim.under, axes=context.axes_of(region), assume=conj(*context.uniform),
                         tiles=context.tiles) if claim.exact else None
    if escape is not None:
        (left,) = escape.witness.element
        reason = because(
            Cause.NO_MULTIPLE, escape.witness.first.block, context.model.axes_read, claim.divisor, left)
        return _build_decided(claim, "refuted", reason, witness=escape.witness)
    return _build_decided(claim, "unproven", because(Cause.MULTIPLE_OPEN, claim.value, claim.divisor))


def _parts(rest: Term, divisor: Term) -> tuple[Cond, ...]:
    """That the factor of everything that varies is a multiple: with two blocks, each of them must be."""
    factors: dict[Monomial, Term] = {}
    for m, c in rest.monos.items():
        varying = tuple(a for a in m if a.varying)
        factors[varying] = factors.get(varying, const(0)) + Term({tuple(a for a in m if not a.varying): c})
    return tuple(dict.fromkeys(eq(mod(f, divisor), 0) for f in factors.values()))


def _build_decided(
    claim: Claim, verdict: Verdict, reason: Reason, clauses: tuple[Clause, ...] = (), witness: Witness | None = None,
) -> DecidedObligation:
    text = spell_term(claim.value)
    access = Access(
        ArrayParam(text), (), "read", "assume_divisible_by", Region((claim.value,), claim.under, claim.exact), (), (),
        -1, "weak", "none", (), None, (), claim.span, (), False)
    return DecidedObligation(
        "bounds", access, verdict, reason, "TC202", rules=("divisible",), clauses=clauses, witness=witness,
        reach=Reach(None, claim.value, claim.divisor, claim.value, unchecked=True))

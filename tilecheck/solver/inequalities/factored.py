"""Inequalities between numbers in mixed radix, digit by digit."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.solver.inequalities.assumed import Assumed
from tilecheck.solver.inequalities.certificates import MOST, Facts
from tilecheck.symbolic import FloorDiv, Term, split_multiples


def prove_factored(facts: Facts, p: Term, effort: int = MOST) -> Assumed | None:
    """The assumptions of a proof of `p >= 0`: `p == d*h + r` with d, h, r >= 0, for a multiplier d of a quotient, or
    directly. A quotient is only known up to its rounding, which a multiplier would blow up: `d*(x//e) <= d*k` needs
    `x//e <= k` and not `d*x <= d*e*k`."""
    for d in _multipliers(p):
        h, r = split_multiples(p, d)
        total: Assumed = frozenset()
        for part in (d, h, r):
            got = facts.prove(part, effort)
            if got is None:
                break
            total |= got
        else:
            return total
    return facts.prove(p, effort)


def _multipliers(p: Term) -> Iterator[Term]:
    """Products of launch scalars with which a quotient is subtracted."""
    seen: set[Term] = set()
    for m, c in p.monos.items():
        rest = tuple(a for a in m if not isinstance(a, FloorDiv))
        if c < 0 and len(rest) == len(m) - 1 and rest and not any(a.varying for a in rest):
            d = Term({rest: 1})
            if d not in seen:
                seen.add(d)
                yield d

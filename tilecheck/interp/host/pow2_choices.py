"""Branches of a power of two that `next_pow2` already describes: `1 if n == 0 else 2 ** (n - 1).bit_length()`."""

from __future__ import annotations

from tilecheck.symbolic import App, Cond, Term, eq, le, negate

__all__ = ["absorb_case"]


def absorb_case(test: Cond, then: Term, other: Term) -> Term | None:
    """`next_pow2(n)` for a choice between it and a constant c, where that is one of its values.

    Side conditions: c is chosen for n <= 0 only and is not negative, as `next_pow2(n)` stands for any such number there
    (see `pow2_edge_cases`), or c is 1 and is chosen for n <= 1 only. If neither holds, None.
    """
    for cond, constant, rounded in ((test, then.constant, other), (negate(test), other.constant, then)):
        atom = rounded.single
        if constant is None or constant < 0 or not isinstance(atom, App) or atom.fn != "next_pow2":
            continue
        n = atom.args[0]
        if cond in (eq(n, 0), le(n, 0)) or (constant == 1 and cond in (eq(n, 1), le(n, 1))):
            return rounded
    return None

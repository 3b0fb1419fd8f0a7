"""Parts of a block coordinate that do not reach an index: of `b, h = bid // H, bid % H`, the one that is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tilecheck.explain.names import Given, assigned_once
from tilecheck.interp.kernel.access import Access
from tilecheck.symbolic import Atom, Bid, FloorDiv, Mod, Term, atoms_in, evaluate
from tilecheck.syntax.tree import FuncDef
from tilecheck.visualize.setting import Block

__all__ = ["left_out"]


def left_out(
    kernel: FuncDef, access: Access, first: Block, second: Block, sizes: Mapping[Atom, int],
) -> Iterator[Given]:
    """Quotients and remainders of block coordinates that have a name, that differ between two blocks, and that the
    index of an access does not contain."""
    used = atoms_in(*access.region.index, access.region.guard)
    # an index with the coordinate itself in it has every part of it
    whole = {a for t in access.region.index for a in t.atoms() if isinstance(a, Bid)}
    for x in assigned_once(kernel):
        part = x.term.single
        lacking = isinstance(part, (FloorDiv, Mod)) and part not in used and whole.isdisjoint(atoms_in(x.term))
        if lacking and _differs(x.term, first, second, sizes):
            yield x


def _differs(term: Term, first: Block, second: Block, sizes: Mapping[Atom, int]) -> bool:
    try:
        one, other = (evaluate(term, {**sizes, **{Bid(k): n for k, n in enumerate(b)}}) for b in (first, second))
    except (KeyError, ArithmeticError):
        return False
    return one != other

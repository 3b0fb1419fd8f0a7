"""Which arrays of a kernel are only ever accessed by tiles that lie inside them, in one launch.

Such accesses may be compiled without bounds checks. The condition is stronger than the one for a correct kernel: in a
correct kernel, a tile may reach past the end of its array, and is padded or clipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.kernel_model.driver import execute
from tilecheck.obligations.query import Context
from tilecheck.project.project import Project
from tilecheck.solver.bounds import prove_inside
from tilecheck.solver.inequalities import conjuncts
from tilecheck.solver.overflow import bound_size
from tilecheck.symbolic import (
    UNKNOWN_ARRAY,
    App,
    Cond,
    Extent,
    Load,
    Opaque,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    const,
    ge,
    of,
    symbol_from_text,
)

__all__ = ["tiles_inside"]

_WIDTH: Final = 1 << 31
"""Indices of tiles are less."""


def tiles_inside(path: str, name: str, line: int, values: Mapping[str, int], version: str = "") -> frozenset[str]:
    """Of a kernel of the dialect, the array parameters whose every tile access lies inside in a launch with these
    values: constants, `x.shape[0]`, `x.strides[0]` and `grid[0]`, as contracts spell them. Those that are not given may
    be anything.

    The launch must satisfy the contract of the kernel. `line` is the last line of the kernel; `version` is another
    one when the source has changed, as it is read only once. Arrays about which nothing is known for certain are left
    out; there are none for a kernel that is not found.
    """
    model = _model(path, name, line, version)
    if model is None or not model.dialect or any(a.array == UNKNOWN_ARRAY for a in model.accesses):
        return frozenset()
    context = Context.of(model)
    fixed = Substitution({symbol_from_text(n): const(v) for n, v in values.items()})
    given = tuple(fixed.cond(c) for c in (*context.assume, *context.tiled))
    outside = {a.array for a in model.accesses if a.tile and not _is_inside(a, fixed, given)}
    inside = {a.array for a in model.accesses if a.tile}.difference(outside, context.lost)
    return frozenset(array.text for array in inside)


@lru_cache(maxsize=256)
def _model(path: str, name: str, line: int, version: str) -> KernelModel | None:
    project = Project([path])
    found = [s for s in project.module(path).kernels() if s.qualname == name and s.definition.name_span.line <= line]
    return execute(project, found[-1]) if found else None


def _is_inside(access: Access, fixed: Substitution, given: tuple[Cond, ...]) -> bool:
    """Whether all elements of a tile lie inside its array."""
    if not all(_narrow(fixed.term(b)) for t in (*access.tile_index, *access.region.index) for b in bound_size(t)):
        return False
    known = (c for c in (*conjuncts(fixed.cond(access.under)), *given) if _is_followed(c))
    conds = (*known, *(ge(fixed.term(e), 1) for e in access.tile))
    for axis, at in enumerate(access.region.index):
        # an array of the dialect has no slices, so that elements are counted from its beginning
        end = of(Extent(access.array, axis))
        place, size = fixed.term(at), fixed.term(end)
        found = prove_inside(place, size, conds, None, fixed.term(access.tile[axis])) if _is_followed(place) else None
        if found is None or found.clauses or found.assumed:
            return False  # what a proof rests on besides would have to be known of this launch
    return True


def _is_followed(value: Term | Cond) -> bool:
    """Whether a value depends on nothing but blocks, loops and lanes. A relation to other numbers may be computed in
    32 bits, and differ where that wraps: `i * 64 < n` holds of very large `i`."""
    return not any(isinstance(a, (Symbol, Load, Opaque, App)) for a in atoms_in(value)) and not _unknown(value)


def _unknown(value: Term | Cond) -> bool:
    return isinstance(value, Cond) and (value.op == "bool" or any(map(_unknown, value.args)))


def _narrow(bound: Term) -> bool:
    """Whether a number fits in the 32 bits that kernels count in; one that data or loops bound does."""
    return bound.constant is None or bound.constant < _WIDTH

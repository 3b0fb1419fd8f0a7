"""Indices that are cast to an integer type too narrow for them, or that may wrap at 32 bits.

An ordinary index is required to stay below 2**31 by a clause of the contract. It is suspicious only if a declared size
or a seen launch exceeds that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.contracts import ContractError, parse, render
from tilecheck.dtypes import UNSIGNED
from tilecheck.interp.host.clause_substitution import value_of
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import Access, Declared, KernelModel
from tilecheck.interp.kernel.lint_facts import Narrowing
from tilecheck.obligations.deferred import Lint, Suspicion
from tilecheck.obligations.query import Context
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.solver.overflow import bound_size, size_of
from tilecheck.symbolic import Atom, Bid, Cond, Counter, Mod, Symbol, Term, atoms_in, const, le, symbol_from_text
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import Clause
from tilecheck.syntax.tree import Span

__all__ = ["DeclaredWide", "NarrowedIndex", "WrappingIndex", "suspicions", "wrapping_at_launches"]

_WIDTH: Final = 2**31


class NarrowedIndex(Lint, frozen=True):
    """A cast to an integer type that holds values below `capacity`; its result is an index of `access`."""

    narrowing: Narrowing
    access: Access
    capacity: int


class DeclaredWide(Lint, frozen=True):
    """The index of `access` is computed in 32 bits, and the declaration `clause` admits sizes that do not fit."""

    access: Access
    clause: str


class WrappingIndex(Lint, frozen=True):
    """The index of `access` is computed in 32 bits, and `bound`, which it reaches, does not fit at `launch`."""

    access: Access
    bound: Term
    launch: Launch


def suspicions(context: Context) -> Iterator[Suspicion]:
    """Casts whose result becomes an index, and declared sizes that do not fit in 32 bits."""
    seen: set[object] = set()
    for n in context.model.observed.narrowings:
        found = None if n.span in seen else _suspect_narrowing(context, n)
        if found is not None:
            seen.add(n.span)
            yield found
    yield from _suspect_declared(context)


# --- casts -----------------------------------------------------------------------------------------------------------

def _suspect_narrowing(context: Context, n: Narrowing) -> Suspicion | None:
    access = next((a for a in context.model.accesses if _indexes(n, a)), None)
    if access is None:
        return None
    capacity = 2 ** (n.dtype.bits if n.dtype in UNSIGNED else n.dtype.bits - 1)
    bound = size_of(n.value)
    by_block = any(isinstance(a, Bid | Counter) for a in atoms_in(n.value))
    facts = Facts((n.guard, *context.assume, *context.standing), [n.value], signs=False)
    if any(facts.prove(const(capacity) - p, effort=0) is not None for p in (bound, n.value + 1) if p is not None):
        return None
    if bound is None:
        return Suspicion(NarrowedIndex(n.span, n, access, capacity)) if by_block and n.dtype.bits < 32 else None
    if bound.constant is None and not by_block:
        # lanes of a tile: seldom that many
        return Suspicion(NarrowedIndex(n.span, n, access, capacity), _at_most(bound, capacity), "broken")
    return Suspicion(NarrowedIndex(n.span, n, access, capacity), _at_most(bound, capacity))


def _at_most(bound: Term, capacity: int) -> Clause | None:
    cond = le(bound, capacity)
    return None if cond.op in ("true", "false") else Clause(render(cond), cond, "structural")


def _indexes(n: Narrowing, access: Access) -> bool:
    if n.dtype.bits == 32:
        return any(m in i.monos for i in access.region.index for m in n.result.monos if len(m) > 1)
    wrapped = {a for a in n.result.atoms() if isinstance(a, Mod)}
    return bool(wrapped & atoms_in(*access.region.index))


# --- 32 bits ---------------------------------------------------------------------------------------------------------

def _find_sized_accesses(model: KernelModel) -> Iterator[tuple[Access, Term]]:
    """Element accesses of kernels that compute in 32 bits, with a bound on each intermediate value of the index."""
    if model.observed.wide:
        return
    seen: set[object] = set()
    for a in model.accesses:
        if a.tile or a.op.endswith("_offset") or a.span in seen:
            continue
        for i in a.region.index:
            for bound in bound_size(i):
                if bound.constant is None and any(len(m) > 1 for m in bound.monos):
                    seen.add(a.span)
                    yield a, bound


def _suspect_declared(context: Context) -> Iterator[Suspicion]:
    large = {name: d.text for d in context.model.declared for name in _find_exceeding(d)}
    if not large:
        return
    seen: set[object] = set()
    for access, bound in _find_sized_accesses(context.model):
        names = sorted(n for n in large if symbol_from_text(n) in bound.atoms())
        if not names or access.span in seen:
            continue
        seen.add(access.span)
        yield Suspicion(DeclaredWide(access.span, access, large[names[0]]))


def _find_exceeding(declared: Declared) -> Iterator[str]:
    try:
        clauses = parse(declared.text)
    except ContractError:
        return
    for clause in clauses:
        for part in conjuncts(clause.cond) if clause.cond is not None else ():
            yield from _exceeds(part)


def _exceeds(cond: Cond) -> Iterator[str]:
    """Scalars that a declared bound lets exceed 32 bits: `n <= 2**40`, `n >= 2**31`."""
    singles = [(m[0], c) for m, c in cond.term.monos.items() if len(m) == 1]
    if cond.op != "ge" or len(singles) != 1 or len(cond.term.monos) > 2:
        return
    (atom, factor), offset = singles[0], cond.term.offset
    if isinstance(atom, Symbol) and abs(factor) == 1 and abs(offset) >= _WIDTH and (offset > 0) == (factor < 0):
        yield atom.name


def wrapping_at_launches(model: KernelModel, launches: Sequence[Launch]) -> Iterator[WrappingIndex]:
    """Indices that do not fit in 32 bits with the constants of some seen launch."""
    if not launches:
        return
    seen: set[Span] = set()
    for access, bound in _find_sized_accesses(model):
        launch = next((x for x in launches if (_at_launch(bound, model, x) or 0) >= _WIDTH), None)
        if launch is not None and access.span not in seen:
            seen.add(access.span)
            yield WrappingIndex(access.span, access, bound, launch)


def _at_launch(bound: Term, model: KernelModel, launch: Launch) -> int | None:
    """The value of the bound, if the launch determines it."""
    arguments = {p.name: a for p, a in zip(model.params, launch.arguments or (), strict=False)}
    env: dict[Atom, int] = {}
    for a in sorted(atoms_in(bound)):
        value = value_of(a, arguments, launch, model.launched).constant if isinstance(a, Symbol) else None
        if value is None:
            return None
        env[a] = value
    return evaluate(bound, env)

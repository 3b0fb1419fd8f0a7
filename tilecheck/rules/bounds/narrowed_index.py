"""TC207 narrowed-index: an index that is put into an integer type that does not hold it, or may wrap at 32 bits.

That an ordinary index stays below 2**31 is a clause of the contract and no finding; one is reported where a declared
size or a visible launch exceeds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.contracts import ContractError, parse, render
from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.clause_substitution import value_of
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import Access, Declared, KernelModel
from tilecheck.interp.kernel.lint_facts import Narrowing
from tilecheck.obligations.deferred import Suspicion
from tilecheck.obligations.query import Context
from tilecheck.rules.messages.wording import spelled
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.solver.overflow import largest, size_of
from tilecheck.symbolic import Atom, Bid, Cond, Counter, Lane, Mod, Symbol, Term, atoms_in, const, le, symbol_from_text
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import Clause
from tilecheck.syntax.tree import Span

__all__ = ["launched", "suspicions"]

CODE = "TC207"
_WIDTH: Final = 2**31


def suspicions(context: Context) -> Iterator[Suspicion]:
    """Casts of what becomes an index, and sizes that the author declares to be larger than 32 bits hold."""
    seen: set[object] = set()
    for n in context.model.observed.narrowings:
        found = None if n.span in seen else _narrowed(context, n)
        if found is not None:
            seen.add(n.span)
            yield found
    yield from _declared(context)


# --- casts -----------------------------------------------------------------------------------------------------------

def _narrowed(context: Context, n: Narrowing) -> Suspicion | None:
    access = next((a for a in context.model.accesses if _indexes(n, a)), None)
    if access is None:
        return None
    capacity = 2 ** (n.bits if n.dtype.startswith("u") else n.bits - 1)
    bound = size_of(n.value)
    by_block = any(isinstance(a, Bid | Counter) for a in atoms_in(n.value))
    facts = Facts((n.guard, *context.assume, *context.standing), [n.value], signs=False)
    if any(facts.prove(const(capacity) - p, effort=0) is not None for p in (bound, n.value + 1) if p is not None):
        return None
    if bound is None:
        return Suspicion(_cast(context, n, access, capacity)) if by_block and n.bits < 32 else None
    if bound.constant is None and not by_block:
        # lanes of a tile, seldom as many
        return Suspicion(_cast(context, n, access, capacity), _at_most(bound, capacity), "broken")
    return Suspicion(_cast(context, n, access, capacity), _at_most(bound, capacity))


def _at_most(bound: Term, capacity: int) -> Clause | None:
    cond = le(bound, capacity)
    return None if cond.op in ("true", "false") else Clause(render(cond), cond, "structural")


def _indexes(n: Narrowing, access: Access) -> bool:
    if n.bits == 32:
        return any(m in i.monos for i in access.region.index for m in n.result.monos if len(m) > 1)
    wrapped = {a for a in n.result.atoms() if isinstance(a, Mod)}
    return bool(wrapped & atoms_in(*access.region.index))


def _cast(context: Context, n: Narrowing, access: Access, capacity: int) -> Diagnostic:
    lane = n.value.single
    what = f"ct.arange({spelled(lane.size)})" if isinstance(lane, Lane) else spelled(n.value)
    message = (f"`{what}` is narrowed to {n.dtype} and becomes an index of `{access.array}`: from "
               f"{_power(capacity)} on it is another index")
    wide = "int64" if n.bits == 32 else "int32"
    return Diagnostic(CODE, "warning", message, n.span, context.model.name,
                      (Note(f"`{access.array}` is indexed here", access.span),), f"keep the index in {wide}")


def _power(value: int) -> str:
    return f"2**{value.bit_length() - 1}" if value > 2**16 else str(value)


# --- 32 bits ---------------------------------------------------------------------------------------------------------

def _sized(model: KernelModel) -> Iterator[tuple[Access, Term]]:
    """Element accesses of kernels that compute in 32 bits, with a bound of what their index is computed through."""
    if model.observed.wide:
        return
    seen: set[object] = set()
    for a in model.accesses:
        if a.tile or a.op.endswith("_offset") or a.span in seen:
            continue
        for i in a.region.index:
            for bound in largest(i):
                if bound.constant is None and any(len(m) > 1 for m in bound.monos):
                    seen.add(a.span)
                    yield a, bound


def _declared(context: Context) -> Iterator[Suspicion]:
    large = {name: d.text for d in context.model.declared for name in _exceeding(d)}
    if not large:
        return
    told: set[object] = set()
    for access, bound in _sized(context.model):
        names = sorted(n for n in large if symbol_from_text(n) in bound.atoms())
        if not names or access.span in told:
            continue
        told.add(access.span)
        message = (f"the index of `{access.array}` may wrap: it is computed in 32 bits, and `{large[names[0]]}` admits "
                   "sizes beyond 2**31")
        yield Suspicion(Diagnostic(CODE, "warning", message, access.span, context.model.name, (), _WIDEN))


def _exceeding(declared: Declared) -> Iterator[str]:
    try:
        clauses = parse(declared.text)
    except ContractError:
        return
    for clause in clauses:
        for part in conjuncts(clause.cond) if clause.cond is not None else ():
            yield from _exceeds(part)


_WIDEN: Final = "compute it in 64 bits: `ct.bid(0).astype(ct.int64)`, and annotate the array with `ct.IndexedWithInt64`"


def _exceeds(cond: Cond) -> Iterator[str]:
    """Scalars that a declared bound lets be larger than 32 bits hold: `n <= 2**40`, `n >= 2**31`."""
    singles = [(m[0], c) for m, c in cond.term.monos.items() if len(m) == 1]
    if cond.op != "ge" or len(singles) != 1 or len(cond.term.monos) > 2:
        return
    (atom, factor), offset = singles[0], cond.term.offset
    if isinstance(atom, Symbol) and abs(factor) == 1 and abs(offset) >= _WIDTH and (offset > 0) == (factor < 0):
        yield atom.name


def launched(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Diagnostic]:
    """Launches whose constants make an index larger than 32 bits hold."""
    if not launches:
        return
    told: set[Span] = set()
    for access, bound in _sized(model):
        launch = next((x for x in launches if (_at_launch(bound, model, x) or 0) >= _WIDTH), None)
        if launch is not None and access.span not in told:
            told.add(access.span)
            message = (f"the index of `{access.array}` wraps: it is computed in 32 bits, and reaches "
                       f"`{spelled(bound)}`, which is 2**31 or more in a visible launch")
            yield Diagnostic(CODE, "warning", message, access.span, model.name,
                             (Note("it is launched here", launch.span),), _WIDEN)


def _at_launch(bound: Term, model: KernelModel, launch: Launch) -> int | None:
    """The bound in numbers, where the launch has all of them."""
    arguments = {p.name: a for p, a in zip(model.params, launch.arguments or (), strict=False)}
    env: dict[Atom, int] = {}
    for a in sorted(atoms_in(bound)):
        value = value_of(a, arguments, launch, model.launched).constant if isinstance(a, Symbol) else None
        if value is None:
            return None
        env[a] = value
    return evaluate(bound, env)

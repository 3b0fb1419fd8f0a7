"""An obligation for each statement that slices an array: the slice lies inside the array. Parts of tiles have the same.

Nothing checks a slice when the kernel runs: what it selects outside the array is other memory. So the bounds checks of
the accesses through a slice do not discharge its obligation. A slice is refuted if it is wrong in every launch that
takes it, in all blocks or in the first or the last one. If only some launches make it wrong, that is a clause of the
contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.contracts import render
from tilecheck.interp.host.discharge import cone
from tilecheck.interp.kernel.lint_facts import SliceUse
from tilecheck.obligations.obligation import DecidedSlice, SliceFault, find_weakest
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.solver.model_search import find_model
from tilecheck.symbolic import (
    EXTENTS,
    UNKNOWN_ARRAY,
    ZERO,
    App,
    Atom,
    Bid,
    Cond,
    Counter,
    GridDim,
    Lane,
    Load,
    Opaque,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    conj,
    disj,
    enforceable,
    ge,
    grid,
    negate,
    of,
    substitute,
    substitute_cond,
)
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import Clause, Verdict
from tilecheck.symbolic.steps import Reason
from tilecheck.syntax.tree import Span

__all__ = ["decide_slices"]

_PROPOSED: Final = 3
_EFFORT: Final = 1


def decide_slices(context: Context) -> tuple[DecidedSlice, ...]:
    """The slices of a kernel, in the order in which they are taken."""
    uses: dict[Span, list[SliceUse]] = {}
    for s in context.model.observed.slices:
        uses.setdefault(s.span, []).append(s)
    return tuple(_decide(context, span, found) for span, found in uses.items())


def _decide(context: Context, span: Span, uses: list[SliceUse]) -> DecidedSlice:
    array = uses[0].array
    fault = next((f for s in uses if (f := _fault(context, s)) is not None), None)
    if fault is not None:
        return DecidedSlice(array, span, "refuted", _WRONG[fault.what](fault.use), fault=fault)
    found = [_bound(context, s, what, term) for s in uses for what, term in _bounds(s)]
    verdict = find_weakest(tuple(v for v, _, _ in found))
    reason = next((r for v, r, _ in found if v == verdict), because(Cause.SLICE_INSIDE))
    clauses = dict.fromkeys(c for _, _, cs in found for c in cs)
    return DecidedSlice(array, span, verdict, reason, tuple(clauses) if verdict != "unproven" else ())


def _bounds(s: SliceUse) -> tuple[tuple[str, Term], ...]:
    """Returns the terms that must not be negative, each with the fault of the slice if it is negative."""
    ends = ("below", s.start), ("beyond", s.extent - s.stop)
    # no part of a tile is smaller than an element
    return ends if s.array is UNKNOWN_ARRAY else (ends[0], ("reversed", s.stop - s.start), ends[1])


def _facts(context: Context, s: SliceUse, guard: Cond) -> Facts:
    """Returns the facts that hold where a slice is taken."""
    return Facts((guard, *context.assume, *context.standing, *_sizes(s)), [s.start, s.stop, s.extent], signs=False)


def _sizes(s: SliceUse, least: int = 0) -> tuple[Cond, ...]:
    atoms = atoms_in(s.start, s.stop, s.extent)
    return tuple(ge(of(a), least) for a in sorted(atoms) if isinstance(a, EXTENTS))


def _bound(context: Context, s: SliceUse, what: str, term: Term) -> tuple[Verdict, Reason, tuple[Clause, ...]]:
    """One end of a slice: that `term` is not negative wherever the slice is taken."""
    facts = _facts(context, s, s.guard)
    if facts.prove(term) is not None:
        return "proved", because(Cause.SLICE_INSIDE), ()
    for clause in (*_decide_uniform(s, term), *_residual(context, s, term)):
        if not context.is_impossible(clause):
            return "proved", because(Cause.SLICE_INSIDE_WHERE, clause.text), (clause,)
    return "unproven", _OPEN[what](s), ()


_OPEN: Final[Mapping[str, Callable[[SliceUse], Reason]]] = {
    "below": lambda s: because(Cause.SLICE_BEGIN_OPEN, s.array, s.start),
    "reversed": lambda s: because(Cause.SLICE_ORDER_OPEN, s.start, s.stop),
    "beyond": lambda s: because(Cause.SLICE_END_OPEN, s.array, s.stop),
}
_WRONG: Final[Mapping[str, Callable[[SliceUse], Reason]]] = {
    "below": lambda s: because(Cause.SLICE_BEGINS_BEFORE, s.array, s.axis, s.start),
    "reversed": lambda s: because(Cause.SLICE_REVERSED, s.array, s.axis, s.stop, s.start),
    "beyond": lambda s: because(Cause.SLICE_ENDS_PAST, s.array, s.axis, s.stop, s.extent),
}


def _decide_uniform(s: SliceUse, term: Term) -> Iterator[Clause]:
    """Launch scalars decide it outright."""
    cond = ge(term, 0)
    if not cond.varying and enforceable(cond):
        yield from _clause(s, cond)


def _residual(context: Context, s: SliceUse, term: Term) -> Iterator[Clause]:
    """Yields clauses on launch scalars under which the term is not negative in any block.

    Further assumptions that a proof needs are part of the condition.
    """
    if not term.varying:
        return
    for terms, assumed in _facts(context, s, s.guard).residuals(term, _PROPOSED):
        cond = conj(*(ge(t, 0) for t in terms), *assumed)
        if not cond.varying and enforceable(cond):
            yield from _clause(s, cond)


def _clause(s: SliceUse, cond: Cond) -> Iterator[Clause]:
    """A condition where the slice is taken, as far as launch scalars decide that; none that no launch meets."""
    if s.array.at_any_position:
        return
    whole = disj(*(negate(c) for c in conjuncts(s.guard) if enforceable(c) and not c.varying), cond)
    if whole.op not in ("true", "false"):
        yield Clause(render(whole), whole, "structural")


# --- refutation ------------------------------------------------------------------------------------------------------

def _fault(context: Context, s: SliceUse) -> SliceFault | None:
    """How a slice is wrong in every launch that takes it."""
    if not s.exact or s.array.at_any_position:
        return None
    for what, term in _bounds(s):
        found = _refute(context, s, term)
        if found is not None:
            model, at = found
            return SliceFault(s, what, tuple(sorted(model.items())), tuple(sorted(at.items())))
    return None


def _refute(context: Context, s: SliceUse, term: Term) -> tuple[dict[Atom, int], dict[Atom, int]] | None:
    """Values of launch scalars under which a bound fails, and those of coordinates and counters; None unless the bound
    fails in every launch."""
    if any(a.varying and isinstance(a, Opaque | Load | Lane | App) for a in atoms_in(term) | atoms_of(s.guard)):
        return None
    for corner in _corners(s, term):
        at = substitute(term, corner)
        guard = substitute_cond(s.guard, corner)
        if at.varying or guard.op == "false" or guard.varying:
            continue
        # of an empty array there is nothing to slice
        if _facts(context, s, conj(guard, *_sizes(s, 1))).prove(-at - 1, _EFFORT) is None:
            continue
        shown = [ge(of(a), int(a.name in context.tiles)) for a in sorted(atoms_in(s.start, s.stop, s.extent))
                 if isinstance(a, Symbol)]
        wrong = conj(guard, ge(-at, 1), *_sizes(s, 1), *shown)
        model = find_model(conj(wrong, *cone(wrong, conj(*context.uniform, *context.standing))))
        if model is None:
            continue
        values = _coordinates(corner, model)
        env: dict[Atom, int] = {a: model[a] for a in atoms_in(term) if a in model} | values
        try:
            if evaluate(term, env) < 0:
                return model, values
        except (KeyError, ArithmeticError):
            continue
    return None


def _corners(s: SliceUse, term: Term) -> tuple[dict[Atom, Term], ...]:
    atoms = {a for a in atoms_in(term) | atoms_of(s.guard) if isinstance(a, Bid | Counter)}
    first: dict[Atom, Term] = dict.fromkeys(sorted(atoms), ZERO)
    last: dict[Atom, Term] = {a: grid(a.axis) - 1 if isinstance(a, Bid) else ZERO for a in sorted(atoms)}
    return (first,) if not atoms else (first, last)


def _coordinates(corner: dict[Atom, Term], model: dict[Atom, int]) -> dict[Atom, int]:
    known = dict(model)
    for a in corner:
        if isinstance(a, Bid):
            known.setdefault(GridDim(a.axis), 1)
    return {a: evaluate(t, known) for a, t in corner.items()}

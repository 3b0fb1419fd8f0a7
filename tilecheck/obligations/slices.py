"""What is known of the slices that a kernel takes: an obligation for each statement that takes one.

Nothing checks a slice when the kernel runs, so one that is not proved to lie inside its array is not settled by the
bounds checks of the accesses through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.contracts import render
from tilecheck.diagnostics import Diagnostic, Note, Obligation
from tilecheck.interp.kernel.lint_facts import SliceUse
from tilecheck.obligations.obligation import SettledSlice, weakest
from tilecheck.obligations.query import Context
from tilecheck.rules.bounds import slice_range
from tilecheck.rules.messages.wording import readable, spelled
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import Cond, Term, conj, disj, enforceable, ge, negate
from tilecheck.symbolic.footprint import Clause, Verdict
from tilecheck.syntax.tree import Span

__all__ = ["obligation", "settle_slices", "told"]

_PROPOSED: Final = 3


def settle_slices(context: Context, wrong: Sequence[Diagnostic]) -> tuple[SettledSlice, ...]:
    """The slices of a kernel, in the order in which they are taken; `wrong` are findings on those that are refuted."""
    uses: dict[Span, list[SliceUse]] = {}
    for s in context.model.observed.slices:
        uses.setdefault(s.span, []).append(s)
    told_of = {d.span: d.message for d in wrong}
    return tuple(_settled(context, span, found, told_of.get(span)) for span, found in uses.items())


def _settled(context: Context, span: Span, uses: list[SliceUse], wrong: str | None) -> SettledSlice:
    array = uses[0].array
    if wrong is not None:
        return SettledSlice(array, span, "refuted", wrong)
    found = [_bound(context, s, what, term) for s in uses for what, term in slice_range.bounds(s)]
    verdict = weakest(tuple(v for v, _, _ in found))
    why = next((w for v, w, _ in found if v == verdict), "it lies inside")
    clauses = dict.fromkeys(c for _, _, cs in found for c in cs)
    return SettledSlice(array, span, verdict, why, tuple(clauses) if verdict != "unproven" else ())


def _bound(context: Context, s: SliceUse, what: str, term: Term) -> tuple[Verdict, str, tuple[Clause, ...]]:
    """One end of a slice: that `term` is not negative wherever the slice is taken."""
    facts = slice_range.facts(context, s, s.guard)
    if facts.prove(term) is not None:
        return "proved", "it lies inside", ()
    for clause in (*_uniform(s, term), *_residual(context, s, term)):
        if not context.impossible(clause):
            return "proved", f"it lies inside where `{clause.text}`", (clause,)
    return "unproven", f"could not prove that it {_MUST[what].format(stop=spelled(s.stop), start=spelled(s.start))}", ()


_MUST: Final = {
    "below": "begins inside the array: it begins at `{start}`",
    "reversed": "ends after it begins: from `{start}` to `{stop}`",
    "beyond": "ends inside the array: it ends at `{stop}`",
}


def _uniform(s: SliceUse, term: Term) -> Iterator[Clause]:
    """Launch scalars decide it outright."""
    cond = ge(term, 0)
    if not cond.varying and enforceable(cond):
        yield from _clause(s, cond)


def _residual(context: Context, s: SliceUse, term: Term) -> Iterator[Clause]:
    """What launch scalars must satisfy for it to hold in every block. What more would have to be assumed is part of
    the condition."""
    if not term.varying:
        return
    for terms, assumed in slice_range.facts(context, s, s.guard).residuals(term, _PROPOSED):
        cond = conj(*(ge(t, 0) for t in terms), *assumed)
        if not cond.varying and enforceable(cond):
            yield from _clause(s, cond)


def _clause(s: SliceUse, cond: Cond) -> Iterator[Clause]:
    """A condition where the slice is taken, as far as launch scalars decide that; none that no launch meets."""
    if "*" in s.array:
        return
    whole = disj(*(negate(c) for c in conjuncts(s.guard) if enforceable(c) and not c.varying), cond)
    if whole.op not in ("true", "false"):
        yield Clause(render(whole), whole, "structural")


# --- report ----------------------------------------------------------------------------------------------------------

def obligation(s: SettledSlice) -> Obligation:
    """As the report shows it."""
    return Obligation("slice", s.span.line, s.array, s.verdict, readable(s.why), s.span, (),
                      tuple(c.text for c in s.clauses))


def told(s: SettledSlice, kernel: str) -> Iterator[Diagnostic]:
    """A note where nothing is known; what is wrong in every launch has a finding of its own."""
    if s.verdict == "unproven":
        yield Diagnostic(
            slice_range.CODE, "note", f"this slice of `{s.array}`: {readable(s.why)}", s.span, kernel,
            (Note("nothing checks a slice when the kernel runs"),),
            "clamp its ends in the kernel: `min(stop, extent)`, `max(start, 0)`")

"""TC204 slice-range: a slice that is not inside the array, or ends before it begins.

Nothing checks a slice when the kernel runs: what it selects outside of the array is other memory. A slice is refuted
when it is wrong in every launch that takes it, in all blocks or in the first or the last one; what only some launches
make wrong is a clause of the contract.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.discharge import cone
from tilecheck.interp.kernel.lint_facts import SliceUse
from tilecheck.obligations.query import Context
from tilecheck.rules.messages.wording import readable, spelled
from tilecheck.solver.inequalities import Facts
from tilecheck.solver.model_search import find_model
from tilecheck.symbolic import (
    EXTENTS,
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
    ge,
    grid,
    of,
    substitute,
    substitute_cond,
    symbol_from_text,
)
from tilecheck.symbolic.evaluate import evaluate

__all__ = ["CODE", "bounds", "diagnose", "facts"]

CODE = "TC204"
_EFFORT: Final = 1


def bounds(s: SliceUse) -> tuple[tuple[str, Term], ...]:
    """What must not be negative, by what is wrong where it is."""
    return (("below", s.start), ("reversed", s.stop - s.start), ("beyond", s.extent - s.stop))


def facts(context: Context, s: SliceUse, guard: Cond) -> Facts:
    """What is known where a slice is taken."""
    return Facts((guard, *context.assume, *context.standing, *_sizes(s)), [s.start, s.stop, s.extent], signs=False)


def _sizes(s: SliceUse, least: int = 0) -> tuple[Cond, ...]:
    atoms = atoms_in(s.start, s.stop, s.extent)
    return tuple(ge(of(a), least) for a in sorted(atoms) if isinstance(a, EXTENTS))


# --- findings --------------------------------------------------------------------------------------------------------

def diagnose(context: Context) -> Iterator[Diagnostic]:
    """An error for each slice that is wrong whatever the launch."""
    seen: set[object] = set()
    for s in context.model.observed.slices:
        if not s.exact or s.span in seen or "*" in s.array:
            continue
        for what, term in bounds(s):
            found = _refuted(context, s, term)
            if found is not None:
                seen.add(s.span)
                yield _told(context, s, what, found)
                break


def _refuted(context: Context, s: SliceUse, term: Term) -> tuple[dict[str, int], dict[Atom, int]] | None:
    """Values under which a bound fails, when it fails in every launch; with those of coordinates and counters."""
    if any(a.varying and isinstance(a, Opaque | Load | Lane | App) for a in atoms_in(term) | atoms_of(s.guard)):
        return None
    for corner in _corners(s, term):
        at = substitute(term, corner)
        guard = substitute_cond(s.guard, corner)
        if at.varying or guard.op == "false" or guard.varying:
            continue
        # of an empty array there is nothing to slice
        if facts(context, s, conj(guard, *_sizes(s, 1))).prove(-at - 1, _EFFORT) is None:
            continue
        shown = [ge(of(a), int(a.name in context.tiles)) for a in sorted(atoms_in(s.start, s.stop, s.extent))
                 if isinstance(a, Symbol)]
        wrong = conj(guard, ge(-at, 1), *_sizes(s, 1), *shown)
        model = find_model(conj(wrong, *cone(wrong, conj(*context.uniform, *context.standing))))
        if model is None:
            continue
        values = _coordinates(corner, model)
        env: dict[Atom, int] = {a: model[a.key] for a in atoms_in(term) if a.key in model} | values
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


def _coordinates(corner: dict[Atom, Term], model: dict[str, int]) -> dict[Atom, int]:
    known: dict[Atom, int] = {symbol_from_text(n): v for n, v in model.items()}
    for a in corner:
        if isinstance(a, Bid):
            known.setdefault(GridDim(a.axis), 1)
    return {a: evaluate(t, known) for a, t in corner.items()}


_SAID: Final = {
    "below": "begins at `{start}`, before the array",
    "reversed": "ends at `{stop}`, before it begins at `{start}`",
    "beyond": "ends at `{stop}`, past the extent `{extent}`",
}
_HELP: Final = {
    "below": "begin at 0 or later: a negative bound does not count from the end",
    "reversed": "pass the smaller of the two ends first",
    "beyond": "stop at `{extent}`",
}


def _told(context: Context, s: SliceUse, what: str, found: tuple[dict[str, int], dict[Atom, int]]) -> Diagnostic:
    model, at = found
    env: dict[Atom, int] = {a: model[a.key] for a in atoms_in(s.start, s.stop, s.extent) if a.key in model} | at
    texts = {"start": _text(s.start), "stop": _text(s.stop), "extent": _text(s.extent)}
    message = f"this slice of `{s.array}` along axis {s.axis} {_SAID[what].format(**texts)}"
    scalars = ", ".join(f"{n} = {v}" for n, v in sorted(model.items()) if not n.startswith("grid["))
    where = ", ".join(f"{readable(a.key)} = {v}" for a, v in sorted(at.items()))
    given = ", ".join(t for t in (where, scalars) if t)
    numbers = " to ".join(_value(t, env) for t in (s.start, s.stop))
    note = f"with {given} it selects the elements {numbers} of {_value(s.extent, env)}" if given else (
        f"it selects the elements {numbers} of {_value(s.extent, env)}")
    return Diagnostic(CODE, "error", message, s.span, context.model.name,
                      (Note(note), Note("nothing checks a slice when the kernel runs")),
                      _HELP[what].format(**texts))


def _text(t: Term) -> str:
    return spelled(t) if t.constant is None else str(t.constant)


def _value(t: Term, env: dict[Atom, int]) -> str:
    try:
        return str(evaluate(t, env))
    except (KeyError, ArithmeticError):
        return _text(t)



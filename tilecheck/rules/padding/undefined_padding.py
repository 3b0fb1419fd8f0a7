"""TC301 undefined-padding: a reduction, scan, product or store that uses padding whose value is unspecified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilecheck.contracts import render
from tilecheck.diagnostics import Diagnostic, Note, Proposal, Severity
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.poison.loops import EARLIER
from tilecheck.interp.kernel.poison.sources import Edge, Observation
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import clause_list
from tilecheck.solver.model_search import Point, find_point
from tilecheck.symbolic import (
    Bid,
    Cond,
    Counter,
    Lane,
    Mod,
    Symbol,
    atoms_in,
    atoms_of,
    conj,
    conjuncts,
    disj,
    enforceable,
    negate,
)
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import BlockPoint, Clause, Witness

__all__ = ["diagnose", "launch_that_shows"]

CODE: Final = "TC301"

_USES: Final[Mapping[str, str]] = {
    "store": "the store to `{0}`", "atomic": "the atomic update of `{0}`", "index": "an index",
    "branch": "a condition that decides what is done", "mask": "a mask", "mma": "the matrix product",
    "mma_scaled": "the matrix product", "matmul": "the matrix product", "sum": "the sum", "prod": "the product",
    "max": "the maximum", "min": "the minimum", "argmax": "the position of the maximum",
    "argmin": "the position of the minimum", "reduce": "the reduction", "cumsum": "the running sum",
    "cumprod": "the running product", "scan": "the scan",
}
_NEUTRAL: Final[Mapping[str, str]] = {
    "max": "NEG_INF", "argmax": "NEG_INF", "min": "POS_INF", "argmin": "POS_INF",
}
_NONE: Final = frozenset({"prod", "cumprod", "reduce", "scan"})
"""Uses for which no padding mode is neutral."""
_OWN: Final = frozenset({"branch", "store"})
"""Uses in which only the author knows what such a lane should be."""


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    array = s.access.array
    telling = [(use, found) for use, clauses in s.uses if (found := [c for c in clauses if c in s.clauses])]
    o, clauses = next(iter(telling if telling else s.uses), (None, ()))
    if o is None:
        return Diagnostic(
            CODE, "note", f"could not prove that nothing outside `{array}` is used: {s.why}", s.access.span, model.name,
            (), _help(array, "sum"))
    semantic = tuple(c for c in clauses if c.kind == "semantic")
    severity: Severity = "error" if s.verdict == "refuted" else "warning" if semantic else "note"
    what = _use(o)
    notes: list[Note] = []
    if o.span != s.access.span:
        notes.append(Note(f"the tile of `{array}` is loaded here, without a padding mode", s.access.span))
    example = _example(s, model, o, tuple(c.cond for c in semantic if c.cond is not None))
    if example is not None:
        notes.append(Note(example[0]))
    if severity == "note":
        message = f"could not prove that {what} uses no lane of the tile that lies outside `{array}`: {s.why}"
    else:
        message = (f"{what} uses lanes of the tile loaded from `{array}` that lie outside it and have an unspecified "
                   "value")
        if s.verdict != "refuted":
            message += f", unless {clause_list(tuple(dict.fromkeys(_said(c) for c in semantic)))}"
    witness = example[1] if example is not None and severity == "error" else None
    proposal = Proposal(
        () if o.how in _NONE | _OWN else (_NEUTRAL.get(o.how, "ZERO"),),
        tuple(c.text for c in semantic) if severity == "warning" else (), s.access.span, o.undefined.edge.axis)
    return Diagnostic(
        CODE, severity, message, o.span, model.name, tuple(notes), _help(array, o.how), witness, proposal)


def launch_that_shows(s: Settled, model: KernelModel) -> Witness | None:
    """A launch in which a lane that is undefined is used, of an obligation that is not proved; None when none was
    found."""
    for o, clauses in s.uses:
        broken = tuple(c.cond for c in clauses if c.kind == "semantic" and c.cond is not None)
        found = _example(s, model, o, broken)
        if found is not None:
            return found[1]
    return None


def _said(clause: Clause) -> str:
    """The clause without the flags that it is conditional on."""
    c = clause.cond
    if c is None or c.op != "or":
        return clause.text
    told = [p for p in c.args if isinstance(p.term.single, Mod) or any(
        isinstance(a, Symbol) and "[" in a.name for a in atoms_of(p))]
    return render(disj(*told)) if told else clause.text


def _use(o: Observation) -> str:
    text = _USES.get(o.how, "an operation").format(o.detail)
    if o.how == "index" and o.detail:
        return f"an index into `{o.detail}`"
    return f"{text} over {o.detail}" if o.detail.startswith(("axis", "axes", "all")) else text


def _help(array: str, how: str) -> str:
    if how in _NONE:
        return (f"replace the lanes outside `{array}` by the identity of the operation with `ct.where`, or load with "
                "padding_mode=ct.PaddingMode.ZERO where that is 0")
    return f"load `{array}` with padding_mode=ct.PaddingMode.{_NEUTRAL.get(how, 'ZERO')}"


def _example(s: Settled, model: KernelModel, o: Observation, broken: tuple[Cond, ...]) -> tuple[str, Witness] | None:
    """A launch in numbers in which a lane is undefined and used: in words, and as a witness."""
    if o.undefined.blurred:
        return None
    made = conj(o.undefined.cond, o.guard)
    declared = [c for d in s.assumed for c in (d,) if enforceable(c) and not c.varying]
    point = find_point(made, model.axes_read, conj(*declared, *(negate(c) for c in broken[:1])))
    if point is None and broken:
        point = find_point(made, model.axes_read, conj(*declared))
    if point is None:
        return None
    lane = _lane(o.undefined.edge, o, point)
    if lane is None:
        return None
    scalars = ", ".join(f"{n} = {v}" for n, v in point.scalars)
    edge = o.undefined.edge
    rank = dict(model.ranks).get(edge.array, 1)
    axis = f" along axis {edge.axis}" if rank > 1 else ""
    where = f"with {scalars}, " if scalars else ""
    last = f"the last one of `{edge.array}` is {lane[2] - 1}" if lane[2] else f"`{edge.array}` has none"
    text = f"{where}lane {lane[0]} of the tile{axis} would be element {lane[1]}, and {last}"
    return text, _witness(point, lane[1])


def _witness(point: Point, element: int) -> Witness:
    env = point.leaves
    x, y, z = (env[Bid(axis)] for axis in range(3))
    side = BlockPoint((x, y, z), tuple(sorted((a.name, v) for a, v in env.items() if isinstance(a, Counter))),
                      tuple(sorted((a.key, v) for a, v in env.items() if isinstance(a, Lane))))
    return Witness(point.grid, point.scalars, side, side, (element,))


def _lane(edge: Edge, o: Observation, point: Point) -> tuple[int, int, int] | None:
    """Lane of the tile along the edge, its element, and how many elements there are."""
    env = dict(point.leaves)
    by_name: dict[str, int] = {a.name: v for a, v in env.items() if isinstance(a, Counter)}
    for a in atoms_in(edge.start, edge.end):
        if isinstance(a, Counter) and a not in env and a.name + EARLIER in by_name:
            env[a] = by_name[a.name + EARLIER]
    try:
        over = [evaluate(c.term, env) for c in conjuncts(o.undefined.outside)
                if c.op == "ge" and any(isinstance(a, Lane) for a in atoms_of(c))]
        if len(over) != 1:
            return None
        start, end = evaluate(edge.start, env), evaluate(edge.end, env)
    except (KeyError, ArithmeticError):
        return None
    return end + over[0] - start, end + over[0], end

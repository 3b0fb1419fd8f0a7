"""TC405 grid-mismatch: a visible launch whose grid, shapes or constants break the kernel's contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.interp.host.argument_aliasing import unread_axis
from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import Discharge, said
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.violations import failing
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.launches import Discharged
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.bounds import grid_coverage
from tilecheck.rules.messages.host import finding
from tilecheck.solver.model_search.layout import leaves
from tilecheck.symbolic import GridDim, Term, atoms_of, const, evaluate
from tilecheck.symbolic.footprint import Clause

__all__ = ["diagnose", "diagnose_host"]

CODE = "TC405"


def diagnose(
    model: KernelModel, clauses: Sequence[Clause], states: Mapping[str, Discharged], launches: Sequence[Launch],
    obligations: Sequence[Settled] = (),
) -> list[Diagnostic]:
    """A finding for each clause that a launch breaks, and for each launch with several blocks on an unread axis.

    Of clauses that no launch was seen to satisfy, one finding for each launch: they mostly have one cause.
    """
    out = [d for launch in launches if (d := _unread(model, launch)) is not None]
    unread = {d.span for d in out}
    inside = {c.text for s in obligations if s.kind == "bounds" for c in s.clauses}
    bounds = {c.text for s in obligations if s.kind == "bounds" for c in s.clauses if c.kind == "structural"} - {
        c.text for s in obligations if s.kind != "bounds" for c in s.clauses}
    for clause in clauses:
        if clause.text in bounds:
            out += [d for launch, r in states[clause.text].at if r.state == "broken" and launch.span not in unread
                    for d in _strays(model, clause, obligations, launch, r)]
            continue
        for launch, result in states[clause.text].at:
            if launch.span in unread and clause.text.startswith("grid["):
                continue
            if clause.text.startswith("disjoint("):  # TC401 says it better
                continue
            if result.state == "broken" or (result.state == "violated" and clause.kind == "semantic"):
                out.append(_broken(model, clause, launch, result, obligations))
    told = {d.span for d in out}
    for clause in clauses:
        for launch, result in states[clause.text].at if clause.text in inside else ():
            if result.state == "open" and launch.span not in told:
                found = failing(clause, model.params, launch, model.launched)
                more = [] if found is None else _strays(model, clause, obligations, launch, found.result, found.always)
                if found is not None and not found.always:
                    more = [_seen(d) for d in more]
                told |= {d.span for d in more}
                out += more
    return out


def _strays(
    model: KernelModel, clause: Clause, obligations: Sequence[Settled], launch: Launch, result: Discharge,
    proved: bool = True,
) -> list[Diagnostic]:
    """The finding for a clause that keeps tiles inside their arrays, where it is needed for that."""
    s = grid_coverage.needed(clause, obligations, model, launch, proved)
    if s is None:
        return []
    about_grid = clause.cond is not None and any(isinstance(a, GridDim) for a in atoms_of(clause.cond))
    # what hangs on data, or on the way that the host takes, need not come about
    doubtful = result.state == "violated"
    if about_grid:
        found = grid_coverage.beyond(model, clause, s, launch, result)
        return [replace(found, severity="warning") if doubtful else found]
    found = _broken(model, clause, launch, result, obligations)
    return [replace(found, severity="warning") if doubtful or grid_coverage.by_data(s) else found]


def _seen(d: Diagnostic) -> Diagnostic:
    """The finding, where other values than those that were tried may be right."""
    note = Note("that was seen for all sizes that were tried, and is not proved for others", d.span)
    return replace(d, severity="warning", notes=(*d.notes, note))


def _unread(model: KernelModel, launch: Launch) -> Diagnostic | None:
    if not model.written:
        return None
    found = unread_axis(launch, model.axes_read)
    if found is None or not found.sure:
        return None
    message = (f"`{model.name}` never reads `ct.bid({found.axis})`, and this launch has {found.extent} blocks on that "
               "axis: they all do the same work and write the same elements")
    return Diagnostic(
        CODE, "error", message, launch.span, model.name, (Note("the kernel is here", model.name_span),),
        f"launch with extent 1 on axis {found.axis}, or let the kernel read `ct.bid({found.axis})`")


def _broken(
    model: KernelModel, clause: Clause, launch: Launch, result: Discharge, obligations: Sequence[Settled],
) -> Diagnostic:
    values = ", ".join(f"{name} = {value}" for name, value in result.values)
    never = result.state == "broken"
    severity: Severity = "error" if never else "warning"
    numbers = _in_numbers(model, clause, launch, result)
    where = "" if not values else (
        f" (say, with {values}{f': {numbers} is false' if numbers else ''})" if never else
        f": for {values}, {numbers or 'it'} is false")
    message = f"this launch breaks `{clause.text}`, which `{model.name}` needs{where}"
    notes = [Note("the kernel is here", model.name_span)]
    if result.text:
        notes.insert(0, Note(f"here the clause says {result.text}"))
    needing = next((s for s in obligations if any(c.text == clause.text for c in s.clauses)), None)
    if needing is not None:
        notes.append(Note(f"what this does with `{needing.access.array}` needs it", needing.access.span))
    return Diagnostic(CODE, severity, message, launch.span, model.name, tuple(notes),
                      f"launch `{model.name}` with a grid, shapes and constants that satisfy `{clause.text}`")


def _in_numbers(model: KernelModel, clause: Clause, launch: Launch, result: Discharge) -> str:
    """The clause with all that the values which were found make of its own names; empty where that is not known."""
    if clause.cond is None or not result.values:
        return ""
    known = dict(result.values)
    numbers: dict[str, Term] = {}
    for name, term in bind(clause.cond, model.params, launch, model.launched).values.items():
        try:
            numbers[name] = const(evaluate(term, {a: known[a.key] for a in leaves(term)}))
        except (KeyError, ArithmeticError):
            return ""
    text = _TILES.sub(lambda m: str(-(-int(m[1]) // int(m[2]))) if int(m[2]) else m[0], said(clause.text, numbers))
    return _QUOTIENT.sub(lambda m: str(int(m[1]) // int(m[2])) if int(m[2]) else m[0], text)


_TILES: Final = re.compile(r"(?<!\w)cdiv\((\d+), (\d+)\)")
_QUOTIENT: Final = re.compile(r"(?<![\w*/%.] )(?<!\w)(\d+) ?// ?(\d+)(?! ?[*/%])(?!\w)")
"""A quotient that is computed before all beside it."""

_HOST: Final[Mapping[str, Callable[[Event], str]]] = MappingProxyType({
    "grid": lambda e: f"the grid of `{e.kernel}` is {e.other}, but the pieces of `{e.subject}` ask for {e.what}",
    "room": lambda e: f"the grid of `{e.kernel}` is {e.other}, but `{e.subject}` has room for at most {e.what}",
    "outputs": lambda e: (f"`{e.subject}` asks for grid {e.what} and `{e.use}` for {e.other} in one launch of "
                          f"`{e.kernel}`"),
    "extents": lambda e: f"the extents of `{e.subject}` do not fit `{e.kernel}`: {e.other}, and {e.what}",
})


def diagnose_host(event: Event) -> Diagnostic:
    """What partitions and shapes of a launch through the runtime ask for."""
    return finding(event, _HOST[event.kind](event))

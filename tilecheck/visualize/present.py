"""Which launch a picture of a kernel opens at: that of a finding, the one that was asked for, or a small one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilecheck.diagnostics import Diagnostic
from tilecheck.explain.names import Given
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.padding_examples import launch_that_shows
from tilecheck.obligations.row_spill import rows_of
from tilecheck.obligations.verdicts import contract_of
from tilecheck.pipeline.single_kernel import Study
from tilecheck.report.text import restates
from tilecheck.symbolic import EXTENTS, Cond, Symbol, conjuncts, const, ge, negate
from tilecheck.symbolic.footprint import Witness
from tilecheck.visualize.build import Drawn, build, draw_limits
from tilecheck.visualize.choose import Wish, choose
from tilecheck.visualize.described import launch_words
from tilecheck.visualize.instances import note_other_launch, siblings
from tilecheck.visualize.meetings import Meeting, meetings
from tilecheck.visualize.origins import Meets, parts_of
from tilecheck.visualize.parts import left_out
from tilecheck.visualize.scene import Headline, Scene
from tilecheck.visualize.schedule import Scheduled, apply_schedule
from tilecheck.visualize.setting import Block, CannotDraw, Setting
from tilecheck.visualize.touches import touches

__all__ = ["Request", "present"]

_PLACES: Final = frozenset({"TC101", "TC102", "TC103", "TC106", "TC107", "TC201", "TC202", "TC206", "TC301"})
"""Findings that a launch shows or does not."""
_ELSEWHERE: Final = frozenset({
    "TC104", "TC105", "TC109", "TC110", "TC111", "TC207", "TC302", "TC303", "TC304", "TC401", "TC408", "TC501",
    "TC502"})
"""Findings that no picture of places shows."""
_ON_LINE: Final = re.compile(r"(\([a-z]\) )?on (line \d+|lines \d+(?:, \d+)* and \d+), (.*)")
"""A help that says on which line, after the letter of the way where there are several."""
_SEVERITIES: Final = ("error", "warning", "note")


class Request(Struct, frozen=True):
    """The request of the user. `given` are scalars, including those of the grid; `finding` counts from 1."""

    given: Mapping[Symbol, int]
    finding: int | None = None


def present(study: Study, request: Request) -> Scene:
    """The scene. Raises CannotDraw when there is none."""
    plan = apply_schedule(study.model)
    told = _findings(study)
    chosen = _choose_finding(told, request)
    settled = _obligation(study, chosen) if chosen is not None else None
    drawn, own = _draw_launch(study, plan, request, chosen, settled)
    ringed = _find_collision(drawn, chosen, settled) if chosen is not None else None
    headline = _headline(drawn, chosen, settled, ringed, own) if chosen is not None else None
    others = tuple(f"{d.code} line {d.span.line}: {d.message}" for d in told if d is not chosen)
    related = _related_lines(drawn, chosen, settled) if chosen is not None else frozenset()
    if headline is not None:
        related |= {p.line for p in headline.parts if not p.name.startswith(("tile of ", "element of "))}
    origin = launch_words(study, drawn.setting, bool(request.given))
    named = ringed is not None and _names(chosen, settled, ringed)
    return build(drawn, headline, ringed, others, related, origin, named)


def _findings(study: Study) -> list[Diagnostic]:
    """Findings of the kernel, the worst first, and of those the ones that have an example."""
    inside = [d for d in study.diagnostics if d.kernel == study.model.name and d.severity != "note"]
    return sorted(inside, key=lambda d: (_SEVERITIES.index(d.severity), d.witness is None, d.span))


def _choose_finding(told: Sequence[Diagnostic], request: Request) -> Diagnostic | None:
    if request.finding is None:
        return told[0] if told else None
    if not 1 <= request.finding <= len(told):
        there = f"there are {len(told)}" if told else "there are none"
        raise CannotDraw(f"there is no finding {request.finding} of this kernel: {there}")
    return told[request.finding - 1]


def _obligation(study: Study, d: Diagnostic) -> DecidedObligation | None:
    """The obligation that a finding reports."""
    fits = [s for s in study.proof.obligations if s.code == d.code and s.verdict not in ("proved", "atomic")]
    here = [s for s in fits if s.access.span == d.span or any(use.span == d.span for use, _ in s.uses)]
    return next(iter(here or fits), None)


def _draw_launch(
    study: Study, plan: Scheduled, request: Request, d: Diagnostic | None, s: DecidedObligation | None,
) -> tuple[Drawn, bool]:
    """The launch with its accesses, and whether the user described it."""
    must = tuple(c.cond for c in study.proof.declared if c.cond is not None) + conjuncts(study.model.guards)
    broken = {c.text for o in _related_obligations(study, s) for c in o.semantic_clauses}
    should = tuple(c.cond for c in contract_of(study.proof) if c.cond is not None and c.text not in broken)
    if request.given:
        # a requested launch is drawn even if it breaks the contract
        wish = Wish(request.given, (), (*must, *should), clean=d is None)
        setting = choose(study.model, plan, wish)
        return _happens(study, plan, setting), True
    for wish in _wishes(study, d, s, must, should):
        try:
            drawn = _happens(study, plan, choose(study.model, plan, wish))
        except CannotDraw:
            continue
        if d is None or s is None or _shows(drawn, s, d):
            return drawn, False
    wish = Wish({}, must, should, clean=d is None)
    return _happens(study, plan, choose(study.model, plan, wish)), False


def _related_obligations(study: Study, s: DecidedObligation | None) -> tuple[DecidedObligation, ...]:
    """The obligation of a finding; for undefined lanes, also the obligations of the other operands."""
    if s is None:
        return ()
    return tuple(siblings(s, study.proof.obligations)) if s.kind == "padding" else (s,)


def _wishes(
    study: Study, d: Diagnostic | None, s: DecidedObligation | None, must: tuple[Cond, ...], should: tuple[Cond, ...],
) -> list[Wish]:
    """Launches that may show a finding, the clearest first."""
    out: list[Wish] = []
    if d is None:
        return out
    broken = [c.cond for c in s.semantic_clauses if c.cond is not None] if s is not None else []
    if d.witness is not None and s is not None and s.kind not in ("bounds", "padding"):
        # that of the report, so that one need not compare two
        out += [_of_witness(d.witness, must, should, whole) for whole in (False, True)]
    if s is not None and s.code == "TC206":
        wide = tuple(ge(row, const(3)) for row in rows_of(s.access) if not row.varying)[:1]
        out += [Wish({}, (*must, negate(c), *wide), should, clean=False) for c in broken]
    every = [c.cond for o in _related_obligations(study, s) for c in o.semantic_clauses
             if c.cond is not None]
    if len(every) > len(broken) and d.severity != "error":
        # all operands of one operation at once
        out.append(Wish({}, (*must, *map(negate, every)), should, clean=False))
    witness = d.witness or (s.witness if s is not None else None) or (
        launch_that_shows(s, study.model) if s is not None and s.code == "TC301" else None)
    if d.severity != "error":
        # an example among many: the clearest will do
        out += [Wish({}, (*must, negate(c)), should, clean=False) for c in broken]
    if witness is not None:
        # arrays need not be as large as they were when it was found, unless the finding says how large they are
        told = s is not None and s.kind == "bounds"
        out += [_of_witness(witness, must, should, whole) for whole in ((True,) if told else (False, True))]
    return out


def _of_witness(w: Witness, must: tuple[Cond, ...], should: tuple[Cond, ...], whole: bool) -> Wish:
    given = {a: n for a, n in w.launch.items() if isinstance(a, Symbol) and (whole or not isinstance(a, EXTENTS))}
    return Wish(given, must, should, dict(w.data), clean=False)


def _happens(study: Study, plan: Scheduled, setting: Setting) -> Drawn:
    draw_limits(study, setting)
    found = touches(plan.accesses, setting)
    return Drawn(study, plan, setting, found, meetings(plan.accesses, found.touches))


def _shows(drawn: Drawn, s: DecidedObligation, d: Diagnostic) -> bool:
    """Whether a launch shows what an obligation fails for; of a finding that names an element, that one."""
    accesses = drawn.plan.accesses
    if s.kind == "bounds":
        return any(t.is_undefined(accesses[t.access]) for t in drawn.touched.touches)
    if s.kind == "padding":
        return any(t.kept_off and accesses[t.access].unspecified for t in drawn.touched.touches)
    w = d.witness if d.severity == "error" else None
    return any(m.array == s.access.array and (w is None or m.element == w.element) for m in drawn.meetings)


def _find_collision(drawn: Drawn, d: Diagnostic, s: DecidedObligation | None) -> Meeting | None:
    """The collision of a finding."""
    array = s.access.array if s is not None else None
    found = [m for m in drawn.meetings if array is None or m.array == array]
    w = d.witness
    if w is not None and s is not None and s.kind != "bounds":
        exact = [m for m in found if _names(d, s, m)]
        if exact:
            return exact[0]
    return found[0] if found and s is not None and s.kind not in ("bounds", "padding") else None


def _names(d: Diagnostic | None, s: DecidedObligation | None, m: Meeting) -> bool:
    """Whether a collision is the one of the finding or of its example: the same element of the same two blocks. A
    finding without an example names none."""
    w = d.witness if d is not None else None
    return w is not None and s is not None and s.kind != "bounds" and m.element == w.element and {
        w.first.block, w.second.block} <= set(m.blocks)


def _headline(drawn: Drawn, d: Diagnostic, s: DecidedObligation | None, ringed: Meeting | None, own: bool) -> Headline:
    blocks = ringed.blocks[:2] if ringed is not None else _astray_elements(drawn)
    shown = "it is not about which block touches what." if d.code in _ELSEWHERE else (
        "" if _has_touches(drawn) or d.code not in _PLACES else
        "at this launch it does not happen: choose other sizes, or leave them out to see it." if own else
        "no small launch was found that shows it.")
    who = _describe_meeting(drawn, ringed, blocks) if ringed is not None else _find_outside(drawn, s)
    return Headline(
        d.code, d.severity, d.message, tuple(_changes(drawn, d, s)), shown, blocks,
        elsewhere=note_other_launch(d.witness, drawn.setting),
        parts=parts_of(drawn.study, drawn.plan, drawn.setting, who),
        met=tuple(m.block for m in who), notes=tuple(_notes(drawn, d, s)))


def _describe_meeting(drawn: Drawn, m: Meeting, blocks: tuple[Block, ...]) -> tuple[Meets, ...]:
    """The action of each of two colliding blocks; a write takes precedence over a read."""
    out = []
    for block in blocks:
        own = [t for t in drawn.touched.touches
               if t.block == block and t.access in m.accesses and m.element in t.inside]
        first = min(own, key=lambda t: drawn.plan.accesses[t.access].mode == "read", default=None)
        out += [Meets(block, first, m.element)] if first is not None else []
    return tuple(out)


def _find_outside(drawn: Drawn, s: DecidedObligation | None) -> tuple[Meets, ...]:
    """The first access of each of two blocks outside an array."""
    found: dict[Block, Meets] = {}
    for t in drawn.touched.touches if s is not None and s.kind == "bounds" else ():
        access = drawn.plan.accesses[t.access]
        if s is not None and access.span == s.access.span and t.is_undefined(access):
            found.setdefault(t.block, Meets(t.block, t))
    return tuple(found.values())[:2]


def _notes(drawn: Drawn, d: Diagnostic, s: DecidedObligation | None) -> Iterator[str]:
    """The notes of the finding, and a note that padding does not help if a tile is wholly outside."""
    if s is not None and s.kind == "bounds" and s.access.padding and s.access.tile and _find_outside(drawn, s):
        yield (f"`padding_mode` {s.access.padding} does not help: it fills the lanes of a tile that sticks out, and "
               "this one lies wholly outside")
    yield from (n.message for n in d.notes if n.span is None and not restates(n, d.witness))


def _changes(drawn: Drawn, d: Diagnostic, s: DecidedObligation | None) -> Iterator[tuple[str, str]]:
    """Where to change what: of undefined lanes at the loads, elsewhere where the finding stands."""
    study = drawn.study
    if s is not None and s.kind == "padding" and d.code == "TC301" and d.help:
        for o in _related_obligations(study, s):
            yield study.place(o.access.span), d.help.replace(f"`{s.access.array}`", f"`{o.access.array}`")
        return
    if d.help:
        missing = _missing(drawn, d, s)[:1]
        lacks = "".join(f"`{x.name}` (line {x.line}) is not in the index of `{_array(s)}`: " for x in missing)
        lines = {span.line: span for span, _ in d.proposal.edits} if d.proposal is not None else {}
        at = next(iter(lines.values())) if len(lines) == 1 else d.span
        first, *ways = d.help.splitlines()
        there = _ON_LINE.fullmatch(first)
        place = there[2] if there else "" if ways else study.place(at)
        yield place, lacks + (there[3] if there else first)
        for way in ways:
            there = _ON_LINE.fullmatch(way)
            yield (f"{there[1]}{there[2]}", there[3]) if there else ("", way)


def _array(s: DecidedObligation | None) -> str:
    return s.access.array.text if s is not None else ""


def _missing(drawn: Drawn, d: Diagnostic, s: DecidedObligation | None) -> list[Given]:
    """Parts of block coordinates in which the blocks of a collision of one write differ and that its index lacks."""
    w = d.witness
    if d.code != "TC101" or w is None or s is None or (s.other is not None and s.other.site != s.access.site):
        return []
    return list(left_out(drawn.study.definition, s.access, w.first.block, w.second.block, w.launch))


def _related_lines(drawn: Drawn, d: Diagnostic, s: DecidedObligation | None) -> frozenset[int]:
    """Lines of the kernel's file that a finding mentions, without its own."""
    file = drawn.study.model.file
    spans = [n.span for n in d.notes if n.span is not None]
    spans += [o.access.span for o in _related_obligations(drawn.study, s) if s is not None and s.kind == "padding"]
    return frozenset({x.line for x in spans if x.file == file} | {x.line for x in _missing(drawn, d, s)})


def _astray_elements(drawn: Drawn) -> tuple[tuple[int, int, int], ...]:
    accesses = drawn.plan.accesses
    found = dict.fromkeys(t.block for t in drawn.touched.touches if t.is_undefined(accesses[t.access]))
    return tuple(found)[:2]


def _has_touches(drawn: Drawn) -> bool:
    accesses = drawn.plan.accesses
    return bool(drawn.meetings) or any(
        t.is_undefined(accesses[t.access]) or (t.kept_off and accesses[t.access].unspecified)
        for t in drawn.touched.touches)

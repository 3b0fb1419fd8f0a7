"""Two blocks write one element: where the index comes from, and which index keeps them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.diagnostics import Note
from tilecheck.obligations.obligation import Advice, Settled
from tilecheck.repair.candidates.indices import Index, index_of
from tilecheck.repair.candidates.numbers import in_both, in_each, label
from tilecheck.repair.candidates.recheck import Candidate, Outcome, tried
from tilecheck.repair.candidates.scene import Given, Scene, axes_of
from tilecheck.repair.candidates.ways import apart, further, lost_names
from tilecheck.repair.candidates.wording import alternatives
from tilecheck.symbolic import Bid
from tilecheck.symbolic.footprint import Witness
from tilecheck.syntax.tree import Name

__all__ = ["advice"]

_TRIED: Final = 10
_SHOWN: Final = 3


def advice(scene: Scene, s: Settled) -> Advice | None:
    w = s.witness
    if w is None:
        return None
    differ = frozenset(k for k in range(3) if w.first.block[k] != w.second.block[k])
    if s.other is not None and s.other.site != s.access.site:
        notes = tuple(n for a, p in ((s.other, w.first), (s.access, w.second)) for n in label(scene, a, w, p))
        return _with_help(s, scene, notes, list(_outcomes(scene, s, further(scene, s.access))))
    call = scene.calls.get(s.access.span)
    index = None if call is None else index_of(scene, call)
    if index is None:
        return None
    outcomes = list(_outcomes(scene, s, apart(scene, s.access, w)))
    return _with_help(s, scene, tuple(_origins(scene, s, index, w, differ, outcomes)), outcomes)


def _outcomes(scene: Scene, s: Settled, candidates: Iterator[Candidate]) -> Iterator[Outcome]:
    """What was tried and does, as far as nothing else that does has more to speak for it. A condition stands beside
    whatever else there is."""
    best: int | None = None
    by_text: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: c.rank):
        by_text.setdefault(candidate.shown, candidate)
    for candidate in sorted(list(by_text.values())[:_TRIED], key=lambda c: c.guard):
        if best is not None and candidate.rank > best and not candidate.guard:
            continue
        outcome = tried(scene, s, candidate)
        if outcome is not None:
            best = candidate.rank
            yield outcome


def _with_help(s: Settled, scene: Scene, notes: tuple[Note, ...], outcomes: Sequence[Outcome]) -> Advice:
    edits = () if any(o.idle or o.candidate.guard for o in outcomes) else tuple(
        o.candidate.edit for o in outcomes)
    texts = [_told(scene, s, o) for o in outcomes[:_SHOWN]]
    if not texts:
        return Advice(notes)
    if len(texts) == 1:
        return Advice(notes, f"{texts[0]}: no two blocks write one element of `{s.access.array}` then", edits)
    return Advice(notes, alternatives("each of these keeps the blocks apart, and only you know which is meant", texts),
                  edits)


def _told(scene: Scene, s: Settled, o: Outcome) -> str:
    c = o.candidate
    if c.guard:
        return f"on line {c.span.line}, let one block do it, under `{c.shown}`"
    told = c.told("store at" if c.shown.startswith("(") and s.access.op.endswith("store") else "write")
    told += f", {c.why}" if c.why else ""
    if not o.idle:
        return told
    axes = f"grid {'axis' if len(o.idle) == 1 else 'axes'} {' and '.join(map(str, o.idle))}"
    gone = [f"`{given.target.id}` (line {given.target.span.line})" for given in _idle(scene, o)]
    spare = (f"; {' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} in no index then: remove "
             f"{'it' if len(gone) == 1 else 'them'}, and" if gone else "; then")
    return f"{told}{spare} launch one block on {axes}"


def _idle(scene: Scene, o: Outcome) -> Iterator[Given]:
    """The coordinates that nothing uses any more: a kernel that reads one is meant for several blocks on its axis."""
    for given in scene.given.values():
        term = scene.term(given.target)
        if term is not None and isinstance(term.single, Bid) and term.single.axis in o.idle:
            yield given


def _origins(
    scene: Scene, s: Settled, index: Index, w: Witness, differ: frozenset[int], outcomes: Sequence[Outcome],
) -> Iterator[Note]:
    """The index in numbers, and the names on the way from the block to it."""
    elsewhere = [o.candidate for o in outcomes if o.candidate.span.line != s.access.span.line]
    told = list(_same(scene, index, w, differ))
    lost = next(lost_names(scene, index, w, differ), None)
    if lost is not None and not elsewhere:
        given = scene.given[lost]
        told.append((given, f"{in_each(scene, lost, w)}, and not in the index"))
    notes = [Note(text, given.target.span, True) for given, text in told]
    for given in dict.fromkeys(g for o in outcomes for g in _idle(scene, o)):
        name = given.target.id
        notes.append(Note(_of_both(scene, name, w), given.target.span, True))
    notes += [Note(f"with `{c.text}` here no two blocks meet", c.span, True) for c in elsewhere if len(outcomes) == 1]
    yield from sorted(notes, key=lambda n: n.span or s.access.span)
    number = in_both(scene, s.access, w)
    if number:
        yield Note(number, index.whole.span, True)


def _of_both(scene: Scene, name: str, w: Witness) -> str:
    """A coordinate that is in the index, and in which the two blocks do not differ."""
    term = scene.term(scene.given[name].target)
    values = {None if term is None else scene.at(term, w, p) for p in (w.first, w.second)}
    return f"`{name}` is {next(iter(values))} in both blocks" if len(values) == 1 and None not in values else (
        in_each(scene, name, w))


def _same(scene: Scene, index: Index, w: Witness, differ: frozenset[int]) -> Iterator[tuple[Given, str]]:
    """Parts of the index that depend on what the blocks differ in, and come to the same."""
    for part in index.parts:
        given = scene.given.get(part.id) if isinstance(part, Name) else None
        term = None if given is None else scene.term(given.target)
        if given is not None and term is not None and axes_of(term) & differ:
            first, second = scene.at(term, w, w.first), scene.at(term, w, w.second)
            if first is not None and first == second:
                yield given, f"`{given.target.id}` is {first} in both blocks"

"""Two blocks write one element: how the index is computed, and the index with which they write different elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.diagnostics import Note
from tilecheck.obligations.obligation import Advice, DecidedObligation
from tilecheck.repair.candidates.index_edits import find_unused_names, separate_blocks, separate_statements
from tilecheck.repair.candidates.indices import Index, index_of
from tilecheck.repair.candidates.notes import describe_in_both_blocks, describe_in_each_block, label_access
from tilecheck.repair.candidates.recheck import Candidate, Outcome, try_candidate
from tilecheck.repair.candidates.scene import Given, Scene, axes_of
from tilecheck.repair.candidates.wording import alternatives
from tilecheck.symbolic import Bid
from tilecheck.symbolic.footprint import Witness
from tilecheck.syntax.tree import Name

__all__ = ["advise_on_overlap"]

_TRIED: Final = 10
_SHOWN: Final = 3


def advise_on_overlap(scene: Scene, s: DecidedObligation) -> Advice | None:
    w = s.witness
    if w is None:
        return None
    differ = frozenset(k for k in range(3) if w.first.block[k] != w.second.block[k])
    if s.other is not None and s.other.site != s.access.site:
        notes = tuple(n for a, p in ((s.other, w.first), (s.access, w.second)) for n in label_access(scene, a, w, p))
        return _build_advice(s, scene, notes, list(_select_outcomes(scene, s, separate_statements(scene, s.access))))
    call = scene.calls.get(s.access.span)
    index = None if call is None else index_of(scene, call)
    if index is None:
        return None
    outcomes = list(_select_outcomes(scene, s, separate_blocks(scene, s.access, w)))
    return _build_advice(s, scene, tuple(_note_origins(scene, s, index, w, differ, outcomes)), outcomes)


def _select_outcomes(scene: Scene, s: DecidedObligation, candidates: Iterator[Candidate]) -> Iterator[Outcome]:
    """The candidates of the best rank that remove the finding. A condition is shown besides any other candidate."""
    best: int | None = None
    by_text: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: c.rank):
        by_text.setdefault(candidate.shown, candidate)
    for candidate in sorted(list(by_text.values())[:_TRIED], key=lambda c: c.guard):
        if best is not None and candidate.rank > best and not candidate.guard:
            continue
        outcome = try_candidate(scene, s, candidate)
        if outcome is not None:
            best = candidate.rank
            yield outcome


def _build_advice(s: DecidedObligation, scene: Scene, notes: tuple[Note, ...], outcomes: Sequence[Outcome]) -> Advice:
    edits = () if any(o.idle or o.candidate.guard for o in outcomes) else tuple(
        o.candidate.edit for o in outcomes)
    texts = [_describe_outcome(scene, s, o) for o in outcomes[:_SHOWN]]
    if not texts:
        return Advice(notes)
    if len(texts) == 1:
        return Advice(notes, f"{texts[0]}: no two blocks write one element of `{s.access.array}` then", edits)
    return Advice(
        notes, alternatives("each of these edits makes the blocks disjoint; choose the one that you mean", texts), edits
    )


def _describe_outcome(scene: Scene, s: DecidedObligation, o: Outcome) -> str:
    c = o.candidate
    if c.guard:
        return f"on line {c.span.line}, let one block do it, under `{c.shown}`"
    told = c.describe("store at" if c.shown.startswith("(") and s.access.op.endswith("store") else "write")
    told += f", {c.why}" if c.why else ""
    if not o.idle:
        return told
    axes = f"grid {'axis' if len(o.idle) == 1 else 'axes'} {' and '.join(map(str, o.idle))}"
    gone = [f"`{given.target.id}` (line {given.target.span.line})" for given in _find_unused_coordinates(scene, o)]
    spare = (f"; {' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} in no index then: remove "
             f"{'it' if len(gone) == 1 else 'them'}, and" if gone else "; then")
    return f"{told}{spare} launch one block on {axes}"


def _find_unused_coordinates(scene: Scene, o: Outcome) -> Iterator[Given]:
    """The coordinates that the edit leaves unused: a kernel that reads one is meant for several blocks on its axis."""
    for given in scene.given.values():
        term = scene.term(given.target)
        if term is not None and isinstance(term.single, Bid) and term.single.axis in o.idle:
            yield given


def _note_origins(
    scene: Scene, s: DecidedObligation, index: Index, w: Witness, differ: frozenset[int], outcomes: Sequence[Outcome],
) -> Iterator[Note]:
    """The index in numbers, and the names on the way from the block to it."""
    elsewhere = [o.candidate for o in outcomes if o.candidate.span.line != s.access.span.line]
    told = list(_find_equal_parts(scene, index, w, differ))
    lost = next(find_unused_names(scene, index, w, differ), None)
    if lost is not None and not elsewhere:
        given = scene.given[lost]
        told.append((given, f"{describe_in_each_block(scene, lost, w)}, and not in the index"))
    notes = [Note(text, given.target.span, True) for given, text in told]
    for given in dict.fromkeys(g for o in outcomes for g in _find_unused_coordinates(scene, o)):
        name = given.target.id
        notes.append(Note(_describe_equal_coordinate(scene, name, w), given.target.span, True))
    notes += [Note(f"with `{c.text}` here no two blocks meet", c.span, True) for c in elsewhere if len(outcomes) == 1]
    yield from sorted(notes, key=lambda n: n.span or s.access.span)
    number = describe_in_both_blocks(scene, s.access, w)
    if number:
        yield Note(number, index.whole.span, True)


def _describe_equal_coordinate(scene: Scene, name: str, w: Witness) -> str:
    """A coordinate that is in the index, and in which the two blocks do not differ."""
    term = scene.term(scene.given[name].target)
    values = {None if term is None else scene.at(term, w, p) for p in (w.first, w.second)}
    return f"`{name}` is {next(iter(values))} in both blocks" if len(values) == 1 and None not in values else (
        describe_in_each_block(scene, name, w))


def _find_equal_parts(scene: Scene, index: Index, w: Witness, differ: frozenset[int]) -> Iterator[tuple[Given, str]]:
    """Parts of the index that depend on an axis on which the blocks differ, and are equal in both."""
    for part in index.parts:
        given = scene.given.get(part.id) if isinstance(part, Name) else None
        term = None if given is None else scene.term(given.target)
        if given is not None and term is not None and axes_of(term) & differ:
            first, second = scene.at(term, w, w.first), scene.at(term, w, w.second)
            if first is not None and first == second:
                yield given, f"`{given.target.id}` is {first} in both blocks"

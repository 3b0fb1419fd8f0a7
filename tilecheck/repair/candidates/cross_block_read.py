"""A block reads an element that another block writes: both indices in numbers, and the edit that prevents it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.obligation import Advice, DecidedObligation
from tilecheck.repair.candidates.index_edits import reorder_index
from tilecheck.repair.candidates.indices import format_index, index_of, replace_index
from tilecheck.repair.candidates.notes import label_access
from tilecheck.repair.candidates.recheck import Candidate, try_candidate
from tilecheck.repair.candidates.scene import Scene
from tilecheck.repair.candidates.wording import alternatives
from tilecheck.symbolic import Array, Counter, atoms_in
from tilecheck.syntax.tree import Name

__all__ = ["advise_on_cross_read"]

_NAMES: Final = ("out", "result")
"""Names for one more array."""


def advise_on_cross_read(scene: Scene, s: DecidedObligation) -> Advice | None:
    w, write = s.witness, s.other
    if w is None or write is None or s.verdict != "refuted":
        return None
    notes = tuple(n for a, p in ((write, w.first), (s.access, w.second)) for n in label_access(scene, a, w, p))
    array = s.access.array
    # a loop over the elements that all blocks wrote is meant to read more than the block's own elements
    whole = any(isinstance(a, Counter) for a in atoms_in(*s.access.region.index))
    own = [] if whole else [c for c in _propose_own_index(scene, s) if try_candidate(scene, s, c) is not None]
    back = [c for c in reorder_index(scene, write) if try_candidate(scene, s, c) is not None]
    if back:
        c = back[0]
        return Advice(
            notes,
            f"{c.describe('store at')}, {c.why}: no block reads what another one writes to `{array}` then",
            (c.edit,),
        )
    if write.site < s.access.site:
        help_ = (f"end the kernel before line {s.access.span.line} reads `{array}`, and read that in a second launch, "
                 "which begins when all blocks of the first are done")
    else:
        help_ = _describe_other_target(scene, write, array)
    if own:
        help_ = alternatives("each of these ends the race, and only you know which is meant", (
            help_, f"{own[0].describe('read at')}, if a block is to read what it writes itself"))
    return Advice(notes, help_)


def _describe_other_target(scene: Scene, write: Access, array: Array) -> str:
    """Advice to write to another array, with the changed call."""
    call = scene.calls.get(write.span)
    target = call.args[0] if call is not None and call.args else None
    then = f"all blocks read `{array}` as it was before the launch then"
    if call is None or not isinstance(target, Name) or target.id != array.text:
        return f"on line {write.span.line}, write to one more array in place of `{array}`: {then}"
    taken = {p.name for p in scene.model.params} | {n.id for n in scene.nodes if isinstance(n, Name)}
    # as many as there are names, so that one is left; no endless generator: compiled ones are lists
    names = (*_NAMES, *(f"{array}_out{k}" for k in range(1, len(taken) + 2)))
    name = next(n for n in names if n not in taken)
    rest = scene.text(replace(call.span, line=target.span.end_line, column=target.span.end_column))
    return (f"on line {write.span.line}, write `{scene.text(call.func.span)}({name}{rest}`, with `{name}` one more "
            f"array of the kernel: {then}")


def _propose_own_index(scene: Scene, s: DecidedObligation) -> Iterator[Candidate]:
    """The index of the write for the read, so that a block reads the elements that it writes."""
    assert s.other is not None
    read, write = scene.calls.get(s.access.span), scene.calls.get(s.other.span)
    mine = None if read is None else index_of(scene, read)
    theirs = None if write is None else index_of(scene, write)
    if mine is None or theirs is None or len(mine.parts) != len(theirs.parts) or mine.is_tuple != theirs.is_tuple:
        return
    texts = tuple(scene.text(p.span) for p in theirs.parts)
    shown = format_index(texts) if mine.is_tuple else texts[0]
    yield Candidate(*replace_index(scene, mine, theirs.parts, texts), shown, 0, was=scene.text(mine.whole.span))

"""A block reads what another one writes: the two indices in numbers, and what to write."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.advice.indices import index_of, put, tuple_text
from tilecheck.advice.numbers import label
from tilecheck.advice.recheck import Candidate, tried
from tilecheck.advice.scene import Scene
from tilecheck.advice.ways import swapped
from tilecheck.proof.terms import Counter, atoms_in
from tilecheck.rules.obligation import Advice, Settled

__all__ = ["advice"]


def advice(scene: Scene, s: Settled) -> Advice | None:
    w, write = s.witness, s.other
    if w is None or write is None or s.verdict != "refuted":
        return None
    notes = tuple(n for a, p in ((write, w.first), (s.access, w.second)) for n in label(scene, a, w, p))
    array = s.access.array
    # where a loop goes through what all blocks wrote, the block's own part is not what is meant
    whole = any(isinstance(a, Counter) for a in atoms_in(*s.access.region.index))
    own = [] if whole else [c for c in _own(scene, s) if tried(scene, s, c) is not None]
    back = [c for c in swapped(scene, write) if tried(scene, s, c) is not None]
    if back:
        c = back[0]
        return Advice(notes, f"store at `{c.shown}`, {c.why}: no block reads what another one writes to `{array}` then",
                      (c.edit,))
    if write.site < s.access.site:
        help_ = (f"end the kernel before it reads `{array}`, and read that in a second launch, which begins when all "
                 "blocks of the first are done")
    else:
        help_ = (f"give the kernel one more array and write to that in place of `{array}`: then all blocks read "
                 f"`{array}` as it was before the launch")
    if own:
        help_ += f"; or, if a block is to read what it writes itself, read at `{own[0].shown}`"
    return Advice(notes, help_)


def _own(scene: Scene, s: Settled) -> Iterator[Candidate]:
    """The index of the write, for the read: what a block reads is then what it writes."""
    assert s.other is not None
    read, write = scene.calls.get(s.access.span), scene.calls.get(s.other.span)
    mine = None if read is None else index_of(scene, read)
    theirs = None if write is None else index_of(scene, write)
    if mine is None or theirs is None or len(mine.parts) != len(theirs.parts) or mine.is_tuple != theirs.is_tuple:
        return
    texts = tuple(scene.text(p.span) for p in theirs.parts)
    shown = tuple_text(texts) if mine.is_tuple else texts[0]
    yield Candidate(*put(scene, mine, theirs.parts, texts), shown, 0)

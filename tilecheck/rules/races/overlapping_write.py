"""TC101 overlapping-write: two blocks write the same element."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import block_name, blocks, element_of, iterations, launch_of
from tilecheck.symbolic import Bid, Term, atoms_of
from tilecheck.symbolic.footprint import Witness

__all__ = ["diagnose"]

CODE = "TC101"

EQUAL_VALUES = "a race even where both blocks store the same value: the memory model leaves the result undefined"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    w = s.witness
    assert w is not None
    axes = model.axes_read
    message = f"{blocks(w, axes)} both write {element_of(s.access.array, w)}"
    example = (f"{launch_of(w)}: block {block_name(w.first.block, axes)}{iterations(w.first)} and block "
               f"{block_name(w.second.block, axes)}{iterations(w.second)} write {element_of(s.access.array, w)}")
    notes = [Note(example)]
    if s.other is not None and s.other.span != s.access.span:
        notes.insert(0, Note(f"the other write to `{s.access.array}` is here", s.other.span))
    notes += s.advice.notes
    notes.append(Note(EQUAL_VALUES))
    return Diagnostic(CODE, "error", message, s.access.span, model.name, tuple(notes),
                      s.advice.help or _help(s, model, w), w, Proposal(edits=s.advice.edits))


def _help(s: Settled, model: KernelModel, w: Witness) -> str:
    array = s.access.array
    differ = [k for k in sorted(model.axes_read) if w.first.block[k] != w.second.block[k]]
    if s.other is not None and s.other.site != s.access.site:
        return f"keep the two writes to `{array}` apart: no block may write what another one writes"
    missing = [k for k in differ if not _mentions(s.access, k)]
    if missing:
        k = missing[0]
        return f"let the index of `{array}` depend on `ct.bid({k})`: blocks that differ only there write the same place"
    if s.access.loops and w.first.iterations != w.second.iterations:
        return (f"step the loop by the number of blocks, `ct.num_blocks({differ[0]})`, so that two blocks never "
                f"come to one index of `{array}`")
    if w.first.lanes == w.second.lanes:
        k = differ[0]
        return (f"let the whole of `ct.bid({k})` reach the index of `{array}`, not only a part of it: these blocks "
                "differ and come to the same index")
    if s.access.tile or any(p.lanes for p in (w.first, w.second)):
        return f"move from block to block by at least the whole tile that is written to `{array}`"
    return f"make the index of `{array}` different for different blocks"


def _mentions(access: Access, axis: int) -> bool:
    def reaches(t: Term) -> bool:
        return any(isinstance(a, Bid) and a.axis == axis for a in atoms_of(t))

    return any(reaches(t) for t in access.region.index) or any(
        isinstance(a, Bid) and a.axis == axis for a in atoms_of(access.region.guard))

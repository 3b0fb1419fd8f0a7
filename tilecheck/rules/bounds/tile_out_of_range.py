"""TC201 tile-out-of-range: a tile index for which the tile lies wholly outside the array."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.contracts import render
from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.obligations.obligation import Settled
from tilecheck.obligations.suspicious_clauses import goes_past
from tilecheck.rules.messages.bounds import at_block, example, index_text, place, where
from tilecheck.rules.messages.wording import clause_list, readable

__all__ = ["diagnose"]

CODE = "TC201"

UNDEFINED = "a tile that is wholly outside is undefined behaviour: the bounds check covers tiles that stick out"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    if s.verdict != "refuted":
        return _open(s, model)
    axes = model.axes_read
    message = f"{at_block(s, axes)} {where(s)}"
    return Diagnostic(CODE, "error", message, s.access.span, model.name,
                      (Note(example(s, axes)), *s.advice.notes, Note(UNDEFINED)), s.advice.help or _help(s), s.witness,
                      Proposal(edits=s.advice.edits))


def _help(s: Settled) -> str:
    w, reach = s.witness, s.reach
    assert w is not None and reach is not None
    if w.element[0] < 0:
        return (f"keep the index {place(s)} at 0 or above, with `max(..., 0)` or under a condition: tiles are not "
                "counted from the end")
    end = readable(render(reach.end))
    limit = end if reach.step is None or reach.step.constant == 1 else f"ct.cdiv({end}, {readable(render(reach.step))})"
    return f"keep the index {place(s)} below `{limit}`"


def _open(s: Settled, model: KernelModel) -> Diagnostic:
    if s.verdict == "conditional":
        return _shared_out(s, model)
    if s.overrun is not None:
        return _one_too_many(s, s.overrun, model)
    message = f"could not prove that the index{index_text(s)} {place(s)} stays inside: {s.why}"
    help_ = (f"if it does, say so in the kernel: # tilecheck: requires {s.missing}" if s.missing else
             "compare the index with `ct.num_tiles(...)` in the kernel, or clamp it")
    return Diagnostic(CODE, "note", message, s.access.span, model.name, (), help_)


def _one_too_many(s: Settled, loop: RangeLoop, model: KernelModel) -> Diagnostic:
    what = "begins" if s.reach is not None and s.reach.step is not None else "is"
    message = (f"in the last iteration of the loop in line {loop.header.line}, the index{index_text(s)} {what} past "
               f"the end {place(s)}, whatever the launch")
    notes = (Note("the loop runs one iteration too far here", loop.header), Note(UNDEFINED))
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, notes,
                      "end the loop at the number of tiles: `ct.num_tiles(...)`")


def _shared_out(s: Settled, model: KernelModel) -> Diagnostic:
    """A clause that few launches satisfy: it tells of a mistake in the kernel."""
    semantic = [c for c in s.clauses if c.kind == "semantic"]
    past = any(goes_past(part) for c in semantic if c.cond is not None for part in (c.cond, *c.cond.args))
    kind = "shares" if s.witness is None and not past else "past" if s.witness is None else "degenerate"
    how, help_ = _UNLESS[kind]
    message = f"the index{index_text(s)} {place(s)} {how} unless {clause_list(tuple(c.text for c in semantic))}"
    notes = (*(() if s.witness is None else (Note(example(s, model.axes_read)),)), Note(UNDEFINED))
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, notes,
                      _help(s) if s.witness is not None else help_, s.witness)


_UNLESS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType({
    # the blocks take shares of the tiles, and nothing keeps the last share from going on past the end
    "shares": ("runs past the end in the last blocks",
               "end each share at the number of tiles: `min((s + 1) * size, ct.num_tiles(...))`"),
    "past": ("goes on past the last tile",
             "end the loop at the number of tiles: the one after the last begins outside"),
    "degenerate": ("leaves the array", ""),
})

"""TC206 row-spill: a flattened offset that runs past its row into the neighbour's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.obligations.query import Context
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, launch_of
from tilecheck.symbolic import (
    Atom,
    Bid,
    Counter,
    GridDim,
    Lane,
    Symbol,
    Term,
    atoms_in,
    const,
    evaluate,
    symbol_from_text,
)
from tilecheck.symbolic.footprint import Clause

__all__ = ["diagnose", "diagnose_read", "rows_of", "specialised"]

CODE = "TC206"


def specialised(context: Context, obligations: tuple[Settled, ...]) -> tuple[Settled, ...]:
    """The obligations, with those that hang on the end of a row given to this rule, and with the reads that run past
    the end of a row in the same way."""
    return tuple(_specialised(context, s) if s.code == "TC102" and _spills(s) else s for s in obligations)


def _specialised(context: Context, s: Settled) -> Settled:
    """The obligation, standing on the write that runs past the end of its row."""
    if not _ends(s.access, s):
        ending = (a for a in context.model.accesses if a.mode != "read" and a.array == s.access.array and _ends(a, s))
        found = next(ending, None)
        s = s if found is None else _standing_on(found, s)
    index = s.access.region.index
    reads = tuple(a for a in context.model.accesses if a.mode == "read" and not a.tile and a.region.index == index)
    return replace(s, code=CODE, spilling=reads)


def _standing_on(access: Access, s: Settled) -> Settled:
    """The obligation, turned around to this access; without its example, where that is of other accesses."""
    pair = s.other is not None and s.other.site == access.site
    w = s.witness if pair else None
    return replace(s, access=access, other=s.access if pair else None,
                   witness=None if w is None else replace(w, first=w.second, second=w.first))


def _ends(access: Access, s: Settled) -> bool:
    """Whether what the obligation needs is that the last element of this access lies within its row."""
    if len(access.region.index) != 1:
        return False
    (offset,) = access.region.index
    column = Term({m: c for m, c in offset.monos.items() if not any(a.varying for a in m)})
    width = sum((lane.size for lane in offset.atoms() if isinstance(lane, Lane)), const(0))
    return any(c.cond is not None and (row - column - width) == c.cond.term for c in _semantic(s)
               for row in rows_of(access))


def _semantic(s: Settled) -> tuple[Clause, ...]:
    return tuple(c for c in s.clauses if c.kind == "semantic")


def _spills(s: Settled) -> bool:
    """Whether an access needs, among what it needs, that a part of its offset ends before the next row begins."""
    needed = _semantic(s)
    return s.verdict == "conditional" and not s.access.tile and any(
        _within_a_row(c, s.access) or (s.other is not None and _within_a_row(c, s.other)) for c in needed)


def _within_a_row(clause: Clause, access: Access) -> bool:
    """`col + T <= stride`: the right side is what a row number is multiplied by, the left has a tile in it."""
    cond = clause.cond
    if cond is None or cond.op != "ge":
        return False
    negative = atoms_in(*(Term({m: 1}) for m, c in cond.term.monos.items() if c < 0))
    if any(isinstance(a, GridDim) for a in atoms_in(cond)) or not negative & _tiles(access):
        return False
    positive = Term({m: c for m, c in cond.term.monos.items() if c > 0 and m})
    return any(row == positive for row in rows_of(access))


def _tiles(access: Access) -> set[Atom]:
    lanes = {a for a in atoms_in(*access.region.index) if isinstance(a, Lane)}
    return {a for lane in lanes for a in atoms_in(lane.size)}


def rows_of(access: Access) -> list[Term]:
    """What a block-dependent number of rows is multiplied by in a flattened offset."""
    if len(access.region.index) != 1:
        return []
    (offset,) = access.region.index
    factors: dict[Atom, Term] = {}
    for m, c in offset.monos.items():
        varying = [a for a in m if a.varying and not isinstance(a, Lane)]
        if len(varying) == 1:
            rest = Term({tuple(a for a in m if a is not varying[0]): c})
            factors[varying[0]] = factors.get(varying[0], const(0)) + rest
    return [f for f in factors.values() if f.constant != 1]


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    texts = tuple(c.text for c in _semantic(s))
    notes: list[Note] = []
    if s.other is not None and s.other.span != s.access.span:
        notes.append(Note(f"together with the write to `{s.access.array}` here", s.other.span))
    if s.witness is not None:
        notes.append(Note(f"{launch_of(s.witness)} two blocks write {element_of(s.access.array, s.witness)}"))
    notes += s.advice.notes
    message = (f"what this writes to `{s.access.array}` runs into the next row, which belongs to another block, unless "
               f"{clause_list(texts)}")
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes),
                      s.advice.help or _help(texts), s.witness, Proposal(requires=texts))


def diagnose_read(s: Settled, access: Access, model: KernelModel) -> Diagnostic:
    """The finding at a read that runs past the end of its row as a write does."""
    texts = tuple(c.text for c in _semantic(s))
    message = f"what this reads of `{access.array}` runs into the next row unless {clause_list(texts)}"
    rows = (n for n in s.advice.notes if n.span is not None and not _of_blocks(n))
    notes = (Note("the write that does the same is here", s.access.span), *rows,
             *_read_past(s, access, model))
    return Diagnostic(CODE, "warning", message, access.span, model.name, notes, s.advice.help or _help(texts),
                      proposal=Proposal(requires=texts))


def _of_blocks(n: Note) -> bool:
    """Whether a note says what the blocks of the example write."""
    return n.message.startswith(("element ", "tile "))


def _read_past(s: Settled, access: Access, model: KernelModel) -> Iterator[Note]:
    """What the read takes in the example, in numbers, where its row ends, and what that does."""
    w = s.witness
    if w is None:
        return
    (offset,) = access.region.index
    env: dict[Atom, int] = {symbol_from_text(name): v for name, v in w.scalars}
    env.update({GridDim(k): n for k, n in enumerate(w.grid)})
    env.update({Bid(k): n for k, n in enumerate(w.second.block)})
    env.update({Counter(name): n for name, n in w.second.iterations})
    lanes = sorted(a for a in offset.atoms() if isinstance(a, Lane))
    try:
        first = evaluate(offset, {**env, **dict.fromkeys(lanes, 0)})
        last = evaluate(offset, {**env, **{a: evaluate(a.size, env) - 1 for a in lanes}})
        for row in rows_of(access):
            width = evaluate(row, env)
            sizes = ", ".join(f"{a.name} = {env[a]}" for a in sorted(_sizes(s)) if a in env)
            end = (first // width + 1) * width
            if width > 0 and first < end <= last:
                who = block_name(w.second.block, model.axes_read)
                yield Note(f"with {sizes} block {who} reads {_range(access.array, first, last)}", access.span, True)
                yield Note(f"the row of block {who} ends with {_range(access.array, end - 1, end - 1)}: "
                           f"{_range(access.array, end, last)} is of the next row, and goes into the result of this "
                           "one")
                return
    except (KeyError, ArithmeticError):
        return


def _range(array: str, first: int, last: int) -> str:
    return f"{array}[{first}]" if first == last else f"{array}[{first}:{last + 1}]"


def _sizes(s: Settled) -> set[Symbol]:
    return {a for c in _semantic(s) if c.cond is not None for a in atoms_in(c.cond) if isinstance(a, Symbol)}


def _help(texts: tuple[str, ...]) -> str:
    return ("mask the lanes past the end of the row, or declare what every launch satisfies: "
            f'@requires("{" and ".join(texts)}")')

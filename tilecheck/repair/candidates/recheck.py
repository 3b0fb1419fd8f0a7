"""Trying an edit: the kernel is executed with it, and judged again. What is advised was seen to do what it is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.driver import measured
from tilecheck.obligations.bounds import settle_bounds
from tilecheck.obligations.budget import LIMIT
from tilecheck.obligations.cross_read import settle_reads
from tilecheck.obligations.disjoint import settle_writes
from tilecheck.obligations.duplicates import settle_duplicates
from tilecheck.obligations.obligation import Settled
from tilecheck.obligations.query import Context
from tilecheck.repair.candidates.scene import Scene
from tilecheck.symbolic import Atom, Bid, Counter, Load, Opaque, atoms_in
from tilecheck.syntax.tree import FIELDS, Expr, ExprStmt, If, Span

__all__ = ["Candidate", "Outcome", "tried"]

_LARGE: Final = 40
"""Accesses of a kernel beyond which nothing is tried."""
_STEPS: Final = 300
"""What judging a kernel with an edit may cost, in steps of `rules.effort`: about half a second."""
_BUDGET: Final = 1_500
"""What all edits of a kernel together may, in the same steps."""
_EXECUTED: Final = 50
"""Expressions and statements that take as long to execute as one of these steps."""


class Candidate(Struct, frozen=True):
    """One edit that may settle a finding.

    span   the place that it changes
    node   what stands there instead
    text   the same as it is written
    shown  what help says to write: more than `text` where that alone would not be understood
    rank   how much speaks for it: 0 most
    why    what speaks for it, as a clause of a sentence
    guard  whether `node` is a condition under which the statement is put
    wide   the place that the text changes, where that is wider: the parentheses around an operand go with it
    was    what `shown` takes the place of, as it is written
    """

    span: Span
    node: Expr
    text: str
    shown: str
    rank: int = 1
    why: str = ""
    guard: bool = False
    wide: Span | None = None
    was: str = ""

    def told(self, verb: str) -> str:
        """What to do on which line, in words."""
        instead = f" in place of `{self.was}`" if self.was and self.was != self.shown else ""
        return f"on line {self.span.line}, {verb} `{self.shown}`{instead}"

    @property
    def edit(self) -> tuple[Span, str]:
        """What is changed in the text."""
        return self.wide or self.span, self.text


class Outcome(Struct, frozen=True):
    """A candidate that does. `idle` are grid axes on which the launch must have one block with it."""

    candidate: Candidate
    idle: tuple[int, ...] = ()


def tried(scene: Scene, s: Settled, candidate: Candidate, *more: Candidate) -> Outcome | None:
    """The outcome, where the obligation is settled by the edit (and by more that are made with it), no other is worse
    for it, and the statement still writes all that it wrote."""
    if len(scene.model.accesses) > _LARGE or scene.spent > _BUDGET:
        return None
    new: dict[tuple[Span, bool], Expr] = {(c.span, c.guard): c.node for c in (candidate, *more)}
    model, executed = measured(
        scene.project, replace(scene.site, definition=_put(scene.site.definition, new)), scene.overlay)
    scene.spent += executed // _EXECUTED
    mine = [a for a in model.accesses if a.span == s.access.span and a.mode == s.access.mode]
    if not mine or any(g not in scene.model.gaps for g in model.gaps):
        return None
    idle: tuple[int, ...] = ()
    if s.access.mode == "write":
        lost = _selectors(s.access) - frozenset().union(*(_selectors(a) for a in mine))
        idle = tuple(sorted(a.axis for a in lost if isinstance(a, Bid)))
        if not all(isinstance(a, Bid) for a in lost) or any(_mentions(a, k) for a in model.accesses for k in idle):
            return None
    model = _without(model, idle)
    return Outcome(candidate, idle) if model.axes_read and _settled(scene, model, s) else None


def _selectors(access: Access) -> frozenset[Atom]:
    """What an index chooses the place by."""
    index = access.tile_index or access.region.index
    return frozenset(a for a in atoms_in(*index) if isinstance(a, (Bid, Counter, Load, Opaque)))


def _mentions(access: Access, axis: int) -> bool:
    return Bid(axis) in atoms_in(*access.region.index, access.region.guard)


def _without(model: KernelModel, idle: tuple[int, ...]) -> KernelModel:
    """The kernel with one block on some axes."""
    if not idle:
        return model
    return replace(model, axes_read=model.axes_read - set(idle),
                   axis_reads=tuple(r for r in model.axis_reads if r[0] not in idle))


def _settled(scene: Scene, after: KernelModel, s: Settled) -> bool:
    was = scene.remember("open", lambda: _open(scene, scene.model))
    now = _open(scene, after)
    return (s.kind, s.access.span) not in now and now <= was


def _open(scene: Scene, model: KernelModel) -> frozenset[tuple[str, Span]]:
    context = Context.of(model)
    context.effort.spent = LIMIT - _STEPS
    found = frozenset((o.kind, o.access.span) for o in _judged(context) if _is_open(o))
    scene.spent += context.effort.spent - (LIMIT - _STEPS)
    return found


def _judged(context: Context) -> Iterator[Settled]:
    yield from settle_writes(context)
    yield from settle_reads(context)
    yield from settle_duplicates(context)
    yield from settle_bounds(context)


def _is_open(s: Settled) -> bool:
    return s.verdict in ("refuted", "unproven") or (
        s.verdict == "conditional" and any(c.kind == "semantic" for c in s.clauses))


def _put(node: Any, new: Mapping[tuple[Span, bool], Expr]) -> Any:
    """A tree with other expressions in some places, and with some statements under a condition."""
    if isinstance(node, tuple):
        made = tuple(_put(x, new) for x in node)
        return node if all(a is b for a, b in zip(made, node, strict=True)) else made
    names = FIELDS[type(node)]
    if not names:
        return node
    if isinstance(node, _EXPRESSIONS) and (node.span, False) in new:
        return new[node.span, False]
    if isinstance(node, ExprStmt) and (node.value.span, True) in new:
        return If(new[node.value.span, True], (node,), (), node.span)
    parts = {name: _put(getattr(node, name), new) for name in names}
    return node if all(parts[name] is getattr(node, name) for name in names) else replace(node, **parts)


_EXPRESSIONS: Final = Expr.__args__

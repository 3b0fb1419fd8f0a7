"""Trying an edit: the edited kernel is interpreted and proved again. Advice has only edits that remove the finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.kernel_model.driver import execute_measured
from tilecheck.obligations.bounds import decide_bounds
from tilecheck.obligations.budget import LIMIT
from tilecheck.obligations.cross_read import decide_reads
from tilecheck.obligations.disjoint import decide_writes
from tilecheck.obligations.duplicates import decide_duplicates
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.padding import decide_padding
from tilecheck.obligations.query import Context
from tilecheck.repair.candidates.scene import Scene
from tilecheck.symbolic import Atom, Bid, Counter, Load, Opaque, atoms_in
from tilecheck.syntax.tree import FIELDS, Expr, ExprStmt, If, Span

__all__ = ["Candidate", "Outcome", "try_candidate"]

_LARGE: Final = 40
"""No edit of a kernel with more accesses is tried."""
_STEPS: Final = 300
"""Limit for proving one edited kernel, in steps of `obligations.budget`: about half a second."""
_BUDGET: Final = 1_500
"""Limit for all edits of one kernel, in the same steps."""
_EXECUTED: Final = 50
"""Expressions and statements whose interpretation takes as long as one of these steps."""


class Candidate(Struct, frozen=True):
    """One edit that may remove a finding.

    span   the span of the node that is replaced
    node   the new node
    text   the source text of the new node
    shown  the text that help shows: longer than `text` where that alone would be unclear
    rank   the preference among candidates; 0 is best
    why    the reason for it, as a clause of a sentence
    guard  whether `node` is a condition under which the statement is put
    wide   the span that the text replaces, if wider: it includes the parentheses around an operand
    was    the source text that `shown` replaces
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

    def describe(self, verb: str) -> str:
        """The edit as an instruction: `on line 7, store at ... in place of ...`."""
        instead = f" in place of `{self.was}`" if self.was and self.was != self.shown else ""
        return f"on line {self.span.line}, {verb} `{self.shown}`{instead}"

    @property
    def edit(self) -> tuple[Span, str]:
        """The span of the text to replace, and its replacement."""
        return self.wide or self.span, self.text


class Outcome(Struct, frozen=True):
    """A candidate that removes the finding. With it, the launch must have one block on the grid axes in `idle`."""

    candidate: Candidate
    idle: tuple[int, ...] = ()


def try_candidate(scene: Scene, s: DecidedObligation, candidate: Candidate, *more: Candidate) -> Outcome | None:
    """The outcome if the edit, together with `more`, proves the obligation and makes no other worse, and the statement
    still writes all elements; else None."""
    if len(scene.model.accesses) > _LARGE or scene.spent > _BUDGET:
        return None
    new: dict[tuple[Span, bool], Expr] = {(c.span, c.guard): c.node for c in (candidate, *more)}
    model, executed = execute_measured(
        scene.project, replace(scene.site, definition=_replace_nodes(scene.site.definition, new)), scene.overlay)
    scene.spent += executed // _EXECUTED
    mine = [a for a in model.accesses if a.span == s.access.span and a.mode == s.access.mode]
    if not mine or any(g not in scene.model.gaps for g in model.gaps):
        return None
    idle: tuple[int, ...] = ()
    if s.access.mode == "write":
        lost = _find_selectors(s.access) - frozenset().union(*(_find_selectors(a) for a in mine))
        idle = tuple(sorted(a.axis for a in lost if isinstance(a, Bid)))
        if not all(isinstance(a, Bid) for a in lost) or any(_mentions(a, k) for a in model.accesses for k in idle):
            return None
    model = _drop_axes(model, idle)
    return Outcome(candidate, idle) if model.axes_read and _removes_obligation(scene, model, s) else None


def _find_selectors(access: Access) -> frozenset[Atom]:
    """The atoms that select the elements of an access."""
    index = access.tile_index or access.region.index
    return frozenset(a for a in atoms_in(*index) if isinstance(a, (Bid, Counter, Load, Opaque)))


def _mentions(access: Access, axis: int) -> bool:
    return Bid(axis) in atoms_in(*access.region.index, access.region.guard)


def _drop_axes(model: KernelModel, idle: tuple[int, ...]) -> KernelModel:
    """The kernel with one block on some axes."""
    if not idle:
        return model
    return replace(model, axes_read=model.axes_read - set(idle),
                   axis_reads=tuple(r for r in model.axis_reads if r[0] not in idle))


def _removes_obligation(scene: Scene, after: KernelModel, s: DecidedObligation) -> bool:
    was = scene.remember("open", lambda: _find_open_obligations(scene, scene.model))
    now = _find_open_obligations(scene, after)
    return (s.kind, s.access.span) not in now and now <= was


def _find_open_obligations(scene: Scene, model: KernelModel) -> frozenset[tuple[str, Span]]:
    context = Context.of(model)
    context.effort.spent = LIMIT - _STEPS
    found = frozenset((o.kind, o.access.span) for o in _prove_obligations(context) if _is_open(o))
    scene.spent += context.effort.spent - (LIMIT - _STEPS)
    return found


def _prove_obligations(context: Context) -> Iterator[DecidedObligation]:
    yield from decide_writes(context)
    yield from decide_reads(context)
    yield from decide_duplicates(context)
    yield from decide_bounds(context)
    yield from decide_padding(context)


def _is_open(s: DecidedObligation) -> bool:
    return s.verdict in ("refuted", "unproven") or (s.verdict == "conditional" and bool(s.semantic_clauses))


def _replace_nodes(node: Any, new: Mapping[tuple[Span, bool], Expr]) -> Any:
    """A tree with other expressions in some places, and with some statements under a condition."""
    if isinstance(node, tuple):
        made = tuple(_replace_nodes(x, new) for x in node)
        return node if all(a is b for a, b in zip(made, node, strict=True)) else made
    names = FIELDS[type(node)]
    if not names:
        return node
    if isinstance(node, _EXPRESSIONS) and (node.span, False) in new:
        return new[node.span, False]
    if isinstance(node, ExprStmt) and (node.value.span, True) in new:
        return If(new[node.value.span, True], (node,), (), node.span)
    parts = {name: _replace_nodes(getattr(node, name), new) for name in names}
    return node if all(parts[name] is getattr(node, name) for name in names) else replace(node, **parts)


_EXPRESSIONS: Final = Expr.__args__

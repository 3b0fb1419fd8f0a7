"""Values that a function makes and that reach nothing: by names, without regard to the order of statements.

A name is live if code with an effect reads it: a store, a condition, the iterable of a loop, a result, a nested
function. It is also live if an assignment to a live name reads it. An assignment to a name that is not live is dead. A
use in any variant of the kernel is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec import Struct

from tilecheck.interp.kernel.lint_facts import Notes, Unused, UnusedKind
from tilecheck.syntax.tree import (
    PARTS,
    Annotated,
    Assign,
    Attribute,
    AugAssign,
    Break,
    Continue,
    Expr,
    For,
    FuncDef,
    If,
    ImportStmt,
    Name,
    Pass,
    Sequence,
    Span,
    Starred,
    Stmt,
    Try,
    While,
    With,
)

__all__ = ["find_unused", "mentions_64_bits"]

_REPORTED: Final[tuple[UnusedKind, ...]] = ("mask", "tile", "loaded")


class _Made(Struct, frozen=True):
    """One name that an assignment without further effects sets. `alone` when it sets no other."""

    name: str
    reads: frozenset[str]
    span: Span
    alone: bool


@dataclass
class _Uses:
    made: list[_Made]
    live: set[str]
    pure: Callable[[Span], bool]


def find_unused(definition: FuncDef, notes: Notes, helper: bool) -> tuple[Unused, ...]:
    """Returns the unused values of a function body. The last value of a chain of dead values stands for the chain."""
    uses = _Uses([], set(), lambda span: notes.made.get(span) is not None)
    _walk(uses, definition.body)
    dead = _find_dead(uses)
    out = [_report_dead(name, defs, notes, helper) for name, defs in dead.items() if _is_last(name, dead)]
    return tuple(u for u in out if u is not None)


def _report_dead(name: str, defs: list[_Made], notes: Notes, helper: bool) -> Unused | None:
    if name.startswith("_"):
        return None
    for d in reversed(defs):
        kind = notes.made.get(d.span)
        if d.alone and kind in _REPORTED:
            return Unused(name, kind, d.span, helper)
    return None


def _find_dead(uses: _Uses) -> dict[str, list[_Made]]:
    by_name: dict[str, list[_Made]] = {}
    for d in uses.made:
        by_name.setdefault(d.name, []).append(d)
    pending = list(uses.live)
    live: set[str] = set()
    while pending:
        name = pending.pop()
        if name in live:
            continue
        live.add(name)
        for d in by_name.get(name, ()):
            pending.extend(d.reads)
    return {name: defs for name, defs in by_name.items() if name not in live}


def _is_last(name: str, dead: Mapping[str, list[_Made]]) -> bool:
    """Whether each dead value that is computed from it is also one that it is computed from."""
    readers = {other for other, defs in dead.items() if other != name and any(name in d.reads for d in defs)}
    if not readers:
        return True
    made_from = _sources(name, dead)
    # a circle of values carried through a loop: its first name stands for all
    return readers <= made_from and name == min(readers | {name})


def _sources(name: str, dead: Mapping[str, list[_Made]]) -> set[str]:
    out: set[str] = set()
    pending = [name]
    while pending:
        for d in dead.get(pending.pop(), ()):
            new = d.reads.intersection(dead) - out
            out |= new
            pending.extend(new)
    return out


# --- statements ------------------------------------------------------------------------------------------------------

def _walk(uses: _Uses, statements: Iterable[Stmt]) -> None:
    for s in statements:
        _STATEMENTS.get(type(s), _use_everything)(uses, s)


def _assign(uses: _Uses, s: Assign) -> None:
    targets = [t for target in s.targets for t in _list_target_names(target)]
    reads = frozenset(names(s.value))
    if not uses.pure(s.span) or any(t is None for t in targets):
        uses.live |= reads
        uses.live.update(n for target in s.targets for n in names(target) if not isinstance(target, Name))
        if not uses.pure(s.span):
            return
    alone = len(targets) == 1 and isinstance(s.targets[0], Name)
    uses.made += [_Made(t, reads, s.span, alone) for t in targets if t is not None]


def _use_augmented(uses: _Uses, s: AugAssign) -> None:
    reads = frozenset((*names(s.value), *names(s.target)))
    if not uses.pure(s.span) or not isinstance(s.target, Name):
        uses.live |= reads
        return
    uses.made.append(_Made(s.target.id, reads, s.span, True))


def _list_target_names(target: Expr) -> Iterator[str | None]:
    """Yields the names that a target sets, and None for each part that is not a name."""
    if isinstance(target, Name):
        yield target.id
    elif isinstance(target, Sequence):
        for item in target.items:
            yield from _list_target_names(item)
    elif isinstance(target, Starred):
        yield from _list_target_names(target.value)
    else:
        yield None


def _if(uses: _Uses, s: If) -> None:
    uses.live.update(names(s.test))
    _walk(uses, (*s.body, *s.orelse))


def _for(uses: _Uses, s: For) -> None:
    uses.live.update(names(s.iterable))
    _walk(uses, (*s.body, *s.orelse))


def _while(uses: _Uses, s: While) -> None:
    uses.live.update(names(s.test))
    _walk(uses, (*s.body, *s.orelse))


def _with(uses: _Uses, s: With) -> None:
    for context, _ in s.items:
        uses.live.update(names(context))
    _walk(uses, s.body)


def _try(uses: _Uses, s: Try) -> None:
    _walk(uses, (*s.body, *(t for h in s.handlers for t in h), *s.orelse, *s.finalbody))


def _use_everything(uses: _Uses, s: Stmt) -> None:
    uses.live.update(names(s))


def _use_nothing(uses: _Uses, s: Stmt) -> None:
    return None


_STATEMENTS: Final[Mapping[type, Callable[[_Uses, Any], None]]] = {
    Assign: _assign, AugAssign: _use_augmented, If: _if, For: _for, While: _while, With: _with, Try: _try,
    Annotated: _use_nothing, Break: _use_nothing, Continue: _use_nothing, Pass: _use_nothing, ImportStmt: _use_nothing,
}


def names(node: object) -> set[str]:
    """Every name in a piece of code."""
    out: set[str] = set()
    _add_names(node, out)
    return out


def _add_names(node: object, out: set[str]) -> None:
    if isinstance(node, Name):
        out.add(node.id)
    elif isinstance(node, tuple):
        for item in node:
            _add_names(item, out)
    else:
        for field in PARTS[type(node)]:
            _add_names(getattr(node, field), out)


def mentions_64_bits(node: object) -> bool:
    """Whether a piece of code names a 64-bit integer type, or annotates a parameter in a way that may hide one."""
    if isinstance(node, Name):
        return "int64" in node.id.lower()
    if isinstance(node, Attribute):
        return "int64" in node.attr.lower() or mentions_64_bits(node.value)
    if isinstance(node, tuple):
        return any(map(mentions_64_bits, node))
    return any(mentions_64_bits(getattr(node, field)) for field in PARTS[type(node)])

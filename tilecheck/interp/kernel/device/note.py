"""Notes what the compiler refuses, with the conditions under which the place is compiled."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from tilecheck.dtypes import DType, ElementOf, Weak
from tilecheck.interp.kernel.device.refusal import Refusal, RefusalCode
from tilecheck.interp.kernel.device.syntax import find_refused_syntax
from tilecheck.interp.kernel.interpreter import Frame, Machine
from tilecheck.interp.kernel.values import Bool, Builtin, Data, Int, ParamRef, TileRef, Value
from tilecheck.project.tilenames import COMPOSED, find_missing
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import (
    TRUE,
    App,
    Atom,
    Bid,
    Cond,
    Counter,
    Extent,
    FloorDiv,
    GridDim,
    Ite,
    Lane,
    Load,
    Max,
    Min,
    Mod,
    Scalar,
    Term,
    conj,
    disj,
    negate,
)
from tilecheck.syntax.tree import Expr, FuncDef, Span
from tilecheck.text.did_you_mean import did_you_mean

__all__ = ["is_at_run_time", "is_passed", "list_variant_conditions", "note_missing", "note_syntax", "refuse",
    "refuse_where"]


def refuse(m: Machine, code: RefusalCode, how: str, span: Span, *words: str) -> None:
    """Notes that the compiler refuses what stands here."""
    if m.noting and not m.doubts:
        m.notes.refusals[Refusal(code, how, words, span, list_variant_conditions(m))] = None


def refuse_where(m: Machine, cond: Cond, code: RefusalCode, how: str, span: Span, *words: str) -> None:
    """Notes that the compiler refuses the code at `span` in the variants in which a condition holds."""
    if m.noting and not m.doubts:
        m.notes.refusals[Refusal(code, how, words, span, conj(list_variant_conditions(m), cond))] = None


def list_variant_conditions(m: Machine) -> Cond:
    """The conditions of the path that may be decided when the kernel is compiled. Where they do not hold, nothing here
    is compiled."""
    if m.path is TRUE:
        return TRUE
    asserted = m.asserted.union(*map(conjuncts, m.guards))
    return conj(*(_select_static(m, c, asserted) for c in conjuncts(m.path)))


def _select_static(m: Machine, cond: Cond, asserted: AbstractSet[Cond]) -> Cond:
    """A condition without the parts that are decided at run time: code under it is compiled for any outcome of them."""
    if cond in asserted:
        return TRUE
    if not cond.args:
        return TRUE if is_at_run_time(m, cond) else cond
    parts = [_select_static(m, c, asserted) for c in cond.args]
    if cond.op == "and":
        return conj(*parts)
    result = disj(*parts)
    return TRUE if negate(result).op == "false" else result


def is_at_run_time(m: Machine, cond: Cond) -> bool:
    """Whether a condition is for certain decided while the kernel runs, so that both paths are compiled."""
    if cond.args:
        return all(is_at_run_time(m, c) for c in cond.args)
    return any(_is_passed(m, a) for a in (*cond.term.atoms(), *(() if cond.atom is None else (cond.atom,))))


def _is_passed(m: Machine, atom: Atom) -> bool:
    """Whether a number is for certain unknown while the kernel is compiled."""
    match atom:
        case Bid() | Counter() | Lane() | Load() | GridDim():
            return True
        case Extent():
            return atom.array.root in m.passed
        case Scalar():
            return atom.name in m.passed
        case Ite():
            # two equal constants stay a constant
            then, other = _any_passed(m, atom.then), _any_passed(m, atom.other)
            return (then and other) or ((then or other) and is_at_run_time(m, atom.cond))
        case FloorDiv() | Mod():
            return _any_passed(m, atom.num) or _any_passed(m, atom.den)
        case Min() | Max() | App():
            return any(_any_passed(m, t) for t in atom.args)
    return False


def _any_passed(m: Machine, term: Term) -> bool:
    return any(_is_passed(m, a) for a in term.atoms())


def is_passed(m: Machine, value: Value) -> bool:
    """Whether a tile or a number is for certain unknown while the kernel is compiled."""
    if isinstance(value, ParamRef):
        return not value.outer and value.member is None and value.root.root in m.passed
    if not isinstance(value, (Int, Bool, Data)) or isinstance(value.dtype, Weak):
        return False
    if isinstance(value, Data) and value.term is None:
        return isinstance(value.dtype, (DType, ElementOf))
    if isinstance(value, Bool):
        return is_at_run_time(m, value.cond)
    return value.term is not None and _any_passed(m, value.term)


def note_syntax(m: Machine, frame: Frame, definition: FuncDef, kernel: bool, generator: bool = False) -> None:
    """Notes the refused constructs of a function that is compiled here; its body has the names of the frame."""
    if not m.noting or m.doubts:
        return
    under = list_variant_conditions(m)
    known = m.syntax.get(definition.span)
    if known is None:
        known = tuple(find_refused_syntax(definition, lambda node: _name_of(m, frame, node), kernel, generator))
        m.syntax[definition.span] = known
    for refusal in known:
        m.notes.refusals[replace(refusal, under=under)] = None


def _name_of(m: Machine, frame: Frame, node: Expr) -> str | None:
    before = m.frame
    with m.suspend_recording():
        m.frame = Frame(frame.module, frame.parent)
        try:
            value = m.eval(node)
        finally:
            m.frame = before
    if isinstance(value, TileRef):
        return value.name
    return f"builtins.{value.name}" if isinstance(value, Builtin) else None


def note_missing(m: Machine, name: str, span: Span) -> None:
    """Notes a dotted name below `cuda.tile` that does not exist."""
    missing = None if m.guarded else find_missing(name)
    if missing is not None:
        owner, part, known = missing
        composed, close = COMPOSED.get(part) if owner == "cuda.tile" else None, suggest(part, known)
        how = "composed" if composed is not None else "close" if close else "name"
        prefix = "ct." if owner == "cuda.tile" else f"{owner.replace('cuda.tile', 'ct')}."
        refuse(m, "TC601", how, span, owner, part, composed or f"{prefix}{close}")


def suggest(word: str, known: Iterable[str]) -> str:
    """The closest of the known names, or an empty string."""
    return did_you_mean(word, known).partition("'")[2].partition("'")[0]

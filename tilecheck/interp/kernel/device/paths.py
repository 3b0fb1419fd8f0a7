"""Variables that have no value on some path, or values of two types.

An environment has marks beside its variables, under names that are not names of Python: `@x` is where `x` was set,
`?x` the statement after which some path has not set `x`, `!x` the statement after which `x` is of one of two kinds, and
`^x` an integer power that is the value of `x`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tilecheck.interp.kernel.device.kinds import kind_of
from tilecheck.interp.kernel.device.note import is_at_run_time, refuse
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.tile_types.checks import check_use
from tilecheck.interp.kernel.tile_types.typing import operand
from tilecheck.interp.kernel.tile_types.uses import OPEN, Use
from tilecheck.interp.kernel.values import Const, Function, Place, Tuple, Value
from tilecheck.symbolic import Cond
from tilecheck.syntax.tree import Span

__all__ = [
    "describe_difference", "is_mark", "join_marks", "mark_mixed", "mark_unset", "note_set", "note_use", "place_of"]

_MARKS = ("@", "?", "!", "^")


def is_mark(name: str) -> bool:
    """Whether a name of an environment is that of a mark."""
    return name.startswith(_MARKS)


def note_set(m: Machine, name: str, span: Span) -> None:
    """A statement sets a variable."""
    if m.noting:
        env = m.top.env
        env[f"@{name}"] = Place(span)
        env.pop(f"?{name}", None)
        env.pop(f"!{name}", None)
        env.pop(f"^{name}", None)


def place_of(env: Mapping[str, Value], name: str) -> Span | None:
    """Where a variable was set."""
    place = env.get(f"@{name}")
    return place.span if isinstance(place, Place) else None


def mark_unset(env: dict[str, Value], name: str, span: Span) -> None:
    """After the statement at `span` some path has not set a variable."""
    env.setdefault(f"?{name}", Place(span))


def mark_mixed(env: dict[str, Value], name: str, span: Span, kinds: tuple[str, str]) -> None:
    """After the statement at `span` a variable is of one of two kinds."""
    env.setdefault(f"!{name}", Place(span, kinds))


def note_use(m: Machine, name: str, span: Span) -> None:
    """An expression uses a variable."""
    if not m.noting:
        return
    env = m.top.env
    unset, mixed = env.get(f"?{name}"), env.get(f"!{name}")
    if isinstance(unset, Place):
        refuse(m, "TC606", "path", unset.span, name, str(span.line))
    elif isinstance(mixed, Place):
        refuse(m, "TC606", "kinds", mixed.span, name, *mixed.words, str(span.line))
    power = env.get(f"^{name}") if m.storing else None
    if isinstance(power, Place):
        refuse(m, "TC605", "power", power.span)


def join_marks(m: Machine, cond: Cond, a: Mapping[str, Value], b: Mapping[str, Value], out: dict[str, Value],
               span: Span) -> None:
    """Joins the marks of two paths that meet after the statement at `span`; `a` is the one where `cond` holds."""
    both = m.noting and is_at_run_time(m, cond)
    for env, other in ((a, b), (b, a)):
        # where one path may be left out, what is wrong on the other one alone is not certain
        out.update((name, value) for name, value in env.items()
                   if is_mark(name) and (both or name.startswith("@") or name in other))
    if not both:
        return
    for name in {**a, **b}:
        if is_mark(name):
            continue
        if name not in a or name not in b:
            mark_unset(out, name, span)
        elif a[name] is not b[name]:
            kinds = describe_difference(m, name, a[name], b[name], span)
            if kinds is not None:
                mark_mixed(out, name, place_of(b, name) or place_of(a, name) or span, kinds)


def describe_difference(m: Machine, name: str, a: Value, b: Value, span: Span) -> tuple[str, str] | None:
    """The kinds of two values of which the compiler makes no common one; None if it may."""
    first, second = kind_of(m, a), kind_of(m, b)
    if first is None or second is None:
        return None
    numbers = {"a number", "a tile"}
    if {first, second} <= numbers:
        return _compare_types(name, a, b, span)
    if first != second:
        return first, second
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        if len(a.items) != len(b.items):
            return f"a tuple of {len(a.items)} items", f"one of {len(b.items)}"
        return next((d for x, y in zip(a.items, b.items, strict=True)
                     if (d := describe_difference(m, name, x, y, span)) is not None), None)
    if isinstance(a, Const) and isinstance(b, Const) and isinstance(a.value, str) and a.value != b.value:
        return f'"{a.value}"', f'"{b.value}"'
    if isinstance(a, Function) and isinstance(b, Function) and a.definition is not b.definition:
        return f"`{a.definition.name}`", f"`{b.definition.name}`"
    return None


def _compare_types(name: str, a: Value, b: Value, span: Span) -> tuple[str, str] | None:
    misfit = check_use(Use("carried", name, (operand(a), operand(b)), span))
    if misfit is None or misfit == OPEN:
        return None
    if misfit.types:
        mine, theirs = (str(t) for t in misfit.types)
        return mine, theirs
    if misfit.how == "carried_rank":
        return f"a tile of {misfit.words[0]} axes", f"one of {misfit.words[1]}"
    return "a tile of one shape", "one of another shape"

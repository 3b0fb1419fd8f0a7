"""The parts of the index of a finding: names and iterations, each with its value in the colliding blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Final

from msgspec import Struct

from tilecheck.explain.names import assigned_once
from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.witness_loops import values_of_loops
from tilecheck.pipeline.single_kernel import Study
from tilecheck.symbolic import Atom, Bid, Counter, Lane, Term, atoms_in, evaluate
from tilecheck.visualize.order import readable_loop
from tilecheck.visualize.parts import left_out
from tilecheck.visualize.scene import Part
from tilecheck.visualize.schedule import Scheduled
from tilecheck.visualize.setting import Block, Setting
from tilecheck.visualize.touches import Element, Touch

__all__ = ["Meets", "parts_of"]

_MOST: Final = 8
"""The most names that are listed."""
_LANES: Final = 4_096
"""Lanes that are looked at."""


class Meets(Struct, frozen=True):
    """A block of a finding and its action; `element` is the element, if there is one."""

    block: Block
    touch: Touch
    element: Element | None = None


def parts_of(study: Study, plan: Scheduled, setting: Setting, who: Sequence[Meets]) -> tuple[Part, ...]:
    """The names of block coordinates and of values computed from them, the iterations, and the tile or element of the
    access, in the order of the source. Names without a value in the launch are omitted."""
    if not who:
        return ()
    envs = [_evaluate_names(setting, m) for m in who]
    found = [*_names(study, plan, setting, who, envs)][:_MOST]
    found += _iterations(study, who, envs)
    found += _places(study, plan, who, envs)
    return tuple(sorted(found, key=lambda p: p.line))


def _evaluate_names(setting: Setting, m: Meets) -> dict[Atom, int]:
    env = setting.launch
    env.update({Bid(k): n for k, n in enumerate(m.block)})
    env.update({Counter(name): n for name, n in m.touch.iterations})
    return env


def _names(
    study: Study, plan: Scheduled, setting: Setting, who: Sequence[Meets], envs: Sequence[dict[Atom, int]],
) -> Iterator[Part]:
    lacking = set(_find_missing_parts(study, plan, setting, who))
    for x in assigned_once(study.definition):
        if any(isinstance(a, Bid) for a in atoms_in(x.term)):
            values = _values([x.term], envs)
            if values is not None:
                remark = "not in the index" if x.name in lacking else ""
                yield Part(x.name, x.line, f"line {x.line}", tuple(v for (v,) in values), remark)


def _find_missing_parts(study: Study, plan: Scheduled, setting: Setting, who: Sequence[Meets]) -> Iterator[str]:
    """Names of parts of a coordinate in which the blocks differ and that the index of their one access lacks."""
    if len(who) == 2 and who[0].touch.access == who[1].touch.access:
        access = plan.accesses[who[0].touch.access]
        yield from (x.name for x in left_out(study.definition, access, who[0].block, who[1].block, setting.launch))


def _iterations(study: Study, who: Sequence[Meets], envs: Sequence[dict[Atom, int]]) -> Iterator[Part]:
    """The enclosing loops, with the values of their variables or the number of the iteration."""
    first = dict(who[0].touch.iterations)
    worth = [dict(values_of_loops(study.model.observed.loops, env)) for env in envs]
    for name in first:
        line = name.partition("@")[2].partition("/")[0].partition(".")[0]
        values = [dict(m.touch.iterations).get(name) for m in who]
        if line.isdigit() and all(v is not None for v in values):
            yield Part(readable_loop(name), int(line), f"line {line}", tuple(
                str(known[name]) if name in known else f"iteration {v}" for v, known in zip(
                    values, worth, strict=True)))


def _places(study: Study, plan: Scheduled, who: Sequence[Meets], envs: Sequence[dict[Atom, int]]) -> Iterator[Part]:
    """Where the blocks come to with all that: the tile that each asks for, or the element with the lane."""
    accesses = [plan.accesses[m.touch.access] for m in who]
    lines = sorted({a.span.line for a in accesses})
    if len({a.array for a in accesses}) > 1:
        return
    several = len({a.span for a in accesses}) > 1
    place = f"lines {' and '.join(map(str, lines))}" if several and len(lines) > 1 else study.place(accesses[0].span)
    array = accesses[0].array

    def part(name: str, found: Sequence[str], more: Sequence[str]) -> Part:
        same = "the same" if len(found) == 2 and found[0] == found[1] else ""
        told = tuple(f"{value} ({', '.join(filter(None, (x, f'line {a.span.line}' if several else '')))})"
                     if x or several else value for value, x, a in zip(found, more, accesses, strict=True))
        return Part(f"{name} of {array}", lines[-1], place, told, same)

    tiles = [_values(a.tile_index, [env]) if a.tile_index else None for a, env in zip(accesses, envs, strict=True)]
    told = [_tuple(t[0]) for t in tiles if t is not None]
    if len(told) == len(who):
        yield part("tile", told, [""] * len(told))
    if who[0].element is not None and (len(told) < len(who) or len(set(told)) > 1):
        lanes = [_lane(a, env, who[0].element) for a, env in zip(accesses, envs, strict=True)]
        yield part("element", [_tuple(tuple(map(str, who[0].element)))] * len(who), lanes)


def _tuple(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"({', '.join(values)})"


def _lane(access: Access, env: dict[Atom, int], element: Element) -> str:
    """The lane in which an operation on elements comes to one; empty for tiles, and where it is not found."""
    if access.tile:
        return ""
    lanes = sorted({a for t in access.region.index for a in t.atoms() if isinstance(a, Lane)}, key=lambda a: -a.axis)
    try:
        spans = [range(evaluate(a.size, env)) for a in lanes]
        if not lanes or prod(map(len, spans)) > _LANES:
            return ""
        for at in product(*spans):
            if tuple(evaluate(t, {**env, **dict(zip(lanes, at, strict=True))}) for t in access.region.index) == element:
                return f"lane {_tuple([str(n) for n in at])}"
    except (KeyError, ArithmeticError):
        pass
    return ""


def _values(terms: Sequence[Term], envs: Iterable[dict[Atom, int]]) -> list[tuple[str, ...]] | None:
    try:
        return [tuple(str(evaluate(t, env)) for t in terms) for env in envs]
    except (KeyError, ArithmeticError):
        return None

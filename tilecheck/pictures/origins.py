"""What the index of a finding is made of: names and iterations, each with its value in the blocks that meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tilecheck.explain.names import assigned
from tilecheck.pictures.order import readable_loop
from tilecheck.pictures.parts import left_out
from tilecheck.pictures.scene import Part
from tilecheck.pictures.schedule import Scheduled
from tilecheck.pictures.setting import Block, Setting
from tilecheck.pictures.touches import Touch
from tilecheck.proof.terms import Atom, Bid, Counter, Sym, Term, atoms_in, evaluate
from tilecheck.records import record
from tilecheck.study import Study

__all__ = ["Meets", "parts_of"]

_MOST: Final = 8
"""Names that are told."""


@record(frozen=True)
class Meets:
    """A block and what it does there, of which a finding speaks."""

    block: Block
    touch: Touch


def parts_of(study: Study, plan: Scheduled, setting: Setting, who: Sequence[Meets]) -> tuple[Part, ...]:
    """The names that the kernel gives to block coordinates and to what follows from them, the iterations, and the tile
    that is asked for, in the order of the source. What has no value in the launch is left out."""
    if not who:
        return ()
    envs = [_known(setting, m) for m in who]
    found = [*_names(study, plan, setting, who, envs)][:_MOST]
    found += _iterations(who)
    found += _tiles(study, plan, who, envs)
    return tuple(sorted(found, key=lambda p: p.line))


def _known(setting: Setting, m: Meets) -> dict[Atom, int]:
    env: dict[Atom, int] = {Sym(n): v for n, v in setting.scalars.items()}
    env.update({Sym(f"grid[{k}]"): n for k, n in enumerate(setting.grid)})
    env.update({Bid(k): n for k, n in enumerate(m.block)})
    return env


def _names(
    study: Study, plan: Scheduled, setting: Setting, who: Sequence[Meets], envs: Sequence[dict[Atom, int]],
) -> Iterator[Part]:
    lacking = set(_lacking(study, plan, setting, who))
    for x in assigned(study.definition):
        if any(isinstance(a, Bid) for a in atoms_in(x.term)):
            values = _values([x.term], envs)
            if values is not None:
                remark = "not in the index" if x.name in lacking else ""
                yield Part(x.name, x.line, f"line {x.line}", tuple(v for (v,) in values), remark)


def _lacking(study: Study, plan: Scheduled, setting: Setting, who: Sequence[Meets]) -> Iterator[str]:
    """Names of parts of a coordinate in which the blocks differ and that the index of their one access lacks."""
    if len(who) == 2 and who[0].touch.access == who[1].touch.access:
        sizes: dict[Atom, int] = {Sym(n): v for n, v in setting.scalars.items()}
        access = plan.accesses[who[0].touch.access]
        yield from (x.name for x in left_out(study.definition, access, who[0].block, who[1].block, sizes))


def _iterations(who: Sequence[Meets]) -> Iterator[Part]:
    first = dict(who[0].touch.iterations)
    for name in first:
        line = name.partition("@")[2].partition("/")[0].partition(".")[0]
        values = [dict(m.touch.iterations).get(name) for m in who]
        if line.isdigit() and all(v is not None for v in values):
            yield Part(readable_loop(name), int(line), f"line {line}", tuple(f"iteration {v}" for v in values))


def _tiles(
    study: Study, plan: Scheduled, who: Sequence[Meets], envs: Sequence[dict[Atom, int]],
) -> Iterator[Part]:
    """The tile index of each access, as it is asked for."""
    own = {m.touch.access for m in who}
    if len(own) != 1:
        return
    (number,) = own
    access = plan.accesses[number]
    wanted = {a for a in atoms_in(*access.tile_index) if isinstance(a, Counter)}
    full = [{**env, **{a: n for a in wanted for name, n in m.touch.iterations if name == a.name}}
            for env, m in zip(envs, who, strict=True)]
    values = _values(access.tile_index, full) if access.tile_index else None
    if values is not None:
        told = tuple(str(v[0]) if len(v) == 1 else f"({', '.join(v)})" for v in values)
        yield Part(f"tile of {access.array}", access.span.line, study.place(access.span), told,
                   "the same" if len(told) == 2 and told[0] == told[1] else "")


def _values(terms: Sequence[Term], envs: Iterable[dict[Atom, int]]) -> list[tuple[str, ...]] | None:
    try:
        return [tuple(str(evaluate(t, env)) for t in terms) for env in envs]
    except (KeyError, ArithmeticError):
        return None

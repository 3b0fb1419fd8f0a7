"""The launches of a kernel as cases: one for each configuration of a launch, with the values of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.symbolic import FALSE, ArrayParam, Rank, Substitution, const, symbol_from_text

__all__ = ["Case", "list_cases"]


class Case(Struct, frozen=True):
    """A launch, or one configuration of it: values of scalar parameters, their substitution, arguments by parameter."""

    launch: Launch
    values: Mapping[str, int]
    given: Substitution
    arguments: Mapping[str, Argument]


def list_cases(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Case]:
    for launch in launches:
        if launch.arguments is None or len(launch.arguments) != len(model.params) or not launch.certain or (
                launch.facts == FALSE):
            continue
        arguments = {p.name: a for p, a in zip(model.params, launch.arguments, strict=True)}
        for case in launch.cases if launch.every and launch.cases else ((),):
            values = _values(model, launch.arguments, dict(case))
            ranks = {n: const(len(a.shape)) for n, a in arguments.items() if a.shape is not None}
            known = {Rank(ArrayParam(n)): rank for n, rank in ranks.items()}
            given = Substitution({**known, **{symbol_from_text(name): const(n) for name, n in values.items()}})
            yield Case(launch, values, given, arguments)


def _values(model: KernelModel, arguments: Sequence[Argument], case: Mapping[str, int]) -> dict[str, int]:
    """The numbers that a launch passes for scalar parameters, as far as they are known."""
    fixed = Substitution({symbol_from_text(name): const(n) for name, n in case.items()})
    out: dict[str, int] = {}
    for p, a in zip(model.params, arguments, strict=True):
        n = None if a.term is None else fixed.term(a.term).constant
        if n is not None and p.kind in ("constant", "scalar"):
            out[p.name] = n
    return out
